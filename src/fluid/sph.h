// A fluid of particles, as others see it.
#ifndef DV_FLUID_SPH_H
#define DV_FLUID_SPH_H

#include "scene/node.h"

extern const dvClass dv_sph_force_class;

// The volume m/rho of each of `count` particles at these positions. Nothing is written when memory is short.
void dv_sph_volumes(dvObject *o, const double *x, double *out, size_t count);

#endif
