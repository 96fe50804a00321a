// Triangles that fill polygons: area, edges, holes, and polygons that rounding has spoilt.
#include "support/check.h"
#include "support/follow.h"

#include "topology/search/polygon.h"

#include <math.h>
#include <stdlib.h>

typedef struct Polygon {
  DV_ARRAY(double) xy;
  DV_ARRAY(int32_t) points;
  DV_ARRAY(size_t) offsets;
  double area;
} Polygon;

static void add_ring(Polygon *p, const double *xy, size_t count)
{
  if (!p->offsets.count) dv_push(&p->offsets, 0);
  for (size_t i = 0; i < count; i++) {
    const double *a = xy + 2 * i, *b = xy + 2 * ((i + 1) % count);
    dv_push(&p->points, (int32_t)p->xy.count / 2);
    dv_push(&p->xy, a[0]), dv_push(&p->xy, a[1]);
    p->area += 0.5 * (a[0] * b[1] - a[1] * b[0]);
  }
  dv_push(&p->offsets, p->points.count);
}

// how often triangles have the edge a b, in this direction
static int count_edge(const dvPolygonTriangles *t, int32_t a, int32_t b)
{
  int found = 0;
  for (size_t i = 0; i < t->count; i++) found += t->data[i] == a && t->data[i / 3 * 3 + (i + 1) % 3] == b;
  return found;
}

// every edge of a ring once, in its direction, all others in both; the sum of the areas, none of them negative
static void check_filled(Polygon *p, bool flat)
{
  dvPolygonTriangles t = {0};
  double sum = 0;
  size_t rings = p->offsets.count - 1, expected = p->points.count - 2;
  dv_polygon_triangulate(p->xy.data, p->points.data, p->offsets.data, rings, &t);
  for (size_t i = 0; i < t.count; i += 3) {
    const double *a = p->xy.data + 2 * t.data[i], *b = p->xy.data + 2 * t.data[i + 1],
                 *c = p->xy.data + 2 * t.data[i + 2];
    double area = 0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
    if (!flat) assert_true(area > -1e-12);
    sum += area;
  }
  check_close(sum, p->area, 1e-12);
  if (rings == 1) assert_int_equal(t.count / 3, expected);
  for (size_t r = 0; r < rings; r++)
    for (size_t i = p->offsets.data[r]; i < p->offsets.data[r + 1]; i++) {
      size_t next = i + 1 < p->offsets.data[r + 1] ? i + 1 : p->offsets.data[r];
      int32_t a = p->points.data[i], b = p->points.data[next];
      assert_int_equal(count_edge(&t, a, b) - count_edge(&t, b, a), 1);
    }
  for (size_t i = 0; i < t.count; i++) {   // what is no edge of a ring has a triangle on either side
    int32_t a = t.data[i], b = t.data[i / 3 * 3 + (i + 1) % 3];
    assert_true(abs(count_edge(&t, a, b) - count_edge(&t, b, a)) <= 1);
  }
  dv_array_free(&t);
  dv_array_free(&p->xy), dv_array_free(&p->points), dv_array_free(&p->offsets);
  *p = (Polygon){0};
}

static void single_rings(void **state)
{
  DV_UNUSED(state);
  Polygon p = {0};
  add_ring(&p, (double[]){0, 0, 1, 0, 0, 1}, 3);
  check_filled(&p, false);
  add_ring(&p, (double[]){0, 0, 3, 0, 3, 3, 2, 3, 2, 1, 1, 1, 1, 3, 0, 3}, 8);   // a U
  check_filled(&p, false);
  add_ring(&p, (double[]){0, 0, 1, 0, 2, 0, 2, 1, 2, 2, 1, 2, 0, 2, 0, 1}, 8);   // points on straight sides
  check_filled(&p, false);
}

static void random_stars(void **state)
{
  DV_UNUSED(state);
  follow_seed(5);
  for (int trial = 0; trial < 200; trial++) {
    Polygon p = {0};
    double xy[200];
    size_t n = 3 + follow_below(90), holes = follow_below(4);
    for (size_t i = 0; i < n; i++) {
      double a = 2 * M_PI * (double)i / (double)n, r = 2 + 0.9 * follow_random();
      xy[2 * i] = r * cos(a), xy[2 * i + 1] = r * sin(a);
    }
    add_ring(&p, xy, n);
    for (size_t h = 0; h < holes && n > 20; h++) {   // they turn the other way
      size_t m = 3 + follow_below(9);
      for (size_t i = 0; i < m; i++) {
        double a = -2 * M_PI * (double)i / (double)m, r = 0.15 + 0.1 * follow_random();
        xy[2 * i] = 0.45 * cos(2.1 * (double)h) + r * cos(a), xy[2 * i + 1] = 0.45 * sin(2.1 * (double)h) + r * sin(a);
      }
      add_ring(&p, xy, m);
    }
    check_filled(&p, false);
  }
}

// two parts, one of them inside of a hole of the other
static void islands(void **state)
{
  DV_UNUSED(state);
  Polygon p = {0};
  add_ring(&p, (double[]){-1, -1, 1, -1, 1, 1, -1, 1}, 4);
  add_ring(&p, (double[]){-5, -5, 5, -5, 5, 5, -5, 5}, 4);
  add_ring(&p, (double[]){-2, -2, -2, 2, 2, 2, 2, -2}, 4);
  check_filled(&p, false);
}

// a slit of no width, points at the same place, all on a line: the edges still fit together
static void spoilt_rings(void **state)
{
  DV_UNUSED(state);
  Polygon p = {0};
  add_ring(&p, (double[]){0, 0, 2, 0, 2, 2, 1, 2, 1, 1, 1, 2, 0, 2}, 7);
  check_filled(&p, true);
  add_ring(&p, (double[]){0, 0, 1, 0, 2, 0, 3, 0}, 4);
  check_filled(&p, true);
  add_ring(&p, (double[]){1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 5);
  check_filled(&p, true);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(single_rings),
      cmocka_unit_test(random_stars),
      cmocka_unit_test(islands),
      cmocka_unit_test(spoilt_rings),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
