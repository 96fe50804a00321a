// SiconosConstraintSolver: contacts and constraints by the solvers of Siconos (Acary, Bremond, Huber, Perignon: An
// introduction to Siconos, INRIA RT-340) for u = W r + q with Signorini's condition and Coulomb's law.
//
// Siconos' problem knows contacts of three rows and nothing else, so the others are taken out of it:
//
//   equalities      lambda_e = -W_ee^-1 (d_e + W_ec r), which leaves W_cc - W_ce W_ee^-1 W_ec between the contacts; the
//                   pseudo-inverse where equalities repeat each other
//   inequalities    contacts without friction: two tangents of their own that nothing couples with
//   bounds          equalities, or multipliers that stand at a bound: chosen anew until none lies beyond its bound and
//                   none is held back by it that would go inside
//   laws of others  Gauss-Seidel around Siconos: their multipliers as they are, all others exactly; until they stay
//
// Where equalities leave a contact no motion of its own (a limit of a joint whose motor holds it), all laws of that
// step are found one after the other instead. W and r are scaled so that W has ones on its diagonal in the mean: the
// natural map, in which Siconos measures its error, then is a length in metres, as the tolerance is. Needs the module
// of siconos_table.h.
#include "base/module.h"
#include "constraint/lagrangian/classes.h"
#include "constraint/lagrangian/siconos_table.h"
#include "constraint/lagrangian/solver.h"
#include "math/dense.h"
#include "math/kernels.h"

#include <math.h>
#include <string.h>

#define SICONOS_FIELDS(X)                                                                                            \
  X(choice, method, "NSGS", "",                                                                                      \
    "of Siconos: Gauss-Seidel over contacts (NSGS), Newton's method on Alart and Curnier's function (NSN_AC, which " \
    "prints complaints where contacts are redundant), proximal points (PROX), fixed points on Tresca's threshold "   \
    "(TFP)",                                                                                                         \
    .options = "NSGS|NSN_AC|PROX|TFP")                                                                               \
  X(choice, otherwise, "error", "",                                                                                  \
    "what to do where the program was built without Siconos: end with an error, or find the multipliers as "         \
    "BlockGaussSeidelConstraintSolver does",                                                                         \
    .options = "error|gaussSeidel")                                                                                  \
  X(real, residual, "0", "", "that Siconos measured last, in proportion to the free violations", .flags = DV_READ_ONLY)

enum { OTHERWISE_ERROR, OTHERWISE_GAUSS_SEIDEL };
enum { ROUNDS = 100 };   // around Siconos, where some laws are neither contacts nor equalities
enum { FREE, LOW, HIGH };

typedef struct Siconos {
  dvConstraintSolver solver;
  SICONOS_FIELDS(DV_MEMBER)
  const dvSiconos *table;     // NULL: Gauss-Seidel
  DV_ARRAY(int32_t) equal;    // rows of equalities
  DV_ARRAY(int32_t) slot;     // three for each contact: its rows, -1 where it has none
  DV_ARRAY(double) mu;        // of each contact
  DV_ARRAY(double) more;      // of each row: the compliance of its law
  DV_ARRAY(double) inverse;   // W_ee^-1
  DV_ARRAY(double) coupled;   // W_ee^-1 W_ec
  DV_ARRAY(double) held;      // W_ee^-1 d_e
  DV_ARRAY(double) w, q, r;   // Siconos' problem
  DV_ARRAY(double) d;         // violations without equalities and contacts
  DV_ARRAY(double) work;
  DV_ARRAY(unsigned char) at;   // of each row with bounds: where its multiplier stands
  double scale;                 // of W
  bool bounds, others;          // there are laws with bounds, and laws of other kinds
  bool told_gave_up;
} Siconos;

#define SELF Siconos
static const dvFieldDesc siconos_fields[] = {SICONOS_FIELDS(DV_DESCRIBE)};
#undef SELF

static const dvModule module = {
    .what = "Siconos",
    .file = "libdivan_siconos.so",
    .variable = "DIVAN_SICONOS_MODULE",
    .symbol = DV_SICONOS_SYMBOL,
    .advice =
        "install it (Debian: tools/setup siconos, or apt install libsiconos-numerics-dev) and build again, or use "
        "BlockGaussSeidelConstraintSolver or NNCGConstraintSolver, which need nothing; otherwise=\"gaussSeidel\" "
        "goes on without it",
    .abi = DV_SICONOS_ABI,
};

