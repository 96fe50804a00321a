// CollisionPipeline: once a step, from positions to what answers contacts. SubCollisionPipeline: the same for some
// models, with components that it names; CompositeCollisionPipeline runs several of these.
//
// Models refit their trees, the broad phase gives pairs of them, the narrow phase contacts, the contact manager
// responses. A response to a model that is not simulated acts in the node of the other: within its solver's system, so
// implicitly. One between two that are stands in the pipeline's node: outside of every solver, where it is an external
// force that stays the same during the step, or within the one that rules both.
#include "collision/collision.h"
#include "collision/pipeline/order.h"
#include "collision/register.h"
#include "object/compat.h"
#include "object/context.h"
#include "scene/plan.h"
#include "scene/timer.h"

#define DEPTH_FIELDS(X) X(int, depth, "6", "", "levels of the bounding trees")
#define PIPELINE_FIELDS(X)                                                                      \
  X(int, nbThreads, "0", "", "wished number of threads; the command's --threads decides")       \
  X(string, taskSchedulerType, "_default", "", "accepted: there is one kind of task scheduler") \
  X(bool, parallelDetection, "0", "", "accepted: contacts are always found in parallel")        \
  X(bool, verbose, "0", "", "print what happens in every step")                                 \
  X(bool, draw, "0", "", "draw the contacts", .flags = DV_LOOKS)
#define NAMED_FIELDS(X)                                                                                           \
  X(links, collisionModels, "", "", "models that are tested against each other", .role = DV_ROLE_COLLISION_MODEL) \
  X(link, intersectionMethod, "", "", "which primitives touch, and where", .role = DV_ROLE_INTERSECTION)          \
  X(link, contactManager, "", "", "what answers contacts", .role = DV_ROLE_CONTACT_MANAGER)                       \
  X(link, broadPhaseDetection, "", "", "how pairs of models are found", .role = DV_ROLE_BROAD_PHASE)              \
  X(link, narrowPhaseDetection, "", "", "how contacts of a pair are found", .role = DV_ROLE_NARROW_PHASE)
#define COMPOSITE_FIELDS(X)                                                                     \
  X(int, nbThreads, "0", "", "wished number of threads; the command's --threads decides")       \
  X(string, taskSchedulerType, "_default", "", "accepted: there is one kind of task scheduler") \
  X(bool, parallelDetection, "0", "", "accepted: contacts are always found in parallel")        \
  X(links, subCollisionPipelines, "", "", "the pipelines, one after the other", .role = DV_ROLE_COLLISION)

// A list of contacts as a memory can name it.
typedef struct TouchedPair {
  int32_t first, second;   // numbers of the models in the scene
  uint64_t count;          // contacts
  int64_t since;           // step in which they began to touch
} TouchedPair;

typedef struct Remembered {
  DV_ARRAY(TouchedPair) pairs;
  DV_ARRAY(dvContact) contacts;
} Remembered;

typedef struct Pipeline {
  dvObject base;
  DEPTH_FIELDS(DV_MEMBER)
  PIPELINE_FIELDS(DV_MEMBER)
  NAMED_FIELDS(DV_MEMBER)
  bool is_part;   // of another: it has what it names, and nothing else
  dvObject *broad, *narrow, *intersection, *manager, *groups;
  bool complete;
  unsigned version;   // of the graph when the models were listed
  dvModelList all, models;
  dvModelPairs pairs;
  dvContactLists lists;
  bool in_pair_order;   // as SOFA: lists stand in an order of its own
  dvPairOrder order;
  dvResponses responses;
  DV_ARRAY(dvNode *) nodes;   // that responses are attached to
  dvLiveGroup live;
  Remembered remembered;
  bool resumed;   // it was put back, and waits for `restored`
} Pipeline;

