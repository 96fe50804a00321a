// Expressions: values against the C library, precedence, what is refused and where.
#include "support/check.h"

#include "math/expression.h"

#include <string.h>

static double value(const char *text, double t, double p)
{
  dvExpression e = {0};
  dvText why = {0};
  double variables[2] = {t, p};
  if (!dv_expression_read(&e, text, "t p", &why)) fail_msg("%s: %s", text, why.text);
  double result = dv_expression_value(&e, variables);
  dv_expression_free(&e);
  dv_text_free(&why);
  return result;
}

static void values(void **state)
{
  DV_UNUSED(state);
  double pi = acos(-1.0);
  check_close(value("1 + 0.2 * sin(2 * pi * t)", 0.3, 0), 1 + 0.2 * sin(2 * pi * 0.3), 1e-15);
  check_close(value("-2 ^ 2", 0, 0), -4, 0);
  check_close(value("2 ^ 3 ^ 2", 0, 0), 512, 0);
  check_close(value("2 - 3 - 4", 0, 0), -5, 0);
  check_close(value("12 / 4 / 3 * 2", 0, 0), 2, 1e-15);
  check_close(value("7.5 % 2 + p", 0, 10), 11.5, 1e-15);
  check_close(value(" ( 1 + t ) * ( 2 - p ) ", 2, 5), -9, 0);
  check_close(value("min(t, p) + max(t, p) * 10", 3, 2), 32, 0);
  check_close(value("pulse(p, 0.25)", 0, 3.2) + 2 * value("pulse(p, 0.25)", 0, 3.3), 1, 0);
  check_close(value("(t < 1) * 5 + (t > 1) * 7", 2, 0), 7, 0);
  check_close(value("atan2(t, p)", -1, -1), -2.356194490192345, 1e-15);
  check_close(value("exp(log(t)) + sqrt(abs(-p)) + floor(2.7) + cos(0) + tan(0)", 3, 4), 8, 1e-14);
  check_close(value("1e-3*t", 2, 0), 2e-3, 1e-18);
}

static void refused(void **state)
{
  DV_UNUSED(state);
  static const struct {
    const char *text;
    int place;
  } bad[] = {{"", 1},    {"1 +", 4}, {"2 * q", 5},  {"sin t", 5},   {"sin(t", 6},
             {"1 2", 3}, {"(1", 3},  {"min(1)", 6}, {"1 + * 2", 5}, {"1 $ 2", 3}};
  for (size_t i = 0; i < DV_COUNT(bad); i++) {
    dvExpression e = {0};
    dvText why = {0};
    char place[40];
    snprintf(place, sizeof place, "at character %d ", bad[i].place);
    if (dv_expression_read(&e, bad[i].text, "t", &why)) fail_msg("'%s' is taken", bad[i].text);
    if (!strstr(why.text, place)) fail_msg("'%s': %s, not %s", bad[i].text, why.text, place);
    check_close(dv_expression_value(&e, NULL), 0, 0);
    dv_expression_free(&e);
    dv_text_free(&why);
  }
}

static void deep(void **state)
{
  DV_UNUSED(state);
  char text[2001];
  const char fill[] = {'(', '-', '+'};
  for (size_t k = 0; k < sizeof fill; k++) {
    memset(text, fill[k], 2000);
    text[2000] = 0;
    dvExpression e = {0};
    assert_false(dv_expression_read(&e, text, "t", NULL));
    dv_expression_free(&e);
  }
  size_t n = 0;   // values that wait
  for (int i = 0; i < 100; i++) n += (size_t)snprintf(text + n, sizeof text - n, "1+(");
  dvExpression e = {0};
  assert_false(dv_expression_read(&e, text, "t", NULL));
  dv_expression_free(&e);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(values), cmocka_unit_test(refused), cmocka_unit_test(deep)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
