// Cautery: the edge of a tool that burns its way through tetrahedra or hexahedra.
//
// The edge is a polyline, points of a state from one end to the other. While the current flows, each of its places in
// the tissue is carried back to the shape at rest: by the weights of the element in which it lies, beyond the surface
// by the rotation R of the nearest one,
//
//   X(p) = sum w_i X_i + R^T (p - sum w_i x_i)
//
// There lips of a cut that gape are together, so that what was swept before and what is swept now is one sheet. Each
// time the edge has moved by `step` it goes on by a strip, and the tissue is cut along it (topology/change/cut.h,
// mapping/linear/cut_embedded.h):
//
// - tetrahedra at once, along the new strip and what was swept around it, in this stroke and those before. Points on
// the
//   sheet of before are met again and do not part twice; edges are not split into pieces shorter than `least`, their
//   nearer end is taken instead;
// - hexahedra along the whole stroke at its end: embedded surfaces are closed on both sides of each cut, so that
// strokes
//   that overlap do not become one. Draw one that goes through.
//
// The edge slips into what is cut already when it comes nearer than `groove`, so that one stroke goes on where another
// has ended. Pieces smaller than `crumbs` that come off are burnt away. Strips that do not belong together (the edge
// has left one part and come to another) are left out: those that are much longer at rest than now. Volumes at rest
// stay.
#include "anatomy/cautery.h"

#include "anatomy/parts.h"
#include "anatomy/register.h"
#include "anatomy/switch.h"
#include "mapping/linear/cut_embedded.h"
#include "math/decompose.h"
#include "mechanics/component.h"
#include "state/of_mesh.h"
#include "topology/change/modifier.h"
#include "topology/search/locate.h"
#include "topology/search/surface.h"

#include <math.h>
#include <string.h>

#define CAUTERY_FIELDS(X)                                                                                            \
  X(link, topology, "", "", "tetrahedra or hexahedra that are cut; the topology of the node or above by default",    \
    .role = DV_ROLE_TOPOLOGY)                                                                                        \
  X(link, edge, "", "", "state whose points lie along the edge that burns, two at least, from one end to the other", \
    .role = DV_ROLE_STATE)                                                                                           \
  X(bool, active, "0", "", "the current flows")                                                                      \
  X(real, step, "0", "m", "it cuts on when it has moved this far; 0: half as far as edges of the mesh are long",     \
    .least = "0")                                                                                                    \
  X(real, least, "0", "m", "edges of tetrahedra are not cut into shorter pieces; 0: a quarter of the mean length",   \
    .least = "0")                                                                                                    \
  X(real, groove, "0", "m",                                                                                          \
    "nearer to what was cut by strokes before it slips into that; 0: a fifth of the length of edges", .least = "0")  \
  X(real, crumbs, "0", "m3", "smaller pieces that come off are burnt away, at rest", .least = "0")                   \
  X(int, most, "100000", "", "of a body with so many elements nothing more is cut", .least = "1")                    \
  X(bool, burning, "0", "", "it burns: the current flows, and the edge is in the tissue", .flags = DV_READ_ONLY)     \
  X(vec3s, line, "", "m", "the edge, while it burns: where smoke rises and tissue is burnt", .flags = DV_READ_ONLY)  \
  X(int, strokes, "0", "", "how often it was switched on", .flags = DV_READ_ONLY)                                    \
  X(int, burnt, "0", "", "strokes that went through tissue and are over", .flags = DV_READ_ONLY)                     \
  X(int, cuts, "0", "", "how often the mesh was cut", .flags = DV_READ_ONLY)                                         \
  X(real, area, "0", "m2", "that was swept in the tissue, at rest", .flags = DV_READ_ONLY)                           \
  X(real, quality, "1", "", "of the worst tetrahedron at a cut: 1 for a regular one, 0 for a flat one",              \
    .flags = DV_READ_ONLY)

