// Products with block matrices have the same bits for 1, 2 and 3 threads.
#include "support/check.h"
#include "support/matrix.h"

#include <string.h>

static void same_bits_for_any_number_of_threads(void **state)
{
  DV_UNUSED(state);
  static const int blocks[] = {1, 3, 6};
  for (size_t k = 0; k < DV_COUNT(blocks); k++) {
    dvBlockMatrix a = {0};
    check_random_spd(&a, blocks[k], 5000, 4, 3);
    size_t n = dv_block_matrix_rows(&a);
    double *x = dv_alloc(n * sizeof *x), *one = dv_alloc(n * sizeof *one), *more = dv_alloc(n * sizeof *more);
    uint64_t seed = 4;
    check_random_vector(&seed, x, n);
    dv_block_matrix_product(&a, NULL, x, one);
    for (int threads = 2; threads <= 3; threads++) {
      dvPool *pool = dv_pool_create(threads);
      dv_block_matrix_product(&a, pool, x, more);
      assert_memory_equal(one, more, n * sizeof *one);
      dv_pool_destroy(&pool);
    }
    dv_free(x);
    dv_free(one);
    dv_free(more);
    dv_block_matrix_free(&a);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits_for_any_number_of_threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
