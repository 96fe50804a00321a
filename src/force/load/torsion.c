// Torques about an axis: TorsionForceField on chosen points or frames, OscillatingTorsionPressureForceField on chosen
// triangles.
//
// TorsionForceField: f = t u x (x - o), with the unit axis u through o, and the torque t u on frames. Its derivative is
// t [u]x.
//
// OscillatingTorsionPressureForceField turns a surface about an axis as if it were stiff. The mean angle by which the
// points have turned gives each one an ideal place, to which a penalty draws it; the rest of the moment M cos(2 pi f t)
// acts along the circles of the points, in shares w_i that follow the area of the triangles and the cube of the
// distance to the axis. Its derivative counts as zero, as in SOFA.
#include "force/mesh.h"

#include "math/vec.h"
#include "object/compat.h"

#include <math.h>
#include <stdlib.h>

extern const dvClass dv_torsion_class, dv_oscillating_torsion_class;

// the direction of an axis, or an error when it has none
static dvStatus read_axis(const dvObject *o, const double *axis, dvVec3 *unit)
{
  double length = dv_vec3_norm(dv_vec3_load(axis));
  if (!(length > 0) || !isfinite(length))
    return dv_field_error(o, axis, "give a direction such as axis=\"0 0 1\"", "the axis %g %g %g has no direction",
                          axis[0], axis[1], axis[2]);
  *unit = dv_vec3_scale(dv_vec3_load(axis), 1 / length);
  return DV_OK;
}

// --- TorsionForceField ---------------------------------------------------------------------------

#define TORSION_FIELDS(X)                                                                      \
  X(indices, indices, "", "", "points that are turned")                                        \
  X(real, torque, "0", "N m", "torque on a frame; on a point the torque at a distance of 1 m") \
  X(vec3, axis, "0 0 0", "", "direction of the axis; its length does not count")               \
  X(vec3, origin, "0 0 0", "m", "a point of the axis")

typedef struct Torsion {
  dvForce force;
  TORSION_FIELDS(DV_MEMBER)
  dvVec3 unit;
} Torsion;

#define SELF Torsion
static const dvFieldDesc torsion_fields[] = {TORSION_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus torsion_init(dvObject *o)
{
  Torsion *t = (Torsion *)o;
  DV_TRY(dv_force_init(o));
  o->dof = t->force.state->base.dof;
  if (t->indices.count == 0 && !dv_field_of(o, &t->indices)->source)
    dv_warning(o, "name points in indices, for instance of a BoxROI", "no point is turned");
  DV_TRY(read_axis(o, t->axis, &t->unit));
  dv_follow_points(o, t->force.state, &t->indices);
  return dv_check_indices(o, &t->indices, t->force.state->count, "points");
}

static void torsion_add_force(dvObject *o, const dvMech *m)
{
  Torsion *t = (Torsion *)o;
  dvState *s = t->force.state;
  size_t c = (size_t)s->base.dof->coord, w = (size_t)s->base.dof->deriv;
  const double *x = dv_state_read(s, m->x);
  double *f = dv_state_write(s, m->f);
  dvVec3 lever = dv_vec3_scale(t->unit, t->torque), origin = dv_vec3_load(t->origin);
  for (size_t i = 0; i < t->indices.count; i++) {
    size_t p = (size_t)t->indices.data[i];
    if (p >= s->count) continue;
    dv_vec3_accumulate(f + w * p, dv_vec3_cross(lever, dv_vec3_sub(dv_vec3_load(x + c * p), origin)));
    if (w == 6) dv_vec3_accumulate(f + w * p + 3, lever);
  }
}

static void torsion_add_dforce(dvObject *o, const dvMech *m)
{
  Torsion *t = (Torsion *)o;
  dvState *s = t->force.state;
  size_t w = (size_t)s->base.dof->deriv;
  const double *dx = dv_state_read(s, m->dx);
  double *df = dv_state_write(s, m->df);
  dvVec3 lever = dv_vec3_scale(t->unit, m->k * t->torque);
  for (size_t i = 0; i < t->indices.count; i++) {
    size_t p = (size_t)t->indices.data[i];
    if (p < s->count) dv_vec3_accumulate(df + w * p, dv_vec3_cross(lever, dv_vec3_load(dx + w * p)));
  }
}

static void torsion_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  Torsion *t = (Torsion *)o;
  dvState *s = t->force.state;
  int w = s->base.dof->deriv;
  dvMat3 k = dv_mat3_skew(dv_vec3_scale(t->unit, m->k * t->torque));
  double block[36] = {0};
  for (int e = 0; e < 9; e++) block[e / 3 * w + e % 3] = k.m[e / 3][e % 3];
  for (size_t i = 0; i < t->indices.count; i++) {
    size_t p = (size_t)t->indices.data[i];
    if (p < s->count) sink->add(sink, s, p, s, p, w, w, block);
  }
}

