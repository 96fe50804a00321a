// Scalar fields: slopes against differences, blends, closed surfaces with their points on the level set; surfaces
// around particles of which only what has changed is made again.
#include "topology/report.h"

#include "base/file.h"
#include "base/random.h"
#include "fluid/field/field.h"
#include "fluid/iso.h"
#include "io/mesh/voxels.h"
#include "state/state.h"
#include "support/scene.h"

#include <math.h>
#include <stdlib.h>

#define SHAPES                                                                                   \
  "<SphericalField name='ball' radius='0.7' center='0.1 0 -0.1'/>"                               \
  "<StarShapedField name='star' radius='0.7' branches='9' branchesRadius='0.06'/>"               \
  "<BottleField name='bottle' radius='0.8' shift='0.6' ellipsoidRadius='0.7' excentricity='2'/>" \
  "<SphericalField name='other' radius='0.4' center='0.5 0.3 0'/>"                               \
  "<BlendedField name='union' fields='@ball @other' blend='0.2'/>"                               \
  "<BlendedField name='both' fields='@ball @other' operation='intersection'/>"                   \
  "<BlendedField name='less' fields='@union @star' operation='difference' blend='0.1'/>"         \
  "<SphericalField name='hollow' radius='0.7' inside='1'/>"
static const char *const names[] = {"ball", "star", "bottle", "union", "both", "less", "hollow"};

static void slopes_are_those_of_differences(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene("<Node>" SHAPES "</Node>", 1);
  dvRandom random = dv_random_start(3);
  for (size_t n = 0; n < DV_COUNT(names); n++) {
    const dvObject *o = check_find(s, names[n]);
    int bad = 0;
    for (int trial = 0; trial < 200; trial++) {
      double x[3], g[3];
      for (int k = 0; k < 3; k++) x[k] = dv_random(&random, -1, 1);
      if (!dv_scalar_field_slope(o, x, g)) continue;
      for (int k = 0; k < 3; k++) {
        double a[3] = {x[0], x[1], x[2]}, b[3] = {x[0], x[1], x[2]}, e = 1e-6;
        a[k] -= e, b[k] += e;
        bad += fabs((dv_scalar_field_at(o, b) - dv_scalar_field_at(o, a)) / (2 * e) - g[k]) > 1e-5;
      }
    }
    assert_true(bad <= 3);   // where two shapes meet in an edge there is no slope
  }
  check_close_scene(&s);
}

static void blends_are_what_they_are_called(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene("<Node>" SHAPES "</Node>", 1);
  const dvObject *ball = check_find(s, "ball"), *other = check_find(s, "other"), *both = check_find(s, "both"),
                 *sum = check_find(s, "union");
  dvRandom random = dv_random_start(4);
  for (int trial = 0; trial < 500; trial++) {
    double x[3];
    for (int k = 0; k < 3; k++) x[k] = dv_random(&random, -1.2, 1.2);
    double a = dv_scalar_field_at(ball, x), b = dv_scalar_field_at(other, x), u = dv_scalar_field_at(sum, x);
    check_close(dv_scalar_field_at(both, x), fmax(a, b), 1e-12);
    if (fabs(a - b) >= 0.2) check_close(u, fmin(a, b), 1e-12);
    // rounded off: more than both together, by at most a quarter of the width
    else assert_true(u <= fmin(a, b) && u >= fmin(a, b) - 0.05 - 1e-12);
  }
  check_close_scene(&s);
}

