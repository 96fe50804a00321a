// Colours of numbers, and of what the scene chooses none for. See draw_inside.h.
#include "view/draw_inside.h"

#include "view/maps.h"

#include <string.h>

// Bodies for which nobody chose a colour: muted, equally light, and apart for people who see few colours.
static const double palette[][3] = {{0.851, 0.529, 0.455}, {0.416, 0.647, 0.663}, {0.851, 0.718, 0.494},
                                    {0.490, 0.580, 0.769}, {0.576, 0.706, 0.545}, {0.663, 0.498, 0.659},
                                    {0.753, 0.424, 0.310}, {0.561, 0.639, 0.702}};

const double *dv_draw_palette(size_t which) { return palette[which % DV_COUNT(palette)]; }

static bool is_plain(const dvShading *m) { return memcmp(m, &dv_plain_shading, sizeof *m) == 0; }

static void paint(dvShading *m, size_t which)
{
  *m = dv_plain_shading;
  memcpy(m->diffuse, dv_draw_palette(which), 3 * sizeof *m->diffuse);
}

// Lines of the elements of a body whose faces are drawn, too, are a darker tone of it, and its inside stays hidden: a
// net in another colour hides the body.
static void tone_lines(dvDraw *d)
{
  for (size_t i = 0; i < d->list.count; i++) {
    dvDrawable *a = &d->list.data[i];
    if (a->group != DV_DRAW_FORCE_FIELDS || a->kind != DV_DRAW_LINES || a->has_material) continue;
    for (size_t k = 0; k < d->list.count; k++) {
      const dvDrawable *b = &d->list.data[k];
      if (b->object != a->object || b->group != a->group || b->kind != DV_DRAW_TRIANGLES || !b->has_material) continue;
      a->has_material = a->faced = true;
      a->material = b->material;
      for (int c = 0; c < 3; c++) a->material.diffuse[c] *= 0.62;
    }
  }
}

void dv_draw_choose_colours(dvDraw *d)
{
  size_t next[DV_DRAW_GROUPS] = {0};
  for (size_t i = 0; i < d->list.count; i++) {
    dvDrawable *a = &d->list.data[i];
    bool body = a->kind == DV_DRAW_TRIANGLES && (a->group == DV_DRAW_VISUAL || a->group == DV_DRAW_FORCE_FIELDS);
    if ((!body && a->kind != DV_DRAW_BOXES) || a->values >= 0) continue;
    size_t which = next[a->group]++;
    for (size_t k = 0; k < a->parts; k++) {
      dvDrawPart *part = &d->parts.data[a->first_part + k];
      if (is_plain(&part->material) && part->texture < 0) paint(&part->material, which);
    }
    if (a->texture >= 0 || (a->has_material && !is_plain(&a->material))) continue;
    a->has_material = true;
    paint(&a->material, which);
  }
  tone_lines(d);
}

static void choose_map(dvDraw *d, dvDrawable *a, bool tell)
{
  const char *names;
  if (a->values < 0) return;
  dv_map_range(a->object, a->range);
  a->map = dv_map_of(a->object);
  if (!a->map || dv_map_known(a->map, &names) || !tell || dv_draw_told(d, a->map, "colorScheme")) return;
  char *advice = dv_format("one of: %s", names);
  dv_warning((dvObject *)a->map, advice, "there is no such colorScheme: it is drawn as HSV");
  dv_free(advice);
}

void dv_draw_choose_maps(dvDraw *d, bool tell)
{
  for (size_t i = 0; i < d->list.count; i++) choose_map(d, &d->list.data[i], tell);
}
