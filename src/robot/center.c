// CenterOfMass: sum of m_i x_i / sum of m_i over the points of a state, at the start and after each step.
//
// Without a mass in the node all points count alike.
#include "robot/classes.h"

#include "math/vec.h"
#include "mechanics/component.h"

#include <string.h>

#define CENTER_FIELDS(X)                                                                                  \
  X(vec3s, position, "", "m", "points; those of the state of the node when not given", .flags = DV_INPUT) \
  X(vec3, centerOfMass, "0 0 0", "m", "where it is", .flags = DV_READ_ONLY)                               \
  X(vec3s, center, "", "m", "the same as a list, to link to", .flags = DV_READ_ONLY)                      \
  X(bool, visualization, "0", "", "draw it", .flags = DV_LOOKS)                                           \
  X(real, visuSize, "1", "m", "radius of the ball that is drawn", .flags = DV_LOOKS, .least = "0")        \
  X(color, visuColor, "1 0 0 1", "", "its colour", .flags = DV_LOOKS)

typedef struct Center {
  dvObject base;
  CENTER_FIELDS(DV_MEMBER)
  dvState *state;   // NULL: `position`
  dvObject *mass;   // NULL: all points alike
} Center;

#define SELF Center
static const dvFieldDesc center_fields[] = {CENTER_FIELDS(DV_DESCRIBE)};
#undef SELF

static double mass_of(const Center *c, size_t i)
{
  return c->mass ? ((const dvMassOps *)dv_ops(c->mass, DV_ROLE_MASS))->of_element(c->mass, i) : 1;
}

static void find(Center *c)
{
  dvObject *o = &c->base;
  size_t width = c->state ? (size_t)c->state->base.dof->coord : 3,
         count = c->state ? c->state->count : c->position.count / 3;
  const double *x = c->state ? dv_state_read(c->state, DV_X) : c->position.data;
  dvVec3 sum = {0, 0, 0};
  double total = 0;
  for (size_t i = 0; i < count; i++) {
    double m = mass_of(c, i);
    sum = dv_vec3_add_scaled(sum, dv_vec3_load(x + i * width), m);
    total += m;
  }
  dv_vec3_store(c->centerOfMass, total > 0 ? dv_vec3_scale(sum, 1 / total) : (dvVec3){0, 0, 0});
  if (dv_reals_resize(&c->center, 3)) memcpy(dv_reals_edit(&c->center), c->centerOfMass, sizeof c->centerOfMass);
  dv_touch(o, c->centerOfMass);
  dv_touch(o, &c->center);
}

static dvStatus center_init(dvObject *o)
{
  Center *c = (Center *)o;
  dvObject *state = dv_node_state(o->node);
  c->state = NULL;
  if (!dv_was_set(o, &c->position)) {
    if (!state)
      return dv_error(o, "put it beside a MechanicalObject, or give position", "%s finds no points", o->cls->name);
    DV_TRY(dv_object_ensure(state));
    if (state->dof->kind != DV_VEC3 && state->dof->kind != DV_RIGID3)
      return dv_error(o, NULL, "%s works on points and frames, not on %s", o->cls->name, state->dof->name);
    c->state = dv_state(state);
  }
  c->mass = c->state ? dv_node_find(o->node, DV_ROLE_MASS) : NULL;
  if (c->mass && !((const dvMassOps *)dv_ops(c->mass, DV_ROLE_MASS))->of_element) c->mass = NULL;
  return DV_OK;
}

static dvStatus center_bwd_init(dvObject *o)
{
  find((Center *)o);
  return DV_OK;
}

static void center_end_step(dvObject *o)
{
  if (!o->failed) find((Center *)o);
}

static void center_remember(dvObject *o, dvMemoryStream *s)
{
  Center *c = (Center *)o;
  dv_remember_numbers(s, "centerOfMass", c->centerOfMass, sizeof c->centerOfMass);
  dv_remember_reals(s, "center", &c->center);
}

static void center_sketch(dvObject *o, dvSketch *out)
{
  Center *c = (Center *)o;
  if (!c->visualization) return;
  out->kind = DV_SKETCH_SPHERES;
  out->positions = dv_field_of(o, &c->center);
  out->radius = c->visuSize;
  out->coloured = true;
  memcpy(out->colour, c->visuColor, sizeof out->colour);
}
static const dvVisualOps center_visual_ops = {.sketch = center_sketch};

const dvClass dv_center_of_mass_class = {
    .struct_size = sizeof(dvClass),
    .name = "CenterOfMass",
    .help = "where the centre of mass of a body is",
    .module = "SoftRobots",
    .size = sizeof(Center),
    .blocks = {&dv_object_block, DV_BLOCK(center_fields)},
    .ops = {[DV_ROLE_VISUAL] = &center_visual_ops},
    .init = center_init,
    .bwd_init = center_bwd_init,
    .reinit = center_bwd_init,
    .end_step = center_end_step,
    .remember = center_remember,
};
