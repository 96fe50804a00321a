// NewProximityIntersection: the nearest points of triangles, lines, points and spheres, at their borders too.
//
// Corners and edges that triangles share belong to the first that has them (dvCollisionModel.flags), so that each
// contact is found once. Two triangles meet in up to six contacts of a corner with a face and, with useLineLine, nine
// of edges.
#include "collision/intersection/new_proximity.h"
#include "collision/register.h"
#include "object/compat.h"

#include <float.h>
#include <math.h>

#define SELF dvNewProximity
static const dvFieldDesc new_proximity_fields[] = {DV_NEW_PROXIMITY_FIELDS(DV_DESCRIBE)};
#undef SELF
const dvFieldBlock dv_new_proximity_block = {new_proximity_fields, (int)DV_COUNT(new_proximity_fields)};

// A pair of elements that is being tested.
typedef struct Test {
  const dvProximity *p;
  int32_t i, j;
  dvContactList *out;
} Test;

// a contact of a on the first and b on the second, or the other way round
static void keep(const Test *t, dvVec3 a, dvVec3 b, bool turned, uint64_t id)
{
  if (dv_within(a, b, t->p->alarm))
    dv_add_contact(t->out, t->i, t->j, turned ? b : a, turned ? a : b, t->p->contact, id);
}

static void edges(const Test *t, const dvVec3 *a, const dvVec3 *b, const dvVec3 *c, const dvVec3 *d, uint64_t id)
{
  double s, u;
  dv_nearest_lines(*a, *b, *c, *d, 1e-12, &s, &u);
  if (dv_inside_line(s) && dv_inside_line(u)) keep(t, dv_on_line(*a, *b, s), dv_on_line(*c, *d, u), false, id);
}

static void on_line(const Test *t, dvVec3 a, dvVec3 b, dvVec3 point, bool turned, uint64_t id)
{
  double s = dv_nearest_on_line(a, b, point);
  keep(t, dv_on_line(a, b, s < 0 ? 0 : s > 1 ? 1 : s), point, turned, id);
}

// A place on the border of a triangle, and what the triangle has to stand for there.
typedef struct Border {
  double s, t;
  int needed;
} Border;

// on the edge from corner k to the next, `at` of the way
static Border border_at(int k, double at, double border)
{
  static const double corners[4][2] = {{0, 0}, {1, 0}, {0, 1}, {0, 0}};
  int needed = DV_SIDE << (k + 2) % 3;
  if (at < border) at = 0, needed = DV_CORNER << k;
  else if (at > 1 - border) at = 1, needed = DV_CORNER << (k + 1) % 3;
  return (Border){corners[k][0] + at * (corners[k + 1][0] - corners[k][0]),
                  corners[k][1] + at * (corners[k + 1][1] - corners[k][1]), needed};
}

// s and t as on the plane, beyond the border. Beyond an edge, and with a foot between its ends, the edge has the
// nearest point of all: the triangle lies on the other side of it. What is left belongs to a corner or to the last
// edge.
static Border nearest_border(const dvVec3 *c, dvVec3 point, double border, double s, double t)
{
  double on_ab = dv_nearest_on_line(c[0], c[1], point), on_ac = dv_nearest_on_line(c[0], c[2], point);
  if (on_ab < border && on_ac < border) return (Border){0, 0, DV_CORNER};
  if (on_ab < 1 - border && on_ab >= border && t < border) return (Border){on_ab, 0, DV_SIDE << 2};
  if (on_ac < 1 - border && on_ac >= border && s < border) return (Border){0, on_ac, DV_SIDE << 1};
  return border_at(1, dv_nearest_on_line(c[1], c[2], point), border);
}

// The same as SOFA has it for spheres: the place on an edge may lie before its first corner, and two of the edges are
// asked for by the name of another.
static Border mistaken_border(const dvVec3 *c, dvVec3 point, double s, double t)
{
  double on_ab = dv_nearest_on_line(c[0], c[1], point), on_ac = dv_nearest_on_line(c[0], c[2], point);
  if (on_ab < DV_BORDER && on_ac < 0.1 * DV_BORDER) return (Border){0, 0, DV_CORNER};
  if (on_ab < 1 - DV_BORDER && t < DV_BORDER) return (Border){on_ab, 0, DV_SIDE << 2};
  if (on_ac < 1 - DV_BORDER && s < DV_BORDER) return (Border){0, on_ac, DV_SIDE << 2};
  Border b = border_at(1, dv_nearest_on_line(c[1], c[2], point), DV_BORDER);
  if (b.needed == DV_SIDE) b.needed = DV_SIDE << 1;
  return b;
}

