// JointLagrangianConstraint: frames joined by hinges, balls, sliders or rigidly, with limits and motors.
//
// Joint i holds a frame of the first object to one of the second at an anchor, a point that both carry; the axis is
// carried by both, too. With D from the anchor of the first to that of the second, r1 and r2 from the frames to the
// anchor of the second, and t, u across the axis a1 of the first:
//
//   ball     D = 0
//   hinge    D = 0, t (a1 x a2) = 0, u (a1 x a2) = 0           free: the angle about a1
//   slider   t D = 0, u D = 0, no turn of one in the other      free: the way a1 D
//   fixed    D = 0, no turn
//
// as one law for all joints of the component, or with `iterative` one for each. Rows: e (v2 + w2 x r2 - v1 - w1 x r1)
// for ways along e, e (w2 - w1) for turns about e. Limits are two inequalities on what is free; for balls one on the
// angle between a1 and a2. A motor drives what is free at a speed with at most a given force: bounds on its multiplier,
// force x h.
#include "constraint/lagrangian/classes.h"
#include "constraint/lagrangian/model.h"

#include "math/vec.h"
#include "mechanics/pairs.h"

#include <math.h>

typedef enum JointType { HINGE, BALL, SLIDER, FIXED } JointType;
static const char *const joint_types[] = {"hinge", "ball", "slider", "fixed"};

#define JOINT_FIELDS(X)                                                                                           \
  DV_TWO_STATES_FIELDS(X)                                                                                         \
  X(choice, joint, "hinge", "", "what the joints leave free", .options = "hinge|ball|slider|fixed")               \
  X(ints, first_point, "0", "", "frames of the first object")                                                     \
  X(ints, second_point, "0", "", "frames of the second object, one for each of the first")                        \
  X(vec3s, anchor, "", "m", "where each joint is at the start, in the world; at the second frame when not given") \
  X(vec3s, axis, "0 0 1", "", "axis of each joint at the start, in the world, or one for all")                    \
  X(vec2s, limits, "", "",                                                                                        \
    "smallest and largest angle (hinge, rad) or way (slider, m), for each joint or one for "                      \
    "all; balls: 0 and the largest angle between the axes")                                                       \
  X(real, motorSpeed, "0", "rad/s", "speed that the motor drives at (slider: m/s)")                               \
  X(real, motorForce, "0", "N m", "most that the motor can do (slider: N); 0 for no motor", .least = "0")         \
  X(bool, iterative, "0", "",                                                                                     \
    "each joint is a constraint of its own, for thousands of them; else all are solved together, by a factor of " \
    "their compliance")                                                                                           \
  X(bool, activate, "1", "", "hold the frames together")                                                          \
  X(reals, value, "", "", "angle (hinge, ball) or way (slider) of each joint after the last step",                \
    .flags = DV_READ_ONLY)

// a joint as both frames carry it, and as it stands now
typedef struct Joint {
  dvVec3 anchor[2], axis[2], side[2];   // in the frames; the side is across the axis, for angles
  dvQuat turn;                          // of the second in the first, at the start
  dvVec3 way, arm[2], a[2], t, u;       // in the world: D, r1, r2, a1, a2, across a1
  dvVec3 rotation;                      // turn of the second away from where the first has it
  double free, begin;                   // what is free, and what it was when the step began
} Joint;

typedef struct Joints {
  dvConstraintModel model;
  JOINT_FIELDS(DV_MEMBER)
  DV_ARRAY(Joint) joints;
  dvPairs followed;   // joints leave with either of their frames
} Joints;

#define SELF Joints
static const dvFieldDesc joint_fields[] = {JOINT_FIELDS(DV_DESCRIBE)};
#undef SELF

// --- set-up ------------------------------------------------------------------------------------------

static dvVec3 any_normal(dvVec3 a)
{
  dvVec3 e = fabs(a.x) < 0.6 ? dv_vec3(1, 0, 0) : dv_vec3(0, 1, 0);
  return dv_vec3_normalise(dv_vec3_cross(a, e));
}

