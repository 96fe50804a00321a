// Numbers of a scene through the interface for host programs.
#ifndef DV_TESTS_NUMBERS_H
#define DV_TESTS_NUMBERS_H

#include "support/check.h"

#include "divan/divan.h"

#include <stdlib.h>

static inline double number_of(dvScene *scene, const char *path, const char *field)
{
  char *text = divan_get(scene, path, field);
  assert_non_null(text);
  double value = strtod(text, NULL);
  divan_free(text);
  return value;
}

// of the numbers of a field
static inline double sum_of(dvScene *scene, const char *path, const char *field)
{
  size_t count;
  const double *m = divan_read(scene, path, field, &count);
  assert_non_null(m);
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += m[i];
  return sum;
}

#endif
