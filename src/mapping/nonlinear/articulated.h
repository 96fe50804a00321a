// Skeletons: frames connected by articulation centres, each with one or more articulations that a scalar coordinate
// moves.
#ifndef DV_MAPPING_NONLINEAR_ARTICULATED_H
#define DV_MAPPING_NONLINEAR_ARTICULATED_H

#include "base/array.h"
#include "math/vec.h"
#include "object/object.h"

// How the articulations of a centre follow each other.
typedef enum dvArticulationProcess {
  DV_ARTICULATION_IN_TURN,     // one after the other, each axis turned by those before it (Euler angles)
  DV_ARTICULATION_ON_PARENT,   // all at once about axes fixed to the parent, by increments
  DV_ARTICULATION_ON_CHILD,    // the same about axes fixed to the child
} dvArticulationProcess;

typedef struct dvArticulation {
  int32_t index;   // of the coordinate
  bool rotation, translation;
  dvVec3 axis;   // of length one
} dvArticulation;

typedef struct dvArticulationCenter {
  int32_t parent, child;        // frames
  dvVec3 on_parent, on_child;   // the centre in both of them
  dvArticulationProcess process;
  size_t first, count;   // its articulations
  dvObject *object;      // component that holds `globalPosition`, NULL for centres from files
} dvArticulationCenter;

typedef struct dvSkeleton {
  DV_ARRAY(dvArticulationCenter) centers;
  DV_ARRAY(dvArticulation) articulations;
  // recorded motion, from files: frames x coordinates, lengths and radians
  size_t frames, coordinates;
  double frame_time;
  DV_ARRAY(double) motion;
} dvSkeleton;

// The skeleton of an ArticulatedHierarchyContainer; complete when it is initialised.
const dvSkeleton *dv_skeleton_of(const dvObject *container);
// The first container in a node or below it, NULL when there is none.
dvObject *dv_skeleton_find(dvNode *node);
// Tells the component of a centre where it is.
void dv_articulation_center_moved(dvObject *center, dvVec3 position);

#endif
