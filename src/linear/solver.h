// What linear solvers share: their inherited fields, the system they solve, and solving with flat vectors.
#ifndef DV_LINEAR_SOLVER_H
#define DV_LINEAR_SOLVER_H

#include "linear/system/system.h"

DV_PUBLIC_BEGIN

#define DV_LINEAR_SOLVER_FIELDS(X)                                                                              \
  X(int, nbThreads, "0", "", "accepted for compatibility: the program's threads are used", .flags = DV_HIDDEN)  \
  X(string, taskSchedulerType, "_default", "", "accepted for compatibility", .flags = DV_HIDDEN)                \
  X(bool, parallelInverseProduct, "0", "", "accepted for compatibility: the program's threads are used",        \
    .flags = DV_HIDDEN)                                                                                         \
  X(bool, factorizationInvalidation, "0", "", "accepted for compatibility", .flags = DV_HIDDEN)                 \
  X(link, linearSystem, "", "", "system to solve; one of the node, or one made for the solver, when not given", \
    .role = DV_ROLE_LINEAR_SYSTEM)

struct dvLdl;

// First member of every component that solves linear systems.
typedef struct dvLinearSolver {
  dvObject base;
  DV_LINEAR_SOLVER_FIELDS(DV_MEMBER)
  dvObject *system;           // the one in use, set by init
  dvObject *made;             // the same when the solver made it and owns it
  unsigned prepared;          // stamp of the system when the solver last looked at it
  unsigned started, solves;   // stamps of the matrices whose factorisation was last begun, and whose factor is in use
  unsigned put_back;          // of the system (system.h) when the solver last looked at it
  DV_ARRAY(double) x, rhs;    // flat vectors
  struct dvLiveSolve *live;   // of inverse.c
  bool has_live;              // what is live is part of what it prepares
  double measure2;            // |r|^2 that tolerances of residuals refer to where |b|^2 is larger; 0: |b|^2
  double enough2;             // |r|^2 that need not be gone below
  bool indefinite;            // the last solve has met that the matrix is not positive definite; not all look
} dvLinearSolver;
extern const dvFieldBlock dv_linear_solver_block;

static inline dvLinearSolver *dv_linear_solver(dvObject *o) { return (dvLinearSolver *)o; }

// True when the solver's template asks for a system without a matrix (GraphScattered).
bool dv_linear_solver_is_graph(const dvObject *o);
// Finds the system: the link, else one of the right kind in the node that no other solver is linked to, else a new one
// of class `otherwise`.
dvStatus dv_linear_solver_init(dvObject *o, dvSystemKind kind, const dvClass *otherwise);
void dv_linear_solver_destroy(dvObject *o);
void dv_linear_solver_remember(dvObject *o, dvMemoryStream *s);   // the hook; also of a system that it made
bool dv_linear_solver_restored(dvObject *o);
void dv_live_solve_free(struct dvLiveSolve **live);

// dvLinearSolverOps.solve for solvers that have prepare and apply.
dvStatus dv_linear_solver_solve(dvObject *o, dvPlan *plan, const dvMech *m, int x, int rhs);
// The part of it behind the preparation: x = A^-1 rhs with the factor that is there.
dvStatus dv_linear_solver_back_substitute(dvObject *o, int x, int rhs);
// The matrix of the system, for prepare: reports when there is none. *changed tells whether it is a new one since the
// last call.
dvStatus dv_linear_solver_matrix(dvObject *o, const dvBlockMatrix **matrix, bool *changed);
// Reports that the matrix is singular: the unknown where it was noticed and, with a null vector, the motion that
// nothing holds. Returns DV_ERROR_DIVERGED.
dvStatus dv_linear_solver_singular(dvObject *o, size_t unknown, const double *null_vector);
// The same for a sparse factor, with the null vector that it knows.
dvStatus dv_linear_solver_report(dvObject *o, const struct dvLdl *factor, size_t pivot);
// Steps of refinement, for factors whose pivots were replaced: x approaches the solution of the system's matrix. `work`
// as for dv_ldl_refine.
void dv_linear_solver_refine(dvObject *o, const struct dvLdl *factor, double *x, const double *rhs, double *work);

DV_PUBLIC_END

#endif
