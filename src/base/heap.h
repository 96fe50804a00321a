// A heap of numbered items: the one with the smallest key comes out first, of equals the one with the smallest number.
#ifndef DV_BASE_HEAP_H
#define DV_BASE_HEAP_H

#include "base/array.h"

typedef struct dvHeapEntry {
  double key;
  int32_t item;
} dvHeapEntry;

typedef struct dvHeap {
  dvHeapEntry *data;
  size_t count, capacity;
} dvHeap;

void dv_heap_push(dvHeap *h, double key, int32_t item);
dvHeapEntry dv_heap_pop(dvHeap *h);   // of a heap that is not empty
// Freed with dv_array_free.

#endif
