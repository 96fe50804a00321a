// CCDTightInclusionIntersection: contacts of points with triangles and of lines, wherever they meet while they move.
//
// Positions go along straight lines from where they are to where they will be: with their velocities (Inertia) or with
// the free motion (FreeMotion). A pair that comes within the contact distance on its way is a contact (continuous.h),
// with the nearest points and the normal of that time. Nothing that meets is missed.
#include "collision/intersection/continuous.h"
#include "collision/intersection/convex.h"
#include "collision/register.h"

#define CCD_FIELDS(X)                                                                                             \
  X(choice, continuousCollisionType, "None", "",                                                                  \
    "where elements move: nowhere, on with their velocities, or to the free motion of a FreeMotionAnimationLoop", \
    .options = "None|Inertia|FreeMotion")                                                                         \
  X(real, tolerance, "1e-10", "m", "how near to the contact distance counts as well", .least = "0")               \
  X(int, maxIterations, "1000", "", "parts of the motion that are looked at; then a pair counts as a contact",    \
    .least = "1")

typedef struct Ccd {
  dvProximityMethod base;
  CCD_FIELDS(DV_MEMBER)
} Ccd;

#define SELF Ccd
static const dvFieldDesc ccd_fields[] = {CCD_FIELDS(DV_DESCRIBE)};
#undef SELF

enum { STAYS, INERTIA, FREE_MOTION };

static dvStatus ccd_init(dvObject *o)
{
  const Ccd *c = (const Ccd *)o;
  if (!(c->tolerance > 0))
    return dv_field_error(o, &c->tolerance, NULL, "a tolerance of %g is not possible", c->tolerance);
  if (c->maxIterations < 1)
    return dv_field_error(o, &c->maxIterations, NULL, "%d iterations are not possible", c->maxIterations);
  return DV_OK;
}

static const double *ccd_ahead(const dvObject *o, dvCollisionModel *m, double dt)
{
  const Ccd *c = (const Ccd *)o;
  const dvState *s = m->state;
  if (c->continuousCollisionType == STAYS || s->base.dof->kind != DV_VEC3) return NULL;
  if (c->continuousCollisionType == FREE_MOTION && dv_state_has(s, DV_X_FREE)) return dv_state_read(s, DV_X_FREE);
  dv_array_resize(&m->ahead, 3 * s->count);
  dv_dof_integrate(s->base.dof, s->count, m->ahead.data, dv_state_read(s, DV_X), dv_state_read(s, DV_V), dt);
  return m->ahead.data;
}

// --- a pair --------------------------------------------------------------------------------------

// the points of an element where they are and where they go
static int load(const dvCollisionModel *m, int32_t i, dvVec3 *begin, dvVec3 *end)
{
  const int32_t *e = m->elements.data + i * m->elements.width;
  for (int k = 0; k < m->elements.width; k++) {
    begin[k] = dv_vec3_load(dv_collision_point(m, e[k]));
    end[k] = m->x_ahead ? dv_vec3_load(m->x_ahead + 3 * e[k]) : begin[k];
  }
  return m->elements.width;
}

static dvConvex at_time(const dvVec3 *begin, const dvVec3 *end, int count, double t)
{
  dvConvex c = {.count = count};
  for (int k = 0; k < count; k++) c.corner[k] = dv_on_line(begin[k], end[k], t);
  return c;
}

// the place of a point of the element at a time, as it is now
static dvVec3 now(const dvConvex *then, const dvVec3 *begin, dvVec3 point)
{
  double s, t;
  const dvVec3 *c = then->corner;
  if (then->count == 1) return begin[0];
  if (then->count == 3 && dv_nearest_on_plane(c[0], c[1], c[2], point, &s, &t))
    return dv_on_plane(begin[0], begin[1], begin[2], s, t);
  return dv_on_line(begin[0], begin[1], dv_nearest_on_line(c[0], c[1], point));
}

