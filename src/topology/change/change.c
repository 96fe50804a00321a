// See change.h. The container's own lists of elements are element lists (element_data.h) that name points, so that they
// follow when points change their numbers; the positions are data of the points.
#include "topology/change/change.h"

#include "topology/change/element_data.h"
#include "topology/change/follow.h"
#include "topology/change/journal.h"
#include "topology/change/keep.h"
#include "topology/change/trace.h"

struct dvChanges {
  DV_ARRAY(dvWatcher *) watchers;
  size_t first;                               // so many of them came before the others
  bool frozen;                                // a change has been made: nothing is derived any more
  dvElementList elements[DV_ELEMENT_KINDS];   // of points, once frozen
  dvElementData points;
  dvJournal journal;       // of a topology that no mapping fills
  uint32_t turn;           // see turn_of
  dvTrace trace;           // of the batch that goes on
  struct dvFills *fills;   // see fill.h
  // what it was before the first change
  dvKept before;
  bool given[DV_ELEMENT_KINDS];   // not made or derived
  const dvTopologyMaker *maker;
};

static struct dvChanges *changes_of(dvTopology *t)
{
  if (!t->changes) t->changes = dv_alloc(sizeof *t->changes);
  return t->changes;
}

// --- watching ------------------------------------------------------------------------------------

void dv_topology_watch(dvTopology *t, dvWatcher *w)
{
  dv_topology_unwatch(w);
  w->topology = t;
  struct dvChanges *c = changes_of(t);
  if (c->watchers.count == 0) t->remade = false;   // nobody knew anything else
  dv_push(&c->watchers, w);
}

void dv_topology_watch_first(dvTopology *t, dvWatcher *w)
{
  dv_topology_watch(t, w);
  struct dvChanges *c = t->changes;
  for (size_t i = c->watchers.count - 1; i > c->first; i--) c->watchers.data[i] = c->watchers.data[i - 1];
  c->watchers.data[c->first++] = w;
}

void dv_topology_unwatch(dvWatcher *w)
{
  struct dvChanges *c = w->topology ? w->topology->changes : NULL;
  w->topology = NULL;
  for (size_t i = 0; c && i < c->watchers.count; i++) {
    if (c->watchers.data[i] != w) continue;
    dv_array_remove(&c->watchers, i);
    if (i < c->first) c->first--;
    return;
  }
}

// changes of a mesh outside of a scene have turns of their own
static uint32_t *turn_of(dvTopology *t)
{
  dvScene *scene = t->base.node ? t->base.node->scene : NULL;
  return scene ? &scene->turn : &t->changes->turn;
}

static void note(dvTopology *t, const dvChange *change, const double *positions)
{
  if (!t->filler) dv_journal_note(&t->changes->journal, change, positions, turn_of(t));
}

struct dvFills **dv_topology_fills(const dvTopology *t) { return t->changes ? &t->changes->fills : NULL; }

void dv_topology_note_fill(dvTopology *t, const int32_t *hexahedra, const dvCellFill *fills, size_t count)
{
  if (!t->filler) dv_journal_note_fill(&t->changes->journal, hexahedra, fills, count, turn_of(t));
}

const dvJournal *dv_topology_journal(const dvTopology *t)
{
  return t->changes && t->changes->journal.words.count ? &t->changes->journal : NULL;
}

static void tell(dvTopology *t, const dvChange *change)
{
  struct dvChanges *c = t->changes;
  dv_trace_note(&c->trace, t, change);
  for (size_t i = 0; i < c->watchers.count; i++) c->watchers.data[i]->notice(c->watchers.data[i], change);
}

const dvTrace *dv_topology_trace(const dvTopology *t)
{
  return t->changes && !t->changes->trace.whole ? &t->changes->trace : NULL;
}

void dv_topology_clear_trace(dvTopology *t)
{
  if (t->changes) dv_trace_clear(&t->changes->trace);
}

bool dv_topology_tell_remade(dvTopology *t)
{
  if (!t->remade) return false;
  t->remade = false;
  changes_of(t);
  tell(t, &(dvChange){.what = DV_REMADE});
  return true;
}

