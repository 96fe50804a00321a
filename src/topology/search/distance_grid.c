// See distance_grid.h.
//
// The sign is that of the triangle which the way to the nearest point meets most squarely, among those that have it in
// common: right at edges, and at corners but for rare saddles. There two neighbours on different sides would be further
// apart than they are; such a point takes the side of the others.
#include "topology/search/distance_grid.h"

#include "topology/search/box_tree.h"
#include "topology/search/surface.h"

#include <math.h>
#include <string.h>

enum { DEEPEST = 128 };

static double *axis(dvVec3 *v, int k) { return k == 0 ? &v->x : k == 1 ? &v->y : &v->z; }
static double along(dvVec3 v, int k) { return *axis(&v, k); }
static size_t place(const dvDistanceGrid *g, int x, int y, int z)
{
  return (size_t)x + (size_t)g->n[0] * ((size_t)y + (size_t)g->n[1] * (size_t)z);
}
static size_t stride_of(const dvDistanceGrid *g, int k)
{
  return k == 0 ? 1 : k == 1 ? (size_t)g->n[0] : (size_t)g->n[0] * (size_t)g->n[1];
}

bool dv_distance_grid_lay(dvDistanceGrid *g, const int n[3], dvVec3 low, dvVec3 high)
{
  size_t count = (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
  g->low = low, g->high = high;
  for (int k = 0; k < 3; k++) {
    g->n[k] = n[k];
    g->cell[k] = (along(high, k) - along(low, k)) / (n[k] - 1);
    g->per_length[k] = (n[k] - 1) / (along(high, k) - along(low, k));
  }
  if (!dv_try_reserve(&g->values, count)) return false;
  dv_array_resize(&g->values, count);
  return true;
}

void dv_distance_grid_free(dvDistanceGrid *g)
{
  dv_array_free(&g->values);
  dv_array_free(&g->points);
}

dvVec3 dv_distance_grid_point(const dvDistanceGrid *g, int x, int y, int z)
{
  return dv_vec3(g->low.x + x * g->cell[0], g->low.y + y * g->cell[1], g->low.z + z * g->cell[2]);
}

// --- reading -------------------------------------------------------------------------------------

// the cell of a place, the first of its corners, and where the place lies in it
static size_t locate(const dvDistanceGrid *g, dvVec3 p, double at[3])
{
  int corner[3];
  for (int k = 0; k < 3; k++) {
    at[k] = (along(p, k) - along(g->low, k)) * g->per_length[k];
    double whole = floor(at[k]);
    corner[k] = whole < 0 ? 0 : whole >= g->n[k] - 1 ? g->n[k] - 2 : (int)whole;
    at[k] -= corner[k];
  }
  return place(g, corner[0], corner[1], corner[2]);
}

static double mix(double at, double a, double b) { return a + at * (b - a); }

static double value_in(const dvDistanceGrid *g, dvVec3 p)
{
  double at[3];
  const double *d = g->values.data + locate(g, p, at);
  size_t y = stride_of(g, 1), z = stride_of(g, 2);
  return mix(at[2], mix(at[1], mix(at[0], d[0], d[1]), mix(at[0], d[y], d[1 + y])),
             mix(at[1], mix(at[0], d[z], d[1 + z]), mix(at[0], d[y + z], d[1 + y + z])));
}

static dvVec3 clamped(const dvDistanceGrid *g, dvVec3 p)
{
  for (int k = 0; k < 3; k++) *axis(&p, k) = dv_min(dv_max(along(p, k), along(g->low, k)), along(g->high, k));
  return p;
}

bool dv_distance_grid_holds(const dvDistanceGrid *g, dvVec3 p)
{
  for (int k = 0; k < 3; k++)
    if (!(along(p, k) >= along(g->low, k) + 0.1 * g->cell[k] && along(p, k) <= along(g->high, k) - 0.1 * g->cell[k]))
      return false;
  return true;
}

bool dv_distance_grid_near(const dvDistanceGrid *g, dvVec3 p, double margin)
{
  for (int k = 0; k < 3; k++)
    if (!(along(p, k) >= along(g->inner_low, k) - margin && along(p, k) <= along(g->inner_high, k) + margin))
      return false;
  return true;
}

// differences over the cell that the place lies in
static dvVec3 slope_per_cell(const dvDistanceGrid *g, dvVec3 p)
{
  double at[3];
  const double *d = g->values.data + locate(g, p, at);
  size_t y = stride_of(g, 1), z = stride_of(g, 2);
  return dv_vec3(
      mix(at[2], mix(at[1], d[1] - d[0], d[1 + y] - d[y]), mix(at[1], d[1 + z] - d[z], d[1 + y + z] - d[y + z])),
      mix(at[2], mix(at[0], d[y] - d[0], d[1 + y] - d[1]), mix(at[0], d[y + z] - d[z], d[1 + y + z] - d[1 + z])),
      mix(at[1], mix(at[0], d[z] - d[0], d[1 + z] - d[1]), mix(at[0], d[y + z] - d[y], d[1 + y + z] - d[1 + y])));
}

// at a point of the grid: central differences, one-sided at the border
static dvVec3 slope_at_point(const dvDistanceGrid *g, size_t i)
{
  dvVec3 slope;
  for (int k = 0; k < 3; k++) {
    size_t s = stride_of(g, k), at = i / s % (size_t)g->n[k];
    bool first = at == 0, last = at + 1 == (size_t)g->n[k];
    double low = g->values.data[first ? i : i - s], high = g->values.data[last ? i : i + s];
    *axis(&slope, k) = (high - low) / (g->cell[k] * (first || last ? 1 : 2));
  }
  return slope;
}

// interpolated between the points, so that it has no jumps from cell to cell
static dvVec3 slope_in(const dvDistanceGrid *g, dvVec3 p)
{
  double at[3];
  size_t first = locate(g, p, at);
  dvVec3 sum = dv_vec3(0, 0, 0);
  for (int c = 0; c < 8; c++) {
    double weight = 1;
    size_t i = first;
    for (int k = 0; k < 3; k++) {
      bool far = c >> k & 1;
      weight *= far ? at[k] : 1 - at[k];
      if (far) i += stride_of(g, k);
    }
    sum = dv_vec3_add_scaled(sum, slope_at_point(g, i), weight);
  }
  return sum;
}

// Beyond the grid: the way from the surface point that is nearest to the border.
static dvVec3 way_beyond(const dvDistanceGrid *g, dvVec3 p, dvVec3 border)
{
  return dv_vec3_add_scaled(dv_vec3_sub(p, border), slope_in(g, border), value_in(g, border));
}

double dv_distance_at(const dvDistanceGrid *g, dvVec3 p)
{
  if (dv_distance_grid_holds(g, p)) return value_in(g, p);
  dvVec3 border = clamped(g, p);
  double d = value_in(g, border), beyond2 = dv_vec3_norm2(dv_vec3_sub(p, border));
  if (g->per_cell) return sqrt(beyond2 + d * d);
  return beyond2 > 0 ? dv_vec3_norm(way_beyond(g, p, border)) : d;
}

dvVec3 dv_distance_slope(const dvDistanceGrid *g, dvVec3 p)
{
  if (g->per_cell) return slope_per_cell(g, p);
  dvVec3 border = clamped(g, p);
  bool inside = !(dv_vec3_norm2(dv_vec3_sub(p, border)) > 0);
  return inside ? slope_in(g, border) : dv_vec3_normalise(way_beyond(g, p, border));
}

// --- exact distances -----------------------------------------------------------------------------

typedef struct Measure {
  dvDistanceGrid *grid;
  dvDistanceMesh mesh;
  dvBoxTree tree;
  dvVec3 *normals;
} Measure;

static double distance2_to(const dvBox *b, dvVec3 p)
{
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    double d = dv_max(0, dv_max(b->low[k] - along(p, k), along(p, k) - b->high[k]));
    sum += d * d;
  }
  return sum;
}

