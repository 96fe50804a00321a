// SplineMapping: points on a curve that the points of the input control.
//
//   x = sum of b_k(t) p_k,   t between 0 and 1 in each segment
//
//   Bezier      cubic pieces, the last point of one being the first of the next: points 3 s to 3 s + 3 of the input
//   Hermite     points and tangents in turn: p_s, t_s, p_(s+1), t_(s+1)
//   CatmullRom  through all points, with tangents (p_(s+1) - p_(s-1)) / 2; half of that at the ends
//
// A parameter is the number of a segment plus t. Where none are given each output point takes the place of the curve
// that is nearest to it at the start; what it lies beside the curve is kept as a constant offset, or dropped.
#include "mapping/linear/linear.h"
#include "mapping/register.h"
#include "math/vec.h"

#include <math.h>

enum { BEZIER, HERMITE, CATMULL_ROM };
enum { SAMPLES = 32 };   // places a segment at which the search for the nearest one starts

#define SPLINE_FIELDS(X)                                                                                     \
  X(choice, curve, "Bezier", "", "how the input controls the curve", .options = "Bezier|Hermite|CatmullRom") \
  X(reals, parameters, "", "",                                                                               \
    "place of each output point: number of the segment plus the share of it; the nearest when empty")        \
  X(bool, keepOffset, "1", "", "keep what points lie beside the curve at the start, when their places are searched")

typedef struct Spline {
  dvLinearMapping linear;
  SPLINE_FIELDS(DV_MEMBER)
  DV_ARRAY(double) offsets;
} Spline;

#define SELF Spline
static const dvFieldDesc spline_fields[] = {SPLINE_FIELDS(DV_DESCRIBE)};
#undef SELF

static size_t segment_count(int curve, size_t points)
{
  if (curve == BEZIER) return points >= 4 ? (points - 1) / 3 : 0;
  return curve == HERMITE ? (points >= 4 ? points / 2 - 1 : 0) : (points >= 2 ? points - 1 : 0);
}

// weights of at most four points at a parameter; their first one is returned
static size_t weights_at(int curve, size_t points, double parameter, double w[4])
{
  size_t segments = segment_count(curve, points), s = (size_t)fmin(fmax(floor(parameter), 0), (double)(segments - 1));
  double t = parameter - (double)s, u = 1 - t;
  if (curve == BEZIER) {
    w[0] = u * u * u, w[1] = 3 * t * u * u, w[2] = 3 * t * t * u, w[3] = t * t * t;
    return 3 * s;
  }
  double h[4] = {(1 + 2 * t) * u * u, t * u * u, t * t * (3 - 2 * t), -t * t * u};   // value, tangent, value, tangent
  if (curve == HERMITE) {
    for (int k = 0; k < 4; k++) w[k] = h[k];
    return 2 * s;
  }
  bool first = s == 0, last = s + 1 == segments;
  size_t begin = first ? 0 : s - 1, self = s - begin;
  for (int k = 0; k < 4; k++) w[k] = 0;
  w[self] += h[0];
  w[self + 1] += h[2];
  w[self + 1] += h[1] / 2;   // tangent at the start of the segment
  w[first ? self : self - 1] -= h[1] / 2;
  w[last ? self + 1 : self + 2] += h[3] / 2;   // and at its end
  w[self] -= h[3] / 2;
  return begin;
}

static dvVec3 point_at(int curve, const double *x, size_t points, double parameter)
{
  double w[4];
  size_t first = weights_at(curve, points, parameter, w);
  dvVec3 p = {0, 0, 0};
  for (size_t k = 0; k < 4; k++)
    if (w[k] != 0) p = dv_vec3_add_scaled(p, dv_vec3_load(x + 3 * (first + k)), w[k]);
  return p;
}

