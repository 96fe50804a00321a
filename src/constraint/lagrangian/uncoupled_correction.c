// UncoupledConstraintCorrection: constraints move each degree of freedom of an object by itself.
//
//   W += h H C H^T,   x = x_free + h C H^T lambda,   v = v_free + C H^T lambda
//
// C has a block for each degree of freedom: what is given as compliance, or for frames M^-1, their mass and inertia as
// they stand. Without the integrator's factors a given compliance counts as a displacement for a force, c = h^2 C.
#include "constraint/lagrangian/classes.h"
#include "constraint/lagrangian/correction.h"
#include "math/vec.h"
#include "object/compat.h"

#include <math.h>
#include <string.h>

#define UNCOUPLED_FIELDS(X)                                                                                          \
  X(reals, compliance, "", "m/(s N s)",                                                                              \
    "of each point; for frames 7 numbers: of translations, and the upper part of the matrix of rotations")           \
  X(real, defaultCompliance, "1e-5", "m/(s N s)",                                                                    \
    "of points that compliance does not name; of translations of frames")                                            \
  X(bool, verbose, "0", "", "accepted for compatibility", .flags = DV_HIDDEN)                                        \
  X(real, correctionVelocityFactor, "1", "", "factor of changes of velocity; without the integrator's factors")      \
  X(real, correctionPositionFactor, "1", "", "factor of changes of position; without the integrator's factors")      \
  X(bool, useIntegrationSchemeIntegrationFactors, "1", "", "positions and velocities follow as the integrator says", \
    .alias = "useOdeSolverIntegrationFactors")                                                                       \
  X(link, topology, "", "", "accepted: compliances are those of the points", .role = DV_ROLE_TOPOLOGY,               \
    .flags = DV_HIDDEN)

enum { FRAME = 7, WIDEST = 6 };

// a row at a degree of freedom
typedef struct Touch {
  int32_t row, dof;
  double h[WIDEST], c[WIDEST];   // what the row says, and C h
} Touch;

typedef struct Uncoupled {
  dvObject base;
  UNCOUPLED_FIELDS(DV_MEMBER)
  dvState *state;
  dvObject *ode, *mass;   // mass: gives C where nothing else does
  bool by_acceleration;   // SOFA's factors of an explicit integrator, beside impulses of others
  bool symplectic;
  int mask;                  // vector: 1, or 0 where projective constraints hold
  DV_ARRAY(Touch) touches;   // in the order of rows
  // the same by degree of freedom: where those of each begin, which ones they are, their rows and h
  DV_ARRAY(int32_t) start, which, rows;
  DV_ARRAY(double) h, sums;
  DV_ARRAY(double) blocks;   // C from the mass
  DV_ARRAY(double) change;   // what multipliers move
  dvUnbuilt *unbuilt;        // what stands for W since add_unbuilt, until the end of the step
  size_t first;              // of its motion there
  DV_ARRAY(uint8_t) touched;
} Uncoupled;

#define SELF Uncoupled
static const dvFieldDesc uncoupled_fields[] = {UNCOUPLED_FIELDS(DV_DESCRIBE)};
#undef SELF

static int width_of(const Uncoupled *u) { return u->state->base.dof->deriv; }
static bool is_frame(const Uncoupled *u) { return u->state->base.dof->kind == DV_RIGID3; }

// --- set-up ------------------------------------------------------------------------------------------

static dvStatus check_values(Uncoupled *u)
{
  dvObject *o = &u->base;
  if (!(u->defaultCompliance > 0))
    return dv_field_error(o, &u->defaultCompliance, "give what a unit of impulse changes in velocity, 1 / mass",
                          "with a compliance of %g nothing can be solved", u->defaultCompliance);
  for (size_t i = 0; i < u->compliance.count; i++) {
    size_t k = i % FRAME;
    bool beside = is_frame(u) && (k == 2 || k == 3 || k == 5);
    if (beside || u->compliance.data[i] > 0) continue;
    return dv_field_error(o, &u->compliance, "every point needs one above 0",
                          "with a compliance of %g (number %zu) nothing can be solved", u->compliance.data[i], i);
  }
  if (is_frame(u) && u->compliance.count && u->compliance.count != FRAME)
    dv_field_warning(o, &u->compliance, "give 7 numbers: of translations, then xx xy xz yy yz zz of rotations",
                     "%zu numbers are not the compliance of a frame: the mass is used", u->compliance.count);
  return DV_OK;
}

