// LocalMinDistance: contacts where the distance of two primitives has a local minimum.
//
// Nearest points inside of both, and the way from one to the other must lie in the cone of directions in which nothing
// of the own mesh is nearer: within the normals of the triangles around a point or a line, widened by angleCone and
// coneFactor. Objects need models of points, lines and triangles.
//
// LMDNewProximityIntersection: the contacts of NewProximityIntersection that lie in the cones.
#include "collision/intersection/new_proximity.h"
#include "collision/register.h"
#include "topology/topology.h"

#define LMD_FIELDS(X)                                                                         \
  X(bool, filterIntersection, "1", "", "leave out contacts outside of the normals' cones")    \
  X(real, angleCone, "0", "", "by how much the cones are widened, as the sine of an angle")   \
  X(real, coneFactor, "0.5", "", "part of the angle at an edge by which its cone is widened") \
  X(bool, useLMDFilters, "0", "", "filters of the models decide instead of the cones")

typedef struct LocalMin {
  dvNewProximity base;   // of which LocalMinDistance takes the distances alone
  LMD_FIELDS(DV_MEMBER)
} LocalMin;

#define SELF LocalMin
static const dvFieldDesc lmd_fields[] = {LMD_FIELDS(DV_DESCRIBE)};
#undef SELF

// --- cones ---------------------------------------------------------------------------------------

static dvVec3 at(const dvCollisionModel *m, int32_t point) { return dv_vec3_load(dv_collision_point(m, point)); }

static dvVec3 normal_of(const dvCollisionModel *m, int32_t triangle)
{
  const int32_t *t = m->mesh_triangles->data + 3 * triangle;
  dvVec3 a = at(m, t[0]);
  return dv_vec3_normalise(dv_vec3_cross(dv_vec3_sub(at(m, t[1]), a), dv_vec3_sub(at(m, t[2]), a)));
}

static bool has_lines(const dvCollisionModel *m)
{
  for (size_t i = 0; i < m->base.node->objects.count; i++) {
    const dvObject *o = m->base.node->objects.data[i];
    if (dv_plays(o, DV_ROLE_COLLISION_MODEL) && ((const dvCollisionModel *)o)->shape == DV_SHAPE_LINE) return true;
  }
  return false;
}

// along the edge to the point, from its other end
static dvVec3 along_edge(const dvCollisionModel *m, int32_t edge, dvVec3 point)
{
  const int32_t *e = m->mesh_edges->data + 2 * edge;
  return dv_vec3_normalise(dv_vec3_add(dv_vec3_sub(point, at(m, e[0])), dv_vec3_sub(point, at(m, e[1]))));
}

// may the tangent t leave this much behind?
static bool outside(const LocalMin *l, dvVec3 mean, dvVec3 t, dvVec3 way)
{
  return dv_vec3_dot(t, way) < -(dv_max(dv_vec3_dot(mean, t) * l->coneFactor, 0) + l->angleCone) * dv_vec3_norm(way);
}

static bool point_allows(const LocalMin *l, const dvCollisionModel *m, int32_t i, dvVec3 way)
{
  const dvIncidence *triangles = m->triangles_at_point, *edges = m->edges_at_point;
  if (!edges || (size_t)i >= edges->count || !has_lines(m)) return true;
  dvVec3 point = at(m, i), mean = dv_vec3(0, 0, 0);
  bool surface = triangles && (size_t)i < triangles->count && triangles->offsets[i] < triangles->offsets[i + 1];
  for (int32_t n = surface ? triangles->offsets[i] : 0; surface && n < triangles->offsets[i + 1]; n++)
    mean = dv_vec3_add(mean, normal_of(m, triangles->items[n]));
  for (int32_t n = edges->offsets[i]; !surface && n < edges->offsets[i + 1]; n++)
    mean = dv_vec3_add(mean, along_edge(m, edges->items[n], point));
  if (dv_vec3_norm(mean) > 1e-10) {
    mean = dv_vec3_normalise(mean);
    if (!*m->both_sides && dv_vec3_dot(mean, way) < -l->angleCone * dv_vec3_norm(way)) return false;
  }
  for (int32_t n = edges->offsets[i]; n < edges->offsets[i + 1]; n++)
    if (outside(l, mean, along_edge(m, edges->items[n], point), way)) return false;
  return true;
}

