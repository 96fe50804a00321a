// Cells of points, sorted by their keys. See near.h.
#include "fluid/near.h"

#include <math.h>
#include <string.h>

enum { AXIS_BITS = 21, DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };
#define AXIS_MASK (((uint64_t)1 << AXIS_BITS) - 1)

// Cells far away share keys with near ones: distances decide. In the middle keys rise with the coordinate.
static uint64_t axis_key(double x, double inverse)
{
  const double period = (double)((uint64_t)1 << AXIS_BITS);
  double c = floor(x * inverse) + 0.5 * period;
  if (!(c >= 0 && c < period)) c -= period * floor(c / period);
  return c >= 0 && c < period ? (uint64_t)c : 0;   // what is not finite comes to 0
}

static uint64_t join(uint64_t x, uint64_t y, uint64_t z)
{
  return (z & AXIS_MASK) << 2 * AXIS_BITS | (y & AXIS_MASK) << AXIS_BITS | (x & AXIS_MASK);
}

// By rising key, those of one key as they were: digit by digit, without those that all keys share.
static void sort(uint64_t *keys, uint64_t *spare_keys, int32_t *points, int32_t *spare_points, size_t count)
{
  uint64_t varies = 0;
  for (size_t i = 1; i < count; i++) varies |= keys[i] ^ keys[0];
  uint64_t *from = keys, *to = spare_keys;
  int32_t *p = points, *q = spare_points;
  for (int shift = 0; shift < 3 * AXIS_BITS; shift += DIGIT_BITS) {
    if ((varies >> shift & (DIGITS - 1)) == 0) continue;
    uint32_t place[DIGITS] = {0}, sum = 0;
    for (size_t i = 0; i < count; i++) place[from[i] >> shift & (DIGITS - 1)]++;
    for (int d = 0; d < DIGITS; d++) {
      uint32_t here = place[d];
      place[d] = sum;
      sum += here;
    }
    for (size_t i = 0; i < count; i++) {
      uint32_t at = place[from[i] >> shift & (DIGITS - 1)]++;
      to[at] = from[i];
      q[at] = p[i];
    }
    uint64_t *k = from;
    from = to, to = k;
    int32_t *r = p;
    p = q, q = r;
  }
  if (from == keys) return;
  memcpy(keys, from, count * sizeof *keys);
  memcpy(points, p, count * sizeof *points);
}

static bool reserve(dvNear *n, size_t count)
{
  size_t chunks = (count + DV_NEAR_CHUNK - 1) / DV_NEAR_CHUNK, had = n->chunks.count;
  n->cell.count = n->first.count = 0;
  if (!dv_try_reserve(&n->point, count) || !dv_try_reserve(&n->x, 3 * count) || !dv_try_reserve(&n->keys, 2 * count) ||
      !dv_try_reserve(&n->scratch, count) || !dv_try_reserve(&n->cell, count) || !dv_try_reserve(&n->first, count + 1))
    return false;
  if (chunks <= had) return true;
  if (!dv_try_reserve(&n->chunks, chunks - had)) return false;
  memset(n->chunks.data + had, 0, (chunks - had) * sizeof *n->chunks.data);
  n->chunks.count = chunks;
  return true;
}

