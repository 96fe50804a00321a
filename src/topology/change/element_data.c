// See element_data.h.
#include "topology/change/element_data.h"

// --- columns -------------------------------------------------------------------------------------

static size_t column_size(const dvColumn *c)
{
  if (c->type == DV_COLUMN_REALS) return dv_reals_size(c->values);
  if (c->type == DV_COLUMN_INTS) return dv_ints_size(c->values);
  return *c->count;
}

static size_t row_bytes(const dvColumn *c)
{
  if (c->type == DV_COLUMN_REALS) return (size_t)((const dvReals *)c->values)->width * sizeof(double);
  if (c->type == DV_COLUMN_INTS) return (size_t)((const dvInts *)c->values)->width * sizeof(int32_t);
  return c->size;
}

static char *column_edit(const dvColumn *c)
{
  if (c->type == DV_COLUMN_REALS) return (char *)dv_reals_edit(c->values);
  if (c->type == DV_COLUMN_INTS) return (char *)dv_ints_edit(c->values);
  return *(char **)c->values;
}

static bool column_resize(const dvColumn *c, size_t rows)
{
  if (c->type == DV_COLUMN_REALS) return dv_reals_resize(c->values, rows * (size_t)((const dvReals *)c->values)->width);
  if (c->type == DV_COLUMN_INTS) return dv_ints_resize(c->values, rows * (size_t)((const dvInts *)c->values)->width);
  size_t old = *c->count;
  if (rows > old && !dv_array_grow_(c->values, c->capacity, old, rows - old, c->size)) return false;
  if (rows > old) memset(column_edit(c) + old * c->size, 0, (rows - old) * c->size);
  *c->count = rows;
  return true;
}

static bool columns_resize(const dvColumns *columns, size_t rows)
{
  bool good = true;
  for (size_t i = 0; i < columns->count; i++)
    good = (columns->data[i].shared || column_resize(&columns->data[i], rows)) && good;
  return good;
}

// row `to` gets what row `from` has
static void columns_move(const dvColumns *columns, size_t to, size_t from)
{
  for (size_t i = 0; i < columns->count && to != from; i++) {
    const dvColumn *c = &columns->data[i];
    if (c->shared) continue;
    char *rows = column_edit(c);
    memcpy(rows + to * row_bytes(c), rows + from * row_bytes(c), row_bytes(c));
  }
}

