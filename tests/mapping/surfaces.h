// Closed surfaces of triangles for tests.
#ifndef DV_TESTS_MAPPING_SURFACES_H
#define DV_TESTS_MAPPING_SURFACES_H

#include "base/array.h"
#include "base/text.h"

#include <math.h>

typedef struct Surface {
  DV_ARRAY(double) x;
  DV_ARRAY(int32_t) triangles;
} Surface;

static inline void add_point(Surface *s, double x, double y, double z)
{
  dv_push(&s->x, x), dv_push(&s->x, y), dv_push(&s->x, z);
}
static inline void add_triangle(Surface *s, int32_t a, int32_t b, int32_t c)
{
  dv_push(&s->triangles, a), dv_push(&s->triangles, b), dv_push(&s->triangles, c);
}

// around z
static inline void make_torus(Surface *s, int n, int m, double wide, double thin)
{
  for (int i = 0; i < n; i++)
    for (int k = 0; k < m; k++) {
      double a = 2 * M_PI * (i + 0.13) / n, b = 2 * M_PI * (k + 0.29) / m, r = wide + thin * cos(b);
      add_point(s, r * cos(a), r * sin(a), thin * sin(b));
    }
  for (int i = 0; i < n; i++)
    for (int k = 0; k < m; k++) {
      int32_t p = i * m + k, q = (i + 1) % n * m + k, r = (i + 1) % n * m + (k + 1) % m, t = i * m + (k + 1) % m;
      add_triangle(s, p, q, r), add_triangle(s, p, r, t);
    }
}

static inline void make_sphere(Surface *s, int n, int m, double radius)
{
  add_point(s, 0, 0, -radius), add_point(s, 0, 0, radius);
  for (int k = 1; k < m; k++)
    for (int i = 0; i < n; i++) {
      double a = 2 * M_PI * i / n, b = M_PI * k / m;
      add_point(s, radius * sin(b) * cos(a), radius * sin(b) * sin(a), -radius * cos(b));
    }
  for (int i = 0; i < n; i++) {
    int32_t j = (i + 1) % n;
    add_triangle(s, 0, 2 + j, 2 + i), add_triangle(s, 1, 2 + (m - 2) * n + i, 2 + (m - 2) * n + j);
    for (int k = 0; k + 2 < m; k++) {
      int32_t p = 2 + k * n + i, q = 2 + k * n + j;
      add_triangle(s, p, q, q + n), add_triangle(s, p, q + n, p + n);
    }
  }
}

// a box of twelve triangles
static inline void make_box(Surface *s, double half)
{
  static const int8_t faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                      {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  for (int i = 0; i < 8; i++) add_point(s, i & 1 ? half : -half, i & 2 ? half : -half, i & 4 ? half : -half);
  for (int i = 0; i < 12; i++) add_triangle(s, faces[i][0], faces[i][1], faces[i][2]);
}

static inline void write_surface(const Surface *s, dvText *text)
{
  dv_text_add(text, "position='");
  for (size_t i = 0; i < s->x.count; i++) dv_text_printf(text, "%.17g ", s->x.data[i]);
  dv_text_add(text, "' triangles='");
  for (size_t i = 0; i < s->triangles.count; i++) dv_text_printf(text, "%d ", s->triangles.data[i]);
  dv_text_add(text, "'");
}

#endif
