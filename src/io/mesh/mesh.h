// A mesh as it stands in a file: points, elements of each kind, faces with their own texture and
// normal indices, groups, materials. Plain data; readers fill it, components copy from it.
//
//   dvMesh mesh = {0};
//   dvMeshError error;
//   if (dv_mesh_read("organ.msh", &mesh, &error) != DV_OK) say(error.line, error.text);
//   dv_mesh_free(&mesh);
//
// Indices are 0-based and always inside the list they point into: readers refuse a file that
// says otherwise. Coordinates are finite.
#ifndef DV_IO_MESH_MESH_H
#define DV_IO_MESH_MESH_H

#include "base/array.h"
#include "base/text.h"

typedef enum dvMeshKind {
  DV_MESH_EDGE,
  DV_MESH_TRIANGLE,
  DV_MESH_QUAD,
  DV_MESH_TETRAHEDRON,
  DV_MESH_HEXAHEDRON,
  DV_MESH_PRISM,
  DV_MESH_PYRAMID,
  DV_MESH_KINDS,   // number of kinds with a fixed number of corners
  DV_MESH_POLYLINE = DV_MESH_KINDS,
  DV_MESH_POLYGON,
  DV_MESH_FACET,   // a face of an OBJ file, of any number of corners
} dvMeshKind;

typedef DV_ARRAY(double) dvMeshReals;
typedef DV_ARRAY(int32_t) dvMeshIndices;

// Lists of different lengths: list i is index[offset[i]] .. index[offset[i + 1] - 1]. Without any
// list both arrays are empty, otherwise there is one offset more than lists.
typedef struct dvMeshLists {
  dvMeshIndices offset, index;
} dvMeshLists;

// Faces of three and more corners of an OBJ file, in the order of the file and laid out like
// dvMeshLists. A corner without texture coordinate or normal has -1 there.
typedef struct dvMeshFacets {
  dvMeshIndices offset, position, texcoord, normal;
} dvMeshFacets;

// A run of elements of one kind. Runs follow each other in the order of the file; elements
// `first` to `first + count - 1` belong to it.
typedef struct dvMeshGroup {
  char *name;       // never NULL, may be ""
  char *material;   // name of a material, "" without
  dvMeshKind kind;
  int tag;   // Gmsh: number of the elementary entity, -1 when the file gives none. OBJ: -1
  int32_t first, count;
} dvMeshGroup;

// Bits of dvMaterial.given.
enum {
  DV_MATERIAL_AMBIENT = 1,
  DV_MATERIAL_DIFFUSE = 2,
  DV_MATERIAL_SPECULAR = 4,
  DV_MATERIAL_EMISSIVE = 8,
  DV_MATERIAL_SHININESS = 16,
  DV_MATERIAL_ALPHA = 32,
  DV_MATERIAL_TEXTURE = 64,
  DV_MATERIAL_BUMP = 128,
};

typedef struct dvMaterial {
  char *name;
  double ambient[4], diffuse[4], specular[4], emissive[4];   // red green blue alpha
  double shininess;
  char *texture, *bump;   // file names as written, NULL when not given
  unsigned given;         // which of these the file states; the others have SOFA's defaults
} dvMaterial;

// Numbers that a file gives for its points or cells, `width` for each.
typedef struct dvMeshValues {
  char *name;
  bool of_cells;   // in the order of the file's cells, which may be of several kinds; else of points
  bool whole;      // the file has them as integers
  int width;
  dvMeshReals values;   // may hold numbers that are not finite
} dvMeshValues;

typedef struct dvMesh {
  dvMeshReals positions;   // 3 a point
  dvMeshIndices edges, triangles, quads, tetrahedra, hexahedra, prisms, pyramids;
  dvMeshLists polylines, polygons;
  dvMeshReals normals;     // 3 each, as listed in the file
  dvMeshReals texcoords;   // 2 each, as listed in the file
  dvMeshFacets facets;
  dvMeshReals radii;          // of spheres, one a point
  dvMeshIndices neighbours;   // 3 a triangle in .trian files: the triangles opposite to its corners, -1 for none
  DV_ARRAY(dvMeshGroup) groups;
  DV_ARRAY(dvMeshValues) values;
  dvMeshIndices cell_of[DV_MESH_KINDS];   // with values of cells: the cell that each element comes from
  DV_ARRAY(dvMaterial) materials;
  DV_ARRAY(char *) libraries;   // material files an OBJ file names
  DV_ARRAY(char *) unread;      // those, and values of VTK files, that could not be read, each with the reason
  size_t skipped;               // elements of a type that is not read
} dvMesh;

typedef struct dvMeshError {
  int line;   // 1-based, 0 when the error is not in a line
  char text[200];
} dvMeshError;

