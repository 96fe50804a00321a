// Contacts with distance fields: where points of other bodies are nearer than the contact distance to the surface.
//
// Lines and triangles are tested at their points (and at the middle of open edges), spheres at their centres. Of two
// fields each is asked about the points of the other's surface. A ray walks along the field, as far at once as the
// distance allows and never less than a part of a cell, to where it comes in; one that starts inside of a body on a
// frame, to where it comes out.
#include "collision/intersection/primitives.h"
#include "collision/model/distance_model.h"

#include <math.h>

#define MORE 0.001f   // m beyond the contact distance

// Contacts of a field, the first, with a point of the second.
typedef struct Test {
  const dvProximity *p;
  int32_t i, j;
  dvContactList *out;
} Test;

static void test_point(const Test *t, dvVec3 point, double radius, uint64_t id)
{
  dvProbe found;
  double contact = t->p->contact + radius;
  if (!dv_distance_probe(t->p->model[0], t->i, point, contact + MORE, &found)) return;
  dvVec3 touched = radius > 0 ? dv_sphere_touched(t->p->model[1], t->j, found.normal) : point;
  dv_add_contact_along(t->out, t->i, t->j, found.on, touched, found.normal, found.distance - contact, id);
}

static void distance_point(const dvProximity *p, int32_t i, int32_t j, dvContactList *out)
{
  test_point(&(Test){p, i, j, out}, dv_corner(p->model[1], j, 0), 0, (uint64_t)j);
}

static void distance_sphere(const dvProximity *p, int32_t i, int32_t j, dvContactList *out)
{
  test_point(&(Test){p, i, j, out}, dv_corner(p->model[1], j, 0), dv_radius(p->model[1], j), (uint64_t)j);
}

static void distance_line(const dvProximity *p, int32_t i, int32_t j, dvContactList *out)
{
  const dvCollisionModel *m = p->model[1];
  for (int k = 0; k < 2; k++)   // points that lines share get one number: one contact of them is answered
    test_point(&(Test){p, i, j, out}, dv_corner(m, j, k), 0, (uint64_t)m->elements.data[2 * j + k]);
}

// the corners that the triangle stands for, and the middle of its edges at the rim of the surface
static void distance_triangle(const dvProximity *p, int32_t i, int32_t j, dvContactList *out)
{
  const dvCollisionModel *m = p->model[1];
  Test t = {p, i, j, out};
  bool half_quad = (size_t)j >= m->from_quads;
  for (int k = 0; k < 3; k++)
    if (half_quad || m->flags.data[j] & DV_CORNER << k)
      test_point(&t, dv_corner(m, j, k), 0, 6 * (uint64_t)j + (uint64_t)k);
  for (int k = 0; k < 3; k++)
    if (m->flags.data[j] & DV_RIM << k)
      test_point(&t, dv_on_line(dv_corner(m, j, (k + 1) % 3), dv_corner(m, j, (k + 2) % 3), 0.5), 0,
                 6 * (uint64_t)j + 3 + (uint64_t)k);
}

static void distance_distance(const dvProximity *p, int32_t i, int32_t j, dvContactList *out)
{
  const dvCollisionModel *a = p->model[0], *b = p->model[1];
  dvVec3 point;
  dvProbe found;
  double reach = p->contact + MORE;
  const dvDistanceModel *first = (const dvDistanceModel *)a, *second = (const dvDistanceModel *)b;
  uint64_t own = first->grid.points.count / 3;
  for (size_t k = 0; first->usePoints && dv_distance_surface_point(a, i, k, &point); k++)
    if (dv_distance_probe(b, j, point, reach, &found))
      dv_add_contact_along(out, i, j, point, found.on, dv_vec3_neg(found.normal), found.distance - p->contact,
                           (uint64_t)first->points.data[(size_t)first->first.data[i] + k]);
  for (size_t k = 0; second->usePoints && dv_distance_surface_point(b, j, k, &point); k++)
    if (dv_distance_probe(a, i, point, reach, &found))
      dv_add_contact_along(out, i, j, found.on, point, found.normal, found.distance - p->contact,
                           own + (uint64_t)second->points.data[(size_t)second->first.data[j] + k]);
}

// --- rays ------------------------------------------------------------------------------------------

