// What intersection methods share: points of primitives, nearest points, and how a contact is written down.
#ifndef DV_COLLISION_INTERSECTION_PRIMITIVES_H
#define DV_COLLISION_INTERSECTION_PRIMITIVES_H

#include "collision/collision.h"
#include "math/vec.h"

#define DV_PROXIMITY_FIELDS(X)                                                            \
  X(real, alarmDistance, "1", "m", "distance at which pairs are looked at", .least = "0") \
  X(real, contactDistance, "0.5", "m", "distance at which contacts act", .least = "0")

// First member of the methods that have these distances.
typedef struct dvProximityMethod {
  dvObject base;
  DV_PROXIMITY_FIELDS(DV_MEMBER)
} dvProximityMethod;
extern const dvFieldBlock dv_proximity_block;
// The distances of the method and of both models, for dvIntersectionOps.
void dv_proximity_distances(const dvObject *o, const dvCollisionModel *a, const dvCollisionModel *b, double *alarm,
                            double *contact);

static inline dvVec3 dv_corner(const dvCollisionModel *m, int32_t element, int k)
{
  return dv_vec3_load(dv_element_point(m, element, k));
}
static inline double dv_radius(const dvCollisionModel *m, int32_t element) { return m->radii->data[element]; }

// Ends of a line, a capsule, the axis of a cylinder or a ray.
static inline void dv_ends(const dvCollisionModel *m, int32_t element, dvVec3 out[2])
{
  if (m->elements.width == 2) {
    out[0] = dv_corner(m, element, 0), out[1] = dv_corner(m, element, 1);
    return;
  }
  dvVec3 axis = m->axes ? dv_vec3_load(m->axes->data + 3 * element) : dv_vec3(0, 1, 0), at = dv_corner(m, element, 0);
  double length = m->lengths->data[element];
  if (m->shape == DV_SHAPE_RAY) {
    out[0] = at, out[1] = dv_vec3_add_scaled(at, axis, length);
    return;
  }
  axis = dv_quat_rotate(dv_quat_load(dv_element_point(m, element, 0) + 3), axis);
  out[0] = dv_vec3_add_scaled(at, axis, -length / 2), out[1] = dv_vec3_add_scaled(at, axis, length / 2);
}

// Where a sphere is touched from the direction of n: of a point its centre, which is what contacts act on; of a frame
// the surface.
static inline dvVec3 dv_sphere_touched(const dvCollisionModel *m, int32_t element, dvVec3 n)
{
  dvVec3 c = dv_corner(m, element, 0);
  return m->state->base.dof->kind == DV_RIGID3 ? dv_vec3_add_scaled(c, n, -dv_radius(m, element)) : c;
}

// The number of the contact among those of its element in the larger model.
static inline uint64_t dv_larger_id(const dvProximity *p, int32_t first, int32_t second)
{
  bool larger = dv_collision_model_count(&p->model[0]->base) > dv_collision_model_count(&p->model[1]->base);
  return (uint64_t)(larger ? first : second);
}

// The unit vector along d, whose length goes to *length; the first axis where they coincide.
static inline dvVec3 dv_direction(dvVec3 d, double *length)
{
  *length = dv_vec3_norm(d);
  return *length > 1e-15 ? dv_vec3_scale(d, 1 / *length) : dv_vec3(1, 0, 0);
}

// Adds a contact at a and b, whose normal is the way from a to b; `contact`: within which it acts.
void dv_add_contact(dvContactList *out, int32_t first, int32_t second, dvVec3 a, dvVec3 b, double contact, uint64_t id);
// The same with a normal and a distance of its own.
void dv_add_contact_along(dvContactList *out, int32_t first, int32_t second, dvVec3 a, dvVec3 b, dvVec3 normal,
                          double distance, uint64_t id);

// Where the lines through a + s (b - a) and c + t (d - c) are nearest; both in the middle when they are parallel (the
// determinant is within `flat`).
static inline void dv_nearest_lines(dvVec3 a, dvVec3 b, dvVec3 c, dvVec3 d, double flat, double *s, double *t)
{
  dvVec3 ab = dv_vec3_sub(b, a), cd = dv_vec3_sub(d, c), ac = dv_vec3_sub(c, a);
  double m00 = dv_vec3_dot(ab, ab), m11 = dv_vec3_dot(cd, cd), m01 = -dv_vec3_dot(cd, ab);
  double b0 = dv_vec3_dot(ab, ac), b1 = -dv_vec3_dot(cd, ac), det = m00 * m11 - m01 * m01;
  *s = *t = 0.5;
  if (det >= -flat && det <= flat) return;
  *s = (b0 * m11 - b1 * m01) / det;
  *t = (b1 * m00 - b0 * m01) / det;
}

// Where the plane through a, b, c is nearest to p: a + s (b - a) + t (c - a). False when the triangle has no
// area, as far as rounding tells.
static inline bool dv_nearest_on_plane(dvVec3 a, dvVec3 b, dvVec3 c, dvVec3 p, double *s, double *t)
{
  dvVec3 ab = dv_vec3_sub(b, a), ac = dv_vec3_sub(c, a), ap = dv_vec3_sub(p, a);
  double m00 = dv_vec3_dot(ab, ab), m11 = dv_vec3_dot(ac, ac), m01 = dv_vec3_dot(ab, ac);
  double b0 = dv_vec3_dot(ap, ab), b1 = dv_vec3_dot(ap, ac), det = m00 * m11 - m01 * m01;
  *s = (b0 * m11 - b1 * m01) / det;
  *t = (b1 * m00 - b0 * m01) / det;
  return det > 1e-13 * m00 * m11;
}

// Where the line through a and b is nearest to p: a + s (b - a); 0 when it has no length.
static inline double dv_nearest_on_line(dvVec3 a, dvVec3 b, dvVec3 p)
{
  dvVec3 ab = dv_vec3_sub(b, a);
  double square = dv_vec3_dot(ab, ab);
  return square > 0 ? dv_vec3_dot(dv_vec3_sub(p, a), ab) / square : 0;
}

static inline dvVec3 dv_on_line(dvVec3 a, dvVec3 b, double s) { return dv_vec3_add_scaled(a, dv_vec3_sub(b, a), s); }
static inline dvVec3 dv_on_plane(dvVec3 a, dvVec3 b, dvVec3 c, double s, double t)
{
  return dv_vec3_add_scaled(dv_vec3_add_scaled(a, dv_vec3_sub(b, a), s), dv_vec3_sub(c, a), t);
}
static inline bool dv_within(dvVec3 a, dvVec3 b, double distance)
{
  return dv_vec3_norm2(dv_vec3_sub(b, a)) < distance * distance;
}

// Pairs of solids that every method has: those of spheres, capsules, cylinders, bricks, tetrahedra and rays.
extern const dvShapePair dv_solid_pairs[];
extern const dvShapePair dv_distance_pairs[];   // of distance fields
// Contacts of two convex solids: capsules, bricks, spheres, lines, triangles.
void dv_convex_contacts(const dvProximity *p, int32_t first, int32_t second, dvContactList *out);

// Inside of an element, away from its border: what lies on it belongs to the elements around.
#define DV_BORDER 1e-6
static inline bool dv_inside_line(double s) { return s >= DV_BORDER && s <= 1 - DV_BORDER; }
static inline bool dv_inside_triangle(double s, double t)
{
  return s >= DV_BORDER && t >= DV_BORDER && s + t <= 1 - DV_BORDER;
}

#endif
