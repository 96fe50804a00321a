// Obstacles that push points out: PlaneForceField, SphereForceField, EllipsoidForceField, ConicalForceField.
//
// With a signed distance d of a point and the direction n in which it grows
//
//   f = -k d n - c |d| v          (plane, sphere; the damping grows with the depth, as in SOFA)
//
// on one side, or on both when bilateral. A contact keeps a matrix for products: -k n n^T for a plane, and for a sphere
// of radius r about the centre -k (n n^T + (1 - r/l) (1 - n n^T)), l the distance to the centre. Inside, the second
// part pushes on what moves sideways, which is light and free too far in one step: `positive` leaves it out. The
// damping is not differentiated.
#include "force/load/ellipsoid.h"
#include "mechanics/component.h"
#include "object/compat.h"

#include <string.h>

extern const dvClass dv_plane_force_class, dv_sphere_force_class, dv_ellipsoid_force_class, dv_conical_force_class;

enum { DIMENSIONS = 6 };

// Points that were touched in the last add_force, and df/dx there: n x n numbers each, row by row.
typedef struct Obstacle {
  dvForce force;
  DV_ARRAY(size_t) touched;
  DV_ARRAY(double) k;
} Obstacle;

// numbers of a coordinate that obstacles see
static int dimensions(const dvObject *o)
{
  const dvDof *dof = ((const Obstacle *)o)->force.state->base.dof;
  return dof->kind == DV_RIGID3 ? 3 : dof->coord;
}

// first and last point of localRange
static void point_range(const Obstacle *b, const int32_t range[2], size_t *begin, size_t *end)
{
  *begin = range[0] >= 0 ? (size_t)range[0] : 0;
  *end = b->force.state->count;
  if (range[1] >= 0 && (size_t)range[1] + 1 < *end) *end = (size_t)range[1] + 1;
}

static double dot(const double *a, const double *b, int n)
{
  double sum = 0;
  for (int k = 0; k < n; k++) sum += a[k] * b[k];
  return sum;
}

static void forget_contacts(Obstacle *b) { b->touched.count = b->k.count = 0; }

// A new contact; the numbers of its matrix. Since init there is room for all points of the state.
static double *add_contact(Obstacle *b, size_t point, int n)
{
  dv_push(&b->touched, point);
  dv_reserve(&b->k, (size_t)(n * n));
  b->k.count += (size_t)(n * n);
  return b->k.data + b->k.count - n * n;
}

// a contact with the matrix along u u^T + across 1
static void touch(Obstacle *b, size_t point, const double *u, double along, double across)
{
  int n = dimensions(&b->force.base);
  double *k = add_contact(b, point, n);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) k[n * i + j] = along * u[i] * u[j];
    k[n * i + i] += across;
  }
}

static dvStatus obstacle_init(dvObject *o)
{
  Obstacle *b = (Obstacle *)o;
  DV_TRY(dv_force_init(o));
  if (b->force.state->base.dof != o->dof)
    return dv_error(o, "leave the template away, it follows the state", "%s is of type %s and the state %s of type %s",
                    o->cls->name, o->dof->name, b->force.state->base.name, b->force.state->base.dof->name);
  size_t count = b->force.state->count, n = (size_t)dimensions(o);
  if (!dv_try_reserve(&b->touched, count) || !dv_try_reserve(&b->k, count * n * n))
    return dv_error(o, NULL, "out of memory for %zu points", count);
  return DV_OK;
}

static void obstacle_add_dforce(dvObject *o, const dvMech *m)
{
  Obstacle *b = (Obstacle *)o;
  int n = dimensions(o);
  size_t w = (size_t)b->force.state->base.dof->deriv;
  double factor = dv_mech_k(m, b->force.rayleighStiffness);
  const double *dx = dv_state_read(b->force.state, m->dx);
  double *df = dv_state_write(b->force.state, m->df);
  const double *k = b->k.data;
  for (size_t i = 0; i < b->touched.count; i++, k += n * n) {
    size_t at = b->touched.data[i] * w;
    for (int r = 0; r < n; r++) df[at + (size_t)r] += factor * dot(k + n * r, dx + at, n);
  }
}

