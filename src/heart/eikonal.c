// See eikonal.h.
#include "heart/eikonal.h"

#include <math.h>
#include <string.h>

// the edges of each point, from the tetrahedra around it
static void make_spokes(dvEikonal *e)
{
  dv_array_resize(&e->first_spoke, e->points + 1);
  e->spokes.count = 0;
  for (size_t p = 0; p < e->points; p++) {
    size_t begin = e->spokes.count;
    e->first_spoke.data[p] = (int32_t)begin;
    for (int32_t k = e->first.data[p]; k < e->first.data[p + 1]; k++)
      for (int i = 0; i < 4; i++) {
        int32_t to = e->tetra[4 * e->around.data[k] + i];
        size_t at = begin;
        while (at < e->spokes.count && e->spokes.data[at].to != to) at++;
        if ((size_t)to != p && at == e->spokes.count) dv_push(&e->spokes, ((dvSpoke){INFINITY, to}));
      }
  }
  e->first_spoke.data[e->points] = (int32_t)e->spokes.count;
}

bool dv_eikonal_init(dvEikonal *e, const dvMuscle *t)
{
  e->points = t->points;
  e->count = t->count;
  e->tetra = t->tetra;
  e->alive = t->alive.data;
  if (4 * t->count > INT32_MAX) return false;
  e->fans = dv_alloc_aligned(4 * t->count * sizeof *e->fans);
  if (!e->fans) return false;
  dv_array_resize(&e->first, t->points + 1);
  dv_array_resize(&e->around, 4 * t->count);
  dv_array_resize(&e->excited, t->points);
  dv_array_resize(&e->recovers, t->points);
  dv_array_resize(&e->next, t->points);
  dv_array_resize(&e->slow, t->points);
  dv_array_resize(&e->queue, t->points);
  dv_array_resize(&e->place, t->points);
  for (size_t i = 0; i < 4 * t->count; i++) e->first.data[t->tetra[i] + 1]++;
  for (size_t i = 0; i < t->points; i++) e->first.data[i + 1] += e->first.data[i];
  for (size_t i = 0; i < 4 * t->count; i++) e->around.data[e->first.data[t->tetra[i]]++] = (int32_t)(i / 4);
  for (size_t i = t->points; i > 0; i--) e->first.data[i] = e->first.data[i - 1];
  e->first.data[0] = 0;
  make_spokes(e);
  for (size_t i = 0; i < t->points; i++) {
    e->excited.data[i] = e->recovers.data[i] = -INFINITY;
    e->next.data[i] = INFINITY;
    e->slow.data[i] = 1;
    e->place.data[i] = -1;
  }
  dv_reserve(&e->corrected, t->points + 64);   // so that a warmed step takes no memory
  return true;
}

// squared length of an edge in the metric of a tetrahedron
static double edge2(const dvMuscle *t, size_t i, int32_t from, int32_t to, double c2, double ratio)
{
  dvVec3 d = dv_vec3_sub(dv_vec3_load(t->rest + 3 * (size_t)to), dv_vec3_load(t->rest + 3 * (size_t)from));
  double length2 = dv_vec3_norm2(d);
  if (!(c2 > 0)) return 0;
  if (!t->fibre.count) return length2 / c2;
  double along = dv_vec3_dot(d, dv_vec3_load(t->fibre.data + 3 * i));
  return (along * along + (length2 - along * along) / ratio) / c2;
}

static dvFan fan_of(const dvMuscle *t, size_t i, int32_t point, double c2, double ratio)
{
  const int32_t *p = t->tetra + 4 * i;
  dvFan f = {.blunt = 0};
  for (int k = 0, n = 0; k < 4; k++)
    if (p[k] != point && n < 3) f.to[n++] = p[k];
  for (int k = 0; k < 3; k++) {
    f.near[k] = edge2(t, i, point, f.to[k], c2, ratio);
    f.far[k] = edge2(t, i, f.to[(k + 1) % 3], f.to[(k + 2) % 3], c2, ratio);
  }
  for (int k = 0; k < 3; k++) {   // 2 e_p . e_b = |e_p|^2 + |e_b|^2 - |pb|^2, at the corner `to[k]`
    int b = (k + 1) % 3, c = (k + 2) % 3;
    if (f.near[k] + f.far[c] < f.near[b] || f.near[k] + f.far[b] < f.near[c]) f.blunt |= 1u << k;
  }
  return f;
}

