// Modules: libraries of our own beside the program that are linked with what not everybody has (PETSc, Siconos), and
// loaded when a scene or an option asks for them. Neither the command nor libdivan is linked with them.
#ifndef DV_BASE_MODULE_H
#define DV_BASE_MODULE_H

#include "base/text.h"

typedef struct dvModule {
  const char *what;       // it brings, for messages: "PETSc"
  const char *file;       // "libdivan_petsc.so"
  const char *variable;   // of the environment: the file to take instead; empty: none
  const char *symbol;     // a function without arguments that returns the table
  const char *advice;     // how to get it, and what does without
  uint32_t abi;           // what the table begins with
  bool global;            // its symbols are seen by what it loads in turn
} dvModule;

// The table of a module, which begins with its uint32_t abi, or NULL after `why` and `advice` were told. A library that
// was loaded stays. A scene can ask for a module but not say where it is.
const void *dv_module_load(const dvModule *m, dvText *why, dvText *advice);

#endif
