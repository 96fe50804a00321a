// See element_sum.h.
#include "math/element_sum.h"

#include <string.h>

enum {
  BORDER_GRAIN = 512,   // entries a thread takes at a time
  PAIR_NS = 5,          // about what a pair of corners takes
  LINE = 8              // doubles of a line of the cache
};

void dv_element_sum_destroy(dvElementSum **sum)
{
  dvElementSum *s = *sum;
  if (!s) return;
  dv_free(s->blocks);
  dv_free(s->point);
  dv_free(s->entry);
  dv_free(s->order);
  dv_free(s->corner);
  dv_free(s->own);
  dv_free(s->own_start);
  dv_free(s->rank);
  dv_free(s->start);
  dv_free(s->slot);
  dv_free(s->kept);
  dv_free(s->memory);
  dv_free(s->busy);
  dv_free(s->total);
  dv_free(s);
  *sum = NULL;
}

// --- running ---

typedef struct Run {
  dvElementSum *s;
  const dvElementSumKernels *kernels;
  dvElementFill fill;
  const void *user;
  double *values;
  const int32_t *places;
} Run;

// Rows of sums may not cross lines of the cache, so buffers start at one.
static void make_buffers(dvElementSum *s, int threads)
{
  if (s->buffers >= threads) return;
  dv_free(s->memory);
  dv_free(s->busy);
  s->room = (s->room + LINE - 1) / LINE * LINE;
  s->memory = dv_alloc((s->room * (size_t)threads + LINE) * sizeof *s->memory);
  s->busy = dv_alloc((size_t)threads * sizeof *s->busy);
  s->buffer = s->memory + (LINE - (uintptr_t)s->memory / sizeof *s->memory % LINE) % LINE;
  s->buffers = threads;
  for (int i = 0; i < threads; i++) atomic_init(&s->busy[i], false);
}

// There is a buffer for every thread: one is free. Which one does not matter, all hold zeros.
static int take_buffer(dvElementSum *s)
{
  for (int i = 0;; i = (i + 1) % s->buffers)
    if (!atomic_exchange(&s->busy[i], true)) return i;
}

static void run_blocks(void *user, size_t begin, size_t end)
{
  const Run *r = user;
  dvElementSum *s = r->s;
  int buffer = take_buffer(s);
  double *local = s->buffer + s->room * (size_t)buffer;
  for (size_t b = begin; b < end; b++) {
    r->fill(r->user, s, b, local);
    r->kernels->inner(s, b, local, r->values, r->places);
    memset(local + DV_SUM_STRIDE * ((size_t)s->blocks[b].inner + s->blocks[b].border), 0,
           DV_SUM_STRIDE * sizeof *local);   // of no element
  }
  atomic_store(&s->busy[buffer], false);
}

static void run_border(void *user, size_t begin, size_t end)
{
  const Run *r = user;
  r->kernels->border(r->s, begin, end, r->values, r->places);
}

void dv_element_sum_run(dvElementSum *sum, dvPool *pool, dvElementFill fill, const void *user, double *values,
                        const int32_t *places)
{
  size_t lanes = sum->count ? sum->blocks[sum->count - 1].first_lane + sum->blocks[sum->count - 1].lanes : 0;
  pool = dv_pool_for(pool, PAIR_NS * (double)(lanes * sum->pairs));
  make_buffers(sum, dv_pool_threads(pool));
  Run run = {sum, DV_KERNEL_CHOOSE(dv_element_sum_kernels), fill, user, values, places};
  dv_parallel_for(pool, sum->count, 1, run_blocks, &run);
  dv_parallel_for(pool, sum->entries - sum->inner, BORDER_GRAIN, run_border, &run);
}

const double *dv_element_sum_total(dvElementSum *sum, dvPool *pool, dvElementFill fill, const void *user)
{
  if (!sum->total) sum->total = dv_alloc((9 * sum->entries + 1) * sizeof *sum->total);
  dv_element_sum_run(sum, pool, fill, user, sum->total, NULL);
  return sum->total;
}
