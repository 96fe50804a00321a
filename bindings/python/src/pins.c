// Links that stay with what they lead to. See pins.h.
#include "pins.h"

typedef struct Take {
  dvVisitor visitor;
  Pins *pins;
} Take;

static void take_text(Pins *pins, dvObject *o, char **text)
{
  if (!*text || **text != '@') return;
  char *field = NULL;
  dvObject *target = dv_link_split(o, *text, &field);
  if (target) dv_push(pins, ((Pin){o, text, target, field}));
  else dv_free(field);
}

static void take_object(Pins *pins, dvObject *o)
{
  for (size_t i = 0; i < o->attributes.count; i++)
    if (dv_same(o->attributes.data[i].name, "src")) take_text(pins, o, &o->attributes.data[i].value);
  for (int i = 0; i < o->field_count; i++) {
    dvField *f = &o->fields[i];
    take_text(pins, o, &f->link);
    if (f->desc->type == DV_T_LINK) take_text(pins, o, &((dvLink *)f->value)->path);
    dvLinks *links = f->desc->type == DV_T_LINKS ? f->value : NULL;
    for (size_t k = 0; links && k < links->count; k++) take_text(pins, o, &links->data[k].path);
  }
}

static dvWalk take_node(dvVisitor *v, dvNode *node)
{
  Pins *pins = ((Take *)v)->pins;
  take_object(pins, &node->base);
  for (size_t i = 0; i < node->objects.count; i++) take_object(pins, node->objects.data[i]);
  return DV_WALK_ON;
}

void pins_take(Pins *pins, dvNode *top)
{
  Take take = {{.top_down = take_node, .everything = true}, pins};
  dv_visit(top, &take.visitor);
}

static const dvScene *scene_of(const dvObject *o)
{
  const dvNode *node = dv_plays(o, DV_ROLE_NODE) ? (const dvNode *)o : o->node;
  return node ? node->scene : NULL;
}

void pins_keep(Pins *pins)
{
  for (size_t i = 0; i < pins->count; i++) {
    Pin *p = &pins->data[i];
    char *field = NULL;
    if (scene_of(p->target) == scene_of(p->owner) && dv_link_split(p->owner, *p->text, &field) != p->target) {
      char *path = dv_object_path(p->target);
      dv_free(*p->text);
      *p->text = p->field ? dv_format("@%s.%s", path, p->field) : dv_format("@%s", path);
      dv_free(path);
    }
    dv_free(field);
    dv_free(p->field);
  }
  dv_array_free(pins);
}
