// The centreline of vessels. See vessels.h.
//
// D is the distance of a voxel from the wall. Paths are shortest for steps that cost their length times (D_max / D)^3,
// so that they keep to the middle of thick branches and of thin ones.
#include "anatomy/centreline.h"

#include "base/heap.h"

#include <math.h>
#include <string.h>

enum { MOST_VOXELS = 120000000, MOST_BRANCHES = 20000 };

// --- distance from the wall ----------------------------------------------------------------------

// Lower envelope of parabolas over one line (P. F. Felzenszwalb, D. P. Huttenlocher, Distance transforms of sampled
// functions, 2012): squared distances along the axes before it in, with this axis out.
static void envelope(double *f, int32_t n, double h, int32_t *place, double *from, double *out)
{
  int32_t last = -1;
  for (int32_t q = 0; q < n; q++) {
    if (!isfinite(f[q])) continue;
    double s = -INFINITY, x = q * h;
    while (last >= 0) {
      double y = place[last] * h;
      s = ((f[q] + x * x) - (f[place[last]] + y * y)) / (2 * (x - y));
      if (s > from[last]) break;
      last--;
    }
    if (last < 0) s = -INFINITY;
    last++;
    place[last] = q;
    from[last] = s;
  }
  for (int32_t q = 0, k = 0; q < n; q++) {
    while (k < last && from[k + 1] < q * h) k++;
    out[q] = last < 0 ? INFINITY : f[place[k]] + (q - place[k]) * (q - place[k]) * h * h;
  }
}

static bool measure(dvTrace *t)
{
  const dvMask *m = t->m;
  size_t voxels = dv_mask_voxels(m), stride[3] = {1, (size_t)m->n[0], (size_t)m->n[0] * (size_t)m->n[1]};
  int32_t longest = dv_max_int(m->n[0], dv_max_int(m->n[1], m->n[2]));
  t->wall = dv_try_alloc(voxels * sizeof *t->wall);
  double *f = dv_try_alloc(4 * (size_t)longest * sizeof *f);
  bool good = t->wall && f;
  for (size_t v = 0; good && v < voxels; v++) t->wall[v] = m->inside[v] ? INFINITY : 0;
  for (int axis = 0; good && axis < 3; axis++) {
    int u = (axis + 1) % 3, w = (axis + 2) % 3;
    for (int32_t a = 0; a < m->n[u]; a++)
      for (int32_t b = 0; b < m->n[w]; b++) {
        float *line = t->wall + (size_t)a * stride[u] + (size_t)b * stride[w];
        for (int32_t q = 0; q < m->n[axis]; q++) f[q] = line[(size_t)q * stride[axis]];
        envelope(f, m->n[axis], m->size[axis], (int32_t *)(f + longest), f + 2 * longest, f + 3 * longest);
        for (int32_t q = 0; q < m->n[axis]; q++) line[(size_t)q * stride[axis]] = (float)f[3 * longest + q];
      }
  }
  dv_free(f);
  // to the wall, not to the middle of the voxel behind it
  for (size_t v = 0; good && v < voxels; v++)
    if (m->inside[v]) {
      t->wall[v] = fmaxf(sqrtf(t->wall[v]) - (float)t->finest / 2, (float)t->finest / 4);
      t->deepest = fmax(t->deepest, t->wall[v]);
    }
  return good;
}

// --- paths ---------------------------------------------------------------------------------------

static void place_of(const dvMask *m, size_t v, int32_t c[3])
{
  c[0] = (int32_t)(v % (size_t)m->n[0]);
  c[1] = (int32_t)(v / (size_t)m->n[0] % (size_t)m->n[1]);
  c[2] = (int32_t)(v / (size_t)m->n[0] / (size_t)m->n[1]);
}

dvVec3 dv_trace_centre(const dvMask *m, size_t v)
{
  int32_t c[3];
  place_of(m, v, c);
  return dv_vec3((c[0] + 0.5) * m->size[0], (c[1] + 0.5) * m->size[1], (c[2] + 0.5) * m->size[2]);
}

