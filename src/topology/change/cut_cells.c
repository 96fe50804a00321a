// See cut_cells.h.
#include "topology/change/cell_voxels.h"
#include "topology/change/modify.h"

#include <stdlib.h>

typedef DV_ARRAY(int32_t) Numbers;

dvNearCell *dv_cell_cut_find(const dvCellCut *cut, int32_t hexahedron)
{
  size_t low = 0, high = cut->cells.count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (cut->cells.data[middle].hexahedron < hexahedron) low = middle + 1;
    else high = middle;
  }
  return low < cut->cells.count && cut->cells.data[low].hexahedron == hexahedron ? &cut->cells.data[low] : NULL;
}

void dv_cell_cut_free(dvCellCut *cut) { dv_array_free(&cut->cells), dv_array_free(&cut->now); }

// --- what the blade passes -----------------------------------------------------------------------

static void find_near(const dvCells *c, const dvBlade *b, dvCellCut *out)
{
  size_t n = dv_topology_count(c->mesh, DV_HEXAHEDRON);
  for (size_t i = 0; i < n; i++) {
    const int32_t *e = dv_cell_corners(c->mesh, (int32_t)i);
    dvVec3 low = dv_vec3_load(c->x + 3 * (size_t)e[0]), high = low;
    for (int k = 1; k < 8; k++) {
      dvVec3 x = dv_vec3_load(c->x + 3 * (size_t)e[k]);
      low = dv_vec3(dv_min(low.x, x.x), dv_min(low.y, x.y), dv_min(low.z, x.z));
      high = dv_vec3(dv_max(high.x, x.x), dv_max(high.y, x.y), dv_max(high.z, x.z));
    }
    // links to the cells around reach an eighth of these beyond the face
    dvVec3 margin = dv_vec3_scale(dv_vec3_sub(high, low), 0.3);
    low = dv_vec3_sub(low, margin), high = dv_vec3_add(high, margin);
    bool near = false;
    for (size_t f = 0; f < b->facets.count && !near; f++)
      near = !dv_boxes_apart(b->facets.data[f].low, b->facets.data[f].high, low, high);
    if (!near) continue;
    dv_push(&out->cells, ((dvNearCell){.hexahedron = (int32_t)i, .before = *dv_topology_fill_of(c->mesh, i)}));
  }
}

// Material: what a surface encloses, of cells that no blade has met; of those without any, all.
static void find_material(const dvCells *c, dvNearCell *cell)
{
  double at[3 * VOXELS];
  bool filled[VOXELS];
  uint64_t bits = 0, cut = 0;
  for (int d = 0; d < 6; d++) cut |= cell->before.cut[d];
  if (!c->filled || !cut || cell->before.voxels != UINT64_MAX) return;
  for (int i = 0; i < VOXELS; i++) dv_vec3_store(at + 3 * i, dv_cell_voxel(c, cell->hexahedron, i));
  c->filled(c->user, at, VOXELS, filled);
  for (int i = 0; i < VOXELS; i++) bits |= (uint64_t)filled[i] << i;
  cell->empty = !bits;
  if (bits) cell->before.voxels = bits;
}

static void cut_links(const dvCells *c, const dvBlade *b, dvCellCut *out)
{
  for (size_t i = 0; i < out->cells.count; i++) {
    dvNearCell *cell = &out->cells.data[i];
    dvVec3 at[VOXELS];
    for (int k = 0; k < VOXELS; k++) at[k] = dv_cell_voxel(c, cell->hexahedron, k);
    for (int k = 0; k < VOXELS; k++)
      for (int d = 1; d < 6; d += 2) {
        int other = dv_voxel_beside(k, d);
        if (other < 0 || dv_has_voxel(cell->before.cut[d], k) || !dv_blade_meets(b, at[k], at[other])) continue;
        cell->before.cut[d] |= (uint64_t)1 << k;
        cell->before.cut[d - 1] |= (uint64_t)1 << other;
        out->links++;
      }
    for (int d = 0; d < 6; d++) {
      int32_t others[MOST_PIECES];
      dvCellFace faces[MOST_PIECES];
      int count = dv_cells_beyond(c->mesh, cell->hexahedron, d, others, faces);
      for (int n = 0; n < count; n++) {
        dvNearCell *neighbour = dv_cell_cut_find(out, others[n]);
        for (int p = 0; p < SIDE && neighbour; p++)
          for (int q = 0; q < SIDE; q++) {
            int own = dv_face_voxel(d, p, q), its = dv_face_voxel_beyond(&faces[n], p, q);
            if (dv_has_voxel(cell->before.cut[d], own)) continue;
            if (!dv_blade_meets(b, at[own], dv_cell_voxel(c, others[n], its))) continue;
            cell->before.cut[d] |= (uint64_t)1 << own;
            neighbour->before.cut[faces[n].direction] |= (uint64_t)1 << its;
            out->links++;
          }
      }
    }
  }
}

