// Curves of vessels and their beams. See vessels.h.
//
// A piece is B(t) = sum_k b_k(t) c_k with Bernstein's polynomials. Its ends and its directions there, d0 and d1, are
// given; the two lengths along them that bring it nearest to the points solve a system of two equations. Parameters of
// the points start with their length along the chords and are improved by Newton's method.
#include "anatomy/vessels.h"

#include <math.h>
#include <string.h>

// --- pieces --------------------------------------------------------------------------------------

dvVesselPoint dv_vessel_piece_at(const dvVesselPiece *p, double t)
{
  double s = 1 - t, b[4] = {s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t};
  dvVesselPoint out = {dv_vec3(0, 0, 0), 0};
  for (int k = 0; k < 4; k++) {
    out.x = dv_vec3_add_scaled(out.x, p->c[k].x, b[k]);
    out.radius += b[k] * p->c[k].radius;
  }
  return out;
}

dvVec3 dv_vessel_piece_slope(const dvVesselPiece *p, double t)
{
  double s = 1 - t, b[3] = {3 * s * s, 6 * s * t, 3 * t * t};
  dvVec3 out = dv_vec3(0, 0, 0);
  for (int k = 0; k < 3; k++) out = dv_vec3_add_scaled(out, dv_vec3_sub(p->c[k + 1].x, p->c[k].x), b[k]);
  return out;
}

static dvVec3 slope_of_slope(const dvVesselPiece *p, double t)
{
  dvVec3 out = dv_vec3(0, 0, 0);
  for (int k = 0; k < 2; k++) {
    dvVec3 second = dv_vec3_add(dv_vec3_add_scaled(p->c[k + 2].x, p->c[k + 1].x, -2), p->c[k].x);
    out = dv_vec3_add_scaled(out, second, 6 * (k ? t : 1 - t));
  }
  return out;
}

// --- fitting -------------------------------------------------------------------------------------

typedef struct Fit {
  const dvVesselPoint *p;
  double *t;      // parameter of each point
  double share;   // of the radius that a point may be away
  dvVessels *v;
} Fit;

static void start_parameters(const Fit *f, int32_t first, int32_t last)
{
  f->t[first] = 0;
  for (int32_t i = first + 1; i <= last; i++)
    f->t[i] = f->t[i - 1] + dv_vec3_norm(dv_vec3_sub(f->p[i].x, f->p[i - 1].x));
  double total = f->t[last];
  for (int32_t i = first + 1; i <= last; i++) f->t[i] = total > 0 ? f->t[i] / total : 1;
}

// the two inner control points, along the directions at the ends
static dvVesselPiece best_piece(const Fit *f, int32_t first, int32_t last, dvVec3 d0, dvVec3 d1)
{
  double a = 0, b = 0, c = 0, x = 0, y = 0;
  dvVec3 p0 = f->p[first].x, p3 = f->p[last].x;
  for (int32_t i = first; i <= last; i++) {
    double t = f->t[i], s = 1 - t, b1 = 3 * s * s * t, b2 = 3 * s * t * t, b0 = s * s * s, b3 = t * t * t;
    dvVec3 u = dv_vec3_scale(d0, b1), w = dv_vec3_scale(d1, b2), rest = f->p[i].x;
    rest = dv_vec3_add_scaled(dv_vec3_add_scaled(rest, p0, -(b0 + b1)), p3, -(b2 + b3));
    a += dv_vec3_dot(u, u), b += dv_vec3_dot(u, w), c += dv_vec3_dot(w, w);
    x += dv_vec3_dot(u, rest), y += dv_vec3_dot(w, rest);
  }
  double chord = dv_vec3_norm(dv_vec3_sub(p3, p0)), det = a * c - b * b, l0 = chord / 3, l1 = chord / 3;
  if (det > 1e-12 * a * c) {
    double m0 = (x * c - y * b) / det, m1 = (y * a - x * b) / det;
    if (m0 > 1e-3 * chord && m1 > 1e-3 * chord && m0 < 3 * chord && m1 < 3 * chord) l0 = m0, l1 = m1;
  }
  return (dvVesselPiece){{{p0, 0}, {dv_vec3_add_scaled(p0, d0, l0), 0}, {dv_vec3_add_scaled(p3, d1, l1), 0}, {p3, 0}}};
}

