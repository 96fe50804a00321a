// Linear solvers as components: solutions checked by products without a matrix, stopping rules against a plain
// conjugate gradient, systems that cannot be solved, and what scenes may get wrong.
#include "support/check.h"
#include "support/fd.h"
#include "support/matrix.h"
#include "support/scene.h"

#include "base/file.h"
#include "io/mesh/image.h"
#include "linear/iterative/iterative.h"
#include "linear/system/matrix_free.h"

#include <string.h>

#define BODY                                                                                          \
  "<RegularGridTopology nx='3' ny='3' nz='6' xmin='0' xmax='2' ymin='0' ymax='2' zmin='0' zmax='5'/>" \
  "<MechanicalObject name='dofs'/><UniformMass vertexMass='0.5'/><FixedProjectiveConstraint indices='0-8'/>"
#define SOFT "<RegularGridSpringForceField linesStiffness='100' quadsStiffness='100' cubesStiffness='100'/>"
#define SCENE(content) "<Node name='root' dt='0.02' gravity='0 -10 0'><EulerImplicitSolver/>" content "</Node>"

static dvMech implicit_factors(double m)
{
  double h = 0.02;
  return (dvMech){.x = DV_X,
                  .v = DV_V,
                  .f = DV_F,
                  .dx = DV_DX,
                  .df = DV_DF,
                  .dt = h,
                  .implicit = true,
                  .m = m,
                  .b = -h,
                  .k = -h * h};
}

typedef struct Problem {
  dvScene *scene;
  dvPlan *plan;
  dvObject *solver;
  dvMech m;
  int x, b, q, start;   // vectors
} Problem;

static Problem open_problem(const char *text, double mass)
{
  Problem p = {.scene = check_scene(text, 1), .m = implicit_factors(mass)};
  p.solver = check_find(p.scene, "s");
  dv_plan_get(&p.plan, p.scene->root);
  dv_vecs_take(&p.scene->root->base, DV_VEC_DERIV, &p.x, &p.b, &p.q, &p.start);
  dvMech at = p.m;
  dv_mech_compute_force(p.plan, &at);
  uint64_t seed = 12;
  for (size_t i = 0; i < p.plan->independent.count; i++) {
    dvState *s = dv_state(p.plan->independent.data[i]);
    check_random_vector(&seed, dv_state_write(s, p.b), dv_state_scalars(s, p.b));
  }
  dv_mech_project_response(p.plan, p.b);
  dv_mech_clear(p.plan, p.x);
  return p;
}

static void close_problem(Problem *p)
{
  dv_plan_destroy(&p->plan);
  check_close_scene(&p->scene);
}

static dvStatus solve(Problem *p)
{
  return ((const dvLinearSolverOps *)dv_ops(p->solver, DV_ROLE_LINEAR_SOLVER))
      ->solve(p->solver, p->plan, &p->m, p->x, p->b);
}

// |A x - b| / |b| by the product without a matrix
static double residual(Problem *p)
{
  dvMech m = p->m;
  dv_mech_product(p->plan, &m, p->q, p->x);
  dv_mech_combine(p->plan, p->q, p->q, -1, p->b);
  return sqrt(dv_mech_dot(p->plan, p->q, p->q) / dv_mech_dot(p->plan, p->b, p->b));
}

static int iterations_of(const dvObject *solver) { return ((const dvIterative *)solver)->done; }

// --- every solver --------------------------------------------------------------------------------

