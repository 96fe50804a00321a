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

// the slot that holds the tuple, or the free one where it belongs; `width` is a constant where this is inlined
static inline __attribute__((always_inline)) size_t slot_in(const dvTupleSet *s, const int32_t *key, int width)
{
  // products do not wait for each other; the highest bits of their sum depend on all bits of all indices
  static const uint64_t odd[DV_TUPLE_WIDTH] = {0x9e3779b97f4a7c15u, 0xc2b2ae3d27d4eb4fu, 0xff51afd7ed558ccdu,
                                               0xbf58476d1ce4e5b9u, 0x94d049bb133111ebu, 0xc4ceb9fe1a85ec53u,
                                               0x87c37b91114253d5u, 0x4cf5ad432745937fu};
  uint64_t h = 0;
  for (int i = 0; i < width; i++) h += (uint32_t)key[i] * odd[i];
  for (size_t at = (size_t)((h >> 32) * s->slot_count >> 32);; at = (at + 1) & (s->slot_count - 1)) {
    if (!s->slots[at]) return at;
    const int32_t *other = s->keys.data + (size_t)(s->slots[at] - 1) * (size_t)width;
    int i = 0;
    while (i < width && other[i] == key[i]) i++;
    if (i == width) return at;
  }
}

static size_t slot_of(const dvTupleSet *s, const int32_t *key)
{
  switch (s->width) {
  case 2:
    return slot_in(s, key, 2);
  case 3:
    return slot_in(s, key, 3);
  case 4:
    return slot_in(s, key, 4);
  default:
    return slot_in(s, key, s->width);
  }
}

static bool grow(dvTupleSet *s, size_t wanted)
{
  size_t count = dv_tuple_set_count(s);
  int32_t *slots = dv_try_alloc(wanted * sizeof *slots);
  if (!slots) return false;
  dv_free(s->slots);
  s->slots = slots;
  s->slot_count = wanted;
  for (size_t i = 0; i < count; i++) slots[slot_of(s, s->keys.data + i * (size_t)s->width)] = (int32_t)i + 1;
  return true;
}

void dv_tuple_set_expect(dvTupleSet *s, size_t count)
{
  size_t wanted = FIRST_SLOTS;
  while (wanted < SIZE_MAX / 4 && 2 * wanted < 3 * count) wanted *= 2;
  if (wanted > s->slot_count && !grow(s, wanted)) s->failed = true;
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
  bool cramped = s->keys.capacity - s->keys.count < width;
  if (s->failed || count >= INT32_MAX - 1 || (full && !grow(s, s->slot_count ? 2 * s->slot_count : FIRST_SLOTS)) ||
      (cramped && !dv_try_reserve(&s->keys, width))) {
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

// the other indices of a tuple of two or three
static inline uint64_t rest_of(const int32_t *key, int width)
{
  return (uint32_t)key[1] | (uint64_t)(uint32_t)(width == 3 ? key[2] : 0) << 32;
}

// the same as below: what is compared stands side by side
static bool match_short(const int32_t *keys, int width, const int32_t *entries, int32_t count, int32_t *first)
{
  uint64_t seen[FEW];
  int32_t who[FEW], different = 0;
  for (int32_t i = 0; i < count; i++) {
    uint64_t rest = rest_of(keys + (size_t)entries[i] * (size_t)width, width);
    int32_t j = 0;
    while (j < different && seen[j] != rest) j++;
    if (j == different) {
      if (different == FEW) return match_many(keys, width, entries, count, first);
      seen[different] = rest;
      who[different++] = entries[i];
    }
    first[entries[i]] = who[j];
  }
  return true;
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
    bool short_keys = width == 2 || width == 3;
    for (size_t row = 0; row < rows && good; row++)
      good =
          (short_keys ? match_short : match)(keys, width, entries + start[row], start[row + 1] - start[row], numbers);
  }
  dv_free(start);
  dv_free(entries);
  if (!good) return -1;
  int32_t different = 0;
  for (size_t i = 0; i < count; i++) numbers[i] = numbers[i] == (int32_t)i ? different++ : numbers[numbers[i]];
  return different;
}
