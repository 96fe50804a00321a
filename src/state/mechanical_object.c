// MechanicalObject: the state of a mechanical model.
//
// Follows SOFA's rules for what a scene may leave out: without positions, those of the topology in the node; a
// velocity given for fewer points than there are is repeated from the last one; the rest position is the position
// after scale, rotation and translation, before translation2 and rotation2.
#include "state/register.h"
#include "state/source.h"

#include "object/compat.h"

#include <math.h>
#include <string.h>

#define MECHANICAL_OBJECT_FIELDS(X)                                                                                \
  X(coords, position, "", "m", "positions of the degrees of freedom")                                              \
  X(derivs, velocity, "", "m/s", "velocities")                                                                     \
  X(derivs, force, "", "N", "sum of the forces at the last evaluation")                                            \
  X(coords, rest_position, "", "m", "positions at rest; taken from the positions when not given")                  \
  X(derivs, externalForce, "", "N", "forces from outside, constant over a step, cleared after it")                 \
  X(derivs, derivX, "", "", "last displacement or acceleration of the solver", .flags = DV_HIDDEN)                 \
  X(coords, free_position, "", "m", "positions after the free motion", .flags = DV_HIDDEN)                         \
  X(derivs, free_velocity, "", "m/s", "velocities after the free motion", .flags = DV_HIDDEN)                      \
  X(coords, reset_position, "", "m", "positions that reset returns to", .flags = DV_HIDDEN)                        \
  X(derivs, reset_velocity, "", "m/s", "velocities that reset returns to", .flags = DV_HIDDEN)                     \
  X(real, restScale, "1", "", "factor from positions to rest positions: a value other than 1 gives tension")       \
  X(bool, useTopology, "1", "", "take size and positions from the topology in the node when none are given")       \
  X(bool, showObject, "0", "", "draw the points", .flags = DV_LOOKS)                                               \
  X(real, showObjectScale, "0.1", "", "size of drawn points", .flags = DV_LOOKS)                                   \
  X(bool, showIndices, "0", "", "draw the indices", .flags = DV_LOOKS)                                             \
  X(real, showIndicesScale, "1", "", "size of drawn indices", .flags = DV_LOOKS)                                   \
  X(bool, showVectors, "0", "", "draw the velocities", .flags = DV_LOOKS)                                          \
  X(real, showVectorsScale, "0.0001", "", "length of drawn velocities", .flags = DV_LOOKS)                         \
  X(int, drawMode, "0", "", "0 points and lines, more: spheres and arrows", .flags = DV_LOOKS)                     \
  X(color, showColor, "1 1 1 1", "", "colour of drawn points", .flags = DV_LOOKS)                                  \
  X(vec3, translation, "0 0 0", "m", "moves the points before the rest position is stored", .flags = DV_NO_SRC)    \
  X(vec3, rotation, "0 0 0", "degrees", "turns the points about x, y, z", .flags = DV_NO_SRC)                      \
  X(vec3, scale3d, "1 1 1", "", "scales the points", .flags = DV_NO_SRC)                                           \
  X(vec3, translation2, "0 0 0", "m", "moves the points after the rest position is stored", .flags = DV_NO_SRC)    \
  X(vec3, rotation2, "0 0 0", "degrees", "turns the points after the rest position is stored", .flags = DV_NO_SRC) \
  X(int, size, "1", "", "number of degrees of freedom", .flags = DV_NO_SRC)                                        \
  X(int, reserve, "0", "", "accepted: room is made when it is needed", .flags = DV_HIDDEN)                         \
  X(reals, constraint, "", "", "accepted: rows of constraints are made in every step", .flags = DV_HIDDEN)         \
  X(reals, mappingJacobian, "", "", "accepted: Jacobians are made when they are needed", .flags = DV_HIDDEN)       \
  X(link, topology, "", "", "topology that belongs to the points", .role = DV_ROLE_TOPOLOGY)

typedef struct MechanicalObject {
  dvState state;
  MECHANICAL_OBJECT_FIELDS(DV_MEMBER)
  dvField *follows;   // output of an engine that gives the positions anew whenever it changes
  uint32_t follows_seen;
} MechanicalObject;

#define SELF MechanicalObject
static const dvFieldDesc mechanical_object_fields[] = {MECHANICAL_OBJECT_FIELDS(DV_DESCRIBE)};
#undef SELF

