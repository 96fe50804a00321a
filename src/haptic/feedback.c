// What feedbacks share, and the two simplest: nothing, and a force that contacts dictate.
#include "haptic/feedback.h"

#include "collision/collision.h"
#include "haptic/register.h"
#include "math/vec.h"

#include <string.h>

void dv_feedback_init(dvFeedback *f)
{
  dv_outbox_init(&f->outbox);
  f->reference[6] = 1;
}

dvSensation *dv_feedback_begin(dvFeedback *f, dvRendering kind, double h, size_t laws, size_t rows)
{
  dv_array_resize(&f->draft, dv_sensation_size(laws, rows));
  memset(f->draft.data, 0, f->draft.count * sizeof *f->draft.data);
  dvSensation *m = (dvSensation *)f->draft.data;
  m->kind = kind;
  m->step = h;
  m->blend = dv_min(h, 0.05);
  m->laws = (double)laws;
  m->rows = (double)rows;
  memcpy(m->reference, f->reference, sizeof m->reference);
  memcpy(m->speed, f->speed, sizeof m->speed);
  m->ticks = f->ticks;
  return m;
}

void dv_feedback_post(dvFeedback *f, bool thread)
{
  size_t bytes = f->draft.count * sizeof *f->draft.data;
  if (bytes == 0) return;
  if (thread) {
    // room for more, so that contacts that come do not ask for memory in every step
    void *room = dv_outbox_begin(&f->outbox, dv_max_size(bytes, sizeof(double) * dv_sensation_size(16, 48)));
    if (!room) return;
    memcpy(room, f->draft.data, bytes);
    dv_outbox_publish(&f->outbox);
    return;
  }
  dv_array_resize(&f->held, f->draft.count);
  memcpy(f->held.data, f->draft.data, bytes);
}

void dv_feedback_remember(dvFeedback *f, dvMemoryStream *s)
{
  dv_remember_array(s, "message", &f->held);
  dv_remember_numbers(s, "reference", f->reference, sizeof f->reference);
  dv_remember_numbers(s, "speed", f->speed, sizeof f->speed);
  dv_remember_numbers(s, "ticks", &f->ticks, sizeof f->ticks);
  if (dv_memory_restores(s) && !dv_sensation_is_sound(f->held.data, f->held.count)) {
    f->held.count = 0;
    dv_memory_refuse(s, "its message to the haptic loop cannot be");
  }
}

void dv_feedback_free(dvFeedback *f)
{
  dv_array_free(&f->draft);
  dv_array_free(&f->held);
  dv_outbox_free(&f->outbox);
}

static double first_or(const dvObject *o, const char *name, double otherwise)
{
  const dvField *f = dv_object_field(o, name);
  const dvReals *r = f->value;
  return r->count ? r->data[0] : otherwise;
}

bool dv_control_spring(const dvNode *node, const dvState *state, dvControlSpring *out)
{
  for (size_t i = 0; i < node->objects.count; i++) {
    const dvObject *o = node->objects.data[i];
    if (o->failed) continue;
    if (o->cls == &dv_virtual_coupling_class && ((const dvForce *)o)->state == state) {
      *out = dv_virtual_coupling_spring(o);
      return true;
    }
    if (!dv_same(o->cls->name, "RestShapeSpringsForceField") || ((const dvForce *)o)->state != state) continue;
    if (!((const dvLink *)dv_object_field(o, "external_rest_shape")->value)->target) continue;
    *out = (dvControlSpring){.stiffness = {first_or(o, "stiffness", 100), first_or(o, "angularStiffness", 100)}};
    return true;
  }
  return false;
}

// --- NullForceFeedback ---------------------------------------------------------------------------

typedef struct Null {
  dvObject base;
  DV_FEEDBACK_FIELDS(DV_MEMBER)
  dvFeedback feedback;
} Null;

