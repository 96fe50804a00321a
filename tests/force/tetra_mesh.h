// A box of tetrahedra for the tests: cubes cut in six, points shaken, and numbers out of a seed.
#ifndef DV_TESTS_TETRA_MESH_H
#define DV_TESTS_TETRA_MESH_H

#include "base/base.h"

typedef struct {
  size_t points, count;
  double *rest, *young, *poisson;
  int32_t *tetrahedra;
} TetraMesh;

static inline double mesh_random(uint64_t *seed)   // in [-1, 1)
{
  *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
  return (double)(int64_t)*seed * 0x1p-63;
}

// one of the six tetrahedra around the diagonal of a cube: the corners passed when walking the axes in turn
static inline void mesh_tetra(const int n[3], const int cell[3], int which, int32_t out[4])
{
  static const int walks[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
  int at[3] = {cell[0], cell[1], cell[2]};
  for (int s = 0; s < 4; s++) {
    out[s] = (at[2] * (n[1] + 1) + at[1]) * (n[0] + 1) + at[0];
    if (s < 3) at[walks[which][s]]++;
  }
  if (which < 3) return;
  int32_t last = out[3];   // a walk in the other sense
  out[3] = out[2];
  out[2] = last;
}

static inline TetraMesh mesh_box(int nx, int ny, int nz)
{
  const int n[3] = {nx, ny, nz};
  TetraMesh m = {.points = (size_t)(nx + 1) * (size_t)(ny + 1) * (size_t)(nz + 1),
                 .count = 6 * (size_t)nx * (size_t)ny * (size_t)nz};
  uint64_t seed = 7;
  m.rest = dv_alloc(3 * m.points * sizeof(double));
  m.tetrahedra = dv_alloc(4 * m.count * sizeof(int32_t));
  m.young = dv_alloc(m.count * sizeof(double));
  m.poisson = dv_alloc(m.count * sizeof(double));
  for (size_t p = 0; p < m.points; p++) {
    size_t i = p % (size_t)(nx + 1), j = p / (size_t)(nx + 1) % (size_t)(ny + 1);
    size_t k = p / ((size_t)(nx + 1) * (size_t)(ny + 1));
    double at[3] = {(double)i, 0.8 * (double)j, 1.1 * (double)k};
    for (int c = 0; c < 3; c++) m.rest[3 * p + (size_t)c] = at[c] + 0.1 * mesh_random(&seed);
  }
  for (size_t e = 0; e < m.count; e++) {
    size_t cube = e / 6;
    int cell[3] = {(int)(cube % (size_t)nx), (int)(cube / (size_t)nx % (size_t)ny),
                   (int)(cube / ((size_t)nx * (size_t)ny))};
    mesh_tetra(n, cell, (int)(e % 6), m.tetrahedra + 4 * e);
    m.young[e] = 1000 + 500 * mesh_random(&seed);
    m.poisson[e] = 0.3 + 0.15 * mesh_random(&seed);
  }
  return m;
}

static inline void mesh_free(TetraMesh *m)
{
  dv_free(m->rest);
  dv_free(m->young);
  dv_free(m->poisson);
  dv_free(m->tetrahedra);
}

// numbers in [-size, size), added to `from` when there is one; the caller frees them
static inline double *mesh_noise(size_t n, const double *from, double size, uint64_t seed)
{
  double *x = dv_alloc((n + 1) * sizeof *x);
  for (size_t i = 0; i < n; i++) x[i] = (from ? from[i] : 0) + size * mesh_random(&seed);
  return x;
}

#endif
