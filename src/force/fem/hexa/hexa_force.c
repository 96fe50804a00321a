// HexahedronFEMForceField, its parallel name and HexahedralFEMForceField: corotational trilinear hexahedra of an
// isotropic material (M. Nesme, Y. Payan, F. Faure, Efficient, physically plausible finite elements, 2005).
//
// K is integrated at 2 x 2 x 2 points in the frame at rest; where the cells are parallelepipeds (to a thousandth, as in
// SOFA) with the one Jacobian of their edges. The computation is in corot.c. Needs a topology with hexahedra; a sparse
// grid may say how far each cell is filled (cellStiffness, cellMass).
//
// HexahedralFEMForceField takes every cell as a box along the axes of the world, with the diagonal from corner 0 to
// corner 6, as SOFA does; singlePrecision rounds its entries. Classes with a mass are in hexa_mass.c and
// hexa_condensed.c.
#include "force/fem/hexa/hexa_force.h"
#include "element/shape.h"
#include "force/fem/corot/point_rotations.h"
#include "object/compat.h"

#include <string.h>

#define SELF dvHexaForce
static const dvFieldDesc hexa_fields[] = {HEXA_METHOD_FIELDS(DV_DESCRIBE) HEXA_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc hexahedral_fields[] = {HEXA_METHOD_FIELDS(DV_DESCRIBE) HEXAHEDRAL_FIELDS(DV_DESCRIBE)
                                                    HEXAHEDRAL_SINGLE_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc parallel_hexa_fields[] = {DV_PARALLEL_FIELDS(DV_DESCRIBE)};
#undef SELF

// --- stiffness ---

static bool nearly(dvVec3 a, dvVec3 b, double length) { return dv_vec3_norm(dv_vec3_sub(a, b)) < 0.001 * length; }

// opposite edges are equal to a thousandth
static bool is_parallelepiped(const dvVec3 p[8])
{
  dvVec3 lx = dv_vec3_sub(p[1], p[0]), lz = dv_vec3_sub(p[4], p[0]);
  double x = dv_vec3_norm(lx), z = dv_vec3_norm(lz);
  bool good = nearly(dv_vec3_add(p[3], lx), p[2], x);
  for (int i = 1; i < 4; i++) good = good && nearly(dv_vec3_add(p[i], lz), p[i + 4], z);
  return good;
}

// gradients at a point of the reference cube; the determinant keeps its sign
static double gradients(const dvVec3 p[8], const double q[3], const dvVec3 *edges, dvVec3 g[8])
{
  double dn[DV_SHAPE_NODES][3];
  dvVec3 j[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  dv_shape_derivatives(DV_HEXAHEDRON, q, dn);
  for (int a = 0; a < 3; a++) {
    if (edges) j[a] = edges[a];
    for (int i = 0; i < 8 && !edges; i++) j[a] = dv_vec3_add_scaled(j[a], p[i], dn[i][a]);
  }
  dvVec3 co[3] = {dv_vec3_cross(j[1], j[2]), dv_vec3_cross(j[2], j[0]), dv_vec3_cross(j[0], j[1])};
  double det = dv_vec3_dot(j[0], co[0]);
  if (!(fabs(det) > 0)) return 0;
  for (int i = 0; i < 8; i++) {
    g[i] = dv_vec3(0, 0, 0);
    for (int a = 0; a < 3; a++) g[i] = dv_vec3_add_scaled(g[i], co[a], dn[i][a] / det);
  }
  return det;
}

static void hexa_stiffness(void *user, size_t e, const double *x, double *k)
{
  const dvHexaForce *h = user;
  const dvQuadrature *rule = dv_shape_quadrature(DV_HEXAHEDRON);
  double young = dv_elastic_young(&h->elastic, e), nu = dv_elastic_poisson(&h->elastic, e),
         filled = dv_hexa_filled(&h->filled, e) * dv_hexa_share(h, e);
  double lambda = filled * dv_lame_lambda(young, nu, 3), mu = filled * dv_lame_mu(young, nu);
  dvVec3 p[8], edges[3], g[8];
  for (int i = 0; i < 8; i++) p[i] = dv_vec3_load(x + 3 * i);
  static const int ends[3] = {1, 3, 4};
  for (int a = 0; a < 3; a++) edges[a] = dv_vec3_scale(dv_vec3_sub(p[ends[a]], p[0]), 0.5);
  bool parallel = is_parallelepiped(p);
  memset(k, 0, 576 * sizeof *k);
  for (int i = 0; i < rule->points; i++) {
    double det = gradients(p, rule->at[i], parallel ? edges : NULL, g);
    if (det != 0) dv_stiffness_add(8, g, rule->weight[i] * det, lambda, mu, k);
  }
}

// of a box, over an eighth of its volume
static void box_stiffness(const dvQuadrature *rule, const double edges[3], double lambda, double mu, double *k)
{
  memset(k, 0, 576 * sizeof *k);
  if (edges[0] == 0 || edges[1] == 0 || edges[2] == 0) return;
  for (int i = 0; i < rule->points; i++) {
    double dn[DV_SHAPE_NODES][3];
    dvVec3 g[8];
    dv_shape_derivatives(DV_HEXAHEDRON, rule->at[i], dn);
    for (int c = 0; c < 8; c++)
      g[c] = dv_vec3(2 / edges[0] * dn[c][0], 2 / edges[1] * dn[c][1], 2 / edges[2] * dn[c][2]);
    dv_stiffness_add(8, g, 1, lambda, mu, k);
  }
}

void dv_hexa_box_stiffness(const dvHexaForce *h, const double edges[3], double *k)
{
  const dvQuadrature *rule = dv_shape_quadrature(DV_HEXAHEDRON);
  double young = dv_elastic_young(&h->elastic, 0), nu = dv_elastic_poisson(&h->elastic, 0);
  box_stiffness(rule, edges, dv_lame_lambda(young, nu, 3), dv_lame_mu(young, nu), k);
  double volume = edges[0] * edges[1] * edges[2];
  for (int i = 0; i < 576; i++) k[i] *= volume / 8;
}

// of a box along the axes of the world
static void hexahedral_stiffness(void *user, size_t e, const double *x, double *k)
{
  const dvHexaForce *h = user;
  const dvQuadrature *rule = dv_shape_quadrature(DV_HEXAHEDRON);
  double young = dv_elastic_young(&h->elastic, e), nu = dv_elastic_poisson(&h->elastic, e);
  const double *rest = dv_state_read(h->elastic.force.state, DV_X_REST);
  const int32_t *corner = h->hexa + 8 * e;
  double diagonal[3], volume = 1;
  static const int ends[3] = {1, 3, 4};
  for (int a = 0; a < 3; a++) {
    diagonal[a] = rest[3 * (size_t)corner[6] + (size_t)a] - rest[3 * (size_t)corner[0] + (size_t)a];
    volume *= dv_vec3_norm(dv_vec3_load(x + 3 * ends[a]));
  }
  box_stiffness(rule, diagonal, dv_lame_lambda(young, nu, 3), dv_lame_mu(young, nu), k);
  volume *= dv_hexa_share(h, e);
  for (int i = 0; i < 576; i++) k[i] = (h->singlePrecision ? (float)k[i] : k[i]) * (volume / 8);
}

static void condensed_stiffness(void *user, size_t e, const double *x, double *k)
{
  DV_UNUSED(x);
  const dvHexaForce *h = user;
  memcpy(k, h->condensed + 576 * e, 576 * sizeof *k);
}

double dv_hexa_edges(const double *x, const int32_t *e, double edges[3])
{
  dvVec3 a = dv_vec3_load(x + 3 * (size_t)e[0]);
  static const int ends[3] = {1, 3, 4};
  for (int i = 0; i < 3; i++) edges[i] = dv_vec3_norm(dv_vec3_sub(dv_vec3_load(x + 3 * (size_t)e[ends[i]]), a));
  return edges[0] * edges[1] * edges[2];
}

// --- set-up ---

// what a sparse grid says of its cells; once it has changed, they carry that with them
static void read_coefficients(const dvHexaForce *h, const char *name, dvReals *out)
{
  dvField *f = dv_object_field(h->elastic.topology.target, name);
  out->width = 1;
  if (dv_elastic_topology(&h->elastic)->kept) return;
  if (f && f->desc->type == DV_T_REALS && dv_field_pull(f) == DV_OK) dv_reals_share(out, f->value);
}

static dvStatus find_elements(dvHexaForce *h)
{
  dvObject *o = &h->elastic.force.base;
  dvTopology *topology = dv_elastic_topology(&h->elastic);
  const dvInts *hexahedra = dv_force_elements(o, topology, DV_HEXAHEDRON, h->elastic.force.state);
  if (!hexahedra) return DV_ERROR_INPUT;
  h->hexa = hexahedra->data;
  h->count = dv_ints_size(hexahedra);
  read_coefficients(h, "cellStiffness", &h->filled);
  read_coefficients(h, "cellMass", &h->heavy);
  return DV_OK;
}

static void warn_of_shapes(const dvHexaForce *h)
{
  const dvObject *o = &h->elastic.force.base;
  const double *x = dv_state_read(h->elastic.force.state, DV_X_REST);
  const dvQuadrature *rule = dv_shape_quadrature(DV_HEXAHEDRON);
  size_t bad = 0, first = 0;
  for (size_t e = 0; e < h->count; e++) {
    dvVec3 p[8], g[8];
    double least = 1;
    for (int i = 0; i < 8; i++) p[i] = dv_vec3_load(x + 3 * (size_t)h->hexa[8 * e + (size_t)i]);
    for (int i = 0; i < rule->points; i++) least = dv_min(least, gradients(p, rule->at[i], NULL, g));
    if (!(least > 0) && bad++ == 0) first = e;
  }
  if (bad)
    dv_warning(o, "repair the mesh, or change the order of its corners",
               "%zu hexahedra are flat or inside out at rest; the first is number %zu", bad, first);
}

static dvCorotDef definition(dvHexaForce *h)
{
  static const dvCorotFrame frames[] = {DV_FRAME_FIXED, DV_FRAME_EDGES, DV_FRAME_POLAR};
  // mean edges along x, y and z
  static const double weights[24] = {-0.25, 0.25,  0.25, -0.25, -0.25, 0.25,  0.25,  -0.25, -0.25, -0.25, 0.25, 0.25,
                                     -0.25, -0.25, 0.25, 0.25,  -0.25, -0.25, -0.25, -0.25, 0.25,  0.25,  0.25, 0.25};
  const dvState *s = h->elastic.force.state;
  bool condensed = dv_hexa_is_condensed(h);
  return (dvCorotDef){.rest = dv_state_read(s, DV_X_REST),
                      .width = 3,
                      .points = s->count,
                      .connectivity = h->hexa,
                      .nodes = 8,
                      .count = h->count,
                      .frame = frames[h->method],
                      .weights = weights,
                      .stiffness = condensed                  ? condensed_stiffness
                                   : dv_hexa_is_hexahedral(h) ? hexahedral_stiffness
                                                              : hexa_stiffness,
                      .user = h,
                      .changing = h->updateStiffnessMatrix && !condensed,
                      .whole = h->singlePrecision};   // rounded rows do not sum to zero
}

static void show_elements(dvHexaForce *h)
{
  if (dv_hexa_is_hexahedral(h)) return;
  dv_state_show(h->elastic.force.state, DV_X_REST, &h->initialPoints);
  dv_touch(&h->elastic.force.base, &h->stiffnessMatrices);
}

dvStatus dv_hexa_force_reinit(dvObject *o)
{
  dvHexaForce *h = (dvHexaForce *)o;
  h->stale = true;
  DV_TRY(find_elements(h));
  DV_TRY(dv_elastic_check(&h->elastic, h->count, 0.5));
  warn_of_shapes(h);
  dvCorotDef def = definition(h);
  if (dv_hexa_is_condensed(h)) DV_TRY(dv_hexa_condense(h));
  dv_corot_destroy(&h->elements);
  dvStatus status = dv_corot_create(&def, &h->elements);
  dv_free(h->condensed);
  h->condensed = NULL;
  if (status != DV_OK) return dv_error(o, NULL, "out of memory for %zu hexahedra", h->count);
  show_elements(h);
  if (dv_hexa_has_mass(h)) DV_TRY(dv_hexa_find_masses(h));
  h->stale = false;
  return DV_OK;
}

// cells that are condensed need the levels of a grid as they were
static bool patch(dvObject *o)
{
  dvHexaForce *h = (dvHexaForce *)o;
  dvTopology *topology = dv_elastic_topology(&h->elastic);
  if (h->stale || dv_hexa_is_condensed(h)) return false;
  const dvInts *hexahedra = dv_topology_elements(topology, DV_HEXAHEDRON);
  h->hexa = hexahedra->data;
  h->count = dv_ints_size(hexahedra);
  if (!dv_elastic_follows(&h->elastic, h->count) || (h->filled.count > 0 && h->filled.count != h->count) ||
      (h->heavy.count > 0 && h->heavy.count != h->count))
    return false;
  dvCorotDef def = definition(h);
  if (!dv_corot_patch(h->elements, &def, topology, DV_HEXAHEDRON)) return false;
  show_elements(h);
  return !dv_hexa_has_mass(h) || dv_hexa_patch_masses(h);
}

void dv_hexa_force_topology_changed(dvObject *o)
{
  dv_force_patch_or_remake(o, dv_elastic_topology(&((dvHexaForce *)o)->elastic), patch);
}

dvStatus dv_hexa_force_init(dvObject *o)
{
  dvHexaForce *h = (dvHexaForce *)o;
  DV_TRY(dv_elastic_init(o));
  if (dv_hexa_is(h, &dv_hexahedral_class) || dv_hexa_is(h, &dv_hexahedral_mass_class))
    dv_compat_field(o, &h->singlePrecision, DV_COMPAT_HEXAHEDRAL_SINGLE);
  DV_TRY(dv_hexa_force_reinit(o));
  dvElementData *d = dv_elastic_follow(&h->elastic, DV_HEXAHEDRON, 1);
  dv_element_data_add_reals(d, &h->filled, true);
  dv_element_data_add_reals(d, &h->heavy, true);
  if (h->count == 0)
    dv_warning(o, "use a RegularGridTopology, or a mesh of hexahedra",
               "the topology %s has no hexahedra: there will be no force", h->elastic.topology.target->name);
  return DV_OK;
}

// matrices as SOFA shows them, when somebody reads them
dvStatus dv_hexa_force_fetch(dvObject *o, dvField *f)
{
  dvHexaForce *h = (dvHexaForce *)o;
  bool mass = f->value == &h->massMatrices;
  if (!h->elements || (!mass && f->value != &h->stiffnessMatrices) || (mass && !h->mass)) return DV_OK;
  dvReals *list = f->value;
  if (!dv_reals_resize(list, 576 * h->count)) return dv_error(o, NULL, "out of memory for %zu matrices", h->count);
  double *k = dv_reals_edit(list);
  for (size_t e = 0; e < h->count; e++, k += 576) {
    if (!mass) dv_corot_local_stiffness(h->elements, e, k);
    else dv_hexa_mass_matrix(h, e, k);
  }
  return DV_OK;
}

// --- forces ---

static void hexa_force_add_force(dvObject *o, const dvMech *m)
{
  dvHexaForce *h = (dvHexaForce *)o;
  dvState *s = h->elastic.force.state;
  if (h->stale) return;
  const double *x = dv_state_read(s, m->x);
  if (h->updateStiffnessMatrix && !dv_hexa_is_condensed(h)) dv_corot_update(h->elements, x);
  dv_corot_add_force(h->elements, o->context->pool, x, dv_state_write(s, m->f));
}

static void hexa_force_add_dforce(dvObject *o, const dvMech *m)
{
  dvHexaForce *h = (dvHexaForce *)o;
  if (h->stale) return;
  dvState *s = h->elastic.force.state;
  const double *dx = dv_state_read(s, m->dx);
  dv_corot_add_dforce(h->elements, o->context->pool, dx, dv_mech_k(m, h->elastic.force.rayleighStiffness),
                      dv_state_write(s, m->df));
}

static void hexa_force_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  dvHexaForce *h = (dvHexaForce *)o;
  if (h->stale) return;
  dvElementMatrices matrices = dv_corot_matrices(h->elements, dv_mech_k(m, h->elastic.force.rayleighStiffness));
  dv_element_matrices_add(&matrices, sink, h->elastic.force.state);
}

static double hexa_force_energy(dvObject *o, const dvMech *m)
{
  dvHexaForce *h = (dvHexaForce *)o;
  if (h->stale) return 0;
  return dv_corot_energy(h->elements, o->context->pool, dv_state_read(h->elastic.force.state, m->x));
}

void dv_hexa_force_destroy(dvObject *o)
{
  dvHexaForce *h = (dvHexaForce *)o;
  dv_corot_destroy(&h->elements);
  dv_reals_free(&h->filled);
  dv_reals_free(&h->heavy);
  dv_composite_destroy(&h->composite);
  dv_free(h->mass);
  dv_free(h->matrices);
  dv_free(h->condensed);
  dv_free(h->weight);
  dv_free(h->lump);
}

// as SOFA has it: the axes of the elements and the identity, which is not the rotation but part of its inverse
// (docs/differences.md)
static void hexa_force_rotations(dvObject *o, double *out)
{
  dvHexaForce *h = (dvHexaForce *)o;
  size_t points = h->elastic.force.state->count, cells = h->stale ? 0 : dv_corot_blocks(h->elements)->elements;
  const int32_t *corner = h->hexa;
  double axes[9];
  for (size_t i = 0; i < 9 * points; i++) out[i] = i % 9 % 4 == 0;
  for (size_t e = 0; e < cells; e++) {
    dv_corot_axes(h->elements, e, axes);
    dv_point_rotations_add(out, corner + 8 * e, 8, axes);
  }
  dv_point_rotations_finish(out, points, o->context->pool);
}

#define HEXA_OPS                                                                                                     \
  .add_force = hexa_force_add_force, .add_dforce = hexa_force_add_dforce, .add_stiffness = hexa_force_add_stiffness, \
  .energy = hexa_force_energy, DV_FORCE_SLOTS
const dvForceOps dv_hexa_force_ops = {HEXA_OPS, .rotations = hexa_force_rotations};
const dvForceOps dv_hexahedral_force_ops = {HEXA_OPS};

const dvClass dv_hexa_fem_class = {
    DV_HEXA_CLASS,
    .name = "HexahedronFEMForceField",
    .help = "corotational trilinear finite elements on hexahedra, isotropic material",
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .blocks = {&dv_object_block, &dv_force_block, &dv_elastic_block, DV_BLOCK(hexa_fields)},
    .ops = {[DV_ROLE_FORCE] = &dv_hexa_force_ops},
};

const dvClass dv_parallel_hexa_fem_class = {
    DV_HEXA_CLASS,
    .name = "ParallelHexahedronFEMForceField",
    .help = "corotational trilinear finite elements on hexahedra, isotropic material",
    .module = "MultiThreading",
    .blocks = {&dv_object_block, &dv_force_block, &dv_elastic_block, DV_BLOCK(hexa_fields),
               DV_BLOCK(parallel_hexa_fields)},
    .ops = {[DV_ROLE_FORCE] = &dv_hexa_force_ops},
};

const dvClass dv_hexahedral_class = {
    DV_HEXA_CLASS,
    .name = "HexahedralFEMForceField",
    .help = "corotational trilinear finite elements on boxes along the axes, isotropic material",
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .blocks = {&dv_object_block, &dv_force_block, &dv_elastic_block, DV_BLOCK(hexahedral_fields)},
    .ops = {[DV_ROLE_FORCE] = &dv_hexahedral_force_ops},
};