typedef struct Cautery {
  dvObject base;
  CAUTERY_FIELDS(DV_MEMBER)
  DV_SWITCH_FIELDS(DV_MEMBER)
  dvTopology *mesh;
  dvState *body, *tool;
  dvElementKind kind;
  dvSwitch switched;
  double length;   // mean of the edges at rest
  bool told_most;
  // remembered
  bool on;                  // the current flows in this step
  bool wants;               // and in the next one
  bool met;                 // this stroke has met tissue
  DV_ARRAY(double) trail;   // places of the edge at rest, where it was: one after the other
  DV_ARRAY(double) seen;    // the same as they were then
  DV_ARRAY(int32_t) from;   // of each: the one that it went on from; -1 begins
  int32_t begin;            // of this stroke; as long as the trail: it has none yet
} Cautery;

#define SELF Cautery
static const dvFieldDesc cautery_fields[] = {CAUTERY_FIELDS(DV_DESCRIBE) DV_SWITCH_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc cautery_memory[] = {
    DV_REMEMBER(numbers, active) DV_REMEMBER(numbers, burning) DV_REMEMBER(reals, line) DV_REMEMBER(numbers, strokes)
        DV_REMEMBER(numbers, cuts) DV_REMEMBER(numbers, area) DV_REMEMBER(numbers, quality) DV_REMEMBER(numbers, on)
            DV_REMEMBER(numbers, wants) DV_REMEMBER(numbers, burnt) DV_REMEMBER(numbers, met) DV_REMEMBER(array, trail)
                DV_REMEMBER(array, seen) DV_REMEMBER(array, from) DV_REMEMBER(numbers, begin)};
#undef SELF

enum { MOST_TRAIL = 2048, MOST_STRIPS = 128, MOST_EDGE = 64 };

static size_t edge_points(const Cautery *c) { return c->tool->count; }
static size_t trail_length(const Cautery *c) { return c->from.count; }
static const double *trail_at(const Cautery *c, size_t i) { return c->trail.data + 3 * edge_points(c) * i; }
static const double *seen_at(const Cautery *c, size_t i) { return c->seen.data + 3 * edge_points(c) * i; }
static double step_of(const Cautery *c) { return c->step > 0 ? c->step : 0.5 * c->length; }

// --- back to the shape at rest -------------------------------------------------------------------

// edges of an element at its first corner, as columns
static dvMat3 frame_of(const Cautery *c, const double *x, const int32_t *e)
{
  static const int far[2][3] = {{1, 2, 3}, {1, 3, 4}};
  const int *k = far[c->kind == DV_HEXAHEDRON];
  dvVec3 o = dv_vec3_load(x + 3 * (size_t)e[0]), side[3];
  for (int i = 0; i < 3; i++) side[i] = dv_vec3_sub(dv_vec3_load(x + 3 * (size_t)e[k[i]]), o);
  return dv_mat3_from_columns(side[0], side[1], side[2]);
}

// the nearest place that the element still has
static void clamp(dvElementKind kind, double local[3])
{
  for (int k = 0; k < 3; k++) local[k] = fmin(fmax(local[k], 0), 1);
  double sum = local[0] + local[1] + local[2];
  for (int k = 0; k < 3 && kind == DV_TETRAHEDRON && sum > 1; k++) local[k] /= sum;
}

// how far the place is from the element; 0 in it
static double to_rest(const Cautery *c, const dvLocation *at, const double *p, double *out)
{
  const double *x = dv_state_read(c->body, DV_X), *rest = dv_state_read(c->body, DV_X_REST);
  if (at->element < 0) {
    memcpy(out, p, 3 * sizeof *out);
    return INFINITY;
  }
  int n = dv_element_points(c->kind);
  const int32_t *e = dv_topology_elements(c->mesh, c->kind)->data + (size_t)at->element * (size_t)n;
  double local[3] = {at->local[0], at->local[1], at->local[2]}, w[8];
  clamp(c->kind, local);
  dv_locate_weights(c->kind, local, w);
  dvVec3 now = {0}, then = {0};
  for (int k = 0; k < n; k++) {
    now = dv_vec3_add_scaled(now, dv_vec3_load(x + 3 * (size_t)e[k]), w[k]);
    then = dv_vec3_add_scaled(then, dv_vec3_load(rest + 3 * (size_t)e[k]), w[k]);
  }
  dvMat3 inverse, turn = dv_mat3_identity();
  if (dv_mat3_inverse(frame_of(c, rest, e), &inverse)) {
    dvMat3 gradient = dv_mat3_mul(frame_of(c, x, e), inverse);
    dv_polar_stable(&gradient, &turn, NULL);
  }
  dvVec3 off = dv_vec3_sub(dv_vec3_load(p), now);
  dv_vec3_store(out, dv_vec3_add(then, dv_mat3_t_mul_vec(turn, off)));
  return memcmp(local, at->local, sizeof local) == 0 ? 0 : dv_vec3_norm(off);
}

// the edge as it is now, carried back; how far it is from the tissue, 0 in it
static double carry_edge(const Cautery *c, double *out)
{
  dvLocation at[MOST_EDGE];
  const dvInts *list = dv_topology_elements(c->mesh, c->kind);
  const double *p = dv_state_read(c->tool, DV_X);
  dvLocateDef def = {.x = dv_state_read(c->body, DV_X), .lists = {{c->kind, list->data, dv_ints_size(list)}}};
  double away = INFINITY;
  for (size_t i = 0; i < 3 * edge_points(c); i++)
    if (!isfinite(p[i])) return INFINITY;
  dv_locate(&def, c->base.context->pool, p, edge_points(c), at);
  for (size_t i = 0; i < edge_points(c); i++) away = fmin(away, to_rest(c, &at[i], p + 3 * i, out + 3 * i));
  return away;
}

// --- the sheet -----------------------------------------------------------------------------------

static double longest_move(const Cautery *c, const double *a, const double *b)
{
  double most = 0;
  for (size_t i = 0; i < edge_points(c); i++)
    most = fmax(most, dv_vec3_norm(dv_vec3_sub(dv_vec3_load(a + 3 * i), dv_vec3_load(b + 3 * i))));
  return most;
}

// where the edge was nearest to what it is now
static size_t nearest_in_trail(const Cautery *c, const double *edge, double *away)
{
  size_t best = trail_length(c) - 1;
  *away = longest_move(c, trail_at(c, best), edge);
  for (size_t i = best; i-- > (size_t)c->begin;) {
    double d = longest_move(c, trail_at(c, i), edge);
    if (d < *away) *away = d, best = i;
  }
  return best;
}

static double side(const double *a, const double *b)
{
  return dv_vec3_norm(dv_vec3_sub(dv_vec3_load(a), dv_vec3_load(b)));
}

// a piece that is much larger at rest than it was swept joins what does not belong together
static bool belongs_together(const Cautery *c, const double *rest[4], const double *now[4])
{
  for (int k = 0; k < 4; k++)
    if (side(rest[k], rest[(k + 1) % 4]) > 2.5 * side(now[k], now[(k + 1) % 4]) + 0.5 * c->length) return false;
  return true;
}

typedef struct Sheet {
  DV_ARRAY(double) corners;
  DV_ARRAY(size_t) offsets;
  double area;     // of the last strip
  dvVec3 normal;   // to which side the sheet looks: that of the first strip
} Sheet;

// strokes go to and fro, but a sheet has two sides: facets that look to the other one are turned around
static void add_facet(Sheet *s, const double *x, size_t count)
{
  dvVec3 normal = {0};
  for (size_t i = 0; i < count; i++)
    normal = dv_vec3_add(normal, dv_vec3_cross(dv_vec3_sub(dv_vec3_load(x + 3 * i), dv_vec3_load(x)),
                                               dv_vec3_sub(dv_vec3_load(x + 3 * ((i + 1) % count)), dv_vec3_load(x))));
  bool turn = dv_vec3_dot(normal, s->normal) < 0;
  if (!turn) s->normal = dv_vec3_norm(s->normal) > 0 ? s->normal : normal;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < 3; k++) dv_push(&s->corners, x[3 * (turn ? count - 1 - i : i) + k]);
  dv_push(&s->offsets, s->corners.count / 3);
}

