// Scalar fields: a number at every place, negative inside of a shape. They have surfaces where the number is 0.
#ifndef DV_FLUID_FIELD_H
#define DV_FLUID_FIELD_H

#include "object/object.h"

extern const dvClass dv_scalar_field_classes[];
extern const size_t dv_scalar_field_class_count;
extern const dvClass dv_field_surface_class;

bool dv_is_scalar_field(const dvObject *o);
// The value at a place; any thread may ask.
double dv_scalar_field_at(const dvObject *o, const double x[3]);
// Its slope; false where there is none.
bool dv_scalar_field_slope(const dvObject *o, const double x[3], double out[3]);
// Changes whenever a number of the field, or of one that it is made of, does.
uint64_t dv_scalar_field_stamp(const dvObject *o);

#endif
