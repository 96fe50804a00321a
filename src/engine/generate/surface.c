// What can be made from a surface: GenerateRigidMass, MeshClosingEngine, RandomPointDistributionInSurface.
#include "engine/classes.h"
#include "engine/engine.h"

#include "base/random.h"
#include "math/vec.h"
#include "topology/search/rays.h"

#include <stdlib.h>
#include <string.h>

// --- GenerateRigidMass ---------------------------------------------------------------------------
//
// Integrals over the inside as sums over tetrahedra from the origin to each triangle (a, b, c), of the signed volume
// V = a.(b x c) / 6: of 1: V; of x: V s / 4, s = a + b + c; of x x^T: V (s s^T + a a^T + b b^T + c c^T) / 20.

#define RIGID_FIELDS(X)                                                                                             \
  X(real, density, "1000", "kg/m3", "density of the body", .flags = DV_INPUT)                                       \
  X(vec3s, position, "", "m", "points of the surface", .flags = DV_INPUT)                                           \
  X(triangles, triangles, "", "", "triangles, looking outwards", .flags = DV_INPUT)                                 \
  X(quads, quads, "", "", "quads, likewise", .flags = DV_INPUT)                                                     \
  X(ints, polygons, "", "", "faces of any number of corners: their number, then the points", .flags = DV_INPUT)     \
  X(reals, rigidMass, "", "", "mass, volume and inertia for UniformMass", .flags = DV_OUTPUT)                       \
  X(real, mass, "0", "kg", "mass", .flags = DV_OUTPUT)                                                              \
  X(real, volume, "0", "m3", "volume", .flags = DV_OUTPUT)                                                          \
  X(mat3, inertiaMatrix, "0 0 0 0 0 0 0 0 0", "m2", "inertia about the centre for a mass of 1", .flags = DV_OUTPUT) \
  X(vec3, massCenter, "0 0 0", "m", "centre of mass", .flags = DV_OUTPUT)                                           \
  X(vec3, centerToOrigin, "0 0 0", "m", "from the centre of mass to the origin", .flags = DV_OUTPUT)

typedef struct RigidMaker {
  dvObject base;
  RIGID_FIELDS(DV_MEMBER)
  double zeroth;
  dvVec3 first;
  dvMat3 second;
} RigidMaker;

#define SELF RigidMaker
static const dvFieldDesc rigid_fields[] = {RIGID_FIELDS(DV_DESCRIBE)};
#undef SELF

static void integrate_triangle(RigidMaker *r, int32_t i, int32_t j, int32_t k)
{
  const double *x = r->position.data;
  dvVec3 a = dv_vec3_load(x + 3 * i), b = dv_vec3_load(x + 3 * j), c = dv_vec3_load(x + 3 * k),
         s = dv_vec3_add(a, dv_vec3_add(b, c));
  double v = dv_vec3_dot(a, dv_vec3_cross(b, c)) / 6;
  dvMat3 sum = dv_mat3_add(dv_mat3_outer(s, s),
                           dv_mat3_add(dv_mat3_outer(a, a), dv_mat3_add(dv_mat3_outer(b, b), dv_mat3_outer(c, c))));
  r->zeroth += v;
  r->first = dv_vec3_add_scaled(r->first, s, v / 4);
  r->second = dv_mat3_add(r->second, dv_mat3_scale(sum, v / 20));
}

static void integrate_fan(RigidMaker *r, const int32_t *face, size_t corners)
{
  for (size_t k = 2; k < corners; k++) integrate_triangle(r, face[0], face[k - 1], face[k]);
}

// walks polygons that stand as count and points
static dvStatus integrate_polygons(RigidMaker *r)
{
  size_t n = dv_reals_size(&r->position);
  for (size_t i = 0; i < r->polygons.count;) {
    size_t corners = (size_t)dv_max_int(r->polygons.data[i++], 0);
    if (corners > r->polygons.count - i)
      return dv_field_error(&r->base, &r->polygons, "give the number of corners before each face",
                            "the last polygon is not complete");
    for (size_t k = 0; k < corners; k++)
      if (r->polygons.data[i + k] < 0 || (size_t)r->polygons.data[i + k] >= n)
        return dv_field_error(&r->base, &r->polygons, NULL, "a polygon has the point %d, but there are %zu",
                              r->polygons.data[i + k], n);
    integrate_fan(r, r->polygons.data + i, corners);
    i += corners;
  }
  return DV_OK;
}

