// Frames inside of the elements of a mesh: their centres move with the weights of the corners, and they turn with the
// material around them.
//
//   c = sum of w_k x_k,   M = sum of x_k b_k^T,   M = R S (polar),   the frame's rotation is R
//
// over the corners k of the element: b_k = B^T g_k, g_k the gradient of the weight in the element's coordinates, B the
// frame's axes in those coordinates at rest, each scaled to length one as SOFA does. The velocity of R follows from
// that of M:
//
//   w = R G sum of b_k x R^T v_k,   G = (tr S - S)^-1
#ifndef DV_MAPPING_LINEAR_EMBEDDED_FRAMES_H
#define DV_MAPPING_LINEAR_EMBEDDED_FRAMES_H

#include "base/array.h"
#include "math/vec.h"
#include "mechanics/component.h"
#include "topology/topology.h"

typedef struct dvEmbeddedFrames {
  size_t count, in_points;
  DV_ARRAY(int32_t) first, corner;        // of each frame, and one more; input point of each entry
  DV_ARRAY(double) weight, arm;           // w and b of each entry
  DV_ARRAY(double) turn, stretch, gain;   // R, S and G of each frame, nine numbers each, as of the last apply
} dvEmbeddedFrames;

void dv_embedded_clear(dvEmbeddedFrames *f);
void dv_embedded_free(dvEmbeddedFrames *f);
// Adds a frame (seven numbers) at local coordinates of an element with the given corners. False when the element is
// flat.
bool dv_embedded_add(dvEmbeddedFrames *f, dvElementKind kind, const int32_t *corners, const double local[3],
                     const double *x, const double *frame);
void dv_embedded_settle(dvEmbeddedFrames *f, size_t in_points);

void dv_embedded_apply(dvEmbeddedFrames *f, const double *x, double *frames);
void dv_embedded_apply_j(const dvEmbeddedFrames *f, const double *v, double *frames);
void dv_embedded_apply_jt(const dvEmbeddedFrames *f, const double *frames, double *force);
void dv_embedded_row(const dvEmbeddedFrames *f, size_t i, const dvMapping *m, dvMatrixSink *sink);
void dv_embedded_add_jdot(const dvEmbeddedFrames *f, const double *v, double *a);

#endif
