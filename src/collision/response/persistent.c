// PersistentContactRigidMapping, PersistentContactBarycentricMapping: contact points that stay on their surface.
//
// Contacts are found anew in every step, at the places where surfaces are nearest now. Where friction holds two bodies
// that is a loss: the points wander over the surfaces though nothing slides. With the response
// PersistentFrictionContact, and one of these mappings for a surface, the points of a contact that stuck in the last
// step (0 < lambda_n, |lambda_t| < mu lambda_n) stay where they are on that surface as long as the same two elements
// touch; one that slides, or is new, gets the point that was found. Multipliers begin with those of the last step.
//
// `nameOfInputMap` names the mapping that drives the collision model, among those at and below the node of `input`.
// Points are held in the elements of that model, and so, through its mapping, in the frames or elements of `input`: the
// same material points. The state that such a mapping drives stays empty, since the number of contacts changes in
// every step; points of contacts are live (response/anchor.c).
#include "collision/response/persistent.h"
#include "collision/register.h"
#include "mapping/linear/linear.h"

#include <math.h>

#define PERSISTENT_FIELDS(X)                                                               \
  X(string, nameOfInputMap, "", "", "name of the mapping that drives the collision model") \
  X(int, stickingPoints, "0", "", "points that stay where they are in the next step", .flags = DV_READ_ONLY)

struct dvPersistentMapping {
  dvMapping base;
  PERSISTENT_FIELDS(DV_MEMBER)
  const dvObject *surface;   // the state that carries the collision model
  DV_ARRAY(dvKeptPoint) kept;
};

