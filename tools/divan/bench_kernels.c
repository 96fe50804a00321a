// divan bench kernels: inner loops, held against what the machine can do (S. Williams, A. Waterman, D. Patterson,
// Roofline, 2009): a loop with F operations and B bytes of data that have to pass cannot take less than max(F / peak, B
// / bandwidth).
//
// F counts additions, multiplications, divisions and roots of one element as the formulas have them; B counts every
// array once as if nothing were read twice, and what is changed in place twice. The bandwidth is the one measured for a
// working set of the same size: of reading for loops that write next to nothing, else of a[i] += s b[i], whose writing
// overlaps its reading.
#include "bench_kernels.h"

#include "force/fem/corot/tetra_corot.h"
#include "io/scene/scene_file.h"
#include "mapping/linear/weights.h"
#include "math/kernels.h"
#include "state/state.h"
#include "visual/normals.h"

#include <stdio.h>
#include <string.h>

static void time_loop(Series *s, Loop l, bool reads)
{
  if (!bench_wants(s->bench, l.name)) return;
  bench_progress("%s, %zu elements, %d threads", l.name, l.elements, s->limits.threads);
  double n = (double)l.elements, seconds = dv_best_seconds(l.call, l.user, 1e-4, 0.1);
  double compute = n * l.flops / (1e9 * s->limits.gflops),
         transport = n * l.bytes / (1e9 * dv_machine_gbytes(&s->limits, n * (l.bytes - l.changed), reads));
  json_t *k = json_pack("{s:s,s:I,s:i,s:o}", "name", l.name, "elements", (json_int_t)l.elements, "threads",
                        s->limits.threads, "ns", bench_number(1e9 * seconds / n));
  if (l.flops > 0 || l.bytes > 0) {
    json_object_set_new(k, "gflops", bench_number(1e-9 * n * l.flops / seconds));
    json_object_set_new(k, "gbytes", bench_number(1e-9 * n * l.bytes / seconds));
    json_object_set_new(k, "of_limit", bench_number(dv_max(compute, transport) / seconds));
    json_object_set_new(k, "limit", json_string(compute > transport ? "arithmetic" : "transport"));
  }
  json_array_append_new(s->out, k);
}

void bench_time_loop(Series *s, Loop l) { time_loop(s, l, false); }
void bench_time_reading(Series *s, Loop l) { time_loop(s, l, true); }

double *bench_filled(size_t n, double from)
{
  double *x = dv_alloc_aligned((n + 1) * sizeof *x);
  DV_REQUIRE(x);
  for (size_t i = 0; i < n; i++) x[i] = from + 1e-3 * (double)(i % 17);
  return x;
}

// --- vectors -------------------------------------------------------------------------------------

typedef struct Vectors {
  dvPool *pool;
  size_t n;
  double *a, *b, *c, *d, sum;
} Vectors;

static void loop_dot(void *user)
{
  Vectors *v = user;
  v->sum += dv_dot(v->pool, v->a, v->b, v->n);
}
static void loop_axpy(void *user)
{
  Vectors *v = user;
  dv_axpy(v->pool, 1e-9, v->a, v->b, v->n);
}
static void loop_xpay(void *user)
{
  Vectors *v = user;
  dv_xpay(v->pool, v->a, 0.5, v->b, v->n);
}
static void loop_copy(void *user)
{
  Vectors *v = user;
  dv_copy(v->pool, v->a, v->b, v->n);
}
static void loop_cg_step(void *user)
{
  Vectors *v = user;
  v->sum += dv_cg_step(v->pool, 1e-9, v->a, v->b, v->c, v->d, v->n);
}

