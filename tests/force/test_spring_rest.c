// RestShapeSpringsForceField: pull back to the rest shape or to another state.
#include "support/check.h"
#include "support/fd.h"

#include "math/vec.h"

#include <string.h>

static void held_at_rest(void **state)
{
  DV_UNUSED(state);
  fdScene s =
      fd_open("<Node><MechanicalObject name='dofs' rest_position='0 0 0  1 0 0  2 0 0' position='0 1 0  1 0 0  3 0 1'/>"
              "<RestShapeSpringsForceField name='ff' points='0 2' stiffness='10 20'/></Node>");
  const double *f = fd_force_on(fd_find(&s, "ff"), fd_find(&s, "dofs"));
  check_close(f[1], -10, 1e-14);
  check_close(f[6], -20, 1e-14);
  check_close(f[8], -20, 1e-14);
  check_close(fd_energy_of(fd_find(&s, "ff")), 5 + 20, 1e-12);
  fdOptions o = fd_options();
  o.checks |= FD_SYMMETRY;
  assert_true(fd_check_force(fd_find(&s, "ff"), &o));
  fd_close(&s);
}

static void held_by_another_state(void **state)
{
  DV_UNUSED(state);
  fdScene s = fd_open("<Node><Node name='A'><MechanicalObject name='dofs' position='0 0 0  1 0 0'/>"
                      "<RestShapeSpringsForceField name='ff' points='1' external_points='2' "
                      "external_rest_shape='@../B/other' activeDirections='1 0 1'/></Node>"
                      "<Node name='B'><MechanicalObject name='other' position='0 0 0  1 0 0  1 5 2'/></Node></Node>");
  const double *f = fd_force_on(fd_find(&s, "ff"), fd_find(&s, "dofs"));
  check_close(f[3], 0, 0);
  check_close(f[4], 0, 0);         // free along y
  check_close(f[5], 200, 1e-12);   // 100 by default
  fdOptions o = fd_options();
  assert_true(fd_check_force(fd_find(&s, "ff"), &o));
  fd_close(&s);
}

// a frame turned by an angle gets a torque against it; force against energy holds for any angle, the stiffness near
// rest
static void frames(void **state)
{
  DV_UNUSED(state);
  fdScene s = fd_open("<Node><MechanicalObject template='Rigid3' name='dofs' position='1 2 3 0 0 0 1'/>"
                      "<RestShapeSpringsForceField name='ff' stiffness='11' angularStiffness='12'/></Node>");
  dvState *dofs = dv_state(fd_find(&s, "dofs"));
  double *x = dv_state_write(dofs, DV_X);
  dv_quat_store(x + 3, dv_quat_from_axis(dv_vec3(0, 1, 0), 0.5));
  x[0] += 2;
  const double *f = fd_force_on(fd_find(&s, "ff"), &dofs->base);
  check_close(f[0], -22, 1e-12);
  check_close(f[4], -6, 1e-12);
  fdOptions o = fd_options();
  o.checks = FD_ENERGY | FD_ASSEMBLY;
  assert_true(fd_check_force(fd_find(&s, "ff"), &o));
  dv_quat_store(dv_state_write(dofs, DV_X) + 3, dv_quat_identity());
  o.checks = FD_STIFFNESS;
  o.move_x = 1e-3;
  o.tolerance = 1e-3;   // the derivative is the one at rest
  assert_true(fd_check_force(fd_find(&s, "ff"), &o));
  fd_close(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(held_at_rest), cmocka_unit_test(held_by_another_state),
                                     cmocka_unit_test(frames)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
