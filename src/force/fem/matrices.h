// The matrices of the elements of a mesh, and their way into a system.
#ifndef DV_FORCE_FEM_MATRICES_H
#define DV_FORCE_FEM_MATRICES_H

#include "element/blocks.h"
#include "math/element_sum.h"
#include "mechanics/component.h"

// What a family of elements offers. Matrices are k (df/dx), symmetric, (width nodes) x (width nodes), row by row.
typedef struct dvElementMatrices {
  dvElementBlocks *blocks;
  int width;   // scalars a point
  const void *elements;
  double k;
  // those of the four elements of a pack, one behind the other
  void (*pack)(const void *elements, size_t pack, double k, double *out);
  // adds those of a block to the sums of its pairs (math/element_sum.h), for elements that can do better than `pack`;
  // may be NULL
  void (*sum)(const void *elements, const dvElementSum *sum, size_t block, double k, double *local);
} dvElementMatrices;

enum { DV_ELEMENT_MATRIX = 9 * DV_SUM_NODES * DV_SUM_NODES };   // numbers of the largest matrix

// Hands all of them to a sink.
void dv_element_matrices_add(const dvElementMatrices *m, dvMatrixSink *sink, const dvState *state);

#endif
