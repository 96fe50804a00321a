// Rows of the V-cycle and of the product. See multigrid.h.
//
// A sweep takes every other row, then the rest: rows of one phase do not touch each other. In a row it changes every
// other cell, by a mask, then the rest: neighbours of such a cell stay, so that the order within a row does not matter.
#include "fluid/cells/multigrid.h"

// the row's first inner cell and how many there are; false on borders
static inline bool inner_row(const dvMgLevel *l, size_t row, size_t *at, int *j, int *k)
{
  *j = (int)(row % (size_t)l->n[1]), *k = (int)(row / (size_t)l->n[1]);
  if (*j == 0 || *j == l->n[1] - 1 || (l->axes == 3 && (*k == 0 || *k == l->n[2] - 1))) return false;
  *at = row * (size_t)l->n[0] + 1;
  return true;
}

// What a row has from outside of itself, then every other cell into a copy of the row, then the rest back: nothing is
// read that was just written, which would wait for it.
static void mg_smooth(const dvMgLevel *l, const float *mask, int phase, bool back, size_t begin, size_t end)
{
  size_t sy = l->stride[1], sz = l->stride[2], at;
  size_t n = (size_t)l->n[0] - 2;
  const float *first = mask + (back ? 1 : 0), *second = mask + (back ? 0 : 1);
  float outside[DV_MG_WIDEST], room[DV_MG_WIDEST + 2], *mid = room + 1;
  int j, k;
  for (size_t row = begin; row < end; row++) {
    if (!inner_row(l, row, &at, &j, &k) || ((j + k) & 1) != phase) continue;
    const float *b = l->b + at, *inverse = l->inverse + at, *cx = l->c[0] + at, *cxh = cx + 1, *cy = l->c[1] + at,
                *cz = l->c[2] + at;
    float *x = l->x + at;
    const float *xl = x - 1, *xh = x + 1, *yl = x - sy, *yh = x + sy, *zl = x - sz, *zh = x + sz, *cyh = cy + sy,
                *czh = cz + sz;
    room[0] = room[n + 1] = 0;   // borders have no coefficients, and no values
    for (size_t i = 0; i < n; i++) {
      float s = b[i] + cy[i] * yl[i] + cyh[i] * yh[i] + cz[i] * zl[i] + czh[i] * zh[i];
      outside[i] = s;
      mid[i] = x[i] + first[i] * ((s + cx[i] * xl[i] + cxh[i] * xh[i]) * inverse[i] - x[i]);
    }
    for (size_t i = 0; i < n; i++)
      x[i] = mid[i] + second[i] * ((outside[i] + cx[i] * room[i] + cxh[i] * room[i + 2]) * inverse[i] - mid[i]);
  }
}

static void mg_residual(const dvMgLevel *l, size_t begin, size_t end)
{
  size_t sy = l->stride[1], sz = l->stride[2], at;
  size_t n = (size_t)l->n[0] - 2;
  int j, k;
  for (size_t row = begin; row < end; row++) {
    if (!inner_row(l, row, &at, &j, &k)) continue;
    const float *b = l->b + at, *diag = l->diag + at, *cx = l->c[0] + at, *cy = l->c[1] + at, *cz = l->c[2] + at;
    const float *x = l->x + at, *xl = x - 1, *yl = x - sy, *yh = x + sy, *zl = x - sz, *zh = x + sz, *cyh = cy + sy,
                *czh = cz + sz;
    float *restrict r = l->r + at;
    for (size_t i = 0; i < n; i++)
      r[i] = b[i] + cx[i] * xl[i] + cx[i + 1] * x[i + 1] + cy[i] * yl[i] + cyh[i] * yh[i] + cz[i] * zl[i] +
             czh[i] * zh[i] - diag[i] * x[i];
  }
}

// The eight (four) fine cells of a coarse one begin at twice its place less one.
static inline size_t child(const dvMgLevel *f, int i, int j, int k)
{
  size_t z = f->axes == 3 ? (size_t)(2 * k - 1) : 0;
  return (size_t)(2 * i - 1) + (size_t)f->n[0] * ((size_t)(2 * j - 1) + (size_t)f->n[1] * z);
}

