// Systems without a matrix: A p is a walk over masses, forces and mappings. PreconditionedMatrixFreeSystem also has the
// system of the preconditioner built, every `assemblingRate` times that it is built itself.
#include "linear/system/matrix_free.h"

static dvStatus matrix_free_build(dvObject *o, dvPlan *plan, const dvMech *m)
{
  dvLinearSystem *s = dv_linear_system(o);
  s->mech = *m;
  dv_touched_find(&s->touched, plan);
  s->stamp++;
  return DV_OK;
}

static void matrix_free_product(dvObject *o, dvPlan *plan, int q, int p)
{
  const dvLinearSystem *s = dv_linear_system(o);
  dvMech m = s->mech;
  dv_mech_product_touched(plan, &m, q, p, &s->touched);
}

static const dvLinearSystemOps matrix_free_ops = {
    .build = matrix_free_build, .product = matrix_free_product, .kind = DV_SYSTEM_FREE};

const dvClass dv_matrix_free_class = {
    .struct_size = sizeof(dvClass),
    .name = "MatrixFreeSystem",
    .help = "the linear system as a product that is computed without a matrix, for iterative solvers",
    .module = "Sofa.Component.LinearSolver.Iterative",
    .size = sizeof(dvLinearSystem),
    .blocks = {&dv_object_block, &dv_linear_system_block},
    .ops = {[DV_ROLE_LINEAR_SYSTEM] = &matrix_free_ops},
    .destroy = dv_linear_system_destroy,
    .remember = dv_linear_system_remember,
    .restored = dv_linear_system_restored,
};

// --- with a preconditioner -----------------------------------------------------------------------

#define SELF dvPreconditionedSystem
static const dvFieldDesc preconditioned_fields[] = {DV_PRECONDITIONED_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus preconditioned_init(dvObject *o)
{
  dvPreconditionedSystem *s = (dvPreconditionedSystem *)o;
  if (s->assemblingRate < 0)
    return dv_field_error(o, &s->assemblingRate, NULL, "assemblingRate %d is negative", s->assemblingRate);
  s->waited = s->assemblingRate;   // the first time it is built
  return DV_OK;
}

static void preconditioned_remember(dvObject *o, dvMemoryStream *s)
{
  dvPreconditionedSystem *p = (dvPreconditionedSystem *)o;
  dv_linear_system_remember(o, s);
  dv_remember_numbers(s, "waited", &p->waited, sizeof p->waited);
}

static dvStatus preconditioned_build(dvObject *o, dvPlan *plan, const dvMech *m)
{
  dvPreconditionedSystem *s = (dvPreconditionedSystem *)o;
  DV_TRY(matrix_free_build(o, plan, m));
  if (!s->preconditionerSystem.target) return DV_OK;
  dvLinearSystem *target = dv_linear_system(s->preconditionerSystem.target);
  target->lasts = s->assemblingRate > 1;
  bool due = ++s->waited >= s->assemblingRate || dv_linear_system_is_outdated(target);
  if (due) s->waited = 0;
  if (!due && target->stale) return dv_linear_system_bring_back(&target->base, plan, m);
  return due ? dv_linear_system_build(&target->base, plan, m) : DV_OK;
}

static const dvLinearSystemOps preconditioned_ops = {
    .build = preconditioned_build, .product = matrix_free_product, .kind = DV_SYSTEM_FREE};

const dvClass dv_preconditioned_free_class = {
    .struct_size = sizeof(dvClass),
    .name = "PreconditionedMatrixFreeSystem",
    .help = "a system without a matrix whose preconditioner has one, built every so many times",
    .module = "Sofa.Component.LinearSolver.Iterative",
    .size = sizeof(dvPreconditionedSystem),
    .blocks = {&dv_object_block, &dv_linear_system_block, DV_BLOCK(preconditioned_fields)},
    .ops = {[DV_ROLE_LINEAR_SYSTEM] = &preconditioned_ops},
    .init = preconditioned_init,
    .destroy = dv_linear_system_destroy,
    .remember = preconditioned_remember,
    .restored = dv_linear_system_restored,
};
