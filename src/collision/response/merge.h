// What solvers of bodies that are solved together have in common. See merge.c.
#ifndef DV_COLLISION_RESPONSE_MERGE_H
#define DV_COLLISION_RESPONSE_MERGE_H

#include "base/array.h"
#include "scene/node.h"

typedef struct dvMergedValue {
  dvField *field;
  double own, merged;
} dvMergedValue;

typedef struct dvMergedSolvers {
  DV_ARRAY(dvMergedValue) values;
} dvMergedSolvers;

// The solvers of a node that leads others take what suits all of them.
void dv_merge_solvers(dvMergedSolvers *m, dvNode *leader);
// All have their own values again.
void dv_part_solvers(dvMergedSolvers *m);
void dv_merged_solvers_free(dvMergedSolvers *m);

// Whether the solver of `a` rather than that of `b` leads, as far as their kinds say: an implicit one before an
// explicit one, among explicit ones the more accurate. 0: they do not say.
int dv_solver_leads(const dvNode *a, const dvNode *b);

#endif
