// What sources and sinks of particles share: a state whose points come and go.
#ifndef DV_FLUID_PARTICLES_H
#define DV_FLUID_PARTICLES_H

#include "mechanics/component.h"

// For the hook `link`: the state of the projective constraint will grow.
dvStatus dv_particles_link(dvObject *o);
// For `init`: the topology whose points the particles are. Reports when it has elements: their points cannot be
// removed.
dvStatus dv_particles_init(dvObject *o, dvTopology **out);

#endif
