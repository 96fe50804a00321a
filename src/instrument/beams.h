// Beams along edges between frames: BeamInterpolation, whose beams are there from the start, and WireBeamInterpolation,
// whose beams a controller lays out along an instrument as it comes out. A beam joins two degrees of freedom; between
// each of them and its end of the beam there may be a fixed pose.
#ifndef DV_INSTRUMENT_BEAMS_H
#define DV_INSTRUMENT_BEAMS_H

#include "instrument/shape.h"
#include "mechanics/component.h"

#define DV_BEAMS_FIELDS(X)                                                                       \
  X(indices, edgeList, "", "", "edges of the topology that are beams")                           \
  X(reals, lengthList, "", "m", "length of each beam at rest")                                   \
  X(frames, DOF0TransformNode0, "", "", "pose of the beginning of each beam in its first frame") \
  X(frames, DOF1TransformNode1, "", "", "pose of the end of each beam in its second frame")      \
  X(vec2s, curvAbsList, "", "m", "where each beam begins and ends along the instrument")         \
  X(indices, beamCollision, "", "", "beams that can touch something", .flags = DV_READ_ONLY)     \
  X(bool, dofsAndBeamsAligned, "1", "", "the ends of beams are the frames themselves")

// What a beam is made of.
typedef struct dvBeamMaterial {
  dvBeamSection section;
  double young, poisson;
  double density;   // below 0: the interpolation does not know
} dvBeamMaterial;

typedef struct dvBeams {
  dvObject base;
  DV_BEAMS_FIELDS(DV_MEMBER)
  dvState *state;
  dvTopology *topology;
  dvWireShape *shape;   // of WireBeamInterpolation
  dvObject *controller;
  bool skewed;   // as SOFA: a frame whose quaternion is not of unit length is elsewhere (frame-length)
  // made of the lists (dv_beams_changed): degrees of freedom of each beam, and the sum of the lengths up to its end
  DV_ARRAY(int32_t) ends;
  DV_ARRAY(double) reach;
} dvBeams;

extern const dvClass dv_beam_interpolation_class, dv_wire_interpolation_class;
// NULL when it is another component.
dvBeams *dv_beams(dvObject *o);
// The interpolation that a link names or, when it names none, the one of the node or, with `up`, above; NULL with an
// error. It is initialised.
dvBeams *dv_beams_find(dvObject *o, dvLink *link, bool up);

static inline size_t dv_beams_count(const dvBeams *b) { return b->edgeList.count; }
// The two degrees of freedom.
void dv_beams_ends(const dvBeams *b, size_t beam, size_t out[2]);
// The poses of its ends in their degrees of freedom, and in the world.
void dv_beams_local(const dvBeams *b, size_t beam, dvPose out[2]);
void dv_beams_poses(const dvBeams *b, size_t beam, const double *x, dvPose out[2]);
// The same, seen from a frame.
void dv_beams_seen_from(const dvBeams *b, dvPose frame, size_t beam, const double *x, dvPose out[2]);
// The poses of its ends at rest, in the frame of its middle.
void dv_beams_rest(const dvBeams *b, size_t beam, dvPose out[2]);
dvBeamMaterial dv_beams_material(const dvBeams *b, size_t beam);
// Length of the whole instrument at rest.
double dv_beams_total_length(const dvBeams *b);
// The beam at a place along the instrument, and t in it. What is not out is at the beginning of the first beam.
size_t dv_beams_at(const dvBeams *b, double along, double *t);

// For controllers: takes all beams away, adds one.
void dv_beams_clear(dvBeams *b);
void dv_beams_add(dvBeams *b, size_t edge, double length, double begin, double end, dvQuat turn);
void dv_beams_changed(dvBeams *b);   // after that
// After that: the end (0 or 1) of a beam is this pose in that degree of freedom, not in the one of its edge.
void dv_beams_join(dvBeams *b, size_t beam, int end, size_t dof, dvPose local);

#endif