void dv_mesh_free(dvMesh *mesh);
// The number of the material of that name, -1 for none; of the first one that a group uses.
int dv_mesh_material(const dvMesh *mesh, const char *name);
int dv_mesh_first_material(const dvMesh *mesh);
// In SOFA's notation: name Diffuse 1 r g b a Ambient 1 r g b a … Shininess 1 45
void dv_material_print(dvText *out, const dvMaterial *material);
size_t dv_mesh_point_count(const dvMesh *mesh);
// The flat index list of a kind below DV_MESH_KINDS, and its number of corners an element.
dvMeshIndices *dv_mesh_elements(dvMesh *mesh, dvMeshKind kind);
int dv_mesh_corners(dvMeshKind kind);
size_t dv_mesh_lists_count(const dvMeshIndices *offset);

// How to read a file that does not tell itself; zeros are the defaults.
typedef struct dvMeshOptions {
  bool stl_binary;     // an STL file is binary whatever its first word says
  size_t stl_header;   // ... and has a header of so many bytes
  bool trian2;         // a .trian file of the second kind
} dvMeshOptions;

// Reads a mesh file of any known format: recognised by content, then by extension; compressed with gzip or not.
// Material files that an OBJ file names are looked for beside it; those that cannot be read are listed in `unread`,
// which is not a failure. On failure `out` is empty and `error` (may be NULL) says why. `out` is overwritten, not
// freed: it must be empty or uninitialised. `options` may be NULL.
dvStatus dv_mesh_read(const char *path, dvMesh *out, dvMeshError *error);
dvStatus dv_mesh_read_with(const char *path, const dvMeshOptions *options, dvMesh *out, dvMeshError *error);
// True when the extension of the path is that of a mesh file.
bool dv_mesh_can_read(const char *path);
// The text that a gzip file holds, with a 0 behind it; NULL when it is damaged or would grow beyond all measure. The
// caller frees it.
char *dv_mesh_unpack(const char *bytes, size_t length, size_t *unpacked);

// The same from bytes in memory, one function a format.
dvStatus dv_mesh_read_gmsh(const char *bytes, size_t length, dvMesh *out, dvMeshError *error);
dvStatus dv_mesh_read_obj(const char *bytes, size_t length, dvMesh *out, dvMeshError *error);
dvStatus dv_mesh_read_sph(const char *bytes, size_t length, dvMesh *out, dvMeshError *error);
dvStatus dv_mesh_read_vtk(const char *bytes, size_t length, dvMesh *out, dvMeshError *error);
dvStatus dv_mesh_read_vtk_xml(const char *bytes, size_t length, dvMesh *out, dvMeshError *error);
dvStatus dv_mesh_read_stl(const char *bytes, size_t length, dvMesh *out, dvMeshError *error);
dvStatus dv_mesh_read_stl_binary(const char *bytes, size_t length, size_t header, dvMesh *out, dvMeshError *error);
dvStatus dv_mesh_read_off(const char *bytes, size_t length, dvMesh *out, dvMeshError *error);
dvStatus dv_mesh_read_trian(const char *bytes, size_t length, dvMesh *out, dvMeshError *error);
dvStatus dv_mesh_read_trian2(const char *bytes, size_t length, dvMesh *out, dvMeshError *error);
dvStatus dv_mesh_read_xsp(const char *bytes, size_t length, dvMesh *out, dvMeshError *error);
dvStatus dv_mesh_read_gid(const char *bytes, size_t length, dvMesh *out, dvMeshError *error);
dvStatus dv_mesh_read_abaqus(const char *bytes, size_t length, dvMesh *out, dvMeshError *error);
dvStatus dv_mesh_read_netgen(const char *bytes, size_t length, dvMesh *out, dvMeshError *error);
// `elements` may be NULL: then there are only points.
dvStatus dv_mesh_read_tetgen(const char *nodes, size_t nodes_length, const char *elements, size_t elements_length,
                             dvMesh *out, dvMeshError *error);
// Appends the materials of an MTL file to `mesh`; on failure `mesh` is as before.
dvStatus dv_mesh_read_mtl(const char *bytes, size_t length, dvMesh *mesh, dvMeshError *error);

// Adds a list of values; on failure (memory) NULL. The name is copied.
dvMeshValues *dv_mesh_add_values(dvMesh *mesh, const char *name, size_t length, bool of_cells, int width);

// True when each element knows the cell it comes from, so that values of cells can be told.
bool dv_mesh_knows_cells(const dvMesh *mesh);

// One normal a point from the facets: the listed normals of its corners summed up and normalised,
// as SOFA does. `out` has 3 numbers a point; a point without normals gets zeros.
void dv_mesh_point_normals(const dvMesh *mesh, double *out);
// One texture coordinate a point from the facets. Where corners disagree, the one with the
// greatest v - u wins, as in SOFA. `out` has 2 numbers a point.
void dv_mesh_point_texcoords(const dvMesh *mesh, double *out);

#endif
