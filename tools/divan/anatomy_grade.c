// divan anatomy: tetrahedra deep inside of an organ become larger.
//
// MeshTetraStuffing makes them of one size. A point v inside goes when it can be drawn onto a neighbour u: the
// tetrahedra of the edge vanish, and those that are left around v get u in its place. They fill what they filled before
// as long as all of them have a positive volume, since they are the cone from u over the border of what is around v. So
// neither volume nor surface changes. Wanted at a depth d below the surface, or at a distance d from where parts of the
// organ meet if that is less, are edges of the length
//
//   s(d) = cell (1 + (grade - 1) min(1, d / (3 cell)))
//
// Edges shorter than 0.8 s go, none longer than 4/3 s comes, and no tetrahedron becomes worse than WORST.
#include "anatomy.h"

#include <math.h>
#include <string.h>

#define WORST 0.3   // quality, 1 for a regular one
enum { PASSES = 12 };

typedef struct Grader {
  Thing *t;
  double *depth;             // of each point
  int32_t *first, *around;   // tetrahedra around each point, from first[p] to first[p + 1] - 1
  uint8_t *locked;           // its neighbourhood has changed in this pass
  uint8_t *gone;             // of each tetrahedron
} Grader;

static dvVec3 place(const Grader *g, int32_t p) { return dv_vec3_load(g->t->x.data + 3 * (size_t)p); }

static double wanted(const Grader *g, int32_t p)
{
  double cell = g->t->cell;
  return cell * (1 + (g->t->grade - 1) * fmin(1, g->depth[p] / (3 * cell)));
}

static double distance(const Grader *g, int32_t p, int32_t q)
{
  return dv_vec3_norm(dv_vec3_sub(place(g, p), place(g, q)));
}

// 6 sqrt 2 V over the cube of the root mean square of the edges; negative when it is turned inside out
static double quality(const Grader *g, const int32_t *e)
{
  double squares = 0;
  for (int i = 0; i < 4; i++)
    for (int k = i + 1; k < 4; k++) squares += dv_vec3_norm2(dv_vec3_sub(place(g, e[i]), place(g, e[k]))) / 6;
  dvVec3 o = place(g, e[0]);
  double six = dv_vec3_dot(dv_vec3_cross(dv_vec3_sub(place(g, e[1]), o), dv_vec3_sub(place(g, e[2]), o)),
                           dv_vec3_sub(place(g, e[3]), o));
  return squares > 0 ? six * sqrt(2) / (squares * sqrt(squares)) : 0;
}

// along edges, from the surface inwards, and from where parts of the organ meet
static void measure_depths(Grader *g)
{
  const Thing *t = g->t;
  bool changed = true;
  for (size_t i = 0; i < t->border.count; i++) g->depth[i] = t->border.data[i] || t->fine.data[i] ? 0 : INFINITY;
  for (int sweep = 0; sweep < 200 && changed; sweep++) {
    changed = false;
    for (size_t i = 0; i < t->tetrahedra.count; i += 4)
      for (int k = 0; k < 12; k++) {
        int32_t p = t->tetrahedra.data[i + (size_t)(k / 3)],
                q = t->tetrahedra.data[i + (size_t)((k / 3 + k % 3 + 1) % 4)];
        double d = g->depth[p] + distance(g, p, q);
        if (d < g->depth[q]) g->depth[q] = d, changed = true;
      }
  }
}

static void list_around(Grader *g)
{
  const Thing *t = g->t;
  size_t points = t->x.count / 3;
  memset(g->first, 0, (points + 1) * sizeof *g->first);
  for (size_t i = 0; i < t->tetrahedra.count; i++) g->first[t->tetrahedra.data[i] + 1]++;
  for (size_t p = 0; p < points; p++) g->first[p + 1] += g->first[p];
  for (size_t i = t->tetrahedra.count; i-- > 0;) {   // filled from behind, then the begins are right again
    int32_t p = t->tetrahedra.data[i];
    g->around[--g->first[p + 1]] = (int32_t)(i / 4);
  }
  memmove(g->first, g->first + 1, points * sizeof *g->first);
  g->first[points] = (int32_t)t->tetrahedra.count;
}

static bool has(const int32_t *e, int32_t p) { return e[0] == p || e[1] == p || e[2] == p || e[3] == p; }

