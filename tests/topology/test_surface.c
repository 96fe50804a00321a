// Geometry of meshes against closed forms on a sphere, a torus and a box.
#include "topology/report.h"

#include "topology/search/surface.h"

static const double R = 2, r = 0.75;   // of the torus

// A grid of nu x nv points around both ways, as triangles; the sphere has poles of its own.
typedef struct Shape {
  dvTopology *t;
  const double *x;
  Report report;
} Shape;

static void start(Shape *s, const dvText *text)
{
  report_good(&s->report, text->text);
  s->t = report_topology(&s->report, "t");
  s->x = dv_topology_positions(s->t)->data;
}

static Shape torus(int nu, int nv)
{
  dvText text = {0};
  dv_text_add(&text, "<Node><MeshTopology name='t' position='");
  for (int i = 0; i < nu; i++)
    for (int j = 0; j < nv; j++) {
      double u = 2 * M_PI * i / nu, v = 2 * M_PI * j / nv;
      dv_text_printf(&text, "%.17g %.17g %.17g ", (R + r * cos(v)) * cos(u), (R + r * cos(v)) * sin(u), r * sin(v));
    }
  dv_text_add(&text, "' triangles='");
  for (int i = 0; i < nu; i++)
    for (int j = 0; j < nv; j++) {
      int a = i * nv + j, b = (i + 1) % nu * nv + j, c = (i + 1) % nu * nv + (j + 1) % nv, d = i * nv + (j + 1) % nv;
      dv_text_printf(&text, "%d %d %d %d %d %d ", a, b, c, a, c, d);
    }
  dv_text_add(&text, "'/></Node>");
  Shape s;
  start(&s, &text);
  dv_text_free(&text);
  return s;
}

