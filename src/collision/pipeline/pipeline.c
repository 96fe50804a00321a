// CollisionPipeline: once a step, from positions to what answers contacts.
//
// Models refit their trees, the broad phase gives pairs of them, the narrow phase contacts, the contact manager
// responses. A response to a model that is not simulated acts in the node of the other: within its solver's system, so
// implicitly. One between two that are stands in the pipeline's node: outside of every solver, where it is an external
// force that stays the same during the step, or within the one that rules both.
#include "collision/collision.h"
#include "collision/register.h"
#include "object/context.h"
#include "scene/plan.h"
#include "scene/timer.h"

#define PIPELINE_FIELDS(X)                                                                      \
  X(int, nbThreads, "0", "", "wished number of threads; the command's --threads decides")       \
  X(string, taskSchedulerType, "_default", "", "accepted: there is one kind of task scheduler") \
  X(bool, parallelDetection, "0", "", "accepted: contacts are always found in parallel")        \
  X(bool, verbose, "0", "", "print what happens in every step")                                 \
  X(bool, draw, "0", "", "draw the contacts", .flags = DV_LOOKS)                                \
  X(int, depth, "6", "", "levels of the bounding trees")                                        \
  X(links, subCollisionPipelines, "", "", "accepted: parts of the pipeline", .flags = DV_HIDDEN)

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
  PIPELINE_FIELDS(DV_MEMBER)
  dvObject *broad, *narrow, *intersection, *manager;
  bool complete;
  unsigned version;   // of the graph when the models were listed
  dvModelList all, models;
  dvModelPairs pairs;
  dvContactLists lists;
  dvResponses responses;
  dvLiveGroup live;
  Remembered remembered;
  bool resumed;   // it was put back, and waits for `restored`
} Pipeline;

#define SELF Pipeline
static const dvFieldDesc pipeline_fields[] = {PIPELINE_FIELDS(DV_DESCRIBE)};
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

// below the pipeline's node, else anywhere
static dvObject *companion(const Pipeline *p, dvRole role)
{
  Search s = {.visitor = {.top_down = search_node}, .role = role};
  dv_visit(p->base.node, &s.visitor);
  if (!s.found) dv_visit(p->base.node->scene->root, &s.visitor);
  return s.found;
}

static void list_models(Pipeline *p)
{
  dvScene *scene = p->base.node->scene;
  if (p->version == scene->version) return;
  p->version = scene->version;
  p->all.count = 0;
  Search s = {.visitor = {.top_down = search_node}, .models = &p->all};
  dv_visit(scene->root, &s.visitor);
}

static bool any_may_touch(const dvModelList *models)
{
  for (size_t i = 0; i < models->count; i++)
    for (size_t k = 0; k <= i; k++)
      if (dv_models_may_touch(models->data[i], models->data[k])) return true;
  return false;
}

static dvStatus pipeline_bwd_init(dvObject *o)
{
  Pipeline *p = (Pipeline *)o;
  if (p->depth < 0) {
    dv_field_warning(o, &p->depth, "the default is taken", "a depth of %d is not possible", p->depth);
    p->depth = 6;
  }
  p->broad = companion(p, DV_ROLE_BROAD_PHASE);
  p->narrow = companion(p, DV_ROLE_NARROW_PHASE);
  p->intersection = companion(p, DV_ROLE_INTERSECTION);
  p->manager = companion(p, DV_ROLE_CONTACT_MANAGER);
  p->complete = p->broad && p->narrow && p->intersection && p->manager;
  list_models(p);
  if (p->complete || !any_may_touch(&p->all)) return DV_OK;
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
  for (size_t i = 0; i < p->responses.count; i++) {
    dvResponse *r = p->responses.data[i];
    dvNode *node = !r->model[0]->simulated   ? r->model[1]->base.node
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
  dv_contact_lists_clear(&p->lists);
  DV_TRY(find_contacts(p, dt));
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
  dv_array_free(&p->remembered.pairs);
  dv_array_free(&p->remembered.contacts);
  dv_contact_lists_free(&p->lists);
}

static const dvCollisionOps pipeline_ops = {.collide = pipeline_collide};

const dvClass dv_collision_pipeline_class = {
    .struct_size = sizeof(dvClass),
    .name = "CollisionPipeline",
    .help = "finds contacts and answers them, once a step",
    .module = "Sofa.Component.Collision.Detection.Algorithm",
    .size = sizeof(Pipeline),
    .blocks = {&dv_object_block, DV_BLOCK(pipeline_fields)},
    .ops = {[DV_ROLE_COLLISION] = &pipeline_ops},
    .bwd_init = pipeline_bwd_init,
    .cleanup = pipeline_cleanup,
    .destroy = pipeline_destroy,
    .remember = pipeline_remember,
    .restored = pipeline_restored,
};

// --- who touches whom ----------------------------------------------------------------------------

static const Pipeline *pipeline_of(const dvObject *o)
{
  return o->cls == &dv_collision_pipeline_class ? (const Pipeline *)o : NULL;
}

bool dv_scene_touch(const dvScene *scene, size_t index, dvTouch *out)
{
  for (size_t i = 0; scene->plan && i < scene->plan->pipelines.count; i++) {
    const Pipeline *p = pipeline_of(scene->plan->pipelines.data[i]);
    if (!p) continue;
    if (index >= p->lists.used) {
      index -= p->lists.used;
      continue;
    }
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
  return false;
}

size_t dv_scene_contacts(const dvScene *scene)
{
  size_t count = 0;
  for (size_t i = 0; scene->plan && i < scene->plan->pipelines.count; i++) {
    const Pipeline *p = pipeline_of(scene->plan->pipelines.data[i]);
    if (p) count += count_contacts(p);
  }
  return count;
}
