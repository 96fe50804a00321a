// Sparse rows over the degrees of freedom of states: the directions H of Lagrangian constraints, and what the scalars
// that live forces touch are in terms of others.
//
// What a row says about mapped states goes up to the main ones as H J; only the rows of J that it touches are made.
// Columns count scalars: degree of freedom x derivatives + component.
#ifndef DV_MECHANICS_ROWS_H
#define DV_MECHANICS_ROWS_H

#include "base/address_map.h"
#include "math/sparse_rows.h"
#include "mechanics/component.h"

DV_PUBLIC_BEGIN

// What all rows say about one state.
typedef struct dvStateRows {
  dvState *state;
  dvSparseRows rows;
} dvStateRows;

// A block of a row of J: what an input's degree of freedom does to an output's.
typedef struct dvRowBlock {
  dvState *state;
  size_t dof, first;   // first of its numbers
  int rows, cols;
} dvRowBlock;

typedef struct dvRowSet {
  DV_ARRAY(dvStateRows) states;   // `used` of them, in the order in which they were asked for
  size_t used;
  dvAddressMap table;   // of states
  // scratch of dv_mapping_rows_up: which degrees of freedom were met, and their rows of J
  DV_ARRAY(int32_t) met;
  DV_ARRAY(size_t) ends;
  DV_ARRAY(dvRowBlock) blocks;
  DV_ARRAY(double) numbers;
} dvRowSet;

// The rows on a state; none the first time. The pointer lives until another state is asked for.
dvStateRows *dv_rows_on(dvRowSet *set, dvState *state);
// The same, NULL when nothing is said about the state.
const dvStateRows *dv_rows_find(const dvRowSet *set, const dvState *state);
// Adds factor x values (as many as a derivative of the state has) to what a row says about a degree of freedom.
void dv_rows_add(dvRowSet *set, dvState *state, int32_t row, size_t dof, const double *values, double factor);
void dv_rows_clear(dvRowSet *set);   // keeps the memory
void dv_rows_free(dvRowSet *set);

// Adds to the inputs of a mapping what the rows say about its outputs: H_in += H_out J. Nothing when mapConstraints is
// off.
void dv_mapping_rows_up(dvObject *mapping, dvRowSet *set);
// The same through all mappings of a plan, outputs first; all rows are settled with `count` rows afterwards, those on
// main states are complete.
void dv_mech_rows_up(dvPlan *plan, dvRowSet *set, size_t count);
// The same whatever mapConstraints says: for rows of Jacobians, where forces that are handed up count.
void dv_mech_jacobians_up(dvPlan *plan, dvRowSet *set, size_t count);

DV_PUBLIC_END

#endif
