// Collision: who touches whom, and what follows. One table for each kind of component.
//
//   pipeline        dvCollisionOps (object/roles.h): runs the others once a step, owns the live group of responses
//   model           dvCollisionModelOps: primitives of one shape and a tree of boxes over them (model.h)
//   broad phase     dvBroadPhaseOps: pairs of models whose boxes meet
//   narrow phase    dvNarrowPhaseOps: for such a pair, the contacts between their primitives
//   intersection    dvIntersectionOps: distances, and a table of shape pairs that says which primitives touch, and
//   where contact manager dvContactManagerOps: keeps one response for each pair of models in contact, as long as it
//   lasts response        dvResponseOps: states, mappings, forces or constraints that act between the two, all live
//   group manager   dvGroupManagerOps: which bodies are solved together
//
// Everything is kept in lists whose order follows from the order of models and elements, never from addresses or
// threads. All memory belongs to the pipeline or to the component that fills it and is kept from step to step.
#ifndef DV_COLLISION_COLLISION_H
#define DV_COLLISION_COLLISION_H

#include "collision/model.h"
#include "scene/live.h"

DV_PUBLIC_BEGIN

// --- contacts ---

// Two primitives that are close.
typedef struct dvContact {
  int32_t element[2];     // of the first and of the second model
  double point[2][3];     // where they are closest, on each
  double normal[3];       // unit vector from the first to the second
  double distance;        // along the normal between the points, less the contact distances; negative when too close
  double weights[2][3];   // of the points of each element that give `point`; they sum to 1. Not for shapes without
  uint64_t id;            // the same as long as both elements stay close
} dvContact;

// All contacts between two models, in the order in which the narrow phase finds them.
typedef struct dvContactList {
  dvCollisionModel *model[2];
  DV_ARRAY(dvContact) contacts;
} dvContactList;

// Those of a step, in the order in which pairs of models were found. `used` of them.
typedef struct dvContactLists {
  DV_ARRAY(dvContactList) lists;
  size_t used;
} dvContactLists;

// An empty list for two models, at the end. The pointer lives until the next call.
dvContactList *dv_contact_lists_add(dvContactLists *all, dvCollisionModel *first, dvCollisionModel *second);
void dv_contact_lists_clear(dvContactLists *all);   // keeps the memory
void dv_contact_lists_free(dvContactLists *all);

// --- phases ---

typedef struct dvModelPair {
  dvCollisionModel *model[2];   // the same twice: self-collision
} dvModelPair;

typedef struct dvModelPairs {
  dvModelPair *data;
  size_t count, capacity;
} dvModelPairs;

typedef struct dvModelList {
  dvCollisionModel **data;   // active ones, in the order of the graph
  size_t count, capacity;
} dvModelList;

// Whether two models may be tested at all: groups, moving, simulated, activity, self-collision.
bool dv_models_may_touch(const dvCollisionModel *a, const dvCollisionModel *b);

typedef struct dvBroadPhaseOps {
  // Adds the pairs of models that may touch and whose boxes are within `margin` of each other.
  dvStatus (*pairs)(dvObject *o, const dvModelList *models, double margin, dvModelPairs *out);
} dvBroadPhaseOps;

typedef struct dvNarrowPhaseOps {
  // Adds the contacts of the pairs; a pair without contacts adds no list.
  dvStatus (*contacts)(dvObject *o, dvObject *intersection, const dvModelPairs *pairs, dvContactLists *out);
} dvNarrowPhaseOps;

// --- intersection ---

// A primitive of one of two models.
typedef struct dvPrimitive {
  const dvCollisionModel *model;
  int32_t element;
} dvPrimitive;

// What an intersection method does with primitives of two shapes; the first is never the larger in the order of dvShape
// (dv_shape_pair swaps).
typedef struct dvShapePair {
  dvShape first, second;
  // May they touch? A quick test, for the leaves of trees; NULL: always ask for contacts.
  bool (*may)(const dvObject *intersection, dvPrimitive a, dvPrimitive b);
  // Adds their contacts; how many.
  int (*contacts)(const dvObject *intersection, dvPrimitive a, dvPrimitive b, dvContactList *out);
} dvShapePair;

typedef struct dvIntersectionOps {
  const dvShapePair *pairs;   // ends with {0}
  // Primitives are looked at within the alarm distance, and kept within the contact distance; both without what models
  // add.
  void (*distances)(const dvObject *o, double *alarm, double *contact);
  // Boxes of models must contain the way from the last positions to the free ones (continuous detection).
  bool continuous;
  void (*begin)(dvObject *o, const dvModelList *models);   // of a step; optional
  // After the primitives of a pair of models were tested: drops and merges what belongs together; optional.
  void (*filter)(dvObject *o, dvContactList *list);
} dvIntersectionOps;

// The entry for two models, NULL when the method has none; *swapped tells that the second model comes first in it.
const dvShapePair *dv_shape_pair(const dvObject *intersection, const dvCollisionModel *a, const dvCollisionModel *b,
                                 bool *swapped);

// --- response ---

// A response is an object of the pipeline's live group (not itself in a plan): it brings in what acts.
typedef struct dvResponseOps {
  // The contacts of this step, of the models it was made for. Called every step as long as there are any.
  dvStatus (*update)(dvObject *o, dvLiveGroup *live, const dvContactList *contacts);
  // Adds what acts to the live part, below `node`: forces and constraints there, mappings and states with the models.
  void (*attach)(dvObject *o, dvLiveGroup *live, dvNode *node);
  void (*end)(dvObject *o, dvLiveGroup *live);   // no contacts any more: everything goes back to the pool
} dvResponseOps;

// What a response is made with.
typedef struct dvResponse {
  dvObject base;
  dvCollisionModel *model[2];
  long since;   // step of its first contact
} dvResponse;

typedef struct dvContactManagerOps {
  // Makes, updates and ends responses so that there is one for each list; *out gets them in the order of the lists.
  dvStatus (*respond)(dvObject *o, dvLiveGroup *live, const dvContactLists *lists, dvResponse ***out, size_t *count);
} dvContactManagerOps;

typedef struct dvGroupManagerOps {
  // The node that each response is attached to; `scene_node` is that of the pipeline.
  dvStatus (*group)(dvObject *o, dvResponse *const *responses, size_t count, dvNode *scene_node, dvNode **nodes);
} dvGroupManagerOps;

// How a model holds points of contacts: a live state of points and a live mapping from the model's state, which carries
// forces and constraints back. `points` are positions now, `elements` where they lie; made anew every step.
typedef struct dvContactAnchor {
  dvState *state;      // the live one, or the model's own where the points are its degrees of freedom
  dvObject *mapping;   // NULL then
} dvContactAnchor;

typedef struct dvCollisionModelOps {
  dvShape shape;
  // Boxes of its primitives for the positions `x`, and for those of `x_end` too when that is not -1 (continuous).
  void (*boxes)(const dvObject *o, int x, int x_end, dvBox *out);
  dvStatus (*anchor)(dvObject *o, dvLiveGroup *live, const int32_t *elements, const double *points, size_t count,
                     dvContactAnchor *out);
} dvCollisionModelOps;

// Who touches whom, after a step: for hosts, the viewer, listeners.
typedef struct dvTouch {
  const dvCollisionModel *model[2];
  const dvContact *contacts;
  size_t count;
  double force;   // N, the sum of what acts along the normals in the last step
  long since;     // step
} dvTouch;

DV_PUBLIC_END

#endif
