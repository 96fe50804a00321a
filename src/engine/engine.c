// See engine.h.
#include "engine/engine.h"

#include "topology/search/rays.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_INPUTS = 1000 };

// the number behind a name, 0 when the text is something else
static int number_behind(const char *text, const char *name)
{
  if (!dv_starts_with(text, name) || !isdigit((unsigned char)text[strlen(name)])) return 0;
  char *end;
  long n = strtol(text + strlen(name), &end, 10);
  return *end || n < 1 || n > MAX_INPUTS ? 0 : (int)n;
}

dvStatus dv_engine_add_inputs(dvObject *o, const dvAttributes *a, const dvFieldBlock *likes, int32_t *count)
{
  if (*count < 0 || *count > MAX_INPUTS)
    return dv_field_error(o, count, NULL, "%s %d is not between 0 and %d", dv_field_name(dv_field_of(o, count)->desc),
                          *count, MAX_INPUTS);
  int most = *count;
  for (size_t i = 0; i < a->count && !dv_was_set(o, count); i++)
    for (int k = 0; k < likes->count; k++)
      most = dv_max_int(most, number_behind(a->data[i].name, dv_field_name(&likes->fields[k])));
  for (int i = 1; i <= most; i++)
    for (int k = 0; k < likes->count; k++) dv_object_add_numbered(o, &likes->fields[k], i);
  *count = most;
  return DV_OK;
}

void *dv_engine_numbered(const dvObject *o, const char *name, int number)
{
  char text[64];
  snprintf(text, sizeof text, "%s%d", name, number);
  dvField *f = dv_object_field(o, text);
  return f ? f->value : NULL;
}

static int width_of_template(const char *text)
{
  static const struct {
    const char *part;
    int width;
  } kinds[] = {{"RigidDeriv3", 6}, {"Rigid3", 7},  {"RigidCoord3", 7}, {"Rigid2", 3}, {"RigidCoord2", 3},
               {"RigidDeriv2", 3}, {"Mat4x4", 16}, {"Quat", 4},        {"Edge", 2},   {"Triangle", 3},
               {"Quad", 4},        {"Tetra", 4},   {"Hexa", 8}};
  if (!text) return 1;
  for (size_t i = 0; i < DV_COUNT(kinds); i++)
    if (strstr(text, kinds[i].part)) return kinds[i].width;
  const char *at = strstr(text, "Vec");
  if (at && isdigit((unsigned char)at[3])) return dv_max_int(at[3] - '0', 1);
  at = strstr(text, "fixed_array<");
  at = at ? strchr(at, ',') : NULL;
  return at && isdigit((unsigned char)at[1]) ? dv_max_int(at[1] - '0', 1) : 1;
}

int dv_engine_width(const dvObject *o, const void *member)
{
  const dvField *f = dv_field_of(o, member);
  while (f->source) f = f->source;
  return f->owner == o ? width_of_template(o->template_text) : dv_max_int(f->width, 1);
}

void dv_engine_set_width(const dvObject *o, dvReals *member, int width)
{
  member->width = width;
  dv_field_of(o, member)->width = width;
}

bool dv_engine_add_ints(dvInts *list, const int32_t *values, size_t count)
{
  size_t at = list->count;
  if (!dv_ints_resize(list, at + count)) return false;
  if (count) memcpy(list->data + at, values, count * sizeof *values);
  return true;
}

bool dv_engine_add_reals(dvReals *list, const double *values, size_t count)
{
  size_t at = list->count;
  if (!dv_reals_resize(list, at + count)) return false;
  if (count) memcpy(list->data + at, values, count * sizeof *values);
  return true;
}

dvStatus dv_engine_no_memory(const dvObject *o) { return dv_error(o, "use a coarser mesh", "out of memory"); }

void dv_engine_follow(dvObject *o, const void *member, dvObject *source, const char *name)
{
  dvField *from = source ? dv_object_field(source, name) : NULL, *to = dv_field_of(o, member);
  if (!from || to->was_set || to->source) return;
  if (dv_field_link(to, from, NULL) == DV_OK) to->was_set = false;
}

dvStatus dv_engine_check_field(const dvObject *o, const dvField *f, size_t count, const char *what)
{
  const dvInts *list = f->value;
  for (size_t i = 0; i < list->count; i++)
    if (list->data[i] < 0 || (size_t)list->data[i] >= count)
      return dv_field_error(o, f->value, "indices count from 0", "%s: entry %zu is %d, but there are %zu %s",
                            dv_field_name(f->desc), i, list->data[i], count, what);
  return DV_OK;
}

dvStatus dv_engine_check(const dvObject *o, const dvInts *member, size_t count, const char *what)
{
  return dv_engine_check_field(o, dv_field_of(o, member), count, what);
}

void dv_engine_warn_open(const dvObject *o, const dvInts *triangles, const dvInts *quads)
{
  int32_t first[2];
  size_t open = dv_surface_open_edges(triangles ? triangles->data : NULL, triangles ? triangles->count / 3 : 0,
                                      quads ? quads->data : NULL, quads ? quads->count / 4 : 0, first);
  if (open && open != SIZE_MAX)
    dv_warning(
        o, "join points that stand at the same place, or close the holes with MeshClosingEngine",
        "the surface is not closed: %zu of its edges border on one face only, the first between points %d and %d", open,
        first[0], first[1]);
}
