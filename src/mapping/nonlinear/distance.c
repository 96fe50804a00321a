// Distances between points, as scalars.
//
//   d = |x_b - x_a| - rest,   u = (x_b - x_a) / |x_b - x_a|
//   J = (-u, u),   d2d/dx2 = (I - u u^T) / |x_b - x_a|  times  (1 -1; -1 1)
//
//   DistanceMapping            along the edges of a topology
//   DistanceMultiMapping       the same between points of several states: the edges name pairs (state, point)
//   DistanceFromTargetMapping  to points that stand still
//   SquareDistanceMapping      |x_b - x_a|^2 along edges
//   SquareMapping              x^2 of numbers
//
// Where two points meet there is no direction: SOFA's is taken, and no curvature.
#include "mapping/linear/linear.h"
#include "mapping/nonlinear/measure.h"
#include "mapping/register.h"
#include "mechanics/pairs.h"
#include "object/compat.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define DISTANCE_FIELDS(X)                                                                 \
  X(bool, computeDistance, "0", "", "measure from zero instead of from the first lengths") \
  X(reals, restLengths, "", "m", "rest length of each edge")
#define TOPOLOGY_FIELDS(X)                                                                      \
  X(real, showObjectScale, "0", "", "thickness of the edges", .flags = DV_LOOKS)                \
  X(color, showColor, "1 1 0 1", "", "colour of the edges", .flags = DV_LOOKS)                  \
  X(link, topology, "", "", "topology with the edges; the one of the node or above by default", \
    .role = DV_ROLE_TOPOLOGY)
#define PAIR_FIELDS(X) X(edges, indexPairs, "", "", "pairs (number of the input, point in it) that the edges connect")

typedef struct Distance {
  dvMeasureMapping measure;
  TOPOLOGY_FIELDS(DV_MEMBER)
  DISTANCE_FIELDS(DV_MEMBER)
  PAIR_FIELDS(DV_MEMBER)
} Distance;

#define SELF Distance
static const dvFieldDesc distance_fields[] = {DISTANCE_FIELDS(DV_DESCRIBE) TOPOLOGY_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc square_distance_fields[] = {TOPOLOGY_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc multi_fields[] = {DISTANCE_FIELDS(DV_DESCRIBE) TOPOLOGY_FIELDS(DV_DESCRIBE)
                                               PAIR_FIELDS(DV_DESCRIBE)};
#undef SELF

// --- what is measured ----------------------------------------------------------------------------

// (I - u u^T) / length in the four blocks of an edge
static void edge_curvature(const double *u, double inverse, double *h)
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double k = ((i == j) - u[i] * u[j]) * inverse;
      h[i * 6 + j] = h[(3 + i) * 6 + 3 + j] = k;
      h[i * 6 + 3 + j] = h[(3 + i) * 6 + j] = -k;
    }
}

// the direction from a to b and 1 / length; false where they meet
static bool direction(const double *a, const double *b, int space, double least, double *u, double *length)
{
  double sum = 0;
  for (int k = 0; k < space; k++) u[k] = b[k] - a[k], sum += u[k] * u[k];
  *length = sqrt(sum);
  if (!(*length > least)) return false;
  for (int k = 0; k < space; k++) u[k] *= 1 / *length;
  return true;
}

static double distance_value(const dvObject *o, size_t e, const double *x, double *g)
{
  const Distance *m = (const Distance *)o;
  double u[3], length;
  if (!direction(x, x + 3, 3, DBL_EPSILON, u, &length)) u[0] = u[1] = u[2] = 1 / sqrt(3);
  for (int k = 0; k < 3; k++) g[k] = -u[k], g[3 + k] = u[k];
  return length - m->restLengths.data[e];
}

static void distance_curvature(const dvObject *o, size_t e, const double *x, double *h)
{
  DV_UNUSED(o);
  DV_UNUSED(e);
  double u[3], length;
  if (direction(x, x + 3, 3, DBL_EPSILON, u, &length)) edge_curvature(u, 1 / length, h);
}

