// The linear solvers and systems that exist: one line each.
#include "linear/register.h"

#include "linear/classes.h"
#include "linear/orderings.h"
#include "linear/system.h"

void dv_register_linear(dvRegistry *r)
{
  dv_registry_add(r, &dv_matrix_system_class);
  dv_registry_add(r, &dv_constant_pattern_class);
  dv_registry_add(r, &dv_typed_system_class);
  dv_registry_add(r, &dv_natural_ordering_class);
  dv_registry_add(r, &dv_amd_ordering_class);
  dv_registry_add(r, &dv_colamd_ordering_class);
  dv_registry_add(r, &dv_metis_ordering_class);
  dv_registry_add(r, &dv_cg_class);
  dv_registry_add(r, &dv_sparse_ldl_class);
  dv_registry_add(r, &dv_simplicial_ldlt_class);
  dv_registry_add(r, &dv_sparse_llt_class);
}