#define SELF Pipeline
static const dvFieldDesc pipeline_fields[] = {DEPTH_FIELDS(DV_DESCRIBE) PIPELINE_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc part_fields[] = {DEPTH_FIELDS(DV_DESCRIBE) NAMED_FIELDS(DV_DESCRIBE)};
#undef SELF

typedef struct Composite {
  dvObject base;
  COMPOSITE_FIELDS(DV_MEMBER)
} Composite;

#define SELF Composite
static const dvFieldDesc composite_fields[] = {COMPOSITE_FIELDS(DV_DESCRIBE)};
#undef SELF

// --- companions ----------------------------------------------------------------------------------

typedef struct Search {
  dvVisitor visitor;
  dvRole role;
  dvObject *found;
  dvModelList *models;   // NULL: look for the role
} Search;

static dvWalk search_node(dvVisitor *v, dvNode *node)
{
  Search *s = (Search *)v;
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    if (o->failed) continue;
    if (s->models && o->cls->ops[DV_ROLE_COLLISION_MODEL]) dv_push(s->models, (dvCollisionModel *)o);
    if (!s->models && !s->found && o->cls->ops[s->role]) s->found = o;
  }
  return DV_WALK_ON;
}

// the one that is named, else one below the pipeline's node, else anywhere
static dvObject *companion(const Pipeline *p, dvLink named, dvRole role)
{
  if (named.target || p->is_part) return named.target;
  Search s = {.visitor = {.top_down = search_node}, .role = role};
  dv_visit(p->base.node, &s.visitor);
  if (!s.found) dv_visit(p->base.node->scene->root, &s.visitor);
  return s.found;
}

// whether there are that many pairs of models that may touch, a model and itself among them
static bool may_touch(const dvModelList *models, size_t pairs)
{
  for (size_t i = 0; i < models->count; i++)
    for (size_t k = 0; k <= i; k++)
      if (dv_models_may_touch(models->data[i], models->data[k]) && --pairs == 0) return true;
  return false;
}

static void list_models(Pipeline *p)
{
  dvScene *scene = p->base.node->scene;
  if (p->version == scene->version) return;
  p->version = scene->version;
  p->all.count = 0;
  for (size_t i = 0; i < p->collisionModels.count; i++)
    if (!p->collisionModels.data[i].target->failed)
      dv_push(&p->all, (dvCollisionModel *)p->collisionModels.data[i].target);
  Search s = {.visitor = {.top_down = search_node}, .models = &p->all};
  if (!p->is_part) dv_visit(scene->root, &s.visitor);
  p->in_pair_order = may_touch(&p->all, 2) && dv_compat(&p->base, DV_COMPAT_PAIR_ORDER);
}

// Some methods leave pairs to the points and lines of the models. Where nobody has any, nothing ever touches.
static void check_shapes(const Pipeline *p)
{
  const dvCollisionModel *a = NULL, *b = NULL;
  for (size_t i = 0; i < p->all.count; i++)
    for (size_t k = 0; k <= i; k++) {
      bool swapped;
      const dvCollisionModel *first = p->all.data[i], *second = p->all.data[k];
      if (!dv_models_may_touch(first, second)) continue;
      const dvShapePair *pair = dv_shape_pair(p->intersection, first, second, &swapped);
      if (!pair || pair->contacts || (first->surface && second->surface)) return;   // told elsewhere, or tested
      a = first, b = second;
    }
  if (!a) return;
  dv_warning(&p->base,
             "add PointCollisionModel and LineCollisionModel beside them, or take another intersection method",
             "it finds no contacts: %s leaves %s against %s to their points and lines, and there are none",
             p->intersection->cls->name, a->primitives, b->primitives);
}

