// A tree of boxes over the elements of a collision model, with the order of SOFA's: cubes are halved at the middle of
// their elements, sorted by their centres along the longest side, down to a depth; those with four elements or fewer
// stay whole. It is made once and follows the elements; when they have moved so far that its boxes overlap much, it is
// made anew.
#ifndef DV_COLLISION_CUBE_TREE_H
#define DV_COLLISION_CUBE_TREE_H

#include "topology/change/trace.h"
#include "topology/search/box_tree.h"

DV_PUBLIC_BEGIN

typedef struct dvCube {
  dvBox box;
  int32_t first, end;   // its children: cubes, or leaves
  bool leaves;
} dvCube;

typedef struct dvCubeKey {
  double key;
  int32_t element;
} dvCubeKey;

typedef struct dvCubeTree {
  DV_ARRAY(dvCube) cubes;       // the root first, level by level
  DV_ARRAY(int32_t) elements;   // of each leaf
  DV_ARRAY(dvBox) leaves;       // boxes, in that order
  DV_ARRAY(dvCubeKey) scratch;
  DV_ARRAY(dvTraceStep) changes;   // of the elements, since the cubes were made
  double size;                     // of the cubes when it was made, in terms of the root's
  int depth;
} dvCubeTree;

// Makes the tree, or lets it follow when there are as many elements and the depth is the same.
void dv_cube_tree_update(dvCubeTree *t, const dvBox *boxes, size_t count, int depth);
// Elements have come and gone: what that means for the tree is found out at the next update, without sorting. New ones
// stand where one went in the same batch. Costs as much as there are steps.
void dv_cube_tree_follow(dvCubeTree *t, const dvTrace *trace, dvElementKind kind);
// Does so now, for who looks at `elements`; `count` elements are there.
void dv_cube_tree_settle(dvCubeTree *t, size_t count);
// After `elements`, `depth` and `size` were restored: the cubes over them. False when an element is not below count.
bool dv_cube_tree_regrow(dvCubeTree *t, size_t count);
void dv_cube_tree_clear(dvCubeTree *t);   // the next update makes it anew
void dv_cube_tree_fini(dvCubeTree *t);

// Whether two boxes are within a distance of each other along every axis.
static inline bool dv_boxes_near(const dvBox *a, const dvBox *b, double distance)
{
  int apart = 0;   // all six are compared: cheaper than guessing which one decides
  for (int k = 0; k < 3; k++) apart |= (a->low[k] > b->high[k] + distance) | (b->low[k] > a->high[k] + distance);
  return !apart;
}

DV_PUBLIC_END

#endif
