// See isa.h.
#include "base/isa.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static bool choose(void)
{
#ifdef DV_HAVE_V3
  const char *wish = getenv("DIVAN_ISA");
  if (wish && strcmp(wish, "base") == 0) return false;
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

// asked for in every call of a kernel: looked up once
bool dv_isa_fast(void)
{
  enum { UNKNOWN, NO, YES };
  static atomic_int answer = UNKNOWN;
  int known = atomic_load_explicit(&answer, memory_order_relaxed);
  if (known == UNKNOWN) {
    known = choose() ? YES : NO;
    atomic_store_explicit(&answer, known, memory_order_relaxed);
  }
  return known == YES;
}

const char *dv_isa_name(void) { return dv_isa_fast() ? "x86-64-v3" : "baseline"; }
