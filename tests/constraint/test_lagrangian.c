// Lagrangian constraints: joined bodies beside the saddle-point system solved densely, laws beside closed forms, what
// is kept from step to step, live constraints and live forces in the compliance, bad input, threads.
#include "constraint/lagrangian/problem.h"
#include "linear/inverse.h"
#include "scene/live.h"
#include "support/check.h"
#include "support/fd.h"
#include "support/matrix.h"
#include "support/scene.h"

#include "math/dense.h"

#include <string.h>

// --- laws --------------------------------------------------------------------------------------------

static void random_compliance(uint64_t *seed, size_t n, double *w)
{
  double a[DV_LAW_ROWS * DV_LAW_ROWS];
  for (size_t i = 0; i < n * n; i++) a[i] = check_random(seed);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      w[i * n + j] = i == j ? 0.3 : 0;
      for (size_t k = 0; k < n; k++) w[i * n + j] += a[i * n + k] * a[j * n + k];
    }
}

static void violation(const double *w, const double *free, const double *lambda, size_t n, double *d)
{
  for (size_t i = 0; i < n; i++) {
    d[i] = free[i];
    for (size_t k = 0; k < n; k++) d[i] += w[i * n + k] * lambda[k];
  }
}

// repeated on one law alone, each ends where the law holds
static void laws_hold(void **state)
{
  DV_UNUSED(state);
  uint64_t seed = 9;
  for (int round = 0; round < 300; round++)
    for (int kind = DV_LAW_EQUAL; kind <= DV_LAW_BOUNDED; kind++) {
      int rows = kind == DV_LAW_FRICTION ? 3 : 1 + round % DV_LAW_ROWS;
      size_t n = (size_t)rows;
      dvLaw law = {
          .kind = (dvLawKind)kind, .rows = rows, .mu = 0.4, .low = -0.2, .high = 0.1, .compliance = round % 3 * 0.1};
      double w[DV_LAW_ROWS * DV_LAW_ROWS], free[DV_LAW_ROWS], d[DV_LAW_ROWS], lambda[DV_LAW_ROWS] = {0};
      random_compliance(&seed, n, w);
      for (size_t i = 0; i < n; i++) free[i] = check_random(&seed);
      for (int i = 0; i < 3000; i++) {
        violation(w, free, lambda, n, d);
        dv_law_solve(NULL, &law, w, d, lambda);
      }
      violation(w, free, lambda, n, d);
      for (size_t i = 0; i < n; i++) d[i] += law.compliance * lambda[i];
      if (kind == DV_LAW_FRICTION) {
        assert_true(lambda[0] >= 0 && d[0] > -1e-9);
        check_close(lambda[0] * d[0], 0, 1e-9);
        double size = hypot(lambda[1], lambda[2]), most = law.mu * lambda[0], slip = hypot(d[1], d[2]);
        assert_true(size <= most + 1e-12);
        if (lambda[0] > 0 && size < 0.999 * most) check_close(slip, 0, 1e-8);   // it sticks
        continue;
      }
      for (size_t i = 0; i < n; i++) {
        if (kind == DV_LAW_EQUAL) check_close(d[i], 0, 1e-9);
        if (kind == DV_LAW_UNEQUAL) {
          assert_true(lambda[i] >= 0 && d[i] > -1e-9);
          check_close(lambda[i] * d[i], 0, 1e-9);
        }
        if (kind == DV_LAW_BOUNDED) {
          assert_true(lambda[i] >= law.low && lambda[i] <= law.high);
          if (lambda[i] > law.low && lambda[i] < law.high) check_close(d[i], 0, 1e-9);
          else assert_true(lambda[i] == law.low ? d[i] > -1e-9 : d[i] < 1e-9);
        }
      }
    }
}

// --- a step beside the saddle-point system -----------------------------------------------------------

