// Grids of nx x ny x nz points: GridTopology, RegularGridTopology, SphereGridTopology, CylinderGridTopology.
//
// Point (i, j, k) has the number i + nx (j + ny k). Elements come in SOFA's order: hexahedra cell by cell, x fastest;
// quads of the planes xy, then xz, then yz; two triangles a quad; and the edges of those triangles, so that the
// diagonals of the quads are among the edges. Without triangles the edges are the grid lines along x, then y, then z.
#include "topology/grid/grid.h"
#include "topology/container.h"
#include "topology/grid/foretell.h"

#include "math/vec.h"
#include "topology/derive.h"

#include <math.h>

#define GRID_FIELDS(X)                                                                                                 \
  X(ivec3, n, "2 2 2", "", "number of points along x, y, z", .flags = DV_INPUT)                                        \
  X(bool, computeHexaList, "1", "", "have hexahedra")                                                                  \
  X(bool, computeQuadList, "1", "", "have the quads of the grid planes; otherwise those of the hexahedra")             \
  X(bool, computeTriangleList, "1", "", "have two triangles for each quad")                                            \
  X(bool, computeEdgeList, "1", "", "have the edges of the triangles or the grid lines; otherwise those of the cells") \
  X(bool, computePointList, "1", "", "have points; they are made when they are needed, whatever stands here",          \
    .flags = DV_HIDDEN)                                                                                                \
  X(bool, createTexCoords, "0", "", "make texture coordinates", .flags = DV_LOOKS)

#define REGULAR_FIELDS(X)                                                                           \
  X(vec3, min, "0 0 0", "m", "corner of the grid with the smallest coordinates", .flags = DV_INPUT) \
  X(vec3, max, "1 1 1", "m", "corner with the largest coordinates", .flags = DV_INPUT)              \
  X(vec3, p0, "0 0 0", "m", "position of the first point; min when not given", .flags = DV_INPUT)   \
  X(real, cellWidth, "0", "m", "when above 0: width of a cell, which then says how many there are", .flags = DV_INPUT)

#define ROUND_FIELDS(X)                                                                                 \
  X(vec3, center, "0 0 0", "m", "centre of the sphere, or of the cylinder's bottom", .flags = DV_INPUT) \
  X(vec3, axis, "0 0 1", "", "direction that z of the grid gets", .flags = DV_INPUT)                    \
  X(real, radius, "1", "m", "radius", .flags = DV_INPUT)
#define CYLINDER_FIELDS(X) X(real, length, "1", "m", "length along the axis", .flags = DV_INPUT)

typedef struct Grid Grid;
struct Grid {
  dvMeshTopology mesh;
  GRID_FIELDS(DV_MEMBER)
  REGULAR_FIELDS(DV_MEMBER)
  ROUND_FIELDS(DV_MEMBER)
  CYLINDER_FIELDS(DV_MEMBER)
  dvVec3 (*point)(const Grid *g, int i, int j, int k);   // NULL when positions are given
  dvVec3 first, step;                                    // regular grids
  dvVec3 ax, ay, az;                                     // axes of round ones
};

