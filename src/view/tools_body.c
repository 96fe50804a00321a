// See tools_body.h.
#include "view/tools_body.h"

#include "topology/derive.h"
#include "topology/mapping/mapping.h"
#include "topology/search/surface.h"

#include <math.h>

bool dv_view_body(dvState *state, dvMeshBody *out, json_t **why)
{
  dvTopology *t = state->topology;
  json_t *reason = NULL;
  char *path = dv_object_path(&state->base);
  if (state->base.dof->coord != 3 || !t)
    reason = dv_view_error("tools work on bodies whose MechanicalObject has the points of a mesh in its node",
                           "%s has no mesh that could be changed", path);
  else if (t->base.failed || dv_topology_largest(t) == DV_POINT)
    reason = dv_view_error("give its node a mesh with tetrahedra, triangles or edges", "%s has points only", path);
  else if (t->filler)
    reason = dv_view_error(
        "a mesh that is made of another one follows it and is not changed by itself: write it to a file once (divan "
        "convert, or MeshExporter) and load it with a mesh loader",
        "the mesh of %s is made by %s and cannot be changed", path, t->filler->name);
  dv_free(path);
  if (why) *why = reason;
  else json_decref(reason);
  if (!reason) *out = (dvMeshBody){state, t, dv_topology_largest(t)};
  return !reason;
}

dvVec3 dv_body_point(const dvMeshBody *b, int32_t point)
{
  return dv_vec3_load(dv_state_read(b->state, DV_X) + 3 * (size_t)point);
}

void dv_body_box(const dvMeshBody *b, dvVec3 *low, dvVec3 *high)
{
  *low = dv_vec3(INFINITY, INFINITY, INFINITY), *high = dv_vec3(-INFINITY, -INFINITY, -INFINITY);
  for (size_t i = 0; i < b->state->count; i++) {
    dvVec3 x = dv_body_point(b, (int32_t)i);
    *low = dv_vec3(dv_min(low->x, x.x), dv_min(low->y, x.y), dv_min(low->z, x.z));
    *high = dv_vec3(dv_max(high->x, x.x), dv_max(high->y, x.y), dv_max(high->z, x.z));
  }
}

static const int32_t *element_of(const dvMeshBody *b, int32_t element)
{
  return dv_topology_elements(b->mesh, b->kind)->data + (size_t)element * (size_t)dv_element_points(b->kind);
}

dvVec3 dv_body_middle(const dvMeshBody *b, int32_t element)
{
  int n = dv_element_points(b->kind);
  dvVec3 sum = dv_vec3(0, 0, 0);
  for (int k = 0; k < n; k++) sum = dv_vec3_add_scaled(sum, dv_body_point(b, element_of(b, element)[k]), 1.0 / n);
  return sum;
}

// of a face with three or four corners, by the places of a table
static double hit_face(const dvMeshBody *b, const dvRay *ray, const int32_t *e, const int *places, int corners)
{
  dvVec3 x[4];
  for (int k = 0; k < corners; k++) x[k] = dv_body_point(b, e[places[k]]);
  double d = dv_view_hit_triangle(ray, x[0], x[1], x[2]);
  return corners == 4 ? dv_min(d, dv_view_hit_triangle(ray, x[0], x[2], x[3])) : d;
}

static double hit_element(const dvMeshBody *b, const dvRay *ray, const int32_t *e)
{
  static const int all[] = {0, 1, 2, 3};
  double best = INFINITY;
  if (b->kind == DV_TRIANGLE || b->kind == DV_QUAD) return hit_face(b, ray, e, all, dv_element_points(b->kind));
  for (const dvElementParts *p = dv_element_parts(b->kind); p->count; p++) {
    int corners = dv_element_points(p->kind);
    for (int i = 0; i < p->count && corners > 2; i++)
      best = dv_min(best, hit_face(b, ray, e, p->table + i * corners, corners));
  }
  return best;
}

// how far a line is from a ray, where the ray comes nearest to its middle
static double line_distance(const dvMeshBody *b, const dvRay *ray, const int32_t *e, double *along)
{
  dvVec3 x = dv_body_point(b, e[0]), y = dv_body_point(b, e[1]), middle = dv_vec3_scale(dv_vec3_add(x, y), 0.5);
  *along = dv_vec3_dot(dv_vec3_sub(middle, ray->origin), ray->direction);
  dvVec3 at = dv_vec3_add_scaled(ray->origin, ray->direction, *along);
  return dv_vec3_norm(dv_vec3_sub(dv_nearest_on_segment(x, y, at, NULL), at));
}

int32_t dv_body_pick(const dvMeshBody *b, dvRay ray, dvVec3 *where)
{
  size_t count = dv_topology_count(b->mesh, b->kind);
  int32_t best = -1;
  double nearest = INFINITY, along = 0, reached = 0;
  for (size_t i = 0; i < count; i++) {
    const int32_t *e = element_of(b, (int32_t)i);
    double d = b->kind == DV_EDGE ? line_distance(b, &ray, e, &along) : hit_element(b, &ray, e);
    if (d >= nearest) continue;
    nearest = d, best = (int32_t)i, reached = b->kind == DV_EDGE ? along : d;
  }
  if (best >= 0 && where) *where = dv_vec3_add_scaled(ray.origin, ray.direction, reached);
  return best;
}

int32_t dv_body_nearest(const dvMeshBody *b, dvVec3 x)
{
  int32_t best = -1;
  double nearest = INFINITY;
  for (size_t i = 0; i < dv_topology_count(b->mesh, b->kind); i++) {
    double d = dv_vec3_norm2(dv_vec3_sub(dv_body_middle(b, (int32_t)i), x));
    if (d < nearest) nearest = d, best = (int32_t)i;
  }
  return best;
}

static int32_t root_of(int32_t *parent, int32_t i)
{
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

size_t dv_body_pieces(const dvMeshBody *b)
{
  size_t points = dv_topology_point_count(b->mesh), width = (size_t)dv_element_points(b->kind), pieces = 0;
  const dvInts *list = dv_topology_elements(b->mesh, b->kind);
  int32_t *parent = dv_alloc((points + 1) * sizeof *parent);
  uint8_t *used = dv_alloc(points + 1);
  for (size_t i = 0; i < points; i++) parent[i] = (int32_t)i;
  for (size_t i = 0; i < list->count; i++) {
    used[list->data[i]] = 1;
    int32_t p = root_of(parent, list->data[i]), q = root_of(parent, list->data[i / width * width]);
    parent[p > q ? p : q] = p > q ? q : p;
  }
  for (size_t i = 0; i < points; i++) pieces += used[i] && parent[i] == (int32_t)i;
  dv_free(parent), dv_free(used);
  return pieces;
}
