// Corotational tetrahedra against a plain reference: 6 x 12 strain matrices, dense element matrices,
// rotations applied corner by corner.
#include "support/check.h"

#include "force/fem/corot/tetra_corot.h"
#include "force/tetra_mesh.h"
#include "math/decompose.h"

#include <string.h>

static const dvCorotMethod methods[] = {DV_COROT_SMALL, DV_COROT_LARGE, DV_COROT_POLAR, DV_COROT_SVD,
                                        DV_COROT_DEFORMATION};
enum { METHODS = DV_COUNT(methods) };

// --- reference ---

// rows of the result are the axes of the element's frame
static dvMat3 reference_frame(dvCorotMethod method, const dvVec3 x[4], const dvVec3 rest[4])
{
  dvVec3 ab = dv_vec3_sub(x[1], x[0]), ac = dv_vec3_sub(x[2], x[0]), ad = dv_vec3_sub(x[3], x[0]);
  dvMat3 edges = dv_mat3_from_rows(ab, ac, ad), frame = dv_mat3_identity();
  if (method == DV_COROT_LARGE) {
    dvVec3 ex = dv_vec3_normalise(ab), ez = dv_vec3_normalise(dv_vec3_cross(ex, ac));
    frame = dv_mat3_from_rows(ex, dv_vec3_cross(ez, ex), ez);
  }
  if (method == DV_COROT_DEFORMATION) {   // now = F rest, by rows: edges = first F^T
    dvMat3 first = dv_mat3_from_rows(dv_vec3_sub(rest[1], rest[0]), dv_vec3_sub(rest[2], rest[0]),
                                     dv_vec3_sub(rest[3], rest[0])),
           inverse;
    dv_mat3_inverse(first, &inverse);
    edges = dv_mat3_mul(inverse, edges);
  }
  if (method >= DV_COROT_POLAR) dv_polar(&edges, &frame, NULL);
  return frame;
}

// 6 x 12 strain matrix of a tetrahedron, with engineering shears xy, yz, zx; returns the volume
static double reference_strain(const dvVec3 x[4], double b[6][12])
{
  double volume = 0;
  memset(b, 0, 6 * 12 * sizeof(double));
  for (int i = 0; i < 4; i++) {
    // the gradient is normal to the face in front of the corner, and one over its height long
    dvVec3 p = x[(i + 1) % 4], q = x[(i + 2) % 4], r = x[(i + 3) % 4];
    dvVec3 normal = dv_vec3_cross(dv_vec3_sub(q, p), dv_vec3_sub(r, p));
    double six = dv_vec3_dot(normal, dv_vec3_sub(x[i], p));
    dvVec3 g = dv_vec3_scale(normal, 1 / six);
    volume = fabs(six) / 6;
    int c = 3 * i;
    b[0][c] = b[3][c + 1] = b[5][c + 2] = g.x;
    b[1][c + 1] = b[3][c] = b[4][c + 2] = g.y;
    b[2][c + 2] = b[4][c + 1] = b[5][c] = g.z;
  }
  return volume;
}

// V B^T C B in the frame at rest
static void reference_matrix(const dvVec3 x[4], double young, double nu, double k[12][12])
{
  double b[6][12], cb[6][12], volume = reference_strain(x, b);
  double scale = young / ((1 + nu) * (1 - 2 * nu));
  for (int j = 0; j < 12; j++)
    for (int r = 0; r < 6; r++) {
      if (r < 3) cb[r][j] = scale * ((1 - nu) * b[r][j] + nu * (b[(r + 1) % 3][j] + b[(r + 2) % 3][j]));
      else cb[r][j] = scale * 0.5 * (1 - 2 * nu) * b[r][j];
    }
  for (int i = 0; i < 12; i++)
    for (int j = 0; j < 12; j++) {
      k[i][j] = 0;
      for (int r = 0; r < 6; r++) k[i][j] += volume * b[r][i] * cb[r][j];
    }
}

static void corners(const TetraMesh *m, size_t e, const double *x, dvVec3 out[4])
{
  for (int i = 0; i < 4; i++) out[i] = dv_vec3_load(x + 3 * (size_t)m->tetrahedra[4 * e + (size_t)i]);
}

