// See live.h.
#include "topology/mapping/live.h"

#include "topology/change/modify.h"
#include "topology/change/trace.h"
#include "topology/search/tuple_set.h"

#include <stdlib.h>

typedef dvNumbers Numbers;

static const dvTopologyMappingOps *ops_of(const dvTopologyMapping *m)
{
  return dv_ops(&m->base, DV_ROLE_TOPOLOGY_MAPPING);
}

static dvElementKind made_kind(const dvTopologyMapping *m)
{
  dvElementKind kind = DV_EDGE;
  while (!(ops_of(m)->makes & 1u << kind)) kind++;
  return kind;
}

// --- the two ways of the numbers -----------------------------------------------------------------

static int32_t *places_of(dvTopologyMapping *m, int32_t source) { return m->places.data + (size_t)source * m->pieces; }

static void add_places(dvTopologyMapping *m, size_t sources)
{
  for (size_t i = 0; i < sources * m->pieces; i++) dv_push(&m->places, -1);
}

static void note_made(dvTopologyMapping *m, int32_t source, size_t piece)
{
  size_t at = m->sources.count;
  DV_MUST(dv_ints_resize(&m->sources, at + 1));
  dv_ints_edit(&m->sources)[at] = source;
  places_of(m, source)[piece] = (int32_t)at;
}

// the last one of the output takes the number of one that goes
static void note_gone(dvTopologyMapping *m, int32_t number)
{
  int32_t *sources = dv_ints_edit(&m->sources), last = (int32_t)m->sources.count - 1;
  for (size_t k = 0; k < m->pieces; k++)
    if (places_of(m, sources[number])[k] == number) places_of(m, sources[number])[k] = -1;
  for (size_t k = 0; k < m->pieces && number != last; k++)
    if (places_of(m, sources[last])[k] == last) places_of(m, sources[last])[k] = number;
  sources[number] = sources[last];
  DV_MUST(dv_ints_resize(&m->sources, (size_t)last));
}

static void remove_made(dvTopologyMapping *m, Numbers *gone)
{
  if (gone->count == 0) return;
  qsort(gone->data, gone->count, sizeof *gone->data, dv_numbers_descending);
  for (size_t i = 0; i < gone->count; i++) note_gone(m, gone->data[i]);
  dv_mesh_remove(m->to, made_kind(m), gone->data, gone->count, DV_REMOVE_PARTS);
}

static void add_made(dvTopologyMapping *m, const Numbers *points)
{
  size_t width = (size_t)dv_element_points(made_kind(m));
  dv_mesh_add(m->to, made_kind(m), points->data, points->count / width, (dvOrigin){0});
}

// --- sources come and go -------------------------------------------------------------------------

static void cut_new(dvTopologyMapping *m, const dvChange *c)
{
  const struct dvLiveOps *live = ops_of(m)->live;
  size_t width = (size_t)dv_element_points(c->kind), corners = (size_t)dv_element_points(made_kind(m));
  Numbers fresh = {0};
  for (size_t i = 0; i < c->count; i++) {
    int32_t out[DV_MOST_PIECES * 8];
    size_t pieces = live->cut(m, c->points + i * width, out);
    for (size_t k = 0; k < pieces * corners; k++) dv_push(&fresh, out[k]);
    for (size_t k = 0; k < pieces; k++) note_made(m, (int32_t)(c->before + i), k);
  }
  add_made(m, &fresh);
  dv_array_free(&fresh);
}

static void remove_sources(dvTopologyMapping *m, const dvChange *c)
{
  const struct dvLiveOps *live = ops_of(m)->live;
  Numbers gone = {0};
  for (size_t i = 0; i < c->count; i++) {
    int32_t source = c->indices[i];
    for (size_t k = 0; k < m->pieces; k++)
      if (places_of(m, source)[k] >= 0) dv_push(&gone, places_of(m, source)[k]);
    if (!live->one_by_one) continue;
    remove_made(m, &gone);
    gone.count = 0;
  }
  remove_made(m, &gone);
  dv_array_free(&gone);
  // the sources take their new numbers
  for (size_t i = 0; i < c->count; i++) {
    int32_t last = (int32_t)(c->before - 1 - i), source = c->indices[i];
    for (size_t k = 0; k < m->pieces && source != last; k++) {
      int32_t place = places_of(m, last)[k];
      places_of(m, source)[k] = place;
      if (place >= 0) dv_ints_edit(&m->sources)[place] = source;
    }
    m->places.count -= m->pieces;
  }
}

