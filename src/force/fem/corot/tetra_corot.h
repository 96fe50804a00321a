// Corotational linear tetrahedra with an isotropic material, on plain arrays.
//
// Positions, displacements and forces have three doubles a point. Young moduli in units of stress.
// Five ways to find the rotation R of an element; all but the last as in SOFA's TetrahedronFEMForceField:
//   SMALL  none;
//   LARGE  the frame of the first corner's edges: x along ab, z along ab x ac;
//   POLAR  the orthogonal factor of the matrix of the three edges;
//   SVD    the same, from singular values where an element is inverted or flat;
//   DEFORMATION  the orthogonal factor of the deformation gradient.
// See tetra_corot_kernel.c for the equations.
#ifndef DV_FORCE_FEM_COROT_TETRA_COROT_H
#define DV_FORCE_FEM_COROT_TETRA_COROT_H

#include "base/isa.h"
#include "base/pool.h"
#include "element/blocks.h"
#include "force/fem/matrices.h"
#include "object/memory.h"

typedef enum dvCorotMethod {
  DV_COROT_SMALL,
  DV_COROT_LARGE,
  DV_COROT_POLAR,
  DV_COROT_SVD,
  DV_COROT_DEFORMATION,
  DV_COROT_METHODS
} dvCorotMethod;

typedef struct dvTetraCorot dvTetraCorot;

typedef struct dvTetraCorotDef {
  const double *rest;   // positions at rest
  size_t points;
  const int32_t *tetrahedra;   // four point indices each
  size_t count;
  const double *young, *poisson;   // one each a tetrahedron
  dvCorotMethod method;
  size_t block_elements;   // elements a block, a multiple of 4; 0 for the default
  // Strains from gradients of the present shape (on the volume at rest) instead of the shape at rest; in LARGE the
  // normal strains alone. No effect in SMALL.
  bool present_gradients;
  // Plasticity, when plastic_limit > 0: of elastic strain above plastic_yield the part plastic_creep stays in each
  // step, up to a plastic strain of plastic_limit. Sizes are 2-norms (twice the shear), in SOFA times six volumes of
  // the element.
  double plastic_limit, plastic_yield, plastic_creep;
  bool plastic_by_volume;
} dvTetraCorotDef;

// What the rest shape shows. A flat tetrahedron (volume zero to rounding, or not a number) takes no
// part: it gives no force. An inverted one (negative volume) works with the size of its volume.
typedef struct dvTetraReport {
  size_t flat, first_flat;   // how many, and the index of the first
  double first_flat_volume;
  size_t inverted, first_inverted;
  double first_inverted_volume;
} dvTetraReport;

// Nothing of the definition is kept. `report` may be NULL. DV_ERROR_INPUT when an index is out of
// range, DV_ERROR_USAGE when memory is short; *out is then NULL.
dvStatus dv_tetra_corot_create(const dvTetraCorotDef *def, dvTetraCorot **out, dvTetraReport *report);
void dv_tetra_corot_destroy(dvTetraCorot **t);
// Follows the tetrahedra of a mesh, one for one, after a batch of changes; `def` has them as they are now. What is not
// concerned stays as it is, plastic strain too; that of new elements is 0. False when they are to be created anew (see
// dv_blocks_patch).
bool dv_tetra_corot_patch(dvTetraCorot *t, const dvTetraCorotDef *def, dvTopology *mesh);
// The same for tetrahedra that hexahedra of a mesh were cut into (tetra_cut.h has followed).
bool dv_tetra_corot_patch_cut(dvTetraCorot *t, const dvTetraCorotDef *def, dvTopology *mesh,
                              const dvBlocksChange *change, const dvNumbers *rows);

// New moduli, one a tetrahedron each.
void dv_tetra_corot_set_material(dvTetraCorot *t, const double *young, const double *poisson);

// The end of a step: the plastic strain becomes what it has flowed to at the last dv_tetra_corot_add_force.
void dv_tetra_corot_end_step(dvTetraCorot *t);
// What lasts from step to step, as an entry of a memory.
void dv_tetra_corot_remember(dvTetraCorot *t, dvMemoryStream *s);
// Plastic strain of the element in a lane, and of element e, six numbers (twice the shear) in its frame at rest: only
// with plasticity.
void dv_tetra_corot_plastic(const dvTetraCorot *t, size_t lane, double out[6]);
void dv_tetra_corot_set_plastic(dvTetraCorot *t, size_t e, const double strain[6]);

// Whether evaluations from now on keep what products and matrices need: true at first. Explicit integrators need none.
void dv_tetra_corot_keep(dvTetraCorot *t, bool tangents);

