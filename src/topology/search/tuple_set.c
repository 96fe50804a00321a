// Open addressing with linear probing, at most two thirds full. See tuple_set.h.
#include "topology/search/tuple_set.h"

enum { FIRST_SLOTS = 64 };

void dv_tuple_set_init(dvTupleSet *s, int width)
{
  DV_REQUIRE(width > 0 && width <= DV_TUPLE_WIDTH);
  *s = (dvTupleSet){.width = width};
}

void dv_tuple_set_free(dvTupleSet *s)
{
  dv_array_free(&s->keys);
  dv_free(s->slots);
  s->slots = NULL;
  s->slot_count = 0;
}

static size_t home(const dvTupleSet *s, const int32_t *key)
{
  uint64_t h = 0x9e3779b97f4a7c15u;
  for (int i = 0; i < s->width; i++) {
    h = (h ^ (uint32_t)key[i]) * 0xff51afd7ed558ccdu;
    h ^= h >> 32;
  }
  return (size_t)h & (s->slot_count - 1);
}

static bool same(const dvTupleSet *s, int32_t number, const int32_t *key)
{
  const int32_t *other = s->keys.data + (size_t)number * (size_t)s->width;
  for (int i = 0; i < s->width; i++)
    if (other[i] != key[i]) return false;
  return true;
}

// the slot that holds the tuple, or the free one where it belongs
static size_t slot_of(const dvTupleSet *s, const int32_t *key)
{
  size_t at = home(s, key);
  while (s->slots[at] && !same(s, s->slots[at] - 1, key)) at = (at + 1) & (s->slot_count - 1);
  return at;
}

static bool grow(dvTupleSet *s)
{
  size_t count = dv_tuple_set_count(s), wanted = s->slot_count ? 2 * s->slot_count : FIRST_SLOTS;
  int32_t *slots = dv_try_alloc(wanted * sizeof *slots);
  if (!slots) return false;
  dv_free(s->slots);
  s->slots = slots;
  s->slot_count = wanted;
  for (size_t i = 0; i < count; i++) slots[slot_of(s, s->keys.data + i * (size_t)s->width)] = (int32_t)i + 1;
  return true;
}

int32_t dv_tuple_set_find(const dvTupleSet *s, const int32_t *key)
{
  return s->slot_count ? s->slots[slot_of(s, key)] - 1 : -1;
}

int32_t dv_tuple_set_add(dvTupleSet *s, const int32_t *key, bool *fresh)
{
  if (fresh) *fresh = false;
  size_t count = dv_tuple_set_count(s), width = (size_t)s->width;
  bool full = 3 * (count + 1) > 2 * s->slot_count;
  if (s->failed || count >= INT32_MAX - 1 || (full && !grow(s)) || !dv_try_reserve(&s->keys, width)) {
    s->failed = true;
    return -1;
  }
  size_t at = slot_of(s, key);
  if (s->slots[at]) return s->slots[at] - 1;
  memcpy(s->keys.data + s->keys.count, key, width * sizeof *key);
  s->keys.count += width;
  s->slots[at] = (int32_t)count + 1;
  if (fresh) *fresh = true;
  return (int32_t)count;
}

// --- many at once --------------------------------------------------------------------------------

enum { FEW = 48 };   // different tuples that are compared one by one before a table is made

static bool equal(const int32_t *a, const int32_t *b, int width)
{
  for (int i = 1; i < width; i++)   // the first indices are equal already
    if (a[i] != b[i]) return false;
  return true;
}

// a point with many tuples: finds equal ones with a set
static bool match_many(const int32_t *keys, int width, const int32_t *entries, int32_t count, int32_t *first)
{
  dvTupleSet set;
  dv_tuple_set_init(&set, width);
  int32_t *seen = dv_try_alloc((size_t)count * sizeof *seen);
  for (int32_t i = 0; i < count && seen; i++) {
    bool fresh;
    int32_t number = dv_tuple_set_add(&set, keys + (size_t)entries[i] * (size_t)width, &fresh);
    if (number < 0) break;
    if (fresh) seen[number] = entries[i];
    first[entries[i]] = seen[number];
  }
  bool good = seen && !set.failed;
  dv_free(seen);
  dv_tuple_set_free(&set);
  return good;
}

// first[e] becomes the first entry that is equal to e
static bool match(const int32_t *keys, int width, const int32_t *entries, int32_t count, int32_t *first)
{
  int32_t seen[FEW], different = 0;
  for (int32_t i = 0; i < count; i++) {
    const int32_t *key = keys + (size_t)entries[i] * (size_t)width;
    int32_t j = 0;
    while (j < different && !equal(keys + (size_t)seen[j] * (size_t)width, key, width)) j++;
    if (j == different) {
      if (different == FEW) return match_many(keys, width, entries, count, first);
      seen[different++] = entries[i];
    }
    first[entries[i]] = seen[j];
  }
  return true;
}

int32_t dv_tuples_number(const int32_t *keys, size_t count, int width, int32_t *numbers)
{
  if (count > INT32_MAX - 2) return -1;
  int32_t most = -1;
  for (size_t i = 0; i < count; i++) most = (int32_t)dv_max_int(most, keys[i * (size_t)width]);
  size_t rows = (size_t)(most + 1);
  int32_t *start = dv_try_alloc((rows + 2) * sizeof *start), *entries = dv_try_alloc((count + 1) * sizeof *entries);
  bool good = start && entries;
  if (good) {
    for (size_t i = 0; i < count; i++) start[keys[i * (size_t)width] + 2]++;
    for (size_t i = 0; i < rows; i++) start[i + 2] += start[i + 1];
    for (size_t i = 0; i < count; i++) entries[start[keys[i * (size_t)width] + 1]++] = (int32_t)i;
    for (size_t row = 0; row < rows && good; row++)
      good = match(keys, width, entries + start[row], start[row + 1] - start[row], numbers);
  }
  dv_free(start);
  dv_free(entries);
  if (!good) return -1;
  int32_t different = 0;
  for (size_t i = 0; i < count; i++) numbers[i] = numbers[i] == (int32_t)i ? different++ : numbers[numbers[i]];
  return different;
}
