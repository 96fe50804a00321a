// See modify.h.
#include "topology/change/modify.h"

#include "topology/change/new_parts.h"
#include "topology/derive.h"
#include "topology/mapping/mapping.h"
#include "topology/search/tuple_set.h"

#include <string.h>

static const int edges_of_prism[9][2] = {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}};
static const int edges_of_pyramid[8][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {1, 4}, {2, 4}, {3, 4}};

const dvElementParts *dv_element_parts(dvElementKind kind)
{
  static const dvElementParts parts[DV_ELEMENT_KINDS][4] = {
      [DV_TRIANGLE] = {{DV_EDGE, 3, &dv_edges_of_triangle[0][0]}},
      [DV_QUAD] = {{DV_EDGE, 4, &dv_edges_of_quad[0][0]}},
      [DV_TETRAHEDRON] = {{DV_TRIANGLE, 4, &dv_triangles_of_tetrahedron[0][0]},
                          {DV_EDGE, 6, &dv_edges_of_tetrahedron[0][0]}},
      [DV_HEXAHEDRON] = {{DV_QUAD, 6, &dv_quads_of_hexahedron[0][0]}, {DV_EDGE, 12, &dv_edges_of_hexahedron[0][0]}},
      [DV_PRISM] = {{DV_QUAD, 3, &dv_quads_of_prism[0][0]},
                    {DV_TRIANGLE, 2, &dv_triangles_of_prism[0][0]},
                    {DV_EDGE, 9, &edges_of_prism[0][0]}},
      [DV_PYRAMID] = {{DV_QUAD, 1, &dv_quads_of_pyramid[0][0]},
                      {DV_TRIANGLE, 4, &dv_triangles_of_pyramid[0][0]},
                      {DV_EDGE, 8, &edges_of_pyramid[0][0]}},
  };
  return parts[kind];
}

// --- who is where --------------------------------------------------------------------------------

static inline bool has_point(const int32_t *element, size_t width, int32_t point)
{
  bool has = false;   // all are compared: cheaper than guessing where it stands
  for (size_t k = 0; k < width; k++) has |= element[k] == point;
  return has;
}

typedef struct Search {
  const int32_t *points;
  size_t count;
  int32_t *out;
  size_t room, most;   // so many are written; the search ends after so many
} Search;

// `width` is a constant where this is inlined. The newest point has the fewest elements while meshes are cut.
static inline __attribute__((always_inline)) size_t search_width(const dvChains *c, const Search *s, uint32_t width)
{
  size_t found = 0, others = 0;
  int32_t newest = s->points[0], other[8];
  for (size_t k = 1; k < s->count; k++) newest = s->points[k] > newest ? s->points[k] : newest;
  for (size_t k = 0; k < s->count; k++)
    if (s->points[k] != newest) other[others++] = s->points[k];
  for (int32_t at = c->first[newest]; at; at = c->next[at - 1]) {
    uint32_t element = (uint32_t)(at - 1) / width;
    const int32_t *corners = c->list + (size_t)element * width;
    size_t k = 0;
    while (k < others && has_point(corners, width, other[k])) k++;
    if (k < others) continue;
    if (found < s->room) s->out[found] = (int32_t)element;
    if (++found == s->most) break;
  }
  return found;
}

static size_t search(dvTopology *t, dvElementKind kind, const Search *s)
{
  dvChains c = dv_topology_chains(t, kind);
  if (!c.first) return 0;
  switch (dv_element_points(kind)) {
  case 2:
    return search_width(&c, s, 2);
  case 3:
    return search_width(&c, s, 3);
  case 4:
    return search_width(&c, s, 4);
  case 8:
    return search_width(&c, s, 8);
  default:
    return search_width(&c, s, (uint32_t)dv_element_points(kind));
  }
}

size_t dv_mesh_around(dvTopology *t, dvElementKind kind, const int32_t *points, size_t count, int32_t *out, size_t room)
{
  size_t found = search(t, kind, &(Search){points, count, out, room, SIZE_MAX});
  dv_tuple_sort(out, (int)dv_min_size(found, room));
  return found;
}

