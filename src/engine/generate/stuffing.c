// MeshTetraStuffing: tetrahedra inside a closed surface (F. Labelle, J. R. Shewchuk, "Isosurface stuffing: fast
// tetrahedral meshes with good dihedral angles", 2007).
//
// Two cubic grids, the second shifted by half a cell, make a body-centred lattice: each point has 6 long edges to its
// own grid and 8 short ones to the other, and all tetrahedra have the same shape. Rays along all lines of the lattice
// tell which points are inside and where edges cross the surface. With snapPoints, points too near to the surface are
// moved onto it; with splitTetrahedra, tetrahedra that cross the surface are cut there. Without, all that have a point
// inside are kept whole.
#include "engine/classes.h"
#include "engine/engine.h"

#include "math/vec.h"
#include "topology/search/rays.h"
#include "topology/search/tuple_set.h"

#include <string.h>

enum { EDGES = 14, LONG_EDGES = 6, MOST_POINTS = DV_POINT_LIMIT / 10 };

static const double TOUCH = 1e-9;   // a point so near to the surface, in parts of an edge, lies on it

#define STUFFING_FIELDS(X)                                                                                           \
  X(vec6, vbbox, "0 0 0 0 0 0", "m", "box to fill, smallest and largest coordinates; around the surface when empty", \
    .flags = DV_INPUT)                                                                                               \
  X(real, size, "-8", "m", "size of a cell of the grids; when negative the number of cells along the longest side",  \
    .flags = DV_INPUT)                                                                                               \
  X(vec3s, inputPoints, "", "m", "points of the surface", .flags = DV_INPUT)                                         \
  X(triangles, inputTriangles, "", "", "its triangles, looking outwards", .flags = DV_INPUT)                         \
  X(quads, inputQuads, "", "", "its quads, likewise", .flags = DV_INPUT)                                             \
  X(vec3s, outputPoints, "", "m", "points of the tetrahedra", .flags = DV_OUTPUT)                                    \
  X(tetrahedra, outputTetrahedra, "", "", "tetrahedra", .alias = "outputTetras", .flags = DV_OUTPUT)                 \
  X(real, alphaLong, "0.24999", "", "points are moved when a long edge crosses the surface before this part of it",  \
    .flags = DV_INPUT)                                                                                               \
  X(real, alphaShort, "0.42978", "", "the same for short edges", .flags = DV_INPUT)                                  \
  X(bool, snapPoints, "0", "", "move points that are near the surface onto it", .flags = DV_INPUT)                   \
  X(bool, snapOutside, "0", "",                                                                                      \
    "with snapPoints: also move points outside, as the paper does; without, as in SOFA, thin tetrahedra stay",       \
    .flags = DV_INPUT)                                                                                               \
  X(bool, splitTetrahedra, "0", "", "cut tetrahedra that cross the surface", .alias = "splitTetras",                 \
    .flags = DV_INPUT)                                                                                               \
  X(bool, draw, "0", "", "draw what happens", .flags = DV_LOOKS)

typedef struct Stuffing {
  dvObject base;
  STUFFING_FIELDS(DV_MEMBER)
  int n[2][3];   // points along each axis of the two grids
  double cell, start[2][3];
  int32_t second, count;   // first point of the second grid, and points of both
  int32_t *side;           // of each point: positive inside, negative outside, 0 on the surface
  double (
      *crossing)[EDGES];   // where each edge from a point meets the surface first, as a part of it; 0 where it does not
  dvTupleSet cuts;         // (outside, inside) for each edge that is cut; their points follow those of the grids
} Stuffing;

#define SELF Stuffing
static const dvFieldDesc stuffing_fields[] = {STUFFING_FIELDS(DV_DESCRIBE)};
#undef SELF

// --- lattice -------------------------------------------------------------------------------------

static void place(const Stuffing *s, int32_t p, int *grid, int c[3])
{
  *grid = p >= s->second;
  if (*grid) p -= s->second;
  const int *n = s->n[*grid];
  c[0] = p % n[0];
  c[1] = p / n[0] % n[1];
  c[2] = p / n[0] / n[1];
}

