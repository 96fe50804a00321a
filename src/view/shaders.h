// Programs of the scene (OglShader) and what they are given: variables, attributes, pictures, definitions. Part of the
// draw list; glsl.h translates the texts.
//
// A surface is drawn by the last OglShader of its node, or of the nearest node above that has one; with turnOn="0" or
// passive="1" it is drawn plainly. One in the node of a PostProcessManager, or above it, works on the finished picture
// instead; a passive one comes first. A variable belongs to the shaders that its link `shader` names, or to that one.
#ifndef DV_VIEW_SHADERS_H
#define DV_VIEW_SHADERS_H

#include "scene/node.h"

struct dvDraw;

typedef enum dvUniformKind { DV_UNIFORM_FLOAT, DV_UNIFORM_INT, DV_UNIFORM_MATRIX } dvUniformKind;

typedef struct dvDrawUniform {
  const char *name;   // borrowed
  dvUniformKind kind;
  int rows, columns;   // of a matrix; of a vector its length and 1
  bool transpose;
  int array;   // of the draw list
} dvDrawUniform;

typedef struct dvDrawSampler {
  const char *name;   // borrowed
  int texture;        // of the draw list
  bool repeat, smooth, srgb;
  bool cube;
  int sides[6];   // of a cube: textures towards +x -x +y -y +z -z, rows from above
} dvDrawSampler;

typedef struct dvDrawShader {
  dvObject *object;
  char *vertex, *fragment, *geometry;   // for ES; the last one may be NULL. All NULL: it draws nothing, plainly instead
  char *files[3];                       // that they come from, for messages
  DV_ARRAY(dvDrawUniform) uniforms;
  DV_ARRAY(dvDrawUniform) attributes;
  DV_ARRAY(dvDrawSampler) samplers;
} dvDrawShader;

// The shader that draws what stands in a node; NULL for none.
dvObject *dv_shader_of(const dvNode *node);
// Gives all surfaces of the list their shaders; `read`: with texts, values and pictures.
void dv_shaders_add(struct dvDraw *draw, bool read);
void dv_shaders_clear(struct dvDraw *draw);

#endif
