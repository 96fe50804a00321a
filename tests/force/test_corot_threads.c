// Corotational elements of every shape against a plain reference: dense matrices, frames applied corner by corner.
#include "support/check.h"

#include "force/fem/corot/corot.h"
#include "force/tetra_mesh.h"
#include "math/decompose.h"

#include <string.h>

// a mesh without any geometry: elements name random points
typedef struct Mesh {
  size_t points, nodes, count;
  double *rest;
  int32_t *connectivity;
  bool same;   // all elements have one matrix
} Mesh;

static Mesh random_mesh(size_t nodes, size_t count, bool same)
{
  Mesh m = {.points = 3 * count, .nodes = nodes, .count = count, .same = same};
  uint64_t seed = 5 + nodes;
  m.rest = mesh_noise(3 * m.points, NULL, 1, seed);
  m.connectivity = dv_alloc(nodes * count * sizeof *m.connectivity);
  for (size_t e = 0; e < count; e++)
    for (size_t i = 0; i < nodes; i++) m.connectivity[nodes * e + i] = (int32_t)((3 * e + 7 * i) % m.points);
  return m;
}

static void mesh_done(Mesh *m)
{
  dv_free(m->rest);
  dv_free(m->connectivity);
}

// A symmetric matrix with rows of sum 0 that depends on the element (unless all are the same).
static void stiffness(void *user, size_t e, const double *x, double *k)
{
  const Mesh *m = user;
  size_t n = 3 * m->nodes;
  uint64_t seed = m->same ? 1 : e + 1;
  DV_UNUSED(x);
  memset(k, 0, n * n * sizeof *k);
  for (size_t i = 0; i < m->nodes; i++)
    for (size_t j = i + 1; j < m->nodes; j++) {
      double a[3][3];
      for (int r = 0; r < 9; r++) a[r / 3][r % 3] = mesh_random(&seed);
      for (size_t r = 0; r < 3; r++)
        for (size_t c = 0; c < 3; c++) {
          double v = a[r][c] + a[c][r];
          k[n * (3 * i + r) + 3 * i + c] += v;
          k[n * (3 * j + r) + 3 * j + c] += v;
          k[n * (3 * i + r) + 3 * j + c] -= v;
          k[n * (3 * j + r) + 3 * i + c] -= v;
        }
    }
}

static void corners(const Mesh *m, size_t e, const double *x, int width, dvVec3 *out)
{
  for (size_t i = 0; i < m->nodes; i++) {
    double p[3] = {0};
    for (int k = 0; k < width; k++) p[k] = x[(size_t)width * (size_t)m->connectivity[m->nodes * e + i] + (size_t)k];
    out[i] = dv_vec3_load(p);
  }
}

// rows of the result are the axes
static dvMat3 reference_axes(dvCorotFrame frame, const double *weights, size_t nodes, const dvVec3 *x,
                             const dvVec3 *rest, int width)
{
  dvVec3 v[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, centre = {0, 0, 0};
  dvMat3 q = dv_mat3_identity();
  if (frame == DV_FRAME_FIXED) return q;
  for (size_t i = 0; i < nodes; i++) centre = dv_vec3_add_scaled(centre, rest[i], 1.0 / (double)nodes);
  for (size_t i = 0; i < nodes; i++) {
    dvVec3 r = dv_vec3_sub(rest[i], centre);
    double own[3] = {r.x, r.y, r.z};
    for (size_t k = 0; k < 3; k++) v[k] = dv_vec3_add_scaled(v[k], x[i], weights ? weights[k * nodes + i] : own[k]);
  }
  if (frame == DV_FRAME_EDGES) {
    dvVec3 a = dv_vec3_normalise(v[0]), c = dv_vec3_normalise(dv_vec3_cross(a, v[1]));
    return dv_mat3_from_rows(a, dv_vec3_cross(c, a), c);
  }
  dvMat3 m = dv_mat3_from_rows(v[0], v[1], v[2]);
  double size = sqrt(dv_vec3_norm2(v[0]) + dv_vec3_norm2(v[1]) + dv_vec3_norm2(v[2]));
  for (int k = width; k < 3; k++) m.m[k][k] = size;
  if (frame == DV_FRAME_POLAR) dv_polar(&m, &q, NULL);
  else dv_polar_stable(&m, &q, NULL);
  return q;
}

typedef struct Case {
  size_t nodes;
  int width;
  dvCorotFrame frame;
  const double *weights;
} Case;

static void reference(const Mesh *m, const Case *c, const double *x, const double *dx, double factor, double *f,
                      double *df)
{
  size_t n = 3 * m->nodes;
  for (size_t e = 0; e < m->count; e++) {
    dvVec3 rest[8], now[8], move[8];
    double k[DV_COROT_MATRIX], u[24], du[24];
    corners(m, e, m->rest, c->width, rest);
    corners(m, e, x, c->width, now);
    corners(m, e, dx, c->width, move);
    dvMat3 first =
        c->weights ? reference_axes(c->frame, c->weights, m->nodes, rest, rest, c->width) : dv_mat3_identity();
    dvMat3 axes = reference_axes(c->frame, c->weights, m->nodes, now, rest, c->width);
    stiffness((void *)m, e, NULL, k);
    for (size_t i = 0; i < m->nodes; i++) {
      dv_vec3_store(u + 3 * i, dv_vec3_sub(dv_mat3_mul_vec(first, rest[i]), dv_mat3_mul_vec(axes, now[i])));
      dv_vec3_store(du + 3 * i, dv_vec3_scale(dv_mat3_mul_vec(axes, move[i]), -factor));
    }
    for (size_t i = 0; i < m->nodes; i++) {
      double a[3] = {0}, b[3] = {0};
      for (size_t r = 0; r < 3; r++)
        for (size_t j = 0; j < n; j++) {
          a[r] += k[n * (3 * i + r) + j] * u[j];
          b[r] += k[n * (3 * i + r) + j] * du[j];
        }
      dvVec3 force = dv_mat3_t_mul_vec(axes, dv_vec3_load(a)), change = dv_mat3_t_mul_vec(axes, dv_vec3_load(b));
      double p[3], q[3];
      dv_vec3_store(p, force);
      dv_vec3_store(q, change);
      for (int r = 0; r < c->width; r++) {
        f[(size_t)c->width * (size_t)m->connectivity[m->nodes * e + i] + (size_t)r] += p[r];
        df[(size_t)c->width * (size_t)m->connectivity[m->nodes * e + i] + (size_t)r] += q[r];
      }
    }
  }
}

static double largest(const double *a, size_t n)
{
  double most = 0;
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(a[i]));
  return most;
}

