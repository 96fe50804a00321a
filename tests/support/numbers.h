// Numbers of a scene through the interface for host programs.
#ifndef DV_TESTS_NUMBERS_H
#define DV_TESTS_NUMBERS_H

#include "support/check.h"

#include "divan/divan.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

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

// the longest of the vectors of a field: how far points are from the origin (position), how fast they are (velocity)
static inline double longest_of(dvScene *scene, const char *path, const char *field)
{
  size_t count;
  const double *x = divan_read(scene, path, field, &count);
  assert_non_null(x);
  double longest = 0;
  for (size_t i = 0; i + 2 < count; i += 3) {
    double length = sqrt(x[i] * x[i] + x[i + 1] * x[i + 1] + x[i + 2] * x[i + 2]);
    longest = length <= longest ? longest : length;   // also when it is no number
  }
  return longest;
}

// A long soak tells how far it is, each half a minute of the scene's time.
static inline void soak_tell(double time)
{
  double before = time - 0.02;
  if (floor(time / 30) > floor(before / 30))
    print_message("%.0f s, %.0f s of processor time\n", time, (double)clock() / CLOCKS_PER_SEC);
}

#endif