// the strip that ends at a place of the trail
static void add_strip(const Cautery *c, size_t i, Sheet *s)
{
  if (c->from.data[i] < 0) return;
  size_t before = (size_t)c->from.data[i];
  s->area = 0;
  for (size_t k = 0; k + 1 < edge_points(c); k++) {
    const double *a = trail_at(c, before) + 3 * k, *b = trail_at(c, i) + 3 * k;
    const double *p = seen_at(c, before) + 3 * k, *q = seen_at(c, i) + 3 * k;
    const double *rest[4] = {a, a + 3, b + 3, b}, *now[4] = {p, p + 3, q + 3, q};
    if (!belongs_together(c, rest, now)) continue;
    dvSweep piece;
    dv_sweep_init(&piece, a, b, 2);
    for (size_t f = 0; f < piece.sheet.facets; f++)
      add_facet(s, piece.corners.data + 3 * piece.offsets.data[f], piece.offsets.data[f + 1] - piece.offsets.data[f]);
    dv_sweep_fini(&piece);
    dvVec3 u = dv_vec3_sub(dv_vec3_load(a + 3), dv_vec3_load(b)), v = dv_vec3_sub(dv_vec3_load(b + 3), dv_vec3_load(a));
    s->area += 0.5 * dv_vec3_norm(dv_vec3_cross(u, v));
  }
}

