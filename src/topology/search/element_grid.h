// Elements by the cells of a grid that their boxes meet, for meshes that change: elements come, go and take another
// number, each in time of the cells that it meets. Which elements may be near a place is found without looking at all.
#ifndef DV_TOPOLOGY_SEARCH_ELEMENT_GRID_H
#define DV_TOPOLOGY_SEARCH_ELEMENT_GRID_H

#include "topology/change/trace.h"
#include "topology/search/box_tree.h"

typedef struct dvGridRange {
  int32_t low[3], high[3];   // cells that an element meets
  bool large;                // too many of them: it stands in a list of its own
  bool in;                   // it stands anywhere
} dvGridRange;

typedef struct dvElementGrid {
  double cell;                     // length of its side
  DV_ARRAY(dvGridRange) ranges;    // of each element
  DV_ARRAY(int32_t) heads;         // of chains of entries, by the hash of a cell; 0 ends, numbers are entries + 1
  DV_ARRAY(int32_t) next, owner;   // of each entry: the next one, and its element
  int32_t unused;                  // chain of entries that are free
  size_t entries;                  // that are not
  dvNumbers large;
} dvElementGrid;

// An empty grid for so many elements, each of which is put afterwards.
void dv_element_grid_init(dvElementGrid *g, double cell, size_t elements);
void dv_element_grid_fini(dvElementGrid *g);
// An element has this box now; a box that contains nothing takes it out.
void dv_element_grid_put(dvElementGrid *g, int32_t element, const dvBox *box);
// Elements came and went, in this order. New ones are in no cell yet.
void dv_element_grid_follow(dvElementGrid *g, const dvTraceStep *steps, size_t count);
// Elements whose cells meet those of a box, in ascending order: all whose box meets it, and some more.
void dv_element_grid_find(const dvElementGrid *g, const dvBox *box, dvNumbers *out);

#endif
