// When do a point and a triangle, or two lines, meet while their corners move along straight lines?
#ifndef DV_COLLISION_INTERSECTION_CONTINUOUS_H
#define DV_COLLISION_INTERSECTION_CONTINUOUS_H

#include "math/vec.h"

typedef struct dvMeeting {
  double separation;   // they meet when they are so near along every axis
  double tolerance;    // in space: what lies so near to that counts as well
  long rounds;         // at most so many boxes are looked at; then they count as meeting
} dvMeeting;

// The corners of a point and a triangle, p a b c, or of two lines, a b c d, where they are at time 0 and 1. False only
// when they certainly do not meet; *time is not later than they do. True, with a time that may be too early, when no
// more rounds are left.
bool dv_point_meets_triangle(const dvMeeting *m, const dvVec3 begin[4], const dvVec3 end[4], double *time);
bool dv_lines_meet(const dvMeeting *m, const dvVec3 begin[4], const dvVec3 end[4], double *time);

#endif
