// A libFuzzer target: whatever a file of fibres holds, it is read as finite numbers or refused with its line.
#include "heart/fibre.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
  dvReals out = {.width = 3};
  int line = 0;
  char *text = dv_alloc(length + 1);
  memcpy(text, bytes, length);
  dv_fibres_scan(text, &out, &line);
  if (line < 1 || (size_t)line > length + 1) abort();
  for (size_t i = 0; i < out.count; i++)
    if (!isfinite(out.data[i])) abort();
  dv_reals_free(&out);
  dv_free(text);
  return 0;
}
