// Keys in ascending order, whatever they are; addresses as keys of a map.
#include "base/address_map.h"
#include "base/sort.h"
#include "support/check.h"

static uint64_t next(uint64_t *seed) { return *seed = *seed * 6364136223846793005u + 1442695040888963407u; }

static void sorts(void **state)
{
  DV_UNUSED(state);
  static uint64_t keys[3000], scratch[3000];
  static const size_t counts[] = {0, 1, 2, 47, 48, 49, 100, 3000};
  uint64_t seed = 1;
  for (size_t k = 0; k < DV_COUNT(counts); k++)
    for (int shift = 0; shift < 64; shift += 9) {
      uint64_t sum = 0, after = 0;
      for (size_t i = 0; i < counts[k]; i++) sum += keys[i] = next(&seed) >> shift;
      dv_sort_u64(keys, scratch, counts[k]);
      for (size_t i = 0; i < counts[k]; i++) {
        after += keys[i];
        if (i) assert_true(keys[i - 1] <= keys[i]);
      }
      assert_true(sum == after);
    }
}

static void sorts_numbers(void **state)
{
  DV_UNUSED(state);
  static int32_t numbers[3000], scratch[3000];
  static const size_t counts[] = {0, 1, 2, 47, 48, 49, 100, 3000};
  uint64_t seed = 1;
  for (size_t k = 0; k < DV_COUNT(counts); k++)
    for (int shift = 33; shift < 64; shift += 6) {
      int64_t sum = 0, after = 0;
      for (size_t i = 0; i < counts[k]; i++) sum += numbers[i] = (int32_t)(next(&seed) >> shift);
      dv_sort_i32(numbers, scratch, counts[k]);
      for (size_t i = 0; i < counts[k]; i++) {
        after += numbers[i];
        if (i && numbers[i - 1] > numbers[i]) fail_msg("%d stands before %d", numbers[i - 1], numbers[i]);
      }
      assert_true(sum == after);
    }
}

static void addresses(void **state)
{
  DV_UNUSED(state);
  static char things[500];
  dvAddressMap m = {0};
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < 500; i++)
      for (size_t part = 0; part < 3; part++) {
        assert_int_equal(dv_address_map_find(&m, &things[i], part), -1);
        *dv_address_map_at(&m, &things[i], part) = 3 * i + (int)part;
      }
    for (int i = 0; i < 500; i++)
      for (size_t part = 0; part < 3; part++)
        assert_int_equal(dv_address_map_find(&m, &things[i], part), 3 * i + (int)part);
    assert_int_equal(dv_address_map_find(&m, &m, 0), -1);
    assert_int_equal(m.used, 1500);
    dv_address_map_clear(&m);
  }
  dv_address_map_free(&m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(sorts), cmocka_unit_test(sorts_numbers),
                                     cmocka_unit_test(addresses)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