static double square_distance_value(const dvObject *o, size_t e, const double *x, double *g)
{
  DV_UNUSED(o);
  DV_UNUSED(e);
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    double d = x[3 + k] - x[k];
    sum += d * d;
    g[k] = -2 * d;
    g[3 + k] = 2 * d;
  }
  return sum;
}

static void square_distance_curvature(const dvObject *o, size_t e, const double *x, double *h)
{
  DV_UNUSED(o);
  DV_UNUSED(e);
  DV_UNUSED(x);
  const double none[3] = {0};
  edge_curvature(none, 2, h);
}

static double square_value(const dvObject *o, size_t e, const double *x, double *g)
{
  DV_UNUSED(o);
  DV_UNUSED(e);
  g[0] = 2 * x[0];
  return x[0] * x[0];
}

static void square_curvature(const dvObject *o, size_t e, const double *x, double *h)
{
  DV_UNUSED(o);
  DV_UNUSED(e);
  DV_UNUSED(x);
  h[0] = 2;
}

static const dvMeasure distance_measure = {2, distance_value, distance_curvature, NULL};
static const dvMeasure square_distance_measure = {2, square_distance_value, square_distance_curvature, NULL};
static const dvMeasure square_measure = {1, square_value, square_curvature, NULL};

// --- along edges ---------------------------------------------------------------------------------

// rest lengths that were not given, or not for all: as it is now, or zero
static dvStatus complete_rest_lengths(Distance *m, size_t edges)
{
  dvObject *o = &m->measure.base.base;
  if (m->restLengths.count == edges) return DV_OK;
  if (m->restLengths.count)
    dv_field_warning(o, &m->restLengths, "give one length an edge",
                     "restLengths has %zu entries for %zu edges and is not used", m->restLengths.count, edges);
  if (!dv_reals_resize(&m->restLengths, edges)) return dv_error(o, NULL, "out of memory");
  for (size_t e = 0; e < edges; e++) {
    const double *x[2];
    for (size_t c = 0; c < 2; c++) {
      dvState *s =
          dv_mapping_in(&m->measure.base, m->measure.input.count ? (size_t)m->measure.input.data[2 * e + c] : 0);
      x[c] = dv_state_read(s, DV_X) + (size_t)s->base.dof->coord * (size_t)m->measure.point.data[2 * e + c];
    }
    double u[3], length;
    direction(x[0], x[1], 3, 0, u, &length);
    m->restLengths.data[e] = m->computeDistance ? 0 : length;
  }
  return DV_OK;
}

// the points of the edges, straight or through indexPairs
static dvStatus take_edges(Distance *m, const dvTopology *t, const dvInts *edges)
{
  dvMeasureMapping *b = &m->measure;
  dvObject *o = &b->base.base;
  bool pairs = dv_object_field(o, "indexPairs") != NULL;
  b->point.count = b->input.count = 0;
  for (size_t i = 0; i < edges->count; i++) {
    int32_t at = edges->data[i];
    if (!pairs) {
      dv_push(&b->point, at);
      continue;
    }
    if (at < 0 || (size_t)at >= dv_ints_size(&m->indexPairs))
      return dv_field_error(o, &m->indexPairs, NULL, "an edge of %s names pair %d, but indexPairs has %zu",
                            t->base.name, at, dv_ints_size(&m->indexPairs));
    dv_push(&b->input, m->indexPairs.data[2 * at]);
    dv_push(&b->point, m->indexPairs.data[2 * at + 1]);
  }
  for (size_t c = 0; c < b->point.count; c++) {   // before rest lengths are read
    size_t input = pairs ? (size_t)b->input.data[c] : 0;
    if (input >= (size_t)b->base.input_count)
      return dv_field_error(o, &m->indexPairs, NULL, "indexPairs names input %zd, but there are %d (0 to %d)",
                            (ptrdiff_t)input, b->base.input_count, b->base.input_count - 1);
    if (b->point.data[c] < 0 || (size_t)b->point.data[c] >= dv_mapping_in(&b->base, input)->count)
      return dv_error(o, NULL, "an edge of %s leads to point %d of %s, which has %zu", t->base.name, b->point.data[c],
                      dv_mapping_in(&b->base, input)->base.name, dv_mapping_in(&b->base, input)->count);
  }
  return DV_OK;
}