static dvStatus find_mass(Uncoupled *u)
{
  dvObject *o = &u->base;
  if (!is_frame(u) || u->compliance.count == FRAME || dv_was_set(o, &u->defaultCompliance)) return DV_OK;
  u->mass = dv_node_find(o->node, DV_ROLE_MASS);
  const dvMassOps *ops = u->mass ? dv_ops(u->mass, DV_ROLE_MASS) : NULL;
  if (!ops || !ops->add_matrix)
    return dv_error(o, "add UniformMass to the node, or give compliance",
                    "%s finds no mass to take the compliance from", o->cls->name);
  return dv_object_ensure(u->mass);
}

static dvStatus uncoupled_init(dvObject *o)
{
  Uncoupled *u = (Uncoupled *)o;
  dvObject *state = dv_node_state(o->node);
  if (!state) return dv_error(o, "put it beside the MechanicalObject", "%s finds no state in its node", o->cls->name);
  DV_TRY(dv_object_ensure(state));
  u->state = dv_state(state);
  if (width_of(u) > WIDEST)
    return dv_error(o, "use LinearSolverConstraintCorrection", "%s corrects points and frames, not %s", o->cls->name,
                    state->dof->name);
  DV_TRY(check_values(u));
  u->ode = dv_node_find_up(o->node, DV_ROLE_ODE);
  if (!u->ode && u->useIntegrationSchemeIntegrationFactors)
    return dv_error(o, "add EulerImplicitSolver to the node", "%s needs a time integrator and finds none",
                    o->cls->name);
  const dvField *symplectic = u->ode ? dv_object_field(u->ode, "symplectic") : NULL;   // EulerExplicitSolver's
  u->by_acceleration =
      symplectic && u->useIntegrationSchemeIntegrationFactors && dv_compat(o, DV_COMPAT_EXPLICIT_FACTORS);
  u->symplectic = symplectic && *(const bool *)symplectic->value;
  if (!is_frame(u) && !u->compliance.count && !dv_was_set(o, &u->defaultCompliance))
    dv_warning(o, "give defaultCompliance or compliance", "no compliance is given: every point gets %g",
               u->defaultCompliance);
  if (!is_frame(u) && u->compliance.count && u->compliance.count != u->state->count) {
    if (u->compliance.count > 1)
      dv_field_warning(o, &u->compliance, NULL, "%zu compliances for %zu points: all get one number",
                       u->compliance.count, u->state->count);
    if (!dv_was_set(o, &u->defaultCompliance)) u->defaultCompliance = u->compliance.data[0];
  }
  if (!u->mask) dv_vec_take(o, DV_VEC_DERIV, &u->mask);
  return find_mass(u);
}

// --- C -----------------------------------------------------------------------------------------------

typedef struct MassSink {
  dvMatrixSink base;
  Uncoupled *u;
} MassSink;

static void mass_sink_add(dvMatrixSink *base, const dvState *row_state, size_t row, const dvState *col_state,
                          size_t col, int rows, int cols, const double *values)
{
  Uncoupled *u = ((MassSink *)base)->u;
  if (row_state != u->state || col_state != u->state || row != col || rows != WIDEST || cols != WIDEST) return;
  double *out = u->blocks.data + WIDEST * WIDEST * row;
  for (int i = 0; i < WIDEST * WIDEST; i++) out[i] += values[i];
}

static void invert_frame(double *m)
{
  dvMat3 turn, inverse;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) turn.m[i][k] = m[WIDEST * (i + 3) + k + 3];
  double mass = m[0];
  memset(m, 0, WIDEST * WIDEST * sizeof *m);
  for (int i = 0; i < 3; i++) m[(WIDEST + 1) * i] = mass > 0 ? 1 / mass : 0;
  if (!dv_mat3_inverse(turn, &inverse)) return;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) m[WIDEST * (i + 3) + k + 3] = inverse.m[i][k];
}

static void take_mass(Uncoupled *u)
{
  MassSink sink = {.base = {.add = mass_sink_add}, .u = u};
  size_t count = u->state->count;
  dv_array_resize(&u->blocks, WIDEST * WIDEST * count);
  memset(u->blocks.data, 0, WIDEST * WIDEST * count * sizeof *u->blocks.data);
  ((const dvMassOps *)dv_ops(u->mass, DV_ROLE_MASS))->add_matrix(u->mass, 1, &sink.base);
  for (size_t i = 0; i < count; i++) invert_frame(u->blocks.data + WIDEST * WIDEST * i);
}

// what a given number is as C
static double unit(const Uncoupled *u, double dt)
{
  return u->useIntegrationSchemeIntegrationFactors ? 1 : 1 / (dt * dt);
}

