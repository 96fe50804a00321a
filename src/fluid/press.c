// Pressure that keeps the density, and what it does. See flow.h.
//
// After a step with the velocities v + dt a the density is, to first order, rho + dt D v - dt^2 D D^T k. Pressure holds
// it at rho_0 or below (of an excess that is there already a step takes away a part, where it is large) and only
// pushes: a linear complementarity problem with the symmetric matrix A = dt^2 D D^T,
//
//   b = rho + dt D v - rho_0,   A k - b >= 0,   k >= 0,   k . (A k - b) = 0
//
// It is the smallest value of k.Ak/2 - k.b over k >= 0, found by conjugate gradients on the particles under pressure
// with projected steps where others come under it (Dostal's proportioning), scaled by the diagonal of A.
#include "fluid/flow.h"

#include <math.h>

typedef struct Press {
  dvFlow *f;
  double dt2, dt;
  bool pulls;
  double *k, *grad, *p, *ap, *inverse, *u;   // u: three numbers a rank
  const double *in;                          // of a product
  double *out;
  double step, back;   // of a move
  bool fix;            // a move ends in a projected step
} Press;

// u = D^T in
static void gather_body(void *user, size_t begin, size_t end)
{
  const Press *s = user;
  const dvFlow *f = s->f;
  for (size_t c = begin; c < end; c++) DV_EACH_PARTICLE(f, i, c)
    {
      dvFlowNear near = dv_flow_of(f, i);
      const double *g = near.g;
      double x = 0, y = 0, z = 0, own = s->in[i];
      for (size_t n = 0; n < near.all; n++, g += 3) {
        double push = own + s->in[near.list[n]];
        x += push * g[0], y += push * g[1], z += push * g[2];
      }
      double *u = s->u + 3 * i;
      u[0] = x, u[1] = y, u[2] = z;
    }
}

static inline double rate(const dvFlow *f, const double *v, size_t i)
{
  dvFlowNear near = dv_flow_of(f, i);
  const double *g = near.g, *a = v + 3 * i;
  double sum = 0;
  for (size_t n = 0; n < near.all; n++, g += 3) {
    const double *b = v + 3 * (size_t)near.list[n];
    sum += (a[0] - b[0]) * g[0] + (a[1] - b[1]) * g[1] + (a[2] - b[2]) * g[2];
  }
  return sum;
}

// out = dt^2 D u
static void spread_body(void *user, size_t begin, size_t end)
{
  const Press *s = user;
  for (size_t c = begin; c < end; c++) DV_EACH_PARTICLE(s->f, i, c) s->out[i] = s->dt2 * rate(s->f, s->u, i);
}

static void product(Press *s, const double *in, double *out)
{
  s->in = in;
  s->out = out;
  dv_flow_run(s->f, 200, gather_body, s);
  dv_flow_run(s->f, 200, spread_body, s);
}

// How much of the density a step repairs at most: particles that are put too close would fly apart otherwise.
static const double most_repaired = 0.002;