static dvStatus edges_init(dvObject *o, const dvMeasure *measure)
{
  Distance *m = (Distance *)o;
  dvTopology *t;
  DV_TRY(dv_measure_topology(o, &m->topology, &t));
  const dvInts *edges = dv_topology_elements(t, DV_EDGE);
  if (edges->count == 0 && !o->following)
    return dv_error(o, "name a topology that has edges", "the topology %s has no edges to measure", t->base.name);
  DV_TRY(take_edges(m, t, edges));
  if (measure == &distance_measure) DV_TRY(complete_rest_lengths(m, dv_ints_size(edges)));
  return dv_measure_settle(o, measure, dv_ints_size(edges), "edge");
}

// a new edge is as long at rest as its points are apart there
static void edge_created(void *user, const dvNewElement *e)
{
  Distance *m = user;
  dvState *s = m->measure.base.in;
  const double *x = dv_state_read(s, DV_X_REST);
  double u[3], length;
  size_t coord = (size_t)s->base.dof->coord;
  if (e->row >= m->restLengths.count || dv_object_field(user, "indexPairs")) return;
  direction(x + coord * (size_t)e->points[0], x + coord * (size_t)e->points[1], 3, 0, u, &length);
  dv_reals_edit(&m->restLengths)[e->row] = m->computeDistance ? 0 : length;
}

static dvStatus distance_init(dvObject *o)
{
  Distance *m = (Distance *)o;
  dvTopology *t;
  DV_TRY(edges_init(o, &distance_measure));
  DV_TRY(dv_measure_topology(o, &m->topology, &t));
  dvElementData *d = dv_follow_elements(o, t, DV_EDGE);
  d->create = edge_created;
  return dv_element_data_add_reals(d, &m->restLengths, false);
}
static dvStatus square_distance_init(dvObject *o) { return edges_init(o, &square_distance_measure); }

static void edges_topology_changed(dvObject *o)
{
  dvTopology *t;
  if (dv_measure_topology(o, &((Distance *)o)->topology, &t) == DV_OK) dv_measure_follow(o, t, DV_EDGE);
}

static const dvDofPair point_pairs[] = {{DV_DOF_VEC3, 0, DV_DOF_VEC1}, {DV_DOF_RIGID3, 0, DV_DOF_VEC1}, {0}};

#define DISTANCE_CLASS(symbol, name_, help_, ...)                            \
  const dvClass symbol = {.struct_size = sizeof(dvClass),                    \
                          .name = name_,                                     \
                          .help = help_,                                     \
                          .module = "Sofa.Component.Mapping.NonLinear",      \
                          .dofs = DV_DOF_VEC3 | DV_DOF_RIGID3 | DV_DOF_VEC1, \
                          .dofs_out = DV_DOF_VEC1,                           \
                          .ops = {[DV_ROLE_MAPPING] = &dv_measure_ops},      \
                          .link = dv_mapping_link,                           \
                          __VA_ARGS__}

DISTANCE_CLASS(dv_distance_mapping_class, "DistanceMapping",
               "the length of each edge of a topology, less its rest length", .pairs = point_pairs,
               .size = sizeof(Distance), .init = distance_init, .topology_changed = edges_topology_changed,
               .blocks = {&dv_object_block, &dv_mapping_block, &dv_measure_block, DV_BLOCK(distance_fields)},
               .destroy = dv_measure_destroy);

DISTANCE_CLASS(dv_square_distance_mapping_class, "SquareDistanceMapping",
               "the squared length of each edge of a topology", .pairs = point_pairs, .size = sizeof(Distance),
               .init = square_distance_init, .topology_changed = edges_topology_changed,
               .blocks = {&dv_object_block, &dv_mapping_block, &dv_measure_block, DV_BLOCK(square_distance_fields)},
               .destroy = dv_measure_destroy);

