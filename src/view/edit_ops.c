// What can be done to a scene that is built: one function for each change. See edit.h.
#include "view/edit.h"

#include "base/file.h"

#include <string.h>

static dvObject *find(dvSession *s, const char *path, json_t **error)
{
  *error = dv_edit_refusal(s);
  dvObject *o = *error ? NULL : dv_view_find(s, path);
  if (!o && !*error) *error = dv_view_error(NULL, "there is no %.200s", path);
  return o;
}

// the object and its tag; -1 with the reason
static int find_tag(dvSession *s, const char *path, dvObject **o, json_t **error)
{
  *o = find(s, path, error);
  return *o ? dv_edit_tag(s, *o, error) : -1;
}

static int find_node_tag(dvSession *s, const char *path, dvObject **o, json_t **error)
{
  int tag = find_tag(s, path, o, error);
  if (tag < 0) return -1;
  if (dv_node_of(*o) && dv_document_is(&s->editing->document, tag, "Node")) return tag;
  *error = dv_view_error("choose a node of the scene's own file", "nothing can stand inside of %.200s", path);
  return -1;
}

// the path of what came from a tag, for the page to select
static json_t *done_at(dvSession *s, int tag)
{
  json_t *answer = dv_view_ok();
  for (size_t i = 0; i < s->editing->origins.count; i++) {
    const dvFromTag *o = &s->editing->origins.data[i];
    if ((int)o->tag != tag || json_object_get(answer, "path")) continue;
    char *path = dv_object_path(o->object);
    dv_view_put_text(answer, "path", path);
    dv_free(path);
  }
  return answer;
}

// --- names ---------------------------------------------------------------------------------------

static bool is_taken(const dvNode *node, const char *name)
{
  return dv_node_child(node, name) || dv_node_object(node, name);
}

char *dv_edit_free_name(dvSession *s, const char *parent, const char *wanted)
{
  dvObject *o = dv_view_find(s, parent);
  dvNode *node = o ? dv_node_of(o) : NULL;
  char *name = dv_strdup(wanted);
  for (int i = 2; node && is_taken(node, name) && i < DV_NODE_LIMIT; i++) {
    dv_free(name);
    name = dv_format("%s%d", wanted, i);
  }
  return name;
}

json_t *dv_edit_bad_name(const char *name)
{
  size_t n = strlen(name);
  if (n && n <= 100 && !strpbrk(name, "/@.[]<>&\"' \t\n\r")) return NULL;
  return dv_view_error("use letters, digits, - and _; links name things by it", "'%.100s' is not a name", name);
}

// --- links ---------------------------------------------------------------------------------------

// how a link is written after an edit; NULL: as before. The caller frees it.
typedef struct Relink {
  const dvObject *moved;
  const char *name;     // its new name, or
  const char *parent;   // the path of its new node
} Relink;

// how far above `o` the moved one stands: 0 for itself, -1 when it does not
static int steps_up(const dvObject *o, const dvObject *moved)
{
  if (o == moved) return 0;
  int steps = 1;
  const dvNode *n = dv_node_of((dvObject *)o)
                        ? (o->node && ((const dvNode *)o)->parents.count ? ((const dvNode *)o)->parents.data[0] : NULL)
                        : o->node;
  for (; n; n = n->parents.count ? n->parents.data[0] : NULL, steps++)
    if (&n->base == moved) return steps;
  return -1;
}

// "@../a/old/b.field" with another name so many steps before the end
static char *with_name(const char *word, int steps, const char *old, const char *name)
{
  size_t end = strlen(word), n = strlen(old);
  for (; steps > 0 && end > 0; steps--) {
    while (end > 0 && word[end - 1] != '/') end--;
    if (end > 0) end--;
  }
  size_t start = end;
  while (start > 0 && word[start - 1] != '/' && word[start - 1] != '@') start--;
  if (strncmp(word + start, old, n) != 0 || (start + n != end && word[start + n] != '.')) return NULL;
  return dv_format("%.*s%s%s", (int)start, word, name, word + start + n);
}

