// Numbers by address: which entry of a list belongs to an object, or to a part of it. Looked up only, never walked, so
// that nothing depends on where objects lie in memory. Memory is kept when the map is cleared.
#ifndef DV_BASE_ADDRESS_MAP_H
#define DV_BASE_ADDRESS_MAP_H

#include "base/array.h"

DV_PUBLIC_BEGIN

typedef struct dvAddressSlot {
  const void *address;   // NULL: free
  size_t part;
  int32_t value;
} dvAddressSlot;

typedef struct dvAddressMap {
  DV_ARRAY(dvAddressSlot) slots;   // open addressing, a power of two of them
  size_t used;
} dvAddressMap;

// The value of a part of an object, or -1.
int32_t dv_address_map_find(const dvAddressMap *m, const void *address, size_t part);
// The same as a place to write to; a new one holds -1. The pointer lives until the next call.
int32_t *dv_address_map_at(dvAddressMap *m, const void *address, size_t part);
void dv_address_map_clear(dvAddressMap *m);
void dv_address_map_free(dvAddressMap *m);

DV_PUBLIC_END

#endif
