// MeshTetraStuffing on three surfaces: all tetrahedra have a positive volume and dihedral angles above 8 degrees, their
// volumes sum up to that inside of the surface to 1 %, they fit together, and what is their border is a closed surface.
#include "support/check.h"
#include "support/scene.h"

#include "math/vec.h"
#include "topology/geometry.h"
#include "topology/search/rays.h"
#include "topology/search/tuple_set.h"

#include <string.h>

static const double pi = 3.14159265358979323846;

// a closed surface of n x m quads, each as two triangles, from two angles
static char *closed_surface(int n, int m, dvVec3 (*at)(double u, double v))
{
  dvText x = {0}, t = {0};
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      dvVec3 p = at(2 * pi * i / n, 2 * pi * j / m);
      dv_text_printf(&x, "%.17g %.17g %.17g ", p.x, p.y, p.z);
      int a = i * m + j, b = (i + 1) % n * m + j, c = (i + 1) % n * m + (j + 1) % m, d = i * m + (j + 1) % m;
      dv_text_printf(&t, "%d %d %d %d %d %d ", a, b, c, a, c, d);
    }
  char *text = dv_format("inputPoints='%s' inputTriangles='%s'", x.text, t.text);
  dv_text_free(&x);
  dv_text_free(&t);
  return text;
}

static dvVec3 torus(double u, double v) { return dv_vec3((2 + cos(v)) * cos(u), (2 + cos(v)) * sin(u), sin(v)); }
// a ring that winds up and down and changes its thickness
static dvVec3 bent_ring(double u, double v)
{
  double r = 0.8 + 0.2 * cos(3 * u);
  return dv_vec3((2.5 + r * cos(v)) * cos(u), (2.5 + r * cos(v)) * sin(u), r * sin(v) + 0.5 * sin(2 * u));
}

static double least_angle(const double *x, const int32_t *t)
{
  dvVec3 normal[4];
  double least = 180;
  for (int k = 0; k < 4; k++) {
    dvVec3 a = dv_point_at(x, t[(k + 1) % 4]), b = dv_point_at(x, t[(k + 2) % 4]), c = dv_point_at(x, t[(k + 3) % 4]);
    normal[k] = dv_vec3_normalise(dv_vec3_cross(dv_vec3_sub(b, a), dv_vec3_sub(c, a)));
    if (dv_vec3_dot(normal[k], dv_vec3_sub(dv_point_at(x, t[k]), a)) > 0) normal[k] = dv_vec3_neg(normal[k]);
  }
  for (int i = 0; i < 4; i++)
    for (int j = i + 1; j < 4; j++)
      least = fmin(least, 180 - acos(fmax(-1, fmin(1, dv_vec3_dot(normal[i], normal[j])))) * 180 / pi);
  return least;
}

static double volume_inside(const dvReals *x, const dvInts *t)
{
  double sum = 0;
  for (size_t i = 0; i + 3 <= t->count; i += 3)
    sum += dv_vec3_dot(dv_point_at(x->data, t->data[i]),
                       dv_vec3_cross(dv_point_at(x->data, t->data[i + 1]), dv_point_at(x->data, t->data[i + 2]))) /
           6;
  return sum;
}

