// Second pictures inside the first, and the lens that bends it. See stage.h.
#include "view/looks.h"

#include "render/stage.h"

#include <math.h>

static double at(const json_t *list, size_t i) { return json_number_value(json_array_get(list, i)); }

static void aim(dvInset *inset, const dvStage *s, const json_t *v)
{
  const json_t *p = json_object_get(v, "position"), *q = json_object_get(v, "orientation");
  const double x = at(q, 0), y = at(q, 1), z = at(q, 2), w = at(q, 3);
  dvCamera *c = &inset->camera;
  *c = s->camera;
  c->ortho = false;
  const double rows[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)},
                             {2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)},
                             {2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)}};
  double away = 0;
  for (size_t k = 0; k < 3; k++) {
    c->eye[k] = at(p, k);
    c->right[k] = rows[0][k], c->above[k] = rows[1][k], c->back[k] = rows[2][k];
    double d = c->eye[k] - 0.5 * (s->first_low[k] + s->first_high[k]);
    away += d * d;
  }
  c->distance = fmax(sqrt(away), 1e-6);
  c->far = sqrt(away) + 12 * s->camera.reach;
  c->near = 0.01 * s->camera.reach;
  dv_matrix_look(c->eye, c->right, c->above, c->back, c->view);
  dv_matrix_frustum(tan(json_number_value(json_object_get(v, "fovy")) * M_PI / 360),
                    (double)inset->width / inset->height, c->near, c->far, c->projection);
}

void dv_stage_insets(dvStage *s, const dvScene *scene, int width, int height)
{
  json_t *list = dv_looks_viewports(scene), *lens = dv_looks_lens(scene), *v;
  size_t i;
  s->inset_count = 0;
  s->lens[0] = at(lens, 0), s->lens[1] = at(lens, 1);
  json_array_foreach(list, i, v)
  {
    dvInset *inset = &s->insets[s->inset_count];
    double x = json_number_value(json_object_get(v, "x")), y = json_number_value(json_object_get(v, "y"));
    inset->x = (int)fmin(width, fmax(0, x < 0 ? width + x : x));
    inset->y = (int)fmin(height, fmax(0, y < 0 ? height + y : y));
    inset->width = (int)fmin(width - inset->x, (double)json_integer_value(json_object_get(v, "width")));
    inset->height = (int)fmin(height - inset->y, (double)json_integer_value(json_object_get(v, "height")));
    if (inset->width < 2 || inset->height < 2 || s->inset_count == DV_MOST_INSETS) continue;
    aim(inset, s, v);
    s->inset_count++;
  }
  json_decref(list);
  json_decref(lens);
}

// every pixel from where the lens brings it: (1 + k1 r2 + k2 r4) times as far from the middle, r = 1 at half the height
void dv_stage_bend(const dvStage *s, int width, int height, unsigned char *rgb)
{
  if (s->lens[0] == 0 && s->lens[1] == 0) return;
  size_t bytes = 3 * (size_t)width * (size_t)height;
  unsigned char *from = dv_try_alloc(bytes);
  if (!from) return;
  memcpy(from, rgb, bytes);
  const double half = 0.5 * height;
  for (int j = 0; j < height; j++)
    for (int i = 0; i < width; i++) {
      double x = (i + 0.5 - 0.5 * width) / half, y = (j + 0.5 - half) / half, r = x * x + y * y;
      double f = 1 + s->lens[0] * r + s->lens[1] * r * r;
      double u = x * f * half + 0.5 * width - 0.5, v = y * f * half + half - 0.5;
      unsigned char *out = rgb + 3 * ((size_t)j * (size_t)width + (size_t)i);
      if (u < -0.5 || v < -0.5 || u > width - 0.5 || v > height - 0.5) {
        memset(out, 0, 3);
        continue;
      }
      u = fmin(width - 1.0, fmax(0, u)), v = fmin(height - 1.0, fmax(0, v));
      int a = (int)u, b = (int)v, c = a + 1 < width ? a + 1 : a, d = b + 1 < height ? b + 1 : b;
      for (int k = 0; k < 3; k++) {
#define PIXEL(column, row) from[3 * ((size_t)(row) * (size_t)width + (size_t)(column)) + (size_t)k]
        double top = PIXEL(a, b) + (u - a) * (PIXEL(c, b) - PIXEL(a, b));
        double low = PIXEL(a, d) + (u - a) * (PIXEL(c, d) - PIXEL(a, d));
#undef PIXEL
        out[k] = (unsigned char)lround(top + (v - b) * (low - top));
      }
    }
  dv_free(from);
}

void dv_stage_frame(const dvInset *inset, int width, int height, unsigned char *rgb)
{
  for (int y = 0; y < inset->height; y++)
    for (int x = 0; x < inset->width; x++) {
      if (x > 0 && y > 0 && x < inset->width - 1 && y < inset->height - 1) continue;
      int row = height - 1 - (inset->y + y);
      memset(rgb + 3 * ((size_t)row * (size_t)width + (size_t)(inset->x + x)), 138, 3);
    }
}
