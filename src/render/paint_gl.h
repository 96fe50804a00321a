// Draws a stage with OpenGL ES 3.
#ifndef DV_RENDER_PAINT_GL_H
#define DV_RENDER_PAINT_GL_H

#include "render/gl.h"
#include "render/stage.h"

typedef struct dvGlPainter dvGlPainter;

// NULL where a program does not compile or the picture is too large: `why` (200 bytes) says so. The context is the
// caller's to close, after the painter.
dvGlPainter *dv_gl_painter_create(dvGl *gl, int width, int height, char *why);
void dv_gl_painter_destroy(dvGlPainter **p);
// Red, green, blue of each pixel, rows from top to bottom.
bool dv_gl_painter_draw(dvGlPainter *p, const dvStage *s, unsigned char *rgb, char *why);

#endif
