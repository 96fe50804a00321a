// Letters on a picture, made of strokes: any size, no font files.
#ifndef DV_RENDER_WORDS_H
#define DV_RENDER_WORDS_H

#include "base/base.h"

typedef struct dvWordsPlace {
  double x, y;            // pixels from the left and the top
  double size;            // height of a line in pixels
  const double *colour;   // red green blue as seen
} dvWordsPlace;

// Writes over red, green, blue of each pixel; lines end with \n. What is no ASCII becomes a box.
void dv_words_draw(unsigned char *rgb, int width, int height, const char *text, dvWordsPlace at);
double dv_words_width(const char *text, double size);   // of the first line, in pixels
// Calls back for each stroke of a line: from and to in heights of a line, from the left end of the base line, y
// upwards.
typedef void (*dvStroke)(void *user, const double from[2], const double to[2]);
void dv_words_strokes(const char *text, dvStroke stroke, void *user);

#endif
