// Packs of four doubles. GCC and clang vector extensions: the same source becomes AVX2 in a
// v3 kernel file, SSE2 or NEON pairs elsewhere, and scalar code where there is neither.
#ifndef DV_BASE_SIMD_H
#define DV_BASE_SIMD_H

#include <stdint.h>
#include <string.h>
#ifdef __AVX__
#include <immintrin.h>
#endif

enum { DV_LANES = 4 };
// How many numbers ahead long streams fetch: 8 kB, which the processor's own prefetching, page by page, does not reach.
enum { DV_PREFETCH = 1024 };

typedef double dvPack __attribute__((vector_size(32), aligned(32)));
typedef double dvPackLoose __attribute__((vector_size(32), aligned(8)));
typedef int64_t dvPackMask __attribute__((vector_size(32), aligned(32)));

// Every function here is inlined into kernel files; none is an interface between them, so the
// change of calling convention that GCC warns about cannot happen.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif
#define DV_INLINE static inline __attribute__((always_inline))

DV_INLINE dvPack dv_pack(double a) { return (dvPack){a, a, a, a}; }
DV_INLINE dvPack dv_pack_load(const double *p) { return *(const dvPackLoose *)p; }
DV_INLINE void dv_pack_store(double *p, dvPack a) { *(dvPackLoose *)p = a; }

// A point of three numbers as (x y z 0), and back. Nothing behind it is read or written.
DV_INLINE dvPack dv_pack_load3(const double *p)
{
#ifdef __AVX__
  return (dvPack)_mm256_maskload_pd(p, _mm256_set_epi64x(0, -1, -1, -1));
#else
  return (dvPack){p[0], p[1], p[2], 0};
#endif
}
DV_INLINE void dv_pack_store3(double *p, dvPack a)
{
  p[0] = a[0];
  p[1] = a[1];
  p[2] = a[2];
}
DV_INLINE double dv_pack_sum(dvPack a) { return (a[0] + a[1]) + (a[2] + a[3]); }
DV_INLINE dvPack dv_pack_select(dvPackMask m, dvPack yes, dvPack no)
{
  return (dvPack)((m & (dvPackMask)yes) | (~m & (dvPackMask)no));
}

#if defined(__clang__)
#define DV_SHUFFLE(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#else
#define DV_SHUFFLE(a, b, i, j, k, l) __builtin_shuffle(a, b, (dvPackMask){i, j, k, l})
#endif

// Rows become columns: four (x, y, z, w) points become x, y, z, w of four lanes, and back.
DV_INLINE void dv_pack_transpose(dvPack *a, dvPack *b, dvPack *c, dvPack *d)
{
  dvPack t0 = DV_SHUFFLE(*a, *b, 0, 4, 2, 6), t1 = DV_SHUFFLE(*a, *b, 1, 5, 3, 7);
  dvPack t2 = DV_SHUFFLE(*c, *d, 0, 4, 2, 6), t3 = DV_SHUFFLE(*c, *d, 1, 5, 3, 7);
  *a = DV_SHUFFLE(t0, t2, 0, 1, 4, 5);
  *b = DV_SHUFFLE(t1, t3, 0, 1, 4, 5);
  *c = DV_SHUFFLE(t0, t2, 2, 3, 6, 7);
  *d = DV_SHUFFLE(t1, t3, 2, 3, 6, 7);
}

#endif
