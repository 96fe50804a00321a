// Snapshots of a body over several processes: those of a run in one, so that any number of processes goes on from them.
//
// What a process remembers of the body stands in rows, one for each point that it has: vectors of the state, those that
// solvers keep in it, and lists that constraints keep for all points. Rows of own points make the whole; a part takes
// all of its rows out of the whole, those of border points too. Outputs are mapped again. Everything else must be the
// same in all processes; if it is not (plastic strain of elements), there is no snapshot.
#include "distributed/spread.h"

#include "object/memory.h"
#include "state/state.h"

#include <string.h>

typedef DV_ARRAY(unsigned char) Bytes;

static void add(Bytes *to, const void *bytes, size_t count)
{
  if (!count) return;
  dv_reserve(to, count);
  memcpy(to->data + to->count, bytes, count);
  to->count += count;
}

static bool is_at(const dvMemoryObject *o, const dvState *s)
{
  char *path = dv_object_path(&s->base);
  const bool same = dv_same(o->path, path);
  dv_free(path);
  return same;
}

static bool is_output(const dvSpread *b, const dvMemoryObject *o)
{
  for (size_t i = 0; i < b->outputs.count; i++)
    if (is_at(o, b->outputs.data[i].state)) return true;
  return false;
}

// the number of points that a state says it has
static bool is_size(const dvSpread *b, const dvMemoryObject *o, const dvMemoryEntry *e)
{
  return e->kind == DV_MEMORY_NUMBERS && dv_same(e->name, "size") && is_at(o, dv_spread_state(b)) &&
         e->count * e->size == sizeof(size_t);
}

// numbers of a row where there is one for each of so many points, else 0; vectors of outputs are named after them
static size_t row_width(const dvSpread *b, const dvMemoryObject *o, const dvMemoryEntry *e, size_t points)
{
  if (e->kind != DV_MEMORY_REALS || e->size != sizeof(double) || !e->count || e->count % points != 0 || is_output(b, o))
    return 0;
  const char *of = strstr(e->name, " of /");
  for (size_t i = 0; of && i < b->outputs.count; i++) {
    char *path = dv_object_path(&b->outputs.data[i].state->base);
    const bool same = dv_same(of + 4, path);
    dv_free(path);
    if (same) return 0;
  }
  return e->count / points;
}

static bool agree(const dvSpread *b, bool mine) { return b->engine->worst(mine ? 0 : 1) == 0; }

// whether all processes have the same number
static bool same_number(const dvSpread *b, size_t value)
{
  size_t first = value;
  b->engine->broadcast(&first, sizeof first);
  return agree(b, first == value);
}

static bool same_bytes(const dvSpread *b, const unsigned char *bytes, size_t count)
{
  unsigned char *first = dv_alloc(count + 1);
  if (b->rank == 0 && count) memcpy(first, bytes, count);
  b->engine->broadcast(first, count);
  const bool same = agree(b, count == 0 || memcmp(first, bytes, count) == 0);
  dv_free(first);
  return same;
}

static bool gather_entry(const dvSpread *b, const dvMemoryObject *o, dvMemoryEntry *e, const unsigned char *bytes,
                         Bytes *out)
{
  const size_t width = row_width(b, o, e, b->parts.points), count = (size_t)e->count * e->size;
  e->at = out->count;
  if (is_size(b, o, e)) {
    add(out, &(size_t){b->parts.all}, sizeof(size_t));
    return true;
  }
  if (!same_number(b, width)) return false;
  if (width) {
    double *whole = dv_spread_gather_rows(b, (const double *)(const void *)bytes, width);
    e->count = width * b->parts.all;
    if (whole) add(out, whole, width * b->parts.all * sizeof *whole);
    dv_free(whole);
    return true;
  }
  if (!same_number(b, count)) return false;
  if (!is_output(b, o) && !strstr(e->name, " of /") && !same_bytes(b, bytes, count)) return false;
  add(out, bytes, count);
  return true;
}

bool dv_spread_gather_memory(dvParts *parts, dvSnapshot *m, dvText *why)
{
  const dvSpread *b = (const dvSpread *)parts;
  Bytes out = {0};
  if (!same_number(b, m->objects.count) || !same_number(b, m->entries.count)) {
    dv_text_add(why, "the processes remember different things");
    return false;
  }
  for (size_t i = 0; i < m->objects.count; i++)
    for (size_t k = 0; k < m->objects.data[i].count; k++) {
      const dvMemoryObject *o = &m->objects.data[i];
      dvMemoryEntry *e = &m->entries.data[o->first + k];
      if (gather_entry(b, o, e, m->bytes.data + e->at, &out)) continue;
      dv_text_printf(why, "%s (%s) remembers what each process has for itself: %s", o->path, o->cls, e->name);
      dv_array_free(&out);
      return false;
    }
  dv_array_free(&m->bytes);
  m->bytes.data = out.data, m->bytes.count = out.count, m->bytes.capacity = out.capacity;
  return true;
}

static void scatter_entry(const dvSpread *b, const dvMemoryObject *o, dvMemoryEntry *e, const unsigned char *bytes,
                          Bytes *out)
{
  const size_t width = row_width(b, o, e, b->parts.all);
  e->at = out->count;
  if (is_size(b, o, e)) {
    size_t points;
    memcpy(&points, bytes, sizeof points);
    if (points == b->parts.all) points = b->parts.points;   // else of another body: that is told
    add(out, &points, sizeof points);
  } else if (width) {
    for (size_t i = 0; i < b->origin.count; i++)
      add(out, bytes + (size_t)b->origin.data[i] * width * sizeof(double), width * sizeof(double));
    e->count = width * b->origin.count;
  } else {
    add(out, bytes, (size_t)e->count * e->size);
  }
}

void dv_spread_scatter_memory(dvParts *parts, dvSnapshot *m)
{
  const dvSpread *b = (const dvSpread *)parts;
  Bytes out = {0};
  for (size_t i = 0; i < m->objects.count; i++)
    for (size_t k = 0; k < m->objects.data[i].count; k++) {
      dvMemoryEntry *e = &m->entries.data[m->objects.data[i].first + k];
      scatter_entry(b, &m->objects.data[i], e, m->bytes.data + e->at, &out);
    }
  dv_array_free(&m->bytes);
  m->bytes.data = out.data, m->bytes.count = out.count, m->bytes.capacity = out.capacity;
}
