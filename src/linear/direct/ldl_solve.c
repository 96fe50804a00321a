// Solving with a sparse LDL^T: forward through the tree of fronts, back again.
//
// Subtrees are spread over the threads, and then the fronts above them, level by level. What each has for the rows
// above it is summed apart and added when all of the level are done, in one order; a front that is alone on its level
// is cut by rows on the way forward and by columns on the way back. So every number is summed in one order, and the
// bits do not depend on who does what.
//
// A copy in 16 bits is worked with in single precision. So that its range suffices for numbers in whatever unit,
// right-hand sides are brought near 1 by a power of two, and so are pivots.
#include "linear/direct/ldl_front.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { PLACES = 8, ROWS = 128, COLUMNS = 64, NARROWED = 1 << 16, FRONTS = 16 };   // threads at work; sizes of pieces
#define NUMBER_NS 0.3                                                             // to read a number of L

// What a thread works with, in the vector of the caller.
typedef struct Place {
  atomic_bool taken;
  double *x, *r, *sums;   // of a front: pivots, rows below, scratch
  double *above;          // for rows above a subtree, by row
} Place;

typedef struct Substitution {
  const dvLdl *f;
  const dvLdlSymbolic *s;
  const dvSubstituteKernels *kernels;
  dvPool *pool;
  const double *rhs;
  double *x;
  double scale, unit, back;   // of the right-hand side, of 1 / pivot, and of the solution
  double *z;                  // in the order of elimination
  double *left;               // what subtrees have for the rows above them
  Place place[PLACES];
  const dvFrontTask *task;   // of the stage at hand
  // the front at hand that is alone on its level
  dvFrontView view;
  size_t k, first;   // its block of columns, its first row below that
} Substitution;

static double *aligned(double *p) { return (double *)(((uintptr_t)p + 63) & ~(uintptr_t)63); }
static size_t whole(size_t count) { return dv_whole(count, DV_MAX_LANES); }

size_t dv_ldl_work(const dvLdl *f)
{
  const dvLdlSymbolic *s = f->symbolic;
  if (!s) return 0;
  size_t n = whole(dv_ldl_rows(f));
  return n + whole(s->left) + PLACES * (2 * whole(s->most_rows) + DV_FRONT_BLOCK * DV_MAX_LANES + n) + DV_MAX_LANES;
}

static const dvSubstituteKernels *kernels_of(const dvLdl *f)
{
  const dvFrontSolveKernels *all = DV_KERNEL_CHOOSE_WIDE(dv_front_solve_kernels);
  if (f->numbers == DV_LDL_SHORT) return &DV_KERNEL_CHOOSE_WIDE(dv_front_small_kernels)->solve;
  return f->numbers == DV_LDL_DOUBLE ? &all->one : &all->single;
}

static size_t bytes_of(dvLdlNumbers numbers)
{
  return numbers == DV_LDL_DOUBLE ? sizeof(double) : numbers == DV_LDL_SINGLE ? sizeof(float) : sizeof(int16_t);
}

static void start(Substitution *t, const dvLdl *f, dvPool *pool, double *work)
{
  const dvLdlSymbolic *s = f->symbolic;
  size_t n = whole(dv_ldl_rows(f));
  *t =
      (Substitution){.f = f, .s = s, .kernels = kernels_of(f), .pool = dv_pool_for(pool, NUMBER_NS * (double)s->lower)};
  t->z = aligned(work);
  t->left = t->z + n;
  double *next = t->left + whole(s->left);
  for (int i = 0; i < PLACES; i++) {
    t->place[i].sums = next;
    t->place[i].x = t->place[i].sums + DV_FRONT_BLOCK * DV_MAX_LANES;
    t->place[i].r = t->place[i].x + whole(s->most_rows);
    t->place[i].above = t->place[i].r + whole(s->most_rows);
    next = t->place[i].above + n;
  }
}

