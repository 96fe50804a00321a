// QPInverseProblemSolver: finds the forces of actuators that bring effectors to their goals (Duriez, Control of elastic
// soft robots based on real-time finite element method, 2013).
//
//   minimise 1/2 |d_e|^2 + epsilon/2 (z - z0)^T W_aa (z - z0),   d = d_free + W lambda
//
// over the multipliers of actuators, equalities, joints and contacts, subject to the limits of actuators on force and
// quantity, to d = 0 of other constraints, and to contact: 0 <= d, 0 <= lambda, one of them 0. z0 are the multipliers
// of the step before, so that the energy weight slows down and chooses between equal ways, but keeps nobody from a
// goal: where the body rests it vanishes. (SOFA weighs the energy itself: energyOfChange="0".)
//
// Contact by cases: each is open (lambda = 0, d >= 0), held (d = 0, lambda >= 0; with friction, tangents are held and
// the force stays within a pyramid inside of Coulomb's cone) or slides (the tangential force is mu lambda along a
// direction, and the motion does not go with it). A case gives a quadratic program (math/qp.h). The first case is that
// of the actuators as they were, by Gauss-Seidel; then the contact whose end pushes back hardest changes its case, as
// long as the goal comes nearer. Forces of contacts never pull, whatever case ends the search.
//
// Laws of others (imposed cables, stops) are solved by Gauss-Seidel before and rest meanwhile.
#include "constraint/lagrangian/solver.h"

#include "math/kernels.h"
#include "math/qp.h"
#include "robot/classes.h"
#include "robot/part.h"

#include <math.h>
#include <string.h>

#define INVERSE_FIELDS(X)                                                                                   \
  X(real, epsilon, "0.001", "", "weight of the energy of the actuators beside the errors of the effectors", \
    .least = "0", .alias = "energyWeight")                                                                  \
  X(bool, energyOfChange, "1", "",                                                                          \
    "weigh the energy of what changes from step to step; 0: of all, as SOFA does, which "                   \
    "keeps effectors away from their goals")                                                                \
  X(real, responseFriction, "0", "", "accepted: friction is that of the contacts", .flags = DV_HIDDEN)      \
  X(string, qpSolver, "", "", "accepted: there is one method", .flags = DV_HIDDEN)                          \
  X(bool, allowSliding, "1", "", "contacts with friction may slide; else they are held or open")            \
  X(bool, actuatorsOnly, "0", "", "accepted for compatibility", .flags = DV_HIDDEN)                         \
  X(bool, displayTime, "0", "", "accepted: run with --profile", .flags = DV_HIDDEN)                         \
  X(bool, saveMatrices, "0", "", "accepted: ComplianceMatrixExporter writes them", .flags = DV_HIDDEN)      \
  X(bool, reverseAccumulateOrder, "0", "", "accepted for compatibility", .flags = DV_HIDDEN)                \
  X(int, countdown, "1", "", "accepted for compatibility", .flags = DV_HIDDEN)                              \
  X(int, mostCases, "40", "", "most cases of contact that are tried in a step", .least = "1")               \
  X(real, objective, "0", "m2", "half the sum of the squares of all effectors' errors, as foreseen",        \
    .flags = DV_READ_ONLY)                                                                                  \
  X(int, cases, "0", "", "cases of contact that were tried in the last step", .flags = DV_READ_ONLY)        \
  X(int, contacts, "0", "", "contacts of the last step that are held or slide", .flags = DV_READ_ONLY)      \
  X(int, limits, "0", "", "limits of actuators that bind", .flags = DV_READ_ONLY)                           \
  X(reals, actuatorForces, "", "N", "forces of all actuators in the order of their rows; pressures in Pa",  \
    .flags = DV_READ_ONLY)                                                                                  \
  X(real, minContactForces, "0", "N", "smallest normal force of the last step", .flags = DV_READ_ONLY)      \
  X(real, maxContactForces, "0", "N", "largest one", .flags = DV_READ_ONLY)

typedef enum Case { OPEN, HELD, SLIDES } Case;

typedef struct Touch {
  int32_t first, rows;   // rows of the law: 1, or 3 with friction
  double mu;
  Case now, best;
  double way[2], best_way[2];   // of the friction force, while it slides
  bool tried;                   // a change of it did not help
} Touch;

