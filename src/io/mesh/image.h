// Pictures: PNG, JPEG, BMP and TGA, read by the library stb_image, and JPEG written by stb_image_write. A build without
// them says so.
#ifndef DV_IO_MESH_IMAGE_H
#define DV_IO_MESH_IMAGE_H

#include "base/base.h"

enum { DV_IMAGE_LIMIT = 16384 };   // pixels along a side

typedef struct dvImage {
  int width, height, channels;   // 1 grey, 2 grey and alpha, 3 colour, 4 colour and alpha
  uint8_t *pixels;               // rows from top to bottom, channels together
} dvImage;

// On failure `out` is empty and `why` (at least 100 bytes, may be NULL) says why. Free with dv_image_free.
dvStatus dv_image_read(const char *path, dvImage *out, char *why);
dvStatus dv_image_decode(const void *bytes, size_t length, dvImage *out, char *why);
// Whether this build reads pictures whose names end like this one's.
bool dv_image_known(const char *path);
// Only the size, without the pixels.
dvStatus dv_image_measure(const char *path, dvImage *out, char *why);
void dv_image_free(dvImage *image);
// Writes a JPEG file.
dvStatus dv_image_write_jpeg(const char *path, const dvImage *image, char *why);

#endif
