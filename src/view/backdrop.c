// The picture of a BackgroundSetting: behind everything, in the middle, in its own size; one that is larger than the
// whole picture is made smaller as far as it still covers it. The painters and the page draw it
// (render/shaders/background.frag, viewer/src/view/surroundings.ts).
#include "view/draw_inside.h"

typedef struct Backdrop {
  dvVisitor visitor;
  dvObject *object;   // the last one counts, as for colours
  const char *file;
} Backdrop;

static dvWalk find_backdrop(dvVisitor *v, dvNode *node)
{
  Backdrop *b = (Backdrop *)v;
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    if (!dv_same(o->cls->name, "BackgroundSetting") || o->failed || !o->initialised) continue;
    dvField *f = dv_object_field(o, "image");
    if (!f || f->desc->type != DV_T_FILE) continue;
    dv_field_pull(f);
    const char *name = *(char *const *)f->value;
    b->object = o, b->file = name && *name ? name : NULL;
  }
  return DV_WALK_ON;
}

void dv_backdrop_add(dvDraw *d, bool read)
{
  Backdrop b = {.visitor = {.top_down = find_backdrop}};
  dv_visit(d->scene->root, &b.visitor);
  d->backdrop = b.file ? dv_draw_texture(d, b.object, b.file) : -1;
  if (b.file && d->backdrop < 0 && read && !dv_draw_told(d, b.object, b.file))
    dv_warning(b.object, "name a picture that is there", "%s: there is no such file; the background has its colour",
               b.file);
}
