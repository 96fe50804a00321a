// Lattices of any shape. Masses are sorted layer by layer along their longest side, so that the other end of a spring
// is at most about two layers of slots away (16 bits mostly suffice, and layers stay in the cache), and by their number
// of springs among neighbours in that order, so that slices waste few rows.
#include "lattice/layout.h"

#include "base/sort.h"

#include <math.h>

// masses that are sorted by their number of springs; those of small lattices are near each other anyway
enum { WINDOW = 128, SMALL = 2048 };

static double mean_length(const dvLatticeDef *def)
{
  double sum = 0;
  for (size_t i = 0; i < def->springs; i++) sum += dv_layout_length(def, i);
  return def->springs ? sum / (double)def->springs : 1;
}

static uint64_t cell(double at, double low, double size, int bits)
{
  double c = size > 0 ? (at - low) / size : 0;
  double most = (double)((1 << bits) - 1);
  return (uint64_t)(c < 0 ? 0 : c > most ? most : c);
}

static void order_points(const dvLatticeDef *def, const uint32_t *degree, uint64_t *keys, uint64_t *scratch)
{
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (size_t i = 0; i < 3 * def->points; i++) {
    low[i % 3] = fmin(low[i % 3], def->rest[i]);
    high[i % 3] = fmax(high[i % 3], def->rest[i]);
  }
  int longest = 0, bits[3] = {10, 10, 10};
  for (int k = 1; k < 3; k++)
    if (high[k] - low[k] > high[longest] - low[longest]) longest = k;
  double size = mean_length(def);
  int axis[3] = {longest, (longest + 1) % 3, (longest + 2) % 3};
  bits[longest] = 12;
  for (size_t i = 0; i < def->points; i++) {
    uint64_t key = 0;
    for (int k = 0; k < 3; k++) {
      int a = axis[k];
      double width = fmax(size, (high[a] - low[a]) / (double)(1 << bits[a]));
      key = key << bits[a] | cell(def->rest[3 * i + (size_t)a], low[a], width, bits[a]);
    }
    keys[i] = key << 32 | (uint64_t)i;
  }
  dv_sort_u64(keys, scratch, def->points);
  size_t window = def->points <= SMALL ? SMALL : WINDOW;
  for (size_t i = 0; i < def->points; i += window) {
    size_t count = dv_min_size(window, def->points - i);
    for (size_t k = i; k < i + count; k++) {
      uint64_t point = keys[k] & 0xffffffffu;
      keys[k] = (uint64_t)(UINT32_MAX - degree[point]) << 32 | point;
    }
    dv_sort_u64(keys + i, scratch, count);
  }
}

static bool count_rows(dvLattice *l, const uint32_t *degree)
{
  l->first = dv_try_alloc((l->slices + 1) * sizeof *l->first);
  if (!l->first) return false;
  size_t rows = 0;
  for (size_t s = 0; s < l->slices; s++) {
    uint32_t most = 0;
    for (size_t i = 16 * s; i < 16 * (s + 1); i++)
      if (l->point_of[i] >= 0 && degree[l->point_of[i]] > most) most = degree[l->point_of[i]];
    l->first[s] = (uint32_t)rows;
    rows += most;
    if (rows > UINT32_MAX / 16) return false;
  }
  l->first[l->slices] = (uint32_t)rows;
  l->rows_total = rows;
  return true;
}

static bool fits_short(const dvLattice *l, const dvLatticeDef *def)
{
  for (size_t i = 0; i < def->springs; i++) {
    int64_t d = (int64_t)l->slot_of[def->pairs[2 * i]] - (int64_t)l->slot_of[def->pairs[2 * i + 1]];
    if (d > INT16_MAX || d < -INT16_MAX) return false;
  }
  return true;
}

size_t *dv_layout_list_entries(const dvLattice *l, const dvLatticeDef *def)
{
  size_t *at = dv_try_alloc((2 * def->springs + 1) * sizeof *at);
  uint32_t *used = dv_try_alloc((l->slots + 1) * sizeof *used);
  for (size_t i = 0; at && used && i < 2 * def->springs; i++) {
    size_t slot = l->slot_of[def->pairs[i]];
    at[i] = ((size_t)l->first[slot / 16] + used[slot]++) * 16 + slot % 16;
  }
  if (!used) dv_free(at), at = NULL;
  dv_free(used);
  return at;
}

static void place_springs(dvLattice *l, const dvLatticeDef *def, const size_t *at)
{
  for (size_t i = 0; i < l->rows_total * 16; i++) {   // where there is no spring: to itself, of class 0
    if (l->single) ((float *)l->inverse)[i] = 1;
    else ((double *)l->inverse)[i] = 1;
  }
  for (size_t i = 0; i < 2 * def->springs; i++) {
    double inverse = 1 / dv_layout_length(def, i / 2);
    int64_t d = (int64_t)l->slot_of[def->pairs[i ^ 1]] - (int64_t)l->slot_of[def->pairs[i]];
    if (l->near) l->near[at[i]] = (int16_t)d;
    else l->far[at[i]] = (int32_t)d;
    if (l->single) ((float *)l->inverse)[at[i]] = (float)inverse;
    else ((double *)l->inverse)[at[i]] = inverse;
    l->cls[at[i]] = def->classes[i / 2];
  }
}

static bool lay_out(dvLattice *l, const dvLatticeDef *def, uint32_t *degree, uint64_t *keys)
{
  for (size_t i = 0; i < 2 * def->springs; i++) degree[def->pairs[i]]++;
  order_points(def, degree, keys, keys + def->points);
  l->pad = 0;
  l->slices = (def->points + 15) / 16;   // rows lead to slots that exist: no padding
  l->slots = 16 * l->slices;
  l->slot_of = dv_try_alloc((l->points + 1) * sizeof *l->slot_of);
  l->point_of = dv_try_alloc(l->slots * sizeof *l->point_of);
  if (!l->slot_of || !l->point_of) return false;
  for (size_t i = 0; i < l->slots; i++) l->point_of[i] = -1;
  for (size_t i = 0; i < def->points; i++) {
    uint32_t point = (uint32_t)keys[i];
    l->slot_of[point] = (uint32_t)i;
    l->point_of[i] = (int32_t)point;
  }
  if (!count_rows(l, degree)) return false;
  size_t entries = 16 * l->rows_total;
  bool brief = fits_short(l, def);
  if (brief) l->near = dv_alloc_aligned(entries * sizeof *l->near + 64);
  else l->far = dv_alloc_aligned(entries * sizeof *l->far + 64);
  l->inverse = dv_alloc_aligned(entries * l->real + 64);
  l->cls = dv_alloc_aligned(entries + 64);
  l->same = dv_try_alloc(l->rows_total + 1);
  size_t *at = dv_layout_list_entries(l, def);
  if ((!l->near && !l->far) || !l->inverse || !l->cls || !l->same || !at) {
    dv_free(at);
    return false;
  }
  place_springs(l, def, at);
  dv_free(at);
  l->bytes += entries * ((brief ? 2 : 4) + l->real + 1) + l->rows_total + 4 * l->slices;
  return true;
}

dvLayoutResult dv_layout_list(dvLattice *l, const dvLatticeDef *def)
{
  uint32_t *degree = dv_try_alloc((def->points + 1) * sizeof *degree);
  uint64_t *keys = dv_try_alloc((2 * def->points + 1) * sizeof *keys);
  bool good = degree && keys && lay_out(l, def, degree, keys);
  dv_free(degree);
  dv_free(keys);
  return good ? DV_LAYOUT_DONE : DV_LAYOUT_NO_MEMORY;   // what was taken goes with the lattice
}
