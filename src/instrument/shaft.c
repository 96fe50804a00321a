// See shaft.h. The foot of p solves (c(s) - p) . c'(s) = 0: the nearest of four points a beam, then false position
// between its neighbours (the Illinois variant).
#include "instrument/shaft.h"

#include "instrument/spline.h"

#include <math.h>

static double length_out(const dvBeams *b) { return b->reach.count ? b->reach.data[b->reach.count - 1] : 0; }

double dv_shaft_begin(const dvShaft *h) { return h->beams ? dv_shaft_tip(h) - length_out(h->beams) : 0; }
double dv_shaft_tip(const dvShaft *h) { return h->beams ? dv_beams_total_length(h->beams) : h->length; }

dvPose dv_shaft_pose(const dvShaft *h, const double *x, double s)
{
  dvPose ends[2];
  double t;
  if (!h->beams) return dv_pose_mul(dv_pose_load(x), (dvPose){{s, 0, 0}, {0, 0, 0, 1}});
  size_t beam = dv_beams_at(h->beams, s, &t);
  dv_beams_poses(h->beams, beam, x, ends);
  return dv_spline_pose(ends, h->beams->lengthList.data[beam], t);
}

int dv_shaft_carriers(const dvShaft *h, const double *x, double s, dvCarrier out[2])
{
  if (!h->beams) {
    out[0] = (dvCarrier){0, 1, dv_quat_rotate(dv_quat_load(x + 3), dv_vec3(s, 0, 0))};
    return 1;
  }
  dvPose poses[2];
  size_t ends[2];
  double t, w[4];
  size_t beam = dv_beams_at(h->beams, s, &t);
  dv_beams_ends(h->beams, beam, ends);
  dv_beams_poses(h->beams, beam, x, poses);
  dvSpline curve = dv_spline(poses, h->beams->lengthList.data[beam]);
  dv_spline_weights(t, w);
  for (int e = 0; e < 2; e++) {
    dvVec3 at = dv_vec3_load(x + 7 * ends[e]);
    out[e] = (dvCarrier){ends[e], w[2 * e] + w[2 * e + 1], {0, 0, 0}};
    for (int k = 2 * e; k < 2 * e + 2; k++)
      out[e].arm = dv_vec3_add_scaled(out[e].arm, dv_vec3_sub(curve.p[k], at), w[k]);
  }
  return 2;
}

dvVec3 dv_shaft_velocity(const dvShaft *h, const double *x, const double *v, double s)
{
  dvCarrier c[2];
  dvVec3 sum = {0, 0, 0};
  int count = dv_shaft_carriers(h, x, s, c);
  for (int i = 0; i < count; i++) {
    const double *p = v + 6 * c[i].dof;
    sum = dv_vec3_add(dv_vec3_add_scaled(sum, dv_vec3_load(p), c[i].weight),
                      dv_vec3_cross(dv_vec3_load(p + 3), c[i].arm));
  }
  return sum;
}

void dv_shaft_add_row(const dvShaft *h, const double *x, double s, dvVec3 direction, double factor, int32_t row,
                      dvRowSet *set)
{
  dvCarrier c[2];
  int count = dv_shaft_carriers(h, x, s, c);
  for (int i = 0; i < count; i++) {
    double block[6];
    dv_vec3_store(block, dv_vec3_scale(direction, c[i].weight));
    dv_vec3_store(block + 3, dv_vec3_cross(c[i].arm, direction));
    dv_rows_add(set, h->state, row, c[i].dof, block, factor);
  }
}

// how far the tangent at s looks past p: negative before the foot
static double past(const dvShaft *h, const double *x, dvVec3 p, double s)
{
  dvPose at = dv_shaft_pose(h, x, s);
  return dv_vec3_dot(dv_vec3_sub(at.at, p), dv_quat_rotate(at.turn, dv_vec3(1, 0, 0)));
}

static double between(const dvShaft *h, const double *x, dvVec3 p, double a, double b)
{
  double fa = past(h, x, p, a), fb = past(h, x, p, b);
  if (fa >= 0) return a;
  if (fb <= 0) return b;
  for (int i = 0; i < 60 && b - a > 1e-14 * fabs(b); i++) {
    double s = (a * fb - b * fa) / (fb - fa), f = past(h, x, p, s);
    if (f == 0) return s;
    if (f < 0) {
      a = s;
      fa = f;
      fb *= 0.5;
    } else {
      b = s;
      fb = f;
      fa *= 0.5;
    }
    if (fabs(f) < 1e-13 * fabs(b)) break;
  }
  return (a * fb - b * fa) / (fb - fa);
}

double dv_shaft_nearest(const dvShaft *h, const double *x, dvVec3 p, double from, double to, double *beyond)
{
  double first = dv_shaft_begin(h), tip = dv_shaft_tip(h);
  from = fmin(fmax(from, first), tip);
  to = fmax(fmin(to, tip), from);
  double best = INFINITY, s = from, piece = h->beams ? length_out(h->beams) / (double)dv_beams_count(h->beams) : tip;
  int pieces = (int)fmax(0, fmin(1e5, ceil(4 * (to - from) / piece))) + 1;
  double step = (to - from) / pieces;
  for (int i = 0; i <= pieces; i++) {
    double at = from + i * step, d = dv_vec3_norm2(dv_vec3_sub(dv_shaft_pose(h, x, at).at, p));
    if (d < best) best = d, s = at;
  }
  s = between(h, x, p, fmax(from, s - step), fmin(to, s + step));
  if (beyond) {
    double off = -past(h, x, p, s);
    *beyond = (s >= tip && off > 0) || (s <= first && off < 0) ? off : 0;
  }
  return s;
}
