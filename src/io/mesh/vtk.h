// What the readers of both kinds of VTK files share.
#ifndef DV_IO_MESH_VTK_H
#define DV_IO_MESH_VTK_H

#include "io/mesh/mesh_scan.h"

typedef DV_ARRAY(int64_t) dvVtkNumbers;

// Adds a cell of a VTK type (3 line, 5 triangle, 10 tetrahedron, 12 hexahedron …) with `count` points. Cells of second
// order become their corners; strips and polygons become triangles; vertices are passed over; other types are counted
// as skipped. False with an error when the cell has too few points or names one that does not exist.
bool dv_vtk_add_cell(dvMeshScan *s, dvMesh *mesh, int type, const int64_t *points, size_t count);
// Notes that what has been added since the last call comes from cell `cell` of the file.
bool dv_vtk_note_cell(dvMeshScan *s, dvMesh *mesh, size_t cell);
// Drops values that are not as many as there are points or cells, and the notes on cells when they are of no use.
void dv_vtk_finish_values(dvMesh *mesh, size_t cells);
// Hexahedra, quads or edges of a grid with n points along each axis; its points are in the mesh already.
bool dv_vtk_add_grid(dvMeshScan *s, dvMesh *mesh, const int64_t n[3]);
size_t dv_vtk_grid_cells(const int64_t n[3]);
// Points of a regular grid. False with an error when there are too many.
bool dv_vtk_add_grid_points(dvMeshScan *s, dvMesh *mesh, const int64_t n[3], const double origin[3],
                            const double spacing[3]);

#endif
