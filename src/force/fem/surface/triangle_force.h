// What the forces on triangles have in common (TriangularFEMForceField and its kin): a class says what shape and
// material a triangle has at rest; the rest is here.
#ifndef DV_FORCE_FEM_SURFACE_TRIANGLE_FORCE_H
#define DV_FORCE_FEM_SURFACE_TRIANGLE_FORCE_H

#include "force/fem/elastic.h"
#include "force/fem/surface/triangle.h"

typedef struct dvTriangleForce dvTriangleForce;

// Shape and material of triangle i at rest; false when it is flat. x0 are the rest positions of the state.
typedef bool (*dvTriangleAtRest)(dvTriangleForce *t, size_t i, const int32_t *corner, const double *x0,
                                 dvTriangleRest *rest);

// First member of a component. `at_rest` and `poisson_limit` are set in the hook `create`, `method` before
// dv_triangle_force_build.
struct dvTriangleForce {
  dvElastic elastic;
  dvTriangleAtRest at_rest;
  double poisson_limit;
  dvTriangleMethod method;
  bool halve_quads;          // where there are no triangles: each quad as two
  const dvInts *triangles;   // of the topology, or halves
  dvInts halves;
  dvTriangleFem *elements;   // NULL when the last build failed
};

// Makes the elements from the topology as it is now: the end of `init` and `reinit`.
dvStatus dv_triangle_force_build(dvTriangleForce *t);
// Moduli move with the triangles, or the quads that are halved, from here on: for `init`, after the first build.
dvElementData *dv_triangle_force_follow(dvTriangleForce *t);
bool dv_triangle_force_patch(dvObject *o);   // see dv_force_patch_or_remake
void dv_triangle_force_topology_changed(dvObject *o);
void dv_triangle_force_destroy(dvObject *o);
// The operations, for classes that add something to one of them.
void dv_triangle_force_add_force(dvObject *o, const dvMech *m);
void dv_triangle_force_add_dforce(dvObject *o, const dvMech *m);
void dv_triangle_force_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink);
double dv_triangle_force_energy(dvObject *o, const dvMech *m);
extern const dvForceOps dv_triangle_force_ops;

// Fields of TriangularFEMForceField, which TriangularAnisotropicFEMForceField has as well.
#define DV_TRIANGULAR_FIELDS(X)                                                                                \
  X(choice, method, "large", "", "plane of a triangle: its own (large), or always that of x and y (small)",    \
    .options = "small|large")                                                                                  \
  X(reals, rotatedInitialElements, "", "m",                                                                    \
    "shapes at rest instead of the state's: for each triangle three points in its frame, the first at 0")      \
  X(reals, initialTransformation, "", "",                                                                      \
    "for each triangle the nine numbers of the frame in which its shape at rest is given")                     \
  X(real, hosfordExponant, "1", "", "exponent of the yield criterion by which triangles are coloured",         \
    .flags = DV_LOOKS)                                                                                         \
  X(real, criteriaValue, "1e15", "Pa", "stress from which triangles are drawn as breaking", .flags = DV_LOOKS) \
  X(bool, showStressValue, "1", "", "colour triangles by their stress", .flags = DV_LOOKS)                     \
  X(bool, showStressVector, "0", "", "draw the principal directions of the stress", .flags = DV_LOOKS)         \
  X(bool, showFracturableTriangles, "0", "", "draw the triangles that would break", .flags = DV_LOOKS)         \
  X(bool, computePrincipalStress, "0", "", "compute principal stresses even when they are not drawn",          \
    .flags = DV_LOOKS)                                                                                         \
  X(string, triangleInfo, "", "", "kept by the component", .flags = DV_HIDDEN | DV_READ_ONLY)                  \
  X(string, vertexInfo, "", "", "kept by the component", .flags = DV_HIDDEN | DV_READ_ONLY)

typedef struct dvTriangular {
  dvTriangleForce base;
  DV_TRIANGULAR_FIELDS(DV_MEMBER)
} dvTriangular;
extern const dvFieldBlock dv_triangular_block;
dvStatus dv_triangular_init(dvObject *o);
dvStatus dv_triangular_reinit(dvObject *o);
// What is given for each triangle moves with it from here on: for `init`.
void dv_triangular_follow(dvTriangular *t);
// The shape by the fields above; the material is left alone.
bool dv_triangular_shape(dvTriangular *t, size_t i, const int32_t *corner, const double *x0, dvTriangleRest *rest);

#endif
