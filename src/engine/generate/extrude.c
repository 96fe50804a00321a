// Extrusion: ExtrudeEdgesAndGenerateQuads, ExtrudeQuadsAndGenerateHexas.
//
// Layer n of m lies at -in d + n (in + out) / m d' from the curve or surface, with d the direction (of edges as given,
// d' of length 1) or the normal at the point. Points of a curve are numbered layer by layer, those of a surface point
// by point.
#include "engine/classes.h"
#include "engine/engine.h"

#include "math/vec.h"

// --- edges to quads ------------------------------------------------------------------------------

#define EDGES_FIELDS(X)                                                                              \
  X(vec3, extrudeDirection, "1 0 0", "", "direction of the extrusion", .flags = DV_INPUT)            \
  X(real, thicknessIn, "0", "m", "how far it goes against the direction", .flags = DV_INPUT)         \
  X(real, thicknessOut, "1", "m", "how far it goes along the direction", .flags = DV_INPUT)          \
  X(int, numberOfSections, "1", "", "quads between the first and the last layer", .flags = DV_INPUT) \
  X(coords, curveVertices, "", "m", "points of the curve", .flags = DV_INPUT)                        \
  X(edges, curveEdges, "", "", "edges of the curve", .flags = DV_INPUT)                              \
  X(coords, extrudedVertices, "", "m", "points of all layers", .flags = DV_OUTPUT)                   \
  X(edges, extrudedEdges, "", "", "edges of all layers and between them", .flags = DV_OUTPUT)        \
  X(quads, extrudedQuads, "", "", "quads between the layers", .flags = DV_OUTPUT)

typedef struct Edges {
  dvObject base;
  EDGES_FIELDS(DV_MEMBER)
} Edges;

