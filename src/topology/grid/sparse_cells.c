// See sparse_cells.h. Which cells a surface touches stands in sparse_voxelise.c.
#include "topology/grid/sparse_cells.h"

#include "topology/topology.h"

#include <math.h>
#include <stdlib.h>

static const int corners[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                  {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};

void dv_sparse_free(dvSparseLevel *l)
{
  dv_array_free(&l->cell_at);
  dv_array_free(&l->first_piece);
  dv_array_free(&l->cell_of);
  dv_array_free(&l->type);
  dv_array_free(&l->stiffness);
  dv_array_free(&l->mass);
  dv_array_free(&l->links);
  dv_array_free(&l->parent);
  dv_array_free(&l->child_offset);
  dv_array_free(&l->child);
  dv_array_free(&l->child_place);
  dv_reals_free(&l->points);
  dv_ints_free(&l->hexahedra);
  *l = (dvSparseLevel){0};
}

bool dv_sparse_lay_out(dvSparseLevel *l, const int32_t n[3], const double min[3], const double max[3])
{
  *l = (dvSparseLevel){.points.width = 3, .hexahedra.width = 8};
  double count = 1;
  for (int k = 0; k < 3; k++) {
    l->n[k] = n[k];
    l->min[k] = min[k];
    l->max[k] = max[k];
    count *= n[k];
    if (n[k] < 2 || !isfinite(min[k]) || !isfinite(max[k])) return false;
    l->step[k] = (max[k] - min[k]) / (n[k] - 1);
    if (!(l->step[k] > 0) || !isfinite(1 / (l->step[k] * l->step[k]))) return false;
  }
  return count <= DV_POINT_LIMIT;
}

size_t dv_sparse_cells(const dvSparseLevel *l)
{
  return (size_t)(l->n[0] - 1) * (size_t)(l->n[1] - 1) * (size_t)(l->n[2] - 1);
}

bool dv_sparse_place(const dvSparseLevel *l, const double p[3], int32_t cell[3], double at[3])
{
  bool inside = true;
  for (int k = 0; k < 3; k++) {
    double x = (p[k] - l->min[k]) * l->step[k] * (1 / (l->step[k] * l->step[k])), whole = floor(x);
    inside = inside && whole >= 0 && whole <= l->n[k] - 2;
    cell[k] = (int32_t)fmin(fmax(whole, 0), l->n[k] - 2);
    at[k] = x - cell[k];
  }
  return inside;
}

// --- numbers of cells and points -----------------------------------------------------------------

static void corner_point(const dvSparseLevel *l, int32_t cell, int corner, int at[3])
{
  at[0] = cell % (l->n[0] - 1) + corners[corner][0];
  at[1] = cell / (l->n[0] - 1) % (l->n[1] - 1) + corners[corner][1];
  at[2] = cell / ((l->n[0] - 1) * (l->n[1] - 1)) + corners[corner][2];
}

static void point_position(const dvSparseLevel *l, const int at[3], double out[3])
{
  for (int k = 0; k < 3; k++) out[k] = l->min[k] + l->step[k] * at[k];
}

static bool add_cell(dvSparseLevel *l, size_t number, dvCellType type)
{
  if (!dv_try_reserve(&l->cell_of, 1) || !dv_try_reserve(&l->type, 1)) return false;
  l->cell_at.data[number] = (int32_t)l->cell_of.count;
  l->cell_of.data[l->cell_of.count++] = (int32_t)number;
  l->type.data[l->type.count++] = (uint8_t)type;
  return true;
}

static bool start_cells(dvSparseLevel *l)
{
  size_t n = dv_sparse_cells(l);
  if (!dv_try_reserve(&l->cell_at, n)) return false;
  l->cell_at.count = n;
  for (size_t i = 0; i < n; i++) l->cell_at.data[i] = -1;
  return true;
}

// hexahedra and points of the cells: points of the whole grid that are used, z fastest
static bool number_points(dvSparseLevel *l)
{
  size_t cells = l->cell_of.count, plane = (size_t)l->n[1] * (size_t)l->n[2], all = (size_t)l->n[0] * plane, used = 0;
  int32_t *number = dv_try_alloc(all * sizeof *number);
  bool good = number && dv_ints_resize(&l->hexahedra, 8 * cells);
  int at[3];
  for (size_t i = 0; i < 8 * cells && good; i++) {
    corner_point(l, l->cell_of.data[i / 8], (int)(i % 8), at);
    number[(size_t)at[0] * plane + (size_t)at[1] * (size_t)l->n[2] + (size_t)at[2]] = 1;
  }
  for (size_t i = 0; i < all && good; i++)
    if (number[i]) number[i] = (int32_t)++used;
  good = good && dv_reals_resize(&l->points, 3 * used);
  for (size_t i = 0; i < 8 * cells && good; i++) {
    corner_point(l, l->cell_of.data[i / 8], (int)(i % 8), at);
    int32_t p = number[(size_t)at[0] * plane + (size_t)at[1] * (size_t)l->n[2] + (size_t)at[2]] - 1;
    l->hexahedra.data[i] = p;
    point_position(l, at, l->points.data + 3 * (size_t)p);
  }
  dv_free(number);
  return good;
}

// one piece for each cell
static bool number_pieces(dvSparseLevel *l)
{
  size_t n = l->cell_of.count;
  if (!dv_try_reserve(&l->first_piece, n + 1) || !dv_try_reserve(&l->parent, n)) return false;
  l->first_piece.count = n + 1;
  l->parent.count = n;
  for (size_t i = 0; i <= n; i++) l->first_piece.data[i] = (int32_t)i;
  for (size_t i = 0; i < n; i++) l->parent.data[i] = -1;
  return true;
}

bool dv_sparse_fill(dvSparseLevel *l, const uint8_t *types, bool only_inside)
{
  if (!start_cells(l)) return false;
  size_t n = dv_sparse_cells(l);
  for (int pass = only_inside; pass < 2; pass++)
    for (size_t i = 0; i < n; i++)
      if (types[i] == (pass ? DV_CELL_INSIDE : DV_CELL_BOUNDARY) && !add_cell(l, i, (dvCellType)types[i])) return false;
  return number_points(l) && number_pieces(l);
}

// --- coarser levels ------------------------------------------------------------------------------

// the eight fine cells of a coarse one, -1 where there is none; the type that follows
static dvCellType gather(const dvSparseLevel *fine, const int coarse[3], int32_t child[8])
{
  bool inside = true, outside = true;
  for (int c = 0; c < 8; c++) {
    const int at[3] = {2 * coarse[0] + (c & 1), 2 * coarse[1] + (c >> 1 & 1), 2 * coarse[2] + (c >> 2)};
    bool there = at[0] < fine->n[0] - 1 && at[1] < fine->n[1] - 1 && at[2] < fine->n[2] - 1;
    child[c] = there ? fine->cell_at.data[dv_sparse_cell_number(fine, at[0], at[1], at[2])] : -1;
    if (child[c] < 0) inside = false;
    else outside = false;
    // as in SOFA the type of the hexahedron with the number of the cell, also where cells were split
    if (child[c] >= 0 && fine->type.data[child[c]] == DV_CELL_BOUNDARY) inside = false;
  }
  return outside ? DV_CELL_OUTSIDE : inside ? DV_CELL_INSIDE : DV_CELL_BOUNDARY;
}

static bool start_coarse(dvSparseLevel *coarse, const dvSparseLevel *fine)
{
  int32_t n[3];
  double max[3];
  for (int k = 0; k < 3; k++) {
    n[k] = fine->n[k] / 2 + 1;
    max[k] = fine->min[k] + (n[k] - 1) * 2.0 * fine->step[k];   // half a cell more where the number of cells is odd
  }
  return dv_sparse_lay_out(coarse, n, fine->min, max) && start_cells(coarse);
}

static bool add_child(dvSparseLevel *coarse, dvSparseLevel *fine, int32_t child, int32_t place)
{
  if (!dv_try_reserve(&coarse->child, 1) || !dv_try_reserve(&coarse->child_place, 1)) return false;
  coarse->child.data[coarse->child.count++] = child;
  coarse->child_place.data[coarse->child_place.count++] = place;
  fine->parent.data[child] = (int32_t)coarse->child_offset.count - 1;
  return true;
}

static bool start_children(dvSparseLevel *coarse)
{
  if (!dv_try_reserve(&coarse->child_offset, 1)) return false;
  coarse->child_offset.data[coarse->child_offset.count++] = (int32_t)coarse->child.count;
  return true;
}

bool dv_sparse_coarsen(dvSparseLevel *coarse, dvSparseLevel *fine)
{
  if (!start_coarse(coarse, fine)) return false;
  int at[3];
  for (at[0] = 0; at[0] < coarse->n[0] - 1; at[0]++)
    for (at[1] = 0; at[1] < coarse->n[1] - 1; at[1]++)
      for (at[2] = 0; at[2] < coarse->n[2] - 1; at[2]++) {
        int32_t child[8];
        dvCellType type = gather(fine, at, child);
        if (type == DV_CELL_OUTSIDE) continue;
        if (!add_cell(coarse, dv_sparse_cell_number(coarse, at[0], at[1], at[2]), type) || !start_children(coarse))
          return false;
        float stiffness = 0, mass = 0;
        for (int c = 0; c < 8; c++) {
          if (child[c] < 0) continue;
          if (!add_child(coarse, fine, child[c], c)) return false;
          stiffness += fine->stiffness.data[child[c]];
          mass += fine->mass.data[child[c]];
        }
        dv_push(&coarse->stiffness, stiffness / 8);
        dv_push(&coarse->mass, mass / 8);
      }
  return start_children(coarse) && number_points(coarse) && number_pieces(coarse);
}

bool dv_sparse_weights(const dvSparseLevel *coarse, const dvSparseLevel *fine, dvInts *index, dvReals *weight)
{
  size_t n = dv_reals_size(&fine->points);
  index->width = weight->width = 8;
  if (!dv_ints_resize(index, 8 * n) || !dv_reals_resize(weight, 8 * n)) return false;
  for (size_t i = 0; i < 8 * n; i++) index->data[i] = -1, weight->data[i] = 0;
  for (size_t cell = 0; cell + 1 < coarse->child_offset.count; cell++)
    for (int32_t e = coarse->child_offset.data[cell]; e < coarse->child_offset.data[cell + 1]; e++)
      for (int c = 0; c < 8; c++) {
        size_t point = (size_t)fine->hexahedra.data[8 * (size_t)coarse->child.data[e] + (size_t)c];
        if (index->data[8 * point] >= 0) continue;
        int used = 0;
        for (int corner = 0; corner < 8; corner++) {
          double w = 1;
          for (int k = 0; k < 3; k++) {
            double at = 0.5 * ((coarse->child_place.data[e] >> k & 1) + corners[c][k]);
            w *= corners[corner][k] ? at : 1 - at;
          }
          if (w == 0) continue;
          index->data[8 * point + (size_t)used] = coarse->hexahedra.data[8 * cell + (size_t)corner];
          weight->data[8 * point + (size_t)used++] = w;
        }
      }
  return true;
}

// --- pieces --------------------------------------------------------------------------------------

static bool add_link(dvSparseLevel *l, int32_t high, int axis, int32_t low)
{
  if (!dv_try_reserve(&l->links, 1)) return false;
  l->links.data[l->links.count++] = (dvPieceLink){high, axis, low};
  return true;
}

// bit `axis` of a cell: an edge of the surface passes through its lower face there
static void mark_faces(const dvSparseLevel *l, const double a[3], const double b[3], bool as_sofa, uint8_t *crossed)
{
  double length = sqrt((b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]) + (b[2] - a[2]) * (b[2] - a[2]));
  if (!(length > 0)) return;
  for (int axis = 0; axis < 3; axis++) {
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    double slope = (b[axis] - a[axis]) / length;
    if (!(fabs(slope) * l->step[u] * l->step[v] > 1e-10)) continue;   // parallel to the face
    for (int i = 1; i < l->n[axis] - 1; i++) {
      double along = (l->min[axis] + l->step[axis] * i - a[axis]) / slope;
      if (!(fabs(along) <= length) || (along < 0 && !as_sofa)) continue;
      double pu = (a[u] + along * (b[u] - a[u]) / length - l->min[u]) / l->step[u];
      double pv = (a[v] + along * (b[v] - a[v]) / length - l->min[v]) / l->step[v];
      if (!(pu >= 0 && pv >= 0 && pu <= l->n[u] - 1 && pv <= l->n[v] - 1)) continue;
      for (int p = (int)ceil(fmax(pu, 1)) - 1; p <= pu && p < l->n[u] - 1; p++)   // both cells on a common border
        for (int q = (int)ceil(fmax(pv, 1)) - 1; q <= pv && q < l->n[v] - 1; q++) {
          int at[3];
          at[axis] = i;
          at[u] = p;
          at[v] = q;
          crossed[dv_sparse_cell_number(l, at[0], at[1], at[2])] |= (uint8_t)(1 << axis);
        }
    }
  }
}

