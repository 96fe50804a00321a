// A cavity in a body: its wall is a surface of triangles and quads (each two triangles) whose normals point away from
// what is inside.
//
//   q = V(x) - V0,   V = sum of a (b x c) / 6,   dq/dx_a = sum over its triangles of (b - a) x (c - a) / 6
//
// which is the area normal that a pressure acts along; lambda / h is the pressure. The sum of dV and of the area
// normals are the same where the surface is closed. Elsewhere there is no volume, and the pressure acts on the faces
// that there are.
#ifndef DV_ROBOT_CAVITY_H
#define DV_ROBOT_CAVITY_H

#include "math/vec.h"
#include "robot/part.h"

#define DV_CAVITY_FIELDS(X)                                                                                           \
  X(triangles, triangles, "", "", "triangles of the wall; with quads those of the topology when neither is given")    \
  X(quads, quads, "", "", "quads of the wall")                                                                        \
  X(real, initialCavityVolume, "0", "m3", "volume at the start", .flags = DV_READ_ONLY)                               \
  X(real, cavityVolume, "0", "m3", "volume at the end of the last step", .flags = DV_READ_ONLY)                       \
  X(bool, flipNormal, "0", "", "the faces are turned the other way")                                                  \
  X(real, pressure, "0", "Pa", "pressure of the last step", .flags = DV_READ_ONLY)                                    \
  X(real, maxPressure, "0", "Pa", "largest pressure; none when it is not given")                                      \
  X(real, minPressure, "0", "Pa", "smallest pressure, below 0 it sucks; none when it is not given")                   \
  X(real, maxPressureVariation, "0", "Pa", "most that the pressure changes in a step; no end when it is not given")   \
  X(real, volumeGrowth, "0", "m3", "cavityVolume - initialCavityVolume", .flags = DV_READ_ONLY)                       \
  X(real, maxVolumeGrowth, "0", "m3", "largest growth; none when it is not given")                                    \
  X(real, minVolumeGrowth, "0", "m3", "smallest growth; none when it is not given")                                   \
  X(real, maxVolumeGrowthVariation, "0", "m3", "most that the growth changes in a step; no end when it is not given") \
  X(bool, drawPressure, "0", "", "accepted: the viewer shows values of components", .flags = DV_HIDDEN | DV_LOOKS,    \
    .alias = "visualization")                                                                                         \
  X(real, drawScale, "0.1", "", "accepted for compatibility", .flags = DV_HIDDEN | DV_LOOKS, .alias = "showVisuScale")

typedef struct dvCavity {
  dvPart part;
  DV_CAVITY_FIELDS(DV_MEMBER)
  double turn;   // 1, or -1 with flipNormal
  bool open;
} dvCavity;
extern const dvFieldBlock dv_cavity_block;

dvStatus dv_cavity_init(dvObject *o, const dvGauge *gauge, dvPartRole role);
dvStatus dv_cavity_bwd_init(dvObject *o);
dvStatus dv_cavity_check(dvObject *o);
// An error when the cavity has no volume: it has holes.
dvStatus dv_cavity_needs_volume(dvObject *o, const void *field);
size_t dv_cavity_rows(const dvPart *p);
void dv_cavity_measure(dvPart *p, const double *x, double *q, bool slopes);
void dv_cavity_limits(dvPart *p);   // into aims[0]: of pressure and growth, rates included
void dv_cavity_show(dvPart *p);
void dv_cavity_remember(dvObject *o, dvMemoryStream *s);

#endif
