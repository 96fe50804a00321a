// A free rigid body: energy and angular momentum stay, and the spin about the middle axis flips when Euler's equations
// say so.
#include "support/check.h"
#include "support/scene.h"

#include "mass/diagonal.h"
#include "math/vec.h"

static const double I1 = 1, I2 = 2, I3 = 3;   // kg m2 for 1 kg

static dvScene *open_body(const char *integrator, const char *mass, double dt, dvVec3 spin)
{
  char *text = dv_format("<Node gravity='0 0 0' dt='%.17g'>%s<MechanicalObject name='mo' template='Rigid3' position='1 "
                         "2 3 0 0 0 1  0 0 0 0 0.6 0 0.8' "
                         "velocity='0.1 0 0 %.17g %.17g %.17g  0 0 0 0 0 0'/>%s</Node>",
                         dt, integrator, spin.x, spin.y, spin.z, mass);
  dvScene *s = check_scene(text, 1);
  dv_free(text);
  return s;
}

#define UNIFORM "<UniformMass name='m' gyroscopic='1' vertexMass='1 1 [1 0 0,0 2 0,0 0 3]'/>"
#define DIAGONAL "<DiagonalMass name='m' gyroscopic='1' vertexMass='1 1 [1 0 0,0 2 0,0 0 3]  2 1 [1 0 0,0 1 0,0 0 1]'/>"

static dvMat3 rotation(dvScene *s)
{
  return dv_quat_to_matrix(dv_quat_load(dv_state_read(dv_state(check_find(s, "mo")), DV_X) + 3));
}
static dvVec3 spin(dvScene *s) { return dv_vec3_load(dv_state_read(dv_state(check_find(s, "mo")), DV_V) + 3); }
static dvVec3 spin_in_body(dvScene *s) { return dv_mat3_t_mul_vec(rotation(s), spin(s)); }

static dvVec3 momentum(dvScene *s)
{
  dvVec3 w = spin_in_body(s);
  return dv_mat3_mul_vec(rotation(s), dv_vec3(I1 * w.x, I2 * w.y, I3 * w.z));
}

static double energy(dvScene *s)
{
  dvObject *m = check_find(s, "m");
  return ((const dvMassOps *)dv_ops(m, DV_ROLE_MASS))->kinetic(m, DV_V);
}

static double complete_elliptic(double k2)   // of the first kind, by the arithmetic-geometric mean
{
  double a = 1, b = sqrt(1 - k2);
  for (int i = 0; i < 40; i++) {
    double mean = 0.5 * (a + b);
    b = sqrt(a * b);
    a = mean;
  }
  return acos(-1.0) / (2 * a);
}

// time between two equal states of the spin, for an energy above that of a spin about the middle axis (2 E I2 > L^2)
static double period(dvVec3 w)
{
  double e2 = I1 * w.x * w.x + I2 * w.y * w.y + I3 * w.z * w.z;
  double l2 = I1 * I1 * w.x * w.x + I2 * I2 * w.y * w.y + I3 * I3 * w.z * w.z;
  double p = sqrt((I2 - I1) * (e2 * I3 - l2) / (I1 * I2 * I3)),
         k2 = (I3 - I2) * (l2 - e2 * I1) / ((I2 - I1) * (e2 * I3 - l2));
  return 4 * complete_elliptic(k2) / p;
}

static void the_middle_axis_flips_on_time(void **state)
{
  DV_UNUSED(state);
  static const char *const masses[] = {UNIFORM, DIAGONAL};
  dvVec3 start = {0.05, 1, 0};
  double half = 0.5 * period(start);
  int steps = 20000;
  for (size_t i = 0; i < DV_COUNT(masses); i++) {
    dvScene *s = open_body("<RungeKutta4Solver/>", masses[i], half / steps, start);
    dvVec3 l = momentum(s);
    double e = energy(s);
    for (int turn = 1; turn <= 2; turn++) {   // upside down after half a period, as at the start after a whole one
      check_steps(s, steps);
      dvVec3 w = spin_in_body(s);
      check_close(w.y, turn == 1 ? -1 : 1, 1e-4);
      check_close(fabs(w.x), 0.05, 1e-3);
      check_close(w.z, 0, 1e-3);
    }
    check_close(energy(s), e, 1e-6 * e);
    dvVec3 now = momentum(s);
    check_close(now.x, l.x, 1e-6);
    check_close(now.y, l.y, 1e-6);
    check_close(now.z, l.z, 1e-6);
    check_close(check_value(s, "mo", DV_X, 0), 1 + 0.1 * 2 * half, 1e-9);
    check_close_scene(&s);
  }
}

// the error falls with the square of the step: frames are integrated stage by stage
static void conservation_gets_better_with_the_step(void **state)
{
  DV_UNUSED(state);
  double error[2];
  for (int i = 0; i < 2; i++) {
    dvScene *s = open_body("<RungeKutta4Solver/>", UNIFORM, i ? 0.01 : 0.02, dv_vec3(0.3, 1, 0.2));
    dvVec3 l = momentum(s);
    check_steps(s, i ? 1000 : 500);
    error[i] = dv_vec3_norm(dv_vec3_sub(momentum(s), l));
    check_close_scene(&s);
  }
  print_message("angular momentum after 10 s: off by %.2g with h = 0.02, %.2g with h = 0.01\n", error[0], error[1]);
  assert_true(error[1] < 0.3 * error[0] && error[0] < 1e-3);
}

// an implicit step takes the torque at its start: of first order, matrix-free and assembled alike
static void implicit_steps_converge(void **state)
{
  DV_UNUSED(state);
  static const char *const solvers[] = {"<CGLinearSolver iterations='20' tolerance='1e-14' threshold='1e-40'/>",
                                        "<SparseLDLSolver/>"};
  double end[2];
  for (int i = 0; i < 2; i++) {
    char *integrator = dv_format("<EulerImplicitSolver/>%s", solvers[i]);
    dvScene *s = open_body(integrator, UNIFORM, 0.0005, dv_vec3(0.05, 1, 0));
    dvVec3 l = momentum(s);
    check_steps(s, 2000);
    check_close(dv_vec3_norm(dv_vec3_sub(momentum(s), l)), 0, 2e-3);
    end[i] = spin(s).x;
    check_close_scene(&s);
    dv_free(integrator);
  }
  check_close(end[0], end[1], 1e-10);
}

// with the option off nothing turns: SOFA's spin stays what it is
static void without_it_the_spin_stays(void **state)
{
  DV_UNUSED(state);
  dvScene *s =
      open_body("<RungeKutta4Solver/>", "<UniformMass name='m' gyroscopic='0' vertexMass='1 1 [1 0 0,0 2 0,0 0 3]'/>",
                0.01, dv_vec3(0.3, 1, 0.2));
  check_steps(s, 100);
  check_close(spin(s).x, 0.3, 1e-15);
  check_close(spin(s).y, 1, 1e-15);
  check_close_scene(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_middle_axis_flips_on_time),
      cmocka_unit_test(conservation_gets_better_with_the_step),
      cmocka_unit_test(implicit_steps_converge),
      cmocka_unit_test(without_it_the_spin_stays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
