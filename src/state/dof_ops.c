// Arithmetic of the DOF types. A frame is (position, quaternion x y z w); turning it with the angular velocity w for a
// time h follows SOFA: q = exp(h w / 2) q, not normalised.
#include "state/state.h"

#include "math/kernels.h"
#include "math/vec.h"

static void integrate_rigid3(size_t n, double *out, const double *x, const double *v, double h)
{
  for (size_t i = 0; i < n; i++, out += 7, x += 7, v += 6) {
    dvVec3 half = dv_vec3_scale(dv_vec3_load(v + 3), 0.5 * h);
    double angle = dv_vec3_norm(half), s = angle < DBL_EPSILON ? 1 : sin(angle) / angle;
    dvQuat turn = {s * half.x, s * half.y, s * half.z, angle < DBL_EPSILON ? 1 : cos(angle)};
    for (int k = 0; k < 3; k++) out[k] = x[k] + h * v[k];
    dv_quat_store(out + 3, dv_quat_mul(turn, dv_quat_load(x + 3)));
  }
}

void dv_dof_integrate(const dvDof *dof, size_t n, double *out, const double *x, const double *v, double h)
{
  if (dof->kind == DV_RIGID3) {
    integrate_rigid3(n, out, x, v, h);
    return;
  }
  dv_combine(NULL, x, h, v, out, n * (size_t)dof->coord);
}

void dv_dof_difference(const dvDof *dof, size_t n, double *out, const double *a, const double *b)
{
  if (dof->kind != DV_RIGID3) {
    dv_combine(NULL, a, -1, b, out, n * (size_t)dof->coord);
    return;
  }
  for (size_t i = 0; i < n; i++, out += 6, a += 7, b += 7) {
    for (int k = 0; k < 3; k++) out[k] = a[k] - b[k];
    dvQuat turn = dv_quat_mul(dv_quat_load(a + 3), dv_quat_conjugate(dv_quat_load(b + 3)));
    dv_vec3_store(out + 3, dv_quat_to_rotation_vector(turn));
  }
}

void dv_dof_identity(const dvDof *dof, double *coord)
{
  for (int i = 0; i < dof->coord; i++) coord[i] = 0;
  if (dof->kind == DV_RIGID3) coord[6] = 1;
  for (int k = 0; k < 3 && dv_dof_columns(dof); k++) coord[3 + 4 * k] = 1;
}

void dv_dof_scale(const dvDof *dof, size_t n, double *x, const double s[3])
{
  // as SOFA: the first three numbers, whatever they are
  int k = dv_min_int(3, dof->coord);
  for (size_t i = 0; i < n; i++)
    for (int j = 0; j < k; j++) x[i * (size_t)dof->coord + (size_t)j] *= s[j];
}

void dv_dof_translate(const dvDof *dof, size_t n, double *x, const double t[3])
{
  int k = dv_min_int(dof->space, 3);
  for (size_t i = 0; i < n; i++)
    for (int j = 0; j < k; j++) x[i * (size_t)dof->coord + (size_t)j] += t[j];
}

void dv_dof_rotate(const dvDof *dof, size_t n, double *x, const double euler_degrees[3])
{
  if (euler_degrees[0] == 0 && euler_degrees[1] == 0 && euler_degrees[2] == 0) return;
  double radians = acos(-1.0) / 180.0;
  dvQuat q = dv_quat_from_euler(dv_vec3_scale(dv_vec3_load(euler_degrees), radians));
  for (size_t i = 0; i < n; i++) {
    double *p = x + i * (size_t)dof->coord;
    double point[3];
    dv_dof_point(dof, p, point);
    dvVec3 turned = dv_quat_rotate(q, dv_vec3_load(point));
    double values[3] = {turned.x, turned.y, turned.z};
    for (int j = 0; j < dof->space; j++) p[j] = values[j];
    if (dof->kind == DV_RIGID3) dv_quat_store(p + 3, dv_quat_mul(q, dv_quat_load(p + 3)));
    for (int k = 1; k <= dv_dof_columns(dof); k++) dv_vec3_store(p + 3 * k, dv_quat_rotate(q, dv_vec3_load(p + 3 * k)));
  }
}
