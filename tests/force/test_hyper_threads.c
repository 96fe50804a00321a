// Hyperelastic laws: stress and tangent against finite differences, kernels against the evaluation of one piece, closed
// forms of uniaxial, equibiaxial and simple shear.
#include "support/check.h"

#include "element/pack_math.h"
#include "force/fem/hyper/hyper.h"
#include "force/tetra_mesh.h"

#include <string.h>

static const double parameters[DV_HYPER_LAWS][DV_HYPER_PARAMETERS] = {
    [DV_ARRUDA_BOYCE] = {3, 20},
    [DV_ST_VENANT_KIRCHHOFF] = {3, 20},
    [DV_NEO_HOOKEAN] = {3, 20},
    [DV_MOONEY_RIVLIN] = {3, 2, 20},
    [DV_VERONDA_WESTMANN] = {3, 0.7, 20},
    [DV_COSTA] = {2, 20, 8, 3, 4, 2, 1, 5},
    [DV_OGDEN] = {3, 5, 20},
    [DV_STABLE_NEO_HOOKEAN] = {3, 20},
    [DV_SPLIT_NEO_HOOKEAN] = {3, 20},
    [DV_HOLZAPFEL_OGDEN] = {3, 2, 4, 3, 2, 1.5, 1, 2, 20}};

static dvMat3 some_deformation(uint64_t seed)
{
  dvMat3 f = dv_mat3_identity();
  for (int i = 0; i < 9; i++) f.m[i / 3][i % 3] += 0.25 * mesh_random(&seed);
  return f;
}

static double energy(int law, dvMat3 f) { return dv_hyper_evaluate((dvHyperLaw)law, parameters[law], f, NULL, NULL); }

static void logarithm_and_exponential_are_exact(void **state)
{
  DV_UNUSED(state);
  for (int i = 1; i < 4000; i++) {
    double x = exp(0.02 * (i - 2000)), y = 0.3 * (i - 2000);
    check_close(pack_log(dv_pack(x))[0] / (fabs(log(x)) + 1e-300), log(x) / (fabs(log(x)) + 1e-300), 4e-16);
    if (fabs(y) < 690) check_close(pack_exp(dv_pack(y))[0] / exp(y), 1, 5e-16);
  }
}

// P = F S against differences of the energy, D against differences of S
static void derivatives_of_every_law(void **state)
{
  DV_UNUSED(state);
  for (int law = 0; law < DV_HYPER_LAWS; law++)
    for (uint64_t seed = 1; seed < (law == DV_HOLZAPFEL_OGDEN ? 5 : 6); seed++) {   // its fibres are slack below 1
      dvMat3 f = seed == 5 ? dv_mat3_identity() : some_deformation(seed);
      double s[6], d[6][6], h = 1e-5;
      dv_hyper_evaluate((dvHyperLaw)law, parameters[law], f, s, d);
      dvMat3 stress = {{{s[0], s[3], s[5]}, {s[3], s[1], s[4]}, {s[5], s[4], s[2]}}}, p = dv_mat3_mul(f, stress);
      for (int i = 0; i < 9; i++) {
        dvMat3 up = f, down = f;
        up.m[i / 3][i % 3] += h;
        down.m[i / 3][i % 3] -= h;
        check_close(p.m[i / 3][i % 3], (energy(law, up) - energy(law, down)) / (2 * h), 1e-6);
        // the change of S along dF, by D
        double s1[6], s0[6];
        dv_hyper_evaluate((dvHyperLaw)law, parameters[law], up, s1, NULL);
        dv_hyper_evaluate((dvHyperLaw)law, parameters[law], down, s0, NULL);
        dvMat3 change = dv_mat3_scale(dv_mat3_sub(dv_mat3_t_mul(up, up), dv_mat3_t_mul(down, down)), 1 / (2 * h));
        double in[6] = {change.m[0][0],     change.m[1][1],     change.m[2][2],
                        2 * change.m[0][1], 2 * change.m[1][2], 2 * change.m[2][0]};
        for (int r = 0; r < 6; r++) {
          double ds = 0;
          for (int c = 0; c < 6; c++) {
            ds += d[r][c] * in[c];
            check_close(d[r][c], d[c][r], 1e-11);
          }
          check_close(ds, (s1[r] - s0[r]) / (2 * h), 2e-6);
        }
      }
      if (seed == 5) check_close(energy(law, f), 0, 1e-14);
      if (seed == 5)
        for (int i = 0; i < 6; i++) check_close(s[i], 0, 1e-13);
    }
}

