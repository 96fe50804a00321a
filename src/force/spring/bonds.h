// Entries that a mesh implies without having them itself: springs along its edges and diagonals, springs and hinges
// across the edges of its faces.
//
// Every entry has a home, the pair of points that it is found by: the ends of a spring, or the edge that it bends
// about. When the mesh changes, entries follow their points (element_data.h). At the end of a batch only those can be
// others whose home lies within the points that were touched (trace.h): they go and are made again, from the elements
// around, by the code that made all of them, with the same result up to the order of the entries.
//
//   static void make(Self *s, const dvNumbers *some);   // of some elements or, with NULL, of all
//     … if (dv_bonds_want(&s->bonds, p, q)) DV_BONDS_PUSH(&s->bonds, &s->springs, ((int32_t[]){p, q}), spring);
//
//   reinit:   dv_bonds_clear(&s->bonds, &s->springs); make(s, NULL); dv_bonds_follow(&s->bonds, o, mesh, column)
//   patch:    dv_bonds_begin(&s->bonds, mesh, kind, 0); make(s, dv_bonds_elements(…)); dv_bonds_end(&s->bonds, mesh);
//             `steps` and `changed` tell what became of the entries
#ifndef DV_FORCE_SPRING_BONDS_H
#define DV_FORCE_SPRING_BONDS_H

#include "mechanics/component.h"
#include "topology/change/follow.h"
#include "topology/change/modify.h"

typedef struct dvBonds {
  int width;                     // points of an entry; the first two are its home
  DV_ARRAY(int32_t) noted;       // of all entries, while they are made
  dvInts points;                 // of all entries, from then on
  dvElementList *list;           // by which they follow; NULL before that
  DV_ARRAY(dvTraceStep) steps;   // what became of entries since they were made or patched
  bool patching;
  dvNumbers region;     // the points that were touched, ascending, while patching
  dvNumbers elements;   // see dv_bonds_elements
  int rings;
  dvNumbers changed;   // after a patch: rows that are new, or whose points or numbers are others, ascending
} dvBonds;

// Before all entries are made.
#define dv_bonds_clear(b, array) ((b)->noted.count = (array)->count = 0)
// Whether an entry with this home is to be made.
bool dv_bonds_want(const dvBonds *b, int32_t p, int32_t q);
// Puts an entry into a DV_ARRAY, with `width` points.
#define DV_BONDS_PUSH(b, array, own_points, entry)                                    \
  do {                                                                                \
    if ((b)->patching) {                                                              \
      size_t row_ = dv_bonds_push_(b, own_points);                                    \
      (array)->data[row_] = (entry);                                                  \
    } else {                                                                          \
      dv_push(array, entry);                                                          \
      for (int k_ = 0; k_ < (b)->width; k_++) dv_push(&(b)->noted, (own_points)[k_]); \
    }                                                                                 \
  } while (0)
// All have been made: they follow from here on. `array` is DV_COLUMN_OF(where they are).
dvStatus dv_bonds_follow(dvBonds *b, dvObject *o, dvTopology *mesh, dvColumn array);

// After a batch: entries that can be others go. Their homes lie within the points that were touched and `rings` rings
// of elements of a kind around them. False when all are to be made again.
bool dv_bonds_begin(dvBonds *b, dvTopology *mesh, dvElementKind kind, int rings);
// Elements of a kind of which such entries are made, in ascending order; until the next call.
const dvNumbers *dv_bonds_elements(dvBonds *b, dvTopology *mesh, dvElementKind kind);
// They are made: finds `changed`.
void dv_bonds_end(dvBonds *b, dvTopology *mesh);
// Steps and rows have been made use of.
static inline void dv_bonds_done(dvBonds *b) { b->steps.count = 0; }
void dv_bonds_free(dvBonds *b);

size_t dv_bonds_push_(dvBonds *b, const int32_t *points);

#endif
