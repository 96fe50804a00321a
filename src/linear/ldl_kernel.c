// Inner loops of the sparse LDL^T. Blocks of L are stored transposed, so that a product with one is a sum of its rows.
#include "base/simd.h"
#include "linear/ldl.h"

static void update1(const int32_t *row, size_t count, const double *l, const double *y, double *line)
{
  for (size_t k = 0; k < count; k++) line[row[k]] -= y[0] * l[k];
}

static void update3(const int32_t *row, size_t count, const double *l, const double *y, double *line)
{
  dvPack m[3][3];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) m[i][j] = dv_pack(y[3 * i + j]);
  for (size_t k = 0; k < count; k++, l += 9) {
    double *to = line + 12 * (size_t)row[k];
    dvPack l0 = dv_pack_load(l), l1 = dv_pack_load(l + 3), l2 = dv_pack_load(l + 6);
    for (int i = 0; i < 3; i++) {
      dvPack t = dv_pack_load(to + 4 * i);
      t -= m[i][0] * l0;
      t -= m[i][1] * l1;
      t -= m[i][2] * l2;
      dv_pack_store(to + 4 * i, t);
    }
  }
}

static void update6(const int32_t *row, size_t count, const double *l, const double *y, double *line)
{
  for (size_t k = 0; k < count; k++, l += 36) {
    double *to = line + 48 * (size_t)row[k];
    for (int i = 0; i < 6; i++) {
      dvPack a = dv_pack_load(to + 8 * i), b = dv_pack_load(to + 8 * i + 4);
      for (int j = 0; j < 6; j++) {
        dvPack factor = dv_pack(y[6 * i + j]);
        a -= factor * dv_pack_load(l + 6 * j);
        b -= factor * dv_pack_load(l + 6 * j + 4);
      }
      dv_pack_store(to + 8 * i, a);
      dv_pack_store(to + 8 * i + 4, b);
    }
  }
}

// y D_j^-1 goes to column j as the block of row k, transposed; d -= L_kj y^T
DV_INLINE void finish_column(int n, const double *y, const double *inverse, double *l, double *d)
{
  for (int i = 0; i < n; i++)
    for (int c = 0; c < n; c++) {
      double sum = 0;
      for (int m = 0; m < n; m++) sum += y[i * n + m] * inverse[m * n + c];
      l[c * n + i] = sum;
    }
  for (int i = 0; i < n; i++)
    for (int c = 0; c < n; c++)
      for (int m = 0; m < n; m++) d[i * n + c] -= l[m * n + i] * y[c * n + m];
}

DV_INLINE void eliminate_blocks(int n, int stride, dvLdl *f, int32_t k, int32_t j, double *d)
{
  double y[DV_MAX_BLOCK * DV_MAX_BLOCK], *line = f->line + (size_t)j * (size_t)(n * stride);
  size_t square = (size_t)(n * n), begin = (size_t)f->col_start[j], count = (size_t)f->filled[j];
  for (int i = 0; i < n; i++)
    for (int c = 0; c < n; c++) y[i * n + c] = line[i * stride + c];
  for (int i = 0; i < n * stride; i++) line[i] = 0;
  const double *l = f->lower + begin * square;
  if (n == 3) update3(f->row + begin, count, l, y, f->line);
  else if (n == 6) update6(f->row + begin, count, l, y, f->line);
  else update1(f->row + begin, count, l, y, f->line);
  finish_column(n, y, f->inverse_d + (size_t)j * square, f->lower + (begin + count) * square, d);
  f->row[begin + count] = k;
  f->filled[j]++;
}

static void eliminate(dvLdl *f, int32_t k, int32_t j, double *d)
{
  if (f->block == 3) eliminate_blocks(3, 4, f, k, j, d);
  else if (f->block == 6) eliminate_blocks(6, 8, f, k, j, d);
  else eliminate_blocks(1, 1, f, k, j, d);
}

DV_INLINE void forward_blocks(int n, const int32_t *row, size_t count, const double *l, const double *xj, double *x)
{
  for (size_t k = 0; k < count; k++, l += n * n) {
    double *to = x + (size_t)row[k] * (size_t)n;
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) to[i] -= l[j * n + i] * xj[j];
  }
}

static void forward(int block, const int32_t *row, size_t count, const double *l, const double *xj, double *x)
{
  if (block == 3) forward_blocks(3, row, count, l, xj, x);
  else if (block == 6) forward_blocks(6, row, count, l, xj, x);
  else forward_blocks(1, row, count, l, xj, x);
}

DV_INLINE void backward_blocks(int n, const int32_t *row, size_t count, const double *l, const double *x, double *s)
{
  double sum[DV_MAX_BLOCK] = {0};
  for (size_t k = 0; k < count; k++, l += n * n) {
    const double *from = x + (size_t)row[k] * (size_t)n;
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) sum[j] += l[j * n + i] * from[i];
  }
  for (int j = 0; j < n; j++) s[j] = sum[j];
}

static void backward(int block, const int32_t *row, size_t count, const double *l, const double *x, double *s)
{
  if (block == 3) backward_blocks(3, row, count, l, x, s);
  else if (block == 6) backward_blocks(6, row, count, l, x, s);
  else backward_blocks(1, row, count, l, x, s);
}

const dvLdlKernels DV_KERNEL_NAME(dv_ldl_kernels) = {
    .eliminate = eliminate,
    .forward = forward,
    .backward = backward,
};
