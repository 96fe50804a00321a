// divan bench linear: the sparse factorisation, beside CHOLMOD and MUMPS where oracle_direct was built; what it makes
// of steps and of compliance matrices. Every figure that has an aim says so.
#include "bench_linear.h"

#include "base/clock.h"
#include "io/scene/scene_file.h"
#include "linear/direct/ldl_batch.h"
#include "linear/iterative/iterative.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct Times {
  double analysis, factor, cpu, solution, solution_cpu, residual;
} Times;

static void least(double *a, double b) { *a = b < *a ? b : *a; }

// a figure with what it should be: `sign` -1 for at most, 1 for at least, 0 for none
void add_figure(json_t *out, const char *group, const char *name, double value, const char *unit, int sign, double aim)
{
  json_t *f = json_pack("{s:s,s:s,s:o,s:s}", "group", group, "name", name, "value", bench_number(value), "unit", unit);
  if (sign) {
    json_object_set_new(f, "aim", bench_number(aim));
    json_object_set_new(f, "at", json_string(sign < 0 ? "most" : "least"));
    json_object_set_new(f, "met", json_boolean(sign < 0 ? value <= aim : value >= aim));
  }
  json_array_append_new(out, f);
}

// --- matrices ------------------------------------------------------------------------------------

static bool write_matrix(const char *path, const dvBlockMatrix *a)
{
  FILE *f = fopen(path, "wb");
  if (!f) return false;
  int64_t head[2] = {(int64_t)dv_block_matrix_rows(a), 0};
  int32_t *start = dv_alloc((size_t)(head[0] + 1) * sizeof *start),
          *row = dv_alloc(9 * dv_pattern_count(&a->pattern) * sizeof *row);
  double *value = dv_alloc(9 * dv_pattern_count(&a->pattern) * sizeof *value);
  for (size_t j = 0; j < (size_t)head[0]; j++) {   // column j of the lower triangle is row j of the upper one
    start[j] = (int32_t)head[1];
    for (int32_t e = a->pattern.row_start[j / 3]; e < a->pattern.row_start[j / 3 + 1]; e++)
      for (size_t c = 0; c < 3; c++) {
        size_t i = 3 * (size_t)a->pattern.col[e] + c;
        if (i < j) continue;
        row[head[1]] = (int32_t)i;
        value[head[1]++] = dv_block_matrix_at(a, e)[j % 3 * 3 + c];
      }
  }
  start[head[0]] = (int32_t)head[1];
  bool good = fwrite(head, 8, 2, f) == 2 && fwrite(start, 4, (size_t)head[0] + 1, f) == (size_t)head[0] + 1 &&
              fwrite(row, 4, (size_t)head[1], f) == (size_t)head[1] &&
              fwrite(value, 8, (size_t)head[1], f) == (size_t)head[1];
  dv_free(start), dv_free(row), dv_free(value);
  return fclose(f) == 0 && good;
}

// the program beside this one, when it was built
static char *oracle_path(void)
{
  char own[1024];
  ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
  if (n < 0) return NULL;
  own[n] = 0;
  char *slash = strrchr(own, '/'), *path = slash ? dv_format("%.*s/oracle_direct", (int)(slash - own), own) : NULL;
  if (path && access(path, X_OK) == 0) return path;
  dv_free(path);
  return NULL;
}

// the faster of the others; what they say is told as it is
static bool ask_oracles(const char *matrix, int threads, int repeats, Times *best, json_t *out)
{
  char *program = oracle_path(), name[32];
  if (!program) return false;
  // OpenBLAS does not know every processor with AVX-512 and then falls back to SSE
  char *command =
      dv_format("%s '%s' '%s' %d %d", dv_isa_wide() && !getenv("OPENBLAS_CORETYPE") ? "OPENBLAS_CORETYPE=SkylakeX" : "",
                program, matrix, threads, repeats);
  FILE *f = popen(command, "r");
  Times t;
  double first;
  bool any = false;
  *best = (Times){INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY};
  while (f && fscanf(f, "%31s %lf %lf %lf %lf %lf %lf %lf", name, &t.analysis, &t.factor, &t.cpu, &t.solution,
                     &t.solution_cpu, &t.residual, &first) == 8) {
    any = true;
    least(&best->factor, t.factor), least(&best->cpu, t.cpu), least(&best->solution, t.solution),
        least(&best->analysis, t.analysis), least(&best->solution_cpu, t.solution_cpu);
    json_array_append_new(out, json_pack("{s:s,s:i,s:o,s:o,s:o,s:o,s:o}", "solver", name, "threads", threads,
                                         "analysis", bench_number(t.analysis), "factor", bench_number(t.factor), "cpu",
                                         bench_number(t.cpu), "solution", bench_number(t.solution), "residual",
                                         bench_number(t.residual)));
  }
  if (f) pclose(f);
  dv_free(command);
  dv_free(program);
  return any;
}

