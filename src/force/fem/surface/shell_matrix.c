// See shell_matrix.h. Notation of the papers: x12 = x1 - x2, l21 the length of the side from corner 1 to corner 2.
#include "force/fem/surface/shell_matrix.h"

#include <math.h>
#include <string.h>

typedef struct Triangle {
  double x[3], y[3], area;
  double e[3][3];   // plane stress: stress from strain (xx, yy, 2 xy)
} Triangle;

// out += factor a^T d a for `rows` x n matrices a and a symmetric d
static void add_congruent(const double *a, size_t rows, size_t n, const double *d, double factor, double *out)
{
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      double sum = 0;
      for (size_t r = 0; r < rows; r++)
        for (size_t s = 0; s < rows; s++) sum += a[n * r + i] * d[rows * r + s] * a[n * s + j];
      out[n * i + j] += factor * sum;
    }
}

// --- membrane ---

// K = L E L^T / (A t): constant strains
static void add_basic(const Triangle *t, double thickness, double *k)
{
  const double alpha = 1.5;
  double l[3][9];   // transposed
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, m = (i + 2) % 3;
    double yjm = t->y[j] - t->y[m], xmj = t->x[m] - t->x[j], yim = t->y[i] - t->y[m], yji = t->y[j] - t->y[i],
           xmi = t->x[m] - t->x[i], xij = t->x[i] - t->x[j];
    const double rows[3][3] = {
        {yjm, 0, xmj},
        {0, xmj, yjm},
        {alpha / 6 * yjm * (yim - yji), alpha / 6 * xmj * (xmi - xij), alpha / 3 * (xmi * yim - xij * yji)}};
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++) l[c][3 * i + r] = 0.5 * thickness * rows[r][c];
  }
  add_congruent(l[0], 3, 9, t->e[0], 1 / (t->area * thickness), k);
}

// strains along the sides 21, 32, 13 from (xx, yy, 2 xy), inverted: E in natural strains
static void natural_moduli(const Triangle *t, const double length2[3], double *out)
{
  double te[3][3], scale = 1 / (4 * t->area * t->area);
  for (int s = 0; s < 3; s++) {
    // side s runs from corner s to corner s + 1: of the papers 12, 23, 31
    int a = s, b = (s + 1) % 3, c = (s + 2) % 3;
    double ybc = t->y[b] - t->y[c], yac = t->y[a] - t->y[c], xbc = t->x[b] - t->x[c], xac = t->x[a] - t->x[c];
    te[0][s] = scale * ybc * yac * length2[s];
    te[1][s] = scale * xbc * xac * length2[s];
    te[2][s] = -scale * (ybc * xac + xbc * yac) * length2[s];
  }
  memset(out, 0, 9 * sizeof *out);
  add_congruent(te[0], 3, 3, t->e[0], 1, out);
}

// what the rotations about z do beyond constant strains
static void add_higher(const Triangle *t, double poisson, double thickness, double *k)
{
  static const double beta[3][9] = {
      {1, 2, 1, 0, 1, -1, -1, -1, -2}, {-2, -1, -1, 1, 1, 2, -1, 0, 1}, {1, -1, 0, -1, -2, -1, 2, 1, 1}};
  double length2[3], moduli[9], turn[3][9], local[9] = {0}, q[3][9];
  for (int s = 0; s < 3; s++) length2[s] = pow(t->x[(s + 1) % 3] - t->x[s], 2) + pow(t->y[(s + 1) % 3] - t->y[s], 2);
  natural_moduli(t, length2, moduli);
  for (int i = 0; i < 3; i++)
    for (int s = 0; s < 9; s++) q[i][s] = 2 * t->area / 3 * beta[i][s] / length2[s / 3];
  for (int i = 0; i < 3; i++) {
    double middle[9];
    for (int s = 0; s < 9; s++) middle[s] = 0.5 * (q[i][s] + q[(i + 1) % 3][s]);
    add_congruent(middle, 3, 3, moduli, t->area * thickness, local);
  }
  for (int i = 0; i < 3; i++)
    for (int c = 0; c < 3; c++) {
      int j = (c + 1) % 3, m = (c + 2) % 3;
      turn[i][3 * c] = (t->x[m] - t->x[j]) / (4 * t->area);
      turn[i][3 * c + 1] = (t->y[m] - t->y[j]) / (4 * t->area);
      turn[i][3 * c + 2] = i == c;
    }
  double strength = fmax(0.5 * (1 - 4 * poisson * poisson), 0.01);
  add_congruent(turn[0], 3, 9, local, 0.75 * strength, k);
}

// --- bending ---

typedef struct Sides {
  double p[3], q[3], r[3], t[3];   // of the sides 23, 31, 12: 4, 5, 6 of the paper
} Sides;

static Sides sides_of(const Triangle *t)
{
  Sides s;
  for (int k = 0; k < 3; k++) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    double x = t->x[i] - t->x[j], y = t->y[i] - t->y[j], l2 = x * x + y * y;
    s.p[k] = -6 * x / l2;
    s.t[k] = -6 * y / l2;
    s.q[k] = 3 * x * y / l2;
    s.r[k] = 3 * y * y / l2;
  }
  return s;
}

