// Order of convergence of every integrator: the error at a fixed time falls by 2^order when the step is halved, on an
// oscillator, a pendulum on a spring, and a stiff bar in its first mode. Energy over many periods for the symplectic
// ones.
#include "support/check.h"
#include "support/scene.h"

#include <string.h>

#define CG "<CGLinearSolver iterations='200' tolerance='1e-15' threshold='1e-300'/>"
#define NEWTON                                                                               \
  "<NewtonRaphsonSolver maxNbIterationsNewton='20' relativeSuccessiveStoppingThreshold='0' " \
  "warnWhenLineSearchFails='0'"                                                              \
  " relativeInitialStoppingThreshold='1e-13' absoluteResidualStoppingThreshold='1e-14' warnWhenDiverge='0'/>"

typedef struct Method {
  const char *name, *solver;
  double order;
  bool staggered;   // velocities half a step behind
} Method;

static const Method methods[] = {
    {"explicit Euler", "<EulerExplicitSolver symplectic='0'/>", 1, false},
    {"symplectic Euler", "<EulerExplicitSolver/>", 1, false},
    {"central differences", "<CentralDifferenceSolver/>", 2, true},
    {"Runge-Kutta 2", "<RungeKutta2Solver/>", 2, false},
    {"Runge-Kutta 4", "<RungeKutta4Solver/>", 4, false},
    {"backward Euler", "<EulerImplicitSolver/>" CG, 1, false},
    {"Euler, trapezoidal", "<EulerImplicitSolver trapezoidalScheme='1'/>" CG, 2, false},
    {"Newmark", "<NewmarkImplicitSolver/>" CG, 2, false},
    {"Newmark, gamma 0.6", "<NewmarkImplicitSolver gamma='0.6' beta='0.3025'/>" CG, 1, false},
    {"BDF 1", "<BDFOdeSolver/>" CG NEWTON, 1, false},
    {"BDF 2", "<BDFOdeSolver order='2'/>" CG NEWTON, 2, false},
    {"variational", "<VariationalSymplecticSolver steps='30' newtonError='1e-15'/>" CG, 2, false},
    {"variational, explicit", "<VariationalSymplecticSolver explicitIntegration='1'/>", 1, false},
};

// --- three problems ------------------------------------------------------------------------------

enum { BAR = 8 };

typedef struct Problem {
  const char *name;
  double time;
  int steps;                                          // the coarser of two runs
  void (*content)(dvText *t);                         // state, mass, forces
  void (*reference)(double *x);                       // positions at the time
  void (*acceleration)(const double *x, double *a);   // at the start, for staggered velocities
  size_t scalars;
} Problem;

// x'' = -100 x from x = 1
static void oscillator_content(dvText *t)
{
  dv_text_add(t,
              "<MechanicalObject name='mo' template='Vec1' position='1' rest_position='0'/><UniformMass totalMass='1'/>"
              "<RestShapeSpringsForceField points='0' stiffness='100'/>");
}
static void oscillator_reference(double *x) { x[0] = cos(10 * 0.5); }
static void oscillator_acceleration(const double *x, double *a) { a[0] = -100 * x[0]; }

// a mass of 2 on a spring of length 1 and stiffness 300, held at the origin, let go from (1, 0, 0.3)
static void pendulum_content(dvText *t)
{
  dv_text_add(t, "<MechanicalObject name='mo' position='0 0 0 1 0 0.3'/><UniformMass vertexMass='2'/>"
                 "<SpringForceField spring='0 1 300 0 1'/><FixedProjectiveConstraint indices='0'/>");
}

static void pendulum_acceleration(const double *x, double *a)
{
  double length = sqrt(x[3] * x[3] + x[4] * x[4] + x[5] * x[5]), pull = -300 * (length - 1) / length / 2;
  for (int i = 0; i < 3; i++) a[i] = 0, a[3 + i] = pull * x[3 + i];
  a[4] -= 10;
}

// fourth order with a step so small that its error does not count
static void pendulum_reference(double *out)
{
  double x[6] = {0, 0, 0, 1, 0, 0.3}, v[6] = {0}, h = 0.5 / 20000;
  for (int n = 0; n < 20000; n++) {
    double xs[4][6], vs[4][6], as[4][6];
    for (int s = 0; s < 4; s++) {
      double c = s == 0 ? 0 : s == 3 ? h : h / 2;
      for (int i = 0; i < 6; i++) {
        xs[s][i] = x[i] + (s ? c * vs[s - 1][i] : 0);
        vs[s][i] = v[i] + (s ? c * as[s - 1][i] : 0);
      }
      pendulum_acceleration(xs[s], as[s]);
    }
    for (int i = 0; i < 6; i++) {
      x[i] += h / 6 * (vs[0][i] + 2 * vs[1][i] + 2 * vs[2][i] + vs[3][i]);
      v[i] += h / 6 * (as[0][i] + 2 * as[1][i] + 2 * as[2][i] + as[3][i]);
    }
  }
  memcpy(out, x, sizeof x);
}