// A number that is looked for: one multiplier, or the normal one of a sliding contact with its friction.
typedef struct Unknown {
  int32_t row[3];
  double part[3];
  double energy;   // weight, for actuators; below 0 for others
} Unknown;

typedef enum End { LIMIT, LAW, GAP, HOLD, PULL, CONE, SLIP } End;

// How far the effectors were from their goals in a stretch of steps in which limits bind.
typedef struct Reach {
  double steps, near, far;   // m
  double before;             // the nearest of the stretch before; 0: there is none
} Reach;

typedef struct Inverse {
  dvConstraintSolver solver;
  INVERSE_FIELDS(DV_MEMBER)
  dvQp qp;
  DV_ARRAY(int32_t) effectors;   // rows
  DV_ARRAY(Touch) touches;
  DV_ARRAY(Unknown) unknowns;
  DV_ARRAY(double) fixed;       // multipliers of laws that are not looked for
  DV_ARRAY(double) free;        // violation with them
  DV_ARRAY(double) columns;     // rows x unknowns: W B
  DV_ARRAY(double) c, ends;     // rows of the program and their two ends
  DV_ARRAY(int32_t) whose;      // row: touch, or -1
  DV_ARRAY(signed char) what;   // End
  DV_ARRAY(double) best;        // multipliers
  double least;
  Reach reach;
  bool told_infeasible, told_redundant, told_reach;
} Inverse;

#define SELF Inverse
static const dvFieldDesc inverse_fields[] = {INVERSE_FIELDS(DV_DESCRIBE)};
#undef SELF

// --- what is looked for ------------------------------------------------------------------------------

static const dvPart *part_of(const dvProblemLaw *l)
{
  return l->law.kind == DV_LAW_OWN && l->law.solve == dv_part_waits ? (const dvPart *)l->object : NULL;
}

static void add_unknown(Inverse *s, int32_t row, double energy)
{
  dv_push(&s->unknowns, ((Unknown){.row = {row, row, row}, .part = {1, 0, 0}, .energy = energy}));
}

static void add_touch_unknowns(Inverse *s, const Touch *t)
{
  if (t->now == OPEN) return;
  if (t->now == SLIDES) {
    dv_push(&s->unknowns, ((Unknown){.row = {t->first, t->first + 1, t->first + 2},
                                     .part = {1, t->mu * t->way[0], t->mu * t->way[1]},
                                     .energy = -1}));
    return;
  }
  for (int k = 0; k < t->rows; k++) add_unknown(s, t->first + k, -1);
}

static void list_unknowns(Inverse *s)
{
  const dvConstraintProblem *p = &s->solver.problem;
  s->unknowns.count = 0;
  for (size_t i = 0; i < p->laws.count; i++) {
    const dvProblemLaw *l = &p->laws.data[i];
    const dvPart *part = part_of(l);
    bool acts = part && (part->role == DV_PART_ACTUATOR || part->role == DV_PART_EQUALITY);
    double energy = part && part->role == DV_PART_ACTUATOR ? (part->energy >= 0 ? part->energy : s->epsilon) : -1;
    for (int k = 0; k < l->law.rows && (acts || l->law.kind == DV_LAW_EQUAL); k++) add_unknown(s, l->first + k, energy);
  }
  for (size_t i = 0; i < s->touches.count; i++) add_touch_unknowns(s, &s->touches.data[i]);
}

static void make_columns(Inverse *s)
{
  const dvConstraintProblem *p = &s->solver.problem;
  size_t n = s->unknowns.count;
  dv_array_resize(&s->columns, p->rows * n);
  for (size_t r = 0; r < p->rows; r++)
    for (size_t k = 0; k < n; k++) {
      const Unknown *u = &s->unknowns.data[k];
      double sum = 0;
      for (int a = 0; a < 3; a++) sum += u->part[a] * p->w.data[r * p->rows + (size_t)u->row[a]];
      s->columns.data[r * n + k] = sum;
    }
}

// --- the program of a case ---------------------------------------------------------------------------

