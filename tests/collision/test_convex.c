// The kernel of convex solids against all pairs of their edges and corners: distance, nearest points, how deep they
// overlap, where they rest; for every pair of points, lines, triangles and bricks, flat, parallel and touching ones
// among them.
#include "base/random.h"
#include "collision/intersection/convex.h"
#include "support/check.h"

#include <math.h>

// --- all pairs -----------------------------------------------------------------------------------

static double clamp(double s) { return s < 0 ? 0 : s > 1 ? 1 : s; }

static double point_line(dvVec3 p, dvVec3 a, dvVec3 b)
{
  return dv_vec3_norm(dv_vec3_sub(p, dv_on_line(a, b, clamp(dv_nearest_on_line(a, b, p)))));
}

static double line_line(dvVec3 a, dvVec3 b, dvVec3 c, dvVec3 d)
{
  double best =
      dv_min(dv_min(point_line(a, c, d), point_line(b, c, d)), dv_min(point_line(c, a, b), point_line(d, a, b)));
  double s, t;
  dv_nearest_lines(a, b, c, d, 1e-13, &s, &t);
  if (s >= 0 && s <= 1 && t >= 0 && t <= 1)
    best = dv_min(best, dv_vec3_norm(dv_vec3_sub(dv_on_line(a, b, s), dv_on_line(c, d, t))));
  return best;
}

static double point_solid(dvVec3 p, const dvConvex *c)
{
  if (c->count == 1) return dv_vec3_norm(dv_vec3_sub(p, c->corner[0]));
  if (c->count == 2) return point_line(p, c->corner[0], c->corner[1]);
  if (c->count == 3) {
    const dvVec3 *k = c->corner;
    dvVec3 n = dv_vec3_cross(dv_vec3_sub(k[1], k[0]), dv_vec3_sub(k[2], k[0]));
    double best = INFINITY, area = dv_vec3_norm(n);
    bool over = area > 0;
    for (int i = 0; i < 3; i++) {
      best = dv_min(best, point_line(p, k[i], k[(i + 1) % 3]));
      over &= dv_vec3_dot(dv_vec3_cross(dv_vec3_sub(k[(i + 1) % 3], k[i]), dv_vec3_sub(p, k[i])), n) >= 0;
    }
    if (over) best = dv_min(best, fabs(dv_vec3_dot(n, dv_vec3_sub(p, k[0]))) / area);
    return best;
  }
  dvVec3 centre = dv_on_line(c->corner[0], c->corner[7], 0.5), from = dv_vec3_sub(p, centre);
  double square = 0;
  for (int k = 0; k < 3; k++) {
    double half = dv_vec3_dot(c->axis[k], dv_vec3_sub(c->corner[7], centre));
    double beyond = fabs(dv_vec3_dot(from, c->axis[k])) - half;
    if (beyond > 0) square += beyond * beyond;
  }
  return sqrt(square);
}

static int edges_of(const dvConvex *c, int out[12][2])
{
  int count = 0;
  for (int i = 0; i < c->count; i++)
    for (int j = i + 1; j < c->count; j++) {
      int differ = i ^ j;
      if (c->count == 8 && (differ & (differ - 1))) continue;   // of a brick: corners that differ along one axis
      out[count][0] = i, out[count++][1] = j;
    }
  return count;
}

// whether an edge goes through a brick: some of it lies between all its planes
static bool through_brick(const dvConvex *c, dvVec3 p, dvVec3 q)
{
  double low = 0, high = 1;
  for (int k = 0; k < 3; k++)
    for (int side = -1; side <= 1; side += 2) {
      dvVec3 n = dv_vec3_scale(c->axis[k], side), on = side > 0 ? c->corner[7] : c->corner[0];
      double from = dv_vec3_dot(n, dv_vec3_sub(p, on)), to = dv_vec3_dot(n, dv_vec3_sub(q, on));
      if (from > 0 && to > 0) return false;
      if (from > 0) low = dv_max(low, from / (from - to));
      if (to > 0) high = dv_min(high, from / (from - to));
    }
  return low <= high + 1e-12;
}

