// Times other direct solvers on a matrix that `divan bench linear` has written: CHOLMOD (supernodal) and MUMPS, with
// OpenBLAS. A program of its own, never part of divan: CHOLMOD's supernodal part is GPL.
//
//   oracle_direct FILE THREADS REPEATS    one line a solver: name, seconds of analysis, factorisation, its CPU,
//   solution, its CPU, |A x - b| / |b|, x[0]
//
// FILE: numbers of rows and entries (64 bit), then column starts, rows (32 bit) and values of the lower triangle.
#include <cholmod.h>
#include <dmumps_c.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void openblas_set_num_threads(int n);

typedef struct Matrix {
  int64_t n, count;
  int32_t *start, *row;
  double *value, *rhs, *x;
} Matrix;

typedef struct Times {
  double analysis, factor, cpu, solution, solution_cpu;
} Times;

static double seconds(clockid_t clock)
{
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static double wall(void) { return seconds(CLOCK_MONOTONIC); }
static double cpu(void) { return seconds(CLOCK_PROCESS_CPUTIME_ID); }
static void least(double *a, double b) { *a = b < *a ? b : *a; }

static int load(Matrix *m, const char *path)
{
  FILE *f = fopen(path, "rb");
  if (!f || fread(&m->n, 8, 1, f) != 1 || fread(&m->count, 8, 1, f) != 1) return 0;
  size_t n = (size_t)m->n, count = (size_t)m->count;
  m->start = malloc((n + 1) * 4), m->row = malloc(count * 4), m->value = malloc(count * 8), m->rhs = malloc(n * 8),
  m->x = calloc(n, 8);
  int good = fread(m->start, 4, n + 1, f) == n + 1 && fread(m->row, 4, count, f) == count &&
             fread(m->value, 8, count, f) == count;
  fclose(f);
  for (size_t i = 0; i < n; i++) m->rhs[i] = sin(0.37 * (double)i);
  return good;
}

static double residual(const Matrix *m)
{
  double *r = malloc((size_t)m->n * 8), most = 0, given = 0;
  memcpy(r, m->rhs, (size_t)m->n * 8);
  for (int64_t j = 0; j < m->n; j++)
    for (int32_t e = m->start[j]; e < m->start[j + 1]; e++) {
      r[m->row[e]] -= m->value[e] * m->x[j];
      if (m->row[e] != j) r[j] -= m->value[e] * m->x[m->row[e]];
    }
  for (int64_t i = 0; i < m->n; i++) most = fmax(most, fabs(r[i])), given = fmax(given, fabs(m->rhs[i]));
  free(r);
  return most / given;
}

static void tell(const char *name, Times t, const Matrix *m)
{
  printf("%s %.6g %.6g %.6g %.6g %.6g %.3g %.17g\n", name, t.analysis, t.factor, t.cpu, t.solution, t.solution_cpu,
         residual(m), m->x[0]);
  fflush(stdout);
}

static void run_cholmod(Matrix *m, int repeats)
{
  cholmod_common c;
  cholmod_start(&c);
  c.supernodal = CHOLMOD_SUPERNODAL;
  cholmod_sparse a = {.nrow = (size_t)m->n,
                      .ncol = (size_t)m->n,
                      .nzmax = (size_t)m->count,
                      .p = m->start,
                      .i = m->row,
                      .x = m->value,
                      .stype = -1,
                      .itype = CHOLMOD_INT,
                      .xtype = CHOLMOD_REAL,
                      .dtype = CHOLMOD_DOUBLE,
                      .sorted = 1,
                      .packed = 1};
  cholmod_dense b = {.nrow = (size_t)m->n,
                     .ncol = 1,
                     .nzmax = (size_t)m->n,
                     .d = (size_t)m->n,
                     .x = m->rhs,
                     .xtype = CHOLMOD_REAL,
                     .dtype = CHOLMOD_DOUBLE};
  cholmod_dense *x = NULL, *y = NULL, *e = NULL;
  Times t = {wall(), 1e99, 1e99, 1e99, 1e99};
  cholmod_factor *l = cholmod_analyze(&a, &c);
  t.analysis = wall() - t.analysis;
  for (int i = 0; i < repeats; i++) {
    double began = wall(), used = cpu();
    cholmod_factorize(&a, l, &c);
    least(&t.factor, wall() - began);
    least(&t.cpu, cpu() - used);
    began = wall(), used = cpu();
    cholmod_solve2(CHOLMOD_A, l, &b, NULL, &x, NULL, &y, &e, &c);
    least(&t.solution, wall() - began);
    least(&t.solution_cpu, cpu() - used);
  }
  memcpy(m->x, x->x, (size_t)m->n * 8);
  tell("CHOLMOD", t, m);
  cholmod_free_dense(&x, &c), cholmod_free_dense(&y, &c), cholmod_free_dense(&e, &c);
  cholmod_free_factor(&l, &c);
  cholmod_finish(&c);
}

static void run_mumps(Matrix *m, int repeats)
{
  DMUMPS_STRUC_C s = {.par = 1, .sym = 1, .job = -1, .comm_fortran = -987654};
  Times t = {0, 1e99, 1e99, 1e99, 1e99};
  int32_t *i = malloc((size_t)m->count * 4), *j = malloc((size_t)m->count * 4);
  for (int32_t c = 0; c < m->n; c++)
    for (int32_t e = m->start[c]; e < m->start[c + 1]; e++) i[e] = m->row[e] + 1, j[e] = c + 1;
  dmumps_c(&s);
  for (int k = 0; k < 3; k++) s.icntl[k] = -1;
  s.icntl[3] = 0;
  s.icntl[6] = 5;   // METIS
  s.n = (int)m->n, s.nnz = m->count, s.irn = i, s.jcn = j, s.a = m->value;
  s.job = 1;
  t.analysis = wall();
  dmumps_c(&s);
  t.analysis = wall() - t.analysis;
  for (int k = 0; k < repeats; k++) {
    double began = wall(), used = cpu();
    s.job = 2;
    dmumps_c(&s);
    least(&t.factor, wall() - began);
    least(&t.cpu, cpu() - used);
    memcpy(m->x, m->rhs, (size_t)m->n * 8);
    s.rhs = m->x;
    began = wall(), used = cpu();
    s.job = 3;
    dmumps_c(&s);
    least(&t.solution, wall() - began);
    least(&t.solution_cpu, cpu() - used);
  }
  tell("MUMPS", t, m);
  s.job = -2;
  dmumps_c(&s);
  free(i), free(j);
}

int main(int count, char **arguments)
{
  Matrix m = {0};
  if (count != 4 || !load(&m, arguments[1])) return 2;
  openblas_set_num_threads(atoi(arguments[2]));
  run_cholmod(&m, atoi(arguments[3]));
  run_mumps(&m, atoi(arguments[3]));
  return 0;
}
