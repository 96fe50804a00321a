// libFuzzer target: any bytes as a scene, read, linked, initialised, written back and, when all is well, stepped once.
//   clang -fsanitize=fuzzer,address,undefined … tests/io/fuzz_scene.c
#include "app/divan.h"
#include "io/scene/scene_file.h"
#include "state/state.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
  dvContext *context = dv_divan_create(1);
  context->log.sink = NULL;
  dvScene *scene = NULL;
  dv_scene_parse(context, "fuzz.scn", (const char *)bytes, length, &scene);
  if (scene) {
    dvText text = {0};
    dv_scene_print(scene, &text);
    dv_text_free(&text);
    if (dv_scene_init(scene) == DV_OK) dv_scene_step(scene, 0);
  }
  dv_scene_destroy(&scene);
  dv_divan_destroy(&context);
  return 0;
}