static dvStatus siconos_init(dvObject *o)
{
  Siconos *s = (Siconos *)o;
  dvText why = {0}, advice = {0};
  s->table = dv_module_load(&module, &why, &advice);
  dvStatus status = DV_OK;
  if (!s->table && s->otherwise == OTHERWISE_GAUSS_SEIDEL)
    dv_note(o, "%s: multipliers are found by Gauss-Seidel, as otherwise=\"gaussSeidel\" says", why.text);
  else if (!s->table) status = dv_error(o, advice.text, "%s", why.text);
  dv_text_free(&why), dv_text_free(&advice);
  DV_TRY(status);
  s->solver.needs_matrix = s->table != NULL;
  return dv_constraint_solver_init(o);
}

// --- who is what -------------------------------------------------------------------------------------

static void add_contact(Siconos *s, int32_t first, int rows, double mu)
{
  for (int k = 0; k < 3; k++) dv_push(&s->slot, k < rows ? first + k : -1);
  dv_push(&s->mu, mu);
}

static bool is_other(const dvLaw *law)
{
  return law->kind == DV_LAW_OWN || (law->kind == DV_LAW_FRICTION && law->rows != 3);
}

// a row between bounds: an equality, or a multiplier that is known
static void add_bounded(Siconos *s, const dvLaw *law, int32_t row)
{
  if (!(law->low < law->high)) s->at.data[row] = LOW;
  if (s->at.data[row] == FREE) dv_push(&s->equal, row);
  else s->solver.problem.lambda.data[row] = s->at.data[row] == LOW ? law->low : law->high;
}

static void sort_laws(Siconos *s)
{
  dvConstraintProblem *p = &s->solver.problem;
  s->equal.count = s->slot.count = s->mu.count = 0;
  s->bounds = s->others = false;
  dv_array_resize(&s->more, p->rows);
  for (size_t i = 0; i < p->laws.count; i++) {
    const dvProblemLaw *l = &p->laws.data[i];
    const dvLaw *law = &l->law;
    s->others = s->others || is_other(law);
    s->bounds = s->bounds || (law->kind == DV_LAW_BOUNDED && law->low < law->high);
    if (law->kind == DV_LAW_FRICTION && law->rows == 3) add_contact(s, l->first, 3, law->mu);
    for (int k = 0; k < law->rows; k++) {
      s->more.data[l->first + k] = law->compliance;
      if (law->kind == DV_LAW_EQUAL) dv_push(&s->equal, l->first + k);
      if (law->kind == DV_LAW_UNEQUAL) add_contact(s, l->first + k, 1, 0);
      if (law->kind == DV_LAW_BOUNDED) add_bounded(s, law, l->first + k);
    }
  }
}

// --- without equalities ------------------------------------------------------------------------------

static double entry(const Siconos *s, int32_t row, int32_t col)
{
  const dvConstraintProblem *p = &s->solver.problem;
  return p->w.data[(size_t)row * p->rows + (size_t)col] + (row == col ? s->more.data[row] : 0);
}

static void invert_equalities(Siconos *s)
{
  size_t n = s->equal.count;
  dv_array_resize(&s->inverse, n * n);
  dv_array_resize(&s->work, 3 * n * n + n);
  double *block = s->work.data;
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < n; k++) block[i * n + k] = entry(s, s->equal.data[i], s->equal.data[k]);
  dv_dense_pseudo_inverse(block, n, s->inverse.data, block + n * n);
}

// W_ee^-1 W_ec, a row for each equality
static void couple(Siconos *s)
{
  size_t n = s->equal.count, m = s->slot.count;
  const dvVectorKernels *kernels = dv_vector_kernels();
  s->coupled.count = 0;
  dv_array_resize(&s->coupled, n * m);   // zeros
  dv_array_resize(&s->work, m);
  for (size_t k = 0; k < n; k++) {
    for (size_t c = 0; c < m; c++)
      s->work.data[c] = s->slot.data[c] < 0 ? 0 : entry(s, s->equal.data[k], s->slot.data[c]);
    for (size_t i = 0; i < n; i++) kernels->axpy(s->inverse.data[i * n + k], s->work.data, s->coupled.data + i * m, m);
  }
}

