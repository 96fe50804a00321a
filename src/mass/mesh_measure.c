// The mesh of a mass. See mesh_measure.h.
#include "mass/mesh_measure.h"

#include "topology/geometry.h"

double dv_mass_mesh_measure(const dvMassMesh *m, const double *x, size_t element)
{
  static const int32_t own[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  double points[24];
  const dvDof *dof = m->geometry->base.dof;
  size_t corners = (size_t)m->elements->width;
  for (size_t i = 0; i < corners; i++) {
    int32_t index = m->elements->data[element * corners + i];
    if (index < 0 || (size_t)index >= m->geometry->count) return 0;
    dv_dof_point(dof, x + (size_t)index * (size_t)dof->coord, points + 3 * i);
  }
  return dv_element_measure(m->kind, points, own);
}

bool dv_mass_mesh_find(dvObject *o, dvLink *topology, dvLink *geometry, dvMassMesh *mesh)
{
  static const dvElementKind order[] = {DV_HEXAHEDRON, DV_TETRAHEDRON, DV_QUAD, DV_TRIANGLE, DV_EDGE};
  if (!topology->target) topology->target = dv_node_find_up(o->node, DV_ROLE_TOPOLOGY);
  if (!topology->target) {
    dv_warning(o, "add a topology to the node, or name one in the field topology", "%s finds no mesh to compute masses from", o->cls->name);
    return false;
  }
  if (!geometry->target) geometry->target = dv_node_state_up(topology->target->node);
  if (!geometry->target) {
    dv_warning(o, "name a state in the field geometryState", "the mesh %s has no positions: there is no state in its node", topology->target->name);
    return false;
  }
  if (dv_object_ensure(topology->target) != DV_OK || dv_object_ensure(geometry->target) != DV_OK) return false;
  *mesh = (dvMassMesh){.topology = dv_topology(topology->target), .geometry = dv_state(geometry->target)};
  for (size_t i = 0; i < DV_COUNT(order); i++) {
    if (dv_topology_count(mesh->topology, order[i]) == 0) continue;
    mesh->kind = order[i];
    mesh->elements = dv_topology_elements(mesh->topology, order[i]);
    return true;
  }
  dv_warning(o, "give it elements, or use UniformMass", "the mesh %s has no elements to compute masses from", topology->target->name);
  return false;
}
