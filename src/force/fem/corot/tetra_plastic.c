// See tetra_plastic.h. Frames are those of tetra_corot_kernel.c: rows of the matrix are the axes.
#include "force/fem/corot/tetra_plastic.h"

#include "math/decompose.h"

static bool find_axes(dvCorotMethod method, const double *rest, const int32_t points[4], dvMat3 *axes)
{
  dvVec3 a = dv_vec3_load(rest + 3 * (size_t)points[0]), edge[3];
  for (int k = 0; k < 3; k++) edge[k] = dv_vec3_sub(dv_vec3_load(rest + 3 * (size_t)points[k + 1]), a);
  dvMat3 edges = dv_mat3_from_rows(edge[0], edge[1], edge[2]);
  if (dv_mat3_det(edges) == 0) return false;
  if (method == DV_COROT_LARGE) {
    dvVec3 x = dv_vec3_normalise(edge[0]), z = dv_vec3_normalise(dv_vec3_cross(x, edge[1]));
    *axes = dv_mat3_from_rows(x, dv_vec3_cross(z, x), z);
    return true;
  }
  return dv_polar(&edges, axes, NULL) != 0;
}

void dv_tetra_plastic_turn(dvCorotMethod method, const double *rest, const int32_t points[4], bool into,
                           double strain[6])
{
  dvMat3 axes, e = {{{strain[0], strain[3] / 2, strain[5] / 2},
                     {strain[3] / 2, strain[1], strain[4] / 2},
                     {strain[5] / 2, strain[4] / 2, strain[2]}}};
  if (method == DV_COROT_SMALL || method == DV_COROT_DEFORMATION) return;   // the frame of the body
  if (!find_axes(method, rest, points, &axes)) return;
  e = into ? dv_mat3_mul_t(dv_mat3_mul(axes, e), axes) : dv_mat3_mul(dv_mat3_t_mul(axes, e), axes);
  for (int k = 0; k < 3; k++) {
    strain[k] = e.m[k][k];
    strain[3 + k] = e.m[k][(k + 1) % 3] + e.m[(k + 1) % 3][k];
  }
}
