// Sizes of numbers that are given: those that nothing could be computed with are refused, those that no heart has are
// told, with the default beside them.
#ifndef DV_HEART_SIZES_H
#define DV_HEART_SIZES_H

#include "object/object.h"

// An error unless a real field is a number above 0, far from the ends of what can be computed with.
dvStatus dv_size_above_zero(const dvObject *o, const double *member);
// The same, and 0 is good, too.
dvStatus dv_size_from_zero(const dvObject *o, const double *member);
// Warns "FIELD is VALUE UNIT: " and then what follows from it, when `measure` is not in [low, high].
void dv_size_warn(const dvObject *o, const double *member, double measure, double low, double high, const char *format,
                  ...) DV_PRINTF(6, 7);

#endif
