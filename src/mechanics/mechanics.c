// Mechanical operations as loops over a plan's lists. See state.h.
//
// Order within one operation follows the graph; across mappings positions go down (inputs first) and forces come
// up (outputs first), so a force on any mapped state reaches the independent ones: f += J^T f_mapped.
#include "mechanics/mechanics.h"

#include "math/kernels.h"
#include "mechanics/touched.h"
#include "object/parts.h"
#include "scene/timer.h"

#include <string.h>

static void clear(dvState *s, int id)
{
  if (s->count) memset(dv_state_overwrite(s, id), 0, dv_state_scalars(s, id) * sizeof(double));
}

static dvPool *pool_of(const dvPlan *plan) { return plan->root->scene->context->pool; }

// fine timers: vector operations under one name, calls of components under the name of their class
static void begin(const dvPlan *plan, const char *name)
{
  dv_timer_begin_fine(plan->root->scene->context->timers, name);
}
static void end(const dvPlan *plan) { dv_timer_end_fine(plan->root->scene->context->timers); }
static void begin_call(const dvPlan *plan, const dvObject *o) { begin(plan, o->cls->name); }
static const char *const vectors = "vectors";

// --- vectors -------------------------------------------------------------------------------------

void dv_mech_combine(dvPlan *plan, int r, int a, double k, int b)
{
  begin(plan, vectors);
  for (size_t i = 0; i < plan->independent.count; i++) {
    dvState *s = dv_state(plan->independent.data[i]);
    const double *va = dv_state_read(s, a), *vb = dv_state_read(s, b);
    double *out = dv_state_overwrite(s, r);
    if (dv_vec_is_coord(r)) dv_dof_integrate(s->base.dof, s->count, out, va, vb, k);
    else dv_combine(pool_of(plan), va, k, vb, out, dv_state_scalars(s, r));
  }
  end(plan);
}

static void copy_vector(dvState *s, int to, int from)
{
  if (to == from || s->count == 0) return;
  const double *values = dv_state_read(s, from);
  memcpy(dv_state_overwrite(s, to), values, dv_state_scalars(s, to) * sizeof(double));
}

void dv_mech_copy(dvPlan *plan, int r, int a)
{
  begin(plan, vectors);
  for (size_t i = 0; i < plan->independent.count; i++) copy_vector(dv_state(plan->independent.data[i]), r, a);
  end(plan);
}

void dv_mech_clear(dvPlan *plan, int r)
{
  begin(plan, vectors);
  for (size_t i = 0; i < plan->independent.count; i++) {
    dvState *s = dv_state(plan->independent.data[i]);
    clear(s, r);
  }
  end(plan);
}

void dv_mech_scale(dvPlan *plan, int r, double k)
{
  begin(plan, vectors);
  for (size_t i = 0; i < plan->independent.count; i++) {
    dvState *s = dv_state(plan->independent.data[i]);
    dv_scale(pool_of(plan), k, dv_state_write(s, r), dv_state_scalars(s, r));
  }
  end(plan);
}

void dv_mech_difference(dvPlan *plan, int r, int a, int b)
{
  for (size_t i = 0; i < plan->independent.count; i++) {
    dvState *s = dv_state(plan->independent.data[i]);
    const double *va = dv_state_read(s, a), *vb = dv_state_read(s, b);
    dv_dof_difference(s->base.dof, s->count, dv_state_overwrite(s, r), va, vb);
  }
}

// Conjugate gradients that stop early lead where the rounding of their dot products leads them. Vectors of up to this
// many numbers are summed in SOFA's order, from the first point to the last, which costs little there; longer ones in
// the order that is fast.
enum { SHORT_VECTOR = 4096 };

static bool is_short(const dvState *s, int id) { return dv_state_scalars(s, id) <= SHORT_VECTOR; }

static double short_dot(dvState *s, int a, int b)
{
  const dvDof *dof = s->base.dof;
  int width = dv_vec_is_coord(a) ? dof->coord : dof->deriv;
  return dv_dot_of_points(dv_state_read(s, a), dv_state_read(s, b), s->count, width,
                          dof->kind == DV_RIGID2 || dof->kind == DV_RIGID3 ? dof->space : width);
}

static double dot_of_parts(dvPlan *plan, dvParts *parts, int a, int b);

