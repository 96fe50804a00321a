// Which points lie inside of a body: a closed surface of triangles and quads, or boxes.
#ifndef DV_LATTICE_INSIDE_H
#define DV_LATTICE_INSIDE_H

#include "engine/engine.h"
#include "topology/search/rays.h"

#define DV_BODY_FIELDS(X)                                                                                       \
  X(vec3s, inputPosition, "", "m", "points of a closed surface", .flags = DV_INPUT, .alias = "surfacePosition") \
  X(triangles, triangles, "", "", "its triangles", .flags = DV_INPUT)                                           \
  X(quads, quads, "", "", "its quads", .flags = DV_INPUT)

typedef struct dvInside {
  dvRayMesh mesh;
  int32_t *all;   // triangles, quads cut in two
  size_t count;
  dvHits scratch;
  dvRayHits hits;
  double low[3], high[3];
  double volume;
} dvInside;

// The surface must be closed, and its indices right: an error tells the first edge that is open.
dvStatus dv_inside_init(dvInside *s, const dvObject *o, const dvReals *position, const dvInts *triangles,
                        const dvInts *quads);
void dv_inside_fini(dvInside *s);
// Where a line along x through (y, z) crosses the surface, rising; into `hits`, whose t counts from low[0] - 1.
void dv_inside_line(dvInside *s, double y, double z);
bool dv_inside_has(dvInside *s, const double p[3]);

#endif
