// Thick slices: an image whose voxels are much longer along one axis shows terraces. Between the middles of two slices
// the outline changes evenly (S. P. Raya, J. K. Udupa, Shape-based interpolation of multidimensional objects, 1990):
// with the distance d from the outline within each slice, positive inside, there is
//
//   inside at t between slices a and b   where   (1 - t) d_a + t d_b > 0
//
// An empty slice beside one that is not has -max d of that: a body ends in a cap half a slice high.
#include "anatomy/mask.h"

#include "base/array.h"

#include <math.h>
#include <string.h>

static const double THICK = 2;   // times as long as the others: then slices are divided

typedef struct Slicer {
  const dvMask *m;
  int axis, u, w;   // across slices, and within them
  size_t stride[3];
  double *inner, *outer, *line;   // squared distances from what is outside and inside; of one line
  int32_t *hull;
  double *crossing;
} Slicer;

static size_t pixels(const Slicer *s) { return (size_t)s->m->n[s->u] * (size_t)s->m->n[s->w]; }

// Squared distances along one line: the least of f[j] + ((i - j) size)^2, by the lower envelope of these parabolas (P.
// F. Felzenszwalb, D. P. Huttenlocher, Distance transforms of sampled functions, 2012)
static void sweep(Slicer *s, double *f, size_t step, int32_t n, double size)
{
  int32_t top = -1;
  for (int32_t i = 0; i < n; i++) s->line[i] = f[(size_t)i * step];
  for (int32_t i = 0; i < n; i++) {
    if (!isfinite(s->line[i])) continue;
    double from = -INFINITY;
    for (; top >= 0; top--) {
      int32_t j = s->hull[top];
      from = ((s->line[i] - s->line[j]) / (size * size) + (double)i * i - (double)j * j) / (2.0 * (i - j));
      if (from > s->crossing[top]) break;
      from = -INFINITY;
    }
    s->hull[++top] = i;
    s->crossing[top] = from;
  }
  for (int32_t i = 0, k = 0; i < n && top >= 0; i++) {
    while (k < top && s->crossing[k + 1] < i) k++;
    double away = (i - s->hull[k]) * size;
    f[(size_t)i * step] = s->line[s->hull[k]] + away * away;
  }
}

static void spread(Slicer *s, double *f)
{
  const dvMask *m = s->m;
  size_t row = (size_t)m->n[s->u];
  for (int32_t y = 0; y < m->n[s->w]; y++) sweep(s, f + (size_t)y * row, 1, m->n[s->u], m->size[s->u]);
  for (int32_t x = 0; x < m->n[s->u]; x++) sweep(s, f + x, row, m->n[s->w], m->size[s->w]);
}

// the distances of one slice into `out`; false when nothing of it is inside
static bool measure(Slicer *s, int32_t slice, double *out)
{
  const dvMask *m = s->m;
  bool any = false;
  size_t p = 0;
  for (int32_t y = 0; y < m->n[s->w]; y++)
    for (int32_t x = 0; x < m->n[s->u]; x++, p++) {
      bool in =
          m->inside[(size_t)slice * s->stride[s->axis] + (size_t)x * s->stride[s->u] + (size_t)y * s->stride[s->w]];
      s->inner[p] = in ? INFINITY : 0;
      s->outer[p] = in ? 0 : INFINITY;
      any |= in;
    }
  if (!any) return false;
  spread(s, s->inner);
  spread(s, s->outer);
  for (p = 0; p < pixels(s); p++) out[p] = sqrt(s->inner[p]) - sqrt(s->outer[p]);
  return true;
}

static void fill_empty(const Slicer *s, const double *beside, double *out)
{
  double most = 0;
  for (size_t p = 0; p < pixels(s); p++) most = fmax(most, beside[p]);
  for (size_t p = 0; p < pixels(s); p++) out[p] = -most;
}

// the thin slices between the middles of two thick ones
static void blend(const Slicer *s, dvMask *out, int32_t slice, int parts, const double *a, const double *b)
{
  size_t stride[3] = {1, (size_t)out->n[0], (size_t)out->n[0] * (size_t)out->n[1]};
  int32_t first = (int32_t)ceil((slice + 0.5) * parts - 0.5), behind = (int32_t)ceil((slice + 1.5) * parts - 0.5);
  for (int32_t z = first; z < behind; z++) {
    double t = (z + 0.5) / parts - (slice + 0.5);
    if (t < 0.75 / parts) t = 0;   // the middle of a slice is as it is: nothing vanishes
    if (t > 1 - 0.75 / parts) t = 1;
    size_t p = 0;
    for (int32_t y = 0; y < out->n[s->w]; y++)
      for (int32_t x = 0; x < out->n[s->u]; x++, p++) {
        if (!((1 - t) * a[p] + t * b[p] > 0)) continue;
        out->inside[(size_t)z * stride[s->axis] + (size_t)x * stride[s->u] + (size_t)y * stride[s->w]] = 1;
        out->count++;
      }
  }
}

static void divide(Slicer *s, dvMask *out, int parts, double *near, double *far)
{
  bool before = measure(s, 0, near);
  for (int32_t slice = 0; slice + 1 < s->m->n[s->axis]; slice++) {
    bool after = measure(s, slice + 1, far);
    if (before && !after) fill_empty(s, near, far);
    if (!before && after) fill_empty(s, far, near);
    if (before || after) blend(s, out, slice, parts, near, far);
    double *swap = near;
    near = far, far = swap;
    before = after;
  }
}

bool dv_mask_divide_slices(const dvMask *m, dvMask *out)
{
  *out = (dvMask){0};
  Slicer s = {.m = m, .stride = {1, (size_t)m->n[0], (size_t)m->n[0] * (size_t)m->n[1]}};
  for (int k = 1; k < 3; k++)
    if (m->size[k] > m->size[s.axis]) s.axis = k;
  s.u = s.axis == 0 ? 1 : 0, s.w = s.axis == 2 ? 1 : 2;
  double others = fmax(m->size[s.u], m->size[s.w]);
  if (!(m->size[s.axis] >= THICK * others)) return false;
  int parts = (int)fmin(ceil(m->size[s.axis] / others - 0.01), 64);
  dvMask made = *m;
  made.n[s.axis] *= parts, made.size[s.axis] /= parts, made.count = 0;
  size_t page = pixels(&s), longest = (size_t)dv_max_int(m->n[s.u], m->n[s.w]);
  double total = (double)dv_mask_voxels(m) * parts;
  made.inside = total <= DV_MASK_LIMIT && made.n[s.axis] > 0 ? dv_try_alloc((size_t)total) : NULL;
  double *work = dv_try_alloc((4 * page + 2 * longest + 1) * sizeof *work);
  s.hull = dv_try_alloc((longest + 1) * sizeof *s.hull);
  bool good = made.inside && work && s.hull;
  if (good) {
    s.inner = work, s.outer = work + page;
    s.line = work + 4 * page, s.crossing = s.line + longest;
    divide(&s, &made, parts, work + 2 * page, work + 3 * page);
  }
  dv_free(work);
  dv_free(s.hull);
  // outlines of neighbours that only touch at corners have nothing between them: better terraces than pieces
  size_t dropped, before = 0, after = 1;
  dvMask same = *m;
  good = good && dv_mask_keep_parts(&same, true, 0, &before, &dropped) &&
         dv_mask_keep_parts(&made, true, 0, &after, &dropped) && before == after;
  if (good) *out = made;
  else dv_free(made.inside);
  return good;
}
