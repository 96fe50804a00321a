// PressureConstraint: a chamber of the heart whose blood pushes on its wall, with valves and a Windkessel, as a force.
// ProjectivePressureConstraint: keeps the volume of such a chamber while its valves are closed. See chamber.h.
//
//   f = p g,   df = p d2V/dx2 dx - s g (g . dx),   p = p_b - s (V - V_b)
//
// The pressure is found together with the motion: its dependence on the volume is part of the derivative, as a term of
// rank one over the whole wall. Products carry it as it is; matrices do up to WALL points, beyond that they are for
// preconditioners. The pressure of a step is that of the linearised step, p + dp/dV g . (x' - x), and with Newton's
// iterations what these lead to.
//
// A search along the line of a correction (lineSearchCriterion of NewtonRaphsonSolver) would be hindered by valves that
// are closed: what a correction of the walls changes of the volume in second order is a pressure of ten times that of
// the blood. There the pressure is an unknown of its own. The force has the pressure q that the linearised equation
// leads to, in proportion to the length of the step, and the law comes in where it is linearised anew, as what lags
// behind:
//
//   q(alpha) = q_i + alpha (p_i - q_i) - s g_i . (x - x_i),   lag (p - q) g
//
// The projection moves positions along g until the volume is what it was when the valve closed, and takes the
// velocity's part along g away: what the compliance of the blood and the linearisation leave is gone.
#include "heart/chamber.h"
#include "heart/classes.h"
#include "ode/newton.h"

#include <math.h>
#include <string.h>

enum { WALL = 800 };

typedef struct Pressure {
  dvForce force;
  DV_CHAMBER_MEMBERS
  DV_ARRAY(double) at;                  // positions of the last evaluation
  DV_ARRAY(double) matrix;              // of the wall
  double h, base, bent, slope, along;   // of it: step, pressure, that of the curvature, s, g . x
  double next;                          // pressure that the projection has found before it moved the wall
  double lag;                           // p - q of the last evaluation
  DV_ARRAY(double) from, first;         // of a search: the wall where it was linearised, and its first step
  DV_ARRAY(double) from_g;              // g there
  double from_pressure, from_lag;       // q and p - q there
  double from_slope;                    // s there
  bool searched;                        // q is the pressure: steps are searched along lines by their slopes
  bool fresh;                           // nothing was linearised since the last evaluation
  bool started, tried;                  // `from` and `first` are those of this step
  bool told;                            // there is one
  bool iterates;                        // the solver has the products: a matrix is for its preconditioner
} Pressure;