static Place *take_place(Substitution *t)
{
  for (;;)
    for (int i = 0; i < PLACES; i++)
      if (!atomic_exchange_explicit(&t->place[i].taken, true, memory_order_acquire)) return &t->place[i];
}

static void leave_place(Place *p) { atomic_store_explicit(&p->taken, false, memory_order_release); }

// --- one front -----------------------------------------------------------------------------------

static dvFrontView view_of(const Substitution *t, const dvFront *f)
{
  size_t lanes = (size_t)t->s->lanes;
  dvFrontView v = {.lower = t->f->lower + f->lower,
                   .cols = (size_t)f->cols,
                   .pivots = dv_front_pivots(f, lanes),
                   .height = dv_front_height(f, lanes)};
  if (t->f->numbers != DV_LDL_DOUBLE) v.copy = (const char *)t->f->copy + f->lower * bytes_of(t->f->numbers);
  if (t->f->numbers == DV_LDL_SHORT) v.unit = t->f->unit + f->first;
  return v;
}

static void take_pivots(const Substitution *t, const Place *p, const dvFront *f, const dvFrontView *v)
{
  memcpy(p->x, t->z + f->first, v->cols * sizeof *p->x);
  for (size_t i = v->cols; i < v->pivots; i++) p->x[i] = 0;
}

// rows from scalar `limit` on are gathered in `above`
static void give_rows(const Substitution *t, const Place *p, const dvFront *f, size_t limit)
{
  size_t n = (size_t)t->s->block, rows = (size_t)f->rows / n, e = 0;
  const int32_t *row = t->s->row + f->row;
  for (; e < rows && (size_t)row[e] * n < limit; e++)
    for (size_t i = 0; i < n; i++) t->z[(size_t)row[e] * n + i] -= p->r[e * n + i];
  for (; e < rows; e++)
    for (size_t i = 0; i < n; i++) p->above[(size_t)row[e] * n + i] += p->r[e * n + i];
}

static void take_rows(const Substitution *t, const Place *p, const dvFront *f, const dvFrontView *v)
{
  size_t n = (size_t)t->s->block, rows = (size_t)f->rows / n;
  const int32_t *row = t->s->row + f->row;
  for (size_t e = 0; e < rows; e++)
    for (size_t i = 0; i < n; i++) p->r[e * n + i] = t->z[(size_t)row[e] * n + i];
  for (size_t i = rows * n; i < v->height - v->pivots; i++) p->r[i] = 0;
}

// right-hand sides of few rows, as those of constraints, leave parts of the tree alone
static bool is_empty(const Substitution *t, const dvFront *f)
{
  for (int32_t i = 0; i < f->cols; i++)
    if (t->z[f->first + i] != 0) return false;
  return true;
}

static void forward_front(const Substitution *t, const Place *p, const dvFront *f, size_t limit)
{
  dvFrontView v = view_of(t, f);
  if (is_empty(t, f)) return;
  take_pivots(t, p, f, &v);
  t->kernels->forward(&v, p->x, p->r);
  memcpy(t->z + f->first, p->x, v.cols * sizeof *p->x);
  give_rows(t, p, f, limit);
}

static void backward_front(const Substitution *t, const Place *p, const dvFront *f)
{
  dvFrontView v = view_of(t, f);
  take_pivots(t, p, f, &v);
  take_rows(t, p, f, &v);
  t->kernels->backward(&v, p->x, p->r, p->sums);
  memcpy(t->z + f->first, p->x, v.cols * sizeof *p->x);
}

// --- stages --------------------------------------------------------------------------------------

// pivots of a subtree or of a front: rows of the right-hand side, what they are between the two ways, the solution
typedef struct Range {
  size_t begin, end;   // blocks
} Range;

static Range pivots_of(const dvLdlSymbolic *s, const dvFrontTask *task)
{
  const dvFront *root = &s->front[task->end - 1];
  size_t n = (size_t)s->block;
  return (Range){(size_t)s->front[task->begin].first / n, (size_t)(root->first + root->cols) / n};
}

