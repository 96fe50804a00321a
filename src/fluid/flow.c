// Neighbours of particles and walls, their gradients and densities. See flow.h.
#include "fluid/flow.h"

#include <math.h>
#include <string.h>

void dv_flow_free(dvFlow *f)
{
  for (size_t c = 0; c < f->chunks.count; c++) {
    dv_array_free(&f->chunks.data[c].g);
    dv_array_free(&f->chunks.data[c].r);
    dv_array_free(&f->chunks.data[c].share);
    dv_array_free(&f->chunks.data[c].drag);
  }
  dv_near_free(&f->near);
  dv_array_free(&f->places);
  dv_array_free(&f->image);
  dv_array_free(&f->rank);
  dv_array_free(&f->who);
  dv_array_free(&f->v);
  dv_array_free(&f->weight);
  dv_array_free(&f->walls);
  dv_array_free(&f->viscosity);
  dv_array_free(&f->normal);
  dv_array_free(&f->pull);
  dv_array_free(&f->rho);
  dv_array_free(&f->k);
  dv_array_free(&f->work);
  dv_array_free(&f->parts);
  dv_array_free(&f->chunks);
}

bool dv_flow_open(dvFlow *f, size_t particles, size_t samples)
{
  f->particles = particles;
  f->samples = samples;
  f->places.count = f->image.count = 0;
  if (!dv_try_reserve(&f->places, 3 * (particles + samples))) return false;
  f->places.count = 3 * (particles + samples);
  return true;
}

// Places are brought between 0 and the period; those near an end get an image beyond the other one, axis by axis, so
// that images of edges and corners come from images.
static bool add_images(dvFlow *f)
{
  size_t count = f->particles + f->samples;
  for (int axis = 0; axis < 3; axis++) {
    double period = f->period[axis];
    if (!(period > 0)) continue;
    for (size_t i = 0; i < count; i++) {
      double *x = f->places.data + 3 * i + axis;
      *x -= period * floor(*x / period);
    }
    for (size_t i = 0, end = count + f->image.count; i < end; i++) {
      double x = f->places.data[3 * i + (size_t)axis], shift = x < f->radius ? period : -period;
      if (!(x < f->radius) && !(x > period - f->radius)) continue;
      if (!dv_try_reserve(&f->places, 3) || !dv_try_reserve(&f->image, 1)) return false;
      double *to = f->places.data + f->places.count;
      memcpy(to, f->places.data + 3 * i, 3 * sizeof *to);
      to[axis] += shift;
      f->places.count += 3;
      f->image.data[f->image.count++] = i < count ? (int32_t)i : f->image.data[i - count];
    }
  }
  return true;
}

bool dv_flow_search(dvFlow *f)
{
  if (!add_images(f)) return false;
  size_t real = f->particles + f->samples, all = f->places.count / 3;
  if (!dv_near_find(&f->near, f->pool, f->places.data, all, f->radius, f->radius)) return false;
  f->rank.count = f->who.count = f->v.count = f->weight.count = f->walls.count = f->viscosity.count = f->normal.count =
      f->pull.count = f->rho.count = f->k.count = f->work.count = f->parts.count = 0;
  size_t chunks = dv_near_chunks(&f->near), had = f->chunks.count;
  if (!dv_try_reserve(&f->rank, all) || !dv_try_reserve(&f->who, all) || !dv_try_reserve(&f->v, 3 * all) ||
      !dv_try_reserve(&f->weight, all) || !dv_try_reserve(&f->walls, all) || !dv_try_reserve(&f->viscosity, all) ||
      !dv_try_reserve(&f->pull, all) || !dv_try_reserve(&f->normal, 3 * all) || !dv_try_reserve(&f->rho, all) ||
      !dv_try_reserve(&f->k, all) || !dv_try_reserve(&f->work, 9 * all) ||
      !dv_try_reserve(&f->parts, DV_FLOW_PARTS * chunks))
    return false;
  if (chunks > had) {
    if (!dv_try_reserve(&f->chunks, chunks - had)) return false;
    memset(f->chunks.data + had, 0, (chunks - had) * sizeof *f->chunks.data);
    f->chunks.count = chunks;
  }
  for (size_t r = 0; r < all; r++) {
    size_t place = (size_t)f->near.point.data[r];
    f->rank.data[place] = (int32_t)r;
    f->who.data[r] = place < real ? (int32_t)place : -1;
    f->rho.data[r] = f->density;
    f->weight.data[r] = f->mass;
    f->walls.data[r] = 0;
    f->k.data[r] = f->viscosity.data[r] = f->pull.data[r] = 0;
    memset(f->v.data + 3 * r, 0, 3 * sizeof *f->v.data);
    memset(f->normal.data + 3 * r, 0, 3 * sizeof *f->normal.data);
  }
  return true;
}

