// See ventricle.h.
#include "heart/ventricle.h"

#include "base/array.h"
#include "math/vec.h"

#include <math.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

double dv_ventricle_cavity(double s, double l, double b)
{
  return pi * s * s * (2 * l / 3 + b - b * b * b / (3 * l * l));
}

const char *dv_ventricle_problem(const dvVentricleShape *s, const void **member)
{
  const struct {
    const void *member;
    bool good;
    const char *problem;
  } checks[] = {
      {&s->inner, fabs(s->inner[0]) + fabs(s->inner[1]) < 1e6, "radii of the endocardium are beyond all bounds"},
      {&s->outer, fabs(s->outer[0]) + fabs(s->outer[1]) < 1e6, "radii of the epicardium are beyond all bounds"},
      {&s->angles, fabs(s->angles[0]) + fabs(s->angles[1]) < 1e6, "angles of fibres are beyond all bounds"},
      {&s->right, fabs(s->right) < 1e6, "the right wall is thick beyond all bounds"},
      {&s->gap, fabs(s->gap) < 1e6, "the gap of the right cavity is beyond all bounds"},
      {&s->inner, s->inner[0] > 0 && s->inner[1] > 0, "the radii of the endocardium are not above 0"},
      {&s->outer, s->outer[0] > s->inner[0] && s->outer[1] > s->inner[1],
       "the epicardium is not outside the endocardium"},
      {&s->base, fabs(s->base) < s->inner[1], "the base plane does not cut the endocardium"},
      {&s->spacing, s->spacing > 0, "the distance of points is not above 0"},
      {&s->spacing, s->spacing <= s->outer[0], "points are farther apart than the ventricle is wide"},
      {&s->layers, s->layers >= 1 && s->layers <= 1000, "there must be 1 to 1000 layers"},
      {&s->right, s->right >= 0, "the right wall has a negative thickness"},
      {&s->gap, !(s->right > 0) || s->gap > 0, "the right cavity needs a gap above 0"},
  };
  for (size_t i = 0; i < DV_COUNT(checks); i++) {
    *member = checks[i].member;
    if (!checks[i].good) return checks[i].problem;
  }
  return NULL;
}

// --- rings ---

typedef struct Ring {
  int first, count;   // columns
} Ring;

typedef struct Column {
  int ring;
  double fraction, v;   // of the way from apex to base; angle around
  double gap;           // of the right wall, 0 where it is grown on
  double wall;          // its thickness, 0 where it ends
} Column;

typedef struct Maker {
  const dvVentricleShape *s;
  dvVentricle *out;
  DV_ARRAY(Ring) rings;
  DV_ARRAY(Column) columns;
  DV_ARRAY(int32_t) strips;   // triangles of columns, turned outwards
  int right_layers;
  DV_ARRAY(int32_t) first_right;   // of each column: its first point of the right wall's layers; -1 without
  bool good;
} Maker;

// meridian of the middle of the wall
static double angle_at(const dvVentricleShape *s, double t, double fraction)
{
  double l = s->inner[1] + t * (s->outer[1] - s->inner[1]);
  return pi + (acos(s->base / l) - pi) * fraction;
}

static double meridian(const dvVentricleShape *s)
{
  double a = 0.5 * (s->inner[0] + s->outer[0]), l = 0.5 * (s->inner[1] + s->outer[1]), sum = 0;
  enum { STEPS = 200 };
  double low = angle_at(s, 0.5, 1), step = (pi - low) / STEPS;
  for (int i = 0; i < STEPS; i++) {
    double u = low + (i + 0.5) * step;
    sum += step * sqrt(a * a * cos(u) * cos(u) + l * l * sin(u) * sin(u));
  }
  return sum;
}

static int ring_count(const dvVentricleShape *s)
{
  return dv_max_int(2, (int)fmin(ceil(meridian(s) / s->spacing - 1e-9), 100000));
}

static int ring_size(const dvVentricleShape *s, int ring, int rings)
{
  if (ring == 0) return 1;
  double r = 0.5 * (s->inner[0] + s->outer[0]) * sin(angle_at(s, 0.5, (double)ring / rings));
  return dv_max_int(6, (int)fmin(round(2 * pi * r / s->spacing), 1000000));
}

