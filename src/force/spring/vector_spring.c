// VectorSpringForceField: springs with a rest vector instead of a length, f = ks (x_b - x_a - r) + kd (v_b - v_a) on a,
// -f on b. Products use ks alone. Springs come from a file, from the edges of a topology, or join equal points of the
// two states.
#include "force/mesh.h"
#include "force/spring/xsp.h"
#include "mechanics/pairs.h"

#include <math.h>

#define VECTOR_SPRING_FIELDS(X)                                                                              \
  X(string, springs, "", "", "springs, kept by the component", .flags = DV_HIDDEN | DV_READ_ONLY)            \
  X(file, filename, "", "", "an Xsp file (version 4) with the springs")                                      \
  X(real, stiffness, "1", "N/m", "stiffness of springs that are not from a file", .least = "0")              \
  X(real, viscosity, "1", "N s/m", "damping of springs that are not from a file")                            \
  X(bool, useTopology, "0", "", "a spring along each edge of the topology, at rest as in the rest position") \
  X(link, topology, "", "", "topology with the edges; the one of the node or above by default",              \
    .role = DV_ROLE_TOPOLOGY)

typedef struct VectorSpring {
  dvPairForce pair;
  VECTOR_SPRING_FIELDS(DV_MEMBER)
  dvXspSprings list;
  bool waiting;
  dvPairs pairs;   // springs of a file follow their points
} VectorSpring;

#define SELF VectorSpring
static const dvFieldDesc vector_spring_fields[] = {VECTOR_SPRING_FIELDS(DV_DESCRIBE)};
#undef SELF

extern const dvClass dv_vector_spring_class;

static dvXspSpring spring_along(const VectorSpring *v, const int32_t *ends, const double *x0)
{
  dvXspSpring s = {.a = ends[0], .b = ends[1], .ks = v->stiffness, .kd = v->viscosity};
  for (int k = 0; k < 3; k++) s.vector[k] = x0[3 * s.b + k] - x0[3 * s.a + k];
  return s;
}

static dvStatus add_edges(VectorSpring *v)
{
  dvObject *o = &v->pair.base;
  dvTopology *t = dv_force_topology(o, &v->topology);
  const dvInts *edges = t ? dv_force_elements(o, t, DV_EDGE, v->pair.first) : NULL;
  if (!edges) return DV_ERROR_INPUT;
  const double *x0 = dv_state_read(v->pair.first, DV_X_REST);
  for (size_t i = 0; i < edges->count; i += 2) dv_push(&v->list, spring_along(v, edges->data + i, x0));
  return DV_OK;
}

static void vector_spring_follow(VectorSpring *v)
{
  dvObject *o = &v->pair.base;
  const dvState *states[2] = {v->pair.first, v->pair.second};
  if (*v->filename) DV_PAIRS_FOLLOW(&v->pairs, o, v->pair.first, v->pair.second, &v->list, a, b);
  else
    for (int i = 0; i < 2; i++)
      if (states[i]->topology) dv_follow(o, states[i]->topology);
}

static dvStatus vector_spring_reinit(dvObject *o)
{
  VectorSpring *v = (VectorSpring *)o;
  v->list.count = 0;
  if (*v->filename) DV_TRY(dv_xsp_read(o, &v->filename, &v->list));
  else if (v->useTopology) DV_TRY(add_edges(v));
  else
    for (size_t i = 0; i < v->pair.first->count; i++)
      dv_push(&v->list, ((dvXspSpring){.a = (int32_t)i, .b = (int32_t)i, .ks = v->stiffness, .kd = v->viscosity}));
  for (size_t i = 0; i < v->list.count; i++) {
    const dvXspSpring *s = &v->list.data[i];
    if ((size_t)s->a < v->pair.first->count && (size_t)s->b < v->pair.second->count) continue;
    dvStatus status =
        dv_error(o, NULL, "spring %zu joins points %d and %d, but %s has %zu points and %s %zu", i, s->a, s->b,
                 v->pair.first->base.name, v->pair.first->count, v->pair.second->base.name, v->pair.second->count);
    v->list.count = 0;
    return status;
  }
  vector_spring_follow(v);
  return DV_OK;
}

// springs along the edges of the mesh
static bool patch(dvObject *o)
{
  VectorSpring *v = (VectorSpring *)o;
  dvTopology *mesh = dv_topology(v->topology.target);
  const int32_t *ends = dv_topology_elements(mesh, DV_EDGE)->data;
  size_t edges = dv_topology_count(mesh, DV_EDGE), points = dv_topology_point_count(mesh);
  const double *x0 = dv_state_read(v->pair.first, DV_X_REST);
  if (v->list.count != dv_trace_before(dv_topology_trace(mesh), DV_EDGE, edges) || points > v->pair.first->count ||
      points > v->pair.second->count)
    return false;
  dvNumbers some = {0};
  dv_trace_shapes(mesh, DV_EDGE, &some);
  dv_array_resize(&v->list, edges);
  for (size_t i = 0; i < some.count; i++) v->list.data[some.data[i]] = spring_along(v, ends + 2 * some.data[i], x0);
  dv_array_free(&some);
  return true;
}

// springs of a file stay with their points
static void vector_spring_topology_changed(dvObject *o)
{
  VectorSpring *v = (VectorSpring *)o;
  if (*v->filename) DV_PAIRS_GIVE(&v->pairs, &v->list, a, b);
  else
    dv_force_patch_or_remake(o, v->useTopology && v->topology.target ? dv_topology(v->topology.target) : NULL, patch);
}

static dvStatus vector_spring_init(dvObject *o)
{
  VectorSpring *v = (VectorSpring *)o;
  DV_TRY(dv_pair_force_init(o));
  v->waiting = !v->pair.first->base.initialised || !v->pair.second->base.initialised;
  return v->waiting ? DV_OK : vector_spring_reinit(o);
}