// the edges of a fan, if they are faster than in the fans before
static void measure_spokes(dvSpoke *spokes, const dvFan *f)
{
  for (int k = 0; k < 3 && f->near[0] > 0; k++) {
    dvSpoke *s = spokes;
    while (s->to != f->to[k]) s++;
    s->time = dv_min(s->time, sqrt(f->near[k]));
  }
}

void dv_eikonal_fill(dvEikonal *e, const dvMuscle *t, double speed, double ratio)
{
  for (size_t k = 0; k < e->spokes.count; k++) e->spokes.data[k].time = INFINITY;
  for (size_t p = 0; p < e->points; p++)
    for (int32_t k = e->first.data[p]; k < e->first.data[p + 1]; k++) {
      size_t i = (size_t)e->around.data[k];
      e->fans[k] = fan_of(t, i, (int32_t)p, speed * speed * t->conduction.data[i], ratio);
      measure_spokes(e->spokes.data + e->first_spoke.data[p], &e->fans[k]);
    }
}

// --- the queue ---

static bool before(const dvEikonal *e, int32_t a, int32_t b)
{
  double ta = e->next.data[a], tb = e->next.data[b];
  return ta < tb || (ta == tb && a < b);
}

static void sift_up(dvEikonal *e, size_t at)
{
  int32_t *q = e->queue.data, item = q[at];
  while (at > 0 && before(e, item, q[(at - 1) / 4])) {
    q[at] = q[(at - 1) / 4];
    e->place.data[q[at]] = (int32_t)at;
    at = (at - 1) / 4;
  }
  q[at] = item;
  e->place.data[item] = (int32_t)at;
}

static int32_t pop(dvEikonal *e)
{
  int32_t *q = e->queue.data, top = q[0], item = q[--e->queued];
  size_t at = 0, n = e->queued;
  e->place.data[top] = -1;
  while (n > 0) {
    size_t least = 4 * at + 1, end = dv_min_size(least + 4, n);
    if (least >= n) break;
    for (size_t k = least + 1; k < end; k++)
      if (before(e, q[k], q[least])) least = k;
    if (!before(e, q[least], item)) break;
    q[at] = q[least];
    e->place.data[q[at]] = (int32_t)at;
    at = least;
  }
  if (n > 0) q[at] = item, e->place.data[item] = (int32_t)at;
  return top;
}

// its time in `next` is new, and not later than before
static void enqueue(dvEikonal *e, int32_t point)
{
  if (e->place.data[point] < 0) {
    e->queue.data[e->queued] = point;
    sift_up(e, e->queued++);
  } else sift_up(e, (size_t)e->place.data[point]);
}

// --- local solutions, times relative to that of the first corner ---

static const double late = 1e300;

// From two corners, if that is before `limit`.
static double from_two(double qaa, double qbb, double dab, double tb, double limit)
{
  double qab = 0.5 * (qaa + qbb - dab), det = qaa * qbb - qab * qab;
  if (!(det > 1e-12 * qaa * qbb)) return INFINITY;
  double s = dab, b = (qaa - qab) * tb, c = qaa * tb * tb - det, root = b * b - s * c;
  if (root < 0 || s * limit <= b || (s * limit - 2 * b) * limit + c <= 0) return INFINITY;
  double t = (b + sqrt(root)) / s, ta = t, tt = t - tb;
  if (qbb * ta - qab * tt < 0 || qaa * tt - qab * ta < 0 || ta < 0 || tt < 0) return INFINITY;
  return t;
}

typedef struct Corner {
  double q, t;   // squared edge to the point that is asked for; time
} Corner;

