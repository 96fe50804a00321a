// PETSc and MPI as the rest sees them: a table of functions out of a library of its own (module/), which is loaded when
// a scene or an option asks for it. Neither the command nor libdivan is linked with them.
//
// Numbers that come from all processes are summed in the order of their ranks, so that each of them has the same bits.
#ifndef DV_DISTRIBUTED_ENGINE_H
#define DV_DISTRIBUTED_ENGINE_H

#include "base/text.h"

enum { DV_ENGINE_ABI = 1, DV_ENGINE_TEXT = 400 };
#define DV_ENGINE_SYMBOL "divan_engine_table"

typedef enum dvEngineFormat { DV_ENGINE_AIJ, DV_ENGINE_BAIJ, DV_ENGINE_SBAIJ } dvEngineFormat;

// A matrix of blocks in compressed rows (math/block_matrix.h), as far as it is this process's.
typedef struct dvEngineMatrix {
  int block;                   // scalars a side of a block
  size_t rows;                 // rows of blocks of this process: the first ones of the pattern
  const int32_t *starts;       // of the rows; one more than there are
  const int32_t *columns;      // blocks, as this process counts them
  const double *values;        // block by block, each row by row
  const int64_t *global;       // how all count the columns; NULL: there is one process
  const double *coordinates;   // 3 for each row of blocks: where near-rigid motions come from; NULL: none
  unsigned pattern;            // moves when starts or columns change
} dvEngineMatrix;

// How a solve ended.
typedef struct dvEngineSolve {
  int iterations;
  double residual;   // the norm that it ended with
  bool converged;
  bool broke_down;      // it cannot go on: not definite, no number, the preconditioner failed
  const char *reason;   // in PETSc's words
} dvEngineSolve;

typedef struct dvEngineSolver dvEngineSolver;
typedef struct dvEngineHalo dvEngineHalo;

// Functions that can fail return false and put what PETSc says into `error`, of DV_ENGINE_TEXT characters.
typedef struct dvEngine {
  uint32_t abi;
  // MPI and PETSc, once a process; `all`: solvers work over all processes that were started together
  bool (*start)(char *error);
  int (*rank)(void);
  int (*size)(void);
  const char *(*version)(void);

  dvEngineSolver *(*solver_create)(const char *options, dvEngineFormat format, bool all, char *error);
  bool (*solver_set)(dvEngineSolver *s, const dvEngineMatrix *m, char *error);
  // x holds where it starts; both have the scalars of this process's rows
  bool (*solver_solve)(dvEngineSolver *s, double *x, const double *rhs, dvEngineSolve *how, char *error);
  // options that nothing has asked for, separated by spaces; "" when all were
  const char *(*solver_unused)(dvEngineSolver *s);
  void (*solver_destroy)(dvEngineSolver **s);

  // Points of this process come first, then those of others: rank of their owner and their number there.
  dvEngineHalo *(*halo_create)(size_t owned, size_t others, const int32_t *owner, const int32_t *number, char *error);
  bool (*halo_update)(dvEngineHalo *h, double *values, int width, char *error);
  void (*halo_destroy)(dvEngineHalo **h);

  double (*sum)(double value);
  int (*worst)(int status);                       // the largest
  void (*broadcast)(void *bytes, size_t count);   // of rank 0
  // The pieces of all ranks one behind the other, at rank 0 only; `out` has room for them there.
  void (*gather)(const void *bytes, size_t count, void *out, const size_t *counts);
  // For each entry the smallest value of all processes and the rank that has it, the lowest where several do.
  void (*best)(double *values, int32_t *ranks, size_t count);
  void (*collect)(double *values, size_t count);   // sums at rank 0, in place
  void (*abort)(int status);                       // ends all processes
} dvEngine;

// The table, or NULL after `why` and `advice` were told; loaded and started at the first call.
const dvEngine *dv_engine_get(dvText *why, dvText *advice);

#endif
