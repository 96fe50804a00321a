// Linear mappings as compressed rows: point i of the output is the sum of weight x input point over row i.
//
// The transposed rows are built once, so that forces go up as a gather too: every input point collects its
// contributions in the order of the output points. No two threads write to one place, and the order of a sum never
// depends on their number.
#ifndef DV_MAPPING_LINEAR_WEIGHTS_H
#define DV_MAPPING_LINEAR_WEIGHTS_H

#include "base/isa.h"
#include "base/pool.h"
#include "math/loose_rows.h"

typedef struct dvWeights {
  size_t out_points, in_points;
  dvRows rows, transposed;
  bool identity;   // point i is input point i, for all of them
  bool one_way;    // set before finishing: nothing comes back, the transposed rows are not made
} dvWeights;

// How the numbers of a point lie in the two vectors: `width` leading numbers of each point take part.
typedef struct dvStrides {
  int in, out, width;
} dvStrides;

void dv_weights_clear(dvWeights *w);
void dv_weights_free(dvWeights *w);
// Adds an entry to the row being made; weights of exactly zero are left out.
void dv_weights_add(dvWeights *w, int32_t input, double weight);
void dv_weights_end_row(dvWeights *w);
// Closes the rows and makes the transposed ones. Every input index must be below `in_points`. False when there are
// too many entries or memory is short.
bool dv_weights_finish(dvWeights *w, size_t in_points);
// Where point i is input point i for all of them: another number of points. False when that is not so.
bool dv_weights_resize_identity(dvWeights *w, size_t points);

// out = W in
void dv_weights_apply(const dvWeights *w, dvPool *pool, dvStrides s, const double *in, double *out);
// out += W in
void dv_weights_apply_add(const dvWeights *w, dvPool *pool, dvStrides s, const double *in, double *out);
// in += W^T out
void dv_weights_apply_transposed(const dvWeights *w, dvPool *pool, dvStrides s, const double *out, double *in);

// --- for meshes that change (weights_patch.c) ---

// Rows can be changed one by one from here on, until all of them are cleared. False when memory is short.
bool dv_weights_loosen(dvWeights *w);
// Of loose rows. Empties one; gives an empty one its entries, zeros left out. False when memory is short, or so much of
// it lies waste that everything is better made again.
void dv_weights_drop(dvWeights *w, size_t row);
// Another number of rows: those that go must be empty, those that come are.
bool dv_weights_resize_rows(dvWeights *w, size_t rows);
bool dv_weights_put(dvWeights *w, size_t row, const int32_t *inputs, const double *weights, int count);
// There is one input point more, or one less: the last one took the number of one that went. No row may have either of
// them; false when one does.
bool dv_weights_add_input(dvWeights *w);
bool dv_weights_remove_input(dvWeights *w, size_t number);

// --- inner loops ---

typedef struct dvWeightsKernels {
  // three numbers a point, rows begin to end - 1: to = R from, and to += R from
  void (*gather)(dvRowView rows, size_t begin, size_t end, const double *from, double *to);
  void (*gather_add)(dvRowView rows, size_t begin, size_t end, const double *from, double *to);
} dvWeightsKernels;

DV_KERNEL_DECLARE(dvWeightsKernels, dv_weights_kernels);

#endif
