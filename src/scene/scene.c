// The life of a scene: initialisation, steps, events, reset. See node.h.
#include "scene/names.h"

#include "scene/plan.h"
#include "scene/remember.h"
#include "scene/timer.h"

#include <math.h>
#include <string.h>

// --- context -------------------------------------------------------------------------------------

// nodes in the order of the graph, each followed by the components that change its context
static dvWalk list_context(dvVisitor *v, dvNode *node)
{
  DV_UNUSED(v);
  dvScene *s = node->scene;
  if (node->parents.count) dv_push(&s->inheritance, ((dvInheritance){node, NULL}));
  for (size_t i = 0; i < node->objects.count && node->parents.count; i++)
    if (node->objects.data[i]->cls->ops[DV_ROLE_CONTEXT])
      dv_push(&s->inheritance, ((dvInheritance){node, node->objects.data[i]}));
  return DV_WALK_ON;
}

void dv_scene_update_context(dvScene *scene)
{
  if (scene->inheritance_version != scene->version) {
    scene->inheritance_version = scene->version;
    scene->inheritance.count = 0;
    dvVisitor v = {.top_down = list_context, .everything = true};
    dv_visit(scene->root, &v);
  }
  for (size_t i = 0; i < scene->inheritance.count; i++) {
    dvNode *node = scene->inheritance.data[i].node;
    dvObject *setter = scene->inheritance.data[i].setter;
    const dvNode *parent = node->parents.data[0];
    if (setter) {
      ((const dvContextOps *)dv_ops(setter, DV_ROLE_CONTEXT))->apply(setter);
      continue;
    }
    memcpy(node->gravity, parent->gravity, sizeof node->gravity);
    node->dt = parent->dt;
    node->time = parent->time;
  }
}

static dvStatus check_dt(const dvNode *root)
{
  if (root->dt < 0 || !isfinite(root->dt))
    return dv_field_error((dvObject *)&root->base, &root->dt, "set dt=\"0.01\"", "a time step of %g s is not possible",
                          root->dt);
  if (root->dt == 0)
    dv_field_warning(&root->base, &root->dt, "set dt=\"0.01\"", "the time step is 0: nothing will move");
  return DV_OK;
}

// a value that the parent overrides is told once
static dvWalk warn_overridden(dvVisitor *v, dvNode *node)
{
  DV_UNUSED(v);
  if (node->parents.count == 0) return DV_WALK_ON;
  const dvNode *parent = node->parents.data[0];
  if (dv_was_set(&node->base, &node->gravity) && memcmp(node->gravity, parent->gravity, sizeof node->gravity) != 0)
    dv_field_warning(&node->base, &node->gravity, "set it at the root, or add a Gravity component to this node",
                     "the gravity of a node is that of its parent; this one is not used");
  if (dv_was_set(&node->base, &node->dt) && node->dt != parent->dt)
    dv_field_warning(&node->base, &node->dt, "set it at the root",
                     "the time step of a node is that of its parent; this one is not used");
  if (dv_was_set(&node->base, &node->compat))
    dv_field_warning(&node->base, &node->compat, "set it at the root", "only the compat of the root counts");
  return DV_WALK_ON;
}

// --- initialisation ------------------------------------------------------------------------------

typedef struct Initialiser {
  dvVisitor visitor;
  dvStatus worst;
  bool backward;
} Initialiser;

static void worse(dvStatus *worst, dvStatus status)
{
  if (status != DV_OK && *worst != DV_ERROR_UNKNOWN) *worst = status;
}

// a mapping works on states that may stand further down the file
static dvStatus ensure_mapped_states(dvObject *o)
{
  dvObject *state;
  dvStatus worst = DV_OK;
  for (size_t i = 0; (state = dv_mapping_input(o, i)); i++) worse(&worst, dv_object_ensure(state));
  for (size_t i = 0; (state = dv_mapping_output(o, i)); i++) worse(&worst, dv_object_ensure(state));
  if (worst != DV_OK) o->failed = true;
  return worst;
}

static bool is_lost(const dvObject *o) { return o && (o->failed || o->rests_on_failed); }