static void mechanical_object_create(dvObject *o)
{
  MechanicalObject *m = (MechanicalObject *)o;
  dvState *s = &m->state;
  s->shown = &m->showObject;
  dv_state_bind(s, DV_X, &m->position);
  dv_state_bind(s, DV_X_REST, &m->rest_position);
  dv_state_bind(s, DV_X_FREE, &m->free_position);
  dv_state_bind(s, DV_X_RESET, &m->reset_position);
  dv_state_bind(s, DV_V, &m->velocity);
  dv_state_bind(s, DV_V_FREE, &m->free_velocity);
  dv_state_bind(s, DV_V_RESET, &m->reset_velocity);
  dv_state_bind(s, DV_F, &m->force);
  dv_state_bind(s, DV_F_EXTERNAL, &m->externalForce);
  dv_state_bind(s, DV_DX, &m->derivX);
}

static void mechanical_object_destroy(dvObject *o) { dv_state_free(dv_state(o)); }

static double attribute_real(dvObject *o, dvAttributes *a, const char *name, double otherwise)
{
  const char *text = dv_attribute_take(a, name);
  double value;
  return text && dv_scan_real(&text, &value) && isfinite(value) ? dv_compat_attribute(o, value) : otherwise;
}

static void take_triple(dvObject *o, dvAttributes *a, const char *const names[3], double otherwise, double *field)
{
  if (!dv_attribute_find(a, names[0]) && !dv_attribute_find(a, names[1]) && !dv_attribute_find(a, names[2])) return;
  for (int i = 0; i < 3; i++) field[i] = attribute_real(o, a, names[i], otherwise);
  dv_field_of(o, field)->was_set = true;
}

static dvStatus mechanical_object_parse(dvObject *o, dvAttributes *a)
{
  MechanicalObject *m = (MechanicalObject *)o;
  if (dv_attribute_find(a, "scale")) {
    double s = attribute_real(o, a, "scale", 1);
    m->scale3d[0] = m->scale3d[1] = m->scale3d[2] = s;
    dv_field_of(o, &m->scale3d)->was_set = true;
  }
  take_triple(o, a, (const char *const[]){"sx", "sy", "sz"}, 1, m->scale3d);
  take_triple(o, a, (const char *const[]){"rx", "ry", "rz"}, 0, m->rotation);
  take_triple(o, a, (const char *const[]){"dx", "dy", "dz"}, 0, m->translation);
  take_triple(o, a, (const char *const[]){"rx2", "ry2", "rz2"}, 0, m->rotation2);
  take_triple(o, a, (const char *const[]){"dx2", "dy2", "dz2"}, 0, m->translation2);
  dv_attribute_take(a, "useMask");
  return DV_OK;
}

static const dvReals *points_of(dvObject *topology)
{
  dvField *f = dv_object_field(topology, "position");
  if (!f || dv_field_pull(f) != DV_OK) return NULL;
  const dvReals *points = f->value;
  return points->count ? points : NULL;
}

// positions of the topology in the node, as dvReals of width 3, or NULL
static const dvReals *topology_points(MechanicalObject *m)
{
  dvNode *node = m->state.base.node;
  if (m->topology.target) return points_of(m->topology.target);
  const dvReals *points = NULL;
  for (size_t i = 0; i < node->objects.count && m->useTopology && !points; i++) {   // the first that has positions
    dvObject *o = node->objects.data[i];
    if (!dv_plays(o, DV_ROLE_TOPOLOGY) || o->failed) continue;
    points = points_of(o);
    if (points || !m->topology.target) m->topology.target = o;
  }
  return points;
}

static bool take_points(MechanicalObject *m, const dvReals *points)
{
  dvState *s = &m->state;
  const dvDof *dof = s->base.dof;
  size_t n = dv_reals_size(points);
  m->position.count = 0;
  if (!dv_state_resize(s, n)) return false;
  if (dof->kind == DV_VEC3 && points->width == 3) {
    dv_reals_share(&m->position, points);
    return true;
  }
  double *x = dv_state_write(s, DV_X);
  for (size_t i = 0; i < n; i++) {
    double *p = x + i * (size_t)dof->coord;
    dv_dof_identity(dof, p);
    for (int k = 0; k < dof->space && k < points->width; k++)
      p[k] = points->data[i * (size_t)points->width + (size_t)k];
  }
  return true;
}

