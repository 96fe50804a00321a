// Continuous collisions: nothing that meets is missed, in a million cases when DIVAN_MEETINGS=1000000 is set; what
// stays apart is told apart; the time found is one at which they are near. Parallel edges, coplanar triangles and edges
// without length are among the cases.
#include "base/base.h"
#include "base/random.h"
#include "collision/intersection/continuous.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>

static dvVec3 random_vector(dvRandom *r)
{
  return dv_vec3(dv_random(r, -1, 1), dv_random(r, -1, 1), dv_random(r, -1, 1));
}

static dvVec3 at(const dvVec3 *begin, const dvVec3 *end, int k, double t)
{
  return dv_vec3_add_scaled(dv_vec3_scale(begin[k], 1 - t), end[k], t);
}

// the way between the points with the coordinates u and v
static dvVec3 between(bool lines, const dvVec3 *x, double u, double v)
{
  if (lines)
    return dv_vec3_sub(dv_vec3_add_scaled(dv_vec3_scale(x[0], 1 - u), x[1], u),
                       dv_vec3_add_scaled(dv_vec3_scale(x[2], 1 - v), x[3], v));
  return dv_vec3_sub(x[0], dv_vec3_add_scaled(dv_vec3_add_scaled(dv_vec3_scale(x[1], 1 - u - v), x[2], u), x[3], v));
}

typedef struct Case {
  dvVec3 begin[4], end[4];
  double time, u, v;   // of a meeting
} Case;

// corners that move at random; the first ones (the point, or one line) so that both meet at some time
static Case random_case(dvRandom *r, bool lines, size_t kind)
{
  Case c = {.time = dv_random(r, 0, 1), .u = dv_random(r, 0, 1), .v = dv_random(r, 0, 1)};
  if (!lines && c.u + c.v > 1) c.u = 1 - c.u, c.v = 1 - c.v;
  if (kind % 8 == 1) c.u = 0;
  if (kind % 8 == 2) c.u = 0, c.v = lines ? 1 : 0;
  if (kind % 8 == 3) c.time = kind & 8 ? 0 : 1;
  for (int k = 0; k < 4; k++) c.begin[k] = random_vector(r), c.end[k] = random_vector(r);
  switch (kind % 7) {
  case 1:   // no length
    c.begin[3] = c.begin[2], c.end[3] = c.end[2];
    break;
  case 2:   // parallel, or flat: the same plane all the time
    for (int k = 0; k < 4; k++) c.begin[k].z = c.end[k].z = 0;
    break;
  case 3:   // two corners go the same way
    c.begin[1] = dv_vec3_add(c.begin[0], dv_vec3_sub(c.begin[3], c.begin[2]));
    c.end[1] = dv_vec3_add(c.end[0], dv_vec3_sub(c.end[3], c.end[2]));
    break;
  case 4:   // nothing but the first moves
    for (int k = lines ? 2 : 1; k < 4; k++) c.end[k] = c.begin[k];
    break;
  default:
    break;
  }
  dvVec3 x[4];
  for (int k = 0; k < 4; k++) x[k] = at(c.begin, c.end, k, c.time);
  dvVec3 miss = between(lines, x, c.u, c.v);
  for (int k = 0; k < (lines ? 2 : 1); k++) {
    c.begin[k] = dv_vec3_sub(c.begin[k], miss);
    c.end[k] = dv_vec3_sub(c.end[k], miss);
  }
  return c;
}

static double clamp(double s) { return s < 0 ? 0 : s > 1 ? 1 : s; }

static double point_line(dvVec3 p, dvVec3 a, dvVec3 b)
{
  dvVec3 ab = dv_vec3_sub(b, a);
  double square = dv_vec3_norm2(ab), s = square > 0 ? clamp(dv_vec3_dot(dv_vec3_sub(p, a), ab) / square) : 0;
  return dv_vec3_norm(dv_vec3_sub(p, dv_vec3_add_scaled(a, ab, s)));
}

