// Flow in elastic vessels. See vessels.h.
#include "fluid/vessel/vessels.h"

#include <math.h>

void dv_blood_free(dvBloodFlow *v)
{
  dv_array_free(&v->points), dv_array_free(&v->edges), dv_array_free(&v->ends);
  dv_array_free(&v->volume), dv_array_free(&v->dye), dv_array_free(&v->flow), dv_array_free(&v->flow_next),
      dv_array_free(&v->behind);
  dv_array_free(&v->pressure), dv_array_free(&v->gain), dv_array_free(&v->dye_gain);
}

// the other edge at a point where two meet
static int goes_on(const dvBloodFlow *v, const int32_t *pair, int point, int edge)
{
  if (v->points.data[point].edges != 2) return -1;
  return pair[2 * point] == edge ? pair[2 * point + 1] : pair[2 * point];
}

#define ROOM(array, n) (v->array.count = 0, dv_try_reserve(&v->array, (n)) && (v->array.count = (n), true))

bool dv_blood_open(dvBloodFlow *v)
{
  size_t n = v->points.count, m = v->edges.count;
  int32_t *pair = dv_try_alloc((2 * n + 1) * sizeof *pair);
  bool good = pair && ROOM(volume, n) && ROOM(dye, n) && ROOM(flow, m) && ROOM(flow_next, m) &&
              ROOM(behind, v->ends.count) && ROOM(pressure, n) && ROOM(gain, n) && ROOM(dye_gain, n);
  for (size_t i = 0; i < n && good; i++) {
    v->points.data[i].edges = 0, v->points.data[i].length = 0;
    v->dye.data[i] = 0;
  }
  for (size_t e = 0; e < m && good; e++) {
    dvVesselEdge *g = &v->edges.data[e];
    v->flow.data[e] = 0;
    for (int side = 0; side < 2; side++) {
      int at = side ? g->b : g->a;
      dvVesselPoint *p = &v->points.data[at];
      p->length += 0.5 * g->length;
      if (p->edges < 2) pair[2 * at + p->edges] = (int32_t)e;
      p->edges++;
    }
  }
  for (size_t e = 0; e < m && good; e++) {
    dvVesselEdge *g = &v->edges.data[e];
    g->before = goes_on(v, pair, g->a, (int)e), g->behind = goes_on(v, pair, g->b, (int)e);
  }
  for (size_t i = 0; i < n && good; i++) v->volume.data[i] = v->points.data[i].area * v->points.data[i].length;
  for (size_t i = 0; i < v->ends.count && good; i++) {
    v->points.data[v->ends.data[i].point].end = (int)i;
    v->behind.data[i] = v->rest;
  }
  dv_free(pair);
  return good;
}

static inline double area_of(const dvBloodFlow *v, size_t i) { return v->volume.data[i] / v->points.data[i].length; }

double dv_blood_pressure(const dvBloodFlow *v, size_t i)
{
  const dvVesselPoint *p = &v->points.data[i];
  return v->rest + p->beta * (sqrt(area_of(v, i)) - sqrt(p->area));
}

double dv_blood_speed(const dvBloodFlow *v, size_t i)
{
  return sqrt(v->points.data[i].beta * sqrt(area_of(v, i)) / (2 * v->density));
}

double dv_blood_limit(const dvBloodFlow *v)
{
  double least = INFINITY;
  for (size_t e = 0; e < v->edges.count; e++) {
    const dvVesselEdge *g = &v->edges.data[e];
    double a = fmin(area_of(v, (size_t)g->a), area_of(v, (size_t)g->b));
    double c = fmax(dv_blood_speed(v, (size_t)g->a), dv_blood_speed(v, (size_t)g->b));
    least = fmin(least, g->length / (c + fabs(v->flow.data[e]) / a));
  }
  return 0.8 * least;
}

// --- flows ----------------------------------------------------------------------------------------

// Q^2/A at an end of an edge, with the flow of the side that blood comes from
static double momentum(const dvBloodFlow *v, size_t e, bool at_b)
{
  const dvVesselEdge *g = &v->edges.data[e];
  int other = at_b ? g->behind : g->before, point = at_b ? g->b : g->a;
  double q = v->flow.data[e];
  if (other >= 0) {
    const dvVesselEdge *o = &v->edges.data[other];
    bool turned = at_b ? o->b == point : o->a == point;   // it points the other way
    double beyond = turned ? -v->flow.data[other] : v->flow.data[other];
    if ((q + beyond > 0) != at_b) q = beyond;
  }
  return q * q / area_of(v, (size_t)point);
}

static void advance_flows(dvBloodFlow *v, double dt, double *next)
{
  double alpha = (v->profile + 2) / (v->profile + 1), drag = 2 * (v->profile + 2) * M_PI * v->viscosity / v->density;
  for (size_t e = 0; e < v->edges.count; e++) {
    const dvVesselEdge *g = &v->edges.data[e];
    double area = 0.5 * (area_of(v, (size_t)g->a) + area_of(v, (size_t)g->b));
    double push = -area / v->density * (v->pressure.data[g->b] - v->pressure.data[g->a]) / g->length;
    double carried = alpha * (momentum(v, e, true) - momentum(v, e, false)) / g->length;
    next[e] = (v->flow.data[e] + dt * (push - carried)) / (1 + dt * drag / area);
  }
}