void dv_flow_run(dvFlow *f, double ns, dvBody body, void *user)
{
  dv_parallel_for(dv_pool_for(f->pool, ns * (double)f->near.count), dv_near_chunks(&f->near), 1, body, user);
}

void dv_flow_sum(const dvFlow *f, double out[DV_FLOW_PARTS])
{
  enum { LAST = DV_FLOW_PARTS - 1 };
  for (int k = 0; k < LAST; k++) out[k] = 0;
  out[LAST] = -INFINITY;
  for (size_t c = 0; c < dv_near_chunks(&f->near); c++) {
    const double *part = f->parts.data + DV_FLOW_PARTS * c;
    for (int k = 0; k < LAST; k++) out[k] += part[k];
    out[LAST] = fmax(out[LAST], part[LAST]);
  }
}

// r/h and the way from j to i
static inline double apart(const dvFlow *f, size_t i, size_t j, double d[3])
{
  const double *a = f->near.x.data + 3 * i, *b = f->near.x.data + 3 * j;
  for (int k = 0; k < 3; k++) d[k] = a[k] - b[k];
  return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) / f->radius;
}

// the rank of the place that an image shows
static inline size_t home(const dvFlow *f, size_t rank)
{
  if (f->who.data[rank] >= 0) return rank;
  return (size_t)f->rank.data[f->image.data[(size_t)f->near.point.data[rank] - f->particles - f->samples]];
}

// --- walls ----------------------------------------------------------------------------------------

// of the cubic spline
double dv_flow_plane(const dvFlow *f, double q)
{
  double a = 1 - q, q2 = q * q;
  if (!(q < 1)) return 0;
  return (q < 0.5 ? 1.4 - 8 * q2 + 24 * q2 * q2 - 19.2 * q2 * q2 * q : a * a * a * a * (8 - 6.4 * a)) / f->radius;
}

// C and its derivative by z
static double missing(const dvFlow *f, double q, double *slope)
{
  double h = f->radius, near = 0.5 * cbrt(f->mass / f->density) / h, q2 = q * q, a = 1 - q;
  double c = q < 0.5 ? 0.5 - q * (1.4 - q2 * (8.0 / 3 - q2 * (4.8 - 3.2 * q)))
                     : a * a * a * a * a * (1.6 - 6.4 / 6 * a),
         depth = fmax(0, 1 - q / near);
  const double extra = 3;
  *slope = -dv_flow_plane(f, q) - 2 * extra * depth / (near * h);
  return c + extra * depth * depth;
}

// P of the square of the distance, and the factor of the way in its gradient
static const double wide = 0.6;   // of the radius
static double spread(const dvFlow *f, double square, double *slope)
{
  double r2 = wide * wide * f->radius * f->radius, a = 1 - square / r2;
  *slope = a > 0 ? -12 * a / (M_PI * r2 * r2) : 0;
  return a > 0 ? 3 * a * a / (M_PI * r2) : 0;
}

// the piece of wall that a sample has among the others
static void weigh_body(void *user, size_t begin, size_t end)
{
  dvFlow *f = user;
  for (size_t i = begin * DV_NEAR_CHUNK; i < dv_min_size(end * DV_NEAR_CHUNK, f->near.count); i++) {
    const int32_t *list;
    if (!dv_flow_stands(f, i)) continue;
    size_t count = dv_near_of(&f->near, i, &list);
    double slope, sum = spread(f, 0, &slope), d[3];
    for (size_t n = 0; n < count; n++)
      if (dv_flow_stands(f, home(f, (size_t)list[n]))) {
        double r = apart(f, i, (size_t)list[n], d) * f->radius;
        sum += spread(f, r * r, &slope);
      }
    f->weight.data[i] = 1 / sum;
  }
}

// --- gradients and densities ----------------------------------------------------------------------

