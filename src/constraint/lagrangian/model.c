// See model.h.
#include "constraint/lagrangian/model.h"

#define SELF dvConstraintModel
static const dvFieldDesc constraint_model_fields[] = {DV_CONSTRAINT_MODEL_FIELDS(DV_DESCRIBE)};
#undef SELF
const dvFieldBlock dv_constraint_model_block = {constraint_model_fields, (int)DV_COUNT(constraint_model_fields)};

dvStatus dv_constraint_model_find(dvObject *o, dvLink *link, const char *which, dvState **out)
{
  if (!link->target) link->target = dv_node_state(o->node);
  if (!link->target)
    return dv_error(o, "put it beside a MechanicalObject, or link to one", "%s finds no %s object", o->cls->name,
                    which);
  if (!(o->cls->dofs & (1u << link->target->dof->kind)))
    return dv_error(o, NULL, "%s does not work on %s, which %s has", o->cls->name, link->target->dof->name,
                    link->target->name);
  *out = dv_state(link->target);
  return DV_OK;
}

dvStatus dv_constraint_model_find_two(dvObject *o, dvLink *first, dvLink *second)
{
  dvConstraintModel *m = (dvConstraintModel *)o;
  DV_TRY(dv_constraint_model_find(o, first, "first", &m->first));
  DV_TRY(dv_constraint_model_find(o, second, "second", &m->second));
  if (m->first->base.dof != m->second->base.dof)
    return dv_error(o, "map one of them to the type of the other", "%s is a %s and %s a %s", m->first->base.name,
                    m->first->base.dof->name, m->second->base.name, m->second->base.dof->name);
  o->dof = m->first->base.dof;
  return DV_OK;
}

dvStatus dv_constraint_model_check(dvObject *o, const int32_t *field, const dvState *s)
{
  if (*field >= 0 && (size_t)*field < s->count) return DV_OK;
  return dv_field_error(o, field, NULL, "there is no point %d: %s has %zu", *field, s->base.name, s->count);
}

bool dv_constraint_model_is_over(const dvObject *o)
{
  const dvConstraintModel *m = (const dvConstraintModel *)o;
  return m->endTime >= 0 && o->node->time > m->endTime;
}

void dv_rows_add_scalars(dvRowSet *set, dvState *s, int32_t first, size_t dof, double factor)
{
  double axis[DV_MAX_COORD] = {0};
  for (int k = 0; k < s->base.dof->deriv; k++) {
    axis[k] = 1;
    dv_rows_add(set, s, first + k, dof, axis, factor);
    axis[k] = 0;
  }
}

size_t dv_dof_laws(const dvDof *dof, size_t number, dvLaw law, dvLaw *out)
{
  size_t parts = dof->kind == DV_RIGID3 ? 2 : 1;
  law.kind = DV_LAW_EQUAL;
  law.rows = dof->deriv / (int)parts;
  for (size_t k = 0; out && k < parts; k++) {
    law.id = number * parts + k;
    out[k] = law;
  }
  return parts;
}
