// RestShapeSpringsForceField: springs of no length from points to where they are at rest, or to the points of another
// state.
//
//   f = -k (x - x0),   torque of a frame = -ka r, r the rotation vector of q q0^-1
//
// The derivative is -k and -ka along the active directions (for a finite rotation that is its value at rest, as in
// SOFA). With a pivot, given in the world at rest, the displacement of the pivot instead of the frame's origin is
// pulled back.
#include "force/mesh.h"
#include "mechanics/component.h"
#include "mechanics/pairs.h"

#include "math/vec.h"

#define REST_SHAPE_FIELDS(X)                                                                                           \
  X(indices, points, "", "", "points that are held; all by default")                                                   \
  X(reals, stiffness, "", "N/m", "stiffness: one for all or one each; 100 when not given", .least = "0")               \
  X(reals, angularStiffness, "", "N m", "stiffness against rotation of frames; 100 where not given", .least = "0")     \
  X(vec3s, pivot_points, "", "m",                                                                                      \
    "points of the world, fixed to the frames at rest, that are held instead of their origins")                        \
  X(indices, external_points, "", "", "points of the other state that hold; all by default")                           \
  X(bool, recompute_indices, "1", "", "lists of points are followed when they change, whatever stands here",           \
    .flags = DV_HIDDEN)                                                                                                \
  X(bool, drawSpring, "0", "", "draw the springs", .flags = DV_LOOKS)                                                  \
  X(color, springColor, "0 1 0 1", "", "colour of the springs", .flags = DV_LOOKS)                                     \
  X(bools, activeDirections, "", "",                                                                                   \
    "0 for each direction (x y z, then about x y z) that is free; all are held by default")                            \
  X(link, external_rest_shape, "", "", "state whose positions hold; by default the rest position of the state itself", \
    .role = DV_ROLE_STATE)                                                                                             \
  X(link, topology, "", "", "topology of the points", .role = DV_ROLE_TOPOLOGY)

typedef struct RestShape {
  dvForce force;
  REST_SHAPE_FIELDS(DV_MEMBER)
  DV_ARRAY(int32_t) held, holding;   // pairs of points
  dvPairs pairs;                     // keeps points and external_points in step
  dvField *watched[2];
  uint32_t seen;
  bool waiting;   // a state is not initialised yet
} RestShape;

#define SELF RestShape
static const dvFieldDesc rest_shape_fields[] = {REST_SHAPE_FIELDS(DV_DESCRIBE)};
#undef SELF

extern const dvClass dv_rest_shape_class;

static double pick(const dvReals *r, size_t i, double otherwise)
{
  return r->count == 0 ? otherwise : r->data[i < r->count ? i : 0];
}
static double linear_stiffness(const RestShape *r, size_t i) { return pick(&r->stiffness, i, 100); }

// the list of angular stiffnesses is as long as the linear one, filled up with 100
static double angular_stiffness(const RestShape *r, size_t i)
{
  size_t n = r->stiffness.count ? r->stiffness.count : 1, at = i < n ? i : 0;
  return at < r->angularStiffness.count ? r->angularStiffness.data[at] : 100;
}

static bool is_active(const RestShape *r, int direction)
{
  return (size_t)direction >= r->activeDirections.count || r->activeDirections.data[direction] != 0;
}

static dvState *holder(const RestShape *r)
{
  return r->external_rest_shape.target ? dv_state(r->external_rest_shape.target) : r->force.state;
}
static const double *rest_of(const RestShape *r)
{
  return dv_state_read(holder(r), r->external_rest_shape.target ? DV_X : DV_X_REST);
}

static uint32_t rest_shape_stamp(const RestShape *r)
{
  return r->watched[0]->counter + r->watched[1]->counter + (uint32_t)(r->force.state->count + holder(r)->count);
}

static bool has_external(const RestShape *r) { return r->external_rest_shape.target != NULL; }

// A spring goes with one of its points, and what is given for it moves along. Where all points are held, new ones are
// too.
static void rest_shape_follow(RestShape *r)
{
  dvObject *o = &r->force.base;
  if (r->pairs.ends[0]) return;
  r->pairs.ends[0] = &r->points;   // once
  if (r->points.count == 0) {
    dvElementData *d = dv_follow_rows(o, r->force.state);
    dv_element_data_add_reals(d, &r->stiffness, true);
    dv_element_data_add_reals(d, &r->angularStiffness, true);
    if (has_external(r) && holder(r)->topology) dv_follow(o, holder(r)->topology);
    return;
  }
  if (has_external(r) && r->external_points.count == r->points.count)
    dv_pairs_follow(&r->pairs, o, r->force.state, holder(r), &r->points, &r->external_points);
  else r->pairs.lists[0] = dv_follow_points(o, r->force.state, &r->points);
  dvElementList *l = dv_pairs_list(&r->pairs);
  dv_element_list_add_reals(l, &r->stiffness, true);
  dv_element_list_add_reals(l, &r->angularStiffness, true);
  if (dv_reals_size(&r->pivot_points) == r->points.count) dv_element_list_add_reals(l, &r->pivot_points, false);
}