static void take_rhs(const Substitution *t, Range r)
{
  size_t n = (size_t)t->s->block;
  for (size_t k = r.begin; k < r.end; k++)
    for (size_t i = 0; i < n; i++) t->z[k * n + i] = t->scale * t->rhs[(size_t)t->s->perm[k] * n + i];
}

static void divide(const Substitution *t, Range r)
{
  size_t n = (size_t)t->s->block;
  for (size_t k = r.begin * n; k < r.end * n; k++) t->z[k] *= t->f->inverse_d[k] * t->unit;
}

static void give_solution(const Substitution *t, Range r)
{
  size_t n = (size_t)t->s->block;
  for (size_t k = r.begin; k < r.end; k++)
    for (size_t i = 0; i < n; i++) t->x[(size_t)t->s->perm[k] * n + i] = t->back * t->z[k * n + i];
}

static void forward_tasks(void *user, size_t begin, size_t end)
{
  Substitution *t = user;
  const dvLdlSymbolic *s = t->s;
  Place *p = take_place(t);
  size_t n = (size_t)s->block;
  for (const dvFrontTask *task = t->task + begin; task < t->task + end; task++) {
    const dvFront *root = &s->front[task->end - 1];
    const int32_t *row = s->row + root->row;
    size_t rows = (size_t)root->rows / n, limit = (size_t)(root->first + root->cols);
    if (t->task == s->task) take_rhs(t, pivots_of(s, task));
    for (size_t e = 0; e < rows; e++) memset(p->above + (size_t)row[e] * n, 0, n * sizeof *p->above);
    for (int32_t i = task->begin; i < task->end; i++) forward_front(t, p, &s->front[i], limit);
    for (size_t e = 0; e < rows; e++)
      memcpy(t->left + task->left + e * n, p->above + (size_t)row[e] * n, n * sizeof *p->above);
  }
  leave_place(p);
}

static void add_left(const Substitution *t, const dvFrontTask *task)
{
  const dvLdlSymbolic *s = t->s;
  size_t n = (size_t)s->block;
  const dvFront *root = &s->front[task->end - 1];
  const int32_t *row = s->row + root->row;
  const double *left = t->left + task->left;
  for (size_t e = 0; e < (size_t)root->rows / n; e++)
    for (size_t i = 0; i < n; i++) t->z[(size_t)row[e] * n + i] -= left[e * n + i];
}

static void backward_tasks(void *user, size_t begin, size_t end)
{
  Substitution *t = user;
  Place *p = take_place(t);
  for (const dvFrontTask *task = t->task + begin; task < t->task + end; task++) {
    divide(t, pivots_of(t->s, task));
    for (int32_t i = task->end - 1; i >= task->begin; i--) backward_front(t, p, &t->s->front[i]);
    give_solution(t, pivots_of(t->s, task));
  }
  leave_place(p);
}

// --- a front by all threads ----------------------------------------------------------------------

static void forward_rows(void *user, size_t begin, size_t end)
{
  Substitution *t = user;
  size_t last = dv_min_size(t->first + end * ROWS, t->view.height);
  t->kernels->forward_rows(&t->view, t->k, t->first + begin * ROWS, last, t->place[0].x, t->place[0].r);
}

static void backward_columns(void *user, size_t begin, size_t end)
{
  Substitution *t = user;
  size_t last = dv_min_size(end * COLUMNS, dv_front_width(t->view.cols, t->k));
  t->kernels->backward_columns(&t->view, t->k, begin * COLUMNS, last, t->place[0].x, t->place[0].r, t->place[0].sums);
}

static double cost_of(const dvFront *f) { return NUMBER_NS * (double)f->cols * (f->cols / 2 + f->rows); }

static bool is_large(const Substitution *t, const dvFront *f) { return dv_pool_for(t->pool, cost_of(f)) != NULL; }

