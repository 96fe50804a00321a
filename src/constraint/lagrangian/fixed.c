// FixedLagrangianConstraint: points or frames that stay where they were at rest.
// UniformLagrangianConstraint: all values of a state are zero, or what they were at rest: lengths that mappings
// measure, areas, distances from a plane.
//
//   d = x - x_rest (or x) = 0; frames: position, and the vector of the rotation away from rest
//
// For velocities, d / h + v. Multipliers of fixed points start from those of the last step, others from zero.
#include "constraint/lagrangian/classes.h"
#include "constraint/lagrangian/model.h"

#include "math/vec.h"

#include <string.h>

#define FIXED_FIELDS(X)                               \
  X(indices, indices, "", "", "points that are held") \
  X(bool, fixAll, "0", "", "hold all points")
#define UNIFORM_FIELDS(X)                                                                  \
  X(bool, iterative, "1", "",                                                              \
    "each value is a constraint of its own; else all are solved together, by a factor of " \
    "their compliance")                                                                    \
  X(bool, constrainToRestPos, "0", "", "hold the values that they have at rest, instead of zero")

typedef struct Fixed {
  dvConstraintModel model;
  DV_ONE_STATE_FIELDS(DV_MEMBER)
  FIXED_FIELDS(DV_MEMBER)
  UNIFORM_FIELDS(DV_MEMBER)
} Fixed;

#define SELF Fixed
static const dvFieldDesc state_fields[] = {DV_ONE_STATE_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc fixed_fields[] = {FIXED_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc uniform_fields[] = {UNIFORM_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus fixed_check(dvObject *o)
{
  Fixed *f = (Fixed *)o;
  if (f->fixAll) return DV_OK;
  return dv_check_indices(o, &f->indices, f->model.first->count, "points");
}

static dvStatus fixed_init(dvObject *o)
{
  Fixed *f = (Fixed *)o;
  DV_TRY(dv_constraint_model_find(o, &f->mstate, "such", &f->model.first));
  o->dof = f->model.first->base.dof;
  f->constrainToRestPos = true;
  return DV_OK;
}

static dvStatus fixed_bwd_init(dvObject *o)
{
  Fixed *f = (Fixed *)o;
  DV_TRY(fixed_check(o));
  if (!f->fixAll) dv_follow_points(o, f->model.first, &f->indices);
  return DV_OK;
}

static dvStatus uniform_init(dvObject *o)
{
  Fixed *f = (Fixed *)o;
  DV_TRY(dv_constraint_model_find(o, &f->mstate, "such", &f->model.first));
  o->dof = f->model.first->base.dof;
  f->fixAll = true;
  return DV_OK;
}

static size_t held(const Fixed *f)
{
  if (dv_constraint_model_is_over(&f->model.base)) return 0;
  return f->fixAll ? f->model.first->count : f->indices.count;
}
static size_t point_of(const Fixed *f, size_t i) { return f->fixAll ? i : (size_t)f->indices.data[i]; }

static size_t fixed_laws(dvObject *o, const dvConstraintStep *step, dvLaw *out)
{
  DV_UNUSED(step);
  size_t n = held((Fixed *)o), count = 0;
  for (size_t i = 0; i < n; i++) count += dv_dof_laws(o->dof, i, (dvLaw){0}, out ? out + count : NULL);
  return count;
}

static size_t uniform_laws(dvObject *o, const dvConstraintStep *step, dvLaw *out)
{
  DV_UNUSED(step);
  const Fixed *f = (const Fixed *)o;
  size_t rows = held(f) * (size_t)o->dof->deriv;
  dvLaw law = {.kind = DV_LAW_EQUAL, .rows = f->iterative ? 1 : (int)rows, .restarts = true};
  if (!f->iterative) {
    if (out && rows) *out = law;
    return rows > 0;
  }
  for (size_t i = 0; out && i < rows; i++) {
    law.id = i;
    out[i] = law;
  }
  return rows;
}

static void fixed_rows(dvObject *o, const dvConstraintStep *step, dvRowSet *set, int32_t first)
{
  DV_UNUSED(step);
  Fixed *f = (Fixed *)o;
  f->model.constraintIndex = first;
  for (size_t i = 0; i < held(f); i++)
    dv_rows_add_scalars(set, f->model.first, first + (int32_t)i * o->dof->deriv, point_of(f, i), 1);
}

static void fixed_violation(dvObject *o, const dvConstraintStep *step, double *out)
{
  const Fixed *f = (const Fixed *)o;
  size_t width = (size_t)o->dof->deriv, coord = (size_t)o->dof->coord;
  const double *x = dv_state_read(f->model.first, dv_constraint_positions(step)),
               *v = dv_state_read(f->model.first, step->v), *rest = dv_state_read(f->model.first, DV_X_REST);
  double none[DV_MAX_COORD];
  dv_dof_identity(o->dof, none);
  for (size_t i = 0; i < held(f); i++) {
    size_t p = point_of(f, i);
    double *d = out + i * width;
    dv_dof_difference(o->dof, 1, d, x + p * coord, f->constrainToRestPos ? rest + p * coord : none);
    for (size_t k = 0; step->velocities && k < width; k++) d[k] = d[k] / step->dt + v[p * width + k];
  }
}

static const dvConstraintOps fixed_ops = {.laws = fixed_laws, .rows = fixed_rows, .violation = fixed_violation};
static const dvConstraintOps uniform_ops = {.laws = uniform_laws, .rows = fixed_rows, .violation = fixed_violation};

const dvClass dv_fixed_lagrangian_class = {
    .struct_size = sizeof(dvClass),
    .name = "FixedLagrangianConstraint",
    .help = "holds points or frames where they were at rest",
    .module = "Sofa.Component.Constraint.Lagrangian.Model",
    .dofs = DV_DOF_VECS | DV_DOF_RIGID3,
    .size = sizeof(Fixed),
    .blocks = {&dv_object_block, &dv_constraint_model_block, DV_BLOCK(state_fields), DV_BLOCK(fixed_fields)},
    .ops = {[DV_ROLE_CONSTRAINT] = &fixed_ops},
    .init = fixed_init,
    .bwd_init = fixed_bwd_init,
    .reinit = fixed_check,
};

const dvClass dv_uniform_lagrangian_class = {
    .struct_size = sizeof(dvClass),
    .name = "UniformLagrangianConstraint",
    .help = "holds all values of a state at zero or where they were at rest: lengths, areas, distances of mappings",
    .module = "Sofa.Component.Constraint.Lagrangian.Model",
    .dofs = DV_DOF_VECS,
    .size = sizeof(Fixed),
    .blocks = {&dv_object_block, &dv_constraint_model_block, DV_BLOCK(state_fields), DV_BLOCK(uniform_fields)},
    .ops = {[DV_ROLE_CONSTRAINT] = &uniform_ops},
    .init = uniform_init,
};