// Corners a, b, c with squared edges dab, dac, dbc between them. `late` when it is not before `limit`: then it is not
// by any way through the face, because through the face's whole plane nothing comes earlier.
static double from_three(Corner a, Corner b, Corner c, const double d[3], double limit)
{
  double xy = 0.5 * (a.q + b.q - d[0]), xz = 0.5 * (a.q + c.q - d[1]), yz = 0.5 * (b.q + c.q - d[2]);
  double i00 = b.q * c.q - yz * yz, i01 = xz * yz - xy * c.q, i02 = xy * yz - xz * b.q, i11 = a.q * c.q - xz * xz,
         i12 = xy * xz - a.q * yz, i22 = a.q * b.q - xy * xy;
  double det = a.q * i00 + xy * i01 + xz * i02;
  if (!(det > 1e-14 * a.q * b.q * c.q)) return INFINITY;
  double sa = i00 + i01 + i02, sb = i01 + i11 + i12, sc = i02 + i12 + i22, s = sa + sb + sc;
  double lin = sb * b.t + sc * c.t, quad = i11 * b.t * b.t + 2 * i12 * b.t * c.t + i22 * c.t * c.t - det,
         root = lin * lin - s * quad;
  if (root < 0 || !(s > 0)) return INFINITY;
  if (s * limit <= lin || (s * limit - 2 * lin) * limit + quad <= 0) return late;
  double t = (lin + sqrt(root)) / s, ta = t, tb = t - b.t, tc = t - c.t;
  if (i00 * ta + i01 * tb + i02 * tc < 0 || i01 * ta + i11 * tb + i12 * tc < 0 || i02 * ta + i12 * tb + i22 * tc < 0)
    return INFINITY;
  return t;
}

// From the corner p of a fan and those others whose times are known (one or two), to the corner k; relative to the time
// of p. Nothing that is not before `limit` is of interest, which is not after what comes along the edge from p.
static double arrival(const dvFan *f, int k, const int *known, const double *times, int count, double limit)
{
  double qa = f->near[k], best = limit;
  if (count == 2) {
    int b = known[0], c = known[1];
    double t = from_three((Corner){qa, 0}, (Corner){f->far[c], times[0]}, (Corner){f->far[b], times[1]},
                          (double[3]){f->near[b], f->near[c], f->far[k]}, limit);
    if (t < INFINITY) return t;
  }
  if (!(limit > 0)) return late;   // by edges it comes after p
  for (int i = 0; i < count; i++) {
    double t = from_two(qa, f->far[3 - k - known[i]], f->near[known[i]], times[i], best);
    if (t < best) best = t;
  }
  return best < limit ? best : late;
}

// --- fronts ---

static void offer(dvEikonal *e, int32_t point, double time, double source)
{
  if (e->alive[point] == 0) return;
  double *excited = &e->excited.data[point], *recovers = &e->recovers.data[point], *next = &e->next.data[point];
  if (time < *recovers) {
    if (*excited > source - e->window && time < *excited - 1e-9) {   // the same front, but it comes earlier
      double earlier = *excited - time;
      *excited = time;
      *recovers -= earlier;
      dv_heap_push(&e->corrected, time, point);
      return;
    }
    if (*recovers > source + e->window) return;
    time = *recovers;
  }
  if (time >= *next) return;
  *next = time;
  enqueue(e, point);
}

// A front comes near a point and will be there about then.
static void approach(dvEikonal *e, int32_t point, double then)
{
  if (e->next.data[point] < INFINITY || e->recovers.data[point] == -INFINITY) return;   // it was near already
  double rest = dv_max(then - e->recovers.data[point], 0) + e->gap;
  e->slow.data[point] = e->restitution ? 1 / dv_cell_restitution(&e->cell, rest < 1e6 ? rest : 1e6) : 1;
}

static void spread_in(dvEikonal *e, const dvFan *f, double time)
{
  int known[3], count = 0;
  double times[3], since[3];
  if (!(f->near[0] > 0)) return;
  for (int k = 0; k < 3; k++) {
    since[k] = e->excited.data[f->to[k]];
    if (since[k] <= time && since[k] > time - e->window) known[count] = k, times[count++] = since[k] - time;
  }
  if (count == 0 || (count == 3 && !f->blunt)) return;
  for (int k = 0; k < 3; k++) {
    int use[2], n = 0;
    double when[2], earliest = 0;
    bool there = since[k] > time - e->window && since[k] <= time;
    if (there ? !(f->blunt >> k & 1) : e->recovers.data[f->to[k]] > time + e->window) continue;
    for (int i = 0; i < count; i++)
      if (known[i] != k && n < 2) use[n] = known[i], earliest = dv_min(earliest, when[n++] = times[i]);
    // the front has been there: it could only have come earlier through the three other corners
    if (there && (n < 2 || since[k] - time <= earliest)) continue;
    double limit = (there ? since[k] : e->next.data[f->to[k]]) - time, slow = e->slow.data[f->to[k]];
    for (int i = 0; i < n; i++) when[i] /= slow;
    offer(e, f->to[k], time + slow * arrival(f, k, use, when, n, limit / slow), time);
  }
}

