// Topological mappings while the input changes: what happens to its elements happens to those made of them.
//
// From the first change of the input on, the lists of the output are its own. The mapping hears of every change of the
// input and makes the same of the output, through modify.h, so that those who follow the output, and mappings further
// down, hear of it in turn. Both ways of the numbers are kept: `sources` tells what each element of the output was made
// of, `places` where the pieces of each source are. What it costs depends on the elements that change.
//
// A source is an element of the input (of which pieces are cut), or a face or edge of it that lies on the border.
#ifndef DV_TOPOLOGY_MAPPING_LIVE_H
#define DV_TOPOLOGY_MAPPING_LIVE_H

#include "topology/mapping/mapping.h"

// How a class of mapping follows; which kinds are sources and what is made is told by its dvTopologyMappingOps.
struct dvLiveOps {
  // what the elements of the output are made of
  dvElementKind source;
  // border: the elements whose parts are looked at; DV_POINT when elements are cut
  dvElementKind whole;
  // elements of the output go one at a time, in the order of the sources, instead of all at once
  bool one_by_one;
  // border: edges of new elements come before the faces that have them
  bool edges_first;
  // cutting: points of the pieces of a new source; returns how many pieces
  size_t (*cut)(const dvTopologyMapping *m, const int32_t *source, int32_t *out);
  // border: an element of the output from the part as the neighbour that stays sees it, or as it stands
  void (*face)(const dvTopologyMapping *m, const int32_t *part, bool turned, int32_t *out);
  // border: whether parts that come to lie on it are left out; may be NULL
  bool (*keeps_out)(const dvTopologyMapping *m);
};

// Begins to follow the input; for `init`.
void dv_topology_mapping_follow(dvTopologyMapping *m);
void dv_topology_mapping_unfollow(dvTopologyMapping *m);

// What elements of a topology are made of in the end: climbs from mapping to mapping to the topology that may be
// changed, and turns the numbers of `count` elements of *kind into those of the elements that they belong to there,
// each once, in ascending order. *list is freed and allocated anew. NULL when a mapping on the way cannot tell.
dvTopology *dv_topology_climb(dvTopology *t, dvElementKind *kind, int32_t **list, size_t *count);

// pieces that a source has at most
enum { DV_MOST_PIECES = 6 };

#endif