static const char two_bars[] =
    "<Node dt='0.02' gravity='0 -10 0'><FreeMotionAnimationLoop/>"
    "<BlockGaussSeidelConstraintSolver name='solver' tolerance='1e-13' scaleTolerance='0' maxIterations='20000' "
    "computeConstraintForces='1'/>"
    "<Node name='a'><EulerImplicitSolver rayleighStiffness='0.02'/><SparseLDLSolver name='ldl'/>"
    "<RegularGridTopology n='4 2 2' min='0 0 0' max='3 1 1'/><MechanicalObject name='dofs'/><UniformMass "
    "totalMass='2'/>"
    "<HexahedronFEMForceField youngModulus='4000' poissonRatio='0.3'/><FixedProjectiveConstraint indices='0 4 8 12'/>"
    "<%s/></Node>"
    "<Node name='b'><EulerImplicitSolver rayleighStiffness='0.02'/><SparseLDLSolver name='ldl'/>"
    "<RegularGridTopology n='4 2 2' min='3 0 0' max='6 1 1'/><MechanicalObject name='dofs'/><UniformMass "
    "totalMass='1'/>"
    "<HexahedronFEMForceField youngModulus='2000' poissonRatio='0.3'/><%s/>"
    "<Node name='p'><MechanicalObject name='points' position='3 0 0  3 1 0.5'/><BarycentricMapping/></Node></Node>"
    "<BilateralLagrangianConstraint name='joint' object1='@a/dofs' object2='@b/dofs' first_point='3 7 11' "
    "second_point='0 4 8'/>"
    "<BilateralLagrangianConstraint name='mapped' object1='@a/dofs' object2='@b/p/points' first_point='15' "
    "second_point='1' rest_vector='0 0 -0.5'/></Node>";

static dvScene *open_bars(const char *first, const char *second, int threads)
{
  char *text = dv_format(two_bars, first, second);
  dvScene *s = check_scene(text, threads);
  dv_free(text);
  return s;
}

static dvLinearSolver *solver_of(dvScene *s, const char *path) { return dv_linear_solver(check_find(s, path)); }

// the problem as the solver sees it at the end of a step, in dense form: lambda = -W^-1 d_free, x = x_free + h A^-1 H^T
// lambda
static void beside_saddle_point(void **state)
{
  DV_UNUSED(state);
  dvScene *s = open_bars("LinearSolverConstraintCorrection", "GenericConstraintCorrection", 1);
  check_steps(s, 3);
  enum { ROWS = 12 };
  const double h = 0.02;
  dvConstraintProblem p = {0};
  dvConstraintStep step = {.x = DV_X_FREE, .v = DV_V_FREE, .dt = h};
  assert_int_equal(dv_problem_collect(&p, s->plan, &step), DV_OK);
  assert_int_equal(p.rows, ROWS);
  double w[ROWS * ROWS] = {0}, lambda[ROWS];
  static const char *const names[] = {"a", "b"};
  for (int body = 0; body < 2; body++) {   // each column by a solution of its own
    char *dofs = dv_format("%s/dofs", names[body]), *ldl = dv_format("%s/ldl", names[body]);
    dvState *st = dv_state(check_find(s, dofs));
    const dvSparseRows *on = &dv_rows_find(&p.set, st)->rows;
    size_t n = dv_state_scalars(st, DV_V);
    double *f = dv_alloc(n * sizeof *f), *x = dv_alloc(n * sizeof *x);
    dvAssembly *a = dv_linear_system(solver_of(s, ldl)->system)->assembly;
    for (size_t i = 0; i < ROWS; i++) {
      memset(f, 0, n * sizeof *f);
      for (size_t e = on->start.data[i]; e < on->start.data[i + 1]; e++)
        if (!a->fixed.data[on->col.data[e]]) f[on->col.data[e]] += on->value.data[e];
      assert_int_equal(dv_linear_solver_inverse(&solver_of(s, ldl)->base, x, f), DV_OK);
      for (size_t k = 0; k < ROWS; k++)
        for (size_t e = on->start.data[k]; e < on->start.data[k + 1]; e++)
          w[k * ROWS + i] += h * on->value.data[e] * (a->fixed.data[on->col.data[e]] ? 0 : x[on->col.data[e]]);
    }
    dv_free(f), dv_free(x), dv_free(dofs), dv_free(ldl);
  }
  size_t bad;
  for (size_t i = 0; i < ROWS; i++) lambda[i] = -p.violation.data[i];
  assert_true(dv_dense_cholesky(w, ROWS, &bad));
  dv_dense_cholesky_solve(w, ROWS, lambda);
  const dvReals *got = dv_object_field(check_find(s, "solver"), "constraintForces")->value;
  assert_int_equal(got->count, ROWS);
  double largest = 0;
  for (size_t i = 0; i < ROWS; i++) largest = fmax(largest, fabs(lambda[i]));
  for (size_t i = 0; i < ROWS; i++) check_close(got->data[i], lambda[i], 1e-6 * largest);
  dv_problem_free(&p);
  // the joint is closed, mapped points included
  for (size_t k = 0; k < 3; k++) {
    check_close(check_value(s, "a/dofs", DV_X, 3 * 7 + k), check_value(s, "b/dofs", DV_X, 3 * 4 + k), 1e-10);
    check_close(check_value(s, "b/p/points", DV_X, 3 + k) - check_value(s, "a/dofs", DV_X, 3 * 15 + k),
                k == 2 ? -0.5 : 0, 1e-10);
  }
  check_close_scene(&s);
}

