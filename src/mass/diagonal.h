// Diagonal masses: one number per point, or mass and inertia per frame.
//
// UniformMass, DiagonalMass and the lumped part of MeshMatrixMass differ in how they find the numbers; what they do
// with them is here. M is diagonal: a point has M = m I; a frame has m for the translation and the inertia J (kg m2)
// for the rotation. A frame in space has R J R^T, R being its rotation at the last evaluation of forces, and the torque
// -w x (R J R^T w) acts on it; implicit integrators take that torque at the start of the step. Without `gyroscopic`, as
// in SOFA, J is not turned with the frame and there is no torque.
#ifndef DV_MASS_DIAGONAL_H
#define DV_MASS_DIAGONAL_H

#include "base/isa.h"
#include "mechanics/component.h"

typedef struct dvDiagonal {
  dvMass base;
  size_t count;                     // points (or frames) that have a mass
  dvInts points;                    // which ones; empty: the first `count`
  bool uniform;                     // all have the first mass
  bool absent;                      // nothing usable was given: SOFA then keeps the weight, but has no mass matrix
  dvReals mass;                     // kg; one per point, or one for all
  dvReals inertia, inverse;         // frames: 9 numbers each (1 in the plane), kg m2, and the inverse
  bool gyroscopic;                  // frames in space turn their inertia with them
  dvReals turned, turned_inverse;   // then: the same in world axes, for each frame
  size_t seen;                      // degrees of freedom of the state at the last set-up
  void (*set_up)(dvObject *o);      // called when that number, or the next field, has changed
  const dvField *field;             // may be NULL
  uint32_t field_seen;
} dvDiagonal;

extern const dvMassOps dv_diagonal_ops;

void dv_diagonal_free(dvDiagonal *d);
// Numbers that describe the mass of one degree of freedom in a scene: 1 for points, else mass, volume, and the inertia
// per unit of mass (9 numbers; 1 in the plane).
int dv_diagonal_numbers(const dvDof *dof);
// A field for components with frames.
#define DV_GYROSCOPIC_FIELDS(X) \
  X(bool, gyroscopic, "1", "", "turn the inertia of frames with them and add the gyroscopic torque; SOFA does neither")
// Whether frames turn their inertia: as the field says or, when the scene leaves it open, the mode of the scene. Where
// every inertia is a multiple of the identity there is nothing to decide. Call it when the inertia is set.
void dv_diagonal_choose_gyroscopic(dvDiagonal *d, bool *field);
// Fills mass, inertia and its inverse from `count` groups of numbers. False when memory is short. A frame whose inertia
// cannot be inverted gets no angular acceleration; the first such frame is returned in *singular (else -1).
bool dv_diagonal_set(dvDiagonal *d, const dvDof *dof, const double *numbers, size_t count, long *singular);
// Warns when the inertia of a frame is not symmetric and positive.
void dv_diagonal_check_inertia(const dvDiagonal *d);
// Tells it what to watch; from here on it is set up again whenever the field (may be NULL), the number of points or a
// topology that it follows has changed.
void dv_diagonal_watch(dvDiagonal *d, void (*set_up)(dvObject *o), const dvField *field);
// Sets it up again if need be: first thing in every slot.
void dv_diagonal_refresh(dvDiagonal *d);
// `topology_changed` of every such mass.
void dv_diagonal_topology_changed(dvObject *o);

// the slots, for components that add something to them
void dv_diagonal_add_mdx(dvObject *o, const dvMech *m, double factor);
void dv_diagonal_add_gravity(dvObject *o, const dvMech *m);
void dv_diagonal_add_gravity_to_v(dvObject *o, const dvMech *m);
void dv_diagonal_acc_from_f(dvObject *o, int a, int f);
void dv_diagonal_add_matrix(dvObject *o, double factor, dvMatrixSink *sink);
double dv_diagonal_kinetic(dvObject *o, int v);
double dv_diagonal_potential(dvObject *o, const dvMech *m);
double dv_diagonal_of_element(dvObject *o, size_t index);

// Inner loops on points in space, three numbers each.
typedef struct dvDiagonalKernels {
  void (*add)(double factor, const double *mass, const double *x, double *y, size_t n);   // y += factor m x
  void (*divide)(const double *mass, const double *f, double *a, size_t n);               // a = f / m, 0 without mass
  void (*add_same)(const double *mass, const double g[3], double *y, size_t n);           // y += m g
} dvDiagonalKernels;
DV_KERNEL_DECLARE(dvDiagonalKernels, dv_diagonal_kernels);

#endif
