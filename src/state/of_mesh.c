// See of_mesh.h.
#include "state/of_mesh.h"

dvStatus dv_state_of_mesh(dvObject *o, const dvLink *link, dvTopology **mesh, dvState **state)
{
  dvObject *found = link->target ? link->target : dv_node_find_up(o->node, DV_ROLE_TOPOLOGY);
  if (!found)
    return dv_error(o, "add a topology to the node, or give topology=\"@path\"", "%s finds no topology", o->cls->name);
  *mesh = dv_topology(found);
  dvObject *points = dv_node_find_up(found->node, DV_ROLE_STATE);
  *state = points ? dv_state(points) : NULL;
  if (*state && points->dof->coord == 3 && (*state)->topology == *mesh) return DV_OK;
  return dv_error(o, "add a MechanicalObject of Vec3 to the node of the topology", "%s has no points that move",
                  found->name);
}