#define SELF Grid
static const dvFieldDesc grid_fields[] = {GRID_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc regular_fields[] = {REGULAR_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc sphere_fields[] = {ROUND_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc cylinder_fields[] = {ROUND_FIELDS(DV_DESCRIBE) CYLINDER_FIELDS(DV_DESCRIBE)};
#undef SELF

// --- points --------------------------------------------------------------------------------------

static dvVec3 regular_point(const Grid *g, int i, int j, int k)
{
  return dv_vec3(g->first.x + g->step.x * i, g->first.y + g->step.y * j, g->first.z + g->step.z * k);
}

// from -radius to radius; the middle where there is one point only
static double across(double radius, int i, int n) { return n > 1 ? i * 2 * radius / (n - 1) - radius : 0; }

static dvVec3 place(const Grid *g, dvVec3 p)
{
  dvVec3 q = dv_vec3_add(dv_vec3_load(g->center), dv_vec3_scale(g->ax, p.x));
  return dv_vec3_add(dv_vec3_add(q, dv_vec3_scale(g->ay, p.y)), dv_vec3_scale(g->az, p.z));
}

// a cube of half width r drawn in to a ball: squares around the centre become circles
static dvVec3 sphere_point(const Grid *g, int i, int j, int k)
{
  dvVec3 p = {across(g->radius, i, g->n[0]), across(g->radius, j, g->n[1]), across(g->radius, k, g->n[2])};
  double norm = dv_vec3_norm(p), largest = dv_max(dv_max(fabs(p.x), fabs(p.y)), fabs(p.z));
  return place(g, norm > 1e-7 ? dv_vec3_scale(p, largest / norm) : p);
}

static dvVec3 cylinder_point(const Grid *g, int i, int j, int k)
{
  dvVec3 p = {across(g->radius, i, g->n[0]), across(g->radius, j, g->n[1]), 0};
  double norm = dv_vec3_norm(p);
  if (norm > 1e-7) p = dv_vec3_scale(p, dv_max(fabs(p.x), fabs(p.y)) / norm);
  if (g->n[2] > 1) p.z = k * g->length / (g->n[2] - 1);
  return place(g, p);
}

static bool grid_make_points(dvTopology *t, dvReals *out)
{
  const Grid *g = (const Grid *)t;
  size_t points = (size_t)g->n[0] * (size_t)g->n[1] * (size_t)g->n[2];   // what is written, whatever others expect
  if (!dv_reals_resize(out, 3 * points)) return false;
  double *x = out->data;
  for (int k = 0; k < g->n[2] && g->point; k++)
    for (int j = 0; j < g->n[1]; j++)
      for (int i = 0; i < g->n[0]; i++, x += 3) dv_vec3_store(x, g->point(g, i, j, k));
  return true;
}

// --- elements ------------------------------------------------------------------------------------

typedef struct Range {
  int x, y, z;   // cells along each axis
} Range;

// writes one element for each cell of the range: `corner` are its corners as offsets in x, y, z
static int32_t *write_cells(const Grid *g, Range r, const int (*corner)[3], int corners, int32_t *out)
{
  int offset[8];
  for (int c = 0; c < corners; c++) offset[c] = corner[c][0] + g->n[0] * (corner[c][1] + g->n[1] * corner[c][2]);
  for (int k = 0; k < r.z; k++)
    for (int j = 0; j < r.y; j++)
      for (int i = 0; i < r.x; i++)
        for (int c = 0; c < corners; c++) *out++ = i + g->n[0] * (j + g->n[1] * k) + offset[c];
  return out;
}

static size_t range_size(Range r) { return (size_t)r.x * (size_t)r.y * (size_t)r.z; }

static const int hexahedron_corners[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                             {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
static const int quad_corners[3][4][3] = {{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}},
                                          {{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0, 0, 1}},
                                          {{0, 0, 0}, {0, 1, 0}, {0, 1, 1}, {0, 0, 1}}};
static const int edge_corners[3][2][3] = {{{0, 0, 0}, {1, 0, 0}}, {{0, 0, 0}, {0, 1, 0}}, {{0, 0, 0}, {0, 0, 1}}};

static bool make_hexahedra(const Grid *g, dvInts *out)
{
  Range cells = {g->n[0] - 1, g->n[1] - 1, g->n[2] - 1};
  if (!dv_ints_resize(out, 8 * range_size(cells))) return false;
  write_cells(g, cells, hexahedron_corners, 8, out->data);
  return true;
}

static bool make_quads(const Grid *g, dvInts *out)
{
  Range r[3] = {
      {g->n[0] - 1, g->n[1] - 1, g->n[2]}, {g->n[0] - 1, g->n[1], g->n[2] - 1}, {g->n[0], g->n[1] - 1, g->n[2] - 1}};
  if (!dv_ints_resize(out, 4 * (range_size(r[0]) + range_size(r[1]) + range_size(r[2])))) return false;
  int32_t *at = out->data;
  for (int plane = 0; plane < 3; plane++) at = write_cells(g, r[plane], quad_corners[plane], 4, at);
  return true;
}

static bool make_lines(const Grid *g, dvInts *out)
{
  Range r[3] = {{g->n[0] - 1, g->n[1], g->n[2]}, {g->n[0], g->n[1] - 1, g->n[2]}, {g->n[0], g->n[1], g->n[2] - 1}};
  if (!dv_ints_resize(out, 2 * (range_size(r[0]) + range_size(r[1]) + range_size(r[2])))) return false;
  int32_t *at = out->data;
  for (int axis = 0; axis < 3; axis++) at = write_cells(g, r[axis], edge_corners[axis], 2, at);
  return true;
}

static bool make_triangles(dvTopology *t, dvInts *out)
{
  const dvInts *quads = dv_topology_elements(t, DV_QUAD);
  size_t n = dv_ints_size(quads);
  if (!dv_ints_resize(out, 6 * n)) return false;
  for (size_t i = 0; i < n; i++) {
    const int32_t *q = quads->data + 4 * i;
    memcpy(out->data + 6 * i, (int32_t[]){q[0], q[1], q[2], q[0], q[2], q[3]}, 6 * sizeof *q);
  }
  return true;
}

static bool grid_make_elements(dvTopology *t, dvElementKind kind, dvInts *out, bool *made)
{
  const Grid *g = (const Grid *)t;
  *made = true;
  if (kind == DV_HEXAHEDRON && g->computeHexaList) return make_hexahedra(g, out);
  if (kind == DV_QUAD && (g->computeQuadList || g->computeTriangleList)) return make_quads(g, out);
  if (kind == DV_TRIANGLE && g->computeTriangleList) return make_triangles(t, out);
  if (kind == DV_EDGE && g->computeEdgeList) {
    const dvInts *triangles = dv_topology_elements(t, DV_TRIANGLE);
    return triangles->count ? dv_derive_surface_edges(triangles, &(dvInts){.width = 4}, out) : make_lines(g, out);
  }
  *made = false;
  return true;
}

static const dvTopologyMaker grid_maker = {grid_make_points, grid_make_elements};

// --- sizes ---------------------------------------------------------------------------------------

static dvStatus check_finite(Grid *g, const double *values, int count)
{
  dvObject *o = &g->mesh.topology.base;
  for (int i = 0; i < count; i++)
    if (!isfinite(values[i]))
      return dv_field_error(o, values, NULL, "%s is not finite", dv_field_name(dv_field_of(o, values)->desc));
  return DV_OK;
}

static dvStatus check_size(Grid *g)
{
  dvObject *o = &g->mesh.topology.base;
  int32_t *n = g->n;
  if (n[0] < 1 || n[1] < 1 || n[2] < 1) {
    dv_field_warning(o, g->n, "give at least 1 point along each axis",
                     "a grid of %d x %d x %d points is taken as 2 x 2 x 2", n[0], n[1], n[2]);
    n[0] = n[1] = n[2] = 2;
  }
  // three factors below 2^31 cannot overflow a double, and the product is exact where it matters
  double points = (double)n[0] * n[1] * n[2];
  if (points > DV_POINT_LIMIT)
    return dv_field_error(o, g->n, "use fewer points",
                          "a grid of %d x %d x %d points is more than the %d that can be simulated", n[0], n[1], n[2],
                          DV_POINT_LIMIT);
  g->mesh.topology.least_points = (size_t)points;
  return DV_OK;
}

static void make_texcoords(Grid *g)
{
  dvTopology *t = &g->mesh.topology;
  // the two axes along which the grid is not flat
  int u = g->n[0] > 1 ? 0 : 1, v = g->n[0] > 1 && g->n[1] > 1 ? 1 : 2;
  if (g->n[u] < 2 || g->n[v] < 2) {
    dv_field_warning(&t->base, &g->createTexCoords, NULL, "a grid that is a line gets no texture coordinates");
    return;
  }
  if (!dv_reals_resize(&t->uv, 2 * t->least_points)) return;
  double *out = t->uv.data;
  for (int k = 0; k < g->n[2]; k++)
    for (int j = 0; j < g->n[1]; j++)
      for (int i = 0; i < g->n[0]; i++, out += 2) {
        const int at[3] = {i, j, k};
        out[0] = (double)at[u] / (g->n[u] - 1);
        out[1] = (double)at[v] / (g->n[v] - 1);
      }
}

static dvStatus grid_update(dvObject *o)
{
  Grid *g = (Grid *)o;
  DV_TRY(check_size(g));
  dv_grid_foretell(&g->mesh.topology, g->mesh.topology.least_points, (g->n[0] > 1) + (g->n[1] > 1) + (g->n[2] > 1));
  if (g->createTexCoords) make_texcoords(g);
  dv_topology_changed(&g->mesh.topology);
  g->mesh.topology.stamp = 0;
  return DV_OK;
}

static bool given(Grid *g, const void *member)
{
  const dvField *f = dv_field_of(&g->mesh.topology.base, member);
  return f->was_set || f->source;
}

static dvStatus cells_from_width(Grid *g)
{
  dvObject *o = &g->mesh.topology.base;
  for (int i = 0; i < 3; i++) {
    double cells = ceil((g->max[i] - g->min[i]) / g->cellWidth);
    if (!(cells >= 0 && cells < DV_POINT_LIMIT))
      return dv_field_error(o, &g->cellWidth, "give a greater width",
                            "cells of width %g in a grid from %g to %g are too many", g->cellWidth, g->min[i],
                            g->max[i]);
    g->n[i] = (int32_t)cells + 1;
  }
  return DV_OK;
}

// spacing and first point; a grid that is flat in x or y lies in the middle of its box, one that is flat in z at its
// bottom
static void lay_out(Grid *g)
{
  double first[3], step[3];
  for (int i = 0; i < 3; i++) {
    double width = g->max[i] - g->min[i];
    step[i] = g->n[i] > 1 ? width / (g->n[i] - 1) : width;
    if (g->cellWidth > 0) step[i] = g->cellWidth;
    first[i] = g->n[i] > 1 || i == 2 ? g->min[i] : (g->max[i] + g->min[i]) / 2;
  }
  g->step = dv_vec3_load(step);
  if (!given(g, g->p0)) memcpy(g->p0, first, sizeof first);
  g->first = dv_vec3_load(g->p0);
}

static dvStatus regular_update(dvObject *o)
{
  Grid *g = (Grid *)o;
  DV_TRY(check_finite(g, g->min, 3));
  DV_TRY(check_finite(g, g->max, 3));
  DV_TRY(check_finite(g, g->p0, 3));
  DV_TRY(check_finite(g, &g->cellWidth, 1));
  if (g->cellWidth > 0) DV_TRY(cells_from_width(g));
  DV_TRY(grid_update(o));
  lay_out(g);
  return DV_OK;
}

static dvStatus round_update(dvObject *o)
{
  Grid *g = (Grid *)o;
  DV_TRY(check_finite(g, g->center, 3));
  DV_TRY(check_finite(g, g->axis, 3));
  DV_TRY(check_finite(g, &g->radius, 1));
  if (g->point == cylinder_point) DV_TRY(check_finite(g, &g->length, 1));
  DV_TRY(grid_update(o));
  dvVec3 axis = dv_vec3_load(g->axis);
  if (!(dv_vec3_norm(axis) > 0))
    return dv_field_error(o, g->axis, "give a direction such as 0 0 1", "the axis has no length");
  g->az = dv_vec3_normalise(axis);
  dvVec3 x = dv_vec3_norm(dv_vec3_sub(g->az, dv_vec3(1, 0, 0))) < 1e-6 ? dv_vec3(0, 1, 0) : dv_vec3(1, 0, 0);
  g->ay = dv_vec3_cross(g->az, x);
  g->ax = dv_vec3_normalise(dv_vec3_cross(g->ay, g->az));
  g->ay = dv_vec3_normalise(g->ay);
  return DV_OK;
}

// --- hooks ---------------------------------------------------------------------------------------

static bool all_there(const dvAttributes *a, const char *const names[3])
{
  return dv_attribute_find(a, names[0]) && dv_attribute_find(a, names[1]) && dv_attribute_find(a, names[2]);
}

// nx, ny, nz count only together
static dvStatus grid_parse(dvObject *o, dvAttributes *a)
{
  Grid *g = (Grid *)o;
  static const char *const names[3] = {"nx", "ny", "nz"};
  bool all = all_there(a, names), some = false;
  for (int i = 0; i < 3; i++) {
    const char *text = dv_attribute_take(a, names[i]);
    if (!text) continue;
    some = true;
    double value;
    if (!all) continue;
    if (!dv_scan_real(&text, &value) || !(fabs(value) < 1e9))
      return dv_error(o, "give a whole number", "%s=\"%s\" is not a number of points", names[i],
                      dv_attribute_find(a, names[i])->value);
    g->n[i] = (int32_t)value;
  }
  if (all) {
    dv_field_of(o, g->n)->was_set = true;
    dv_field_of(o, g->n)->place = dv_attribute_find(a, "nx")->place;
  } else if (some) {
    dv_warning(o, "give nx, ny and nz, or n=\"x y z\"", "nx, ny and nz count only when all three are given");
  }
  return DV_OK;
}

static dvStatus regular_parse(dvObject *o, dvAttributes *a)
{
  Grid *g = (Grid *)o;
  DV_TRY(grid_parse(o, a));
  return dv_topology_parse_box(o, a, g->min, g->max);
}

// points and elements are the grid's own: it does not take them from a src or from the state that it feeds
static dvStatus grid_link(dvObject *o)
{
  Grid *g = (Grid *)o;
  dvTopology *t = &g->mesh.topology;
  if (t->filename && *t->filename)
    dv_field_warning(o, &t->filename, "use a MeshTopology for the file",
                     "a grid makes its own points; the file is not read");
  for (dvElementKind k = g->point ? DV_POINT : DV_EDGE; k < DV_ELEMENT_KINDS; k++) dv_field_unlink(t->fields[k]);
  if (g->point) dv_reals_free(&t->position);
  return DV_OK;
}

// the first point is known before anything is read, for a grid that takes this one as its src
static dvStatus regular_link(dvObject *o)
{
  Grid *g = (Grid *)o;
  const void *inputs[] = {g->n, g->min, g->max, &g->cellWidth};
  bool known = true;
  for (size_t i = 0; i < DV_COUNT(inputs); i++) known = known && !dv_field_of(o, inputs[i])->source;
  if (known) lay_out(g);
  return grid_link(o);
}

static void grid_create(dvObject *o)
{
  dv_mesh_topology_create(o);
  dv_topology(o)->maker = &grid_maker;
}

static void regular_create(dvObject *o)
{
  grid_create(o);
  ((Grid *)o)->point = regular_point;
}

static void sphere_create(dvObject *o)
{
  grid_create(o);
  ((Grid *)o)->point = sphere_point;
}

static void cylinder_create(dvObject *o)
{
  grid_create(o);
  ((Grid *)o)->point = cylinder_point;
}

#define GRID(variable, name_, aliases_, help_, prefix, parse_, link_, update_, ...)                                    \
  const dvClass variable = {                                                                                           \
      .struct_size = sizeof(dvClass),                                                                                  \
      .name = name_,                                                                                                   \
      .aliases = aliases_,                                                                                             \
      .help = help_,                                                                                                   \
      .module = "Sofa.Component.Topology.Container.Grid",                                                              \
      .roles = DV_PLAYS(DV_ROLE_TOPOLOGY),                                                                             \
      .size = sizeof(Grid),                                                                                            \
      .blocks = {&dv_object_block, &dv_topology_block, &dv_mesh_topology_block, DV_BLOCK(grid_fields), ##__VA_ARGS__}, \
      .create = prefix##_create,                                                                                       \
      .parse = parse_,                                                                                                 \
      .link = link_,                                                                                                   \
      .update = update_,                                                                                               \
      .init = dv_mesh_topology_init,                                                                                   \
      .reinit = dv_topology_init,                                                                                      \
      .fetch = dv_topology_fetch,                                                                                      \
      .destroy = dv_topology_destroy,                                                                                  \
  };

GRID(dv_grid_class, "GridTopology", "Grid", "a grid of points whose positions are given", grid, grid_parse, grid_link,
     grid_update)
GRID(dv_regular_grid_class, "RegularGridTopology", "RegularGrid", "a box of equal cells", regular, regular_parse,
     regular_link, regular_update, DV_BLOCK(regular_fields))
GRID(dv_sphere_grid_class, "SphereGridTopology", "SphereGrid", "a grid drawn in to a ball", sphere, grid_parse,
     grid_link, round_update, DV_BLOCK(sphere_fields))
GRID(dv_cylinder_grid_class, "CylinderGridTopology", "CylinderGrid", "a grid drawn in to a cylinder", cylinder,
     grid_parse, grid_link, round_update, DV_BLOCK(cylinder_fields))

bool dv_topology_lattice(const dvObject *topology, dvLattice *out)
{
  if (topology->cls != &dv_regular_grid_class) return false;
  const Grid *g = (const Grid *)topology;
  memcpy(out->n, g->n, sizeof out->n);
  dv_vec3_store(out->origin, g->first);
  dv_vec3_store(out->step, g->step);
  return true;
}

size_t dv_lattice_find(const dvLattice *g, const double p[3], double f[3])
{
  int cell[3];
  for (int k = 0; k < 3; k++) {
    double inverse2 = 1 / (g->step[k] * g->step[k]), at = (p[k] - g->origin[k]) * g->step[k] * inverse2;
    cell[k] = (int)fmin(fmax(floor(at), 0), g->n[k] - 2);
    f[k] = at - cell[k];
  }
  return (size_t)cell[0] + (size_t)(g->n[0] - 1) * ((size_t)cell[1] + (size_t)(g->n[1] - 1) * (size_t)cell[2]);
}

void dv_lattice_corners(const dvLattice *g, size_t number, int32_t corners[8])
{
  size_t nx = (size_t)g->n[0] - 1, ny = (size_t)g->n[1] - 1;
  int cell[3] = {(int)(number % nx), (int)(number / nx % ny), (int)(number / (nx * ny))};
  for (int c = 0; c < 8; c++) {   // corners of a hexahedron go around: the third and fourth change places
    int at[3] = {(c & 1) ^ (c >> 1 & 1), c >> 1 & 1, c >> 2};
    corners[c] = (int32_t)((size_t)(cell[0] + at[0]) +
                           (size_t)g->n[0] * ((size_t)(cell[1] + at[1]) + (size_t)g->n[1] * (size_t)(cell[2] + at[2])));
  }
}
