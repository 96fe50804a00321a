// MouseSpring: force and derivative by differences, where a held weight comes to rest, bad input.
#include "support/check.h"
#include "support/fd.h"
#include "support/scene.h"

static void test_derivatives(void **unused)
{
  DV_UNUSED(unused);
  fdScene s = fd_open("<Node><MechanicalObject name='dofs' position='0 0 0  1 2 3'/>"
                      "<MouseSpring name='ff' index='1' target='1 1 1' stiffness='50' active='1'/></Node>");
  fdOptions o = fd_options();
  o.checks |= FD_SYMMETRY;
  assert_true(fd_check_force(fd_find(&s, "ff"), &o));
  const double *f = fd_force_on(fd_find(&s, "ff"), fd_find(&s, "dofs"));
  check_close(f[4], -50, 1e-12);
  check_close(f[5], -100, 1e-12);
  fd_close(&s);
}

// the arm's own turning is left out of the derivative, so it is exact where the spring is at rest
static void test_frame(void **unused)
{
  DV_UNUSED(unused);
  fdScene s = fd_open("<Node><MechanicalObject template='Rigid3' name='dofs' position='1 0 0  0 0 0.70710678118654752 "
                      "0.70710678118654752'/>"
                      "<MouseSpring name='ff' index='0' arm='2 0 0' target='1 2 0' stiffness='10' active='1'/></Node>");
  fdOptions o = fd_options();
  o.checks = FD_STIFFNESS | FD_ASSEMBLY | FD_SYMMETRY;
  o.move_x = 0;
  assert_true(fd_check_force(fd_find(&s, "ff"), &o));
  fd_close(&s);
  s = fd_open("<Node><MechanicalObject template='Rigid3' name='dofs' position='0 0 0  0 0 0 1'/>"
              "<MouseSpring name='ff' index='0' arm='2 0 0' target='2 3 0' stiffness='10' active='1'/></Node>");
  o.checks = FD_ENERGY | FD_ASSEMBLY;
  assert_true(fd_check_force(fd_find(&s, "ff"), &o));
  const double *f = fd_force_on(fd_find(&s, "ff"), fd_find(&s, "dofs"));
  check_close(f[1], 30, 1e-12);
  check_close(f[5], 60, 1e-12);
  fd_close(&s);
}

static void test_bad_input(void **unused)
{
  DV_UNUSED(unused);
  assert_true(fd_fails("<Node><MechanicalObject position='0 0 0'/><MouseSpring index='1'/></Node>"));
  assert_true(fd_fails("<Node><MechanicalObject position='0 0 0'/><MouseSpring index='-1'/></Node>"));
  assert_true(fd_fails("<Node><MechanicalObject position='0 0 0'/><MouseSpring index='0' stiffness='-1'/></Node>"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_derivatives), cmocka_unit_test(test_frame),
                                     cmocka_unit_test(test_bad_input)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