static char *relinked_word(const Relink *r, dvObject *owner, const char *word)
{
  char *field = NULL, *out = NULL;
  dvObject *target = dv_link_split(owner, word, &field);
  if (!target) target = dv_link_find(owner, word, DV_ROLE_ANY), dv_free(field), field = NULL;
  int steps = target ? steps_up(target, r->moved) : -1;
  if (r->name) {
    if (steps >= 0) out = with_name(word, steps, r->moved->name, r->name);
  } else if (target && (steps >= 0) != (steps_up(owner, r->moved) >= 0)) {   // one end moves, the other does not
    char *path = dv_object_path(target), *home = dv_object_path(r->moved), *moved = NULL;
    if (steps >= 0)
      moved = dv_format("%s/%s%s", dv_same(r->parent, "/") ? "" : r->parent, r->moved->name, path + strlen(home));
    out = dv_format("@%s%s%s", moved ? moved : path, field ? "." : "", field ? field : "");
    dv_free(path), dv_free(home), dv_free(moved);
  }
  dv_free(field);
  return out;
}

// a value with several words may have several links
static char *relinked(const Relink *r, dvObject *owner, const char *value)
{
  dvText out = {0};
  bool changed = false;
  dv_text_add(&out, "");
  const char *at = value, *word;
  size_t length;
  for (const char *cursor = value; dv_scan_word(&cursor, &word, &length); at = cursor) {
    dv_text_add_n(&out, at, (size_t)(word - at));
    char *one = dv_strndup(word, length), *other = *one == '@' ? relinked_word(r, owner, one) : NULL;
    dv_text_add(&out, other ? other : one);
    changed = changed || other;
    dv_free(one), dv_free(other);
  }
  dv_text_add(&out, at);
  if (changed) return dv_text_take(&out);
  dv_text_free(&out);
  return NULL;
}

static void set_attribute(dvSession *s, int tag, const char *name, const char *value)
{
  dvSpan place;
  char *text;
  if (dv_document_setting(&s->editing->document, tag, name, value, &place, &text)) dv_edit_replace(s, place, text);
  dv_free(text);
}

// all links of the text follow; numbers of tags stay
static void relink(dvSession *s, const Relink *r)
{
  const dvFromTags *all = &s->editing->origins;
  for (size_t i = 0; i < all->count; i++) {
    dvObject *o = all->data[i].object;
    int tag = (int)all->data[i].tag;
    for (size_t k = 0; k < o->attributes.count; k++) {
      const char *name = o->attributes.data[k].name;
      char *value =
          strchr(o->attributes.data[k].value, '@') ? dv_document_value(&s->editing->document, tag, name) : NULL;
      char *other = value ? relinked(r, o, value) : NULL;
      if (other) set_attribute(s, tag, name, other);
      dv_free(value), dv_free(other);
    }
  }
}

// --- changes -------------------------------------------------------------------------------------

json_t *dv_edit_insert(dvSession *s, const char *parent, const char *before, const char *xml, const char *what)
{
  json_t *error = NULL;
  dvObject *node, *next;
  int tag = find_node_tag(s, parent, &node, &error), ahead = -1;
  if (tag >= 0 && before && *before) ahead = find_tag(s, before, &next, &error);
  if (error) return error;
  dvDocument *d = &s->editing->document;
  if (ahead >= 0 && d->tags.data[ahead].parent != tag)
    return dv_view_error(NULL, "%.200s does not stand in %.200s", before, parent);
  dvDocument piece = {0};
  char *wrapped = dv_format("<Node>%s</Node>", xml);
  bool good = dv_document_take(&piece, wrapped, strlen(wrapped)) && piece.tags.count > 1;
  dv_document_free(&piece);
  dv_free(wrapped);
  if (!good) return dv_view_error("each start tag needs an end tag", "what is to be added is not XML");
  int number = ahead >= 0 ? ahead : d->tags.data[tag].last;
  dvSpan place;
  char *text = dv_document_insertion(d, tag, ahead, xml, &place);
  dv_edit_begin(s, "%s", what);
  dv_edit_replace(s, place, text);
  dv_free(text);
  error = dv_edit_commit(s, DV_EDIT_ANY);
  return error ? error : done_at(s, number);
}

