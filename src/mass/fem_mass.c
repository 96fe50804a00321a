// FEMMass: M_ij = integral of rho N_i N_j over the elements of one kind, at rest, by numerical integration.
//
// NodalMassDensity holds rho at the points; inside an element it is interpolated like everything else. The points and
// weights of the integration are SOFA's default rules (element/shape.c).
#include "mass/classes.h"
#include "mass/element.h"
#include "mass/matrix.h"

#include "topology/change/fill.h"

#include <string.h>

// --- density -------------------------------------------------------------------------------------

#define NODAL_FIELDS(X) \
  X(reals, property, "1", "kg/m3", "mass per volume (or area or length) at each point; one number for all")

typedef struct NodalMassDensity {
  dvObject base;
  NODAL_FIELDS(DV_MEMBER)
  uint32_t followed;   // counter of the field when it had last moved with its points
  unsigned edits;      // times that somebody else had written it in between
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

// before a batch of changes: a list that was written, or whose end stands for all further points, is another one
static void density_gather(void *user, dvElementData *data)
{
  NodalMassDensity *d = user;
  uint32_t counter = dv_field_of(&d->base, &d->property)->counter;
  if (counter != d->followed || (d->property.count > 1 && d->property.count != data->rows)) d->edits++;
  d->followed = counter;
}

static void density_resized(void *user, size_t rows)
{
  DV_UNUSED(rows);
  NodalMassDensity *d = user;
  d->followed = dv_field_of(&d->base, &d->property)->counter;
}

static double density_at(const NodalMassDensity *d, int32_t point)
{
  size_t n = d->property.count;
  if (n == 0) return 1;
  return d->property.data[n == 1 || point < 0 ? 0 : dv_min_size((size_t)point, n - 1)];
}

// --- mass ----------------------------------------------------------------------------------------

#define FEM_MASS_FIELDS(X)                                                                 \
  X(link, topology, "", "", "mesh the masses are computed from", .role = DV_ROLE_TOPOLOGY) \
  X(link, nodalMassDensity, "", "", "the NodalMassDensity to use; the one of the node or above by default")

typedef struct FemMass {
  dvMassMatrix matrix;
  FEM_MASS_FIELDS(DV_MEMBER)
  dvElementKind kind;
  unsigned edits;   // of the density, when it was integrated
} FemMass;

#define SELF FemMass
static const dvFieldDesc fem_mass_fields[] = {FEM_MASS_FIELDS(DV_DESCRIBE)};
#undef SELF

static void fem_mass_destroy(dvObject *o) { dv_mass_matrix_free((dvMassMatrix *)o); }

static bool entries_of(void *user, size_t e, double *entries)
{
  const FemMass *f = user;
  const dvState *s = f->matrix.diagonal.base.state;
  const NodalMassDensity *density = (const NodalMassDensity *)f->nodalMassDensity.target;
  dvTopology *t = dv_topology(f->topology.target);
  const dvInts *elements = dv_topology_elements(t, f->kind);
  const int32_t *points = elements->data + e * (size_t)elements->width;
  const double *x = dv_state_read(s, DV_X_REST);
  double at[3 * DV_SHAPE_NODES], rho[DV_SHAPE_NODES], filled = dv_topology_filled(t, f->kind, e);
  for (int i = 0; i < elements->width; i++) {
    if (points[i] < 0 || (size_t)points[i] >= s->count) return false;
    dv_dof_point(s->base.dof, x + (size_t)points[i] * (size_t)s->base.dof->coord, at + 3 * i);
    rho[i] = filled * density_at(density, points[i]);
  }
  dv_mass_element(f->kind, dv_shape_quadrature(f->kind), at, rho, entries);
  return true;
}

static dvStatus integrate(FemMass *f)
{
  dvObject *o = &f->matrix.diagonal.base.base;
  dvTopology *t = dv_topology(f->topology.target);
  const dvInts *elements = dv_topology_elements(t, f->kind);
  double entries[DV_MASS_ENTRIES];
  int corners = elements->width;
  f->edits = ((const NodalMassDensity *)f->nodalMassDensity.target)->edits;
  if (dv_ints_size(elements) == 0)
    dv_warning(o, "give the kind of element in the template, as in \"Vec3,Tetrahedron\"",
               "the mesh %s has no %s: there is no mass", t->base.name, dv_element_name(f->kind));
  if (!dv_mass_matrix_shape(&f->matrix, elements))
    return dv_error(o, NULL, "out of memory for %zu elements", dv_ints_size(elements));
  for (size_t e = 0; e < dv_ints_size(elements); e++)
    if (entries_of(f, e, entries))
      dv_mass_matrix_add(&f->matrix, elements->data + e * (size_t)corners, corners, entries);
  if (!dv_mass_matrix_sum(&f->matrix)) return dv_error(o, NULL, "out of memory");
  return DV_OK;
}

// false when everything is to be integrated
static bool patch(FemMass *f)
{
  dvObject *o = &f->matrix.diagonal.base.base;
  dvTopology *t = dv_topology(f->topology.target);
  const NodalMassDensity *density = (const NodalMassDensity *)f->nodalMassDensity.target;
  const dvTrace *trace = dv_follow_trace(o, t);
  size_t points = f->matrix.diagonal.base.state->count;
  if (!trace || dv_topology_point_count(t) != points ||
      f->matrix.diagonal.count != dv_trace_before(trace, DV_POINT, points) || f->edits != density->edits ||
      (density->property.count > 1 && density->property.count != points))
    return false;
  dvNumbers rows = {0};
  bool good =
      dv_mass_matrix_patch(&f->matrix, &(dvMassIntegral){t, f->kind, entries_of, f}, dv_trace_points(trace), &rows);
  dv_array_free(&rows);
  return good && dv_follow_patched(o);
}

// --- set-up --------------------------------------------------------------------------------------

static const char *const template_names[DV_ELEMENT_KINDS] = {
    [DV_EDGE] = "Edge",
    [DV_TRIANGLE] = "Triangle",
    [DV_QUAD] = "Quad",
    [DV_TETRAHEDRON] = "Tetrahedron",
    [DV_HEXAHEDRON] = "Hexahedron",
    [DV_PRISM] = "Prism",
    [DV_PYRAMID] = "Pyramid",
};

// "Vec3,Hexahedron": the word behind the comma
static dvElementKind kind_of_template(const FemMass *f)
{
  const dvObject *o = &f->matrix.diagonal.base.base;
  const char *comma = o->template_text ? strchr(o->template_text, ',') : NULL;
  if (comma) {
    do comma++;
    while (dv_is_space(*comma));
    for (int k = DV_EDGE; k < DV_ELEMENT_KINDS; k++)
      if (dv_starts_with(comma, template_names[k])) return (dvElementKind)k;
  }
  return dv_topology_largest(dv_topology(f->topology.target));
}

static dvObject *find_density(const dvNode *node)
{
  for (size_t i = 0; i < node->objects.count; i++)
    if (node->objects.data[i]->cls == &dv_nodal_mass_density_class) return node->objects.data[i];
  return node->parents.count ? find_density(node->parents.data[0]) : NULL;
}

static void fem_mass_set_up(dvObject *o)
{
  if (!patch((FemMass *)o)) integrate((FemMass *)o);
}

static dvStatus fem_mass_init(dvObject *o)
{
  FemMass *f = (FemMass *)o;
  DV_TRY(dv_mass_init(o));
  o->dof = f->matrix.diagonal.base.state->base.dof;
  if (!f->topology.target) f->topology.target = dv_node_find_up(o->node, DV_ROLE_TOPOLOGY);
  if (!f->topology.target)
    return dv_error(o, "add a topology to the node, or name one in the field topology", "FEMMass finds no mesh");
  if (!f->nodalMassDensity.target) f->nodalMassDensity.target = find_density(o->node);
  if (!f->nodalMassDensity.target || f->nodalMassDensity.target->cls != &dv_nodal_mass_density_class)
    return dv_error(o, "add <NodalMassDensity property=\"1000\"/> to the node", "FEMMass finds no NodalMassDensity");
  DV_TRY(dv_object_ensure(f->topology.target));
  f->kind = kind_of_template(f);
  if (f->kind == DV_POINT) f->kind = DV_EDGE;   // a mesh without elements
  DV_TRY(integrate(f));
  const dvField *density = dv_object_field(f->nodalMassDensity.target, "property");
  dv_diagonal_watch(&f->matrix.diagonal, fem_mass_set_up, density);
  dv_follow(o, dv_topology(f->topology.target));
  // the density follows by itself, once for all masses that use it
  dvElementData *d = dv_follow_elements(f->nodalMassDensity.target, dv_topology(f->topology.target), DV_POINT);
  NodalMassDensity *nodal = (NodalMassDensity *)f->nodalMassDensity.target;
  dv_element_data_add_reals(d, &nodal->property, true);
  d->gather = density_gather;
  d->resized = density_resized;
  density_resized(nodal, 0);
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
    .topology_changed = dv_diagonal_topology_changed,
};
