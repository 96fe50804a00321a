// The first half of the analysis of a sparse LDL^T (ldl_symbolic.c): from a pattern to a tree of fronts.
#ifndef DV_LINEAR_DIRECT_LDL_TREE_H
#define DV_LINEAR_DIRECT_LDL_TREE_H

#include "linear/direct/ldl_graph.h"

// `order` says how to come to an order and learns what it costs. Sets perm, inverse, count, fronts, shape, child and of
// each front first, cols, rows (as many as there will be), parent and children. `old` gets of each front the one before
// that it is, -1 for others; the caller frees it. False when memory is short, or when subtrees stay and their order has
// become too dear (order->whole).
bool dv_ldl_grow_tree(dvLdlSymbolic *s, const dvLdlGraph *g, dvOrderChoice *order, int32_t **old);

#endif