// --- what blood carries ---------------------------------------------------------------------------

static double share_of(const dvBloodFlow *v, int point) { return v->dye.data[point] / v->volume.data[point]; }

static void carry_dye(dvBloodFlow *v, double dt)
{
  for (size_t e = 0; e < v->edges.count; e++) {
    const dvVesselEdge *g = &v->edges.data[e];
    double q = v->flow.data[e];
    int from = q >= 0 ? g->a : g->b, to = q >= 0 ? g->b : g->a, earlier = q >= 0 ? g->before : g->behind;
    double up = share_of(v, from), face = up, ahead = share_of(v, to) - up;
    if (earlier >= 0 && ahead != 0) {
      const dvVesselEdge *o = &v->edges.data[earlier];
      double ratio = (up - share_of(v, o->a == from ? o->b : o->a)) / ahead;
      double limited = ratio > 0 ? 2 * ratio / (1 + ratio) : 0;
      face += 0.5 * limited * fmax(0, 1 - fabs(q) * dt / v->volume.data[from]) * ahead;
    }
    v->dye_gain.data[from] -= fabs(q) * face, v->dye_gain.data[to] += fabs(q) * face;
  }
}

// --- ends -----------------------------------------------------------------------------------------

// slope of the pressure over the volume
static double stiffness(const dvBloodFlow *v, size_t i)
{
  const dvVesselPoint *p = &v->points.data[i];
  return p->beta / (2 * sqrt(area_of(v, i)) * p->length);
}

// implicit in the pressure before it
static double drain(dvBloodFlow *v, size_t end, double dt)
{
  const dvVesselEnd *w = &v->ends.data[end];
  size_t i = (size_t)w->point;
  double k = stiffness(v, i) * dt, p = v->pressure.data[i] + k * v->gain.data[i], *behind = &v->behind.data[end], q;
  if (w->compliance > 0) {
    q = (p - *behind) / (w->first + k);
    *behind = (*behind + dt / w->compliance * (q + w->beyond / w->rest)) / (1 + dt / (w->compliance * w->rest));
  } else {
    q = (p - w->beyond) / (w->first + w->rest + k);
    *behind = w->beyond + q * w->rest;
  }
  return q;
}

static void feed(dvBloodFlow *v, double dt, dvVesselInlet *in)
{
  size_t i = (size_t)in->point;
  const dvVesselPoint *p = &v->points.data[i];
  double q = in->value;
  if (in->by_pressure) {
    double root = sqrt(p->area) + (in->value - v->rest) / p->beta;
    q = (fmax(root, 0.1 * sqrt(p->area)) * fmax(root, 0.1 * sqrt(p->area)) * p->length - v->volume.data[i]) / dt -
        v->gain.data[i];
  }
  v->gain.data[i] += q;
  v->dye_gain.data[i] += q > 0 ? q * in->dye : q * share_of(v, in->point);
  in->in += q * dt;
}

bool dv_blood_step(dvBloodFlow *v, double dt, dvVesselInlet *in, dvVesselHole *holes, size_t hole_count, int *where)
{
  size_t n = v->points.count;
  for (size_t i = 0; i < n; i++) v->pressure.data[i] = dv_blood_pressure(v, i);
  advance_flows(v, dt, v->flow_next.data);
  memcpy(v->flow.data, v->flow_next.data, v->edges.count * sizeof(double));
  for (size_t i = 0; i < n; i++) v->gain.data[i] = v->dye_gain.data[i] = 0;
  for (size_t e = 0; e < v->edges.count; e++) {
    v->gain.data[v->edges.data[e].a] -= v->flow.data[e];
    v->gain.data[v->edges.data[e].b] += v->flow.data[e];
  }
  carry_dye(v, dt);
  for (size_t h = 0; h < hole_count; h++) {
    dvVesselHole *o = &holes[h];
    double over = v->pressure.data[o->point] - o->outside;
    double q = over > 0 ? o->discharge * o->area * sqrt(2 * over / v->density) : 0;
    v->gain.data[o->point] -= q;
    v->dye_gain.data[o->point] -= q * share_of(v, o->point);
    o->lost += q * dt;
  }
  for (size_t e = 0; e < v->ends.count; e++) {
    int at = v->ends.data[e].point;
    double q = drain(v, e, dt);
    v->gain.data[at] -= q;
    v->dye_gain.data[at] -= q > 0 ? q * share_of(v, at) : 0;
    in->out += q * dt;
  }
  feed(v, dt, in);
  for (size_t i = 0; i < n; i++) {
    v->volume.data[i] += dt * v->gain.data[i];
    v->dye.data[i] = fmax(0, v->dye.data[i] + dt * v->dye_gain.data[i]);
    *where = (int)i;
    if (!(v->volume.data[i] > 1e-4 * v->points.data[i].area * v->points.data[i].length)) return false;
  }
  return true;
}
