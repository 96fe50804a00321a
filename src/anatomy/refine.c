// The second half of the search for a centreline (centreline.h): from paths of voxels to points in the middle of their
// sections.
//
// A section is a plane across the branch. Rays in it meet the wall, where the voxels' values, interpolated, are a half,
// at distances rho; its centroid is where the point belongs, and sqrt(area / pi) the radius:
//
//   area = 1/2 sum rho^2 dangle,   centroid = 1/3 sum rho^3 e dangle / area
//
// Near a junction sections are not those of one branch. There the branch runs straight from where it was seen last to
// the junction, which lies nearest to the lines of the branches that meet in it.
#include "anatomy/centreline.h"

#include <math.h>
#include <string.h>

enum { RAYS = 24, ROUNDS = 4 };

typedef DV_ARRAY(dvVesselPoint) Points;

typedef struct Branch {
  int32_t from, to;
  bool gone;
  Points p;
} Branch;

typedef struct Work {
  const dvTrace *t;
  DV_ARRAY(Branch) branches;
  DV_ARRAY(dvVesselNode) nodes;
} Work;

// --- tidying -------------------------------------------------------------------------------------

static double length_of(const Points *p)
{
  double sum = 0;
  for (size_t i = 1; i < p->count; i++) sum += dv_vec3_norm(dv_vec3_sub(p->data[i].x, p->data[i - 1].x));
  return sum;
}

static void turn_around(Points *p)
{
  for (size_t i = 0, j = p->count; i + 1 < j; i++) {
    dvVesselPoint keep = p->data[i];
    p->data[i] = p->data[--j];
    p->data[j] = keep;
  }
}

static void count_degrees(Work *w)
{
  for (size_t i = 0; i < w->nodes.count; i++) w->nodes.data[i].degree = 0;
  for (size_t i = 0; i < w->branches.count; i++) {
    const Branch *b = &w->branches.data[i];
    if (b->gone) continue;
    w->nodes.data[b->from].degree++;
    w->nodes.data[b->to].degree++;
  }
}

static void remove_branch(Branch *b)
{
  b->gone = true;
  dv_array_free(&b->p);
}

// Ends that hardly leave the vessel they spring from are bumps of its wall; at each junction one at a time, the
// shortest.
static bool remove_bumps(Work *w)
{
  double *least = dv_alloc((w->nodes.count + 1) * sizeof *least);
  int32_t *which = dv_alloc((w->nodes.count + 1) * sizeof *which);
  bool any = false;
  for (size_t i = 0; i < w->branches.count; i++) {
    const Branch *b = &w->branches.data[i];
    if (b->gone) continue;
    int32_t ends[2] = {b->from, b->to};
    for (int e = 0; e < 2; e++) {
      int32_t node = ends[e];
      double length = length_of(&b->p);
      if (w->nodes.data[node].degree < 3 || w->nodes.data[ends[1 - e]].degree != 1) continue;
      if (length > w->nodes.data[node].radius + 2 * w->t->coarsest) continue;
      if (which[node] && least[node] <= length) continue;
      which[node] = (int32_t)i + 1;
      least[node] = length;
    }
  }
  for (size_t n = 0; n < w->nodes.count; n++)
    if (which[n]) remove_branch(&w->branches.data[which[n] - 1]), any = true;
  dv_free(least);
  dv_free(which);
  return any;
}

// two junctions inside of each other are one
static bool merge_junctions(Work *w)
{
  bool any = false;
  for (size_t i = 0; i < w->branches.count; i++) {
    Branch *b = &w->branches.data[i];
    if (b->gone || w->nodes.data[b->from].degree < 3 || w->nodes.data[b->to].degree < 3) continue;
    if (b->from == b->to || length_of(&b->p) > w->nodes.data[b->from].radius) continue;
    int32_t from = b->from, to = b->to;
    remove_branch(b);
    for (size_t j = 0; j < w->branches.count; j++) {
      Branch *c = &w->branches.data[j];
      if (c->from == to) c->from = from;
      if (c->to == to) c->to = from;
    }
    any = true;
    count_degrees(w);
  }
  return any;
}

