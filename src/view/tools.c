// Changes of meshes by hand: remove, carve and refine what a ray picks, cut what a stroke crosses, incise along it.
//
// A stroke is a list of rays through the picture. The blade sweeps from where the rays come near the body to where they
// leave it, so that what is behind the line that was drawn is cut: a strip of flat facets. An incision goes as deep as
// it is told from where the rays meet the body; a surface of triangles is incised along these places. The scene is kept
// before each stroke (undo.c); a component that cannot follow its mesh takes the stroke back at once.
#include "mapping/linear/cut_embedded.h"
#include "scene/plan.h"
#include "topology/change/modifier.h"
#include "view/tools_body.h"

#include <math.h>
#include <stdlib.h>

#define SNAP 0.1   // share of an edge within which a blade takes its end

typedef DV_ARRAY(int32_t) Numbers;
typedef DV_ARRAY(double) Reals;

typedef struct Result {
  dvText text;
  size_t changed;   // elements, edges or points that have gone or come
  size_t pieces;    // of the body that was changed last
  json_t *error;    // nothing was done, and why
  bool beside;      // a drag went past all bodies: no mistake
} Result;

static const double *positions(void *user) { return dv_state_read(((const dvMeshBody *)user)->state, DV_X); }

static dvIncision by(const dvMeshBody *b)
{
  return (dvIncision){&b->mesh->base, positions, (void *)b, SNAP, SNAP, 0, 0};
}

static void finish(dvMeshBody *b, Result *r)
{
  dv_topology_end_changes(b->mesh);
  r->pieces = dv_body_pieces(b);
}

static void say(Result *r, const dvMeshBody *b, const char *format, ...) DV_PRINTF(3, 4);
static void say(Result *r, const dvMeshBody *b, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  dv_text_printf(&r->text, "%s%s: ", r->text.length ? "; " : "", b->state->base.node->base.name);
  dv_text_vprintf(&r->text, format, args);
  if (r->pieces > 1) dv_text_printf(&r->text, ", %zu pieces", r->pieces);
  va_end(args);
}

// --- what is picked ------------------------------------------------------------------------------

// the body under a ray; with its elements where `kinds` (bits, 0 for all) tells which will do
static bool find_body(dvSession *s, dvRay ray, unsigned kinds, const char *need, dvMeshBody *out, dvVec3 *where,
                      Result *r)
{
  dvTouched t;
  if (!dv_view_touched(s, ray, &t)) {
    r->error = dv_view_error("begin on a body that moves", "there is nothing under the tool");
    return false;
  }
  *where = t.point;
  if (!dv_view_body(t.state, out, &r->error)) return false;
  if (!kinds || kinds >> out->kind & 1) return true;
  r->error = dv_view_error(need, "%s is made of %s", out->state->base.node->base.name, dv_element_name(out->kind));
  return false;
}

// elements with their middle within a radius of where the ray meets the body, and the one that it meets
static void pick(const dvMeshBody *b, dvRay ray, dvVec3 seen, double radius, Numbers *out)
{
  dvVec3 where = seen;
  int32_t first = dv_body_pick(b, ray, &where);
  if (first < 0) first = dv_body_nearest(b, seen);   // what is drawn may reach beyond its elements
  for (size_t i = 0; i < dv_topology_count(b->mesh, b->kind); i++) {
    bool near = dv_vec3_norm(dv_vec3_sub(dv_body_middle(b, (int32_t)i), where)) <= radius;
    if (near || (int32_t)i == first) dv_push(out, (int32_t)i);
  }
}

double dv_stroke_radius(const dvStroke *stroke, dvVec3 where)
{
  if (stroke->size < 0 && stroke->spread == 0) return -1;
  return dv_max(stroke->size, 0) + stroke->spread * dv_vec3_norm(dv_vec3_sub(where, stroke->rays[0].origin));
}

