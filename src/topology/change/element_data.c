// See element_data.h.
#include "topology/change/element_data.h"

#include "topology/change/keep.h"

// --- columns -------------------------------------------------------------------------------------

// numbers of a row
static size_t row_width(const dvColumn *c)
{
  if (c->group) return c->group;
  if (c->type == DV_COLUMN_REALS) return (size_t)dv_max_int(((const dvReals *)c->values)->width, 1);
  return c->type == DV_COLUMN_INTS ? (size_t)dv_max_int(((const dvInts *)c->values)->width, 1) : 1;
}

static size_t column_size(const dvColumn *c)
{
  if (c->type == DV_COLUMN_REALS) return ((const dvReals *)c->values)->count / row_width(c);
  if (c->type == DV_COLUMN_INTS) return ((const dvInts *)c->values)->count / row_width(c);
  return *c->count;
}

static size_t row_bytes(const dvColumn *c)
{
  if (c->type == DV_COLUMN_REALS) return row_width(c) * sizeof(double);
  return c->type == DV_COLUMN_INTS ? row_width(c) * sizeof(int32_t) : c->size;
}

static char *column_edit(const dvColumn *c)
{
  if (c->type == DV_COLUMN_REALS) return (char *)dv_reals_edit(c->values);
  if (c->type == DV_COLUMN_INTS) return (char *)dv_ints_edit(c->values);
  return *(char **)c->values;
}

static bool column_resize(const dvColumn *c, size_t rows)
{
  if (c->type == DV_COLUMN_REALS) return dv_reals_resize(c->values, rows * row_width(c));
  if (c->type == DV_COLUMN_INTS) return dv_ints_resize(c->values, rows * row_width(c));
  size_t old = *c->count;
  if (rows > old && !dv_array_grow_(c->values, c->capacity, old, rows - old, c->size)) return false;
  if (rows > old) memset(column_edit(c) + old * c->size, 0, (rows - old) * c->size);
  *c->count = rows;
  return true;
}

// has a row for each of `rows` elements, which moves with it; a single value that may stand for all does so
static bool moves(const dvColumn *c, size_t rows) { return column_size(c) == rows && !(c->one_for_all && rows == 1); }

static void column_move(const dvColumn *c, size_t to, size_t from)
{
  size_t bytes = row_bytes(c);
  char *rows = column_edit(c);
  if (to != from) memcpy(rows + to * bytes, rows + from * bytes, bytes);
}

static void column_permute(const dvColumn *c, const int32_t *order, size_t count)
{
  size_t bytes = row_bytes(c);
  char *rows = column_edit(c), *old = dv_alloc(count * bytes + 1);
  if (count) memcpy(old, rows, count * bytes);
  for (size_t row = 0; row < count; row++) memcpy(rows + row * bytes, old + (size_t)order[row] * bytes, bytes);
  dv_free(old);
}

// rows that a new one descends from
typedef struct Parents {
  const int32_t *rows;
  const double *coefficients;   // NULL: all alike
  size_t count;
} Parents;

static size_t weightiest(const Parents *p)
{
  size_t best = 0;
  for (size_t k = 1; k < p->count && p->coefficients; k++)
    if (p->coefficients[k] > p->coefficients[best]) best = k;
  return (size_t)p->rows[best];
}

// Numbers are the weighted sums of those of the parents, or their mean; everything else is that of the weightiest.
static void column_inherit(const dvColumn *c, size_t row, const Parents *p)
{
  if (!p->count) {
    if (c->one_for_all && row) column_move(c, row, 0);
    return;
  }
  if (c->type != DV_COLUMN_REALS || !p->coefficients) {
    column_move(c, row, weightiest(p));
    return;
  }
  size_t width = row_width(c);
  double *x = dv_reals_edit(c->values), sum = 0;
  for (size_t k = 0; k < p->count; k++) sum += p->coefficients[k];
  double scale = c->one_for_all && sum > 0 ? 1 / sum : 1;
  double *to = x + row * width;
  for (size_t k = 0; k < p->count; k++) {
    const double *from = x + (size_t)p->rows[k] * width;
    double share = scale * p->coefficients[k];
    for (size_t j = 0; j < width; j++) to[j] += share * from[j];
  }
}

