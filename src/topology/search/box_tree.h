// A tree over boxes that finds all those around a point, the one nearest to it, and those that a box or a ray meets.
#ifndef DV_TOPOLOGY_SEARCH_BOX_TREE_H
#define DV_TOPOLOGY_SEARCH_BOX_TREE_H

#include "base/array.h"

DV_PUBLIC_BEGIN

typedef struct dvBox {
  double low[3], high[3];   // a box with low > high, or not a number, contains nothing
} dvBox;

typedef DV_ARRAY(int32_t) dvHits;

typedef struct dvBoxTreeNode {
  dvBox box;
  int32_t first, count;   // leaf: items first to first + count - 1
  int32_t right;          // inner node: the left child follows it, this is the right one; 0 in a leaf
} dvBoxTreeNode;

typedef struct dvBoxTree {
  const dvBox *boxes;   // borrowed
  DV_ARRAY(dvBoxTreeNode) nodes;
  DV_ARRAY(int32_t) items;
} dvBoxTree;

// The boxes must outlive the tree.
void dv_box_tree_init(dvBoxTree *t, const dvBox *boxes, size_t count);
void dv_box_tree_fini(dvBoxTree *t);
// Sets `hits` to the boxes that contain the point (borders count), in ascending order.
void dv_box_tree_find(const dvBoxTree *t, const double point[3], dvHits *hits);
// The same for those that meet a box.
void dv_box_tree_meet(const dvBoxTree *t, const dvBox *box, dvHits *hits);
// Sets `hits` to the boxes that the ray origin + t direction, t >= 0, meets, in ascending order. Boxes that it misses
// by a rounding error count as well.
void dv_box_tree_ray(const dvBoxTree *t, const double origin[3], const double direction[3], dvHits *hits);
// The box nearest to the point, the first of equals, or -1. *distance2 is the squared distance; boxes that are not
// nearer than its value before the call are not looked at.
int32_t dv_box_tree_nearest(const dvBoxTree *t, const double point[3], double *distance2);

DV_PUBLIC_END

#endif
