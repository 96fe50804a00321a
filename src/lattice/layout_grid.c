// Lattices on a cubic grid. Grid points are numbered line by line, and stretches of numbers that have masses become
// stretches of slots (gaps of up to 32 are filled with nothing). The neighbour of slot s in a direction is then slot
// s + constant, within one stretch: a slice needs the slots of the nine lines around it and no index besides.
#include "lattice/layout.h"

#include "base/sort.h"

#include <math.h>

enum { GAP = 32, LINE = 1 << 20 };   // GAP > 18: what a slice reads of a line touches one stretch

typedef struct Run {
  int64_t first;   // number of its first grid point
  size_t count, slot;
} Run;

typedef struct Grid {
  double origin[3], pitch;
  int64_t n[3];   // along axis[0], axis[1], axis[2]
  int axis[3];
  int64_t *number;   // [points]
  Run *runs;
  size_t run_count;
} Grid;

static bool near_integer(double a, int64_t *out)
{
  double r = round(a);
  *out = (int64_t)r;
  return fabs(a) < 1e9 && fabs(a - r) < 1e-7;
}

static bool find_pitch(Grid *g, const dvLatticeDef *def)
{
  g->pitch = INFINITY;
  for (size_t i = 0; i < 2 * def->springs; i += 2) {
    const double *a = def->rest + 3 * (size_t)def->pairs[i], *b = def->rest + 3 * (size_t)def->pairs[i + 1];
    double most = 0;
    for (int k = 0; k < 3; k++) most = fmax(most, fabs(b[k] - a[k]));
    if (most > 0 && most < g->pitch) g->pitch = most;
  }
  return isfinite(g->pitch) && g->pitch > 0;
}

static bool number_points(Grid *g, const dvLatticeDef *def)
{
  double high[3];
  for (int k = 0; k < 3; k++) g->origin[k] = INFINITY, high[k] = -INFINITY;
  for (size_t i = 0; i < def->points; i++)
    for (int k = 0; k < 3; k++) {
      g->origin[k] = fmin(g->origin[k], def->rest[3 * i + k]);
      high[k] = fmax(high[k], def->rest[3 * i + k]);
    }
  int64_t size[3];
  for (int k = 0; k < 3; k++) {
    if (!near_integer((high[k] - g->origin[k]) / g->pitch, &size[k]) || size[k] >= LINE) return false;
    size[k]++;
  }
  for (int k = 0; k < 3; k++) g->axis[k] = k;   // the longest line first
  for (int a = 0; a < 3; a++)
    for (int b = a + 1; b < 3; b++)
      if (size[g->axis[b]] > size[g->axis[a]]) {
        int t = g->axis[a];
        g->axis[a] = g->axis[b], g->axis[b] = t;
      }
  for (int k = 0; k < 3; k++) g->n[k] = size[g->axis[k]];
  for (size_t i = 0; i < def->points; i++) {
    int64_t at[3];
    for (int k = 0; k < 3; k++)
      if (!near_integer((def->rest[3 * i + (size_t)g->axis[k]] - g->origin[g->axis[k]]) / g->pitch, &at[k]))
        return false;
    g->number[i] = at[0] + g->n[0] * (at[1] + g->n[1] * at[2]);
  }
  return true;
}

// the step of a spring on the grid, along the three axes; false when it is none to a neighbour
static bool step_of(const Grid *g, const dvLatticeDef *def, size_t spring, int step[3])
{
  const double *a = def->rest + 3 * (size_t)def->pairs[2 * spring],
               *b = def->rest + 3 * (size_t)def->pairs[2 * spring + 1];
  int64_t d;
  for (int k = 0; k < 3; k++) {
    if (!near_integer((b[g->axis[k]] - a[g->axis[k]]) / g->pitch, &d) || d < -1 || d > 1) return false;
    step[k] = (int)d;
  }
  return step[0] || step[1] || step[2];
}

// stretches of numbers; DV_LAYOUT_UNFIT when two masses stand in one place
static dvLayoutResult make_runs(Grid *g, dvLattice *l, size_t points)
{
  uint64_t *keys = dv_try_alloc(2 * points * sizeof *keys);
  if (!keys) return DV_LAYOUT_NO_MEMORY;
  for (size_t i = 0; i < points; i++) keys[i] = (uint64_t)g->number[i];
  dv_sort_u64(keys, keys + points, points);
  g->run_count = 1;
  bool twice = false;
  for (size_t i = 1; i < points; i++) {
    g->run_count += keys[i] - keys[i - 1] > GAP;
    twice |= keys[i] == keys[i - 1];
  }
  g->runs = dv_try_alloc(g->run_count * sizeof *g->runs);
  size_t slot = DV_LATTICE_PAD, r = 0;
  for (size_t i = 0; g->runs && i < points; i++) {
    if (i == 0 || keys[i] - keys[i - 1] > GAP) g->runs[r++] = (Run){.first = (int64_t)keys[i], .slot = slot};
    g->runs[r - 1].count = (size_t)((int64_t)keys[i] - g->runs[r - 1].first) + 1;
    if (i + 1 == points || keys[i + 1] - keys[i] > GAP) slot += (g->runs[r - 1].count + 15) / 16 * 16;
  }
  l->pad = DV_LATTICE_PAD;
  l->slots = slot + l->pad;
  l->slices = l->slots / DV_LATTICE_LANES;
  dv_free(keys);
  if (!g->runs) return DV_LAYOUT_NO_MEMORY;
  return twice || slot > 3 * points + 1024 ? DV_LAYOUT_UNFIT : DV_LAYOUT_DONE;
}

