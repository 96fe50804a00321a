// What live forces (scene/live.h) add to an assembled matrix, beside it: A + H^T B H.
//
// B is the stiffness between the scalars that live forces touch; rows of H tell what these scalars are in terms of the
// unknowns of A: the identity, or rows of the mappings' Jacobians. Parts of B that touch few scalars, such as a contact
// between two points, are replaced by their eigenvalues: a contact that acts along its normal is one row then, not six.
// So A keeps its pattern and its factor, whatever touches whom.
#ifndef DV_LINEAR_SYSTEM_LIVE_H
#define DV_LINEAR_SYSTEM_LIVE_H

#include "mechanics/rows.h"

DV_PUBLIC_BEGIN

struct dvAssembly;

// A degree of freedom that live forces touch.
typedef struct dvLiveDof {
  dvState *state;
  size_t dof;
  int width;
  int32_t first;    // of its scalars among those that are touched
  int32_t part;     // of B: dofs that blocks connect
  int32_t beside;   // -1; of one outside of the system, the one inside that it was met with
} dvLiveDof;

typedef struct dvLiveBlock {
  int32_t row, col;   // touched degrees of freedom
  size_t first;       // of its numbers
} dvLiveBlock;

// Touched degrees of freedom that belong together.
typedef struct dvLivePart {
  int32_t scalars;
  int32_t row;    // first row of H when it is kept as it is, else -1
  size_t first;   // of its dense matrix
  int32_t next;   // scalar that comes next, while they are numbered
} dvLivePart;

typedef struct dvLiveStiffness {
  dvSparseRows h;   // over the unknowns; none when nothing is live
  dvSparseRows b;   // h.count x h.count
  unsigned stamp;   // moves with every collection
  bool keep_held;   // unknowns that are held take part, where those outside of the system are put in their place
  // what it is made from; memory is kept
  dvAddressMap table;   // of touched degrees of freedom
  DV_ARRAY(dvLiveDof) dofs;
  DV_ARRAY(dvLiveBlock) blocks;
  DV_ARRAY(double) numbers;
  DV_ARRAY(int32_t) parent;   // union of what blocks connect
  DV_ARRAY(dvLivePart) parts;
  DV_ARRAY(int32_t) place;   // of each touched scalar in its part
  DV_ARRAY(double) dense;
  dvRowSet up;
  dvSparseRows scalars;       // what touched scalars are in terms of the unknowns
  DV_ARRAY(double) product;   // scratch of products
} dvLiveStiffness;

// Collects what is live in the plan now. `a` has the unknowns; scalars that it holds fixed are left out.
dvStatus dv_live_collect(dvLiveStiffness *l, const struct dvAssembly *a, dvObject *owner, dvPlan *plan,
                         const dvMech *m);
// q += H^T B H p
void dv_live_add_product(dvLiveStiffness *l, const double *p, double *q);
void dv_live_free(dvLiveStiffness *l);

DV_PUBLIC_END

#endif
