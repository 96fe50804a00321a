// BlockGaussSeidelConstraintSolver: one constraint after the other, all others as they are, until nothing changes any
// more.
//
// In an iteration each law gets d = d_free + W lambda of its rows and sets its multipliers (law.c). Its error is how
// far that moves its own violation: the sum over its rows of |w (lambda - before)|, entry by entry. The iteration ends
// when the sum of errors is below the tolerance (times the number of rows with scaleTolerance), or with allVerified
// when that of every law is below it. sor mixes the new multipliers with those of the iteration before.
#include "constraint/lagrangian/classes.h"
#include "math/kernels.h"
#include "mechanics/mechanics.h"
#include "scene/timer.h"

#include <math.h>
#include <string.h>

#define GAUSS_SEIDEL_FIELDS(X)                                                                                    \
  X(int, maxIterations, "1000", "", "most iterations of a step", .alias = "maxIt", .least = "0")                  \
  X(real, tolerance, "0.001", "m", "the iteration ends when violations change by less", .least = "0")             \
  X(real, sor, "1", "", "part of the new multipliers; below 1 slower and safer, above 1 faster", .least = "0",    \
    .most = "2")                                                                                                  \
  X(real, regularizationTerm, "0", "", "added to the diagonal of the compliance", .least = "0")                   \
  X(bool, scaleTolerance, "1", "", "the tolerance counts for each row, not for their sum")                        \
  X(bool, allVerified, "0", "", "every constraint must be within the tolerance")                                  \
  X(bool, computeGraphs, "0", "", "keep the error of every iteration in graphErrors")                             \
  X(reals, graphErrors, "", "", "sum of the errors after each iteration of the last step", .flags = DV_READ_ONLY) \
  X(int, currentNumConstraints, "0", "", "rows of the last step", .flags = DV_READ_ONLY)                          \
  X(int, currentNumConstraintGroups, "0", "", "constraints of the last step", .flags = DV_READ_ONLY)              \
  X(int, currentIterations, "0", "", "iterations of the last step", .flags = DV_READ_ONLY)                        \
  X(real, currentError, "0", "", "sum of the errors when the last step ended", .flags = DV_READ_ONLY)             \
  X(bool, computeConstraintForces, "0", "", "keep the multipliers in constraintForces")                           \
  X(reals, constraintForces, "", "N s", "multipliers of the last step, row by row", .flags = DV_READ_ONLY)        \
  X(bool, multithreading, "0", "", "accepted: the program's threads are used", .flags = DV_HIDDEN)                \
  X(int, nbThreads, "0", "", "accepted: the program's threads are used", .flags = DV_HIDDEN)                      \
  X(string, taskSchedulerType, "_default", "", "accepted for compatibility", .flags = DV_HIDDEN)

typedef struct GaussSeidel {
  dvObject base;
  GAUSS_SEIDEL_FIELDS(DV_MEMBER)
  dvConstraintProblem problem;
  DV_ARRAY(double) before;   // multipliers of the iteration before, for sor
  bool told;                 // that it did not converge
} GaussSeidel;

