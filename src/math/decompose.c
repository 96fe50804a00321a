// Polar decomposition: Newton's iteration for the orthogonal factor with Higham's scaling,
//   X <- (g X + X^-T / g) / 2,   g = (|X^-1|_1 |X^-1|_inf / (|X|_1 |X|_inf))^(1/4),
// (N. Higham, R. Schreiber, Fast polar decomposition of an arbitrary matrix, 1988). It converges
// quadratically, so a last step below 1e-8 leaves an error at the rounding level.
//
// Singular values: one-sided Jacobi (M. Hestenes, 1958). Rotations V make the columns of M V
// orthogonal; their lengths are the singular values, relative accuracy included (J. Demmel,
// K. Veselic, 1992). Columns that vanish are replaced by a basis of the complement.
//
// Symmetric eigenvalues: cyclic Jacobi (G. Golub, C. Van Loan, Matrix computations, section 8.5).
#include "math/decompose.h"

enum { MAX_ITERATIONS = 100, MAX_SWEEPS = 30 };

static double norm_one(const dvMat3 *a)
{
  double most = 0;
  for (int j = 0; j < 3; j++) {
    double sum = fabs(a->m[0][j]) + fabs(a->m[1][j]) + fabs(a->m[2][j]);
    if (sum > most) most = sum;
  }
  return most;
}

static double norm_inf(const dvMat3 *a)
{
  double most = 0;
  for (int i = 0; i < 3; i++) {
    double sum = fabs(a->m[i][0]) + fabs(a->m[i][1]) + fabs(a->m[i][2]);
    if (sum > most) most = sum;
  }
  return most;
}

// q^T m, made exactly symmetric
static dvMat3 symmetric_factor(const dvMat3 *q, const dvMat3 *m)
{
  dvMat3 s = dv_mat3_t_mul(*q, *m);
  return dv_mat3_scale(dv_mat3_add(s, dv_mat3_transpose(s)), 0.5);
}

double dv_polar(const dvMat3 *m, dvMat3 *q, dvMat3 *s)
{
  dvMat3 x = *m;
  double det = 0;
  for (int i = 0; i < MAX_ITERATIONS; i++) {
    dvMat3 cofactor = dv_mat3_cofactor(x);
    det = dv_vec3_dot(dv_mat3_row(x, 0), dv_mat3_row(cofactor, 0));
    if (det == 0) break;
    double ratio = norm_one(&cofactor) * norm_inf(&cofactor) / (norm_one(&x) * norm_inf(&x));
    double g = sqrt(sqrt(ratio) / fabs(det));
    dvMat3 next = dv_mat3_add(dv_mat3_scale(x, 0.5 * g), dv_mat3_scale(cofactor, 0.5 / (g * det)));
    dvMat3 step = dv_mat3_sub(x, next);
    x = next;
    // written so that a step that is not a number ends the loop too
    if (!(norm_one(&step) > 1e-8 * norm_one(&x))) break;
  }
  *q = x;
  if (s) *s = symmetric_factor(q, m);
  return det;
}

// a unit vector orthogonal to the unit vector a
static dvVec3 any_orthogonal(dvVec3 a)
{
  double x = fabs(a.x), y = fabs(a.y), z = fabs(a.z);
  dvVec3 axis = x <= y && x <= z ? dv_vec3(1, 0, 0) : y <= z ? dv_vec3(0, 1, 0) : dv_vec3(0, 0, 1);
  return dv_vec3_normalise(dv_vec3_cross(a, axis));
}

// turns columns i and j of a by the angle with cosine c and sine s
static void turn_columns(dvMat3 *a, int i, int j, double c, double s)
{
  for (int k = 0; k < 3; k++) {
    double p = a->m[k][i], q = a->m[k][j];
    a->m[k][i] = c * p - s * q;
    a->m[k][j] = s * p + c * q;
  }
}

// Cosine and sine of the rotation that diagonalises [[aii, aij], [aij, ajj]], by the smaller angle.
static void jacobi_angle(double aii, double aij, double ajj, double *c, double *s)
{
  double zeta = (ajj - aii) / (2 * aij);
  double t = (zeta >= 0 ? 1.0 : -1.0) / (fabs(zeta) + sqrt(1 + zeta * zeta));
  if (!isfinite(zeta)) t = 0;
  *c = 1 / sqrt(1 + t * t);
  *s = *c * t;
}

static void swap_columns(dvMat3 *a, int i, int j)
{
  dvVec3 column = dv_mat3_column(*a, i);
  dv_mat3_set_column(a, i, dv_mat3_column(*a, j));
  dv_mat3_set_column(a, j, column);
}

static double largest_entry(const dvMat3 *a)
{
  double most = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      if (fabs(a->m[i][j]) > most) most = fabs(a->m[i][j]);
  return most;
}

// makes the columns of b orthogonal, and applies the same rotations to v
static void orthogonalise_columns(dvMat3 *b, dvMat3 *v)
{
  for (int sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    bool turned = false;
    for (int i = 0; i < 2; i++)
      for (int j = i + 1; j < 3; j++) {
        dvVec3 p = dv_mat3_column(*b, i), q = dv_mat3_column(*b, j);
        double pp = dv_vec3_norm2(p), qq = dv_vec3_norm2(q), pq = dv_vec3_dot(p, q);
        if (!(fabs(pq) > 4e-16 * sqrt(pp * qq))) continue;
        double c, s;
        jacobi_angle(pp, pq, qq, &c, &s);
        if (s == 0) continue;
        turn_columns(b, i, j, c, s);
        turn_columns(v, i, j, c, s);
        turned = true;
      }
    if (!turned) return;
  }
}

