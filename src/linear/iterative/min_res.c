// MinResLinearSolver: the minimal residual method (Paige and Saunders 1975) for symmetric systems, also indefinite
// ones.
//
// Lanczos vectors v_k give a tridiagonal matrix, whose QR factorisation by plane rotations is carried along; x moves
// along w_k = (v_k - delta_k w_k-1 - epsilon_k w_k-2) / gamma_k. x starts from what it holds. Stops as SOFA does, when
// an estimate of |r| / (|A| |x|) or of |A r| / (|A| |r|) is at most the tolerance, or rounding leaves nothing to gain.
#include "linear/classes.h"
#include "linear/iterative/iterative.h"

#include <float.h>
#include <math.h>

typedef struct MinRes {
  dvIterative iterative;
  int old[2];   // vectors: Lanczos vectors before they are scaled
  int y, v;     // the next one, the present one
  int w[2];     // directions
} MinRes;

// the last plane rotation and what it left of the tridiagonal matrix
typedef struct Rotation {
  double cosine, sine, dbar, epsilon, phibar;
  double largest, smallest;   // gamma so far
  double norm2;               // of the tridiagonal matrix
} Rotation;

static dvStatus min_res_init(dvObject *o)
{
  MinRes *m = (MinRes *)o;
  dv_vecs_take(o, DV_VEC_DERIV, &m->old[0], &m->old[1], &m->y, &m->v, &m->w[0], &m->w[1]);
  return dv_iterative_init(o, &dv_matrix_free_class);
}

static void min_res_destroy(dvObject *o)
{
  MinRes *m = (MinRes *)o;
  dv_vecs_give(o, &m->old[0], &m->old[1], &m->y, &m->v, &m->w[0], &m->w[1]);
  dv_linear_solver_destroy(o);
}

static dvStatus min_res_parse(dvObject *o, dvAttributes *a)
{
  if (dv_attribute_take(a, "verbose")) dv_note(o, "verbose has no meaning here");
  return DV_OK;
}

// x moves along the new direction w[0]; the caller exchanges it with the last one
static void move(dvPlan *plan, const int w[2], int v, const double epsilon_delta[2], double gamma, double phi, int x)
{
  dv_mech_scale(plan, w[0], -epsilon_delta[0]);
  dv_mech_combine(plan, w[0], w[0], -epsilon_delta[1], w[1]);
  dv_mech_combine(plan, w[0], w[0], 1, v);
  dv_mech_scale(plan, w[0], 1 / gamma);
  dv_mech_combine(plan, x, x, phi, w[0]);
}

static bool stops(const Rotation *r, double root, double size, double beta1, double norm_x, double tolerance,
                  double *error)
{
  double by_residual = r->phibar / (size * norm_x), by_gradient = root / size;
  *error = by_residual;
  return by_residual <= 0 || by_gradient <= 0 || r->largest / r->smallest >= 0.1 / DBL_EPSILON ||
         size * DBL_EPSILON * norm_x >= beta1 || by_gradient <= tolerance || by_residual <= tolerance;
}

static dvStatus min_res_solve(dvObject *o, dvPlan *plan, const dvMech *m, int x, int b)
{
  const MinRes *solver = (const MinRes *)o;
  dvIterative *it = (dvIterative *)o;
  int y = solver->y, v = solver->v;
  DV_TRY(dv_linear_system_build(it->solver.system, plan, m));
  dv_iterative_clear(it);
  dv_iterative_record(it, 1);
  it->done = 0;
  dv_iterative_product(it, plan, y, x);
  dv_mech_xpay(plan, y, b, -1);
  double beta1 = sqrt(dv_mech_dot(plan, y, y)), beta = beta1, beta_before = 0;
  if (!(beta1 > 0)) return DV_OK;
  int older = solver->old[0], old = solver->old[1], w = solver->w[0], w2 = solver->w[1];
  dv_mech_clear(plan, w);
  dv_mech_clear(plan, w2);
  Rotation r = {.cosine = -1, .phibar = beta1, .smallest = DBL_MAX};
  for (; it->done < it->iterations; it->done++) {
    dv_mech_copy(plan, old, y);
    dv_mech_copy(plan, v, y);
    dv_mech_scale(plan, v, 1 / beta);
    dv_iterative_product(it, plan, y, v);
    if (it->done > 0) dv_mech_combine(plan, y, y, -beta / beta_before, older);
    double alpha = dv_mech_dot(plan, v, y);
    dv_mech_combine(plan, y, y, -alpha / beta, old);
    int swap = older;
    older = old;
    old = swap;
    beta_before = beta;
    beta = sqrt(dv_mech_dot(plan, y, y));
    r.norm2 += alpha * alpha + beta_before * beta_before + beta * beta;
    double epsilon = r.epsilon, delta = r.cosine * r.dbar + r.sine * alpha, gbar = r.sine * r.dbar - r.cosine * alpha;
    r.epsilon = r.sine * beta;
    r.dbar = -r.cosine * beta;
    double root = sqrt(gbar * gbar + r.dbar * r.dbar), gamma = fmax(sqrt(gbar * gbar + beta * beta), DBL_EPSILON);
    r.cosine = gbar / gamma;
    r.sine = beta / gamma;
    double phi = r.cosine * r.phibar;
    r.phibar *= r.sine;
    swap = w;
    w = w2;
    w2 = swap;
    move(plan, (const int[]){w, w2}, v, (const double[]){epsilon, delta}, gamma, phi, x);
    if (it->done == 0 && beta / beta1 < 10 * DBL_EPSILON) break;
    r.largest = fmax(r.largest, gamma);
    r.smallest = fmin(r.smallest, gamma);
    double error;
    bool enough = stops(&r, root, sqrt(r.norm2), beta1, sqrt(dv_mech_dot(plan, x, x)), it->tolerance, &error);
    dv_iterative_record(it, error);
    if (enough) break;
  }
  return DV_OK;
}

static bool min_res_starts_warm(const dvObject *o)
{
  DV_UNUSED(o);
  return true;
}

static const dvLinearSolverOps min_res_ops = {
    .solve = min_res_solve, .residuals = dv_iterative_residuals, .starts_warm = min_res_starts_warm};

const dvClass dv_min_res_class = {
    .struct_size = sizeof(dvClass),
    .name = "MinResLinearSolver",
    .help = "minimal residual method for symmetric systems, also indefinite ones",
    .module = "Sofa.Component.LinearSolver.Iterative",
    .size = sizeof(MinRes),
    .blocks = {&dv_object_block, &dv_linear_solver_block, &dv_iterative_block},
    .ops = {[DV_ROLE_LINEAR_SOLVER] = &min_res_ops},
    .parse = min_res_parse,
    .init = min_res_init,
    .destroy = min_res_destroy,
    .remember = dv_linear_solver_remember,
    .restored = dv_linear_solver_restored,
};
