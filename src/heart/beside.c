// See beside.h.
#include "heart/beside.h"

#include "heart/classes.h"
#include "mechanics/component.h"
#include "object/context.h"

#include <string.h>

static const double LONGEST = 0.025;   // s: a beat contracts for some 50 ms before blood is ejected

typedef struct Beside {
  dvVisitor visitor;
  bool held, passive;
  const dvObject *muscle;   // that pulls most
  double stress;
} Beside;

static bool is_chamber(const dvObject *o)
{
  return o->cls == &dv_heart_pressure_class || o->cls == &dv_lagrangian_pressure_class ||
         o->cls == &dv_projective_pressure_class;
}

static void look_at(Beside *b, const dvObject *o)
{
  bool spring = strstr(o->cls->name, "Spring") != NULL;
  dvObject *states[2];
  if (o->cls == &dv_contraction_class) {
    double stress = *(const double *)dv_object_field(o, "stress")->value;
    if (!b->muscle || stress > b->stress) b->muscle = o, b->stress = stress;
    return;
  }
  if (is_chamber(o)) return;
  b->held = b->held || dv_ops(o, DV_ROLE_PROJECTIVE) || dv_ops(o, DV_ROLE_CONSTRAINT);
  if (!dv_ops(o, DV_ROLE_FORCE)) return;
  b->held = b->held || spring || dv_force_states(o, states) > 1;
  b->passive = b->passive || !spring;
}

static dvWalk look_in(dvVisitor *v, dvNode *node)
{
  for (size_t i = 0; i < node->objects.count; i++) look_at((Beside *)v, node->objects.data[i]);
  return DV_WALK_ON;
}

// false when a mistake comes first: what has failed is not there, and need not be missed
static bool look_around(const dvObject *o, Beside *b)
{
  *b = (Beside){.visitor = {.top_down = look_in, .everything = true}};
  dv_visit(o->node->scene->root, &b->visitor);
  return o->context->log.recent == DV_OK;
}

void dv_beside_chamber(const dvObject *o, double arterial_pressure)
{
  Beside b;
  double dt = o->node->scene->root->dt;
  if (!look_around(o, &b)) return;
  if (!b.held)
    dv_warning(o, "hold its base: <BaseConstraint points=\"@ventricle.basePoints\" stiffness=\"500\"/>",
               "nothing holds the tissue around the chamber: it floats, and a step may throw it");
  if (b.muscle && b.stress < arterial_pressure)
    dv_field_warning(b.muscle, dv_object_field(b.muscle, "stress")->value, "the default is 1e5 Pa, and all are in Pa",
                     "stress is %g Pa: the muscle does not eject against the %g Pa in the artery of %s", b.stress,
                     arterial_pressure, o->name);
  if (dt > LONGEST)
    dv_warning(o, "give the root node dt=\"0.01\" or less", "steps of %g s are too long for the phases of a beat", dt);
}

void dv_beside_muscle(const dvObject *o)
{
  Beside b;
  if (look_around(o, &b) && !b.passive)
    dv_warning(o, "add a law of tissue at rest, such as MooneyRivlin, beside it",
               "nothing resists the muscle when it pulls: there is no passive law");
}
