// Between assembly.c, assembly_sink.c and assembly_fixed.c.
#ifndef DV_LINEAR_SYSTEM_ASSEMBLY_WORK_H
#define DV_LINEAR_SYSTEM_ASSEMBLY_WORK_H

#include "linear/system/assembly.h"
#include "linear/system/project.h"
#include "math/block_matrix_kernels.h"

#include <stdalign.h>
#include <stddef.h>

// A sum of elements among the contributions: which one, and its pairs.
typedef struct dvSumRecord {
  uint64_t stamp;
  size_t first, count;
} dvSumRecord;

// Blocks of the matrix that stand one after the other.
typedef struct dvBlockRun {
  size_t first, count;
} dvBlockRun;

// An entry of the matrix and its row.
typedef struct dvHeldBlock {
  int32_t entry, row;
} dvHeldBlock;

// A sum of elements that is yet to be added.
typedef struct dvLateSum {
  struct dvElementSum *sum;
  dvElementSumFill fill;
  const int32_t *places;
  alignas(max_align_t) unsigned char user[DV_SUM_USER];
} dvLateSum;

// A sequence of contributions: the pair of degrees of freedom of each, in the order they come, and where they go.
typedef struct dvSequence {
  dvPairs pairs;
  DV_ARRAY(int32_t) places;
  DV_ARRAY(dvSumRecord) sums;
} dvSequence;

typedef struct dvAssemblyWork {
  const dvPlan *plan;
  unsigned version;
  dvAssemblyParts parts;
  bool recorded;
  bool warned, warned_mixed;   // about forces without a matrix; about constraints
  dvSequence stiffness, jacobian;
  DV_ARRAY(dvBlockRun) runs;   // what a pass clears before it adds
  DV_ARRAY(dvLateSum) late;    // what dv_assembly_finish adds
  bool late_rows;              // and whether it then clears the rows that constraints hold
  dvProjection projection;
  DV_ARRAY(int) width;            // scalars of each degree of freedom
  DV_ARRAY(int32_t) block_row;    // first block row of each main degree of freedom
  DV_ARRAY(int32_t) table;        // states by address: open addressing, index + 1
  DV_ARRAY(unsigned char) mask;   // fixed scalars of each block row, as bits
  DV_ARRAY(dvHeldBlock) held;     // entries in rows and columns of fixed scalars
  unsigned held_stamp;            // of the pattern they belong to
  DV_ARRAY(double) from, to;      // flat vectors of products
  DV_ARRAY(double) probe;         // what constraints are asked about, for the longest of the main states
} dvAssemblyWork;

typedef struct dvAssemblySink {
  dvMatrixSink base;
  dvAssembly *a;
  dvSequence *sequence;
  dvRagged *ragged;   // where blocks of mapped pairs go
  bool recording, changed;
  size_t next, next_sum;
  const dvAssemblyState *row, *col;   // of the last call: the next one is mostly the same
  const dvBlockMatrixKernels *kernels;
  const char *bad;   // what is wrong with an entry
} dvAssemblySink;

dvAssemblySink dv_assembly_sink(dvAssembly *a, dvSequence *sequence, dvRagged *ragged, bool recording);
// Adds the block of two degrees of freedom to the matrix; `place` is its first block.
void dv_assembly_add_block(dvAssembly *a, int32_t place, size_t row, int rows, int cols, const double *values);

// Finds which scalars projective constraints hold, and clears their rows and columns once everything has been added.
void dv_assembly_fix(dvAssembly *a, const dvObject *owner, dvPlan *plan);
void dv_assembly_clear_fixed(dvAssembly *a, dvPool *pool);

static inline size_t dv_assembly_slot(const dvAssemblyWork *w, const dvState *s)
{
  return (size_t)(((uintptr_t)s >> 4) * 0x9e3779b97f4a7c15u >> 20) & (w->table.count - 1);
}
// NULL when the state is not part of the system.
const dvAssemblyState *dv_assembly_find(const dvAssembly *a, const dvState *s);

#endif
