// NewtonRaphsonSolver: solves r(q) = 0 by q += alpha dq with J(q) dq = -r(q), for integrators that link to it.
//
// Iterations end when, in this order,
//   the residual fell, against the iteration before   |r| < relativeSuccessiveStoppingThreshold |r before|
//   ..., against the start                            |r| < relativeInitialStoppingThreshold |r at the start|
//   ..., in absolute terms                            |r| < absoluteResidualStoppingThreshold
//   the correction is small against the guess         |dq| < relativeEstimateDifferenceThreshold |q|
//   ..., in absolute terms                            |dq| < absoluteEstimateDifferenceThreshold
// (a threshold of 0 switches a measure off), or after maxNbIterationsNewton. A residual that is small at the start
// needs no iteration. The line search shortens the step by lineSearchCoefficient until the residual falls; when it
// never does, the full step is taken.
//
// lineSearchCriterion="slope" is for equations that are the gradient of an energy, as those of a step with forces that
// have potentials: r . dq is then the slope of the energy along the correction. A step that goes on downhill is taken;
// one that ends steeply uphill has passed the minimum, which the secant of the slopes then finds, to half of the slope
// at the start. A correction that points uphill is turned round. Energies fall that way where residuals cannot: muscle
// that begins to pull has to cross states of larger residual.
//
// Where J is not positive a correction leads nowhere, and where it nearly is not far beyond all bounds. By slopes a
// part of the mass is then added to J (K. Levenberg, 1944; D. W. Marquardt, 1963), which holds back what is soft and
// leaves what is stiff: eight times as much until J is positive, four times after corrections that had to be shortened
// or ended uphill, and half after those that end where the energy still falls by 0.3 of what it did at the start. It is
// kept from one solve to the next.
#include "ode/newton.h"

#include "base/array.h"
#include "ode/integrator.h"

#include <math.h>

// how a solve ended
typedef enum Outcome {
  UNDEFINED,
  EQUILIBRIUM,
  NOT_CONVERGED,
  SUCCESSIVE_RATIO,
  INITIAL_RATIO,
  SMALL_RESIDUAL,
  RELATIVE_CORRECTION,
  SMALL_CORRECTION
} Outcome;
#define OUTCOMES                                                                                 \
  "Undefined|ConvergedEquilibrium|DivergedMaxIterations|ConvergedResidualSuccessiveRatio|"       \
  "ConvergedResidualInitialRatio|ConvergedAbsoluteResidual|ConvergedRelativeEstimateDifference|" \
  "ConvergedAbsoluteEstimateDifference"

#define NEWTON_FIELDS(X)                                                                                              \
  X(int, maxNbIterationsNewton, "1", "", "largest number of iterations")                                              \
  X(real, relativeSuccessiveStoppingThreshold, "1e-5", "",                                                            \
    "stop when the residual is this small against that of the iteration before")                                      \
  X(real, relativeInitialStoppingThreshold, "1e-5", "", "stop when the residual is this small against the first one") \
  X(real, absoluteResidualStoppingThreshold, "1e-5", "", "stop when the norm of the residual is this small")          \
  X(real, relativeEstimateDifferenceThreshold, "0", "", "stop when the correction is this small against the guess")   \
  X(real, absoluteEstimateDifferenceThreshold, "0", "", "stop when the norm of the correction is this small")         \
  X(int, maxNbIterationsLineSearch, "1", "",                                                                          \
    "largest number of step lengths that the line search tries; 1: no search")                                        \
  X(real, lineSearchCoefficient, "0.5", "", "factor from one step length to the next in the line search")             \
  X(choice, lineSearchCriterion, "residual", "",                                                                      \
    "what a step length must do: make the residual smaller, as in SOFA (residual), or not lead steeply uphill in "    \
    "energy (slope)",                                                                                                 \
    .options = "residual|slope")                                                                                      \
  X(bool, updateStateWhenDiverged, "1", "", "no effect: the last guess is kept in any case",                          \
    .flags = DV_HIDDEN | DV_IDLE)                                                                                     \
  X(choice, status, "Undefined", "", "how the last solve ended", .options = OUTCOMES, .flags = DV_READ_ONLY)          \
  X(reals, residualGraph, "", "", "squared norm of the residual of each iteration of the last solve",                 \
    .flags = DV_READ_ONLY)                                                                                            \
  X(bool, warnWhenLineSearchFails, "1", "", "tell when no step length makes the residual smaller")                    \
  X(bool, warnWhenDiverge, "1", "", "tell when the iterations end without convergence")