static const char *const solvers[] = {
    "<SparseLDLSolver name='s'/>",
    "<AsyncSparseLDLSolver name='s'/>",
    "<EigenSimplicialLDLT name='s'/><NaturalOrderingMethod/>",
    "<EigenSimplicialLLT name='s' orderingMethod='@o'/><COLAMDOrderingMethod name='o'/>",
    "<EigenCholmodSupernodalLLT name='s' template='CompressedRowSparseMatrixMat3x3' "
    "orderingMethod='@o'/><MetisOrderingMethod name='o'/>",
    "<EigenSparseLU name='s' template='CompressedRowSparseMatrixMat3x3'/>",
    "<EigenSparseQR name='s'/>",
    "<PrecomputedLinearSolver name='s'/>",
    "<CholeskySolver name='s'/>",
    "<LULinearSolver name='s'/>",
    "<SVDLinearSolver name='s' template='FullMatrix'/>",
    "<SVDLinearSolver name='s' minSingularValue='0.01'/>",
    "<CGLinearSolver name='s' iterations='500' tolerance='1e-14' threshold='1e-40'/>",
    "<CGLinearSolver name='s' template='CompressedRowSparseMatrixMat3x3d' iterations='500' tolerance='1e-14' "
    "threshold='1e-40'/>",
    "<ParallelCGLinearSolver name='s' iterations='500' tolerance='1e-14' threshold='1e-40'/>",
    "<MinResLinearSolver name='s' iterations='500' tolerance='1e-15'/>",
    "<MinResLinearSolver name='s' template='CompressedRowSparseMatrixd' iterations='500' tolerance='1e-15'/>",
    "<PCGLinearSolver name='s' iterations='500' tolerance='1e-28'/>",
    "<PCGLinearSolver name='s' iterations='500' tolerance='1e-28' preconditioner='@p'/><JacobiPreconditioner "
    "name='p'/>",
    "<PCGLinearSolver name='s' iterations='500' tolerance='1e-28' preconditioner='@p'/><BlockJacobiPreconditioner "
    "name='p'/>",
    "<PCGLinearSolver name='s' iterations='500' tolerance='1e-28' preconditioner='@p'/><SSORPreconditioner name='p' "
    "omega='1.2'/>",
    "<PCGLinearSolver name='s' iterations='500' tolerance='1e-28' "
    "preconditioner='@p'/><IncompleteCholeskyPreconditioner name='p'/>",
    "<PCGLinearSolver name='s' iterations='500' tolerance='1e-28' preconditioner='@p'/><SparseLDLSolver name='p'/>",
    "<PCGLinearSolver name='s' iterations='500' tolerance='1e-28' preconditioner='@p'/><WarpPreconditioner name='p' "
    "linearSolver='@d'/><SparseLDLSolver name='d'/>",
    "<PCGLinearSolver name='s' iterations='500' tolerance='1e-28' preconditioner='@p'/><PrecomputedWarpPreconditioner "
    "name='p'/>",
    "<SparseLDLSolver name='s' linearSystem='@c'/><CompositeLinearSystem name='c' linearSystems='@a "
    "@k'/><MatrixLinearSystem name='a'/>"
    "<MatrixLinearSystem name='k' assembleMass='0'/>",
    "<CGLinearSolver name='s' linearSystem='@a' iterations='500' tolerance='1e-14' "
    "threshold='1e-40'/><ConstantSparsityPatternSystem name='a'/>",
};

static void every_solver_solves(void **state)
{
  DV_UNUSED(state);
  static const char *const stiff =
      "<RegularGridSpringForceField linesStiffness='1e7' quadsStiffness='100' cubesStiffness='1e5'/>";
  for (size_t i = 0; i < DV_COUNT(solvers); i++)
    for (int hard = 0; hard < 2; hard++) {
      char *text = dv_format("<Node name='root' dt='0.02'><EulerImplicitSolver/>%s" BODY "%s</Node>", solvers[i],
                             hard ? stiff : SOFT);
      Problem p = open_problem(text, 1);
      assert_int_equal(solve(&p), DV_OK);
      double r = residual(&p);
      if (!(r <= (hard ? 1e-9 : 1e-12))) fail_msg("%s: residual %g", solvers[i], r);
      close_problem(&p);
      dv_free(text);
    }
}

// the same tolerance as that of CGLinearSolver, with and without a preconditioner
static void tolerances_can_mean_the_same(void **state)
{
  DV_UNUSED(state);
  static const char *const others[] = {
      "<PCGLinearSolver name='s' iterations='500' tolerance='1e-6' criterion='residual'/>",
      "<PCGLinearSolver name='s' iterations='500' tolerance='1e-6' criterion='residual' preconditioner='@p'/>"
      "<BlockJacobiPreconditioner name='p'/>"};
  for (size_t i = 0; i < DV_COUNT(others); i++) {
    char *text = dv_format(SCENE("%s" BODY SOFT), others[i]);
    Problem p = open_problem(text, 1);
    assert_int_equal(solve(&p), DV_OK);
    const dvReals *graph = dv_object_field(p.solver, "graph")->value;
    assert_true(graph->count >= 2);
    double end = graph->data[graph->count - 1];
    assert_true(end <= 1e-6 && graph->data[graph->count - 2] > 1e-6);
    check_close(residual(&p), end, 1e-3 * end);
    close_problem(&p);
    dv_free(text);
  }
}

// what is left from one solve does not change the next; checked through the sum of squares
static void solving_again_gives_the_same(void **state)
{
  DV_UNUSED(state);
  for (size_t i = 0; i < DV_COUNT(solvers); i++) {
    char *text = dv_format(SCENE("%s" BODY SOFT), solvers[i]);
    Problem p = open_problem(text, 1);
    double first = 0;
    for (int again = 0; again < 3; again++) {
      dv_mech_clear(p.plan, p.x);
      assert_int_equal(solve(&p), DV_OK);
      double norm = dv_mech_dot(p.plan, p.x, p.x);
      if (again == 0) first = norm;
      check_close(norm, first, 1e-14 * first);
    }
    close_problem(&p);
    dv_free(text);
  }
}