static void remove_picked(dvSession *s, const dvStroke *stroke, Result *r)
{
  dvMeshBody b;
  dvVec3 where;
  dvTouched met;
  r->beside = stroke->tool == DV_TOOL_CARVE && !dv_view_touched(s, stroke->rays[0], &met);
  if (r->beside || !find_body(s, stroke->rays[0], 0, NULL, &b, &where, r)) return;
  Numbers list = {0};
  pick(&b, stroke->rays[0], where, stroke->tool == DV_TOOL_CARVE ? dv_stroke_radius(stroke, where) : -1, &list);
  size_t count = list.count;
  if (count == dv_topology_count(b.mesh, b.kind)) {
    r->error = dv_view_error("use a smaller tool, or remove its node in the graph", "nothing of %s would be left",
                             b.state->base.node->base.name);
  } else if (dv_modifier_remove(b.mesh, &b.mesh->base, b.kind, list.data, count) == DV_OK) {
    r->changed = count;
    finish(&b, r);
    say(r, &b, "%zu %s removed", count, dv_element_name(b.kind));
  }
  dv_array_free(&list);
}

// --- refining ------------------------------------------------------------------------------------

typedef struct Edge {
  int32_t points[2];
} Edge;

static int by_points(const void *a, const void *b)
{
  const int32_t *p = ((const Edge *)a)->points, *q = ((const Edge *)b)->points;
  return p[0] != q[0] ? dv_numbers_ascending(&p[0], &q[0]) : dv_numbers_ascending(&p[1], &q[1]);
}

static Edge longest_edge(const dvMeshBody *b, int32_t element)
{
  int n = dv_element_points(b->kind);
  const int32_t *e = dv_topology_elements(b->mesh, b->kind)->data + (size_t)element * (size_t)n;
  Edge best = {{e[0], e[1]}};
  double longest = -1;
  for (int i = 0; i < n; i++)
    for (int k = i + 1; k < n; k++) {
      double length = dv_vec3_norm2(dv_vec3_sub(dv_body_point(b, e[i]), dv_body_point(b, e[k])));
      if (length <= longest) continue;
      longest = length;
      best = (Edge){{dv_min_int(e[i], e[k]), dv_max_int(e[i], e[k])}};
    }
  return best;
}

// The longest edge of each element that was picked is halved, with all elements around it: what comes is never worse
// than half as good.
static void refine(dvSession *s, const dvStroke *stroke, Result *r)
{
  dvMeshBody b;
  dvVec3 where;
  if (!find_body(s, stroke->rays[0], 1u << DV_TETRAHEDRON | 1u << DV_TRIANGLE, "tetrahedra and triangles are refined",
                 &b, &where, r))
    return;
  Numbers list = {0};
  DV_ARRAY(Edge) edges = {0};
  pick(&b, stroke->rays[0], where, dv_stroke_radius(stroke, where), &list);
  for (size_t i = 0; i < list.count; i++) dv_push(&edges, longest_edge(&b, list.data[i]));
  if (edges.count) qsort(edges.data, edges.count, sizeof *edges.data, by_points);
  for (size_t i = 0; i < edges.count; i++) {
    const int32_t *e = edges.data[i].points;
    if (i && by_points(&edges.data[i - 1], &edges.data[i]) == 0) continue;
    if (dv_mesh_split_edge(b.mesh, e[0], e[1], 0.5) >= 0) r->changed++;
  }
  finish(&b, r);
  say(r, &b, "%zu edges split, now %zu %s", r->changed, dv_topology_count(b.mesh, b.kind), dv_element_name(b.kind));
  dv_array_free(&list), dv_array_free(&edges);
}

// --- strokes -------------------------------------------------------------------------------------

static void push_point(Reals *to, dvVec3 x) { dv_push(to, x.x), dv_push(to, x.y), dv_push(to, x.z); }

static void sweep(dvMeshBody *b, const Reals *from, const Reals *to, Result *r)
{
  dvBodyCut cut = {0};
  dvIncision how = by(b);
  if (from->count < 6) return;
  if (dv_body_cut_sweep(b->mesh, &how, from->data, to->data, from->count / 3, &cut) != DV_OK) {
    if (!r->error)
      r->error = dv_view_error("the messages tell why", "%s cannot be cut there", b->state->base.node->base.name);
    return;
  }
  size_t changed = cut.split + cut.doubled + cut.links + cut.triangles;
  if (!changed) return;
  r->changed += changed;
  finish(b, r);
  if (b->kind == DV_HEXAHEDRON) say(r, b, "%zu hexahedra split, %zu points doubled", cut.split, cut.doubled);
  else say(r, b, "%zu edges split, smallest quality %.2g", cut.split, cut.quality);
}

