// Why a state is no longer finite. After each step that ended well positions and velocities are kept; when a step did
// not, they are put back, and forces are asked which of them is without bound there, or where most of them is left
// over, elements whether they are turned inside out.
#include "math/vec.h"
#include "ode/loop.h"
#include "topology/topology.h"

#include <math.h>
#include <string.h>

// nothing is copied: the next step writes its positions and velocities into the other of two blocks
static void share_vectors(dvScene *scene, int to_x, int to_v, int from_x, int from_v)
{
  for (size_t i = 0; i < scene->plan->states.count; i++) {
    dvState *s = dv_state(scene->plan->states.data[i]);
    dv_state_share(s, to_x, from_x);
    dv_state_share(s, to_v, from_v);
  }
}

void dv_loop_keep_good(dvScene *scene)
{
  share_vectors(scene, DV_X_GOOD, DV_V_GOOD, DV_X, DV_V);
  scene->good_time = scene->root->time;
}

static bool has_good(const dvScene *scene)
{
  for (size_t i = 0; i < scene->plan->states.count; i++)
    if (!dv_state_has(dv_state(scene->plan->states.data[i]), DV_X_GOOD)) return false;
  return scene->step > 0 || scene->initialised;
}

void dv_loop_put_back(dvScene *scene)
{
  if (!has_good(scene)) return;
  share_vectors(scene, DV_X, DV_V, DV_X_GOOD, DV_V_GOOD);
  scene->root->time = scene->good_time;
  dv_scene_update_context(scene);
  dv_loop_touch(scene);
}

// --- the force -----------------------------------------------------------------------------------

// A point where forces are without bound, or leave most over.
typedef struct Culprit {
  dvState *state;
  size_t point;
  const dvObject *force;      // without bound there, or the largest
  const dvObject *against;    // the second largest, if any
  double left, size, other;   // N: of all forces, of these two; `size` is infinite when it is not finite
} Culprit;

static void clear_forces(const dvPlan *plan)
{
  for (size_t i = 0; i < plan->states.count; i++) {
    dvState *s = dv_state(plan->states.data[i]);
    memset(dv_state_write(s, DV_F), 0, dv_state_scalars(s, DV_F) * sizeof(double));
  }
}

static void add_force(const dvPlanItem *item, dvMech *m)
{
  memcpy(m->gravity, item->node->gravity, sizeof m->gravity);
  ((const dvForceOps *)dv_ops(item->object, DV_ROLE_FORCE))->add_force(item->object, m);
}

static double force_on(dvState *s, size_t point)
{
  size_t width = (size_t)s->base.dof->deriv;
  const double *f = dv_state_read(s, DV_F) + point * width;
  double sum = 0;
  for (size_t k = 0; k < width; k++) sum += f[k] * f[k];
  return isfinite(sum) ? sqrt(sum) : HUGE_VAL;
}

// the point with the largest force of those that were added, if that is larger than what is left there so far
static void look_for_largest(const dvPlan *plan, Culprit *c)
{
  for (size_t i = 0; i < plan->states.count; i++) {
    dvState *s = dv_state(plan->states.data[i]);
    for (size_t p = 0; p < dv_state_scalars(s, DV_F) / (size_t)s->base.dof->deriv; p++) {
      double size = force_on(s, p);
      if (size > c->left) c->state = s, c->point = p, c->left = size;
    }
  }
}

// the two forces that are largest there
static void name_forces(const dvPlan *plan, dvMech *m, Culprit *c)
{
  for (size_t i = 0; i < plan->forces.count; i++) {
    clear_forces(plan);
    add_force(&plan->forces.data[i], m);
    double size = force_on(c->state, c->point);
    const dvObject *o = plan->forces.data[i].object;
    if (size > c->size) c->against = c->force, c->other = c->size, c->force = o, c->size = size;
    else if (size > c->other) c->against = o, c->other = size;
  }
}

static Culprit find_culprit(dvScene *scene)
{
  const dvPlan *plan = scene->plan;
  dvMech m = {
      .x = DV_X, .v = DV_V, .f = DV_F, .dx = DV_DX, .df = DV_DF, .dt = scene->root->dt, .time = scene->root->time};
  Culprit c = {0};
  clear_forces(plan);
  for (size_t i = 0; i < plan->forces.count; i++) add_force(&plan->forces.data[i], &m);
  look_for_largest(plan, &c);
  if (c.state) name_forces(plan, &m, &c);
  return c;
}

