// LinearSolverConstraintCorrection, GenericConstraintCorrection: constraints move an object through the matrix of its
// own time step.
//
//   W += h H A^-1 H^T,   x = x_free + h A^-1 H^T lambda,   v = v_free + A^-1 H^T lambda
//
// A is the matrix that the free motion was solved with; a solution of it is a change of velocity, and h and 1 are what
// the integrator makes of that (dvOdeOps.factors). The first corrects the state of its node, the second every main
// state of the linear system.
#include "constraint/lagrangian/classes.h"
#include "constraint/lagrangian/correction.h"
#include "linear/inverse.h"

#include <string.h>

#define CORRECTION_FIELDS(X)                                                                                      \
  X(real, regularizationTerm, "0", "", "added to the diagonal of the compliance of rows that touch the object",   \
    .least = "0")                                                                                                 \
  X(link, linearSolver, "", "", "solver whose matrix gives the compliance; that of the node or above by default", \
    .role = DV_ROLE_LINEAR_SOLVER)                                                                                \
  X(link, ODESolver, "", "", "integrator of the object; that of the node or above by default", .role = DV_ROLE_ODE)
#define LINEAR_FIELDS(X)                                                                                 \
  X(link, mstate, "", "", "state that is corrected; that of the node by default", .role = DV_ROLE_STATE) \
  X(bool, wire_optimization, "0", "", "accepted: rows are put in order for the factor in any case", .flags = DV_HIDDEN)
#define GENERIC_FIELDS(X) X(real, complianceFactor, "1", "", "factor of the compliance and of the correction")

typedef struct LinearCorrection {
  dvObject base;
  CORRECTION_FIELDS(DV_MEMBER)
  LINEAR_FIELDS(DV_MEMBER)
  GENERIC_FIELDS(DV_MEMBER)
  dvState *only;                // NULL: every main state of the system
  dvSparseRows all, own;        // rows over the unknowns: as many as there are; those that touch the object
  DV_ARRAY(int32_t) touching;   // numbers of the latter
  DV_ARRAY(double) w, force, motion;
} LinearCorrection;

