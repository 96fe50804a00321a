// See picture.h.
#include "render/picture.h"

#include "render/paint_gl.h"
#include "render/paint_plain.h"
#include "render/words.h"

#include <math.h>
#include <stdio.h>

struct dvPainter {
  int width, height;
  dvStage stage;
  dvGl *gl;   // NULL: drawn without
  dvGlPainter *painter;
  dvLog *log;
  unsigned char *rgb;
};

static void tell(dvLog *log, const char *format, const char *why)
{
  char *text = dv_format(format, why);
  if (log) dv_log_send(log, &(dvMessage){.level = DV_NOTE, .text = text});
  dv_free(text);
}

static void without_gl(dvPainter *p, const char *why)
{
  tell(p->log, "the picture is drawn without OpenGL, plainly and without shadows: %s", why);
  if (p->painter) dv_gl_painter_destroy(&p->painter);
  dv_gl_close(&p->gl);
}

dvPainter *dv_painter_create(int width, int height, dvLog *log)
{
  char why[200] = "";
  dvPainter *p = dv_alloc(sizeof *p);
  p->width = width, p->height = height, p->log = log;
  p->gl = dv_gl_open(why);
  if (p->gl) {
    p->painter = dv_gl_painter_create(p->gl, width, height, why);
    if (p->painter) dv_gl_leave(p->gl);
  }
  if (!p->painter) without_gl(p, why);
  return p;
}

void dv_painter_destroy(dvPainter **place)
{
  dvPainter *p = *place;
  *place = NULL;
  if (!p) return;
  if (p->gl && dv_gl_take(p->gl)) dv_gl_painter_destroy(&p->painter);
  dv_gl_close(&p->gl);
  dv_stage_free(&p->stage);
  dv_free(p->rgb);
  dv_free(p);
}

const char *dv_painter_renderer(const dvPainter *p) { return p->gl ? p->gl->renderer : "plain"; }
const dvStage *dv_painter_stage(const dvPainter *p) { return &p->stage; }

static bool draw_gl(dvPainter *p)
{
  char why[200] = "";
  if (!p->painter || !dv_gl_take(p->gl)) return false;
  bool good = dv_gl_painter_draw(p->painter, &p->stage, p->rgb, why);
  if (good) dv_gl_leave(p->gl);
  else without_gl(p, why);
  return good;
}

static bool draw_plain(dvPainter *p)
{
  bool good = dv_plain_draw(&p->stage, p->width, p->height, p->rgb);
  for (int i = 0; i < p->stage.inset_count && good; i++) {
    const dvInset *inset = &p->stage.insets[i];
    dvStage inside = p->stage;   // borrows everything
    inside.camera = inset->camera;
    size_t wide = 3 * (size_t)inset->width;
    unsigned char *rgb = dv_try_alloc(wide * (size_t)inset->height);
    good = rgb && dv_plain_draw(&inside, inset->width, inset->height, rgb);
    for (int y = 0; y < inset->height && good; y++) {
      size_t row = (size_t)(p->height - inset->y - inset->height + y);
      memcpy(p->rgb + 3 * (row * (size_t)p->width + (size_t)inset->x), rgb + (size_t)y * wide, wide);
    }
    dv_free(rgb);
  }
  return good;
}

// three digits, thousands as such
static void write_number(char *to, size_t size, double value)
{
  bool large = fabs(value) >= 1000 && fabs(value) < 1e5;
  double unit = large ? pow(10, floor(log10(fabs(value))) - 2) : 1;
  if (large) dv_snprintf(to, size, "%.0f", unit * round(value / unit));
  else dv_snprintf(to, size, "%.3g", value);
}

// one scale of numbers that are shown as colours; `row` counts from the lower left corner upwards
static void draw_legend(dvPainter *p, int row, const char *title, const dvColourMap *map, double low, double high)
{
  const double *back = p->stage.background[1], light = 0.3 * back[0] + 0.6 * back[1] + 0.1 * back[2];
  const double ink[3] = {light > 0.45 ? 0.13 : 0.9, light > 0.45 ? 0.15 : 0.92, light > 0.45 ? 0.19 : 0.94};
  const int wide = p->width / 4 < 160 ? p->width / 4 : 160, letters = 13;
  int top = p->height - 22 - row * 44;
  if (top < 40) return;
  for (int y = top - 10; y < top; y++)
    for (int x = 0; x < wide; x++)
      dv_map_at(map, (double)x / (wide - 1), p->rgb + 3 * ((size_t)y * (size_t)p->width + (size_t)x + 14));
  char from[32], to[32];
  write_number(from, sizeof from, low), write_number(to, sizeof to, high);
  dv_words_draw(p->rgb, p->width, p->height, title, (dvWordsPlace){14, top - 28, letters, ink});
  dv_words_draw(p->rgb, p->width, p->height, from, (dvWordsPlace){14, top + 2, letters, ink});
  dv_words_draw(p->rgb, p->width, p->height, to,
                (dvWordsPlace){14 + wide - dv_words_width(to, letters), top + 2, letters, ink});
}

// those of what is drawn, then those that the scene wants to see beside it
static void draw_legends(dvPainter *p)
{
  const dvShapes *shapes = &p->stage.shapes;
  int row = 0;
  if (p->height <= 60 || p->stage.xray > 0) return;
  for (size_t i = 0; i < shapes->ranges.count; i++) {
    const dvRange *r = &shapes->ranges.data[i];
    const dvObject *map = r->map < shapes->map_count ? shapes->maps[r->map] : NULL;
    dvMapLegend says = map ? dv_map_legend(map) : (dvMapLegend){.title = "", .scale = 1};
    if (!(r->low <= r->high) || says.hidden) continue;
    draw_legend(p, row++, *says.title ? says.title : r->label, &shapes->colours[r->map], says.scale * r->low,
                says.scale * r->high);
  }
  const dvObject *lone[4];
  size_t scales = dv_map_lone(&p->stage.draw, lone, DV_COUNT(lone));
  for (size_t i = 0; i < scales; i++) {
    dvColourMap colours;
    dvMapLegend says = dv_map_legend(lone[i]);
    dv_map_read(lone[i], &colours);
    draw_legend(p, row++, says.title, &colours, says.scale * says.low, says.scale * says.high);
  }
}

const unsigned char *dv_painter_draw(dvPainter *p, dvScene *scene, const dvStageOptions *options)
{
  dvStageOptions o = *options;
  o.width = p->width, o.height = p->height;
  if (!p->rgb) p->rgb = dv_try_alloc(3 * (size_t)p->width * (size_t)p->height);
  if (!p->rgb) return NULL;
  dv_stage_set(&p->stage, scene, &o);
  if (!draw_gl(p) && !draw_plain(p)) return NULL;
  for (int i = 0; i < p->stage.inset_count; i++) dv_stage_frame(&p->stage.insets[i], p->width, p->height, p->rgb);
  dv_stage_bend(&p->stage, p->width, p->height, p->rgb);
  for (size_t i = 0; i < p->stage.labels.count; i++) {
    const dvLabel *l = &p->stage.labels.data[i];
    dv_words_draw(p->rgb, p->width, p->height, l->text, (dvWordsPlace){l->x, l->y, l->size, l->colour});
  }
  draw_legends(p);
  return p->rgb;
}
