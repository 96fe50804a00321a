// Sparse matrices of small square blocks, in compressed rows.
//
// Blocks of 1, 3 or 6 numbers a side, stored row by row. A product y = A x forms every row in one order, so it has the
// same bits for any number of threads.
#ifndef DV_MATH_BLOCK_MATRIX_H
#define DV_MATH_BLOCK_MATRIX_H

#include "base/pool.h"
#include "math/pattern.h"

DV_PUBLIC_BEGIN

enum { DV_MAX_BLOCK = 6 };

typedef struct dvBlockMatrix {
  int block;           // numbers a side: 1, 3 or 6
  dvPattern pattern;   // of blocks
  double *values;      // block x block numbers for each entry
} dvBlockMatrix;

// Takes over the pattern (which is empty afterwards) and sets all values to zero. False when memory is short.
bool dv_block_matrix_init(dvBlockMatrix *a, int block, dvPattern *pattern);
void dv_block_matrix_free(dvBlockMatrix *a);
// Numbers of scalar rows and columns.
static inline size_t dv_block_matrix_rows(const dvBlockMatrix *a) { return a->pattern.rows * (size_t)a->block; }
static inline size_t dv_block_matrix_cols(const dvBlockMatrix *a) { return a->pattern.cols * (size_t)a->block; }
// The values of an entry.
static inline double *dv_block_matrix_at(const dvBlockMatrix *a, int32_t place)
{
  return a->values + (size_t)place * (size_t)(a->block * a->block);
}

// y = A x and y = A^T x; x and y may not overlap. The transposed product runs in the caller.
void dv_block_matrix_product(const dvBlockMatrix *a, dvPool *pool, const double *x, double *y);
void dv_block_matrix_product_transposed(const dvBlockMatrix *a, const double *x, double *y);

// One scalar entry, 0 where there is none.
double dv_block_matrix_entry(const dvBlockMatrix *a, size_t row, size_t col);
// Copies into rows x cols numbers, row by row.
void dv_block_matrix_to_dense(const dvBlockMatrix *a, double *out);
// Largest |a_ij - a_ji| over the largest |a_ij|; 0 for a symmetric matrix. Infinite when it is not square.
double dv_block_matrix_asymmetry(const dvBlockMatrix *a);

// Writes a MatrixMarket file (coordinate, real, general) of the entries that are not zero, and a picture (PGM) whose
// dark pixels are entries, at most `pixels` a side. False when the file cannot be written.
bool dv_block_matrix_write_mtx(const dvBlockMatrix *a, const char *path);
bool dv_block_matrix_write_picture(const dvBlockMatrix *a, const char *path, int pixels);
// The pixels of that picture, rows of *side grey values; NULL without memory. The caller frees them.
unsigned char *dv_block_matrix_draw(const dvBlockMatrix *a, int pixels, size_t *side);

DV_PUBLIC_END

#endif