// the nearest one at or above the node, failed or not
static const dvObject *nearest(const dvNode *node, dvRole role, const dvObject *self)
{
  for (; node; node = node->parents.count ? node->parents.data[0] : NULL)
    for (size_t i = 0; i < node->objects.count; i++)
      if (node->objects.data[i] != self && dv_plays(node->objects.data[i], role)) return node->objects.data[i];
  return NULL;
}

static bool rests_on_failed(const dvObject *o)
{
  for (int i = 0; i < o->field_count; i++) {
    const dvField *f = &o->fields[i];
    if (f->source && is_lost(f->source->owner)) return true;
    if (f->desc->type == DV_T_LINK && is_lost(((const dvLink *)f->value)->target)) return true;
  }
  return is_lost(nearest(o->node, DV_ROLE_STATE, o)) || is_lost(nearest(o->node, DV_ROLE_TOPOLOGY, o));
}

// what a scene asks for and does not get
static void tell_idle(const dvObject *o)
{
  for (int i = 0; i < o->field_count; i++) {
    const dvField *f = &o->fields[i];
    if (!(f->desc->flags & DV_IDLE) || !f->was_set) continue;
    dvText value = {0};
    dv_field_print(f, &value);
    if (!dv_same(value.text ? value.text : "", f->desc->initial))
      dv_note(o, "%s=\"%s\" has %s", dv_field_name(f->desc), value.text ? value.text : "", f->desc->help);
    dv_text_free(&value);
  }
}

dvStatus dv_object_ensure(dvObject *o)
{
  if (o->failed) return DV_ERROR_INPUT;
  if (o->initialised) return DV_OK;
  o->initialised = true;
  tell_idle(o);
  o->rests_on_failed = o->context->log.worst != DV_OK && o->node && rests_on_failed(o);
  dvProgress *progress = o->context->progress;
  const char *before = progress ? atomic_exchange(&progress->doing, o->cls->name) : NULL;
  dv_timer_begin_fine(o->context->timers, o->cls->name);
  // an engine runs when somebody reads what it makes
  dvStatus worst = dv_plays(o, DV_ROLE_ENGINE) ? DV_OK : dv_object_pull(o);
  if (o->cls->ops[DV_ROLE_MAPPING]) worse(&worst, ensure_mapped_states(o));
  if (o->cls->update && !dv_plays(o, DV_ROLE_ENGINE)) worse(&worst, dv_object_update(o));
  if (!o->failed && o->cls->init) {
    dvStatus status = o->cls->init(o);
    if (status != DV_OK) o->failed = true;
    worse(&worst, status);
  }
  if (o->failed) o->initialised = false;
  dv_timer_end_fine(o->context->timers);
  if (progress) {
    atomic_store(&progress->doing, before);
    atomic_fetch_add(&progress->done, 1);
  }
  return worst;
}

static dvWalk count_objects(dvVisitor *v, dvNode *node)
{
  DV_UNUSED(v);
  atomic_fetch_add(&node->base.context->progress->total, node->objects.count);
  return DV_WALK_ON;
}

static dvWalk init_node(dvVisitor *v, dvNode *node)
{
  Initialiser *in = (Initialiser *)v;
  node->base.initialised = true;
  // a component may add others while it is initialised
  for (size_t i = 0; i < node->objects.count && !dv_memory_is_short(); i++)
    if (!node->objects.data[i]->failed) worse(&in->worst, dv_object_ensure(node->objects.data[i]));
  return DV_WALK_ON;
}

static void bwd_init_node(dvVisitor *v, dvNode *node)
{
  Initialiser *in = (Initialiser *)v;
  for (size_t i = node->objects.count; i > 0; i--) {
    dvObject *o = node->objects.data[i - 1];
    if (o->failed || !o->cls->bwd_init || dv_memory_is_short()) continue;
    dvStatus status = o->cls->bwd_init(o);
    if (status != DV_OK) o->failed = true;
    worse(&in->worst, status);
  }
}

static dvWalk store_reset(dvVisitor *v, dvNode *node)
{
  DV_UNUSED(v);
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    if (!o->failed && o->cls->store_reset) o->cls->store_reset(o);
  }
  return DV_WALK_ON;
}

static dvStatus find_loop(dvScene *scene)
{
  scene->loop = dv_node_find(scene->root, DV_ROLE_LOOP);
  if (scene->loop) return DV_OK;
  const dvClass *cls = dv_registry_find(&scene->context->registry, "DefaultAnimationLoop");
  DV_REQUIRE(cls);
  scene->loop = dv_object_create(scene->context, cls, "", NULL);
  scene->loop->place = scene->root->base.place;
  dv_node_add(scene->root, scene->loop);
  return DV_OK;
}

