// What the few settings do that do something: data directories, and the collision pipeline, which says that there are
// no contacts yet.
#include "base/file.h"
#include "control/settings/settings.h"
#include "scene/node.h"

#include <string.h>
#include <sys/stat.h>

// --- directories ---------------------------------------------------------------------------------

// while the scene is read, so that every component finds its files
dvStatus dv_add_data_repository_parse(dvObject *o, dvAttributes *a)
{
  DV_UNUSED(a);
  const char *path = *(char *const *)dv_object_field(o, "path")->value;
  if (!*path) return DV_OK;
  char *beside = o->place.file && path[0] != '/' ? dv_path_directory(o->place.file) : dv_strdup("");
  char *full = dv_path_join(beside, path);
  struct stat info;
  if (stat(full, &info) != 0 || !S_ISDIR(info.st_mode))
    dv_warning(o, "paths are relative to the scene file", "there is no directory %s", full);
  else dv_context_add_data_path(o->context, full);
  dv_free(full);
  dv_free(beside);
  return DV_OK;
}

dvStatus dv_add_plugin_repository_init(dvObject *o)
{
  dv_note(o, "a scene does not say where plugins are; --plugin-path and DIVAN_PLUGIN_PATH do");
  return DV_OK;
}

// --- collision pipeline --------------------------------------------------------------------------

typedef struct Counter {
  dvVisitor visitor;
  size_t models;
  bool self;
} Counter;

static dvWalk count_models(dvVisitor *v, dvNode *node)
{
  Counter *c = (Counter *)v;
  for (size_t i = 0; i < node->objects.count; i++) {
    const dvObject *o = node->objects.data[i];
    if (!dv_plays(o, DV_ROLE_COLLISION_MODEL)) continue;
    const dvField *self = dv_object_field(o, "selfCollision");
    c->models++;
    c->self = c->self || (self && *(const bool *)self->value);
  }
  return DV_WALK_ON;
}

dvStatus dv_collision_pipeline_init(dvObject *o)
{
  Counter c = {.visitor = {.top_down = count_models, .everything = true}};
  dv_visit(o->node->scene->root, &c.visitor);
  if (c.models > 1 || c.self)
    dv_warning(o, "bodies pass through each other; everything else is simulated",
               "this version computes no contacts (collision models in the scene: %zu)", c.models);
  return DV_OK;
}
