// Diffusion in tetrahedra: against the heat kernel, conservation, tags that keep it apart from mechanics.
#include "support/check.h"
#include "support/fd.h"
#include "support/scene.h"

#include "base/text.h"

#include <string.h>

#define HEAT_SOLVER \
  "<EulerImplicitSolver firstOrder='1'/><CGLinearSolver iterations='200' tolerance='1e-12' threshold='1e-40'/>"

// a box of n cells of 1 m, the values of its points all zero
static dvScene *open_box(const int n[3], double dt, const char *fields)
{
  dvText text = {0};
  size_t points = (size_t)(n[0] + 1) * (size_t)(n[1] + 1) * (size_t)(n[2] + 1);
  dv_text_printf(&text, "<Node dt='%g'><TetrahedronSetTopologyContainer name='mesh'", dt);
  check_add_tetra_box(&text, n, 1);
  dv_text_printf(
      &text,
      "/><MechanicalObject name='shape' tags='meca' position='@mesh.position'/><Node name='Heat'>" HEAT_SOLVER
      "<MechanicalObject template='Vec1' name='u' size='%zu'/>"
      "<TetrahedronDiffusionFEMForceField name='ff' %s/>"
      "<MeshMatrixMass name='mass' template='Vec1,Vec3' massDensity='1' topology='@../mesh' "
      "geometryState='@../shape'/></Node></Node>",
      points, fields);
  dvScene *s = check_scene(text.text, 1);
  dv_text_free(&text);
  return s;
}

// product of Gaussians of variance s2[k] about the middle of the box, with the integral of one of unit height and
// variance s0
static double kernel(const double *x, const int n[3], const double s2[3], double s0)
{
  double value = 1;
  for (int k = 0; k < 3; k++)
    if (n[k] > 1) {
      double d = x[k] - 0.5 * n[k];
      value *= sqrt(s0 / s2[k]) * exp(-0.5 * d * d / s2[k]);
    }
  return value;
}

static double total(dvScene *s)
{
  dvState *u = dv_state(check_find(s, "Heat/u"));
  dvObject *mass = check_find(s, "Heat/mass");
  double sum = 0;
  for (size_t i = 0; i < u->count; i++)
    sum += ((const dvMassOps *)dv_ops(mass, DV_ROLE_MASS))->of_element(mass, i) * dv_state_read(u, DV_X)[i];
  return sum;
}

// largest difference from the heat kernel after `steps`, over the largest value
static double error_of(const int n[3], const char *fields, const double diffusivity[3], double s0, double dt, int steps)
{
  dvScene *s = open_box(n, dt, fields);
  dvState *u = dv_state(check_find(s, "Heat/u")), *shape = dv_state(check_find(s, "shape"));
  const double *x = dv_state_read(shape, DV_X);
  double start[3] = {s0, s0, s0}, end[3], worst = 0, largest = 0;
  double *v = dv_state_write(u, DV_X);
  for (size_t i = 0; i < u->count; i++) v[i] = kernel(x + 3 * i, n, start, s0);
  double before = total(s);
  check_steps(s, steps);
  check_close(total(s), before, 1e-8 * fabs(before));
  for (int k = 0; k < 3; k++) end[k] = s0 + 2 * diffusivity[k] * dt * steps;
  for (size_t i = 0; i < u->count; i++) {
    double wanted = kernel(x + 3 * i, n, end, s0);
    worst = fmax(worst, fabs(dv_state_read(u, DV_X)[i] - wanted));
    largest = fmax(largest, wanted);
  }
  check_close_scene(&s);
  return worst / largest;
}

static void a_bar_follows_the_heat_kernel(void **state)
{
  DV_UNUSED(state);
  double error = error_of((int[3]){60, 1, 1}, "constantDiffusionCoefficient='2'", (double[3]){2, 2, 2}, 16, 0.02, 400);
  print_message("bar: %.2g of the largest value\n", error);
  assert_true(error < 0.004);
  // cells twice as large (in units of the kernel) and steps four times as long: four times the error
  double coarse = error_of((int[3]){30, 1, 1}, "constantDiffusionCoefficient='2'", (double[3]){2, 2, 2}, 4, 0.02, 100);
  check_close(coarse / error, 4, 1);
}

