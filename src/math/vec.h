// Small linear algebra: vectors and matrices of three, quaternions.
//
// Everything is passed by value and inlined. A rotation matrix R takes components of the local frame
// to the world's: v_world = R v_local; its columns are the local axes. A quaternion is stored as SOFA
// stores it, (x, y, z, w) with the real part last, and q rotates v as q v q*. The product a b rotates
// first by b, then by a.
#ifndef DV_MATH_VEC_H
#define DV_MATH_VEC_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

typedef struct {
  double x, y, z;
} dvVec3;
typedef struct {
  double m[3][3];
} dvMat3;   // m[row][column]
typedef struct {
  double x, y, z, w;
} dvQuat;

// --- vectors ---

static inline dvVec3 dv_vec3(double x, double y, double z) { return (dvVec3){x, y, z}; }
static inline dvVec3 dv_vec3_load(const double *p) { return (dvVec3){p[0], p[1], p[2]}; }
static inline void dv_vec3_store(double *p, dvVec3 a)
{
  p[0] = a.x;
  p[1] = a.y;
  p[2] = a.z;
}
static inline void dv_vec3_accumulate(double *p, dvVec3 a)
{
  p[0] += a.x;
  p[1] += a.y;
  p[2] += a.z;
}
static inline dvVec3 dv_vec3_add(dvVec3 a, dvVec3 b) { return (dvVec3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline dvVec3 dv_vec3_sub(dvVec3 a, dvVec3 b) { return (dvVec3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline dvVec3 dv_vec3_neg(dvVec3 a) { return (dvVec3){-a.x, -a.y, -a.z}; }
static inline dvVec3 dv_vec3_scale(dvVec3 a, double k) { return (dvVec3){k * a.x, k * a.y, k * a.z}; }
// a + k b
static inline dvVec3 dv_vec3_add_scaled(dvVec3 a, dvVec3 b, double k)
{
  return (dvVec3){a.x + k * b.x, a.y + k * b.y, a.z + k * b.z};
}
static inline double dv_vec3_dot(dvVec3 a, dvVec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline dvVec3 dv_vec3_cross(dvVec3 a, dvVec3 b)
{
  return (dvVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double dv_vec3_norm2(dvVec3 a) { return dv_vec3_dot(a, a); }   // squared
static inline double dv_vec3_norm(dvVec3 a) { return sqrt(dv_vec3_dot(a, a)); }
// A vector no longer than the rounding unit is returned as it is, never divided by its length.
static inline dvVec3 dv_vec3_normalise(dvVec3 a)
{
  double length = dv_vec3_norm(a);
  return length > DBL_EPSILON ? dv_vec3_scale(a, 1.0 / length) : a;
}

// --- matrices ---

static inline dvMat3 dv_mat3_identity(void) { return (dvMat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}; }
static inline dvMat3 dv_mat3_diagonal(dvVec3 d) { return (dvMat3){{{d.x, 0, 0}, {0, d.y, 0}, {0, 0, d.z}}}; }
static inline dvMat3 dv_mat3_from_rows(dvVec3 a, dvVec3 b, dvVec3 c)
{
  return (dvMat3){{{a.x, a.y, a.z}, {b.x, b.y, b.z}, {c.x, c.y, c.z}}};
}
static inline dvMat3 dv_mat3_from_columns(dvVec3 a, dvVec3 b, dvVec3 c)
{
  return (dvMat3){{{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}}};
}
static inline dvMat3 dv_mat3_load(const double *p)   // nine numbers, row by row
{
  return (dvMat3){{{p[0], p[1], p[2]}, {p[3], p[4], p[5]}, {p[6], p[7], p[8]}}};
}
static inline void dv_mat3_store(double *p, dvMat3 a)
{
  for (int i = 0; i < 9; i++) p[i] = a.m[i / 3][i % 3];
}
static inline dvVec3 dv_mat3_row(dvMat3 a, int i) { return (dvVec3){a.m[i][0], a.m[i][1], a.m[i][2]}; }
static inline dvVec3 dv_mat3_column(dvMat3 a, int j) { return (dvVec3){a.m[0][j], a.m[1][j], a.m[2][j]}; }
static inline void dv_mat3_set_column(dvMat3 *a, int j, dvVec3 v)
{
  a->m[0][j] = v.x;
  a->m[1][j] = v.y;
  a->m[2][j] = v.z;
}
static inline dvMat3 dv_mat3_add(dvMat3 a, dvMat3 b)
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) a.m[i][j] += b.m[i][j];
  return a;
}
static inline dvMat3 dv_mat3_sub(dvMat3 a, dvMat3 b)
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) a.m[i][j] -= b.m[i][j];
  return a;
}
static inline dvMat3 dv_mat3_scale(dvMat3 a, double k)
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) a.m[i][j] *= k;
  return a;
}
static inline dvMat3 dv_mat3_transpose(dvMat3 a)
{
  return (dvMat3){
      {{a.m[0][0], a.m[1][0], a.m[2][0]}, {a.m[0][1], a.m[1][1], a.m[2][1]}, {a.m[0][2], a.m[1][2], a.m[2][2]}}};
}
static inline dvMat3 dv_mat3_mul(dvMat3 a, dvMat3 b)   // a b
{
  dvMat3 c;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) c.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j];
  return c;
}
static inline dvMat3 dv_mat3_mul_t(dvMat3 a, dvMat3 b)   // a b^T
{
  return dv_mat3_mul(a, dv_mat3_transpose(b));
}
static inline dvMat3 dv_mat3_t_mul(dvMat3 a, dvMat3 b)   // a^T b
{
  return dv_mat3_mul(dv_mat3_transpose(a), b);
}
static inline dvVec3 dv_mat3_mul_vec(dvMat3 a, dvVec3 v)   // a v
{
  return (dvVec3){a.m[0][0] * v.x + a.m[0][1] * v.y + a.m[0][2] * v.z,
                  a.m[1][0] * v.x + a.m[1][1] * v.y + a.m[1][2] * v.z,
                  a.m[2][0] * v.x + a.m[2][1] * v.y + a.m[2][2] * v.z};
}
static inline dvVec3 dv_mat3_t_mul_vec(dvMat3 a, dvVec3 v)   // a^T v
{
  return dv_mat3_mul_vec(dv_mat3_transpose(a), v);
}
static inline dvMat3 dv_mat3_outer(dvVec3 a, dvVec3 b)   // a b^T
{
  return dv_mat3_from_rows(dv_vec3_scale(b, a.x), dv_vec3_scale(b, a.y), dv_vec3_scale(b, a.z));
}
static inline dvMat3 dv_mat3_skew(dvVec3 a)   // [a]x v = a x v
{
  return (dvMat3){{{0, -a.z, a.y}, {a.z, 0, -a.x}, {-a.y, a.x, 0}}};
}
static inline double dv_mat3_trace(dvMat3 a) { return a.m[0][0] + a.m[1][1] + a.m[2][2]; }
static inline dvMat3 dv_mat3_cofactor(dvMat3 a)   // det(a) a^-T
{
  dvVec3 r0 = dv_mat3_row(a, 0), r1 = dv_mat3_row(a, 1), r2 = dv_mat3_row(a, 2);
  return dv_mat3_from_rows(dv_vec3_cross(r1, r2), dv_vec3_cross(r2, r0), dv_vec3_cross(r0, r1));
}
static inline double dv_mat3_det(dvMat3 a)
{
  return dv_vec3_dot(dv_mat3_row(a, 0), dv_vec3_cross(dv_mat3_row(a, 1), dv_mat3_row(a, 2)));
}
// False, and *inverse untouched, when the determinant is zero or not a number.
static inline bool dv_mat3_inverse(dvMat3 a, dvMat3 *inverse)
{
  dvMat3 cofactor = dv_mat3_cofactor(a);
  double det = dv_vec3_dot(dv_mat3_row(a, 0), dv_mat3_row(cofactor, 0));
  if (!(fabs(det) > 0)) return false;
  *inverse = dv_mat3_scale(dv_mat3_transpose(cofactor), 1.0 / det);
  return true;
}

