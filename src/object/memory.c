// See memory.h.
#include "object/memory.h"

#include "object/object.h"

#include <stdio.h>
#include <string.h>

bool dv_memory_restores(const dvMemoryStream *s) { return s->mode == DV_MEMORY_RESTORES; }

void dv_memory_refuse(dvMemoryStream *s, const char *format, ...)
{
  if (s->refused) return;
  s->refused = true;
  va_list args;
  va_start(args, format);
  dv_text_vprintf(&s->why, format, args);
  va_end(args);
}

void dv_snapshot_free(dvSnapshot *m)
{
  for (size_t i = 0; i < m->objects.count; i++) {
    dv_free(m->objects.data[i].path);
    dv_free(m->objects.data[i].cls);
  }
  for (size_t i = 0; i < m->entries.count; i++) dv_free(m->entries.data[i].name);
  for (size_t i = 0; i < m->shares.count; i++) dv_reals_free(&m->shares.data[i]);
  dv_array_free(&m->objects);
  dv_array_free(&m->entries);
  dv_array_free(&m->bytes);
  dv_array_free(&m->shares);
}

// --- entries -------------------------------------------------------------------------------------

static dvMemoryEntry *append(dvMemoryStream *s, const char *name, dvMemoryKind kind, size_t size, size_t count)
{
  dvSnapshot *m = s->memory;
  dvMemoryEntry e = {m->unnamed ? NULL : dv_strdup(name), kind, (uint32_t)size, count, m->bytes.count, s->state};
  dv_push(&m->entries, e);
  m->objects.data[m->objects.count - 1].count++;
  return &m->entries.data[m->entries.count - 1];
}

static void save(dvMemoryStream *s, const char *name, dvMemoryKind kind, const void *data, size_t size, size_t count)
{
  dvSnapshot *m = s->memory;
  append(s, name, kind, size, count);
  if (m->hollow || size * count == 0) return;
  dv_reserve(&m->bytes, size * count);
  memcpy(m->bytes.data + m->bytes.count, data, size * count);
  m->bytes.count += size * count;
}

static void hash(dvMemoryStream *s, const void *data, size_t size, size_t count)
{
  uint64_t n = count;
  s->hash = dv_hash_bytes(&n, sizeof n, s->hash);
  if (size * count > 0) s->hash = dv_hash_bytes(data, size * count, s->hash);
}

// In a memory that stays with its scene vectors are those of their states: some of these may have come or gone.
static bool find_vector(dvMemoryStream *s, const dvMemoryObject *o)
{
  const dvSnapshot *m = s->memory;
  for (size_t i = s->entry; i < o->count; i++)
    if (m->entries.data[o->first + i].of == s->state) return s->entry = i, true;
  return false;
}

static void pass_vectors(dvMemoryStream *s, const dvMemoryObject *o)
{
  while (s->entry < o->count && s->memory->entries.data[o->first + s->entry].of) s->entry++;
}

// the next entry, which has this name and size; NULL when another one comes
static const dvMemoryEntry *next(dvMemoryStream *s, const char *name, dvMemoryKind kind, size_t size)
{
  const dvSnapshot *m = s->memory;
  const dvMemoryObject *o = s->object ? &m->objects.data[s->object - 1] : NULL;
  if (s->refused || s->absent) return NULL;
  if (o && s->state && m->unnamed && !find_vector(s, o)) return NULL;
  if (o && !s->state && m->unnamed) pass_vectors(s, o);
  if (!o || s->entry >= o->count) {
    dv_memory_refuse(s, "%s is missing", name);
    return NULL;
  }
  const dvMemoryEntry *e = &m->entries.data[o->first + s->entry++];
  if (e->kind == kind && e->size == size && (m->unnamed || dv_same(e->name, name))) return e;
  dv_memory_refuse(s, "%s comes where %s is expected", e->name ? e->name : "another list", name);
  return NULL;
}

static const void *bytes_of(const dvMemoryStream *s, const dvMemoryEntry *e) { return s->memory->bytes.data + e->at; }

static bool are_flags(const unsigned char *bytes, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (bytes[i] > 1) return false;
  return true;
}

// a number of elements that the scene sets
static void fixed(dvMemoryStream *s, const char *name, const dvMemoryDesc *d, void *data, size_t count)
{
  dvMemoryKind kind = d->kind;
  size_t size = d->size;
  if (s->mode == DV_MEMORY_HASHES) hash(s, data, size, count);
  if (s->mode == DV_MEMORY_SAVES) save(s, name, kind, data, size, count);
  if (s->mode != DV_MEMORY_RESTORES) return;
  const dvMemoryEntry *e = next(s, name, kind, size);
  if (!e) return;
  if (e->count != count && s->lenient) return;
  if (e->count != count)
    dv_memory_refuse(s, "%s has %llu entries and not %zu", name, (unsigned long long)e->count, count);
  else if (d->flags && !are_flags(bytes_of(s, e), size * count)) dv_memory_refuse(s, "%s is neither 0 nor 1", name);
  else if (size * count > 0) memcpy(data, bytes_of(s, e), size * count);
}