static void renumber_sources(dvTopologyMapping *m, const dvChange *c)
{
  Numbers old = {0};
  for (size_t i = 0; i < m->places.count; i++) dv_push(&old, m->places.data[i]);
  for (size_t i = 0; i < c->count; i++)
    for (size_t k = 0; k < m->pieces; k++) {
      int32_t place = old.data[(size_t)c->indices[i] * m->pieces + k];
      m->places.data[i * m->pieces + k] = place;
      if (place >= 0) dv_ints_edit(&m->sources)[place] = (int32_t)i;
    }
  dv_array_free(&old);
}

// --- the border ----------------------------------------------------------------------------------

static void part_of(const dvElementParts *parts, const int32_t *element, int i, int32_t *out)
{
  int corners = dv_element_points(parts->kind);
  for (int k = 0; k < corners; k++) out[k] = element[parts->table[i * corners + k]];
}

static const dvElementParts *border_parts(const struct dvLiveOps *live)
{
  const dvElementParts *p = dv_element_parts(live->whole);
  while (p->kind != live->source) p++;
  return p;
}

// the part of an element that has these points
static void seen_from(const dvElementParts *parts, const int32_t *element, const int32_t *points, int32_t *out)
{
  int corners = dv_element_points(parts->kind);
  for (int i = 0; i < parts->count; i++) {
    part_of(parts, element, i, out);
    int same = 0;
    for (int j = 0; j < corners; j++)
      for (int k = 0; k < corners; k++) same += out[j] == points[k];
    if (same == corners) return;
  }
}

// is `number` among the first `count` of a descending list?
static bool is_among(const int32_t *list, size_t count, int32_t number)
{
  size_t begin = 0;
  for (; count > 1; count -= count / 2) begin += list[begin + count / 2] >= number ? count / 2 : 0;
  return count && list[begin] == number;
}

// Elements at a part but for some that go, in descending order: how many there are up to two, and one of them. While
// elements are exchanged for their pieces there may be more than two.
static size_t left_at(const dvTopologyMapping *m, const int32_t *points, const int32_t *going, size_t count,
                      int32_t *one)
{
  enum { MOST = 8 };
  const struct dvLiveOps *live = ops_of(m)->live;
  int32_t around[MOST];
  size_t left = 0,
         n = dv_mesh_around(m->from, live->whole, points, (size_t)dv_element_points(live->source), around, MOST);
  for (size_t k = 0; k < dv_min_size(n, MOST) && left < 2; k++) {
    if (is_among(going, count, around[k])) continue;
    *one = around[k];
    left++;
  }
  return left;
}

// the source at part j of element i that goes; -1 for none, or for one that `cover` has looked at
static int32_t source_left(const dvTopologyMapping *m, const dvElementParts *parts, const dvChange *c, size_t i, int j,
                           const int32_t *points)
{
  if (c->parts && dv_element_parts(c->kind) == parts) return c->parts[i * (size_t)parts->count + (size_t)j];
  return dv_mesh_find(m->from, parts->kind, points);
}

