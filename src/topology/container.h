// What MeshTopology and the grids have in common beyond the container: which of their elements to draw.
#ifndef DV_TOPOLOGY_CONTAINER_H
#define DV_TOPOLOGY_CONTAINER_H

#include "topology/topology.h"

#define DV_MESH_TOPOLOGY_FIELDS(X)                                                                                 \
  X(bool, computeAllBuffers, "0", "", "make all lists of neighbours at the start instead of when they are needed") \
  X(bool, drawEdges, "0", "", "draw the edges", .flags = DV_LOOKS)                                                 \
  X(bool, drawTriangles, "0", "", "draw the triangles", .flags = DV_LOOKS)                                         \
  X(bool, drawQuads, "0", "", "draw the quads", .flags = DV_LOOKS)                                                 \
  X(bool, drawTetrahedra, "0", "", "draw the tetrahedra", .flags = DV_LOOKS)                                       \
  X(bool, drawHexahedra, "0", "", "draw the hexahedra", .flags = DV_LOOKS)

typedef struct dvMeshTopology {
  dvTopology topology;
  DV_MESH_TOPOLOGY_FIELDS(DV_MEMBER)
} dvMeshTopology;

extern const dvFieldBlock dv_mesh_topology_block;
void dv_mesh_topology_create(dvObject *o);
dvStatus dv_mesh_topology_init(dvObject *o);
// Reads xmin ymin zmin xmax ymax zmax (and scale) into two fields. They count only together, and they are single
// precision numbers, as in SOFA.
dvStatus dv_topology_parse_box(dvObject *o, dvAttributes *a, double min[3], double max[3]);

#endif
