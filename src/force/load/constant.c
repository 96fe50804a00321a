// ConstantForceField: f_i += F_i, whatever the positions. LinearForceField: one force on all chosen points,
// interpolated between key times. Energy: -sum F . x.
#include "force/mesh.h"
#include "object/compat.h"
#include "object/parts.h"

#include <string.h>

extern const dvClass dv_constant_force_class, dv_linear_force_class;

// frames are pushed at their place and turned; the energy of a torque is not defined by the coordinates alone
static double work_energy(const dvState *s, const double *x, const double *f, size_t i)
{
  const dvDof *dof = s->base.dof;
  int n = dof->kind == DV_RIGID3 ? 3 : dof->coord;
  double sum = 0;
  for (int k = 0; k < n; k++) sum -= f[k] * x[i * (size_t)dof->coord + (size_t)k];
  return sum;
}

// --- ConstantForceField --------------------------------------------------------------------------

#define CONSTANT_FORCE_FIELDS(X)                                                                        \
  X(indices, indices, "", "", "points on which the forces act; all by default", .alias = "points")      \
  X(bool, indexFromEnd, "0", "", "count the points from the last one")                                  \
  X(derivs, forces, "", "N", "one force for all points or one each", .alias = "force")                  \
  X(deriv, totalForce, "", "N", "force to share out evenly among the points, when forces is not given") \
  X(real, showArrowSize, "0", "", "length of drawn arrows; 0 draws none", .flags = DV_LOOKS)            \
  X(color, showColor, "0.2 0.9 0.3 1", "", "colour of drawn arrows", .flags = DV_LOOKS)                 \
  X(link, topology, "", "", "topology of the points; the one of the node or above by default", .role = DV_ROLE_TOPOLOGY)

typedef struct ConstantForce {
  dvForce force;
  CONSTANT_FORCE_FIELDS(DV_MEMBER)
  DV_ARRAY(int32_t) points;   // resolved, counted from the first point
  DV_ARRAY(double) values;    // a force each, or one for all
  dvElementList *listed;      // keeps indices in step
  dvField *watched[3];
  uint32_t seen;
  bool waiting;   // the state is not initialised yet
} ConstantForce;

#define SELF ConstantForce
static const dvFieldDesc constant_force_fields[] = {CONSTANT_FORCE_FIELDS(DV_DESCRIBE)};
#undef SELF

static uint32_t constant_force_stamp(const ConstantForce *c)
{
  uint32_t sum = (uint32_t)c->force.state->count;
  for (size_t i = 0; i < DV_COUNT(c->watched); i++) sum += c->watched[i]->counter;
  return sum;
}

static dvStatus constant_force_points(ConstantForce *c)
{
  dvObject *o = &c->force.base;
  size_t count = c->force.state->count, given = c->indices.count;
  bool all = dv_names_all(&c->indices, c->listed);
  if (dv_parts_of(o->context) && dv_field_of(o, &c->indices)->source) all = false;   // others may have the points
  DV_TRY(dv_check_indices(o, &c->indices, count, "points"));
  if (all) {   // all points of the topology, or of the state
    dvObject *t = c->topology.target ? c->topology.target : dv_node_find_up(o->node, DV_ROLE_TOPOLOGY);
    given = t ? dv_min_size(count, dv_topology_point_count(dv_topology(t))) : count;
  }
  dv_array_resize(&c->points, given);
  for (size_t i = 0; i < given; i++) {
    int32_t p = all ? (int32_t)i : c->indices.data[i];
    c->points.data[i] = c->indexFromEnd ? (int32_t)count - 1 - p : p;
  }
  return DV_OK;
}

// false when the number of forces does not fit
static bool constant_force_values(ConstantForce *c)
{
  dvObject *o = &c->force.base;
  size_t n = c->points.count, w = (size_t)o->dof->deriv, given = dv_reals_size(&c->forces);
  if (given > 1 && given != n) {
    dv_field_warning(o, &c->forces, "give one force for all points or one each",
                     "%zu forces for %zu points: none is applied", given, n);
    return false;
  }
  dv_array_resize(&c->values, (given > 1 ? n : 1) * w);
  for (size_t i = 0; i < c->values.count; i++)
    c->values.data[i] = given == 0 ? c->totalForce[i] / (double)n : c->forces.data[i];
  return true;
}

static const double *force_on(const ConstantForce *c, size_t i)
{
  size_t w = (size_t)c->force.base.dof->deriv;
  return c->values.data + (c->values.count > w ? i * w : 0);
}

// each point keeps its force; where forces are given for all points, new ones get a share of their ancestors'
static void constant_force_follow(ConstantForce *c)
{
  dvObject *o = &c->force.base;
  c->listed = dv_follow_points(o, c->force.state, &c->indices);
  if (c->indices.count) dv_element_list_add_reals(c->listed, &c->forces, true);
  else dv_element_data_add_reals(dv_follow_rows(o, c->force.state), &c->forces, true);
}

