// LatticeMaterial, LatticeActuator, LatticeContact, LatticeGuide, LatticeMotor: what SpringLattice reads from its node.
#include "lattice/parts.h"

#include "lattice/motor.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

#define SELF dvLatticeMaterial
static const dvFieldDesc material_fields[] = {DV_LATTICE_MATERIAL_FIELDS(DV_DESCRIBE)};
#undef SELF
#define SELF dvLatticeActuator
static const dvFieldDesc actuator_fields[] = {DV_LATTICE_ACTUATOR_FIELDS(DV_DESCRIBE)};
#undef SELF
#define SELF dvLatticeContact
static const dvFieldDesc contact_fields[] = {DV_LATTICE_CONTACT_FIELDS(DV_DESCRIBE)};
#undef SELF
#define SELF dvLatticeGuide
static const dvFieldDesc guide_fields[] = {DV_LATTICE_GUIDE_FIELDS(DV_DESCRIBE)};
#undef SELF
#define SELF dvLatticeMotorPart
static const dvFieldDesc motor_fields[] = {DV_LATTICE_MOTOR_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc motor_memory[] = {DV_REMEMBER(numbers, angle)};
#undef SELF

static dvStatus read_expression(dvObject *o, char *const *text, dvExpression *e, const char *names)
{
  dvText why = {0};
  dvStatus status = DV_OK;
  if (!dv_expression_read(e, *text, names, &why))
    status = dv_field_error(o, text, "write it like 1 + 0.2 * sin(2 * pi * t)", "%s", why.text);
  dv_text_free(&why);
  return status;
}

static dvStatus not_negative(dvObject *o, const double *member, const char *name)
{
  if (*member >= 0 && isfinite(*member)) return DV_OK;
  return dv_field_error(o, member, "give a number from 0 on", "%s cannot be %g", name, *member);
}

// --- materials, actuators ---

static dvStatus material_init(dvObject *o)
{
  dvLatticeMaterial *m = (dvLatticeMaterial *)o;
  DV_TRY(not_negative(o, &m->stiffness, "stiffness"));
  DV_TRY(not_negative(o, &m->youngModulus, "youngModulus"));
  DV_TRY(not_negative(o, &m->cubic, "cubic"));
  DV_TRY(not_negative(o, &m->damping, "damping"));
  DV_TRY(not_negative(o, &m->massDensity, "massDensity"));
  return not_negative(o, &m->breakStrain, "breakStrain");
}

static dvStatus actuator_init(dvObject *o)
{
  dvLatticeActuator *a = (dvLatticeActuator *)o;
  DV_TRY(read_expression(o, &a->length, &a->length_of, "t p"));
  return read_expression(o, &a->stiffness, &a->stiffness_of, "t p");
}

static void actuator_destroy(dvObject *o)
{
  dv_expression_free(&((dvLatticeActuator *)o)->length_of);
  dv_expression_free(&((dvLatticeActuator *)o)->stiffness_of);
}

// --- contacts ---

static dvStatus contact_init(dvObject *o)
{
  dvLatticeContact *c = (dvLatticeContact *)o;
  double size = dv_vec3_norm(dv_vec3_load(c->plane));
  if (c->radius <= 0 && !(size > 0 && isfinite(size)))
    return dv_error(o, "give plane=\"0 1 0 0\" (normal, distance) or centre and radius",
                    "there is neither a plane nor a ball");
  DV_TRY(not_negative(o, &c->staticFriction, "staticFriction"));
  DV_TRY(not_negative(o, &c->kineticFriction, "kineticFriction"));
  if (c->kineticFriction > c->staticFriction && dv_was_set(o, &c->staticFriction))
    dv_field_warning(o, &c->kineticFriction, "give the larger one as staticFriction",
                     "kinetic friction %g exceeds the static one, %g", c->kineticFriction, c->staticFriction);
  return DV_OK;
}

static void add_walls(const dvLatticeContact *c, dvLattice *l)
{
  double stick = fmax(c->staticFriction, c->kineticFriction), size = dv_vec3_norm(dv_vec3_load(c->plane));
  if (size > 0) {
    dvLatticeWall w = {.distance = c->plane[3] / size, .stick = stick, .slide = c->kineticFriction};
    dv_vec3_store(w.at, dv_vec3_scale(dv_vec3_load(c->plane), 1 / size));
    dv_push(&l->walls, w);
  }
  if (c->radius > 0) {
    dvLatticeWall w = {.distance = c->radius, .stick = stick, .slide = c->kineticFriction, .ball = true};
    dv_vec3_store(w.at, dv_vec3_load(c->centre));
    dv_push(&l->walls, w);
  }
}

// --- guides ---

static dvStatus guide_init(dvObject *o)
{
  dvLatticeGuide *g = (dvLatticeGuide *)o;
  double size = dv_vec3_norm(dv_vec3_load(g->axis));
  if (g->kind != 0 && !(size > 0 && isfinite(size)))
    return dv_field_error(o, &g->axis, "give axis=\"1 0 0\"", "the axis has no direction");
  return DV_OK;
}

static bool add_guide(const dvLatticeGuide *g, dvLattice *l)
{
  double axis[3];
  dv_vec3_store(axis, dv_vec3_normalise(dv_vec3_load(g->axis)));
  for (size_t i = 0; i < g->indices.count; i++) {
    if (g->kind == 0) dv_lattice_hold(l, (size_t)g->indices.data[i], true);
    else if (!dv_lattice_guide(l, (size_t)g->indices.data[i], axis, g->kind)) return false;
  }
  return true;
}

// --- motors ---

static dvStatus motor_init(dvObject *o)
{
  dvLatticeMotorPart *m = (dvLatticeMotorPart *)o;
  if (m->body.count < 3 || m->wheel.count < 3)
    return dv_error(o, "link them to regions: body=\"@roi.indices\"",
                    "body has %zu points and wheel %zu: each needs three or more", m->body.count, m->wheel.count);
  if (m->axis[0] == m->axis[1] && m->axis[0] >= 0)
    return dv_field_error(o, &m->axis, "give the indices of two points", "the axis needs two different points");
  DV_TRY(not_negative(o, &m->gain, "gain"));
  return read_expression(o, &m->speed, &m->speed_of, "t");
}

static void motor_destroy(dvObject *o) { dv_expression_free(&((dvLatticeMotorPart *)o)->speed_of); }

// the lists are copied: fields may change under the lattice
static void add_motor(const dvLatticeMotorPart *m, dvLattice *l)
{
  dvLatticeMotor motor = {.counts = {m->body.count, m->wheel.count},
                          .axis = {m->ends[0], m->ends[1]},
                          .gain = m->gain,
                          .most = m->torque,
                          .turned = m->angle};
  const dvInts *lists[2] = {&m->body, &m->wheel};
  for (int k = 0; k < 2; k++) {
    motor.groups[k] = dv_alloc(lists[k]->count * sizeof(int32_t));
    if (lists[k]->count) memcpy(motor.groups[k], lists[k]->data, lists[k]->count * sizeof(int32_t));
  }
  dv_motors_add(l, &motor);
}

// the two points that body and wheel share and that are farthest apart, the one with the smaller coordinate first
static dvStatus find_axis(dvLatticeMotorPart *m, size_t points, const double *rest)
{
  memcpy(m->ends, m->axis, sizeof m->ends);
  for (int k = 0; k < 2; k++)
    if (m->axis[k] >= 0 && (size_t)m->axis[k] >= points)
      return dv_field_error(&m->base, &m->axis, NULL, "the axis names point %d, but there are %zu points", m->axis[k],
                            points);
  if (m->axis[0] >= 0 && m->axis[1] >= 0) return DV_OK;
  double most = 0;
  uint8_t *in_body = dv_try_alloc(points + 1);
  DV_ARRAY(int32_t) common = {0};
  if (!in_body) return dv_error(&m->base, NULL, "out of memory for %zu points", points);
  for (size_t i = 0; i < m->body.count; i++) in_body[m->body.data[i]] = 1;
  for (size_t i = 0; i < m->wheel.count; i++)
    if (in_body[m->wheel.data[i]]) dv_push(&common, m->wheel.data[i]);
  for (size_t i = 0; i < common.count; i++)
    for (size_t k = 0; k < i; k++) {
      dvVec3 a = dv_vec3_load(rest + 3 * (size_t)common.data[k]), b = dv_vec3_load(rest + 3 * (size_t)common.data[i]);
      double size = dv_vec3_norm(dv_vec3_sub(b, a));
      if (size <= most) continue;
      most = size;
      bool along = b.x + b.y + b.z > a.x + a.y + a.z;
      m->ends[0] = common.data[along ? k : i], m->ends[1] = common.data[along ? i : k];
    }
  dv_array_free(&common);
  dv_free(in_body);
  if (most > 0) return DV_OK;
  return dv_field_error(&m->base, &m->axis, "give axis=\"p q\", or let the two parts share the masses on their axis",
                        "body and wheel have no two points in common that could be the axis");
}

// --- all parts of a node ---

dvStatus dv_parts_check(const dvNode *node, size_t points, const double *rest)
{
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    if (o->failed) continue;
    if (o->cls == &dv_lattice_material_class)
      DV_TRY(dv_check_indices(o, &((dvLatticeMaterial *)o)->indices, points, "points"));
    else if (o->cls == &dv_lattice_actuator_class)
      DV_TRY(dv_check_indices(o, &((dvLatticeActuator *)o)->indices, points, "points"));
    else if (o->cls == &dv_lattice_guide_class)
      DV_TRY(dv_check_indices(o, &((dvLatticeGuide *)o)->indices, points, "points"));
    else if (o->cls == &dv_lattice_motor_class) {
      dvLatticeMotorPart *m = (dvLatticeMotorPart *)o;
      DV_TRY(dv_check_indices(o, &m->body, points, "points"));
      DV_TRY(dv_check_indices(o, &m->wheel, points, "points"));
      DV_TRY(find_axis(m, points, rest));
    }
  }
  return DV_OK;
}

