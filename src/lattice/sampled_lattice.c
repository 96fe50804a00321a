// SampledLattice: points spread evenly at random in a closed surface, each joined with its nearest neighbours.
//
// Best candidates (D. P. Mitchell, Spectrally optimal sampling for distribution ray tracing, 1991): of so many random
// points inside of the body the one is taken that is farthest from those that are there. The same seed gives the same
// points. It ends with `count` points, or when the best candidate is nearer than `cutoff`.
#include "lattice/inside.h"

#include "base/random.h"
#include "base/sort.h"
#include "lattice/parts.h"

#include <math.h>
#include <stdlib.h>

#define SAMPLE_FIELDS(X)                                                                                   \
  DV_BODY_FIELDS(X)                                                                                        \
  X(int, count, "1000", "", "most points", .flags = DV_INPUT, .least = "4", .most = "1000000")             \
  X(real, cutoff, "0", "m", "smallest distance between points; 0: any", .flags = DV_INPUT, .least = "0")   \
  X(int, candidates, "100", "", "random points of which one is taken", .flags = DV_INPUT, .least = "1")    \
  X(int, neighbours, "12", "", "nearest points that each is joined with", .flags = DV_INPUT, .least = "1") \
  X(int, seed, "1", "", "of the random numbers", .flags = DV_INPUT)                                        \
  X(vec3s, position, "", "m", "points", .flags = DV_OUTPUT)                                                \
  X(edges, edges, "", "", "springs", .flags = DV_OUTPUT, .alias = "springs")                               \
  X(real, volume, "0", "m3", "of the body", .flags = DV_OUTPUT)

typedef struct Samples {
  dvObject base;
  SAMPLE_FIELDS(DV_MEMBER)
} Samples;

#define SELF Samples
static const dvFieldDesc sample_fields[] = {SAMPLE_FIELDS(DV_DESCRIBE)};
#undef SELF

enum { MOST_SAMPLES = 1000000, MOST_CANDIDATES = 10000, MOST_NEIGHBOURS = 64, TRIES = 100000 };

// points in cells of about their distance
typedef struct Buckets {
  double low[3], size;
  long n[3];
  int32_t *head, *next;   // first point of a cell, next in the same one; -1: none
  const double *x;
} Buckets;

static long bucket_of(const Buckets *b, const double *p, long at[3])
{
  for (int k = 0; k < 3; k++) {
    double c = floor((p[k] - b->low[k]) / b->size);
    at[k] = c < 0 ? 0 : c >= (double)b->n[k] ? b->n[k] - 1 : (long)c;
  }
  return at[0] + b->n[0] * (at[1] + b->n[1] * at[2]);
}

static void bucket_add(Buckets *b, int32_t point)
{
  long at[3], cell = bucket_of(b, b->x + 3 * (size_t)point, at);
  b->next[point] = b->head[cell];
  b->head[cell] = point;
}

static bool buckets_init(Buckets *b, const dvInside *s, size_t count, const double *x)
{
  b->size = cbrt(s->volume / (double)count);
  double cells = 1;
  for (int k = 0; k < 3; k++) {
    b->low[k] = s->low[k];
    double n = ceil((s->high[k] - s->low[k]) / b->size);
    b->n[k] = (long)fmin(fmax(n, 1), 400);
    b->size = fmax(b->size, (s->high[k] - s->low[k]) / 400);
    cells *= (double)b->n[k];
  }
  b->x = x;
  b->head = dv_try_alloc((size_t)cells * sizeof *b->head);
  b->next = dv_try_alloc((count + 1) * sizeof *b->next);
  for (size_t i = 0; b->head && i < (size_t)cells; i++) b->head[i] = -1;
  return b->head && b->next;
}

typedef void (*Visit)(void *user, int32_t point, double distance2);

