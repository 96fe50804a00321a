// Names of the roles, for help texts, and the slots that each of them needs.
#include "object/object.h"

#include <string.h>

const char *dv_role_name(dvRole role)
{
  static const char *const names[DV_ROLE_COUNT] = {
      [DV_ROLE_ANY] = "component",
      [DV_ROLE_NODE] = "node",
      [DV_ROLE_STATE] = "state",
      [DV_ROLE_TOPOLOGY] = "topology",
      [DV_ROLE_LOADER] = "loader",
      [DV_ROLE_ENGINE] = "engine",
      [DV_ROLE_MASS] = "mass",
      [DV_ROLE_FORCE] = "force",
      [DV_ROLE_MAPPING] = "mapping",
      [DV_ROLE_PROJECTIVE] = "projective constraint",
      [DV_ROLE_ODE] = "time integrator",
      [DV_ROLE_LINEAR_SOLVER] = "linear solver",
      [DV_ROLE_LINEAR_SYSTEM] = "linear system",
      [DV_ROLE_LOOP] = "animation loop",
      [DV_ROLE_CONSTRAINT] = "constraint",
      [DV_ROLE_CONSTRAINT_SOLVER] = "constraint solver",
      [DV_ROLE_CORRECTION] = "constraint correction",
      [DV_ROLE_COLLISION_MODEL] = "collision model",
      [DV_ROLE_COLLISION] = "collision pipeline",
      [DV_ROLE_BROAD_PHASE] = "broad phase",
      [DV_ROLE_NARROW_PHASE] = "narrow phase",
      [DV_ROLE_INTERSECTION] = "intersection method",
      [DV_ROLE_CONTACT_MANAGER] = "contact manager",
      [DV_ROLE_RESPONSE] = "contact response",
      [DV_ROLE_GROUP_MANAGER] = "group manager",
      [DV_ROLE_TOPOLOGY_TOOL] = "topology tool",
      [DV_ROLE_TOPOLOGY_MAPPING] = "topological mapping",
      [DV_ROLE_VISUAL] = "visual model",
      [DV_ROLE_CONTROLLER] = "controller",
      [DV_ROLE_EXPORTER] = "exporter",
      [DV_ROLE_SETTING] = "setting",
      [DV_ROLE_CONTEXT] = "context",
  };
  return names[role];
}

typedef void (*AnySlot)(void);   // all pointers to functions have one size

typedef struct Needed {
  dvRole role;
  size_t offset;
  const char *slot;
} Needed;

#define NEEDS(role, table, slot)       \
  {                                    \
    role, offsetof(table, slot), #slot \
  }
static const Needed needed[] = {
    NEEDS(DV_ROLE_FORCE, dvForceOps, add_force),
    NEEDS(DV_ROLE_FORCE, dvForceOps, states),
    NEEDS(DV_ROLE_MASS, dvMassOps, add_mdx),
    NEEDS(DV_ROLE_MASS, dvMassOps, add_gravity),
    NEEDS(DV_ROLE_MAPPING, dvMappingOps, apply),
    NEEDS(DV_ROLE_MAPPING, dvMappingOps, input),
    NEEDS(DV_ROLE_MAPPING, dvMappingOps, output),
    NEEDS(DV_ROLE_PROJECTIVE, dvProjectiveOps, project_response),
    NEEDS(DV_ROLE_PROJECTIVE, dvProjectiveOps, project_velocity),
    NEEDS(DV_ROLE_PROJECTIVE, dvProjectiveOps, project_position),
    NEEDS(DV_ROLE_ODE, dvOdeOps, solve),
    NEEDS(DV_ROLE_LINEAR_SOLVER, dvLinearSolverOps, solve),
    NEEDS(DV_ROLE_LINEAR_SYSTEM, dvLinearSystemOps, build),
    NEEDS(DV_ROLE_LINEAR_SYSTEM, dvLinearSystemOps, product),
    NEEDS(DV_ROLE_LOOP, dvLoopOps, step),
    NEEDS(DV_ROLE_CONSTRAINT, dvConstraintOps, laws),
    NEEDS(DV_ROLE_CONSTRAINT, dvConstraintOps, rows),
    NEEDS(DV_ROLE_CONSTRAINT, dvConstraintOps, violation),
    NEEDS(DV_ROLE_CORRECTION, dvCorrectionOps, add_compliance),
    NEEDS(DV_ROLE_CORRECTION, dvCorrectionOps, apply),
    NEEDS(DV_ROLE_CORRECTION, dvCorrectionOps, covers),
    NEEDS(DV_ROLE_CONSTRAINT_SOLVER, dvConstraintSolverOps, solve),
    NEEDS(DV_ROLE_CONTEXT, dvContextOps, apply),
    NEEDS(DV_ROLE_VISUAL, dvVisualOps, sketch),
};

const char *dv_class_lacks(const dvClass *cls)
{
  for (size_t i = 0; i < DV_COUNT(needed); i++) {
    const char *table = cls->ops[needed[i].role];
    AnySlot slot;
    if (!table) continue;
    memcpy(&slot, table + needed[i].offset, sizeof slot);
    if (!slot) return needed[i].slot;
  }
  return NULL;
}