// the last given velocity holds for the points that have none
static void repeat_velocity(dvState *s, size_t given)
{
  if (given == 0 || given >= s->count) return;
  double *v = dv_state_write(s, DV_V);
  size_t w = (size_t)s->base.dof->deriv;
  for (size_t i = given; i < s->count; i++) memcpy(v + i * w, v + (given - 1) * w, w * sizeof *v);
}

static void check_sizes(MechanicalObject *m, size_t count)
{
  dvObject *o = &m->state.base;
  static const int ids[] = {DV_X, DV_V, DV_F, DV_F_EXTERNAL, DV_X_REST, DV_X_RESET, DV_V_RESET};
  for (size_t i = 0; i < DV_COUNT(ids); i++) {
    const dvReals *r = m->state.scene[ids[i]].field;
    size_t n = dv_reals_size(r);
    if (n > 1 && n != count)
      dv_field_warning(o, r, NULL, "%s has %zu entries, the largest of the vectors has %zu",
                       dv_field_name(dv_field_of(o, r)->desc), n, count);
  }
}

static void transform(MechanicalObject *m)
{
  dvState *s = &m->state;
  const dvDof *dof = s->base.dof;
  const double *sc = m->scale3d, *t = m->translation, *r = m->rotation;
  if (sc[0] == 1 && sc[1] == 1 && sc[2] == 1 && t[0] == 0 && t[1] == 0 && t[2] == 0 && r[0] == 0 && r[1] == 0 &&
      r[2] == 0)
    return;
  double *x = dv_state_write(s, DV_X);
  dv_dof_scale(dof, s->count, x, sc);
  dv_dof_rotate(dof, s->count, x, r);
  dv_dof_translate(dof, s->count, x, t);
}

static bool is_zero(const double v[3]) { return v[0] == 0 && v[1] == 0 && v[2] == 0; }

// how many degrees of freedom the fields ask for
static dvStatus count_given(MechanicalObject *m, size_t *count)
{
  const dvState *s = &m->state;
  *count = 1;
  if (dv_was_set(&s->base, &m->size)) {
    if (m->size < 0) return dv_field_error(&s->base, &m->size, NULL, "size %d is negative", m->size);
    *count = (size_t)m->size;
  }
  for (int id = 0; id < DV_VEC_SCENE; id++)
    if (s->scene[id].field) *count = dv_max_size(*count, dv_reals_size(s->scene[id].field));
  check_sizes(m, *count);
  return DV_OK;
}

// makes the positions: those of the topology where none are given
static dvStatus make_positions(MechanicalObject *m, size_t count)
{
  dvObject *o = &m->state.base;
  const dvReals *points = topology_points(m);
  size_t positions = dv_reals_size(&m->position), velocities = dv_reals_size(&m->velocity),
         rest = dv_reals_size(&m->rest_position);
  // a vector that was given as empty counts as empty, one that was not given has one entry, and so has one that is
  // linked to too few numbers for it
  const dvField *source = dv_field_of(o, &m->position)->source;
  bool too_few = source && source->desc->type == DV_T_VEC;
  bool empty = dv_was_set(o, &m->position) && positions == 0 && !too_few;
  bool resting = rest > dv_max_size(positions, 1) || (rest == 1 && positions == 0 && !dv_was_set(o, &m->position));
  if (resting && !dv_compat(o, DV_COMPAT_REST_ONLY)) {   // rest positions, but no positions
    dv_reals_share(&m->position, &m->rest_position);
    positions = rest;
  }
  bool placed = positions <= 1 && points && dv_reals_size(points) > 1;
  if (positions <= 1 && points && (velocities <= 1 || (placed && !dv_compat(o, DV_COMPAT_VELOCITY_ONLY))))
    return take_points(m, points) ? DV_OK : dv_error(o, NULL, "out of memory for %zu points", dv_reals_size(points));
  if (empty && count <= 1) count = 0;
  if (placed)
    dv_field_warning(
        o, &m->velocity, "give the positions too, for example position=\"@topology.position\"",
        "velocity has %zu entries and position none: as in SOFA the points start at the origin, not at those of %s",
        velocities, m->topology.target->name);
  // vectors that exist are stretched; the position is made when it is missing
  return dv_state_resize(&m->state, count)
             ? DV_OK
             : dv_error(o, "give a smaller size", "out of memory for %zu degrees of freedom", count);
}

