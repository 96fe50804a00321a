// Closed triangles of a level set. See iso.h.
#include "fluid/iso.h"

#include "base/sort.h"

#include <math.h>

enum { N = DV_ISO_LATTICE, B = DV_ISO_BLOCK, AXIS_BITS = 13, PARTICLE_BITS = 64 - 3 * AXIS_BITS };
#define AXIS_HALF (1 << (AXIS_BITS - 1))

// --- patterns -------------------------------------------------------------------------------------

// Corners are numbered by bits (1: x, 2: y, 4: z), edges by axis and by the bits of their first corner along the other
// two.
static int edge_between(int a, int b)
{
  int axis = (a ^ b) == 1 ? 0 : (a ^ b) == 2 ? 1 : 2, low = a < b ? a : b;
  int u = low >> (axis + 1) % 3 & 1, v = low >> (axis + 2) % 3 & 1;
  return 4 * axis + u + 2 * v;
}

static void corner_of_edge(int edge, int corner[3])
{
  int axis = edge / 4;
  corner[axis] = 0;
  corner[(axis + 1) % 3] = edge & 1;
  corner[(axis + 2) % 3] = edge >> 1 & 1;
}

// Two edges of a cell on one of its faces: the line between them may be in the cell behind that face as well.
static bool share_face(int a, int b)
{
  int faces[2][2];
  for (int n = 0; n < 2; n++) {
    int edge = n ? b : a, axis = edge / 4;
    faces[n][0] = 2 * ((axis + 1) % 3) + (edge & 1);
    faces[n][1] = 2 * ((axis + 2) % 3) + (edge >> 1 & 1);
  }
  return faces[0][0] == faces[1][0] || faces[0][0] == faces[1][1] || faces[0][1] == faces[1][0] ||
         faces[0][1] == faces[1][1];
}

// Triangles of the part of a ring from `first` to `last`, without lines inside of a face, so that no other cell has
// them. False when there are none.
static bool cut_ring(const int *ring, int first, int last, uint8_t *out, int *count)
{
  int before = *count;
  if (last - first < 2) return true;
  for (int k = first + 1; k < last; k++) {
    *count = before;
    bool left = k - first == 1 || !share_face(ring[first], ring[k]);
    bool right = last - k == 1 || !share_face(ring[k], ring[last]);
    if (!left || !right) continue;
    uint8_t *t = out + 1 + 3 * (*count)++;
    t[0] = (uint8_t)ring[first], t[1] = (uint8_t)ring[last], t[2] = (uint8_t)ring[k];
    if (cut_ring(ring, first, k, out, count) && cut_ring(ring, k, last, out, count)) return true;
  }
  *count = before;
  return false;
}

// Around a face, seen from outside of the cell, a crossing where the inside ends leads to the one where it began. Each
// edge is such an end for one of its two faces and a beginning for the other, so that crossings form rings.
static void make_pattern(int inside, uint8_t *out)
{
  int next[12];
  for (int e = 0; e < 12; e++) next[e] = -1;
  for (int face = 0; face < 6; face++) {
    int axis = face / 2, side = face % 2, u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3, ring[4];
    int base = side << axis, order[4] = {0, u, u | v, v};
    for (int k = 0; k < 4; k++) ring[k] = base | order[side ? k : 3 - k];
    for (int k = 0; k < 4; k++) {
      if (!(inside >> ring[k] & 1) || inside >> ring[(k + 1) % 4] & 1) continue;
      int begin = k;
      while (inside >> ring[(begin + 3) % 4] & 1) begin = (begin + 3) % 4;
      next[edge_between(ring[k], ring[(k + 1) % 4])] = edge_between(ring[(begin + 3) % 4], ring[begin]);
    }
  }
  int count = 0;
  bool done[12] = {false};
  for (int e = 0; e < 12; e++) {
    if (next[e] < 0 || done[e]) continue;
    int ring[12], length = 0;
    for (int at = e; !done[at]; at = next[at]) {
      done[at] = true;
      ring[length++] = at;
    }
    bool cut = cut_ring(ring, 0, length - 1, out, &count);
    DV_REQUIRE(cut);
  }
  out[0] = (uint8_t)count;
}

void dv_iso_init(dvIso *s)
{
  for (int inside = 0; inside < 256; inside++) make_pattern(inside, s->edges[inside]);
}

void dv_iso_free(dvIso *s)
{
  dv_array_free(&s->pairs);
  dv_array_free(&s->scratch);
  dv_array_free(&s->keys);
  dv_array_free(&s->blocks);
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
    }
    s->blocks.data[s->blocks.count - 1].count++;
  }
  return true;
}

static const dvIsoBlock *find_block(const dvIso *s, const int32_t at[3])
{
  uint64_t key = block_key(at);
  size_t low = 0, high = s->keys.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (s->keys.data[middle] < key) low = middle + 1;
    else high = middle;
  }
  return low < s->keys.count && s->keys.data[low] == key ? &s->blocks.data[low] : NULL;
}

