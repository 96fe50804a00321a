// Matrices for divan bench linear: linear elasticity on a grid of hexahedra, held at one end, with a little mass.
//
//   K_e = sum over 2 x 2 x 2 points of B^T C B, Young's modulus 1 (or `stiff` beyond half of the length), Poisson's
//   ratio 0.3
#include "bench_linear.h"

#include <math.h>
#include <string.h>

// gradients of the eight corners' functions at a point of the unit cube
static void gradients(const double *p, double g[8][3])
{
  for (int c = 0; c < 8; c++) {
    double f[3], d[3];
    for (int k = 0; k < 3; k++) {
      bool high = c >> k & 1;
      f[k] = high ? p[k] : 1 - p[k];
      d[k] = high ? 1 : -1;
    }
    for (int k = 0; k < 3; k++) g[c][k] = d[k] * f[(k + 1) % 3] * f[(k + 2) % 3];
  }
}

// 3 x 3 block (a, b): lambda g_a g_b^T + mu g_b g_a^T + mu (g_a . g_b) I, integrated
static void element(double block[8][8][9])
{
  double poisson = 0.3, lambda = poisson / ((1 + poisson) * (1 - 2 * poisson)), mu = 0.5 / (1 + poisson), g[8][3];
  memset(block, 0, 64 * 9 * sizeof(double));
  for (int q = 0; q < 8; q++) {
    double p[3];
    for (int k = 0; k < 3; k++) p[k] = 0.5 + (q >> k & 1 ? 0.5 : -0.5) / sqrt(3);
    gradients(p, g);
    for (int a = 0; a < 8; a++)
      for (int b = 0; b < 8; b++) {
        double dot = g[a][0] * g[b][0] + g[a][1] * g[b][1] + g[a][2] * g[b][2];
        for (int i = 0; i < 3; i++)
          for (int j = 0; j < 3; j++)
            block[a][b][3 * i + j] +=
                (lambda * g[a][i] * g[b][j] + mu * g[b][i] * g[a][j] + (i == j ? mu * dot : 0)) / 8;
      }
  }
}

bool elastic_matrix(dvBlockMatrix *m, const int *points, double stiff)
{
  size_t nx = (size_t)points[0], ny = (size_t)points[1], nz = (size_t)points[2], cells = (nx - 1) * (ny - 1) * (nz - 1),
         at = 0;
  uint64_t *pair = dv_try_alloc(64 * cells * sizeof *pair);
  int32_t *place = dv_try_alloc(64 * cells * sizeof *place);
  double block[8][8][9];
  dvPattern pattern = {0};
  if (!pair || !place) return false;
  for (size_t c = 0; c < cells; c++) {
    size_t corner[8], x = c % (nx - 1), y = c / (nx - 1) % (ny - 1), z = c / (nx - 1) / (ny - 1);
    for (size_t k = 0; k < 8; k++) corner[k] = x + (k & 1) + nx * (y + (k >> 1 & 1) + ny * (z + (k >> 2)));
    for (size_t k = 0; k < 64; k++) pair[at++] = dv_pair(corner[k / 8], corner[k % 8]);
  }
  bool good =
      dv_pattern_build(&pattern, nx * ny * nz, nx * ny * nz, pair, at, place) && dv_block_matrix_init(m, 3, &pattern);
  if (good) {
    element(block);
    for (size_t k = 0; k < at; k++) {
      double *to = dv_block_matrix_at(m, place[k]), factor = k / 64 >= cells / 2 ? stiff : 1;
      for (int i = 0; i < 9; i++) to[i] += factor * block[k % 64 / 8][k % 8][i];
    }
    for (size_t i = 0; i < nx * ny * nz; i++) {
      double *d = dv_block_matrix_at(m, dv_pattern_find(&m->pattern, i, i)), more = i < nx * ny ? 10 : 1e-3;
      for (int k = 0; k < 3; k++) d[4 * k] += more;
    }
  }
  dv_free(pair);
  dv_free(place);
  return good;
}
