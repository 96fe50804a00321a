// Polar, singular value and eigenvalue decompositions: reconstruction and orthogonality for random,
// singular, inverted and nearly degenerate matrices.
#include "support/check.h"

#include "base/base.h"
#include "math/decompose.h"

enum { KINDS = 9 };

static double noise(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
  return (double)(int64_t)*seed * 0x1p-63;
}

static dvMat3 random_rotation(uint64_t *seed)
{
  double x = noise(seed), y = noise(seed), z = noise(seed);
  return dv_quat_to_matrix(dv_quat_from_rotation_vector(dv_vec3_scale(dv_vec3(x, y, z), 3)));
}

// U diag V^T with the singular values of a kind
static dvMat3 random_matrix(int kind, uint64_t *seed)
{
  static const double values[KINDS][3] = {
      {3, 2, 1}, {1, 1, 1}, {1, 1 + 1e-15, 1 - 1e-9}, {1, 1, -1e-3},           {2, 1, 0},
      {1, 0, 0}, {0, 0, 0}, {1e150, 3e149, 1e148},    {5e-120, 2e-120, 1e-120}};
  const double *v = values[kind];
  dvMat3 u = random_rotation(seed), d = dv_mat3_diagonal(dv_vec3(v[0], v[1], v[2]));
  return dv_mat3_mul(dv_mat3_mul(u, d), random_rotation(seed));
}

static double size_of(dvMat3 a)
{
  double most = 0;
  for (int i = 0; i < 9; i++) most = fmax(most, fabs(a.m[i / 3][i % 3]));
  return most;
}

static void check_mat(dvMat3 a, dvMat3 b, double tolerance)
{
  for (int i = 0; i < 9; i++) check_close(a.m[i / 3][i % 3], b.m[i / 3][i % 3], tolerance);
}

static void check_orthogonal(dvMat3 a) { check_mat(dv_mat3_t_mul(a, a), dv_mat3_identity(), 4e-15); }

static void svd_reconstructs_anything(void **state)
{
  DV_UNUSED(state);
  uint64_t seed = 3;
  for (int i = 0; i < 200 * KINDS; i++) {
    dvMat3 m = random_matrix(i % KINDS, &seed), u, v;
    dvVec3 s;
    dv_svd(&m, &u, &s, &v);
    check_orthogonal(u);
    check_orthogonal(v);
    assert_true(s.x >= s.y && s.y >= s.z && s.z >= 0);
    check_mat(dv_mat3_mul_t(dv_mat3_mul(u, dv_mat3_diagonal(s)), v), m, 1e-14 * size_of(m));
    dv_svd_rotations(&m, &u, &s, &v);
    check_close(dv_mat3_det(u), 1, 1e-14);
    check_close(dv_mat3_det(v), 1, 1e-14);
    check_mat(dv_mat3_mul_t(dv_mat3_mul(u, dv_mat3_diagonal(s)), v), m, 1e-14 * size_of(m));
  }
}

static void small_singular_values_are_accurate(void **state)
{
  DV_UNUSED(state);
  uint64_t seed = 4;
  for (int i = 0; i < 100; i++) {
    // columns scaled apart: the values are known to a relative precision
    dvMat3 q = random_rotation(&seed), m = dv_mat3_mul(q, dv_mat3_diagonal(dv_vec3(1e-9, 1, 1e-5))), u, v;
    dvVec3 s;
    dv_svd(&m, &u, &s, &v);
    check_close(s.y, 1e-5, 1e-19);
    check_close(s.z, 1e-9, 1e-23);
  }
}

static void polar_gives_the_nearest_orthogonal_matrix(void **state)
{
  DV_UNUSED(state);
  static const int regular[] = {0, 1, 2, 3, 7};
  uint64_t seed = 5;
  for (int i = 0; i < 1000; i++) {
    dvMat3 m = random_matrix(regular[i % 5], &seed), q, s, u, v;
    if (regular[i % 5] == 7) m = dv_mat3_scale(m, 1e-100);   // the cofactors of larger ones overflow
    dvVec3 sigma;
    double det = dv_polar(&m, &q, &s);
    check_orthogonal(q);
    check_close(det, dv_mat3_det(m) > 0 ? 1 : -1, 1e-7);
    check_mat(dv_mat3_mul(q, s), m, 1e-14 * size_of(m));
    check_mat(s, dv_mat3_transpose(s), 0);
    // the product of singular vectors, which is as sensitive as the two smallest values are small
    dv_svd(&m, &u, &sigma, &v);
    check_mat(q, dv_mat3_mul_t(u, v), 1e-14 * sigma.x / (sigma.y + sigma.z));
    check_close(dv_polar(&m, &u, NULL), det, 0);
    check_mat(u, q, 0);
  }
}

static void singular_polar_stops_where_it_is(void **state)
{
  DV_UNUSED(state);
  dvMat3 m = dv_mat3_diagonal(dv_vec3(2, 3, 0)), q;
  check_close(dv_polar(&m, &q, NULL), 0, 0);
  check_mat(q, m, 0);
}

static void stable_polar_is_always_a_rotation(void **state)
{
  DV_UNUSED(state);
  uint64_t seed = 6;
  static const bool bad[KINDS] = {false, false, false, true, true, true, true, false, true};
  for (int i = 0; i < 200 * KINDS; i++) {
    dvMat3 m = random_matrix(i % KINDS, &seed), q, s, plain;
    assert_int_equal(dv_polar_stable(&m, &q, &s), bad[i % KINDS]);
    check_orthogonal(q);
    check_close(dv_mat3_det(q), 1, 1e-14);
    check_mat(dv_mat3_mul(q, s), m, 1e-14 * size_of(m));
    if (i % KINDS > 2) continue;
    dv_polar(&m, &plain, NULL);
    check_mat(q, plain, 1e-14);
  }
}

static void eigenvectors_diagonalise(void **state)
{
  DV_UNUSED(state);
  uint64_t seed = 7;
  static const double values[6][3] = {{3, 2, 1},  {1, 1, 1}, {2, 1 + 1e-14, 1},
                                      {4, 0, -4}, {0, 0, 0}, {1e10, 1, -1e-10}};
  for (int i = 0; i < 1200; i++) {
    const double *d = values[i % 6];
    dvMat3 q = random_rotation(&seed), v;
    dvMat3 a = dv_mat3_mul_t(dv_mat3_mul(q, dv_mat3_diagonal(dv_vec3(d[0], d[1], d[2]))), q);
    a = dv_mat3_scale(dv_mat3_add(a, dv_mat3_transpose(a)), 0.5);
    dvVec3 found;
    dv_eigen_symmetric(&a, &found, &v);
    check_orthogonal(v);
    check_close(dv_mat3_det(v), 1, 1e-14);
    double tolerance = 1e-14 * fabs(d[0]);   // q is orthogonal to rounding only
    check_close(found.x, d[0], tolerance);
    check_close(found.y, d[1], tolerance);
    check_close(found.z, d[2], tolerance);
    check_mat(dv_mat3_mul_t(dv_mat3_mul(v, dv_mat3_diagonal(found)), v), a, tolerance);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(svd_reconstructs_anything),
      cmocka_unit_test(small_singular_values_are_accurate),
      cmocka_unit_test(polar_gives_the_nearest_orthogonal_matrix),
      cmocka_unit_test(singular_polar_stops_where_it_is),
      cmocka_unit_test(stable_polar_is_always_a_rotation),
      cmocka_unit_test(eigenvectors_diagonalise),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
