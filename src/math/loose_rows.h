// Compressed rows that can change one by one: what lies around a point, rows of weights and their transposed.
//
// They are made as a whole and lie tight, one after the other. Once loosened, each row has room of its own: one that
// outgrows it moves behind the others and gets somewhat more; what it leaves is waste until all rows are made again.
// Entries stay in ascending order of their numbers, so that sums over a row have the bits of one that is made anew.
#ifndef DV_MATH_LOOSE_ROWS_H
#define DV_MATH_LOOSE_ROWS_H

#include "base/array.h"

// Row i: entries offset[i] to offset[i + 1] - 1; of loose rows offset[i] to end[i] - 1.
typedef struct dvRows {
  DV_ARRAY(int32_t) offset;   // one more than rows
  DV_ARRAY(int32_t) index;
  DV_ARRAY(double) value;        // of each entry; empty where rows have none
  DV_ARRAY(int32_t) end, room;   // of loose rows: room for so many entries
  size_t tight;                  // entries when they were loosened
  bool loose;
  bool plain;   // entries are numbers alone
} dvRows;

typedef struct dvRowView {
  const int32_t *begin, *end, *index;   // row i: begin[i] to end[i] - 1
  const double *value;
} dvRowView;

static inline dvRowView dv_rows_view(const dvRows *r)
{
  return (dvRowView){r->offset.data, r->loose ? r->end.data : r->offset.data + 1, r->index.data, r->value.data};
}

void dv_loose_free(dvRows *r);
// Rows without entries, tight; dv_loose_invert fills them.
void dv_loose_clear(dvRows *r);
// Plain rows from a list: row[e] gets the number e, for all e whose row is not negative; in ascending order. Every row
// must be below `rows`. False when there are too many or memory is short.
bool dv_loose_invert(dvRows *r, const int32_t *row, size_t entries, size_t rows);

// From here on rows can be changed one by one. False when memory is short.
bool dv_loose_loosen(dvRows *r, size_t rows);
// Of loose rows: room for so many entries in one; what is there stays. False when memory is short.
bool dv_loose_make_room(dvRows *r, size_t row, int32_t count);
void dv_loose_take_out(dvRows *r, size_t row, int32_t index);
// Behind all that are not larger.
bool dv_loose_put_in(dvRows *r, size_t row, int32_t index, double value);
// So much lies waste that everything is better made again.
bool dv_loose_are_wasteful(const dvRows *r);
// An empty row at the end; or the last one goes, after it took the number of one that goes. Neither may have entries:
// false when one does.
void dv_loose_push(dvRows *r);
bool dv_loose_pop(dvRows *r, size_t number);

#endif
