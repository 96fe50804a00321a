// Viscosity by an implicit solve, attraction between particles, and what walls feel. See flow.h.
//
// Viscosity is Laplace's operator on the velocities (Brookshaw 1985), of which a cubic lattice of half the radius
// has 1.02:
//
//   f_ij = -2 mu V_i V_j |dW/dr|/r (v_i - v_j),   V = m/rho
//
// It keeps momentum, not its moment: what turns freely is slowed at its surface. Forms that act along the line between
// two keep both, but depend on how particles lie: a lattice has 0.71 of the viscosity then.
//
// A piece of wall pulls as the half space behind it would if it sheared on: f_ib = -2 mu V_i s_b P A(z)/z (v_i - v_b).
//
// (m + dt L) v = m v* is solved by conjugate gradients without scaling: then every vector that is added to the
// velocities is a sum of such pairs, and momentum is kept however far the solve goes. Attraction has the law
// f(q) = q^3 (1 - q)^3 of q = r/h; by Fowler (1937) particles of number density n that attract each other with f(r)
// have the surface tension pi/8 n^2 times the integral of r^4 f(r). A wall attracts as the half space behind it.
#include "fluid/flow.h"

#include <math.h>

typedef struct Drag {
  dvFlow *f;
  double dt, step, back;
  double *v, *r, *p, *ap;   // three numbers a rank
  const double *in;
} Drag;

// |g| = m |dW/dr|
static inline double drag_particle(const dvFlow *f, size_t i, size_t j, const double g[3], double r)
{
  double length = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
  return length > 0 ? 2 * f->viscosity.data[i] * f->mass * length / (f->rho.data[i] * f->rho.data[j] * r) : 0;
}

static inline double drag_wall(const dvFlow *f, size_t i, size_t wall, double z, double share)
{
  double q = fmax(fabs(z) / f->radius, 0.02);
  return 2 * f->viscosity.data[wall] * f->mass / f->rho.data[i] * share * dv_flow_plane(f, q) / (q * f->radius);
}

static void factor_body(void *user, size_t begin, size_t end)
{
  dvFlow *f = ((Drag *)user)->f;
  for (size_t i = begin * DV_NEAR_CHUNK; i < dv_min_size(end * DV_NEAR_CHUNK, f->near.count); i++) {
    if (f->who.data[i] < 0) continue;
    dvFlowNear near = dv_flow_of(f, i);
    dvFlowChunk *c = &f->chunks.data[i / DV_NEAR_CHUNK];
    bool moves = dv_flow_moves(f, i);
    for (size_t n = 0; n < (moves ? near.all : near.moving); n++) {
      size_t j = (size_t)near.list[n], at = near.first + n;
      if (!moves) c->drag.data[at] = drag_wall(f, j, i, c->r.data[at], c->share.data[at]);
      else if (n >= near.moving) c->drag.data[at] = drag_wall(f, i, j, c->r.data[at], c->share.data[at]);
      else c->drag.data[at] = drag_particle(f, i, j, near.g + 3 * n, c->r.data[at]);
    }
  }
}

// the force of viscosity on a particle, at the velocities v
static inline void drag_on(const dvFlow *f, const double *v, size_t i, double out[3])
{
  dvFlowNear near = dv_flow_of(f, i);
  const double *a = v + 3 * i, *drag = f->chunks.data[i / DV_NEAR_CHUNK].drag.data;
  out[0] = out[1] = out[2] = 0;
  for (size_t n = 0; n < near.all; n++)
    for (size_t k = 0; k < 3; k++) out[k] -= drag[near.first + n] * (a[k] - v[3 * (size_t)near.list[n] + k]);
}

// r = dt times the force at v, p = r
static void begin_body(void *user, size_t begin, size_t end)
{
  const Drag *s = user;
  for (size_t c = begin; c < end; c++) {
    double *out = s->f->parts.data + DV_FLOW_PARTS * c, force[3];
    out[0] = out[1] = out[2] = out[3] = 0;
    DV_EACH_PARTICLE(s->f, i, c)
    {
      drag_on(s->f, s->v, i, force);
      for (size_t a = 0; a < 3; a++) {
        double r = s->dt * force[a], start = s->f->mass * s->v[3 * i + a];
        s->r[3 * i + a] = s->p[3 * i + a] = r;
        out[0] += r * r;
        out[1] += start * start;
      }
    }
  }
}

