// Levels of a sparse grid: the cells of a regular grid that a surface touches or encloses, and coarser grids made of
// them.
//
// Cell (i, j, k) of the whole grid has the number i + (nx - 1) (j + (ny - 1) k). The finest level has the cells that
// the surface touches (boundary), then those it encloses (inside), each in that order; a coarser level goes through its
// cells with z fastest and keeps those that have a child. Points are numbered with z fastest too.
//
// A level may be split: where the fine cells of a coarse one fall into several connected pieces, each piece gets a
// hexahedron of its own, so that branches that only come near each other do not stick together. Points then are shared
// only between connected pieces and are numbered hexahedron by hexahedron.
#ifndef DV_TOPOLOGY_GRID_SPARSE_CELLS_H
#define DV_TOPOLOGY_GRID_SPARSE_CELLS_H

#include "base/array.h"
#include "object/values.h"

typedef enum dvCellType { DV_CELL_OUTSIDE, DV_CELL_INSIDE, DV_CELL_BOUNDARY } dvCellType;

// A surface of polygons; points that belong to none count as well.
typedef struct dvPolygons {
  dvReals points;             // width 3
  DV_ARRAY(int32_t) offset;   // polygon i has the corners offset[i] to offset[i + 1] - 1; one more than polygons
  DV_ARRAY(int32_t) corner;
} dvPolygons;

void dv_polygons_add(dvPolygons *s, const int32_t *corners, size_t count);
void dv_polygons_add_list(dvPolygons *s, const dvInts *list);   // polygons of the list's width
// Lists of any length: their number of corners, then the corners; false when the list ends in the middle of one.
bool dv_polygons_add_facets(dvPolygons *s, const dvInts *list);
// The box around `count` surfaces, and 1 % more to each side.
void dv_polygons_box(const dvPolygons *s, size_t count, double min[3], double max[3]);
void dv_polygons_free(dvPolygons *s);
static inline size_t dv_polygons_count(const dvPolygons *s) { return s->offset.count ? s->offset.count - 1 : 0; }

// Two connected pieces: `low` lies before `high` along the axis.
typedef struct dvPieceLink {
  int32_t high, axis, low;
} dvPieceLink;

typedef struct dvSparseLevel {
  int32_t n[3];   // points along each axis of the whole grid
  double min[3], max[3], step[3];
  DV_ARRAY(int32_t) cell_at;         // number of each cell of the whole grid, -1 where there is none
  DV_ARRAY(int32_t) first_piece;     // of each cell; one more than cells
  DV_ARRAY(int32_t) cell_of;         // number in the whole grid of each hexahedron's cell
  DV_ARRAY(uint8_t) type;            // of each hexahedron
  DV_ARRAY(float) stiffness, mass;   // how full each hexahedron is: 1 inside, 0.5 at the boundary, a mean further up
  dvReals points;
  dvInts hexahedra;
  // pieces are hexahedra: link between them, known at levels that are or can be split
  DV_ARRAY(dvPieceLink) links;
  DV_ARRAY(int32_t) parent;   // of each hexahedron in the coarser level, -1 in the coarsest
  // what a coarse hexahedron is made of: entries child_offset[i] to child_offset[i + 1] - 1
  DV_ARRAY(int32_t) child_offset, child, child_place;   // finer hexahedra, and where: x + 2 y + 4 z
} dvSparseLevel;

void dv_sparse_free(dvSparseLevel *l);
// Sets the size; false when there are more points than can be simulated or an extent is not positive.
bool dv_sparse_lay_out(dvSparseLevel *l, const int32_t n[3], const double min[3], const double max[3]);
size_t dv_sparse_cells(const dvSparseLevel *l);   // of the whole grid
static inline size_t dv_sparse_cell_number(const dvSparseLevel *l, int i, int j, int k)
{
  return (size_t)i + (size_t)(l->n[0] - 1) * ((size_t)j + (size_t)(l->n[1] - 1) * (size_t)k);
}
// Cell that contains a point and the place in it, from 0 to 1 along each axis. False outside of the whole grid.
bool dv_sparse_place(const dvSparseLevel *l, const double p[3], int32_t cell[3], double at[3]);

// Types of all cells of the whole grid from a surface. `outside` gets the number of points that lie outside of the
// grid. False when memory is short.
bool dv_sparse_voxelise(const dvSparseLevel *l, const dvPolygons *s, uint8_t *types, size_t *outside);
// Makes cells, points and hexahedra of the finest level.
bool dv_sparse_fill(dvSparseLevel *l, const uint8_t *types, bool only_inside);
// Makes the next coarser level, with cells twice as wide.
bool dv_sparse_coarsen(dvSparseLevel *coarse, dvSparseLevel *fine);
// Finds which cells of the finest level are connected: all neighbours, or, with a surface, those that share more than
// their boundary: an edge of the surface passes through the face between them. In SOFA an edge also reaches as far
// behind its first point, and the last edge of a polygon does not count.
bool dv_sparse_connect(dvSparseLevel *l, const dvPolygons *s, bool as_sofa);
// Numbers points anew so that only connected hexahedra share them.
bool dv_sparse_split(dvSparseLevel *l);
// Like dv_sparse_coarsen, with a hexahedron for each connected piece. `fine` must have its links.
bool dv_sparse_coarsen_split(dvSparseLevel *coarse, dvSparseLevel *fine);

// Weights of the points of a coarse level at those of the next finer one: fine point = sum of weight x coarse point.
// Rows of at most eight entries: `index` and `weight` have eight places a fine point, -1 where unused. Only for levels
// that are not split.
bool dv_sparse_weights(const dvSparseLevel *coarse, const dvSparseLevel *fine, dvInts *index, dvReals *weight);

// Hexahedron for a point, the one that contains it or else the nearest of the boundary, and the place in it from 0 to 1
// (beyond these outside). -1 when the level has no cells. In sparse_find.c.
int32_t dv_sparse_level_find(const dvSparseLevel *level, const double p[3], double at[3]);
// The same in the first of `count` levels that are split: the last, the finest, says to which piece a point belongs.
int32_t dv_sparse_piece_find(const dvSparseLevel *levels, int count, const double p[3], double at[3]);

#endif