// what passes through a node without another branch is one branch
static bool join_through(Work *w)
{
  int32_t *first = dv_alloc((w->nodes.count + 1) * sizeof *first);
  bool any = false;
  for (size_t i = 0; i < w->branches.count; i++) {
    Branch *b = &w->branches.data[i];
    for (int e = 0; e < 2 && !b->gone; e++) {
      int32_t node = e ? b->to : b->from;
      if (w->nodes.data[node].degree != 2) continue;
      if (!first[node] || first[node] - 1 == (int32_t)i) {
        first[node] = (int32_t)i + 1;
        continue;
      }
      Branch *a = &w->branches.data[first[node] - 1];
      if (a->gone) continue;
      if (a->to != node) turn_around(&a->p), a->from ^= a->to, a->to ^= a->from, a->from ^= a->to;
      if (b->from != node) turn_around(&b->p), b->from ^= b->to, b->to ^= b->from, b->from ^= b->to;
      for (size_t k = 1; k < b->p.count; k++) dv_push(&a->p, b->p.data[k]);
      a->to = b->to;
      remove_branch(b);
      any = true;
    }
  }
  dv_free(first);
  return any;
}

// a part that is not longer than it is wide
static void remove_blobs(Work *w)
{
  for (size_t i = 0; i < w->branches.count; i++) {
    Branch *b = &w->branches.data[i];
    if (b->gone || w->nodes.data[b->from].degree != 1 || w->nodes.data[b->to].degree != 1) continue;
    double widest = 0;
    for (size_t k = 0; k < b->p.count; k++) widest = fmax(widest, b->p.data[k].radius);
    if (length_of(&b->p) < 3 * widest + 2 * w->t->coarsest) remove_branch(b);
  }
}

static void tidy(Work *w)
{
  for (bool again = true; again;) {
    count_degrees(w);
    again = remove_bumps(w);
    count_degrees(w);
    again |= merge_junctions(w);
    count_degrees(w);
    again |= join_through(w);
  }
  count_degrees(w);
  remove_blobs(w);
  count_degrees(w);
}

// --- sections ------------------------------------------------------------------------------------

// values of voxels, 1 inside and 0 outside, interpolated between their middles
static double filled_at(const dvMask *m, dvVec3 p)
{
  const double at[3] = {p.x / m->size[0] - 0.5, p.y / m->size[1] - 0.5, p.z / m->size[2] - 0.5};
  int32_t low[3];
  double part[3], sum = 0;
  for (int k = 0; k < 3; k++) {
    if (!(at[k] >= 0 && at[k] < m->n[k] - 1)) return 0;
    low[k] = (int32_t)at[k];
    part[k] = at[k] - low[k];
  }
  for (int c = 0; c < 8; c++) {
    double share = 1;
    for (int k = 0; k < 3; k++) share *= c >> k & 1 ? part[k] : 1 - part[k];
    if (m->inside[dv_mask_number(m, low[0] + (c & 1), low[1] + (c >> 1 & 1), low[2] + (c >> 2))]) sum += share;
  }
  return sum;
}

// how far the wall is along a direction; more than `most` when it is farther
static double wall_along(const dvTrace *t, dvVec3 from, dvVec3 direction, double most)
{
  double step = 0.3 * t->finest, before = filled_at(t->m, from);
  for (double way = step; way <= most + step; way += step) {
    double now = filled_at(t->m, dv_vec3_add_scaled(from, direction, way));
    if (now < 0.5) return before > now ? way - step * (0.5 - now) / (before - now) : way;
    before = now;
  }
  return 2 * most;
}

static void plane_axes(dvVec3 normal, dvVec3 *u, dvVec3 *v)
{
  dvVec3 aside = fabs(normal.x) < 0.7 ? dv_vec3(1, 0, 0) : dv_vec3(0, 1, 0);
  *u = dv_vec3_normalise(dv_vec3_cross(normal, aside));
  *v = dv_vec3_cross(normal, *u);
}

