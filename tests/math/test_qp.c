// Small quadratic programs: 10,000 random ones, with equalities, rows that repeat or contradict each other and singular
// matrices. Every answer has a proof that is checked: the conditions of Karush, Kuhn and Tucker, a combination of rows
// for problems without a solution, a direction for those without an end. Small ones are solved a second time by trying
// all sets of active rows.
#include "math/qp_problems.h"

#include "math/dense.h"

// --- another way: all sets of active rows ------------------------------------------------------------

// solves the system of the active rows; singular sets are passed over, another set has the same point
static bool at_rows(const dvQp *q, const int *rows, const int *sides, size_t count, double *x, double *y)
{
  size_t n = q->variables, size = n + count, bad;
  double a[MOST * MOST], b[MOST];
  int32_t exchange[MOST];
  memset(a, 0, sizeof a);
  for (size_t i = 0; i < n; i++) {
    memcpy(a + i * size, q->g2.data + i * n, n * sizeof *a);
    b[i] = -q->g.data[i];
  }
  for (size_t k = 0; k < count; k++) {
    size_t r = (size_t)rows[k];
    double length = sqrt(product(q->c.data + r * n, q->c.data + r * n, n));
    for (size_t i = 0; i < n; i++) {
      a[(n + k) * size + i] = q->c.data[r * n + i] / length;
      a[i * size + n + k] = -q->c.data[r * n + i] / length;
    }
    b[n + k] = (sides[k] < 0 ? q->low.data[r] : q->high.data[r]) / length;
    if (isinf(b[n + k])) return false;
  }
  if (!dv_dense_lu(a, exchange, size, 1e-14, &bad)) return false;
  dv_dense_lu_solve(a, exchange, size, b);
  memcpy(x, b, n * sizeof *x);
  memcpy(y, b + n, count * sizeof *y);
  return true;
}

// the least objective of all points that satisfy the conditions; false when there is none
static bool by_trying(const dvQp *q, double *least)
{
  int m = (int)q->rows, sides[MOST] = {0};
  bool found = false;
  for (;;) {
    int rows[MOST], side[MOST];
    size_t count = 0;
    double x[MOST], y[MOST];
    for (int r = 0; r < m; r++)
      if (sides[r]) rows[count] = r, side[count++] = sides[r] == 1 ? -1 : 1;
    if (count <= q->variables && at_rows(q, rows, side, count, x, y)) {
      bool good = true;
      for (size_t k = 0; k < count; k++)
        good = good && (q->low.data[rows[k]] == q->high.data[rows[k]] || -side[k] * y[k] >= -1e-9);
      for (int r = 0; r < m; r++) {
        const double *c = q->c.data + (size_t)r * q->variables;
        double value = product(c, x, q->variables), size = product(x, x, q->variables);
        double small = 1e-10 * sqrt(product(c, c, q->variables) * fmax(1, size));
        good = good && value >= q->low.data[r] - small && value <= q->high.data[r] + small;
      }
      if (good && (!found || objective(q, x) < *least)) *least = objective(q, x), found = true;
    }
    int r = 0;
    while (r < m && sides[r] == 2) sides[r++] = 0;
    if (r == m) return found;
    sides[r]++;
  }
}

// --- proofs ------------------------------------------------------------------------------------------

static void check_infeasible(const dvQp *q)
{
  size_t n = q->variables;
  double gain = 0, scale = 0;
  for (size_t r = 0; r < q->rows; r++) {
    double y = q->y.data[r];
    if (y == 0) continue;
    double end = y > 0 ? q->low.data[r] : q->high.data[r];
    assert_false(isinf(end));
    gain += y * end;
    scale = fmax(scale, fabs(y * end));
  }
  assert_true(gain > 1e-9 * scale);
  double size = 0;
  for (size_t k = 0; k < q->rows * n; k++) size = fmax(size, fabs(q->y.data[k / n] * q->c.data[k]));
  for (size_t i = 0; i < n; i++) {
    double sum = 0;
    for (size_t r = 0; r < q->rows; r++) sum += q->y.data[r] * q->c.data[r * n + i];
    check_close(sum, 0, 1e-8 * size);
  }
}

static void check_unbounded(const dvQp *q)
{
  size_t n = q->variables;
  assert_true(product(q->g.data, q->x.data, n) < 0);
  for (size_t i = 0; i < n; i++) check_close(product(q->g2.data + i * n, q->x.data, n), 0, 1e-6);
}

