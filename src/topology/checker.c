// TopologyChecker: looks for flaws of a mesh when the scene starts and, with eachStep, after each step in which it has
// changed. What it looks for stands in inspect.h.
#include "topology/inspect.h"

#define CHECKER_FIELDS(X)                                                             \
  X(bool, eachStep, "0", "", "check again after each step that has changed the mesh") \
  X(link, topology, "", "", "topology to check; the one of the node or above by default", .role = DV_ROLE_TOPOLOGY)

typedef struct Checker {
  dvObject base;
  CHECKER_FIELDS(DV_MEMBER)
  dvTopology *container;
  unsigned revision;   // that was checked last
} Checker;

#define SELF Checker
static const dvFieldDesc checker_fields[] = {CHECKER_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus look(Checker *c)
{
  dvTopology *t = c->container;
  dvObject *o = &c->base;
  dvInspection i;
  DV_TRY(dv_topology_settle(t));
  bool known = dv_reals_size(dv_topology_positions(t)) >= dv_topology_point_count(t);
  if (!dv_topology_inspect(t, known ? dv_topology_positions(t)->data : NULL, &i))
    return dv_error(o, "use a coarser mesh", "out of memory for checking the mesh");
  c->revision = t->revision;
  dv_inspection_report(&i, o, true);
  if (o->printLog && i.dimension)
    dv_note(o, "%zu elements of dimension %d, %zu parts on the border: %s", i.elements, i.dimension, i.border,
            dv_inspection_manifold(&i)    ? "manifold"
            : dv_inspection_conformal(&i) ? "conformal, not manifold"
                                          : "not conformal");
  return DV_OK;
}

static dvStatus checker_init(dvObject *o)
{
  Checker *c = (Checker *)o;
  dvObject *found = c->topology.target ? c->topology.target : dv_node_find_up(o->node, DV_ROLE_TOPOLOGY);
  if (!found) return dv_error(o, "add a topology to the node", "TopologyChecker finds no topology");
  c->container = dv_topology(found);
  DV_TRY(dv_object_ensure(found));
  return look(c);
}

static void checker_event(dvObject *o, const dvEvent *event)
{
  Checker *c = (Checker *)o;
  if (event->kind == DV_EVENT_ANIMATE_END && c->eachStep && c->container && c->container->revision != c->revision)
    look(c);
}

const dvClass dv_topology_checker_class = {
    .struct_size = sizeof(dvClass),
    .name = "TopologyChecker",
    .help = "tells what is wrong with a mesh: elements without size or inside out, and what is not conformal or not "
            "manifold",
    .module = "Sofa.Component.Topology.Utility",
    .roles = DV_PLAYS(DV_ROLE_TOPOLOGY_TOOL),
    .size = sizeof(Checker),
    .blocks = {&dv_object_block, DV_BLOCK(checker_fields)},
    .init = checker_init,
    .handle_event = checker_event,
};
