// Checks over a whole scene. See lint.h. Each check is one function over the states, nodes or components it concerns;
// a proposal is a text that can be put into the scene as it stands.
#include "app/lint.h"

#include "engine/select/roi.h"
#include "io/scene/attribute_order.h"
#include "mechanics/mechanics.h"
#include "ode/loop.h"
#include "topology/geometry.h"
#include "topology/topology.h"

#include <math.h>
#include <string.h>

typedef struct Lint {
  dvVisitor visitor;
  dvScene *scene;
} Lint;

// --- small questions -----------------------------------------------------------------------------

static const dvObject *solver_of(const dvNode *node)
{
  const dvObject *above = NULL;
  for (size_t i = 0; i < node->parents.count && !above; i++) above = solver_of(node->parents.data[i]);
  return above ? above : dv_node_find(node, DV_ROLE_ODE);   // the outermost one rules
}

static bool is_explicit(const dvObject *ode)
{
  return ((const dvOdeOps *)dv_ops(ode, DV_ROLE_ODE))->kind == DV_ODE_EXPLICIT;
}

// a loop may cut the step of the scene into parts
static double integration_step(const dvScene *scene)
{
  static const char *const parts[] = {"collisionSteps", "integrationSteps"};
  double dt = scene->root->dt;
  for (size_t i = 0; i < DV_COUNT(parts); i++) {
    const dvField *f = dv_object_field(scene->loop, parts[i]);
    if (f) dt /= *(const int32_t *)f->value;
  }
  return dt;
}

static bool has_mass(const dvPlan *plan, const dvObject *state)
{
  for (size_t i = 0; i < plan->masses.count; i++)
    if (dv_node_state_up(plan->masses.data[i].node) == state) return true;
  return false;
}

// a mass or force on the state, or on one that is mapped from it
static bool is_acted_on(const dvPlan *plan, const dvObject *state, bool masses)
{
  dvObject *list[DV_FORCE_STATES];
  if (masses && has_mass(plan, state)) return true;
  for (size_t i = 0; !masses && i < plan->forces.count; i++) {
    int n = dv_force_states(plan->forces.data[i].object, list);
    for (int k = 0; k < n; k++)
      if (list[k] == state) return true;
  }
  for (size_t i = 0; i < plan->mappings.count; i++) {
    const dvObject *mapping = plan->mappings.data[i].object;
    dvObject *input, *output;
    for (size_t k = 0; (input = dv_mapping_input(mapping, k)); k++)
      for (size_t l = 0; input == state && (output = dv_mapping_output(mapping, l)); l++)
        if (is_acted_on(plan, output, masses)) return true;
  }
  return false;
}

static void extent(const dvReals *points, double low[3], double high[3])
{
  for (int k = 0; k < 3; k++) low[k] = INFINITY, high[k] = -INFINITY;
  size_t n = dv_reals_size(points);
  for (size_t i = 0; i < n; i++)
    for (int k = 0; k < 3 && k < points->width; k++) {
      double v = points->data[i * (size_t)points->width + (size_t)k];
      low[k] = dv_min(low[k], v);
      high[k] = dv_max(high[k], v);
    }
}

// --- states and solvers --------------------------------------------------------------------------

static void check_states(dvScene *scene)
{
  const dvPlan *plan = scene->plan;
  for (size_t i = 0; i < plan->independent.count; i++) {
    const dvObject *s = plan->independent.data[i];
    bool solved = solver_of(s->node) != NULL, mass = is_acted_on(plan, s, true), force = is_acted_on(plan, s, false);
    if (!solved && (mass || force))
      dv_warning(s, "add <EulerImplicitSolver/><SparseLDLSolver/> to the node", "%s has %s, but no solver moves it",
                 s->name, mass ? "a mass" : "forces");
  }
}

// --- Lagrangian constraints ----------------------------------------------------------------------

typedef struct Constraints {
  dvVisitor visitor;
  const dvObject *first;   // of those that stand in the scene
  const dvObject *solver;
} Constraints;

