// Rows of weights that change one by one, while a mesh changes. See weights.h and math/loose_rows.h.
//
// Transposed rows stay in the order of the output points, so that sums keep their bits.
#include "mapping/linear/weights.h"

bool dv_weights_loosen(dvWeights *w)
{
  w->identity = false;
  return dv_loose_loosen(&w->rows, w->out_points) && (w->one_way || dv_loose_loosen(&w->transposed, w->in_points));
}

void dv_weights_drop(dvWeights *w, size_t row)
{
  dvRows *r = &w->rows;
  for (int32_t e = r->offset.data[row]; e < r->end.data[row] && !w->one_way; e++)
    dv_loose_take_out(&w->transposed, (size_t)r->index.data[e], (int32_t)row);
  r->end.data[row] = r->offset.data[row];
}

bool dv_weights_resize_rows(dvWeights *w, size_t rows)
{
  if (rows > INT32_MAX) return false;
  while (w->out_points < rows) {
    dv_loose_push(&w->rows);
    w->out_points++;
  }
  for (; w->out_points > rows; w->out_points--)
    if (!dv_loose_pop(&w->rows, w->out_points - 1)) return false;
  return true;
}

bool dv_weights_put(dvWeights *w, size_t row, const int32_t *inputs, const double *weights, int count)
{
  dvRows *r = &w->rows;
  if (dv_loose_are_wasteful(r) || dv_loose_are_wasteful(&w->transposed) || !dv_loose_make_room(r, row, count))
    return false;
  for (int k = 0; k < count; k++) {
    if (weights[k] == 0) continue;
    DV_REQUIRE(inputs[k] >= 0 && (size_t)inputs[k] < w->in_points);
    r->index.data[r->end.data[row]] = inputs[k];
    r->value.data[r->end.data[row]++] = weights[k];
    if (!w->one_way && !dv_loose_put_in(&w->transposed, (size_t)inputs[k], (int32_t)row, weights[k])) return false;
  }
  return true;
}

bool dv_weights_add_input(dvWeights *w)
{
  if (w->in_points >= INT32_MAX) return false;
  w->in_points++;
  if (!w->one_way) dv_loose_push(&w->transposed);
  return true;
}

bool dv_weights_remove_input(dvWeights *w, size_t number)
{
  w->in_points--;
  return w->one_way || dv_loose_pop(&w->transposed, number);
}