// the stretch with the last first number that is not above `number`
static size_t run_of(const Grid *g, int64_t number)
{
  size_t low = 0, high = g->run_count;
  while (high - low > 1) {
    size_t middle = (low + high) / 2;
    if (g->runs[middle].first <= number) low = middle;
    else high = middle;
  }
  return low;
}

static int32_t line_slot(const Grid *g, int64_t number)
{
  for (size_t r = run_of(g, number + 16) + 1; r-- > 0;) {
    const Run *run = &g->runs[r];
    if (run->first > number + 16) continue;
    if (run->first + (int64_t)run->count <= number - 1) return -1;
    return (int32_t)((int64_t)run->slot + number - run->first);
  }
  return -1;
}

static void place_points(const Grid *g, dvLattice *l)
{
  for (size_t i = 0; i < l->slots; i++) l->point_of[i] = -1;
  for (size_t i = 0; i < l->points; i++) {
    const Run *run = &g->runs[run_of(g, g->number[i])];
    size_t slot = run->slot + (size_t)(g->number[i] - run->first);
    l->slot_of[i] = (uint32_t)slot;
    l->point_of[slot] = (int32_t)i;
  }
}

static void place_lines(const Grid *g, dvLattice *l)
{
  for (size_t i = 0; i < 9 * l->slices; i++) l->rows[i] = DV_LATTICE_PAD;
  for (size_t r = 0; r < g->run_count; r++)
    for (size_t k = 0; k < g->runs[r].count; k += DV_LATTICE_LANES) {
      size_t slice = (g->runs[r].slot + k) / DV_LATTICE_LANES;
      for (int c = -1; c <= 1; c++)
        for (int b = -1; b <= 1; b++) {
          int32_t at = line_slot(g, g->runs[r].first + (int64_t)k + g->n[0] * (b + g->n[1] * c));
          if (at >= 0) l->rows[9 * slice + (size_t)(3 * (c + 1) + b + 1)] = at;
        }
    }
}

static bool place_springs(const Grid *g, dvLattice *l, const dvLatticeDef *def)
{
  for (size_t i = 0; i < def->springs; i++) {
    int step[3];
    if (!step_of(g, def, i, step)) return false;
    for (int end = 0; end < 2; end++) {
      size_t slot = l->slot_of[def->pairs[2 * i + (size_t)end]];
      uint8_t *c = &l->cls[(DV_LATTICE_WAYS * (slot / 16) + (size_t)dv_layout_way(step)) * 16 + slot % 16];
      if (*c) return false;   // two springs between two masses
      *c = def->classes[i];
      for (int k = 0; k < 3; k++) step[k] = -step[k];
    }
  }
  return true;
}

dvLayoutResult dv_layout_grid(dvLattice *l, const dvLatticeDef *def)
{
  Grid g = {0};
  if (def->lengths || def->springs == 0 || !find_pitch(&g, def)) return DV_LAYOUT_UNFIT;
  g.number = dv_try_alloc((def->points + 1) * sizeof *g.number);
  dvLayoutResult result = !g.number                 ? DV_LAYOUT_NO_MEMORY
                          : !number_points(&g, def) ? DV_LAYOUT_UNFIT
                                                    : make_runs(&g, l, def->points);
  if (result == DV_LAYOUT_DONE) {
    l->rows_total = DV_LATTICE_WAYS * l->slices;
    l->slot_of = dv_try_alloc(l->points * sizeof *l->slot_of);
    l->point_of = dv_try_alloc(l->slots * sizeof *l->point_of);
    l->rows = dv_try_alloc(9 * l->slices * sizeof *l->rows);
    l->cls = dv_alloc_aligned(l->rows_total * DV_LATTICE_LANES);
    l->same = dv_try_alloc(l->rows_total);
    if (!l->slot_of || !l->point_of || !l->rows || !l->cls || !l->same) {
      result = DV_LAYOUT_NO_MEMORY;
    } else {
      l->grid = true;
      l->pitch = g.pitch;
      memcpy(l->axis, g.axis, sizeof l->axis);
      place_points(&g, l);
      place_lines(&g, l);
      if (!place_springs(&g, l, def)) result = DV_LAYOUT_UNFIT;
      l->bytes += l->rows_total * (DV_LATTICE_LANES + 1) + 9 * 4 * l->slices;
    }
  }
  dv_free(g.number);
  dv_free(g.runs);
  if (result == DV_LAYOUT_DONE) return result;
  dv_free(l->slot_of), dv_free(l->point_of), dv_free(l->rows), dv_free(l->cls), dv_free(l->same);
  l->slot_of = NULL, l->point_of = NULL, l->rows = NULL, l->cls = NULL, l->same = NULL;
  l->grid = false;
  l->bytes = 0;
  return result;
}

void dv_layout_entries(const dvLattice *l, const dvLatticeDef *def, size_t spring, size_t at[2])
{
  Grid g = {.pitch = l->pitch, .axis = {l->axis[0], l->axis[1], l->axis[2]}};
  int step[3];
  DV_REQUIRE(l->grid && step_of(&g, def, spring, step));
  for (int end = 0; end < 2; end++) {
    size_t slot = l->slot_of[def->pairs[2 * spring + (size_t)end]];
    at[end] = (DV_LATTICE_WAYS * (slot / 16) + (size_t)dv_layout_way(step)) * 16 + slot % 16;
    for (int k = 0; k < 3; k++) step[k] = -step[k];
  }
}
