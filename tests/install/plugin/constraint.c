// TrialConstraint: points stay where they are.
#include <divan/sdk/plugin.h>

#include <string.h>

extern const dvClass trial_constraint_class;

#define TRIAL_CONSTRAINT_FIELDS(X) X(ints, indices, "0", "", "points that stay where they are")

typedef struct TrialConstraint {
  dvProjective projective;
  TRIAL_CONSTRAINT_FIELDS(DV_MEMBER)
} TrialConstraint;

#define SELF TrialConstraint
static const dvFieldDesc trial_constraint_fields[] = {TRIAL_CONSTRAINT_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus trial_constraint_init(dvObject *o)
{
  TrialConstraint *c = (TrialConstraint *)o;
  DV_TRY(dv_projective_init(o));
  return dv_check_indices(o, &c->indices, c->projective.state->count, "points");
}

static void clear(dvObject *o, int id)
{
  TrialConstraint *c = (TrialConstraint *)o;
  double *values = dv_state_write(c->projective.state, id);
  for (size_t i = 0; i < c->indices.count; i++) memset(values + 3 * c->indices.data[i], 0, 3 * sizeof *values);
}

static void clear_velocity(dvObject *o, int id, double time)
{
  (void)time;
  clear(o, id);
}

static void leave(dvObject *o, int id, double time)
{
  (void)o;
  (void)id;
  (void)time;
}

static const dvProjectiveOps trial_constraint_ops = {
    .project_response = clear, .project_velocity = clear_velocity, .project_position = leave};

const dvClass trial_constraint_class = {
    .struct_size = sizeof(dvClass),
    .name = "TrialConstraint",
    .help = "holds points where they are",
    .dofs = DV_DOF_VEC3,
    .size = sizeof(TrialConstraint),
    .blocks = {&dv_object_block, &dv_projective_block, DV_BLOCK(trial_constraint_fields)},
    .ops = {[DV_ROLE_PROJECTIVE] = &trial_constraint_ops},
    .init = trial_constraint_init,
};
