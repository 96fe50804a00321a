// SpringForceField: forces against closed forms and differences, for every kind of state, within one and between two.
#include "support/check.h"
#include "support/fd.h"

#include "base/text.h"

static const double *force_of(const fdScene *s, const char *state, const char *force)
{
  return fd_force_on(fd_find(s, force), fd_find(s, state));
}

// f = ks (d - l) + kd v, along the spring
static void two_points(void **state)
{
  DV_UNUSED(state);
  fdScene s = fd_open("<Node><MechanicalObject name='dofs' position='0 0 0  3 4 0' velocity='0 0 0  0.6 0.8 5'/>"
                      "<SpringForceField name='ff' spring='0 1 10 2 4'/></Node>");
  const double *f = force_of(&s, "dofs", "ff");
  double size = 10 * (5 - 4) + 2 * 1;   // stretched by 1, at a speed of 1
  check_close(f[0], 0.6 * size, 1e-12);
  check_close(f[1], 0.8 * size, 1e-12);
  check_close(f[3], -0.6 * size, 1e-12);
  check_close(f[5], 0, 1e-12);
  check_close(fd_energy_of(fd_find(&s, "ff")), 5, 1e-12);
  fd_close(&s);
}

static void check_kind(const char *dof, const char *points)
{
  char *text =
      dv_format("<Node><MechanicalObject template='%s' position='%s'/>"
                "<SpringForceField template='%s' name='ff' spring='0 1 10 0 0.4  1 2 7 0 0.2  0 2 3 0 2'/></Node>",
                dof, points, dof);
  fdScene s = fd_open(text);
  fdOptions o = fd_options();
  o.checks |= FD_SYMMETRY;
  o.tolerance = 1e-5;
  assert_true(fd_check_force(fd_find(&s, "ff"), &o));
  fd_close(&s);
  dv_free(text);
}

static void every_kind_of_state(void **state)
{
  DV_UNUSED(state);
  check_kind("Vec1", "0 1 2.5");
  check_kind("Vec2", "0 0  1 0.2  2 1");
  check_kind("Vec3", "0 0 0  1 0.2 0.4  2 1 -1");
  check_kind("Vec6", "0 0 0 0 0 0  1 0.2 0.4 0.5 1 0  2 1 -1 0 0 1");
  check_kind("Rigid3", "0 0 0 0 0 0 1  1 0.2 0.4 0 0 0.6 0.8  2 1 -1 0 0 0 1");
}

// forces of the two states add up to zero, and the coupling blocks are assembled
static void between_two_states(void **state)
{
  DV_UNUSED(state);
  fdScene s = fd_open("<Node><Node name='A'><MechanicalObject name='a' position='0 0 0  1 0 0'/></Node>"
                      "<Node name='B'><MechanicalObject name='b' position='0 1 0  1 1 0.5  2 2 2'/></Node>"
                      "<SpringForceField name='ff' object1='@A/a' object2='@B/b' springsIndices1='0 1 1' "
                      "springsIndices2='0 1 2' stiffness='10 20 30'"
                      " damping='0' lengths='0.5'/></Node>");
  fdOptions o = fd_options();
  o.checks |= FD_SYMMETRY;
  assert_true(fd_check_force(fd_find(&s, "ff"), &o));
  fd_close(&s);
}

static void springs_that_only_pull_or_are_off(void **state)
{
  DV_UNUSED(state);
  fdScene s = fd_open("<Node><MechanicalObject name='dofs' position='0 0 0  1 0 0  3 0 0  7 0 0'/>"
                      "<SpringForceField name='ff' springsIndices1='0 1 2' springsIndices2='1 2 3' stiffness='10' "
                      "damping='0' lengths='3 1 1'"
                      " elongationOnly='1 1 0' enabled='1 1 0'/></Node>");
  const double *f = force_of(&s, "dofs", "ff");
  check_close(f[0], 0, 0);   // shorter than at rest: does not push
  check_close(f[3], 10, 1e-12);
  check_close(f[6], -10, 1e-12);
  check_close(f[9], 0, 0);   // switched off
  fd_close(&s);
}