static dvField *field_at(const dvObject *owner, const void *values)
{
  for (int k = 0; owner && k < owner->field_count; k++)
    if (owner->fields[k].value == values) return &owner->fields[k];
  return NULL;
}

// fields live their own life from now on, and those who follow them hear of it
static void column_touch(const dvColumn *c, const dvObject *owner)
{
  dvField *f = c->type == DV_COLUMN_ARRAY ? NULL : field_at(owner, c->values);
  if (!f) return;
  dv_field_unlink(f);
  dv_field_touch(f);
}

static dvStatus column_add(dvDataColumns *columns, dvObject *owner, dvColumn column, size_t rows, const char *of)
{
  size_t size = column_size(&column);
  for (size_t i = 0; i < columns->count; i++)
    if (columns->data[i].values == column.values) return DV_OK;
  if (size != rows && !column.one_for_all) {
    const dvField *f = field_at(owner, column.values);
    if (f)
      return dv_field_error(owner, column.values, "give one for each", "%s has %zu entries, but there are %zu %s",
                            dv_field_name(f->desc), size, rows, of);
    return owner ? dv_error(owner, NULL, "a list has %zu entries, but there are %zu %s", size, rows, of)
                 : DV_ERROR_INPUT;
  }
  dv_push(columns, column);
  return DV_OK;
}

static dvNewElement new_element(const dvChange *c, size_t i)
{
  dvNewElement e = {.index = c->before + i, .row = c->before + i};
  if (c->points) e.points = c->points + i * (size_t)dv_element_points(c->kind);
  if (c->origin.offsets) {
    int32_t begin = c->origin.offsets[i];
    e.ancestors = c->origin.ancestors + begin;
    e.coefficients = c->origin.coefficients ? c->origin.coefficients + begin : NULL;
    e.ancestor_count = (size_t)(c->origin.offsets[i + 1] - begin);
  }
  return e;
}

static void out_of_memory(const dvObject *owner)
{
  if (owner) dv_error(owner, "use a coarser mesh", "out of memory for the values of new elements");
}

// --- one entry for every element -----------------------------------------------------------------

static void data_add(dvElementData *d, const dvChange *c)
{
  for (size_t k = 0; k < d->columns.count; k++) {
    const dvColumn *column = &d->columns.data[k];
    if (!moves(column, c->before)) continue;
    if (!column_resize(column, c->before + c->count)) {
      out_of_memory(d->owner);
      return;
    }
    for (size_t i = 0; i < c->count; i++) {
      dvNewElement e = new_element(c, i);
      column_inherit(column, e.row, &(Parents){e.ancestors, e.coefficients, e.ancestor_count});
    }
    column_touch(column, d->owner);
  }
  d->rows = c->before + c->count;
  if (d->resized) d->resized(d->user, d->rows);
  for (size_t i = 0; i < c->count && d->create; i++) {
    dvNewElement e = new_element(c, i);
    d->create(d->user, &e);
  }
}

static void data_remove(dvElementData *d, const dvChange *c)
{
  // each leaves in turn, so that `destroy` sees the rows as they are then
  for (size_t i = 0; i < c->count; i++) {
    size_t row = (size_t)c->indices[i], last = c->before - 1 - i;
    if (d->destroy) d->destroy(d->user, row);
    for (size_t k = 0; k < d->columns.count; k++)
      if (moves(&d->columns.data[k], c->before)) column_move(&d->columns.data[k], row, last);
  }
  for (size_t k = 0; k < d->columns.count && c->count; k++) {
    const dvColumn *column = &d->columns.data[k];
    if (!moves(column, c->before)) continue;
    DV_MUST(column_resize(column, dv_max_size(c->before - c->count, column->one_for_all)));
    column_touch(column, d->owner);
  }
  d->rows = c->before - c->count;
  if (d->resized) d->resized(d->user, d->rows);
}

