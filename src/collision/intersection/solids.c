// Contacts of solids that every intersection method has, and DiscreteIntersection, which has no others.
//
// Spheres, capsules and bricks meet as convex solids (convex.h), with as many contacts as their common patch has
// corners: so they rest. A point inside a tetrahedron is pushed out against its own normal. Rays meet what they hit
// first.
#include "collision/intersection/convex.h"
#include "collision/register.h"
#include "topology/topology.h"

#include <math.h>

// --- convex solids -------------------------------------------------------------------------------

// A contact on points of a state acts at its centre and not at its surface; see dv_sphere_touched.
static dvVec3 surface(const dvCollisionModel *m, dvVec3 on, dvVec3 outward, double radius)
{
  bool centre = m->shape == DV_SHAPE_SPHERE && m->state->base.dof->kind == DV_VEC3;
  return centre ? on : dv_vec3_add_scaled(on, outward, radius);
}

static void add_solid(const dvProximity *p, int32_t i, int32_t j, const dvNearest *c, const double radii[2],
                      uint64_t id, dvContactList *out)
{
  dv_add_contact_along(out, i, j, surface(p->model[0], c->point[0], c->normal, radii[0]),
                       surface(p->model[1], c->point[1], dv_vec3_neg(c->normal), radii[1]), c->normal,
                       c->distance - radii[0] - radii[1] - p->contact, id);
}

// a number for each place of each pair
static uint64_t place_id(const dvProximity *p, int32_t i, int32_t j, int place)
{
  return ((uint64_t)i * dv_collision_model_count(&p->model[1]->base) + (uint64_t)j) * (DV_PATCH + 1) + (uint64_t)place;
}

void dv_convex_contacts(const dvProximity *p, int32_t i, int32_t j, dvContactList *out)
{
  dvConvex a, b;
  dvNearest near, patch[DV_PATCH];
  dv_convex_load(p->model[0], i, &a);
  dv_convex_load(p->model[1], j, &b);
  const double radii[2] = {a.radius, b.radius};
  double reach = p->alarm + a.radius + b.radius;
  if (!dv_convex_nearest(&a, &b, reach, &near)) return;
  int count = dv_convex_patch(&a, &b, &near, patch);
  for (int k = 0; k < count; k++)
    if (patch[k].distance <= reach) add_solid(p, i, j, &patch[k], radii, place_id(p, i, j, k), out);
}

static void sphere_sphere(const dvProximity *p, int32_t i, int32_t j, dvContactList *out)
{
  dvVec3 a = dv_corner(p->model[0], i, 0), b = dv_corner(p->model[1], j, 0);
  double r = dv_radius(p->model[0], i) + dv_radius(p->model[1], j), length;
  if (dv_vec3_norm2(dv_vec3_sub(b, a)) > (p->alarm + r) * (p->alarm + r)) return;
  dvVec3 n = dv_direction(dv_vec3_sub(b, a), &length);
  dv_add_contact_along(out, i, j, dv_sphere_touched(p->model[0], i, dv_vec3_neg(n)),
                       dv_sphere_touched(p->model[1], j, n), n, length - r - p->contact, dv_larger_id(p, i, j));
}

// The point of a cylinder nearest to c, the way out of it there, and how far c is away; negative inside.
static dvNearest on_cylinder(const dvCollisionModel *m, int32_t i, dvVec3 c)
{
  dvVec3 end[2];
  dv_ends(m, i, end);
  double length, out, r = dv_radius(m, i);
  dvVec3 axis = dv_direction(dv_vec3_sub(end[1], end[0]), &length), from = dv_vec3_sub(c, end[0]);
  double along = dv_vec3_dot(from, axis), inside = dv_max(0, dv_min(along, length));
  dvVec3 side = dv_direction(dv_vec3_add_scaled(from, axis, -along), &out);
  if (out <= 1e-15)
    side = dv_direction(dv_vec3_cross(axis, fabs(axis.x) < 0.9 ? dv_vec3(1, 0, 0) : dv_vec3(0, 1, 0)), &length);
  length = dv_vec3_norm(dv_vec3_sub(end[1], end[0]));
  dvNearest n = {.point = {dv_vec3_add_scaled(dv_vec3_add_scaled(end[0], axis, inside), side, dv_min(out, r)), c}};
  if (along < 0 || along > length || out > r) {
    n.normal = dv_direction(dv_vec3_sub(c, n.point[0]), &n.distance);
    return n;
  }
  double to_side = r - out, to_low = along, to_high = length - along, least = dv_min(to_side, dv_min(to_low, to_high));
  n.normal = least == to_side ? side : least == to_low ? dv_vec3_neg(axis) : axis;
  n.distance = -least;
  n.point[0] = dv_vec3_add_scaled(c, n.normal, least);
  return n;
}