void dv_topology_tell_end(dvTopology *t)
{
  changes_of(t);
  note(t, &(dvChange){.what = DV_CHANGES_END}, NULL);
  tell(t, &(dvChange){.what = DV_CHANGES_END});
}

void dv_topology_end_changes(dvTopology *t)
{
  dv_topology_tell_end(t);
  dvScene *scene = t->base.node ? t->base.node->scene : NULL;
  if (scene && scene->follow) scene->follow(scene);
}

void dv_topology_free_changes(dvTopology *t)
{
  struct dvChanges *c = t->changes;
  if (!c) return;
  dv_fills_free(&c->fills);
  for (dvElementKind k = DV_EDGE; k < DV_ELEMENT_KINDS && c->frozen; k++) dv_element_list_fini(&c->elements[k]);
  if (c->frozen) dv_element_data_fini(&c->points);
  for (size_t i = 0; i < c->watchers.count; i++) c->watchers.data[i]->topology = NULL;
  dv_array_free(&c->watchers);
  dv_journal_free(&c->journal);
  dv_trace_free(&c->trace);
  dv_keep_free(&c->before);
  dv_free(c);
  t->changes = NULL;
}

// --- the first change ----------------------------------------------------------------------------

static void keep_before(dvTopology *t)
{
  struct dvChanges *c = t->changes;
  for (dvElementKind k = DV_EDGE; k < DV_ELEMENT_KINDS; k++) {
    c->given[k] = dv_topology_given(t, k)->count > 0;
    dv_keep_column(&c->before, &t->base, &(dvColumn){.type = DV_COLUMN_INTS, .values = dv_topology_list(t, k)});
  }
  c->given[DV_POINT] = !t->made_points.buffer || t->position.buffer != t->made_points.buffer;
  dv_keep_column(&c->before, &t->base, &(dvColumn){.type = DV_COLUMN_REALS, .values = &t->position});
  dv_keep_column(&c->before, &t->base, &(dvColumn){.type = DV_COLUMN_REALS, .values = &t->uv});
  c->maker = t->maker;
}

bool dv_topology_put_back(dvTopology *t)
{
  struct dvChanges *c = t->changes;
  if (!c || !c->frozen) return false;
  for (dvElementKind k = DV_EDGE; k < DV_ELEMENT_KINDS; k++) dv_element_list_fini(&c->elements[k]);
  dv_element_data_fini(&c->points);
  dv_fills_free(&c->fills);
  dv_journal_free(&c->journal);
  dv_trace_clear(&c->trace);
  c->frozen = t->kept = false;
  t->maker = c->maker;
  dv_keep_put_back(&c->before, false);
  for (dvElementKind k = DV_EDGE; k < DV_ELEMENT_KINDS; k++)
    if (!c->given[k]) dv_ints_free(dv_topology_list(t, k));
  if (!c->given[DV_POINT]) dv_reals_free(&t->position);
  t->stamp = 0;
  dv_topology_changed(t);
  for (size_t i = 0; i < c->watchers.count; i++)
    if (c->watchers.data[i]->put_back) c->watchers.data[i]->put_back(c->watchers.data[i]);
  return true;
}

static dvStatus keep_lists(dvTopology *t, size_t points)
{
  struct dvChanges *c = t->changes;
  for (dvElementKind k = DV_EDGE; k < DV_ELEMENT_KINDS; k++) {
    dv_topology_keep(t, k);
    dv_element_list_init(&c->elements[k], NULL, t, DV_POINT, dv_topology_list(t, k));
    if (!dv_element_list_chain(&c->elements[k])) return dv_error(&t->base, NULL, "out of memory for a change");
    dv_topology_unwatch(&c->elements[k].watcher);   // told by hand, last
  }
  dv_topology_keep(t, DV_POINT);
  dv_element_data_init(&c->points, &t->base, t, DV_POINT);
  if (dv_reals_size(&t->position) == points) DV_TRY(dv_element_data_add_reals(&c->points, &t->position, false));
  if (dv_reals_size(&t->uv) == points) DV_TRY(dv_element_data_add_reals(&c->points, &t->uv, false));
  dv_topology_unwatch(&c->points.watcher);
  return DV_OK;
}

