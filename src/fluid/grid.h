// SpatialGridContainer, as those who look for neighbours see it.
#ifndef DV_FLUID_GRID_H
#define DV_FLUID_GRID_H

#include "scene/node.h"

extern const dvClass dv_spatial_grid_class;

// The width of the cells that a SpatialGridContainer in the node or above tells; 0 when there is none.
double dv_grid_width(const dvNode *node);

#endif
