// The knee of scenes/mapping/Knee.scn: pulling the quadriceps extends the joint.
#include "math/vec.h"
#include "support/check.h"
#include "support/fd.h"
#include "support/scene.h"

enum { TIBIA = 1 };   // femur, tibia, fibula, patella
static const double degrees = 180 / 3.14159265358979323846;

// the angle between femur and tibia in the plane of the joint: 90 when sitting, 180 when stretched
static double knee_angle(dvScene *s)
{
  const double *tibia = dv_state_read(dv_state(check_find(s, "Knee/Bones/bones")), DV_X) + 7 * TIBIA;
  dvVec3 down = dv_quat_rotate(dv_quat_normalise(dv_quat_load(tibia + 3)), dv_vec3(0, -1, 0));
  return 90 + degrees * atan2(down.x, -down.y);
}

// how far the condyles have left the plateau of the tibia, at most
static double dislocation(dvScene *s)
{
  static const size_t pairs[4][2] = {{0, 8}, {0, 23}, {1, 9}, {1, 24}};
  const double *x = dv_state_read(dv_state(check_find(s, "Knee/Bones/Attachments/points")), DV_X),
               rest = sqrt(0.018 * 0.018 + 0.03 * 0.03);
  double most = 0;
  for (size_t i = 0; i < 4; i++)
    most = fmax(
        most,
        fabs(dv_vec3_norm(dv_vec3_sub(dv_vec3_load(x + 3 * pairs[i][0]), dv_vec3_load(x + 3 * pairs[i][1]))) - rest));
  return most;
}

static double tension(dvScene *s)
{
  const double *x = dv_state_read(dv_state(check_find(s, "Knee/Bones/Attachments/points")), DV_X);
  return 1e5 * fmax(0, dv_vec3_norm(dv_vec3_sub(dv_vec3_load(x + 3 * 19), dv_vec3_load(x + 3 * 13))) - 0.083361);
}

static void pulling_the_tendon_extends_the_knee(void **state)
{
  (void)state;
  dvScene *s = check_scene_file("scenes/mapping/Knee.scn", 1);
  check_close(knee_angle(s), 90, 1e-9);
  check_steps(s, 40);
  double before = knee_angle(s);
  check_close(before, 90, 1);   // the shank hangs still
  for (int i = 0; i < 4; i++) {
    check_steps(s, 50);
    assert_true(knee_angle(s) > before + 8);   // it goes on and on
    before = knee_angle(s);
  }
  check_steps(s, 120);
  check_close(knee_angle(s), 135, 3);
  check_close(dislocation(s), 0, 1e-3);
  // the tendon carries the shank: its moment about the joint, with an arm of about 4 cm
  double weight = 9.81 * (3 * 0.22 + 0.5 * 0.22) * sin((knee_angle(s) - 90) / degrees);
  assert_true(tension(s) * 0.055 > weight);
  assert_true(tension(s) * 0.035 < 1.5 * weight);
  check_close_scene(&s);
}

static void nothing_moves_without_a_pull(void **state)
{
  (void)state;
  dvScene *s = check_scene_file("scenes/mapping/Knee.scn", 1);
  assert_int_equal(dv_object_set(check_find(s, "Knee/Quadriceps/pull"), "movements", "0 0 0  0 0 0  0 0 0  0 0 0"),
                   DV_OK);
  check_steps(s, 300);
  check_close(knee_angle(s), 90, 1);
  check_close(dislocation(s), 0, 5e-4);
  check_close_scene(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(pulling_the_tendon_extends_the_knee),
                                     cmocka_unit_test(nothing_moves_without_a_pull)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
