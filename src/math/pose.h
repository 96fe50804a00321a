// A place in space: where the origin of a frame is and how it is turned. As a map it takes coordinates of the frame to
// those outside, x -> at + turn x; the product a b is the frame b, given in a.
#ifndef DV_MATH_POSE_H
#define DV_MATH_POSE_H

#include "math/vec.h"

typedef struct dvPose {
  dvVec3 at;
  dvQuat turn;
} dvPose;

static inline dvPose dv_pose_identity(void) { return (dvPose){{0, 0, 0}, {0, 0, 0, 1}}; }
static inline dvPose dv_pose_load(const double *p) { return (dvPose){dv_vec3_load(p), dv_quat_load(p + 3)}; }
static inline void dv_pose_store(double *p, dvPose a)
{
  dv_vec3_store(p, a.at);
  dv_quat_store(p + 3, a.turn);
}
static inline dvVec3 dv_pose_point(dvPose a, dvVec3 v) { return dv_vec3_add(a.at, dv_quat_rotate(a.turn, v)); }
static inline dvPose dv_pose_mul(dvPose a, dvPose b)
{
  return (dvPose){dv_pose_point(a, b.at), dv_quat_mul(a.turn, b.turn)};
}
// a^-1 b: the frame b, seen from a
static inline dvPose dv_pose_from(dvPose a, dvPose b)
{
  return (dvPose){dv_quat_inverse_rotate(a.turn, dv_vec3_sub(b.at, a.at)),
                  dv_quat_mul(dv_quat_inverse(a.turn), b.turn)};
}

#endif
