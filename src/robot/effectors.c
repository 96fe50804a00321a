// What QPInverseProblemSolver minimises: effectors, whose rows are the distance from their goals.
//
//   PositionEffector            q = weight direction . (x - goal), frames with their rotation
//   BarycentricCenterEffector   q = mean of the points - goal
//   VolumeEffector              q = V(x) - desiredVolume
//   CableEffector               q = desiredLength - L(x)
//
// And what only measures: CableSensor, SurfacePressureSensor.
#include "robot/cable.h"
#include "robot/cavity.h"
#include "robot/classes.h"
#include "robot/position.h"

#include <string.h>

static void no_aim(dvPart *p, double h) { DV_UNUSED(p), DV_UNUSED(h); }

// --- PositionEffector --------------------------------------------------------------------------------

#define GOAL_FIELDS(X)                                                                                       \
  X(coords, effectorGoal, "", "m", "where the points should be, one for each; the last for all that follow") \
  X(vec3s, sight, "", "m", "each point and its goal, for the line that is drawn between them", .flags = DV_READ_ONLY)

typedef struct PositionEffector {
  dvPosition position;
  GOAL_FIELDS(DV_MEMBER)
  dvInts pairs;   // of the lines
} PositionEffector;

#define SELF PositionEffector
static const dvFieldDesc goal_fields[] = {GOAL_FIELDS(DV_DESCRIBE)};
#undef SELF

static void goal_measure(dvPart *p, const double *x, double *q, bool slopes)
{
  dvObject *o = &p->model.base;
  dv_field_pull(dv_field_of(o, &((PositionEffector *)p)->effectorGoal));
  if (((PositionEffector *)p)->effectorGoal.count < (size_t)o->dof->coord)
    memset(q, 0, dv_position_rows(p) * sizeof *q);
  else dv_position_measure(p, x, q, slopes);
}

static void sight_show(dvPart *p)
{
  PositionEffector *e = (PositionEffector *)p;
  const dvInts *indices = &e->position.indices;
  size_t width = (size_t)p->model.base.dof->coord, goals = e->effectorGoal.count / width;
  dv_position_show(p);
  if (goals == 0 || !dv_reals_resize(&e->sight, 6 * indices->count)) return;
  const double *x = dv_state_read(dv_part_state(p), DV_X);
  double *sight = dv_reals_edit(&e->sight);
  for (size_t i = 0; i < indices->count; i++) {
    memcpy(sight + 6 * i, x + width * (size_t)indices->data[i], 3 * sizeof *x);
    memcpy(sight + 6 * i + 3, e->effectorGoal.data + width * dv_min_size(i, goals - 1), 3 * sizeof *x);
  }
  dv_touch(&p->model.base, &e->sight);
}

static void sight_sketch(dvObject *o, dvSketch *out)
{
  PositionEffector *e = (PositionEffector *)o;
  out->kind = DV_SKETCH_LINES;
  out->positions = dv_field_of(o, &e->sight);
  out->pairs = &e->pairs;
  out->coloured = true;
  memcpy(out->colour, (double[]){0.9, 0.1, 0.1, 1}, sizeof out->colour);
}
static const dvVisualOps sight_ops = {.sketch = sight_sketch};

static const dvGauge position_gauge = {
    .rows = dv_position_rows, .measure = goal_measure, .aim = no_aim, .show = sight_show};

static dvStatus position_effector_init(dvObject *o)
{
  PositionEffector *e = (PositionEffector *)o;
  DV_TRY(dv_part_init(o, &position_gauge, DV_PART_EFFECTOR));
  e->position.goal = &e->effectorGoal;
  return DV_OK;
}

static dvStatus position_effector_bwd_init(dvObject *o)
{
  PositionEffector *e = (PositionEffector *)o;
  dv_field_pull(dv_field_of(o, &e->effectorGoal));
  if (e->effectorGoal.count < (size_t)o->dof->coord)
    return dv_field_error(o, &e->effectorGoal, "give a position for each point, or link to that of another state",
                          "the effector has no goal");
  DV_TRY(dv_position_bwd_init(o));
  e->pairs.width = 2;
  if (!dv_ints_resize(&e->pairs, 2 * e->position.indices.count)) return dv_error(o, NULL, "out of memory");
  for (size_t i = 0; i < e->pairs.count; i++) dv_ints_edit(&e->pairs)[i] = (int32_t)i;
  return DV_OK;
}

