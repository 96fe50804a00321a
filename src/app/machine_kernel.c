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
  for (size_t i = 0; i + DV_LANES <= n; i += DV_LANES) dv_pack_store(a + i, dv_pack_load(a + i) + k * dv_pack_load(b + i));
}

const dvMachineKernels DV_KERNEL_NAME(dv_machine_kernels) = {.arithmetic = machine_arithmetic, .stream = machine_stream};
