// See values.h. dvReals and dvInts have the same layout up to the element type, so both are served by
// the functions on raw storage below.
#include "object/values.h"

#include <stdatomic.h>
#include <string.h>

enum { HEADER = 64, SPARES = 2 };   // the header keeps the numbers aligned

struct dvBuffer {
  atomic_int references;
  size_t capacity;                     // bytes
  _Atomic(dvBuffer *) spare[SPARES];   // blocks that shared storage had before: the next copies go there. May be NULL
};
_Static_assert(sizeof(dvBuffer) <= HEADER, "the numbers stand behind the header");

static _Thread_local size_t copies;

size_t dv_buffer_copies(void) { return copies; }

static dvBuffer *buffer_create(size_t bytes)
{
  if (bytes > PTRDIFF_MAX - 2 * HEADER) return NULL;
  dvBuffer *b = dv_alloc_aligned(HEADER + bytes);
  if (!b) return NULL;
  atomic_init(&b->references, 1);
  b->capacity = bytes;
  for (int i = 0; i < SPARES; i++) atomic_init(&b->spare[i], NULL);
  return b;
}

static void *buffer_data(dvBuffer *b) { return b ? (char *)b + HEADER : NULL; }

// nobody else holds it, and what others have read of it they have read before
static bool is_sole(dvBuffer *b) { return atomic_load_explicit(&b->references, memory_order_acquire) == 1; }

static void buffer_hold(dvBuffer *b)
{
  if (b) atomic_fetch_add_explicit(&b->references, 1, memory_order_relaxed);
}

static void buffer_free(dvBuffer *b)
{
  for (int i = 0; i < SPARES; i++) dv_free(atomic_load_explicit(&b->spare[i], memory_order_relaxed));
  dv_free(b);
}

static void buffer_release(dvBuffer *b)
{
  if (b && atomic_fetch_sub_explicit(&b->references, 1, memory_order_acq_rel) == 1) buffer_free(b);
}

// keeps a block that nobody holds, without spares of its own, for the next copy of `b`
static void add_spare(dvBuffer *b, dvBuffer *spare)
{
  for (int i = 0; i < SPARES; i++) {
    dvBuffer *none = NULL;
    if (atomic_compare_exchange_strong_explicit(&b->spare[i], &none, spare, memory_order_acq_rel, memory_order_relaxed))
      return;
  }
  dv_free(spare);
}

static dvBuffer *take_spare(dvBuffer *b, int i)
{
  return atomic_exchange_explicit(&b->spare[i], NULL, memory_order_acq_rel);
}

static void move_spares(dvBuffer *from, dvBuffer *to)
{
  for (int i = 0; i < SPARES; i++) {
    dvBuffer *spare = take_spare(from, i);
    if (spare) add_spare(to, spare);
  }
}

// an owner of `old` turns to `next`: where fields show each other's numbers, a few blocks take turns and nothing is
// allocated
static void buffer_turn(dvBuffer *old, dvBuffer *next)
{
  if (!old || !next || old == next || old->capacity != next->capacity) {
    buffer_release(old);
    return;
  }
  if (atomic_fetch_sub_explicit(&old->references, 1, memory_order_acq_rel) > 1) return;
  move_spares(old, next);
  add_spare(next, old);
}

// a spare block that is large enough, with the other spares
static dvBuffer *buffer_take_spare(dvBuffer *b, size_t bytes)
{
  for (int i = 0; b && i < SPARES; i++) {
    dvBuffer *spare = take_spare(b, i);
    if (spare && spare->capacity >= bytes) {
      atomic_store_explicit(&spare->references, 1, memory_order_relaxed);
      move_spares(b, spare);   // who writes now will write again
      return spare;
    }
    dv_free(spare);
  }
  return NULL;
}

// a buffer of this owner alone with room for new_bytes, the first `keep` bytes kept
static dvBuffer *buffer_own(dvBuffer *b, size_t keep, size_t new_bytes)
{
  bool sole = b && is_sole(b);
  if (sole && b->capacity >= new_bytes) return b;
  size_t room = sole ? dv_max_size(new_bytes, b->capacity + b->capacity / 2) : new_bytes;
  dvBuffer *fresh = buffer_take_spare(b, room);
  if (!fresh) fresh = buffer_create(room);
  if (!fresh) return NULL;
  if (keep) memcpy(buffer_data(fresh), buffer_data(b), dv_min_size(keep, new_bytes));
  if (b && !sole && keep) copies++;
  buffer_release(b);
  return fresh;
}

// the data, which nobody else shares afterwards; the first `keep` bytes are what they were
static void *raw_edit(dvBuffer **buffer, void *data, size_t bytes, size_t keep)
{
  if (!*buffer || is_sole(*buffer)) return data;
  dvBuffer *own;
  DV_MUST((own = buffer_own(*buffer, keep, bytes)));
  *buffer = own;
  return buffer_data(own);
}

