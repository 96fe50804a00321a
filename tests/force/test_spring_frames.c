// Springs between frames: joints, springs with arms, gears, angular springs.
#include "support/check.h"
#include "support/fd.h"

#include "base/text.h"
#include "math/vec.h"

#include <string.h>

#define TWO_FRAMES "<Node><MechanicalObject template='Rigid3' name='dofs' position='0 0 0 0 0 0 1  1 0 0 0 0 0 1'/>"

static void turn(const fdScene *s, size_t frame, dvVec3 axis, double angle)
{
  dv_quat_store(dv_state_write(dv_state(fd_find(s, "dofs")), DV_X) + 7 * frame + 3, dv_quat_from_axis(axis, angle));
}

static const double *force_of(const fdScene *s) { return fd_force_on(fd_find(s, "ff"), fd_find(s, "dofs")); }

// along a free axis the soft stiffness acts, along the others the hard one, in the axes of the first frame
static void joint_translation(void **state)
{
  DV_UNUSED(state);
  fdScene s = fd_open(TWO_FRAMES "<JointSpringForceField name='ff' spring='BEGIN_SPRING 0 1 FREE_AXIS 1 0 0 0 0 0 KS_T "
                                 "2 10 KS_R 0 30 KD 4 END_SPRING'/></Node>");
  dvState *dofs = dv_state(fd_find(&s, "dofs"));
  double *x = dv_state_write(dofs, DV_X), *v = dv_state_write(dofs, DV_V);
  x[7] = 3;
  x[8] = 1;
  v[6] = 0.5;
  const double *f = force_of(&s);
  check_close(f[0], 2 * 3 + 4 * 0.5, 1e-12);
  check_close(f[1], 10, 1e-12);
  check_close(f[6], -8, 1e-12);
  // the first frame turned by 90 degrees about z: its x is the world's y
  v[6] = 0;
  turn(&s, 0, dv_vec3(0, 0, 1), acos(-1.0) / 2);
  turn(&s, 1, dv_vec3(0, 0, 1), acos(-1.0) / 2);
  f = force_of(&s);
  check_close(f[0], 10 * 3, 1e-12);
  check_close(f[1], 2 * 1, 1e-12);
  fdOptions o = fd_options();
  o.checks = FD_ASSEMBLY | FD_SYMMETRY;
  assert_true(fd_check_force(fd_find(&s, "ff"), &o));
  fd_close(&s);
}

static double torque_about_x(const char *joint, double angle)
{
  char *text = dv_format(
      TWO_FRAMES "<JointSpringForceField name='ff' spring='BEGIN_SPRING 0 1 %s KS_R 2 30 KS_B 7 END_SPRING'/></Node>",
      joint);
  fdScene s = fd_open(text);
  turn(&s, 1, dv_vec3(1, 0, 0), angle);
  double torque = force_of(&s)[3];
  fd_close(&s);
  dv_free(text);
  return torque;
}

// hard when held, soft when free, and between the limits; beyond them the third stiffness pulls back to the limit
static void joint_rotation(void **state)
{
  DV_UNUSED(state);
  check_close(torque_about_x("FREE_AXIS 0 0 0 0 0 0", 0.4), 30 * 0.4, 1e-12);
  check_close(torque_about_x("FREE_AXIS 0 0 0 1 0 0", 0.4), 2 * 0.4, 1e-12);
  check_close(torque_about_x("FREE_AXIS 0 0 0 1 1 1", -0.4), -2 * 0.4, 1e-12);
  check_close(torque_about_x("FREE_AXIS 0 0 0 1 1 1 R_LIM_X -0.3 0.3", 0.4), 7 * 0.1, 1e-12);
  check_close(torque_about_x("FREE_AXIS 0 0 0 1 1 1 R_LIM_X -0.3 0.3", -0.5), -7 * 0.2, 1e-12);
  check_close(torque_about_x("R_LIM_X 0 0", 0.4), 30 * 0.4, 1e-12);
}

// near rest the derivative is that of the force
static void joint_derivative(void **state)
{
  DV_UNUSED(state);
  fdScene s =
      fd_open("<Node><Node name='A'><MechanicalObject template='Rigid3' name='a' position='0 0 0 0 0 0 1'/></Node>"
              "<Node name='B'><MechanicalObject template='Rigid3' name='b' position='0 0 0 0 0 0 1'/></Node>"
              "<JointSpringForceField name='ff' object1='@A/a' object2='@B/b' spring='BEGIN_SPRING 0 0 FREE_AXIS 1 0 0 "
              "0 0 0 KS_T 1 10 KS_R 3 20 END_SPRING'/></Node>");
  fdOptions o = fd_options();
  o.checks = FD_STIFFNESS | FD_ASSEMBLY | FD_SYMMETRY;
  o.move_x = 1e-3;
  o.tolerance = 2e-3;
  assert_true(fd_check_force(fd_find(&s, "ff"), &o));
  fd_close(&s);
}

