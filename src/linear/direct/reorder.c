// See reorder.h.
//
// Points have numbers only: when one goes, the last one takes its number. A row is taken for the same point as before
// when most of its neighbours are the same; any other is new.
#include "linear/direct/reorder.h"

#include <string.h>

// An order that was taken over may cost that much more than one from scratch would: about what METIS and AMD take,
// seen over a few factorisations.
static const double DEAR = 1.4;

void dv_order_history_free(dvOrderHistory *h)
{
  dv_array_free(&h->row_start);
  dv_array_free(&h->col);
  dv_array_free(&h->order);
  *h = (dvOrderHistory){0};
}

static dvPattern pattern_of(const dvOrderHistory *h)
{
  return (dvPattern){h->order.count, h->order.count, h->row_start.data, h->col.data};
}

static uint64_t hash_of(const dvPattern *a)
{
  return dv_hash_numbers(a->col, dv_pattern_count(a), dv_hash_numbers(a->row_start, a->rows + 1, 0));
}

// --- an order near to another --------------------------------------------------------------------

// neighbours of row i that it has in both patterns; both lists ascend
static int32_t common_neighbours(const dvPattern *was, const dvPattern *now, size_t i)
{
  int32_t a = was->row_start[i], b = now->row_start[i], common = 0;
  while (a < was->row_start[i + 1] && b < now->row_start[i + 1]) {
    int32_t x = was->col[a], y = now->col[b];
    common += x == y && (size_t)x != i;
    a += x <= y;
    b += y <= x;
  }
  return common;
}

static bool is_same_point(const dvPattern *was, const dvPattern *now, size_t i)
{
  if (i >= was->rows) return false;
  int32_t before = was->row_start[i + 1] - was->row_start[i], after = now->row_start[i + 1] - now->row_start[i];
  const int32_t *a = was->col + was->row_start[i], *b = now->col + now->row_start[i];
  if (before == after && memcmp(a, b, (size_t)after * sizeof *a) == 0) return true;
  return 2 * common_neighbours(was, now, i) >= (before < after ? before : after) - 1;
}

// Keys: twice the place of before, and one more for who comes right behind it. What is new goes behind the last of its
// neighbours that have a key from an earlier round, so that the result does not depend on the order of the rows.
static void give_keys(const dvPattern *was, const dvPattern *now, const int32_t *before, int32_t *key, int32_t *round)
{
  size_t left = 0;
  for (size_t k = 0; k < was->rows; k++)
    if ((size_t)before[k] < now->rows) key[before[k]] = 2 * (int32_t)k;
  for (size_t i = 0; i < now->rows; i++) {
    round[i] = is_same_point(was, now, i) ? 0 : -1;
    if (round[i] < 0) key[i] = 2 * (int32_t)was->rows, left++;   // at the end, if it has no neighbours at all
  }
  for (int32_t r = 1; left > 0; r++) {
    size_t found = 0;
    for (size_t i = 0; i < now->rows; i++) {
      int32_t most = -1;
      if (round[i] >= 0) continue;
      for (int32_t e = now->row_start[i]; e < now->row_start[i + 1]; e++) {
        int32_t j = now->col[e];
        if (round[j] >= 0 && round[j] < r && key[j] > most) most = key[j];
      }
      if (most < 0) continue;
      key[i] = most | 1;
      round[i] = r;
      found++;
    }
    if (found == 0) return;
    left -= found;
  }
}

// rows by key, equal ones in their own order
static void sort_by_key(size_t n, const int32_t *key, size_t keys, int32_t *start, int32_t *perm)
{
  memset(start, 0, (keys + 1) * sizeof *start);
  for (size_t i = 0; i < n; i++) start[key[i] + 1]++;
  for (size_t k = 0; k < keys; k++) start[k + 1] += start[k];
  for (size_t i = 0; i < n; i++) perm[start[key[i]]++] = (int32_t)i;
}