static void tell_culprit(const Culprit *c, dvText *text)
{
  char *path = dv_object_path(c->force), *against = c->against ? dv_object_path(c->against) : NULL;
  if (!(c->size < HUGE_VAL)) dv_text_printf(text, "; the force of %s on point %zu is not finite", path, c->point);
  else {
    dv_text_printf(text, "; before that step forces left %.3g N over on point %zu: %.3g N came from %s", c->left,
                   c->point, c->size, path);
    if (against && c->other > 0) dv_text_printf(text, ", %.3g N from %s", c->other, against);
  }
  dv_free(path);
  dv_free(against);
}

// --- elements ------------------------------------------------------------------------------------

static double volume_of(const double *x, const int32_t *c)
{
  dvVec3 p[4];
  for (int i = 0; i < 4; i++) p[i] = dv_vec3(x[3 * c[i]], x[3 * c[i] + 1], x[3 * c[i] + 2]);
  return dv_vec3_dot(dv_vec3_sub(p[1], p[0]), dv_vec3_cross(dv_vec3_sub(p[2], p[0]), dv_vec3_sub(p[3], p[0])));
}

// the first tetrahedron that is turned inside out, -1 when there is none; `count` gets how many there are
static long inverted_tetrahedron(dvState *s, size_t *count)
{
  dvObject *o = dv_node_find_up(s->base.node, DV_ROLE_TOPOLOGY);
  long first = -1;
  *count = 0;
  if (!o || s->base.dof->kind != DV_VEC3 || o->failed) return -1;
  const dvInts *cells = dv_topology_elements(dv_topology(o), DV_TETRAHEDRON);
  const double *x = dv_state_read(s, DV_X), *rest = dv_state_read(s, DV_X_REST);
  for (size_t e = 0; e < dv_ints_size(cells); e++) {
    const int32_t *c = cells->data + 4 * e;
    bool inside = true;
    for (int i = 0; i < 4; i++) inside = inside && c[i] >= 0 && (size_t)c[i] < s->count;
    if (!inside || !(volume_of(x, c) * volume_of(rest, c) < 0)) continue;
    if (first < 0) first = (long)e;
    ++*count;
  }
  return first;
}

// --- the message ---------------------------------------------------------------------------------

static bool is_explicit(const dvState *s)
{
  bool explicit_one = false;   // the outermost solver rules
  for (const dvNode *n = s->base.node; n; n = n->parents.count ? n->parents.data[0] : NULL) {
    const dvObject *ode = dv_node_find(n, DV_ROLE_ODE);
    if (ode) explicit_one = ((const dvOdeOps *)dv_ops(ode, DV_ROLE_ODE))->kind == DV_ODE_EXPLICIT;
  }
  return explicit_one;
}

static void find_cause(dvScene *scene, dvState *s, dvText *text, dvText *advice)
{
  size_t inverted = 0;
  long element = inverted_tetrahedron(s, &inverted);
  Culprit c = find_culprit(scene);
  if (c.force) tell_culprit(&c, text);
  if (element >= 0)
    dv_text_printf(text, "; %zu tetrahedr%s inverted, the first is number %ld", inverted,
                   inverted == 1 ? "on is" : "a are", element);
  if (is_explicit(s))
    dv_text_add(advice, "likely: the time step is beyond the stability limit of the explicit integrator; make dt "
                        "smaller or the stiffness lower");
  else if (element >= 0)
    dv_text_add(advice,
                "likely: inverted elements, for some steps already; make dt or the loads smaller, hold the body "
                "better, let Newton's iterations find each step (NewtonRaphsonSolver), or use a corotational "
                "force, which recovers from inversion");
  else if (c.force && !(c.size < HUGE_VAL))
    dv_text_add(advice, "likely: this force has no bound there; look at its parameters and at points that meet");
  else
    dv_text_add(advice,
                "likely: a time step or stiffness that the linear solver cannot follow, a force without bound, or "
                "a body that is held too little for its loads; make dt smaller, give the solver more "
                "iterations, or hold more points");
}

void dv_loop_explain(dvScene *scene, dvState *s, dvText *text, dvText *advice)
{
  if (!has_good(scene)) {
    dv_text_add(advice, "the scene begins with it; look at the positions and velocities that are given");
    return;
  }
  dv_loop_put_back(scene);
  find_cause(scene, s, text, advice);
  dv_loop_touch(scene);
}
