// Numbering many tuples at once against a set that takes them one by one; a point with thousands of tuples.
#include "support/check.h"
#include "topology/derive.h"
#include "topology/search/tuple_set.h"

#include <stdlib.h>

static void compare_with_set(const int32_t *keys, size_t count, int width)
{
  int32_t *numbers = dv_alloc((count + 1) * sizeof *numbers);
  int32_t different = dv_tuples_number(keys, count, width, numbers);
  dvTupleSet set;
  dv_tuple_set_init(&set, width);
  for (size_t i = 0; i < count; i++)
    assert_int_equal(numbers[i], dv_tuple_set_add(&set, keys + i * (size_t)width, NULL));
  assert_int_equal(different, dv_tuple_set_count(&set));
  dv_tuple_set_free(&set);
  dv_free(numbers);
}

static void test_random(void **state)
{
  DV_UNUSED(state);
  enum { COUNT = 20000 };
  int32_t *keys = dv_alloc(4 * COUNT * sizeof *keys);
  for (int width = 2; width <= 4; width++)
    for (int range = 1; range < 5000; range *= 7) {
      srand((unsigned)(range + width));
      for (size_t i = 0; i < COUNT * (size_t)width; i++) keys[i] = rand() % range;
      compare_with_set(keys, COUNT, width);
    }
  dv_free(keys);
}

static void test_hub(void **state)   // all tuples share their first index
{
  DV_UNUSED(state);
  enum { COUNT = 100000 };
  int32_t *keys = dv_alloc(2 * COUNT * sizeof *keys);
  for (int i = 0; i < COUNT; i++) keys[2 * i] = 3, keys[2 * i + 1] = (i * 7919) % (COUNT / 2);
  compare_with_set(keys, COUNT, 2);
  dv_free(keys);
}

static void test_empty(void **state)
{
  DV_UNUSED(state);
  assert_int_equal(dv_tuples_number(NULL, 0, 3, NULL), 0);
}

// faces as cycles: the same from both sides, different from another quad with the same corners
static void test_cycles(void **state)
{
  DV_UNUSED(state);
  const int32_t quads[] = {0, 1, 2, 3, 2, 1, 0, 3, 0, 2, 1, 3, 3, 0, 1, 2};
  const dvPartList list = dv_parts_given(quads, 4, 4);
  int32_t *numbers;
  assert_int_equal(dv_parts_number(&list, 1, 4, DV_PART_CYCLE, &numbers), 2);
  assert_int_equal(numbers[1], 0);
  assert_int_equal(numbers[2], 1);
  assert_int_equal(numbers[3], 0);
  dv_free(numbers);
  assert_int_equal(dv_parts_number(&list, 1, 4, DV_PART_CORNERS, &numbers), 1);
  dv_free(numbers);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_hub),
                                     cmocka_unit_test(test_empty), cmocka_unit_test(test_cycles)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
