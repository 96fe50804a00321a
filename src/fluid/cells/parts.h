// What stands in a fluid on a grid: bodies that it flows around, and places where fluid or smoke comes in.
#ifndef DV_FLUID_PARTS_H
#define DV_FLUID_PARTS_H

#include "fluid/cells/cells.h"
#include "math/vec.h"
#include "object/object.h"

extern const dvClass dv_grid_obstacle_class, dv_grid_source_class;

// The grid of a Fluid2D or Fluid3D, for tests and tables.
dvCells *dv_fluid_grid(dvObject *o);
void dv_fluid_grid_keep(dvObject *o);   // the volume that there is now is the one that is kept

// A grid in space: where the middle of cell (0, 0, 0) is.
typedef struct dvCellsPlace {
  dvVec3 origin;
  double h;
  bool plane;   // z does not count
} dvCellsPlace;

// How fast a body moves at a place, and its distance there (negative inside), in metres. Any thread may ask.
double dv_obstacle_distance(const dvObject *o, dvVec3 p);
dvVec3 dv_obstacle_velocity(const dvObject *o, dvVec3 p);
dvVec3 dv_obstacle_centre(const dvObject *o);
// Where the body is now: before distances are asked for. False when it has failed.
bool dv_obstacle_look(dvObject *o);
void dv_obstacle_tell(dvObject *o, const double force[3], const double moment[3]);

typedef struct dvCellsInlet {
  dvVec3 centre, velocity;
  double radius, smoke, temperature;   // per second
  bool fills;
} dvCellsInlet;
// What comes in at a time; false when nothing does.
bool dv_inlet_at(const dvObject *o, double time, dvCellsInlet *out);

#endif
