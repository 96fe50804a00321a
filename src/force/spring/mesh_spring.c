// MeshSpringForceField: a spring along every edge of the chosen elements of a topology, and along the diagonals of
// quads and hexahedra. A pair of points gets one spring, from the first kind of element that has it: lines, triangles,
// quads, tetrahedra, cubes. Stiffness and damping are per length: ks = stiffness / rest length. The equations stand in
// spring.h.
#include "force/spring/spring_force.h"

#include <float.h>

#define MESH_SPRING_FIELDS(X)                                                                                          \
  X(real, linesStiffness, "0", "N", "stiffness of the edges, per strain", .alias = "stiffness", .least = "0")          \
  X(real, linesDamping, "0", "N s", "damping of the edges, per rate of strain", .alias = "damping")                    \
  X(real, trianglesStiffness, "0", "N", "stiffness of the edges of triangles", .alias = "stiffness", .least = "0")     \
  X(real, trianglesDamping, "0", "N s", "damping of the edges of triangles", .alias = "damping")                       \
  X(real, quadsStiffness, "0", "N", "stiffness of the edges and diagonals of quads", .alias = "stiffness",             \
    .least = "0")                                                                                                      \
  X(real, quadsDamping, "0", "N s", "damping of the edges and diagonals of quads", .alias = "damping")                 \
  X(real, tetrahedraStiffness, "0", "N", "stiffness of the edges of tetrahedra", .alias = "stiffness tetrasStiffness", \
    .least = "0")                                                                                                      \
  X(real, tetrahedraDamping, "0", "N s", "damping of the edges of tetrahedra", .alias = "damping tetrasDamping")       \
  X(real, cubesStiffness, "0", "N", "stiffness of all pairs of points of hexahedra", .alias = "stiffness",             \
    .least = "0")                                                                                                      \
  X(real, cubesDamping, "0", "N s", "damping of all pairs of points of hexahedra", .alias = "damping")                 \
  X(bool, noCompression, "0", "", "springs act only when longer than at rest")                                         \
  X(real, drawMinElongationRange, "8", "", "elongation from which colours change", .flags = DV_LOOKS)                  \
  X(real, drawMaxElongationRange, "15", "", "elongation at which colours are full", .flags = DV_LOOKS)                 \
  X(real, drawSpringSize, "8", "", "width of drawn springs", .flags = DV_LOOKS)                                        \
  X(ivec2, localRange, "-1 -1", "",                                                                                    \
    "springs have both ends from the first of these points and an end up to the last; -1: no limit")                   \
  X(link, topology, "", "", "topology with the elements; the one of the node or above by default",                     \
    .role = DV_ROLE_TOPOLOGY)

typedef struct MeshSpring {
  dvSpringForce force;
  MESH_SPRING_FIELDS(DV_MEMBER)
} MeshSpring;

#define SELF MeshSpring
static const dvFieldDesc mesh_spring_fields[] = {MESH_SPRING_FIELDS(DV_DESCRIBE)};
#undef SELF

extern const dvClass dv_mesh_spring_class;

typedef struct Maker {
  MeshSpring *mesh;
  dvPairMap pairs;
  double stiffness, damping;
} Maker;

static bool in_range(const MeshSpring *m, int32_t a, int32_t b)
{
  const int32_t *r = m->localRange;
  if (r[0] >= 0 && (a < r[0] || b < r[0])) return false;
  return !(r[1] >= 0 && a > r[1] && b > r[1]);
}

static void add_spring(Maker *k, int32_t a, int32_t b)
{
  dvSpringForce *f = &k->mesh->force;
  bool fresh;
  if (!in_range(k->mesh, a, b) || !dv_bonds_want(&f->bonds, a, b)) return;
  dv_pair_map_get(&k->pairs, a, b, &fresh);
  if (!fresh) return;
  dvState *s0 = f->pair.first;
  double l = dv_spring_distance(s0->base.dof, dv_state_read(s0, DV_X_REST), a, b), factor = l > DBL_EPSILON ? 1 / l : 1;
  dvSpring s = dv_spring(a, b, k->stiffness * factor, k->damping * factor, l);
  if (k->mesh->noCompression) dv_spring_only_stretch(&s);
  const int32_t ends[2] = {a, b};
  DV_BONDS_PUSH(&f->bonds, &f->springs.list, ends, s);
}

// all pairs of points of every element, or of those that a batch of changes concerns
static dvStatus add_elements(Maker *k, dvTopology *t, dvElementKind kind)
{
  dvBonds *bonds = &k->mesh->force.bonds;
  const dvInts *elements = bonds->patching
                               ? dv_topology_elements(t, kind)
                               : dv_force_elements(&k->mesh->force.pair.base, t, kind, k->mesh->force.pair.first);
  const dvNumbers *some = bonds->patching ? dv_bonds_elements(bonds, t, kind) : NULL;
  size_t points = (size_t)dv_element_points(kind);
  if (!elements) return DV_ERROR_INPUT;
  for (size_t i = 0; i < (some ? some->count : dv_ints_size(elements)); i++) {
    const int32_t *corner = elements->data + points * (some ? (size_t)some->data[i] : i);
    for (size_t a = 0; a < points; a++)
      for (size_t b = a + 1; b < points; b++) add_spring(k, corner[a], corner[b]);
  }
  return DV_OK;
}