// points 1 apart on springs of stiffness 1e6, mass 1 each, the first one held; its first mode has the frequency
// 2 sqrt(k/m) sin(pi / (2 (2 n + 1)))
static const double bar_stiffness = 1e6;
static double bar_shape(int i) { return 0.01 * sin(acos(-1.0) * i / (2.0 * BAR + 1)); }
static double bar_frequency(void) { return 2 * sqrt(bar_stiffness) * sin(acos(-1.0) / (2 * (2.0 * BAR + 1))); }

static void bar_content(dvText *t)
{
  dv_text_add(t, "<MechanicalObject name='mo' position='");
  for (int i = 0; i <= BAR; i++) dv_text_printf(t, "%.17g 0 0 ", i + bar_shape(i));
  dv_text_add(t, "'/><UniformMass vertexMass='1'/><FixedProjectiveConstraint indices='0'/><SpringForceField spring='");
  for (int i = 0; i < BAR; i++) dv_text_printf(t, "%d %d %g 0 1 ", i, i + 1, bar_stiffness);
  dv_text_add(t, "'/>");
}
static void bar_reference(double *x)
{
  memset(x, 0, 3 * (BAR + 1) * sizeof *x);
  for (int i = 0; i <= BAR; i++) x[3 * i] = i + bar_shape(i) * cos(bar_frequency() * 0.01);
}
static void bar_acceleration(const double *x, double *a)
{
  memset(a, 0, 3 * (BAR + 1) * sizeof *a);
  for (int i = 1; i <= BAR; i++) a[3 * i] = -bar_frequency() * bar_frequency() * (x[3 * i] - i);
}

static const Problem oscillator = {
    "oscillator", 0.5, 200, oscillator_content, oscillator_reference, oscillator_acceleration, 1};
static const Problem pendulum = {"pendulum", 0.5, 200, pendulum_content, pendulum_reference, pendulum_acceleration, 6};
static const Problem bar = {"stiff bar", 0.01, 200, bar_content, bar_reference, bar_acceleration, 3 * (BAR + 1)};

// --- the check -----------------------------------------------------------------------------------

static double error_with(const Method *method, const Problem *problem, int steps)
{
  double h = problem->time / steps, reference[64], start[64], a[64];
  dvText text = {0};
  dv_text_printf(&text, "<Node gravity='0 %d 0' dt='%.17g'><DefaultAnimationLoop/><Node name='A'>%s",
                 problem == &pendulum ? -10 : 0, h, method->solver);
  problem->content(&text);
  dv_text_add(&text, "</Node></Node>");
  dvScene *s = check_scene(text.text, 1);
  dv_text_free(&text);
  dvState *state = dv_state(check_find(s, "A/mo"));
  if (method->staggered) {
    memcpy(start, dv_state_read(state, DV_X), problem->scalars * sizeof *start);
    problem->acceleration(start, a);
    double *v = dv_state_write(state, DV_V);
    for (size_t i = 0; i < problem->scalars; i++) v[i] = -h / 2 * a[i];
  }
  check_steps(s, steps);
  problem->reference(reference);
  double sum = 0;
  const double *x = dv_state_read(state, DV_X);
  for (size_t i = 0; i < problem->scalars; i++) sum += (x[i] - reference[i]) * (x[i] - reference[i]);
  check_close_scene(&s);
  return sqrt(sum);
}

static void check_orders(const Problem *problem)
{
  for (size_t i = 0; i < DV_COUNT(methods); i++) {
    double coarse = error_with(&methods[i], problem, problem->steps),
           fine = error_with(&methods[i], problem, 2 * problem->steps);
    double order = log2(coarse / fine);
    print_message("%-12s %-22s errors %.3g %.3g, order %.2f\n", problem->name, methods[i].name, coarse, fine, order);
    check_close(order, methods[i].order, 0.15);
  }
}

static void orders_on_an_oscillator(void **state)
{
  DV_UNUSED(state);
  check_orders(&oscillator);
}

static void orders_on_a_pendulum(void **state)
{
  DV_UNUSED(state);
  check_orders(&pendulum);
}