// the rest positions, unless all were given, and what moves the positions away from them
static void make_rest(MechanicalObject *m, size_t given)
{
  dvState *s = &m->state;
  // one storage until the positions move
  if (given != s->count && m->restScale == 1) dv_reals_share(&m->rest_position, &m->position);
  else if (given != s->count) {
    double *x0 = dv_state_write(s, DV_X_REST);
    const double *x = dv_state_read(s, DV_X);
    size_t n = dv_state_scalars(s, DV_X);
    for (size_t i = 0; i < n; i++) x0[i] = m->restScale * x[i];
  }
  if (is_zero(m->rotation2) && is_zero(m->translation2)) return;
  double *x = dv_state_write(s, DV_X);
  dv_dof_rotate(s->base.dof, s->count, x, m->rotation2);
  dv_dof_translate(s->base.dof, s->count, x, m->translation2);
}

// a hand moves between steps: what it holds is there when a step begins
static bool is_of_device(const dvField *f)
{
  return dv_plays(f->owner, DV_ROLE_CONTROLLER) && (f->desc->flags & DV_OUTPUT);
}

// the values are the state's own now: links only gave the first ones, but what an engine makes may change
static void leave_links(MechanicalObject *m)
{
  const dvObject *o = &m->state.base;
  dvField *source = dv_field_of(o, &m->position)->source;
  if (source && (dv_plays(source->owner, DV_ROLE_ENGINE) || is_of_device(source))) {
    m->follows = source;
    m->follows_seen = source->counter;
  }
  dv_field_unlink(dv_field_of(o, &m->position));
  dv_field_unlink(dv_field_of(o, &m->velocity));
  dv_field_unlink(dv_field_of(o, &m->force));
}

// --- points that come and go ---

static dvObject *make_container(dvObject *o)
{
  const dvClass *cls = dv_registry_find(&o->context->registry, "PointSetTopologyContainer");
  DV_REQUIRE(cls);
  dvObject *made = dv_object_create(o->context, cls, "", NULL);
  made->place = o->place;
  dv_node_add(o->node, made);
  return dv_object_ensure(made) == DV_OK ? made : NULL;
}

// a topology without points takes those of the state
static dvStatus give_points(const dvState *s, dvTopology *t)
{
  DV_TRY(dv_object_ensure(&t->base));
  if (dv_topology_point_count(t) > 0 || s->count == 0) return DV_OK;
  const double *x = dv_state_read(s, DV_X);
  t->position.width = 3;
  if (!dv_reals_resize(&t->position, 3 * s->count)) return dv_error(&s->base, NULL, "out of memory");
  double *out = dv_reals_edit(&t->position);
  for (size_t i = 0; i < s->count; i++) dv_dof_point(s->base.dof, x + i * (size_t)s->base.dof->coord, out + 3 * i);
  dv_touch(&t->base, &t->position);
  return dv_topology_settle(t);
}

static dvStatus mechanical_object_init(dvObject *o)
{
  MechanicalObject *m = (MechanicalObject *)o;
  dvState *s = &m->state;
  size_t velocities = dv_reals_size(&m->velocity), rest = dv_reals_size(&m->rest_position), count;
  DV_TRY(count_given(m, &count));
  DV_TRY(make_positions(m, count));
  m->size = (int32_t)s->count;
  dv_state_write(s, DV_X);
  dv_state_write(s, DV_V);
  dv_state_write(s, DV_F);
  repeat_velocity(s, velocities);
  transform(m);
  make_rest(m, rest);
  leave_links(m);
  dv_touch(o, &m->position);
  dv_touch(o, &m->rest_position);
  dvObject *mesh = m->topology.target ? m->topology.target : dv_node_find(o->node, DV_ROLE_TOPOLOGY);
  if (s->grows && !mesh) mesh = make_container(o);
  if (s->grows && mesh && !mesh->failed) DV_TRY(give_points(s, dv_topology(mesh)));
  if (mesh && !mesh->failed) dv_state_follow(s, dv_topology(mesh));
  return DV_OK;
}

// without positions of its own, those of the state above, as many points as that has
static dvStatus mapped_object_init(dvObject *o)
{
  MechanicalObject *m = (MechanicalObject *)o;
  dvObject *above = NULL;
  for (size_t i = 0; i < o->node->parents.count && !above; i++) above = dv_node_state_up(o->node->parents.data[i]);
  if (!above || dv_reals_size(&m->position) || dv_was_set(o, &m->size) || topology_points(m))
    return mechanical_object_init(o);
  DV_TRY(dv_object_ensure(above));
  const dvState *from = dv_state(above);
  dvReals points = {.width = 3};
  const double *x = dv_state_read(from, DV_X);
  if (!dv_reals_resize(&points, 3 * from->count)) return dv_error(o, NULL, "out of memory for %zu points", from->count);
  for (size_t i = 0; i < from->count; i++)
    dv_dof_point(above->dof, x + i * (size_t)above->dof->coord, points.data + 3 * i);
  const bool taken = take_points(m, &points);
  dv_reals_free(&points);
  return taken ? mechanical_object_init(o) : dv_error(o, NULL, "out of memory for %zu points", from->count);
}

