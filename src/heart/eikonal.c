// See eikonal.h.
#include "heart/eikonal.h"

#include <math.h>
#include <string.h>

static const int8_t edge_of[4][4] = {{-1, 0, 1, 2}, {0, -1, 3, 4}, {1, 3, -1, 5}, {2, 4, 5, -1}};

bool dv_eikonal_init(dvEikonal *e, const dvMuscle *t)
{
  e->points = t->points;
  e->count = t->count;
  e->tetra = t->tetra;
  e->alive = t->alive.data;
  dv_array_resize(&e->d2, 6 * t->count);
  dv_array_resize(&e->first, t->points + 1);
  dv_array_resize(&e->around, 4 * t->count);
  dv_array_resize(&e->excited, t->points);
  dv_array_resize(&e->recovers, t->points);
  dv_array_resize(&e->next, t->points);
  if (4 * t->count > INT32_MAX) return false;
  for (size_t i = 0; i < 4 * t->count; i++) e->first.data[t->tetra[i] + 1]++;
  for (size_t i = 0; i < t->points; i++) e->first.data[i + 1] += e->first.data[i];
  for (size_t i = 0; i < 4 * t->count; i++) e->around.data[e->first.data[t->tetra[i]]++] = (int32_t)(i / 4);
  for (size_t i = t->points; i > 0; i--) e->first.data[i] = e->first.data[i - 1];
  e->first.data[0] = 0;
  for (size_t i = 0; i < t->points; i++) {
    e->excited.data[i] = e->recovers.data[i] = -INFINITY;
    e->next.data[i] = INFINITY;
  }
  // room for every point a few times, so that a warmed step takes no memory
  dv_reserve(&e->heap, 8 * t->points + 64);
  return true;
}

void dv_eikonal_fill(dvEikonal *e, const dvMuscle *t, double speed, double ratio)
{
  static const int8_t ends[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
  for (size_t i = 0; i < t->count; i++) {
    double c2 = speed * speed * t->conduction.data[i];
    bool directed = t->fibre.count > 0;
    dvVec3 f = directed ? dv_vec3_load(t->fibre.data + 3 * i) : dv_vec3(0, 0, 0);
    for (int k = 0; k < 6; k++) {
      dvVec3 d = dv_vec3_sub(dv_vec3_load(t->rest + 3 * t->tetra[4 * i + (size_t)ends[k][1]]),
                             dv_vec3_load(t->rest + 3 * t->tetra[4 * i + (size_t)ends[k][0]]));
      double along = dv_vec3_dot(d, f), length2 = dv_vec3_norm2(d),
             slow = directed ? along * along + (length2 - along * along) / ratio : length2;
      e->d2.data[6 * i + (size_t)k] = c2 > 0 ? slow / c2 : 0;
    }
  }
}

// --- local solutions, times relative to that of the first corner ---

static double from_two(double qaa, double qbb, double dab, double tb)
{
  double qab = 0.5 * (qaa + qbb - dab), det = qaa * qbb - qab * qab;
  if (!(det > 1e-12 * qaa * qbb)) return INFINITY;
  double s = dab, b = (qaa - qab) * tb, c = qaa * tb * tb - det, root = b * b - s * c;
  if (root < 0) return INFINITY;
  double t = (b + sqrt(root)) / s, ta = t, tt = t - tb;
  if (qbb * ta - qab * tt < 0 || qaa * tt - qab * ta < 0 || ta < 0 || tt < 0) return INFINITY;
  return t;
}

typedef struct Corner {
  double q, t;   // squared edge to the point that is asked for; time
} Corner;

// corners a, b, c with squared edges dab, dac, dbc between them
static double from_three(Corner a, Corner b, Corner c, const double d[3])
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
  double t = (lin + sqrt(root)) / s, ta = t, tb = t - b.t, tc = t - c.t;
  if (i00 * ta + i01 * tb + i02 * tc < 0 || i01 * ta + i11 * tb + i12 * tc < 0 || i02 * ta + i12 * tb + i22 * tc < 0)
    return INFINITY;
  return t;
}

// through the corner `from` and others that are known, to corner `to`; relative to the time of `from`
static double arrival(const double *d2, int from, int to, const int *known, const double *times, int count)
{
  double qa = d2[edge_of[from][to]], best = sqrt(qa);
  if (count == 2) {
    double qb = d2[edge_of[known[0]][to]], qc = d2[edge_of[known[1]][to]], dab = d2[edge_of[from][known[0]]],
           dac = d2[edge_of[from][known[1]]], dbc = d2[edge_of[known[0]][known[1]]];
    double t = from_three((Corner){qa, 0}, (Corner){qb, times[0]}, (Corner){qc, times[1]}, (double[3]){dab, dac, dbc});
    if (t < INFINITY) return t;
  }
  for (int k = 0; k < count; k++) {
    double t = from_two(qa, d2[edge_of[known[k]][to]], d2[edge_of[from][known[k]]], times[k]);
    if (t < best) best = t;
  }
  return best;
}