static void cylinder_sphere(const dvProximity *p, int32_t i, int32_t j, dvContactList *out)
{
  const double radii[2] = {0, p->model[1]->radii ? dv_radius(p->model[1], j) : 0};
  dvNearest n = on_cylinder(p->model[0], i, dv_corner(p->model[1], j, 0));
  if (n.distance <= p->alarm + radii[1]) add_solid(p, i, j, &n, radii, place_id(p, i, j, 0), out);
}

// --- what is pierced -----------------------------------------------------------------------------

// where p + t d meets the plane of a triangle a + u (b - a) + v (c - a); false when it runs along it
static bool meet_plane(const dvVec3 *c, dvVec3 p, dvVec3 d, double *t, double *u, double *v)
{
  dvVec3 ab = dv_vec3_sub(c[1], c[0]), ac = dv_vec3_sub(c[2], c[0]), ap = dv_vec3_sub(p, c[0]);
  dvVec3 n = dv_vec3_cross(ab, ac);
  double det = -dv_vec3_dot(d, n);
  if (!(fabs(det) > 1e-100)) return false;
  dvVec3 q = dv_vec3_cross(ap, d);
  *t = dv_vec3_dot(ap, n) / det;
  *u = dv_vec3_dot(ac, q) / det;
  *v = -dv_vec3_dot(ab, q) / det;
  return true;
}

static dvVec3 triangle_normal(const dvVec3 *c)
{
  return dv_vec3_normalise(dv_vec3_cross(dv_vec3_sub(c[1], c[0]), dv_vec3_sub(c[2], c[0])));
}

static bool meet_triangle(const dvCollisionModel *m, int32_t i, const dvVec3 *line, dvVec3 *at, dvVec3 *normal)
{
  dvVec3 c[3] = {dv_corner(m, i, 0), dv_corner(m, i, 1), dv_corner(m, i, 2)}, d = dv_vec3_sub(line[1], line[0]);
  double t, u, v;
  if (!meet_plane(c, line[0], d, &t, &u, &v) || u < 0 || v < 0 || u + v > 1 || t < 0 || t > 1) return false;
  *at = dv_vec3_add_scaled(line[0], d, t);
  *normal = triangle_normal(c);
  return true;
}

static void triangle_line(const dvProximity *p, int32_t i, int32_t j, dvContactList *out)
{
  dvVec3 line[2], at, normal;
  dv_ends(p->model[1], j, line);
  if (meet_triangle(p->model[0], i, line, &at, &normal))
    dv_add_contact_along(out, i, j, at, at, normal, 0, (uint64_t)j);
}

static void ray_triangle(const dvProximity *p, int32_t i, int32_t j, dvContactList *out)
{
  dvVec3 line[2], at, normal;
  dv_ends(p->model[0], i, line);
  if (meet_triangle(p->model[1], j, line, &at, &normal))
    dv_add_contact_along(out, i, j, at, at, dv_vec3_neg(normal), 0, (uint64_t)i);
}

static void ray_sphere(const dvProximity *p, int32_t i, int32_t j, dvContactList *out)
{
  dvVec3 line[2], c = dv_corner(p->model[1], j, 0);
  double r = dv_radius(p->model[1], j), distance;
  dv_ends(p->model[0], i, line);
  double s = dv_nearest_on_line(line[0], line[1], c);
  dvVec3 at = dv_on_line(line[0], line[1], s < 0 ? 0 : s > 1 ? 1 : s);
  if (!dv_within(at, c, r)) return;
  dvVec3 n = dv_direction(dv_vec3_sub(c, at), &distance);
  dv_add_contact_along(out, i, j, at, dv_sphere_touched(p->model[1], j, n), n, distance - r, (uint64_t)i);
}

