// See part.h.
#include "topology/change/part.h"

#include <stdlib.h>

typedef DV_ARRAY(int32_t) Numbers;

// a corner of an element that gets another point
typedef struct Corner {
  int32_t element, old, fresh;
} Corner;

typedef DV_ARRAY(Corner) Corners;

typedef struct Parting {
  dvTopology *mesh;
  dvElementKind kind;
  bool (*is_cut)(void *user, const int32_t *face);
  void *user;
  Corners corners;
} Parting;

// do two elements at a point hang together?
static bool hang_together(const Parting *p, int32_t point, const int32_t *a, const int32_t *b)
{
  size_t width = (size_t)dv_element_points(p->kind), common = 1;
  int32_t face[4] = {point};
  for (size_t i = 0; i < width; i++)
    for (size_t k = 0; k < width && a[i] != point; k++)
      if (a[i] == b[k]) face[common++] = a[i];
  return common == width - 1 && !p->is_cut(p->user, face);
}

// gives the sectors around a point numbers; returns how many there are
static int32_t find_sectors(const Parting *p, int32_t point, const Numbers *around, int32_t *sector)
{
  const int32_t *list = dv_topology_list(p->mesh, p->kind)->data;
  size_t width = (size_t)dv_element_points(p->kind);
  int32_t sectors = 0;
  Numbers queue = {0};
  for (size_t i = 0; i < around->count; i++) sector[i] = -1;
  for (size_t seed = 0; seed < around->count; seed++) {
    if (sector[seed] >= 0) continue;
    sector[seed] = sectors;
    queue.count = 0;
    dv_push(&queue, (int32_t)seed);
    for (size_t head = 0; head < queue.count; head++)
      for (size_t j = 0; j < around->count; j++) {
        const int32_t *a = list + width * (size_t)around->data[queue.data[head]],
                      *b = list + width * (size_t)around->data[j];
        if (sector[j] >= 0 || !hang_together(p, point, a, b)) continue;
        sector[j] = sectors;
        dv_push(&queue, (int32_t)j);
      }
    sectors++;
  }
  dv_array_free(&queue);
  return sectors;
}

// returns how many points it takes, the first of them with the number `next`
static int32_t part_around(Parting *p, int32_t point, int32_t next)
{
  Numbers around = {0};
  for (int32_t at = dv_topology_first_at(p->mesh, p->kind, point); at >= 0;
       at = dv_topology_next_at(p->mesh, p->kind, at))
    dv_push(&around, at / dv_element_points(p->kind));
  if (around.count) qsort(around.data, around.count, sizeof *around.data, dv_numbers_ascending);
  int32_t *sector = dv_alloc((around.count + 1) * sizeof *sector), sectors = find_sectors(p, point, &around, sector);
  for (size_t i = 0; i < around.count; i++)
    if (sector[i] > 0) dv_push(&p->corners, ((Corner){around.data[i], point, next + sector[i] - 1}));
  dv_free(sector);
  dv_array_free(&around);
  return sectors > 1 ? sectors - 1 : 0;
}

static int by_element(const void *a, const void *b)
{
  return dv_numbers_ascending(&((const Corner *)a)->element, &((const Corner *)b)->element);
}

// elements with corners that have moved to new points, in place of the old ones
static dvStatus replace_corners(Parting *p)
{
  size_t width = (size_t)dv_element_points(p->kind);
  Numbers gone = {0}, points = {0};
  if (p->corners.count) qsort(p->corners.data, p->corners.count, sizeof *p->corners.data, by_element);
  for (size_t i = 0; i < p->corners.count;) {
    int32_t element = p->corners.data[i].element, c[4];
    memcpy(c, dv_topology_list(p->mesh, p->kind)->data + width * (size_t)element, width * sizeof *c);
    for (; i < p->corners.count && p->corners.data[i].element == element; i++)
      for (size_t k = 0; k < width; k++)
        if (c[k] == p->corners.data[i].old) c[k] = p->corners.data[i].fresh;
    for (size_t k = 0; k < width; k++) dv_push(&points, c[k]);
    dv_push(&gone, element);
  }
  double *ones = dv_alloc((gone.count + 1) * sizeof *ones);
  for (size_t i = 0; i < gone.count; i++) ones[i] = 1;
  dvStatus status =
      gone.count ? dv_mesh_replace(p->mesh, p->kind, gone.data, gone.count, points.data, gone.data, ones, gone.count)
                 : DV_OK;
  dv_free(ones);
  dv_array_free(&gone), dv_array_free(&points);
  return status;
}

dvStatus dv_mesh_part(dvTopology *t, dvElementKind kind, const int32_t *points, size_t count,
                      bool (*is_cut)(void *user, const int32_t *face), void *user, size_t *doubled)
{
  Parting p = {.mesh = t, .kind = kind, .is_cut = is_cut, .user = user};
  Numbers once = {0}, origin = {0}, offsets = {0};
  int32_t next = (int32_t)dv_topology_point_count(t);
  for (size_t i = 0; i < count; i++) dv_push(&once, points[i]);
  if (count) qsort(once.data, count, sizeof *once.data, dv_numbers_ascending);
  for (size_t i = 0; i < count; i++) {
    int32_t fresh = i && once.data[i] == once.data[i - 1] ? 0 : part_around(&p, once.data[i], next);
    for (int32_t k = 0; k < fresh; k++) dv_push(&offsets, (int32_t)origin.count), dv_push(&origin, once.data[i]);
    next += fresh;
  }
  dv_push(&offsets, (int32_t)origin.count);
  *doubled = origin.count;
  double *ones = dv_alloc((origin.count + 1) * sizeof *ones);
  for (size_t i = 0; i < origin.count; i++) ones[i] = 1;
  dvStatus status =
      origin.count ? dv_topology_add_points(t, origin.count, NULL, (dvOrigin){offsets.data, origin.data, ones}) : DV_OK;
  if (status == DV_OK) status = replace_corners(&p);
  dv_free(ones);
  dv_array_free(&p.corners), dv_array_free(&once), dv_array_free(&origin), dv_array_free(&offsets);
  return status;
}
