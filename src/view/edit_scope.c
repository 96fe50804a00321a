// The smallest part of a running scene to make again after its text has changed. See edit.h.
//
// The texts before and after are compared node by node, from the root down. Where a node's own tag and components are
// the same, only those of its child nodes that differ are taken out, read from the text and initialised (scene/late.h).
// Everything else is not touched: no component outside of them is initialised again. That cannot be when somebody
// outside points to something inside, when the parent has a state that templates follow, or when a mesh was changed by
// hand: then the whole scene is read again.
#include "view/edit.h"

#include "object/compat.h"
#include "scene/late.h"

#include <string.h>

enum { MOST_BURIED = 300 };   // what is taken out is freed with the scene only: after so many it is read again

typedef struct Scope {
  dvSession *session;
  const dvDocument *old, *now;
  int *map;                     // for each old tag its number now, or -1
  int parent_old, parent_now;   // of what differs
  DV_ARRAY(int) out;            // child nodes that go, by their old tags
  DV_ARRAY(int) in;             // child nodes that come
  DV_ARRAY(dvNode *) nodes;     // those that go
  DV_ARRAY(dvScene *) scenes;   // those that come
  dvFromTags origins;           // of what comes
} Scope;

static bool same_text(const Scope *c, dvSpan a, dvSpan b)
{
  return a.length == b.length && memcmp(c->old->text.text + a.at, c->now->text.text + b.at, a.length) == 0;
}

static dvSpan start_tag(const dvDocument *d, int tag)
{
  return (dvSpan){d->tags.data[tag].start, d->tags.data[tag].end - d->tags.data[tag].start};
}

// --- what differs --------------------------------------------------------------------------------

typedef DV_ARRAY(int) Tags;

static void children_of(const dvDocument *d, int parent, Tags *out)
{
  for (int c = dv_document_child(d, parent, -1); c >= 0; c = dv_document_child(d, parent, c)) dv_push(out, c);
}

static bool same_element(const Scope *c, int a, int b)
{
  return same_text(c, dv_document_whole(c->old, a), dv_document_whole(c->now, b));
}

static void match(Scope *c, int a, int b)
{
  for (int k = 0; k < c->old->tags.data[a].last - a; k++) c->map[a + k] = b + k;
}

static dvObject *object_of(const dvSession *s, int tag)
{
  dvObject *found = NULL;
  for (size_t i = 0; i < s->editing->origins.count; i++) {
    const dvFromTag *o = &s->editing->origins.data[i];
    if ((int)o->tag != tag) continue;
    if (found) return NULL;   // one tag for two
    found = o->object;
  }
  return found;
}

static dvNode *node_of(const dvSession *s, int tag)
{
  dvObject *o = object_of(s, tag);
  return o ? dv_node_of(o) : NULL;
}

// children of two tags whose start tags are the same; false when more than child nodes differ
static bool compare(Scope *c, int a, int b)
{
  Tags old = {0}, now = {0};
  children_of(c->old, a, &old);
  children_of(c->now, b, &now);
  size_t first = 0, last = 0, n = dv_min_size(old.count, now.count);
  c->map[a] = b;
  c->parent_old = a, c->parent_now = b;
  c->out.count = c->in.count = 0;
  if (old.count == now.count) {   // each at its place
    for (size_t i = 0; i < n; i++)
      if (same_element(c, old.data[i], now.data[i])) match(c, old.data[i], now.data[i]);
      else dv_push(&c->out, old.data[i]), dv_push(&c->in, now.data[i]);
  } else {
    while (first < n && same_element(c, old.data[first], now.data[first])) {
      match(c, old.data[first], now.data[first]);
      first++;
    }
    while (last < n - first && same_element(c, old.data[old.count - 1 - last], now.data[now.count - 1 - last])) {
      match(c, old.data[old.count - 1 - last], now.data[now.count - 1 - last]);
      last++;
    }
    for (size_t i = first; i < old.count - last; i++) dv_push(&c->out, old.data[i]);
    for (size_t i = first; i < now.count - last; i++) dv_push(&c->in, now.data[i]);
  }
  dv_array_free(&old);
  dv_array_free(&now);
  for (size_t i = 0; i < c->out.count; i++)
    if (!dv_document_is(c->old, c->out.data[i], "Node")) return false;
  for (size_t i = 0; i < c->in.count; i++)
    if (!dv_document_is(c->now, c->in.data[i], "Node")) return false;
  return true;
}

// goes down as long as one node holds all that differs and has no state, which templates below would follow
static bool find_difference(Scope *c)
{
  int a = dv_document_root(c->old), b = dv_document_root(c->now);
  if (!same_text(c, start_tag(c->old, a), start_tag(c->now, b)) || !compare(c, a, b)) return false;
  while (c->out.count == 1 && c->in.count == 1) {
    a = c->out.data[0], b = c->in.data[0];
    const dvNode *node = node_of(c->session, a);
    if (!node || dv_node_state(node) || !same_text(c, start_tag(c->old, a), start_tag(c->now, b))) break;
    int parents[2] = {c->parent_old, c->parent_now};
    if (compare(c, a, b)) continue;
    for (int k = a; k < c->old->tags.data[a].last; k++) c->map[k] = -1;   // this node as a whole, then
    c->parent_old = parents[0], c->parent_now = parents[1];
    c->out.count = c->in.count = 0;
    dv_push(&c->out, a);
    dv_push(&c->in, b);
    break;
  }
  return true;
}