// --- quaternions ---

static inline dvQuat dv_quat_identity(void) { return (dvQuat){0, 0, 0, 1}; }
static inline dvQuat dv_quat_load(const double *p) { return (dvQuat){p[0], p[1], p[2], p[3]}; }
static inline void dv_quat_store(double *p, dvQuat q)
{
  p[0] = q.x;
  p[1] = q.y;
  p[2] = q.z;
  p[3] = q.w;
}
static inline dvQuat dv_quat_scale(dvQuat q, double k) { return (dvQuat){k * q.x, k * q.y, k * q.z, k * q.w}; }
static inline double dv_quat_dot(dvQuat a, dvQuat b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
static inline dvQuat dv_quat_conjugate(dvQuat q) { return (dvQuat){-q.x, -q.y, -q.z, q.w}; }
static inline dvQuat dv_quat_mul(dvQuat a, dvQuat b)
{
  dvVec3 u = {a.x, a.y, a.z}, v = {b.x, b.y, b.z}, c = dv_vec3_cross(u, v);
  return (dvQuat){a.w * v.x + b.w * u.x + c.x, a.w * v.y + b.w * u.y + c.y, a.w * v.z + b.w * u.z + c.z,
                  a.w * b.w - dv_vec3_dot(u, v)};
}
// As SOFA does: a quaternion whose squared length is within 1e-10 of one stays as it is, and a null
// one becomes the identity.
static inline dvQuat dv_quat_normalise(dvQuat q)
{
  double length2 = dv_quat_dot(q, q);
  if (fabs(length2 - 1.0) <= 1e-10) return q;
  return length2 != 0 ? dv_quat_scale(q, 1.0 / sqrt(length2)) : dv_quat_identity();
}
// The conjugate divided by the length; null stays null.
static inline dvQuat dv_quat_inverse(dvQuat q)
{
  double length = sqrt(dv_quat_dot(q, q));
  return length != 0 ? dv_quat_scale(dv_quat_conjugate(q), 1.0 / length) : (dvQuat){0, 0, 0, 0};
}
// v + 2w(u x v) + 2u x (u x v), with u the imaginary part of a unit quaternion
static inline dvVec3 dv_quat_rotate(dvQuat q, dvVec3 v)
{
  dvVec3 u = {q.x, q.y, q.z}, t = dv_vec3_scale(dv_vec3_cross(u, v), 2.0);
  return dv_vec3_add(dv_vec3_add_scaled(v, t, q.w), dv_vec3_cross(u, t));
}
static inline dvVec3 dv_quat_inverse_rotate(dvQuat q, dvVec3 v) { return dv_quat_rotate(dv_quat_conjugate(q), v); }

static inline dvQuat dv_quat_from_axis(dvVec3 unit_axis, double angle)
{
  double s = sin(0.5 * angle);
  return (dvQuat){s * unit_axis.x, s * unit_axis.y, s * unit_axis.z, cos(0.5 * angle)};
}
// Axis times angle, in radians.
static inline dvQuat dv_quat_from_rotation_vector(dvVec3 r)
{
  double angle = dv_vec3_norm(r);
  return angle > 0 ? dv_quat_from_axis(dv_vec3_scale(r, 1.0 / angle), angle) : dv_quat_identity();
}
// The shortest rotation, of an angle in [0, pi].
static inline dvVec3 dv_quat_to_rotation_vector(dvQuat q)
{
  q = dv_quat_normalise(q);
  if (q.w < 0) q = dv_quat_scale(q, -1.0);
  dvVec3 u = {q.x, q.y, q.z};
  double s = dv_vec3_norm(u);
  return s < DBL_EPSILON ? (dvVec3){0, 0, 0} : dv_vec3_scale(u, 2.0 * atan2(s, q.w) / s);
}

// DV_EULER_ABC is q_A q_B q_C: the rotation about C acts first. Angles are always given as (about x,
// about y, about z), in radians.
typedef enum dvEulerOrder {
  DV_EULER_XYZ,
  DV_EULER_YXZ,
  DV_EULER_ZXY,
  DV_EULER_ZYX,
  DV_EULER_YZX,
  DV_EULER_XZY
} dvEulerOrder;
static inline dvQuat dv_quat_from_euler_order(dvVec3 angles, dvEulerOrder order)
{
  dvQuat x = {sin(0.5 * angles.x), 0, 0, cos(0.5 * angles.x)};
  dvQuat y = {0, sin(0.5 * angles.y), 0, cos(0.5 * angles.y)};
  dvQuat z = {0, 0, sin(0.5 * angles.z), cos(0.5 * angles.z)};
  switch (order) {
  case DV_EULER_XYZ:
    return dv_quat_mul(dv_quat_mul(x, y), z);
  case DV_EULER_YXZ:
    return dv_quat_mul(dv_quat_mul(y, x), z);
  case DV_EULER_ZXY:
    return dv_quat_mul(dv_quat_mul(z, x), y);
  case DV_EULER_YZX:
    return dv_quat_mul(dv_quat_mul(y, z), x);
  case DV_EULER_XZY:
    return dv_quat_mul(dv_quat_mul(x, z), y);
  default:
    return dv_quat_mul(dv_quat_mul(z, y), x);
  }
}
// SOFA's default: about x first, then y, then z, all about the fixed axes.
static inline dvQuat dv_quat_from_euler(dvVec3 angles) { return dv_quat_from_euler_order(angles, DV_EULER_ZYX); }
// The inverse of dv_quat_from_euler, with the angle about y in [-pi/2, pi/2].
static inline dvVec3 dv_quat_to_euler(dvQuat q)
{
  q = dv_quat_normalise(q);
  double s = 2.0 * (q.w * q.y - q.z * q.x);
  s = s > 1.0 ? 1.0 : s < -1.0 ? -1.0 : s;
  return (dvVec3){atan2(2.0 * (q.w * q.x + q.y * q.z), 1.0 - 2.0 * (q.x * q.x + q.y * q.y)), asin(s),
                  atan2(2.0 * (q.w * q.z + q.x * q.y), 1.0 - 2.0 * (q.y * q.y + q.z * q.z))};
}

static inline dvMat3 dv_quat_to_matrix(dvQuat q)   // of a unit quaternion
{
  double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
  double xy = q.x * q.y, yz = q.y * q.z, zx = q.z * q.x;
  double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
  return (dvMat3){{{1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (zx + wy)},
                   {2 * (xy + wz), 1 - 2 * (zz + xx), 2 * (yz - wx)},
                   {2 * (zx - wy), 2 * (yz + wx), 1 - 2 * (xx + yy)}}};
}
// Of a rotation matrix. Divides by the largest component (Shepperd 1978): w while the trace is
// positive, then the one that belongs to the largest diagonal entry; that component is positive.
static inline dvQuat dv_quat_from_matrix(dvMat3 a)
{
  double trace = dv_mat3_trace(a), v[3];
  if (trace > 0) {
    double s = sqrt(trace + 1.0), k = 0.5 / s;
    return (dvQuat){k * (a.m[2][1] - a.m[1][2]), k * (a.m[0][2] - a.m[2][0]), k * (a.m[1][0] - a.m[0][1]), 0.5 * s};
  }
  int i = a.m[1][1] > a.m[0][0] ? 1 : 0;
  if (a.m[2][2] > a.m[i][i]) i = 2;
  int j = (i + 1) % 3, k = (i + 2) % 3;
  double s = sqrt(a.m[i][i] - (a.m[j][j] + a.m[k][k]) + 1.0), h = s != 0 ? 0.5 / s : 0.0;
  v[i] = 0.5 * s;
  v[j] = h * (a.m[i][j] + a.m[j][i]);
  v[k] = h * (a.m[i][k] + a.m[k][i]);
  return (dvQuat){v[0], v[1], v[2], h * (a.m[k][j] - a.m[j][k])};
}

#endif
