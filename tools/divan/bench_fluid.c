// divan bench fluid: steps of particles by SOFA's method, and the pressure of a grid, at several sizes.
//
// Particles: a column of water falls apart (SPHFluidForceField with the cubic spline, artificial viscosity, some 30
// neighbours each), a step in which it moves. Pressure: random velocities in a box with a ball in it, from no pressure
// until the divergence has fallen to 1e-5. The least time of several; beside it the least processor time, which other
// programs on the same cores change less.
#include "bench.h"

#include "app/divan.h"
#include "base/clock.h"
#include "fluid/cells/cells.h"
#include "io/scene/scene_file.h"
#include "scene/node.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double processor_ms(void) { return 1e3 * (double)clock() / CLOCKS_PER_SEC; }

typedef struct Least {
  double began, used, ms, processor;
} Least;

static void least_begin(Least *l) { l->began = dv_now(), l->used = processor_ms(); }

static void least_end(Least *l)
{
  l->ms = fmin(l->ms, 1e3 * (dv_now() - l->began));
  l->processor = fmin(l->processor, processor_ms() - l->used);
}

// a column of n x 2n x n particles, or the nearest to it
static char *column(size_t particles)
{
  int n = (int)lround(cbrt((double)particles / 2)), high = (int)lround((double)particles / ((double)n * n));
  const double d = 0.1;
  dvText text = {0};
  dv_text_printf(&text,
                 "<Node dt='0.005' gravity='0 -9.81 0'><DefaultAnimationLoop/><EulerExplicitSolver symplectic='1'/>"
                 "<RegularGridTopology name='start' n='%d %d %d' min='0.05 0.05 0.05' max='%.10g %.10g %.10g'/>"
                 "<MechanicalObject name='dofs' position='@start.position'/><UniformMass vertexMass='1'/>"
                 "<SpatialGridContainer cellWidth='0.22'/><SPHFluidForceField radius='0.22' mass='1' density='1000' "
                 "pressure='200' kernelType='1' viscosityType='2' viscosity='2'/>",
                 n, high, n, 0.05 + d * (n - 1), 0.05 + d * (high - 1), 0.05 + d * (n - 1));
  static const char *const normals[] = {"0 1 0", "1 0 0", "-1 0 0", "0 0 1", "0 0 -1"};
  for (int i = 0; i < 5; i++)
    dv_text_printf(&text, "<PlaneForceField normal='%s' d='%.10g' stiffness='5000' damping='10'/>", normals[i],
                   i == 2   ? -3 * d * n
                   : i == 4 ? -d * n
                            : 0);
  dv_text_add(&text, "</Node>");
  return text.text;
}

static double time_particles(const void *subject, size_t size, int threads, size_t *processor)
{
  DV_UNUSED(subject);
  enum { FIRST = 5, STEPS = 15 };
  char *text = column(size);
  dvContext *context = dv_divan_create(threads);
  dvScene *scene = NULL;
  context->log.threshold = DV_ERROR;
  bool good = dv_scene_parse(context, "bench", text, strlen(text), &scene) == DV_OK && dv_scene_init(scene) == DV_OK;
  Least least = {.ms = INFINITY, .processor = INFINITY};
  for (int i = 0; i < FIRST + STEPS && good; i++) {
    least_begin(&least);
    good = dv_scene_step(scene, 0) == DV_OK;
    if (i >= FIRST) least_end(&least);
  }
  dv_free(text);
  dv_scene_destroy(&scene);
  dv_divan_destroy(&context);
  *processor = good ? (size_t)lround(1e3 * least.processor) : 0;
  return good ? least.ms : -1;
}

static bool lay_grid(dvCells *c, int n)
{
  if (!dv_cells_open(c, (const int[]){n + 2, n + 2, n + 2})) return false;
  for (int k = 0; k < n + 2; k++)
    for (int j = 0; j < n + 2; j++)
      for (int i = 0; i < n + 2; i++) {
        double x = i - 0.4 * n, y = j - 0.3 * n, z = k - 0.5 * n;
        c->solid.data[dv_cells_at(c, i, j, k)] = sqrt(x * x + y * y + z * z) - 0.15 * n;
      }
  dv_cells_open_faces(c);
  dv_cells_classify(c);
  return true;
}

static double time_pressure(const void *subject, size_t size, int threads, size_t *processor)
{
  DV_UNUSED(subject);
  enum { TRIES = 4 };
  int n = (int)lround(cbrt((double)size));
  dvPool *pool = dv_pool_create(threads);
  dvCells c = {.pool = pool, .h = 1.0 / n, .density = 1000, .slip = true, .tolerance = 1e-5, .most = 100};
  c.solids = true;
  bool good = lay_grid(&c, n);
  Least least = {.ms = INFINITY, .processor = INFINITY};
  for (int t = 0; t < TRIES && good; t++) {
    srand(1);
    for (size_t i = 0; i < c.u.count; i++) c.u.data[i] = rand() / (double)RAND_MAX - 0.5 + sin(0.001 * (double)i);
    dv_cells_wall(&c, c.u.data);
    memset(c.press.data, 0, c.count * sizeof *c.press.data);
    least_begin(&least);
    good = dv_cells_project(&c, 0.01).reached;
    least_end(&least);
  }
  dv_cells_free(&c);
  dv_pool_destroy(&pool);
  *processor = good ? (size_t)lround(1e3 * least.processor) : 0;
  return good ? least.ms : -1;
}

static const struct {
  const char *name, *per;
  size_t sizes[BENCH_SIZES];
  BenchMeasure measure;
} subjects[] = {
    {"a step of particles, SOFA's method", "particles", {4000, 8000, 16000, 32000, 100000}, time_particles},
    {"pressure of a grid",
     "cells",
     {16 * 16 * 16, 32 * 32 * 32, 64 * 64 * 64, 96 * 96 * 96, 128 * 128 * 128},
     time_pressure},
};

json_t *bench_fluid(const Bench *b)
{
  json_t *all = json_array();
  for (size_t i = 0; i < DV_COUNT(subjects); i++)
    for (int t = 0; t < b->thread_counts && bench_wants(b, subjects[i].name); t++)
      json_array_append_new(all, bench_over_sizes(b, subjects[i].name, subjects[i].per, subjects[i].sizes,
                                                  b->threads[t], subjects[i].measure, NULL));
  return all;
}