static dvStatus pipeline_bwd_init(dvObject *o)
{
  Pipeline *p = (Pipeline *)o;
  if (p->depth < 0) {
    dv_field_warning(o, &p->depth, "the default is taken", "a depth of %d is not possible", p->depth);
    p->depth = 6;
  }
  p->broad = companion(p, p->broadPhaseDetection, DV_ROLE_BROAD_PHASE);
  p->narrow = companion(p, p->narrowPhaseDetection, DV_ROLE_NARROW_PHASE);
  p->intersection = companion(p, p->intersectionMethod, DV_ROLE_INTERSECTION);
  p->manager = companion(p, p->contactManager, DV_ROLE_CONTACT_MANAGER);
  p->groups = companion(p, (dvLink){0}, DV_ROLE_GROUP_MANAGER);   // there need not be one
  p->complete = p->broad && p->narrow && p->intersection && p->manager;
  list_models(p);
  if (p->complete) check_shapes(p);
  if (p->complete || !may_touch(&p->all, 1)) return DV_OK;
  const char *missing = !p->broad          ? "a broad phase, such as BruteForceBroadPhase"
                        : !p->narrow       ? "a narrow phase, such as BVHNarrowPhase"
                        : !p->intersection ? "an intersection method, such as MinProximityIntersection"
                                           : "a contact manager, such as CollisionResponse";
  char *advice = dv_format("add %s", missing);
  dv_warning(o, advice, "it computes no contacts: there is no %s", missing + (missing[1] == 'n' ? 3 : 2));
  dv_free(advice);
  return DV_OK;
}

// --- a step --------------------------------------------------------------------------------------

static void refit_models(Pipeline *p, double dt)
{
  const dvIntersectionOps *method = dv_ops(p->intersection, DV_ROLE_INTERSECTION);
  p->models.count = 0;
  for (size_t i = 0; i < p->all.count; i++) {
    dvCollisionModel *m = p->all.data[i];
    m->numberOfContacts = 0;
    if (!m->active || !dv_node_active(m->base.node)) continue;
    m->x_ahead = method->ahead ? method->ahead(p->intersection, m, dt) : NULL;
    dv_collision_model_refit(m, p->depth);
    if (method->around || m->selfCollision || (m->point_normals && *m->point_normals))
      dv_collision_model_look_around(m);
    dv_push(&p->models, m);
  }
}

static dvStatus find_contacts(Pipeline *p, double dt)
{
  dvTimers *timers = p->base.context->timers;
  dv_timer_begin_fine(timers, "trees");
  refit_models(p, dt);
  dv_timer_end_fine(timers);
  dv_timer_begin_fine(timers, "broad phase");
  p->pairs.count = 0;
  dvStatus status = ((const dvBroadPhaseOps *)dv_ops(p->broad, DV_ROLE_BROAD_PHASE))
                        ->pairs(p->broad, p->intersection, &p->models, &p->pairs);
  dv_timer_end_fine(timers);
  DV_TRY(status);
  dv_timer_begin_fine(timers, "narrow phase");
  status = ((const dvNarrowPhaseOps *)dv_ops(p->narrow, DV_ROLE_NARROW_PHASE))
               ->contacts(p->narrow, p->intersection, &p->pairs, &p->lists);
  dv_timer_end_fine(timers);
  return status;
}

static dvStatus respond(Pipeline *p)
{
  if (!p->live.scene) dv_live_enter(&p->live, p->base.node->scene);
  dv_live_clear(&p->live);
  p->responses.count = 0;
  DV_TRY(((const dvContactManagerOps *)dv_ops(p->manager, DV_ROLE_CONTACT_MANAGER))
             ->respond(p->manager, &p->live, p->intersection, &p->lists, &p->responses));
  dv_array_resize(&p->nodes, p->responses.count);
  for (size_t i = 0; i < p->nodes.count; i++) p->nodes.data[i] = NULL;
  if (p->groups)
    DV_TRY(((const dvGroupManagerOps *)dv_ops(p->groups, DV_ROLE_GROUP_MANAGER))
               ->group(p->groups, &p->responses, p->base.node, p->nodes.data));
  for (size_t i = 0; i < p->responses.count; i++) {
    dvResponse *r = p->responses.data[i];
    dvNode *node = p->nodes.data[i]          ? p->nodes.data[i]
                   : !r->model[0]->simulated ? r->model[1]->base.node
                   : !r->model[1]->simulated ? r->model[0]->base.node
                                             : p->base.node;
    ((const dvResponseOps *)dv_ops(&r->base, DV_ROLE_RESPONSE))->attach(&r->base, &p->live, node);
  }
  return DV_OK;
}

