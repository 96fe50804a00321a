// Small dense convex quadratic programs, solved by a dual active-set method (Goldfarb and Idnani 1983):
//
//   minimise 1/2 x^T G x + g^T x   subject to low_i <= c_i x <= high_i
//
// G symmetric and positive semi-definite; a row with low = high is an equality; infinite ends do not bind. Constraints
// enter one after the other from the minimum without any, each by the shortest way that keeps the multipliers of those
// that hold in their signs; so a problem without a solution shows itself by a combination of rows that proves it.
//
// Where G is singular a term rho/2 |x - x_k|^2 is added and x_k moved to the answer until it stays (proximal points):
// among several answers the one near 0 (in units of the diagonal of G) is found, and always the same. Variables are
// scaled by the diagonal of G, rows by their length. The number of changes of the active set is bounded.
#ifndef DV_MATH_QP_H
#define DV_MATH_QP_H

#include "base/array.h"

typedef enum dvQpAnswer {
  DV_QP_SOLVED,
  DV_QP_INFEASIBLE,   // `y` proves it: y^T C = 0, while y_i low_i (y_i > 0) and y_i high_i (y_i < 0) sum to more than 0
  DV_QP_UNBOUNDED,    // x is a direction: G x = 0, g x < 0, and no row ends along it
  DV_QP_GAVE_UP,      // too many changes, or no end in sight: x is the last point
} dvQpAnswer;

typedef struct dvQp {
  size_t variables, rows;
  // given
  DV_ARRAY(double) g2;          // G, variables x variables
  DV_ARRAY(double) g;           // g
  DV_ARRAY(double) c;           // rows x variables
  DV_ARRAY(double) low, high;   // of each row
  // found
  DV_ARRAY(double) x;
  DV_ARRAY(double) y;           // multipliers of the rows: G x + g = C^T y; above 0 at `low`, below at `high`
  DV_ARRAY(signed char) side;   // -1: the row is at its low end, 1 at its high end, 0 between; also where to begin
  int changes;                  // of the active set
  int singular;                 // variables that G leaves open: several answers, of which one was chosen
  double objective;
  DV_ARRAY(double) work, from;
  DV_ARRAY(int32_t) active;
  DV_ARRAY(signed char) sides;
} dvQp;

// Gives the problem its size; G, g and C are zero, rows unbounded. What `side` holds is kept where sizes stay: rows
// that it names are looked at first, so that a problem like the last one needs few changes.
void dv_qp_resize(dvQp *q, size_t variables, size_t rows);
dvQpAnswer dv_qp_solve(dvQp *q);
// The largest of what is wrong with an answer, in the units of the problem scaled to 1: rows left, signs of
// multipliers, multipliers of rows that do not bind, G x + g - C^T y.
double dv_qp_error(const dvQp *q);
void dv_qp_free(dvQp *q);

#endif