static void data_renumber(dvElementData *d, const dvChange *c)
{
  for (size_t k = 0; k < d->columns.count; k++) {
    if (!moves(&d->columns.data[k], c->count)) continue;
    column_permute(&d->columns.data[k], c->indices, c->count);
    column_touch(&d->columns.data[k], d->owner);
  }
  if (d->resized) d->resized(d->user, d->rows);
}

// Rows of a state or of the topology itself, and places that others have, in their new places, all read before any is
// written; what else others have stays with its point.
static void data_move(dvElementData *d, const dvChange *c)
{
  bool all = d->owner && (dv_plays(d->owner, DV_ROLE_STATE) || dv_plays(d->owner, DV_ROLE_TOPOLOGY));
  for (size_t k = 0; k < d->columns.count; k++) {
    const dvColumn *column = &d->columns.data[k];
    if (!all && !column->places) continue;
    if (column->type != DV_COLUMN_REALS || !moves(column, c->before)) continue;
    size_t width = row_width(column), bytes = row_bytes(column);
    double *x = dv_reals_edit(column->values), *fresh = dv_alloc(c->count * bytes + 1);
    for (size_t i = 0; i < c->count; i++)
      for (int32_t a = c->origin.offsets[i]; a < c->origin.offsets[i + 1]; a++)
        for (size_t j = 0; j < width; j++)
          fresh[i * width + j] += c->origin.coefficients[a] * x[(size_t)c->origin.ancestors[a] * width + j];
    for (size_t i = 0; i < c->count; i++) memcpy(x + (size_t)c->indices[i] * width, fresh + i * width, bytes);
    dv_free(fresh);
    column_touch(column, d->owner);
  }
  if (!all) return;
  if (d->resized) d->resized(d->user, d->rows);
  for (size_t i = 0; i < c->count && d->create; i++) {
    dvNewElement e = new_element(c, i);
    e.index = e.row = (size_t)c->indices[i];
    d->create(d->user, &e);
  }
}

static void data_remade(dvElementData *d)
{
  dvTopology *t = d->watcher.topology;
  size_t rows = dv_topology_count(t, d->kind), old = d->rows;
  d->rows = rows;
  if (d->remade) {
    d->remade(d->user, rows);
    return;
  }
  for (size_t k = 0; k < d->columns.count; k++) {
    const dvColumn *column = &d->columns.data[k];
    if (!moves(column, old) || (column->type != DV_COLUMN_ARRAY && field_at(d->owner, column->values))) continue;
    if (!column_resize(column, 0) || !column_resize(column, rows)) {
      out_of_memory(d->owner);
      return;
    }
  }
  if (d->resized) d->resized(d->user, rows);
  const dvInts *elements = dv_topology_elements(t, d->kind);
  for (size_t i = 0; i < rows && d->create; i++)
    d->create(d->user,
              &(dvNewElement){.index = i,
                              .row = i,
                              .points = d->kind == DV_POINT ? NULL : elements->data + i * (size_t)elements->width});
}

static void data_keep(dvElementData *d)
{
  if (!d->keeper || d->kept) return;
  d->kept = true;
  for (size_t k = 0; k < d->columns.count; k++) dv_keep_column(d->keeper, d->owner, &d->columns.data[k]);
}

void dv_element_data_put_back(dvElementData *d)
{
  size_t rows = dv_topology_count(d->watcher.topology, d->kind);
  bool fits = d->kept || d->rows == rows;
  for (size_t k = 0; k < d->columns.count && d->kept && !d->resized; k++)
    fits = fits && (d->columns.data[k].one_for_all || column_size(&d->columns.data[k]) == rows);
  d->kept = d->gathered = false;
  d->rows = rows;
  if (!fits) data_remade(d);
  else if (d->resized) d->resized(d->user, rows);
}

