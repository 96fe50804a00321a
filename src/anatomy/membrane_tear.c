// MembraneTear: tears that run through a membrane by a criterion of fracture, from tips that it follows.
//
// After each step the stresses around every tip are fitted (tear_tip.h). Where their intensity exceeds the toughness
// the tear goes on, in the direction of the largest stress across it, to the far edge of the triangle ahead; the mesh
// is cut in its shape at rest, so that a tear goes the same way whether its flap lies flat or is folded over. One
// triangle a step: then the membrane finds its new balance. A tip that comes to the border ends there, and the membrane
// may fall apart. New tips come from tools that pierce (SharpTip), or are given.
//
// No triangle becomes a sliver: where cutting would leave one, or an edge shorter than `least`, the tear takes the
// nearer end of the edge ahead instead. Two tears that come near each other meet there; without that they would halve
// the angle between them for ever.
#include "anatomy/membrane_tear.h"

#include "anatomy/register.h"
#include "topology/search/surface.h"

#include <math.h>

#define MEMBRANE_TEAR_FIELDS(X)                                                                                        \
  X(link, topology, "", "", "triangles that tear; the mesh of the node or above by default", .role = DV_ROLE_TOPOLOGY) \
  X(link, forceField, "", "",                                                                                          \
    "force with youngModulus and poissonRatio, for stresses; the first one of the node that has them by default",      \
    .role = DV_ROLE_FORCE)                                                                                             \
  X(real, toughness, "1e4", "Pa m^1/2", "intensity of the stress above which tears go on", .least = "0")               \
  X(real, reach, "0", "m", "how far around a tip stresses are looked at; 0: three edges", .least = "0")                \
  X(real, snap, "0.25", "", "share of an edge within which a tear takes its end", .least = "0.01", .most = "0.45")     \
  X(real, least, "0", "m", "no edge is cut into shorter pieces; 0: a twentieth of the mean edge", .least = "0")        \
  X(int, maxPerStep, "1", "", "triangles that one tear goes through in a step", .least = "1", .most = "100")           \
  X(indices, tips, "", "", "points where tears end inside of the membrane")                                            \
  X(int, advances, "0", "", "triangles that tears went through", .flags = DV_READ_ONLY)                                \
  X(real, length, "0", "m", "of all tears, at rest", .flags = DV_READ_ONLY)                                            \
  X(real, intensity, "0", "Pa m^1/2", "the largest of the last step", .flags = DV_READ_ONLY)                           \
  X(vec3, tip, "0 0 0", "m", "the tip that tore last, as it lies now", .flags = DV_READ_ONLY)

typedef struct MembraneTear {
  dvObject base;
  MEMBRANE_TEAR_FIELDS(DV_MEMBER)
  dvMembrane m;
  double edge;   // mean length at rest
  dvTearScratch scratch;
  dvElementList *followed;
  int32_t last;   // the tip that tore last
} MembraneTear;