// the other end of edge e, -1 outside of the grids; e ^ 1 leads back
static int32_t neighbour(const Stuffing *s, int32_t p, int e)
{
  int grid, c[3];
  place(s, p, &grid, c);
  if (e < LONG_EDGES) c[e / 2] += e % 2 ? 1 : -1;
  else {
    int bits = e - LONG_EDGES, up[3] = {bits & 1, (bits >> 1 ^ bits) & 1, (bits >> 2 ^ bits) & 1};
    for (int k = 0; k < 3; k++) c[k] += grid ? up[k] - 1 : up[k];
    grid = !grid;
  }
  const int *n = s->n[grid];
  for (int k = 0; k < 3; k++)
    if (c[k] < 0 || c[k] >= n[k]) return -1;
  return (grid ? s->second : 0) + c[0] + n[0] * (c[1] + n[1] * c[2]);
}

static dvVec3 point(const Stuffing *s, int32_t p) { return dv_vec3_load(s->outputPoints.data + 3 * (size_t)p); }

static dvStatus lay_out(Stuffing *s)
{
  double low[3], high[3], longest = 0, total[2] = {1, 1};
  for (size_t k = 0; k < 3; k++) {
    low[k] = high[k] = s->inputPoints.data[k];
    for (size_t i = k; i < s->inputPoints.count; i += 3)
      low[k] = fmin(low[k], s->inputPoints.data[i]), high[k] = fmax(high[k], s->inputPoints.data[i]);
  }
  for (int k = 0; k < 3; k++) {
    double margin = (high[k] - low[k]) * 0.01;
    bool given = s->vbbox[0] < s->vbbox[3];
    low[k] = given ? s->vbbox[k] : low[k] - margin;
    high[k] = given ? s->vbbox[k + 3] : high[k] + margin;
    longest = fmax(longest, high[k] - low[k]);
  }
  s->cell = s->size < 0 ? longest / -s->size : s->size;
  if (!(s->cell > 0) || !isfinite(s->cell))
    return dv_field_error(&s->base, &s->size, "give the size of a cell, or how many, with a minus sign",
                          "cells of size %g cannot be made", s->cell);
  for (int k = 0; k < 3; k++) {
    double middle = (low[k] + high[k]) / 2, before = floor((middle - low[k]) / s->cell) + 2,
           after = floor((high[k] - middle) / s->cell) + 2;
    total[0] *= before + after + 1;
    total[1] *= before + after + 2;
    if (!(total[0] + total[1] < MOST_POINTS))
      return dv_field_error(&s->base, &s->size, "use larger cells", "cells of size %g would make too many points",
                            s->cell);
    s->n[0][k] = (int)(before + after) + 1;
    s->n[1][k] = s->n[0][k] + 1;
    s->start[0][k] = middle - before * s->cell;
    s->start[1][k] = s->start[0][k] - s->cell / 2;
  }
  s->second = (int32_t)total[0];
  s->count = (int32_t)(total[0] + total[1]);
  return DV_OK;
}

static bool make_points(Stuffing *s)
{
  s->side = dv_try_alloc((size_t)s->count * sizeof *s->side);
  s->crossing = dv_try_alloc((size_t)s->count * sizeof *s->crossing);
  if (!s->side || !s->crossing || !dv_reals_resize(&s->outputPoints, 3 * (size_t)s->count)) return false;
  for (int32_t p = 0; p < s->count; p++) {
    int grid, c[3];
    place(s, p, &grid, c);
    for (int k = 0; k < 3; k++) s->outputPoints.data[3 * (size_t)p + (size_t)k] = s->start[grid][k] + c[k] * s->cell;
  }
  return true;
}

// --- inside and outside --------------------------------------------------------------------------

// +1 where the ray leaves the body, -1 where it enters
static int sense(const dvRayMesh *m, int32_t triangle, dvVec3 direction)
{
  const int32_t *t = m->triangles + 3 * (size_t)triangle;
  dvVec3 a = dv_vec3_load(m->x + 3 * (size_t)t[0]), b = dv_vec3_load(m->x + 3 * (size_t)t[1]),
         c = dv_vec3_load(m->x + 3 * (size_t)t[2]);
  return dv_vec3_dot(dv_vec3_cross(dv_vec3_sub(b, a), dv_vec3_sub(c, a)), direction) < 0 ? -1 : 1;
}