// false where the section is that of more than one branch, or the point is not inside
static bool section(const dvTrace *t, dvVec3 p, dvVec3 along, double about, dvVesselPoint *out)
{
  dvVec3 u, v, sum = dv_vec3(0, 0, 0);
  double most = 1.8 * about + 2 * t->finest, area = 0, angle = 2 * M_PI / RAYS;
  if (filled_at(t->m, p) < 0.5) return false;
  plane_axes(along, &u, &v);
  for (int i = 0; i < RAYS; i++) {
    dvVec3 e = dv_vec3_add(dv_vec3_scale(u, cos(i * angle)), dv_vec3_scale(v, sin(i * angle)));
    double rho = wall_along(t, p, e, most);
    if (rho > most) return false;
    area += rho * rho / 2 * angle;
    sum = dv_vec3_add_scaled(sum, e, rho * rho * rho / 3 * angle);
  }
  if (!(area > 0)) return false;
  *out = (dvVesselPoint){dv_vec3_add_scaled(p, sum, 1 / area), sqrt(area / M_PI)};
  return true;
}

// --- points --------------------------------------------------------------------------------------

static void smooth(Points *p, int passes)
{
  for (int n = 0; n < passes; n++) {
    dvVec3 before = p->count ? p->data[0].x : dv_vec3(0, 0, 0);
    for (size_t i = 1; i + 1 < p->count; i++) {
      dvVec3 here = p->data[i].x, mean = dv_vec3_scale(dv_vec3_add(before, p->data[i + 1].x), 0.5);
      p->data[i].x = dv_vec3_scale(dv_vec3_add(here, mean), 0.5);
      before = here;
    }
  }
}

// points at equal distances, about `step`
static void resample(Points *p, double step)
{
  double total = length_of(p), done = 0;
  size_t pieces = dv_max_size((size_t)ceil(total / step), 4), at = 0;
  Points out = {0};
  for (size_t i = 0; i <= pieces; i++) {
    double wanted = total * (double)i / (double)pieces, side = 0;
    while (at + 1 < p->count) {
      side = dv_vec3_norm(dv_vec3_sub(p->data[at + 1].x, p->data[at].x));
      if (done + side >= wanted || at + 2 == p->count) break;
      done += side;
      at++;
    }
    double part = side > 0 ? fmin(fmax((wanted - done) / side, 0), 1) : 0;
    const dvVesselPoint *a = &p->data[at], *b = &p->data[dv_min_size(at + 1, p->count - 1)];
    dv_push(&out, ((dvVesselPoint){dv_vec3_add_scaled(a->x, dv_vec3_sub(b->x, a->x), part),
                                   a->radius + part * (b->radius - a->radius)}));
  }
  dv_array_free(p);
  *p = out;
}

static dvVec3 direction_at(const Points *p, size_t i, size_t reach)
{
  size_t a = i > reach ? i - reach : 0, b = dv_min_size(i + reach, p->count - 1);
  return dv_vec3_normalise(dv_vec3_sub(p->data[b].x, p->data[a].x));
}

// The points that one can see: outside of the junctions at the ends. *last is behind them.
static void visible(const Work *w, const Branch *b, size_t *first, size_t *last)
{
  double total = length_of(&b->p), step = total / (double)(b->p.count - 1);
  double zone[2];
  for (int e = 0; e < 2; e++) {
    const dvVesselNode *n = &w->nodes.data[e ? b->to : b->from];
    zone[e] = n->degree > 1 ? 1.3 * n->radius : 0;
  }
  *first = dv_min_size((size_t)ceil(zone[0] / step), b->p.count);
  size_t cut = dv_min_size((size_t)ceil(zone[1] / step), b->p.count);
  *last = b->p.count - cut;
}

// Each visible point moves towards the middle of its section; `seen` tells of which that is known.
static void centre(const Work *w, Branch *b, uint8_t *seen)
{
  size_t first, last;
  visible(w, b, &first, &last);
  memset(seen, 0, b->p.count);
  Points to = {0};
  for (size_t i = 0; i < b->p.count; i++) {
    dvVesselPoint here = b->p.data[i], found;
    size_t reach = dv_max_size((size_t)(here.radius / w->t->finest), 2);
    dv_push(&to, here);
    if (i < first || i >= last || !section(w->t, here.x, direction_at(&b->p, i, reach), here.radius, &found)) continue;
    to.data[i].x = dv_vec3_add_scaled(here.x, dv_vec3_sub(found.x, here.x), 0.8);
    to.data[i].radius = found.radius;
    seen[i] = 1;
  }
  dv_array_free(&b->p);
  b->p = to;
}