double *dv_reals_edit(dvReals *r)
{
  size_t bytes = r->count * sizeof(double);
  return r->data = raw_edit(&r->buffer, r->data, bytes, bytes);
}

double *dv_reals_overwrite(dvReals *r) { return r->data = raw_edit(&r->buffer, r->data, r->count * sizeof(double), 0); }

int32_t *dv_ints_edit(dvInts *r)
{
  size_t bytes = r->count * sizeof(int32_t);
  return r->data = raw_edit(&r->buffer, r->data, bytes, bytes);
}

static bool raw_resize(dvBuffer **buffer, void **data, size_t *old_count, size_t count, size_t element)
{
  if (count > PTRDIFF_MAX / element / 2) return false;
  dvBuffer *b = buffer_own(*buffer, *old_count * element, count * element);
  if (!b) return false;
  *buffer = b;
  *data = buffer_data(b);
  if (count > *old_count) memset((char *)*data + *old_count * element, 0, (count - *old_count) * element);
  *old_count = count;
  return true;
}

bool dv_reals_resize(dvReals *r, size_t count)
{
  void *data = r->data;
  bool good = raw_resize(&r->buffer, &data, &r->count, count, sizeof(double));
  r->data = data;
  return good;
}

bool dv_ints_resize(dvInts *r, size_t count)
{
  void *data = r->data;
  bool good = raw_resize(&r->buffer, &data, &r->count, count, sizeof(int32_t));
  r->data = data;
  return good;
}

size_t dv_reals_room(const dvReals *r) { return r->buffer ? r->buffer->capacity / sizeof(double) : 0; }

bool dv_ints_reserve(dvInts *r, size_t count)
{
  if (count > PTRDIFF_MAX / sizeof(int32_t) / 2) return false;
  dvBuffer *b = buffer_own(r->buffer, 0, count * sizeof(int32_t));
  if (!b) return false;
  r->buffer = b;
  r->data = buffer_data(b);
  return true;
}

bool dv_reals_assign(dvReals *r, const double *values, size_t count)
{
  if (!dv_reals_resize(r, count)) return false;
  if (count) memcpy(r->data, values, count * sizeof *values);
  return true;
}

bool dv_ints_assign(dvInts *r, const int32_t *values, size_t count)
{
  if (!dv_ints_resize(r, count)) return false;
  if (count) memcpy(r->data, values, count * sizeof *values);
  return true;
}

void dv_reals_share(dvReals *r, const dvReals *other)
{
  buffer_hold(other->buffer);
  buffer_turn(r->buffer, other->buffer);
  r->buffer = other->buffer, r->data = other->data, r->count = other->count;
}

void dv_ints_share(dvInts *r, const dvInts *other)
{
  buffer_hold(other->buffer);
  buffer_turn(r->buffer, other->buffer);
  r->buffer = other->buffer, r->data = other->data, r->count = other->count;
}

void dv_reals_free(dvReals *r)
{
  buffer_release(r->buffer);
  r->buffer = NULL, r->data = NULL, r->count = 0;
}

void dv_ints_free(dvInts *r)
{
  buffer_release(r->buffer);
  r->buffer = NULL, r->data = NULL, r->count = 0;
}

bool dv_lists_clear(dvLists *l) { return dv_ints_resize(&l->starts, 0) && dv_ints_resize(&l->items, 0); }

bool dv_lists_push(dvLists *l, const int32_t *values, size_t count)
{
  size_t first = l->items.count, at = dv_max_size(l->starts.count, 1);
  if (count > INT32_MAX || first > INT32_MAX - count) return false;
  if (!dv_ints_resize(&l->starts, at + 1) || !dv_ints_resize(&l->items, first + count)) return false;
  if (count) memcpy(l->items.data + first, values, count * sizeof *values);
  l->starts.data[at] = (int32_t)(first + count);
  return true;
}

void dv_lists_share(dvLists *l, const dvLists *other)
{
  dv_ints_share(&l->starts, &other->starts);
  dv_ints_share(&l->items, &other->items);
}

void dv_lists_free(dvLists *l)
{
  dv_ints_free(&l->starts);
  dv_ints_free(&l->items);
}

void dv_strings_push(dvStrings *s, const char *text, size_t length)
{
  s->data = dv_realloc(s->data, s->count * sizeof *s->data, (s->count + 1) * sizeof *s->data);
  s->data[s->count++] = dv_strndup(text, length);
}

void dv_strings_free(dvStrings *s)
{
  for (size_t i = 0; i < s->count; i++) dv_free(s->data[i]);
  dv_free(s->data);
  *s = (dvStrings){0};
}

void dv_strings_copy(dvStrings *s, const dvStrings *other)
{
  dvStrings copy = {0};
  for (size_t i = 0; i < other->count; i++) dv_strings_push(&copy, other->data[i], strlen(other->data[i]));
  dv_strings_free(s);
  *s = copy;
}
