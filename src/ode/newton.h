// Newton-Raphson iterations on an equation that an integrator states.
#ifndef DV_ODE_NEWTON_H
#define DV_ODE_NEWTON_H

#include "object/object.h"

// r(q) = 0 for a guess q that the function keeps to itself. All slots are required.
typedef struct dvNonlinear dvNonlinear;
struct dvNonlinear {
  double (*evaluate)(dvNonlinear *f);              // computes r at the guess; |r|^2
  dvStatus (*correct)(dvNonlinear *f);             // linearises at the guess and solves for the correction dq
  void (*advance)(dvNonlinear *f, double alpha);   // q += alpha dq
  double (*correction2)(dvNonlinear *f);           // |dq|^2
  double (*guess2)(dvNonlinear *f);                // |q|^2
};

extern const dvClass dv_newton_class;   // NewtonRaphsonSolver

// Iterates until one of the measures of the component holds. Failing to converge is a warning, not an error; an error
// comes from the linear solver only.
dvStatus dv_newton_solve(dvObject *newton, dvNonlinear *f);
// Sets the link, when the scene has not, to the NewtonRaphsonSolver of the integrator's node or of one below it.
// Reports a link to something else.
dvStatus dv_newton_find(dvObject *o, dvLink *link);

#endif
