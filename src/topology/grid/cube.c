// CubeTopology: the surface of a box of nx x ny x nz grid points, as quads. SphereQuadTopology: the same, with the
// points moved onto a sphere along the lines from its centre.
//
// Three ways of numbering the points, as in SOFA:
//  - only those of the surface: bottom (z first), top, then ring by ring the sides y = 0, y = ny - 1, x = 0, x = nx -
//  1;
//  - with internalPoints all of the grid, i + nx (j + ny k), so that they match a RegularGridTopology;
//  - with splitNormals each side of the box has its own: x = 0, y = 0, z = 0, then x, y, z at their ends.
#include "topology/container.h"

#include <math.h>

#define CUBE_FIELDS(X)                                                                             \
  X(int, nx, "0", "", "number of points along x", .flags = DV_INPUT)                               \
  X(int, ny, "0", "", "number of points along y", .flags = DV_INPUT)                               \
  X(int, nz, "0", "", "number of points along z", .flags = DV_INPUT)                               \
  X(bool, internalPoints, "0", "", "number the inner points of the grid too", .flags = DV_INPUT)   \
  X(bool, splitNormals, "0", "", "give each side of the box points of its own", .flags = DV_INPUT) \
  X(vec3, min, "0 0 0", "m", "corner with the smallest coordinates", .flags = DV_INPUT)            \
  X(vec3, max, "1 1 1", "m", "corner with the largest coordinates", .flags = DV_INPUT)

#define SPHERE_FIELDS(X)                                                   \
  X(vec3, center, "0 0 0", "m", "centre of the sphere", .flags = DV_INPUT) \
  X(real, radius, "0", "m", "radius of the sphere", .flags = DV_INPUT)

typedef struct Cube {
  dvMeshTopology mesh;
  CUBE_FIELDS(DV_MEMBER)
  SPHERE_FIELDS(DV_MEMBER)
  bool round;
} Cube;

