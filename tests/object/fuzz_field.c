// libFuzzer target: any text into every field of every component, printed and read again; and as a link path.
#include "app/divan.h"
#include "io/scene/scene_file.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void try_fields(dvObject *o, const char *text)
{
  for (int i = 0; i < o->field_count; i++) {
    dvField *f = &o->fields[i];
    dvText why = {0}, printed = {0}, again = {0};
    if (dv_field_parse(f, text, &why) == DV_OK) {
      dv_field_print(f, &printed);
      if (dv_field_parse(f, printed.text, NULL) == DV_OK) dv_field_print(f, &again);
      // what was printed reads back as the same value
      if (again.text && strcmp(printed.text, again.text) != 0) __builtin_trap();
    }
    dv_text_free(&why);
    dv_text_free(&printed);
    dv_text_free(&again);
  }
}

// Ranges of up to five million indices are legal, but to read and print them in every field takes seconds and shows
// nothing new.
static bool has_long_range(const uint8_t *bytes, size_t length)
{
  size_t digits = 0, before = 0;
  for (size_t i = 0; i < length; i++) {
    bool digit = bytes[i] >= '0' && bytes[i] <= '9';
    if (bytes[i] == '-') before = digits;
    else if (!digit) before = 0;
    digits = digit ? digits + 1 : 0;
    if (before && (before > 5 || digits > 5)) return true;
  }
  return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
  if (length < 2 || length > 4096 || has_long_range(bytes, length)) return 0;
  static dvContext *context;   // one for all inputs: making it takes longer than what is tried
  if (!context) {
    context = dv_divan_create(1);
    context->log.sink = NULL;
  }
  char *text = dv_strndup((const char *)bytes + 2, length - 2);
  const dvClass *cls = context->registry.classes.data[(bytes[0] + 256u * bytes[1]) % context->registry.classes.count];
  dvScene *scene = dv_scene_create(context);
  dvNode *child = dv_node_create(scene, "child");
  dv_node_add_child(scene->root, child);
  if (!dv_same(cls->name, "Node")) {
    dvObject *o = dv_object_create(context, cls, "o", cls->dofs ? dv_dof(DV_VEC3) : NULL);
    dv_node_add(child, o);
    try_fields(o, text);
    char *field = NULL;
    dv_link_split(o, text, &field);
    dv_free(field);
    for (int role = 0; role < DV_ROLE_COUNT; role++) dv_link_find(o, text, (dvRole)role);
    dv_free(dv_link_propose(o, text, DV_ROLE_ANY));
  }
  dv_free(text);
  dv_scene_destroy(&scene);
  return 0;
}
