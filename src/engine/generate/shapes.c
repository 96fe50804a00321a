// Engines that make meshes: GenerateGrid, Spiral, ExtrudeSurface, JoinPoints.
#include "engine/classes.h"
#include "engine/engine.h"

#include "math/vec.h"
#include "topology/search/tuple_set.h"

#include <stdlib.h>
#include <string.h>

// --- grid ----------------------------------------------------------------------------------------

#define GRID_FIELDS(X)                                                                              \
  X(coords, output_position, "", "m", "points, x fastest", .alias = "position", .flags = DV_OUTPUT) \
  X(tetrahedra, tetrahedra, "", "", "six for each cell", .flags = DV_OUTPUT)                        \
  X(quads, quads, "", "", "cells of a flat grid", .flags = DV_OUTPUT)                               \
  X(triangles, triangles, "", "", "two for each cell of a flat grid", .flags = DV_OUTPUT)           \
  X(hexahedra, hexahedra, "", "", "cells", .flags = DV_OUTPUT)                                      \
  X(vec3, min, "0 0 0", "m", "corner with the smallest coordinates", .flags = DV_INPUT)             \
  X(vec3, max, "0 0 0", "m", "corner with the largest coordinates", .flags = DV_INPUT)              \
  X(ivec3, resolution, "3 3 3", "", "number of cells along x, y, z; 0 along z makes a flat grid", .flags = DV_INPUT)

typedef struct GridMaker {
  dvObject base;
  GRID_FIELDS(DV_MEMBER)
} GridMaker;

#define SELF GridMaker
static const dvFieldDesc grid_fields[] = {GRID_FIELDS(DV_DESCRIBE)};
#undef SELF

static bool grid_points(GridMaker *g)
{
  int32_t *n = g->resolution;
  size_t width = (size_t)g->base.dof->coord;
  if (!dv_reals_resize(&g->output_position, width * (size_t)(n[0] + 1) * (size_t)(n[1] + 1) * (size_t)(n[2] + 1)))
    return false;
  double *x = g->output_position.data;
  for (int k = 0; k <= n[2]; k++)
    for (int j = 0; j <= n[1]; j++)
      for (int i = 0; i <= n[0]; i++, x += width) {
        const int at[3] = {i, j, k};
        for (size_t c = 0; c < width; c++) x[c] = at[c] * (n[c] ? (g->max[c] - g->min[c]) / n[c] : 0) + g->min[c];
      }
  return true;
}

// cells with z fastest, then y, then x, as in SOFA
static bool grid_cells(GridMaker *g)
{
  static const int8_t six[6][4] = {{0, 5, 1, 6}, {0, 1, 3, 6}, {1, 3, 6, 2}, {6, 3, 0, 7}, {6, 7, 0, 5}, {7, 5, 4, 0}};
  const int32_t *n = g->resolution, row = n[0] + 1, plane = row * (n[1] + 1);
  bool flat = n[2] == 0, good = true;
  for (int32_t i = 0; i < n[0] && good; i++)
    for (int32_t j = 0; j < n[1] && good; j++)
      for (int32_t k = 0; k < (flat ? 1 : n[2]) && good; k++) {
        int32_t a = i + j * row + k * plane,
                c[8] = {a, a + 1, a + 1 + row, a + row, a + plane, a + plane + 1, a + plane + 1 + row, a + plane + row};
        if (flat) {
          good = dv_engine_add_ints(&g->quads, c, 4) &&
                 dv_engine_add_ints(&g->triangles, (int32_t[]){c[0], c[1], c[3], c[3], c[1], c[2]}, 6);
          continue;
        }
        good = dv_engine_add_ints(&g->hexahedra, c, 8);
        for (int t = 0; t < 6 && good; t++)
          good = dv_engine_add_ints(&g->tetrahedra, (int32_t[]){c[six[t][0]], c[six[t][1]], c[six[t][2]], c[six[t][3]]},
                                    4);
      }
  return good;
}

