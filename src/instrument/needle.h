// NeedleInsertionConstraint: what is shared by its parts. needle_path.c has where the needle is in the tissue,
// needle.c the laws.
#ifndef DV_INSTRUMENT_NEEDLE_H
#define DV_INSTRUMENT_NEEDLE_H

#include "constraint/lagrangian/model.h"
#include "instrument/shaft.h"
#include "instrument/tissue.h"

#define DV_NEEDLE_FIELDS(X)                                                                                            \
  X(link, needle, "", "", "state of the needle: frames of beams, or one frame", .role = DV_ROLE_STATE,                 \
    .flags = DV_REQUIRED)                                                                                              \
  X(link, tissue, "", "", "state of the tissue: points of a mesh; that of the node by default", .role = DV_ROLE_STATE) \
  X(link, interpolation, "", "", "beams of the needle; those beside its state by default")                             \
  X(link, topology, "", "", "tetrahedra or hexahedra of the tissue; those of its node or above by default",            \
    .role = DV_ROLE_TOPOLOGY)                                                                                          \
  X(real, length, "0", "m", "length of a needle that is one frame, along its x axis", .least = "0")                    \
  X(real, punctureForce, "0", "N", "push on the surface at which the tip goes in", .least = "0")                       \
  X(real, cuttingForce, "0", "N", "resistance of the tissue before the tip", .least = "0")                             \
  X(real, dryFriction, "0", "N/m", "friction on a length of the shaft that does not depend on speed", .least = "0")    \
  X(real, viscousFriction, "0", "N s/m^2", "friction on a length of the shaft for a unit of speed", .least = "0")      \
  X(real, friction, "0", "", "friction in proportion to what presses on the shaft from the side", .least = "0")        \
  X(real, surfaceFriction, "0.5", "", "friction of the tip on the surface", .least = "0")                              \
  X(real, bevelRadius, "0", "m", "the tip cuts a path of this radius, towards y of its frame; 0: straight",            \
    .least = "0")                                                                                                      \
  X(real, spacing, "0", "m", "distance of the places that hold the shaft; 0: half an edge of the mesh or a beam",      \
    .least = "0")                                                                                                      \
  X(int, phase, "0", "", "0 away, 1 on the surface, 2 inside, 3 the tip is through", .flags = DV_READ_ONLY)            \
  X(real, depth, "0", "m", "length of the path from where the needle went in to its tip", .flags = DV_READ_ONLY)       \
  X(real, force, "0", "N", "resistance of the tissue along the needle; negative when it holds it back",                \
    .flags = DV_READ_ONLY)                                                                                             \
  X(real, tipForce, "0", "N", "the part of it on the tip", .flags = DV_READ_ONLY)                                      \
  X(real, shaftForce, "0", "N", "the part of it on the shaft", .flags = DV_READ_ONLY)                                  \
  X(vec3s, path, "", "m", "places that hold the shaft, in the tissue at rest", .flags = DV_READ_ONLY)

// A place that holds the shaft, and how it does so in this step.
typedef struct dvHold {
  dvSpot spot;
  double s;                    // along the needle
  double reach;                // length of the shaft that it stands for; of the tip, from the last place to it
  dvVec3 along, side, other;   // the tangent, and two directions across
  dvVec3 gap;                  // from the tissue to the needle when the step began
} dvHold;

typedef struct dvNeedle {
  dvConstraintModel model;
  DV_NEEDLE_FIELDS(DV_MEMBER)
  dvShaft shaft;
  dvTissue body;
  double step;               // spacing in use
  double heading[3];         // where the path goes on, at rest
  double exit;               // length behind the last place at which the path leaves the tissue; below 0: it does not
  DV_ARRAY(double) along;    // of the places, along the needle
  DV_ARRAY(int32_t) cells;   // their elements
  DV_ARRAY(dvHold) holds;    // one each place
  dvHold tip;                // phase 1 and 2; its `along` looks back in phase 1
  int32_t cell;              // where the tip was found last
  bool pierced;              // the surface has given way in the last step
  bool told_through;
} dvNeedle;

static inline size_t dv_needle_places(const dvNeedle *n) { return n->path.count / 3; }
// At the positions x of the needle and y of the tissue, before a step: what the tip has passed or left, and how the
// places hold. `ahead` is where the tip would go.
void dv_needle_follow(dvNeedle *n, const double *x, const double *y, dvVec3 ahead);
// A needle that starts inside: places along the shaft. How many.
size_t dv_needle_start_inside(dvNeedle *n, const double *x);
// Looks all places up in the mesh; those outside of it are taken out. How many these were.
size_t dv_needle_look_up(dvNeedle *n);

// The laws of needles by number, for who solves them elsewhere: they read nothing of the needle. -1: none of them.
enum { DV_NEEDLE_PLACE, DV_NEEDLE_TIP, DV_NEEDLE_TOUCH, DV_NEEDLE_LAWS };   // in the first `low` is N s/m
typedef void (*dvLawSolve)(dvObject *o, const dvLaw *law, const double *w, const double *d, double *lambda);
dvLawSolve dv_needle_law(int number);
int dv_needle_law_number(const dvLaw *law);

#endif
