// Classes of this room that are named in more than one file.
#ifndef DV_LINEAR_CLASSES_H
#define DV_LINEAR_CLASSES_H

#include "object/object.h"

extern const dvClass dv_cg_class;
extern const dvClass dv_sparse_ldl_class, dv_simplicial_ldlt_class, dv_sparse_llt_class;

#endif