// out += R K u, where u are four vectors in the frame
static void reference_product(const TetraMesh *m, size_t e, const double k[12][12], dvMat3 frame, const dvVec3 u[4],
                              double *out)
{
  double flat[12];
  for (int i = 0; i < 4; i++) dv_vec3_store(flat + 3 * i, u[i]);
  for (int i = 0; i < 4; i++) {
    double f[3] = {0};
    for (int c = 0; c < 3; c++)
      for (int j = 0; j < 12; j++) f[c] += k[3 * i + c][j] * flat[j];
    dv_vec3_accumulate(out + 3 * m->tetrahedra[4 * e + (size_t)i], dv_mat3_t_mul_vec(frame, dv_vec3_load(f)));
  }
}

// force at x, and df = factor (-K) dx at the same rotations
static void reference(const TetraMesh *m, dvCorotMethod method, const double *x, const double *dx, double factor,
                      double *force, double *dforce)
{
  for (size_t e = 0; e < m->count; e++) {
    dvVec3 rest[4], now[4], du[4], u[4];
    double k[12][12];
    corners(m, e, m->rest, rest);
    corners(m, e, x, now);
    corners(m, e, dx, du);
    dvMat3 first = reference_frame(method, rest, rest), frame = reference_frame(method, now, rest);
    for (int i = 0; i < 4; i++) rest[i] = dv_mat3_mul_vec(first, rest[i]);
    reference_matrix(rest, m->young[e], m->poisson[e], k);
    for (int i = 0; i < 4; i++) {
      u[i] = dv_vec3_sub(rest[i], dv_mat3_mul_vec(frame, now[i]));
      du[i] = dv_vec3_scale(dv_mat3_mul_vec(frame, du[i]), -factor);
    }
    reference_product(m, e, k, frame, u, force);
    reference_product(m, e, k, frame, du, dforce);
  }
}

// --- helpers ---

static dvTetraCorotDef definition(const TetraMesh *m, dvCorotMethod method)
{
  return (dvTetraCorotDef){.rest = m->rest,
                           .points = m->points,
                           .tetrahedra = m->tetrahedra,
                           .count = m->count,
                           .young = m->young,
                           .poisson = m->poisson,
                           .method = method};
}

static dvTetraCorot *create(const TetraMesh *m, dvCorotMethod method, size_t block, dvTetraReport *report)
{
  dvTetraCorot *t = NULL;
  dvTetraCorotDef def = definition(m, method);
  def.block_elements = block;
  assert_int_equal(dv_tetra_corot_create(&def, &t, report), DV_OK);
  return t;
}

static double largest(const double *a, size_t n)
{
  double most = 0;
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(a[i]));
  return most;
}

static void check_arrays(const double *a, const double *b, size_t n, double tolerance)
{
  for (size_t i = 0; i < n; i++) check_close(a[i], b[i], tolerance);
}

// x turned by a large angle and moved
static double *moved(const TetraMesh *m, const double *x)
{
  double *out = dv_alloc(3 * m->points * sizeof *out);
  dvQuat q = dv_quat_from_rotation_vector(dv_vec3(1.1, -0.7, 1.9));
  for (size_t p = 0; p < m->points; p++)
    dv_vec3_store(out + 3 * p, dv_vec3_add(dv_quat_rotate(q, dv_vec3_load(x + 3 * p)), dv_vec3(3, -2, 5)));
  return out;
}

