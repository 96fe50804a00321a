// Closed triangles of a level set. See iso.h.
#include "fluid/iso.h"

#include "base/sort.h"
#include "base/text.h"
#include "topology/search/cell_patterns.h"

#include <math.h>

enum { N = DV_ISO_LATTICE, B = DV_ISO_BLOCK, AXIS_BITS = 13, PARTICLE_BITS = 64 - 3 * AXIS_BITS, EDGE_MOST = 256 };
#define AXIS_HALF (1 << (AXIS_BITS - 1))

void dv_iso_init(dvIso *s) { dv_cell_patterns(s->edges); }

void dv_iso_free(dvIso *s)
{
  dv_array_free(&s->pairs);
  dv_array_free(&s->scratch);
  dv_array_free(&s->keys);
  dv_array_free(&s->blocks);
  dv_array_free(&s->old_keys);
  dv_array_free(&s->old_blocks);
  dv_array_free(&s->old_points);
  dv_array_free(&s->near);
  dv_array_free(&s->crossed);
  dv_array_free(&s->points);
  dv_array_free(&s->triangles);
}

// --- blocks ---------------------------------------------------------------------------------------

static uint64_t block_key(const int32_t at[3])
{
  uint64_t key = 0;
  for (int k = 2; k >= 0; k--) key = key << AXIS_BITS | (uint64_t)(at[k] + AXIS_HALF);
  return key;
}

// Pairs of a block and a particle that reaches into it, or to the lattice points behind it. Particles that are not
// finite or out of the range of keys make no surface.
static bool list_pairs(dvIso *s, const dvIsoField *f)
{
  double inverse = 1 / (f->step * B);
  s->pairs.count = 0;
  for (size_t i = 0; i < f->count; i++) {
    int32_t low[3], high[3], at[3];
    bool far = false;
    for (int k = 0; k < 3; k++) {
      double a = floor((f->x[3 * i + k] - f->radius - f->step) * inverse);
      double b = floor((f->x[3 * i + k] + f->radius) * inverse);
      far |= !(a > -AXIS_HALF + 1) || !(b < AXIS_HALF - 2);
      low[k] = far ? 0 : (int32_t)a, high[k] = far ? 0 : (int32_t)b;
    }
    if (far) continue;
    size_t blocks = (size_t)(high[0] - low[0] + 1) * (size_t)(high[1] - low[1] + 1) * (size_t)(high[2] - low[2] + 1);
    if (blocks > DV_ISO_MOST || !dv_try_reserve(&s->pairs, blocks)) return false;
    for (at[2] = low[2]; at[2] <= high[2]; at[2]++)
      for (at[1] = low[1]; at[1] <= high[1]; at[1]++)
        for (at[0] = low[0]; at[0] <= high[0]; at[0]++)
          s->pairs.data[s->pairs.count++] = block_key(at) << PARTICLE_BITS | i;
  }
  return true;
}

static bool make_blocks(dvIso *s, const dvIsoField *f)
{
  s->scratch.count = s->keys.count = s->blocks.count = 0;
  if (f->count >= (size_t)1 << PARTICLE_BITS || !list_pairs(s, f) || !dv_try_reserve(&s->scratch, s->pairs.count))
    return false;
  dv_sort_u64(s->pairs.data, s->scratch.data, s->pairs.count);
  for (size_t p = 0; p < s->pairs.count; p++) {
    uint64_t key = s->pairs.data[p] >> PARTICLE_BITS;
    if (s->keys.count == 0 || s->keys.data[s->keys.count - 1] != key) {
      if (s->keys.count >= DV_ISO_MOST || !dv_try_reserve(&s->keys, 1) || !dv_try_reserve(&s->blocks, 1)) return false;
      s->keys.data[s->keys.count++] = key;
      dvIsoBlock *b = &s->blocks.data[s->blocks.count++];
      for (int k = 0; k < 3; k++) b->at[k] = (int32_t)(key >> k * AXIS_BITS & ((1 << AXIS_BITS) - 1)) - AXIS_HALF;
      b->first = (int32_t)p;
      b->count = 0;
      b->taken = false;
    }
    s->blocks.data[s->blocks.count - 1].count++;
  }
  return true;
}

typedef struct Work {
  dvIso *s;
  const dvIsoField *f;     // particles
  const dvIsoLattice *l;   // or a lattice
  double step, value, origin[3];
} Work;

static size_t place(const int32_t at[3]) { return (size_t)(at[0] + N * (at[1] + N * at[2])); }
static size_t own(const int32_t at[3]) { return (size_t)(at[0] + B * (at[1] + B * at[2])); }

