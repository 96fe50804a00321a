// See paint_plain.h. A buffer of depths at twice the size, which is brought down, so that edges are smooth. What lets
// light through is kept with its depth, rows of the picture at a time, and mixed from far to near in each pixel.
#include "render/paint_plain.h"

#include "io/mesh/image.h"

#include <math.h>
#include <stdlib.h>

enum { FINE = 2, BAND = 64, MOST_SPOTS = 1000000 };

typedef struct Spot {   // what lets light through, in a pixel
  float z, colour[3], alpha;
  uint32_t pixel, order;
} Spot;

typedef struct Canvas {
  int width, height;
  float *depth;
  float *colour;   // red green blue, as seen
  const dvStage *stage;
  double camera[16];
  int rows[2];   // that are drawn: first and end
  Spot *spots;   // room for MOST_SPOTS
  size_t spot_count;
  bool full;        // there were more
  uint32_t order;   // of the triangle, line or point
} Canvas;

typedef struct Corner {
  double x, y, z;                   // pixels; depth -1 to 1
  double world[3], normal[3], at;   // at: in the colour map
} Corner;

typedef struct Ink {
  double colour[3], alpha;   // linear where lit
  bool lit, over;
  const dvColourMap *map;   // colours of numbers, or NULL
} Ink;

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static bool project(const Canvas *c, const double p[3], Corner *out)
{
  double h[4];
  for (int i = 0; i < 4; i++)
    h[i] = c->camera[i] * p[0] + c->camera[4 + i] * p[1] + c->camera[8 + i] * p[2] + c->camera[12 + i];
  if (!(h[3] > 1e-12)) return false;
  out->x = (0.5 + 0.5 * h[0] / h[3]) * c->width;
  out->y = (0.5 - 0.5 * h[1] / h[3]) * c->height;
  out->z = h[2] / h[3];
  memcpy(out->world, p, sizeof out->world);
  return fabs(out->x) < 1e6 && fabs(out->y) < 1e6 && out->z > -1 && out->z < 1;
}

static bool is_cut(const dvStage *s, const double p[3])
{
  for (int i = 0; i < s->plane_count; i++)
    if (dot(s->planes[i], p) < s->planes[i][3]) return true;
  return false;
}

// the studio without shadows, as light.glsl has it
static void shade(const Canvas *c, const Ink *ink, const double normal[3], const double world[3], float out[3])
{
  const dvStage *s = c->stage;
  double n[3], v[3], length = sqrt(dot(normal, normal)), away;
  for (int k = 0; k < 3; k++) v[k] = s->camera.ortho ? s->camera.back[k] : s->camera.eye[k] - world[k];
  away = sqrt(dot(v, v));
  for (int k = 0; k < 3; k++) v[k] /= away > 0 ? away : 1, n[k] = length > 0 ? normal[k] / length : v[k];
  double side = dot(n, v) < 0 ? -1 : 1, facing = fabs(dot(n, v));
  double direct = fmax((side * dot(n, s->key) + 0.12) / 1.12, 0), up = 0.5 + 0.5 * side * n[s->camera.up];
  static const double key[3] = {0.96, 0.93, 0.88}, low[3] = {0.235, 0.220, 0.215}, high[3] = {0.45, 0.47, 0.51};
  for (int k = 0; k < 3; k++) {
    double lit = key[k] * direct + low[k] + up * (high[k] - low[k]) + 0.11 * facing;
    out[k] = (float)dv_encoded(fmin(1, ink->colour[k] * lit + 0.03 * (1 - facing)));
  }
}

static void mix(Canvas *c, size_t at, float alpha, const float colour[3])
{
  for (size_t k = 0; k < 3; k++)
    c->colour[3 * at + k] += alpha * (fminf(1, fmaxf(0, colour[k])) - c->colour[3 * at + k]);
}

