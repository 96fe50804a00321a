// The stitch and the knot of scenes/: a needle leads its thread through two edges of tissue, and pulling at its ends
// closes them; a thread that touches itself keeps its knot.
#include "support/check.h"
#include "support/scene.h"

#include "instrument/needle.h"

#include <math.h>

// the least distance of the two edges along x, at their upper rim in the middle, within this distance from the gap's
static double gap_of(dvScene *s, double inside)
{
  const dvState *body[2] = {dv_state(check_find(s, "Left/points")), dv_state(check_find(s, "Right/points"))};
  double inner[2] = {-INFINITY, INFINITY};
  for (int side = 0; side < 2; side++) {
    const double *x = dv_state_read(body[side], DV_X), *rest = dv_state_read(body[side], DV_X_REST);
    for (size_t i = 0; i < body[side]->count; i++) {
      if (fabs(rest[3 * i + 2]) > 0.003 || rest[3 * i + 1] < 0.0149 || fabs(rest[3 * i]) > inside) continue;
      inner[side] = side ? fmin(inner[1], x[3 * i]) : fmax(inner[0], x[3 * i]);
    }
  }
  return inner[1] - inner[0];
}

static void a_stitch(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene_file("scenes/instrument/suture.scn", 2);
  const dvNeedle *left = (const dvNeedle *)check_find(s, "Left/channel"),
                 *right = (const dvNeedle *)check_find(s, "Right/channel");
  check_steps(s, 850);
  assert_int_equal(left->phase, 3);
  assert_int_equal(right->phase, 3);
  check_close(gap_of(s, 0.0031), 0.006, 0.0003);
  // the thread has slid through both channels
  double before = left->along.data[0];
  assert_true(before < 0.03);
  assert_true(right->along.data[0] > before);
  check_steps(s, 650);   // to the end of the pull; when the thread slips on its way hangs on the last digits
  assert_true(left->along.data[0] > before + 0.005);
  check_close(gap_of(s, 0.0031), 0, 0.0005);
  check_close_scene(&s);
}

// the angle of a path above the horizontal between two of its places, degrees
static double heading_of(const dvNeedle *n, size_t i)
{
  assert_true(i + 1 < dv_needle_places(n));
  const double *p = n->path.data + 3 * i;
  return 180 / acos(-1.0) * atan2(p[4] - p[1], p[3] - p[0]);
}

// from place to place a path of radius 7 mm turns by 1.5 mm of it
static void check_arc(const dvNeedle *n, double first)
{
  size_t count = dv_needle_places(n);
  assert_true(count >= 4);
  check_close(heading_of(n, 0), first, 10);
  check_close(heading_of(n, count - 2) - heading_of(n, 0), 180 / acos(-1.0) * 0.0015 / 0.007 * (double)(count - 2), 3);
}

// an arc that is turned: down into the first edge, out of its side, into the side of the second, up and out of it
static void a_curved_stitch(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene_file("scenes/instrument/stitch.scn", 2);
  const dvNeedle *left = (const dvNeedle *)check_find(s, "Left/channel"),
                 *right = (const dvNeedle *)check_find(s, "Right/channel");
  check_steps(s, 300);
  assert_int_equal(left->phase, 3);
  assert_int_equal(right->phase, 3);
  check_arc(left, -58);   // down, and then to the side
  check_arc(right, 43);   // and up
  check_steps(s, 550);    // the needle has left, the thread is in both channels
  assert_int_equal(left->phase, 3);
  assert_int_equal(right->phase, 3);
  check_close(gap_of(s, 0.0021), 0.004, 0.001);
  double before = left->along.data[0];
  assert_true(before < 0.04 && right->along.data[0] > before);
  check_steps(s, 600);
  double gap = gap_of(s, 0.0021);
  print_message("curved needle: the edges are %.2f mm apart\n", 1000 * gap);
  check_close(gap, 0, 0.0005);
  check_close_scene(&s);
}

static void a_knot_holds(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene_file("scenes/instrument/knot.scn", 2);
  const dvState *frames = dv_state(check_find(s, "Thread/frames"));
  const dvBeams *beams = dv_beams(check_find(s, "Thread/beams"));
  check_steps(s, 1100);
  const double *x = dv_state_read(frames, DV_X);
  size_t last = frames->count - 1;
  double least = INFINITY, length = beams->reach.data[beams->reach.count - 1],
         ends = dv_vec3_norm(dv_vec3_sub(dv_vec3_load(x + 7 * last), dv_vec3_load(x)));
  assert_true(ends < length - 0.008);   // what the knot takes
  // and still it is taut
  for (size_t i = 2; i <= last - 4; i += last - 6) {
    double stretch =
        dv_vec3_norm(dv_vec3_sub(dv_vec3_load(x + 7 * (i + 1)), dv_vec3_load(x + 7 * i))) / beams->lengthList.data[i] -
        1;
    double pull = stretch * 5e7 * acos(-1.0) * 0.0004 * 0.0004;
    if (!(pull > 0.2)) fail_msg("beam %zu is pulled with %g N", i, pull);
  }
  for (size_t i = 0; i <= last; i++)
    for (size_t k = i + 4; k <= last; k++)
      least = fmin(least, dv_vec3_norm(dv_vec3_sub(dv_vec3_load(x + 7 * k), dv_vec3_load(x + 7 * i))));
  assert_true(least > 0.0007);   // it has not passed through itself
  check_close_scene(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_stitch), cmocka_unit_test(a_curved_stitch),
                                     cmocka_unit_test(a_knot_holds)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
