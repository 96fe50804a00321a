// See block_matrix.h.
#include "math/block_matrix_kernels.h"

#include "base/file.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { GRAIN = 256 };   // block rows a chunk of a product

bool dv_block_matrix_init(dvBlockMatrix *a, int block, dvPattern *pattern)
{
  DV_REQUIRE(block == 1 || block == 3 || block == 6);
  dv_block_matrix_free(a);
  a->block = block;
  a->pattern = *pattern;
  *pattern = (dvPattern){0};
  size_t numbers = dv_pattern_count(&a->pattern) * (size_t)(block * block);
  a->values = dv_alloc_aligned((numbers + 4) * sizeof *a->values);   // packs read past the last row of a block
  if (!a->values) dv_block_matrix_free(a);
  return a->values != NULL;
}

void dv_block_matrix_free(dvBlockMatrix *a)
{
  dv_pattern_free(&a->pattern);
  dv_free(a->values);
  *a = (dvBlockMatrix){0};
}

// --- products ------------------------------------------------------------------------------------

typedef struct Product {
  dvRowProduct run;
  const dvBlockMatrix *a;
  const double *x;
  double *y;
} Product;

static void product_body(void *user, size_t begin, size_t end)
{
  const Product *p = user;
  p->run(p->a, begin, end, p->x, p->y);
}

void dv_block_matrix_product(const dvBlockMatrix *a, dvPool *pool, const double *x, double *y)
{
  const dvBlockMatrixKernels *k = DV_KERNEL_CHOOSE(dv_block_matrix_kernels);
  Product p = {a->block == 3 ? k->product3 : a->block == 6 ? k->product6 : k->product1, a, x, y};
  double ns = 0.2 * (double)(dv_pattern_count(&a->pattern) * (size_t)(a->block * a->block));
  dv_parallel_for(dv_pool_for(pool, ns), a->pattern.rows, GRAIN, product_body, &p);
}

void dv_block_matrix_product_transposed(const dvBlockMatrix *a, const double *x, double *y)
{
  size_t b = (size_t)a->block;
  memset(y, 0, dv_block_matrix_cols(a) * sizeof *y);
  for (size_t r = 0; r < a->pattern.rows; r++)
    for (int32_t e = a->pattern.row_start[r]; e < a->pattern.row_start[r + 1]; e++) {
      const double *v = dv_block_matrix_at(a, e);
      double *to = y + (size_t)a->pattern.col[e] * b;
      for (size_t i = 0; i < b; i++)
        for (size_t j = 0; j < b; j++) to[j] += v[i * b + j] * x[r * b + i];
    }
}

// --- looking at it -------------------------------------------------------------------------------

double dv_block_matrix_entry(const dvBlockMatrix *a, size_t row, size_t col)
{
  size_t b = (size_t)a->block;
  int32_t place = dv_pattern_find(&a->pattern, row / b, col / b);
  return place < 0 ? 0 : dv_block_matrix_at(a, place)[(row % b) * b + col % b];
}

// calls `visit` for every scalar entry, row by row, columns ascending
typedef void (*Visit)(void *user, size_t row, size_t col, double value);
static void visit_entries(const dvBlockMatrix *a, Visit visit, void *user)
{
  size_t b = (size_t)a->block;
  for (size_t r = 0; r < a->pattern.rows; r++)
    for (size_t i = 0; i < b; i++)
      for (int32_t e = a->pattern.row_start[r]; e < a->pattern.row_start[r + 1]; e++)
        for (size_t j = 0; j < b; j++)
          visit(user, r * b + i, (size_t)a->pattern.col[e] * b + j, dv_block_matrix_at(a, e)[i * b + j]);
}

typedef struct Dense {
  double *out;
  size_t cols;
} Dense;

static void put_dense(void *user, size_t row, size_t col, double value)
{
  const Dense *d = user;
  d->out[row * d->cols + col] = value;
}

void dv_block_matrix_to_dense(const dvBlockMatrix *a, double *out)
{
  memset(out, 0, dv_block_matrix_rows(a) * dv_block_matrix_cols(a) * sizeof *out);
  visit_entries(a, put_dense, &(Dense){out, dv_block_matrix_cols(a)});
}

typedef struct Asymmetry {
  const dvBlockMatrix *a;
  double largest, difference;
} Asymmetry;

static void compare_mirrored(void *user, size_t row, size_t col, double value)
{
  Asymmetry *s = user;
  s->largest = fmax(s->largest, fabs(value));
  s->difference = fmax(s->difference, fabs(value - dv_block_matrix_entry(s->a, col, row)));
}

double dv_block_matrix_asymmetry(const dvBlockMatrix *a)
{
  if (a->pattern.rows != a->pattern.cols) return INFINITY;
  Asymmetry s = {.a = a};
  visit_entries(a, compare_mirrored, &s);
  return s.largest > 0 ? s.difference / s.largest : 0;
}

// --- files ---------------------------------------------------------------------------------------

typedef struct Lines {
  FILE *file;
  size_t count;
} Lines;

static void put_line(void *user, size_t row, size_t col, double value)
{
  Lines *l = user;
  if (value == 0) return;
  l->count++;
  if (l->file) dv_print(l->file, "%zu %zu %.17g\n", row + 1, col + 1, value);
}

bool dv_block_matrix_write_mtx(const dvBlockMatrix *a, const char *path)
{
  Lines lines = {0};
  visit_entries(a, put_line, &lines);
  FILE *f = dv_file_write(path, "w");
  if (!f) return false;
  fprintf(f, "%%%%MatrixMarket matrix coordinate real general\n%zu %zu %zu\n", dv_block_matrix_rows(a),
          dv_block_matrix_cols(a), lines.count);
  lines.file = f;
  visit_entries(a, put_line, &lines);
  bool good = !ferror(f);
  return fclose(f) == 0 && good;
}

typedef struct Picture {
  unsigned char *pixels;
  size_t size, scale;
} Picture;

static void put_pixel(void *user, size_t row, size_t col, double value)
{
  Picture *p = user;
  if (value == 0) return;
  unsigned char *at = &p->pixels[(row / p->scale) * p->size + col / p->scale];
  unsigned char shade = row == col ? 0 : 96;   // the diagonal stands out
  if (shade < *at) *at = shade;
}

unsigned char *dv_block_matrix_draw(const dvBlockMatrix *a, int pixels, size_t *side)
{
  size_t rows = dv_max_size(dv_block_matrix_rows(a), dv_block_matrix_cols(a)), most = (size_t)dv_max_int(pixels, 1);
  Picture p = {.scale = rows > most ? (rows + most - 1) / most : 1};
  *side = p.size = rows ? (rows + p.scale - 1) / p.scale : 1;
  p.pixels = dv_try_alloc(p.size * p.size);
  if (!p.pixels) return NULL;
  memset(p.pixels, 255, p.size * p.size);
  visit_entries(a, put_pixel, &p);
  return p.pixels;
}

bool dv_block_matrix_write_picture(const dvBlockMatrix *a, const char *path, int pixels)
{
  size_t side;
  unsigned char *grey = dv_block_matrix_draw(a, pixels, &side);
  FILE *f = grey ? dv_file_write(path, "wb") : NULL;
  bool good = f && fprintf(f, "P5\n%zu %zu\n255\n", side, side) > 0 && fwrite(grey, 1, side * side, f) == side * side;
  if (f) good = fclose(f) == 0 && good;
  dv_free(grey);
  return good;
}