static const double *frame(const Joints *j, int side, int vector, size_t i)
{
  const dvState *s = side ? j->model.second : j->model.first;
  return dv_state_read(s, vector) + 7 * (size_t)(side ? j->second_point : j->first_point).data[i];
}

static dvQuat turn_of(const double *x) { return dv_quat_normalise(dv_quat_load(x + 3)); }

static void make_joint(const Joints *j, size_t i, Joint *out)
{
  const double *x[2] = {frame(j, 0, DV_X, i), frame(j, 1, DV_X, i)};
  dvVec3 anchor = dv_vec3_load(j->anchor.count ? j->anchor.data + 3 * i : x[1]);
  dvVec3 axis = dv_vec3_normalise(dv_vec3_load(j->axis.data + (j->axis.count > 3 ? 3 * i : 0)));
  for (int k = 0; k < 2; k++) {
    dvQuat q = turn_of(x[k]);
    out->anchor[k] = dv_quat_inverse_rotate(q, dv_vec3_sub(anchor, dv_vec3_load(x[k])));
    out->axis[k] = dv_quat_inverse_rotate(q, axis);
    out->side[k] = dv_quat_inverse_rotate(q, any_normal(axis));
  }
  out->turn = dv_quat_mul(dv_quat_conjugate(turn_of(x[0])), turn_of(x[1]));
}

static dvStatus check_lists(Joints *j)
{
  dvObject *o = &j->model.base;
  size_t n = j->first_point.count;
  DV_TRY(dv_check_indices(o, &j->first_point, j->model.first->count, "frames in the first object"));
  DV_TRY(dv_check_indices(o, &j->second_point, j->model.second->count, "frames in the second object"));
  if (j->second_point.count != n)
    return dv_field_error(o, &j->second_point, "give as many as first_point has",
                          "%zu frames of the first object and %zu of the second make no pairs", n,
                          j->second_point.count);
  if (j->anchor.count && j->anchor.count != 3 * n)
    return dv_field_error(o, &j->anchor, NULL, "%zu anchors for %zu joints", j->anchor.count / 3, n);
  if (j->axis.count != 3 && j->axis.count != 3 * n)
    return dv_field_error(o, &j->axis, "give one, or one for each", "%zu axes for %zu joints", j->axis.count / 3, n);
  if (j->limits.count > 2 && j->limits.count != 2 * n)
    return dv_field_error(o, &j->limits, "give one, or one for each", "%zu limits for %zu joints", j->limits.count / 2,
                          n);
  for (size_t i = 0; i < j->axis.count; i += 3)
    if (!(dv_vec3_norm(dv_vec3_load(j->axis.data + i)) > 0))
      return dv_field_error(o, &j->axis, "for example 0 0 1", "an axis has no direction");
  for (size_t i = 0; i + 1 < j->limits.count; i += 2)
    if (!(j->limits.data[i] <= j->limits.data[i + 1]))
      return dv_field_error(o, &j->limits, "the smaller one first", "there is nothing between the limits %g and %g",
                            j->limits.data[i], j->limits.data[i + 1]);
  for (size_t i = 0; i < n; i++)
    if (j->model.first == j->model.second && j->first_point.data[i] == j->second_point.data[i])
      return dv_field_error(o, &j->second_point, NULL, "frame %d cannot be joined to itself", j->first_point.data[i]);
  if ((j->limits.count && j->joint == FIXED) || (j->motorForce > 0 && j->joint != HINGE && j->joint != SLIDER))
    dv_warning(o, NULL, "a %s joint has no %s: ignored", joint_types[j->joint], j->motorForce > 0 ? "motor" : "limits");
  return DV_OK;
}

static dvStatus joint_init(dvObject *o)
{
  Joints *j = (Joints *)o;
  return dv_constraint_model_find_two(o, &j->object1, &j->object2);
}

