// VesselCutter: beams inside of tetrahedra or hexahedra end where these are cut.
//
// After a change of the tetrahedra each beam is followed at rest, where it is straight, from tetrahedron to
// tetrahedron: barycentric coordinates b of its ends in one of them are linear along it, and it leaves through the face
// whose coordinate is the first to fall to 0. Where no tetrahedron is behind that face the beam is cut: its edge goes,
// and with it its force; frames stay where they are. A beam that leaves the organ from the beginning, in a hollow of
// it, is cut when its ends are in two parts. Hexahedra lie above each other after a cut: there a beam is followed over
// cells that share a face, from the one that carries its first frame to the one that carries its last.
//
// What is left of a cut beam at both of its frames are stumps: `stumps` tells where their ends are, so that they bleed.
#include "anatomy/parts.h"
#include "anatomy/register.h"
#include "mapping/linear/barycentric.h"
#include "math/vec.h"
#include "mechanics/component.h"
#include "state/state.h"
#include "topology/change/follow.h"
#include "topology/change/modify.h"
#include "topology/search/locate.h"
#include "topology/search/surface.h"

#include <math.h>
#include <stdlib.h>

#define CUTTER_FIELDS(X)                                                                                        \
  X(link, organ, "", "", "tetrahedra or hexahedra around the beams; the topology of the node above by default", \
    .role = DV_ROLE_TOPOLOGY)                                                                                   \
  X(link, topology, "", "", "topology whose edges are the beams; the one of the node by default",               \
    .role = DV_ROLE_TOPOLOGY)                                                                                   \
  X(int, cut, "0", "", "beams that were cut so far", .flags = DV_READ_ONLY)                                     \
  X(int, beams, "0", "", "beams that are left", .flags = DV_READ_ONLY)                                          \
  X(vec3s, stumps, "", "m", "where beams end that were cut, two for each", .flags = DV_READ_ONLY)

typedef struct Cutter {
  dvObject base;
  CUTTER_FIELDS(DV_MEMBER)
  dvTopology *mesh, *lines;
  dvState *points, *frames;
  dvPool *pool;
  unsigned seen;             // revision of the tetrahedra that was looked at last
  DV_ARRAY(uint64_t) bare;   // both frames of beams that leave the organ from the beginning, ascending
  dvElementKind kind;        // of the organ
  dvObject *mapping;         // of hexahedra: carries the frames
  // remembered
  DV_ARRAY(int32_t) stump_frame;
  DV_ARRAY(double) stump_end;   // in the axes of that frame
} Cutter;