#define SELF Null
static const dvFieldDesc null_fields[] = {DV_FEEDBACK_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvFeedback *null_feedback(dvObject *o) { return &((Null *)o)->feedback; }
static int null_tool(const dvObject *o) { return ((const Null *)o)->indice; }
static bool null_active(const dvObject *o) { return ((const Null *)o)->activate; }
static void null_create(dvObject *o) { dv_feedback_init(null_feedback(o)); }
static void null_destroy(dvObject *o) { dv_feedback_free(null_feedback(o)); }
static void null_remember(dvObject *o, dvMemoryStream *s) { dv_feedback_remember(null_feedback(o), s); }
static void null_draft(dvObject *o, double dt) { dv_feedback_begin(null_feedback(o), DV_RENDER_NOTHING, dt, 0, 0); }

static const dvFeedbackOps null_ops = {
    .feedback = null_feedback, .tool = null_tool, .active = null_active, .draft = null_draft};

#define NULL_FEEDBACK(name_, dofs_)                                                                               \
  {                                                                                                               \
    .struct_size = sizeof(dvClass), .name = name_, .help = "a device that is not pushed: only its motion counts", \
    .module = "Sofa.Component.Haptics", .dofs = dofs_, .size = sizeof(Null),                                      \
    .blocks = {&dv_object_block, DV_BLOCK(null_fields)}, .ops = {[DV_ROLE_CONTROLLER] = &null_ops},               \
    .create = null_create, .destroy = null_destroy, .remember = null_remember,                                    \
  }
const dvClass dv_null_feedback_class = NULL_FEEDBACK("NullForceFeedback", 0);
const dvClass dv_null_feedback_template_class = NULL_FEEDBACK("NullForceFeedbackT", DV_DOF_RIGID3 | DV_DOF_VEC1);

// --- EnslavementForceFeedback --------------------------------------------------------------------
//
// The last contact of a model decides. With the depth p = ((x2 - x1) n - penetrationOffset) / contactScale:
//
//   outside, nearer than the attraction distance    -p n, which draws the hand to the surface
//   inside                                          -relativeStiffness p n
//
// The depth is positive outside where normals point out, and inside where they point in.

#define ENSLAVE_FIELDS(X)                                                                                          \
  DV_FEEDBACK_FIELDS(X)                                                                                            \
  X(link, collisionModel1, "", "", "model of the tool; the first of the node, or below, by default",               \
    .role = DV_ROLE_COLLISION_MODEL)                                                                               \
  X(link, collisionModel2, "", "", "what it touches; anything by default", .role = DV_ROLE_COLLISION_MODEL)        \
  X(real, relativeStiffness, "4", "N/m", "force for a depth inside", .alias = "d_relativeStiffness")               \
  X(real, attractionDistance, "0.3", "m", "within it the surface draws the tool", .alias = "d_attractionDistance", \
    .least = "0")                                                                                                  \
  X(bool, normalsPointOut, "1", "", "normals of surfaces point out of the bodies", .alias = "d_normalsPointOut")   \
  X(real, contactScale, "1", "", "depths are divided by it", .alias = "d_contactScale")                            \
  X(real, penetrationOffset, "0", "m", "depth at which there is no force")

typedef struct Enslave {
  dvObject base;
  ENSLAVE_FIELDS(DV_MEMBER)
  dvFeedback feedback;
} Enslave;

#define SELF Enslave
static const dvFieldDesc enslave_fields[] = {ENSLAVE_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvFeedback *enslave_feedback(dvObject *o) { return &((Enslave *)o)->feedback; }
static int enslave_tool(const dvObject *o) { return ((const Enslave *)o)->indice; }
// SOFA pushes whatever `activate` says
static bool enslave_active(const dvObject *o) { return o->cls != NULL; }
static void enslave_create(dvObject *o) { dv_feedback_init(enslave_feedback(o)); }
static void enslave_destroy(dvObject *o) { dv_feedback_free(enslave_feedback(o)); }
static void enslave_remember(dvObject *o, dvMemoryStream *s) { dv_feedback_remember(enslave_feedback(o), s); }

static dvStatus enslave_init(dvObject *o)
{
  Enslave *e = (Enslave *)o;
  if (!e->collisionModel1.target) e->collisionModel1.target = dv_node_find_below(o->node, DV_ROLE_COLLISION_MODEL);
  if (!e->collisionModel1.target)
    return dv_error(o, "name one in collisionModel1", "it finds no collision model to listen to");
  if (!(e->contactScale != 0))
    return dv_field_error(o, &e->contactScale, "1 is the default", "depths cannot be divided by 0");
  return DV_OK;
}

static dvVec3 enslave_force(const Enslave *e, const dvContact *c)
{
  dvVec3 n = dv_vec3_load(c->normal);
  double between = dv_vec3_dot(dv_vec3_sub(dv_vec3_load(c->point[1]), dv_vec3_load(c->point[0])), n);
  double p = (between - e->penetrationOffset) / e->contactScale, outside = e->normalsPointOut ? p : -p;
  if (outside <= 0) return dv_vec3_scale(n, -e->relativeStiffness * p);
  return dv_vec3_scale(n, outside < e->attractionDistance ? -p : 0);
}

static bool enslave_concerns(const Enslave *e, const dvTouch *t)
{
  const dvObject *a = &t->model[0]->base, *b = &t->model[1]->base, *mine = e->collisionModel1.target,
                 *other = e->collisionModel2.target;
  return (a == mine && (!other || b == other)) || (b == mine && (!other || a == other));
}

static void enslave_draft(dvObject *o, double dt)
{
  Enslave *e = (Enslave *)o;
  dvSensation *m = dv_feedback_begin(&e->feedback, DV_RENDER_HELD, dt, 0, 0);
  dvTouch t;
  for (size_t i = 0; dv_scene_touch(o->node->scene, i, &t); i++)
    for (size_t k = 0; enslave_concerns(e, &t) && k < t.count; k++)
      dv_vec3_store(m->wrench, enslave_force(e, &t.contacts[k]));
}

static const dvFeedbackOps enslave_ops = {
    .feedback = enslave_feedback, .tool = enslave_tool, .active = enslave_active, .draft = enslave_draft};

const dvClass dv_enslavement_feedback_class = {
    .struct_size = sizeof(dvClass),
    .name = "EnslavementForceFeedback",
    .help = "pushes the hand by the depth of its tool's last contact",
    .module = "Sensable",
    .size = sizeof(Enslave),
    .blocks = {&dv_object_block, DV_BLOCK(enslave_fields)},
    .ops = {[DV_ROLE_CONTROLLER] = &enslave_ops},
    .create = enslave_create,
    .init = enslave_init,
    .destroy = enslave_destroy,
    .remember = enslave_remember,
};
