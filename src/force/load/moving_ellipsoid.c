// InteractionEllipsoidForceField: ellipsoids that are carried by a frame of the second state push the points of the
// first. The frame feels the sum of the forces and their torque, when asked; no torque with compat sofa, or where the
// ellipsoids move with its inverse. A point is pushed by the ellipsoid it lies deepest in. See ellipsoid.h for the
// push. Products turn its matrix k with the frame: with J = (1, -[r]x) for a point at r from it, df = k (dx - J dX),
// and the frame gets -J^T df.
#include "force/load/ellipsoid.h"
#include "mechanics/component.h"

#include "math/vec.h"
#include "object/compat.h"

#define MOVING_ELLIPSOID_FIELDS(X)                                                                        \
  X(vec3s, center, "", "m",                                                                               \
    "centres of the ellipsoids, in the axes of the frame; the last holds for those that have none")       \
  X(vec3s, vradius, "", "m", "radii of the ellipsoids; the last holds for those that have none")          \
  X(real, stiffness, "500", "N", "stiffness; positive pushes out, negative keeps in", .flags = DV_SIGNED) \
  X(real, damping, "5", "N s/m", "damping per depth, in units of the radii")                              \
  X(color, color, "0 0.5 1 1", "", "colour of the ellipsoids", .flags = DV_LOOKS)                         \
  X(bool, draw, "1", "", "draw the ellipsoids", .flags = DV_LOOKS)                                        \
  X(int, object2_dof_index, "0", "", "frame that carries the ellipsoids")                                 \
  X(bool, object2_forces, "1", "", "push the frame back")                                                 \
  X(bool, object2_invert, "0", "", "take the inverse of the frame")                                       \
  X(string, contacts, "", "", "points that are pushed, kept by the component", .flags = DV_HIDDEN | DV_READ_ONLY)

typedef struct MovingEllipsoid {
  dvPairForce pair;
  MOVING_ELLIPSOID_FIELDS(DV_MEMBER)
  DV_ARRAY(double) shapes;    // centre and 1 / r^2 of each ellipsoid: six numbers
  DV_ARRAY(size_t) touched;   // in the last add_force
  DV_ARRAY(dvMat3) k;         // df/dx there, in the world
  DV_ARRAY(dvVec3) arm;       // from the frame to them; zero where it feels no torque
  bool turns;                 // the frame feels a torque
} MovingEllipsoid;

#define SELF MovingEllipsoid
static const dvFieldDesc moving_ellipsoid_fields[] = {MOVING_ELLIPSOID_FIELDS(DV_DESCRIBE)};
#undef SELF

extern const dvClass dv_moving_ellipsoid_class;

static double pick(const dvReals *list, size_t i, int k, double otherwise)
{
  size_t n = dv_reals_size(list);
  return n == 0 ? otherwise : list->data[3 * (i < n ? i : n - 1) + (size_t)k];
}

static dvStatus moving_ellipsoid_reinit(dvObject *o)
{
  MovingEllipsoid *m = (MovingEllipsoid *)o;
  size_t n = dv_max_size(dv_reals_size(&m->center), dv_reals_size(&m->vradius));
  m->shapes.count = 0;
  for (size_t i = 0; i < n; i++) {
    for (int k = 0; k < 3; k++) dv_push(&m->shapes, pick(&m->center, i, k, 0));
    for (int k = 0; k < 3; k++) {
      double r = pick(&m->vradius, i, k, 1);
      if (!(fabs(r) > 0))
        return dv_field_error(o, &m->vradius, "give a radius along each axis", "radius %d of ellipsoid %zu is %g", k, i,
                              r);
      dv_push(&m->shapes, 1 / (r * r));
    }
  }
  return DV_OK;
}

static dvStatus moving_ellipsoid_init(dvObject *o)
{
  MovingEllipsoid *m = (MovingEllipsoid *)o;
  DV_TRY(dv_pair_force_init(o));
  const dvState *points = m->pair.first, *frames = m->pair.second;
  if (points->base.dof->kind != DV_VEC3 || frames->base.dof->kind != DV_RIGID3)
    return dv_error(o, "name points in object1 and frames in object2", "%s is of type %s and %s of type %s",
                    points->base.name, points->base.dof->name, frames->base.name, frames->base.dof->name);
  if (m->object2_dof_index < 0)
    return dv_field_error(o, &m->object2_dof_index, NULL, "%d is not the number of a frame", m->object2_dof_index);
  if (m->center.count == 0 && m->vradius.count == 0)
    dv_warning(o, "give center and vradius", "there are no ellipsoids");
  m->turns = m->object2_forces && !m->object2_invert && !dv_compat(o, DV_COMPAT_ELLIPSOID_TORQUE);
  return moving_ellipsoid_reinit(o);
}