// the energy does not change when the piece is turned, whatever the law; isotropic laws do not see the axes at rest
// either
static void laws_are_objective(void **state)
{
  DV_UNUSED(state);
  dvMat3 q = dv_quat_to_matrix(dv_quat_from_rotation_vector(dv_vec3(1, -2, 0.4))), f = some_deformation(3);
  for (int law = 0; law < DV_HYPER_LAWS; law++) {
    check_close(energy(law, dv_mat3_mul(q, f)), energy(law, f), 1e-12);
    if (law != DV_COSTA && law != DV_HOLZAPFEL_OGDEN)
      check_close(energy(law, dv_mat3_mul(f, q)), energy(law, f), 1e-12);
  }
}

// First Piola-Kirchhoff stresses of a diagonal deformation.
static dvVec3 principal(int law, double a, double b, double c)
{
  double s[6];
  dv_hyper_evaluate((dvHyperLaw)law, parameters[law], dv_mat3_diagonal(dv_vec3(a, b, c)), s, NULL);
  return dv_vec3(a * s[0], b * s[1], c * s[2]);
}

// Curves in closed form: P_i = dW/dl_i of the energies written in principal stretches.
static void curves_are_the_closed_forms(void **state)
{
  DV_UNUSED(state);
  for (double l = 0.6; l < 2.01; l += 0.1) {
    // volume-preserving stretch (uniaxial) and its square root across; equibiaxial: the other way round
    double across = 1 / sqrt(l), mu = 3, second = 20;
    double uniaxial =
        principal(DV_NEO_HOOKEAN, l, across, across).x - principal(DV_NEO_HOOKEAN, l, across, across).y * across / l;
    check_close(uniaxial, mu * (l - 1 / (l * l)), 1e-12);
    uniaxial = principal(DV_MOONEY_RIVLIN, l, across, across).x -
               principal(DV_MOONEY_RIVLIN, l, across, across).y * across / l;
    check_close(uniaxial, 2 * (3 + 2 / l) * (l - 1 / (l * l)), 1e-11);
    double pressed = 1 / (l * l);
    double biaxial =
        principal(DV_MOONEY_RIVLIN, l, l, pressed).x - principal(DV_MOONEY_RIVLIN, l, l, pressed).z * pressed / l;
    check_close(biaxial, 2 * (3 + 2 * l * l) * (l - pow(l, -5)), 1e-10);
    uniaxial = principal(DV_OGDEN, l, across, across).x - principal(DV_OGDEN, l, across, across).y * across / l;
    check_close(uniaxial, mu / 5 * (pow(l, 4) - pow(l, -3.5)), 1e-11);
    double x = l * l + 2 / l, growth = 3 * 0.7 * exp(0.7 * (x - 3));
    uniaxial = principal(DV_VERONDA_WESTMANN, l, across, across).x -
               principal(DV_VERONDA_WESTMANN, l, across, across).y * across / l;
    check_close(uniaxial, 2 * (growth - 0.5 * 3 * 0.7 / l) * (l - 1 / (l * l)), 1e-9);
    // one direction alone: St Venant-Kirchhoff and the stable law
    check_close(principal(DV_ST_VENANT_KIRCHHOFF, l, 1, 1).x, l * (mu + 0.5 * second) * (l * l - 1), 1e-11);
    check_close(principal(DV_STABLE_NEO_HOOKEAN, l, 1, 1).x, mu * l + (mu + second) * (l - 1 - mu / (mu + second)),
                1e-11);
    // simple shear: s_xy = mu g for Neo-Hookean, 2 (c1 + c2) g for Mooney-Rivlin
    dvMat3 shear = dv_mat3_identity();
    double g = l - 1, s[6];
    shear.m[0][1] = g;
    dv_hyper_evaluate(DV_NEO_HOOKEAN, parameters[DV_NEO_HOOKEAN], shear, s, NULL);
    check_close(s[3] + g * s[1], mu * g, 1e-12);
    dv_hyper_evaluate(DV_MOONEY_RIVLIN, parameters[DV_MOONEY_RIVLIN], shear, s, NULL);
    check_close(s[3] + g * s[1], 2 * (3 + 2) * g, 1e-11);
  }
}

