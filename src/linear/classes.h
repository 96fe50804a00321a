// Classes of this room that are named in more than one file.
#ifndef DV_LINEAR_CLASSES_H
#define DV_LINEAR_CLASSES_H

#include "object/object.h"

extern const dvClass dv_composite_system_class;
extern const dvClass dv_cg_class, dv_parallel_cg_class, dv_pcg_class, dv_min_res_class;
extern const dvClass dv_jacobi_class, dv_block_jacobi_class, dv_ssor_class;
extern const dvClass dv_sparse_ldl_class, dv_simplicial_ldlt_class, dv_sparse_llt_class;

#endif