#define SELF LinearCorrection
static const dvFieldDesc correction_fields[] = {CORRECTION_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc linear_fields[] = {LINEAR_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc generic_fields[] = {GENERIC_FIELDS(DV_DESCRIBE)};
#undef SELF

// --- companions --------------------------------------------------------------------------------------

static dvStatus find_solvers(LinearCorrection *c)
{
  dvObject *o = &c->base;
  if (!c->ODESolver.target) c->ODESolver.target = dv_node_find_up(o->node, DV_ROLE_ODE);
  if (!c->ODESolver.target)
    return dv_error(o, "add EulerImplicitSolver to the node", "%s needs a time integrator and finds none",
                    o->cls->name);
  if (!c->linearSolver.target) c->linearSolver.target = dv_node_find_up(o->node, DV_ROLE_LINEAR_SOLVER);
  if (!c->linearSolver.target)
    return dv_error(o, "add SparseLDLSolver to the node", "%s needs a linear solver and finds none", o->cls->name);
  const dvLinearSolverOps *ops = dv_ops(c->linearSolver.target, DV_ROLE_LINEAR_SOLVER);
  if (!ops->apply)
    return dv_error(o, "use SparseLDLSolver instead of it", "%s needs a solver with a factor; %s has none",
                    o->cls->name, c->linearSolver.target->name);
  return dv_object_ensure(c->linearSolver.target);
}

static dvStatus linear_correction_init(dvObject *o)
{
  LinearCorrection *c = (LinearCorrection *)o;
  dvObject *state = c->mstate.target ? c->mstate.target : dv_node_state(o->node);
  if (!state) return dv_error(o, "put it beside the MechanicalObject", "%s finds no state in its node", o->cls->name);
  c->only = dv_state(state);
  c->complianceFactor = 1;
  return find_solvers(c);
}

static dvStatus generic_correction_init(dvObject *o) { return find_solvers((LinearCorrection *)o); }

static const dvAssembly *assembly_of(const LinearCorrection *c)
{
  return dv_linear_system(dv_linear_solver(c->linearSolver.target)->system)->assembly;
}

static dvMotionFactors factors_of(const LinearCorrection *c, double dt)
{
  dvMotionFactors f = dv_motion_factors(c->ODESolver.target, dt);
  return (dvMotionFactors){c->complianceFactor * f.position, c->complianceFactor * f.velocity};
}

// --- compliance --------------------------------------------------------------------------------------

static void take_rows(LinearCorrection *c, const dvConstraintStep *step, const dvRowSet *rows, size_t count)
{
  dv_assembly_flatten(assembly_of(c), rows, c->only, step->unheld, count, &c->all);
  dv_sparse_rows_clear(&c->own);
  c->touching.count = 0;
  for (size_t i = 0; i < count; i++) {
    size_t begin = c->all.start.data[i], end = c->all.start.data[i + 1];
    if (begin == end) continue;
    for (size_t e = begin; e < end; e++)
      dv_sparse_rows_add(&c->own, (int32_t)c->touching.count, c->all.col.data[e], c->all.value.data[e]);
    dv_push(&c->touching, (int32_t)i);
  }
  dv_sparse_rows_settle(&c->own, c->touching.count);
}

static void add_scaled(double *restrict sum, double factor, const double *restrict values, size_t count)
{
  for (size_t i = 0; i < count; i++) sum[i] += factor * values[i];
}

static dvStatus linear_correction_add_compliance(dvObject *o, const dvConstraintStep *step, const dvRowSet *rows,
                                                 size_t count, double *w)
{
  LinearCorrection *c = (LinearCorrection *)o;
  if (!assembly_of(c))
    return dv_error(o, "remove integrators above its node: only the topmost one of a branch moves it",
                    "%s has solved nothing, so that there is no factor to correct with", c->linearSolver.target->name);
  take_rows(c, step, rows, count);
  size_t n = c->touching.count;
  if (n == 0) return DV_OK;
  if (!dv_try_reserve(&c->w, n * n > c->w.count ? n * n - c->w.count : 0))
    return dv_error(o, NULL, "out of memory for the compliance of %zu rows", n);
  dv_array_resize(&c->w, n * n);
  DV_TRY(dv_linear_solver_compliance(c->linearSolver.target, &c->own, c->w.data));
  double factor = dv_motion_factor(factors_of(c, step->dt), step);
  for (size_t i = 0; i < n; i++) {
    double *row = w + (size_t)c->touching.data[i] * count;
    for (size_t k = 0, end; k < n; k = end) {   // contacts of a pair of bodies stand side by side
      const int32_t *at = c->touching.data + k;
      for (end = k + 1; end < n && c->touching.data[end] == *at + (int32_t)(end - k);) end++;
      add_scaled(row + *at, factor, c->w.data + i * n + k, end - k);
    }
    row[c->touching.data[i]] += c->regularizationTerm;
  }
  return DV_OK;
}

// L D L^T is
static bool linear_correction_symmetric(const dvObject *o)
{
  const LinearCorrection *c = (const LinearCorrection *)o;
  const dvLinearSolverOps *ops = dv_ops(c->linearSolver.target, DV_ROLE_LINEAR_SOLVER);
  return ops->compliance && assembly_of(c)->live.h.count == 0;
}

// --- motion ------------------------------------------------------------------------------------------

// the rows are those of the last add_compliance
static dvStatus linear_correction_apply(dvObject *o, const dvConstraintStep *step, const dvRowSet *rows,
                                        const double *lambda, int x, int v)
{
  DV_UNUSED(rows);
  LinearCorrection *c = (LinearCorrection *)o;
  const dvAssembly *a = assembly_of(c);
  if (c->touching.count == 0) return DV_OK;
  dv_array_resize(&c->force, a->size);
  dv_array_resize(&c->motion, a->size);
  memset(c->force.data, 0, a->size * sizeof *c->force.data);
  dv_sparse_rows_add_transposed(&c->all, lambda, c->force.data);
  DV_TRY(dv_linear_solver_inverse(c->linearSolver.target, c->motion.data, c->force.data));
  dvMotionFactors factors = factors_of(c, step->dt);
  for (size_t i = 0; i < a->main_count; i++) {
    const dvAssemblyState *s = &a->states.data[i];
    if (c->only && s->state != c->only) continue;
    dv_motion_apply(s->state, step, factors, c->motion.data + s->offset, 0, s->count, x, v);
  }
  return DV_OK;
}

static bool linear_correction_covers(const dvObject *o, const dvObject *state)
{
  const LinearCorrection *c = (const LinearCorrection *)o;
  if (c->only) return &c->only->base == state;
  const dvAssembly *a = assembly_of(c);
  for (size_t i = 0; a && i < a->main_count; i++)
    if (&a->states.data[i].state->base == state) return true;
  return false;
}

static void linear_correction_destroy(dvObject *o)
{
  LinearCorrection *c = (LinearCorrection *)o;
  dv_sparse_rows_free(&c->all);
  dv_sparse_rows_free(&c->own);
  dv_array_free(&c->touching);
  dv_array_free(&c->w);
  dv_array_free(&c->force);
  dv_array_free(&c->motion);
}

static const dvCorrectionOps linear_correction_ops = {.add_compliance = linear_correction_add_compliance,
                                                      .apply = linear_correction_apply,
                                                      .covers = linear_correction_covers,
                                                      .symmetric = linear_correction_symmetric};

const dvClass dv_linear_correction_class = {
    .struct_size = sizeof(dvClass),
    .name = "LinearSolverConstraintCorrection",
    .help = "lets constraints move the object of its node through the matrix of its linear solver",
    .module = "Sofa.Component.Constraint.Lagrangian.Correction",
    .size = sizeof(LinearCorrection),
    .blocks = {&dv_object_block, DV_BLOCK(correction_fields), DV_BLOCK(linear_fields)},
    .ops = {[DV_ROLE_CORRECTION] = &linear_correction_ops},
    .init = linear_correction_init,
    .destroy = linear_correction_destroy,
};

const dvClass dv_generic_correction_class = {
    .struct_size = sizeof(dvClass),
    .name = "GenericConstraintCorrection",
    .help = "lets constraints move all objects that a linear solver solves for, through its matrix",
    .module = "Sofa.Component.Constraint.Lagrangian.Correction",
    .size = sizeof(LinearCorrection),
    .blocks = {&dv_object_block, DV_BLOCK(correction_fields), DV_BLOCK(generic_fields)},
    .ops = {[DV_ROLE_CORRECTION] = &linear_correction_ops},
    .init = generic_correction_init,
    .destroy = linear_correction_destroy,
};