#define SELF Edges
static const dvFieldDesc edges_fields[] = {EDGES_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus check_layers(const dvObject *o, const int32_t *layers, size_t points)
{
  if (*layers < 1)
    return dv_field_error(o, layers, NULL, "an extrusion in %d steps cannot be made; give 1 or more", *layers);
  if (((double)*layers + 1) * (double)points > DV_POINT_LIMIT)
    return dv_field_error(o, layers, "use fewer", "%d steps from %zu points are too many", *layers, points);
  return DV_OK;
}

static bool extrude_curve_points(Edges *e)
{
  size_t n = e->curveVertices.count / 3;
  if (!dv_reals_resize(&e->extrudedVertices, 3 * n * ((size_t)e->numberOfSections + 1))) return false;
  dvVec3 direction = dv_vec3_load(e->extrudeDirection);
  dvVec3 step = dv_vec3_scale(dv_vec3_normalise(direction), (e->thicknessIn + e->thicknessOut) / e->numberOfSections);
  double *out = e->extrudedVertices.data;
  for (int layer = 0; layer <= e->numberOfSections; layer++) {
    dvVec3 by = dv_vec3_add_scaled(dv_vec3_scale(direction, -e->thicknessIn), step, layer);
    for (size_t i = 0; i < n; i++, out += 3)
      dv_vec3_store(out, dv_vec3_add(dv_vec3_load(e->curveVertices.data + 3 * i), by));
  }
  return true;
}

static dvStatus edges_update(dvObject *o)
{
  Edges *e = (Edges *)o;
  size_t points = dv_reals_size(&e->curveVertices);
  DV_TRY(dv_engine_check(o, &e->curveEdges, points, "points"));
  DV_TRY(check_layers(o, &e->numberOfSections, points));
  if (!(dv_vec3_norm(dv_vec3_load(e->extrudeDirection)) > 0))
    return dv_field_error(o, e->extrudeDirection, NULL, "the direction 0 0 0 leads nowhere");
  bool good = dv_ints_resize(&e->extrudedEdges, 0) && dv_ints_resize(&e->extrudedQuads, 0) && extrude_curve_points(e);
  int32_t n = (int32_t)points, last = e->numberOfSections;
  for (size_t i = 0; i + 2 <= e->curveEdges.count && good; i += 2) {
    int32_t a = e->curveEdges.data[i], b = e->curveEdges.data[i + 1];
    for (int32_t k = 0; k <= last && good; k++)
      good = dv_engine_add_ints(&e->extrudedEdges, (int32_t[]){a + k * n, b + k * n}, 2);
    for (int32_t k = 0; k < last && good; k++) {
      good =
          dv_engine_add_ints(&e->extrudedEdges, (int32_t[]){a + k * n, a + (k + 1) * n}, 2) &&
          dv_engine_add_ints(&e->extrudedQuads, (int32_t[]){a + k * n, b + k * n, b + (k + 1) * n, a + (k + 1) * n}, 4);
    }
  }
  if (good && e->curveEdges.count && e->curveEdges.count / 2 < points) {   // the end of an open curve
    int32_t b = e->curveEdges.data[e->curveEdges.count - 1];
    for (int32_t k = 0; k < last && good; k++)
      good = dv_engine_add_ints(&e->extrudedEdges, (int32_t[]){b + k * n, b + (k + 1) * n}, 2);
  }
  return good ? DV_OK : dv_engine_no_memory(o);
}

DV_ENGINE_CLASS(dv_extrude_edges_class, "ExtrudeEdgesAndGenerateQuads", "draws a curve out to a surface",
                DV_GENERATE_MODULE, DV_DOF_VEC3, Edges, .blocks = {&dv_object_block, DV_BLOCK(edges_fields)},
                .update = edges_update);

// --- quads to hexahedra --------------------------------------------------------------------------

#define QUADS_FIELDS(X)                                                                                         \
  X(bool, isVisible, "1", "", "draw it", .flags = DV_LOOKS)                                                     \
  X(vec3, scale, "1 1 1", "", "factors of the surface's points along x, y, z", .flags = DV_INPUT)               \
  X(real, thicknessIn, "0", "m", "how far it goes against the normals", .flags = DV_INPUT)                      \
  X(real, thicknessOut, "1", "m", "how far it goes along the normals", .flags = DV_INPUT)                       \
  X(int, numberOfSlices, "1", "", "hexahedra between the first and the last layer", .flags = DV_INPUT)          \
  X(bool, flipNormals, "0", "", "number the corners of hexahedra as if the quads were turned around",           \
    .flags = DV_INPUT)                                                                                          \
  X(coords, surfaceVertices, "", "m", "points of the surface", .flags = DV_INPUT)                               \
  X(quads, surfaceQuads, "", "", "quads of the surface", .flags = DV_INPUT)                                     \
  X(coords, extrudedVertices, "", "m", "each point's layers, then those of the next point", .flags = DV_OUTPUT) \
  X(quads, extrudedSurfaceQuads, "", "", "quads of the first layer", .flags = DV_OUTPUT)                        \
  X(quads, extrudedQuads, "", "", "quads of all layers, from both sides, and between them", .flags = DV_OUTPUT) \
  X(hexahedra, extrudedHexas, "", "", "hexahedra between the layers", .flags = DV_OUTPUT)

typedef struct Quads {
  dvObject base;
  QUADS_FIELDS(DV_MEMBER)
} Quads;

#define SELF Quads
static const dvFieldDesc quads_fields[] = {QUADS_FIELDS(DV_DESCRIBE)};
#undef SELF

static bool extrude_surface_points(Quads *q)
{
  size_t n = q->surfaceVertices.count / 3, layers = (size_t)q->numberOfSlices + 1;
  const double *x = q->surfaceVertices.data;
  double *normals = dv_try_alloc((3 * n + 1) * sizeof *normals);
  if (!normals || !dv_reals_resize(&q->extrudedVertices, 3 * n * layers)) {
    dv_free(normals);
    return false;
  }
  for (size_t i = 0; i + 4 <= q->surfaceQuads.count; i += 4) {
    const int32_t *e = q->surfaceQuads.data + i;
    dvVec3 a = dv_vec3_load(x + 3 * e[0]), to = dv_vec3_sub(dv_vec3_load(x + 3 * e[1]), a),
           across = dv_vec3_sub(dv_vec3_load(x + 3 * e[2]), a);
    dvVec3 normal = dv_vec3_normalise(dv_vec3_cross(to, across));
    for (int k = 0; k < 4; k++) dv_vec3_accumulate(normals + 3 * e[k], normal);
  }
  double step = (q->thicknessIn + q->thicknessOut) / q->numberOfSlices;
  for (size_t i = 0; i < n; i++) {
    dvVec3 normal = dv_vec3_normalise(dv_vec3_load(normals + 3 * i)),
           p = dv_vec3(x[3 * i] * q->scale[0], x[3 * i + 1] * q->scale[1], x[3 * i + 2] * q->scale[2]);
    for (size_t k = 0; k < layers; k++) {
      dvVec3 by =
          dv_vec3_add(dv_vec3_scale(normal, -q->thicknessIn), dv_vec3_scale(dv_vec3_scale(normal, step), (double)k));
      dv_vec3_store(q->extrudedVertices.data + 3 * (i * layers + k), dv_vec3_add(p, by));
    }
  }
  dv_free(normals);
  return true;
}

// all quads of the layers over one quad, whose corners in the first layer are c
static bool add_quads(Quads *q, const int32_t c[4])
{
  int32_t m = q->numberOfSlices;
  bool good = dv_engine_add_ints(&q->extrudedQuads, c, 4) &&
              dv_engine_add_ints(&q->extrudedQuads, (int32_t[]){c[3] + m, c[2] + m, c[1] + m, c[0] + m}, 4);
  for (int32_t n = 1; n < m && good; n++)
    good = dv_engine_add_ints(
        &q->extrudedQuads, (int32_t[]){c[0] + n, c[1] + n, c[2] + n, c[3] + n, c[3] + n, c[2] + n, c[1] + n, c[0] + n},
        8);
  for (int32_t n = 0; n < m && good; n++)
    for (int k = 0; k < 4 && good; k++) {
      int32_t a = c[k] + n, b = c[(k + 1) % 4] + n;
      good = dv_engine_add_ints(&q->extrudedQuads, (int32_t[]){a, a + 1, b + 1, b}, 4);
    }
  return good;
}

static bool add_hexahedra(Quads *q, const int32_t c[4])
{
  bool good = true;
  for (int32_t n = 0; n < q->numberOfSlices && good; n++) {
    int32_t h[8];
    for (int k = 0; k < 4; k++) {
      h[k] = c[q->flipNormals ? k : 3 - k] + n;
      h[k + 4] = h[k] + 1;
    }
    good = dv_engine_add_ints(&q->extrudedHexas, h, 8);
  }
  return good;
}

static dvStatus quads_update(dvObject *o)
{
  Quads *q = (Quads *)o;
  size_t points = dv_reals_size(&q->surfaceVertices);
  DV_TRY(dv_engine_check(o, &q->surfaceQuads, points, "points"));
  DV_TRY(check_layers(o, &q->numberOfSlices, points));
  bool good = dv_ints_resize(&q->extrudedSurfaceQuads, 0) && dv_ints_resize(&q->extrudedQuads, 0) &&
              dv_ints_resize(&q->extrudedHexas, 0) && extrude_surface_points(q);
  for (size_t i = 0; i + 4 <= q->surfaceQuads.count && good; i += 4) {
    int32_t c[4];
    for (size_t k = 0; k < 4; k++) c[k] = q->surfaceQuads.data[i + k] * (q->numberOfSlices + 1);
    good = dv_engine_add_ints(&q->extrudedSurfaceQuads, c, 4) && add_quads(q, c) && add_hexahedra(q, c);
  }
  return good ? DV_OK : dv_engine_no_memory(o);
}

DV_ENGINE_CLASS(dv_extrude_quads_class, "ExtrudeQuadsAndGenerateHexas", "draws a surface of quads out to hexahedra",
                DV_GENERATE_MODULE, DV_DOF_VEC3, Quads, .blocks = {&dv_object_block, DV_BLOCK(quads_fields)},
                .update = quads_update);
