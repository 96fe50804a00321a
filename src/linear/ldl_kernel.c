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

static void forward(int block, const int32_t *row, size_t count, const double *l, const double *xj, double *x)
{
  if (block == 3) {
    dvPack x0 = dv_pack(xj[0]), x1 = dv_pack(xj[1]), x2 = dv_pack(xj[2]);
    for (size_t k = 0; k < count; k++, l += 9) {
      double *to = x + 4 * (size_t)row[k];
      dv_pack_store(to, dv_pack_load(to) - (x0 * dv_pack_load(l) + x1 * dv_pack_load(l + 3) + x2 * dv_pack_load(l + 6)));
    }
  } else if (block == 6) {
    for (size_t k = 0; k < count; k++, l += 36) {
      double *to = x + 8 * (size_t)row[k];
      dvPack a = dv_pack_load(to), b = dv_pack_load(to + 4);
      for (int j = 0; j < 6; j++) {
        a -= dv_pack(xj[j]) * dv_pack_load(l + 6 * j);
        b -= dv_pack(xj[j]) * dv_pack_load(l + 6 * j + 4);
      }
      dv_pack_store(to, a);
      dv_pack_store(to + 4, b);
    }
  } else {
    for (size_t k = 0; k < count; k++) x[row[k]] -= l[k] * xj[0];
  }
}

static void backward(int block, const int32_t *row, size_t count, const double *l, const double *x, double *s)
{
  if (block == 3) {
    dvPack sum[3] = {{0}};
    for (size_t k = 0; k < count; k++, l += 9) {
      dvPack from = dv_pack_load(x + 4 * (size_t)row[k]);
      for (int j = 0; j < 3; j++) sum[j] += dv_pack_load(l + 3 * j) * from;
    }
    for (int j = 0; j < 3; j++) s[j] = sum[j][0] + sum[j][1] + sum[j][2];
  } else if (block == 6) {
    dvPack sum[6] = {{0}}, rest[6] = {{0}};
    for (size_t k = 0; k < count; k++, l += 36) {
      dvPack a = dv_pack_load(x + 8 * (size_t)row[k]), b = dv_pack_load(x + 8 * (size_t)row[k] + 4);
      for (int j = 0; j < 6; j++) {
        sum[j] += dv_pack_load(l + 6 * j) * a;
        rest[j] += dv_pack_load(l + 6 * j + 4) * b;
      }
    }
    for (int j = 0; j < 6; j++) s[j] = dv_pack_sum(sum[j]) + rest[j][0] + rest[j][1];
  } else {
    s[0] = 0;
    for (size_t k = 0; k < count; k++) s[0] += l[k] * x[row[k]];
  }
}

const dvLdlKernels DV_KERNEL_NAME(dv_ldl_kernels) = {
    .eliminate = eliminate,
    .forward = forward,
    .backward = backward,
};
