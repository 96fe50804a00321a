// Collision: who touches whom, and what follows. One table for each kind of component.
//
//   pipeline         dvCollisionOps (object/roles.h): runs the others once a step, owns the live group of responses
//   model            dvCollisionModelOps (model.h): primitives of one shape and a tree of boxes over them
//   broad phase      dvBroadPhaseOps: pairs of models whose boxes meet
//   narrow phase     dvNarrowPhaseOps: for such a pair, the contacts between their primitives
//   intersection     dvIntersectionOps: distances, and a table of shape pairs that says which primitives touch, and
//   where contact manager  dvContactManagerOps: keeps one response for each pair of models in contact, as long as it
//   lasts response         dvResponseOps: states, mappings, forces or constraints that act between the two, all live
//   group manager    dvGroupManagerOps: which bodies are solved together
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
  int32_t element[2];   // of the first and of the second model
  double point[2][3];   // where they are closest, on each
  double normal[3];     // unit vector from the first to the second
  double distance;      // along the normal between the points, less the contact distances; negative when too close
  uint64_t id;          // the same as long as both stay close; of contacts with one id only the deepest is answered
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

// Whether two models may be tested at all: groups, simulated, activity, self-collision.
bool dv_models_may_touch(const dvCollisionModel *a, const dvCollisionModel *b);

typedef struct dvBroadPhaseOps {
  // Adds the pairs of models that may touch and whose boxes are within the alarm distance of each other: every model,
  // in order, with itself and with those before it, the later one first.
  dvStatus (*pairs)(dvObject *o, const dvObject *intersection, const dvModelList *models, dvModelPairs *out);
} dvBroadPhaseOps;

typedef struct dvNarrowPhaseOps {
  // Adds the contacts of the pairs; a pair without contacts adds no list.
  dvStatus (*contacts)(dvObject *o, dvObject *intersection, const dvModelPairs *pairs, dvContactLists *out);
} dvNarrowPhaseOps;

// --- intersection ---

// What two primitives are tested with.
typedef struct dvProximity {
  const dvObject *method;
  const dvCollisionModel *model[2];
  double alarm, contact;   // they are looked at within the one, and pushed apart within the other
} dvProximity;

// What an intersection method does with primitives of two shapes, in this order.
typedef struct dvShapePair {
  dvShape first, second;
  // Adds the contacts of an element of the first and one of the second model. NULL: such pairs are left out.
  void (*contacts)(const dvProximity *p, int32_t first, int32_t second, dvContactList *out);
} dvShapePair;

typedef struct dvIntersectionOps {
  const dvShapePair *pairs;   // ends with {0}
  const dvShapePair *also;    // more of them, for what `pairs` does not have; NULL: none
  // Whether a pair of its table is wanted; NULL: all are.
  bool (*wants)(dvObject *o, const dvShapePair *pair);
  // Distances for two models.
  void (*distances)(const dvObject *o, const dvCollisionModel *a, const dvCollisionModel *b, double *alarm,
                    double *contact);
  bool around;   // it looks at what lies around elements
  // Positions of a model at the end of the step, of a method that looks ahead; NULL: it stays. They live until the
  // next call for the model.
  const double *(*ahead)(const dvObject *o, dvCollisionModel *m, double dt);
} dvIntersectionOps;

// The entry for two models, NULL when the method has none; *swapped tells that the second model comes first in it.
const dvShapePair *dv_shape_pair(const dvObject *intersection, const dvCollisionModel *a, const dvCollisionModel *b,
                                 bool *swapped);
// The same with the distances.
dvProximity dv_proximity(const dvObject *intersection, const dvCollisionModel *a, const dvCollisionModel *b);

// --- response ---

// A response is an object of the pipeline's live group (not itself in a plan): it brings in what acts.
typedef struct dvResponseOps {
  // The contacts of this step, of the models it was made for. Called every step as long as there are any.
  dvStatus (*update)(dvObject *o, dvLiveGroup *live, const dvObject *intersection, const dvContactList *contacts);
  // Adds what acts to the live part, below `node`: forces and constraints there, mappings and states with the models.
  void (*attach)(dvObject *o, dvLiveGroup *live, dvNode *node);
  void (*end)(dvObject *o, dvLiveGroup *live);   // no contacts any more: everything goes back to the pool
  double (*force)(const dvObject *o);            // N, the sum of what acts along the normals; optional
} dvResponseOps;

// First member of every response.
typedef struct dvResponse {
  dvObject base;
  dvCollisionModel *model[2];
  const char *parameters;   // name=value&name=value, of the contact manager or a model
  long since;               // step of its first contact
  size_t list;              // its contacts in the lists of this step
} dvResponse;

typedef struct dvResponses {
  dvResponse **data;
  size_t count, capacity;
} dvResponses;

typedef struct dvContactManagerOps {
  // Makes, updates and ends responses so that there is one for each list that is answered; *out gets them in the order
  // of the lists.
  dvStatus (*respond)(dvObject *o, dvLiveGroup *live, const dvObject *intersection, const dvContactLists *lists,
                      dvResponses *out);
  void (*forget)(dvObject *o);   // the group and its objects are gone
} dvContactManagerOps;

typedef struct dvGroupManagerOps {
  // The node that each response is attached to, NULL where the pipeline decides; `scene_node` is that of the pipeline.
  // Called in every step, also without responses.
  dvStatus (*group)(dvObject *o, const dvResponses *responses, dvNode *scene_node, dvNode **nodes);
} dvGroupManagerOps;

// How a model holds points of contacts: a live state of points and a live mapping from the model's state, which carries
// forces and constraints back; or, where contacts act at the degrees of freedom themselves, the model's own state.
typedef struct dvContactAnchor {
  dvState *state;      // point i of the contacts is its point i, or
  dvObject *mapping;   // NULL: its point elements[i]
} dvContactAnchor;

// Makes the anchor of a model, or places it anew: point i of `points` lies on elements[i]. False when memory is short.
DV_CHECK_RESULT bool dv_contact_anchor_place(dvContactAnchor *a, dvLiveGroup *live, dvCollisionModel *model,
                                             const int32_t *elements, const double *points, size_t count);
void dv_contact_anchor_attach(const dvContactAnchor *a, dvLiveGroup *live);
void dv_contact_anchor_end(dvContactAnchor *a, dvLiveGroup *live);

// --- who touches whom ---

// Two models that touch, as of the last step: for hosts, the viewer, listeners. The pointers live until the next step.
typedef struct dvTouch {
  const dvCollisionModel *model[2];
  const dvContact *contacts;
  size_t count;
  double force;   // N, the sum of what acts along the normals in the last step
  long since;     // step; -1 when nothing answers the contacts
} dvTouch;

// The index-th pair of models in contact, over all pipelines of the scene; false behind the last.
bool dv_scene_touch(const dvScene *scene, size_t index, dvTouch *out);
size_t dv_scene_contacts(const dvScene *scene);   // pairs of primitives in contact after the last step

DV_PUBLIC_END

#endif
