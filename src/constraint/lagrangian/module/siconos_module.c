// Siconos behind the table of siconos_table.h. This is all that is linked with it.
//
// Its solvers keep work space in variables of the library, so that calls come one after the other; where one cannot go
// on it jumps out (sn_error_handling.h) instead of returning.
#include "constraint/lagrangian/siconos_table.h"

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsVerbose.h>
#include <SolverOptions.h>
#include <pthread.h>
#include <sn_error_handling.h>
#include <stdio.h>
#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))

static const int methods[] = {SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_NSN_AC, SICONOS_FRICTION_3D_PROX,
                              SICONOS_FRICTION_3D_TFP};

static void run(dvSiconosProblem *p, double *u, SolverOptions *options, dvSiconosOutcome *out)
{
  const int rows = (int)(3 * p->contacts);
  options->iparam[SICONOS_IPARAM_MAX_ITER] = p->most;
  options->dparam[SICONOS_DPARAM_TOL] = p->tolerance;
  NumericsMatrix *w = NM_create_from_data(NM_DENSE, rows, rows, p->w);
  FrictionContactProblem *problem = frictionContactProblem_new_with_data(3, (int)p->contacts, w, p->q, p->mu);
  fc3d_driver(problem, p->r, u, options);
  out->iterations = options->iparam[SICONOS_IPARAM_ITER_DONE];
  out->residual = options->dparam[SICONOS_DPARAM_RESIDU];
  w->matrix0 = NULL;   // the arrays are the caller's
  NM_clear(w);
  free(w);
  free(problem);
}

// False after a jump; what that leaves behind is lost, a few kilobytes a time.
static bool guarded(dvSiconosProblem *p, double *u, SolverOptions *options, dvSiconosOutcome *out)
{
  if (SN_SETJMP_EXTERNAL_START != SN_NO_ERROR) return false;
  run(p, u, options, out);
  SN_SETJMP_EXTERNAL_STOP
  return true;
}

static void tell(char *error)
{
  snprintf(error, DV_SICONOS_TEXT, "%s", sn_fatal_error_msg());
  for (char *c = error; *c; c++)
    if (*c == '\n' || *c == '\t') *c = ' ';
}

static bool solve(dvSiconosProblem *p, dvSiconosOutcome *out, char *error)
{
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  double *u = calloc(3 * p->contacts, sizeof *u);
  *out = (dvSiconosOutcome){0};
  if (!u) return snprintf(error, DV_SICONOS_TEXT, "out of memory"), false;
  pthread_mutex_lock(&lock);
  numerics_set_verbose(0);
  SolverOptions *options = solver_options_create(methods[p->method]);
  const bool good = guarded(p, u, options, out);
  if (!good) tell(error);
  else solver_options_delete(options), free(options);
  pthread_mutex_unlock(&lock);
  free(u);
  return good;
}

EXPORT const void *divan_siconos_table(void);

const void *divan_siconos_table(void)
{
  static const dvSiconos table = {.abi = DV_SICONOS_ABI, .solve = solve};
  return &table;
}
