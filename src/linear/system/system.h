// Linear systems as components: they hold m M + b B + k K for solvers, assembled or as a product only.
#ifndef DV_LINEAR_SYSTEM_SYSTEM_H
#define DV_LINEAR_SYSTEM_SYSTEM_H

#include "linear/system/assembly.h"
#include "mechanics/touched.h"

DV_PUBLIC_BEGIN

#define DV_LINEAR_SYSTEM_FIELDS(X)                                                         \
  X(ivec2, matrixSize, "0 0", "", "rows and columns of the matrix", .flags = DV_READ_ONLY) \
  X(bool, enableAssembly, "1", "", "assemble the matrix; else it stays as it is")          \
  X(bool, factorizationInvalidation, "0", "", "the matrix has changed since a solver last used it", .flags = DV_HIDDEN)

// First member of every component that is a linear system.
typedef struct dvLinearSystem {
  dvObject base;
  DV_LINEAR_SYSTEM_FIELDS(DV_MEMBER)
  dvAssembly own;
  dvAssembly *assembly;   // what solvers read: the own one or that of another system; NULL where there is no matrix
  unsigned stamp;         // moves with every build
  bool busy;              // the solver has no use for another matrix yet: a build keeps the one that is there
  bool later;             // the solver sees to dv_assembly_finish
  dvMech mech;            // factors of the last build, for products without a matrix
  dvTouched touched;      // and what contacts touch
  // memory (system_memory.c)
  bool lasts;            // its matrix serves later steps than the one that built it: it is remembered
  bool stale;            // what it stands for was put back: another build is needed, whether it is due or not
  bool bringing;         // which is to bring the matrix that was remembered
  unsigned put_back;     // how often that has happened
  dvBlockMatrix *kept;   // then: the matrix that was remembered, or NULL
} dvLinearSystem;
extern const dvFieldBlock dv_linear_system_block;

static inline dvLinearSystem *dv_linear_system(dvObject *o) { return (dvLinearSystem *)o; }

static inline dvSystemKind dv_linear_system_kind(const dvObject *o)
{
  return ((const dvLinearSystemOps *)dv_ops(o, DV_ROLE_LINEAR_SYSTEM))->kind;
}

dvStatus dv_linear_system_build(dvObject *o, dvPlan *plan, const dvMech *m);
void dv_linear_system_product(dvObject *o, dvPlan *plan, int q, int p);
// The assembled matrix of a system, NULL where there is none.
static inline const dvBlockMatrix *dv_linear_system_matrix(dvObject *o)
{
  const dvAssembly *a = dv_linear_system(o)->assembly;
  return a && a->matrix.values ? &a->matrix : NULL;
}

// For the hooks of the same names.
void dv_linear_system_remember(dvObject *o, dvMemoryStream *s);
bool dv_linear_system_restored(dvObject *o);
void dv_linear_system_drop_kept(dvLinearSystem *s);
// Whether its matrix is that of other degrees of freedom: a mesh has changed since it was built, and a build is due.
bool dv_linear_system_is_outdated(const dvLinearSystem *s);
// A build of a stale system that is not due: it brings the remembered matrix.
dvStatus dv_linear_system_bring_back(dvObject *o, dvPlan *plan, const dvMech *m);
// For builds of a stale system, after the matrix was assembled: puts the remembered one in its place.
dvStatus dv_linear_system_put_back(dvLinearSystem *s);

// Takes over what is live in the plan, where the matrix itself stays as it is.
dvStatus dv_linear_system_collect_live(dvObject *o, dvPlan *plan, const dvMech *m);
// Assembles the own matrix with the given parts.
dvStatus dv_linear_system_assemble(dvLinearSystem *s, dvPlan *plan, const dvMech *m, dvAssemblyParts parts);
void dv_linear_system_destroy(dvObject *o);
// For dvLinearSystemOps.product of assembled systems.
void dv_linear_system_multiply(dvObject *o, dvPlan *plan, int q, int p);

extern const dvClass dv_matrix_system_class, dv_constant_pattern_class, dv_typed_system_class, dv_matrix_free_class;

DV_PUBLIC_END

#endif
