// What solvers of Lagrangian constraints have in common: fields, the problem, and all of a step but the search for the
// multipliers.
#ifndef DV_CONSTRAINT_LAGRANGIAN_SOLVER_H
#define DV_CONSTRAINT_LAGRANGIAN_SOLVER_H

#include "constraint/lagrangian/problem.h"

#define DV_CONSTRAINT_SOLVER_FIELDS(X)                                                                             \
  X(int, maxIterations, "1000", "", "most iterations of a step", .alias = "maxIt", .least = "0")                   \
  X(real, tolerance, "0.001", "m", "the iteration ends when violations change by less", .least = "0")              \
  X(real, sor, "1", "", "part of the new multipliers; below 1 slower and safer, above 1 faster", .least = "0",     \
    .most = "2")                                                                                                   \
  X(real, regularizationTerm, "0", "", "added to the diagonal of the compliance", .least = "0")                    \
  X(bool, useSVDForRegularization, "0", "",                                                                        \
    "add regularizationTerm only to rows that other rows repeat or contradict")                                    \
  X(real, svdSingularValueNullSpaceCriteriaFactor, "0.01", "",                                                     \
    "singular values below this part of the largest belong to such rows", .least = "0")                            \
  X(real, svdSingularVectorNullSpaceCriteriaFactor, "0.001", "",                                                   \
    "a row belongs to them when its component of such a singular vector is larger", .least = "0")                  \
  X(int, linearizations, "1", "",                                                                                  \
    "how often constraints are linearised in a step, each time about the positions that the last multipliers led " \
    "to; 1 as SOFA does",                                                                                          \
    .least = "1", .most = "100")                                                                                   \
  X(bool, warmStart, "0", "",                                                                                      \
    "contacts, too, begin with the multipliers of the last step: what rests is found at once; else at 0, as in "   \
    "SOFA")                                                                                                        \
  X(bool, checkLaws, "0", "", "measure after each step how far multipliers and violations are from their laws")    \
  X(real, lawError, "0", "m",                                                                                      \
    "largest such distance of the last step: equality, complementarity and Coulomb's cone, with checkLaws",        \
    .flags = DV_READ_ONLY)                                                                                         \
  X(real, largestLawError, "0", "m", "the largest one of all steps", .flags = DV_READ_ONLY)                        \
  X(bool, scaleTolerance, "1", "", "the tolerance counts for each row, not for their sum")                         \
  X(bool, allVerified, "0", "", "every constraint must be within the tolerance")                                   \
  X(bool, computeGraphs, "0", "", "keep errors, multipliers and violations of every iteration")                    \
  X(reals, graphErrors, "", "", "sum of the errors after each iteration of the last step", .flags = DV_READ_ONLY)  \
  X(reals, graphConstraints, "", "", "error of each constraint in the last iteration", .flags = DV_READ_ONLY)      \
  X(reals, graphForces, "", "N s",                                                                                 \
    "multipliers of all rows after each iteration of the last step, one behind the "                               \
    "other",                                                                                                       \
    .flags = DV_READ_ONLY)                                                                                         \
  X(reals, graphViolations, "", "m",                                                                               \
    "violations of all rows after each iteration of the last step, one behind the "                                \
    "other",                                                                                                       \
    .flags = DV_READ_ONLY)                                                                                         \
  X(int, currentNumConstraints, "0", "", "rows of the last step", .flags = DV_READ_ONLY)                           \
  X(int, currentNumConstraintGroups, "0", "", "constraints of the last step", .flags = DV_READ_ONLY)               \
  X(int, currentIterations, "0", "", "iterations of the last step", .flags = DV_READ_ONLY)                         \
  X(real, currentError, "0", "", "sum of the errors when the last step ended", .flags = DV_READ_ONLY)              \
  X(bool, computeConstraintForces, "0", "", "keep the multipliers in constraintForces")                            \
  X(reals, constraintForces, "", "N s", "multipliers of the last step, row by row", .flags = DV_READ_ONLY)         \
  X(bool, multithreading, "0", "", "accepted: the program's threads are used", .flags = DV_HIDDEN)                 \
  X(int, nbThreads, "0", "", "accepted: the program's threads are used", .flags = DV_HIDDEN)                       \
  X(string, taskSchedulerType, "_default", "", "accepted for compatibility", .flags = DV_HIDDEN)

typedef struct dvConstraintSolver {
  dvObject base;
  DV_CONSTRAINT_SOLVER_FIELDS(DV_MEMBER)
  dvConstraintProblem problem;
  DV_ARRAY(double) before;   // multipliers of the iteration before
  DV_ARRAY(double) errors;   // of each law in the last iteration
  DV_ARRAY(double) most;     // the largest of its rows
  DV_ARRAY(double) svd;      // work of the regularisation
  DV_ARRAY(double) total;    // multipliers that the positions already have
  int forces;                // vector: dvScene.multipliers
  bool told, told_lost;      // that it did not converge; that its method failed
  bool needs_matrix;         // its method looks at entries of W
} dvConstraintSolver;
extern const dvFieldBlock dv_constraint_solver_block;

// Finds the multipliers of a problem that has rows: true when they hold to the tolerance, for the sum of all errors.
// Counts currentIterations and sets currentError.
typedef bool (*dvFindMultipliers)(dvConstraintSolver *s, double tolerance);

dvStatus dv_constraint_solver_init(dvObject *o);
// dvConstraintSolverOps.solve of a solver that finds multipliers in its own way.
dvStatus dv_constraint_solver_solve(dvObject *o, double dt, bool velocities_first, dvFindMultipliers find);
struct dvConstraintProblem *dv_constraint_solver_problem(dvObject *o);
// One law after the other, each with the newest multipliers of all others. The sum of errors; *verified when that of
// every law is below the tolerance.
double dv_constraint_solver_sweep(dvConstraintSolver *s, double tolerance, bool *verified);
bool dv_gauss_seidel_find(dvConstraintSolver *s, double tolerance);    // of gauss_seidel.c
void dv_constraint_solver_keep(dvConstraintSolver *s, double error);   // for the graphs: an iteration has ended
void dv_constraint_solver_remember(dvObject *o, dvMemoryStream *stream);
void dv_constraint_solver_destroy(dvObject *o);

#endif
