// Shape functions, their gradients and the stiffness of every element.
#include "support/check.h"

#include "element/shape.h"

#include <string.h>

static const dvElementKind kinds[] = {DV_EDGE,       DV_TRIANGLE, DV_QUAD,   DV_TETRAHEDRON,
                                      DV_HEXAHEDRON, DV_PRISM,    DV_PYRAMID};

// a corner of the reference element, moved a little: no element is regular
static void corners(dvElementKind kind, double x[24])
{
  static const double cube[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                    {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
  static const double unit[6][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}};
  int dimension = dv_shape_dimension(kind);
  bool simplex = kind == DV_TRIANGLE || kind == DV_TETRAHEDRON || kind == DV_PRISM;
  for (int i = 0; i < dv_element_points(kind); i++)
    for (int a = 0; a < 3; a++) {
      double q = simplex ? unit[i][a] : cube[i][a];
      if (kind == DV_PYRAMID && i == 4) q = a == 2 ? 1 : 0;
      x[3 * i + a] = (a < dimension ? q : 0) * (1 + 0.3 * a) + 0.1 * ((7 * i + 3 * a) % 5) - 0.2;
    }
}

static void shape_functions_are_one_at_their_corner(void **state)
{
  DV_UNUSED(state);
  for (size_t k = 0; k < DV_COUNT(kinds); k++) {
    double q[3] = {0.2, 0.3, 0.1}, n[8], dn[8][3], sum = 0, slope[3] = {0};
    dv_shape_values(kinds[k], q, n);
    dv_shape_derivatives(kinds[k], q, dn);
    for (int i = 0; i < dv_element_points(kinds[k]); i++) {
      sum += n[i];
      for (int a = 0; a < 3; a++) {
        slope[a] += dn[i][a];
        if (a >= dv_shape_dimension(kinds[k])) continue;
        double up[3] = {q[0], q[1], q[2]}, m[8], h = 1e-6;
        up[a] += h;
        dv_shape_values(kinds[k], up, m);
        check_close(dn[i][a], (m[i] - n[i]) / h, 1e-6);
      }
    }
    check_close(sum, 1, 1e-15);
    for (int a = 0; a < 3; a++) check_close(slope[a], 0, 1e-15);
  }
}

// a linear function has the same gradient everywhere; for lines and faces the part that lies in them
static void gradients_are_exact_for_linear_functions(void **state)
{
  DV_UNUSED(state);
  for (size_t k = 0; k < DV_COUNT(kinds); k++) {
    double x[24], q[3] = {0.2, 0.3, 0.1};
    dvVec3 g[8], a = {0.3, -0.7, 1.1}, sum = {0, 0, 0};
    corners(kinds[k], x);
    assert_true(dv_shape_gradients(kinds[k], q, x, g) > 0);
    for (int i = 0; i < dv_element_points(kinds[k]); i++)
      sum = dv_vec3_add_scaled(sum, g[i], dv_vec3_dot(a, dv_vec3_load(x + 3 * i)));
    for (int i = 1; i < dv_element_points(kinds[k]); i++) {
      dvVec3 edge = dv_vec3_sub(dv_vec3_load(x + 3 * i), dv_vec3_load(x));
      if (kinds[k] == DV_QUAD) continue;   // four corners need not lie in a plane
      check_close(dv_vec3_dot(sum, edge), dv_vec3_dot(a, edge), 1e-13);
    }
  }
}

static void volumes_are_exact(void **state)
{
  DV_UNUSED(state);
  static const double want[] = {2, 0.5, 4, 1.0 / 6, 8, 0.5, 8.0 / 3};
  static const double cube[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                    {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
  static const double unit[6][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}};
  for (size_t k = 0; k < DV_COUNT(kinds); k++) {
    const dvQuadrature *rule = dv_shape_quadrature(kinds[k]);
    bool simplex = kinds[k] == DV_TRIANGLE || kinds[k] == DV_TETRAHEDRON || kinds[k] == DV_PRISM;
    double x[24], volume = 0;
    memcpy(x, simplex ? &unit[0][0] : &cube[0][0], (simplex ? 18 : 24) * sizeof *x);
    if (kinds[k] == DV_PYRAMID) x[12] = x[13] = 0;
    dvVec3 g[8];
    for (int p = 0; p < rule->points; p++) volume += rule->weight[p] * dv_shape_gradients(kinds[k], rule->at[p], x, g);
    check_close(volume, want[k], 1e-14);
  }
}

// no force for a translation or a small rotation, a symmetric matrix, and a closed form for a uniform stretch
static void stiffness_of_every_element(void **state)
{
  DV_UNUSED(state);
  double lambda = 3, mu = 2;
  for (size_t kind = 0; kind < DV_COUNT(kinds); kind++) {
    double x[24], k[576], size = 0;
    int nodes = dv_element_points(kinds[kind]);
    size_t n = 3 * (size_t)nodes;
    corners(kinds[kind], x);
    assert_true(dv_element_stiffness(kinds[kind], x, lambda, mu, k));
    for (size_t i = 0; i < n * n; i++) size = fmax(size, fabs(k[i]));
    for (size_t i = 0; i < n; i++) {
      double move[3] = {0}, turn = 0;
      for (size_t j = 0; j < n; j++) {
        check_close(k[n * i + j], k[n * j + i], 1e-14 * size);
        move[j % 3] += k[n * i + j];
        dvVec3 spin = dv_vec3_cross(dv_vec3(0.4, -1, 0.7), dv_vec3_load(x + 3 * (j / 3)));
        turn += k[n * i + j] * (j % 3 == 0 ? spin.x : j % 3 == 1 ? spin.y : spin.z);
      }
      for (int a = 0; a < 3; a++) check_close(move[a], 0, 1e-13 * size);
      // lines and faces have a shear stiffness out of their plane: only solids are free to turn
      if (dv_shape_dimension(kinds[kind]) == 3) check_close(turn, 0, 1e-13 * size);
    }
    if (dv_shape_dimension(kinds[kind]) < 3) continue;
    double energy = 0, volume = 0;
    const dvQuadrature *rule = dv_shape_quadrature(kinds[kind]);
    dvVec3 g[8];
    for (int p = 0; p < rule->points; p++)
      volume += rule->weight[p] * dv_shape_gradients(kinds[kind], rule->at[p], x, g);
    for (size_t i = 0; i < n; i += 3)
      for (size_t j = 0; j < n; j += 3) energy += 0.5 * x[i] * k[n * i + j] * x[j];
    check_close(energy, 0.5 * volume * (lambda + 2 * mu), 1e-12 * energy);
  }
}

static void flat_elements_are_reported(void **state)
{
  DV_UNUSED(state);
  double x[24] = {0}, k[576];
  for (size_t kind = 0; kind < DV_COUNT(kinds); kind++) {
    assert_false(dv_element_stiffness(kinds[kind], x, 3, 2, k));
    for (int i = 0; i < 9 * dv_element_points(kinds[kind]) * dv_element_points(kinds[kind]); i++)
      check_close(k[i], 0, 0);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shape_functions_are_one_at_their_corner),
      cmocka_unit_test(gradients_are_exact_for_linear_functions),
      cmocka_unit_test(volumes_are_exact),
      cmocka_unit_test(stiffness_of_every_element),
      cmocka_unit_test(flat_elements_are_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