// the distance at a time
static double distance(bool lines, const Case *c, double t)
{
  dvVec3 x[4];
  for (int k = 0; k < 4; k++) x[k] = at(c->begin, c->end, k, t);
  if (lines) {
    double best = dv_min(dv_min(point_line(x[0], x[2], x[3]), point_line(x[1], x[2], x[3])),
                         dv_min(point_line(x[2], x[0], x[1]), point_line(x[3], x[0], x[1])));
    dvVec3 d = dv_vec3_sub(x[1], x[0]), e = dv_vec3_sub(x[3], x[2]), w = dv_vec3_sub(x[0], x[2]);
    double a = dv_vec3_norm2(d), b = dv_vec3_dot(d, e), f = dv_vec3_norm2(e), g = a * f - b * b;
    if (g < 1e-13) return best;
    double s = (b * dv_vec3_dot(e, w) - f * dv_vec3_dot(d, w)) / g,
           u = (a * dv_vec3_dot(e, w) - b * dv_vec3_dot(d, w)) / g;
    if (s >= 0 && s <= 1 && u >= 0 && u <= 1) best = dv_min(best, dv_vec3_norm(between(true, x, s, u)));
    return best;
  }
  double best = INFINITY;
  dvVec3 n = dv_vec3_cross(dv_vec3_sub(x[2], x[1]), dv_vec3_sub(x[3], x[1]));
  bool over = dv_vec3_norm(n) > 1e-13;
  for (int k = 0; k < 3; k++) {
    dvVec3 a = x[1 + k], b = x[1 + (k + 1) % 3];
    best = dv_min(best, point_line(x[0], a, b));
    over &= dv_vec3_dot(dv_vec3_cross(dv_vec3_sub(b, a), dv_vec3_sub(x[0], a)), n) >= 0;
  }
  if (over) best = dv_min(best, fabs(dv_vec3_dot(dv_vec3_normalise(n), dv_vec3_sub(x[0], x[1]))));
  return best;
}

static size_t number_of_cases(void)
{
  const char *asked = getenv("DIVAN_MEETINGS");
#ifdef __SANITIZE_ADDRESS__
  return asked ? (size_t)atol(asked) : 2000;
#else
  return asked ? (size_t)atol(asked) : 20000;
#endif
}

static bool meets(bool lines, const dvMeeting *m, const Case *c, double *time)
{
  return (lines ? dv_lines_meet : dv_point_meets_triangle)(m, c->begin, c->end, time);
}

static void nothing_is_missed(void **state)
{
  DV_UNUSED(state);
  size_t cases = number_of_cases(), near = 0, looked = 0;
  dvRandom r = dv_random_start(11);
  for (size_t i = 0; i < cases; i++) {
    bool lines = i & 1;
    Case c = random_case(&r, lines, i / 2);
    dvMeeting m = {.separation = i % 3 ? 0 : 1e-3, .tolerance = 1e-6, .rounds = 1000};
    double time = 2;
    assert_true(meets(lines, &m, &c, &time));
    assert_true(time >= 0 && time <= c.time + 1e-12);
    looked++;
    if (distance(lines, &c, time) < 2 * m.separation + 1e-3) near++;   // else it ran out of rounds
  }
  print_message("%zu of %zu times are exact\n", near, looked);
  assert_true(near * 10 > looked * 8);
}

// apart at a hundred times, by more than they can move in between
static void what_stays_apart(void **state)
{
  DV_UNUSED(state);
  size_t cases = number_of_cases() / 4, apart = 0;
  dvRandom r = dv_random_start(12);
  for (size_t i = 0; i < cases; i++) {
    bool lines = i & 1;
    Case c = random_case(&r, lines, i / 2);
    dvVec3 shift = dv_vec3_scale(random_vector(&r), 2);
    for (int k = 0; k < (lines ? 2 : 1); k++) {
      c.begin[k] = dv_vec3_add(c.begin[k], shift);
      c.end[k] = dv_vec3_add(c.end[k], shift);
    }
    double least = INFINITY, fastest = 0, time;
    for (int k = 0; k < 4; k++) fastest = dv_max(fastest, dv_vec3_norm(dv_vec3_sub(c.end[k], c.begin[k])));
    for (int k = 0; k <= 100; k++) least = dv_min(least, distance(lines, &c, 0.01 * k));
    dvMeeting m = {.separation = 0.005, .tolerance = 1e-8, .rounds = 100000};
    if (least < 0.01 * fastest + 0.02) continue;
    apart++;
    assert_false(meets(lines, &m, &c, &time));
  }
  assert_true(apart > cases / 10);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_missed), cmocka_unit_test(what_stays_apart)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
