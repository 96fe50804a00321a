// AngularSpringForceField: torques that turn frames back to the orientation of the frame before them, torque = -k r
// with the rotation vector r of q_i q_(i-1)^-1; the frame before feels the opposite. With compat sofa it feels nothing,
// and products use -k on every named frame, the first included.
#include "mechanics/component.h"

#include "math/vec.h"
#include "object/compat.h"

#define ANGULAR_SPRING_FIELDS(X)                                                                                       \
  X(indices, indices, "", "",                                                                                          \
    "frames; each but the first of the list is turned towards the frame with the number before its own")               \
  X(reals, angularStiffness, "", "N m", "stiffness: one for all or one for each entry of indices; 100 when not given", \
    .least = "0")                                                                                                      \
  X(reals, limit, "", "rad", "angles between which the springs act; not used", .flags = DV_HIDDEN)                     \
  X(bool, drawSpring, "0", "", "draw the springs", .flags = DV_LOOKS)                                                  \
  X(color, springColor, "0 1 0 1", "", "colour of the springs", .flags = DV_LOOKS)

typedef struct AngularSpring {
  dvForce force;
  ANGULAR_SPRING_FIELDS(DV_MEMBER)
  bool one_sided;   // the frame before feels nothing
} AngularSpring;

#define SELF AngularSpring
static const dvFieldDesc angular_spring_fields[] = {ANGULAR_SPRING_FIELDS(DV_DESCRIBE)};
#undef SELF

extern const dvClass dv_angular_spring_class;

static double stiffness_of(const AngularSpring *a, size_t i)
{
  const dvReals *k = &a->angularStiffness;
  return k->count == 0 ? 100 : k->data[i < k->count ? i : 0];
}

static dvStatus angular_spring_reinit(dvObject *o)
{
  AngularSpring *a = (AngularSpring *)o;
  DV_TRY(dv_check_indices(o, &a->indices, a->force.state->count, "frames"));
  for (size_t i = 1; i < a->indices.count; i++)
    if (a->indices.data[i] == 0)
      return dv_field_error(o, &a->indices, "put frame 0 first", "frame 0 has no frame before it");
  return DV_OK;
}

static dvStatus angular_spring_init(dvObject *o)
{
  AngularSpring *a = (AngularSpring *)o;
  DV_TRY(dv_force_init(o));
  if (dv_was_set(o, &a->limit))
    dv_field_warning(o, &a->limit, NULL, "limit is not used: the springs act at every angle, as in SOFA");
  if (a->indices.count < 2) dv_warning(o, "give indices of at least two frames", "there are no springs");
  else a->one_sided = dv_compat(o, DV_COMPAT_ANGULAR_REACTION);
  return a->force.state->base.initialised ? angular_spring_reinit(o) : DV_OK;
}

static bool is_there(const AngularSpring *a, size_t i)
{
  return (size_t)a->indices.data[i] < a->force.state->count && a->indices.data[i] >= 0;
}

static void angular_spring_add_force(dvObject *o, const dvMech *m)
{
  AngularSpring *a = (AngularSpring *)o;
  const double *x = dv_state_read(a->force.state, m->x);
  double *f = dv_state_write(a->force.state, m->f);
  for (size_t i = 1; i < a->indices.count; i++) {
    size_t p = (size_t)a->indices.data[i];
    if (!is_there(a, i) || p == 0) continue;
    dvQuat turn = dv_quat_mul(dv_quat_load(x + 7 * p + 3), dv_quat_inverse(dv_quat_load(x + 7 * (p - 1) + 3)));
    dvVec3 torque = dv_vec3_scale(dv_quat_to_rotation_vector(turn), -stiffness_of(a, i));
    dv_vec3_accumulate(f + 6 * p + 3, torque);
    if (!a->one_sided) dv_vec3_accumulate(f + 6 * p - 3, dv_vec3_neg(torque));
  }
}

// springs of which products know: number i of the list, between the frame and the one before it
static bool is_spring(const AngularSpring *a, size_t i)
{
  return is_there(a, i) && (a->one_sided || (i > 0 && a->indices.data[i] > 0));
}

static void angular_spring_add_dforce(dvObject *o, const dvMech *m)
{
  AngularSpring *a = (AngularSpring *)o;
  double factor = dv_mech_k(m, a->force.rayleighStiffness);
  const double *dx = dv_state_read(a->force.state, m->dx);
  double *df = dv_state_write(a->force.state, m->df);
  for (size_t i = 0; i < a->indices.count; i++) {
    size_t at = 6 * (size_t)a->indices.data[i] + 3;
    if (!is_spring(a, i)) continue;
    dvVec3 turn = dv_vec3_load(dx + at);
    if (!a->one_sided) turn = dv_vec3_sub(turn, dv_vec3_load(dx + at - 6));
    dvVec3 torque = dv_vec3_scale(turn, -factor * stiffness_of(a, i));
    dv_vec3_accumulate(df + at, torque);
    if (!a->one_sided) dv_vec3_accumulate(df + at - 6, dv_vec3_neg(torque));
  }
}

static void angular_spring_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  AngularSpring *a = (AngularSpring *)o;
  double factor = dv_mech_k(m, a->force.rayleighStiffness);
  const dvState *s = a->force.state;
  for (size_t i = 0; i < a->indices.count; i++) {
    if (!is_spring(a, i)) continue;
    double block[36] = {0}, across[36] = {0};
    size_t at = (size_t)a->indices.data[i];
    for (int k = 3; k < 6; k++) across[7 * k] = -(block[7 * k] = -factor * stiffness_of(a, i));
    sink->add(sink, s, at, s, at, 6, 6, block);
    if (a->one_sided) continue;
    sink->add(sink, s, at - 1, s, at - 1, 6, 6, block);
    sink->add(sink, s, at, s, at - 1, 6, 6, across);
    sink->add(sink, s, at - 1, s, at, 6, 6, across);
  }
}

static const dvForceOps angular_spring_ops = {
    .add_force = angular_spring_add_force,
    .add_dforce = angular_spring_add_dforce,
    .add_stiffness = angular_spring_add_stiffness,
    DV_FORCE_SLOTS,
};

const dvClass dv_angular_spring_class = {
    .struct_size = sizeof(dvClass),
    .name = "AngularSpringForceField",
    .help = "torques that turn frames back to the one before them",
    .module = "Sofa.Component.SolidMechanics.Spring",
    .dofs = DV_DOF_RIGID3,
    .size = sizeof(AngularSpring),
    .blocks = {&dv_object_block, &dv_force_block, DV_BLOCK(angular_spring_fields)},
    .ops = {[DV_ROLE_FORCE] = &angular_spring_ops},
    .init = angular_spring_init,
    .reinit = angular_spring_reinit,
};
