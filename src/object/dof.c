// See dof.h.
#include "object/dof.h"

#include "base/text.h"

#include <string.h>

static const dvDof dofs[DV_DOF_COUNT] = {
    [DV_VEC1] = {DV_VEC1, "Vec1d", 1, 1, 1},
    [DV_VEC2] = {DV_VEC2, "Vec2d", 2, 2, 2},
    [DV_VEC3] = {DV_VEC3, "Vec3d", 3, 3, 3},
    [DV_VEC6] = {DV_VEC6, "Vec6d", 6, 6, 3},
    [DV_RIGID2] = {DV_RIGID2, "Rigid2d", 3, 3, 2},
    [DV_RIGID3] = {DV_RIGID3, "Rigid3d", 7, 6, 3},
    [DV_AFFINE3] = {DV_AFFINE3, "Affine3d", 12, 12, 3},
    [DV_QUADRATIC3] = {DV_QUADRATIC3, "Quadratic3d", 30, 30, 3},
};

const dvDof *dv_dof(dvDofKind kind) { return &dofs[kind]; }

const dvDof *dv_dof_parse(const char *name, const char **note)
{
  static const struct {
    const char *stem;
    dvDofKind kind;
  } stems[] = {{"Vec1", DV_VEC1},           {"Vec2", DV_VEC2},
               {"Vec3", DV_VEC3},           {"Vec6", DV_VEC6},
               {"Rigid2", DV_RIGID2},       {"Rigid3", DV_RIGID3},
               {"Rigid", DV_RIGID3},        {"Affine3", DV_AFFINE3},
               {"Affine", DV_AFFINE3},      {"Quadratic3", DV_QUADRATIC3},
               {"Quadratic", DV_QUADRATIC3}};
  *note = NULL;
  while (dv_is_space(*name)) name++;
  if (dv_starts_with(name, "Cuda")) {
    *note = "there is no GPU version: it runs on the processor";
    name += 4;
  }
  if (dv_starts_with(name, "Ext")) name += 3;
  for (size_t i = 0; i < DV_COUNT(stems); i++) {
    if (!dv_starts_with(name, stems[i].stem)) continue;
    const char *rest = name + strlen(stems[i].stem);
    if (*rest == 'd' || *rest == 'f') rest++;
    if (*rest == 0 || *rest == ',' || dv_is_space(*rest)) return &dofs[stems[i].kind];
  }
  return NULL;
}