// action and reaction: free bodies joined by constraints keep their momentum
static void keeps_momentum(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      "<Node dt='0.01' gravity='0 0 0'><FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver tolerance='1e-12'/>"
      "<Node name='a'><EulerImplicitSolver/><SparseLDLSolver/><MechanicalObject name='dofs' position='0 0 0' "
      "velocity='1 2 "
      "3'/><UniformMass totalMass='2'/><LinearSolverConstraintCorrection/></Node>"
      "<Node name='b'><EulerImplicitSolver/><SparseLDLSolver/><MechanicalObject name='dofs' position='1 0 0' "
      "velocity='-1 0 1'/><UniformMass totalMass='3'/><LinearSolverConstraintCorrection/></Node>"
      "<BilateralLagrangianConstraint object1='@a/dofs' object2='@b/dofs' first_point='0' second_point='0' "
      "rest_vector='1 0 0'/></Node>",
      1);
  check_steps(s, 10);
  const double wanted[3] = {(2 * 1 - 3) / 5.0, 4 / 5.0, 9 / 5.0};
  for (size_t k = 0; k < 3; k++) {
    check_close(check_value(s, "a/dofs", DV_V, k), wanted[k], 1e-9);
    check_close(check_value(s, "b/dofs", DV_V, k), wanted[k], 1e-9);
  }
  check_close_scene(&s);
}

// multipliers are found again in the next step: it needs fewer iterations than one that starts from nothing
static void starts_from_last(void **state)
{
  DV_UNUSED(state);
  dvScene *s = open_bars("LinearSolverConstraintCorrection", "LinearSolverConstraintCorrection", 1);
  dvObject *solver = check_find(s, "solver");
  const int32_t *iterations = dv_object_field(solver, "currentIterations")->value;
  check_steps(s, 300);
  int warm = *iterations;
  uint64_t hash = dv_scene_hash(s);
  dv_scene_reset(s);
  check_steps(s, 300);
  assert_true(dv_scene_hash(s) == hash);   // a reset forgets them
  s->version++;                            // the graph has changed: they are forgotten
  check_steps(s, 1);
  assert_true(*iterations > warm);
  check_close_scene(&s);
}

// --- what is live ------------------------------------------------------------------------------------

typedef struct Plane {
  dvObject base;
  dvState *state;
  double height;
} Plane;   // the state's points stay above a height

static size_t plane_laws(dvObject *o, const dvConstraintStep *step, dvLaw *out)
{
  DV_UNUSED(step);
  Plane *p = (Plane *)o;
  for (size_t i = 0; out && i < p->state->count; i++) out[i] = (dvLaw){.kind = DV_LAW_UNEQUAL, .rows = 1, .id = i};
  return p->state->count;
}

static void plane_rows(dvObject *o, const dvConstraintStep *step, dvRowSet *set, int32_t first)
{
  DV_UNUSED(step);
  Plane *p = (Plane *)o;
  static const double up[3] = {0, 1, 0};
  for (size_t i = 0; i < p->state->count; i++) dv_rows_add(set, p->state, first + (int32_t)i, i, up, 1);
}

static void plane_violation(dvObject *o, const dvConstraintStep *step, double *out)
{
  Plane *p = (Plane *)o;
  const double *x = dv_state_read(p->state, step->x);
  for (size_t i = 0; i < p->state->count; i++) out[i] = x[3 * i + 1] - p->height;
}

static const dvConstraintOps plane_ops = {.laws = plane_laws, .rows = plane_rows, .violation = plane_violation};
static const dvClass plane_class = {.struct_size = sizeof(dvClass),
                                    .name = "Plane",
                                    .help = "a plane of the tests",
                                    .size = sizeof(Plane),
                                    .blocks = {&dv_object_block},
                                    .ops = {[DV_ROLE_CONSTRAINT] = &plane_ops}};