// without values, a potential of 0 at each point of the mesh of the node or above
static dvStatus electrical_state_init(dvObject *o)
{
  MechanicalObject *m = (MechanicalObject *)o;
  dvObject *mesh = m->topology.target ? m->topology.target : dv_node_find_up(o->node, DV_ROLE_TOPOLOGY);
  if (mesh && !dv_was_set(o, &m->size) && m->position.count == 0) {
    DV_TRY(dv_object_ensure(mesh));
    size_t points = dv_topology_point_count(dv_topology(mesh));
    if (!dv_reals_resize(&m->position, points)) return dv_error(o, NULL, "out of memory for %zu points", points);
  }
  return mechanical_object_init(o);
}

static void mechanical_object_topology_changed(dvObject *o)
{
  MechanicalObject *m = (MechanicalObject *)o;
  m->size = (int32_t)m->state.count;
  dv_touch(o, &m->size);
  dv_touch(o, &m->position);
}

// after a step: as in SOFA the positions follow an engine whose inputs have moved
static void mechanical_object_handle_event(dvObject *o, const dvEvent *event)
{
  MechanicalObject *m = (MechanicalObject *)o;
  dvState *s = dv_state(o);
  if (!m->follows || dv_node_is_mapped(o->node)) return;
  if (event->kind != (is_of_device(m->follows) ? DV_EVENT_ANIMATE_BEGIN : DV_EVENT_ANIMATE_END)) return;
  if (dv_field_pull(m->follows) != DV_OK || m->follows->counter == m->follows_seen) return;
  m->follows_seen = m->follows->counter;
  const dvReals *from = m->follows->value;
  if (m->follows->width != o->dof->coord || from->count != dv_state_scalars(s, DV_X)) return;
  memcpy(dv_state_write(s, DV_X), from->data, from->count * sizeof(double));
  dv_state_touch(s, DV_X);
}

const dvField *dv_state_source(const dvState *s)
{
  // all classes of this file are of that struct
  return s->base.cls->create == mechanical_object_create ? ((const MechanicalObject *)s)->follows : NULL;
}

// somebody has written a vector, maybe with another number of entries
static dvStatus mechanical_object_reinit(dvObject *o)
{
  return dv_state_resize(dv_state(o), dv_state(o)->count) ? DV_OK : dv_error(o, NULL, "out of memory");
}

static void mechanical_object_store_reset(dvObject *o)
{
  dvState *s = dv_state(o);
  if (dv_node_is_mapped(o->node) || s->count == 0) return;
  dv_state_share(s, DV_X_RESET, DV_X);
  dv_state_share(s, DV_V_RESET, DV_V);
}

// --- memory --------------------------------------------------------------------------------------

static dvReals *mechanical_object_vector(dvObject *o, int id, bool make)
{
  dvState *s = dv_state(o);
  if (make) dv_state_write(s, id);
  return (dvReals *)dv_state_values(s, id);
}

static void remember_vector(dvMemoryStream *stream, dvState *s, int id, const char *name)
{
  bool restores = dv_memory_restores(stream);
  dvReals none = {.width = 1}, *r = mechanical_object_vector(&s->base, id, restores);
  if (!r) r = &none;
  dv_remember_shared(stream, name, r);
  if (restores && r->count != 0 && r->count != dv_state_scalars(s, id))
    dv_memory_refuse(stream, "%s has %zu numbers for %zu degrees of freedom", name, r->count, s->count);
}

// who reads them is told only when they are others
static void remember_rest(dvMemoryStream *stream, dvState *s)
{
  dvReals before = {0};
  const dvReals *rest = dv_state_values(s, DV_X_REST);
  bool restores = dv_memory_restores(stream);
  if (restores && rest) dv_reals_share(&before, rest);
  remember_vector(stream, s, DV_X_REST, "rest_position");
  rest = dv_state_values(s, DV_X_REST);
  bool same =
      before.count == (rest ? rest->count : 0) && (before.count == 0 || before.data == rest->data ||
                                                   memcmp(before.data, rest->data, before.count * sizeof(double)) == 0);
  if (restores && !same) dv_state_touch(s, DV_X_REST);
  dv_reals_free(&before);
}

