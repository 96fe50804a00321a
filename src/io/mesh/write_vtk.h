// Results for ParaView: one .vtu file a moment (unstructured grid, inline base64), and a .pvd file
// that lists them with their times.
#ifndef DV_IO_MESH_WRITE_VTK_H
#define DV_IO_MESH_WRITE_VTK_H

#include "io/mesh/mesh.h"

// Elements of one kind: `count` elements with dv_mesh_corners(kind) indices each. Point indices
// are 0-based and below the number of points.
typedef struct dvVtuBlock {
  dvMeshKind kind;
  const int32_t *indices;
  size_t count;
} dvVtuBlock;

// Values at the points, `components` each: 1 is a scalar, 3 a vector.
typedef struct dvVtuField {
  const char *name;
  const double *values;
  int components;
} dvVtuField;

typedef struct dvVtuGrid {
  const double *points;   // 3 a point
  size_t point_count;
  const dvVtuBlock *blocks;   // without any, every point becomes a cell and can be seen
  size_t block_count;
  const dvVtuField *fields;
  size_t field_count;
  const dvVtuField *cell_fields;   // values at the cells, in the order of the blocks
  size_t cell_field_count;
} dvVtuGrid;

// Writes the grid, all or nothing: a file of that name is replaced only by a complete one.
// DV_ERROR_INPUT (errno tells why) when it cannot be written.
dvStatus dv_vtu_write(const char *path, const dvVtuGrid *grid);
// The same for everything in a mesh.
dvStatus dv_vtu_write_mesh(const char *path, const dvMesh *mesh, const dvVtuField *fields, size_t field_count);

// A grid in pieces (.pvtu): the files, beside it, of its pieces, and what their points have; values are not looked at.
dvStatus dv_pvtu_write(const char *path, char *const *pieces, size_t piece_count, const dvVtuField *fields,
                       size_t field_count);

// A series. The .pvd on disk is complete after every call, so an interrupted run loses nothing.
typedef struct dvPvd dvPvd;

// Creates the file with an empty list. NULL (errno tells why) when it cannot be written.
dvPvd *dv_pvd_create(const char *path);
// Lists `file`, a path relative to the .pvd, at `time` seconds.
dvStatus dv_pvd_add(dvPvd *pvd, double time, const char *file);
// Closes and frees; reports a failure of any write so far.
dvStatus dv_pvd_close(dvPvd **pvd);

#endif
