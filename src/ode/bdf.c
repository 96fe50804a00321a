// BDFOdeSolver: backward differentiation formulas of order 1 to 6, with any sequence of step lengths.
//
// The polynomial through the last s positions and the new one gets the new velocity as its slope, the one through the
// velocities the new acceleration. With the coefficients a_j (a_s = 1) and b of that slope:
//
//   r1 = sum a_j x_j - h b v_s = 0,   r2 = M sum a_j v_j - h b (f(x_s, v_s) + (rK K - rM M) v_s) = 0
//
// Newton's iterations (newton.c) solve for v_s; eliminating dx_s = h b dv - r1 gives
//
//   ((1 + h b rM) M - h b B - h b (h b + rK) K) dv = -r2 - h b K r1
//
// The first guess goes on with the present velocity. The order rises from 1 as history becomes available. Positions
// enter as differences to the present ones, so that frames are treated as well as points.
//
// SOFA v26.12 loses the history: all earlier states are overwritten with the present one. What remains is backward
// Euler with the step b h (2/3 h for order 2, 6/11 h for order 3), so that motion runs slow by that factor. That is
// what keepHistory="0" and compat sofa give.
#include "ode/integrator.h"

#include "linear/solver.h"
#include "object/compat.h"
#include "ode/newton.h"

#include <string.h>

#define BDF_FIELDS(X)                                                                                        \
  X(int, order, "1", "", "order of the method: number of earlier states it uses; more than 6 is not stable") \
  X(real, rayleighStiffness, "0", "s", "damping in proportion to the stiffness", .least = "0")               \
  X(real, rayleighMass, "0", "1/s", "damping in proportion to the mass", .least = "0")                       \
  X(bool, keepHistory, "1", "",                                                                              \
    "use the earlier states; without it the present one stands in for all of them, as in SOFA")              \
  X(link, linearSolver, "", "", "solver of the linear system; the one of the node by default",               \
    .role = DV_ROLE_LINEAR_SOLVER)                                                                           \
  X(link, newtonSolver, "", "", "NewtonRaphsonSolver to use; the one of the node by default")

enum { LIMIT = 12 };     // of the order
#define ROUNDING 1e-26   // square of what r1 is in proportion to h b v when it is rounding

// positions and velocities of all independent states at one time
typedef struct Moment {
  double time;
  dvReals x, v;
} Moment;

typedef struct BDF {
  dvObject base;
  BDF_FIELDS(DV_MEMBER)
  dvPlan *plan;
  Moment past[LIMIT];   // the latest first; past[0] is the start of the step
  int depth;            // of them in use
  size_t coords, derivs;
  int new_x, new_v;     // vectors: the guess
  int past_x, past_v;   // what history gives to r1 and r2
  int r1, r2, f;        // the residuals, and the force with damping in r2
  int dv, rhs, sum;
  int lag;           // what forces lag behind, taken when it is searched
  bool rest_first;   // the step before has gone on from inertia, which rest was compared with
} BDF;

