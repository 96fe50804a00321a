// ParabolicProjectiveConstraint and HermiteSplineProjectiveConstraint: points that follow a curve in time.
//
// Parabola through P1, P2, P3: in the frame with origin P1, x along P1 P3 and P2 in the xy plane,
// y = y2 x (x3 - x) / (x2 (x3 - x2)), travelled at constant speed along x; the velocity is that of the chord of one
// time step. Hermite cubic from X0 with tangent dX0 to X1 with dX1; the parameter is itself a cubic of time with the
// tangents SX0 and SX1 (its second components). In SOFA the velocity is the derivative with respect to the parameter.
// Outside of [BeginTime, EndTime] the points are free.
#include "constraint/projective/classes.h"
#include "constraint/projective/selected.h"

#include "math/vec.h"
#include "object/compat.h"

#define TRAJECTORY_FIELDS(X)                           \
  X(indices, indices, "", "", "points that are moved") \
  X(real, BeginTime, "0", "s", "the motion begins")    \
  X(real, EndTime, "0", "s", "the motion ends")        \
  X(link, topology, "", "", "topology whose changes the indices follow", .role = DV_ROLE_TOPOLOGY)
#define PARABOLA_FIELDS(X)                                 \
  X(vec3, P1, "0 0 0", "m", "first point of the parabola") \
  X(vec3, P2, "0 0 0", "m", "second point")                \
  X(vec3, P3, "0 0 0", "m", "third point")
#define HERMITE_FIELDS(X)                                                          \
  X(vec3, X0, "0 0 0", "m", "first point")                                         \
  X(vec3, dX0, "0 0 0", "m", "tangent at the first point")                         \
  X(vec3, X1, "0 0 0", "m", "last point")                                          \
  X(vec3, dX1, "0 0 0", "m", "tangent at the last point")                          \
  X(vec2, SX0, "0 0", "", "tangent of the parameter over time at the first point") \
  X(vec2, SX1, "0 0", "", "tangent of the parameter over time at the last point")

typedef struct Trajectory {
  dvProjective base;
  TRAJECTORY_FIELDS(DV_MEMBER)
  PARABOLA_FIELDS(DV_MEMBER)
  HERMITE_FIELDS(DV_MEMBER)
  dvSelected selected;
  dvQuat frame;           // of the parabola
  dvVec3 second, third;   // points in that frame
  bool by_parameter;      // velocities of the spline are derivatives by its parameter
} Trajectory;

