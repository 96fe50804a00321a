// MinProximityIntersection: a contact where two primitives are nearest, if that is inside of both.
//
// What is nearest at the border of a line or triangle is left to the lines and points around it, so that each contact
// is found once; hence triangles meet points only, and an object needs models of points, lines and triangles. Only
// points meet the ends of lines as well.
#include "collision/intersection/primitives.h"
#include "collision/register.h"
#include "object/compat.h"

#define MIN_PROXIMITY_FIELDS(X)                                                                        \
  X(bool, useSphereTriangle, "1", "", "test spheres against triangles, lines and points")              \
  X(bool, usePointPoint, "1", "", "test points against points")                                        \
  X(bool, useSurfaceNormals, "0", "", "normals of contacts with triangles are those of the triangles") \
  X(bool, useLinePoint, "1", "", "test lines against points")                                          \
  X(bool, useLineLine, "1", "", "test lines against lines")

typedef struct MinProximity {
  dvProximityMethod base;
  MIN_PROXIMITY_FIELDS(DV_MEMBER)
  bool mirrored;   // lines meet spheres as in SOFA
} MinProximity;

#define SELF MinProximity
static const dvFieldDesc min_proximity_fields[] = {MIN_PROXIMITY_FIELDS(DV_DESCRIBE)};
#undef SELF

static void point_point(const dvProximity *p, int32_t i, int32_t j, dvContactList *out)
{
  dvVec3 a = dv_corner(p->model[0], i, 0), b = dv_corner(p->model[1], j, 0);
  if (dv_within(a, b, p->alarm)) dv_add_contact(out, i, j, a, b, p->contact, dv_larger_id(p, i, j));
}

static void line_point(const dvProximity *p, int32_t i, int32_t j, dvContactList *out)
{
  dvVec3 a = dv_corner(p->model[0], i, 0), b = dv_corner(p->model[0], i, 1), c = dv_corner(p->model[1], j, 0);
  double s = dv_nearest_on_line(a, b, c);
  dvVec3 q = s <= 0 ? a : s >= 1 ? b : dv_on_line(a, b, s);
  if (dv_within(q, c, p->alarm)) dv_add_contact(out, i, j, q, c, p->contact, (uint64_t)j);
}

static void line_line(const dvProximity *p, int32_t i, int32_t j, dvContactList *out)
{
  dvVec3 a = dv_corner(p->model[0], i, 0), b = dv_corner(p->model[0], i, 1);
  dvVec3 c = dv_corner(p->model[1], j, 0), d = dv_corner(p->model[1], j, 1);
  double s, t;
  dv_nearest_lines(a, b, c, d, 1e-15, &s, &t);
  if (!dv_inside_line(s) || !dv_inside_line(t)) return;
  dvVec3 on = dv_on_line(a, b, s), other = dv_on_line(c, d, t);
  if (dv_within(on, other, p->alarm)) dv_add_contact(out, i, j, on, other, p->contact, dv_larger_id(p, i, j));
}

// the nearest point inside of a triangle, when it is near enough
static bool on_triangle(const dvCollisionModel *m, int32_t i, dvVec3 p, double alarm, dvVec3 *q)
{
  dvVec3 a = dv_corner(m, i, 0), b = dv_corner(m, i, 1), c = dv_corner(m, i, 2);
  double s, t;
  if (!dv_nearest_on_plane(a, b, c, p, &s, &t) || !dv_inside_triangle(s, t)) return false;
  *q = dv_on_plane(a, b, c, s, t);
  return dv_within(*q, p, alarm);
}

static void triangle_point(const dvProximity *p, int32_t i, int32_t j, dvContactList *out)
{
  const dvCollisionModel *m = p->model[0];
  dvVec3 point = dv_corner(p->model[1], j, 0), q;
  if (!on_triangle(m, i, point, p->alarm, &q)) return;
  double length;
  dvVec3 n = dv_direction(dv_vec3_sub(point, q), &length);
  if (((const MinProximity *)p->method)->useSurfaceNormals) {
    dvVec3 a = dv_corner(m, i, 0);
    n = dv_vec3_normalise(dv_vec3_cross(dv_vec3_sub(dv_corner(m, i, 1), a), dv_vec3_sub(dv_corner(m, i, 2), a)));
  }
  dv_add_contact_along(out, i, j, q, point, n, length - p->contact, (uint64_t)j);
}