static dvWalk look_for_constraints(dvVisitor *v, dvNode *node)
{
  Constraints *c = (Constraints *)v;
  if (!c->solver) c->solver = dv_node_find(node, DV_ROLE_CONSTRAINT_SOLVER);
  for (size_t i = 0; i < node->objects.count && !c->first; i++) {
    const dvObject *o = node->objects.data[i];
    if (!o->failed && o->cls->ops[DV_ROLE_CONSTRAINT]) c->first = o;
  }
  return DV_WALK_ON;
}

// a chain of three: the loop asks the solver, and corrections move what it finds; contacts are told by their managers
static void check_constraints(dvScene *scene)
{
  Constraints c = {.visitor = {.top_down = look_for_constraints}};
  dv_visit(scene->root, &c.visitor);
  if (!c.first) return;
  const dvObject *loop = scene->loop;
  bool solves = loop && (dv_plays(loop, DV_ROLE_CONSTRAINT_SOLVER) || dv_object_field(loop, "constraintSolver"));
  if (!solves)
    dv_warning(c.first, "add <FreeMotionAnimationLoop/> to the root, in place of another loop",
               "constraints have no effect: the loop of the scene does not solve them");
  else if (!c.solver)
    dv_warning(c.first, "add <BlockGaussSeidelConstraintSolver/> beside the loop",
               "constraints have no effect: there is no constraint solver");
  if (scene->plan->corrections.count == 0)
    dv_warning(c.first, "add <LinearSolverConstraintCorrection/> to the node with the integrator",
               "constraints move nothing: no object of the scene has a constraint correction");
}

void dv_scene_lint_motion(dvScene *scene)
{
  dv_scene_refresh(scene);
  check_states(scene);
  check_constraints(scene);
  dv_lint_ties(scene);
}

// whether something in the node takes the node's state
static bool has_takers(const dvNode *node)
{
  static const dvRole takers[] = {DV_ROLE_MASS,       DV_ROLE_FORCE,           DV_ROLE_MAPPING,   DV_ROLE_ODE,
                                  DV_ROLE_PROJECTIVE, DV_ROLE_COLLISION_MODEL, DV_ROLE_CONSTRAINT};
  for (size_t i = 0; i < node->objects.count; i++)
    for (size_t k = 0; k < DV_COUNT(takers); k++)
      if (dv_plays(node->objects.data[i], takers[k])) return true;
  return false;
}

// of states, integrators, masses and animation loops a node has one
static void check_single(const dvNode *node)
{
  static const struct {
    dvRole role;
    const char *effect, *advice;
  } rows[] = {
      {DV_ROLE_STATE, "masses and forces act on the first one", "remove it, or give it a node of its own"},
      {DV_ROLE_ODE, "each of them moves the node in every step", "remove one of them"},
      {DV_ROLE_MASS, "they add up", "remove one of them"},
      {DV_ROLE_LOOP, "it is ignored", "remove one of them"},
  };
  for (size_t k = has_takers(node) ? 0 : 1; k < DV_COUNT(rows); k++) {
    const dvObject *first = NULL;
    for (size_t i = 0; i < node->objects.count; i++) {
      const dvObject *o = node->objects.data[i];
      bool counts = rows[k].role == DV_ROLE_STATE ? dv_is_mechanical_state(o) : o->cls->ops[rows[k].role] != NULL;
      if (counts && rows[k].role == DV_ROLE_ODE)
        counts = ((const dvOdeOps *)dv_ops(o, DV_ROLE_ODE))->kind != DV_ODE_BESIDE && o->tags.count == 0;
      if (counts && rows[k].role == DV_ROLE_MASS) counts = !dv_plays(o, DV_ROLE_FORCE);
      if (!counts) continue;
      if (first)
        dv_warning(o, rows[k].advice, "%s is the second %s of the node, beside %s: %s", o->name,
                   dv_role_name(rows[k].role), first->name, rows[k].effect);
      else first = o;
    }
  }
}

// numbers that stop what they should move
static void check_numbers(const dvObject *o)
{
  static const char *const damping[] = {"rayleighStiffness", "rayleighMass"};
  const dvField *total = dv_plays(o, DV_ROLE_MASS) ? dv_object_field(o, "totalMass") : NULL;
  if (total && total->was_set && total->desc->type == DV_T_REAL && *(const double *)total->value == 0)
    dv_field_warning(o, total->value, "give a positive mass", "the mass is 0: nothing resists the motion");
  for (size_t i = 0; i < DV_COUNT(damping); i++) {
    const dvField *f = dv_object_field(o, damping[i]);
    if (f && f->desc->type == DV_T_REAL && *(const double *)f->value < 0)
      dv_field_warning(o, f->value, "give 0 or more", "%s is %g: negative damping feeds energy into the motion",
                       damping[i], *(const double *)f->value);
  }
}