static dvStatus grid_update(dvObject *o)
{
  GridMaker *g = (GridMaker *)o;
  int32_t *n = g->resolution;
  double points = 1;
  for (int k = 0; k < 3; k++) {
    if (n[k] < 0 || (n[k] == 0 && k < 2))
      return dv_field_error(o, g->resolution, "give at least 1 along x and y",
                            "a grid of %d x %d x %d cells cannot be made", n[0], n[1], n[2]);
    points *= n[k] + 1.0;
  }
  if (points > DV_POINT_LIMIT)
    return dv_field_error(o, g->resolution, "use fewer cells", "a grid of %d x %d x %d cells is too large", n[0], n[1],
                          n[2]);
  dvInts *lists[] = {&g->tetrahedra, &g->quads, &g->triangles, &g->hexahedra};
  for (size_t i = 0; i < DV_COUNT(lists); i++) DV_MUST(dv_ints_resize(lists[i], 0));
  return grid_points(g) && grid_cells(g) ? DV_OK : dv_engine_no_memory(o);
}

DV_ENGINE_CLASS(dv_generate_grid_class, "GenerateGrid", "makes a box of cells as hexahedra and tetrahedra",
                DV_GENERATE_MODULE, DV_DOF_VEC2 | DV_DOF_VEC3, GridMaker,
                .blocks = {&dv_object_block, DV_BLOCK(grid_fields)}, .update = grid_update);

// --- spiral --------------------------------------------------------------------------------------

#define SPIRAL_FIELDS(X)                                                                             \
  X(coords, rest_position, "", "m", "points: x along the spiral, y across, z up", .flags = DV_INPUT) \
  X(coords, position, "", "m", "points rolled up", .flags = DV_OUTPUT)                               \
  X(real, curvature, "0.2", "m", "distance between windings over 2 pi", .flags = DV_INPUT)

typedef struct Spiral {
  dvObject base;
  SPIRAL_FIELDS(DV_MEMBER)
} Spiral;

#define SELF Spiral
static const dvFieldDesc spiral_fields[] = {SPIRAL_FIELDS(DV_DESCRIBE)};
#undef SELF

// angle at which the spiral r = a t has the length: ten steps of Newton on l(t) = a/2 (t sqrt(1 + t^2) + asinh t)
static double spiral_angle(double a, double length)
{
  double t = sqrt(length);
  for (int n = 0; n < 10; n++) {
    double l = a / 2 * (t * sqrt(1 + t * t) + asinh(t)), slope = a * sqrt(1 + t * t);
    t -= (l - length) / slope;
  }
  return t;
}

static dvVec3 roll(double a, dvVec3 p)
{
  double t = spiral_angle(a, fabs(p.x)), r = p.x > 0 ? a * t : -a * t;
  dvVec3 n = dv_vec3_normalise(dv_vec3(-a * sin(t) - a * t * cos(t), a * cos(t) - a * t * sin(t), 0));
  if (t > -acos(-1.0) / 2 && t < acos(-1.0) / 2 && n.y > (double)0.8f) {   // near the middle the arms keep apart
    n.y = (double)0.8f;
    n.x = -sqrt(1 - n.y * n.y);
  }
  return dv_vec3_add_scaled(dv_vec3(r * cos(t), r * sin(t), p.z), n, p.y);
}

static dvStatus spiral_update(dvObject *o)
{
  Spiral *s = (Spiral *)o;
  if (!(fabs(s->curvature) > 0))
    return dv_field_error(o, &s->curvature, NULL, "a spiral needs a curvature other than 0");
  if (!dv_reals_resize(&s->position, s->rest_position.count)) return dv_engine_no_memory(o);
  for (size_t i = 0; i + 3 <= s->position.count; i += 3)
    dv_vec3_store(s->position.data + i, roll(s->curvature, dv_vec3_load(s->rest_position.data + i)));
  return DV_OK;
}

DV_ENGINE_CLASS(dv_spiral_class, "Spiral", "rolls points up along a spiral", DV_GENERATE_MODULE, DV_DOF_VEC3, Spiral,
                .blocks = {&dv_object_block, DV_BLOCK(spiral_fields)}, .update = spiral_update);

// --- extrusion -----------------------------------------------------------------------------------

#define EXTRUDE_FIELDS(X)                                                                                     \
  X(bool, isVisible, "1", "", "draw it", .flags = DV_LOOKS)                                                   \
  X(real, heightFactor, "1", "m", "height along the normals", .flags = DV_INPUT)                              \
  X(triangles, triangles, "", "", "triangles of the surface", .flags = DV_INPUT)                              \
  X(coords, extrusionVertices, "", "m", "each point, and behind it the point above", .flags = DV_OUTPUT)      \
  X(coords, surfaceVertices, "", "m", "points of the surface", .flags = DV_INPUT)                             \
  X(triangles, extrusionTriangles, "", "", "closed surface: bottom and top of each triangle, then the sides", \
    .flags = DV_OUTPUT)                                                                                       \
  X(indices, surfaceTriangles, "", "", "triangles that are extruded", .flags = DV_INPUT)