static void constant_force_from_a_file(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir(), *in = check_write(directory, "push.txt", "1 2 3 4 5 6\n10 0 0 0 0 0\n"),
       *out = dv_format("%s/out.txt", directory);
  char *text = dv_format(
      "<Node><MechanicalObject template='Rigid3' name='dofs' position='0 0 0 0 0 0 1  0 0 0 0 0 0 1'/>"
      "<JointSpringForceField name='ff' infile='%s' outfile='%s' spring='BEGIN_SPRING 0 1 END_SPRING'/></Node>",
      in, out);
  fdScene s = fd_open(text);
  dvObject *ff = fd_find(&s, "ff");
  ff->node->scene->running = true;            // else nothing is written
  for (int round = 0; round < 2; round++) {   // a line for each step in turn, and from the start again
    const double *f = force_of(&s);
    for (int k = 0; k < 6; k++) check_close(f[k], k + 1, 1e-12);
    check_close(force_of(&s)[0], 1, 1e-12);
    ff->cls->end_step(ff);
    check_close(force_of(&s)[0], 10, 1e-12);
    ff->cls->end_step(ff);
  }
  fd_close(&s);
  FILE *written = fopen(out, "r");
  char line[8];
  assert_non_null(written);
  assert_non_null(fgets(line, sizeof line, written));
  assert_memory_equal(line, "T= 0", 4);
  fclose(written);
  dv_free(text);
  dv_free(in);
  dv_free(out);
  check_rmdir(directory);
}

// forces on the arms have their moments, and nothing acts on the whole
static void frames_with_arms(void **state)
{
  DV_UNUSED(state);
  fdScene s = fd_open(TWO_FRAMES "<FrameSpringForceField name='ff' spring='BEGIN_SPRING 0 1 KS_T 10 KS_R 6 VEC1 0 1 0 "
                                 "VEC2 0 1 0 END_SPRING'/></Node>");
  const double *f = force_of(&s);
  check_close(f[0], 10, 1e-12);
  check_close(f[5], -10, 1e-12);   // (0 1 0) x (10 0 0)
  check_close(f[6], -10, 1e-12);
  turn(&s, 1, dv_vec3(0, 1, 0), 0.3);
  f = force_of(&s);
  check_close(f[4], 6 * 0.3, 1e-12);
  check_close(f[10], -6 * 0.3, 1e-12);
  fdOptions o = fd_options();
  o.checks = FD_ASSEMBLY | FD_SYMMETRY;
  assert_true(fd_check_force(fd_find(&s, "ff"), &o));
  fd_close(&s);
}

// angles keep the ratio; a wheel that goes round more than once is counted on
static void gears(void **state)
{
  DV_UNUSED(state);
  fdScene s = fd_open(TWO_FRAMES "<GearSpringForceField name='ff' spring='BEGIN_SPRING 0 0 1 1 AXIS 2 2 KS_T 5 KS_R 7 "
                                 "11 KD 0 RATIO 2 END_SPRING'/></Node>");
  dvVec3 z = dv_vec3(0, 0, 1);
  turn(&s, 0, z, 0.2);
  const double *f = force_of(&s);
  check_close(f[5], -7 * 2 * 0.2, 1e-12);
  check_close(f[11], -7 * 2 * 0.2 / 2, 1e-12);
  turn(&s, 1, z, -0.4);
  check_close(force_of(&s)[5], 0, 1e-12);
  dvObject *ff = fd_find(&s, "ff");
  for (int i = 1; i <= 10; i++) {
    turn(&s, 0, z, 0.2 + i);
    f = force_of(&s);
    ff->cls->end_step(ff);
  }
  check_close(f[5], -7 * (2 * 10.2 - 0.4), 1e-11);
  // held at the start and upright
  dv_state_write(dv_state(fd_find(&s, "dofs")), DV_X)[0] = 0.1;
  turn(&s, 1, dv_vec3(1, 0, 0), 0.05);
  f = force_of(&s);
  check_close(f[0], -0.5, 1e-12);
  check_close(f[9], -11 * 0.05, 1e-12);
  fdOptions o = fd_options();
  o.checks = FD_ASSEMBLY | FD_SYMMETRY;
  o.move_x = 0.01;
  assert_true(fd_check_force(fd_find(&s, "ff"), &o));
  fd_close(&s);
}

static void gear_derivative(void **state)
{
  DV_UNUSED(state);
  fdScene s = fd_open("<Node><MechanicalObject template='Rigid3' name='dofs' position='0 0 0 0 0 0 1  0 0 0 0 0 0 1  2 "
                      "0 0 0 0 0 1  2 0 0 0 0 0 1'/>"
                      "<GearSpringForceField name='ff' spring='BEGIN_SPRING 0 1 2 3 AXIS 0 0 KS_T 5 KS_R 0 11 KD 0 "
                      "RATIO 2 END_SPRING'/></Node>");
  fdOptions o = fd_options();
  o.checks = FD_STIFFNESS;
  o.move_x = 1e-3;
  o.tolerance = 2e-3;
  assert_true(fd_check_force(fd_find(&s, "ff"), &o));
  fd_close(&s);
}