// each point of a line votes: where the ray leaves next, it is inside
static void walk_line(Stuffing *s, const dvRayMesh *m, const dvRayHits *hits, int32_t p, int e, dvVec3 direction)
{
  size_t n = hits->count, i = 0;
  for (int d = 0; p >= 0; p = neighbour(s, p, e), d++) {
    while (i < n && hits->data[i].t < d) i++;
    double before = i > 0 ? d - hits->data[i - 1].t : 0, after = i < n ? hits->data[i].t - d : 0;
    if (i == 0 || (i < n && before < after)) s->side[p] += sense(m, hits->data[i].triangle, direction);
    else s->side[p] -= sense(m, hits->data[i - 1].triangle, direction);
    bool touches = s->snapOutside && ((i < n && after < TOUCH) || (i > 0 && before < TOUCH));
    if (i < n) s->crossing[p][e] = after;
    if (i > 0) s->crossing[p][e + 1] = before;
    if (touches) s->crossing[p][e] = s->crossing[p][e + 1] = TOUCH;
  }
}

// where a line grazes the surface it may say otherwise than the majority: an edge between inside and outside that does
// not meet the surface is cut in its middle
static void mend_crossings(Stuffing *s)
{
  for (int32_t p = 0; p < s->count; p++)
    for (int e = 0; e < EDGES; e++) {
      int32_t q = neighbour(s, p, e);
      if (q >= 0 && (s->side[p] > 0) != (s->side[q] > 0) && !(s->crossing[p][e] > 0 && s->crossing[p][e] < 1))
        s->crossing[p][e] = 0.5;
    }
}

static void find_sides(Stuffing *s, const dvRayMesh *m)
{
  dvHits scratch = {0};
  dvRayHits hits = {0};
  for (int32_t p = 0; p < s->count; p++)
    for (int e = 0; e < EDGES; e += 2) {
      int32_t next = neighbour(s, p, e);
      if (next < 0 || neighbour(s, p, e + 1) >= 0) continue;   // not the first of its line
      double origin[3], direction[3];
      dvVec3 along = dv_vec3_sub(point(s, next), point(s, p));
      dv_vec3_store(origin, point(s, p));
      dv_vec3_store(direction, along);
      dv_ray_mesh_trace(m, origin, direction, &scratch, &hits);
      if (hits.count) walk_line(s, m, &hits, p, e, along);
      // a line past the surface is outside all along; SOFA leaves the decision to the other lines
      for (int32_t q = p; hits.count == 0 && s->snapOutside && q >= 0; q = neighbour(s, q, e)) s->side[q]--;
    }
  for (int32_t p = 0; p < s->count; p++)
    if (s->side[p] == 0) s->side[p] = -1;
  if (s->snapOutside) mend_crossings(s);
  dv_array_free(&hits);
  dv_array_free(&scratch);
}

// --- moving points onto the surface --------------------------------------------------------------

static double nearest_part(const Stuffing *s, int e) { return e < LONG_EDGES ? s->alphaLong : s->alphaShort; }

static bool too_near(const Stuffing *s, int32_t p, int e)
{
  return s->crossing[p][e] != 0 && s->crossing[p][e] < nearest_part(s, e);
}

static bool on_other_side(const Stuffing *s, int32_t p, int32_t q)
{
  return q >= 0 && (s->side[p] > 0 ? s->side[q] < 0 : s->side[q] > 0);
}

// some edge to the other side crosses the surface too near to the point
static bool is_violated(const Stuffing *s, int32_t p)
{
  for (int e = 0; e < EDGES; e++)
    if (on_other_side(s, p, neighbour(s, p, e)) && too_near(s, p, e)) return true;
  return false;
}