static void obstacle_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  Obstacle *b = (Obstacle *)o;
  dvState *s = b->force.state;
  int n = dimensions(o), w = s->base.dof->deriv;
  double factor = dv_mech_k(m, b->force.rayleighStiffness);
  const double *k = b->k.data;
  for (size_t i = 0; i < b->touched.count; i++, k += n * n) {
    double block[DIMENSIONS * DIMENSIONS] = {0};
    for (int e = 0; e < n * n; e++) block[e / n * w + e % n] = factor * k[e];
    sink->add(sink, s, b->touched.data[i], s, b->touched.data[i], w, w, block);
  }
}

static void obstacle_destroy(dvObject *o)
{
  dv_array_free(&((Obstacle *)o)->touched);
  dv_array_free(&((Obstacle *)o)->k);
}

// --- PlaneForceField -----------------------------------------------------------------------------

#define PLANE_FORCE_FIELDS(X)                                                                                   \
  X(deriv, normal, "", "", "direction in which the plane pushes; (0, 1, 0) by default. Its length is a factor") \
  X(real, d, "0", "m", "the plane are the points with normal . x = d")                                          \
  X(real, stiffness, "500", "N/m", "stiffness of the plane", .flags = DV_SIGNED)                                \
  X(real, damping, "5", "N s/m2", "damping per depth", .flags = DV_SIGNED)                                      \
  X(real, maxForce, "0", "N", "largest force on a point; 0: no limit")                                          \
  X(bool, bilateral, "0", "", "act on both sides: points are held at the plane")                                \
  X(ivec2, localRange, "-1 -1", "", "first and last point that feel the plane; -1: all")                        \
  X(bool, showPlane, "0", "", "draw the plane", .flags = DV_LOOKS)                                              \
  X(color, planeColor, "0 0.5 0.2 1", "", "colour of the plane", .flags = DV_LOOKS)                             \
  X(real, showPlaneSize, "10", "m", "half the side of the drawn plane", .flags = DV_LOOKS)

typedef struct PlaneForce {
  Obstacle obstacle;
  PLANE_FORCE_FIELDS(DV_MEMBER)
} PlaneForce;

#define SELF PlaneForce
static const dvFieldDesc plane_force_fields[] = {PLANE_FORCE_FIELDS(DV_DESCRIBE)};
#undef SELF

static void plane_force_create(dvObject *o) { ((PlaneForce *)o)->normal[1] = 1; }

static void at_least_zero(const dvObject *o, double *member, double otherwise)
{
  if (*member >= 0) return;
  dv_field_warning(o, member, NULL, "%s %g is negative: %g is used instead",
                   dv_field_name(dv_field_of(o, member)->desc), *member, otherwise);
  *member = otherwise;
}

static dvStatus plane_force_reinit(dvObject *o)
{
  PlaneForce *p = (PlaneForce *)o;
  at_least_zero(o, &p->stiffness, 500);
  at_least_zero(o, &p->damping, 5);
  at_least_zero(o, &p->maxForce, 0);
  const int32_t *r = p->localRange;
  if (dv_was_set(o, &p->localRange) && (r[0] < 0 || r[1] < 0 || r[0] > r[1])) {
    dv_field_warning(o, &p->localRange, "give the first and the last point",
                     "localRange %d %d is no range: all points are taken", r[0], r[1]);
    p->localRange[0] = p->localRange[1] = -1;
  }
  if (dot(p->normal, p->normal, dimensions(o)) == 0)
    dv_field_warning(o, &p->normal, "give a normal", "the normal is zero: the plane gives no force");
  return DV_OK;
}

static dvStatus plane_force_init(dvObject *o)
{
  DV_TRY(obstacle_init(o));
  return plane_force_reinit(o);
}