static void forward_top(Substitution *t, const dvFront *f)
{
  const Place *p = &t->place[0];
  size_t all = dv_ldl_rows(t->f);
  if (!is_large(t, f)) {
    forward_front(t, p, f, all);
    return;
  }
  t->view = view_of(t, f);
  take_pivots(t, p, f, &t->view);
  for (t->k = 0; t->k < t->view.cols; t->k += DV_FRONT_BLOCK) {
    t->first = dv_whole(t->k + dv_front_width(t->view.cols, t->k), (size_t)t->s->lanes);
    t->kernels->forward_diagonal(&t->view, t->k, p->x);
    dv_parallel_for(t->pool, (t->view.height - t->first + ROWS - 1) / ROWS, 1, forward_rows, t);
  }
  memcpy(t->z + f->first, p->x, t->view.cols * sizeof *p->x);
  give_rows(t, p, f, all);
}

static void backward_top(Substitution *t, const dvFront *f)
{
  const Place *p = &t->place[0];
  if (!is_large(t, f)) {
    backward_front(t, p, f);
    return;
  }
  t->view = view_of(t, f);
  take_pivots(t, p, f, &t->view);
  take_rows(t, p, f, &t->view);
  for (t->k = (t->view.cols - 1) / DV_FRONT_BLOCK * DV_FRONT_BLOCK;; t->k -= DV_FRONT_BLOCK) {
    dv_parallel_for(t->pool, (dv_front_width(t->view.cols, t->k) + COLUMNS - 1) / COLUMNS, 1, backward_columns, t);
    t->kernels->backward_diagonal(&t->view, t->k, p->x, p->sums);
    if (t->k == 0) break;
  }
  memcpy(t->z + f->first, p->x, t->view.cols * sizeof *p->x);
}

// --- all of it -----------------------------------------------------------------------------------

// the threads for a stage: those of subtrees are worth it
static dvPool *pool_for(const Substitution *t, size_t count)
{
  double ns = 0;
  if (t->task == t->s->task) return t->pool;
  for (size_t k = 0; k < count; k++) ns += cost_of(&t->s->front[t->task[k].begin]);
  return dv_pool_for(t->pool, ns);
}

static size_t take_stage(Substitution *t, int32_t stage)
{
  t->task = t->s->task + t->s->stage[stage];
  return (size_t)(t->s->stage[stage + 1] - t->s->stage[stage]);
}

static void forward_stage(Substitution *t, int32_t stage)
{
  size_t count = take_stage(t, stage);
  if (count == 1 && stage > 0) {
    forward_top(t, &t->s->front[t->task->begin]);
    return;
  }
  dv_parallel_for(pool_for(t, count), count, 1, forward_tasks, t);
  for (size_t k = 0; k < count; k++) add_left(t, &t->task[k]);
}

static void backward_stage(Substitution *t, int32_t stage)
{
  size_t count = take_stage(t, stage);
  if (count > 1 || stage == 0) {
    dv_parallel_for(pool_for(t, count), count, 1, backward_tasks, t);
    return;
  }
  Range r = pivots_of(t->s, t->task);
  divide(t, r);
  backward_top(t, &t->s->front[t->task->begin]);
  give_solution(t, r);
}

// the power of two that brings the largest of some numbers near 1; 1 where that does not exist
static double power_for(size_t count, const double *x)
{
  double most[DV_MAX_LANES] = {0}, all = 0;   // so that none waits for the other
  size_t i = 0;
  for (; i + DV_MAX_LANES <= count; i += DV_MAX_LANES)
    for (size_t k = 0; k < DV_MAX_LANES; k++) most[k] = fabs(x[i + k]) > most[k] ? fabs(x[i + k]) : most[k];
  for (; i < count; i++) all = dv_max(all, fabs(x[i]));
  for (size_t k = 0; k < DV_MAX_LANES; k++) all = dv_max(all, most[k]);
  return all > DBL_MIN && all < DBL_MAX ? ldexp(1, -dv_min_int(ilogb(all), 1000)) : 1;
}

