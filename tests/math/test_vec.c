// Vectors, matrices and quaternions: identities, and SOFA's conventions.
#include "support/check.h"

#include "base/base.h"
#include "math/vec.h"

static double noise(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
  return (double)(int64_t)*seed * 0x1p-63;
}

static dvVec3 random_vec(uint64_t *seed)
{
  double x = noise(seed), y = noise(seed), z = noise(seed);
  return dv_vec3(x, y, z);
}

static void check_vec(dvVec3 a, dvVec3 b, double tolerance)
{
  check_close(a.x, b.x, tolerance);
  check_close(a.y, b.y, tolerance);
  check_close(a.z, b.z, tolerance);
}

static void check_mat(dvMat3 a, dvMat3 b, double tolerance)
{
  for (int i = 0; i < 9; i++) check_close(a.m[i / 3][i % 3], b.m[i / 3][i % 3], tolerance);
}

static void check_same_rotation(dvQuat a, dvQuat b, double tolerance)
{
  check_close(fabs(dv_quat_dot(a, b)), 1, tolerance);
}

static void matrices_obey_their_identities(void **state)
{
  DV_UNUSED(state);
  uint64_t seed = 1;
  for (int i = 0; i < 1000; i++) {
    dvVec3 a = random_vec(&seed), b = random_vec(&seed), c = random_vec(&seed);
    dvMat3 m = dv_mat3_from_columns(a, b, c), n = dv_mat3_from_rows(c, a, b), inverse = dv_mat3_identity();
    check_close(dv_mat3_det(m), dv_vec3_dot(a, dv_vec3_cross(b, c)), 1e-15);
    check_close(dv_mat3_det(dv_mat3_mul(m, n)), dv_mat3_det(m) * dv_mat3_det(n), 1e-14);
    assert_true(dv_mat3_inverse(m, &inverse));
    check_mat(dv_mat3_mul(m, inverse), dv_mat3_identity(), 1e-12 / fabs(dv_mat3_det(m)));
    check_mat(dv_mat3_mul_t(m, n), dv_mat3_mul(m, dv_mat3_transpose(n)), 0);
    check_mat(dv_mat3_t_mul(m, n), dv_mat3_mul(dv_mat3_transpose(m), n), 0);
    check_vec(dv_mat3_mul_vec(dv_mat3_skew(a), b), dv_vec3_cross(a, b), 1e-16);
    check_vec(dv_mat3_mul_vec(dv_mat3_outer(a, b), c), dv_vec3_scale(a, dv_vec3_dot(b, c)), 1e-15);
    check_close(dv_vec3_norm(dv_vec3_normalise(a)), 1, 1e-15);
    double numbers[9];
    dv_mat3_store(numbers, m);
    check_mat(dv_mat3_load(numbers), m, 0);
  }
  dvMat3 untouched = dv_mat3_identity(), flat = dv_mat3_outer(dv_vec3(1, 2, 3), dv_vec3(4, 5, 6));
  assert_false(dv_mat3_inverse(flat, &untouched));
  check_mat(untouched, dv_mat3_identity(), 0);
  check_vec(dv_vec3_normalise(dv_vec3(0, 0, 0)), dv_vec3(0, 0, 0), 0);
}

