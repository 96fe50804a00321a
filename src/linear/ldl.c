// See ldl.h: the life of a factor, and solving with it. The analysis is in ldl_symbolic.c, the factorisation in ldl_factor.c.
#include "linear/ldl.h"

#include "linear/ldl_front.h"
#include "linear/ldl_work.h"

#include <math.h>
#include <string.h>

void dv_ldl_free(dvLdl *f)
{
  dv_ldl_symbolic_release(f->symbolic);
  dv_ldl_work_free(f->work);
  dv_free(f->lower);
  dv_free(f->d);
  *f = (dvLdl){0};
}

static bool allocate(dvLdl *f)
{
  const dvLdlSymbolic *s = f->symbolic;
  size_t n = s->n * (size_t)s->block;
  f->lower = dv_alloc_unset(s->lower * sizeof *f->lower);
  f->d = dv_alloc_aligned(2 * n * sizeof *f->d);
  f->inverse_d = f->d ? f->d + n : NULL;
  f->work = dv_ldl_work_create(s);
  if (f->lower && f->d && f->work) return true;
  dv_ldl_free(f);
  return false;
}

bool dv_ldl_analyse(dvLdl *f, const dvPattern *a, int block, dvOrder order)
{
  dv_ldl_free(f);
  f->symbolic = dv_ldl_symbolic_create(a, block, DV_KERNEL_CHOOSE_WIDE(dv_front_kernels)->lanes, order);
  return f->symbolic && allocate(f);
}

bool dv_ldl_analyse_like(dvLdl *f, const dvLdl *from)
{
  dv_ldl_free(f);
  f->symbolic = from->symbolic;
  f->symbolic->users++;
  return allocate(f);
}

size_t dv_ldl_count(const dvLdl *f) { return f->symbolic ? f->symbolic->count : 0; }
size_t dv_ldl_stored(const dvLdl *f) { return f->symbolic ? f->symbolic->lower : 0; }
double dv_ldl_flops(const dvLdl *f) { return f->symbolic ? f->symbolic->flops : 0; }
size_t dv_ldl_rows(const dvLdl *f) { return f->symbolic ? f->symbolic->n * (size_t)f->symbolic->block : 0; }
size_t dv_ldl_work(const dvLdl *f) { return f->symbolic ? dv_ldl_rows(f) + 2 * f->symbolic->most_rows + DV_FRONT_BLOCK * DV_MAX_LANES + 4 * DV_MAX_LANES : 0; }

// --- substitution --------------------------------------------------------------------------------

typedef struct Substitution {
  const dvLdl *f;
  const dvLdlSymbolic *s;
  const dvFrontSolveKernels *kernels;
  double *z;             // in the order of elimination
  double *x, *r, *sums;  // of a front: pivots, rows below, scratch
} Substitution;

static double *aligned(double *p) { return (double *)(((uintptr_t)p + 63) & ~(uintptr_t)63); }

static Substitution start(const dvLdl *f, double *work)
{
  const dvLdlSymbolic *s = f->symbolic;
  Substitution t = {.f = f, .s = s, .kernels = DV_KERNEL_CHOOSE_WIDE(dv_front_solve_kernels)};
  t.sums = aligned(work);
  t.x = t.sums + DV_FRONT_BLOCK * DV_MAX_LANES;
  t.r = t.x + dv_whole(s->most_rows, DV_MAX_LANES);
  t.z = t.r + dv_whole(s->most_rows, DV_MAX_LANES);
  return t;
}

static dvFrontView view_of(const Substitution *t, const dvFront *f)
{
  size_t lanes = (size_t)t->s->lanes;
  return (dvFrontView){t->f->lower + f->lower, NULL, (size_t)f->cols, dv_front_pivots(f, lanes), dv_front_height(f, lanes)};
}

static void take_pivots(const Substitution *t, const dvFront *f, const dvFrontView *v)
{
  memcpy(t->x, t->z + f->first, v->cols * sizeof *t->x);
  for (size_t i = v->cols; i < v->pivots; i++) t->x[i] = 0;
}

static void forward(const Substitution *t, const dvFront *f)
{
  dvFrontView v = view_of(t, f);
  size_t n = (size_t)t->s->block, rows = (size_t)f->rows / n;
  const int32_t *row = t->s->row + f->row;
  take_pivots(t, f, &v);
  t->kernels->forward(&v, t->x, t->r);
  memcpy(t->z + f->first, t->x, v.cols * sizeof *t->x);
  for (size_t e = 0; e < rows; e++)
    for (size_t i = 0; i < n; i++) t->z[(size_t)row[e] * n + i] -= t->r[e * n + i];
}

static void backward(const Substitution *t, const dvFront *f)
{
  dvFrontView v = view_of(t, f);
  size_t n = (size_t)t->s->block, rows = (size_t)f->rows / n;
  const int32_t *row = t->s->row + f->row;
  take_pivots(t, f, &v);
  for (size_t e = 0; e < rows; e++)
    for (size_t i = 0; i < n; i++) t->r[e * n + i] = t->z[(size_t)row[e] * n + i];
  for (size_t i = rows * n; i < v.height - v.pivots; i++) t->r[i] = 0;
  t->kernels->backward(&v, t->x, t->r, t->sums);
  memcpy(t->z + f->first, t->x, v.cols * sizeof *t->x);
}

void dv_ldl_solve(const dvLdl *f, const double *rhs, double *x, double *work)
{
  Substitution t = start(f, work);
  const dvLdlSymbolic *s = t.s;
  size_t n = (size_t)s->block;
  for (size_t k = 0; k < s->n; k++) memcpy(t.z + k * n, rhs + (size_t)s->perm[k] * n, n * sizeof *rhs);
  for (int32_t i = 0; i < s->fronts; i++) forward(&t, &s->front[i]);
  for (size_t k = 0; k < s->n * n; k++) t.z[k] *= f->inverse_d[k];
  for (int32_t i = s->fronts - 1; i >= 0; i--) backward(&t, &s->front[i]);
  for (size_t k = 0; k < s->n; k++) memcpy(x + (size_t)s->perm[k] * n, t.z + k * n, n * sizeof *x);
}

double dv_ldl_refine(const dvLdl *f, const dvBlockMatrix *a, const double *rhs, double *x, double *work)
{
  size_t n = dv_ldl_rows(f);
  double *residual = work + dv_ldl_work(f), *correction = residual + n, most = 0, given = 0;
  dv_block_matrix_product(a, NULL, x, residual);
  for (size_t i = 0; i < n; i++) {
    residual[i] = rhs[i] - residual[i];
    most = fmax(most, fabs(residual[i]));
    given = fmax(given, fabs(rhs[i]));
  }
  dv_ldl_solve(f, residual, correction, work);
  for (size_t i = 0; i < n; i++) x[i] += correction[i];
  return given > 0 ? most / given : 0;
}

void dv_ldl_null_vector(const dvLdl *f, size_t pivot, double *x)
{
  const dvLdlSymbolic *s = f->symbolic;
  size_t n = (size_t)s->block, at = (size_t)s->inverse[pivot / n] * n + pivot % n;
  double *work = dv_alloc(dv_ldl_work(f) * sizeof *work);
  Substitution t = start(f, work);
  t.z[at] = 1;   // L^T z = e: nothing is eliminated later
  for (int32_t i = s->fronts - 1; i >= 0; i--)
    if ((size_t)s->front[i].first <= at) backward(&t, &s->front[i]);
  for (size_t k = 0; k < s->n; k++) memcpy(x + (size_t)s->perm[k] * n, t.z + k * n, n * sizeof *x);
  dv_free(work);
}