static double *add_end(Inverse *s, double low, double high, End what, int32_t whose)
{
  size_t n = s->unknowns.count, at = s->c.count;
  dv_array_resize(&s->c, at + n);
  if (n) memset(s->c.data + at, 0, n * sizeof *s->c.data);
  dv_push(&s->ends, low);
  dv_push(&s->ends, high);
  dv_push(&s->whose, whose);
  dv_push(&s->what, (signed char)what);
  return s->c.data + at;
}

// low <= factor x quantity of a row <= high
static void add_quantity(Inverse *s, size_t row, double low, double high, End what, int32_t whose)
{
  if (isinf(low) && isinf(high)) return;
  size_t n = s->unknowns.count;
  double free = s->free.data[row];
  double *to = add_end(s, low - free, high - free, what, whose);
  if (n) memcpy(to, s->columns.data + row * n, n * sizeof(double));
}

static void add_part_ends(Inverse *s, const dvPart *p, const dvProblemLaw *l, size_t unknown)
{
  const dvPartAim *a = &p->aims.data[l->law.id];
  size_t row = (size_t)l->first;
  double low = dv_part_impulse(p, a->low), high = dv_part_impulse(p, a->high);
  if (p->role == DV_PART_EQUALITY) {
    if (!a->by_force) add_quantity(s, row, p->scale * a->value, p->scale * a->value, LAW, -1);
    else add_end(s, dv_part_impulse(p, a->value), dv_part_impulse(p, a->value), LAW, -1)[unknown] = 1;
    return;
  }
  if (!isinf(low) || !isinf(high)) add_end(s, low, high, LIMIT, -1)[unknown] = 1;
  add_quantity(s, row, p->scale * a->least, p->scale * a->most, LIMIT, -1);
}

static void add_touch_ends(Inverse *s, int32_t number, size_t unknown)
{
  const Touch *t = &s->touches.data[number];
  size_t row = (size_t)t->first, n = s->unknowns.count;
  if (t->now == OPEN) {
    add_quantity(s, row, 0, INFINITY, GAP, number);
    return;
  }
  add_quantity(s, row, 0, 0, HOLD, number);
  add_end(s, 0, INFINITY, PULL, number)[unknown] = 1;
  if (t->now == SLIDES) {   // against the force
    double *c = add_end(s, -INFINITY, 0, SLIP, number);
    double free = 0;
    for (int k = 0; k < 2; k++) {
      size_t tangent = row + 1 + (size_t)k;
      free += t->way[k] * s->free.data[tangent];
      for (size_t i = 0; i < n; i++) c[i] += t->way[k] * s->columns.data[tangent * n + i];
    }
    s->ends.data[s->ends.count - 1] = -free;
    return;
  }
  for (int k = 1; k < t->rows; k++) {
    add_quantity(s, row + (size_t)k, 0, 0, LAW, number);
    for (int side = -1; side <= 1; side += 2) {   // a pyramid within the cone
      double *c = add_end(s, 0, INFINITY, CONE, number);
      c[unknown] = t->mu * 0.70710678118654752;
      c[unknown + (size_t)k] = side;
    }
  }
}

static void list_ends(Inverse *s)
{
  const dvConstraintProblem *p = &s->solver.problem;
  size_t unknown = 0;
  s->c.count = s->ends.count = s->whose.count = s->what.count = 0;
  for (size_t i = 0; i < p->laws.count; i++) {
    const dvProblemLaw *l = &p->laws.data[i];
    const dvPart *part = part_of(l);
    if (part && (part->role == DV_PART_ACTUATOR || part->role == DV_PART_EQUALITY))
      add_part_ends(s, part, l, unknown++);
    for (int k = 0; k < l->law.rows && l->law.kind == DV_LAW_EQUAL; k++, unknown++) {
      add_quantity(s, (size_t)(l->first + k), 0, 0, LAW, -1);
      s->c.data[s->c.count - s->unknowns.count + unknown] += l->law.compliance;
    }
  }
  for (size_t i = 0; i < s->touches.count; i++) {
    const Touch *t = &s->touches.data[i];
    add_touch_ends(s, (int32_t)i, unknown);
    unknown += t->now == OPEN ? 0 : t->now == SLIDES ? 1 : (size_t)t->rows;
  }
}