static bool line_allows(const LocalMin *l, const dvCollisionModel *m, int32_t i, dvVec3 way)
{
  dvVec3 a = dv_corner(m, i, 0), along = dv_vec3_normalise(dv_vec3_sub(dv_corner(m, i, 1), a));
  const dvIncidence *around = m->triangles_at_edge;
  if (!around || (size_t)i >= around->count || around->offsets[i + 1] - around->offsets[i] != 2)
    return fabs(dv_vec3_dot(along, dv_vec3_normalise(way))) <= l->angleCone + 0.0001;   // else the lines were parallel
  const int32_t *both = around->items + around->offsets[i], *t = m->mesh_triangles->data + 3 * both[0];
  const int32_t *e = m->elements.data + 2 * i;
  bool left = (e[0] == t[0] && e[1] == t[1]) || (e[0] == t[1] && e[1] == t[2]) || (e[0] == t[2] && e[1] == t[0]);
  dvVec3 right = normal_of(m, both[left ? 1 : 0]), other = normal_of(m, both[left ? 0 : 1]);
  dvVec3 mean = dv_vec3_normalise(dv_vec3_add(right, other));
  if (!*m->both_sides && dv_vec3_dot(mean, way) < 0) return false;
  return !outside(l, mean, dv_vec3_normalise(dv_vec3_cross(right, along)), way) &&
         !outside(l, mean, dv_vec3_normalise(dv_vec3_cross(along, other)), way);
}

static bool triangle_allows(const dvCollisionModel *m, int32_t i, dvVec3 way)
{
  if (*m->both_sides) return true;
  dvVec3 a = dv_corner(m, i, 0);
  dvVec3 n = dv_vec3_cross(dv_vec3_sub(dv_corner(m, i, 1), a), dv_vec3_sub(dv_corner(m, i, 2), a));
  return dv_vec3_dot(n, way) >= 0;
}

static bool allows(const LocalMin *l, const dvCollisionModel *m, int32_t i, dvVec3 way)
{
  if (m->shape == DV_SHAPE_POINT) return point_allows(l, m, i, way);
  if (m->shape == DV_SHAPE_LINE) return line_allows(l, m, i, way);
  return m->shape != DV_SHAPE_TRIANGLE || triangle_allows(m, i, way);
}

static bool in_cones(const LocalMin *l, const dvProximity *p, int32_t i, int32_t j, dvVec3 way)
{
  if (!l->filterIntersection || l->useLMDFilters) return true;
  return allows(l, p->model[0], i, way) && allows(l, p->model[1], j, dv_vec3_neg(way));
}

// --- pairs ---------------------------------------------------------------------------------------

static void keep(const dvProximity *p, int32_t i, int32_t j, dvVec3 a, dvVec3 b, double radii, uint64_t id,
                 dvContactList *out)
{
  const LocalMin *l = (const LocalMin *)p->method;
  dvVec3 way = dv_vec3_sub(b, a);
  if (!dv_within(a, b, p->alarm + radii)) return;
  if (!in_cones(l, p, i, j, way)) return;
  dv_add_contact(out, i, j, a, b, p->contact + radii, id);
}

static double radius_of(const dvCollisionModel *m, int32_t i) { return m->radii ? m->radii->data[i] : 0; }

// points and spheres: their centres
static void round_round(const dvProximity *p, int32_t i, int32_t j, dvContactList *out)
{
  keep(p, i, j, dv_corner(p->model[0], i, 0), dv_corner(p->model[1], j, 0),
       radius_of(p->model[0], i) + radius_of(p->model[1], j), dv_larger_id(p, i, j), out);
}

static void line_round(const dvProximity *p, int32_t i, int32_t j, dvContactList *out)
{
  dvVec3 a = dv_corner(p->model[0], i, 0), b = dv_corner(p->model[0], i, 1), c = dv_corner(p->model[1], j, 0);
  if (dv_vec3_norm(dv_vec3_sub(b, a)) < 1e-12 * dv_vec3_norm(dv_vec3_sub(c, a))) return;
  double s = dv_nearest_on_line(a, b, c);
  if (dv_inside_line(s)) keep(p, i, j, dv_on_line(a, b, s), c, radius_of(p->model[1], j), (uint64_t)j, out);
}

static void triangle_round(const dvProximity *p, int32_t i, int32_t j, dvContactList *out)
{
  const dvCollisionModel *m = p->model[0];
  dvVec3 a = dv_corner(m, i, 0), b = dv_corner(m, i, 1), c = dv_corner(m, i, 2), point = dv_corner(p->model[1], j, 0);
  double s, t;
  if (!dv_nearest_on_plane(a, b, c, point, &s, &t) || !dv_inside_triangle(s, t)) return;
  keep(p, i, j, dv_on_plane(a, b, c, s, t), point, radius_of(p->model[1], j), (uint64_t)j, out);
}

