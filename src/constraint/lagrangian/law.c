// One law, solved with all other multipliers as they are: the inner step of Gauss-Seidel methods. See problem.h.
//
//   equality      lambda -= w^-1 d, the rows of the law together
//   inequality    lambda = max(0, lambda - d / w)
//   friction      friction_step.h
//   bounds        lambda - d / w, between them
#include "constraint/lagrangian/friction_step.h"
#include "constraint/lagrangian/problem.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

static double one_row(const dvLaw *law, double w, double d, double lambda)
{
  return lambda - (d + law->compliance * lambda) / (w + law->compliance);
}

// one row after the other, each between the bounds
static void solve_rows(const dvLaw *law, const double *w, const double *d, double *lambda, double low, double high)
{
  size_t n = (size_t)law->rows;
  double left[DV_LAW_ROWS];
  memcpy(left, d, n * sizeof *left);
  for (size_t i = 0; i < n; i++) {
    double before = lambda[i];
    lambda[i] = dv_max(low, dv_min(high, one_row(law, w[i * n + i], left[i], before)));
    for (size_t k = 0; k < n; k++) left[k] += w[k * n + i] * (lambda[i] - before);
  }
}

// lambda -= w^-1 d; a singular block (rows that say the same) row by row
static void solve_equal(const dvLaw *law, const double *w, const double *d, double *lambda)
{
  size_t n = (size_t)law->rows, bad;
  double a[DV_LAW_ROWS * DV_LAW_ROWS], x[DV_LAW_ROWS];
  memcpy(a, w, n * n * sizeof *a);
  for (size_t i = 0; i < n; i++) {
    a[i * n + i] += law->compliance;
    x[i] = d[i] + law->compliance * lambda[i];
  }
  if (!dv_dense_cholesky(a, n, &bad)) {
    solve_rows(law, w, d, lambda, -INFINITY, INFINITY);
    return;
  }
  dv_dense_cholesky_solve(a, n, x);
  for (size_t i = 0; i < n; i++) lambda[i] -= (1 - law->held_back) * x[i];
}

static void solve_friction(const dvLaw *law, const double *w, const double *d, double *lambda)
{
  const double inverse[2] = {1 / (w[0] + law->compliance), 1 / (0.5 * (w[4] + w[8]) + law->compliance)};
  dv_friction_step(w[3], w[6], inverse, law->mu, law->compliance, d, lambda);
}

void dv_law_solve(dvObject *o, const dvLaw *law, const double *w, const double *d, double *lambda)
{
  switch (law->kind) {
  case DV_LAW_EQUAL:
    solve_equal(law, w, d, lambda);
    break;
  case DV_LAW_UNEQUAL:
    solve_rows(law, w, d, lambda, 0, INFINITY);
    break;
  case DV_LAW_FRICTION:
    solve_friction(law, w, d, lambda);
    break;
  case DV_LAW_BOUNDED:
    solve_rows(law, w, d, lambda, law->low, law->high);
    break;
  case DV_LAW_OWN:
    law->solve(o, law, w, d, lambda);
    break;
  }
}
