// A change of the elements of a mesh that is thought out before it is made.
//
// Triangles or tetrahedra are split at edges and given other corners as often as it takes; nobody hears of it before
// dv_draft_make puts the pieces in the place of the elements that they are made of, all at once: who follows the mesh
// then deals with each element once, however many steps led to it. New points are added before they are used.
//
// Elements have numbers: those of the mesh their own, pieces the ones behind. A draft costs in proportion to what it
// changes.
#ifndef DV_TOPOLOGY_CHANGE_DRAFT_H
#define DV_TOPOLOGY_CHANGE_DRAFT_H

#include "topology/change/incise.h"
#include "topology/change/trace.h"

typedef struct dvDraft {
  dvTopology *mesh;
  dvElementKind kind;
  size_t existing;           // elements of the mesh, those in pieces included
  dvNumbers points;          // corners of the pieces
  dvNumbers ancestors;       // the element that each is made of
  DV_ARRAY(double) shares;   // and how much of it each is
  dvNumbers gone;            // elements in pieces
  // made when somebody asks
  bool ready;
  dvNumbers first, next;      // chains from points to corners of pieces, as in dvChains
  DV_ARRAY(bool) in_pieces;   // of each element of the mesh
} dvDraft;

void dv_draft_begin(dvDraft *d, dvTopology *t, dvElementKind kind);
// Points of an element or a piece, until the next change.
const int32_t *dv_draft_corners(const dvDraft *d, int32_t element);
// Elements and pieces that have a point, in ascending order.
void dv_draft_around(dvDraft *d, int32_t point, dvNumbers *out);
// Splits edges where points `fresh`, `fresh` + 1 … lie on them: of the mesh, or of pieces.
void dv_draft_split(dvDraft *d, const dvEdgeSplit *edges, size_t count, int32_t fresh);
// Gives an element another point in the place of one. Returns its number, which is another one for an element of the
// mesh: it is a piece from then on.
int32_t dv_draft_exchange(dvDraft *d, int32_t element, int32_t old, int32_t fresh);
// Makes the change, unless `status` tells of a mistake, and frees the draft.
dvStatus dv_draft_make(dvDraft *d, dvStatus status);

#endif
