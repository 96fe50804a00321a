// Solves quadratic programs with CLP (EPL-2.0) and with NLopt (SLSQP, MIT): 1/2 x^T G x + g x, low <= C x <= high. A
// program of its own, never part of divan.
//
//   oracle_quadratic FILE    two lines a problem, CLP's and NLopt's: what it says (0 solved, 1 without a solution,
//                            2 without an end, 3 none of them), then x
//
// FILE: for each problem the numbers of variables and rows (64 bit), then G, g, C, low and high as doubles, row by row.
#include <Clp_C_Interface.h>
#include <math.h>
#include <nlopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct Problem {
  size_t n, m;
  double *numbers, *g2, *g, *c, *low, *high;
} Problem;

static double dot(const double *a, const double *b, size_t n)
{
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static int read_problem(FILE *f, Problem *p)
{
  int64_t size[2];
  if (fread(size, sizeof *size, 2, f) != 2) return 0;
  size_t n = p->n = (size_t)size[0], m = p->m = (size_t)size[1], all = n * n + n + m * n + 2 * m;
  p->numbers = malloc((all + 1) * sizeof *p->numbers);
  p->g2 = p->numbers, p->g = p->g2 + n * n, p->c = p->g + n, p->low = p->c + m * n, p->high = p->low + m;
  if (fread(p->numbers, sizeof *p->numbers, all, f) != all) return 0;
  for (size_t r = 0; r < m; r++) {   // rows of length 1: tolerances are meant for them
    double length = sqrt(dot(p->c + r * n, p->c + r * n, n));
    if (!(length > 0)) continue;
    for (size_t i = 0; i < n; i++) p->c[r * n + i] /= length;
    p->low[r] /= length, p->high[r] /= length;
  }
  return 1;
}

static FILE *answers;   // CLP writes to stdout now and then

static void print(int said, const double *x, size_t n)
{
  setitimer(ITIMER_VIRTUAL, &(struct itimerval){0}, NULL);
  fprintf(answers, "%d", said);
  for (size_t i = 0; i < n; i++) fprintf(answers, " %.17g", x[i]);
  fprintf(answers, "\n");
  fflush(answers);
}

// --- CLP ---------------------------------------------------------------------------------------------

static void by_clp(const Problem *p)
{
  size_t n = p->n, m = p->m, count = 0;
  int *start = malloc((n + 1) * sizeof *start), *index = malloc((n * (n + m) + 1) * sizeof *index);
  double *value = malloc((n * (n + m) + 1) * sizeof *value), *ends = malloc(2 * n * sizeof *ends);
  for (size_t i = 0; i < n; i++) {
    start[i] = (int)count;
    ends[i] = -INFINITY, ends[n + i] = INFINITY;
    for (size_t r = 0; r < m; r++)
      if (p->c[r * n + i] != 0) index[count] = (int)r, value[count++] = p->c[r * n + i];
  }
  start[n] = (int)count;
  Clp_Simplex *s = Clp_newModel();
  Clp_setLogLevel(s, 0);
  Clp_setPrimalTolerance(s, 1e-10);
  Clp_setDualTolerance(s, 1e-10);
  Clp_loadProblem(s, (int)n, (int)m, start, index, value, ends, ends + n, p->g, p->low, p->high);
  count = 0;
  for (size_t i = 0; i < n; i++) {   // the lower triangle
    start[i] = (int)count;
    for (size_t k = i; k < n; k++) index[count] = (int)k, value[count++] = p->g2[i * n + k];
  }
  start[n] = (int)count;
  Clp_loadQuadraticObjective(s, (int)n, start, index, value);
  Clp_primal(s, 0);
  int said = Clp_status(s);
  print(said >= 0 && said <= 2 ? said : 3, Clp_primalColumnSolution(s), n);
  Clp_deleteModel(s);
  free(start), free(index), free(value), free(ends);
}

// --- NLopt -------------------------------------------------------------------------------------------

static double objective(unsigned n, const double *x, double *slope, void *user)
{
  const Problem *p = user;
  double sum = 0;
  for (size_t i = 0; i < n; i++) {
    double own = dot(p->g2 + i * n, x, n);
    if (slope) slope[i] = own + p->g[i];
    sum += x[i] * (0.5 * own + p->g[i]);
  }
  return sum;
}

typedef struct End {
  const double *c;
  double sign, end;   // sign (c x - end) <= 0
} End;

static double beyond(unsigned n, const double *x, double *slope, void *user)
{
  const End *e = user;
  for (size_t i = 0; slope && i < n; i++) slope[i] = e->sign * e->c[i];
  return e->sign * (dot(e->c, x, n) - e->end);
}

static void by_nlopt(const Problem *p)
{
  size_t n = p->n, m = p->m, count = 0;
  End *ends = malloc((2 * m + 1) * sizeof *ends);
  nlopt_opt o = nlopt_create(NLOPT_LD_SLSQP, (unsigned)n);
  nlopt_set_min_objective(o, objective, (void *)(uintptr_t)p);
  for (size_t r = 0; r < m; r++) {
    const double *c = p->c + r * n;
    if (p->low[r] == p->high[r]) {
      ends[count] = (End){c, 1, p->low[r]};
      nlopt_add_equality_constraint(o, beyond, &ends[count++], 1e-12);
      continue;
    }
    for (int side = -1; side <= 1; side += 2) {
      double end = side < 0 ? p->low[r] : p->high[r];
      if (isinf(end)) continue;
      ends[count] = (End){c, side, end};
      nlopt_add_inequality_constraint(o, beyond, &ends[count++], 1e-12);
    }
  }
  nlopt_set_xtol_rel(o, 1e-15);
  nlopt_set_maxeval(o, 2000);
  double *x = calloc(n, sizeof *x), least;
  nlopt_result said = nlopt_optimize(o, x, &least);
  print(said > 0 && said != NLOPT_MAXEVAL_REACHED ? 0 : 3, x, n);
  nlopt_destroy(o);
  free(x), free(ends);
}

// --- all of them -------------------------------------------------------------------------------------

// Methods that do not end on degenerate problems are stopped: a process works on from `at` (a place in the file) with
// `method` and dies of its timer; the next one goes on behind.
typedef struct Work {
  long at;
  int method;
} Work;

static void work_on(const char *path, Work *w)
{
  static void (*const methods[])(const Problem *p) = {by_clp, by_nlopt};
  const struct itimerval most = {.it_value = {.tv_usec = 200000}};   // of the processor
  FILE *f = fopen(path, "rb");
  Problem p;
  while (f && fseek(f, w->at, SEEK_SET) == 0 && read_problem(f, &p)) {
    for (; w->method < 2; w->method++) {
      setitimer(ITIMER_VIRTUAL, &most, NULL);
      methods[w->method](&p);
    }
    w->at = ftell(f);
    w->method = 0;
    free(p.numbers);
  }
  _exit(f ? 0 : 1);
}

// the line of the method that was stopped
static void give_up(const char *path, Work *w)
{
  FILE *f = fopen(path, "rb");
  Problem p;
  if (!f || fseek(f, w->at, SEEK_SET) != 0 || !read_problem(f, &p)) exit(1);
  double *x = calloc(p.n, sizeof *x);
  print(3, x, p.n);
  w->at = w->method ? ftell(f) : w->at;
  w->method = !w->method;
  free(x), free(p.numbers);
  fclose(f);
}

int main(int argc, char **argv)
{
  if (argc != 2 || access(argv[1], R_OK) != 0) return fprintf(stderr, "usage: oracle_quadratic FILE\n"), 2;
  Work *w = mmap(NULL, sizeof *w, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  answers = fdopen(dup(STDOUT_FILENO), "w");
  if (w == MAP_FAILED || !answers || !freopen("/dev/null", "w", stdout)) return 1;
  for (int status;;) {
    pid_t child = fork();
    if (child == 0) work_on(argv[1], w);
    if (child < 0 || waitpid(child, &status, 0) != child) return 1;
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    give_up(argv[1], w);
  }
}