// ap = (m + dt L) p: walls do not move with p
static void product_body(void *user, size_t begin, size_t end)
{
  const Drag *s = user;
  for (size_t c = begin; c < end; c++) {
    double *out = s->f->parts.data + DV_FLOW_PARTS * c, force[3];
    out[0] = out[1] = out[2] = out[3] = 0;
    DV_EACH_PARTICLE(s->f, i, c)
    {
      drag_on(s->f, s->p, i, force);
      for (size_t a = 0; a < 3; a++) {
        double p = s->p[3 * i + a];
        s->ap[3 * i + a] = s->f->mass * p - s->dt * force[a];
        out[0] += p * s->ap[3 * i + a];
      }
    }
  }
}

static void move_body(void *user, size_t begin, size_t end)
{
  const Drag *s = user;
  for (size_t c = begin; c < end; c++) {
    double *out = s->f->parts.data + DV_FLOW_PARTS * c;
    out[0] = out[1] = out[2] = out[3] = 0;
    DV_EACH_PARTICLE(s->f, i, c)
    for (size_t a = 3 * i; a < 3 * i + 3; a++) {
      s->v[a] += s->step * s->p[a];
      s->r[a] -= s->step * s->ap[a];
      out[0] += s->r[a] * s->r[a];
    }
  }
}

static void turn_body(void *user, size_t begin, size_t end)
{
  const Drag *s = user;
  for (size_t c = begin; c < end; c++) DV_EACH_PARTICLE(s->f, i, c)
  for (size_t a = 3 * i; a < 3 * i + 3; a++) s->p[a] = s->r[a] + s->back * s->p[a];
}

// Where walls hold the fluid what is left of the residual has a mean: it goes to all particles alike, so that fluid and
// walls exchange no more than the forces between them.
static void spread_rest(Drag *s)
{
  double mean[3] = {0};
  for (size_t i = 0; i < s->f->near.count; i++)
    for (size_t a = 0; a < 3 && dv_flow_moves(s->f, i); a++) mean[a] += s->r[3 * i + a];
  for (size_t i = 0; i < s->f->near.count; i++)
    for (size_t a = 0; a < 3 && dv_flow_moves(s->f, i); a++)
      s->v[3 * i + a] += mean[a] / (s->f->mass * (double)s->f->particles);
}

dvFlowReport dv_flow_drag(dvFlow *f, double dt, double tolerance, int most)
{
  size_t count = 3 * f->near.count;
  double *room = f->work.data, sums[DV_FLOW_PARTS];
  Drag s = {.f = f, .dt = dt, .v = f->v.data, .r = room, .p = room + count, .ap = room + 2 * count};
  dvFlowReport report = {0};
  for (size_t i = 0; i < 3 * count; i++) room[i] = 0;
  dv_flow_run(f, 300, factor_body, &s);
  dv_flow_run(f, 200, begin_body, &s);
  dv_flow_sum(f, sums);
  double square = sums[0], size = fmax(sums[0], sums[1]);
  for (;; report.iterations++) {
    report.error = size > 0 ? sqrt(square / size) : 0;
    report.reached = report.error <= tolerance;
    if (report.reached || report.iterations >= most || !isfinite(report.error)) break;
    dv_flow_run(f, 200, product_body, &s);
    dv_flow_sum(f, sums);
    if (!(sums[0] > 0)) break;
    s.step = square / sums[0];
    dv_flow_run(f, 10, move_body, &s);
    dv_flow_sum(f, sums);
    s.back = sums[0] / square;
    square = sums[0];
    dv_flow_run(f, 10, turn_body, &s);
  }
  if (f->samples && report.iterations > 0) spread_rest(&s);
  return report;
}

// --- attraction -----------------------------------------------------------------------------------

double dv_flow_pull(const dvFlow *f, double tension)
{
  return 8 * 1320 * tension / (M_PI * f->density * f->density * pow(f->radius, 5));   // 1/1320: integral of q^7 (1-q)^3
}

// of a half space at the distance q h, over h^3: the integral of the attraction
static double half_space(double q)
{
  double q2 = q * q, q6 = q2 * q2 * q2, all = 1.0 / 280 - 1.0 / 24 + 3.0 / 35 - 1.0 / 16 + 1.0 / 63;
  return q < 1 ? 2 * M_PI * (all - q2 / 280 + q6 * (1.0 / 24 - q * (3.0 / 35 - q * (1.0 / 16 - q / 63)))) : 0;
}

// Acceleration of a particle by a piece of wall: along its normal, towards it.
static inline void attract_wall(const dvFlow *f, size_t wall, double z, double share, double out[3])
{
  const double *n = f->normal.data + 3 * wall, h = f->radius, side = z > 0 ? -1 : 1;
  double along = f->pull.data[wall] * f->density * share * h * h * h * half_space(fabs(z) / h) * side;
  for (int k = 0; k < 3; k++) out[k] += along * n[k];
}