static int by_value(const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

// each edge belongs to two triangles, once in each direction
static void check_closed(const int32_t *t, size_t count)
{
  uint64_t *way = malloc(count * sizeof *way);
  for (size_t i = 0; i < count; i++) way[i] = (uint64_t)t[i] << 32 | (uint32_t)t[i / 3 * 3 + (i + 1) % 3];
  qsort(way, count, sizeof *way, by_value);
  size_t alone = 0;
  for (size_t i = 0; i < count; i++) {
    uint64_t back = way[i] << 32 | way[i] >> 32;
    alone += !bsearch(&back, way, count, sizeof *way, by_value) || (i > 0 && way[i] == way[i - 1]);
  }
  free(way);
  assert_int_equal(alone, 0);
}

static void surfaces_of_fields_are_closed_and_exact(void **state)
{
  DV_UNUSED(state);
  for (size_t n = 0; n + 1 < DV_COUNT(names); n++) {
    char text[1400];
    snprintf(text, sizeof text,
             "<Node>" SHAPES "<FieldToSurfaceMesh name='m' field='@%s' step='0.07' min='-1.3 -1.3 -1.3' max='1.3 1.3 "
             "1.3'/></Node>",
             names[n]);
    dvScene *s = check_scene(text, 2);
    const dvObject *field = check_find(s, names[n]);
    const dvReals *x = dv_object_field(check_find(s, "m"), "outputPoints")->value;
    const dvInts *t = dv_object_field(check_find(s, "m"), "outputTriangles")->value;
    assert_true(t->count > 600);
    check_closed(t->data, t->count);
    double worst = 0, volume = 0;
    for (size_t i = 0; i < x->count; i += 3) {
      double g[3];
      if (!dv_scalar_field_slope(field, x->data + i, g)) continue;
      worst = fmax(worst, fabs(dv_scalar_field_at(field, x->data + i)) / sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]));
    }
    assert_true(worst < 0.01 * 0.07);   // of a cell
    for (size_t i = 0; i < t->count; i += 3) {
      const double *a = x->data + 3 * t->data[i], *b = x->data + 3 * t->data[i + 1], *c = x->data + 3 * t->data[i + 2];
      volume += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                 a[2] * (b[0] * c[1] - b[1] * c[0])) /
                6;
    }
    assert_true(volume > 0);   // normals point out
    if (n == 0) check_close(volume, 4.0 / 3 * M_PI * 0.343, 0.02 * volume);
    check_close_scene(&s);
  }
}

// A surface that a field has beyond its box is closed there; another number of the field makes another surface.
static void surfaces_follow_their_field(void **state)
{
  DV_UNUSED(state);
  dvScene *s =
      check_scene("<Node dt='0.01'><DefaultAnimationLoop/><SphericalField name='ball' radius='1'/>"
                  "<FieldToSurfaceMesh name='m' field='@ball' min='-0.5 -2 -2' max='2 2 2' step='0.2'/></Node>",
                  1);
  const dvInts *t = dv_object_field(check_find(s, "m"), "outputTriangles")->value;
  check_closed(t->data, t->count);
  size_t before = t->count;
  assert_int_equal(dv_object_set(check_find(s, "ball"), "radius", "1.5"), DV_OK);
  check_steps(s, 1);
  t = dv_object_field(check_find(s, "m"), "outputTriangles")->value;
  assert_true(t->count > before);
  check_closed(t->data, t->count);
  check_close_scene(&s);
}

static void only_changed_blocks_are_made_again(void **state)
{
  DV_UNUSED(state);
  enum { COUNT = 400 };
  static double x[3 * COUNT], share[COUNT];
  dvRandom random = dv_random_start(9);
  for (size_t i = 0; i < 3 * COUNT; i++) x[i] = dv_random(&random, -4, 4);
  for (size_t i = 0; i < COUNT; i++) share[i] = 1;
  dvIso kept = {0}, fresh = {0};
  dv_iso_init(&kept);
  dvPool *pool = dv_pool_create(2);
  dvIsoField f = {x, share, COUNT, 0.6, 0.15, 0.5, true};
  assert_true(dv_iso_make(&kept, pool, &f));
  assert_int_equal(kept.changed, kept.blocks.count);
  assert_true(dv_iso_make(&kept, pool, &f));
  assert_int_equal(kept.changed, 0);
  for (int trial = 0; trial < 5; trial++) {
    x[3 * trial] += 0.1, x[3 * (100 + trial) + 1] -= 1.5;
    assert_true(dv_iso_make(&kept, pool, &f));
    assert_true(kept.changed > 0 && kept.changed < kept.blocks.count / 3);
    dv_iso_init(&fresh);
    assert_true(dv_iso_make(&fresh, pool, &f));
    assert_int_equal(kept.points.count, fresh.points.count);
    assert_int_equal(kept.triangles.count, fresh.triangles.count);
    assert_memory_equal(kept.points.data, fresh.points.data, fresh.points.count * sizeof(double));
    assert_memory_equal(kept.triangles.data, fresh.triangles.data, fresh.triangles.count * sizeof(int32_t));
    check_closed(kept.triangles.data, kept.triangles.count);
    dv_iso_free(&fresh);
    fresh = (dvIso){0};
  }
  dv_iso_free(&kept);
  dv_pool_destroy(&pool);
}

