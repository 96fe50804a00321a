// See response.h.
#include "collision/response/response.h"

static size_t *slot_of(dvDeepest *d, const dvContactList *list, uint64_t id)
{
  size_t mask = d->slots.count - 1, at = (size_t)(id * 0x9e3779b97f4a7c15u >> 17) & mask;
  while (d->slots.data[at] && list->contacts.data[d->slots.data[at] - 1].id != id) at = (at + 1) & mask;
  return &d->slots.data[at];
}

void dv_deepest_find(dvDeepest *d, const dvContactList *list)
{
  size_t count = list->contacts.count, room = 16;
  while (room < 2 * count) room *= 2;
  dv_array_resize(&d->slots, room);
  dv_array_resize(&d->dropped, count);
  memset(d->slots.data, 0, room * sizeof *d->slots.data);
  memset(d->dropped.data, 0, count);
  for (size_t i = 0; i < count; i++) {
    size_t *slot = slot_of(d, list, list->contacts.data[i].id);
    if (*slot && list->contacts.data[*slot - 1].distance <= list->contacts.data[i].distance) {
      d->dropped.data[i] = 1;
      continue;
    }
    if (*slot) d->dropped.data[*slot - 1] = 1;
    *slot = i + 1;
  }
  d->kept.count = 0;
  for (size_t i = 0; i < count; i++)
    if (!d->dropped.data[i]) dv_push(&d->kept, i);
}

void dv_deepest_free(dvDeepest *d)
{
  dv_array_free(&d->kept);
  dv_array_free(&d->slots);
  dv_array_free(&d->dropped);
}