static void a_cube_follows_the_heat_kernel(void **state)
{
  DV_UNUSED(state);
  double error = error_of((int[3]){18, 18, 18}, "constantDiffusionCoefficient='1'", (double[3]){1, 1, 1}, 5, 0.05, 30);
  print_message("cube: %.2g of the largest value\n", error);
  assert_true(error < 0.05);
}

// four times the diffusivity along x
static void fibres_lead_along_themselves(void **state)
{
  DV_UNUSED(state);
  const int n[3] = {24, 12, 1};
  dvText fields = {0};
  dv_text_add(&fields, "constantDiffusionCoefficient='0.5' anisotropyRatio='4' transverseAnisotropyArray='");
  for (int i = 0; i < 5 * n[0] * n[1] * n[2]; i++) dv_text_add(&fields, i % 2 ? "3 0 0 " : "1 0 0 ");
  dv_text_add(&fields, "'");
  double error = error_of(n, fields.text, (double[3]){2, 0.5, 0.5}, 4, 0.02, 60);
  print_message("fibres: %.2g of the largest value\n", error);
  assert_true(error < 0.05);
  dv_text_free(&fields);
}

#define TETRAHEDRA                                                                                      \
  "<MechanicalObject name='shape' tags='meca' position='0 0 0  1 0 0  0 1 0  0.2 0.1 1  1.1 0.9 0.8'/>" \
  "<MeshTopology name='mesh' tetrahedra='0 1 2 3  1 2 3 4'/>"

static void derivatives(void **state)
{
  DV_UNUSED(state);
  static const char *const kinds[] = {"Vec1", "Vec2", "Vec3"};
  for (size_t i = 0; i < DV_COUNT(kinds); i++) {
    char *text =
        dv_format("<Node>" TETRAHEDRA "<Node name='Heat'><MechanicalObject template='%s' name='u' size='5'/>"
                  "<TetrahedronDiffusionFEMForceField name='ff' tetraDiffusionCoefficient='2 3' anisotropyRatio='2' "
                  "transverseAnisotropyArray='1 2 0  0 0 1'/></Node></Node>",
                  kinds[i]);
    fdScene s = fd_open(text);
    fdOptions o = fd_options();
    o.checks |= FD_SYMMETRY;
    assert_true(fd_check_force(fd_find(&s, "ff"), &o));
    // the same value everywhere: nothing flows
    dvState *u = dv_state(fd_find(&s, "u"));
    for (size_t k = 0; k < dv_state_scalars(u, DV_X); k++) dv_state_write(u, DV_X)[k] = 7;
    for (size_t k = 0; k < dv_state_scalars(u, DV_X); k++)
      check_close(fd_force_on(fd_find(&s, "ff"), &u->base)[k], 0, 0);
    fd_close(&s);
    dv_free(text);
  }
}

// a linear field in x has the flow D dT/dx: what comes out of the corners is D times the integral of grad N_i
static void a_linear_field_flows_evenly(void **state)
{
  DV_UNUSED(state);
  fdScene s = fd_open("<Node><MechanicalObject name='shape' tags='meca' position='0 0 0  2 0 0  0 3 0  0 0 "
                      "4'/><MeshTopology tetrahedra='0 1 2 3'/>"
                      "<Node name='Heat'><MechanicalObject template='Vec1' name='u' position='0 2 0 0'/>"
                      "<TetrahedronDiffusionFEMForceField name='ff' constantDiffusionCoefficient='5'/></Node></Node>");
  const double *f = fd_force_on(fd_find(&s, "ff"), fd_find(&s, "u"));
  check_close(f[1], -5 * 4 * 0.5, 1e-13);   // D V dN/dx dT/dx, V = 4
  check_close(f[0], 5 * 4 * 0.5, 1e-13);
  check_close(f[2], 0, 1e-14);
  check_close(f[3], 0, 1e-14);
  fd_close(&s);
}

#define MECHANICS                                                                                               \
  "<EulerImplicitSolver tags='mechanics'/><CGLinearSolver tags='mechanics' iterations='50' tolerance='1e-12' "  \
  "threshold='1e-40'/>"                                                                                         \
  "<MechanicalObject name='shape' tags='mechanics' position='0 0 0  1 0 0  0 1 0  0.2 0.1 1  1.1 0.9 0.8'/>"    \
  "<MeshTopology name='mesh' tetrahedra='0 1 2 3  1 2 3 4'/><UniformMass tags='mechanics' totalMass='1'/>"      \
  "<TetrahedronFEMForceField tags='mechanics' youngModulus='100'/><FixedProjectiveConstraint tags='mechanics' " \
  "indices='0'/>"