// contacts that are found later than they should act
static void check_distances(const dvObject *o)
{
  const dvField *alarm = dv_object_field(o, "alarmDistance"), *contact = dv_object_field(o, "contactDistance");
  if (!dv_plays(o, DV_ROLE_INTERSECTION) || !alarm || !contact) return;
  if (alarm->desc->type != DV_T_REAL || contact->desc->type != DV_T_REAL) return;
  const double sees = *(const double *)alarm->value, acts = *(const double *)contact->value;
  if (sees >= acts) return;
  char *advice = dv_format("give alarmDistance=\"%g\"", 2 * acts);
  dv_field_warning(o, alarm->value, advice,
                   "alarmDistance %g is below contactDistance %g: contacts act before they are found", sees, acts);
  dv_free(advice);
}

// a visual model below a body that moves, which nothing takes along
static void check_visual(const dvObject *o)
{
  const dvObject *state = dv_node_state_up(o->node);
  if (!o->cls->ops[DV_ROLE_VISUAL] || !dv_plays(o, DV_ROLE_STATE) || !state || !solver_of(state->node) ||
      state->node == o->node)
    return;
  const dvField *points = dv_object_field(o, "position");
  const dvObject *from = points && points->source ? points->source->owner : NULL;
  if (!points || ((const dvReals *)points->value)->count == 0) return;
  if (from && !dv_plays(from, DV_ROLE_LOADER) && !dv_plays(from, DV_ROLE_TOPOLOGY))
    return;   // it follows what it is linked to
  for (size_t i = 0; i < o->node->scene->plan->visual_mappings.count; i++) {
    const dvObject *mapping = o->node->scene->plan->visual_mappings.data[i];
    dvObject *out;
    for (size_t k = 0; (out = dv_mapping_output(mapping, k)); k++)
      if (out == o) return;
  }
  dv_warning(o, "add <BarycentricMapping/> (or <RigidMapping/>, <IdentityMapping/>) to the node",
             "no mapping takes the visual model along: it will stand still while %s moves", state->name);
}

static void check_solver(dvObject *o)
{
  dvPlan *plan = NULL;
  dv_plan_get(&plan, o->node);
  if (plan->independent.count == 0)
    dv_warning(o, "add a MechanicalObject to the node or below it", "the solver finds no state to move");
  for (const dvNode *n = o->node; n->parents.count; n = n->parents.data[0])
    if (dv_node_find(n->parents.data[0], DV_ROLE_ODE) && !dv_loop_has_turn(o->node->scene->loop, o)) {
      dv_warning(o, "remove one of them, or give both their turn with MultiTagAnimationLoop",
                 "the solver is ignored: %s further up rules this node",
                 dv_node_find(n->parents.data[0], DV_ROLE_ODE)->name);
      break;
    }
  dv_plan_destroy(&plan);
}

// largest eigenvalue of M^-1 K by power iteration: an explicit step longer than 2 / sqrt of it explodes
static double stiffest_frequency(dvPlan *plan, int v, int w, int a)
{
  dvMech m = {.x = DV_X, .v = DV_V, .f = DV_F, .dx = v, .df = w, .k = -1, .implicit = true};
  dv_mech_compute_force(plan, &m);   // forces keep what their products need
  uint64_t seed = 88172645463325252ull;
  for (size_t i = 0; i < plan->independent.count; i++) {
    dvState *s = dv_state(plan->independent.data[i]);
    double *values = dv_state_overwrite(s, v);
    for (size_t k = 0; k < dv_state_scalars(s, v); k++) {
      seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
      values[k] = (double)(seed >> 11) * 0x1p-53 - 0.5;
    }
  }
  double value = 0;
  for (int i = 0; i < 60; i++) {
    double norm = sqrt(dv_mech_dot(plan, v, v));
    if (!(norm > 0) || !isfinite(norm)) return 0;
    dv_mech_scale(plan, v, 1 / norm);
    dv_mech_product(plan, &m, w, v);
    dv_mech_clear(plan, a);
    dv_mech_acc_from_f(plan, a, w);
    dv_mech_project_response(plan, a);
    value = dv_mech_dot(plan, v, a);
    dv_mech_copy(plan, v, a);
  }
  return value > 0 ? sqrt(value) : 0;
}

