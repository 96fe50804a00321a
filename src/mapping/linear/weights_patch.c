// Rows of weights that change one by one, while a mesh changes. See weights.h.
//
// A row that has grown beyond its room moves behind the others and gets somewhat more; what it leaves is waste until
// all rows are made again. Transposed rows stay in the order of the output points, so that sums keep their bits.
#include "mapping/linear/weights.h"

enum { SPARE = 4 };   // entries that a row gets beyond those that it needs

static bool loosen(dvRows *r, size_t rows)
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

bool dv_weights_loosen(dvWeights *w)
{
  w->identity = false;
  return loosen(&w->rows, w->out_points) && (w->one_way || loosen(&w->transposed, w->in_points));
}

// room for so many entries; what is there stays
static bool make_room(dvRows *r, size_t row, int32_t count)
{
  if (count <= r->room.data[row]) return true;
  size_t at = r->index.count, had = (size_t)(r->end.data[row] - r->offset.data[row]), room = (size_t)count + SPARE;
  if (at + room > INT32_MAX || !dv_try_reserve(&r->index, room) || !dv_try_reserve(&r->value, room)) return false;
  memcpy(r->index.data + at, r->index.data + r->offset.data[row], had * sizeof *r->index.data);
  memcpy(r->value.data + at, r->value.data + r->offset.data[row], had * sizeof *r->value.data);
  memset(r->index.data + at + had, 0, (room - had) * sizeof *r->index.data);
  memset(r->value.data + at + had, 0, (room - had) * sizeof *r->value.data);
  r->index.count = r->value.count = at + room;
  r->offset.data[row] = (int32_t)at;
  r->end.data[row] = (int32_t)(at + had);
  r->room.data[row] = (int32_t)room;
  return true;
}

static void take_out(dvRows *r, size_t row, int32_t index)
{
  int32_t kept = r->offset.data[row];
  for (int32_t e = kept; e < r->end.data[row]; e++) {
    if (r->index.data[e] == index) continue;
    r->index.data[kept] = r->index.data[e];
    r->value.data[kept++] = r->value.data[e];
  }
  r->end.data[row] = kept;
}

// behind all that are not larger
static bool put_in(dvRows *r, size_t row, int32_t index, double value)
{
  if (!make_room(r, row, r->end.data[row] - r->offset.data[row] + 1)) return false;
  int32_t e = r->end.data[row]++;
  for (; e > r->offset.data[row] && r->index.data[e - 1] > index; e--) {
    r->index.data[e] = r->index.data[e - 1];
    r->value.data[e] = r->value.data[e - 1];
  }
  r->index.data[e] = index;
  r->value.data[e] = value;
  return true;
}

void dv_weights_drop(dvWeights *w, size_t row)
{
  dvRows *r = &w->rows;
  for (int32_t e = r->offset.data[row]; e < r->end.data[row] && !w->one_way; e++)
    take_out(&w->transposed, (size_t)r->index.data[e], (int32_t)row);
  r->end.data[row] = r->offset.data[row];
}

static bool is_wasteful(const dvRows *r) { return r->loose && r->index.count > 2 * r->tight + 1024; }

bool dv_weights_put(dvWeights *w, size_t row, const int32_t *inputs, const double *weights, int count)
{
  dvRows *r = &w->rows;
  if (is_wasteful(r) || is_wasteful(&w->transposed) || !make_room(r, row, count)) return false;
  for (int k = 0; k < count; k++) {
    if (weights[k] == 0) continue;
    DV_REQUIRE(inputs[k] >= 0 && (size_t)inputs[k] < w->in_points);
    r->index.data[r->end.data[row]] = inputs[k];
    r->value.data[r->end.data[row]++] = weights[k];
    if (!w->one_way && !put_in(&w->transposed, (size_t)inputs[k], (int32_t)row, weights[k])) return false;
  }
  return true;
}

bool dv_weights_add_input(dvWeights *w)
{
  dvRows *t = &w->transposed;
  if (w->in_points >= INT32_MAX) return false;
  w->in_points++;
  if (w->one_way) return true;
  dv_push(&t->offset, 0);
  dv_push(&t->end, 0);
  dv_push(&t->room, 0);
  return true;
}

bool dv_weights_remove_input(dvWeights *w, size_t number)
{
  dvRows *t = &w->transposed;
  size_t last = --w->in_points;
  if (w->one_way) return true;
  if (t->offset.data[number] != t->end.data[number] || t->offset.data[last] != t->end.data[last]) return false;
  t->offset.count = t->end.count = t->room.count = last;
  return true;
}
