// What elements remember in the lanes of their blocks (plastic strain, viscous stresses), while a mesh changes.
//
// An element that stays keeps its lane, whatever number it gets, so nothing is to be done for it. One that comes gets
// what its ancestors remember, as soon as the change is told: they may be gone at the end of the batch.
//
//   dv_lane_memory_begin(&m, blocks);                      // the elements were made; each has its lane
//   dv_element_data_add_ints(d, &m.home, false);           // rows of the element data
//   create: dv_lane_memory_create(&m, e);                  // of the element data
//   dv_lane_memory_settle(&m, topology, kind, blocks);     // the blocks have followed (dv_blocks_patch)
#ifndef DV_ELEMENT_LANE_MEMORY_H
#define DV_ELEMENT_LANE_MEMORY_H

#include "base/array.h"
#include "element/blocks.h"
#include "object/values.h"
#include "topology/change/element_data.h"

typedef struct dvLaneMemory {
  size_t width;             // numbers of an element
  bool mean;                // they do not depend on its size: heirs get the mean instead of the sum
  size_t parts;             // elements that one of the mesh stands for, one after the other; 0: itself
  dvInts home;              // of each element: 1 + lane, or -1 - row of `fresh`; 0 when it remembers nothing
  DV_ARRAY(double) fresh;   // of elements that are new in this batch
  void *user;
  // numbers of an element that has a lane, and those that one which has just got its lane begins with
  void (*read)(void *user, size_t element, size_t lane, double *out);
  void (*write)(void *user, size_t element, const double *numbers);
} dvLaneMemory;

void dv_lane_memory_begin(dvLaneMemory *m, const dvElementBlocks *blocks);
void dv_lane_memory_create(dvLaneMemory *m, const dvNewElement *e);
// In time of what has changed.
void dv_lane_memory_settle(dvLaneMemory *m, dvTopology *mesh, dvElementKind kind, const dvElementBlocks *blocks);
// What an element remembers, before its blocks are thrown away: true when it has a lane still, and *out is what `read`
// says; false when it is new, and what it inherits.
bool dv_lane_memory_get(const dvLaneMemory *m, size_t element, double *out);
void dv_lane_memory_free(dvLaneMemory *m);

#endif
