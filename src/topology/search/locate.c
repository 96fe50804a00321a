// See locate.h. A grid over the insides of all elements (or a tree of their boxes, where elements differ much in size)
// gives the few that can contain a point; a tree of centres finds the nearest one for points outside of all. Points are
// looked at in the order of the grid, so that what one needs is still at hand for the next.
#include "topology/search/locate.h"

#include "math/decompose.h"
#include "topology/search/box_tree.h"

enum { GRAIN = 256 };                   // points a chunk
static const double thickness = 0.01;   // of triangles and quads, in units of their cross product

typedef struct Frame {
  dvElementKind kind;
  dvVec3 origin, centre;
  dvMat3 inverse;   // from the world to local coordinates
  bool flat;
} Frame;

// Elements of each cell of a grid, in ascending order: items[offset[c]] to items[offset[c + 1] - 1].
typedef struct CellTable {
  double low[3];   // first cell along x, y, z
  size_t n[3];
  uint32_t *offset;   // NULL: there would be too many cells, a tree serves instead
  int32_t *items;
} CellTable;

// The same for the boxes of insides: cell k along an axis begins at low + k / per.
typedef struct InsideGrid {
  double low[3], per[3];
  size_t n[3];
  uint32_t *offset;   // NULL: a tree serves instead
  int32_t *items;
} InsideGrid;

typedef struct Locator {
  const dvLocateDef *def;
  Frame *frames;
  size_t count;
  dvBox *insides, *cells, *centres;   // cells: which grid cells the corners span
  dvBoxTree inside_tree, cell_tree, centre_tree;
  CellTable table;
  InsideGrid grid;
  const double *points;
  const uint32_t *order;   // in which points are looked at
  dvLocation *out;
} Locator;

enum { SEARCH_ALL = -2 };   // stands for the element of a point that has nothing in its cell

typedef struct Best {
  double value;
  dvLocation at;
} Best;

