// The points that a constraint holds: indices of a field, checked against the state.
#ifndef DV_CONSTRAINT_PROJECTIVE_SELECTED_H
#define DV_CONSTRAINT_PROJECTIVE_SELECTED_H

#include "mechanics/component.h"

typedef struct dvSelected {
  dvInts points;   // the indices that exist, in the order given
  const dvField *field;
  uint32_t counter;   // of the field when they were checked
  size_t count;       // degrees of freedom then
} dvSelected;

// The indices of `member` that exist in a state of `count` degrees of freedom. They are checked when the field or the
// count has changed since the last call; indices out of range are left out with a warning. Lives until the next change.
const dvInts *dv_selected(dvSelected *s, const dvObject *o, const dvInts *member, size_t count);
void dv_selected_free(dvSelected *s);

// For slots of constraints that leave velocities or positions alone.
void dv_project_nothing(dvObject *o, int id, double time);

// Sets all components of one point to zero.
static inline void dv_clear_deriv(const dvState *s, double *v, int32_t point)
{
  int width = s->base.dof->deriv;
  double *at = v + (size_t)point * (size_t)width;
  for (int k = 0; k < width; k++) at[k] = 0;
}

#endif
