// MeanComputation: the mean of all states of its node, number by number: with k states, x = 1/k sum x^k, at the start
// of every step. States with the tag MeanOutput are left out; they follow the result where their position is linked to
// it. Where states differ in size, the smallest counts.
#include "engine/classes.h"
#include "engine/engine.h"

#include "object/compat.h"
#include "state/state.h"

#define MEAN_FIELDS(X) X(coords, result, "", "m", "mean of the positions of the states", .flags = DV_READ_ONLY)

typedef struct Mean {
  dvObject base;
  MEAN_FIELDS(DV_MEMBER)
  DV_ARRAY(const dvState *) states;
} Mean;

#define SELF Mean
static const dvFieldDesc mean_fields[] = {MEAN_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc mean_memory[] = {DV_REMEMBER(reals, result)};
#undef SELF

static dvStatus compute(Mean *m)
{
  const size_t width = (size_t)m->base.dof->coord;
  size_t points = m->states.data[0]->count;
  for (size_t k = 1; k < m->states.count; k++) points = dv_min_size(points, m->states.data[k]->count);
  const bool keep = dv_compat(&m->base, DV_COMPAT_MEAN_ADDS);
  if (!dv_reals_resize(&m->result, points * width)) return dv_engine_no_memory(&m->base);
  double *mean = dv_reals_edit(&m->result);
  for (size_t i = 0; i < points * width; i++) {
    double sum = keep ? mean[i] : 0;
    for (size_t k = 0; k < m->states.count; k++) sum += dv_state_read(m->states.data[k], DV_X)[i];
    mean[i] = sum / (double)m->states.count;
  }
  dv_touch(&m->base, &m->result);
  return DV_OK;
}

static dvStatus mean_init(dvObject *o)
{
  Mean *m = (Mean *)o;
  m->states.count = 0;
  for (size_t i = 0; i < o->node->objects.count; i++) {
    dvObject *state = o->node->objects.data[i];
    if (!dv_is_mechanical_state(state) || state->dof != o->dof || dv_object_has_tag(state, "MeanOutput")) continue;
    DV_TRY(dv_object_ensure(state));
    dv_push(&m->states, dv_state(state));
  }
  if (m->states.count == 0)
    return dv_error(o, "put it into the node of the MechanicalObjects, or give it their template",
                    "%s finds no state of %s in its node", o->name, o->dof->name);
  for (size_t k = 1; k < m->states.count; k++)
    if (m->states.data[k]->count != m->states.data[0]->count) {
      dv_warning(o, NULL, "%s and %s differ in size: the mean has as many points as the smallest state",
                 m->states.data[0]->base.name, m->states.data[k]->base.name);
      break;
    }
  return compute(m);
}

static void mean_handle_event(dvObject *o, const dvEvent *event)
{
  if (event->kind == DV_EVENT_ANIMATE_BEGIN && !o->failed) compute((Mean *)o);
}

static void mean_destroy(dvObject *o) { dv_array_free(&((Mean *)o)->states); }

DV_ENGINE_CLASS(dv_mean_class, "MeanComputation", "mean of the positions of all states of its node", "MultiThreading",
                DV_DOF_VEC1 | DV_DOF_VEC2 | DV_DOF_VEC3 | DV_DOF_RIGID2 | DV_DOF_RIGID3, Mean,
                .blocks = {&dv_object_block, DV_BLOCK(mean_fields)}, DV_MEMORY(mean_memory), .init = mean_init,
                .reinit = mean_init, .handle_event = mean_handle_event, .destroy = mean_destroy);
