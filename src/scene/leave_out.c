// A scene without the components that do not exist (context->skip_missing): those that link to one of them cannot work
// either and are taken out too, and those that link to these. A field whose value comes from one keeps its default.
#include "scene/leave_out.h"

#include <string.h>

void dv_scene_note_left_out(dvScene *scene, const char *type, const char *name, const dvNode *node, dvPlace place)
{
  if (name && *name) dv_strings_push(&scene->missing, name, strlen(name));
  for (size_t i = scene->left_out.count; i-- > 0;)   // the last ones are the likeliest
    if (dv_same(scene->left_out.data[i].type, type)) {
      scene->left_out.data[i].count++;
      return;
    }
  dv_push(&scene->left_out, ((dvLeftOut){dv_strdup(type), dv_object_path(&node->base), place, 1}));
}

void dv_scene_tell_left_out(dvScene *scene, const dvLeftOut *left, const char *why)
{
  dvLog *log = &scene->context->log;
  char *text = dv_format("left out: %d x %s (%s)", left->count, left->type, why);
  bool strict = log->strict;
  log->strict = false;
  dv_log_send(log, &(dvMessage){.level = DV_WARNING, .place = left->place, .path = left->path, .text = text});
  log->strict = strict;
  dv_free(text);
}

bool dv_link_leads_to_missing(const dvScene *scene, const char *path)
{
  const char *name = strrchr(path, '/');
  name = name ? name + 1 : *path == '@' ? path + 1 : path;
  for (size_t i = 0; i < scene->missing.count; i++) {
    size_t n = strlen(scene->missing.data[i]);
    if (strncmp(name, scene->missing.data[i], n) == 0 && (!name[n] || name[n] == '.')) return true;
  }
  return false;
}

static bool is_dead(dvObject *o, const dvField *f, const dvLink *link)
{
  return link->path && !link->target && !dv_link_find(o, link->path, (dvRole)f->desc->role) &&
         dv_link_leads_to_missing(o->node->scene, link->path);
}

static bool cannot_work(dvObject *o)
{
  if (dv_plays(o, DV_ROLE_VISUAL)) return false;   // looks do without
  for (int i = 0; i < o->field_count; i++) {
    const dvField *f = &o->fields[i];
    if (f->desc->type == DV_T_LINK && is_dead(o, f, f->value)) return true;
    if (f->desc->type != DV_T_LINKS) continue;
    const dvLinks *links = f->value;
    for (size_t k = 0; k < links->count; k++)
      if (is_dead(o, f, &links->data[k])) return true;
  }
  return false;
}

typedef struct Sieve {
  dvVisitor visitor;
  bool changed;
} Sieve;

static dvWalk sift_node(dvVisitor *v, dvNode *node)
{
  for (size_t i = node->objects.count; i-- > 0;) {
    dvObject *o = node->objects.data[i];
    if (!cannot_work(o)) continue;
    dv_scene_note_left_out(node->scene, o->cls->name, o->name, node, o->place);
    dv_node_remove(node, o);
    dv_object_destroy(&o);
    ((Sieve *)v)->changed = true;
  }
  return DV_WALK_ON;
}

void dv_scene_leave_out(dvScene *scene)
{
  size_t before = scene->left_out.count;
  Sieve s = {.visitor = {.top_down = sift_node, .everything = true}, .changed = true};
  while (s.changed) {
    s.changed = false;
    dv_visit(scene->root, &s.visitor);
  }
  for (size_t i = before; i < scene->left_out.count; i++)
    dv_scene_tell_left_out(scene, &scene->left_out.data[i], "it needs what was left out");
}
