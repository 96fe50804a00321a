// Bodies whose motion is blended from frames: gradients against differences of points, materials against energies, a
// bar that bends as its model says.
#include "math/vec.h"
#include "support/check.h"
#include "support/fd.h"
#include "support/scene.h"

#include <string.h>

static const char frames[] =
    "<MechanicalObject name='f' template='Rigid3' rest_position='0 0 0 0 0 0 1 1 0.2 0 0.5 0.5 0.5 0.5 2 0 0.3 0 0 0 "
    "1' "
    "position='0 0.1 0 0.1 0 0 0.994987437 1.1 0.2 0 0.5 0.5 0.5 0.5 2.2 0.3 0.1 0 0 0.6 0.8'/>";

// columns of F are the slopes of the mapped points
static void gradients_are_slopes(void **state)
{
  (void)state;
  static const char *const shapes[] = {"Shepard' power='3", "Lines"};
  const double x[3] = {0.7, 0.15, 0.1}, h = 1e-5;
  for (size_t k = 0; k < DV_COUNT(shapes); k++) {
    dvText points = {0};
    for (int i = 0; i < 6; i++)
      dv_text_printf(&points, "%.17g %.17g %.17g ", x[0] + (i / 2 == 0) * (i % 2 ? -h : h),
                     x[1] + (i / 2 == 1) * (i % 2 ? -h : h), x[2] + (i / 2 == 2) * (i % 2 ? -h : h));
    char *text = dv_format(
        "<Node>%s<Node name='p'><MechanicalObject name='p' position='%s'/><FrameBlendingMapping shape='%s'/></Node>"
        "<Node name='g'><MechanicalObject name='g'/><FrameBlendingMapping gradients='1' integrationPoints='%g %g %g' "
        "shape='%s'/></Node></Node>",
        frames, points.text, shapes[k], x[0], x[1], x[2], shapes[k]);
    dvScene *s = check_scene(text, 1);
    for (size_t i = 0; i < 9; i++) {
      double slope =
          (check_value(s, "p/p", DV_X, 6 * (i / 3) + i % 3) - check_value(s, "p/p", DV_X, 6 * (i / 3) + 3 + i % 3)) /
          (2 * h);
      check_close(check_value(s, "g/g", DV_X, i), slope, 1e-8);
    }
    check_close_scene(&s);
    dv_free(text);
    dv_text_free(&points);
  }
}

// frames that move together carry everything rigidly: F is their rotation, and no material resists
static void a_rigid_motion_costs_nothing(void **state)
{
  (void)state;
  dvScene *s = check_scene("<Node gravity='0 0 0'><MechanicalObject name='f' template='Rigid3' rest_position='0 0 0 0 "
                           "0 0 1 1 0 0 0 0 0 1' position='3 0 0 0 0 0.6 0.8 3.28 0.96 0 0 0 0.6 0.8'/>"
                           "<Node name='g'><MechanicalObject name='g'/><FrameBlendingMapping gradients='1' "
                           "integrationPoints='0.3 0.2 0 0.9 0 0.4'/>"
                           "<GreenLagrangeForceField name='green'/><GreenLagrangeForceField name='corotational' "
                           "strain='Corotational'/><VolumePreservationForceField name='volume'/></Node></Node>",
                           1);
  const double turn[9] = {0.28, 0.96, 0, -0.96, 0.28, 0, 0, 0, 1};   // columns
  for (size_t i = 0; i < 18; i++) check_close(check_value(s, "g/g", DV_X, i), turn[i % 9], 1e-12);
  const char *names[] = {"g/green", "g/corotational", "g/volume"};
  for (size_t k = 0; k < 3; k++) {
    const double *f = fd_force_on(check_find(s, names[k]), check_find(s, "g/g"));
    for (size_t i = 0; i < 18; i++) check_close(f[i], 0, 1e-9);
  }
  check_close_scene(&s);
}

// energies of simple stretches, and everything against differences
static void materials_agree_with_their_energies(void **state)
{
  (void)state;
  static const struct {
    const char *force;
    double energy;   // of F = diag(1.1, 1, 1) and volume 2
  } cases[] = {
      {"<GreenLagrangeForceField name='ff' youngModulus='100' poissonRatio='0.25' volume='2'/>",
       2 * (40 + 20) * 0.105 * 0.105},   // mu = 40, lambda = 40, E = 0.105
      {"<GreenLagrangeForceField name='ff' youngModulus='100' poissonRatio='0.25' volume='2' strain='Corotational'/>",
       2 * (40 + 20) * 0.01},
      {"<VolumePreservationForceField name='ff' bulkModulus='100' volume='2'/>", 2 * 50 * 0.01},
  };
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    char *text = dv_format("<Node><MechanicalObject position='1.1 0 0 0 1 0 0 0 1'/>%s</Node>", cases[i].force);
    fdScene s = fd_open(text);
    fdOptions o = fd_options();
    o.checks |= FD_SYMMETRY;
    check_close(fd_energy_of(fd_find(&s, "ff")), cases[i].energy, 1e-12);
    assert_true(fd_check_force(fd_find(&s, "ff"), &o));
    fd_close(&s);
    dv_free(text);
  }
}