static int by_hexahedron(const void *a, const void *b)
{
  return dv_numbers_ascending(&((const dvNearCell *)a)->hexahedron, &((const dvNearCell *)b)->hexahedron);
}

// cells that share points with those near the blade: they stay whole, but may get other points
static void add_beside(const dvCells *c, dvCellCut *out)
{
  size_t near = out->cells.count;
  bool *seen = dv_alloc((dv_topology_count(c->mesh, DV_HEXAHEDRON) + 1) * sizeof *seen);
  for (size_t i = 0; i < near; i++) seen[out->cells.data[i].hexahedron] = true;
  for (size_t i = 0; i < near; i++) {
    const int32_t *e = dv_cell_corners(c->mesh, out->cells.data[i].hexahedron);
    for (int k = 0; k < 8; k++)
      for (int32_t at = dv_topology_first_at(c->mesh, DV_HEXAHEDRON, e[k]); at >= 0;
           at = dv_topology_next_at(c->mesh, DV_HEXAHEDRON, at)) {
        if (seen[at / 8]) continue;
        seen[at / 8] = true;
        dv_push(&out->cells,
                ((dvNearCell){
                    .hexahedron = at / 8, .beside = true, .before = *dv_topology_fill_of(c->mesh, (size_t)at / 8)}));
        dv_cell_keep_whole(&out->cells.data[out->cells.count - 1]);
      }
  }
  if (out->cells.count) qsort(out->cells.data, out->cells.count, sizeof *out->cells.data, by_hexahedron);
  dv_free(seen);
}

// --- crumbs --------------------------------------------------------------------------------------

static bool hangs_on_another(const dvCells *c, const dvCellCut *cut, dvNearCell *cell, int piece)
{
  for (int d = 0; d < 6; d++) {
    int32_t others[MOST_PIECES];
    dvCellFace faces[MOST_PIECES];
    int count = dv_cells_beyond(c->mesh, cell->hexahedron, d, others, faces);
    for (int n = 0; n < count; n++) {
      dvNearCell *other = dv_cell_cut_find(cut, others[n]);
      for (int p = 0; p < other->pieces; p++) {
        dvCellPart a = {cell->hexahedron, cell, NULL, &cell->before, piece, d % 2 ? 6 : 0, 0, 0},
                   b = {others[n], other, NULL, &other->before, p, 0, 0, 0};
        if (dv_parts_hang_together(c->mesh, &a, &b, false)) return true;
      }
    }
  }
  return false;
}

enum { CRUMB = 4 };

// A few voxels that hang on nothing, as where a surface runs obliquely through a cell that the blade just touches, are
// no piece, and neither are any without material: they do not belong to the cell any more.
static void drop_crumbs(const dvCells *c, dvCellCut *out)
{
  for (size_t i = 0; i < out->cells.count; i++) {
    dvNearCell *cell = &out->cells.data[i];
    uint64_t crumbs = 0;
    for (int p = 0; p < cell->pieces && cell->pieces > 1; p++) {
      uint64_t voxels = 0;
      for (int v = 0; v < VOXELS; v++)
        if (cell->piece[v] == p && dv_has_voxel(cell->before.voxels, v)) voxels |= (uint64_t)1 << v;
      if ((cell->empty || dv_count_voxels(voxels) <= CRUMB) && !hangs_on_another(c, out, cell, p)) crumbs |= voxels;
    }
    if (!crumbs || crumbs == cell->before.voxels) continue;
    cell->before.voxels &= ~crumbs;
    dv_cell_find_pieces(cell);
  }
}