dvStatus dv_parts_apply(const dvNode *node, dvLattice *l)
{
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    if (o->failed) continue;
    if (o->cls == &dv_lattice_guide_class && !add_guide((dvLatticeGuide *)o, l))
      return dv_error(o, NULL, "out of memory for guides");
    if (o->cls == &dv_lattice_motor_class) add_motor((dvLatticeMotorPart *)o, l);
  }
  dv_parts_refresh(node, l);
  return DV_OK;
}

void dv_parts_refresh(const dvNode *node, dvLattice *l)
{
  l->walls.count = 0;
  size_t motor = 0;
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    if (o->failed) continue;
    if (o->cls == &dv_lattice_contact_class) add_walls((dvLatticeContact *)o, l);
    if (o->cls == &dv_lattice_motor_class && motor < l->motors.count) {
      const dvLatticeMotorPart *m = (dvLatticeMotorPart *)o;
      l->motors.data[motor].gain = m->gain;
      l->motors.data[motor].most = m->torque;
      l->motors.data[motor++].turned = m->angle;
    }
  }
}

#define PART(variable, name_, help_, type, list, ...)                     \
  const dvClass variable = {.struct_size = sizeof(dvClass),               \
                            .name = name_,                                \
                            .help = help_,                                \
                            .module = "Divan.Lattice",                    \
                            .roles = DV_PLAYS(DV_ROLE_SETTING),           \
                            .size = sizeof(type),                         \
                            .blocks = {&dv_object_block, DV_BLOCK(list)}, \
                            __VA_ARGS__}

PART(dv_lattice_material_class, "LatticeMaterial", "what the springs of a region of a SpringLattice are made of",
     dvLatticeMaterial, material_fields, .init = material_init, .reinit = material_init);
PART(dv_lattice_actuator_class, "LatticeActuator",
     "moves a region of a SpringLattice: lengths and stiffness as expressions of time", dvLatticeActuator,
     actuator_fields, .init = actuator_init, .reinit = actuator_init, .destroy = actuator_destroy);
PART(dv_lattice_contact_class, "LatticeContact",
     "a plane or ball with friction that masses of a SpringLattice do not enter", dvLatticeContact, contact_fields,
     .init = contact_init, .reinit = contact_init);
PART(dv_lattice_guide_class, "LatticeGuide",
     "masses of a SpringLattice that are held, or move along a direction or in a plane only", dvLatticeGuide,
     guide_fields, .init = guide_init, .reinit = guide_init);
PART(dv_lattice_motor_class, "LatticeMotor",
     "turns two parts of a SpringLattice against each other about a common axis", dvLatticeMotorPart, motor_fields,
     .init = motor_init, .reinit = motor_init, .destroy = motor_destroy, DV_MEMORY(motor_memory));
