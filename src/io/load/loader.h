// Mesh loaders: what MeshGmshLoader, MeshOBJLoader and MeshLoader share. The mesh is read when one of its values is
// first needed, worked on as a dvMesh, and handed to the fields at the end.
#ifndef DV_IO_LOAD_LOADER_H
#define DV_IO_LOAD_LOADER_H

#include "io/mesh/mesh.h"
#include "object/context.h"
#include "scene/node.h"

#define DV_LOADER_FIELDS(X)                                                                                        \
  X(file, filename, "", "", "mesh file to read", .flags = DV_INPUT)                                                \
  X(vec3s, position, "", "m", "positions of the points", .flags = DV_OUTPUT)                                       \
  X(ints, polylines, "", "", "lines of several points: their number, then the points", .flags = DV_OUTPUT)         \
  X(edges, edges, "", "", "pairs of point indices", .flags = DV_OUTPUT)                                            \
  X(triangles, triangles, "", "", "triples of point indices", .flags = DV_OUTPUT)                                  \
  X(quads, quads, "", "", "quadruples of point indices", .flags = DV_OUTPUT)                                       \
  X(ints, polygons, "", "", "faces of any number of corners: their number, then the points", .flags = DV_OUTPUT)   \
  X(tetrahedra, highOrderEdgePositions, "", "", "empty: second-order elements are read as their corners",          \
    .flags = DV_OUTPUT | DV_HIDDEN)                                                                                \
  X(pyramids, highOrderTrianglePositions, "", "", "empty: second-order elements are read as their corners",        \
    .flags = DV_OUTPUT | DV_HIDDEN)                                                                                \
  X(prisms, highOrderQuadPositions, "", "", "empty: second-order elements are read as their corners",              \
    .flags = DV_OUTPUT | DV_HIDDEN)                                                                                \
  X(tetrahedra, tetrahedra, "", "", "quadruples of point indices", .alias = "tetras", .flags = DV_OUTPUT)          \
  X(hexahedra, hexahedra, "", "", "eight point indices each", .alias = "hexas", .flags = DV_OUTPUT)                \
  X(prisms, prisms, "", "", "six point indices each", .alias = "pentahedra pentas", .flags = DV_OUTPUT)            \
  X(prisms, highOrderTetrahedronPositions, "", "", "empty: second-order elements are read as their corners",       \
    .flags = DV_OUTPUT | DV_HIDDEN)                                                                                \
  X(hexahedra, highOrderHexahedronPositions, "", "", "empty: second-order elements are read as their corners",     \
    .flags = DV_OUTPUT | DV_HIDDEN)                                                                                \
  X(pyramids, pyramids, "", "", "five point indices each", .flags = DV_OUTPUT)                                     \
  X(vec3s, normals, "", "", "a normal for each point: of the file, else of the surface", .flags = DV_OUTPUT)       \
  X(strings, edgesGroups, "", "", "groups of edges, each: name, material, its number, first, how many",            \
    .flags = DV_OUTPUT)                                                                                            \
  X(strings, trianglesGroups, "", "", "groups of triangles, as in edgesGroups", .flags = DV_OUTPUT)                \
  X(strings, quadsGroups, "", "", "groups of quads, as in edgesGroups", .flags = DV_OUTPUT)                        \
  X(strings, polygonsGroups, "", "", "groups of polygons, as in edgesGroups", .flags = DV_OUTPUT)                  \
  X(strings, tetrahedraGroups, "", "", "groups of tetrahedra, as in edgesGroups", .flags = DV_OUTPUT)              \
  X(strings, hexahedraGroups, "", "", "groups of hexahedra, as in edgesGroups", .flags = DV_OUTPUT)                \
  X(strings, prismsGroups, "", "", "groups of prisms, as in edgesGroups", .flags = DV_OUTPUT)                      \
  X(strings, pyramidsGroups, "", "", "groups of pyramids, as in edgesGroups", .flags = DV_OUTPUT)                  \
  X(bool, flipNormals, "0", "", "turn triangles, quads and polygons around", .flags = DV_INPUT | DV_NO_SRC)        \
  X(bool, triangulate, "0", "", "cut quads into triangles", .flags = DV_INPUT | DV_NO_SRC)                         \
  X(bool, createSubelements, "0", "",                                                                              \
    "add faces and edges of elements that the file does not list; on for Gmsh files unless set",                   \
    .flags = DV_INPUT | DV_NO_SRC)                                                                                 \
  X(bool, onlyAttachedPoints, "0", "", "drop points that no element uses", .flags = DV_INPUT | DV_NO_SRC)          \
  X(vec3, translation, "0 0 0", "m", "moves the points, last", .flags = DV_INPUT | DV_NO_SRC)                      \
  X(vec3, rotation, "0 0 0", "degrees", "turns the points about x, then y, then z", .flags = DV_INPUT | DV_NO_SRC) \
  X(vec3, scale3d, "1 1 1", "", "scales the points, first", .flags = DV_INPUT | DV_NO_SRC)                         \
  X(mat4, transformation, "1 0 0 0  0 1 0 0  0 0 1 0  0 0 0 1", "",                                                \
    "matrix for the points, row by row; replaces the three above", .flags = DV_INPUT | DV_NO_SRC)