static bool time_own(const dvBlockMatrix *a, int threads, int repeats, Times *t, double *flops)
{
  size_t n = dv_block_matrix_rows(a), pivot;
  dvLdl f = {0};
  dvPool *pool = dv_pool_create(threads);
  double *b = dv_alloc(n * sizeof *b), *x = dv_alloc(n * sizeof *x);
  for (size_t i = 0; i < n; i++) b[i] = sin(0.37 * (double)i);
  *t = (Times){dv_now(), INFINITY, INFINITY, INFINITY, INFINITY, 0};
  bool good = dv_ldl_analyse(&f, &a->pattern, a->block, DV_ORDER_BEST);
  t->analysis = dv_now() - t->analysis;
  double *work = good ? dv_alloc((dv_ldl_work(&f) + 2 * n) * sizeof *work) : NULL;
  for (int i = 0; i < repeats + 1 && good; i++) {   // the first one also gets its memory
    double began = dv_now(), cpu = dv_cpu_now();
    good = dv_ldl_factorise(&f, a, pool, DV_LDL_SMALL, &pivot);
    if (i > 0) least(&t->factor, dv_now() - began), least(&t->cpu, dv_cpu_now() - cpu);
    began = dv_now(), cpu = dv_cpu_now();
    dv_ldl_solve_with(&f, pool, b, x, work);
    if (i > 0) least(&t->solution, dv_now() - began), least(&t->solution_cpu, dv_cpu_now() - cpu);
  }
  if (good) {
    dv_ldl_refine(&f, a, b, x, work);
    t->residual = dv_ldl_refine(&f, a, b, x, work);   // what is left after the first one
  }
  *flops = dv_ldl_flops(&f);
  dv_free(b), dv_free(x), dv_free(work);
  dv_ldl_free(&f);
  dv_pool_destroy(&pool);
  return good;
}

static void time_matrix(const Bench *bench, const char *name, const int *points, int repeats, json_t *runs,
                        json_t *figures)
{
  if (!bench_wants(bench, name)) return;
  dvBlockMatrix a = {0};
  char *path = dv_format("%s/matrix", bench->scratch);
  if (!elastic_matrix(&a, points, 1) || !write_matrix(path, &a))
    fprintf(stderr, "divan bench: %s does not fit\n", name);
  else {
    double one = 0, solved = 0;
    for (int k = 0; k < bench->thread_counts; k++) {
      int threads = bench->threads[k];
      Times own, others;
      double flops;
      bench_progress("%s, %d threads", name, threads);
      if (!time_own(&a, threads, repeats, &own, &flops)) break;
      json_t *list = json_array();
      json_array_append_new(list,
                            json_pack("{s:s,s:i,s:o,s:o,s:o,s:o,s:o,s:o}", "solver", "divan", "threads", threads,
                                      "analysis", bench_number(own.analysis), "factor", bench_number(own.factor), "cpu",
                                      bench_number(own.cpu), "solution", bench_number(own.solution), "residual",
                                      bench_number(own.residual), "gflops", bench_number(1e-9 * flops / own.factor)));
      bool compared = ask_oracles(path, threads, repeats, &others, list);
      json_array_append_new(runs, json_pack("{s:s,s:I,s:i,s:o}", "name", name, "unknowns",
                                            (json_int_t)dv_block_matrix_rows(&a), "threads", threads, "solvers", list));
      if (threads == 1) one = own.factor, solved = own.solution;
      if (threads == 1 && compared) {
        add_figure(figures, name, "factorisation, time over the faster other's, 1 thread", own.factor / others.factor,
                   "", -1, 1.2);
        add_figure(figures, name, "the same by CPU time", own.cpu / others.cpu, "", -1, 1.2);
        add_figure(figures, name, "solution, time over the faster other's", own.solution / others.solution, "", -1,
                   1.2);
        add_figure(figures, name, "the same by CPU time", own.solution_cpu / others.solution_cpu, "", -1, 1.2);
      }
      if (threads == 2 && one > 0) {
        add_figure(figures, name, "factorisation, 2 threads faster than 1", one / own.factor, "x", 1, 1.5);
        add_figure(figures, name, "solution, 2 threads faster than 1", solved / own.solution, "x", 0, 0);
      }
      if (threads == 1) add_figure(figures, name, "residual after one refinement", own.residual, "", -1, 1e-12);
    }
  }
  unlink(path);
  dv_free(path);
  dv_block_matrix_free(&a);
}