// The nearest point of a triangle, s and t as on its plane. False where that lies on a corner or edge which the
// triangle does not stand for. Points and spheres differ in where corners and edges begin.
static bool nearest(const dvNewProximity *m, const dvVec3 *c, int flags, dvVec3 point, bool sphere, double *s,
                    double *t)
{
  double border = sphere ? DV_BORDER : DBL_EPSILON;
  if (!dv_nearest_on_plane(c[0], c[1], c[2], point, s, t)) return false;
  if (*s >= border && *t >= border && *s + *t <= 1 - border) return true;
  Border b = sphere && m->sphere_edges ? mistaken_border(c, point, *s, *t) : nearest_border(c, point, border, *s, *t);
  *s = b.s, *t = b.t;
  return flags & b.needed;
}

static void on_triangle(const Test *t, const dvVec3 *c, int flags, dvVec3 point, bool turned, uint64_t id)
{
  double s, u;
  const dvNewProximity *m = (const dvNewProximity *)t->p->method;
  if (nearest(m, c, flags, point, false, &s, &u)) keep(t, dv_on_plane(c[0], c[1], c[2], s, u), point, turned, id);
}

static void corners_of(const dvCollisionModel *m, int32_t i, int count, dvVec3 *out)
{
  for (int k = 0; k < count; k++) out[k] = dv_corner(m, i, k);
}

// --- pairs ---------------------------------------------------------------------------------------

static void point_point(const dvProximity *p, int32_t i, int32_t j, dvContactList *out)
{
  keep(&(Test){p, i, j, out}, dv_corner(p->model[0], i, 0), dv_corner(p->model[1], j, 0), false, dv_larger_id(p, i, j));
}

static void line_point(const dvProximity *p, int32_t i, int32_t j, dvContactList *out)
{
  on_line(&(Test){p, i, j, out}, dv_corner(p->model[0], i, 0), dv_corner(p->model[0], i, 1),
          dv_corner(p->model[1], j, 0), false, (uint64_t)j);
}

static void line_line(const dvProximity *p, int32_t i, int32_t j, dvContactList *out)
{
  dvVec3 a[2], b[2];
  corners_of(p->model[0], i, 2, a);
  corners_of(p->model[1], j, 2, b);
  edges(&(Test){p, i, j, out}, a, a + 1, b, b + 1, dv_larger_id(p, i, j));
}

static void triangle_point(const dvProximity *p, int32_t i, int32_t j, dvContactList *out)
{
  dvVec3 c[3];
  corners_of(p->model[0], i, 3, c);
  on_triangle(&(Test){p, i, j, out}, c, p->model[0]->flags.data[i], dv_corner(p->model[1], j, 0), false, (uint64_t)j);
}

static const int side_ends[3][2] = {{0, 1}, {1, 2}, {2, 0}};   // in the order in which they are tested
static const int side_flags[3] = {DV_SIDE << 2, DV_SIDE, DV_SIDE << 1};

static void triangle_line(const dvProximity *p, int32_t i, int32_t j, dvContactList *out)
{
  Test t = {p, i, j, out};
  dvVec3 a[3], b[2];
  int flags = p->model[0]->flags.data[i];
  corners_of(p->model[0], i, 3, a);
  corners_of(p->model[1], j, 2, b);
  for (int k = 0; k < 3; k++)
    if (flags & DV_CORNER << k) on_line(&t, b[0], b[1], a[k], true, (uint64_t)j);
  for (int k = 0; k < 2; k++) on_triangle(&t, a, flags, b[k], false, (uint64_t)j);
  if (!((const dvNewProximity *)p->method)->useLineLine) return;
  for (int k = 0; k < 3; k++)
    if (flags & side_flags[k]) edges(&t, &a[side_ends[k][0]], &a[side_ends[k][1]], b, b + 1, (uint64_t)j);
}

static bool share_point(const dvCollisionModel *m, int32_t i, int32_t j)
{
  const int32_t *a = m->elements.data + 3 * i, *b = m->elements.data + 3 * j;
  for (int k = 0; k < 9; k++)
    if (a[k / 3] == b[k % 3]) return true;
  return false;
}

static void triangle_triangle(const dvProximity *p, int32_t i, int32_t j, dvContactList *out)
{
  Test t = {p, i, j, out};
  const dvNewProximity *method = (const dvNewProximity *)p->method;
  if (p->model[0] == p->model[1] && share_point(p->model[0], i, j)) return;
  dvVec3 a[3], b[3];
  int first = p->model[0]->flags.data[i], second = p->model[1]->flags.data[j];
  uint64_t of_first = (uint64_t)i * 3, of_second = dv_ints_size(&p->model[0]->elements) * 3 + (uint64_t)j * 12;
  corners_of(p->model[0], i, 3, a);
  corners_of(p->model[1], j, 3, b);
  for (int k = 0; k < 3; k++)
    if ((k == 0 && method->first_corners) || first & DV_CORNER << k)
      on_triangle(&t, b, second, a[k], true, of_first + (uint64_t)k);
  for (int k = 0; k < 3; k++)
    if (second & DV_CORNER << k) on_triangle(&t, a, first, b[k], false, of_second + (uint64_t)k);
  if (!method->useLineLine) return;
  for (int k = 0; k < 9; k++) {
    const int *e = side_ends[k / 3], *f = side_ends[k % 3];
    if (first & side_flags[k / 3] && second & side_flags[k % 3])
      edges(&t, &a[e[0]], &a[e[1]], &b[f[0]], &b[f[1]], of_second + 3 + (uint64_t)k);
  }
}

