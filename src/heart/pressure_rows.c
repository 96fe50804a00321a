// LagrangianPressureConstraint: a chamber of the heart as a constraint of FreeMotionAnimationLoop. See chamber.h.
//
// One row, H = dV/dx before the step, whose multiplier is the impulse of the pressure, l = h p. With d = V + H (x_free
// - x) and the compliance W, the volume will be d + W l, and p = p_b - s (d + W l - V_b):
//   l = h (p_b - s (d - V_b)) / (1 + h s W)
// which stays right for blood that cannot be compressed, s without end.
#include "constraint/lagrangian/model.h"
#include "heart/chamber.h"
#include "heart/classes.h"

#include <math.h>

typedef struct Rows {
  dvConstraintModel model;
  DV_CHAMBER_MEMBERS
  double h, scale, reached, found;   // step; from volumes to what the step corrects; volume before it; pressure
  dvChamberLaw law;
} Rows;

#define SELF Rows
static const dvFieldDesc rows_fields[] = {DV_CHAMBER_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus rows_init(dvObject *o)
{
  Rows *r = (Rows *)o;
  dvLink link = {0};
  DV_TRY(dv_constraint_model_find(o, &link, "such", &r->model.first));
  DV_TRY(dv_object_ensure(&r->model.first->base));
  o->dof = r->model.first->base.dof;
  DV_TRY(dv_chamber_init(&r->chamber, o, r->model.first));
  if (!dv_node_find_up(o->node, DV_ROLE_CONSTRAINT_SOLVER))
    return dv_error(o, "use FreeMotionAnimationLoop with a constraint solver, or PressureConstraint in other loops",
                    "there is no constraint solver in the nodes above");
  return DV_OK;
}

static dvStatus rows_bwd_init(dvObject *o)
{
  Rows *r = (Rows *)o;
  DV_TRY(dv_chamber_compare(&r->chamber, o, dv_state_read(r->model.first, DV_X)));
  dv_chamber_start(&r->chamber, dv_state_read(r->model.first, DV_X));
  dv_chamber_touch(&r->chamber, o);
  return DV_OK;
}

static dvStatus rows_reinit(dvObject *o) { return dv_chamber_check(&((Rows *)o)->chamber, o); }

// points of the wall went with a change of the mesh
static bool lost(const Rows *r) { return r->model.first->count < r->chamber.place.count; }

static void rows_begin(dvObject *o, const dvConstraintStep *step)
{
  Rows *r = (Rows *)o;
  if (lost(r)) return;
  r->h = step->dt;
  r->scale = step->velocities ? 1 / step->dt : 1;
  r->law = dv_chamber_law(&r->chamber, step->dt, false);
  r->reached = dv_chamber_gradient(&r->chamber, dv_state_read(r->model.first, DV_X));
}

static void solve_law(dvObject *o, const dvLaw *law, const double *w, const double *d, double *lambda)
{
  DV_UNUSED(law);
  const Rows *r = (const Rows *)o;
  double volume = *d / r->scale, compliance = *w / r->scale, free = volume - compliance * *lambda;
  double stiff = r->h * r->law.slope,
         impulse = (r->h * r->law.pressure - stiff * (free - r->law.volume)) / (1 + stiff * compliance);
  if (dv_chamber_turns(&r->chamber, r->h, impulse / r->h)) stiff = r->h * dv_chamber_law(&r->chamber, r->h, true).slope;
  *lambda = (r->h * r->law.pressure - stiff * (free - r->law.volume)) / (1 + stiff * compliance);
}

static size_t rows_laws(dvObject *o, const dvConstraintStep *step, dvLaw *out)
{
  DV_UNUSED(step);
  if (dv_constraint_model_is_over(o) || lost((const Rows *)o)) return 0;
  if (out) *out = (dvLaw){.kind = DV_LAW_OWN, .rows = 1, .solve = solve_law};
  return 1;
}

static void rows_rows(dvObject *o, const dvConstraintStep *step, dvRowSet *set, int32_t first)
{
  DV_UNUSED(step);
  Rows *r = (Rows *)o;
  r->model.constraintIndex = first;
  for (size_t i = 0; i < r->chamber.points.count; i++)
    dv_rows_add(set, r->model.first, first, (size_t)r->chamber.points.data[i], r->chamber.g.data + 3 * i, 1);
}

static void rows_violation(dvObject *o, const dvConstraintStep *step, double *out)
{
  const Rows *r = (const Rows *)o;
  const dvChamber *c = &r->chamber;
  const double *x = dv_state_read(r->model.first, DV_X), *free = dv_state_read(r->model.first, step->x),
               *v = dv_state_read(r->model.first, step->v);
  double sum = r->scale * r->reached;
  for (size_t i = 0; i < c->g.count; i++) {
    size_t at = 3 * (size_t)c->points.data[i / 3] + i % 3;
    sum += c->g.data[i] * (step->velocities ? v[at] : free[at] - x[at]);
  }
  *out = sum;
}

static void rows_store(dvObject *o, const dvConstraintStep *step, const double *lambda)
{
  ((Rows *)o)->found = *lambda / step->dt;
}

static void rows_end_step(dvObject *o)
{
  Rows *r = (Rows *)o;
  if (!(r->h > 0) || lost(r)) return;
  dv_chamber_end(&r->chamber, r->h, dv_chamber_volume(&r->chamber, dv_state_read(r->model.first, DV_X)), r->found);
  dv_chamber_warn(&r->chamber, o, dv_state_read(r->model.first, DV_X), false);
  dv_chamber_touch(&r->chamber, o);
}

static void rows_remember(dvObject *o, dvMemoryStream *s)
{
  dv_chamber_remember(&((Rows *)o)->chamber, s);
  if (dv_memory_restores(s)) dv_chamber_touch(&((Rows *)o)->chamber, o);
}

static void rows_destroy(dvObject *o) { dv_chamber_free(&((Rows *)o)->chamber); }

static const dvConstraintOps rows_ops = {
    .begin = rows_begin, .laws = rows_laws, .rows = rows_rows, .violation = rows_violation, .store = rows_store};

const dvClass dv_lagrangian_pressure_class = {
    .struct_size = sizeof(dvClass),
    .name = "LagrangianPressureConstraint",
    .help = "blood in a chamber of the heart: pressure, valves and the circulation behind them, as a constraint",
    .module = DV_HEART_MODULE,
    .dofs = DV_DOF_VEC3,
    .size = sizeof(Rows),
    .blocks = {&dv_object_block, &dv_constraint_model_block, DV_BLOCK(rows_fields)},
    .ops = {[DV_ROLE_CONSTRAINT] = &rows_ops},
    .init = rows_init,
    .bwd_init = rows_bwd_init,
    .reinit = rows_reinit,
    .end_step = rows_end_step,
    .remember = rows_remember,
    .destroy = rows_destroy,
};