static void quaternions_and_matrices_turn_alike(void **state)
{
  DV_UNUSED(state);
  uint64_t seed = 2;
  for (int i = 0; i < 1000; i++) {
    dvVec3 r = dv_vec3_scale(random_vec(&seed), 3), v = random_vec(&seed);
    dvQuat q = dv_quat_from_rotation_vector(r), p = dv_quat_from_rotation_vector(random_vec(&seed));
    dvMat3 m = dv_quat_to_matrix(q);
    check_vec(dv_quat_rotate(q, v), dv_mat3_mul_vec(m, v), 1e-14);
    check_vec(dv_quat_inverse_rotate(q, dv_quat_rotate(q, v)), v, 1e-14);
    check_vec(dv_quat_rotate(dv_quat_mul(q, p), v), dv_quat_rotate(q, dv_quat_rotate(p, v)), 1e-14);
    check_same_rotation(dv_quat_from_matrix(m), q, 1e-14);
    check_same_rotation(dv_quat_mul(q, dv_quat_inverse(q)), dv_quat_identity(), 1e-14);
    dvVec3 back = dv_quat_to_rotation_vector(q);
    check_same_rotation(dv_quat_from_rotation_vector(back), q, 1e-14);
    assert_true(dv_vec3_norm(back) <= M_PI + 1e-12);
    if (dv_vec3_norm(r) < M_PI - 1e-3) check_vec(back, r, 1e-12);
    check_same_rotation(dv_quat_from_euler(dv_quat_to_euler(q)), q, 1e-9);
  }
  // half turns, where the real part vanishes
  for (int i = 0; i < 3; i++) {
    dvMat3 m = dv_mat3_diagonal(dv_vec3(i == 0 ? 1 : -1, i == 1 ? 1 : -1, i == 2 ? 1 : -1));
    dvQuat q = dv_quat_from_matrix(m);
    check_mat(dv_quat_to_matrix(q), m, 0);
  }
}

static void euler_angles_are_sofas(void **state)
{
  DV_UNUSED(state);
  double a = 0.3, b = -0.8, c = 1.7, h = M_PI / 2;
  // about the fixed axes x, then y, then z
  dvQuat q = dv_quat_from_euler(dv_vec3(a, b, c));
  dvQuat x = dv_quat_from_axis(dv_vec3(1, 0, 0), a), y = dv_quat_from_axis(dv_vec3(0, 1, 0), b);
  dvQuat z = dv_quat_from_axis(dv_vec3(0, 0, 1), c);
  check_same_rotation(q, dv_quat_mul(z, dv_quat_mul(y, x)), 1e-15);
  check_vec(dv_quat_to_euler(q), dv_vec3(a, b, c), 1e-15);
  // the closed form of the default order
  double c1 = cos(a / 2), c2 = cos(b / 2), c3 = cos(c / 2), s1 = sin(a / 2), s2 = sin(b / 2), s3 = sin(c / 2);
  check_close(q.x, s1 * c2 * c3 - c1 * s2 * s3, 4e-16);
  check_close(q.y, c1 * s2 * c3 + s1 * c2 * s3, 4e-16);
  check_close(q.z, c1 * c2 * s3 - s1 * s2 * c3, 4e-16);
  check_close(q.w, c1 * c2 * c3 + s1 * s2 * s3, 4e-16);
  dvQuat turned = dv_quat_from_euler_order(dv_vec3(h, h, 0), DV_EULER_XYZ);
  check_vec(dv_quat_rotate(turned, dv_vec3(0, 0, 1)), dv_vec3(1, 0, 0), 1e-15);
  turned = dv_quat_from_euler(dv_vec3(h, h, 0));
  check_vec(dv_quat_rotate(turned, dv_vec3(0, 0, 1)), dv_vec3(0, -1, 0), 1e-15);
}

static void normalising_follows_sofas_rules(void **state)
{
  DV_UNUSED(state);
  dvQuat near = {0, 0, 0, 1 + 4e-11}, far = {1, 2, 3, 4}, null = {0, 0, 0, 0};
  assert_true(dv_quat_normalise(near).w == near.w);
  dvQuat q = dv_quat_normalise(far);
  check_close(dv_quat_dot(q, q), 1, 1e-15);
  assert_true(dv_quat_normalise(null).w == 1);
  check_close(dv_quat_from_rotation_vector(dv_vec3(0, 1e-7, 0)).y, 0.5e-7, 1e-21);
  check_vec(dv_quat_to_rotation_vector(dv_quat_identity()), dv_vec3(0, 0, 0), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(matrices_obey_their_identities),
      cmocka_unit_test(quaternions_and_matrices_turn_alike),
      cmocka_unit_test(euler_angles_are_sofas),
      cmocka_unit_test(normalising_follows_sofas_rules),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
