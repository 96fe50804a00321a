// BlockGaussSeidelConstraintSolver, UnbuiltGaussSeidelConstraintSolver: one constraint after the other, all others as
// they are, until nothing changes any more.
//
// In an iteration each law gets d = d_free + W lambda of its rows and sets its multipliers (law.c). Its error is how
// far that moves its own violation: the sum over its rows of |w (lambda - before)|, entry by entry. The iteration ends
// when the sum of errors is below the tolerance (times the number of rows with scaleTolerance), or with allVerified
// when that of every law is below it. sor mixes the new multipliers with those of the iteration before.
//
// W is not built where every correction moves degrees of freedom one by one (unbuilt.h), under either name. Where
// bodies are moved through a factor it comes out of it as a whole, which costs less than its parts one by one.
#include "constraint/lagrangian/classes.h"
#include "constraint/lagrangian/solver.h"

#include <string.h>

static bool gauss_seidel_iterate(dvConstraintSolver *s, double tolerance)
{
  const dvConstraintProblem *p = &s->problem;
  bool verified;
  if (s->sor != 1) {
    dv_array_resize(&s->before, p->rows);
    memcpy(s->before.data, p->lambda.data, p->rows * sizeof *s->before.data);
  }
  double error = dv_constraint_solver_sweep(s, tolerance, &verified);
  for (size_t i = 0; s->sor != 1 && i < p->rows; i++)
    p->lambda.data[i] = s->sor * p->lambda.data[i] + (1 - s->sor) * s->before.data[i];
  dv_constraint_solver_keep(s, error);
  return s->allVerified ? verified : error < tolerance;
}

bool dv_gauss_seidel_find(dvConstraintSolver *s, double tolerance)
{
  bool done = false;
  while (!done && s->currentIterations < s->maxIterations) {
    done = gauss_seidel_iterate(s, tolerance);
    s->currentIterations++;
  }
  return done;
}

static dvStatus gauss_seidel_solve(dvObject *o, double dt, bool velocities_first)
{
  return dv_constraint_solver_solve(o, dt, velocities_first, dv_gauss_seidel_find);
}

static const dvConstraintSolverOps gauss_seidel_ops = {.solve = gauss_seidel_solve,
                                                       .problem = dv_constraint_solver_problem};

const dvClass dv_gauss_seidel_class = {
    .struct_size = sizeof(dvClass),
    .name = "BlockGaussSeidelConstraintSolver",
    .aliases = "GenericConstraintSolver ProjectedGaussSeidelConstraintSolver",
    .help = "finds the multipliers of constraints one after the other, again and again until they hold",
    .module = "Sofa.Component.Constraint.Lagrangian.Solver",
    .size = sizeof(dvConstraintSolver),
    .blocks = {&dv_object_block, &dv_constraint_solver_block},
    .ops = {[DV_ROLE_CONSTRAINT_SOLVER] = &gauss_seidel_ops},
    .init = dv_constraint_solver_init,
    .destroy = dv_constraint_solver_destroy,
    .remember = dv_constraint_solver_remember,
};

const dvClass dv_unbuilt_gauss_seidel_class = {
    .struct_size = sizeof(dvClass),
    .name = "UnbuiltGaussSeidelConstraintSolver",
    .help =
        "the same as BlockGaussSeidelConstraintSolver: neither builds the compliance of UncoupledConstraintCorrection; "
        "through a factor it comes as a whole",
    .module = "Sofa.Component.Constraint.Lagrangian.Solver",
    .size = sizeof(dvConstraintSolver),
    .blocks = {&dv_object_block, &dv_constraint_solver_block},
    .ops = {[DV_ROLE_CONSTRAINT_SOLVER] = &gauss_seidel_ops},
    .init = dv_constraint_solver_init,
    .destroy = dv_constraint_solver_destroy,
    .remember = dv_constraint_solver_remember,
};