#define SELF dvPersistentMapping
static const dvFieldDesc persistent_fields[] = {PERSISTENT_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc persistent_memory[] = {DV_REMEMBER(numbers, stickingPoints) DV_REMEMBER(array, kept)};
#undef SELF

// --- points ----------------------------------------------------------------------------------------

static bool is_of(const dvKeptPoint *k, uint64_t pair, int side) { return k->pair == pair && k->side == side; }

const dvKeptPoint *dv_persistent_get(const dvPersistentMapping *m, uint64_t pair, int side, const dvContact *c)
{
  for (size_t i = 0; i < m->kept.count; i++) {
    const dvKeptPoint *k = &m->kept.data[i];
    if (is_of(k, pair, side) && k->id == c->id && k->element[0] == c->element[0] && k->element[1] == c->element[1])
      return k;
  }
  return NULL;
}

const dvKeptPoint *dv_persistent_points(const dvPersistentMapping *m, size_t *count)
{
  *count = m->kept.count;
  return m->kept.data;
}

static void tell_number(dvPersistentMapping *m)
{
  m->stickingPoints = (int32_t)dv_min_size(m->kept.count, INT32_MAX);
  dv_touch(&m->base.base, &m->stickingPoints);
}

void dv_persistent_put(dvPersistentMapping *m, const dvKeptPoint *point)
{
  dv_push(&m->kept, *point);
  tell_number(m);
}

void dv_persistent_forget(dvPersistentMapping *m, uint64_t pair, int side)
{
  size_t left = 0;
  for (size_t i = 0; i < m->kept.count; i++)
    if (!is_of(&m->kept.data[i], pair, side)) m->kept.data[left++] = m->kept.data[i];
  m->kept.count = left;
  tell_number(m);
}

// numbers of a snapshot: coordinates in elements, which are looked up again
static bool persistent_restored(dvObject *o)
{
  const dvPersistentMapping *m = (const dvPersistentMapping *)o;
  for (size_t i = 0; i < m->kept.count; i++)
    for (int k = 0; k < DV_HELD; k++)
      if (!isfinite(m->kept.data[i].at[k])) return false;
  return true;
}

// --- which surface ---------------------------------------------------------------------------------

typedef struct Finder {
  dvVisitor visitor;
  const char *name;          // of the mapping that is looked for, or
  const dvObject *surface;   // the state that is carried
  dvObject *found;
} Finder;

static bool is_persistent(const dvObject *o);

static dvWalk look_at(dvVisitor *v, dvNode *node)
{
  Finder *f = (Finder *)v;
  for (size_t i = 0; i < node->objects.count && !f->found; i++) {
    dvObject *o = node->objects.data[i];
    if (o->failed || !dv_plays(o, DV_ROLE_MAPPING)) continue;
    bool wanted = f->name ? !is_persistent(o) && dv_same(o->name, f->name)
                          : is_persistent(o) && ((const dvPersistentMapping *)o)->surface == f->surface;
    if (wanted) f->found = o;
  }
  return f->found ? DV_WALK_PRUNE : DV_WALK_ON;
}

dvPersistentMapping *dv_persistent_find(const dvCollisionModel *model)
{
  Finder f = {.visitor = {.top_down = look_at}, .surface = &model->state->base};
  dv_visit(model->base.node->scene->root, &f.visitor);
  return (dvPersistentMapping *)f.found;
}

static dvStatus persistent_init(dvObject *o)
{
  dvPersistentMapping *m = (dvPersistentMapping *)o;
  Finder f = {.visitor = {.top_down = look_at}, .name = m->nameOfInputMap};
  if (*m->nameOfInputMap) dv_visit(m->base.in->base.node, &f.visitor);
  if (!f.found)
    return dv_field_error(o, &m->nameOfInputMap, "name the mapping beside the collision model",
                          "there is no mapping '%s' at or below the node of %s", m->nameOfInputMap,
                          m->base.in->base.name);
  const dvMappingOps *ops = dv_ops(f.found, DV_ROLE_MAPPING);
  if (ops->input(f.found, 0) != &m->base.in->base)
    return dv_field_error(o, &m->nameOfInputMap, "name a mapping from the same input", "%s is not a mapping from %s",
                          f.found->name, m->base.in->base.name);
  m->surface = ops->output(f.found, 0);
  return dv_state_resize(m->base.out, 0) ? DV_OK : dv_error(o, NULL, "out of memory");
}

// --- the components --------------------------------------------------------------------------------

static void nothing(dvObject *o, int out, int in)
{
  DV_UNUSED(o);
  DV_UNUSED(out);
  DV_UNUSED(in);
}

static void no_blocks(dvObject *o, dvMatrixSink *sink)
{
  DV_UNUSED(o);
  DV_UNUSED(sink);
}

static void persistent_destroy(dvObject *o) { dv_array_free(&((dvPersistentMapping *)o)->kept); }

static const dvMappingOps persistent_ops = {
    .apply = nothing, .apply_j = nothing, .apply_jt = nothing, .build_j = no_blocks, DV_MAPPING_SLOTS};

#define PERSISTENT_CLASS(variable_, name_, in_, help_)                              \
  const dvClass variable_ = {                                                       \
      .struct_size = sizeof(dvClass),                                               \
      .name = name_,                                                                \
      .help = help_,                                                                \
      .module = "PersistentContact",                                                \
      .dofs = in_,                                                                  \
      .dofs_out = DV_DOF_VEC3,                                                      \
      .size = sizeof(dvPersistentMapping),                                          \
      .blocks = {&dv_object_block, &dv_mapping_block, DV_BLOCK(persistent_fields)}, \
      .ops = {[DV_ROLE_MAPPING] = &persistent_ops},                                 \
      DV_MEMORY(persistent_memory),                                                 \
      .link = dv_mapping_link,                                                      \
      .init = persistent_init,                                                      \
      .restored = persistent_restored,                                              \
      .destroy = persistent_destroy,                                                \
  }

PERSISTENT_CLASS(dv_persistent_rigid_class, "PersistentContactRigidMapping", DV_DOF_RIGID3,
                 "keeps points of contacts that stick where they are on a rigid surface");
PERSISTENT_CLASS(dv_persistent_barycentric_class, "PersistentContactBarycentricMapping", DV_DOF_VEC3,
                 "keeps points of contacts that stick where they are on a deformable surface");

static bool is_persistent(const dvObject *o)
{
  return o->cls == &dv_persistent_rigid_class || o->cls == &dv_persistent_barycentric_class;
}