// The nearest point found so far, and how squarely its triangle is met.
typedef struct Nearest {
  double distance2, square;
  bool inside;
} Nearest;

static void try_triangle(const Measure *m, int32_t t, dvVec3 p, Nearest *best)
{
  dvVec3 way = dv_vec3_sub(p, dv_nearest_on_triangle(m->mesh.x, m->mesh.triangles + 3 * t, p, NULL));
  double distance2 = dv_vec3_norm2(way), up = dv_vec3_dot(way, m->normals[t]);
  if (distance2 > best->distance2 * (1 + 1e-12)) return;
  bool same = distance2 >= best->distance2 * (1 - 1e-12);
  if (same && fabs(up) <= best->square) return;
  best->distance2 = dv_min(best->distance2, distance2);
  best->square = fabs(up);
  best->inside = up < 0;
}

static Nearest find_nearest(const Measure *m, dvVec3 p, double most)
{
  int32_t stack[DEEPEST];
  int depth = 0;
  Nearest best = {.distance2 = most * most, .square = -1};
  stack[depth++] = 0;
  while (depth) {
    int32_t at = stack[--depth];
    const dvBoxTreeNode *n = &m->tree.nodes.data[at];
    if (distance2_to(&n->box, p) > best.distance2 * (1 + 1e-12)) continue;
    if (!n->right) {
      for (int32_t i = n->first; i < n->first + n->count; i++) {
        int32_t t = m->tree.items.data[i];
        if (distance2_to(&m->tree.boxes[t], p) <= best.distance2 * (1 + 1e-12)) try_triangle(m, t, p, &best);
      }
      continue;
    }
    bool left = distance2_to(&m->tree.nodes.data[at + 1].box, p) <= distance2_to(&m->tree.nodes.data[n->right].box, p);
    stack[depth++] = left ? n->right : at + 1;   // the nearer one is looked at first: it goes on top
    stack[depth++] = left ? at + 1 : n->right;
  }
  return best;
}

