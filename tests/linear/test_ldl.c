// The sparse LDL^T against dense solutions; orders of elimination.
#include "support/check.h"
#include "support/matrix.h"

#include "base/array.h"
#include "linear/direct/ldl.h"

#include <math.h>
#include <string.h>

static const int blocks[] = {1, 3, 6};
static const dvOrder orders[] = {DV_ORDER_NATURAL, DV_ORDER_AMD, DV_ORDER_METIS, DV_ORDER_SEPARATED, DV_ORDER_BEST};

static bool factorise(dvLdl *f, const dvBlockMatrix *a, dvOrder order, size_t *pivot)
{
  assert_true(dv_ldl_analyse(f, &a->pattern, a->block, order));
  return dv_ldl_factorise(f, a, NULL, DV_LDL_SMALL, pivot);
}

// solves with a random right-hand side; the distance to the dense solution and the residual
static void solve(const dvBlockMatrix *a, dvOrder order, double *distance, double *residual)
{
  size_t n = dv_block_matrix_rows(a), pivot;
  double *b = dv_alloc(n * sizeof *b), *x = dv_alloc(n * sizeof *x), *y = dv_alloc(n * sizeof *y), *work;
  uint64_t seed = 9;
  dvLdl f = {0};
  check_random_vector(&seed, b, n);
  assert_true(factorise(&f, a, order, &pivot));
  work = dv_alloc(dv_ldl_work(&f) * sizeof *work);
  for (int again = 0; again < 2; again++)
    assert_true(dv_ldl_factorise(&f, a, NULL, DV_LDL_SMALL, &pivot));   // nothing is left behind
  dv_ldl_solve(&f, b, x, work);
  check_dense_solve(a, b, y);
  *distance = check_distance(x, y, n);
  *residual = check_residual(a, x, b);
  memcpy(y, b, n * sizeof *y);
  dv_ldl_solve(&f, y, y, work);   // in place
  check_close(check_distance(y, x, n), 0, 0);
  dv_ldl_free(&f);
  dv_free(b);
  dv_free(x);
  dv_free(y);
  dv_free(work);
}

static void random_systems(void **state)
{
  DV_UNUSED(state);
  for (size_t k = 0; k < DV_COUNT(blocks); k++)
    for (size_t o = 0; o < DV_COUNT(orders); o++)
      for (int neighbours = 0; neighbours < 5; neighbours++) {
        dvBlockMatrix a = {0};
        double distance, residual;
        check_random_spd(&a, blocks[k], 60, neighbours, 17 + (uint64_t)neighbours);   // 0: nothing is connected
        solve(&a, orders[o], &distance, &residual);
        check_close(distance, 0, 1e-12);
        check_close(residual, 0, 1e-15 * 20);
        dv_block_matrix_free(&a);
      }
}

// fronts of several blocks of columns, and rows of all lengths
static void nearly_full_systems(void **state)
{
  DV_UNUSED(state);
  static const size_t sizes[][3] = {{1, 7, 6}, {1, 261, 40}, {3, 90, 40}, {3, 200, 30}, {6, 97, 50}, {1, 530, 60}};
  for (size_t k = 0; k < DV_COUNT(sizes); k++)
    for (size_t o = 0; o < DV_COUNT(orders); o++) {
      dvBlockMatrix a = {0};
      double distance, residual;
      check_random_spd(&a, (int)sizes[k][0], sizes[k][1], (int)sizes[k][2], 3 + k);
      solve(&a, orders[o], &distance, &residual);
      check_close(distance, 0, 1e-11);
      check_close(residual, 0, 1e-14);
      dv_block_matrix_free(&a);
    }
}