double dv_mech_dot(dvPlan *plan, int a, int b)
{
  double sum = 0;
  dvParts *parts = dv_parts_of(plan->root->base.context);
  if (parts) return dot_of_parts(plan, parts, a, b);
  begin(plan, vectors);
  for (size_t i = 0; i < plan->independent.count; i++) {
    dvState *s = dv_state(plan->independent.data[i]);
    sum += is_short(s, a) ? short_dot(s, a, b)
                          : dv_dot(pool_of(plan), dv_state_read(s, a), dv_state_read(s, b), dv_state_scalars(s, a));
  }
  end(plan);
  return sum;
}

// of a body that is spread over processes: each sums over its own points, which come first
static double dot_of_parts(dvPlan *plan, dvParts *parts, int a, int b)
{
  double sum = 0;
  for (size_t i = 0; i < plan->independent.count; i++) {
    dvState *s = dv_state(plan->independent.data[i]);
    const size_t own = dv_min_size(3 * parts->owned, dv_state_scalars(s, a));
    sum += dv_dot(pool_of(plan), dv_state_read(s, a), dv_state_read(s, b), own);
  }
  return parts->sum(parts, sum);
}

void dv_mech_xpay(dvPlan *plan, int p, int r, double beta)
{
  begin(plan, vectors);
  for (size_t i = 0; i < plan->independent.count; i++) {
    dvState *s = dv_state(plan->independent.data[i]);
    dv_xpay(pool_of(plan), dv_state_read(s, r), beta, dv_state_write(s, p), dv_state_scalars(s, p));
  }
  end(plan);
}

double dv_mech_cg_step(dvPlan *plan, double alpha, int p, int q, int x, int r)
{
  double sum = 0;
  begin(plan, vectors);
  for (size_t i = 0; i < plan->independent.count; i++) {
    dvState *s = dv_state(plan->independent.data[i]);
    const double *vp = dv_state_read(s, p), *vq = dv_state_read(s, q);
    double square =
        dv_cg_step(pool_of(plan), alpha, vp, vq, dv_state_write(s, x), dv_state_write(s, r), dv_state_scalars(s, p));
    sum += is_short(s, r) ? short_dot(s, r, r) : square;
  }
  end(plan);
  return sum;
}

// --- mappings ------------------------------------------------------------------------------------

void dv_mech_propagate_x(dvPlan *plan, int x)
{
  for (size_t i = 0; i < plan->mappings.count; i++) {
    dvObject *o = plan->mappings.data[i].object;
    begin_call(plan, o);
    ((const dvMappingOps *)dv_ops(o, DV_ROLE_MAPPING))->apply(o, x, x);
    end(plan);
  }
}

void dv_mech_propagate_v(dvPlan *plan, int v)
{
  for (size_t i = 0; i < plan->mappings.count; i++) {
    dvObject *o = plan->mappings.data[i].object;
    begin_call(plan, o);
    ((const dvMappingOps *)dv_ops(o, DV_ROLE_MAPPING))->apply_j(o, v, v);
    end(plan);
  }
}

void dv_mech_propagate_live(dvPlan *plan, int x, int v)
{
  for (size_t i = plan->fixed.mappings; i < plan->mappings.count; i++) {
    dvObject *o = plan->mappings.data[i].object;
    const dvMappingOps *ops = dv_ops(o, DV_ROLE_MAPPING);
    begin_call(plan, o);
    ops->apply(o, x, x);
    ops->apply_j(o, v, v);
    end(plan);
  }
}

static const dvTouchedMapping *narrow(const dvTouched *t, size_t mapping)
{
  return t && mapping < t->mappings.count && t->mappings.data[mapping].narrow ? &t->mappings.data[mapping] : NULL;
}

static void propagate_dx(dvPlan *plan, int dx, const dvTouched *touched)
{
  for (size_t i = 0; i < plan->mappings.count; i++) {
    const dvPlanMapping *pm = &plan->mappings.data[i];
    if (!pm->carries) continue;
    if (narrow(touched, i)) dv_touched_apply_j(narrow(touched, i), dx);
    else ((const dvMappingOps *)dv_ops(pm->object, DV_ROLE_MAPPING))->apply_j(pm->object, dx, dx);
  }
}

void dv_mech_propagate_dx(dvPlan *plan, int dx) { propagate_dx(plan, dx, NULL); }

void dv_mech_mirror_outside(dvPlan *plan, int x, int v)
{
  for (size_t i = 0; i < plan->outside.count; i++) {
    copy_vector(dv_state(plan->outside.data[i]), x, DV_X);
    copy_vector(dv_state(plan->outside.data[i]), v, DV_V);
  }
}