static dvStatus rest_shape_reinit(dvObject *o)
{
  RestShape *r = (RestShape *)o;
  size_t count = r->force.state->count, others = holder(r)->count;
  r->seen = rest_shape_stamp(r);
  r->held.count = r->holding.count = 0;
  DV_TRY(dv_check_indices(o, &r->points, count, "points"));
  DV_TRY(dv_check_indices(o, &r->external_points, others, "points"));
  rest_shape_follow(r);
  bool all = dv_names_all(&r->points, r->pairs.lists[0]);
  for (size_t i = 0; i < (all ? count : r->points.count); i++) dv_push(&r->held, all ? (int32_t)i : r->points.data[i]);
  if (!dv_names_all(&r->external_points, r->pairs.lists[1]))
    for (size_t i = 0; i < r->external_points.count; i++) dv_push(&r->holding, r->external_points.data[i]);
  else
    for (size_t i = 0; i < (r->external_rest_shape.target ? others : r->held.count); i++)
      dv_push(&r->holding, r->external_rest_shape.target ? (int32_t)i : r->held.data[i]);
  if (r->held.count == r->holding.count) {
    if (!r->external_rest_shape.target)   // a point is held at its own place
      for (size_t i = 0; i < r->held.count; i++) r->holding.data[i] = r->held.data[i];
    return DV_OK;
  }
  dv_warning(o, "give as many external_points as points", "%zu points cannot be held by %zu: there are no springs",
             r->held.count, r->holding.count);
  r->held.count = r->holding.count = 0;
  return DV_OK;
}

static dvStatus rest_shape_init(dvObject *o)
{
  RestShape *r = (RestShape *)o;
  DV_TRY(dv_force_init(o));
  r->watched[0] = dv_field_of(o, &r->points);
  r->watched[1] = dv_field_of(o, &r->external_points);
  const dvState *s = r->force.state, *h = holder(r);
  if (h->base.dof != s->base.dof)
    return dv_field_error(o, &r->external_rest_shape, NULL, "%s of %s cannot hold %s of %s", h->base.dof->name,
                          h->base.name, s->base.dof->name, s->base.name);
  r->waiting = !s->base.initialised || !h->base.initialised;
  return r->waiting ? DV_OK : rest_shape_reinit(o);
}

// all points at their own places: there are more of them, or fewer. Those that are named cost what their list does.
static bool patch(dvObject *o)
{
  RestShape *r = (RestShape *)o;
  size_t count = r->force.state->count, before = r->held.count;
  if (r->pairs.lists[0]) return rest_shape_reinit(o) == DV_OK;
  if (has_external(r) || r->holding.count != before || r->external_points.count) return false;
  dv_array_resize(&r->held, count);
  dv_array_resize(&r->holding, count);
  for (size_t i = before; i < count; i++) r->held.data[i] = r->holding.data[i] = (int32_t)i;
  r->seen = rest_shape_stamp(r);
  return true;
}

static void rest_shape_topology_changed(dvObject *o)
{
  dv_force_patch_or_remake(o, ((RestShape *)o)->force.state->topology, patch);
}

static void rest_shape_store_reset(dvObject *o)
{
  RestShape *r = (RestShape *)o;
  if (r->waiting) rest_shape_reinit(o);
  r->waiting = false;
}

// what is to be pulled back: displacement and rotation vector, zero along free directions
static void displacement(const RestShape *r, size_t i, const double *x, const double *x0, double out[6])
{
  const dvDof *dof = r->force.state->base.dof;
  if (dof->kind != DV_RIGID3) {
    for (int k = 0; k < dof->deriv; k++) out[k] = is_active(r, k) ? x[k] - x0[k] : 0;
    return;
  }
  dvQuat q = dv_quat_load(x + 3), q0 = dv_quat_load(x0 + 3);
  dvVec3 d = dv_vec3_sub(dv_vec3_load(x), dv_vec3_load(x0));
  if (i < dv_reals_size(&r->pivot_points)) {
    dvVec3 pivot = dv_vec3_load(r->pivot_points.data + 3 * i), arm = dv_vec3_sub(pivot, dv_vec3_load(x0));
    dvVec3 now = dv_vec3_add(dv_vec3_load(x), dv_quat_rotate(q, dv_quat_inverse_rotate(q0, arm)));
    dv_vec3_store(out, dv_vec3_sub(now, pivot));
  } else {
    dv_vec3_store(out, d);
    for (int k = 0; k < 3; k++) out[k] = is_active(r, k) ? out[k] : 0;
  }
  dv_vec3_store(out + 3, dv_quat_to_rotation_vector(dv_quat_mul(q, dv_quat_inverse(q0))));
  for (int k = 3; k < 6; k++) out[k] = is_active(r, k) ? out[k] : 0;
}

