// Sparse rows over the degrees of freedom of states: the directions H of Lagrangian constraints.
//
// A constraint is a row of H. What it says about mapped states goes up to the independent ones as H J, row by row: only
// the rows of J that it touches are made.
#ifndef DV_MECHANICS_ROWS_H
#define DV_MECHANICS_ROWS_H

#include "base/array.h"
#include "mechanics/component.h"

typedef struct dvRowEntry {
  int32_t row, dof;   // number of the constraint, degree of freedom of the state
} dvRowEntry;

// What all rows say about one state: entries and, for each, as many numbers as a derivative of the state has.
typedef struct dvStateRows {
  dvState *state;
  DV_ARRAY(dvRowEntry) entries;
  DV_ARRAY(double) values;
} dvStateRows;

typedef struct dvRowSet {
  DV_ARRAY(dvStateRows) states;
} dvRowSet;

// The rows on a state; an empty list the first time. The pointer lives until another state is asked for.
dvStateRows *dv_rows_on(dvRowSet *set, dvState *state);
// Adds factor x values to an entry that need not exist.
void dv_rows_add(dvStateRows *rows, int32_t row, size_t dof, const double *values, double factor);
// Sorts by row and degree of freedom and adds up entries that name the same; the order of a sum is that in which they
// came.
void dv_rows_settle(dvStateRows *rows);
void dv_rows_clear(dvRowSet *set);   // keeps the memory
void dv_rows_free(dvRowSet *set);

// Adds to the inputs of a mapping what the rows say about its output: H_in += H_out J. Nothing when mapConstraints is
// off.
void dv_mapping_rows_up(dvObject *mapping, dvRowSet *set);
// The same through all mappings of a plan, outputs first: afterwards the rows on independent states are complete and
// settled.
void dv_mech_rows_up(dvPlan *plan, dvRowSet *set);

#endif
