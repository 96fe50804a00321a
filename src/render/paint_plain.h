// Draws a stage without any library: two lights, no shadows. For machines without OpenGL.
#ifndef DV_RENDER_PAINT_PLAIN_H
#define DV_RENDER_PAINT_PLAIN_H

#include "render/stage.h"

// Red, green, blue of each pixel, rows from top to bottom. False where memory is short.
bool dv_plain_draw(const dvStage *s, int width, int height, unsigned char *rgb);

#endif