// what a particle has to be smeared, and what it adds at a distance, in squares
static inline double scaled_share(const dvIsoField *f, size_t particle)
{
  return f->share[particle] * 315 / (64 * M_PI * f->radius * f->radius * f->radius);
}

static inline double smeared(const dvIsoField *f, double share, double d2)
{
  double t = d2 / (f->radius * f->radius), a = 1 - t;
  if (!(a > 0)) return 0;
  return f->soft ? 1 - t * (22 - t * (17 - 4 * t)) / 9 : share * a * a * a;
}

static void add_particle(const dvIsoField *f, dvIsoBlock *b, size_t particle)
{
  int32_t low[3], high[3], at[3];
  double away[3], share = scaled_share(f, particle);
  for (int k = 0; k < 3; k++) {
    away[k] = f->x[3 * particle + (size_t)k] - f->step * (double)b->at[k] * B;
    low[k] = (int32_t)fmax(0, ceil((away[k] - f->radius) / f->step));
    high[k] = (int32_t)fmin(N - 1, floor((away[k] + f->radius) / f->step));
  }
  for (at[2] = low[2]; at[2] <= high[2]; at[2]++)
    for (at[1] = low[1]; at[1] <= high[1]; at[1]++)
      for (at[0] = low[0]; at[0] <= high[0]; at[0]++) {
        double d2 = 0;
        for (int k = 0; k < 3; k++) d2 += (f->step * at[k] - away[k]) * (f->step * at[k] - away[k]);
        b->value[place(at)] += smeared(f, share, d2);
      }
}

static int pattern(const dvIsoBlock *b, const int32_t at[3], double value)
{
  int inside = 0;
  for (int c = 0; c < 8; c++) {
    int32_t corner[3] = {at[0] + (c & 1), at[1] + (c >> 1 & 1), at[2] + (c >> 2)};
    inside |= (b->value[place(corner)] > value) << c;
  }
  return inside;
}

static void read_lattice(const dvIsoLattice *l, const int32_t block[3], double *value)
{
  int32_t at[3], point[3];
  for (at[2] = 0; at[2] < N; at[2]++)
    for (at[1] = 0; at[1] < N; at[1]++)
      for (at[0] = 0; at[0] < N; at[0]++) {
        bool outside = false;
        for (int k = 0; k < 3; k++) {
          point[k] = block[k] * B + at[k];
          outside |= point[k] < l->low[k] || point[k] > l->high[k];
        }
        double v = outside ? NAN : l->at(l->user, point);
        value[place(at)] = isfinite(v) ? v : l->value - l->step;
      }
}

// Particles of a block and what they are smeared with, as one number.
static uint64_t mark_of(const Work *w, const dvIsoBlock *b)
{
  const dvIsoField *f = w->f;
  uint64_t mark = dv_hash_bytes((const double[]){f->radius, f->step, f->value, f->soft}, 4 * sizeof(double), 1);
  for (int32_t p = 0; p < b->count; p++) {
    size_t i = w->s->pairs.data[b->first + p] & (((uint64_t)1 << PARTICLE_BITS) - 1);
    mark = dv_hash_bytes(f->x + 3 * i, 3 * sizeof(double), mark);
    mark = dv_hash_bytes(f->share + i, sizeof(double), mark);
  }
  return mark;
}

static const dvIsoBlock *find_among(const uint64_t *keys, size_t count, const dvIsoBlock *blocks, const int32_t at[3])
{
  uint64_t key = block_key(at);
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (keys[middle] < key) low = middle + 1;
    else high = middle;
  }
  return low < count && keys[low] == key ? &blocks[low] : NULL;
}

// A block that is made of the same as the time before stays as it was.
static bool take_over(const Work *w, dvIsoBlock *b)
{
  const dvIso *s = w->s;
  const dvIsoBlock *old = find_among(s->old_keys.data, s->old_keys.count, s->old_blocks.data, b->at);
  b->mark = mark_of(w, b);
  if (!old || old->mark != b->mark) return false;
  int32_t first = b->first, count = b->count;
  *b = *old;
  b->first = first, b->count = count, b->taken = true, b->old_point = old->first_point;
  return true;
}