static json_t *is_root(dvSession *s, const dvObject *o)
{
  return s->scene && o == &s->scene->root->base ? dv_view_error(NULL, "the root stays where it is") : NULL;
}

json_t *dv_edit_remove(dvSession *s, const char *path, dvEditMode mode)
{
  json_t *error = NULL;
  dvObject *o;
  int tag = find_tag(s, path, &o, &error);
  if (!error) error = is_root(s, o);
  if (error) return error;
  dv_edit_begin(s, "remove %s", o->name);
  dv_edit_replace(s, dv_document_lines(&s->editing->document, tag, false), "");
  error = dv_edit_commit(s, mode);
  return error ? error : dv_view_ok();
}

json_t *dv_edit_move(dvSession *s, const char *path, const char *parent, const char *before)
{
  json_t *error = NULL;
  dvObject *o, *node, *next = NULL;
  int tag = find_tag(s, path, &o, &error), to = -1, ahead = -1;
  if (!error) error = is_root(s, o);
  if (!error) to = find_node_tag(s, parent, &node, &error);
  if (!error && before && *before) ahead = find_tag(s, before, &next, &error);
  if (error) return error;
  dvDocument *d = &s->editing->document;
  int last = d->tags.data[tag].last, size = last - tag;
  if (to >= tag && to < last) return dv_view_error(NULL, "a node cannot stand inside of itself");
  if (ahead >= 0 && (d->tags.data[ahead].parent != to || (ahead >= tag && ahead < last)))
    return ahead == tag ? dv_view_ok() : dv_view_error(NULL, "%.200s does not stand in %.200s", before, parent);
  bool elsewhere = d->tags.data[tag].parent != to;
  if (elsewhere && is_taken(dv_node_of(node), o->name))
    return dv_view_error("rename it first", "%.200s has something named %.100s already", parent, o->name);
  dv_edit_begin(s, "move %s", o->name);
  if (elsewhere) relink(s, &(Relink){.moved = o, .parent = parent});
  dvSpan lines = dv_document_lines(d, tag, true);
  char *piece = dv_document_margin(d, lines);
  dv_edit_replace(s, lines, "");
  if (to > tag) to -= size;
  if (ahead > tag) ahead -= size;
  dvSpan place;
  char *text = dv_document_insertion(d, to, ahead, piece, &place);
  int number = ahead >= 0 ? ahead : d->tags.data[to].last;
  dv_edit_replace(s, place, text);
  dv_free(piece), dv_free(text);
  error = dv_edit_commit(s, DV_EDIT_ANY);
  return error ? error : done_at(s, number);
}

json_t *dv_edit_rename(dvSession *s, const char *path, const char *name)
{
  json_t *error = dv_edit_bad_name(name);
  dvObject *o = NULL;
  int tag = error ? -1 : find_tag(s, path, &o, &error);
  if (error) return error;
  if (dv_same(o->name, name)) return dv_view_ok();
  const dvNode *node = dv_node_of(o) ? (dv_node_of(o)->parents.count ? dv_node_of(o)->parents.data[0] : NULL) : o->node;
  if (node && is_taken(node, name)) return dv_view_error("choose another name", "there is a %.100s already", name);
  dv_edit_begin(s, "rename %s to %s", o->name, name);
  if (node) relink(s, &(Relink){.moved = o, .name = name});   // links do not name the root
  set_attribute(s, tag, "name", name);
  error = dv_edit_commit(s, DV_EDIT_ANY);
  return error ? error : done_at(s, tag);
}