static void angular_springs(void **state)
{
  DV_UNUSED(state);
  fdScene s = fd_open(TWO_FRAMES "<AngularSpringForceField name='ff' indices='0 1' angularStiffness='9'/></Node>");
  turn(&s, 0, dv_vec3(0, 0, 1), 0.1);
  turn(&s, 1, dv_vec3(0, 0, 1), 0.6);
  const double *f = force_of(&s);
  check_close(f[11], -9 * 0.5, 1e-12);
  check_close(f[5], 9 * 0.5, 1e-12);
  fdOptions o = fd_options();
  o.checks = FD_ASSEMBLY | FD_SYMMETRY;
  assert_true(fd_check_force(fd_find(&s, "ff"), &o));
  fd_close(&s);
}

static void bad_texts_are_refused(void **state)
{
  DV_UNUSED(state);
  const char *bad[] = {"BEGIN_SPRING",
                       "BEGIN_SPRING 0 7 END_SPRING",
                       "BEGIN_SPRING 0 1 KS_X 3 END_SPRING",
                       "0 1 100 1 1",
                       "BEGIN_SPRING 0 1e30 END_SPRING",
                       "BEGIN_SPRING 0 1 KS_T 1 END_SPRING",
                       "BEGIN_SPRING 0 1 KD nan END_SPRING"};
  for (size_t i = 0; i < DV_COUNT(bad); i++) {
    char *text = dv_format(TWO_FRAMES "<JointSpringForceField spring='%s'/></Node>", bad[i]);
    assert_true(fd_fails(text));
    dv_free(text);
  }
}

// The pendulum of the documentation of 2011 (12.3.3), in its words: four bones on joints that turn about one axis.
// Joints hold to the millimetres that their stiffness leaves (a weight of 4 x 9.81 N in motion on 30,000 N/m), and
// nothing leaves the plane of the motion.
static void the_pendulum_of_the_documentation(void **state)
{
  DV_UNUSED(state);
#define BOTH " 0.707914 0 0 0.707914 "
#define JOINT(pair)                                                                                                  \
  "BEGIN_SPRING " pair " FREE_AXIS 0 0 0 0 1 0 KS_T 0.0 30000.0 KS_R 0.0 200000.0 KS_B 2000.0 KD 1.0 R_LIM_X -0.80 " \
  "0.80 R_LIM_Y -1.57 1.57 "                                                                                         \
  "R_LIM_Z 0.0 0.0 END_SPRING "
  fdScene s = fd_open("<Node gravity='0 -9.81 0' dt='0.005'><Node><Object type='CGImplicitSolver' iterations='100' "
                      "tolerance='1e-12' threshold='1e-20'/>"
                      "<Object type='MechanicalObject' template='Rigid' name='bones DOFs' position='0 0 0 0 0 0 1  1 0 "
                      "0 0 0 0 1  3 0 0 0 0 0 1  5 0 0 0 0 0 1  7 0 0 0 0 0 1'/>"
                      "<Object type='UniformMass' template='Rigid' name='bones mass' mass='1 1 [1 0 0,0 1 0,0 0 1]'/>"
                      "<Object type='FixedConstraint' template='Rigid' name='fixOrigin' indices='0'/><Node>"
                      "<Object type='MechanicalObject' template='Rigid' name='articulation points' position='0 0 0" BOTH
                      "-1 0 0" BOTH "1 0 0" BOTH "-1 0 0" BOTH "1 0 0" BOTH "-1 0 0" BOTH "1 0 0" BOTH "-1 0 0" BOTH
                      "1 0 0" BOTH "'/><Object type='RigidRigidMapping' repartition='1 2 2 2 2'/>"
                      "<Object type='JointSpringForceField' template='Rigid' name='joint springs' spring='" JOINT("0 1")
                          JOINT("2 3") JOINT("4 5") JOINT("6 7") "'/>"
                                                                 "</Node></Node></Node>");
  dvState *bones = dv_state(fd_find(&s, "bones DOFs")), *ends = dv_state(fd_find(&s, "articulation points"));
  for (int step = 0; step < 60; step++) {
    assert_int_equal(dv_scene_step(s.scene, 0), DV_OK);
    const double *x = dv_state_read(ends, DV_X);
    for (int j = 0; j < 4; j++)
      check_close(dv_vec3_norm(dv_vec3_sub(dv_vec3_load(x + 14 * j + 7), dv_vec3_load(x + 14 * j))), 0, 0.02);
    for (int b = 0; b < 5; b++) check_close(dv_state_read(bones, DV_X)[7 * b + 2], 0, 1e-3);
  }
  assert_true(dv_state_read(bones, DV_X)[7 * 4 + 1] < -0.2);   // it falls
  fd_close(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_pendulum_of_the_documentation),
      cmocka_unit_test(joint_translation),
      cmocka_unit_test(joint_rotation),
      cmocka_unit_test(joint_derivative),
      cmocka_unit_test(constant_force_from_a_file),
      cmocka_unit_test(frames_with_arms),
      cmocka_unit_test(gears),
      cmocka_unit_test(gear_derivative),
      cmocka_unit_test(angular_springs),
      cmocka_unit_test(bad_texts_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