static dvStatus initialise(dvScene *scene)
{
  dvStatus worst = scene->context->log.worst;
  DV_TRY(find_loop(scene));
  dvVisitor warn = {.top_down = warn_overridden, .everything = true};
  dv_visit(scene->root, &warn);
  worse(&worst, check_dt(scene->root));
  dv_scene_update_context(scene);
  worse(&worst, dv_scene_link(scene));
  DV_TRY(dv_scene_check_mappings(scene));
  dvVisitor count = {.top_down = count_objects};
  if (scene->context->progress) dv_visit(scene->root, &count);
  Initialiser in = {.visitor = {.top_down = init_node, .bottom_up = bwd_init_node}};
  dv_visit(scene->root, &in.visitor);
  worse(&worst, in.worst);
  worse(&worst, dv_context_check_memory(scene->context));
  if (scene->context->log.worst != DV_OK) worse(&worst, scene->context->log.worst);
  if (worst != DV_OK) return worst;
  scene->version++;   // plans made during initialisation may be incomplete
  const dvLoopOps *loop = dv_ops(scene->loop, DV_ROLE_LOOP);
  dv_scene_refresh(scene);
  if (scene->follow) scene->follow(scene);   // a mesh may have been made again after its followers were initialised
  if (loop->start) DV_TRY(loop->start(scene->loop));
  dvVisitor store = {.top_down = store_reset};
  dv_visit(scene->root, &store);
  scene->initialised = true;
  dv_scene_send(scene, &(dvEvent){.kind = DV_EVENT_INIT_DONE});
  scene->start = (dvSnapshot){.shared = true, .unnamed = true};
  dv_scene_save(scene, &scene->start);
  dv_context_check_memory(scene->context);
  return scene->context->log.worst;
}

dvStatus dv_scene_init(dvScene *scene)
{
  scene->context->compat = scene->root->base.as_sofa ? DV_COMPAT_SOFA : DV_COMPAT_NONE;   // for what components make
  dvMemory *before = dv_memory_enter(&scene->context->memory);
  dvStatus status = initialise(scene);
  dv_memory_enter(before);
  return status;
}

// --- steps ---------------------------------------------------------------------------------------

static dvWalk collect_lists(dvVisitor *v, dvNode *node)
{
  DV_UNUSED(v);
  dvScene *s = node->scene;
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    if (o->failed) continue;
    if (o->cls->handle_event) dv_push(&s->handlers, o);
    if (o->cls->end_step) dv_push(&s->advancing, o);
    bool linked = false;
    if (dv_plays(o, DV_ROLE_ENGINE)) continue;   // whoever reads an engine pulls it
    for (int k = 0; k < o->field_count && !linked; k++) linked = o->fields[k].source != NULL;
    if (linked) dv_push(&s->engines, o);
  }
  return DV_WALK_ON;
}

void dv_scene_refresh(dvScene *scene)
{
  dv_plan_get(&scene->plan, scene->root);
  if (scene->lists_version == scene->version) return;
  scene->lists_version = scene->version;
  scene->handlers.count = 0;
  scene->engines.count = 0;
  scene->advancing.count = 0;
  dvVisitor v = {.top_down = collect_lists};
  dv_visit(scene->root, &v);
}

dvStatus dv_scene_pull(dvScene *scene)
{
  dvStatus worst = DV_OK;
  for (size_t i = 0; i < scene->engines.count; i++) worse(&worst, dv_object_pull(scene->engines.data[i]));
  if (scene->follow) scene->follow(scene);
  return worst;
}

void dv_scene_send(dvScene *scene, const dvEvent *event)
{
  dvTimers *timers = scene->handlers.count ? scene->context->timers : NULL;
  dv_timer_begin_fine(timers, "events");
  for (size_t i = 0; i < scene->handlers.count; i++) {
    dvObject *o = scene->handlers.data[i];
    dv_timer_begin_fine(timers, o->cls->name);
    o->cls->handle_event(o, event);
    dv_timer_end_fine(timers);
  }
  dv_timer_end_fine(timers);
}

