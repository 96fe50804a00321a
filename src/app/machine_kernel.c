// Loops that reach what the processor and its memory can do. See machine.h.
#include "base/simd.h"

#include "app/machine.h"

// twelve independent chains keep two units of four or five cycles busy
static double machine_arithmetic(size_t rounds)
{
  enum { CHAINS = 12 };
  dvPack s[CHAINS], a = dv_pack(0.999999), b = dv_pack(1e-6);
  for (int k = 0; k < CHAINS; k++) s[k] = dv_pack(1 + 0.1 * k);
  for (size_t i = 0; i < rounds; i++) {
#pragma GCC unroll 12
    for (int k = 0; k < CHAINS; k++) s[k] = s[k] * a + b;
  }
  dvPack sum = s[0];
  for (int k = 1; k < CHAINS; k++) sum += s[k];
  return dv_pack_sum(sum);
}

static void machine_stream(double *a, const double *b, double s, size_t n)
{
  dvPack k = dv_pack(s);
  for (size_t i = 0; i + DV_LANES <= n; i += DV_LANES)
    dv_pack_store(a + i, dv_pack_load(a + i) + k * dv_pack_load(b + i));
}

// `fetch` is a constant where this is inlined: within the cache it only costs
DV_INLINE double read_all(const double *a, size_t n, bool fetch)
{
  enum { SUMS = 8 };
  dvPack s[SUMS];
  for (int k = 0; k < SUMS; k++) s[k] = dv_pack(0);
  for (size_t i = 0; i + SUMS * DV_LANES <= n; i += SUMS * DV_LANES) {
    for (int k = 0; fetch && k < SUMS; k += 2) __builtin_prefetch(a + i + DV_PREFETCH + DV_LANES * k);
#pragma GCC unroll 8
    for (int k = 0; k < SUMS; k++) s[k] += dv_pack_load(a + i + DV_LANES * k);
  }
  for (int k = 1; k < SUMS; k++) s[0] += s[k];
  return dv_pack_sum(s[0]);
}

static double machine_read(const double *a, size_t n)
{
  return n > (3 << 17) ? read_all(a, n, true) : read_all(a, n, false);
}

const dvMachineKernels DV_KERNEL_NAME(dv_machine_kernels) = {
    .arithmetic = machine_arithmetic, .stream = machine_stream, .read = machine_read};
