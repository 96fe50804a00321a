// Solvers of bodies in one group: the leader's takes the least damping in proportion to mass and stiffness, the largest
// decay of velocities, and of conjugate gradients the most iterations and the sharpest tolerances, as SOFA merges them.
//
// The values stand in the fields of the leader's solvers for as long as the group lasts. One that somebody has changed
// meanwhile stays as it was changed.
#include "collision/response/merge.h"
#include "object/roles.h"

static const struct {
  dvRole role;
  const char *field;
  bool largest;
} rules[] = {{DV_ROLE_ODE, "rayleighStiffness", false},
             {DV_ROLE_ODE, "rayleighMass", false},
             {DV_ROLE_ODE, "vdamping", true},
             {DV_ROLE_LINEAR_SOLVER, "iterations", true},
             {DV_ROLE_LINEAR_SOLVER, "tolerance", false},
             {DV_ROLE_LINEAR_SOLVER, "threshold", false}};

static double value_of(const dvField *f)
{
  return f->desc->type == DV_T_REAL ? *(const double *)f->value : *(const int32_t *)f->value;
}

static void set_value(dvField *f, double value)
{
  if (f->desc->type == DV_T_REAL) *(double *)f->value = value;
  else *(int32_t *)f->value = (int32_t)value;
}

// a number of the node's solver; NULL when it has none
static dvField *number_in(const dvNode *node, size_t rule)
{
  dvObject *solver = dv_node_find(node, rules[rule].role);
  dvField *f = solver ? dv_object_field(solver, rules[rule].field) : NULL;
  return f && (f->desc->type == DV_T_REAL || f->desc->type == DV_T_INT) ? f : NULL;
}

// only solvers of one kind have numbers that mean the same
static bool same_kind(const dvNode *a, const dvNode *b, dvRole role)
{
  const dvObject *first = dv_node_find(a, role), *second = dv_node_find(b, role);
  return first && second && first->cls == second->cls;
}

void dv_merge_solvers(dvMergedSolvers *m, dvNode *leader)
{
  for (size_t r = 0; r < DV_COUNT(rules); r++) {
    dvField *field = number_in(leader, r);
    if (!field) continue;
    double own = value_of(field), merged = own;
    for (size_t i = 0; i < leader->joined.count; i++) {
      const dvNode *other = leader->joined.data[i];
      if (!same_kind(leader, other, rules[r].role)) continue;
      double value = value_of(number_in(other, r));
      if (rules[r].largest ? value > merged : value < merged) merged = value;
    }
    if (merged == own) continue;
    set_value(field, merged);
    dv_push(&m->values, ((dvMergedValue){field, own, merged}));
  }
}

void dv_part_solvers(dvMergedSolvers *m)
{
  for (size_t i = 0; i < m->values.count; i++) {
    const dvMergedValue *v = &m->values.data[i];
    if (value_of(v->field) == v->merged) set_value(v->field, v->own);
  }
  m->values.count = 0;
}

void dv_merged_solvers_free(dvMergedSolvers *m) { dv_array_free(&m->values); }

static const dvOdeOps *solver_in(const dvNode *node) { return dv_ops(dv_node_find(node, DV_ROLE_ODE), DV_ROLE_ODE); }

int dv_solver_leads(const dvNode *a, const dvNode *b)
{
  const dvOdeOps *first = solver_in(a), *second = solver_in(b);
  bool implicit[2] = {first->kind == DV_ODE_IMPLICIT, second->kind == DV_ODE_IMPLICIT};
  if (implicit[0] != implicit[1]) return implicit[0] ? 1 : -1;
  return implicit[0] ? 0 : (first->order > second->order) - (first->order < second->order);
}
