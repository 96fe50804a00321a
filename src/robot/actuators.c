// What QPInverseProblemSolver finds forces for: actuators, with limits, and equalities, whose force or quantity is set.
//
//   CableActuator, CableEquality                       cable.h
//   SurfacePressureActuator, SurfacePressureEquality   cavity.h
//   ForcePointActuator, SlidingActuator                position.h: along one direction, or along all
//   PositionEquality                                   position.h
//   JointActuator                                      a value of a Vec1 state
#include "robot/cable.h"
#include "robot/cavity.h"
#include "robot/classes.h"
#include "robot/position.h"

#include <math.h>
#include <string.h>

static bool has_begun(const dvPart *p, double time) { return p->model.base.node->time >= time; }

// --- cables ------------------------------------------------------------------------------------------

#define CABLE_FIELDS(X)                                                             \
  X(real, constrainAtTime, "0", "s", "limits, or what is kept, count from then on") \
  X(bool, displayCableLimit, "0", "", "accepted for compatibility", .flags = DV_HIDDEN | DV_LOOKS)
#define CABLE_ACTUATOR_FIELDS(X) X(real, initForce, "0", "N", "tension before the first step")
#define CABLE_EQUALITY_FIELDS(X)                     \
  X(real, eqForce, "0", "N", "tension that is kept") \
  X(real, eqDisp, "0", "m", "displacement that is kept, when eqForce is not given")

typedef struct CableActuator {
  dvCable cable;
  CABLE_FIELDS(DV_MEMBER)
  CABLE_ACTUATOR_FIELDS(DV_MEMBER)
  CABLE_EQUALITY_FIELDS(DV_MEMBER)
} CableActuator;

