// Nodes, searches in the graph and the walk over it. See node.h.
#include "scene/names.h"

#include "scene/live.h"

#include "scene/plan.h"

#include <string.h>

static void node_destroy(dvObject *o);
static dvStatus node_parse(dvObject *o, dvAttributes *a);

#define SELF dvNode
static const dvFieldDesc node_fields[] = {DV_NODE_FIELDS(DV_DESCRIBE)};
#undef SELF

#define SELF dvNode
static const dvMemoryDesc node_memory[] = {DV_REMEMBER(numbers, time)};
#undef SELF

static void node_remember(dvObject *o, dvMemoryStream *stream)
{
  dvScene *s = ((dvNode *)o)->scene;
  if (o == &s->root->base) dv_remember_numbers(stream, "step", &s->step, sizeof s->step);
}

const dvClass dv_node_class = {
    .struct_size = sizeof(dvClass),
    .name = "Node",
    .help = "a node of the scene graph",
    .module = "Sofa.Simulation.Core",
    .roles = DV_PLAYS(DV_ROLE_NODE),
    .size = sizeof(dvNode),
    .blocks = {&dv_object_block, DV_BLOCK(node_fields)},
    .parse = node_parse,
    .destroy = node_destroy,
    DV_MEMORY(node_memory),
    .remember = node_remember,
};

static void node_destroy(dvObject *o)
{
  dvNode *n = (dvNode *)o;
  for (size_t i = n->objects.count; i > 0; i--) dv_object_destroy(&n->objects.data[i - 1]);
  for (size_t i = n->children.count; i > 0; i--) {
    dvNode *child = n->children.data[i - 1];
    for (size_t p = 0; p < child->parents.count; p++)
      if (child->parents.data[p] == n) {
        dv_array_remove(&child->parents, p);
        break;
      }
    if (child->parents.count == 0) {
      dvObject *gone = &child->base;
      dv_object_destroy(&gone);
    }
  }
  dv_array_free(&n->objects);
  dv_array_free(&n->counts);
  dv_array_free(&n->children);
  dv_names_free(&n->child_names);
  dv_names_free(&n->object_names);
  dv_array_free(&n->parents);
  dv_array_free(&n->joined);
}

// the display flags that nodes carried in 2011 become the words of today's displayFlags
static dvStatus node_parse(dvObject *o, dvAttributes *a)
{
  static const char *const old[] = {"showAll",
                                    "showVisual",
                                    "showBehavior",
                                    "showCollision",
                                    "showMapping",
                                    "showVisualModels",
                                    "showBehaviorModels",
                                    "showCollisionModels",
                                    "showBoundingCollisionModels",
                                    "showBoundingTree",
                                    "showMappings",
                                    "showMechanicalMappings",
                                    "showForceFields",
                                    "showInteractionForceFields",
                                    "showWireFrame",
                                    "showNormals"};
  dvText flags = {0};
  for (size_t i = 0; i < DV_COUNT(old); i++) {
    const char *value = dv_attribute_take(a, old[i]);
    if (!value || !*value) continue;
    bool on = strchr("tT123456789", *value) != NULL;
    dv_text_printf(&flags, "%s%s%s", flags.length ? " " : "", on ? "show" : "hide", old[i] + 4);
  }
  if (flags.length) dv_object_set(o, "displayFlags", flags.text);
  dv_text_free(&flags);
  dv_attribute_take(a, "multithreading");
  dv_attribute_take(a, "depend");
  return DV_OK;
}

dvScene *dv_scene_create(dvContext *context)
{
  dvScene *s = dv_alloc(sizeof *s);
  s->context = context;
  s->root = dv_node_create(s, "root");
  s->version = 1;
  return s;
}

static dvWalk clean_up(dvVisitor *v, dvNode *node)
{
  DV_UNUSED(v);
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    if (!o->failed && o->cls->cleanup) o->cls->cleanup(o);
  }
  return DV_WALK_ON;
}

