// FEMMass: M_ij = integral of rho N_i N_j over the elements of one kind, at rest, by numerical integration.
//
// NodalMassDensity holds rho at the points; inside an element it is interpolated like everything else. The points and
// weights of the integration are SOFA's default rules: 1 for edges, triangles and tetrahedra, 3 for quads, 2 for prisms,
// 8 for hexahedra and pyramids. With one point the matrix of an element has rank one (all its entries are equal).
#include "mass/classes.h"
#include "mass/matrix.h"

#include "math/vec.h"
#include "topology/topology.h"

#include <math.h>
#include <string.h>

// --- density -------------------------------------------------------------------------------------------

#define NODAL_FIELDS(X) X(reals, property, "1", "kg/m3", "mass per volume (or area or length) at each point; one number for all")

typedef struct NodalMassDensity {
  dvObject base;
  NODAL_FIELDS(DV_MEMBER)
} NodalMassDensity;

#define SELF NodalMassDensity
static const dvFieldDesc nodal_fields[] = {NODAL_FIELDS(DV_DESCRIBE)};
#undef SELF

const dvClass dv_nodal_mass_density_class = {
    .struct_size = sizeof(dvClass),
    .name = "NodalMassDensity",
    .help = "mass density at the points of a mesh",
    .module = "Sofa.Component.Mass",
    .size = sizeof(NodalMassDensity),
    .blocks = {&dv_object_block, DV_BLOCK(nodal_fields)},
};

static double density_at(const NodalMassDensity *d, int32_t point)
{
  size_t n = d->property.count;
  if (n == 0) return 1;
  return d->property.data[n == 1 || point < 0 ? 0 : dv_min_size((size_t)point, n - 1)];
}

// --- mass ----------------------------------------------------------------------------------------------

#define FEM_MASS_FIELDS(X)                                                                                            \
  X(link, topology, "", "", "mesh the masses are computed from", .role = DV_ROLE_TOPOLOGY)                            \
  X(link, nodalMassDensity, "", "", "the NodalMassDensity to use; the one of the node or above by default")

typedef struct FemMass {
  dvMassMatrix matrix;
  FEM_MASS_FIELDS(DV_MEMBER)
  dvElementKind kind;
} FemMass;

#define SELF FemMass
static const dvFieldDesc fem_mass_fields[] = {FEM_MASS_FIELDS(DV_DESCRIBE)};
#undef SELF

static void fem_mass_destroy(dvObject *o) { dv_mass_matrix_free((dvMassMatrix *)o); }

// An integration point: where it lies in the reference element, and its weight.
typedef struct Sample {
  double at[3], weight;
} Sample;

typedef struct Rule {
  const char *name;      // in templates
  int dimension, count;
  Sample samples[8];
} Rule;

#define G 0.57735026918962576451   // 1/sqrt(3)
#define CUBE                                                                                                      \
  {                                                                                                               \
    {{-G, -G, -G}, 1}, {{G, -G, -G}, 1}, {{G, G, -G}, 1}, {{-G, G, -G}, 1}, {{-G, -G, G}, 1}, {{G, -G, G}, 1},    \
        {{G, G, G}, 1}, {{-G, G, G}, 1},                                                                          \
  }
static const Rule rules[DV_ELEMENT_KINDS] = {
    [DV_EDGE] = {"Edge", 1, 1, {{{0}, 2}}},
    [DV_TRIANGLE] = {"Triangle", 2, 1, {{{1.0 / 3, 1.0 / 3}, 0.5}}},
    [DV_QUAD] = {"Quad", 2, 3,
                 {{{0.81649658092772603273, 0}, 4.0 / 3},
                  {{-0.40824829046386301637, -0.70710678118654752440}, 4.0 / 3},
                  {{-0.40824829046386301637, 0.70710678118654752440}, 4.0 / 3}}},
    [DV_TETRAHEDRON] = {"Tetrahedron", 3, 1, {{{0.25, 0.25, 0.25}, 1.0 / 6}}},
    [DV_HEXAHEDRON] = {"Hexahedron", 3, 8, CUBE},
    [DV_PRISM] = {"Prism", 3, 2, {{{1.0 / 3, 1.0 / 3, 0.5 * (1 - G)}, 0.25}, {{1.0 / 3, 1.0 / 3, 0.5 * (1 + G)}, 0.25}}},
    [DV_PYRAMID] = {"Pyramid", 3, 8, CUBE},
};