// lists of some values get one for each element
static void data_complete(dvElementData *d)
{
  for (size_t k = 0; k < d->columns.count; k++) {
    const dvColumn *c = &d->columns.data[k];
    size_t size = column_size(c);
    if (!c->one_for_all || size <= 1 || size == d->rows || d->rows == 0) continue;
    if (!column_resize(c, d->rows)) out_of_memory(d->owner);
    for (size_t row = size; row < column_size(c); row++) column_move(c, row, 0);
  }
}

static void data_notice(dvWatcher *w, const dvChange *c)
{
  dvElementData *d = (dvElementData *)w;
  if (c->what == DV_CHANGES_END) d->gathered = false;
  if (c->what == DV_CHANGES_END) return;
  if (!d->gathered && c->what != DV_REMADE) {   // whatever changes, the end of the batch makes things again
    if (d->gather) d->gather(d->user, d);
    data_keep(d);
    data_complete(d);
    d->gathered = true;
  }
  if (c->what == DV_REMADE && dv_keeps(w, c) && d->keeper && !d->kept) {
    if (d->gather) d->gather(d->user, d);
    data_keep(d);
  }
  if (c->kind != d->kind && c->what != DV_REMADE) return;
  if (c->what == DV_REMADE) data_remade(d);
  else if (c->what == DV_ADDED) data_add(d, c);
  else if (c->what == DV_REMOVING) data_remove(d, c);
  else if (c->what == DV_MOVED) data_move(d, c);
  else data_renumber(d, c);
}

void dv_element_data_init(dvElementData *d, dvObject *owner, dvTopology *t, dvElementKind kind)
{
  dv_element_data_fini(d);
  *d = (dvElementData){.watcher = {.notice = data_notice}, .owner = owner, .kind = kind, .user = owner};
  d->rows = dv_topology_count(t, kind);
  bool state = owner && dv_plays(owner, DV_ROLE_STATE);
  (state ? dv_topology_watch_first : dv_topology_watch)(t, &d->watcher);
}

void dv_element_data_fini(dvElementData *d)
{
  dv_topology_unwatch(&d->watcher);
  dv_array_free(&d->columns);
}

static dvStatus data_add_column(dvElementData *d, dvColumn column)
{
  return d ? column_add(&d->columns, d->owner, column, d->rows, dv_element_name(d->kind)) : DV_OK;
}

dvStatus dv_element_data_add_reals(dvElementData *d, dvReals *values, bool one_for_all)
{
  return data_add_column(d, (dvColumn){.type = DV_COLUMN_REALS, .values = values, .one_for_all = one_for_all});
}

dvStatus dv_element_data_add_places(dvElementData *d, dvReals *values)
{
  return data_add_column(d, (dvColumn){.type = DV_COLUMN_REALS, .values = values, .one_for_all = true, .places = true});
}

dvStatus dv_element_data_add_groups(dvElementData *d, dvReals *values, size_t group, bool one_for_all)
{
  return data_add_column(
      d, (dvColumn){.type = DV_COLUMN_REALS, .values = values, .one_for_all = one_for_all, .group = group});
}

dvStatus dv_element_data_add_ints(dvElementData *d, dvInts *values, bool one_for_all)
{
  return data_add_column(d, (dvColumn){.type = DV_COLUMN_INTS, .values = values, .one_for_all = one_for_all});
}

dvStatus dv_element_data_add_column_(dvElementData *d, dvColumn column) { return data_add_column(d, column); }

// --- some elements -------------------------------------------------------------------------------

// entries that name no element of the topology are in no chain
static bool is_chained(const dvElementList *l, int32_t element)
{
  return element >= 0 && (size_t)element < l->first.count;
}

