// See solver.h.
#include "constraint/lagrangian/solver.h"

#include "math/dense.h"
#include "mechanics/mechanics.h"
#include "scene/timer.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define SELF dvConstraintSolver
static const dvFieldDesc constraint_solver_fields[] = {DV_CONSTRAINT_SOLVER_FIELDS(DV_DESCRIBE)};
#undef SELF
const dvFieldBlock dv_constraint_solver_block = {constraint_solver_fields, (int)DV_COUNT(constraint_solver_fields)};

dvStatus dv_constraint_solver_init(dvObject *o)
{
  dvConstraintSolver *s = (dvConstraintSolver *)o;
  if (!(s->tolerance >= 0))
    return dv_field_error(o, &s->tolerance, "0.001 is the default", "a tolerance of %g is never met", s->tolerance);
  if (!(s->sor > 0 && s->sor < 2))
    return dv_field_error(o, &s->sor, "1 is the plain method", "sor must be between 0 and 2, not %g", s->sor);
  if (dv_plays(o, DV_ROLE_LOOP)) return DV_OK;   // SOFA's older loop forgets forces
  if (!s->forces) dv_vec_take(o, DV_VEC_DERIV, &s->forces);
  o->node->scene->multipliers = s->forces;
  return DV_OK;
}

// --- regularisation ----------------------------------------------------------------------------------

// Rows that others repeat or contradict have a part in the null space of W: they alone get the term.
static void regularise_null_space(dvConstraintSolver *s)
{
  dvConstraintProblem *p = &s->problem;
  size_t n = p->rows;
  dv_array_resize(&s->svd, 2 * n * n + n);
  double *ut = s->svd.data, *vt = ut + n * n, *sigma = vt + n * n;
  memcpy(ut, p->w.data, n * n * sizeof *ut);
  dv_dense_svd(ut, vt, sigma, n);
  for (size_t i = 0; i < n; i++) {
    bool in_null_space = false;
    for (size_t k = 0; k < n && !in_null_space; k++)
      in_null_space = sigma[k] < sigma[0] * s->svdSingularValueNullSpaceCriteriaFactor &&
                      fabs(vt[k * n + i]) > s->svdSingularVectorNullSpaceCriteriaFactor;
    if (in_null_space) p->w.data[i * n + i] += s->regularizationTerm;
  }
}

static void regularise(dvConstraintSolver *s)
{
  dvConstraintProblem *p = &s->problem;
  if (s->useSVDForRegularization) {
    if (s->regularizationTerm > DBL_EPSILON) regularise_null_space(s);
    return;
  }
  dv_problem_regularise(p, s->regularizationTerm);
}

// --- multipliers -------------------------------------------------------------------------------------

// laws from i on that have friction, where W is not built: where they end
static size_t end_of_friction(const dvConstraintProblem *p, size_t i)
{
  while (p->unbuilt.used && i < p->laws.count && p->laws.data[i].law.kind == DV_LAW_FRICTION &&
         p->laws.data[i].law.rows == 3)
    i++;
  return i;
}

double dv_constraint_solver_sweep(dvConstraintSolver *s, double tolerance, bool *verified)
{
  dvConstraintProblem *p = &s->problem;
  double error = 0;
  *verified = true;
  dv_array_resize(&s->most, p->laws.count);
  dv_problem_follow(p);
  for (size_t i = 0; i < p->laws.count;) {
    size_t end = end_of_friction(p, i);
    if (end > i)
      dv_unbuilt_sweep_friction(&p->unbuilt, i, end, p->violation.data, p->lambda.data, false, s->errors.data,
                                s->most.data);
    else s->errors.data[i] = dv_problem_visit(p, &p->laws.data[i], &s->most.data[i]), end = i + 1;
    i = end;
  }
  for (size_t i = 0; i < p->laws.count; i++) {
    double own = p->laws.data[i].law.tolerance, moved = s->errors.data[i];
    *verified = *verified && !(own > 0 ? moved > own : s->most.data[i] > tolerance);
    if (own > 0) s->errors.data[i] = moved * tolerance / own;
    error += s->errors.data[i];
  }
  return error;
}

static bool append(dvReals *list, const double *values, size_t count)
{
  size_t at = list->count;
  if (!dv_reals_resize(list, at + count)) return false;
  if (count) memcpy(list->data + at, values, count * sizeof *values);
  return true;
}

void dv_constraint_solver_keep(dvConstraintSolver *s, double error)
{
  dvConstraintProblem *p = &s->problem;
  s->currentError = error;
  dv_push(&p->history, error);
  if (!s->computeGraphs) return;
  size_t at = s->graphViolations.count;
  if (!append(&s->graphErrors, &error, 1) || !append(&s->graphForces, p->lambda.data, p->rows)) return;
  if (!dv_reals_resize(&s->graphViolations, at + p->rows)) return;
  for (size_t i = 0; i < p->laws.count; i++)
    dv_problem_violation(p, &p->laws.data[i], s->graphViolations.data + at + p->laws.data[i].first);
}

