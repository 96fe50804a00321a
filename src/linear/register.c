// The linear solvers and systems that exist: one line each.
#include "linear/register.h"

#include "linear/classes.h"
#include "linear/direct/orderings.h"
#include "linear/iterative/warp.h"
#include "linear/system/matrix_free.h"
#include "linear/system/system.h"

void dv_register_linear(dvRegistry *r)
{
  dv_registry_add(r, &dv_matrix_system_class);
  dv_registry_add(r, &dv_constant_pattern_class);
  dv_registry_add(r, &dv_typed_system_class);
  dv_registry_add(r, &dv_matrix_free_class);
  dv_registry_add(r, &dv_preconditioned_free_class);
  dv_registry_add(r, &dv_composite_system_class);
  dv_registry_add(r, &dv_rotation_system_class);
  dv_registry_add(r, &dv_precomputed_system_class);
  dv_registry_add(r, &dv_projection_method_class);
  dv_registry_add(r, &dv_constant_projection_class);
  dv_registry_add(r, &dv_natural_ordering_class);
  dv_registry_add(r, &dv_amd_ordering_class);
  dv_registry_add(r, &dv_colamd_ordering_class);
  dv_registry_add(r, &dv_metis_ordering_class);
  dv_registry_add(r, &dv_cg_class);
  dv_registry_add(r, &dv_parallel_cg_class);
  dv_registry_add(r, &dv_pcg_class);
  dv_registry_add(r, &dv_min_res_class);
  dv_registry_add(r, &dv_jacobi_class);
  dv_registry_add(r, &dv_block_jacobi_class);
  dv_registry_add(r, &dv_ssor_class);
  dv_registry_add(r, &dv_incomplete_class);
  dv_registry_add(r, &dv_warp_class);
  dv_registry_add(r, &dv_precomputed_warp_class);
  dv_registry_add(r, &dv_sparse_ldl_class);
  dv_registry_add(r, &dv_simplicial_ldlt_class);
  dv_registry_add(r, &dv_sparse_llt_class);
  dv_registry_add(r, &dv_supernodal_llt_class);
  dv_registry_add(r, &dv_async_ldl_class);
  dv_registry_add(r, &dv_precomputed_class);
  dv_registry_add(r, &dv_sparse_lu_class);
  dv_registry_add(r, &dv_sparse_qr_class);
  dv_registry_add(r, &dv_cholesky_class);
  dv_registry_add(r, &dv_lu_class);
  dv_registry_add(r, &dv_svd_class);
  dv_registry_add(r, &dv_btd_class);
  dv_registry_add(r, &dv_matrix_exporter_class);
  dv_registry_add(r, &dv_matrix_image_class);
  dv_registry_add(r, &dv_fill_reducing_class);
}