static dvStatus constant_force_reinit(dvObject *o)
{
  ConstantForce *c = (ConstantForce *)o;
  c->points.count = 0;
  // numbers from the end mean other points after every change
  if (!c->listed && !c->indexFromEnd && c->force.state->topology) constant_force_follow(c);
  DV_TRY(constant_force_points(c));
  if (!constant_force_values(c)) c->points.count = 0;
  c->seen = constant_force_stamp(c);
  return DV_OK;
}

// forces on all points follow them; those on points that are named cost what their list does
static bool patch(dvObject *o)
{
  ConstantForce *c = (ConstantForce *)o;
  const dvState *s = c->force.state;
  size_t w = (size_t)o->dof->deriv, before = c->points.count;
  const dvObject *t = c->topology.target ? c->topology.target : dv_node_find_up(o->node, DV_ROLE_TOPOLOGY);
  if (c->indexFromEnd || !c->listed) return false;
  if (!dv_names_all(&c->indices, c->listed)) return constant_force_reinit(o) == DV_OK;
  if (!t || t != &s->topology->base || dv_topology_point_count(s->topology) != s->count ||
      before != dv_trace_before(dv_topology_trace(s->topology), DV_POINT, s->count))
    return false;
  dv_array_resize(&c->points, s->count);
  for (size_t i = before; i < s->count; i++) c->points.data[i] = (int32_t)i;
  if (c->forces.count > w && c->forces.count != s->count * w) return false;
  const dvNumbers *rows = c->forces.count > w ? dv_trace_rows(s->topology, DV_POINT) : NULL;
  if (!rows && !constant_force_values(c)) return false;
  if (rows) dv_array_resize(&c->values, s->count * w);
  for (size_t i = 0; rows && i < rows->count * w; i++) {
    size_t at = (size_t)rows->data[i / w] * w + i % w;
    c->values.data[at] = c->forces.data[at];
  }
  c->seen = constant_force_stamp(c);
  return true;
}

static void constant_force_topology_changed(dvObject *o)
{
  dv_force_patch_or_remake(o, ((ConstantForce *)o)->force.state->topology, patch);
}

static dvStatus constant_force_init(dvObject *o)
{
  ConstantForce *c = (ConstantForce *)o;
  DV_TRY(dv_force_init(o));
  c->watched[0] = dv_field_of(o, &c->indices);
  c->watched[1] = dv_field_of(o, &c->forces);
  c->watched[2] = dv_field_of(o, &c->totalForce);
  if (c->force.state->base.dof != o->dof)
    return dv_error(o, "leave the template away, it follows the state",
                    "the forces are of type %s and the state %s is of type %s", o->dof->name, c->force.state->base.name,
                    c->force.state->base.dof->name);
  if (c->forces.count && dv_was_set(o, &c->totalForce))
    dv_field_warning(o, &c->totalForce, NULL, "totalForce is not used: forces is given");
  if (!c->forces.count && !c->watched[1]->source && !dv_was_set(o, &c->totalForce))
    dv_warning(o, "give forces=\"0 -1 0\" or totalForce=\"0 -10 0\"", "there is no force to apply");
  c->waiting = !c->force.state->base.initialised;
  return c->waiting ? DV_OK : constant_force_reinit(o);
}

static void constant_force_store_reset(dvObject *o)
{
  ConstantForce *c = (ConstantForce *)o;
  if (c->waiting) constant_force_reinit(o);
  c->waiting = false;
}

static void constant_force_add_force(dvObject *o, const dvMech *m)
{
  ConstantForce *c = (ConstantForce *)o;
  if (c->seen != constant_force_stamp(c) && constant_force_reinit(o) != DV_OK) return;
  double *f = dv_state_write(c->force.state, m->f);
  size_t w = (size_t)o->dof->deriv;
  for (size_t i = 0; i < c->points.count; i++)
    for (size_t k = 0; k < w; k++) f[(size_t)c->points.data[i] * w + k] += force_on(c, i)[k];
}

static double constant_force_energy(dvObject *o, const dvMech *m)
{
  ConstantForce *c = (ConstantForce *)o;
  const double *x = dv_state_read(c->force.state, m->x);
  double sum = 0;
  for (size_t i = 0; i < c->points.count; i++)
    sum += work_energy(c->force.state, x, force_on(c, i), (size_t)c->points.data[i]);
  return sum;
}

static void constant_force_destroy(dvObject *o)
{
  ConstantForce *c = (ConstantForce *)o;
  dv_array_free(&c->points);
  dv_array_free(&c->values);
}

static const dvForceOps constant_force_ops = {
    .add_force = constant_force_add_force, .energy = constant_force_energy, DV_FORCE_SLOTS};

const dvClass dv_constant_force_class = {
    .struct_size = sizeof(dvClass),
    .name = "ConstantForceField",
    .help = "constant forces on chosen points",
    .module = "Sofa.Component.MechanicalLoad",
    .dofs = DV_DOF_ALL,
    .size = sizeof(ConstantForce),
    .blocks = {&dv_object_block, &dv_force_block, DV_BLOCK(constant_force_fields)},
    .ops = {[DV_ROLE_FORCE] = &constant_force_ops},
    .init = constant_force_init,
    .reinit = constant_force_reinit,
    .store_reset = constant_force_store_reset,
    .destroy = constant_force_destroy,
    .topology_changed = constant_force_topology_changed,
};

