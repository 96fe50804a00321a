// Membranes that tear: how far a triangle is stretched, the stresses of that, and what lies ahead of a point.
//
// F maps the rest shape of a triangle to the present one. With the eigenvalues l1 >= l2 of U = (F^T F)^1/2, strains
// e = l - 1 and plane stress, the principal stresses are
//
//   s1 = E / (1 - nu^2) (e1 + nu e2),   s2 = E / (1 - nu^2) (e2 + nu e1)
#ifndef DV_CONTROL_MEMBRANE_H
#define DV_CONTROL_MEMBRANE_H

#include "math/vec.h"
#include "mechanics/component.h"
#include "state/of_mesh.h"
#include "topology/change/incise.h"

typedef struct dvMembrane {
  dvTopology *mesh;
  dvState *state;
  double young, poisson;
} dvMembrane;

typedef struct dvStretch {
  double length[2];   // l1, l2
  double angle;       // of the first direction, in the axes at rest
  dvVec3 u, v;        // axes at rest
  dvVec3 f, g;        // what F makes of them
} dvStretch;

// False for a triangle without area at rest.
bool dv_membrane_stretch(const dvMembrane *m, const int32_t *corners, dvStretch *out);
// The principal stress along direction 0 or 1, Pa.
double dv_membrane_stress(const dvMembrane *m, const dvStretch *s, int direction);

// The triangle at a point through whose far edge p q a direction leads, p + share (q - p); -1 when there is none within
// 60 degrees. `vector` is DV_X or DV_X_REST: where the mesh is looked at.
typedef struct dvAheadOnMembrane {
  int32_t triangle, p, q;
  double share;
  dvVec3 meets;
} dvAheadOnMembrane;
dvAheadOnMembrane dv_membrane_ahead(const dvMembrane *m, int vector, int32_t point, dvVec3 way);

// Whether the edge between two points has one triangle.
bool dv_membrane_is_border(const dvMembrane *m, int32_t a, int32_t b);

// Takes youngModulus and poissonRatio of a force (NULL: the first one of the node that has them). `who` begins the
// message when there is none, `or_else` ends its advice.
dvStatus dv_membrane_material(dvMembrane *m, dvObject *o, dvObject *force, const char *who, const char *or_else);

#endif