// a sphere, the second, near a point of the first
static void add_sphere(const dvProximity *p, int32_t i, int32_t j, dvVec3 q, dvContactList *out)
{
  double length;
  dvVec3 n = dv_direction(dv_vec3_sub(dv_corner(p->model[1], j, 0), q), &length);
  dv_add_contact_along(out, i, j, q, dv_sphere_touched(p->model[1], j, n), n,
                       length - p->contact - dv_radius(p->model[1], j), (uint64_t)j);
}

static void triangle_sphere(const dvProximity *p, int32_t i, int32_t j, dvContactList *out)
{
  dvVec3 q;
  if (on_triangle(p->model[0], i, dv_corner(p->model[1], j, 0), p->alarm + dv_radius(p->model[1], j), &q))
    add_sphere(p, i, j, q, out);
}

static void line_sphere(const dvProximity *p, int32_t i, int32_t j, dvContactList *out)
{
  dvVec3 a = dv_corner(p->model[0], i, 0), b = dv_corner(p->model[0], i, 1), c = dv_corner(p->model[1], j, 0);
  double s = dv_nearest_on_line(a, b, c);
  if (((const MinProximity *)p->method)->mirrored) s = 1 - s;
  dvVec3 q = dv_on_line(a, b, s);
  if (dv_inside_line(s) && dv_within(q, c, p->alarm + dv_radius(p->model[1], j))) add_sphere(p, i, j, q, out);
}

static void sphere_point(const dvProximity *p, int32_t i, int32_t j, dvContactList *out)
{
  dvVec3 c = dv_corner(p->model[0], i, 0), q = dv_corner(p->model[1], j, 0);
  double r = dv_radius(p->model[0], i), length;
  if (!dv_within(c, q, p->alarm + r)) return;
  dvVec3 n = dv_direction(dv_vec3_sub(q, c), &length);
  dv_add_contact_along(out, i, j, dv_sphere_touched(p->model[0], i, dv_vec3_neg(n)), q, n, length - p->contact - r,
                       (uint64_t)i);
}

static const dvShapePair min_proximity_pairs[] = {
    {DV_SHAPE_POINT, DV_SHAPE_POINT, point_point},   {DV_SHAPE_LINE, DV_SHAPE_POINT, line_point},
    {DV_SHAPE_LINE, DV_SHAPE_LINE, line_line},       {DV_SHAPE_TRIANGLE, DV_SHAPE_POINT, triangle_point},
    {DV_SHAPE_TRIANGLE, DV_SHAPE_LINE, NULL},        {DV_SHAPE_TRIANGLE, DV_SHAPE_TRIANGLE, NULL},
    {DV_SHAPE_SPHERE, DV_SHAPE_POINT, sphere_point}, {DV_SHAPE_TRIANGLE, DV_SHAPE_SPHERE, triangle_sphere},
    {DV_SHAPE_LINE, DV_SHAPE_SPHERE, line_sphere},   {0},
};

static bool min_proximity_wants(dvObject *o, const dvShapePair *pair)
{
  MinProximity *m = (MinProximity *)o;
  if (pair->contacts == line_sphere) m->mirrored = dv_compat(o, DV_COMPAT_LINE_SPHERE);
  if (pair->contacts == point_point) return m->usePointPoint;
  if (pair->contacts == line_point) return m->useLinePoint;
  if (pair->contacts == line_line) return m->useLineLine;
  bool sphere = pair->contacts == sphere_point || pair->contacts == line_sphere || pair->contacts == triangle_sphere;
  return !sphere || m->useSphereTriangle;
}

static const dvIntersectionOps min_proximity_ops = {.pairs = min_proximity_pairs,
                                                    .also = dv_solid_pairs,
                                                    .wants = min_proximity_wants,
                                                    .distances = dv_proximity_distances};

const dvClass dv_min_proximity_class = {
    .struct_size = sizeof(dvClass),
    .name = "MinProximityIntersection",
    .help = "contacts where points, lines, triangles and spheres are near each other",
    .module = "Sofa.Component.Collision.Detection.Intersection",
    .size = sizeof(MinProximity),
    .blocks = {&dv_object_block, &dv_proximity_block, DV_BLOCK(min_proximity_fields)},
    .ops = {[DV_ROLE_INTERSECTION] = &min_proximity_ops},
};
