// See factor.h.
#include "linear/direct/factor.h"

dvStatus dv_linear_solver_compliance_by_factor(dvObject *o, const dvLdl *factor, dvLdlBatch **batch,
                                               const dvSparseRows *rows, double *w)
{
  if (!*batch) *batch = dv_ldl_batch_create();
  if (dv_ldl_compliance(factor, *batch, o->context->pool, rows, w)) return DV_OK;
  return dv_error(o, "use fewer constraints, or a machine with more memory",
                  "out of memory for the compliance of %zu rows", rows->count);
}
