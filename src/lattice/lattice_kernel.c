// Forces and motion of a lattice, in float and double, compiled for each instruction set. See lattice.h and slice.h.
#include "lattice/lattice.h"

#include "base/simd.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#ifdef __AVX512F__
enum { BYTES = 64 };
#elif defined(__AVX2__)
enum { BYTES = 32 };
#else
enum { BYTES = 16 };
#endif

static const double way_length[4] = {1, 1, 1.4142135623730951, 1.7320508075688772};

#define REAL float
#define LANES (BYTES / 4)
#define FLOATS 1
#define TINY 1e-30f
#define BITS int32_t
#define ROOT_BITS 0x5f3759df
#define NAME(x) float_##x
#define TABLE(t) table_##t##s
#define TABLE2(t, n) table_##t##s[n]
#define TABLE3(t) table_##t##s[3]
#include "lattice/slice.h"
#undef REAL
#undef LANES
#undef FLOATS
#undef TINY
#undef BITS
#undef ROOT_BITS
#undef NAME
#undef TABLE
#undef TABLE2
#undef TABLE3

#define REAL double
#define LANES (BYTES / 8)
#define FLOATS 0
#define TINY 1e-200
#define BITS int64_t
#define ROOT_BITS 0x5fe6eb50c7b537a9
#define NAME(x) double_##x
#define TABLE(t) table_##t
#define TABLE2(t, n) table_##t[n]
#define TABLE3(t) table_##t[3]
#include "lattice/slice.h"

const dvLatticeKernels DV_KERNEL_NAME(dv_lattice_float_kernels) = {float_force, float_move, float_stage};
const dvLatticeKernels DV_KERNEL_NAME(dv_lattice_double_kernels) = {double_force, double_move, double_stage};