// a full matrix is a single front
static void time_front(const Bench *bench, size_t pivots, json_t *fronts)
{
  size_t blocks = pivots / 3, count = blocks * blocks, pivot;
  if (!bench_wants(bench, "front")) return;
  bench_progress("front of %zu", pivots);
  uint64_t *pair = dv_alloc(count * sizeof *pair);
  dvPattern pattern = {0};
  dvBlockMatrix a = {0};
  dvLdl f = {0};
  for (size_t k = 0; k < count; k++) pair[k] = dv_pair(k / blocks, k % blocks);
  if (dv_pattern_build(&pattern, blocks, blocks, pair, count, NULL) && dv_block_matrix_init(&a, 3, &pattern) &&
      dv_ldl_analyse(&f, &a.pattern, 3, DV_ORDER_NATURAL)) {
    for (size_t k = 0; k < count; k++)
      for (int i = 0; i < 9; i++)
        a.values[9 * k + (size_t)i] = k / blocks == k % blocks && i % 4 == 0 ? 2 * (double)pivots : 1;
    double best = INFINITY, until = dv_now() + 0.3;
    for (int i = 0; i < 3 || dv_now() < until; i++) {
      double began = dv_cpu_now();
      dv_ldl_factorise(&f, &a, NULL, DV_LDL_SMALL, &pivot);
      if (i > 0) least(&best, dv_cpu_now() - began);
    }
    json_array_append_new(fronts, json_pack("{s:I,s:o}", "pivots", (json_int_t)pivots, "gflops",
                                            bench_number(1e-9 * dv_ldl_flops(&f) / best)));
  }
  dv_free(pair);
  dv_ldl_free(&f);
  dv_block_matrix_free(&a);
}

// --- steps ---------------------------------------------------------------------------------------

#define WARPED                                                                                    \
  "<PreconditionedMatrixFreeSystem/><PCGLinearSolver name='cg' iterations='5000' tolerance='%s' " \
  "preconditioner='@warp'/>"                                                                      \
  "<AsyncSparseLDLSolver name='direct'/><RotationMatrixSystem assemblingRate='%d' "               \
  "rotations='points'/><WarpPreconditioner name='warp' linearSolver='@direct'/>"

typedef struct Steps {
  double hz, cpu_hz, median, p99, cpu_spread, iterations, most;
} Steps;