static dvStatus add_kinds(Maker *k, dvTopology *t)
{
  MeshSpring *m = k->mesh;
  const struct {
    dvElementKind kind;
    double stiffness, damping;
  } kinds[] = {{DV_EDGE, m->linesStiffness, m->linesDamping},
               {DV_TRIANGLE, m->trianglesStiffness, m->trianglesDamping},
               {DV_QUAD, m->quadsStiffness, m->quadsDamping},
               {DV_TETRAHEDRON, m->tetrahedraStiffness, m->tetrahedraDamping},
               {DV_HEXAHEDRON, m->cubesStiffness, m->cubesDamping}};
  for (size_t i = 0; i < DV_COUNT(kinds); i++) {
    k->stiffness = kinds[i].stiffness;
    k->damping = kinds[i].damping;
    if (k->stiffness != 0 || k->damping != 0) DV_TRY(add_elements(k, t, kinds[i].kind));
  }
  return DV_OK;
}

static dvStatus make_springs(MeshSpring *m, dvTopology *t)
{
  Maker k = {.mesh = m};
  dvStatus status = add_kinds(&k, t);
  dv_pair_map_free(&k.pairs);
  return status;
}

static dvStatus mesh_spring_reinit(dvObject *o)
{
  MeshSpring *m = (MeshSpring *)o;
  dvSpringForce *f = &m->force;
  f->bonds.width = 2;
  dv_bonds_clear(&f->bonds, &f->springs.list);
  if (f->pair.first == f->pair.second) {
    dvTopology *t = dv_force_topology(o, &m->topology);
    if (!t) return DV_ERROR_INPUT;
    DV_TRY(make_springs(m, t));
    DV_TRY(dv_bonds_follow(&f->bonds, o, t, DV_COLUMN_OF(&f->springs.list)));
  }
  return dv_spring_force_end(o);
}

// a range goes by the numbers of points
static bool patch(dvObject *o)
{
  MeshSpring *m = (MeshSpring *)o;
  dvTopology *t = dv_topology(m->topology.target);
  if (m->localRange[0] >= 0 || m->localRange[1] >= 0 || !dv_bonds_begin(&m->force.bonds, t, DV_POINT, 0)) return false;
  bool good = make_springs(m, t) == DV_OK;
  dv_bonds_end(&m->force.bonds, t);
  return good && dv_spring_force_patch_bonds(&m->force, t);
}

static void mesh_spring_topology_changed(dvObject *o)
{
  const MeshSpring *m = (const MeshSpring *)o;
  dv_force_patch_or_remake(o, m->topology.target ? dv_topology(m->topology.target) : NULL, patch);
}

static dvStatus mesh_spring_init(dvObject *o)
{
  MeshSpring *m = (MeshSpring *)o;
  DV_TRY(dv_spring_force_begin(o));
  const void *unused[] = {&m->force.spring, &m->force.springsIndices1, &m->force.springsIndices2, &m->force.lengths};
  for (size_t i = 0; i < DV_COUNT(unused); i++)
    if (dv_was_set(o, unused[i]))
      dv_field_warning(o, unused[i], "use a SpringForceField for springs that are not of the mesh",
                       "%s is not used: the springs are made from the topology",
                       dv_field_name(dv_field_of(o, unused[i])->desc));
  DV_TRY(mesh_spring_reinit(o));
  if (m->force.pair.first != m->force.pair.second)
    dv_warning(o, "use a SpringForceField between two states",
               "the springs of a mesh lie within one state: none are made between %s and %s",
               m->force.pair.first->base.name, m->force.pair.second->base.name);
  else if (m->force.springs.list.count == 0)
    dv_warning(o, "give a stiffness for a kind of element that the topology has", "there are no springs");
  return DV_OK;
}

const dvClass dv_mesh_spring_class = {
    .struct_size = sizeof(dvClass),
    .name = "MeshSpringForceField",
    .aliases = "ParallelMeshSpringForceField",
    .help = "springs along the edges of a mesh",
    .module = "Sofa.Component.SolidMechanics.Spring",
    .dofs = DV_DOF_VEC1 | DV_DOF_VEC2 | DV_DOF_VEC3,
    .size = sizeof(MeshSpring),
    .blocks = {&dv_object_block, &dv_pair_force_block, &dv_spring_force_block, DV_BLOCK(mesh_spring_fields)},
    .ops = {[DV_ROLE_FORCE] = &dv_spring_force_ops},
    .init = mesh_spring_init,
    .reinit = mesh_spring_reinit,
    .destroy = dv_spring_force_destroy,
    .topology_changed = mesh_spring_topology_changed,
};