static void box_of(const Cautery *c, size_t i, dvVec3 *low, dvVec3 *high)
{
  const double *x = trail_at(c, i);
  *low = *high = dv_vec3_load(x);
  for (size_t k = 1; k < edge_points(c); k++) {
    const double *p = x + 3 * k;
    *low = dv_vec3(fmin(low->x, p[0]), fmin(low->y, p[1]), fmin(low->z, p[2]));
    *high = dv_vec3(fmax(high->x, p[0]), fmax(high->y, p[1]), fmax(high->z, p[2]));
  }
}

static bool is_near(const Cautery *c, size_t i, size_t k)
{
  dvVec3 a, b, d, e;
  double reach = 2 * c->length + step_of(c);
  box_of(c, i, &a, &b), box_of(c, k, &d, &e);
  return a.x <= e.x + reach && d.x <= b.x + reach && a.y <= e.y + reach && d.y <= b.y + reach && a.z <= e.z + reach &&
         d.z <= b.z + reach;
}

// --- the groove ----------------------------------------------------------------------------------

// how far a place has to be shifted along the normal of a piece of the sheet to lie in its plane; what is beyond its
// border by more than it is off the plane does not belong to it. `nearest` gets smaller.
static void shift_to(const Cautery *c, const int32_t *corners, dvVec3 p, double *nearest, dvVec3 *shift)
{
  const double *x = c->trail.data;
  dvVec3 normal = dv_element_normal(DV_TRIANGLE, x, corners);
  double away = dv_vec3_norm(dv_vec3_sub(dv_nearest_on_triangle(x, corners, p, NULL), p));
  double high = dv_vec3_dot(dv_vec3_sub(p, dv_vec3_load(x + 3 * (size_t)corners[0])), normal);
  if (away >= *nearest || away > fabs(high) + 0.3 * c->length) return;
  *nearest = away;
  *shift = dv_vec3_scale(normal, -high);
}

static bool find_shift(const Cautery *c, dvVec3 p, dvVec3 *shift)
{
  double nearest = c->groove > 0 ? c->groove : 0.2 * c->length, first = nearest;
  int32_t n = (int32_t)edge_points(c);
  for (int32_t i = 0; i < c->begin; i++) {
    int32_t before = c->from.data[i];
    dvVec3 low, high, a, b;
    if (before < 0) continue;
    box_of(c, (size_t)i, &low, &high), box_of(c, (size_t)before, &a, &b);
    if (p.x < fmin(low.x, a.x) - first || p.x > fmax(high.x, b.x) + first || p.y < fmin(low.y, a.y) - first ||
        p.y > fmax(high.y, b.y) + first || p.z < fmin(low.z, a.z) - first || p.z > fmax(high.z, b.z) + first)
      continue;
    for (int32_t k = 0; k + 1 < n; k++) {
      const int32_t q[4] = {before * n + k, before * n + k + 1, i * n + k + 1, i * n + k};
      shift_to(c, (const int32_t[]){q[0], q[1], q[2]}, p, &nearest, shift);
      shift_to(c, (const int32_t[]){q[0], q[2], q[3]}, p, &nearest, shift);
    }
  }
  return nearest < first;
}