#define SELF GaussSeidel
static const dvFieldDesc gauss_seidel_fields[] = {GAUSS_SEIDEL_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus gauss_seidel_init(dvObject *o)
{
  GaussSeidel *g = (GaussSeidel *)o;
  if (!(g->tolerance >= 0))
    return dv_field_error(o, &g->tolerance, "0.001 is the default", "a tolerance of %g is never met", g->tolerance);
  if (!(g->sor > 0 && g->sor < 2))
    return dv_field_error(o, &g->sor, "1 is the plain method", "sor must be between 0 and 2, not %g", g->sor);
  return DV_OK;
}

// solves one law; how far its own violation moved, the largest of its rows in *most
static double visit(const dvConstraintProblem *p, const dvProblemLaw *l, double *most)
{
  size_t n = (size_t)l->law.rows, first = (size_t)l->first;
  double own[DV_LAW_ROWS * DV_LAW_ROWS], d[DV_LAW_ROWS], before[DV_LAW_ROWS], *lambda = p->lambda.data + first, sum = 0;
  const dvVectorKernels *kernels = dv_vector_kernels();
  for (size_t i = 0; i < n; i++) {
    const double *row = p->w.data + (first + i) * p->rows;
    memcpy(own + i * n, row + first, n * sizeof *own);
    d[i] = p->violation.data[first + i] + kernels->dot(row, p->lambda.data, p->rows);
    before[i] = lambda[i];
  }
  dv_law_solve(l->object, &l->law, own, d, lambda);
  *most = 0;
  for (size_t i = 0; i < n; i++) {
    double square = 0;
    for (size_t k = 0; k < n; k++) {
      double move = own[i * n + k] * (lambda[k] - before[k]);
      square += move * move;
    }
    *most = fmax(*most, sqrt(square));
    sum += sqrt(square);
  }
  return sum;
}

static void keep_error(GaussSeidel *g, double error)
{
  if (!g->computeGraphs) return;
  if (!dv_reals_resize(&g->graphErrors, g->graphErrors.count + 1)) return;
  g->graphErrors.data[g->graphErrors.count - 1] = error;
}

static bool iterate(GaussSeidel *g, double tolerance)
{
  const dvConstraintProblem *p = &g->problem;
  bool verified = true;
  double error = 0, most;
  if (g->sor != 1) {
    dv_array_resize(&g->before, p->rows);
    memcpy(g->before.data, p->lambda.data, p->rows * sizeof *g->before.data);
  }
  for (size_t i = 0; i < p->laws.count; i++) {
    double own = p->laws.data[i].law.tolerance, moved = visit(p, &p->laws.data[i], &most);
    verified = verified && !(own > 0 ? moved > own : most > tolerance);
    error += own > 0 ? moved * tolerance / own : moved;
  }
  for (size_t i = 0; g->sor != 1 && i < p->rows; i++)
    p->lambda.data[i] = g->sor * p->lambda.data[i] + (1 - g->sor) * g->before.data[i];
  g->currentError = error;
  keep_error(g, error);
  return g->allVerified ? verified : error < tolerance;
}

static void find_multipliers(GaussSeidel *g)
{
  const dvConstraintProblem *p = &g->problem;
  double tolerance = g->tolerance * (g->scaleTolerance && !g->allVerified ? (double)p->rows : 1);
  bool done = p->rows == 0;
  g->currentError = 0;
  g->graphErrors.count = 0;
  for (g->currentIterations = 0; !done && g->currentIterations < g->maxIterations; g->currentIterations++)
    done = iterate(g, tolerance);
  if (!done && !g->told)
    dv_warning(&g->base, "raise maxIterations, or look for constraints that contradict each other",
               "%zu rows of constraints are solved to %.2g only, after %d iterations (told once)", p->rows,
               g->currentError, g->currentIterations);
  g->told = g->told || !done;
}

static dvStatus show(GaussSeidel *g)
{
  const dvConstraintProblem *p = &g->problem;
  g->currentNumConstraints = (int32_t)p->rows;
  g->currentNumConstraintGroups = (int32_t)p->laws.count;
  if (g->computeConstraintForces && !dv_reals_assign(&g->constraintForces, p->lambda.data, p->rows))
    return dv_error(&g->base, NULL, "out of memory for %zu multipliers", p->rows);
  const void *const fields[] = {&g->currentNumConstraints, &g->currentNumConstraintGroups, &g->currentIterations,
                                &g->currentError,          &g->constraintForces,           &g->graphErrors};
  for (size_t i = 0; i < DV_COUNT(fields); i++) dv_touch(&g->base, fields[i]);
  return DV_OK;
}

static dvStatus gauss_seidel_solve(dvObject *o, double dt, bool velocities_first)
{
  GaussSeidel *g = (GaussSeidel *)o;
  dvPlan *plan = o->node->scene->plan;
  dvConstraintProblem *p = &g->problem;
  dvConstraintStep step = {.x = DV_X_FREE, .v = DV_V_FREE, .dt = dt, .velocities = velocities_first};
  dv_mech_propagate_live(plan, DV_X_FREE, DV_V_FREE);
  DV_TRY(dv_problem_collect(p, plan, &step));
  dv_timer_begin(o->context->timers, "compliance");
  dvStatus status = dv_problem_compliance(p, plan, &step);
  dv_timer_end(o->context->timers);
  DV_TRY(status);
  for (size_t i = 0; i < p->rows; i++) p->w.data[i * p->rows + i] += g->regularizationTerm;
  dv_timer_begin(o->context->timers, "multipliers");
  find_multipliers(g);
  dv_timer_end(o->context->timers);
  DV_TRY(dv_problem_apply(p, plan, &step));
  if (velocities_first) dv_mech_combine(plan, DV_X, DV_X, dt, DV_V);
  dv_problem_store(p, plan, &step);
  return show(g);
}

static void gauss_seidel_remember(dvObject *o, dvMemoryStream *s)
{
  dv_problem_remember(&((GaussSeidel *)o)->problem, o->node->scene->plan, s);
}

static void gauss_seidel_destroy(dvObject *o)
{
  GaussSeidel *g = (GaussSeidel *)o;
  dv_problem_free(&g->problem);
  dv_array_free(&g->before);
}

static const dvConstraintSolverOps gauss_seidel_ops = {.solve = gauss_seidel_solve};

const dvClass dv_gauss_seidel_class = {
    .struct_size = sizeof(dvClass),
    .name = "BlockGaussSeidelConstraintSolver",
    .aliases = "GenericConstraintSolver ProjectedGaussSeidelConstraintSolver",
    .help = "finds the multipliers of constraints one after the other, again and again until they hold",
    .module = "Sofa.Component.Constraint.Lagrangian.Solver",
    .size = sizeof(GaussSeidel),
    .blocks = {&dv_object_block, DV_BLOCK(gauss_seidel_fields)},
    .ops = {[DV_ROLE_CONSTRAINT_SOLVER] = &gauss_seidel_ops},
    .init = gauss_seidel_init,
    .destroy = gauss_seidel_destroy,
    .remember = gauss_seidel_remember,
};
