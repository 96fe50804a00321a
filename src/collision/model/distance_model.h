// Collision models that are a distance field (topology/search/distance_grid.h), carried by a frame or by the cells of a
// mesh.
#ifndef DV_COLLISION_MODEL_DISTANCE_MODEL_H
#define DV_COLLISION_MODEL_DISTANCE_MODEL_H

#include "collision/model.h"
#include "io/mesh/distances.h"
#include "scene/live.h"

#define DV_DISTANCE_MODEL_FIELDS(X)                                                                            \
  X(vec3, translation, "0 0 0", "m", "shift of the surface in its frame")                                      \
  X(vec3, rotation, "0 0 0", "degrees", "rotation of the surface in its frame, about x, y and z")              \
  X(real, sampling, "0", "m", "accepted: the points of the mesh are those of the surface", .flags = DV_HIDDEN) \
  X(file, dumpfilename, "", "", "file to write the distances to, as plain numbers", .flags = DV_NO_SRC)        \
  X(bool, usePoints, "1", "", "test the points of the surface against other distance fields")                  \
  X(bool, flipNormals, "0", "", "keep things inside instead of outside")                                       \
  X(bool, showMeshPoints, "1", "", "accepted: the surface is not drawn", .flags = DV_HIDDEN | DV_LOOKS)        \
  X(bool, showGridPoints, "0", "", "accepted: the surface is not drawn", .flags = DV_HIDDEN | DV_LOOKS)        \
  X(real, showMinDist, "0", "m", "accepted: the surface is not drawn", .flags = DV_HIDDEN | DV_LOOKS)          \
  X(real, showMaxDist, "0", "m", "accepted: the surface is not drawn", .flags = DV_HIDDEN | DV_LOOKS)
#define DV_CELL_FIELDS(X)                                                                              \
  X(link, topology, "", "", "mesh of hexahedra that carries the surface; that of the node by default", \
    .role = DV_ROLE_TOPOLOGY)

typedef struct dvDistanceModel {
  dvCollisionModel base;
  DV_DISTANCE_FIELDS(DV_MEMBER)
  DV_DISTANCE_MODEL_FIELDS(DV_MEMBER)
  DV_CELL_FIELDS(DV_MEMBER)
  dvDistanceGrid grid;
  dvQuat turn;       // of `rotation`
  dvLiveGroup own;   // has the state of an obstacle in whose nodes there is none
  // points of the surface by the element that carries them, and in cells their weights
  DV_ARRAY(int32_t) first, points;
  DV_ARRAY(double) weights;
} dvDistanceModel;

// What the field of an element says about a place in the world.
typedef struct dvProbe {
  double distance;   // m, negative inside
  dvVec3 normal;     // unit vector in which it grows
  dvVec3 on;         // the nearest point of the surface
} dvProbe;

// False where the element has nothing within the reach.
bool dv_distance_probe(const dvCollisionModel *m, int32_t element, dvVec3 p, double reach, dvProbe *out);
// The k-th point of the surface that an element carries, in the world; false behind the last.
bool dv_distance_surface_point(const dvCollisionModel *m, int32_t element, size_t k, dvVec3 *out);

#endif
