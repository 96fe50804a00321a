// What responses share.
#ifndef DV_COLLISION_RESPONSE_RESPONSE_H
#define DV_COLLISION_RESPONSE_RESPONSE_H

#include "collision/collision.h"

// Of the contacts with one number the deepest, the first of equals; in the order of the list.
typedef struct dvDeepest {
  DV_ARRAY(size_t) kept;
  DV_ARRAY(size_t) slots;   // 1 + place in the list by number, open addressing; 0: free
  DV_ARRAY(uint8_t) dropped;
} dvDeepest;

void dv_deepest_find(dvDeepest *d, const dvContactList *list);
void dv_deepest_free(dvDeepest *d);

#endif