static void nothing_to_solve(void **state)
{
  DV_UNUSED(state);
  for (size_t i = 0; i < DV_COUNT(solvers); i++) {
    char *text = dv_format("<Node name='root' dt='0.02'><EulerImplicitSolver/>%s<MechanicalObject position=''/></Node>",
                           solvers[i]);
    Problem p = open_problem(text, 1);
    dvStatus status = solve(&p);
    if (status != DV_OK) fail_msg("%s: status %d", solvers[i], status);
    close_problem(&p);
    dv_free(text);
  }
}

// --- chains --------------------------------------------------------------------------------------

static void block_tridiagonal_chains(void **state)
{
  DV_UNUSED(state);
  for (int points = 2; points < 40; points += 5) {   // also sizes that do not fill the last block
    dvText text = {0};
    dv_text_add(&text,
                "<Node name='root'><EulerImplicitSolver/><BTDLinearSolver name='s'/><MechanicalObject position='");
    for (int i = 0; i < points; i++) dv_text_printf(&text, "%d %g %g ", i, 0.2 * sin(i), 0.1 * i);
    dv_text_add(&text, "'/><UniformMass vertexMass='1'/><SpringForceField spring='");
    for (int i = 0; i + 1 < points; i++) dv_text_printf(&text, "%d %d 1000 0 0.8 ", i, i + 1);
    dv_text_add(&text, "'/></Node>");
    Problem p = open_problem(text.text, 1);
    assert_int_equal(solve(&p), DV_OK);
    check_close(residual(&p), 0, 1e-13);
    close_problem(&p);
    dv_text_free(&text);
  }
}

// --- stopping rules ------------------------------------------------------------------------------

typedef struct Reference {
  int iterations;
  double limit, threshold;
  bool first;
} Reference;

// conjugate gradients written out on a dense matrix, with the rules of SOFA
static int reference_cg(const double *a, size_t n, const double *b, Reference r)
{
  double *x = dv_alloc(4 * n * sizeof *x), *res = x + n, *p = x + 2 * n, *q = x + 3 * n, bb = 0, before = 0;
  int done = 0;
  for (size_t i = 0; i < n; i++) res[i] = b[i], bb += b[i] * b[i];
  for (int k = 1; k <= r.iterations; k++) {
    double rr = 0, den = 0;
    for (size_t i = 0; i < n; i++) rr += res[i] * res[i];
    bool lenient = k == 1 && r.first;
    if (sqrt(rr / bb) <= r.limit && !lenient) break;
    for (size_t i = 0; i < n; i++) p[i] = res[i] + (k > 1 ? rr / before : 0) * p[i];
    for (size_t i = 0; i < n; i++) {
      q[i] = 0;
      for (size_t j = 0; j < n; j++) q[i] += a[i * n + j] * p[j];
      den += p[i] * q[i];
    }
    if (fabs(den) <= r.threshold && !lenient) break;
    for (size_t i = 0; i < n; i++) x[i] += rr / den * p[i], res[i] -= rr / den * q[i];
    before = rr;
    done = k;
  }
  dv_free(x);
  return done;
}

static void cg_stops_as_it_should(void **state)
{
  DV_UNUSED(state);
  static const Reference cases[] = {{100, 1e-3, 0, false}, {100, 1e-8, 0, false},     {7, 1e-12, 0, false},
                                    {100, 0, 1e-4, false}, {100, 1e-12, 1e-9, false}, {100, 2, 0, false},
                                    {100, 2, 0, true},     {100, 0, 1e9, true},       {100, 0, 1e9, false},
                                    {0, 1e-3, 0, true}};
  Problem d = open_problem(SCENE("<SparseLDLSolver name='s'/>" BODY SOFT), 1);
  assert_int_equal(solve(&d), DV_OK);
  const dvAssembly *a = dv_linear_system(dv_linear_solver(d.solver)->system)->assembly;
  double *dense = dv_alloc(a->size * a->size * sizeof *dense), *b = dv_alloc(a->size * sizeof *b);
  dv_block_matrix_to_dense(&a->matrix, dense);
  dv_assembly_gather(a, d.b, b);
  for (size_t i = 0; i < DV_COUNT(cases); i++)
    for (int matrix = 0; matrix < 2; matrix++) {
      const Reference *r = &cases[i];
      char *text = dv_format(
          SCENE("<CGLinearSolver name='s' template='%s' iterations='%d' tolerance='%g' threshold='%g'/>" BODY SOFT),
          matrix ? "CompressedRowSparseMatrix" : "GraphScattered", r->iterations, r->limit, r->threshold);
      Problem p = open_problem(text, 1);
      if (!r->first)
        assert_int_equal(solve(&p), DV_OK);   // the first solve of all does not stop in its first iteration
      assert_int_equal(solve(&p), DV_OK);
      assert_int_equal(iterations_of(p.solver), reference_cg(dense, a->size, b, *r));
      close_problem(&p);
      dv_free(text);
    }
  dv_free(dense);
  dv_free(b);
  close_problem(&d);
}

