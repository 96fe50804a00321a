// See keep.h.
#include "topology/change/keep.h"

static dvField *field_at(const dvObject *owner, const void *values)
{
  for (int i = 0; owner && i < owner->field_count; i++)
    if (owner->fields[i].value == values) return &owner->fields[i];
  return NULL;
}

bool dv_keeps(const dvWatcher *w, const dvChange *c)
{
  const dvTopology *t = w->topology;
  if (!t || c->what == DV_CHANGES_END) return false;   // a topology's own lists are told by hand
  bool follows = t->filler;
  for (dvElementKind k = DV_POINT; k < DV_ELEMENT_KINDS && !follows; k++)
    follows = t->fields[k] && t->fields[k]->source;
  return c->what != DV_REMADE || follows;
}

// Vectors that somebody has taken in a state move about, and are remembered by those who took them.
static bool is_lent(const dvObject *owner, const dvColumn *c)
{
  const char *begin = (const char *)owner, *at = c->values;
  return owner && dv_plays(owner, DV_ROLE_STATE) && (at < begin || at >= begin + owner->cls->size) &&
         !field_at(owner, at);
}

void dv_keep_column(dvKept *k, const dvObject *owner, const dvColumn *c)
{
  if (!k || is_lent(owner, c)) return;
  for (size_t i = 0; i < k->columns.count; i++)
    if (k->columns.data[i].column.values == c->values) return;
  dvKeptColumn kept = {.column = *c, .field = field_at(owner, c->values)};
  if (kept.field) kept.source = kept.field->source, kept.source_seen = kept.field->source_seen;
  if (c->type == DV_COLUMN_REALS) dv_reals_share(&kept.reals, c->values);
  if (c->type == DV_COLUMN_INTS) dv_ints_share(&kept.ints, c->values);
  if (c->type == DV_COLUMN_ARRAY && !c->count) {
    kept.bytes = dv_alloc(c->size);
    memcpy(kept.bytes, c->values, c->size);
  } else if (c->type == DV_COLUMN_ARRAY) {
    kept.count = *c->count;
    kept.bytes = dv_alloc(kept.count * c->size + 1);
    if (kept.count) memcpy(kept.bytes, *(void **)c->values, kept.count * c->size);
  }
  dv_push(&k->columns, kept);
}

static void put_back(const dvKeptColumn *k, bool settled)
{
  const dvColumn *c = &k->column;
  if (c->type == DV_COLUMN_REALS) dv_reals_share(c->values, &k->reals);
  if (c->type == DV_COLUMN_INTS) dv_ints_share(c->values, &k->ints);
  if (c->type == DV_COLUMN_ARRAY && !c->count) {
    memcpy(c->values, k->bytes, c->size);
  } else if (c->type == DV_COLUMN_ARRAY) {
    dv_array_resize_(c->values, c->count, c->capacity, k->count, c->size);
    if (k->count) memcpy(*(void **)c->values, k->bytes, k->count * c->size);
  }
  if (!k->field) return;
  k->field->source = k->source;
  k->field->source_seen = k->source_seen;
  if (k->source && settled && dv_field_pull(k->source) == DV_OK) k->field->source_seen = k->source->counter;
  dv_field_touch(k->field);
}

bool dv_keep_put_back(dvKept *k, bool settled)
{
  bool any = k->columns.count > 0;
  for (size_t i = 0; i < k->columns.count; i++) put_back(&k->columns.data[i], settled);
  dv_keep_free(k);
  return any;
}

void dv_keep_free(dvKept *k)
{
  for (size_t i = 0; i < k->columns.count; i++) {
    dv_reals_free(&k->columns.data[i].reals);
    dv_ints_free(&k->columns.data[i].ints);
    dv_free(k->columns.data[i].bytes);
  }
  dv_array_free(&k->columns);
}