// From here on the lists are the topology's own: they follow no loader, and nothing is made from larger elements. The
// container hears of changes after everybody else, so that others still see what is removed.
dvStatus dv_topology_first_change(dvTopology *t)
{
  struct dvChanges *c = changes_of(t);
  if (t->base.failed) return DV_ERROR_INPUT;
  if (c->frozen) return DV_OK;
  for (size_t i = 0; i < c->watchers.count; i++)
    if (c->watchers.data[i]->before_first) c->watchers.data[i]->before_first(c->watchers.data[i]);
  for (dvElementKind k = DV_EDGE; k < DV_ELEMENT_KINDS; k++) {
    dv_topology_elements(t, k);   // derived ones are made, so that those who have asked for them before keep them
    if (t->base.failed) return DV_ERROR_INPUT;
  }
  size_t points = dv_topology_point_count(t);
  keep_before(t);
  if (t->base.node) t->base.node->scene->rewind = dv_follow_rewind;
  t->refreshing = true;   // lists that are kept one after the other are no change
  dvStatus status = keep_lists(t, points);
  t->refreshing = false;
  DV_TRY(status);
  dv_topology_settled(t, DV_POINT, points);
  c->frozen = true;
  return DV_OK;
}

// the container's own lists follow a change of points
static void follow_points(dvTopology *t, const dvChange *change)
{
  struct dvChanges *c = t->changes;
  c->points.watcher.notice(&c->points.watcher, change);
  for (dvElementKind k = DV_EDGE; k < DV_ELEMENT_KINDS; k++)
    c->elements[k].watcher.notice(&c->elements[k].watcher, change);
}

// --- checks --------------------------------------------------------------------------------------

static dvStatus refuse(const dvTopology *t, const char *format, int32_t number, size_t count, const char *kind)
{
  dv_warning(&t->base, NULL, format, number, count, kind);
  return DV_ERROR_USAGE;
}

static dvStatus check_origin(dvTopology *t, dvElementKind kind, size_t count, const dvOrigin *origin)
{
  if (!origin->offsets) return DV_OK;
  size_t existing = dv_topology_count(t, kind);
  for (int32_t i = origin->offsets[0]; i < origin->offsets[count]; i++)
    if (origin->ancestors[i] < 0 || (size_t)origin->ancestors[i] >= existing)
      return refuse(t, "ancestor %d of a new element does not exist: there are %zu %s", origin->ancestors[i], existing,
                    dv_element_name(kind));
  return DV_OK;
}

static void sort_descending(int32_t *numbers, size_t count)
{
  dv_numbers_sort(numbers, count);
  for (size_t i = 0; i < count / 2; i++) {
    int32_t swap = numbers[i];
    numbers[i] = numbers[count - 1 - i];
    numbers[count - 1 - i] = swap;
  }
}

static dvStatus check_removal(dvTopology *t, dvElementKind kind, const int32_t *sorted, size_t count)
{
  size_t existing = dv_topology_count(t, kind);
  for (size_t i = 0; i < count; i++) {
    if (sorted[i] < 0 || (size_t)sorted[i] >= existing)
      return refuse(t, "number %d cannot be removed: there are %zu %s", sorted[i], existing, dv_element_name(kind));
    if (i && sorted[i] == sorted[i - 1])
      return refuse(t, "number %d of %zu %s is to be removed twice", sorted[i], existing, dv_element_name(kind));
    for (dvElementKind k = DV_EDGE; k < DV_ELEMENT_KINDS && kind == DV_POINT; k++)
      if (t->changes->elements[k].first.data[sorted[i]])
        return refuse(t, "point %d of %zu cannot be removed: it belongs to some of the %s", sorted[i], existing,
                      dv_element_name(k));
  }
  return DV_OK;
}

// --- changes -------------------------------------------------------------------------------------