static void time_vectors(Series *s, size_t n)
{
  Vectors v = {.pool = s->pool,
               .n = n,
               .a = bench_filled(n, 1),
               .b = bench_filled(n, 2),
               .c = bench_filled(n, 3),
               .d = bench_filled(n, 4)};
  bench_time_reading(s, (Loop){"vector dot", n, 2, 16, 0, loop_dot, &v});
  bench_time_loop(s, (Loop){"vector axpy", n, 2, 24, 8, loop_axpy, &v});
  bench_time_loop(s, (Loop){"vector xpay", n, 2, 24, 8, loop_xpay, &v});
  bench_time_loop(s, (Loop){"vector copy", n, 0, 16, 0, loop_copy, &v});
  bench_time_loop(s, (Loop){"vector cg step", n, 6, 48, 16, loop_cg_step, &v});
  dv_free(v.a), dv_free(v.b), dv_free(v.c), dv_free(v.d);
}

// --- corotational tetrahedra ---------------------------------------------------------------------

typedef struct Tetra {
  dvPool *pool;
  dvTetraCorot *t;
  double *x, *f;
} Tetra;

static void loop_tetra_force(void *user)
{
  Tetra *t = user;
  dv_tetra_corot_add_force(t->t, t->pool, t->x, t->f);
}
static void loop_tetra_dforce(void *user)
{
  Tetra *t = user;
  dv_tetra_corot_add_dforce(t->t, t->pool, t->x, 1e-9, t->f);
}

static void time_tetra(Series *s, const Box *box)
{
  // bytes: corners, the two material numbers, gradients, the record at rest, and positions and forces of its share of
  // points
  static const struct {
    const char *name;
    dvCorotMethod method;
    double flops, bytes;
  } methods[] = {{"tetra force, small", DV_COROT_SMALL, 161, 8 + 16 + 72 + 72},
                 {"tetra force, large", DV_COROT_LARGE, 227, 8 + 16 + 72 + 96},
                 {"tetra force, polar", DV_COROT_POLAR, 0, 0}};
  double share = 72 * (double)box->points / (double)box->count;
  double *young = bench_filled(box->count, 1000), *poisson = bench_filled(box->count, 0.3);
  for (size_t m = 0; m < DV_COUNT(methods); m++) {
    dvTetraCorotDef def = {.rest = box->position,
                           .points = box->points,
                           .tetrahedra = box->tetrahedra,
                           .count = box->count,
                           .young = young,
                           .poisson = poisson,
                           .method = methods[m].method};
    Tetra t = {.pool = s->pool, .x = bench_filled(3 * box->points, 0), .f = bench_filled(3 * box->points, 0)};
    if (dv_tetra_corot_create(&def, &t.t, NULL) == DV_OK) {
      for (size_t i = 0; i < 3 * box->points; i++) t.x[i] += box->position[i];
      double bytes = methods[m].bytes > 0 ? methods[m].bytes + share : 0;
      bench_time_loop(s, (Loop){methods[m].name, box->count, methods[m].flops, bytes, share / 3, loop_tetra_force, &t});
      if (methods[m].method == DV_COROT_LARGE)
        bench_time_loop(s,
                        (Loop){"tetra dforce", box->count, 135, 8 + 16 + 72 + share, share / 3, loop_tetra_dforce, &t});
      dv_tetra_corot_keep(t.t, false);
      if (methods[m].method == DV_COROT_LARGE)
        bench_time_loop(s, (Loop){"tetra force, large, explicit", box->count, 200, 8 + 16 + 96 + share, share / 3,
                                  loop_tetra_force, &t});
      dv_tetra_corot_destroy(&t.t);
    }
    dv_free(t.x), dv_free(t.f);
  }
  dv_free(young), dv_free(poisson);
}

// --- linear mappings -----------------------------------------------------------------------------

typedef struct Map {
  dvPool *pool;
  dvWeights weights;
  double *in, *out;
} Map;

static const dvStrides strides = {3, 3, 3};

static void loop_apply(void *user)
{
  Map *m = user;
  dv_weights_apply(&m->weights, m->pool, strides, m->in, m->out);
}
static void loop_apply_transposed(void *user)
{
  Map *m = user;
  dv_weights_apply_transposed(&m->weights, m->pool, strides, m->out, m->in);
}

