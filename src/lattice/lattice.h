// A lattice of masses and springs that steps by itself: layout, forces, explicit integration.
//
// Masses live in slots, sixteen to a slice, coordinate by coordinate (float or double); points of a state are found
// through a table. Every mass sums the forces of its own springs in one fixed order: a spring is evaluated at both of
// its ends, with the same bits and opposite sign, so that no two threads write to one place, nothing has to be reduced,
// and results do not depend on the number of threads.
//
// Springs are of up to 254 classes (material and actuator together): what changes with time is a table of classes.
//
//   force of a spring      T = K e (1 + c e^2) + D de/dt,    e = r / l - reach
//
// with the length r, the length at rest l, K and D in N and N s. So stiffness is K / l.
//
// Two layouts. A *grid*, where all masses stand on a cubic grid and springs join neighbours (edges, face diagonals,
// long diagonals): no lists of indices, l follows from the direction. A *list* otherwise: for each slice as many rows
// as its mass with the most springs has, of distances in slots (16 bits where they fit), 1 / l and class.
#ifndef DV_LATTICE_LATTICE_H
#define DV_LATTICE_LATTICE_H

#include "base/array.h"
#include "base/isa.h"
#include "base/pool.h"
#include "math/vec.h"

enum {
  DV_LATTICE_LANES = 16,      // masses in a slice
  DV_LATTICE_CLASSES = 254,   // the most; class 0 means that there is no spring
  DV_LATTICE_MIXED = 255,     // a row of a slice has several classes
  DV_LATTICE_WAYS = 26,       // neighbours on a grid
  DV_LATTICE_PAD = 32,        // slots before the first and behind the last one of a grid that can be read
};

typedef enum dvLatticeScheme {
  DV_LATTICE_EULER,     // v += h a, x += h v: symplectic, order 1
  DV_LATTICE_VERLET,    // kick, drift, kick: symplectic, order 2
  DV_LATTICE_RK4,       // order 4
  DV_LATTICE_FORWARD,   // x += h v, v += h a: order 1; the energy of every oscillation grows
} dvLatticeScheme;

typedef struct dvSpringClass {
  double force;     // K, N
  double reach;     // factor of the length at rest
  double cubic;     // c
  double damping;   // D, N s
  double limit;     // strain at which a spring breaks; 0: never
} dvSpringClass;

typedef struct dvLatticeDef {
  size_t points, springs;
  const double *rest;       // three numbers a point
  const int32_t *pairs;     // two points a spring
  const uint8_t *classes;   // of the springs, from 1
  const double *lengths;    // at rest; NULL: from `rest`
  const double *mass;       // kg; 0: the point is held
  bool single;              // float
  bool no_grid;             // a list in any case
} dvLatticeDef;

// What holds or meets masses.
typedef struct dvLatticeWall {
  double at[3];          // plane: unit normal; ball: centre
  double distance;       // plane: points with at . x < distance are behind it; ball: radius
  double stick, slide;   // static and kinetic friction
  bool ball;
} dvLatticeWall;

// A group of masses as a rigid body, at one moment.
typedef struct dvLatticeBody {
  dvVec3 centre, spin, torque;
  dvMat3 inverse;   // of its inertia
} dvLatticeBody;

// Two groups of masses that a motor turns against each other. Indices are points.
typedef struct dvLatticeMotor {
  int32_t *groups[2];   // owned
  size_t counts[2];
  size_t same[2];   // 2 x motor + group of the first group with these points: motors on one body share its sums
  dvLatticeBody bodies[2];
  int32_t axis[2];         // two points on the axis
  double speed, gain;      // rad/s, N m s/rad
  double most;             // N m
  double torque, turned;   // last torque; angle so far, rad
} dvLatticeMotor;

typedef struct dvLattice dvLattice;

struct dvLattice {
  size_t points, springs;
  size_t slots, slices;   // slots = 16 slices
  size_t pad;             // slots before the first and behind the last one that nothing lives in
  bool single, grid;
  uint32_t *slot_of;   // [points]
  int32_t *point_of;   // [slots], -1 where there is none
  size_t real;         // bytes of a number
  void *block;         // all numbers below, one behind the other
  void *x[2][3], *v[3], *low[3],
      *w;       // positions (two buffers), velocities, what float loses of positions, 1 / mass (0: held)
  void *f[3];   // forces, where the next positions will be
  void *extra[3], *extra_block;   // outer forces; NULL: none
  void *stage[12];                // of Runge-Kutta: velocities of a stage, sums of both slopes, forces
  void *stage_block;
  const double *mass;    // [points], borrowed
  int now;               // which buffer has the positions
  bool pushed;           // outer forces are not zero
  const double *outer;   // as they were put; borrowed

