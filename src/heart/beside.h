// What has to stand beside a chamber of the heart and its muscle in a scene, and is easily left out: something that
// holds the tissue, a passive law, steps as short as a beat needs. Nothing is refused: somebody may know better.
#ifndef DV_HEART_BESIDE_H
#define DV_HEART_BESIDE_H

#include "object/object.h"

// For the slot bwd_init of a chamber, and of a ContractionForceField.
void dv_beside_chamber(const dvObject *chamber, double arterial_pressure);
void dv_beside_muscle(const dvObject *contraction);

#endif
