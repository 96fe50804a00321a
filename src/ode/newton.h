// Newton-Raphson iterations on an equation that an integrator states.
#ifndef DV_ODE_NEWTON_H
#define DV_ODE_NEWTON_H

#include "mechanics/mechanics.h"

// r(q) = 0 for a guess q that the function keeps to itself. All slots are required.
typedef struct dvNonlinear dvNonlinear;
struct dvNonlinear {
  double (*evaluate)(dvNonlinear *f);              // computes r at the guess; |r|^2
  dvStatus (*correct)(dvNonlinear *f);             // linearises at the guess and solves for the correction dq
  void (*advance)(dvNonlinear *f, double alpha);   // q += alpha dq
  double (*correction2)(dvNonlinear *f);           // |dq|^2
  double (*guess2)(dvNonlinear *f);                // |q|^2
  double (*slope)(dvNonlinear *f);                 // r . dq, r of the last evaluation
};

// What an equation and its iterations tell each other beside.
typedef struct dvNewtonTalk {
  // from the equation
  bool evaluated;   // r was computed at the first guess already: residual2 is its |r|^2
  double residual2;
  bool partial;      // r has a part that slopes do not know of (dvLag)
  bool indefinite;   // `correct` has found J, with the shift, not to be positive
  // from the iterations
  double first2;    // |r|^2 at the start of the solve
  double enough2;   // |r|^2 that corrections need not fall below: half of the |r| at which the iterations end
  double shift;     // by slopes: what `correct` adds to J, in parts of its mass
} dvNewtonTalk;

extern const dvClass dv_newton_class;   // NewtonRaphsonSolver

// Iterates until one of the measures of the component holds. Failing to converge is a warning, not an error; an error
// comes from the linear solver only.
dvStatus dv_newton_solve(dvObject *newton, dvNonlinear *f);
// The same with an equation that also talks.
dvStatus dv_newton_solve_talking(dvObject *newton, dvNonlinear *f, dvNewtonTalk *talk);
// Whether it searches along the line by slopes: alpha is then a part of the whole correction.
bool dv_newton_by_slope(const dvObject *newton);
// A force on points that are not mapped, whose law is too stiff to search with. Its add_force gives a softer one, and
// add_lag adds to m->f what the law has beyond that at the positions of the last add_force: the linearised equation and
// the measure of convergence have both, slopes only the first.
typedef struct dvLag {
  dvObject *force;
  void (*add_lag)(dvObject *force, const dvMech *m);
} dvLag;
void dv_newton_register_lag(dvObject *newton, dvLag lag);
// f = what forces lag behind; false, and nothing is done, when there are none.
bool dv_newton_lag(const dvObject *newton, dvPlan *plan, const dvMech *m, int f);
// Sets the link, when the scene has not, to the NewtonRaphsonSolver of the integrator's node or of one below it.
// Reports a link to something else.
dvStatus dv_newton_find(dvObject *o, dvLink *link);

#endif
