// The distance field of a mesh file: read, laid out, measured, and kept beside the file where that takes long.
#ifndef DV_IO_MESH_DISTANCES_H
#define DV_IO_MESH_DISTANCES_H

#include "object/context.h"
#include "object/object.h"
#include "topology/search/distance_grid.h"

#define DV_DISTANCE_FIELDS(X)                                                                                  \
  X(file, filename, "", "", "mesh of a closed surface, or #cube for one of half the side `scale`",             \
    .alias = "fileDistanceGrid fileRigidDistanceGrid fileFFDDistanceGrid", .flags = DV_NO_SRC)                 \
  X(real, scale, "1", "", "factor for the points of the file")                                                 \
  X(vec6, box, "0 0 0 0 0 0", "m",                                                                             \
    "least bounds of the grid, minimum and maximum; by default those of the surface and a tenth on each side") \
  X(int, nx, "64", "", "points of the grid along x")                                                           \
  X(int, ny, "64", "", "points of the grid along y")                                                           \
  X(int, nz, "64", "", "points of the grid along z")

// Members that DV_DISTANCE_FIELDS declares, as a component has them.
typedef struct dvDistanceSource {
  char *const *filename;   // the member, for messages
  double scale;
  const double *box;
  int n[3];
} dvDistanceSource;

#define DV_DISTANCE_SOURCE(self)                                                      \
  (dvDistanceSource)                                                                  \
  {                                                                                   \
    .filename = &(self)->filename, .scale = (self)->scale, .box = (self)->box, .n = { \
      (self)->nx,                                                                     \
      (self)->ny,                                                                     \
      (self)->nz                                                                      \
    }                                                                                 \
  }

// Fills an empty grid. A large one is read from FILE.NXxNYxNZ.distances when that was made from the same surface, and
// written there otherwise; where it cannot be written, nothing is said.
dvStatus dv_distances_load(dvObject *o, dvDistanceSource source, dvDistanceGrid *out);

#endif
