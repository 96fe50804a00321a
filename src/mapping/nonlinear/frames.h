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

#include "math/loose_rows.h"
#include "math/vec.h"
#include "mechanics/component.h"

typedef struct dvFramesMapping {
  dvMapping base;
  size_t count, frames;           // points, frames of the input
  size_t stride;                  // room for so many entries of each point; 0: as many as there are
  DV_ARRAY(int32_t) first, end;   // entries of each point
  DV_ARRAY(int32_t) frame;        // of each entry; -1 where there is only room
  DV_ARRAY(double) weight;
  DV_ARRAY(double) local;     // a of each entry
  DV_ARRAY(double) rotated;   // r of each entry, as of the last apply
  dvRows carried;             // the entries of each frame, in the order of the points
  DV_ARRAY(int32_t) point;    // of each entry
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
// For points of a mesh that changes, with room for entries of each (`stride` is set before they are listed): those that
// the trace of the output names are made again, by `fill`, which puts entries to a point with dv_frames_put. False when
// everything is to be made again.
bool dv_frames_patch(dvObject *o, bool (*fill)(dvObject *o, size_t point));
// Then: positions, velocities and rest positions of these points, as the first apply sets them.
void dv_frames_apply_patched(dvObject *o);
bool dv_frames_put(dvObject *o, size_t point, size_t frame, double weight, dvVec3 place);
void dv_frames_destroy(dvObject *o);
bool dv_frames_hold(const dvFramesMapping *m);   // sizes are those of the lists
// A place of the world in a frame of seven numbers.
dvVec3 dv_frame_local(const double *frame, dvVec3 world);

extern const dvMappingOps dv_frames_ops;
// For dvMappingOps.apply_djt and add_geometric, with one of DV_TURN_.
void dv_frames_apply_djt(const dvFramesMapping *m, int method, double k, int in_df, int in_dx, int out_f);
void dv_frames_add_geometric(const dvFramesMapping *m, int method, double k, int out_f, dvMatrixSink *sink);

#endif