static dvStatus rigid_update(dvObject *o)
{
  RigidMaker *r = (RigidMaker *)o;
  DV_TRY(dv_engine_check(o, &r->triangles, dv_reals_size(&r->position), "points"));
  DV_TRY(dv_engine_check(o, &r->quads, dv_reals_size(&r->position), "points"));
  r->zeroth = 0, r->first = dv_vec3(0, 0, 0), r->second = (dvMat3){0};
  for (size_t i = 0; i + 3 <= r->triangles.count; i += 3) integrate_fan(r, r->triangles.data + i, 3);
  for (size_t i = 0; i + 4 <= r->quads.count; i += 4) integrate_fan(r, r->quads.data + i, 4);
  DV_TRY(integrate_polygons(r));
  if (r->polygons.count == 0) dv_engine_warn_open(o, &r->triangles, &r->quads);
  if (r->zeroth == 0)
    return dv_error(o, "give position and triangles of a closed surface", "the surface has no volume");
  if (r->zeroth < 0)
    dv_warning(o, "let the loader turn it around: flipNormals=\"1\"",
               "the surface is turned inside out: its volume is %g", r->zeroth);
  dvVec3 centre = dv_vec3_scale(r->first, 1 / r->zeroth);
  dvMat3 spread = dv_mat3_sub(dv_mat3_scale(r->second, 1 / r->zeroth), dv_mat3_outer(centre, centre));
  dvMat3 inertia = dv_mat3_sub(dv_mat3_scale(dv_mat3_identity(), dv_mat3_trace(spread)), spread);
  r->volume = r->zeroth;
  r->mass = r->volume * r->density;
  dv_mat3_store(r->inertiaMatrix, inertia);
  dv_vec3_store(r->massCenter, centre);
  dv_vec3_store(r->centerToOrigin, dv_vec3_neg(centre));
  if (!dv_reals_resize(&r->rigidMass, 11)) return dv_engine_no_memory(o);
  r->rigidMass.data[0] = r->mass;
  r->rigidMass.data[1] = r->volume;
  memcpy(r->rigidMass.data + 2, r->inertiaMatrix, sizeof r->inertiaMatrix);
  return DV_OK;
}

DV_ENGINE_CLASS(dv_generate_rigid_mass_class, "GenerateRigidMass",
                "mass, centre and inertia of a body from its surface", DV_GENERATE_MODULE, DV_DOF_RIGID3, RigidMaker,
                .blocks = {&dv_object_block, DV_BLOCK(rigid_fields)}, .update = rigid_update);

// --- MeshClosingEngine ---------------------------------------------------------------------------

#define CLOSING_FIELDS(X)                                                                               \
  X(coords, inputPosition, "", "m", "points of a surface", .flags = DV_INPUT)                           \
  X(triangles, inputTriangles, "", "", "its triangles", .flags = DV_INPUT)                              \
  X(quads, inputQuads, "", "", "its quads", .flags = DV_INPUT)                                          \
  X(coords, position, "", "m", "points of the closed surface: those given and the middle of each hole", \
    .flags = DV_OUTPUT)                                                                                 \
  X(triangles, triangles, "", "", "triangles of the closed surface", .flags = DV_OUTPUT)                \
  X(quads, quads, "", "", "quads of the closed surface", .flags = DV_OUTPUT)                            \
  X(lists, indices, "", "", "for each hole the points around it and its middle", .flags = DV_OUTPUT)    \
  X(coords, closingPosition, "", "m", "points of the parts that close the holes", .flags = DV_OUTPUT)   \
  X(triangles, closingTriangles, "", "", "their triangles", .flags = DV_OUTPUT)

