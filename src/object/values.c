// See values.h. dvReals and dvInts have the same layout up to the element type, so both are served by
// the functions on raw storage below.
#include "object/values.h"

#include <string.h>

enum { HEADER = 64 };   // keeps the numbers aligned behind the counter

static _Thread_local size_t copies;

size_t dv_buffer_copies(void) { return copies; }

static dvBuffer *buffer_create(size_t bytes)
{
  if (bytes > PTRDIFF_MAX - 2 * HEADER) return NULL;
  dvBuffer *b = dv_alloc_aligned(HEADER + bytes);
  if (b) *b = (dvBuffer){.references = 1, .capacity = bytes};
  return b;
}

static void *buffer_data(dvBuffer *b) { return b ? (char *)b + HEADER : NULL; }

static void buffer_release(dvBuffer *b)
{
  if (!b || --b->references > 0) return;
  dv_free(b->spare);
  dv_free(b);
}

// an owner of `old` turns to `next`: where two fields show each other's numbers, two blocks take turns and nothing is
// allocated
static void buffer_turn(dvBuffer *old, dvBuffer *next)
{
  if (!old || !next || old == next || old->references > 1 || old->capacity != next->capacity || next->spare) {
    buffer_release(old);
    return;
  }
  dv_free(old->spare);
  old->spare = NULL;
  next->spare = old;
}

// the spare block, if it is large enough
static dvBuffer *buffer_take_spare(dvBuffer *b, size_t bytes)
{
  dvBuffer *spare = b ? b->spare : NULL;
  if (!spare || spare->capacity < bytes) return NULL;
  b->spare = NULL;
  spare->references = 1;
  return spare;
}

// a buffer of this owner alone with room for new_bytes, the first `keep` bytes kept
static dvBuffer *buffer_own(dvBuffer *b, size_t keep, size_t new_bytes)
{
  if (b && b->references == 1 && b->capacity >= new_bytes) return b;
  size_t room = b && b->references == 1 ? dv_max_size(new_bytes, b->capacity + b->capacity / 2) : new_bytes;
  dvBuffer *fresh = buffer_take_spare(b, room);
  if (!fresh) fresh = buffer_create(room);
  if (!fresh) return NULL;
  if (keep) memcpy(buffer_data(fresh), buffer_data(b), dv_min_size(keep, new_bytes));
  if (b && b->references > 1 && keep) copies++;
  buffer_release(b);
  return fresh;
}

// the data, which nobody else shares afterwards
static void *raw_edit(dvBuffer **buffer, void *data, size_t bytes)
{
  if (!*buffer || (*buffer)->references == 1) return data;
  dvBuffer *own;
  DV_MUST((own = buffer_own(*buffer, bytes, bytes)));
  *buffer = own;
  return buffer_data(own);
}

double *dv_reals_edit(dvReals *r) { return r->data = raw_edit(&r->buffer, r->data, r->count * sizeof(double)); }

int32_t *dv_ints_edit(dvInts *r) { return r->data = raw_edit(&r->buffer, r->data, r->count * sizeof(int32_t)); }

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
  if (other->buffer) other->buffer->references++;
  buffer_turn(r->buffer, other->buffer);
  r->buffer = other->buffer, r->data = other->data, r->count = other->count;
}

void dv_ints_share(dvInts *r, const dvInts *other)
{
  if (other->buffer) other->buffer->references++;
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