static uint8_t *find_crossed(const dvSparseLevel *l, const dvPolygons *s, bool as_sofa)
{
  uint8_t *crossed = dv_try_alloc(dv_sparse_cells(l));
  if (!crossed) return NULL;
  for (size_t f = 0; f < dv_polygons_count(s); f++)
    for (int32_t first = s->offset.data[f], end = s->offset.data[f + 1], i = first; i < end; i++) {
      if (i == first && as_sofa) continue;   // the edge from the last corner to the first
      int32_t before = s->corner.data[i == first ? end - 1 : i - 1];
      mark_faces(l, s->points.data + 3 * (size_t)before, s->points.data + 3 * (size_t)s->corner.data[i], as_sofa,
                 crossed);
    }
  return crossed;
}

bool dv_sparse_connect(dvSparseLevel *l, const dvPolygons *s, bool as_sofa)
{
  uint8_t *crossed = s ? find_crossed(l, s, as_sofa) : NULL;
  if (s && !crossed) return false;
  const size_t stride[3] = {1, (size_t)(l->n[0] - 1), (size_t)(l->n[0] - 1) * (size_t)(l->n[1] - 1)};
  bool good = true;
  for (size_t cell = 0; cell < l->cell_of.count; cell++) {
    size_t number = (size_t)l->cell_of.data[cell];
    int at[3];
    corner_point(l, (int32_t)number, 0, at);
    for (int axis = 2; axis >= 0 && good; axis--) {
      int32_t low = at[axis] > 0 ? l->cell_at.data[number - stride[axis]] : -1;
      if (low < 0) continue;
      bool both = l->type.data[cell] == DV_CELL_BOUNDARY && l->type.data[low] == DV_CELL_BOUNDARY;
      if (!crossed || !both || (crossed[number] >> axis & 1)) good = add_link(l, (int32_t)cell, axis, low);
    }
  }
  dv_free(crossed);
  return good;
}

