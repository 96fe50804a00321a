// Tells which of SOFA's mistakes a scene touches. See lint.h.
#include "app/lint.h"

#include "object/compat.h"

typedef struct Touched {
  dvVisitor visitor;
  int count[DV_COMPAT_COUNT];
  const dvObject *first[DV_COMPAT_COUNT];
} Touched;

static void collect_object(Touched *t, const dvObject *o)
{
  for (int id = 0; id < DV_COMPAT_COUNT && o->compat_cases; id++)
    if (dv_compat_touched(o, (dvCompatId)id) && t->count[id]++ == 0) t->first[id] = o;
}

static dvWalk collect_node(dvVisitor *v, dvNode *node)
{
  Touched *t = (Touched *)v;
  collect_object(t, &node->base);
  for (size_t i = 0; i < node->objects.count; i++) collect_object(t, node->objects.data[i]);
  return DV_WALK_ON;
}

// Where an iteration begins or in which order it goes, last digits: what comes out is the same within a tolerance.
static bool is_minor(int id)
{
  return id == DV_COMPAT_LATE_GUESS || id == DV_COMPAT_UNBUILT_GUESS || id == DV_COMPAT_PAIR_ORDER ||
         id == DV_COMPAT_MOVED_THRICE;
}

int dv_scene_tell_compat(dvScene *scene, bool minor)
{
  Touched t = {.visitor = {.top_down = collect_node}};
  dv_visit(scene->root, &t.visitor);
  int told = 0;
  for (int id = 0; id < DV_COMPAT_COUNT; id++) {
    if (!t.count[id] || (is_minor(id) && !minor)) continue;
    const dvCompatCase *c = &dv_compat_cases[id];
    dvText text = {0};
    dv_text_printf(&text, t.first[id]->as_sofa ? "as SOFA (%s" : "differs from SOFA on purpose (%s", c->name);
    if (t.count[id] > 1) dv_text_printf(&text, ", %d components", t.count[id]);
    if (t.first[id]->as_sofa) dv_text_printf(&text, "): %s; without --compat sofa: %s", c->wrong, c->right);
    else dv_text_printf(&text, "): %s; --compat sofa for SOFA's: %s", c->right, c->wrong);
    dv_note(t.first[id], "%s", text.text);
    dv_text_free(&text);
    told++;
  }
  return told;
}
