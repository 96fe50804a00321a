// Contacts with distance fields: where points of other bodies are nearer than the contact distance to the surface.
//
// Lines and triangles are tested at their points (and at the middle of open edges), spheres at their centres. Of two
// fields each is asked about the points of the other's surface.
#include "collision/intersection/primitives.h"
#include "collision/model/distance_model.h"

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

const dvShapePair dv_distance_pairs[] = {
    {DV_SHAPE_DISTANCE, DV_SHAPE_POINT, distance_point},
    {DV_SHAPE_DISTANCE, DV_SHAPE_SPHERE, distance_sphere},
    {DV_SHAPE_DISTANCE, DV_SHAPE_LINE, distance_line},
    {DV_SHAPE_DISTANCE, DV_SHAPE_TRIANGLE, distance_triangle},
    {DV_SHAPE_DISTANCE, DV_SHAPE_DISTANCE, distance_distance},
    {0},
};