#define SELF Cutter
static const dvFieldDesc cutter_fields[] = {CUTTER_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc cutter_memory[] = {DV_REMEMBER(numbers, cut) DV_REMEMBER(numbers, beams) DV_REMEMBER(
    reals, stumps) DV_REMEMBER(array, stump_frame) DV_REMEMBER(array, stump_end)};
#undef SELF

// what is needed to follow beams, made anew for each change
typedef struct Way {
  const dvInts *elements;
  size_t width;   // points of each
  const double *x;
  int32_t *neighbour, *part;
  dvLocation *at;   // of each frame
} Way;

static void way_free(Way *w)
{
  dv_free(w->neighbour);
  dv_free(w->part);
  dv_free(w->at);
}

static dvVec3 frame_at_rest(const Cutter *c, int32_t frame)
{
  return dv_vec3_load(dv_state_read(c->frames, DV_X_REST) + 7 * (size_t)frame);
}

// of cells that lie above each other, those that carry the frames
static void take_places(const Cutter *c, Way *w, size_t frames)
{
  dvPlaceInCell *places = dv_alloc((frames + 1) * sizeof *places);
  dv_barycentric_places(c->mapping, places, frames);
  for (size_t i = 0; i < frames; i++)
    if (places[i].hexahedron >= 0) w->at[i].element = places[i].hexahedron;
  dv_free(places);
}

static bool way_make(const Cutter *c, Way *w)
{
  *w = (Way){.elements = dv_topology_elements(c->mesh, c->kind),
             .width = (size_t)dv_element_points(c->kind),
             .x = dv_state_read(c->points, DV_X_REST)};
  size_t count = w->elements->count / w->width, frames = c->frames->count;
  double *x = dv_try_alloc(3 * frames * sizeof *x + 1);
  w->neighbour = dv_try_alloc(4 * count * sizeof(int32_t) + 1);
  w->part = dv_try_alloc(count * sizeof(int32_t) + 1);
  w->at = dv_try_alloc(frames * sizeof *w->at + 1);
  bool good = x && w->neighbour && w->part && w->at &&
              (c->kind != DV_TETRAHEDRON || dv_tetra_neighbours(w->elements, w->neighbour)) &&
              dv_mesh_parts(w->elements, w->width, c->points->count, w->part) >= 0;
  for (size_t i = 0; good && i < frames; i++) dv_vec3_store(x + 3 * i, frame_at_rest(c, (int32_t)i));
  if (good) {
    dvLocateDef def = {.x = w->x, .lists = {{c->kind, w->elements->data, count}}};
    dv_locate(&def, c->pool, x, frames, w->at);
    if (c->mapping) take_places(c, w, frames);
  }
  dv_free(x);
  if (!good) way_free(w);
  return good;
}

// the face through which the line leaves a tetrahedron, -1 when it ends there; not the one it came through
static int leaves_by(const double from[4], const double to[4], int came)
{
  int face = -1;
  double first = INFINITY;
  for (int k = 0; k < 4; k++) {
    if (k == came || !(to[k] < -1e-9) || !(to[k] < from[k])) continue;
    double part = from[k] / (from[k] - to[k]);
    if (part < first) first = part, face = k;
  }
  return face;
}

// how far along it a beam stays in tetrahedra, as a share; 2: all the way
static double way_in_tetrahedra(const Way *w, dvVec3 from, dvVec3 to, int32_t tetrahedron)
{
  int32_t before = -1;
  double share = 0;
  for (int n = 0; n < 10000 && tetrahedron >= 0; n++) {
    const int32_t *t = w->elements->data + 4 * (size_t)tetrahedron;
    double a[4], b[4];
    if (!dv_element_coordinates(DV_TETRAHEDRON, w->x, t, from, a) ||
        !dv_element_coordinates(DV_TETRAHEDRON, w->x, t, to, b))
      return 2;   // an element without volume tells nothing
    int came = -1;
    for (int k = 0; k < 4 && before >= 0; k++)
      if (w->neighbour[4 * tetrahedron + k] == before) came = k;
    int face = leaves_by(a, b, came);
    if (face < 0) return 2;
    share = dv_max(share, dv_min(a[face] / (a[face] - b[face]), 1));
    before = tetrahedron;
    tetrahedron = w->neighbour[4 * tetrahedron + face];
  }
  return share;
}

typedef DV_ARRAY(int32_t) Cells;

static bool has(const Cells *list, int32_t cell)
{
  for (size_t i = 0; i < list->count; i++)
    if (list->data[i] == cell) return true;
  return false;
}

static bool share_a_face(const Way *w, int32_t a, int32_t b)
{
  const int32_t *p = w->elements->data + 8 * (size_t)a, *q = w->elements->data + 8 * (size_t)b;
  int common = 0;
  for (int i = 0; i < 8; i++)
    for (int k = 0; k < 8; k++) common += p[i] == q[k];
  return common >= 4;
}

// at rest cells are boxes along the axes, or nearly so: a place lies in one when it lies between its corners
static bool lies_in(const Way *w, int32_t cell, dvVec3 p)
{
  const int32_t *e = w->elements->data + 8 * (size_t)cell;
  dvVec3 low = dv_vec3_load(w->x + 3 * (size_t)e[0]), high = low;
  for (int k = 1; k < 8; k++) {
    const double *x = w->x + 3 * (size_t)e[k];
    low = dv_vec3(dv_min(low.x, x[0]), dv_min(low.y, x[1]), dv_min(low.z, x[2]));
    high = dv_vec3(dv_max(high.x, x[0]), dv_max(high.y, x[1]), dv_max(high.z, x[2]));
  }
  double slack = 1e-6 * (high.x - low.x);
  return p.x >= low.x - slack && p.x <= high.x + slack && p.y >= low.y - slack && p.y <= high.y + slack &&
         p.z >= low.z - slack && p.z <= high.z + slack;
}

// cells at a place that are among those of before or share a face with one; whether there is any cell at all
static bool go_on(const Way *w, dvVec3 p, const Cells *before, Cells *after)
{
  bool any = false;
  after->count = 0;
  for (int32_t i = 0; i < (int32_t)(w->elements->count / 8); i++) {
    if (!lies_in(w, i, p)) continue;
    any = true;
    bool reached = has(before, i);
    for (size_t k = 0; k < before->count && !reached; k++) reached = share_a_face(w, i, before->data[k]);
    if (reached) dv_push(after, i);
  }
  return any;
}

// the same in cells: from the one of the first frame to the one of the last
static double way_in_cells(const Way *w, dvVec3 from, dvVec3 to, int32_t first, int32_t last)
{
  const int32_t *e = w->elements->data + 8 * (size_t)first;
  dvVec3 way = dv_vec3_sub(to, from),
         across = dv_vec3_sub(dv_vec3_load(w->x + 3 * (size_t)e[6]), dv_vec3_load(w->x + 3 * (size_t)e[0]));
  double steps = dv_min(ceil(14 * dv_vec3_norm(way) / dv_max(dv_vec3_norm(across), 1e-30)) + 1, 2000);
  Cells here = {0}, next = {0};
  double share = 2;
  dv_push(&here, first);
  for (double k = 1; k <= steps && share > 1; k++) {
    bool any = go_on(w, dv_vec3_add_scaled(from, way, k / steps), &here, &next);
    if (any && !next.count) share = (k - 0.5) / steps;
    if (!next.count) continue;   // outside of the organ it waits
    Cells swap = here;
    here = next, next = swap;
  }
  if (share > 1 && !has(&here, last)) share = 0.5;   // it arrives in another cell at the same place
  dv_array_free(&here), dv_array_free(&next);
  return share;
}

static double way_inside(const Cutter *c, const Way *w, int32_t from, int32_t to)
{
  dvVec3 a = frame_at_rest(c, from), b = frame_at_rest(c, to);
  int32_t first = w->at[from].element, last = w->at[to].element;
  if (first < 0 || last < 0) return 0;
  return c->kind == DV_TETRAHEDRON ? way_in_tetrahedra(w, a, b, first) : way_in_cells(w, a, b, first, last);
}

static uint64_t key_of(const int32_t *edge) { return (uint64_t)(uint32_t)edge[0] << 32 | (uint32_t)edge[1]; }

static bool was_bare(const Cutter *c, const int32_t *edge)
{
  size_t low = 0, high = c->bare.count;
  uint64_t key = key_of(edge);
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (c->bare.data[middle] < key) low = middle + 1;
    else high = middle;
  }
  return low < c->bare.count && c->bare.data[low] == key;
}

