// Newton's iterations: quadratic convergence, the line search, every measure of convergence; statics against closed
// forms and against dense iterations.
#include "ode/newton.h"
#include "support/check.h"
#include "support/fd.h"
#include "support/scene.h"

#include <stdlib.h>
#include <string.h>

// --- scalar equations ----------------------------------------------------------------------------

typedef struct Scalar {
  dvNonlinear function;
  double (*value)(double q), (*slope)(double q);
  double q, r, dq;
  int evaluations;
} Scalar;

static double scalar_evaluate(dvNonlinear *f)
{
  Scalar *s = (Scalar *)f;
  s->r = s->value(s->q);
  s->evaluations++;
  return s->r * s->r;
}
static dvStatus scalar_correct(dvNonlinear *f)
{
  Scalar *s = (Scalar *)f;
  s->dq = -s->r / s->slope(s->q);
  return DV_OK;
}
static void scalar_advance(dvNonlinear *f, double alpha) { ((Scalar *)f)->q += alpha * ((Scalar *)f)->dq; }
static double scalar_correction2(dvNonlinear *f) { return ((Scalar *)f)->dq * ((Scalar *)f)->dq; }
static double scalar_guess2(dvNonlinear *f) { return ((Scalar *)f)->q * ((Scalar *)f)->q; }

static double scalar_slope(dvNonlinear *f) { return ((Scalar *)f)->r * ((Scalar *)f)->dq; }

static double square_minus_two(double q) { return q * q - 2; }
static double twice(double q) { return 2 * q; }
static double arc(double q) { return atan(q); }
static double arc_slope(double q) { return 1 / (1 + q * q); }
static double two_wells(double q) { return q * q * q - q; }   // energy q^4 / 4 - q^2 / 2
static double two_wells_slope(double q) { return 3 * q * q - 1; }

static Scalar equation(double (*value)(double), double (*slope)(double), double q)
{
  return (Scalar){{scalar_evaluate, scalar_correct, scalar_advance, scalar_correction2, scalar_guess2, scalar_slope},
                  value,
                  slope,
                  q,
                  0,
                  0,
                  0};
}

// settings as they would stand in a scene; the status comes back as text
static dvStatus solve(const char *settings, Scalar *s, char *status, size_t size, double *graph, size_t *count)
{
  dvText text = {0};
  dv_text_printf(&text,
                 "<Node><NewtonRaphsonSolver name='newton' warnWhenLineSearchFails='0' warnWhenDiverge='0' %s/></Node>",
                 settings);
  dvScene *scene = check_scene(text.text, 1);
  dv_text_free(&text);
  dvObject *newton = check_find(scene, "newton");
  dvStatus result = dv_newton_solve(newton, &s->function);
  dv_field_print(dv_object_field(newton, "status"), &text);
  snprintf(status, size, "%s", text.text);
  dv_text_free(&text);
  const dvReals *r = dv_object_field(newton, "residualGraph")->value;
  for (size_t i = 0; graph && i < r->count; i++) graph[i] = r->data[i];
  if (count) *count = r->count;
  check_close_scene(&scene);
  return result;
}

#define THRESHOLDS(successive, initial, absolute)                                                   \
  "relativeSuccessiveStoppingThreshold='" successive "' relativeInitialStoppingThreshold='" initial \
  "' absoluteResidualStoppingThreshold='" absolute "' "
#define OFF THRESHOLDS("0", "0", "0")

static void convergence_is_quadratic(void **state)
{
  DV_UNUSED(state);
  char status[64];
  double graph[16], q = 2;
  size_t count;
  Scalar s = equation(square_minus_two, twice, q);
  solve(OFF "maxNbIterationsNewton='5'", &s, status, sizeof status, graph, &count);
  assert_int_equal(count, 6);
  for (size_t i = 0; i < count; i++, q = 0.5 * (q + 2 / q)) check_close(sqrt(graph[i]), fabs(q * q - 2), 1e-15);
  check_close(s.q, sqrt(2), 1e-15);
  assert_string_equal(status, "DivergedMaxIterations");
}

