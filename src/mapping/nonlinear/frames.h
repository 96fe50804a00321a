// Points that several frames carry together.
//
//   x = sum of (w c + R a),   r = R a
//   v = sum of (w v_c + w_c x r),   f_c += w f,   t_c += r x f
//
// over the entries of a point: a frame, its weight w, and an arm a in it, which is w times the place of the point there
// where points are blended. A mapping embeds dvFramesMapping, lists the entries in init and calls dv_frames_settle. The
// geometric stiffness, the derivative [f]x [r]x of the torques, is for mappings of Divan's own; those of SOFA have
// none.
#ifndef DV_MAPPING_NONLINEAR_FRAMES_H
#define DV_MAPPING_NONLINEAR_FRAMES_H

#include "base/array.h"
#include "math/vec.h"
#include "mechanics/component.h"

typedef struct dvFramesMapping {
  dvMapping base;
  size_t count, frames;      // points, frames of the input
  DV_ARRAY(int32_t) first;   // entry of each point, and one more
  DV_ARRAY(int32_t) frame;   // of each entry
  DV_ARRAY(double) weight;
  DV_ARRAY(double) local;     // a of each entry
  DV_ARRAY(double) rotated;   // r of each entry, as of the last apply
  // the entries of each frame, in the order of the points
  DV_ARRAY(int32_t) start, entry, point;
} dvFramesMapping;

enum { DV_TURN_NONE, DV_TURN_EXACT, DV_TURN_STABILIZED };   // options None|Exact|Stabilized
// The symmetric part of a block of the geometric stiffness without its positive eigenvalues.
dvMat3 dv_turn_stabilise(dvMat3 k);

void dv_frames_clear(dvObject *o);
void dv_frames_add(dvObject *o, size_t frame, double weight, dvVec3 place);   // a = w place
void dv_frames_add_arm(dvObject *o, size_t frame, double weight, dvVec3 arm);
void dv_frames_end_point(dvObject *o);
// Closes the lists, gives the output its size and applies the mapping for the first time, when `apply` is set.
dvStatus dv_frames_settle(dvObject *o, bool apply);
void dv_frames_destroy(dvObject *o);
bool dv_frames_hold(const dvFramesMapping *m);   // sizes are those of the lists
// A place of the world in a frame of seven numbers.
dvVec3 dv_frame_local(const double *frame, dvVec3 world);

extern const dvMappingOps dv_frames_ops;
// For dvMappingOps.apply_djt and add_geometric, with one of DV_TURN_.
void dv_frames_apply_djt(const dvFramesMapping *m, int method, double k, int in_df, int in_dx, int out_f);
void dv_frames_add_geometric(const dvFramesMapping *m, int method, double k, int out_f, dvMatrixSink *sink);

#endif