// a point in every tetrahedron of the box
static void time_mapping(Series *s, const Box *box)
{
  Map m = {.pool = s->pool, .in = bench_filled(3 * box->points, 0), .out = bench_filled(3 * box->count, 0)};
  for (size_t e = 0; e < box->count; e++) {
    for (int c = 0; c < 4; c++) dv_weights_add(&m.weights, box->tetrahedra[4 * e + (size_t)c], 0.25);
    dv_weights_end_row(&m.weights);
  }
  if (dv_weights_finish(&m.weights, box->points)) {
    double share = (double)box->points / (double)box->count;
    bench_time_loop(s, (Loop){"mapping apply", box->count, 21, 4 + 48 + 24 + 24 * share, 0, loop_apply, &m});
    bench_time_loop(s, (Loop){"mapping apply transposed", box->count, 24, 48 + 24 + (4 + 48) * share, 24 * share,
                              loop_apply_transposed, &m});
  }
  dv_weights_free(&m.weights);
  dv_free(m.in), dv_free(m.out);
}

// --- normals -------------------------------------------------------------------------------------

typedef struct Normals {
  dvSurface surface;
  double *normals, *scratch;
} Normals;

static void loop_normals(void *user)
{
  Normals *n = user;
  dv_surface_normals(&n->surface, n->normals, n->scratch);
}

// a sheet of side x side squares, two triangles each
static void time_normals(Series *s, int side)
{
  if (s->pool) return;   // runs in one thread
  size_t points = (size_t)(side + 1) * (size_t)(side + 1), count = 2 * (size_t)side * (size_t)side;
  double *x = bench_filled(3 * points, 0);
  dvInts triangles = {.width = 3}, none = {.width = 4};
  if (!dv_ints_resize(&triangles, 3 * count)) return;
  int32_t *t = dv_ints_edit(&triangles);
  for (int j = 0; j <= side; j++)
    for (int i = 0; i <= side; i++) {
      size_t p = (size_t)(j * (side + 1) + i);
      x[3 * p] += i, x[3 * p + 1] += j;
    }
  for (int j = 0; j < side; j++)
    for (int i = 0; i < side; i++) {
      int32_t a = j * (side + 1) + i, b = a + 1, c = a + side + 1, d = c + 1;
      const int32_t two[6] = {a, b, d, a, d, c};
      memcpy(t, two, sizeof two);
      t += 6;
    }
  Normals n = {{.vertices = x, .vertex_count = points, .triangles = &triangles, .quads = &none},
               bench_filled(3 * points, 0),
               bench_filled(4 * points, 0)};
  double share = (double)points / (double)count;
  bench_time_loop(s, (Loop){"normals of triangles", count, 24 + 9 * share, 12 + 48 * share, 0, loop_normals, &n});
  dv_ints_free(&triangles);
  dv_free(x), dv_free(n.normals), dv_free(n.scratch);
}

// --- components, through their operations --------------------------------------------------------

typedef struct Part {
  dvObject *object;
  const dvForceOps *force;
  const dvMassOps *mass;
  dvMech m;
} Part;

static void loop_add_force(void *user)
{
  Part *p = user;
  p->force->add_force(p->object, &p->m);
}
static void loop_add_dforce(void *user)
{
  Part *p = user;
  p->force->add_dforce(p->object, &p->m);
}
static void loop_add_mdx(void *user)
{
  Part *p = user;
  p->mass->add_mdx(p->object, &p->m, 1e-9);
}

static Part part_of(dvScene *scene, const char *path)
{
  dvObject *o = dv_link_find(&scene->root->base, path, DV_ROLE_ANY);
  DV_REQUIRE(o);
  return (Part){.object = o,
                .force = dv_ops(o, DV_ROLE_FORCE),
                .mass = dv_ops(o, DV_ROLE_MASS),
                .m = {.x = DV_X, .v = DV_V, .f = DV_F, .dx = DV_V, .df = DV_DF, .k = 1e-9, .implicit = true}};
}