static dvHyper *create(const TetraMesh *m, int law)
{
  dvHyper *h = NULL;
  size_t flat = 1;
  dvHyperDef def = {.rest = m->rest,
                    .points = m->points,
                    .tetrahedra = m->tetrahedra,
                    .count = m->count,
                    .law = (dvHyperLaw)law,
                    .parameters = parameters[law]};
  assert_int_equal(dv_hyper_create(&def, &h, &flat), DV_OK);
  assert_int_equal(flat, 0);
  return h;
}

typedef struct Product {
  const TetraMesh *m;
  const double *dx;
  double *out;
} Product;

static void multiply_element(const Product *p, size_t e, const double k[144])
{
  for (size_t r = 0; r < 12; r++)
    for (size_t c = 0; c < 12; c++)
      p->out[3 * (size_t)p->m->tetrahedra[4 * e + r / 3] + r % 3] +=
          k[12 * r + c] * p->dx[3 * (size_t)p->m->tetrahedra[4 * e + c / 3] + c % 3];
}

static void multiply(const dvHyper *h, double k, const Product *p)
{
  double matrices[DV_LANES * 144];
  dvElementMatrices m = dv_hyper_matrices(h, k);
  for (size_t pack = 0; pack < m.blocks->packs; pack++) {
    m.pack(m.elements, pack, m.k, matrices);
    for (size_t lane = 0; lane < DV_LANES; lane++)
      if (m.blocks->element[DV_LANES * pack + lane] >= 0)
        multiply_element(p, (size_t)m.blocks->element[DV_LANES * pack + lane], matrices + 144 * lane);
  }
}

static double largest(const double *a, size_t n)
{
  double most = 0;
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(a[i]));
  return most;
}

// the mesh: force from the energy, dforce from the force, both from one element's matrix
static void mesh_derivatives(void **state)
{
  DV_UNUSED(state);
  TetraMesh m = mesh_box(2, 2, 2);
  size_t n = 3 * m.points;
  for (int law = 0; law < DV_HYPER_LAWS; law++) {
    dvHyper *h = create(&m, law);
    double *x = mesh_noise(n, m.rest, 0.08, 3), *dx = mesh_noise(n, NULL, 1, 4), *f = mesh_noise(n, NULL, 0, 1),
           step = 1e-5;
    double *up = mesh_noise(n, NULL, 0, 1), *down = mesh_noise(n, NULL, 0, 1), *df = mesh_noise(n, NULL, 0, 1),
           *assembled = mesh_noise(n, NULL, 0, 1);
    for (size_t i = 0; i < n; i++) x[i] += step * dx[i];
    dv_hyper_add_force(h, NULL, x, up);
    double high = dv_hyper_energy(h, NULL, x);
    for (size_t i = 0; i < n; i++) x[i] -= 2 * step * dx[i];
    dv_hyper_add_force(h, NULL, x, down);
    double low = dv_hyper_energy(h, NULL, x), work = 0;
    for (size_t i = 0; i < n; i++) x[i] += step * dx[i];
    dv_hyper_add_force(h, NULL, x, f);
    dv_hyper_add_dforce(h, NULL, dx, 0.5, df);
    for (size_t i = 0; i < n; i++) work += f[i] * dx[i];
    check_close(work, -(high - low) / (2 * step), 1e-6 * fabs(work));
    for (size_t i = 0; i < n; i++) check_close(df[i], 0.5 * (up[i] - down[i]) / (2 * step), 1e-6 * largest(df, n));
    multiply(h, 0.5, &(Product){&m, dx, assembled});
    for (size_t i = 0; i < n; i++) check_close(df[i], assembled[i], 1e-12 * largest(df, n));
    double *all[] = {x, dx, f, up, down, df, assembled};
    for (size_t a = 0; a < DV_COUNT(all); a++) dv_free(all[a]);
    dv_hyper_destroy(&h);
  }
  mesh_free(&m);
}

