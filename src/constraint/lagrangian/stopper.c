// StopperLagrangianConstraint: a value stays between two others, as a joint that has come to its stop.
//
//   min <= x <= max, with a multiplier only where it would leave: two unilateral rows x - min, max - x in one law
//
// One row: without its multiplier the value is x = d - w lambda; the law brings it to the nearer bound when it lies
// outside of both. A value that leaves with a change of its mesh is held no more.
#include "constraint/lagrangian/classes.h"
#include "constraint/lagrangian/model.h"

#define STOPPER_FIELDS(X)                                  \
  DV_ONE_STATE_FIELDS(X)                                   \
  X(int, index, "0", "", "degree of freedom that is held") \
  X(real, min, "-100", "", "smallest value")               \
  X(real, max, "100", "", "largest value")

typedef struct Stopper {
  dvConstraintModel model;
  STOPPER_FIELDS(DV_MEMBER)
  double low, high;   // of the row: positions, or velocities that lead there
  dvInts held;        // the value; empty when it has left
} Stopper;

#define SELF Stopper
static const dvFieldDesc stopper_fields[] = {STOPPER_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus stopper_check(dvObject *o)
{
  Stopper *s = (Stopper *)o;
  DV_TRY(dv_constraint_model_check(o, &s->index, s->model.first));
  if (!(s->min <= s->max))
    return dv_field_error(o, &s->max, "exchange them", "there is no value between %g and %g", s->min, s->max);
  s->held.width = 1;
  if (!dv_ints_assign(&s->held, &s->index, 1)) return dv_error(o, NULL, "out of memory");
  dv_element_list_forget(dv_follow_points(o, s->model.first, &s->held));
  return DV_OK;
}

static void stopper_topology_changed(dvObject *o)
{
  Stopper *s = (Stopper *)o;
  dv_follow_patched(o);
  if (!s->held.count) return;
  s->index = s->held.data[0];
  dv_touch(o, &s->index);
}

static void stopper_destroy(dvObject *o) { dv_ints_free(&((Stopper *)o)->held); }

static dvStatus stopper_init(dvObject *o)
{
  Stopper *s = (Stopper *)o;
  DV_TRY(dv_constraint_model_find(o, &s->mstate, "such", &s->model.first));
  o->dof = s->model.first->base.dof;
  return DV_OK;
}

// the value starts within its bounds
static dvStatus stopper_bwd_init(dvObject *o)
{
  Stopper *s = (Stopper *)o;
  DV_TRY(stopper_check(o));
  double *x = &dv_state_write(s->model.first, DV_X)[s->index];
  *x = dv_max(s->min, dv_min(s->max, *x));
  return DV_OK;
}

static void stopper_solve(dvObject *o, const dvLaw *law, const double *w, const double *d, double *lambda)
{
  DV_UNUSED(law);
  const Stopper *s = (const Stopper *)o;
  double free = d[0] - w[0] * lambda[0];
  lambda[0] = free > s->high ? (s->high - free) / w[0] : free < s->low ? (s->low - free) / w[0] : 0;
}

static size_t stopper_laws(dvObject *o, const dvConstraintStep *step, dvLaw *out)
{
  DV_UNUSED(step);
  if (dv_constraint_model_is_over(o) || !((const Stopper *)o)->held.count) return 0;
  if (out) *out = (dvLaw){.kind = DV_LAW_OWN, .rows = 1, .solve = stopper_solve, .restarts = true};
  return 1;
}

static void stopper_rows(dvObject *o, const dvConstraintStep *step, dvRowSet *set, int32_t first)
{
  DV_UNUSED(step);
  Stopper *s = (Stopper *)o;
  s->model.constraintIndex = first;
  dv_rows_add_scalars(set, s->model.first, first, (size_t)s->index, 1);
}

static void stopper_violation(dvObject *o, const dvConstraintStep *step, double *out)
{
  Stopper *s = (Stopper *)o;
  double x = dv_state_read(s->model.first, dv_constraint_positions(step))[s->index];
  s->low = s->min, s->high = s->max;
  *out = x;
  if (!step->velocities) return;
  s->low = (s->min - x) / step->dt, s->high = (s->max - x) / step->dt;
  *out = dv_state_read(s->model.first, step->v)[s->index];
}

static const dvConstraintOps stopper_ops = {.laws = stopper_laws, .rows = stopper_rows, .violation = stopper_violation};

const dvClass dv_stopper_class = {
    .struct_size = sizeof(dvClass),
    .name = "StopperLagrangianConstraint",
    .help = "keeps a value between two others",
    .module = "Sofa.Component.Constraint.Lagrangian.Model",
    .dofs = DV_DOF_VEC1,
    .size = sizeof(Stopper),
    .blocks = {&dv_object_block, &dv_constraint_model_block, DV_BLOCK(stopper_fields)},
    .ops = {[DV_ROLE_CONSTRAINT] = &stopper_ops},
    .init = stopper_init,
    .bwd_init = stopper_bwd_init,
    .reinit = stopper_check,
    .destroy = stopper_destroy,
    .topology_changed = stopper_topology_changed,
};
