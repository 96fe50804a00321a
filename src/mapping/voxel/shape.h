// Influence of frames on points of a body made of voxels: see shape.c.
#ifndef DV_MAPPING_VOXEL_SHAPE_H
#define DV_MAPPING_VOXEL_SHAPE_H

#include "mapping/voxel/material_map.h"
#include "state/state.h"

typedef struct dvInfluence {
  double w;       // weight
  dvVec3 slope;   // its gradient
  double d2;      // distance squared
} dvInfluence;

// Makes the VoxelShapeFunction that a link of `o` names ready; NULL after an error about `o`.
dvObject *dv_voxel_shape(dvObject *o, const dvLink *link);
const dvVoxelGrid *dv_voxel_shape_grid(const dvObject *shape, dvObject **map);
dvState *dv_voxel_shape_frames(const dvObject *shape);
// The influence of each frame of its state at a point; false where no frame reaches.
bool dv_voxel_shape_at(const dvObject *shape, dvVec3 point, dvInfluence *list);

#endif
