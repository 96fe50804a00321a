// JacobiPreconditioner and BlockJacobiPreconditioner: the inverse of the diagonal, by single numbers or by 3x3 blocks.
#include "linear/classes.h"
#include "linear/solver.h"

#include "math/vec.h"

typedef struct Jacobi {
  dvLinearSolver solver;
  int side;                   // of a block: 1 or 3
  DV_ARRAY(double) inverse;   // blocks one after the other
} Jacobi;

static dvStatus jacobi_init(dvObject *o)
{
  ((Jacobi *)o)->side = o->cls == &dv_block_jacobi_class ? 3 : 1;
  return dv_linear_solver_init(o, DV_SYSTEM_MATRIX, &dv_matrix_system_class);
}

static dvStatus jacobi_parse(dvObject *o, dvAttributes *a)
{
  if (dv_attribute_take(a, "verbose")) dv_note(o, "verbose has no meaning here");
  return DV_OK;
}

static bool invert(const dvBlockMatrix *a, size_t row, size_t side, double *out)
{
  if (side == 1) {
    double d = dv_block_matrix_entry(a, row, row);
    out[0] = 1 / d;
    return d != 0;
  }
  dvMat3 m, inverse;
  for (size_t i = 0; i < 3; i++)
    for (size_t j = 0; j < 3; j++) m.m[i][j] = dv_block_matrix_entry(a, row + i, row + j);
  if (!dv_mat3_inverse(m, &inverse)) return false;
  for (size_t i = 0; i < 9; i++) out[i] = inverse.m[i / 3][i % 3];
  return true;
}

static dvStatus jacobi_prepare(dvObject *o)
{
  Jacobi *j = (Jacobi *)o;
  const dvBlockMatrix *a;
  bool changed;
  DV_TRY(dv_linear_solver_matrix(o, &a, &changed));
  if (!changed) return DV_OK;
  size_t n = dv_block_matrix_rows(a), side = (size_t)j->side;
  if (n % side) return dv_error(o, "use JacobiPreconditioner", "%zu unknowns do not make blocks of %zu", n, side);
  dv_array_resize(&j->inverse, n * side);
  for (size_t row = 0; row < n; row += side)
    if (!invert(a, row, side, j->inverse.data + row * side)) return dv_linear_solver_singular(o, row, NULL);
  return DV_OK;
}

static void jacobi_apply(dvObject *o, double *x, const double *rhs)
{
  const Jacobi *j = (const Jacobi *)o;
  const double *v = j->inverse.data;
  size_t n = j->inverse.count / (size_t)j->side;
  if (j->side == 1) {
    for (size_t i = 0; i < n; i++) x[i] = v[i] * rhs[i];
    return;
  }
  for (size_t i = 0; i < n; i += 3, v += 9) {
    double a = rhs[i], b = rhs[i + 1], c = rhs[i + 2];
    x[i] = v[0] * a + v[1] * b + v[2] * c;
    x[i + 1] = v[3] * a + v[4] * b + v[5] * c;
    x[i + 2] = v[6] * a + v[7] * b + v[8] * c;
  }
}

static void jacobi_destroy(dvObject *o)
{
  dv_array_free(&((Jacobi *)o)->inverse);
  dv_linear_solver_destroy(o);
}

static const dvLinearSolverOps jacobi_ops = {
    .solve = dv_linear_solver_solve, .prepare = jacobi_prepare, .apply = jacobi_apply};

#define JACOBI_CLASS(variable, name_, aliases_, help_)        \
  const dvClass variable = {                                  \
      .struct_size = sizeof(dvClass),                         \
      .name = name_,                                          \
      .aliases = aliases_,                                    \
      .help = help_,                                          \
      .module = "Sofa.Component.LinearSolver.Preconditioner", \
      .size = sizeof(Jacobi),                                 \
      .blocks = {&dv_object_block, &dv_linear_solver_block},  \
      .ops = {[DV_ROLE_LINEAR_SOLVER] = &jacobi_ops},         \
      .parse = jacobi_parse,                                  \
      .init = jacobi_init,                                    \
      .destroy = jacobi_destroy,                              \
      .remember = dv_linear_solver_remember,                  \
      .restored = dv_linear_solver_restored,                  \
  }

JACOBI_CLASS(dv_jacobi_class, "JacobiPreconditioner", "JacobiLinearSolver JacobiSolver",
             "preconditioner: divides by the diagonal of the matrix");
JACOBI_CLASS(
    dv_block_jacobi_class, "BlockJacobiPreconditioner", "BlockJacobiSolver BlockJacobiLinearSolver",
    "preconditioner: the inverse of the 3x3 blocks on the diagonal of the matrix; it helps where points differ "
    "much in stiffness or mass, and little on a body of one material");