// whether an edge goes through a triangle or brick
static bool pierced(const dvConvex *t, dvVec3 p, dvVec3 q)
{
  if (t->count == 8) return through_brick(t, p, q);
  dvVec3 a = t->corner[0], n = dv_vec3_cross(dv_vec3_sub(t->corner[1], a), dv_vec3_sub(t->corner[2], a));
  double from = dv_vec3_dot(n, dv_vec3_sub(p, a)), to = dv_vec3_dot(n, dv_vec3_sub(q, a));
  if (from * to >= 0) return false;
  return point_solid(dv_on_line(p, q, from / (from - to)), t) < 1e-12;
}

static double all_pairs(const dvConvex *a, const dvConvex *b)
{
  double best = INFINITY;
  int first[12][2], second[12][2], n = edges_of(a, first), m = edges_of(b, second);
  for (int i = 0; i < a->count; i++) best = dv_min(best, point_solid(a->corner[i], b));
  for (int i = 0; i < b->count; i++) best = dv_min(best, point_solid(b->corner[i], a));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      best = dv_min(best, line_line(a->corner[first[i][0]], a->corner[first[i][1]], b->corner[second[j][0]],
                                    b->corner[second[j][1]]));
  for (int i = 0; i < n && b->count >= 3; i++)
    if (pierced(b, a->corner[first[i][0]], a->corner[first[i][1]])) best = 0;
  for (int j = 0; j < m && a->count >= 3; j++)
    if (pierced(a, b->corner[second[j][0]], b->corner[second[j][1]])) best = 0;
  return best;
}

// how far b lies behind a along n
static double gap_along(const dvConvex *a, const dvConvex *b, dvVec3 n)
{
  double high = -INFINITY, low = INFINITY;
  for (int i = 0; i < a->count; i++) high = dv_max(high, dv_vec3_dot(a->corner[i], n));
  for (int i = 0; i < b->count; i++) low = dv_min(low, dv_vec3_dot(b->corner[i], n));
  return low - high;
}

// --- random solids -------------------------------------------------------------------------------

static dvVec3 random_vector(dvRandom *r)
{
  return dv_vec3(dv_random(r, -1, 1), dv_random(r, -1, 1), dv_random(r, -1, 1));
}

static dvConvex random_solid(dvRandom *r, int count, int kind)
{
  dvConvex c = {.count = count};
  if (count < 8) {
    for (int i = 0; i < count; i++) c.corner[i] = random_vector(r);
    if (kind == 1) c.corner[1] = c.corner[0];   // without length or area
    if (kind == 2)
      for (int i = 0; i < count; i++) c.corner[i].z = 0;   // coplanar with others
    if (kind == 3)
      for (int i = 1; i < count; i++) c.corner[i].y = c.corner[0].y, c.corner[i].z = c.corner[0].z;
    return c;
  }
  dvQuat turn =
      kind == 2 || kind == 3 ? dv_quat_identity() : dv_quat_from_rotation_vector(dv_vec3_scale(random_vector(r), 3));
  dvVec3 centre = dv_vec3_scale(random_vector(r), 1.5), side[3];
  dvMat3 m = dv_quat_to_matrix(turn);
  for (int k = 0; k < 3; k++) {
    c.axis[k] = dv_mat3_column(m, k);
    side[k] = dv_vec3_scale(c.axis[k], kind == 1 && k == 0 ? 0 : dv_random(r, 0.05, 0.8));   // flat ones too
  }
  if (kind == 3) centre.z = 0.5 * round(2 * centre.z);
  for (int i = 0; i < 8; i++) {
    c.corner[i] = centre;
    for (int k = 0; k < 3; k++) c.corner[i] = dv_vec3_add_scaled(c.corner[i], side[k], i >> k & 1 ? 1 : -1);
  }
  return c;
}

// --- comparison ----------------------------------------------------------------------------------

static void check_nearest(const dvConvex *a, const dvConvex *b, const dvNearest *n, dvRandom *r)
{
  double expected = all_pairs(a, b);
  check_close(dv_vec3_norm(n->normal), 1, 1e-9);
  check_close(point_solid(n->point[0], a), 0, 1e-9);
  check_close(point_solid(n->point[1], b), 0, 1e-9);
  dvVec3 way = dv_vec3_sub(n->point[1], n->point[0]);
  check_close(dv_vec3_norm(dv_vec3_add_scaled(way, n->normal, -n->distance)), 0, 1e-9);
  check_close(gap_along(a, b, n->normal), n->distance, 1e-9);   // a plane in between, or both touch such planes
  if (n->distance > 1e-9 || expected > 1e-9) {
    check_close(n->distance, expected, 1e-9);
    return;
  }
  for (int i = 0; i < 20; i++)   // no direction separates them with a shorter way
    assert_true(gap_along(a, b, dv_vec3_normalise(random_vector(r))) <= n->distance + 1e-9);
}

