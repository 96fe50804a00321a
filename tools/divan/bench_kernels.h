// What the files of `divan bench kernels` share.
#ifndef DIVAN_BENCH_KERNELS_H
#define DIVAN_BENCH_KERNELS_H

#include "bench.h"

typedef struct Loop {
  const char *name;
  size_t elements;
  double flops, bytes;   // of one element; both 0: no limit is known
  double changed;        // bytes that count twice because they are read and written
  void (*call)(void *user);
  void *user;
} Loop;

// Loops of one number of threads.
typedef struct Series {
  const Bench *bench;
  dvPool *pool;
  dvMachine limits;
  json_t *out;
} Series;

// Measures a loop and adds it to the results, if it is wanted.
void bench_time_loop(Series *s, Loop l);
// The same for a loop that writes next to nothing: it is held against the speed of reading.
void bench_time_reading(Series *s, Loop l);
// n numbers that differ a little; the caller frees them.
double *bench_filled(size_t n, double from);
void bench_time_mappings(Series *s);
void bench_time_matrices(Series *s);
void bench_hyper(Series *s, const Box *box);
void bench_time_setup(Series *s);

#endif