// --- whether it can be ---------------------------------------------------------------------------

static bool goes(const Scope *c, const dvObject *o)
{
  for (const dvNode *n = dv_node_of((dvObject *)o) ? (const dvNode *)o : o->node; n;
       n = n->parents.count ? n->parents.data[0] : NULL)
    for (size_t i = 0; i < c->nodes.count; i++)
      if (c->nodes.data[i] == n) return true;
  return false;
}

typedef struct Pointing {
  dvVisitor visitor;
  const Scope *scope;
  bool found;
} Pointing;

// a link as it was written: some components take its value at the start and let it go
static bool names_inside(const Scope *c, dvObject *o, const char *value)
{
  const char *word;
  size_t length;
  bool found = false;
  while (!found && dv_scan_word(&value, &word, &length)) {
    if (*word != '@') continue;
    char *one = dv_strndup(word, length), *field = NULL;
    const dvObject *target = dv_link_split(o, one, &field);
    if (!target) target = dv_link_find(o, one, DV_ROLE_ANY);
    found = target && goes(c, target);
    dv_free(one), dv_free(field);
  }
  return found;
}

static bool points_inside(const Scope *c, dvObject *o)
{
  for (size_t i = 0; i < o->attributes.count; i++)
    if (strchr(o->attributes.data[i].value, '@') && names_inside(c, o, o->attributes.data[i].value)) return true;
  for (int i = 0; i < o->field_count; i++) {
    const dvField *f = &o->fields[i];
    if (f->source && goes(c, f->source->owner)) return true;
    if (f->desc->type == DV_T_LINK) {
      const dvObject *target = ((const dvLink *)f->value)->target;
      if (target && goes(c, target)) return true;
    }
    if (f->desc->type != DV_T_LINKS) continue;
    const dvLinks *l = f->value;
    for (size_t k = 0; k < l->count; k++)
      if (l->data[k].target && goes(c, l->data[k].target)) return true;
  }
  return false;
}

static dvWalk look_for_pointers(dvVisitor *v, dvNode *node)
{
  Pointing *p = (Pointing *)v;
  if (goes(p->scope, &node->base)) return DV_WALK_PRUNE;
  for (size_t i = 0; i < node->objects.count && !p->found; i++)
    p->found = points_inside(p->scope, node->objects.data[i]);
  return p->found ? DV_WALK_PRUNE : DV_WALK_ON;
}

static bool somebody_points_inside(const Scope *c)
{
  Pointing p = {{.top_down = look_for_pointers, .everything = true}, c, false};
  dv_visit(c->session->scene->root, &p.visitor);
  return p.found;
}

// names that nodes get by counting depend on the whole file
static bool all_named(const dvDocument *d, int tag)
{
  dvSpan value, all;
  for (int k = tag; k < d->tags.data[tag].last; k++)
    if (dv_document_is(d, k, "Node") && (!dv_document_attribute(d, k, "name", &value, &all) || !value.length))
      return false;
  return true;
}

static bool can_be(Scope *c)
{
  dvSession *s = c->session;
  dvNode *parent = node_of(s, c->parent_old);
  if (!parent || dv_node_state_up(parent)) return false;
  for (size_t i = 0; i < c->out.count; i++) {
    dvNode *n = node_of(s, c->out.data[i]);
    if (!n || n->parents.count != 1 || n->parents.data[0] != parent || !all_named(c->old, c->out.data[i])) return false;
    dv_push(&c->nodes, n);
  }
  for (size_t i = 0; i < c->in.count; i++)
    if (!all_named(c->now, c->in.data[i])) return false;
  return !somebody_points_inside(c);
}

// --- doing it ------------------------------------------------------------------------------------

// One node as a scene of its own, in the mode of the present one; lines before it are empty, so that messages name the
// right one. NULL when it has mistakes: reading everything tells them in order.
static dvScene *read_part(Scope *c, int tag)
{
  dvSession *s = c->session;
  dvContext *context = s->context;
  dvSpan whole = dv_document_whole(c->now, tag);
  dvText text = {0};
  for (size_t i = 0; i < whole.at; i++)
    if (c->now->text.text[i] == '\n') dv_text_add(&text, "\n");
  dv_text_add_n(&text, c->now->text.text + whole.at, whole.length);
  dvCompatMode choice = context->compat_choice;
  bool chosen = context->compat_chosen;
  size_t first = c->origins.count;
  dvScene *scene = NULL;
  dv_compat_choose(context, context->compat);
  dvStatus status =
      dv_scene_parse_traced(context, s->file ? s->file : s->name, text.text, text.length, &scene, &c->origins);
  context->compat_choice = choice;
  context->compat_chosen = chosen;
  dv_text_free(&text);
  for (size_t i = first; i < c->origins.count; i++) c->origins.data[i].tag += (size_t)tag;
  bool good = scene && status == DV_OK && context->log.worst == DV_OK && !scene->left_out.count && !scene->dag;
  if (!good && scene) dv_scene_destroy(&scene);
  return scene;
}

