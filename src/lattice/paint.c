// What the springs of a SpringLattice are made of: materials and actuators of its node become classes of springs
// (lattice.h). Regions and numbers may change while it runs.
#include "lattice/layout.h"
#include "lattice/spring_lattice.h"

#include "math/vec.h"

#include <math.h>
#include <string.h>

static const double grid_modulus = 2.2480340;   // E a^2 / K, see spring_lattice.c

// what springs of a class have in common
static int class_of(dvSpringLattice *s, const dvLatticeMaterial *material, dvLatticeActuator *actuator, double weight)
{
  for (size_t i = 0; i < s->recipes.count; i++) {
    const dvRecipe *r = &s->recipes.data[i];
    if (r->material == material && r->actuator == actuator && fabs(r->weight - weight) < 1e-9) return (int)i + 1;
  }
  if (s->recipes.count == DV_LATTICE_CLASSES) return 0;
  dv_push(&s->recipes, ((dvRecipe){.material = material, .actuator = actuator, .weight = weight}));
  return (int)s->recipes.count;
}

static double young_to_force(const dvSpringLattice *s, double young)
{
  if (s->lattice->grid) return young * s->lattice->pitch * s->lattice->pitch / grid_modulus;
  return 6 * young * s->volume / s->total_length;
}

// without its actuator
static dvSpringClass law_of(const dvSpringLattice *s, const dvRecipe *r)
{
  const dvLatticeMaterial *m = r->material;
  double young = m ? m->youngModulus : s->youngModulus;
  return (dvSpringClass){.force = r->weight * (young > 0 ? young_to_force(s, young)
                                               : m       ? m->stiffness
                                                         : s->stiffness),
                         .reach = 1,
                         .cubic = m ? m->cubic : s->cubic,
                         .damping = r->weight * (m ? m->damping : s->damping),
                         .limit = m ? m->breakStrain : s->breakStrain};
}

void dv_lattice_set_recipe(dvSpringLattice *s, size_t i, double time)
{
  const dvRecipe *r = &s->recipes.data[i];
  dvSpringClass c = r->law;
  if (r->actuator) {
    double variables[2] = {time, r->actuator->frequency * time + r->actuator->phase};
    c.reach = dv_expression_value(&r->actuator->length_of, variables);
    c.force *= dv_expression_value(&r->actuator->stiffness_of, variables);
  }
  dv_lattice_set_class(s->lattice, (int)i + 1, &c);
}

void dv_lattice_set_recipes(dvSpringLattice *s, double time)
{
  s->actuated = false;
  for (size_t i = 0; i < s->recipes.count; i++) {
    dvRecipe *r = &s->recipes.data[i];
    r->law = law_of(s, r);
    s->actuated |= r->actuator != NULL;
    s->breaks |= r->law.limit > 0;
    dv_lattice_set_recipe(s, i, time);
  }
  dv_lattice_set_classes_done(s->lattice);
  if (s->breaks) dv_array_resize(&s->broken, dv_ints_size(&s->springs));
}

static bool along(const dvSpringLattice *s, const dvLatticeActuator *a, size_t spring)
{
  dvVec3 axis = dv_vec3_load(a->axis);
  if (dv_vec3_norm2(axis) == 0) return true;
  dvVec3 d = dv_vec3_sub(dv_vec3_load(s->rest.data + 3 * (size_t)s->springs.data[2 * spring + 1]),
                         dv_vec3_load(s->rest.data + 3 * (size_t)s->springs.data[2 * spring]));
  return fabs(dv_vec3_dot(axis, d)) > 0.76604444 * dv_vec3_norm(axis) * dv_vec3_norm(d);
}

// the region of a part that paints, or NULL
static const dvInts *region_of(const dvObject *part)
{
  if (part->failed) return NULL;
  if (part->cls == &dv_lattice_material_class) return &((const dvLatticeMaterial *)part)->indices;
  return part->cls == &dv_lattice_actuator_class ? &((const dvLatticeActuator *)part)->indices : NULL;
}

// The last part that has both ends of a spring is the one. Springs hold two numbers until classes are known: places in
// the node of their material and of their actuator.
static dvStatus paint_springs(dvSpringLattice *s, uint16_t (*by)[2], uint8_t *marks)
{
  dvObject *o = &s->base;
  const dvNode *node = o->node;
  size_t n = dv_ints_size(&s->springs);
  const int32_t *ends = s->springs.data;
  for (size_t k = 0; k < node->objects.count && k < UINT16_MAX; k++) {
    dvObject *part = node->objects.data[k];
    const dvInts *region = region_of(part);
    if (!region) continue;
    bool acts = part->cls == &dv_lattice_actuator_class;
    memset(marks, 0, s->state->count);
    for (size_t i = 0; i < region->count; i++) marks[region->data[i]] = 1;
    for (size_t i = 0; i < n; i++)
      if (marks[ends[2 * i]] && marks[ends[2 * i + 1]] && (!acts || along(s, (dvLatticeActuator *)part, i)))
        by[i][acts] = (uint16_t)(k + 1);
  }
  for (size_t i = 0; i < n; i++) {
    double weight = s->weights.count ? s->weights.data[i] : 1;
    if (i > 0 && by[i][0] == by[i - 1][0] && by[i][1] == by[i - 1][1] &&
        (!s->weights.count || weight == s->weights.data[i - 1])) {   // as the one before
      s->classes[i] = s->classes[i - 1];
      continue;
    }
    int c = class_of(s, by[i][0] ? (dvLatticeMaterial *)node->objects.data[by[i][0] - 1] : NULL,
                     by[i][1] ? (dvLatticeActuator *)node->objects.data[by[i][1] - 1] : NULL, weight);
    if (c == 0)
      return dv_error(o, "use fewer regions, or weights of fewer values",
                      "springs differ in more than %d ways (materials, actuators and weights together)",
                      DV_LATTICE_CLASSES);
    s->classes[i] = (uint8_t)c;
  }
  return DV_OK;
}

dvStatus dv_lattice_paint(dvSpringLattice *s)
{
  size_t n = dv_ints_size(&s->springs);
  uint16_t(*by)[2] = dv_try_alloc((n + 1) * sizeof *by);
  uint8_t *marks = dv_try_alloc(s->state->count + 1);
  s->recipes.count = 0;
  dvStatus status = by && marks ? paint_springs(s, by, marks)
                                : dv_error(&s->base, NULL, "out of memory for the classes of %zu springs", n);
  dv_free(by);
  dv_free(marks);
  return status;
}

uint64_t dv_lattice_regions(const dvSpringLattice *s)
{
  uint64_t sum = 0;
  const dvNode *node = s->base.node;
  for (size_t k = 0; k < node->objects.count; k++) {
    const dvObject *part = node->objects.data[k];
    const dvInts *region = region_of(part);
    if (!region) continue;
    dv_pull(part, region);
    sum += 1 + dv_field_of(part, region)->counter;
    if (part->cls == &dv_lattice_actuator_class)
      sum += dv_field_of(part, &((const dvLatticeActuator *)part)->axis)->counter;
  }
  return sum;
}

bool dv_lattice_laws_moved(const dvSpringLattice *s)
{
  for (size_t i = 0; i < s->recipes.count; i++) {
    const dvRecipe *r = &s->recipes.data[i];
    dvSpringClass law = law_of(s, r);
    if (law.force != r->law.force || law.cubic != r->law.cubic || law.damping != r->law.damping ||
        law.limit != r->law.limit)
      return true;
  }
  return false;
}
