// Kinds of degrees of freedom. A coordinate is what is stored (7 numbers for a frame: position and
// quaternion x y z w), a derivative is what velocities and forces are made of (6 numbers: linear, angular).
//
// Frames that deform are their position and the columns of a matrix: three for an affine frame, 12 numbers, which maps
// p to c + A p; nine for a quadratic one, 30 numbers, which also takes the products xx yy zz xy yz zx of p.
#ifndef DV_OBJECT_DOF_H
#define DV_OBJECT_DOF_H

#include "base/base.h"

DV_PUBLIC_BEGIN

typedef enum dvDofKind {
  DV_VEC1,
  DV_VEC2,
  DV_VEC3,
  DV_VEC6,
  DV_RIGID2,
  DV_RIGID3,
  DV_AFFINE3,
  DV_QUADRATIC3,
  DV_DOF_COUNT
} dvDofKind;

enum {
  DV_DOF_VEC1 = 1 << DV_VEC1,
  DV_DOF_VEC2 = 1 << DV_VEC2,
  DV_DOF_VEC3 = 1 << DV_VEC3,
  DV_DOF_VEC6 = 1 << DV_VEC6,
  DV_DOF_RIGID2 = 1 << DV_RIGID2,
  DV_DOF_RIGID3 = 1 << DV_RIGID3,
  DV_DOF_AFFINE3 = 1 << DV_AFFINE3,
  DV_DOF_QUADRATIC3 = 1 << DV_QUADRATIC3,
  DV_DOF_VECS = DV_DOF_VEC1 | DV_DOF_VEC2 | DV_DOF_VEC3 | DV_DOF_VEC6,
  DV_DOF_BENDING = DV_DOF_AFFINE3 | DV_DOF_QUADRATIC3,   // frames that deform
  DV_DOF_ALL = (1 << DV_DOF_COUNT) - 1,
  DV_MAX_COORD = 30,   // room for one coordinate of any kind
};

typedef struct dvDof {
  dvDofKind kind;
  const char *name;   // "Vec3d": what scenes and dumps write
  int coord, deriv;   // numbers per degree of freedom
  int space;          // dimensions of the point it moves: 1, 2 or 3
} dvDof;

const dvDof *dv_dof(dvDofKind kind);
// Columns of the matrix of a frame that deforms, behind its position; 0 for other types.
static inline int dv_dof_columns(const dvDof *dof)
{
  return dof->kind == DV_AFFINE3 ? 3 : dof->kind == DV_QUADRATIC3 ? 9 : 0;
}
// Reads a template name in any of SOFA's spellings (Vec3, Vec3d, Vec3f, ExtVec3f, CudaVec3f, Rigid, Rigid3d,
// and the first of a list such as "Vec3d,Vec3d"). NULL when it names no DOF type. `note` is set to a remark for
// types that are run as another one, else to NULL.
const dvDof *dv_dof_parse(const char *name, const char **note);

DV_PUBLIC_END

#endif