static void add_energy(Inverse *s)
{
  const dvConstraintProblem *p = &s->solver.problem;
  size_t n = s->unknowns.count;
  double errors = 0, own = 0;
  for (size_t k = 0; k < n; k++) {
    double sum = 0, sum_own = 0;
    if (s->unknowns.data[k].energy < 0) continue;
    for (size_t j = 0; j < n; j++) {
      if (s->unknowns.data[j].energy < 0) continue;
      sum += fabs(s->qp.g2.data[k * n + j]);
      sum_own += fabs(s->columns.data[(size_t)s->unknowns.data[k].row[0] * n + j]);
    }
    errors = fmax(errors, sum), own = fmax(own, sum_own);
  }
  for (size_t k = 0; k < n && own > 0; k++)
    for (size_t j = 0; j < n; j++) {
      double a = s->unknowns.data[k].energy, b = s->unknowns.data[j].energy;
      if (a < 0 || b < 0) continue;
      double e = sqrt(a * b) * errors / own * s->columns.data[(size_t)s->unknowns.data[k].row[0] * n + j];
      s->qp.g2.data[k * n + j] += e;
      if (s->energyOfChange) s->qp.g.data[k] -= e * p->lambda.data[s->unknowns.data[j].row[0]];
    }
}

static void state_program(Inverse *s)
{
  size_t n = s->unknowns.count, m = s->whose.count;
  dv_qp_resize(&s->qp, n, m);
  for (size_t e = 0; e < s->effectors.count; e++) {
    const double *w = s->columns.data + (size_t)s->effectors.data[e] * n;
    double free = s->free.data[s->effectors.data[e]];
    for (size_t i = 0; i < n; i++) {
      s->qp.g.data[i] += w[i] * free;
      for (size_t k = 0; k < n; k++) s->qp.g2.data[i * n + k] += w[i] * w[k];
    }
  }
  add_energy(s);
  if (m) memcpy(s->qp.c.data, s->c.data, m * n * sizeof(double));
  for (size_t r = 0; r < m; r++) s->qp.low.data[r] = s->ends.data[2 * r], s->qp.high.data[r] = s->ends.data[2 * r + 1];
}

// half the squares of the effectors' errors; the multipliers go into `lambda`
static double foresee(const Inverse *s, double *lambda)
{
  size_t n = s->unknowns.count;
  if (s->fixed.count) memcpy(lambda, s->fixed.data, s->fixed.count * sizeof *lambda);
  for (size_t k = 0; k < n; k++)
    for (int a = 0; a < 3; a++) lambda[s->unknowns.data[k].row[a]] += s->unknowns.data[k].part[a] * s->qp.x.data[k];
  double sum = 0;
  for (size_t e = 0; e < s->effectors.count; e++) {
    size_t row = (size_t)s->effectors.data[e];
    double d = s->free.data[row];
    for (size_t k = 0; k < n; k++) d += s->columns.data[row * n + k] * s->qp.x.data[k];
    sum += 0.5 * d * d;
  }
  return sum;
}

static dvQpAnswer solve_case(Inverse *s)
{
  list_unknowns(s);
  make_columns(s);
  list_ends(s);
  state_program(s);
  s->cases++;
  return dv_qp_solve(&s->qp);
}

// --- cases -------------------------------------------------------------------------------------------

static void list_touches(Inverse *s)
{
  const dvConstraintProblem *p = &s->solver.problem;
  s->touches.count = s->effectors.count = 0;
  for (size_t i = 0; i < p->laws.count; i++) {
    const dvProblemLaw *l = &p->laws.data[i];
    const dvPart *part = part_of(l);
    if (part && part->role == DV_PART_EFFECTOR) dv_push(&s->effectors, l->first);
    bool friction = l->law.kind == DV_LAW_FRICTION && l->law.mu > 0;
    for (int k = 0; k < l->law.rows && l->law.kind == DV_LAW_UNEQUAL; k++)
      dv_push(&s->touches, ((Touch){.first = l->first + k, .rows = 1}));
    if (l->law.kind == DV_LAW_FRICTION)
      dv_push(&s->touches, ((Touch){.first = l->first, .rows = friction ? 3 : 1, .mu = l->law.mu}));
  }
}

static void point_way(Touch *t, double a, double b)
{
  double size = hypot(a, b);
  t->way[0] = size > 0 ? a / size : 1;
  t->way[1] = size > 0 ? b / size : 0;
}