static void chain_in(dvElementList *l, int32_t element, size_t place)
{
  if (!is_chained(l, element)) return;
  l->next.data[place] = l->first.data[element];
  l->first.data[element] = (int32_t)place + 1;
}

// takes a place out of the chain of the element that it names; chains are as short as an element has neighbours
static void chain_out(dvElementList *l, int32_t element, size_t place)
{
  if (!is_chained(l, element)) return;
  int32_t *link = &l->first.data[element];
  while (*link && *link != (int32_t)place + 1) link = &l->next.data[*link - 1];
  if (*link) *link = l->next.data[place];
}

static bool make_chains(dvElementList *l, size_t elements)
{
  l->first.count = l->next.count = 0;
  l->ready = dv_try_reserve(&l->first, elements + 1) && dv_try_reserve(&l->next, l->list->count + 1);
  if (!l->ready) {
    out_of_memory(l->owner);
    return false;
  }
  memset(l->first.data, 0, elements * sizeof *l->first.data);
  l->first.count = elements;
  l->next.count = l->list->count;
  if (l->field) l->seen = l->field->counter;
  for (size_t i = l->list->count; i-- > 0;) chain_in(l, l->list->data[i], i);
  return true;
}

static bool chains_hold(const dvElementList *l) { return l->ready && (!l->field || l->field->counter == l->seen); }

bool dv_element_list_chain(dvElementList *l)
{
  return chains_hold(l) || make_chains(l, dv_topology_count(l->watcher.topology, l->kind));
}

static bool list_columns_resize(const dvElementList *l, size_t old, size_t rows)
{
  bool good = true;
  for (size_t k = 0; k < l->columns.count; k++) {
    const dvColumn *c = &l->columns.data[k];
    if (moves(c, old)) good = column_resize(c, dv_max_size(rows, c->one_for_all)) && good;
  }
  return good;
}

bool dv_element_list_push(dvElementList *l, const int32_t *entries, size_t count)
{
  if (!dv_element_list_chain(l)) return false;
  size_t width = (size_t)l->list->width, place = l->list->count, row = place / width, places = count * width;
  if (!dv_ints_resize(l->list, place + places) || !dv_try_reserve(&l->next, places) ||
      !list_columns_resize(l, row, row + count))
    return false;
  l->next.count += places;
  for (size_t k = 0; k < places; k++) {
    l->list->data[place + k] = entries[k];
    chain_in(l, entries[k], place + k);
  }
  return true;
}

void dv_element_list_erase(dvElementList *l, size_t row)
{
  if (!dv_element_list_chain(l)) return;
  size_t width = (size_t)l->list->width, last = l->list->count / width - 1;
  int32_t *list = dv_ints_edit(l->list);
  for (size_t k = 0; k < width; k++) chain_out(l, list[row * width + k], row * width + k);
  for (size_t k = 0; k < width && row != last; k++) {
    int32_t element = list[last * width + k];
    chain_out(l, element, last * width + k);
    list[row * width + k] = element;
    chain_in(l, element, row * width + k);
  }
  for (size_t k = 0; k < l->columns.count; k++)
    if (moves(&l->columns.data[k], last + 1)) column_move(&l->columns.data[k], row, last);
  DV_MUST(list_columns_resize(l, last + 1, last));
  DV_MUST(dv_ints_resize(l->list, last * width));
  l->next.count = last * width;
}

// the rows of a new element's ancestors, as far as they are in the list; false when memory is short
static bool find_parents(const dvElementList *l, const dvNewElement *e, Parents *p)
{
  int32_t *rows = dv_try_alloc((e->ancestor_count + 1) * sizeof *rows);
  double *coefficients = dv_try_alloc((e->ancestor_count + 1) * sizeof *coefficients);
  *p = (Parents){rows, e->coefficients ? coefficients : NULL, 0};
  for (size_t k = 0; k < e->ancestor_count && rows && coefficients; k++) {
    int32_t at = l->first.data[e->ancestors[k]];
    if (!at) continue;
    rows[p->count] = at - 1;
    if (e->coefficients) coefficients[p->count] = e->coefficients[k];
    p->count++;
  }
  if (!p->coefficients) dv_free(coefficients);
  return rows && coefficients;
}