static void times_frame(const Uncoupled *u, double dt, const double *in, double *out)
{
  double given[FRAME] = {u->defaultCompliance, dt * dt, 0, 0, dt * dt, 0, dt * dt};
  if (u->useIntegrationSchemeIntegrationFactors) given[1] = given[4] = given[6] = 1;
  const double *c = u->compliance.count == FRAME ? u->compliance.data : given;
  double k = unit(u, dt);
  for (int i = 0; i < 3; i++) out[i] = k * c[0] * in[i];
  out[3] = k * (c[1] * in[3] + c[2] * in[4] + c[3] * in[5]);
  out[4] = k * (c[2] * in[3] + c[4] * in[4] + c[5] * in[5]);
  out[5] = k * (c[3] * in[3] + c[5] * in[4] + c[6] * in[5]);
}

// out = C in, for one degree of freedom
static void times(const Uncoupled *u, double dt, size_t dof, const double *in, double *out)
{
  int w = width_of(u);
  if (u->mass) {
    const double *block = u->blocks.data + WIDEST * WIDEST * dof;
    for (int i = 0; i < 3; i++) out[i] = block[0] * in[i];
    for (int i = 3; i < WIDEST; i++)
      out[i] = block[WIDEST * i + 3] * in[3] + block[WIDEST * i + 4] * in[4] + block[WIDEST * i + 5] * in[5];
  } else if (is_frame(u)) {
    times_frame(u, dt, in, out);
  } else {
    double c = u->compliance.count == u->state->count ? u->compliance.data[dof] : u->defaultCompliance;
    for (int i = 0; i < w; i++) out[i] = unit(u, dt) * c * in[i];
  }
}

static dvMotionFactors factors_of(const Uncoupled *u, double dt)
{
  if (u->by_acceleration) return (dvMotionFactors){u->symplectic ? dt * dt : 0, dt};
  if (u->useIntegrationSchemeIntegrationFactors) return dv_motion_factors(u->ode, dt);
  return (dvMotionFactors){dt * u->correctionPositionFactor, u->correctionVelocityFactor};
}

// of C in W: what the step corrects for an impulse
static double factor_of(const Uncoupled *u, const dvConstraintStep *step)
{
  if (step->unscaled && u->useIntegrationSchemeIntegrationFactors) return 1;
  if (step->velocities || u->useIntegrationSchemeIntegrationFactors)
    return dv_motion_factor(factors_of(u, step->dt), step);
  return step->dt;
}

// --- rows --------------------------------------------------------------------------------------------

// where projective constraints hold the state; NULL: nowhere
static const double *held(Uncoupled *u, const dvConstraintStep *step)
{
  dvPlan *plan = u->base.node->scene->plan;
  if (plan->projections.count == 0 || step->unheld) return NULL;
  double *one = dv_state_overwrite(u->state, u->mask);
  for (size_t i = 0; i < u->state->count * (size_t)width_of(u); i++) one[i] = 1;
  dv_mech_project_response(plan, u->mask);
  return dv_state_read(u->state, u->mask);
}

static void sort_by_dof(Uncoupled *u)
{
  size_t dofs = u->state->count, count = u->touches.count, w = (size_t)width_of(u);
  dv_array_resize(&u->start, dofs + 1);
  dv_array_resize(&u->which, count);
  dv_array_resize(&u->rows, count);
  dv_array_resize(&u->h, w * count);
  memset(u->start.data, 0, (dofs + 1) * sizeof *u->start.data);
  for (size_t i = 0; i < count; i++) u->start.data[u->touches.data[i].dof + 1]++;
  for (size_t d = 0; d < dofs; d++) u->start.data[d + 1] += u->start.data[d];
  for (size_t i = 0; i < count; i++) {
    const Touch *t = &u->touches.data[i];
    size_t at = (size_t)u->start.data[t->dof]++;
    u->which.data[at] = (int32_t)i;
    u->rows.data[at] = t->row;
    memcpy(u->h.data + w * at, t->h, w * sizeof *t->h);
  }
  for (size_t d = dofs; d > 0; d--) u->start.data[d] = u->start.data[d - 1];
  u->start.data[0] = 0;
}

// The entries of a row at one degree of freedom, from e on; w is a constant where this is called. Where they end.
static inline size_t take_entries(const dvSparseRows *rows, size_t e, size_t end, int32_t first, int32_t w,
                                  const double *free, double *h)
{
  size_t all = e + (size_t)w;
  if (!free && all <= end && rows->col.data[all - 1] == first + w - 1) {   // columns ascend: nothing is missing
    for (int32_t k = 0; k < w; k++) h[k] = rows->value.data[e + (size_t)k];
    return all;
  }
  for (; e < end && rows->col.data[e] < first + w; e++) {
    int32_t col = rows->col.data[e];
    if (!free || free[col] != 0) h[col - first] = rows->value.data[e];
  }
  return e;
}