// the best of some places, refined by halving steps
static double nearest(int curve, const double *x, size_t points, dvVec3 target)
{
  double end = (double)segment_count(curve, points), best = 0, least = INFINITY;
  for (int i = 0; i <= (int)end * SAMPLES; i++) {
    double t = (double)i / SAMPLES, d = dv_vec3_norm2(dv_vec3_sub(point_at(curve, x, points, t), target));
    if (d < least) least = d, best = t;
  }
  for (double step = 1.0 / SAMPLES; step > 1e-12; step /= 2)
    for (int side = -1; side <= 1; side += 2) {
      double t = fmin(fmax(best + side * step, 0), end),
             d = dv_vec3_norm2(dv_vec3_sub(point_at(curve, x, points, t), target));
      if (d < least) least = d, best = t;
    }
  return best;
}

static dvStatus find_parameters(Spline *m, const double *x, size_t points)
{
  dvState *out = m->linear.base.out;
  const double *y = dv_state_read(out, DV_X);
  if (!dv_reals_resize(&m->parameters, out->count)) return dv_error(&m->linear.base.base, NULL, "out of memory");
  double *parameter = dv_reals_edit(&m->parameters);
  m->offsets.count = 0;
  dv_array_resize(&m->offsets, 3 * out->count + 1);
  for (size_t i = 0; i < out->count; i++) {
    dvVec3 target = dv_vec3_load(y + 3 * i);
    parameter[i] = nearest(m->curve, x, points, target);
    dv_vec3_store(m->offsets.data + 3 * i, dv_vec3_sub(target, point_at(m->curve, x, points, parameter[i])));
  }
  m->linear.offset = m->keepOffset ? m->offsets.data : NULL;
  return DV_OK;
}

static dvStatus spline_init(dvObject *o)
{
  Spline *m = (Spline *)o;
  dvState *in = m->linear.base.in;
  size_t points = in->count, segments = segment_count(m->curve, points);
  if (segments == 0 || segments > 100000 || points > INT32_MAX)
    return dv_error(o, "a Bezier or Hermite curve needs four points, a CatmullRom curve two",
                    "%s has %zu points, which make %zu segments", in->base.name, points, segments);
  if ((m->curve == BEZIER && points != 3 * segments + 1) || (m->curve == HERMITE && points % 2))
    dv_warning(o, NULL, "%s has %zu points; the last ones belong to no segment", in->base.name, points);
  long bad = dv_state_first_bad(in, DV_X);
  if (bad >= 0) return dv_error(o, NULL, "point %ld of %s is not finite", bad / 3, in->base.name);
  for (size_t i = 0; i < m->parameters.count; i++)
    if (!(m->parameters.data[i] >= 0 && m->parameters.data[i] <= (double)segments))
      return dv_field_error(o, &m->parameters, NULL, "parameter %zu is %g, but the curve goes from 0 to %zu", i,
                            m->parameters.data[i], segments);
  if (m->parameters.count == 0) DV_TRY(find_parameters(m, dv_state_read(in, DV_X), points));
  dv_linear_clear(o);
  for (size_t i = 0; i < m->parameters.count; i++) {
    double w[4];
    size_t first = weights_at(m->curve, points, m->parameters.data[i], w);
    for (size_t k = 0; k < 4; k++)
      if (first + k < points) dv_weights_add(&m->linear.weights, (int32_t)(first + k), w[k]);
    dv_linear_end_row(o);
  }
  DV_TRY(dv_linear_settle(o));
  dv_mapping_first_apply(o, &dv_linear_ops);
  return DV_OK;
}

static void spline_destroy(dvObject *o)
{
  dv_array_free(&((Spline *)o)->offsets);
  dv_linear_destroy(o);
}

static const dvDofPair pairs[] = {{DV_DOF_VEC3, 0, DV_DOF_VEC3}, {0}};

const dvClass dv_spline_mapping_class = {
    .struct_size = sizeof(dvClass),
    .name = "SplineMapping",
    .help = "points carried by a curve that the points of the input control",
    .module = "Divan",
    .dofs = DV_DOF_VEC3,
    .dofs_out = DV_DOF_VEC3,
    .pairs = pairs,
    .size = sizeof(Spline),
    .blocks = {&dv_object_block, &dv_mapping_block, DV_BLOCK(spline_fields)},
    .ops = {[DV_ROLE_MAPPING] = &dv_linear_ops},
    .link = dv_mapping_link,
    .init = spline_init,
    .destroy = spline_destroy,
    .topology_changed = dv_mapping_cannot_follow,
};
