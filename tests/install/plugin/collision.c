// TrialCollisionModel: every point of the state is an element.
#include <divan/sdk/plugin.h>

extern const dvClass trial_model_class;

#define TRIAL_MODEL_FIELDS(X) X(int, count, "0", "", "elements", .flags = DV_READ_ONLY)

typedef struct TrialModel {
  dvCollisionModel model;
  TRIAL_MODEL_FIELDS(DV_MEMBER)
} TrialModel;

#define SELF TrialModel
static const dvFieldDesc trial_model_fields[] = {TRIAL_MODEL_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus trial_model_init(dvObject *o)
{
  TrialModel *m = (TrialModel *)o;
  DV_TRY(dv_collision_model_init(o));
  m->model.primitives = "points";
  m->count = (int32_t)dv_collision_model_count(o);
  return DV_OK;
}

const dvClass trial_model_class = {
    .struct_size = sizeof(dvClass),
    .name = "TrialCollisionModel",
    .help = "the points of a state, for collisions",
    .dofs = DV_DOF_VEC3,
    .roles = DV_PLAYS(DV_ROLE_COLLISION_MODEL),
    .size = sizeof(TrialModel),
    .blocks = {&dv_object_block, &dv_collision_model_block, DV_BLOCK(trial_model_fields)},
    .init = trial_model_init,
};
