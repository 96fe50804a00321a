// Writes a mesh in the format that the extension of the file names:
// .obj .vtk .vtu .stl .off .msh .gmsh .mesh (Netgen) .node and .ele (TetGen, both files) .inp (Abaqus) .gidmsh .trian
// .xs3 .sph
#ifndef DV_IO_MESH_WRITE_MESH_H
#define DV_IO_MESH_WRITE_MESH_H

#include "base/text.h"
#include "io/mesh/mesh.h"

// True when dv_mesh_write knows the extension of the path.
bool dv_mesh_can_write(const char *path);
// The list of the extensions, for messages.
const char *dv_mesh_written_formats(void);

// Replaces the file only by a complete one. `lost` (may be NULL) gets the number of elements that the format has no
// place for. DV_ERROR_INPUT and a sentence in `error` (may be NULL) when the format is not known or the file cannot be
// written.
dvStatus dv_mesh_write(const char *path, const dvMesh *mesh, size_t *lost, dvMeshError *error);
// The same in binary STL; .stl files are text otherwise.
dvStatus dv_mesh_write_stl_binary(const char *path, const dvMesh *mesh, dvMeshError *error);
// Writes all of a text or nothing. DV_ERROR_INPUT (errno tells why) when it cannot be written.
dvStatus dv_file_replace(const char *path, const char *bytes, size_t length);

#endif
