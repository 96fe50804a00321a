// What models of Lagrangian constraints have in common: inherited fields, how they find the states they act on, and the
// rows and laws of one degree of freedom.
#ifndef DV_CONSTRAINT_LAGRANGIAN_MODEL_H
#define DV_CONSTRAINT_LAGRANGIAN_MODEL_H

#include "mechanics/rows.h"

#define DV_CONSTRAINT_MODEL_FIELDS(X)                                                           \
  X(int, group, "0", "", "number of the group", .flags = DV_HIDDEN)                             \
  X(int, constraintIndex, "0", "", "first of its rows in the last step", .flags = DV_READ_ONLY) \
  X(real, endTime, "-1", "s", "the constraint ends then; never when negative")
#define DV_ONE_STATE_FIELDS(X) \
  X(link, mstate, "", "", "state that is held; the one of the node by default", .role = DV_ROLE_STATE)
#define DV_TWO_STATES_FIELDS(X)                                                                     \
  X(link, object1, "", "", "first object; the state of the node by default", .role = DV_ROLE_STATE) \
  X(link, object2, "", "", "second object; the state of the node by default", .role = DV_ROLE_STATE)

// First member of the models; those of one state leave `second` NULL.
typedef struct dvConstraintModel {
  dvObject base;
  DV_CONSTRAINT_MODEL_FIELDS(DV_MEMBER)
  dvState *first, *second;
} dvConstraintModel;
extern const dvFieldBlock dv_constraint_model_block;

// Finds the state of a link, or of the node, and sees that its type is one of those the class lists. `which`: "first".
// For the hook `init`; its points may be others until `bwd_init`, when engines have run.
dvStatus dv_constraint_model_find(dvObject *o, dvLink *link, const char *which, dvState **out);
// Two of them, of one type, which becomes that of the object.
dvStatus dv_constraint_model_find_two(dvObject *o, dvLink *first, dvLink *second);
// One number of a degree of freedom, told before the first step when there is none.
dvStatus dv_constraint_model_check(dvObject *o, const int32_t *field, const dvState *s);
bool dv_constraint_model_is_over(const dvObject *o);   // endTime

// Where a constraint measures positions from: the free ones, or those before the step when velocities are corrected.
static inline int dv_constraint_positions(const dvConstraintStep *step) { return step->velocities ? DV_X : step->x; }

// Rows `first` and on: the scalars of one degree of freedom, with a factor.
void dv_rows_add_scalars(dvRowSet *set, dvState *s, int32_t first, size_t dof, double factor);
// Laws of one degree of freedom, all of whose scalars are held: one, or for frames two (position, rotation). How many.
size_t dv_dof_laws(const dvDof *dof, size_t number, dvLaw law, dvLaw *out);

#endif
