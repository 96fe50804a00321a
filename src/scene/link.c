// Paths in the graph and the links of a scene. See node.h.
#include "scene/node.h"

#include "scene/leave_out.h"
#include "scene/plan.h"

#include <string.h>

static bool fits(const dvObject *o, dvRole role)
{
  if (role == DV_ROLE_ANY) return true;
  return dv_plays(o, role);
}

// a path that ends at a node: the node itself, or its only component of the role, or one further up
static dvObject *settle(dvNode *node, dvRole role)
{
  if (role == DV_ROLE_ANY || role == DV_ROLE_NODE) return &node->base;
  dvObject *found = NULL;
  for (size_t i = 0; i < node->objects.count; i++) {
    if (!fits(node->objects.data[i], role)) continue;
    if (found) {   // several: the mechanical state goes before visual ones, else the path is ambiguous
      if (role == DV_ROLE_STATE && dv_is_mechanical_state(found)) continue;
      if (role == DV_ROLE_STATE && dv_is_mechanical_state(node->objects.data[i])) found = node->objects.data[i];
      continue;
    }
    found = node->objects.data[i];
  }
  if (found) return found;
  if (role == DV_ROLE_STATE) return dv_node_state_up(node);
  if (role == DV_ROLE_TOPOLOGY || role == DV_ROLE_LOOP || role == DV_ROLE_ODE) return dv_node_find_up(node, role);
  return NULL;
}

// [-1] is the component before the one that links
static dvObject *by_index(dvObject *from, const char *path)
{
  const char *s = path + 1;
  long long index;
  if (!dv_scan_int(&s, &index) || *s != ']') return *s == ']' && s == path + 1 ? from : NULL;
  dvNode *node = from->node;
  long long at = -1;
  for (size_t i = 0; i < node->objects.count; i++)
    if (node->objects.data[i] == from) at = (long long)i;
  long long count = (long long)node->objects.count;
  if (at < 0) at = count;   // a node comes behind its components
  if (index > 0 || index < -at || at + index >= count) return NULL;
  return node->objects.data[at + index];
}

static dvObject *find(dvObject *from, const char *path, dvRole role)
{
  if (!*path) return fits(from, role) ? from : NULL;
  if (*path == '[') {
    dvObject *o = by_index(from, path);
    return o && fits(o, role) ? o : NULL;
  }
  dvNode *node = from->node, *root = node->scene->root;
  bool based = false;   // the first name may be found further up, the others not
  if (*path == '/') node = root, based = true, path++;
  dvObject *object = NULL;
  while (*path) {
    size_t n = strcspn(path, "/");
    if (n == 0) {
      path++;
      continue;
    }
    if (object) return NULL;   // a component has no children
    if (n == 1 && path[0] == '.') {
      based = true;
    } else if (n == 2 && path[0] == '.' && path[1] == '.') {
      if (node->parents.count == 0) return NULL;
      node = node->parents.data[0];
      based = true;
    } else {
      char *name = dv_strndup(path, n);
      bool from_root = based && node == root;
      for (;;) {
        dvNode *child = dv_node_child(node, name);
        if (child) {
          node = child;
          break;
        }
        object = dv_node_object(node, name);
        if (object) break;
        if (from_root && dv_same(root->base.name, name)) break;   // /root/… with the root's own name
        if (based || node->parents.count == 0) {
          dv_free(name);
          return NULL;
        }
        node = node->parents.data[0];
      }
      dv_free(name);
      based = true;
    }
    path += n;
  }
  if (object) return fits(object, role) ? object : NULL;
  return settle(node, role);
}

dvObject *dv_link_find(dvObject *from, const char *path, dvRole role)
{
  if (*path == '@') return find(from, path + 1, role);
  dvObject *found = find(from, path, role);
  // paths of old, without an @, began at the component itself: its .. is the node
  return !found && dv_starts_with(path, "../") ? find(from, path + 3, role) : found;
}

dvObject *dv_link_split(dvObject *from, const char *text, char **field)
{
  *field = NULL;
  if (*text == '@') text++;
  size_t n = strlen(text);
  while (n && dv_is_space(text[n - 1])) n--;
  char *path = dv_strndup(text, n);
  // the field stands behind the last dot of the last part, unless that part is . or ..
  char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path;
  char *dot = strrchr(last, '.');
  if (dot && !dv_same(last, ".") && !dv_same(last, "..") && dot[1]) {
    *field = dv_strdup(dot + 1);
    if (dot == last && slash) slash[1] = 0;   // "@/.dt", "@../.gravity": the node's own field
    else *dot = 0;
    if (dot == path) *path = 0;
  }
  dvObject *found;
  if (!*path && *field)
    found = dot == path && text[0] == '.' ? &from->node->base : dv_link_find(from, path, DV_ROLE_ANY);
  else found = dv_link_find(from, *path ? path : "", DV_ROLE_ANY);
  dv_free(path);
  return found;
}