// Shortest paths from a voxel to all that hang together with it; with `parents` they keep to the middle. Returns the
// farthest voxel, the first of equals.
static size_t spread(dvTrace *t, size_t from, float *length, int32_t *parents)
{
  const dvMask *m = t->m;
  dvHeap heap = {0};
  size_t farthest = from;
  float most = 0;
  length[from] = 0;
  if (parents) parents[from] = -1;
  dv_heap_push(&heap, 0, (int32_t)from);
  while (heap.count) {
    dvHeapEntry e = dv_heap_pop(&heap);
    size_t v = (size_t)e.item;
    if ((float)e.key > length[v]) continue;
    if (length[v] > most) most = length[v], farthest = v;
    int32_t c[3];
    place_of(m, v, c);
    for (int move = 0; move < 27; move++) {
      int32_t d[3] = {move % 3 - 1, move / 3 % 3 - 1, move / 9 - 1};
      if (move == 13) continue;
      size_t w = dv_mask_number(m, c[0] + d[0], c[1] + d[1], c[2] + d[2]);   // an empty layer is around it
      if (!m->inside[w]) continue;
      double step = 0;
      for (int k = 0; k < 3; k++) step += d[k] * m->size[k] * d[k] * m->size[k];
      step = sqrt(step);
      if (parents) {
        double shallow = t->deepest / t->wall[w];
        step *= shallow * shallow * shallow;
      }
      float to = (float)(length[v] + step);
      if (!(to < length[w])) continue;
      length[w] = to;
      if (parents) parents[w] = (int32_t)v;
      dv_heap_push(&heap, to, (int32_t)w);
    }
  }
  dv_array_free(&heap);
  return farthest;
}

// all voxels within a distance of a path's voxel are served by it
static void serve(dvTrace *t, size_t v, double reach)
{
  const dvMask *m = t->m;
  int32_t c[3], low[3], high[3];
  place_of(m, v, c);
  for (int k = 0; k < 3; k++) {
    int32_t r = (int32_t)(reach / m->size[k]);
    low[k] = dv_max_int(c[k] - r, 0), high[k] = dv_min_int(c[k] + r, m->n[k] - 1);
  }
  for (int32_t z = low[2]; z <= high[2]; z++)
    for (int32_t y = low[1]; y <= high[1]; y++)
      for (int32_t x = low[0]; x <= high[0]; x++) {
        double a = (x - c[0]) * m->size[0], b = (y - c[1]) * m->size[1], d = (z - c[2]) * m->size[2];
        if (a * a + b * b + d * d <= reach * reach) t->served[dv_mask_number(m, x, y, z)] = 1;
      }
}

// one tree, for what hangs together with `seed`
static bool trace_part(dvTrace *t, size_t seed)
{
  size_t voxels = dv_mask_voxels(t->m);
  float *plain = dv_try_alloc(voxels * sizeof *plain), *cost = dv_try_alloc(voxels * sizeof *cost);
  bool good = plain && cost;
  dvHeap tips = {0};
  if (good) {
    for (size_t v = 0; v < voxels; v++) plain[v] = cost[v] = INFINITY;
    size_t root = spread(t, seed, plain, NULL);
    for (size_t v = 0; v < voxels; v++) plain[v] = INFINITY;
    spread(t, root, plain, NULL);
    spread(t, root, cost, t->parent);
    for (size_t v = 0; v < voxels; v++)
      if (plain[v] < INFINITY) dv_heap_push(&tips, -(double)plain[v], (int32_t)v), t->seen[v] = 1;
    t->on_path[root] = 1;
    while (tips.count) {
      size_t tip = (size_t)dv_heap_pop(&tips).item;
      if (t->served[tip] || t->on_path[tip]) continue;
      for (size_t v = tip;; v = (size_t)t->parent[v]) {
        bool known = t->on_path[v];
        t->on_path[v] = 1;
        serve(t, v, 1.5 * t->wall[v] + 1.5 * t->coarsest);
        if (known) break;
      }
    }
    dv_push(&t->roots, (int32_t)root);
  }
  dv_array_free(&tips);
  dv_free(plain);
  dv_free(cost);
  return good;
}

// --- branches ------------------------------------------------------------------------------------

