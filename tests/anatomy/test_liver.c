// Vessels stiffen an organ along their axis: a bar with a fibre, in closed form, and the liver of scenes/anatomy.
#include "support/check.h"
#include "support/scene.h"

#include "divan/divan.h"
#include "state/state.h"

#include <math.h>
#include <string.h>

static double potential_of(dvScene *s)
{
  dvMech m = {.x = DV_X, .v = DV_V, .f = DV_F, .dx = DV_DX, .df = DV_DF, .dt = s->root->dt, .time = s->root->time};
  double kinetic, potential;
  dv_mech_energy(s->plan, &m, &kinetic, &potential);
  return potential;
}

// A bar of length 6 and section 1, Poisson's ratio 0, stretched by its end: the energy is (E A + E_f A_f) e^2 L / 2
// with a fibre of stiffness E_f and section A_f along all of it, whatever its way between the ends of the cells.
static double energy_with(const char *fibre)
{
  dvText text = {0};
  dv_text_printf(
      &text,
      "<Node dt='1' gravity='0 0 0'><DefaultAnimationLoop/><Node name='Bar'><EulerImplicitSolver/>"
      "<SparseLDLSolver/><RegularGridTopology name='grid' n='7 3 3' min='0 -0.5 -0.5' max='6 0.5 0.5'/>"
      "<MechanicalObject name='points'/><UniformMass totalMass='0.001'/>"
      "<TetrahedronFEMForceField youngModulus='1000' poissonRatio='0' method='large'/>"
      "<BoxROI name='left' box='-0.1 -1 -1 0.1 1 1'/><BoxROI name='right' box='5.9 -1 -1 6.1 1 1'/>"
      "<FixedProjectiveConstraint indices='@left.indices'/>"
      "<LinearMovementProjectiveConstraint indices='@right.indices' keyTimes='0 1 1000' movements='0 0 0  6e-5 0 0  "
      "6e-5 "
      "0 0'/>%s</Node></Node>",
      fibre);
  dvScene *scene = check_scene(text.text, 1);
  check_steps(scene, 40);
  double energy = potential_of(scene);
  check_close_scene(&scene);
  dv_text_free(&text);
  return energy;
}

static void a_vessel_stiffens_along_its_axis(void **state)
{
  DV_UNUSED(state);
  const double strain = 1e-5, length = 6;   // small: rotations of elements are of second order
  double plain = energy_with("");
  check_close(plain, 1000 * strain * strain * length / 2, 1e-5 * plain);
  // a tube a thousand times as stiff as the bar: outer radius 0.1, inner 0.08
  double area = M_PI * (0.1 * 0.1 - 0.08 * 0.08);
  double with =
      energy_with("<Node><MechanicalObject name='frames' template='Rigid3' position='0 0.1 0.2 0 0 0 1  1.3 0.1 0.2 0 "
                  "0 0 1  3 0.1 0.2 0 0 0 1  4.9 0.1 0.2 0 0 0 1  6 0.1 0.2 0 0 0 1'/><MeshTopology edges='0 1 1 2 2 "
                  "3 3 4'/><BarycentricMapping input='@../points' output='@frames'/><BeamFEMForceField "
                  "radius='0.1' radiusInner='0.08' youngModulus='1e6' poissonRatio='0.3'/></Node>");
  check_close(with, (1000 + 1e6 * area) * strain * strain * length / 2, 1e-5 * with);
}

// how deep the lowest point of the liver hangs after it has come down
static double depth_with(const char *walls)
{
  dvContext *context = divan_create(1);
  dvScene *scene = divan_load(context, DIVAN_SOURCE_DIR "/scenes/anatomy/liver/scene.scn");
  assert_non_null(scene);
  assert_int_equal(divan_set(scene, "/Body/liver/portal/walls", "youngModulus", walls), DIVAN_OK);
  assert_int_equal(divan_set(scene, "/Body/liver/veins/walls", "youngModulus", walls), DIVAN_OK);
  assert_int_equal(divan_init(scene), DIVAN_OK);
  for (int i = 0; i < 40; i++) assert_int_equal(divan_step(scene, 0), DIVAN_OK);
  size_t count;
  const double *x = divan_read(scene, "/Body/liver/dofs", "position", &count);
  double lowest = 0;
  for (size_t i = 1; i < count; i += 3) lowest = fmin(lowest, x[i]);
  divan_close(&scene);
  divan_destroy(&context);
  return lowest;
}

static void vessels_carry_the_liver(void **state)
{
  DV_UNUSED(state);
  double soft = depth_with("1"), stiff = depth_with("4e6");
  print_message("lowest point %.4f m with walls, %.4f m without\n", stiff, soft);
  assert_true(stiff > soft + 1e-3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_vessel_stiffens_along_its_axis),
                                     cmocka_unit_test(vessels_carry_the_liver)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
