// The plan: what visitors would find in a subgraph, as flat ordered lists.
//
// Walking the graph for each vector operation of each iteration is slow, so a solver's subgraph is compiled once
// and again when the graph changes. Mechanical operations are loops over these lists (mechanics/mechanics.h). Behind
// the fixed part of a list stands what is live (scene/live.h): contacts and other components that come and go between
// steps without changing the graph.
#ifndef DV_SCENE_PLAN_H
#define DV_SCENE_PLAN_H

#include "base/address_map.h"
#include "scene/node.h"

DV_PUBLIC_BEGIN

// A component and the node whose gravity it feels.
typedef struct dvPlanItem {
  dvObject *object;
  dvNode *node;
  const double *rayleigh_mass;   // masses: their own damping factor, or NULL
  bool inert;                    // masses: a mapping above hands no masses up; they have weight but no inertia
} dvPlanItem;

typedef struct dvPlanMapping {
  dvObject *object;
  bool carries;          // a force or mass acts on its output or below: products must pass through it
  bool carries_always;   // also without what is live
  bool bends;            // a constraint acts on its output, and the force of that counts in its geometric stiffness
  bool hands_forces;     // up to its inputs
} dvPlanMapping;

// How many entries of a plan's lists are fixed; live ones follow them.
typedef struct dvPlanFixed {
  size_t states, mapped, mappings, forces, constraints, outside;
} dvPlanFixed;

struct dvPlan {
  dvNode *root;
  unsigned version, live_version;
  dvPlanFixed fixed;
  dvStrings tags;                     // only components that have all of them
  DV_ARRAY(dvObject *) states;        // every mechanical state, top-down
  DV_ARRAY(dvObject *) independent;   // those that no mapping of their node drives
  DV_ARRAY(dvObject *) mapped;
  DV_ARRAY(dvPlanMapping) mappings;       // mechanical ones, inputs before outputs
  DV_ARRAY(dvObject *) visual_mappings;   // the others, in order
  DV_ARRAY(dvPlanItem) forces;            // without masses
  DV_ARRAY(dvPlanItem) masses;
  DV_ARRAY(dvObject *) projections;   // bottom-up
  DV_ARRAY(dvObject *) visuals;
  DV_ARRAY(dvObject *) pipelines;     // of collision
  DV_ARRAY(dvObject *) constraints;   // Lagrangian ones
  DV_ARRAY(dvObject *) corrections;
  DV_ARRAY(dvObject *) outside;   // states that forces of the plan use, but that do not belong to it
  dvAddressMap nodes;             // of the subgraph: their numbers, top-down
  dvAddressMap inside;            // states of the plan
  dvAddressMap marks;             // scratch
};

// A mapping between mechanical states (visual models are fed by mappings too, but carry no forces back).
bool dv_mapping_is_mechanical(const dvObject *o);
// The states that drive a mapping and those that it drives, one by one; NULL behind the last.
dvObject *dv_mapping_input(const dvObject *o, size_t index);
dvObject *dv_mapping_output(const dvObject *o, size_t index);
bool dv_mapping_hands_up(const dvObject *o, dvUpward what);
// Reports mappings that drive each other in a circle: DV_ERROR_INPUT then.
dvStatus dv_scene_check_mappings(dvScene *scene);
int dv_force_states(const dvObject *o, dvObject *out[DV_FORCE_STATES]);

// The state is one of the plan's, fixed or live.
static inline bool dv_plan_has(const dvPlan *plan, const dvObject *state)
{
  return dv_address_map_find(&plan->inside, state, 0) >= 0;
}

// The plan of a node's subgraph, compiled again when the graph has changed since; its live part is brought up to date.
// Pass the address of the owner's pointer (NULL at first).
dvPlan *dv_plan_get(dvPlan **plan, dvNode *root);
// The same with only those components that have all of the tags (dv_object_has_tags).
dvPlan *dv_plan_get_tagged(dvPlan **plan, dvNode *root, const dvStrings *tags);
void dv_plan_destroy(dvPlan **plan);

DV_PUBLIC_END

#endif