static inline int32_t dof_of(int32_t col, int32_t w) { return w == 6 ? col / 6 : w == 3 ? col / 3 : col / w; }

static void take_rows(Uncoupled *u, const dvConstraintStep *step, const dvSparseRows *rows)
{
  int32_t w = width_of(u);
  const double *free = held(u, step);
  if (u->mass) take_mass(u);
  for (size_t row = 0; row < rows->count; row++)
    for (size_t e = rows->start.data[row], end = rows->start.data[row + 1]; e < end;) {
      Touch t = {.row = (int32_t)row, .dof = dof_of(rows->col.data[e], w)};
      e = take_entries(rows, e, end, t.dof * w, w, free, t.h);
      times(u, step->dt, (size_t)t.dof, t.h, t.c);
      dv_push(&u->touches, t);
    }
}

// sums += h_b . C h_a for all rows b up to that of a
static void add_products(const Uncoupled *u, const Touch *a, size_t w, double *sums)
{
  for (int32_t e = u->start.data[a->dof]; e < u->start.data[a->dof + 1] && u->rows.data[e] <= a->row; e++) {
    const double *h = u->h.data + w * (size_t)e;
    double sum = a->c[0] * h[0];
    for (size_t n = 1; n < w; n++) sum += a->c[n] * h[n];
    sums[u->rows.data[e]] += sum;
  }
}

// c = C h and h = factor h, for all rows of a place
static void finish_place(const Uncoupled *u, double dt, int32_t dof, size_t rows, double factor, double *numbers)
{
  size_t width = dv_unbuilt_width((size_t)width_of(u));
  for (size_t r = 0; r < rows; r++) {
    double *h = numbers + r * width;
    times(u, dt, (size_t)dof, h, h + rows * width);
    for (size_t k = 0; k < width; k++) h[k] *= factor;
  }
}

// The numbers of a law at a degree of freedom; rows mostly touch the same ones in the same order, *met is the next.
static inline double *numbers_at(Uncoupled *u, size_t law, size_t before, int32_t dof, size_t *met)
{
  dvUnbuilt *out = u->unbuilt;
  size_t width = dv_unbuilt_width((size_t)width_of(u)), at = u->first + width * (size_t)dof, place = *met;
  if (place >= out->handed.count || out->handed.data[place].at != (int32_t)at)
    for (place = before; place < out->handed.count && out->handed.data[place].at != (int32_t)at;) place++;
  *met = place + 1;
  if (place < out->handed.count) return out->numbers.data + out->handed.data[place].numbers;
  u->touched.data[dof] = 1;
  return dv_unbuilt_add(out, law, at, width);
}

static void add_law(Uncoupled *u, double dt, double factor, const dvSparseRows *rows, size_t law, const double *free)
{
  dvUnbuilt *out = u->unbuilt;
  int32_t w = width_of(u);
  size_t width = dv_unbuilt_width((size_t)w), before = out->handed.count, count = (size_t)out->laws.data[law].rows;
  for (size_t r = 0; r < count; r++) {
    size_t row = (size_t)out->laws.data[law].first + r, met = before;
    for (size_t e = rows->start.data[row], end = rows->start.data[row + 1]; e < end;) {
      int32_t dof = dof_of(rows->col.data[e], w);
      double *h = numbers_at(u, law, before, dof, &met) + r * width;
      e = w == 6 ? take_entries(rows, e, end, 6 * dof, 6, free, h) : take_entries(rows, e, end, w * dof, w, free, h);
    }
  }
  for (size_t place = before; place < out->handed.count; place++) {
    int32_t dof = (int32_t)(((size_t)out->handed.data[place].at - u->first) / width);
    finish_place(u, dt, dof, count, factor, out->numbers.data + out->handed.data[place].numbers);
  }
}

static dvStatus uncoupled_add_unbuilt(dvObject *o, const dvConstraintStep *step, const dvRowSet *rows, dvUnbuilt *out)
{
  Uncoupled *u = (Uncoupled *)o;
  const dvStateRows *on = dv_rows_find(rows, u->state);
  u->touches.count = u->touched.count = 0;
  u->unbuilt = out;
  if (!on) return DV_OK;
  dv_array_resize(&u->touched, u->state->count);   // none
  u->first = dv_unbuilt_room(out, (size_t)width_of(u), u->state->count);
  const double *free = held(u, step);
  if (u->mass) take_mass(u);
  for (size_t i = 0; i < out->laws.count; i++) add_law(u, step->dt, factor_of(u, step), &on->rows, i, free);
  return DV_OK;
}

