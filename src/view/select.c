// Points and elements of a body that an area of the picture covers, and what becomes of them. See edit.h.
//
// The area is a polygon on the picture, -1 to 1 (a box, a lasso, or the circle of a brush); the matrix takes points of
// the scene to the picture. A point is in the polygon when a ray from it crosses the border an odd number of times.
#include "view/edit.h"

#include "mechanics/mechanics.h"
#include "topology/topology.h"

#include <math.h>
#include <string.h>

typedef DV_ARRAY(int32_t) Indices;

// the state that is simulated: of the body that a skin or a collision model belongs to
dvState *dv_select_body(dvSession *s, const char *path)
{
  dvObject *o = s->ready ? dv_view_find(s, path) : NULL;
  if (!o) return NULL;
  dvNode *node = dv_node_of(o) ? dv_node_of(o) : o->node;
  dvObject *state = dv_node_state_up(node);
  if (!state) state = dv_node_find_below(node, DV_ROLE_STATE);
  for (int i = 0; state && i < DV_DEPTH_LIMIT; i++) {
    const dvNode *home = state->node;
    dvObject *mapping = dv_node_find(home, DV_ROLE_MAPPING), *in = mapping ? dv_mapping_input(mapping, 0) : NULL;
    if (!in || in == state) break;
    state = in;
  }
  return state && dv_is_mechanical_state(state) && !state->failed ? dv_state(state) : NULL;
}

static bool is_inside(const dvSelecting *a, double x, double y)
{
  bool inside = false;
  for (size_t i = 0, k = a->count - 1; i < a->count; k = i++) {
    const double *p = a->polygon + 2 * i, *q = a->polygon + 2 * k;
    if ((p[1] > y) != (q[1] > y) && x < (q[0] - p[0]) * (y - p[1]) / (q[1] - p[1]) + p[0]) inside = !inside;
  }
  return inside;
}

static bool covers(const dvSelecting *a, dvVec3 p)
{
  const double *m = a->matrix;   // by columns
  double w = m[3] * p.x + m[7] * p.y + m[11] * p.z + m[15];
  if (!(w > 0)) return false;   // behind the camera
  double x = (m[0] * p.x + m[4] * p.y + m[8] * p.z + m[12]) / w, y = (m[1] * p.x + m[5] * p.y + m[9] * p.z + m[13]) / w;
  return isfinite(x) && isfinite(y) && is_inside(a, x, y);
}

// nothing is before it, as seen from the eye
static bool is_seen(dvSession *s, const dvSelecting *a, dvVec3 p, double slack)
{
  dvVec3 from = a->parallel ? dv_vec3_add_scaled(p, a->eye, -1e3 * slack) : a->eye;
  dvVec3 way = dv_vec3_sub(p, from);
  double distance = dv_vec3_norm(way);
  dvTouched hit;
  if (!(distance > 0)) return true;
  dvRay ray = {from, dv_vec3_scale(way, 1 / distance)};
  if (!dv_view_touched(s, ray, &hit)) return true;
  return dv_vec3_norm(dv_vec3_sub(hit.point, from)) >= distance - slack;
}

static double diagonal(const double *x, size_t count, int width)
{
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, sum = 0;
  for (size_t i = 0; i < count; i++)
    for (int k = 0; k < 3 && k < width; k++) {
      low[k] = fmin(low[k], x[i * (size_t)width + (size_t)k]);
      high[k] = fmax(high[k], x[i * (size_t)width + (size_t)k]);
    }
  for (int k = 0; k < 3 && k < width; k++) sum += (high[k] - low[k]) * (high[k] - low[k]);
  return sqrt(sum);
}

static dvVec3 point_at(const double *x, size_t i, int width)
{
  const double *p = x + i * (size_t)width;
  return (dvVec3){p[0], width > 1 ? p[1] : 0, width > 2 ? p[2] : 0};
}

enum { MOST_SEEN = 5000 };   // rays that are cast

