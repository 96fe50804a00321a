// Whether the module with Siconos was built: tests that need it say so and are skipped where it was not.
#ifndef DV_TESTS_SUPPORT_SICONOS_H
#define DV_TESTS_SUPPORT_SICONOS_H

#include "base/file.h"

#include <stdio.h>
#include <string.h>

static inline bool check_siconos(void)
{
  char *path = dv_format("%.*slibdivan_siconos.so", (int)(strrchr(DIVAN_BINARY, '/') + 1 - DIVAN_BINARY), DIVAN_BINARY);
  bool there = dv_file_is_regular(path);
  if (!there) printf("libdivan_siconos.so was not built (tools/setup siconos): skipped\n");
  dv_free(path);
  return there;
}

#endif