// The radius of the vessel around a voxel: D where steps upwards lead, no farther than across.
static double ridge(const dvTrace *t, size_t v)
{
  const dvMask *m = t->m;
  int steps = (int)(2 * t->wall[v] / t->finest) + 3;
  for (int n = 0; n < steps; n++) {
    int32_t c[3];
    place_of(m, v, c);
    size_t best = v;
    for (int move = 0; move < 27; move++) {
      size_t w = dv_mask_number(m, c[0] + move % 3 - 1, c[1] + move / 3 % 3 - 1, c[2] + move / 9 - 1);
      if (m->inside[w] && t->wall[w] > t->wall[best]) best = w;
    }
    if (best == v) break;
    v = best;
  }
  return t->wall[v] + t->finest / 2;
}

// Voxels of paths with another number of children than one are nodes: roots, ends, junctions.
static bool join_paths(dvTrace *t, dvVessels *v)
{
  const dvMask *m = t->m;
  size_t voxels = dv_mask_voxels(m);
  int32_t *node = dv_try_alloc(voxels * sizeof *node);
  uint8_t *children = dv_try_alloc(voxels);
  bool good = node && children;
  for (size_t i = 0; good && i < voxels; i++)
    if (t->on_path[i] && t->parent[i] >= 0) children[t->parent[i]]++;
  for (size_t i = 0; good && i < voxels; i++) {
    node[i] = -1;
    if (!t->on_path[i] || (children[i] == 1 && t->parent[i] >= 0)) continue;
    node[i] = (int32_t)v->nodes.count;
    dv_push(&v->nodes, ((dvVesselNode){.x = dv_trace_centre(m, i), .radius = ridge(t, i)}));
  }
  for (size_t i = 0; good && i < voxels; i++) {
    if (node[i] < 0 || t->parent[i] < 0) continue;
    dvVesselBranch b = {.to = node[i], .parent = -1, .first = (int32_t)v->points.count};
    size_t at = i;
    for (;; at = (size_t)t->parent[at]) {   // from the far end to the root's side
      dv_push(&v->points, ((dvVesselPoint){dv_trace_centre(m, at), ridge(t, at)}));
      if (at != i && node[at] >= 0) break;
    }
    b.from = node[at];
    b.count = (int32_t)v->points.count - b.first;
    dv_push(&v->branches, b);
  }
  dv_free(node);
  dv_free(children);
  return good;
}

dvStatus dv_vessels_trace(dvVessels *v, const dvMask *m, dvMeshError *error)
{
  *v = (dvVessels){0};
  size_t voxels = dv_mask_voxels(m);
  dvTrace t = {.m = m,
               .finest = fmin(m->size[0], fmin(m->size[1], m->size[2])),
               .coarsest = fmax(m->size[0], fmax(m->size[1], m->size[2]))};
  if (voxels > MOST_VOXELS) return dv_voxels_fail(error, "%zu voxels around the vessels are too many", voxels);
  t.parent = dv_try_alloc(voxels * sizeof *t.parent);
  t.served = dv_try_alloc(voxels), t.on_path = dv_try_alloc(voxels), t.seen = dv_try_alloc(voxels);
  bool good = t.parent && t.served && t.on_path && t.seen && measure(&t);
  for (size_t i = 0; good && i < voxels; i++) t.parent[i] = -1;
  for (size_t i = 0; good && i < voxels; i++)
    if (m->inside[i] && !t.seen[i]) good = trace_part(&t, i);
  good = good && join_paths(&t, v);
  bool rough = good && v->branches.count > MOST_BRANCHES;
  v->loops = good && !rough ? dv_mask_loops(m) : 0;
  good = good && !rough && v->loops >= 0 && dv_trace_refine(&t, v);
  dv_free(t.parent);
  dv_free(t.served);
  dv_free(t.on_path);
  dv_free(t.seen);
  dv_free(t.wall);
  dv_array_free(&t.roots);
  if (!good) {
    dv_vessels_free(v);
    if (rough) return dv_voxels_fail(error, "more than %d branches: this is no tree of vessels", MOST_BRANCHES);
    return dv_voxels_fail(error, "out of memory for the centreline of %zu voxels", voxels);
  }
  if (v->branches.count) return DV_OK;
  dv_vessels_free(v);
  return dv_voxels_fail(error,
                        "it is a blob, as long as it is wide: it has no centreline. Make it an organ, or leave it out");
}
