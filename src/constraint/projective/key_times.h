// Values given at key times, and between which two of them a time lies.
//
// Times ascend. Before the first time and from the last one on there is no interval; what was found last then stays in
// place (a constraint may go on with it).
#ifndef DV_CONSTRAINT_PROJECTIVE_KEY_TIMES_H
#define DV_CONSTRAINT_PROJECTIVE_KEY_TIMES_H

#include "mechanics/component.h"

typedef struct dvKeys {
  double before, after;   // times
  double value_before[DV_MAX_COORD], value_after[DV_MAX_COORD];
  bool inside;   // the time lies between two keys
} dvKeys;

// Finds the interval of `time`. Missing values count as zero.
void dv_keys_find(dvKeys *k, const dvReals *times, const dvReals *values, int width, double time);
// How far `time` is between the keys (0 to 1); 0 when they coincide.
static inline double dv_keys_fraction(const dvKeys *k, double time)
{
  return k->after != k->before ? (time - k->before) / (k->after - k->before) : 0;
}

static inline double dv_keys_value(const dvKeys *k, int component, double fraction)
{
  return k->value_before[component] + (k->value_after[component] - k->value_before[component]) * fraction;
}

// Warns when there are fewer values than times, or times that do not ascend.
void dv_keys_check(const dvObject *o, const dvReals *times, const dvReals *values, int width);

#endif
