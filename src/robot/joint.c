// JointConstraint: the value of a joint (a Vec1 state: an angle, a length), or the effort in it, is imposed.
//
//   q = x - x_rest
#include "robot/classes.h"
#include "robot/part.h"

#include <math.h>

#define JOINT_FIELDS(X)                                                                             \
  X(int, index, "0", "", "which value of the state")                                                \
  X(reals, value, "", "", "displacements or forces to choose from")                                 \
  X(int, valueIndex, "0", "", "which of them is imposed", .least = "0")                             \
  X(choice, valueType, "displacement", "", "what the value is", .options = "displacement|force")    \
  X(real, force, "0", "", "effort of the last step: N, or N m for an angle", .flags = DV_READ_ONLY) \
  X(real, displacement, "0", "", "value less that at rest", .flags = DV_READ_ONLY)                  \
  X(real, maxForce, "0", "", "largest effort; none when it is not given")                           \
  X(real, minForce, "0", "", "smallest effort; none when it is not given")                          \
  X(real, maxDisplacement, "0", "", "largest displacement; none when it is not given")              \
  X(real, minDisplacement, "0", "", "smallest displacement; none when it is not given")

typedef struct Joint {
  dvPart part;
  JOINT_FIELDS(DV_MEMBER)
} Joint;

#define SELF Joint
static const dvFieldDesc joint_fields[] = {JOINT_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc joint_memory[] = {DV_REMEMBER(numbers, force) DV_REMEMBER(numbers, displacement)};
#undef SELF

static size_t joint_rows(const dvPart *p) { return DV_UNUSED(p), 1; }

static void joint_measure(dvPart *p, const double *x, double *q, bool slopes)
{
  const Joint *j = (const Joint *)p;
  *q = x[j->index] - dv_state_read(dv_part_state(p), DV_X_REST)[j->index];
  if (slopes) dv_part_slope(p, 0, (size_t)j->index, (double[6]){1});
}

static void joint_aim(dvPart *p, double h)
{
  DV_UNUSED(h);
  Joint *j = (Joint *)p;
  const dvObject *o = &p->model.base;
  dvPartAim *a = &p->aims.data[0];
  double value = dv_part_value(&p->model.base, &j->value, j->valueIndex);
  a->low = dv_part_limit(o, &j->minForce, -INFINITY);
  a->high = dv_part_limit(o, &j->maxForce, INFINITY);
  a->least = dv_part_limit(o, &j->minDisplacement, -INFINITY);
  a->most = dv_part_limit(o, &j->maxDisplacement, INFINITY);
  a->by_force = j->valueType == 1;
  a->value = a->by_force ? dv_max(a->low, dv_min(a->high, value)) : dv_max(a->least, dv_min(a->most, value));
}

static void joint_show(dvPart *p)
{
  Joint *j = (Joint *)p;
  j->force = p->forces.data[0];
  j->displacement = p->aims.data[0].reached;
  dv_touch(&p->model.base, &j->force);
  dv_touch(&p->model.base, &j->displacement);
}

static const dvGauge joint_gauge = {.rows = joint_rows, .measure = joint_measure, .aim = joint_aim, .show = joint_show};

static dvStatus joint_init(dvObject *o) { return dv_part_init(o, &joint_gauge, DV_PART_IMPOSED); }

static dvStatus joint_check(dvObject *o)
{
  Joint *j = (Joint *)o;
  DV_TRY(dv_constraint_model_check(o, &j->index, dv_part_state(&j->part)));
  DV_TRY(dv_part_check_limits(o, &j->minForce, &j->maxForce, "force"));
  DV_TRY(dv_part_check_limits(o, &j->minDisplacement, &j->maxDisplacement, "displacement"));
  return dv_part_check_value(o, &j->value, &j->valueIndex);
}

static dvStatus joint_bwd_init(dvObject *o)
{
  DV_TRY(joint_check(o));
  dv_part_end_step(o);
  return DV_OK;
}

const dvClass dv_joint_constraint_class = {
    .struct_size = sizeof(dvClass),
    .name = "JointConstraint",
    .help = "imposes the value of a joint, or the effort in it",
    .module = "SoftRobots",
    .dofs = DV_DOF_VEC1,
    .size = sizeof(Joint),
    .blocks = {&dv_object_block, &dv_constraint_model_block, DV_BLOCK(joint_fields)},
    .ops = {[DV_ROLE_CONSTRAINT] = &dv_part_ops},
    DV_MEMORY(joint_memory),
    .init = joint_init,
    .bwd_init = joint_bwd_init,
    .reinit = joint_check,
    .end_step = dv_part_end_step,
    .remember = dv_part_remember,
    .destroy = dv_part_destroy,
};