static void list_consider(dvElementList *l, dvNewElement *e)
{
  Parents parents;
  bool good = find_parents(l, e, &parents),
       wanted = (l->heirs && parents.count) || (l->accept && l->accept(l->user, e));
  int32_t index = (int32_t)e->index;
  if (good && wanted) good = dv_element_list_push(l, &index, 1);
  if (good && wanted) {
    for (size_t k = 0; k < l->columns.count; k++)
      if (moves(&l->columns.data[k], e->row + 1)) column_inherit(&l->columns.data[k], e->row, &parents);
    if (l->create) l->create(l->user, e);
  }
  dv_free((void *)parents.rows);
  dv_free((void *)parents.coefficients);
  if (!good) out_of_memory(l->owner);
}

static void list_add(dvElementList *l, const dvChange *c)
{
  if (!dv_try_reserve(&l->first, c->count)) {
    out_of_memory(l->owner);
    return;
  }
  for (size_t i = 0; i < c->count; i++) l->first.data[l->first.count++] = 0;
  for (size_t i = 0; i < c->count && (l->heirs || l->accept) && l->list->width == 1; i++) {
    dvNewElement e = new_element(c, i);
    e.row = l->list->count;   // width 1
    list_consider(l, &e);
  }
}

// gives all places that name `from` the number `to`, which no place names any more
static void list_rename(dvElementList *l, int32_t to, int32_t from)
{
  int32_t *list = dv_ints_edit(l->list);
  for (int32_t at = l->first.data[from]; at; at = l->next.data[at - 1]) list[at - 1] = to;
  l->first.data[to] = l->first.data[from];
  l->first.data[from] = 0;
}

static void list_remove(dvElementList *l, const dvChange *c)
{
  for (size_t i = 0; i < c->count; i++) {
    int32_t element = c->indices[i], last = (int32_t)(c->before - 1 - i);
    while (l->first.data[element]) {
      size_t row = (size_t)(l->first.data[element] - 1) / (size_t)l->list->width;
      if (l->destroy) l->destroy(l->user, row);
      dv_element_list_erase(l, row);
    }
    if (element != last) list_rename(l, element, last);
    l->first.count--;
  }
}

static void list_renumber(dvElementList *l, const dvChange *c)
{
  int32_t *fresh = dv_alloc((c->count + 1) * sizeof *fresh), *first = dv_alloc((c->count + 1) * sizeof *first);
  for (size_t i = 0; i < c->count; i++) {
    fresh[c->indices[i]] = (int32_t)i;
    first[i] = l->first.data[c->indices[i]];
  }
  memcpy(l->first.data, first, c->count * sizeof *first);
  int32_t *list = dv_ints_edit(l->list);
  for (size_t i = 0; i < l->list->count; i++)
    if (is_chained(l, list[i])) list[i] = fresh[list[i]];
  dv_free(fresh);
  dv_free(first);
}

// entries that name what is no more go
static void list_remade(dvElementList *l)
{
  size_t elements = dv_topology_count(l->watcher.topology, l->kind), width = (size_t)l->list->width;
  l->ready = false;
  for (size_t row = dv_ints_size(l->list); row-- > 0;) {
    bool good = true;
    for (size_t k = 0; k < width; k++) good = good && (size_t)l->list->data[row * width + k] < elements;
    if (good) continue;
    if (l->destroy) l->destroy(l->user, row);
    dv_element_list_erase(l, row);
  }
}

