// What is done to tissue while the scene runs: a lead of a pacemaker or a lesion, put where the tissue is touched.
//
// A lead is a CardiacStimulus that keeps time with the beat: it has the period of the first stimulus that has one, and
// begins with its next pulse. Where nothing beats, it is one pulse at once. A lesion is a TissueZone from now on.
#ifndef DV_HEART_THERAPY_H
#define DV_HEART_THERAPY_H

#include "math/vec.h"
#include "scene/node.h"

typedef enum dvTherapy { DV_LEAD, DV_LESION } dvTherapy;

// A point of tissue that is excited.
typedef struct dvTissuePoint {
  dvObject *solver;   // of its potential; NULL: there is no tissue near
  size_t point;
  dvVec3 rest;   // its place at rest
} dvTissuePoint;

// The point that is nearest to a place, in the shape that the tissue has now, and not farther away than an edge of the
// tetrahedra around it.
dvTissuePoint dv_tissue_near(dvScene *scene, dvVec3 place);
// A component at the solver's node that acts on all points within `radius` of that one (at rest), from the next step
// on. NULL when it does not work, which the log was told.
dvObject *dv_therapy_add(const dvTissuePoint *at, dvTherapy what, double radius);
// Another place for one that was added; false when it was there already, or is refused.
bool dv_therapy_extend(dvObject *added, const dvTissuePoint *at);

#endif