static const double hexa_weights[24] = {-0.25, 0.25,  0.25,  -0.25, -0.25, 0.25,  0.25, -0.25,
                                        -0.25, -0.25, 0.25,  0.25,  -0.25, -0.25, 0.25, 0.25,
                                        -0.25, -0.25, -0.25, -0.25, 0.25,  0.25,  0.25, 0.25};
static const double tetra_weights[12] = {-1, 1, 0, 0, -1, 0, 1, 0, -1, 0, 0, 1};

static const Case cases[] = {
    {8, 3, DV_FRAME_EDGES, hexa_weights}, {8, 3, DV_FRAME_POLAR, hexa_weights},  {8, 3, DV_FRAME_FIXED, NULL},
    {8, 3, DV_FRAME_STABLE, NULL},        {4, 3, DV_FRAME_EDGES, tetra_weights}, {4, 3, DV_FRAME_STABLE, NULL},
    {5, 3, DV_FRAME_POLAR, NULL},         {6, 3, DV_FRAME_STABLE, NULL},         {3, 3, DV_FRAME_FIXED, NULL},
    {2, 3, DV_FRAME_FIXED, NULL},         {3, 2, DV_FRAME_POLAR, NULL},          {4, 2, DV_FRAME_STABLE, NULL},
    {2, 1, DV_FRAME_FIXED, NULL},
};

static dvCorot *create(const Mesh *m, const Case *c)
{
  dvCorot *t = NULL;
  dvCorotDef def = {.rest = m->rest,
                    .width = c->width,
                    .points = m->points,
                    .connectivity = m->connectivity,
                    .nodes = m->nodes,
                    .count = m->count,
                    .frame = c->frame,
                    .weights = c->weights,
                    .stiffness = stiffness,
                    .user = (void *)m};
  assert_int_equal(dv_corot_create(&def, &t), DV_OK);
  return t;
}

