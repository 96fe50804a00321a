// TetrahedronDiffusionFEMForceField: derivatives, linear fields, conduction through a bar, mistakes.
#include "support/check.h"
#include "support/fd.h"
#include "support/scene.h"

static char *bar_scene(const char *dof, const char *force, const char *more)
{
  dvText t = {0};
  dv_text_add(&t, "<Node><TetrahedronSetTopologyContainer name='mesh' ");
  check_add_tetra_box(&t, (const int[3]){3, 2, 2}, 0.5);
  dv_text_add(&t, "/><MechanicalObject name='positions' tags='meca'/><Node name='Heat'>");
  dv_text_printf(&t, "<MechanicalObject name='heat' template='%s' position='", dof);
  for (int i = 0; i < 36 * (dof[3] - '0'); i++) dv_text_printf(&t, "%g ", 0.1 * (i * 7 % 5));
  dv_text_printf(&t, "'/><TetrahedronDiffusionFEMForceField name='ff' topology='@../mesh' %s/>%s</Node></Node>", force, more);
  return t.text;
}

static void derivatives_are_exact(void **state)
{
  DV_UNUSED(state);
  static const char *const dofs[] = {"Vec1", "Vec2", "Vec3"};
  for (int i = 0; i < 3; i++) {
    char *text = bar_scene(dofs[i], "constantDiffusionCoefficient='3'", "");
    fdScene s = fd_open(text);
    fdOptions o = fd_options();
    o.checks |= FD_SYMMETRY;
    assert_true(fd_check_force(fd_find(&s, "ff"), &o));
    fd_close(&s);
    dv_free(text);
  }
}

// u = x: no flow inside, and D times the area through the ends
static void linear_fields_flow_evenly(void **state)
{
  DV_UNUSED(state);
  char *text = bar_scene("Vec1", "constantDiffusionCoefficient='3'", "");
  fdScene s = fd_open(text);
  dvState *heat = dv_state(fd_find(&s, "heat"));
  const double *x = dv_state_read(dv_state(fd_find(&s, "positions")), DV_X);
  for (size_t i = 0; i < heat->count; i++) dv_state_write(heat, DV_X)[i] = x[3 * i];
  const double *f = fd_force_on(fd_find(&s, "ff"), &heat->base);
  double in = 0;
  for (size_t i = 0; i < heat->count; i++) {
    if (x[3 * i] < 0.01) in += f[i];
    else if (x[3 * i] < 1.49) check_close(f[i], 0, 1e-13);
  }
  check_close(in, 3, 1e-12);   // D A du/dx = 3 x 1 x 1
  fd_close(&s);
  dv_free(text);
}

static void mistakes_are_told(void **state)
{
  DV_UNUSED(state);
  static const char *const bad[] = {"tagMechanics='nobody'", "tetraDiffusionCoefficient='1 2'", "anisotropyRatio='2'"};
  for (size_t i = 0; i < DV_COUNT(bad); i++) {
    char *text = bar_scene("Vec1", bad[i], "");
    assert_true(fd_fails(text));
    dv_free(text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_are_exact),
      cmocka_unit_test(linear_fields_flow_evenly),
      cmocka_unit_test(mistakes_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
