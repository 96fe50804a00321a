// The classes of this room.
#ifndef DV_ENGINE_CLASSES_H
#define DV_ENGINE_CLASSES_H

#include "object/object.h"

extern const dvClass dv_box_roi_class, dv_pair_box_roi_class, dv_plane_roi_class, dv_sphere_roi_class;

#endif