void dv_ldl_solve_with(const dvLdl *f, dvPool *pool, const double *rhs, double *x, double *work)
{
  Substitution t;
  start(&t, f, pool, work);
  t.rhs = rhs;
  t.x = x;
  bool short_ones = f->numbers == DV_LDL_SHORT;
  t.scale = short_ones ? power_for(dv_ldl_rows(f), rhs) : 1;
  t.unit = short_ones ? f->pivot_unit : 1;
  t.back = 1 / t.scale / t.unit;
  for (int32_t k = t.s->tasks; k < t.s->tasks + t.s->tops; k++) take_rhs(&t, pivots_of(t.s, &t.s->task[k]));
  for (int32_t i = 0; i < t.s->stages; i++) forward_stage(&t, i);
  for (int32_t i = t.s->stages - 1; i >= 0; i--) backward_stage(&t, i);
}

// --- copies of the columns -----------------------------------------------------------------------

static void narrow(void *user, size_t begin, size_t end)
{
  dvLdl *f = user;
  size_t from = begin * NARROWED, to = dv_min_size(end * NARROWED, f->symbolic->lower);
  DV_KERNEL_CHOOSE_WIDE(dv_front_solve_kernels)->narrow(to - from, f->lower + from, (float *)f->copy + from);
}

static void shorten(void *user, size_t begin, size_t end)
{
  dvLdl *f = user;
  const dvLdlSymbolic *s = f->symbolic;
  size_t lanes = (size_t)s->lanes;
  for (const dvFront *i = s->front + begin; i < s->front + end; i++) {
    dvFrontView v = {.lower = f->lower + i->lower,
                     .cols = (size_t)i->cols,
                     .pivots = dv_front_pivots(i, lanes),
                     .height = dv_front_height(i, lanes)};
    DV_KERNEL_CHOOSE_WIDE(dv_front_small_kernels)->shorten(&v, (int16_t *)f->copy + i->lower, f->unit + i->first);
  }
}

static bool copy_fit(dvLdl *f, dvLdlNumbers numbers)
{
  size_t bytes = (whole(f->symbolic->lower) + DV_MAX_LANES) * bytes_of(numbers);
  if (f->copy_room < bytes) {
    dv_free(f->copy);
    f->copy = dv_alloc_aligned(bytes);
    f->copy_room = f->copy ? bytes : 0;
  }
  if (numbers == DV_LDL_SHORT && !f->unit) f->unit = dv_alloc_aligned(dv_ldl_rows(f) * sizeof *f->unit);
  return f->copy && (numbers != DV_LDL_SHORT || f->unit);
}

bool dv_ldl_make_copy(dvLdl *f, dvLdlNumbers numbers, dvPool *pool)
{
  size_t count = f->symbolic->lower;
  f->numbers = DV_LDL_DOUBLE;
  if (numbers == DV_LDL_DOUBLE) return true;
  if (!copy_fit(f, numbers)) return false;
  dvPool *with = dv_pool_for(pool, NUMBER_NS * (double)count);
  if (numbers == DV_LDL_SINGLE) dv_parallel_for(with, (count + NARROWED - 1) / NARROWED, 1, narrow, f);
  else {
    dv_parallel_for(with, (size_t)f->symbolic->fronts, FRONTS, shorten, f);
    f->pivot_unit = power_for(dv_ldl_rows(f), f->inverse_d);
  }
  f->numbers = numbers;
  return true;
}

void dv_ldl_solve(const dvLdl *f, const double *rhs, double *x, double *work)
{
  dv_ldl_solve_with(f, NULL, rhs, x, work);
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
  Substitution t;
  start(&t, f, NULL, work);
  t.z[at] = 1;   // L^T z = e: nothing is eliminated later
  for (int32_t i = s->fronts - 1; i >= 0; i--)
    if ((size_t)s->front[i].first <= at) backward_front(&t, &t.place[0], &s->front[i]);
  for (size_t k = 0; k < s->n; k++) memcpy(x + (size_t)s->perm[k] * n, t.z + k * n, n * sizeof *x);
  dv_free(work);
}