static size_t count_contacts(const Pipeline *p)
{
  size_t count = 0;
  for (size_t i = 0; i < p->lists.used; i++) count += p->lists.lists.data[i].contacts.count;
  return count;
}

static dvStatus pipeline_collide(dvObject *o, double dt, size_t *contacts)
{
  Pipeline *p = (Pipeline *)o;
  *contacts = 0;
  if (!p->complete) return DV_OK;
  list_models(p);
  if (p->in_pair_order) dv_pair_order_begin(&p->order, &p->all, &p->lists);
  dv_contact_lists_clear(&p->lists);
  DV_TRY(find_contacts(p, dt));
  if (p->in_pair_order) dv_pair_order_apply(&p->order, &p->all, p->intersection, &p->pairs, &p->lists);
  dv_timer_begin_fine(o->context->timers, "response");
  dvStatus status = respond(p);
  dv_timer_end_fine(o->context->timers);
  *contacts = count_contacts(p);
  if (p->verbose)
    dv_note(o, "%zu models, %zu pairs of them, %zu contacts, %zu responses", p->models.count, p->pairs.count, *contacts,
            p->responses.count);
  return status;
}

// --- memory: the contacts of the last step, which act until others are found ---

static int32_t number_of(const Pipeline *p, const dvCollisionModel *model)
{
  size_t i = 0;
  while (i < p->all.count && p->all.data[i] != model) i++;
  return (int32_t)i;
}

static int64_t since_of(const Pipeline *p, size_t list)
{
  for (size_t i = 0; i < p->responses.count; i++)
    if (p->responses.data[i]->list == list) return p->responses.data[i]->since;
  return -1;
}

static void list_contacts(const Pipeline *p, Remembered *m)
{
  for (size_t i = 0; i < p->lists.used; i++) {
    const dvContactList *l = &p->lists.lists.data[i];
    TouchedPair pair = {.first = number_of(p, l->model[0]),
                        .second = number_of(p, l->model[1]),
                        .count = l->contacts.count,
                        .since = since_of(p, i)};
    dv_push(&m->pairs, pair);
    for (size_t k = 0; k < l->contacts.count; k++) dv_push(&m->contacts, l->contacts.data[k]);
  }
}

static void pipeline_remember(dvObject *o, dvMemoryStream *s)
{
  Pipeline *p = (Pipeline *)o;
  bool restores = dv_memory_restores(s);
  list_models(p);
  if (!restores && !p->resumed) {
    p->remembered.pairs.count = p->remembered.contacts.count = 0;
    list_contacts(p, &p->remembered);
  }
  dv_remember_array(s, "pairs in contact", &p->remembered.pairs);
  dv_remember_array(s, "contacts", &p->remembered.contacts);
  dv_remember_array(s, "models by their first pair", &p->order.seen[0]);
  dv_remember_array(s, "models by their first response", &p->order.seen[1]);
  if (restores) p->resumed = true;
}

static bool fits(const dvContact *c, const dvCollisionModel *const model[2])
{
  for (int side = 0; side < 2; side++)
    if (c->element[side] < 0 || (size_t)c->element[side] >= dv_collision_model_count(&model[side]->base)) return false;
  return true;
}

