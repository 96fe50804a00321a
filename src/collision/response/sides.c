// Points of contacts held on both models of a response. See response.h.
#include "collision/response/response.h"

#include <string.h>

dvStatus dv_contact_sides_place(dvContactSides *s, dvLiveGroup *live, const dvContactList *list, const size_t *which,
                                size_t count)
{
  for (int side = 0; side < 2; side++) {
    dv_array_resize(&s->elements[side], count);
    dv_array_resize(&s->points[side], 3 * count);
    for (size_t i = 0; i < count; i++) {
      const dvContact *c = &list->contacts.data[which[i]];
      s->elements[side].data[i] = c->element[side];
      memcpy(s->points[side].data + 3 * i, c->point[side], sizeof c->point[side]);
    }
    if (!dv_contact_anchor_place(&s->anchor[side], live, list->model[side], s->elements[side].data,
                                 s->points[side].data, count))
      return dv_error(&list->model[side]->base, NULL, "out of memory for %zu contacts", count);
  }
  return DV_OK;
}

int32_t dv_contact_sides_point(const dvContactSides *s, int side, size_t i)
{
  return s->anchor[side].mapping ? (int32_t)i : s->elements[side].data[i];
}

double dv_contact_sides_radius(const dvContactSides *s, const dvContactList *list, int side, size_t i)
{
  const dvReals *radii = list->model[side]->radii;
  return radii && !s->anchor[side].mapping ? radii->data[s->elements[side].data[i]] : 0;
}

void dv_contact_sides_attach(const dvContactSides *s, dvLiveGroup *live)
{
  for (int side = 0; side < 2; side++) dv_contact_anchor_attach(&s->anchor[side], live);
}

void dv_contact_sides_end(dvContactSides *s, dvLiveGroup *live)
{
  for (int side = 0; side < 2; side++) dv_contact_anchor_end(&s->anchor[side], live);
}

void dv_contact_sides_free(dvContactSides *s)
{
  for (int side = 0; side < 2; side++) {
    dv_array_free(&s->elements[side]);
    dv_array_free(&s->points[side]);
  }
}
