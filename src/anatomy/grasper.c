// Grasper: jaws that close on tissue, hold what lies between them, and let go.
//
// The jaws are four points J_j that move together (mapped from the frame of a tool, not in one plane). When they close,
// the point of the tissue nearest to their middle, within `reach`, is taken, and what hangs together with it within the
// same reach. Each point that is held has weights w with sum w_j J_j = x and sum w_j = 1 at that moment, so that it
// goes with the jaws however they move and turn:
//
//   f on x = -k d,   f on J_j = k w_j d,   d = x - sum w_j J_j
//
// Forces and torques of tool and tissue cancel, and the stiffness is constant. Pulled harder than `maxForce` the tissue
// slips out; then the jaws have to be opened first. They close while `closed` is set, which a key does too, while a
// button of a device is held, or at given times.
#include "anatomy/register.h"
#include "anatomy/switch.h"
#include "math/vec.h"
#include "mechanics/component.h"
#include "mechanics/pairs.h"

#include <math.h>
#include <string.h>

#define GRASPER_FIELDS(X)                                                                                     \
  X(bool, closed, "0", "", "close the jaws")                                                                  \
  X(real, reach, "0.002", "m", "tissue within this distance of the middle of the jaws is held", .least = "0") \
  X(real, stiffness, "100", "N/m", "how firmly, for all points together", .least = "0")                       \
  X(real, maxForce, "0", "N", "pulled harder the tissue slips out; 0: it never does", .least = "0")           \
  X(int, held, "0", "", "points that are held", .flags = DV_READ_ONLY)                                        \
  X(real, force, "0", "N", "how hard the tissue pulls at the jaws", .flags = DV_READ_ONLY)                    \
  X(int, slips, "0", "", "how often it slipped out", .flags = DV_READ_ONLY)

typedef struct Grasper {
  dvPairForce pair;
  GRASPER_FIELDS(DV_MEMBER)
  DV_SWITCH_FIELDS(DV_MEMBER)
  dvSwitch switched;
  dvInts points;     // that are held
  dvReals weights;   // four each
  dvElementList *followed;
  bool shut;   // were closed in the last step
} Grasper;

#define SELF Grasper
static const dvFieldDesc grasper_fields[] = {GRASPER_FIELDS(DV_DESCRIBE) DV_SWITCH_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc grasper_memory[] = {
    DV_REMEMBER(ints, points) DV_REMEMBER(reals, weights) DV_REMEMBER(numbers, shut) DV_REMEMBER(numbers, held)
        DV_REMEMBER(numbers, force) DV_REMEMBER(numbers, slips) DV_REMEMBER(numbers, closed)};
#undef SELF

enum { JAWS = 4 };

// --- force ---------------------------------------------------------------------------------------

static size_t held_count(const Grasper *g) { return g->points.count; }
static double stiffness_each(const Grasper *g) { return g->stiffness / (double)held_count(g); }

// x of a held point less the place in the jaws that it belongs to
static dvVec3 apart(const Grasper *g, size_t i, const double *jaws, const double *tissue)
{
  dvVec3 d = dv_vec3_load(tissue + 3 * (size_t)g->points.data[i]);
  for (int j = 0; j < JAWS; j++) d = dv_vec3_add_scaled(d, dv_vec3_load(jaws + 3 * j), -g->weights.data[JAWS * i + j]);
  return d;
}

static void spread(const Grasper *g, double factor, const double *jaws, const double *tissue, double *on_jaws,
                   double *on_tissue)
{
  for (size_t i = 0; i < held_count(g); i++) {
    dvVec3 f = dv_vec3_scale(apart(g, i, jaws, tissue), factor);
    dv_vec3_accumulate(on_tissue + 3 * (size_t)g->points.data[i], f);
    for (int j = 0; j < JAWS; j++)
      dv_vec3_accumulate(on_jaws + 3 * j, dv_vec3_scale(f, -g->weights.data[JAWS * i + j]));
  }
}

static void grasper_add_force(dvObject *o, const dvMech *m)
{
  const Grasper *g = (const Grasper *)o;
  dvState *jaws = g->pair.first, *tissue = g->pair.second;
  if (!held_count(g)) return;
  spread(g, -stiffness_each(g), dv_state_read(jaws, m->x), dv_state_read(tissue, m->x), dv_state_write(jaws, m->f),
         dv_state_write(tissue, m->f));
}

static void grasper_add_dforce(dvObject *o, const dvMech *m)
{
  const Grasper *g = (const Grasper *)o;
  dvState *jaws = g->pair.first, *tissue = g->pair.second;
  if (!held_count(g)) return;
  spread(g, -stiffness_each(g) * dv_mech_k(m, g->pair.rayleighStiffness), dv_state_read(jaws, m->dx),
         dv_state_read(tissue, m->dx), dv_state_write(jaws, m->df), dv_state_write(tissue, m->df));
}

static void add_block(dvMatrixSink *sink, const dvState *a, size_t row, const dvState *b, size_t col, double value)
{
  double block[9] = {value, 0, 0, 0, value, 0, 0, 0, value};
  sink->add(sink, a, row, b, col, 3, 3, block);
}

static void grasper_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  const Grasper *g = (const Grasper *)o;
  const dvState *jaws = g->pair.first, *tissue = g->pair.second;
  if (!held_count(g)) return;
  double k = -stiffness_each(g) * dv_mech_k(m, g->pair.rayleighStiffness);
  for (size_t i = 0; i < held_count(g); i++) {
    const double *w = g->weights.data + JAWS * i;
    size_t p = (size_t)g->points.data[i];
    add_block(sink, tissue, p, tissue, p, k);
    for (size_t j = 0; j < JAWS; j++) {
      add_block(sink, tissue, p, jaws, j, -k * w[j]);
      add_block(sink, jaws, j, tissue, p, -k * w[j]);
      for (size_t l = 0; l < JAWS; l++) add_block(sink, jaws, j, jaws, l, k * w[j] * w[l]);
    }
  }
}