// Moves a point along the edge with the nearest crossing. Edges to or from it are not cut any more. A point goes
// towards the other side; in SOFA a point outside goes towards others outside that need not be moved themselves: where
// the surface passes twice between the two, or touches the point. False when there is no such edge.
static bool snap(Stuffing *s, int32_t p, const uint8_t *violated)
{
  double least = INFINITY;
  int best = -1;
  for (int e = 0; e < EDGES; e++) {
    int32_t q = neighbour(s, p, e);
    bool suits = s->side[p] > 0 || s->snapOutside ? on_other_side(s, p, q) : q >= 0 && s->side[q] <= 0 && !violated[q];
    if (!suits || !too_near(s, p, e)) continue;
    double length2 = s->crossing[p][e] * s->crossing[p][e] * (e < LONG_EDGES ? 4 : 3);
    if (length2 < least) least = length2, best = e;
  }
  if (best < 0) return false;
  dvVec3 from = point(s, p), to = point(s, neighbour(s, p, best));
  dv_vec3_store(s->outputPoints.data + 3 * (size_t)p,
                dv_vec3_add_scaled(from, dv_vec3_sub(to, from), s->crossing[p][best]));
  s->side[p] = 0;
  for (int e = 0; e < EDGES; e++) {
    int32_t q = neighbour(s, p, e);
    s->crossing[p][e] = 0;
    if (q >= 0) s->crossing[q][e ^ 1] = 0;
  }
  return true;
}

// a point inside, beside one that was moved: measured, as in SOFA, by the limit of the edge between the two
static bool still_violated(const Stuffing *s, int32_t p, double limit)
{
  for (int e = 0; e < EDGES; e++)
    if (on_other_side(s, p, neighbour(s, p, e)) && s->crossing[p][e] != 0 && s->crossing[p][e] < limit) return true;
  return false;
}

static void snap_points(Stuffing *s, uint8_t *violated)
{
  for (int32_t p = 0; p < s->count; p++) violated[p] = is_violated(s, p);
  for (int32_t p = 0; p < s->count && s->snapOutside; p++)
    if (violated[p] && is_violated(s, p)) violated[p] = !snap(s, p, violated);
  if (s->snapOutside) return;
  for (bool moved = true; moved;) {
    moved = false;
    for (int32_t p = 0; p < s->count; p++) {
      if (!violated[p] || s->side[p] >= 0 || !snap(s, p, violated)) continue;
      violated[p] = false;
      moved = true;
      for (int e = 0; e < EDGES; e++) {
        int32_t q = neighbour(s, p, e);
        if (q >= 0 && violated[q] && s->side[q] > 0) violated[q] = still_violated(s, q, nearest_part(s, e));
      }
    }
  }
  for (int32_t p = 0; p < s->count; p++)
    if (violated[p] && s->side[p] > 0) snap(s, p, violated);
}

// --- tetrahedra ----------------------------------------------------------------------------------

static bool make_cuts(Stuffing *s)
{
  bool good = true;
  for (int32_t p = 0; p < s->count && good; p++)
    for (int e = 0; e < EDGES && s->side[p] < 0 && good; e++) {
      int32_t q = neighbour(s, p, e);
      if (q < 0 || s->side[q] <= 0) continue;
      double x[3];
      dv_vec3_store(x, dv_vec3_add_scaled(point(s, p), dv_vec3_sub(point(s, q), point(s, p)), s->crossing[p][e]));
      good = dv_tuple_set_add(&s->cuts, (int32_t[]){p, q}, NULL) >= 0 && dv_engine_add_reals(&s->outputPoints, x, 3);
    }
  return good;
}

static int32_t cut_between(const Stuffing *s, int32_t outside, int32_t inside)
{
  int32_t number = dv_tuple_set_find(&s->cuts, (int32_t[]){outside, inside});
  return number < 0 ? outside : s->count + number;
}

// corners turned so that the volume is positive
static bool add(Stuffing *s, int32_t a, int32_t b, int32_t c, int32_t d)
{
  dvVec3 o = point(s, a), u = dv_vec3_sub(point(s, b), o), v = dv_vec3_sub(point(s, c), o),
         w = dv_vec3_sub(point(s, d), o);
  bool turned = dv_vec3_dot(u, dv_vec3_cross(v, w)) < 0;
  return dv_engine_add_ints(&s->outputTetrahedra, (int32_t[]){a, b, turned ? d : c, turned ? c : d}, 4);
}

// Of the quadrilateral a b, cut of b, cut of a: does its diagonal start at b? Both tetrahedra that share it must agree.
// It ends at the cut of a long edge; where both edges to the point outside are short, the parity rule of the paper
// decides.
static bool from_second(const Stuffing *s, int32_t a, int32_t b, int32_t cut_b, int32_t outside)
{
  bool second = outside >= s->second;
  if ((a >= s->second) == second) return true;
  if ((b >= s->second) == second) return false;
  int larger = 0;
  const double *x = s->outputPoints.data + 3 * (size_t)a, *y = s->outputPoints.data + 3 * (size_t)cut_b;
  for (int k = 0; k < 3; k++) larger += x[k] > y[k];
  return (larger & 1) != (a < s->second ? 1 : 0);
}