#define SELF Pressure
static const dvFieldDesc pressure_fields[] = {DV_CHAMBER_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus check_solver(Pressure *p)
{
  dvObject *o = &p->force.base, *solver = dv_node_find_up(o->node, DV_ROLE_LINEAR_SOLVER);
  p->iterates = solver && strstr(solver->cls->name, "CG");
  if (p->chamber.points.count <= WALL || !solver || p->iterates) return DV_OK;
  return dv_error(o, "use CGLinearSolver, or PCGLinearSolver with a direct one as preconditioner",
                  "the pressure couples all %zu points of the wall, which %s cannot solve for", p->chamber.points.count,
                  solver->cls->name);
}

static dvStatus pressure_init(dvObject *o)
{
  Pressure *p = (Pressure *)o;
  DV_TRY(dv_force_init(o));
  DV_TRY(dv_object_ensure(&p->force.state->base));
  DV_TRY(dv_chamber_init(&p->chamber, o, p->force.state));
  dv_array_resize(&p->at, 3 * p->force.state->count);
  return check_solver(p);
}

// damping in proportion to all stiffness would also act on how the pressure depends on the volume
static void warn_of_damping(const dvObject *o)
{
  const dvObject *ode = dv_node_find_up(o->node, DV_ROLE_ODE);
  const dvField *f = ode ? dv_object_field(ode, "rayleighStiffness") : NULL;
  if (f && f->desc->type == DV_T_REAL && *(const double *)f->value > 0)
    dv_warning(o, "set it to 0, and give the muscle its viscosity: pronySeries of MooneyRivlin",
               "rayleighStiffness of %s also resists the flow through the valves", ode->name);
}

static void push(const dvChamber *c, double pressure, double *f)
{
  for (size_t i = 0; i < c->points.count; i++)
    for (size_t k = 0; k < 3; k++) f[3 * (size_t)c->points.data[i] + k] += pressure * c->g.data[3 * i + k];
}

static void pressure_add_lag(dvObject *o, const dvMech *m)
{
  Pressure *p = (Pressure *)o;
  if (!p->searched || 3 * p->force.state->count != p->at.count) return;
  push(&p->chamber, p->lag, dv_state_write(p->force.state, m->f));
}

static void find_search(Pressure *p)
{
  dvObject *o = &p->force.base, *ode = dv_node_find_up(o->node, DV_ROLE_ODE);
  const dvField *f = ode ? dv_object_field(ode, "newtonSolver") : NULL;
  dvObject *newton = f && f->desc->type == DV_T_LINK ? ((const dvLink *)f->value)->target : NULL;
  p->searched = newton && newton->cls == &dv_newton_class && dv_newton_by_slope(newton);
  if (p->searched) dv_newton_register_lag(newton, (dvLag){o, pressure_add_lag});
}

static dvStatus pressure_bwd_init(dvObject *o)
{
  Pressure *p = (Pressure *)o;
  warn_of_damping(o);
  find_search(p);
  DV_TRY(dv_chamber_compare(&p->chamber, o, dv_state_read(p->force.state, DV_X)));
  dv_chamber_start(&p->chamber, dv_state_read(p->force.state, DV_X));
  dv_chamber_touch(&p->chamber, o);
  return DV_OK;
}

static dvStatus pressure_reinit(dvObject *o) { return dv_chamber_check(&((Pressure *)o)->chamber, o); }

static double along_g(const dvChamber *c, const double *x)
{
  double sum = 0;
  for (size_t i = 0; i < c->points.count; i++)
    for (size_t k = 0; k < 3; k++) sum += c->g.data[3 * i + k] * x[3 * (size_t)c->points.data[i] + k];
  return sum;
}

// q at positions of a search
static double searched_pressure(Pressure *p, const double *x)
{
  const dvChamber *c = &p->chamber;
  double along = 0, g = 0, whole = 0;
  if (!p->started) return c->pressure;
  for (size_t i = 0; i < c->points.count; i++)
    for (size_t k = 0; k < 3; k++) {
      size_t at = 3 * i + k;
      double d = x[3 * (size_t)c->points.data[i] + k] - p->from.data[at];
      if (!p->tried) p->first.data[at] = d;
      along += d * p->first.data[at];
      whole += p->first.data[at] * p->first.data[at];
      g += d * p->from_g.data[at];
    }
  p->tried = true;
  return p->from_pressure + (whole > 0 ? along / whole : 1) * p->from_lag - p->from_slope * g;
}

// what is linearised now is where the next search starts
static void begin_search(Pressure *p)
{
  const dvChamber *c = &p->chamber;
  if (!p->searched || !p->fresh) return;
  dv_array_resize(&p->from, c->g.count);
  dv_array_resize(&p->from_g, c->g.count);
  dv_array_resize(&p->first, c->g.count);
  memcpy(p->from_g.data, c->g.data, c->g.count * sizeof *c->g.data);
  for (size_t i = 0; i < c->points.count; i++)
    memcpy(p->from.data + 3 * i, p->at.data + 3 * (size_t)c->points.data[i], 3 * sizeof(double));
  p->from_pressure = p->base;
  p->from_lag = p->lag;
  p->from_slope = p->slope;
  p->started = true;
  p->tried = p->fresh = false;
}

static void pressure_add_force(dvObject *o, const dvMech *m)
{
  Pressure *p = (Pressure *)o;
  dvChamber *c = &p->chamber;
  const double *x = dv_state_read(p->force.state, m->x);
  double *f = dv_state_write(p->force.state, m->f);
  if (3 * p->force.state->count != p->at.count) return;
  p->h = m->dt > 0 ? m->dt : o->node->scene->root->dt;
  memcpy(p->at.data, x, p->at.count * sizeof *x);
  double q = p->searched ? searched_pressure(p, x) : 0;
  dvChamberLaw law = dv_chamber_law(c, p->h, p->searched && dv_chamber_turns(c, p->h, q));
  p->base = law.pressure - law.slope * (dv_chamber_gradient(c, x) - law.volume);
  p->slope = law.slope;
  // a step's linearisation changes the volume a little, which closed valves answer with pressures far from those that
  // the next step ends with: these are not for the curvature
  double near = 0.3 * c->arterialPressure;
  p->bent = dv_max(c->pressure - near, dv_min(c->pressure + near, p->base));
  p->fresh = true;
  if (p->searched) {
    p->lag = p->base - q;
    p->base = p->bent = q;
  }
  p->along = along_g(c, x);
  push(c, p->base, f);
}

static void pressure_add_dforce(dvObject *o, const dvMech *m)
{
  Pressure *p = (Pressure *)o;
  dvChamber *c = &p->chamber;
  double factor = dv_mech_k(m, p->force.rayleighStiffness);
  if (3 * p->force.state->count != p->at.count || factor == 0) return;
  const double *dx = dv_state_read(p->force.state, m->dx);
  double *df = dv_state_write(p->force.state, m->df);
  begin_search(p);
  dv_chamber_curvature(c, p->at.data, dx, factor * p->bent, df);
  push(c, -factor * p->slope * along_g(c, dx), df);
}

static void pressure_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  Pressure *p = (Pressure *)o;
  dvChamber *c = &p->chamber;
  double factor = dv_mech_k(m, p->force.rayleighStiffness);
  size_t n = c->points.count;
  if (3 * p->force.state->count != p->at.count) return;
  begin_search(p);
  dv_chamber_add_curvature(c, p->at.data, factor * p->bent, sink, p->force.state);
  if (n > WALL || p->iterates) return;
  dv_array_resize(&p->matrix, 9 * n * n);
  for (size_t i = 0; i < 3 * n; i++)
    for (size_t k = 0; k < 3 * n; k++) p->matrix.data[3 * n * i + k] = -factor * p->slope * c->g.data[i] * c->g.data[k];
  dv_sink_add_element(sink, p->force.state, c->points.data, (int)n, p->matrix.data);
}

