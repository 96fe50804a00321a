// See machine.h.
#include "app/machine.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/simd.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const int dv_bandwidth_kb[DV_BANDWIDTHS] = {24, 96, 384, 1536, 6144, 24576, 98304};

double dv_machine_gbytes(const dvMachine *m, double bytes, bool reads_only)
{
  const double *rate = reads_only ? m->reading : m->gbytes;
  double kb = bytes / 1024;
  if (kb <= dv_bandwidth_kb[0]) return rate[0];
  for (int i = 1; i < DV_BANDWIDTHS; i++) {
    if (kb > dv_bandwidth_kb[i]) continue;
    double part = log(kb / dv_bandwidth_kb[i - 1]) / log((double)dv_bandwidth_kb[i] / dv_bandwidth_kb[i - 1]);
    return rate[i - 1] * pow(rate[i] / rate[i - 1], part);
  }
  return rate[DV_BANDWIDTHS - 1];
}

double dv_best_seconds(void (*call)(void *user), void *user, double batch, double total)
{
  call(user);   // touches its memory
  size_t calls = 1;
  double best = INFINITY, began = dv_now();
  for (;;) {
    double start = dv_now();
    for (size_t i = 0; i < calls; i++) call(user);
    double now = dv_now(), each = (now - start) / (double)calls;
    if (now - start >= batch) best = dv_min(best, each);
    else if (now - start < batch / 2) calls *= 2;
    else calls += calls / 2 + 1;
    if (isfinite(best) && now - began > total) return best;
  }
}

// --- the loops -----------------------------------------------------------------------------------

static _Atomic double sink;   // results go here, so that no loop can be left out

typedef struct Probe {
  const dvMachineKernels *kernels;
  dvPool *pool;
  double *a, *b;   // one piece a thread
  size_t each;     // numbers in a piece
  int threads;
} Probe;

enum { ROUNDS = 20000 };

static void arithmetic_body(void *user, size_t begin, size_t end)
{
  const Probe *p = user;
  for (size_t i = begin; i < end; i++) sink = p->kernels->arithmetic(ROUNDS);
}

static void arithmetic(void *user)
{
  Probe *p = user;
  dv_parallel_for(p->pool, (size_t)p->threads, 1, arithmetic_body, p);
}

// small sets are gone through often enough that handing over work does not count
static size_t passes_of(const Probe *p) { return 1 + (1u << 16) / p->each; }

static void stream_body(void *user, size_t begin, size_t end)
{
  const Probe *p = user;
  size_t passes = passes_of(p);
  for (size_t i = begin; i < end; i++)
    for (size_t k = 0; k < passes; k++) p->kernels->stream(p->a + i * p->each, p->b + i * p->each, 1e-9, p->each);
}

static void stream(void *user)
{
  Probe *p = user;
  dv_parallel_for(p->pool, (size_t)p->threads, 1, stream_body, p);
}

static void reading_body(void *user, size_t begin, size_t end)
{
  const Probe *p = user;
  size_t passes = passes_of(p);
  for (size_t i = begin; i < end; i++)
    for (size_t k = 0; k < passes; k++) sink = p->kernels->read(p->a + i * p->each, p->each);
}

static void reading(void *user)
{
  Probe *p = user;
  dv_parallel_for(p->pool, (size_t)p->threads, 1, reading_body, p);
}

// a[i] += s b[i] on two halves of the working set, then a sum over all of it
static void measure_bandwidth(Probe *p, size_t bytes, double *both, double *read)
{
  size_t half = dv_max_size(bytes / 16 / (size_t)p->threads / 32, 1) * 32, numbers = half * (size_t)p->threads;
  p->a = dv_alloc_aligned((2 * numbers + DV_PREFETCH) * sizeof(double));
  *both = *read = 0;
  if (!p->a) return;
  for (size_t i = 0; i < 2 * numbers; i++) p->a[i] = 1;
  p->b = p->a + numbers;
  p->each = half;
  *both = 24e-9 * (double)(numbers * passes_of(p)) / dv_best_seconds(stream, p, 1e-4, 0.1);
  p->each = 2 * half;
  *read = 16e-9 * (double)(numbers * passes_of(p)) / dv_best_seconds(reading, p, 1e-4, 0.1);
  dv_free(p->a);
}

enum { ITEMS = 1 << 14 };

static void branches(void *user)
{
  const uint32_t *items = user;
  uint32_t hash = 2166136261u, at = 0;
  for (uint32_t i = 0; i < ITEMS; i++) {
    uint32_t item = items[(at + i) % ITEMS];
    if (item & 64) hash = (hash ^ item) * 16777619u;
    else hash = (hash << 5 | hash >> 27) + (item >> 7);
    at = hash & 255;
  }
  sink = hash;
}

static double measure_branches(void)
{
  uint32_t *items = dv_alloc(ITEMS * sizeof *items);
  uint64_t seed = 1;
  for (int i = 0; i < ITEMS; i++) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    items[i] = (uint32_t)(seed >> 32);
  }
  double ns = 1e9 * dv_best_seconds(branches, items, 1e-4, 0.1) / ITEMS;
  dv_free(items);
  return ns;
}

static void read_cpu_name(char *out, size_t size)
{
  char *text = dv_file_read("/proc/cpuinfo", NULL), *line = text ? strstr(text, "model name") : NULL,
       *colon = line ? strchr(line, ':') : NULL;
  snprintf(out, size, "%s", colon ? colon + 2 : "unknown processor");
  out[strcspn(out, "\n")] = 0;
  dv_free(text);
}

void dv_machine_measure(dvMachine *m, dvPool *pool)
{
  *m = (dvMachine){.cores = (int)sysconf(_SC_NPROCESSORS_ONLN), .threads = dv_pool_threads(pool)};
  read_cpu_name(m->cpu, sizeof m->cpu);
  Probe p = {.kernels = DV_KERNEL_CHOOSE(dv_machine_kernels), .pool = pool, .threads = m->threads};
  m->gflops = 1e-9 * DV_ARITHMETIC_FLOPS * ROUNDS * m->threads / dv_best_seconds(arithmetic, &p, 1e-4, 0.15);
  for (int i = 0; i < DV_BANDWIDTHS; i++)
    measure_bandwidth(&p, (size_t)dv_bandwidth_kb[i] << 10, &m->gbytes[i], &m->reading[i]);
  m->branch_ns = measure_branches();
}

double dv_machine_index(const dvMachine *m)
{
  double memory = m->gbytes[DV_BANDWIDTHS - 1];
  return cbrt(50 * m->threads / m->gflops * (m->branch_ns / 4) * (18 / memory));
}