static void repulsive_springs_only_push(void **state)
{
  DV_UNUSED(state);
  fdScene s = fd_open("<Node><MechanicalObject name='dofs' position='0 0 0  1 0 0  3 0 0'/>"
                      "<RepulsiveSpringForceField name='ff' spring='0 1 10 0 3  1 2 10 0 1'/></Node>");
  const double *f = force_of(&s, "dofs", "ff");
  check_close(f[0], -20, 1e-12);
  check_close(f[3], 20, 1e-12);
  check_close(f[6], 0, 0);
  fdOptions o = fd_options();
  assert_true(fd_check_force(fd_find(&s, "ff"), &o));
  fd_close(&s);
}

// ends that coincide have no direction: no force, no number that is not finite
static void coinciding_ends(void **state)
{
  DV_UNUSED(state);
  fdScene s = fd_open("<Node><MechanicalObject name='dofs' position='1 1 1  1 1 1'/><SpringForceField name='ff' "
                      "spring='0 1 10 1 1'/></Node>");
  const double *f = force_of(&s, "dofs", "ff");
  for (int i = 0; i < 6; i++) check_close(f[i], 0, 0);
  fd_close(&s);
}

// the springs follow lists of indices that change
static void lists_that_change(void **state)
{
  DV_UNUSED(state);
  fdScene s = fd_open("<Node><MechanicalObject name='dofs' position='0 0 0  1 0 0  3 0 0'/>"
                      "<SpringForceField name='ff' indices1='0' indices2='1' stiffness='10' damping='0'/></Node>");
  check_close(force_of(&s, "dofs", "ff")[0], 10, 1e-12);
  dvObject *ff = fd_find(&s, "ff");
  assert_int_equal(dv_object_set(ff, "springsIndices2", "2"), DV_OK);
  check_close(force_of(&s, "dofs", "ff")[0], 30, 1e-12);
  fd_close(&s);
}

static void bad_springs_are_refused(void **state)
{
  DV_UNUSED(state);
  const char *bad[] = {"0 7 10 1 1", "0 -1 10 1 1", "0 0.5 10 1 1", "0 1 nan 1 1", "0 99999999999 1 1 1"};
  for (size_t i = 0; i < DV_COUNT(bad); i++) {
    char *text = dv_format(
        "<Node><MechanicalObject position='0 0 0  1 0 0'/><SpringForceField name='ff' spring='%s'/></Node>", bad[i]);
    assert_true(fd_fails(text));
    dv_free(text);
  }
}

// a mass on a spring: period 2 pi sqrt(m / k), found with a small step of symplectic Euler
static void period_of_an_oscillator(void **state)
{
  DV_UNUSED(state);
  fdScene s = fd_open("<Node gravity='0 0 0' dt='0.0001'><MechanicalObject name='dofs' position='0 0 0  1.5 0 "
                      "0'/><SpringForceField name='ff' spring='0 1 4 0 1'/></Node>");
  dvState *dofs = dv_state(fd_find(&s, "dofs"));
  double *x = dv_state_write(dofs, DV_X), v = 0, mass = 0.25, dt = 1e-4, last = 0;
  int crossings = 0;
  for (int i = 0; i < 20000; i++) {
    v += dt * force_of(&s, "dofs", "ff")[3] / mass;
    double before = x[3];
    x[3] += dt * v;
    if (before > 1 && x[3] <= 1 && ++crossings == 1) last = i * dt;
    else if (before > 1 && x[3] <= 1 && crossings == 2)
      check_close(i * dt - last, 2 * acos(-1.0) * sqrt(mass / 4), 2e-4);
  }
  assert_true(crossings >= 2);
  fd_close(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_points),
      cmocka_unit_test(every_kind_of_state),
      cmocka_unit_test(between_two_states),
      cmocka_unit_test(springs_that_only_pull_or_are_off),
      cmocka_unit_test(repulsive_springs_only_push),
      cmocka_unit_test(coinciding_ends),
      cmocka_unit_test(lists_that_change),
      cmocka_unit_test(bad_springs_are_refused),
      cmocka_unit_test(period_of_an_oscillator),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
