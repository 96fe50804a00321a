// Writes pictures as PNG.
#ifndef DV_RENDER_PNG_H
#define DV_RENDER_PNG_H

#include "base/text.h"

// Red, green, blue of each pixel, rows from top to bottom; appended to `out`. False where memory is short.
bool dv_png_encode(dvText *out, const unsigned char *rgb, int width, int height);
dvStatus dv_png_write(const char *path, const unsigned char *rgb, int width, int height);   // errno tells why not

#endif