// Largest residual after a solution and after each of some steps of refinement, with the factor that is there.
static void refined(const dvLdl *f, const dvBlockMatrix *a, int steps, double *left)
{
  size_t n = dv_ldl_rows(f);
  double *b = dv_alloc(n * sizeof *b), *x = dv_alloc(n * sizeof *x),
         *work = dv_alloc((dv_ldl_work(f) + 2 * n) * sizeof *work);
  uint64_t seed = 9;
  check_random_vector(&seed, b, n);
  dv_ldl_solve(f, b, x, work);
  for (int i = 0; i < steps; i++) left[i] = dv_ldl_refine(f, a, b, x, work);
  dv_free(b);
  dv_free(x);
  dv_free(work);
}

// Copies in smaller numbers have fewer digits: every step of refinement adds as many. A factor of single precision is
// as good, and one that is full again has all of them at once.
static void copies_in_smaller_numbers(void **state)
{
  DV_UNUSED(state);
  static const size_t sizes[][3] = {{1, 1, 0},   {1, 7, 6},    {1, 60, 2}, {1, 261, 40}, {3, 60, 3},
                                    {3, 90, 40}, {3, 200, 30}, {6, 20, 2}, {6, 97, 50},  {1, 530, 60}};
  static const struct {
    dvLdlNumbers numbers;
    bool rough;
    double digits;   // what a solution leaves
  } kinds[] = {{DV_LDL_SINGLE, false, 1e-5},
               {DV_LDL_SHORT, false, 1e-2},
               {DV_LDL_SHORT, true, 1e-2},
               {DV_LDL_DOUBLE, true, 1e-5},
               {DV_LDL_DOUBLE, false, 1e-13}};
  for (size_t k = 0; k < DV_COUNT(sizes); k++)
    for (size_t o = 0; o < DV_COUNT(orders); o++) {
      dvBlockMatrix a = {0};
      dvLdl f = {0};
      size_t pivot;
      check_random_spd(&a, (int)sizes[k][0], sizes[k][1], (int)sizes[k][2], 3 + k);
      assert_true(dv_ldl_analyse(&f, &a.pattern, a.block, orders[o]));
      for (size_t i = 0; i < DV_COUNT(kinds); i++) {
        double left[7];
        f.rough = kinds[i].rough;
        assert_true(dv_ldl_factorise(&f, &a, NULL, DV_LDL_SMALL, &pivot));
        assert_true(dv_ldl_make_copy(&f, kinds[i].numbers, NULL));
        refined(&f, &a, 7, left);
        if (!(left[0] < kinds[i].digits && left[6] < 1e-13))
          fail_msg("size %zu, kind %zu: %g (%g), refined %g (1e-13)", k, i, left[0], kinds[i].digits, left[6]);
      }
      dv_ldl_free(&f);
      dv_block_matrix_free(&a);
    }
}

// Copies in 16 bits are worked with in single precision, whatever unit matrices and right-hand sides have. Numbers that
// are not finite, or all zero, do no harm.
static void copies_in_any_unit(void **state)
{
  DV_UNUSED(state);
  static const double units[] = {1e-200, 1e-60, 1e-30, 1, 1e30, 1e60, 1e200};
  dvBlockMatrix a = {0};
  dvLdl f = {0};
  size_t pivot;
  check_random_spd(&a, 3, 200, 30, 3);
  size_t n = 3 * a.pattern.rows, numbers = 9 * dv_pattern_count(&a.pattern);
  double *b = dv_alloc(n * sizeof *b), *x = dv_alloc(n * sizeof *x), *all = dv_alloc(numbers * sizeof *all);
  uint64_t seed = 9;
  check_random_vector(&seed, b, n);
  memcpy(all, a.values, numbers * sizeof *all);
  assert_true(dv_ldl_analyse(&f, &a.pattern, 3, DV_ORDER_AMD));
  double *work = dv_alloc((dv_ldl_work(&f) + 2 * n) * sizeof *work), *c = dv_alloc(n * sizeof *c);
  for (size_t i = 0; i < DV_COUNT(units); i++)
    for (size_t k = 0; k < DV_COUNT(units); k++) {
      if (!(units[k] / units[i] < 1e250 && units[k] / units[i] > 1e-250)) continue;   // x has no such numbers
      for (size_t e = 0; e < numbers; e++) a.values[e] = units[i] * all[e];
      for (size_t e = 0; e < n; e++) c[e] = units[k] * b[e];
      assert_true(dv_ldl_factorise(&f, &a, NULL, DV_LDL_SMALL, &pivot));
      assert_true(dv_ldl_make_copy(&f, DV_LDL_SHORT, NULL));
      dv_ldl_solve(&f, c, x, work);
      double left = dv_ldl_refine(&f, &a, c, x, work);
      if (!(left < 1e-2)) fail_msg("matrix times %g, right-hand side times %g: %g left", units[i], units[k], left);
    }
  memset(c, 0, n * sizeof *c);
  dv_ldl_solve(&f, c, x, work);
  for (size_t e = 0; e < n; e++) assert_true(x[e] == 0);
  c[5] = INFINITY;
  dv_ldl_solve(&f, c, x, work);
  dv_free(b), dv_free(x), dv_free(all), dv_free(work), dv_free(c);
  dv_ldl_free(&f);
  dv_block_matrix_free(&a);
}