// what lies outside of the plan does not move while its system is solved: no left-over of its own solver may act
static void hold_outside(dvPlan *plan, int dx)
{
  if (dx == DV_V) return;   // a real velocity
  for (size_t i = 0; i < plan->outside.count; i++) {
    dvState *s = dv_state(plan->outside.data[i]);
    memset(dv_state_write(s, dx), 0, dv_state_scalars(s, dx) * sizeof(double));
  }
}

static void clear_mapped(dvPlan *plan, int id)
{
  for (size_t i = 0; i < plan->mapped.count; i++) {
    dvState *s = dv_state(plan->mapped.data[i]);
    clear(s, id);
  }
}

static void collect_forces(dvPlan *plan, const dvMech *m, int f, bool carrying_only, const dvTouched *touched)
{
  for (size_t i = plan->mappings.count; i > 0; i--) {
    const dvPlanMapping *pm = &plan->mappings.data[i - 1];
    if (carrying_only && !pm->carries) continue;
    const dvMappingOps *ops = dv_ops(pm->object, DV_ROLE_MAPPING);
    begin_call(plan, pm->object);
    if (narrow(touched, i - 1)) dv_touched_apply_jt(narrow(touched, i - 1), f);
    else ops->apply_jt(pm->object, f, f);
    if (m && ops->apply_djt) ops->apply_djt(pm->object, m, f, m->dx, m->f);
    end(plan);
  }
}

// --- projections ---------------------------------------------------------------------------------

void dv_mech_project_x(dvPlan *plan, int x, double time)
{
  for (size_t i = 0; i < plan->projections.count; i++) {
    dvObject *o = plan->projections.data[i];
    begin_call(plan, o);
    ((const dvProjectiveOps *)dv_ops(o, DV_ROLE_PROJECTIVE))->project_position(o, x, time);
    end(plan);
  }
}

void dv_mech_project_v(dvPlan *plan, int v, double time)
{
  for (size_t i = 0; i < plan->projections.count; i++) {
    dvObject *o = plan->projections.data[i];
    begin_call(plan, o);
    ((const dvProjectiveOps *)dv_ops(o, DV_ROLE_PROJECTIVE))->project_velocity(o, v, time);
    end(plan);
  }
}

bool dv_mech_boundaries_move(const dvPlan *plan)
{
  for (size_t i = 0; i < plan->projections.count; i++)
    if (((const dvProjectiveOps *)dv_ops(plan->projections.data[i], DV_ROLE_PROJECTIVE))->moves) return true;
  return false;
}

void dv_mech_move_boundaries(dvPlan *plan, int v, double time)
{
  for (size_t i = 0; i < plan->projections.count; i++) {
    dvObject *o = plan->projections.data[i];
    const dvProjectiveOps *ops = dv_ops(o, DV_ROLE_PROJECTIVE);
    begin_call(plan, o);
    if (ops->moves) ops->project_velocity(o, v, time);
    end(plan);
  }
}

void dv_mech_settle(dvPlan *plan, int x, int v, double time)
{
  dv_mech_project_x(plan, x, time);
  dv_mech_project_v(plan, v, time);
  dv_mech_propagate_x(plan, x);
  dv_mech_propagate_v(plan, v);
}

void dv_mech_project_response(dvPlan *plan, int id)
{
  for (size_t i = 0; i < plan->projections.count; i++) {
    dvObject *o = plan->projections.data[i];
    begin_call(plan, o);
    ((const dvProjectiveOps *)dv_ops(o, DV_ROLE_PROJECTIVE))->project_response(o, id);
    end(plan);
  }
}

// --- forces and products -------------------------------------------------------------------------

static void feel_gravity(dvMech *m, const dvNode *node) { memcpy(m->gravity, node->gravity, sizeof m->gravity); }

// what constraints did in the last step bends mappings as forces do; main states have felt it already
static void add_multipliers(const dvPlan *plan, int f)
{
  int id = plan->root->scene->multipliers;
  for (size_t i = 0; id && i < plan->fixed.mappings; i++) {
    dvObject *output;
    for (size_t k = 0; plan->mappings.data[i].bends && (output = dv_mapping_output(plan->mappings.data[i].object, k));
         k++) {
      dvState *s = dv_state(output);
      if (!dv_state_has(s, id)) continue;
      double *to = dv_state_write(s, f);
      const double *from = dv_state_read(s, id);
      for (size_t n = 0; n < dv_state_scalars(s, f); n++) to[n] += from[n];
    }
  }
}