static void joint_follow(Joints *j)
{
  dv_pairs_follow(&j->followed, &j->model.base, j->model.first, j->model.second, &j->first_point, &j->second_point);
  dvElementList *list = dv_pairs_list(&j->followed);
  if (j->anchor.count) dv_element_list_add_reals(list, &j->anchor, false);
  dv_element_list_add_reals(list, &j->axis, true);
  dv_element_list_add_reals(list, &j->limits, true);
  dv_element_list_add_reals(list, &j->value, false);
  dv_element_list_add_array(list, &j->joints);
}

static dvStatus joint_bwd_init(dvObject *o)
{
  Joints *j = (Joints *)o;
  DV_TRY(check_lists(j));
  dv_array_resize(&j->joints, j->first_point.count);
  for (size_t i = 0; i < j->joints.count; i++) {
    j->joints.data[i] = (Joint){0};
    make_joint(j, i, &j->joints.data[i]);
  }
  if (!dv_reals_resize(&j->value, j->joints.count)) return dv_error(o, NULL, "out of memory");
  for (size_t i = 0; i < j->value.count; i++) j->value.data[i] = 0;
  if (!j->followed.ends[0]) joint_follow(j);
  return DV_OK;
}

// --- as it stands ------------------------------------------------------------------------------------

static double free_of(const Joints *j, const Joint *t, dvQuat q1, dvQuat q2)
{
  if (j->joint == SLIDER) return dv_vec3_dot(t->a[0], t->way);
  if (j->joint == BALL) return atan2(dv_vec3_norm(dv_vec3_cross(t->a[0], t->a[1])), dv_vec3_dot(t->a[0], t->a[1]));
  dvVec3 b1 = dv_quat_rotate(q1, t->side[0]), b2 = dv_quat_rotate(q2, t->side[1]);
  return atan2(dv_vec3_dot(dv_vec3_cross(b1, b2), t->a[0]), dv_vec3_dot(b1, b2));
}

static void look(const Joints *j, size_t i, int vector, Joint *t)
{
  const double *x1 = frame(j, 0, vector, i), *x2 = frame(j, 1, vector, i);
  dvQuat q1 = turn_of(x1), q2 = turn_of(x2);
  dvVec3 p1 = dv_vec3_add(dv_vec3_load(x1), dv_quat_rotate(q1, t->anchor[0]));
  t->arm[1] = dv_quat_rotate(q2, t->anchor[1]);
  dvVec3 p2 = dv_vec3_add(dv_vec3_load(x2), t->arm[1]);
  t->way = dv_vec3_sub(p2, p1);
  t->arm[0] = dv_vec3_sub(p2, dv_vec3_load(x1));
  t->a[0] = dv_quat_rotate(q1, t->axis[0]);
  t->a[1] = dv_quat_rotate(q2, t->axis[1]);
  t->t = dv_quat_rotate(q1, t->side[0]);
  t->u = dv_vec3_cross(t->a[0], t->t);
  dvQuat wanted = dv_quat_mul(q1, t->turn);
  t->rotation = dv_quat_to_rotation_vector(dv_quat_mul(q2, dv_quat_conjugate(wanted)));
  t->free = free_of(j, t, q1, q2);
}

static void joint_begin(dvObject *o, const dvConstraintStep *step)
{
  Joints *j = (Joints *)o;
  for (size_t i = 0; i < j->joints.count; i++) {
    Joint *t = &j->joints.data[i];
    if (!step->again) {
      look(j, i, DV_X, t);
      t->begin = t->free;
    }
    look(j, i, dv_constraint_positions(step), t);
  }
}

static bool is_limited(const Joints *j) { return j->limits.count >= 2 && j->joint != FIXED; }
static bool has_motor(const Joints *j) { return j->motorForce > 0 && (j->joint == HINGE || j->joint == SLIDER); }
static int held_rows(const Joints *j) { return j->joint == BALL ? 3 : j->joint == FIXED ? 6 : 5; }
static int limit_rows(const Joints *j) { return !is_limited(j) ? 0 : j->joint == BALL ? 1 : 2; }
static size_t count_of(const Joints *j)
{
  return j->activate && !dv_constraint_model_is_over(&j->model.base) ? j->joints.count : 0;
}