typedef struct Meeting {
  double *g, *r, *share;
} Meeting;

// A particle and a piece of wall: what it adds to the density of the particle.
static double meet_wall(const dvFlow *f, size_t i, size_t j, size_t at, Meeting m)
{
  size_t wall = dv_flow_moves(f, i) ? at : i;
  const double *normal = f->normal.data + 3 * wall;
  double d[3], c_slope, p_slope;
  apart(f, i, j, d);   // from the neighbour to i: towards the particle, or away from it
  double way = d[0] * normal[0] + d[1] * normal[1] + d[2] * normal[2], z = fabs(way);
  double beside = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] - z * z, c = missing(f, z / f->radius, &c_slope),
         p = spread(f, beside, &p_slope), w = f->density * f->weight.data[wall];
  *m.r = z;
  *m.share = f->weight.data[wall] * p;
  for (int k = 0; k < 3; k++)
    m.g[k] = w * (p * c_slope * (way < 0 ? -1 : 1) * normal[k] + p_slope * c * (d[k] - way * normal[k]));
  return w * p * c;
}

static double meet_particle(const dvFlow *f, size_t i, size_t j, Meeting m)
{
  double d[3], q = apart(f, i, j, d), along = f->mass * dv_smooth_gradient(f->kernel, q);
  *m.r = q * f->radius;
  *m.share = 0;
  for (int k = 0; k < 3; k++) m.g[k] = q > 0 ? along * d[k] : 0;
  return f->mass * dv_smooth_w(f->kernel, q);
}

static Meeting nth(const dvFlowChunk *c, size_t n)
{
  return (Meeting){c->g.data + 3 * n, c->r.data + n, c->share.data + n};
}

// One rank: its list then names places themselves instead of their images, particles first.
static void measure_rank(dvFlow *f, size_t i, int32_t *list, size_t first, size_t count)
{
  int32_t walls[DV_NEAR_MOST];
  const dvFlowChunk *chunk = &f->chunks.data[i / DV_NEAR_CHUNK];
  size_t moving = 0, standing = 0;
  bool moves = dv_flow_moves(f, i);
  double rho = f->mass * dv_smooth_w(f->kernel, 0);
  for (size_t n = 0; n < count; n++) {
    size_t j = (size_t)list[n], at = home(f, j);
    if (dv_flow_moves(f, at)) {
      Meeting m = nth(chunk, first + moving);
      rho += moves ? meet_particle(f, i, j, m) : meet_wall(f, i, j, at, m);
      list[moving++] = (int32_t)at;
    } else {
      walls[standing++] = (int32_t)j;
    }
  }
  for (size_t n = 0; n < standing; n++) {
    size_t j = (size_t)walls[n], at = home(f, j), to = moving + n;
    if (moves) rho += meet_wall(f, i, j, at, nth(chunk, first + to));
    list[to] = (int32_t)at;
  }
  f->walls.data[i] = (uint32_t)moving;
  if (moves) f->rho.data[i] = rho;
}

static void measure_body(void *user, size_t begin, size_t end)
{
  dvFlow *f = user;
  for (size_t c = begin; c < end; c++) {
    dvFlowChunk *chunk = &f->chunks.data[c];
    dvNearChunk *near = &f->near.chunks.data[c];
    chunk->g.count = chunk->r.count = chunk->share.count = chunk->drag.count = 0;
    size_t pairs = chunk->r.capacity < near->list.count ? near->list.count + near->list.count / 2 : near->list.count;
    dv_reserve(&chunk->g, 3 * pairs);   // with something to spare: neighbours come and go
    dv_reserve(&chunk->r, pairs);
    dv_reserve(&chunk->share, pairs);
    dv_reserve(&chunk->drag, pairs);
    for (size_t i = c * DV_NEAR_CHUNK; i < dv_min_size((c + 1) * DV_NEAR_CHUNK, f->near.count); i++) {
      size_t first = near->start[i % DV_NEAR_CHUNK], last = near->start[i % DV_NEAR_CHUNK + 1];
      if (f->who.data[i] >= 0) measure_rank(f, i, near->list.data + first, first, last - first);
    }
  }
}

void dv_flow_measure(dvFlow *f)
{
  if (f->samples) dv_flow_run(f, 200, weigh_body, f);
  dv_flow_run(f, 500, measure_body, f);
}
