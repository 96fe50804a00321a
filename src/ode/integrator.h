// What integrators share: their plan, companions in the node, forces, accelerations, linear systems.
#ifndef DV_ODE_INTEGRATOR_H
#define DV_ODE_INTEGRATOR_H

#include "mechanics/mechanics.h"

DV_PUBLIC_BEGIN

// Factors of mass, damping and stiffness in m M + b B + k K.
typedef struct dvFactors {
  double m, b, k;
} dvFactors;

// The plan of the integrator's node. A node with tags rules only those components that have all of them.
dvPlan *dv_ode_plan(dvPlan **plan, const dvObject *o);
// Operands at the start of a step: positions, velocities and force of the scene.
dvMech dv_ode_mech(const dvObject *o, double dt, bool implicit);

// First component in the node or below it, depth first, for which `fits` holds and that has the node's tags.
dvObject *dv_ode_find_below(const dvNode *node, bool (*fits)(const dvObject *o));
// Sets the link, when the scene has not, to the linear solver of the node or of one below it; NULL stays when there is
// none.
void dv_ode_find_linear_solver(const dvObject *o, dvLink *link);
// The same; reports when there is none.
dvStatus dv_ode_need_linear_solver(dvObject *o, dvLink *link);

// f = f(x, v)
void dv_ode_force(const dvObject *o, dvPlan *plan, dvMech *m);
// df += (m M + b B + k K) dx, dx as it stands in every state
void dv_ode_add_product(dvPlan *plan, dvMech *m, int df, int dx, dvFactors factors);
// Solves (m M + b B + k K) x = b.
dvStatus dv_ode_solve(const dvObject *o, dvObject *solver, dvPlan *plan, dvMech *m, int x, int b, dvFactors factors);

// a = P M^-1 f for the force m->f. A mass that is not diagonal needs the solver, else it may be NULL; f is projected
// then.
dvStatus dv_ode_accelerate(const dvObject *o, dvObject *solver, dvPlan *plan, dvMech *m, int a);
// The same for the positions m->x and velocities m->v, which are projected and propagated first.
dvStatus dv_ode_acceleration(const dvObject *o, dvObject *solver, dvPlan *plan, dvMech *m, int a);

// A step of backward Euler, linearised once (euler_implicit.c): assembles the right-hand side at m->x and m->v and
// solves for the change of velocity, or the velocity itself in first order.
typedef struct dvBackwardEuler {
  double rayleigh_mass, rayleigh_stiffness;
  double trapezoid;   // 1/2 for the trapezoidal rule, else 1
  bool first_order;
  int solution, rhs;   // vectors of the integrator: where the result is found, and one to work with
} dvBackwardEuler;
dvStatus dv_backward_euler(const dvObject *o, dvObject *solver, dvPlan *plan, dvMech *m, const dvBackwardEuler *scheme);

// For what an integrator remembers: `id` when the solver (may be NULL) goes on from the solution of the step before,
// which stands there, else 0.
int dv_ode_warm(const dvObject *solver, int id);

// For bwd_init: tells which states have no mass, and what follows from that. Explicit integrators also need diagonal
// masses or a linear solver (may be NULL).
dvStatus dv_ode_check_masses(dvObject *o, const char *consequence);
dvStatus dv_ode_check_explicit(dvObject *o, const dvObject *solver);

DV_PUBLIC_END

#endif