static void ray_brick(const dvProximity *p, int32_t i, int32_t j, dvContactList *out)
{
  const dvCollisionModel *m = p->model[1];
  const double *x = dv_collision_point(m, j), *half = m->lengths->data + 3 * j;
  dvVec3 line[2], local[2];
  dv_ends(p->model[0], i, line);
  dvQuat turn = dv_quat_load(x + 3);
  for (int k = 0; k < 2; k++) local[k] = dv_quat_inverse_rotate(turn, dv_vec3_sub(line[k], dv_vec3_load(x)));
  double a[3], b[3], enter = -INFINITY, leave = INFINITY;
  int first = 0, last = 0;
  dv_vec3_store(a, local[0]);
  dv_vec3_store(b, dv_vec3_sub(local[1], local[0]));
  for (int k = 0; k < 3; k++) {
    double low = (-half[k] - a[k]) / b[k], high = (half[k] - a[k]) / b[k];
    if (b[k] == 0 && fabs(a[k]) > half[k]) return;
    if (b[k] == 0) continue;
    if (dv_min(low, high) > enter) enter = dv_min(low, high), first = k;
    if (dv_max(low, high) < leave) leave = dv_max(low, high), last = k;
  }
  bool inside = enter < 0;
  double t = inside ? leave : enter;
  if (!(enter <= leave) || !(t >= 0 && t <= 1)) return;   // of one that starts inside, where it comes out
  double n[3] = {0};
  int k = inside ? last : first;
  n[k] = (b[k] > 0) != inside ? 1 : -1;   // into the brick
  dvVec3 at = dv_on_line(line[0], line[1], t);
  dv_add_contact_along(out, i, j, at, at, dv_quat_rotate(turn, dv_vec3_load(n)), 0, (uint64_t)i);
}

// --- tetrahedra ----------------------------------------------------------------------------------

// Weights of the last three corners at a point, and how they change along a direction; false when it is flat.
static bool in_tetrahedron(const dvCollisionModel *m, int32_t i, dvVec3 p, dvVec3 d, double at[4], double change[4])
{
  dvVec3 a = dv_corner(m, i, 0), e[3];
  for (int k = 0; k < 3; k++) e[k] = dv_vec3_sub(dv_corner(m, i, k + 1), a);
  dvMat3 inverse;
  if (!dv_mat3_inverse(dv_mat3_from_columns(e[0], e[1], e[2]), &inverse)) return false;
  dv_vec3_store(at + 1, dv_mat3_mul_vec(inverse, dv_vec3_sub(p, a)));
  dv_vec3_store(change + 1, dv_mat3_mul_vec(inverse, d));
  at[0] = 1 - at[1] - at[2] - at[3];
  change[0] = -change[1] - change[2] - change[3];
  return true;
}

// the part of the way from t[0] to t[1] that lies inside; false when there is none
static bool inside_part(const double at[4], const double change[4], double t[2])
{
  for (int k = 0; k < 4; k++) {
    if (fabs(change[k]) <= 1e-10) {
      if (at[k] < 0) return false;
      continue;
    }
    double here = -at[k] / change[k];
    if (change[k] < 0) t[1] = dv_min(t[1], here);
    else t[0] = dv_max(t[0], here);
  }
  return t[0] <= t[1];
}

static void ray_tetrahedron(const dvProximity *p, int32_t i, int32_t j, dvContactList *out)
{
  dvVec3 line[2];
  dv_ends(p->model[0], i, line);
  dvVec3 d = dv_vec3_sub(line[1], line[0]);
  double at[4], change[4], t[2] = {0, 1}, length;
  if (!in_tetrahedron(p->model[1], j, line[0], d, at, change) || !inside_part(at, change, t)) return;
  dvVec3 hit = dv_vec3_add_scaled(line[0], d, t[0]);
  dv_add_contact_along(out, i, j, hit, hit, dv_direction(d, &length), 0, (uint64_t)i);
}