size_t dv_mesh_count_around(dvTopology *t, dvElementKind kind, const int32_t *points, size_t count, size_t most)
{
  return search(t, kind, &(Search){points, count, NULL, 0, most});
}

int32_t dv_mesh_find(dvTopology *t, dvElementKind kind, const int32_t *points)
{
  int32_t found;
  return search(t, kind, &(Search){points, (size_t)dv_element_points(kind), &found, 1, 1}) ? found : -1;
}

// is it part of a larger element?
static bool is_used(dvTopology *t, dvElementKind kind, const int32_t *points, size_t count)
{
  for (dvElementKind larger = kind + 1; larger < DV_ELEMENT_KINDS; larger++) {
    bool part = false;
    for (const dvElementParts *p = dv_element_parts(larger); p->count && !part; p++) part = p->kind == kind;
    if (part && search(t, larger, &(Search){points, count, NULL, 0, 1})) return true;
  }
  return false;
}

bool dv_mesh_may_change(dvTopology *t, const dvObject *o)
{
  const dvTopology *master = t;
  while (master->filler) {
    const dvTopology *from = ((const dvTopologyMapping *)master->filler)->from;
    if (!from) break;
    master = from;
  }
  if (master == t) return true;
  dv_warning(o, "change the topology that it is made of", "%s is made by %s and is not changed: change %s instead",
             t->base.name, t->filler->name, master->base.name);
  return false;
}

// --- adding --------------------------------------------------------------------------------------

typedef dvNumbers Numbers;

static dvStatus add_missing(dvTopology *t, const dvNewParts *m)
{
  for (dvElementKind k = DV_EDGE; k <= DV_QUAD; k++) {
    size_t lacking = m->missing[k].count / (size_t)dv_element_points(k);
    if (lacking) DV_TRY(dv_topology_add(t, k, m->missing[k].data, lacking, (dvOrigin){0}));
  }
  return DV_OK;
}

static dvStatus refuse(const dvTopology *t, const char *format, int32_t point, const char *kind)
{
  dv_warning(&t->base, "the mesh stays as it is", format, kind, point);
  return DV_ERROR_USAGE;
}

static dvStatus check_new(dvTopology *t, dvElementKind kind, const int32_t *points, size_t count)
{
  size_t width = (size_t)dv_element_points(kind), point_count = dv_topology_point_count(t);
  for (size_t i = 0; i < count; i++) {
    const int32_t *e = points + i * width;
    for (size_t k = 0; k < width; k++) {
      if (e[k] < 0 || (size_t)e[k] >= point_count) {
        dv_warning(&t->base, "the mesh stays as it is", "a new element names point %d, but there are %zu points", e[k],
                   point_count);
        return DV_ERROR_USAGE;
      }
      if (has_point(e, k, e[k])) return refuse(t, "one of the new %s has point %d twice", e[k], dv_element_name(kind));
    }
    if (dv_mesh_find(t, kind, e) >= 0)
      return refuse(t, "one of the new %s, at point %d, is there already", e[0], dv_element_name(kind));
  }
  return DV_OK;
}

dvStatus dv_mesh_add(dvTopology *t, dvElementKind kind, const int32_t *points, size_t count, dvOrigin origin)
{
  if (count == 0) return DV_OK;
  dvNewParts parts = {0};
  DV_TRY(dv_topology_first_change(t));
  DV_TRY(check_new(t, kind, points, count));
  dvStatus status = dv_new_parts_find(&parts, t, kind, points, count, &(Numbers){0});
  if (status == DV_OK) status = add_missing(t, &parts);
  if (status == DV_OK) status = dv_topology_add_whole(t, kind, points, parts.largest.data, count, origin, false);
  dv_new_parts_free(&parts);
  return status;
}

// --- removing ------------------------------------------------------------------------------------

