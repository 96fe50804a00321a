// What collision models have in common: primitives of one shape, their boxes, and a tree over them.
#ifndef DV_COLLISION_MODEL_H
#define DV_COLLISION_MODEL_H

#include "collision/cube_tree.h"
#include "state/state.h"

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
  X(bool, moving, "1", "", "the model moves; the boxes of one that does not are computed once")                 \
  X(bool, simulated, "1", "", "the model is driven by a simulation; two that are not are never tested")         \
  X(bool, selfCollision, "0", "", "test the model against itself")                                              \
  X(real, contactDistance, "0", "m", "distance added to that of the intersection method", .alias = "proximity") \
  X(real, contactStiffness, "10", "N/m", "stiffness of penalty contacts")                                       \
  X(real, contactFriction, "0", "", "friction coefficient")                                                     \
  X(real, contactRestitution, "0", "", "no effect: contacts are inelastic, as in SOFA", .flags = DV_IDLE)       \
  X(string, contactResponse, "", "", "kind of response; the contact manager's by default")                      \
  X(color, color, "1 0 0 1", "", "colour of the model", .flags = DV_LOOKS)                                      \
  X(ints, group, "", "", "groups; models that share one are not tested against each other")                     \
  X(int, numberOfContacts, "0", "", "contacts in the last step", .flags = DV_READ_ONLY)                         \
  X(link, previous, "", "", "coarser model", .role = DV_ROLE_COLLISION_MODEL, .flags = DV_HIDDEN)               \
  X(link, next, "", "", "finer model", .role = DV_ROLE_COLLISION_MODEL, .flags = DV_HIDDEN)                     \
  X(link, collisionElementActiver, "", "", "component that switches elements on and off", .flags = DV_HIDDEN)

// Corners and edges of a triangle that it stands for: the first triangle at each takes it.
// DV_CORNER << i is corner i, DV_SIDE << i the edge opposite to it, DV_RIM << i that edge if no other triangle has it.
enum { DV_CORNER = 1, DV_SIDE = 8, DV_RIM = 64 };

// Unit normals of a closed surface, three numbers each.
typedef struct dvSurfaceNormals {
  DV_ARRAY(double) triangles, points;
} dvSurfaceNormals;

typedef struct dvCollisionModel {
  dvObject base;
  DV_COLLISION_MODEL_FIELDS(DV_MEMBER)
  dvState *state;              // positions of the elements
  const char *primitives;      // what its elements are called: "triangles"
  dvInts elements;             // points of each element, 1 to 4; width 0 where every point is an element
  const dvReals *radii;        // of the elements, NULL where they have none
  const dvReals *lengths;      // half lengths of bricks, three each; lengths of capsules on frames, cylinders and rays
  const dvReals *axes;         // of cylinders, in their frames; of rays; NULL: capsules on frames lie along y
  struct dvTopology *mesh;     // of the elements, NULL where they have none
  size_t from_quads;           // triangles from here on are halves of quads, two each
  DV_ARRAY(uint16_t) flags;    // of the triangles: what each stands for
  const bool *both_sides;      // contacts on both sides of its elements count
  const bool *point_normals;   // its points have normals, those of the triangles around them; NULL: they have none
  // what lies around what in the mesh, for those who test elements in threads: dv_collision_model_look_around
  const dvInts *mesh_edges, *mesh_triangles;
  const dvSurfaceNormals *surface;   // for rays; NULL: it has none
  const struct dvIncidence *edges_at_point, *triangles_at_point, *triangles_at_edge;
  // kept up to date by the pipeline
  const double *x;         // positions now, `stride` numbers from one to the next
  const double *x_ahead;   // where a method that looks ahead expects them at the end of the step; NULL: where they are
  size_t stride;
  dvShape shape;
  dvBox box;   // of all
  DV_ARRAY(dvBox) boxes, boxes_ahead;
  DV_ARRAY(double) ahead;   // storage for x_ahead
  dvCubeTree tree;
  int depth;
  bool stale;   // the tree has not followed the boxes yet
} dvCollisionModel;

typedef struct dvCollisionModelOps {
  dvShape shape;
  // Boxes of its primitives at the positions `x`, larger by `margin` on all sides.
  void (*boxes)(const dvCollisionModel *m, double margin, dvBox *out);
  // May two of its elements touch, where a model is tested against itself or others of its node? NULL: always.
  bool (*may_touch)(const dvCollisionModel *m, int32_t element, const dvCollisionModel *other, int32_t element2);
} dvCollisionModelOps;

extern const dvFieldBlock dv_collision_model_block;
// Finds the state of the node or above.
dvStatus dv_collision_model_init(dvObject *o);
void dv_collision_model_destroy(dvObject *o);
// For dvClass: what a model remembers.
void dv_collision_model_remember(dvObject *o, dvMemoryStream *s);
bool dv_collision_model_restored(dvObject *o);
size_t dv_collision_model_count(const dvObject *o);   // of its elements
// Takes the positions of now; the boxes follow. The tree, of at most this depth, is made; one that is there follows
// when somebody is near (dv_collision_model_grow).
void dv_collision_model_refit(dvCollisionModel *m, int depth);
void dv_collision_model_grow(dvCollisionModel *m);

// Makes what lies around its elements known, for this step.
void dv_collision_model_look_around(dvCollisionModel *m);

static inline const dvCollisionModelOps *dv_collision_model_ops(const dvCollisionModel *m)
{
  return (const dvCollisionModelOps *)dv_ops(&m->base, DV_ROLE_COLLISION_MODEL);
}
static inline const double *dv_collision_point(const dvCollisionModel *m, int32_t point)
{
  return m->x + (size_t)point * m->stride;
}
// The k-th point of an element.
static inline const double *dv_element_point(const dvCollisionModel *m, int32_t element, int k)
{
  int32_t width = m->elements.width;
  return dv_collision_point(m, width ? m->elements.data[element * width + k] : element);
}

DV_PUBLIC_END

#endif
