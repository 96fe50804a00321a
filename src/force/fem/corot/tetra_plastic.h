// Plastic strain of corotational tetrahedra between their own frames and that of the body: elements that a cut leaves
// have other frames than those they come from.
#ifndef DV_FORCE_FEM_COROT_TETRA_PLASTIC_H
#define DV_FORCE_FEM_COROT_TETRA_PLASTIC_H

#include "force/fem/corot/tetra_corot.h"

// Six numbers (xx yy zz xy yz zx, twice the shear) of a tetrahedron with these points, of which `rest` has the
// positions at rest, turned out of its frame at rest or into it. One without volume is left alone.
void dv_tetra_plastic_turn(dvCorotMethod method, const double *rest, const int32_t points[4], bool into,
                           double strain[6]);

#endif
