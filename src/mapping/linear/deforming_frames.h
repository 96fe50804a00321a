// Points carried by frames that deform: their positions and columns (object/dof.h) are points, of which an output is a
// weighted sum.
//
//   x = sum of b_k column_k over the frames and k,   b = w (1, p, xx yy zz xy yz zx of p)
//
// J is constant. A mapping keeps a dvDeformingFrames, enters b of each frame for each output and calls
// dv_deforming_settle.
#ifndef DV_MAPPING_LINEAR_DEFORMING_FRAMES_H
#define DV_MAPPING_LINEAR_DEFORMING_FRAMES_H

#include "mapping/linear/weights.h"
#include "math/vec.h"
#include "mechanics/component.h"

enum { DV_DEFORMING_COLUMNS = 10 };   // at most, the position included

typedef struct dvDeformingFrames {
  dvWeights weights;
  int columns;   // with the position: 4 or 10
} dvDeformingFrames;

// 1, p and, for quadratic frames, the products of p.
void dv_deforming_basis(int columns, dvVec3 p, double b[DV_DEFORMING_COLUMNS]);
// Its change when p changes by dp.
void dv_deforming_basis_change(int columns, dvVec3 p, dvVec3 dp, double b[DV_DEFORMING_COLUMNS]);

void dv_deforming_clear(dvDeformingFrames *d, const dvDof *dof);
void dv_deforming_add(dvDeformingFrames *d, size_t frame, const double b[DV_DEFORMING_COLUMNS]);
void dv_deforming_end_point(dvDeformingFrames *d);
// Closes the rows and gives the output its size.
dvStatus dv_deforming_settle(dvDeformingFrames *d, const dvMapping *m);
void dv_deforming_free(dvDeformingFrames *d);

bool dv_deforming_hold(const dvDeformingFrames *d, const dvMapping *m);   // sizes are those of the rows
// The same for positions and velocities.
void dv_deforming_apply(const dvDeformingFrames *d, const dvMapping *m, int out, int in);
void dv_deforming_apply_jt(const dvDeformingFrames *d, const dvMapping *m, int in_f, int out_f);
void dv_deforming_row(const dvDeformingFrames *d, const dvMapping *m, size_t out, dvMatrixSink *sink);

#endif