int dv_locate_weights(dvElementKind kind, const double v[3], double w[8])
{
  switch (kind) {
  case DV_TETRAHEDRON:
    w[0] = 1 - v[0] - v[1] - v[2], w[1] = v[0], w[2] = v[1], w[3] = v[2];
    return 4;
  case DV_HEXAHEDRON:
    for (int i = 0; i < 8; i++) {
      static const char at[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                    {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
      w[i] = 1;
      for (int k = 0; k < 3; k++) w[i] *= at[i][k] ? v[k] : 1 - v[k];
    }
    return 8;
  case DV_QUAD:
    w[0] = (1 - v[0]) * (1 - v[1]), w[1] = v[0] * (1 - v[1]), w[2] = v[0] * v[1], w[3] = (1 - v[0]) * v[1];
    return 4;
  case DV_TRIANGLE:
    w[0] = 1 - v[0] - v[1], w[1] = v[0], w[2] = v[1];
    return 3;
  case DV_EDGE:
    w[0] = 1 - v[0], w[1] = v[0];
    return 2;
  default:
    return 0;
  }
}

// --- frames --------------------------------------------------------------------------------------

// edges of the frame as columns
static dvMat3 frame_axes(dvElementKind kind, const dvVec3 c[8])
{
  static const int ends[DV_ELEMENT_KINDS][3] = {
      [DV_TRIANGLE] = {1, 2, 0}, [DV_QUAD] = {1, 3, 0}, [DV_TETRAHEDRON] = {1, 2, 3}, [DV_HEXAHEDRON] = {1, 3, 4}};
  dvVec3 a = dv_vec3_sub(c[ends[kind][0]], c[0]), b = dv_vec3_sub(c[ends[kind][1]], c[0]);
  bool surface = kind == DV_TRIANGLE || kind == DV_QUAD;
  dvVec3 third = surface ? dv_vec3_cross(a, b) : dv_vec3_sub(c[ends[kind][2]], c[0]);
  return dv_mat3_from_columns(a, b, third);
}

static int load_corners(const dvLocateDef *def, const dvLocateElements *l, size_t element, dvVec3 c[8])
{
  int n = dv_element_points(l->kind);
  for (int i = 0; i < n; i++) c[i] = dv_vec3_load(def->x + 3 * (size_t)l->corners[element * (size_t)n + (size_t)i]);
  return n;
}

// the box around all points whose depth is at most zero, with room for rounding
static dvBox inside_box(const Frame *f, dvMat3 axes)
{
  bool surface = f->kind == DV_TRIANGLE || f->kind == DV_QUAD,
       simplex = f->kind == DV_TRIANGLE || f->kind == DV_TETRAHEDRON;
  double low[3] = {0, 0, surface ? -thickness : 0}, high[3] = {1, 1, surface ? thickness : 1};
  dvBox box;
  for (int k = 0; k < 3; k++) {
    double origin[3] = {f->origin.x, f->origin.y, f->origin.z}, size = 0;
    double down = 0, up = 0, least = 0,
           most = 0;   // sums, for axes that combine freely; extremes, for corners of a simplex
    for (int j = 0; j < 3; j++) {
      double a = axes.m[k][j] * low[j], b = axes.m[k][j] * high[j];
      bool corner = simplex && (j < 2 || !surface);
      least = corner ? dv_min(least, dv_min(a, b)) : least;
      most = corner ? dv_max(most, dv_max(a, b)) : most;
      down += corner ? 0 : dv_min(a, b);
      up += corner ? 0 : dv_max(a, b);
      size += fabs(axes.m[0][j]) + fabs(axes.m[1][j]) + fabs(axes.m[2][j]);
    }
    double room = 1e-6 * size + 1e-12 * fabs(origin[k]);
    box.low[k] = origin[k] + down + least - room;
    box.high[k] = origin[k] + up + most + room;
  }
  return box;
}

static dvBox cell_box(const dvVec3 *corners, int n, double per_cell)
{
  dvBox box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (int i = 0; i < n; i++) {
    double p[3] = {corners[i].x, corners[i].y, corners[i].z};
    for (int k = 0; k < 3; k++) {
      box.low[k] = dv_min(box.low[k], floor(p[k] * per_cell));
      box.high[k] = dv_max(box.high[k], floor(p[k] * per_cell));
    }
  }
  return box;
}

static dvVec3 centre_of(dvElementKind kind, const dvVec3 *c, int n)
{
  dvVec3 sum = c[0];
  for (int i = 1; i < n; i++) sum = dv_vec3_add(sum, c[i]);
  return kind == DV_TRIANGLE ? dv_vec3(sum.x / 3, sum.y / 3, sum.z / 3) : dv_vec3_scale(sum, 1.0 / n);
}

static const dvBox nothing = {{1, 1, 1}, {0, 0, 0}};

static Frame frame_of(const dvLocateDef *def, const dvLocateElements *e, size_t i, dvVec3 c[8], dvBox *inside)
{
  int n = load_corners(def, e, i, c);
  Frame f = {.kind = e->kind, .origin = c[0], .centre = centre_of(e->kind, c, n)};
  dvMat3 axes = frame_axes(e->kind, c);
  f.flat = !dv_mat3_inverse_divided(axes, &f.inverse);
  *inside = f.flat ? nothing : inside_box(&f, axes);
  return f;
}

static size_t make_frames(Locator *l)
{
  size_t flat = 0, at = 0;
  for (int list = 0; list < 2; list++) {
    const dvLocateElements *e = &l->def->lists[list];
    for (size_t i = 0; i < e->count; i++, at++) {
      dvVec3 c[8] = {{0, 0, 0}};
      Frame *f = &l->frames[at];
      *f = frame_of(l->def, e, i, c, &l->insides[at]);
      flat += f->flat;
      l->centres[at] =
          f->flat ? nothing : (dvBox){{f->centre.x, f->centre.y, f->centre.z}, {f->centre.x, f->centre.y, f->centre.z}};
      if (l->cells) l->cells[at] = f->flat ? nothing : cell_box(c, dv_element_points(e->kind), 1 / l->def->cell);
    }
  }
  return flat;
}

// --- search --------------------------------------------------------------------------------------

static double depth(dvElementKind kind, dvVec3 v)
{
  switch (kind) {
  case DV_TETRAHEDRON:
    return dv_max(dv_max(-v.x, -v.y), dv_max(-v.z, v.x + v.y + v.z - 1));
  case DV_HEXAHEDRON:
    return dv_max(dv_max(-v.x, -v.y), dv_max(dv_max(-v.z, v.x - 1), dv_max(v.y - 1, v.z - 1)));
  case DV_TRIANGLE:
    return dv_max(dv_max(-v.x, -v.y), dv_max(fabs(v.z) - thickness, v.x + v.y - 1));
  default:
    return dv_max(dv_max(-v.x, -v.y), dv_max(dv_max(v.y - 1, v.x - 1), fabs(v.z) - thickness));
  }
}

static double distance2(const Frame *f, dvVec3 p) { return dv_vec3_norm2(dv_vec3_sub(p, f->centre)); }

static void take(Best *b, double value, int32_t element, dvVec3 v)
{
  b->value = value;
  b->at.element = element;
  dv_vec3_store(b->at.local, v);
}

static void consider(const Locator *l, int32_t element, dvVec3 p, bool only_inside, Best *b)
{
  const Frame *f = &l->frames[element];
  dvVec3 v = dv_mat3_mul_vec(f->inverse, dv_vec3_sub(p, f->origin));
  double d = depth(f->kind, v);
  if (d > 0 && only_inside) return;
  if (d > 0) d = distance2(f, p);
  if (d < b->value) take(b, d, element, v);
}

static bool holds(const dvBox *b, const double p[3])
{
  return p[0] >= b->low[0] && p[0] <= b->high[0] && p[1] >= b->low[1] && p[1] <= b->high[1] && p[2] >= b->low[2] &&
         p[2] <= b->high[2];
}

// cell of the inside grid, or a number that none has
static size_t grid_cell(const InsideGrid *g, const double p[3])
{
  size_t index = 0;
  for (int k = 2; k >= 0; k--) {
    double at = (p[k] - g->low[k]) * g->per[k];
    if (!(at >= 0 && at < (double)g->n[k])) return SIZE_MAX;
    index = index * g->n[k] + (size_t)at;
  }
  return index;
}

// the deepest of the elements that contain the point. `home` is NULL, or the cell of the point: only elements whose
// corners span it count, which are those that a set container finds there.
static void search_inside(const Locator *l, dvVec3 p, const double *home, dvHits *hits, Best *b)
{
  double point[3] = {p.x, p.y, p.z};
  if (!l->grid.offset) {
    dv_box_tree_find(&l->inside_tree, point, hits);
    for (size_t i = 0; i < hits->count; i++)
      if (!home || holds(&l->cells[hits->data[i]], home)) consider(l, hits->data[i], p, true, b);
    return;
  }
  size_t cell = grid_cell(&l->grid, point);
  if (cell == SIZE_MAX) return;
  for (uint32_t i = l->grid.offset[cell]; i < l->grid.offset[cell + 1]; i++) {
    int32_t e = l->grid.items[i];
    if (holds(&l->insides[e], point) && (!home || holds(&l->cells[e], home))) consider(l, e, p, true, b);
  }
}

static void search_all(const Locator *l, dvVec3 p, dvHits *hits, Best *b)
{
  double point[3] = {p.x, p.y, p.z};
  search_inside(l, p, NULL, hits, b);
  if (b->at.element >= 0) return;
  int32_t nearest = dv_box_tree_nearest(&l->centre_tree, point, &b->value);
  if (nearest < 0) return;
  const Frame *f = &l->frames[nearest];
  take(b, b->value, nearest, dv_mat3_mul_vec(f->inverse, dv_vec3_sub(p, f->origin)));
}

static size_t search_cell(const Locator *l, const double cell[3], dvVec3 p, dvHits *hits, Best *b)
{
  const CellTable *t = &l->table;
  if (!t->offset) {
    dv_box_tree_find(&l->cell_tree, cell, hits);
    for (size_t i = 0; i < hits->count; i++) consider(l, hits->data[i], p, false, b);
    return hits->count;
  }
  size_t index = 0;
  for (int k = 2; k >= 0; k--) {
    double at = cell[k] - t->low[k];
    if (!(at >= 0 && at < (double)t->n[k])) return 0;
    index = index * t->n[k] + (size_t)at;
  }
  for (uint32_t i = t->offset[index]; i < t->offset[index + 1]; i++) consider(l, t->items[i], p, false, b);
  return t->offset[index + 1] - t->offset[index];
}

static void search_cells(const Locator *l, dvVec3 p, dvHits *hits, Best *b)
{
  double size = l->def->cell, per_cell = 1 / size;
  double home[3] = {floor(p.x * per_cell), floor(p.y * per_cell), floor(p.z * per_cell)};
  // what contains a point is deeper than all that does not. A tetrahedron that does spans the point's cell; other
  // elements may contain points beyond their corners.
  bool tetrahedra = l->def->lists[0].kind == DV_TETRAHEDRON && l->def->lists[1].count == 0;
  if (tetrahedra) search_inside(l, p, home, hits, b);
  if (tetrahedra && b->at.element >= 0) return;
  if (search_cell(l, home, p, hits, b) == 0) {
    b->at.element = SEARCH_ALL;
    return;
  }
  if (fabs(b->value) <= size / 2) return;
  for (int n = 0; n < 27; n++)
    search_cell(l, (double[3]){home[0] + n / 9 - 1, home[1] + n / 3 % 3 - 1, home[2] + n % 3 - 1}, p, hits, b);
}

static void locate_body(void *user, size_t begin, size_t end)
{
  const Locator *l = user;
  dvHits hits = {0};
  for (size_t k = begin; k < end; k++) {
    size_t i = l->order[k];
    Best best = {.value = INFINITY, .at.element = -1};
    search_cells(l, dv_vec3_load(l->points + 3 * i), &hits, &best);
    l->out[i] = best.at;
  }
  dv_array_free(&hits);
}

static void locate_rest_body(void *user, size_t begin, size_t end)
{
  const Locator *l = user;
  dvHits hits = {0};
  for (size_t k = begin; k < end; k++) {
    size_t i = l->order[k];
    if (l->out[i].element != SEARCH_ALL) continue;
    Best best = {.value = INFINITY, .at.element = -1};
    search_all(l, dv_vec3_load(l->points + 3 * i), &hits, &best);
    l->out[i] = best.at;
  }
  dv_array_free(&hits);
}

// --- cells ---------------------------------------------------------------------------------------

// what all cells span, and how many entries they have together
static double measure_cells(const Locator *l, CellTable *t)
{
  double high[3], entries = 0, cells = 1;
  for (int k = 0; k < 3; k++) t->low[k] = INFINITY, high[k] = -INFINITY;
  for (size_t i = 0; i < l->count; i++) {
    const dvBox *b = &l->cells[i];
    if (l->frames[i].flat) continue;
    double each = 1;
    for (int k = 0; k < 3; k++) {
      t->low[k] = dv_min(t->low[k], b->low[k]);
      high[k] = dv_max(high[k], b->high[k]);
      each *= b->high[k] - b->low[k] + 1;
    }
    entries += each;
  }
  for (int k = 0; k < 3; k++) cells *= high[k] - t->low[k] + 1;
  double most = dv_min(64 * ((double)l->count + 64), 1e9);
  if (!(cells > 0 && cells < most && entries < most)) return -1;
  for (int k = 0; k < 3; k++) t->n[k] = (size_t)(high[k] - t->low[k]) + 1;
  return entries;
}

// calls for all cells of an element: counts entries, or writes them
static void enter_element(CellTable *t, const dvBox *b, int32_t element, uint32_t *count)
{
  size_t from[3], to[3];
  for (int k = 0; k < 3; k++) from[k] = (size_t)(b->low[k] - t->low[k]), to[k] = (size_t)(b->high[k] - t->low[k]);
  for (size_t z = from[2]; z <= to[2]; z++)
    for (size_t y = from[1]; y <= to[1]; y++)
      for (size_t x = from[0]; x <= to[0]; x++) {
        size_t cell = (z * t->n[1] + y) * t->n[0] + x;
        if (t->items) t->items[count[cell]] = element;
        count[cell]++;
      }
}

static void make_table(Locator *l)
{
  CellTable *t = &l->table;
  double entries = measure_cells(l, t);
  if (entries < 0) {
    dv_box_tree_init(&l->cell_tree, l->cells, l->count);
    return;
  }
  size_t cells = t->n[0] * t->n[1] * t->n[2];
  t->offset = dv_alloc((cells + 2) * sizeof *t->offset);
  // counts go two places up, starts one place up: entering moves them to where they belong
  for (size_t i = 0; i < l->count; i++)
    if (!l->frames[i].flat) enter_element(t, &l->cells[i], (int32_t)i, t->offset + 2);
  for (size_t c = 2; c < cells + 2; c++) t->offset[c] += t->offset[c - 1];
  t->items = dv_alloc(((size_t)entries + 1) * sizeof *t->items);
  for (size_t i = 0; i < l->count; i++)
    if (!l->frames[i].flat) enter_element(t, &l->cells[i], (int32_t)i, t->offset + 1);
}

// --- the grid of insides -------------------------------------------------------------------------

typedef struct CellRange {
  size_t from[3], to[3];
} CellRange;

static CellRange grid_range(const InsideGrid *g, const dvBox *b)
{
  CellRange r;
  for (int k = 0; k < 3; k++) {
    double last = (double)(g->n[k] - 1);
    r.from[k] = (size_t)dv_min(dv_max((b->low[k] - g->low[k]) * g->per[k], 0), last);
    r.to[k] = (size_t)dv_min(dv_max((b->high[k] - g->low[k]) * g->per[k], 0), last);
  }
  return r;
}

// cells somewhat smaller than the elements, but not many more than there are
static bool measure_grid(const Locator *l, InsideGrid *g)
{
  double high[3], mean[3] = {0}, cells = 1;
  size_t used = 0;
  for (int k = 0; k < 3; k++) g->low[k] = INFINITY, high[k] = -INFINITY;
  for (size_t i = 0; i < l->count; i++) {
    if (l->frames[i].flat) continue;
    used++;
    for (int k = 0; k < 3; k++) {
      g->low[k] = dv_min(g->low[k], l->insides[i].low[k]);
      high[k] = dv_max(high[k], l->insides[i].high[k]);
      mean[k] += l->insides[i].high[k] - l->insides[i].low[k];
    }
  }
  if (used == 0) return false;
  double wanted[3];
  for (int k = 0; k < 3; k++) {
    wanted[k] = dv_max((high[k] - g->low[k]) / (0.6 * mean[k] / (double)used), 1);
    cells *= wanted[k];
  }
  double most = 4 * (double)used + 64, shrink = cells > most ? cbrt(most / cells) : 1;
  for (int k = 0; k < 3; k++) {
    if (!isfinite(wanted[k]) || !isfinite(high[k] - g->low[k])) return false;
    g->n[k] = (size_t)dv_max(wanted[k] * shrink, 1);
    g->per[k] = (double)g->n[k] / (high[k] - g->low[k]);
    if (!isfinite(g->per[k])) return false;
  }
  return (double)g->n[0] * (double)g->n[1] * (double)g->n[2] < 4 * most;
}

static void make_grid(Locator *l)
{
  InsideGrid *g = &l->grid;
  if (!measure_grid(l, g)) return;
  size_t cells = g->n[0] * g->n[1] * g->n[2];
  double entries = 0;
  for (size_t i = 0; i < l->count; i++) {
    if (l->frames[i].flat) continue;
    CellRange r = grid_range(g, &l->insides[i]);
    entries +=
        (double)(r.to[0] - r.from[0] + 1) * (double)(r.to[1] - r.from[1] + 1) * (double)(r.to[2] - r.from[2] + 1);
  }
  if (entries > 128 * (double)l->count + 1024 || entries > 1e9) return;   // a few large elements cover everything
  g->offset = dv_alloc((cells + 2) * sizeof *g->offset);
  for (int pass = 0; pass < 2; pass++) {
    uint32_t *count = g->offset + (pass ? 1 : 2);   // counts go two places up, starts one place up
    for (size_t i = 0; i < l->count; i++) {
      if (l->frames[i].flat) continue;
      CellRange r = grid_range(g, &l->insides[i]);
      for (size_t z = r.from[2]; z <= r.to[2]; z++)
        for (size_t y = r.from[1]; y <= r.to[1]; y++)
          for (size_t x = r.from[0]; x <= r.to[0]; x++) {
            size_t cell = (z * g->n[1] + y) * g->n[0] + x;
            if (pass) g->items[count[cell]] = (int32_t)i;
            count[cell]++;
          }
    }
    if (pass) break;
    for (size_t c = 2; c < cells + 2; c++) g->offset[c] += g->offset[c - 1];
    g->items = dv_alloc(((size_t)entries + 1) * sizeof *g->items);
  }
}

// points by their cell of the grid, those of no cell last
static uint32_t *sort_points(const Locator *l, size_t count)
{
  uint32_t *order = dv_alloc((count + 1) * sizeof *order);
  size_t cells = l->grid.offset ? l->grid.n[0] * l->grid.n[1] * l->grid.n[2] : 0;
  if (!cells || count > UINT32_MAX) {
    for (size_t i = 0; i < count; i++) order[i] = (uint32_t)i;
    return order;
  }
  uint32_t *start = dv_alloc((cells + 3) * sizeof *start), *cell = dv_alloc((count + 1) * sizeof *cell);
  for (size_t i = 0; i < count; i++) {
    size_t at = grid_cell(&l->grid, l->points + 3 * i);
    cell[i] = (uint32_t)(at == SIZE_MAX ? cells : at);
    start[cell[i] + 1]++;
  }
  for (size_t c = 1; c < cells + 2; c++) start[c] += start[c - 1];
  for (size_t i = 0; i < count; i++) order[start[cell[i]]++] = (uint32_t)i;
  dv_free(cell);
  dv_free(start);
  return order;
}

static bool any_left(const dvLocation *out, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (out[i].element == SEARCH_ALL) return true;
  return false;
}

size_t dv_locate(const dvLocateDef *def, dvPool *pool, const double *points, size_t count, dvLocation *out)
{
  Locator l = {.def = def, .points = points, .out = out, .count = def->lists[0].count + def->lists[1].count};
  l.frames = dv_alloc((l.count + 1) * sizeof *l.frames);
  l.insides = dv_alloc((l.count + 1) * sizeof *l.insides);
  l.centres = dv_alloc((l.count + 1) * sizeof *l.centres);
  if (def->cell > 0 && isfinite(def->cell) && isfinite(1 / def->cell))
    l.cells = dv_alloc((l.count + 1) * sizeof *l.cells);
  size_t flat = make_frames(&l);
  make_grid(&l);
  if (!l.grid.offset) dv_box_tree_init(&l.inside_tree, l.insides, l.count);
  uint32_t *order = sort_points(&l, count);
  l.order = order;
  if (l.cells) {
    make_table(&l);
    dv_parallel_for(pool, count, GRAIN, locate_body, &l);
  } else {
    for (size_t i = 0; i < count; i++) out[i].element = SEARCH_ALL;
  }
  if (any_left(out, count)) {
    dv_box_tree_init(&l.centre_tree, l.centres, l.count);
    dv_parallel_for(pool, count, GRAIN, locate_rest_body, &l);
  }
  dv_box_tree_fini(&l.inside_tree);
  dv_box_tree_fini(&l.centre_tree);
  dv_box_tree_fini(&l.cell_tree);
  dv_free(l.table.offset);
  dv_free(l.table.items);
  dv_free(l.grid.offset);
  dv_free(l.grid.items);
  dv_free(order);
  dv_free(l.cells);
  dv_free(l.centres);
  dv_free(l.insides);
  dv_free(l.frames);
  return flat;
}

// --- among a few ---------------------------------------------------------------------------------

static size_t consider_cell(const Locator *l, const double cell[3], dvVec3 p, bool only_inside, Best *b)
{
  size_t found = 0;
  for (size_t i = 0; i < l->count; i++) {
    if (!holds(&l->cells[i], cell)) continue;
    consider(l, (int32_t)i, p, only_inside, b);
    found++;
  }
  return found;
}

// search_cells, in the same order
static bool among_cells(const Locator *l, dvVec3 p, Best *b)
{
  double size = l->def->cell, per_cell = 1 / size;
  double home[3] = {floor(p.x * per_cell), floor(p.y * per_cell), floor(p.z * per_cell)};
  if (l->def->lists[0].kind == DV_TETRAHEDRON) consider_cell(l, home, p, true, b);
  if (b->at.element >= 0) return true;
  if (consider_cell(l, home, p, false, b) == 0) return false;
  bool near = fabs(b->value) <= size / 2;
  for (int n = 0; n < 27 && !near; n++)
    consider_cell(l, (double[3]){home[0] + n / 9 - 1, home[1] + n / 3 % 3 - 1, home[2] + n % 3 - 1}, p, false, b);
  return true;
}

static void among_all(const Locator *l, const double *point, Best *b)
{
  dvVec3 p = dv_vec3_load(point);
  for (size_t i = 0; i < l->count; i++)
    if (holds(&l->insides[i], point)) consider(l, (int32_t)i, p, true, b);
  if (b->at.element >= 0) return;
  for (size_t i = 0; i < l->count; i++) {
    const Frame *f = &l->frames[i];
    if (!f->flat && distance2(f, p) < b->value)
      take(b, distance2(f, p), (int32_t)i, dv_mat3_mul_vec(f->inverse, dv_vec3_sub(p, f->origin)));
  }
}

bool dv_locate_among(const dvLocateDef *def, const int32_t *elements, size_t count, const double *point, bool all,
                     dvLocation *out)
{
  bool cells = def->cell > 0 && isfinite(def->cell) && isfinite(1 / def->cell), found = true;
  Locator l = {.def = def, .count = count};
  Best best = {.value = INFINITY, .at.element = -1};
  l.frames = dv_alloc((count + 1) * sizeof *l.frames);
  l.insides = dv_alloc((count + 1) * sizeof *l.insides);
  l.cells = dv_alloc((count + 1) * sizeof *l.cells);
  for (size_t i = 0; i < count; i++) {
    dvVec3 c[8] = {{0, 0, 0}};
    l.frames[i] = frame_of(def, &def->lists[0], (size_t)elements[i], c, &l.insides[i]);
    l.cells[i] =
        l.frames[i].flat || !cells ? nothing : cell_box(c, dv_element_points(def->lists[0].kind), 1 / def->cell);
  }
  if (!cells || !among_cells(&l, dv_vec3_load(point), &best)) {
    found = all;
    if (all) among_all(&l, point, &best);
  }
  *out = best.at;
  if (out->element >= 0) out->element = elements[out->element];
  dv_free(l.frames);
  dv_free(l.insides);
  dv_free(l.cells);
  return found;
}

double dv_locate_distance2(const dvLocateDef *def, int32_t element, const double *point)
{
  dvVec3 c[8] = {{0, 0, 0}};
  dvBox inside;
  Frame f = frame_of(def, &def->lists[0], (size_t)element, c, &inside);
  return distance2(&f, dv_vec3_load(point));
}

dvBox dv_locate_box(const dvLocateDef *def, int32_t element)
{
  dvVec3 c[8] = {{0, 0, 0}};
  dvBox box;
  if (frame_of(def, &def->lists[0], (size_t)element, c, &box).flat) return nothing;
  for (int i = 0; i < dv_element_points(def->lists[0].kind); i++) {
    double p[3] = {c[i].x, c[i].y, c[i].z};
    for (int k = 0; k < 3; k++) box.low[k] = dv_min(box.low[k], p[k]), box.high[k] = dv_max(box.high[k], p[k]);
  }
  return box;
}