static int farther(const void *a, const void *b)
{
  const Spot *x = a, *y = b;
  if (x->pixel != y->pixel) return x->pixel < y->pixel ? -1 : 1;
  if (x->z != y->z) return x->z > y->z ? -1 : 1;
  for (int k = 2; k >= 0; k--)   // alike deep: the same whatever stands first in the scene
    if (x->colour[k] != y->colour[k]) return x->colour[k] > y->colour[k] ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

static void mix_spots(Canvas *c)
{
  qsort(c->spots, c->spot_count, sizeof *c->spots, farther);
  for (size_t i = 0; i < c->spot_count; i++) {
    const Spot *s = &c->spots[i];
    bool again = i && s[-1].pixel == s->pixel && s[-1].order == s->order;   // a line comes by more than once
    if (!again) mix(c, s->pixel, s->alpha, s->colour);
  }
  c->spot_count = 0;
}

static void put(Canvas *c, int x, int y, double z, const Ink *ink, const float colour[3])
{
  if (x < 0 || y < c->rows[0] || x >= c->width || y >= c->rows[1]) return;
  size_t at = (size_t)y * (size_t)c->width + (size_t)x;
  if (!ink->over && z >= c->depth[at]) return;
  if (ink->alpha > 0.999) c->depth[at] = (float)z;
  if (ink->alpha > 0.999 || ink->over) {
    mix(c, at, (float)ink->alpha, colour);
    return;
  }
  if (c->spot_count == MOST_SPOTS) {
    c->full = true;
    if (c->rows[1] - c->rows[0] > 1) return;
    mix_spots(c);   // in a single row: deeper than anybody sees
  }
  c->spots[c->spot_count++] =
      (Spot){(float)z, {colour[0], colour[1], colour[2]}, (float)ink->alpha, (uint32_t)at, c->order};
}

static void fill_triangle(Canvas *c, const Corner *a, const Corner *b, const Corner *d, const Ink *ink)
{
  double area = (b->x - a->x) * (d->y - a->y) - (d->x - a->x) * (b->y - a->y);
  if (!(fabs(area) > 1e-9)) return;
  int x0 = (int)fmax(0, floor(fmin(a->x, fmin(b->x, d->x))));
  int y0 = (int)fmax(c->rows[0], floor(fmin(a->y, fmin(b->y, d->y))));
  int x1 = (int)fmin(c->width - 1, ceil(fmax(a->x, fmax(b->x, d->x))));
  int y1 = (int)fmin(c->rows[1] - 1, ceil(fmax(a->y, fmax(b->y, d->y))));
  for (int y = y0; y <= y1; y++)
    for (int x = x0; x <= x1; x++) {
      double px = x + 0.5, py = y + 0.5;
      double u = ((b->x - px) * (d->y - py) - (d->x - px) * (b->y - py)) / area;
      double v = ((d->x - px) * (a->y - py) - (a->x - px) * (d->y - py)) / area, w = 1 - u - v;
      if (u < 0 || v < 0 || w < 0) continue;
      double z = u * a->z + v * b->z + w * d->z, n[3], p[3];
      if (!ink->over && z >= c->depth[(size_t)y * (size_t)c->width + (size_t)x]) continue;
      for (int k = 0; k < 3; k++) {
        n[k] = u * a->normal[k] + v * b->normal[k] + w * d->normal[k];
        p[k] = u * a->world[k] + v * b->world[k] + w * d->world[k];
      }
      if (c->stage->plane_count && is_cut(c->stage, p)) continue;
      Ink here = *ink;
      if (ink->map) {
        unsigned char rgb[3];
        dv_map_at(ink->map, u * a->at + v * b->at + w * d->at, rgb);
        for (int k = 0; k < 3; k++) here.colour[k] = dv_linear(rgb[k] / 255.0);
      }
      float colour[3] = {(float)here.colour[0], (float)here.colour[1], (float)here.colour[2]};
      if (ink->lit) shade(c, &here, n, p, colour);
      put(c, x, y, z, ink, colour);
    }
}

static void draw_line(Canvas *c, const Corner *a, const Corner *b, const Ink *ink)
{
  double length = fmax(fabs(a->x - b->x), fabs(a->y - b->y));
  int steps = (int)fmin(4 * c->width, ceil(length)) + 1;
  const float colour[3] = {(float)ink->colour[0], (float)ink->colour[1], (float)ink->colour[2]};
  for (int i = 0; i <= steps; i++) {
    double t = (double)i / steps, x = a->x + t * (b->x - a->x), y = a->y + t * (b->y - a->y);
    double z = a->z + t * (b->z - a->z) - 1e-4;   // in front of what it lies on
    for (int k = 0; k < FINE * FINE; k++) put(c, (int)x + k % FINE, (int)y + k / FINE, z, ink, colour);
  }
}

static void draw_point(Canvas *c, const Corner *a, const Ink *ink)
{
  const float colour[3] = {(float)ink->colour[0], (float)ink->colour[1], (float)ink->colour[2]};
  const int r = 3 * FINE;
  for (int y = -r; y <= r; y++)
    for (int x = -r; x <= r; x++)
      if (x * x + y * y <= r * r) put(c, (int)a->x + x, (int)a->y + y, a->z - 1e-3, ink, colour);
}

static bool corner_of(const Canvas *c, const dvVertex *v, const dvInstance *copy, Corner *out)
{
  double p[3], n[3];
  for (int k = 0; k < 3; k++) p[k] = v->place[k], n[k] = v->normal[k];
  if (copy) {
    for (int k = 0; k < 3; k++) {
      const float *row = copy->row[k];
      p[k] = row[0] * v->place[0] + row[1] * v->place[1] + row[2] * v->place[2] + row[3];
      n[k] = 0;
      for (int i = 0; i < 3; i++) {   // sizes differ: directions go with their inverse
        double size = sqrt((double)copy->row[0][i] * copy->row[0][i] + (double)copy->row[1][i] * copy->row[1][i] +
                           (double)copy->row[2][i] * copy->row[2][i]);
        n[k] += size > 0 ? row[i] / (size * size) * v->normal[i] : 0;
      }
    }
  }
  memcpy(out->normal, n, sizeof n);
  out->at = v->at[0];
  return project(c, p, out);
}

static void draw_batch(Canvas *c, const dvBatch *b, const dvInstance *copy)
{
  const dvShapes *s = &c->stage->shapes;
  Ink ink = {.alpha = b->colour[3] * (copy ? copy->tint[3] : 1),
             .lit = b->kind == DV_BATCH_SURFACE && !b->over,
             .over = b->over};
  for (int k = 0; k < 3; k++) {
    double tint = copy ? copy->tint[k] : 1;   // of light, or of what is seen
    ink.colour[k] = ink.lit ? dv_linear(b->colour[k]) * tint : b->colour[k] * tint;
  }
  if (b->texture == DV_COLOUR_MAP && b->map < s->map_count) ink.map = &s->colours[b->map];
  static const size_t widths[] = {3, 2, 1};
  const size_t width = widths[b->kind];
  for (size_t i = 0; i + width <= b->count; i += width) {
    Corner corner[3];
    bool seen = true;
    for (size_t k = 0; k < width; k++)
      seen = corner_of(c, &s->vertices.data[s->indices.data[b->first + i + k]], copy, &corner[k]) && seen;
    if (!seen) continue;
    c->order++;
    if (width == 3) fill_triangle(c, &corner[0], &corner[1], &corner[2], &ink);
    else if (width == 2) draw_line(c, &corner[0], &corner[1], &ink);
    else draw_point(c, &corner[0], &ink);
  }
}

static void draw_all(Canvas *c, int pass)
{
  const dvShapes *s = &c->stage->shapes;
  for (size_t i = 0; i < s->batches.count; i++) {
    const dvBatch *b = &s->batches.data[i];
    int own = b->over ? 2 : b->colour[3] < 0.999f ? 1 : 0;
    if (own != pass) continue;
    if (!b->copies) draw_batch(c, b, NULL);
    for (size_t k = 0; k < b->copies; k++) draw_batch(c, b, &s->copies.data[b->first_copy + k]);
  }
}

// rows of the picture, fewer of them where so much is seen through that there is no room for it
static void draw_through(Canvas *c, int first, int end)
{
  c->rows[0] = first, c->rows[1] = end;
  c->spot_count = 0, c->order = 0, c->full = false;
  draw_all(c, 1);
  if (c->full && end - first > 1) {
    int middle = first + (end - first) / 2;
    draw_through(c, first, middle);
    draw_through(c, middle, end);
  } else mix_spots(c);
}

static void bring_down(const Canvas *c, unsigned char *out)
{
  int w = c->width / FINE, h = c->height / FINE;
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      for (int k = 0; k < 3; k++) {
        float sum = 0;
        for (int j = 0; j < FINE * FINE; j++)
          sum += c->colour[3 * ((size_t)(y * FINE + j / FINE) * (size_t)c->width + (size_t)(x * FINE + j % FINE)) +
                           (size_t)k];
        out[3 * (y * w + x) + k] = (unsigned char)lroundf(255 * fminf(1, fmaxf(0, sum / (FINE * FINE))));
      }
}

// the picture behind everything, as render/shaders/background.frag has it
static void draw_backdrop(Canvas *c)
{
  const dvDraw *d = &c->stage->draw;
  dvImage image = {0};
  if (d->backdrop < 0 || dv_image_read(d->textures.data[d->backdrop], &image, NULL) != DV_OK) return;
  double fine = FINE, smaller = fmax(c->width / (fine * image.width), c->height / (fine * image.height));
  double scale = fine * fmin(1, smaller);   // fine pixels that a pixel of the picture takes
  for (int y = 0; y < c->height; y++)
    for (int x = 0; x < c->width; x++) {
      double u = (x + 0.5 - 0.5 * c->width) / scale + 0.5 * image.width,
             v = (y + 0.5 - 0.5 * c->height) / scale + 0.5 * image.height;
      if (!(u >= 0 && u < image.width && v >= 0 && v < image.height)) continue;
      const uint8_t *p = image.pixels + ((size_t)v * (size_t)image.width + (size_t)u) * (size_t)image.channels;
      int last = image.channels - 1;
      float alpha = image.channels % 2 == 0 ? (float)p[last] / 255 : 1;
      float *out = c->colour + 3 * ((size_t)y * (size_t)c->width + (size_t)x);
      for (int k = 0; k < 3; k++) out[k] += alpha * ((float)(image.channels < 3 ? p[0] : p[k]) / 255 - out[k]);
    }
  dv_image_free(&image);
}

bool dv_plain_draw(const dvStage *s, int width, int height, unsigned char *rgb)
{
  Canvas c = {.width = FINE * width, .height = FINE * height, .stage = s};
  size_t pixels = (size_t)c.width * (size_t)c.height;
  c.depth = dv_try_alloc(pixels * sizeof *c.depth);
  c.colour = dv_try_alloc(3 * pixels * sizeof *c.colour);
  c.spots = dv_try_alloc(MOST_SPOTS * sizeof *c.spots);
  bool good = c.depth && c.colour && c.spots;
  dv_matrix_multiply(s->camera.projection, s->camera.view, c.camera);
  for (size_t i = 0; good && i < pixels; i++) {
    double t = (double)(i / (size_t)c.width) / c.height;
    c.depth[i] = 1;
    for (size_t k = 0; k < 3; k++)
      c.colour[3 * i + k] = (float)((1 - t) * s->background[0][k] + t * s->background[1][k]);
  }
  if (good) draw_backdrop(&c);
  for (int pass = 0; good && pass < 3; pass++) {
    c.rows[0] = 0, c.rows[1] = c.height;
    for (int row = 0; pass == 1 && row < c.height; row += BAND)
      draw_through(&c, row, row + BAND < c.height ? row + BAND : c.height);
    if (pass != 1) draw_all(&c, pass);
  }
  if (good) bring_down(&c, rgb);
  dv_free(c.depth);
  dv_free(c.colour);
  dv_free(c.spots);
  return good;
}