#define SELF Cube
static const dvFieldDesc cube_fields[] = {CUBE_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc sphere_fields[] = {CUBE_FIELDS(DV_DESCRIBE) SPHERE_FIELDS(DV_DESCRIBE)};
#undef SELF

typedef enum Side { X0, Y0, Z0, X1, Y1, Z1, ANY_SIDE } Side;

static bool surface_only(const Cube *c) { return !c->internalPoints && c->nx > 1 && c->ny > 1 && c->nz > 1; }

// the number of a point; with split normals that of the side asked for
static int32_t number(const Cube *c, int x, int y, int z, Side side)
{
  int nx = c->nx, ny = c->ny, nz = c->nz;
  if (c->splitNormals) {
    if (side == ANY_SIDE) side = x == 0 ? X0 : x == nx - 1 ? X1 : y == 0 ? Y0 : y == ny - 1 ? Y1 : z == 0 ? Z0 : Z1;
    int half = ny * nz + nx * nz + nx * ny, start = side >= X1 ? half : 0;
    switch (side) {
    case X0:
    case X1:
      return start + y + ny * z;
    case Y0:
    case Y1:
      return start + ny * nz + x + nx * z;
    default:
      return start + ny * nz + nx * nz + x + nx * y;
    }
  }
  if (!surface_only(c)) return x + nx * (y + ny * z);
  if (z == 0) return x + nx * y;
  if (z == nz - 1) return x + nx * (y + ny);
  int ring = 2 * nx * ny + (2 * nx + 2 * ny - 4) * (z - 1);
  if (y == 0) return ring + x;
  if (y == ny - 1) return ring + nx + x;
  return x == 0 ? ring + 2 * nx + y - 1 : ring + 2 * nx + ny - 2 + y - 1;
}

static size_t point_count(const Cube *c)
{
  size_t nx = (size_t)c->nx, ny = (size_t)c->ny, nz = (size_t)c->nz;
  if (nx == 0 || ny == 0 || nz == 0) return 0;
  if (c->splitNormals) return 2 * (nx * ny + ny * nz + nz * nx);
  if (surface_only(c)) return 2 * nx * ny + (nz - 2) * (2 * nx + 2 * ny - 4);
  return nx * ny * nz;
}

static void store(const Cube *c, dvReals *out, int32_t at, const int place[3])
{
  const int n[3] = {c->nx, c->ny, c->nz};
  double *p = out->data + 3 * (size_t)at, length = 0;
  if (c->round) {
    for (int i = 0; i < 3; i++) {
      p[i] = n[i] > 1 ? 2.0 * place[i] / (n[i] - 1) - 1 : 0;
      length += p[i] * p[i];
    }
    for (int i = 0; i < 3; i++) p[i] = c->center[i] + (length > 0 ? p[i] / sqrt(length) : 0) * c->radius;
    return;
  }
  for (int i = 0; i < 3; i++) p[i] = c->min[i] + (n[i] > 1 ? (c->max[i] - c->min[i]) / (n[i] - 1) * place[i] : 0);
}

static bool cube_make_points(dvTopology *t, dvReals *out)
{
  const Cube *c = (const Cube *)t;
  if (!dv_reals_resize(out, 3 * point_count(c))) return false;
  bool inside = !surface_only(c) && !c->splitNormals;
  for (int z = 0; z < c->nz; z++)
    for (int y = 0; y < c->ny; y++)
      for (int x = 0; x < c->nx; x++) {
        const int place[3] = {x, y, z};
        bool on[6] = {x == 0, y == 0, z == 0, x == c->nx - 1, y == c->ny - 1, z == c->nz - 1};
        bool surface = on[X0] || on[Y0] || on[Z0] || on[X1] || on[Y1] || on[Z1];
        if (!c->splitNormals && (surface || inside)) store(c, out, number(c, x, y, z, ANY_SIDE), place);
        for (int side = X0; side < ANY_SIDE && c->splitNormals; side++)
          if (on[side]) store(c, out, number(c, x, y, z, (Side)side), place);
      }
  return true;
}

// lines of the surface, at each point those along x, y and z
static bool make_edges(const Cube *c, dvInts *out)
{
  DV_ARRAY(int32_t) list = {0};
  int nx = c->nx, ny = c->ny, nz = c->nz;
  bool good = true;
  for (int z = 0; z < nz && good; z++)
    for (int y = 0; y < ny && good; y++)
      for (int x = 0; x < nx && good; x++) {
        bool sx = x == 0 || x == nx - 1, sy = y == 0 || y == ny - 1, sz = z == 0 || z == nz - 1;
        const int step[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        bool wanted[3] = {x < nx - 1 && (sy || sz), y < ny - 1 && (sx || sz), z < nz - 1 && (sx || sy)};
        good = dv_try_reserve(&list, 6);
        for (int axis = 0; axis < 3 && good; axis++) {
          if (!wanted[axis]) continue;
          list.data[list.count++] = number(c, x, y, z, ANY_SIDE);
          list.data[list.count++] = number(c, x + step[axis][0], y + step[axis][1], z + step[axis][2], ANY_SIDE);
        }
      }
  good = good && dv_ints_assign(out, list.data, list.count);
  dv_array_free(&list);
  return good;
}

// quads of one side, looking outwards: u and v are its axes, in the order in which its points are walked
static int32_t *write_side(const Cube *c, Side side, int u, int v, bool u_first, int32_t *out)
{
  const int n[3] = {c->nx, c->ny, c->nz};
  int axis = side % 3;
  if (side >= X1 && n[axis] < 2) return out;
  const int corner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  for (int b = 0; b < n[v] - 1; b++)
    for (int a = 0; a < n[u] - 1; a++)
      for (int k = 0; k < 4; k++) {
        int place[3] = {0, 0, 0};
        place[axis] = side >= X1 ? n[axis] - 1 : 0;
        place[u] = a + corner[k][u_first ? 0 : 1];
        place[v] = b + corner[k][u_first ? 1 : 0];
        *out++ = number(c, place[0], place[1], place[2], side);
      }
  return out;
}

static bool make_quads(const Cube *c, dvInts *out)
{
  size_t cx = (size_t)dv_max_int(c->nx - 1, 0), cy = (size_t)dv_max_int(c->ny - 1, 0),
         cz = (size_t)dv_max_int(c->nz - 1, 0);
  size_t count = cx * cy * (c->nz > 1 ? 2 : 1) + cx * cz * (c->ny > 1 ? 2 : 1) + cy * cz * (c->nx > 1 ? 2 : 1);
  if (!dv_ints_resize(out, 4 * count)) return false;
  int32_t *at = out->data;
  at = write_side(c, Z0, 0, 1, false, at);
  at = write_side(c, Z1, 0, 1, true, at);
  at = write_side(c, Y0, 0, 2, true, at);
  at = write_side(c, Y1, 0, 2, false, at);
  at = write_side(c, X0, 1, 2, false, at);
  write_side(c, X1, 1, 2, true, at);
  return true;
}

static bool cube_make_elements(dvTopology *t, dvElementKind kind, dvInts *out, bool *made)
{
  const Cube *c = (const Cube *)t;
  *made = kind == DV_EDGE || kind == DV_QUAD;
  if (c->nx < 1 || c->ny < 1 || c->nz < 1) return true;
  if (kind == DV_EDGE) return make_edges(c, out);
  if (kind == DV_QUAD) return make_quads(c, out);
  return true;
}

static const dvTopologyMaker cube_maker = {cube_make_points, cube_make_elements};

static dvStatus cube_update(dvObject *o)
{
  Cube *c = (Cube *)o;
  if (c->nx < 0 || c->ny < 0 || c->nz < 0)
    return dv_field_error(o,
                          c->nx < 0   ? &c->nx
                          : c->ny < 0 ? &c->ny
                                      : &c->nz,
                          NULL, "a box of %d x %d x %d points", c->nx, c->ny, c->nz);
  for (int i = 0; i < 3; i++)
    if (!isfinite(c->min[i]) || !isfinite(c->max[i]) || !isfinite(c->center[i]))
      return dv_field_error(o,
                            !isfinite(c->center[i]) ? c->center
                            : isfinite(c->min[i])   ? c->max
                                                    : c->min,
                            NULL, "a corner or the centre is not finite");
  if (c->round && !(c->radius >= 0 && isfinite(c->radius)))
    return dv_field_error(o, &c->radius, NULL, "a sphere of radius %g", c->radius);
  double nx = c->nx, ny = c->ny, nz = c->nz;
  // splitting can double the points of a thin box, so the bound is on what may have to be made
  if (nx * ny * nz > DV_POINT_LIMIT || 2 * (nx * ny + ny * nz + nz * nx) > DV_POINT_LIMIT)
    return dv_field_error(o, &c->nx, "use fewer points",
                          "a box of %d x %d x %d points is more than the %d that can be simulated", c->nx, c->ny, c->nz,
                          DV_POINT_LIMIT);
  c->mesh.topology.least_points = point_count(c);
  dv_topology_changed(&c->mesh.topology);
  c->mesh.topology.stamp = 0;
  return DV_OK;
}

// xmin … zmax count only together
static dvStatus cube_parse(dvObject *o, dvAttributes *a)
{
  Cube *c = (Cube *)o;
  return dv_topology_parse_box(o, a, c->min, c->max);
}

static dvStatus cube_link(dvObject *o)
{
  dvTopology *t = dv_topology(o);
  if (t->filename && *t->filename)
    dv_field_warning(o, &t->filename, "use a MeshTopology for the file",
                     "a %s makes its own points; the file is not read", o->cls->name);
  for (dvElementKind k = DV_POINT; k < DV_ELEMENT_KINDS; k++) dv_field_unlink(t->fields[k]);
  dv_reals_free(&t->position);
  return DV_OK;
}

static void cube_create(dvObject *o)
{
  dv_mesh_topology_create(o);
  dv_topology(o)->maker = &cube_maker;
}

static void sphere_create(dvObject *o)
{
  cube_create(o);
  ((Cube *)o)->round = true;
}

#define CUBE(variable, name_, help_, fields, create_)                                              \
  const dvClass variable = {                                                                       \
      .struct_size = sizeof(dvClass),                                                              \
      .name = name_,                                                                               \
      .help = help_,                                                                               \
      .module = "Sofa.Component.Topology.Container.Constant",                                      \
      .roles = DV_PLAYS(DV_ROLE_TOPOLOGY),                                                         \
      .size = sizeof(Cube),                                                                        \
      .blocks = {&dv_object_block, &dv_topology_block, &dv_mesh_topology_block, DV_BLOCK(fields)}, \
      .create = create_,                                                                           \
      .parse = cube_parse,                                                                         \
      .link = cube_link,                                                                           \
      .update = cube_update,                                                                       \
      .init = dv_mesh_topology_init,                                                               \
      .reinit = dv_topology_init,                                                                  \
      .fetch = dv_topology_fetch,                                                                  \
      .destroy = dv_topology_destroy,                                                              \
  };

CUBE(dv_cube_class, "CubeTopology", "the surface of a box, as quads", cube_fields, cube_create)
CUBE(dv_sphere_quad_class, "SphereQuadTopology", "a sphere made of quads: the surface of a box moved onto it",
     sphere_fields, sphere_create)