// What two elements share comes to the border when one of them goes; when the other goes too, it goes with its source.
// Of elements that are exchanged for their pieces nothing comes that would only go again.
static void uncover(dvTopologyMapping *m, const dvChange *c)
{
  const struct dvLiveOps *live = ops_of(m)->live;
  if (live->keeps_out && live->keeps_out(m)) return;
  const dvElementParts *parts = border_parts(live);
  size_t width = (size_t)dv_element_points(live->whole), corners = (size_t)dv_element_points(live->source);
  const int32_t *elements = dv_topology_list(m->from, live->whole)->data;
  Numbers fresh = {0};
  for (size_t i = 0; i < c->count; i++)
    for (int j = 0; j < parts->count; j++) {
      int32_t points[4], seen[4], out[4];
      part_of(parts, elements + width * (size_t)c->indices[i], j, points);
      int32_t source = source_left(m, parts, c, i, j, points), other = -1;
      if (source < 0 || places_of(m, source)[0] >= 0) continue;
      if (left_at(m, points, c->indices, c->exchange ? c->count : i + 1, &other) != 1) continue;
      seen_from(parts, elements + width * (size_t)other, points, seen);
      if (live->source == DV_EDGE)
        memcpy(seen, dv_topology_list(m->from, DV_EDGE)->data + 2 * (size_t)source, 2 * sizeof *seen);
      live->face(m, seen, true, out);
      for (size_t k = 0; k < corners; k++) dv_push(&fresh, out[k]);
      note_made(m, source, 0);
    }
  add_made(m, &fresh);
  dv_array_free(&fresh);
}

// Edges come to the surface in the order of the volume, as in SOFA, before the faces that have them; without those that
// turn out to lie inside.
static void add_edges(dvTopologyMapping *m, const Numbers *faces)
{
  size_t corners = (size_t)dv_element_points(made_kind(m)), first = 0;
  dvTupleSet wanted;
  dv_tuple_set_init(&wanted, 2);
  for (size_t i = 0; faces && i < faces->count; i++) {
    int32_t edge[2] = {faces->data[i], faces->data[i % corners + 1 < corners ? i + 1 : i + 1 - corners]};
    dv_tuple_sort(edge, 2);
    DV_MUST(dv_tuple_set_add(&wanted, edge, NULL) >= 0);
  }
  for (size_t i = 0; i < m->early.count; i += 2) {
    int32_t edge[2] = {m->early.data[i], m->early.data[i + 1]}, key[2] = {edge[0], edge[1]};
    dv_tuple_sort(key, 2);
    if ((faces && dv_tuple_set_find(&wanted, key) < 0) || dv_mesh_find(m->to, DV_EDGE, edge) >= 0) continue;
    m->early.data[first++] = edge[0];
    m->early.data[first++] = edge[1];
  }
  if (first) dv_topology_add(m->to, DV_EDGE, m->early.data, first / 2, (dvOrigin){0});
  m->early.count = 0;
  dv_tuple_set_free(&wanted);
}

static void note_edges(dvTopologyMapping *m, const dvChange *c)
{
  for (size_t i = 0; i < 2 * c->count; i++) dv_push(&m->early, c->points[i]);
}

// the source at part j of new element i; -1 for none
static int32_t source_at(const dvTopologyMapping *m, const dvElementParts *parts, const dvChange *c, size_t i, int j)
{
  int32_t points[4];
  if (c->parts && dv_element_parts(c->kind) == parts) return c->parts[i * (size_t)parts->count + (size_t)j];
  part_of(parts, c->points + i * (size_t)dv_element_points(c->kind), j, points);
  return dv_mesh_find(m->from, parts->kind, points);
}

// the elements that new ones are exchanged for, in descending order
static void take_going(const dvChange *c, Numbers *going)
{
  for (int32_t i = c->origin.offsets[0]; i < c->origin.offsets[c->count]; i++)
    if (going->count == 0 || going->data[going->count - 1] != c->origin.ancestors[i])
      dv_push(going, c->origin.ancestors[i]);
  dv_numbers_unique(going);
  for (size_t i = 0; i < going->count / 2; i++) {
    int32_t swap = going->data[i];
    going->data[i] = going->data[going->count - 1 - i];
    going->data[going->count - 1 - i] = swap;
  }
}