// W between contacts, by columns as Siconos has it, scaled. False when equalities leave a contact nothing of its own:
// Siconos takes no such problem.
static bool reduce(Siconos *s)
{
  size_t n = s->equal.count, m = s->slot.count, own = 0;
  const dvVectorKernels *kernels = dv_vector_kernels();
  double trace = 0;
  bool good = true;
  dv_array_resize(&s->w, m * m);
  dv_array_resize(&s->work, m);
  for (size_t i = 0; i < m; i++) {
    double *row = s->work.data;
    for (size_t k = 0; k < m; k++)
      row[k] = s->slot.data[i] < 0 || s->slot.data[k] < 0 ? 0 : entry(s, s->slot.data[i], s->slot.data[k]);
    for (size_t e = 0; s->slot.data[i] >= 0 && e < n; e++)
      kernels->axpy(-entry(s, s->slot.data[i], s->equal.data[e]), s->coupled.data + e * m, row, m);
    for (size_t k = 0; k < m; k++) s->w.data[k * m + i] = row[k];
    trace += row[i];
    own += s->slot.data[i] >= 0;
    good = good && (s->slot.data[i] < 0 || row[i] > 1e-10 * entry(s, s->slot.data[i], s->slot.data[i]));
  }
  s->scale = trace > 0 ? trace / (double)own : 1;
  for (size_t i = 0; i < m * m; i++) s->w.data[i] /= s->scale;
  for (size_t i = 0; i < m; i++)
    if (s->slot.data[i] < 0) s->w.data[i * m + i] = 1;
  return good;
}

// d_free and what the laws of other kinds add to it
static void take_free(Siconos *s)
{
  dvConstraintProblem *p = &s->solver.problem;
  dv_array_resize(&s->d, p->rows);
  dv_array_resize(&s->work, p->rows);
  memcpy(s->work.data, p->lambda.data, p->rows * sizeof *s->work.data);
  for (size_t i = 0; i < s->equal.count; i++) s->work.data[s->equal.data[i]] = 0;
  for (size_t i = 0; i < s->slot.count; i++)
    if (s->slot.data[i] >= 0) s->work.data[s->slot.data[i]] = 0;
  dv_problem_product(p, s->work.data, s->d.data);
  for (size_t i = 0; i < p->rows; i++) s->d.data[i] += p->violation.data[i];
}

static void pose(Siconos *s)
{
  size_t n = s->equal.count, m = s->slot.count;
  take_free(s);
  dv_array_resize(&s->held, n);
  dv_array_resize(&s->q, m);
  dv_array_resize(&s->r, m);
  for (size_t i = 0; i < n; i++) {
    double sum = 0;
    for (size_t k = 0; k < n; k++) sum += s->inverse.data[i * n + k] * s->d.data[s->equal.data[k]];
    s->held.data[i] = sum;
  }
  for (size_t i = 0; i < m; i++) {
    int32_t row = s->slot.data[i];
    double sum = row < 0 ? 0 : s->d.data[row];
    for (size_t e = 0; row >= 0 && e < n; e++) sum -= entry(s, row, s->equal.data[e]) * s->held.data[e];
    s->q.data[i] = sum;
    s->r.data[i] = row < 0 ? 0 : s->scale * s->solver.problem.lambda.data[row];
  }
}

static void take_back(Siconos *s)
{
  size_t n = s->equal.count, m = s->slot.count;
  double *lambda = s->solver.problem.lambda.data;
  for (size_t i = 0; i < m; i++)
    if (s->slot.data[i] >= 0) lambda[s->slot.data[i]] = s->r.data[i] / s->scale;
  for (size_t i = 0; i < n; i++) {
    double sum = -s->held.data[i];
    for (size_t c = 0; c < m; c++) sum -= s->coupled.data[i * m + c] * s->r.data[c] / s->scale;
    lambda[s->equal.data[i]] = sum;
  }
}

// --- multipliers -------------------------------------------------------------------------------------

static double length_of(const double *x, size_t n)
{
  double square = 0;
  for (size_t i = 0; i < n; i++) square += x[i] * x[i];
  return sqrt(square);
}

// The contacts with all others as they are, and the equalities with them. False when Siconos gave up.
static bool solve_contacts(Siconos *s, double tolerance, bool *done)
{
  dvSiconosProblem problem = {.contacts = s->mu.count,
                              .w = s->w.data,
                              .q = s->q.data,
                              .mu = s->mu.data,
                              .r = s->r.data,
                              .most = s->solver.maxIterations - s->solver.currentIterations,
                              .method = (dvSiconosMethod)s->method};
  dvSiconosOutcome out = {0};
  char error[DV_SICONOS_TEXT] = "";
  double free = length_of(s->q.data, s->q.count);
  if (s->bounds || s->others) problem.most = (problem.most + 1) / 2;   // some are left for the next round
  problem.tolerance = free > 0 ? dv_max(tolerance / free, 1e-15) : 1;
  *done = true;
  if (!isfinite(free)) return false;
  if (problem.contacts > 0 && free > 0) {
    if (!s->table->solve(&problem, &out, error)) {
      if (!s->told_gave_up)
        dv_warning(&s->solver.base, "take another method; NSGS is the most robust one",
                   "Siconos gave up: %s; multipliers are found one after the other instead (told once)", error);
      s->told_gave_up = true;
      return false;
    }
    *done = out.residual <= problem.tolerance;
  } else {
    memset(s->r.data, 0, s->r.count * sizeof *s->r.data);
  }
  take_back(s);
  s->residual = out.residual;
  s->solver.currentIterations += dv_max_int(1, out.iterations);
  dv_constraint_solver_keep(&s->solver, out.residual * free);
  return true;
}

