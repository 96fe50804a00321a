// BarycentricMapping from inside: what barycentric.c and barycentric_put.c share.
#ifndef DV_MAPPING_LINEAR_BARYCENTRIC_INSIDE_H
#define DV_MAPPING_LINEAR_BARYCENTRIC_INSIDE_H

#include "mapping/linear/barycentric.h"
#include "mapping/linear/embedded_frames.h"
#include "mapping/linear/linear.h"
#include "mapping/register.h"
#include "mechanics/pairs.h"

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
} dvBarycentricPlaces;

typedef struct dvBarycentric {
  dvLinearMapping linear;
  BARYCENTRIC_FIELDS(DV_MEMBER)
  dvTopology *mesh;                               // of the input
  dvBarycentricPlaces places[DV_ELEMENT_KINDS];   // every point has one
  dvReals in_x, out_x;   // positions in which the elements were found: of the input; of the output, in its coordinates
  bool nowhere;          // there are no elements any more
  bool put;              // somebody has put points: where they are does not follow from the shapes
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
// Rows from the places of all points.
dvStatus dv_barycentric_make_rows(dvBarycentric *b);

void dv_barycentric_remember(dvObject *o, dvMemoryStream *s);
bool dv_barycentric_restored(dvObject *o);

#endif