// New elements have parts on the border, and cover others.
static void cover(dvTopologyMapping *m, const dvChange *c)
{
  const struct dvLiveOps *live = ops_of(m)->live;
  if (live->keeps_out && live->keeps_out(m)) return;
  const dvElementParts *parts = border_parts(live);
  size_t corners = (size_t)dv_element_points(live->source), each = (size_t)parts->count;
  int32_t out[4], one, *list = dv_topology_list(m->from, live->source)->data;
  Numbers fresh = {0}, gone = {0}, sources = {0}, times = {0}, going = {0};
  if (c->exchange) take_going(c, &going);
  dv_array_resize(&times, dv_topology_count(m->from, live->source) - m->newest);
  dv_reserve(&sources, c->count * each);
  for (size_t i = 0; i < c->count * each; i++) {
    int32_t source = source_at(m, parts, c, i / each, (int)(i % each));
    dv_push(&sources, source);
    if (source >= (int32_t)m->newest) times.data[source - (int32_t)m->newest]++;
  }
  for (size_t i = 0; i < sources.count; i++) {
    int32_t source = sources.data[i];
    if (source < 0 || (source >= (int32_t)m->newest && times.data[source - (int32_t)m->newest] > 1)) continue;
    const int32_t *points = list + corners * (size_t)source;
    bool there = places_of(m, source)[0] >= 0, border = left_at(m, points, going.data, going.count, &one) == 1;
    if (border == there) continue;
    if (there) {
      dv_push(&gone, places_of(m, source)[0]);
      continue;
    }
    live->face(m, points, false, out);
    for (size_t k = 0; k < corners; k++) dv_push(&fresh, out[k]);
    note_made(m, source, 0);
  }
  if (live->edges_first) add_edges(m, &fresh);
  add_made(m, &fresh);
  dv_numbers_unique(&gone);
  remove_made(m, &gone);
  dv_array_free(&fresh);
  dv_array_free(&gone);
  dv_array_free(&sources);
  dv_array_free(&times);
  dv_array_free(&going);
}

// --- changes of the input ------------------------------------------------------------------------

// edges that no element of the output has stand in the way of their points
static void remove_points(dvTopologyMapping *m, const dvChange *c)
{
  Numbers edges = {0};
  for (size_t i = 0; i < c->count; i++)
    for (int32_t at = dv_topology_first_at(m->to, DV_EDGE, c->indices[i]); at >= 0;
         at = dv_topology_next_at(m->to, DV_EDGE, at))
      dv_push(&edges, at / 2);
  if (edges.count && made_kind(m) != DV_EDGE) dv_mesh_remove(m->to, DV_EDGE, edges.data, edges.count, DV_KEEP_ISOLATED);
  dv_array_free(&edges);
  dv_topology_remove(m->to, DV_POINT, c->indices, c->count);
}

static void change_points(dvTopologyMapping *m, const dvChange *c)
{
  if (c->what == DV_REMOVING || c->what == DV_RENUMBERED) add_edges(m, NULL);
  if (c->what == DV_ADDED) dv_topology_add_points(m->to, c->count, NULL, c->origin);
  else if (c->what == DV_REMOVING) remove_points(m, c);
  else if (c->what == DV_MOVED) dv_topology_move_points(m->to, c->indices, c->count, c->origin);
  else dv_topology_renumber(m->to, DV_POINT, c->indices);
}

static void notice(dvWatcher *w, const dvChange *c)
{
  dvTopologyMapping *m = (dvTopologyMapping *)((char *)w - offsetof(dvTopologyMapping, watcher));
  const struct dvLiveOps *live = ops_of(m)->live;
  if (!m->live || m->base.failed || c->what == DV_REMADE) return;
  if (c->what == DV_CHANGES_END) {
    add_edges(m, NULL);
    m->newest = m->places.count / m->pieces;
    dv_topology_tell_end(m->to);
    return;
  }
  m->made.count = 0;
  if (c->kind == DV_POINT) change_points(m, c);
  if (c->kind == live->source) {
    if (c->what == DV_ADDED) m->newest = c->before;
    if (c->what == DV_REMOVING) m->newest = c->before - c->count;
    if (c->what == DV_ADDED) add_places(m, c->count);
    if (c->what == DV_ADDED && live->cut) cut_new(m, c);
    if (c->what == DV_REMOVING) remove_sources(m, c);
    if (c->what == DV_RENUMBERED) renumber_sources(m, c);
    dv_touch(&m->base, &m->sources);
  }
  if (c->kind == DV_EDGE && c->what == DV_ADDED && live->edges_first && !(live->keeps_out && live->keeps_out(m)))
    note_edges(m, c);
  if (c->kind != live->whole || c->kind == DV_POINT) return;
  if (c->what == DV_ADDED) cover(m, c);
  if (c->what == DV_REMOVING) uncover(m, c);
  dv_touch(&m->base, &m->sources);
}

