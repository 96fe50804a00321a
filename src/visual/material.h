// How a surface is coloured, from the fields of a visual model.
#ifndef DV_VISUAL_MATERIAL_H
#define DV_VISUAL_MATERIAL_H

#include "visual/visual_model.h"

typedef struct dvShading {
  double ambient[4], diffuse[4], specular[4], emissive[4];
  double shininess;
} dvShading;

extern const dvShading dv_plain_shading;   // where nothing is said

// Reads "name Diffuse 1 r g b a Ambient …"; a part whose number is 0 is switched off. What is not named keeps its
// value.
void dv_material_parse(dvShading *m, const char *text);
dvShading dv_visual_material(const dvVisualModel *v);

#endif
