// From the faces of a file to vertices that can be drawn.
//
// A corner of an OBJ face names a position, a texture coordinate and a normal. Where one position occurs with several
// of the others (a texture seam, a sharp edge), a vertex is made for each combination; simulation moves the positions,
// and vertices follow.
#ifndef DV_VISUAL_SPLIT_H
#define DV_VISUAL_SPLIT_H

#include "io/mesh/mesh.h"
#include "object/values.h"

typedef struct dvSplit {
  bool split;                                // some position has several vertices, or none
  dvInts position;                           // of each vertex; empty when vertices and positions are the same
  dvInts normal;                             // vertices of the same number share a normal; empty when each has its own
  dvReals texcoords;                         // two numbers a vertex
  dvReals normals;                           // three numbers a vertex, zeros where the file has none
  dvInts triangles, quads;                   // vertex indices
  dvInts triangle_material, quad_material;   // number of the material of each, -1 for none
} dvSplit;

// `use_normals`: different normals make different vertices. Free the result with dv_split_free.
void dv_split_mesh(const dvMesh *mesh, bool use_normals, dvSplit *out);
void dv_split_free(dvSplit *s);

#endif
