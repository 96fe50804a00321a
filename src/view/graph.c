// The graph and its components as JSON, and changes to them. See inside.h.
#include "base/file.h"
#include "view/edit.h"

#include <math.h>
#include <string.h>

enum { SHOWN = 2000 };   // characters of a value in a form

const char *dv_view_level_name(dvLevel level)
{
  static const char *const names[] = {"info", "note", "warning", "error"};
  return names[level];
}

// text of files and users may be anything: what is not UTF-8 is shown as question marks
static json_t *text_of(const char *s)
{
  json_t *t = json_string(s ? s : "");
  if (t) return t;
  char *copy = dv_strdup(s);
  for (char *c = copy; *c; c++)
    if ((unsigned char)*c > 126) *c = '?';
  t = json_string(copy);
  dv_free(copy);
  return t ? t : json_string("");
}

static json_t *text_or_null(const char *s) { return s ? text_of(s) : json_null(); }

dvObject *dv_view_find(dvSession *s, const char *path)
{
  if (!s->scene || *path != '/') return NULL;
  return dv_same(path, "/") ? &s->scene->root->base : dv_link_find(&s->scene->root->base, path, DV_ROLE_ANY);
}

static const char *role_of(const dvObject *o)
{
  for (int r = DV_ROLE_NODE; r < DV_ROLE_COUNT; r++)
    if (o->cls->ops[r]) return dv_role_name((dvRole)r);
  for (int r = DV_ROLE_NODE; r < DV_ROLE_COUNT; r++)
    if (o->cls->roles & (1u << r)) return dv_role_name((dvRole)r);
  return "";
}

static size_t messages_at(const dvSession *s, const char *path)
{
  size_t n = 0;
  for (size_t i = 0; i < s->news.count; i++)
    if (s->news.data[i].level >= DV_WARNING && dv_same(s->news.data[i].path, path)) n++;
  return n;
}

static json_t *object_row(const dvSession *s, const dvObject *o)
{
  char *path = dv_object_path(o);
  json_t *row = json_object();
  json_object_set_new(row, "name", text_of(o->name));
  json_object_set_new(row, "path", text_of(path));
  json_object_set_new(row, "class", json_string(o->cls->name));
  json_object_set_new(row, "role", json_string(role_of(o)));
  json_object_set_new(row, "template", o->dof ? json_string(o->dof->name) : json_null());
  json_object_set_new(row, "failed", json_boolean(o->failed));
  json_object_set_new(row, "messages", json_integer((json_int_t)messages_at(s, path)));
  dv_free(path);
  return row;
}

// depth is that of the scene file, which the reader limits
static json_t *node_row(const dvSession *s, dvNode *n)
{
  json_t *row = object_row(s, &n->base), *nodes = json_array(), *objects = json_array();
  if (n == s->scene->root) json_object_set_new(row, "path", json_string("/"));
  for (size_t i = 0; i < n->objects.count; i++) json_array_append_new(objects, object_row(s, n->objects.data[i]));
  for (size_t i = 0; i < n->children.count; i++) json_array_append_new(nodes, node_row(s, n->children.data[i]));
  json_object_set_new(row, "active", json_boolean(n->activated));
  json_object_set_new(row, "objects", objects);
  json_object_set_new(row, "nodes", nodes);
  return row;
}

// what the file names and the graph has not: types, how often, and where the first one would stand
static json_t *missing_rows(const dvSession *s)
{
  json_t *rows = json_array();
  for (size_t i = 0; s->scene && i < s->scene->left_out.count; i++) {
    const dvLeftOut *l = &s->scene->left_out.data[i];
    json_t *row = json_object();
    json_object_set_new(row, "class", text_of(l->type));
    json_object_set_new(row, "path", text_of(l->path && *l->path ? l->path : "/"));
    json_object_set_new(row, "file", text_or_null(l->place.file ? dv_path_name(l->place.file) : NULL));
    json_object_set_new(row, "line", json_integer(l->place.line));
    json_object_set_new(row, "count", json_integer(l->count));
    json_array_append_new(rows, row);
  }
  return rows;
}

json_t *dv_view_graph(dvSession *s)
{
  json_t *answer = dv_view_ok();
  json_object_set_new(answer, "missing", missing_rows(s));
  json_object_set_new(answer, "graph", s->scene ? node_row(s, s->scene->root) : json_null());
  json_object_set_new(answer, "revision", json_integer(s->graph));
  return answer;
}

// --- one component -------------------------------------------------------------------------------

static size_t field_size(const dvField *f)
{
  switch (f->desc->type) {
  case DV_T_REALS:
  case DV_T_COORDS:
  case DV_T_DERIVS:
    return ((const dvReals *)f->value)->count;
  case DV_T_INTS:
    return ((const dvInts *)f->value)->count;
  case DV_T_STRINGS:
    return ((const dvStrings *)f->value)->count;
  case DV_T_LINKS:
    return ((const dvLinks *)f->value)->count;
  default:
    return (size_t)dv_max_int(f->width, 1);
  }
}