// the whole chain from the energy at integration points to forces on frames, with two materials
static void forces_reach_the_frames(void **state)
{
  (void)state;
  char *text = dv_format("<Node gravity='0 0 0'>%s<UniformMass totalMass='1'/><Node name='g'><MechanicalObject "
                         "name='g'/><FrameBlendingMapping gradients='1' "
                         "integrationPoints='0.3 0.2 0 0.9 0 0.4 1.7 0.1 0'/><GreenLagrangeForceField "
                         "youngModulus='100 200 50' volume='0.1'/><VolumePreservationForceField/></Node></Node>",
                         frames);
  fdScene s = fd_open(text);
  fdOptions o = fd_options();
  o.checks = FD_ENERGY | FD_ASSEMBLY;
  assert_true(fd_check_system(&s, &o));
  fd_close(&s);
  dv_free(text);
}

// sections of frames along a bar stay as they are: without Poisson's ratio that is Timoshenko's beam. Between two
// frames that differ by an angle a the shear varies by a (s - 1/2): with two integration points a segment that adds G A
// L a^2 / 16 to the bending energy E I a^2 / L.
static void a_bar_bends_like_a_beam(void **state)
{
  (void)state;
  dvText frame = {0}, points = {0};
  for (int i = 0; i <= 20; i++) dv_text_printf(&frame, "%g 0 0 0 0 0 1 ", 0.25 * i);
  for (int i = 0; i < 40 * 16; i++)
    dv_text_printf(&points, "%g %g %g ", 0.125 * (i / 16 + 0.5), -0.375 + 0.25 * (i / 4 % 4), -0.375 + 0.25 * (i % 4));
  char *text = dv_format(
      "<Node gravity='0 0 0' dt='0.1'><DefaultAnimationLoop/><Node name='bar'><StaticSolver/><NewtonRaphsonSolver "
      "maxNbIterationsNewton='10' warnWhenLineSearchFails='0'/><SparseLDLSolver/>"
      "<MechanicalObject name='f' template='Rigid3' position='%s'/><FixedProjectiveConstraint indices='0'/><Node "
      "name='g'><MechanicalObject name='g'/>"
      "<FrameBlendingMapping gradients='1' shape='Lines' integrationPoints='%s'/><GreenLagrangeForceField "
      "youngModulus='100000' poissonRatio='0' volume='%.17g' strain='Corotational'/></Node>"
      "<Node name='end'><MechanicalObject name='end' position='5 0 0'/><FrameBlendingMapping "
      "shape='Lines'/><ConstantForceField indices='0' forces='0 -10 0'/></Node></Node></Node>",
      frame.text, points.text, 5.0 / (40 * 16));
  dvScene *s = check_scene(text, 1);
  check_steps(s, 3);
  double moment = 1 / 12.0 * 15 / 16;   // of four rows of points
  double stiffer = 1 + 50000 * 0.25 * 0.25 / (16 * 100000 * moment);
  double bending = 10 * 125 / (3 * 100000 * moment) / stiffer, shear = 10 * 5 / 50000.0;
  check_close(-check_value(s, "bar/end/end", DV_X, 1), bending + shear, 0.003 * bending);
  check_close_scene(&s);
  dv_free(text);
  dv_text_free(&frame);
  dv_text_free(&points);
}

static void mistakes_are_told(void **state)
{
  (void)state;
  assert_true(fd_fails("<Node><MechanicalObject template='Rigid3' position='0 0 0 0 0 0 "
                       "1'/><Node><MechanicalObject/><FrameBlendingMapping gradients='1'/></Node></Node>"));
  assert_true(fd_fails("<Node><MechanicalObject template='Rigid3' position='0 0 0 0 0 0 "
                       "1'/><Node><MechanicalObject/><FrameBlendingMapping power='0'/></Node></Node>"));
  assert_true(fd_fails("<Node><MechanicalObject template='Rigid3' position='0 0 0 0 0 0 "
                       "1'/><Node><MechanicalObject/><FrameBlendingMapping shape='Lines'/></Node></Node>"));
  assert_true(fd_fails("<Node><MechanicalObject position='0 0 0 0 0 0'/><GreenLagrangeForceField/></Node>"));
  assert_true(fd_fails(
      "<Node><MechanicalObject position='1 0 0 0 1 0 0 0 1'/><GreenLagrangeForceField poissonRatio='0.5'/></Node>"));
  assert_true(fd_fails(
      "<Node><MechanicalObject position='1 0 0 0 1 0 0 0 1'/><VolumePreservationForceField volume='1 2'/></Node>"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradients_are_slopes),
      cmocka_unit_test(a_rigid_motion_costs_nothing),
      cmocka_unit_test(materials_agree_with_their_energies),
      cmocka_unit_test(forces_reach_the_frames),
      cmocka_unit_test(a_bar_bends_like_a_beam),
      cmocka_unit_test(mistakes_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
