// Preconditioners that turn the factor of an older matrix with the points.
#ifndef DV_LINEAR_ITERATIVE_WARP_H
#define DV_LINEAR_ITERATIVE_WARP_H

#include "linear/system/system.h"

extern const dvClass dv_rotation_system_class, dv_precomputed_system_class, dv_warp_class, dv_precomputed_warp_class;

#endif
