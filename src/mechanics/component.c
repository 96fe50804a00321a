// See component.h.
#include "mechanics/component.h"

#include "math/element_sum.h"

#include <string.h>

#define SELF dvForce
static const dvFieldDesc force_fields[] = {DV_FORCE_FIELDS(DV_DESCRIBE)};
#undef SELF
#define SELF dvPairForce
static const dvFieldDesc pair_force_fields[] = {DV_PAIR_FORCE_FIELDS(DV_DESCRIBE)};
#undef SELF
#define SELF dvMass
static const dvFieldDesc mass_fields[] = {DV_MASS_FIELDS(DV_DESCRIBE)};
#undef SELF
#define SELF dvMapping
static const dvFieldDesc mapping_fields[] = {DV_MAPPING_FIELDS(DV_DESCRIBE)};
#undef SELF
#define SELF dvProjective
static const dvFieldDesc projective_fields[] = {DV_PROJECTIVE_FIELDS(DV_DESCRIBE)};
#undef SELF
const dvFieldBlock dv_force_block = {force_fields, (int)DV_COUNT(force_fields)};
const dvFieldBlock dv_pair_force_block = {pair_force_fields, (int)DV_COUNT(pair_force_fields)};
const dvFieldBlock dv_mass_block = {mass_fields, (int)DV_COUNT(mass_fields)};
const dvFieldBlock dv_mapping_block = {mapping_fields, (int)DV_COUNT(mapping_fields)};
const dvFieldBlock dv_projective_block = {projective_fields, (int)DV_COUNT(projective_fields)};

void dv_sink_add_blocks(dvMatrixSink *sink, const dvState *state, const int32_t *dofs, int count, const double *values)
{
  double block[36];
  int w = state->base.dof->deriv, side = w * count;
  for (int i = 0; i < count; i++)
    for (int j = 0; j < count; j++) {
      for (int r = 0; r < w; r++) memcpy(block + w * r, values + side * (w * i + r) + w * j, (size_t)w * sizeof *block);
      sink->add(sink, state, (size_t)dofs[i], state, (size_t)dofs[j], w, w, block);
    }
}

void dv_sink_add_element(dvMatrixSink *sink, const dvState *state, const int32_t *dofs, int count, const double *values)
{
  (sink->add_element ? sink->add_element : dv_sink_add_blocks)(sink, state, dofs, count, values);
}

void dv_sink_add_sum(dvMatrixSink *sink, const dvState *state, struct dvElementSum *sum, dvElementSumFill fill,
                     const void *user, size_t size)
{
  if (sink->add_sum) {
    sink->add_sum(sink, state, sum, fill, user, size);
    return;
  }
  const double *total = dv_element_sum_total(sum, state->base.context->pool, fill, user);
  for (size_t e = 0; e < sum->entries; e++, total += 9) {
    size_t row = (size_t)sum->point[2 * e], col = (size_t)sum->point[2 * e + 1];
    const double turned[9] = {total[0], total[3], total[6], total[1], total[4], total[7], total[2], total[5], total[8]};
    sink->add(sink, state, row, state, col, 3, 3, total);
    if (row != col) sink->add(sink, state, col, state, row, 3, 3, turned);
  }
}

// told once for each node, with the others that will miss it
static dvStatus state_missing(dvObject *o)
{
  static const dvRole needy[] = {DV_ROLE_MASS, DV_ROLE_FORCE, DV_ROLE_PROJECTIVE};
  size_t others = 0;
  o->failed = true;
  if (o->node->stateless) return DV_ERROR_INPUT;
  o->node->stateless = true;
  for (size_t i = 0; i < o->node->objects.count; i++) {
    const dvObject *other = o->node->objects.data[i];
    for (size_t k = 0; k < DV_COUNT(needy); k++)
      if (other != o && dv_plays(other, needy[k])) {
        others++;
        break;
      }
  }
  static const char *const advice = "add a MechanicalObject to the node, or name one in the field";
  if (others == 0) return dv_error(o, advice, "%s needs a state and finds none in its node or above", o->cls->name);
  return dv_error(o, advice,
                  "%s needs a state and finds none in its node or above; %zu more component%s of the node need%s it",
                  o->cls->name, others, others == 1 ? "" : "s", others == 1 ? "s" : "");
}

