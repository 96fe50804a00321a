// A cable that runs from a pull point through points of a body, on which it slides, to the last one, where it is fixed.
//
//   q = L0 - L(x): how far it was pulled in;  dq/dx_i = u_(i-1,i) + u_(i+1,i), unit vectors towards the neighbours
//
// Friction (capstan, Euler 1769, Eytelwein 1808): at a point where the cable turns by theta its tension behind the
// point is e^(-mu theta) of that before it while it is pulled in, e^(mu theta) while it is let out.
//
// With `method` sphere or geodesic each point of the cable is an area of the surface (cable_area.c): the mean of its
// points j with weights w_j, whose sum is 1, which get the same parts of the force, so that dq/dx_j = w_j dq/dx of the
// mean and tension times displacement is the work that the cable does.
#ifndef DV_ROBOT_CABLE_H
#define DV_ROBOT_CABLE_H

#include "math/vec.h"
#include "robot/part.h"

#define DV_CABLE_FIELDS(X)                                                                                          \
  X(indices, indices, "", "", "points that the cable runs through, from where it is pulled to where it is fixed",   \
    .alias = "index")                                                                                               \
  X(vec3, pullPoint, "0 0 0", "m", "fixed point from which the cable is pulled")                                    \
  X(bool, hasPullPoint, "1", "",                                                                                    \
    "the cable leaves the body for the pull point; else it begins at the first of its "                             \
    "points")                                                                                                       \
  X(real, cableInitialLength, "0", "m", "length that counts as not pulled; that at rest when it is not given")      \
  X(real, cableLength, "0", "m", "length at the end of the last step", .flags = DV_READ_ONLY)                       \
  X(real, force, "0", "N", "tension where it is pulled, in the last step", .flags = DV_READ_ONLY)                   \
  X(real, displacement, "0", "m", "how much shorter than cableInitialLength it is", .flags = DV_READ_ONLY)          \
  X(real, maxForce, "0", "N", "largest tension; none when it is not given")                                         \
  X(real, minForce, "0", "N", "smallest tension, 0 for a rope; without it the cable can push as a rod does")        \
  X(real, maxPositiveDisp, "0", "m", "most that it can be pulled in; no end when it is not given")                  \
  X(real, maxNegativeDisp, "0", "m", "most that it can be let out; no end when it is not given")                    \
  X(real, maxDispVariation, "0", "m", "most that its displacement changes in a step; no end when it is not given")  \
  X(real, friction, "0", "", "coefficient of friction between the cable and the points that it turns around",       \
    .least = "0")                                                                                                   \
  X(choice, method, "point", "",                                                                                    \
    "what it pulls at: points of the body; areas of its surface, in a ball around each of them or along edges",     \
    .options = "point|sphere|geodesic")                                                                             \
  X(vec3s, centers, "", "m", "centres of the areas; the points of indices when they are not given")                 \
  X(reals, radii, "", "m", "radii of the areas; the first for all when there are not as many, 1 without any")       \
  X(link, surfaceTopology, "", "", "surface on which the areas lie; that of the node or above by default",          \
    .role = DV_ROLE_TOPOLOGY)                                                                                       \
  X(vec3s, path, "", "m", "where the cable runs; with drawPulledAreas also the points of its areas",                \
    .flags = DV_READ_ONLY)                                                                                          \
  X(bool, drawPullPoint, "1", "", "accepted: the pull point is the end of the line", .flags = DV_HIDDEN | DV_LOOKS) \
  X(bool, drawPoints, "1", "", "accepted: the points are the corners of the line", .flags = DV_HIDDEN | DV_LOOKS)   \
  X(bool, drawPulledAreas, "0", "", "draw lines to the points of the areas", .flags = DV_LOOKS)                     \
  X(color, color, "0.4 0.4 0.4 1", "", "colour of the line", .flags = DV_LOOKS)

enum { DV_CABLE_POINT, DV_CABLE_SPHERE, DV_CABLE_GEODESIC };

// A place that the cable runs through, in a step.
typedef struct dvCableCorner {
  dvVec3 at, pull;   // what a tension of 1 pulls at it with
  int32_t point;     // of the body; -1: the pull point, or the mean of an area
} dvCableCorner;

// What a point of the surface is for an area.
typedef struct dvCableShare {
  int32_t area;
  double weight;   // to be divided by that of the area
} dvCableShare;

typedef struct dvCableArea {
  dvVec3 sum;
  double weight;    // of its points that are there
  int32_t corner;   // of the cable; -1: the surface has lost all its points
} dvCableArea;

typedef struct dvCable {
  dvPart part;
  DV_CABLE_FIELDS(DV_MEMBER)
  dvInts pairs;   // of the line
  dvInts held;    // points of the areas, with
  DV_ARRAY(dvCableShare) shares;
  DV_ARRAY(dvCableArea) areas;
  DV_ARRAY(dvCableCorner) corners;
  bool at_points;   // as SOFA: the cable runs through a point of each area
  double way;       // 1 while it is pulled in, -1 while it is let out: which way friction acts
} dvCable;
extern const dvFieldBlock dv_cable_block;

dvStatus dv_cable_init(dvObject *o, const dvGauge *gauge, dvPartRole role);
dvStatus dv_cable_bwd_init(dvObject *o);
dvStatus dv_cable_reinit(dvObject *o);
size_t dv_cable_rows(const dvPart *p);
void dv_cable_measure(dvPart *p, const double *x, double *q, bool slopes);
void dv_cable_limits(dvPart *p);   // into aims[0]: of force and displacement, rate included
void dv_cable_show(dvPart *p);
void dv_cable_remember(dvObject *o, dvMemoryStream *s);
void dv_cable_destroy(dvObject *o);
// Finds the areas that it pulls at, and the points nearest to their centres. `tell`: also what is only doubtful.
dvStatus dv_cable_find_areas(dvCable *c, bool tell);
extern const dvVisualOps dv_cable_visual_ops;

#define DV_CABLE_DRAWN .ops = {[DV_ROLE_CONSTRAINT] = &dv_part_ops, [DV_ROLE_VISUAL] = &dv_cable_visual_ops}

#endif
