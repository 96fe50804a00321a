// The visual models that exist.
#include "visual/register.h"

void dv_register_visual(dvRegistry *r)
{
  for (size_t i = 0; i < dv_visual_class_count; i++) dv_registry_add(r, &dv_visual_classes[i]);
  dv_register_merge_visual(r);
  dv_registry_add(r, &dv_visual_style_class);
  dv_registry_add(r, &dv_bleeding_class);
  dv_registry_add(r, &dv_smoke_class);
  dv_registry_add(r, &dv_slices_class);
  for (size_t i = 0; i < dv_decoration_class_count; i++) dv_registry_add(r, &dv_decoration_classes[i]);
}
