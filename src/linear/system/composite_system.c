// CompositeLinearSystem: several systems built together; solvers see one of them. The others are there to be looked at.
#include "linear/classes.h"
#include "linear/system/system.h"

#define COMPOSITE_FIELDS(X)                                                          \
  X(links, linearSystems, "", "", "systems to build", .role = DV_ROLE_LINEAR_SYSTEM) \
  X(link, solverLinearSystem, "", "", "the one that solvers use; the first by default", .role = DV_ROLE_LINEAR_SYSTEM)

typedef struct Composite {
  dvLinearSystem system;
  COMPOSITE_FIELDS(DV_MEMBER)
} Composite;

#define SELF Composite
static const dvFieldDesc composite_fields[] = {COMPOSITE_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus composite_init(dvObject *o)
{
  Composite *c = (Composite *)o;
  if (!c->solverLinearSystem.target && c->linearSystems.count)
    c->solverLinearSystem.target = c->linearSystems.data[0].target;
  if (!c->solverLinearSystem.target)
    return dv_error(o, "give linearSystems=\"@a @b\" or solverLinearSystem=\"@a\"",
                    "%s needs at least one linear system", o->cls->name);
  if (c->solverLinearSystem.target == o)
    return dv_field_error(o, &c->solverLinearSystem, NULL, "%s names itself as the system to solve", o->name);
  return dv_object_ensure(c->solverLinearSystem.target);
}

static dvStatus composite_build(dvObject *o, dvPlan *plan, const dvMech *m)
{
  Composite *c = (Composite *)o;
  dvObject *main = c->solverLinearSystem.target;
  for (size_t i = 0; i < c->linearSystems.count; i++) {
    dvObject *system = c->linearSystems.data[i].target;
    if (system && system != main && system != o && !system->failed) DV_TRY(dv_linear_system_build(system, plan, m));
  }
  DV_TRY(dv_linear_system_build(main, plan, m));
  c->system.assembly = dv_linear_system(main)->assembly;
  for (int i = 0; i < 2; i++) c->system.matrixSize[i] = dv_linear_system(main)->matrixSize[i];
  c->system.mech = *m;
  c->system.stamp++;
  return DV_OK;
}

static void composite_product(dvObject *o, dvPlan *plan, int q, int p)
{
  dv_linear_system_product(((Composite *)o)->solverLinearSystem.target, plan, q, p);
}

static const dvLinearSystemOps composite_ops = {.build = composite_build, .product = composite_product};

const dvClass dv_composite_system_class = {
    .struct_size = sizeof(dvClass),
    .name = "CompositeLinearSystem",
    .help = "builds several linear systems and hands one of them to the solver",
    .module = "Sofa.Component.LinearSystem",
    .size = sizeof(Composite),
    .blocks = {&dv_object_block, &dv_linear_system_block, DV_BLOCK(composite_fields)},
    .ops = {[DV_ROLE_LINEAR_SYSTEM] = &composite_ops},
    .init = composite_init,
    .destroy = dv_linear_system_destroy,
    .remember = dv_linear_system_remember,
    .restored = dv_linear_system_restored,
};