// b of the coarse cell: its own children with what their neighbours do not take, and the children of neighbours that
// lie at it, a quarter of each.
static void mg_up(const dvMgLevel *f, const dvMgLevel *c, size_t begin, size_t end)
{
  size_t at;
  int j, k, depth = f->axes == 3 ? 2 : 1;
  for (size_t row = begin; row < end; row++) {
    if (!inner_row(c, row, &at, &j, &k)) continue;
    for (int i = 1; i < c->n[0] - 1; i++, at++) {
      unsigned links = c->links[at];
      float sum = 0;
      c->x[at] = 0;
      if (!(links & 64)) {
        c->b[at] = 0;
        continue;
      }
      const float *r = f->r + child(f, i, j, k);
      float keep[3][2];
      for (int d = 0; d < 3; d++)
        for (int s = 0; s < 2; s++) keep[d][s] = d < f->axes && links >> (2 * d + s) & 1 ? 0.25f : 0;
      for (int z = 0; z < depth; z++)
        for (int y = 0; y < 2; y++)
          for (int x = 0; x < 2; x++)
            sum += (1 - keep[0][x] - keep[1][y] - keep[2][z]) *
                   r[(size_t)x + (size_t)y * f->stride[1] + (size_t)z * f->stride[2]];
      for (int d = 0; d < f->axes; d++)
        for (int s = 0; s < 2; s++) {
          if (!(links >> (2 * d + s) & 1)) continue;
          const float *o = s ? r + 2 * f->stride[d] : r - f->stride[d];
          size_t a = f->stride[(d + 1) % 3], b = f->stride[(d + 2) % 3];
          if (f->axes == 2) a = f->stride[1 - d], b = 0;
          sum += 0.25f * (o[0] + o[a]);
          if (b) sum += 0.25f * (o[b] + o[a + b]);
        }
      c->b[at] = sum;
    }
  }
}

static void mg_down(const dvMgLevel *f, const dvMgLevel *c, size_t begin, size_t end)
{
  size_t at;
  int j, k;
  for (size_t row = begin; row < end; row++) {
    if (!inner_row(f, row, &at, &j, &k)) continue;
    int cj = (j + 1) / 2, ck = f->axes == 3 ? (k + 1) / 2 : 0, sy = (j + 1) % 2, sz = (k + 1) % 2;
    size_t parent_row = (size_t)c->n[0] * ((size_t)cj + (size_t)c->n[1] * (size_t)ck);
    ptrdiff_t dy = sy ? (ptrdiff_t)c->stride[1] : -(ptrdiff_t)c->stride[1];
    ptrdiff_t dz = sz ? (ptrdiff_t)c->stride[2] : -(ptrdiff_t)c->stride[2];
    for (int i = 1; i < f->n[0] - 1; i++, at++) {
      size_t p = parent_row + (size_t)((i + 1) / 2);
      unsigned links = c->links[p];
      int sx = (i + 1) % 2;
      const float *x = c->x + p;
      float sum = x[0];
      if (links >> sx & 1) sum += 0.25f * (x[sx ? 1 : -1] - x[0]);
      if (links >> (2 + sy) & 1) sum += 0.25f * (x[dy] - x[0]);
      if (f->axes == 3 && links >> (4 + sz) & 1) sum += 0.25f * (x[dz] - x[0]);
      if (f->links[at] & 64) f->x[at] += sum;
    }
  }
}

static void mg_product(const dvMgLevel *l, const double *from, double *to, size_t begin, size_t end)
{
  size_t sy = l->stride[1], sz = l->stride[2], at;
  size_t n = (size_t)l->n[0] - 2;
  int j, k;
  for (size_t row = begin; row < end; row++) {
    if (!inner_row(l, row, &at, &j, &k)) continue;
    const float *cx = l->c[0] + at, *cy = l->c[1] + at, *cz = l->c[2] + at, *e = l->e + at;
    const float *cyh = cy + sy, *czh = cz + sz;
    const double *x = from + at, *xl = x - 1, *yl = x - sy, *yh = x + sy, *zl = x - sz, *zh = x + sz;
    double *restrict y = to + at;
    for (size_t i = 0; i < n; i++) {
      double v = x[i];
      y[i] = (double)cx[i] * (v - xl[i]) + (double)cx[i + 1] * (v - x[i + 1]) + (double)cy[i] * (v - yl[i]) +
             (double)cyh[i] * (v - yh[i]) + (double)cz[i] * (v - zl[i]) + (double)czh[i] * (v - zh[i]) +
             (double)e[i] * v;
    }
  }
}

const dvMgKernels DV_KERNEL_NAME(dv_mg_kernels) = {
    .smooth = mg_smooth, .residual = mg_residual, .up = mg_up, .down = mg_down, .product = mg_product};