// completes u when only its first `rank` columns are given, to a rotation if it has less than three
static void complete_basis(dvMat3 *u, int rank)
{
  if (rank == 0) *u = dv_mat3_identity();
  if (rank == 1) dv_mat3_set_column(u, 1, any_orthogonal(dv_mat3_column(*u, 0)));
  if (rank == 1 || rank == 2)
    dv_mat3_set_column(u, 2, dv_vec3_normalise(dv_vec3_cross(dv_mat3_column(*u, 0), dv_mat3_column(*u, 1))));
}

void dv_svd(const dvMat3 *m, dvMat3 *u, dvVec3 *sigma, dvMat3 *v)
{
  double scale = largest_entry(m), values[3];
  *v = dv_mat3_identity();
  if (!(scale > 0)) {
    *u = dv_mat3_identity();
    *sigma = dv_vec3(0, 0, 0);
    return;
  }
  // divide rather than multiply by 1 / scale, which may overflow
  dvMat3 b = *m;
  for (int i = 0; i < 9; i++) b.m[i / 3][i % 3] /= scale;
  orthogonalise_columns(&b, v);
  for (int j = 0; j < 3; j++) values[j] = dv_vec3_norm(dv_mat3_column(b, j));
  static const int pairs[3][2] = {{0, 1}, {1, 2}, {0, 1}};
  for (int k = 0; k < 3; k++) {
    int i = pairs[k][0], j = pairs[k][1];
    if (values[i] >= values[j]) continue;
    double value = values[i];
    values[i] = values[j];
    values[j] = value;
    swap_columns(&b, i, j);
    swap_columns(v, i, j);
  }
  int rank = 0;
  for (; rank < 3 && values[rank] > 1e-15 * values[0]; rank++)
    dv_mat3_set_column(u, rank, dv_vec3_scale(dv_mat3_column(b, rank), 1.0 / values[rank]));
  complete_basis(u, rank);
  *sigma = dv_vec3(scale * values[0], scale * values[1], scale * values[2]);
}

static void flip_column(dvMat3 *a, int j) { dv_mat3_set_column(a, j, dv_vec3_neg(dv_mat3_column(*a, j))); }

bool dv_svd_rotations(const dvMat3 *m, dvMat3 *u, dvVec3 *sigma, dvMat3 *v)
{
  dv_svd(m, u, sigma, v);
  bool flip_u = dv_mat3_det(*u) < 0, flip_v = dv_mat3_det(*v) < 0;
  if (flip_u) flip_column(u, 2);
  if (flip_v) flip_column(v, 2);
  if (flip_u != flip_v) sigma->z = -sigma->z;
  return sigma->z < 1e-4;
}

bool dv_polar_stable(const dvMat3 *m, dvMat3 *q, dvMat3 *s)
{
  dvMat3 u, v;
  dvVec3 sigma;
  bool degenerate = dv_svd_rotations(m, &u, &sigma, &v);
  *q = dv_mat3_mul_t(u, v);
  if (s) *s = symmetric_factor(q, m);
  return degenerate;
}

void dv_eigen_symmetric(const dvMat3 *a, dvVec3 *values, dvMat3 *v)
{
  dvMat3 b = *a;
  for (int i = 1; i < 3; i++)
    for (int j = 0; j < i; j++) b.m[i][j] = b.m[j][i];
  double scale = largest_entry(&b);
  *v = dv_mat3_identity();
  for (int sweep = 0; scale > 0 && sweep < MAX_SWEEPS; sweep++) {
    if (fabs(b.m[0][1]) + fabs(b.m[0][2]) + fabs(b.m[1][2]) <= 1e-18 * scale) break;
    for (int i = 0; i < 2; i++)
      for (int j = i + 1; j < 3; j++) {
        double c, s;
        if (b.m[i][j] == 0) continue;
        jacobi_angle(b.m[i][i], b.m[i][j], b.m[j][j], &c, &s);
        turn_columns(&b, i, j, c, s);
        b = dv_mat3_transpose(b);
        turn_columns(&b, i, j, c, s);
        b.m[i][j] = b.m[j][i] = 0;
        turn_columns(v, i, j, c, s);
      }
  }
  static const int pairs[3][2] = {{0, 1}, {1, 2}, {0, 1}};
  double d[3] = {b.m[0][0], b.m[1][1], b.m[2][2]};
  for (int k = 0; k < 3; k++) {
    int i = pairs[k][0], j = pairs[k][1];
    if (d[i] >= d[j]) continue;
    double value = d[i];
    d[i] = d[j];
    d[j] = value;
    swap_columns(v, i, j);
  }
  if (dv_mat3_det(*v) < 0) flip_column(v, 2);
  *values = dv_vec3(d[0], d[1], d[2]);
}

bool dv_mat3_inverse_divided(dvMat3 m, dvMat3 *inverse)
{
  dvMat3 adjugate = dv_mat3_transpose(dv_mat3_cofactor(m));
  double det = m.m[0][0] * m.m[1][1] * m.m[2][2] + m.m[1][0] * m.m[2][1] * m.m[0][2] +
               m.m[2][0] * m.m[0][1] * m.m[1][2] - m.m[0][0] * m.m[2][1] * m.m[1][2] -
               m.m[1][0] * m.m[0][1] * m.m[2][2] - m.m[2][0] * m.m[1][1] * m.m[0][2];
  if (!(fabs(det) > 1e-100) || !isfinite(det)) return false;
  for (int i = 0; i < 9; i++) inverse->m[i / 3][i % 3] = adjugate.m[i / 3][i % 3] / det;
  return true;
}
