// TrialLinearSolver: conjugate gradients on the assembled matrix, to the last digit. TrialIntegrator: symplectic Euler,
// v += h M^-1 f, x += h v.
#include <divan/sdk/plugin.h>

#include <math.h>

extern const dvClass trial_solver_class, trial_integrator_class;

typedef struct TrialSolver {
  dvLinearSolver solver;
  const dvBlockMatrix *matrix;
  DV_ARRAY(double) r, p, q;
} TrialSolver;

static dvStatus trial_solver_init(dvObject *o)
{
  return dv_linear_solver_init(o, DV_SYSTEM_MATRIX, &dv_matrix_system_class);
}

static dvStatus trial_solver_prepare(dvObject *o)
{
  TrialSolver *s = (TrialSolver *)o;
  bool changed;
  DV_TRY(dv_linear_solver_matrix(o, &s->matrix, &changed));
  size_t n = dv_block_matrix_rows(s->matrix);
  dv_array_resize(&s->r, n);
  dv_array_resize(&s->p, n);
  dv_array_resize(&s->q, n);
  return DV_OK;
}

static double dot(const double *a, const double *b, size_t n)
{
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static void trial_solver_apply(dvObject *o, double *x, const double *rhs)
{
  TrialSolver *s = (TrialSolver *)o;
  size_t n = s->r.count;
  double *r = s->r.data, *p = s->p.data, *q = s->q.data;
  for (size_t i = 0; i < n; i++) x[i] = 0, r[i] = p[i] = rhs[i];
  double now = dot(r, r, n), least = 1e-28 * now;
  for (size_t k = 0; k < 10 * n && now > least; k++) {
    dv_block_matrix_product(s->matrix, o->context->pool, p, q);
    double alpha = now / dot(p, q, n), before = now;
    for (size_t i = 0; i < n; i++) x[i] += alpha * p[i], r[i] -= alpha * q[i];
    now = dot(r, r, n);
    for (size_t i = 0; i < n; i++) p[i] = r[i] + now / before * p[i];
  }
}

static void trial_solver_destroy(dvObject *o)
{
  TrialSolver *s = (TrialSolver *)o;
  dv_array_free(&s->r);
  dv_array_free(&s->p);
  dv_array_free(&s->q);
  dv_linear_solver_destroy(o);
}

static const dvLinearSolverOps trial_solver_ops = {
    .solve = dv_linear_solver_solve, .prepare = trial_solver_prepare, .apply = trial_solver_apply};

const dvClass trial_solver_class = {
    .struct_size = sizeof(dvClass),
    .name = "TrialLinearSolver",
    .help = "conjugate gradients on the assembled matrix",
    .size = sizeof(TrialSolver),
    .blocks = {&dv_object_block, &dv_linear_solver_block},
    .ops = {[DV_ROLE_LINEAR_SOLVER] = &trial_solver_ops},
    .init = trial_solver_init,
    .destroy = trial_solver_destroy,
};

typedef struct TrialIntegrator {
  dvObject base;
  dvPlan *plan;
} TrialIntegrator;

static dvStatus trial_integrator_solve(dvObject *o, double dt, int x, int v)
{
  dvPlan *plan = dv_ode_plan(&((TrialIntegrator *)o)->plan, o);
  dvMech m = dv_ode_mech(o, dt, false);
  DV_TRY(dv_ode_acceleration(o, NULL, plan, &m, DV_DX));
  dv_mech_combine(plan, v, DV_V, dt, DV_DX);
  dv_mech_combine(plan, x, DV_X, dt, v);
  return DV_OK;
}

static void trial_integrator_destroy(dvObject *o) { dv_plan_destroy(&((TrialIntegrator *)o)->plan); }

static const dvOdeOps trial_integrator_ops = {.solve = trial_integrator_solve, .kind = DV_ODE_EXPLICIT};

const dvClass trial_integrator_class = {
    .struct_size = sizeof(dvClass),
    .name = "TrialIntegrator",
    .help = "symplectic Euler integration",
    .size = sizeof(TrialIntegrator),
    .blocks = {&dv_object_block},
    .ops = {[DV_ROLE_ODE] = &trial_integrator_ops},
    .destroy = trial_integrator_destroy,
};
