// See bezier.h. A curve of degree n becomes one of degree n + 1 by Q_i = i/(n+1) P_(i-1) + (1 - i/(n+1)) P_i on
// homogeneous coordinates. The one point inside of a cubic triangle is that which reproduces quadratic surfaces: a
// quarter of the sum of the six points on the edges less a sixth of the sum of the corners (G. Farin, "Triangular
// Bernstein-Bézier patches", 1986).
#include "engine/generate/bezier.h"

#include "engine/engine.h"
#include "topology/derive.h"
#include "topology/search/tuple_set.h"

#include <string.h>

typedef struct Maker {
  const dvBezier *b;
  dvReals *x, *weights;
  dvTupleSet edges, triangles;
  size_t first;   // number of the first point on an edge
} Maker;

static bool add_point(Maker *m, const double h[4])
{
  double p[3] = {h[0] / h[3], h[1] / h[3], h[2] / h[3]};
  return dv_engine_add_reals(m->x, p, 3) && dv_engine_add_reals(m->weights, &h[3], 1);
}

static bool add_edge(Maker *m, int32_t a, int32_t b)
{
  double p[DV_BEZIER_LIMIT + 1][4], polygon[4][4];
  int d = m->b->degree, n = m->b->edge(m->b->user, m->x->data, a, b, polygon);
  memcpy(p, polygon, (size_t)(n + 1) * sizeof *p);
  for (; n < d; n++)
    for (int i = n + 1; i >= 0; i--)
      for (int k = 0; k < 4; k++) {
        double s = (double)i / (n + 1), before = i > 0 ? p[i - 1][k] : 0, here = i <= n ? p[i][k] : 0;
        p[i][k] = s * before + (1 - s) * here;
      }
  bool good = true;
  for (int i = 1; i < d && good; i++) good = add_point(m, p[i]);
  return good;
}

static void homogeneous(const Maker *m, size_t point, double factor, double h[4])
{
  double w = factor * m->weights->data[point];
  for (size_t k = 0; k < 3; k++) h[k] += w * m->x->data[3 * point + k];
  h[3] += w;
}

// a blend of corners by whole parts of the degree
static bool add_blend(Maker *m, const int32_t *corners, const int *parts, int count)
{
  double h[4] = {0};
  for (int i = 0; i < count; i++) homogeneous(m, (size_t)corners[i], (double)parts[i] / m->b->degree, h);
  return add_point(m, h);
}

static bool add_triangle(Maker *m, const int32_t t[3])
{
  int d = m->b->degree;
  bool good = true;
  if (d == 3) {
    double h[4] = {0};
    for (int k = 0; k < 3; k++) {
      int32_t a = t[k], b = t[(k + 1) % 3], key[2] = {a < b ? a : b, a < b ? b : a};
      size_t at = m->first + 2 * (size_t)dv_tuple_set_find(&m->edges, key);
      homogeneous(m, at, 0.25, h);
      homogeneous(m, at + 1, 0.25, h);
      homogeneous(m, (size_t)a, -1.0 / 6, h);
    }
    return add_point(m, h);
  }
  for (int i = 1; i < d - 1 && good; i++)
    for (int j = 1; j < d - i && good; j++) good = add_blend(m, t, (int[]){i, j, d - i - j}, 3);
  return good;
}

static bool make_edges(Maker *m)
{
  const dvInts *e = m->b->elements;
  size_t width = (size_t)e->width, count = width == 3 ? 3 : 6;
  bool good = true;
  for (size_t i = 0; i + width <= e->count && good; i += width)
    for (size_t k = 0; k < count && good; k++) {
      const int *ends = width == 3 ? dv_edges_of_triangle[k] : dv_edges_of_tetrahedron[k];
      int32_t a = e->data[i + (size_t)ends[0]], b = e->data[i + (size_t)ends[1]],
              key[2] = {a < b ? a : b, a < b ? b : a};
      bool fresh;
      good = dv_tuple_set_add(&m->edges, key, &fresh) >= 0;
      // edges of triangles run as in the first triangle, those of tetrahedra from the smaller index
      if (good && fresh) good = width == 3 ? add_edge(m, a, b) : add_edge(m, key[0], key[1]);
    }
  return good;
}

static bool make_triangles(Maker *m)
{
  const dvInts *e = m->b->elements;
  size_t width = (size_t)e->width;
  bool good = true;
  for (size_t i = 0; i + width <= e->count && good; i += width)
    for (size_t k = 0; k < (width == 3 ? 1 : 4) && good; k++) {
      int32_t t[3], key[3];
      for (size_t c = 0; c < 3; c++) t[c] = e->data[i + (width == 3 ? c : (size_t)dv_triangles_of_tetrahedron[k][c])];
      memcpy(key, t, sizeof key);
      dv_tuple_sort(key, 3);
      bool fresh;
      good = dv_tuple_set_add(&m->triangles, key, &fresh) >= 0 && (!fresh || add_triangle(m, t));
    }
  return good;
}

static bool make_insides(Maker *m)
{
  const dvInts *e = m->b->elements;
  int d = m->b->degree;
  bool good = true;
  for (size_t t = 0; e->width == 4 && t + 4 <= e->count && good; t += 4)
    for (int i = 1; i < d - 2 && good; i++)
      for (int j = 1; j < d - i - 1 && good; j++)
        for (int k = 1; k < d - i - j && good; k++)
          good = add_blend(m, e->data + t, (int[]){i, j, k, d - i - j - k}, 4);
  return good;
}

bool dv_bezier_points(const dvBezier *b, dvReals *x, dvReals *weights)
{
  Maker m = {.b = b, .x = x, .weights = weights, .first = x->count / 3};
  dv_tuple_set_init(&m.edges, 2);
  dv_tuple_set_init(&m.triangles, 3);
  bool good = dv_reals_resize(weights, m.first);
  for (size_t i = 0; i < m.first && good; i++) weights->data[i] = 1;
  good = good && make_edges(&m) && make_triangles(&m) && make_insides(&m);
  dv_tuple_set_free(&m.edges);
  dv_tuple_set_free(&m.triangles);
  return good;
}
