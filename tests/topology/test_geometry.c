// Measures of elements against closed forms, and the set of tuples behind derived elements.
#include "support/check.h"
#include "topology/geometry.h"
#include "topology/search/tuple_set.h"

// a box of 2 x 3 x 4 in the order of a hexahedron, then a point above its middle
static const double box[] = {0, 0, 0, 2, 0, 0, 2, 3, 0, 0, 3, 0, 0, 0, 4, 2, 0, 4, 2, 3, 4, 0, 3, 4, 1, 1.5, 6};

static void measures_elements(void **state)
{
  DV_UNUSED(state);
  check_close(dv_edge_length(box, (int32_t[]){0, 2}), sqrt(13), 1e-15);
  check_close(dv_triangle_area(box, (int32_t[]){0, 1, 2}), 3, 1e-15);
  check_close(dv_quad_area(box, (int32_t[]){0, 1, 2, 3}), 6, 1e-15);
  check_close(dv_tetrahedron_signed_volume(box, (int32_t[]){0, 1, 3, 4}), 4, 1e-14);
  check_close(dv_tetrahedron_signed_volume(box, (int32_t[]){0, 3, 1, 4}), -4, 1e-14);
  check_close(dv_tetrahedron_volume(box, (int32_t[]){0, 3, 1, 4}), 4, 1e-14);
  check_close(dv_hexahedron_volume(box, (int32_t[]){0, 1, 2, 3, 4, 5, 6, 7}), 24, 1e-14);
  check_close(dv_prism_volume(box, (int32_t[]){0, 1, 2, 4, 5, 6}), 12, 1e-14);
  check_close(dv_pyramid_volume(box, (int32_t[]){4, 5, 6, 7, 8}), 4, 1e-14);
  check_close(dv_element_measure(DV_POINT, box, (int32_t[]){0}), 0, 0);
}

static void finds_centres(void **state)
{
  DV_UNUSED(state);
  dvVec3 c = dv_element_centre(DV_HEXAHEDRON, box, (int32_t[]){0, 1, 2, 3, 4, 5, 6, 7});
  check_close(c.x, 1, 1e-15);
  check_close(c.y, 1.5, 1e-15);
  check_close(c.z, 2, 1e-15);
}

static void numbers_tuples_in_order(void **state)
{
  DV_UNUSED(state);
  dvTupleSet s;
  dv_tuple_set_init(&s, 3);
  bool fresh;
  for (int32_t i = 0; i < 10000; i++) {   // grows many times on the way
    assert_int_equal(dv_tuple_set_add(&s, (int32_t[]){i, i / 7, -i}, &fresh), i);
    assert_true(fresh);
  }
  for (int32_t i = 0; i < 10000; i++) {
    assert_int_equal(dv_tuple_set_add(&s, (int32_t[]){i, i / 7, -i}, &fresh), i);
    assert_false(fresh);
    assert_int_equal(dv_tuple_set_find(&s, (int32_t[]){i, i / 7, 1}), -1);
  }
  assert_int_equal(dv_tuple_set_count(&s), 10000);
  dv_tuple_set_free(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(measures_elements),
      cmocka_unit_test(finds_centres),
      cmocka_unit_test(numbers_tuples_in_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