typedef struct Closing {
  dvObject base;
  CLOSING_FIELDS(DV_MEMBER)
} Closing;

#define SELF Closing
static const dvFieldDesc closing_fields[] = {CLOSING_FIELDS(DV_DESCRIBE)};
#undef SELF

// an edge along a face, and whether a face on its other side has taken it off
typedef struct Border {
  int32_t from, to;
  bool used;
} Border;

static int by_start(const void *a, const void *b)
{
  const Border *x = a, *y = b;
  return x->from != y->from ? (x->from < y->from ? -1 : 1) : x->to < y->to ? 1 : x->to > y->to ? -1 : 0;
}

static void list_edges(const dvInts *faces, Border *out, size_t *count)
{
  size_t n = (size_t)faces->width;
  for (size_t i = 0; i + n <= faces->count; i += n)
    for (size_t k = 0; k < n; k++)
      out[(*count)++] = (Border){faces->data[i + (k + n - 1) % n], faces->data[i + k], false};
}

// the first unused edge that starts at a point, or `count`
static size_t edge_from(const Border *edges, size_t count, int32_t point)
{
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (edges[middle].from < point) low = middle + 1;
    else high = middle;
  }
  while (low < count && edges[low].from == point && edges[low].used) low++;
  return low < count && edges[low].from == point ? low : count;
}

// marks edges that have another one in the opposite direction: only those around holes stay unused
static void match_edges(Border *edges, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    if (edges[i].used) continue;
    for (size_t j = edge_from(edges, count, edges[i].to); j < count && edges[j].from == edges[i].to; j++)
      if (!edges[j].used && edges[j].to == edges[i].from && i != j) {
        edges[i].used = edges[j].used = true;
        break;
      }
  }
}

// a middle point, and triangles from it to the border
static bool close_hole(Closing *c, const dvInts *loop)
{
  int32_t n = (int32_t)loop->count, middle = (int32_t)(c->position.count / 3),
          first = (int32_t)(c->closingPosition.count / 3);
  dvVec3 sum = dv_vec3(0, 0, 0);
  bool good = true;
  for (int32_t k = 0; k < n && good; k++) {
    const double *x = c->inputPosition.data + 3 * (size_t)loop->data[k];
    int32_t before = (k + n - 1) % n;
    sum = dv_vec3_add(sum, dv_vec3_load(x));
    good = dv_engine_add_reals(&c->closingPosition, x, 3) &&
           dv_engine_add_ints(&c->closingTriangles, (int32_t[]){first + n, first + k, first + before}, 3) &&
           dv_engine_add_ints(&c->triangles, (int32_t[]){middle, loop->data[k], loop->data[before]}, 3);
  }
  double centre[3];
  dv_vec3_store(centre, dv_vec3_scale(sum, 1.0 / n));
  dvInts all = {.width = 1};
  good = good && dv_engine_add_reals(&c->closingPosition, centre, 3) && dv_engine_add_reals(&c->position, centre, 3) &&
         dv_ints_assign(&all, loop->data, loop->count) && dv_engine_add_ints(&all, &middle, 1) &&
         dv_lists_push(&c->indices, all.data, all.count);
  dv_ints_free(&all);
  return good;
}

static bool close_holes(Closing *c, Border *edges, size_t count)
{
  dvInts loop = {.width = 1};
  bool good = true;
  for (size_t i = 0; i < count && good; i++) {
    if (edges[i].used) continue;
    int32_t start = edges[i].from, to = start;
    good = dv_ints_resize(&loop, 0);
    for (size_t e = i; e < count && good; e = edge_from(edges, count, to)) {
      edges[e].used = true;
      good = dv_engine_add_ints(&loop, &edges[e].from, 1);
      to = edges[e].to;
      if (to == start) break;
    }
    if (good && to == start && loop.count > 2) good = close_hole(c, &loop);
    else if (good)
      dv_warning(&c->base, "faces that share an edge must look to the same side",
                 "the border from point %d does not lead around a hole: it stays open", start);
  }
  dv_ints_free(&loop);
  return good;
}

