// The mesh of a mass. See mesh_measure.h.
#include "mass/mesh_measure.h"

#include "topology/change/fill.h"
#include "topology/geometry.h"

bool dv_mass_mesh_corners(const dvMassMesh *m, const double *x, size_t element, double *points)
{
  const dvDof *dof = m->geometry->base.dof;
  size_t corners = (size_t)m->elements->width;
  for (size_t i = 0; i < corners; i++) {
    int32_t index = m->elements->data[element * corners + i];
    if (index < 0 || (size_t)index >= m->geometry->count) return false;
    dv_dof_point(dof, x + (size_t)index * (size_t)dof->coord, points + 3 * i);
  }
  return true;
}

double dv_mass_mesh_measure(const dvMassMesh *m, const double *x, size_t element)
{
  static const int32_t own[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  double points[24];
  double share = dv_topology_filled(m->topology, m->kind, element);
  return dv_mass_mesh_corners(m, x, element, points) ? share * dv_element_measure(m->kind, points, own) : 0;
}

bool dv_mass_mesh_find(dvObject *o, dvLink *topology, dvLink *geometry, dvMassMesh *mesh)
{
  static const dvElementKind order[] = {DV_HEXAHEDRON, DV_TETRAHEDRON, DV_PRISM, DV_PYRAMID,
                                        DV_QUAD,       DV_TRIANGLE,    DV_EDGE};
  if (!topology->target) topology->target = dv_node_find_up(o->node, DV_ROLE_TOPOLOGY);
  if (!topology->target) {
    dv_warning(o, "add a topology to the node, or name one in the field topology",
               "%s finds no mesh to compute masses from", o->cls->name);
    return false;
  }
  if (!geometry->target) geometry->target = dv_node_state_up(topology->target->node);
  if (!geometry->target) {
    dv_warning(o, "name a state in the field geometryState",
               "the mesh %s has no positions: there is no state in its node", topology->target->name);
    return false;
  }
  if (dv_object_ensure(topology->target) != DV_OK || dv_object_ensure(geometry->target) != DV_OK) return false;
  dv_mass_mesh_free(mesh);
  *mesh = (dvMassMesh){.topology = dv_topology(topology->target), .geometry = dv_state(geometry->target)};
  for (size_t i = 0; i < DV_COUNT(order); i++) {
    if (dv_topology_count(mesh->topology, order[i]) == 0) continue;
    mesh->kind = order[i];
    mesh->elements = dv_topology_elements(mesh->topology, order[i]);
    for (size_t j = i + 1; j < 4; j++)   // other volumes
      if (dv_topology_count(mesh->topology, order[j]) > 0)
        dv_warning(o, "add a FEMMass for each kind of element, or use UniformMass",
                   "only the %zu %s of %s carry mass; its %zu %s do not", dv_topology_count(mesh->topology, order[i]),
                   dv_element_name(order[i]), topology->target->name, dv_topology_count(mesh->topology, order[j]),
                   dv_element_name(order[j]));
    return true;
  }
  dv_warning(o, "give it elements, or use UniformMass", "the mesh %s has no elements to compute masses from",
             topology->target->name);
  return false;
}

void dv_mass_mesh_free(dvMassMesh *mesh) { dv_reals_free(&mesh->first); }

dvElementData *dv_mass_mesh_follow(dvMassMesh *mesh, dvObject *o, bool at_rest)
{
  const dvDof *dof = mesh->geometry->base.dof;
  mesh->at_rest = at_rest;
  mesh->first.width = dof->coord;
  if (!at_rest) {
    size_t count = dv_state_scalars(mesh->geometry, DV_X);
    if (!dv_reals_assign(&mesh->first, dv_state_read(mesh->geometry, DV_X), count))
      dv_error(o, NULL, "out of memory for %zu points", mesh->geometry->count);
    dv_element_data_add_places(dv_follow_elements(o, mesh->topology, DV_POINT), &mesh->first);
  }
  return dv_follow_elements(o, mesh->topology, mesh->kind);
}

const dvTrace *dv_mass_mesh_trace(const dvMassMesh *mesh, const dvObject *o, size_t points)
{
  const dvTrace *trace = dv_follow_trace(o, mesh->topology);
  bool fits = dv_topology_point_count(mesh->topology) == points && mesh->geometry->count == points;
  return trace && fits && mesh->kind != DV_POINT ? trace : NULL;
}

void dv_mass_mesh_around(const dvMassMesh *mesh, int32_t point, dvNumbers *out)
{
  dv_trace_around(mesh->topology, mesh->kind, &(dvNumbers){.data = &point, .count = 1}, out);
}

const double *dv_mass_mesh_settle(dvMassMesh *mesh)
{
  mesh->elements = dv_topology_elements(mesh->topology, mesh->kind);
  // of a mesh that was made again nothing is known
  bool known = !mesh->at_rest && mesh->first.count == dv_state_scalars(mesh->geometry, DV_X);
  return known ? mesh->first.data : dv_state_read(mesh->geometry, mesh->at_rest ? DV_X_REST : DV_X);
}