// points of the cells `ring` away from that of p
static void visit_ring(const Buckets *b, const double *p, long ring, Visit visit, void *user)
{
  long c[3];
  bucket_of(b, p, c);
  for (long k = c[2] - ring; k <= c[2] + ring; k++)
    for (long j = c[1] - ring; j <= c[1] + ring; j++) {
      bool border = labs(k - c[2]) == ring || labs(j - c[1]) == ring;
      for (long i = c[0] - ring; i <= c[0] + ring; i += border || ring == 0 ? 1 : 2 * ring) {
        if (i < 0 || j < 0 || k < 0 || i >= b->n[0] || j >= b->n[1] || k >= b->n[2]) continue;
        for (int32_t q = b->head[i + b->n[0] * (j + b->n[1] * k)]; q >= 0; q = b->next[q]) {
          const double *y = b->x + 3 * (size_t)q;
          double d[3] = {y[0] - p[0], y[1] - p[1], y[2] - p[2]};
          visit(user, q, d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        }
      }
    }
}

static long most_rings(const Buckets *b) { return labs(b->n[0]) + labs(b->n[1]) + labs(b->n[2]); }

static void keep_least(void *user, int32_t point, double distance2)
{
  DV_UNUSED(point);
  double *least = user;
  if (distance2 < *least) *least = distance2;
}

// square of the distance to the nearest point; nothing below `enough` needs to be told apart
static double nearest(const Buckets *b, const double *p, double enough)
{
  double least = INFINITY;
  for (long ring = 0; ring <= most_rings(b); ring++) {
    double safe = (double)(ring - 1) * b->size;   // points of farther rings are at least so far away
    if (ring > 0 && least <= safe * safe) break;
    visit_ring(b, p, ring, keep_least, &least);
    if (least <= enough) break;
  }
  return least;
}

static bool draw(dvInside *s, dvRandom *random, double p[3])
{
  for (int i = 0; i < TRIES; i++) {
    for (int k = 0; k < 3; k++) p[k] = dv_random(random, s->low[k], s->high[k]);
    if (dv_inside_has(s, p)) return true;
  }
  return false;
}

static dvStatus spread(Samples *m, dvInside *s, Buckets *b, double *x, size_t *count)
{
  dvRandom random = dv_random_start((uint32_t)m->seed);
  for (*count = 0; *count < (size_t)m->count; ++*count) {
    double best = -1, *at = x + 3 * *count, p[3];
    for (int i = 0; i < (*count ? m->candidates : 1); i++) {
      if (!draw(s, &random, p))
        return dv_error(&m->base, "use VoxelLattice",
                        "the body fills too little of its box: no point inside was found");
      double d = *count ? nearest(b, p, best) : 0;
      if (d > best) best = d, memcpy(at, p, sizeof p);
    }
    if (*count && best < m->cutoff * m->cutoff) break;
    bucket_add(b, (int32_t)*count);
  }
  return DV_OK;
}

// --- neighbours ---

typedef struct Near {
  int32_t self, count, most;
  int32_t point[MOST_NEIGHBOURS];
  double d[MOST_NEIGHBOURS];
} Near;

static void keep_near(void *user, int32_t point, double distance2)
{
  Near *n = user;
  if (point == n->self || (n->count == n->most && distance2 >= n->d[n->count - 1])) return;
  int32_t at = n->count < n->most ? n->count++ : n->count - 1;
  for (; at > 0 && n->d[at - 1] > distance2; at--) n->d[at] = n->d[at - 1], n->point[at] = n->point[at - 1];
  n->d[at] = distance2;
  n->point[at] = point;
}

static bool join(Samples *m, const Buckets *b, size_t count)
{
  size_t most = count * (size_t)m->neighbours, pairs = 0, kept = 0;
  uint64_t *keys = dv_try_alloc((2 * most + 1) * sizeof *keys);
  for (size_t i = 0; keys && i < count; i++) {
    Near n = {.self = (int32_t)i, .most = (int32_t)dv_min_size((size_t)m->neighbours, count - 1)};
    for (long ring = 0; ring <= most_rings(b); ring++) {
      double safe = (double)(ring - 1) * b->size;
      if (ring > 0 && n.count == n.most && n.d[n.count - 1] <= safe * safe) break;
      visit_ring(b, b->x + 3 * i, ring, keep_near, &n);
    }
    for (int32_t k = 0; k < n.count; k++) {
      uint64_t a = i, c = (uint64_t)n.point[k];
      keys[pairs++] = a < c ? a << 32 | c : c << 32 | a;
    }
  }
  if (!keys) return false;
  dv_sort_u64(keys, keys + most, pairs);
  for (size_t i = 0; i < pairs; i++)
    if (i == 0 || keys[i] != keys[i - 1]) keys[kept++] = keys[i];
  bool good = dv_ints_resize(&m->edges, 2 * kept);
  int32_t *out = good ? dv_ints_edit(&m->edges) : NULL;
  for (size_t i = 0; good && i < kept; i++) out[2 * i] = (int32_t)(keys[i] >> 32), out[2 * i + 1] = (int32_t)keys[i];
  dv_free(keys);
  return good;
}

static dvStatus check(const Samples *m)
{
  const dvObject *o = &m->base;
  if (m->count < 4 || m->count > MOST_SAMPLES)
    return dv_field_error(o, &m->count, NULL, "count must lie between 4 and %d", MOST_SAMPLES);
  if (m->candidates < 1 || m->candidates > MOST_CANDIDATES)
    return dv_field_error(o, &m->candidates, NULL, "candidates must lie between 1 and %d", MOST_CANDIDATES);
  if (m->neighbours < 1 || m->neighbours > MOST_NEIGHBOURS)
    return dv_field_error(o, &m->neighbours, NULL, "neighbours must lie between 1 and %d", MOST_NEIGHBOURS);
  if (!(m->cutoff >= 0)) return dv_field_error(o, &m->cutoff, NULL, "cutoff cannot be %g m", m->cutoff);
  return DV_OK;
}

static dvStatus sample_update(dvObject *o)
{
  Samples *m = (Samples *)o;
  DV_TRY(check(m));
  dvInside s;
  Buckets b = {.size = 0};
  size_t count = 0;
  dvStatus status = dv_inside_init(&s, o, &m->inputPosition, &m->triangles, &m->quads);
  double *x = status == DV_OK ? dv_try_alloc(3 * (size_t)m->count * sizeof *x) : NULL;
  if (status == DV_OK && !(s.volume > 0))
    status = dv_error(o, NULL, "the lattice is empty: the surface encloses nothing");
  if (status == DV_OK && (!x || !buckets_init(&b, &s, (size_t)m->count, x))) status = dv_engine_no_memory(o);
  if (status == DV_OK) status = spread(m, &s, &b, x, &count);
  if (status == DV_OK && (!join(m, &b, count) || !dv_reals_assign(&m->position, x, 3 * count)))
    status = dv_engine_no_memory(o);
  m->volume = s.volume;
  dv_inside_fini(&s);
  dv_free(x);
  dv_free(b.head);
  dv_free(b.next);
  return status;
}

DV_ENGINE_CLASS(dv_sampled_lattice_class, "SampledLattice",
                "spreads points evenly at random in a closed surface and joins each with its nearest neighbours",
                "Divan.Lattice", 0, Samples, .blocks = {&dv_object_block, DV_BLOCK(sample_fields)},
                .update = sample_update);