// Places near what strokes before have cut come to lie in it, and the others go along with the next of them.
static void slip(const Cautery *c, double *edge)
{
  dvVec3 shift[MOST_EDGE];
  bool met[MOST_EDGE], any = false;
  size_t n = edge_points(c);
  for (size_t i = 0; i < n; i++) any |= met[i] = find_shift(c, dv_vec3_load(edge + 3 * i), &shift[i]);
  for (size_t i = 0; i < n && any; i++) {
    size_t next = i;
    for (size_t d = 0; d < n && !met[next]; d++)
      next = i >= d && met[i - d] ? i - d : i + d < n && met[i + d] ? i + d : i;
    dv_vec3_accumulate(edge + 3 * i, shift[next]);
  }
}

// --- cutting -------------------------------------------------------------------------------------

static const double *rest_positions(void *user) { return dv_state_read(((Cautery *)user)->body, DV_X_REST); }

static bool has_room(Cautery *c)
{
  size_t count = dv_topology_count(c->mesh, c->kind);
  if (count < (size_t)c->most) return true;
  if (!c->told_most)
    dv_warning(&c->base, "raise most, or cut less", "%s has %zu elements: nothing more of it is cut",
               c->mesh->base.name, count);
  c->told_most = true;
  return false;
}

// pieces of tetrahedra that are smaller than crumbs go
static void burn_crumbs(Cautery *c)
{
  const dvInts *list = dv_topology_elements(c->mesh, DV_TETRAHEDRON);
  const double *x = dv_state_read(c->body, DV_X_REST);
  size_t count = list->count / 4;
  int32_t *part = dv_try_alloc(count * sizeof *part + 1);
  int32_t parts = part ? dv_mesh_parts(list, 4, c->body->count, part) : -1;
  double *volume = parts > 1 ? dv_try_alloc((size_t)parts * sizeof *volume) : NULL;
  DV_ARRAY(int32_t) gone = {0};
  for (size_t i = 0; volume && i < count; i++)
    volume[part[i]] += fabs(dv_mat3_det(frame_of(c, x, list->data + 4 * i))) / 6;
  for (size_t i = 0; volume && i < count; i++)
    if (volume[part[i]] < c->crumbs) dv_push(&gone, (int32_t)i);
  if (gone.count && gone.count < count) dv_modifier_remove(c->mesh, &c->base, DV_TETRAHEDRON, gone.data, gone.count);
  dv_array_free(&gone);
  dv_free(volume);
  dv_free(part);
}

static void cut_along(Cautery *c, const Sheet *s)
{
  if (s->offsets.count < 2 || !has_room(c)) return;
  dvIncision how = {.owner = &c->base, .positions = rest_positions, .user = c, .snap = 0.15};
  how.least = c->least > 0 ? c->least : 0.25 * c->length;
  dvSheet sheet = {s->corners.data, s->offsets.data, s->offsets.count - 1};
  dvBodyCut cut;
  dvStatus status = dv_body_cut(c->mesh, &how, &sheet, &cut);
  if (status == DV_OK && cut.split + cut.doubled + cut.links + cut.triangles == 0) return;
  if (status == DV_OK) c->cuts++, c->quality = fmin(c->quality, cut.quality);
  if (status == DV_OK && c->kind == DV_TETRAHEDRON && c->crumbs > 0) burn_crumbs(c);
  dv_topology_end_changes(c->mesh);
}

static void free_sheet(Sheet *s) { dv_array_free(&s->corners), dv_array_free(&s->offsets); }

// tetrahedra: along the last strip and those around it
static void cut_last(Cautery *c)
{
  Sheet s = {0};
  size_t last = trail_length(c) - 1, strips = 1;
  dv_push(&s.offsets, 0);
  add_strip(c, last, &s);
  c->area += s.area;
  for (size_t i = last; i-- > 0 && strips < MOST_STRIPS;)
    if (is_near(c, i, last)) add_strip(c, i, &s), strips++;
  cut_along(c, &s);
  free_sheet(&s);
}

// hexahedra: along all of the stroke
static void cut_all(Cautery *c)
{
  Sheet s = {0};
  dv_push(&s.offsets, 0);
  for (size_t i = 0; i < trail_length(c); i++) {
    add_strip(c, i, &s);
    if (c->from.data[i] >= 0) c->area += s.area;
  }
  cut_along(c, &s);
  free_sheet(&s);
}

static void finish_stroke(Cautery *c)
{
  if (c->kind == DV_HEXAHEDRON) {
    if (trail_length(c) > 1) cut_all(c);
    c->trail.count = c->seen.count = c->from.count = 0;
  }
  c->begin = (int32_t)trail_length(c);
}