static void ill_conditioned_systems(void **state)
{
  DV_UNUSED(state);
  for (size_t k = 0; k < DV_COUNT(blocks); k++)
    for (size_t o = 0; o < DV_COUNT(orders); o++) {
      dvBlockMatrix a = {0};
      double distance, residual;
      check_random_spd(&a, blocks[k], 50, 3, 5);
      check_scale(&a, 4, 21);   // entries over sixteen decades
      solve(&a, orders[o], &distance, &residual);
      check_close(residual, 0, 1e-14);
      dv_block_matrix_free(&a);
      check_chain(&a, blocks[k], 400, 1e-6);   // a long chain that hardly holds: condition 1e11
      solve(&a, orders[o], &distance, &residual);
      check_close(residual, 0, 1e-14);
      check_close(distance, 0, 1e-5);
      dv_block_matrix_free(&a);
    }
}

static void indefinite_systems(void **state)
{
  DV_UNUSED(state);
  for (size_t k = 0; k < DV_COUNT(blocks); k++) {
    dvBlockMatrix a = {0};
    double distance, residual;
    size_t n, pivot, negative = 0;
    check_random_spd(&a, blocks[k], 30, 2, 8);
    n = dv_block_matrix_rows(&a);
    for (size_t r = 0; r < a.pattern.rows; r += 3) {   // some diagonal blocks become negative
      double *d = dv_block_matrix_at(&a, dv_pattern_find(&a.pattern, r, r));
      for (int i = 0; i < a.block; i++) d[i * a.block + i] -= 20 + (double)r;
    }
    solve(&a, DV_ORDER_AMD, &distance, &residual);
    check_close(distance, 0, 1e-10);
    dvLdl f = {0};
    assert_true(factorise(&f, &a, DV_ORDER_AMD, &pivot));
    negative = f.negative;
    assert_true(negative >= n / 3 && negative < n);
    dv_ldl_free(&f);
    dv_block_matrix_free(&a);
  }
}

// zeros on the diagonal of a matrix that is not singular: pivots are replaced, and refinement finds the solution all
// the same
static void zero_pivots(void **state)
{
  DV_UNUSED(state);
  for (size_t k = 0; k < DV_COUNT(blocks); k++)
    for (size_t o = 0; o < DV_COUNT(orders); o++) {
      dvBlockMatrix a = {0};
      dvLdl f = {0};
      check_random_spd(&a, blocks[k], 40, 2, 3);
      size_t n = dv_block_matrix_rows(&a), pivot;
      for (size_t r = 0; r < a.pattern.rows; r += 5) {
        double *d = dv_block_matrix_at(&a, dv_pattern_find(&a.pattern, r, r));
        for (int i = 0; i < a.block * a.block; i++) d[i] = 0;
      }
      double *b = dv_alloc(n * sizeof *b), *x = dv_alloc(n * sizeof *x), *y = dv_alloc(n * sizeof *y);
      uint64_t seed = 9;
      check_random_vector(&seed, b, n);
      assert_true(factorise(&f, &a, orders[o], &pivot));
      assert_true(f.negative > 0);
      double *work = dv_alloc((dv_ldl_work(&f) + 2 * n) * sizeof *work);
      dv_ldl_solve(&f, b, x, work);
      for (int i = 0; i < 10; i++) dv_ldl_refine(&f, &a, b, x, work);
      check_dense_solve(&a, b, y);
      check_close(check_residual(&a, x, b), 0, 1e-13);
      check_close(check_distance(x, y, n), 0, 1e-9);
      dv_free(b), dv_free(x), dv_free(y), dv_free(work);
      dv_ldl_free(&f);
      dv_block_matrix_free(&a);
    }
}

