// Shape functions and their integration. See shape.h.
//
// Quadrature as in SOFA: one point for lines, triangles and tetrahedra, three for squares, two for prisms (the centre
// of the triangle, two along the axis), 2 x 2 x 2 for cubes and for pyramids, which are cubes with one face drawn to a
// point.
#include "element/shape.h"

#include <string.h>

#define G 0.57735026918962576   // 1 / sqrt(3)
#define CUBE_POINTS                                                                                      \
  {                                                                                                      \
    {-G, -G, -G}, {G, -G, -G}, {G, G, -G}, {-G, G, -G}, {-G, -G, G}, {G, -G, G}, {G, G, G}, { -G, G, G } \
  }

static const dvQuadrature quadratures[DV_ELEMENT_KINDS] = {
    [DV_EDGE] = {1, {{0}}, {2}},
    [DV_TRIANGLE] = {1, {{1.0 / 3, 1.0 / 3}}, {0.5}},
    [DV_QUAD] = {3,
                 {{0.81649658092772603, 0},
                  {-0.40824829046386302, -0.70710678118654752},
                  {-0.40824829046386302, 0.70710678118654752}},
                 {4.0 / 3, 4.0 / 3, 4.0 / 3}},
    [DV_TETRAHEDRON] = {1, {{0.25, 0.25, 0.25}}, {1.0 / 6}},
    [DV_HEXAHEDRON] = {8, CUBE_POINTS, {1, 1, 1, 1, 1, 1, 1, 1}},
    [DV_PRISM] = {2, {{1.0 / 3, 1.0 / 3, 0.5 * (1 - G)}, {1.0 / 3, 1.0 / 3, 0.5 * (1 + G)}}, {0.25, 0.25}},
    [DV_PYRAMID] = {8, CUBE_POINTS, {1, 1, 1, 1, 1, 1, 1, 1}},
};

#define THIRDS(z) \
  {1.0 / 6, 1.0 / 6, z}, {2.0 / 3, 1.0 / 6, z}, { 1.0 / 6, 2.0 / 3, z }
#define FLOOR(z) \
  {-G, -G, z}, {G, -G, z}, {G, G, z}, { -G, G, z }
#define FOUR(w) w, w, w, w
#define NEAR 0.58541019662496845   // (5 + 3 sqrt 5) / 20
#define FAR 0.13819660112501052    // (5 - sqrt 5) / 20
#define K 0.77459666924148338      // sqrt(3 / 5)

// a pyramid's volume element is a square in z: three points along it
static const dvQuadrature product_quadratures[DV_ELEMENT_KINDS] = {
    [DV_EDGE] = {2, {{-G}, {G}}, {1, 1}},
    [DV_TRIANGLE] = {3, {THIRDS(0)}, {1.0 / 6, 1.0 / 6, 1.0 / 6}},
    [DV_QUAD] = {4, {FLOOR(0)}, {FOUR(1)}},
    [DV_TETRAHEDRON] = {4, {{FAR, FAR, FAR}, {NEAR, FAR, FAR}, {FAR, NEAR, FAR}, {FAR, FAR, NEAR}}, {FOUR(1.0 / 24)}},
    [DV_HEXAHEDRON] = {8, CUBE_POINTS, {FOUR(1), FOUR(1)}},
    [DV_PRISM] = {6, {THIRDS(0.5 * (1 - G)), THIRDS(0.5 * (1 + G))}, {FOUR(1.0 / 12), 1.0 / 12, 1.0 / 12}},
    [DV_PYRAMID] = {12, {FLOOR(-K), FLOOR(0), FLOOR(K)}, {FOUR(5.0 / 9), FOUR(8.0 / 9), FOUR(5.0 / 9)}},
};