void dv_cells_find(const dvCells *c, const dvBlade *b, dvCellCut *out)
{
  *out = (dvCellCut){0};
  find_near(c, b, out);
  cut_links(c, b, out);
  for (size_t i = 0; i < out->cells.count && out->links; i++) {
    dvNearCell *cell = &out->cells.data[i];
    find_material(c, cell);
    dv_cell_find_pieces(cell);
  }
  if (out->links) add_beside(c, out);
  else out->cells.count = 0;
  drop_crumbs(c, out);
}

// --- points --------------------------------------------------------------------------------------

typedef DV_ARRAY(dvCellPart) Parts;

typedef struct Cutter {
  const dvCells *cells;
  dvCellCut *cut;
  Numbers origin;   // of each new point
} Cutter;

static void find_around(const Cutter *k, int32_t point, Parts *out)
{
  dvTopology *t = k->cells->mesh;
  Numbers around = {0};
  for (int32_t at = dv_topology_first_at(t, DV_HEXAHEDRON, point); at >= 0;
       at = dv_topology_next_at(t, DV_HEXAHEDRON, at))
    dv_push(&around, at);
  if (around.count) qsort(around.data, around.count, sizeof *around.data, dv_numbers_ascending);
  for (size_t i = 0; i < around.count; i++) {
    int32_t hexahedron = around.data[i] / 8;
    dvNearCell *near = dv_cell_cut_find(k->cut, hexahedron);
    const dvCellFill *before = dv_topology_fill_of(t, (size_t)hexahedron);
    for (int p = 0; p < near->pieces; p++)
      dv_push(out, ((dvCellPart){hexahedron, near, before, &near->before, p, around.data[i] % 8, -1, -1}));
  }
  dv_array_free(&around);
}

// gives groups of parts that hang together numbers, in the order of their first parts
static int find_groups(const dvTopology *t, Parts *parts, bool before)
{
  Numbers queue = {0};
  int groups = 0;
  for (size_t seed = 0; seed < parts->count; seed++) {
    dvCellPart *first = &parts->data[seed];
    if ((before ? first->was : first->group) >= 0) continue;
    *(before ? &first->was : &first->group) = groups;
    queue.count = 0;
    dv_push(&queue, (int32_t)seed);
    for (size_t head = 0; head < queue.count; head++)
      for (size_t j = 0; j < parts->count; j++) {
        const dvCellPart *a = &parts->data[queue.data[head]];
        dvCellPart *b = &parts->data[j];
        int *group = before ? &b->was : &b->group;
        bool same = a->hexahedron == b->hexahedron;
        if (*group >= 0 || (same ? !before : !dv_parts_hang_together(t, a, b, before))) continue;
        *group = groups;
        dv_push(&queue, (int32_t)j);
      }
    groups++;
  }
  dv_array_free(&queue);
  return groups;
}

// Of the groups into which the blade parts one, the first with cells that the blade does not come near keeps the point,
// or the first.
static bool keeps_point(const Parts *parts, int group)
{
  int was = -1, first = -1, far = -1;
  for (size_t i = 0; i < parts->count; i++)
    if (parts->data[i].group == group) was = parts->data[i].was;
  for (size_t i = 0; i < parts->count; i++) {
    const dvCellPart *p = &parts->data[i];
    if (p->was != was) continue;
    if (first < 0) first = p->group;
    if (far < 0 && p->near->beside) far = p->group;
  }
  return group == (far >= 0 ? far : first);
}

// every other group of pieces around a point gets a point of its own
static void part_around(Cutter *k, int32_t point)
{
  Parts parts = {0};
  find_around(k, point, &parts);
  int groups = find_groups(k->cells->mesh, &parts, false);
  if (groups > 1) find_groups(k->cells->mesh, &parts, true);
  for (int g = 0; g < groups && groups > 1; g++) {
    if (keeps_point(&parts, g)) continue;
    int32_t fresh = (int32_t)(dv_topology_point_count(k->cells->mesh) + k->origin.count);
    dv_push(&k->origin, point);
    for (size_t i = 0; i < parts.count; i++) {
      const dvCellPart *p = &parts.data[i];
      if (p->group == g) p->near->corners[p->piece][p->corner] = fresh;
    }
  }
  dv_array_free(&parts);
}