// contacts with spheres act between the centre and the other, within the radius more
static dvProximity with_radii(const dvProximity *p, double r)
{
  dvProximity with = *p;
  with.alarm += r;
  with.contact += r;
  return with;
}

static void sphere_sphere(const dvProximity *p, int32_t i, int32_t j, dvContactList *out)
{
  dvProximity with = with_radii(p, dv_radius(p->model[0], i) + dv_radius(p->model[1], j));
  point_point(&with, i, j, out);
}

static void sphere_point(const dvProximity *p, int32_t i, int32_t j, dvContactList *out)
{
  dvProximity with = with_radii(p, dv_radius(p->model[0], i));
  point_point(&with, i, j, out);
}

static void line_sphere(const dvProximity *p, int32_t i, int32_t j, dvContactList *out)
{
  dvProximity with = with_radii(p, dv_radius(p->model[1], j));
  line_point(&with, i, j, out);
}

static void triangle_sphere(const dvProximity *p, int32_t i, int32_t j, dvContactList *out)
{
  dvVec3 c[3], centre = dv_corner(p->model[1], j, 0);
  double s, t, length, r = dv_radius(p->model[1], j);
  corners_of(p->model[0], i, 3, c);
  if (!nearest((const dvNewProximity *)p->method, c, p->model[0]->flags.data[i], centre, true, &s, &t)) return;
  dvVec3 q = dv_on_plane(c[0], c[1], c[2], s, t);
  if (!dv_within(q, centre, p->alarm + r)) return;
  dvVec3 n = dv_direction(dv_vec3_sub(centre, q), &length);
  dv_add_contact_along(out, i, j, q, dv_sphere_touched(p->model[1], j, n), n, length - p->contact - r, (uint64_t)j);
}

const dvShapePair dv_new_proximity_pairs[] = {
    {DV_SHAPE_SPHERE, DV_SHAPE_SPHERE, sphere_sphere},
    {DV_SHAPE_POINT, DV_SHAPE_POINT, point_point},
    {DV_SHAPE_LINE, DV_SHAPE_POINT, line_point},
    {DV_SHAPE_LINE, DV_SHAPE_LINE, line_line},
    {DV_SHAPE_TRIANGLE, DV_SHAPE_POINT, triangle_point},
    {DV_SHAPE_TRIANGLE, DV_SHAPE_LINE, triangle_line},
    {DV_SHAPE_TRIANGLE, DV_SHAPE_TRIANGLE, triangle_triangle},
    {DV_SHAPE_SPHERE, DV_SHAPE_POINT, sphere_point},
    {DV_SHAPE_LINE, DV_SHAPE_SPHERE, line_sphere},
    {DV_SHAPE_TRIANGLE, DV_SHAPE_SPHERE, triangle_sphere},
    {DV_SHAPE_TRIANGLE, DV_SHAPE_BRICK, dv_convex_contacts},
    {DV_SHAPE_CAPSULE, DV_SHAPE_TRIANGLE, dv_convex_contacts},
    {DV_SHAPE_CAPSULE, DV_SHAPE_LINE, dv_convex_contacts},
    {0},
};

bool dv_new_proximity_wants(dvObject *o, const dvShapePair *pair)
{
  dvNewProximity *m = (dvNewProximity *)o;
  if (pair->first == DV_SHAPE_TRIANGLE && pair->second == DV_SHAPE_TRIANGLE)
    m->first_corners = dv_compat(o, DV_COMPAT_FIRST_CORNER);
  if (pair->first == DV_SHAPE_TRIANGLE && pair->second == DV_SHAPE_SPHERE)
    m->sphere_edges = dv_compat(o, DV_COMPAT_SPHERE_EDGES);
  return true;
}

static const dvIntersectionOps new_proximity_ops = {.pairs = dv_new_proximity_pairs,
                                                    .also = dv_solid_pairs,
                                                    .wants = dv_new_proximity_wants,
                                                    .distances = dv_proximity_distances};

const dvClass dv_new_proximity_class = {
    .struct_size = sizeof(dvClass),
    .name = "NewProximityIntersection",
    .aliases = "CudaProximityIntersection",
    .help = "contacts where triangles, lines, points and spheres are near each other, at their borders too",
    .module = "Sofa.Component.Collision.Detection.Intersection",
    .size = sizeof(dvNewProximity),
    .blocks = {&dv_object_block, &dv_proximity_block, &dv_new_proximity_block},
    .ops = {[DV_ROLE_INTERSECTION] = &new_proximity_ops},
};
