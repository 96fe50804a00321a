// What a scene itself wants drawn: the words of VisualStyle (and of nodes in scenes of 2011), which hold for a node and
// all below unless one below says otherwise.
#ifndef DV_VIEW_FLAGS_H
#define DV_VIEW_FLAGS_H

#include "view/draw.h"

enum { DV_FLAG_WIREFRAME = DV_DRAW_GROUPS, DV_FLAG_NORMALS, DV_FLAGS };

// 1 shown, -1 hidden, 0 left to whoever looks.
typedef struct dvFlags {
  signed char say[DV_FLAGS];
} dvFlags;

// Reads words such as "showForceFields hideVisual" over what is there. Unknown words are passed over.
void dv_flags_read(dvFlags *flags, const char *words);
// What holds in a node.
dvFlags dv_flags_of(const dvNode *node);
// Whether a node of the scene has an opinion at all.
bool dv_flags_given(const dvScene *scene);
// The groups (bits) that the scene wants shown: those of which something is, by the root's word where there is nothing.
unsigned dv_flags_groups(const dvDraw *draw);

#endif
