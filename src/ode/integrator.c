// See integrator.h.
#include "ode/integrator.h"

#include "object/parts.h"
#include "scene/timer.h"

dvPlan *dv_ode_plan(dvPlan **plan, const dvObject *o) { return dv_plan_get_tagged(plan, o->node, &o->node->base.tags); }

dvMech dv_ode_mech(const dvObject *o, double dt, bool implicit)
{
  return (dvMech){.x = DV_X,
                  .v = DV_V,
                  .f = DV_F,
                  .dx = DV_DX,
                  .df = DV_DF,
                  .dt = dt,
                  .time = o->node->time,
                  .k = 1,
                  .implicit = implicit};
}

// --- companions ----------------------------------------------------------------------------------

static dvObject *find_with_tags(const dvNode *node, const dvStrings *tags, bool failed, bool (*fits)(const dvObject *o))
{
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    if (o->failed == failed && fits(o) && dv_object_has_tags(o, tags)) return o;
  }
  dvObject *found = NULL;
  for (size_t i = 0; i < node->children.count && !found; i++)
    if (!dv_node_rests(node->children.data[i])) found = find_with_tags(node->children.data[i], tags, failed, fits);
  return found;
}

dvObject *dv_ode_find_below(const dvNode *node, bool (*fits)(const dvObject *o))
{
  return find_with_tags(node, &node->base.tags, false, fits);
}

static bool is_linear_solver(const dvObject *o) { return o->cls->ops[DV_ROLE_LINEAR_SOLVER] != NULL; }

void dv_ode_find_linear_solver(const dvObject *o, dvLink *link)
{
  if (!link->target) link->target = dv_ode_find_below(o->node, is_linear_solver);
}

dvStatus dv_ode_need_linear_solver(dvObject *o, dvLink *link)
{
  dv_ode_find_linear_solver(o, link);
  if (link->target && dv_node_left_out(link->target->node))
    return dv_error(o, "activate its node, or name another one",
                    "the linear solver %s stands in a node that is left out", link->target->name);
  if (link->target) return DV_OK;
  // there is one with a mistake, which was told
  if (find_with_tags(o->node, &o->node->base.tags, true, is_linear_solver)) return DV_ERROR_INPUT;
  return dv_error(o, "add <SparseLDLSolver/> to the node",
                  "an implicit integrator needs a linear solver in its node and finds none");
}

int dv_ode_warm(const dvObject *solver, int id)
{
  const dvLinearSolverOps *ops = solver ? dv_ops(solver, DV_ROLE_LINEAR_SOLVER) : NULL;
  return ops && ops->starts_warm && ops->starts_warm(solver) ? id : 0;
}

// --- operations ----------------------------------------------------------------------------------

void dv_ode_force(const dvObject *o, dvPlan *plan, dvMech *m)
{
  dv_timer_begin(o->context->timers, "force");
  dv_mech_compute_force(plan, m);
  dv_timer_end(o->context->timers);
}

static void set_factors(dvMech *m, dvFactors f)
{
  m->m = f.m;
  m->b = f.b;
  m->k = f.k;
}

void dv_ode_add_product(dvPlan *plan, dvMech *m, int df, int dx, dvFactors factors)
{
  set_factors(m, factors);
  m->dx = dx;
  m->df = df;
  dv_mech_add_mbk(plan, m);
}

dvStatus dv_ode_solve(const dvObject *o, dvObject *solver, dvPlan *plan, dvMech *m, int x, int b, dvFactors factors)
{
  set_factors(m, factors);
  dv_timer_begin(o->context->timers, "solve");
  const dvLinearSolverOps *ops = dv_ops(solver, DV_ROLE_LINEAR_SOLVER);
  dvStatus status = ops->solve(solver, plan, m, x, b);
  if (ops->settle) ops->settle(solver);
  dv_timer_end(o->context->timers);
  return status;
}

// --- accelerations -------------------------------------------------------------------------------

// masses without acc_from_f are full matrices
static bool masses_are_diagonal(const dvPlan *plan)
{
  for (size_t i = 0; i < plan->masses.count; i++)
    if (!((const dvMassOps *)dv_ops(plan->masses.data[i].object, DV_ROLE_MASS))->acc_from_f) return false;
  return true;
}

// forces on points of other processes are not complete here: what follows from them comes from there
static dvStatus share_among_parts(dvPlan *plan, int id)
{
  dvParts *parts = dv_parts_of(plan->root->base.context);
  for (size_t i = 0; parts && i < plan->independent.count; i++)
    DV_TRY(parts->share(parts, dv_state_write(dv_state(plan->independent.data[i]), id), 3));
  return DV_OK;
}

