// The tip of a tear in a membrane: how the stress grows towards it, and where the tear would go.
//
// Near the tip of a tear in a sheet the stress is that of M. L. Williams (On the stress distribution at the base of a
// stationary crack, 1957): with r and theta from the tip, theta = 0 ahead,
//
//   s = KI / sqrt(2 pi r) a(theta) + KII / sqrt(2 pi r) b(theta) + T (along the tear)
//
// KI opens the tear, KII shears it. Both and T are fitted, by least squares, to the stresses of the triangles within a
// reach of the tip, weighted with area times r. All of it is seen in the shape at rest, to which stresses of a folded
// flap belong as well as those of a flat one. The tear goes where the stress across its way is largest (F. Erdogan and
// G. C. Sih, On the crack extension in plates under plane loading and transverse shear, 1963):
//
//   KI sin(t) + KII (3 cos(t) - 1) = 0,   K = cos(t/2) (KI cos^2(t/2) - 3/2 KII sin(t))
//
// and it goes when K exceeds the toughness of the membrane.
#ifndef DV_ANATOMY_TEAR_TIP_H
#define DV_ANATOMY_TEAR_TIP_H

#include "base/array.h"
#include "control/membrane.h"

typedef DV_ARRAY(int32_t) dvTearScratch;

typedef struct dvTearTip {
  dvVec3 way, side;            // unit vectors at rest: on along the tear, and to its left
  double open, shear, along;   // KI, KII in Pa sqrt(m), T in Pa
  double angle, intensity;     // where it would go, from `way` to `side`, and K there
} dvTearTip;

// The way of a tear at its tip: from where its lips are `reach` behind it. False when the point is not the end of a
// tear: inside, or on an edge without end.
bool dv_tear_way(const dvMembrane *m, int32_t point, double reach, dvTearTip *out);
// Fits the stresses around it; false when there are too few triangles.
bool dv_tear_fit(const dvMembrane *m, int32_t point, double reach, dvTearScratch *scratch, dvTearTip *t);
// Angle and intensity of KI and KII.
void dv_tear_kink(dvTearTip *t);

#endif