// an end is where the wall is a radius away
static void draw_back(const Work *w, Branch *b, bool at_end)
{
  if (w->nodes.data[at_end ? b->to : b->from].degree != 1) return;
  if (!at_end) turn_around(&b->p);
  double total = length_of(&b->p), way = 0, widest = 0;
  size_t keep = b->p.count;
  for (size_t i = b->p.count; i-- > 1 && way < total / 2;) {
    way += dv_vec3_norm(dv_vec3_sub(b->p.data[i].x, b->p.data[i - 1].x));
    widest = fmax(widest, b->p.data[i - 1].radius);
    if (way >= widest) break;
    keep = i;
  }
  b->p.count = dv_max_size(keep, 3);
  if (!at_end) turn_around(&b->p);
}

// what is not seen at an end of a branch gets the radius of the nearest that is
static void spread_radii(Branch *b, const uint8_t *seen)
{
  double last = -1;
  for (size_t i = 0; i < b->p.count; i++) {
    if (seen[i]) last = b->p.data[i].radius;
    else if (last > 0) b->p.data[i].radius = last;
  }
  for (size_t i = b->p.count; i-- > 0;) {
    if (seen[i]) last = b->p.data[i].radius;
    else if (last > 0) b->p.data[i].radius = fmin(b->p.data[i].radius, last);
  }
}

static bool refine_branch(const Work *w, Branch *b)
{
  smooth(&b->p, 4);
  resample(&b->p, w->t->finest);
  // first: what leads into the edge of a flat end would turn the sections near it
  draw_back(w, b, true);
  draw_back(w, b, false);
  uint8_t *seen = dv_try_alloc(b->p.count);
  if (!seen) return false;
  for (int n = 0; n < ROUNDS; n++) {
    centre(w, b, seen);
    smooth(&b->p, 2);
  }
  spread_radii(b, seen);
  dv_free(seen);
  return true;
}

// --- junctions -----------------------------------------------------------------------------------

typedef struct Meeting {
  dvMat3 a;   // sum of (1 - d d^T) over the lines that meet
  dvVec3 b;
  int lines;
} Meeting;

static void add_line(Meeting *m, dvVec3 x, dvVec3 d)
{
  dvMat3 across = dv_mat3_sub(dv_mat3_identity(), dv_mat3_outer(d, d));
  m->a = dv_mat3_add(m->a, across);
  m->b = dv_vec3_add(m->b, dv_mat3_mul_vec(across, x));
  m->lines++;
}

// the point where a branch leaves a junction, and its direction there
static bool leaves_at(const Work *w, const Branch *b, bool at_end, size_t *index)
{
  size_t first, last;
  visible(w, b, &first, &last);
  if (first + 3 > last) return false;
  *index = at_end ? last - 1 : first;
  return true;
}

static bool place_junctions(Work *w)
{
  Meeting *meet = dv_try_alloc((w->nodes.count + 1) * sizeof *meet);
  if (!meet) return false;
  for (size_t i = 0; i < w->branches.count; i++) {
    const Branch *b = &w->branches.data[i];
    for (int e = 0; e < 2 && !b->gone; e++) {
      int32_t node = e ? b->to : b->from;
      size_t at;
      if (w->nodes.data[node].degree == 1) {
        w->nodes.data[node].x = b->p.data[e ? b->p.count - 1 : 0].x;
        w->nodes.data[node].radius = b->p.data[e ? b->p.count - 1 : 0].radius;
      } else if (leaves_at(w, b, e, &at)) {
        size_t reach = dv_max_size((size_t)(b->p.data[at].radius / w->t->finest), 2);
        add_line(&meet[node], b->p.data[at].x, direction_at(&b->p, at, reach));
      }
    }
  }
  for (size_t n = 0; n < w->nodes.count; n++) {
    dvVesselNode *node = &w->nodes.data[n];
    dvMat3 inverse;
    // lines that are nearly parallel leave the place along them open: the path's node holds it weakly
    Meeting m = meet[n];
    if (node->degree < 3 || m.lines < 2) continue;
    m.a = dv_mat3_add(m.a, dv_mat3_scale(dv_mat3_identity(), 0.05));
    m.b = dv_vec3_add_scaled(m.b, node->x, 0.05);
    if (!dv_mat3_inverse(m.a, &inverse)) continue;
    dvVec3 x = dv_mat3_mul_vec(inverse, m.b), way = dv_vec3_sub(x, node->x);
    double far = dv_vec3_norm(way), most = 1.5 * node->radius;
    node->x = far > most ? dv_vec3_add_scaled(node->x, way, most / far) : x;
  }
  dv_free(meet);
  return true;
}

