// Selectors: which points and elements lie in a region. One kernel; the classes bring the shape of the region.
#ifndef DV_ENGINE_SELECT_ROI_H
#define DV_ENGINE_SELECT_ROI_H

#include "base/isa.h"
#include "scene/node.h"

#define DV_ROI_MODULE "Sofa.Component.Engine.Select"

#define DV_ROI_POINT_FIELDS(X)                                                                        \
  X(coords, position, "", "m",                                                                        \
    "positions; without, the rest positions of the state in the node, else of a loader in the node, " \
    "else of a state further up",                                                                     \
    .alias = "rest_position", .flags = DV_INPUT)                                                      \
  X(indices, indices, "", "", "points in the region", .alias = "pointIndices", .flags = DV_OUTPUT)    \
  X(coords, pointsInROI, "", "m", "their positions", .alias = "pointsInBox", .flags = DV_OUTPUT)      \
  X(bool, drawPoints, "0", "", "draw the points", .flags = DV_LOOKS)                                  \
  X(real, drawSize, "1", "", "size of what is drawn", .flags = DV_LOOKS)

#define DV_ROI_ELEMENT_FIELDS(X)                                                                         \
  X(edges, edges, "", "", "edges; those of the topology in the node when not given", .flags = DV_INPUT)  \
  X(triangles, triangles, "", "", "triangles; likewise", .flags = DV_INPUT)                              \
  X(tetrahedra, tetrahedra, "", "", "tetrahedra; likewise", .flags = DV_INPUT)                           \
  X(bool, computeEdges, "1", "", "select edges", .flags = DV_INPUT)                                      \
  X(bool, computeTriangles, "1", "", "select triangles", .flags = DV_INPUT)                              \
  X(bool, computeTetrahedra, "1", "", "select tetrahedra", .flags = DV_INPUT)                            \
  X(indices, edgeIndices, "", "", "edges in the region", .flags = DV_OUTPUT)                             \
  X(indices, triangleIndices, "", "", "triangles in the region", .flags = DV_OUTPUT)                     \
  X(indices, tetrahedronIndices, "", "", "tetrahedra in the region", .flags = DV_OUTPUT)                 \
  X(edges, edgesInROI, "", "", "their points", .alias = "edgesInBox", .flags = DV_OUTPUT)                \
  X(triangles, trianglesInROI, "", "", "their points", .alias = "trianglesInBox", .flags = DV_OUTPUT)    \
  X(tetrahedra, tetrahedraInROI, "", "", "their points", .alias = "tetrahedraInBox", .flags = DV_OUTPUT) \
  X(bool, drawEdges, "0", "", "draw the edges", .flags = DV_LOOKS)                                       \
  X(bool, drawTriangles, "0", "", "draw the triangles", .flags = DV_LOOKS)                               \
  X(bool, drawTetrahedra, "0", "", "draw the tetrahedra", .flags = DV_LOOKS)