static void orders_on_a_stiff_bar(void **state)
{
  DV_UNUSED(state);
  check_orders(&bar);
}

static double bdf_error(int order)
{
  char solver[512];
  snprintf(solver, sizeof solver, "<BDFOdeSolver order='%d' keepHistory='1'/>" CG NEWTON, order);
  double error = error_with(&(Method){.solver = solver}, &oscillator, 200);
  print_message("BDF %d: error %.3g\n", order, error);
  return error;
}

// the start with lower orders limits all of them to second order, but with a smaller constant
static void higher_formulas_are_more_exact(void **state)
{
  DV_UNUSED(state);
  double first = bdf_error(1), second = bdf_error(2);
  assert_true(second < 0.1 * first);
  for (int order = 3; order <= 6; order++) assert_true(bdf_error(order) < 0.5 * second);
}

// without history the formulas of order 2 and 3 are backward Euler with steps of 2/3 and 6/11: the velocity and
// position follow
static void formulas_without_history_do_as_sofa_does(void **state)
{
  DV_UNUSED(state);
  const double parts[] = {1, 2.0 / 3, 6.0 / 11};
  for (int order = 1; order <= 3; order++) {
    char text[1024];
    snprintf(text, sizeof text,
             "<Node gravity='-9.81 0 0' dt='0.01'><DefaultAnimationLoop/><Node name='A'><BDFOdeSolver order='%d' "
             "keepHistory='0' "
             "rayleighMass='0.01' rayleighStiffness='0.02'/>" CG NEWTON
             "<MechanicalObject name='mo' template='Vec1' position='1' rest_position='0'/><UniformMass totalMass='1'/>"
             "<RestShapeSpringsForceField points='0' stiffness='100'/></Node></Node>",
             order);
    dvScene *s = check_scene(text, 1);
    double x = 1, v = 0;
    for (int n = 0; n < 20; n++) {
      double h = 0.01 * parts[n < order ? n : order - 1];
      v = (v + h * (-9.81 - 100 * x)) / (1 + h * 0.01 + h * (h + 0.02) * 100);
      x += h * v;
    }
    check_steps(s, 20);
    check_close(check_value(s, "A/mo", DV_X, 0), x, 1e-13);
    check_close(check_value(s, "A/mo", DV_V, 0), v, 1e-12);
    check_close_scene(&s);
  }
}

// 10,000 periods with 20 steps each: the largest energy of the last ten periods against that of the first ten
static double energy_growth(const char *solver)
{
  char text[1024];
  snprintf(text, sizeof text,
           "<Node gravity='0 0 0' dt='%.17g'><DefaultAnimationLoop/><Node name='A'>%s"
           "<MechanicalObject name='mo' template='Vec1' position='1' rest_position='0'/><UniformMass totalMass='1'/>"
           "<RestShapeSpringsForceField points='0' stiffness='1'/></Node></Node>",
           2 * acos(-1.0) / 20, solver);
  dvScene *s = check_scene(text, 1);
  double largest[2] = {0};
  const int steps = 200000;
  for (int i = 0; i < steps; i++) {
    check_steps(s, 1);
    if (i >= 200 && i < steps - 200) continue;
    double x = check_value(s, "A/mo", DV_X, 0), v = check_value(s, "A/mo", DV_V, 0), e = 0.5 * (x * x + v * v);
    if (e > largest[i >= 200]) largest[i >= 200] = e;
  }
  check_close_scene(&s);
  print_message("%.40s...: %.15g, later %.15g\n", solver, largest[0], largest[1]);
  return largest[1] / largest[0] - 1;
}

static void symplectic_methods_keep_their_energy(void **state)
{
  DV_UNUSED(state);
  const char *solvers[] = {"<EulerExplicitSolver/>", "<CentralDifferenceSolver/>", "<NewmarkImplicitSolver/>" CG,
                           "<VariationalSymplecticSolver steps='1' computeHamiltonian='0'/>" CG,
                           "<VariationalSymplecticSolver explicitIntegration='1'/>"};
  for (size_t i = 0; i < DV_COUNT(solvers); i++) check_close(energy_growth(solvers[i]), 0, 1e-3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(orders_on_an_oscillator),
      cmocka_unit_test(orders_on_a_pendulum),
      cmocka_unit_test(orders_on_a_stiff_bar),
      cmocka_unit_test(higher_formulas_are_more_exact),
      cmocka_unit_test(formulas_without_history_do_as_sofa_does),
      cmocka_unit_test(symplectic_methods_keep_their_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