static void plane_force_add_force(dvObject *o, const dvMech *m)
{
  PlaneForce *p = (PlaneForce *)o;
  Obstacle *b = &p->obstacle;
  int n = dimensions(o);
  size_t coord = (size_t)o->dof->coord, w = (size_t)o->dof->deriv, begin, end;
  const double *x = dv_state_read(b->force.state, m->x), *v = dv_state_read(b->force.state, m->v);
  double *f = dv_state_write(b->force.state, m->f), limit = p->maxForce * p->maxForce;
  forget_contacts(b);
  point_range(b, p->localRange, &begin, &end);
  for (size_t i = begin; i < end; i++) {
    double d = dot(x + i * coord, p->normal, n) - p->d, push[DIMENSIONS];
    if (!p->bilateral && !(d < 0)) continue;
    for (int k = 0; k < n; k++) push[k] = -p->stiffness * d * p->normal[k] + p->damping * d * v[i * w + (size_t)k];
    double size = dot(push, push, n), scale = limit > 0 && size > limit ? sqrt(limit / size) : 1;
    for (int k = 0; k < n; k++) f[i * w + (size_t)k] += scale * push[k];
    touch(b, i, p->normal, -p->stiffness, 0);
  }
}

static double plane_force_energy(dvObject *o, const dvMech *m)
{
  PlaneForce *p = (PlaneForce *)o;
  const double *x = dv_state_read(p->obstacle.force.state, m->x);
  size_t begin, end;
  double sum = 0;
  point_range(&p->obstacle, p->localRange, &begin, &end);
  for (size_t i = begin; i < end; i++) {
    double d = dot(x + i * (size_t)o->dof->coord, p->normal, dimensions(o)) - p->d;
    if (p->bilateral || d < 0) sum += 0.5 * p->stiffness * d * d;
  }
  return sum;
}

static const dvForceOps plane_force_ops = {
    .add_force = plane_force_add_force,
    .add_dforce = obstacle_add_dforce,
    .add_stiffness = obstacle_add_stiffness,
    .energy = plane_force_energy,
    DV_FORCE_SLOTS,
};

const dvClass dv_plane_force_class = {
    .struct_size = sizeof(dvClass),
    .name = "PlaneForceField",
    .help = "a plane that pushes points to one side",
    .module = "Sofa.Component.MechanicalLoad",
    .dofs = DV_DOF_VECS | DV_DOF_RIGID3,
    .size = sizeof(PlaneForce),
    .blocks = {&dv_object_block, &dv_force_block, DV_BLOCK(plane_force_fields)},
    .ops = {[DV_ROLE_FORCE] = &plane_force_ops},
    .create = plane_force_create,
    .init = plane_force_init,
    .reinit = plane_force_reinit,
    .destroy = obstacle_destroy,
};

// --- SphereForceField ----------------------------------------------------------------------------

#define SPHERE_FORCE_FIELDS(X)                                                                                       \
  X(coord, center, "", "m", "centre of the sphere")                                                                  \
  X(real, radius, "1", "m", "radius of the sphere")                                                                  \
  X(real, stiffness, "500", "N/m", "stiffness of the sphere")                                                        \
  X(real, damping, "5", "N s/m2", "damping per depth")                                                               \
  X(color, color, "0 0 1 1", "", "colour of the sphere", .flags = DV_LOOKS)                                          \
  X(ivec2, localRange, "-1 -1", "", "first and last point that feel the sphere; -1: all")                            \
  X(bool, bilateral, "0", "", "act inside and outside: points are held at the surface")                              \
  X(bool, positive, "0", "",                                                                                         \
    "leave out of the linearised force what pushes points inside on sideways: steps stay stable where light things " \
    "are pressed in deep")                                                                                           \
  X(string, contacts, "", "", "points inside, kept by the component", .flags = DV_HIDDEN | DV_READ_ONLY)

typedef struct SphereForce {
  Obstacle obstacle;
  SPHERE_FORCE_FIELDS(DV_MEMBER)
} SphereForce;

#define SELF SphereForce
static const dvFieldDesc sphere_force_fields[] = {SPHERE_FORCE_FIELDS(DV_DESCRIBE)};
#undef SELF