// values of the lattice, crossings on its edges, how many triangles there will be
static void evaluate(void *user, size_t begin, size_t end)
{
  const Work *w = user;
  for (size_t i = begin; i < end; i++) {
    dvIsoBlock *b = &w->s->blocks.data[i];
    if (!w->l && take_over(w, b)) continue;
    if (w->l) read_lattice(w->l, b->at, b->value);
    else memset(b->value, 0, sizeof b->value);
    for (int32_t p = 0; p < b->count; p++)
      add_particle(w->f, b, w->s->pairs.data[b->first + p] & (((uint64_t)1 << PARTICLE_BITS) - 1));
    b->points = b->triangles = 0;
    int32_t at[3];
    for (at[2] = 0; at[2] < B; at[2]++)
      for (at[1] = 0; at[1] < B; at[1]++)
        for (at[0] = 0; at[0] < B; at[0]++) {
          bool here = b->value[place(at)] > w->value;
          for (int k = 0; k < 3; k++) {
            int32_t to[3] = {at[0] + (k == 0), at[1] + (k == 1), at[2] + (k == 2)};
            bool there = b->value[place(to)] > w->value;
            b->point[own(at)][k] = here != there ? (int16_t)b->points++ : -1;
          }
          b->triangles += w->s->edges[pattern(b, at, w->value)][0];
        }
  }
}

// --- points ---------------------------------------------------------------------------------------

// An edge of the lattice that the surface crosses, and the particles that reach it.
typedef struct Edge {
  const Work *w;
  double from[3];   // its first end
  int axis;
  const int32_t *near;
  size_t count;
} Edge;

static double edge_value(const Edge *e, double cut)
{
  const Work *w = e->w;
  double x[3] = {e->from[0], e->from[1], e->from[2]}, sum = 0;
  x[e->axis] += cut * w->step;
  if (w->l) return w->l->between(w->l->user, x) - w->value;
  for (size_t n = 0; n < e->count; n++) {
    const double *p = w->f->x + 3 * (size_t)e->near[n];
    double d2 = (x[0] - p[0]) * (x[0] - p[0]) + (x[1] - p[1]) * (x[1] - p[1]) + (x[2] - p[2]) * (x[2] - p[2]);
    sum += smeared(w->f, scaled_share(w->f, (size_t)e->near[n]), d2);
  }
  return sum - w->value;
}

// Where along the edge the field has its value: false position, halving the end that stays (Illinois). It ends when a
// step is below a thousandth of the edge, behind which the next one would be far shorter.
static double find_cut(const Edge *e, double low, double high)
{
  double from = 0, to = 1, cut = low / (low - high);
  int last = 0;
  for (int i = 0; i < 40; i++) {
    double value = edge_value(e, cut), before = cut;
    if (!isfinite(value) || value == 0) break;
    if ((value > 0) == (low > 0)) {
      from = cut, low = value;
      if (last == 1) high *= 0.5;
      last = 1;
    } else {
      to = cut, high = value;
      if (last == 2) low *= 0.5;
      last = 2;
    }
    cut = from + (to - from) * low / (low - high);
    if (fabs(cut - before) < 1e-3) break;
  }
  return cut;
}

// Particles of a list that are near enough to places from `low` to `low + width` along an axis.
static size_t reach_along(const dvIsoField *f, const int32_t *from, size_t count, int axis, double low, double width,
                          int32_t *to)
{
  size_t n = 0;
  for (size_t i = 0; i < count; i++) {
    double x = f->x[3 * (size_t)from[i] + (size_t)axis];
    to[n] = from[i];
    n += x > low - f->radius && x < low + width + f->radius;
  }
  return n;
}

// Lists of particles near a layer of edges and a row of it: each is taken from the one before.
typedef struct Lists {
  int32_t *all, *layer, *row;
  size_t all_count, layer_count, row_count;
  int layer_at, row_at;   // what they are of; -1: nothing yet
} Lists;

static Lists open_lists(const Work *w, const dvIsoBlock *b)
{
  Lists m = {.layer_at = -1, .row_at = -1};
  if (!w->f) return m;
  m.all = w->s->near.data + 3 * (size_t)b->first;
  m.layer = m.all + b->count, m.row = m.layer + b->count;
  m.all_count = (size_t)b->count;
  for (int32_t p = 0; p < b->count; p++)
    m.all[p] = (int32_t)(w->s->pairs.data[b->first + p] & (((uint64_t)1 << PARTICLE_BITS) - 1));
  return m;
}

static void list_row(const Work *w, const Edge *e, const int32_t at[3], Lists *m)
{
  if (m->layer_at != at[2]) {
    m->layer_count = reach_along(w->f, m->all, m->all_count, 2, e->from[2], w->step, m->layer);
    m->layer_at = at[2], m->row_at = -1;
  }
  if (m->row_at != at[1]) {
    m->row_count = reach_along(w->f, m->layer, m->layer_count, 1, e->from[1], w->step, m->row);
    m->row_at = at[1];
  }
}

