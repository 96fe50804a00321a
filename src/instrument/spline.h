// The curve of a beam between two poses whose x axes run along it: a cubic Bézier curve with control points a third of
// its rest length from the ends (C. Duriez et al., New approaches to catheter navigation for interventional radiology
// simulation, 2006). t runs from 0 to 1 along it.
#ifndef DV_INSTRUMENT_SPLINE_H
#define DV_INSTRUMENT_SPLINE_H

#include "math/pose.h"

typedef struct dvSpline {
  dvVec3 p[4];
} dvSpline;

// Weights of the four control points.
void dv_spline_weights(double t, double out[4]);
dvSpline dv_spline(const dvPose ends[2], double length);
dvVec3 dv_spline_point(const dvSpline *s, double t);
// The unit tangent.
dvVec3 dv_spline_tangent(const dvSpline *s, double t);
// By Gauss' rule with four points.
double dv_spline_length(const dvSpline *s);
// Its derivatives by the control points, and how these change when the points move.
void dv_spline_length_slopes(const dvSpline *s, dvVec3 out[4]);
void dv_spline_length_bend(const dvSpline *s, const dvVec3 moved[4], dvVec3 out[4]);
// A frame on the curve: its x axis is the tangent, and it is twisted between the ends.
dvPose dv_spline_pose(const dvPose ends[2], double length, double t);
// Turns a frame the shortest way so that its x axis is the unit vector `x`.
dvQuat dv_align_x(dvQuat q, dvVec3 x);
// Between two rotations on the shortest way, straight where they are close; as SOFA does it, not normalised.
dvQuat dv_quat_between(dvQuat a, dvQuat b, double t);

#endif
