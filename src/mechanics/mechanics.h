// The mechanics of a plan: operations over all its states, mappings, masses, forces and projections at once.
#ifndef DV_MECHANICS_MECHANICS_H
#define DV_MECHANICS_MECHANICS_H

#include "scene/plan.h"
#include "state/state.h"

DV_PUBLIC_BEGIN

// r = a + k b; r may be a. Coordinates take derivatives as b.
void dv_mech_combine(dvPlan *plan, int r, int a, double k, int b);
void dv_mech_copy(dvPlan *plan, int r, int a);
void dv_mech_clear(dvPlan *plan, int r);
void dv_mech_scale(dvPlan *plan, int r, double k);
double dv_mech_dot(dvPlan *plan, int a, int b);
// p = r + beta p
void dv_mech_xpay(dvPlan *plan, int p, int r, double beta);
// x += alpha p, r -= alpha q; the new r.r
double dv_mech_cg_step(dvPlan *plan, double alpha, int p, int q, int x, int r);

// r = a - b for positions a and b and a derivative r; frames give rotation vectors
void dv_mech_difference(dvPlan *plan, int r, int a, int b);
void dv_mech_propagate_x(dvPlan *plan, int x);
void dv_mech_propagate_v(dvPlan *plan, int v);
// Positions and velocities to the states that live mappings drive, which have just come.
void dv_mech_propagate_live(dvPlan *plan, int x, int v);
// A displacement, to the mapped states on which forces act.
void dv_mech_propagate_dx(dvPlan *plan, int dx);
// Gives states outside of the plan their positions and velocities under other numbers, for forces that use them.
void dv_mech_mirror_outside(dvPlan *plan, int x, int v);
void dv_mech_project_x(dvPlan *plan, int x, double time);
void dv_mech_project_v(dvPlan *plan, int v, double time);
// Whether the scene prescribes how some degrees of freedom move, and their velocities in v; all others stay.
bool dv_mech_boundaries_move(const dvPlan *plan);
void dv_mech_move_boundaries(dvPlan *plan, int v, double time);
// Boundary conditions at a time for positions and velocities, which then go down to the mapped states.
void dv_mech_settle(dvPlan *plan, int x, int v, double time);
void dv_mech_project_response(dvPlan *plan, int id);
// f = external force + f(x, v), collected at the independent states
void dv_mech_compute_force(dvPlan *plan, dvMech *m);
// df += (m M + b B + k K) dx for all states, dx as it stands in every state, collected at the independent states
void dv_mech_add_mbk(dvPlan *plan, dvMech *m);
// q = projected (m M + b B + k K) p: p is propagated to mapped states that carry forces
void dv_mech_product(dvPlan *plan, dvMech *m, int q, int p);
void dv_mech_acc_from_f(dvPlan *plan, int a, int f);
void dv_mech_add_separate_gravity(dvPlan *plan, dvMech *m);
void dv_mech_energy(dvPlan *plan, const dvMech *m, double *kinetic, double *potential);

DV_PUBLIC_END

#endif