static void position_effector_destroy(dvObject *o)
{
  dv_position_destroy(o);
  dv_ints_free(&((PositionEffector *)o)->pairs);
}

DV_INVERSE_CLASS(dv_position_effector_class, "PositionEffector", "points or frames that should be at goals",
                 DV_DOF_VEC3 | DV_DOF_RIGID3, PositionEffector,
                 .ops = {[DV_ROLE_CONSTRAINT] = &dv_part_ops, [DV_ROLE_VISUAL] = &sight_ops},
                 .blocks = {&dv_object_block, &dv_constraint_model_block, &dv_position_block, DV_BLOCK(goal_fields)},
                 .init = position_effector_init, .bwd_init = position_effector_bwd_init, .reinit = dv_position_check,
                 .remember = dv_position_remember, .destroy = position_effector_destroy);

// --- BarycentricCenterEffector -----------------------------------------------------------------------

#define CENTRE_FIELDS(X)                                                     \
  X(vec3s, effectorGoal, "", "m", "where the mean of the points should be")  \
  X(bools, axis, "1 1 1", "", "which of x, y and z count")                   \
  X(bool, drawBarycenter, "0", "", "draw the mean", .flags = DV_LOOKS)       \
  X(vec3s, barycenter, "", "m", "mean of the points", .flags = DV_READ_ONLY) \
  X(reals, delta, "", "m", "distance from the goal along each axis that counts", .flags = DV_READ_ONLY)

typedef struct CentreEffector {
  dvPart part;
  CENTRE_FIELDS(DV_MEMBER)
} CentreEffector;