// rows along x: what the last point found bounds what the next one can find
static void measure_rows(void *user, size_t begin, size_t end)
{
  const Measure *m = user;
  dvDistanceGrid *g = m->grid;
  for (size_t row = begin; row < end; row++) {
    int y = (int)(row % (size_t)g->n[1]), z = (int)(row / (size_t)g->n[1]);
    double most = INFINITY;
    for (int x = 0; x < g->n[0]; x++) {
      Nearest n = find_nearest(m, dv_distance_grid_point(g, x, y, z), most);
      double d = sqrt(n.distance2);
      g->values.data[place(g, x, y, z)] = n.inside ? -d : d;
      most = (d + g->cell[0]) * (1 + 1e-9);
    }
  }
}

static void mend_sides(dvDistanceGrid *g)
{
  double *d = g->values.data;
  for (int z = 0; z < g->n[2]; z++)
    for (int y = 0; y < g->n[1]; y++)
      for (int x = 0; x < g->n[0]; x++) {
        size_t i = place(g, x, y, z);
        int at[3] = {x, y, z}, around = 0, wrong = 0;
        for (int k = 0; k < 3; k++)
          for (int side = -1; side <= 1; side += 2) {
            if (at[k] + side < 0 || at[k] + side >= g->n[k]) continue;
            size_t j = side < 0 ? i - stride_of(g, k) : i + stride_of(g, k);
            around++;
            wrong += (d[i] < 0) != (d[j] < 0) && fabs(d[i]) + fabs(d[j]) > g->cell[k] * (1 + 1e-9);
          }
        if (2 * wrong > around) d[i] = -d[i];
      }
}

void dv_distance_grid_take_surface(dvDistanceGrid *g, dvDistanceMesh mesh)
{
  dv_array_resize(&g->points, 3 * mesh.points);
  for (size_t i = 0; i < 3 * mesh.points; i++) g->points.data[i] = mesh.x[i];
  for (size_t i = 0; i < mesh.points; i++)
    for (int k = 0; k < 3; k++) {
      double v = mesh.x[3 * i + (size_t)k];
      *axis(&g->inner_low, k) = i ? dv_min(along(g->inner_low, k), v) : v;
      *axis(&g->inner_high, k) = i ? dv_max(along(g->inner_high, k), v) : v;
    }
}

static void bound_triangle(dvDistanceMesh mesh, size_t t, dvBox *box)
{
  for (int k = 0; k < 3; k++) {
    double a = mesh.x[3 * mesh.triangles[3 * t] + k], b = mesh.x[3 * mesh.triangles[3 * t + 1] + k],
           c = mesh.x[3 * mesh.triangles[3 * t + 2] + k];
    box->low[k] = dv_min(a, dv_min(b, c));
    box->high[k] = dv_max(a, dv_max(b, c));
  }
}

bool dv_distance_grid_measure(dvDistanceGrid *g, dvPool *pool, dvDistanceMesh mesh)
{
  dv_distance_grid_take_surface(g, mesh);
  Measure m = {.grid = g, .mesh = mesh};
  dvBox *boxes = dv_try_alloc(mesh.count * sizeof *boxes);
  m.normals = dv_try_alloc(mesh.count * sizeof *m.normals);
  bool good = boxes && m.normals;
  for (size_t t = 0; good && t < mesh.count; t++) {
    bound_triangle(mesh, t, &boxes[t]);
    m.normals[t] = dv_element_normal(DV_TRIANGLE, mesh.x, mesh.triangles + 3 * t);
  }
  if (good) {
    dv_box_tree_init(&m.tree, boxes, mesh.count);
    dv_parallel_for(pool, (size_t)g->n[1] * (size_t)g->n[2], 16, measure_rows, &m);
    mend_sides(g);
    dv_box_tree_fini(&m.tree);
  }
  dv_free(boxes);
  dv_free(m.normals);
  return good && !dv_memory_is_short();
}

void dv_distance_grid_cube(dvDistanceGrid *g, double half)
{
  enum { EDGE = 5 };
  g->points.count = 0;
  for (int i = 0; i < EDGE * EDGE * EDGE; i++) {
    int at[3] = {i % EDGE, i / EDGE % EDGE, i / (EDGE * EDGE)};
    bool outer = false;
    for (int k = 0; k < 3; k++) outer = outer || at[k] == 0 || at[k] == EDGE - 1;
    for (int k = 0; outer && k < 3; k++) dv_push(&g->points, at[k] * half * 2 / (EDGE - 1) - half);
  }
  g->inner_low = dv_vec3(-half, -half, -half);
  g->inner_high = dv_vec3(half, half, half);
  for (int z = 0; z < g->n[2]; z++)
    for (int y = 0; y < g->n[1]; y++)
      for (int x = 0; x < g->n[0]; x++) {
        dvVec3 p = dv_distance_grid_point(g, x, y, z), beyond = {0};
        double deepest = -half;
        for (int k = 0; k < 3; k++) {
          double over = fabs(along(p, k)) - half;
          *axis(&beyond, k) = dv_max(0, over);
          deepest = dv_max(deepest, over);
        }
        g->values.data[place(g, x, y, z)] = deepest > 0 ? dv_vec3_norm(beyond) : deepest;
      }
}