double dv_ventricle_points(const dvVentricleShape *s)
{
  double sum = 0;
  int rings = ring_count(s);
  for (int i = 0; i <= rings; i++) sum += ring_size(s, i, rings);
  double right = s->right > 0 ? 0.4 * sum * (1 + ceil(s->right / s->spacing)) : 0;
  return sum * (s->layers + 1) + right;
}

static void measure_gap(const dvVentricleShape *s, Column *c)
{
  const double half = 1.25, lowest = 0.3, rim = 0.12;   // of the patch around; where it begins; rim
  double a = (c->v - pi) / half, b = (c->fraction - lowest) / (1 - lowest);
  double ai = a / (1 - rim), bi = (b - rim) / (1 - rim);
  bool inside = s->right > 0 && fabs(a) <= 1 && b >= 0, open = inside && fabs(ai) < 1 && bi > 0;
  double around = cos(0.5 * pi * ai), along = sin(0.5 * pi * fmin(bi, 1));
  c->gap = open ? s->gap * around * around * along * along : 0;
  if (c->gap < 0.02 * s->gap) c->gap = 0;   // no slivers
  // the rim slopes down to the left wall
  c->wall = inside ? s->right * fmin(1, fmin((1 - fabs(a)) / rim, b / rim)) : 0;
  if (c->wall < 0.2 * dv_min(s->spacing, s->right)) c->wall = 0;
}

static void make_columns(Maker *m)
{
  int rings = ring_count(m->s);
  for (int i = 0; i <= rings; i++) {
    Ring r = {(int)m->columns.count, ring_size(m->s, i, rings)};
    dv_push(&m->rings, r);
    for (int k = 0; k < r.count; k++) {
      Column c = {.ring = i, .fraction = (double)i / rings, .v = 2 * pi * k / r.count};
      measure_gap(m->s, &c);
      dv_push(&m->columns, c);
    }
  }
}

static void add_strip(Maker *m, int32_t a, int32_t b, int32_t c)
{
  dv_push(&m->strips, a);
  dv_push(&m->strips, b);
  dv_push(&m->strips, c);
}

// triangles between two rings: whichever next point comes first around
static void make_strips(Maker *m)
{
  for (size_t i = 0; i + 1 < m->rings.count; i++) {
    Ring low = m->rings.data[i], high = m->rings.data[i + 1];
    int p = 0, q = 0, lows = low.count == 1 ? 0 : low.count;
    while (p < lows || q < high.count) {
      double next_p = (p + 1.0) / dv_max_int(low.count, 1), next_q = (q + 1.0) / high.count;
      int32_t at_p = low.first + p % low.count, at_q = high.first + q % high.count;
      if (q < high.count && (p >= lows || next_q <= next_p)) {
        add_strip(m, at_p, high.first + (q + 1) % high.count, at_q);
        q++;
      } else {
        add_strip(m, at_p, low.first + (p + 1) % low.count, at_q);
        p++;
      }
    }
  }
}

// The right wall goes once around its cavity in its full thickness, and ends one column farther: where points are
// farther apart than the rim is wide there would be holes and steps.
static void close_patch(Maker *m)
{
  for (size_t i = 0; i < m->strips.count; i += 3) {
    Column *c[3];
    for (size_t k = 0; k < 3; k++) c[k] = &m->columns.data[m->strips.data[i + k]];
    bool open = c[0]->gap > 0 || c[1]->gap > 0 || c[2]->gap > 0;
    for (int k = 0; k < 3 && open; k++)
      c[k]->wall = c[k]->gap > 0 ? m->s->right : dv_max(c[k]->wall, 0.6 * m->s->right);
  }
}

// a triangle of columns over which there is a right wall
static bool has_right(const Maker *m, const int32_t *c)
{
  const Column *a = &m->columns.data[c[0]], *b = &m->columns.data[c[1]], *d = &m->columns.data[c[2]];
  return a->wall > 0 || b->wall > 0 || d->wall > 0;
}

// --- points ---

typedef struct Frame {
  dvVec3 x, around, up;   // place, and unit vectors along the wall
} Frame;

