// Sizes of elements as masses need them. See mesh_measure.h.
//
// A quad is two triangles, a hexahedron six tetrahedra; all count as positive, whichever way they are turned, as in
// SOFA.
#include "mass/mesh_measure.h"

#include "math/vec.h"

static dvVec3 point(const dvMassMesh *m, const double *x, int32_t index)
{
  double p[3];
  const dvDof *dof = m->geometry->base.dof;
  dv_dof_point(dof, x + (size_t)index * (size_t)dof->coord, p);
  return dv_vec3_load(p);
}

static double triangle_area(dvVec3 a, dvVec3 b, dvVec3 c)
{
  return 0.5 * dv_vec3_norm(dv_vec3_cross(dv_vec3_sub(b, a), dv_vec3_sub(c, a)));
}

static double tetrahedron_volume(dvVec3 a, dvVec3 b, dvVec3 c, dvVec3 d)
{
  return fabs(dv_vec3_dot(dv_vec3_cross(dv_vec3_sub(b, a), dv_vec3_sub(c, a)), dv_vec3_sub(d, a))) / 6;
}

static double hexahedron_volume(const dvVec3 p[8])
{
  static const int parts[6][4] = {{0, 5, 1, 6}, {0, 1, 3, 6}, {1, 3, 6, 2}, {6, 3, 0, 7}, {6, 7, 0, 5}, {7, 5, 4, 0}};
  double sum = 0;
  for (int i = 0; i < 6; i++) sum += tetrahedron_volume(p[parts[i][0]], p[parts[i][1]], p[parts[i][2]], p[parts[i][3]]);
  return sum;
}

double dv_mass_mesh_measure(const dvMassMesh *m, const double *x, size_t element)
{
  dvVec3 p[8];
  size_t corners = (size_t)m->elements->width;
  for (size_t i = 0; i < corners; i++) {
    int32_t index = m->elements->data[element * corners + i];
    if (index < 0 || (size_t)index >= m->geometry->count) return 0;
    p[i] = point(m, x, index);
  }
  switch (m->kind) {
  case DV_EDGE: return dv_vec3_norm(dv_vec3_sub(p[1], p[0]));
  case DV_TRIANGLE: return triangle_area(p[0], p[1], p[2]);
  case DV_QUAD: return triangle_area(p[0], p[1], p[2]) + triangle_area(p[0], p[2], p[3]);
  case DV_TETRAHEDRON: return tetrahedron_volume(p[0], p[1], p[2], p[3]);
  case DV_HEXAHEDRON: return hexahedron_volume(p);
  default: return 0;
  }
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
