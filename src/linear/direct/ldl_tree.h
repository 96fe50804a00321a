// The first half of the analysis of a sparse LDL^T (ldl_symbolic.c): from a pattern to a tree of fronts.
#ifndef DV_LINEAR_DIRECT_LDL_TREE_H
#define DV_LINEAR_DIRECT_LDL_TREE_H

#include "linear/direct/ldl_front.h"

// `columns` is the transposed pattern; `order` says how to come to an order and learns what it costs. Sets perm,
// inverse, count, fronts, child and of each front first, cols, rows (as many as there will be), parent and children.
bool dv_ldl_grow_tree(dvLdlSymbolic *s, const dvPattern *a, const dvPattern *columns, dvOrderChoice *order);

#endif
