// Loading and starting the module with PETSc. See engine.h and base/module.h.
#include "distributed/engine.h"

#include "base/module.h"

#include <pthread.h>

static const dvModule petsc = {
    .what = "PETSc",
    .file = "libdivan_petsc.so",
    .variable = "DIVAN_PETSC_MODULE",
    .symbol = DV_ENGINE_SYMBOL,
    .advice = "install it (Debian: tools/setup petsc, or apt install petsc-dev openmpi-bin) and build again, or use "
              "SparseLDLSolver or CGLinearSolver, which need nothing",
    .abi = DV_ENGINE_ABI,
    .global = true,   // MPI finds parts of itself by name
};

static const dvEngine *load(dvText *why, dvText *advice)
{
  const dvEngine *e = dv_module_load(&petsc, why, advice);
  char error[DV_ENGINE_TEXT] = "";
  if (!e || e->start(error)) return e;
  dv_text_printf(why, "PETSc does not start: %s", error);
  return NULL;   // the library stays: PETSc cannot be started twice
}

const dvEngine *dv_engine_get(dvText *why, dvText *advice)
{
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static const dvEngine *engine;   // of the process: MPI exists once in it
  pthread_mutex_lock(&lock);
  if (!engine) engine = load(why, advice);
  pthread_mutex_unlock(&lock);
  return engine;
}
