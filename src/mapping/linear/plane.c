// DistanceToPlaneMapping: how far each point is from a plane, with a sign.
//
//   d = n . (x - p),   J = n
#include "mapping/linear/linear.h"
#include "mapping/nonlinear/measure.h"
#include "mapping/register.h"

#include <float.h>
#include <math.h>

#define PLANE_FIELDS(X)                                                                     \
  X(reals, planeNormal, "", "", "normal of the plane, of any length", .flags = DV_REQUIRED) \
  X(reals, planePoint, "", "m", "a point of the plane; the origin by default")

typedef struct Plane {
  dvMeasureMapping measure;
  PLANE_FIELDS(DV_MEMBER)
} Plane;

#define SELF Plane
static const dvFieldDesc plane_fields[] = {PLANE_FIELDS(DV_DESCRIBE)};
#undef SELF

static bool plane_ready(const dvObject *o)
{
  const Plane *p = (const Plane *)o;
  size_t n = (size_t)p->measure.space;
  return p->planeNormal.count >= n && p->planePoint.count >= n;
}

static double plane_value(const dvObject *o, size_t e, const double *x, double *g)
{
  DV_UNUSED(e);
  const Plane *p = (const Plane *)o;
  double distance = 0, origin = 0;
  for (int k = 0; k < p->measure.space; k++) {
    g[k] = p->planeNormal.data[k];
    distance += x[k] * g[k];
    origin += p->planePoint.data[k] * g[k];
  }
  return distance - origin;
}

static const dvMeasure plane_measure = {1, plane_value, NULL, plane_ready};

static dvStatus plane_init(dvObject *o)
{
  Plane *p = (Plane *)o;
  size_t n = o->dof->kind == DV_VEC6 ? 6 : (size_t)o->dof->space, points = p->measure.base.in->count;
  double sum = 0;
  if (p->planePoint.count == 0 && !dv_reals_resize(&p->planePoint, n)) return dv_error(o, NULL, "out of memory");
  if (p->planeNormal.count != n || p->planePoint.count != n)
    return dv_field_error(o, p->planeNormal.count != n ? &p->planeNormal : &p->planePoint, NULL,
                          "planeNormal and planePoint take %zu numbers each for %s, not %zu and %zu", n, o->dof->name,
                          p->planeNormal.count, p->planePoint.count);
  for (size_t k = 0; k < n; k++) sum += p->planeNormal.data[k] * p->planeNormal.data[k];
  if (!(sqrt(sum) >= DBL_EPSILON) || !isfinite(sum))
    return dv_field_error(o, &p->planeNormal, NULL, "planeNormal has no length");
  double *normal = dv_reals_edit(&p->planeNormal);
  for (size_t k = 0; k < n; k++) normal[k] /= sqrt(sum);
  if (points > INT32_MAX) return dv_error(o, NULL, "%zu points are too many", points);
  p->measure.point.count = 0;
  for (size_t i = 0; i < points; i++) dv_push(&p->measure.point, (int32_t)i);
  return dv_measure_settle(o, &plane_measure, points, "point");
}

static void plane_topology_changed(dvObject *o) { dv_measure_follow(o, NULL, DV_POINT); }

static const dvDofPair pairs[] = {
    {DV_DOF_VEC2 | DV_DOF_VEC3 | DV_DOF_VEC6 | DV_DOF_RIGID2 | DV_DOF_RIGID3, 0, DV_DOF_VEC1}, {0}};

const dvClass dv_distance_to_plane_mapping_class = {
    .struct_size = sizeof(dvClass),
    .name = "DistanceToPlaneMapping",
    .help = "the distance of each point from a plane, negative behind it",
    .module = "Sofa.Component.Mapping.Linear",
    .dofs = DV_DOF_ALL,
    .dofs_out = DV_DOF_VEC1,
    .pairs = pairs,
    .size = sizeof(Plane),
    .blocks = {&dv_object_block, &dv_mapping_block, DV_BLOCK(plane_fields)},
    .ops = {[DV_ROLE_MAPPING] = &dv_measure_ops},
    .link = dv_mapping_link,
    .init = plane_init,
    .destroy = dv_measure_destroy,
    .topology_changed = plane_topology_changed,
};