static void random_problems(void **state)
{
  DV_UNUSED(state);
  enum { PROBLEMS = 10000 };
  uint64_t seed = 23;
  dvQp q = {0};
  size_t answers[4] = {0}, tried = 0, changes = 0, open = 0;
  double worst = 0;
  for (int round = 0; round < PROBLEMS; round++) {
    bool small = round % 2;
    size_t n = 1 + choose(&seed, small ? 3 : 8), m = choose(&seed, small ? 6 : 13);
    make(&q, &seed, n, m);
    memset(q.side.data, 0, m);
    dvQpAnswer answer = dv_qp_solve(&q);
    answers[answer]++;
    changes += (size_t)q.changes;
    open += q.singular > 0;
    double least, error;
    if (answer == DV_QP_SOLVED) {
      error = dv_qp_error(&q);
      worst = fmax(worst, error);
      check_close(error, 0, 1e-8);
      double here = q.objective;
      if (small) {
        if (by_trying(&q, &least)) {
          double far = 0;   // an answer that is far away is moved by the rounding of the rows: its proof has to do
          for (size_t i = 0; i < n; i++) far = fmax(far, fabs(q.x.data[i]));
          if (far < 100) check_close(here, least, 1e-9 * fmax(1, fabs(least)));
          tried++;
        }
      }
      int first = q.changes;   // again, from where it ended
      assert_int_equal(dv_qp_solve(&q), DV_QP_SOLVED);
      check_close(q.objective, here, 1e-9 * fmax(1, fabs(here)));
      assert_true(q.changes <= 4 * first + 20);
    } else if (answer == DV_QP_INFEASIBLE) {
      check_infeasible(&q);
      if (small) {
        assert_false(by_trying(&q, &least));
        tried++;
      }
    } else if (answer == DV_QP_UNBOUNDED) {
      check_unbounded(&q);
    }
  }
  print_message("%zu solved, %zu without a solution, %zu without an end, %zu left; %zu tried otherwise; %zu singular; "
                "%.3g changes "
                "each; largest error %.2g\n",
                answers[0], answers[1], answers[2], answers[3], tried, open, (double)changes / PROBLEMS, worst);
  assert_int_equal(answers[DV_QP_GAVE_UP], 0);
  assert_true(answers[DV_QP_SOLVED] > 4000 && answers[DV_QP_INFEASIBLE] > 200 && answers[DV_QP_UNBOUNDED] > 20);
  dv_qp_free(&q);
}

// several answers: the smallest is found, and it is told
static void redundant(void **state)
{
  DV_UNUSED(state);
  dvQp q = {0};
  dv_qp_resize(&q, 2, 2);
  memcpy(q.g2.data, (double[]){1, 1, 1, 1}, 4 * sizeof(double));
  q.g.data[0] = q.g.data[1] = -2;   // x + y = 2
  q.c.data[0] = q.c.data[3] = 1;
  q.low.data[0] = q.low.data[1] = 0;
  assert_int_equal(dv_qp_solve(&q), DV_QP_SOLVED);
  check_close(q.x.data[0], 1, 1e-6);
  check_close(q.x.data[1], 1, 1e-6);
  assert_int_equal(q.singular, 1);
  q.high.data[0] = 0.5;
  assert_int_equal(dv_qp_solve(&q), DV_QP_SOLVED);
  check_close(q.x.data[0] + q.x.data[1], 2, 1e-9);
  dv_qp_free(&q);
}

// 60 variables with bounds and 60 rows, as contacts make them: bounded changes
static void large(void **state)
{
  DV_UNUSED(state);
  enum { N = 60 };
  uint64_t seed = 5;
  dvQp q = {0};
  dv_qp_resize(&q, N, 2 * N);
  double *a = dv_alloc(N * N * sizeof *a);
  for (int i = 0; i < N * N; i++) a[i] = pick(&seed);
  for (int i = 0; i < N; i++) {
    q.g.data[i] = 10 * pick(&seed);
    for (int k = 0; k < N; k++) q.g2.data[i * N + k] = product(a + i * N, a + k * N, N) + (i == k ? 0.1 : 0);
    q.c.data[i * N + i] = 1;
    q.low.data[i] = 0;
    memcpy(q.c.data + (N + i) * N, q.g2.data + i * N, N * sizeof *a);
    q.low.data[N + i] = -5 + pick(&seed);
  }
  assert_int_equal(dv_qp_solve(&q), DV_QP_SOLVED);
  check_close(dv_qp_error(&q), 0, 1e-9);
  print_message("%d changes\n", q.changes);
  assert_true(q.changes < 300);
  dv_free(a);
  dv_qp_free(&q);
}

static void contradicting(void **state)
{
  DV_UNUSED(state);
  dvQp q = {0};
  dv_qp_resize(&q, 1, 2);
  q.g2.data[0] = 1;
  q.c.data[0] = 1, q.low.data[0] = 2;
  q.c.data[1] = 1, q.high.data[1] = 1;
  assert_int_equal(dv_qp_solve(&q), DV_QP_INFEASIBLE);
  check_infeasible(&q);
  q.low.data[0] = 3, q.high.data[0] = 2;
  assert_int_equal(dv_qp_solve(&q), DV_QP_INFEASIBLE);
  dv_qp_resize(&q, 0, 0);
  assert_int_equal(dv_qp_solve(&q), DV_QP_SOLVED);
  dv_qp_free(&q);
}

// what is not a number ends, without an answer
static void not_numbers(void **state)
{
  DV_UNUSED(state);
  const double bad[] = {NAN, INFINITY, -INFINITY};
  dvQp q = {0};
  for (int i = 0; i < 12; i++) {
    dv_qp_resize(&q, 2, 1);
    q.g2.data[0] = q.g2.data[3] = 1;
    q.g.data[0] = -1;
    q.c.data[0] = 1, q.high.data[0] = 0.5;
    double *const places[] = {&q.g2.data[0], &q.g2.data[1], &q.g.data[1], &q.c.data[1]};
    *places[i % 4] = bad[i / 4];
    assert_int_not_equal(dv_qp_solve(&q), DV_QP_SOLVED);
  }
  dv_qp_free(&q);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_problems), cmocka_unit_test(redundant),
                                     cmocka_unit_test(large), cmocka_unit_test(contradicting),
                                     cmocka_unit_test(not_numbers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
