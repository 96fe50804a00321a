// The search for elements against the rule it implements, element by element.
#include "support/check.h"
#include "topology/search/locate.h"

#include <float.h>
#include <string.h>

enum { SIDE = 4, POINTS = SIDE * SIDE * SIDE, CELLS = (SIDE - 1) * (SIDE - 1) * (SIDE - 1), QUERIES = 400 };

static double points[3 * POINTS];
static int32_t tetrahedra[CELLS * 5 * 4], hexahedra[CELLS * 8];

static double noise(uint32_t *state)
{
  *state = *state * 1664525u + 1013904223u;
  return (double)(*state >> 8) / 16777216.0 - 0.5;
}

// a grid of unit cells with its inner points moved, as hexahedra and as five tetrahedra a cell
static void make_mesh(double shake)
{
  static const int corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                   {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  static const int cut[5][4] = {{0, 1, 3, 4}, {2, 3, 1, 6}, {5, 4, 6, 1}, {7, 6, 4, 3}, {1, 3, 4, 6}};
  uint32_t seed = 7;
  for (int i = 0; i < POINTS; i++) {
    int at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
    for (int k = 0; k < 3; k++) points[3 * i + k] = at[k] + shake * noise(&seed);
  }
  for (int c = 0; c < CELLS; c++) {
    int at[3] = {c % (SIDE - 1), c / (SIDE - 1) % (SIDE - 1), c / (SIDE - 1) / (SIDE - 1)};
    int32_t *h = hexahedra + 8 * c;
    for (int i = 0; i < 8; i++)
      h[i] = at[0] + corner[i][0] + SIDE * (at[1] + corner[i][1] + SIDE * (at[2] + corner[i][2]));
    for (int t = 0; t < 5; t++)
      for (int i = 0; i < 4; i++) tetrahedra[20 * c + 4 * t + i] = h[cut[t][i]];
  }
}

static void make_queries(double *out, double reach)
{
  uint32_t seed = 99;
  for (int i = 0; i < 3 * QUERIES; i++) out[i] = (SIDE - 1) * (0.5 + reach * noise(&seed));
}

// position of a location: the weighted corners
static void evaluate(const dvLocateDef *def, const dvLocation *at, double out[3])
{
  size_t e = (size_t)at->element;
  const dvLocateElements *l = &def->lists[e >= def->lists[0].count];
  if (e >= def->lists[0].count) e -= def->lists[0].count;
  double w[8];
  int n = dv_locate_weights(l->kind, at->local, w);
  memset(out, 0, 3 * sizeof *out);
  for (int c = 0; c < n; c++)
    for (int k = 0; k < 3; k++) out[k] += w[c] * def->x[3 * (size_t)l->corners[e * (size_t)n + (size_t)c] + (size_t)k];
}

// the value that decides, computed from the corners alone
static double value_of(const dvLocateDef *def, size_t element, const double *p)
{
  const dvLocateElements *l = &def->lists[element >= def->lists[0].count];
  size_t e = element >= def->lists[0].count ? element - def->lists[0].count : element;
  int n = dv_element_points(l->kind);
  const double *c[8];
  double centre[3] = {0, 0, 0};
  for (int i = 0; i < n; i++) {
    c[i] = def->x + 3 * (size_t)l->corners[e * (size_t)n + (size_t)i];
    for (int k = 0; k < 3; k++) centre[k] += c[i][k] / n;
  }
  // one element alone: its own local coordinates
  dvLocateDef one = {.x = def->x};
  one.lists[0] = (dvLocateElements){l->kind, l->corners + e * (size_t)n, 1};
  dvLocation at;
  dv_locate(&one, NULL, p, 1, &at);
  const double *v = at.local;
  double d = l->kind == DV_TETRAHEDRON ? fmax(fmax(-v[0], -v[1]), fmax(-v[2], v[0] + v[1] + v[2] - 1))
                                       : fmax(fmax(fmax(-v[0], -v[1]), -v[2]), fmax(fmax(v[0], v[1]), v[2]) - 1);
  if (d <= 0) return d;
  return (p[0] - centre[0]) * (p[0] - centre[0]) + (p[1] - centre[1]) * (p[1] - centre[1]) +
         (p[2] - centre[2]) * (p[2] - centre[2]);
}

static dvLocateDef both_kinds(void)
{
  dvLocateDef def = {.x = points};
  def.lists[0] = (dvLocateElements){DV_TETRAHEDRON, tetrahedra, CELLS * 5 / 2};
  def.lists[1] = (dvLocateElements){DV_HEXAHEDRON, hexahedra + 8 * (CELLS / 2), CELLS - CELLS / 2};
  return def;
}

static void test_best_element_wins(void **state)
{
  (void)state;
  make_mesh(0.3);
  dvLocateDef def = both_kinds();
  double p[3 * QUERIES];
  dvLocation at[QUERIES];
  make_queries(p, 2.2);
  assert_int_equal(dv_locate(&def, NULL, p, QUERIES, at), 0);
  int inside = 0;
  for (int i = 0; i < QUERIES; i++) {
    double best = DBL_MAX, mine = value_of(&def, (size_t)at[i].element, p + 3 * i);
    for (size_t e = 0; e < def.lists[0].count + def.lists[1].count; e++)
      best = fmin(best, value_of(&def, e, p + 3 * i));
    check_close(mine, best, 1e-13);
    inside += best <= 0;
  }
  assert_in_range(inside, QUERIES / 20, QUERIES - QUERIES / 20);   // both cases occur
}

static void test_threads_find_the_same(void **state)
{
  (void)state;
  make_mesh(0.3);
  dvLocateDef def = both_kinds();
  double p[3 * QUERIES];
  dvLocation one[QUERIES], many[QUERIES];
  make_queries(p, 1.5);
  dvPool *pool = dv_pool_create(3);
  dv_locate(&def, NULL, p, QUERIES, one);
  dv_locate(&def, pool, p, QUERIES, many);
  assert_memory_equal(one, many, sizeof one);
  dv_pool_destroy(&pool);
}

static void test_weights_give_the_point_back(void **state)
{
  (void)state;
  make_mesh(0.3);
  dvLocateDef def = {.x = points};
  def.lists[0] = (dvLocateElements){DV_TETRAHEDRON, tetrahedra, CELLS * 5};
  double p[3 * QUERIES], back[3];
  dvLocation at[QUERIES];
  make_queries(p, 2.5);
  for (int cells = 0; cells < 2; cells++) {
    def.cell = cells ? 1.1 : 0;
    dv_locate(&def, NULL, p, QUERIES, at);
    for (int i = 0; i < QUERIES; i++) {
      evaluate(&def, &at[i], back);
      for (int k = 0; k < 3; k++) check_close(back[k], p[3 * i + k], 1e-12);
    }
  }
}

// inside the mesh the grid cells change nothing; outside only elements of cells around the point count
static void test_cells(void **state)
{
  (void)state;
  make_mesh(0.2);
  dvLocateDef def = {.x = points};
  def.lists[0] = (dvLocateElements){DV_TETRAHEDRON, tetrahedra, CELLS * 5};
  double p[3 * QUERIES];
  dvLocation all[QUERIES], near[QUERIES];
  make_queries(p, 0.8);
  dv_locate(&def, NULL, p, QUERIES, all);
  def.cell = 1.2;
  dv_locate(&def, NULL, p, QUERIES, near);
  for (int i = 0; i < QUERIES; i++)
    if (value_of(&def, (size_t)all[i].element, p + 3 * i) < -1e-12) assert_int_equal(all[i].element, near[i].element);
}

static void test_flat_elements_take_nothing(void **state)
{
  (void)state;
  double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0};
  int32_t t[] = {0, 1, 2, 4, 0, 1, 2, 3};
  dvLocateDef def = {.x = x};
  def.lists[0] = (dvLocateElements){DV_TETRAHEDRON, t, 2};
  double p[] = {0.3, 0.3, 0};
  dvLocation at;
  assert_int_equal(dv_locate(&def, NULL, p, 1, &at), 1);
  assert_int_equal(at.element, 1);
  def.lists[0].count = 1;
  assert_int_equal(dv_locate(&def, NULL, p, 1, &at), 1);
  assert_int_equal(at.element, -1);
}

// a cell size that is far too small for an element must not cost time or memory
static void test_tiny_cells(void **state)
{
  (void)state;
  double x[] = {0, 0, 0, 1e6, 0, 0, 0, 1e6, 0, 0, 0, 1e6}, p[] = {1, 1, 1, -5, 0, 0};
  int32_t t[] = {0, 1, 2, 3};
  dvLocateDef def = {.x = x, .cell = 1e-3};
  def.lists[0] = (dvLocateElements){DV_TETRAHEDRON, t, 1};
  dvLocation at[2];
  dv_locate(&def, NULL, p, 2, at);
  check_close(at[0].local[0], 1e-6, 1e-18);
  check_close(at[1].local[0], -5e-6, 1e-18);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_best_element_wins),           cmocka_unit_test(test_threads_find_the_same),
      cmocka_unit_test(test_weights_give_the_point_back), cmocka_unit_test(test_cells),
      cmocka_unit_test(test_flat_elements_take_nothing),  cmocka_unit_test(test_tiny_cells),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