const dvClass dv_distance_multi_mapping_class = {
    .struct_size = sizeof(dvClass),
    .name = "DistanceMultiMapping",
    .help = "distances between points of several states, less their rest lengths",
    .module = "Sofa.Component.Mapping.NonLinear",
    .dofs = DV_DOF_VEC3 | DV_DOF_RIGID3,
    .dofs_out = DV_DOF_VEC1,
    .pairs = point_pairs,
    .size = sizeof(Distance),
    .blocks = {&dv_object_block, &dv_mapping_block, &dv_measure_block, DV_BLOCK(multi_fields)},
    .ops = {[DV_ROLE_MAPPING] = &dv_measure_ops},
    .link = dv_mapping_link_multi,
    .init = distance_init,
    .destroy = dv_measure_destroy,
    .topology_changed = dv_mapping_cannot_follow,
};

// --- squares of numbers --------------------------------------------------------------------------

static dvStatus square_init(dvObject *o)
{
  dvMeasureMapping *m = (dvMeasureMapping *)o;
  if (m->base.in->count > INT32_MAX) return dv_error(o, NULL, "%zu numbers are too many", m->base.in->count);
  m->point.count = 0;
  for (size_t i = 0; i < m->base.in->count; i++) dv_push(&m->point, (int32_t)i);
  return dv_measure_settle(o, &square_measure, m->base.in->count, "number");
}

static void square_topology_changed(dvObject *o) { dv_measure_follow(o, NULL, DV_POINT); }

static const dvDofPair square_pairs[] = {{DV_DOF_VEC1, 0, DV_DOF_VEC1}, {0}};
DISTANCE_CLASS(dv_square_mapping_class, "SquareMapping", "the square of each number", .pairs = square_pairs,
               .size = sizeof(dvMeasureMapping), .init = square_init, .presets = "geometricStiffness=Exact",
               .topology_changed = square_topology_changed,
               .blocks = {&dv_object_block, &dv_mapping_block, &dv_measure_block}, .destroy = dv_measure_destroy);

// --- from targets --------------------------------------------------------------------------------

#define TARGET_FIELDS(X)                                                                                               \
  X(indices, indices, "", "",                                                                                          \
    "points of the input; where there are more targets than indices, the next target belongs to the point of its own " \
    "number")                                                                                                          \
  X(reals, targetPositions, "", "m",                                                                                   \
    "where the distance of each of them is measured from, in the input's coordinates")                                 \
  X(reals, restLengths, "", "m", "rest length of each distance; zero where not given")                                 \
  X(bool, singlePrecision, "0", "", "round distances and their directions to single precision, as SOFA does")          \
  X(real, showObjectScale, "0", "", "size of the arrows", .flags = DV_LOOKS)                                           \
  X(color, showColor, "1 1 0 1", "", "colour of the lines", .flags = DV_LOOKS)

typedef struct Target {
  dvMeasureMapping measure;
  TARGET_FIELDS(DV_MEMBER)
  dvPairs pairs;   // of the indices with nothing
} Target;

#define SELF Target
static const dvFieldDesc target_fields[] = {TARGET_FIELDS(DV_DESCRIBE)};
#undef SELF

static const double *target_of(const dvObject *o, size_t e)
{
  return ((const Target *)o)->targetPositions.data + e * (size_t)o->dof->coord;
}

// like `direction`, or with every operation in single precision
static bool target_direction(const Target *m, size_t e, const double *x, double *u, double *length)
{
  const double *a = target_of(&m->measure.base.base, e);
  int space = m->measure.space;
  if (!m->singlePrecision) return direction(a, x, space, 1e-10, u, length);
  float gap[3], sum = 0;
  for (int k = 0; k < space; k++) gap[k] = (float)(x[k] - a[k]), sum += gap[k] * gap[k];
  *length = sqrtf(sum);
  if (!(*length > 1e-10)) return false;
  float inverse = (float)(1 / *length);
  for (int k = 0; k < space; k++) u[k] = gap[k] * inverse;
  return true;
}