// long lists are printed only as far as they are shown
static void print_start(const dvField *f, dvText *out)
{
  dvReals reals;
  dvInts ints;
  dvField part = *f;
  if (f->desc->type == DV_T_REALS || f->desc->type == DV_T_COORDS || f->desc->type == DV_T_DERIVS) {
    reals = *(const dvReals *)f->value;
    reals.count =
        dv_min_size(reals.count, SHOWN / 2 / (size_t)dv_max_int(reals.width, 1) * (size_t)dv_max_int(reals.width, 1));
    part.value = &reals;
  } else if (f->desc->type == DV_T_INTS) {
    ints = *(const dvInts *)f->value;
    ints.count =
        dv_min_size(ints.count, SHOWN / 2 / (size_t)dv_max_int(ints.width, 1) * (size_t)dv_max_int(ints.width, 1));
    part.value = &ints;
  }
  dv_field_print(&part, out);
}

static json_t *options_of(const dvFieldDesc *d)
{
  if (!d->options) return json_null();
  json_t *list = json_array();
  for (const char *at = d->options; *at;) {
    size_t n = strcspn(at, "|");
    json_array_append_new(list, json_stringn(at, n));
    at += n + (at[n] == '|');
  }
  return list;
}

static json_t *field_row(dvField *f)
{
  const dvFieldDesc *d = f->desc;
  dv_field_pull(f);
  dvText value = {0};
  print_start(f, &value);
  size_t size = field_size(f);
  bool cut = value.length > SHOWN || (size > SHOWN / 2);
  if (value.length > SHOWN) {
    size_t n = SHOWN;
    while (n && ((unsigned char)value.text[n] & 0xC0) == 0x80) n--;   // never inside a character
    value.text[n] = 0;
  }
  json_t *row = json_object();
  json_object_set_new(row, "name", json_string(dv_field_name(d)));
  json_object_set_new(row, "type", json_string(dv_field_type_name(d)));
  json_object_set_new(row, "unit", json_string(d->unit ? d->unit : ""));
  json_object_set_new(row, "help", json_string(d->help ? d->help : ""));
  json_object_set_new(row, "value", text_of(value.text));
  json_object_set_new(row, "size", json_integer((json_int_t)size));
  json_object_set_new(row, "cut", json_boolean(cut));
  json_object_set_new(row, "initial", json_string(d->initial ? d->initial : ""));
  json_object_set_new(row, "changed", json_boolean(f->was_set));
  json_object_set_new(
      row, "readOnly",
      json_boolean((d->flags & DV_READ_ONLY) != 0 || f->source || d->type == DV_T_LINK || d->type == DV_T_LINKS));
  json_object_set_new(row, "looks", json_boolean((d->flags & DV_LOOKS) != 0));
  json_object_set_new(row, "link", text_or_null(f->link));
  json_object_set_new(row, "options", options_of(d));
  json_object_set_new(row, "least", text_or_null(d->least));
  json_object_set_new(row, "most", text_or_null(d->most));
  dv_text_free(&value);
  return row;
}

json_t *dv_view_fields(dvObject *o)
{
  json_t *fields = json_array();
  for (int i = 0; i < o->field_count; i++)
    if (!(o->fields[i].desc->flags & DV_HIDDEN)) json_array_append_new(fields, field_row(&o->fields[i]));
  return fields;
}

json_t *dv_view_object(dvSession *s, dvObject *o)
{
  char *path = dv_object_path(o);
  json_t *row = json_object(), *messages = json_array();
  json_object_set_new(row, "path", text_of(dv_node_of(o) == s->scene->root ? "/" : path));
  json_object_set_new(row, "name", text_of(o->name));
  json_object_set_new(row, "class", json_string(o->cls->name));
  json_object_set_new(row, "role", json_string(role_of(o)));
  json_object_set_new(row, "help", json_string(o->cls->help ? o->cls->help : ""));
  json_object_set_new(row, "template", o->dof ? json_string(o->dof->name) : json_null());
  json_object_set_new(row, "file", text_or_null(o->place.file));
  json_object_set_new(row, "line", json_integer(o->place.line));
  for (size_t i = 0; i < s->news.count; i++) {
    const dvNews *n = &s->news.data[i];
    if (!dv_same(n->path, path)) continue;
    json_t *m = json_object();
    json_object_set_new(m, "level", json_string(dv_view_level_name(n->level)));
    json_object_set_new(m, "text", text_of(n->text));
    json_object_set_new(m, "advice", text_or_null(n->advice));
    json_array_append_new(messages, m);
  }
  json_object_set_new(row, "messages", messages);
  json_object_set_new(row, "fields", dv_view_fields(o));
  dv_free(path);
  return row;
}