#define SELF BDF
static const dvFieldDesc bdf_fields[] = {BDF_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc bdf_memory[] = {DV_REMEMBER(numbers, depth) DV_REMEMBER(numbers, coords)
                                              DV_REMEMBER(numbers, derivs) DV_REMEMBER(numbers, rest_first)};
#undef SELF

static dvStatus bdf_init(dvObject *o)
{
  BDF *b = (BDF *)o;
  DV_TRY(dv_ode_need_linear_solver(o, &b->linearSolver));
  DV_TRY(dv_newton_find(o, &b->newtonSolver));
  if (!b->newtonSolver.target)
    return dv_error(o, "add <NewtonRaphsonSolver maxNbIterationsNewton=\"25\"/> to the node",
                    "a NewtonRaphsonSolver is needed in the node and there is none");
  if (b->order < 1) {
    dv_field_warning(o, &b->order, NULL, "the order must be 1 at least; 1 is used");
    b->order = 1;
  }
  if (b->order > LIMIT)
    return dv_field_error(o, &b->order, "orders 1 to 6 are stable", "order %d is more than %d", b->order, LIMIT);
  if (b->order > 6)
    dv_field_warning(o, &b->order, "use an order of 6 or less", "the method of order %d is not stable", b->order);
  if (b->order > 1) dv_compat_field(o, &b->keepHistory, DV_COMPAT_BDF_HISTORY);
  b->depth = 0;
  b->rest_first = false;
  dv_vec_take(o, DV_VEC_COORD, &b->new_x);
  dv_vecs_take(o, DV_VEC_DERIV, &b->new_v, &b->past_x, &b->past_v, &b->r1, &b->r2, &b->f, &b->dv, &b->rhs, &b->sum,
               &b->lag);
  return DV_OK;
}

static dvStatus bdf_bwd_init(dvObject *o)
{
  return dv_ode_check_masses(o, "only stiffness and damping resist its motion");
}

// --- history -------------------------------------------------------------------------------------

// room for another moment in front; a change of size forgets the past
static dvStatus make_room(BDF *b)
{
  size_t coords = 0, derivs = 0;
  for (size_t i = 0; i < b->plan->independent.count; i++) {
    const dvState *s = dv_state(b->plan->independent.data[i]);
    coords += dv_state_scalars(s, DV_X);
    derivs += dv_state_scalars(s, DV_V);
  }
  if (coords != b->coords || derivs != b->derivs) b->depth = 0;
  b->coords = coords;
  b->derivs = derivs;
  Moment last = b->past[b->order - 1];   // its storage is used again
  memmove(b->past + 1, b->past, (size_t)(b->order - 1) * sizeof last);
  b->past[0] = last;
  if (!dv_reals_resize(&last.x, coords) || !dv_reals_resize(&last.v, derivs))
    return dv_error(&b->base, NULL, "out of memory");
  b->past[0] = last;
  return DV_OK;
}

static dvStatus remember(BDF *b, double time)
{
  DV_TRY(make_room(b));
  Moment *now = &b->past[0];
  double *x = now->x.data, *v = now->v.data;
  for (size_t i = 0; i < b->plan->independent.count; i++) {
    dvState *s = dv_state(b->plan->independent.data[i]);
    size_t nx = dv_state_scalars(s, DV_X), nv = dv_state_scalars(s, DV_V);
    memcpy(x, dv_state_read(s, DV_X), nx * sizeof *x);
    memcpy(v, dv_state_read(s, DV_V), nv * sizeof *v);
    x += nx;
    v += nv;
  }
  now->time = time;
  b->depth = dv_min_int(b->depth + 1, b->order);
  return DV_OK;
}

// slope at t[s] of the polynomial through t[0..s], the last coefficient scaled to 1: a[s] = 1, and b with
// h b slope = sum a_j y_j for h = t[s] - t[s - 1]
static double coefficients(const double *t, int s, double *a)
{
  for (int j = 0; j <= s; j++) {
    a[j] = 0;
    for (int i = 0; i <= s; i++) {
      if (i == j) continue;
      double product = 1 / (t[j] - t[i]);
      for (int k = 0; k <= s; k++)
        if (k != i && k != j) product *= (t[s] - t[k]) / (t[j] - t[k]);
      a[j] += product;
    }
  }
  double scale = a[s];
  for (int j = 0; j <= s; j++) a[j] /= scale;
  return 1 / (scale * (t[s] - t[s - 1]));
}

// past_x = sum a_j (x_j - x_now), past_v = sum a_j v_j over the past
static void sum_history(BDF *b, const double *a)
{
  size_t at_x = 0, at_v = 0;
  for (size_t i = 0; i < b->plan->independent.count; i++) {
    dvState *s = dv_state(b->plan->independent.data[i]);
    size_t nv = dv_state_scalars(s, DV_V);
    double *x = dv_state_overwrite(s, b->past_x), *v = dv_state_overwrite(s, b->past_v),
           *difference = dv_state_overwrite(s, b->sum);
    memset(x, 0, nv * sizeof *x);
    memset(v, 0, nv * sizeof *v);
    for (int j = 0; j < b->depth; j++) {
      double factor = a[b->depth - 1 - j];   // coefficients run with time, the past runs back
      const Moment *moment = &b->past[b->keepHistory ? j : 0];
      dv_dof_difference(s->base.dof, s->count, difference, moment->x.data + at_x, b->past[0].x.data + at_x);
      for (size_t k = 0; k < nv; k++) x[k] += factor * difference[k], v[k] += factor * moment->v.data[at_v + k];
    }
    at_x += dv_state_scalars(s, DV_X);
    at_v += nv;
  }
}

// --- the equation --------------------------------------------------------------------------------

typedef struct Residual {
  dvNonlinear function;
  dvNewtonTalk talk;
  BDF *b;
  dvPlan *plan;
  dvMech m;
  double hb;       // h b
  bool together;   // positions move by alpha too, since step lengths are found by slopes
  bool lags;       // there are forces that lag behind
} Residual;

static double norm2(const Residual *r, int id) { return dv_mech_dot(r->plan, id, id); }

static double residual_evaluate(dvNonlinear *f)
{
  Residual *r = (Residual *)f;
  BDF *b = r->b;
  dvPlan *plan = r->plan;
  dv_ode_force(&b->base, plan, &r->m);
  dv_mech_copy(plan, b->f, r->m.f);   // the force itself stays: geometric stiffness needs it in mapped states
  dv_ode_add_product(plan, &r->m, b->f, b->new_v, (dvFactors){.m = -b->rayleighMass, .k = b->rayleighStiffness});
  dv_mech_project_response(plan, b->f);
  dv_mech_difference(plan, b->r1, b->new_x, DV_X);
  dv_mech_combine(plan, b->r1, b->r1, 1, b->past_x);
  dv_mech_combine(plan, b->r1, b->r1, -r->hb, b->new_v);
  dv_mech_combine(plan, b->sum, b->past_v, 1, b->new_v);
  dv_mech_propagate_dx(plan, b->sum);
  dv_mech_clear(plan, b->r2);
  dv_ode_add_product(plan, &r->m, b->r2, b->sum, (dvFactors){.m = 1});
  dv_mech_combine(plan, b->r2, b->r2, -r->hb, b->f);
  dv_mech_project_response(plan, b->r1);
  dv_mech_project_response(plan, b->r2);
  r->lags = r->talk.partial = r->together && dv_newton_lag(b->newtonSolver.target, plan, &r->m, b->lag);
  if (!r->lags) return dv_mech_dot(plan, b->r2, b->r2);
  dv_mech_project_response(plan, b->lag);
  dv_mech_combine(plan, b->rhs, b->r2, -r->hb, b->lag);
  return dv_mech_dot(plan, b->rhs, b->rhs);
}

static dvStatus residual_correct(dvNonlinear *f)
{
  Residual *r = (Residual *)f;
  BDF *b = r->b;
  dv_mech_copy(r->plan, b->rhs, b->r2);
  if (r->lags) dv_mech_combine(r->plan, b->rhs, b->rhs, -r->hb, b->lag);
  dv_mech_scale(r->plan, b->rhs, -1);
  if (norm2(r, b->r1) > ROUNDING * r->hb * r->hb * norm2(r, b->new_v)) {
    dv_mech_propagate_dx(r->plan, b->r1);
    dv_ode_add_product(r->plan, &r->m, b->rhs, b->r1, (dvFactors){.k = -r->hb});
  }
  dv_mech_project_response(r->plan, b->rhs);
  dv_mech_clear(r->plan, b->dv);
  dvFactors factors = {1 + r->hb * b->rayleighMass + r->talk.shift, -r->hb, -r->hb * (b->rayleighStiffness + r->hb)};
  dvLinearSolver *solver = dv_linear_solver(b->linearSolver.target);
  solver->measure2 = r->together ? r->talk.first2 : 0;
  solver->enough2 = r->together ? r->talk.enough2 : 0;
  dvStatus status = dv_ode_solve(&b->base, &solver->base, r->plan, &r->m, b->dv, b->rhs, factors);
  solver->measure2 = solver->enough2 = 0;
  r->talk.indefinite = solver->indefinite;
  return status;
}

// As in SOFA the position follows the whole correction, whatever alpha is; what that leaves in r1 the next iteration
// takes up. A search by slopes needs both to move together.
static void residual_advance(dvNonlinear *f, double alpha)
{
  Residual *r = (Residual *)f;
  const BDF *b = r->b;
  dv_mech_combine(r->plan, b->new_v, b->new_v, alpha, b->dv);
  dv_mech_copy(r->plan, DV_DX, b->r1);
  dv_mech_scale(r->plan, DV_DX, -1);
  dv_mech_combine(r->plan, DV_DX, DV_DX, r->hb, b->dv);
  dv_mech_combine(r->plan, b->new_x, b->new_x, r->together ? alpha : 1, DV_DX);
  dv_mech_settle(r->plan, b->new_x, b->new_v, r->m.time);
}

static double residual_correction2(dvNonlinear *f) { return norm2((Residual *)f, ((Residual *)f)->b->dv); }
static double residual_guess2(dvNonlinear *f) { return norm2((Residual *)f, ((Residual *)f)->b->new_v); }

static double residual_slope(dvNonlinear *f)
{
  Residual *r = (Residual *)f;
  return dv_mech_dot(r->plan, r->b->r2, r->b->dv);
}

// velocities and positions to start from: those of the step before, carried on by inertia or at rest
static void guess(const Residual *r, double h, bool at_rest)
{
  const BDF *b = r->b;
  if (at_rest) dv_mech_clear(r->plan, b->new_v);
  else dv_mech_copy(r->plan, b->new_v, DV_V);
  if (!r->together) dv_mech_combine(r->plan, b->new_x, DV_X, h, b->new_v);
  else {   // the position that belongs to the velocity: r1 = 0
    dv_mech_copy(r->plan, DV_DX, b->past_x);
    dv_mech_scale(r->plan, DV_DX, -1);
    dv_mech_combine(r->plan, DV_DX, DV_DX, r->hb, b->new_v);
    dv_mech_combine(r->plan, b->new_x, DV_X, 1, DV_DX);
  }
  dv_mech_mirror_outside(r->plan, b->new_x, b->new_v);
  dv_mech_propagate_x(r->plan, b->new_x);
  dv_mech_propagate_v(r->plan, b->new_v);
}

static double evaluate_guess(Residual *r)
{
  r->talk.evaluated = true;
  return r->talk.residual2 = r->function.evaluate(&r->function);
}

static double evaluate_at(Residual *r, double h, bool at_rest)
{
  guess(r, h, at_rest);
  return evaluate_guess(r);
}

// Inertia carries small elements that move fast beyond their size. Where that leads uphill it is compared with rest.
// Forces are left as they were evaluated last: where inertia has won such a comparison, the next step begins with rest.
static void choose_guess(Residual *r, double h)
{
  BDF *b = r->b;
  if (!r->together) {
    guess(r, h, false);
    return;
  }
  bool rest_first = b->rest_first;
  double rest = rest_first ? evaluate_at(r, h, true) : 0, inertia = evaluate_at(r, h, false);
  b->rest_first = false;
  if (dv_mech_dot(r->plan, b->r2, b->new_v) <= 0) return;
  if (!rest_first) rest = evaluate_at(r, h, true);
  b->rest_first = !(rest < inertia);
  if (b->rest_first == rest_first) return;   // the better one came last
  guess(r, h, !b->rest_first);
  r->talk.evaluated = false;
}

static dvStatus bdf_solve(dvObject *o, double h, int x, int v)
{
  BDF *b = (BDF *)o;
  dvPlan *plan = dv_ode_plan(&b->plan, o);
  DV_TRY(remember(b, o->node->time));
  double times[LIMIT + 1], a[LIMIT + 1] = {0};
  for (int j = 0; j < b->depth; j++) times[b->depth - 1 - j] = b->past[j].time;
  times[b->depth] = o->node->time + h;
  Residual r = {.function = {residual_evaluate, residual_correct, residual_advance, residual_correction2,
                             residual_guess2, residual_slope},
                .b = b,
                .plan = plan,
                .m = dv_ode_mech(o, h, true),
                .together = dv_newton_by_slope(b->newtonSolver.target)};
  r.hb = (times[b->depth] - times[b->depth - 1]) * coefficients(times, b->depth, a);
  r.m.x = b->new_x;
  r.m.v = b->new_v;
  sum_history(b, a);
  choose_guess(&r, h);
  DV_TRY(dv_newton_solve_talking(b->newtonSolver.target, &r.function, &r.talk));
  dv_mech_copy(plan, x, b->new_x);
  dv_mech_copy(plan, v, b->new_v);
  return DV_OK;
}

static void bdf_remember(dvObject *o, dvMemoryStream *s)
{
  BDF *b = (BDF *)o;
  for (int i = 0; i < b->order; i++) {
    dv_remember_numbers(s, "time", &b->past[i].time, sizeof b->past[i].time);
    dv_remember_reals(s, "past position", &b->past[i].x);
    dv_remember_reals(s, "past velocity", &b->past[i].v);
  }
}

// a past of another size is forgotten by the next step
static bool bdf_restored(dvObject *o)
{
  BDF *b = (BDF *)o;
  for (int i = 0; i < b->depth && i < b->order; i++)
    if (b->past[i].x.count != b->coords || b->past[i].v.count != b->derivs) return false;
  return b->depth >= 0 && b->depth <= b->order;
}

static void bdf_destroy(dvObject *o)
{
  BDF *b = (BDF *)o;
  for (int i = 0; i < LIMIT; i++) {
    dv_reals_free(&b->past[i].x);
    dv_reals_free(&b->past[i].v);
  }
  dv_vecs_give(o, &b->new_x, &b->new_v, &b->past_x, &b->past_v, &b->r1, &b->r2, &b->f, &b->dv, &b->rhs, &b->sum,
               &b->lag);
  dv_plan_destroy(&b->plan);
}

static const dvOdeOps bdf_ops = {.solve = bdf_solve};

const dvClass dv_bdf_class = {
    .struct_size = sizeof(dvClass),
    .name = "BDFOdeSolver",
    .help =
        "backward differentiation formulas of any order up to 6, for steps of any length; needs a NewtonRaphsonSolver",
    .module = "Sofa.Component.ODESolver.Backward",
    .size = sizeof(BDF),
    .blocks = {&dv_object_block, DV_BLOCK(bdf_fields)},
    .ops = {[DV_ROLE_ODE] = &bdf_ops},
    .init = bdf_init,
    .bwd_init = bdf_bwd_init,
    .destroy = bdf_destroy,
    DV_MEMORY(bdf_memory),
    .remember = bdf_remember,
    .restored = bdf_restored,
};
