// See isa.h.
#include "base/isa.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { BASE, V3, V4 };

static int choose(void)
{
#ifdef DV_HAVE_V3
  const char *wish = getenv("DIVAN_ISA");
  if (wish && strcmp(wish, "base") == 0) return BASE;
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return BASE;
  bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
              __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
              __builtin_cpu_supports("avx512cd");
  return wide && !(wish && strcmp(wish, "v3") == 0) ? V4 : V3;
#else
  return BASE;
#endif
}

// asked for in every call of a kernel: looked up once
static int chosen(void)
{
  static atomic_int answer = -1;
  int known = atomic_load_explicit(&answer, memory_order_relaxed);
  if (known < 0) {
    known = choose();
    atomic_store_explicit(&answer, known, memory_order_relaxed);
  }
  return known;
}

bool dv_isa_fast(void) { return chosen() >= V3; }
bool dv_isa_wide(void) { return chosen() >= V4; }

const char *dv_isa_name(void) { return dv_isa_fast() ? "x86-64-v3" : "baseline"; }