// the held rows of all joints first, behind them limits and motors joint by joint
static size_t joint_laws(dvObject *o, const dvConstraintStep *step, dvLaw *out)
{
  const Joints *j = (const Joints *)o;
  size_t joints = count_of(j), count = 0, held = j->iterative ? joints : joints > 0;
  double most = j->motorForce * step->dt;
  for (; count < held; count++)
    if (out)
      out[count] = (dvLaw){
          .kind = DV_LAW_EQUAL, .rows = held_rows(j) * (j->iterative ? 1 : (int)joints), .id = 4 * (uint64_t)count};
  for (size_t i = 0; i < joints; i++) {
    for (int k = 0; k < limit_rows(j); k++, count++)
      if (out) out[count] = (dvLaw){.kind = DV_LAW_UNEQUAL, .rows = 1, .id = 4 * i + 1 + (uint64_t)k};
    if (!has_motor(j)) continue;
    if (out) out[count] = (dvLaw){.kind = DV_LAW_BOUNDED, .rows = 1, .id = 4 * i + 3, .low = -most, .high = most};
    count++;
  }
  return count;
}

// the k-th row of a joint among those of the component
static size_t row_of(const Joints *j, size_t i, int k, int rows)
{
  int held = held_rows(j);
  return k < held ? i * (size_t)held + (size_t)k
                  : count_of(j) * (size_t)held + i * (size_t)(rows - held) + (size_t)(k - held);
}

// --- rows --------------------------------------------------------------------------------------------

// One row: a way along e or a turn about it, and by how much it is violated.
typedef struct JointRow {
  dvVec3 e;
  bool turns;
  double d;
} JointRow;

static int ways(const Joint *t, bool slides, JointRow *out)
{
  const dvVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int k = 0; k < (slides ? 2 : 3); k++) {
    dvVec3 e = !slides ? axes[k] : k ? t->u : t->t;
    out[k] = (JointRow){e, false, dv_vec3_dot(e, t->way)};
  }
  return slides ? 2 : 3;
}

static int turns(const Joints *j, const Joint *t, JointRow *out)
{
  if (j->joint == BALL) return 0;
  const dvVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  dvVec3 off = j->joint == HINGE ? dv_vec3_cross(t->a[0], t->a[1]) : t->rotation;
  int n = j->joint == HINGE ? 2 : 3;
  for (int k = 0; k < n; k++) {
    dvVec3 e = j->joint != HINGE ? axes[k] : k ? t->u : t->t;
    out[k] = (JointRow){e, true, dv_vec3_dot(e, off)};
  }
  return n;
}

// what is free grows along this row
static JointRow free_row(const Joints *j, const Joint *t)
{
  dvVec3 e = t->a[0];
  if (j->joint == BALL) {
    e = dv_vec3_cross(t->a[0], t->a[1]);
    e = dv_vec3_norm(e) > 1e-12 ? dv_vec3_normalise(e) : t->t;
  }
  return (JointRow){e, j->joint != SLIDER, t->free};
}

static int rows_at(const Joints *j, size_t i, JointRow *out)
{
  const Joint *t = &j->joints.data[i];
  int n = ways(t, j->joint == SLIDER, out);
  n += turns(j, t, out + n);
  if (is_limited(j)) {
    const double *limit = j->limits.data + (j->limits.count > 2 ? 2 * i : 0);
    JointRow row = free_row(j, t);
    if (j->joint != BALL) out[n++] = (JointRow){row.e, row.turns, row.d - limit[0]};
    out[n++] = (JointRow){dv_vec3_scale(row.e, -1), row.turns, limit[1] - row.d};
  }
  if (has_motor(j)) out[n++] = free_row(j, t);
  return n;
}

