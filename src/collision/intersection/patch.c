// Where convex solids rest on each other. See dv_convex_patch.
//
// A face that the normal leaves is the ground; what lies against it, a face, line or point of the other, is cut off at
// planes through the sides of the ground along the normal. What remains has corners, and each is a place of contact
// with the distance to the ground along the normal. That is the ground's own as long as they do not overlap: a box that
// lies on several triangles is nearest to some of them at their edges, and must not be pushed along its own tilt.
#include "collision/intersection/convex.h"

#include <math.h>

#define UPRIGHT 0.99   // cosine between the normal and that of a face it leaves

typedef struct Polygon {
  int count;
  dvVec3 corner[DV_PATCH + 4];
} Polygon;

// The face of a solid that looks most along d, with its unit normal; a line or a point is taken whole.
static Polygon face_along(const dvConvex *c, dvVec3 d, dvVec3 *normal)
{
  static const int around[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  Polygon f;
  f.count = c->count;
  *normal = dv_vec3(0, 0, 0);
  if (c->count == 8) {
    int axis = 0;
    for (int k = 1; k < 3; k++)
      if (fabs(dv_vec3_dot(c->axis[k], d)) > fabs(dv_vec3_dot(c->axis[axis], d))) axis = k;
    bool high = dv_vec3_dot(c->axis[axis], d) > 0;
    *normal = high ? c->axis[axis] : dv_vec3_neg(c->axis[axis]);
    f.count = 4;
    for (int i = 0; i < 4; i++)
      f.corner[i] = c->corner[(int)high << axis | around[i][0] << (axis + 1) % 3 | around[i][1] << (axis + 2) % 3];
    return f;
  }
  for (int i = 0; i < c->count; i++) f.corner[i] = c->corner[i];
  if (c->count == 3) {
    dvVec3 e = dv_vec3_sub(c->corner[1], c->corner[0]), g = dv_vec3_sub(c->corner[2], c->corner[0]);
    dvVec3 n = dv_vec3_cross(e, g);
    double length = dv_vec3_norm(n);
    if (length > 1e-4 * (dv_vec3_norm2(e) + dv_vec3_norm2(g)))
      *normal = dv_vec3_scale(n, (dv_vec3_dot(n, d) < 0 ? -1 : 1) / length);
  }
  return f;
}

// cuts off what lies before the plane through p with the normal `out`
static void cut(Polygon *f, dvVec3 p, dvVec3 out)
{
  double height[DV_PATCH + 4];
  bool beyond = false;
  for (int i = 0; i < f->count; i++) {
    height[i] = dv_vec3_dot(dv_vec3_sub(f->corner[i], p), out);
    beyond = beyond || height[i] > 0;
  }
  if (!beyond) return;
  Polygon in;
  in.count = 0;
  int last = f->count == 2 ? 1 : f->count;   // a line has one side, a polygon as many as corners
  for (int i = 0; i < f->count; i++) {
    int next = i + 1 < f->count ? i + 1 : 0;
    double here = height[i], there = height[next];
    if (here <= 0 && in.count < (int)DV_COUNT(in.corner)) in.corner[in.count++] = f->corner[i];
    if (i < last && ((here < 0 && there > 0) || (here > 0 && there < 0)) && in.count < (int)DV_COUNT(in.corner))
      in.corner[in.count++] = dv_on_line(f->corner[i], f->corner[next], here / (here - there));
  }
  f->count = in.count;
  for (int i = 0; i < in.count; i++) f->corner[i] = in.corner[i];
}

static void cut_by_sides(Polygon *f, const Polygon *ground, dvVec3 along)
{
  dvVec3 middle = ground->corner[0];
  for (int i = 1; i < ground->count; i++) middle = dv_vec3_add(middle, ground->corner[i]);
  middle = dv_vec3_scale(middle, 1.0 / ground->count);
  for (int i = 0; i < ground->count && f->count; i++) {
    dvVec3 a = ground->corner[i];
    dvVec3 out = dv_vec3_cross(dv_vec3_sub(ground->corner[i + 1 < ground->count ? i + 1 : 0], a), along);
    if (dv_vec3_dot(out, dv_vec3_sub(middle, a)) > 0) out = dv_vec3_neg(out);
    cut(f, a, out);
  }
}

// The places where `lying` of the one lies over the ground of the other; `turned`: the ground is of the second.
static int over_ground(const Polygon *ground, dvVec3 up, const Polygon *lying, const dvNearest *nearest, bool turned,
                       dvNearest *out)
{
  dvVec3 n = nearest->normal;
  for (int i = 0; i < ground->count; i++)   // of a flat brick: no face
    if (dv_within(ground->corner[i], ground->corner[(i + 1) % ground->count], 1e-12)) return 0;
  if (nearest->distance > 0) n = turned ? dv_vec3_neg(up) : up;
  Polygon f = *lying;
  cut_by_sides(&f, ground, n);
  int count = f.count < DV_PATCH ? f.count : DV_PATCH;
  for (int i = 0; i < count; i++) {
    double gap = dv_vec3_dot(up, dv_vec3_sub(f.corner[i], ground->corner[0])) / dv_vec3_dot(up, n);
    dvVec3 below = dv_vec3_add_scaled(f.corner[i], n, -gap);
    out[i] = (dvNearest){.point = {turned ? f.corner[i] : below, turned ? below : f.corner[i]},
                         .normal = n,
                         .distance = turned ? -gap : gap};
  }
  return count;
}

// the ends of what two parallel lines have in common
static int along_lines(const dvConvex *a, const dvConvex *b, const dvNearest *nearest, dvNearest *out)
{
  dvVec3 p = a->corner[0], d = dv_vec3_sub(a->corner[1], p), e = dv_vec3_sub(b->corner[1], b->corner[0]);
  double square = dv_vec3_norm2(d), length = dv_vec3_norm(e);
  if (!(square > 0) || !(length > 0)) return 0;
  if (fabs(dv_vec3_dot(d, e)) < (1 - 1e-6) * sqrt(square) * length) return 0;
  double s = dv_nearest_on_line(p, a->corner[1], b->corner[0]), t = dv_nearest_on_line(p, a->corner[1], b->corner[1]);
  double low = dv_max(0, dv_min(s, t)), high = dv_min(1, dv_max(s, t));
  if (!(high > low)) return 0;
  for (int i = 0; i < 2; i++) {
    dvVec3 on = dv_on_line(p, a->corner[1], i ? high : low);
    double u = dv_nearest_on_line(b->corner[0], b->corner[1], on);
    dvVec3 other = dv_on_line(b->corner[0], b->corner[1], u < 0 ? 0 : u > 1 ? 1 : u);
    double gap = dv_vec3_dot(nearest->normal, dv_vec3_sub(other, on));
    out[i] = (dvNearest){
        .point = {on, dv_vec3_add_scaled(on, nearest->normal, gap)}, .normal = nearest->normal, .distance = gap};
  }
  return 2;
}

// what is nearest comes along where all of them are farther
static int with_nearest(const dvNearest *nearest, dvNearest *out, int count)
{
  double slack = 1e-9 + (1 / UPRIGHT - 1) * fabs(nearest->distance);
  for (int i = 0; i < count; i++)
    if (out[i].distance <= nearest->distance + slack) return count;
  if (count == DV_PATCH) count--;
  out[count] = *nearest;
  return count + 1;
}

int dv_convex_patch(const dvConvex *a, const dvConvex *b, const dvNearest *nearest, dvNearest out[DV_PATCH])
{
  dvVec3 n = nearest->normal, up[2];
  int count = 0;
  if (a->count > 1 && b->count > 1) {
    Polygon f[2] = {face_along(a, n, &up[0]), face_along(b, dv_vec3_neg(n), &up[1])};
    if (dv_vec3_dot(up[0], n) > UPRIGHT) count = over_ground(&f[0], up[0], &f[1], nearest, false, out);
    else if (dv_vec3_dot(up[1], n) < -UPRIGHT) count = over_ground(&f[1], up[1], &f[0], nearest, true, out);
    else if (a->count == 2 && b->count == 2) count = along_lines(a, b, nearest, out);
  }
  return with_nearest(nearest, out, count);
}
