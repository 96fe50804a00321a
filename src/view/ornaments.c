// See ornaments.h. The components are rows of control/settings: their fields are found by name.
#include "view/ornaments.h"

#include "base/text.h"
#include "state/state.h"

#include <math.h>

enum { MOST_FIELDS = 1000 };   // of a grid

static double number(dvObject *o, const char *name)
{
  dvField *f = dv_object_field(o, name);
  dvText text = {0};
  double value = 0;
  if (f) dv_field_pull(f), dv_field_print(f, &text);
  const char *at = text.text ? text.text : "";
  if (!dv_scan_real(&at, &value) || !isfinite(value)) value = 0;
  dv_text_free(&text);
  return value;
}

static char *text_of(dvObject *o, const char *name)
{
  dvField *f = dv_object_field(o, name);
  dvText text = {0};
  if (f) dv_field_pull(f), dv_field_print(f, &text);
  char *out = dv_text_take(&text);
  return out ? out : dv_strdup("");
}

static bool flag(dvObject *o, const char *name)
{
  dvField *f = dv_object_field(o, name);
  if (!f || f->desc->type != DV_T_BOOL) return true;
  dv_field_pull(f);
  return *(const bool *)f->value;
}

static void line(dvOrnamentPoints *out, const double a[3], const double b[3])
{
  for (int k = 0; k < 3; k++) dv_push(out, a[k]);
  for (int k = 0; k < 3; k++) dv_push(out, b[k]);
}

static void points_of_axis(dvObject *o, int axis, dvOrnamentPoints *out)
{
  char *axes = text_of(o, "axis");
  bool wanted = false;
  for (const char *c = axes; *c; c++) wanted = wanted || (*c | 32) == 'x' + axis;
  dv_free(axes);
  if (!wanted) return;
  double a[3] = {0}, b[3] = {0}, half = 0.5 * number(o, "size");
  a[axis] = -half, b[axis] = half;
  line(out, a, b);
}

static void points_of_grid(dvObject *o, dvOrnamentPoints *out)
{
  char *plane = text_of(o, "plane");
  int up = (*plane | 32) == 'x' ? 0 : (*plane | 32) == 'y' ? 1 : 2, u = (up + 1) % 3, v = (up + 2) % 3;
  dv_free(plane);
  double size = number(o, "size");
  int fields = (int)fmin(MOST_FIELDS, fmax(1, number(o, "nbSubdiv")));
  for (int i = 0; i <= fields; i++)
    for (int way = 0; way < 2; way++) {
      double a[3] = {0}, b[3] = {0};
      a[way ? u : v] = b[way ? u : v] = size * ((double)i / fields - 0.5);
      a[way ? v : u] = -0.5 * size, b[way ? v : u] = 0.5 * size;
      line(out, a, b);
    }
}

typedef struct Box {
  dvVisitor visitor;
  double low[3], high[3];
} Box;

static dvWalk widen(dvVisitor *v, dvNode *node)
{
  Box *box = (Box *)v;
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    if (o->failed || !dv_plays(o, DV_ROLE_STATE) || o->dof->space < 2) continue;
    dvState *s = dv_state(o);
    const double *x = dv_state_read(s, DV_X);
    for (size_t p = 0; p < s->count; p++) {
      double at[3];
      dv_dof_point(o->dof, x + p * (size_t)o->dof->coord, at);
      for (int k = 0; k < 3; k++) box->low[k] = fmin(box->low[k], at[k]), box->high[k] = fmax(box->high[k], at[k]);
    }
  }
  return DV_WALK_ON;
}

static void points_of_box(dvObject *o, dvOrnamentPoints *out)
{
  Box box = {.visitor = {.top_down = widen}};
  for (int k = 0; k < 3; k++) box.low[k] = INFINITY, box.high[k] = -INFINITY;
  dv_visit(o->node, &box.visitor);
  if (!isfinite(box.low[0] + box.high[0])) return;
  for (int corner = 0; corner < 8; corner++)
    for (int axis = 0; axis < 3; axis++) {
      double a[3], b[3];
      if (corner >> axis & 1) continue;   // each edge once, from its lower end
      for (int k = 0; k < 3; k++) a[k] = b[k] = corner >> k & 1 ? box.high[k] : box.low[k];
      b[axis] = box.high[axis];
      line(out, a, b);
    }
}

int dv_ornament_parts(dvObject *o)
{
  if (dv_same(o->cls->name, "LineAxis")) return 3;
  return dv_same(o->cls->name, "VisualGrid") || dv_same(o->cls->name, "VisualBoundingBox");
}

void dv_ornament_colour(dvObject *o, int part, double out[4])
{
  static const double axes[3][4] = {{0.839, 0.271, 0.314, 1}, {0.247, 0.604, 0.306, 1}, {0.247, 0.455, 0.839, 1}};
  dvField *f = dv_object_field(o, "color");
  const double *from = axes[part];
  if (f) dv_field_pull(f), from = f->value;
  memcpy(out, from, 4 * sizeof *out);
}

void dv_ornament_points(dvObject *o, int part, dvOrnamentPoints *out)
{
  out->count = 0;
  if (!flag(o, "enable")) return;
  if (dv_same(o->cls->name, "LineAxis")) points_of_axis(o, part, out);
  else if (dv_same(o->cls->name, "VisualGrid")) points_of_grid(o, out);
  else points_of_box(o, out);
}