#define SELF MembraneTear
static const dvFieldDesc membrane_tear_fields[] = {MEMBRANE_TEAR_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc membrane_tear_memory[] = {DV_REMEMBER(ints, tips) DV_REMEMBER(numbers, advances) DV_REMEMBER(
    numbers, length) DV_REMEMBER(numbers, intensity) DV_REMEMBER(numbers, tip) DV_REMEMBER(numbers, last)};
#undef SELF

static dvVec3 at_rest(const MembraneTear *t, int32_t point)
{
  return dv_vec3_load(dv_state_read(t->m.state, DV_X_REST) + 3 * (size_t)point);
}

static const double *rest_positions(void *user) { return dv_state_read(((MembraneTear *)user)->m.state, DV_X_REST); }

static double reach_of(const MembraneTear *t) { return t->reach > 0 ? t->reach : 3 * t->edge; }

// --- tips ----------------------------------------------------------------------------------------

static void set_tip(MembraneTear *t, size_t k, int32_t point)
{
  dvInts *list = &t->tips;
  size_t count = list->count;
  if (point < 0) {
    dv_ints_edit(list)[k] = list->data[count - 1];
    if (!dv_ints_resize(list, count - 1)) t->base.failed = true;
  } else if (k < count) {
    dv_ints_edit(list)[k] = point;
  } else if (dv_ints_resize(list, count + 1)) {
    dv_ints_edit(list)[count] = point;
  }
  dv_element_list_forget(t->followed);
  dv_touch(&t->base, list);
}

static bool on_border(const MembraneTear *t, int32_t point)
{
  for (int32_t at = dv_topology_first_at(t->m.mesh, DV_TRIANGLE, point); at >= 0;
       at = dv_topology_next_at(t->m.mesh, DV_TRIANGLE, at)) {
    const int32_t *c = dv_topology_list(t->m.mesh, DV_TRIANGLE)->data + at / 3 * 3;
    for (int k = 1; k < 3; k++)
      if (dv_membrane_is_border(&t->m, point, c[(at + k) % 3])) return true;
  }
  return false;
}

// How cuts go. The worst shape that they leave (dv_triangle_roundness) makes matrices some ten times stiffer.
static dvIncision incision(MembraneTear *t, double snap)
{
  double least = t->least > 0 ? t->least : 0.05 * t->edge;
  return (dvIncision){&t->base, rest_positions, t, snap, snap, least, 0.1};
}

// Whether all triangles around a point stay what they are, at a quarter of their area at least and no slivers, when it
// moves.
static bool can_move(const MembraneTear *t, int32_t point, dvVec3 to, double worst)
{
  for (int32_t at = dv_topology_first_at(t->m.mesh, DV_TRIANGLE, point); at >= 0;
       at = dv_topology_next_at(t->m.mesh, DV_TRIANGLE, at)) {
    const int32_t *c = dv_topology_list(t->m.mesh, DV_TRIANGLE)->data + at / 3 * 3;
    dvVec3 p = at_rest(t, c[(at + 1) % 3]), q = at_rest(t, c[(at + 2) % 3]), edge = dv_vec3_sub(q, p);
    dvVec3 before = dv_vec3_cross(edge, dv_vec3_sub(at_rest(t, point), p)),
           after = dv_vec3_cross(edge, dv_vec3_sub(to, p));
    if (!(dv_vec3_dot(before, after) > 0.25 * dv_vec3_norm2(before)) || dv_triangle_roundness(to, p, q) < worst)
      return false;
  }
  return true;
}

// The point of the edge ahead that the tear takes, -1 for a new one at a->share, which may be moved. False when there
// is no way to cut.
static bool choose_point(MembraneTear *t, int32_t from, dvAheadOnMembrane *a, int32_t *met)
{
  dvIncision how = incision(t, t->snap);
  bool border[2] = {dv_membrane_is_border(&t->m, from, a->p), dv_membrane_is_border(&t->m, from, a->q)};
  bool second = a->share > 0.5, near = a->share <= t->snap || a->share >= 1 - t->snap;
  // along the border nothing would be cut: beside it then
  if (near && border[second]) {
    dvVec3 p = at_rest(t, a->p);
    a->share = second ? 1 - t->snap : t->snap;
    a->meets = dv_vec3_add_scaled(p, dv_vec3_sub(at_rest(t, a->q), p), a->share);
  }
  near = near && !border[second];
  if (!near && dv_mesh_split_is_poor(t->m.mesh, &how, a->p, a->q, a->share)) {
    if (border[second]) second = !second;
    if (border[second]) return false;
    near = true;
  }
  *met = !near ? -1 : second ? a->q : a->p;
  return true;
}

// One triangle on; false when nothing is ahead.
static bool advance(MembraneTear *t, size_t k, dvVec3 way)
{
  int32_t point = t->tips.data[k], met;
  dvAheadOnMembrane a = dv_membrane_ahead(&t->m, DV_X_REST, point, way);
  if (a.triangle < 0 || dv_topology_first_change(t->m.mesh) != DV_OK || !choose_point(t, point, &a, &met)) return false;
  dvIncision how = incision(t, 1e-3);
  bool ends = met >= 0 ? on_border(t, met) : dv_membrane_is_border(&t->m, a.p, a.q);
  // a point inside that is nearly met comes to where it is: the tear keeps its way, and no sliver is made
  if (met >= 0 && !ends && can_move(t, met, a.meets, how.worst)) {
    int32_t offsets[2] = {0, 2}, ancestors[2] = {a.p, a.q};
    double shares[2] = {1 - a.share, a.share};
    if (dv_mesh_move_points(t->m.mesh, &met, 1, (dvOrigin){offsets, ancestors, shares}) != DV_OK) return false;
  }
  dvVec3 from = at_rest(t, point), to = met >= 0 ? at_rest(t, met) : a.meets;
  double corners[6];
  dv_vec3_store(corners, from), dv_vec3_store(corners + 3, to);
  int32_t told[2] = {a.triangle, a.triangle}, fresh = (int32_t)dv_topology_point_count(t->m.mesh);
  size_t doubled = 0;
  how.least = how.worst = 0;   // what is left has been looked at
  if (dv_mesh_incise(t->m.mesh, &how, corners, told, 2, &doubled) != DV_OK || !doubled) return false;
  t->last = met >= 0 ? met : fresh;
  t->length += dv_vec3_norm(dv_vec3_sub(to, from));
  t->advances++;
  set_tip(t, k, ends ? -1 : t->last);
  return true;
}

static void tear_on(MembraneTear *t)
{
  t->intensity = 0;
  for (size_t k = 0; k < t->tips.count; k++)
    for (int i = 0; i < t->maxPerStep && k < t->tips.count; i++) {
      dvTearTip tip;
      size_t count = t->tips.count;
      if (!dv_tear_way(&t->m, t->tips.data[k], 1.5 * t->edge, &tip) ||
          !dv_tear_fit(&t->m, t->tips.data[k], reach_of(t), &t->scratch, &tip))
        break;
      t->intensity = dv_max(t->intensity, tip.intensity);
      if (!(tip.intensity > t->toughness)) break;
      dvVec3 way = dv_vec3_add(dv_vec3_scale(tip.way, cos(tip.angle)), dv_vec3_scale(tip.side, sin(tip.angle)));
      if (!advance(t, k, way) || t->tips.count < count) break;
    }
}

static void show(MembraneTear *t)
{
  dvObject *o = &t->base;
  if (t->last >= 0 && (size_t)t->last < t->m.state->count)
    memcpy(t->tip, dv_state_read(t->m.state, DV_X) + 3 * (size_t)t->last, sizeof t->tip);
  dv_touch(o, &t->advances), dv_touch(o, &t->length), dv_touch(o, &t->intensity), dv_touch(o, &t->tip);
}

static void membrane_tear_event(dvObject *o, const dvEvent *event)
{
  MembraneTear *t = (MembraneTear *)o;
  if (event->kind != DV_EVENT_ANIMATE_END || !o->listening || t->m.mesh->base.failed) return;
  unsigned before = t->m.mesh->revision;
  tear_on(t);
  if (t->m.mesh->revision != before) dv_topology_end_changes(t->m.mesh);
  show(t);
}

// --- for tools -----------------------------------------------------------------------------------

dvMembrane *dv_membrane_tear_membrane(dvObject *o) { return &((MembraneTear *)o)->m; }
double dv_membrane_tear_edge(const dvObject *o) { return ((const MembraneTear *)o)->edge; }

static int32_t nearest_on_border(const MembraneTear *t, dvVec3 place)
{
  int32_t best = -1;
  double nearest = INFINITY;
  for (size_t i = 0; i < t->m.state->count; i++) {
    double d = dv_vec3_norm2(dv_vec3_sub(at_rest(t, (int32_t)i), place));
    if (d < nearest && on_border(t, (int32_t)i)) nearest = d, best = (int32_t)i;
  }
  return best;
}

bool dv_membrane_tear_open(dvObject *o, dvVec3 place, dvVec3 along, double length)
{
  MembraneTear *t = (MembraneTear *)o;
  double corners[9];
  size_t doubled = 0;
  for (int k = 0; k < 3; k++) dv_vec3_store(corners + 3 * k, dv_vec3_add_scaled(place, along, 0.5 * length * (k - 1)));
  dvIncision how = incision(t, t->snap);
  unsigned before = t->m.mesh->revision;
  if (dv_mesh_incise(t->m.mesh, &how, corners, NULL, 3, &doubled) != DV_OK || !doubled) {
    if (t->m.mesh->revision != before) dv_topology_end_changes(t->m.mesh);
    return false;
  }
  dvVec3 ends[2] = {place, place};
  for (int k = 0; k < 2; k++) {
    int32_t end = nearest_on_border(t, dv_vec3_load(corners + 6 * k));
    if (end < 0) continue;
    set_tip(t, t->tips.count, end);
    t->last = end, ends[k] = at_rest(t, end);
  }
  t->length += dv_vec3_norm(dv_vec3_sub(ends[1], ends[0]));
  dv_topology_end_changes(t->m.mesh);
  show(t);
  return true;
}

bool dv_membrane_tear_lead(dvObject *o, dvVec3 place, double reach)
{
  MembraneTear *t = (MembraneTear *)o;
  size_t nearest = t->tips.count;
  double far = reach;
  for (size_t k = 0; k < t->tips.count; k++) {
    dvTearTip tip;
    dvVec3 to = dv_vec3_sub(place, at_rest(t, t->tips.data[k]));
    double d = dv_vec3_norm(to);
    // a blade that is in the opening cuts nothing
    if (!(d < far) || !dv_tear_way(&t->m, t->tips.data[k], 1.5 * t->edge, &tip)) continue;
    if (dv_vec3_dot(to, tip.way) > -0.3 * d) far = d, nearest = k;
  }
  if (nearest == t->tips.count || far < 0.5 * t->edge) return false;
  dvVec3 way = dv_vec3_normalise(dv_vec3_sub(place, at_rest(t, t->tips.data[nearest])));
  unsigned before = t->m.mesh->revision;
  bool went = advance(t, nearest, way);
  if (t->m.mesh->revision != before) dv_topology_end_changes(t->m.mesh);
  show(t);
  return went;
}

// --- set-up --------------------------------------------------------------------------------------

static double mean_edge(const MembraneTear *t)
{
  const dvInts *list = dv_topology_elements(t->m.mesh, DV_TRIANGLE);
  double sum = 0;
  for (size_t i = 0; i < list->count; i++)
    sum += dv_vec3_norm(dv_vec3_sub(at_rest(t, list->data[i]), at_rest(t, list->data[i % 3 == 2 ? i - 2 : i + 1])));
  return list->count ? sum / (double)list->count : 0;
}

static dvStatus membrane_tear_init(dvObject *o)
{
  MembraneTear *t = (MembraneTear *)o;
  DV_TRY(dv_state_of_mesh(o, &t->topology, &t->m.mesh, &t->m.state));
  if (!dv_topology_count(t->m.mesh, DV_TRIANGLE) || dv_topology_count(t->m.mesh, DV_TETRAHEDRON))
    return dv_error(o, "name a mesh of triangles", "MembraneTear tears surfaces, and %s has %s", t->m.mesh->base.name,
                    dv_topology_count(t->m.mesh, DV_TETRAHEDRON) ? "volumes" : "no triangles");
  if (!dv_mesh_may_change(t->m.mesh, o)) return DV_ERROR_INPUT;
  if (!(t->toughness > 0) || !(t->reach >= 0) || !(t->least >= 0) || !(t->snap > 0 && t->snap < 0.5) ||
      t->maxPerStep < 1)
    return dv_error(o,
                    "toughness is above 0, reach and least at least 0, snap from 0.01 to 0.45, maxPerStep at least 1",
                    "MembraneTear cannot tear with toughness %g, reach %g, least %g, snap %g, %d a step", t->toughness,
                    t->reach, t->least, t->snap, t->maxPerStep);
  DV_TRY(dv_check_indices(o, &t->tips, t->m.state->count, "points"));
  t->followed = dv_follow_list(o, t->m.mesh, DV_POINT, &t->tips);
  t->edge = mean_edge(t);
  t->last = t->tips.count ? t->tips.data[t->tips.count - 1] : -1;
  return dv_membrane_material(&t->m, o, t->forceField.target, "MembraneTear needs a force", "");
}

static bool membrane_tear_restored(dvObject *o)
{
  MembraneTear *t = (MembraneTear *)o;
  for (size_t i = 0; i < t->tips.count; i++)
    if (t->tips.data[i] < 0 || (size_t)t->tips.data[i] >= t->m.state->count) return false;
  dv_element_list_forget(t->followed);
  return true;
}

static void membrane_tear_destroy(dvObject *o) { dv_array_free(&((MembraneTear *)o)->scratch); }

const dvClass dv_membrane_tear_class = {
    .struct_size = sizeof(dvClass),
    .name = "MembraneTear",
    .help = "lets tears run through a membrane where the stress at their tips exceeds its toughness",
    .module = "Anatomy",
    .roles = DV_PLAYS(DV_ROLE_TOPOLOGY_TOOL),
    .size = sizeof(MembraneTear),
    .blocks = {&dv_object_block, DV_BLOCK(membrane_tear_fields)},
    .presets = "listening=1",
    .bwd_init = membrane_tear_init,
    .handle_event = membrane_tear_event,
    .restored = membrane_tear_restored,
    .destroy = membrane_tear_destroy,
    DV_MEMORY(membrane_tear_memory),
};