// the name under which the text has the field, or its own
static const char *spelled(dvSession *s, int tag, const dvFieldDesc *f, char room[100])
{
  dvSpan value, all;
  const char *words = f->alias, *word;
  size_t n;
  if (dv_document_attribute(&s->editing->document, tag, dv_field_name(f), &value, &all)) return dv_field_name(f);
  while (words && dv_scan_word(&words, &word, &n)) {
    if (n >= 100) continue;
    memcpy(room, word, n);
    room[n] = 0;
    if (dv_document_attribute(&s->editing->document, tag, room, &value, &all)) return room;
  }
  return dv_field_name(f);
}

json_t *dv_edit_attribute(dvSession *s, const char *path, const char *name, const char *value, dvEditMode mode)
{
  json_t *error = NULL;
  dvObject *o;
  char room[100];
  int tag = find_tag(s, path, &o, &error);
  if (error) return error;
  if (dv_document_is(&s->editing->document, tag, "include"))
    return dv_view_error("edit that file", "%.200s comes from an included file", path);
  const dvField *f = dv_object_field(o, name);
  const bool structural = dv_same(name, "template") || dv_same(name, "src");
  if (!f && !structural) return dv_view_error(NULL, "%s has no field %.100s", o->cls->name, name);
  const char *written = f ? spelled(s, tag, f->desc, room) : name;
  dv_edit_begin(s, "set %s of %s", name, o->name);
  if (mode == DV_EDIT_ONLY_TEXT) {   // a live value: undone while it runs
    dvTextEdit *now = &s->editing->now;
    now->path = dv_strdup(path), now->field = dv_strdup(name), now->value = dv_strdup(value);
    now->was = dv_document_value(&s->editing->document, tag, written);
  }
  set_attribute(s, tag, written, value);
  return dv_edit_commit(s, mode);
}

// --- edits of the old kind -----------------------------------------------------------------------

// a scene file, by its path from the scene where it stands below it
static json_t *add_include(dvSession *s, const dvEdit *edit)
{
  char *folder = dv_path_directory(s->file ? s->file : s->name), *what = dv_format("add %s", dv_path_name(edit->text));
  size_t n = strlen(folder);
  bool below = n && strncmp(edit->text, folder, n) == 0 && edit->text[n] == '/';
  dvText xml = {0};
  dv_text_add(&xml, "<include href=\"");
  dv_document_escape(&xml, below ? edit->text + n + 1 : edit->text);
  dv_text_add(&xml, "\"/>");
  bool worked = s->ready;
  json_t *answer = dv_edit_insert(s, edit->path, NULL, xml.text, what);
  if (!json_object_get(answer, "error")) json_decref(answer), answer = NULL;
  if (!answer && worked && !s->ready) {
    answer = dv_session_first_error(s);
    json_decref(dv_edit_undo(s));
    dv_edit_forget_undone(s);
  }
  dv_text_free(&xml);
  dv_free(folder), dv_free(what);
  return answer;
}

bool dv_edit_takes(dvSession *s, const dvEdit *edit, json_t **answer)
{
  json_t *error = NULL;
  dvObject *o;
  int tag = s->editing && s->scene ? find_tag(s, edit->path, &o, &error) : -1;
  json_decref(error);
  if (tag < 0) return false;
  bool include = dv_document_is(&s->editing->document, tag, "include"), by_page = s->editing->by_page;
  if (include && edit->kind != DV_EDIT_REMOVE) return false;
  s->editing->by_page |= edit->words;
  if (edit->kind == DV_EDIT_SET) *answer = dv_edit_attribute(s, edit->path, edit->field, edit->text, DV_EDIT_WORKING);
  else if (edit->kind == DV_EDIT_ADD) *answer = add_include(s, edit);
  else *answer = dv_edit_remove(s, edit->path, DV_EDIT_WORKING);
  if (*answer && !json_object_get(*answer, "error")) json_decref(*answer), *answer = NULL;
  if (*answer) s->editing->by_page = by_page;
  if (s->editing->by_page != by_page || *answer) dv_view_confine(s);   // as it stands now
  return true;
}
