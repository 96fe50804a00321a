// What the machine can do, measured: the limits that kernels are held against, and an index to compare timings
// that were taken on different machines or at different hours.
#ifndef DV_APP_MACHINE_H
#define DV_APP_MACHINE_H

#include "base/isa.h"
#include "base/pool.h"

enum { DV_BANDWIDTHS = 7 };

typedef struct dvMachine {
  char cpu[128];                   // name of the processor
  int cores, threads;              // cores of the machine; threads that took part
  double gflops;                   // 10^9 multiplications and additions of doubles a second
  double gbytes[DV_BANDWIDTHS];    // GB/s of a[i] += s b[i], three numbers each, by working set
  double reading[DV_BANDWIDTHS];   // GB/s of a sum of a[i], by working set
  double branch_ns;                // an item of integer work with a branch that cannot be foreseen
} dvMachine;

// Working sets of the bandwidths in kB, from what fits into the first level of the cache to what fits into none.
extern const int dv_bandwidth_kb[DV_BANDWIDTHS];

// Takes about a second. All threads of the pool take part (NULL: one).
void dv_machine_measure(dvMachine *m, dvPool *pool);
// One number, smaller is faster: the geometric mean of arithmetic, branches and memory, about 1 on a machine of 2023.
// Time on machine A, scaled to machine B, is time_A * index_B / index_A.
double dv_machine_index(const dvMachine *m);
// Bandwidth for a working set of this many bytes, between the measured ones; of loops that only read, or of those that
// write too.
double dv_machine_gbytes(const dvMachine *m, double bytes, bool reads_only);

// Seconds of one call, the best of many: batches of calls that last `batch` seconds are timed until `total` seconds
// have passed.
double dv_best_seconds(void (*call)(void *user), void *user, double batch, double total);

// --- inner loops ---

typedef struct dvMachineKernels {
  double (*arithmetic)(size_t rounds);   // DV_ARITHMETIC_FLOPS operations a round
  void (*stream)(double *a, const double *b, double s, size_t n);
  double (*read)(const double *a, size_t n);
} dvMachineKernels;
enum { DV_ARITHMETIC_FLOPS = 12 * 4 * 2 };

DV_KERNEL_DECLARE(dvMachineKernels, dv_machine_kernels);

#endif