typedef struct Extrude {
  dvObject base;
  EXTRUDE_FIELDS(DV_MEMBER)
} Extrude;

#define SELF Extrude
static const dvFieldDesc extrude_fields[] = {EXTRUDE_FIELDS(DV_DESCRIBE)};
#undef SELF

typedef struct BorderEdge {
  int32_t a, b;
  bool border;
} BorderEdge;

static const int32_t *chosen_triangle(const Extrude *e, size_t i)
{
  return e->triangles.data + 3 * (size_t)e->surfaceTriangles.data[i];
}

static void add_normals(const Extrude *e, double *normal)
{
  const double *x = e->surfaceVertices.data;
  for (size_t i = 0; i < e->surfaceTriangles.count; i++) {
    const int32_t *t = chosen_triangle(e, i);
    dvVec3 a = dv_vec3_load(x + 3 * (size_t)t[0]), b = dv_vec3_load(x + 3 * (size_t)t[1]),
           c = dv_vec3_load(x + 3 * (size_t)t[2]);
    dvVec3 n = dv_vec3_normalise(dv_vec3_cross(dv_vec3_sub(b, a), dv_vec3_sub(c, a)));
    for (int k = 0; k < 3; k++) dv_vec3_accumulate(normal + 3 * (size_t)t[k], n);
  }
}

// number of a point in the extrusion, the one above it is the next; it is added when it is new
static bool extruded_point(Extrude *e, int32_t point, const double *normal, int32_t *number)
{
  if (number[point] >= 0) return true;
  dvVec3 p = dv_vec3_load(e->surfaceVertices.data + 3 * (size_t)point),
         n = dv_vec3_normalise(dv_vec3_load(normal + 3 * (size_t)point));
  double both[6];
  dv_vec3_store(both, p);
  dv_vec3_store(both + 3, dv_vec3_add_scaled(p, n, e->heightFactor));
  number[point] = (int32_t)(e->extrusionVertices.count / 3);
  return dv_engine_add_reals(&e->extrusionVertices, both, 6);
}

static int compare_edges(const void *p, const void *q)
{
  const BorderEdge *a = p, *b = q;
  if (a->a != b->a) return a->a < b->a ? -1 : 1;
  return a->b < b->b ? -1 : a->b > b->b;
}

typedef struct Sides {
  dvTupleSet known;             // edges without direction
  DV_ARRAY(BorderEdge) edges;   // as they were met first
} Sides;

static bool add_side(Sides *s, int32_t a, int32_t b)
{
  const int32_t key[2] = {a < b ? a : b, a < b ? b : a};
  bool fresh;
  int32_t number = dv_tuple_set_add(&s->known, key, &fresh);
  if (number < 0) return false;
  if (fresh) dv_push(&s->edges, ((BorderEdge){a, b, true}));
  else s->edges.data[number].border = false;
  return true;
}

static bool close_sides(Extrude *e, Sides *s)
{
  bool good = true;
  if (s->edges.count) qsort(s->edges.data, s->edges.count, sizeof *s->edges.data, compare_edges);
  for (size_t i = 0; i < s->edges.count && good; i++) {
    int32_t a = s->edges.data[i].a, b = s->edges.data[i].b;
    if (s->edges.data[i].border)
      good = dv_engine_add_ints(&e->extrusionTriangles, (int32_t[]){a, b, a + 1, b + 1, a + 1, b}, 6);
  }
  return good;
}

static bool extrude(Extrude *e, const double *normal, int32_t *number, Sides *sides)
{
  bool good = true;
  for (size_t i = 0; i < e->surfaceTriangles.count && good; i++) {
    const int32_t *t = chosen_triangle(e, i);
    for (int k = 0; k < 3 && good; k++) good = extruded_point(e, t[k], normal, number);
    const int32_t v[3] = {number[t[0]], number[t[1]], number[t[2]]};
    good = good && add_side(sides, v[0], v[1]) && add_side(sides, v[0], v[2]) && add_side(sides, v[1], v[2]) &&
           dv_engine_add_ints(&e->extrusionTriangles, (int32_t[]){v[0], v[2], v[1], v[0] + 1, v[1] + 1, v[2] + 1}, 6);
  }
  return good && close_sides(e, sides);
}