dvStatus dv_topology_add_points(dvTopology *t, size_t count, const double *positions, dvOrigin origin)
{
  DV_TRY(dv_topology_first_change(t));
  DV_TRY(check_origin(t, DV_POINT, count, &origin));
  size_t before = dv_topology_point_count(t);
  if (count > DV_POINT_LIMIT - before)
    return refuse(t, "more than %d points: %zu %s are there already", DV_POINT_LIMIT, before, "points");
  dvChange change = {.what = DV_ADDED, .kind = DV_POINT, .count = count, .before = before, .origin = origin};
  follow_points(t, &change);
  if (positions && dv_reals_size(&t->position) == before + count)
    memcpy(dv_reals_edit(&t->position) + 3 * before, positions, 3 * count * sizeof *positions);
  dv_topology_settled(t, DV_POINT, before + count);
  note(t, &change, positions);
  tell(t, &change);
  return DV_OK;
}

dvStatus dv_topology_add(dvTopology *t, dvElementKind kind, const int32_t *points, size_t count, dvOrigin origin)
{
  return dv_topology_add_whole(t, kind, points, NULL, count, origin, false);
}

dvStatus dv_topology_add_whole(dvTopology *t, dvElementKind kind, const int32_t *points, const int32_t *parts,
                               size_t count, dvOrigin origin, bool exchange)
{
  DV_REQUIRE(kind > DV_POINT && kind < DV_ELEMENT_KINDS);
  DV_TRY(dv_topology_first_change(t));
  DV_TRY(check_origin(t, kind, count, &origin));
  size_t width = (size_t)dv_element_points(kind), point_count = dv_topology_point_count(t),
         before = dv_topology_count(t, kind);
  for (size_t i = 0; i < count * width; i++)
    if (points[i] < 0 || (size_t)points[i] >= point_count)
      return refuse(t, "a new element names point %d, but there are %zu %s", points[i], point_count, "points");
  if (!dv_element_list_push(&t->changes->elements[kind], points, count))
    return dv_error(&t->base, "use a coarser mesh", "out of memory for the %s", dv_element_name(kind));
  dv_topology_settled(t, kind, point_count);
  dvChange change = {
      .what = DV_ADDED, .kind = kind, .count = count, .before = before, .points = points, .origin = origin};
  change.parts = parts, change.exchange = exchange && origin.offsets;
  note(t, &change, NULL);
  tell(t, &change);
  return DV_OK;
}

static dvStatus remove_elements(dvTopology *t, dvElementKind kind, const int32_t *indices, const int32_t *parts,
                                size_t count, bool exchange)
{
  DV_TRY(dv_topology_first_change(t));
  int32_t *sorted = dv_try_alloc((count + 1) * sizeof *sorted);
  if (!sorted) return dv_error(&t->base, NULL, "out of memory for removing %zu %s", count, dv_element_name(kind));
  if (count) memcpy(sorted, indices, count * sizeof *sorted);
  sort_descending(sorted, count);
  dvStatus status = check_removal(t, kind, sorted, count);
  if (status == DV_OK) {
    size_t before = dv_topology_count(t, kind), points = dv_topology_point_count(t);
    dvChange change = {.what = DV_REMOVING, .kind = kind, .count = count, .before = before, .indices = sorted};
    change.exchange = exchange;
    change.parts = parts;
    note(t, &change, NULL);
    tell(t, &change);
    if (kind == DV_POINT) follow_points(t, &change);
    for (size_t i = 0; i < count && kind != DV_POINT; i++)
      dv_element_list_erase(&t->changes->elements[kind], (size_t)sorted[i]);
    dv_topology_settled(t, kind, kind == DV_POINT ? points - count : points);
  }
  dv_free(sorted);
  return status;
}

dvStatus dv_topology_remove(dvTopology *t, dvElementKind kind, const int32_t *indices, size_t count)
{
  return remove_elements(t, kind, indices, NULL, count, false);
}

dvStatus dv_topology_remove_exchanged(dvTopology *t, dvElementKind kind, const int32_t *indices, const int32_t *parts,
                                      size_t count)
{
  return remove_elements(t, kind, indices, parts, count, true);
}