// the laws that are neither contacts nor equalities, one after the other; how far that moves their violations
static double visit_others(Siconos *s)
{
  dvConstraintProblem *p = &s->solver.problem;
  double error = 0, most;
  dv_problem_follow(p);
  for (size_t i = 0; i < p->laws.count; i++)
    if (is_other(&p->laws.data[i].law))
      error += s->solver.errors.data[i] = dv_problem_visit(p, &p->laws.data[i], &most);
  return error;
}

// Multipliers beyond their bounds come to stand there, and those that would go inside are free again: false when all
// stand where they should.
static bool choose_bounds(Siconos *s)
{
  dvConstraintProblem *p = &s->solver.problem;
  bool changed = false;
  for (size_t i = 0; i < p->laws.count; i++) {
    const dvProblemLaw *l = &p->laws.data[i];
    if (l->law.kind != DV_LAW_BOUNDED || !(l->law.low < l->law.high)) continue;
    double d[DV_LAW_ROWS];
    dv_problem_violation(p, l, d);
    for (int k = 0; k < l->law.rows; k++) {
      double lambda = p->lambda.data[l->first + k], left = d[k] + l->law.compliance * lambda;
      unsigned char *at = &s->at.data[l->first + k], was = *at;
      if (was == FREE) *at = lambda < l->law.low ? LOW : lambda > l->law.high ? HIGH : FREE;
      else if (was == LOW ? left < 0 : left > 0) *at = FREE;
      changed = changed || *at != was;
    }
  }
  return changed;
}

static bool begin(Siconos *s)
{
  sort_laws(s);
  invert_equalities(s);
  couple(s);
  return reduce(s);
}

static bool siconos_find(dvConstraintSolver *solver, double tolerance)
{
  Siconos *s = (Siconos *)solver;
  bool done = false;
  if (!s->table) return dv_gauss_seidel_find(solver, tolerance);
  s->at.count = 0;
  dv_array_resize(&s->at, solver->problem.rows);   // all are free
  bool posed = begin(s);
  for (int round = 0; round < ROUNDS && posed && solver->currentIterations < solver->maxIterations; round++) {
    double error = s->others ? visit_others(s) : 0;
    pose(s);
    if (!solve_contacts(s, tolerance, &done)) return dv_gauss_seidel_find(solver, tolerance);
    if (s->bounds && choose_bounds(s)) posed = begin(s);
    else if (!s->others || (round > 0 && done && error < tolerance)) return done;
  }
  return posed ? false : dv_gauss_seidel_find(solver, tolerance);
}

static dvStatus siconos_solve(dvObject *o, double dt, bool velocities_first)
{
  dvStatus status = dv_constraint_solver_solve(o, dt, velocities_first, siconos_find);
  dv_touch(o, &((Siconos *)o)->residual);
  return status;
}

static void siconos_destroy(dvObject *o)
{
  Siconos *s = (Siconos *)o;
  dv_array_free(&s->equal);
  dv_array_free(&s->slot);
  dv_array_free(&s->mu);
  dv_array_free(&s->more);
  dv_array_free(&s->inverse);
  dv_array_free(&s->coupled);
  dv_array_free(&s->held);
  dv_array_free(&s->w);
  dv_array_free(&s->q);
  dv_array_free(&s->r);
  dv_array_free(&s->d);
  dv_array_free(&s->work);
  dv_array_free(&s->at);
  dv_constraint_solver_destroy(o);
}

static const dvConstraintSolverOps siconos_ops = {.solve = siconos_solve, .problem = dv_constraint_solver_problem};

const dvClass dv_siconos_class = {
    .struct_size = sizeof(dvClass),
    .name = "SiconosConstraintSolver",
    .help = "finds the multipliers of contacts and other constraints by the solvers of Siconos, where it is installed",
    .module = "Divan.Constraint",
    .size = sizeof(Siconos),
    .blocks = {&dv_object_block, &dv_constraint_solver_block, DV_BLOCK(siconos_fields)},
    .ops = {[DV_ROLE_CONSTRAINT_SOLVER] = &siconos_ops},
    .init = siconos_init,
    .destroy = siconos_destroy,
    .remember = dv_constraint_solver_remember,
};