// a cube falls onto a plane that comes and goes without the graph being touched, and rests on it; the sum of the
// multipliers is its weight
static void live_constraint(void **state)
{
  DV_UNUSED(state);
  uint64_t hash = 0;
  for (int threads = 1; threads <= 3; threads++) {
    dvScene *s = check_scene(
        "<Node dt='0.01' gravity='0 -10 0'><FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver name='solver' "
        "tolerance='1e-12' scaleTolerance='0' maxIterations='5000' computeConstraintForces='1'/>"
        "<Node name='a'><EulerImplicitSolver rayleighStiffness='0.1' rayleighMass='1'/><SparseLDLSolver/>"
        "<RegularGridTopology n='3 3 3' min='0 0.05 0' max='1 1.05 1'/><MechanicalObject name='dofs'/>"
        "<UniformMass totalMass='3'/><HexahedronFEMForceField youngModulus='5000' poissonRatio='0.3'/>"
        "<LinearSolverConstraintCorrection/></Node></Node>",
        threads);
    dvLiveGroup group = {0};
    dv_live_enter(&group, s);
    unsigned version = s->version;
    dvState *dofs = dv_state(check_find(s, "a/dofs"));
    for (int step = 0; step < 600; step++) {
      dv_live_give_all(&group);
      Plane *p = (Plane *)dv_live_take(&group, &plane_class, NULL, dofs->base.node);
      p->state = dofs;
      dv_live_add(&group, &p->base);
      check_steps(s, 1);
      for (size_t i = 0; i < dofs->count; i++) assert_true(dv_state_read(dofs, DV_X)[3 * i + 1] > -1e-9);
    }
    assert_int_equal(s->version, version);
    const dvReals *lambda = dv_object_field(check_find(s, "solver"), "constraintForces")->value;
    double sum = 0;
    for (size_t i = 0; i < lambda->count; i++) sum += lambda->data[i];
    check_close(sum / 0.01, 30, 0.05);   // N
    if (threads == 1) hash = dv_scene_hash(s);
    assert_true(dv_scene_hash(s) == hash);
    dv_live_leave(&group);
    check_steps(s, 30);
    assert_true(dv_state_read(dofs, DV_X)[1] < -0.1);   // and falls on
    check_close_scene(&s);
  }
}

// W with live springs beside W of a matrix that has them
static void compliance_with_live_forces(void **state)
{
  DV_UNUSED(state);
  static const char text[] =
      "<Node dt='0.02' gravity='0 -10 0'><EulerImplicitSolver/>%s<RegularGridTopology n='4 3 3' min='0 0 0' max='3 1 "
      "1'/>"
      "<MechanicalObject name='dofs'/><UniformMass totalMass='2'/><FixedProjectiveConstraint indices='0'/>"
      "<HexahedronFEMForceField youngModulus='4000' poissonRatio='0.3'/>%s</Node>";
  static const char spring[] = "<MouseSpring index='5' target='1 2 3' stiffness='700' active='1'/>"
                               "<MouseSpring index='17' target='1 2 3' stiffness='400' active='1'/>";
  static const char *const solvers[] = {"<SparseLDLSolver name='ldl'/>", "<EigenSparseLU name='ldl'/>"};
  for (size_t k = 0; k < DV_COUNT(solvers); k++) {
    char *with = dv_format(text, solvers[k], spring), *without = dv_format(text, solvers[k], "");
    dvScene *graph = check_scene(with, 1), *live = check_scene(without, 1);
    dvLiveGroup group = {0};
    dv_live_enter(&group, live);
    const dvClass *cls = dv_registry_find(&live->context->registry, "MouseSpring");
    for (int i = 0; i < 2; i++) {
      dvObject *o = dv_live_take(&group, cls, check_find(live, "dofs")->dof, live->root);
      dv_object_set(o, "index", i ? "17" : "5");
      dv_object_set(o, "target", "1 2 3");
      dv_object_set(o, "stiffness", i ? "400" : "700");
      dv_object_set(o, "active", "1");
      assert_int_equal(dv_object_ensure(o), DV_OK);
      dv_live_add(&group, o);
    }
    check_steps(graph, 2);
    check_steps(live, 2);
    enum { ROWS = 7 };
    dvSparseRows rows = {0};
    uint64_t seed = 4;
    for (int i = 0; i < ROWS; i++)
      for (int e = 0; e < 4; e++)
        dv_sparse_rows_add(&rows, i, 3 + (int32_t)((check_random(&seed) + 1) / 2.001 * 100), check_random(&seed));
    dv_sparse_rows_settle(&rows, ROWS);
    double w[2][ROWS * ROWS];
    assert_int_equal(dv_linear_solver_compliance(check_find(graph, "ldl"), &rows, w[0]), DV_OK);
    assert_int_equal(dv_linear_solver_compliance(check_find(live, "ldl"), &rows, w[1]), DV_OK);
    for (int i = 0; i < ROWS * ROWS; i++) check_close(w[1][i], w[0][i], 1e-11 * fabs(w[0][0]) + 1e-13);
    dv_sparse_rows_free(&rows);
    check_close_scene(&graph);
    check_close_scene(&live);
    dv_free(with), dv_free(without);
  }
}

