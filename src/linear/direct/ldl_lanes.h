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

// Where each lane comes from, in the form that the instruction takes: AVX2 moves halves of numbers.
#if LANES == 4 && defined(__AVX2__) && !defined(__clang__)
typedef int32_t LaneOrder __attribute__((vector_size(8 * LANES), aligned(8 * LANES)));
DV_INLINE LaneOrder lane_order(LaneMask from)
{
  LaneOrder low = (LaneOrder)(from * 2);
  return low + __builtin_shuffle(low, (LaneOrder){1, 0, 3, 2, 5, 4, 7, 6}) + (LaneOrder){0, 1, 0, 1, 0, 1, 0, 1};
}
DV_INLINE Lane lane_shuffle(Lane a, LaneOrder from) { return (Lane)__builtin_shuffle((LaneOrder)a, from); }
#else
typedef LaneMask LaneOrder;
DV_INLINE LaneOrder lane_order(LaneMask from) { return from; }
#if defined(__clang__)
DV_INLINE Lane lane_shuffle(Lane a, LaneOrder from)
{
  Lane b;
  for (int i = 0; i < LANES; i++) b[i] = a[from[i]];
  return b;
}
#else
DV_INLINE Lane lane_shuffle(Lane a, LaneOrder from) { return __builtin_shuffle(a, from); }
#endif
#endif

// A row for each lane, a byte each; negative where there is none.
#if LANES == 8
typedef uint64_t LaneRows;
#else
typedef uint32_t LaneRows;
#endif
typedef int8_t LaneBytes __attribute__((vector_size(LANES)));
#define NO_ROWS ((LaneRows)-1)

DV_INLINE LaneRows lane_takes(LaneRows rows, size_t lane, size_t row)
{
  return (rows & ~((LaneRows)0xff << 8 * lane)) | (LaneRows)row << 8 * lane;
}

DV_INLINE LaneMask lane_rows(LaneRows rows)
{
#if LANES == 4 && defined(__AVX2__)
  return (LaneMask)_mm256_cvtepi8_epi64(_mm_cvtsi32_si128((int)rows));
#else
  return __builtin_convertvector((LaneBytes)rows, LaneMask);
#endif
}

DV_INLINE Lane splat(double a)
{
#if LANES == 8
  return (Lane){a, a, a, a, a, a, a, a};
#else
  return (Lane){a, a, a, a};
#endif
}

// Lanes of smaller numbers. Compilers cut conversions of whole vectors into halves and put these together again.
typedef float Narrow __attribute__((vector_size(4 * LANES), aligned(4 * LANES)));
typedef int16_t Short __attribute__((vector_size(2 * LANES), aligned(2 * LANES)));
DV_INLINE Lane lane_of_floats(const float *p)
{
#if LANES == 8
  return (Lane)_mm512_cvtps_pd(*(const __m256 *)p);
#elif defined(__AVX2__)
  return (Lane)_mm256_cvtps_pd(*(const __m128 *)p);
#else
  return __builtin_convertvector(*(const Narrow *)p, Lane);
#endif
}

DV_INLINE Narrow lane_to_floats(Lane a)
{
#if LANES == 8
  return (Narrow)_mm512_cvtpd_ps((__m512d)a);
#elif defined(__AVX2__)
  return (Narrow)_mm256_cvtpd_ps((__m256d)a);
#else
  return __builtin_convertvector(a, Narrow);
#endif
}

DV_INLINE Lane lane_of_shorts(const int16_t *p)
{
#if LANES == 8
  return (Lane)_mm512_cvtepi32_pd(_mm256_cvtepi16_epi32(*(const __m128i *)p));
#elif defined(__AVX2__)
  return (Lane)_mm256_cvtepi32_pd(_mm_cvtepi16_epi32(_mm_loadl_epi64((const __m128i *)p)));
#else
  return __builtin_convertvector(*(const Short *)p, Lane);
#endif
}

// the whole numbers that are next to a, which are of 16 bits
DV_INLINE void lane_to_shorts(int16_t *p, Lane a)
{
#if LANES == 8
  _mm_storeu_si128((__m128i_u *)p, _mm256_cvtepi32_epi16(_mm512_cvtpd_epi32((__m512d)a)));
#elif defined(__AVX2__)
  __m128i whole = _mm256_cvtpd_epi32((__m256d)a);
  _mm_storel_epi64((__m128i_u *)p, _mm_packs_epi32(whole, whole));
#else   // a + 2^52 + 2^51 has the whole number in its last bits
  *(Short *)p = __builtin_convertvector((LaneMask)(a + splat(0x1.8p52)), Short);
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

// lane_sum of each of LANES registers, to the last bit
DV_INLINE Lane lane_two(Lane a, Lane b, LaneMask first, LaneMask second)
{
#if defined(__clang__)
  Lane low, high;
  for (int i = 0; i < LANES; i++) {
    low[i] = first[i] < LANES ? a[first[i]] : b[first[i] - LANES];
    high[i] = second[i] < LANES ? a[second[i]] : b[second[i] - LANES];
  }
  return low + high;
#else
  return __builtin_shuffle(a, b, first) + __builtin_shuffle(a, b, second);
#endif
}

DV_INLINE Lane lane_sums(const Lane *a)
{
#if LANES == 8
  const LaneMask low = {0, 1, 2, 3, 8, 9, 10, 11}, even = {0, 1, 4, 5, 8, 9, 12, 13}, one = {0, 2, 4, 6, 8, 10, 12, 14};
  Lane b[4], c[2];
#pragma GCC unroll 4
  for (int i = 0; i < 4; i++) b[i] = lane_two(a[2 * i], a[2 * i + 1], low, low + 4);
#pragma GCC unroll 2
  for (int i = 0; i < 2; i++) c[i] = lane_two(b[2 * i], b[2 * i + 1], even, even + 2);
  return lane_two(c[0], c[1], one, one + 1);
#else
  const LaneMask low = {0, 1, 4, 5}, one = {0, 2, 4, 6};
  return lane_two(lane_two(a[0], a[1], low, low + 2), lane_two(a[2], a[3], low, low + 2), one, one + 1);
#endif
}

#endif