// The output is what it would be now, and from here on follows change by change.
static void before_first(dvWatcher *w)
{
  dvTopologyMapping *m = (dvTopologyMapping *)((char *)w - offsetof(dvTopologyMapping, watcher));
  const struct dvLiveOps *live = ops_of(m)->live;
  if (m->live || dv_topology_mapping_refresh(m) != DV_OK || dv_topology_first_change(m->to) != DV_OK) return;
  m->live = true;
  size_t sources = dv_topology_count(m->from, live->source);
  m->pieces = 1;
  if (live->cut) {
    int32_t corners[8] = {0, 1, 2, 3, 4, 5, 6, 7}, out[DV_MOST_PIECES * 8];
    m->pieces = live->cut(m, corners, out);
  }
  add_places(m, sources);
  m->newest = sources;
  for (size_t i = 0; i < m->sources.count; i++) {
    int32_t *places = places_of(m, m->sources.data[i]);
    size_t k = 0;
    while (k + 1 < m->pieces && places[k] >= 0) k++;
    places[k] = (int32_t)i;
  }
}

// The input is what it was before: so the output is made of it as it was.
static void put_back(dvWatcher *w)
{
  dvTopologyMapping *m = (dvTopologyMapping *)((char *)w - offsetof(dvTopologyMapping, watcher));
  m->live = false;
  m->seen = 0;
  m->places.count = m->made.count = m->early.count = 0;
}

void dv_topology_mapping_follow(dvTopologyMapping *m)
{
  if (!ops_of(m)->live || m->watcher.topology) return;
  m->watcher = (dvWatcher){.notice = notice, .before_first = before_first, .put_back = put_back};
  dv_topology_watch(m->from, &m->watcher);
}

void dv_topology_mapping_unfollow(dvTopologyMapping *m)
{
  dv_topology_unwatch(&m->watcher);
  dv_array_free(&m->places);
  dv_array_free(&m->early);
}

// --- upwards -------------------------------------------------------------------------------------

static bool climb_one(dvTopologyMapping *m, dvElementKind *kind, Numbers *list)
{
  const struct dvLiveOps *live = ops_of(m)->live;
  if (!live || !m->from || *kind != made_kind(m) || dv_topology_mapping_refresh(m) != DV_OK) return false;
  Numbers up = {0};
  const dvInts *sources = dv_topology_elements(m->from, live->source);
  for (size_t i = 0; i < list->count; i++) {
    if (list->data[i] < 0 || (size_t)list->data[i] >= m->sources.count) continue;
    int32_t source = m->sources.data[list->data[i]], around[8];
    if (live->whole == DV_POINT) {
      dv_push(&up, source);
      continue;
    }
    size_t corners = (size_t)sources->width;
    size_t n = dv_mesh_around(m->from, live->whole, sources->data + corners * (size_t)source, corners, around, 8);
    for (size_t k = 0; k < dv_min_size(n, 8); k++) dv_push(&up, around[k]);
  }
  dv_array_free(list);
  *list = up;
  *kind = live->whole == DV_POINT ? live->source : live->whole;
  return true;
}

dvTopology *dv_topology_climb(dvTopology *t, dvElementKind *kind, int32_t **list, size_t *count)
{
  Numbers numbers = {0};
  for (size_t i = 0; i < *count; i++) dv_push(&numbers, (*list)[i]);
  bool good = true;
  while (t->filler && good) {
    dvTopologyMapping *m = (dvTopologyMapping *)t->filler;
    good = climb_one(m, kind, &numbers);
    t = m->from;
  }
  if (numbers.count) qsort(numbers.data, numbers.count, sizeof *numbers.data, dv_numbers_ascending);
  size_t kept = 0;
  for (size_t i = 0; i < numbers.count; i++)
    if (i == 0 || numbers.data[i] != numbers.data[i - 1]) numbers.data[kept++] = numbers.data[i];
  dv_free(*list);
  *list = numbers.data;
  *count = kept;
  return good ? t : NULL;
}