// One soft particle has its surface where 1 - (22 s - 17 s^2 + 4 s^3) / 9 is the value, s = r^2/R^2.
static void soft_particles(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene("<Node dt='0.01'><DefaultAnimationLoop/><MechanicalObject name='p' position='0 0 0  9 9 9'/>"
                           "<OglModel name='v'/><ImplicitSurfaceMapping name='m' input='@p' output='@v' radius='2' "
                           "step='0.1' isoValue='0.5' max='5 5 5'/></Node>",
                           1);
  check_steps(s, 1);
  const dvReals *x = dv_object_field(check_find(s, "v"), "position")->value;
  assert_true(x->count > 300);
  double low = 0, high = 1;
  for (int i = 0; i < 60; i++) {
    double t = 0.5 * (low + high);
    *(1 - t * (22 - t * (17 - 4 * t)) / 9 > 0.5 ? &low : &high) = t;
  }
  for (size_t i = 0; i < x->count; i += 3)
    check_close(hypot(hypot(x->data[i], x->data[i + 1]), x->data[i + 2]), 2 * sqrt(low), 0.002);
  check_close_scene(&s);
}

// A ball in an image of bytes whose axes are turned: grey values, and voxels with a label.
static void images_are_fields(void **state)
{
  DV_UNUSED(state);
  enum { N = 24 };
  static uint8_t bytes[2][N * N * N];
  const double middle[3] = {11.3, 12.1, 11.8}, radius = 8;   // in voxels
  for (int i = 0; i < N * N * N; i++) {
    double d[3] = {i % N - middle[0], i / N % N - middle[1], i / N / N - middle[2]};
    double r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    bytes[0][i] = (uint8_t)fmin(fmax(128.5 + 10 * (radius - r), 0), 255);
    bytes[1][i] = r < radius ? 3 : (uint8_t)(i % 3);
  }
  const dvVoxelLayout l = {
      .n = {N, N, N}, .size = {2, 2, 2}, .origin = {-20, 5, 6}, .unit = 1e-3, .turn = {0, -1, 0, 1, 0, 0, 0, 0, 1}};
  char *directory = check_mkdir(), text[1000];
  const char *const fields[] = {"level='128' inside='1'", "label='3'"};
  for (int i = 0; i < 2; i++) {
    dvMeshError error = {0};
    char *path = dv_path_join(directory, i ? "label.nii" : "grey.nii.gz");
    assert_int_equal(dv_nifti_write(path, &l, bytes[i], &error), DV_OK);
    snprintf(text, sizeof text,
             "<Node><DiscreteGridField name='f' file='%s' %s scale='0.1' dx='1'/>"
             "<FieldToSurfaceMesh name='m' field='@f' step='0.11' min='-6 -1 -1' max='0 6 6'/></Node>",
             path, fields[i]);
    dvScene *s = check_scene(text, 1);
    const dvObject *f = check_find(s, "f");
    // axis x of the image is y of space, y is -x
    const double at[3] = {1 + 0.1 * (-20 - 2 * (middle[1] + 0.5)), 0.1 * (5 + 2 * (middle[0] + 0.5)),
                          0.1 * (6 + 2 * (middle[2] + 0.5))};
    dvRandom random = dv_random_start(5);
    int bad = 0;
    for (int trial = 0; trial < 300; trial++) {
      double x[3], g[3], away = 0;
      for (int k = 0; k < 3; k++) x[k] = at[k] + dv_random(&random, -4, 4), away += (x[k] - at[k]) * (x[k] - at[k]);
      double value = dv_scalar_field_at(f, x), short_of = sqrt(away) - 0.2 * radius;
      if (fabs(short_of) > 0.25) assert_true(value * short_of > 0);
      if (!dv_scalar_field_slope(f, x, g)) continue;
      for (int k = 0; k < 3; k++) {
        double a[3] = {x[0], x[1], x[2]}, b[3] = {x[0], x[1], x[2]}, e = 1e-6;
        a[k] -= e, b[k] += e;
        bad += fabs((dv_scalar_field_at(f, b) - dv_scalar_field_at(f, a)) / (2 * e) - g[k]) > 1e-4 * (1 + fabs(g[k]));
      }
    }
    assert_true(bad <= 6);   // from one cell of voxels to the next the slope jumps
    const dvInts *t = dv_object_field(check_find(s, "m"), "outputTriangles")->value;
    const dvReals *x = dv_object_field(check_find(s, "m"), "outputPoints")->value;
    assert_true(t->count > 600);
    check_closed(t->data, t->count);
    for (size_t k = 0; k < x->count; k += 3) {
      double r = hypot(hypot(x->data[k] - at[0], x->data[k + 1] - at[1]), x->data[k + 2] - at[2]);
      check_close(r, 0.2 * radius, i ? 0.2 : 0.02);   // a voxel of a label, a tenth of one of grey values
    }
    check_close_scene(&s);
    remove(path);
    dv_free(path);
  }
  check_rmdir(directory);
}