dvStatus dv_ode_accelerate(const dvObject *o, dvObject *solver, dvPlan *plan, dvMech *m, int a)
{
  if (masses_are_diagonal(plan)) {
    dv_mech_acc_from_f(plan, a, m->f);
    dv_mech_project_response(plan, a);
    return share_among_parts(plan, a);
  }
  DV_REQUIRE(solver);   // dv_ode_check_explicit has made sure
  dv_mech_project_response(plan, m->f);
  return dv_ode_solve(o, solver, plan, m, a, m->f, (dvFactors){.m = 1});
}

dvStatus dv_ode_acceleration(const dvObject *o, dvObject *solver, dvPlan *plan, dvMech *m, int a)
{
  dv_mech_settle(plan, m->x, m->v, m->time);
  dv_ode_force(o, plan, m);
  return dv_ode_accelerate(o, solver, plan, m, a);
}

// --- checks before the first step ----------------------------------------------------------------

// a mass acts on the state itself or on one that it drives
static bool has_mass(const dvPlan *plan, const dvObject *state)
{
  for (size_t i = 0; i < plan->masses.count; i++)
    if (dv_node_state_up(plan->masses.data[i].node) == state) return true;
  for (size_t i = 0; i < plan->mappings.count; i++) {
    const dvObject *mapping = plan->mappings.data[i].object;
    dvObject *input, *output;
    for (size_t k = 0; (input = dv_mapping_input(mapping, k)); k++)
      for (size_t l = 0; input == state && (output = dv_mapping_output(mapping, l)); l++)
        if (output != state && has_mass(plan, output)) return true;
  }
  return false;
}

dvStatus dv_ode_check_masses(dvObject *o, const char *consequence)
{
  dvPlan *plan = NULL;
  dv_ode_plan(&plan, o);
  for (size_t i = 0; i < plan->independent.count; i++) {
    const dvState *s = dv_state(plan->independent.data[i]);
    if (s->count == 0 || has_mass(plan, &s->base) || o->context->log.worst != DV_OK)
      continue;   // a mass may be missing for want of its mesh
    char *path = dv_object_path(&s->base);
    dv_warning(o, "add <UniformMass totalMass=\"1\"/> to its node", "%s has no mass: %s", path, consequence);
    dv_free(path);
  }
  dv_plan_destroy(&plan);
  return DV_OK;
}

// M times a motion of 1 everywhere; what it leaves at zero is divided by nothing
static void warn_of_zero_masses(dvObject *o, dvPlan *plan)
{
  dvMech m = {.dx = DV_DX, .df = DV_DF};
  for (size_t i = 0; i < plan->states.count; i++) {
    dvState *s = dv_state(plan->states.data[i]);
    double *dx = dv_state_write(s, DV_DX), *df = dv_state_write(s, DV_DF);
    for (size_t k = 0; k < dv_state_scalars(s, DV_DX); k++) dx[k] = 1, df[k] = 0;
  }
  dv_mech_project_response(plan, DV_DX);
  for (size_t i = 0; i < plan->masses.count; i++) {
    dvObject *mass = plan->masses.data[i].object;
    ((const dvMassOps *)dv_ops(mass, DV_ROLE_MASS))->add_mdx(mass, &m, 1);
  }
  for (size_t i = 0; i < plan->states.count; i++) {
    dvState *s = dv_state(plan->states.data[i]);
    double *dx = dv_state_write(s, DV_DX), *df = dv_state_write(s, DV_DF);
    size_t scalars = dv_state_scalars(s, DV_DX), empty = 0, first = 0, width = (size_t)s->base.dof->deriv;
    bool own = false;   // masses of mapped states reach it through the mapping
    for (size_t k = 0; k < plan->masses.count; k++)
      own = own || dv_node_state_up(plan->masses.data[k].node) == &s->base;
    for (size_t k = 0; k < scalars; k++)
      if (dx[k] != 0 && df[k] == 0 && empty++ == 0) first = k / width;
    if (own && empty > 0) {
      char *path = dv_object_path(&s->base);
      dv_warning(o, "give every point that is free to move a positive mass",
                 "%s: %zu of %zu directions have no mass, the first at point %zu: forces do not move them", path, empty,
                 scalars, first);
      dv_free(path);
    }
    for (size_t k = 0; k < scalars; k++) dx[k] = df[k] = 0;
  }
}

dvStatus dv_ode_check_explicit(dvObject *o, const dvObject *solver)
{
  dvPlan *plan = NULL;
  bool diagonal = masses_are_diagonal(dv_ode_plan(&plan, o));
  if (diagonal) warn_of_zero_masses(o, plan);
  dv_plan_destroy(&plan);
  if (!diagonal && !solver)
    return dv_error(o, "add a linear solver to the node, or use a DiagonalMass",
                    "a mass that is not diagonal needs a linear solver");
  return dv_ode_check_masses(o, "forces do not move it");
}
