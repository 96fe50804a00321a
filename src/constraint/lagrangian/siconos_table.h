// Siconos as the rest sees it: a table out of a module of its own (module/siconos_module.c), which is loaded when a
// scene asks for it (base/module.h).
#ifndef DV_CONSTRAINT_LAGRANGIAN_SICONOS_TABLE_H
#define DV_CONSTRAINT_LAGRANGIAN_SICONOS_TABLE_H

#include "base/base.h"

enum { DV_SICONOS_ABI = 1, DV_SICONOS_TEXT = 300 };
#define DV_SICONOS_SYMBOL "divan_siconos_table"

// In the order of the field `method`.
typedef enum dvSiconosMethod {
  DV_SICONOS_NSGS,     // nonsmooth Gauss-Seidel
  DV_SICONOS_NSN_AC,   // nonsmooth Newton, Alart and Curnier's function
  DV_SICONOS_PROX,     // proximal point
  DV_SICONOS_TFP,      // fixed point on Tresca's threshold
} dvSiconosMethod;

// u = W r + q at contacts of three rows, the first along the normal: 0 <= u_n, 0 <= r_n, u_n r_n = 0, and Coulomb's
// law.
typedef struct dvSiconosProblem {
  size_t contacts;
  double *w;   // 3 contacts x 3 contacts, symmetric
  double *q, *mu;
  double *r;          // where it begins, and what is found
  double tolerance;   // of the residual in proportion to the length of q
  int most;           // iterations
  dvSiconosMethod method;
} dvSiconosProblem;

typedef struct dvSiconosOutcome {
  int iterations;
  double residual;   // that Siconos measures, in proportion to the length of q
} dvSiconosOutcome;

typedef struct dvSiconos {
  uint32_t abi;
  // False when Siconos gave up, with what it says in `error` of DV_SICONOS_TEXT characters. One call at a time, the
  // others wait.
  bool (*solve)(dvSiconosProblem *p, dvSiconosOutcome *out, char *error);
} dvSiconos;

#endif
