// BarycentricMapping from inside: what barycentric.c and barycentric_put.c share.
#ifndef DV_MAPPING_LINEAR_BARYCENTRIC_INSIDE_H
#define DV_MAPPING_LINEAR_BARYCENTRIC_INSIDE_H

#include "mapping/linear/barycentric.h"
#include "mapping/linear/embedded_frames.h"
#include "mapping/linear/linear.h"
#include "mapping/register.h"
#include "mechanics/pairs.h"
#include "topology/search/element_grid.h"
#include "topology/search/locate.h"

#define BARYCENTRIC_FIELDS(X)                                                                                        \
  X(bool, useRestPosition, "0", "", "find the elements with the rest positions of input and output")                 \
  X(link, mapper, "", "", "accepted: the mapping chooses how to map by itself", .flags = DV_HIDDEN)                  \
  X(link, input_topology, "", "", "topology of the input; the one of its node by default", .role = DV_ROLE_TOPOLOGY) \
  X(link, output_topology, "", "", "topology of the output", .role = DV_ROLE_TOPOLOGY)

// Points of the output in elements of one kind, in any order; an entry goes with the element or the point.
typedef struct dvBarycentricPlaces {
  dvInts element, point;
  dvReals local;   // coordinates in the element
  dvPairs pairs;
  struct dvBarycentric *of;
} dvBarycentricPlaces;

// Where a point of the output is: an entry of the places of a kind; -1 when it has lost its element.
typedef struct dvBarycentricEntry {
  int32_t kind, entry;
} dvBarycentricEntry;

// Where elements are, to find some points again without looking at all of them.
typedef struct dvBarycentricFinder {
  bool ready;   // it is made when points lose their element for the first time, and follows from then on
  dvElementKind kind;
  dvElementGrid grid;
  DV_ARRAY(double) lengths;   // of the edges
  double sum;                 // of them
} dvBarycentricFinder;

typedef struct dvBarycentric {
  dvLinearMapping linear;
  BARYCENTRIC_FIELDS(DV_MEMBER)
  dvTopology *mesh;                               // of the input
  dvBarycentricPlaces places[DV_ELEMENT_KINDS];   // every point has one
  dvReals in_x, out_x;   // positions in which the elements were found: of the input; of the output, in its coordinates
  DV_ARRAY(dvBarycentricEntry) where;   // of each point, as far as its points keep their numbers
  dvNumbers touched;                    // points that have lost their element or were put into another one
  dvBarycentricFinder finder;
  bool nowhere;              // there are no elements any more
  bool put;                  // somebody has put points: where they are does not follow from the shapes
  dvEmbeddedFrames frames;   // when the output has frames
  size_t flat, outside;      // while rows are made: frames in elements without volume; points that are extrapolated
  double farthest;           // of those, in sizes of the element
} dvBarycentric;

static inline bool dv_barycentric_has_frames(const dvBarycentric *b)
{
  return b->linear.base.base.dof_out->kind == DV_RIGID3;
}

// A point of the output lies at local coordinates of an element.
void dv_barycentric_add(dvBarycentric *b, size_t point, dvElementKind kind, size_t element, const double local[3]);
// Corners of an element: a grid that has not changed need not have made its cells.
const int32_t *dv_barycentric_corners(const dvBarycentric *b, dvElementKind kind, size_t element, int32_t buffer[8]);
// Where each point is: the number of its entry among those of all kinds, counted through, or -1. The caller frees it.
int32_t *dv_barycentric_index(const dvBarycentric *b, size_t points);
// The row of a point at local coordinates of an element: inputs and their weights, in SOFA's order. Returns how many.
int dv_barycentric_row(const dvBarycentric *b, dvElementKind kind, const int32_t *corners, const double local[3],
                       int32_t inputs[8], double weights[8]);
// Rows from the places of all points.
dvStatus dv_barycentric_make_rows(dvBarycentric *b);
// Looks for points of the output in the elements of the mesh, and adds their entries.
dvStatus dv_barycentric_find(dvBarycentric *b, const int32_t *points, size_t n);

// The elements that points may lie in, and SOFA's cells, whose size is the mean length of the edges. False when there
// are only edges or nothing.
bool dv_barycentric_elements(dvTopology *t, dvLocateDef *def);
double dv_barycentric_edge_length(const dvInts *edges, const double *x, size_t edge);

// --- barycentric_patch.c ---

// Begins to note what becomes of entries.
void dv_barycentric_watch(dvBarycentric *b);
// All rows were made: where each point is.
void dv_barycentric_take_places(dvBarycentric *b);
void dv_barycentric_free_places(dvBarycentric *b);
// For `topology_changed`: rows of points whose element is another one, or has other corners. False when all are to be
// made again.
bool dv_barycentric_patch(dvBarycentric *b);

void dv_barycentric_remember(dvObject *o, dvMemoryStream *s);
bool dv_barycentric_restored(dvObject *o);

#endif