// false when there is no such frame
static bool find_frame(const MovingEllipsoid *m, int x, dvVec3 *place, dvQuat *turn)
{
  size_t i = (size_t)m->object2_dof_index;
  if (i >= m->pair.second->count) return false;
  const double *frame = dv_state_read(m->pair.second, x) + 7 * i;
  *place = dv_vec3_load(frame);
  *turn = dv_quat_load(frame + 3);
  if (m->object2_invert) {
    *turn = dv_quat_inverse(*turn);
    *place = dv_vec3_neg(dv_quat_rotate(*turn, *place));
  }
  return true;
}

// the ellipsoid that a point lies deepest in; the point seen from its centre
static const double *nearest(const MovingEllipsoid *m, dvVec3 p, double e[3])
{
  const double *best = NULL;
  double least = 0;
  for (size_t i = 0; i < m->shapes.count; i += 6) {
    const double *shape = m->shapes.data + i;
    double from[3] = {p.x - shape[0], p.y - shape[1], p.z - shape[2]}, norm2 = dv_ellipsoid_norm2(from, shape + 3, 3);
    if (best && norm2 >= least) continue;
    best = shape;
    least = norm2;
    for (int k = 0; k < 3; k++) e[k] = from[k];
  }
  return best;
}

static void moving_ellipsoid_add_force(dvObject *o, const dvMech *mech)
{
  MovingEllipsoid *m = (MovingEllipsoid *)o;
  const double *x = dv_state_read(m->pair.first, mech->x), *v = dv_state_read(m->pair.first, mech->v);
  double *f = dv_state_write(m->pair.first, mech->f);
  dvVec3 place, sum = {0}, torque = {0};
  dvQuat turn;
  m->touched.count = m->k.count = m->arm.count = 0;
  if (!find_frame(m, mech->x, &place, &turn)) return;
  dvMat3 axes = dv_quat_to_matrix(turn);
  for (size_t i = 0; i < m->pair.first->count; i++) {
    double e[3], push[3], k[9], depth;
    const double *shape = nearest(m, dv_quat_inverse_rotate(turn, dv_vec3_sub(dv_vec3_load(x + 3 * i), place)), e);
    if (!shape || !dv_ellipsoid_push(e, shape + 3, 3, m->stiffness, &depth, push, k)) continue;
    dvVec3 force =
        dv_vec3_add_scaled(dv_mat3_mul_vec(axes, dv_vec3_load(push)), dv_vec3_load(v + 3 * i), -m->damping * depth);
    dv_vec3_accumulate(f + 3 * i, force);
    dvVec3 arm = m->turns ? dv_vec3_sub(dv_vec3_load(x + 3 * i), place) : dv_vec3(0, 0, 0);
    sum = dv_vec3_add(sum, force);
    torque = dv_vec3_add(torque, dv_vec3_cross(arm, force));
    dv_push(&m->touched, i);
    dv_push(&m->k, dv_mat3_mul_t(dv_mat3_mul(axes, dv_mat3_load(k)), axes));
    dv_push(&m->arm, arm);
  }
  if (!m->object2_forces) return;
  double *frame = dv_state_write(m->pair.second, mech->f) + 6 * (size_t)m->object2_dof_index;
  dv_vec3_accumulate(frame, dv_vec3_neg(sum));
  dv_vec3_accumulate(frame + 3, dv_vec3_neg(torque));
}