void dv_scene_advance(dvScene *scene)
{
  for (size_t i = 0; i < scene->advancing.count; i++) scene->advancing.data[i]->cls->end_step(scene->advancing.data[i]);
}

void dv_scene_subscribe(dvScene *scene, dvSubscriber subscriber) { dv_push(&scene->subscribers, subscriber); }

void dv_scene_unsubscribe(dvScene *scene, const void *user)
{
  for (size_t i = scene->subscribers.count; i > 0; i--)
    if (scene->subscribers.data[i - 1].user == user) dv_array_remove(&scene->subscribers, i - 1);
}

void dv_scene_post(dvScene *scene, long step)
{
  for (size_t i = 0; i < scene->subscribers.count; i++)
    scene->subscribers.data[i].post(scene->subscribers.data[i].user, scene, step);
}

dvStatus dv_scene_step(dvScene *scene, double dt)
{
  DV_REQUIRE(scene->initialised);
  scene->running = true;
  const dvLoopOps *loop = dv_ops(scene->loop, DV_ROLE_LOOP);
  dvLog *log = &scene->context->log;
  dvMemory *before = dv_memory_enter(&scene->context->memory);
  if (!dv_memory_is_short()) dv_memory_refill();   // another context may have used up the reserve
  dv_timer_begin(scene->context->timers, "step");
  log->recent = DV_OK;
  dvStatus status = loop->step(scene->loop, dt > 0 ? dt : scene->root->dt);
  dv_timer_end(scene->context->timers);
  if (status == DV_OK) status = log->recent;   // what has no way to fail, such as a force, can only tell
  if (status == DV_OK) status = dv_context_check_memory(scene->context);
  dv_memory_enter(before);
  if (status == DV_OK) scene->step++;
  return status;
}

void dv_scene_reset(dvScene *scene)
{
  dvMemory *before = dv_memory_enter(&scene->context->memory);
  dv_scene_restart(scene);
  dv_memory_enter(before);
}

// --- changes from outside ------------------------------------------------------------------------

dvStatus dv_field_changed(dvField *f)
{
  dvObject *o = f->owner;
  dvNode *node = dv_node_of(o);
  dvScene *s = o->node->scene;
  f->was_set = true;
  dv_field_touch(f);
  if (!s->initialised || (!node && !o->initialised)) return DV_OK;   // a component that has just come reads it later
  f->edited = true;
  if (node) {   // it was switched, or gravity changed
    s->version++;
    dv_scene_update_context(s);
  }
  return o->cls->reinit ? o->cls->reinit(o) : DV_OK;
}

static void leave_parents(dvNode *node)
{
  for (size_t p = 0; p < node->parents.count; p++) {
    dvNode *parent = node->parents.data[p];
    for (size_t i = 0; i < parent->children.count; i++)
      if (parent->children.data[i] == node) {
        dv_array_remove(&parent->children, i);
        break;
      }
    dv_names_free(&parent->child_names);
    for (size_t i = 0; i < parent->children.count; i++)
      dv_names_add(&parent->child_names, &parent->children.data[i]->base);
  }
  node->parents.count = 0;
}

void dv_scene_bury(dvScene *scene, dvObject *o)
{
  dvNode *node = dv_node_of(o), *home = o->node;
  DV_REQUIRE(node != scene->root);
  if (node) leave_parents(node);
  else dv_node_remove(home, o);
  o->node = home;
  scene->version++;
  dv_push(&scene->buried, o);
}

static dvWalk move_in(dvVisitor *v, dvNode *node)
{
  DV_UNUSED(v);
  node->scene = node->parents.data[0]->scene;
  return DV_WALK_ON;
}

void dv_scene_adopt(dvNode *parent, dvScene **other)
{
  dvNode *node = (*other)->root;
  (*other)->root = dv_node_create(*other, "root");
  dv_node_add_child(parent, node);
  dvVisitor move = {.top_down = move_in, .everything = true};
  dv_visit(node, &move);
  for (size_t i = 0; i < (*other)->followers.count; i++) {
    (*other)->followers.data[i]->scene = parent->scene;
    dv_push(&parent->scene->followers, (*other)->followers.data[i]);
  }
  if ((*other)->follow) parent->scene->follow = (*other)->follow;
  (*other)->followers.count = 0;
  dv_scene_destroy(other);
}