// every face belongs to two tetrahedra, from its two sides, or is part of a closed border
static size_t check_faces(const dvInts *tetrahedra)
{
  static const int faces[4][3] = {{1, 3, 2}, {0, 2, 3}, {0, 3, 1}, {0, 1, 2}};
  dvTupleSet set;
  dvInts sum = {.width = 1}, border = {.width = 3}, seen = {.width = 3};
  dv_tuple_set_init(&set, 3);
  for (size_t i = 0; i + 4 <= tetrahedra->count; i += 4)
    for (int f = 0; f < 4; f++) {
      int32_t t[3], key[3];
      for (int k = 0; k < 3; k++) t[k] = key[k] = tetrahedra->data[i + (size_t)faces[f][k]];
      dv_tuple_sort(key, 3);
      bool fresh;
      int32_t at = dv_tuple_set_add(&set, key, &fresh);
      if (fresh) {
        DV_MUST(dv_ints_resize(&sum, (size_t)at + 1));
        DV_MUST(dv_ints_resize(&seen, 3 * ((size_t)at + 1)));
      }
      memcpy(seen.data + 3 * at, t, sizeof t);
      sum.data[at]++;
      assert_true(sum.data[at] <= 2);
    }
  for (size_t i = 0; i < sum.count; i++)
    if (sum.data[i] == 1) {
      DV_MUST(dv_ints_resize(&border, border.count + 3));
      memcpy(border.data + border.count - 3, seen.data + 3 * i, 3 * sizeof(int32_t));
    }
  assert_int_equal(dv_surface_open_edges(border.data, border.count / 3, NULL, 0, NULL), 0);
  size_t count = border.count / 3;
  dv_tuple_set_free(&set);
  dv_ints_free(&sum);
  dv_ints_free(&seen);
  dv_ints_free(&border);
  return count;
}

static void check_filling(const char *name, const char *surface, const char *options)
{
  char *text = dv_format(
      "<Node><MeshTetraStuffing name='fill' %s snapPoints='1' snapOutside='1' splitTetrahedra='1' %s/></Node>", surface,
      options);
  dvScene *s = check_scene(text, 1);
  dvObject *o = check_find(s, "fill");
  assert_int_equal(dv_object_update(o), DV_OK);
  const dvReals *in = dv_object_field(o, "inputPoints")->value, *x = dv_object_field(o, "outputPoints")->value;
  const dvInts *triangles = dv_object_field(o, "inputTriangles")->value,
               *t = dv_object_field(o, "outputTetrahedra")->value;
  double expected = volume_inside(in, triangles), volume = 0, least = 180;
  for (size_t i = 0; i + 4 <= t->count; i += 4) {
    const int32_t *e = t->data + i;
    dvVec3 a = dv_point_at(x->data, e[0]), u = dv_vec3_sub(dv_point_at(x->data, e[1]), a),
           v = dv_vec3_sub(dv_point_at(x->data, e[2]), a);
    double six = dv_vec3_dot(dv_vec3_cross(u, v), dv_vec3_sub(dv_point_at(x->data, e[3]), a));
    assert_true(six > 0);
    volume += six / 6;
    least = fmin(least, least_angle(x->data, e));
  }
  size_t border = check_faces(t);
  printf("%s: %zu points, %zu tetrahedra, %zu border faces, volume %.4f of %.4f (%.2f %%), smallest dihedral angle "
         "%.1f degrees\n",
         name, x->count / 3, t->count / 4, border, volume, expected, 100 * volume / expected, least);
  assert_true(least > 8);
  check_close(volume, expected, 0.01 * expected);
  check_close_scene(&s);
  dv_free(text);
}

static void fills_a_ball(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene("<Node><GenerateSphere name='ball' radius='1.5' origin='0.1 0.2 0.3' "
                           "platonicSolid='octahedron' tessellationDegree='20'/></Node>",
                           1);
  dvText text = {0};
  dv_text_add(&text, "inputPoints='");
  dvObject *ball = check_find(s, "ball");
  assert_int_equal(dv_object_update(ball), DV_OK);
  dv_field_print(dv_object_field(ball, "output_TrianglesPosition"), &text);
  dv_text_add(&text, "' inputTriangles='");
  dv_field_print(dv_object_field(ball, "triangles"), &text);
  dv_text_add(&text, "'");
  check_filling("ball", text.text, "size='-16'");
  dv_text_free(&text);
  check_close_scene(&s);
}

static void fills_a_torus(void **state)
{
  DV_UNUSED(state);
  char *surface = closed_surface(96, 48, torus);
  check_filling("torus", surface, "size='0.25'");
  dv_free(surface);
}

static void fills_a_bent_ring(void **state)
{
  DV_UNUSED(state);
  char *surface = closed_surface(128, 48, bent_ring);
  check_filling("bent ring", surface, "size='0.25'");
  dv_free(surface);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fills_a_ball),
      cmocka_unit_test(fills_a_torus),
      cmocka_unit_test(fills_a_bent_ring),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