// largest distance in parts of what is allowed, and where
static double worst_point(const Fit *f, const dvVesselPiece *piece, int32_t first, int32_t last, int32_t *where)
{
  double worst = 0;
  *where = (first + last) / 2;
  for (int32_t i = first + 1; i < last; i++) {
    double far = dv_vec3_norm(dv_vec3_sub(dv_vessel_piece_at(piece, f->t[i]).x, f->p[i].x));
    double part = far / fmax(f->share * f->p[i].radius, 1e-12);
    if (part > worst) worst = part, *where = i;
  }
  return worst;
}

static void improve_parameters(const Fit *f, const dvVesselPiece *piece, int32_t first, int32_t last)
{
  for (int32_t i = first + 1; i < last; i++) {
    double t = f->t[i];
    dvVec3 away = dv_vec3_sub(dv_vessel_piece_at(piece, t).x, f->p[i].x), d = dv_vessel_piece_slope(piece, t);
    double below = dv_vec3_dot(d, d) + dv_vec3_dot(away, slope_of_slope(piece, t));
    if (below > 0) f->t[i] = fmin(fmax(t - dv_vec3_dot(away, d) / below, 0), 1);
  }
}

// radii: the ends are given, the two between by least squares
static void fit_radii(const Fit *f, dvVesselPiece *piece, int32_t first, int32_t last)
{
  double a = 1e-9, b = 0, c = 1e-9, x = 0, y = 0, r0 = f->p[first].radius, r3 = f->p[last].radius;
  double start = (2 * r0 + r3) / 3, end = (r0 + 2 * r3) / 3;   // as a straight line would have them
  for (int32_t i = first; i <= last; i++) {
    double t = f->t[i], s = 1 - t, b1 = 3 * s * s * t, b2 = 3 * s * t * t;
    double rest = f->p[i].radius - (s * s * s * r0 + b1 * start + b2 * end + t * t * t * r3);
    a += b1 * b1, b += b1 * b2, c += b2 * b2, x += b1 * rest, y += b2 * rest;
  }
  double det = a * c - b * b, least = fmin(r0, r3) / 2, most = 2 * fmax(r0, r3);
  if (det > 1e-12 * a * c) start += (x * c - y * b) / det, end += (y * a - x * b) / det;
  piece->c[0].radius = r0, piece->c[3].radius = r3;
  piece->c[1].radius = fmin(fmax(start, least), most), piece->c[2].radius = fmin(fmax(end, least), most);
}

static dvVec3 direction(const Fit *f, int32_t from, int32_t to)
{
  return dv_vec3_normalise(dv_vec3_sub(f->p[to].x, f->p[from].x));
}

static bool push_piece(const Fit *f, dvVesselPiece piece, int32_t first, int32_t last)
{
  int32_t where;
  double worst = worst_point(f, &piece, first, last, &where) * f->share;
  f->v->fit_error = fmax(f->v->fit_error, worst);
  fit_radii(f, &piece, first, last);
  if (!dv_try_reserve(&f->v->pieces, 1)) return false;
  f->v->pieces.data[f->v->pieces.count++] = piece;
  return true;
}

// One piece where that is near enough, else two that meet at the worst point, with the direction there. d1 points back.
static bool fit_part(const Fit *f, int32_t first, int32_t last, dvVec3 d0, dvVec3 d1)
{
  start_parameters(f, first, last);
  int32_t where = first;
  dvVesselPiece piece = best_piece(f, first, last, d0, d1);
  for (int n = 0; n < 6; n++) {
    if (worst_point(f, &piece, first, last, &where) <= 1) return push_piece(f, piece, first, last);
    improve_parameters(f, &piece, first, last);
    piece = best_piece(f, first, last, d0, d1);
  }
  if (worst_point(f, &piece, first, last, &where) <= 1 || last - first < 2) return push_piece(f, piece, first, last);
  int32_t reach = dv_min_int(3, dv_min_int(where - first, last - where));
  dvVec3 across = direction(f, where - reach, where + reach);
  return fit_part(f, first, where, d0, dv_vec3_neg(across)) && fit_part(f, where, last, across, d1);
}

bool dv_vessels_fit(dvVessels *v, double share)
{
  dv_array_free(&v->pieces);
  v->fit_error = 0;
  for (size_t i = 0; i < v->branches.count; i++) {
    dvVesselBranch *b = &v->branches.data[i];
    Fit f = {v->points.data + b->first, dv_try_alloc((size_t)b->count * sizeof(double)), share, v};
    b->first_piece = (int32_t)v->pieces.count;
    int32_t last = b->count - 1, reach = dv_min_int(3, last);
    bool good = f.t && last > 0 && fit_part(&f, 0, last, direction(&f, 0, reach), direction(&f, last, last - reach));
    dv_free(f.t);
    if (!good) return false;
    b->pieces = (int32_t)v->pieces.count - b->first_piece;
  }
  return true;
}

