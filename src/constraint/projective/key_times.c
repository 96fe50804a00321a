// See key_times.h.
#include "constraint/projective/key_times.h"

void dv_keys_find(dvKeys *k, const dvReals *times, const dvReals *values, int width, double time)
{
  size_t n = times->count;
  k->inside = false;
  if (n == 0 || time < times->data[0] || time > times->data[n - 1]) return;
  k->before = k->after = times->data[0];
  for (size_t i = 0; i < n && !k->inside; i++) {
    bool past = times->data[i] <= time, given = (i + 1) * (size_t)width <= values->count;
    double *value = past ? k->value_before : k->value_after;
    for (int c = 0; c < width; c++) value[c] = given ? values->data[i * (size_t)width + (size_t)c] : 0;
    if (past) k->before = times->data[i];
    else k->after = times->data[i];
    k->inside = !past;
  }
}

void dv_keys_check(const dvObject *o, const dvReals *times, const dvReals *values, int width)
{
  const char *name = dv_field_name(dv_field_of(o, values)->desc);
  if (values->count / (size_t)width < times->count && times->count > 1)
    dv_field_warning(o, values, "give one value per key time",
                     "%s has %zu values for %zu key times; the others count as zero", name,
                     values->count / (size_t)width, times->count);
  for (size_t i = 1; i < times->count; i++)
    if (times->data[i] < times->data[i - 1]) {
      dv_field_warning(o, times, "sort them", "key time %zu (%g) is before the one in front of it", i, times->data[i]);
      return;
    }
}