static dvStatus closing_update(dvObject *o)
{
  Closing *c = (Closing *)o;
  size_t points = dv_reals_size(&c->inputPosition), count = 0;
  DV_TRY(dv_engine_check(o, &c->inputTriangles, points, "points"));
  DV_TRY(dv_engine_check(o, &c->inputQuads, points, "points"));
  Border *edges = dv_try_alloc((c->inputTriangles.count + c->inputQuads.count + 1) * sizeof *edges);
  bool good = edges && dv_reals_assign(&c->position, c->inputPosition.data, c->inputPosition.count) &&
              dv_ints_assign(&c->triangles, c->inputTriangles.data, c->inputTriangles.count) &&
              dv_ints_assign(&c->quads, c->inputQuads.data, c->inputQuads.count) && dv_lists_clear(&c->indices) &&
              dv_reals_resize(&c->closingPosition, 0) && dv_ints_resize(&c->closingTriangles, 0);
  if (good) {
    list_edges(&c->inputTriangles, edges, &count);
    list_edges(&c->inputQuads, edges, &count);
    qsort(edges, count, sizeof *edges, by_start);
    match_edges(edges, count);
    good = close_holes(c, edges, count);
  }
  dv_free(edges);
  return good ? DV_OK : dv_engine_no_memory(o);
}

DV_ENGINE_CLASS(dv_mesh_closing_class, "MeshClosingEngine", "closes the holes of a surface", DV_GENERATE_MODULE,
                DV_DOF_VEC3, Closing, .blocks = {&dv_object_block, DV_BLOCK(closing_fields)}, .update = closing_update);

// --- RandomPointDistributionInSurface ------------------------------------------------------------

#define SCATTER_FIELDS(X)                                                                                           \
  X(int, randomSeed, "0", "", "start of the random numbers; 0 takes the usual one", .flags = DV_INPUT)              \
  X(bool, isVisible, "1", "", "draw it", .flags = DV_LOOKS)                                                         \
  X(bool, drawOutputPoints, "0", "", "draw the points", .flags = DV_LOOKS)                                          \
  X(real, minDistanceBetweenPoints, "0.1", "m", "points are at least so far apart", .flags = DV_INPUT)              \
  X(int, numberOfInPoints, "10", "", "number of points", .flags = DV_INPUT)                                         \
  X(int, numberOfTests, "5", "", "rays that must all say that a point is inside; an odd number", .flags = DV_INPUT) \
  X(coords, vertices, "", "m", "points of a closed surface", .flags = DV_INPUT)                                     \
  X(triangles, triangles, "", "", "its triangles, looking outwards", .flags = DV_INPUT)                             \
  X(coords, inPoints, "", "m", "points inside", .flags = DV_OUTPUT)                                                 \
  X(coords, outPoints, "", "m", "points that were tried and are outside or too near to others", .flags = DV_OUTPUT)

typedef struct Scatter {
  dvObject base;
  SCATTER_FIELDS(DV_MEMBER)
} Scatter;

#define SELF Scatter
static const dvFieldDesc scatter_fields[] = {SCATTER_FIELDS(DV_DESCRIBE)};
#undef SELF

enum { MOST_TRIES = 10000000 };

// in every direction the first triangle is seen from behind
static bool is_inside(const Scatter *s, const dvRayMesh *mesh, const double *directions, size_t tests,
                      const double p[3], dvHits *scratch, dvRayHits *hits)
{
  for (size_t i = 0; i < tests; i++) {
    dv_ray_mesh_trace(mesh, p, directions + 3 * i, scratch, hits);
    if (hits->count == 0) return false;
    const int32_t *t = s->triangles.data + 3 * (size_t)hits->data[0].triangle;
    dvVec3 a = dv_vec3_load(s->vertices.data + 3 * (size_t)t[0]), b = dv_vec3_load(s->vertices.data + 3 * (size_t)t[1]);
    dvVec3 c = dv_vec3_load(s->vertices.data + 3 * (size_t)t[2]),
           normal = dv_vec3_cross(dv_vec3_sub(b, a), dv_vec3_sub(c, a));
    if (!(dv_vec3_dot(dv_vec3_load(directions + 3 * i), normal) > 0)) return false;
  }
  return true;
}

