// Curves of soft robots: where effectors are and should be, how far they are off, what actuators do; and of chambers of
// the heart: pressure and volume. See inside.h.
#include "view/inside.h"

#include "heart/classes.h"
#include "robot/part.h"
#include "scene/plan.h"

#include <math.h>
#include <string.h>

enum { COLUMNS = 48, STEPS = 200 };

typedef struct Columns {
  dvVisitor visitor;
  json_t *names;   // NULL when only values are wanted
  DV_ARRAY(double) values;
} Columns;

static void add_of(Columns *c, const dvObject *o, const char *group, const char *unit, const char *what, double value)
{
  if (c->values.count == COLUMNS) return;
  dv_push(&c->values, value);
  if (!c->names) return;
  char *label = dv_format("%s%s%s", o->name, *what ? " " : "", what);
  json_t *name = json_object();
  dv_view_put_text(name, "label", label);
  dv_view_put_text(name, "group", group);
  dv_view_put_text(name, "unit", unit);
  json_array_append_new(c->names, name);
  dv_free(label);
}

static void add(Columns *c, const dvPart *p, const char *group, const char *unit, const char *what, double value)
{
  add_of(c, &p->model.base, group, unit, what, value);
}

// pressure and volume of a chamber of the heart
static void add_chamber(Columns *c, const dvObject *o)
{
  add_of(c, o, "pressure", "Pa", "pressure", *(const double *)dv_object_field(o, "pressure")->value);
  add_of(c, o, "pressure", "Pa", "artery", *(const double *)dv_object_field(o, "arterialPressure")->value);
  add_of(c, o, "volume", "ml", "volume", 1e6 * *(const double *)dv_object_field(o, "volume")->value);
}

static void add_effector(Columns *c, const dvPart *p)
{
  static const char *const axes[] = {"x", "y", "z", "goal x", "goal y", "goal z"};
  dvField *sight = dv_object_field(&p->model.base, "sight");
  double sum = 0;
  for (size_t i = 0; i < p->quantities.count; i++) sum += p->quantities.data[i] * p->quantities.data[i];
  add(c, p, "error", dv_object_field(&p->model.base, "desiredVolume") ? "m3" : "m", "", sqrt(sum));
  const dvReals *points = sight ? sight->value : NULL;
  for (size_t k = 0; points && points->count >= 6 && k < 6; k++) add(c, p, "effector", "m", axes[k], points->data[k]);
}

// what lasts of an actuator whose force is a change: a stiffness, angles
static void add_lasting(Columns *c, const dvPart *p)
{
  static const char *const axes[] = {"x", "y", "z"};
  const dvField *young = dv_object_field(&p->model.base, "youngModulus"),
                *bent = dv_object_field(&p->model.base, "angles");
  if (young) add(c, p, "force", "Pa", "stiffness", *(const double *)young->value);
  const dvReals *angles = bent ? bent->value : NULL;
  for (size_t i = 0; angles && i < angles->count && i < 12; i++) {
    char name[24];
    dv_snprintf(name, sizeof name, "%zu %s", i / 3, axes[i % 3]);
    add(c, p, "stroke", "rad", name, angles->data[i]);
  }
}

static void add_actuator(Columns *c, const dvPart *p)
{
  bool chamber = dv_object_field(&p->model.base, "cavityVolume") != NULL;
  if (p->momentary) {
    add_lasting(c, p);
    return;
  }
  for (size_t i = 0; i < p->forces.count && i < p->quantities.count; i++) {
    char number[16] = "";
    if (p->forces.count > 1) dv_snprintf(number, sizeof number, "%zu", i);
    add(c, p, "force", chamber ? "Pa" : "N", number, p->forces.data[i]);
    add(c, p, "stroke", chamber ? "m3" : "m", number, p->quantities.data[i]);
  }
}

static dvWalk collect(dvVisitor *v, dvNode *node)
{
  Columns *c = (Columns *)v;
  for (size_t i = 0; i < node->objects.count; i++) {
    const dvObject *o = node->objects.data[i];
    if (o->failed || !o->initialised) continue;
    if (o->cls == &dv_heart_pressure_class || o->cls == &dv_lagrangian_pressure_class) add_chamber(c, o);
    if (dv_ops(o, DV_ROLE_CONSTRAINT) != &dv_part_ops) continue;
    const dvPart *p = (const dvPart *)o;
    if (p->role == DV_PART_EFFECTOR) add_effector(c, p);
    else if (p->role != DV_PART_SENSOR && p->role != DV_PART_UNILATERAL) add_actuator(c, p);
  }
  return DV_WALK_ON;
}

void dv_view_record_robot(dvSession *s)
{
  Columns c = {.visitor = {.top_down = collect}};
  dv_visit(s->scene->root, &c.visitor);
  if (c.values.count + 1 != s->robot_width) s->robot.count = 0;   // parts came or went
  s->robot_width = c.values.count + 1;
  if (c.values.count) dv_push(&s->robot, s->scene->root->time);
  for (size_t i = 0; i < c.values.count; i++) dv_push(&s->robot, c.values.data[i]);
  dv_array_free(&c.values);
}

json_t *dv_view_robot(dvSession *s)
{
  Columns c = {.visitor = {.top_down = collect}, .names = json_array()};
  dv_visit(s->scene->root, &c.visitor);
  size_t width = s->robot_width, most = STEPS * width, count = s->robot.count;
  bool fits = c.values.count > 0 && c.values.count + 1 == width;
  dv_array_free(&c.values);
  if (!fits) {
    json_decref(c.names);
    return json_null();
  }
  size_t skipped = count > most ? count - most : 0;
  return json_pack("{s:o, s:o}", "columns", c.names, "steps",
                   dv_view_rows(s->robot.data + skipped, count - skipped, width));
}
