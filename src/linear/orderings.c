// Orders of elimination as components: a direct solver uses the one it is linked to or finds in its node.
#include "linear/orderings.h"

#define ORDERING_CLASS(variable, name_, help_)                       \
  const dvClass variable = {                                         \
      .struct_size = sizeof(dvClass),                                \
      .name = name_,                                                 \
      .help = help_,                                                 \
      .module = "Sofa.Component.LinearSolver.Ordering",              \
      .size = sizeof(dvObject),                                      \
      .blocks = {&dv_object_block},                                  \
  }

ORDERING_CLASS(dv_natural_ordering_class, "NaturalOrderingMethod", "direct solvers eliminate the unknowns in the order they have");
ORDERING_CLASS(dv_amd_ordering_class, "AMDOrderingMethod", "direct solvers eliminate unknowns with few neighbours first");
ORDERING_CLASS(dv_colamd_ordering_class, "COLAMDOrderingMethod", "direct solvers eliminate unknowns with few neighbours first; for symmetric patterns the same as AMD");

static bool is_ordering(const dvObject *o)
{
  return o->cls == &dv_natural_ordering_class || o->cls == &dv_amd_ordering_class || o->cls == &dv_colamd_ordering_class;
}

dvOrder dv_ordering_of(const dvObject *solver, const dvObject *given)
{
  const dvObject *found = given && is_ordering(given) ? given : NULL;
  for (const dvNode *node = solver->node; node && !found; node = node->parents.count ? node->parents.data[0] : NULL)
    for (size_t i = 0; i < node->objects.count && !found; i++)
      if (is_ordering(node->objects.data[i])) found = node->objects.data[i];
  if (!found) return DV_ORDER_BEST;
  return found->cls == &dv_natural_ordering_class ? DV_ORDER_NATURAL : DV_ORDER_AMD;
}