static Frame frame_at(const dvVentricleShape *s, double t, double fraction, double v)
{
  double a = s->inner[0] + t * (s->outer[0] - s->inner[0]), l = s->inner[1] + t * (s->outer[1] - s->inner[1]),
         u = angle_at(s, t, fraction), su = sin(u), cu = cos(u);
  if (fraction == 0) su = 0;
  Frame f = {dv_vec3(a * su * cos(v), a * su * sin(v), l * cu), dv_vec3(-sin(v), cos(v), 0),
             dv_vec3_normalise(dv_vec3(-a * cu * cos(v), -a * cu * sin(v), l * sin(u)))};
  return f;
}

// the right wall moves out along the normal of the left epicardium, but not out of the base plane
static dvVec3 outwards(const dvVentricleShape *s, const Column *c)
{
  Frame f = frame_at(s, 1, c->fraction, c->v);
  dvVec3 n = dv_vec3_cross(f.around, f.up);
  n.z *= 1 - c->fraction * c->fraction;
  return dv_vec3_normalise(n);
}

static int32_t add_point(Maker *m, dvVec3 x, double depth, double height)
{
  dvVentricle *o = m->out;
  size_t n = o->depth.count;
  double at[3];
  dv_vec3_store(at, x);
  m->good = m->good && dv_reals_resize(&o->position, 3 * n + 3) && dv_reals_resize(&o->depth, n + 1) &&
            dv_reals_resize(&o->height, n + 1) && dv_ints_resize(&o->zones, n + 1);
  if (!m->good) return 0;
  for (size_t k = 0; k < 3; k++) o->position.data[3 * n + k] = at[k];
  o->depth.data[n] = depth;
  o->height.data[n] = height;
  o->zones.data[n] = 0;
  return (int32_t)n;
}

static void left_points(Maker *m)
{
  const dvVentricleShape *s = m->s;
  size_t count = m->columns.count;
  for (int layer = 0; layer <= s->layers; layer++)
    for (size_t i = 0; i < count && m->good; i++) {
      const Column *c = &m->columns.data[i];
      double t = (double)layer / s->layers;
      add_point(m, frame_at(s, t, c->fraction, c->v).x, t, c->fraction);
    }
}

static void right_points(Maker *m)
{
  const dvVentricleShape *s = m->s;
  for (size_t i = 0; i < m->columns.count && m->good; i++) {
    const Column *c = &m->columns.data[i];
    dv_push(&m->first_right, -1);
    if (!(c->wall > 0)) continue;   // the points of the left wall serve
    dvVec3 from = frame_at(s, 1, c->fraction, c->v).x, out = outwards(s, c);
    int32_t first = -1;
    for (int layer = 0; layer <= m->right_layers && m->good; layer++) {
      if (layer == 0 && c->gap == 0) continue;   // grown on: the point of the left wall serves
      double t = (double)layer / m->right_layers;
      int32_t p = add_point(m, dv_vec3_add_scaled(from, out, c->gap + t * c->wall), t, c->fraction);
      if (first < 0) first = p;
    }
    m->first_right.data[i] = c->gap == 0 ? first - 1 : first;   // so that layer k is first + k, but for layer 0
  }
}

static int32_t left_at(const Maker *m, int32_t column, int layer)
{
  return (int32_t)(layer * (int)m->columns.count) + column;
}

static int32_t right_at(const Maker *m, int32_t column, int layer)
{
  const Column *c = &m->columns.data[column];
  if (!(c->wall > 0) || (layer == 0 && c->gap == 0)) return left_at(m, column, m->s->layers);
  return m->first_right.data[column] + layer;
}

// --- tetrahedra ---

// of a place in the left wall: the American Heart Association's bull's eye, the septum around v = pi
static int segment_of(double fraction, double v)
{
  double degrees = fmod(v * 180 / pi + 360, 360);
  if (fraction < 0.12) return 17;
  if (fraction < 0.4) {
    int quarter = (int)floor(fmod(degrees + 45, 360) / 90);   // lateral, anterior, septal, inferior
    static const int apical[4] = {16, 13, 14, 15};
    return apical[dv_min_int(quarter, 3)];
  }
  int sixth = (int)floor(fmod(degrees + 360 - 60, 360) / 60);   // from 60 degrees: anterior first
  return (fraction < 0.7 ? 7 : 1) + dv_min_int(sixth, 5);
}

