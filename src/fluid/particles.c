// States whose points come and go. See particles.h.
#include "fluid/particles.h"

static dvObject *state_of(const dvObject *o)
{
  const dvProjective *p = (const dvProjective *)o;
  return p->mstate.target ? p->mstate.target : p->mstate.path ? NULL : dv_node_state_up(o->node);
}

dvStatus dv_particles_link(dvObject *o)
{
  dvObject *state = state_of(o);
  if (state) dv_state(state)->grows = true;
  return DV_OK;
}

dvStatus dv_particles_init(dvObject *o, dvTopology **out)
{
  DV_TRY(dv_projective_init(o));
  dvTopology *t = ((dvProjective *)o)->state->topology;
  if (!t || dv_topology_largest(t) != DV_POINT)
    return dv_error(o, "take a PointSetTopologyContainer, or none",
                    "the points of %s belong to elements: %s cannot add or remove them",
                    ((dvProjective *)o)->state->base.name, o->cls->name);
  *out = t;
  return DV_OK;
}