static void vector_spring_store_reset(dvObject *o)
{
  VectorSpring *v = (VectorSpring *)o;
  if (v->waiting) vector_spring_reinit(o);
  v->waiting = false;
}

static bool is_there(const VectorSpring *v, const dvXspSpring *s)
{
  return (size_t)s->a < v->pair.first->count && (size_t)s->b < v->pair.second->count;
}

static void vector_spring_add_force(dvObject *o, const dvMech *m)
{
  VectorSpring *v = (VectorSpring *)o;
  const double *x1 = dv_state_read(v->pair.first, m->x), *x2 = dv_state_read(v->pair.second, m->x);
  const double *v1 = dv_state_read(v->pair.first, m->v), *v2 = dv_state_read(v->pair.second, m->v);
  double *f1 = dv_state_write(v->pair.first, m->f), *f2 = dv_state_write(v->pair.second, m->f);
  for (size_t i = 0; i < v->list.count; i++) {
    const dvXspSpring *s = &v->list.data[i];
    for (int k = 0; k < 3 && is_there(v, s); k++) {
      double f =
          s->ks * (x2[3 * s->b + k] - x1[3 * s->a + k] - s->vector[k]) + s->kd * (v2[3 * s->b + k] - v1[3 * s->a + k]);
      f1[3 * s->a + k] += f;
      f2[3 * s->b + k] -= f;
    }
  }
}

static void vector_spring_add_dforce(dvObject *o, const dvMech *m)
{
  VectorSpring *v = (VectorSpring *)o;
  const double *dx1 = dv_state_read(v->pair.first, m->dx), *dx2 = dv_state_read(v->pair.second, m->dx);
  double *df1 = dv_state_write(v->pair.first, m->df), *df2 = dv_state_write(v->pair.second, m->df),
         factor = dv_mech_k(m, v->pair.rayleighStiffness);
  for (size_t i = 0; i < v->list.count; i++) {
    const dvXspSpring *s = &v->list.data[i];
    for (int k = 0; k < 3 && is_there(v, s); k++) {
      double df = factor * s->ks * (dx2[3 * s->b + k] - dx1[3 * s->a + k]);
      df1[3 * s->a + k] += df;
      df2[3 * s->b + k] -= df;
    }
  }
}

static void vector_spring_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  VectorSpring *v = (VectorSpring *)o;
  double factor = dv_mech_k(m, v->pair.rayleighStiffness);
  for (size_t i = 0; i < v->list.count; i++) {
    const dvXspSpring *s = &v->list.data[i];
    double k = factor * s->ks, plus[9] = {k, 0, 0, 0, k, 0, 0, 0, k}, minus[9] = {-k, 0, 0, 0, -k, 0, 0, 0, -k};
    if (!is_there(v, s)) continue;
    sink->add(sink, v->pair.first, (size_t)s->a, v->pair.first, (size_t)s->a, 3, 3, minus);
    sink->add(sink, v->pair.first, (size_t)s->a, v->pair.second, (size_t)s->b, 3, 3, plus);
    sink->add(sink, v->pair.second, (size_t)s->b, v->pair.first, (size_t)s->a, 3, 3, plus);
    sink->add(sink, v->pair.second, (size_t)s->b, v->pair.second, (size_t)s->b, 3, 3, minus);
  }
}

static double vector_spring_energy(dvObject *o, const dvMech *m)
{
  VectorSpring *v = (VectorSpring *)o;
  const double *x1 = dv_state_read(v->pair.first, m->x), *x2 = dv_state_read(v->pair.second, m->x);
  double sum = 0;
  for (size_t i = 0; i < v->list.count; i++) {
    const dvXspSpring *s = &v->list.data[i];
    for (int k = 0; k < 3 && is_there(v, s); k++) {
      double e = x2[3 * s->b + k] - x1[3 * s->a + k] - s->vector[k];
      sum += 0.5 * s->ks * e * e;
    }
  }
  return sum;
}

static void vector_spring_pairs(dvObject *o, dvInts *out)
{
  const VectorSpring *v = (const VectorSpring *)o;
  if (!dv_ints_resize(out, 2 * v->list.count)) return;
  for (size_t i = 0; i < v->list.count; i++) {
    out->data[2 * i] = v->list.data[i].a;
    out->data[2 * i + 1] = v->list.data[i].b;
  }
}

static void vector_spring_destroy(dvObject *o)
{
  dv_array_free(&((VectorSpring *)o)->list);
  dv_pairs_free(&((VectorSpring *)o)->pairs);
}

static const dvForceOps vector_spring_ops = {
    .add_force = vector_spring_add_force,
    .add_dforce = vector_spring_add_dforce,
    .add_stiffness = vector_spring_add_stiffness,
    .energy = vector_spring_energy,
    DV_PAIR_FORCE_SLOTS,
    .pairs = vector_spring_pairs,
};

const dvClass dv_vector_spring_class = {
    .struct_size = sizeof(dvClass),
    .name = "VectorSpringForceField",
    .help = "springs that have a vector at rest, not only a length",
    .module = "Sofa.Component.SolidMechanics.Spring",
    .dofs = DV_DOF_VEC3,
    .size = sizeof(VectorSpring),
    .blocks = {&dv_object_block, &dv_pair_force_block, DV_BLOCK(vector_spring_fields)},
    .ops = {[DV_ROLE_FORCE] = &vector_spring_ops},
    .init = vector_spring_init,
    .reinit = vector_spring_reinit,
    .store_reset = vector_spring_store_reset,
    .destroy = vector_spring_destroy,
    .topology_changed = vector_spring_topology_changed,
};