// in a MetaImage, as in SOFA, the offset is where the first number holds
static void offsets_are_of_the_first_number(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir(), text[600];
  char *path = check_write(directory, "steps.mha",
                           "NDims = 3\nDimSize = 3 2 2\nElementSpacing = 2 1 1\nOffset = 10 20 30\n"
                           "ElementType = MET_UCHAR\nElementDataFile = LOCAL\nADGADGADGADG");
  snprintf(text, sizeof text, "<Node><DiscreteGridField name='f' file='%s'/></Node>", path);
  dvScene *s = check_scene(text, 1);
  const dvObject *f = check_find(s, "f");
  for (int i = 0; i < 5; i++) {
    const double x[3] = {10 + i, 20.5, 30.5};
    check_close(dv_scalar_field_at(f, x), 'A' + 1.5 * i, 1e-5);
  }
  check_close_scene(&s);
  dv_free(path);
  check_rmdir(directory);
}

static void bad_input(void **state)
{
  DV_UNUSED(state);
  static const Refusal refusals[] = {
      {"<Node><SphericalField radius='0'/></Node>", "a radius of 0 is none"},
      {"<Node><BottleField ellipsoidRadius='-1'/></Node>", "a radius of -1 is none"},
      {"<Node><BottleField excentricity='-2'/></Node>", "the square of a ratio is not -2"},
      {"<Node><BlendedField/></Node>", "there are no fields"},
      {"<Node><BlendedField name='a' fields='@a'/></Node>", "is part of itself"},
      {"<Node><UniformMass name='u'/><BlendedField fields='@u'/></Node>", "is no scalar field"},
      {"<Node><SphericalField name='a'/><BlendedField fields='@a' blend='-1'/></Node>", "a width of -1"},
      {"<Node><FieldToSurfaceMesh/></Node>", "no field"},
      {"<Node><DiscreteGridField/></Node>", "file"},
      {"<Node><DiscreteGridField file='none.mhd'/></Node>", "none.mhd"},
      {"<Node><DiscreteGridField file='none.mhd' scale='0'/></Node>", "a scale of 0 is none"},
      {"<Node><SphericalField name='a'/><FieldToSurfaceMesh field='@a' step='0'/></Node>", "a step of 0 m"},
      {"<Node><SphericalField name='a'/><FieldToSurfaceMesh field='@a' step='1e-9'/></Node>", "a step of 1e-09 m"},
      {"<Node><SphericalField name='a'/><FieldToSurfaceMesh field='@a' max='-5 1 1'/></Node>",
       "does not go with a box"},
      {"<Node><MechanicalObject name='p'/><OglModel name='v'/><ImplicitSurfaceMapping input='@p' output='@v' "
       "step='-1'/></Node>",
       "a step of -1"},
  };
  for (size_t i = 0; i < DV_COUNT(refusals); i++) {
    Report r;
    report_start(&r, refusals[i].scene);
    assert_int_equal(r.status, DV_ERROR_INPUT);
    report_says(&r, refusals[i].message);
    report_end(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slopes_are_those_of_differences),
      cmocka_unit_test(blends_are_what_they_are_called),
      cmocka_unit_test(surfaces_of_fields_are_closed_and_exact),
      cmocka_unit_test(surfaces_follow_their_field),
      cmocka_unit_test(only_changed_blocks_are_made_again),
      cmocka_unit_test(soft_particles),
      cmocka_unit_test(images_are_fields),
      cmocka_unit_test(offsets_are_of_the_first_number),
      cmocka_unit_test(bad_input),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
