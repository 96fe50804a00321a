// See address_map.h.
#include "base/address_map.h"

// the slot of a key, or the free one where it would go
static size_t slot_of(const dvAddressMap *m, const void *address, size_t part)
{
  uint64_t key = ((uintptr_t)address >> 4) * 0x9e3779b97f4a7c15u + part * 0xbf58476d1ce4e5b9u;
  size_t mask = m->slots.count - 1, slot = (size_t)((key ^ key >> 29) * 0x94d049bb133111ebu >> 24) & mask;
  for (;; slot = (slot + 1) & mask) {
    const dvAddressSlot *s = &m->slots.data[slot];
    if (!s->address || (s->address == address && s->part == part)) return slot;
  }
}

int32_t dv_address_map_find(const dvAddressMap *m, const void *address, size_t part)
{
  if (m->used == 0) return -1;
  const dvAddressSlot *s = &m->slots.data[slot_of(m, address, part)];
  return s->address ? s->value : -1;
}

// at most half full, so that a search ends soon
static void grow(dvAddressMap *m)
{
  dvAddressMap larger = {.used = m->used};
  dv_array_resize(&larger.slots, dv_max_size(16, 2 * m->slots.count));
  for (size_t i = 0; i < m->slots.count; i++) {
    const dvAddressSlot *s = &m->slots.data[i];
    if (s->address) larger.slots.data[slot_of(&larger, s->address, s->part)] = *s;
  }
  dv_array_free(&m->slots);
  *m = larger;
}

int32_t *dv_address_map_at(dvAddressMap *m, const void *address, size_t part)
{
  if (2 * (m->used + 1) > m->slots.count) grow(m);
  dvAddressSlot *s = &m->slots.data[slot_of(m, address, part)];
  if (!s->address) {
    *s = (dvAddressSlot){address, part, -1};
    m->used++;
  }
  return &s->value;
}

void dv_address_map_clear(dvAddressMap *m)
{
  if (m->used) memset(m->slots.data, 0, m->slots.count * sizeof *m->slots.data);
  m->used = 0;
}

void dv_address_map_free(dvAddressMap *m)
{
  dv_array_free(&m->slots);
  m->used = 0;
}