// from the centre; the distance
static double from_centre(const double *x, const double *centre, double *out, int n)
{
  for (int k = 0; k < n; k++) out[k] = x[k] - centre[k];
  return sqrt(dot(out, out, n));
}

static void sphere_force_add_force(dvObject *o, const dvMech *m)
{
  SphereForce *p = (SphereForce *)o;
  Obstacle *b = &p->obstacle;
  int n = dimensions(o);
  size_t begin, end;
  const double *x = dv_state_read(b->force.state, m->x), *v = dv_state_read(b->force.state, m->v);
  double *f = dv_state_write(b->force.state, m->f);
  forget_contacts(b);
  point_range(b, p->localRange, &begin, &end);
  for (size_t i = begin; i < end; i++) {
    size_t at = i * (size_t)n;
    double e[DIMENSIONS], length = from_centre(x + at, p->center, e, n), d = length - p->radius;
    // at the centre there is no way out to prefer
    if ((!p->bilateral && !(d < 0)) || length == 0) continue;
    for (int k = 0; k < n; k++) {
      e[k] /= length;
      f[at + (size_t)k] += -p->stiffness * d * e[k] + p->damping * d * v[at + (size_t)k];
    }
    double ratio = p->radius / length;
    if (p->positive) ratio = dv_min(ratio, 1);
    touch(b, i, e, -p->stiffness * ratio, -p->stiffness * (1 - ratio));
  }
}

static double sphere_force_energy(dvObject *o, const dvMech *m)
{
  SphereForce *p = (SphereForce *)o;
  int n = dimensions(o);
  const double *x = dv_state_read(p->obstacle.force.state, m->x);
  size_t begin, end;
  double sum = 0;
  point_range(&p->obstacle, p->localRange, &begin, &end);
  for (size_t i = begin; i < end; i++) {
    double e[DIMENSIONS], d = from_centre(x + i * (size_t)n, p->center, e, n) - p->radius;
    if (p->bilateral || d < 0) sum += 0.5 * p->stiffness * d * d;
  }
  return sum;
}

static const dvForceOps sphere_force_ops = {
    .add_force = sphere_force_add_force,
    .add_dforce = obstacle_add_dforce,
    .add_stiffness = obstacle_add_stiffness,
    .energy = sphere_force_energy,
    DV_FORCE_SLOTS,
};

const dvClass dv_sphere_force_class = {
    .struct_size = sizeof(dvClass),
    .name = "SphereForceField",
    .help = "a sphere that pushes points out",
    .module = "Sofa.Component.MechanicalLoad",
    .dofs = DV_DOF_VEC1 | DV_DOF_VEC2 | DV_DOF_VEC3,
    .size = sizeof(SphereForce),
    .blocks = {&dv_object_block, &dv_force_block, DV_BLOCK(sphere_force_fields)},
    .ops = {[DV_ROLE_FORCE] = &sphere_force_ops},
    .init = obstacle_init,
    .destroy = obstacle_destroy,
};

// --- EllipsoidForceField: see ellipsoid.h --------------------------------------------------------

#define ELLIPSOID_FORCE_FIELDS(X)                                                                         \
  X(coord, center, "", "m", "centre of the ellipsoid")                                                    \
  X(coord, vradius, "", "m", "radii along the axes")                                                      \
  X(real, stiffness, "500", "N", "stiffness; positive pushes out, negative keeps in", .flags = DV_SIGNED) \
  X(real, damping, "5", "N s/m", "damping per depth, in units of the radii")                              \
  X(color, color, "0 0.5 1 1", "", "colour of the ellipsoid", .flags = DV_LOOKS)                          \
  X(string, contacts, "", "", "points inside, kept by the component", .flags = DV_HIDDEN | DV_READ_ONLY)

typedef struct EllipsoidForce {
  Obstacle obstacle;
  ELLIPSOID_FORCE_FIELDS(DV_MEMBER)
} EllipsoidForce;