// Acceleration of a particle by attraction, or force on a sample over the mass of a particle.
static inline void attract_on(const dvFlow *f, size_t i, double out[3])
{
  dvFlowNear near = dv_flow_of(f, i);
  const dvFlowChunk *c = &f->chunks.data[i / DV_NEAR_CHUNK];
  const double *g = near.g, *r = c->r.data + near.first, *share = c->share.data + near.first;
  bool moves = dv_flow_moves(f, i);
  out[0] = out[1] = out[2] = 0;
  for (size_t n = 0; n < (moves ? near.all : near.moving); n++, g += 3) {
    if (!moves) attract_wall(f, i, -r[n], share[n], out);   // the wall, towards the particle
    else if (n >= near.moving) attract_wall(f, (size_t)near.list[n], r[n], share[n], out);
    else {
      double q = r[n] / f->radius, hill = q * (1 - q), length = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
      if (!(length > 0)) continue;
      double along = f->pull.data[i] * f->mass * hill * hill * hill / length;
      for (int k = 0; k < 3; k++) out[k] += along * g[k];   // g points from i to its neighbour
    }
  }
}

static void attract_body(void *user, size_t begin, size_t end)
{
  const Drag *s = user;
  for (size_t c = begin; c < end; c++) DV_EACH_PARTICLE(s->f, i, c)
    {
      double a[3];
      attract_on(s->f, i, a);
      for (size_t k = 0; k < 3; k++) s->f->v.data[3 * i + k] += s->dt * a[k];
    }
}

void dv_flow_attract(dvFlow *f, double dt)
{
  Drag s = {.f = f, .dt = dt};
  dv_flow_run(f, 300, attract_body, &s);
}

// --- walls ----------------------------------------------------------------------------------------

typedef struct Feel {
  const dvFlow *f;
  double *out;
  dvFlowWhat what;
} Feel;

static void feel_body(void *user, size_t begin, size_t end)
{
  const Feel *s = user;
  const dvFlow *f = s->f;
  for (size_t i = begin * DV_NEAR_CHUNK; i < dv_min_size(end * DV_NEAR_CHUNK, f->near.count); i++) {
    if (!dv_flow_stands(f, i)) continue;
    double *out = s->out + 3 * ((size_t)f->who.data[i] - f->particles), force[3] = {0};
    dvFlowNear near = dv_flow_of(f, i);
    const double *drag = f->chunks.data[i / DV_NEAR_CHUNK].drag.data + near.first;
    if (s->what == DV_FLOW_PULL) attract_on(f, i, force);
    for (size_t n = 0; n < near.moving; n++) {
      size_t j = (size_t)near.list[n];
      for (size_t k = 0; k < 3; k++) {
        if (s->what == DV_FLOW_PRESSURE) force[k] -= f->k.data[j] * near.g[3 * n + k];
        else if (s->what == DV_FLOW_DRAG) force[k] += drag[n] * (f->v.data[3 * j + k] - f->v.data[3 * i + k]);
      }
    }
    for (int k = 0; k < 3; k++) out[k] += s->what == DV_FLOW_DRAG ? force[k] : f->mass * force[k];
  }
}

void dv_flow_feel(dvFlow *f, double *out, dvFlowWhat what)
{
  Feel s = {f, out, what};
  dv_flow_run(f, 300, feel_body, &s);
}

// A particle before the piece of wall that a sample stands for: the way it may not go.
static void stop_at(dvFlow *f, size_t i, size_t b, double height, double dt, double *out)
{
  const double *n = f->normal.data + 3 * b;
  double side = height < 0 ? -1 : 1, z = fabs(height), speed = 0;
  double least = 0.1 * cbrt(f->mass / f->density), *v = f->v.data + 3 * i, *w = f->v.data + 3 * b;
  for (int k = 0; k < 3; k++) speed += side * n[k] * (v[k] - w[k]);
  double more = fmin(0, (least - z) / dt) - speed;
  if (!(more > 0)) return;
  for (int k = 0; k < 3; k++) {
    v[k] += more * side * n[k];
    out[k] -= f->mass * more * side * n[k] / dt;
  }
}

void dv_flow_stop(dvFlow *f, double dt, double *out)
{
  for (size_t i = 0; i < f->near.count; i++) {
    if (!dv_flow_moves(f, i)) continue;
    dvFlowNear near = dv_flow_of(f, i);
    const dvFlowChunk *c = &f->chunks.data[i / DV_NEAR_CHUNK];
    for (size_t n = near.moving; n < near.all; n++) {
      size_t b = (size_t)near.list[n], at = near.first + n;
      if (c->front.data[at]) stop_at(f, i, b, c->r.data[at], dt, out + 3 * ((size_t)f->who.data[b] - f->particles));
    }
  }
}