void dv_remember_numbers_(dvMemoryStream *s, const char *name, void *data, size_t bytes, bool flags)
{
  const dvMemoryDesc d = {.kind = DV_MEMORY_NUMBERS, .size = 1, .flags = flags};
  fixed(s, name, &d, data, data ? bytes : 0);
}

void dv_remember_array_(dvMemoryStream *s, const char *name, void **data, size_t *count, size_t *capacity, size_t size)
{
  if (s->mode == DV_MEMORY_HASHES) hash(s, *data, size, *count);
  if (s->mode == DV_MEMORY_SAVES) save(s, name, DV_MEMORY_ARRAY, *data, size, *count);
  if (s->mode != DV_MEMORY_RESTORES) return;
  const dvMemoryEntry *e = next(s, name, DV_MEMORY_ARRAY, size);
  if (!e) return;
  dv_array_resize_(data, count, capacity, (size_t)e->count, size);
  if (e->count) memcpy(*data, bytes_of(s, e), size * (size_t)e->count);
}

void dv_remember_reals(dvMemoryStream *s, const char *name, dvReals *r)
{
  if (s->mode == DV_MEMORY_HASHES) hash(s, r->data, sizeof(double), r->count);
  if (s->mode == DV_MEMORY_SAVES) save(s, name, DV_MEMORY_REALS, r->data, sizeof(double), r->count);
  if (s->mode != DV_MEMORY_RESTORES) return;
  const dvMemoryEntry *e = next(s, name, DV_MEMORY_REALS, sizeof(double));
  if (e && !dv_reals_assign(r, bytes_of(s, e), (size_t)e->count)) dv_memory_refuse(s, "out of memory");
}

void dv_remember_ints(dvMemoryStream *s, const char *name, dvInts *r)
{
  if (s->mode == DV_MEMORY_HASHES) hash(s, r->data, sizeof(int32_t), r->count);
  if (s->mode == DV_MEMORY_SAVES) save(s, name, DV_MEMORY_INTS, r->data, sizeof(int32_t), r->count);
  if (s->mode != DV_MEMORY_RESTORES) return;
  const dvMemoryEntry *e = next(s, name, DV_MEMORY_INTS, sizeof(int32_t));
  if (e && !dv_ints_assign(r, bytes_of(s, e), (size_t)e->count)) dv_memory_refuse(s, "out of memory");
}

// shared lists stand beside the bytes
void dv_remember_shared(dvMemoryStream *s, const char *name, dvReals *r)
{
  dvSnapshot *m = s->memory;
  if (!m || !m->shared) {
    dv_remember_reals(s, name, r);
  } else if (s->mode == DV_MEMORY_SAVES) {
    append(s, name, DV_MEMORY_REALS, sizeof(double), r->count)->at = m->shares.count;
    dv_push(&m->shares, (dvReals){0});
    dv_reals_share(&m->shares.data[m->shares.count - 1], r);
  } else {
    const dvMemoryEntry *e = next(s, name, DV_MEMORY_REALS, sizeof(double));
    if (e) dv_reals_share(r, &m->shares.data[e->at]);
  }
}

// --- objects -------------------------------------------------------------------------------------

// the likeliest one is the next
static bool find_own(dvMemoryStream *s, const dvObject *o)
{
  const dvSnapshot *m = s->memory;
  for (size_t i = 0; i < m->objects.count; i++) {
    const size_t at = (s->object + i) % m->objects.count;
    if (m->objects.data[at].of == o) return s->object = at + 1, true;
  }
  return false;
}

static void begin_object(dvMemoryStream *s, const dvObject *o)
{
  dvSnapshot *m = s->memory;
  s->entry = 0;
  if (s->mode == DV_MEMORY_SAVES) {
    dvMemoryObject entry = {.first = m->entries.count};
    if (!m->unnamed) entry.path = dv_object_path(o), entry.cls = dv_strdup(o->cls->name);
    else entry.of = o;
    dv_push(&m->objects, entry);
  } else if (s->mode == DV_MEMORY_RESTORES && m->unnamed) {
    s->absent = !find_own(s, o);
  } else if (s->mode == DV_MEMORY_RESTORES) {
    if (s->object >= m->objects.count) dv_memory_refuse(s, "%s is missing", o->name);
    else s->object++;
  }
}

typedef DV_ARRAY(unsigned char) Bytes;   // any array

// a field that was put back is another one for those who are linked to it
static void touch_field(const dvObject *o, const void *member)
{
  for (int i = 0; i < o->field_count; i++)
    if (o->fields[i].value == member) dv_field_touch(&o->fields[i]);
}

