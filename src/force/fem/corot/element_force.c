// CorotationalFEMForceField and LinearSmallStrainFEMForceField: linear elasticity on elements of every shape.
//
// The template names the element ("Vec3,Hexahedron"); without, the largest of the topology are taken. Stiffness
// matrices are integrated once from the shape at rest (shape.c); elements turn as a whole (corot.c), or not at all.
// Tetrahedra that turn with their edges or stay are done by their own kernel (tetra_corot.c), which needs no matrices.
// In the plane the material is in plane stress, on a line Young's modulus alone counts.
#include "element/shape.h"
#include "force/fem/corot/corot.h"
#include "force/fem/corot/tetra_corot.h"
#include "force/fem/elastic.h"
#include "topology/change/fill.h"

#include <string.h>

extern const dvClass dv_corotational_fem_class, dv_small_strain_fem_class;

#define ELEMENT_FIELDS(X)                                                                                            \
  X(choice, computeForceStrategy, "parallel", "", "not used: the result is the same for any number of threads",      \
    .options = "parallel|sequenced", .flags = DV_HIDDEN)                                                             \
  X(choice, computeForceDerivStrategy, "parallel", "", "not used: the result is the same for any number of threads", \
    .options = "parallel|sequenced", .flags = DV_HIDDEN)                                                             \
  X(reals, elementStiffness, "", "N/m", "stiffness matrices of the elements, row by row",                            \
    .flags = DV_OUTPUT | DV_READ_ONLY | DV_HIDDEN)                                                                   \
  X(real, elementSpace, "0.125", "", "gap between drawn elements", .flags = DV_LOOKS)                                \
  DV_PARALLEL_FIELDS(X)

enum { STABLE, POLAR, IDENTITY, TRIANGLE, HEXAHEDRON, AUTOMATIC };
#define COROTATIONAL_FIELDS(X)                                                                                        \
  X(choice, rotationMethod, "automatic", "",                                                                          \
    "rotation of an element: from its corners (stable_polar, polar), none (identity), from the edges of its first "   \
    "three corners (triangle) or mean edges (hexahedron); automatic takes one of the last two where the element has " \
    "it",                                                                                                             \
    .options = "stable_polar|polar|identity|triangle|hexahedron|automatic")

typedef struct ElementForce {
  dvElastic elastic;
  ELEMENT_FIELDS(DV_MEMBER)
  COROTATIONAL_FIELDS(DV_MEMBER)
  dvElementKind kind;
  const int32_t *corner;   // of the elements, the topology's
  size_t count, nodes;
  bool stale;          // there is no valid set of elements
  dvCorot *elements;   // one of the two
  dvTetraCorot *tetra;
  DV_ARRAY(double) young, poisson;   // of the latter, one each
} ElementForce;