#define SELF EllipsoidForce
static const dvFieldDesc ellipsoid_force_fields[] = {ELLIPSOID_FORCE_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus ellipsoid_force_reinit(dvObject *o)
{
  EllipsoidForce *p = (EllipsoidForce *)o;
  for (int k = 0; k < dimensions(o); k++)
    if (!(fabs(p->vradius[k]) > 0))
      return dv_field_error(o, &p->vradius, "give a radius along each axis", "radius %d of the ellipsoid is %g", k,
                            p->vradius[k]);
  return DV_OK;
}

static dvStatus ellipsoid_force_init(dvObject *o)
{
  DV_TRY(obstacle_init(o));
  return ellipsoid_force_reinit(o);
}

static void ellipsoid_force_add_force(dvObject *o, const dvMech *m)
{
  EllipsoidForce *p = (EllipsoidForce *)o;
  Obstacle *b = &p->obstacle;
  int n = dimensions(o);
  const double *x = dv_state_read(b->force.state, m->x), *v = dv_state_read(b->force.state, m->v);
  double *f = dv_state_write(b->force.state, m->f), inverse[DIMENSIONS];
  for (int k = 0; k < n; k++) inverse[k] = 1 / (p->vradius[k] * p->vradius[k]);
  forget_contacts(b);
  for (size_t i = 0; i < b->force.state->count; i++) {
    size_t at = i * (size_t)n;
    double e[DIMENSIONS], push[DIMENSIONS], k[DIMENSIONS * DIMENSIONS], depth;
    from_centre(x + at, p->center, e, n);
    if (!dv_ellipsoid_push(e, inverse, n, p->stiffness, &depth, push, k)) continue;
    for (int c = 0; c < n; c++) f[at + (size_t)c] += push[c] - p->damping * depth * v[at + (size_t)c];
    memcpy(add_contact(b, i, n), k, (size_t)(n * n) * sizeof *k);
  }
}

static const dvForceOps ellipsoid_force_ops = {.add_force = ellipsoid_force_add_force,
                                               .add_dforce = obstacle_add_dforce,
                                               .add_stiffness = obstacle_add_stiffness,
                                               DV_FORCE_SLOTS};

const dvClass dv_ellipsoid_force_class = {
    .struct_size = sizeof(dvClass),
    .name = "EllipsoidForceField",
    .help = "an ellipsoid that pushes points out, or keeps them in",
    .module = "Sofa.Component.MechanicalLoad",
    .dofs = DV_DOF_VEC1 | DV_DOF_VEC2 | DV_DOF_VEC3,
    .size = sizeof(EllipsoidForce),
    .blocks = {&dv_object_block, &dv_force_block, DV_BLOCK(ellipsoid_force_fields)},
    .ops = {[DV_ROLE_FORCE] = &ellipsoid_force_ops},
    .init = ellipsoid_force_init,
    .reinit = ellipsoid_force_reinit,
    .destroy = obstacle_destroy,
};

// --- ConicalForceField: keeps points inside a cone that ends in a piece of a sphere --------------

#define CONICAL_FORCE_FIELDS(X)                                                           \
  X(vec3, coneCenter, "0 0 0", "m", "tip of the cone")                                    \
  X(vec3, coneHeight, "0 0 0", "m", "from the tip along the axis to the end of the cone") \
  X(real, coneAngle, "10", "degrees", "angle between the axis and the side")              \
  X(real, stiffness, "500", "N/m", "stiffness of the cone")                               \
  X(real, damping, "5", "N s/m", "damping along the way back")                            \
  X(color, color, "0 0 1 1", "", "colour of the cone", .flags = DV_LOOKS)

typedef struct ConicalForce {
  Obstacle obstacle;
  CONICAL_FORCE_FIELDS(DV_MEMBER)
  bool feeds;   // beyond the end damping feeds the motion
} ConicalForce;

#define SELF ConicalForce
static const dvFieldDesc conical_force_fields[] = {CONICAL_FORCE_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus conical_force_reinit(dvObject *o)
{
  ConicalForce *p = (ConicalForce *)o;
  if (dot(p->coneHeight, p->coneHeight, 3) > 0) return DV_OK;
  return dv_field_error(o, &p->coneHeight, "give coneHeight=\"0 -10 0\" for a cone that opens downwards",
                        "the cone has no height");
}

static dvStatus conical_force_init(dvObject *o)
{
  ConicalForce *p = (ConicalForce *)o;
  DV_TRY(obstacle_init(o));
  p->feeds = p->damping != 0 && dv_compat(o, DV_COMPAT_CONE_DAMPING);
  return conical_force_reinit(o);
}

// way back into the cone for a point at e from the tip, beside the cone: the foot on the nearest line of the side
static double way_to_side(const ConicalForce *p, const double *axis, const double *e, double length, double *way)
{
  double angle = p->coneAngle * acos(-1.0) / 180, along = dot(e, axis, 3), across[3], wide = 0;
  for (int k = 0; k < 3; k++) across[k] = e[k] - along * axis[k];
  wide = sqrt(dot(across, across, 3));
  if (wide == 0 || length == 0) return 0;
  double line[3], foot;
  for (int k = 0; k < 3; k++) line[k] = cos(angle) * axis[k] + sin(angle) * across[k] / wide;
  foot = dot(line, e, 3);
  for (int k = 0; k < 3; k++) way[k] = foot * line[k] - e[k];
  return sqrt(dot(way, way, 3));
}

static void conical_force_add_force(dvObject *o, const dvMech *m)
{
  ConicalForce *p = (ConicalForce *)o;
  Obstacle *b = &p->obstacle;
  const double *x = dv_state_read(b->force.state, m->x), *v = dv_state_read(b->force.state, m->v);
  double *f = dv_state_write(b->force.state, m->f), axis[3], height = sqrt(dot(p->coneHeight, p->coneHeight, 3));
  for (int k = 0; k < 3; k++) axis[k] = p->coneHeight[k] / height;
  forget_contacts(b);
  for (size_t i = 0; i < b->force.state->count; i++) {
    double e[3], way[3] = {0}, length = from_centre(x + 3 * i, p->coneCenter, e, 3), d;
    bool beyond = length > height;
    double cosine = length > 0 ? fmax(-1, fmin(1, dot(e, axis, 3) / length)) : 1;
    if (!beyond && acos(cosine) * 180 / acos(-1.0) <= p->coneAngle) continue;   // inside
    if (beyond) d = length - height;
    else if (cosine > 0) d = way_to_side(p, axis, e, length, way);
    else d = length;
    if (d == 0) continue;
    for (int k = 0; k < 3; k++) way[k] = beyond || cosine <= 0 ? -e[k] / length : way[k] / d;
    double back = dot(way, v + 3 * i, 3);
    for (int k = 0; k < 3; k++)
      // beyond the end SOFA's damping grows with the distance and feeds the motion
      f[3 * i + (size_t)k] +=
          p->stiffness * d * way[k] + p->damping * (beyond && p->feeds ? d * v[3 * i + (size_t)k] : -back * way[k]);
    touch(b, i, way, -p->stiffness, 0);
  }
}

static const dvForceOps conical_force_ops = {.add_force = conical_force_add_force,
                                             .add_dforce = obstacle_add_dforce,
                                             .add_stiffness = obstacle_add_stiffness,
                                             DV_FORCE_SLOTS};

const dvClass dv_conical_force_class = {
    .struct_size = sizeof(dvClass),
    .name = "ConicalForceField",
    .help = "a cone that keeps points inside",
    .module = "Sofa.Component.MechanicalLoad",
    .dofs = DV_DOF_VEC3,
    .size = sizeof(ConicalForce),
    .blocks = {&dv_object_block, &dv_force_block, DV_BLOCK(conical_force_fields)},
    .ops = {[DV_ROLE_FORCE] = &conical_force_ops},
    .init = conical_force_init,
    .reinit = conical_force_reinit,
    .destroy = obstacle_destroy,
};