// how far along the rays the body reaches, with a margin
static void reach_of(const dvMeshBody *b, const dvStroke *stroke, double *near, double *far)
{
  dvVec3 low, high;
  dv_body_box(b, &low, &high);
  double margin = 0.1 * dv_vec3_norm(dv_vec3_sub(high, low));
  *near = INFINITY, *far = 0;
  for (size_t i = 0; i < stroke->count; i++)
    for (int c = 0; c < 8; c++) {
      dvVec3 corner = dv_vec3(c & 1 ? low.x : high.x, c & 2 ? low.y : high.y, c & 4 ? low.z : high.z);
      double t = dv_vec3_dot(dv_vec3_sub(corner, stroke->rays[i].origin), stroke->rays[i].direction);
      *near = dv_min(*near, t - margin), *far = dv_max(*far, t + margin);
    }
  *near = dv_max(*near, 1e-3 * *far);   // rays of one eye meet there
}

static void cut_body(dvMeshBody *b, const dvStroke *stroke, Result *r)
{
  Reals from = {0}, to = {0};
  double near, far;
  reach_of(b, stroke, &near, &far);
  for (size_t i = 0; i < stroke->count && far > near; i++) {
    push_point(&from, dv_vec3_add_scaled(stroke->rays[i].origin, stroke->rays[i].direction, near));
    push_point(&to, dv_vec3_add_scaled(stroke->rays[i].origin, stroke->rays[i].direction, far));
  }
  sweep(b, &from, &to, r);
  dv_array_free(&from), dv_array_free(&to);
}

enum { MOST_SAMPLES = 64 };

// rays between those of the stroke, so that what lies between two of them is met
static size_t sample(const dvStroke *stroke, dvRay *out)
{
  for (size_t i = 0; i < MOST_SAMPLES; i++) {
    double at = (double)i / (MOST_SAMPLES - 1) * (double)(stroke->count - 1);
    size_t k = dv_min_size((size_t)at, stroke->count - 2);
    const dvRay *p = &stroke->rays[k], *q = &stroke->rays[k + 1];
    double s = at - (double)k;
    dvVec3 origin = dv_vec3_add_scaled(p->origin, dv_vec3_sub(q->origin, p->origin), s);
    dvVec3 direction = dv_vec3_add_scaled(p->direction, dv_vec3_sub(q->direction, p->direction), s);
    out[i] = (dvRay){origin, dv_vec3_normalise(direction)};
  }
  return MOST_SAMPLES;
}

static size_t first_on_body(dvSession *s, const dvRay *rays, size_t count)
{
  dvTouched t;
  for (size_t i = 0; i < count; i++)
    if (dv_view_touched(s, rays[i], &t)) return i;
  return 0;
}

// a surface of triangles along places on it
static void incise_surface(dvMeshBody *b, const Reals *path, Result *r)
{
  size_t doubled = 0;
  dvIncision how = by(b);
  if (path->count < 6 || dv_mesh_incise(b->mesh, &how, path->data, NULL, path->count / 3, &doubled) != DV_OK) return;
  r->changed = doubled;
  finish(b, r);
  say(r, b, "incised, %zu points doubled", doubled);
}

// Surfaces part along the stroke, volumes as deep as it goes: from a little before the place that is met.
static void incise(dvSession *s, const dvStroke *stroke, Result *r)
{
  dvMeshBody b;
  dvRay rays[MOST_SAMPLES];
  dvVec3 where, low, high;
  size_t count = sample(stroke, rays), first = first_on_body(s, rays, count);
  if (!find_body(s, rays[first], 1u << DV_TETRAHEDRON | 1u << DV_HEXAHEDRON | 1u << DV_TRIANGLE,
                 "tetrahedra, hexahedra and triangles can be cut", &b, &where, r))
    return;
  dv_body_box(&b, &low, &high);
  dvVec3 size = dv_vec3_sub(high, low);
  double depth = stroke->size > 0 ? stroke->size : 0.3 * dv_min(size.x, dv_min(size.y, size.z));
  Reals from = {0}, to = {0}, path = {0};
  for (size_t i = first; i < count; i++) {
    if (dv_body_pick(&b, rays[i], &where) < 0) continue;
    push_point(&path, where);
    push_point(&from, dv_vec3_add_scaled(where, rays[i].direction, -0.3 * depth));
    push_point(&to, dv_vec3_add_scaled(where, rays[i].direction, depth));
  }
  if (b.kind != DV_TRIANGLE) sweep(&b, &from, &to, r);
  else incise_surface(&b, &path, r);
  dv_array_free(&from), dv_array_free(&to), dv_array_free(&path);
}