static const dvForceOps torsion_ops = {
    .add_force = torsion_add_force,
    .add_dforce = torsion_add_dforce,
    .add_stiffness = torsion_add_stiffness,
    DV_FORCE_SLOTS,
};

const dvClass dv_torsion_class = {
    .struct_size = sizeof(dvClass),
    .name = "TorsionForceField",
    .help = "turns points and frames about an axis",
    .module = "Sofa.Component.MechanicalLoad",
    .dofs = DV_DOF_VEC3 | DV_DOF_RIGID3,
    .size = sizeof(Torsion),
    .blocks = {&dv_object_block, &dv_force_block, DV_BLOCK(torsion_fields)},
    .ops = {[DV_ROLE_FORCE] = &torsion_ops},
    .init = torsion_init,
    .reinit = torsion_init,
};

// --- OscillatingTorsionPressureForceField --------------------------------------------------------

#define OSCILLATING_TORSION_FIELDS(X)                                                                      \
  X(string, trianglePressureMap, "", "", "areas of the triangles, kept by the component",                  \
    .flags = DV_HIDDEN | DV_READ_ONLY)                                                                     \
  X(real, moment, "0", "N m", "largest moment on the whole surface")                                       \
  X(indices, triangleList, "", "", "triangles that are turned; goes before dmin and dmax")                 \
  X(vec3, axis, "0 0 1", "", "axis of rotation, also the direction along which triangles are chosen")      \
  X(vec3, center, "0 0 0", "m", "a point of the axis")                                                     \
  X(real, penalty, "1000", "N/m", "stiffness that draws points to where a stiff surface would have them")  \
  X(real, frequency, "1", "1/s", "frequency of the moment")                                                \
  X(real, dmin, "0", "m", "triangles are chosen whose points at rest lie beyond this distance along axis") \
  X(real, dmax, "0", "m", "and before this one; equal distances choose none")                              \
  X(bool, showForces, "0", "", "draw the chosen triangles", .flags = DV_LOOKS)                             \
  X(link, topology, "", "", "topology with the triangles; the one of the node or above by default",        \
    .role = DV_ROLE_TOPOLOGY)

// A point of a chosen triangle.
typedef struct TurnedPoint {
  int32_t point;
  dvVec3 arm, foot;   // at rest: from the axis to the point, and where it meets the axis
  double share;       // of the moment
  dvVec3 present;     // arm in the last add_force
} TurnedPoint;

typedef struct OscillatingTorsion {
  dvForce force;
  OSCILLATING_TORSION_FIELDS(DV_MEMBER)
  dvVec3 unit;
  DV_ARRAY(TurnedPoint) turned;   // in ascending order of points
  double period;                  // 2 pi, with the digits that SOFA has in compat sofa
  dvElementList *listed;          // keeps triangleList in step
} OscillatingTorsion;

#define SELF OscillatingTorsion
static const dvFieldDesc oscillating_torsion_fields[] = {OSCILLATING_TORSION_FIELDS(DV_DESCRIBE)};
#undef SELF

static const double on_axis = 1e-10;   // m: points that near have no direction to turn in

static dvVec3 arm_of(const OscillatingTorsion *t, dvVec3 x)
{
  dvVec3 d = dv_vec3_sub(x, dv_vec3_load(t->center));
  return dv_vec3_add_scaled(d, t->unit, -dv_vec3_dot(d, t->unit));
}

// Sum over a corner and the points around it of distance squared, times its own distance: what SOFA shares the moment
// by.
static double corner_share(double own, double next, double previous, double centre)
{
  double a = 0.5 * (own + next), b = 0.5 * (own + previous), c = (own + a + b) / 3;
  return (own * own + a * a + b * b + c * c + centre * centre) * own;
}

// a corner of a chosen triangle, and what it adds to the share of its point
typedef struct Corner {
  int32_t point, order;
  double share;
} Corner;

typedef DV_ARRAY(Corner) Corners;

