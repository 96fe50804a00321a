// Networks of vessels and what leaks out of them.
#ifndef DV_FLUID_VESSEL_PARTS_H
#define DV_FLUID_VESSEL_PARTS_H

#include "fluid/vessel/vessels.h"
#include "object/object.h"

extern const dvClass dv_vessel_network_class, dv_vessel_leak_class;

// The vessels of a VesselNetwork, for those who leak and for tests.
dvBloodFlow *dv_network_vessels(dvObject *o);
// Where a point of its mesh is.
bool dv_network_place(const dvObject *o, int point, double out[3]);
// How fast that moves.
void dv_network_speed(const dvObject *o, int point, double out[3]);

// Of a VesselLeak: its network, and its hole as the network uses it.
dvObject *dv_leak_network(const dvObject *o);
dvVesselHole *dv_leak_hole(dvObject *o);

#endif
