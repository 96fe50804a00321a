// What collision models have in common. Detection is not part of this version: they hold what it will need.
#ifndef DV_COLLISION_MODEL_H
#define DV_COLLISION_MODEL_H

#include "state/state.h"
#include "topology/search/box_tree.h"

DV_PUBLIC_BEGIN

// Shapes of primitives, in the order in which tables of pairs have them.
typedef enum dvShape {
  DV_SHAPE_NONE,
  DV_SHAPE_POINT,
  DV_SHAPE_LINE,
  DV_SHAPE_TRIANGLE,
  DV_SHAPE_TETRAHEDRON,
  DV_SHAPE_SPHERE,
  DV_SHAPE_CAPSULE,
  DV_SHAPE_CYLINDER,
  DV_SHAPE_BRICK,   // an oriented box
  DV_SHAPE_RAY,
  DV_SHAPE_CUBE,       // an axis-aligned box
  DV_SHAPE_DISTANCE,   // a field of distances
  DV_SHAPE_COUNT
} dvShape;

#define DV_COLLISION_MODEL_FIELDS(X)                                                                            \
  X(bool, active, "1", "", "take part in collision detection")                                                  \
  X(bool, moving, "1", "", "the model moves; two that do not are never tested against each other")              \
  X(bool, simulated, "1", "", "the model is driven by a simulation; two that are not are never tested")         \
  X(bool, selfCollision, "0", "", "test the model against itself")                                              \
  X(real, contactDistance, "0", "m", "distance added to that of the intersection method", .alias = "proximity") \
  X(real, contactStiffness, "10", "N/m", "stiffness of penalty contacts")                                       \
  X(real, contactFriction, "0", "", "friction coefficient")                                                     \
  X(real, contactRestitution, "0", "", "restitution coefficient")                                               \
  X(string, contactResponse, "", "", "kind of response; the contact manager's by default")                      \
  X(color, color, "1 0 0 1", "", "colour of the model", .flags = DV_LOOKS)                                      \
  X(ints, group, "", "", "groups; models that share one are not tested against each other")                     \
  X(int, numberOfContacts, "0", "", "contacts in the last step", .flags = DV_READ_ONLY)                         \
  X(link, previous, "", "", "coarser model", .role = DV_ROLE_COLLISION_MODEL, .flags = DV_HIDDEN)               \
  X(link, next, "", "", "finer model", .role = DV_ROLE_COLLISION_MODEL, .flags = DV_HIDDEN)                     \
  X(link, collisionElementActiver, "", "", "component that switches elements on and off", .flags = DV_HIDDEN)

typedef struct dvCollisionModel {
  dvObject base;
  DV_COLLISION_MODEL_FIELDS(DV_MEMBER)
  dvState *state;           // positions of the elements
  const char *primitives;   // what its elements are called: "triangles"
  dvInts elements;          // points of each element, 1 to 3; width 0 where every point is an element
  const dvReals *radii;     // of the elements, NULL where they have none
  // a tree over the boxes of the elements, kept up to date by the pipeline
  dvShape shape;
  dvBox box;   // of all of them
  DV_ARRAY(dvBox) boxes;
  dvBoxTree tree;
} dvCollisionModel;

extern const dvFieldBlock dv_collision_model_block;
// Finds the state of the node or above.
dvStatus dv_collision_model_init(dvObject *o);
size_t dv_collision_model_count(const dvObject *o);   // of its elements

DV_PUBLIC_END

#endif
