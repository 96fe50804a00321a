// What the forces of linear elasticity have in common: a state, a topology, and moduli for all elements or each.
#ifndef DV_FORCE_FEM_ELASTIC_H
#define DV_FORCE_FEM_ELASTIC_H

#include "force/mesh.h"

#define DV_ELASTIC_FIELDS(X)                                                                                          \
  X(reals, poissonRatio, "0.45", "",                                                                                  \
    "Poisson's ratio, one for all or one each element; the first where one is missing", .least = "-1", .most = "0.5") \
  X(reals, youngModulus, "5000", "Pa",                                                                                \
    "Young's modulus, one for all or one each element; the first where one is missing", .least = "0")                 \
  X(link, topology, "", "", "topology with the elements; the one of the node or above by default",                    \
    .role = DV_ROLE_TOPOLOGY)

// First member of a component.
typedef struct dvElastic {
  dvForce force;
  DV_ELASTIC_FIELDS(DV_MEMBER)
} dvElastic;
extern const dvFieldBlock dv_elastic_block;

// Finds the state and the topology. Call it first in init; reports what is missing.
dvStatus dv_elastic_init(dvObject *o);
static inline dvTopology *dv_elastic_topology(const dvElastic *e) { return dv_topology(e->topology.target); }
// Young's moduli at least 0, Poisson's ratios between -1 and `most` (not included); warns when there are some, but not
// enough for `count` elements.
dvStatus dv_elastic_check(dvElastic *e, size_t count, double most);

// The moduli move with the elements of a kind from here on; `parts` of them are made of each. Returns what follows, for
// more columns.
dvElementData *dv_elastic_follow(dvElastic *e, dvElementKind kind, size_t parts);

// Whether the moduli of an element are its own after changes too: one for all, or one for each of `count`. Where some
// are missing they belong to numbers.
static inline bool dv_elastic_follows(const dvElastic *e, size_t count)
{
  size_t young = e->youngModulus.count, poisson = e->poissonRatio.count;
  return (young == 1 || young == count) && (poisson == 1 || poisson == count);
}

static inline double dv_elastic_pick(const dvReals *list, size_t i)
{
  return i < list->count ? list->data[i] : list->data[0];
}
static inline double dv_elastic_young(const dvElastic *e, size_t i) { return dv_elastic_pick(&e->youngModulus, i); }
static inline double dv_elastic_poisson(const dvElastic *e, size_t i) { return dv_elastic_pick(&e->poissonRatio, i); }

// Fields of components that SOFA runs on several threads: Divan's threads are the program's.
#define DV_PARALLEL_FIELDS(X)                                                                                 \
  X(int, nbThreads, "0", "", "not used: all components share the threads of the program", .flags = DV_HIDDEN) \
  X(string, taskSchedulerType, "_default", "", "not used: all components share the threads of the program",   \
    .flags = DV_HIDDEN)

#endif