#define SELF CableActuator
static const dvFieldDesc cable_fields[] = {CABLE_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc cable_actuator_fields[] = {CABLE_ACTUATOR_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc cable_equality_fields[] = {CABLE_EQUALITY_FIELDS(DV_DESCRIBE)};
#undef SELF

static void cable_actuator_aim(dvPart *p, double h)
{
  DV_UNUSED(h);
  if (has_begun(p, ((CableActuator *)p)->constrainAtTime)) dv_cable_limits(p);
}

static void cable_equality_aim(dvPart *p, double h)
{
  DV_UNUSED(h);
  CableActuator *c = (CableActuator *)p;
  dvPartAim *a = &p->aims.data[0];
  a->by_force = dv_was_set(&p->model.base, &c->eqForce) || !has_begun(p, c->constrainAtTime);
  a->value = !has_begun(p, c->constrainAtTime) ? 0 : a->by_force ? c->eqForce : c->eqDisp;
}

static const dvGauge cable_actuator_gauge = {
    .rows = dv_cable_rows, .measure = dv_cable_measure, .aim = cable_actuator_aim, .show = dv_cable_show};
static const dvGauge cable_equality_gauge = {
    .rows = dv_cable_rows, .measure = dv_cable_measure, .aim = cable_equality_aim, .show = dv_cable_show};

static dvStatus cable_actuator_init(dvObject *o) { return dv_cable_init(o, &cable_actuator_gauge, DV_PART_ACTUATOR); }
static dvStatus cable_equality_init(dvObject *o) { return dv_cable_init(o, &cable_equality_gauge, DV_PART_EQUALITY); }
static dvStatus cable_actuator_bwd_init(dvObject *o)
{
  DV_TRY(dv_cable_bwd_init(o));
  ((dvPart *)o)->forces.data[0] = ((CableActuator *)o)->initForce;
  return DV_OK;
}

DV_INVERSE_CLASS(dv_cable_actuator_class, "CableActuator",
                 "a cable whose tension is found so that the effectors reach their goals", DV_DOF_VEC3 | DV_DOF_RIGID3,
                 CableActuator, DV_CABLE_DRAWN,
                 .blocks = {&dv_object_block, &dv_constraint_model_block, &dv_cable_block, DV_BLOCK(cable_fields),
                            DV_BLOCK(cable_actuator_fields)},
                 .init = cable_actuator_init, .bwd_init = cable_actuator_bwd_init, .reinit = dv_cable_reinit,
                 .remember = dv_cable_remember, .destroy = dv_cable_destroy);
DV_INVERSE_CLASS(dv_cable_equality_class, "CableEquality",
                 "a cable that is kept at a tension or displacement while others are found",
                 DV_DOF_VEC3 | DV_DOF_RIGID3, CableActuator, DV_CABLE_DRAWN,
                 .blocks = {&dv_object_block, &dv_constraint_model_block, &dv_cable_block, DV_BLOCK(cable_fields),
                            DV_BLOCK(cable_equality_fields)},
                 .init = cable_equality_init, .bwd_init = dv_cable_bwd_init, .reinit = dv_cable_reinit,
                 .remember = dv_cable_remember, .destroy = dv_cable_destroy);

// --- chambers ----------------------------------------------------------------------------------------

#define PRESSURE_ACTUATOR_FIELDS(X) X(real, initPressure, "0", "Pa", "pressure before the first step")
#define PRESSURE_EQUALITY_FIELDS(X)                       \
  X(real, eqPressure, "0", "Pa", "pressure that is kept") \
  X(real, eqVolumeGrowth, "0", "m3", "growth that is kept, when eqPressure is not given")

typedef struct PressureActuator {
  dvCavity cavity;
  PRESSURE_ACTUATOR_FIELDS(DV_MEMBER)
  PRESSURE_EQUALITY_FIELDS(DV_MEMBER)
} PressureActuator;

#define SELF PressureActuator
static const dvFieldDesc pressure_actuator_fields[] = {PRESSURE_ACTUATOR_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc pressure_equality_fields[] = {PRESSURE_EQUALITY_FIELDS(DV_DESCRIBE)};
#undef SELF

static void pressure_actuator_aim(dvPart *p, double h)
{
  DV_UNUSED(h);
  dv_cavity_limits(p);
}
static void pressure_equality_aim(dvPart *p, double h)
{
  DV_UNUSED(h);
  PressureActuator *c = (PressureActuator *)p;
  dvPartAim *a = &p->aims.data[0];
  a->by_force = dv_was_set(&p->model.base, &c->eqPressure);
  a->value = a->by_force ? c->eqPressure : c->eqVolumeGrowth;
}

static const dvGauge pressure_actuator_gauge = {
    .rows = dv_cavity_rows, .measure = dv_cavity_measure, .aim = pressure_actuator_aim, .show = dv_cavity_show};
static const dvGauge pressure_equality_gauge = {
    .rows = dv_cavity_rows, .measure = dv_cavity_measure, .aim = pressure_equality_aim, .show = dv_cavity_show};

static dvStatus pressure_actuator_init(dvObject *o)
{
  return dv_cavity_init(o, &pressure_actuator_gauge, DV_PART_ACTUATOR);
}
static dvStatus pressure_equality_init(dvObject *o)
{
  return dv_cavity_init(o, &pressure_equality_gauge, DV_PART_EQUALITY);
}
static dvStatus pressure_actuator_bwd_init(dvObject *o)
{
  PressureActuator *c = (PressureActuator *)o;
  DV_TRY(dv_cavity_bwd_init(o));
  if (dv_was_set(o, &c->cavity.maxVolumeGrowth)) DV_TRY(dv_cavity_needs_volume(o, &c->cavity.maxVolumeGrowth));
  c->cavity.part.forces.data[0] = c->initPressure;
  return DV_OK;
}
static dvStatus pressure_equality_bwd_init(dvObject *o)
{
  PressureActuator *c = (PressureActuator *)o;
  DV_TRY(dv_cavity_bwd_init(o));
  return dv_was_set(o, &c->eqPressure) ? DV_OK : dv_cavity_needs_volume(o, &c->eqVolumeGrowth);
}

DV_INVERSE_CLASS(dv_pressure_actuator_class, "SurfacePressureActuator",
                 "a chamber whose pressure is found so that the effectors reach their goals", DV_DOF_VEC3,
                 PressureActuator, DV_PART_PLAIN,
                 .blocks = {&dv_object_block, &dv_constraint_model_block, &dv_cavity_block,
                            DV_BLOCK(pressure_actuator_fields)},
                 .init = pressure_actuator_init, .bwd_init = pressure_actuator_bwd_init, .reinit = dv_cavity_check,
                 .remember = dv_cavity_remember, .destroy = dv_part_destroy);
DV_INVERSE_CLASS(dv_pressure_equality_class, "SurfacePressureEquality",
                 "a chamber that is kept at a pressure or growth while others are found", DV_DOF_VEC3, PressureActuator,
                 DV_PART_PLAIN,
                 .blocks = {&dv_object_block, &dv_constraint_model_block, &dv_cavity_block,
                            DV_BLOCK(pressure_equality_fields)},
                 .init = pressure_equality_init, .bwd_init = pressure_equality_bwd_init, .reinit = dv_cavity_check,
                 .remember = dv_cavity_remember, .destroy = dv_part_destroy);

// --- forces on points --------------------------------------------------------------------------------
//
// One row for all points together: q = sum over them of direction . (x - x_rest); the force acts on each.

#define POINT_FIELDS(X)                                                                                             \
  X(indices, indices, "", "", "points that the force acts on; point 0 when none are given")                         \
  X(deriv, direction, "", "", "direction of the force; found, too, when it is not given")                           \
  X(real, maxForce, "0", "N", "largest force along each direction; none when it is not given")                      \
  X(real, minForce, "0", "N", "smallest force; none when it is not given")                                          \
  X(real, maxForceVariation, "0", "N", "most that the force changes in a step; no end when it is not given")        \
  X(real, maxPositiveDisp, "0", "m", "largest displacement; none when it is not given")                             \
  X(real, maxNegativeDisp, "0", "m", "largest displacement backwards; none when it is not given")                   \
  X(real, maxDispVariation, "0", "m", "most that the displacement changes in a step; no end when not given")        \
  X(real, initForce, "0", "N", "force before the first step")                                                       \
  X(real, energyWeight, "0.001", "", "weight of the energy; that of the solver when it is not given",               \
    .alias = "penalty", .least = "0")                                                                               \
  X(reals, force, "", "N", "force along each direction in the last step", .flags = DV_READ_ONLY)                    \
  X(real, displacement, "0", "m", "along the first direction, the mean of the points", .flags = DV_READ_ONLY)       \
  X(bool, showForce, "0", "", "accepted for compatibility", .flags = DV_HIDDEN | DV_LOOKS)                          \
  X(real, visuScale, "0.1", "", "accepted for compatibility", .flags = DV_HIDDEN | DV_LOOKS)                        \
  X(real, initDisplacement, "0", "m", "accepted: displacements are counted from the rest position",                 \
    .flags = DV_HIDDEN)                                                                                             \
  X(bool, accumulateDisp, "0", "", "no effect: displacements are counted from the rest position", .flags = DV_IDLE) \
  X(bool, showDirection, "0", "", "accepted for compatibility", .flags = DV_HIDDEN | DV_LOOKS)                      \
  X(real, showVisuScale, "0.001", "", "accepted for compatibility", .flags = DV_HIDDEN | DV_LOOKS)

typedef struct PointActuator {
  dvPart part;
  POINT_FIELDS(DV_MEMBER)
  size_t rows;
} PointActuator;

#define SELF PointActuator
static const dvFieldDesc point_fields[] = {POINT_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc point_memory[] = {DV_REMEMBER(numbers, displacement) DV_REMEMBER(reals, force)};
#undef SELF

static size_t point_rows(const dvPart *p) { return ((const PointActuator *)p)->rows; }

static void point_measure(dvPart *p, const double *x, double *q, bool slopes)
{
  PointActuator *c = (PointActuator *)p;
  const dvDof *dof = p->model.base.dof;
  size_t coord = (size_t)dof->coord, deriv = (size_t)dof->deriv;
  const double *rest = dv_state_read(dv_part_state(p), DV_X_REST);
  for (size_t row = 0; row < c->rows; row++) {
    double axis[DV_MAX_COORD] = {0};
    axis[row] = 1;
    if (c->rows == 1) memcpy(axis, c->direction, deriv * sizeof *axis);
    q[row] = 0;
    for (size_t i = 0; i < c->indices.count; i++) {
      size_t point = (size_t)c->indices.data[i];
      double offset[DV_MAX_COORD];
      dv_dof_difference(dof, 1, offset, x + point * coord, rest + point * coord);
      for (size_t k = 0; k < deriv; k++) q[row] += axis[k] * offset[k];
      if (slopes) dv_part_slope(p, row, point, axis);
    }
  }
}

static void point_aim(dvPart *p, double h)
{
  DV_UNUSED(h);
  PointActuator *c = (PointActuator *)p;
  const dvObject *o = &p->model.base;
  double n = (double)c->indices.count;   // the quantity is a sum over the points
  for (size_t i = 0; i < p->aims.count; i++) {
    dvPartAim *a = &p->aims.data[i];
    a->low = dv_part_limit(o, &c->minForce, -INFINITY);
    a->high = dv_part_limit(o, &c->maxForce, INFINITY);
    a->least = -n * dv_part_limit(o, &c->maxNegativeDisp, INFINITY);
    a->most = n * dv_part_limit(o, &c->maxPositiveDisp, INFINITY);
    dv_part_slow(o, &c->maxForceVariation, 1, p->forces.data[i], &a->low, &a->high);
    dv_part_slow(o, &c->maxDispVariation, n, a->reached, &a->least, &a->most);
  }
  p->energy = dv_part_limit(o, &c->energyWeight, -1);
}

static void point_show(dvPart *p)
{
  PointActuator *c = (PointActuator *)p;
  if (!dv_reals_resize(&c->force, p->aims.count)) return;
  if (p->aims.count) memcpy(dv_reals_edit(&c->force), p->forces.data, p->aims.count * sizeof(double));
  c->displacement = p->aims.data[0].reached / (double)c->indices.count;
  dv_touch(&p->model.base, &c->force);
  dv_touch(&p->model.base, &c->displacement);
}

static const dvGauge point_gauge = {.rows = point_rows, .measure = point_measure, .aim = point_aim, .show = point_show};

static dvStatus point_init(dvObject *o) { return dv_part_init(o, &point_gauge, DV_PART_ACTUATOR); }

static dvStatus point_check(dvObject *o)
{
  PointActuator *c = (PointActuator *)o;
  double size = 0;
  for (int k = 0; k < o->dof->deriv; k++) size += c->direction[k] * c->direction[k];
  c->rows = size > 1e-20 ? 1 : (size_t)o->dof->deriv;
  for (int k = 0; k < o->dof->deriv && c->rows == 1; k++) c->direction[k] /= sqrt(size);
  DV_TRY(dv_check_indices(o, &c->indices, dv_part_state(&c->part)->count, "points"));
  return dv_part_check_limits(o, &c->minForce, &c->maxForce, "force");
}

static dvStatus point_bwd_init(dvObject *o)
{
  PointActuator *c = (PointActuator *)o;
  if (c->indices.count == 0) {
    if (!dv_ints_assign(&c->indices, (int32_t[]){0}, 1)) return dv_error(o, NULL, "out of memory");
    dv_warning(o, "set indices", "no points were given: the force acts on point 0");
  }
  DV_TRY(point_check(o));
  dv_follow_points(o, dv_part_state(&c->part), &c->indices);
  dv_part_end_step(o);
  for (size_t i = 0; i < c->part.forces.count; i++) c->part.forces.data[i] = c->initForce;
  return DV_OK;
}

DV_INVERSE_CLASS(dv_force_point_class, "ForcePointActuator",
                 "a force on points that is found so that the effectors reach their goals", DV_DOF_VEC3 | DV_DOF_RIGID3,
                 PointActuator, DV_PART_PLAIN,
                 .blocks = {&dv_object_block, &dv_constraint_model_block, DV_BLOCK(point_fields)},
                 DV_MEMORY(point_memory), .init = point_init, .bwd_init = point_bwd_init, .reinit = point_check,
                 .remember = dv_part_remember, .destroy = dv_part_destroy);

static dvStatus sliding_bwd_init(dvObject *o)
{
  PointActuator *c = (PointActuator *)o;
  DV_TRY(point_bwd_init(o));
  if (c->rows == 1) return DV_OK;
  return dv_field_error(o, c->direction, "for example direction=\"1 0 0\"", "a slide needs a direction");
}

DV_INVERSE_CLASS(dv_sliding_actuator_class, "SlidingActuator",
                 "moves points along a direction so that the effectors reach their goals", DV_DOF_VEC3 | DV_DOF_RIGID3,
                 PointActuator, DV_PART_PLAIN,
                 .blocks = {&dv_object_block, &dv_constraint_model_block, DV_BLOCK(point_fields)},
                 DV_MEMORY(point_memory), .init = point_init, .bwd_init = sliding_bwd_init, .reinit = point_check,
                 .remember = dv_part_remember, .destroy = dv_part_destroy);

// --- positions that are kept -------------------------------------------------------------------------

#define KEPT_FIELDS(X)                                              \
  X(real, eqDelta, "0", "m", "displacement from rest that is kept") \
  X(real, constrainAtTime, "0", "s", "it is kept from then on")

typedef struct PositionEquality {
  dvPosition position;
  KEPT_FIELDS(DV_MEMBER)
} PositionEquality;

#define SELF PositionEquality
static const dvFieldDesc kept_fields[] = {KEPT_FIELDS(DV_DESCRIBE)};
#undef SELF

static void kept_aim(dvPart *p, double h)
{
  DV_UNUSED(h);
  PositionEquality *c = (PositionEquality *)p;
  for (size_t i = 0; i < p->aims.count; i++) {
    p->aims.data[i].by_force = !has_begun(p, c->constrainAtTime);   // no force before
    p->aims.data[i].value = has_begun(p, c->constrainAtTime) ? c->eqDelta : 0;
  }
}

static const dvGauge kept_gauge = {
    .rows = dv_position_rows, .measure = dv_position_measure, .aim = kept_aim, .show = dv_position_show};

static dvStatus kept_init(dvObject *o) { return dv_part_init(o, &kept_gauge, DV_PART_EQUALITY); }

DV_INVERSE_CLASS(dv_position_equality_class, "PositionEquality",
                 "keeps points where they are told to be while actuators are found", DV_DOF_VEC3 | DV_DOF_RIGID3,
                 PositionEquality, DV_PART_PLAIN,
                 .blocks = {&dv_object_block, &dv_constraint_model_block, &dv_position_block, DV_BLOCK(kept_fields)},
                 .init = kept_init, .bwd_init = dv_position_bwd_init, .reinit = dv_position_check,
                 .remember = dv_position_remember, .destroy = dv_position_destroy);

// --- joints ------------------------------------------------------------------------------------------

#define JOINT_FIELDS(X)                                                                                  \
  X(int, index, "0", "", "which value of the state")                                                     \
  X(real, initEffort, "0", "", "effort before the first step")                                           \
  X(real, initAngle, "0", "", "accepted: angles are counted from the rest position", .flags = DV_HIDDEN) \
  X(real, maxEffort, "0", "", "largest effort; none when it is not given")                               \
  X(real, minEffort, "0", "", "smallest effort; none when it is not given")                              \
  X(real, maxEffortVariation, "0", "", "most that the effort changes in a step; no end when not given")  \
  X(real, maxAngle, "0", "", "largest angle from rest; none when it is not given")                       \
  X(real, minAngle, "0", "", "smallest angle from rest; none when it is not given")                      \
  X(real, maxAngleVariation, "0", "", "most that the angle changes in a step; no end when not given")    \
  X(real, effort, "0", "", "effort of the last step: N m, or N for a length", .flags = DV_READ_ONLY)     \
  X(real, angle, "0", "", "value less that at rest", .flags = DV_READ_ONLY)

typedef struct JointActuator {
  dvPart part;
  JOINT_FIELDS(DV_MEMBER)
} JointActuator;

#define SELF JointActuator
static const dvFieldDesc joint_fields[] = {JOINT_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc joint_memory[] = {DV_REMEMBER(numbers, effort) DV_REMEMBER(numbers, angle)};
#undef SELF

static size_t joint_rows(const dvPart *p) { return DV_UNUSED(p), 1; }

static void joint_measure(dvPart *p, const double *x, double *q, bool slopes)
{
  const JointActuator *j = (const JointActuator *)p;
  *q = x[j->index] - dv_state_read(dv_part_state(p), DV_X_REST)[j->index];
  if (slopes) dv_part_slope(p, 0, (size_t)j->index, (double[6]){1});
}

static void joint_aim(dvPart *p, double h)
{
  DV_UNUSED(h);
  const JointActuator *j = (const JointActuator *)p;
  const dvObject *o = &p->model.base;
  dvPartAim *a = &p->aims.data[0];
  a->low = dv_part_limit(o, &j->minEffort, -INFINITY);
  a->high = dv_part_limit(o, &j->maxEffort, INFINITY);
  a->least = dv_part_limit(o, &j->minAngle, -INFINITY);
  a->most = dv_part_limit(o, &j->maxAngle, INFINITY);
  dv_part_slow(o, &j->maxEffortVariation, 1, p->forces.data[0], &a->low, &a->high);
  dv_part_slow(o, &j->maxAngleVariation, 1, a->reached, &a->least, &a->most);
}

static void joint_show(dvPart *p)
{
  JointActuator *j = (JointActuator *)p;
  j->effort = p->forces.data[0];
  j->angle = p->aims.data[0].reached;
  dv_touch(&p->model.base, &j->effort);
  dv_touch(&p->model.base, &j->angle);
}

static const dvGauge joint_gauge = {.rows = joint_rows, .measure = joint_measure, .aim = joint_aim, .show = joint_show};

static dvStatus joint_init(dvObject *o) { return dv_part_init(o, &joint_gauge, DV_PART_ACTUATOR); }
static dvStatus joint_check(dvObject *o)
{
  JointActuator *j = (JointActuator *)o;
  DV_TRY(dv_constraint_model_check(o, &j->index, dv_part_state(&j->part)));
  DV_TRY(dv_part_check_limits(o, &j->minEffort, &j->maxEffort, "effort"));
  return dv_part_check_limits(o, &j->minAngle, &j->maxAngle, "angle");
}
static dvStatus joint_bwd_init(dvObject *o)
{
  JointActuator *j = (JointActuator *)o;
  DV_TRY(joint_check(o));
  dv_part_end_step(o);
  j->part.forces.data[0] = j->initEffort;
  return DV_OK;
}

DV_INVERSE_CLASS(dv_joint_actuator_class, "JointActuator",
                 "a joint whose effort is found so that the effectors reach their goals", DV_DOF_VEC1, JointActuator,
                 DV_PART_PLAIN, .blocks = {&dv_object_block, &dv_constraint_model_block, DV_BLOCK(joint_fields)},
                 DV_MEMORY(joint_memory), .init = joint_init, .bwd_init = joint_bwd_init, .reinit = joint_check,
                 .remember = dv_part_remember, .destroy = dv_part_destroy);