static void force_and_dforce_equal_the_reference(void **state)
{
  DV_UNUSED(state);
  for (size_t i = 0; i < 2 * DV_COUNT(cases); i++) {
    const Case *c = &cases[i / 2];
    Mesh m = random_mesh(c->nodes, i % 2 ? 50 : 1500, i % 2);
    size_t n = (size_t)c->width * m.points;
    dvCorot *t = create(&m, c);
    assert_int_equal(dv_corot_shares(t), m.same);
    double *x = mesh_noise(n, m.rest, 0.3, 11), *dx = mesh_noise(n, NULL, 1, 12), *f = mesh_noise(n, NULL, 1, 2),
           *df = mesh_noise(n, NULL, 1, 3);
    double *f0 = mesh_noise(n, NULL, 1, 2), *df0 = mesh_noise(n, NULL, 1, 3);
    dv_corot_add_force(t, NULL, x, f);
    dv_corot_add_dforce(t, NULL, dx, 0.3, df);
    reference(&m, c, x, dx, 0.3, f0, df0);
    double force = 1e-11 * largest(f0, n), product = 1e-11 * largest(df0, n);
    for (size_t k = 0; k < n; k++) check_close(f[k], f0[k], force);
    for (size_t k = 0; k < n; k++) check_close(df[k], df0[k], product);
    // the same product from assembled matrices
    memset(df, 0, n * sizeof *df);
    memset(df0, 0, n * sizeof *df0);
    dv_corot_add_dforce(t, NULL, dx, -0.7, df);
    size_t w = (size_t)c->width, size = w * c->nodes;
    for (size_t e = 0; e < m.count; e++) {
      double k[DV_COROT_MATRIX];
      dv_corot_stiffness(t, e, -0.7, k);
      for (size_t r = 0; r < size; r++)
        for (size_t s = 0; s < size; s++)
          df0[w * (size_t)m.connectivity[c->nodes * e + r / w] + r % w] +=
              k[size * r + s] * dx[w * (size_t)m.connectivity[c->nodes * e + s / w] + s % w];
    }
    product = 1e-11 * largest(df0, n);
    for (size_t k = 0; k < n; k++) check_close(df[k], df0[k], product);
    double *all[] = {x, dx, f, df, f0, df0};
    for (size_t a = 0; a < DV_COUNT(all); a++) dv_free(all[a]);
    dv_corot_destroy(&t);
    mesh_done(&m);
  }
}

static void rigid_motion_gives_no_force(void **state)
{
  DV_UNUSED(state);
  dvQuat q = dv_quat_from_rotation_vector(dv_vec3(1.1, -0.7, 1.9));
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    const Case *c = &cases[i];
    if (c->frame == DV_FRAME_FIXED || c->width < 3) continue;
    Mesh m = random_mesh(c->nodes, 40, false);
    dvCorot *t = create(&m, c);
    double *x = mesh_noise(3 * m.points, NULL, 0, 1), *f = mesh_noise(3 * m.points, NULL, 0, 1), r[9];
    for (size_t p = 0; p < m.points; p++)
      dv_vec3_store(x + 3 * p, dv_vec3_add(dv_quat_rotate(q, dv_vec3_load(m.rest + 3 * p)), dv_vec3(3, -1, 2)));
    dv_corot_add_force(t, NULL, x, f);
    check_close(largest(f, 3 * m.points), 0, 1e-12);
    check_close(dv_corot_energy(t, NULL, x), 0, 1e-20);
    dvMat3 turn = dv_quat_to_matrix(q);
    dv_corot_rotation(t, 7, r);
    for (int k = 0; k < 9; k++) check_close(r[k], turn.m[k / 3][k % 3], 1e-12);
    dv_free(x);
    dv_free(f);
    dv_corot_destroy(&t);
    mesh_done(&m);
  }
}

static void empty_and_wrong_meshes(void **state)
{
  DV_UNUSED(state);
  double rest[6] = {0, 0, 0, 1, 0, 0}, f[6] = {0};
  int32_t wrong[2] = {0, 2};
  Mesh m = {.points = 2, .nodes = 2, .count = 0, .rest = rest, .connectivity = wrong};
  dvCorot *t = create(&m, &cases[9]);
  dv_corot_add_force(t, NULL, rest, f);
  check_close(dv_corot_energy(t, NULL, rest), 0, 0);
  dv_corot_destroy(&t);
  dvCorotDef def = {.rest = rest,
                    .width = 3,
                    .points = 2,
                    .connectivity = wrong,
                    .nodes = 2,
                    .count = 1,
                    .stiffness = stiffness,
                    .user = &m};
  assert_int_equal(dv_corot_create(&def, &t), DV_ERROR_INPUT);
  assert_null(t);
}

static void same_bits_for_any_number_of_threads(void **state)
{
  DV_UNUSED(state);
  Mesh m = random_mesh(8, 4000, false);
  size_t n = 3 * m.points;
  double *f[3], *x = mesh_noise(n, m.rest, 0.2, 4);
  for (int threads = 1; threads <= 3; threads++) {
    dvPool *pool = dv_pool_create(threads);
    dvCorot *t = create(&m, &cases[0]);
    f[threads - 1] = mesh_noise(n, NULL, 1, 6);
    dv_corot_add_force(t, pool, x, f[threads - 1]);
    dv_corot_add_dforce(t, pool, f[threads - 1], -0.2, f[threads - 1]);
    assert_memory_equal(f[0], f[threads - 1], n * sizeof **f);
    dv_corot_destroy(&t);
    dv_pool_destroy(&pool);
  }
  for (int i = 0; i < 3; i++) dv_free(f[i]);
  dv_free(x);
  mesh_done(&m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(force_and_dforce_equal_the_reference),
      cmocka_unit_test(rigid_motion_gives_no_force),
      cmocka_unit_test(empty_and_wrong_meshes),
      cmocka_unit_test(same_bits_for_any_number_of_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