static inline bool reaches(const Work *w, const Edge *e, size_t particle)
{
  const double *p = w->f->x + 3 * particle, half = 0.5 * w->step, far = w->f->radius + half;
  double d[3] = {p[0] - e->from[0], p[1] - e->from[1], p[2] - e->from[2]};
  d[e->axis] -= half;   // from the middle of the edge
  return d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < far * far;
}

static double place_point(const Work *w, const dvIsoBlock *b, const int32_t at[3], Edge *e, Lists *m)
{
  int32_t to[3] = {at[0], at[1], at[2]};
  to[e->axis]++;
  double low = b->value[place(at)] - w->value, high = b->value[place(to)] - w->value;
  if (w->l) {
    bool inside = w->l->between != NULL;   // where the lattice ends there is no field to look at
    for (int j = 0; j < 3; j++)
      inside = inside && b->at[j] * B + at[j] >= w->l->low[j] && b->at[j] * B + to[j] <= w->l->high[j];
    return inside ? find_cut(e, low, high) : low / (low - high);
  }
  list_row(w, e, at, m);
  int32_t near[EDGE_MOST];
  size_t many = 0;
  for (size_t i = 0; i < m->row_count && many < EDGE_MOST; i++) {
    near[many] = m->row[i];
    many += reaches(w, e, (size_t)m->row[i]);
  }
  bool few = many < EDGE_MOST;   // else all of the row are asked
  e->near = few ? near : m->row, e->count = few ? many : m->row_count;
  return find_cut(e, low, high);
}

static void place_points(const Work *w, const dvIsoBlock *b)
{
  double *x = w->s->points.data + 3 * (size_t)b->first_point;
  if (b->taken) {
    memcpy(x, w->s->old_points.data + 3 * (size_t)b->old_point, 3 * (size_t)b->points * sizeof *x);
    return;
  }
  int32_t at[3];
  Lists lists = open_lists(w, b);
  for (at[2] = 0; at[2] < B; at[2]++)
    for (at[1] = 0; at[1] < B; at[1]++)
      for (at[0] = 0; at[0] < B; at[0]++)
        for (int k = 0; k < 3; k++) {
          if (b->point[own(at)][k] < 0) continue;
          Edge e = {.w = w, .axis = k};
          for (int j = 0; j < 3; j++) e.from[j] = w->origin[j] + w->step * ((double)b->at[j] * B + at[j]);
          double cut = place_point(w, b, at, &e, &lists);
          for (int j = 0; j < 3; j++)
            *x++ = w->origin[j] + w->step * ((double)b->at[j] * B + at[j] + (j == k ? cut : 0));
        }
}

static void join_points(const Work *w, const dvIsoBlock *b)
{
  const dvIsoBlock *near[8];
  for (int n = 0; n < 8; n++) {
    int32_t at[3] = {b->at[0] + (n & 1), b->at[1] + (n >> 1 & 1), b->at[2] + (n >> 2)};
    near[n] = n == 0 ? b : find_among(w->s->keys.data, w->s->keys.count, w->s->blocks.data, at);
  }
  int32_t at[3], *out = w->s->triangles.data + 3 * (size_t)b->first_triangle;
  for (at[2] = 0; at[2] < B; at[2]++)
    for (at[1] = 0; at[1] < B; at[1]++)
      for (at[0] = 0; at[0] < B; at[0]++) {
        const uint8_t *edges = w->s->edges[pattern(b, at, w->value)];
        for (int e = 0; e < 3 * edges[0]; e++) {
          int corner[3], axis = edges[1 + e] / 4, which = 0;
          dv_cell_edge_corner(edges[1 + e], corner);
          int32_t from[3];
          for (int k = 0; k < 3; k++) {
            from[k] = at[k] + corner[k];
            if (from[k] < B) continue;
            from[k] -= B;
            which |= 1 << k;
          }
          *out++ = near[which] ? near[which]->first_point + near[which]->point[own(from)][axis] : 0;
        }
      }
}

static void fill(void *user, size_t begin, size_t end)
{
  const Work *w = user;
  for (size_t i = begin; i < end; i++) {
    place_points(w, &w->s->blocks.data[i]);
    join_points(w, &w->s->blocks.data[i]);
  }
}

