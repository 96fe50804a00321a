// MouseSpring: pulls one degree of freedom towards a point, as a hand would.
//
//   p = x_i                    f = k (target - p)
//   p = x_i + R_i arm          and the torque (R_i arm) x f for frames
//
// The derivative leaves out how the arm turns: K = -k J^T J with J = (1, -[R arm]x), symmetric and never indefinite.
#include "control/register.h"

#include "math/vec.h"
#include "mechanics/component.h"

#define MOUSE_SPRING_FIELDS(X)                                                           \
  X(int, index, "0", "", "degree of freedom that is pulled")                             \
  X(vec3, arm, "0 0 0", "m", "where the spring holds a frame, in the axes of the frame") \
  X(vec3, target, "0 0 0", "m", "the other end of the spring")                           \
  X(real, stiffness, "1000", "N/m", "stiffness of the spring")                           \
  X(bool, active, "0", "", "pull")

typedef struct MouseSpring {
  dvForce force;
  MOUSE_SPRING_FIELDS(DV_MEMBER)
  dvVec3 lever;   // R arm of the last add_force
} MouseSpring;

#define SELF MouseSpring
static const dvFieldDesc mouse_spring_fields[] = {MOUSE_SPRING_FIELDS(DV_DESCRIBE)};
#undef SELF

static bool is_frame(const MouseSpring *s) { return s->force.state->base.dof->kind == DV_RIGID3; }
static bool pulls(const MouseSpring *s)
{
  return s->active && s->index >= 0 && (size_t)s->index < s->force.state->count;
}

static dvStatus mouse_spring_check(dvObject *o)
{
  MouseSpring *s = (MouseSpring *)o;
  if (!(s->stiffness >= 0))
    return dv_field_error(o, &s->stiffness, "take 0 or more", "a stiffness of %g pushes its point away", s->stiffness);
  if (s->index >= 0 && (size_t)s->index < s->force.state->count) return DV_OK;
  return dv_field_error(o, &s->index, NULL, "there is no point %d: the state has %zu", s->index, s->force.state->count);
}

static dvStatus mouse_spring_init(dvObject *o)
{
  DV_TRY(dv_force_init(o));
  return mouse_spring_check(o);
}

static dvVec3 held_point(MouseSpring *s, int x_id, dvVec3 *lever)
{
  const double *x = dv_state_read(s->force.state, x_id) + (size_t)s->index * (size_t)s->force.state->base.dof->coord;
  *lever = is_frame(s) ? dv_quat_rotate(dv_quat_load(x + 3), dv_vec3_load(s->arm)) : dv_vec3(0, 0, 0);
  return dv_vec3_add(dv_vec3_load(x), *lever);
}

static void mouse_spring_add_force(dvObject *o, const dvMech *m)
{
  MouseSpring *s = (MouseSpring *)o;
  if (!pulls(s)) return;
  dvVec3 f = dv_vec3_scale(dv_vec3_sub(dv_vec3_load(s->target), held_point(s, m->x, &s->lever)), s->stiffness);
  double *out = dv_state_write(s->force.state, m->f) + (size_t)s->index * (size_t)s->force.state->base.dof->deriv;
  dv_vec3_accumulate(out, f);
  if (is_frame(s)) dv_vec3_accumulate(out + 3, dv_vec3_cross(s->lever, f));
}

static void mouse_spring_add_dforce(dvObject *o, const dvMech *m)
{
  MouseSpring *s = (MouseSpring *)o;
  if (!pulls(s)) return;
  double k = s->stiffness * dv_mech_k(m, s->force.rayleighStiffness);
  size_t at = (size_t)s->index * (size_t)s->force.state->base.dof->deriv;
  const double *dx = dv_state_read(s->force.state, m->dx) + at;
  double *df = dv_state_write(s->force.state, m->df) + at;
  dvVec3 dp = dv_vec3_load(dx);
  if (is_frame(s)) dp = dv_vec3_add(dp, dv_vec3_cross(dv_vec3_load(dx + 3), s->lever));
  dvVec3 f = dv_vec3_scale(dp, -k);
  dv_vec3_accumulate(df, f);
  if (is_frame(s)) dv_vec3_accumulate(df + 3, dv_vec3_cross(s->lever, f));
}

static void mouse_spring_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  MouseSpring *s = (MouseSpring *)o;
  if (!pulls(s)) return;
  double k = s->stiffness * dv_mech_k(m, s->force.rayleighStiffness), block[36] = {0};
  int n = is_frame(s) ? 6 : 3;
  dvMat3 arm = dv_mat3_skew(s->lever), square = dv_mat3_mul(arm, arm);
  for (int i = 0; i < 3; i++) {
    block[i * n + i] = -k;
    for (int j = 0; j < 3 && n == 6; j++) {
      block[i * n + 3 + j] = k * arm.m[i][j];
      block[(3 + i) * n + j] = -k * arm.m[i][j];
      block[(3 + i) * n + 3 + j] = k * square.m[i][j];
    }
  }
  sink->add(sink, s->force.state, (size_t)s->index, s->force.state, (size_t)s->index, n, n, block);
}

static double mouse_spring_energy(dvObject *o, const dvMech *m)
{
  MouseSpring *s = (MouseSpring *)o;
  dvVec3 lever;
  return pulls(s)
             ? 0.5 * s->stiffness * dv_vec3_norm2(dv_vec3_sub(dv_vec3_load(s->target), held_point(s, m->x, &lever)))
             : 0;
}

static const dvForceOps mouse_spring_ops = {
    .add_force = mouse_spring_add_force,
    .add_dforce = mouse_spring_add_dforce,
    .add_stiffness = mouse_spring_add_stiffness,
    .energy = mouse_spring_energy,
    DV_FORCE_SLOTS,
};

const dvClass dv_mouse_spring_class = {
    .struct_size = sizeof(dvClass),
    .name = "MouseSpring",
    .help = "pulls one degree of freedom towards a point, as the mouse does in the viewer",
    .module = "Sofa.GUI.Component",
    .dofs = DV_DOF_VEC3 | DV_DOF_RIGID3,
    .size = sizeof(MouseSpring),
    .blocks = {&dv_object_block, &dv_force_block, DV_BLOCK(mouse_spring_fields)},
    .ops = {[DV_ROLE_FORCE] = &mouse_spring_ops},
    .init = mouse_spring_init,
    .reinit = mouse_spring_check,
};