static double grasper_energy(dvObject *o, const dvMech *m)
{
  const Grasper *g = (const Grasper *)o;
  double sum = 0;
  for (size_t i = 0; i < held_count(g); i++)
    sum += dv_vec3_norm2(apart(g, i, dv_state_read(g->pair.first, m->x), dv_state_read(g->pair.second, m->x)));
  return held_count(g) ? 0.5 * stiffness_each(g) * sum : 0;
}

// --- closing and opening -------------------------------------------------------------------------

static dvVec3 middle_of(const Grasper *g)
{
  const double *x = dv_state_read(g->pair.first, DV_X);
  dvVec3 sum = {0};
  for (int j = 0; j < JAWS; j++) sum = dv_vec3_add_scaled(sum, dv_vec3_load(x + 3 * j), 1.0 / JAWS);
  return sum;
}

static void let_go(Grasper *g)
{
  if (!dv_ints_resize(&g->points, 0) || !dv_reals_resize(&g->weights, 0)) g->pair.base.failed = true;
  dv_element_list_forget(g->followed);
}

// weights of the four jaws that give a place; false when they lie in a plane
static bool weights_of(const Grasper *g, dvVec3 p, double w[JAWS])
{
  const double *x = dv_state_read(g->pair.first, DV_X);
  dvVec3 o = dv_vec3_load(x), a = dv_vec3_sub(dv_vec3_load(x + 3), o), b = dv_vec3_sub(dv_vec3_load(x + 6), o),
         c = dv_vec3_sub(dv_vec3_load(x + 9), o), d = dv_vec3_sub(p, o);
  double volume = dv_vec3_dot(a, dv_vec3_cross(b, c)), size = dv_vec3_norm(a) * dv_vec3_norm(b) * dv_vec3_norm(c);
  if (!(fabs(volume) > 1e-6 * size)) return false;
  w[1] = dv_vec3_dot(d, dv_vec3_cross(b, c)) / volume;
  w[2] = dv_vec3_dot(a, dv_vec3_cross(d, c)) / volume;
  w[3] = dv_vec3_dot(a, dv_vec3_cross(b, d)) / volume;
  w[0] = 1 - w[1] - w[2] - w[3];
  return true;
}

static bool is_held(const Grasper *g, int32_t point)
{
  for (size_t i = 0; i < g->points.count; i++)
    if (g->points.data[i] == point) return true;
  return false;
}

// false when there is no room
static bool hold(Grasper *g, int32_t point)
{
  size_t n = g->points.count;
  double w[JAWS];
  if (!weights_of(g, dv_vec3_load(dv_state_read(g->pair.second, DV_X) + 3 * (size_t)point), w)) return false;
  if (!dv_ints_resize(&g->points, n + 1) || !dv_reals_resize(&g->weights, JAWS * (n + 1))) return false;
  dv_ints_edit(&g->points)[n] = point;
  memcpy(dv_reals_edit(&g->weights) + JAWS * n, w, sizeof w);
  return true;
}

// points of the elements around a point that is held
static bool hold_around(Grasper *g, dvTopology *mesh, dvElementKind kind, int32_t point, dvVec3 middle)
{
  const double *x = dv_state_read(g->pair.second, DV_X);
  int n = dv_element_points(kind);
  for (int32_t at = dv_topology_first_at(mesh, kind, point); at >= 0; at = dv_topology_next_at(mesh, kind, at)) {
    const int32_t *c = dv_topology_elements(mesh, kind)->data + at / n * n;
    for (int k = 0; k < n; k++) {
      if (dv_vec3_norm(dv_vec3_sub(dv_vec3_load(x + 3 * (size_t)c[k]), middle)) > g->reach || is_held(g, c[k]))
        continue;
      if (!hold(g, c[k])) return false;
    }
  }
  return true;
}

enum { MOST_HELD = 200 };