static bool read_parts(Scope *c)
{
  for (size_t i = 0; i < c->in.count; i++) {
    dvScene *scene = read_part(c, c->in.data[i]);
    if (!scene) return false;
    dv_push(&c->scenes, scene);
  }
  return true;
}

static void renumber(Scope *c)
{
  dvFromTags *all = &c->session->editing->origins;
  size_t kept = 0;
  for (size_t i = 0; i < all->count; i++) {
    int now = c->map[all->data[i].tag];
    if (now >= 0) all->data[kept++] = (dvFromTag){all->data[i].object, (size_t)now};
  }
  all->count = kept;
  for (size_t i = 0; i < c->origins.count; i++) dv_push(all, c->origins.data[i]);
}

// the tags of the children; those that have none stand behind the others, as they were
static size_t *orders_of(const Scope *c, const dvNode *parent)
{
  const dvFromTags *all = &c->session->editing->origins;
  size_t *orders = dv_alloc((parent->children.count + 1) * sizeof *orders);
  memset(orders, 0xff, (parent->children.count + 1) * sizeof *orders);
  for (size_t i = 0; i < all->count; i++) {
    const dvNode *node = dv_node_of(all->data[i].object);
    if (!node || !node->parents.count || node->parents.data[0] != parent) continue;
    for (size_t k = 0; k < parent->children.count; k++)
      if (parent->children.data[k] == node) orders[k] = all->data[i].tag;
  }
  return orders;
}

// children stand in the order of the text again
static void put_in_order(const Scope *c, dvNode *parent)
{
  size_t *orders = orders_of(c, parent);
  for (size_t i = 1; i < parent->children.count; i++)
    for (size_t k = i; k > 0 && orders[k] < orders[k - 1]; k--) {
      dvNode *n = parent->children.data[k];
      size_t order = orders[k];
      parent->children.data[k] = parent->children.data[k - 1], orders[k] = orders[k - 1];
      parent->children.data[k - 1] = n, orders[k - 1] = order;
    }
  dv_free(orders);
}

static bool exchange(Scope *c, bool fresh)
{
  dvSession *s = c->session;
  dvNode *parent = node_of(s, c->parent_old);
  dv_view_release(s);
  dv_view_undo_clear(s);
  dvKept *kept = dv_view_keep(s);
  for (size_t i = 0; i < c->nodes.count; i++) {
    char *path = dv_object_path(&c->nodes.data[i]->base);
    if (fresh) dv_view_keep_not(kept, path);
    dv_free(path);
    dv_scene_bury(s->scene, &c->nodes.data[i]->base);
  }
  for (size_t i = 0; i < c->scenes.count; i++) dv_scene_adopt(parent, &c->scenes.data[i]);
  c->scenes.count = 0;
  renumber(c);
  put_in_order(c, parent);
  s->scene->version++;
  bool good = dv_scene_init_late(s->scene, true) == DV_OK && s->context->log.worst == DV_OK;
  if (good) s->editing->parts++;
  else dv_session_load(s);
  dv_view_go_on(s, &kept);
  dv_draw_build(&s->draw, s->ready ? s->scene : NULL);
  dv_edit_built(s);
  s->graph++;
  s->moved = true;
  return true;
}

bool dv_edit_rebuild_parts(dvSession *s, bool fresh)
{
  struct dvEditing *e = s->editing;
  if (!s->ready || s->options.host.scene || s->fixed.count || s->edits.count || !e->built.tags.count || s->scene->dag ||
      s->scene->buried.count > MOST_BURIED || dv_view_meshes_changed(s) || s->context->log.worst != DV_OK)
    return false;
  Scope c = {.session = s, .old = &e->built, .now = &e->document};
  c.map = dv_alloc((e->built.tags.count + 1) * sizeof *c.map);
  memset(c.map, 0xff, (e->built.tags.count + 1) * sizeof *c.map);   // -1
  bool good = find_difference(&c) && can_be(&c);
  for (size_t i = 0; good && i < c.nodes.count; i++) dv_session_forget_news(s, &c.nodes.data[i]->base);
  good = good && read_parts(&c) && exchange(&c, fresh);
  for (size_t i = 0; i < c.scenes.count; i++) dv_scene_destroy(&c.scenes.data[i]);
  dv_array_free(&c.out), dv_array_free(&c.in), dv_array_free(&c.nodes), dv_array_free(&c.scenes);
  dv_array_free(&c.origins);
  dv_free(c.map);
  return good;
}
