// Text builder, number scanning, nearest names.
#include "support/check.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void scans_what_strtod_scans(void **state)
{
  DV_UNUSED(state);
  static const char *const numbers[] = {"0",
                                        "-0",
                                        "1",
                                        "3.25",
                                        "-1e-5",
                                        "1.7976931348623157e308",
                                        "5e-324",
                                        "123456789012345678901234567890",
                                        "0.1",
                                        "2.2250738585072014e-308",
                                        ".5",
                                        "7.",
                                        "1e22",
                                        "1e23",
                                        "9007199254740993",
                                        "-979259.000001e-6"};
  for (size_t i = 0; i < DV_COUNT(numbers); i++) {
    const char *cursor = numbers[i];
    double value = 0;
    assert_true(dv_scan_real(&cursor, &value));
    assert_int_equal(*cursor, 0);
    assert_true(value == strtod(numbers[i], NULL));
  }
}

// the same text as printing with more and more digits until it reads back
static void reals_are_as_short_as_they_can_be(void **state)
{
  DV_UNUSED(state);
  static const double numbers[] = {
      0.1,     1.0 / 3, 1e5,   999999, 1e6,   1234567, 1e-5, 0.0001, 123456.5, 1e15,  9.999999999999999,
      2.5e-39, 1e-40,   0.3,   1e16,   5e-11, 1e-11,   1.5,  4e15,   1e22,     -2e-7, 0.09999999999999999,
      1e300,   5e-324,  1e-12, 8.5e-19};
  uint64_t seed = 99;
  dvText t = {0};
  for (int i = 0; i < 40000; i++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    const double unit = (double)(seed >> 11) * 0x1p-53;
    const int power = (int)(seed % 131) - 65;
    double value = i < (int)DV_COUNT(numbers) ? numbers[i]
                   : i % 4 == 0               ? ldexp(1, power)
                   : i % 4 == 1               ? floor(unit * 1e6) * pow(10, power / 4)
                   : i % 4 == 2               ? unit * pow(10, power / 2)
                                              : unit;
    char expected[40];
    int digits = 6;
    do snprintf(expected, sizeof expected, "%.*g", digits, value);
    while (digits++ < 17 && strtod(expected, NULL) != value);
    dv_text_clear(&t);
    dv_text_add_real(&t, value);
    assert_string_equal(t.text, expected);
  }
  dv_text_free(&t);
}

static void random_reals_survive_printing(void **state)
{
  DV_UNUSED(state);
  uint64_t seed = 12345;
  for (int i = 0; i < 20000; i++) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    union {
      uint64_t bits;
      double real;
    } u = {seed};
    if (!isfinite(u.real)) continue;
    dvText t = {0};
    dv_text_add_real(&t, u.real);
    const char *cursor = t.text;
    double back = 0;
    assert_true(dv_scan_real(&cursor, &back));
    assert_true(back == u.real);
    dv_text_free(&t);
  }
}

static void rejects_what_is_not_a_number(void **state)
{
  DV_UNUSED(state);
  static const char *const words[] = {"", "  ", "abc", "-", "+", ".", "e5", "@x"};
  for (size_t i = 0; i < DV_COUNT(words); i++) {
    const char *cursor = words[i];
    double value;
    assert_false(dv_scan_real(&cursor, &value));
  }
  const char *big = "99999999999999999999";
  long long n;
  assert_false(dv_scan_int(&big, &n));
  const char *nan_text = " NaN 1";
  double value = 0;
  assert_true(dv_scan_real(&nan_text, &value));
  assert_true(isnan(value));
}

static void proposes_near_names_only(void **state)
{
  DV_UNUSED(state);
  static const char *const names[] = {"MechanicalObject", "UniformMass", "DiagonalMass"};
  assert_int_equal(dv_nearest("MecanicalObject", names, 3), 0);
  assert_int_equal(dv_nearest("UniformMas", names, 3), 1);
  assert_int_equal(dv_nearest("Camera", names, 3), -1);
  assert_int_equal(dv_nearest("id", (const char *const[]){"dt", "name"}, 2), -1);
  assert_int_equal(dv_nearest("td", (const char *const[]){"dt", "name"}, 2), 0);
  assert_int_equal(dv_distance("ab", "ba"), 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scans_what_strtod_scans),       cmocka_unit_test(reals_are_as_short_as_they_can_be),
      cmocka_unit_test(random_reals_survive_printing), cmocka_unit_test(rejects_what_is_not_a_number),
      cmocka_unit_test(proposes_near_names_only),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