static void push_edge(Cautery *c, const double *rest, int32_t from)
{
  const double *now = dv_state_read(c->tool, DV_X);
  for (size_t i = 0; i < 3 * edge_points(c); i++) dv_push(&c->trail, rest[i]), dv_push(&c->seen, now[i]);
  dv_push(&c->from, from);
}

// of a long way the older half is forgotten
static void shorten(Cautery *c)
{
  size_t half = trail_length(c) / 2, numbers = 3 * edge_points(c), kept = trail_length(c) - half;
  memmove(c->trail.data, c->trail.data + numbers * half, numbers * kept * sizeof(double));
  memmove(c->seen.data, c->seen.data + numbers * half, numbers * kept * sizeof(double));
  for (size_t i = 0; i < kept; i++)
    c->from.data[i] = c->from.data[half + i] < (int32_t)half ? -1 : c->from.data[half + i] - (int32_t)half;
  c->trail.count = c->seen.count = numbers * kept;
  c->from.count = kept;
  c->begin = c->begin > (int32_t)half ? c->begin - (int32_t)half : 0;
}

static void sweep_on(Cautery *c, const double *edge)
{
  double away = 0;
  size_t from = nearest_in_trail(c, edge, &away), last = trail_length(c) - 1;
  if (away < step_of(c)) return;
  if (c->kind == DV_HEXAHEDRON && (from != last || trail_length(c) >= MOST_TRAIL)) {   // a sheet does not branch
    finish_stroke(c);
    push_edge(c, edge, -1);
    return;
  }
  push_edge(c, edge, (int32_t)from);
  if (c->kind == DV_TETRAHEDRON) cut_last(c);
  if (trail_length(c) >= MOST_TRAIL) shorten(c);
}

// --- as time goes on -----------------------------------------------------------------------------

static void burn(Cautery *c)
{
  double edge[3 * MOST_EDGE];
  double away = c->on ? carry_edge(c, edge) : INFINITY;
  c->burning = away == 0;
  size_t count = c->burning ? 3 * edge_points(c) : 0;
  if (!dv_reals_assign(&c->line, dv_state_read(c->tool, DV_X), count)) c->base.failed = true;
  if (away > c->length + 2 * step_of(c)) {   // what is swept before the tissue is belongs to the sheet
    finish_stroke(c);
    return;
  }
  if (c->kind == DV_TETRAHEDRON) slip(c, edge);
  if (trail_length(c) > (size_t)c->begin) sweep_on(c, edge);
  else push_edge(c, edge, -1);
}

static void cautery_event(dvObject *o, const dvEvent *event)
{
  Cautery *c = (Cautery *)o;
  if (c->mesh->base.failed || c->tool->count < 2 || c->tool->count > MOST_EDGE) return;
  if (dv_switch_key(event, c->key)) {
    c->active = !c->active;
    dv_touch(o, &c->active);
  }
  if (event->kind == DV_EVENT_ANIMATE_BEGIN) {
    if (c->wants && !c->on) c->strokes++;
    if (!c->wants && c->met) c->burnt++, c->met = false;
    c->on = c->wants;
    burn(c);
    c->met = c->met || c->burning;
    dv_touch(o, &c->burning), dv_touch(o, &c->line), dv_touch(o, &c->strokes), dv_touch(o, &c->burnt);
    dv_touch(o, &c->cuts);
    dv_touch(o, &c->area), dv_touch(o, &c->quality);
  }
  // a step ahead, so that who wants to undo a stroke knows of it before
  if (event->kind == DV_EVENT_ANIMATE_END || dv_switch_key(event, c->key))
    c->wants = dv_switch_is_on(&c->switched, c->active, o->node->time);
}

// --- set-up --------------------------------------------------------------------------------------

static double mean_edge(const Cautery *c)
{
  const dvInts *list = dv_topology_elements(c->mesh, c->kind);
  const double *x = dv_state_read(c->body, DV_X_REST);
  size_t n = (size_t)dv_element_points(c->kind), count = list->count / n;
  double sum = 0;
  for (size_t i = 0; i < count; i++) {
    const int32_t *e = list->data + n * i;
    sum += side(x + 3 * (size_t)e[0], x + 3 * (size_t)e[1]) + side(x + 3 * (size_t)e[0], x + 3 * (size_t)e[3]);
  }
  return sum / (2 * (double)count);
}