// --- bad input ---------------------------------------------------------------------------------------

static void bad_input(void **state)
{
  DV_UNUSED(state);
#define BODY                                                                                                 \
  "<EulerImplicitSolver/><SparseLDLSolver/><MechanicalObject name='d' position='0 0 0 1 0 0'/><UniformMass " \
  "totalMass='1'/>"
  assert_true(fd_fails("<Node>" BODY "<BilateralLagrangianConstraint first_point='0' second_point='2'/></Node>"));
  assert_true(fd_fails("<Node>" BODY "<BilateralLagrangianConstraint first_point='0 7' second_point='1'/></Node>"));
  assert_false(fd_fails("<Node>" BODY "<BilateralLagrangianConstraint first_point='0 1' second_point='1'/></Node>"));
  assert_true(fd_fails("<Node><BilateralLagrangianConstraint first_point='0' second_point='1'/></Node>"));
  assert_true(fd_fails("<Node>" BODY "<BlockGaussSeidelConstraintSolver sor='2'/></Node>"));
  assert_true(fd_fails("<Node>" BODY "<BlockGaussSeidelConstraintSolver tolerance='-1'/></Node>"));
  assert_true(fd_fails("<Node><MechanicalObject position='0 0 0'/><LinearSolverConstraintCorrection/></Node>"));
  assert_true(fd_fails("<Node><EulerImplicitSolver/><CGLinearSolver/><MechanicalObject position='0 0 0'/><UniformMass/>"
                       "<LinearSolverConstraintCorrection/></Node>"));
  assert_true(fd_fails("<Node><EulerImplicitSolver/><SparseLDLSolver/><LinearSolverConstraintCorrection/></Node>"));
  // nothing that the constraint acts on can move: told in the first step
  dvScene *s = check_scene("<Node><FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver/>" BODY
                           "<BilateralLagrangianConstraint first_point='0' second_point='1'/></Node>",
                           1);
  assert_int_equal(dv_scene_step(s, 0.01), DV_ERROR_INPUT);
  check_close_scene(&s);
}

static void keep_text(void *user, const dvMessage *message) { snprintf(user, 300, "%s", message->text); }

// A spring that is pressed to half of its length: sideways its matrix is m + h^2 k (1 - 2) = 1 - 10.
static void pressed_spring(void **state)
{
  DV_UNUSED(state);
  static const char text[] =
      "<Node><FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver/><EulerImplicitSolver/><SparseLDLSolver/>"
      "<MechanicalObject position='0 0 0 1 0 0'/><UniformMass totalMass='2'/><FixedProjectiveConstraint indices='0'/>"
      "<SpringForceField spring='0 1 1000 0 2'/><LinearSolverConstraintCorrection/>"
      "<FixedLagrangianConstraint indices='%d'/></Node>";
  static const char *const why[] = {"all of it is held", "moves the body against the push (compliance -0.0111"};
  for (int point = 0; point < 2; point++) {
    char scene[sizeof text + 10], told[300] = "";
    snprintf(scene, sizeof scene, text, point);
    dvScene *s = check_scene(scene, 1);
    dvLogTap tap = {keep_text, told, NULL};
    dv_log_tap(&s->context->log, &tap);
    assert_int_equal(dv_scene_step(s, 0.1), DV_ERROR_INPUT);
    dv_log_untap(&s->context->log, &tap);
    if (!strstr(told, why[point])) fail_msg("'%s' does not tell '%s'", told, why[point]);
    check_close_scene(&s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(laws_hold),       cmocka_unit_test(beside_saddle_point),
                                     cmocka_unit_test(keeps_momentum),  cmocka_unit_test(starts_from_last),
                                     cmocka_unit_test(live_constraint), cmocka_unit_test(compliance_with_live_forces),
                                     cmocka_unit_test(bad_input),       cmocka_unit_test(pressed_spring)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
