// The sparse LDL^T with several threads: the same bits, and solving with one factor while another is computed.
#include "support/check.h"
#include "support/matrix.h"

#include "linear/direct/ldl.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

static void same_bits(void **state)
{
  DV_UNUSED(state);
  dvBlockMatrix a = {0};
  dvLdl one = {0};
  size_t pivot;
  check_grid(&a, 3, 70, 0.1);
  assert_true(dv_ldl_analyse(&one, &a.pattern, 3, DV_ORDER_AMD));
  assert_true(dv_ldl_factorise(&one, &a, NULL, DV_LDL_SMALL, &pivot));
  for (int threads = 2; threads <= 4; threads++) {
    dvPool *pool = dv_pool_create(threads);
    dvLdl more = {0};
    assert_true(dv_ldl_analyse_like(&more, &one));
    for (int again = 0; again < 3; again++) {
      assert_true(dv_ldl_factorise(&more, &a, pool, DV_LDL_SMALL, &pivot));
      assert_memory_equal(more.lower, one.lower, dv_ldl_stored(&one) * sizeof *one.lower);
      assert_memory_equal(more.d, one.d, dv_ldl_rows(&one) * sizeof *one.d);
    }
    dv_ldl_free(&more);
    dv_pool_destroy(&pool);
  }
  dv_ldl_free(&one);
  dv_block_matrix_free(&a);
}

// large enough for fronts that several threads share
static void check_solutions(dvLdlNumbers numbers, bool rough, double digits)
{
  dvBlockMatrix a = {0};
  dvLdl f = {0};
  size_t pivot;
  check_grid(&a, 3, 160, 0.1);
  assert_true(dv_ldl_analyse(&f, &a.pattern, 3, DV_ORDER_METIS));
  f.rough = rough;
  assert_true(dv_ldl_factorise(&f, &a, NULL, DV_LDL_SMALL, &pivot));
  assert_true(dv_ldl_make_copy(&f, numbers, NULL));
  size_t n = dv_ldl_rows(&f);
  double *b = dv_alloc(n * sizeof *b), *x = dv_alloc(n * sizeof *x), *y = dv_alloc(n * sizeof *y),
         *work = dv_alloc(dv_ldl_work(&f) * sizeof *work);
  for (size_t i = 0; i < n; i++) b[i] = sin(0.1 * (double)i);
  dv_ldl_solve(&f, b, x, work);
  dv_block_matrix_product(&a, NULL, x, y);
  for (size_t i = 0; i < n; i++) check_close(y[i], b[i], digits);
  for (int threads = 1; threads <= 3; threads++) {
    dvPool *pool = dv_pool_create(threads);
    assert_true(dv_ldl_factorise(&f, &a, pool, DV_LDL_SMALL, &pivot));
    assert_true(dv_ldl_make_copy(&f, numbers, pool));
    memset(work, 0xff, dv_ldl_work(&f) * sizeof *work);   // nothing is read before it is written
    dv_ldl_solve_with(&f, pool, b, y, work);
    assert_memory_equal(x, y, n * sizeof *x);
    dv_pool_destroy(&pool);
  }
  dv_free(b), dv_free(x), dv_free(y), dv_free(work);
  dv_ldl_free(&f);
  dv_block_matrix_free(&a);
}

static void the_same_solution(void **state)
{
  DV_UNUSED(state);
  check_solutions(DV_LDL_DOUBLE, false, 1e-10);
  check_solutions(DV_LDL_SINGLE, false, 1e-2);
  check_solutions(DV_LDL_SHORT, true, 0.1);
}

// the pivot that is named does not depend on who comes first
static void the_same_singularity(void **state)
{
  DV_UNUSED(state);
  dvBlockMatrix a = {0};
  size_t first = 0;
  check_grid(&a, 3, 50, 0.1);
  for (size_t r = 100; r < 2500; r += 700)   // single points that nothing holds
    for (size_t q = 0; q < a.pattern.rows; q++) {
      int32_t e[2] = {dv_pattern_find(&a.pattern, r, q), dv_pattern_find(&a.pattern, q, r)};
      for (int k = 0; k < 2; k++)
        if (e[k] >= 0) memset(dv_block_matrix_at(&a, e[k]), 0, 9 * sizeof(double));
    }
  for (int threads = 1; threads <= 3; threads++) {
    dvPool *pool = dv_pool_create(threads);
    dvLdl f = {0};
    size_t pivot = 0;
    assert_true(dv_ldl_analyse(&f, &a.pattern, 3, DV_ORDER_AMD));
    assert_false(dv_ldl_factorise(&f, &a, pool, DV_LDL_SMALL, &pivot));
    if (threads == 1) first = pivot;
    assert_int_equal(pivot, first);
    assert_true(pivot / 3 >= 100 && (pivot / 3 - 100) % 700 == 0);
    dv_ldl_free(&f);
    dv_pool_destroy(&pool);
  }
  dv_block_matrix_free(&a);
}

typedef struct Solver {
  const dvLdl *factor;
  const double *rhs, *expected;
  bool same;
} Solver;

static void *solve_again(void *user)
{
  Solver *s = user;
  size_t n = dv_ldl_rows(s->factor);
  double *x = dv_alloc(n * sizeof *x), *work = dv_alloc(dv_ldl_work(s->factor) * sizeof *work);
  s->same = true;
  for (int i = 0; i < 20; i++) {
    dv_ldl_solve(s->factor, s->rhs, x, work);
    s->same = s->same && memcmp(x, s->expected, n * sizeof *x) == 0;
  }
  dv_free(x);
  dv_free(work);
  return NULL;
}