static bool add_tetrahedron(Maker *m, const int32_t p[4], dvVec3 fibre, dvVec3 sheet, int segment)
{
  dvVentricle *o = m->out;
  size_t n = o->segments.count;
  if (!dv_ints_resize(&o->tetrahedra, 4 * n + 4) || !dv_ints_resize(&o->segments, n + 1) ||
      !dv_reals_resize(&o->fibres, 3 * n + 3) || !dv_reals_resize(&o->sheets, 3 * n + 3))
    return false;
  const double *x = o->position.data;
  dvVec3 a = dv_vec3_load(x + 3 * p[0]), b = dv_vec3_sub(dv_vec3_load(x + 3 * p[1]), a),
         c = dv_vec3_sub(dv_vec3_load(x + 3 * p[2]), a), d = dv_vec3_sub(dv_vec3_load(x + 3 * p[3]), a);
  bool turned = dv_vec3_dot(b, dv_vec3_cross(c, d)) < 0;
  const int32_t order[4] = {p[0], p[1], turned ? p[3] : p[2], turned ? p[2] : p[3]};
  for (size_t k = 0; k < 4; k++) o->tetrahedra.data[4 * n + k] = order[k];
  dv_vec3_store(o->fibres.data + 3 * n, fibre);
  dv_vec3_store(o->sheets.data + 3 * n, sheet);
  o->segments.data[n] = segment;
  return true;
}

// what the corners of a tetrahedron say about its middle
typedef struct Middle {
  double t, fraction, v, gap, wall;
} Middle;

static Middle middle_of(const Maker *m, const int32_t columns[4], const double t[4])
{
  Middle c = {0};
  double x = 0, y = 0;
  for (int k = 0; k < 4; k++) {
    const Column *at = &m->columns.data[columns[k]];
    c.t += 0.25 * t[k];
    c.fraction += 0.25 * at->fraction;
    c.gap += 0.25 * at->gap;
    c.wall += 0.25 * at->wall;
    x += at->ring ? cos(at->v) : 0;   // the apex has no angle
    y += at->ring ? sin(at->v) : 0;
  }
  c.v = atan2(y, x);
  if (c.v < 0) c.v += 2 * pi;
  return c;
}

// the angle of fibres; in the rim of the patch it passes through both walls, and inside the cavity it changes over to
// that of two walls as the gap opens
static double fibre_angle(const Maker *m, const Middle *c, bool right)
{
  const dvVentricleShape *s = m->s;
  double left_wall = s->outer[0] - s->inner[0], both = left_wall + c->wall,
         alone = s->angles[0] + c->t * (s->angles[1] - s->angles[0]);
  if (!(c->wall > 0)) return alone;
  double depth = right ? (left_wall + c->t * c->wall) / both : c->t * left_wall / both,
         joined = s->angles[0] + depth * (s->angles[1] - s->angles[0]), open = fmin(1, c->gap / (0.5 * s->gap));
  return joined + open * (alone - joined);
}

static bool add_cell(Maker *m, const int32_t columns[3], int layer, bool right)
{
  static const int8_t cut[3][4] = {{0, 3, 4, 5}, {0, 1, 4, 5}, {0, 1, 2, 5}};   // bottom a b c, top a b c
  int layers = right ? m->right_layers : m->s->layers;
  for (int k = 0; k < 3; k++) {
    int32_t p[4], of[4];
    double t[4];
    for (int i = 0; i < 4; i++) {
      int at = cut[k][i], up = layer + at / 3;
      of[i] = columns[at % 3];
      p[i] = right ? right_at(m, of[i], up) : left_at(m, of[i], up);
      t[i] = (double)up / layers;
    }
    if (p[0] == p[1] || p[1] == p[2] || p[2] == p[3] || p[0] == p[2] || p[1] == p[3] || p[0] == p[3])
      continue;   // where the right wall ends
    Middle c = middle_of(m, of, t);
    Frame f = frame_at(m->s, right ? 1 : c.t, fmax(c.fraction, 1e-9), c.v);
    double alpha = fibre_angle(m, &c, right) * pi / 180;
    dvVec3 fibre = dv_vec3_add(dv_vec3_scale(f.around, cos(alpha)), dv_vec3_scale(f.up, sin(alpha))),
           sheet = dv_vec3_cross(f.around, f.up);
    if (!add_tetrahedron(m, p, fibre, sheet, right ? 0 : segment_of(c.fraction, c.v))) return false;
  }
  return true;
}