  // grid
  double pitch;
  int axis[3];     // axis[0] is the one along which slots run
  int32_t *rows;   // [slices][9] slot of lane 0's neighbour in each of the nine lines around it, -1: none
  // list
  uint32_t *first;   // [slices + 1] rows of each slice
  int16_t *near;     // [rows][16] distance to the other end in slots; NULL when they do not fit
  int32_t *far;      // the same, wide
  void *inverse;     // [rows][16] 1 / l
  // both: [rows or slices x 26][16] class of each spring, and of all of a row
  uint8_t *cls, *same;
  size_t rows_total;   // of cls
  size_t bytes;        // memory of springs and masses

  // tables, filled by dv_lattice_set_classes
  dvSpringClass classes[256];
  int class_count;
  _Alignas(64) double table_k[4][256], table_r[256], table_e[256], table_c[256], table_d[256], table_l[256];
  _Alignas(64) float table_ks[4][256], table_rs[256], table_es[256], table_cs[256], table_ds[256], table_ls[256];
  bool plain;     // no class has cubic terms, damping or a limit
  bool brittle;   // some class has a limit
  bool damped;    // some class has damping: forces read velocities
  _Atomic(long) broken;
  unsigned changes;   // of the classes of springs, from outside

  // what holds and meets masses
  DV_ARRAY(dvLatticeWall) walls;
  double *guide;       // [slots][4] unit vector and kind (1: along it only, 2: not along it); NULL: none
  uint8_t *guided;     // [slices]
  double drag_value;   // kg/m: air resists with drag |v| v
  DV_ARRAY(dvLatticeMotor) motors;

  double gravity[3];
  double decay;   // 1/s, damping in proportion to the mass
};

// One call of dv_lattice_advance.
typedef struct dvLatticeRun {
  double time, h;
  long iterations;
  dvLatticeScheme scheme;
  dvPool *pool;
  // before every iteration (and stage), with its time: sets classes and motors; may be NULL
  void (*tune)(void *user, dvLattice *l, double time);
  void *user;
} dvLatticeRun;

// NULL when memory is short. Indices and classes must be right, positions finite. The masses must live as long as the
// lattice, and what dv_lattice_weigh gets.
dvLattice *dv_lattice_create(const dvLatticeDef *def);
void dv_lattice_destroy(dvLattice **l);
// Points in, points out: three numbers each.
void dv_lattice_put_x(dvLattice *l, const double *x);
void dv_lattice_put_v(dvLattice *l, const double *v);
void dv_lattice_get_x(const dvLattice *l, double *x);
void dv_lattice_get_v(const dvLattice *l, double *v);
bool dv_lattice_put_forces(dvLattice *l, const double *f);   // NULL: none; false when memory is short
void dv_lattice_hold(dvLattice *l, size_t point, bool held);
void dv_lattice_weigh(dvLattice *l, const double *mass);   // other masses; what is held stays held
void dv_lattice_set_class(dvLattice *l, int number, const dvSpringClass *c);
void dv_lattice_set_classes_done(dvLattice *l);
bool dv_lattice_guide(dvLattice *l, size_t point, const double axis[3], int kind);
// Forces of the springs at the positions that are there, at points; the classes as they are.
void dv_lattice_forces(dvLattice *l, dvPool *pool, double *f);
bool dv_lattice_advance(dvLattice *l, const dvLatticeRun *run);   // false when memory is short
// Elastic energy of all springs, J, in double.
double dv_lattice_energy(const dvLattice *l, const double *x, const dvLatticeDef *def);
// What is left of the springs, by points: true when spring `i` of the definition has been broken.
void dv_lattice_broken(const dvLattice *l, const dvLatticeDef *def, uint8_t *broken);
void dv_lattice_break(dvLattice *l, const dvLatticeDef *def, const uint8_t *broken);

// --- between lattice.c and its kernels ---

typedef struct dvLatticeKick {
  double h, kick;     // of positions and velocities
  bool drift_first;   // forward Euler
  bool drift;
} dvLatticeKick;

typedef struct dvLatticeKernels {
  void (*force)(dvLattice *l, const void *const x[3], const void *const v[3], size_t begin, size_t end);   // slices
  void (*move)(dvLattice *l, const dvLatticeKick *k, size_t begin, size_t end);
  void (*stage)(dvLattice *l, int stage, double h, size_t begin, size_t end);
} dvLatticeKernels;
DV_KERNEL_DECLARE_WIDE(dvLatticeKernels, dv_lattice_float_kernels);
DV_KERNEL_DECLARE_WIDE(dvLatticeKernels, dv_lattice_double_kernels);

// After a move of slot i from `from` to x within h: guides and walls. True when x and v were changed.
bool dv_lattice_meet(const dvLattice *l, size_t slot, double h, const double from[3], double x[3], double v[3]);

#endif