static void columns_permute(const dvColumns *columns, const int32_t *order, size_t count)
{
  for (size_t i = 0; i < columns->count; i++) {
    const dvColumn *c = &columns->data[i];
    size_t bytes = row_bytes(c);
    if (c->shared) continue;
    char *rows = column_edit(c), *old = dv_alloc(count * bytes);
    memcpy(old, rows, count * bytes);
    for (size_t row = 0; row < count; row++) memcpy(rows + row * bytes, old + (size_t)order[row] * bytes, bytes);
    dv_free(old);
  }
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

// numbers are the weighted sums of those of the parents, everything else is that of the weightiest
static void columns_inherit(const dvColumns *columns, size_t row, const Parents *p)
{
  for (size_t i = 0; i < columns->count && p->count; i++) {
    dvColumn *c = &columns->data[i];
    if (c->shared) continue;
    if (c->type != DV_COLUMN_REALS || !p->coefficients) {
      columns_move(&(dvColumns){.data = c, .count = 1}, row, weightiest(p));
      continue;
    }
    dvReals *r = c->values;
    size_t width = (size_t)r->width;
    double *x = dv_reals_edit(r);
    for (size_t k = 0; k < p->count; k++)
      for (size_t j = 0; j < width; j++) x[row * width + j] += p->coefficients[k] * x[(size_t)p->rows[k] * width + j];
  }
}

// fields live their own life from now on, and those who follow them hear of it
static void columns_touch(const dvColumns *columns, const dvObject *owner)
{
  for (size_t i = 0; i < columns->count && owner; i++) {
    if (columns->data[i].shared) continue;
    for (int k = 0; k < owner->field_count; k++) {
      if (owner->fields[k].value != columns->data[i].values) continue;
      dv_field_unlink(&owner->fields[k]);
      dv_field_touch(&owner->fields[k]);
    }
  }
}

static dvStatus column_add(dvColumns *columns, dvObject *owner, dvColumn column, size_t rows, bool one_for_all,
                           const char *of)
{
  size_t size = column_size(&column);
  column.shared = size != rows && one_for_all && size <= 1;
  if (size != rows && !column.shared) {
    if (!owner) return DV_ERROR_INPUT;
    for (int k = 0; k < owner->field_count; k++)
      if (owner->fields[k].value == column.values)
        return dv_field_error(
            owner, column.values, one_for_all ? "give one for each, or one for all" : "give one for each",
            "%s has %zu entries, but there are %zu %s", dv_field_name(owner->fields[k].desc), size, rows, of);
    return dv_error(owner, NULL, "a list has %zu entries, but there are %zu %s", size, rows, of);
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
  if (!columns_resize(&d->columns, c->before + c->count)) {
    out_of_memory(d->owner);
    return;
  }
  for (size_t i = 0; i < c->count; i++) {
    dvNewElement e = new_element(c, i);
    columns_inherit(&d->columns, e.row, &(Parents){e.ancestors, e.coefficients, e.ancestor_count});
    if (d->create) d->create(d->user, &e);
  }
}

static void data_remove(dvElementData *d, const dvChange *c)
{
  for (size_t i = 0; i < c->count; i++) {
    size_t row = (size_t)c->indices[i], last = c->before - 1 - i;
    if (d->destroy) d->destroy(d->user, row);
    columns_move(&d->columns, row, last);
  }
  columns_resize(&d->columns, c->before - c->count);
}

static void data_notice(dvWatcher *w, const dvChange *c)
{
  dvElementData *d = (dvElementData *)w;
  if (c->what == DV_CHANGES_END && d->end) d->end(d->user);
  if (c->what == DV_CHANGES_END || c->kind != d->kind) return;
  if (c->what == DV_ADDED) data_add(d, c);
  else if (c->what == DV_REMOVING) data_remove(d, c);
  else columns_permute(&d->columns, c->indices, c->count);
  columns_touch(&d->columns, d->owner);
}

void dv_element_data_init(dvElementData *d, dvObject *owner, dvTopology *t, dvElementKind kind)
{
  dv_element_data_fini(d);
  *d = (dvElementData){.watcher = {.notice = data_notice}, .owner = owner, .kind = kind, .user = owner};
  dv_topology_watch(t, &d->watcher);
}

void dv_element_data_fini(dvElementData *d)
{
  dv_topology_unwatch(&d->watcher);
  dv_array_free(&d->columns);
}

static dvStatus data_add_column(dvElementData *d, dvColumn column, bool one_for_all)
{
  size_t rows = dv_topology_count(d->watcher.topology, d->kind);
  return column_add(&d->columns, d->owner, column, rows, one_for_all, dv_element_name(d->kind));
}

dvStatus dv_element_data_add_reals(dvElementData *d, dvReals *values, bool one_for_all)
{
  return data_add_column(d, (dvColumn){.type = DV_COLUMN_REALS, .values = values}, one_for_all);
}

dvStatus dv_element_data_add_ints(dvElementData *d, dvInts *values, bool one_for_all)
{
  return data_add_column(d, (dvColumn){.type = DV_COLUMN_INTS, .values = values}, one_for_all);
}

dvStatus dv_element_data_add_column_(dvElementData *d, dvColumn column) { return data_add_column(d, column, false); }

// --- some elements -------------------------------------------------------------------------------

static void chain_in(dvElementList *l, int32_t element, size_t place)
{
  l->next.data[place] = l->first.data[element];
  l->first.data[element] = (int32_t)place + 1;
}

// takes a place out of the chain of the element that it names; chains are as short as an element has neighbours
static void chain_out(dvElementList *l, int32_t element, size_t place)
{
  int32_t *link = &l->first.data[element];
  while (*link && *link != (int32_t)place + 1) link = &l->next.data[*link - 1];
  if (*link) *link = l->next.data[place];
}

bool dv_element_list_push(dvElementList *l, const int32_t *entry)
{
  size_t width = (size_t)l->list->width, place = l->list->count, row = place / width;
  if (!dv_ints_resize(l->list, place + width) || !dv_try_reserve(&l->next, width) ||
      !columns_resize(&l->columns, row + 1))
    return false;
  l->next.count += width;
  for (size_t k = 0; k < width; k++) {
    l->list->data[place + k] = entry[k];
    chain_in(l, entry[k], place + k);
  }
  return true;
}

void dv_element_list_erase(dvElementList *l, size_t row)
{
  size_t width = (size_t)l->list->width, last = l->list->count / width - 1;
  int32_t *list = dv_ints_edit(l->list);
  for (size_t k = 0; k < width; k++) chain_out(l, list[row * width + k], row * width + k);
  for (size_t k = 0; k < width && row != last; k++) {
    int32_t element = list[last * width + k];
    chain_out(l, element, last * width + k);
    list[row * width + k] = element;
    chain_in(l, element, row * width + k);
  }
  columns_move(&l->columns, row, last);
  columns_resize(&l->columns, last);
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
  if (good && wanted) good = dv_element_list_push(l, &index);
  if (good && wanted) {
    columns_inherit(&l->columns, e->row, &parents);
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
    e.row = l->list->count;
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
  for (size_t i = 0; i < l->list->count; i++) list[i] = fresh[list[i]];
  dv_free(fresh);
  dv_free(first);
}

static void list_notice(dvWatcher *w, const dvChange *c)
{
  dvElementList *l = (dvElementList *)w;
  if (c->what == DV_CHANGES_END && l->end) l->end(l->user);
  if (c->what == DV_CHANGES_END || c->kind != l->kind) return;
  if (c->what == DV_ADDED) list_add(l, c);
  else if (c->what == DV_REMOVING) list_remove(l, c);
  else list_renumber(l, c);
  dvColumn own = {.type = DV_COLUMN_INTS, .values = l->list};
  columns_touch(&l->columns, l->owner);
  columns_touch(&(dvColumns){.data = &own, .count = 1}, l->owner);
}

dvStatus dv_element_list_init(dvElementList *l, dvObject *owner, dvTopology *t, dvElementKind kind, dvInts *list)
{
  dv_element_list_fini(l);
  *l = (dvElementList){.watcher = {.notice = list_notice}, .owner = owner, .kind = kind, .list = list, .user = owner};
  size_t elements = dv_topology_count(t, kind);
  for (size_t i = 0; i < list->count; i++)
    if (list->data[i] < 0 || (size_t)list->data[i] >= elements)
      return owner ? dv_error(owner, "numbers count from 0", "number %d does not exist: there are %zu %s",
                              list->data[i], elements, dv_element_name(kind))
                   : DV_ERROR_INPUT;
  if (!dv_try_reserve(&l->first, elements + 1) || !dv_try_reserve(&l->next, list->count + 1)) {
    out_of_memory(owner);
    return DV_ERROR_INPUT;
  }
  memset(l->first.data, 0, elements * sizeof *l->first.data);
  l->first.count = elements;
  l->next.count = list->count;
  for (size_t i = list->count; i-- > 0;) chain_in(l, list->data[i], i);
  dv_topology_watch(t, &l->watcher);
  return DV_OK;
}

void dv_element_list_fini(dvElementList *l)
{
  dv_topology_unwatch(&l->watcher);
  dv_array_free(&l->columns);
  dv_array_free(&l->first);
  dv_array_free(&l->next);
}

static dvStatus list_add_column(dvElementList *l, dvColumn column, bool one_for_all)
{
  return column_add(&l->columns, l->owner, column, dv_ints_size(l->list), one_for_all,
                    "entries in the list they belong to");
}

dvStatus dv_element_list_add_reals(dvElementList *l, dvReals *values, bool one_for_all)
{
  return list_add_column(l, (dvColumn){.type = DV_COLUMN_REALS, .values = values}, one_for_all);
}

dvStatus dv_element_list_add_ints(dvElementList *l, dvInts *values, bool one_for_all)
{
  return list_add_column(l, (dvColumn){.type = DV_COLUMN_INTS, .values = values}, one_for_all);
}

dvStatus dv_element_list_add_column_(dvElementList *l, dvColumn column) { return list_add_column(l, column, false); }
