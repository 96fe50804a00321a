// Finding and loading the module with PETSc. See engine.h.
//
// Looked for: the file of DIVAN_PETSC_MODULE (empty: none), then beside the program, above it (tests), and where it is
// installed. A scene can ask for it but not say where it is.
#include "distributed/engine.h"

#include "base/file.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MODULE "libdivan_petsc.so"

static const char how_to_get_it[] =
    "install it (Debian: tools/setup petsc, or apt install petsc-dev openmpi-bin) and build again, or use "
    "SparseLDLSolver or CGLinearSolver, which need nothing";

static char *find_module(void)
{
  const char *named = getenv("DIVAN_PETSC_MODULE");
  if (named) return *named ? dv_strdup(named) : NULL;
  static const char *const places[] = {"", "../", DIVAN_LIB_FROM_BIN "/divan/"};
  char self[4096];
  const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  self[n > 0 ? n : 0] = 0;
  char *directory = dv_path_directory(self), *found = NULL;
  for (size_t i = 0; i < DV_COUNT(places) && !found && n > 0; i++) {
    char *path = dv_format("%s/%s" MODULE, directory, places[i]);
    if (dv_file_is_regular(path)) found = path;
    else dv_free(path);
  }
  dv_free(directory);
  if (!found && dv_file_is_regular(DIVAN_LIB_DIR "/divan/" MODULE)) found = dv_strdup(DIVAN_LIB_DIR "/divan/" MODULE);
  return found;
}

static const dvEngine *load(dvText *why, dvText *advice)
{
  char *path = find_module();
  if (!path) {
    dv_text_add(why, "PETSc is not built in (there is no " MODULE ")");
    dv_text_add(advice, how_to_get_it);
    return NULL;
  }
  // MPI finds parts of itself by name: global
  void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  const char *complaint = library ? NULL : dlerror();
  void *symbol = library ? dlsym(library, DV_ENGINE_SYMBOL) : NULL;
  const dvEngine *(*table)(void);
  memcpy(&table, &symbol, sizeof table);
  const dvEngine *e = table ? table() : NULL;
  if (!library) dv_text_printf(why, "PETSc cannot be loaded: %s", complaint);
  else if (!e || e->abi != DV_ENGINE_ABI) dv_text_printf(why, "%s belongs to another version of divan", path);
  char error[DV_ENGINE_TEXT] = "";
  if (!why->length && !e->start(error)) dv_text_printf(why, "PETSc does not start: %s", error);
  dv_text_add(advice, !library ? how_to_get_it : "build it again, together with the program");
  dv_free(path);
  return why->length ? NULL : e;   // a library that was loaded stays: PETSc cannot be started twice
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
