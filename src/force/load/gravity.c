// Gravity: another gravity for the node it stands in and the nodes below.
#include "scene/node.h"

#include <string.h>

#define GRAVITY_FIELDS(X) X(vec3, gravity, "0 0 0", "m/s2", "gravity in this node and below")

typedef struct Gravity {
  dvObject base;
  GRAVITY_FIELDS(DV_MEMBER)
} Gravity;

#define SELF Gravity
static const dvFieldDesc gravity_fields[] = {GRAVITY_FIELDS(DV_DESCRIBE)};
#undef SELF

static void gravity_apply(dvObject *o)
{
  memcpy(o->node->gravity, ((const Gravity *)o)->gravity, sizeof o->node->gravity);
}

static const dvContextOps gravity_ops = {.apply = gravity_apply};

extern const dvClass dv_gravity_class;
const dvClass dv_gravity_class = {
    .struct_size = sizeof(dvClass),
    .name = "Gravity",
    .help = "sets the gravity of its node and the nodes below",
    .module = "Sofa.Component.MechanicalLoad",
    .size = sizeof(Gravity),
    .blocks = {&dv_object_block, DV_BLOCK(gravity_fields)},
    .ops = {[DV_ROLE_CONTEXT] = &gravity_ops},
};
