// Free rigid motions. See rigid_motion.h.
//
// Every independent state has translations along the axes and rotations about its principal axes through its centre,
// all orthogonal to each other; R holds them as unit vectors. A combination R c is free when c^T S c = 0 with
//
//   S = n R^T (1 - P) R + (n / k) R^T P (-K) P R
//
// P the projection of the constraints, k the size of the stiffness, n the number of degrees of freedom: holding one
// point counts as 1. The number of free motions is that of the eigenvalues of S that vanish.
#include "mechanics/rigid_motion.h"

#include "math/decompose.h"

#include <math.h>
#include <string.h>

enum { MODES = 6, LIMIT = MODES * DV_RIGID_BODIES };
static const double small = 1e-6;   // of an eigenvalue that counts as zero

typedef struct Body {
  dvState *state;
  const double *x;
  dvVec3 centre, axis[3];
  int translations, rotations;
  double norm[MODES];   // of each motion; 0 for a rotation that moves nothing
} Body;

static dvVec3 arm(const Body *b, size_t i)
{
  double point[3];
  dv_dof_point(b->state->base.dof, b->x + i * (size_t)b->state->base.dof->coord, point);
  return dv_vec3_sub(dv_vec3_load(point), b->centre);
}

// one motion at one point, not scaled
static void motion_at(const Body *b, int mode, size_t i, double out[DV_MAX_COORD])
{
  const dvDof *dof = b->state->base.dof;
  memset(out, 0, DV_MAX_COORD * sizeof *out);
  if (mode < b->translations) {
    out[mode] = 1;
    return;
  }
  dvVec3 axis = b->axis[mode - b->translations], v = dv_vec3_cross(axis, arm(b, i));
  double linear[3] = {v.x, v.y, v.z};
  memcpy(out, linear, (size_t)dof->space * sizeof *out);
  if (dof->kind == DV_RIGID3) dv_vec3_store(out + 3, axis);
  if (dof->kind == DV_RIGID2) out[2] = axis.z;
  const double *frame = b->x + i * (size_t)dof->coord;
  for (int k = 1; k <= dv_dof_columns(dof); k++)
    dv_vec3_store(out + 3 * k, dv_vec3_cross(axis, dv_vec3_load(frame + 3 * k)));
}

// motion . y over the state
static double along(const Body *b, int mode, const double *y)
{
  size_t width = (size_t)b->state->base.dof->deriv;
  double sum = 0, v[DV_MAX_COORD];
  for (size_t i = 0; i < b->state->count; i++, y += width) {
    motion_at(b, mode, i, v);
    for (size_t k = 0; k < width; k++) sum += v[k] * y[k];
  }
  return sum;
}

static void fill(const Body *b, int mode, int id)
{
  size_t width = (size_t)b->state->base.dof->deriv;
  double *out = dv_state_write(b->state, id), v[DV_MAX_COORD];
  for (size_t i = 0; i < b->state->count; i++, out += width) {
    motion_at(b, mode, i, v);
    for (size_t k = 0; k < width; k++) out[k] = v[k] / b->norm[mode];
  }
}

static void measure(Body *b)
{
  const dvDof *dof = b->state->base.dof;
  dvMat3 inertia = {0};
  dvVec3 values;
  size_t n = b->state->count;
  b->translations = dof->kind == DV_VEC6 ? 6 : dof->space;
  b->rotations = dof->kind == DV_VEC6 || dof->space == 1 ? 0 : dof->space == 2 ? 1 : 3;
  b->centre = dv_vec3(0, 0, 0);
  dvVec3 sum_of_points = {0, 0, 0};
  for (size_t i = 0; i < n; i++) sum_of_points = dv_vec3_add(sum_of_points, arm(b, i));
  b->centre = dv_vec3_scale(sum_of_points, 1 / (double)n);
  for (size_t i = 0; i < n; i++) {
    dvVec3 r = arm(b, i);
    inertia = dv_mat3_add(inertia,
                          dv_mat3_sub(dv_mat3_diagonal(dv_vec3(dv_vec3_norm2(r), dv_vec3_norm2(r), dv_vec3_norm2(r))),
                                      dv_mat3_outer(r, r)));
  }
  dvMat3 axes = dv_mat3_identity();
  if (b->rotations == 3) dv_eigen_symmetric(&inertia, &values, &axes);
  for (int k = 0; k < 3; k++) b->axis[k] = dv_mat3_column(axes, b->rotations == 1 ? 2 : k);
  double largest = 0;
  for (int mode = 0; mode < b->translations + b->rotations; mode++) {
    double sum = 0, v[DV_MAX_COORD];
    for (size_t i = 0; i < n; i++) {
      motion_at(b, mode, i, v);
      for (int k = 0; k < dof->deriv; k++) sum += v[k] * v[k];
    }
    if (mode >= b->translations) largest = dv_max(largest, sum);
    b->norm[mode] = mode >= b->translations && sum <= 1e-12 * largest ? 0 : sqrt(sum);
  }
}

