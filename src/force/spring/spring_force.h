// The fields and operations that SpringForceField shares with the components that make their springs from a mesh.
#ifndef DV_FORCE_SPRING_SPRING_FORCE_H
#define DV_FORCE_SPRING_SPRING_FORCE_H

#include "force/mesh.h"
#include "force/spring/spring.h"
#include "mechanics/pairs.h"

#define DV_SPRING_FORCE_FIELDS(X)                                                                                     \
  X(real, showArrowSize, "0.01", "m", "size of drawn arrows", .flags = DV_LOOKS)                                      \
  X(int, drawMode, "0", "", "springs are drawn as: 0 lines, 1 cylinders, 2 arrows", .flags = DV_LOOKS)                \
  X(reals, stiffness, "100", "N/m", "stiffness of the springs made from indices: one for all or one each")            \
  X(reals, damping, "5", "N s/m", "damping of the springs made from indices: one for all or one each")                \
  X(vec5s, spring, "", "", "springs: first point, second point, stiffness, damping, length at rest")                  \
  X(reals, lengths, "", "m", "length at rest of the springs made from indices: one for all, one each, or none for 0", \
    .alias = "length")                                                                                                \
  X(bools, elongationOnly, "0", "", "springs made from indices that only pull: one for all or one each")              \
  X(bools, enabled, "1", "", "springs made from indices that act: one for all or one each")                           \
  X(indices, springsIndices1, "", "", "first points, of the first state", .alias = "indices1")                        \
  X(indices, springsIndices2, "", "", "second points, of the second state", .alias = "indices2")                      \
  X(file, fileSprings, "", "", "an Xsp file with springs, besides those of the field spring")                         \
  X(int, nbThreads, "0", "", "accepted: the program's threads are used", .flags = DV_HIDDEN)                          \
  X(string, taskSchedulerType, "_default", "", "accepted: the program's threads are used", .flags = DV_HIDDEN)

typedef struct dvSpringForce {
  dvPairForce pair;
  DV_SPRING_FORCE_FIELDS(DV_MEMBER)
  dvSprings springs;
  dvField *watched[3];   // springs made from these fields follow them
  uint32_t seen;
  bool waiting;    // for a state that stands further down and is not initialised yet
  dvPairs pairs;   // springs that are not made from a mesh follow their points
  dvBonds bonds;   // those that are follow it
} dvSpringForce;

extern const dvFieldBlock dv_spring_force_block;
extern const dvForceOps dv_spring_force_ops;

// Finds the two states and checks that they are of one type; the list is empty then.
dvStatus dv_spring_force_begin(dvObject *o);
// Appends the springs of the field `spring`.
dvStatus dv_spring_force_add_given(dvSpringForce *f);
// Checks the list, prepares products and shows the list in the fields.
dvStatus dv_spring_force_end(dvObject *o);
void dv_spring_force_destroy(dvObject *o);
// For springs that are not made from a mesh, whenever the list was filled: each stays with its two points, and goes
// with one of them.
void dv_spring_force_follow(dvSpringForce *f);
void dv_spring_force_topology_changed(dvObject *o);
// For springs that are made from a mesh, when those that a batch concerns were made again; false: settle all.
bool dv_spring_force_patch_bonds(dvSpringForce *f, dvTopology *mesh);

// Distance of two points of a vector, in the numbers that springs see.
double dv_spring_distance(const dvDof *dof, const double *x, int32_t a, int32_t b);

// Pairs of points without regard to their order, each with a value.
typedef struct dvPairMap {
  struct dvPairEntry {
    int32_t low, high;   // low < 0: free
    int32_t value[2];
  } * entries;
  size_t capacity, count;
} dvPairMap;

// The value of a pair; *fresh tells whether it was not there and has just been added, with zeros.
int32_t *dv_pair_map_get(dvPairMap *map, int32_t a, int32_t b, bool *fresh);
void dv_pair_map_free(dvPairMap *map);

#endif
