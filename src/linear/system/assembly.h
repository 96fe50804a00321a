// Assembly of the system matrix A = m M + b B + k K of a plan.
//
// Rows and columns are the scalars of the main states (those that no mapping drives), in the order of the plan. What
// acts on mapped states goes up as J^T K J, J being the product of the mappings' Jacobians from the main states down; K
// between a mapped and a main state is the same with the identity for one of the two J.
//
// What is live in the plan stands beside the matrix (live.h).
//
// The first pass records which entry each contribution goes to; later passes write straight there, and fall back to
// recording when the sequence of contributions has changed.
#ifndef DV_LINEAR_SYSTEM_ASSEMBLY_H
#define DV_LINEAR_SYSTEM_ASSEMBLY_H

#include "linear/system/live.h"
#include "math/block_matrix.h"
#include "mechanics/component.h"

DV_PUBLIC_BEGIN

// What takes part.
typedef struct dvAssemblyParts {
  bool stiffness, mass, damping, geometric, mapped, projection;
} dvAssemblyParts;

#define DV_ASSEMBLE_ALL ((dvAssemblyParts){true, true, true, true, true, true})

typedef struct dvAssemblyState {
  dvState *state;
  size_t count, first;   // degrees of freedom; number of the first one among all states
  size_t offset;         // of its scalars in flat vectors; main states only
  int width;             // scalars a degree of freedom
} dvAssemblyState;

typedef struct dvAssembly {
  dvBlockMatrix matrix;
  size_t size;                        // scalars
  DV_ARRAY(dvAssemblyState) states;   // main ones first, in the order of the plan, then the mapped ones
  size_t main_count;
  DV_ARRAY(unsigned char) fixed;   // scalars that projective constraints hold
  dvLiveStiffness live;            // what is added to the matrix
  unsigned pattern_stamp;          // moves when the pattern of the matrix changes
  bool later;   // leave sums over the elements of meshes to dv_assembly_finish, where the pattern is the old one
  void (*release)(dvObject *reader);   // another thread may be reading the matrix: called before it changes, returns
                                       // when that has ended
  dvObject *reader;
  struct dvAssemblyWork *work;
} dvAssembly;

void dv_assembly_free(dvAssembly *a);
// Builds the matrix for the plan's present state. Messages go to `owner`. Fails when memory is short, or when a
// component hands in entries that are out of range. Without degrees of freedom there is no matrix afterwards.
dvStatus dv_assembly_build(dvAssembly *a, const dvObject *owner, dvPlan *plan, const dvMech *m, dvAssemblyParts parts);

// Adds what a build has left for later, for which forces and states must be as they were then. Any thread may do it,
// one at a time.
void dv_assembly_finish(dvAssembly *a, dvPool *pool);

// True while the plan has the same states with as many degrees of freedom as when it was built.
bool dv_assembly_holds(const dvAssembly *a, const dvPlan *plan);

// Copies between a vector of the main states and a flat one.
void dv_assembly_gather(const dvAssembly *a, int id, double *flat);
void dv_assembly_scatter(const dvAssembly *a, int id, const double *flat);
// q = A p on the main states' vectors, with what is live.
void dv_assembly_product(dvAssembly *a, dvPool *pool, int q, int p);
// Rows on main states (settled, complete), or on `only` one of them, as `count` settled rows over flat vectors; nothing
// for scalars that are held, unless `unheld`: there the matrix is the identity.
void dv_assembly_flatten(const dvAssembly *a, const dvRowSet *set, const dvState *only, bool unheld, size_t count,
                         dvSparseRows *out);
// The main state and its scalar that a flat index stands for.
const dvAssemblyState *dv_assembly_locate(const dvAssembly *a, size_t index, size_t *scalar);

DV_PUBLIC_END

#endif
