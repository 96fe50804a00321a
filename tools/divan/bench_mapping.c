// divan bench kernels --filter million: what mappings cost for surfaces that are only drawn. A million points in 50,400
// tetrahedra are located once and follow in every step; another million follows one frame.
#include "bench_kernels.h"

#include "io/scene/scene_file.h"
#include "mapping/linear/weights.h"
#include "state/state.h"
#include "topology/search/locate.h"

#include <string.h>

enum { MILLION = 1000000 };

typedef struct Cloud {
  dvPool *pool;
  dvLocateDef def;
  double *points, *in, *out;
  dvLocation *at;
  dvWeights weights;
} Cloud;

// places in the unit cube, spread evenly (a low-discrepancy sequence), in an order that jumps
static void scatter(double *points, const double size[3])
{
  static const double step[3] = {0.8191725133961645, 0.6710436067037893, 0.5497004779019703};
  for (size_t i = 0; i < MILLION; i++)
    for (size_t k = 0; k < 3; k++) {
      double at = (double)i * step[k];
      points[3 * i + k] = size[k] * (at - (double)(size_t)at);
    }
}

static void loop_locate(void *user)
{
  Cloud *c = user;
  dv_locate(&c->def, c->pool, c->points, MILLION, c->at);
}

static void loop_apply(void *user)
{
  Cloud *c = user;
  dv_weights_apply(&c->weights, c->pool, (dvStrides){3, 3, 3}, c->in, c->out);
}

static void time_cloud(Series *s)
{
  Box box = box_create(20, 20, 21);
  Cloud c = {.pool = s->pool,
             .points = bench_filled(3 * MILLION, 0),
             .out = bench_filled(3 * MILLION, 0),
             .in = bench_filled(3 * box.points, 0)};
  c.at = dv_alloc(MILLION * sizeof *c.at);
  c.def = (dvLocateDef){.x = box.position, .lists = {{DV_TETRAHEDRON, box.tetrahedra, box.count}}};
  scatter(c.points, box.position + 3 * (box.points - 1));
  bench_time_loop(s, (Loop){"million points, located in a mesh", MILLION, 0, 0, 0, loop_locate, &c});
  c.def.cell = 0.12;   // near the mean length of an edge, which set containers take
  bench_time_loop(s, (Loop){"million points, located in a set", MILLION, 0, 0, 0, loop_locate, &c});
  if (bench_wants(s->bench, "million points, barycentric apply")) {
    loop_locate(&c);
    for (size_t i = 0; i < MILLION; i++) {
      double w[8];
      int n = dv_locate_weights(DV_TETRAHEDRON, c.at[i].local, w);
      for (int k = 0; k < n && c.at[i].element >= 0; k++)
        dv_weights_add(&c.weights, box.tetrahedra[4 * c.at[i].element + k], w[k]);
      dv_weights_end_row(&c.weights);
    }
    if (dv_weights_finish(&c.weights, box.points))
      bench_time_loop(s, (Loop){"million points, barycentric apply", MILLION, 21, 4 + 48 + 24, 0, loop_apply, &c});
    dv_weights_free(&c.weights);
  }
  dv_free(c.points), dv_free(c.out), dv_free(c.in), dv_free(c.at);
  box_free(&box);
}

// --- a rigid body --------------------------------------------------------------------------------

typedef struct Body {
  dvObject *mapping;
  const dvMappingOps *ops;
} Body;

static void loop_rigid(void *user)
{
  Body *b = user;
  b->ops->apply(b->mapping, DV_X, DV_X);
}

static void time_rigid(Series *s)
{
  static const char text[] = "<Node><MechanicalObject template='Rigid3' position='1 2 3 0.5 0.5 0.5 0.5'/><Node "
                             "name='c'><RegularGridTopology n='100 100 100' max='1 1 1'/>"
                             "<MechanicalObject name='points'/><RigidMapping name='map'/></Node></Node>";
  if (!bench_wants(s->bench, "million points, rigid apply")) return;
  dvContext *context = dv_divan_create(s->limits.threads);
  dvScene *scene = NULL;
  if (dv_scene_parse(context, "rigid", text, strlen(text), &scene) == DV_OK && dv_scene_init(scene) == DV_OK) {
    Body b = {.mapping = dv_link_find(&scene->root->base, "c/map", DV_ROLE_ANY)};
    DV_REQUIRE(b.mapping);
    b.ops = dv_ops(b.mapping, DV_ROLE_MAPPING);
    bench_time_loop(s, (Loop){"million points, rigid apply", MILLION, 30, 24 + 24, 0, loop_rigid, &b});
  }
  dv_scene_destroy(&scene);
  dv_divan_destroy(&context);
}

void bench_time_mappings(Series *s)
{
  time_cloud(s);
  time_rigid(s);
}
