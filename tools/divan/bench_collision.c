// divan bench collision: how long it takes to find contacts, and how that grows with the number of elements.
//
// Two sheets of triangles whose waves touch crest to crest, and a cloud of spheres; all points move before every
// search. What is measured is a pass of the pipeline without a response: boxes, trees, pairs of models, contacts.
#include "bench.h"

#include "base/clock.h"
#include "collision/collision.h"
#include "io/scene/scene_file.h"
#include "scene/plan.h"

#include <math.h>
#include <stdio.h>

enum { PASSES = 30 };

typedef struct Subject {
  const char *name, *per;
  size_t elements[BENCH_SIZES];
  char *(*scene)(size_t elements);
  void (*move)(dvScene *scene, double time);
} Subject;

static const char head[] =
    "<Node><DefaultAnimationLoop/><CollisionPipeline depth=\"%d\"/><BruteForceBroadPhase/><BVHNarrowPhase/>"
    "<NewProximityIntersection alarmDistance=\"%.17g\" contactDistance=\"%.17g\"/>"
    "<CollisionResponse response=\"nullptr\"/>";

// trees whose leaves have about eight elements
static int depth_for(size_t elements) { return (int)ceil(log2((double)elements / 8)); }

// --- sheets --------------------------------------------------------------------------------------

static char *sheets_scene(size_t elements)
{
  int side = (int)round(sqrt((double)elements / 2)) + 1;
  double step = 1.0 / (side - 1);
  dvText t = {0};
  dv_text_printf(&t, head, depth_for(elements), 0.4 * step, 0.3 * step);
  for (int k = 0; k < 2; k++) {
    dv_text_printf(&t, "<Node><MeshTopology position=\"");
    for (int i = 0; i < side * side; i++) dv_text_printf(&t, "%.6f %.6f 0 ", i % side * step, i / side * step);
    dv_text_printf(&t, "\" triangles=\"");
    for (int i = 0; i < (side - 1) * (side - 1); i++) {
      int p = i / (side - 1) * side + i % (side - 1);
      dv_text_printf(&t, "%d %d %d %d %d %d ", p, p + 1, p + side, p + 1, p + side + 1, p + side);
    }
    dv_text_printf(&t, "\"/><MechanicalObject/><TriangleCollisionModel group=\"%d\"/></Node>", k + 1);
  }
  dv_text_add(&t, "</Node>");
  return t.text;
}

// waves as high as a cell is wide, crests of the lower sheet a little below those of the upper one
static void move_sheets(dvScene *scene, double time)
{
  for (size_t k = 0; k < 2; k++) {
    dvState *s = dv_state(scene->plan->states.data[k]);
    double *x = dv_state_write(s, DV_X), side = sqrt((double)s->count), step = 1 / (side - 1);
    for (size_t i = 0; i < s->count; i++) {
      double u = (double)(i % (size_t)side) * step, v = (double)(i / (size_t)side) * step;
      double wave = sin(20 * u + time) * sin(20 * v + 0.5 * time);
      x[3 * i] = u + (k ? 0.37 * step : 0), x[3 * i + 1] = v + (k ? 0.21 * step : 0);
      x[3 * i + 2] = step * (k ? 2.05 - wave : wave);
    }
  }
}

// --- spheres -------------------------------------------------------------------------------------

static double random_number(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-53;
}

// as dense as sand that falls: a sphere has one neighbour that it touches, on average
static char *spheres_scene(size_t elements)
{
  uint64_t seed = 1;
  double radius = 0.5 * cbrt(1 / (4.19 * (double)elements));
  dvText t = {0};
  dv_text_printf(&t, head, depth_for(elements), 0.02 * radius, 0.01 * radius);
  dv_text_printf(&t, "<Node><MechanicalObject position=\"");
  for (size_t i = 0; i < 3 * elements; i++) dv_text_printf(&t, "%.6f ", random_number(&seed));
  dv_text_printf(&t, "\"/><SphereCollisionModel radius=\"%.17g\" selfCollision=\"1\"/></Node></Node>", radius);
  return t.text;
}

// each on a circle of its own, slowly
static void move_spheres(dvScene *scene, double time)
{
  dvState *s = dv_state(scene->plan->states.data[0]);
  double *x = dv_state_write(s, DV_X);
  for (size_t i = 0; i < s->count; i++) {
    double radius = 0.01 / cbrt((double)s->count), phase = time + (double)i;
    x[3 * i] += radius * cos(phase), x[3 * i + 1] += radius * sin(phase);
  }
}

// --- measuring -----------------------------------------------------------------------------------

static const Subject subjects[] = {
    {"two deforming surfaces", "triangles each", {1250, 5000, 20000, 80000, 180000}, sheets_scene, move_sheets},
    {"moving spheres", "spheres", {1000, 3000, 10000, 30000, 100000}, spheres_scene, move_spheres},
};

// the best of some passes in ms; below 0 when the scene does not run
static double time_passes(const void *subject, size_t elements, int threads, size_t *contacts)
{
  const Subject *s = subject;
  dvContext *context = dv_divan_create(threads);
  context->log.threshold = DV_ERROR;
  char *text = s->scene(elements);
  dvScene *scene = NULL;
  double best = INFINITY;
  bool good = dv_scene_parse(context, "bench", text, strlen(text), &scene) == DV_OK && dv_scene_init(scene) == DV_OK;
  dv_free(text);
  for (int i = -2; good && i < PASSES; i++) {
    dvObject *pipeline = scene->plan->pipelines.data[0];
    s->move(scene, 0.05 * i);
    double began = dv_now();
    good = ((const dvCollisionOps *)dv_ops(pipeline, DV_ROLE_COLLISION))->collide(pipeline, 0.01, contacts) == DV_OK;
    if (i >= 0) best = dv_min(best, 1e3 * (dv_now() - began));
  }
  dv_scene_destroy(&scene);
  dv_divan_destroy(&context);
  return good ? best : -1;
}

json_t *bench_collision(const Bench *b)
{
  json_t *all = json_array();
  for (size_t i = 0; i < DV_COUNT(subjects); i++)
    for (int k = 0; k < b->thread_counts; k++)
      if (bench_wants(b, subjects[i].name))
        json_array_append_new(all, bench_over_sizes(b, subjects[i].name, subjects[i].per, subjects[i].elements,
                                                    b->threads[k], time_passes, &subjects[i]));
  return all;
}
