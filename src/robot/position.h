// Positions of points or frames along directions: one row for each point and used direction,
//
//   q = weight (direction . (x - x0))   for frames with the vector of the rotation from x0 behind the three of the
//   position
//
// x0 the position at rest, or a goal.
#ifndef DV_ROBOT_POSITION_H
#define DV_ROBOT_POSITION_H

#include "robot/part.h"

#define DV_POSITION_FIELDS(X)                                                             \
  X(indices, indices, "", "", "points; point 0 when none are given")                      \
  X(reals, weight, "", "", "of each direction, or one of all; 1 when not given")          \
  X(derivs, directions, "", "", "directions, made unit vectors; the axes when not given") \
  X(bools, useDirections, "", "", "which of them count; all when not given")              \
  X(reals, delta, "", "m", "value of each row at the end of the last step", .flags = DV_READ_ONLY)

typedef struct dvPosition {
  dvPart part;
  DV_POSITION_FIELDS(DV_MEMBER)
  DV_ARRAY(double) axes;   // used directions with their weights
  const dvReals *goal;     // coordinates, one for each point; NULL: rest positions
} dvPosition;
extern const dvFieldBlock dv_position_block;

dvStatus dv_position_bwd_init(dvObject *o);
dvStatus dv_position_check(dvObject *o);
size_t dv_position_rows(const dvPart *p);
void dv_position_measure(dvPart *p, const double *x, double *q, bool slopes);
void dv_position_show(dvPart *p);
void dv_position_remember(dvObject *o, dvMemoryStream *s);
void dv_position_destroy(dvObject *o);

#endif
