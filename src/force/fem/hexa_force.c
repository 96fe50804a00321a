// HexahedronFEMForceField, its parallel name, HexahedralFEMForceField, and both with a mass: corotational trilinear hexahedra
// of an isotropic material (M. Nesme, Y. Payan, F. Faure, Efficient, physically plausible finite elements, 2005).
//
// K is integrated at 2 x 2 x 2 points in the frame at rest; where the cells are parallelepipeds (to a thousandth, as in
// SOFA) with the one Jacobian of their edges. The computation is in corot.c. Needs a topology with hexahedra; a sparse
// grid may say how far each cell is filled (cellStiffness, cellMass).
//
// HexahedralFEMForceField takes every cell as a box along the axes of the world, with the diagonal from corner 0 to corner 6,
// and has the entries of its matrix in single precision before they are multiplied by the volume: SOFA does both.
//
// The mass matrix is SOFA's: all entries of an element between the same axes are 8/27 of its mass, which is 19 times the
// inertia of the consistent matrix; the weight is that of the mass.
#include "force/fem/corot.h"
#include "force/fem/elastic.h"
#include "force/fem/shape.h"

#include <string.h>

extern const dvClass dv_hexa_fem_class, dv_parallel_hexa_fem_class, dv_hexa_fem_mass_class, dv_hexahedral_class, dv_hexahedral_mass_class;

#define HEXA_METHOD_FIELDS(X)                                                                                         \
  X(choice, method, "large", "", "rotation of an element: from its mean edges (large), polar decomposition (polar), none (small)", .options = "small|large|polar")
#define HEXA_FIELDS(X)                                                                                                \
  X(bool, updateStiffnessMatrix, "0", "", "integrate the stiffness again from the present shape at each evaluation of the force")        \
  X(reals, stiffnessMatrices, "", "N/m", "matrices of 24 x 24 of the elements in their frames", .flags = DV_OUTPUT | DV_READ_ONLY | DV_HIDDEN) \
  X(vec3s, initialPoints, "", "m", "positions at rest", .flags = DV_READ_ONLY)                                        \
  X(string, gatherPt, "", "", "concerns graphics cards only", .flags = DV_HIDDEN)                                     \
  X(string, gatherBsize, "", "", "concerns graphics cards only", .flags = DV_HIDDEN)                                  \
  X(bool, drawing, "1", "", "draw the elements", .flags = DV_LOOKS)                                                   \
  X(real, drawPercentageOffset, "0.15", "", "gap between drawn elements", .flags = DV_LOOKS)

#define HEXAHEDRAL_FIELDS(X) X(reals, hexahedronInfo, "", "", "not used: what an element keeps is internal", .flags = DV_HIDDEN)

#define HEXAHEDRAL_MASS_FIELDS(X)                                                                                     \
  X(reals, totalMass, "", "kg", "mass of each element", .flags = DV_READ_ONLY)                                        \
  X(reals, particleMasses, "", "kg", "mass of each point: an eighth of those of its elements", .flags = DV_READ_ONLY) \
  X(vec3s, lumpedMasses, "", "kg", "rows of the mass matrix summed, with lumpedMass", .flags = DV_READ_ONLY)

#define HEXA_MASS_FIELDS(X)                                                                                           \
  X(bool, separateGravity, "0", "", "add gravity to the velocity before the forces instead of as a force")            \
  X(real, rayleighMass, "0", "1/s", "damping in proportion to this mass")                                             \
  X(real, density, "1", "kg/m3", "mass density")                                                                      \
  X(bool, lumpedMass, "0", "", "sum the rows of the mass matrix onto its diagonal")                                   \
  X(reals, massMatrices, "", "kg", "matrices of 24 x 24 of the elements", .flags = DV_OUTPUT | DV_READ_ONLY | DV_HIDDEN)

