// Vector operations on whole vectors: chunks of a fixed size, spread over the pool when there are
// enough of them to pay for waking it.
#include "math/kernels.h"

#include <stdatomic.h>

enum {
  CHUNK = DV_VECTOR_CHUNK,
  PARALLEL_FROM = 32 * CHUNK,   // shorter vectors take less time than a hand-over
  GRAIN = 4,                    // chunks a thread takes at a time
  SPAN = 1024                   // chunks whose sums are held at once
};

const dvVectorKernels *dv_vector_kernels(void)
{
  static _Atomic(const dvVectorKernels *) chosen;
  const dvVectorKernels *k = atomic_load_explicit(&chosen, memory_order_acquire);
  if (!k) {
    k = DV_KERNEL_CHOOSE(dv_vector_kernels);
    atomic_store_explicit(&chosen, k, memory_order_release);
  }
  return k;
}

// One operation on a vector: what a body needs to treat the chunk that begins at an offset.
typedef struct Operation Operation;
struct Operation {
  const dvVectorKernels *kernels;
  // treats n numbers from offset i on; sums return their part, the others 0
  double (*run)(const Operation *o, size_t i, size_t n);
  double k;
  const double *a, *b;
  double *y, *r;
  size_t n, first;   // length; first chunk of the span
  double *sums;      // one a chunk of the span, or NULL
};

static void run_chunks(void *user, size_t begin, size_t end)
{
  const Operation *o = user;
  for (size_t c = begin; c < end; c++) {
    size_t i = (o->first + c) * CHUNK;
    double sum = o->run(o, i, dv_min_size(CHUNK, o->n - i));
    if (o->sums) o->sums[c] = sum;
  }
}

static void run_plain(dvPool *pool, Operation *o)
{
  o->kernels = dv_vector_kernels();
  if (o->n < PARALLEL_FROM || dv_pool_threads(pool) == 1) {
    if (o->n > 0) o->run(o, 0, o->n);
    return;
  }
  dv_parallel_for(pool, (o->n + CHUNK - 1) / CHUNK, GRAIN, run_chunks, o);
}

static double run_sum(dvPool *pool, Operation *o)
{
  o->kernels = dv_vector_kernels();
  double total = 0;
  if (o->n < PARALLEL_FROM || dv_pool_threads(pool) == 1) {
    for (size_t i = 0; i < o->n; i += CHUNK) total += o->run(o, i, dv_min_size(CHUNK, o->n - i));
    return total;
  }
  double sums[SPAN];
  size_t chunks = (o->n + CHUNK - 1) / CHUNK;
  o->sums = sums;
  for (o->first = 0; o->first < chunks; o->first += SPAN) {
    size_t count = dv_min_size(SPAN, chunks - o->first);
    dv_parallel_for(pool, count, GRAIN, run_chunks, o);
    for (size_t c = 0; c < count; c++) total += sums[c];
  }
  return total;
}

static double run_dot(const Operation *o, size_t i, size_t n) { return o->kernels->dot(o->a + i, o->b + i, n); }

double dv_dot(dvPool *pool, const double *a, const double *b, size_t n)
{
  return run_sum(pool, &(Operation){.run = run_dot, .a = a, .b = b, .n = n});
}

static double run_norm2(const Operation *o, size_t i, size_t n) { return o->kernels->norm2(o->a + i, n); }

double dv_norm2(dvPool *pool, const double *a, size_t n)
{
  return run_sum(pool, &(Operation){.run = run_norm2, .a = a, .n = n});
}

static double run_axpy(const Operation *o, size_t i, size_t n)
{
  o->kernels->axpy(o->k, o->a + i, o->y + i, n);
  return 0;
}

void dv_axpy(dvPool *pool, double k, const double *x, double *y, size_t n)
{
  run_plain(pool, &(Operation){.run = run_axpy, .k = k, .a = x, .y = y, .n = n});
}

static double run_xpay(const Operation *o, size_t i, size_t n)
{
  o->kernels->xpay(o->a + i, o->k, o->y + i, n);
  return 0;
}

void dv_xpay(dvPool *pool, const double *x, double k, double *y, size_t n)
{
  run_plain(pool, &(Operation){.run = run_xpay, .k = k, .a = x, .y = y, .n = n});
}

static double run_scale(const Operation *o, size_t i, size_t n)
{
  o->kernels->scale(o->k, o->y + i, n);
  return 0;
}

void dv_scale(dvPool *pool, double k, double *x, size_t n)
{
  run_plain(pool, &(Operation){.run = run_scale, .k = k, .y = x, .n = n});
}

static double run_copy(const Operation *o, size_t i, size_t n)
{
  o->kernels->copy(o->a + i, o->y + i, n);
  return 0;
}

void dv_copy(dvPool *pool, const double *x, double *y, size_t n)
{
  run_plain(pool, &(Operation){.run = run_copy, .a = x, .y = y, .n = n});
}

static double run_fill(const Operation *o, size_t i, size_t n)
{
  o->kernels->fill(o->k, o->y + i, n);
  return 0;
}

void dv_fill(dvPool *pool, double value, double *x, size_t n)
{
  run_plain(pool, &(Operation){.run = run_fill, .k = value, .y = x, .n = n});
}

static double run_combine(const Operation *o, size_t i, size_t n)
{
  o->kernels->combine(o->a + i, o->k, o->b + i, o->y + i, n);
  return 0;
}

void dv_combine(dvPool *pool, const double *a, double k, const double *b, double *r, size_t n)
{
  run_plain(pool, &(Operation){.run = run_combine, .k = k, .a = a, .b = b, .y = r, .n = n});
}

static double run_cg_step(const Operation *o, size_t i, size_t n)
{
  return o->kernels->cg_step(o->k, o->a + i, o->b + i, o->y + i, o->r + i, n);
}

double dv_cg_step(dvPool *pool, double alpha, const double *p, const double *q, double *x, double *r, size_t n)
{
  return run_sum(pool, &(Operation){.run = run_cg_step, .k = alpha, .a = p, .b = q, .y = x, .r = r, .n = n});
}

static double dot_of(const double *a, const double *b, int n)
{
  double sum = a[0] * b[0];
  for (int k = 1; k < n; k++) sum += a[k] * b[k];
  return sum;
}

double dv_dot_of_points(const double *a, const double *b, size_t points, int width, int part)
{
  double sum = 0;
  if (width == 3 && part == 3) {
    for (size_t i = 0; i < 3 * points; i += 3) sum += dot_of(a + i, b + i, 3);
    return sum;
  }
  for (size_t i = 0; i < points; i++, a += width, b += width) {
    double of_point = dot_of(a, b, part);
    if (part < width) of_point += dot_of(a + part, b + part, width - part);
    sum += of_point;
  }
  return sum;
}