#define SELF CentreEffector
static const dvFieldDesc centre_fields[] = {CENTRE_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc centre_memory[] = {DV_REMEMBER(reals, barycenter) DV_REMEMBER(reals, delta)};
#undef SELF

static bool counts(const CentreEffector *e, size_t k) { return k < e->axis.count && e->axis.data[k]; }
static size_t centre_rows(const dvPart *p)
{
  size_t n = 0;
  for (size_t k = 0; k < 3; k++) n += counts((const CentreEffector *)p, k);
  return n;
}

static dvVec3 mean(const dvPart *p, const double *x)
{
  size_t width = (size_t)p->model.base.dof->coord, n = dv_part_state(p)->count;
  dvVec3 sum = {0, 0, 0};
  for (size_t i = 0; i < n; i++) sum = dv_vec3_add(sum, dv_vec3_load(x + i * width));
  return n ? dv_vec3_scale(sum, 1 / (double)n) : sum;
}

static void centre_measure(dvPart *p, const double *x, double *q, bool slopes)
{
  CentreEffector *e = (CentreEffector *)p;
  dv_field_pull(dv_field_of(&p->model.base, &e->effectorGoal));
  double at[3], part = 1 / (double)dv_part_state(p)->count;
  dv_vec3_store(at, mean(p, x));
  for (size_t k = 0, row = 0; k < 3; k++) {
    if (!counts(e, k)) continue;
    q[row] = e->effectorGoal.count >= 3 ? at[k] - e->effectorGoal.data[k] : 0;
    for (size_t i = 0; slopes && i < dv_part_state(p)->count; i++)
      dv_part_slope(p, row, i, (double[6]){k == 0 ? part : 0, k == 1 ? part : 0, k == 2 ? part : 0});
    row++;
  }
}

static void centre_show(dvPart *p)
{
  CentreEffector *e = (CentreEffector *)p;
  if (!dv_reals_resize(&e->barycenter, 3) || !dv_reals_resize(&e->delta, p->aims.count)) return;
  dv_vec3_store(dv_reals_edit(&e->barycenter), mean(p, dv_state_read(dv_part_state(p), DV_X)));
  for (size_t i = 0; i < p->aims.count; i++) dv_reals_edit(&e->delta)[i] = p->aims.data[i].reached;
  dv_touch(&p->model.base, &e->barycenter);
  dv_touch(&p->model.base, &e->delta);
}

static const dvGauge centre_gauge = {
    .rows = centre_rows, .measure = centre_measure, .aim = no_aim, .show = centre_show};

static dvStatus centre_init(dvObject *o) { return dv_part_init(o, &centre_gauge, DV_PART_EFFECTOR); }
static dvStatus centre_bwd_init(dvObject *o)
{
  CentreEffector *e = (CentreEffector *)o;
  dv_field_pull(dv_field_of(o, &e->effectorGoal));
  if (e->effectorGoal.count < 3)
    return dv_field_error(o, &e->effectorGoal, "give a position", "the effector has no goal");
  if (centre_rows(&e->part) == 0) return dv_field_error(o, &e->axis, "1 1 1 is all", "no axis counts");
  dv_part_end_step(o);
  return DV_OK;
}

static void centre_sketch(dvObject *o, dvSketch *out)
{
  CentreEffector *e = (CentreEffector *)o;
  if (!e->drawBarycenter) return;
  out->kind = DV_SKETCH_POINTS;
  out->positions = dv_field_of(o, &e->barycenter);
}
static const dvVisualOps centre_visual_ops = {.sketch = centre_sketch};

DV_INVERSE_CLASS(dv_centre_effector_class, "BarycentricCenterEffector",
                 "the mean of all points that should be at a goal", DV_DOF_VEC3 | DV_DOF_RIGID3, CentreEffector,
                 .ops = {[DV_ROLE_CONSTRAINT] = &dv_part_ops, [DV_ROLE_VISUAL] = &centre_visual_ops},
                 .blocks = {&dv_object_block, &dv_constraint_model_block, DV_BLOCK(centre_fields)},
                 DV_MEMORY(centre_memory), .init = centre_init, .bwd_init = centre_bwd_init,
                 .remember = dv_part_remember, .destroy = dv_part_destroy);

// --- VolumeEffector ----------------------------------------------------------------------------------

#define VOLUME_FIELDS(X) X(real, desiredVolume, "0", "m3", "volume that the cavity should have")

typedef struct VolumeEffector {
  dvCavity cavity;
  VOLUME_FIELDS(DV_MEMBER)
} VolumeEffector;

#define SELF VolumeEffector
static const dvFieldDesc volume_fields[] = {VOLUME_FIELDS(DV_DESCRIBE)};
#undef SELF

static void volume_measure(dvPart *p, const double *x, double *q, bool slopes)
{
  VolumeEffector *e = (VolumeEffector *)p;
  dv_cavity_measure(p, x, q, slopes);
  *q += e->cavity.initialCavityVolume - e->desiredVolume;
}

static void volume_show(dvPart *p)
{
  VolumeEffector *e = (VolumeEffector *)p;
  dvCavity *c = &e->cavity;
  c->cavityVolume = e->desiredVolume + p->aims.data[0].reached;
  c->volumeGrowth = c->cavityVolume - c->initialCavityVolume;
  dv_touch(&p->model.base, &c->cavityVolume);
  dv_touch(&p->model.base, &c->volumeGrowth);
}

static const dvGauge volume_gauge = {
    .rows = dv_cavity_rows, .measure = volume_measure, .aim = no_aim, .show = volume_show};

static dvStatus volume_init(dvObject *o) { return dv_cavity_init(o, &volume_gauge, DV_PART_EFFECTOR); }
static dvStatus volume_bwd_init(dvObject *o)
{
  VolumeEffector *e = (VolumeEffector *)o;
  DV_TRY(dv_cavity_bwd_init(o));
  return dv_cavity_needs_volume(o, &e->desiredVolume);
}

DV_INVERSE_CLASS(dv_volume_effector_class, "VolumeEffector", "a cavity that should have a volume", DV_DOF_VEC3,
                 VolumeEffector, DV_PART_PLAIN,
                 .blocks = {&dv_object_block, &dv_constraint_model_block, &dv_cavity_block, DV_BLOCK(volume_fields)},
                 .init = volume_init, .bwd_init = volume_bwd_init, .reinit = dv_cavity_check,
                 .remember = dv_cavity_remember, .destroy = dv_part_destroy);

// --- CableEffector -----------------------------------------------------------------------------------

#define LENGTH_FIELDS(X) X(real, desiredLength, "0", "m", "length that the cable should have")

typedef struct CableEffector {
  dvCable cable;
  LENGTH_FIELDS(DV_MEMBER)
} CableEffector;

#define SELF CableEffector
static const dvFieldDesc length_fields[] = {LENGTH_FIELDS(DV_DESCRIBE)};
#undef SELF

static void length_measure(dvPart *p, const double *x, double *q, bool slopes)
{
  CableEffector *e = (CableEffector *)p;
  dv_cable_measure(p, x, q, slopes);
  *q += e->desiredLength - e->cable.cableInitialLength;
}

static void length_show(dvPart *p)
{
  CableEffector *e = (CableEffector *)p;
  double kept = p->aims.data[0].reached;
  p->aims.data[0].reached += e->cable.cableInitialLength - e->desiredLength;
  dv_cable_show(p);
  p->aims.data[0].reached = kept;
}

static const dvGauge length_gauge = {
    .rows = dv_cable_rows, .measure = length_measure, .aim = no_aim, .show = length_show};

static dvStatus length_init(dvObject *o) { return dv_cable_init(o, &length_gauge, DV_PART_EFFECTOR); }

DV_INVERSE_CLASS(dv_cable_effector_class, "CableEffector", "a length through points that should have a value",
                 DV_DOF_VEC3 | DV_DOF_RIGID3, CableEffector, DV_CABLE_DRAWN,
                 .blocks = {&dv_object_block, &dv_constraint_model_block, &dv_cable_block, DV_BLOCK(length_fields)},
                 .init = length_init, .bwd_init = dv_cable_bwd_init, .reinit = dv_cable_reinit,
                 .remember = dv_cable_remember, .destroy = dv_cable_destroy);

// --- sensors -----------------------------------------------------------------------------------------

static const dvGauge cable_sensor_gauge = {
    .rows = dv_cable_rows, .measure = dv_cable_measure, .aim = no_aim, .show = dv_cable_show};
static const dvGauge pressure_sensor_gauge = {
    .rows = dv_cavity_rows, .measure = dv_cavity_measure, .aim = no_aim, .show = dv_cavity_show};

static dvStatus cable_sensor_init(dvObject *o) { return dv_cable_init(o, &cable_sensor_gauge, DV_PART_SENSOR); }
static dvStatus pressure_sensor_init(dvObject *o) { return dv_cavity_init(o, &pressure_sensor_gauge, DV_PART_SENSOR); }

DV_INVERSE_CLASS(dv_cable_sensor_class, "CableSensor", "measures the length of a cable that does not pull",
                 DV_DOF_VEC3 | DV_DOF_RIGID3, dvCable, DV_CABLE_DRAWN,
                 .blocks = {&dv_object_block, &dv_constraint_model_block, &dv_cable_block}, .init = cable_sensor_init,
                 .bwd_init = dv_cable_bwd_init, .reinit = dv_cable_reinit, .remember = dv_cable_remember,
                 .destroy = dv_cable_destroy);
DV_INVERSE_CLASS(dv_pressure_sensor_class, "SurfacePressureSensor",
                 "measures the volume of a cavity that nothing fills", DV_DOF_VEC3, dvCavity, DV_PART_PLAIN,
                 .blocks = {&dv_object_block, &dv_constraint_model_block, &dv_cavity_block},
                 .init = pressure_sensor_init, .bwd_init = dv_cavity_bwd_init, .reinit = dv_cavity_check,
                 .remember = dv_cavity_remember, .destroy = dv_part_destroy);
