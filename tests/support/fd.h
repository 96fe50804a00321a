// Finite differences against what components compute: one check for every force, mapping and mass.
//
//   fdScene s = fd_open("<Node><MechanicalObject .../><SpringForceField name='ff' .../></Node>");
//   fdOptions o = fd_options();
//   o.checks |= FD_SYMMETRY;
//   assert_true(fd_check_force(fd_find(&s, "ff"), &o));
//   fd_close(&s);
//
// A check moves the states at random from where they stand (a fixed seed: the same numbers in every run), compares,
// and puts them back. Differences are central; frames are moved by dv_dof_integrate. Every comparison is made in
// dense matrices, so scenes should stay small. What fails is printed with its worst entry and both numbers.
#ifndef DV_TESTS_FD_H
#define DV_TESTS_FD_H

#include "mechanics/component.h"

enum {
  // forces
  FD_ENERGY = 1 << 0,   // f at rest = -d energy / dx, where the force has an energy; add_force runs before each energy
  FD_STIFFNESS = 1 << 1,   // add_dforce with k = 1 against df/dx
  FD_DAMPING = 1 << 2,     // add_dforce with b = 1 against df/dv
  FD_ASSEMBLY = 1 << 3,    // add_stiffness against add_dforce, where it exists, with k and b
  FD_SYMMETRY = 1 << 4,    // K = K^T
  FD_RIGID = 1 << 16,      // no resultant force or torque, and a turned and moved body has the turned forces; Vec3 and
                           // Rigid3 states
  // mappings
  FD_JACOBIAN = 1 << 5,        // apply_j against apply
  FD_TRANSPOSE = 1 << 6,       // apply_jt against apply_j: f^T J v = (J^T f)^T v; where forces go up
  FD_BUILD = 1 << 7,           // build_j against apply_j, where it exists
  FD_GEOMETRIC = 1 << 8,       // apply_djt against differences of J^T f, and add_geometric against it, where they exist
  FD_ROWS = 1 << 10,           // rows of constraints through the mapping against H J
  FD_ACCELERATION = 1 << 11,   // add_jdot, or nothing where J is constant, against differences of J v along v
  // masses
  FD_WEIGHT = 1 << 9,   // gravity and potential energy against M g
  FD_DEFAULT = FD_ENERGY | FD_STIFFNESS | FD_ASSEMBLY | FD_JACOBIAN | FD_TRANSPOSE | FD_BUILD | FD_GEOMETRIC |
               FD_WEIGHT | FD_ROWS | FD_ACCELERATION,
};

typedef struct fdOptions {
  unsigned checks;
  double move_x, move_v;     // largest random change of a position (radians for angles) and of a velocity
  double step;               // h of (f(x + h) - f(x - h)) / 2h
  double tolerance;          // allowed error over the largest entry of what is compared
  double energy_tolerance;   // the same for energies
  int samples;               // random states
  uint64_t seed;
  bool quiet;   // print nothing
} fdOptions;

// All of FD_DEFAULT, moves of 0.1 and 0, a step of 1e-5, tolerances of 1e-6, 3 samples.
fdOptions fd_options(void);

typedef struct fdScene {
  dvContext *context;
  dvScene *scene;
} fdScene;

// Reads a scene from a text and initialises it; the running test fails when that does not work.
fdScene fd_open(const char *text);
// The same with a context of the caller's own, which fd_close destroys.
fdScene fd_open_in(dvContext *context, const char *text);
void fd_close(fdScene *s);
// True when the scene is refused with an error.
bool fd_fails(const char *text);
// A component by its path from the root ("Arm/ff"), or the only one of that name anywhere; the test fails without.
dvObject *fd_find(const fdScene *s, const char *path);

// The force that a component gives at the present positions and velocities, on one of the states it acts on; lives
// until the next call that writes forces.
const double *fd_force_on(dvObject *force, dvObject *state);
// Its energy.
double fd_energy_of(dvObject *force);

// A whole scene as one system: forces collected at the independent states against the potential energy (where every
// force has one: FD_ENERGY), products with the stiffness against differences of those forces (FD_STIFFNESS), the
// assembled matrix against products (FD_ASSEMBLY), and the power of the forces, which is the same at all levels of
// mappings.
bool fd_check_system(const fdScene *s, const fdOptions *options);

// A scene with a mesh, a state `dofs` with these attributes, and a force: each a piece of scene text.
fdScene fd_open_force(const char *mesh, const char *state, const char *force);
// For forces named `ff` on such a mesh, given without their brackets and moduli: turned, but not deformed, the
// derivative of the rotation does no work, so that dforce is the exact derivative; and there is no energy.
bool fd_check_turned(const char *mesh, const char *const *forces, size_t count);

// True when all comparisons hold.
bool fd_check_force(dvObject *force, const fdOptions *options);
bool fd_check_mapping(dvObject *mapping, const fdOptions *options);
// add_mdx against add_matrix and its factor, symmetry, kinetic energy, acc_from_f as the inverse, gravity M g, and
// the potential energy against it; each where the mass has it.
bool fd_check_mass(dvObject *mass, const fdOptions *options);

// Dense matrices for other tests, row by row; the caller frees them with dv_free. *n is the number of scalars.
// K of a force by add_dforce at the present state (add_force runs first), for factors k and b.
double *fd_dense_stiffness(dvObject *force, double k, double b, size_t *n);

#endif
