// See attribute_order.h.
#include "io/scene/attribute_order.h"

#include <string.h>

static bool is_several(const dvObject *o, const dvAttribute *a) { return dv_object_field_nth(o, a->name, 1) != NULL; }

// whether attribute i applies before attribute j
static bool is_before(const dvObject *o, size_t i, size_t j, bool as_sofa)
{
  const dvAttribute *a = &o->attributes.data[i], *b = &o->attributes.data[j];
  if (as_sofa) return strcmp(a->name, b->name) < 0;
  bool many = is_several(o, a), other = is_several(o, b);
  return many != other ? many : i < j;
}

void dv_attribute_order(const dvObject *o, size_t *order)
{
  for (size_t i = 0; i < o->attributes.count; i++) {   // few: each goes to its place among those before
    size_t at = i;
    for (; at > 0 && is_before(o, i, order[at - 1], o->as_sofa); at--) order[at] = order[at - 1];
    order[at] = i;
  }
}

static const dvField *common_field(const dvObject *o, const dvAttribute *a, const dvAttribute *b)
{
  const dvField *f, *g;
  for (int i = 0; (f = dv_object_field_nth(o, a->name, i)); i++)
    for (int k = 0; (g = dv_object_field_nth(o, b->name, k)); k++)
      if (f == g) return f;
  return NULL;
}

bool dv_attribute_conflict(const dvObject *o, size_t *first, dvAttributeConflict *out)
{
  size_t n = o->attributes.count;
  for (size_t at = *first; at < n * n; at++) {
    size_t i = at / n, j = at % n;
    const dvField *f = i < j ? common_field(o, &o->attributes.data[i], &o->attributes.data[j]) : NULL;
    if (!f) continue;
    bool later = is_before(o, i, j, o->as_sofa);
    *out = (dvAttributeConflict){&o->attributes.data[later ? j : i], &o->attributes.data[later ? i : j], f,
                                 later != is_before(o, i, j, !o->as_sofa)};
    *first = at + 1;
    return true;
  }
  return false;
}
