// Pictures and films of a scene without a screen.
//
// OpenGL draws where it can be had (gl.h); else the scene is drawn without it, plainly, and the log says why.
#ifndef DV_RENDER_PICTURE_H
#define DV_RENDER_PICTURE_H

#include "render/stage.h"

enum { DV_PICTURE_LARGEST = 8192 };   // pixels along a side

typedef struct dvPainter dvPainter;

// A painter of pictures of one size. Never NULL; a note in the log tells when OpenGL cannot be had.
dvPainter *dv_painter_create(int width, int height, dvLog *log);
void dv_painter_destroy(dvPainter **p);
const char *dv_painter_renderer(const dvPainter *p);   // what draws, in words
// The scene as it is now: red, green, blue of each pixel, rows from top to bottom; they belong to the painter. NULL
// where memory is short. Of the options width and height are the painter's.
const unsigned char *dv_painter_draw(dvPainter *p, dvScene *scene, const dvStageOptions *options);
const dvStage *dv_painter_stage(const dvPainter *p);   // of the last picture

// A film: pictures one after the other, piped to the program ffmpeg. Where it is missing a series of PNG files is
// written, FILM-00000.png and so on, and the log says so.
typedef struct dvFilm dvFilm;
dvFilm *dv_film_open(const char *path, int width, int height, double rate, dvLog *log);
dvStatus dv_film_add(dvFilm *f, const unsigned char *rgb);
dvStatus dv_film_close(dvFilm **f);   // an error when ffmpeg did not accept it

#endif
