// Pairs of points: springs and attachments between two states, or within one, that leave with either of their ends.
//
// The ends stand in two lists, entry by entry. When the topology of a state changes, both lists and the columns that go
// with them stay in step.
#ifndef DV_MECHANICS_PAIRS_H
#define DV_MECHANICS_PAIRS_H

#include "state/state.h"

DV_PUBLIC_BEGIN

typedef struct dvPairs {
  dvInts own[2];
  dvInts *ends[2];               // as many entries; an entry may name several points. NULL when nothing is followed
  dvElementList *lists[2];       // NULL where a state follows no topology
  bool tells;                    // steps are noted
  DV_ARRAY(dvTraceStep) steps;   // what became of the entries since they were followed, or taken note of
  void (*left)(void *user, size_t row);   // may be NULL: an entry is about to go, and the last takes its place
  void *user;
  struct dvPairsSide {
    struct dvPairs *pairs;
    int side;
  } sides[2];
} dvPairs;

// Begins to follow with two lists of the component. They and the struct must stay where they are while it lives.
void dv_pairs_follow(dvPairs *p, dvObject *o, const dvState *first, const dvState *second, dvInts *a, dvInts *b);
// The same with lists that follow something else than points; either may be NULL. `b` may be NULL as well: entries of
// one end, of which only the changes are asked.
void dv_pairs_join(dvPairs *p, dvElementList *first, dvElementList *second, dvInts *a, dvInts *b);
// The list that columns are added to; NULL when there is nothing to follow. Columns have a row for each entry.
static inline dvElementList *dv_pairs_list(const dvPairs *p) { return p->lists[0] ? p->lists[0] : p->lists[1]; }
// The lists were written anew.
static inline void dv_pairs_forget(dvPairs *p)
{
  dv_element_list_forget(p->lists[0]);
  dv_element_list_forget(p->lists[1]);
}
void dv_pairs_free(dvPairs *p);
// For `topology_changed`: entries that have another number, or name a point that was touched in one of the topologies
// (trace.h), in ascending order. `steps` has what went.
void dv_pairs_changed(const dvPairs *p, dvNumbers *out);

// The same for a DV_ARRAY of structs whose members `a` and `b` are the ends: to be called whenever it was filled.
#define DV_PAIRS_FOLLOW(p, o, first, second, array, a, b)                         \
  dv_pairs_follow_(p, o, first, second, (array)->data ? &(array)->data->a : NULL, \
                   (array)->data ? &(array)->data->b : NULL, DV_COLUMN_OF(array))
// Writes the ends back after a change: for `topology_changed`.
#define DV_PAIRS_GIVE(p, array, a, b)                                                                   \
  dv_pairs_give_(p, (array)->data ? &(array)->data->a : NULL, (array)->data ? &(array)->data->b : NULL, \
                 (array)->count, sizeof *(array)->data)
void dv_pairs_follow_(dvPairs *p, dvObject *o, const dvState *first, const dvState *second, const int32_t *a,
                      const int32_t *b, dvColumn array);
void dv_pairs_give_(const dvPairs *p, int32_t *a, int32_t *b, size_t count, size_t stride);

DV_PUBLIC_END

#endif