// eigenvalues of a symmetric matrix by Jacobi rotations; they end on its diagonal
static void diagonalise(double s[LIMIT][LIMIT], int n)
{
  for (int sweep = 0; sweep < 30; sweep++) {
    double off = 0, on = 0;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) *(i == j ? &on : &off) += s[i][j] * s[i][j];
    if (off <= 1e-24 * on) return;
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++) {
        if (s[p][q] == 0) continue;
        double theta = 0.5 * (s[q][q] - s[p][p]) / s[p][q];
        double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1)), c = 1 / sqrt(t * t + 1), d = t * c;
        for (int k = 0; k < n; k++) {
          double u = s[k][p], w = s[k][q];
          s[k][p] = c * u - d * w, s[k][q] = d * u + c * w;
        }
        for (int k = 0; k < n; k++) {
          double u = s[p][k], w = s[q][k];
          s[p][k] = c * u - d * w, s[q][k] = d * u + c * w;
        }
      }
  }
}

// |K u| for a unit vector u of numbers without pattern
static double stiffness_scale(dvPlan *plan, dvMech *m, int a, int b)
{
  uint64_t seed = 1;
  for (size_t i = 0; i < plan->independent.count; i++) {
    dvState *s = dv_state(plan->independent.data[i]);
    double *u = dv_state_write(s, a);
    for (size_t k = 0; k < dv_state_scalars(s, a); k++) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      u[k] = (double)(seed >> 40) / (double)(1 << 24) - 0.5;
    }
  }
  double norm = sqrt(dv_mech_dot(plan, a, a));
  dv_mech_product(plan, m, b, a);
  return norm > 0 ? sqrt(dv_mech_dot(plan, b, b)) / norm : 0;
}

static void name(const Body *b, int mode, dvText *what)
{
  char *path = dv_object_path(&b->state->base);
  const char *axes = "xyzuvw";
  if (what->length) dv_text_add(what, ", ");
  if (mode < b->translations) {
    dv_text_printf(what, "%s along %c", path, axes[mode]);
  } else {
    dvVec3 a = b->axis[mode - b->translations];
    dv_text_printf(what, "%s about (%.2g %.2g %.2g)", path, a.x, a.y, a.z);
  }
  dv_free(path);
}

int dv_rigid_motions(dvPlan *plan, const dvMech *params, int a, int b, dvText *what)
{
  Body bodies[DV_RIGID_BODIES];
  double s[LIMIT][LIMIT];
  struct {
    int body, mode;
  } list[LIMIT];
  int n = 0, count = 0;
  dvMech m = *params;
  m.m = m.b = 0;
  m.k = -1;
  if (plan->independent.count > DV_RIGID_BODIES) return -1;
  for (int i = 0; i < (int)plan->independent.count; i++) {
    bodies[i] = (Body){.state = dv_state(plan->independent.data[i])};
    if (bodies[i].state->count == 0) continue;
    bodies[i].x = dv_state_read(bodies[i].state, m.x);
    measure(&bodies[i]);
    for (int mode = 0; mode < bodies[i].translations + bodies[i].rotations; mode++)
      if (bodies[i].norm[mode] > 0) list[n].body = i, list[n++].mode = mode;
  }
  double k = stiffness_scale(plan, &m, a, b);
  for (int j = 0; j < n; j++) {
    const Body *mover = &bodies[list[j].body];
    dv_mech_clear(plan, a);
    fill(mover, list[j].mode, a);
    dv_mech_project_response(plan, a);
    dv_mech_product(plan, &m, b, a);
    for (int i = 0; i < n; i++) {
      const Body *body = &bodies[list[i].body];
      double moved = along(body, list[i].mode, dv_state_read(body->state, a)) / body->norm[list[i].mode];
      double force = along(body, list[i].mode, dv_state_read(body->state, b)) / body->norm[list[i].mode];
      double weight = sqrt((double)mover->state->count * (double)body->state->count);
      s[i][j] = weight * ((i == j) - moved + (k > 0 ? force / k : 0));
    }
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) s[i][j] = s[j][i] = 0.5 * (s[i][j] + s[j][i]);
  for (int i = 0; what && i < n; i++)
    if (fabs(s[i][i]) < small) name(&bodies[list[i].body], list[i].mode, what);
  diagonalise(s, n);
  for (int i = 0; i < n; i++) count += fabs(s[i][i]) < small;
  return count;
}