// A cube of points with springs along the edges of the grid and the diagonals of its planes.
static void time_springs(Series *s, int side, bool damped)
{
  char *text = dv_format("<Node><RegularGridTopology n='%d %d %d' max='%d %d %d'/><MechanicalObject/><UniformMass "
                         "name='mass' totalMass='1'/>"
                         "<MeshSpringForceField name='springs' linesStiffness='100' linesDamping='%d'/></Node>",
                         side, side, side, side, side, side, damped);
  dvContext *context = dv_divan_create(s->limits.threads);
  dvScene *scene = NULL;
  if (dv_scene_parse(context, "springs", text, strlen(text), &scene) == DV_OK && dv_scene_init(scene) == DV_OK) {
    size_t n = (size_t)side, points = n * n * n, springs = 3 * n * n * (n - 1) + 3 * n * (n - 1) * (n - 1);
    Part spring = part_of(scene, "springs"), mass = part_of(scene, "mass");
    double share = 72 * (double)points / (double)springs;
    // force: reads ends and two constants (three with damping), leaves four numbers; dforce: reads those and the
    // stiffness
    if (damped) {
      double speeds = 24 * (double)points / (double)springs;
      bench_time_loop(s, (Loop){"spring force, damped", springs, 36, 4 + 24 + 32 + share + speeds, share / 3,
                                loop_add_force, &spring});
    } else {
      bench_time_loop(s, (Loop){"spring force", springs, 26, 4 + 16 + 32 + share, share / 3, loop_add_force, &spring});
      bench_time_loop(s, (Loop){"spring dforce", springs, 26, 4 + 8 + 32 + share, share / 3, loop_add_dforce, &spring});
      spring.m.implicit = false;
      bench_time_loop(
          s, (Loop){"spring force, explicit", springs, 26, 4 + 16 + share, share / 3, loop_add_force, &spring});
      bench_time_loop(s, (Loop){"mass product, uniform", points, 6, 72, 24, loop_add_mdx, &mass});
    }
  }
  dv_scene_destroy(&scene);
  dv_divan_destroy(&context);
  dv_free(text);
}

// --- threads -------------------------------------------------------------------------------------

static void nothing(void *user, size_t begin, size_t end) { DV_UNUSED(user), DV_UNUSED(begin), DV_UNUSED(end); }
static void loop_hand_over(void *user) { dv_parallel_for(user, 2, 1, nothing, NULL); }

static void time_everything(Series *s)
{
  static const int boxes[][3] = {{5, 5, 4}, {20, 20, 19}, {44, 44, 44}};
  static const size_t lengths[] = {1500, 100000, 4000000};
  static const int sides[] = {20, 300}, cubes[] = {8, 40};
  for (size_t i = 0; i < DV_COUNT(lengths); i++) time_vectors(s, lengths[i]);
  for (size_t i = 0; i < DV_COUNT(boxes); i++) {
    Box box = box_create(boxes[i][0], boxes[i][1], boxes[i][2]);
    time_tetra(s, &box);
    time_mapping(s, &box);
    box_free(&box);
  }
  Box middle = box_create(10, 10, 10);
  bench_hyper(s, &middle);
  box_free(&middle);
  for (size_t i = 0; i < 2 * DV_COUNT(cubes); i++) time_springs(s, cubes[i / 2], i % 2 == 1);
  bench_time_matrices(s);
  bench_time_mappings(s);
  bench_time_setup(s);
  for (size_t i = 0; i < DV_COUNT(sides); i++) time_normals(s, sides[i]);
  if (s->pool) bench_time_loop(s, (Loop){"hand-over to workers", 1, 0, 0, 0, loop_hand_over, s->pool});
}

json_t *bench_kernels(const Bench *b)
{
  json_t *all = json_array();
  for (int i = 0; i < b->thread_counts; i++) {
    Series s = {.bench = b, .pool = b->threads[i] > 1 ? dv_pool_create(b->threads[i]) : NULL, .out = all};
    bench_progress("limits of %d threads", b->threads[i]);
    dv_machine_measure(&s.limits, s.pool);
    time_everything(&s);
    dv_pool_destroy(&s.pool);
  }
  return all;
}
