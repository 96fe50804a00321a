// How far multipliers are from the laws of their problem. See problem.h.
//
// A law is a projection: lambda = P(lambda - d / w), P onto the multipliers that it permits (all, lambda >= 0, bounds,
// Coulomb's disc of the present normal force). The distance w |lambda - P(lambda - d / w)| is 0 where the law holds,
// |d| where P does nothing, and w lambda where a multiplier pulls on something that has gone. It knows nothing of how
// the multipliers were found.
#include "constraint/lagrangian/problem.h"

#include "base/base.h"

#include <math.h>

static double distance(double w, double d, double lambda, double low, double high)
{
  return w > 0 ? w * fabs(lambda - dv_max(low, dv_min(high, lambda - d / w))) : fabs(d);
}

static double friction_distance(const dvLaw *law, double w, const double *d, const double *lambda)
{
  double t[2], size = 0, most = law->mu * dv_max(0, lambda[0]);
  for (int i = 0; i < 2; i++) t[i] = lambda[1 + i] - d[1 + i] / w;
  size = hypot(t[0], t[1]);
  double part = size > most ? most / size : 1;
  return w * hypot(lambda[1] - part * t[0], lambda[2] - part * t[1]);
}

static double error_of(const dvConstraintProblem *p, const dvProblemLaw *l, const double *d)
{
  const dvLaw *law = &l->law;
  const double *lambda = p->lambda.data + l->first;
  double low = law->kind == DV_LAW_EQUAL ? -INFINITY : law->kind == DV_LAW_BOUNDED ? law->low : 0, worst = 0;
  double high = law->kind == DV_LAW_BOUNDED ? law->high : INFINITY;
  if (law->kind == DV_LAW_OWN) return 0;
  for (size_t i = 0; i < (size_t)(law->kind == DV_LAW_FRICTION ? 1 : law->rows); i++) {
    size_t row = (size_t)l->first + i;
    double w = p->diagonal.data[row] + law->compliance;
    worst = fmax(worst, distance(w, d[i] + law->compliance * lambda[i], lambda[i], low, high));
  }
  if (law->kind != DV_LAW_FRICTION) return worst;
  size_t row = (size_t)l->first;
  double across = fmax(p->diagonal.data[row + 1], p->diagonal.data[row + 2]) + law->compliance;
  double eased[3] = {d[0], d[1] + law->compliance * lambda[1], d[2] + law->compliance * lambda[2]};
  return fmax(worst, friction_distance(law, across, eased, lambda));
}

double dv_problem_law_error(dvConstraintProblem *p)
{
  double worst = 0;
  dv_array_resize(&p->diagonal, p->rows);
  dv_problem_diagonal(p, p->diagonal.data);
  for (size_t i = 0; i < p->laws.count; i++) {
    dv_array_resize(&p->work, (size_t)p->laws.data[i].law.rows);
    dv_problem_violation(p, &p->laws.data[i], p->work.data);
    worst = fmax(worst, error_of(p, &p->laws.data[i], p->work.data));
  }
  return worst;
}