static void add_triangle(const OscillatingTorsion *t, const double *x0, const int32_t *p, Corners *corners)
{
  dvVec3 x[3];
  double d[3];
  for (int k = 0; k < 3; k++) {
    x[k] = dv_vec3_load(x0 + 3 * (size_t)p[k]);
    d[k] = dv_vec3_norm(arm_of(t, x[k]));
  }
  double area = 0.5 * dv_vec3_norm(dv_vec3_cross(dv_vec3_sub(x[1], x[0]), dv_vec3_sub(x[2], x[0]))),
         centre = (d[0] + d[1] + d[2]) / 3;
  for (int k = 0; k < 3; k++)
    dv_push(corners, ((Corner){p[k], (int32_t)corners->count,
                               corner_share(d[k], d[(k + 1) % 3], d[(k + 2) % 3], centre) * area / 3}));
}

static bool in_slab(const OscillatingTorsion *t, const double *x0, const int32_t *p)
{
  for (int k = 0; k < 3; k++) {
    double d = dv_vec3_dot(dv_vec3_load(x0 + 3 * (size_t)p[k]), t->unit);
    if (!(d > t->dmin && d < t->dmax)) return false;
  }
  return true;
}

static int compare_corners(const void *a, const void *b)
{
  const Corner *p = a, *q = b;
  return p->point != q->point ? (p->point > q->point) - (p->point < q->point)
                              : (p->order > q->order) - (p->order < q->order);
}

// lists the points of the chosen triangles, with shares that add up to 1
static void list_points(OscillatingTorsion *t, const double *x0, const Corners *corners)
{
  double sum = 0;
  t->turned.count = 0;
  if (corners->count) qsort(corners->data, corners->count, sizeof *corners->data, compare_corners);
  for (size_t i = 0; i < corners->count; i++) {
    const Corner *c = &corners->data[i];
    if (i == 0 || c->point != c[-1].point) {
      dvVec3 x = dv_vec3_load(x0 + 3 * (size_t)c->point), arm = arm_of(t, x);
      dv_push(&t->turned, ((TurnedPoint){.point = c->point, .arm = arm, .foot = dv_vec3_sub(x, arm)}));
    }
    t->turned.data[t->turned.count - 1].share += c->share;
  }
  for (size_t i = 0; i < t->turned.count; i++) sum += t->turned.data[i].share;
  for (size_t i = 0; i < t->turned.count; i++) t->turned.data[i].share /= sum > 0 ? sum : INFINITY;
}

// the triangles that are named, or all that lie in the slab
static void choose_triangles(OscillatingTorsion *t, const int32_t *triangles, size_t count)
{
  const double *x0 = dv_state_read(t->force.state, DV_X_REST);
  Corners corners = {0};
  for (size_t i = 0; i < t->triangleList.count; i++)
    add_triangle(t, x0, triangles + 3 * (size_t)t->triangleList.data[i], &corners);
  bool listed = !dv_names_all(&t->triangleList, t->listed);
  for (size_t i = 0; i < count && !listed && t->dmin != t->dmax; i++)
    if (in_slab(t, x0, triangles + 3 * i)) add_triangle(t, x0, triangles + 3 * i, &corners);
  list_points(t, x0, &corners);
  dv_array_free(&corners);
}

static dvStatus oscillating_torsion_reinit(dvObject *o)
{
  OscillatingTorsion *t = (OscillatingTorsion *)o;
  t->turned.count = 0;
  const dvInts *triangles = dv_force_elements(o, dv_topology(t->topology.target), DV_TRIANGLE, t->force.state);
  if (!triangles) return DV_ERROR_INPUT;
  if (triangles->count > INT32_MAX) return dv_error(o, NULL, "there are too many triangles");
  DV_TRY(read_axis(o, t->axis, &t->unit));
  DV_TRY(dv_check_indices(o, &t->triangleList, dv_ints_size(triangles), "triangles"));
  choose_triangles(t, triangles->data, dv_ints_size(triangles));
  return DV_OK;
}

// triangles that are named cost what their list does; a slab looks at all of them
static bool patch(dvObject *o)
{
  OscillatingTorsion *t = (OscillatingTorsion *)o;
  dvTopology *mesh = dv_topology(t->topology.target);
  if (dv_names_all(&t->triangleList, t->listed) && t->dmin != t->dmax) return false;
  if (dv_topology_point_count(mesh) > t->force.state->count) return false;
  choose_triangles(t, dv_topology_list(mesh, DV_TRIANGLE)->data, 0);
  return true;
}