static int compare(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// CPU time of this thread: what a step costs where a core is free for it
static double thread_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// runs a grid of tetrahedra with a solver; `iterations` is the mean of the solver called cg
static bool time_steps(const char *solver, const char *grid, const char *force, bool realtime, int steps, Steps *out)
{
  char *text =
      dv_format("<Node dt='0.01' gravity='0 -9.81 0'><DefaultAnimationLoop/><Node name='A'><EulerImplicitSolver/>%s%s"
                "<MechanicalObject/><UniformMass totalMass='5'/>%s<BoxROI name='box' box='-1 -1 -0.01 9 9 0.01'/>"
                "<FixedProjectiveConstraint indices='@box.indices'/></Node></Node>",
                solver, grid, force);
  dvContext *context = dv_divan_create(1);
  dvScene *scene = NULL;
  context->log.threshold = DV_ERROR;
  context->realtime = realtime;
  bool good = dv_scene_parse(context, "steps", text, strlen(text), &scene) == DV_OK && dv_scene_init(scene) == DV_OK;
  double *ms = dv_alloc(2 * (size_t)steps * sizeof *ms), *own = ms + steps, sum = 0, cpu = 0;
  dvNode *node = good ? scene->root->children.data[0] : NULL;
  dvIterative *cg = NULL;
  for (size_t i = 0; node && i < node->objects.count; i++)
    if (dv_same(node->objects.data[i]->name, "cg")) cg = (dvIterative *)node->objects.data[i];
  *out = (Steps){0};
  for (int i = -5; good && i < steps; i++) {
    double began = dv_now(), used = thread_now();
    good = dv_scene_step(scene, 0) == DV_OK;
    if (i < 0) continue;
    ms[i] = 1e3 * (dv_now() - began);
    sum += ms[i];
    own[i] = 1e3 * (thread_now() - used);
    cpu += own[i];
    out->iterations += cg ? (double)cg->done / steps : 0;
    out->most = dv_max(out->most, cg ? cg->done : 0);
  }
  qsort(ms, (size_t)steps, sizeof *ms, compare);
  qsort(own, (size_t)steps, sizeof *own, compare);
  out->hz = 1e3 * steps / sum;
  out->cpu_hz = 1e3 * steps / cpu;
  out->median = ms[steps / 2];
  out->p99 = ms[steps * 99 / 100];
  out->cpu_spread = own[steps * 99 / 100] / own[steps / 2];
  dv_free(ms);
  dv_free(text);
  dv_scene_destroy(&scene);
  dv_divan_destroy(&context);
  return good;
}

// 980 points and 3,420 tetrahedra
static void time_robot(const Bench *bench, json_t *figures)
{
  static const char *const grid = "<RegularGridTopology n='7 7 20' min='0 0 0' max='0.6 0.6 1.9'/>";
  static const char *const force = "<TetrahedronFEMForceField youngModulus='1e5' poissonRatio='0.45' method='large'/>";
  Steps s;
  if (!bench_wants(bench, "robot")) return;
  bench_progress("soft robot");
  if (time_steps("<SparseLDLSolver/>", grid, force, false, 300, &s)) {
    add_figure(figures, "soft robot", "steps with a fresh factor", s.hz, "Hz", 1, 200);
    add_figure(figures, "soft robot", "the same by CPU time of the steps' thread", s.cpu_hz, "Hz", 1, 200);
  }
  char *solver = dv_format(WARPED, "1e-5", 10);
  if (time_steps(solver, grid, force, true, 300, &s)) {
    add_figure(figures, "soft robot", "steps with the asynchronous preconditioner", s.hz, "Hz", 1, 500);
    add_figure(figures, "soft robot", "the same by CPU time of the steps' thread", s.cpu_hz, "Hz", 1, 500);
    add_figure(figures, "soft robot", "its iterations a step", s.iterations, "", 0, 0);
  }
  dv_free(solver);
}

// the same of a loop that always does the same, about as long as a step: what the machine adds by itself
static double own_spread(int steps)
{
  enum { NUMBERS = 1 << 17, ROUNDS = 16 };   // a megabyte
  double *ms = dv_alloc((size_t)steps * sizeof *ms), *v = dv_alloc(NUMBERS * sizeof *v);
  for (int i = -5; i < steps; i++) {
    double began = dv_now();
    for (int r = 0; r < ROUNDS; r++)
      for (size_t k = 0; k < NUMBERS; k++) v[k] = 0.999 * v[k] + 1;
    if (i >= 0) ms[i] = dv_now() - began;
  }
  qsort(ms, (size_t)steps, sizeof *ms, compare);
  double spread = ms[steps * 99 / 100] / ms[steps / 2];
  dv_free(ms);
  dv_free(v);
  return spread;
}

// a bar whose tetrahedra are 10,000 times stiffer in every other layer
static void time_stiff_bar(const Bench *bench, json_t *figures)
{
  static const char *const grid = "<RegularGridTopology name='grid' n='6 6 31' min='0 0 0' max='0.5 0.5 3'/>";
  enum { STEPS = 300 };
  Steps plain, warped = {0}, run;
  if (!bench_wants(bench, "stiffness")) return;
  bench_progress("bar of two stiffnesses");
  dvText force = {0};
  dv_text_add(&force, "<TetrahedronFEMForceField method='large' poissonRatio='0.4' youngModulus='");
  for (int cell = 0; cell < 5 * 5 * 30; cell++)
    for (int t = 0; t < 6; t++) dv_text_add(&force, cell / 25 % 2 ? "1e8 " : "1e4 ");
  dv_text_add(&force, "'/>");
  char *solver = dv_format(WARPED, "1e-10", 20);   // turned with the points, a factor stays good for that long
  bool good = time_steps("<PCGLinearSolver name='cg' iterations='5000' tolerance='1e-10'/>", grid, force.text, false,
                         30, &plain);
  double spread = INFINITY;
  for (int i = 0; good && i < bench->repeats; i++) {   // what disturbs the machine only adds: the steadiest run counts
    good = time_steps(solver, grid, force.text, true, STEPS, &run);
    if (i == 0 || run.p99 / run.median < warped.p99 / warped.median) warped = run;
    spread = dv_min(spread, own_spread(STEPS));
  }
  if (good) {
    const char *group = "stiffness 1:10,000";
    add_figure(figures, group, "iterations of plain conjugate gradients", plain.iterations, "", 0, 0);
    add_figure(figures, group, "iterations with the asynchronous preconditioner", warped.iterations, "", -1,
               plain.iterations / 10);
    add_figure(figures, group, "the most of them in a step", warped.most, "", 0, 0);
    add_figure(figures, group, "median of a step", warped.median, "ms", 0, 0);
    add_figure(figures, group, "99th percentile over the median", warped.p99 / warped.median, "", -1, 1.5);
    add_figure(figures, group, "the same by CPU time of the steps' thread", warped.cpu_spread, "", -1, 1.5);
    add_figure(figures, group, "the same of a loop that always does the same", spread, "", 0, 0);
  }
  dv_free(solver);
  dv_text_free(&force);
}

// --- compliance ----------------------------------------------------------------------------------

enum { CONTACTS = 100, ROWS = 3 * CONTACTS };

static void time_compliance(const Bench *bench, json_t *figures)
{
  static const int points[3] = {26, 18, 11};   // 5,148 points, flat as a liver is
  static double w[ROWS * ROWS];
  if (!bench_wants(bench, "compliance")) return;
  bench_progress("compliance");
  size_t pivot;
  dvSparseRows h = {0};
  for (size_t i = 0; i < ROWS; i++) {   // a patch of the surface; a contact lies between three points
    size_t contact = i / 3, corner = contact % 10 + contact / 10 * 26 + 26 * 18 * 10;
    const size_t corners[3] = {corner, corner + 1, corner + 26};
    for (int k = 0; k < 3; k++) dv_sparse_rows_add(&h, (int32_t)i, (int32_t)(3 * corners[k] + i % 3), 1.0 / 3);
  }
  dv_sparse_rows_settle(&h, ROWS);
  dvBlockMatrix a = {0};
  dvLdl f = {0};
  if (elastic_matrix(&a, points, 1) && dv_ldl_analyse(&f, &a.pattern, 3, DV_ORDER_BEST) &&
      dv_ldl_factorise(&f, &a, NULL, DV_LDL_SMALL, &pivot)) {
    dvLdlBatch *batch = dv_ldl_batch_create();
    dvPool *pool = dv_pool_create(2);
    size_t n = dv_ldl_rows(&f);
    double one = INFINITY, two = INFINITY, cpu = INFINITY, single = INFINITY, *x = dv_alloc(n * sizeof *x),
           *work = dv_alloc(dv_ldl_work(&f) * sizeof *work);
    for (int i = 0; i < 30; i++) {
      double began = dv_now(), used = dv_cpu_now();
      dv_ldl_compliance(&f, batch, NULL, &h, w);
      if (i > 0) least(&one, dv_now() - began), least(&cpu, dv_cpu_now() - used);
      began = dv_now();
      dv_ldl_compliance(&f, batch, pool, &h, w);
      if (i > 0) least(&two, dv_now() - began);
      memset(x, 0, n * sizeof *x);
      x[h.col.data[0]] = 1;
      began = dv_now();
      dv_ldl_solve(&f, x, x, work);
      least(&single, dv_now() - began);
    }
    const char *group = "compliance, 300 rows, 5,148 points";
    add_figure(figures, group, "1 thread", 1e3 * one, "ms", -1, 25);
    add_figure(figures, group, "1 thread, CPU time", 1e3 * cpu, "ms", 0, 0);
    add_figure(figures, group, "2 threads", 1e3 * two, "ms", -1, 25);
    add_figure(figures, group, "faster than 300 solves one by one", ROWS * single / one, "x", 1, 20);
    dv_free(x), dv_free(work);
    dv_pool_destroy(&pool);
    dv_ldl_batch_destroy(&batch);
  }
  dv_sparse_rows_free(&h);
  dv_ldl_free(&f);
  dv_block_matrix_free(&a);
}

json_t *bench_linear(const Bench *b)
{
  static const size_t fronts[] = {24, 48, 96, 192, 384, 768, 1536};
  json_t *runs = json_array(), *sizes = json_array(), *figures = json_array();
  time_matrix(b, "bar 10x10x41 cells", (const int[3]){11, 11, 42}, 10, runs, figures);
  time_matrix(b, "bar 20x20x125 cells", (const int[3]){21, 21, 126}, 2, runs, figures);
  time_matrix(b, "cube 37^3 points", (const int[3]){37, 37, 37}, 2, runs, figures);
  for (size_t i = 0; i < DV_COUNT(fronts); i++) time_front(b, fronts[i], sizes);
  time_robot(b, figures);
  time_stiff_bar(b, figures);
  time_compliance(b, figures);
  bench_async_compliance(b, figures);
  return json_pack("{s:o,s:o,s:o}", "matrices", runs, "fronts", sizes, "figures", figures);
}

// --- telling -------------------------------------------------------------------------------------

static double number(const json_t *o, const char *key) { return json_number_value(json_object_get(o, key)); }

void bench_print_linear(const json_t *linear)
{
  size_t i, k;
  const json_t *run, *solver;
  printf("\n%-22s %9s %3s %-8s %9s %9s %9s %9s %8s\n", "matrix", "unknowns", "th", "solver", "analysis", "factor",
         "its CPU", "solution", "Gflop/s");
  json_array_foreach(json_object_get(linear, "matrices"), i, run)
      json_array_foreach(json_object_get(run, "solvers"), k, solver)
  {
    printf("%-22s %9.0f %3.0f %-8s %8.3fs %8.4fs %8.4fs %7.2fms",
           k ? "" : json_string_value(json_object_get(run, "name")), number(run, "unknowns"), number(run, "threads"),
           json_string_value(json_object_get(solver, "solver")), number(solver, "analysis"), number(solver, "factor"),
           number(solver, "cpu"), 1e3 * number(solver, "solution"));
    if (json_object_get(solver, "gflops")) printf(" %8.1f", number(solver, "gflops"));
    printf("\n");
  }
  printf("\nfront, pivots ");
  json_array_foreach(json_object_get(linear, "fronts"), i, run) printf(" %7.0f", number(run, "pivots"));
  printf("\nGflop/s of CPU");
  json_array_foreach(json_object_get(linear, "fronts"), i, run) printf(" %7.1f", number(run, "gflops"));
  printf("\n");
  bench_print_figures(json_object_get(linear, "figures"));
}

void bench_print_figures(const json_t *figures)
{
  size_t i;
  const json_t *run;
  printf("\n%-36s %-54s %10s\n", "figure", "", "");
  json_array_foreach(figures, i, run)
  {
    printf("%-36s %-54s %10.4g %-3s", json_string_value(json_object_get(run, "group")),
           json_string_value(json_object_get(run, "name")), number(run, "value"),
           json_string_value(json_object_get(run, "unit")));
    if (json_object_get(run, "aim"))
      printf(" at %s %.4g: %s", json_string_value(json_object_get(run, "at")), number(run, "aim"),
             json_is_true(json_object_get(run, "met")) ? "met" : "NOT met");
    printf("\n");
  }
}
