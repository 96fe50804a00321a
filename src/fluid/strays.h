// Particles that leave: they are kept, and told once.
#ifndef DV_FLUID_STRAYS_H
#define DV_FLUID_STRAYS_H

#include "mechanics/component.h"

// How far is away, in radii.
enum { DV_STRAYS_FAR = 1000 };

typedef struct dvStrays {
  double low[3], high[3];   // the box of the particles as they were first seen
  bool seen, told;
} dvStrays;

// At the end of a step: says when particles of the state are further than DV_STRAYS_FAR radii outside of the box.
void dv_strays_tell(dvStrays *s, const dvObject *o, const dvState *state, double radius);

#endif
