// See spline.h.
#include "instrument/spline.h"

#include <math.h>

void dv_spline_weights(double t, double out[4])
{
  double u = 1 - t;
  out[0] = u * u * u;
  out[1] = 3 * t * u * u;
  out[2] = 3 * t * t * u;
  out[3] = t * t * t;
}

dvSpline dv_spline(const dvPose ends[2], double length)
{
  dvVec3 x = {length / 3, 0, 0};
  return (dvSpline){{ends[0].at, dv_pose_point(ends[0], x), dv_pose_point(ends[1], dv_vec3_neg(x)), ends[1].at}};
}

static void slope_weights(double t, double out[4])
{
  double u = 1 - t;
  out[0] = -3 * u * u;
  out[1] = 3 - 12 * t + 9 * t * t;
  out[2] = 6 * t - 9 * t * t;
  out[3] = 3 * t * t;
}

static dvVec3 sum_of(const double w[4], const dvVec3 p[4])
{
  dvVec3 sum = {0, 0, 0};
  for (int i = 0; i < 4; i++) sum = dv_vec3_add_scaled(sum, p[i], w[i]);
  return sum;
}

dvVec3 dv_spline_point(const dvSpline *s, double t)
{
  double w[4];
  dv_spline_weights(t, w);
  return sum_of(w, s->p);
}

static dvVec3 derivative(const dvSpline *s, double t)
{
  double w[4];
  slope_weights(t, w);
  return sum_of(w, s->p);
}

dvVec3 dv_spline_tangent(const dvSpline *s, double t) { return dv_vec3_normalise(derivative(s, t)); }

// Gauss' points and weights on 0 to 1
static void gauss(double t[4], double w[4])
{
  double root = 2 * sqrt(6.0 / 5);
  for (int i = 0; i < 4; i++) {
    double sign = i % 2 ? 1 : -1, inner = i < 2 ? -1 : 1;
    t[i] = 0.5 + sign * sqrt((3 + inner * root) / 7) / 2;
    w[i] = (18 - inner * sqrt(30.0)) / 72;
  }
}

double dv_spline_length(const dvSpline *s)
{
  double t[4], w[4], sum = 0;
  gauss(t, w);
  for (int g = 0; g < 4; g++) sum += w[g] * dv_vec3_norm(derivative(s, t[g]));
  return sum;
}

void dv_spline_length_slopes(const dvSpline *s, dvVec3 out[4])
{
  double t[4], w[4], b[4];
  gauss(t, w);
  for (int k = 0; k < 4; k++) out[k] = dv_vec3(0, 0, 0);
  for (int g = 0; g < 4; g++) {
    dvVec3 tangent = dv_spline_tangent(s, t[g]);
    slope_weights(t[g], b);
    for (int k = 0; k < 4; k++) out[k] = dv_vec3_add_scaled(out[k], tangent, w[g] * b[k]);
  }
}

void dv_spline_length_bend(const dvSpline *s, const dvVec3 moved[4], dvVec3 out[4])
{
  double t[4], w[4], b[4];
  gauss(t, w);
  for (int k = 0; k < 4; k++) out[k] = dv_vec3(0, 0, 0);
  for (int g = 0; g < 4; g++) {
    dvVec3 d = derivative(s, t[g]), n = dv_vec3_normalise(d);
    double size = dv_vec3_norm(d);
    slope_weights(t[g], b);
    dvVec3 turn = sum_of(b, moved);
    turn = dv_vec3_add_scaled(turn, n, -dv_vec3_dot(turn, n));
    for (int k = 0; k < 4 && size > 0; k++) out[k] = dv_vec3_add_scaled(out[k], turn, w[g] * b[k] / size);
  }
}

dvQuat dv_align_x(dvQuat q, dvVec3 x)
{
  dvVec3 seen = dv_quat_inverse_rotate(q, x);
  if (seen.x > 0.9999999999) return q;
  dvVec3 axis = dv_vec3_normalise(dv_vec3(0, -seen.z, seen.y));
  double s = sqrt(0.5 * fmax(1 - seen.x, 0)), c = sqrt(0.5 * fmax(1 + seen.x, 0));
  if (dv_vec3_norm2(axis) < 0.5) axis = dv_vec3(0, 1, 0);   // it looks the other way
  return dv_quat_mul(q, (dvQuat){0, axis.y * s, axis.z * s, c});
}

dvQuat dv_quat_between(dvQuat a, dvQuat b, double t)
{
  double c = dv_quat_dot(a, b), wa = 1 - t, wb = t;
  if (1 - fabs(c) >= 0.01) {
    double angle = acos(fabs(c)), s = sin(angle);
    wa = sin(angle * (1 - t)) / s;
    wb = sin(angle * t) / s;
  }
  if (c < 0) wa = -wa;
  return (dvQuat){wa * a.x + wb * b.x, wa * a.y + wb * b.y, wa * a.z + wb * b.z, wa * a.w + wb * b.w};
}

dvPose dv_spline_pose(const dvPose ends[2], double length, double t)
{
  dvSpline s = dv_spline(ends, length);
  dvVec3 first = dv_vec3_sub(s.p[1], s.p[0]), second = dv_vec3_sub(s.p[2], s.p[1]), whole = dv_vec3_sub(s.p[3], s.p[0]);
  if (dv_vec3_dot(first, second) < 0 && dv_vec3_norm(whole) < 0.4 * length)   // pressed together: the curve has a loop
    return (dvPose){dv_vec3_add_scaled(s.p[0], whole, t), ends[0].turn};
  dvVec3 x = dv_spline_tangent(&s, t);
  dvQuat twisted = dv_quat_normalise(dv_quat_between(dv_align_x(ends[0].turn, x), dv_align_x(ends[1].turn, x), t));
  return (dvPose){dv_spline_point(&s, t), dv_align_x(twisted, x)};
}
