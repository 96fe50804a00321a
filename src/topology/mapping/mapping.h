// Topological mappings: a topology made from another one, with the numbers of what each element was made of.
//
// A mapping is asked, not pushed: the element fields of the output follow the fields of the mapping, and those are made
// when they are read and whenever the input has changed since. So the order of the components in the node is free.
// Once elements of the input change one by one, those of the output do so too (live.h).
#ifndef DV_TOPOLOGY_MAPPING_MAPPING_H
#define DV_TOPOLOGY_MAPPING_MAPPING_H

#include "topology/change/change.h"

#define DV_TOPOLOGY_MAPPING_FIELDS(X)                                                                                  \
  X(link, input, "", "", "topology to take the elements from; that of the parent node by default", .alias = "object1", \
    .role = DV_ROLE_TOPOLOGY)                                                                                          \
  X(link, output, "", "", "topology to fill; that of the node by default", .alias = "object2",                         \
    .role = DV_ROLE_TOPOLOGY)                                                                                          \
  X(vec3s, position, "", "m", "points made for the output", .flags = DV_OUTPUT | DV_HIDDEN)                            \
  X(edges, edges, "", "", "edges made for the output", .flags = DV_OUTPUT | DV_HIDDEN)                                 \
  X(triangles, triangles, "", "", "triangles made for the output", .flags = DV_OUTPUT | DV_HIDDEN)                     \
  X(quads, quads, "", "", "quads made for the output", .flags = DV_OUTPUT | DV_HIDDEN)                                 \
  X(tetrahedra, tetrahedra, "", "", "tetrahedra made for the output", .flags = DV_OUTPUT | DV_HIDDEN)                  \
  X(hexahedra, hexahedra, "", "", "hexahedra made for the output", .flags = DV_OUTPUT | DV_HIDDEN)                     \
  X(prisms, prisms, "", "", "prisms made for the output", .flags = DV_OUTPUT | DV_HIDDEN)                              \
  X(indices, sources, "", "", "for each element of the output the number of the input's element it was made of",       \
    .flags = DV_OUTPUT | DV_HIDDEN)

typedef struct dvTopologyMapping {
  dvObject base;
  DV_TOPOLOGY_MAPPING_FIELDS(DV_MEMBER)
  dvTopology *from, *to;   // NULL until linked
  size_t points;           // of the output, set by `make`
  dvIncidence made;        // the other way round, see dv_topology_mapping_made
  uint64_t seen;           // stamp of the input that the elements were made of
  bool busy;
  // once the input has changed (live.h)
  dvWatcher watcher;
  bool live;
  size_t pieces;              // of a source, at most
  DV_ARRAY(int32_t) places;   // for each source the numbers of its pieces in the output, -1 where there is none
  DV_ARRAY(int32_t) early;    // ends of new edges of the input that wait for the faces of the output that have them
  size_t newest;              // sources from this number on came last
} dvTopologyMapping;

extern const dvFieldBlock dv_topology_mapping_block;

// What a class of mapping does.
typedef struct dvTopologyMappingOps {
  dvElementKind input;   // what must be there; DV_POINT when anything goes
  unsigned makes;        // bits of the kinds of elements it fills the output with; 0 leaves the output as it is
  bool makes_points;     // ... and its positions
  dvStatus (*make)(dvTopologyMapping *m, dvTopology *from);   // fills the fields, `sources` and `points`
  const struct dvLiveOps *live;   // how it follows changes; NULL: the output is made anew at the end of a batch
} dvTopologyMappingOps;

// Elements of the output that were made of each element of the input; `count` rows. NULL when memory is short.
const dvIncidence *dv_topology_mapping_made(dvTopologyMapping *m);
// The topology that a mapping fills, NULL when it fills none. Works before the links of the scene are made.
dvObject *dv_topology_mapping_fills(dvObject *mapping);
// Brings the output fields up to date with the input.
dvStatus dv_topology_mapping_refresh(dvTopologyMapping *m);

// Shares of the corners of an element at a place of Mesh2PointTopologicalMapping (DV_COMPAT_QUAD_POINTS).
void dv_topology_shares(dvElementKind kind, const double place[3], bool as_sofa, double out[8]);

// The list of elements of a kind that `make` fills; NULL for points and pyramids.
dvInts *dv_topology_mapping_list(dvTopologyMapping *m, dvElementKind kind);
// "out of memory", as an error of the mapping.
dvStatus dv_topology_mapping_memory(dvTopologyMapping *m);

// --- hooks that every class uses ---
dvStatus dv_topology_mapping_link(dvObject *o);
dvStatus dv_topology_mapping_init(dvObject *o);
dvStatus dv_topology_mapping_fetch(dvObject *o, dvField *f);
void dv_topology_mapping_destroy(dvObject *o);

#define DV_TOPOLOGY_MAPPING_CLASS(variable, name_, help_, module_, type, table, ...) \
  const dvClass variable = {                                                         \
      .struct_size = sizeof(dvClass),                                                \
      .name = name_,                                                                 \
      .help = help_,                                                                 \
      .module = module_,                                                             \
      .size = sizeof(type),                                                          \
      .ops = {[DV_ROLE_TOPOLOGY_MAPPING] = &(table)},                                \
      .blocks = {&dv_object_block, &dv_topology_mapping_block, ##__VA_ARGS__},       \
      .link = dv_topology_mapping_link,                                              \
      .init = dv_topology_mapping_init,                                              \
      .reinit = dv_topology_mapping_init,                                            \
      .fetch = dv_topology_mapping_fetch,                                            \
      .destroy = dv_topology_mapping_destroy,                                        \
  }

#endif