// shape functions of the reference elements: simplices with corners 0 and 1, cubes from -1 to 1
static void shape_functions(dvElementKind kind, const double q[3], double *n)
{
  static const int corner[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {1, 1, 1}, {-1, 1, 1}};
  double x = q[0], y = q[1], z = q[2], rest = 1 - x - y;
  switch (kind) {
  case DV_EDGE: n[0] = 0.5 * (1 - x), n[1] = 0.5 * (1 + x); break;
  case DV_TRIANGLE: n[0] = rest, n[1] = x, n[2] = y; break;
  case DV_QUAD:
    for (int i = 0; i < 4; i++) n[i] = 0.25 * (1 + corner[i][0] * x) * (1 + corner[i][1] * y);
    break;
  case DV_TETRAHEDRON: n[0] = rest - z, n[1] = x, n[2] = y, n[3] = z; break;
  case DV_HEXAHEDRON:
    for (int i = 0; i < 8; i++) n[i] = 0.125 * (1 + corner[i][0] * x) * (1 + corner[i][1] * y) * (1 + corner[i][2] * z);
    break;
  case DV_PRISM: n[0] = rest * (1 - z), n[1] = x * (1 - z), n[2] = y * (1 - z), n[3] = rest * z, n[4] = x * z, n[5] = y * z; break;
  case DV_PYRAMID:
    for (int i = 0; i < 4; i++) n[i] = 0.125 * (1 + corner[i][0] * x) * (1 + corner[i][1] * y) * (1 - z);
    n[4] = 0.5 * (1 + z);
    break;
  default: break;
  }
}

// the shape functions are of first degree in each coordinate: differences over any distance are their derivatives
static void shape_gradients(dvElementKind kind, const double q[3], int axis, int corners, double *g)
{
  double other[3] = {q[0], q[1], q[2]}, here[8], there[8];
  other[axis] += 1;
  shape_functions(kind, q, here);
  shape_functions(kind, other, there);
  for (int i = 0; i < corners; i++) g[i] = there[i] - here[i];
}

// how much the mapping from the reference element stretches length, area or volume
static double stretch(dvElementKind kind, const double q[3], const dvVec3 *p, int corners)
{
  dvVec3 column[3] = {{0}};
  for (int axis = 0; axis < rules[kind].dimension; axis++) {
    double g[8];
    shape_gradients(kind, q, axis, corners, g);
    for (int i = 0; i < corners; i++) column[axis] = dv_vec3_add_scaled(column[axis], p[i], g[i]);
  }
  if (rules[kind].dimension == 1) return dv_vec3_norm(column[0]);
  dvVec3 cross = dv_vec3_cross(column[0], column[1]);
  return rules[kind].dimension == 2 ? dv_vec3_norm(cross) : fabs(dv_vec3_dot(cross, column[2]));
}

static void add_element(FemMass *f, const double *x, const int32_t *points, int corners)
{
  const dvState *s = f->matrix.diagonal.base.state;
  const NodalMassDensity *density = (const NodalMassDensity *)f->nodalMassDensity.target;
  const Rule *rule = &rules[f->kind];
  dvVec3 p[8];
  for (int i = 0; i < corners; i++) {
    double at[3];
    if (points[i] < 0 || (size_t)points[i] >= s->count) return;
    dv_dof_point(s->base.dof, x + (size_t)points[i] * (size_t)s->base.dof->coord, at);
    p[i] = dv_vec3_load(at);
  }
  for (int k = 0; k < rule->count; k++) {
    double n[8], rho = 0;
    shape_functions(f->kind, rule->samples[k].at, n);
    for (int i = 0; i < corners; i++) rho += n[i] * density_at(density, points[i]);
    double mass = rule->samples[k].weight * rho * stretch(f->kind, rule->samples[k].at, p, corners);
    for (int i = 0; i < corners; i++)
      for (int j = 0; j < corners; j++) *dv_mass_matrix_at(&f->matrix, points[i], points[j]) += mass * n[i] * n[j];
  }
}

