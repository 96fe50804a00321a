// Lattices on a device that speaks OpenCL: the iterations of a step of the scene run there, with positions and
// velocities sent before and fetched after them. So between two steps everything is where it always is.
//
// The library (libOpenCL.so.1) is opened when the first lattice asks for it; nothing is linked, and without it, without
// a device, with DIVAN_OPENCL=off in the environment or -DDIVAN_OPENCL=OFF at the build there is a reason instead.
#ifndef DV_LATTICE_OPENCL_H
#define DV_LATTICE_OPENCL_H

#include "base/text.h"
#include "lattice/lattice.h"

typedef struct dvLatticeDevice dvLatticeDevice;

// NULL, and the reason in `why`, when it cannot be done.
dvLatticeDevice *dv_lattice_device_open(const dvLattice *l, dvText *why);
void dv_lattice_device_close(dvLatticeDevice **device);
const char *dv_lattice_device_name(const dvLatticeDevice *device);
// As dv_lattice_advance. False, and the reason in `why`, when the device failed: the lattice is as before.
bool dv_lattice_device_advance(dvLatticeDevice *device, dvLattice *l, const dvLatticeRun *run, dvText *why);

#endif