static void select_points(dvSession *s, dvState *state, const dvSelecting *a, Indices *out)
{
  const double *x = dv_state_read(state, DV_X);
  int width = state->base.dof->coord;
  size_t rays = 0;
  double slack = 0.02 * diagonal(x, state->count, width) + 1e-12;
  for (size_t i = 0; i < state->count; i++) {
    dvVec3 p = point_at(x, i, width);
    if (!covers(a, p)) continue;
    if (!a->through && rays++ < MOST_SEEN && !is_seen(s, a, p, slack)) continue;
    dv_push(out, (int32_t)i);
  }
}

// elements of the largest kind of the body's mesh whose middle is covered
static const char *select_elements(dvSession *s, dvState *state, const dvSelecting *a, Indices *out, Indices *points)
{
  dvObject *o = dv_node_find_up(state->base.node, DV_ROLE_TOPOLOGY);
  if (!o || o->failed || dv_topology_point_count(dv_topology(o)) != state->count) return NULL;
  dvElementKind kind = dv_topology_largest(dv_topology(o));
  const dvInts *list = dv_topology_elements(dv_topology(o), kind);
  const int corners = dv_element_points(kind), width = state->base.dof->coord;
  const double *x = dv_state_read(state, DV_X);
  bool *taken = dv_alloc(state->count + 1);
  for (size_t e = 0; list && e + (size_t)corners <= list->count; e += (size_t)corners) {
    dvVec3 middle = {0, 0, 0};
    for (int k = 0; k < corners; k++)
      middle = dv_vec3_add_scaled(middle, point_at(x, (size_t)list->data[e + (size_t)k], width), 1.0 / corners);
    if (!covers(a, middle)) continue;
    dv_push(out, (int32_t)(e / (size_t)corners));
    for (int k = 0; k < corners; k++) taken[list->data[e + (size_t)k]] = true;
  }
  for (size_t i = 0; i < state->count; i++)
    if (taken[i]) dv_push(points, (int32_t)i);
  dv_free(taken);
  DV_UNUSED(s);
  return dv_element_name(kind);
}

static json_t *numbers_of(const Indices *list)
{
  json_t *out = json_array();
  for (size_t i = 0; i < list->count; i++) json_array_append_new(out, json_integer(list->data[i]));
  return out;
}

json_t *dv_select_area(dvSession *s, const char *path, const dvSelecting *area)
{
  dvState *state = dv_select_body(s, path);
  if (!state) return dv_view_error("select a body that is simulated", "%.200s has no points to choose from", path);
  Indices points = {0}, elements = {0};
  const char *kind = NULL;
  if (area->elements) kind = select_elements(s, state, area, &elements, &points);
  else select_points(s, state, area, &points);
  json_t *answer = dv_view_ok();
  char *home = dv_object_path(&state->base);
  dv_view_put_text(answer, "path", home);
  dv_free(home);
  dv_view_put_text(answer, "kind", kind);
  json_object_set_new(answer, "points", numbers_of(&points));
  json_object_set_new(answer, "elements", numbers_of(&elements));
  dv_array_free(&points);
  dv_array_free(&elements);
  if (area->elements && !kind) {
    json_decref(answer);
    answer = dv_view_error("points can be chosen", "this body has no elements");
  }
  return answer;
}

json_t *dv_select_where(dvSession *s, const char *path, const int32_t *points, size_t count)
{
  dvState *state = dv_select_body(s, path);
  if (!state) return dv_view_error(NULL, "%.200s has no points", path);
  json_t *answer = dv_view_ok(), *list = json_array();
  const double *x = dv_state_read(state, DV_X);
  for (size_t i = 0; i < count; i++) {
    if (points[i] < 0 || (size_t)points[i] >= state->count) continue;
    dvVec3 p = point_at(x, (size_t)points[i], state->base.dof->coord);
    json_array_append_new(list, json_real(p.x));
    json_array_append_new(list, json_real(p.y));
    json_array_append_new(list, json_real(p.z));
  }
  json_object_set_new(answer, "positions", list);
  return answer;
}