void dv_scene_destroy(dvScene **scene)
{
  dvScene *s = *scene;
  if (!s) return;
  dvVisitor end = {.top_down = clean_up};
  if (s->initialised) dv_visit(s->root, &end);
  for (size_t i = 0; i < s->subscribers.count; i++) s->subscribers.data[i].gone(s->subscribers.data[i].user);
  dv_array_free(&s->subscribers);
  while (s->live.count) dv_live_leave(s->live.data[s->live.count - 1]);
  dv_array_free(&s->live);
  dv_plan_destroy(&s->plan);
  for (size_t i = 0; i < s->buried.count; i++) dv_object_destroy(&s->buried.data[i]);
  dv_array_free(&s->buried);
  dvObject *root = &s->root->base;
  dv_object_destroy(&root);
  dv_array_free(&s->handlers);
  dv_array_free(&s->inheritance);
  dv_array_free(&s->engines);
  dv_array_free(&s->advancing);
  dv_snapshot_free(&s->start);
  dv_array_free(&s->followers);
  for (size_t i = 0; i < s->left_out.count; i++) {
    dv_free(s->left_out.data[i].type);
    dv_free(s->left_out.data[i].path);
  }
  dv_array_free(&s->left_out);
  dv_strings_free(&s->missing);
  dv_free(s);
  *scene = NULL;
}

dvNode *dv_node_create(dvScene *scene, const char *name)
{
  dvObject *o = dv_object_create(scene->context, &dv_node_class, name, NULL);
  dvNode *n = (dvNode *)o;
  n->scene = scene;
  o->node = n;
  return n;
}

static bool leads_to(dvNode *from, const dvNode *to)
{
  if (from == to) return true;
  for (size_t i = 0; i < from->children.count; i++)
    if (leads_to(from->children.data[i], to)) return true;
  return false;
}

bool dv_node_add_child(dvNode *parent, dvNode *child)
{
  if (leads_to(child, parent)) return false;
  dv_push(&parent->children, child);
  dv_names_add(&parent->child_names, &child->base);
  dv_push(&child->parents, parent);
  if (child->parents.count > 1) parent->scene->dag = true;
  parent->scene->version++;
  return true;
}

static dvClassCount *count_of(dvNode *node, const dvClass *cls)
{
  for (size_t i = 0; i < node->counts.count; i++)
    if (node->counts.data[i].cls == cls) return &node->counts.data[i];
  dv_push(&node->counts, ((dvClassCount){cls, 0}));
  return &node->counts.data[node->counts.count - 1];
}

static void enlist(dvNode *node, dvObject *object)
{
  dv_names_add(&node->object_names, object);
  if (!node->state && dv_is_mechanical_state(object)) node->state = object;
}

void dv_node_add(dvNode *node, dvObject *object)
{
  int counter = ++count_of(node, object->cls)->count;
  if (!object->name || !*object->name) {
    dv_free(object->name);
    object->name = dv_format("%s%d", object->cls->name, counter);
  }
  object->node = node;
  dv_push(&node->objects, object);
  enlist(node, object);
  node->scene->version++;
}

void dv_node_remove(dvNode *node, dvObject *object)
{
  for (size_t i = 0; i < node->objects.count; i++) {
    if (node->objects.data[i] != object) continue;
    dv_array_remove(&node->objects, i);
    node->state = NULL;
    dv_names_free(&node->object_names);
    for (size_t k = 0; k < node->objects.count; k++) enlist(node, node->objects.data[k]);
    count_of(node, object->cls)->count--;
    object->node = NULL;
    node->scene->version++;
    return;
  }
}

// --- searches ------------------------------------------------------------------------------------

dvObject *dv_node_find(const dvNode *node, dvRole role)
{
  size_t n = node->objects.count;
  for (size_t i = 0; i < n; i++) {
    // of several topologies the last one counts, as in SOFA
    dvObject *o = node->objects.data[role == DV_ROLE_TOPOLOGY ? n - 1 - i : i];
    if (dv_plays(o, role) && !o->failed) return o;
  }
  return NULL;
}

dvObject *dv_node_find_up(const dvNode *node, dvRole role)
{
  dvObject *found = dv_node_find(node, role);
  for (size_t i = 0; i < node->parents.count && !found; i++) found = dv_node_find_up(node->parents.data[i], role);
  return found;
}

typedef struct Finder {
  dvVisitor visitor;
  dvRole role;
  dvObject *found;
} Finder;

static dvWalk find_role(dvVisitor *v, dvNode *node)
{
  Finder *f = (Finder *)v;
  if (!f->found) f->found = dv_node_find(node, f->role);
  return f->found ? DV_WALK_PRUNE : DV_WALK_ON;
}

dvObject *dv_node_find_below(dvNode *node, dvRole role)
{
  Finder f = {.visitor = {.top_down = find_role}, .role = role};
  dv_visit(node, &f.visitor);
  return f.found;
}

bool dv_is_mechanical_state(const dvObject *o) { return dv_plays(o, DV_ROLE_STATE) && !dv_plays(o, DV_ROLE_VISUAL); }

dvObject *dv_node_state(const dvNode *node) { return node->state; }

