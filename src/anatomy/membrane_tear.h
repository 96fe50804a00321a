// For tools that cut a membrane with a MembraneTear.
#ifndef DV_ANATOMY_MEMBRANE_TEAR_H
#define DV_ANATOMY_MEMBRANE_TEAR_H

#include "anatomy/tear_tip.h"

extern const dvClass dv_membrane_tear_class;

dvMembrane *dv_membrane_tear_membrane(dvObject *tear);
// The mean length of an edge at rest when it began.
double dv_membrane_tear_edge(const dvObject *tear);
// Opens the membrane at a place at rest, over a length along a direction; both ends are tips from then on. False when
// nothing came of it.
bool dv_membrane_tear_open(dvObject *tear, dvVec3 place, dvVec3 along, double length);
// Leads the nearest tip within `reach` of a place at rest that lies ahead of it to there: whatever the stresses are, a
// blade cuts.
bool dv_membrane_tear_lead(dvObject *tear, dvVec3 place, double reach);

#endif