static void solving_while_another_factor_is_computed(void **state)
{
  DV_UNUSED(state);
  dvBlockMatrix a = {0};
  dvLdl used = {0}, next = {0};
  size_t pivot;
  check_grid(&a, 3, 40, 0.1);
  assert_true(dv_ldl_analyse(&used, &a.pattern, 3, DV_ORDER_AMD) && dv_ldl_analyse_like(&next, &used));
  assert_true(dv_ldl_factorise(&used, &a, NULL, DV_LDL_SMALL, &pivot));
  size_t n = dv_ldl_rows(&used);
  double *b = dv_alloc(n * sizeof *b), *x = dv_alloc(n * sizeof *x),
         *work = dv_alloc(dv_ldl_work(&used) * sizeof *work);
  uint64_t seed = 4;
  check_random_vector(&seed, b, n);
  dv_ldl_solve(&used, b, x, work);
  Solver solvers[2] = {{&used, b, x, false}, {&used, b, x, false}};
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) assert_int_equal(pthread_create(&threads[i], NULL, solve_again, &solvers[i]), 0);
  for (int i = 0; i < 5; i++) assert_true(dv_ldl_factorise(&next, &a, NULL, DV_LDL_SMALL, &pivot));
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  assert_true(solvers[0].same && solvers[1].same);
  dv_free(b), dv_free(x), dv_free(work);
  dv_ldl_free(&used);
  dv_ldl_free(&next);
  dv_block_matrix_free(&a);
}

// only the way up from what has changed is done again, and the result is that of doing all
static void changes_of_a_few_entries(void **state)
{
  DV_UNUSED(state);
  dvBlockMatrix a = {0};
  dvLdl f = {0}, all = {0};
  size_t pivot;
  dvPool *pool = dv_pool_create(2);
  check_grid(&a, 3, 70, 0.1);
  assert_true(dv_ldl_analyse(&f, &a.pattern, 3, DV_ORDER_AMD) && dv_ldl_analyse_like(&all, &f));
  for (int k = 0; k < 12; k++) {
    if (k > 1) dv_block_matrix_at(&a, dv_pattern_find(&a.pattern, 700, 700))[0] += 0.5;
    if (k == 6)   // a change of everything, in between
      for (size_t i = 0; i < a.pattern.rows; i++) dv_block_matrix_at(&a, dv_pattern_find(&a.pattern, i, i))[4] += 0.1;
    assert_true(dv_ldl_refactorise(&f, &a, k % 2 ? pool : NULL, DV_LDL_SMALL, &pivot));
    assert_true(dv_ldl_factorise(&all, &a, NULL, DV_LDL_SMALL, &pivot));
    if (k == 1) check_close(f.redone, 0, 0);
    else if (k == 0 || k == 2 || k == 6 || k == 7)
      check_close(f.redone, 1, 0);   // the first of its kind does all, and keeps
    else assert_true(f.redone > 0 && f.redone < 0.5);
    assert_memory_equal(f.lower, all.lower, dv_ldl_stored(&f) * sizeof *f.lower);
    assert_memory_equal(f.d, all.d, dv_ldl_rows(&f) * sizeof *f.d);
  }
  dv_ldl_free(&f);
  dv_ldl_free(&all);
  dv_block_matrix_free(&a);
  dv_pool_destroy(&pool);
}

// a matrix that is another one each time is not compared each time; when it rests, that is noticed soon
static void a_restless_matrix(void **state)
{
  DV_UNUSED(state);
  dvBlockMatrix a = {0};
  dvLdl f = {0}, all = {0};
  size_t pivot;
  check_grid(&a, 3, 12, 0.1);
  assert_true(dv_ldl_analyse(&f, &a.pattern, 3, DV_ORDER_AMD) && dv_ldl_analyse_like(&all, &f));
  for (int k = 0; k < 40; k++) {
    for (size_t i = 0; i < a.pattern.rows && k < 30; i++)
      dv_block_matrix_at(&a, dv_pattern_find(&a.pattern, i, i))[0] += 0.1;
    assert_true(dv_ldl_refactorise(&f, &a, NULL, DV_LDL_SMALL, &pivot) &&
                dv_ldl_factorise(&all, &a, NULL, DV_LDL_SMALL, &pivot));
    assert_memory_equal(f.lower, all.lower, dv_ldl_stored(&f) * sizeof *f.lower);
    if (k < 30) check_close(f.redone, 1, 0);
  }
  check_close(f.redone, 0, 0);
  dv_ldl_free(&f);
  dv_ldl_free(&all);
  dv_block_matrix_free(&a);
}

// a matrix of one number costs no operations, and is factorised again all the same when the number has changed
static void a_single_number_changes(void **state)
{
  DV_UNUSED(state);
  dvBlockMatrix a = {0};
  dvLdl f = {0};
  size_t pivot;
  check_grid(&a, 1, 1, 0.1);
  assert_int_equal(dv_block_matrix_rows(&a), 1);
  assert_true(dv_ldl_analyse(&f, &a.pattern, 1, DV_ORDER_AMD));
  double *work = dv_alloc(dv_ldl_work(&f) * sizeof *work);
  for (int k = 1; k < 4; k++) {
    double x, one = 1;
    a.values[0] = k;
    assert_true(dv_ldl_refactorise(&f, &a, NULL, DV_LDL_SMALL, &pivot));
    dv_ldl_solve(&f, &one, &x, work);
    check_close(x, 1.0 / k, 1e-15);
  }
  dv_free(work);
  dv_ldl_free(&f);
  dv_block_matrix_free(&a);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_bits),
      cmocka_unit_test(the_same_solution),
      cmocka_unit_test(the_same_singularity),
      cmocka_unit_test(changes_of_a_few_entries),
      cmocka_unit_test(a_restless_matrix),
      cmocka_unit_test(a_single_number_changes),
      cmocka_unit_test(solving_while_another_factor_is_computed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