static void remember_member(dvObject *o, const dvMemoryDesc *d, dvMemoryStream *s)
{
  void *member = (char *)o + d->offset;
  Bytes *a = member;
  switch (d->kind) {
  case DV_MEMORY_NUMBERS:
    dv_remember_numbers_(s, d->name, member, d->size, d->flags);
    break;
  case DV_MEMORY_ARRAY:
    dv_remember_array_(s, d->name, (void **)&a->data, &a->count, &a->capacity, d->size);
    break;
  case DV_MEMORY_LIST:
    fixed(s, d->name, d, a->data, a->count);
    break;
  case DV_MEMORY_REALS:
    dv_remember_reals(s, d->name, member);
    break;
  case DV_MEMORY_INTS:
    dv_remember_ints(s, d->name, member);
    break;
  case DV_MEMORY_VECTOR:
    if (*(int *)member > 0) s->vector(s, o, d->name, *(int *)member);
    break;
  }
  if (dv_memory_restores(s) && !s->refused) touch_field(o, member);
}

void dv_object_remember(dvObject *o, dvMemoryStream *s)
{
  const dvClass *c = o->cls;
  if ((!c->memory_count && !c->remember) || s->refused) return;
  begin_object(s, o);
  for (int i = 0; i < c->memory_count; i++) remember_member(o, &c->memory[i], s);
  if (c->remember) c->remember(o, s);
  if (!s->refused) return;
  char *path = dv_object_path(o);
  if (s->why.text && !strstr(s->why.text, path)) {
    char *what = dv_text_take(&s->why);
    dv_text_printf(&s->why, "%s: %s", path, what);
    dv_free(what);
  }
  dv_free(path);
}

void dv_remember_object(dvMemoryStream *s, dvObject *o)
{
  if (!o) return;
  for (int i = 0; i < o->cls->memory_count; i++) remember_member(o, &o->cls->memory[i], s);
  if (o->cls->remember) o->cls->remember(o, s);
}

// --- what differs --------------------------------------------------------------------------------

typedef struct Differences {
  size_t count, most;
  dvText *out;
} Differences;

static void tell(Differences *d, const char *format, ...) DV_PRINTF(2, 3);
static void tell(Differences *d, const char *format, ...)
{
  if (d->count++ >= d->most) return;
  if (d->count > 1) dv_text_add(d->out, "\n");
  va_list args;
  va_start(args, format);
  dv_text_vprintf(d->out, format, args);
  va_end(args);
}

static bool is_fixed(dvMemoryKind kind) { return kind == DV_MEMORY_NUMBERS || kind == DV_MEMORY_LIST; }

static void compare_entries(Differences *d, const dvSnapshot *read, const dvMemoryObject *a, const dvSnapshot *scene,
                            const dvMemoryObject *b)
{
  size_t n = dv_min_size(a->count, b->count);
  for (size_t i = 0; i < n; i++) {
    const dvMemoryEntry *x = &read->entries.data[a->first + i], *y = &scene->entries.data[b->first + i];
    if (!dv_same(x->name, y->name) || x->kind != y->kind || x->size != y->size) {
      tell(d, "%s (%s) remembers other things: %s in the snapshot, %s here", a->path, a->cls, x->name, y->name);
      return;
    }
    if (is_fixed(x->kind) && x->count != y->count)
      tell(d, "%s (%s): %s has %llu entries in the snapshot and %llu here", a->path, a->cls, x->name,
           (unsigned long long)x->count, (unsigned long long)y->count);
  }
  if (a->count > n)
    tell(d, "%s (%s): %s is in the snapshot only", a->path, a->cls, read->entries.data[a->first + n].name);
  if (b->count > n)
    tell(d, "%s (%s): %s is not in the snapshot", a->path, a->cls, scene->entries.data[b->first + n].name);
}

static bool same_object(const dvMemoryObject *a, const dvMemoryObject *b)
{
  return dv_same(a->path, b->path) && dv_same(a->cls, b->cls);
}

// the next place from `from` on where an object like `o` stands, SIZE_MAX when there is none
static size_t find_object(const dvSnapshot *m, size_t from, const dvMemoryObject *o)
{
  for (size_t i = from; i < m->objects.count; i++)
    if (same_object(&m->objects.data[i], o)) return i;
  return SIZE_MAX;
}

size_t dv_snapshot_compare(const dvSnapshot *read, const dvSnapshot *scene, int most, dvText *out)
{
  Differences d = {.most = (size_t)most, .out = out};
  size_t j = 0;
  for (size_t i = 0; i < read->objects.count && d.count < d.most; i++) {
    const dvMemoryObject *a = &read->objects.data[i];
    size_t at = j < scene->objects.count && same_object(a, &scene->objects.data[j]) ? j : find_object(scene, j, a);
    if (at == SIZE_MAX) {
      tell(&d, "%s (%s) is in the snapshot only", a->path, a->cls);
      continue;
    }
    for (; j < at; j++)
      tell(&d, "%s (%s) is not in the snapshot", scene->objects.data[j].path, scene->objects.data[j].cls);
    compare_entries(&d, read, a, scene, &scene->objects.data[j++]);
  }
  for (; j < scene->objects.count && d.count < d.most; j++)
    tell(&d, "%s (%s) is not in the snapshot", scene->objects.data[j].path, scene->objects.data[j].cls);
  return d.count;
}
