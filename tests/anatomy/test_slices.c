// Thick slices are divided: a ball in slices of five voxels' width is round again, along each axis; what would come
// apart is left as it is.
#include "support/check.h"

#include "anatomy/surface.h"
#include "topology/search/rays.h"

#include <math.h>

static const double RADIUS = 14;

static int ball(dvVec3 x) { return dv_vec3_norm(x) < RADIUS; }
// so slanting that its sections in slices of 7 touch at corners
static int slanting(dvVec3 x) { return fmax(fabs(x.x - 8 * x.z / 7), fabs(x.y - 8 * x.z / 7)) < 4; }
// a speck beside a ball, in one slice
static int speck(dvVec3 x) { return ball(x) || (fabs(x.x - 17.5) < 1 && fabs(x.y) < 1 && fabs(x.z) < 2.1); }
static int two_balls(dvVec3 x) { return fabs(fabs(x.x) - 8) < 8 && hypot(fabs(x.x) - 8, hypot(x.y, x.z)) < 7; }

// an image 40 wide with voxels of 1, `thick` along one axis, in metres
static void make(dvMask *m, int axis, double thick, int (*label)(dvVec3))
{
  dvVoxels v = {.n = {40, 40, 40}, .size = {1, 1, 1}, .turn = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .unit = 1};
  dvMeshError error = {0};
  v.n[axis] = (int32_t)(40 / thick), v.size[axis] = thick;
  for (int z = 0; z < v.n[2]; z++)
    for (int y = 0; y < v.n[1]; y++)
      for (int x = 0; x < v.n[0]; x++)
        dv_push(&v.values, (float)label(dv_vec3((x + 0.5) * v.size[0] - 20, (y + 0.5) * v.size[1] - 20,
                                                (z + 0.5) * v.size[2] - 20)));
  assert_int_equal(dv_mask_of_label(m, &v, 1, 1, 1, &error), DV_OK);
  dv_voxels_free(&v);
}

// mean distance of the surface's points from the ball
static double off(const dvMask *m)
{
  const int each[3] = {1, 1, 1};
  dvSkin s;
  double sum = 0;
  assert_true(dv_skin_of_mask(&s, m, each, 20));
  assert_int_equal(dv_surface_open_edges(s.triangles.data, s.triangles.count / 3, NULL, 0, NULL), 0);
  size_t points = s.x.count / 3;
  for (size_t i = 0; i < s.x.count; i += 3)
    sum += fabs(dv_vec3_norm(dv_vec3_sub(dv_vec3_load(s.x.data + i), dv_vec3(20, 20, 20))) - RADIUS);
  dv_skin_free(&s);
  return sum / (double)points;
}

static void a_ball_in_thick_slices_is_round(void **state)
{
  DV_UNUSED(state);
  size_t count[3];
  for (int axis = 0; axis < 3; axis++) {
    dvMask m, thin;
    make(&m, axis, 5, ball);
    assert_true(dv_mask_divide_slices(&m, &thin));
    assert_int_equal(thin.n[axis], 5 * m.n[axis]);
    check_close(thin.size[axis], 1, 1e-12);
    check_close(dv_mask_volume(&thin) / dv_mask_volume(&m), 1, 0.05);
    double before = off(&m), after = off(&thin);
    print_message("slices of 5 along axis %d: points %.2f voxels off, divided %.2f\n", axis, before, after);
    assert_true(after < 0.45 && after < 0.6 * before);
    count[axis] = thin.count;
    // the middle of each slice is as it was
    const size_t stride[3] = {1, (size_t)m.n[0], (size_t)m.n[0] * (size_t)m.n[1]};
    for (int32_t z = 0, n[3]; z < m.n[2]; z++)
      for (int32_t y = 0; y < m.n[1]; y++)
        for (int32_t x = 0; x < m.n[0]; x++) {
          n[0] = x, n[1] = y, n[2] = z;
          n[axis] = 5 * n[axis] + 2;
          assert_int_equal(thin.inside[dv_mask_number(&thin, n[0], n[1], n[2])],
                           m.inside[(size_t)x * stride[0] + (size_t)y * stride[1] + (size_t)z * stride[2]]);
        }
    dv_mask_free(&thin);
    dv_mask_free(&m);
  }
  assert_int_equal(count[0], count[1]);
  assert_int_equal(count[0], count[2]);
}

static void what_needs_no_division_is_left(void **state)
{
  DV_UNUSED(state);
  dvMask m, thin;
  make(&m, 2, 1, ball);
  assert_false(dv_mask_divide_slices(&m, &thin));
  dv_mask_free(&m);
  make(&m, 0, 1.6, ball);
  assert_false(dv_mask_divide_slices(&m, &thin));
  assert_null(thin.inside);
  dv_mask_free(&m);
  // it would fall into pieces, and nothing of it has changed
  make(&m, 2, 7, slanting);
  size_t count = m.count, found = 0;
  assert_false(dv_mask_divide_slices(&m, &thin));
  for (size_t i = 0; i < dv_mask_voxels(&m); i++) found += m.inside[i];
  assert_int_equal(m.count, count);
  assert_int_equal(found, count);
  dv_mask_free(&m);
  make(&m, 2, 4, speck);   // it does not vanish
  assert_true(dv_mask_divide_slices(&m, &thin));
  dv_mask_free(&thin);
  dv_mask_free(&m);
  make(&m, 1, 4, two_balls);   // two parts stay two
  assert_true(dv_mask_divide_slices(&m, &thin));
  dv_mask_free(&thin);
  dv_mask_free(&m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball_in_thick_slices_is_round),
      cmocka_unit_test(what_needs_no_division_is_left),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
