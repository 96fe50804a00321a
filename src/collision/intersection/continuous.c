// Root inclusion for continuous collisions. See continuous.h.
//
//   point, triangle   F(t, u, v) = p - (1 - u - v) a - u b - v c          0 <= u, v and u + v <= 1
//   lines             F(t, u, v) = (1 - u) a + u b - (1 - v) c - v d      0 <= u, v <= 1
//
// with corners that are linear in t. F is linear in each of t, u and v alone, so over a box of them it lies within its
// values at the eight corners of the box (Wang et al.: A large-scale benchmark and an inclusion-based algorithm for
// continuous collision detection, 2021). A box whose values lie on one side of zero along some axis, by more than the
// separation and what rounding can do, has no meeting. Others are halved, across the direction in which F varies most.
// Of all boxes the one that begins first is looked at next, the smallest of such; the first of them in which F varies
// less than the tolerance, or lies within the separation all over, is the first meeting.
#include "collision/intersection/continuous.h"
#include "base/base.h"

#include <float.h>
#include <math.h>

typedef struct Box {
  double low[3], high[3];   // of t, u, v
  int halved;               // so many times
} Box;

typedef struct Problem {
  const dvVec3 *begin, *end;
  bool lines;
  double slack;   // separation and rounding
} Problem;

enum { WAITING = 512 };

static dvVec3 value(const Problem *p, const dvVec3 *x, double u, double v)
{
  if (p->lines)
    return dv_vec3_sub(dv_vec3_add_scaled(dv_vec3_scale(x[0], 1 - u), x[1], u),
                       dv_vec3_add_scaled(dv_vec3_scale(x[2], 1 - v), x[3], v));
  dvVec3 on = dv_vec3_add_scaled(dv_vec3_add_scaled(dv_vec3_scale(x[1], 1 - u - v), x[2], u), x[3], v);
  return dv_vec3_sub(x[0], on);
}

// F at the corners: bit 0 of the number is the side of t, bit 1 of u, bit 2 of v
static void corners(const Problem *p, const Box *b, double f[8][3])
{
  for (int side = 0; side < 2; side++) {
    double t = side ? b->high[0] : b->low[0];
    dvVec3 x[4];
    for (int k = 0; k < 4; k++) x[k] = dv_vec3_add_scaled(dv_vec3_scale(p->begin[k], 1 - t), p->end[k], t);
    for (int k = 0; k < 4; k++)
      dv_vec3_store(f[side | k << 1], value(p, x, k & 1 ? b->high[1] : b->low[1], k & 2 ? b->high[2] : b->low[2]));
  }
}

typedef enum Found { NOWHERE, SOMEWHERE, EVERYWHERE } Found;

// where in the box they may meet
static Found where(double f[8][3], double slack)
{
  Found found = EVERYWHERE;
  for (int k = 0; k < 3; k++) {
    double low = f[0][k], high = f[0][k];
    for (int i = 1; i < 8; i++) low = dv_min(low, f[i][k]), high = dv_max(high, f[i][k]);
    if (low > slack || high < -slack) return NOWHERE;
    if (low < -slack || high > slack) found = SOMEWHERE;
  }
  return found;
}

// how much F varies along t, u or v
static double variation(double f[8][3], int direction)
{
  double most = 0;
  for (int i = 0; i < 8; i++)
    for (int k = 0; k < 3; k++) most = dv_max(most, fabs(f[i | 1 << direction][k] - f[i & ~(1 << direction)][k]));
  return most;
}

static Box take_first(Box *waiting, int *count)
{
  int first = 0;
  for (int i = 1; i < *count; i++) {
    const Box *a = &waiting[i], *b = &waiting[first];
    if (a->low[0] < b->low[0] || (a->low[0] == b->low[0] && a->halved >= b->halved)) first = i;
  }
  Box b = waiting[first];
  waiting[first] = waiting[--*count];
  return b;
}

// the direction in which F varies most and that can still be halved; how much goes to *most
static int widest(double f[8][3], const Box *b, double *most)
{
  int direction = 0;
  *most = 0;
  for (int k = 0; k < 3; k++) {
    double middle = 0.5 * (b->low[k] + b->high[k]), v = variation(f, k);
    if (v > *most && middle > b->low[k] && middle < b->high[k]) *most = v, direction = k;
  }
  return direction;
}

static bool search(const Problem *p, const dvMeeting *m, double *time)
{
  Box waiting[WAITING];
  int count = 1;
  waiting[0] = (Box){.low = {0, 0, 0}, .high = {1, 1, 1}};
  for (long round = 0; count; round++) {
    Box b = take_first(waiting, &count);
    double f[8][3], most;
    if (!p->lines && b.low[1] + b.low[2] > 1) continue;
    corners(p, &b, f);
    Found found = where(f, p->slack);
    if (found == NOWHERE) continue;
    int k = widest(f, &b, &most);
    if (found == EVERYWHERE || most <= m->tolerance || round >= m->rounds || count + 2 > WAITING) {
      *time = b.low[0];
      return true;
    }
    double middle = 0.5 * (b.low[k] + b.high[k]);
    b.halved++;
    waiting[count] = waiting[count + 1] = b;
    waiting[count].low[k] = waiting[count + 1].high[k] = middle;
    count += 2;
  }
  return false;
}

static bool meet(const dvMeeting *m, const dvVec3 *begin, const dvVec3 *end, bool lines, double *time)
{
  double size = 0;
  for (int k = 0; k < 4; k++) {
    size = dv_max(size, dv_max(fabs(begin[k].x), dv_max(fabs(begin[k].y), fabs(begin[k].z))));
    size = dv_max(size, dv_max(fabs(end[k].x), dv_max(fabs(end[k].y), fabs(end[k].z))));
  }
  if (!isfinite(size)) return false;   // who diverges is told elsewhere
  Problem p = {begin, end, lines, m->separation + 64 * DBL_EPSILON * size};
  return search(&p, m, time);
}

bool dv_point_meets_triangle(const dvMeeting *m, const dvVec3 begin[4], const dvVec3 end[4], double *time)
{
  return meet(m, begin, end, false, time);
}

bool dv_lines_meet(const dvMeeting *m, const dvVec3 begin[4], const dvVec3 end[4], double *time)
{
  return meet(m, begin, end, true, time);
}