// the part of the way from a to b within a box; false when there is none
static bool clip(const dvBox *box, dvVec3 a, dvVec3 b, double t[2])
{
  double from[3], to[3];
  dv_vec3_store(from, a);
  dv_vec3_store(to, b);
  for (int k = 0; k < 3; k++) {
    double d = to[k] - from[k], low = (box->low[k] - from[k]) / d, high = (box->high[k] - from[k]) / d;
    if (d == 0 && (from[k] < box->low[k] || from[k] > box->high[k])) return false;
    if (d == 0) continue;
    t[0] = dv_max(t[0], dv_min(low, high));
    t[1] = dv_min(t[1], dv_max(low, high));
  }
  return t[0] <= t[1];
}

typedef struct Walk {
  const dvCollisionModel *field;
  int32_t element;
  dvVec3 from, to;
} Walk;

// the distance at a part of the way; far away where the element knows nothing
static double at_part(const Walk *w, double t, dvProbe *found)
{
  return dv_distance_probe(w->field, w->element, dv_on_line(w->from, w->to, t), INFINITY, found) ? found->distance
                                                                                                 : INFINITY;
}

// where the element ends, between a part that it knows and one that it does not
static double border(const Walk *w, double known, double unknown)
{
  dvProbe found;
  for (int i = 0; i < 60; i++) {
    double middle = 0.5 * (known + unknown);
    if (isfinite(at_part(w, middle, &found))) known = middle;
    else unknown = middle;
  }
  return known;
}

// The first part of the way from t[0] to t[1] where the sign of the distance turns to that of `end`; below 0: none.
static double find_turn(const Walk *w, const double t[2], double length, double least, double end)
{
  dvProbe found;
  double here = t[0], d = at_part(w, here, &found);
  while (here < t[1]) {
    double step = isfinite(d) ? dv_max(0.7 * fabs(d), least) : least;
    double next = dv_min(here + step / length, t[1]), ahead = at_part(w, next, &found);
    bool leaves = isfinite(d) && !isfinite(ahead), comes = !isfinite(d) && isfinite(ahead);
    if (leaves) ahead = at_part(w, next = border(w, here, next), &found);   // the surface may lie just there
    if (comes) d = at_part(w, here = border(w, next, here), &found);
    if (d * end < 0 && ahead * end >= 0 && isfinite(d) && isfinite(ahead)) {
      for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (here + next);
        if (at_part(w, middle, &found) * end < 0) here = middle;
        else next = middle;
      }
      return next;
    }
    if (leaves) return -1;
    here = next, d = ahead;
  }
  return -1;
}

static void ray_distance(const dvProximity *p, int32_t i, int32_t j, dvContactList *out)
{
  const dvCollisionModel *m = p->model[1];
  const dvDistanceGrid *grid = &((const dvDistanceModel *)m)->grid;
  dvVec3 line[2];
  dv_ends(p->model[0], i, line);
  Walk w = {m, j, line[0], line[1]};
  dvProbe found;
  double length = dv_vec3_norm(dv_vec3_sub(line[1], line[0])), t[2] = {0, 1};
  double least = 0.05 * dv_min(grid->cell[0], dv_min(grid->cell[1], grid->cell[2]));
  if (!(length > 0 && least > 0) || !clip(&m->boxes.data[j], line[0], line[1], t)) return;
  t[0] = dv_max(t[0] - 20 * least / length, 0), t[1] = dv_min(t[1] + 20 * least / length, 1);   // it may touch the box
  bool whole = m->elements.width < 2, inside = whole && at_part(&w, t[0], &found) < 0;
  double hit = find_turn(&w, t, length, dv_max(least, 1e-5 * (t[1] - t[0]) * length), inside ? 1 : -1);
  if (hit < 0 || !isfinite(at_part(&w, hit, &found))) return;
  dvVec3 at = dv_on_line(line[0], line[1], hit);
  dv_add_contact_along(out, i, j, at, at, dv_vec3_neg(found.normal), 0, (uint64_t)i);
}

const dvShapePair dv_distance_pairs[] = {
    {DV_SHAPE_RAY, DV_SHAPE_DISTANCE, ray_distance},
    {DV_SHAPE_DISTANCE, DV_SHAPE_POINT, distance_point},
    {DV_SHAPE_DISTANCE, DV_SHAPE_SPHERE, distance_sphere},
    {DV_SHAPE_DISTANCE, DV_SHAPE_LINE, distance_line},
    {DV_SHAPE_DISTANCE, DV_SHAPE_TRIANGLE, distance_triangle},
    {DV_SHAPE_DISTANCE, DV_SHAPE_DISTANCE, distance_distance},
    {0},
};