// from the junction to the first point that was seen, along a line
static void straighten(const Work *w, Branch *b)
{
  for (int e = 0; e < 2; e++) {
    const dvVesselNode *node = &w->nodes.data[e ? b->to : b->from];
    if (node->degree < 2) continue;
    size_t at, last = b->p.count - 1;
    if (!leaves_at(w, b, e, &at)) at = e ? last - last / 2 : last / 2;
    dvVesselPoint *p = b->p.data, target = p[at];
    size_t steps = e ? last - at : at;
    for (size_t k = 0; k < steps; k++) {
      double part = (double)k / (double)steps;
      p[e ? last - k : k].x = dv_vec3_add_scaled(node->x, dv_vec3_sub(target.x, node->x), part);
    }
    if (!steps) p[e ? last : 0].x = node->x;
  }
}

// --- all of it -----------------------------------------------------------------------------------

static bool take_branches(Work *w, dvVessels *v)
{
  for (size_t i = 0; i < v->branches.count; i++) {
    const dvVesselBranch *from = &v->branches.data[i];
    Branch b = {.from = from->from, .to = from->to};
    if (!dv_try_reserve(&b.p, (size_t)from->count) || !dv_try_reserve(&w->branches, 1)) return false;
    for (int32_t k = from->count; k-- > 0;) dv_push(&b.p, v->points.data[from->first + k]);
    dv_push(&w->branches, b);
  }
  for (size_t i = 0; i < v->nodes.count; i++) dv_push(&w->nodes, v->nodes.data[i]);
  return true;
}

// back into lists, in their place, with the nodes that are left
static void give_branches(Work *w, dvVessels *v)
{
  const dvMask *m = w->t->m;
  int32_t *number = dv_alloc((w->nodes.count + 1) * sizeof *number);
  v->branches.count = v->points.count = v->nodes.count = 0;
  for (size_t i = 0; i < w->branches.count; i++) {
    Branch *b = &w->branches.data[i];
    if (b->gone) continue;
    dvVesselBranch out = {.first = (int32_t)v->points.count, .count = (int32_t)b->p.count};
    for (int e = 0; e < 2; e++) {
      int32_t node = e ? b->to : b->from;
      if (!number[node]) {
        dvVesselNode n = w->nodes.data[node];
        n.x = dv_mask_place(m, n.x);
        dv_push(&v->nodes, n);
        number[node] = (int32_t)v->nodes.count;
      }
      *(e ? &out.to : &out.from) = number[node] - 1;
    }
    for (size_t k = 0; k < b->p.count; k++)
      dv_push(&v->points, ((dvVesselPoint){dv_mask_place(m, b->p.data[k].x), b->p.data[k].radius}));
    dv_push(&v->branches, out);
  }
  dv_free(number);
}

bool dv_trace_refine(const dvTrace *t, dvVessels *v)
{
  Work w = {.t = t};
  bool good = take_branches(&w, v);
  if (good) tidy(&w);
  for (size_t i = 0; good && i < w.branches.count; i++)
    if (!w.branches.data[i].gone) good = refine_branch(&w, &w.branches.data[i]);
  good = good && place_junctions(&w);
  for (size_t i = 0; good && i < w.branches.count; i++)
    if (!w.branches.data[i].gone) straighten(&w, &w.branches.data[i]);
  if (good) {
    give_branches(&w, v);
    dv_vessels_order(v);
  }
  for (size_t i = 0; i < w.branches.count; i++) dv_array_free(&w.branches.data[i].p);
  dv_array_free(&w.branches);
  dv_array_free(&w.nodes);
  return good;
}