static void starts(void **state)
{
  DV_UNUSED(state);
  // plain conjugate gradients forget, warm ones and the other two go on from the solution
  static const struct {
    const char *solver;
    bool warm;
  } cases[] = {{"<CGLinearSolver name='s' iterations='500' tolerance='1e-10' threshold='1e-40'/>", false},
               {"<CGLinearSolver name='s' iterations='500' tolerance='1e-10' threshold='1e-40' warmStart='1'/>", true},
               {"<PCGLinearSolver name='s' iterations='500' tolerance='1e-20'/>", true},
               {"<MinResLinearSolver name='s' iterations='500' tolerance='1e-10'/>", true}};
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    char *text = dv_format(SCENE("%s" BODY SOFT), cases[i].solver);
    Problem p = open_problem(text, 1);
    assert_int_equal(solve(&p), DV_OK);
    int first = iterations_of(p.solver);
    assert_int_equal(solve(&p), DV_OK);
    int second = iterations_of(p.solver);
    assert_true(first > 5);
    if (cases[i].warm) assert_true(second < first / 2);
    else assert_int_equal(second, first);
    close_problem(&p);
    dv_free(text);
  }
}

static int pcg_iterations(const char *preconditioner)
{
  char *text =
      dv_format(SCENE("<PCGLinearSolver name='s' iterations='500' tolerance='1e-20' %s" BODY
                      "<RegularGridSpringForceField linesStiffness='1e6' quadsStiffness='1e3' cubesStiffness='1e4'/>"),
                preconditioner);
  Problem p = open_problem(text, 1);
  assert_int_equal(solve(&p), DV_OK);
  int n = iterations_of(p.solver);
  const dvReals *graph = dv_object_field(p.solver, "graph")->value;
  assert_int_equal(graph->count, n + 1);
  assert_true(graph->data[n] <= 1e-20);
  close_problem(&p);
  dv_free(text);
  return n;
}

static void preconditioners_save_iterations(void **state)
{
  DV_UNUSED(state);
  int none = pcg_iterations("use_precond='0'/>"),
      block = pcg_iterations("preconditioner='@p'/><BlockJacobiPreconditioner name='p'/>");
  int ssor = pcg_iterations("preconditioner='@p'/><SSORPreconditioner name='p'/>");
  int incomplete = pcg_iterations("preconditioner='@p'/><IncompleteCholeskyPreconditioner name='p'/>");
  int direct = pcg_iterations("preconditioner='@p'/><SparseLDLSolver name='p'/>");
  print_message("iterations: none %d, block Jacobi %d, SSOR %d, incomplete %d, direct %d\n", none, block, ssor,
                incomplete, direct);
  assert_true(block < none && ssor < block && incomplete < ssor);
  assert_true(direct <= 2);
}

// the preconditioner's matrix is built in the first step and then every third one
static void preconditioners_are_built_at_their_rate(void **state)
{
  DV_UNUSED(state);
  Problem p = open_problem(
      SCENE(
          "<PreconditionedMatrixFreeSystem name='m' assemblingRate='3'/><PCGLinearSolver name='s' preconditioner='@p'/>"
          "<BlockJacobiPreconditioner name='p' linearSystem='@a'/><MatrixLinearSystem name='a'/>" BODY SOFT),
      1);
  const dvLinearSystem *a = dv_linear_system(check_find(p.scene, "a"));
  static const unsigned built[] = {1, 1, 1, 2, 2, 2, 3};
  for (size_t i = 0; i < DV_COUNT(built); i++) {
    assert_int_equal(solve(&p), DV_OK);
    assert_int_equal(a->stamp, built[i]);
  }
  close_problem(&p);
}

// a factor serves until it has cost as much as another one: then it is made anew, in the middle of a solution too
static void preconditioners_are_kept_while_that_pays(void **state)
{
  DV_UNUSED(state);
  Problem p = open_problem(
      SCENE(
          "<PreconditionedMatrixFreeSystem name='m' assemblingRate='1000'/><PCGLinearSolver name='s' iterations='500' "
          "tolerance='1e-10' criterion='residual' rebuildCost='6' preconditioner='@p'/><SparseLDLSolver name='p' "
          "linearSystem='@a'/><MatrixLinearSystem name='a'/>" BODY SOFT),
      1);
  const dvLinearSystem *a = dv_linear_system(check_find(p.scene, "a"));
  static const struct {
    double factor;      // of the mass, before the solve
    unsigned built;     // matrices, after it
    int32_t rebuilds;   // for being worn
  } cases[] = {{1, 1, 0}, {1, 1, 0}, {1.01, 1, 0}, {30, 2, 1}, {1, 2, 1}};
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    p.m.m *= cases[i].factor;
    dv_mech_clear(p.plan, p.x);
    assert_int_equal(solve(&p), DV_OK);
    assert_true(residual(&p) < 1e-9);
    assert_int_equal(a->stamp, cases[i].built);
    assert_int_equal(*(const int32_t *)dv_object_field(p.solver, "rebuilds")->value, cases[i].rebuilds);
  }
  close_problem(&p);
}

