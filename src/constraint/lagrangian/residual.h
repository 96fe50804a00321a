// Violations d = d_free + W lambda of all rows, kept up to date while laws are solved one after the other: a law that
// does not move its multipliers costs nothing, where a product with its rows of W would cost as much as any other.
#ifndef DV_CONSTRAINT_LAGRANGIAN_RESIDUAL_H
#define DV_CONSTRAINT_LAGRANGIAN_RESIDUAL_H

#include "base/array.h"

DV_PUBLIC_BEGIN

typedef struct dvResidual {
  DV_ARRAY(double) d;
  DV_ARRAY(double) lambda;   // that d belongs to
  int age;                   // sweeps since it was computed anew
  bool symmetric;            // W is
} dvResidual;

// W or d_free are others. W is looked at unless it is known to be symmetric.
void dv_residual_reset(dvResidual *r, bool symmetric);
// Before a sweep. Computes d anew when multipliers have changed elsewhere, and from time to time against rounding.
void dv_residual_follow(dvResidual *r, const double *w, const double *free, const double *lambda, size_t rows);
// The multipliers of rows from `first` on have changed.
void dv_residual_change(dvResidual *r, const double *w, size_t first, size_t count, const double *lambda);
void dv_residual_free(dvResidual *r);

DV_PUBLIC_END

#endif