// curvatures (xx, yy, 2 xy) from w and rotations about x and y at the corners
static void curvature_matrix(const Triangle *t, const Sides *s, double xi, double eta, double b[3][9])
{
  const double *p = s->p, *q = s->q, *r = s->r, *u = s->t;
  double a = 1 - 2 * xi, c = 1 - 2 * eta;
  const double xx[9] = {p[2] * a + (p[1] - p[2]) * eta,
                        q[2] * a - (q[1] + q[2]) * eta,
                        -4 + 6 * (xi + eta) + r[2] * a - eta * (r[1] + r[2]),
                        -p[2] * a + eta * (p[0] + p[2]),
                        q[2] * a - eta * (q[2] - q[0]),
                        -2 + 6 * xi + r[2] * a + eta * (r[0] - r[2]),
                        -eta * (p[1] + p[0]),
                        eta * (q[0] - q[1]),
                        -eta * (r[1] - r[0])};
  const double yx[9] = {u[2] * a + eta * (u[1] - u[2]),
                        1 + r[2] * a - eta * (r[1] + r[2]),
                        -q[2] * a + eta * (q[1] + q[2]),
                        -u[2] * a + eta * (u[0] + u[2]),
                        -1 + r[2] * a + eta * (r[0] - r[2]),
                        -q[2] * a - eta * (q[0] - q[2]),
                        -eta * (u[0] + u[1]),
                        eta * (r[0] - r[1]),
                        -eta * (q[0] - q[1])};
  const double xe[9] = {-p[1] * c - xi * (p[2] - p[1]),
                        q[1] * c - xi * (q[1] + q[2]),
                        -4 + 6 * (xi + eta) + r[1] * c - xi * (r[1] + r[2]),
                        xi * (p[0] + p[2]),
                        xi * (q[0] - q[2]),
                        -xi * (r[2] - r[0]),
                        p[1] * c - xi * (p[0] + p[1]),
                        q[1] * c + xi * (q[0] - q[1]),
                        -2 + 6 * eta + r[1] * c + xi * (r[0] - r[1])};
  const double ye[9] = {-u[1] * c - xi * (u[2] - u[1]),
                        1 + r[1] * c - xi * (r[1] + r[2]),
                        -q[1] * c + xi * (q[1] + q[2]),
                        xi * (u[0] + u[2]),
                        xi * (r[0] - r[2]),
                        -xi * (q[0] - q[2]),
                        u[1] * c - xi * (u[0] + u[1]),
                        -1 + r[1] * c + xi * (r[0] - r[1]),
                        -q[1] * c - xi * (q[0] - q[1])};
  double x31 = t->x[2] - t->x[0], x12 = t->x[0] - t->x[1], y31 = t->y[2] - t->y[0], y12 = t->y[0] - t->y[1],
         scale = 1 / (2 * t->area);
  for (int i = 0; i < 9; i++) {
    b[0][i] = scale * (y31 * xx[i] + y12 * xe[i]);
    b[1][i] = scale * (-x31 * yx[i] - x12 * ye[i]);
    b[2][i] = scale * (-x31 * xx[i] - x12 * xe[i] + y31 * yx[i] + y12 * ye[i]);
  }
}

static void add_bending(const Triangle *t, double thickness, double *k)
{
  static const double at[3][2] = {{0.5, 0}, {0.5, 0.5}, {0, 0.5}};
  Sides s = sides_of(t);
  for (int i = 0; i < 3; i++) {
    double b[3][9];
    curvature_matrix(t, &s, at[i][0], at[i][1], b);
    add_congruent(b[0], 3, 9, t->e[0], t->area / 3 * pow(thickness, 3) / 12, k);
  }
}

bool dv_shell_matrix(const double x[3], const double y[3], double young, double poisson, double thickness,
                     double k[DV_SHELL_SIZE * DV_SHELL_SIZE])
{
  static const int membrane[3] = {0, 1, 5}, bending[3] = {2, 3, 4};
  double plane[81] = {0}, plate[81] = {0}, factor = young / (1 - poisson * poisson), longest = 0;
  Triangle t = {
      .area = 0.5 * ((x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0])),
      .e = {{factor, factor * poisson, 0}, {factor * poisson, factor, 0}, {0, 0, 0.5 * factor * (1 - poisson)}}};
  memcpy(t.x, x, sizeof t.x);
  memcpy(t.y, y, sizeof t.y);
  memset(k, 0, DV_SHELL_SIZE * DV_SHELL_SIZE * sizeof *k);
  for (int i = 0; i < 3; i++) longest = fmax(longest, pow(x[i] - x[(i + 1) % 3], 2) + pow(y[i] - y[(i + 1) % 3], 2));
  if (!(t.area > 1e-12 * longest)) return false;
  add_basic(&t, thickness, plane);
  add_higher(&t, poisson, thickness, plane);
  add_bending(&t, thickness, plate);
  for (int i = 0; i < 9; i++)
    for (int j = 0; j < 9; j++) {
      k[DV_SHELL_SIZE * (6 * (i / 3) + membrane[i % 3]) + 6 * (j / 3) + membrane[j % 3]] = plane[9 * i + j];
      k[DV_SHELL_SIZE * (6 * (i / 3) + bending[i % 3]) + 6 * (j / 3) + bending[j % 3]] = plate[9 * i + j];
    }
  return true;
}
