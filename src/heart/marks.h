// Where leads and zones are drawn: on the tissue as it is now, which moves away from where it was at rest.
#ifndef DV_HEART_MARKS_H
#define DV_HEART_MARKS_H

#include "base/array.h"
#include "object/object.h"

#define DV_MARK_FIELDS(X)                                                                     \
  X(vec3s, shown, "", "m", "where it is drawn", .flags = DV_READ_ONLY | DV_HIDDEN | DV_LOOKS) \
  X(reals, shownRadius, "", "m", "how large", .flags = DV_READ_ONLY | DV_HIDDEN | DV_LOOKS)

typedef struct dvMarks {
  DV_ARRAY(int32_t) point;   // of the tissue: each mark goes with one
  DV_ARRAY(double) offset;   // from it, at rest
  DV_ARRAY(double) radius;
  const dvObject *solver;    // of that tissue; NULL: the marks stay where they are
  unsigned graph, version;   // of the scene and of the component when they were made
  bool made, shown;          // once; somebody has looked at them
} dvMarks;

// Brings `shown` and `shownRadius` up to date. A stimulus has a ball at each of its places, a zone one at each point of
// the tissue that it changes; `there`: the zone is in force.
void dv_marks_follow_stimulus(dvMarks *m, const dvObject *o, unsigned version, dvReals *shown, dvReals *radius);
void dv_marks_follow_zone(dvMarks *m, const dvObject *o, unsigned version, bool there, dvReals *shown, dvReals *radius);
void dv_marks_free(dvMarks *m);

#endif
