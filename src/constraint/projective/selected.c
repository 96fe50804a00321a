// See selected.h.
#include "constraint/projective/selected.h"

void dv_selected_free(dvSelected *s) { dv_ints_free(&s->points); }

void dv_project_nothing(dvObject *o, int id, double time)
{
  DV_UNUSED(o);
  DV_UNUSED(id);
  DV_UNUSED(time);
}

static bool exists(int32_t index, size_t count) { return index >= 0 && (size_t)index < count; }

static void check(dvSelected *s, const dvObject *o, const dvInts *given, size_t count)
{
  size_t bad = 0, first = 0;
  for (size_t i = 0; i < given->count; i++)
    if (!exists(given->data[i], count) && bad++ == 0) first = i;
  dv_ints_share(&s->points, given);
  if (bad == 0) return;
  const char *name = dv_field_name(s->field->desc);
  if (count == 0) dv_field_warning(o, given, NULL, "%s: the state has no points; nothing is held", name);
  else
    dv_field_warning(o, given, NULL,
                     "%s: entry %zu is %d, but there are %zu points (0 to %zu); %zu of %zu entries are left out", name,
                     first, given->data[first], count, count - 1, bad, given->count);
  int32_t *points = dv_ints_edit(&s->points);
  size_t kept = 0;
  for (size_t i = 0; i < given->count; i++)
    if (exists(points[i], count)) points[kept++] = points[i];
  s->points.count = kept;
}

const dvInts *dv_selected(dvSelected *s, const dvObject *o, const dvInts *member, size_t count)
{
  bool first = !s->field;
  if (first) s->field = dv_field_of(o, member);
  if (!first && s->field->counter == s->counter && s->count == count) return &s->points;
  s->counter = s->field->counter;
  s->count = count;
  check(s, o, member, count);
  return &s->points;
}