// --- what becomes of it --------------------------------------------------------------------------

static void add_ranges(dvText *out, const int32_t *p, size_t count)
{
  for (size_t i = 0, end; i < count; i = end) {
    for (end = i + 1; end < count && p[end] == p[end - 1] + 1; end++) continue;
    dv_text_printf(out, end - i > 2 ? "%s%d-%d" : "%s%d", i ? " " : "", p[i], p[end - 1]);
    if (end - i == 2) dv_text_printf(out, " %d", p[i + 1]);
  }
}

// Spheres around the points, at their rest: as large as half the smallest distance between two points of the body.
static void add_spheres(dvText *out, const char *name, dvState *state, const int32_t *p, size_t count)
{
  const double *x = dv_state_read(state, DV_X_REST);
  int width = state->base.dof->coord;
  double least = diagonal(x, state->count, width);
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < state->count; k++) {
      double apart = dv_vec3_norm(dv_vec3_sub(point_at(x, (size_t)p[i], width), point_at(x, k, width)));
      if ((size_t)p[i] != k && apart > 0) least = fmin(least, apart);
    }
  dv_text_printf(out, "<SphereROI name=\"%s\" centers=\"", name);
  for (size_t i = 0; i < count; i++) {
    dvVec3 c = point_at(x, (size_t)p[i], width);
    dv_text_printf(out, "%s%.9g %.9g %.9g", i ? "  " : "", c.x, c.y, c.z);
  }
  dv_text_printf(out, "\" radii=\"%.3g\"/>", 0.25 * least);
}

static void add_zeros(dvText *out, int deriv)
{
  for (int k = 3; k < deriv; k++) dv_text_add(out, " 0");
}

json_t *dv_select_use(dvSession *s, const char *path, const char *as, const int32_t *points, size_t count)
{
  dvState *state = dv_select_body(s, path);
  json_t *error = dv_edit_refusal(s);
  if (error) return error;
  if (!state) return dv_view_error(NULL, "%.200s has no points", path);
  for (size_t i = 0; i < count; i++)
    if (points[i] < 0 || (size_t)points[i] >= state->count || (i && points[i] <= points[i - 1]))
      return dv_view_error("in ascending order, each once", "there is no point %d", points[i]);
  if (!count) return dv_view_error("draw over the points first", "nothing is selected");
  char *node = dv_object_path(&state->base.node->base), *name = NULL;
  dvText xml = {0};
  const char *what = NULL;
  if (dv_same(as, "fixed")) {
    name = dv_edit_free_name(s, node, "fixed"), what = "hold points";
    dv_text_printf(&xml, "<FixedProjectiveConstraint name=\"%s\" indices=\"", name);
    add_ranges(&xml, points, count);
    dv_text_add(&xml, "\"/>");
  } else if (dv_same(as, "load")) {
    name = dv_edit_free_name(s, node, "load"), what = "load points";
    dv_text_printf(&xml, "<ConstantForceField name=\"%s\" indices=\"", name);
    add_ranges(&xml, points, count);
    dv_text_add(&xml, "\" totalForce=\"0 -10 0");
    add_zeros(&xml, state->base.dof->deriv);
    dv_text_add(&xml, "\"/>");
  } else if (dv_same(as, "springs")) {
    name = dv_edit_free_name(s, node, "held"), what = "hold points by springs";
    dv_text_printf(&xml, "<RestShapeSpringsForceField name=\"%s\" stiffness=\"1000\" points=\"", name);
    add_ranges(&xml, points, count);
    dv_text_add(&xml, "\"/>");
  } else if (dv_same(as, "region")) {
    name = dv_edit_free_name(s, node, "region"), what = "make a region";
    add_spheres(&xml, name, state, points, count);
  }
  json_t *answer = what
                       ? dv_edit_insert(s, *node ? node : "/", NULL, xml.text, what)
                       : dv_view_error("there are fixed, load, springs and region", "'%.40s' is no use for points", as);
  dv_text_free(&xml);
  dv_free(node), dv_free(name);
  return answer;
}
