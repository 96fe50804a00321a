// MatrixLinearSystem: the assembled matrix. Also ConstantSparsityPatternSystem, which in SOFA keeps the pattern of the
// first step; here every assembled system records where contributions go and notices when that changes.
#include "linear/system/system.h"

#define MATRIX_SYSTEM_FIELDS(X)                                                                                 \
  X(bool, assembleStiffness, "1", "", "the stiffness of forces is part of the matrix")                          \
  X(bool, assembleMass, "1", "", "masses are part of the matrix")                                               \
  X(bool, assembleDamping, "1", "", "the damping of forces is part of the matrix")                              \
  X(bool, assembleGeometricStiffness, "1", "", "the geometric stiffness of mappings is part of the matrix")     \
  X(bool, applyProjectiveConstraints, "1", "", "rows and columns that projective constraints hold are cleared") \
  X(bool, applyMappedComponents, "1", "", "what acts on mapped states is part of the matrix")                   \
  X(bool, checkIndices, "0", "", "accepted: the indices of entries are always checked", .flags = DV_HIDDEN)     \
  X(bool, parallelAssemblyIndependentMatrices, "0", "", "accepted: the program's threads are used", .flags = DV_HIDDEN)

typedef struct MatrixSystem {
  dvLinearSystem system;
  MATRIX_SYSTEM_FIELDS(DV_MEMBER)
} MatrixSystem;

#define SELF MatrixSystem
static const dvFieldDesc matrix_system_fields[] = {MATRIX_SYSTEM_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus matrix_system_build(dvObject *o, dvPlan *plan, const dvMech *m)
{
  MatrixSystem *s = (MatrixSystem *)o;
  dvAssemblyParts parts = {.stiffness = s->assembleStiffness,
                           .mass = s->assembleMass,
                           .damping = s->assembleDamping,
                           .geometric = s->assembleGeometricStiffness,
                           .mapped = s->applyMappedComponents,
                           .projection = s->applyProjectiveConstraints};
  return dv_linear_system_assemble(&s->system, plan, m, parts);
}

static const dvLinearSystemOps matrix_system_ops = {.build = matrix_system_build, .product = dv_linear_system_multiply};

const dvClass dv_matrix_system_class = {
    .struct_size = sizeof(dvClass),
    .name = "MatrixLinearSystem",
    .help = "assembles the matrix of the linear system for solvers that need it",
    .module = "Sofa.Component.LinearSystem",
    .size = sizeof(MatrixSystem),
    .blocks = {&dv_object_block, &dv_linear_system_block, DV_BLOCK(matrix_system_fields)},
    .ops = {[DV_ROLE_LINEAR_SYSTEM] = &matrix_system_ops},
    .destroy = dv_linear_system_destroy,
    .remember = dv_linear_system_remember,
    .restored = dv_linear_system_restored,
};

const dvClass dv_constant_pattern_class = {
    .struct_size = sizeof(dvClass),
    .name = "ConstantSparsityPatternSystem",
    .help = "assembles the matrix of the linear system; written for matrices whose pattern stays the same",
    .module = "Sofa.Component.LinearSystem",
    .size = sizeof(MatrixSystem),
    .blocks = {&dv_object_block, &dv_linear_system_block, DV_BLOCK(matrix_system_fields)},
    .ops = {[DV_ROLE_LINEAR_SYSTEM] = &matrix_system_ops},
    .destroy = dv_linear_system_destroy,
    .remember = dv_linear_system_remember,
    .restored = dv_linear_system_restored,
};

// without fields of its own everything takes part
static dvStatus typed_system_build(dvObject *o, dvPlan *plan, const dvMech *m)
{
  return dv_linear_system_assemble(dv_linear_system(o), plan, m, DV_ASSEMBLE_ALL);
}

static const dvLinearSystemOps typed_system_ops = {.build = typed_system_build, .product = dv_linear_system_multiply};

const dvClass dv_typed_system_class = {
    .struct_size = sizeof(dvClass),
    .name = "TypedMatrixLinearSystem",
    .help = "assembles the matrix of the linear system from everything that acts on it",
    .module = "Sofa.Component.LinearSolver.Direct",
    .size = sizeof(dvLinearSystem),
    .blocks = {&dv_object_block, &dv_linear_system_block},
    .ops = {[DV_ROLE_LINEAR_SYSTEM] = &typed_system_ops},
    .destroy = dv_linear_system_destroy,
    .remember = dv_linear_system_remember,
    .restored = dv_linear_system_restored,
};