static void sort3(int32_t c[3])
{
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2 - i; k++)
      if (c[k] > c[k + 1]) {
        int32_t t = c[k];
        c[k] = c[k + 1], c[k + 1] = t;
      }
}

static void make_cells(Maker *m)
{
  for (size_t i = 0; i < m->strips.count && m->good; i += 3) {
    int32_t c[3] = {m->strips.data[i], m->strips.data[i + 1], m->strips.data[i + 2]};
    bool patch = has_right(m, c);
    sort3(c);
    for (int layer = 0; layer < m->s->layers && m->good; layer++) m->good = add_cell(m, c, layer, false);
    for (int layer = 0; patch && layer < m->right_layers && m->good; layer++) m->good = add_cell(m, c, layer, true);
  }
}

// --- surfaces ---

static bool push_face(dvInts *list, int32_t a, int32_t b, int32_t c)
{
  size_t n = list->count;
  if (!dv_ints_resize(list, n + 3)) return false;
  list->data[n] = a, list->data[n + 1] = b, list->data[n + 2] = c;
  return true;
}

// the strips give both sides of a wall; a cavity sees its wall from inside, so that normals point into the wall
static void make_surfaces(Maker *m)
{
  dvVentricle *o = m->out;
  for (size_t i = 0; i < m->strips.count && m->good; i += 3) {
    const int32_t *c = m->strips.data + i;
    bool patch = has_right(m, c), open = false;
    for (int k = 0; k < 3; k++) open = open || m->columns.data[c[k]].gap > 0;
    int top = m->s->layers, last = m->right_layers;
    m->good = push_face(&o->left, left_at(m, c[0], 0), left_at(m, c[1], 0), left_at(m, c[2], 0));
    if (!m->good) return;
    if (!patch) m->good = push_face(&o->outside, left_at(m, c[0], top), left_at(m, c[1], top), left_at(m, c[2], top));
    if (!patch) continue;
    m->good = push_face(&o->outside, right_at(m, c[0], last), right_at(m, c[1], last), right_at(m, c[2], last));
    if (open && m->good)   // the septum seen from the right, and the wall opposite
      m->good = push_face(&o->right, left_at(m, c[0], top), left_at(m, c[2], top), left_at(m, c[1], top)) &&
                push_face(&o->right, right_at(m, c[0], 0), right_at(m, c[1], 0), right_at(m, c[2], 0));
  }
}

// edges of strips that border on one triangle only: the base, and where the right wall ends
typedef struct Side {
  int32_t a, b;   // columns, with the inside of the strip on the left
  bool right;
} Side;

static bool add_side(Maker *m, Side s)
{
  int layers = s.right ? m->right_layers : m->s->layers, base = (int)m->rings.count - 1;
  bool bottom = m->columns.data[s.a].ring == base && m->columns.data[s.b].ring == base;
  dvInts *list = bottom ? &m->out->bottom : &m->out->outside;
  for (int k = 0; k < layers; k++) {
    int32_t a0 = s.right ? right_at(m, s.a, k) : left_at(m, s.a, k),
            b0 = s.right ? right_at(m, s.b, k) : left_at(m, s.b, k),
            a1 = s.right ? right_at(m, s.a, k + 1) : left_at(m, s.a, k + 1),
            b1 = s.right ? right_at(m, s.b, k + 1) : left_at(m, s.b, k + 1);
    bool up = s.a < s.b, good = true;   // the diagonal of the prisms; one side of a face may have no height
    if (b0 != b1) good = up ? push_face(list, a0, b0, b1) : push_face(list, b0, b1, a1);
    if (a0 != a1) good = good && (up ? push_face(list, a0, b1, a1) : push_face(list, a0, b0, a1));
    if (!good) return false;
  }
  return true;
}