static dvStatus cautery_init(dvObject *o)
{
  Cautery *c = (Cautery *)o;
  DV_TRY(dv_state_of_mesh(o, &c->topology, &c->mesh, &c->body));
  c->kind = dv_topology_count(c->mesh, DV_TETRAHEDRON) ? DV_TETRAHEDRON : DV_HEXAHEDRON;
  if (!dv_topology_count(c->mesh, c->kind))
    return dv_error(o, "name a topology with tetrahedra or hexahedra", "%s has neither", c->mesh->base.name);
  if (!dv_mesh_may_change(c->mesh, o)) return DV_ERROR_INPUT;
  if (!c->edge.target || !dv_plays(c->edge.target, DV_ROLE_STATE) || c->edge.target->dof->coord != 3)
    return dv_field_error(o, &c->edge, "give edge=\"@path\" of a MechanicalObject of Vec3 on the tool",
                          "a cautery needs the points of its edge");
  DV_TRY(dv_object_ensure(c->edge.target));
  c->tool = dv_state(c->edge.target);
  if (c->tool == c->body) return dv_field_error(o, &c->edge, NULL, "the tissue cannot burn itself");
  if (c->tool->count < 2 || c->tool->count > MOST_EDGE)
    return dv_field_error(o, &c->edge, "two to 64 points, from one end to the other", "the edge of %s has %zu points",
                          c->tool->base.name, c->tool->count);
  DV_TRY(dv_switch_init(&c->switched, o, &c->driver, &c->button, &c->times));
  if (!(c->step >= 0) || !(c->least >= 0) || !(c->groove >= 0) || !(c->crumbs >= 0) || c->most < 1)
    return dv_error(o, "step, least, groove and crumbs are at least 0, most 1",
                    "a cautery cannot have step %g, least %g, groove %g, crumbs %g, most %d", c->step, c->least,
                    c->groove, c->crumbs, c->most);
  c->length = mean_edge(c);
  c->wants = dv_switch_is_on(&c->switched, c->active, o->node->time);
  return DV_OK;
}

static bool cautery_restored(dvObject *o)
{
  Cautery *c = (Cautery *)o;
  size_t numbers = 3 * edge_points(c) * c->from.count;
  if (c->trail.count != numbers || c->seen.count != numbers) return false;
  if (c->begin < 0 || (size_t)c->begin > c->from.count) return false;
  for (size_t i = 0; i < c->from.count; i++)
    if (c->from.data[i] < -1 || c->from.data[i] >= (int32_t)i) return false;
  return true;
}

static void cautery_destroy(dvObject *o)
{
  Cautery *c = (Cautery *)o;
  dv_array_free(&c->trail), dv_array_free(&c->seen), dv_array_free(&c->from);
}

typedef struct Search {
  dvVisitor visitor;
  bool begins;
} Search;

static dvWalk look_at(dvVisitor *v, dvNode *node)
{
  for (size_t i = 0; i < node->objects.count; i++) {
    const dvObject *o = node->objects.data[i];
    if (o->cls != &dv_cautery_class || o->failed) continue;
    const Cautery *c = (const Cautery *)o;
    if (c->wants && !c->on) ((Search *)v)->begins = true;
  }
  return DV_WALK_ON;
}

bool dv_cautery_begins(dvScene *scene)
{
  Search s = {.visitor = {.top_down = look_at}};
  dv_visit(scene->root, &s.visitor);
  return s.begins;
}

const dvClass dv_cautery_class = {
    .struct_size = sizeof(dvClass),
    .name = "Cautery",
    .help = "the edge of a tool that burns its way through tetrahedra or hexahedra",
    .module = "Anatomy",
    .roles = DV_PLAYS(DV_ROLE_TOPOLOGY_TOOL),
    .size = sizeof(Cautery),
    .blocks = {&dv_object_block, DV_BLOCK(cautery_fields)},
    .presets = "listening=1",
    .bwd_init = cautery_init,
    .handle_event = cautery_event,
    .restored = cautery_restored,
    .destroy = cautery_destroy,
    DV_MEMORY(cautery_memory),
};
