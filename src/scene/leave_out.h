// Scenes without the components that do not exist.
#ifndef DV_SCENE_LEAVE_OUT_H
#define DV_SCENE_LEAVE_OUT_H

#include "scene/node.h"

// Notes that a component of a node is not there; `name` may be NULL.
void dv_scene_note_left_out(dvScene *scene, const char *type, const char *name, const dvNode *node, dvPlace place);
// A warning "left out: 11 x TYPE (why)", also where warnings count as errors: it was asked for.
void dv_scene_tell_left_out(dvScene *scene, const dvLeftOut *left, const char *why);
// Does a link lead to a component that could not be made? That is a consequence, not a mistake of its own.
bool dv_link_leads_to_missing(const dvScene *scene, const char *path);
// Takes out what cannot work without them, and tells of it; before links are resolved.
void dv_scene_leave_out(dvScene *scene);

#endif
