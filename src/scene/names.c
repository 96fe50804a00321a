// See names.h. Open addressing, at most half full.
#include "scene/names.h"

#include <string.h>

// where the name stands, or would
static size_t slot_of(const dvNames *n, const char *name)
{
  size_t at = (size_t)dv_hash_bytes(name, strlen(name), 0) & (n->capacity - 1);
  while (n->slots[at] && !dv_same(n->slots[at]->name, name)) at = (at + 1) & (n->capacity - 1);
  return at;
}

static void grow(dvNames *n)
{
  dvNames larger = {.capacity = n->capacity ? 2 * n->capacity : 16};
  larger.slots = dv_alloc(larger.capacity * sizeof *larger.slots);
  for (size_t i = 0; i < n->capacity; i++)
    if (n->slots[i]) larger.slots[slot_of(&larger, n->slots[i]->name)] = n->slots[i];
  larger.count = n->count;
  dv_free(n->slots);
  *n = larger;
}

void dv_names_add(dvNames *n, dvObject *o)
{
  if (2 * n->count >= n->capacity) grow(n);
  size_t at = slot_of(n, o->name);
  if (n->slots[at]) return;
  n->slots[at] = o;
  n->count++;
}

dvObject *dv_names_find(const dvNames *n, const char *name) { return n->count ? n->slots[slot_of(n, name)] : NULL; }

void dv_names_free(dvNames *n)
{
  dv_free(n->slots);
  *n = (dvNames){0};
}
