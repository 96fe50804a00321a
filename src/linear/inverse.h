// Solving with a linear solver as others see it: flat vectors, what is live included.
//
// With a factor of A, and live forces that add H^T B H (system/live.h),
//
//   (A + H^T B H)^-1 = A^-1 - A^-1 H^T (1 + B W)^-1 B H A^-1,   W = H A^-1 H^T
//
// (Sherman, Morrison and Woodbury) while H has few rows; with many, conjugate gradients preconditioned with the factor.
#ifndef DV_LINEAR_INVERSE_H
#define DV_LINEAR_INVERSE_H

#include "linear/solver.h"

DV_PUBLIC_BEGIN

// x = (A + H^T B H)^-1 rhs with the factor that the solver has; x and rhs are different vectors.
dvStatus dv_linear_solver_inverse(dvObject *o, double *x, const double *rhs);
// w = R (A + H^T B H)^-1 R^T for settled rows over the unknowns: count x count numbers.
dvStatus dv_linear_solver_compliance(dvObject *o, const dvSparseRows *rows, double *w);
// The same without what is live, one solution a row: for dvLinearSolverOps.compliance of solvers that sometimes have
// nothing better.
dvStatus dv_linear_solver_compliance_by_rows(dvObject *o, const dvSparseRows *rows, double *w);

DV_PUBLIC_END

#endif