static void grasp(Grasper *g)
{
  const dvState *tissue = g->pair.second;
  const double *x = dv_state_read(tissue, DV_X);
  dvVec3 middle = middle_of(g);
  double nearest = g->reach;
  int32_t first = -1;
  for (size_t i = 0; i < tissue->count; i++) {
    double d = dv_vec3_norm(dv_vec3_sub(dv_vec3_load(x + 3 * i), middle));
    // a point that no element has any more is no tissue
    bool there = !tissue->topology ||
                 dv_topology_first_at(tissue->topology, dv_topology_largest(tissue->topology), (int32_t)i) >= 0;
    if (d < nearest && there) nearest = d, first = (int32_t)i;
  }
  if (first < 0 || !hold(g, first)) return;
  dvTopology *mesh = tissue->topology;
  if (mesh)
    for (size_t i = 0; i < g->points.count && g->points.count < MOST_HELD; i++)
      if (!hold_around(g, mesh, dv_topology_largest(mesh), g->points.data[i], middle)) break;
  dv_element_list_forget(g->followed);
}

static void measure(Grasper *g)
{
  dvVec3 sum = {0};
  for (size_t i = 0; i < held_count(g); i++)
    sum = dv_vec3_add_scaled(sum, apart(g, i, dv_state_read(g->pair.first, DV_X), dv_state_read(g->pair.second, DV_X)),
                             stiffness_each(g));
  g->force = dv_vec3_norm(sum);
  if (g->maxForce > 0 && g->force > g->maxForce) let_go(g), g->slips++, g->force = 0;
}

static void grasper_event(dvObject *o, const dvEvent *event)
{
  Grasper *g = (Grasper *)o;
  if (dv_switch_key(event, g->key)) {
    g->closed = !g->closed;
    dv_touch(o, &g->closed);
  }
  if (event->kind == DV_EVENT_ANIMATE_BEGIN) {
    bool shut = dv_switch_is_on(&g->switched, g->closed, o->node->time);
    if (shut && !g->shut) grasp(g);
    if (!shut && g->shut) let_go(g);
    g->shut = shut;
  } else if (event->kind == DV_EVENT_ANIMATE_END) {
    measure(g);
  } else {
    return;
  }
  g->held = (int32_t)held_count(g);
  dv_touch(o, &g->held), dv_touch(o, &g->force), dv_touch(o, &g->slips);
}

// --- set-up --------------------------------------------------------------------------------------

static dvStatus grasper_check(dvObject *o)
{
  Grasper *g = (Grasper *)o;
  if (g->pair.first == g->pair.second)
    return dv_field_error(o, &g->pair.object2, NULL, "jaws cannot hold themselves: object1 and object2 are one state");
  if (g->pair.first->count != JAWS)
    return dv_field_error(o, &g->pair.object1, "map four points from the frame of the tool, not all in one plane",
                          "%s has %zu points, jaws are four", g->pair.first->base.name, g->pair.first->count);
  double w[JAWS];
  if (!weights_of(g, middle_of(g), w))
    return dv_field_error(o, &g->pair.object1, "move one of them out of the plane",
                          "the four points of %s lie in one plane", g->pair.first->base.name);
  DV_TRY(dv_switch_init(&g->switched, o, &g->driver, &g->button, &g->times));
  if (!(g->reach >= 0) || !(g->stiffness >= 0))
    return dv_error(o, "reach and stiffness are at least 0", "jaws cannot have reach %g, stiffness %g", g->reach,
                    g->stiffness);
  g->points.width = 1, g->weights.width = 1;
  g->followed = dv_follow_points(o, g->pair.second, &g->points);
  if (g->followed) return dv_element_list_add_groups(g->followed, &g->weights, JAWS, false);
  return DV_OK;
}

static bool grasper_restored(dvObject *o)
{
  Grasper *g = (Grasper *)o;
  for (size_t i = 0; i < g->points.count; i++)
    if (g->points.data[i] < 0 || (size_t)g->points.data[i] >= g->pair.second->count) return false;
  dv_element_list_forget(g->followed);
  return g->weights.count == JAWS * g->points.count;
}

static void grasper_destroy(dvObject *o)
{
  Grasper *g = (Grasper *)o;
  dv_ints_free(&g->points);
  dv_reals_free(&g->weights);
}

static const dvForceOps grasper_ops = {
    .add_force = grasper_add_force,
    .add_dforce = grasper_add_dforce,
    .add_stiffness = grasper_add_stiffness,
    .energy = grasper_energy,
    DV_PAIR_FORCE_SLOTS,
};

const dvClass dv_grasper_class = {
    .struct_size = sizeof(dvClass),
    .name = "Grasper",
    .help = "jaws of a tool that close on tissue and hold it, by a button, at given times or when told",
    .module = "Anatomy",
    .dofs = DV_DOF_VEC3,
    .size = sizeof(Grasper),
    .blocks = {&dv_object_block, &dv_pair_force_block, DV_BLOCK(grasper_fields)},
    .presets = "listening=1",
    .ops = {[DV_ROLE_FORCE] = &grasper_ops},
    .init = dv_pair_force_init,
    .bwd_init = grasper_check,
    .handle_event = grasper_event,
    .restored = grasper_restored,
    .destroy = grasper_destroy,
    DV_MEMORY(grasper_memory),
};