static void check_explicit_step(dvObject *o)
{
  if (!is_explicit(o)) return;
  dvPlan *plan = NULL;
  dv_plan_get(&plan, o->node);
  int v = 0, w = 0, a = 0;
  dv_vecs_take(o, DV_VEC_DERIV, &v, &w, &a);
  double frequency = plan->independent.count && plan->masses.count ? stiffest_frequency(plan, v, w, a) : 0,
         dt = integration_step(o->node->scene);
  const dvField *parts = dv_object_field(o, "substeps");   // the integrator itself may cut its step
  if (parts) dt /= *(const int32_t *)parts->value;
  dv_vecs_give(o, &v, &w, &a);
  if (frequency > 0 && dt > 2 / frequency) {
    char *advice = dv_format("make the step smaller: dt=\"%.2g\"", 1.6 / frequency);
    dv_warning(o, advice, "the time step %g s is beyond the stability limit of an explicit integrator, %.3g s here", dt,
               2 / frequency);
    dv_free(advice);
  }
  dv_plan_destroy(&plan);
}

// --- components nobody uses ----------------------------------------------------------------------

typedef struct Usage {
  dvVisitor visitor;
  const dvObject *wanted;
  bool used;
} Usage;

// a state follows its link only until it is initialised: what was written counts too
static bool was_linked(dvObject *o, const dvField *f, const dvObject *wanted)
{
  char *name = NULL;
  bool found = f->link && dv_link_split(o, f->link, &name) == wanted;
  dv_free(name);
  return found;
}

static void look_for_use(Usage *u, dvObject *o)
{
  if (o == u->wanted) return;
  for (int i = 0; i < o->field_count && !u->used; i++) {
    const dvField *f = &o->fields[i];
    if (f->source ? f->source->owner == u->wanted : was_linked(o, f, u->wanted)) u->used = true;
    if (f->desc->type == DV_T_LINK && ((dvLink *)f->value)->target == u->wanted) u->used = true;
    if (f->desc->type == DV_T_LINKS)
      for (size_t k = 0; k < ((dvLinks *)f->value)->count; k++)
        u->used = u->used || ((dvLinks *)f->value)->data[k].target == u->wanted;
  }
}

static dvWalk look_in_node(dvVisitor *v, dvNode *node)
{
  Usage *u = (Usage *)v;
  look_for_use(u, &node->base);
  for (size_t i = 0; i < node->objects.count; i++) look_for_use(u, node->objects.data[i]);
  return u->used ? DV_WALK_PRUNE : DV_WALK_ON;
}

static bool is_used(dvScene *scene, const dvObject *o)
{
  Usage u = {.visitor = {.top_down = look_in_node, .everything = true}, .wanted = o};
  dv_visit(scene->root, &u.visitor);
  return u.used;
}

static void check_unused(dvScene *scene, dvObject *o)
{
  if (dv_plays(o, DV_ROLE_LOADER) && !is_used(scene, o)) {
    char *advice = dv_format("link to it: src=\"@%s\"", o->name);
    dv_warning(o, advice, "the loader reads a file, but nothing uses it");
    dv_free(advice);
  }
  if (dv_plays(o, DV_ROLE_ENGINE) && !dv_plays(o, DV_ROLE_VISUAL) && !is_used(scene, o)) {
    char *advice = dv_format("link to its result, for example indices=\"@%s.indices\", or remove it", o->name);
    dv_warning(o, advice, "nothing uses what %s computes", o->name);
    dv_free(advice);
  }
  if (dv_plays(o, DV_ROLE_LINEAR_SOLVER) && !dv_node_find(o->node, DV_ROLE_ODE) && !is_used(scene, o))
    dv_warning(o, "move it into the node with the integrator", "no integrator in the node uses the linear solver");
  const dvObject *first = dv_plays(o, DV_ROLE_LINEAR_SOLVER) ? dv_node_find(o->node, DV_ROLE_LINEAR_SOLVER) : NULL;
  if (first && first != o && dv_node_find(o->node, DV_ROLE_ODE) && !o->tags.count && !is_used(scene, o))
    dv_warning(o, "remove one of them", "nothing uses this linear solver: %s stands before it in the node",
               first->name);
}

