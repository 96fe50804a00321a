// Names of the roles, for help texts.
#include "object/roles.h"

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
      [DV_ROLE_COLLISION] = "collision detection and response",
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
