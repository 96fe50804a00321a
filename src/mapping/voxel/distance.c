// Distances in a grid of voxels: Dijkstra's algorithm in which a voxel also tries the straight line from where the path to its
// neighbour last turned. In one material without holes that is the distance in space, to rounding.
#include "mapping/voxel/material_map.h"

#include "base/heap.h"

#include <math.h>

typedef struct Search {
  const dvVoxelGrid *g;
  double *distance;
  int32_t *origin;           // where the path to a voxel last turned: a voxel, or -1 - the number of a point
  int32_t *nearest;
  int32_t *tried;            // from where a straight line to a voxel was last measured
  bool *done;
  const dvVec3 *points;
  double least;              // compliance
  dvHeap heap;               // voxels by their distance
} Search;

static void cell_of(const dvVoxelGrid *g, dvVec3 p, int32_t at[3])
{
  const double local[3] = {(p.x - g->origin.x) / g->size.x, (p.y - g->origin.y) / g->size.y, (p.z - g->origin.z) / g->size.z};
  for (int k = 0; k < 3; k++) at[k] = (int32_t)floor(fmin(fmax(local[k], 0), g->n[k] - 1));
}

// the integral of the compliance along a line, from voxel to voxel; infinite when the line leaves the material
static double along_line(const dvVoxelGrid *g, dvVec3 from, dvVec3 to)
{
  const double a[3] = {from.x, from.y, from.z}, b[3] = {to.x, to.y, to.z}, o[3] = {g->origin.x, g->origin.y, g->origin.z}, h[3] = {g->size.x, g->size.y, g->size.z};
  double next[3], step[3], length = dv_vec3_norm(dv_vec3_sub(to, from)), sum = 0, t = 0;
  int32_t at[3];
  cell_of(g, from, at);
  for (int k = 0; k < 3; k++) {
    double along = b[k] - a[k], border = o[k] + (at[k] + (along > 0)) * h[k];
    next[k] = along == 0 ? INFINITY : (border - a[k]) / along;
    step[k] = along == 0 ? 0 : h[k] / fabs(along);
  }
  while (t < 1) {
    int32_t v = dv_voxel_at(g, at);
    double leave = fmin(1, fmin(next[0], fmin(next[1], next[2])));
    if (v < 0) return INFINITY;
    sum += g->compliance.data[v] * fmax(leave - t, 0);
    if (leave >= 1) break;
    for (int k = 0; k < 3; k++)   // through edges and corners at once
      if (next[k] <= leave + 1e-9) at[k] += b[k] > a[k] ? 1 : -1, next[k] += step[k];
    t = leave;
  }
  return sum * length;
}

static dvVec3 origin_place(const Search *s, int32_t origin) { return origin < 0 ? s->points[-1 - origin] : dv_voxel_centre(s->g, (size_t)origin); }

static void offer(Search *s, int32_t voxel, double distance, int32_t origin, int32_t nearest)
{
  if (s->done[voxel] || !(distance < s->distance[voxel])) return;
  s->distance[voxel] = distance;
  s->origin[voxel] = origin;
  s->nearest[voxel] = nearest;
  dv_heap_push(&s->heap, distance, voxel);
}

// from the centre of a voxel to that of a neighbour, when nothing empty lies between
static double to_neighbour(const dvVoxelGrid *g, const int32_t at[3], const int32_t move[3])
{
  int32_t corner[3];
  for (int c = 0; c < 8; c++) {
    for (int k = 0; k < 3; k++) corner[k] = at[k] + (c >> k & 1) * move[k];
    if (dv_voxel_at(g, corner) < 0) return INFINITY;
  }
  for (int k = 0; k < 3; k++) corner[k] = at[k] + move[k];
  double length = dv_vec3_norm(dv_vec3(move[0] * g->size.x, move[1] * g->size.y, move[2] * g->size.z));
  return 0.5 * length * (g->compliance.data[dv_voxel_at(g, at)] + g->compliance.data[dv_voxel_at(g, corner)]);
}

static void spread(Search *s, int32_t voxel)
{
  const dvVoxelGrid *g = s->g;
  int32_t place = g->place.data[voxel], at[3] = {place % g->n[0], place / g->n[0] % g->n[1], place / g->n[0] / g->n[1]};
  int32_t origin = s->origin[voxel];
  dvVec3 turn = origin_place(s, origin);
  double before_turn = origin < 0 ? 0 : s->distance[origin];
  for (int m = 0; m < 27; m++) {
    const int32_t move[3] = {m % 3 - 1, m / 3 % 3 - 1, m / 9 - 1}, to[3] = {at[0] + move[0], at[1] + move[1], at[2] + move[2]};
    int32_t other = dv_voxel_at(g, to);
    if (other < 0 || s->done[other]) continue;
    double step = to_neighbour(g, at, move);
    if (step == INFINITY) continue;
    dvVec3 centre = dv_voxel_centre(g, (size_t)other);
    double least = before_turn + s->least * dv_vec3_norm(dv_vec3_sub(centre, turn));   // no line is shorter
    if (s->tried[other] != origin && least < s->distance[other] * (1 - 1e-12)) offer(s, other, before_turn + along_line(g, turn, centre), origin, s->nearest[voxel]);
    s->tried[other] = origin;
    // a turn must pay: rounding makes none
    double turned = s->distance[voxel] + step;
    if (turned < s->distance[other] * (1 - 1e-9)) offer(s, other, turned, voxel, s->nearest[voxel]);
  }
}

bool dv_voxel_distances(const dvVoxelGrid *g, const dvVec3 *points, size_t count, double *distance, int32_t *nearest)
{
  size_t n = dv_voxel_count(g);
  dvVec3 *starts = dv_try_alloc((count + 1) * sizeof *starts);
  Search s = {.g = g, .distance = distance, .points = starts, .least = INFINITY};
  for (size_t i = 0; i < n; i++) s.least = fmin(s.least, g->compliance.data[i]);
  s.origin = dv_try_alloc((n + 1) * sizeof *s.origin);
  s.tried = dv_try_alloc((n + 1) * sizeof *s.tried);
  s.done = dv_try_alloc(n + 1);
  s.nearest = nearest ? nearest : dv_try_alloc((n + 1) * sizeof *s.nearest);
  bool good = starts && s.origin && s.tried && s.done && s.nearest;
  for (size_t i = 0; good && i < n; i++) distance[i] = INFINITY, s.done[i] = false, s.nearest[i] = -1, s.tried[i] = INT32_MAX;
  for (size_t p = 0; good && p < count; p++) {
    size_t voxel = dv_voxel_nearest(g, points[p]);
    int32_t at[3];
    cell_of(g, points[p], at);
    starts[p] = dv_voxel_at(g, at) == (int32_t)voxel ? points[p] : dv_voxel_centre(g, voxel);   // a point outside starts where the material begins
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
  if (!nearest) dv_free(s.nearest);
  return good;
}