// --- changes -------------------------------------------------------------------------------------

static json_t *refused(dvText *why, const char *otherwise)
{
  json_t *e = dv_view_error(NULL, "%s", why->length ? why->text : otherwise);
  dv_text_free(why);
  return e;
}

typedef struct Started {
  dvVisitor visitor;
  bool all;
} Started;

static dvWalk see_started(dvVisitor *v, dvNode *node)
{
  Started *s = (Started *)v;
  for (size_t i = 0; i < node->objects.count; i++) s->all &= node->objects.data[i]->initialised;
  return DV_WALK_ON;
}

// Components of nodes that were off when the scene was read were never initialised: nothing of them may be called.
static bool is_started(dvObject *o)
{
  Started s = {{.top_down = see_started, .everything = true}, true};
  if (!dv_node_of(o)) return o->initialised;
  dv_visit(dv_node_of(o), &s.visitor);
  return s.all;
}

// A number that sizes nothing and counts nothing: its component can take it over where it stands. Everything else may
// change how long lists are, or which entries are read, and the scene is initialised again with it.
static bool is_live(dvObject *o, const dvField *f)
{
  if (!is_started(o) || dv_plays(o, DV_ROLE_TOPOLOGY) || dv_plays(o, DV_ROLE_LOADER) || dv_plays(o, DV_ROLE_ENGINE) ||
      dv_plays(o, DV_ROLE_TOPOLOGY_MAPPING))
    return false;
  switch (f->desc->type) {
  case DV_T_BOOL:
  case DV_T_REAL:
  case DV_T_VEC:
  case DV_T_COLOUR:
    return o->cls->reinit || dv_node_of(o) || (f->desc->flags & DV_LOOKS);
  default:
    return false;
  }
}

// sets the field of the running component; *refusal is set when that does not work, and everything is as before
static bool set_live(dvSession *s, dvField *f, const char *text, json_t **refusal)
{
  dvText why = {0};
  size_t told = s->news.count;
  if (dv_field_set_live(f, text, &why) != DV_OK) {
    if (!why.length && s->news.count > told) dv_text_add(&why, s->news.data[s->news.count - 1].text);
    *refusal = refused(&why, "the component does not work with this value");
  }
  dv_text_free(&why);
  return !*refusal;
}

static json_t *object_answer(dvSession *s, const char *path)
{
  dvObject *o = dv_view_find(s, path);
  json_t *answer = dv_view_ok();
  json_object_set_new(answer, "object", o ? dv_view_object(s, o) : json_null());
  return answer;
}

json_t *dv_view_set(dvSession *s, const char *path, const char *name, const char *text)
{
  dvObject *o = dv_view_find(s, path);
  if (!o) return dv_view_error(NULL, "there is no %.200s", path);
  dvField *f = dv_object_field(o, name);
  if (!f) return dv_view_error(NULL, "%s has no field %.100s", o->cls->name, name);
  if (f->desc->flags & DV_READ_ONLY) return dv_view_error(NULL, "%s is computed", dv_field_name(f->desc));
  json_t *refusal = NULL;
  if (s->ready && !f->source && *text != '@' && is_live(o, f)) {
    if (!set_live(s, f, text, &refusal)) return refusal;
    json_t *absent = s->editing ? dv_edit_attribute(s, path, name, text, DV_EDIT_ONLY_TEXT) : dv_view_ok();
    if (absent)   // from the text: an included file, a program
      dv_session_remember(s, (dvEdit){DV_EDIT_SET, dv_strdup(path), dv_strdup(name), dv_strdup(text), false});
    json_decref(absent);
    s->moved = true;
    s->draw.again = true;   // colours, sizes, what is drawn
    return object_answer(s, path);
  }
  dvFieldType type = f->desc->type;
  bool words = type == DV_T_STRING || type == DV_T_FILE || type == DV_T_STRINGS;
  refusal = dv_session_edit(s, (dvEdit){DV_EDIT_SET, dv_strdup(path), dv_strdup(name), dv_strdup(text), words});
  return refusal ? refusal : object_answer(s, path);
}

json_t *dv_view_remove(dvSession *s, const char *path)
{
  dvObject *o = dv_view_find(s, path);
  if (!o) return dv_view_error(NULL, "there is no %.200s", path);
  if (dv_node_of(o) == s->scene->root) return dv_view_error(NULL, "the root cannot be removed");
  json_t *refusal = dv_session_edit(s, (dvEdit){.kind = DV_EDIT_REMOVE, .path = dv_strdup(path)});
  return refusal ? refusal : dv_view_ok();
}