static void oscillating_torsion_topology_changed(dvObject *o)
{
  dv_force_patch_or_remake(o, dv_topology(((OscillatingTorsion *)o)->topology.target), patch);
}

static dvStatus oscillating_torsion_init(dvObject *o)
{
  OscillatingTorsion *t = (OscillatingTorsion *)o;
  DV_TRY(dv_force_init(o));
  if (!dv_force_topology(o, &t->topology)) return DV_ERROR_INPUT;
  t->period = dv_compat(o, DV_COMPAT_OSCILLATION_PERIOD) ? 6.2831853 : 2 * acos(-1.0);
  t->listed = dv_follow_list(o, dv_topology(t->topology.target), DV_TRIANGLE, &t->triangleList);
  t->listed->heirs = true;
  DV_TRY(oscillating_torsion_reinit(o));
  if (t->turned.count == 0)
    dv_warning(o, "name triangles in triangleList, or give dmin and dmax along the axis",
               "no triangle is chosen: there is no moment");
  return DV_OK;
}

// angle about the axis from the arm at rest to the present one, weighted by the distance
static double mean_angle(OscillatingTorsion *t, const double *x)
{
  double sum = 0, weight = 0;
  for (size_t i = 0; i < t->turned.count; i++) {
    TurnedPoint *p = &t->turned.data[i];
    p->present = arm_of(t, dv_vec3_load(x + 3 * (size_t)p->point));
    double d = dv_vec3_norm(p->present), rest = dv_vec3_norm(p->arm);
    if (!(d > on_axis && rest > on_axis)) continue;
    double angle = acos(fmax(-1, fmin(1, dv_vec3_dot(p->present, p->arm) / (d * rest))));
    sum += dv_vec3_dot(t->unit, dv_vec3_cross(p->present, p->arm)) > 0 ? -d * angle : d * angle;
    weight += d;
  }
  return weight > 0 ? sum / weight : 0;
}

static void oscillating_torsion_add_force(dvObject *o, const dvMech *m)
{
  OscillatingTorsion *t = (OscillatingTorsion *)o;
  dvState *s = t->force.state;
  const double *x = dv_state_read(s, m->x);
  double *f = dv_state_write(s, m->f), moment = t->moment * cos(t->period * t->frequency * o->node->time);
  dvQuat turn = dv_quat_from_axis(t->unit, mean_angle(t, x));
  for (size_t i = 0; i < t->turned.count; i++) {
    const TurnedPoint *p = &t->turned.data[i];
    dvVec3 ideal = dv_vec3_add(dv_quat_rotate(turn, p->arm), p->foot);
    dvVec3 pull = dv_vec3_scale(dv_vec3_sub(ideal, dv_vec3_load(x + 3 * (size_t)p->point)), t->penalty);
    dv_vec3_accumulate(f + 3 * (size_t)p->point, pull);
    moment -= dv_vec3_dot(pull, dv_vec3_cross(t->unit, p->present));
  }
  for (size_t i = 0; i < t->turned.count; i++) {
    const TurnedPoint *p = &t->turned.data[i];
    double d2 = dv_vec3_norm2(p->present);
    if (d2 > on_axis * on_axis)
      dv_vec3_accumulate(f + 3 * (size_t)p->point,
                         dv_vec3_scale(dv_vec3_cross(t->unit, p->present), moment * p->share / d2));
  }
}

static void oscillating_torsion_destroy(dvObject *o) { dv_array_free(&((OscillatingTorsion *)o)->turned); }

static const dvForceOps oscillating_torsion_ops = {.add_force = oscillating_torsion_add_force, DV_FORCE_SLOTS};

const dvClass dv_oscillating_torsion_class = {
    .struct_size = sizeof(dvClass),
    .name = "OscillatingTorsionPressureForceField",
    .help = "turns a surface to and fro about an axis, as if it were stiff",
    .module = "Sofa.Component.MechanicalLoad",
    .dofs = DV_DOF_VEC3,
    .size = sizeof(OscillatingTorsion),
    .blocks = {&dv_object_block, &dv_force_block, DV_BLOCK(oscillating_torsion_fields)},
    .ops = {[DV_ROLE_FORCE] = &oscillating_torsion_ops},
    .init = oscillating_torsion_init,
    .reinit = oscillating_torsion_reinit,
    .destroy = oscillating_torsion_destroy,
    .topology_changed = oscillating_torsion_topology_changed,
};
