// Sums of face normals, and their normalisation. See normals.h.
//
// Points and sums are packs (x y z .): a cross product is one multiplication, one fused subtraction and three shuffles.
#include "base/simd.h"
#include "visual/normals.h"

#include <float.h>
#include <math.h>

DV_INLINE dvPack turn(dvPack a) { return DV_SHUFFLE(a, a, 1, 2, 0, 3); }   // y z x
DV_INLINE dvPack cross(dvPack a, dvPack b) { return turn(a * turn(b) - turn(a) * b); }

DV_INLINE void add(double *sums, int32_t slot, dvPack n)
{
  double *p = sums + DV_NORMAL_STRIDE * (size_t)slot;
  dv_pack_store(p, dv_pack_load(p) + n);
}

DV_INLINE int32_t slot_of(const int32_t *index, int32_t vertex) { return index ? index[vertex] : vertex; }

DV_INLINE void triangles(const double *x, const int32_t *t, size_t count, const int32_t *index, double *sums)
{
  for (size_t i = 0; i < count; i++, t += 3) {
    dvPack a = dv_pack_load3(x + 3 * (size_t)t[0]), b = dv_pack_load3(x + 3 * (size_t)t[1]),
           c = dv_pack_load3(x + 3 * (size_t)t[2]);
    dvPack n = cross(b - a, c - a);
    for (int k = 0; k < 3; k++) add(sums, slot_of(index, t[k]), n);
  }
}

static void normals_triangles(const double *x, const int32_t *t, size_t count, const int32_t *index, double *sums)
{
  if (index) triangles(x, t, count, index, sums);
  else triangles(x, t, count, NULL, sums);
}

static void normals_quads(const double *x, const int32_t *q, size_t count, const int32_t *index, double *sums)
{
  for (size_t i = 0; i < count; i++, q += 4) {
    dvPack p[4];
    for (int k = 0; k < 4; k++) p[k] = dv_pack_load3(x + 3 * (size_t)q[k]);
    for (int k = 0; k < 4; k++) add(sums, slot_of(index, q[k]), cross(p[(k + 1) % 4] - p[k], p[(k + 3) % 4] - p[k]));
  }
}

// a sum no longer than the rounding unit stays as it is
static void normals_normalise(const double *sums, size_t count, double *out)
{
  size_t i = 0;
  for (; i + DV_LANES < count;
       i += DV_LANES) {   // the fourth number of a store is set again by the next: never the last
    const double *p = sums + DV_NORMAL_STRIDE * i;
    dvPack x = dv_pack_load(p), y = dv_pack_load(p + 4), z = dv_pack_load(p + 8), w = dv_pack_load(p + 12);
    dv_pack_transpose(&x, &y, &z, &w);
    dvPack n2 = x * x + y * y + z * z, one = dv_pack(1);
    dvPack length = {sqrt(n2[0]), sqrt(n2[1]), sqrt(n2[2]), sqrt(n2[3])};
    dvPack k = one / dv_pack_select(length > dv_pack(DBL_EPSILON), length, one);
    for (size_t lane = 0; lane < DV_LANES; lane++)
      dv_pack_store(out + 3 * (i + lane), dv_pack_load(p + 4 * lane) * dv_pack(k[lane]));
  }
  for (; i < count; i++) {
    const double *p = sums + DV_NORMAL_STRIDE * i;
    double length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    dv_pack_store3(out + 3 * i, dv_pack_load(p) * dv_pack(length > DBL_EPSILON ? 1 / length : 1));
  }
}

const dvNormalKernels DV_KERNEL_NAME(dv_normal_kernels) = {
    .triangles = normals_triangles,
    .quads = normals_quads,
    .normalise = normals_normalise,
};