// the force of one tetrahedron is -V P g
static void kernels_equal_one_piece(void **state)
{
  DV_UNUSED(state);
  double rest[12] = {0, 0, 0, 1, 0.1, 0, 0.2, 1, 0.1, 0.1, -0.1, 1}, x[12];
  int32_t tetra[4] = {0, 1, 2, 3};
  TetraMesh m = {.points = 4, .count = 1, .rest = rest, .tetrahedra = tetra};
  dvMat3 f = some_deformation(7),
         edges = dv_mat3_from_columns(dv_vec3_load(rest + 3), dv_vec3_load(rest + 6), dv_vec3_load(rest + 9)), g;
  dv_mat3_inverse(edges, &g);
  for (int p = 0; p < 4; p++)
    dv_vec3_store(x + 3 * p, dv_vec3_add(dv_mat3_mul_vec(f, dv_vec3_load(rest + 3 * p)), dv_vec3(1, 2, 3)));
  for (int law = 0; law < DV_HYPER_LAWS; law++) {
    double s[6], out[12] = {0}, volume = dv_mat3_det(edges) / 6,
                 w = dv_hyper_evaluate((dvHyperLaw)law, parameters[law], f, s, NULL);
    dvMat3 stress = {{{s[0], s[3], s[5]}, {s[3], s[1], s[4]}, {s[5], s[4], s[2]}}}, p = dv_mat3_mul(f, stress);
    dvHyper *h = create(&m, law);
    dv_hyper_add_force(h, NULL, x, out);
    for (int k = 0; k < 3; k++) {
      dvVec3 want = dv_vec3_scale(dv_mat3_mul_vec(p, dv_mat3_row(g, k)), -volume);
      check_close(out[3 + 3 * k], want.x, 1e-12);
      check_close(out[4 + 3 * k], want.y, 1e-12);
      check_close(out[5 + 3 * k], want.z, 1e-12);
    }
    check_close(dv_hyper_energy(h, NULL, x), volume * w, 1e-13);
    dv_hyper_destroy(&h);
  }
}

// the decomposed energy against S and dS/dC of each element: forces and their changes agree to rounding
static void decomposition_changes_nothing(void **state)
{
  DV_UNUSED(state);
  TetraMesh m = mesh_box(3, 3, 3);
  size_t n = 3 * m.points;
  static const double steep[] = {3, 400, 20};   // of Ogden's law: stretches near each other have to be told apart
  for (int law = 0; law < DV_HYPER_LAWS; law++)
    for (int i = 0; i < (law == DV_OGDEN ? 4 : 3); i++) {
      double *x = mesh_noise(n, m.rest,
                             i == 3   ? 0.002
                             : i == 2 ? 0
                                      : 0.1,
                             3),
             *dx = mesh_noise(n, NULL, 1, 4), *f[2], *df[2];
      for (size_t k = 0; k < n && i == 1; k++) x[k] *= k % 3 == 1 ? 0.3 : 1.3;
      for (int by_tensor = 0; by_tensor < 2; by_tensor++) {
        dvHyperDef def = {.rest = m.rest,
                          .points = m.points,
                          .tetrahedra = m.tetrahedra,
                          .count = m.count,
                          .law = (dvHyperLaw)law,
                          .parameters = i == 3 ? steep : parameters[law],
                          .by_tensor = by_tensor};
        dvHyper *h = NULL;
        assert_int_equal(dv_hyper_create(&def, &h, NULL), DV_OK);
        f[by_tensor] = mesh_noise(n, NULL, 0, 1);
        df[by_tensor] = mesh_noise(n, NULL, 0, 1);
        dv_hyper_add_force(h, NULL, x, f[by_tensor]);
        dv_hyper_add_dforce(h, NULL, dx, 1, df[by_tensor]);
        dv_hyper_destroy(&h);
      }
      double scale = fmax(largest(f[1], n), parameters[law][0]);
      for (size_t k = 0; k < n; k++) {
        check_close(f[0][k] / scale, f[1][k] / scale, 1e-10);
        check_close(df[0][k] / largest(df[1], n), df[1][k] / largest(df[1], n), 1e-10);
      }
      for (int k = 0; k < 2; k++) dv_free(f[k]), dv_free(df[k]);
      dv_free(x);
      dv_free(dx);
    }
  mesh_free(&m);
}

