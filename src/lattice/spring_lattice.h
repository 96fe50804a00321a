// SpringLattice: see spring_lattice.c.
#ifndef DV_LATTICE_SPRING_LATTICE_H
#define DV_LATTICE_SPRING_LATTICE_H

#include "lattice/parts.h"
#include "lattice/skin.h"

#define DV_SPRING_LATTICE_FIELDS(X)                                                                                   \
  X(edges, springs, "", "", "pairs of points", .alias = "edges", .flags = DV_REQUIRED)                                \
  X(reals, lengths, "", "m", "of the springs at rest; from the rest positions by default")                            \
  X(reals, weights, "", "", "factor of the stiffness of each spring; 1 by default")                                   \
  X(reals, shares, "", "m3", "volume that belongs to each point; all points weigh the same by default")               \
  X(real, volume, "0", "m3", "of the body, for a density or a Young's modulus", .least = "0")                         \
  DV_SPRING_LAW_FIELDS(X)                                                                                             \
  X(real, vertexMass, "0.1", "kg", "mass of each point", .alias = "mass", .least = "0")                               \
  X(real, totalMass, "0", "kg", "when above 0: mass of all points together", .least = "0")                            \
  X(real, massDensity, "0", "kg/m3", "when above 0: goes before totalMass and vertexMass", .least = "0")              \
  X(choice, integrator, "verlet", "", "how positions advance", .options = "euler|verlet|rk4")                         \
  X(bool, symplectic, "1", "",                                                                                        \
    "euler: velocities before positions, which keeps oscillations bounded; else their energy grows with every step")  \
  X(int, substeps, "1", "", "iterations in a step of the scene", .least = "1")                                        \
  X(choice, precision, "double", "", "of positions, velocities and forces while it steps", .options = "double|float") \
  X(choice, device, "cpu", "", "what steps it: opencl takes a graphics card, or any other device of OpenCL",          \
    .options = "cpu|opencl")                                                                                          \
  X(real, rayleighMass, "0", "1/s", "damping in proportion to the mass", .least = "0")                                \
  X(real, drag, "0", "kg/m", "air resists each mass with drag |v| v", .least = "0")                                   \
  X(bool, strict, "0", "", "refuse steps that are longer than the stable limit instead of warning")                   \
  X(real, stepLimit, "0", "s", "longest step that is surely stable", .flags = DV_OUTPUT | DV_READ_ONLY | DV_NO_SRC)   \
  X(int, brokenSprings, "0", "", "how many springs have broken", .flags = DV_OUTPUT | DV_READ_ONLY | DV_NO_SRC)       \
  X(bool, showSprings, "1", "", "draw the body and its springs; of more than 200,000 those of the outside",           \
    .flags = DV_LOOKS)                                                                                                \
  X(color, color, "0.72 0.75 0.79 1", "", "of the body, where no material or actuator has another", .flags = DV_LOOKS)

// What makes a class of springs.
typedef struct dvRecipe {
  const dvLatticeMaterial *material;   // NULL: the lattice's own
  dvLatticeActuator *actuator;         // NULL: none
  double weight;
  dvSpringClass law;   // as the lattice has it, without the actuator
} dvRecipe;

typedef struct dvSpringLattice {
  dvObject base;
  DV_SPRING_LATTICE_FIELDS(DV_MEMBER)
  dvState *state;
  dvLattice *lattice;
  dvReals rest;
  uint8_t *classes;   // of each spring
  double *mass;       // of each point
  double *outer;      // forces of others
  double total_length;
  DV_ARRAY(dvRecipe) recipes;
  DV_ARRAY(uint8_t) broken;
  bool actuated, breaks;
  uint64_t regions;     // dv_lattice_regions when it was painted
  uint64_t structure;   // of the lists it was made from
  dvLatticeSkin skin;
  dvSketchPart *skin_parts;
  struct dvLatticeDevice *device_of;   // NULL: the processor steps it
  bool silent;                         // forces of others are being collected
  unsigned held_version;
  dvPlan *plan;
} dvSpringLattice;

extern const dvForceOps dv_spring_lattice_force;
extern const dvMassOps dv_spring_lattice_mass;

// --- paint.c ---
// Which class each spring has, by the regions of the parts in its node: fills `classes` and `recipes`.
dvStatus dv_lattice_paint(dvSpringLattice *s);
// Moves when a region changes.
uint64_t dv_lattice_regions(const dvSpringLattice *s);
// Whether a number of a material has changed since the lattice was told.
bool dv_lattice_laws_moved(const dvSpringLattice *s);
// Tells the lattice what its classes are at a time: one, or all with the numbers of materials as they are now.
void dv_lattice_set_recipe(dvSpringLattice *s, size_t i, double time);
void dv_lattice_set_recipes(dvSpringLattice *s, double time);

// --- skin.c ---
// What a picture shows of it: the outside of a lattice of cubes, region by region; the springs of any other.
void dv_lattice_sketch(dvObject *o, dvSketch *out);
void dv_lattice_skin_free(dvSpringLattice *s);

// The definition of its lattice; pointers live as long as the component is not made again.
dvLatticeDef dv_spring_lattice_def(const dvSpringLattice *s);

#endif
