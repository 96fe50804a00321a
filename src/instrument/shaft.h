// The centre line of an instrument, for what it touches along its way: beams, or a single frame with a straight shaft
// along x. s is the length from the handle. A point of it moves with the frames that carry it, so a direction at s is a
// row over these.
#ifndef DV_INSTRUMENT_SHAFT_H
#define DV_INSTRUMENT_SHAFT_H

#include "instrument/beams.h"
#include "mechanics/rows.h"

typedef struct dvShaft {
  dvState *state;
  const dvBeams *beams;   // NULL: the first frame of the state
  double length;          // of a shaft that is a frame
} dvShaft;

// What a frame does to a point of the line: its weight, and the arm from it, weighted. The point moves by the sum of
// weight v + w x arm.
typedef struct dvCarrier {
  size_t dof;
  double weight;
  dvVec3 arm;
} dvCarrier;
int dv_shaft_carriers(const dvShaft *shaft, const double *x, double s, dvCarrier out[2]);   // how many

// Where the part that is out begins and where the tip is.
double dv_shaft_begin(const dvShaft *shaft);
double dv_shaft_tip(const dvShaft *shaft);
// The frame at s, at the positions x of the state; its x axis runs along the line.
dvPose dv_shaft_pose(const dvShaft *shaft, const double *x, double s);
// The velocity of the point at s.
dvVec3 dv_shaft_velocity(const dvShaft *shaft, const double *x, const double *v, double s);
// Adds factor x (direction . motion of the point at s) to a row.
void dv_shaft_add_row(const dvShaft *shaft, const double *x, double s, dvVec3 direction, double factor, int32_t row,
                      dvRowSet *set);
// The foot of p on the line between s = from and to. `beyond` (may be NULL) is how far p lies before (negative) or
// behind the end of the whole line where its foot is there, along the tangent; else 0.
double dv_shaft_nearest(const dvShaft *shaft, const double *x, dvVec3 p, double from, double to, double *beyond);

#endif