void dv_element_list_keep(dvElementList *l)
{
  if (!l->keeper || l->kept) return;
  l->kept = true;
  dv_keep_column(l->keeper, l->owner, &(dvColumn){.type = DV_COLUMN_INTS, .values = l->list});
  for (size_t k = 0; k < l->columns.count; k++) dv_keep_column(l->keeper, l->owner, &l->columns.data[k]);
}

void dv_element_list_put_back(dvElementList *l)
{
  dv_element_list_forget(l);
  list_remade(l);
  dv_element_list_forget(l);
  l->kept = false;
}

static void list_change(dvElementList *l, const dvChange *c)
{
  size_t before = l->list->count;
  // at an addition the topology has the new elements already, and the list is about to hear of them
  if (!chains_hold(l) && !make_chains(l, c->before)) return;
  if (c->what == DV_ADDED) list_add(l, c);
  else if (c->what == DV_REMOVING) list_remove(l, c);
  else list_renumber(l, c);
  if (before) l->emptied = l->list->count == 0;
  if (c->what == DV_ADDED && l->list->count == before) return;   // nothing here has changed
  dvColumn own = {.type = DV_COLUMN_INTS, .values = l->list};
  for (size_t k = 0; k < l->columns.count; k++) column_touch(&l->columns.data[k], l->owner);
  column_touch(&own, l->owner);
  if (l->field) l->seen = l->field->counter;
}

// what an engine selected at the start goes on by itself: to select again would mean to look at all
static void leave_engine(const dvElementList *l)
{
  if (l->field && l->field->source && dv_plays(l->field->source->owner, DV_ROLE_ENGINE)) dv_field_unlink(l->field);
}

static void list_notice(dvWatcher *w, const dvChange *c)
{
  dvElementList *l = (dvElementList *)w;
  if (dv_keeps(w, c)) {
    dv_element_list_keep(l);
    if (c->what != DV_REMADE && c->what != DV_CHANGES_END) leave_engine(l);
  }
  if (c->what == DV_REMADE && !(l->field && l->field->source)) list_remade(l);
  if (c->what == DV_REMADE) l->ready = false;
  if (c->what == DV_CHANGES_END || c->what == DV_REMADE || c->what == DV_MOVED || c->kind != l->kind) return;
  list_change(l, c);
}

void dv_element_list_init(dvElementList *l, dvObject *owner, dvTopology *t, dvElementKind kind, dvInts *list)
{
  dv_element_list_fini(l);
  *l = (dvElementList){.watcher = {.notice = list_notice}, .owner = owner, .kind = kind, .list = list, .user = owner};
  l->field = field_at(owner, list);
  dv_topology_watch(t, &l->watcher);
}

void dv_element_list_fini(dvElementList *l)
{
  dv_topology_unwatch(&l->watcher);
  dv_array_free(&l->columns);
  dv_array_free(&l->first);
  dv_array_free(&l->next);
}

static dvStatus list_add_column(dvElementList *l, dvColumn column)
{
  return l ? column_add(&l->columns, l->owner, column, dv_ints_size(l->list), "entries in the list they belong to")
           : DV_OK;
}

dvStatus dv_element_list_add_reals(dvElementList *l, dvReals *values, bool one_for_all)
{
  return list_add_column(l, (dvColumn){.type = DV_COLUMN_REALS, .values = values, .one_for_all = one_for_all});
}

dvStatus dv_element_list_add_groups(dvElementList *l, dvReals *values, size_t group, bool one_for_all)
{
  return list_add_column(
      l, (dvColumn){.type = DV_COLUMN_REALS, .values = values, .one_for_all = one_for_all, .group = group});
}

dvStatus dv_element_list_add_ints(dvElementList *l, dvInts *values, bool one_for_all)
{
  return list_add_column(l, (dvColumn){.type = DV_COLUMN_INTS, .values = values, .one_for_all = one_for_all});
}

dvStatus dv_element_list_add_column_(dvElementList *l, dvColumn column) { return list_add_column(l, column); }