static void spread(dvEikonal *e, int32_t point, double time)
{
  for (int32_t i = e->first_spoke.data[point]; i < e->first_spoke.data[point + 1]; i++) {
    const dvSpoke *s = &e->spokes.data[i];
    double since = e->excited.data[s->to];
    bool there = since > time - e->window && since <= time;   // and not from here
    if (there || e->recovers.data[s->to] > time + e->window) continue;
    approach(e, s->to, time + s->time);
    double arrives = time + e->slow.data[s->to] * s->time;
    if (arrives < e->next.data[s->to]) offer(e, s->to, arrives, time);
  }
  for (int32_t i = e->first.data[point]; i < e->first.data[point + 1]; i++) spread_in(e, &e->fans[i], time);
}

void dv_eikonal_excite(dvEikonal *e, size_t point, double time)
{
  if (time >= e->recovers.data[point]) offer(e, (int32_t)point, time, time);
}

// Most often the point that is now first in the queue comes next: its fans are on their way meanwhile.
static void fetch_next(const dvEikonal *e)
{
  if (!e->queued) return;
  int32_t next = e->queue.data[0];
  for (int32_t k = e->first.data[next]; k < e->first.data[next + 1]; k++) __builtin_prefetch(&e->fans[k]);
}

static void excite_next(dvEikonal *e)
{
  int32_t i = pop(e);
  fetch_next(e);
  double time = e->next.data[i], rest = time - e->recovers.data[i] + e->gap;
  e->next.data[i] = INFINITY;
  e->excited.data[i] = time;
  e->recovers.data[i] = time + dv_cell_duration(&e->cell, rest < 1e6 ? rest : 1e6) + e->gap;
  e->events++;
  spread(e, i, time);
}

void dv_eikonal_advance(dvEikonal *e, double until)
{
  for (;;) {
    double key = e->corrected.count ? e->corrected.data[0].key : INFINITY,
           next = e->queued ? e->next.data[e->queue.data[0]] : INFINITY;
    if (!(dv_min(key, next) <= until)) break;
    if (next < key) {
      excite_next(e);
      continue;
    }
    dvHeapEntry h = dv_heap_pop(&e->corrected);
    if (h.key == e->excited.data[h.item]) spread(e, h.item, h.key);
  }
}

static bool conducts(const dvEikonal *e, double rest)
{
  return dv_cell_duration(&e->cell, rest) >= 2 * e->window &&
         (!e->restitution || dv_cell_restitution(&e->cell, rest) >= 0.1);
}

bool dv_eikonal_set_cell(dvEikonal *e, const dvCell *cell, double window, bool restitution)
{
  double low = 0, high = 100 * cell->p[2];
  e->cell = *cell;
  e->window = window;
  e->restitution = restitution;
  if (!conducts(e, high)) return false;
  for (int i = 0; i < 60; i++) {
    double middle = 0.5 * (low + high);
    if (conducts(e, middle)) high = middle;
    else low = middle;
  }
  e->gap = high;
  return true;
}

void dv_eikonal_restart(dvEikonal *e)
{
  e->corrected.count = e->queued = 0;
  for (size_t i = 0; i < e->points; i++) e->place.data[i] = -1;
  for (size_t i = 0; i < e->points; i++)
    if (e->next.data[i] < INFINITY) enqueue(e, (int32_t)i);
}

void dv_eikonal_free(dvEikonal *e)
{
  dv_free(e->fans);
  dv_array_free(&e->first);
  dv_array_free(&e->around);
  dv_array_free(&e->spokes);
  dv_array_free(&e->first_spoke);
  dv_array_free(&e->excited);
  dv_array_free(&e->recovers);
  dv_array_free(&e->next);
  dv_array_free(&e->slow);
  dv_array_free(&e->queue);
  dv_array_free(&e->place);
  dv_array_free(&e->corrected);
}
