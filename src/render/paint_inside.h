// What the files of the OpenGL painter share.
#ifndef DV_RENDER_PAINT_INSIDE_H
#define DV_RENDER_PAINT_INSIDE_H

#include "render/paint_gl.h"

enum { SHADOW_SIZE = 2048, SAMPLES = 4 };
typedef enum Program {
  SURFACE,
  PLAIN,
  DEPTH,
  GROUND,
  XRAY,
  FOG,
  LIQUID_DEPTH,
  LAYER,
  OCCLUSION,
  BLUR,
  BACKGROUND,
  FILM,
  FOGGED,
  DEPTHS,
  LIQUID_SMOOTH,
  LIQUID,
  PROGRAMS
} Program;

struct dvGlPainter {
  dvGl *gl;
  int width, height;
  int view[4];   // part of the picture that is drawn: x, y, width, height
  GLuint programs[PROGRAMS];
  GLuint vertices, elements, copies, sorted, array, empty;   // buffers, and arrays of attributes
  GLuint shadow, depth, raw, occlusion;                      // textures
  GLuint shadow_target, depth_target, raw_target, occlusion_target, main_target, last_target;
  GLuint main_colour, main_depth, last_colour;   // renderbuffers
  GLuint white, map;                             // textures
  DV_ARRAY(GLuint) pictures;                     // of the draw list
  DV_ARRAY(GLuint) samplers;                     // pictures of all its shaders, one after the other
  DV_ARRAY(GLuint) shaders;                      // programs of the scene, 0 where one does not compile
  unsigned revision;                             // of that list
  double shadow_matrix[DV_MOST_SHADOWS][16];
  float shadow_wide[DV_MOST_SHADOWS][4];
  int shadows;
};

// --- paint_make.c ---
GLuint dv_paint_image(const dvGl *gl, const unsigned char *rgba, int width, int height, bool repeat);

void dv_paint_pictures(dvGlPainter *p, const dvStage *s);   // those of the draw list, once

// --- paint_draw.c: uniforms, buffers, batches ---
GLint dv_paint_place(const dvGlPainter *p, Program which, const char *name);
void dv_paint_vector(const dvGlPainter *p, Program which, const char *name, const double v[3]);
void dv_paint_matrix(const dvGlPainter *p, Program which, const char *name, const double m[16]);
void dv_paint_number(const dvGlPainter *p, Program which, const char *name, double v);
void dv_paint_integer(const dvGlPainter *p, Program which, const char *name, int v);
void dv_paint_bind(const dvGlPainter *p, int unit, GLuint texture);
// Takes up a program with the camera and the planes that cut.
void dv_paint_use(const dvGlPainter *p, Program which, const dvStage *s, const double camera[16]);
void dv_paint_lights(const dvGlPainter *p, Program which, const dvStage *s);
void dv_paint_upload(const dvGlPainter *p, const dvStage *s);
void dv_paint_copies(const dvGlPainter *p, size_t first, size_t copies);   // 0: once, where it is
void dv_paint_batch(const dvGlPainter *p, const dvBatch *b);
void dv_paint_look(const dvGlPainter *p, const dvBatch *b);
bool dv_paint_solid(const dvBatch *b);   // a surface that hides what is behind it

// --- paint_shader.c: programs of the scene ---
void dv_paint_shaders(dvGlPainter *p, const dvStage *s);   // compiles them, once a draw list
void dv_paint_forget_shaders(dvGlPainter *p);
bool dv_paint_shaded(const dvGlPainter *p, const dvBatch *b);   // one of them draws it
void dv_paint_with_shaders(const dvGlPainter *p, const dvStage *s);
typedef struct dvPost {   // what a program that works on the finished picture reads
  GLuint colour, depth;   // textures
  int width, height;
} dvPost;
void dv_paint_over(const dvGlPainter *p, const dvStage *s, int shader, const dvPost *post);   // the whole view

// --- paint_post.c ---
void dv_paint_post(const dvGlPainter *p, const dvStage *s);   // PostProcessManager

// --- paint_gl.c ---
void dv_paint_square(const dvGlPainter *p);   // over the whole view
void dv_paint_view(const dvGlPainter *p);

// --- paint_fog.c ---
void dv_paint_fog(const dvGlPainter *p, const dvStage *s, const double camera[16]);

// --- paint_liquid.c ---
bool dv_paint_liquid_batch(const dvBatch *b);
void dv_paint_liquid(const dvGlPainter *p, const dvStage *s, const double camera[16]);

// --- paint_through.c ---
void dv_paint_through(const dvGlPainter *p, const dvStage *s, const double camera[16]);

#endif
