// Rays through a surface of triangles.
#ifndef DV_TOPOLOGY_SEARCH_RAYS_H
#define DV_TOPOLOGY_SEARCH_RAYS_H

#include "topology/search/box_tree.h"

typedef struct dvRayHit {
  double t;   // the ray meets the triangle at origin + t direction
  int32_t triangle;
} dvRayHit;

typedef DV_ARRAY(dvRayHit) dvRayHits;

typedef struct dvRayMesh {
  const double *x;            // three numbers a point; borrowed
  const int32_t *triangles;   // borrowed
  size_t count;
  dvBox *boxes;
  dvBoxTree tree;
} dvRayMesh;

// Indices must be right. False when memory is short.
bool dv_ray_mesh_init(dvRayMesh *m, const double *x, const int32_t *triangles, size_t count);
void dv_ray_mesh_fini(dvRayMesh *m);
// All triangles that the ray meets for t > 0, nearest first, the first of equals first. Borders count: a ray through an
// edge meets both triangles. `scratch` is for the search and may be used again.
void dv_ray_mesh_trace(const dvRayMesh *m, const double origin[3], const double direction[3], dvHits *scratch,
                       dvRayHits *hits);

// Edges of a surface that only one of its faces has, or several in the same direction: 0 when it is closed. The first
// of them is given in `first` (may be NULL). SIZE_MAX when memory is short.
size_t dv_surface_open_edges(const int32_t *triangles, size_t triangle_count, const int32_t *quads, size_t quad_count,
                             int32_t first[2]);

#endif
