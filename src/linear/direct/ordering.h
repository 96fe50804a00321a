// Orders of elimination: which row of a sparse symmetric matrix is eliminated when. A good one keeps the factor sparse.
#ifndef DV_LINEAR_DIRECT_ORDERING_H
#define DV_LINEAR_DIRECT_ORDERING_H

#include "math/pattern.h"

// DV_ORDER_SEPARATED: METIS cuts the graph into small parts, AMD orders each with its surroundings in view, then what
// separates them. DV_ORDER_BEST is for direct solvers: of these the one with least work (ldl_tree.c).
typedef enum dvOrder { DV_ORDER_NATURAL, DV_ORDER_AMD, DV_ORDER_METIS, DV_ORDER_SEPARATED, DV_ORDER_BEST } dvOrder;

// True when the program was built with METIS; without it all but DV_ORDER_NATURAL are AMD.
bool dv_order_has_metis(void);

// perm[k] gets the row that is eliminated k-th. The pattern must be square; entries count on both sides of the
// diagonal. False when memory is short.
bool dv_order(dvOrder order, const dvPattern *a, int32_t *perm);

#endif