// `first` points of the first element, the others of the second
static void add_meeting(const dvProximity *p, const int32_t e[2], const dvVec3 *begin, const dvVec3 *end, int first,
                        double time, uint64_t id, dvContactList *out)
{
  dvConvex a = at_time(begin, end, first, time), b = at_time(begin + first, end + first, 4 - first, time);
  dvNearest n;
  dv_convex_nearest(&a, &b, INFINITY, &n);
  dvVec3 on = now(&a, begin, n.point[0]), other = now(&b, begin + first, n.point[1]);
  if (n.distance <= 1e-12 && dv_vec3_dot(n.normal, dv_vec3_sub(other, on)) < 0)   // they touch: as they came
    n.normal = dv_vec3_neg(n.normal);
  dv_add_contact_along(out, e[0], e[1], on, other, n.normal, n.distance - p->contact, id);
}

static dvMeeting meeting(const dvProximity *p)
{
  const Ccd *c = (const Ccd *)p->method;
  return (dvMeeting){.separation = p->contact, .tolerance = c->tolerance, .rounds = c->maxIterations};
}

static void line_line(const dvProximity *p, int32_t i, int32_t j, dvContactList *out)
{
  dvVec3 begin[4], end[4];
  double time;
  dvMeeting m = meeting(p);
  load(p->model[0], i, begin, end);
  load(p->model[1], j, begin + 2, end + 2);
  if (dv_lines_meet(&m, begin, end, &time))
    add_meeting(p, (int32_t[]){i, j}, begin, end, 2, time, dv_larger_id(p, i, j), out);
}

static void triangle_point(const dvProximity *p, int32_t i, int32_t j, dvContactList *out)
{
  dvVec3 begin[4], end[4], point_begin, point_end;   // the point first where they meet, the triangle in the contact
  double time;
  dvMeeting m = meeting(p);
  load(p->model[0], i, begin, end);
  load(p->model[1], j, &point_begin, &point_end);
  begin[3] = point_begin, end[3] = point_end;
  const dvVec3 from[4] = {begin[3], begin[0], begin[1], begin[2]}, to[4] = {end[3], end[0], end[1], end[2]};
  if (dv_point_meets_triangle(&m, from, to, &time))
    add_meeting(p, (int32_t[]){i, j}, begin, end, 3, time, (uint64_t)j, out);
}

static const dvShapePair ccd_pairs[] = {
    {DV_SHAPE_LINE, DV_SHAPE_LINE, line_line},
    {DV_SHAPE_TRIANGLE, DV_SHAPE_POINT, triangle_point},
    {DV_SHAPE_SPHERE, DV_SHAPE_SPHERE, NULL},
    {DV_SHAPE_SPHERE, DV_SHAPE_POINT, NULL},
    {DV_SHAPE_POINT, DV_SHAPE_POINT, NULL},
    {DV_SHAPE_LINE, DV_SHAPE_POINT, NULL},
    {DV_SHAPE_LINE, DV_SHAPE_SPHERE, NULL},
    {DV_SHAPE_TRIANGLE, DV_SHAPE_LINE, NULL},
    {DV_SHAPE_TRIANGLE, DV_SHAPE_TRIANGLE, NULL},
    {DV_SHAPE_TRIANGLE, DV_SHAPE_SPHERE, NULL},
    {DV_SHAPE_RAY, DV_SHAPE_TRIANGLE, NULL},
    {DV_SHAPE_RAY, DV_SHAPE_SPHERE, NULL},
    {0},
};

static const dvIntersectionOps ccd_ops = {
    .pairs = ccd_pairs, .also = dv_solid_pairs, .distances = dv_proximity_distances, .ahead = ccd_ahead};

const dvClass dv_ccd_class = {
    .struct_size = sizeof(dvClass),
    .name = "CCDTightInclusionIntersection",
    .help = "contacts of points with triangles and of lines that meet while they move",
    .module = "Sofa.Component.Collision.Detection.Intersection",
    .size = sizeof(Ccd),
    .blocks = {&dv_object_block, &dv_proximity_block, DV_BLOCK(ccd_fields)},
    .ops = {[DV_ROLE_INTERSECTION] = &ccd_ops},
    .init = ccd_init,
};