#define SELF Trajectory
static const dvFieldDesc trajectory_fields[] = {TRAJECTORY_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc parabola_fields[] = {PARABOLA_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc hermite_fields[] = {HERMITE_FIELDS(DV_DESCRIBE)};
#undef SELF

static void trajectory_destroy(dvObject *o) { dv_selected_free(&((Trajectory *)o)->selected); }

// --- parabola ------------------------------------------------------------------------------------

// the point at parameter u in the frame of the parabola
static dvVec3 parabola_at(const Trajectory *t, double u)
{
  double x = t->third.x * u, d = t->second.x * (t->third.x - t->second.x);
  return dv_vec3(x, d != 0 ? t->second.y * x * (t->third.x - x) / d : 0, 0);
}

static dvVec3 parabola_position(const Trajectory *t, double u)
{
  return dv_vec3_add(dv_vec3_load(t->P1), dv_quat_rotate(t->frame, parabola_at(t, u)));
}

static dvVec3 parabola_velocity(const Trajectory *t, double u)
{
  double dt = t->base.base.node->dt, next = u + dt / (t->EndTime - t->BeginTime);
  if (dt == 0) return dv_vec3(0, 0, 0);
  dvVec3 chord = dv_vec3_sub(parabola_at(t, next), parabola_at(t, u));
  return dv_quat_rotate(t->frame, dv_vec3_scale(chord, 1 / dt));
}

static dvStatus parabolic_begin(Trajectory *t)
{
  dvVec3 origin = dv_vec3_load(t->P1), to2 = dv_vec3_sub(dv_vec3_load(t->P2), origin),
         to3 = dv_vec3_sub(dv_vec3_load(t->P3), origin);
  dvVec3 z = dv_vec3_cross(to3, to2);
  t->frame = dv_quat_identity();
  if (dv_vec3_norm2(z) == 0)
    dv_warning(&t->base.base, "give three points that are not on a line", "P1, P2 and P3 do not define a parabola");
  else
    t->frame = dv_quat_normalise(dv_quat_from_matrix(
        dv_mat3_from_columns(dv_vec3_normalise(to3), dv_vec3_normalise(dv_vec3_cross(z, to3)), dv_vec3_normalise(z))));
  t->second = dv_quat_inverse_rotate(t->frame, to2);
  t->third = dv_quat_inverse_rotate(t->frame, to3);
  return DV_OK;
}

// --- spline --------------------------------------------------------------------------------------

static dvVec3 blend(const Trajectory *t, double h00, double h10, double h01, double h11)
{
  dvVec3 a = dv_vec3_add_scaled(dv_vec3_scale(dv_vec3_load(t->X0), h00), dv_vec3_load(t->dX0), h10);
  return dv_vec3_add_scaled(dv_vec3_add_scaled(a, dv_vec3_load(t->X1), h01), dv_vec3_load(t->dX1), h11);
}

static double spline_parameter(const Trajectory *t, double u)
{
  double u2 = u * u, u3 = u2 * u;
  return t->SX0[1] * (u3 - 2 * u2 + u) + (3 * u2 - 2 * u3) + t->SX1[1] * (u3 - u2);
}

static dvVec3 spline_position(const Trajectory *t, double u)
{
  double s = spline_parameter(t, u), s2 = s * s, s3 = s2 * s;
  return blend(t, 2 * s3 - 3 * s2 + 1, s3 - 2 * s2 + s, 3 * s2 - 2 * s3, s3 - s2);
}

static dvVec3 spline_velocity(const Trajectory *t, double u)
{
  double s = spline_parameter(t, u), s2 = s * s, u2 = u * u;
  double rate = t->SX0[1] * (3 * u2 - 4 * u + 1) + 6 * (u - u2) + t->SX1[1] * (3 * u2 - 2 * u);   // ds/du
  dvVec3 slope = blend(t, 6 * s2 - 6 * s, 3 * s2 - 4 * s + 1, 6 * s - 6 * s2, 3 * s2 - 2 * s);
  return t->by_parameter ? slope : dv_vec3_scale(slope, rate / (t->EndTime - t->BeginTime));
}

// --- slots ---------------------------------------------------------------------------------------

// true while the points are moved; *u goes from 0 to 1
static bool on_the_way(const Trajectory *t, double *u)
{
  const dvObject *o = &t->base.base;
  double now = o->node->time, span = t->EndTime - t->BeginTime;
  *u = span > 0 ? (now - t->BeginTime) / span : 0;
  return dv_projective_active(o) && span > 0 && now >= t->BeginTime && now <= t->EndTime;
}

static const dvInts *points_of(Trajectory *t)
{
  return dv_selected(&t->selected, &t->base.base, &t->indices, t->base.state->count);
}

static void trajectory_project_response(dvObject *o, int id)
{
  Trajectory *t = (Trajectory *)o;
  double u;
  if (!on_the_way(t, &u)) return;
  const dvInts *points = points_of(t);
  double *v = dv_state_write(t->base.state, id);
  for (size_t i = 0; i < points->count; i++) dv_clear_deriv(t->base.state, v, points->data[i]);
}

static void trajectory_project_velocity(dvObject *o, int id, double time)
{
  DV_UNUSED(time);
  Trajectory *t = (Trajectory *)o;
  double u;
  if (!on_the_way(t, &u)) return;
  const dvInts *points = points_of(t);
  double *v = dv_state_write(t->base.state, id);
  dvVec3 value = o->cls == &dv_parabolic_class ? parabola_velocity(t, u) : spline_velocity(t, u);
  for (size_t i = 0; i < points->count; i++) dv_vec3_store(v + (size_t)points->data[i] * (size_t)o->dof->deriv, value);
}

static void trajectory_project_position(dvObject *o, int id, double time)
{
  DV_UNUSED(time);
  Trajectory *t = (Trajectory *)o;
  double u;
  if (!on_the_way(t, &u)) return;
  const dvInts *points = points_of(t);
  double *x = dv_state_write(t->base.state, id);
  dvVec3 value = o->cls == &dv_parabolic_class ? parabola_position(t, u) : spline_position(t, u);
  for (size_t i = 0; i < points->count; i++) dv_vec3_store(x + (size_t)points->data[i] * (size_t)o->dof->coord, value);
}

static dvStatus trajectory_init(dvObject *o)
{
  Trajectory *t = (Trajectory *)o;
  DV_TRY(dv_projective_init(o));
  o->dof = t->base.state->base.dof;
  dv_follow_points(o, t->base.state, &t->indices);
  points_of(t);
  if (!(t->EndTime > t->BeginTime))
    dv_warning(o, "give an EndTime after BeginTime", "the motion from %g s to %g s takes no time: the points are free",
               t->BeginTime, t->EndTime);
  t->by_parameter = o->cls == &dv_hermite_spline_class && dv_compat(o, DV_COMPAT_HERMITE_VELOCITY);
  return o->cls == &dv_parabolic_class ? parabolic_begin(t) : DV_OK;
}

static const dvProjectiveOps trajectory_ops = {
    .project_response = trajectory_project_response,
    .project_velocity = trajectory_project_velocity,
    .moves = true,
    .project_position = trajectory_project_position,
};

const dvClass dv_parabolic_class = {
    .struct_size = sizeof(dvClass),
    .name = "ParabolicProjectiveConstraint",
    .help = "moves points along a parabola",
    .module = DV_PROJECTIVE_MODULE,
    .dofs = DV_DOF_VEC3 | DV_DOF_RIGID3,
    .size = sizeof(Trajectory),
    .blocks = {&dv_object_block, &dv_projective_block, DV_BLOCK(trajectory_fields), DV_BLOCK(parabola_fields)},
    .ops = {[DV_ROLE_PROJECTIVE] = &trajectory_ops},
    .init = trajectory_init,
    .reinit = trajectory_init,
    .destroy = trajectory_destroy,
};

const dvClass dv_hermite_spline_class = {
    .struct_size = sizeof(dvClass),
    .name = "HermiteSplineProjectiveConstraint",
    .help = "moves points along a cubic spline",
    .module = DV_PROJECTIVE_MODULE,
    .dofs = DV_DOF_VEC3 | DV_DOF_RIGID3,
    .size = sizeof(Trajectory),
    .blocks = {&dv_object_block, &dv_projective_block, DV_BLOCK(trajectory_fields), DV_BLOCK(hermite_fields)},
    .ops = {[DV_ROLE_PROJECTIVE] = &trajectory_ops},
    .init = trajectory_init,
    .reinit = trajectory_init,
    .destroy = trajectory_destroy,
};
