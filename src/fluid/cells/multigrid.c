// Levels of the V-cycle and the iteration around it. See multigrid.h.
#include "fluid/cells/multigrid.h"

#include "math/kernels.h"

#include <math.h>

enum { FLOATS = 9 /* arrays of a level */, SMALL = 64 /* cells of the last level */, LAST_SWEEPS = 12, ROWS = 32 };

static const dvMgKernels *kernels(void) { return DV_KERNEL_CHOOSE(dv_mg_kernels); }

static size_t rows_of(const dvMgLevel *l) { return (size_t)l->n[1] * (size_t)l->n[2]; }

// --- memory ---------------------------------------------------------------------------------------

static void lay_level(dvMgLevel *l, const int n[3])
{
  *l = (dvMgLevel){.n = {n[0], n[1], n[2]}, .axes = n[2] > 1 ? 3 : 2};
  l->stride[0] = 1;
  l->stride[1] = (size_t)n[0];
  l->stride[2] = n[2] > 1 ? (size_t)n[0] * (size_t)n[1] : 0;
  l->count = (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
}

bool dv_mg_open(dvMultigrid *m, const int n[3])
{
  dv_mg_free(m);
  if (n[0] > DV_MG_WIDEST) return false;
  int size[3] = {n[0], n[1], n[2]};
  size_t all = 0;
  for (m->levels = 0; m->levels < DV_MG_LEVELS;) {
    dvMgLevel *l = &m->level[m->levels++];
    lay_level(l, size);
    l->open = 0.1f * (l->axes == 3 ? ldexpf(1, m->levels - 1) : 1);
    all += l->count;
    if (l->count <= SMALL) break;
    int next[3];
    bool same = true;
    for (int d = 0; d < 3; d++) {
      next[d] = d < l->axes ? (size[d] - 1) / 2 + 2 : 1;
      same = same && next[d] == size[d];
    }
    if (same) break;
    memcpy(size, next, sizeof size);
  }
  m->store = dv_try_alloc(FLOATS * all * sizeof *m->store);
  m->bits = dv_try_alloc(all);
  m->mask = dv_try_alloc(((size_t)n[0] + 2) * sizeof *m->mask);
  if (!m->store || !m->bits || !m->mask) {
    dv_mg_free(m);
    return false;
  }
  memset(m->store, 0, FLOATS * all * sizeof *m->store);
  memset(m->bits, 0, all);
  for (int i = 0; i < n[0] + 2; i++) m->mask[i] = i % 2 ? 0.0f : 1.0f;
  float *at = m->store;
  uint8_t *bits = m->bits;
  for (int i = 0; i < m->levels; i++) {
    dvMgLevel *l = &m->level[i];
    float **to[FLOATS] = {&l->c[0], &l->c[1], &l->c[2], &l->e, &l->diag, &l->inverse, &l->x, &l->b, &l->r};
    for (int k = 0; k < FLOATS; k++, at += l->count) *to[k] = at;
    l->links = bits, bits += l->count;
  }
  return true;
}

void dv_mg_free(dvMultigrid *m)
{
  dv_free(m->store), dv_free(m->bits), dv_free(m->mask);
  *m = (dvMultigrid){0};
}

// --- coefficients ---------------------------------------------------------------------------------

typedef struct Job {
  dvMultigrid *m;
  dvMgLevel *l, *coarse;
  int phase;
  bool back;
  const double *from;
  double *to, scale;
} Job;

static void run(const dvMgLevel *l, dvPool *pool, double ns, dvBody body, Job *job)
{
  dv_parallel_for(dv_pool_for(pool, ns * (double)l->count), rows_of(l), ROWS, body, job);
}

static void diagonal_body(void *user, size_t begin, size_t end)
{
  const dvMgLevel *l = ((Job *)user)->l;
  for (size_t i = begin * (size_t)l->n[0]; i < end * (size_t)l->n[0]; i++) {
    unsigned links = 0;
    float sum = l->e[i];
    for (int d = 0; d < l->axes; d++) {
      // borders have no coefficients, except at their inner side
      float low = l->c[d][i], high = i + l->stride[d] < l->count ? l->c[d][i + l->stride[d]] : 0;
      if (low > l->open) links |= 1u << 2 * d;
      if (high > l->open) links |= 2u << 2 * d;
      sum += low + high;
    }
    l->diag[i] = sum > 0 ? sum : 1;
    l->inverse[i] = sum > 0 ? 1 / sum : 0;
    l->links[i] = (uint8_t)(sum > 0 ? links | 64 : 0);
  }
}

// sums of the faces that a coarse face covers, and of the air around the cells that a coarse cell covers
static void coarsen_body(void *user, size_t begin, size_t end)
{
  const Job *job = user;
  const dvMgLevel *f = job->l, *c = job->coarse;
  int depth = f->axes == 3 ? 2 : 1;
  for (size_t row = begin; row < end; row++) {
    int j = (int)(row % (size_t)c->n[1]), k = (int)(row / (size_t)c->n[1]);
    if (j == 0 || j == c->n[1] - 1 || (f->axes == 3 && (k == 0 || k == c->n[2] - 1))) continue;
    for (int i = 1; i < c->n[0] - 1; i++) {
      size_t at = row * (size_t)c->n[0] + (size_t)i;
      size_t z = f->axes == 3 ? (size_t)(2 * k - 1) : 0;
      size_t first = (size_t)(2 * i - 1) + (size_t)f->n[0] * ((size_t)(2 * j - 1) + (size_t)f->n[1] * z);
      float sum[4] = {0};
      for (int n = 0; n < 4 * depth; n++) {
        int side[3] = {n & 1, n >> 1 & 1, n >> 2};
        size_t from = first + (size_t)side[0] + (size_t)side[1] * f->stride[1] + (size_t)side[2] * f->stride[2];
        for (int d = 0; d < f->axes; d++)
          if (!side[d]) sum[d] += f->c[d][from];
        sum[3] += f->e[from];
      }
      for (int d = 0; d < f->axes; d++) c->c[d][at] = 0.5f * sum[d];
      c->e[at] = 0.5f * sum[3];
    }
  }
}

void dv_mg_prepare(dvMultigrid *m, dvPool *pool)
{
  for (int i = 0; i < m->levels; i++) {
    Job job = {.m = m, .l = &m->level[i]};
    run(job.l, pool, 4, diagonal_body, &job);
    if (i + 1 == m->levels) break;
    job.coarse = &m->level[i + 1];
    run(job.coarse, pool, 20, coarsen_body, &job);
  }
}

// --- the cycle ------------------------------------------------------------------------------------

static void smooth_body(void *user, size_t begin, size_t end)
{
  const Job *j = user;
  kernels()->smooth(j->l, j->m->mask, j->phase, j->back, begin, end);
}

static void residual_body(void *user, size_t begin, size_t end) { kernels()->residual(((Job *)user)->l, begin, end); }

static void up_body(void *user, size_t begin, size_t end)
{
  const Job *j = user;
  kernels()->up(j->l, j->coarse, begin, end);
}

static void down_body(void *user, size_t begin, size_t end)
{
  const Job *j = user;
  kernels()->down(j->l, j->coarse, begin, end);
}

static void sweep(Job *job, dvPool *pool, bool back)
{
  job->back = back;
  for (int n = 0; n < 2; n++) {
    job->phase = back ? 1 - n : n;
    run(job->l, pool, 1.5, smooth_body, job);
  }
}

// x of level 0 from its b: x is zero before on every level
static void cycle(dvMultigrid *m, dvPool *pool)
{
  for (int i = 0; i < m->levels; i++) {
    Job job = {.m = m, .l = &m->level[i]};
    if (i + 1 == m->levels) {
      for (int n = 0; n < LAST_SWEEPS; n++) sweep(&job, pool, false);
      for (int n = 0; n < LAST_SWEEPS; n++) sweep(&job, pool, true);
      break;
    }
    sweep(&job, pool, false);
    run(job.l, pool, 2, residual_body, &job);
    job.coarse = &m->level[i + 1];
    run(job.coarse, pool, 20, up_body, &job);
  }
  for (int i = m->levels - 2; i >= 0; i--) {
    Job job = {.m = m, .l = &m->level[i], .coarse = &m->level[i + 1]};
    run(job.l, pool, 2, down_body, &job);
    sweep(&job, pool, true);
  }
}

static void product_body(void *user, size_t begin, size_t end)
{
  const Job *j = user;
  kernels()->product(j->l, j->from, j->to, begin, end);
}

// doubles to floats, scaled so that small residuals keep their digits
static void to_floats_body(void *user, size_t begin, size_t end)
{
  const Job *j = user;
  size_t w = (size_t)j->l->n[0];
  for (size_t i = begin * w; i < end * w; i++) j->l->b[i] = (float)(j->scale * j->from[i]), j->l->x[i] = 0;
}

static void from_floats_body(void *user, size_t begin, size_t end)
{
  const Job *j = user;
  size_t w = (size_t)j->l->n[0];
  for (size_t i = begin * w; i < end * w; i++) j->to[i] = (double)j->l->x[i] / j->scale;
}

int dv_mg_solve(dvMultigrid *m, dvPool *pool, double *x, dvMgWork w, double tolerance, int most, double *residual)
{
  dvMgLevel *l = &m->level[0];
  size_t n = l->count;
  Job job = {.m = m, .l = l};
  double start = dv_norm2(pool, w.r, n), rr, before = 0;
  *residual = 0;
  if (!(start > 0) || !isfinite(start)) return 0;
  // r = b - A x
  dv_fill(pool, 0, w.q, n);
  job.from = x, job.to = w.q;
  run(l, pool, 3, product_body, &job);
  dv_axpy(pool, -1, w.q, w.r, n);
  rr = dv_norm2(pool, w.r, n);
  dv_fill(pool, 0, w.p, n);
  int i = 0;
  for (; i < most && rr > tolerance * tolerance * start; i++) {
    job.scale = 1 / sqrt(rr / (double)n);
    job.from = w.r, job.to = w.q;
    run(l, pool, 1, to_floats_body, &job);
    cycle(m, pool);
    run(l, pool, 1, from_floats_body, &job);   // q is z for a moment
    double rz = dv_dot(pool, w.r, w.q, n);
    if (!(rz > 0)) break;
    dv_xpay(pool, w.q, before > 0 ? rz / before : 0, w.p, n);
    before = rz;
    job.from = w.p, job.to = w.q;
    run(l, pool, 3, product_body, &job);
    double pq = dv_dot(pool, w.p, w.q, n);
    if (!(pq > 0)) break;
    rr = dv_cg_step(pool, rz / pq, w.p, w.q, x, w.r, n);
  }
  *residual = sqrt(rr / start);
  return i;
}
