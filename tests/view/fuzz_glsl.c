// libFuzzer target: the text of a shader. The first byte chooses the stage; whatever comes is translated, and what is
// translated once more stays as long as one can read it.
#include "view/glsl.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const char *const given[] = {"a", "colour"};
  if (size < 1) return 0;
  const char *text = (const char *)data + 1;
  dvGlsl how = {.stage = data[0] % 3, .given = given, .given_count = 2, .corners = data[0] % 5, .most = data[0]};
  char why[100];
  dv_glsl_scan(text, size - 1, &how.shared);
  DV_REQUIRE(how.shared.coordinates >= 0 && how.shared.coordinates <= DV_GLSL_COORDINATES);
  char *once = dv_glsl_translate(text, size - 1, &how, why);
  DV_REQUIRE(once || size - 1 > DV_GLSL_LONGEST);
  char *twice = once && strlen(once) <= DV_GLSL_LONGEST ? dv_glsl_translate(once, strlen(once), &how, why) : NULL;
  dv_free(twice);
  dv_free(once);
  return 0;
}
