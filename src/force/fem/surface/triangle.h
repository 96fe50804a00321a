// Linear triangles of a thin sheet in space, on plain arrays: forces act in the plane of the triangle.
//
// Positions, displacements and forces have three doubles a point. How the plane and the gradients of the shape
// functions are found, as in SOFA:
//   SMALL    the plane is always x y; gradients of the present shape (TriangularFEMForceField, method small);
//   PRESENT  the frame of the present triangle, x along ab; gradients of the present shape (method large);
//   REST     the same frame; gradients of the shape at rest (TriangularFEMForceFieldOptim);
// and what SOFA does not have:
//   GREEN    Green's strain in the axes at rest: the force is the gradient of the energy however far the sheet is
//            stretched or folded (TriangleFEMForceField, method green).
// See triangle_kernel.c for the equations.
#ifndef DV_FORCE_FEM_SURFACE_TRIANGLE_H
#define DV_FORCE_FEM_SURFACE_TRIANGLE_H

#include "base/isa.h"
#include "force/fem/matrices.h"
#include "math/vec.h"

typedef enum dvTriangleMethod {
  DV_TRIANGLE_SMALL,
  DV_TRIANGLE_PRESENT,
  DV_TRIANGLE_REST,
  DV_TRIANGLE_GREEN,
  DV_TRIANGLE_METHODS
} dvTriangleMethod;

typedef struct dvTriangleFem dvTriangleFem;

// Edges ab and ac at rest in the plane of the triangle, twice its area in space (more than bx cy - by cx where the
// plane is not its own), and the plane's symmetric matrix from strain (xx, yy, 2 xy) to stress times area and
// thickness: entries 00 01 02 11 12 22. All zero for a triangle that takes no part.
typedef struct dvTriangleRest {
  double bx, by, cx, cy;
  double twice_area;
  double material[6];
} dvTriangleRest;

typedef struct dvTriangleDef {
  const double *positions;   // to sort the triangles along a curve in space
  size_t points;
  const int32_t *triangles;   // three point indices each
  size_t count;
  const dvTriangleRest *rest;   // one each
  dvTriangleMethod method;
  size_t block_elements;   // triangles a block, a multiple of 4; 0 for the default
} dvTriangleDef;

// Axes of the frame of a triangle that has an area: u along ab, v in its plane. Divided by lengths, not multiplied by
// their inverses: rounded as in SOFA, a flat sheet at rest has the same last digits, which decide to which side it
// buckles.
void dv_triangle_axes(dvVec3 ab, dvVec3 ac, dvVec3 *u, dvVec3 *v);
// The shape of a triangle in its own frame: x along ab, so that by = 0. False when it has no area (to rounding, or its
// corners are not numbers); its edges and area are then zero. The material is left alone.
bool dv_triangle_shape(const double *a, const double *b, const double *c, dvTriangleRest *rest);
// factor C with C of an isotropic material in plane stress, or in plane strain.
void dv_triangle_isotropic(double young, double poisson, bool plane_strain, double factor, double material[6]);

// Nothing of the definition is kept. DV_ERROR_INPUT when an index is out of range, DV_ERROR_USAGE when memory is short;
// *out is then NULL.
dvStatus dv_triangle_fem_create(const dvTriangleDef *def, dvTriangleFem **out);
void dv_triangle_fem_destroy(dvTriangleFem **t);
// Shape and material at rest of a triangle of a changed mesh; false, and all zero, for a flat one.
typedef bool (*dvTriangleRestOf)(void *user, size_t triangle, dvTriangleRest *rest);
// Follows the triangles of a topology with that many points after a batch of changes (element/blocks.h), in time of
// what has changed. False when they are to be created again: nothing else can be done with them then.
bool dv_triangle_fem_patch(dvTriangleFem *t, dvTopology *mesh, size_t points, dvTriangleRestOf rest_of, void *user);

// f += forces at x. Keeps frames and gradients for the functions below, which before the first call have zeros.
// The pool may be NULL here and below.
void dv_triangle_fem_add_force(dvTriangleFem *t, dvPool *pool, const double *x, double *f);
// df += k (df/dx) dx with frames and gradients held; of GREEN with the tension that the last force found.
void dv_triangle_fem_add_dforce(dvTriangleFem *t, dvPool *pool, const double *dx, double k, double *df);
// k (df/dx) of one triangle, 9 x 9, row by row, frames and gradients as above.
void dv_triangle_fem_stiffness(const dvTriangleFem *t, size_t triangle, double k, double out[81]);
// The same of all of them, for assembly.
dvElementMatrices dv_triangle_fem_matrices(const dvTriangleFem *t, double k);
// Elastic energy at x, 1/2 sum of area thickness strain : stress, with the strain that the force at x comes from.
double dv_triangle_fem_energy(dvTriangleFem *t, dvPool *pool, const double *x);
// Strain (xx, yy, 2 xy) in the frame of a triangle at the last dv_triangle_fem_add_force, and the axes of that frame
// (may be NULL; of GREEN what became of the axes at rest). Strain is counted from the present to the rest shape: a
// stretched triangle has a negative one.
void dv_triangle_fem_strain(const dvTriangleFem *t, size_t triangle, double strain[3], double axes[6]);

// --- between triangle.c and its kernels ---

// Numbers of a pack of four triangles, in packs.
enum { DV_TRIANGLE_FRAME, DV_TRIANGLE_GRADIENTS = 6, DV_TRIANGLE_MATERIAL = 10, DV_TRIANGLE_MOVING = 16 };
enum {
  DV_TRIANGLE_EDGES,
  DV_TRIANGLE_REST_GRADIENTS = 4,
  DV_TRIANGLE_FLAT = 8,
  DV_TRIANGLE_STRAIN = 9,
  DV_TRIANGLE_RECORD = 12
};

typedef struct dvTriangleData {
  const dvElementBlocks *blocks;
  double *rest;     // edges, gradients, the determinant below which a triangle is flat; and the last strain
  double *moving;   // axes x and y, gradients of b and c in them, material
  double *slots;    // contributions to points (see blocks.h)
} dvTriangleData;

typedef struct dvTriangleKernels {
  void (*force[DV_TRIANGLE_METHODS])(const dvTriangleData *t, size_t block, const double *x);
  void (*dforce[DV_TRIANGLE_METHODS])(const dvTriangleData *t, size_t block, const double *dx, double k);
  void (*energy[DV_TRIANGLE_METHODS])(const dvTriangleData *t, size_t block, const double *x, double *energy);
} dvTriangleKernels;

DV_KERNEL_DECLARE(dvTriangleKernels, dv_triangle_kernels);

#endif