static int by_edge(const void *a, const void *b)
{
  const int32_t *p = a, *q = b;
  return p[0] != q[0] ? (p[0] > q[0]) - (p[0] < q[0]) : (p[1] > q[1]) - (p[1] < q[1]);
}

static void make_sides(Maker *m, bool right)
{
  DV_ARRAY(int32_t) edges = {0};   // low, high, from, to
  for (size_t i = 0; i < m->strips.count; i += 3) {
    const int32_t *c = m->strips.data + i;
    bool patch = has_right(m, c);
    for (int k = 0; k < 3 && (!right || patch); k++) {
      int32_t a = c[k], b = c[(k + 1) % 3], low = a < b ? a : b, high = a < b ? b : a;
      dv_push(&edges, low);
      dv_push(&edges, high);
      dv_push(&edges, a);
      dv_push(&edges, b);
    }
  }
  size_t n = edges.count / 4;
  if (n) qsort(edges.data, n, 4 * sizeof *edges.data, by_edge);
  for (size_t i = 0; i < n && m->good; i++) {
    const int32_t *e = edges.data + 4 * i;
    bool before = i > 0 && by_edge(e - 4, e) == 0, after = i + 1 < n && by_edge(e, e + 4) == 0;
    if (!before && !after) m->good = add_side(m, (Side){e[2], e[3], right});
  }
  dv_array_free(&edges);
}

static void mark(dvVentricle *o, const dvInts *faces, int zone)
{
  for (size_t i = 0; i < faces->count; i++) o->zones.data[faces->data[i]] |= zone;
}

static void make_zones(dvVentricle *o)
{
  mark(o, &o->left, DV_ZONE_LEFT);
  mark(o, &o->right, DV_ZONE_RIGHT);
  mark(o, &o->outside, DV_ZONE_OUTSIDE);
  mark(o, &o->bottom, DV_ZONE_BASE);
}

static void clear(dvVentricle *o)
{
  dvReals *reals[] = {&o->position, &o->fibres, &o->sheets, &o->depth, &o->height};
  dvInts *ints[] = {&o->tetrahedra, &o->left, &o->right, &o->outside, &o->bottom, &o->segments, &o->zones};
  for (size_t i = 0; i < DV_COUNT(reals); i++) DV_MUST(dv_reals_resize(reals[i], 0));
  for (size_t i = 0; i < DV_COUNT(ints); i++) DV_MUST(dv_ints_resize(ints[i], 0));
  o->position.width = o->fibres.width = o->sheets.width = 3;
  o->depth.width = o->height.width = o->segments.width = o->zones.width = 1;
  o->tetrahedra.width = 4;
  o->left.width = o->right.width = o->outside.width = o->bottom.width = 3;
}

bool dv_ventricle_make(const dvVentricleShape *s, dvVentricle *out)
{
  Maker m = {.s = s, .out = out, .good = true};
  clear(out);
  m.right_layers = s->right > 0 ? dv_max_int(1, (int)fmin(lround(s->right / s->spacing), 1000)) : 0;
  make_columns(&m);
  make_strips(&m);
  close_patch(&m);
  left_points(&m);
  if (s->right > 0) right_points(&m);
  make_cells(&m);
  make_surfaces(&m);
  make_sides(&m, false);
  if (s->right > 0) make_sides(&m, true);
  if (m.good) make_zones(out);
  dv_array_free(&m.rings);
  dv_array_free(&m.columns);
  dv_array_free(&m.strips);
  dv_array_free(&m.first_right);
  return m.good;
}

void dv_ventricle_free(dvVentricle *o)
{
  dvReals *reals[] = {&o->position, &o->fibres, &o->sheets, &o->depth, &o->height};
  dvInts *ints[] = {&o->tetrahedra, &o->left, &o->right, &o->outside, &o->bottom, &o->segments, &o->zones};
  for (size_t i = 0; i < DV_COUNT(reals); i++) dv_reals_free(reals[i]);
  for (size_t i = 0; i < DV_COUNT(ints); i++) dv_ints_free(ints[i]);
}
