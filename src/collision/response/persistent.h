// Contact points that stay on their surfaces as long as the contact sticks. See persistent.c.
#ifndef DV_COLLISION_RESPONSE_PERSISTENT_H
#define DV_COLLISION_RESPONSE_PERSISTENT_H

#include "collision/response/response.h"
#include "mechanics/component.h"

// A point of a contact that stuck in the last step, in the coordinates of the element that it lies on.
typedef struct dvKeptPoint {
  uint64_t pair, id;    // of the two models, and of the contact between them
  int32_t element[2];   // of the contact
  int64_t side;         // 0 or 1: on which of the two models it lies
  double at[DV_HELD];   // see dv_contact_anchor_where
} dvKeptPoint;

typedef struct dvPersistentMapping dvPersistentMapping;

// The mapping that keeps the points of contacts on a model; NULL: none does.
dvPersistentMapping *dv_persistent_find(const dvCollisionModel *model);
// The point of a contact as it was kept; NULL when it did not stick in the last step.
const dvKeptPoint *dv_persistent_get(const dvPersistentMapping *m, uint64_t pair, int side, const dvContact *c);
// All that are kept; the pointer lives until the next step.
const dvKeptPoint *dv_persistent_points(const dvPersistentMapping *m, size_t *count);
void dv_persistent_put(dvPersistentMapping *m, const dvKeptPoint *point);
void dv_persistent_forget(dvPersistentMapping *m, uint64_t pair, int side);

#endif
