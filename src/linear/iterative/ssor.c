// SSORPreconditioner: symmetric successive over-relaxation. With A = D + L + L^T and relaxation w:
//
//   x = (2 - w) w (D + w L)^-1 D (D + w L^T)^-1 b
//
// taken scalar by scalar: first the upper triangle from the last row up, then the lower one from the first row down.
// The factor 2 - w is left out for the template with 3x3 blocks, as in SOFA, where it scales what the conjugate
// gradient tests.
#include "linear/classes.h"
#include "linear/solver.h"

#include <string.h>

#define SSOR_FIELDS(X) X(real, omega, "1", "", "relaxation, between 0 and 2")

typedef struct Ssor {
  dvLinearSolver solver;
  SSOR_FIELDS(DV_MEMBER)
  const dvBlockMatrix *matrix;   // of the last preparation
  DV_ARRAY(double) inverse;      // w / diagonal
  DV_ARRAY(int32_t) diagonal;    // place of the diagonal block of each block row
} Ssor;

#define SELF Ssor
static const dvFieldDesc ssor_fields[] = {SSOR_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus ssor_init(dvObject *o)
{
  Ssor *s = (Ssor *)o;
  if (!(s->omega > 0 && s->omega < 2))
    return dv_field_error(o, &s->omega, "1 is the usual value", "omega is %g, it must lie between 0 and 2", s->omega);
  return dv_linear_solver_init(o, DV_SYSTEM_MATRIX, &dv_matrix_system_class);
}

static dvStatus ssor_parse(dvObject *o, dvAttributes *a)
{
  if (dv_attribute_take(a, "verbose")) dv_note(o, "verbose has no meaning here");
  return DV_OK;
}

static dvStatus ssor_prepare(dvObject *o)
{
  Ssor *s = (Ssor *)o;
  bool changed;
  DV_TRY(dv_linear_solver_matrix(o, &s->matrix, &changed));
  if (!changed) return DV_OK;
  const dvBlockMatrix *a = s->matrix;
  size_t b = (size_t)a->block;
  dv_array_resize(&s->inverse, dv_block_matrix_rows(a));
  dv_array_resize(&s->diagonal, a->pattern.rows);
  for (size_t r = 0; r < a->pattern.rows; r++) {
    s->diagonal.data[r] = dv_pattern_find(&a->pattern, r, r);
    for (size_t i = 0; i < b; i++) {
      double d = dv_block_matrix_at(a, s->diagonal.data[r])[i * b + i];
      if (d == 0) return dv_linear_solver_singular(o, r * b + i, NULL);
      s->inverse.data[r * b + i] = s->omega / d;
    }
  }
  return DV_OK;
}

// sum of the blocks begin to end of a row times x
static inline void add_blocks(const dvBlockMatrix *a, int32_t begin, int32_t end, const double *x, double *sum)
{
  int b = a->block;
  for (int32_t e = begin; e < end; e++) {
    const double *v = dv_block_matrix_at(a, e), *from = x + (size_t)a->pattern.col[e] * (size_t)b;
    for (int i = 0; i < b; i++)
      for (int j = 0; j < b; j++) sum[i] += v[i * b + j] * from[j];
  }
}

static void ssor_apply(dvObject *o, double *x, const double *rhs)
{
  const Ssor *s = (const Ssor *)o;
  const dvBlockMatrix *a = s->matrix;
  const int32_t *start = a->pattern.row_start;
  int b = a->block;
  for (size_t r = a->pattern.rows; r-- > 0;) {
    double sum[DV_MAX_BLOCK] = {0}, *to = x + r * (size_t)b;
    const double *d = dv_block_matrix_at(a, s->diagonal.data[r]), *inverse = s->inverse.data + r * (size_t)b;
    add_blocks(a, s->diagonal.data[r] + 1, start[r + 1], x, sum);
    for (int i = b - 1; i >= 0; i--) {
      for (int j = i + 1; j < b; j++) sum[i] += d[i * b + j] * to[j];
      to[i] = (rhs[r * (size_t)b + (size_t)i] - sum[i]) * inverse[i];
    }
  }
  for (size_t r = 0; r < a->pattern.rows; r++) {
    double sum[DV_MAX_BLOCK] = {0}, *to = x + r * (size_t)b;
    const double *d = dv_block_matrix_at(a, s->diagonal.data[r]), *inverse = s->inverse.data + r * (size_t)b;
    add_blocks(a, start[r], s->diagonal.data[r], x, sum);
    for (int i = 0; i < b; i++) {
      for (int j = 0; j < i; j++) sum[i] += d[i * b + j] * to[j];
      to[i] -= sum[i] * inverse[i];
    }
  }
  if (s->omega == 1 || (o->template_text && strstr(o->template_text, "Mat3x3"))) return;
  for (size_t i = 0; i < s->inverse.count; i++) x[i] *= 2 - s->omega;
}

static void ssor_destroy(dvObject *o)
{
  Ssor *s = (Ssor *)o;
  dv_array_free(&s->inverse);
  dv_array_free(&s->diagonal);
  dv_linear_solver_destroy(o);
}

static const dvLinearSolverOps ssor_ops = {
    .solve = dv_linear_solver_solve, .prepare = ssor_prepare, .apply = ssor_apply};

const dvClass dv_ssor_class = {
    .struct_size = sizeof(dvClass),
    .name = "SSORPreconditioner",
    .aliases = "SSORLinearSolver SSORSolver",
    .help = "preconditioner: one sweep of symmetric over-relaxation",
    .module = "Sofa.Component.LinearSolver.Preconditioner",
    .size = sizeof(Ssor),
    .blocks = {&dv_object_block, &dv_linear_solver_block, DV_BLOCK(ssor_fields)},
    .ops = {[DV_ROLE_LINEAR_SOLVER] = &ssor_ops},
    .parse = ssor_parse,
    .init = ssor_init,
    .destroy = ssor_destroy,
    .remember = dv_linear_solver_remember,
    .restored = dv_linear_solver_restored,
};