// one inside, one on the surface, one outside: a pyramid over the quadrilateral
static bool add_pyramid(Stuffing *s, int32_t on, const int32_t in[2], int32_t out)
{
  int32_t c0 = cut_between(s, out, in[0]), c1 = cut_between(s, out, in[1]);
  if (!from_second(s, in[0], in[1], c1, out)) return add(s, on, in[0], in[1], c1) && add(s, on, in[0], c1, c0);
  return add(s, on, in[0], in[1], c0) && add(s, on, in[1], c1, c0);
}

// two inside, two outside: a wedge
static bool add_wedge(Stuffing *s, const int32_t in[2], const int32_t out[2])
{
  int32_t c[2][2];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) c[i][j] = cut_between(s, out[i], in[j]);
  bool a = from_second(s, in[0], in[1], c[0][1], out[0]), b = from_second(s, in[0], in[1], c[1][1], out[1]);
  if (!a && b)
    return add(s, in[0], in[1], c[0][1], c[1][0]) && add(s, in[0], c[0][1], c[0][0], c[1][0]) &&
           add(s, in[1], c[0][1], c[1][0], c[1][1]);
  return add(s, in[0], in[1], c[0][0], c[1][1]) && add(s, in[1], c[0][0], c[1][1], c[0][1]) &&
         add(s, in[0], c[0][0], c[1][0], c[1][1]);
}

// three inside, one outside: a prism; one corner has two diagonals, one cut has two
static bool add_prism(Stuffing *s, const int32_t in[3], int32_t out)
{
  int32_t c[3];
  bool second[3];
  for (int k = 0; k < 3; k++) c[k] = cut_between(s, out, in[k]);
  for (int k = 0; k < 3; k++) second[k] = from_second(s, in[k], in[(k + 1) % 3], c[(k + 1) % 3], out);
  if (second[0] == second[1] && second[1] == second[2]) second[2] = !second[0];
  int corner = 0, cut = 0;
  for (int k = 0; k < 3; k++) {
    // side k lies between corners k and k + 1
    if (second[k] && !second[(k + 1) % 3]) corner = (k + 1) % 3;
    if (!second[k] && second[(k + 1) % 3]) cut = (k + 1) % 3;
  }
  int third = 3 - corner - cut;
  return add(s, in[corner], c[0], c[2], c[1]) && add(s, c[cut], in[0], in[1], in[2]) &&
         add(s, in[third], c[third], in[corner], c[cut]);
}

static bool add_cell(Stuffing *s, const int32_t corners[4])
{
  int32_t in[4], out[4], on[4];
  int n_in = 0, n_out = 0, n_on = 0;
  for (int k = 0; k < 4; k++) {
    int32_t side = s->side[corners[k]];
    if (side > 0) in[n_in++] = corners[k];
    else if (side < 0) out[n_out++] = corners[k];
    else on[n_on++] = corners[k];
  }
  if (n_in == 0 && (n_out > 0 || s->snapOutside)) return true;
  if (n_out == 0 || !s->splitTetrahedra) return add(s, corners[0], corners[1], corners[2], corners[3]);
  if (n_in == 2) return n_out == 1 ? add_pyramid(s, on[0], in, out[0]) : add_wedge(s, in, out);
  if (n_in == 3) return add_prism(s, in, out[0]);
  int32_t c[4];
  for (int k = 0; k < 4; k++) c[k] = s->side[corners[k]] < 0 ? cut_between(s, corners[k], in[0]) : corners[k];
  return add(s, c[0], c[1], c[2], c[3]);
}

// four tetrahedra around each edge of the first grid
static bool make_tetrahedra(Stuffing *s)
{
  bool good = true;
  for (int32_t p = 0; p < s->second && good; p++) {
    int grid, c[3];
    place(s, p, &grid, c);
    const int *n = s->n[1];
    for (int axis = 0; axis < 3 && good; axis++) {
      if (c[axis] == 0) continue;
      const int32_t back[3] = {1, s->n[0][0], s->n[0][0] * s->n[0][1]}, step[3] = {1, n[0], n[0] * n[1]};
      int32_t q = p - back[axis], base = s->second + c[0] + n[0] * (c[1] + n[1] * c[2]), u = step[(axis + 1) % 3],
              v = step[(axis + 2) % 3];
      const int32_t around[4] = {base, base + u, base + u + v, base + v};
      for (int i = 0; i < 4 && good; i++) good = add_cell(s, (int32_t[]){p, q, around[(i + 1) % 4], around[i]});
    }
  }
  return good;
}