// of a step that has led to x
static double linear_pressure(const Pressure *p, const double *x)
{
  return p->searched ? p->base : p->base - p->slope * (along_g(&p->chamber, x) - p->along);
}

static void pressure_end_step(dvObject *o)
{
  Pressure *p = (Pressure *)o;
  const double *x = dv_state_read(p->force.state, DV_X);
  if (!(p->h > 0) || 3 * p->force.state->count != p->at.count) return;
  double found = p->told ? p->next : linear_pressure(p, x);
  bool closed = p->chamber.phase == DV_CONTRACTION || p->chamber.phase == DV_RELAXATION;
  if (p->told && closed) p->chamber.closed_pressure = found;   // nothing of the compression is left
  p->told = p->started = false;
  dv_chamber_end(&p->chamber, p->h, dv_chamber_volume(&p->chamber, x), found);
  dv_chamber_warn(&p->chamber, o, x, p->searched);
  dv_chamber_touch(&p->chamber, o);
}

static void pressure_remember(dvObject *o, dvMemoryStream *s)
{
  dv_chamber_remember(&((Pressure *)o)->chamber, s);
  if (dv_memory_restores(s)) dv_chamber_touch(&((Pressure *)o)->chamber, o);
}

static void pressure_destroy(dvObject *o)
{
  Pressure *p = (Pressure *)o;
  dv_chamber_free(&p->chamber);
  dv_array_free(&p->at);
  dv_array_free(&p->matrix);
  dv_array_free(&p->from);
  dv_array_free(&p->from_g);
  dv_array_free(&p->first);
}

static const dvForceOps pressure_ops = {
    .add_force = pressure_add_force,
    .add_dforce = pressure_add_dforce,
    .add_stiffness = pressure_add_stiffness,
    .matrix_pays = -1,
    DV_FORCE_SLOTS,
};

const dvClass dv_heart_pressure_class = {
    .struct_size = sizeof(dvClass),
    .name = "PressureConstraint",
    .help = "blood in a chamber of the heart: pressure, valves and the circulation behind them, as a force",
    .module = DV_HEART_MODULE,
    .dofs = DV_DOF_VEC3,
    .size = sizeof(Pressure),
    .blocks = {&dv_object_block, &dv_force_block, DV_BLOCK(pressure_fields)},
    .ops = {[DV_ROLE_FORCE] = &pressure_ops},
    .init = pressure_init,
    .bwd_init = pressure_bwd_init,
    .reinit = pressure_reinit,
    .end_step = pressure_end_step,
    .remember = pressure_remember,
    .destroy = pressure_destroy,
};

// --- projection ---

#define PROJECTION_FIELDS(X) \
  X(link, chamber, "", "",   \
    "PressureConstraint whose volume is kept; by default the first of the node that no other keeps")

typedef struct Projection {
  dvProjective base;
  PROJECTION_FIELDS(DV_MEMBER)
  Pressure *pressure;
} Projection;

#define SELF Projection
static const dvFieldDesc projection_fields[] = {PROJECTION_FIELDS(DV_DESCRIBE)};
#undef SELF

typedef struct Keeper {
  dvVisitor visitor;
  const dvObject *chamber, *owner, *found;
} Keeper;

static dvWalk find_keeper(dvVisitor *v, dvNode *node)
{
  Keeper *k = (Keeper *)v;
  for (size_t i = 0; i < node->objects.count; i++) {
    const dvObject *o = node->objects.data[i];
    if (o->cls == &dv_projective_pressure_class && o != k->owner && o->initialised && !o->failed &&
        ((const Projection *)o)->chamber.target == k->chamber)
      k->found = o;
  }
  return DV_WALK_ON;
}