#define SELF ElementForce
static const dvFieldDesc element_fields[] = {ELEMENT_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc corotational_fields[] = {COROTATIONAL_FIELDS(DV_DESCRIBE)};
#undef SELF

static int space_of(const ElementForce *f) { return f->elastic.force.state->base.dof->coord; }
static size_t matrix_size(const ElementForce *f) { return (size_t)space_of(f) * f->nodes; }

// --- set-up ---

// what stands behind the comma of the template
static dvStatus find_kind(ElementForce *f)
{
  static const char *const names[] = {[DV_EDGE] = "Edge",
                                      [DV_TRIANGLE] = "Triangle",
                                      [DV_QUAD] = "Quad",
                                      [DV_TETRAHEDRON] = "Tetrahedron",
                                      [DV_HEXAHEDRON] = "Hexahedron",
                                      [DV_PRISM] = "Prism",
                                      [DV_PYRAMID] = "Pyramid"};
  dvObject *o = &f->elastic.force.base;
  const char *comma = o->template_text ? strchr(o->template_text, ',') : NULL;
  f->kind = dv_topology_largest(dv_elastic_topology(&f->elastic));
  if (comma) {
    int kind = DV_EDGE;
    while (kind <= DV_PYRAMID && !dv_same_nocase(comma + 1, names[kind])) kind++;
    if (kind > DV_PYRAMID)
      return dv_error(o, "name an element, such as Vec3,Tetrahedron", "the template %s names no element",
                      o->template_text);
    f->kind = (dvElementKind)kind;
  }
  if (f->kind == DV_POINT) f->kind = DV_TETRAHEDRON;   // an empty topology: no force
  if (dv_shape_dimension(f->kind) > space_of(f))
    return dv_error(o, "take elements that fit into the space of the points", "%s cannot stand in %s", names[f->kind],
                    f->elastic.force.state->base.dof->name);
  f->nodes = (size_t)dv_element_points(f->kind);
  return DV_OK;
}

static dvStatus choose_rotation(const ElementForce *f, int *out)
{
  const dvObject *o = &f->elastic.force.base;
  bool triangle = (f->kind == DV_TETRAHEDRON || f->kind == DV_TRIANGLE) && space_of(f) == 3,
       hexahedron = f->kind == DV_HEXAHEDRON;
  int method = o->cls == &dv_small_strain_fem_class ? IDENTITY : f->rotationMethod;
  if (method == AUTOMATIC) method = triangle ? TRIANGLE : hexahedron ? HEXAHEDRON : STABLE;
  if ((method == TRIANGLE && !triangle) || (method == HEXAHEDRON && !hexahedron))
    return dv_field_error(o, &f->rotationMethod, "leave it away, or take stable_polar", "%s have no rotation by %s",
                          dv_element_name(f->kind), method == TRIANGLE ? "triangle" : "hexahedron");
  *out = method;
  return DV_OK;
}

static void element_stiffness(void *user, size_t e, const double *x, double *k)
{
  const ElementForce *f = user;
  double young = dv_elastic_young(&f->elastic, e), nu = dv_elastic_poisson(&f->elastic, e);
  young *= dv_topology_filled(dv_elastic_topology(&f->elastic), f->kind, e);
  dv_element_stiffness(f->kind, x, dv_lame_lambda(young, nu, space_of(f)), dv_lame_mu(young, nu), k);
}

static void read_moduli(ElementForce *f, size_t e)
{
  f->young.data[e] = dv_elastic_young(&f->elastic, e);
  f->poisson.data[e] = dv_elastic_poisson(&f->elastic, e);
}

static dvTetraCorotDef define_tetrahedra(const ElementForce *f, int method)
{
  const dvState *s = f->elastic.force.state;
  return (dvTetraCorotDef){.rest = dv_state_read(s, DV_X_REST),
                           .points = s->count,
                           .tetrahedra = f->corner,
                           .count = f->count,
                           .young = f->young.data,
                           .poisson = f->poisson.data,
                           .method = method == TRIANGLE ? DV_COROT_LARGE : DV_COROT_SMALL};
}

static dvCorotDef define_elements(ElementForce *f, int method)
{
  static const double edges[12] = {-1, 1, 0, 0, -1, 0, 1, 0, -1, 0, 0, 1}, sides[9] = {-1, 1, 0, -1, 0, 1, 0, 0, 0};
  static const double mean[24] = {-0.25, 0.25,  0.25, -0.25, -0.25, 0.25,  0.25,  -0.25, -0.25, -0.25, 0.25, 0.25,
                                  -0.25, -0.25, 0.25, 0.25,  -0.25, -0.25, -0.25, -0.25, 0.25,  0.25,  0.25, 0.25};
  static const dvCorotFrame frames[] = {DV_FRAME_STABLE, DV_FRAME_POLAR, DV_FRAME_FIXED, DV_FRAME_EDGES,
                                        DV_FRAME_EDGES};
  const dvState *s = f->elastic.force.state;
  const double *weights = method == HEXAHEDRON     ? mean
                          : method != TRIANGLE     ? NULL
                          : f->kind == DV_TRIANGLE ? sides
                                                   : edges;
  return (dvCorotDef){.rest = dv_state_read(s, DV_X_REST),
                      .width = space_of(f),
                      .points = s->count,
                      .connectivity = f->corner,
                      .nodes = f->nodes,
                      .count = f->count,
                      .frame = frames[method],
                      .weights = weights,
                      .stiffness = element_stiffness,
                      .user = f};
}

static dvStatus create_elements(ElementForce *f, int method)
{
  dv_corot_destroy(&f->elements);
  dv_tetra_corot_destroy(&f->tetra);
  if (f->kind == DV_TETRAHEDRON && (method == TRIANGLE || method == IDENTITY)) {
    dv_array_resize(&f->young, f->count);
    dv_array_resize(&f->poisson, f->count);
    for (size_t e = 0; e < f->count; e++) read_moduli(f, e);
    dvTetraCorotDef def = define_tetrahedra(f, method);
    return dv_tetra_corot_create(&def, &f->tetra, NULL);
  }
  dvCorotDef def = define_elements(f, method);
  return dv_corot_create(&def, &f->elements);
}

static void warn_of_shapes(const ElementForce *f)
{
  const dvObject *o = &f->elastic.force.base;
  const double *rest = dv_state_read(f->elastic.force.state, DV_X_REST);
  size_t bad = 0, first = 0, w = (size_t)space_of(f);
  for (size_t e = 0; e < f->count; e++) {
    double x[3 * DV_SHAPE_NODES] = {0}, k[DV_COROT_MATRIX];
    for (size_t i = 0; i < f->nodes; i++)
      for (size_t d = 0; d < w; d++) x[3 * i + d] = rest[w * (size_t)f->corner[f->nodes * e + i] + d];
    if (!dv_element_stiffness(f->kind, x, 1, 1, k) && bad++ == 0) first = e;
  }
  if (bad)
    dv_warning(o, "repair the mesh", "%zu %s are flat at rest; the first is number %zu", bad, dv_element_name(f->kind),
               first);
}

static dvStatus element_force_reinit(dvObject *o)
{
  ElementForce *f = (ElementForce *)o;
  dvTopology *topology = dv_elastic_topology(&f->elastic);
  int method = IDENTITY;
  f->stale = true;
  DV_TRY(choose_rotation(f, &method));
  const dvInts *elements = dv_force_elements(o, topology, f->kind, f->elastic.force.state);
  if (!elements) return DV_ERROR_INPUT;
  f->corner = elements->data;
  f->count = dv_ints_size(elements);
  DV_TRY(dv_elastic_check(&f->elastic, f->count, space_of(f) == 3 ? 0.5 : 1));
  warn_of_shapes(f);
  if (create_elements(f, method) != DV_OK)
    return dv_error(o, NULL, "out of memory for %zu %s", f->count, dv_element_name(f->kind));
  dv_touch(o, &f->elementStiffness);
  f->stale = false;
  return DV_OK;
}

static bool patch(dvObject *o)
{
  ElementForce *f = (ElementForce *)o;
  dvTopology *topology = dv_elastic_topology(&f->elastic);
  int method = IDENTITY;
  if (f->stale || choose_rotation(f, &method) != DV_OK) return false;
  const dvInts *elements = dv_topology_elements(topology, f->kind);
  f->corner = elements->data;
  f->count = dv_ints_size(elements);
  if (!dv_elastic_follows(&f->elastic, f->count)) return false;
  dv_touch(o, &f->elementStiffness);
  if (!f->tetra) {
    dvCorotDef def = define_elements(f, method);
    return dv_corot_patch(f->elements, &def, topology, f->kind);
  }
  const dvNumbers *rows = dv_trace_rows(topology, DV_TETRAHEDRON);
  dv_array_resize(&f->young, f->count);
  dv_array_resize(&f->poisson, f->count);
  for (size_t i = 0; i < rows->count; i++) read_moduli(f, (size_t)rows->data[i]);
  dvTetraCorotDef def = define_tetrahedra(f, method);
  return dv_tetra_corot_patch(f->tetra, &def, topology);
}

static void element_force_topology_changed(dvObject *o)
{
  dv_force_patch_or_remake(o, dv_elastic_topology(&((ElementForce *)o)->elastic), patch);
}

static dvStatus element_force_init(dvObject *o)
{
  ElementForce *f = (ElementForce *)o;
  DV_TRY(dv_elastic_init(o));
  DV_TRY(find_kind(f));
  DV_TRY(element_force_reinit(o));
  dv_elastic_follow(&f->elastic, f->kind, 1);
  if (f->count == 0)
    dv_warning(o, NULL, "the topology %s has no %s: there will be no force", f->elastic.topology.target->name,
               dv_element_name(f->kind));
  return DV_OK;
}

// matrices at rest, in world axes, when somebody reads them
static dvStatus element_force_fetch(dvObject *o, dvField *field)
{
  ElementForce *f = (ElementForce *)o;
  if (field->value != &f->elementStiffness || (!f->elements && !f->tetra)) return DV_OK;
  size_t n = matrix_size(f), w = (size_t)space_of(f);
  if (!dv_reals_resize(&f->elementStiffness, n * n * f->count))
    return dv_error(o, NULL, "out of memory for %zu matrices", f->count);
  double *out = dv_reals_edit(&f->elementStiffness);
  const double *rest = dv_state_read(f->elastic.force.state, DV_X_REST);
  for (size_t e = 0; e < f->count; e++) {
    double x[3 * DV_SHAPE_NODES] = {0}, k[DV_COROT_MATRIX];
    for (size_t i = 0; i < w * f->nodes; i++)
      x[3 * (i / w) + i % w] = rest[w * (size_t)f->corner[f->nodes * e + i / w] + i % w];
    element_stiffness(f, e, x, k);
    for (size_t i = 0; i < n * n; i++) {
      size_t row = i / n, column = i % n;
      *out++ = k[3 * f->nodes * (3 * (row / w) + row % w) + 3 * (column / w) + column % w];
    }
  }
  return DV_OK;
}

// --- forces ---

static void element_force_add_force(dvObject *o, const dvMech *m)
{
  ElementForce *f = (ElementForce *)o;
  dvState *s = f->elastic.force.state;
  if (f->stale) return;
  const double *x = dv_state_read(s, m->x);
  if (f->tetra) dv_tetra_corot_keep(f->tetra, m->implicit);
  if (f->tetra) dv_tetra_corot_add_force(f->tetra, o->context->pool, x, dv_state_write(s, m->f));
  else dv_corot_add_force(f->elements, o->context->pool, x, dv_state_write(s, m->f));
}

static void element_force_add_dforce(dvObject *o, const dvMech *m)
{
  ElementForce *f = (ElementForce *)o;
  if (f->stale) return;
  dvState *s = f->elastic.force.state;
  double k = dv_mech_k(m, f->elastic.force.rayleighStiffness);
  const double *dx = dv_state_read(s, m->dx);
  if (f->tetra) dv_tetra_corot_add_dforce(f->tetra, o->context->pool, dx, k, dv_state_write(s, m->df));
  else dv_corot_add_dforce(f->elements, o->context->pool, dx, k, dv_state_write(s, m->df));
}

static void element_force_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  ElementForce *f = (ElementForce *)o;
  if (f->stale) return;
  double k = dv_mech_k(m, f->elastic.force.rayleighStiffness);
  dvElementMatrices matrices = f->tetra ? dv_tetra_corot_matrices(f->tetra, k) : dv_corot_matrices(f->elements, k);
  dv_element_matrices_add(&matrices, sink, f->elastic.force.state);
}