static void joint_rows(dvObject *o, const dvConstraintStep *step, dvRowSet *set, int32_t first)
{
  DV_UNUSED(step);
  Joints *j = (Joints *)o;
  j->model.constraintIndex = first;
  for (size_t i = 0; i < count_of(j); i++) {
    const Joint *t = &j->joints.data[i];
    JointRow rows[9];
    int n = rows_at(j, i, rows);
    for (int k = 0; k < n; k++)
      for (int side = 0; side < 2; side++) {
        double h[6] = {0};
        if (!rows[k].turns) dv_vec3_store(h, rows[k].e);
        dv_vec3_store(h + 3, rows[k].turns ? rows[k].e : dv_vec3_cross(t->arm[side], rows[k].e));
        dv_rows_add(set, side ? j->model.second : j->model.first, first + (int32_t)row_of(j, i, k, n),
                    (size_t)(side ? j->second_point : j->first_point).data[i], h, side ? 1 : -1);
      }
  }
}

// rate of a row with the velocities of the step
static double rate(const Joints *j, size_t i, const JointRow *row, int v)
{
  double sum = 0;
  for (int side = 0; side < 2; side++) {
    const dvState *s = side ? j->model.second : j->model.first;
    const double *u = dv_state_read(s, v) + 6 * (size_t)(side ? j->second_point : j->first_point).data[i];
    dvVec3 w = dv_vec3_load(u + 3), arm = j->joints.data[i].arm[side];
    dvVec3 speed = row->turns ? w : dv_vec3_add(dv_vec3_load(u), dv_vec3_cross(w, arm));
    sum += (side ? 1 : -1) * dv_vec3_dot(row->e, speed);
  }
  return sum;
}

static void joint_violation(dvObject *o, const dvConstraintStep *step, double *out)
{
  const Joints *j = (const Joints *)o;
  for (size_t i = 0; i < count_of(j); i++) {
    const Joint *t = &j->joints.data[i];
    JointRow rows[9];
    int n = rows_at(j, i, rows);
    for (int k = 0; k < n; k++) {
      double *d = out + row_of(j, i, k, n);
      *d = step->velocities ? rows[k].d / step->dt + rate(j, i, &rows[k], step->v) : rows[k].d;
    }
    if (!has_motor(j)) continue;
    double moved = t->free - t->begin;
    if (j->joint == HINGE) moved = remainder(moved, 2 * M_PI);
    out[row_of(j, i, n - 1, n)] =
        step->velocities ? rate(j, i, &rows[n - 1], step->v) - j->motorSpeed : moved - j->motorSpeed * step->dt;
  }
}

static void joint_store(dvObject *o, const dvConstraintStep *step, const double *lambda)
{
  DV_UNUSED(step);
  DV_UNUSED(lambda);
  Joints *j = (Joints *)o;
  for (size_t i = 0; i < j->joints.count; i++) {
    look(j, i, DV_X, &j->joints.data[i]);
    j->value.data[i] = j->joints.data[i].free;
  }
  dv_touch(o, &j->value);
}

static void joint_destroy(dvObject *o)
{
  Joints *j = (Joints *)o;
  dv_pairs_free(&j->followed);
  dv_array_free(&j->joints);
}

static const dvConstraintOps joint_ops = {
    .begin = joint_begin, .laws = joint_laws, .rows = joint_rows, .violation = joint_violation, .store = joint_store};

const dvClass dv_joint_class = {
    .struct_size = sizeof(dvClass),
    .name = "JointLagrangianConstraint",
    .help = "joins frames by hinges, balls, sliders or rigidly, with limits and motors",
    .module = "Divan",
    .dofs = DV_DOF_RIGID3,
    .size = sizeof(Joints),
    .blocks = {&dv_object_block, &dv_constraint_model_block, DV_BLOCK(joint_fields)},
    .ops = {[DV_ROLE_CONSTRAINT] = &joint_ops},
    .init = joint_init,
    .bwd_init = joint_bwd_init,
    .destroy = joint_destroy,
};
