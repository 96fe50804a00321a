// Random quadratic programs for the tests: definite and singular matrices, goals in and out of their range, equalities,
// bounds, rows of very different lengths, rows that repeat others with the same ends or with ends that contradict.
#ifndef DV_TESTS_MATH_QP_PROBLEMS_H
#define DV_TESTS_MATH_QP_PROBLEMS_H

#include "math/qp.h"
#include "support/check.h"
#include "support/matrix.h"

#include <math.h>
#include <string.h>

enum { MOST = 16 };

static double product(const double *a, const double *b, size_t n)
{
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static double objective(const dvQp *q, const double *x)
{
  size_t n = q->variables;
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += x[i] * (q->g.data[i] + 0.5 * product(q->g2.data + i * n, x, n));
  return sum;
}

static double pick(uint64_t *seed) { return check_random(seed); }   // -1 .. 1
static size_t choose(uint64_t *seed, size_t below)
{
  return (size_t)fmin((double)below - 1, (0.5 + 0.5 * pick(seed)) * (double)below);
}

static void make(dvQp *q, uint64_t *seed, size_t n, size_t m)
{
  dv_qp_resize(q, n, m);
  size_t rank = choose(seed, 4) ? n : choose(seed, n + 1);
  double a[MOST * MOST];
  for (size_t i = 0; i < rank * n; i++) a[i] = pick(seed);
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < n; k++)
      for (size_t r = 0; r < rank; r++) q->g2.data[i * n + k] += a[r * n + i] * a[r * n + k];
    q->g.data[i] = pick(seed);
  }
  bool in_range = rank < n && choose(seed, 3);   // g in the range of G: as a sum of squares has it
  double target[MOST];
  for (size_t r = 0; r < rank; r++) target[r] = pick(seed);
  for (size_t i = 0; in_range && i < n; i++) {
    q->g.data[i] = 0;
    for (size_t r = 0; r < rank; r++) q->g.data[i] += a[r * n + i] * target[r];
  }
  for (size_t r = 0; r < m; r++) {
    double *c = q->c.data + r * n, size = pow(10, 3 * pick(seed)), middle = pick(seed);
    size_t like = choose(seed, m);
    bool repeats = r > 0 && choose(seed, 6) == 0 && like < r, bound = choose(seed, 3) == 0;
    for (size_t i = 0; i < n; i++) c[i] = repeats ? size * q->c.data[like * n + i] : bound ? 0 : size * pick(seed);
    if (bound && !repeats) c[choose(seed, n)] = 1, size = 1;
    if (repeats && choose(seed, 2)) {   // the same end as the row it repeats
      q->low.data[r] = size * q->low.data[like], q->high.data[r] = size * q->high.data[like];
      continue;
    }
    size_t kind = choose(seed, 8);
    q->low.data[r] = kind == 0 || kind > 2 ? size * middle : -INFINITY;
    q->high.data[r] = kind == 0 ? q->low.data[r] : kind <= 4 ? size * (middle + fabs(pick(seed))) : INFINITY;
  }
}

#endif