// as Gauss-Seidel has left them with the actuators of the last step
static void first_case(Inverse *s)
{
  const double *lambda = s->solver.problem.lambda.data;
  for (size_t i = 0; i < s->touches.count; i++) {
    Touch *t = &s->touches.data[i];
    const double *own = lambda + t->first;
    t->now = own[0] > 0 ? HELD : OPEN;
    if (t->now == OPEN || t->rows == 1) continue;
    double tangent = hypot(own[1], own[2]);
    point_way(t, own[1], own[2]);
    if (s->allowSliding && tangent > 0.7 * t->mu * own[0]) t->now = SLIDES;
  }
}

static void switch_case(const Inverse *s, Touch *t, End what)
{
  if (what == GAP) t->now = HELD;
  if (what == PULL || what == HOLD) t->now = OPEN;
  if (what == SLIP) t->now = HELD;
  if (what == CONE) {
    t->now = s->allowSliding ? SLIDES : OPEN;
    point_way(t, s->best.data[t->first + 1], s->best.data[t->first + 2]);
  }
}

// the contact whose end pushes back hardest, of those whose change was not tried in vain
static int32_t hardest(const Inverse *s, End *what)
{
  size_t n = s->unknowns.count;
  double most = 0;
  int32_t found = -1;
  for (size_t r = 0; r < s->whose.count; r++) {
    if (s->what.data[r] == LAW || s->what.data[r] == LIMIT || s->touches.data[s->whose.data[r]].tried) continue;
    const double *c = s->c.data + r * n;
    if (s->what.data[r] == HOLD && !(s->qp.y.data[r] < 0)) continue;   // nothing would be gained by opening it
    double push = fabs(s->qp.y.data[r]) * sqrt(dv_vector_kernels()->dot(c, c, n));
    if (push > most) most = push, found = s->whose.data[r], *what = (End)s->what.data[r];
  }
  return found;
}

static void keep(Inverse *s, double objective)
{
  s->least = objective;
  foresee(s, s->best.data);
  for (size_t i = 0; i < s->touches.count; i++) {
    Touch *t = &s->touches.data[i];
    t->best = t->now;
    memcpy(t->best_way, t->way, sizeof t->way);
    t->tried = false;
  }
  s->limits = 0;
  for (size_t r = 0; r < s->whose.count; r++) s->limits += s->what.data[r] == LIMIT && s->qp.side.data[r];
}

static void search_cases(Inverse *s)
{
  for (End what = LAW; s->cases < s->mostCases;) {
    int32_t number = hardest(s, &what);
    if (number < 0) return;
    Touch *t = &s->touches.data[number];
    switch_case(s, t, what);
    dvQpAnswer answer = solve_case(s);
    double objective = answer == DV_QP_SOLVED ? foresee(s, s->solver.total.data) : INFINITY;
    if (objective < s->least * (1 - 1e-9) - 1e-300) {
      keep(s, objective);
      continue;
    }
    t->now = t->best;
    memcpy(t->way, t->best_way, sizeof t->way);
    t->tried = true;
    solve_case(s);   // back: its ends tell whom to try next
  }
}

// Where a case has no answer, rows of contacts are among those that prove it: they change, each once.
static dvQpAnswer repair_case(Inverse *s, dvQpAnswer answer)
{
  if (s->best.count) memcpy(s->best.data, s->solver.problem.lambda.data, s->best.count * sizeof *s->best.data);
  for (End what = LAW; answer == DV_QP_INFEASIBLE && s->cases < s->mostCases;) {
    int32_t number = hardest(s, &what);
    if (number < 0) return answer;
    switch_case(s, &s->touches.data[number], what);
    s->touches.data[number].tried = true;
    answer = solve_case(s);
  }
  return answer;
}

// --- a step ------------------------------------------------------------------------------------------

// laws but those of parts, with actuators as they are
static void settle_others(Inverse *s, double tolerance)
{
  dvConstraintSolver *base = &s->solver;
  bool verified = false, needed = s->touches.count > 0;
  for (size_t i = 0; i < base->problem.laws.count && !needed; i++) {
    const dvProblemLaw *l = &base->problem.laws.data[i];
    needed = l->law.kind == DV_LAW_BOUNDED || (l->law.kind == DV_LAW_OWN && !part_of(l));
  }
  for (int i = 0; needed && i < base->maxIterations; i++)
    if (dv_constraint_solver_sweep(base, tolerance, &verified) < tolerance) break;
}

