/* For those who write components outside of Divan. A plugin is a shared library with one function, divan_plugin_init,
 * which DV_PLUGIN defines:
 *
 *   #include <divan/sdk/plugin.h>
 *   extern const dvClass wind_class, ripple_class;
 *   DV_PLUGIN("Weather", "1.0", "wind and waves", &wind_class, &ripple_class)
 *
 * `divan new-plugin NAME` writes one that compiles; plugins/example is the same. A plugin is not linked with the
 * library: what it uses is found in the program that loads it. A component is made as inside Divan (CONTRIBUTING.md): a
 * list of fields, a table of operations for its role (object/roles.h), a dvClass constant (object/object.h). */
#ifndef DIVAN_SDK_PLUGIN_H
#define DIVAN_SDK_PLUGIN_H

#include "base/array.h"
#include "base/pool.h"
#include "base/text.h"
#include "collision/model.h"
#include "engine/engine.h"
#include "force/mesh.h"
#include "linear/solver.h"
#include "math/decompose.h"
#include "math/vec.h"
#include "mechanics/component.h"
#include "mechanics/pairs.h"
#include "object/context.h"
#include "object/object.h"
#include "ode/integrator.h"
#include "scene/node.h"
#include "scene/plan.h"
#include "state/state.h"
#include "topology/change/cut.h"
#include "topology/change/follow.h"
#include "topology/change/incise.h"
#include "topology/change/modify.h"
#include "topology/topology.h"

/* Moves when plugins must be compiled again: a table of operations or the meaning of a call has changed. */
#define DV_SDK_ABI 3

/* Catches what the number above does not tell: structs and tables of another size. */
#define DV_SDK_SIZES                                                                                                  \
  sizeof(dvClass), sizeof(dvObject), sizeof(dvNode), sizeof(dvState), sizeof(dvTopology), sizeof(dvMech),             \
      sizeof(dvFieldDesc), DV_ROLE_COUNT, sizeof(dvForceOps), sizeof(dvMassOps), sizeof(dvMappingOps),                \
      sizeof(dvProjectiveOps), sizeof(dvOdeOps), sizeof(dvLinearSolverOps), sizeof(dvLinearSystemOps),                \
      sizeof(dvVisualOps), sizeof(dvMatrixSink), sizeof(dvForce), sizeof(dvPairForce), sizeof(dvMass),                \
      sizeof(dvMapping), sizeof(dvProjective), sizeof(dvLinearSolver), sizeof(dvLinearSystem), sizeof(dvElementData), \
      sizeof(dvElementList), sizeof(dvCollisionModel)
static inline uint64_t dv_sdk_layout(void)
{
  const uint64_t sizes[] = {DV_SDK_SIZES};
  uint64_t sum = 0;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) sum = sum * 1009 + sizes[i];
  return sum;
}
#define DV_SDK_LAYOUT dv_sdk_layout()

/* What divan_plugin_init returns. The first member stays where it is for ever. */
typedef struct dvPlugin {
  uint32_t abi;
  uint64_t layout;
  const char *name, *version, *help;
  const dvClass *const *classes; /* ends with NULL */
} dvPlugin;

typedef const dvPlugin *(*dvPluginInit)(void);
#define DV_PLUGIN_SYMBOL "divan_plugin_init"

#define DV_PLUGIN(name_, version_, help_, ...)                                       \
  __attribute__((visibility("default"))) const dvPlugin *divan_plugin_init(void);    \
  const dvPlugin *divan_plugin_init(void)                                            \
  {                                                                                  \
    static const dvClass *const classes[] = {__VA_ARGS__, NULL};                     \
    static dvPlugin plugin;                                                          \
    plugin = (dvPlugin){DV_SDK_ABI, DV_SDK_LAYOUT, name_, version_, help_, classes}; \
    return &plugin;                                                                  \
  }

#endif