static dvStatus extrude_update(dvObject *o)
{
  Extrude *e = (Extrude *)o;
  size_t n = dv_reals_size(&e->surfaceVertices);
  DV_TRY(dv_engine_check(o, &e->triangles, n, "points"));
  DV_TRY(dv_engine_check(o, &e->surfaceTriangles, dv_ints_size(&e->triangles), "triangles"));
  double *normal = dv_try_alloc(3 * (n + 1) * sizeof *normal);
  int32_t *number = dv_try_alloc((n + 1) * sizeof *number);
  Sides sides = {0};
  dv_tuple_set_init(&sides.known, 2);
  bool good =
      normal && number && dv_reals_resize(&e->extrusionVertices, 0) && dv_ints_resize(&e->extrusionTriangles, 0);
  if (good) {
    memset(number, -1, n * sizeof *number);
    add_normals(e, normal);
    good = extrude(e, normal, number, &sides);
  }
  dv_free(normal);
  dv_free(number);
  dv_tuple_set_free(&sides.known);
  dv_array_free(&sides.edges);
  return good ? DV_OK : dv_engine_no_memory(o);
}

DV_ENGINE_CLASS(dv_extrude_surface_class, "ExtrudeSurface", "makes a closed body of a piece of surface and its height",
                DV_GENERATE_MODULE, DV_DOF_VEC3, Extrude, .blocks = {&dv_object_block, DV_BLOCK(extrude_fields)},
                .update = extrude_update);

// --- joining -------------------------------------------------------------------------------------

#define JOIN_FIELDS(X)                                                                                  \
  X(coords, points, "", "m", "points", .flags = DV_INPUT)                                               \
  X(real, distance, "0", "m", "points nearer than this become one, in their middle", .flags = DV_INPUT) \
  X(coords, mergedPoints, "", "m", "what remains", .flags = DV_OUTPUT)

typedef struct JoinPoints {
  dvObject base;
  JOIN_FIELDS(DV_MEMBER)
} JoinPoints;

#define SELF JoinPoints
static const dvFieldDesc join_fields[] = {JOIN_FIELDS(DV_DESCRIBE)};
#undef SELF

typedef struct Cluster {
  dvVec3 p;
  double weight;
  bool gone;
} Cluster;

static size_t nearest(const Cluster *c, size_t count, size_t to, double distance)
{
  size_t best = to;
  for (size_t i = 0; i < count; i++) {
    double d = dv_vec3_norm(dv_vec3_sub(c[i].p, c[to].p));
    if (i == to || c[i].gone || !(d < distance)) continue;
    distance = d;
    best = i;
  }
  return best;
}

// each point takes in its nearest neighbour until none is near enough
static dvStatus join_points_update(dvObject *o)
{
  JoinPoints *j = (JoinPoints *)o;
  size_t n = dv_reals_size(&j->points);
  Cluster *c = dv_try_alloc((n + 1) * sizeof *c);
  bool good = c && dv_reals_resize(&j->mergedPoints, 0);
  for (size_t i = 0; i < n && good; i++) c[i] = (Cluster){.p = dv_vec3_load(j->points.data + 3 * i), .weight = 1};
  for (size_t i = 0; i < n && good; i++) {
    for (size_t other; !c[i].gone && (other = nearest(c, n, i, j->distance)) != i;) {
      double sum = c[i].weight + c[other].weight;
      c[i].p = dv_vec3_scale(
          dv_vec3_add(dv_vec3_scale(c[i].p, c[i].weight), dv_vec3_scale(c[other].p, c[other].weight)), 1 / sum);
      c[i].weight = sum;
      c[other].gone = true;
    }
  }
  for (size_t i = 0; i < n && good; i++) {
    double p[3];
    dv_vec3_store(p, c[i].p);
    if (!c[i].gone) good = dv_engine_add_reals(&j->mergedPoints, p, 3);
  }
  dv_free(c);
  return good ? DV_OK : dv_engine_no_memory(o);
}

DV_ENGINE_CLASS(dv_join_points_class, "JoinPoints", "makes one point of those that are near each other",
                DV_GENERATE_MODULE, DV_DOF_VEC3, JoinPoints, .blocks = {&dv_object_block, DV_BLOCK(join_fields)},
                .update = join_points_update);
