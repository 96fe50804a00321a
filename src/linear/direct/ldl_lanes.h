// Registers of the loops of the sparse LDL^T: as wide as the instruction set has them.
#ifndef DV_LINEAR_DIRECT_LDL_LANES_H
#define DV_LINEAR_DIRECT_LDL_LANES_H

#include "base/simd.h"

// LANES columns times SLABS registers of sums must leave room for a slab of rows and a factor
#if defined(__AVX512F__)
#define LANES 8
#define SLABS 3
#elif defined(__AVX2__)
#define LANES 4
#define SLABS 3
#else
#define LANES 4
#define SLABS 1
#endif

typedef double Lane __attribute__((vector_size(8 * LANES), aligned(8 * LANES)));

typedef int64_t LaneMask __attribute__((vector_size(8 * LANES), aligned(8 * LANES)));

#if defined(__clang__)
DV_INLINE Lane lane_shuffle(Lane a, LaneMask from)
{
  Lane b;
  for (int i = 0; i < LANES; i++) b[i] = a[from[i]];
  return b;
}
#else
DV_INLINE Lane lane_shuffle(Lane a, LaneMask from) { return __builtin_shuffle(a, from); }
#endif

DV_INLINE Lane splat(double a)
{
#if LANES == 8
  return (Lane){a, a, a, a, a, a, a, a};
#else
  return (Lane){a, a, a, a};
#endif
}

DV_INLINE double lane_sum(Lane a)
{
#if LANES == 8
  return ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]));
#else
  return (a[0] + a[2]) + (a[1] + a[3]);
#endif
}

#endif
