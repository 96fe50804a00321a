// VisualStyle: which models of its node and those below are drawn.
#ifndef DV_VISUAL_STYLE_H
#define DV_VISUAL_STYLE_H

#include "scene/node.h"

#define DV_VISUAL_STYLE_FIELDS(X) \
  X(string, displayFlags, "", "", "words such as showVisual, hideCollisionModels, showWireframe", .flags = DV_LOOKS)

typedef struct dvVisualStyle {
  dvObject base;
  DV_VISUAL_STYLE_FIELDS(DV_MEMBER)
} dvVisualStyle;
extern const dvClass dv_visual_style_class;

// The words of a VisualStyle or of a node; empty for everything else.
const char *dv_display_flags(const dvObject *o);

#endif
