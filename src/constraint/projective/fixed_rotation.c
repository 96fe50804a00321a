// FixedRotationProjectiveConstraint: frames that do not turn about some axes.
//
// A rotation q is split into a twist t about an axis and a swing, q = s t. For each axis that is held the twist of the
// present orientation is taken out and that of the orientation at the start is put back. Only positions are
// projected: forces and velocities stay as they are.
#include "constraint/projective/classes.h"
#include "constraint/projective/selected.h"

#include "math/vec.h"

#define FIXED_ROTATION_FIELDS(X)                          \
  X(bool, FixedXRotation, "0", "", "do not turn about x") \
  X(bool, FixedYRotation, "0", "", "do not turn about y") \
  X(bool, FixedZRotation, "0", "", "do not turn about z")

typedef struct FixedRotation {
  dvProjective base;
  FIXED_ROTATION_FIELDS(DV_MEMBER)
  dvReals first;   // orientations at the start
} FixedRotation;

#define SELF FixedRotation
static const dvFieldDesc fixed_rotation_fields[] = {FIXED_ROTATION_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc fixed_rotation_memory[] = {DV_REMEMBER(reals, first)};
#undef SELF

static void fixed_rotation_destroy(dvObject *o) { dv_reals_free(&((FixedRotation *)o)->first); }

// the part of q that turns about axis 0, 1 or 2; *swing gets the rest
static dvQuat take_twist(dvQuat q, int axis, dvQuat *swing)
{
  dvQuat twist = {axis == 0 ? q.x : 0, axis == 1 ? q.y : 0, axis == 2 ? q.z : 0, q.w};
  twist = dv_quat_normalise(twist);   // a half turn about another axis has none: the identity
  *swing = dv_quat_normalise(dv_quat_mul(q, dv_quat_inverse(twist)));
  return twist;
}

static void fixed_rotation_project_position(dvObject *o, int id, double time)
{
  DV_UNUSED(time);
  FixedRotation *f = (FixedRotation *)o;
  if (!dv_projective_active(o)) return;
  bool held[3] = {f->FixedXRotation, f->FixedYRotation, f->FixedZRotation};
  if (!held[0] && !held[1] && !held[2]) return;
  dvState *s = f->base.state;
  double *x = dv_state_write(s, id);
  for (size_t i = 0; i < s->count && i < dv_reals_size(&f->first); i++) {
    dvQuat now = dv_quat_load(x + 7 * i + 3), before = dv_quat_load(f->first.data + 4 * i), keep = dv_quat_identity();
    for (int axis = 0; axis < 3; axis++) {
      if (!held[axis]) continue;
      take_twist(now, axis, &now);
      keep = dv_quat_mul(take_twist(before, axis, &before), keep);
    }
    dv_quat_store(x + 7 * i + 3, dv_quat_mul(now, keep));
  }
}

static void fixed_rotation_project_response(dvObject *o, int id)
{
  DV_UNUSED(o);
  DV_UNUSED(id);
}

// a new frame has its own first orientation
static void frame_created(void *user, const dvNewElement *e)
{
  FixedRotation *f = user;
  const double *x = dv_state_read(f->base.state, DV_X);
  if (e->row < dv_reals_size(&f->first))
    dv_quat_store(dv_reals_edit(&f->first) + 4 * e->row, dv_quat_load(x + 7 * e->row + 3));
}

static dvStatus fixed_rotation_init(dvObject *o)
{
  FixedRotation *f = (FixedRotation *)o;
  DV_TRY(dv_projective_init(o));
  dvState *s = f->base.state;
  const double *x = dv_state_read(s, DV_X);
  f->first.width = 4;
  if (!dv_reals_resize(&f->first, 4 * s->count)) return dv_error(o, NULL, "out of memory for %zu frames", s->count);
  for (size_t i = 0; i < s->count; i++) dv_quat_store(f->first.data + 4 * i, dv_quat_load(x + 7 * i + 3));
  dvElementData *d = dv_follow_rows(o, s);
  if (d) d->create = frame_created;
  return dv_element_data_add_reals(d, &f->first, false);
}

static const dvProjectiveOps fixed_rotation_ops = {
    .project_response = fixed_rotation_project_response,
    .project_velocity = dv_project_nothing,
    .project_position = fixed_rotation_project_position,
};

const dvClass dv_fixed_rotation_class = {
    .struct_size = sizeof(dvClass),
    .name = "FixedRotationProjectiveConstraint",
    .help = "keeps frames from turning about some axes",
    .module = DV_PROJECTIVE_MODULE,
    .dofs = DV_DOF_RIGID3,
    .size = sizeof(FixedRotation),
    .blocks = {&dv_object_block, &dv_projective_block, DV_BLOCK(fixed_rotation_fields)},
    .ops = {[DV_ROLE_PROJECTIVE] = &fixed_rotation_ops},
    .init = fixed_rotation_init,
    .destroy = fixed_rotation_destroy,
    DV_MEMORY(fixed_rotation_memory),
};