static void each_measure_stops_the_iterations(void **state)
{
  DV_UNUSED(state);
  // guesses 2, 1.5, 1.41667, 1.414216, …: residuals 2, 0.25, 0.00694, 6.007e-6, 4.5e-12
  const struct {
    const char *settings, *status;
    int evaluations;
  } cases[] = {
      {THRESHOLDS("0.03", "0", "0"), "ConvergedResidualSuccessiveRatio", 3},
      {THRESHOLDS("0", "0.01", "0"), "ConvergedResidualInitialRatio", 3},
      {THRESHOLDS("0", "0", "1e-5"), "ConvergedAbsoluteResidual", 4},
      {OFF "absoluteEstimateDifferenceThreshold='0.1'", "ConvergedAbsoluteEstimateDifference", 3},
      {OFF "relativeEstimateDifferenceThreshold='0.06'", "ConvergedRelativeEstimateDifference", 3},
      {THRESHOLDS("0", "0", "3"), "ConvergedEquilibrium", 1},
  };
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    char settings[512], status[64];
    snprintf(settings, sizeof settings, "maxNbIterationsNewton='20' %s", cases[i].settings);
    Scalar s = equation(square_minus_two, twice, 2);
    solve(settings, &s, status, sizeof status, NULL, NULL);
    assert_string_equal(status, cases[i].status);
    assert_int_equal(s.evaluations, cases[i].evaluations);
  }
}

// atan from 2: full steps leap further and further away
static void the_line_search_saves_what_full_steps_lose(void **state)
{
  DV_UNUSED(state);
  char status[64];
  Scalar s = equation(arc, arc_slope, 2);
  solve("maxNbIterationsNewton='6' maxNbIterationsLineSearch='1'", &s, status, sizeof status, NULL, NULL);
  assert_string_equal(status, "DivergedMaxIterations");
  assert_true(fabs(s.q) > 100);
  s = equation(arc, arc_slope, 2);
  solve("maxNbIterationsNewton='10' maxNbIterationsLineSearch='8'", &s, status, sizeof status, NULL, NULL);
  check_close(s.q, 0, 1e-5);
  // one try more than fails: the full step is taken after all
  s = equation(arc, arc_slope, 200);
  solve(OFF "maxNbIterationsNewton='1' maxNbIterationsLineSearch='2'", &s, status, sizeof status, NULL, NULL);
  check_close(s.q, 200 - atan(200) * (1 + 200.0 * 200), 1e-6);
  assert_int_equal(s.evaluations, 4);
}

#define BY_SLOPE "maxNbIterationsNewton='20' maxNbIterationsLineSearch='10' lineSearchCriterion='slope' "

// by the slope of the energy: a step that is far too long is cut at once, and no correction leads to a maximum
static void slopes_lead_to_minima(void **state)
{
  DV_UNUSED(state);
  char status[64];
  Scalar s = equation(arc, arc_slope, 20);
  solve(BY_SLOPE, &s, status, sizeof status, NULL, NULL);
  check_close(s.q, 0, 1e-4);
  for (int sign = -1; sign <= 1; sign += 2) {
    s = equation(two_wells, two_wells_slope, 0.3 * sign);   // Newton's correction points to the maximum at 0
    solve(BY_SLOPE, &s, status, sizeof status, NULL, NULL);
    check_close(s.q, sign, 1e-4);
  }
  // a full step that goes on downhill is taken as it is
  s = equation(square_minus_two, twice, 2);
  solve(OFF BY_SLOPE, &s, status, sizeof status, NULL, NULL);
  check_close(s.q, sqrt(2), 1e-14);
}

// --- what the equation and the iterations tell each other ---

typedef struct Talking {
  Scalar scalar;
  dvNewtonTalk talk;
  int corrections, indefinite;
} Talking;

static dvStatus talking_correct(dvNonlinear *f)
{
  Talking *t = (Talking *)f;
  double j = t->scalar.slope(t->scalar.q) + t->talk.shift;
  t->talk.indefinite = !(j > 0);
  t->corrections++;
  t->indefinite += t->talk.indefinite;
  t->scalar.dq = -t->scalar.r / j;
  return DV_OK;
}

