// Kinds of degrees of freedom. A coordinate is what is stored (7 numbers for a frame: position and
// quaternion x y z w), a derivative is what velocities and forces are made of (6 numbers: linear, angular).
#ifndef DV_OBJECT_DOF_H
#define DV_OBJECT_DOF_H

#include "base/base.h"

DV_PUBLIC_BEGIN

typedef enum dvDofKind { DV_VEC1, DV_VEC2, DV_VEC3, DV_VEC6, DV_RIGID2, DV_RIGID3, DV_DOF_COUNT } dvDofKind;

enum {
  DV_DOF_VEC1 = 1 << DV_VEC1,
  DV_DOF_VEC2 = 1 << DV_VEC2,
  DV_DOF_VEC3 = 1 << DV_VEC3,
  DV_DOF_VEC6 = 1 << DV_VEC6,
  DV_DOF_RIGID2 = 1 << DV_RIGID2,
  DV_DOF_RIGID3 = 1 << DV_RIGID3,
  DV_DOF_VECS = DV_DOF_VEC1 | DV_DOF_VEC2 | DV_DOF_VEC3 | DV_DOF_VEC6,
  DV_DOF_ALL = (1 << DV_DOF_COUNT) - 1,
  DV_MAX_COORD = 8,   // room for one coordinate of any kind
};

typedef struct dvDof {
  dvDofKind kind;
  const char *name;   // "Vec3d": what scenes and dumps write
  int coord, deriv;   // numbers per degree of freedom
  int space;          // dimensions of the point it moves: 1, 2 or 3
} dvDof;

const dvDof *dv_dof(dvDofKind kind);
// Reads a template name in any of SOFA's spellings (Vec3, Vec3d, Vec3f, ExtVec3f, CudaVec3f, Rigid, Rigid3d,
// and the first of a list such as "Vec3d,Vec3d"). NULL when it names no DOF type. `note` is set to a remark for
// types that are run as another one, else to NULL.
const dvDof *dv_dof_parse(const char *name, const char **note);

DV_PUBLIC_END

#endif