typedef struct Work {
  dvIso *s;
  const dvIsoField *f;
} Work;

static size_t place(const int32_t at[3]) { return (size_t)(at[0] + N * (at[1] + N * at[2])); }
static size_t own(const int32_t at[3]) { return (size_t)(at[0] + B * (at[1] + B * at[2])); }

static void add_particle(const dvIsoField *f, dvIsoBlock *b, size_t particle)
{
  double scale = f->share[particle] * 315 / (64 * M_PI * f->radius * f->radius * f->radius), r2 = f->radius * f->radius;
  int32_t low[3], high[3], at[3];
  double away[3];
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
        double a = 1 - d2 / r2;
        if (a > 0) b->value[place(at)] += scale * a * a * a;
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

// values of the lattice, crossings on its edges, how many triangles there will be
static void evaluate(void *user, size_t begin, size_t end)
{
  const Work *w = user;
  const dvIsoField *f = w->f;
  for (size_t i = begin; i < end; i++) {
    dvIsoBlock *b = &w->s->blocks.data[i];
    memset(b->value, 0, sizeof b->value);
    for (int32_t p = 0; p < b->count; p++)
      add_particle(f, b, w->s->pairs.data[b->first + p] & (((uint64_t)1 << PARTICLE_BITS) - 1));
    b->points = b->triangles = 0;
    int32_t at[3];
    for (at[2] = 0; at[2] < B; at[2]++)
      for (at[1] = 0; at[1] < B; at[1]++)
        for (at[0] = 0; at[0] < B; at[0]++) {
          bool here = b->value[place(at)] > f->value;
          for (int k = 0; k < 3; k++) {
            int32_t to[3] = {at[0] + (k == 0), at[1] + (k == 1), at[2] + (k == 2)};
            bool there = b->value[place(to)] > f->value;
            b->point[own(at)][k] = here != there ? (int16_t)b->points++ : -1;
          }
          b->triangles += w->s->edges[pattern(b, at, f->value)][0];
        }
  }
}

static void place_points(const Work *w, const dvIsoBlock *b)
{
  const dvIsoField *f = w->f;
  double *x = w->s->points.data + 3 * (size_t)b->first_point;
  int32_t at[3];
  for (at[2] = 0; at[2] < B; at[2]++)
    for (at[1] = 0; at[1] < B; at[1]++)
      for (at[0] = 0; at[0] < B; at[0]++)
        for (int k = 0; k < 3; k++) {
          if (b->point[own(at)][k] < 0) continue;
          int32_t to[3] = {at[0] + (k == 0), at[1] + (k == 1), at[2] + (k == 2)};
          double a = b->value[place(at)], c = b->value[place(to)];
          for (int j = 0; j < 3; j++) {
            double along = j == k ? (f->value - a) / (c - a) : 0;
            x[j] = f->step * ((double)b->at[j] * B + at[j] + along);
          }
          x += 3;
        }
}

static void join_points(const Work *w, const dvIsoBlock *b)
{
  const dvIsoBlock *near[8];
  for (int n = 0; n < 8; n++) {
    int32_t at[3] = {b->at[0] + (n & 1), b->at[1] + (n >> 1 & 1), b->at[2] + (n >> 2)};
    near[n] = n == 0 ? b : find_block(w->s, at);
  }
  int32_t at[3], *out = w->s->triangles.data + 3 * (size_t)b->first_triangle;
  for (at[2] = 0; at[2] < B; at[2]++)
    for (at[1] = 0; at[1] < B; at[1]++)
      for (at[0] = 0; at[0] < B; at[0]++) {
        const uint8_t *edges = w->s->edges[pattern(b, at, w->f->value)];
        for (int e = 0; e < 3 * edges[0]; e++) {
          int corner[3], axis = edges[1 + e] / 4, which = 0;
          corner_of_edge(edges[1 + e], corner);
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

bool dv_iso_make(dvIso *s, dvPool *pool, const dvIsoField *f)
{
  s->points.count = s->triangles.count = 0;
  if (!make_blocks(s, f)) return false;
  Work work = {s, f};
  dv_parallel_for(pool, s->blocks.count, 4, evaluate, &work);
  int64_t points = 0, triangles = 0;
  for (size_t i = 0; i < s->blocks.count; i++) {
    dvIsoBlock *b = &s->blocks.data[i];
    b->first_point = (int32_t)points, b->first_triangle = (int32_t)triangles;
    points += b->points, triangles += b->triangles;
  }
  if (!dv_try_reserve(&s->points, 3 * (size_t)points) || !dv_try_reserve(&s->triangles, 3 * (size_t)triangles))
    return false;
  s->points.count = 3 * (size_t)points, s->triangles.count = 3 * (size_t)triangles;
  dv_parallel_for(pool, s->blocks.count, 4, fill, &work);
  return true;
}