dvObject *dv_node_state_up(const dvNode *node)
{
  dvObject *found = dv_node_state(node);
  for (size_t i = 0; i < node->parents.count && !found; i++) found = dv_node_state_up(node->parents.data[i]);
  return found;
}

bool dv_node_is_mapped(const dvNode *node)
{
  for (size_t i = 0; i < node->objects.count; i++)
    if (dv_mapping_is_mechanical(node->objects.data[i])) return true;
  return false;
}

dvNode *dv_node_child(const dvNode *node, const char *name)
{
  return (dvNode *)dv_names_find(&node->child_names, name);
}

int dv_node_depth(const dvNode *node)
{
  int depth = 0;
  for (; node->parents.count; depth++) node = node->parents.data[0];
  return depth;
}

dvObject *dv_node_object(const dvNode *node, const char *name) { return dv_names_find(&node->object_names, name); }

bool dv_node_active(const dvNode *node)
{
  if (!node->activated) return false;
  for (size_t i = 0; i < node->parents.count; i++)
    if (dv_node_active(node->parents.data[i])) return true;
  return node->parents.count == 0;
}

static void path_of(const dvNode *node, dvText *out)
{
  if (node->parents.count == 0) return;
  path_of(node->parents.data[0], out);
  dv_text_printf(out, "/%s", node->base.name);
}

char *dv_object_path(const dvObject *o)
{
  dvText path = {0};
  if (o->node) path_of(o->node, &path);
  if (!o->node || o != &o->node->base) dv_text_printf(&path, "/%s", o->name);
  if (path.length == 0) dv_text_add(&path, "/");
  return dv_text_take(&path);
}

// --- walking -------------------------------------------------------------------------------------

// Marks of a walk over a graph where nodes have several parents.
typedef struct Marks {
  DV_ARRAY(dvNode *) order;     // nodes that were visited
  DV_ARRAY(dvNode *) reached;   // nodes of the subgraph
} Marks;

static bool contains(dvNode *const *nodes, size_t count, const dvNode *node)
{
  for (size_t i = 0; i < count; i++)
    if (nodes[i] == node) return true;
  return false;
}

static void collect(dvNode *node, Marks *m)
{
  if (contains(m->reached.data, m->reached.count, node)) return;
  dv_push(&m->reached, node);
  for (size_t i = 0; i < node->children.count; i++) collect(node->children.data[i], m);
}

bool dv_node_left_out(const dvNode *node)
{
  bool above = node->parents.count > 0;
  for (size_t i = 0; i < node->parents.count && above; i++) above = dv_node_left_out(node->parents.data[i]);
  return above || dv_node_rests(node);
}

static bool passed_over(const dvNode *node, const dvVisitor *v) { return !v->everything && dv_node_rests(node); }

static void walk_tree(dvNode *node, dvVisitor *v)
{
  if (passed_over(node, v)) return;
  if (v->top_down && v->top_down(v, node) == DV_WALK_PRUNE) return;
  for (size_t i = 0; i < node->children.count; i++) walk_tree(node->children.data[i], v);
  if (v->bottom_up) v->bottom_up(v, node);
}

// depth first; a node waits for all of its parents that belong to the subgraph
static void walk_dag(dvNode *node, dvVisitor *v, Marks *m, Marks *done)
{
  if (contains(done->reached.data, done->reached.count, node)) return;
  for (size_t i = 0; i < node->parents.count; i++) {
    dvNode *p = node->parents.data[i];
    if (contains(m->reached.data, m->reached.count, p) && !contains(done->reached.data, done->reached.count, p)) return;
  }
  dv_push(&done->reached, node);
  bool reachable = m->reached.data[0] == node;
  for (size_t i = 0; i < node->parents.count && !reachable; i++)
    reachable = contains(done->order.data, done->order.count, node->parents.data[i]);
  if (reachable && !passed_over(node, v) && (!v->top_down || v->top_down(v, node) == DV_WALK_ON))
    dv_push(&done->order, node);
  for (size_t i = 0; i < node->children.count; i++) walk_dag(node->children.data[i], v, m, done);
}

void dv_visit(dvNode *node, dvVisitor *visitor)
{
  if (!node->scene->dag) {
    walk_tree(node, visitor);
    return;
  }
  Marks all = {0}, done = {0};
  collect(node, &all);
  walk_dag(node, visitor, &all, &done);
  if (visitor->bottom_up)
    for (size_t i = done.order.count; i > 0; i--) visitor->bottom_up(visitor, done.order.data[i - 1]);
  dv_array_free(&all.reached);
  dv_array_free(&all.order);
  dv_array_free(&done.reached);
  dv_array_free(&done.order);
}