static dvStatus check_order(const dvTopology *t, dvElementKind kind, const int32_t *order, size_t count)
{
  bool *seen = dv_try_alloc(count + 1);
  if (!seen) return dv_error(&t->base, NULL, "out of memory for renumbering the %s", dv_element_name(kind));
  dvStatus status = DV_OK;
  for (size_t i = 0; i < count && status == DV_OK; i++) {
    if (order[i] < 0 || (size_t)order[i] >= count || seen[order[i]])
      status = refuse(t, "number %d in the new order of %zu %s does not exist or comes twice", order[i], count,
                      dv_element_name(kind));
    else seen[order[i]] = true;
  }
  dv_free(seen);
  return status;
}

// the rows of a list of elements in a new order
static bool reorder(dvElementList *l, const int32_t *order, size_t count)
{
  dvInts *list = l->list, old = {.width = list->width};
  size_t width = (size_t)list->width;
  if (!dv_ints_assign(&old, list->data, list->count)) return false;
  int32_t *data = dv_ints_edit(list);
  for (size_t i = 0; i < count; i++)
    memcpy(data + i * width, old.data + (size_t)order[i] * width, width * sizeof *data);
  dv_ints_free(&old);
  memset(l->first.data, 0, l->first.count * sizeof *l->first.data);
  for (size_t place = list->count; place-- > 0;) {
    l->next.data[place] = l->first.data[data[place]];
    l->first.data[data[place]] = (int32_t)place + 1;
  }
  return true;
}

dvStatus dv_topology_renumber(dvTopology *t, dvElementKind kind, const int32_t *order)
{
  DV_TRY(dv_topology_first_change(t));
  size_t count = dv_topology_count(t, kind);
  DV_TRY(check_order(t, kind, order, count));
  dvChange change = {.what = DV_RENUMBERED, .kind = kind, .count = count, .before = count, .indices = order};
  if (kind == DV_POINT) follow_points(t, &change);
  else if (!reorder(&t->changes->elements[kind], order, count))
    return dv_error(&t->base, NULL, "out of memory for the %s", dv_element_name(kind));
  dv_topology_settled(t, kind, dv_topology_point_count(t));
  note(t, &change, NULL);
  tell(t, &change);
  return DV_OK;
}

dvStatus dv_topology_move_points(dvTopology *t, const int32_t *indices, size_t count, dvOrigin origin)
{
  DV_TRY(dv_topology_first_change(t));
  size_t points = dv_topology_point_count(t);
  if (count && (!origin.offsets || !origin.coefficients))
    return refuse(t, "%d of %zu %s cannot be moved: nothing tells where to", (int32_t)count, points, "points");
  DV_TRY(check_origin(t, DV_POINT, count, &origin));
  for (size_t i = 0; i < count; i++)
    if (indices[i] < 0 || (size_t)indices[i] >= points)
      return refuse(t, "number %d cannot be moved: there are %zu %s", indices[i], points, "points");
  dvChange change = {
      .what = DV_MOVED, .kind = DV_POINT, .count = count, .before = points, .indices = indices, .origin = origin};
  t->changes->points.watcher.notice(&t->changes->points.watcher, &change);
  dv_topology_settled(t, DV_POINT, points);
  note(t, &change, NULL);
  tell(t, &change);
  return DV_OK;
}

// --- neighbours that stay true through changes ---------------------------------------------------

int32_t dv_topology_first_at(dvTopology *t, dvElementKind kind, int32_t point)
{
  return dv_topology_first_change(t) == DV_OK ? t->changes->elements[kind].first.data[point] - 1 : -1;
}

int32_t dv_topology_next_at(dvTopology *t, dvElementKind kind, int32_t at)
{
  return t->changes->elements[kind].next.data[at] - 1;
}

dvChains dv_topology_chains(dvTopology *t, dvElementKind kind)
{
  bool frozen = t->changes && t->changes->frozen && !t->base.failed;
  if (!frozen && dv_topology_first_change(t) != DV_OK) return (dvChains){0};
  const dvElementList *l = &t->changes->elements[kind];
  return (dvChains){l->first.data, l->next.data, l->list->data};
}
