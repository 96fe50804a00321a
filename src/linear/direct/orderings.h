// Components that choose the order of elimination.
#ifndef DV_LINEAR_DIRECT_ORDERINGS_H
#define DV_LINEAR_DIRECT_ORDERINGS_H

#include "linear/direct/ordering.h"
#include "scene/node.h"

extern const dvClass dv_natural_ordering_class, dv_amd_ordering_class, dv_colamd_ordering_class,
    dv_metis_ordering_class;

// The order for a solver: that of the component it is linked to (may be NULL), else of the nearest one in its node or
// above, else the best one.
dvOrder dv_ordering_of(const dvObject *solver, const dvObject *given);

#endif