// x . P x of unit vectors where the matrix is not positive definite: the least of all
static double least_of_factor(const char *solver)
{
  char *text = dv_format(SCENE("%s" BODY SOFT), solver);
  Problem p = open_problem(text, 1);
  p.m.m *= -1;
  assert_int_equal(solve(&p), DV_OK);
  size_t n = dv_linear_system(dv_linear_solver(p.solver)->system)->assembly->size;
  double *x = dv_alloc(2 * n * sizeof *x), least = INFINITY;
  for (size_t i = 0; i < n; i++) {
    memset(x, 0, n * sizeof *x);
    x[i] = 1;
    ((const dvLinearSolverOps *)dv_ops(p.solver, DV_ROLE_LINEAR_SOLVER))->apply(p.solver, x + n, x);
    least = fmin(least, x[n + i]);
  }
  dv_free(x);
  dv_free(text);
  close_problem(&p);
  return least;
}

static void factors_can_be_made_positive(void **state)
{
  DV_UNUSED(state);
  assert_true(least_of_factor("<SparseLDLSolver name='s'/>") < 0);
  assert_true(least_of_factor("<SparseLDLSolver name='s' positive='1'/>") > 0);
}

// conjugate gradients tell when the matrix or a new preconditioner is not positive definite; such a one serves once
static void what_is_indefinite_is_told(void **state)
{
  DV_UNUSED(state);
  Problem p = open_problem(SCENE("<PCGLinearSolver name='s' iterations='50' tolerance='1e-8' criterion='residual' "
                                 "rebuildCost='1000' preconditioner='@p'/><SparseLDLSolver name='p' positive='1'/>"
                                 "<PreconditionedMatrixFreeSystem assemblingRate='1000'/>" BODY SOFT),
                           1);
  const dvLinearSolver *s = dv_linear_solver(p.solver);
  dvObject *factor = check_find(p.scene, "p");
  p.m.m *= -1;
  assert_int_equal(solve(&p), DV_OK);
  assert_true(s->indefinite && dv_linear_solver(factor)->indefinite);
  p.m.m *= -1;
  dv_mech_clear(p.plan, p.x);
  assert_int_equal(solve(&p), DV_OK);   // with another one
  assert_true(!s->indefinite && !dv_linear_solver(factor)->indefinite);
  assert_true(residual(&p) < 1e-8 && iterations_of(p.solver) <= 2);
  p.m.m *= -1;
  dv_mech_clear(p.plan, p.x);
  assert_int_equal(solve(&p), DV_OK);   // the preconditioner is kept, the matrix is met
  assert_true(s->indefinite && !dv_linear_solver(factor)->indefinite);
  close_problem(&p);
}

// what a tolerance refers to: the smaller of |b| and what is given, and never less than what is enough
static void tolerances_refer_to_what_is_asked_for(void **state)
{
  DV_UNUSED(state);
  Problem p = open_problem(SCENE("<PCGLinearSolver name='s' iterations='500' tolerance='1e-2' criterion='residual' "
                                 "use_precond='0'/>" BODY SOFT),
                           1);
  dvLinearSolver *s = dv_linear_solver(p.solver);
  double b2 = dv_mech_dot(p.plan, p.b, p.b), found[3];
  const double measure[3] = {0, 1e-4 * b2, 1e-4 * b2}, enough[3] = {0, 0, 1e-2 * b2};
  for (int i = 0; i < 3; i++) {
    s->measure2 = measure[i];
    s->enough2 = enough[i];
    dv_mech_clear(p.plan, p.x);
    assert_int_equal(solve(&p), DV_OK);
    found[i] = residual(&p);
  }
  if (!(found[0] < 1e-2 && found[1] < 1e-4 && found[0] > 1e-4 && found[2] < 0.1 && found[2] > 1e-2))
    fail_msg("residuals %g (1e-2), %g (1e-4), %g (0.1)", found[0], found[1], found[2]);
  close_problem(&p);
}

