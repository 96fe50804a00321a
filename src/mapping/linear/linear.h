// What linear mappings share: the rows and every operation on them. A mapping embeds dvLinearMapping, fills its rows
// in init and calls dv_linear_settle.
#ifndef DV_MAPPING_LINEAR_LINEAR_H
#define DV_MAPPING_LINEAR_LINEAR_H

#include "mapping/linear/weights.h"
#include "mechanics/component.h"
#include "topology/change/trace.h"

typedef struct dvLinearMapping {
  dvMapping base;
  dvWeights weights;      // of the first input
  dvWeights *others;      // of the other inputs, in order; made by dv_linear_clear
  int leading;            // only so many leading numbers of a point take part; 0 for all
  const double *offset;   // added to the positions of the output, as many numbers as they take part; NULL for none
} dvLinearMapping;

// Empties the rows of all inputs.
void dv_linear_clear(dvObject *o);
static inline dvWeights *dv_linear_weights(dvLinearMapping *l, int input)
{
  return input ? &l->others[input - 1] : &l->weights;
}
// Ends the row being made, of every input.
void dv_linear_end_row(dvObject *o);

// Closes the rows and gives the output as many points as there are rows. Fails, with a message, when memory is short.
dvStatus dv_linear_settle(dvObject *o);
void dv_linear_destroy(dvObject *o);
void dv_linear_apply(dvObject *o, int out_x, int in_x);
void dv_linear_apply_j(dvObject *o, int out_v, int in_v);
void dv_linear_apply_jt(dvObject *o, int in_f, int out_f);
void dv_linear_row(dvObject *o, size_t out, dvMatrixSink *sink);
extern const dvMappingOps dv_linear_ops;

// Sets the first positions and velocities of the output, and its rest positions when applyRestPosition says so.
void dv_mapping_first_apply(dvObject *o, const dvMappingOps *ops);
// Finds input and output as soon as links are made: which states are mapped is known before anything is initialised.
dvStatus dv_mapping_link(dvObject *o);
dvStatus dv_mapping_link_multi(dvObject *o);
// Follows the topologies of all states of the mapping; what lists of a mapping are settled with does so.
void dv_mapping_follow(dvObject *o);
// `topology_changed` of mappings whose `init` makes everything from their states, meshes and fields.
void dv_mapping_remake(dvObject *o);
// The same for those that keep what cannot be made again: says so, and the mapping fails.
void dv_mapping_cannot_follow(dvObject *o);

// --- for meshes that change (linear_patch.c) ---

// For `topology_changed`: what has happened to the points of a state of the mapping; NULL when nothing has. False when
// that is not known: everything is to be made again.
bool dv_mapping_trace(const dvObject *o, const dvState *s, const dvTrace **out);
// Rows of input points: some came and went, none of which has entries. False when one does. `points` may be NULL.
bool dv_mapping_follow_inputs(dvRows *transposed, const dvTrace *points);
// Of loose weights: the same, with both their sizes.
bool dv_linear_follow_inputs(dvWeights *w, const dvTrace *points);
// Where row i is point list[i] of the only input, or nothing when there is none: rows `changed` (ascending) are others
// or new. False when everything is to be made again.
bool dv_linear_patch_list(dvObject *o, const dvNumbers *changed, const dvInts *list);
// Positions, velocities and rest positions of single rows, as dv_mapping_first_apply sets them.
void dv_linear_apply_to(dvObject *o, const dvNumbers *rows);

// Tells those who follow the output's positions; the animation loop does it for mechanical states.
void dv_mapping_touch(const dvMapping *m, int out_x);

#endif
