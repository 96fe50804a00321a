// The surface of a distance field as places and normals, for walls of particles.
#ifndef DV_FLUID_FIELD_WALL_H
#define DV_FLUID_FIELD_WALL_H

#include "base/array.h"
#include "base/pool.h"
#include "object/object.h"

typedef struct dvFieldWall {
  DV_ARRAY(double) points;   // of its surface, in the frame that carries it; three numbers each
  DV_ARRAY(int32_t) triangles;
} dvFieldWall;

// A scalar field (field.h) or a RigidDistanceGridCollisionModel.
bool dv_is_wall_field(const dvObject *o);
// The state of frames that carries it; NULL when it has none of its own.
struct dvState *dv_wall_field_state(const dvObject *o);
// Changes whenever the field does.
uint64_t dv_wall_field_stamp(const dvObject *o);
// Its surface within a box (where it knows no bounds of its own), as triangles of about the size `step`. False when
// memory is short or there would be too many.
DV_CHECK_RESULT bool dv_wall_field_surface(const dvObject *o, dvPool *pool, const double low[3], const double high[3],
                                           double step, dvFieldWall *out);
// Moves a place onto the surface and gives the normal there.
void dv_wall_field_settle(const dvObject *o, double x[3], double normal[3]);
void dv_wall_field_free(dvFieldWall *w);

#endif
