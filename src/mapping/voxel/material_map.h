// A grid of voxels with a material each, and distances in it.
//
// Stiff material is short: the length of a path is the integral of E_mean / E along it, so that between two frames a
// function that is linear in this distance has the gradient that a static load would give the displacement (F. Faure,
// B. Gilles, G. Bousquet, D. K. Pai, Sparse meshless models of complex deformable solids, 2011).
#ifndef DV_MAPPING_VOXEL_MATERIAL_MAP_H
#define DV_MAPPING_VOXEL_MATERIAL_MAP_H

#include "base/array.h"
#include "math/vec.h"
#include "object/object.h"

typedef struct dvVoxelGrid {
  int32_t n[3];
  dvVec3 origin, size;           // corner of the first voxel; sides of a voxel
  DV_ARRAY(int32_t) cell;        // number among the voxels that are filled, or -1; x fastest
  DV_ARRAY(int32_t) place;       // of each filled voxel in `cell`
  DV_ARRAY(int32_t) material;    // of each filled voxel, from 0
  DV_ARRAY(double) compliance;   // of each filled voxel: E_mean / E
  DV_ARRAY(uint32_t)
  reach;   // of each filled voxel: the neighbours to which nothing empty lies in the way, a bit for each of the 27
           // moves of dv_voxel_move
} dvVoxelGrid;

// The grid of the MaterialMap that a link of `o` names, made when that is needed; NULL after an error about `o`. It
// belongs to the map. `*map` (may be NULL) gets the component.
const dvVoxelGrid *dv_material_grid(dvObject *o, const dvLink *link, dvObject **map);

typedef struct dvVoxelMaterial {
  double young, poisson, density;
} dvVoxelMaterial;
// A material of a map by its number.
dvVoxelMaterial dv_material_of(const dvObject *map, int32_t number);

// A move by -1, 0 or 1 along each axis, from its number.
static inline void dv_voxel_move(int number, int32_t move[3])
{
  move[0] = number % 3 - 1, move[1] = number / 3 % 3 - 1, move[2] = number / 9 - 1;
}

static inline size_t dv_voxel_count(const dvVoxelGrid *g) { return g->place.count; }
dvVec3 dv_voxel_centre(const dvVoxelGrid *g, size_t voxel);
// The filled voxel at three numbers, or -1.
int32_t dv_voxel_at(const dvVoxelGrid *g, const int32_t at[3]);
// The filled voxel that a point lies in, else the one whose centre is nearest.
size_t dv_voxel_nearest(const dvVoxelGrid *g, dvVec3 point);
static inline double dv_voxel_volume(const dvVoxelGrid *g) { return g->size.x * g->size.y * g->size.z; }

// Distances from the nearest of `count` points, and which of them that is (may be NULL); infinite, and -1, where no
// path leads. A path turns at centres of voxels only where that is shorter. False when memory is short.
bool dv_voxel_distances(const dvVoxelGrid *g, const dvVec3 *points, size_t count, double *distance, int32_t *nearest);
// The same where those from the first `known` points are there already.
bool dv_voxel_distances_add(const dvVoxelGrid *g, const dvVec3 *points, size_t known, size_t count, double *distance,
                            int32_t *nearest);

#endif
