// What is wrong with a singular system: the unknown where it shows, and the motion of a rigid body that nothing holds.
#include "linear/solver.h"

#include "linear/direct/ldl.h"
#include "math/vec.h"

// how much of a vector remains when its best translation is taken away, and that translation
static double without_translation(const dvAssemblyState *s, const double *x, double *mean)
{
  size_t width = (size_t)s->width, space = (size_t)s->state->base.dof->space;
  double all = 0, rest = 0;
  for (size_t k = 0; k < space; k++) mean[k] = 0;
  for (size_t i = 0; i < s->count; i++)
    for (size_t k = 0; k < space; k++) mean[k] += x[i * width + k] / (double)s->count;
  for (size_t i = 0; i < s->count; i++)
    for (size_t k = 0; k < width; k++) {
      double d = x[i * width + k] - (k < space ? mean[k] : 0);
      all += x[i * width + k] * x[i * width + k];
      rest += d * d;
    }
  return all > 0 ? rest / all : 1;
}

// the same for a rotation about the centre: w that fits x = t + w x r best, by the moment sum r x d and the inertia of
// the points
static double without_rotation(const dvAssemblyState *s, const double *x, dvVec3 *axis)
{
  const dvDof *dof = s->state->base.dof;
  const double *position = dv_state_read(s->state, DV_X);
  size_t width = (size_t)s->width, coord = (size_t)dof->coord;
  double mean[3] = {0};
  without_translation(s, x, mean);
  dvVec3 centre = {0, 0, 0}, moment = {0, 0, 0};
  for (size_t i = 0; i < s->count; i++)
    centre = dv_vec3_add_scaled(centre, dv_vec3_load(position + i * coord), 1 / (double)s->count);
  dvMat3 inertia = {{{0}}};
  for (size_t i = 0; i < s->count; i++) {
    dvVec3 r = dv_vec3_sub(dv_vec3_load(position + i * coord), centre),
           d = dv_vec3_sub(dv_vec3_load(x + i * width), dv_vec3_load(mean));
    moment = dv_vec3_add(moment, dv_vec3_cross(r, d));
    dvMat3 skew = dv_mat3_skew(r);
    inertia = dv_mat3_add(inertia, dv_mat3_mul(dv_mat3_transpose(skew), skew));
  }
  dvMat3 inverse;
  if (!dv_mat3_inverse(inertia, &inverse)) return 1;   // points on a line
  *axis = dv_mat3_mul_vec(inverse, moment);
  double all = 0, rest = 0;
  for (size_t i = 0; i < s->count; i++) {
    dvVec3 r = dv_vec3_sub(dv_vec3_load(position + i * coord), centre), v = dv_vec3_load(x + i * width);
    dvVec3 d = dv_vec3_sub(dv_vec3_sub(v, dv_vec3_load(mean)), dv_vec3_cross(*axis, r));
    all += dv_vec3_norm2(v);
    rest += dv_vec3_norm2(d);
  }
  return all > 0 ? rest / all : 1;
}

// names the motion of a state in a null vector, when it is one of a rigid body
static bool name_motion(const dvAssemblyState *s, const double *x, dvText *out)
{
  double mean[3] = {0};
  char *path = dv_object_path(&s->state->base);
  bool named = false;
  if (without_translation(s, x, mean) < 1e-6) {
    dvVec3 t = dv_vec3_normalise(dv_vec3_load(mean));
    dv_text_printf(out, "nothing keeps %s from moving along (%.3g %.3g %.3g)", path, t.x, t.y, t.z);
    named = true;
  } else if (s->state->base.dof->space == 3 && s->count > 1) {
    dvVec3 axis;
    if (without_rotation(s, x, &axis) < 1e-6) {
      axis = dv_vec3_normalise(axis);
      dv_text_printf(out, "nothing keeps %s from turning about (%.3g %.3g %.3g)", path, axis.x, axis.y, axis.z);
      named = true;
    }
  }
  dv_free(path);
  return named;
}

dvStatus dv_linear_solver_singular(dvObject *o, size_t unknown, const double *null_vector)
{
  const dvAssembly *a = dv_linear_system(dv_linear_solver(o)->system)->assembly;
  size_t scalar;
  const dvAssemblyState *s = dv_assembly_locate(a, unknown, &scalar);
  char *path = dv_object_path(&s->state->base), *own = dv_object_path(o);
  dvText text = {0};
  dv_text_printf(&text, "the system is singular at point %zu of %s, component %zu", scalar / (size_t)s->width, path,
                 scalar % (size_t)s->width);
  dvText motion = {0};
  if (null_vector && name_motion(s, null_vector + s->offset, &motion)) dv_text_printf(&text, ": %s", motion.text);
  dv_log_send(&o->context->log,
              &(dvMessage){
                  .level = DV_ERROR,
                  .status = DV_ERROR_DIVERGED,
                  .place = o->place,
                  .path = own,
                  .text = text.text,
                  .advice = o->node->scene->step > 0
                                ? "steps before it had a solution: make dt or the loads smaller, hold the body better, "
                                  "and look whether points or elements have lost what held them"
                                : "give every point a mass or hold enough of them with a FixedProjectiveConstraint"});
  dv_text_free(&text);
  dv_text_free(&motion);
  dv_free(path);
  dv_free(own);
  return DV_ERROR_DIVERGED;
}

dvStatus dv_linear_solver_report(dvObject *o, const dvLdl *factor, size_t pivot)
{
  double *null_vector = dv_alloc(dv_ldl_rows(factor) * sizeof *null_vector);
  dv_ldl_null_vector(factor, pivot, null_vector);
  dvStatus status = dv_linear_solver_singular(o, pivot, null_vector);
  dv_free(null_vector);
  return status;
}
