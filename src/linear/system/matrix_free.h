// The system of a preconditioned conjugate gradient: a product without a matrix, and the preconditioner's system beside
// it.
#ifndef DV_LINEAR_SYSTEM_MATRIX_FREE_H
#define DV_LINEAR_SYSTEM_MATRIX_FREE_H

#include "linear/system/system.h"

#define DV_PRECONDITIONED_FIELDS(X)                                                                               \
  X(int, assemblingRate, "1", "", "the preconditioner is built anew every so many times", .alias = "update_step") \
  X(link, preconditionerSystem, "", "", "system of the preconditioner; the solver sets it",                       \
    .role = DV_ROLE_LINEAR_SYSTEM)

typedef struct dvPreconditionedSystem {
  dvLinearSystem system;
  DV_PRECONDITIONED_FIELDS(DV_MEMBER)
  int waited;   // builds since the preconditioner was last built
} dvPreconditionedSystem;

extern const dvClass dv_preconditioned_free_class;

#endif
