// Many right-hand sides at once, and compliance matrices W = H A^-1 H^T, with the factor of a sparse LDL^T.
//
// Right-hand sides go through the factor DV_RHS at a time, side by side. Rows of H that touch few unknowns only walk
// the part of the tree above these, and W = (L^-1 H^T)^T D^-1 (L^-1 H^T) needs no way back.
#ifndef DV_LINEAR_DIRECT_LDL_BATCH_H
#define DV_LINEAR_DIRECT_LDL_BATCH_H

#include "linear/direct/ldl.h"
#include "math/sparse_rows.h"

// Work space, for one call at a time and any factors one after the other; grows and is kept. Factors of equal bodies
// that share it find it in the cache.
typedef struct dvLdlBatch dvLdlBatch;

dvLdlBatch *dv_ldl_batch_create(void);
dvLdlBatch *dv_ldl_batch_share(dvLdlBatch *batch);   // for one more who destroys it
void dv_ldl_batch_destroy(dvLdlBatch **batch);

// x = A^-1 rhs for `count` vectors, each of dv_ldl_rows numbers, one behind the other; x may be rhs. The same bits for
// any number of threads. False when memory is short.
bool dv_ldl_solve_many(const dvLdl *f, dvLdlBatch *batch, dvPool *pool, size_t count, const double *rhs, double *x);

// w = H A^-1 H^T, count x count numbers, for settled rows over the scalar unknowns. The same bits for any number of
// threads. False when memory is short.
bool dv_ldl_compliance(const dvLdl *f, dvLdlBatch *batch, dvPool *pool, const dvSparseRows *h, double *w);

#endif