// f += forces at x, with the plastic strain that the step leads to from there. Keeps the rotations for the functions
// below, which before the first call use the rest shape. The pool may be NULL here and below.
void dv_tetra_corot_add_force(dvTetraCorot *t, dvPool *pool, const double *x, double *f);

// df += k (df/dx) dx with the rotations of the last dv_tetra_corot_add_force held: df/dx = -K.
void dv_tetra_corot_add_dforce(dvTetraCorot *t, dvPool *pool, const double *dx, double k, double *df);

// k (df/dx) of one tetrahedron, 12 x 12, row by row, rotations as above.
void dv_tetra_corot_stiffness(const dvTetraCorot *t, size_t element, double k, double out[144]);

// The same of all of them, for assembly.
dvElementMatrices dv_tetra_corot_matrices(const dvTetraCorot *t, double k);

// Elastic energy at x, 1/2 sum of V strain : stress. Its gradient is minus the force for SMALL; for the others the
// force lacks the derivative of the rotation.
double dv_tetra_corot_energy(dvTetraCorot *t, dvPool *pool, const double *x);

// Von Mises stress of every tetrahedron at x; 0 for a flat one.
void dv_tetra_corot_von_mises(dvTetraCorot *t, dvPool *pool, const double *x, double *out);

// The same from Green's strain of the whole deformation.
void dv_tetra_corot_von_mises_green(const dvTetraCorot *t, const double *x, double *out);

// Rotation of an element from its edges at rest (ab, ac, ad, in world coordinates: nine numbers) to the last
// dv_tetra_corot_add_force, row by row.
void dv_tetra_corot_rotation(const dvTetraCorot *t, size_t element, const double rest_edges[9], double out[9]);

// Volumes at rest, signed, one a tetrahedron; lives as long as t.
const double *dv_tetra_corot_volumes(const dvTetraCorot *t);
const dvElementBlocks *dv_tetra_corot_blocks(const dvTetraCorot *t);

// --- between tetra_corot.c and its kernels ---

// Numbers of a pack of four tetrahedra, in packs: what dforce reads, and what force reads besides.
enum { DV_TETRA_LAMBDA, DV_TETRA_MU, DV_TETRA_GRADIENTS, DV_TETRA_MOVING = DV_TETRA_GRADIENTS + 9 };
enum { DV_TETRA_REST_SMALL = 9, DV_TETRA_REST_LARGE = 12, DV_TETRA_REST_POLAR = 18, DV_TETRA_REST_SVD = 27 };
enum { DV_TETRA_FRAME = 15, DV_TETRA_PLASTIC = 7 };

typedef struct dvTetraData {
  const dvElementBlocks *blocks;
  double *rest;     // a record a pack, its length set by the method
  double *moving;   // V lambda, V mu, and the gradients of corners b, c, d in their present direction
  double *slots;    // contributions to points (see blocks.h)
  // With present gradients: in LARGE the axes and the gradients of the normal strains, else the gradients at rest,
  // turned as the element is. NULL without.
  double *frames;
  double *plastic;   // a factor (1, in SOFA six volumes), plastic strain times it; NULL without plasticity
  double *flowed;    // the same, to which it flows at the positions of the last evaluation
  double limit, yield, creep;
} dvTetraData;

// Tables are indexed by dvCorotMethod.
typedef struct dvTetraCorotKernels {
  void (*rest[DV_COROT_METHODS])(const double *edges, double *record);   // edges: nine packs, x y z of ab, ac, ad
  void (*force[DV_COROT_METHODS])(const dvTetraData *t, size_t block, const double *x);
  void (*lone_force[DV_COROT_METHODS])(const dvTetraData *t, size_t block, const double *x);   // keeps no tangents
  void (*force_present)(const dvTetraData *t, size_t block, const double *x);   // LARGE with present gradients
  void (*lone_force_present)(const dvTetraData *t, size_t block, const double *x);
  void (*dforce)(const dvTetraData *t, size_t block, const double *dx, double k);
  void (*dforce_present)(const dvTetraData *t, size_t block, const double *dx, double k);
  // V times the energy density, and V times the von Mises stress, lane by lane
  void (*measure[DV_COROT_METHODS])(const dvTetraData *t, size_t block, const double *x, double *energy,
                                    double *von_mises);
  // 12 x 12: lambda g_i (x) g_j + mu (g_j (x) g_i + g_i . g_j 1) for all pairs of corners; gradients in rows of four
  void (*stiffness)(const double gradient[16], double lambda, double mu, double out[144]);
  void (*sum)(const dvTetraData *t, const dvElementSum *sum, size_t block, double k,
              double *local);   // into the sums of a block
} dvTetraCorotKernels;

DV_KERNEL_DECLARE(dvTetraCorotKernels, dv_tetra_corot_kernels);

#endif