#define DV_ROI_MORE_FIELDS(X)                                                                                \
  X(quads, quads, "", "", "quads; those of the topology in the node when not given", .alias = "quad",        \
    .flags = DV_INPUT)                                                                                       \
  X(hexahedra, hexahedra, "", "", "hexahedra; likewise", .flags = DV_INPUT)                                  \
  X(bool, computeQuads, "1", "", "select quads", .alias = "computeQuad", .flags = DV_INPUT)                  \
  X(bool, computeHexahedra, "1", "", "select hexahedra", .flags = DV_INPUT)                                  \
  X(bool, strict, "1", "", "an element counts when all its points are inside; else when its centre is",      \
    .flags = DV_INPUT)                                                                                       \
  X(indices, quadIndices, "", "", "quads in the region", .flags = DV_OUTPUT)                                 \
  X(indices, hexahedronIndices, "", "", "hexahedra in the region", .flags = DV_OUTPUT)                       \
  X(quads, quadsInROI, "", "", "their points", .alias = "quadInROI", .flags = DV_OUTPUT)                     \
  X(hexahedra, hexahedraInROI, "", "", "their points", .flags = DV_OUTPUT)                                   \
  X(int, nbIndices, "0", "", "number of points in the region", .flags = DV_OUTPUT)                           \
  X(coords, pointsOutROI, "", "m", "positions of the other points", .flags = DV_OUTPUT)                      \
  X(edges, edgesOutROI, "", "", "the other edges", .flags = DV_OUTPUT)                                       \
  X(triangles, trianglesOutROI, "", "", "the other triangles", .flags = DV_OUTPUT)                           \
  X(tetrahedra, tetrahedraOutROI, "", "", "the other tetrahedra", .flags = DV_OUTPUT)                        \
  X(indices, indicesOut, "", "", "the other points", .flags = DV_OUTPUT)                                     \
  X(indices, edgeOutIndices, "", "", "the other edges", .flags = DV_OUTPUT)                                  \
  X(indices, triangleOutIndices, "", "", "the other triangles", .flags = DV_OUTPUT)                          \
  X(indices, tetrahedronOutIndices, "", "", "the other tetrahedra", .flags = DV_OUTPUT)                      \
  X(bool, drawROI, "0", "", "draw the region", .alias = "drawBoxes isVisible drawSphere", .flags = DV_LOOKS) \
  X(bool, drawQuads, "0", "", "draw the quads", .flags = DV_LOOKS)                                           \
  X(bool, drawHexahedra, "0", "", "draw the hexahedra", .flags = DV_LOOKS)                                   \
  X(bool, doUpdate, "1", "", "select again when something changes; else the first selection stays", .flags = DV_INPUT)

typedef struct dvRoi dvRoi;

typedef struct dvRoiKernels {
  // inside[i] |= point i is in the box; three numbers count of each `stride`
  void (*mark_box)(const double *x, size_t stride, size_t n, const double low[3], const double high[3],
                   uint8_t *inside);
  // numbers, from `first`, of those that are marked; `out` has room for all of them. Returns how many.
  size_t (*list_marked)(const uint8_t *inside, size_t n, int32_t *out, int32_t first);
} dvRoiKernels;

DV_KERNEL_DECLARE(dvRoiKernels, dv_roi_kernels);

// The shape of a region.
typedef struct dvRoiShape {
  // makes ready for tests; false when nothing is to be selected
  bool (*prepare)(dvRoi *r);
  bool (*contains)(const dvRoi *r, const double p[3]);
  // what can be marked quickly, for points begin to end - 1; the others are asked one by one. False when that was all.
  // May be NULL.
  bool (*mark)(const dvRoi *r, size_t begin, size_t end, uint8_t *inside);
  // the region in words, and what would take all points, which reach from low to high: for a message
  void (*describe)(const dvRoi *r, const double low[3], const double high[3], dvText *out);
  // how an element with n points x (three numbers each) is tested; NULL: all its points, or its centre when not strict
  bool (*contains_element)(const dvRoi *r, const double *x, int n);
  bool serial;          // `contains` may not be called by several threads at once
  bool search_up;       // the topology may also stand further up
  bool all_or_centre;   // when not strict, an element also counts when all its points are inside
} dvRoiShape;

// First member of every selector. A class describes the blocks of fields that it has.
struct dvRoi {
  dvObject base;
  DV_ROI_POINT_FIELDS(DV_MEMBER)
  DV_ROI_ELEMENT_FIELDS(DV_MEMBER)
  DV_ROI_MORE_FIELDS(DV_MEMBER)
  const dvRoiShape *shape;
  uint8_t *inside;   // for each point; what follows from it is made when it is read
  size_t inside_count;
  unsigned made;    // a bit for each list that has been
  bool selected;    // at least once, with points to select from
  int selections;   // how often the engine ran: for tests
};

extern const dvFieldBlock dv_roi_point_block, dv_roi_element_block, dv_roi_more_block;

// Hooks that the classes share; create sets `shape` before it calls dv_roi_create.
void dv_roi_create(dvObject *o, const dvRoiShape *shape);
dvStatus dv_roi_link(dvObject *o);
dvStatus dv_roi_update(dvObject *o);
dvStatus dv_roi_fetch(dvObject *o, dvField *f);
dvStatus dv_roi_bwd_init(dvObject *o);
void dv_roi_destroy(dvObject *o);
// Appends "what is" and the value of a member, the beginning of a long one.
void dv_roi_describe(const dvRoi *r, const char *what, const void *member, dvText *out);

#endif
