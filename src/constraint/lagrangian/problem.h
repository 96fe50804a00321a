// The problem that Lagrangian constraints pose in a step: find multipliers lambda and violations d with
//
//   d = d_free + W lambda,   W = sum over corrections of H A^-1 H^T,   and the law of each constraint between d and
//   lambda.
//
// Constraints of the plan, fixed and live, hand in rows and laws; rows go up to the main states; corrections give W and
// later move the states. Multipliers are kept from step to step under the identity of their law (component and id): the
// next solve starts from them. Constraints come in the order of their nodes in the graph, live ones behind those of the
// node. All memory is kept.
#ifndef DV_CONSTRAINT_LAGRANGIAN_PROBLEM_H
#define DV_CONSTRAINT_LAGRANGIAN_PROBLEM_H

#include "constraint/lagrangian/residual.h"
#include "constraint/lagrangian/unbuilt.h"
#include "mechanics/rows.h"

DV_PUBLIC_BEGIN

typedef struct dvProblemLaw {
  dvLaw law;
  dvObject *object;   // whose it is
  uint64_t owner;     // of its multipliers in the next step
  int32_t first;      // row
  int64_t inverse;    // where the inverse of its block stands in `inverses`, -1: not kept
} dvProblemLaw;

// A law whose multipliers are kept, as a memory can name it.
typedef struct dvKeptLaw {
  uint64_t owner, id;
  int32_t first;   // of its multipliers in `old`
  int32_t rows;
} dvKeptLaw;

typedef struct dvConstraintProblem {
  dvConstraintStep step;   // in which W was made
  size_t rows;
  DV_ARRAY(dvProblemLaw) laws;
  DV_ARRAY(int32_t) order;   // of the plan's constraints: as the graph has their nodes
  dvRowSet set;              // H on every state, main and mapped
  DV_ARRAY(double) violation;
  DV_ARRAY(double) lambda;     // impulses, N s
  DV_ARRAY(double) w;          // rows x rows; empty where it is not built
  dvUnbuilt unbuilt;           // what stands for it then
  bool takes_unbuilt;          // the solver does without W where it can be
  DV_ARRAY(double) inverses;   // of the blocks of equalities with more than DV_LAW_ROWS rows
  DV_ARRAY(double) work;       // violations and multipliers of one law
  DV_ARRAY(double) diagonal;   // of W, for dv_problem_law_error
  DV_ARRAY(double) history;    // error after each iteration of the last solve
  dvResidual residual;         // of the present multipliers, while laws are solved one after the other
  bool takes_blocks;           // the solver takes equalities with more than DV_LAW_ROWS rows; else row by row
  // multipliers of the last step
  bool keep_all;       // laws that restart begin where the last step ended, too
  bool told_against;   // that contacts are left alone
  bool late;           // as SOFA: those of a component's first step are not found again
  dvAddressMap kept;   // laws by owner and id: the first of their numbers in `old`
  DV_ARRAY(double) old;
  DV_ARRAY(dvKeptLaw) names;   // the same laws
  unsigned version;            // of the graph they belong to
  DV_ARRAY(dvLaw) asked;
} dvConstraintProblem;

// Asks the constraints of a plan: laws, rows, violations; multipliers start where the last step ended, or at 0.
dvStatus dv_problem_collect(dvConstraintProblem *p, dvPlan *plan, const dvConstraintStep *step);
// W from the corrections of the plan, or what stands for it where all of them move degrees of freedom one by one and
// the solver does without the matrix. A row that acts on a main state which no correction moves is told once.
dvStatus dv_problem_compliance(dvConstraintProblem *p, dvPlan *plan, const dvConstraintStep *step);
// Once W is complete: inverts the blocks of equalities with more than DV_LAW_ROWS rows.
void dv_problem_invert(dvConstraintProblem *p);
void dv_problem_regularise(dvConstraintProblem *p, double term);               // adds it to the diagonal of W
void dv_problem_diagonal(const dvConstraintProblem *p, double *out);           // of W
void dv_problem_product(dvConstraintProblem *p, const double *x, double *y);   // y = W x
void dv_problem_matrix(dvConstraintProblem *p, double *w);                     // W, rows x rows
// d = d_free + W lambda of the rows of a law.
void dv_problem_violation(dvConstraintProblem *p, const dvProblemLaw *l, double *d);
// Sets the multipliers of a law for the violation d of its rows, all others as they are.
void dv_problem_solve_law(dvConstraintProblem *p, const dvProblemLaw *l, const double *d, double *lambda);
void dv_problem_follow(dvConstraintProblem *p);   // before laws are visited one after the other
// The same with the violation that the present multipliers leave, after dv_problem_follow. How far that moves the
// law's own violation: the sum over its rows of the root of the squares |w (lambda - before)|, and the largest of them
// in *most.
double dv_problem_visit(dvConstraintProblem *p, const dvProblemLaw *l, double *most);
// How far the present multipliers are from the laws, in units of the violation: the largest over all rows of |d| where
// d = 0 is asked for, of the distance to complementarity, and of that of friction from its cone and from opposing the
// motion. Laws of plugins count as solved.
double dv_problem_law_error(dvConstraintProblem *p);
// The free motion x and v of the step, and what the multipliers add to it, into DV_X and DV_V (velocities only into
// DV_V).
dvStatus dv_problem_apply(dvConstraintProblem *p, dvPlan *plan, const dvConstraintStep *step);
// Keeps the multipliers for the next step and tells constraints theirs.
void dv_problem_store(dvConstraintProblem *p, const dvConstraintStep *step);
void dv_problem_forget(dvConstraintProblem *p);   // multipliers of earlier steps
// For the hook `remember` of the solver: the multipliers of the last step.
void dv_problem_remember(dvConstraintProblem *p, const dvPlan *plan, dvMemoryStream *s);
void dv_problem_free(dvConstraintProblem *p);

// Sets the multipliers of one law so that it holds, all others as they are: w the law's own rows of W (law->rows x
// law->rows), d the violations with the present lambda.
void dv_law_solve(dvObject *o, const dvLaw *law, const double *w, const double *d, double *lambda);

DV_PUBLIC_END

#endif
