// See style.h.
#include "visual/style.h"

#include "visual/register.h"

#define SELF dvVisualStyle
static const dvFieldDesc visual_style_fields[] = {DV_VISUAL_STYLE_FIELDS(DV_DESCRIBE)};
#undef SELF

const char *dv_display_flags(const dvObject *o)
{
  const dvNode *node = dv_node_of((dvObject *)o);
  const char *text = node                               ? node->displayFlags
                     : o->cls == &dv_visual_style_class ? ((const dvVisualStyle *)o)->displayFlags
                                                        : NULL;
  return text ? text : "";
}

const dvClass dv_visual_style_class = {
    .struct_size = sizeof(dvClass),
    .name = "VisualStyle",
    .help = "what is drawn of its node and those below",
    .module = "Sofa.Component.Visual",
    .roles = DV_PLAYS(DV_ROLE_SETTING),
    .size = sizeof(dvVisualStyle),
    .blocks = {&dv_object_block, DV_BLOCK(visual_style_fields)},
};
