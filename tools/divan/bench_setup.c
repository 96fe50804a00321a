// divan bench kernels, continued: what prepares a scene. Selections, grids.
#include "bench_kernels.h"

#include "io/scene/scene_file.h"

#include <string.h>

typedef struct Prepared {
  const char *text;
  int threads;
  dvScene *scene;
  dvObject *engine;
  dvField *input;
} Prepared;

static bool start(Prepared *p)
{
  dvContext *context = dv_divan_create(p->threads);
  context->log.threshold = DV_ERROR;
  if (dv_scene_parse(context, "bench", p->text, strlen(p->text), &p->scene) == DV_OK &&
      dv_scene_init(p->scene) == DV_OK)
    return true;
  dv_scene_destroy(&p->scene);
  dv_divan_destroy(&context);
  return false;
}

static void finish(Prepared *p)
{
  dvContext *context = p->scene->context;
  dv_scene_destroy(&p->scene);
  dv_divan_destroy(&context);
}

// the engine runs again as if its input had changed
static void loop_engine(void *user)
{
  Prepared *p = user;
  dv_field_touch(p->input);
  dv_object_update(p->engine);
}

// a whole scene, from its text to the state before the first step
static void loop_scene(void *user)
{
  Prepared *p = user;
  if (start(p)) finish(p);
}

// a tenth of the points of a grid in a box
static void time_selection(Series *s)
{
  Prepared p = {.threads = s->limits.threads,
                .text = "<Node><RegularGridTopology name='grid' n='100 100 100' max='1 1 1'/><BoxROI name='roi' "
                        "position='@grid.position' box='0 0 0 1 0.1 1'/></Node>"};
  if (!start(&p)) return;
  p.engine = dv_link_find(&p.scene->root->base, "roi", DV_ROLE_ANY);
  p.input = dv_object_field(p.engine, "box");
  bench_time_reading(s, (Loop){"selection of points in a box", 1000000, 6, 24 + 1 + 0.4, 0, loop_engine, &p});
  finish(&p);
}

void bench_time_setup(Series *s)
{
  time_selection(s);
  Prepared grid = {.threads = s->limits.threads,
                   .text = "<Node><RegularGridTopology n='160 160 160' max='1 1 1'/><MechanicalObject/></Node>"};
  bench_time_loop(s, (Loop){"set-up of a regular grid, points", 160 * 160 * 160, 0, 0, 0, loop_scene, &grid});
  Prepared sparse = {
      .threads = s->limits.threads,
      .text =
          "<Node><GenerateSphere name='ball' radius='1' tessellationDegree='71'/><SparseGridTopology n='128 128 128' "
          "position='@ball.output_TrianglesPosition' triangles='@ball.triangles'/><MechanicalObject/></Node>"};
  bench_time_loop(s, (Loop){"set-up of a sparse grid of 128^3, triangles", 20 * 71 * 71, 0, 0, 0, loop_scene, &sparse});
}
