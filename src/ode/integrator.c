// See integrator.h.
#include "ode/integrator.h"

#include "scene/timer.h"

dvPlan *dv_ode_plan(dvPlan **plan, const dvObject *o) { return dv_plan_get_tagged(plan, o->node, &o->node->base.tags); }

dvMech dv_ode_mech(const dvObject *o, double dt, bool implicit)
{
  return (dvMech){.x = DV_X, .v = DV_V, .f = DV_F, .dx = DV_DX, .df = DV_DF, .dt = dt, .time = o->node->time, .k = 1, .implicit = implicit};
}

// --- companions -------------------------------------------------------------------------------------

static dvObject *find_with_tags(const dvNode *node, const dvStrings *tags, bool (*fits)(const dvObject *o))
{
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    if (!o->failed && fits(o) && dv_object_has_tags(o, tags)) return o;
  }
  dvObject *found = NULL;
  for (size_t i = 0; i < node->children.count && !found; i++) found = find_with_tags(node->children.data[i], tags, fits);
  return found;
}

dvObject *dv_ode_find_below(const dvNode *node, bool (*fits)(const dvObject *o)) { return find_with_tags(node, &node->base.tags, fits); }

static bool is_linear_solver(const dvObject *o) { return o->cls->ops[DV_ROLE_LINEAR_SOLVER] != NULL; }

void dv_ode_find_linear_solver(const dvObject *o, dvLink *link)
{
  if (!link->target) link->target = dv_ode_find_below(o->node, is_linear_solver);
}

dvStatus dv_ode_need_linear_solver(dvObject *o, dvLink *link)
{
  dv_ode_find_linear_solver(o, link);
  if (link->target) return DV_OK;
  return dv_error(o, "add <CGLinearSolver iterations=\"25\" tolerance=\"1e-9\" threshold=\"1e-9\"/> to the node",
                  "an implicit integrator needs a linear solver in its node and finds none");
}

// --- operations --------------------------------------------------------------------------------------

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
  dvStatus status = ((const dvLinearSolverOps *)dv_ops(solver, DV_ROLE_LINEAR_SOLVER))->solve(solver, plan, m, x, b);
  dv_timer_end(o->context->timers);
  return status;
}

// --- accelerations -----------------------------------------------------------------------------------

// masses without acc_from_f are full matrices
static bool masses_are_diagonal(const dvPlan *plan)
{
  for (size_t i = 0; i < plan->masses.count; i++)
    if (!((const dvMassOps *)dv_ops(plan->masses.data[i].object, DV_ROLE_MASS))->acc_from_f) return false;
  return true;
}

dvStatus dv_ode_accelerate(const dvObject *o, dvObject *solver, dvPlan *plan, dvMech *m, int a)
{
  if (masses_are_diagonal(plan)) {
    dv_mech_acc_from_f(plan, a, m->f);
    dv_mech_project_response(plan, a);
    return DV_OK;
  }
  DV_REQUIRE(solver);   // dv_ode_check_explicit has made sure
  dv_mech_project_response(plan, m->f);
  return dv_ode_solve(o, solver, plan, m, a, m->f, (dvFactors){.m = 1});
}

dvStatus dv_ode_acceleration(const dvObject *o, dvObject *solver, dvPlan *plan, dvMech *m, int a)
{
  dv_mech_project_x(plan, m->x, m->time);
  dv_mech_project_v(plan, m->v, m->time);
  dv_mech_propagate_x(plan, m->x);
  dv_mech_propagate_v(plan, m->v);
  dv_ode_force(o, plan, m);
  return dv_ode_accelerate(o, solver, plan, m, a);
}

// --- checks before the first step ---------------------------------------------------------------------

// a mass acts on the state itself or on one that it drives
static bool has_mass(const dvPlan *plan, const dvObject *state)
{
  for (size_t i = 0; i < plan->masses.count; i++)
    if (dv_node_state_up(plan->masses.data[i].node) == state) return true;
  for (size_t i = 0; i < plan->mappings.count; i++) {
    dvObject *inputs[DV_MAPPING_STATES], *outputs[DV_MAPPING_STATES];
    int n = dv_mapping_inputs(plan->mappings.data[i].object, inputs), m = dv_mapping_outputs(plan->mappings.data[i].object, outputs);
    for (int k = 0; k < n; k++)
      for (int l = 0; inputs[k] == state && l < m; l++)
        if (outputs[l] != state && has_mass(plan, outputs[l])) return true;
  }
  return false;
}

dvStatus dv_ode_check_masses(dvObject *o, const char *consequence)
{
  dvPlan *plan = NULL;
  dv_ode_plan(&plan, o);
  for (size_t i = 0; i < plan->independent.count; i++) {
    const dvState *s = dv_state(plan->independent.data[i]);
    if (s->count == 0 || has_mass(plan, &s->base)) continue;
    char *path = dv_object_path(&s->base);
    dv_warning(o, "add <UniformMass totalMass=\"1\"/> to its node", "%s has no mass: %s", path, consequence);
    dv_free(path);
  }
  dv_plan_destroy(&plan);
  return DV_OK;
}

dvStatus dv_ode_check_explicit(dvObject *o, const dvObject *solver)
{
  dvPlan *plan = NULL;
  bool diagonal = masses_are_diagonal(dv_ode_plan(&plan, o));
  dv_plan_destroy(&plan);
  if (!diagonal && !solver)
    return dv_error(o, "add a linear solver to the node, or use a DiagonalMass", "a mass that is not diagonal needs a linear solver");
  return dv_ode_check_masses(o, "forces do not move it");
}