// the first cell from `from` on, or before it, whose key is not below `key`
static size_t seek(const dvNear *n, size_t from, uint64_t key)
{
  const uint64_t *cell = n->cell.data;
  size_t low = 0, high = n->cell.count;
  if (from < high && cell[from] < key) {
    size_t step = 1;
    low = from + 1;
    while (low + step < high && cell[low + step] < key) low += step, step *= 2;
    if (low + step < high) high = low + step;
  } else if (from < high) {
    if (from == 0 || cell[from - 1] < key) return from;
    high = from;
  }
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (cell[middle] < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

typedef struct Span {
  int32_t begin, end;   // ranks
} Span;

enum { ROWS = 9, SPANS = 2 * ROWS };

// Ranks in the cells around one, as spans in ascending order where keys do not wrap. Each row of three cells along x is
// one span; `cursor` is where the row was found the last time.
static int spans_around(const dvNear *n, uint64_t key, size_t cursor[ROWS], Span *out)
{
  uint64_t x = key & AXIS_MASK, y = key >> AXIS_BITS & AXIS_MASK, z = key >> 2 * AXIS_BITS;
  bool wraps = x == 0 || x == AXIS_MASK;
  int spans = 0;
  for (int row = 0; row < ROWS; row++) {
    uint64_t along = join(0, y + (uint64_t)(row % 3) - 1, z + (uint64_t)(row / 3) - 1);
    uint64_t from = wraps ? (x == 0 ? 0 : x - 1) : x - 1, to = wraps ? (x == 0 ? 1 : x) : x + 1;
    size_t begin = seek(n, cursor[row], along | from), end = begin;
    while (end < n->cell.count && n->cell.data[end] <= (along | to)) end++;
    cursor[row] = begin;
    if (end > begin) out[spans++] = (Span){n->first.data[begin], n->first.data[end]};
    if (!wraps) continue;
    begin = seek(n, begin, along | (x == 0 ? AXIS_MASK : 0));
    if (begin < n->cell.count && n->cell.data[begin] == (along | (x == 0 ? AXIS_MASK : 0)))
      out[spans++] = (Span){n->first.data[begin], n->first.data[begin + 1]};
  }
  return spans;
}

static void find_chunk(dvNear *n, size_t chunk)
{
  dvNearChunk *c = &n->chunks.data[chunk];
  size_t begin = chunk * DV_NEAR_CHUNK, end = dv_min_size(n->count, begin + DV_NEAR_CHUNK);
  const double *x = n->x.data, reach2 = n->reach * n->reach;
  size_t cursor[ROWS] = {0};
  Span around[SPANS];
  int spans = 0;
  c->list.count = 0;
  c->crowded = false;
  for (size_t i = begin; i < end; i++) {
    if (i == begin || n->keys.data[i] != n->keys.data[i - 1]) spans = spans_around(n, n->keys.data[i], cursor, around);
    c->start[i - begin] = (uint32_t)c->list.count;
    double a = x[3 * i], b = x[3 * i + 1], d = x[3 * i + 2];
    for (int s = 0; s < spans && !c->crowded; s++) {
      dv_reserve(&c->list, (size_t)(around[s].end - around[s].begin));
      int32_t *out = c->list.data + c->list.count, *first = out;
      for (int32_t j = around[s].begin; j < around[s].end; j++) {
        const double *y = x + 3 * (size_t)j;
        double u = y[0] - a, v = y[1] - b, w = y[2] - d;
        *out = j;
        out += (u * u + v * v + w * w < reach2) & (j != (int32_t)i);   // no branch: most are not near
      }
      c->list.count += (size_t)(out - first);
      c->crowded = c->list.count - c->start[i - begin] > DV_NEAR_MOST;
    }
  }
  c->start[end - begin] = (uint32_t)c->list.count;
}

static void find_chunks(void *user, size_t begin, size_t end)
{
  for (size_t c = begin; c < end; c++) find_chunk(user, c);
}

bool dv_near_find(dvNear *n, dvPool *pool, const double *x, size_t count, double width, double reach)
{
  n->count = 0;
  if (count == 0) return true;
  if (!reserve(n, count)) return false;
  n->count = count;
  n->reach = reach;
  double inverse = 1 / fmax(width, reach);
  for (size_t i = 0; i < count; i++) {
    const double *p = x + 3 * i;
    n->keys.data[i] = join(axis_key(p[0], inverse), axis_key(p[1], inverse), axis_key(p[2], inverse));
    n->point.data[i] = (int32_t)i;
  }
  sort(n->keys.data, n->keys.data + count, n->point.data, n->scratch.data, count);
  for (size_t i = 0; i < count; i++) {
    memcpy(n->x.data + 3 * i, x + 3 * (size_t)n->point.data[i], 3 * sizeof *x);
    if (i > 0 && n->keys.data[i] == n->keys.data[i - 1]) continue;
    n->cell.data[n->cell.count++] = n->keys.data[i];
    n->first.data[n->first.count++] = (int32_t)i;
  }
  n->first.data[n->first.count] = (int32_t)count;
  dv_parallel_for(dv_pool_for(pool, 400.0 * (double)count), dv_near_chunks(n), 1, find_chunks, n);
  return true;
}

bool dv_near_crowded(const dvNear *n)
{
  for (size_t c = 0; c < dv_near_chunks(n); c++)
    if (n->chunks.data[c].crowded) return true;
  return false;
}

void dv_near_free(dvNear *n)
{
  for (size_t c = 0; c < n->chunks.count; c++) dv_array_free(&n->chunks.data[c].list);
  dv_array_free(&n->point);
  dv_array_free(&n->x);
  dv_array_free(&n->keys);
  dv_array_free(&n->scratch);
  dv_array_free(&n->cell);
  dv_array_free(&n->first);
  dv_array_free(&n->chunks);
}
