// divan run --picture and --video. See film.h.
#include "film.h"

#include "base/text.h"
#include "render/picture.h"
#include "render/png.h"
#include "view/looks.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { USUAL_WIDTH = 1280, USUAL_HEIGHT = 720, FASTEST = 30 };   // pictures a second of a film

struct Camera {
  int width, height;
  const Options *options;
  dvStageOptions stage;
  dvCameraWish wish;
  dvPainter *painter;
  dvFilm *film;
  long every;   // steps from one picture of the film to the next
};

// WIDTHxHEIGHT
static bool read_size(const char *text, int *width, int *height)
{
  int used = 0;
  *width = USUAL_WIDTH, *height = USUAL_HEIGHT;
  if (!text) return true;
  bool good = sscanf(text, "%6dx%6d%n", width, height, &used) == 2 && text[used] == 0;
  return good && *width > 0 && *height > 0 && *width <= DV_PICTURE_LARGEST && *height <= DV_PICTURE_LARGEST;
}

static bool read_groups(const char *text, unsigned *groups)
{
  *groups = 0;
  const char *word;
  for (size_t length; text && *text; text += length + (text[length] == ',')) {
    length = strcspn(text, ",");
    word = text;
    int found = -1;
    for (int g = 0; g < DV_DRAW_GROUPS; g++)
      if (strlen(dv_draw_group_names[g]) == length && strncmp(dv_draw_group_names[g], word, length) == 0) found = g;
    if (found < 0) return false;
    *groups |= 1u << found;
  }
  return true;
}

static bool wrong(const char *option, const char *value, const char *why)
{
  fprintf(stderr, "divan run: error: %s %s: %s\n", option, value, why);
  return false;
}

bool camera_check(const Options *o)
{
  int width, height;
  unsigned groups;
  dvCameraWish wish;
  char why[100];
  if (!read_size(o->size, &width, &height))
    return wrong("--size", o->size, "it is WIDTHxHEIGHT, as 1280x720, at most 8192 each way");
  if (o->camera && !dv_camera_parse(o->camera, &wish, why)) return wrong("--camera", o->camera, why);
  if (!read_groups(o->show, &groups)) {
    fprintf(stderr, "divan run: error: --show %s: it is a list of groups with commas between them, of:", o->show);
    for (int g = 0; g < DV_DRAW_GROUPS; g++) fprintf(stderr, " %s", dv_draw_group_names[g]);
    fprintf(stderr, "\n");
    return false;
  }
  if (!o->picture && !o->video && (o->size || o->camera || o->show || o->dark || o->xray > 0))
    return wrong("--size, --camera, --show, --dark, --xray", "",
                 "they are for --picture and --video, which are not there");
  if (!o->video && o->slow > 0) return wrong("--slow", "", "it is for --video, which is not there");
  return true;
}

Camera *camera_open(const Options *o, dvScene *scene, int *status)
{
  *status = DV_OK;
  if (!o->picture && !o->video) return NULL;
  Camera *c = dv_alloc(sizeof *c);
  char why[100];
  c->options = o;
  read_size(o->size, &c->width, &c->height);
  read_groups(o->show, &c->stage.groups);
  if (o->camera && dv_camera_parse(o->camera, &c->wish, why)) c->stage.camera = &c->wish;
  c->stage.dark = o->dark;
  c->stage.xray = o->xray;
  dv_looks_tell(scene);
  c->painter = dv_painter_create(c->width, c->height, &scene->context->log);
  if (!o->video) {
    c->stage.still = true;
    return c;
  }
  double dt = o->dt > 0 ? o->dt : scene->root->dt;
  if (!(dt > 0)) dt = 0.01;
  double shown = dt * (o->slow > 0 ? o->slow : 1), most = 1 / (FASTEST * shown);   // seconds of the film for a step
  c->every = o->every > 1 ? o->every : (long)fmin(1e9, fmax(1, ceil(most - 1e-9)));
  double rate = fmin(120, fmax(0.1, 1 / (shown * (double)c->every)));
  c->film = dv_film_open(o->video, c->width, c->height, rate, &scene->context->log);
  if (c->film) return c;
  cannot_write(o->video);
  *status = DV_ERROR_INPUT;
  camera_close(&c);
  return NULL;
}

static const unsigned char *take(Camera *c, dvScene *scene)
{
  const unsigned char *rgb = dv_painter_draw(c->painter, scene, &c->stage);
  if (!rgb) fprintf(stderr, "divan run: error: not enough memory for a picture of %d x %d\n", c->width, c->height);
  errno = 0;
  return rgb;
}

dvStatus camera_film(Camera *c, dvScene *scene, long step)
{
  if (!c || !c->film || step % c->every != 0) return DV_OK;
  const unsigned char *rgb = take(c, scene);
  if (!rgb) return DV_ERROR_INPUT;
  if (dv_film_add(c->film, rgb) == DV_OK) return DV_OK;
  cannot_write(c->options->video);
  return DV_ERROR_INPUT;
}

dvStatus camera_picture(Camera *c, dvScene *scene)
{
  if (!c || !c->options->picture) return DV_OK;
  const unsigned char *rgb = take(c, scene);
  if (!rgb) return DV_ERROR_INPUT;
  if (dv_png_write(c->options->picture, rgb, c->width, c->height) == DV_OK) return DV_OK;
  cannot_write(c->options->picture);
  return DV_ERROR_INPUT;
}

dvStatus camera_close(Camera **place)
{
  Camera *c = *place;
  *place = NULL;
  if (!c) return DV_OK;
  dvStatus status = dv_film_close(&c->film);
  if (status != DV_OK)
    fprintf(stderr, "divan run: error: ffmpeg could not write %s (its own message stands above)\n", c->options->video);
  dv_painter_destroy(&c->painter);
  dv_free(c);
  return status;
}
