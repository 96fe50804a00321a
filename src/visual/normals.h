// Normals of a surface at its vertices.
#ifndef DV_VISUAL_NORMALS_H
#define DV_VISUAL_NORMALS_H

#include "base/isa.h"
#include "object/values.h"

typedef struct dvSurface {
  const double *vertices;   // three numbers each
  size_t vertex_count;
  const dvInts *triangles, *quads;   // indices below vertex_count
  const dvInts *normal_index;        // vertices of the same number share a normal; NULL or empty: each has its own
  size_t normal_count;               // numbers in normal_index are below this
} dvSurface;

// Numbers that dv_surface_normals needs as scratch.
size_t dv_surface_scratch(const dvSurface *s);
// Unit normals, three numbers a vertex: the sum over the faces around it, each with the length of the cross product of
// the two edges that meet there (twice the area of a triangle). A vertex without faces gets zeros.
void dv_surface_normals(const dvSurface *s, double *normals, double *scratch);

// --- inner loops ---

enum { DV_NORMAL_STRIDE = 4 };   // numbers a sum

// `index` as normal_index, or NULL.
typedef struct dvNormalKernels {
  void (*triangles)(const double *x, const int32_t *t, size_t count, const int32_t *index, double *sums);
  void (*quads)(const double *x, const int32_t *q, size_t count, const int32_t *index, double *sums);
  void (*normalise)(const double *sums, size_t count, double *out);   // three numbers each
} dvNormalKernels;

DV_KERNEL_DECLARE(dvNormalKernels, dv_normal_kernels);

#endif
