// PreconditionedConjugateResidual: equalities only, W lambda = -d_free by conjugate residuals (Saad, Iterative methods
// for sparse linear systems, 6.8), with the diagonal of W on both sides as preconditioner.
//
// It ends when the sum over the laws of their residuals is below the tolerance, after as many iterations as there are
// rows at most. Laws that are no equalities are told and solved as if they were.
#include "constraint/lagrangian/classes.h"
#include "constraint/lagrangian/solver.h"

#include "math/kernels.h"
#include "object/compat.h"

#include <math.h>

typedef struct Residual {
  dvConstraintSolver solver;
  DV_ARRAY(double) scale, r, p, wp, wr;
  bool one_row;   // as SOFA does: the residual of the row whose number the iteration has stands for all
  bool told_law;
} Residual;

// y = S W S x with the scale S, the compliance of laws included
static void product(Residual *c, const double *x, double *y)
{
  dvConstraintProblem *p = &c->solver.problem;
  double *scaled = c->solver.before.data;
  for (size_t i = 0; i < p->rows; i++) scaled[i] = c->scale.data[i] * x[i];
  dv_problem_product(p, scaled, y);
  for (size_t i = 0; i < p->rows; i++) y[i] *= c->scale.data[i];
  for (size_t i = 0; i < p->laws.count; i++) {
    const dvProblemLaw *l = &p->laws.data[i];
    for (int k = l->first; l->law.compliance > 0 && k < l->first + l->law.rows; k++)
      y[k] += c->scale.data[k] * l->law.compliance * scaled[k];
  }
}

static double errors_of(Residual *c, double tolerance, bool *verified)
{
  dvConstraintSolver *s = &c->solver;
  double error = 0;
  *verified = true;
  for (size_t i = 0; i < s->problem.laws.count; i++) {
    const dvProblemLaw *l = &s->problem.laws.data[i];
    double square = 0;
    for (int k = 0; k < l->law.rows; k++) {
      double r = c->r.data[c->one_row ? s->currentIterations : l->first + k];
      square += r * r;
    }
    *verified = *verified && square < tolerance * tolerance;
    s->errors.data[i] = sqrt(square);
    error += s->errors.data[i];
  }
  return error;
}

static void tell_laws(Residual *c)
{
  const dvConstraintProblem *p = &c->solver.problem;
  for (size_t i = 0; i < p->laws.count && !c->told_law; i++) {
    c->told_law = p->laws.data[i].law.kind != DV_LAW_EQUAL;
    if (c->told_law)
      dv_warning(&c->solver.base, "use BlockGaussSeidelConstraintSolver for contacts and limits",
                 "%s is no equality; this solver takes it for one (told once)", p->laws.data[i].object->name);
  }
}

static void start(Residual *c)
{
  dvConstraintProblem *p = &c->solver.problem;
  dv_array_resize(&c->solver.before, p->rows);
  dv_array_resize(&c->scale, p->rows);
  dv_array_resize(&c->r, p->rows);
  dv_array_resize(&c->p, p->rows);
  dv_array_resize(&c->wp, p->rows);
  dv_array_resize(&c->wr, p->rows);
  dv_problem_diagonal(p, c->scale.data);
  for (size_t i = 0; i < p->rows; i++) {
    double w = c->scale.data[i];
    c->scale.data[i] = w > 0 ? 1 / sqrt(w) : 1;
    c->p.data[i] = c->r.data[i] = -c->scale.data[i] * p->violation.data[i];
    p->lambda.data[i] = 0;
  }
  product(c, c->r.data, c->wr.data);
  for (size_t i = 0; i < p->rows; i++) c->wp.data[i] = c->wr.data[i];
}

static bool residual_find(dvConstraintSolver *s, double tolerance)
{
  Residual *c = (Residual *)s;
  dvConstraintProblem *p = &s->problem;
  const dvVectorKernels *kernels = dv_vector_kernels();
  size_t n = p->rows;
  int most = (int)dv_min_size((size_t)s->maxIterations, n);
  bool done = false;
  tell_laws(c);
  start(c);
  double rwr = kernels->dot(c->r.data, c->wr.data, n);
  while (!done && s->currentIterations < most) {
    double wpwp = kernels->dot(c->wp.data, c->wp.data, n), alpha = wpwp > 0 ? rwr / wpwp : 0, last = rwr;
    bool verified;
    for (size_t i = 0; i < n; i++) {
      p->lambda.data[i] += alpha * c->p.data[i];
      c->r.data[i] -= alpha * c->wp.data[i];
    }
    product(c, c->r.data, c->wr.data);
    rwr = kernels->dot(c->r.data, c->wr.data, n);
    double beta = last > 0 ? rwr / last : 0;
    for (size_t i = 0; i < n; i++) c->p.data[i] = c->r.data[i] + beta * c->p.data[i];
    double error = errors_of(c, tolerance, &verified);
    s->currentIterations++;
    dv_constraint_solver_keep(s, error);
    done = s->allVerified ? verified : error < tolerance && s->currentIterations > 1;
    done = done || !(rwr > 0);
    for (size_t i = 0; i < n; i++) c->wp.data[i] = c->wr.data[i] + beta * c->wp.data[i];
  }
  for (size_t i = 0; i < n; i++) p->lambda.data[i] *= c->scale.data[i];
  return done;
}

static dvStatus residual_init(dvObject *o)
{
  ((Residual *)o)->one_row = dv_compat(o, DV_COMPAT_RESIDUAL_ROW);
  return dv_constraint_solver_init(o);
}

static dvStatus residual_solve(dvObject *o, double dt, bool velocities_first)
{
  return dv_constraint_solver_solve(o, dt, velocities_first, residual_find);
}

static void residual_destroy(dvObject *o)
{
  Residual *c = (Residual *)o;
  dv_constraint_solver_destroy(o);
  dv_array_free(&c->scale);
  dv_array_free(&c->r);
  dv_array_free(&c->p);
  dv_array_free(&c->wp);
  dv_array_free(&c->wr);
}

static const dvConstraintSolverOps residual_ops = {.solve = residual_solve, .problem = dv_constraint_solver_problem};

const dvClass dv_conjugate_residual_class = {
    .struct_size = sizeof(dvClass),
    .name = "PreconditionedConjugateResidual",
    .help = "finds the multipliers of equalities by conjugate residuals",
    .module = "Sofa.Component.Constraint.Lagrangian.Solver",
    .size = sizeof(Residual),
    .blocks = {&dv_object_block, &dv_constraint_solver_block},
    .ops = {[DV_ROLE_CONSTRAINT_SOLVER] = &residual_ops},
    .init = residual_init,
    .destroy = residual_destroy,
    .remember = dv_constraint_solver_remember,
};
