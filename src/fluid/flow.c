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
    dv_array_free(&f->chunks.data[c].front);
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
  dv_array_free(&f->wall);
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
  f->rank.count = f->who.count = f->v.count = f->weight.count = f->walls.count = f->wall.count = f->viscosity.count =
      f->normal.count = f->pull.count = f->rho.count = f->k.count = f->work.count = f->parts.count = 0;
  size_t chunks = dv_near_chunks(&f->near), had = f->chunks.count;
  if (!dv_try_reserve(&f->rank, all) || !dv_try_reserve(&f->who, all) || !dv_try_reserve(&f->v, 3 * all) ||
      !dv_try_reserve(&f->weight, all) || !dv_try_reserve(&f->walls, all) || !dv_try_reserve(&f->wall, all) ||
      !dv_try_reserve(&f->viscosity, all) || !dv_try_reserve(&f->pull, all) || !dv_try_reserve(&f->normal, 3 * all) ||
      !dv_try_reserve(&f->rho, all) || !dv_try_reserve(&f->k, all) || !dv_try_reserve(&f->work, 9 * all) ||
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
    f->wall.data[r] = 0;
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

// --- gradients and densities ----------------------------------------------------------------------

static double meet_particle(const dvFlow *f, size_t i, size_t j, dvFlowPair m)
{
  double d[3], q = apart(f, i, j, d), along = f->mass * dv_smooth_gradient(f->kernel, q);
  *m.r = q * f->radius;
  *m.share = 0;
  *m.front = 0;
  for (int k = 0; k < 3; k++) m.g[k] = q > 0 ? along * d[k] : 0;
  return f->mass * dv_smooth_w(f->kernel, q);
}

static dvFlowPair nth(const dvFlowChunk *c, size_t n)
{
  return dv_flow_pair((dvFlowPair){c->g.data, c->r.data, c->share.data, c->front.data}, n);
}

// A particle: its list then names places themselves instead of their images, particles first.
static void measure_rank(dvFlow *f, size_t i, int32_t *list, size_t first, size_t count)
{
  int32_t walls[DV_NEAR_MOST];
  const dvFlowChunk *chunk = &f->chunks.data[i / DV_NEAR_CHUNK];
  size_t moving = 0, standing = 0;
  double rho = f->mass * dv_smooth_w(f->kernel, 0);
  for (size_t n = 0; n < count; n++) {
    size_t j = (size_t)list[n], at = dv_flow_home(f, j);
    if (dv_flow_moves(f, at)) {
      rho += meet_particle(f, i, j, nth(chunk, first + moving));
      list[moving++] = (int32_t)at;
    } else {
      walls[standing++] = (int32_t)j;
    }
  }
  if (standing) rho += dv_flow_meet_walls(f, i, walls, standing, nth(chunk, first + moving));
  for (size_t n = 0; n < standing; n++) list[moving + n] = (int32_t)dv_flow_home(f, (size_t)walls[n]);
  f->walls.data[i] = (uint32_t)moving;
  f->rho.data[i] = rho;
}

// A sample: the particles in its list, with what they have found.
static void mirror_rank(dvFlow *f, size_t i, int32_t *list, size_t first, size_t count)
{
  const dvFlowChunk *chunk = &f->chunks.data[i / DV_NEAR_CHUNK];
  size_t moving = 0;
  for (size_t n = 0; n < count; n++) {
    size_t j = dv_flow_home(f, (size_t)list[n]);
    if (!dv_flow_moves(f, j)) continue;
    dvFlowNear near = dv_flow_of(f, j);
    size_t at = near.moving;
    while (at < near.all && (size_t)near.list[at] != i) at++;
    if (at == near.all) continue;
    dvFlowPair from = nth(&f->chunks.data[j / DV_NEAR_CHUNK], near.first + at), to = nth(chunk, first + moving);
    for (int k = 0; k < 3; k++) to.g[k] = -from.g[k];
    *to.r = *from.r, *to.share = *from.share, *to.front = *from.front;
    list[moving++] = (int32_t)j;
  }
  f->walls.data[i] = (uint32_t)moving;
}

static void measure_body(void *user, size_t begin, size_t end)
{
  dvFlow *f = user;
  for (size_t c = begin; c < end; c++) {
    dvFlowChunk *chunk = &f->chunks.data[c];
    dvNearChunk *near = &f->near.chunks.data[c];
    chunk->g.count = chunk->r.count = chunk->share.count = chunk->front.count = chunk->drag.count = 0;
    size_t pairs = chunk->r.capacity < near->list.count ? near->list.count + near->list.count / 2 : near->list.count;
    dv_reserve(&chunk->g, 3 * pairs);   // with something to spare: neighbours come and go
    dv_reserve(&chunk->r, pairs);
    dv_reserve(&chunk->share, pairs);
    dv_reserve(&chunk->front, pairs);
    dv_reserve(&chunk->drag, pairs);
    for (size_t i = c * DV_NEAR_CHUNK; i < dv_min_size((c + 1) * DV_NEAR_CHUNK, f->near.count); i++) {
      size_t first = near->start[i % DV_NEAR_CHUNK], last = near->start[i % DV_NEAR_CHUNK + 1];
      if (dv_flow_moves(f, i)) measure_rank(f, i, near->list.data + first, first, last - first);
    }
  }
}

// behind the particles, whose lists are then in order
static void mirror_body(void *user, size_t begin, size_t end)
{
  dvFlow *f = user;
  for (size_t i = begin * DV_NEAR_CHUNK; i < dv_min_size(end * DV_NEAR_CHUNK, f->near.count); i++) {
    if (!dv_flow_stands(f, i)) continue;
    dvNearChunk *near = &f->near.chunks.data[i / DV_NEAR_CHUNK];
    size_t first = near->start[i % DV_NEAR_CHUNK], last = near->start[i % DV_NEAR_CHUNK + 1];
    mirror_rank(f, i, near->list.data + first, first, last - first);
  }
}

void dv_flow_measure(dvFlow *f)
{
  if (f->samples && (f->period[0] > 0 || f->period[1] > 0 || f->period[2] > 0)) dv_flow_fold(f);
  dv_flow_run(f, 500, measure_body, f);
  if (f->samples) dv_flow_run(f, 200, mirror_body, f);
}
