// What readers and writers of Gmsh meshes share beside mesh.h.
#ifndef DV_IO_MESH_GMSH_H
#define DV_IO_MESH_GMSH_H

#include "io/mesh/mesh_scan.h"
#include "io/mesh/write_vtk.h"

// A section $NodeData, behind its first word and up to its end; nodes that are not named have NAN. Values that cannot
// be read do no harm to the mesh: they are listed in mesh->unread. False (with the error set) where the section has no
// end.
bool dv_gmsh_read_values(dvMeshScan *s, dvMesh *mesh, bool binary,
                         bool (*look_up)(const void *user, int64_t id, int32_t *out), const void *user);

// Format 4.1, binary, with values at the points. Replaces the file only by a complete one; DV_ERROR_INPUT (errno tells
// why) when it cannot be written.
dvStatus dv_gmsh_write_mesh(const char *path, const dvMesh *mesh, const dvVtuField *fields, size_t field_count);

#endif