// lists of faces of different sizes are flat: the number of corners, then as many indices
#define DV_OBJ_FIELDS(X)                                                                                              \
  X(bool, handleSeams, "0", "", "double the points where faces disagree about texture coordinates or normals",        \
    .flags = DV_INPUT)                                                                                                \
  X(bool, loadMaterial, "1", "", "read the material files that the mesh names", .flags = DV_INPUT | DV_LOOKS)         \
  X(string, defaultMaterial, "", "", "the first material in use", .alias = "material", .flags = DV_OUTPUT | DV_LOOKS) \
  X(strings, materials, "", "", "all materials, in SOFA's notation", .flags = DV_OUTPUT | DV_LOOKS)                   \
  X(ints, faceList, "", "", "faces: the number of corners, then the points as the file counts them",                  \
    .flags = DV_OUTPUT)                                                                                               \
  X(ints, texcoordsIndex, "", "", "the same with texture coordinates, -1 for none", .flags = DV_OUTPUT)               \
  X(vec3s, positionsDefinition, "", "m", "points as the file lists them", .flags = DV_OUTPUT)                         \
  X(vec2s, texcoordsDefinition, "", "", "texture coordinates as the file lists them", .flags = DV_OUTPUT)             \
  X(ints, normalsIndex, "", "", "the same as faceList with normals, -1 for none", .flags = DV_OUTPUT)                 \
  X(vec3s, normalsDefinition, "", "", "normals as the file lists them", .flags = DV_OUTPUT)                           \
  X(vec2s, texcoords, "", "", "a texture coordinate for each point", .flags = DV_OUTPUT)                              \
  X(bool, computeMaterialFaces, "0", "",                                                                              \
    "SOFA lists the faces of each material; here trianglesGroups and quadsGroups do")                                 \
  X(ints, vertPosIdx, "", "", "with handleSeams: the file's number of each point", .flags = DV_OUTPUT)                \
  X(ints, vertNormIdx, "", "", "with handleSeams: the same number for points that share a normal", .flags = DV_OUTPUT)

#define DV_STL_FIELDS(X)                                                                                          \
  X(int, headerSize, "80", "bytes", "length of the header of a binary file, with forceBinary", .flags = DV_INPUT) \
  X(bool, forceBinary, "0", "", "take the file as binary whatever its first word is", .flags = DV_INPUT)          \
  X(bool, mergePositionUsingMap, "1", "", "how SOFA merges equal points; here it is always done with a table",    \
    .flags = DV_HIDDEN)

#define DV_TRIAN_FIELDS(X)                                                                                    \
  X(bool, trian2, "0", "", "the file is of the second kind", .flags = DV_INPUT)                               \
  X(triangles, neighborTable, "", "", "for each triangle the triangles opposite to its corners, -1 for none", \
    .flags = DV_OUTPUT)                                                                                       \
  X(edges, edgesOnBorder, "", "", "edges of the border", .flags = DV_OUTPUT)                                  \
  X(ints, trianglesOnBorderList, "", "", "triangles with an edge on the border", .flags = DV_OUTPUT)

#define DV_SEQUENCE_FIELDS(X)                                                                                   \
  X(int, nbOfFiles, "1", "", "number of files; their names differ in the number at the end", .flags = DV_INPUT) \
  X(real, stepDuration, "0.04", "s", "how long each file counts")

#define DV_STRING_FIELDS(X) X(int, resolution, "2", "", "number of points", .flags = DV_INPUT)
#define DV_GRID_FIELDS(X)                                                                                         \
  X(ivec2, resolution2, "2 2", "", "number of points along x and y", .spelling = "resolution", .flags = DV_INPUT) \
  X(int, trianglePattern, "2", "", "0: quads; triangles whose diagonals 1: alternate, 2: go up, 3: go down",      \
    .flags = DV_INPUT)

typedef struct dvLoader {
  dvObject base;
  DV_LOADER_FIELDS(DV_MEMBER)
  DV_OBJ_FIELDS(DV_MEMBER)
  DV_STL_FIELDS(DV_MEMBER)
  DV_TRIAN_FIELDS(DV_MEMBER)
  DV_SEQUENCE_FIELDS(DV_MEMBER)
  DV_STRING_FIELDS(DV_MEMBER)
  DV_GRID_FIELDS(DV_MEMBER)
  int shown;       // file of a sequence, counted from 0
  dvMesh *ready;   // read before init, to know which values the file has; NULL once it has been used
  char *ready_path;
} dvLoader;

// Finds the file that `filename` names, seen from the scene file that names it. NULL after an error, which was
// reported; the caller frees the result.
char *dv_loader_find(dvObject *o, dvString *filename);

// --- meshes without a file, in loader_create.c; errors were reported ---

dvStatus dv_loader_make_string(dvLoader *l, dvMesh *mesh);
dvStatus dv_loader_make_grid(dvLoader *l, dvMesh *mesh);

// --- work on a mesh, in loader_mesh.c; all return false when memory is short ---

// What doubling points at seams yields.
typedef struct dvSeams {
  dvMeshReals texcoords, normals;   // one a point
  dvMeshIndices origin;             // the point each one comes from; empty when nothing was doubled
  dvMeshIndices normal_number;
} dvSeams;
void dv_seams_free(dvSeams *s);

// Makes triangles and quads anew from the faces of an OBJ file, in their order; with `seams` (may be NULL) points are
// doubled. Groups of triangles and quads are made from those of the faces.
bool dv_loader_faces(dvMesh *mesh, bool triangulate, dvSeams *seams);
void dv_loader_triangulate(dvMesh *mesh);
void dv_loader_flip(dvMesh *mesh);
// Adds the faces and edges that are missing, in SOFA's order.
bool dv_loader_subelements(dvMesh *mesh);
// Drops points without elements; `kept` gets the old numbers of those that stay.
bool dv_loader_attached(dvMesh *mesh, dvMeshIndices *kept);
// A normal for each point from the triangles and quads around it. `out` has 3 numbers a point.
void dv_loader_normals(const dvMesh *mesh, double *out);

#endif