static bool are_finite(const dvConstraintProblem *p)
{
  for (size_t i = 0; i < p->rows; i++)
    if (!isfinite(p->lambda.data[i])) return false;
  return true;
}

// what another method has lost
static bool find_one_by_one(dvConstraintSolver *s, double tolerance)
{
  if (!s->told_lost)
    dv_warning(&s->base, "use BlockGaussSeidelConstraintSolver",
               "the multipliers grow without bound; they are found one after the other instead (told once)");
  s->told_lost = true;
  s->currentIterations = 0;
  s->problem.history.count = 0;
  for (size_t i = 0; i < s->problem.rows; i++) s->problem.lambda.data[i] = 0;
  return dv_gauss_seidel_find(s, tolerance);
}

static void find_multipliers(dvConstraintSolver *s, dvFindMultipliers find)
{
  dvConstraintProblem *p = &s->problem;
  double tolerance = s->tolerance * (s->scaleTolerance && !s->allVerified ? (double)p->rows : 1);
  s->currentError = 0;
  s->currentIterations = 0;
  p->history.count = 0;
  s->graphErrors.count = s->graphForces.count = s->graphViolations.count = 0;
  dv_array_resize(&s->errors, p->laws.count);
  for (size_t i = 0; i < p->laws.count; i++) s->errors.data[i] = 0;
  if (p->rows == 0) return;
  dv_problem_invert(p);
  bool done = find(s, tolerance), lost = !isfinite(s->currentError) || !are_finite(p);
  if (lost && find != dv_gauss_seidel_find) done = find_one_by_one(s, tolerance);
  if (!done && !s->told)
    dv_warning(&s->base, "raise maxIterations, or look for constraints that contradict each other",
               "%zu rows of constraints are solved to %.2g only, after %d iterations (told once)", p->rows,
               s->currentError, s->currentIterations);
  s->told = s->told || !done;
}

static dvStatus show(dvConstraintSolver *s)
{
  dvConstraintProblem *p = &s->problem;
  s->lawError = s->checkLaws ? dv_problem_law_error(p) : 0;
  s->largestLawError = dv_max(s->largestLawError, s->lawError);
  s->currentNumConstraints = (int32_t)p->rows;
  s->currentNumConstraintGroups = (int32_t)p->laws.count;
  if (s->computeConstraintForces && !dv_reals_assign(&s->constraintForces, p->lambda.data, p->rows))
    return dv_error(&s->base, NULL, "out of memory for %zu multipliers", p->rows);
  if (s->computeGraphs && !dv_reals_assign(&s->graphConstraints, s->errors.data, p->laws.count))
    return dv_error(&s->base, NULL, "out of memory for %zu errors", p->laws.count);
  const void *const fields[] = {&s->currentNumConstraints,
                                &s->currentNumConstraintGroups,
                                &s->currentIterations,
                                &s->currentError,
                                &s->constraintForces,
                                &s->graphErrors,
                                &s->lawError,
                                &s->largestLawError,
                                &s->graphConstraints,
                                &s->graphForces,
                                &s->graphViolations};
  for (size_t i = 0; i < DV_COUNT(fields); i++) dv_touch(&s->base, fields[i]);
  return DV_OK;
}

// --- a step ------------------------------------------------------------------------------------------

static dvStatus pose(dvConstraintSolver *s, dvPlan *plan, const dvConstraintStep *step)
{
  dvTimers *timers = s->base.context->timers;
  s->problem.takes_blocks = true;
  s->problem.takes_unbuilt = !s->needs_matrix && !(s->useSVDForRegularization && s->regularizationTerm > DBL_EPSILON);
  s->problem.keep_all = s->warmStart;
  DV_TRY(dv_problem_collect(&s->problem, plan, step));
  dv_timer_begin(timers, "compliance");
  dvStatus status = dv_problem_compliance(&s->problem, plan, step);
  dv_timer_end(timers);
  DV_TRY(status);
  regularise(s);
  return DV_OK;
}

static void find_timed(dvConstraintSolver *s, dvFindMultipliers find)
{
  dv_timer_begin(s->base.context->timers, "multipliers");
  find_multipliers(s, find);
  dv_timer_end(s->base.context->timers);
}