static void line_line(const dvProximity *p, int32_t i, int32_t j, dvContactList *out)
{
  dvVec3 a = dv_corner(p->model[0], i, 0), b = dv_corner(p->model[0], i, 1);
  dvVec3 c = dv_corner(p->model[1], j, 0), d = dv_corner(p->model[1], j, 1);
  double s, t;
  dv_nearest_lines(a, b, c, d, 1e-30, &s, &t);
  if (s < 1e-15 || s > 1 - 1e-15 || t < 1e-15 || t > 1 - 1e-15) return;
  keep(p, i, j, dv_on_line(a, b, s), dv_on_line(c, d, t), 0, dv_larger_id(p, i, j), out);
}

static const dvShapePair lmd_pairs[] = {
    {DV_SHAPE_SPHERE, DV_SHAPE_SPHERE, round_round},
    {DV_SHAPE_SPHERE, DV_SHAPE_POINT, round_round},
    {DV_SHAPE_POINT, DV_SHAPE_POINT, round_round},
    {DV_SHAPE_LINE, DV_SHAPE_LINE, line_line},
    {DV_SHAPE_LINE, DV_SHAPE_POINT, line_round},
    {DV_SHAPE_LINE, DV_SHAPE_SPHERE, line_round},
    {DV_SHAPE_TRIANGLE, DV_SHAPE_POINT, triangle_round},
    {DV_SHAPE_TRIANGLE, DV_SHAPE_SPHERE, triangle_round},
    {DV_SHAPE_TRIANGLE, DV_SHAPE_LINE, NULL},
    {DV_SHAPE_TRIANGLE, DV_SHAPE_TRIANGLE, NULL},
    {0},
};

static const dvIntersectionOps lmd_ops = {
    .pairs = lmd_pairs, .also = dv_solid_pairs, .distances = dv_proximity_distances, .around = true};

const dvClass dv_local_min_distance_class = {
    .struct_size = sizeof(dvClass),
    .name = "LocalMinDistance",
    .help = "contacts where the distance of two primitives has a local minimum",
    .module = "Sofa.Component.Collision.Detection.Intersection",
    .size = sizeof(LocalMin),
    .blocks = {&dv_object_block, &dv_proximity_block, DV_BLOCK(lmd_fields)},
    .ops = {[DV_ROLE_INTERSECTION] = &lmd_ops},
};

// --- those of NewProximityIntersection -----------------------------------------------------------

static void filtered(const dvProximity *p, int32_t i, int32_t j, dvContactList *out)
{
  const dvShapePair *pair = dv_new_proximity_pairs;
  while (pair->first != p->model[0]->shape || pair->second != p->model[1]->shape) pair++;
  size_t kept = out->contacts.count;
  pair->contacts(p, i, j, out);
  for (size_t k = kept; k < out->contacts.count; k++)
    if (in_cones((const LocalMin *)p->method, p, i, j, dv_vec3_load(out->contacts.data[k].normal)))
      out->contacts.data[kept++] = out->contacts.data[k];
  out->contacts.count = kept;
}

static const dvShapePair lmd_new_pairs[] = {
    {DV_SHAPE_POINT, DV_SHAPE_POINT, filtered},
    {DV_SHAPE_LINE, DV_SHAPE_POINT, filtered},
    {DV_SHAPE_LINE, DV_SHAPE_LINE, filtered},
    {DV_SHAPE_TRIANGLE, DV_SHAPE_POINT, filtered},
    {DV_SHAPE_TRIANGLE, DV_SHAPE_LINE, filtered},
    {DV_SHAPE_TRIANGLE, DV_SHAPE_TRIANGLE, filtered},
    {DV_SHAPE_SPHERE, DV_SHAPE_POINT, filtered},
    {DV_SHAPE_LINE, DV_SHAPE_SPHERE, filtered},
    {DV_SHAPE_TRIANGLE, DV_SHAPE_SPHERE, filtered},
    {DV_SHAPE_TRIANGLE, DV_SHAPE_BRICK, filtered},
    {DV_SHAPE_CAPSULE, DV_SHAPE_TRIANGLE, filtered},
    {DV_SHAPE_CAPSULE, DV_SHAPE_LINE, filtered},
    {0},
};

static const dvIntersectionOps lmd_new_ops = {.pairs = lmd_new_pairs,
                                              .also = dv_solid_pairs,
                                              .wants = dv_new_proximity_wants,
                                              .distances = dv_proximity_distances,
                                              .around = true};

const dvClass dv_lmd_new_proximity_class = {
    .struct_size = sizeof(dvClass),
    .name = "LMDNewProximityIntersection",
    .help = "contacts of near triangles, lines, points and spheres where their distance has a local minimum",
    .module = "Sofa.Component.Collision.Detection.Intersection",
    .size = sizeof(LocalMin),
    .blocks = {&dv_object_block, &dv_proximity_block, &dv_new_proximity_block, DV_BLOCK(lmd_fields)},
    .ops = {[DV_ROLE_INTERSECTION] = &lmd_new_ops},
};