// A copy of the factor in smaller numbers: fewer digits, as preconditioner all of them; and full ones again with
// another matrix when the field is changed. Constraints need all digits.
static void check_small_factor(const char *field, double digits, int iterations, dvStatus compliance)
{
  char *text = dv_format(SCENE("<SparseLDLSolver name='s' %s='1'/>" BODY SOFT), field);
  Problem p = open_problem(text, 1);
  assert_int_equal(solve(&p), DV_OK);
  double rough = residual(&p), w = 0;
  if (!(rough > 1e-12 && rough < digits)) fail_msg("%s: residual %g, not 1e-12 to %g", field, rough, digits);
  dvSparseRows row = {0};
  dv_sparse_rows_add(&row, 0, 3, 1);
  dv_sparse_rows_settle(&row, 1);
  assert_int_equal(((const dvLinearSolverOps *)dv_ops(p.solver, DV_ROLE_LINEAR_SOLVER))->compliance(p.solver, &row, &w),
                   compliance);
  dv_sparse_rows_free(&row);
  *(bool *)dv_object_field(p.solver, field)->value = false;
  p.m.m *= 1.1;
  assert_int_equal(solve(&p), DV_OK);
  assert_true(residual(&p) < 1e-12);
  close_problem(&p);
  dv_free(text);
  text = dv_format(SCENE("<PCGLinearSolver name='s' iterations='20' tolerance='1e-13' criterion='residual' "
                         "preconditioner='@p'/><SparseLDLSolver name='p' %s='1'/>" BODY SOFT),
                   field);
  p = open_problem(text, 1);
  assert_int_equal(solve(&p), DV_OK);
  if (!(residual(&p) < 1e-12 && iterations_of(p.solver) <= iterations))
    fail_msg("%s: residual %g (1e-12), %d iterations (%d)", field, residual(&p), iterations_of(p.solver), iterations);
  close_problem(&p);
  dv_free(text);
}

static void factors_in_smaller_numbers(void **state)
{
  DV_UNUSED(state);
  check_small_factor("single", 1e-4, 5, DV_OK);
  check_small_factor("small", 1e-2, 10, DV_ERROR_INPUT);
}

// --- factors that are older than the matrix ------------------------------------------------------

// the residual of a solve after the mass factor has changed, with and without another solve
static void old_factors(void **state)
{
  DV_UNUSED(state);
  static const struct {
    const char *solver;
    bool good[4];   // is the residual of solve k small, when the matrix changes before solve 1 and before solve 3?
  } cases[] = {{"<SparseLDLSolver name='s'/>", {true, true, true, true}},
               {"<AsyncSparseLDLSolver name='s' adoptAfter='1'/>", {true, false, true, false}},
               {"<AsyncSparseLDLSolver name='s' adoptAfter='2'/>", {true, false, false, false}},
               {"<PrecomputedLinearSolver name='s'/>", {true, false, false, false}}};
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    char *text = dv_format(SCENE("%s" BODY SOFT), cases[i].solver);
    Problem p = open_problem(text, 1);
    for (int k = 0; k < 4; k++) {
      if (k % 2 == 1) p.m.m *= 1.5;
      assert_int_equal(solve(&p), DV_OK);
      assert_int_equal(residual(&p) < 1e-12, cases[i].good[k]);
    }
    close_problem(&p);
    dv_free(text);
  }
}

// --- systems that cannot be solved ---------------------------------------------------------------

typedef struct Heard {
  int errors;
  dvStatus status;
  char text[400];
} Heard;

static void hear(void *user, const dvMessage *m)
{
  Heard *h = user;
  if (m->level != DV_ERROR) return;
  h->errors++;
  h->status = m->status;
  snprintf(h->text, sizeof h->text, "%s", m->text);
}

static void check_singular(const char *text, const char *words)
{
  Heard heard = {0};
  Problem p = open_problem(text, 0);   // no mass: only the springs hold
  p.scene->context->log.sink = hear;
  p.scene->context->log.user = &heard;
  assert_int_equal(solve(&p), DV_ERROR_DIVERGED);
  assert_int_equal(heard.errors, 1);
  assert_int_equal(heard.status, DV_ERROR_DIVERGED);
  if (!strstr(heard.text, words)) fail_msg("'%s' is not in '%s'", words, heard.text);
  close_problem(&p);
}

#define TRIANGLE "<MechanicalObject name='dofs' position='0 0 0  1 0 0  0 1 0  0 0 1'/>"
#define SPRINGS                                                                                                    \
  "<SpringForceField spring='0 1 1000 0 1  1 2 1000 0 1.4142135623730951  2 0 1000 0 1  0 3 1000 0 1  1 3 1000 0 " \
  "1.4142135623730951  2 3 1000 0 1.4142135623730951'/>"