// multipliers that are not looked for, and what is violated with them
static void fix_others(Inverse *s)
{
  dvConstraintProblem *p = &s->solver.problem;
  dv_array_resize(&s->fixed, p->rows);
  dv_array_resize(&s->free, p->rows);
  if (p->rows) memset(s->fixed.data, 0, p->rows * sizeof *s->fixed.data);
  for (size_t i = 0; i < p->laws.count; i++) {
    const dvProblemLaw *l = &p->laws.data[i];
    bool other = l->law.kind == DV_LAW_BOUNDED || (l->law.kind == DV_LAW_OWN && !part_of(l));
    for (int k = 0; other && k < l->law.rows; k++) s->fixed.data[l->first + k] = p->lambda.data[l->first + k];
  }
  dv_problem_product(p, s->fixed.data, s->free.data);
  for (size_t r = 0; r < p->rows; r++) s->free.data[r] += p->violation.data[r];
}

// Whether limits have bound in two stretches of steps, and the nearest of both is equally far: then that is the end.
static bool is_stuck(Inverse *s)
{
  enum { STRETCH = 50 };
  double away = sqrt(2 * s->least);
  if (!s->limits || !(away > 0)) {
    s->reach = (Reach){0};
    return false;
  }
  s->reach.near = s->reach.steps > 0 ? fmin(s->reach.near, away) : away;
  s->reach.far = s->reach.steps > 0 ? fmax(s->reach.far, away) : away;
  if (++s->reach.steps < STRETCH) return false;
  bool stuck = fabs(s->reach.near - s->reach.before) < 0.02 * s->reach.before;
  s->reach.before = s->reach.near;
  s->reach.steps = 0;
  return stuck;
}

static void tell(Inverse *s)
{
  dvObject *o = &s->solver.base;
  if (s->qp.singular && s->effectors.count && !s->told_redundant && s->touches.count == 0 && s->epsilon == 0) {
    dv_note(o,
            "%d of %zu actuators are redundant: the smallest forces are taken; epsilon weighs their energy (told once)",
            s->qp.singular, s->unknowns.count);
    s->told_redundant = true;
  }
  if (!is_stuck(s) || s->told_reach) return;
  s->told_reach = true;
  bool restless = s->reach.far > 1.01 * s->reach.near;
  dv_warning(o,
             restless ? "set maxDispVariation or maxForceVariation of the actuators, or move the goal"
                      : "give actuators wider limits, or move the goal",
             "the goal is out of reach: %d limits bind, and the effectors stay %g away; %s (told once)", s->limits,
             s->reach.near,
             restless ? "forces go to and fro around the nearest that can be reached"
                      : "the nearest that can be reached is held");
}

static void show_contacts(Inverse *s, double h)
{
  double low = INFINITY, high = -INFINITY;
  s->contacts = 0;
  for (size_t i = 0; i < s->touches.count; i++) {
    double force = s->solver.problem.lambda.data[s->touches.data[i].first] / h;
    s->contacts += s->touches.data[i].best != OPEN;
    low = fmin(low, force), high = fmax(high, force);
  }
  s->minContactForces = s->touches.count ? low : 0;
  s->maxContactForces = s->touches.count ? high : 0;
}

static void show_actuators(Inverse *s, double h)
{
  const dvConstraintProblem *p = &s->solver.problem;
  size_t count = 0;
  for (int pass = 0; pass < 2; pass++) {
    if (pass && !dv_reals_resize(&s->actuatorForces, count)) return;
    double *out = pass ? dv_reals_edit(&s->actuatorForces) : NULL;
    count = 0;
    for (size_t i = 0; i < p->laws.count; i++) {
      const dvProblemLaw *l = &p->laws.data[i];
      const dvPart *part = part_of(l);
      if (!part || part->role != DV_PART_ACTUATOR) continue;
      for (int k = 0; k < l->law.rows; k++, count++)
        if (out) out[count] = p->lambda.data[l->first + k] / (part->impulses ? 1 : h);
    }
  }
  dv_touch(&s->solver.base, &s->actuatorForces);
}

