// Stiffness of a flat thin triangle with frames at its corners, in its plane: 18 x 18, per corner u v w and rotations
// about x y z.
//
// Membrane (u, v, rotation about z): the optimal triangle with drilling freedoms of C. Felippa (A study of optimal
// membrane triangles with drilling freedoms, 2003). Bending (w, rotations about x and y): the discrete Kirchhoff
// triangle (J.-L. Batoz, K.-J. Bathe, L.-W. Ho, A study of three-node triangular plate bending elements, 1980).
#ifndef DV_FORCE_FEM_SURFACE_SHELL_MATRIX_H
#define DV_FORCE_FEM_SURFACE_SHELL_MATRIX_H

#include "base/base.h"

enum { DV_SHELL_SIZE = 18 };

// Corners at (x_i, y_i), counterclockwise. False when the triangle has no area: k is then 0.
bool dv_shell_matrix(const double x[3], const double y[3], double young, double poisson, double thickness,
                     double k[DV_SHELL_SIZE * DV_SHELL_SIZE]);

#endif
