// See model.h.
#include "collision/model.h"

#define SELF dvCollisionModel
static const dvFieldDesc collision_model_fields[] = {DV_COLLISION_MODEL_FIELDS(DV_DESCRIBE)};
#undef SELF
const dvFieldBlock dv_collision_model_block = {collision_model_fields, (int)DV_COUNT(collision_model_fields)};

dvStatus dv_collision_model_init(dvObject *o)
{
  dvObject *state = dv_node_state_up(o->node);
  if (!state)
    return dv_error(o, "add a MechanicalObject to the node", "%s needs a state and finds none in its node or above",
                    o->cls->name);
  if (!(o->cls->dofs & (1u << state->dof->kind)))
    return dv_error(o, NULL, "%s does not work on %s, the type of %s", o->cls->name, state->dof->name, state->name);
  DV_TRY(dv_object_ensure(state));
  ((dvCollisionModel *)o)->state = dv_state(state);
  return DV_OK;
}

size_t dv_collision_model_count(const dvObject *o)
{
  const dvCollisionModel *m = (const dvCollisionModel *)o;
  return m->elements.width ? dv_ints_size(&m->elements) : m->state ? m->state->count : 0;
}