static void forget_changes(Inverse *s)
{
  dvConstraintProblem *p = &s->solver.problem;
  for (size_t i = 0; i < p->laws.count; i++) {
    const dvProblemLaw *l = &p->laws.data[i];
    const dvPart *part = part_of(l);
    for (int k = 0; part && part->momentary && k < l->law.rows; k++) p->lambda.data[l->first + k] = 0;
  }
}

static bool inverse_find(dvConstraintSolver *base, double tolerance)
{
  Inverse *s = (Inverse *)base;
  dvConstraintProblem *p = &base->problem;
  s->cases = 0;
  list_touches(s);
  forget_changes(s);
  settle_others(s, tolerance);
  fix_others(s);
  first_case(s);
  dv_array_resize(&s->best, p->rows);
  dv_array_resize(&base->total, p->rows);
  dvQpAnswer answer = repair_case(s, solve_case(s));
  if (answer != DV_QP_SOLVED) {
    if (!s->told_infeasible)
      dv_warning(&base->base, "widen the limits, or slow the goals down",
                 "limits of actuators, equalities and contacts contradict each other (time %g): the actuators stay as "
                 "they were (told once)",
                 base->base.node->time);
    s->told_infeasible = true;
    s->reach = (Reach){0};
    return true;
  }
  keep(s, foresee(s, s->best.data));
  if (s->touches.count) search_cases(s);
  if (p->rows) memcpy(p->lambda.data, s->best.data, p->rows * sizeof *p->lambda.data);
  s->objective = s->least;
  base->currentIterations = s->cases;
  base->currentError = 0;
  tell(s);
  return true;
}

static dvStatus inverse_solve(dvObject *o, double dt, bool velocities_first)
{
  Inverse *s = (Inverse *)o;
  s->solver.needs_matrix = true;
  DV_TRY(dv_constraint_solver_solve(o, dt, velocities_first, inverse_find));
  show_contacts(s, dt);
  show_actuators(s, dt);
  dv_touch(o, &s->objective);
  return DV_OK;
}

// SOFA's defaults of these two
static void inverse_create(dvObject *o)
{
  Inverse *s = (Inverse *)o;
  s->solver.maxIterations = 250;
  s->solver.tolerance = 1e-10;
}

static dvStatus inverse_init(dvObject *o)
{
  Inverse *s = (Inverse *)o;
  if (!(s->epsilon >= 0))
    return dv_field_error(o, &s->epsilon, "0.001 is the default", "a weight cannot be negative: %g", s->epsilon);
  return dv_constraint_solver_init(o);
}

static void inverse_remember(dvObject *o, dvMemoryStream *m)
{
  Inverse *s = (Inverse *)o;
  dv_constraint_solver_remember(o, m);
  dv_remember_numbers(m, "objective", &s->objective, sizeof s->objective);
  dv_remember_numbers(m, "reach", (double *)&s->reach, sizeof s->reach);
}

static void inverse_destroy(dvObject *o)
{
  Inverse *s = (Inverse *)o;
  dv_constraint_solver_destroy(o);
  dv_qp_free(&s->qp);
  dv_array_free(&s->effectors);
  dv_array_free(&s->touches);
  dv_array_free(&s->unknowns);
  dv_array_free(&s->fixed);
  dv_array_free(&s->free);
  dv_array_free(&s->columns);
  dv_array_free(&s->c);
  dv_array_free(&s->ends);
  dv_array_free(&s->whose);
  dv_array_free(&s->what);
  dv_array_free(&s->best);
}

static const dvConstraintSolverOps inverse_ops = {.solve = inverse_solve, .problem = dv_constraint_solver_problem};

const dvClass dv_inverse_class = {
    .struct_size = sizeof(dvClass),
    .name = "QPInverseProblemSolver",
    .help = "finds the forces of actuators that bring effectors to their goals, with limits and contacts",
    .module = "SoftRobots.Inverse",
    .size = sizeof(Inverse),
    .blocks = {&dv_object_block, &dv_constraint_solver_block, DV_BLOCK(inverse_fields)},
    .ops = {[DV_ROLE_CONSTRAINT_SOLVER] = &inverse_ops},
    .create = inverse_create,
    .init = inverse_init,
    .remember = inverse_remember,
    .destroy = inverse_destroy,
};