enum { BY_RESIDUAL, BY_SLOPE };
enum { RAISE = 4, RAISE_MORE = 8, LOWER = 2, MOST_SHIFT = 4096, RETRIES = 4 };   // of what is added to J
#define MUCH_LESS 0.0625                                                         // of |r|^2
#define LOW_SLOPE 0.3
#define HIGH_SLOPE 0.2

typedef struct Newton {
  dvObject base;
  NEWTON_FIELDS(DV_MEMBER)
  bool told_search, told_divergence;   // each warning is given once
  double shift;                        // what is added to J, in parts of the mass
  DV_ARRAY(dvLag) lags;
} Newton;

#define SELF Newton
static const dvFieldDesc newton_fields[] = {NEWTON_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc newton_memory[] = {DV_REMEMBER(numbers, shift)};
#undef SELF

static dvStatus newton_init(dvObject *o)
{
  Newton *n = (Newton *)o;
  if (n->maxNbIterationsNewton < 0)
    return dv_field_error(o, &n->maxNbIterationsNewton, NULL, "the number of iterations must not be negative");
  if (n->maxNbIterationsNewton > 1000000)
    return dv_field_error(o, &n->maxNbIterationsNewton, NULL, "more than a million iterations");
  if (!(n->lineSearchCoefficient > 0 && n->lineSearchCoefficient <= 1))
    return dv_field_error(o, &n->lineSearchCoefficient, "the default is 0.5",
                          "lineSearchCoefficient must lie between 0 and 1");
  n->status = UNDEFINED;
  n->shift = 0;
  if (!dv_reals_resize(&n->residualGraph, (size_t)n->maxNbIterationsNewton + 1))
    return dv_error(o, NULL, "out of memory");
  n->residualGraph.count = 0;
  return DV_OK;
}

static void record(Newton *n, double residual2)
{
  double *data = dv_reals_edit(&n->residualGraph);
  if (n->residualGraph.count < dv_reals_room(&n->residualGraph)) data[n->residualGraph.count++] = residual2;
}

static dvStatus end(Newton *n, Outcome how)
{
  n->status = (int32_t)how;
  dv_touch(&n->base, &n->status);
  dv_touch(&n->base, &n->residualGraph);
  return DV_OK;
}

static void warn_once(Newton *n, bool wanted, bool *told, const char *advice, const char *what, int iteration)
{
  if (wanted && !*told) dv_warning(&n->base, advice, "%s in iteration %d; this is told once", what, iteration + 1);
  *told = *told || wanted;
}

// the full step, or the first shorter one that makes the residual fall below `before`; the full one again when none
// does
static double search_line(Newton *n, dvNonlinear *f, double before, int iteration)
{
  int tries = dv_max_int(n->maxNbIterationsLineSearch, 1);
  double alpha = 1, done = 0, residual2 = 0;
  for (int i = 0; i < tries; i++) {
    f->advance(f, alpha - done);
    residual2 = f->evaluate(f);
    if (residual2 < before) return residual2;
    done = alpha;
    alpha *= n->lineSearchCoefficient;
  }
  if (tries == 1) return residual2;   // nothing was searched: the full step is what was asked for
  warn_once(n, n->warnWhenLineSearchFails, &n->told_search,
            "a smaller time step or load step may help; warnWhenLineSearchFails=\"0\" silences this",
            "no step length makes the residual smaller", iteration);
  f->advance(f, 1 - done);
  return f->evaluate(f);
}

static void raise_shift(Newton *n, double times) { n->shift = dv_min(dv_max(times * n->shift, RAISE), MOST_SHIFT); }

// after a step of length alpha that has ended with a slope, in parts of the first one
static void adapt_shift(Newton *n, double alpha, double slope)
{
  if (alpha < 0.5 || slope > HIGH_SLOPE) raise_shift(n, RAISE);
  else if (alpha == 1 && slope < -LOW_SLOPE) n->shift = n->shift > 1 ? n->shift / LOWER : 0;
}

// Along the correction until the slope is at most half of what it is at the start. `low` and `high` bracket the
// minimum. A correction towards the law of forces that lag behind may lead across all slopes: there it is enough that
// the residual falls to a quarter.
static double search_slope(Newton *n, dvNonlinear *f, const dvNewtonTalk *talk, double before, int iteration)
{
  int tries = dv_max_int(n->maxNbIterationsLineSearch, 1);
  double first = f->slope(f), sign = first > 0 ? -1 : 1, most = 0.5 * fabs(first), low = 0, high = 1,
         low_slope = -fabs(first), alpha = 1, done = 0, residual2 = 0, enough = talk->partial ? MUCH_LESS * before : 0;
  if (first > 0 && talk->partial) {
    f->advance(f, 1);
    residual2 = f->evaluate(f);
    if (residual2 < enough) return residual2;
    f->advance(f, -1);
  }
  for (int i = 0; i < tries; i++) {
    f->advance(f, sign * (alpha - done));
    residual2 = f->evaluate(f);
    done = alpha;
    if (residual2 < enough) return residual2;
    double slope = sign * f->slope(f);
    if (slope <= most && (alpha == 1 || slope >= -most)) {
      if (first != 0) adapt_shift(n, alpha, slope / fabs(first));
      return residual2;
    }
    if (slope < 0) low = alpha, low_slope = slope;
    else high = alpha;
    double part = slope > most ? low_slope / (low_slope - slope) : 0.5;   // none where the slope is not finite
    alpha = low + (high - low) * (part > 0.1 ? dv_min(part, 0.7) : 0.1);
  }
  raise_shift(n, RAISE);
  if (tries > 1) {   // back to where the energy still falls, which may be the start: the next correction is another one
    if (low < done) {
      f->advance(f, sign * (low - done));
      residual2 = f->evaluate(f);
    }
    warn_once(n, n->warnWhenLineSearchFails, &n->told_search,
              "more tries (maxNbIterationsLineSearch) or a smaller time step may help; warnWhenLineSearchFails=\"0\" "
              "silences this",
              "no step length is near the lowest energy", iteration);
  }
  return residual2;
}

// the correction; where J is not positive, of a J that is
static dvStatus correct(Newton *n, dvNonlinear *f, dvNewtonTalk *talk)
{
  bool by_slope = n->lineSearchCriterion == BY_SLOPE;
  talk->shift = by_slope ? n->shift : 0;
  DV_TRY(f->correct(f));
  for (int i = 0; by_slope && talk->indefinite && i < RETRIES && n->shift < MOST_SHIFT; i++) {
    raise_shift(n, RAISE_MORE);
    talk->shift = n->shift;
    DV_TRY(f->correct(f));
  }
  return DV_OK;
}

static bool below(double value2, double threshold, double reference2)
{
  return threshold > 0 && value2 < threshold * threshold * reference2;
}

typedef struct Progress {
  double residual2, before2, first2;   // of the residual: now, in the iteration before, at the start
  double guess2;                       // of the guess before the last correction
} Progress;

// the first measure that holds, NOT_CONVERGED when none does
static Outcome measure(const Newton *n, dvNonlinear *f, const Progress *p)
{
  if (below(p->residual2, n->relativeSuccessiveStoppingThreshold, p->before2)) return SUCCESSIVE_RATIO;
  if (below(p->residual2, n->relativeInitialStoppingThreshold, p->first2)) return INITIAL_RATIO;
  if (below(p->residual2, n->absoluteResidualStoppingThreshold, 1)) return SMALL_RESIDUAL;
  bool relative = n->relativeEstimateDifferenceThreshold > 0, absolute = n->absoluteEstimateDifferenceThreshold > 0;
  double correction2 = relative || absolute ? f->correction2(f) : 0;
  if (p->guess2 > 0 && below(correction2, n->relativeEstimateDifferenceThreshold, p->guess2))
    return RELATIVE_CORRECTION;
  if (below(correction2, n->absoluteEstimateDifferenceThreshold, 1)) return SMALL_CORRECTION;
  return NOT_CONVERGED;
}

dvStatus dv_newton_solve_talking(dvObject *o, dvNonlinear *f, dvNewtonTalk *talk)
{
  Newton *n = (Newton *)o;
  Progress p = {.residual2 = talk->evaluated ? talk->residual2 : f->evaluate(f)};
  p.first2 = talk->first2 = p.residual2;
  talk->enough2 = 0.25 * dv_max(n->absoluteResidualStoppingThreshold * n->absoluteResidualStoppingThreshold,
                                n->relativeInitialStoppingThreshold * n->relativeInitialStoppingThreshold * p.first2);
  n->residualGraph.count = 0;
  record(n, p.residual2);
  if (n->absoluteResidualStoppingThreshold > 0 &&
      p.residual2 <= n->absoluteResidualStoppingThreshold * n->absoluteResidualStoppingThreshold)
    return end(n, EQUILIBRIUM);
  for (int i = 0; i < n->maxNbIterationsNewton; i++) {
    p.before2 = p.residual2;
    p.guess2 = n->relativeEstimateDifferenceThreshold > 0 ? f->guess2(f) : 0;
    DV_TRY(correct(n, f, talk));
    p.residual2 =
        n->lineSearchCriterion == BY_SLOPE ? search_slope(n, f, talk, p.before2, i) : search_line(n, f, p.before2, i);
    record(n, p.residual2);
    if (o->printLog)
      dv_note(o, "iteration %d: residual %g, %g of the one before", i + 1, sqrt(p.residual2),
              sqrt(p.residual2 / p.before2));
    Outcome how = measure(n, f, &p);
    if (how != NOT_CONVERGED) return end(n, how);
  }
  warn_once(n, n->warnWhenDiverge && n->maxNbIterationsNewton > 1, &n->told_divergence,
            "raise maxNbIterationsNewton or the thresholds, or make the time step smaller",
            "the Newton iterations end without convergence", n->maxNbIterationsNewton - 1);
  return end(n, NOT_CONVERGED);
}

dvStatus dv_newton_solve(dvObject *o, dvNonlinear *f) { return dv_newton_solve_talking(o, f, &(dvNewtonTalk){0}); }

bool dv_newton_by_slope(const dvObject *o) { return ((const Newton *)o)->lineSearchCriterion == BY_SLOPE; }

void dv_newton_register_lag(dvObject *o, dvLag lag)
{
  Newton *n = (Newton *)o;
  for (size_t i = 0; i < n->lags.count; i++)
    if (n->lags.data[i].force == lag.force) return;
  dv_push(&n->lags, lag);
}

bool dv_newton_lag(const dvObject *o, dvPlan *plan, const dvMech *m, int f)
{
  const Newton *n = (const Newton *)o;
  dvMech lag = *m;
  lag.f = f;
  if (n->lags.count) dv_mech_clear(plan, f);
  for (size_t i = 0; i < n->lags.count; i++) n->lags.data[i].add_lag(n->lags.data[i].force, &lag);
  return n->lags.count > 0;
}

static bool is_newton(const dvObject *o) { return o->cls == &dv_newton_class; }

dvStatus dv_newton_find(dvObject *o, dvLink *link)
{
  if (!link->target) link->target = dv_ode_find_below(o->node, is_newton);
  if (link->target && !is_newton(link->target))
    return dv_error(o, "link newtonSolver to a NewtonRaphsonSolver", "newtonSolver is a %s", link->target->cls->name);
  return link->target ? dv_object_ensure(link->target) : DV_OK;
}

// how the last solve went is not known any more
static bool newton_restored(dvObject *o)
{
  Newton *n = (Newton *)o;
  n->residualGraph.count = 0;
  end(n, UNDEFINED);
  return n->shift >= 0 && n->shift <= MOST_SHIFT;
}

static void newton_destroy(dvObject *o) { dv_array_free(&((Newton *)o)->lags); }

const dvClass dv_newton_class = {
    .struct_size = sizeof(dvClass),
    .name = "NewtonRaphsonSolver",
    .help = "Newton-Raphson iterations with line search, for integrators that solve nonlinear equations",
    .module = "Sofa.Component.ODESolver.Backward",
    .size = sizeof(Newton),
    .blocks = {&dv_object_block, DV_BLOCK(newton_fields)},
    .init = newton_init,
    .reinit = newton_init,
    DV_MEMORY(newton_memory),
    .restored = newton_restored,
    .destroy = newton_destroy,
};