// an octahedron, each triangle divided n times along its sides
static Shape sphere(int n)
{
  static const double corners[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  static const int faces[8][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                  {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
  dvText text = {0}, triangles = {0};
  DV_ARRAY(double) points = {0};
  for (int f = 0; f < 8; f++) {
    int *number = dv_alloc((size_t)((n + 1) * (n + 2)) * sizeof *number), at = 0;
    for (int i = 0; i <= n; i++)
      for (int j = 0; j <= n - i; j++) {
        double p[3], length = 0;
        for (int k = 0; k < 3; k++)
          p[k] =
              (corners[faces[f][0]][k] * (n - i - j) + corners[faces[f][1]][k] * i + corners[faces[f][2]][k] * j) / n;
        for (int k = 0; k < 3; k++) length += p[k] * p[k];
        size_t known = 0;
        for (int k = 0; k < 3; k++) p[k] = 1.5 * p[k] / sqrt(length);
        while (known < points.count && fabs(points.data[known] - p[0]) + fabs(points.data[known + 1] - p[1]) +
                                               fabs(points.data[known + 2] - p[2]) >
                                           1e-9)
          known += 3;
        for (int k = 0; k < 3 && known == points.count - (size_t)k; k++) dv_push(&points, p[k]);
        number[at++] = (int)(known / 3);
      }
    int row = 0;
    for (int i = 0; i < n; row += n - i + 1, i++)
      for (int j = 0; j < n - i; j++) {
        int a = row + j, b = row + (n - i + 1) + j;
        dv_text_printf(&triangles, "%d %d %d ", number[a], number[b], number[a + 1]);
        if (j < n - i - 1) dv_text_printf(&triangles, "%d %d %d ", number[b], number[b + 1], number[a + 1]);
      }
    dv_free(number);
  }
  dv_text_add(&text, "<Node><MeshTopology name='t' position='");
  for (size_t i = 0; i < points.count; i++) dv_text_printf(&text, "%.17g ", points.data[i]);
  dv_text_printf(&text, "' triangles='%s'/></Node>", triangles.text);
  Shape s;
  start(&s, &text);
  dv_text_free(&text);
  dv_text_free(&triangles);
  dv_array_free(&points);
  return s;
}

static Shape box(void)   // 1 x 2 x 3
{
  dvText text = {0};
  dv_text_add(&text, "<Node><RegularGridTopology name='t' n='3 4 5' min='0 0 0' max='1 2 3'/></Node>");
  Shape s;
  start(&s, &text);
  dv_text_free(&text);
  return s;
}

static Shape box_surface(void)
{
  dvText text = {0};
  dv_text_add(&text, "<Node><CubeTopology name='t' nx='3' ny='4' nz='5' min='0 0 0' max='1 2 3'/></Node>");
  Shape s;
  start(&s, &text);
  dv_text_free(&text);
  return s;
}

static void sizes(void **state)
{
  DV_UNUSED(state);
  Shape s = sphere(24);
  check_close(dv_topology_measure(s.t, DV_TRIANGLE, s.x), 4 * M_PI * 2.25, 0.01 * 4 * M_PI * 2.25);
  check_close(dv_topology_enclosed_volume(s.t, s.x), 4 * M_PI / 3 * 3.375, 0.01 * 4 * M_PI / 3 * 3.375);
  dvVec3 centre;
  assert_true(dv_topology_centre(s.t, DV_TRIANGLE, s.x, &centre));
  check_close(dv_vec3_norm(centre), 0, 1e-12);
  report_end(&s.report);
  // the error goes down with the square of the width
  double error[2];
  for (int i = 0; i < 2; i++) {
    s = torus(40 << i, 20 << i);
    error[i] = fabs(dv_topology_measure(s.t, DV_TRIANGLE, s.x) - 4 * M_PI * M_PI * R * r);
    check_close(dv_topology_enclosed_volume(s.t, s.x), 2 * M_PI * M_PI * R * r * r, 0.03 * 2 * M_PI * M_PI * R * r * r);
    report_end(&s.report);
  }
  check_close(error[0] / error[1], 4, 0.2);
  s = box();
  check_close(dv_topology_measure(s.t, DV_HEXAHEDRON, s.x), 6, 1e-12);
  assert_true(dv_topology_centre(s.t, DV_HEXAHEDRON, s.x, &centre));
  check_close(centre.x, 0.5, 1e-12);
  check_close(centre.z, 1.5, 1e-12);
  report_end(&s.report);
  s = box_surface();
  check_close(dv_topology_measure(s.t, DV_QUAD, s.x), 22, 1e-12);
  check_close(dv_topology_enclosed_volume(s.t, s.x), 6, 1e-12);
  report_end(&s.report);
}

static void normals_and_curvature(void **state)
{
  DV_UNUSED(state);
  Shape s = sphere(24);
  size_t n = dv_topology_point_count(s.t);
  double *normal = dv_alloc(3 * n * sizeof *normal), *mean = dv_alloc(n * sizeof *mean),
         *gaussian = dv_alloc(n * sizeof *gaussian), total = 0;
  dv_topology_normals(s.t, s.x, normal);
  assert_true(dv_topology_curvature(s.t, s.x, mean, gaussian));
  for (size_t i = 0; i < n; i++) {
    check_close(dv_vec3_dot(dv_vec3_load(normal + 3 * i), dv_vec3_load(s.x + 3 * i)), 1.5, 1e-3);
    check_close(mean[i], 1 / 1.5, 0.02);
    check_close(gaussian[i], 1 / 2.25, 0.05);
    total += mean[i] / (double)n;
  }
  check_close(total, 1 / 1.5, 2e-3);
  dv_free(normal), dv_free(mean), dv_free(gaussian);
  report_end(&s.report);

  enum { NU = 120, NV = 60 };
  s = torus(NU, NV);
  n = dv_topology_point_count(s.t);
  normal = dv_alloc(3 * n * sizeof *normal), mean = dv_alloc(n * sizeof *mean),
  gaussian = dv_alloc(n * sizeof *gaussian);
  dv_topology_normals(s.t, s.x, normal);
  assert_true(dv_topology_curvature(s.t, s.x, mean, gaussian));
  for (size_t i = 0; i < n; i++) {
    double u = 2 * M_PI * (double)(i / NV) / NU, v = 2 * M_PI * (double)(i % NV) / NV;
    dvVec3 wanted = {cos(v) * cos(u), cos(v) * sin(u), sin(v)};
    check_close(dv_vec3_dot(dv_vec3_load(normal + 3 * i), wanted), 1, 2e-3);
    check_close(gaussian[i], cos(v) / (r * (R + r * cos(v))), 0.03);
    check_close(mean[i], (R + 2 * r * cos(v)) / (2 * r * (R + r * cos(v))), 0.02);
  }
  dv_free(normal), dv_free(mean), dv_free(gaussian);
  report_end(&s.report);

  s = box_surface();
  check_close(dv_element_normal(DV_QUAD, s.x, dv_topology_elements(s.t, DV_QUAD)->data).z, -1, 1e-12);
  report_end(&s.report);
}

static void rays(void **state)
{
  DV_UNUSED(state);
  dvLineHit hits[8];
  Shape s = torus(240, 120);
  // through the hole: four walls along x, a little off so that no edge is met
  assert_int_equal(dv_topology_cast(s.t, s.x, dv_vec3(10, 0.003, 0.002), dv_vec3(9, 0.003, 0.002), false, hits, 8), 4);
  const double wanted[4] = {10 - (R + r), 10 - (R - r), 10 + (R - r), 10 + (R + r)};
  for (int i = 0; i < 4; i++) check_close(hits[i].at, wanted[i], 2e-3);
  assert_int_equal(dv_topology_cast(s.t, s.x, dv_vec3(0.001, 0.002, 5), dv_vec3(0.001, 0.002, 4), false, hits, 8), 0);
  // a segment ends before the third
  assert_int_equal(dv_topology_cast(s.t, s.x, dv_vec3(10, 0.003, 0.002), dv_vec3(0, 0.003, 0.002), true, hits, 8), 2);
  assert_int_equal(dv_topology_cast(s.t, s.x, dv_vec3(10, 0.003, 0.002), dv_vec3(9, 0.003, 0.002), false, hits, 1), 4);
  check_close(hits[0].at, wanted[0], 2e-3);
  report_end(&s.report);
  s = sphere(24);
  dvVec3 from = {5, 4, 3}, to = {0.1, -0.2, 0.05}, along = dv_vec3_sub(to, from);
  assert_int_equal(dv_topology_cast(s.t, s.x, from, to, false, hits, 8), 2);
  double a = dv_vec3_norm2(along), b = dv_vec3_dot(from, along), c = dv_vec3_norm2(from) - 2.25;
  check_close(hits[0].at, (-b - sqrt(b * b - a * c)) / a, 3e-3);
  check_close(hits[1].at, (-b + sqrt(b * b - a * c)) / a, 3e-3);
  report_end(&s.report);
  s = box_surface();
  assert_int_equal(dv_topology_cast(s.t, s.x, dv_vec3(-1, 0.3, 0.4), dv_vec3(1, 0.3, 0.4), false, hits, 8), 2);
  check_close(hits[0].at, 0.5, 1e-12);
  check_close(hits[1].at, 1, 1e-12);
  report_end(&s.report);
}

static void coordinates_in_elements(void **state)
{
  DV_UNUSED(state);
  const double x[] = {0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2};
  double w[8];
  assert_true(dv_element_coordinates(DV_EDGE, x, (int32_t[]){0, 1}, dv_vec3(0.5, 7, 0), w));
  check_close(w[1], 0.25, 1e-15);
  assert_true(dv_element_coordinates(DV_TRIANGLE, x, (int32_t[]){0, 1, 2}, dv_vec3(0.5, 1, 9), w));
  check_close(w[1], 0.25, 1e-15);
  check_close(w[2], 0.5, 1e-15);
  assert_true(dv_element_coordinates(DV_TETRAHEDRON, x, (int32_t[]){0, 1, 2, 3}, dv_vec3(0.2, 0.4, 0.6), w));
  check_close(w[0], 0.4, 1e-15);
  check_close(w[3], 0.3, 1e-15);
  assert_false(dv_element_coordinates(DV_TETRAHEDRON, x, (int32_t[]){0, 1, 2, 2}, dv_vec3(0, 0, 0), w));
  // a bent hexahedron: a point made from known weights
  const double h[] = {0, 0, 0, 1, 0.1, 0, 1.2, 1, 0.1, 0, 1, 0, 0, 0, 1, 1, 0, 1.3, 1.1, 1.2, 1, 0.1, 1, 1.1};
  const double s[3] = {0.3, 0.6, 0.8};
  const int32_t e[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  static const int corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                   {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  double wanted[8];
  dvVec3 p = {0, 0, 0};
  for (int i = 0; i < 8; i++) {
    wanted[i] = 1;
    for (int k = 0; k < 3; k++) wanted[i] *= corner[i][k] ? s[k] : 1 - s[k];
    p = dv_vec3_add_scaled(p, dv_point_at(h, i), wanted[i]);
  }
  assert_true(dv_element_coordinates(DV_HEXAHEDRON, h, e, p, w));
  for (int i = 0; i < 8; i++) check_close(w[i], wanted[i], 1e-12);
}

static void nearest_places(void **state)
{
  DV_UNUSED(state);
  const double x[] = {0, 0, 0, 2, 0, 0, 0, 2, 0};
  const int32_t e[3] = {0, 1, 2};
  double w[3], s, t;
  check_close(dv_nearest_on_triangle(x, e, dv_vec3(0.5, 0.5, 3), w).z, 0, 0);
  check_close(w[0], 0.5, 1e-15);
  dvVec3 p = dv_nearest_on_triangle(x, e, dv_vec3(2, 2, 1), w);   // beside the long side
  check_close(p.x, 1, 1e-15);
  check_close(p.y, 1, 1e-15);
  check_close(w[0], 0, 0);
  p = dv_nearest_on_triangle(x, e, dv_vec3(-1, -3, 1), w);   // beyond a corner
  check_close(dv_vec3_norm(p), 0, 0);
  check_close(dv_segments_distance(dv_vec3(0, 0, 0), dv_vec3(2, 0, 0), dv_vec3(1, -1, 3), dv_vec3(1, 1, 3), &s, &t), 3,
              1e-15);
  check_close(s, 0.5, 1e-15);
  check_close(t, 0.5, 1e-15);
  check_close(dv_segments_distance(dv_vec3(0, 0, 0), dv_vec3(1, 0, 0), dv_vec3(4, 4, 0), dv_vec3(4, 8, 0), &s, &t), 5,
              1e-15);
  check_close(dv_segments_distance(dv_vec3(0, 0, 0), dv_vec3(1, 0, 0), dv_vec3(0.5, 2, 0), dv_vec3(3, 2, 0), &s, &t), 2,
              1e-15);   // parallel
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(sizes), cmocka_unit_test(normals_and_curvature),
                                     cmocka_unit_test(rays), cmocka_unit_test(coordinates_in_elements),
                                     cmocka_unit_test(nearest_places)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
