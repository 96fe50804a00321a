// Solves recorded contact problems with Siconos (Apache-2.0): u = W r + q, Signorini's condition and Coulomb's law at
// every contact. A program of its own, never part of divan: it brings a dozen libraries along.
//
//   oracle_friction FILE    one line a problem: the error that Siconos measures, then the impulses r
//
// FILE: for each problem the number of contacts (64 bit), then mu, W (3n x 3n) and q (3n) as doubles; a contact has the
// rows normal, tangent, tangent.
#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <fc3d_Solvers.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static double solve(FrictionContactProblem *p, int solver, int most, double *r, double *u)
{
  SolverOptions *options = solver_options_create(solver);
  options->iparam[SICONOS_IPARAM_MAX_ITER] = most;
  options->dparam[SICONOS_DPARAM_TOL] = 1e-11;
  fc3d_driver(p, r, u, options);
  double error = options->dparam[SICONOS_DPARAM_RESIDU];
  solver_options_delete(options);
  free(options);
  return error;
}

static int one(FILE *f)
{
  int64_t n;
  if (fread(&n, sizeof n, 1, f) != 1) return 0;
  size_t rows = 3 * (size_t)n;
  double mu, *w = malloc(rows * rows * sizeof *w), *q = malloc(rows * sizeof *q),
             *mus = malloc((size_t)n * sizeof *mus);
  double *r = calloc(rows, sizeof *r), *u = calloc(rows, sizeof *u);
  int good = fread(&mu, sizeof mu, 1, f) == 1 && fread(w, sizeof *w, rows * rows, f) == rows * rows &&
             fread(q, sizeof *q, rows, f) == rows;
  if (good) {
    for (int64_t i = 0; i < n; i++) mus[i] = mu;
    NumericsMatrix *m = NM_create_from_data(NM_DENSE, (int)rows, (int)rows, w);
    FrictionContactProblem *p = frictionContactProblem_new_with_data(3, (int)n, m, q, mus);
    double error = solve(p, SICONOS_FRICTION_3D_NSGS, 10000, r, u);
    if (!(error <= 1e-9)) error = solve(p, SICONOS_FRICTION_3D_NSN_AC, 1000, r, u);
    printf("%.3g", error);
    for (size_t i = 0; i < rows; i++) printf(" %.17g", r[i]);
    printf("\n");
    free(p);
    free(m);
  }
  free(w), free(q), free(mus), free(r), free(u);
  return good;
}

int main(int argc, char **argv)
{
  FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
  if (!f) return fprintf(stderr, "usage: oracle_friction FILE\n"), 2;
  while (one(f)) {
  }
  fclose(f);
  return 0;
}
