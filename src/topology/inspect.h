// What is wrong with a mesh: elements without size or inside out, named twice, and whether it is conformal and
// manifold.
//
// A mesh is conformal when two elements share a whole part or nothing: no element is there twice, none names a point
// twice, no point lies inside of an edge of others. It is manifold when moreover at most two elements meet at each part
// of one dimension less (two edges at a point, two faces at an edge, two volumes at a face), and the elements around
// each point hang together through such parts: then a surface has a normal everywhere. Most force fields need the
// first, cutting and contact the second.
#ifndef DV_TOPOLOGY_INSPECT_H
#define DV_TOPOLOGY_INSPECT_H

#include "topology/topology.h"

// How often, and the number of the first.
typedef struct dvFlaw {
  size_t count, first;
} dvFlaw;

typedef struct dvInspection {
  int dimension;             // of the elements that were looked at: the largest there are; 0 for points alone
  size_t elements, border;   // how many, and how many of their parts have only one element
  dvFlaw pinched;            // elements that name a point twice
  dvFlaw repeated;           // elements that are there already
  dvFlaw flat;               // elements without size
  dvFlaw inverted;           // volumes that are turned inside out
  dvFlaw hanging;            // points that lie inside of an edge of the border
  dvFlaw crowded;            // parts at which more than two elements meet
  dvFlaw split;              // points whose elements do not hang together
  dvFlaw turned;             // parts whose two elements run the same way: one of them is turned around
} dvInspection;

// `x` (three numbers a point) may be NULL: then only what does not depend on positions is found. False when memory is
// short.
bool dv_topology_inspect(dvTopology *t, const double *x, dvInspection *out);
bool dv_inspection_conformal(const dvInspection *i);
bool dv_inspection_manifold(const dvInspection *i);
// Warns about every flaw that keeps a mesh from being conformal, and with `manifold` from being manifold, at component
// `o`. Returns whether there was one.
bool dv_inspection_report(const dvInspection *i, const dvObject *o, bool manifold);

#endif