// --- selections ----------------------------------------------------------------------------------

// boxes, spheres and their kin tell it themselves
static void check_selection(dvObject *o)
{
  const dvField *indices = dv_object_field(o, "indices"), *position = dv_object_field(o, "position");
  if (!dv_plays(o, DV_ROLE_ENGINE) || !indices || indices->desc->type != DV_T_INTS ||
      !(indices->desc->flags & DV_OUTPUT))
    return;
  if (o->cls->bwd_init == dv_roi_bwd_init || ((dvInts *)indices->value)->count || !position ||
      !((dvReals *)position->value)->count)
    return;
  double low[3], high[3];
  extent(position->value, low, high);
  char *advice =
      dv_format("the points reach from (%g %g %g) to (%g %g %g)", low[0], low[1], low[2], high[0], high[1], high[2]);
  dv_warning(o, advice, "the selection is empty");
  dv_free(advice);
}

// --- shapes and sizes ----------------------------------------------------------------------------

// the first of several elements, for a message
typedef struct Found {
  size_t count, first;
} Found;

static void note(Found *f, size_t number)
{
  if (f->count++ == 0) f->first = number;
}

// elements that were given: without size, or turned inside out, at rest
static void check_elements(dvObject *o)
{
  dvTopology *t = dv_topology(o);
  dvObject *state = dv_node_state_up(o->node);
  const dvReals *own = dv_topology_positions(t);
  bool stated = state && state->dof->kind == DV_VEC3;
  const double *x = stated ? dv_state_read(dv_state(state), DV_X_REST) : own->data;
  size_t points = stated ? dv_state(state)->count : dv_reals_size(own);
  for (dvElementKind kind = DV_EDGE; kind < DV_ELEMENT_KINDS && points; kind++) {
    const dvInts *list = dv_topology_given(t, kind);
    size_t corners = (size_t)dv_element_points(kind), all = list->count / corners;
    Found flat = {0}, inverted = {0};
    for (size_t i = 0; i < all; i++) {
      const int32_t *element = list->data + i * corners;
      bool inside = true;
      for (size_t c = 0; c < corners; c++) inside = inside && (size_t)element[c] < points;
      if (!inside) continue;
      if (dv_element_measure(kind, x, element) == 0) note(&flat, i);
      else if (dv_element_signed_volume(kind, x, element) < 0) note(&inverted, i);
    }
    if (flat.count)
      dv_warning(o, "remove them from the mesh, or move their points apart",
                 "%zu of %zu %s have no size at rest; the first is number %zu", flat.count, all, dv_element_name(kind),
                 flat.first);
    if (inverted.count)
      dv_warning(o, "swap two points of each", "%zu of %zu %s are turned inside out at rest; the first is number %zu",
                 inverted.count, all, dv_element_name(kind), inverted.first);
  }
}

