// See isa.h.
#include "base/isa.h"

#include <stdlib.h>
#include <string.h>

bool dv_isa_fast(void)
{
#ifdef DV_HAVE_V3
  const char *wish = getenv("DIVAN_ISA");
  if (wish && strcmp(wish, "base") == 0) return false;
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

const char *dv_isa_name(void) { return dv_isa_fast() ? "x86-64-v3" : "baseline"; }