static dvStatus wrong_state(dvObject *o, const dvObject *state)
{
  dvText advice = {0};
  for (int k = 0; k < DV_DOF_COUNT; k++)
    if (o->cls->dofs & (1u << k))
      dv_text_printf(&advice, "%s template=\"%s\"", advice.length ? " or" : "", dv_dof((dvDofKind)k)->name);
  char *whole = dv_format("give %s%s, or another component here", state->name, advice.text ? advice.text : "");
  dvStatus status =
      dv_error(o, whole, "%s does not work on %s, the type of %s", o->cls->name, state->dof->name, state->name);
  dv_free(whole);
  dv_text_free(&advice);
  return status;
}

static dvStatus find_state(dvObject *o, const dvLink *link, dvState **out)
{
  dvObject *state = link->target ? link->target : dv_node_state_up(o->node);
  if (!state) return state_missing(o);
  if (o->cls->dofs && !(o->cls->dofs & (1u << state->dof->kind))) return wrong_state(o, state);
  DV_TRY(dv_object_ensure(state));   // it may stand further down the file
  *out = dv_state(state);
  return DV_OK;
}

static double least(const dvField *f)
{
  if (f->desc->type == DV_T_REAL) return *(const double *)f->value;
  const dvReals *list = f->value;
  double value = 0;
  for (size_t i = 0; i < list->count; i++) value = list->data[i] < value ? list->data[i] : value;
  return value;
}

// a negative stiffness or damping drives motion instead of holding it: legal, and hardly ever meant
static void warn_of_signs(const dvObject *o)
{
  for (int i = 0; i < o->field_count; i++) {
    const dvField *f = &o->fields[i];
    const char *name = dv_field_name(f->desc);
    bool coefficient = strstr(name, "tiffness") || strstr(name, "amping");
    if (!coefficient || !f->was_set || (f->desc->type != DV_T_REAL && f->desc->type != DV_T_REALS) ||
        (f->desc->flags & DV_SIGNED))
      continue;
    double value = least(f);
    if (value < 0)
      dv_field_warning(o, f->value, "give numbers from 0 on",
                       "%s %g is negative: it drives motion instead of holding it", name, value);
  }
}

dvStatus dv_force_init(dvObject *o)
{
  dvForce *f = (dvForce *)o;
  warn_of_signs(o);
  return find_state(o, &f->mstate, &f->state);
}

int dv_force_state(dvObject *o, dvObject **out)
{
  dvForce *f = (dvForce *)o;
  if (!f->state) return 0;
  out[0] = &f->state->base;
  return 1;
}

const double *dv_force_rayleigh(const dvObject *o) { return &((const dvForce *)o)->rayleighStiffness; }

dvStatus dv_pair_force_init(dvObject *o)
{
  dvPairForce *f = (dvPairForce *)o;
  warn_of_signs(o);
  DV_TRY(find_state(o, &f->object1, &f->first));
  DV_TRY(find_state(o, f->object2.path ? &f->object2 : &f->object1, &f->second));
  return DV_OK;
}

int dv_pair_force_states(dvObject *o, dvObject **out)
{
  dvPairForce *f = (dvPairForce *)o;
  if (!f->first) return 0;
  out[0] = &f->first->base;
  out[1] = &f->second->base;
  return f->first == f->second ? 1 : 2;
}

const double *dv_pair_force_rayleigh(const dvObject *o) { return &((const dvPairForce *)o)->rayleighStiffness; }

const double *dv_mass_rayleigh(const dvObject *o) { return &((const dvMass *)o)->rayleighMass; }

dvStatus dv_mass_init(dvObject *o)
{
  dvMass *m = (dvMass *)o;
  return find_state(o, &m->mstate, &m->state);
}

dvStatus dv_projective_init(dvObject *o)
{
  dvProjective *p = (dvProjective *)o;
  return find_state(o, &p->mstate, &p->state);
}

bool dv_projective_active(const dvObject *o)
{
  const dvProjective *p = (const dvProjective *)o;
  return p->endTime < 0 || o->node->time < p->endTime;
}

dvStatus dv_check_indices(const dvObject *o, const dvInts *member, size_t count, const char *what)
{
  for (size_t i = 0; i < member->count; i++) {
    int32_t index = member->data[i];
    if (index >= 0 && (size_t)index < count) continue;
    return dv_field_error(o, member, NULL, "%s: entry %zu is %d, but there are %zu %s (0 to %zd)",
                          dv_field_name(dv_field_of(o, member)->desc), i, index, count, what, (ptrdiff_t)count - 1);
  }
  return DV_OK;
}