// --- proposals -----------------------------------------------------------------------------------

typedef struct Search {
  dvVisitor visitor;
  const char *wanted, *field;   // the field it must have, or NULL
  dvRole role;
  const dvObject *self;
  dvObject *best, *only;   // only: the one whose output the field is, if there is just one
  int makers;
  int best_distance;
} Search;

static void consider(Search *s, dvObject *o)
{
  if (o == s->self || !fits(o, s->role)) return;
  const dvField *f = s->field ? dv_object_field(o, s->field) : NULL;
  if (s->field && !f) return;
  if (f && (f->desc->flags & DV_OUTPUT) && s->makers++ == 0) s->only = o;
  int d = dv_distance(s->wanted, o->name);
  if (d < s->best_distance) s->best = o, s->best_distance = d;
}

static dvWalk search_node(dvVisitor *v, dvNode *node)
{
  Search *s = (Search *)v;
  if (s->role == DV_ROLE_ANY) consider(s, &node->base);
  for (size_t i = 0; i < node->objects.count; i++) consider(s, node->objects.data[i]);
  return DV_WALK_ON;
}

char *dv_link_propose(dvObject *from, const char *path, dvRole role)
{
  size_t n = strlen(path);
  while (n && path[n - 1] == '/') n--;
  size_t start = n;
  while (start && path[start - 1] != '/' && path[start - 1] != '@') start--;
  char *name = dv_strndup(path + start, n - start);
  char *dot = strchr(name, '.');
  if (dot && dot != name) *dot = 0;
  const char *field = dot && dot != name && dot[1] ? dot + 1 : NULL;
  Search s = {.visitor = {.top_down = search_node, .everything = true},
              .wanted = name,
              .role = role,
              .self = from,
              .field = field,
              .best_distance = dv_max_int(2, (int)strlen(name) / 2) + 1};
  dv_visit(from->node->scene->root, &s.visitor);
  char *proposal = NULL;
  if (!s.best && s.makers == 1) s.best = s.only;
  if (s.best) {
    char *where = dv_object_path(s.best);
    proposal = dv_format("@%s%s%s", where, field ? "." : "", field ? field : "");
    dv_free(where);
  }
  dv_free(name);
  return proposal;
}

// --- linking a scene -----------------------------------------------------------------------------

static void tell_dead_link(dvObject *o, const char *what, const char *path, dvPlace place, dvRole role,
                           const char *instead)
{
  bool missing = dv_link_leads_to_missing(o->node->scene, path);
  char *proposal = missing ? NULL : dv_link_propose(o, path, role);
  char *advice = proposal ? dv_format("did you mean '%s'?", proposal) : NULL;
  char *where = dv_object_path(o);
  char *text = dv_format("%s=\"%s\" leads to no %s%s", what, path, dv_role_name(role), instead ? instead : "");
  dv_log_send(&o->context->log, &(dvMessage){.level = instead ? DV_WARNING : DV_ERROR,
                                             .status = instead ? DV_OK : DV_ERROR_INPUT,
                                             .place = place,
                                             .path = where,
                                             .text = text,
                                             .advice = advice});
  dv_free(text);
  dv_free(where);
  dv_free(advice);
  dv_free(proposal);
}

// a component without what it works on cannot work; but looks never stop a run
static void dead_link(dvObject *o, const char *what, const char *path, dvPlace place, dvRole role, dvStatus *worst)
{
  bool looks = dv_plays(o, DV_ROLE_VISUAL);
  if (!looks) {
    o->failed = true;
    *worst = DV_ERROR_INPUT;
  }
  if (!dv_link_leads_to_missing(o->node->scene, path)) tell_dead_link(o, what, path, place, role, looks ? "" : NULL);
}

// as in SOFA a value that cannot be fetched stays the default
static void dead_value(dvObject *o, dvField *f, dvStatus *worst)
{
  bool missing = dv_link_leads_to_missing(o->node->scene, f->link);
  if (missing && !o->context->skip_missing) {
    dead_link(o, dv_field_name(f->desc), f->link, f->place, DV_ROLE_ANY, worst);
    return;
  }
  tell_dead_link(o, dv_field_name(f->desc), f->link, f->place, DV_ROLE_ANY, ": it keeps its default");
  f->was_set = false;
}

static void no_such_field(dvObject *o, dvField *f, dvObject *target, const char *field)
{
  const char *near = dv_object_nearest_field(target, field);
  char *where = dv_object_path(target);
  char *advice = near ? dv_format("did you mean '@%s.%s'?", where, near)
                      : dv_format("`divan info %s` shows all fields", target->cls->name);
  dv_field_warning(o, f->value, advice, "%s=\"%s\": %s (%s) has no field '%s': it keeps its default",
                   dv_field_name(f->desc), f->link, where, target->cls->name, field);
  f->was_set = false;
  dv_free(advice);
  dv_free(where);
}

