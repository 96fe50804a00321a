// See tear_tip.h.
#include "anatomy/tear_tip.h"

#include <math.h>
#include <string.h>

enum { MOST = 400 };   // triangles around a tip
#define BEHIND 2.4     // radians: farther behind the tip the lips of a bent tear are in doubt
#define PI 3.14159265358979323846

static dvVec3 at_rest(const dvMembrane *m, int32_t point)
{
  return dv_vec3_load(dv_state_read(m->state, DV_X_REST) + 3 * (size_t)point);
}

static const int32_t *triangle(const dvMembrane *m, int32_t i)
{
  return dv_topology_elements(m->mesh, DV_TRIANGLE)->data + 3 * (size_t)i;
}

// --- the way -------------------------------------------------------------------------------------

// neighbours of a point over edges of the border, up to two; returns how many there are
static int border_neighbours(const dvMembrane *m, int32_t point, int32_t out[2])
{
  int count = 0;
  for (int32_t at = dv_topology_first_at(m->mesh, DV_TRIANGLE, point); at >= 0;
       at = dv_topology_next_at(m->mesh, DV_TRIANGLE, at)) {
    const int32_t *c = triangle(m, at / 3);
    for (int k = 1; k < 3; k++) {
      int32_t other = c[(at + k) % 3];
      if (!dv_membrane_is_border(m, point, other)) continue;
      if (count < 2) out[count] = other;
      count++;
    }
  }
  return count;
}

// the point of a lip that is `reach` from the tip, or the last one of it
static dvVec3 behind(const dvMembrane *m, int32_t tip, int32_t first, double reach)
{
  dvVec3 x = at_rest(m, tip), last = at_rest(m, first);
  int32_t came = tip, here = first, next[2];
  for (int i = 0; i < 16; i++) {
    if (dv_vec3_norm(dv_vec3_sub(last, x)) >= reach || border_neighbours(m, here, next) != 2) break;
    int32_t on = next[0] == came ? next[1] : next[0];
    dvVec3 there = at_rest(m, on);
    // the end of a slit: its lips meet again
    if (on == tip || dv_vec3_norm(dv_vec3_sub(there, x)) <= dv_vec3_norm(dv_vec3_sub(last, x))) break;
    came = here, here = on, last = there;
  }
  return last;
}

bool dv_tear_way(const dvMembrane *m, int32_t point, double reach, dvTearTip *out)
{
  int32_t lips[2];
  if (border_neighbours(m, point, lips) != 2) return false;
  dvVec3 x = at_rest(m, point), back[2];
  for (int k = 0; k < 2; k++) back[k] = dv_vec3_normalise(dv_vec3_sub(behind(m, point, lips[k], reach), x));
  if (!(dv_vec3_dot(back[0], back[1]) > 0)) return false;   // an edge that goes on
  dvVec3 normal = {0};
  for (int32_t at = dv_topology_first_at(m->mesh, DV_TRIANGLE, point); at >= 0;
       at = dv_topology_next_at(m->mesh, DV_TRIANGLE, at)) {
    const int32_t *c = triangle(m, at / 3);
    dvVec3 o = at_rest(m, c[0]);
    normal = dv_vec3_add(normal, dv_vec3_cross(dv_vec3_sub(at_rest(m, c[1]), o), dv_vec3_sub(at_rest(m, c[2]), o)));
  }
  normal = dv_vec3_normalise(normal);
  dvVec3 way = dv_vec3_neg(dv_vec3_add(back[0], back[1]));
  way = dv_vec3_normalise(dv_vec3_add_scaled(way, normal, -dv_vec3_dot(way, normal)));
  *out = (dvTearTip){.way = way, .side = dv_vec3_cross(normal, way)};
  return dv_vec3_norm(out->side) > 0.5;
}

// --- stresses around the tip ---------------------------------------------------------------------

static bool has(const dvTearScratch *list, int32_t value)
{
  for (size_t i = 0; i < list->count; i++)
    if (list->data[i] == value) return true;
  return false;
}

// triangles that hang together with the tip and have a corner within reach
static void collect(const dvMembrane *m, int32_t tip, double reach, dvTearScratch *out)
{
  dvVec3 x = at_rest(m, tip);
  out->count = 0;
  for (int32_t at = dv_topology_first_at(m->mesh, DV_TRIANGLE, tip); at >= 0;
       at = dv_topology_next_at(m->mesh, DV_TRIANGLE, at))
    dv_push(out, at / 3);
  for (size_t i = 0; i < out->count && out->count < MOST; i++)
    for (int k = 0; k < 3; k++) {
      int32_t corner = triangle(m, out->data[i])[k];
      if (dv_vec3_norm(dv_vec3_sub(at_rest(m, corner), x)) > reach) continue;
      for (int32_t at = dv_topology_first_at(m->mesh, DV_TRIANGLE, corner); at >= 0 && out->count < MOST;
           at = dv_topology_next_at(m->mesh, DV_TRIANGLE, at))
        if (!has(out, at / 3)) dv_push(out, at / 3);
    }
}