static void singular_systems_are_explained(void **state)
{
  DV_UNUSED(state);
  static const char *const direct[] = {"SparseLDLSolver", "EigenSimplicialLDLT", "EigenSparseLU",
                                       "CholeskySolver",  "LULinearSolver",      "BTDLinearSolver"};
  for (size_t i = 0; i < DV_COUNT(direct); i++) {
    char *text =
        dv_format("<Node name='root'><EulerImplicitSolver/><%s name='s'/>" TRIANGLE SPRINGS "</Node>", direct[i]);
    check_singular(text, "singular at point");
    dv_free(text);
  }
  // a free body: a motion of a rigid body is named
  check_singular("<Node name='root'><EulerImplicitSolver/><SparseLDLSolver name='s'/>" TRIANGLE SPRINGS "</Node>",
                 "nothing keeps /dofs from");
  // held on an axis: it turns about it
  check_singular("<Node name='root'><EulerImplicitSolver/><SparseLDLSolver name='s'/>" TRIANGLE SPRINGS
                 "<FixedProjectiveConstraint indices='0 1'/></Node>",
                 "nothing keeps /dofs from turning about (");
  // only free along z
  check_singular("<Node name='root'><EulerImplicitSolver/><SparseLDLSolver name='s'/>" TRIANGLE SPRINGS
                 "<PartialFixedProjectiveConstraint indices='0 1 2 3' fixedDirections='1 1 0'/></Node>",
                 "nothing keeps /dofs from moving along (0 0 1)");
}

static void refused_matrices(void **state)
{
  DV_UNUSED(state);
  Problem p = open_problem(
      "<Node name='root'><EulerImplicitSolver/><EigenSimplicialLLT name='s'/>" TRIANGLE SPRINGS "</Node>", 0);
  p.m.k = 1;   // the wrong sign: a negative matrix
  dvStatus status = solve(&p);
  assert_true(status == DV_ERROR_INPUT || status == DV_ERROR_DIVERGED);
  close_problem(&p);
  // without masses the singular values of free motions are left out
  p = open_problem("<Node name='root'><EulerImplicitSolver/><SVDLinearSolver name='s'/>" TRIANGLE SPRINGS "</Node>", 0);
  dvState *s = dv_state(check_find(p.scene, "dofs"));
  double *b = dv_state_write(s, p.b);
  memset(b, 0, 12 * sizeof *b);
  b[0] = -1, b[3] = 1;   // pulls one edge: forces in balance
  assert_int_equal(solve(&p), DV_OK);
  check_close(residual(&p), 0, 1e-9);
  close_problem(&p);
}

// --- looking at matrices -------------------------------------------------------------------------

static void matrices_are_written(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir();
  char *text = dv_format("<Node name='root' dt='0.1' gravity='0 0 0'><EulerImplicitSolver/><MatrixLinearSystem "
                         "name='a'/><SparseLDLSolver linearSystem='@a'/>"
                         "<GlobalSystemMatrixExporter filename='%s/m' format='csv' exportEveryNumberOfSteps='2'/>"
                         "<GlobalSystemMatrixImage filename='%s/p' exportAtBegin='1'/>"
                         "<MechanicalObject template='Vec1' position='0 1'/><UniformMass "
                         "vertexMass='2'/><FixedProjectiveConstraint indices='1'/></Node>",
                         directory, directory);
  dvScene *s = check_scene(text, 1);
  check_steps(s, 3);
  check_close_scene(&s);
  char *csv = dv_format("%s/m00002.csv", directory), *picture = dv_format("%s/p.pgm", directory),
       *none = dv_format("%s/m00001.csv", directory);
  size_t length;
  char *content = dv_file_read(csv, &length);
  assert_string_equal(content, "2,0\n0,1\n");
  assert_true(dv_file_exists(picture));
  assert_false(dv_file_exists(none));
  dv_free(content);
  dv_free(csv);
  dv_free(picture);
  dv_free(none);
  dv_free(text);
  check_rmdir(directory);
}

// without a system in the node the one that the solver made counts; where that has no matrix nothing is written
static void matrices_of_solvers_are_written(void **state)
{
  DV_UNUSED(state);
  static const struct {
    const char *solver;
    bool written;
  } cases[] = {{"EigenSparseLU", true}, {"CGLinearSolver template='GraphScattered'", false}};
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    char *directory = check_mkdir();
    char *text = dv_format("<Node name='root' dt='0.1' gravity='0 0 0'><EulerImplicitSolver/><%s name='solver'/>"
                           "<GlobalSystemMatrixExporter filename='%s/m' format='jpg' exportAtBegin='1'/>"
                           "<MechanicalObject position='0 0 0 1 0 0'/><UniformMass totalMass='2'/><SpringForceField "
                           "spring='0 1 10 0 1'/></Node>",
                           cases[i].solver, directory);
    dvScene *s = check_scene(text, 1);
    check_steps(s, 1);
    const dvField *numbers = dv_object_field(dv_node_object(s->root, "solver"), "L_nnz");
    if (cases[i].written) assert_true(*(const int32_t *)numbers->value > 0);
    check_close_scene(&s);
    char *picture = dv_format("%s/m.jpg", directory);
    dvImage image = {0};
    assert_int_equal(dv_file_exists(picture), cases[i].written);
    if (cases[i].written) {
      assert_int_equal(dv_image_read(picture, &image, NULL), DV_OK);
      assert_int_equal(image.width, 6);
      assert_true(image.pixels[0] < 100 && image.pixels[(size_t)(image.channels * 5)] > 150);
      dv_image_free(&image);
    }
    dv_free(picture), dv_free(text);
    check_rmdir(directory);
  }
}

