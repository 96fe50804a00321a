// Contacts with distance fields: where points of other bodies are nearer than the contact distance to the surface.
//
// Lines and triangles are tested at their points, spheres at their centres. Of two fields each is asked about the
// points of the other's surface.
#include "collision/intersection/primitives.h"
#include "collision/model/distance_model.h"

#define MORE 1e-3   // m beyond the contact distance

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

// points that elements share get one number: one contact is answered
static void distance_corners(const dvProximity *p, int32_t i, int32_t j, dvContactList *out)
{
  const dvCollisionModel *m = p->model[1];
  for (int k = 0; k < m->elements.width; k++) {
    bool owned = m->shape != DV_SHAPE_TRIANGLE || (size_t)j >= m->from_quads || m->flags.data[j] & DV_CORNER << k;
    if (owned)
      test_point(&(Test){p, i, j, out}, dv_corner(m, j, k), 0, (uint64_t)m->elements.data[j * m->elements.width + k]);
  }
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
    {DV_SHAPE_DISTANCE, DV_SHAPE_POINT, distance_point},       {DV_SHAPE_DISTANCE, DV_SHAPE_SPHERE, distance_sphere},
    {DV_SHAPE_DISTANCE, DV_SHAPE_LINE, distance_corners},      {DV_SHAPE_DISTANCE, DV_SHAPE_TRIANGLE, distance_corners},
    {DV_SHAPE_DISTANCE, DV_SHAPE_DISTANCE, distance_distance}, {0},
};