static bool is_cut(const Cutter *c, const Way *w, const int32_t *edge)
{
  int32_t a = w->at[edge[0]].element, b = w->at[edge[1]].element;
  if (a < 0 || b < 0) return true;
  if (w->part[a] != w->part[b]) return true;
  return !was_bare(c, edge) && way_inside(c, w, edge[0], edge[1]) < 2;
}

static int ascending(const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

// --- stumps --------------------------------------------------------------------------------------

static void add_stump(Cutter *c, const Way *w, int32_t frame, int32_t other)
{
  double share = way_inside(c, w, frame, other);
  dvVec3 way = dv_vec3_sub(frame_at_rest(c, other), frame_at_rest(c, frame));
  dvQuat turn = dv_quat_load(dv_state_read(c->frames, DV_X_REST) + 7 * (size_t)frame + 3);
  // one that left the organ all along ends somewhere between its frames
  dvVec3 end = dv_quat_inverse_rotate(turn, dv_vec3_scale(way, share > 1 ? 0.5 : share));
  dv_push(&c->stump_frame, frame);
  dv_push(&c->stump_end, end.x), dv_push(&c->stump_end, end.y), dv_push(&c->stump_end, end.z);
}

static void move_stumps(Cutter *c)
{
  const double *x = dv_state_read(c->frames, DV_X);
  if (!dv_reals_resize(&c->stumps, 3 * c->stump_frame.count)) return;
  double *out = dv_reals_edit(&c->stumps);
  for (size_t i = 0; i < c->stump_frame.count; i++) {
    const double *f = x + 7 * (size_t)c->stump_frame.data[i];
    dvVec3 end = dv_quat_rotate(dv_quat_load(f + 3), dv_vec3_load(c->stump_end.data + 3 * i));
    dv_vec3_store(out + 3 * i, dv_vec3_add(dv_vec3_load(f), end));
  }
  dv_touch(&c->base, &c->stumps);
}

// --- when ----------------------------------------------------------------------------------------

static void cut_beams(Cutter *c)
{
  dvObject *o = &c->base;
  Way w;
  if (!way_make(c, &w)) {
    dv_warning(o, NULL, "out of memory: beams are not cut");
    return;
  }
  const dvInts *edges = dv_topology_elements(c->lines, DV_EDGE);
  DV_ARRAY(int32_t) gone = {0};
  for (size_t i = 0; i < edges->count / 2; i++)
    if (is_cut(c, &w, edges->data + 2 * i)) dv_push(&gone, (int32_t)i);
  for (size_t i = 0; i < gone.count; i++) {
    const int32_t *e = edges->data + 2 * (size_t)gone.data[i];
    add_stump(c, &w, e[0], e[1]), add_stump(c, &w, e[1], e[0]);
  }
  way_free(&w);
  if (gone.count && dv_topology_first_change(c->lines) == DV_OK &&
      dv_mesh_remove(c->lines, DV_EDGE, gone.data, gone.count, DV_KEEP_ISOLATED) == DV_OK) {
    c->cut += (int)gone.count;
    dv_topology_end_changes(c->lines);
  }
  dv_array_free(&gone);
  c->beams = (int)dv_topology_count(c->lines, DV_EDGE);
  dv_touch(o, &c->cut), dv_touch(o, &c->beams);
}

static void cutter_event(dvObject *o, const dvEvent *event)
{
  Cutter *c = (Cutter *)o;
  if (event->kind != DV_EVENT_ANIMATE_END || c->mesh->base.failed || c->lines->base.failed) return;
  if (c->seen != c->mesh->revision) cut_beams(c);
  c->seen = c->mesh->revision;
  if (c->stump_frame.count) move_stumps(c);
}

// a snapshot or a reset brings the mesh with it; beams that it cuts are gone already
static bool cutter_restored(dvObject *o)
{
  Cutter *c = (Cutter *)o;
  c->seen = c->mesh->revision;
  if (c->stump_end.count != 3 * c->stump_frame.count) return false;
  for (size_t i = 0; i < c->stump_frame.count; i++)
    if (c->stump_frame.data[i] < 0 || (size_t)c->stump_frame.data[i] >= c->frames->count) return false;
  return true;
}

static dvTopology *find_topology(dvObject *o, const dvLink *link, dvNode *from)
{
  dvObject *found = link->target ? link->target : from ? dv_node_find_up(from, DV_ROLE_TOPOLOGY) : NULL;
  DV_UNUSED(o);
  return found ? dv_topology(found) : NULL;
}

static dvState *state_of(dvTopology *t, int width)
{
  dvObject *state = dv_node_find_up(t->base.node, DV_ROLE_STATE);
  return state && state->dof->coord == width ? dv_state(state) : NULL;
}

static dvStatus find_all(Cutter *c)
{
  dvObject *o = &c->base;
  dvNode *above = o->node->parents.count ? o->node->parents.data[0] : NULL;
  c->lines = find_topology(o, &c->topology, o->node);
  c->mesh = find_topology(o, &c->organ, above);
  if (!c->lines || !dv_topology_count(c->lines, DV_EDGE))
    return dv_error(o, "add an EdgeSetTopologyContainer with the beams to the node", "VesselCutter finds no beams");
  c->kind = c->mesh && dv_topology_count(c->mesh, DV_TETRAHEDRON) ? DV_TETRAHEDRON : DV_HEXAHEDRON;
  if (!c->mesh || !dv_topology_count(c->mesh, c->kind))
    return dv_error(o, "give organ=\"@path\" of a topology with tetrahedra or hexahedra",
                    "VesselCutter finds no tetrahedra or hexahedra");
  c->frames = state_of(c->lines, 7);
  c->points = state_of(c->mesh, 3);
  if (!c->frames) return dv_error(o, "add a MechanicalObject of Rigid3 to the node", "the beams have no frames");
  if (!c->points || c->points->topology != c->mesh)
    return dv_error(o, "add a MechanicalObject of Vec3 to their node", "the organ has no points that move");
  for (size_t i = 0; i < o->node->objects.count && c->kind == DV_HEXAHEDRON; i++) {
    dvObject *other = o->node->objects.data[i];
    const dvMapping *m = dv_object_ensure(other) == DV_OK ? dv_barycentric_from(other, c->mesh) : NULL;
    if (m && m->out == c->frames) c->mapping = other;
  }
  if (c->kind == DV_HEXAHEDRON && !c->mapping)
    return dv_error(o, "map the frames by a BarycentricMapping in the node of the beams",
                    "nothing tells which hexahedra carry the beams");
  return dv_mesh_may_change(c->lines, o) ? DV_OK : DV_ERROR_INPUT;
}

static dvStatus cutter_init(dvObject *o)
{
  Cutter *c = (Cutter *)o;
  DV_TRY(find_all(c));
  c->pool = o->context->pool;
  const dvInts *edges = dv_topology_elements(c->lines, DV_EDGE);
  for (size_t i = 0; i < edges->count; i++)
    if (edges->data[i] < 0 || (size_t)edges->data[i] >= c->frames->count)
      return dv_error(o, NULL, "a beam names frame %d, but there are %zu", edges->data[i], c->frames->count);
  Way w;
  if (!way_make(c, &w)) return dv_error(o, NULL, "out of memory for %zu beams", edges->count / 2);
  c->bare.count = 0;
  for (size_t i = 0; i < edges->count / 2; i++) {
    const int32_t *e = edges->data + 2 * i;
    if (way_inside(c, &w, e[0], e[1]) < 2) dv_push(&c->bare, key_of(e));
  }
  if (c->bare.count) qsort(c->bare.data, c->bare.count, sizeof(uint64_t), ascending);
  way_free(&w);
  c->seen = c->mesh->revision;
  c->beams = (int)(edges->count / 2);
  return DV_OK;
}

static void cutter_destroy(dvObject *o)
{
  Cutter *c = (Cutter *)o;
  dv_array_free(&c->bare), dv_array_free(&c->stump_frame), dv_array_free(&c->stump_end);
}

const dvClass dv_vessel_cutter_class = {
    .struct_size = sizeof(dvClass),
    .name = "VesselCutter",
    .help = "ends beams of vessels where the tetrahedra or hexahedra around them are cut",
    .module = "Anatomy",
    .roles = DV_PLAYS(DV_ROLE_TOPOLOGY_TOOL),
    .size = sizeof(Cutter),
    .blocks = {&dv_object_block, DV_BLOCK(cutter_fields)},
    .presets = "listening=1",
    .bwd_init = cutter_init,
    .handle_event = cutter_event,
    .restored = cutter_restored,
    .destroy = cutter_destroy,
    DV_MEMORY(cutter_memory),
};