// A stretch that is held: each part of the stress decays as an implicit Euler step says, and the matrix is the
// derivative of the force.
static void stresses_relax(void **state)
{
  DV_UNUSED(state);
  TetraMesh m = mesh_box(2, 2, 2);
  size_t n = 3 * m.points;
  const double prony[4] = {0.3, 0.1, 0.2, 1}, dt = 0.05;
  for (int law = 0; law < DV_HYPER_LAWS; law++) {
    dvHyperDef def = {.rest = m.rest,
                      .points = m.points,
                      .tetrahedra = m.tetrahedra,
                      .count = m.count,
                      .law = (dvHyperLaw)law,
                      .parameters = parameters[law],
                      .terms = 2,
                      .prony = prony};
    dvHyper *h = NULL, *elastic = create(&m, law);
    assert_int_equal(dv_hyper_create(&def, &h, NULL), DV_OK);
    double *x = mesh_noise(n, m.rest, 0.05, 3), *dx = mesh_noise(n, NULL, 1, 4), *whole = mesh_noise(n, NULL, 0, 1),
           gamma[2] = {0, 0};
    dv_hyper_add_force(elastic, NULL, x, whole);
    dv_hyper_set_step(h, dt);
    for (int step = 0; step < 40; step++) {
      double *f = mesh_noise(n, NULL, 0, 1), left = 1;
      dv_hyper_add_force(h, NULL, x, f);
      for (int i = 0; i < 2; i++) {
        gamma[i] = (dt * prony[2 * i] + prony[2 * i + 1] * gamma[i]) / (dt + prony[2 * i + 1]);
        left -= gamma[i];
      }
      for (size_t k = 0; k < n; k++) check_close(f[k], left * whole[k], 1e-11 * largest(whole, n));
      dv_free(f);
      dv_hyper_end_step(h, NULL, x);
    }
    double *df = mesh_noise(n, NULL, 0, 1), *up = mesh_noise(n, NULL, 0, 1), *down = mesh_noise(n, NULL, 0, 1),
           step = 1e-5;
    dv_hyper_add_force(h, NULL, x, df);
    memset(df, 0, n * sizeof *df);
    dv_hyper_add_dforce(h, NULL, dx, 1, df);
    for (size_t k = 0; k < n; k++) x[k] += step * dx[k];
    dv_hyper_add_force(h, NULL, x, up);
    for (size_t k = 0; k < n; k++) x[k] -= 2 * step * dx[k];
    dv_hyper_add_force(h, NULL, x, down);
    for (size_t k = 0; k < n; k++) check_close(df[k], (up[k] - down[k]) / (2 * step), 1e-6 * largest(df, n));
    double *all[] = {x, dx, whole, df, up, down};
    for (size_t a = 0; a < DV_COUNT(all); a++) dv_free(all[a]);
    dv_hyper_destroy(&h);
    dv_hyper_destroy(&elastic);
  }
  mesh_free(&m);
}