// Rows and violations about the positions that the multipliers have led to: d = d(x) + W (lambda - those). False when
// other laws hold there.
static bool shift(dvConstraintSolver *s)
{
  dvConstraintProblem *p = &s->problem;
  if (p->rows != s->total.count) return false;
  dv_array_resize(&s->before, p->rows);
  dv_problem_product(p, s->total.data, s->before.data);
  for (size_t i = 0; i < p->rows; i++) {
    p->violation.data[i] -= s->before.data[i];
    p->lambda.data[i] = s->total.data[i];
  }
  return true;
}

static dvStatus linearise_again(dvConstraintSolver *s, dvPlan *plan, double dt, dvFindMultipliers find)
{
  dvConstraintProblem *p = &s->problem;
  dvConstraintStep step = {.x = DV_X_FREE, .v = DV_V_FREE, .dt = dt, .again = true};
  dv_array_resize(&s->total, p->rows);
  if (p->rows == 0) return DV_OK;
  memcpy(s->total.data, p->lambda.data, p->rows * sizeof *p->lambda.data);
  dv_mech_copy(plan, DV_X_FREE, DV_X);
  dv_mech_copy(plan, DV_V_FREE, DV_V);
  dv_mech_propagate_x(plan, DV_X_FREE);
  dv_mech_propagate_v(plan, DV_V_FREE);
  DV_TRY(pose(s, plan, &step));
  if (!shift(s)) return DV_OK;
  find_timed(s, find);
  for (size_t i = 0; i < p->rows; i++) p->lambda.data[i] -= s->total.data[i];
  DV_TRY(dv_problem_apply(p, plan, &step));
  for (size_t i = 0; i < p->rows; i++) p->lambda.data[i] += s->total.data[i];
  return DV_OK;
}

// H^T lambda / h on states whose mappings bend, for the next step
static void store_forces(dvConstraintSolver *s, const dvPlan *plan, double dt)
{
  const dvConstraintProblem *p = &s->problem;
  for (size_t i = 0; i < plan->fixed.mappings; i++) {
    dvObject *output;
    for (size_t k = 0; plan->mappings.data[i].bends && (output = dv_mapping_output(plan->mappings.data[i].object, k));
         k++) {
      dvState *state = dv_state(output);
      const dvStateRows *on = dv_rows_find(&p->set, state);
      double *force = dv_state_overwrite(state, s->forces);
      size_t count = dv_state_scalars(state, s->forces);
      memset(force, 0, count * sizeof *force);
      if (on) dv_sparse_rows_add_transposed(&on->rows, p->lambda.data, force);
      for (size_t n = 0; n < count; n++) force[n] /= dt;
    }
  }
}

dvStatus dv_constraint_solver_solve(dvObject *o, double dt, bool velocities_first, dvFindMultipliers find)
{
  dvConstraintSolver *s = (dvConstraintSolver *)o;
  dvPlan *plan = o->node->scene->plan;
  dvConstraintProblem *p = &s->problem;
  dvConstraintStep step = {.x = DV_X_FREE, .v = DV_V_FREE, .dt = dt, .velocities = velocities_first};
  dv_mech_propagate_live(plan, DV_X_FREE, DV_V_FREE);
  DV_TRY(pose(s, plan, &step));
  dv_scene_send(o->node->scene, &(dvEvent){.kind = DV_EVENT_CONSTRAINTS_BUILT, .dt = dt});
  find_timed(s, find);
  dv_scene_send(o->node->scene, &(dvEvent){.kind = DV_EVENT_CONSTRAINTS_SOLVED, .dt = dt});
  DV_TRY(dv_problem_apply(p, plan, &step));
  if (velocities_first) dv_mech_combine(plan, DV_X, DV_X, dt, DV_V);
  for (int i = 1; !velocities_first && i < s->linearizations; i++) DV_TRY(linearise_again(s, plan, dt, find));
  dv_problem_store(p, &step);
  if (s->forces) store_forces(s, plan, dt);
  return show(s);
}

struct dvConstraintProblem *dv_constraint_solver_problem(dvObject *o) { return &((dvConstraintSolver *)o)->problem; }

void dv_constraint_solver_remember(dvObject *o, dvMemoryStream *stream)
{
  dvConstraintSolver *s = (dvConstraintSolver *)o;
  dv_problem_remember(&s->problem, o->node->scene->plan, stream);
  stream->vector(stream, o, "forces", s->forces);
  dv_remember_numbers(stream, "largestLawError", &s->largestLawError, sizeof s->largestLawError);
}

void dv_constraint_solver_destroy(dvObject *o)
{
  dvConstraintSolver *s = (dvConstraintSolver *)o;
  dv_problem_free(&s->problem);
  dv_vec_give(o, &s->forces);
  dv_array_free(&s->before);
  dv_array_free(&s->errors);
  dv_array_free(&s->most);
  dv_array_free(&s->svd);
  dv_array_free(&s->total);
}