static int32_t find_root(int32_t *parent, int32_t i)
{
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

// corners of the upper and of the lower hexahedron that meet, in the order in which SOFA joins them
static const int8_t joined[3][4][2] = {
    {{0, 1}, {4, 5}, {7, 6}, {3, 2}}, {{0, 3}, {4, 7}, {5, 6}, {1, 2}}, {{0, 4}, {1, 5}, {2, 6}, {3, 7}}};

// Every hexahedron starts with eight points of its own; a link makes those of the upper one take the label of the lower
// one's. What is left is numbered in the order of the labels.
bool dv_sparse_split(dvSparseLevel *l)
{
  size_t n = 8 * l->cell_of.count, used = 0;
  int32_t *label = dv_try_alloc((n + 1) * sizeof *label), *number = dv_try_alloc((n + 1) * sizeof *number);
  bool good = label && number && dv_ints_resize(&l->hexahedra, n);
  for (size_t i = 0; i < n && good; i++) label[i] = (int32_t)i;
  for (size_t i = 0; i < l->links.count && good; i++) {
    dvPieceLink link = l->links.data[i];
    for (int c = 0; c < 4; c++) {
      int32_t high = find_root(label, 8 * link.high + joined[link.axis][c][0]),
              low = find_root(label, 8 * link.low + joined[link.axis][c][1]);
      label[high] = low;
    }
  }
  for (size_t i = 0; i < n && good; i++)
    if (label[i] == (int32_t)i) number[i] = (int32_t)used++;
  good = good && dv_reals_resize(&l->points, 3 * used);
  for (size_t i = 0; i < n && good; i++) {
    int32_t p = number[find_root(label, (int32_t)i)];
    int at[3];
    corner_point(l, l->cell_of.data[i / 8], (int)(i % 8), at);
    l->hexahedra.data[i] = p;
    point_position(l, at, l->points.data + 3 * (size_t)p);
  }
  dv_free(number);
  dv_free(label);
  return good;
}

// Pieces of the fine level by coarse cell: which are connected within it. `group` gets, for each fine piece, the first
// piece of its group.
static void group_pieces(const dvSparseLevel *fine, const int32_t *cell, int32_t *group)
{
  size_t n = fine->cell_of.count;
  for (size_t i = 0; i < n; i++) group[i] = (int32_t)i;
  for (size_t i = 0; i < fine->links.count; i++) {
    dvPieceLink link = fine->links.data[i];
    if (cell[link.high] == cell[link.low]) group[find_root(group, link.high)] = find_root(group, link.low);
  }
}

typedef struct Groups {
  int32_t *group;            // of each fine piece
  DV_ARRAY(int32_t) found;   // roots, in the order of their first pieces
} Groups;

static bool find_groups(const dvSparseLevel *fine, const int32_t child[8], Groups *g)
{
  g->found.count = 0;
  for (int c = 0; c < 8; c++) {
    if (child[c] < 0) continue;
    for (int32_t p = fine->first_piece.data[child[c]]; p < fine->first_piece.data[child[c] + 1]; p++) {
      int32_t root = find_root(g->group, p);
      size_t k = 0;
      while (k < g->found.count && g->found.data[k] != root) k++;
      if (k < g->found.count) continue;
      if (!dv_try_reserve(&g->found, 1)) return false;
      g->found.data[g->found.count++] = root;
    }
  }
  return true;
}

// one hexahedron of a coarse cell
static bool add_piece(dvSparseLevel *coarse, dvSparseLevel *fine, const int32_t child[8], const Groups *g, int32_t root)
{
  bool whole = g->found.count == 1;
  int32_t last = -1;
  float stiffness = 0, mass = 0;
  if (!start_children(coarse)) return false;
  for (int c = 0; c < 8; c++) {
    if (child[c] < 0) continue;
    for (int32_t p = fine->first_piece.data[child[c]]; p < fine->first_piece.data[child[c] + 1]; p++) {
      if (find_root(g->group, p) != root) continue;
      if (!add_child(coarse, fine, p, c)) return false;
      last = p;
    }
    // SOFA takes the hexahedron with the number of the cell
    if (whole) stiffness += fine->stiffness.data[child[c]], mass += fine->mass.data[child[c]];
  }
  // and, where a cell was split, only the last part of each piece
  if (!whole && last >= 0) stiffness = fine->stiffness.data[last], mass = fine->mass.data[last];
  dv_push(&coarse->stiffness, stiffness / 8);
  dv_push(&coarse->mass, mass / 8);
  return true;
}

// a hexahedron for each group
static bool add_pieces(dvSparseLevel *coarse, dvSparseLevel *fine, size_t number, dvCellType type,
                       const int32_t child[8], Groups *g)
{
  if (!find_groups(fine, child, g) || !dv_try_reserve(&coarse->first_piece, 1)) return false;
  int32_t cell = (int32_t)coarse->first_piece.count;
  coarse->first_piece.data[coarse->first_piece.count++] = (int32_t)coarse->cell_of.count;
  for (size_t i = 0; i < g->found.count; i++)
    if (!add_cell(coarse, number, g->found.count == 1 ? type : DV_CELL_BOUNDARY) ||
        !add_piece(coarse, fine, child, g, g->found.data[i]))
      return false;
  coarse->cell_at.data[number] = cell;
  return true;
}

static int compare_links(const void *p, const void *q)
{
  const dvPieceLink *a = p, *b = q;
  if (a->high != b->high) return a->high < b->high ? -1 : 1;
  if (a->axis != b->axis) return a->axis > b->axis ? -1 : 1;   // z first
  return a->low < b->low ? -1 : a->low > b->low;
}

static bool link_pieces(dvSparseLevel *coarse, const dvSparseLevel *fine)
{
  for (size_t i = 0; i < fine->links.count; i++) {
    dvPieceLink link = fine->links.data[i];
    int32_t high = fine->parent.data[link.high], low = fine->parent.data[link.low];
    if (coarse->cell_of.data[high] != coarse->cell_of.data[low] && !add_link(coarse, high, link.axis, low))
      return false;
  }
  if (coarse->links.count) qsort(coarse->links.data, coarse->links.count, sizeof *coarse->links.data, compare_links);
  size_t kept = 0;
  for (size_t i = 0; i < coarse->links.count; i++)
    if (kept == 0 || compare_links(&coarse->links.data[kept - 1], &coarse->links.data[i]) != 0)
      coarse->links.data[kept++] = coarse->links.data[i];
  coarse->links.count = kept;
  return true;
}

// which coarse cell each fine piece lies in
static void coarse_cells(const dvSparseLevel *coarse, const dvSparseLevel *fine, int32_t *cell)
{
  for (size_t i = 0; i < fine->cell_of.count; i++) {
    int at[3];
    corner_point(fine, fine->cell_of.data[i], 0, at);
    cell[i] = (int32_t)dv_sparse_cell_number(coarse, at[0] / 2, at[1] / 2, at[2] / 2);
  }
}

bool dv_sparse_coarsen_split(dvSparseLevel *coarse, dvSparseLevel *fine)
{
  if (!start_coarse(coarse, fine)) return false;
  size_t n = fine->cell_of.count;
  int32_t *cell = dv_try_alloc((n + 1) * sizeof *cell);
  Groups groups = {.group = dv_try_alloc((n + 1) * sizeof *groups.group)};
  bool good = cell && groups.group;
  if (good) {
    coarse_cells(coarse, fine, cell);
    group_pieces(fine, cell, groups.group);
  }
  int at[3];
  for (at[0] = 0; at[0] < coarse->n[0] - 1 && good; at[0]++)
    for (at[1] = 0; at[1] < coarse->n[1] - 1 && good; at[1]++)
      for (at[2] = 0; at[2] < coarse->n[2] - 1 && good; at[2]++) {
        int32_t child[8];
        dvCellType type = gather(fine, at, child);
        if (type != DV_CELL_OUTSIDE)
          good = add_pieces(coarse, fine, dv_sparse_cell_number(coarse, at[0], at[1], at[2]), type, child, &groups);
      }
  dv_free(cell);
  dv_free(groups.group);
  dv_array_free(&groups.found);
  if (!good || !start_children(coarse) || !dv_try_reserve(&coarse->first_piece, 1) ||
      !dv_try_reserve(&coarse->parent, coarse->cell_of.count))
    return false;
  coarse->first_piece.data[coarse->first_piece.count++] = (int32_t)coarse->cell_of.count;
  for (coarse->parent.count = 0; coarse->parent.count < coarse->cell_of.count;)
    coarse->parent.data[coarse->parent.count++] = -1;
  return link_pieces(coarse, fine) && dv_sparse_split(coarse);
}
