// Trees of vessels: order, pruning. See vessels.h.
#include "anatomy/centreline.h"

#include <math.h>
#include <string.h>

void dv_vessels_free(dvVessels *v)
{
  dv_array_free(&v->nodes);
  dv_array_free(&v->branches);
  dv_array_free(&v->points);
  dv_array_free(&v->pieces);
  *v = (dvVessels){0};
}

static void measure_branch(const dvVessels *v, dvVesselBranch *b)
{
  b->length = b->radius = 0;
  for (int32_t i = 0; i < b->count; i++) {
    const dvVesselPoint *p = &v->points.data[b->first + i];
    b->radius += p->radius / b->count;
    if (i) b->length += dv_vec3_norm(dv_vec3_sub(p->x, p[-1].x));
  }
}

static void turn_around(dvVessels *v, dvVesselBranch *b)
{
  int32_t keep = b->from;
  b->from = b->to;
  b->to = keep;
  dvVesselPoint *p = v->points.data + b->first;
  for (int32_t i = 0, j = b->count - 1; i < j; i++, j--) {
    dvVesselPoint point = p[i];
    p[i] = p[j];
    p[j] = point;
  }
}

// of the branches that are left: the one with the thickest free end; -1 when none is left
static int32_t find_trunk(const dvVessels *v, const uint8_t *done)
{
  int32_t best = -1;
  bool free_end = false;
  for (size_t i = 0; i < v->branches.count; i++) {
    const dvVesselBranch *b = &v->branches.data[i];
    bool end = v->nodes.data[b->from].degree == 1 || v->nodes.data[b->to].degree == 1;
    if (done[i] || (best >= 0 && free_end && !end)) continue;
    if (best < 0 || (end && !free_end) || b->radius > v->branches.data[best].radius) best = (int32_t)i, free_end = end;
  }
  return best;
}

// a branch and all that spring from it, nearest first
static void follow(dvVessels *v, int32_t trunk, uint8_t *done, dvVesselBranch *out, int32_t *count)
{
  dvVesselBranch first = v->branches.data[trunk];
  if (v->nodes.data[first.from].degree != 1 && v->nodes.data[first.to].degree == 1) turn_around(v, &first);
  first.parent = -1;
  done[trunk] = 1;
  int32_t at = *count;
  out[(*count)++] = first;
  for (; at < *count; at++)
    for (size_t i = 0; i < v->branches.count; i++) {
      dvVesselBranch b = v->branches.data[i];
      // whatever leaves from an end of this branch; a root is left by one only
      if (done[i] || (b.from != out[at].to && b.to != out[at].to)) continue;
      if (b.from != out[at].to) turn_around(v, &b);
      b.parent = at;
      done[i] = 1;
      out[(*count)++] = b;
    }
}

void dv_vessels_order(dvVessels *v)
{
  for (size_t i = 0; i < v->nodes.count; i++) v->nodes.data[i].degree = 0;
  for (size_t i = 0; i < v->branches.count; i++) {
    dvVesselBranch *b = &v->branches.data[i];
    v->nodes.data[b->from].degree++;
    v->nodes.data[b->to].degree++;
    measure_branch(v, b);
  }
  uint8_t *done = dv_alloc(v->branches.count + 1);
  dvVesselBranch *out = dv_alloc((v->branches.count + 1) * sizeof *out);
  int32_t count = 0, trunk;
  v->roots = 0;
  while ((trunk = find_trunk(v, done)) >= 0) {
    follow(v, trunk, done, out, &count);
    v->roots++;
  }
  if (count) memcpy(v->branches.data, out, (size_t)count * sizeof *out);
  dv_free(done);
  dv_free(out);
}

// lists without the branches that are not kept; parents come before their branches
static void keep_branches(dvVessels *v, const uint8_t *keep)
{
  int32_t *number = dv_alloc((v->branches.count + 1) * sizeof *number),
          *node = dv_alloc((v->nodes.count + 1) * sizeof *node);
  DV_ARRAY(dvVesselPoint) points = {0};
  DV_ARRAY(dvVesselNode) nodes = {0};
  int32_t count = 0;
  for (size_t i = 0; i < v->branches.count; i++) {
    if (!keep[i]) continue;
    dvVesselBranch b = v->branches.data[i];
    int32_t first = (int32_t)points.count;
    for (int32_t k = 0; k < b.count; k++) dv_push(&points, v->points.data[b.first + k]);
    b.first = first;
    if (b.parent >= 0) b.parent = number[b.parent];
    int32_t *ends[2] = {&b.from, &b.to};
    for (int e = 0; e < 2; e++) {
      if (!node[*ends[e]]) {
        dv_push(&nodes, v->nodes.data[*ends[e]]);
        nodes.data[nodes.count - 1].degree = 0;
        node[*ends[e]] = (int32_t)nodes.count;
      }
      *ends[e] = node[*ends[e]] - 1;
      nodes.data[*ends[e]].degree++;
    }
    number[i] = count;
    v->branches.data[count++] = b;
  }
  v->branches.count = (size_t)count;
  dv_array_free(&v->points);
  dv_array_free(&v->nodes);
  memcpy(&v->points, &points, sizeof points);
  memcpy(&v->nodes, &nodes, sizeof nodes);
  dv_free(number);
  dv_free(node);
}

bool dv_vessels_prune(dvVessels *v, double least)
{
  uint8_t *keep = dv_alloc(v->branches.count + 1);
  v->roots = 0;
  for (size_t i = 0; i < v->branches.count; i++) {
    const dvVesselBranch *b = &v->branches.data[i];
    keep[i] = b->radius >= least && (b->parent < 0 || keep[b->parent]);
    v->roots += keep[i] && b->parent < 0;
  }
  keep_branches(v, keep);
  dv_array_free(&v->pieces);
  dv_free(keep);
  return v->branches.count > 0;
}