static double dot(const double *a, const double *b, size_t n)
{
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

// --- tests ---

static void force_and_dforce_equal_the_reference(void **state)
{
  DV_UNUSED(state);
  static const size_t blocks[] = {0, 4, 36};
  for (size_t i = 0; i < 3 * METHODS; i++) {
    TetraMesh m = mesh_box(4, 3, 5);
    size_t n = 3 * m.points;
    dvCorotMethod method = methods[i % METHODS];
    dvTetraCorot *t = create(&m, method, blocks[i / METHODS], NULL);
    double *shaken = mesh_noise(n, m.rest, 0.15, 11 + i), *x = moved(&m, shaken);
    double *dx = mesh_noise(n, NULL, 1, 23), *f = mesh_noise(n, NULL, 1, 5), *df = mesh_noise(n, NULL, 1, 6);
    double *f0 = mesh_noise(n, NULL, 1, 5), *df0 = mesh_noise(n, NULL, 1, 6);
    dv_tetra_corot_add_force(t, NULL, x, f);
    dv_tetra_corot_add_dforce(t, NULL, dx, 0.37, df);
    reference(&m, method, x, dx, 0.37, f0, df0);
    check_arrays(f, f0, n, 1e-12 * largest(f0, n));
    check_arrays(df, df0, n, 1e-12 * largest(df0, n));
    dv_tetra_corot_destroy(&t);
    assert_null(t);
    double *all[] = {shaken, x, dx, f, df, f0, df0};
    for (size_t a = 0; a < DV_COUNT(all); a++) dv_free(all[a]);
    mesh_free(&m);
  }
}

static void rigid_motion_gives_no_force(void **state)
{
  DV_UNUSED(state);
  TetraMesh m = mesh_box(3, 3, 3);
  for (int i = 1; i < METHODS; i++) {
    dvTetraCorot *t = create(&m, methods[i], 0, NULL);
    double *x = moved(&m, m.rest), *f = mesh_noise(3 * m.points, NULL, 0, 1), r[9];
    dv_tetra_corot_add_force(t, NULL, x, f);
    check_close(largest(f, 3 * m.points), 0, 1e-10);
    check_close(dv_tetra_corot_energy(t, NULL, x), 0, 1e-20);
    dvVec3 corner[4];
    double edges[9];
    corners(&m, 17, m.rest, corner);
    for (int k = 0; k < 3; k++) dv_vec3_store(edges + 3 * k, dv_vec3_sub(corner[k + 1], corner[0]));
    dv_tetra_corot_rotation(t, 17, edges, r);
    dvMat3 turn = dv_quat_to_matrix(dv_quat_from_rotation_vector(dv_vec3(1.1, -0.7, 1.9)));
    for (int k = 0; k < 9; k++) check_close(r[k], turn.m[k / 3][k % 3], 1e-12);
    dv_free(x);
    dv_free(f);
    dv_tetra_corot_destroy(&t);
  }
  mesh_free(&m);
}

static void rest_shape_gives_no_force(void **state)
{
  DV_UNUSED(state);
  TetraMesh m = mesh_box(3, 2, 3);
  for (int i = 0; i < METHODS; i++) {
    dvTetraCorot *t = create(&m, methods[i], 0, NULL);
    double *f = mesh_noise(3 * m.points, NULL, 0, 1);
    dv_tetra_corot_add_force(t, NULL, m.rest, f);
    check_close(largest(f, 3 * m.points), 0, 1e-12);
    dv_free(f);
    dv_tetra_corot_destroy(&t);
  }
  mesh_free(&m);
}

static void check_gradient(TetraMesh m, dvCorotMethod method)
{
  size_t n = 3 * m.points;
  dvTetraCorot *t = create(&m, method, 0, NULL);
  double *x = mesh_noise(n, m.rest, 0.2, 3), *f = mesh_noise(n, NULL, 0, 1), h = 1e-5;
  dv_tetra_corot_add_force(t, NULL, x, f);
  for (size_t i = 0; i < n; i++) {
    double x0 = x[i];
    x[i] = x0 + h;
    double up = dv_tetra_corot_energy(t, NULL, x);
    x[i] = x0 - h;
    double down = dv_tetra_corot_energy(t, NULL, x);
    x[i] = x0;
    check_close(f[i], -(up - down) / (2 * h), 1e-7 * largest(f, n));
  }
  dv_free(x);
  dv_free(f);
  dv_tetra_corot_destroy(&t);
  mesh_free(&m);
}

// The rotation of the deformation gradient does no work: R : d(strain) vanishes, whatever the shape at rest.
static void the_force_is_the_gradient_of_the_energy(void **state)
{
  DV_UNUSED(state);
  check_gradient(mesh_box(2, 2, 2), DV_COROT_SMALL);
  check_gradient(mesh_box(1, 2, 1), DV_COROT_DEFORMATION);
}

// With a polar rotation, the first-order change of the rotation does no work on a symmetric stress as long as
// the edges at rest are an orthogonal tripod: the force then is the gradient of the energy.
static void polar_force_is_the_gradient_for_a_tripod(void **state)
{
  DV_UNUSED(state);
  double rest[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  double x[12] = {0.1, 0, 0.1, 1.3, 0.2, 0, 0.1, 0.9, 0.3, 0, -0.2, 1.2};
  double young = 100, poisson = 0.3, f[12] = {0}, h = 1e-6;
  int32_t tetra[4] = {0, 1, 2, 3};
  TetraMesh m = {.points = 4, .count = 1, .rest = rest, .young = &young, .poisson = &poisson, .tetrahedra = tetra};
  dvTetraCorot *t = create(&m, DV_COROT_POLAR, 0, NULL);
  dv_tetra_corot_add_force(t, NULL, x, f);
  for (int i = 0; i < 12; i++) {
    double x0 = x[i];
    x[i] = x0 + h;
    double up = dv_tetra_corot_energy(t, NULL, x);
    x[i] = x0 - h;
    double down = dv_tetra_corot_energy(t, NULL, x);
    x[i] = x0;
    check_close(f[i], -(up - down) / (2 * h), 1e-7);
  }
  dv_tetra_corot_destroy(&t);
}

static void dforce_is_symmetric_and_forces_balance(void **state)
{
  DV_UNUSED(state);
  TetraMesh m = mesh_box(4, 4, 4);
  size_t n = 3 * m.points;
  for (int i = 0; i < METHODS; i++) {
    dvTetraCorot *t = create(&m, methods[i], 64, NULL);
    double *x = mesh_noise(n, m.rest, 0.2, 3), *u = mesh_noise(n, NULL, 1, 4), *v = mesh_noise(n, NULL, 1, 5);
    double *f = mesh_noise(n, NULL, 0, 1), *ku = mesh_noise(n, NULL, 0, 1), *kv = mesh_noise(n, NULL, 0, 1);
    dv_tetra_corot_add_force(t, NULL, x, f);
    dv_tetra_corot_add_dforce(t, NULL, u, 1, ku);
    dv_tetra_corot_add_dforce(t, NULL, v, 1, kv);
    double scale = sqrt(dot(u, u, n) * dot(kv, kv, n));
    check_close(dot(u, kv, n), dot(v, ku, n), 1e-13 * scale);
    assert_true(dot(u, ku, n) < 0);
    for (size_t c = 0; c < 3; c++) {
      double sum = 0, dsum = 0;
      for (size_t p = 0; p < m.points; p++) sum += f[3 * p + c], dsum += ku[3 * p + c];
      check_close(sum, 0, 1e-11 * largest(f, n));
      check_close(dsum, 0, 1e-11 * largest(ku, n));
    }
    double *all[] = {x, u, v, f, ku, kv};
    for (size_t a = 0; a < DV_COUNT(all); a++) dv_free(all[a]);
    dv_tetra_corot_destroy(&t);
  }
  mesh_free(&m);
}

typedef struct {
  const TetraMesh *mesh;
  const double *dx;
  double *df;
  size_t visited;
} Assembly;

static void multiply_element(Assembly *a, size_t e, const double k[144])
{
  const int32_t *node = a->mesh->tetrahedra + 4 * e;
  a->visited++;
  for (size_t i = 0; i < 12; i++)
    for (size_t j = 0; j < 12; j++)
      a->df[3 * (size_t)node[i / 3] + i % 3] += k[12 * i + j] * a->dx[3 * (size_t)node[j / 3] + j % 3];
}

static void multiply(const dvTetraCorot *t, double k, Assembly *a)
{
  double matrices[DV_LANES * 144];
  dvElementMatrices m = dv_tetra_corot_matrices(t, k);
  for (size_t pack = 0; pack < m.blocks->packs; pack++) {
    m.pack(m.elements, pack, m.k, matrices);
    for (size_t lane = 0; lane < DV_LANES; lane++)
      if (m.blocks->element[DV_LANES * pack + lane] >= 0)
        multiply_element(a, (size_t)m.blocks->element[DV_LANES * pack + lane], matrices + 144 * lane);
  }
}

static void assembled_stiffness_equals_dforce(void **state)
{
  DV_UNUSED(state);
  TetraMesh m = mesh_box(3, 3, 2);
  size_t n = 3 * m.points;
  for (int i = 0; i < METHODS; i++) {
    dvTetraCorot *t = create(&m, methods[i], 0, NULL);
    double *x = mesh_noise(n, m.rest, 0.2, 8), *dx = mesh_noise(n, NULL, 1, 9);
    double *f = mesh_noise(n, NULL, 0, 1), *df = mesh_noise(n, NULL, 0, 1), *kdx = mesh_noise(n, NULL, 0, 1);
    Assembly assembly = {&m, dx, kdx, 0};
    dv_tetra_corot_add_force(t, NULL, x, f);
    dv_tetra_corot_add_dforce(t, NULL, dx, -0.2, df);
    multiply(t, -0.2, &assembly);
    assert_int_equal(assembly.visited, m.count);
    check_arrays(df, kdx, n, 1e-13 * largest(df, n));
    double *all[] = {x, dx, f, df, kdx};
    for (size_t a = 0; a < DV_COUNT(all); a++) dv_free(all[a]);
    dv_tetra_corot_destroy(&t);
  }
  mesh_free(&m);
}

// Strain matrix with normal strains of the gradients in p, shear strains of those in g: rows of p are replaced by g's.
static void mixed_matrix(const dvVec3 now[4], const dvVec3 rest[4], bool mixed, double b[6][12])
{
  double other[6][12], now_volume = reference_strain(now, b), rest_volume = reference_strain(rest, other);
  for (int r = 0; r < 6; r++)
    for (int j = 0; j < 12; j++) b[r][j] = r < 3 || !mixed ? b[r][j] * now_volume / rest_volume : other[r][j];
}

// R B^T C B R^T u with B of the present shape, on the volume at rest; one element at a time
static void present_gradients_equal_the_reference(void **state)
{
  DV_UNUSED(state);
  for (int i = 1; i < METHODS; i++) {
    TetraMesh m = mesh_box(2, 2, 2);
    size_t n = 3 * m.points;
    m.count = 1;
    dvTetraCorotDef def = definition(&m, methods[i]);
    def.present_gradients = true;
    dvTetraCorot *t = NULL;
    assert_int_equal(dv_tetra_corot_create(&def, &t, NULL), DV_OK);
    double *shaken = mesh_noise(n, m.rest, 0.15, 3), *x = moved(&m, shaken), *dx = mesh_noise(n, NULL, 1, 4);
    double *f = mesh_noise(n, NULL, 0, 1), *df = mesh_noise(n, NULL, 0, 1), *f0 = mesh_noise(n, NULL, 0, 1),
           *df0 = mesh_noise(n, NULL, 0, 1);
    dvVec3 rest[4], now[4], du[4], u[4];
    corners(&m, 0, m.rest, rest);
    corners(&m, 0, x, now);
    corners(&m, 0, dx, du);
    dvMat3 first = reference_frame(methods[i], rest, rest), frame = reference_frame(methods[i], now, rest);
    for (int c = 0; c < 4; c++) {
      rest[c] = dv_mat3_mul_vec(first, rest[c]);
      now[c] = dv_mat3_mul_vec(frame, now[c]);
      u[c] = dv_vec3_sub(rest[c], now[c]);
      du[c] = dv_vec3_scale(dv_mat3_mul_vec(frame, du[c]), -0.3);
    }
    double b[6][12], unused[6][12], k[12][12], volume = reference_strain(rest, unused), nu = m.poisson[0];
    mixed_matrix(now, rest, i == 1, b);
    double lambda = m.young[0] * nu / ((1 + nu) * (1 - 2 * nu)), mu = m.young[0] / (2 * (1 + nu));
    for (int p = 0; p < 12; p++)
      for (int q = 0; q < 12; q++) {
        k[p][q] = lambda * (b[0][p] + b[1][p] + b[2][p]) * (b[0][q] + b[1][q] + b[2][q]);
        for (int r = 0; r < 6; r++) k[p][q] += (r < 3 ? 2 : 1) * mu * b[r][p] * b[r][q];
        k[p][q] *= volume;
      }
    reference_product(&m, 0, k, frame, u, f0);
    reference_product(&m, 0, k, frame, du, df0);
    dv_tetra_corot_add_force(t, NULL, x, f);
    dv_tetra_corot_add_dforce(t, NULL, dx, 0.3, df);
    check_arrays(f, f0, n, 1e-12 * largest(f0, n));
    check_arrays(df, df0, n, 1e-12 * largest(df0, n));
    memset(df0, 0, n * sizeof *df0);
    Assembly assembly = {&m, dx, df0, 0};
    multiply(t, 0.3, &assembly);
    check_arrays(df, df0, n, 1e-12 * largest(df0, n));
    double *all[] = {shaken, x, dx, f, df, f0, df0};
    for (size_t a = 0; a < DV_COUNT(all); a++) dv_free(all[a]);
    dv_tetra_corot_destroy(&t);
    mesh_free(&m);
  }
}

// a tetrahedron stretched along x: the elastic strain is what the plastic one leaves, step by step, however often the
// force is evaluated
static void plastic_strain_flows_up_to_its_limit(void **state)
{
  DV_UNUSED(state);
  double rest[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, x[12] = {0, 0, 0, 1.1, 0, 0, 0, 1, 0, 0, 0, 1};
  double young = 100, poisson = 0.25, volume = 1.0 / 6, modulus = young * 0.75 / (1.25 * 0.5);
  int32_t tetra[4] = {0, 1, 2, 3};
  TetraMesh m = {.points = 4, .count = 1, .rest = rest, .young = &young, .poisson = &poisson, .tetrahedra = tetra};
  for (int i = 0; i < METHODS; i++) {
    dvTetraCorotDef def = definition(&m, methods[i]);
    def.plastic_limit = 0.08;
    def.plastic_yield = 0.03;
    def.plastic_creep = 0.5;
    dvTetraCorot *t = NULL;
    assert_int_equal(dv_tetra_corot_create(&def, &t, NULL), DV_OK);
    // six volumes are 1 here: the strain 0.1 leaves 0.05 in the first step, 0.025 in the second (below yield: it stays)
    const double left[4] = {0.05, 0.025, 0.025, 0.025};
    for (int k = 0; k < 4; k++) {
      for (int evaluation = 0; evaluation < 3; evaluation++) {
        double f[12] = {0};
        dv_tetra_corot_add_force(t, NULL, x, f);
        check_close(f[3], -volume * modulus * left[k], 1e-12);
      }
      dv_tetra_corot_end_step(t);
    }
    dv_tetra_corot_destroy(&t);
    def.plastic_limit = 0.04;   // no more than this stays
    assert_int_equal(dv_tetra_corot_create(&def, &t, NULL), DV_OK);
    double f[12] = {0};
    dv_tetra_corot_add_force(t, NULL, x, f);
    check_close(f[3], -volume * modulus * 0.06, 1e-12);
    dv_tetra_corot_end_step(t);
    check_close(dv_tetra_corot_energy(t, NULL, x), 0.5 * volume * modulus * 0.06 * 0.06, 1e-12);
    dv_tetra_corot_destroy(&t);
  }
}

// turned inside out, SVD still finds a rotation; POLAR does not
static void svd_turns_inverted_elements_back(void **state)
{
  DV_UNUSED(state);
  double rest[12] = {0, 0, 0, 1, 0.1, 0, 0.2, 1, 0.1, 0.1, -0.1, 1}, x[12], edges[9], r[9];
  double young = 100, poisson = 0.25;
  int32_t tetra[4] = {0, 1, 2, 3};
  TetraMesh m = {.points = 4, .count = 1, .rest = rest, .young = &young, .poisson = &poisson, .tetrahedra = tetra};
  memcpy(x, rest, sizeof x);
  x[11] = -0.3;   // the top below the bottom
  for (int k = 0; k < 9; k++) edges[k] = rest[3 + k];
  for (int i = 2; i < 4; i++) {
    dvTetraCorot *t = create(&m, methods[i], 0, NULL);
    double f[12] = {0};
    dv_tetra_corot_add_force(t, NULL, x, f);
    dv_tetra_corot_rotation(t, 0, edges, r);
    check_close(dv_mat3_det(dv_mat3_load(r)), methods[i] == DV_COROT_SVD ? 1 : -1, 1e-10);
    if (methods[i] == DV_COROT_SVD) assert_true(f[11] > 0);
    dv_tetra_corot_destroy(&t);
  }
}

// linear displacements, on a mesh without any regularity, leave the inner points in balance
static void patch_test(void **state)
{
  DV_UNUSED(state);
  TetraMesh m = mesh_box(3, 3, 3);
  for (size_t e = 0; e < m.count; e++) m.young[e] = 500, m.poisson[e] = 0.35;
  for (int i = 0; i < METHODS; i++) {
    dvTetraCorot *t = create(&m, methods[i], 0, NULL);
    double *x = mesh_noise(3 * m.points, m.rest, 0, 1), *f = mesh_noise(3 * m.points, NULL, 0, 1);
    double h = i == 0 ? 0.1 : 1e-7;   // with rotations the strain is linear to first order only
    for (size_t p = 0; p < m.points; p++) {
      const double *a = m.rest + 3 * p;
      x[3 * p] += h * (0.4 * a[0] - 0.2 * a[1] + 0.7 * a[2]);
      x[3 * p + 1] += h * (0.1 * a[0] + 0.3 * a[1]);
      x[3 * p + 2] += h * (-0.5 * a[1] + 0.2 * a[2]);
    }
    dv_tetra_corot_add_force(t, NULL, x, f);
    size_t inner = 0;
    for (size_t p = 0; p < m.points; p++) {
      if (p % 4 % 3 == 0 || p / 4 % 4 % 3 == 0 || p / 16 % 3 == 0) continue;
      inner++;
      for (size_t c = 0; c < 3; c++) check_close(f[3 * p + c] / h, 0, i == 0 ? 1e-10 : 1e-4);
    }
    assert_int_equal(inner, 8);
    dv_free(x);
    dv_free(f);
    dv_tetra_corot_destroy(&t);
  }
  mesh_free(&m);
}

// a uniform stretch along x: stress and energy in closed form
static void uniform_stretch_has_closed_form(void **state)
{
  DV_UNUSED(state);
  TetraMesh m = mesh_box(2, 3, 2);
  double young = 200, nu = 0.25, s = 0.01, volume = 0;
  for (size_t e = 0; e < m.count; e++) m.young[e] = young, m.poisson[e] = nu;
  double lambda = young * nu / ((1 + nu) * (1 - 2 * nu)), mu = young / (2 * (1 + nu));
  double *x = mesh_noise(3 * m.points, m.rest, 0, 1), *stress = mesh_noise(m.count, NULL, 0, 1);
  for (size_t p = 0; p < m.points; p++) x[3 * p] *= 1 + s;
  dvTetraCorot *t = create(&m, DV_COROT_SMALL, 0, NULL);
  for (size_t e = 0; e < m.count; e++) volume += dv_tetra_corot_volumes(t)[e];
  check_close(dv_tetra_corot_energy(t, NULL, x), 0.5 * volume * (lambda + 2 * mu) * s * s, 1e-12);
  dv_tetra_corot_von_mises(t, NULL, x, stress);
  for (size_t e = 0; e < m.count; e++) check_close(stress[e], 2 * mu * s, 1e-11);
  for (int i = 0; i < METHODS; i++) {
    dvTetraCorot *other = create(&m, methods[i], 0, NULL);
    dv_tetra_corot_von_mises_green(other, x, stress);
    for (size_t e = 0; e < m.count; e++) check_close(stress[e], 2 * mu * (s + 0.5 * s * s), 1e-11);
    dv_tetra_corot_destroy(&other);
  }
  dv_free(x);
  dv_free(stress);
  dv_tetra_corot_destroy(&t);
  mesh_free(&m);
}

static void bad_rest_shapes_are_reported_and_harmless(void **state)
{
  DV_UNUSED(state);
  double rest[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0, 0.5, 0.5, 0};
  int32_t tetra[20] = {0, 1, 2, 3, 0, 1, 2, 4, 0, 2, 1, 3, 1, 1, 2, 3, 0, 1, 4, 5};
  double young[5] = {10, 10, 10, 10, 10}, poisson[5] = {0.3, 0.3, 0.3, 0.3, 0.3};
  TetraMesh m = {.points = 6, .count = 5, .rest = rest, .young = young, .poisson = poisson, .tetrahedra = tetra};
  for (int i = 0; i < METHODS; i++) {
    dvTetraReport report;
    dvTetraCorot *t = create(&m, methods[i], 0, &report);
    assert_int_equal(report.flat, 3);
    assert_int_equal(report.first_flat, 1);
    check_close(report.first_flat_volume, 0, 0);
    assert_int_equal(report.inverted, 1);
    assert_int_equal(report.first_inverted, 2);
    check_close(report.first_inverted_volume, -1.0 / 6, 1e-16);
    // the two good ones occupy the same place: twice the force of one
    double *x = mesh_noise(18, rest, 0.1, 9), *f = mesh_noise(18, NULL, 0, 1), *df = mesh_noise(18, NULL, 0, 1);
    double f0[18] = {0}, df0[18] = {0};
    TetraMesh good = m;
    int32_t both[8] = {0, 1, 2, 3, 0, 2, 1, 3};
    good.count = 2;
    good.tetrahedra = both;
    dv_tetra_corot_add_force(t, NULL, x, f);
    dv_tetra_corot_add_dforce(t, NULL, x, 1, df);
    reference(&good, methods[i], x, x, 1, f0, df0);
    check_arrays(f, f0, 18, 1e-13);
    check_arrays(df, df0, 18, 1e-13);
    double stress[5];
    dv_tetra_corot_von_mises(t, NULL, x, stress);
    check_close(stress[1] + stress[3] + stress[4], 0, 0);
    dv_free(x);
    dv_free(f);
    dv_free(df);
    dv_tetra_corot_destroy(&t);
  }
  tetra[7] = 6;
  dvTetraCorot *t = NULL;
  dvTetraCorotDef def = definition(&m, DV_COROT_LARGE);
  assert_int_equal(dv_tetra_corot_create(&def, &t, NULL), DV_ERROR_INPUT);
  assert_null(t);
}

// elements crushed to a point, a line or a plane while they move must not poison the forces
static void collapsed_elements_stay_finite(void **state)
{
  DV_UNUSED(state);
  TetraMesh m = mesh_box(2, 2, 2);
  size_t n = 3 * m.points;
  for (int i = 0; i < 8 * METHODS; i++) {
    dvTetraCorotDef def = definition(&m, methods[i % METHODS]);
    def.present_gradients = i >= 4 * METHODS;
    dvTetraCorot *t = NULL;
    assert_int_equal(dv_tetra_corot_create(&def, &t, NULL), DV_OK);
    double *x = mesh_noise(n, m.rest, 0, 1), *f = mesh_noise(n, NULL, 0, 1);
    for (size_t k = 0; k < n; k++) {
      if ((int)(k % 3) < i / METHODS % 4) x[k] = 0;   // nothing, a plane, a line, a point
      if (i / METHODS % 4 == 0) x[k] = -x[k];         // and turned inside out
    }
    dv_tetra_corot_add_force(t, NULL, x, f);
    dv_tetra_corot_add_dforce(t, NULL, x, 1, f);
    for (size_t k = 0; k < n; k++) assert_true(isfinite(f[k]));
    dv_free(x);
    dv_free(f);
    dv_tetra_corot_destroy(&t);
  }
  mesh_free(&m);
}

static void an_empty_mesh_is_no_trouble(void **state)
{
  DV_UNUSED(state);
  double rest[3] = {0}, f[3] = {1, 2, 3};
  dvTetraCorot *t = NULL;
  dvTetraCorotDef def = {.rest = rest, .points = 1, .method = DV_COROT_LARGE};
  assert_int_equal(dv_tetra_corot_create(&def, &t, NULL), DV_OK);
  dv_tetra_corot_add_force(t, NULL, rest, f);
  dv_tetra_corot_add_dforce(t, NULL, rest, 1, f);
  check_close(f[0] + f[1] + f[2], 6, 0);
  check_close(dv_tetra_corot_energy(t, NULL, rest), 0, 0);
  dv_tetra_corot_destroy(&t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(force_and_dforce_equal_the_reference),
      cmocka_unit_test(rigid_motion_gives_no_force),
      cmocka_unit_test(rest_shape_gives_no_force),
      cmocka_unit_test(the_force_is_the_gradient_of_the_energy),
      cmocka_unit_test(polar_force_is_the_gradient_for_a_tripod),
      cmocka_unit_test(dforce_is_symmetric_and_forces_balance),
      cmocka_unit_test(assembled_stiffness_equals_dforce),
      cmocka_unit_test(present_gradients_equal_the_reference),
      cmocka_unit_test(plastic_strain_flows_up_to_its_limit),
      cmocka_unit_test(svd_turns_inverted_elements_back),
      cmocka_unit_test(patch_test),
      cmocka_unit_test(uniform_stretch_has_closed_form),
      cmocka_unit_test(bad_rest_shapes_are_reported_and_harmless),
      cmocka_unit_test(collapsed_elements_stay_finite),
      cmocka_unit_test(an_empty_mesh_is_no_trouble),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