static bool pipeline_restored(dvObject *o)
{
  Pipeline *p = (Pipeline *)o;
  const Remembered *m = &p->remembered;
  p->resumed = false;
  dv_contact_lists_clear(&p->lists);
  if (!p->complete) return m->pairs.count == 0;
  size_t next = 0;
  for (size_t i = 0; i < m->pairs.count; i++) {
    TouchedPair pair = m->pairs.data[i];
    if (pair.first < 0 || pair.second < 0 || (size_t)pair.first >= p->all.count ||
        (size_t)pair.second >= p->all.count || pair.count > m->contacts.count - next)
      return false;
    dvCollisionModel *model[2] = {p->all.data[pair.first], p->all.data[pair.second]};
    dvContactList *l = dv_contact_lists_add(&p->lists, model[0], model[1]);
    for (size_t k = 0; k < pair.count; k++, next++) {
      if (!fits(&m->contacts.data[next], (const dvCollisionModel *const *)model)) return false;
      dv_push(&l->contacts, m->contacts.data[next]);
    }
  }
  for (size_t i = 0; i < p->all.count; i++)   // theirs may come later
    if (!dv_collision_model_restored(&p->all.data[i]->base)) return false;
  if (p->groups && p->groups->cls->restored && !p->groups->cls->restored(p->groups)) return false;
  if (p->lists.used) refit_models(p, 0);
  if ((p->lists.used || p->live.scene) && respond(p) != DV_OK) return false;
  for (size_t i = 0; i < p->responses.count; i++)
    p->responses.data[i]->since = (long)m->pairs.data[p->responses.data[i]->list].since;
  return true;
}

static void pipeline_cleanup(dvObject *o)
{
  Pipeline *p = (Pipeline *)o;
  if (!p->live.scene) return;
  ((const dvContactManagerOps *)dv_ops(p->manager, DV_ROLE_CONTACT_MANAGER))->forget(p->manager);
  dv_live_leave(&p->live);
}

static void pipeline_destroy(dvObject *o)
{
  Pipeline *p = (Pipeline *)o;
  dv_array_free(&p->all);
  dv_array_free(&p->models);
  dv_array_free(&p->pairs);
  dv_array_free(&p->responses);
  dv_array_free(&p->nodes);
  dv_array_free(&p->remembered.pairs);
  dv_array_free(&p->remembered.contacts);
  dv_contact_lists_free(&p->lists);
  dv_pair_order_free(&p->order);
}

static const dvCollisionOps pipeline_ops = {.collide = pipeline_collide};

#define PIPELINE                                                                                                      \
  .struct_size = sizeof(dvClass), .module = "Sofa.Component.Collision.Detection.Algorithm", .size = sizeof(Pipeline), \
  .bwd_init = pipeline_bwd_init, .cleanup = pipeline_cleanup, .destroy = pipeline_destroy,                            \
  .remember = pipeline_remember, .restored = pipeline_restored

const dvClass dv_collision_pipeline_class = {
    PIPELINE,
    .name = "CollisionPipeline",
    .help = "finds contacts and answers them, once a step",
    .blocks = {&dv_object_block, DV_BLOCK(pipeline_fields)},
    .ops = {[DV_ROLE_COLLISION] = &pipeline_ops},
};

// --- parts ---------------------------------------------------------------------------------------

static void part_create(dvObject *o) { ((Pipeline *)o)->is_part = true; }

static dvStatus part_init(dvObject *o)
{
  const Pipeline *p = (const Pipeline *)o;
  if (p->collisionModels.count == 0)
    dv_field_warning(o, &p->collisionModels, "name some", "it has no collision models: it computes no contacts");
  return DV_OK;
}

const dvClass dv_sub_pipeline_class = {
    PIPELINE,
    .name = "SubCollisionPipeline",
    .help = "finds and answers contacts of some models, as a part of a CompositeCollisionPipeline",
    .roles = DV_PLAYS(DV_ROLE_COLLISION),
    .blocks = {&dv_object_block, DV_BLOCK(part_fields)},
    .create = part_create,
    .init = part_init,
};

static Pipeline *part_of(const Composite *c, size_t index)
{
  dvObject *o = c->subCollisionPipelines.data[index].target;
  return o->cls == &dv_sub_pipeline_class ? (Pipeline *)o : NULL;
}

static bool has_model(const Composite *c, const dvCollisionModel *m)
{
  for (size_t i = 0; i < c->subCollisionPipelines.count; i++)
    for (size_t k = 0; k < part_of(c, i)->collisionModels.count; k++)
      if (part_of(c, i)->collisionModels.data[k].target == &m->base) return true;
  return false;
}