static const double cube[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                  {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};

int dv_shape_dimension(dvElementKind kind)
{
  return kind == DV_EDGE ? 1 : kind == DV_TRIANGLE || kind == DV_QUAD ? 2 : 3;
}
const dvQuadrature *dv_shape_quadrature(dvElementKind kind) { return &quadratures[kind]; }
const dvQuadrature *dv_shape_product_quadrature(dvElementKind kind) { return &product_quadratures[kind]; }

// one factor of a product of linear functions on a line, square or cube
static double factor(int corner, int axis, double q) { return 0.5 * (1 + cube[corner][axis] * q); }

// products of factors along the first `dimension` axes, with the derivative of one of them (none when it is -1)
static double product(int corner, int dimension, const double q[3], int derived)
{
  double n = 1;
  for (int a = 0; a < dimension; a++) n *= a == derived ? 0.5 * cube[corner][a] : factor(corner, a, q[a]);
  return n;
}

static void pyramid(const double q[3], double n[DV_SHAPE_NODES], double dn[DV_SHAPE_NODES][3])
{
  for (int i = 0; i < 4; i++) {
    n[i] = product(i, 3, q, -1);
    for (int a = 0; a < 3; a++) dn[i][a] = product(i, 3, q, a);
  }
  n[4] = 0.5 * (1 + q[2]);
  dn[4][2] = 0.5;
}

// a triangle, times lengths along z for a prism
static void prism(const double q[3], double n[DV_SHAPE_NODES], double dn[DV_SHAPE_NODES][3])
{
  const double flat[3] = {1 - q[0] - q[1], q[0], q[1]}, slope[3][2] = {{-1, -1}, {1, 0}, {0, 1}};
  for (int i = 0; i < 6; i++) {
    double along = i < 3 ? 1 - q[2] : q[2];
    n[i] = flat[i % 3] * along;
    dn[i][0] = slope[i % 3][0] * along;
    dn[i][1] = slope[i % 3][1] * along;
    dn[i][2] = (i < 3 ? -1 : 1) * flat[i % 3];
  }
}

// barycentric coordinates: the first corner has what the others leave
static void simplex(int dimension, const double q[3], double n[DV_SHAPE_NODES], double dn[DV_SHAPE_NODES][3])
{
  n[0] = 1;
  for (int a = 0; a < dimension; a++) {
    n[0] -= q[a];
    n[a + 1] = q[a];
    dn[0][a] = -1;
    dn[a + 1][a] = 1;
  }
}

static void evaluate(dvElementKind kind, const double q[3], double n[DV_SHAPE_NODES], double dn[DV_SHAPE_NODES][3])
{
  int dimension = dv_shape_dimension(kind);
  memset(dn, 0, DV_SHAPE_NODES * sizeof *dn);
  switch (kind) {
  case DV_TRIANGLE:
  case DV_TETRAHEDRON:
    simplex(dimension, q, n, dn);
    break;
  case DV_PRISM:
    prism(q, n, dn);
    break;
  case DV_PYRAMID:
    pyramid(q, n, dn);
    break;
  default:
    for (int i = 0; i < dv_element_points(kind); i++) {
      n[i] = product(i, dimension, q, -1);
      for (int a = 0; a < dimension; a++) dn[i][a] = product(i, dimension, q, a);
    }
  }
}

void dv_shape_values(dvElementKind kind, const double q[3], double n[DV_SHAPE_NODES])
{
  double dn[DV_SHAPE_NODES][3];
  evaluate(kind, q, n, dn);
}

void dv_shape_derivatives(dvElementKind kind, const double q[3], double dn[DV_SHAPE_NODES][3])
{
  double n[DV_SHAPE_NODES];
  evaluate(kind, q, n, dn);
}

// Rows that take derivatives in the reference element to gradients in space: the (left) inverse of the columns of J.
static double invert(int dimension, const dvVec3 j[3], dvVec3 rows[3])
{
  dvVec3 normal = dv_vec3_cross(j[0], j[1]);
  double length2 = dv_vec3_norm2(j[0]), area2 = dv_vec3_norm2(normal), det;
  switch (dimension) {
  case 1:
    rows[0] = dv_vec3_scale(j[0], 1 / length2);
    return sqrt(length2);
  case 2:
    rows[0] = dv_vec3_scale(dv_vec3_cross(j[1], normal), 1 / area2);
    rows[1] = dv_vec3_scale(dv_vec3_cross(normal, j[0]), 1 / area2);
    return sqrt(area2);
  default:
    det = dv_vec3_dot(normal, j[2]);
    rows[0] = dv_vec3_scale(dv_vec3_cross(j[1], j[2]), 1 / det);
    rows[1] = dv_vec3_scale(dv_vec3_cross(j[2], j[0]), 1 / det);
    rows[2] = dv_vec3_scale(normal, 1 / det);
    return fabs(det);
  }
}

double dv_shape_gradients(dvElementKind kind, const double q[3], const double *x, dvVec3 g[DV_SHAPE_NODES])
{
  int nodes = dv_element_points(kind), dimension = dv_shape_dimension(kind);
  double dn[DV_SHAPE_NODES][3];
  dvVec3 j[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, rows[3];
  dv_shape_derivatives(kind, q, dn);
  for (int i = 0; i < nodes; i++)
    for (int a = 0; a < dimension; a++) j[a] = dv_vec3_add_scaled(j[a], dv_vec3_load(x + 3 * i), dn[i][a]);
  double det = invert(dimension, j, rows);
  bool flat = !(det > 0) || !isfinite(1 / det);
  for (int i = 0; i < nodes; i++) {
    g[i] = dv_vec3(0, 0, 0);
    for (int a = 0; a < dimension && !flat; a++) g[i] = dv_vec3_add_scaled(g[i], rows[a], dn[i][a]);
  }
  return flat ? 0 : det;
}

void dv_stiffness_add(int nodes, const dvVec3 *g, double weight, double lambda, double mu, double *k)
{
  size_t n = 3 * (size_t)nodes;
  for (int i = 0; i < nodes; i++)
    for (int j = i; j < nodes; j++) {   // the block (j, i) is the transposed one, to the last bit
      dvMat3 m =
          dv_mat3_add(dv_mat3_scale(dv_mat3_outer(g[i], g[j]), lambda), dv_mat3_scale(dv_mat3_outer(g[j], g[i]), mu));
      double shear = mu * dv_vec3_dot(g[i], g[j]);
      for (int r = 0; r < 3; r++)
        for (int s = 0; s < 3; s++) {
          double part = weight * (m.m[r][s] + (r == s ? shear : 0));
          k[n * (size_t)(3 * i + r) + (size_t)(3 * j + s)] += part;
          if (j > i) k[n * (size_t)(3 * j + s) + (size_t)(3 * i + r)] += part;
        }
    }
}

bool dv_element_stiffness(dvElementKind kind, const double *x, double lambda, double mu, double *k)
{
  const dvQuadrature *rule = &quadratures[kind];
  int nodes = dv_element_points(kind);
  bool good = true;
  memset(k, 0, 9 * (size_t)(nodes * nodes) * sizeof *k);
  for (int p = 0; p < rule->points; p++) {
    dvVec3 g[DV_SHAPE_NODES];
    double det = dv_shape_gradients(kind, rule->at[p], x, g);
    if (det > 0) dv_stiffness_add(nodes, g, rule->weight[p] * det, lambda, mu, k);
    else good = false;
  }
  return good;
}