static void singular_systems_are_refused(void **state)
{
  DV_UNUSED(state);
  for (size_t k = 0; k < DV_COUNT(blocks); k++)
    for (size_t o = 0; o < DV_COUNT(orders); o++) {
      dvBlockMatrix a = {0};
      check_chain(&a, blocks[k], 90, 0);   // nothing holds it
      dvLdl f = {0};
      size_t pivot = 0, n = dv_block_matrix_rows(&a);
      assert_false(factorise(&f, &a, orders[o], &pivot));
      assert_false(f.valid);
      double *x = dv_alloc(n * sizeof *x), *y = dv_alloc(n * sizeof *y);
      dv_ldl_null_vector(&f, pivot, x);
      dv_block_matrix_product(&a, NULL, x, y);
      double most = 0;
      for (size_t i = 0; i < n; i++) {
        most = fmax(most, fabs(x[i]));
        check_close(y[i], 0, 1e-10);
      }
      assert_true(most > 0.1);
      dv_free(x);
      dv_free(y);
      dv_ldl_free(&f);
      dv_block_matrix_free(&a);
      check_random_spd(&a, blocks[k], 20, 2, 4);
      double *d = dv_block_matrix_at(&a, dv_pattern_find(&a.pattern, 7, 7));   // a row of zeros
      for (int32_t e = a.pattern.row_start[7]; e < a.pattern.row_start[8]; e++)
        memset(dv_block_matrix_at(&a, e), 0, (size_t)(a.block * a.block) * sizeof *d);
      for (size_t r = 0; r < a.pattern.rows; r++) {
        int32_t e = dv_pattern_find(&a.pattern, r, 7);
        if (e >= 0) memset(dv_block_matrix_at(&a, e), 0, (size_t)(a.block * a.block) * sizeof *d);
      }
      assert_false(factorise(&f, &a, orders[o], &pivot));
      assert_int_equal(pivot / (size_t)a.block, 7);
      dv_ldl_free(&f);
      dv_block_matrix_free(&a);
    }
}

// what is not a number goes through: the loop explains where it came from
static void not_a_number(void **state)
{
  DV_UNUSED(state);
  for (size_t k = 0; k < DV_COUNT(blocks); k++) {
    dvBlockMatrix a = {0};
    dvLdl f = {0};
    size_t pivot;
    double b[120] = {1}, x[120];
    check_chain(&a, blocks[k], 20, 1);
    dv_block_matrix_at(&a, dv_pattern_find(&a.pattern, 10, 10))[0] = NAN;
    assert_true(factorise(&f, &a, DV_ORDER_NATURAL, &pivot));
    double *work = dv_alloc(dv_ldl_work(&f) * sizeof *work);
    static const dvLdlNumbers numbers[] = {DV_LDL_DOUBLE, DV_LDL_SINGLE, DV_LDL_SHORT};
    for (size_t i = 0; i < DV_COUNT(numbers); i++) {
      assert_true(dv_ldl_make_copy(&f, numbers[i], NULL));
      dv_ldl_solve(&f, b, x, work);
      assert_true(isnan(x[0]));
    }
    dv_free(work);
    dv_ldl_free(&f);
    dv_block_matrix_free(&a);
  }
}