#define HEAT                                                                                                        \
  "<EulerImplicitSolver tags='heat' firstOrder='1'/><CGLinearSolver tags='heat' iterations='50' tolerance='1e-12' " \
  "threshold='1e-40'/>"                                                                                             \
  "<MechanicalObject name='u' tags='heat' template='Vec1' position='1 0 0 0 2'/>"                                   \
  "<TetrahedronDiffusionFEMForceField tags='heat' tagMechanics='mechanics' topology='@../mesh'/><UniformMass "      \
  "tags='heat' totalMass='1'/>"

// one graph with both gives each what it gives alone
static void tags_keep_heat_from_mechanics(void **state)
{
  DV_UNUSED(state);
  dvScene *both =
      check_scene("<Node gravity='0 -10 0' dt='0.01'><MultiTagAnimationLoop tags='mechanics heat'/><Node name='Body' "
                  "tags='mechanics'>" MECHANICS "<Node name='Heat' tags='heat'>" HEAT "</Node></Node></Node>",
                  1);
  dvScene *body = check_scene(
      "<Node gravity='0 -10 0' dt='0.01'><DefaultAnimationLoop/><Node name='Body'>" MECHANICS "</Node></Node>", 1);
  dvScene *heat = check_scene(
      "<Node gravity='0 -10 0' dt='0.01'><DefaultAnimationLoop/><Node name='Body'>"
      "<MechanicalObject name='shape' tags='mechanics' position='0 0 0  1 0 0  0 1 0  0.2 0.1 1  1.1 0.9 0.8'/>"
      "<MeshTopology name='mesh' tetrahedra='0 1 2 3  1 2 3 4'/><Node name='Heat'>" HEAT "</Node></Node></Node>",
      1);
  check_steps(both, 10);
  check_steps(body, 10);
  check_steps(heat, 10);
  for (size_t k = 0; k < 15; k++)
    check_close(check_value(both, "Body/shape", DV_X, k), check_value(body, "Body/shape", DV_X, k), 0);
  for (size_t k = 0; k < 5; k++)
    check_close(check_value(both, "Body/Heat/u", DV_X, k), check_value(heat, "Body/Heat/u", DV_X, k), 0);
  assert_true(check_value(body, "Body/shape", DV_X, 13) < 0.9 && check_value(heat, "Body/Heat/u", DV_X, 0) < 1);
  check_close_scene(&both);
  check_close_scene(&body);
  check_close_scene(&heat);
}

static void bad_input(void **state)
{
  DV_UNUSED(state);
  static const char *const wrong[] = {"tagMechanics='nobody'",
                                      "constantDiffusionCoefficient='-1'",
                                      "constantDiffusionCoefficient='nan'",
                                      "tetraDiffusionCoefficient='1'",
                                      "tetraDiffusionCoefficient='1 -1'",
                                      "anisotropyRatio='2'",
                                      "anisotropyRatio='-2' transverseAnisotropyArray='1 0 0  1 0 0'"};
  for (size_t i = 0; i < DV_COUNT(wrong); i++) {
    char *text = dv_format("<Node>" TETRAHEDRA "<Node name='Heat'><MechanicalObject template='Vec1' size='5'/>"
                           "<TetrahedronDiffusionFEMForceField %s/></Node></Node>",
                           wrong[i]);
    if (!fd_fails(text)) fail_msg("accepted: %s", wrong[i]);
    dv_free(text);
  }
  assert_true(
      fd_fails("<Node>" TETRAHEDRA
               "<Node><MechanicalObject template='Vec1' size='4'/><TetrahedronDiffusionFEMForceField/></Node></Node>"));
  assert_true(fd_fails(
      "<Node><MechanicalObject template='Vec1' size='4' tags='meca'/><TetrahedronDiffusionFEMForceField/></Node>"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_bar_follows_the_heat_kernel),
      cmocka_unit_test(a_cube_follows_the_heat_kernel),
      cmocka_unit_test(fibres_lead_along_themselves),
      cmocka_unit_test(derivatives),
      cmocka_unit_test(a_linear_field_flows_evenly),
      cmocka_unit_test(tags_keep_heat_from_mechanics),
      cmocka_unit_test(bad_input),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
