// Parts of a lattice that stand beside it in its node: materials, actuators, walls, guides, motors. SpringLattice finds
// them by their class.
#ifndef DV_LATTICE_PARTS_H
#define DV_LATTICE_PARTS_H

#include "lattice/lattice.h"
#include "math/expression.h"
#include "mechanics/component.h"

// what springs are made of; of the lattice itself and of each LatticeMaterial
#define DV_SPRING_LAW_FIELDS(X)                                                                                      \
  X(real, stiffness, "10000", "N",                                                                                   \
    "force of a spring that is strained by 1: its constant times its length, so that constants go with 1 / length",  \
    .least = "0")                                                                                                    \
  X(real, youngModulus, "0", "Pa", "when above 0: stiffness follows from it and from the resolution of the lattice", \
    .least = "0")                                                                                                    \
  X(real, cubic, "0", "", "c of the force K e (1 + c e^2): springs harden when it is above 0", .least = "0")         \
  X(real, damping, "0", "N s", "force of a spring whose strain changes by 1 in a second", .least = "0")              \
  X(real, breakStrain, "0", "", "strain at which a spring breaks; 0: never", .least = "0")

typedef struct dvSpringLaw {
  DV_SPRING_LAW_FIELDS(DV_MEMBER)
} dvSpringLaw;

#define DV_LATTICE_MATERIAL_FIELDS(X)                                                                         \
  X(indices, indices, "", "", "points of the region; springs with both ends in it are made of this material") \
  DV_SPRING_LAW_FIELDS(X)                                                                                     \
  X(real, massDensity, "0", "kg/m3", "of the region, when above 0", .least = "0")                             \
  X(color, color, "0.75 0.75 0.75 1", "", "of the region; one of a list by default", .flags = DV_LOOKS)

typedef struct dvLatticeMaterial {
  dvObject base;
  DV_LATTICE_MATERIAL_FIELDS(DV_MEMBER)
} dvLatticeMaterial;

#define DV_LATTICE_ACTUATOR_FIELDS(X)                                                                     \
  X(indices, indices, "", "", "points of the region; springs with both ends in it are moved")             \
  X(string, length, "1", "", "factor of the length at rest: an expression of t (s) and p (cycles)")       \
  X(string, stiffness, "1", "", "factor of the stiffness: an expression of t and p")                      \
  X(real, frequency, "1", "Hz", "p = frequency t + phase")                                                \
  X(real, phase, "0", "", "cycles by which this region is ahead")                                         \
  X(vec3, axis, "0 0 0", "", "when not 0: only springs along it (within 40 degrees) change their length") \
  X(color, color, "0.75 0.75 0.75 1", "", "of the region; one of a list by default", .flags = DV_LOOKS)

typedef struct dvLatticeActuator {
  dvObject base;
  DV_LATTICE_ACTUATOR_FIELDS(DV_MEMBER)
  dvExpression length_of, stiffness_of;
} dvLatticeActuator;

#define DV_LATTICE_CONTACT_FIELDS(X)                                                                       \
  X(vec4, plane, "0 0 0 0", "", "normal and distance: masses stay where normal . x >= distance")           \
  X(vec3, centre, "0 0 0", "m", "of a ball")                                                               \
  X(real, radius, "0", "m", "of a ball that masses stay out of; 0: there is none", .least = "0")           \
  X(real, staticFriction, "0", "", "how many times the normal force a resting mass resists", .least = "0") \
  X(real, kineticFriction, "0", "", "the same for one that slides", .least = "0")

typedef struct dvLatticeContact {
  dvObject base;
  DV_LATTICE_CONTACT_FIELDS(DV_MEMBER)
} dvLatticeContact;

#define DV_LATTICE_GUIDE_FIELDS(X)                                                                             \
  X(indices, indices, "", "", "points that are guided")                                                        \
  X(choice, kind, "fixed", "", "fixed: they do not move; direction: only along the axis; plane: not along it", \
    .options = "fixed|direction|plane")                                                                        \
  X(vec3, axis, "1 0 0", "", "direction, or normal of the plane")

typedef struct dvLatticeGuide {
  dvObject base;
  DV_LATTICE_GUIDE_FIELDS(DV_MEMBER)
} dvLatticeGuide;

#define DV_LATTICE_MOTOR_FIELDS(X)                                                                                   \
  X(indices, body, "", "", "points of the part that holds the motor")                                                \
  X(indices, wheel, "", "", "points of the part that it turns")                                                      \
  X(ivec2, axis, "-1 -1", "",                                                                                        \
    "two points on the axis; by default the ends of what body and wheel have in common. It turns clockwise for who " \
    "looks from the first to the second")                                                                            \
  X(string, speed, "1", "rad/s", "an expression of t (s)")                                                           \
  X(real, gain, "1", "N m s", "torque for a speed that is 1 rad/s too low", .least = "0")                            \
  X(real, torque, "1e300", "N m", "the largest torque", .least = "0")                                                \
  X(real, angle, "0", "rad", "how far it has turned", .flags = DV_OUTPUT | DV_READ_ONLY | DV_NO_SRC)

typedef struct dvLatticeMotorPart {
  dvObject base;
  DV_LATTICE_MOTOR_FIELDS(DV_MEMBER)
  dvExpression speed_of;
  int32_t ends[2];   // of the axis
} dvLatticeMotorPart;

extern const dvClass dv_lattice_material_class, dv_lattice_actuator_class, dv_lattice_contact_class,
    dv_lattice_guide_class, dv_lattice_motor_class, dv_spring_lattice_class, dv_voxel_lattice_class,
    dv_sampled_lattice_class;

// Adds what the parts of the node tell to the lattice: walls, guides, motors. Indices are checked against `points`.
// `rest` has three numbers a point.
dvStatus dv_parts_check(const dvNode *node, size_t points, const double *rest);
dvStatus dv_parts_apply(const dvNode *node, dvLattice *l);
// The same for numbers that may change from step to step.
void dv_parts_refresh(const dvNode *node, dvLattice *l);

#endif
