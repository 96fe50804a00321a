// See loose_rows.h.
#include "math/loose_rows.h"

#include <string.h>

enum { SPARE = 4, SHARE = 8 };   // a row that moves gets so many entries more, and one in so many of those it has

void dv_loose_free(dvRows *r)
{
  dv_array_free(&r->offset);
  dv_array_free(&r->index);
  dv_array_free(&r->value);
  dv_array_free(&r->end);
  dv_array_free(&r->room);
}

void dv_loose_clear(dvRows *r)
{
  r->offset.count = r->index.count = r->value.count = r->end.count = r->room.count = 0;
  r->loose = false;
}

// counts go two places up, starts one place up: filling moves them to where they belong
bool dv_loose_invert(dvRows *r, const int32_t *row, size_t entries, size_t rows)
{
  dv_loose_clear(r);
  r->plain = true;
  if (entries > INT32_MAX || rows > INT32_MAX - 2 || !dv_try_reserve(&r->offset, rows + 2) ||
      !dv_try_reserve(&r->index, entries + 1))
    return false;
  dv_array_resize(&r->offset, rows + 2);
  memset(r->offset.data, 0, (rows + 2) * sizeof *r->offset.data);
  size_t used = 0;
  for (size_t e = 0; e < entries; e++) {
    if (row[e] < 0) continue;
    DV_REQUIRE((size_t)row[e] < rows);
    r->offset.data[row[e] + 2]++;
    used++;
  }
  for (size_t i = 2; i < rows + 2; i++) r->offset.data[i] += r->offset.data[i - 1];
  dv_array_resize(&r->index, used);
  for (size_t e = 0; e < entries; e++)
    if (row[e] >= 0) r->index.data[r->offset.data[row[e] + 1]++] = (int32_t)e;
  r->offset.count = rows + 1;
  return true;
}

bool dv_loose_loosen(dvRows *r, size_t rows)
{
  if (r->loose) return true;
  r->end.count = r->room.count = 0;
  if (!dv_try_reserve(&r->end, rows) || !dv_try_reserve(&r->room, rows)) return false;
  for (size_t i = 0; i < rows; i++) {
    dv_push(&r->end, r->offset.data[i + 1]);
    dv_push(&r->room, r->offset.data[i + 1] - r->offset.data[i]);
  }
  r->offset.count = rows;
  r->tight = r->index.count;
  return r->loose = true;
}

bool dv_loose_make_room(dvRows *r, size_t row, int32_t count)
{
  if (count <= r->room.data[row]) return true;
  size_t at = r->index.count, had = (size_t)(r->end.data[row] - r->offset.data[row]),
         room = (size_t)count + SPARE + had / SHARE;
  if (at + room > INT32_MAX || !dv_try_reserve(&r->index, room) || (!r->plain && !dv_try_reserve(&r->value, room)))
    return false;
  memcpy(r->index.data + at, r->index.data + r->offset.data[row], had * sizeof *r->index.data);
  memset(r->index.data + at + had, 0, (room - had) * sizeof *r->index.data);
  r->index.count = at + room;
  if (!r->plain) {
    memcpy(r->value.data + at, r->value.data + r->offset.data[row], had * sizeof *r->value.data);
    memset(r->value.data + at + had, 0, (room - had) * sizeof *r->value.data);
    r->value.count = at + room;
  }
  r->offset.data[row] = (int32_t)at;
  r->end.data[row] = (int32_t)(at + had);
  r->room.data[row] = (int32_t)room;
  return true;
}

// the first place of a row whose number is larger than `below`
static int32_t find_above(const dvRows *r, size_t row, int32_t below)
{
  int32_t low = r->offset.data[row], high = r->end.data[row];
  while (low < high) {
    int32_t middle = low + (high - low) / 2;
    if (r->index.data[middle] > below) high = middle;
    else low = middle + 1;
  }
  return low;
}

static void shift(dvRows *r, int32_t to, int32_t from, int32_t end)
{
  memmove(r->index.data + to, r->index.data + from, (size_t)(end - from) * sizeof *r->index.data);
  if (!r->plain) memmove(r->value.data + to, r->value.data + from, (size_t)(end - from) * sizeof *r->value.data);
}

void dv_loose_take_out(dvRows *r, size_t row, int32_t index)
{
  int32_t begin = find_above(r, row, index - 1), end = find_above(r, row, index);
  shift(r, begin, end, r->end.data[row]);
  r->end.data[row] -= end - begin;
}

bool dv_loose_put_in(dvRows *r, size_t row, int32_t index, double value)
{
  if (!dv_loose_make_room(r, row, r->end.data[row] - r->offset.data[row] + 1)) return false;
  int32_t at = find_above(r, row, index);
  shift(r, at + 1, at, r->end.data[row]++);
  r->index.data[at] = index;
  if (!r->plain) r->value.data[at] = value;
  return true;
}

bool dv_loose_are_wasteful(const dvRows *r) { return r->loose && r->index.count > 2 * r->tight + 1024; }

void dv_loose_push(dvRows *r)
{
  dv_push(&r->offset, 0);
  dv_push(&r->end, 0);
  dv_push(&r->room, 0);
}

bool dv_loose_pop(dvRows *r, size_t number)
{
  size_t last = r->offset.count - 1;
  if (r->offset.data[number] != r->end.data[number] || r->offset.data[last] != r->end.data[last]) return false;
  r->offset.count = r->end.count = r->room.count = last;
  return true;
}
