// Walls of fluids, as the fluid sees them: samples of a surface, carried by its points.
#ifndef DV_FLUID_BOUNDARY_H
#define DV_FLUID_BOUNDARY_H

#include "base/array.h"
#include "topology/topology.h"

extern const dvClass dv_fluid_boundary_class;

// A sample: up to three points of the surface with their shares, whose sum is 1.
typedef struct dvSample {
  int32_t point[3];
  double share[3];
  double part;   // of the area of their triangle
} dvSample;

// How many samples there are for fluids whose particles reach so far; they are made when that is first asked for, and
// made again when the mesh has changed. Reports and gives 0 when they cannot be.
size_t dv_boundary_samples(dvObject *o, double radius);
// What touches it: the state of its points; NULL when it stands still.
struct dvState *dv_boundary_state(const dvObject *o);
double dv_boundary_friction(const dvObject *o);   // Pa s; below 0: that of the fluid
double dv_boundary_adhesion(const dvObject *o);   // N/m
// Where the samples are, how fast, and the normals of the surface, at the vectors of these numbers; three numbers each.
// And their areas, one each.
void dv_boundary_places(const dvObject *o, int x, int v, double *places, double *velocities, double *normals,
                        double *areas);
// Forces on the samples go to the points, into the vector of this number.
void dv_boundary_push(dvObject *o, int f, const double *forces);

#endif