// --- fronts ---

static void offer(dvEikonal *e, size_t point, double time, double source)
{
  if (e->alive[point] == 0) return;
  double *excited = &e->excited.data[point], *recovers = &e->recovers.data[point], *next = &e->next.data[point];
  if (time < *recovers) {
    if (*excited > source - e->window && time < *excited - 1e-9) {   // the same front, but it comes earlier
      double earlier = *excited - time;
      *excited = time;
      *recovers -= earlier;
      dv_heap_push(&e->heap, time, (int32_t)point);
      return;
    }
    if (*recovers > source + e->window) return;
    time = *recovers;
  }
  if (time >= *next) return;
  *next = time;
  dv_heap_push(&e->heap, time, (int32_t)point);
}

static void spread_in(dvEikonal *e, size_t tetrahedron, int32_t point, double time)
{
  const int32_t *p = e->tetra + 4 * tetrahedron;
  const double *d2 = e->d2.data + 6 * tetrahedron;
  if (!(d2[0] > 0)) return;
  int from = 0, known[3], unknown[3], count = 0, others = 0;
  double times[3];
  for (int k = 0; k < 4; k++) {
    double t = e->excited.data[p[k]];
    if (p[k] == point) from = k;
    else {
      if (t <= time && t > time - e->window) known[count] = k, times[count++] = t - time;
      unknown[others++] = k;
    }
  }
  for (int i = 0; i < others; i++) {
    int to = unknown[i], use[2], n = 0;
    double when[2], since = e->excited.data[p[to]], earliest = 0;
    bool there = since > time - e->window && since <= time;
    if (!there && e->recovers.data[p[to]] > time + e->window) continue;   // refractory, and no front waits that long
    for (int k = 0; k < count; k++)
      if (known[k] != to && n < 2) use[n] = known[k], earliest = dv_min(earliest, when[n++] = times[k]);
    // the front has been there: it could only have come earlier through the three other corners
    if (there && (n < 2 || since - time <= earliest)) continue;
    offer(e, (size_t)p[to], time + arrival(d2, from, to, use, when, n), time);
  }
}

static void spread(dvEikonal *e, int32_t point, double time)
{
  for (int32_t i = e->first.data[point]; i < e->first.data[point + 1]; i++)
    spread_in(e, (size_t)e->around.data[i], point, time);
}

void dv_eikonal_excite(dvEikonal *e, size_t point, double time)
{
  if (time >= e->recovers.data[point]) offer(e, point, time, time);
}

void dv_eikonal_advance(dvEikonal *e, double until)
{
  while (e->heap.count && e->heap.data[0].key <= until) {
    dvHeapEntry h = dv_heap_pop(&e->heap);
    size_t i = (size_t)h.item;
    if (h.key == e->excited.data[i]) {   // corrected
      spread(e, h.item, h.key);
      continue;
    }
    if (h.key != e->next.data[i]) continue;   // an earlier front was found, or it has been there
    double rest = h.key - e->recovers.data[i] + e->gap;
    e->next.data[i] = INFINITY;
    e->excited.data[i] = h.key;
    e->recovers.data[i] = h.key + dv_cell_duration(&e->cell, rest < 1e6 ? rest : 1e6) + e->gap;
    e->events++;
    spread(e, h.item, h.key);
  }
}

bool dv_eikonal_set_cell(dvEikonal *e, const dvCell *cell, double window)
{
  double low = 0, high = 100 * cell->p[2];
  e->cell = *cell;
  e->window = window;
  if (!(dv_cell_duration(cell, high) > 2 * window)) return false;
  for (int i = 0; i < 60; i++) {
    double middle = 0.5 * (low + high);
    if (dv_cell_duration(cell, middle) < 2 * window) low = middle;
    else high = middle;
  }
  e->gap = high;
  return true;
}

void dv_eikonal_restart(dvEikonal *e)
{
  e->heap.count = 0;
  for (size_t i = 0; i < e->points; i++)
    if (e->next.data[i] < INFINITY) dv_heap_push(&e->heap, e->next.data[i], (int32_t)i);
}

void dv_eikonal_free(dvEikonal *e)
{
  dv_array_free(&e->d2);
  dv_array_free(&e->first);
  dv_array_free(&e->around);
  dv_array_free(&e->excited);
  dv_array_free(&e->recovers);
  dv_array_free(&e->next);
  dv_array_free(&e->heap);
}