static void link_field(dvObject *o, dvField *f, dvStatus *worst)
{
  char *field = NULL;
  dvObject *target = dv_link_split(o, f->link, &field);
  if (!target) {
    dead_value(o, f, worst);
  } else {
    // without a field name the one of the same name is meant
    dvField *source = dv_object_field(target, field ? field : dv_field_name(f->desc));
    dvText why = {0};
    if (!source) {
      no_such_field(o, f, target, field ? field : dv_field_name(f->desc));
    } else if (dv_field_link(f, source, &why) != DV_OK) {
      *worst = dv_field_error(o, f->value, "give one of these fields a value of its own", "%s=\"%s\": %s",
                              dv_field_name(f->desc), f->link, why.text);
    }
    dv_text_free(&why);
  }
  dv_free(field);
}

static void link_by_name(dvObject *o, const char *name, dvField *from, dvPlace place)
{
  dvField *to;
  for (int nth = 0; (to = dv_object_field_nth(o, name, nth)); nth++) {
    if (to->was_set || to->source || (to->desc->flags & DV_NO_SRC) || to->desc->type == DV_T_LINK) continue;
    if (dv_field_link(to, from, NULL) != DV_OK) continue;
    to->place = place;
    to->was_set = false;   // still a default as far as explicit values go
  }
}

void dv_object_link_src(dvObject *o, dvObject *source, dvPlace place)
{
  for (int i = 0; i < source->field_count; i++) {
    dvField *from = &source->fields[i];
    const char *name = dv_field_name(from->desc), *alias = from->desc->alias;
    if ((from->desc->flags & DV_NO_SRC) || dv_same(name, "filename") || dv_same(name, "type")) continue;
    link_by_name(o, name, from, place);
    if (alias && (from->desc->flags & DV_LOOKS))
      link_by_name(o, alias, from, place);   // a loader's material is its defaultMaterial
  }
}

static void link_src(dvObject *o, const dvAttribute *src, dvStatus *worst)
{
  dvObject *source = dv_link_find(o, src->value, DV_ROLE_ANY);
  if (source) dv_object_link_src(o, source, src->place);
  else if (o->context->skip_missing && dv_link_leads_to_missing(o->node->scene, src->value))
    tell_dead_link(o, "src", src->value, src->place, DV_ROLE_ANY, ": it keeps its defaults");
  else dead_link(o, "src", src->value, src->place, DV_ROLE_ANY, worst);
}

static void resolve_link(dvObject *o, dvField *f, dvLink *link, dvStatus *worst)
{
  if (!link->path || link->target) return;
  link->target = dv_link_find(o, link->path, (dvRole)f->desc->role);
  if (!link->target) dead_link(o, dv_field_name(f->desc), link->path, f->place, (dvRole)f->desc->role, worst);
}

typedef struct Linker {
  dvVisitor visitor;
  dvStatus worst;
} Linker;

static void link_object(dvObject *o, dvStatus *worst)
{
  for (int i = 0; i < o->field_count; i++) {
    dvField *f = &o->fields[i];
    if (f->desc->type == DV_T_LINK) resolve_link(o, f, f->value, worst);
    if (f->desc->type == DV_T_LINKS)
      for (size_t k = 0; k < ((dvLinks *)f->value)->count; k++)
        resolve_link(o, f, &((dvLinks *)f->value)->data[k], worst);
    if (f->link && !f->source) link_field(o, f, worst);   // a program may have linked it already
  }
  const dvAttribute *src = dv_attribute_find(&o->attributes, "src");
  if (src && *src->value && !dv_same(src->value, "@")) link_src(o, src, worst);
  if (o->cls->link && o->cls->link(o) != DV_OK) {
    o->failed = true;
    *worst = DV_ERROR_INPUT;
  }
}

dvStatus dv_object_link(dvObject *o)
{
  dvStatus worst = DV_OK;
  link_object(o, &worst);
  return worst;
}

static dvWalk link_node(dvVisitor *v, dvNode *node)
{
  Linker *l = (Linker *)v;
  link_object(&node->base, &l->worst);
  for (size_t i = 0; i < node->objects.count; i++) link_object(node->objects.data[i], &l->worst);
  return DV_WALK_ON;
}

dvStatus dv_scene_link(dvScene *scene)
{
  if (scene->context->skip_missing && scene->missing.count) dv_scene_leave_out(scene);
  return dv_node_link(scene->root);
}

dvStatus dv_node_link(dvNode *node)
{
  Linker l = {.visitor = {.top_down = link_node, .everything = true}};
  dv_visit(node, &l.visitor);
  return l.worst;
}