static double element_force_energy(dvObject *o, const dvMech *m)
{
  ElementForce *f = (ElementForce *)o;
  if (f->stale) return 0;
  const double *x = dv_state_read(f->elastic.force.state, m->x);
  return f->tetra ? dv_tetra_corot_energy(f->tetra, o->context->pool, x)
                  : dv_corot_energy(f->elements, o->context->pool, x);
}

static void element_force_destroy(dvObject *o)
{
  ElementForce *f = (ElementForce *)o;
  dv_corot_destroy(&f->elements);
  dv_tetra_corot_destroy(&f->tetra);
  dv_array_free(&f->young);
  dv_array_free(&f->poisson);
}

static const dvForceOps element_force_ops = {
    .add_force = element_force_add_force,
    .add_dforce = element_force_add_dforce,
    .add_stiffness = element_force_add_stiffness,
    .energy = element_force_energy,
    DV_FORCE_SLOTS,
};

#define ELEMENT_CLASS                                                                                                  \
  .struct_size = sizeof(dvClass), .module = "Sofa.Component.SolidMechanics.FEM.Elastic", .size = sizeof(ElementForce), \
  .ops = {[DV_ROLE_FORCE] = &element_force_ops}, .init = element_force_init, .reinit = element_force_reinit,           \
  .fetch = element_force_fetch, .destroy = element_force_destroy, .topology_changed = element_force_topology_changed

const dvClass dv_corotational_fem_class = {
    ELEMENT_CLASS,
    .name = "CorotationalFEMForceField",
    .help = "linear elasticity on elements of every shape, each of which turns as a whole",
    .dofs = DV_DOF_VEC2 | DV_DOF_VEC3,
    .blocks = {&dv_object_block, &dv_force_block, &dv_elastic_block, DV_BLOCK(element_fields),
               DV_BLOCK(corotational_fields)},
};

const dvClass dv_small_strain_fem_class = {
    ELEMENT_CLASS,
    .name = "LinearSmallStrainFEMForceField",
    .help = "linear elasticity on elements of every shape, for small displacements",
    .dofs = DV_DOF_VEC1 | DV_DOF_VEC2 | DV_DOF_VEC3,
    .blocks = {&dv_object_block, &dv_force_block, &dv_elastic_block, DV_BLOCK(element_fields)},
};