// crushed to a plane, a line, a point, or inside out: finite, and the volume is pushed back
static void crushed_elements_stay_finite(void **state)
{
  DV_UNUSED(state);
  TetraMesh m = mesh_box(2, 2, 2);
  size_t n = 3 * m.points;
  for (int law = 0; law < DV_HYPER_LAWS; law++)
    for (int i = 0; i < 4; i++) {
      dvHyper *h = create(&m, law);
      double *x = mesh_noise(n, m.rest, 0, 1), *f = mesh_noise(n, NULL, 0, 1);
      for (size_t k = 0; k < n; k++) {
        if ((int)(k % 3) < i) x[k] = 0;
        if (i == 0 && k % 3 == 0) x[k] = -0.5 * x[k];
      }
      dv_hyper_add_force(h, NULL, x, f);
      dv_hyper_add_dforce(h, NULL, x, 1, f);
      assert_true(isfinite(dv_hyper_energy(h, NULL, x)));
      for (size_t k = 0; k < n; k++) assert_true(isfinite(f[k]));
      dv_free(x);
      dv_free(f);
      dv_hyper_destroy(&h);
    }
  mesh_free(&m);
}

static void flat_elements_and_wrong_indices(void **state)
{
  DV_UNUSED(state);
  double rest[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1}, f[15] = {0};
  int32_t tetra[8] = {0, 1, 2, 3, 0, 1, 2, 4};
  for (int law = 0; law < DV_HYPER_LAWS; law++) {
    dvHyper *h = NULL;
    size_t flat = 0;
    assert_int_equal(dv_hyper_create(&(dvHyperDef){.rest = rest,
                                                   .points = 5,
                                                   .tetrahedra = tetra,
                                                   .count = 2,
                                                   .law = (dvHyperLaw)law,
                                                   .parameters = parameters[law]},
                                     &h, &flat),
                     DV_OK);
    assert_int_equal(flat, 1);
    dv_hyper_add_force(h, NULL, rest, f);
    for (int i = 0; i < 15; i++) check_close(f[i], 0, 1e-13);
    dv_hyper_destroy(&h);
  }
  tetra[7] = 5;
  dvHyper *h = NULL;
  assert_int_equal(dv_hyper_create(&(dvHyperDef){.rest = rest,
                                                 .points = 5,
                                                 .tetrahedra = tetra,
                                                 .count = 2,
                                                 .law = DV_NEO_HOOKEAN,
                                                 .parameters = parameters[DV_NEO_HOOKEAN]},
                                   &h, NULL),
                   DV_ERROR_INPUT);
  assert_null(h);
}

static void same_bits_for_any_number_of_threads(void **state)
{
  DV_UNUSED(state);
  TetraMesh m = mesh_box(10, 9, 8);
  size_t n = 3 * m.points;
  double *f[3], *x = mesh_noise(n, m.rest, 0.1, 4);
  for (int threads = 1; threads <= 3; threads++) {
    dvPool *pool = dv_pool_create(threads);
    dvHyper *h = create(&m, DV_NEO_HOOKEAN);
    f[threads - 1] = mesh_noise(n, NULL, 1, 6);
    dv_hyper_add_force(h, pool, x, f[threads - 1]);
    dv_hyper_add_dforce(h, pool, f[threads - 1], -0.2, f[threads - 1]);
    assert_memory_equal(f[0], f[threads - 1], n * sizeof **f);
    dv_hyper_destroy(&h);
    dv_pool_destroy(&pool);
  }
  for (int i = 0; i < 3; i++) dv_free(f[i]);
  dv_free(x);
  mesh_free(&m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(logarithm_and_exponential_are_exact),
      cmocka_unit_test(derivatives_of_every_law),
      cmocka_unit_test(laws_are_objective),
      cmocka_unit_test(curves_are_the_closed_forms),
      cmocka_unit_test(mesh_derivatives),
      cmocka_unit_test(kernels_equal_one_piece),
      cmocka_unit_test(decomposition_changes_nothing),
      cmocka_unit_test(stresses_relax),
      cmocka_unit_test(crushed_elements_stay_finite),
      cmocka_unit_test(flat_elements_and_wrong_indices),
      cmocka_unit_test(same_bits_for_any_number_of_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