// --- LinearForceField ----------------------------------------------------------------------------

#define LINEAR_FORCE_FIELDS(X)                                                               \
  X(indices, points, "", "", "points on which the force acts")                               \
  X(real, force, "1", "", "factor on the force until the last key time")                     \
  X(reals, times, "", "s", "key times, rising")                                              \
  X(derivs, forces, "", "N", "force at each key time")                                       \
  X(real, arrowSizeCoef, "0", "", "length of drawn arrows; 0 draws none", .flags = DV_LOOKS) \
  X(link, topology, "", "", "topology of the points", .role = DV_ROLE_TOPOLOGY)

typedef struct LinearForce {
  dvForce base;
  LINEAR_FORCE_FIELDS(DV_MEMBER)
  bool ends_bare;   // without the factor, from the last key time on
} LinearForce;

#define SELF LinearForce
static const dvFieldDesc linear_force_fields[] = {LINEAR_FORCE_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus linear_force_reinit(dvObject *o)
{
  LinearForce *l = (LinearForce *)o;
  dv_follow_points(o, l->base.state, &l->points);
  DV_TRY(dv_check_indices(o, &l->points, l->base.state->count, "points"));
  if (dv_reals_size(&l->forces) < l->times.count)
    return dv_field_error(o, &l->forces, "give a force for each key time", "there are %zu forces for %zu times",
                          dv_reals_size(&l->forces), l->times.count);
  for (size_t i = 1; i < l->times.count; i++)
    if (!(l->times.data[i] > l->times.data[i - 1]))
      return dv_field_error(o, &l->times, NULL, "times must rise, but %g follows %g", l->times.data[i],
                            l->times.data[i - 1]);
  return DV_OK;
}

static dvStatus linear_force_init(dvObject *o)
{
  LinearForce *l = (LinearForce *)o;
  DV_TRY(dv_force_init(o));
  if (l->base.state->base.dof != o->dof)
    return dv_error(o, "leave the template away, it follows the state",
                    "the forces are of type %s and the state %s is of type %s", o->dof->name, l->base.state->base.name,
                    l->base.state->base.dof->name);
  if (l->points.count == 0 || l->times.count == 0)
    dv_warning(o, "give points, times and forces", "there is no force to apply");
  l->ends_bare = l->force != 1 && dv_compat(o, DV_COMPAT_FORCE_AFTER_END);
  return linear_force_reinit(o);
}

// The force at the time of the node. In SOFA the factor does not hold from the last key time on.
static bool linear_force_now(const LinearForce *l, double out[DV_MAX_COORD])
{
  const dvObject *o = &l->base.base;
  size_t n = l->times.count, w = (size_t)o->dof->deriv, next = 0;
  double t = o->node->time;
  if (n == 0 || t < l->times.data[0]) return false;
  while (next < n && l->times.data[next] <= t) next++;
  const double *before = l->forces.data + (next - 1) * w;
  for (size_t k = 0; k < w; k++) out[k] = before[k] * (l->ends_bare ? 1 : l->force);
  if (next == n) return true;
  double t0 = l->times.data[next - 1], slope = 1 / (l->times.data[next] - t0);
  for (size_t k = 0; k < w; k++) out[k] = l->force * ((before[w + k] - before[k]) * slope * (t - t0) + before[k]);
  return true;
}

static void linear_force_add_force(dvObject *o, const dvMech *m)
{
  LinearForce *l = (LinearForce *)o;
  double now[DV_MAX_COORD];
  if (!linear_force_now(l, now)) return;
  double *f = dv_state_write(l->base.state, m->f);
  size_t w = (size_t)o->dof->deriv;
  for (size_t i = 0; i < l->points.count; i++)
    for (size_t k = 0; k < w && (size_t)l->points.data[i] < l->base.state->count; k++)
      f[(size_t)l->points.data[i] * w + k] += now[k];
}

static double linear_force_energy(dvObject *o, const dvMech *m)
{
  LinearForce *l = (LinearForce *)o;
  double now[DV_MAX_COORD], sum = 0;
  if (!linear_force_now(l, now)) return 0;
  const double *x = dv_state_read(l->base.state, m->x);
  for (size_t i = 0; i < l->points.count; i++) sum += work_energy(l->base.state, x, now, (size_t)l->points.data[i]);
  return sum;
}

static const dvForceOps linear_force_ops = {
    .add_force = linear_force_add_force, .energy = linear_force_energy, DV_FORCE_SLOTS};

const dvClass dv_linear_force_class = {
    .struct_size = sizeof(dvClass),
    .name = "LinearForceField",
    .help = "a force that changes linearly between key times",
    .module = "Sofa.Component.MechanicalLoad",
    .dofs = DV_DOF_VECS | DV_DOF_RIGID3,
    .size = sizeof(LinearForce),
    .blocks = {&dv_object_block, &dv_force_block, DV_BLOCK(linear_force_fields)},
    .ops = {[DV_ROLE_FORCE] = &linear_force_ops},
    .init = linear_force_init,
    .reinit = linear_force_reinit,
};