// the diagonal, and -b in place of the gradient
static void begin_body(void *user, size_t begin, size_t end)
{
  const Press *s = user;
  dvFlow *f = s->f;
  for (size_t c = begin; c < end; c++) DV_EACH_PARTICLE(f, i, c)
    {
      dvFlowNear near = dv_flow_of(f, i);
      const double *g = near.g;
      double sum[3] = {0}, squares = 0;
      for (size_t n = 0; n < near.all; n++, g += 3) {
        for (int a = 0; a < 3; a++) sum[a] += g[a];
        if (n < near.moving) squares += g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
      }
      double diagonal = s->dt2 * (squares + sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
      double least = s->dt2 * 1e-12 * f->density * f->density / (f->radius * f->radius);
      s->inverse[i] = diagonal > least ? 1 / diagonal : 0;
      double excess = fmin(f->rho.data[i] - f->density, most_repaired * f->density);
      if (s->pulls) excess = fmax(excess, -most_repaired * f->density);
      s->grad[i] = -excess - s->dt * rate(f, f->v.data, i);
      if (!(s->inverse[i] > 0) || !isfinite(s->k[i])) s->k[i] = 0;   // who is alone
    }
}

static inline bool is_free(const Press *s, size_t i) { return s->pulls || s->k[i] > 0; }
static inline double chopped(const Press *s, size_t i) { return is_free(s, i) ? 0 : fmin(s->grad[i], 0); }
static inline double free_part(const Press *s, size_t i) { return is_free(s, i) && s->inverse[i] > 0 ? s->grad[i] : 0; }

// what is wrong: squares of the free and the chopped part, and the largest error of the density
static void judge_body(void *user, size_t begin, size_t end)
{
  const Press *s = user;
  for (size_t c = begin; c < end; c++) {
    double *out = s->f->parts.data + DV_FLOW_PARTS * c, worst = 0;
    out[0] = out[1] = out[2] = 0;
    DV_EACH_PARTICLE(s->f, i, c)
    {
      double phi = free_part(s, i), beta = chopped(s, i);
      out[0] += s->inverse[i] * phi * phi;
      out[1] += s->inverse[i] * beta * beta;
      worst = fmax(worst, fmax(fabs(phi), s->inverse[i] > 0 ? -beta : 0));
    }
    out[3] = worst;
  }
}

// p = the free part, scaled
static void restart_body(void *user, size_t begin, size_t end)
{
  const Press *s = user;
  for (size_t c = begin; c < end; c++) DV_EACH_PARTICLE(s->f, i, c) s->p[i] = s->inverse[i] * free_part(s, i);
}

// p = the chopped part, scaled: those come under pressure that would be compressed
static void release_body(void *user, size_t begin, size_t end)
{
  const Press *s = user;
  for (size_t c = begin; c < end; c++) DV_EACH_PARTICLE(s->f, i, c) s->p[i] = s->inverse[i] * chopped(s, i);
}

// p . A p, p . grad, p . p over the inverse, and the longest step that keeps k >= 0
static void along_body(void *user, size_t begin, size_t end)
{
  const Press *s = user;
  for (size_t c = begin; c < end; c++) {
    double *out = s->f->parts.data + DV_FLOW_PARTS * c, shortest = INFINITY;
    out[0] = out[1] = out[2] = 0;
    DV_EACH_PARTICLE(s->f, i, c)
    {
      double p = s->p[i];
      if (p == 0) continue;
      out[0] += p * s->ap[i];
      out[1] += p * s->grad[i];
      out[2] += p * p / s->inverse[i];
      if (p > 0 && !s->pulls) shortest = fmin(shortest, s->k[i] / p);
    }
    out[3] = -shortest;
  }
}

// k -= step p, and its gradient; with `fix` a projected step along the free part follows
static void move_body(void *user, size_t begin, size_t end)
{
  const Press *s = user;
  for (size_t c = begin; c < end; c++) {
    double *out = s->f->parts.data + DV_FLOW_PARTS * c, sum = 0;
    DV_EACH_PARTICLE(s->f, i, c)
    {
      bool was = is_free(s, i);
      s->grad[i] -= s->step * s->ap[i];
      double phi = was && s->inverse[i] > 0 ? s->grad[i] : 0, to = s->k[i] - s->step * s->p[i];
      if (s->fix) to -= s->back * s->inverse[i] * phi;
      s->k[i] = s->pulls ? to : fmax(to, 0);
      sum += s->inverse[i] * free_part(s, i) * s->ap[i];
    }
    out[0] = sum, out[1] = out[2] = out[3] = 0;
  }
}

// p = the free part, scaled, minus `back` p
static void turn_body(void *user, size_t begin, size_t end)
{
  const Press *s = user;
  for (size_t c = begin; c < end; c++)
    DV_EACH_PARTICLE(s->f, i, c) s->p[i] = s->inverse[i] * free_part(s, i) - s->back * s->p[i];
}

// grad = A k - b, where b is kept in the densities and velocities
static void renew(Press *s)
{
  product(s, s->k, s->ap);
  dv_flow_run(s->f, 200, begin_body, s);
  for (size_t i = 0; i < s->f->near.count; i++)
    if (dv_flow_moves(s->f, i)) s->grad[i] += s->ap[i];
}

// A fluid that fills its space can neither grow nor shrink as a whole, and its pressure is known up to a constant: the
// mean of what is asked for goes, and the smallest pressure is 0, so that particles push each other everywhere.
static void take_mean(Press *s)
{
  double sum = 0;
  for (size_t i = 0; i < s->f->near.count; i++)
    if (dv_flow_moves(s->f, i)) sum += s->grad[i];
  sum /= (double)s->f->particles;
  for (size_t i = 0; i < s->f->near.count; i++)
    if (dv_flow_moves(s->f, i)) s->grad[i] -= sum;
}

static void lift(Press *s)
{
  double least = INFINITY;
  for (size_t i = 0; i < s->f->near.count; i++)
    if (dv_flow_moves(s->f, i)) least = fmin(least, s->k[i]);
  for (size_t i = 0; i < s->f->near.count; i++)
    if (dv_flow_moves(s->f, i)) s->k[i] -= least;
}

// The norm of the scaled matrix by some steps of the power method.
static double measure_norm(Press *s)
{
  double norm = 1, sums[DV_FLOW_PARTS];
  for (size_t i = 0; i < s->f->near.count; i++)
    s->p[i] =
        dv_flow_moves(s->f, i) && s->inverse[i] > 0 ? ((size_t)s->f->who.data[i] % 7 + 1.0) * (i & 1 ? -1 : 1) : 0;
  for (int n = 0; n < 8; n++) {
    product(s, s->p, s->ap);
    dv_flow_run(s->f, 10, along_body, s);
    dv_flow_sum(s->f, sums);
    if (!(sums[2] > 0) || !isfinite(sums[0])) return norm;
    norm = fmax(norm, sums[0] / sums[2]);
    double size = sqrt(sums[2]);
    for (size_t i = 0; i < s->f->near.count; i++)
      if (dv_flow_moves(s->f, i)) s->p[i] = s->inverse[i] * s->ap[i] / size;
  }
  return 1.1 * norm;
}

dvFlowReport dv_flow_press(dvFlow *f, double dt, double tolerance, int most, bool pulls, double norm)
{
  size_t count = f->near.count;
  double *room = f->work.data, sums[DV_FLOW_PARTS];
  Press s = {.f = f, .dt = dt, .dt2 = dt * dt, .pulls = pulls, .k = f->k.data};
  for (size_t i = 0; i < 8 * count; i++) room[i] = 0;
  s.grad = room, s.p = room + count, s.ap = room + 2 * count, s.inverse = room + 3 * count, s.u = room + 4 * count;
  dvFlowReport report = {.norm = norm};
  renew(&s);
  if (pulls) take_mean(&s);
  if (!(norm > 0)) report.norm = measure_norm(&s);
  dv_flow_run(f, 10, restart_body, &s);
  for (;; report.iterations++) {
    dv_flow_run(f, 10, judge_body, &s);
    dv_flow_sum(f, sums);
    report.error = sums[3] / f->density;
    report.reached = report.error <= tolerance;
    if (report.reached || report.iterations >= most || !isfinite(report.error)) break;
    bool proportional = sums[1] <= sums[0];
    if (!proportional) dv_flow_run(f, 10, release_body, &s);
    product(&s, s.p, s.ap);
    dv_flow_run(f, 10, along_body, &s);
    dv_flow_sum(f, sums);
    if (!(sums[0] > 0)) break;
    report.norm = fmax(report.norm, 1.05 * sums[0] / sums[2]);
    double step = sums[1] / sums[0], room_left = -sums[3], curve = sums[0];
    s.fix = proportional && step > room_left;
    s.step = s.fix ? room_left : step;
    s.back = 1.8 / report.norm;
    dv_flow_run(f, 10, move_body, &s);
    if (s.fix) {
      renew(&s);
      dv_flow_run(f, 10, restart_body, &s);
    } else if (!proportional) {
      dv_flow_run(f, 10, restart_body, &s);
    } else {
      dv_flow_sum(f, sums);
      s.back = sums[0] / curve;
      dv_flow_run(f, 10, turn_body, &s);
    }
  }
  if (pulls) lift(&s);
  return report;
}

typedef struct Step {
  Press press;
  double dt;
} Step;

static void accelerate_body(void *user, size_t begin, size_t end)
{
  const Step *s = user;
  dvFlow *f = s->press.f;
  for (size_t c = begin; c < end; c++) DV_EACH_PARTICLE(f, i, c)
  for (size_t a = 0; a < 3; a++) f->v.data[3 * i + a] -= s->dt * s->press.u[3 * i + a];
}

void dv_flow_accelerate(dvFlow *f, double dt)
{
  Step s = {{.f = f, .in = f->k.data, .u = f->work.data}, dt};
  dv_flow_run(f, 200, gather_body, &s.press);
  dv_flow_run(f, 10, accelerate_body, &s);
}