// --- beams ---------------------------------------------------------------------------------------

typedef struct Sampler {
  const dvVessels *v;
  const dvVesselBranch *b;
  const dvBeamRule *rule;
  DV_ARRAY(dvVesselPoint) p;   // behind the first one
} Sampler;

// parameters run over all pieces of a branch: 0 to their number
static dvVesselPoint branch_at(const Sampler *s, double t)
{
  int32_t piece = dv_min_int((int32_t)t, s->b->pieces - 1);
  return dv_vessel_piece_at(&s->v->pieces.data[s->b->first_piece + piece], t - piece);
}

static void sample(Sampler *s, double from, double to, int depth)
{
  dvVesselPoint a = branch_at(s, from), b = branch_at(s, to);
  double chord = dv_vec3_norm(dv_vec3_sub(b.x, a.x)), far = 0, radius = (a.radius + b.radius) / 2;
  for (int k = 1; k < 8; k++) {   // largest distance of the curve from the chord
    dvVec3 way = dv_vec3_sub(branch_at(s, from + (to - from) * k / 8).x, a.x);
    dvVec3 across = chord > 0 ? dv_vec3_cross(way, dv_vec3_scale(dv_vec3_sub(b.x, a.x), 1 / chord)) : way;
    far = fmax(far, dv_vec3_norm(across));
  }
  bool is_long = s->rule->longest > 0 && chord > s->rule->longest;
  bool is_bent = s->rule->bend > 0 && far > s->rule->bend * radius;
  if (depth < 12 && (is_long || is_bent)) {
    sample(s, from, (from + to) / 2, depth + 1);
    sample(s, (from + to) / 2, to, depth + 1);
    return;
  }
  dv_push(&s->p, b);
}

static dvQuat frame_along(dvVec3 x)
{
  dvVec3 aside = fabs(x.z) < 0.9 ? dv_vec3(0, 0, 1) : dv_vec3(0, 1, 0), y = dv_vec3_normalise(dv_vec3_cross(aside, x));
  return dv_quat_from_matrix(dv_mat3_from_columns(x, y, dv_vec3_cross(x, y)));
}

static int32_t push_frame(dvVesselBeams *out, dvVec3 x, dvVec3 towards)
{
  dvVec3 along = dv_vec3_normalise(dv_vec3_sub(towards, x));
  dvQuat q = frame_along(dv_vec3_norm(along) > 0.5 ? along : dv_vec3(1, 0, 0));
  const double frame[7] = {x.x, x.y, x.z, q.x, q.y, q.z, q.w};
  for (int k = 0; k < 7; k++) dv_push(&out->frames, frame[k]);
  return (int32_t)(out->frames.count / 7) - 1;
}

bool dv_vessels_beams(const dvVessels *v, const dvBeamRule *rule, dvVesselBeams *out)
{
  *out = (dvVesselBeams){0};
  int32_t *frame = dv_try_alloc((v->nodes.count + 1) * sizeof *frame);   // of a node, counted from 1
  for (size_t i = 0; frame && i < v->branches.count; i++) {
    const dvVesselBranch *b = &v->branches.data[i];
    Sampler s = {.v = v, .b = b, .rule = rule};
    for (int32_t k = 0; k < b->pieces; k++) sample(&s, k, k + 1, 0);
    dvVesselPoint before = branch_at(&s, 0);
    if (!frame[b->from]) frame[b->from] = push_frame(out, before.x, s.p.data[0].x) + 1;
    int32_t near = frame[b->from] - 1;
    for (size_t k = 0; k < s.p.count; k++) {
      // a loop ends in a frame that is there already
      bool known = k + 1 == s.p.count && frame[b->to];
      int32_t far = known ? frame[b->to] - 1 : push_frame(out, s.p.data[k].x, before.x);
      dv_push(&out->edges, far);
      dv_push(&out->edges, near);
      dv_push(&out->radius, (before.radius + s.p.data[k].radius) / 2);
      dv_push(&out->branch, (int32_t)i);
      near = far;
      before = s.p.data[k];
    }
    frame[b->to] = near + 1;
    dv_array_free(&s.p);
  }
  bool good = frame != NULL;
  dv_free(frame);
  return good;
}

void dv_vessel_beams_free(dvVesselBeams *b)
{
  dv_array_free(&b->frames);
  dv_array_free(&b->edges);
  dv_array_free(&b->radius);
  dv_array_free(&b->branch);
}