// stiffness of spring i along direction k
static double stiffness_of(const RestShape *r, size_t i, int k)
{
  bool angle = r->force.state->base.dof->kind == DV_RIGID3 && k >= 3;
  return angle ? angular_stiffness(r, i) : linear_stiffness(r, i);
}

static void rest_shape_add_force(dvObject *o, const dvMech *m)
{
  RestShape *r = (RestShape *)o;
  dvState *s = r->force.state;
  if (r->seen != rest_shape_stamp(r)) rest_shape_reinit(o);
  const double *x = dv_state_read(s, m->x), *x0 = rest_of(r);
  double *f = dv_state_write(s, m->f), d[6];
  size_t c = (size_t)s->base.dof->coord, w = (size_t)s->base.dof->deriv;
  for (size_t i = 0; i < r->held.count; i++) {
    size_t p = (size_t)r->held.data[i];
    displacement(r, i, x + p * c, x0 + (size_t)r->holding.data[i] * c, d);
    for (size_t k = 0; k < w; k++) f[p * w + k] -= stiffness_of(r, i, (int)k) * d[k];
  }
}

static void rest_shape_add_dforce(dvObject *o, const dvMech *m)
{
  RestShape *r = (RestShape *)o;
  dvState *s = r->force.state;
  double factor = dv_mech_k(m, r->force.rayleighStiffness);
  const double *dx = dv_state_read(s, m->dx);
  double *df = dv_state_write(s, m->df);
  int w = s->base.dof->deriv;
  for (size_t i = 0; i < r->held.count; i++) {
    size_t at = (size_t)r->held.data[i] * (size_t)w;
    for (int k = 0; k < w; k++)
      if (is_active(r, k)) df[at + (size_t)k] -= factor * stiffness_of(r, i, k) * dx[at + (size_t)k];
  }
}

static void rest_shape_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  RestShape *r = (RestShape *)o;
  dvState *s = r->force.state;
  double factor = dv_mech_k(m, r->force.rayleighStiffness);
  int w = s->base.dof->deriv;
  for (size_t i = 0; i < r->held.count; i++) {
    double block[36] = {0};
    for (int k = 0; k < w; k++) block[k * w + k] = is_active(r, k) ? -factor * stiffness_of(r, i, k) : 0;
    sink->add(sink, s, (size_t)r->held.data[i], s, (size_t)r->held.data[i], w, w, block);
  }
}

static double rest_shape_energy(dvObject *o, const dvMech *m)
{
  RestShape *r = (RestShape *)o;
  dvState *s = r->force.state;
  const double *x = dv_state_read(s, m->x), *x0 = rest_of(r);
  size_t c = (size_t)s->base.dof->coord;
  double sum = 0, d[6];
  for (size_t i = 0; i < r->held.count; i++) {
    displacement(r, i, x + (size_t)r->held.data[i] * c, x0 + (size_t)r->holding.data[i] * c, d);
    for (int k = 0; k < s->base.dof->deriv; k++) sum += 0.5 * stiffness_of(r, i, k) * d[k] * d[k];
  }
  return sum;
}

static void rest_shape_destroy(dvObject *o)
{
  RestShape *r = (RestShape *)o;
  dv_array_free(&r->held);
  dv_array_free(&r->holding);
}

static const dvForceOps rest_shape_ops = {
    .add_force = rest_shape_add_force,
    .add_dforce = rest_shape_add_dforce,
    .add_stiffness = rest_shape_add_stiffness,
    .energy = rest_shape_energy,
    DV_FORCE_SLOTS,
};

const dvClass dv_rest_shape_class = {
    .struct_size = sizeof(dvClass),
    .name = "RestShapeSpringsForceField",
    .aliases = "BaseConstraint",
    .help = "springs that pull points back to where they are at rest, or to the points of another state",
    .module = "Sofa.Component.SolidMechanics.Spring",
    .dofs = DV_DOF_VECS | DV_DOF_RIGID3,
    .size = sizeof(RestShape),
    .blocks = {&dv_object_block, &dv_force_block, DV_BLOCK(rest_shape_fields)},
    .ops = {[DV_ROLE_FORCE] = &rest_shape_ops},
    .init = rest_shape_init,
    .reinit = rest_shape_reinit,
    .store_reset = rest_shape_store_reset,
    .destroy = rest_shape_destroy,
    .topology_changed = rest_shape_topology_changed,
};