static dvStatus composite_init(dvObject *o)
{
  const Composite *c = (const Composite *)o;
  if (c->subCollisionPipelines.count == 0)
    dv_field_warning(o, &c->subCollisionPipelines, "name some SubCollisionPipelines",
                     "it has no pipelines: it computes no contacts");
  for (size_t i = 0; i < c->subCollisionPipelines.count; i++)
    if (!part_of(c, i))
      return dv_field_error(o, &c->subCollisionPipelines, "name a SubCollisionPipeline",
                            "%s is a %s, which runs by itself", c->subCollisionPipelines.data[i].target->name,
                            c->subCollisionPipelines.data[i].target->cls->name);
  return DV_OK;
}

static dvStatus composite_bwd_init(dvObject *o)
{
  const Composite *c = (const Composite *)o;
  dvModelList all = {0};
  Search s = {.visitor = {.top_down = search_node}, .models = &all};
  dv_visit(o->node, &s.visitor);
  for (size_t i = 0; i < all.count && c->subCollisionPipelines.count; i++)
    if (!has_model(c, all.data[i]))
      dv_warning(&all.data[i]->base, "name it in a SubCollisionPipeline", "no pipeline of %s tests it", o->name);
  dv_array_free(&all);
  return DV_OK;
}

static dvStatus composite_collide(dvObject *o, double dt, size_t *contacts)
{
  const Composite *c = (const Composite *)o;
  *contacts = 0;
  for (size_t i = 0; i < c->subCollisionPipelines.count; i++) {
    size_t found = 0;
    DV_TRY(pipeline_collide(&part_of(c, i)->base, dt, &found));
    *contacts += found;
  }
  return DV_OK;
}

static const dvCollisionOps composite_ops = {.collide = composite_collide};

const dvClass dv_composite_pipeline_class = {
    .struct_size = sizeof(dvClass),
    .name = "CompositeCollisionPipeline",
    .help = "several collision pipelines, each with its own models and methods",
    .module = "Sofa.Component.Collision.Detection.Algorithm",
    .size = sizeof(Composite),
    .blocks = {&dv_object_block, DV_BLOCK(composite_fields)},
    .ops = {[DV_ROLE_COLLISION] = &composite_ops},
    .init = composite_init,
    .bwd_init = composite_bwd_init,
};

// --- who touches whom ----------------------------------------------------------------------------

// the index-th pipeline of the scene, parts of composite ones in their place; NULL behind the last
static const Pipeline *pipeline_at(const dvScene *scene, size_t index)
{
  for (size_t i = 0; scene->plan && i < scene->plan->pipelines.count; i++) {
    const dvObject *o = scene->plan->pipelines.data[i];
    const Composite *c = o->cls == &dv_composite_pipeline_class ? (const Composite *)o : NULL;
    size_t count = c ? c->subCollisionPipelines.count : o->cls == &dv_collision_pipeline_class;
    if (index < count) return c ? part_of(c, index) : (const Pipeline *)o;
    index -= count;
  }
  return NULL;
}

bool dv_scene_touch(const dvScene *scene, size_t index, dvTouch *out)
{
  const Pipeline *p;
  for (size_t i = 0; (p = pipeline_at(scene, i)) && index >= p->lists.used; i++) index -= p->lists.used;
  if (!p) return false;
  const dvContactList *l = &p->lists.lists.data[index];
  *out = (dvTouch){
      .model = {l->model[0], l->model[1]}, .contacts = l->contacts.data, .count = l->contacts.count, .since = -1};
  for (size_t k = 0; k < p->responses.count; k++) {
    const dvResponse *r = p->responses.data[k];
    const dvResponseOps *ops = dv_ops(&r->base, DV_ROLE_RESPONSE);
    if (r->list != index) continue;
    out->since = r->since;
    out->force = ops->force ? ops->force(&r->base) : 0;
  }
  return true;
}

size_t dv_scene_contacts(const dvScene *scene)
{
  size_t count = 0;
  const Pipeline *p;
  for (size_t i = 0; (p = pipeline_at(scene, i)); i++) count += count_contacts(p);
  return count;
}
