// The first half of the analysis of a sparse LDL^T (ldl_symbolic.c): from a pattern to a tree of fronts.
#ifndef DV_LINEAR_DIRECT_LDL_TREE_H
#define DV_LINEAR_DIRECT_LDL_TREE_H

#include "linear/direct/ldl_graph.h"

typedef enum dvLdlGrowth {
  DV_LDL_GROWN,
  DV_LDL_NO_MEMORY,
  DV_LDL_DEAR,     // subtrees stay, and their order has become too dear
  DV_LDL_REACHED   // a subtree would not stay: in the whole it is joined to what is above it now
} dvLdlGrowth;

// `order` says how to come to an order and learns what it costs. Sets perm, inverse, count, fronts, shape, child and of
// each front first, cols, rows (as many as there will be), parent and children. `old` gets of each front the one before
// that it is, -1 for others; the caller frees it.
dvLdlGrowth dv_ldl_grow_tree(dvLdlSymbolic *s, const dvLdlGraph *g, dvOrderChoice *order, int32_t **old);

#endif
