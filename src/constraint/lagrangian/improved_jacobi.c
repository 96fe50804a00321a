// ImprovedJacobiConstraintSolver: all constraints at once, each with the multipliers of the iteration before (Francu,
// Moldoveanu: An improved Jacobi solver for particle simulation, 2014).
//
//   d += W (lambda - lambda of before),   each law for rho d,   lambda += beta (lambda - lambda of before)
//
// rho = factor min(1, 1.8 / spr(W)) with useSpectralCorrection (spr as SOFA takes it: the squared spectral radius),
// beta = min(1, (i / maxIterations)^speed) with useConjugateResidue; 1 and 0 otherwise. Multipliers start from zero.
// The error of a law is the root of the squares of all W (lambda - before) of its rows, entry by entry.
#include "constraint/lagrangian/classes.h"
#include "constraint/lagrangian/solver.h"

#include "math/kernels.h"

#include <math.h>
#include <string.h>

#define JACOBI_FIELDS(X)                                                                  \
  X(bool, useSpectralCorrection, "0", "",                                                 \
    "scale violations by 1.8 over the squared spectral radius of the compliance")         \
  X(real, spectralCorrectionFactor, "1", "", "factor of that scale")                      \
  X(bool, useConjugateResidue, "0", "", "go on along the last change of the multipliers") \
  X(real, conjugateResidueSpeedFactor, "10", "", "how late that sets in: the part is (iteration / most)^factor")

typedef struct Jacobi {
  dvConstraintSolver solver;
  JACOBI_FIELDS(DV_MEMBER)
  DV_ARRAY(double) change, d, scaled;
} Jacobi;

#define SELF Jacobi
static const dvFieldDesc jacobi_fields[] = {JACOBI_FIELDS(DV_DESCRIBE)};
#undef SELF

// the largest eigenvalue of W by powers: W is symmetric, its eigenvalues are not negative
static double spectral_radius(Jacobi *j)
{
  const dvConstraintProblem *p = &j->solver.problem;
  const dvVectorKernels *kernels = dv_vector_kernels();
  double radius = 0, *x = j->change.data, *y = j->scaled.data;
  for (size_t i = 0; i < p->rows; i++) x[i] = 1 + 0.3 * sin((double)i);
  for (int round = 0; round < 500; round++) {
    double length = sqrt(kernels->dot(x, x, p->rows)), before = radius;
    if (!(length > 0)) break;
    for (size_t i = 0; i < p->rows; i++) x[i] /= length;
    for (size_t i = 0; i < p->rows; i++) y[i] = kernels->dot(p->w.data + i * p->rows, x, p->rows);
    radius = kernels->dot(x, y, p->rows);
    memcpy(x, y, p->rows * sizeof *x);
    if (fabs(radius - before) <= 1e-12 * radius) break;
  }
  return radius;
}

static double iterate(Jacobi *j, double rho, double beta, double tolerance, bool *verified)
{
  dvConstraintSolver *s = &j->solver;
  dvConstraintProblem *p = &s->problem;
  const dvVectorKernels *kernels = dv_vector_kernels();
  double error = 0;
  *verified = true;
  for (size_t i = 0; i < p->rows; i++) {
    j->d.data[i] += kernels->dot(p->w.data + i * p->rows, j->change.data, p->rows);
    j->scaled.data[i] = rho * j->d.data[i];
  }
  for (size_t i = 0; i < p->laws.count; i++) {
    const dvProblemLaw *l = &p->laws.data[i];
    size_t first = (size_t)l->first, end = first + (size_t)l->law.rows;
    dv_problem_solve_law(p, l, j->scaled.data + first, p->lambda.data + first);
    for (size_t r = first; r < end; r++) {
      p->lambda.data[r] += beta * j->change.data[r];
      j->change.data[r] = p->lambda.data[r] - s->before.data[r];
      s->before.data[r] = p->lambda.data[r];
    }
    double square = 0;
    for (size_t r = first; r < end; r++) {
      const double *row = p->w.data + r * p->rows;
      for (size_t k = 0; k < p->rows; k++) square += row[k] * j->change.data[k] * (row[k] * j->change.data[k]);
      *verified = *verified && square < tolerance * tolerance;
    }
    s->errors.data[i] = sqrt(square);
    error += s->errors.data[i];
  }
  return error;
}

static bool jacobi_find(dvConstraintSolver *s, double tolerance)
{
  Jacobi *j = (Jacobi *)s;
  dvConstraintProblem *p = &s->problem;
  double rho = 1;
  dv_array_resize(&s->before, p->rows);
  dv_array_resize(&j->change, p->rows);
  dv_array_resize(&j->d, p->rows);
  dv_array_resize(&j->scaled, p->rows);
  if (j->useSpectralCorrection) {
    double radius = spectral_radius(j);
    rho = j->spectralCorrectionFactor * fmin(1, 1.8 / (radius * radius));
  }
  for (size_t i = 0; i < p->rows; i++) {
    s->before.data[i] = j->change.data[i] = p->lambda.data[i] = 0;
    j->d.data[i] = p->violation.data[i];
  }
  while (s->currentIterations < s->maxIterations) {
    bool verified;
    int i = s->currentIterations++;
    double part = pow((double)i / s->maxIterations, j->conjugateResidueSpeedFactor);
    double error = iterate(j, rho, j->useConjugateResidue ? fmin(1, part) : 0, tolerance, &verified);
    dv_constraint_solver_keep(s, error);
    if (!isfinite(error)) return false;
    if (s->allVerified ? verified : error < tolerance && i > 0) return true;
  }
  return false;
}

static dvStatus jacobi_init(dvObject *o)
{
  ((dvConstraintSolver *)o)->needs_matrix = true;   // its error is a sum over entries of W
  return dv_constraint_solver_init(o);
}

static dvStatus jacobi_solve(dvObject *o, double dt, bool velocities_first)
{
  return dv_constraint_solver_solve(o, dt, velocities_first, jacobi_find);
}

static void jacobi_destroy(dvObject *o)
{
  Jacobi *j = (Jacobi *)o;
  dv_constraint_solver_destroy(o);
  dv_array_free(&j->change);
  dv_array_free(&j->d);
  dv_array_free(&j->scaled);
}

static const dvConstraintSolverOps jacobi_ops = {.solve = jacobi_solve, .problem = dv_constraint_solver_problem};

const dvClass dv_improved_jacobi_class = {
    .struct_size = sizeof(dvClass),
    .name = "ImprovedJacobiConstraintSolver",
    .help = "finds the multipliers of all constraints at once, from those of the iteration before",
    .module = "Sofa.Component.Constraint.Lagrangian.Solver",
    .size = sizeof(Jacobi),
    .blocks = {&dv_object_block, &dv_constraint_solver_block, DV_BLOCK(jacobi_fields)},
    .ops = {[DV_ROLE_CONSTRAINT_SOLVER] = &jacobi_ops},
    .init = jacobi_init,
    .destroy = jacobi_destroy,
    .remember = dv_constraint_solver_remember,
};