static void check_patch(const dvConvex *a, const dvConvex *b, const dvNearest *n)
{
  dvNearest patch[DV_PATCH];
  int count = dv_convex_patch(a, b, n, patch);
  double least = INFINITY;
  assert_true(count >= 1 && count <= DV_PATCH);
  for (int i = 0; i < count; i++) {
    least = dv_min(least, patch[i].distance);
    // what lies on the ground lies inside of it, as far as rounding allows
    assert_true(dv_min(point_solid(patch[i].point[0], a), point_solid(patch[i].point[1], b)) < 1e-8);
    dvVec3 way = dv_vec3_sub(patch[i].point[1], patch[i].point[0]);
    check_close(dv_vec3_norm(dv_vec3_add_scaled(way, patch[i].normal, -patch[i].distance)), 0, 1e-8);
    assert_true(dv_vec3_dot(patch[i].normal, n->normal) > 0.99 - 1e-9);
  }
  check_close(least, n->distance, 2e-8 + 0.011 * fabs(n->distance));
}

static void every_pair(void **state)
{
  DV_UNUSED(state);
  static const int counts[] = {1, 2, 3, 8};
#ifdef __SANITIZE_ADDRESS__
  const size_t tests = 5000;
#else
  const size_t tests = 100000;
#endif
  size_t overlapping = 0;
  dvRandom r = dv_random_start(5);
  for (size_t i = 0; i < DV_COUNT(counts); i++)
    for (size_t j = i; j < DV_COUNT(counts); j++)
      for (size_t k = 0; k < tests; k++) {
        dvConvex a = random_solid(&r, counts[i], (int)(k % 5)), b = random_solid(&r, counts[j], (int)(k / 5 % 5));
        if (k % 11 == 0)
          b.corner[0] = counts[j] < 8 ? dv_on_line(a.corner[0], a.corner[a.count - 1], 0.25) : b.corner[0];
        if (k % 13 == 0 && counts[j] < 8 && counts[j] > 1)
          b.corner[1] = dv_vec3_add(b.corner[0], dv_vec3_sub(a.corner[a.count - 1], a.corner[0]));
        dvNearest n;
        assert_true(dv_convex_nearest(&a, &b, INFINITY, &n));
        check_nearest(&a, &b, &n, &r);
        check_patch(&a, &b, &n);
        if (n.distance < -1e-6) overlapping++;
        if (n.distance > 1e-3) assert_false(dv_convex_nearest(&a, &b, 0.999 * n.distance, &n));
      }
  assert_true(overlapping > tests / 10);
}

// --- rest ----------------------------------------------------------------------------------------

static void boxes_on_each_other(void **state)
{
  DV_UNUSED(state);
  dvConvex floor = {.count = 8, .axis = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, box = floor;
  for (int i = 0; i < 8; i++) {
    floor.corner[i] = dv_vec3(i & 1 ? 3 : -3, i & 2 ? 0 : -1, i & 4 ? 3 : -3);
    box.corner[i] = dv_vec3(i & 1 ? 3.5 : 2.5, i & 2 ? 1.1 : 0.1, i & 4 ? 0.5 : -0.5);
  }
  dvNearest n, patch[DV_PATCH];
  assert_true(dv_convex_nearest(&floor, &box, 1, &n));
  check_close(n.distance, 0.1, 1e-12);
  check_close(n.normal.y, 1, 1e-12);
  assert_int_equal(dv_convex_patch(&floor, &box, &n, patch), 4);   // the half of the box that has floor below it
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < 4; i++) {
    check_close(patch[i].distance, 0.1, 1e-12);
    check_close(fabs(patch[i].point[1].z), 0.5, 1e-12);
    low = dv_min(low, patch[i].point[0].x), high = dv_max(high, patch[i].point[0].x);
  }
  check_close(low, 2.5, 1e-12);
  check_close(high, 3, 1e-12);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_pair), cmocka_unit_test(boxes_on_each_other)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