typedef struct HexaForce {
  dvElastic elastic;
  HEXA_METHOD_FIELDS(DV_MEMBER)
  HEXA_FIELDS(DV_MEMBER)
  HEXAHEDRAL_FIELDS(DV_MEMBER)
  HEXAHEDRAL_MASS_FIELDS(DV_MEMBER)
  HEXA_MASS_FIELDS(DV_MEMBER)
  DV_PARALLEL_FIELDS(DV_MEMBER)
  dvCorot *elements;
  const int32_t *hexa;      // eight points each, the topology's
  size_t count;
  unsigned revision;        // of the topology they were made from
  bool stale;               // there is no valid set of elements
  dvReals filled, heavy;    // factors of each element on stiffness and mass; empty: 1
  double *mass;             // [count] an entry of the mass matrix of each element
  double *weight, *lump;    // [points] mass that gravity pulls; rows of the mass matrix summed
} HexaForce;

#define SELF HexaForce
static const dvFieldDesc hexa_fields[] = {HEXA_METHOD_FIELDS(DV_DESCRIBE) HEXA_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc hexahedral_fields[] = {HEXA_METHOD_FIELDS(DV_DESCRIBE) HEXAHEDRAL_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc hexahedral_mass_fields[] = {HEXA_MASS_FIELDS(DV_DESCRIBE) HEXAHEDRAL_MASS_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc parallel_hexa_fields[] = {DV_PARALLEL_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc hexa_mass_fields[] = {HEXA_MASS_FIELDS(DV_DESCRIBE)};
#undef SELF

static bool is_a(const HexaForce *h, const dvClass *cls) { return h->elastic.force.base.cls == cls; }
static bool has_mass(const HexaForce *h) { return is_a(h, &dv_hexa_fem_mass_class) || is_a(h, &dv_hexahedral_mass_class); }
static bool is_hexahedral(const HexaForce *h) { return is_a(h, &dv_hexahedral_class) || is_a(h, &dv_hexahedral_mass_class); }
static double coefficient(const dvReals *list, size_t e) { return e < list->count ? list->data[e] : 1; }

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
  const HexaForce *h = user;
  const dvQuadrature *rule = dv_shape_quadrature(DV_HEXAHEDRON);
  double young = dv_elastic_young(&h->elastic, e), nu = dv_elastic_poisson(&h->elastic, e), filled = coefficient(&h->filled, e);
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

// of a box along the axes of the world
static void hexahedral_stiffness(void *user, size_t e, const double *x, double *k)
{
  const HexaForce *h = user;
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
  memset(k, 0, 576 * sizeof *k);
  if (diagonal[0] == 0 || diagonal[1] == 0 || diagonal[2] == 0) return;
  for (int i = 0; i < rule->points; i++) {
    double dn[DV_SHAPE_NODES][3];
    dvVec3 g[8];
    dv_shape_derivatives(DV_HEXAHEDRON, rule->at[i], dn);
    for (int c = 0; c < 8; c++) g[c] = dv_vec3(2 / diagonal[0] * dn[c][0], 2 / diagonal[1] * dn[c][1], 2 / diagonal[2] * dn[c][2]);
    dv_stiffness_add(8, g, 1, dv_lame_lambda(young, nu, 3), dv_lame_mu(young, nu), k);
  }
  for (int i = 0; i < 576; i++) k[i] = (float)k[i] * volume / 8;
}

// --- masses ---

static double edge_volume(const double *x, const int32_t *e)
{
  dvVec3 a = dv_vec3_load(x + 3 * (size_t)e[0]);
  static const int ends[3] = {1, 3, 4};
  double volume = 1;
  for (int i = 0; i < 3; i++) volume *= dv_vec3_norm(dv_vec3_sub(dv_vec3_load(x + 3 * (size_t)e[ends[i]]), a));
  return volume;
}

// as SOFA shows them
static bool show_masses(HexaForce *h)
{
  size_t points = h->elastic.force.state->count;
  if (!dv_reals_resize(&h->totalMass, h->count) || !dv_reals_resize(&h->particleMasses, points)) return false;
  if (h->lumpedMass && !dv_reals_resize(&h->lumpedMasses, 3 * points)) return false;
  for (size_t e = 0; e < h->count; e++) dv_reals_edit(&h->totalMass)[e] = h->mass[e] * 27 / 8;
  for (size_t p = 0; p < points; p++) dv_reals_edit(&h->particleMasses)[p] = h->weight[p];
  for (size_t i = 0; i < 3 * points && h->lumpedMass; i++) dv_reals_edit(&h->lumpedMasses)[i] = h->lump[i / 3];
  return true;
}

static void find_masses(HexaForce *h)
{
  dvState *s = h->elastic.force.state;
  const double *x = dv_state_read(s, DV_X_REST);
  dv_free(h->mass);
  dv_free(h->weight);
  dv_free(h->lump);
  h->mass = dv_alloc((h->count + 1) * sizeof *h->mass);
  h->weight = dv_alloc((s->count + 1) * sizeof *h->weight);
  h->lump = dv_alloc((s->count + 1) * sizeof *h->lump);
  for (size_t e = 0; e < h->count; e++) {
    const int32_t *corner = h->hexa + 8 * e;
    double mass = h->density * edge_volume(x, corner) * coefficient(&h->heavy, e);
    h->mass[e] = mass * 8 / 27;
    for (int i = 0; i < 8; i++) {
      h->weight[corner[i]] += mass / 8;
      h->lump[corner[i]] += 8 * h->mass[e];
    }
  }
}

// --- set-up ---

// what a sparse grid says of its cells
static void read_coefficients(const HexaForce *h, const char *name, dvReals *out)
{
  dvField *f = dv_object_field(h->elastic.topology.target, name);
  out->width = 1;
  if (f && f->desc->type == DV_T_REALS && dv_field_pull(f) == DV_OK) dv_reals_share(out, f->value);
}

static dvStatus find_elements(HexaForce *h)
{
  dvObject *o = &h->elastic.force.base;
  dvTopology *topology = dv_elastic_topology(&h->elastic);
  const dvInts *hexahedra = dv_force_elements(o, topology, DV_HEXAHEDRON, h->elastic.force.state);
  if (!hexahedra) return DV_ERROR_INPUT;
  h->hexa = hexahedra->data;
  h->count = dv_ints_size(hexahedra);
  h->revision = topology->revision;
  read_coefficients(h, "cellStiffness", &h->filled);
  read_coefficients(h, "cellMass", &h->heavy);
  return DV_OK;
}

static void warn_of_shapes(const HexaForce *h)
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
  if (bad) dv_warning(o, "repair the mesh, or change the order of its corners", "%zu hexahedra are flat or inside out at rest; the first is number %zu", bad, first);
}

static dvStatus hexa_force_reinit(dvObject *o)
{
  static const dvCorotFrame frames[] = {DV_FRAME_FIXED, DV_FRAME_EDGES, DV_FRAME_POLAR};
  // mean edges along x, y and z
  static const double weights[24] = {-0.25, 0.25, 0.25, -0.25, -0.25, 0.25, 0.25, -0.25, -0.25, -0.25, 0.25, 0.25,
                                     -0.25, -0.25, 0.25, 0.25, -0.25, -0.25, -0.25, -0.25, 0.25, 0.25, 0.25, 0.25};
  HexaForce *h = (HexaForce *)o;
  dvState *s = h->elastic.force.state;
  h->stale = true;
  DV_TRY(find_elements(h));
  DV_TRY(dv_elastic_check(&h->elastic, h->count, 0.5));
  warn_of_shapes(h);
  dvCorotDef def = {.rest = dv_state_read(s, DV_X_REST), .width = 3, .points = s->count, .connectivity = h->hexa, .nodes = 8, .count = h->count,
                    .frame = frames[h->method], .weights = weights, .stiffness = is_hexahedral(h) ? hexahedral_stiffness : hexa_stiffness, .user = h, .changing = h->updateStiffnessMatrix};
  dv_corot_destroy(&h->elements);
  if (dv_corot_create(&def, &h->elements) != DV_OK) return dv_error(o, NULL, "out of memory for %zu hexahedra", h->count);
  if (!is_hexahedral(h)) {
    dv_reals_share(&h->initialPoints, s->vec[DV_X_REST]);
    dv_touch(o, &h->stiffnessMatrices);
  }
  if (has_mass(h) && !(h->density >= 0)) return dv_field_error(o, &h->density, NULL, "density %g is negative", h->density);
  if (has_mass(h)) {
    find_masses(h);
    dv_touch(o, &h->massMatrices);
    if (is_hexahedral(h) && !show_masses(h)) return dv_error(o, NULL, "out of memory for %zu masses", h->count);
  }
  h->stale = false;
  return DV_OK;
}

static dvStatus hexa_force_init(dvObject *o)
{
  HexaForce *h = (HexaForce *)o;
  DV_TRY(dv_elastic_init(o));
  DV_TRY(hexa_force_reinit(o));
  if (h->count == 0)
    dv_warning(o, "use a RegularGridTopology, or a mesh of hexahedra", "the topology %s has no hexahedra: there will be no force", h->elastic.topology.target->name);
  return DV_OK;
}

// matrices as SOFA shows them, when somebody reads them
static dvStatus hexa_force_fetch(dvObject *o, dvField *f)
{
  HexaForce *h = (HexaForce *)o;
  bool mass = f->value == &h->massMatrices;
  if (!h->elements || (!mass && f->value != &h->stiffnessMatrices) || (mass && !h->mass)) return DV_OK;
  dvReals *list = f->value;
  if (!dv_reals_resize(list, 576 * h->count)) return dv_error(o, NULL, "out of memory for %zu matrices", h->count);
  double *k = dv_reals_edit(list);
  for (size_t e = 0; e < h->count; e++, k += 576) {
    if (!mass) dv_corot_local_stiffness(h->elements, e, k);
    for (int i = 0; i < 576 && mass; i++) k[i] = i / 24 % 3 == i % 3 ? h->mass[e] : 0;
  }
  return DV_OK;
}

static bool follow_topology(HexaForce *h)
{
  if (dv_force_mesh_changed(&h->elastic.topology, &h->revision)) hexa_force_reinit(&h->elastic.force.base);
  return !h->stale;
}

// --- forces ---

static void hexa_force_add_force(dvObject *o, const dvMech *m)
{
  HexaForce *h = (HexaForce *)o;
  dvState *s = h->elastic.force.state;
  if (!follow_topology(h)) return;
  const double *x = dv_state_read(s, m->x);
  if (h->updateStiffnessMatrix) dv_corot_update(h->elements, x);
  dv_corot_add_force(h->elements, o->context->pool, x, dv_state_write(s, m->f));
}

static void hexa_force_add_dforce(dvObject *o, const dvMech *m)
{
  HexaForce *h = (HexaForce *)o;
  if (h->stale) return;
  dvState *s = h->elastic.force.state;
  const double *dx = dv_state_read(s, m->dx);
  dv_corot_add_dforce(h->elements, o->context->pool, dx, dv_mech_k(m, h->elastic.force.rayleighStiffness), dv_state_write(s, m->df));
}

static void hexa_force_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  HexaForce *h = (HexaForce *)o;
  if (h->stale) return;
  const dvState *s = h->elastic.force.state;
  for (size_t e = 0; e < h->count; e++) {
    double k[DV_COROT_MATRIX];
    dv_corot_stiffness(h->elements, e, dv_mech_k(m, h->elastic.force.rayleighStiffness), k);
    dv_sink_add_element(sink, s, h->hexa + 8 * e, 8, k);
  }
}

static double hexa_force_energy(dvObject *o, const dvMech *m)
{
  HexaForce *h = (HexaForce *)o;
  if (h->stale) return 0;
  return dv_corot_energy(h->elements, o->context->pool, dv_state_read(h->elastic.force.state, m->x));
}

static void hexa_force_destroy(dvObject *o)
{
  HexaForce *h = (HexaForce *)o;
  dv_corot_destroy(&h->elements);
  dv_reals_free(&h->filled);
  dv_reals_free(&h->heavy);
  dv_free(h->mass);
  dv_free(h->weight);
  dv_free(h->lump);
}

// --- the mass ---

// out += factor M in; every corner of an element gets the same sum
static void multiply_mass(const HexaForce *h, const double *in, double factor, double *out)
{
  if (h->stale) return;
  if (h->lumpedMass) {
    size_t points = h->elastic.force.state->count;
    for (size_t i = 0; i < 3 * points; i++) out[i] += factor * h->lump[i / 3] * in[i];
    return;
  }
  for (size_t e = 0; e < h->count; e++) {
    const int32_t *corner = h->hexa + 8 * e;
    dvVec3 sum = {0, 0, 0};
    for (int i = 0; i < 8; i++) sum = dv_vec3_add(sum, dv_vec3_load(in + 3 * (size_t)corner[i]));
    sum = dv_vec3_scale(sum, factor * h->mass[e]);
    for (int i = 0; i < 8; i++) dv_vec3_accumulate(out + 3 * (size_t)corner[i], sum);
  }
}

static void hexa_mass_add_mdx(dvObject *o, const dvMech *m, double factor)
{
  HexaForce *h = (HexaForce *)o;
  dvState *s = h->elastic.force.state;
  multiply_mass(h, dv_state_read(s, m->dx), factor, dv_state_write(s, m->df));
}

static void hexa_mass_add_gravity(dvObject *o, const dvMech *m)
{
  HexaForce *h = (HexaForce *)o;
  dvState *s = h->elastic.force.state;
  if (h->separateGravity || !follow_topology(h)) return;
  double *f = dv_state_write(s, m->f);
  for (size_t i = 0; i < 3 * s->count; i++) f[i] += h->weight[i / 3] * m->gravity[i % 3];
}

static void hexa_mass_add_gravity_to_v(dvObject *o, const dvMech *m)
{
  HexaForce *h = (HexaForce *)o;
  dvState *s = h->elastic.force.state;
  if (!h->separateGravity) return;
  double *v = dv_state_write(s, m->v);
  for (size_t i = 0; i < 3 * s->count; i++) v[i] += m->dt * m->gravity[i % 3];
}

static void hexa_mass_add_matrix(dvObject *o, double factor, dvMatrixSink *sink)
{
  HexaForce *h = (HexaForce *)o;
  const dvState *s = h->elastic.force.state;
  double block[9] = {0};
  for (size_t p = 0; p < s->count && h->lumpedMass; p++) {
    for (int k = 0; k < 9; k += 4) block[k] = factor * h->lump[p];
    sink->add(sink, s, p, s, p, 3, 3, block);
  }
  for (size_t i = 0; i < 64 * h->count && !h->lumpedMass; i++) {
    size_t e = i / 64;
    for (int k = 0; k < 9; k += 4) block[k] = factor * h->mass[e];
    sink->add(sink, s, (size_t)h->hexa[8 * e + i / 8 % 8], s, (size_t)h->hexa[8 * e + i % 8], 3, 3, block);
  }
}

static double hexa_mass_kinetic(dvObject *o, int v)
{
  HexaForce *h = (HexaForce *)o;
  dvState *s = h->elastic.force.state;
  const double *velocity = dv_state_read(s, v);
  double *momentum = dv_alloc((3 * s->count + 1) * sizeof *momentum), sum = 0;
  multiply_mass(h, velocity, 1, momentum);
  for (size_t i = 0; i < 3 * s->count; i++) sum += velocity[i] * momentum[i];
  dv_free(momentum);
  return 0.5 * sum;
}

static double hexa_mass_potential(dvObject *o, const dvMech *m)
{
  HexaForce *h = (HexaForce *)o;
  dvState *s = h->elastic.force.state;
  const double *x = dv_state_read(s, m->x);
  double sum = 0;
  for (size_t i = 0; i < 3 * s->count; i++) sum -= h->weight[i / 3] * m->gravity[i % 3] * x[i];
  return sum;
}

static double hexa_mass_of_element(dvObject *o, size_t index)
{
  HexaForce *h = (HexaForce *)o;
  return index < h->elastic.force.state->count ? h->weight[index] : 0;
}

static const dvForceOps hexa_force_ops = {
    .add_force = hexa_force_add_force,
    .add_dforce = hexa_force_add_dforce,
    .add_stiffness = hexa_force_add_stiffness,
    .energy = hexa_force_energy,
    .states = dv_force_state,
};

static const dvMassOps hexa_mass_ops = {
    .add_mdx = hexa_mass_add_mdx,
    .add_gravity = hexa_mass_add_gravity,
    .add_gravity_to_v = hexa_mass_add_gravity_to_v,
    .add_matrix = hexa_mass_add_matrix,
    .kinetic = hexa_mass_kinetic,
    .potential = hexa_mass_potential,
    .of_element = hexa_mass_of_element,
};

#define HEXA_CLASS                                                                                                     \
  .struct_size = sizeof(dvClass), .dofs = DV_DOF_VEC3, .size = sizeof(HexaForce), .init = hexa_force_init,             \
  .reinit = hexa_force_reinit, .fetch = hexa_force_fetch, .destroy = hexa_force_destroy

const dvClass dv_hexa_fem_class = {
    HEXA_CLASS,
    .name = "HexahedronFEMForceField",
    .help = "corotational trilinear finite elements on hexahedra, isotropic material",
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .blocks = {&dv_object_block, &dv_force_block, &dv_elastic_block, DV_BLOCK(hexa_fields)},
    .ops = {[DV_ROLE_FORCE] = &hexa_force_ops},
};

const dvClass dv_parallel_hexa_fem_class = {
    HEXA_CLASS,
    .name = "ParallelHexahedronFEMForceField",
    .help = "corotational trilinear finite elements on hexahedra, isotropic material",
    .module = "MultiThreading",
    .blocks = {&dv_object_block, &dv_force_block, &dv_elastic_block, DV_BLOCK(hexa_fields), DV_BLOCK(parallel_hexa_fields)},
    .ops = {[DV_ROLE_FORCE] = &hexa_force_ops},
};

const dvClass dv_hexa_fem_mass_class = {
    HEXA_CLASS,
    .name = "HexahedronFEMForceFieldAndMass",
    .help = "corotational trilinear finite elements on hexahedra that have a mass too",
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .blocks = {&dv_object_block, &dv_force_block, &dv_elastic_block, DV_BLOCK(hexa_fields), DV_BLOCK(hexa_mass_fields)},
    .ops = {[DV_ROLE_FORCE] = &hexa_force_ops, [DV_ROLE_MASS] = &hexa_mass_ops},
};

const dvClass dv_hexahedral_class = {
    HEXA_CLASS,
    .name = "HexahedralFEMForceField",
    .help = "corotational trilinear finite elements on boxes along the axes, isotropic material",
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .blocks = {&dv_object_block, &dv_force_block, &dv_elastic_block, DV_BLOCK(hexahedral_fields)},
    .ops = {[DV_ROLE_FORCE] = &hexa_force_ops},
};

const dvClass dv_hexahedral_mass_class = {
    HEXA_CLASS,
    .name = "HexahedralFEMForceFieldAndMass",
    .help = "corotational trilinear finite elements on boxes along the axes that have a mass too",
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .blocks = {&dv_object_block, &dv_force_block, &dv_elastic_block, DV_BLOCK(hexahedral_fields), DV_BLOCK(hexahedral_mass_fields)},
    .ops = {[DV_ROLE_FORCE] = &hexa_force_ops, [DV_ROLE_MASS] = &hexa_mass_ops},
};