// numbers that exist, each once
static void take_existing(dvTopology *t, dvElementKind kind, const int32_t *indices, size_t count, Numbers *out)
{
  size_t existing = dv_topology_count(t, kind), missing = 0;
  int32_t example = 0;
  for (size_t i = 0; i < count; i++) {
    if (indices[i] >= 0 && (size_t)indices[i] < existing) {
      dv_push(out, indices[i]);
      continue;
    }
    if (!missing++) example = indices[i];
  }
  if (missing)
    dv_warning(&t->base, "they are left out", "%zu of the %zu %s to remove do not exist: number %d of %zu is the first",
               missing, count, dv_element_name(kind), example, existing);
  size_t again = out->count;
  dv_numbers_unique(out);
  again -= out->count;
  if (again)
    dv_warning(&t->base, "they are removed once", "%zu of the %zu %s to remove are named more than once", again, count,
               dv_element_name(kind));
}

// parts and points of the elements that go
static void gather(dvTopology *t, dvElementKind kind, const Numbers *gone, dvIsolated isolated,
                   Numbers parts[DV_ELEMENT_KINDS])
{
  size_t width = (size_t)dv_element_points(kind);
  const dvInts *list = dv_topology_list(t, kind);
  for (size_t i = 0; i < gone->count; i++) {
    const int32_t *e = list->data + width * (size_t)gone->data[i];
    for (size_t k = 0; k < width && isolated == DV_REMOVE_POINTS; k++) dv_push(&parts[DV_POINT], e[k]);
    for (const dvElementParts *p = dv_element_parts(kind); p->count; p++)
      for (int j = 0; j < p->count; j++) {
        int32_t part[4], corners = dv_element_points(p->kind);
        for (int k = 0; k < corners; k++) part[k] = e[p->table[j * corners + k]];
        int32_t number = dv_mesh_find(t, p->kind, part);
        if (number >= 0) dv_push(&parts[p->kind], number);
      }
  }
}

static dvStatus remove_isolated(dvTopology *t, dvElementKind kind, Numbers *candidates)
{
  size_t width = (size_t)dv_element_points(kind), kept = 0;
  dv_numbers_unique(candidates);
  for (size_t i = 0; i < candidates->count; i++) {
    int32_t number = candidates->data[i];
    if (!is_used(t, kind, dv_topology_list(t, kind)->data + width * (size_t)number, width))
      candidates->data[kept++] = number;
  }
  return kept ? dv_topology_remove(t, kind, candidates->data, kept) : DV_OK;
}

// Points that no element of the dimension of the removed ones has any more. Faces and edges at them that were no part
// of any (diagonals that somebody has given) go too.
static dvStatus remove_isolated_points(dvTopology *t, dvElementKind removed, Numbers *points)
{
  size_t kept = 0;
  dv_numbers_unique(points);
  for (size_t i = 0; i < points->count; i++) {
    bool used = false;
    for (dvElementKind k = DV_EDGE; k < DV_ELEMENT_KINDS && !used; k++)
      used =
          dv_element_dimension(k) >= dv_element_dimension(removed) && dv_topology_first_at(t, k, points->data[i]) >= 0;
    if (!used) points->data[kept++] = points->data[i];
  }
  for (int k = DV_QUAD; k >= DV_EDGE && kept; k--) {
    dvElementKind kind = (dvElementKind)k;
    Numbers left = {0};
    for (size_t i = 0; i < kept; i++)
      for (int32_t at = dv_topology_first_at(t, kind, points->data[i]); at >= 0; at = dv_topology_next_at(t, kind, at))
        dv_push(&left, at / dv_element_points(kind));
    dv_numbers_unique(&left);
    dvStatus status = left.count ? dv_topology_remove(t, kind, left.data, left.count) : DV_OK;
    dv_array_free(&left);
    DV_TRY(status);
  }
  return kept ? dv_topology_remove(t, DV_POINT, points->data, kept) : DV_OK;
}

// elements that go, and what goes with them when nothing has it any more
typedef struct Leaving {
  dvElementKind kind;
  bool exchange;
  const int32_t *going;   // dvChange.parts, for those that are gone from the last to the first; may be NULL
  Numbers gone, parts[DV_ELEMENT_KINDS];
} Leaving;