static void check_magnitudes(dvScene *scene)
{
  const dvNode *root = scene->root;
  double g = sqrt(root->gravity[0] * root->gravity[0] + root->gravity[1] * root->gravity[1] +
                  root->gravity[2] * root->gravity[2]);
  double largest = 0;
  for (size_t i = 0; i < scene->plan->independent.count; i++) {
    dvState *s = dv_state(scene->plan->independent.data[i]);
    dvReals x = {
        .data = (double *)dv_state_read(s, DV_X), .count = dv_state_scalars(s, DV_X), .width = s->base.dof->coord};
    if (s->count < 2 || s->base.dof->space < 3 || !solver_of(s->base.node)) continue;
    double low[3], high[3];
    extent(&x, low, high);
    for (int k = 0; k < 3; k++) largest = dv_max(largest, high[k] - low[k]);
  }
  // what there is, with the same direction
  double metres[3], millimetres[3];
  for (int k = 0; k < 3; k++) metres[k] = g > 0 ? 9.81 * root->gravity[k] / g : 0, millimetres[k] = 1000 * metres[k];
  char *in_m = dv_format("gravity=\"%.4g %.4g %.4g\"", metres[0], metres[1], metres[2]),
       *in_mm = dv_format("gravity=\"%.4g %.4g %.4g\"", millimetres[0], millimetres[1], millimetres[2]), *advice = NULL;
  if (g > 1000 && largest > 0 && largest < 10) {
    advice = dv_format("for metres set %s", in_m);
    dv_warning(&root->base, advice,
               "gravity is %g, as in millimetres, but the largest object measures %g, as in metres", g, largest);
  } else if (g > 1 && g < 100 && largest > 20) {
    advice = dv_format("for millimetres set %s; for metres scale the mesh by 0.001", in_mm);
    dv_warning(&root->base, advice,
               "the largest object measures %g, as in millimetres, but gravity is %g, as in metres", largest, g);
  } else if (g > 100 && g <= 1000) {
    advice = dv_format("set %s for metres or %s for millimetres", in_m, in_mm);
    dv_warning(&root->base, advice, "gravity is %g", g);
  }
  dv_free(in_m), dv_free(in_mm), dv_free(advice);
  if (root->dt > 1) dv_warning(&root->base, "set dt=\"0.01\"", "the time step is %g s", root->dt);
}

static void check_stiffness(const dvObject *o)
{
  const dvField *young = dv_object_field(o, "youngModulus");
  if (!young || young->desc->type != DV_T_REALS) return;
  const dvReals *values = young->value;
  if (values->count && values->data[0] > 0 && values->data[0] < 1)
    dv_field_warning(o, values, "soft tissue has youngModulus=\"3000\" to 100000 Pa",
                     "Young's modulus is %g Pa, softer than any solid", values->data[0]);
}

// --- names ---------------------------------------------------------------------------------------

static void check_names(dvNode *node)
{
  for (size_t i = 0; i < node->objects.count; i++)
    for (size_t k = 0; k < i; k++) {
      const dvObject *o = node->objects.data[i];
      if (!dv_same(o->name, node->objects.data[k]->name)) continue;
      char *advice = dv_format("give it another name: name=\"%s2\"", o->name);
      dv_warning(o, advice, "another component of the node is called '%s' too, and links find the first one", o->name);
      dv_free(advice);
      break;
    }
}

// --- attributes ----------------------------------------------------------------------------------

static void check_attributes(const dvObject *o)
{
  size_t first = 0;
  for (dvAttributeConflict c; dv_attribute_conflict(o, &first, &c);) {
    const char *format = "%s=\"%s\" and %s=\"%s\" both set %s: %s counts%s";
    const char *field = dv_field_name(c.field->desc),
               *other = c.differs ? ", in the other mode of compat the other" : "";
    if (c.differs)
      dv_warning(o, "keep one of them", format, c.lost->name, c.lost->value, c.counts->name, c.counts->value, field,
                 c.counts->name, other);
    else dv_note(o, format, c.lost->name, c.lost->value, c.counts->name, c.counts->value, field, c.counts->name, other);
  }
}

// --- all -----------------------------------------------------------------------------------------

static dvWalk lint_node(dvVisitor *v, dvNode *node)
{
  Lint *l = (Lint *)v;
  check_names(node);
  check_single(node);
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    if (o->failed) continue;
    if (dv_plays(o, DV_ROLE_ODE)) {
      check_solver(o);
      check_explicit_step(o);
    }
    check_unused(l->scene, o);
    check_attributes(o);
    check_selection(o);
    check_stiffness(o);
    check_numbers(o);
    check_distances(o);
    check_visual(o);
    if (dv_plays(o, DV_ROLE_TOPOLOGY)) check_elements(o);
  }
  return DV_WALK_ON;
}

int dv_scene_lint(dvScene *scene)
{
  int before = scene->context->log.counts[DV_WARNING];
  dv_scene_refresh(scene);
  check_states(scene);
  check_constraints(scene);
  dv_lint_ties(scene);
  check_magnitudes(scene);
  Lint l = {.visitor = {.top_down = lint_node}, .scene = scene};
  dv_visit(scene->root, &l.visitor);
  return scene->context->log.counts[DV_WARNING] - before;
}
