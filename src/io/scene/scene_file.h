// Scene files to scenes and back.
#ifndef DV_IO_SCENE_SCENE_FILE_H
#define DV_IO_SCENE_SCENE_FILE_H

#include "scene/node.h"

// Reads a scene. All components are created and their fields set; nothing is initialised yet (dv_scene_init). Mistakes
// go to the context's log and the worst of them is returned; *out is set whenever a graph could be built.
dvStatus dv_scene_read(dvContext *context, const char *path, dvScene **out);
bool dv_scene_is_script(const char *path);   // it ends with .py: context->read_script reads it
// The same from a text; `name` stands for the file.
dvStatus dv_scene_parse(dvContext *context, const char *name, const char *text, size_t length, dvScene **out);
// Writes the scene as it was read: fields that were set, comments, includes expanded, today's names. Call it before
// dv_scene_init. Writing, reading and writing again gives the same bytes.
dvStatus dv_scene_write(dvScene *scene, const char *path);
void dv_scene_print(dvScene *scene, dvText *out);
void dv_node_print(const dvNode *node, dvText *out);   // a node as a scene of its own

#endif