// a symmetric tensor in the axes of the tear
typedef struct Tensor {
  double xx, yy, xy;
} Tensor;

static bool stress_of(const dvMembrane *m, const dvTearTip *t, int32_t i, Tensor *out)
{
  dvStretch s;
  if (!dv_membrane_stretch(m, triangle(m, i), &s)) return false;
  dvVec3 first = dv_vec3_add(dv_vec3_scale(s.u, cos(s.angle)), dv_vec3_scale(s.v, sin(s.angle)));
  double x = dv_vec3_dot(first, t->way), y = dv_vec3_dot(first, t->side), size = hypot(x, y);
  if (!(size > 0)) return false;
  x /= size, y /= size;   // the membrane may be bent: the axes of the tear are those at its tip
  double p = dv_membrane_stress(m, &s, 0), q = dv_membrane_stress(m, &s, 1);
  *out = (Tensor){p * x * x + q * y * y, p * y * y + q * x * x, (p - q) * x * y};
  return true;
}

static void williams(double r, double theta, Tensor *open, Tensor *shear)
{
  double c = cos(theta / 2), s = sin(theta / 2), c3 = cos(1.5 * theta), s3 = sin(1.5 * theta), f = 1 / sqrt(2 * PI * r);
  *open = (Tensor){f * c * (1 - s * s3), f * c * (1 + s * s3), f * s * c * c3};
  *shear = (Tensor){-f * s * (2 + c * c3), f * s * c * c3, f * c * (1 - s * s3)};
}

// a 3 x 3 system by elimination; false when it is singular
static bool solve(double a[3][4])
{
  for (int i = 0; i < 3; i++) {
    int best = i;
    for (int k = i + 1; k < 3; k++)
      if (fabs(a[k][i]) > fabs(a[best][i])) best = k;
    double swap[4];
    memcpy(swap, a[i], sizeof swap), memcpy(a[i], a[best], sizeof swap), memcpy(a[best], swap, sizeof swap);
    if (!(fabs(a[i][i]) > 0)) return false;
    for (int k = 0; k < 3; k++) {
      double part = k == i ? 0 : a[k][i] / a[i][i];
      for (int j = i; j < 4 && k != i; j++) a[k][j] -= part * a[i][j];
    }
  }
  for (int i = 0; i < 3; i++) a[i][3] /= a[i][i];
  return true;
}

bool dv_tear_fit(const dvMembrane *m, int32_t point, double reach, dvTearScratch *scratch, dvTearTip *t)
{
  double a[3][4] = {{0}};
  dvVec3 x = at_rest(m, point);
  size_t used = 0;
  collect(m, point, reach, scratch);
  for (size_t i = 0; i < scratch->count; i++) {
    const int32_t *c = triangle(m, scratch->data[i]);
    dvVec3 p[3], middle = {0};
    for (int k = 0; k < 3; k++) p[k] = at_rest(m, c[k]), middle = dv_vec3_add_scaled(middle, p[k], 1.0 / 3);
    double area = 0.5 * dv_vec3_norm(dv_vec3_cross(dv_vec3_sub(p[1], p[0]), dv_vec3_sub(p[2], p[0])));
    dvVec3 d = dv_vec3_sub(middle, x);
    double along = dv_vec3_dot(d, t->way), across = dv_vec3_dot(d, t->side), r = hypot(along, across);
    double theta = atan2(across, along);
    Tensor stress, column[3] = {[2] = {1, 0, 0}};
    if (!(r > 0) || r > reach || fabs(theta) > BEHIND || !stress_of(m, t, scratch->data[i], &stress)) continue;
    williams(r, theta, &column[0], &column[1]);
    // the same scale for all unknowns
    for (int k = 0; k < 2; k++) column[k].xx *= sqrt(reach), column[k].yy *= sqrt(reach), column[k].xy *= sqrt(reach);
    for (int k = 0; k < 3; k++) {
      for (int l = 0; l < 3; l++)
        a[k][l] +=
            area * r * (column[k].xx * column[l].xx + column[k].yy * column[l].yy + 2 * column[k].xy * column[l].xy);
      a[k][3] += area * r * (column[k].xx * stress.xx + column[k].yy * stress.yy + 2 * column[k].xy * stress.xy);
    }
    used++;
  }
  if (used < 4 || !solve(a)) return false;
  t->open = a[0][3] * sqrt(reach), t->shear = a[1][3] * sqrt(reach), t->along = a[2][3];
  dv_tear_kink(t);
  return isfinite(t->intensity);
}

void dv_tear_kink(dvTearTip *t)
{
  double one = t->open, two = t->shear;
  // the root at which the stress across is largest: tan(t/2) = (KI - sqrt(KI^2 + 8 KII^2)) / (4 KII)
  t->angle = two == 0 ? 0 : 2 * atan2(-2 * two, one + sqrt(one * one + 8 * two * two));
  double c = cos(t->angle / 2);
  t->intensity = c * (one * c * c - 1.5 * two * sin(t->angle));
}
