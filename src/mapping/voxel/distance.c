// Distances in a grid of voxels: Dijkstra's algorithm in which a voxel also tries the straight line from where the path
// to its neighbour last turned. In one material without holes that is the distance in space, to rounding.
#include "mapping/voxel/material_map.h"

#include "base/heap.h"

#include <math.h>

typedef struct Search {
  const dvVoxelGrid *g;
  double *distance;
  int32_t *origin;   // where the path to a voxel last turned: a voxel, or -1 - the number of a point
  int32_t *nearest;
  int32_t *tried;   // from where a straight line to a voxel was last measured
  bool *done;
  const dvVec3 *points;
  double least;        // compliance
  double length[27];   // of the moves
  dvHeap heap;         // voxels by their distance
} Search;

static void cell_of(const dvVoxelGrid *g, dvVec3 p, int32_t at[3])
{
  const double local[3] = {(p.x - g->origin.x) / g->size.x, (p.y - g->origin.y) / g->size.y,
                           (p.z - g->origin.z) / g->size.z};
  for (int k = 0; k < 3; k++) at[k] = (int32_t)floor(fmin(fmax(local[k], 0), g->n[k] - 1));
}

// the integral of the compliance along a line, from voxel to voxel; infinite when the line leaves the material
static double along_line(const dvVoxelGrid *g, dvVec3 from, dvVec3 to)
{
  const double a[3] = {from.x, from.y, from.z}, b[3] = {to.x, to.y, to.z},
               o[3] = {g->origin.x, g->origin.y, g->origin.z}, h[3] = {g->size.x, g->size.y, g->size.z};
  const int32_t stride[3] = {1, g->n[0], g->n[0] * g->n[1]};
  double next[3], step[3], length = dv_vec3_norm(dv_vec3_sub(to, from)), sum = 0, t = 0;
  int32_t at[3], cell = 0;
  cell_of(g, from, at);
  for (int k = 0; k < 3; k++) {
    double along = b[k] - a[k], border = o[k] + (at[k] + (along > 0)) * h[k];
    next[k] = along == 0 ? INFINITY : (border - a[k]) / along;
    step[k] = along == 0 ? 0 : h[k] / fabs(along);
    cell += at[k] * stride[k];
  }
  while (t < 1) {
    int32_t v = g->cell.data[cell];
    double leave = dv_min(1, dv_min(next[0], dv_min(next[1], next[2])));
    if (v < 0) return INFINITY;
    sum += g->compliance.data[v] * dv_max(leave - t, 0);
    if (leave >= 1) break;
    for (int k = 0; k < 3; k++) {   // through edges and corners at once
      if (!(next[k] <= leave + 1e-9)) continue;
      int32_t way = b[k] > a[k] ? 1 : -1;
      at[k] += way;
      if (at[k] < 0 || at[k] >= g->n[k]) return INFINITY;
      cell += way * stride[k];
      next[k] += step[k];
    }
    t = leave;
  }
  return sum * length;
}

static dvVec3 origin_place(const Search *s, int32_t origin)
{
  return origin < 0 ? s->points[-1 - origin] : dv_voxel_centre(s->g, (size_t)origin);
}

static void offer(Search *s, int32_t voxel, double distance, int32_t origin, int32_t nearest)
{
  if (s->done[voxel] || !(distance < s->distance[voxel])) return;
  s->distance[voxel] = distance;
  s->origin[voxel] = origin;
  s->nearest[voxel] = nearest;
  dv_heap_push(&s->heap, distance, voxel);
}

static void spread(Search *s, int32_t voxel)
{
  const dvVoxelGrid *g = s->g;
  int32_t origin = s->origin[voxel], move[3];
  dvVec3 turn = origin_place(s, origin);
  double before_turn = origin < 0 ? 0 : s->distance[origin];
  for (int m = 0; m < 27; m++) {
    if (!(g->reach.data[voxel] >> m & 1)) continue;
    dv_voxel_move(m, move);
    int32_t other = g->cell.data[g->place.data[voxel] + move[0] + g->n[0] * (move[1] + g->n[1] * move[2])];
    if (s->done[other]) continue;
    dvVec3 centre = dv_voxel_centre(g, (size_t)other);
    double least = before_turn + s->least * dv_vec3_norm(dv_vec3_sub(centre, turn));   // no line is shorter
    if (s->tried[other] != origin && least < s->distance[other] * (1 - 1e-12))
      offer(s, other, before_turn + along_line(g, turn, centre), origin, s->nearest[voxel]);
    s->tried[other] = origin;
    // a turn must pay: rounding makes none
    double turned = s->distance[voxel] + 0.5 * s->length[m] * (g->compliance.data[voxel] + g->compliance.data[other]);
    if (turned < s->distance[other] * (1 - 1e-9)) offer(s, other, turned, voxel, s->nearest[voxel]);
  }
}

bool dv_voxel_distances(const dvVoxelGrid *g, const dvVec3 *points, size_t count, double *distance, int32_t *nearest)
{
  size_t n = dv_voxel_count(g);
  int32_t *own = nearest ? NULL : dv_try_alloc((n + 1) * sizeof *own);
  if (!nearest && !own) return false;
  for (size_t i = 0; i < n; i++) distance[i] = INFINITY, (nearest ? nearest : own)[i] = -1;
  bool good = dv_voxel_distances_add(g, points, 0, count, distance, nearest ? nearest : own);
  dv_free(own);
  return good;
}

bool dv_voxel_distances_add(const dvVoxelGrid *g, const dvVec3 *points, size_t known, size_t count, double *distance,
                            int32_t *nearest)
{
  size_t n = dv_voxel_count(g);
  dvVec3 *starts = dv_try_alloc((count + 1) * sizeof *starts);
  Search s = {.g = g, .distance = distance, .points = starts, .least = INFINITY, .nearest = nearest};
  for (size_t i = 0; i < n; i++) s.least = dv_min(s.least, g->compliance.data[i]);
  for (int m = 0; m < 27; m++) {
    int32_t move[3];
    dv_voxel_move(m, move);
    s.length[m] = dv_vec3_norm(dv_vec3(move[0] * g->size.x, move[1] * g->size.y, move[2] * g->size.z));
  }
  s.origin = dv_try_alloc((n + 1) * sizeof *s.origin);
  s.tried = dv_try_alloc((n + 1) * sizeof *s.tried);
  s.done = dv_try_alloc(n + 1);
  bool good = starts && s.origin && s.tried && s.done;
  for (size_t i = 0; good && i < n; i++) s.done[i] = false, s.tried[i] = INT32_MAX;
  for (size_t p = known; good && p < count; p++) {
    size_t voxel = dv_voxel_nearest(g, points[p]);
    int32_t at[3];
    cell_of(g, points[p], at);
    starts[p] = dv_voxel_at(g, at) == (int32_t)voxel
                    ? points[p]
                    : dv_voxel_centre(g, voxel);   // a point outside starts where the material begins
    offer(&s, (int32_t)voxel, along_line(g, starts[p], dv_voxel_centre(g, voxel)), -1 - (int32_t)p, (int32_t)p);
  }
  while (good && s.heap.count) {
    int32_t voxel = dv_heap_pop(&s.heap).item;
    if (s.done[voxel]) continue;
    s.done[voxel] = true;
    spread(&s, voxel);
  }
  dv_array_free(&s.heap);
  dv_free(s.origin);
  dv_free(s.tried);
  dv_free(s.done);
  dv_free(starts);
  return good;
}
