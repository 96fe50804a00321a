// MergeVisualModels: one visual model with the points and faces of several, one behind the other, as they are at the
// start. A mapping then moves it like any other.
#include "visual/register.h"
#include "visual/visual_model.h"

#include "engine/engine.h"

#define MERGE_FIELDS(X) X(int, nb, "1", "", "number of models to merge: input1, input2 …")

typedef struct Merge {
  dvOglModel ogl;
  MERGE_FIELDS(DV_MEMBER)
} Merge;

#define SELF Merge
static const dvFieldDesc merge_fields[] = {MERGE_FIELDS(DV_DESCRIBE)};
#undef SELF
static const dvFieldDesc merge_inputs[] = {{.name = "input",
                                            .type = DV_T_LINK,
                                            .width = 1,
                                            .initial = "",
                                            .unit = "",
                                            .help = "a visual model",
                                            .role = DV_ROLE_VISUAL}};

static const dvFieldBlock merge_block = {merge_fields, (int)DV_COUNT(merge_fields)};

static dvStatus merge_parse(dvObject *o, dvAttributes *a)
{
  DV_TRY(dv_engine_add_inputs(o, a, DV_BLOCK(merge_inputs), &((Merge *)o)->nb));
  return dv_visual_classes[0].parse(o, a);
}

// the n-th model; NULL, after a message, when it is none
static dvVisualModel *input(Merge *m, int number)
{
  dvObject *o = &m->ogl.model.base.state.base;
  const dvLink *link = dv_engine_numbered(o, "input", number);
  dvObject *from = link ? link->target : NULL;
  if (from && from != o && from->cls->init == dv_visual_classes[0].init && dv_object_ensure(from) == DV_OK)
    return (dvVisualModel *)from;
  dv_error(o, "give input1=\"@model\" and so on, as many as nb says", "input%d is no visual model", number);
  return NULL;
}

static bool add_faces(dvInts *to, const dvInts *from, size_t shift)
{
  const size_t before = to->count;
  if (!dv_engine_add_ints(to, from->data, from->count)) return false;
  int32_t *face = dv_ints_edit(to);
  for (size_t i = before; i < to->count; i++) face[i] += (int32_t)shift;
  return true;
}

static dvStatus merge_init(dvObject *o)
{
  Merge *m = (Merge *)o;
  dvVisualModel *v = &m->ogl.model;
  size_t points = 0;
  v->base.position.count = v->triangles.count = v->quads.count = v->edges.count = v->texcoords.count = 0;
  bool good = true, textured = true;
  for (int i = 1; i <= m->nb && good; i++) {
    dvVisualModel *from = input(m, i);
    if (!from) return DV_ERROR_INPUT;
    dv_pull(&from->base.state.base, &from->base.normal);
    const dvReals *x = dv_visual_vertices(from);
    const size_t count = dv_reals_size(x);
    textured = textured && dv_reals_size(&from->texcoords) == count;
    good = dv_engine_add_reals(&v->base.position, x->data, x->count) &&
           add_faces(&v->triangles, &from->triangles, points) && add_faces(&v->quads, &from->quads, points) &&
           add_faces(&v->edges, &from->edges, points) &&
           (!textured || dv_engine_add_reals(&v->texcoords, from->texcoords.data, from->texcoords.count));
    points += count;
  }
  if (!textured) v->texcoords.count = 0;
  if (!good || points > INT32_MAX) return dv_engine_no_memory(o);
  dv_field_of(o, &v->triangles)->was_set = true;   // these are its faces, also when a topology stands beside it
  return dv_visual_classes[0].init(o);
}

void dv_register_merge_visual(dvRegistry *r)
{
  dvClass *cls = dv_alloc(sizeof *cls);   // an OglModel with another beginning
  *cls = dv_visual_classes[0];
  cls->name = "MergeVisualModels";
  cls->help = "one visual model made of several";
  cls->size = sizeof(Merge);
  cls->blocks[4] = &merge_block;
  cls->parse = merge_parse;
  cls->init = merge_init;
  dv_push(&r->owned, cls);
  dv_registry_add(r, cls);
}
