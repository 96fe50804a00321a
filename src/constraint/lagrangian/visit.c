// A law within its problem: its violation, and its multipliers with all others as they are. See problem.h.
//
// An equality with many rows (all edges of a string at once) keeps the inverse of its block of W, which is the same in
// every iteration. Where rows say the same it is the pseudo-inverse: the smallest multipliers that hold, or that come
// nearest when rows contradict each other.
#include "constraint/lagrangian/problem.h"

#include "math/dense.h"
#include "math/kernels.h"

#include <math.h>
#include <string.h>

// --- equalities with many rows -----------------------------------------------------------------------

static void take_block(const dvConstraintProblem *p, const dvProblemLaw *l, double *block)
{
  size_t n = (size_t)l->law.rows, first = (size_t)l->first;
  if (p->unbuilt.used) memcpy(block, dv_unbuilt_own(&p->unbuilt, (size_t)(l - p->laws.data)), n * n * sizeof *block);
  else
    for (size_t i = 0; i < n; i++) memcpy(block + i * n, p->w.data + (first + i) * p->rows + first, n * sizeof *block);
}

static void invert(dvConstraintProblem *p, const dvProblemLaw *l)
{
  size_t n = (size_t)l->law.rows;
  dv_array_resize(&p->work, 2 * n * n + n);
  double *block = p->work.data;
  take_block(p, l, block);
  for (size_t i = 0; i < n; i++) block[i * n + i] += l->law.compliance;
  dv_dense_pseudo_inverse(block, n, p->inverses.data + l->inverse, block + n * n);
}

void dv_problem_invert(dvConstraintProblem *p)
{
  size_t room = 0;
  for (size_t i = 0; i < p->laws.count; i++) {
    size_t n = (size_t)p->laws.data[i].law.rows;
    p->laws.data[i].inverse = n > DV_LAW_ROWS ? (int64_t)room : -1;
    if (n > DV_LAW_ROWS) room += n * n;
  }
  dv_array_resize(&p->inverses, room);
  for (size_t i = 0; i < p->laws.count; i++)
    if (p->laws.data[i].inverse >= 0) invert(p, &p->laws.data[i]);
}

// --- one law -----------------------------------------------------------------------------------------

void dv_problem_violation(dvConstraintProblem *p, const dvProblemLaw *l, double *d)
{
  const dvVectorKernels *kernels = dv_vector_kernels();
  if (p->unbuilt.used) {
    dv_unbuilt_move_to(&p->unbuilt, p->lambda.data, p->rows);
    dv_unbuilt_product(&p->unbuilt, (size_t)(l - p->laws.data), NULL, d);
  }
  for (size_t i = 0; i < (size_t)l->law.rows; i++) {
    size_t row = (size_t)l->first + i;
    if (!p->unbuilt.used) d[i] = kernels->dot(p->w.data + row * p->rows, p->lambda.data, p->rows);
    d[i] += p->violation.data[row];
  }
}

void dv_problem_product(dvConstraintProblem *p, const double *x, double *y)
{
  const dvVectorKernels *kernels = dv_vector_kernels();
  if (p->unbuilt.used) dv_unbuilt_move_to(&p->unbuilt, x, p->rows);
  for (size_t i = 0; p->unbuilt.used && i < p->laws.count; i++)
    dv_unbuilt_product(&p->unbuilt, i, NULL, y + p->laws.data[i].first);
  for (size_t i = 0; !p->unbuilt.used && i < p->rows; i++) y[i] = kernels->dot(p->w.data + i * p->rows, x, p->rows);
}

void dv_problem_matrix(dvConstraintProblem *p, double *w)
{
  if (p->unbuilt.used) dv_unbuilt_matrix(&p->unbuilt, p->rows, w);
  else if (p->rows) memcpy(w, p->w.data, p->rows * p->rows * sizeof *w);
}

void dv_problem_solve_law(dvConstraintProblem *p, const dvProblemLaw *l, const double *d, double *lambda)
{
  size_t n = (size_t)l->law.rows;
  if (l->inverse < 0) {
    double own[DV_LAW_ROWS * DV_LAW_ROWS];
    take_block(p, l, own);
    dv_law_solve(l->object, &l->law, own, d, lambda);
    return;
  }
  const double *inverse = p->inverses.data + l->inverse;
  dv_array_resize(&p->work, 3 * n);   // the first two thirds are the caller's
  double *change = p->work.data + 2 * n;
  for (size_t i = 0; i < n; i++) {
    change[i] = 0;
    for (size_t k = 0; k < n; k++) change[i] += inverse[i * n + k] * (d[k] + l->law.compliance * lambda[k]);
  }
  for (size_t i = 0; i < n; i++) lambda[i] -= (1 - l->law.held_back) * change[i];
}

void dv_problem_follow(dvConstraintProblem *p)
{
  if (p->unbuilt.used) dv_unbuilt_follow(&p->unbuilt, p->lambda.data, p->rows);
  else dv_residual_follow(&p->residual, p->w.data, p->violation.data, p->lambda.data, p->rows);
}

static void take_violation(const dvConstraintProblem *p, const dvProblemLaw *l, double *d)
{
  const double *free = p->violation.data + l->first;
  if (p->unbuilt.used) dv_unbuilt_product(&p->unbuilt, (size_t)(l - p->laws.data), NULL, d);
  else memcpy(d, p->residual.d.data + l->first, (size_t)l->law.rows * sizeof *d);
  for (int i = 0; p->unbuilt.used && i < l->law.rows; i++) d[i] += free[i];
}

static void change(dvConstraintProblem *p, const dvProblemLaw *l, const double *lambda)
{
  if (p->unbuilt.used) dv_unbuilt_change(&p->unbuilt, (size_t)(l - p->laws.data), lambda);
  else dv_residual_change(&p->residual, p->w.data, (size_t)l->first, (size_t)l->law.rows, lambda);
}

double dv_problem_visit(dvConstraintProblem *p, const dvProblemLaw *l, double *most)
{
  size_t n = (size_t)l->law.rows, first = (size_t)l->first;
  dv_array_resize(&p->work, 3 * n);
  double *d = p->work.data, *before = d + n, *lambda = p->lambda.data + first, sum = 0;
  take_violation(p, l, d);
  memcpy(before, lambda, n * sizeof *before);
  dv_problem_solve_law(p, l, d, lambda);
  change(p, l, lambda);
  *most = 0;
  for (size_t i = 0; i < n; i++) {
    const double *row = p->unbuilt.used ? dv_unbuilt_own(&p->unbuilt, (size_t)(l - p->laws.data)) + i * n
                                        : p->w.data + (first + i) * p->rows + first;
    double square = 0;
    for (size_t k = 0; k < n; k++) {
      double move = row[k] * (lambda[k] - before[k]);
      square += move * move;
    }
    *most = fmax(*most, sqrt(square));
    sum += sqrt(square);
  }
  return sum;
}