// may v go to u?
static bool can_go(const Grader *g, int32_t v, int32_t u)
{
  for (int32_t i = g->first[v]; i < g->first[v + 1]; i++) {
    const int32_t *e = g->t->tetrahedra.data + 4 * (size_t)g->around[i];
    if (has(e, u)) continue;
    int32_t moved[4];
    for (int k = 0; k < 4; k++) {
      moved[k] = e[k] == v ? u : e[k];
      if (moved[k] != u && distance(g, moved[k], u) > 4.0 / 3 * 0.5 * (wanted(g, moved[k]) + wanted(g, u)))
        return false;
    }
    if (!(quality(g, moved) >= WORST)) return false;
  }
  return true;
}

static void go(Grader *g, int32_t v, int32_t u)
{
  for (int32_t i = g->first[v]; i < g->first[v + 1]; i++) {
    int32_t *e = g->t->tetrahedra.data + 4 * (size_t)g->around[i];
    for (int k = 0; k < 4; k++) g->locked[e[k]] = 1;
    if (has(e, u)) g->gone[g->around[i]] = 1;
    for (int k = 0; k < 4; k++)
      if (e[k] == v) e[k] = u;
  }
}

// the shortest edge of v that may go, when its surroundings are as they were at the begin of the pass
static bool try_point(Grader *g, int32_t v)
{
  int32_t best = -1;
  double shortest = INFINITY;
  for (int32_t i = g->first[v]; i < g->first[v + 1]; i++) {
    const int32_t *e = g->t->tetrahedra.data + 4 * (size_t)g->around[i];
    for (int k = 0; k < 4; k++) {
      if (g->locked[e[k]]) return false;
      double d = distance(g, v, e[k]);
      if (e[k] == v || d >= shortest || d > 0.8 * 0.5 * (wanted(g, v) + wanted(g, e[k]))) continue;
      if (can_go(g, v, e[k])) shortest = d, best = e[k];
    }
  }
  if (best >= 0) go(g, v, best);
  return best >= 0;
}

// tetrahedra that are gone go, and points that none has
static void tidy(Grader *g)
{
  Thing *t = g->t;
  size_t kept = 0, points = t->x.count / 3, used = 0;
  int32_t *number = g->first;   // made again before it is used
  for (size_t i = 0; i < t->tetrahedra.count / 4; i++) {
    if (g->gone[i]) continue;
    memmove(t->tetrahedra.data + 4 * kept++, t->tetrahedra.data + 4 * i, 4 * sizeof(int32_t));
  }
  t->tetrahedra.count = 4 * kept;
  for (size_t p = 0; p < points; p++) number[p] = -1;
  for (size_t i = 0; i < t->tetrahedra.count; i++) number[t->tetrahedra.data[i]] = 0;
  for (size_t p = 0; p < points; p++) {
    if (number[p] < 0) continue;
    memmove(t->x.data + 3 * used, t->x.data + 3 * p, 3 * sizeof(double));
    t->border.data[used] = t->border.data[p];
    g->depth[used] = g->depth[p];
    number[p] = (int32_t)used++;
  }
  for (size_t i = 0; i < t->tetrahedra.count; i++) t->tetrahedra.data[i] = number[t->tetrahedra.data[i]];
  t->x.count = 3 * used;
  t->border.count = used;
}

static size_t pass(Grader *g)
{
  size_t points = g->t->x.count / 3, count = 0;
  list_around(g);
  memset(g->locked, 0, points);
  memset(g->gone, 0, g->t->tetrahedra.count / 4);
  for (size_t v = 0; v < points; v++)
    if (!g->t->border.data[v] && try_point(g, (int32_t)v)) count++;
  tidy(g);
  return count;
}

bool grade_tetrahedra(Thing *t)
{
  if (!(t->grade > 1)) return true;
  size_t points = t->x.count / 3;
  Grader g = {.t = t,
              .depth = dv_try_alloc(points * sizeof(double) + 1),
              .first = dv_try_alloc((points + 2) * sizeof(int32_t)),
              .around = dv_try_alloc(t->tetrahedra.count * sizeof(int32_t) + 1),
              .locked = dv_try_alloc(points + 1),
              .gone = dv_try_alloc(t->tetrahedra.count / 4 + 1)};
  bool good = g.depth && g.first && g.around && g.locked && g.gone;
  if (good) measure_depths(&g);
  for (int i = 0; i < PASSES && good; i++)
    if (!pass(&g)) break;
  dv_free(g.depth);
  dv_free(g.first);
  dv_free(g.around);
  dv_free(g.locked);
  dv_free(g.gone);
  return good;
}