static void orders_are_permutations_and_keep_the_factor_sparse(void **state)
{
  DV_UNUSED(state);
  enum { SIDE = 40, N = SIDE * SIDE };
  dvBlockMatrix a = {0};
  check_grid(&a, 3, SIDE, 0.1);
  int32_t perm[N];
  for (size_t o = 0; o + 1 < DV_COUNT(orders); o++) {
    bool seen[N] = {false};
    assert_true(dv_order(orders[o], &a.pattern, perm));
    for (int i = 0; i < N; i++) {
      assert_in_range(perm[i], 0, N - 1);
      assert_false(seen[perm[i]]);
      seen[perm[i]] = true;
    }
  }
  dvLdl natural = {0}, amd = {0};
  assert_true(dv_ldl_analyse(&natural, &a.pattern, 3, DV_ORDER_NATURAL));
  assert_true(dv_ldl_analyse(&amd, &a.pattern, 3, DV_ORDER_AMD));
  // natural: about 40 a row; AMD does at least three times better on this grid
  assert_true(dv_ldl_count(&natural) > 30 * N);
  if (dv_ldl_count(&amd) * 3 > dv_ldl_count(&natural))
    fail_msg("blocks: AMD %zu, natural %zu", dv_ldl_count(&amd), dv_ldl_count(&natural));
  dv_ldl_free(&natural);
  dv_ldl_free(&amd);
  dv_block_matrix_free(&a);
}

// a cube of n^3 points, each joined to its 26 neighbours
static void cube_pattern(dvPattern *p, int n)
{
  DV_ARRAY(uint64_t) pairs = {0};
  for (int i = 0; i < n * n * n; i++)
    for (int k = 0; k < 27; k++) {
      int x = i % n + k % 3 - 1, y = i / n % n + k / 3 % 3 - 1, z = i / n / n + k / 9 - 1;
      if (x < 0 || y < 0 || z < 0 || x >= n || y >= n || z >= n) continue;
      dv_push(&pairs, dv_pair((size_t)i, (size_t)((z * n + y) * n + x)));
    }
  assert_true(dv_pattern_build(p, (size_t)(n * n * n), (size_t)(n * n * n), pairs.data, pairs.count, NULL));
  dv_array_free(&pairs);
}

// separators of a cube are planes, which neither AMD nor METIS' own orders make much of when it is small
static void best_order_is_the_best(void **state)
{
  DV_UNUSED(state);
  for (int n = 4; n < 9; n += 2) {
    dvPattern p = {0};
    double work[DV_COUNT(orders)];
    cube_pattern(&p, n);
    for (size_t o = 0; o < DV_COUNT(orders); o++) {
      dvOrderHistory history = {0};
      dvLdl f = {0};
      assert_true(dv_ldl_analyse_again(&f, &p, 3, orders[o], &history));
      work[o] = history.work;
      dv_ldl_free(&f);
      dv_order_history_free(&history);
    }
    const double *best = &work[DV_COUNT(orders) - 1];
    if (!(*best <= work[1])) fail_msg("side %d: %g, AMD %g", n, *best, work[1]);
    if (n == 6 && dv_order_has_metis() && !(*best < 0.85 * work[1] && *best < 0.85 * work[2]))
      fail_msg("side %d: %g, AMD %g, METIS %g", n, *best, work[1], work[2]);
    dv_pattern_free(&p);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_systems),
      cmocka_unit_test(nearly_full_systems),
      cmocka_unit_test(copies_in_smaller_numbers),
      cmocka_unit_test(copies_in_any_unit),
      cmocka_unit_test(ill_conditioned_systems),
      cmocka_unit_test(indefinite_systems),
      cmocka_unit_test(zero_pivots),
      cmocka_unit_test(singular_systems_are_refused),
      cmocka_unit_test(not_a_number),
      cmocka_unit_test(orders_are_permutations_and_keep_the_factor_sparse),
      cmocka_unit_test(best_order_is_the_best),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