// --- mistakes of scenes --------------------------------------------------------------------------

static void mistakes(void **state)
{
  DV_UNUSED(state);
  static const char *const wrong[] = {
      "<CGLinearSolver iterations='-1'/>",
      "<PCGLinearSolver preconditioner='@c'/><CGLinearSolver name='c'/>",
      "<PCGLinearSolver name='p' preconditioner='@p'/>",
      "<SSORPreconditioner omega='2.5'/>",
      "<WarpPreconditioner/>",
      "<RotationMatrixSystem rotationFinder='@f'/><ConstantForceField name='f' indices='0' forces='1 0 0'/>",
      "<RotationMatrixSystem assemblingRate='-1'/>",
      "<CompositeLinearSystem/>",
      "<SparseLDLSolver linearSystem='@m'/><MatrixFreeSystem name='m'/>",
      "<PCGLinearSolver linearSystem='@m' preconditioner='@p'/><MatrixFreeSystem name='m'/><BlockJacobiPreconditioner "
      "name='p'/>",
      "<PreconditionedMatrixFreeSystem assemblingRate='-3'/>",
      "<GlobalSystemMatrixExporter/>",
      "<MatrixProjectionMethod/>",
  };
  for (size_t i = 0; i < DV_COUNT(wrong); i++) {
    char *text = dv_format("<Node name='root'><MechanicalObject position='0 0 0'/>%s</Node>", wrong[i]);
    if (!fd_fails(text)) fail_msg("accepted: %s", wrong[i]);
    dv_free(text);
  }
}

// the name of a class says nothing about its kind
static void systems_say_what_they_are(void **state)
{
  DV_UNUSED(state);
  static const char text[] = "<Node><MechanicalObject position='0 0 0'/><UniformMass totalMass='1'/><OtherMatrixFree "
                             "name='matrix'/><Products name='products'/>"
                             "<CGLinearSolver name='free'/><SparseLDLSolver name='direct'/></Node>";
  dvClass products = dv_matrix_free_class, matrix = dv_matrix_system_class;
  products.name = "Products";
  matrix.name = "OtherMatrixFree";
  dvContext *c = dv_divan_create(1);
  dv_registry_add(&c->registry, &products);
  dv_registry_add(&c->registry, &matrix);
  dvScene *s = NULL;
  assert_int_equal(dv_scene_parse(c, "test.scn", text, strlen(text), &s), DV_OK);
  assert_int_equal(dv_scene_init(s), DV_OK);
  assert_ptr_equal(dv_linear_solver(check_find(s, "free"))->system, check_find(s, "products"));
  assert_ptr_equal(dv_linear_solver(check_find(s, "direct"))->system, check_find(s, "matrix"));
  check_close_scene(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_solver_solves),
      cmocka_unit_test(tolerances_can_mean_the_same),
      cmocka_unit_test(solving_again_gives_the_same),
      cmocka_unit_test(nothing_to_solve),
      cmocka_unit_test(block_tridiagonal_chains),
      cmocka_unit_test(cg_stops_as_it_should),
      cmocka_unit_test(starts),
      cmocka_unit_test(preconditioners_save_iterations),
      cmocka_unit_test(preconditioners_are_built_at_their_rate),
      cmocka_unit_test(preconditioners_are_kept_while_that_pays),
      cmocka_unit_test(factors_can_be_made_positive),
      cmocka_unit_test(what_is_indefinite_is_told),
      cmocka_unit_test(tolerances_refer_to_what_is_asked_for),
      cmocka_unit_test(factors_in_smaller_numbers),
      cmocka_unit_test(old_factors),
      cmocka_unit_test(singular_systems_are_explained),
      cmocka_unit_test(refused_matrices),
      cmocka_unit_test(matrices_are_written),
      cmocka_unit_test(matrices_of_solvers_are_written),
      cmocka_unit_test(mistakes),
      cmocka_unit_test(systems_say_what_they_are),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
