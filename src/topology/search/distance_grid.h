// Signed distances to a closed surface at the points of a regular grid: negative inside.
//
// Between the points they are interpolated, trilinearly; beyond the grid they are those to the surface point that is
// nearest to its border. Distances are exact at the points (the nearest triangle, found in a tree), so that what is
// interpolated differs by less than half a cell. dv_distance_grid_march is SOFA's way instead: crossings of the grid's
// edges with the surface, and steps along the axes from there.
#ifndef DV_TOPOLOGY_SEARCH_DISTANCE_GRID_H
#define DV_TOPOLOGY_SEARCH_DISTANCE_GRID_H

#include "base/array.h"
#include "base/pool.h"
#include "math/vec.h"

typedef struct dvDistanceGrid {
  int n[3];                        // points along each axis, at least 2
  dvVec3 low, high;                // first and last point
  double cell[3], per_length[3];   // width of a cell, and cells in a unit of length
  dvVec3 inner_low, inner_high;    // bounds of the surface
  bool per_cell;                   // slopes are differences over a cell, not over a length: as SOFA has them
  DV_ARRAY(double) values;         // x fastest
  DV_ARRAY(double) points;         // of the surface, three numbers each
} dvDistanceGrid;

// A surface of triangles.
typedef struct dvDistanceMesh {
  const double *x;
  size_t points;
  const int32_t *triangles;
  size_t count;
} dvDistanceMesh;

// Lays out the grid; the values are not set. False when memory is short. Every n must be at least 2.
DV_CHECK_RESULT bool dv_distance_grid_lay(dvDistanceGrid *g, const int n[3], dvVec3 low, dvVec3 high);
// Takes the points and bounds of the surface; those who compute distances call it.
void dv_distance_grid_take_surface(dvDistanceGrid *g, dvDistanceMesh mesh);
// The distances of a surface, in parallel; the same for any number of threads. False when memory is short.
DV_CHECK_RESULT bool dv_distance_grid_measure(dvDistanceGrid *g, dvPool *pool, dvDistanceMesh mesh);
DV_CHECK_RESULT bool dv_distance_grid_march(dvDistanceGrid *g, dvDistanceMesh mesh);
// Those of a cube of half the side `half` about the origin; its surface gets five points along an edge.
void dv_distance_grid_cube(dvDistanceGrid *g, double half);
void dv_distance_grid_free(dvDistanceGrid *g);

dvVec3 dv_distance_grid_point(const dvDistanceGrid *g, int x, int y, int z);
// The distance at any place, and the direction in which it grows (of length 1 where the field is one of distances).
double dv_distance_at(const dvDistanceGrid *g, dvVec3 p);
dvVec3 dv_distance_slope(const dvDistanceGrid *g, dvVec3 p);
// Inside of the grid, a tenth of a cell from its border; within a margin of the surface's bounds.
bool dv_distance_grid_holds(const dvDistanceGrid *g, dvVec3 p);
bool dv_distance_grid_near(const dvDistanceGrid *g, dvVec3 p, double margin);

#endif