// pieces with the same points are one
static void merge_pieces(dvNearCell *cell)
{
  for (int a = 0; a < cell->pieces; a++)
    for (int b = a + 1; b < cell->pieces;) {
      if (memcmp(cell->corners[a], cell->corners[b], sizeof cell->corners[a]) != 0) {
        b++;
        continue;
      }
      int last = --cell->pieces;
      memmove(cell->corners[b], cell->corners[b + 1], (size_t)(last - b) * sizeof cell->corners[b]);
      for (int i = 0; i < VOXELS; i++) {
        if (cell->piece[i] == b) cell->piece[i] = (uint8_t)a;
        else if (cell->piece[i] > b) cell->piece[i]--;
      }
    }
}

static void share_out(dvNearCell *cell)
{
  double left = cell->before.share;
  for (int p = 0; p < cell->pieces; p++) {
    dvCellFill *f = &cell->fills[p];
    *f = cell->before;
    f->voxels = 0;
    for (int i = 0; i < VOXELS; i++)
      if (cell->piece[i] == p && dv_has_voxel(cell->before.voxels, i)) f->voxels |= (uint64_t)1 << i;
    f->share = p + 1 < cell->pieces
                   ? cell->before.share * dv_count_voxels(f->voxels) / dv_count_voxels(cell->before.voxels)
                   : left;
    left -= f->share;
  }
}

// --- changes -------------------------------------------------------------------------------------