static dvStatus uncoupled_add_compliance(dvObject *o, const dvConstraintStep *step, const dvRowSet *rows, size_t count,
                                         double *w)
{
  Uncoupled *u = (Uncoupled *)o;
  const dvStateRows *on = dv_rows_find(rows, u->state);
  u->touches.count = u->touched.count = 0;
  u->unbuilt = NULL;
  if (!on) return DV_OK;
  take_rows(u, step, &on->rows);
  sort_by_dof(u);
  double factor = factor_of(u, step);
  dv_array_resize(&u->sums, count);
  for (size_t i = 0; i < u->touches.count;) {
    size_t row = (size_t)u->touches.data[i].row;
    memset(u->sums.data, 0, (row + 1) * sizeof *u->sums.data);
    for (; i < u->touches.count && (size_t)u->touches.data[i].row == row; i++)
      add_products(u, &u->touches.data[i], (size_t)width_of(u), u->sums.data);
    for (size_t k = 0; k <= row; k++) {
      if (u->sums.data[k] == 0) continue;
      w[row * count + k] += factor * u->sums.data[k];
      if (k != row) w[k * count + row] += factor * u->sums.data[k];
    }
  }
  return DV_OK;
}

static void sum_motion(Uncoupled *u, const double *lambda)
{
  size_t width = (size_t)width_of(u);
  dv_array_resize(&u->touched, u->state->count);
  u->change.count = 0;
  dv_array_resize(&u->change, width * u->state->count);   // zeros
  for (size_t i = 0; i < u->touches.count; i++) {
    const Touch *t = &u->touches.data[i];
    double *change = u->change.data + width * (size_t)t->dof;
    u->touched.data[t->dof] = 1;
    for (size_t n = 0; n < width; n++) change[n] += t->c[n] * lambda[t->row];
  }
}

// the rows are those of the last add_compliance or add_unbuilt
static dvStatus uncoupled_apply(dvObject *o, const dvConstraintStep *step, const dvRowSet *rows, const double *lambda,
                                int x, int v)
{
  DV_UNUSED(rows);
  Uncoupled *u = (Uncoupled *)o;
  dvMotionFactors factors = factors_of(u, step->dt);
  size_t width = (size_t)width_of(u);
  if (!u->unbuilt && u->touches.count) sum_motion(u, lambda);
  if (u->touched.count == 0) return DV_OK;
  const double *change = u->unbuilt ? dv_unbuilt_motion(u->unbuilt, lambda) + u->first : u->change.data;
  if (u->unbuilt) width = dv_unbuilt_width(width);
  for (size_t dof = 0; dof < u->state->count; dof++)
    if (u->touched.data[dof]) dv_motion_apply(u->state, step, factors, change + width * dof, dof, 1, x, v);
  return DV_OK;
}

static bool uncoupled_covers(const dvObject *o, const dvObject *state)
{
  return state == &((const Uncoupled *)o)->state->base;
}

static void uncoupled_destroy(dvObject *o)
{
  Uncoupled *u = (Uncoupled *)o;
  dv_vec_give(o, &u->mask);
  dv_array_free(&u->touches);
  dv_array_free(&u->start);
  dv_array_free(&u->which);
  dv_array_free(&u->rows);
  dv_array_free(&u->h);
  dv_array_free(&u->sums);
  dv_array_free(&u->blocks);
  dv_array_free(&u->change);
  dv_array_free(&u->touched);
}

static const dvCorrectionOps uncoupled_ops = {.add_compliance = uncoupled_add_compliance,
                                              .apply = uncoupled_apply,
                                              .covers = uncoupled_covers,
                                              .add_unbuilt = uncoupled_add_unbuilt};

const dvClass dv_uncoupled_correction_class = {
    .struct_size = sizeof(dvClass),
    .name = "UncoupledConstraintCorrection",
    .help = "lets constraints move each point or frame of its node by itself",
    .module = "Sofa.Component.Constraint.Lagrangian.Correction",
    .size = sizeof(Uncoupled),
    .blocks = {&dv_object_block, DV_BLOCK(uncoupled_fields)},
    .ops = {[DV_ROLE_CORRECTION] = &uncoupled_ops},
    .init = uncoupled_init,
    .destroy = uncoupled_destroy,
};
