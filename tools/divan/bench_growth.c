// divan bench growth: how times grow with the number of elements, for the parts of a simulation. A box of tetrahedra is
// written to a file, loaded and stepped at several sizes; the exponent p of time ~ n^p is fitted to the logarithms.
#include "bench.h"

#include "base/clock.h"
#include "io/scene/scene_file.h"
#include "mechanics/mechanics.h"

#include <math.h>
#include <stdio.h>

enum { SIZES = 5, PARTS = 7 };
static const char *const part_names[PARTS] = {"read the scene",
                                              "read the mesh and set up",
                                              "force",
                                              "product with the matrix",
                                              "vectors of an iteration",
                                              "mapping",
                                              "step"};

typedef struct Work {
  dvScene *scene;
  dvMech m;
  int p, q, r, x;   // vectors, as conjugate gradients have them
} Work;

static void work_force(void *user)
{
  Work *w = user;
  dv_mech_compute_force(w->scene->plan, &w->m);
}
static void work_product(void *user)
{
  Work *w = user;
  dv_mech_product(w->scene->plan, &w->m, w->q, w->p);
}
static void work_vectors(void *user)
{
  Work *w = user;
  dv_mech_dot(w->scene->plan, w->p, w->q);
  dv_mech_cg_step(w->scene->plan, 1e-9, w->p, w->q, w->x, w->r);
  dv_mech_xpay(w->scene->plan, w->p, w->r, 0.5);
}
static void work_mapping(void *user)
{
  Work *w = user;
  dv_mech_propagate_x(w->scene->plan, DV_X);
}

// times of all parts at one size; false when the scene does not run
static bool time_size(const Bench *b, const char *path, double ms[PARTS])
{
  dvContext *context = dv_divan_create(b->threads[0]);
  context->log.threshold = DV_ERROR;
  Work w = {.m = {.x = DV_X,
                  .v = DV_V,
                  .f = DV_F,
                  .dx = DV_DX,
                  .df = DV_DF,
                  .dt = 0.02,
                  .implicit = true,
                  .m = 1,
                  .b = -0.02,
                  .k = -0.0004}};
  double began = dv_now();
  bool good = dv_scene_read(context, path, &w.scene) == DV_OK;
  double loaded = dv_now();
  good = good && dv_scene_init(w.scene) == DV_OK;
  double ready = dv_now();
  if (good) {
    ms[0] = 1e3 * (loaded - began), ms[1] = 1e3 * (ready - loaded);
    dv_vecs_take(&w.scene->root->base, DV_VEC_DERIV, &w.p, &w.q, &w.r, &w.x);
    dv_scene_step(w.scene, 0);
    ms[PARTS - 1] = INFINITY;
    for (int i = 0; i < 9; i++) {   // the first steps: later ones may need fewer iterations
      double step_began = dv_now();
      dv_scene_step(w.scene, 0);
      ms[PARTS - 1] = dv_min(ms[PARTS - 1], 1e3 * (dv_now() - step_began));
    }
    static void (*const calls[])(void *) = {work_force, work_product, work_vectors, work_mapping};
    for (size_t i = 0; i < DV_COUNT(calls); i++) ms[2 + i] = 1e3 * dv_best_seconds(calls[i], &w, 1e-4, 0.2);
  }
  dv_scene_destroy(&w.scene);
  dv_divan_destroy(&context);
  return good;
}

// slope of log y over log x
double bench_exponent(const double *x, const double *y, int n)
{
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int i = 0; i < n; i++) {
    double a = log(x[i]), b = log(y[i]);
    sx += a, sy += b, sxx += a * a, sxy += a * b;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

json_t *bench_over_sizes(const Bench *b, const char *name, const char *per, const size_t sizes[BENCH_SIZES],
                         int threads, BenchMeasure measure, const void *subject)
{
  double n[BENCH_SIZES], times[BENCH_SIZES], began = dv_now();
  int done = 0;
  json_t *elements = json_array(), *ms = json_array(), *found = json_array();
  for (int i = 0; i < BENCH_SIZES && !interrupted() && (done < 2 || dv_now() - began < b->timeout); i++) {
    size_t contacts = 0;
    bench_progress("%s: %zu %s", name, sizes[i], per);
    double took = measure(subject, sizes[i], threads, &contacts);
    if (took < 0) continue;
    n[done] = (double)sizes[i], times[done++] = took;
    json_array_append_new(elements, json_integer((json_int_t)sizes[i]));
    json_array_append_new(ms, bench_number(took));
    json_array_append_new(found, json_integer((json_int_t)contacts));
  }
  return json_pack("{s:s,s:s,s:i,s:o,s:o,s:o,s:o}", "name", name, "per", per, "threads", threads, "elements", elements,
                   "ms", ms, "contacts", found, "exponent",
                   bench_number(done > 1 ? bench_exponent(n, times, done) : NAN));
}

json_t *bench_growth(const Bench *b)
{
  static const int cells[SIZES] = {5, 8, 13, 21, 34};
  double elements[SIZES], ms[PARTS][SIZES];
  int done = 0;
  double began = dv_now();
  for (int i = 0; i < SIZES && (done < 2 || dv_now() - began < b->timeout); i++) {
    Box box = box_create(cells[i], cells[i], cells[i]);
    bench_progress("growth: %zu tetrahedra", box.count);
    char *path = box_write_scene(&box, b->scratch, "growth", true);
    double times[PARTS];
    if (time_size(b, path, times)) {
      elements[done] = (double)box.count;
      for (int p = 0; p < PARTS; p++) ms[p][done] = times[p];
      done++;
    }
    dv_free(path);
    box_free(&box);
  }
  json_t *all = json_array();
  for (int p = 0; p < PARTS && done > 1; p++) {
    json_t *sizes = json_array(), *times = json_array();
    for (int i = 0; i < done; i++) {
      json_array_append_new(sizes, json_integer((json_int_t)elements[i]));
      json_array_append_new(times, bench_number(ms[p][i]));
    }
    json_array_append_new(all, json_pack("{s:s,s:i,s:o,s:o,s:o}", "name", part_names[p], "threads", b->threads[0],
                                         "elements", sizes, "ms", times, "exponent",
                                         bench_number(bench_exponent(elements, ms[p], done))));
  }
  return all;
}
