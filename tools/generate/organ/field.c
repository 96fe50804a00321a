// The organ's shape as an implicit function in metres: a large right lobe (at -x) blended with a thin left one, cut by
// an inclined underside, hollowed where stomach and kidney would lie, with a furrow between the lobes. Up is +y, the
// front is +z.
#include "organ.h"

const double organ_low[3] = {-0.125, -0.085, -0.070}, organ_high[3] = {0.135, 0.085, 0.070};

// (|p / r| - 1) times the local radius, first order exact at the surface
static double ellipsoid(Vec3 p, Vec3 centre, Vec3 radius)
{
  Vec3 d = sub(p, centre), q, w;
  for (int k = 0; k < 3; k++) q.x[k] = d.x[k] / radius.x[k], w.x[k] = q.x[k] / radius.x[k];
  double k0 = norm(q), k1 = norm(w);
  return k1 > 0 ? k0 * (k0 - 1) / k1 : -dv_min(radius.x[0], dv_min(radius.x[1], radius.x[2]));
}

static double capsule(Vec3 p, Vec3 a, Vec3 b, double radius)
{
  Vec3 ab = sub(b, a);
  double t = dv_max(0, dv_min(1, dot(sub(p, a), ab) / dot(ab, ab)));
  return norm(sub(p, add(a, scale(ab, t)))) - radius;
}

// the lesser of two, rounded over the width k
static double blend_min(double a, double b, double k)
{
  double h = dv_max(k - fabs(a - b), 0) / k;
  return dv_min(a, b) - 0.25 * h * h * k;
}

static double blend_max(double a, double b, double k) { return -blend_min(-a, -b, k); }

double organ_field(Vec3 p)
{
  double right = ellipsoid(p, vec(-0.036, -0.004, 0), vec(0.070, 0.066, 0.054));
  double left = ellipsoid(p, vec(0.052, 0.022, 0.010), vec(0.066, 0.034, 0.036));
  double body = blend_min(right, left, 0.050);
  Vec3 down = vec(0.36, -1, 0.10);   // the underside rises towards the left
  double underside = (dot(p, down) - 0.040) / norm(down);
  body = blend_max(body, underside, 0.013);
  double hollow = 0.085 - norm(sub(p, vec(0.045, -0.098, -0.045)));
  body = blend_max(body, hollow, 0.018);
  double furrow = -capsule(p, vec(0.024, -0.045, 0.052), vec(0.014, 0.075, 0.060), 0.012);
  return blend_max(body, furrow, 0.018);
}

Vec3 organ_gradient(Vec3 p)
{
  const double h = 1e-6;
  Vec3 g;
  for (int k = 0; k < 3; k++) {
    Vec3 a = p, b = p;
    a.x[k] -= h, b.x[k] += h;
    g.x[k] = (organ_field(b) - organ_field(a)) / (2 * h);
  }
  return g;
}

// by Newton steps along the gradient
Vec3 organ_project(Vec3 p)
{
  for (int i = 0; i < 8; i++) {
    Vec3 g = organ_gradient(p);
    p = sub(p, scale(g, organ_field(p) / dv_max(dot(g, g), 1e-6)));
  }
  return p;
}
