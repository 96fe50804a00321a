// Classes of this room that are named in more than one file.
#ifndef DV_LINEAR_CLASSES_H
#define DV_LINEAR_CLASSES_H

#include "object/object.h"

extern const dvClass dv_composite_system_class, dv_projection_method_class, dv_constant_projection_class;
extern const dvClass dv_cg_class, dv_parallel_cg_class, dv_pcg_class, dv_min_res_class;
extern const dvClass dv_jacobi_class, dv_block_jacobi_class, dv_ssor_class, dv_incomplete_class;
extern const dvClass dv_sparse_ldl_class, dv_simplicial_ldlt_class, dv_sparse_llt_class, dv_supernodal_llt_class,
    dv_async_ldl_class, dv_precomputed_class;
extern const dvClass dv_sparse_lu_class, dv_sparse_qr_class;
extern const dvClass dv_cholesky_class, dv_lu_class, dv_svd_class, dv_btd_class;
extern const dvClass dv_matrix_exporter_class, dv_matrix_image_class;
extern const dvClass dv_fill_reducing_class;

#endif
