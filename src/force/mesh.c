// See mesh.h.
#include "force/mesh.h"

dvTopology *dv_force_topology(dvObject *o, dvLink *link)
{
  if (!link->target) link->target = dv_node_find_up(o->node, DV_ROLE_TOPOLOGY);
  if (link->target) {
    dv_follow(o, dv_topology(link->target));
    return dv_topology(link->target);
  }
  dv_error(o, "add a topology to the node, such as a MeshTopology with src=\"@loader\"",
           "%s works on the elements of a topology, and there is none", o->cls->name);
  return NULL;
}

const dvInts *dv_force_elements(const dvObject *o, dvTopology *t, dvElementKind kind, const dvState *s)
{
  const dvInts *elements = dv_topology_elements(t, kind);
  size_t points = (size_t)dv_element_points(kind);
  for (size_t i = 0; i < elements->count; i++) {
    int32_t p = elements->data[i];
    if (p >= 0 && (size_t)p < s->count) continue;
    dv_error(o, "give the state as many points as the topology has",
             "number %zu of the %s of %s names point %d, but %s has %zu", i / points, dv_element_name(kind),
             t->base.name, p, s->base.name, s->count);
    return NULL;
  }
  return elements;
}

void dv_force_remake(dvObject *o) { o->cls->reinit(o); }

void dv_force_patch_or_remake(dvObject *o, const dvTopology *t, bool (*patch)(dvObject *o))
{
  if (t && dv_follow_trace(o, t) && patch(o)) dv_follow_patched(o);
  else dv_force_remake(o);
}