// another projection that keeps the volume of a chamber
static const dvObject *keeper_of(const dvObject *chamber, const dvObject *owner)
{
  Keeper k = {.visitor = {.top_down = find_keeper}, .chamber = chamber, .owner = owner};
  dv_visit(owner->node->scene->root, &k.visitor);
  return k.found;
}

static dvStatus projection_init(dvObject *o)
{
  Projection *p = (Projection *)o;
  DV_TRY(dv_projective_init(o));
  for (size_t i = 0; i < o->node->objects.count && !p->chamber.target; i++) {
    dvObject *other = o->node->objects.data[i];
    if (other->cls == &dv_heart_pressure_class && !keeper_of(other, o)) p->chamber.target = other;
  }
  if (!p->chamber.target || p->chamber.target->cls != &dv_heart_pressure_class)
    return dv_field_error(o, &p->chamber, "put it beside a PressureConstraint, or name one",
                          "there is no chamber whose volume could be kept");
  const dvObject *keeper = keeper_of(p->chamber.target, o);
  if (keeper)
    return dv_field_error(o, &p->chamber, "name another one, or take one of the two away",
                          "%s keeps the volume of %s already", keeper->name, p->chamber.target->name);
  DV_TRY(dv_object_ensure(p->chamber.target));
  p->pressure = (Pressure *)p->chamber.target;
  if (p->pressure->force.state != p->base.state)
    return dv_field_error(o, &p->chamber, NULL, "%s acts on another state", p->chamber.target->name);
  return DV_OK;
}

// of a search only the end is projected
static bool is_closed(const Projection *p, bool end)
{
  int32_t phase = p->pressure->chamber.phase;
  return (end || !p->pressure->searched) && (phase == DV_CONTRACTION || phase == DV_RELAXATION) && p->pressure->h > 0 &&
         3 * p->base.state->count == p->pressure->at.count && dv_projective_active(&p->base.base);
}

static void projection_response(dvObject *o, int id) { DV_UNUSED(o), DV_UNUSED(id); }

static void projection_velocity(dvObject *o, int id, double time)
{
  DV_UNUSED(time);
  Projection *p = (Projection *)o;
  dvChamber *c = &p->pressure->chamber;
  if (!is_closed(p, id == DV_V)) return;
  double *v = dv_state_write(p->base.state, id), norm = 0;
  for (size_t i = 0; i < c->g.count; i++) norm += c->g.data[i] * c->g.data[i];
  double part = norm > 0 ? along_g(c, v) / norm : 0;
  for (size_t i = 0; i < c->points.count; i++)
    for (size_t k = 0; k < 3; k++) v[3 * (size_t)c->points.data[i] + k] -= part * c->g.data[3 * i + k];
}

static void projection_position(dvObject *o, int id, double time)
{
  DV_UNUSED(time);
  Projection *p = (Projection *)o;
  dvChamber *c = &p->pressure->chamber;
  if (!is_closed(p, id == DV_X)) return;
  double *x = dv_state_write(p->base.state, id), norm = 0;
  for (size_t i = 0; i < c->g.count; i++) norm += c->g.data[i] * c->g.data[i];
  if (!(norm > 0)) return;
  if (!p->pressure->told) p->pressure->next = linear_pressure(p->pressure, x);
  p->pressure->told = true;
  for (int round = 0; round < 8; round++) {   // Newton's method along g
    double gap = dv_chamber_volume(c, x) - c->closed_volume;
    if (fabs(gap) <= 1e-14 * c->closed_volume) break;
    for (size_t i = 0; i < c->points.count; i++)
      for (size_t k = 0; k < 3; k++) x[3 * (size_t)c->points.data[i] + k] -= gap / norm * c->g.data[3 * i + k];
  }
}

static const dvProjectiveOps projection_ops = {.project_response = projection_response,
                                               .project_velocity = projection_velocity,
                                               .project_position = projection_position};

const dvClass dv_projective_pressure_class = {
    .struct_size = sizeof(dvClass),
    .name = "ProjectivePressureConstraint",
    .help = "keeps the volume of a chamber of the heart while its valves are closed",
    .module = DV_HEART_MODULE,
    .dofs = DV_DOF_VEC3,
    .size = sizeof(Projection),
    .blocks = {&dv_object_block, &dv_projective_block, DV_BLOCK(projection_fields)},
    .ops = {[DV_ROLE_PROJECTIVE] = &projection_ops},
    .init = projection_init,
};
