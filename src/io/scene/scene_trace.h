// Which component came from where in the text of a scene: for whoever edits the text while the scene runs.
#ifndef DV_IO_SCENE_SCENE_TRACE_H
#define DV_IO_SCENE_SCENE_TRACE_H

#include "scene/node.h"

typedef struct dvFromTag {
  dvObject *object;   // a component or a node
  size_t tag;         // number of its start tag in the text, from 0; that of the include that brought it
} dvFromTag;
typedef DV_ARRAY(dvFromTag) dvFromTags;

// As dv_scene_parse (scene_file.h). What stands deeper in included files has no origin; a name of old that became two
// components gives both the same one.
dvStatus dv_scene_parse_traced(dvContext *context, const char *name, const char *text, size_t length, dvScene **out,
                               dvFromTags *origins);

#endif