static bool is_apart(const Scatter *s, const double p[3])
{
  for (size_t i = 0; i + 3 <= s->inPoints.count; i += 3)
    if (dv_vec3_norm2(dv_vec3_sub(dv_vec3_load(p), dv_vec3_load(s->inPoints.data + i))) <
        s->minDistanceBetweenPoints * s->minDistanceBetweenPoints)
      return false;
  return true;
}

static bool scatter(Scatter *s, const dvRayMesh *mesh, double *directions, size_t tests)
{
  double low[3], high[3], wanted = s->numberOfInPoints, most = fmin(wanted * wanted * wanted * wanted, MOST_TRIES);
  for (size_t k = 0; k < 3; k++) {
    low[k] = high[k] = s->vertices.data[k];
    for (size_t i = k; i < s->vertices.count; i += 3)
      low[k] = fmin(low[k], s->vertices.data[i]), high[k] = fmax(high[k], s->vertices.data[i]);
  }
  dvRandom random = dv_random_start(s->randomSeed ? (uint32_t)s->randomSeed : DV_RANDOM_SEED);
  for (size_t i = 0; i < 3 * tests; i++) directions[i] = dv_random(&random, -1, 1);
  dvHits scratch = {0};
  dvRayHits hits = {0};
  bool good = true;
  double tries = 0;
  for (; (double)(s->inPoints.count / 3) < wanted && tries < most && good; tries++) {
    double p[3];
    for (int k = 0; k < 3; k++) p[k] = dv_random(&random, low[k], high[k]);
    bool inside = is_inside(s, mesh, directions, tests, p, &scratch, &hits) && is_apart(s, p);
    good = dv_engine_add_reals(inside ? &s->inPoints : &s->outPoints, p, 3);
  }
  dv_array_free(&hits);
  dv_array_free(&scratch);
  if ((double)(s->inPoints.count / 3) < wanted)
    dv_warning(&s->base, "make minDistanceBetweenPoints or numberOfInPoints smaller",
               "%zu of %d points were found after %.0f tries", s->inPoints.count / 3, s->numberOfInPoints, tries);
  return good;
}

static dvStatus scatter_update(dvObject *o)
{
  Scatter *s = (Scatter *)o;
  DV_TRY(dv_engine_check(o, &s->triangles, dv_reals_size(&s->vertices), "points"));
  if (s->triangles.count == 0)
    return dv_field_error(o, &s->triangles, "give vertices and triangles of a closed surface",
                          "there is no surface to be inside of");
  if (s->numberOfInPoints < 0 || s->numberOfTests < 0 || s->numberOfTests > 1000)
    return dv_field_error(o, &s->numberOfInPoints, NULL, "%d points with %d tests each cannot be made",
                          s->numberOfInPoints, s->numberOfTests);
  if (s->numberOfTests % 2 == 0)
    dv_field_warning(o, &s->numberOfTests, NULL, "an odd number of tests is needed: one more is made");
  dv_engine_warn_open(o, &s->triangles, NULL);
  size_t tests = (size_t)s->numberOfTests | 1;
  double *directions = dv_alloc(3 * tests * sizeof *directions);
  dvRayMesh mesh = {0};
  bool good = dv_reals_resize(&s->inPoints, 0) && dv_reals_resize(&s->outPoints, 0) &&
              dv_ray_mesh_init(&mesh, s->vertices.data, s->triangles.data, s->triangles.count / 3) &&
              scatter(s, &mesh, directions, tests);
  dv_ray_mesh_fini(&mesh);
  dv_free(directions);
  return good ? DV_OK : dv_engine_no_memory(o);
}

DV_ENGINE_CLASS(dv_scatter_class, "RandomPointDistributionInSurface", "scatters points in a closed surface",
                DV_GENERATE_MODULE, DV_DOF_VEC3, Scatter, .blocks = {&dv_object_block, DV_BLOCK(scatter_fields)},
                .update = scatter_update);
