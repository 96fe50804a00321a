// VesselCutter: beams inside of tetrahedra end where these are cut.
//
// After a change of the tetrahedra each beam is followed at rest, where it is straight, from tetrahedron to
// tetrahedron: barycentric coordinates b of its ends in one of them are linear along it, and it leaves through the face
// whose coordinate is the first to fall to 0. Where no tetrahedron is behind that face the beam is cut: its edge goes,
// and with it its force; frames stay where they are. A beam that leaves the organ from the beginning, in a hollow of
// it, is cut when its ends are in two parts.
#include "anatomy/parts.h"
#include "anatomy/register.h"
#include "math/vec.h"
#include "mechanics/component.h"
#include "state/state.h"
#include "topology/change/follow.h"
#include "topology/change/modify.h"
#include "topology/search/locate.h"
#include "topology/search/surface.h"

#include <stdlib.h>

#define CUTTER_FIELDS(X)                                                                                      \
  X(link, organ, "", "", "topology of the tetrahedra around the beams; the one of the node above by default", \
    .role = DV_ROLE_TOPOLOGY)                                                                                 \
  X(link, topology, "", "", "topology whose edges are the beams; the one of the node by default",             \
    .role = DV_ROLE_TOPOLOGY)                                                                                 \
  X(int, cut, "0", "", "beams that were cut so far", .flags = DV_READ_ONLY)                                   \
  X(int, beams, "0", "", "beams that are left", .flags = DV_READ_ONLY)

typedef struct Cutter {
  dvObject base;
  CUTTER_FIELDS(DV_MEMBER)
  dvTopology *mesh, *lines;
  dvState *points, *frames;
  dvPool *pool;
  unsigned seen;             // revision of the tetrahedra that was looked at last
  DV_ARRAY(uint64_t) bare;   // both frames of beams that leave the organ from the beginning, ascending
} Cutter;

#define SELF Cutter
static const dvFieldDesc cutter_fields[] = {CUTTER_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc cutter_memory[] = {DV_REMEMBER(numbers, cut) DV_REMEMBER(numbers, beams)};
#undef SELF

// what is needed to follow beams, made anew for each change
typedef struct Way {
  const dvInts *tetrahedra;
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

static bool way_make(const Cutter *c, Way *w)
{
  *w = (Way){.tetrahedra = dv_topology_elements(c->mesh, DV_TETRAHEDRON), .x = dv_state_read(c->points, DV_X_REST)};
  size_t count = w->tetrahedra->count / 4, frames = c->frames->count;
  double *x = dv_try_alloc(3 * frames * sizeof *x + 1);
  w->neighbour = dv_try_alloc(4 * count * sizeof(int32_t) + 1);
  w->part = dv_try_alloc(count * sizeof(int32_t) + 1);
  w->at = dv_try_alloc(frames * sizeof *w->at + 1);
  bool good = x && w->neighbour && w->part && w->at && dv_tetra_neighbours(w->tetrahedra, w->neighbour) &&
              dv_tetra_parts(w->tetrahedra, c->points->count, w->part) >= 0;
  for (size_t i = 0; good && i < frames; i++) dv_vec3_store(x + 3 * i, frame_at_rest(c, (int32_t)i));
  if (good) {
    dvLocateDef def = {.x = w->x, .lists = {{DV_TETRAHEDRON, w->tetrahedra->data, count}}};
    dv_locate(&def, c->pool, x, frames, w->at);
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

// Does a beam stay inside all the way?
static bool is_whole(const Way *w, dvVec3 from, dvVec3 to, int32_t tetrahedron)
{
  int32_t before = -1;
  for (int n = 0; n < 10000 && tetrahedron >= 0; n++) {
    const int32_t *t = w->tetrahedra->data + 4 * (size_t)tetrahedron;
    double a[4], b[4];
    if (!dv_element_coordinates(DV_TETRAHEDRON, w->x, t, from, a) ||
        !dv_element_coordinates(DV_TETRAHEDRON, w->x, t, to, b))
      return true;   // an element without volume tells nothing
    int came = -1;
    for (int k = 0; k < 4 && before >= 0; k++)
      if (w->neighbour[4 * tetrahedron + k] == before) came = k;
    int face = leaves_by(a, b, came);
    if (face < 0) return true;
    before = tetrahedron;
    tetrahedron = w->neighbour[4 * tetrahedron + face];
  }
  return false;
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
  return !was_bare(c, edge) && !is_whole(w, frame_at_rest(c, edge[0]), frame_at_rest(c, edge[1]), a);
}

static int ascending(const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
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
  if (c->seen == c->mesh->revision) return;
  cut_beams(c);
  c->seen = c->mesh->revision;
}

// a snapshot or a reset brings the mesh with it; beams that it cuts are gone already
static bool cutter_restored(dvObject *o)
{
  Cutter *c = (Cutter *)o;
  c->seen = c->mesh->revision;
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
  if (!c->mesh || !dv_topology_count(c->mesh, DV_TETRAHEDRON))
    return dv_error(o, "give organ=\"@path\" of a topology with tetrahedra", "VesselCutter finds no tetrahedra");
  c->frames = state_of(c->lines, 7);
  c->points = state_of(c->mesh, 3);
  if (!c->frames) return dv_error(o, "add a MechanicalObject of Rigid3 to the node", "the beams have no frames");
  if (!c->points || c->points->topology != c->mesh)
    return dv_error(o, "add a MechanicalObject of Vec3 to their node", "the tetrahedra have no points that move");
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
    int32_t a = w.at[e[0]].element;
    if (a < 0 || !is_whole(&w, frame_at_rest(c, e[0]), frame_at_rest(c, e[1]), a)) dv_push(&c->bare, key_of(e));
  }
  if (c->bare.count) qsort(c->bare.data, c->bare.count, sizeof(uint64_t), ascending);
  way_free(&w);
  c->seen = c->mesh->revision;
  c->beams = (int)(edges->count / 2);
  return DV_OK;
}

static void cutter_destroy(dvObject *o) { dv_array_free(&((Cutter *)o)->bare); }

const dvClass dv_vessel_cutter_class = {
    .struct_size = sizeof(dvClass),
    .name = "VesselCutter",
    .help = "ends beams of vessels where the tetrahedra around them are cut",
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