// blocks and their values are there: points and triangles
static bool polygonise(dvIso *s, dvPool *pool, Work *work)
{
  dv_parallel_for(pool, s->blocks.count, 4, evaluate, work);
  int64_t points = 0, triangles = 0;
  for (size_t i = 0; i < s->blocks.count; i++) {
    dvIsoBlock *b = &s->blocks.data[i];
    b->first_point = (int32_t)points, b->first_triangle = (int32_t)triangles;
    points += b->points, triangles += b->triangles;
  }
  if (!dv_try_reserve(&s->points, 3 * (size_t)points) || !dv_try_reserve(&s->triangles, 3 * (size_t)triangles) ||
      (work->f && !dv_try_reserve(&s->near, 3 * s->pairs.count)))
    return false;
  s->points.count = 3 * (size_t)points, s->triangles.count = 3 * (size_t)triangles;
  dv_parallel_for(pool, s->blocks.count, 4, fill, work);
  return true;
}

// arrays of one type
#define swap_arrays(a, b)             \
  do {                                \
    char held_[sizeof *(a)];          \
    memcpy(held_, (a), sizeof held_); \
    memcpy((a), (b), sizeof held_);   \
    memcpy((b), held_, sizeof held_); \
  } while (0)

static void keep_old(dvIso *s)
{
  swap_arrays(&s->keys, &s->old_keys);
  swap_arrays(&s->blocks, &s->old_blocks);
  swap_arrays(&s->points, &s->old_points);
  s->keys.count = s->blocks.count = s->points.count = s->triangles.count = 0;
}

bool dv_iso_make(dvIso *s, dvPool *pool, const dvIsoField *f)
{
  keep_old(s);
  bool good = make_blocks(s, f) && polygonise(s, pool, &(Work){.s = s, .f = f, .step = f->step, .value = f->value});
  if (!good) s->keys.count = s->blocks.count = 0;   // none of them is good for the next time
  s->changed = 0;
  for (size_t i = 0; i < s->blocks.count; i++) s->changed += !s->blocks.data[i].taken;
  return good;
}

// --- lattices -------------------------------------------------------------------------------------

// the blocks that hold the lattice and one point around it
static void block_range(const dvIsoLattice *l, int32_t low[3], size_t many[3])
{
  for (int k = 0; k < 3; k++) {
    low[k] = (int32_t)floor((l->low[k] - 1) / (double)B);
    many[k] = (size_t)((int32_t)floor((l->high[k] + 1) / (double)B) - low[k] + 1);
  }
}

static void cross_body(void *user, size_t begin, size_t end)
{
  const Work *w = user;
  int32_t low[3];
  size_t many[3];
  double value[N * N * N];
  block_range(w->l, low, many);
  for (size_t i = begin; i < end; i++) {
    int32_t at[3] = {low[0] + (int32_t)(i % many[0]), low[1] + (int32_t)(i / many[0] % many[1]),
                     low[2] + (int32_t)(i / many[0] / many[1])};
    read_lattice(w->l, at, value);
    bool inside = false, outside = false;
    for (int v = 0; v < N * N * N; v++) *(value[v] > w->value ? &inside : &outside) = true;
    w->s->crossed.data[i] = inside && outside;
  }
}

bool dv_iso_lattice(dvIso *s, dvPool *pool, const dvIsoLattice *l)
{
  int32_t low[3];
  size_t many[3];
  s->points.count = s->triangles.count = s->keys.count = s->blocks.count = 0;
  for (int k = 0; k < 3; k++)
    if (l->low[k] <= -AXIS_HALF * B + 2 * B || l->high[k] >= AXIS_HALF * B - 2 * B || l->low[k] > l->high[k])
      return l->low[k] > l->high[k];
  block_range(l, low, many);
  double all = (double)many[0] * (double)many[1] * (double)many[2];
  if (all > 20.0 * DV_ISO_MOST) return false;
  Work work = {.s = s, .l = l, .step = l->step, .value = l->value};
  memcpy(work.origin, l->origin, sizeof work.origin);
  size_t count = (size_t)all, kept = 0;
  s->crossed.count = 0;
  if (!dv_try_reserve(&s->crossed, count)) return false;
  dv_parallel_for(pool, count, 4, cross_body, &work);
  for (size_t i = 0; i < count; i++) kept += s->crossed.data[i];
  bool good = kept <= DV_ISO_MOST && dv_try_reserve(&s->keys, kept) && dv_try_reserve(&s->blocks, kept);
  for (size_t i = 0; i < count && good; i++) {   // ascending, as keys are
    if (!s->crossed.data[i]) continue;
    dvIsoBlock *b = &s->blocks.data[s->blocks.count++];
    b->at[0] = low[0] + (int32_t)(i % many[0]), b->at[1] = low[1] + (int32_t)(i / many[0] % many[1]);
    b->at[2] = low[2] + (int32_t)(i / many[0] / many[1]);
    b->first = b->count = 0, b->taken = false;
    s->keys.data[s->keys.count++] = block_key(b->at);
  }
  return good && polygonise(s, pool, &work);
}
