// Components of this room.
#ifndef DV_VISUAL_REGISTER_H
#define DV_VISUAL_REGISTER_H

#include "object/context.h"

extern const dvClass dv_visual_style_class, dv_visual_classes[], dv_decoration_classes[], dv_bleeding_class,
    dv_smoke_class, dv_slices_class;
extern const size_t dv_visual_class_count, dv_decoration_class_count;

void dv_register_visual(dvRegistry *registry);
void dv_register_merge_visual(dvRegistry *registry);

#endif
