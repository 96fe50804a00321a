// What solvers with a sparse LDL^T factor share.
#ifndef DV_LINEAR_DIRECT_FACTOR_H
#define DV_LINEAR_DIRECT_FACTOR_H

#include "linear/direct/ldl_batch.h"
#include "linear/solver.h"

// w = H A^-1 H^T; makes *batch when it is NULL.
dvStatus dv_linear_solver_compliance_by_factor(dvObject *o, const dvLdl *factor, dvLdlBatch **batch,
                                               const dvSparseRows *rows, double *w);

#endif
