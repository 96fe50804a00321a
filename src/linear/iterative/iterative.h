// What iterative solvers share: limits, the history of the residual, products with the system.
#ifndef DV_LINEAR_ITERATIVE_ITERATIVE_H
#define DV_LINEAR_ITERATIVE_ITERATIVE_H

#include "linear/solver.h"

#define DV_ITERATIVE_FIELDS(X)                                                                                       \
  X(int, iterations, "25", "", "largest number of iterations", .least = "0")                                         \
  X(real, tolerance, "1e-5", "",                                                                                     \
    "stop when the residual is this small in proportion to the right-hand side: |r| to |b|; of PCGLinearSolver, as " \
    "in SOFA, "                                                                                                      \
    "r.P r to b.b, so that 1e-9 there is like 3e-5 here, unless its criterion is residual",                          \
    .least = "0")                                                                                                    \
  X(reals, graph, "", "", "residual of each iteration of the last solve, in proportion to the right-hand side",      \
    .flags = DV_READ_ONLY)

// First member of every iterative solver.
typedef struct dvIterative {
  dvLinearSolver solver;
  DV_ITERATIVE_FIELDS(DV_MEMBER)
  int done;   // iterations of the last solve
} dvIterative;
extern const dvFieldBlock dv_iterative_block;

// Checks the limits and finds the system: with a matrix when the template or the linked system asks for it.
dvStatus dv_iterative_init(dvObject *o, const dvClass *without_matrix);
// Puts a number at the end of the history; what goes beyond the largest number of iterations is dropped.
void dv_iterative_clear(dvIterative *i);
void dv_iterative_record(dvIterative *i, double error);
const dvReals *dv_iterative_residuals(const dvObject *o);   // for dvLinearSolverOps.residuals
static inline void dv_iterative_product(dvIterative *i, dvPlan *plan, int q, int p)
{
  dv_linear_system_product(i->solver.system, plan, q, p);
}

#endif
