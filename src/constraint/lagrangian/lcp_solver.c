// LCPConstraintSolver: contacts as a linear complementarity problem, with Coulomb's cone where there is friction.
//
// One contact after the other, all others as they are (law.c), with the friction coefficient of the solver for all.
// Its error is how far that moves its own violation: |w (lambda - before)|; the iteration ends when the sum of errors
// is below the tolerance times one more than the number of contacts, without friction below the tolerance itself.
// Multipliers begin where they ended in the last step (initial_guess), else at 0.
//
// multi_grid: contacts that push each other, W_n > 0, are merged into groups. The groups are solved first, as contacts
// whose rows are the sums of theirs; what the multipliers of a group gain, its active contacts gain.
//
// With build_lcp="0" the multipliers are the same. W is not built where every correction moves degrees of freedom one
// by one (unbuilt.h), whatever the field says; out of a factor it comes as a whole, which costs less than its parts.
#include "constraint/lagrangian/classes.h"
#include "math/kernels.h"
#include "mechanics/mechanics.h"
#include "object/compat.h"
#include "scene/timer.h"

#include <math.h>
#include <string.h>

#define LCP_FIELDS(X)                                                                                       \
  X(bool, displayDebug, "0", "", "accepted for compatibility", .flags = DV_HIDDEN)                          \
  X(bool, initial_guess, "1", "", "begin with the multipliers of the last step")                            \
  X(bool, build_lcp, "1", "", "accepted: W is built where that is faster", .flags = DV_HIDDEN)              \
  X(real, tolerance, "0.001", "m", "the iteration ends when violations change by less", .least = "0")       \
  X(int, maxIt, "1000", "", "most iterations of a step", .alias = "maxIterations", .least = "0")            \
  X(real, regularizationTerm, "0", "", "added to the diagonal of the compliance", .least = "0")             \
  X(real, mu, "0.6", "", "friction coefficient of all contacts; 0: none has friction", .least = "0")        \
  X(real, minW, "0", "", "contacts with less compliance along their normal are left out, unless it is 0",   \
    .least = "0")                                                                                           \
  X(real, maxF, "0", "N s", "contacts that end with more are left out, unless it is 0", .least = "0")       \
  X(bool, multi_grid, "0", "", "solve groups of contacts first")                                            \
  X(int, multi_grid_levels, "2", "", "accepted: there are two levels", .flags = DV_HIDDEN)                  \
  X(int, merge_method, "0", "", "accepted: contacts are merged by compliance", .flags = DV_HIDDEN)          \
  X(int, merge_spatial_step, "2", "", "accepted for compatibility", .flags = DV_HIDDEN)                     \
  X(int, merge_local_levels, "2", "", "accepted for compatibility", .flags = DV_HIDDEN)                     \
  X(bool, computeConstraintForces, "0", "", "keep the multipliers in constraintForces")                     \
  X(reals, constraintForces, "", "N s", "multipliers of the last step, row by row", .flags = DV_READ_ONLY)  \
  X(ints, group, "0", "", "accepted for compatibility", .flags = DV_HIDDEN)                                 \
  X(reals, graph, "", "", "sum of the errors after each iteration of the last step", .flags = DV_READ_ONLY) \
  X(int, currentNumConstraints, "0", "", "rows of the last step", .flags = DV_READ_ONLY)                    \
  X(int, currentIterations, "0", "", "iterations of the last step", .flags = DV_READ_ONLY)                  \
  X(real, currentError, "0", "", "sum of the errors when the last step ended", .flags = DV_READ_ONLY)       \
  X(int, showLevels, "0", "", "accepted for compatibility", .flags = DV_HIDDEN)                             \
  X(real, showCellWidth, "0", "", "accepted for compatibility", .flags = DV_HIDDEN)                         \
  X(vec3, showTranslation, "0 0 0", "", "accepted for compatibility", .flags = DV_HIDDEN)                   \
  X(vec3, showLevelTranslation, "0 0 0", "", "accepted for compatibility", .flags = DV_HIDDEN)

