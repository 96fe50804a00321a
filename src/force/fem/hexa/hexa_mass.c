// The mass of hexahedra, and the classes HexahedronFEMForceFieldAndMass and HexahedralFEMForceFieldAndMass.
//
// The mass matrix of a box of mass m is the consistent one, the product of (1 1/2; 1/2 1)/3 along each axis:
//
//   M_ij = m/27 2^-d,   d the number of axes along which the corners i and j differ
//
// With compat sofa all entries are 8/27 m, which is 64 x 8/27 = 19 times the inertia; the weight is that of the mass.
// Condensed cells (hexa_condensed.c) bring a matrix of their own along each axis.
#include "force/fem/hexa/hexa_force.h"
#include "math/vec.h"
#include "object/compat.h"

#include <math.h>

#define SELF dvHexaForce
static const dvFieldDesc hexa_fields[] = {HEXA_METHOD_FIELDS(DV_DESCRIBE) HEXA_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc hexahedral_fields[] = {HEXA_METHOD_FIELDS(DV_DESCRIBE) HEXAHEDRAL_FIELDS(DV_DESCRIBE)
                                                    HEXAHEDRAL_SINGLE_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc hexa_mass_fields[] = {HEXA_MASS_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc hexahedral_mass_fields[] = {HEXA_MASS_FIELDS(DV_DESCRIBE) HEXAHEDRAL_MASS_FIELDS(DV_DESCRIBE)};
#undef SELF

// --- set-up ---

// every point has the same mass
static bool by_points(const dvHexaForce *h)
{
  return !h->useMass && (dv_hexa_is(h, &dv_nonuniform_hexa_class) || dv_hexa_is(h, &dv_composite_hexa_class));
}

static bool is_lumped(const dvHexaForce *h) { return h->lumpedMass || by_points(h); }

double dv_hexa_mass_share(int i, int j)
{
  int a[3], b[3];
  double share = 1.0 / 27;
  dv_corner_place(i, a);
  dv_corner_place(j, b);
  for (int k = 0; k < 3; k++) share *= a[k] == b[k] ? 1 : 0.5;
  return share;
}

void dv_hexa_mass_matrix(const dvHexaForce *h, size_t e, double *m)
{
  for (size_t i = 0; i < 24; i++)
    for (size_t j = 0; j < 24; j++) {
      bool same = i % 3 == j % 3;
      m[24 * i + j] = !same         ? 0
                      : h->matrices ? h->matrices[192 * e + 64 * (i % 3) + 8 * (i / 3) + j / 3]
                      : h->uniform  ? h->mass[e] * 8 / 27
                                    : h->mass[e] * dv_hexa_mass_share((int)(i / 3), (int)(j / 3));
    }
}

// as SOFA shows them
static bool show_masses(dvHexaForce *h)
{
  size_t points = h->elastic.force.state->count;
  if (!dv_reals_resize(&h->totalMass, h->count) || !dv_reals_resize(&h->particleMasses, points)) return false;
  if (h->lumpedMass && !dv_reals_resize(&h->lumpedMasses, 3 * points)) return false;
  for (size_t e = 0; e < h->count; e++) dv_reals_edit(&h->totalMass)[e] = h->mass[e];
  for (size_t p = 0; p < points; p++) dv_reals_edit(&h->particleMasses)[p] = h->weight[p];
  for (size_t i = 0; i < 3 * points && h->lumpedMass; i++) dv_reals_edit(&h->lumpedMasses)[i] = h->lump[i];
  return true;
}

static void add_row(dvHexaForce *h, size_t e, size_t i)
{
  size_t point = (size_t)h->hexa[8 * e + i];
  h->weight[point] += h->mass[e] / 8;
  for (size_t a = 0; a < 3; a++) {
    double sum = h->matrices ? 0 : h->uniform ? 8 * h->mass[e] * 8 / 27 : h->mass[e] / 8;
    for (size_t j = 0; j < 8 && h->matrices; j++) sum += h->matrices[192 * e + 64 * a + 8 * i + j];
    h->lump[3 * point + a] += sum;
  }
}

static void find_mass(dvHexaForce *h, const double *x, size_t e)
{
  double edges[3];
  h->mass[e] =
      h->density * dv_hexa_edges(x, h->hexa + 8 * e, edges) * dv_hexa_filled(&h->heavy, e) * dv_hexa_share(h, e);
}

dvStatus dv_hexa_find_masses(dvHexaForce *h)
{
  dvObject *o = &h->elastic.force.base;
  dvState *s = h->elastic.force.state;
  const double *x = dv_state_read(s, DV_X_REST);
  if (!(h->density >= 0)) return dv_field_error(o, &h->density, NULL, "density %g is negative", h->density);
  if (by_points(h) && !(h->pointsMass >= 0))
    return dv_field_error(o, &h->pointsMass, NULL, "totalMass %g is negative", h->pointsMass);
  bool known = dv_hexa_is(h, &dv_nonuniform_hexahedral_class);   // masses of condensed voxels
  h->uniform = !h->matrices && dv_compat(o, DV_COMPAT_HEXA_INERTIA);
  if (!known) {
    dv_free(h->mass);
    h->mass = dv_alloc((h->count + 1) * sizeof *h->mass);
  }
  dv_free(h->weight);
  dv_free(h->lump);
  h->weight = dv_alloc((s->count + 1) * sizeof *h->weight);
  h->lump = dv_alloc((3 * s->count + 1) * sizeof *h->lump);
  h->room[0] = h->count + 1;
  h->room[1] = s->count + 1;
  for (size_t e = 0; e < h->count; e++) {
    if (!known) find_mass(h, x, e);
    for (size_t i = 0; i < 8; i++) add_row(h, e, i);
  }
  for (size_t i = 0; i < 3 * s->count; i++) h->lump[i] = fabs(h->lump[i]);
  if (by_points(h)) {
    size_t parts = dv_compat(o, DV_COMPAT_POINTS_MASS) ? h->count : s->count;
    double each = h->pointsMass / (double)dv_max_size(parts, 1);
    for (size_t i = 0; i < s->count; i++)
      h->weight[i] = h->lump[3 * i] = h->lump[3 * i + 1] = h->lump[3 * i + 2] = each;
  }
  dv_touch(o, &h->massMatrices);
  if (dv_hexa_is_hexahedral(h) && !show_masses(h)) return dv_error(o, NULL, "out of memory for %zu masses", h->count);
  return DV_OK;
}

// --- a mesh that changes ---

static bool grow(double **array, size_t had, size_t now, size_t record)
{
  double *grown =
      now > had ? dv_try_realloc(*array, had * record * sizeof *grown, now * record * sizeof *grown) : *array;
  if (grown) *array = grown;
  return grown;
}

static bool make_room(dvHexaForce *h, size_t points)
{
  size_t cells = h->count < h->room[0] ? h->room[0] : h->count + h->count / 2 + 1,
         rows = points < h->room[1] ? h->room[1] : points + points / 2 + 1;
  bool good = grow(&h->mass, h->room[0], cells, 1) && grow(&h->weight, h->room[1], rows, 1) &&
              grow(&h->lump, h->room[1], rows, 3);
  h->room[0] = cells;
  h->room[1] = rows;
  return good;
}

// the sums of a point, in the order of its cells
static void sum_point(dvHexaForce *h, dvTopology *mesh, int32_t point, dvNumbers *around)
{
  dv_trace_around(mesh, DV_HEXAHEDRON, &(dvNumbers){.data = &point, .count = 1}, around);
  h->weight[point] = 0;
  for (size_t a = 0; a < 3; a++) h->lump[3 * (size_t)point + a] = 0;
  for (size_t k = 0; k < 8 * around->count; k++)
    if (h->hexa[8 * (size_t)around->data[k / 8] + k % 8] == point) add_row(h, (size_t)around->data[k / 8], k % 8);
  for (size_t a = 0; a < 3; a++) h->lump[3 * (size_t)point + a] = fabs(h->lump[3 * (size_t)point + a]);
}

// the fields that have changed, row by row
static bool show_some(dvHexaForce *h, const dvNumbers *cells, const dvNumbers *points)
{
  size_t count = h->elastic.force.state->count;
  if (!dv_reals_resize(&h->totalMass, h->count) || !dv_reals_resize(&h->particleMasses, count)) return false;
  if (h->lumpedMass && !dv_reals_resize(&h->lumpedMasses, 3 * count)) return false;
  double *mass = dv_reals_edit(&h->totalMass), *weight = dv_reals_edit(&h->particleMasses),
         *lump = h->lumpedMass ? dv_reals_edit(&h->lumpedMasses) : NULL;
  for (size_t i = 0; i < cells->count; i++) mass[cells->data[i]] = h->mass[cells->data[i]];
  for (size_t i = 0; i < points->count; i++) {
    weight[points->data[i]] = h->weight[points->data[i]];
    for (int32_t a = 0; a < 3 && lump; a++) lump[3 * points->data[i] + a] = h->lump[3 * points->data[i] + a];
  }
  return true;
}

bool dv_hexa_patch_masses(dvHexaForce *h)
{
  dvTopology *mesh = dv_elastic_topology(&h->elastic);
  const dvState *s = h->elastic.force.state;
  const double *x = dv_state_read(s, DV_X_REST);
  const dvNumbers *points = dv_trace_points(dv_topology_trace(mesh));
  dvNumbers some = {0}, around = {0};
  if (dv_topology_point_count(mesh) != s->count || !make_room(h, s->count)) return false;
  dv_trace_shapes(mesh, DV_HEXAHEDRON, &some);
  for (size_t i = 0; i < some.count; i++) find_mass(h, x, (size_t)some.data[i]);
  for (size_t i = 0; i < points->count; i++) sum_point(h, mesh, points->data[i], &around);
  bool good = !dv_hexa_is_hexahedral(h) || show_some(h, &some, points);
  dv_array_free(&some);
  dv_array_free(&around);
  dv_touch(&h->elastic.force.base, &h->massMatrices);
  return good;
}

// --- products ---

// every corner of an element gets the same sum
static void multiply_uniform(const dvHexaForce *h, size_t e, const double *in, double factor, double *out)
{
  const int32_t *corner = h->hexa + 8 * e;
  dvVec3 sum = {0, 0, 0};
  for (int i = 0; i < 8; i++) sum = dv_vec3_add(sum, dv_vec3_load(in + 3 * (size_t)corner[i]));
  sum = dv_vec3_scale(sum, factor * h->mass[e] * 8 / 27);
  for (int i = 0; i < 8; i++) dv_vec3_accumulate(out + 3 * (size_t)corner[i], sum);
}

// the same matrix of two points along each axis in turn
static void multiply_consistent(const dvHexaForce *h, size_t e, const double *in, double factor, double *out)
{
  static const int8_t ends[12][2] = {{0, 1}, {3, 2}, {4, 5}, {7, 6}, {0, 3}, {1, 2},
                                     {4, 7}, {5, 6}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
  const int32_t *corner = h->hexa + 8 * e;
  dvVec3 x[8];
  for (int i = 0; i < 8; i++) x[i] = dv_vec3_scale(dv_vec3_load(in + 3 * (size_t)corner[i]), factor * h->mass[e] / 27);
  for (int i = 0; i < 12; i++) {
    dvVec3 a = x[ends[i][0]], b = x[ends[i][1]];
    x[ends[i][0]] = dv_vec3_add_scaled(a, b, 0.5);
    x[ends[i][1]] = dv_vec3_add_scaled(b, a, 0.5);
  }
  for (int i = 0; i < 8; i++) dv_vec3_accumulate(out + 3 * (size_t)corner[i], x[i]);
}

static void multiply_condensed(const dvHexaForce *h, size_t e, const double *in, double factor, double *out)
{
  const int32_t *corner = h->hexa + 8 * e;
  double x[3][8];
  for (size_t i = 0; i < 8; i++)
    for (size_t a = 0; a < 3; a++) x[a][i] = factor * in[3 * (size_t)corner[i] + a];
  for (size_t i = 0; i < 8; i++)
    for (size_t a = 0; a < 3; a++) {
      const double *row = h->matrices + 192 * e + 64 * a + 8 * i;
      double sum = 0;
      for (size_t j = 0; j < 8; j++) sum += row[j] * x[a][j];
      out[3 * (size_t)corner[i] + a] += sum;
    }
}

// out += factor M in
static void multiply_mass(const dvHexaForce *h, const double *in, double factor, double *out)
{
  if (h->stale) return;
  if (is_lumped(h)) {
    size_t points = h->elastic.force.state->count;
    for (size_t i = 0; i < 3 * points; i++) out[i] += factor * h->lump[i] * in[i];
    return;
  }
  for (size_t e = 0; e < h->count; e++) {
    if (h->matrices) multiply_condensed(h, e, in, factor, out);
    else if (h->uniform) multiply_uniform(h, e, in, factor, out);
    else multiply_consistent(h, e, in, factor, out);
  }
}

static void hexa_mass_add_mdx(dvObject *o, const dvMech *m, double factor)
{
  dvHexaForce *h = (dvHexaForce *)o;
  dvState *s = h->elastic.force.state;
  multiply_mass(h, dv_state_read(s, m->dx), factor, dv_state_write(s, m->df));
}

static void hexa_mass_add_gravity(dvObject *o, const dvMech *m)
{
  dvHexaForce *h = (dvHexaForce *)o;
  dvState *s = h->elastic.force.state;
  if (h->separateGravity || h->stale) return;
  double *f = dv_state_write(s, m->f);
  for (size_t i = 0; i < 3 * s->count; i++) f[i] += h->weight[i / 3] * m->gravity[i % 3];
}

static void hexa_mass_add_gravity_to_v(dvObject *o, const dvMech *m)
{
  dvHexaForce *h = (dvHexaForce *)o;
  dvState *s = h->elastic.force.state;
  if (!h->separateGravity) return;
  double *v = dv_state_write(s, m->v);
  for (size_t i = 0; i < 3 * s->count; i++) v[i] += m->dt * m->gravity[i % 3];
}

static void hexa_mass_add_matrix(dvObject *o, double factor, dvMatrixSink *sink)
{
  dvHexaForce *h = (dvHexaForce *)o;
  const dvState *s = h->elastic.force.state;
  if (h->stale) return;
  for (size_t p = 0; p < s->count && is_lumped(h); p++) {
    double block[9] = {0};
    for (size_t a = 0; a < 3; a++) block[4 * a] = factor * h->lump[3 * p + a];
    sink->add(sink, s, p, s, p, 3, 3, block);
  }
  for (size_t e = 0; e < h->count && !is_lumped(h); e++) {
    double m[576];
    dv_hexa_mass_matrix(h, e, m);
    for (int i = 0; i < 576; i++) m[i] *= factor;
    dv_sink_add_element(sink, s, h->hexa + 8 * e, 8, m);
  }
}

static double hexa_mass_kinetic(dvObject *o, int v)
{
  dvHexaForce *h = (dvHexaForce *)o;
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
  dvHexaForce *h = (dvHexaForce *)o;
  dvState *s = h->elastic.force.state;
  const double *x = dv_state_read(s, m->x);
  double sum = 0;
  for (size_t i = 0; i < 3 * s->count; i++) sum -= h->weight[i / 3] * m->gravity[i % 3] * x[i];
  return sum;
}

static double hexa_mass_of_element(dvObject *o, size_t index)
{
  dvHexaForce *h = (dvHexaForce *)o;
  return index < h->elastic.force.state->count ? h->weight[index] : 0;
}

static const double *hexa_mass_rayleigh(const dvObject *o) { return &((const dvHexaForce *)o)->rayleighMass; }

const dvMassOps dv_hexa_mass_ops = {
    .add_mdx = hexa_mass_add_mdx,
    .add_gravity = hexa_mass_add_gravity,
    .add_gravity_to_v = hexa_mass_add_gravity_to_v,
    .add_matrix = hexa_mass_add_matrix,
    .kinetic = hexa_mass_kinetic,
    .potential = hexa_mass_potential,
    .of_element = hexa_mass_of_element,
    .rayleigh_mass = hexa_mass_rayleigh,
};

const dvClass dv_hexa_fem_mass_class = {
    DV_HEXA_CLASS,
    .name = "HexahedronFEMForceFieldAndMass",
    .help = "corotational trilinear finite elements on hexahedra that have a mass too",
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .blocks = {&dv_object_block, &dv_force_block, &dv_elastic_block, DV_BLOCK(hexa_fields), DV_BLOCK(hexa_mass_fields)},
    .ops = {[DV_ROLE_FORCE] = &dv_hexa_force_ops, [DV_ROLE_MASS] = &dv_hexa_mass_ops},
};

const dvClass dv_hexahedral_mass_class = {
    DV_HEXA_CLASS,
    .name = "HexahedralFEMForceFieldAndMass",
    .help = "corotational trilinear finite elements on boxes along the axes that have a mass too",
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .blocks = {&dv_object_block, &dv_force_block, &dv_elastic_block, DV_BLOCK(hexahedral_fields),
               DV_BLOCK(hexahedral_mass_fields)},
    .ops = {[DV_ROLE_FORCE] = &dv_hexahedral_force_ops, [DV_ROLE_MASS] = &dv_hexa_mass_ops},
};
