// Second pictures inside the first (OglViewport), and lenses that bend it. See looks.h.
#include "view/looks.h"

#include "base/text.h"

#include <math.h>

static const double *vector_of(dvObject *o, const char *name, int width)
{
  dvField *f = dv_object_field(o, name);
  if (!f || f->desc->type != DV_T_VEC || f->width != width) return NULL;
  dv_field_pull(f);
  return f->value;
}

static double number_of(dvObject *o, const char *name)
{
  dvField *f = dv_object_field(o, name);
  if (!f || f->desc->type != DV_T_REAL) return 0;
  dv_field_pull(f);
  double v = *(const double *)f->value;
  return isfinite(v) ? v : 0;
}

static bool is_on(dvObject *o, const char *name)
{
  dvField *f = dv_object_field(o, name);
  if (!f || f->desc->type != DV_T_BOOL) return true;
  dv_field_pull(f);
  return *(const bool *)f->value;
}

static json_t *list_of(const double *v, int count)
{
  json_t *list = json_array();
  for (int i = 0; i < count; i++) json_array_append_new(list, json_real(isfinite(v[i]) ? v[i] : 0));
  return list;
}

// {x, y from the lower left corner (negative: from the other one), width, height (pixels), position, orientation,
// fovy (degrees)}
static json_t *viewport(dvObject *o)
{
  const double *at = vector_of(o, "screenPosition", 2), *position = vector_of(o, "cameraPosition", 3),
               *turn = vector_of(o, "cameraOrientation", 4);
  dvField *size = dv_object_field(o, "screenSize"), *rigid = dv_object_field(o, "cameraRigid");
  if (!at || !position || !turn || !size || size->desc->type != DV_T_IVEC) return NULL;
  dv_field_pull(size);
  const int *pixels = size->value;
  double frame[7], fovy = number_of(o, "fovy"), length = 0;
  for (int k = 0; k < 3; k++) frame[k] = position[k];
  for (int k = 0; k < 4; k++) frame[3 + k] = turn[k];
  if (rigid && rigid->desc->type == DV_T_REALS) {   // one frame, linked to what carries the camera
    dv_field_pull(rigid);
    const dvReals *r = rigid->value;
    for (int k = 0; k < 7 && r->count >= 7; k++) frame[k] = r->data[k];
  }
  for (int k = 3; k < 7; k++) length += frame[k] * frame[k];
  for (int k = 3; k < 7; k++) frame[k] = length > 0 ? frame[k] / sqrt(length) : k == 6;
  bool given = size->was_set && pixels[0] > 0 && pixels[1] > 0;
  return json_pack("{s:f, s:f, s:i, s:i, s:o, s:o, s:f}", "x", isfinite(at[0]) ? at[0] : 0.0, "y",
                   isfinite(at[1]) ? at[1] : 0.0, "width", given ? pixels[0] : 160, "height", given ? pixels[1] : 120,
                   "position", list_of(frame, 3), "orientation", list_of(frame + 3, 4), "fovy",
                   fovy > 1 && fovy < 170 ? fovy : 60.0);
}

typedef struct Search {
  dvVisitor visitor;
  json_t *viewports, *lens;
} Search;

enum { MOST_VIEWPORTS = 4 };

static dvWalk look(dvVisitor *v, dvNode *node)
{
  Search *s = (Search *)v;
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    if (o->failed || !o->initialised) continue;
    if (dv_same(o->cls->name, "OglViewport") && is_on(o, "enabled") && json_array_size(s->viewports) < MOST_VIEWPORTS) {
      json_t *one = viewport(o);
      if (one && !s->viewports) s->viewports = json_array();
      if (one) json_array_append_new(s->viewports, one);
    }
    if (dv_same(o->cls->name, "LensDistortion") && is_on(o, "enable") && !s->lens)
      s->lens = json_pack("[f, f]", fmin(4, fmax(-0.3, number_of(o, "k1"))), fmin(4, fmax(-0.1, number_of(o, "k2"))));
  }
  return DV_WALK_ON;
}

json_t *dv_looks_viewports(const dvScene *scene)
{
  Search s = {.visitor = {.top_down = look}};
  if (scene) dv_visit(scene->root, &s.visitor);
  json_decref(s.lens);
  return s.viewports;
}

json_t *dv_looks_lens(const dvScene *scene)
{
  Search s = {.visitor = {.top_down = look}};
  if (scene) dv_visit(scene->root, &s.visitor);
  json_decref(s.viewports);
  return s.lens;
}
