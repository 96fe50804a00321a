// divan bench anatomy: the liver of scenes/anatomy, tissue, walls of vessels a thousand times as stiff, and capsule,
// with the factor that is computed beside the steps as preconditioner, and without; and the procedures, a part of each
// in which something is done. Wall clock, two threads.
#include "bench.h"

#include "base/clock.h"
#include "base/file.h"
#include "divan/divan.h"
#include "object/context.h"

#include <stdio.h>
#include <time.h>

enum { BEFORE = 60, STEPS = 150 };

typedef struct Kind {
  const char *name, *preconditioner, *iterations;
  int steps;
} Kind;

static double thread_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static json_t *run(const char *path, const Kind *k)
{
  dvContext *context = divan_create(2);
  context->log.threshold = DV_ERROR;
  context->realtime = true;
  dvScene *scene = divan_load(context, path);
  bool good = scene && divan_set(scene, "/Body/solver", "use_precond", k->preconditioner) == DIVAN_OK &&
              divan_set(scene, "/Body/solver", "iterations", k->iterations) == DIVAN_OK &&
              divan_init(scene) == DIVAN_OK;
  for (int i = 0; good && i < (k->steps < STEPS ? 5 : BEFORE); i++) good = divan_step(scene, 0) == DIVAN_OK;
  double began = dv_now(), cpu = thread_now(), iterations = 0;
  for (int i = 0; good && i < k->steps; i++) {
    size_t count = 0;
    good = divan_step(scene, 0) == DIVAN_OK && divan_read(scene, "/Body/solver", "graph", &count);
    iterations += (double)count / k->steps;
  }
  double ms = 1e3 * (dv_now() - began) / k->steps;
  cpu = 1e3 * (thread_now() - cpu) / k->steps;
  size_t corners = 0, beams = 0, faces = 0;
  json_t *row = NULL;
  if (good) {
    divan_read_ints(scene, "/Body/liver/tetrahedra", "tetrahedra", &corners);
    divan_read_ints(scene, "/Body/liver/Surface/triangles", "triangles", &faces);
    static const char *const trees[] = {"/Body/liver/portal/walls", "/Body/liver/veins/walls"};
    for (size_t i = 0; i < DV_COUNT(trees); i++) {
      size_t count = 0;
      divan_read(scene, trees[i], "radius", &count);
      beams += count;
    }
    row = json_pack("{s:s,s:o,s:o,s:o,s:o,s:i,s:i,s:i}", "name", k->name, "cpu", bench_number(cpu), "hz",
                    bench_number(1e3 / ms), "ms", bench_number(ms), "iterations", bench_number(iterations),
                    "tetrahedra", (int)corners / 4, "beams", (int)beams, "triangles", (int)faces / 3);
  }
  divan_close(&scene);
  divan_destroy(&context);
  return row ? row : json_null();
}

typedef struct Game {
  const char *name, *file;
  int before, steps;
} Game;

// the abdomen while the gall bladder is lifted, a stroke of the cautery, the tear on its way
static const Game games[] = {{"abdomen", "abdomen/scene.scn", 300, 150},
                             {"resection, tetrahedra", "resection/scene.scn", 150, 150},
                             {"resection, hexahedra", "resection/grid.scn", 150, 150},
                             {"cataract", "cataract/scene.scn", 60, 100}};

static json_t *play(const char *folder, const Game *g)
{
  dvContext *context = divan_create(2);
  context->log.threshold = DV_ERROR;
  char *path = dv_path_join(folder, g->file);
  dvScene *scene = divan_load(context, path);
  bool good = scene && divan_init(scene) == DIVAN_OK;
  for (int i = 0; good && i < g->before; i++) good = divan_step(scene, 0) == DIVAN_OK;
  double began = dv_now(), cpu = thread_now(), worst = 0;
  for (int i = 0; good && i < g->steps; i++) {
    double at = dv_now();
    good = divan_step(scene, 0) == DIVAN_OK;
    worst = dv_max(worst, 1e3 * (dv_now() - at));
  }
  double ms = 1e3 * (dv_now() - began) / g->steps;
  cpu = 1e3 * (thread_now() - cpu) / g->steps;
  json_t *row = good ? json_pack("{s:s,s:o,s:o,s:o,s:o}", "name", g->name, "cpu", bench_number(cpu), "hz",
                                 bench_number(1e3 / ms), "ms", bench_number(ms), "worst", bench_number(worst))
                     : NULL;
  dv_free(path);
  divan_close(&scene);
  divan_destroy(&context);
  return row ? row : json_null();
}

json_t *bench_anatomy(const Bench *b)
{
  static const Kind kinds[] = {{"liver, preconditioned", "1", "200", STEPS},
                               {"liver, not preconditioned", "0", "20000", 10}};
  json_t *all = json_array();
  char *list = bench_find_list(b);
  if (!list) return all;
  char *folder = dv_path_directory(list), *path = dv_path_join(folder, "../scenes/anatomy/liver/scene.scn");
  for (size_t i = 0; i < DV_COUNT(kinds); i++) {
    if (!bench_wants(b, kinds[i].name)) continue;
    bench_progress("%s", kinds[i].name);
    json_array_append_new(all, run(path, &kinds[i]));
  }
  char *scenes = dv_path_join(folder, "../scenes/anatomy");
  for (size_t i = 0; i < DV_COUNT(games); i++) {
    if (!bench_wants(b, games[i].name)) continue;
    bench_progress("%s", games[i].name);
    json_array_append_new(all, play(scenes, &games[i]));
  }
  dv_free(scenes);
  dv_free(path);
  dv_free(folder);
  dv_free(list);
  return all;
}

static double number(const json_t *row, const char *name) { return json_number_value(json_object_get(row, name)); }

void bench_print_anatomy(const json_t *all)
{
  size_t i;
  json_t *row;
  printf("anatomy: walls of vessels a thousand times as stiff as the tissue\n");
  json_array_foreach(all, i, row)
  {
    if (json_is_null(row)) printf("  it does not run\n");
    else if (json_object_get(row, "worst"))
      printf("  %-26s %6.3g steps a second, %.3g ms (%.3g of CPU), longest %.3g ms\n",
             json_string_value(json_object_get(row, "name")), number(row, "hz"), number(row, "ms"), number(row, "cpu"),
             number(row, "worst"));
    else
      printf("  %-26s %6.3g steps a second, %.3g ms (%.3g of CPU), %.4g iterations; %.0f tetrahedra, %.0f beams, %.0f "
             "triangles of the "
             "capsule\n",
             json_string_value(json_object_get(row, "name")), number(row, "hz"), number(row, "ms"), number(row, "cpu"),
             number(row, "iterations"), number(row, "tetrahedra"), number(row, "beams"), number(row, "triangles"));
  }
}
