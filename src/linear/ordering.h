// Orders of elimination: which row of a sparse symmetric matrix is eliminated when. A good one keeps the factor sparse.
#ifndef DV_LINEAR_ORDERING_H
#define DV_LINEAR_ORDERING_H

#include "math/pattern.h"

typedef enum dvOrder { DV_ORDER_NATURAL, DV_ORDER_AMD } dvOrder;

// perm[k] gets the row that is eliminated k-th. The pattern must be square; entries count on both sides of the diagonal.
// False when memory is short.
bool dv_order(dvOrder order, const dvPattern *a, int32_t *perm);

#endif