static dvStatus solve_talking(const char *settings, Talking *t)
{
  char *text = dv_format("<Node><NewtonRaphsonSolver name='newton' warnWhenLineSearchFails='0' warnWhenDiverge='0' "
                         "%s/></Node>",
                         settings);
  dvScene *scene = check_scene(text, 1);
  dvStatus result = dv_newton_solve_talking(check_find(scene, "newton"), &t->scalar.function, &t->talk);
  check_close_scene(&scene);
  dv_free(text);
  return result;
}

// where J is not positive a part of the mass is added until it is, and the iterations go down from there; a residual
// that is known is not computed again
static void mass_is_added_where_j_is_not_positive(void **state)
{
  DV_UNUSED(state);
  Talking t = {.scalar = equation(two_wells, two_wells_slope, 0.3)};   // J = -0.73
  t.scalar.function.correct = talking_correct;
  assert_int_equal(solve_talking(BY_SLOPE, &t), DV_OK);
  check_close(t.scalar.q, 1, 1e-4);
  assert_int_equal(t.indefinite, 1);   // the first; J + 4 is positive
  int evaluations = t.scalar.evaluations;
  assert_true(t.corrections <= 15);
  check_close(t.talk.first2, two_wells(0.3) * two_wells(0.3), 1e-15);
  Talking known = {.scalar = equation(two_wells, two_wells_slope, 0.3)};
  known.scalar.function.correct = talking_correct;
  known.talk = (dvNewtonTalk){.evaluated = true, .residual2 = known.scalar.function.evaluate(&known.scalar.function)};
  known.scalar.evaluations = 0;
  assert_int_equal(solve_talking(BY_SLOPE, &known), DV_OK);
  check_close(known.scalar.q, t.scalar.q, 0);
  assert_int_equal(known.scalar.evaluations, evaluations - 1);
  // by residuals nothing is added
  Talking plain = {.scalar = equation(two_wells, two_wells_slope, 0.3)};
  plain.scalar.function.correct = talking_correct;
  solve_talking("maxNbIterationsNewton='20'", &plain);
  check_close(plain.talk.shift, 0, 0);
  check_close(plain.scalar.q, 0, 1e-4);
}

// a part of r that slopes do not know of: where they lead uphill the full step is taken if the residual falls
// two tries do not suffice for a correction that is 300 times too long: it is not taken, and the next one is shorter
static void a_search_without_end_does_not_leave(void **state)
{
  DV_UNUSED(state);
  Scalar s = equation(arc, arc_slope, 200);
  char status[64];
  solve("maxNbIterationsNewton='5' maxNbIterationsLineSearch='2' lineSearchCriterion='slope' ", &s, status,
        sizeof status, NULL, NULL);
  check_close(s.q, 200, 1e-9);
  Talking t = {.scalar = equation(arc, arc_slope, 200)};
  t.scalar.function.correct = talking_correct;
  assert_int_equal(
      solve_talking("maxNbIterationsNewton='20' maxNbIterationsLineSearch='2' lineSearchCriterion='slope' ", &t),
      DV_OK);
  if (!(t.scalar.q < 195 && t.scalar.q > -195)) print_error("from 200 to %g\n", t.scalar.q);
  assert_true(t.scalar.q < 195 && t.scalar.q > -195);
}

static void a_residual_that_falls_is_enough_beside_slopes(void **state)
{
  DV_UNUSED(state);
  Talking t = {.scalar = equation(two_wells, two_wells_slope, 0.2), .talk = {.partial = true}};
  assert_int_equal(solve_talking(BY_SLOPE, &t), DV_OK);
  check_close(t.scalar.q, 0, 1e-4);   // Newton's correction, not turned round
}