static double target_value(const dvObject *o, size_t e, const double *x, double *g)
{
  const Target *m = (const Target *)o;
  double length;
  if (!target_direction(m, e, x, g, &length)) {
    memset(g, 0, (size_t)m->measure.space * sizeof *g);
    g[0] = 1;
  }
  return length - m->restLengths.data[e];
}

static void target_curvature(const dvObject *o, size_t e, const double *x, double *h)
{
  const Target *m = (const Target *)o;
  double u[3], length;
  if (!target_direction(m, e, x, u, &length)) return;
  double inverse = 1 / length;
  for (int i = 0, space = m->measure.space; i < space; i++)
    for (int j = 0; j < space; j++) {
      double product = u[i] * u[j];
      h[i * space + j] = ((i == j) - (m->singlePrecision ? (float)product : product)) * inverse;
    }
}

// targets may move, but not go: a shorter list would be read past its end
static bool target_ready(const dvObject *o)
{
  const Target *m = (const Target *)o;
  size_t n = m->measure.count;
  return m->targetPositions.count >= n * (size_t)o->dof->coord && m->restLengths.count >= n;
}

static const dvMeasure target_measure = {1, target_value, target_curvature, target_ready};

static dvStatus target_init(dvObject *o)
{
  Target *m = (Target *)o;
  size_t width = (size_t)o->dof->coord, n = m->targetPositions.count / width, points = m->measure.base.in->count;
  dv_compat_field(o, &m->singlePrecision, DV_COMPAT_TARGET_SINGLE);
  if (m->targetPositions.count != n * width || m->indices.count > n)
    return dv_field_error(o, &m->targetPositions, NULL,
                          "targetPositions has %zu numbers, but %zu indices need %zu (%zu each)",
                          m->targetPositions.count, m->indices.count, m->indices.count * width, width);
  DV_TRY(dv_check_indices(o, &m->indices, points, "input points"));
  if (n > m->indices.count && n > points)
    return dv_field_error(o, &m->targetPositions, "give indices", "there are %zu targets, but the input has %zu points",
                          n, points);
  if (m->restLengths.count != n && !dv_reals_resize(&m->restLengths, n)) return dv_error(o, NULL, "out of memory");
  m->measure.point.count = 0;
  for (size_t i = 0; i < n; i++) dv_push(&m->measure.point, i < m->indices.count ? m->indices.data[i] : (int32_t)i);
  DV_TRY(dv_measure_settle(o, &target_measure, n, "target"));
  if (m->indices.count != n) return DV_OK;   // by number
  dvElementList *l = dv_follow_points(o, m->measure.base.in, &m->indices);
  if (!m->pairs.ends[0]) dv_pairs_join(&m->pairs, l, NULL, &m->indices, NULL);
  m->pairs.tells = true;
  dv_element_list_add_groups(l, &m->targetPositions, width, false);
  return dv_element_list_add_reals(l, &m->restLengths, false);
}

static void target_topology_changed(dvObject *o)
{
  Target *m = (Target *)o;
  dvNumbers changed = {0};
  if (m->pairs.ends[0]) dv_pairs_changed(&m->pairs, &changed);
  if (!m->pairs.ends[0] || !dv_measure_patch_list(o, &changed, &m->indices)) dv_mapping_remake(o);
  m->pairs.steps.count = 0;
  dv_array_free(&changed);
}

static void target_destroy(dvObject *o)
{
  dv_pairs_free(&((Target *)o)->pairs);
  dv_measure_destroy(o);
}

static const dvDofPair target_pairs[] = {
    {DV_DOF_VEC3, 0, DV_DOF_VEC1}, {DV_DOF_VEC1, 0, DV_DOF_VEC1}, {DV_DOF_RIGID3, 0, DV_DOF_VEC1}, {0}};
DISTANCE_CLASS(dv_distance_from_target_mapping_class, "DistanceFromTargetMapping",
               "distances of points from given places, less their rest lengths", .pairs = target_pairs,
               .size = sizeof(Target), .init = target_init, .topology_changed = target_topology_changed,
               .blocks = {&dv_object_block, &dv_mapping_block, &dv_measure_block, DV_BLOCK(target_fields)},
               .destroy = target_destroy);
