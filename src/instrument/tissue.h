// A body of tetrahedra or hexahedra that an instrument is driven into. Places in it are places of its shape at rest:
// they stay where they are in the material while it deforms, and are looked up again when its mesh changes.
#ifndef DV_INSTRUMENT_TISSUE_H
#define DV_INSTRUMENT_TISSUE_H

#include "math/vec.h"
#include "mechanics/rows.h"
#include "topology/topology.h"

enum { DV_SPOT_POINTS = 8 };

// A place: points of the mesh and their weights.
typedef struct dvSpot {
  int count;
  int32_t cell;   // the element; -1 for a place on a face
  int32_t point[DV_SPOT_POINTS];
  double weight[DV_SPOT_POINTS];
} dvSpot;

typedef struct dvTissue {
  dvState *state;
  dvTopology *topology;
  dvElementKind kind;
  double size;                 // mean length of the edges of its elements at rest
  DV_ARRAY(int32_t) surface;   // triangles that bound it, looking outwards
  DV_ARRAY(double) boxes;      // of the elements at rest: least and most
} dvTissue;

// From the state and its topology; also after the mesh has changed. `o` gets the message.
dvStatus dv_tissue_init(dvTissue *t, dvObject *o, dvState *state, dvTopology *topology);
void dv_tissue_fini(dvTissue *t);
// The element around a place at rest; `guess` is looked at first, negative for none. False when there is none.
bool dv_tissue_locate(const dvTissue *t, dvVec3 at_rest, int32_t guess, dvSpot *out);
// Where the surface is met between from and to, coming from outside: the first such place. False when it is not met.
bool dv_tissue_enter(const dvTissue *t, const double *x, dvVec3 from, dvVec3 to, dvSpot *out, dvVec3 *normal);
dvVec3 dv_spot_at(const dvSpot *s, const double *x);   // of positions, or velocities
// The direction at rest that lies along a direction at the positions x, of unit length.
dvVec3 dv_tissue_pull_back(const dvTissue *t, const dvSpot *s, const double *x, dvVec3 direction);
// Adds factor x (direction . motion of the place) to a row.
void dv_tissue_add_row(const dvTissue *t, const dvSpot *s, dvVec3 direction, double factor, int32_t row, dvRowSet *set);

#endif