static void moving_ellipsoid_add_dforce(dvObject *o, const dvMech *mech)
{
  MovingEllipsoid *m = (MovingEllipsoid *)o;
  size_t frame = 6 * (size_t)m->object2_dof_index;
  double factor = dv_mech_k(mech, m->pair.rayleighStiffness), *df = dv_state_write(m->pair.first, mech->df);
  const double *dx = dv_state_read(m->pair.first, mech->dx);
  dvVec3 moved = {0}, turned = {0}, sum = {0}, torque = {0};
  if (m->touched.count == 0) return;
  if (m->object2_forces) {
    moved = dv_vec3_load(dv_state_read(m->pair.second, mech->dx) + frame);
    turned = dv_vec3_load(dv_state_read(m->pair.second, mech->dx) + frame + 3);
  }
  for (size_t i = 0; i < m->touched.count; i++) {
    size_t at = 3 * m->touched.data[i];
    dvVec3 gap = dv_vec3_sub(dv_vec3_sub(dv_vec3_load(dx + at), moved), dv_vec3_cross(turned, m->arm.data[i]));
    dvVec3 d = dv_vec3_scale(dv_mat3_mul_vec(m->k.data[i], gap), factor);
    dv_vec3_accumulate(df + at, d);
    sum = dv_vec3_add(sum, d);
    torque = dv_vec3_add(torque, dv_vec3_cross(m->arm.data[i], d));
  }
  if (!m->object2_forces) return;
  dv_vec3_accumulate(dv_state_write(m->pair.second, mech->df) + frame, dv_vec3_neg(sum));
  dv_vec3_accumulate(dv_state_write(m->pair.second, mech->df) + frame + 3, dv_vec3_neg(torque));
}

// out (rows x 6) = in (rows x 3) (1, -[r]x): what moves with the frame
static void times_motion(const double *in, int rows, dvVec3 r, double *out)
{
  const double cross[9] = {0, r.z, -r.y, -r.z, 0, r.x, r.y, -r.x, 0};   // -[r]x
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < 3; j++) {
      out[6 * i + j] = in[3 * i + j];
      out[6 * i + 3 + j] = 0;
      for (int k = 0; k < 3; k++) out[6 * i + 3 + j] += in[3 * i + k] * cross[3 * k + j];
    }
}

static void moving_ellipsoid_add_stiffness(dvObject *o, const dvMech *mech, dvMatrixSink *sink)
{
  MovingEllipsoid *m = (MovingEllipsoid *)o;
  const dvState *points = m->pair.first, *frames = m->pair.second;
  size_t frame = (size_t)m->object2_dof_index;
  double factor = dv_mech_k(mech, m->pair.rayleighStiffness);
  for (size_t i = 0; i < m->touched.count; i++) {
    double own[9], transposed[9], across[18], turned[18], back[18], held[36];
    dv_mat3_store(own, dv_mat3_scale(m->k.data[i], factor));
    sink->add(sink, points, m->touched.data[i], points, m->touched.data[i], 3, 3, own);
    if (!m->object2_forces) continue;
    for (int e = 0; e < 9; e++) transposed[e] = own[e % 3 * 3 + e / 3];
    times_motion(own, 3, m->arm.data[i], across);          // k J
    times_motion(transposed, 3, m->arm.data[i], turned);   // k^T J, transposed: J^T k
    for (int e = 0; e < 18; e++) back[e] = turned[e % 3 * 6 + e / 3];
    times_motion(back, 6, m->arm.data[i], held);   // J^T k J
    for (int e = 0; e < 18; e++) across[e] = -across[e], back[e] = -back[e];
    sink->add(sink, points, m->touched.data[i], frames, frame, 3, 6, across);
    sink->add(sink, frames, frame, points, m->touched.data[i], 6, 3, back);
    sink->add(sink, frames, frame, frames, frame, 6, 6, held);
  }
}

static void moving_ellipsoid_destroy(dvObject *o)
{
  MovingEllipsoid *m = (MovingEllipsoid *)o;
  dv_array_free(&m->shapes);
  dv_array_free(&m->touched);
  dv_array_free(&m->k);
  dv_array_free(&m->arm);
}

static const dvForceOps moving_ellipsoid_ops = {
    .add_force = moving_ellipsoid_add_force,
    .add_dforce = moving_ellipsoid_add_dforce,
    .add_stiffness = moving_ellipsoid_add_stiffness,
    DV_PAIR_FORCE_SLOTS,
};

const dvClass dv_moving_ellipsoid_class = {
    .struct_size = sizeof(dvClass),
    .name = "InteractionEllipsoidForceField",
    .help = "ellipsoids carried by a frame that push points out, or keep them in",
    .module = "Sofa.Component.MechanicalLoad",
    .dofs = DV_DOF_VEC3 | DV_DOF_RIGID3,
    .size = sizeof(MovingEllipsoid),
    .blocks = {&dv_object_block, &dv_pair_force_block, DV_BLOCK(moving_ellipsoid_fields)},
    .ops = {[DV_ROLE_FORCE] = &moving_ellipsoid_ops},
    .init = moving_ellipsoid_init,
    .reinit = moving_ellipsoid_reinit,
    .destroy = moving_ellipsoid_destroy,
};