// points that no tetrahedron uses are left out
static bool compress(Stuffing *s)
{
  size_t n = s->outputPoints.count / 3, kept = 0;
  int32_t *number = dv_try_alloc((n + 1) * sizeof *number);
  if (!number) return false;
  for (size_t i = 0; i < s->outputTetrahedra.count; i++) number[s->outputTetrahedra.data[i]] = 1;
  for (size_t i = 0; i < n; i++) {
    if (!number[i]) continue;
    memmove(s->outputPoints.data + 3 * kept, s->outputPoints.data + 3 * i, 3 * sizeof(double));
    number[i] = (int32_t)kept++;
  }
  for (size_t i = 0; i < s->outputTetrahedra.count; i++)
    s->outputTetrahedra.data[i] = number[s->outputTetrahedra.data[i]];
  dv_free(number);
  return dv_reals_resize(&s->outputPoints, 3 * kept);
}

// --- engine --------------------------------------------------------------------------------------

static bool fill(Stuffing *s, const dvInts *triangles)
{
  dvRayMesh surface = {0};
  uint8_t *violated = s->snapPoints ? dv_try_alloc((size_t)s->count) : NULL;
  dv_tuple_set_init(&s->cuts, 2);
  bool good = (violated || !s->snapPoints) && make_points(s) &&
              dv_ray_mesh_init(&surface, s->inputPoints.data, triangles->data, triangles->count / 3);
  if (good) find_sides(s, &surface);
  if (good && s->snapPoints) snap_points(s, violated);
  good = good && (!s->splitTetrahedra || make_cuts(s)) && make_tetrahedra(s) && compress(s);
  dv_ray_mesh_fini(&surface);
  dv_tuple_set_free(&s->cuts);
  dv_free(violated);
  dv_free(s->side);
  dv_free(s->crossing);
  s->side = NULL, s->crossing = NULL;
  return good;
}

static dvStatus stuffing_update(dvObject *o)
{
  Stuffing *s = (Stuffing *)o;
  size_t points = dv_reals_size(&s->inputPoints);
  DV_TRY(dv_engine_check(o, &s->inputTriangles, points, "points"));
  DV_TRY(dv_engine_check(o, &s->inputQuads, points, "points"));
  if (s->inputTriangles.count + s->inputQuads.count == 0)
    return dv_error(o, "link inputPoints and inputTriangles to a loader or topology", "there is no surface to fill");
  dv_engine_warn_open(o, &s->inputTriangles, &s->inputQuads);
  if (!dv_ints_resize(&s->outputTetrahedra, 0) || !dv_reals_resize(&s->outputPoints, 0)) return dv_engine_no_memory(o);
  DV_TRY(lay_out(s));
  dvInts triangles = {.width = 3};
  bool good = dv_ints_assign(&triangles, s->inputTriangles.data, s->inputTriangles.count);
  for (size_t i = 0; i + 4 <= s->inputQuads.count && good; i += 4) {
    const int32_t *q = s->inputQuads.data + i;
    good = dv_engine_add_ints(&triangles, (int32_t[]){q[0], q[1], q[2], q[0], q[2], q[3]}, 6);
  }
  good = good && fill(s, &triangles);
  dv_ints_free(&triangles);
  if (good && s->outputTetrahedra.count == 0)
    dv_warning(o, "use smaller cells, or turn the faces of the surface around",
               "no tetrahedron of size %g is inside of the surface", s->cell);
  return good ? DV_OK : dv_engine_no_memory(o);
}

DV_ENGINE_CLASS(dv_tetra_stuffing_class, "MeshTetraStuffing", "fills a closed surface with tetrahedra",
                DV_GENERATE_MODULE, 0, Stuffing, .blocks = {&dv_object_block, DV_BLOCK(stuffing_fields)},
                .update = stuffing_update);
