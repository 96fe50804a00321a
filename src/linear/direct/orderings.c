// Orders of elimination as components: a direct solver uses the one it is linked to or finds in its node.
#include "linear/direct/orderings.h"

#define ORDERING_CLASS(variable, name_, help_)          \
  const dvClass variable = {                            \
      .struct_size = sizeof(dvClass),                   \
      .name = name_,                                    \
      .help = help_,                                    \
      .module = "Sofa.Component.LinearSolver.Ordering", \
      .size = sizeof(dvObject),                         \
      .blocks = {&dv_object_block},                     \
  }

ORDERING_CLASS(dv_natural_ordering_class, "NaturalOrderingMethod",
               "direct solvers eliminate the unknowns in the order they have");
ORDERING_CLASS(dv_amd_ordering_class, "AMDOrderingMethod",
               "direct solvers eliminate unknowns with few neighbours first");
ORDERING_CLASS(dv_metis_ordering_class, "MetisOrderingMethod", "direct solvers eliminate by nested dissection (METIS)");
ORDERING_CLASS(dv_colamd_ordering_class, "COLAMDOrderingMethod",
               "direct solvers eliminate unknowns with few neighbours first; for symmetric patterns the same as AMD");

static const struct {
  const dvClass *cls;
  dvOrder order;
} orderings[] = {
    {&dv_natural_ordering_class, DV_ORDER_NATURAL},
    {&dv_amd_ordering_class, DV_ORDER_AMD},
    {&dv_colamd_ordering_class, DV_ORDER_AMD},
    {&dv_metis_ordering_class, DV_ORDER_METIS},
};

static bool is_ordering(const dvObject *o, dvOrder *order)
{
  for (size_t i = 0; o && i < DV_COUNT(orderings); i++)
    if (o->cls == orderings[i].cls) {
      *order = orderings[i].order;
      return true;
    }
  return false;
}

dvOrder dv_ordering_of(const dvObject *solver, const dvObject *given)
{
  dvOrder order = DV_ORDER_BEST;
  if (is_ordering(given, &order)) return order;
  for (const dvNode *node = solver->node; node; node = node->parents.count ? node->parents.data[0] : NULL)
    for (size_t i = 0; i < node->objects.count; i++)
      if (is_ordering(node->objects.data[i], &order)) return order;
  return order;
}
