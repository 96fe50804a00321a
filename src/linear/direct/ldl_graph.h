// What the analysis of a sparse LDL^T eliminates: the points of a pattern, or, where an earlier analysis of nearly the
// same pattern is there, only those that its changes can reach.
//
// Eliminating a subtree of fronts couples the rows below it, whatever stands inside. So a subtree whose points have the
// neighbours and the order of before is one node of a smaller graph, joined to these rows, and its fronts are taken
// over. What is found is what an analysis of the whole pattern with that order would find, to the last number.
#ifndef DV_LINEAR_DIRECT_LDL_GRAPH_H
#define DV_LINEAR_DIRECT_LDL_GRAPH_H

#include "linear/direct/ldl_front.h"

// A subtree that stays: its fronts, and where its points begin in `member`.
typedef struct dvLdlStay {
  int32_t begin, end;
  int32_t member;
} dvLdlStay;

typedef struct dvLdlGraph {
  size_t nodes, open;      // the first ones are points, those behind `open` subtrees
  const dvPattern *rows;   // columns of each node; subtrees have none: those of points name them
  dvPattern columns;       // transposed
  dvPattern own;           // memory of `rows`, when something stays
  int32_t *source;         // entry of A for each of `columns`, -1 for those of subtrees
  int32_t *given;          // order of the nodes, when something stays
  int32_t *point;          // of each node, the last one of a subtree
  int32_t *node;           // of each point; -1 inside subtrees
  // what stays, of the analysis before
  const dvLdlSymbolic *was;   // NULL: nothing
  const dvPattern *before, *now;
  size_t stays;
  dvLdlStay *stay;   // one more at the end
  int32_t *member;   // points of subtrees in the order in which their columns are eliminated
  double work;       // sum of squares of these columns
} dvLdlGraph;

// The whole pattern. False when memory is short.
bool dv_ldl_graph_whole(dvLdlGraph *g, const dvPattern *a);
// What is left to look at of pattern `now` with the order that is given. False when nothing stays, or memory is short:
// take the whole then.
bool dv_ldl_graph_reduce(dvLdlGraph *g, const dvLdlSymbolic *was, const dvPattern *now, const dvOrderChoice *order);
void dv_ldl_graph_free(dvLdlGraph *g);

static inline bool dv_ldl_node_stays(const dvLdlGraph *g, int32_t node) { return (size_t)node >= g->open; }
static inline const dvLdlStay *dv_ldl_stay(const dvLdlGraph *g, int32_t node)
{
  return &g->stay[(size_t)node - g->open];
}

#endif
