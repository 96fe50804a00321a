// NNCGConstraintSolver: nonsmooth nonlinear conjugate gradients (Silcowitz, Niebe, Erleben: A nonsmooth nonlinear
// conjugate gradient method for interactive contact force problems, 2010).
//
// A sweep of Gauss-Seidel is a step G(lambda) - lambda, taken for a negative gradient. The search direction p of
// Fletcher and Reeves is added behind each sweep:
//
//   g = lambda - G(lambda),  beta = |g|^2 / |g of before|^2,  lambda = G(lambda) + beta p,  p = beta p - g
//
// and begins anew when beta > 1. It ends as Gauss-Seidel does, or when |g| is below the tolerance.
#include "constraint/lagrangian/classes.h"
#include "constraint/lagrangian/solver.h"

#include <math.h>
#include <string.h>

typedef struct Nncg {
  dvConstraintSolver solver;
  DV_ARRAY(double) direction;
} Nncg;

// lambda = G(lambda); g into `before`; |g|^2
static double gradient(dvConstraintSolver *s, double tolerance, double *error, bool *verified)
{
  const dvConstraintProblem *p = &s->problem;
  double square = 0;
  memcpy(s->before.data, p->lambda.data, p->rows * sizeof *s->before.data);
  *error = dv_constraint_solver_sweep(s, tolerance, verified);
  for (size_t i = 0; i < p->rows; i++) {
    s->before.data[i] -= p->lambda.data[i];
    square += s->before.data[i] * s->before.data[i];
  }
  return square;
}

static bool nncg_find(dvConstraintSolver *s, double tolerance)
{
  Nncg *n = (Nncg *)s;
  const dvConstraintProblem *p = &s->problem;
  bool verified;
  double error, last;
  dv_array_resize(&s->before, p->rows);
  dv_array_resize(&n->direction, p->rows);
  last = gradient(s, tolerance, &error, &verified);
  for (size_t i = 0; i < p->rows; i++) n->direction.data[i] = -s->before.data[i];
  while (s->currentIterations + 1 < s->maxIterations) {
    double square = gradient(s, tolerance, &error, &verified);
    s->currentIterations++;
    dv_constraint_solver_keep(s, error);
    if (!isfinite(error)) return false;
    if (s->allVerified ? verified : error < tolerance) return true;
    double beta = last > 0 ? square / last : 0;
    last = square;
    for (size_t i = 0; i < p->rows; i++) {
      double *d = &n->direction.data[i];
      if (beta <= 1) p->lambda.data[i] += beta * *d;
      *d = beta <= 1 ? beta * *d - s->before.data[i] : 0;
    }
    if (sqrt(square) < tolerance) return true;
  }
  return false;
}

static dvStatus nncg_solve(dvObject *o, double dt, bool velocities_first)
{
  return dv_constraint_solver_solve(o, dt, velocities_first, nncg_find);
}

static void nncg_destroy(dvObject *o)
{
  dv_constraint_solver_destroy(o);
  dv_array_free(&((Nncg *)o)->direction);
}

static const dvConstraintSolverOps nncg_ops = {.solve = nncg_solve, .problem = dv_constraint_solver_problem};

const dvClass dv_nncg_class = {
    .struct_size = sizeof(dvClass),
    .name = "NNCGConstraintSolver",
    .help = "finds the multipliers of constraints by conjugate gradients over sweeps of Gauss-Seidel",
    .module = "Sofa.Component.Constraint.Lagrangian.Solver",
    .size = sizeof(Nncg),
    .blocks = {&dv_object_block, &dv_constraint_solver_block},
    .ops = {[DV_ROLE_CONSTRAINT_SOLVER] = &nncg_ops},
    .init = dv_constraint_solver_init,
    .destroy = nncg_destroy,
    .remember = dv_constraint_solver_remember,
};