// the mean of the normals around a point; false where it has none: inside, or when its model does not ask for them
static bool point_normal(const dvCollisionModel *m, int32_t point, dvVec3 *normal)
{
  const dvIncidence *around = m->triangles_at_point;
  if (!m->point_normals || !*m->point_normals || !around || (size_t)point >= around->count) return false;
  dvVec3 sum = dv_vec3(0, 0, 0);
  for (int32_t n = around->offsets[point]; n < around->offsets[point + 1]; n++) {
    const int32_t *t = m->mesh_triangles->data + 3 * around->items[n];
    dvVec3 c[3];
    for (int k = 0; k < 3; k++) c[k] = dv_vec3_load(dv_collision_point(m, t[k]));
    sum = dv_vec3_add(sum, triangle_normal(c));
  }
  double length;
  *normal = dv_direction(sum, &length);
  return length > 1e-15;
}

static void tetrahedron_point(const dvProximity *p, int32_t i, int32_t j, dvContactList *out)
{
  dvVec3 n, point = dv_corner(p->model[1], j, 0);
  if (!point_normal(p->model[1], j, &n)) return;
  const int32_t *e = p->model[0]->elements.data + 4 * i;
  for (int k = 0; k < 4; k++)
    if (p->model[0]->state == p->model[1]->state && e[k] == j) return;
  double at[4], change[4], t[2] = {0, INFINITY};
  if (!in_tetrahedron(p->model[0], i, point, dv_vec3_neg(n), at, change)) return;
  for (int k = 0; k < 4; k++)
    if (at[k] < 0) return;
  double depth = inside_part(at, change, t) && isfinite(t[1]) ? t[1] : 0;
  dv_add_contact_along(out, i, j, dv_vec3_add_scaled(point, n, -depth), point, dv_vec3_neg(n), -depth, (uint64_t)j);
}

// --- tables --------------------------------------------------------------------------------------

const dvShapePair dv_solid_pairs[] = {
    {DV_SHAPE_SPHERE, DV_SHAPE_SPHERE, sphere_sphere},
    {DV_SHAPE_CAPSULE, DV_SHAPE_CAPSULE, dv_convex_contacts},
    {DV_SHAPE_CAPSULE, DV_SHAPE_SPHERE, dv_convex_contacts},
    {DV_SHAPE_CAPSULE, DV_SHAPE_BRICK, dv_convex_contacts},
    {DV_SHAPE_BRICK, DV_SHAPE_BRICK, dv_convex_contacts},
    {DV_SHAPE_SPHERE, DV_SHAPE_BRICK, dv_convex_contacts},
    {DV_SHAPE_CYLINDER, DV_SHAPE_SPHERE, cylinder_sphere},
    {DV_SHAPE_CYLINDER, DV_SHAPE_POINT, cylinder_sphere},
    {DV_SHAPE_TRIANGLE, DV_SHAPE_LINE, triangle_line},
    {DV_SHAPE_TETRAHEDRON, DV_SHAPE_POINT, tetrahedron_point},
    {DV_SHAPE_RAY, DV_SHAPE_TETRAHEDRON, ray_tetrahedron},
    {DV_SHAPE_RAY, DV_SHAPE_SPHERE, ray_sphere},
    {DV_SHAPE_RAY, DV_SHAPE_TRIANGLE, ray_triangle},
    {DV_SHAPE_RAY, DV_SHAPE_BRICK, ray_brick},
    {DV_SHAPE_RAY, DV_SHAPE_POINT, NULL},
    {DV_SHAPE_RAY, DV_SHAPE_LINE, NULL},
    {DV_SHAPE_RAY, DV_SHAPE_CAPSULE, NULL},
    {0},
};

static void discrete_distances(const dvObject *o, const dvCollisionModel *a, const dvCollisionModel *b, double *alarm,
                               double *contact)
{
  DV_UNUSED(o), DV_UNUSED(a), DV_UNUSED(b);
  *alarm = *contact = 0;
}

static const dvIntersectionOps discrete_ops = {.pairs = dv_solid_pairs, .distances = discrete_distances};

const dvClass dv_discrete_intersection_class = {
    .struct_size = sizeof(dvClass),
    .name = "DiscreteIntersection",
    .help = "contacts where solids overlap, lines pierce triangles and rays hit",
    .module = "Sofa.Component.Collision.Detection.Intersection",
    .size = sizeof(dvObject),
    .blocks = {&dv_object_block},
    .ops = {[DV_ROLE_INTERSECTION] = &discrete_ops},
};