static const struct {
  int id;
  const char *name;
} remembered[] = {
    {DV_X, "position"}, {DV_V, "velocity"}, {DV_X_REST, "rest_position"}, {DV_F_EXTERNAL, "externalForce"}};

// the mesh was edited by its user: the vectors of the start have followed it
static void remember_changed(dvMemoryStream *stream, dvState *s)
{
  dvReals unused = {.width = 1};
  for (size_t i = 0; i < DV_COUNT(remembered); i++) dv_remember_shared(stream, remembered[i].name, &unused);
  dv_reals_free(&unused);
  if (!dv_state_has(s, DV_X_RESET) || !dv_state_has(s, DV_V_RESET)) return;
  dv_state_share(s, DV_X, DV_X_RESET);
  dv_state_share(s, DV_V, DV_V_RESET);
}

static void mechanical_object_remember(dvObject *o, dvMemoryStream *stream)
{
  dvState *s = dv_state(o);
  size_t count = s->count;
  dv_remember_numbers(stream, "size", &count, sizeof count);
  if (count != s->count && stream->lenient) {
    remember_changed(stream, s);
    return;
  }
  if (count != s->count) dv_memory_refuse(stream, "there are %zu degrees of freedom and not %zu", count, s->count);
  for (size_t i = 0; i < DV_COUNT(remembered); i++)
    if (remembered[i].id == DV_X_REST) remember_rest(stream, s);
    else remember_vector(stream, s, remembered[i].id, remembered[i].name);
}

// Forces are those of the next step. Engines that have seen a mesh change and come back have nothing new.
static bool mechanical_object_restored(dvObject *o)
{
  dvState *s = dv_state(o);
  MechanicalObject *m = (MechanicalObject *)o;
  if (m->follows && o->node->scene->rewound && dv_field_pull(m->follows) == DV_OK)
    m->follows_seen = m->follows->counter;
  if (s->count) memset(dv_state_write(s, DV_F), 0, dv_state_scalars(s, DV_F) * sizeof(double));
  return true;
}

#define STATE_CLASS(variable, name_, help_, dofs_, init_, ...)                                       \
  static const dvClass variable = {.struct_size = sizeof(dvClass),                                   \
                                   .name = name_,                                                    \
                                   .help = help_,                                                    \
                                   .module = "Sofa.Component.StateContainer",                        \
                                   .dofs = dofs_,                                                    \
                                   .roles = DV_PLAYS(DV_ROLE_STATE),                                 \
                                   .size = sizeof(MechanicalObject),                                 \
                                   .blocks = {&dv_object_block, DV_BLOCK(mechanical_object_fields)}, \
                                   .create = mechanical_object_create,                               \
                                   .parse = mechanical_object_parse,                                 \
                                   .init = init_,                                                    \
                                   .reinit = mechanical_object_reinit,                               \
                                   .handle_event = mechanical_object_handle_event,                   \
                                   .store_reset = mechanical_object_store_reset,                     \
                                   .destroy = mechanical_object_destroy,                             \
                                   .remember = mechanical_object_remember,                           \
                                   .restored = mechanical_object_restored,                           \
                                   .vector = mechanical_object_vector,                               \
                                   .topology_changed = mechanical_object_topology_changed,           \
                                   __VA_ARGS__}

STATE_CLASS(mechanical_object_class, "MechanicalObject", "positions, velocities and forces of a mechanical model",
            DV_DOF_ALL, mechanical_object_init, .aliases = "MechanicalState");
STATE_CLASS(
    mapped_object_class, "MappedObject",
    "positions and velocities that a mapping moves: a MechanicalObject that begins with the points of the state above",
    DV_DOF_ALL, mapped_object_init);
STATE_CLASS(electrical_state_class, "ElectricalState",
            "electric potential of the points of a mesh, one number each: 0 at rest, 1 excited; position is that "
            "number, in no unit",
            DV_DOF_VEC1, electrical_state_init);

void dv_register_state(dvRegistry *r)
{
  dv_registry_add(r, &dv_node_class);
  dv_registry_add(r, &mechanical_object_class);
  dv_registry_add(r, &mapped_object_class);
  dv_registry_add(r, &electrical_state_class);
}
