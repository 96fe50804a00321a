// What all linear systems share: the calls of their tables, and assembling. See system.h.
#include "linear/system/system.h"

#include "scene/timer.h"

#define SELF dvLinearSystem
static const dvFieldDesc linear_system_fields[] = {DV_LINEAR_SYSTEM_FIELDS(DV_DESCRIBE)};
#undef SELF
const dvFieldBlock dv_linear_system_block = {linear_system_fields, (int)DV_COUNT(linear_system_fields)};

dvStatus dv_linear_system_build(dvObject *o, dvPlan *plan, const dvMech *m)
{
  dv_timer_begin(o->context->timers, "build");
  dvStatus status = ((const dvLinearSystemOps *)dv_ops(o, DV_ROLE_LINEAR_SYSTEM))->build(o, plan, m);
  dv_timer_end(o->context->timers);
  return status;
}

void dv_linear_system_product(dvObject *o, dvPlan *plan, int q, int p)
{
  ((const dvLinearSystemOps *)dv_ops(o, DV_ROLE_LINEAR_SYSTEM))->product(o, plan, q, p);
}

dvStatus dv_linear_system_collect_live(dvObject *o, dvPlan *plan, const dvMech *m)
{
  dvAssembly *a = dv_linear_system(o)->assembly;
  return a && a->size ? dv_live_collect(&a->live, a, o, plan, m) : DV_OK;
}

dvStatus dv_linear_system_assemble(dvLinearSystem *s, dvPlan *plan, const dvMech *m, dvAssemblyParts parts)
{
  s->assembly = &s->own;
  s->mech = *m;
  if (s->busy && !s->stale && s->own.matrix.values && dv_assembly_holds(&s->own, plan))
    return dv_linear_system_collect_live(&s->base, plan, m);
  s->own.later = s->later && !s->stale;
  if (!s->bringing && s->enableAssembly) dv_linear_system_drop_kept(s);   // a new one is due
  if (s->enableAssembly || s->stale || !s->own.matrix.values)
    DV_TRY(dv_assembly_build(&s->own, &s->base, plan, m, parts));
  s->matrixSize[0] = s->matrixSize[1] = (int32_t)dv_min_size(s->own.size, INT32_MAX);
  if (s->stale) DV_TRY(dv_linear_system_put_back(s));
  else s->stamp++;
  return parts.stiffness ? dv_linear_system_collect_live(&s->base, plan, m) : DV_OK;
}

bool dv_linear_system_is_outdated(const dvLinearSystem *s)
{
  bool same = true;
  for (size_t i = 0; i < s->own.states.count; i++)
    same = same && s->own.states.data[i].count == s->own.states.data[i].state->count;
  return !s->stale && s->own.matrix.values && !same;
}

void dv_linear_system_multiply(dvObject *o, dvPlan *plan, int q, int p)
{
  DV_UNUSED(plan);
  dv_assembly_product(dv_linear_system(o)->assembly, o->context->pool, q, p);
}

void dv_linear_system_destroy(dvObject *o)
{
  dvLinearSystem *s = dv_linear_system(o);
  dv_assembly_free(&s->own);
  dv_touched_free(&s->touched);
  dv_linear_system_drop_kept(s);
}