bool dv_order_near(const dvPattern *was, const int32_t *before, const dvPattern *now, int32_t *perm, bool *moved)
{
  size_t n = now->rows, keys = 2 * was->rows + 2;
  if (was->rows > INT32_MAX / 2 - 2) return false;
  int32_t *key = dv_try_alloc((2 * n + keys + 2) * sizeof *key), *round = key + n, *start = round + n;
  if (!key) return false;
  give_keys(was, now, before, key, round);
  for (size_t i = 0; i < n && moved; i++) moved[i] = round[i] != 0;
  sort_by_key(n, key, keys, start, perm);
  dv_free(key);
  return true;
}

// --- history -------------------------------------------------------------------------------------

void dv_order_history_propose(const dvOrderHistory *h, const dvPattern *a, int32_t *room, bool *moved,
                              dvOrderChoice *choice)
{
  choice->given = NULL;
  if (h->analyses < 2) return;
  dvPattern was = pattern_of(h);
  double growth = (double)a->rows / dv_max(h->rows, 1);
  if (dv_pattern_same(&was, a)) {   // restored: that very order again
    memcpy(room, h->order.data, a->rows * sizeof *room);
    memset(moved, 0, a->rows * sizeof *moved);
    choice->most = 1e300;
  } else {
    if (!dv_order_near(&was, h->order.data, a, room, moved)) return;
    choice->most = DEAR * h->work * growth * growth;   // of a solid: n to the power of two
  }
  choice->given = room;
  choice->before = was;
  choice->moved = moved;
}

void dv_order_history_note(dvOrderHistory *h, const dvPattern *a, const dvOrderChoice *choice)
{
  uint64_t hash = hash_of(a);
  if (h->analyses == 0 || h->hash != hash) h->analyses = h->analyses < 2 ? h->analyses + 1 : 2;
  h->hash = hash;
  if (choice->whole) h->work = choice->work, h->rows = (double)a->rows;
  if (h->analyses < 2) return;
  dv_array_resize(&h->row_start, a->rows + 1);
  dv_array_resize(&h->col, dv_pattern_count(a));
  dv_array_resize(&h->order, a->rows);
  memcpy(h->row_start.data, a->row_start, h->row_start.count * sizeof *a->row_start);
  if (h->col.count) memcpy(h->col.data, a->col, h->col.count * sizeof *a->col);
  if (a->rows) memcpy(h->order.data, choice->used, a->rows * sizeof *choice->used);
}

uint64_t dv_order_history_key(const dvOrderHistory *h)
{
  if (h->analyses < 2) return 0;
  return dv_hash_numbers(h->order.data, h->order.count, h->hash) | 1;
}

// every number once, rows within the columns
static bool is_sound(const dvOrderHistory *h)
{
  size_t n = h->order.count;
  if (h->analyses < 2) return n == 0 && h->col.count == 0;
  if (h->analyses > 2 || h->row_start.count != n + 1 || h->row_start.data[0] != 0) return false;
  for (size_t r = 0; r < n; r++)
    if (h->row_start.data[r + 1] < h->row_start.data[r]) return false;
  if ((size_t)h->row_start.data[n] != h->col.count) return false;
  for (size_t e = 0; e < h->col.count; e++)
    if (h->col.data[e] < 0 || (size_t)h->col.data[e] >= n) return false;
  bool *seen = dv_try_alloc(n + 1), good = seen != NULL;
  for (size_t k = 0; k < n && good; k++) {
    int32_t row = h->order.data[k];
    good = row >= 0 && (size_t)row < n && !seen[row];
    if (good) seen[row] = true;
  }
  dv_free(seen);
  return good;
}

void dv_order_history_remember(dvOrderHistory *h, dvMemoryStream *s)
{
  dv_remember_numbers(s, "analyses", &h->analyses, sizeof h->analyses);
  dv_remember_numbers(s, "pattern", &h->hash, sizeof h->hash);
  dv_remember_numbers(s, "work of an order", &h->work, sizeof h->work);
  dv_remember_numbers(s, "rows of an order", &h->rows, sizeof h->rows);
  dv_remember_array(s, "rows of the pattern", &h->row_start);
  dv_remember_array(s, "columns of the pattern", &h->col);
  dv_remember_array(s, "order", &h->order);
  if (!dv_memory_restores(s) || s->refused || is_sound(h)) return;
  dv_order_history_free(h);
  dv_memory_refuse(s, "the order of elimination cannot be");
}