static int by_number(const void *a, const void *b)
{
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

static void find_points(Cutter *k)
{
  Numbers points = {0};
  for (size_t i = 0; i < k->cut->cells.count; i++) {
    dvNearCell *cell = &k->cut->cells.data[i];
    const int32_t *e = dv_cell_corners(k->cells->mesh, cell->hexahedron);
    for (int p = 0; p < cell->pieces; p++) memcpy(cell->corners[p], e, sizeof cell->corners[p]);
    for (int c = 0; c < 8 && !cell->beside; c++) dv_push(&points, e[c]);
  }
  if (points.count) qsort(points.data, points.count, sizeof *points.data, by_number);
  for (size_t i = 0; i < points.count; i++)
    if (!i || points.data[i] != points.data[i - 1]) part_around(k, points.data[i]);
  dv_array_free(&points);
}

static dvStatus add_points(Cutter *k)
{
  size_t n = k->origin.count;
  if (!n) return DV_OK;
  int32_t *offsets = dv_alloc((n + 1) * sizeof *offsets);
  double *ones = dv_alloc(n * sizeof *ones);
  for (size_t i = 0; i < n; i++) offsets[i + 1] = (int32_t)i + 1, ones[i] = 1;
  dvStatus status = dv_topology_add_points(k->cells->mesh, n, NULL, (dvOrigin){offsets, k->origin.data, ones});
  dv_free(offsets), dv_free(ones);
  return status;
}

typedef struct Added {
  Numbers points, ancestors, offsets;
  DV_ARRAY(double) shares;
} Added;

// Elements that keep all their points, with another share, would be refused as there already: they come after the
// others, past that check.
static dvStatus add_pieces(Cutter *k, bool same, int32_t *next)
{
  dvTopology *t = k->cells->mesh;
  Added a = {0};
  dv_push(&a.offsets, 0);
  for (size_t i = 0; i < k->cut->cells.count; i++) {
    dvNearCell *cell = &k->cut->cells.data[i];
    for (int p = 0; p < cell->pieces && cell->changed; p++) {
      bool kept = memcmp(cell->corners[p], dv_cell_corners(t, cell->hexahedron), sizeof cell->corners[p]) == 0;
      if (kept != same) continue;
      cell->number[p] = (*next)++;
      for (int c = 0; c < 8; c++) dv_push(&a.points, cell->corners[p][c]);
      dv_push(&a.ancestors, cell->hexahedron);
      dv_push(&a.shares, cell->before.share > 0 ? cell->fills[p].share / cell->before.share : 0);
      dv_push(&a.offsets, (int32_t)a.ancestors.count);
    }
  }
  dvOrigin origin = {a.offsets.data, a.ancestors.data, a.shares.data};
  dvStatus status = DV_OK;
  if (a.ancestors.count)
    status = same ? dv_topology_add(t, DV_HEXAHEDRON, a.points.data, a.ancestors.count, origin)
                  : dv_mesh_add(t, DV_HEXAHEDRON, a.points.data, a.ancestors.count, origin);
  dv_array_free(&a.points), dv_array_free(&a.ancestors), dv_array_free(&a.offsets), dv_array_free(&a.shares);
  return status;
}

// removes the cells that were replaced, and finds the numbers that all of them have then
static dvStatus remove_old(Cutter *k, int32_t count)
{
  Numbers gone = {0};
  int32_t *was = dv_alloc(((size_t)count + 1) * sizeof *was);
  dv_array_resize(&k->cut->now, (size_t)count);
  int32_t *now = k->cut->now.data;
  for (size_t i = 0; i < k->cut->cells.count; i++)
    if (k->cut->cells.data[i].changed) dv_push(&gone, k->cut->cells.data[i].hexahedron);
  dvStatus status =
      gone.count ? dv_mesh_remove(k->cells->mesh, DV_HEXAHEDRON, gone.data, gone.count, DV_REMOVE_PARTS) : DV_OK;
  for (int32_t i = 0; i < count; i++) was[i] = i;
  for (size_t i = gone.count; i > 0; i--) was[gone.data[i - 1]] = was[--count];   // the last takes its number
  for (int32_t i = 0; i < count; i++) now[was[i]] = i;
  for (size_t i = 0; i < k->cut->cells.count; i++) {
    dvNearCell *cell = &k->cut->cells.data[i];
    for (int p = 0; p < cell->pieces; p++) cell->number[p] = now[cell->changed ? cell->number[p] : cell->hexahedron];
  }
  dv_free(was);
  dv_array_free(&gone);
  return status;
}

static dvStatus tell_fills(const Cutter *k)
{
  Numbers numbers = {0};
  DV_ARRAY(dvCellFill) fills = {0};
  for (size_t i = 0; i < k->cut->cells.count; i++) {
    const dvNearCell *cell = &k->cut->cells.data[i];
    for (int p = 0; p < cell->pieces && !cell->beside; p++) {
      dv_push(&numbers, cell->number[p]);
      dv_push(&fills, cell->fills[p]);
    }
  }
  dvStatus status = numbers.count ? dv_topology_fill(k->cells->mesh, numbers.data, fills.data, numbers.count) : DV_OK;
  dv_array_free(&numbers), dv_array_free(&fills);
  return status;
}

dvStatus dv_cells_part(const dvCells *c, dvCellCut *cut)
{
  Cutter k = {.cells = c, .cut = cut};
  dvStatus status = dv_topology_first_change(c->mesh);
  if (status == DV_OK && cut->cells.count) {
    find_points(&k);
    for (size_t i = 0; i < cut->cells.count; i++) {
      dvNearCell *cell = &cut->cells.data[i];
      merge_pieces(cell);
      share_out(cell);
      cut->split += cell->pieces > 1;
      cell->changed = cell->pieces > 1 || memcmp(cell->corners[0], dv_cell_corners(c->mesh, cell->hexahedron),
                                                 sizeof cell->corners[0]) != 0;
    }
    cut->doubled = k.origin.count;
    int32_t next = (int32_t)dv_topology_count(c->mesh, DV_HEXAHEDRON);
    status = add_points(&k);
    if (status == DV_OK) status = add_pieces(&k, false, &next);
    if (status == DV_OK) status = add_pieces(&k, true, &next);
    if (status == DV_OK) status = remove_old(&k, next);
    if (status == DV_OK) status = tell_fills(&k);
  }
  dv_array_free(&k.origin);
  return status;
}