// W, d_free and lambda of contacts or of groups of them
typedef struct Level {
  const dvProblemLaw *laws;   // NULL: all have three rows and friction
  size_t count, rows;
  const double *w, *free;
  double *lambda;
  dvResidual *residual;
  dvUnbuilt *unbuilt;   // instead of W and its residual, or NULL
} Level;

typedef struct LcpSolver {
  dvObject base;
  LCP_FIELDS(DV_MEMBER)
  dvConstraintProblem problem;
  DV_ARRAY(int32_t) merged, lead;   // of each contact; the first contact of each group
  DV_ARRAY(int32_t) members;        // of each group: those that are active
  DV_ARRAY(unsigned char) active;
  DV_ARRAY(double) errors;       // of each contact, where W is not built
  DV_ARRAY(double) coarse;       // W, d_free, lambda and lambda before of the groups
  dvResidual residual;           // of the groups
  bool told;                     // that it did not converge
  bool unscaled;                 // SOFA's compliance of single points without the matrix
  bool unaware;                  // SOFA's first sweep without the matrix
  bool unheld;                   // as SOFA: rows are not projected, so that contacts move what is held
  DV_ARRAY(unsigned char) met;   // there: degrees of freedom whose motion is known
} LcpSolver;

#define SELF LcpSolver
static const dvFieldDesc lcp_fields[] = {LCP_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus lcp_init(dvObject *o)
{
  LcpSolver *s = (LcpSolver *)o;
  if (!(s->mu >= 0))
    return dv_field_error(o, &s->mu, "0.6 is the default", "a friction coefficient of %g has no meaning", s->mu);
  if (!(s->tolerance >= 0))
    return dv_field_error(o, &s->tolerance, "0.001 is the default", "a tolerance of %g is never met", s->tolerance);
  s->unscaled = !s->build_lcp && dv_compat(o, DV_COMPAT_UNBUILT_STEP);
  s->problem.late = s->initial_guess && dv_compat(o, DV_COMPAT_LATE_GUESS);
  s->unaware = !s->build_lcp && s->initial_guess && dv_compat(o, DV_COMPAT_UNBUILT_GUESS);
  s->unheld = dv_node_find_below(o->node->scene->root, DV_ROLE_PROJECTIVE) && dv_compat(o, DV_COMPAT_LCP_HELD);
  return DV_OK;
}

// --- one contact after the other ---------------------------------------------------------------------

static double visit(const LcpSolver *s, const Level *level, size_t index)
{
  static const dvLaw cone = {.kind = DV_LAW_FRICTION, .rows = 3};
  dvLaw law = level->laws ? level->laws[index].law : cone;
  dvObject *owner = level->laws ? level->laws[index].object : NULL;
  size_t n = (size_t)law.rows, first = level->laws ? (size_t)level->laws[index].first : 3 * index;
  double own[DV_LAW_ROWS * DV_LAW_ROWS], d[DV_LAW_ROWS], before[DV_LAW_ROWS], *lambda = level->lambda + first;
  if (level->unbuilt) {
    memcpy(own, dv_unbuilt_own(level->unbuilt, index), n * n * sizeof *own);
    dv_unbuilt_product(level->unbuilt, index, s->met.count ? s->met.data : NULL, d);
  }
  for (size_t i = 0; i < n; i++) {
    if (!level->unbuilt) memcpy(own + i * n, level->w + (first + i) * level->rows + first, n * sizeof *own);
    d[i] = level->unbuilt ? d[i] + level->free[first + i] : level->residual->d.data[first + i];
    before[i] = lambda[i];
  }
  law.mu = s->mu;
  if (s->minW != 0 && fabs(own[0]) <= s->minW) memset(lambda, 0, n * sizeof *lambda);
  else dv_law_solve(owner, &law, own, d, lambda);
  if (level->unbuilt) dv_unbuilt_change(level->unbuilt, index, lambda);
  else dv_residual_change(level->residual, level->w, first, n, lambda);
  double square = 0;
  for (size_t i = 0; i < n; i++) {
    double moved = 0;
    for (size_t k = 0; k < n; k++) moved += own[i * n + k] * (lambda[k] - before[k]);
    square += moved * moved;
  }
  return sqrt(square);
}

// --- without W ---

// SOFA's first sweep: a degree of freedom rests until a contact that pushes has met it, whatever multipliers begin with
static double sweep_unaware(LcpSolver *s, const Level *level)
{
  dvUnbuilt *u = level->unbuilt;
  double error = 0;
  s->met.count = 0;
  dv_array_resize(&s->met, u->size);   // zeros
  dv_unbuilt_follow(u, level->lambda, level->rows);
  for (size_t i = 0; i < level->count; i++) {
    const dvUnbuiltLaw *l = &u->laws.data[i];
    const dvUnbuiltPlace *place = u->places.data + l->place;
    double *lambda = level->lambda + l->first, before = *lambda;
    error += visit(s, level, i);
    bool pushes = before != 0 || *lambda != 0;
    for (int32_t k = 0; pushes && k < l->places; k++) s->met.data[place[k].at] = 1;
  }
  s->met.count = 0;
  return error;
}

// contacts with friction in one go
static double sweep_unbuilt(LcpSolver *s, const Level *level)
{
  double error = 0;
  dv_array_resize(&s->errors, level->count);
  dv_unbuilt_follow(level->unbuilt, level->lambda, level->rows);
  for (size_t i = 0; i < level->count;) {
    size_t end = i;
    while (end < level->count && level->laws[end].law.kind == DV_LAW_FRICTION && level->laws[end].law.rows == 3) end++;
    if (end > i)
      dv_unbuilt_sweep_friction(level->unbuilt, i, end, level->free, level->lambda, true, s->errors.data, NULL);
    else s->errors.data[end++] = visit(s, level, i);
    for (; i < end; i++) error += s->errors.data[i];
  }
  return error;
}

static double sweep(LcpSolver *s, const Level *level)
{
  double error = 0;
  if (level->unbuilt && s->unaware && s->currentIterations == 0) return sweep_unaware(s, level);
  if (level->unbuilt) return sweep_unbuilt(s, level);
  dv_residual_follow(level->residual, level->w, level->free, level->lambda, level->rows);
  for (size_t k = 0; k < level->count; k++) error += visit(s, level, k);
  return error;
}

static bool iterate(LcpSolver *s, const Level *level, double tolerance)
{
  double limit = s->mu > 0 ? tolerance * (double)(level->count + 1) : tolerance;
  for (int i = 0; i < s->maxIt; i++) {
    double error = sweep(s, level);
    s->currentError = error;
    s->currentIterations++;
    dv_push(&s->problem.history, error);
    if (dv_reals_resize(&s->graph, s->graph.count + 1)) s->graph.data[s->graph.count - 1] = error;
    if (error < limit) return true;
  }
  return false;
}

// --- groups of contacts ------------------------------------------------------------------------------

static void merge(LcpSolver *s, const Level *fine)
{
  dv_array_resize(&s->merged, fine->count);
  s->lead.count = 0;
  for (size_t c = 0; c < fine->count; c++) {
    s->merged.data[c] = -1;
    for (size_t g = 0; g < s->lead.count; g++)
      if (fine->w[3 * c * fine->rows + 3 * (size_t)s->lead.data[g]] > 0) s->merged.data[c] = (int32_t)g;
    if (s->merged.data[c] >= 0) continue;
    s->merged.data[c] = (int32_t)s->lead.count;
    dv_push(&s->lead, (int32_t)c);
  }
}

// contacts that act or should; of a group without any, the nearest
static void find_active(LcpSolver *s, const Level *fine)
{
  const dvVectorKernels *kernels = dv_vector_kernels();
  dv_array_resize(&s->active, fine->count);
  dv_array_resize(&s->members, s->lead.count);
  memset(s->members.data, 0, s->lead.count * sizeof *s->members.data);
  for (size_t g = 0; g < s->lead.count; g++) {
    double nearest = INFINITY;
    size_t which = 0;
    for (size_t c = 0; c < fine->count; c++) {
      if (s->merged.data[c] != (int32_t)g) continue;
      double d = fine->free[3 * c] + kernels->dot(fine->w + 3 * c * fine->rows, fine->lambda, fine->rows);
      s->active.data[c] = fine->lambda[3 * c] > 0 || d < 0;
      s->members.data[g] += s->active.data[c];
      if (d < nearest) nearest = d, which = c;
    }
    if (s->members.data[g]) continue;
    s->active.data[which] = 1;
    s->members.data[g] = 1;
  }
}

static Level project(LcpSolver *s, const Level *fine)
{
  size_t rows = 3 * s->lead.count;
  dv_array_resize(&s->coarse, rows * rows + 3 * rows);
  memset(s->coarse.data, 0, s->coarse.count * sizeof *s->coarse.data);
  double *w = s->coarse.data, *free = w + rows * rows, *lambda = free + rows;
  for (size_t c = 0; c < fine->count; c++) {
    if (!s->active.data[c]) continue;
    size_t g = (size_t)s->merged.data[c];
    for (size_t i = 0; i < 3; i++) {
      free[3 * g + i] += fine->free[3 * c + i];
      lambda[3 * g + i] += fine->lambda[3 * c + i] / s->members.data[g];
      for (size_t o = 0; o < fine->count; o++)
        for (size_t k = 0; s->active.data[o] && k < 3; k++)
          w[(3 * g + i) * rows + 3 * (size_t)s->merged.data[o] + k] += fine->w[(3 * c + i) * fine->rows + 3 * o + k];
    }
  }
  memcpy(lambda + rows, lambda, rows * sizeof *lambda);
  dv_residual_reset(&s->residual, fine->residual->symmetric);
  return (Level){
      .count = s->lead.count, .rows = rows, .w = w, .free = free, .lambda = lambda, .residual = &s->residual};
}

static void prolong(const LcpSolver *s, const Level *fine, const Level *coarse)
{
  for (size_t c = 0; c < fine->count; c++) {
    if (!s->active.data[c]) continue;
    size_t g = (size_t)s->merged.data[c];
    double *lambda = fine->lambda + 3 * c;
    for (size_t i = 0; i < 3; i++) lambda[i] += coarse->lambda[3 * g + i] - coarse->lambda[coarse->rows + 3 * g + i];
    if (lambda[0] < 0) memset(lambda, 0, 3 * sizeof *lambda);
  }
}

static void solve_groups(LcpSolver *s, const Level *fine)
{
  for (size_t i = 0; i < fine->count; i++)
    if (fine->laws[i].law.kind != DV_LAW_FRICTION) return;   // others do not merge
  merge(s, fine);
  find_active(s, fine);
  Level coarse = project(s, fine);
  iterate(s, &coarse, s->tolerance * (double)(fine->count + 1) / (double)(coarse.count + 1));
  prolong(s, fine, &coarse);
}

// --- a step ------------------------------------------------------------------------------------------

static void drop_largest(LcpSolver *s, const Level *level)
{
  for (size_t i = 0; s->maxF != 0 && i < level->count; i++) {
    double *lambda = level->lambda + level->laws[i].first;
    if (fabs(*lambda) >= s->maxF) memset(lambda, 0, (size_t)level->laws[i].law.rows * sizeof *lambda);
  }
}

static void find_multipliers(LcpSolver *s)
{
  dvConstraintProblem *p = &s->problem;
  Level fine = {.laws = p->laws.data,
                .count = p->laws.count,
                .rows = p->rows,
                .w = p->w.data,
                .free = p->violation.data,
                .lambda = p->lambda.data,
                .residual = &p->residual,
                .unbuilt = p->unbuilt.used ? &p->unbuilt : NULL};
  s->graph.count = p->history.count = 0;
  s->currentIterations = 0;
  s->currentError = 0;
  if (p->rows == 0) return;
  if (!s->initial_guess) memset(fine.lambda, 0, p->rows * sizeof *fine.lambda);
  if (s->multi_grid && s->mu > 0) solve_groups(s, &fine);
  bool done = iterate(s, &fine, s->tolerance);
  if (done) drop_largest(s, &fine);
  if (!done && !s->told)
    dv_warning(&s->base, "raise maxIt, or look for constraints that contradict each other",
               "%zu rows of constraints are solved to %.2g only, after %d iterations (told once)", p->rows,
               s->currentError, s->currentIterations);
  s->told = s->told || !done;
}

static dvStatus show(LcpSolver *s)
{
  const dvConstraintProblem *p = &s->problem;
  s->currentNumConstraints = (int32_t)p->rows;
  if (s->computeConstraintForces && !dv_reals_assign(&s->constraintForces, p->lambda.data, p->rows))
    return dv_error(&s->base, NULL, "out of memory for %zu multipliers", p->rows);
  const void *const fields[] = {&s->currentNumConstraints, &s->currentIterations, &s->currentError,
                                &s->constraintForces, &s->graph};
  for (size_t i = 0; i < DV_COUNT(fields); i++) dv_touch(&s->base, fields[i]);
  return DV_OK;
}

static dvStatus lcp_solve(dvObject *o, double dt, bool velocities_first)
{
  LcpSolver *s = (LcpSolver *)o;
  dvPlan *plan = o->node->scene->plan;
  dvConstraintProblem *p = &s->problem;
  dvConstraintStep step = {.x = DV_X_FREE,
                           .v = DV_V_FREE,
                           .dt = dt,
                           .velocities = velocities_first,
                           .unscaled = s->unscaled,
                           .unheld = s->unheld};
  dv_mech_propagate_live(plan, DV_X_FREE, DV_V_FREE);
  p->keep_all = s->initial_guess;
  p->takes_unbuilt = s->minW == 0 && !(s->multi_grid && s->mu > 0);
  DV_TRY(dv_problem_collect(p, plan, &step));
  for (size_t i = 0; i < p->laws.count; i++) p->laws.data[i].law.mu = s->mu;
  dv_timer_begin(o->context->timers, "compliance");
  dvStatus status = dv_problem_compliance(p, plan, &step);
  dv_timer_end(o->context->timers);
  DV_TRY(status);
  dv_problem_regularise(p, s->regularizationTerm);
  dv_scene_send(o->node->scene, &(dvEvent){.kind = DV_EVENT_CONSTRAINTS_BUILT, .dt = dt});
  dv_timer_begin(o->context->timers, "multipliers");
  find_multipliers(s);
  dv_timer_end(o->context->timers);
  dv_scene_send(o->node->scene, &(dvEvent){.kind = DV_EVENT_CONSTRAINTS_SOLVED, .dt = dt});
  DV_TRY(dv_problem_apply(p, plan, &step));
  if (velocities_first) dv_mech_combine(plan, DV_X, DV_X, dt, DV_V);
  dv_problem_store(p, &step);
  return show(s);
}

static void lcp_remember(dvObject *o, dvMemoryStream *s)
{
  dv_problem_remember(&((LcpSolver *)o)->problem, o->node->scene->plan, s);
}

static void lcp_destroy(dvObject *o)
{
  LcpSolver *s = (LcpSolver *)o;
  dv_problem_free(&s->problem);
  dv_array_free(&s->merged);
  dv_array_free(&s->lead);
  dv_array_free(&s->members);
  dv_array_free(&s->active);
  dv_array_free(&s->errors);
  dv_array_free(&s->met);
  dv_array_free(&s->coarse);
  dv_residual_free(&s->residual);
}

static dvConstraintProblem *lcp_problem(dvObject *o) { return &((LcpSolver *)o)->problem; }

static const dvConstraintSolverOps lcp_ops = {.solve = lcp_solve, .problem = lcp_problem};

const dvClass dv_lcp_solver_class = {
    .struct_size = sizeof(dvClass),
    .name = "LCPConstraintSolver",
    .help = "finds the multipliers of contacts as a complementarity problem, with one friction coefficient for all",
    .module = "Sofa.Component.Constraint.Lagrangian.Solver",
    .size = sizeof(LcpSolver),
    .blocks = {&dv_object_block, DV_BLOCK(lcp_fields)},
    .ops = {[DV_ROLE_CONSTRAINT_SOLVER] = &lcp_ops},
    .init = lcp_init,
    .destroy = lcp_destroy,
    .remember = lcp_remember,
};