void dv_mech_compute_force(dvPlan *plan, dvMech *m)
{
  for (size_t i = 0; i < plan->states.count; i++) {
    dvState *s = dv_state(plan->states.data[i]);
    double *f = dv_state_overwrite(s, m->f);
    if (dv_state_has(s, DV_F_EXTERNAL))
      memcpy(f, dv_state_read(s, DV_F_EXTERNAL), dv_state_scalars(s, DV_F) * sizeof(double));
    else clear(s, m->f);
  }
  for (size_t i = 0; i < plan->masses.count; i++) {
    dvPlanItem it = plan->masses.data[i];
    feel_gravity(m, it.node);
    begin_call(plan, it.object);
    ((const dvMassOps *)dv_ops(it.object, DV_ROLE_MASS))->add_gravity(it.object, m);
    end(plan);
  }
  for (size_t i = 0; i < plan->forces.count; i++) {
    dvPlanItem it = plan->forces.data[i];
    feel_gravity(m, it.node);
    begin_call(plan, it.object);
    ((const dvForceOps *)dv_ops(it.object, DV_ROLE_FORCE))->add_force(it.object, m);
    end(plan);
  }
  collect_forces(plan, NULL, m->f, false, NULL);
  add_multipliers(plan, m->f);
}

static void add_mbk(dvPlan *plan, dvMech *m, const dvTouched *touched)
{
  clear_mapped(plan, m->df);
  for (size_t i = 0; i < plan->masses.count; i++) {
    dvPlanItem it = plan->masses.data[i];
    double factor = dv_mech_m(m, it.rayleigh_mass ? *it.rayleigh_mass : 0);
    if (factor == 0 || it.inert) continue;
    begin_call(plan, it.object);
    ((const dvMassOps *)dv_ops(it.object, DV_ROLE_MASS))->add_mdx(it.object, m, factor);
    end(plan);
  }
  if (m->k != 0 || m->b != 0) {
    for (size_t i = 0; i < plan->forces.count; i++) {
      dvPlanItem it = plan->forces.data[i];
      const dvForceOps *ops = dv_ops(it.object, DV_ROLE_FORCE);
      if (!ops->add_dforce) continue;
      begin_call(plan, it.object);
      ops->add_dforce(it.object, m);
      end(plan);
    }
  }
  collect_forces(plan, m->k != 0 ? m : NULL, m->df, true, touched);
}

void dv_mech_add_mbk(dvPlan *plan, dvMech *m) { add_mbk(plan, m, NULL); }

void dv_mech_product(dvPlan *plan, dvMech *m, int q, int p) { dv_mech_product_touched(plan, m, q, p, NULL); }

void dv_mech_product_touched(dvPlan *plan, dvMech *m, int q, int p, const dvTouched *touched)
{
  begin(plan, "product");
  propagate_dx(plan, p, touched);
  hold_outside(plan, p);
  m->dx = p;
  m->df = q;
  dv_mech_clear(plan, q);
  add_mbk(plan, m, touched);
  dv_mech_project_response(plan, q);
  end(plan);
}

void dv_mech_acc_from_f(dvPlan *plan, int a, int f)
{
  for (size_t i = 0; i < plan->masses.count; i++) {
    dvObject *o = plan->masses.data[i].object;
    const dvMassOps *ops = dv_ops(o, DV_ROLE_MASS);
    if (ops->acc_from_f) ops->acc_from_f(o, a, f);
  }
}

void dv_mech_add_separate_gravity(dvPlan *plan, dvMech *m)
{
  for (size_t i = 0; i < plan->masses.count; i++) {
    dvPlanItem it = plan->masses.data[i];
    const dvMassOps *ops = dv_ops(it.object, DV_ROLE_MASS);
    feel_gravity(m, it.node);
    if (ops->add_gravity_to_v) ops->add_gravity_to_v(it.object, m);
  }
}

void dv_mech_energy(dvPlan *plan, const dvMech *params, double *kinetic, double *potential)
{
  dvMech m = *params;
  *kinetic = *potential = 0;
  for (size_t i = 0; i < plan->masses.count; i++) {
    dvPlanItem it = plan->masses.data[i];
    const dvMassOps *ops = dv_ops(it.object, DV_ROLE_MASS);
    feel_gravity(&m, it.node);
    if (ops->kinetic) *kinetic += ops->kinetic(it.object, m.v);
    if (ops->potential) *potential += ops->potential(it.object, &m);
  }
  for (size_t i = 0; i < plan->forces.count; i++) {
    dvPlanItem it = plan->forces.data[i];
    const dvForceOps *ops = dv_ops(it.object, DV_ROLE_FORCE);
    feel_gravity(&m, it.node);
    if (ops->energy) *potential += ops->energy(it.object, &m);
  }
}