static dvStatus leave(dvTopology *t, Leaving *l)
{
  dvStatus status = DV_OK;
  if (l->exchange && l->gone.count) {
    for (size_t i = 0; i < l->gone.count / 2; i++) {   // ascending ones descend
      int32_t swap = l->gone.data[i];
      l->gone.data[i] = l->gone.data[l->gone.count - 1 - i];
      l->gone.data[l->gone.count - 1 - i] = swap;
    }
    status = dv_topology_remove_exchanged(t, l->kind, l->gone.data, l->going, l->gone.count);
  } else if (l->gone.count) status = dv_topology_remove(t, l->kind, l->gone.data, l->gone.count);
  for (int k = DV_QUAD; k >= DV_EDGE && status == DV_OK; k--)
    if (l->parts[k].count) status = remove_isolated(t, (dvElementKind)k, &l->parts[k]);
  if (status == DV_OK && l->parts[DV_POINT].count) status = remove_isolated_points(t, l->kind, &l->parts[DV_POINT]);
  return status;
}

static void leaving_free(Leaving *l)
{
  for (int k = DV_POINT; k <= DV_QUAD; k++) dv_array_free(&l->parts[k]);
  dv_array_free(&l->gone);
}

dvStatus dv_mesh_remove(dvTopology *t, dvElementKind kind, const int32_t *indices, size_t count, dvIsolated isolated)
{
  DV_TRY(dv_topology_first_change(t));
  Leaving l = {.kind = kind};
  take_existing(t, kind, indices, count, &l.gone);
  if (kind != DV_POINT && isolated != DV_KEEP_ISOLATED) gather(t, kind, &l.gone, isolated, l.parts);
  dvStatus status = leave(t, &l);
  leaving_free(&l);
  return status;
}

// all that go have become something new: whoever has looked at the new ones has seen the parts that they share
static bool all_have_heirs(const Numbers *gone, const int32_t *ancestors, size_t count)
{
  Numbers all = {0};
  dv_reserve(&all, count);
  for (size_t i = 0; i < count; i++)
    if (all.count == 0 || all.data[all.count - 1] != ancestors[i]) dv_push(&all, ancestors[i]);
  dv_numbers_unique(&all);
  bool same = all.count == gone->count && memcmp(all.data, gone->data, all.count * sizeof *all.data) == 0;
  dv_array_free(&all);
  return same;
}

dvStatus dv_mesh_replace(dvTopology *t, dvElementKind kind, const int32_t *gone, size_t gone_count,
                         const int32_t *points, const int32_t *ancestors, const double *shares, size_t count)
{
  int32_t *offsets = dv_alloc((count + 1) * sizeof *offsets);
  dvNewParts parts = {0};
  Leaving l = {.kind = kind, .exchange = true};
  for (size_t i = 0; i <= count; i++) offsets[i] = (int32_t)i;
  dvStatus status = dv_topology_first_change(t);
  if (status == DV_OK) status = check_new(t, kind, points, count);
  if (status == DV_OK) {   // while points have few neighbours; numbers stay when others are added
    take_existing(t, kind, gone, gone_count, &l.gone);
    status = dv_new_parts_find(&parts, t, kind, points, count, &l.gone);
  }
  if (status == DV_OK) status = add_missing(t, &parts);
  if (status == DV_OK && count && all_have_heirs(&l.gone, ancestors, count)) l.going = parts.going.data;
  for (int k = DV_EDGE; k <= DV_QUAD; k++) {
    l.parts[k] = parts.leaving[k];
    parts.leaving[k] = (Numbers){0};
  }
  if (status == DV_OK)
    status =
        dv_topology_add_whole(t, kind, points, parts.largest.data, count, (dvOrigin){offsets, ancestors, shares}, true);
  if (status == DV_OK) status = leave(t, &l);
  leaving_free(&l);
  dv_new_parts_free(&parts);
  dv_free(offsets);
  return status;
}

// --- moving --------------------------------------------------------------------------------------

dvStatus dv_mesh_move_points(dvTopology *t, const int32_t *indices, size_t count, dvOrigin origin)
{
  DV_TRY(dv_topology_first_change(t));
  return dv_topology_move_points(t, indices, count, origin);
}