// every body of tetrahedra or hexahedra that the blade crosses; where there is none, the surface under it
static void cut(dvSession *s, const dvStroke *stroke, Result *r)
{
  dv_scene_refresh(s->scene);
  const dvPlan *p = s->scene->plan;
  dvMeshBody b;
  for (size_t i = 0; i < p->independent.count; i++)
    if (dv_view_body(dv_state(p->independent.data[i]), &b, NULL) &&
        (b.kind == DV_TETRAHEDRON || b.kind == DV_HEXAHEDRON))
      cut_body(&b, stroke, r);
  if (r->changed) json_decref(r->error), r->error = NULL;   // others were cut
  if (r->changed && r->pieces == 1) dv_text_add(&r->text, ", still one piece: draw beyond it on both sides to part it");
  if (!r->changed && !r->error) incise(s, stroke, r);
}

// --- all of it -----------------------------------------------------------------------------------

static json_t *answer_of(const Result *r)
{
  json_t *answer = dv_view_ok();
  dv_view_put_text(answer, "text", r->text.text);
  json_object_set_new(answer, "changed", json_integer((json_int_t)r->changed));
  json_object_set_new(answer, "pieces", json_integer((json_int_t)r->pieces));
  return answer;
}

static json_t *last_error(const dvSession *s)
{
  for (size_t i = s->news.count; i > 0; i--) {
    const dvNews *n = &s->news.data[i - 1];
    if (n->level == DV_ERROR) return dv_view_error(n->advice, "the mesh stays as it was: %s", n->text);
  }
  return dv_view_error("the messages tell which", "the mesh stays as it was: a component cannot follow it");
}

json_t *dv_view_use_tool(dvSession *s, const dvStroke *stroke)
{
  static const struct {
    const char *name;
    void (*use)(dvSession *s, const dvStroke *stroke, Result *r);
  } tools[] = {[DV_TOOL_REMOVE] = {"remove", remove_picked},
               [DV_TOOL_CARVE] = {"carve", remove_picked},
               [DV_TOOL_REFINE] = {"refine", refine},
               [DV_TOOL_CUT] = {"cut", cut},
               [DV_TOOL_INCISE] = {"incise", incise}};
  Result r = {0};
  if (stroke->tool == DV_TOOL_PACE || stroke->tool == DV_TOOL_ABLATE) return dv_view_treat(s, stroke);
  dv_view_release(s);   // points may get other numbers
  bool goes_on = stroke->goes_on && s->undo.count, kept = !goes_on && dv_view_undo_keep(s, tools[stroke->tool].name);
  int errors = s->context->log.counts[DV_ERROR];
  tools[stroke->tool].use(s, stroke, &r);
  const dvLoopOps *loop = dv_ops(s->scene->loop, DV_ROLE_LOOP);
  if (r.changed && loop->resume) loop->resume(s->scene->loop);
  s->draw.again = s->draw.again || r.changed;
  s->moved = true;
  json_t *answer = NULL;
  if (s->context->log.counts[DV_ERROR] > errors) {
    answer = last_error(s);
    if (kept || goes_on) json_decref(dv_view_undo(s));
  } else {
    if (kept && !r.changed) dv_view_undo_drop(s);
    if (!r.error && !r.changed && !r.beside)
      r.error = dv_view_error("drag across a body; the tool works where elements are under it", "the tool met nothing");
    answer = r.error ? json_incref(r.error) : answer_of(&r);
  }
  json_decref(r.error);
  dv_text_free(&r.text);
  return answer;
}
