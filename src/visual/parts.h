// Parts of a surface that look different: the groups of faces of an OBJ file, with their materials.
#ifndef DV_VISUAL_PARTS_H
#define DV_VISUAL_PARTS_H

#include "object/object.h"
#include "visual/split.h"

typedef struct dvVisualPart {
  char *material;   // in SOFA's notation
  char *texture;    // file, NULL for none
} dvVisualPart;

typedef struct dvVisualParts {
  DV_ARRAY(dvVisualPart) list;
  dvInts of_face;   // of each triangle, then of each quad: its number in the list, -1 for the look of the model; empty
                    // when all look the same
} dvVisualParts;

// From a mesh that was read from `path`, whose faces `split` has taken.
void dv_visual_parts_of_mesh(dvVisualParts *p, const dvMesh *mesh, const dvSplit *split, const char *path);
// From the groups that a loader gives for so many triangles and quads. Loaders tell no pictures.
void dv_visual_parts_of_loader(dvVisualParts *p, const dvObject *loader, size_t triangles, size_t quads);
// The picture that a material of a mesh file names, NULL when it is not there. The caller frees it.
char *dv_material_picture(const dvMaterial *m, const char *path);
void dv_visual_parts_free(dvVisualParts *p);

#endif