static dvStatus integrate(FemMass *f)
{
  dvObject *o = &f->matrix.diagonal.base.base;
  dvTopology *t = dv_topology(f->topology.target);
  const dvInts *elements = dv_topology_elements(t, f->kind);
  if (dv_ints_size(elements) == 0)
    dv_warning(o, "give the kind of element in the template, as in \"Vec3,Tetrahedron\"", "the mesh %s has no %s: there is no mass", t->base.name,
               dv_element_name(f->kind));
  if (!dv_mass_matrix_shape(&f->matrix, elements)) return dv_error(o, NULL, "out of memory for %zu elements", dv_ints_size(elements));
  const double *x = dv_state_read(f->matrix.diagonal.base.state, DV_X_REST);
  int corners = elements->width;
  for (size_t e = 0; e < dv_ints_size(elements); e++) add_element(f, x, elements->data + e * (size_t)corners, corners);
  if (!dv_mass_matrix_sum(&f->matrix)) return dv_error(o, NULL, "out of memory");
  return DV_OK;
}

// --- set-up --------------------------------------------------------------------------------------------

// "Vec3,Hexahedron": the word behind the comma
static dvElementKind kind_of_template(const FemMass *f)
{
  const dvObject *o = &f->matrix.diagonal.base.base;
  const char *comma = o->template_text ? strchr(o->template_text, ',') : NULL;
  if (comma) {
    do comma++;
    while (dv_is_space(*comma));
    for (int k = DV_EDGE; k < DV_ELEMENT_KINDS; k++)
      if (dv_starts_with(comma, rules[k].name)) return (dvElementKind)k;
  }
  return dv_topology_largest(dv_topology(f->topology.target));
}

static dvObject *find_density(const dvNode *node)
{
  for (size_t i = 0; i < node->objects.count; i++)
    if (node->objects.data[i]->cls == &dv_nodal_mass_density_class) return node->objects.data[i];
  return node->parents.count ? find_density(node->parents.data[0]) : NULL;
}

static void fem_mass_set_up(dvObject *o) { integrate((FemMass *)o); }

static dvStatus fem_mass_init(dvObject *o)
{
  FemMass *f = (FemMass *)o;
  DV_TRY(dv_mass_init(o));
  o->dof = f->matrix.diagonal.base.state->base.dof;
  if (!f->topology.target) f->topology.target = dv_node_find_up(o->node, DV_ROLE_TOPOLOGY);
  if (!f->topology.target) return dv_error(o, "add a topology to the node, or name one in the field topology", "FEMMass finds no mesh");
  if (!f->nodalMassDensity.target) f->nodalMassDensity.target = find_density(o->node);
  if (!f->nodalMassDensity.target || f->nodalMassDensity.target->cls != &dv_nodal_mass_density_class)
    return dv_error(o, "add <NodalMassDensity property=\"1000\"/> to the node", "FEMMass finds no NodalMassDensity");
  DV_TRY(dv_object_ensure(f->topology.target));
  f->kind = kind_of_template(f);
  if (f->kind == DV_POINT) f->kind = DV_EDGE;   // a mesh without elements
  DV_TRY(integrate(f));
  const dvField *density = dv_object_field(f->nodalMassDensity.target, "property");
  dv_diagonal_watch(&f->matrix.diagonal, fem_mass_set_up, density, &dv_topology(f->topology.target)->revision);
  return DV_OK;
}

const dvClass dv_fem_mass_class = {
    .struct_size = sizeof(dvClass),
    .name = "FEMMass",
    .help = "the mass matrix of finite elements of one kind",
    .module = "Sofa.Component.Mass",
    .dofs = DV_DOF_VEC1 | DV_DOF_VEC2 | DV_DOF_VEC3,
    .size = sizeof(FemMass),
    .blocks = {&dv_object_block, &dv_mass_block, DV_BLOCK(fem_mass_fields)},
    .ops = {[DV_ROLE_MASS] = &dv_mass_matrix_ops},
    .init = fem_mass_init,
    .reinit = fem_mass_init,
    .destroy = fem_mass_destroy,
};