static void bad_settings_are_refused(void **state)
{
  DV_UNUSED(state);
  assert_true(fd_fails("<Node><NewtonRaphsonSolver maxNbIterationsNewton='-1'/></Node>"));
  assert_true(fd_fails("<Node><NewtonRaphsonSolver lineSearchCoefficient='0'/></Node>"));
  assert_true(fd_fails("<Node><NewtonRaphsonSolver lineSearchCoefficient='nan'/></Node>"));
  assert_true(fd_fails("<Node><BDFOdeSolver/><CGLinearSolver/><MechanicalObject/><UniformMass/></Node>"));
  assert_true(fd_fails("<Node><BDFOdeSolver/><NewtonRaphsonSolver/><MechanicalObject/><UniformMass/></Node>"));
  assert_true(fd_fails("<Node><StaticSolver/><MechanicalObject/></Node>"));
  assert_true(
      fd_fails("<Node><StaticSolver newtonSolver='@mo'/><CGLinearSolver/><MechanicalObject name='mo'/></Node>"));
  assert_true(fd_fails("<Node><BDFOdeSolver "
                       "order='13'/><NewtonRaphsonSolver/><CGLinearSolver/><MechanicalObject/><UniformMass/></Node>"));
}

// --- statics -------------------------------------------------------------------------------------

#define CG "<CGLinearSolver iterations='200' tolerance='1e-15' threshold='1e-300'/>"

// n masses m under g on springs of stiffness k: spring i carries all that hangs below it
static void a_hanging_chain_has_its_closed_form(void **state)
{
  DV_UNUSED(state);
  enum { N = 10 };
  const double k = 50, m = 0.2, g = 9.81;
  dvText t = {0};
  dv_text_printf(&t,
                 "<Node gravity='0 %g 0' dt='1'><DefaultAnimationLoop/><Node name='A'><StaticSolver/>" CG
                 "<NewtonRaphsonSolver maxNbIterationsNewton='10' "
                 "absoluteResidualStoppingThreshold='1e-10'/><MechanicalObject name='mo' position='",
                 -g);
  for (int i = 0; i <= N; i++) dv_text_printf(&t, "0 %d 0 ", -i);
  dv_text_printf(
      &t, "'/><UniformMass vertexMass='%g'/><FixedProjectiveConstraint indices='0'/><SpringForceField spring='", m);
  for (int i = 0; i < N; i++) dv_text_printf(&t, "%d %d %g 0 1 ", i, i + 1, k);
  dv_text_add(&t, "'/></Node></Node>");
  dvScene *s = check_scene(t.text, 1);
  dv_text_free(&t);
  check_steps(s, 1);
  double y = 0;
  for (int i = 1; i <= N; i++) {
    y -= 1 + (N - i + 1) * m * g / k;
    check_close(check_value(s, "A/mo", DV_X, (size_t)(3 * i + 1)), y, 1e-10);
    check_close(check_value(s, "A/mo", DV_X, (size_t)(3 * i)), 0, 1e-12);
    check_close(check_value(s, "A/mo", DV_V, (size_t)(3 * i + 1)), 0, 0);
  }
  dvState *mo = dv_state(check_find(s, "A/mo"));
  uint64_t hash = dv_hash_bytes(dv_state_read(mo, DV_X), dv_state_scalars(mo, DV_X) * sizeof(double), 0);
  check_steps(s, 3);   // equilibrium stays
  assert_true(dv_hash_bytes(dv_state_read(mo, DV_X), dv_state_scalars(mo, DV_X) * sizeof(double), 0) == hash);
  check_close_scene(&s);
}

#define TRUSS                                                                                                        \
  "<MechanicalObject name='mo' position='0 0 0  2 0 0  1 1.5 0.4  1 0.6 1.2  0.9 0.5 0.3'/><UniformMass "            \
  "vertexMass='1'/>"                                                                                                 \
  "<FixedProjectiveConstraint indices='0 1 2'/>"                                                                     \
  "<SpringForceField name='ff' spring='0 3 80 0 1 1 3 60 0 1.1 2 3 90 0 0.9 0 4 70 0 1 1 4 50 0 1 2 4 40 0 1.2 3 4 " \
  "100 0 0.7'/>"

static bool gauss(double *a, double *b, int n)
{
  for (int i = 0; i < n; i++) {
    int p = i;
    for (int r = i + 1; r < n; r++)
      if (fabs(a[r * n + i]) > fabs(a[p * n + i])) p = r;
    if (a[p * n + i] == 0) return false;
    for (int c = 0; c < n; c++) {
      double swap = a[i * n + c];
      a[i * n + c] = a[p * n + c], a[p * n + c] = swap;
    }
    double swap = b[i];
    b[i] = b[p], b[p] = swap;
    for (int r = i + 1; r < n; r++) {
      double f = a[r * n + i] / a[i * n + i];
      for (int c = i; c < n; c++) a[r * n + c] -= f * a[i * n + c];
      b[r] -= f * b[i];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int c = i + 1; c < n; c++) b[i] -= a[i * n + c] * b[c];
    b[i] /= a[i * n + i];
  }
  return true;
}

// the same iterations with the dense stiffness of the force and elimination, on the two free points
static void statics_follow_dense_iterations(void **state)
{
  DV_UNUSED(state);
  enum { STEPS = 6, FREE = 6, FIRST = 9 };
  dvScene *s = check_scene("<Node gravity='0 -10 2' dt='1'><DefaultAnimationLoop/><Node name='A'><StaticSolver/>" CG
                           "<NewtonRaphsonSolver maxNbIterationsNewton='1' warnWhenDiverge='0' "
                           "warnWhenLineSearchFails='0' absoluteResidualStoppingThreshold='0'/>" TRUSS "</Node></Node>",
                           1);
  fdScene dense = fd_open("<Node>" TRUSS "</Node>");
  dvObject *force = fd_find(&dense, "ff"), *mo = fd_find(&dense, "mo");
  for (int step = 0; step < STEPS; step++) {
    size_t n;
    double *k = fd_dense_stiffness(force, -1, 0, &n), a[FREE * FREE], b[FREE];
    const double *f = fd_force_on(force, mo);
    const double weight[3] = {0, -10, 2};
    for (int r = 0; r < FREE; r++) {
      b[r] = f[FIRST + r] + weight[r % 3];
      for (int c = 0; c < FREE; c++) a[r * FREE + c] = k[(size_t)(FIRST + r) * n + (size_t)(FIRST + c)];
    }
    dv_free(k);
    assert_true(gauss(a, b, FREE));
    double *x = dv_state_write(dv_state(mo), DV_X);
    for (int r = 0; r < FREE; r++) x[FIRST + r] += b[r];
    check_steps(s, 1);
    for (int r = 0; r < FREE; r++) check_close(check_value(s, "A/mo", DV_X, (size_t)(FIRST + r)), x[FIRST + r], 1e-11);
  }
  fd_close(&dense);
  check_close_scene(&s);
}

// the settings of older scenes reach the solver that is made
static void old_settings_make_a_newton_solver(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      "<Node gravity='0 -10 2' dt='1'><DefaultAnimationLoop/><Node name='A'><StaticSolver newton_iterations='17' "
      "absolute_residual_tolerance_threshold='1e-8'/>" CG TRUSS "</Node></Node>",
      1);
  dvObject *newton = check_find(s, "A/NewtonRaphsonSolver1");
  assert_int_equal(*(int32_t *)dv_object_field(newton, "maxNbIterationsNewton")->value, 17);
  check_close(*(double *)dv_object_field(newton, "absoluteResidualStoppingThreshold")->value, 1e-8, 0);
  check_steps(s, 1);
  double sum = 0;
  const double *f = dv_state_read(dv_state(check_find(s, "A/mo")), DV_F);
  for (int i = 0; i < 15; i++) sum += f[i] * f[i];
  check_close(sqrt(sum), 0, 1e-3);
  check_close_scene(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(convergence_is_quadratic),
      cmocka_unit_test(each_measure_stops_the_iterations),
      cmocka_unit_test(the_line_search_saves_what_full_steps_lose),
      cmocka_unit_test(slopes_lead_to_minima),
      cmocka_unit_test(mass_is_added_where_j_is_not_positive),
      cmocka_unit_test(a_search_without_end_does_not_leave),
      cmocka_unit_test(a_residual_that_falls_is_enough_beside_slopes),
      cmocka_unit_test(bad_settings_are_refused),
      cmocka_unit_test(a_hanging_chain_has_its_closed_form),
      cmocka_unit_test(statics_follow_dense_iterations),
      cmocka_unit_test(old_settings_make_a_newton_solver),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
