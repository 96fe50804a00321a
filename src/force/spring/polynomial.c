// Springs whose force is a polynomial of the strain, P(s) = c_1 s + c_2 s^2 + ...
//
// PolynomialSpringsForceField: between points, s = |d - l| / l with the length l at rest; f = +-P(s) u on the first
// point. A shortened spring pushes only when `compressible` is on. PolynomialRestShapeSpringsForceField: from points to
// where they are at rest, s = d / l, f = -P(s) e / sqrt(d^2 + exp(shift - scale d^2)), e the displacement and d its
// length; the exponential smooths the direction near rest.
//
// Products use SOFA's derivatives: for the first (P'/l - P/d) u u^T + P/d 1, whatever the sign of the strain; for the
// second only the diagonal of a like matrix.
#include "mechanics/component.h"
#include "mechanics/pairs.h"

#include <math.h>

extern const dvClass dv_polynomial_spring_class, dv_polynomial_rest_class;

// --- polynomials: one for each degree in a list, coefficients one after the other ----------------

typedef struct Polynomials {
  DV_ARRAY(int32_t) first, degree;
  const dvReals *coefficients;
} Polynomials;

static void polynomials_free(Polynomials *p)
{
  dv_array_free(&p->first);
  dv_array_free(&p->degree);
}

// without coefficients 100 s, without degrees a line
static dvStatus polynomials_read(Polynomials *p, const dvObject *o, dvReals *coefficients, const dvInts *degrees)
{
  p->first.count = p->degree.count = 0;
  p->coefficients = coefficients;
  if (coefficients->count == 0 && !dv_reals_assign(coefficients, (const double[]){100}, 1))
    return dv_error(o, NULL, "out of memory");
  int32_t used = 0;
  for (size_t i = 0; i < (degrees->count ? degrees->count : 1); i++) {
    int32_t degree = degrees->count ? degrees->data[i] : 1;
    if (degree < 0 || (size_t)degree > coefficients->count - (size_t)used)
      return dv_field_error(
          o, coefficients, "give a coefficient for each power from 1 to the degree, polynomial by polynomial",
          "polynomial %zu has degree %d, but there are %zu coefficients and %d are used by those before", i, degree,
          coefficients->count, used);
    dv_push(&p->first, used);
    dv_push(&p->degree, degree);
    used += degree;
  }
  return DV_OK;
}

// The polynomial of spring i of n: its own when there is one for each, otherwise the first.
static size_t polynomials_pick(const Polynomials *p, size_t i, size_t n) { return p->degree.count == n ? i : 0; }

static double polynomials_value(const Polynomials *p, size_t i, double s, double *slope)
{
  double power = 1, sum = 0;
  *slope = 0;
  for (int32_t k = 0; k < p->degree.data[i]; k++) {
    double c = p->coefficients->data[p->first.data[i] + k];
    *slope += (k + 1) * c * power;
    power *= s;
    sum += c * power;
  }
  return sum;
}

// integral of the polynomial
static double polynomials_energy(const Polynomials *p, size_t i, double s)
{
  double power = s, sum = 0;
  for (int32_t k = 0; k < p->degree.data[i]; k++) {
    power *= s;
    sum += p->coefficients->data[p->first.data[i] + k] * power / (k + 2);
  }
  return sum;
}

// each spring keeps its own polynomial when there is one for each
static void polynomials_follow(Polynomials *p, dvElementList *l, size_t springs)
{
  if (p->degree.count != springs || springs <= 1) return;
  dv_element_list_add_array(l, &p->first);
  dv_element_list_add_array(l, &p->degree);
}

// the fields as the springs are now, one polynomial after the other
static void polynomials_show(Polynomials *p, dvReals *coefficients, dvInts *degrees)
{
  DV_ARRAY(double) all = {0};
  if (degrees->count == p->degree.count || degrees->count <= 1) return;
  for (size_t i = 0; i < p->degree.count; i++) {
    for (int32_t k = 0; k < p->degree.data[i]; k++) dv_push(&all, coefficients->data[p->first.data[i] + k]);
    p->first.data[i] = (int32_t)all.count - p->degree.data[i];
  }
  DV_MUST(dv_reals_assign(coefficients, all.data, all.count));
  DV_MUST(dv_ints_assign(degrees, p->degree.data, p->degree.count));
  dv_array_free(&all);
}

// Two lists of points that may change while the scene runs.
typedef struct Watched {
  const dvField *lists[2];
  uint32_t seen;
} Watched;

static void watch(Watched *w, const dvObject *o, const dvInts *first, const dvInts *second)
{
  w->lists[0] = dv_field_of(o, first);
  w->lists[1] = dv_field_of(o, second);
}

static uint32_t watched_stamp(const Watched *w) { return w->lists[0]->counter + w->lists[1]->counter; }

// a list of points, all when it is empty
static void fill_points(const dvInts *given, size_t count, dvInts *out)
{
  if (given->count) dv_ints_share(out, given);
  else if (dv_ints_resize(out, count))
    for (size_t i = 0; i < count; i++) out->data[i] = (int32_t)i;
}

// --- PolynomialSpringsForceField -----------------------------------------------------------------

#define POLYNOMIAL_SPRING_FIELDS(X)                                                                    \
  X(indices, firstObjectPoints, "", "", "points of the first state; all by default")                   \
  X(indices, secondObjectPoints, "", "", "points of the second state; all by default")                 \
  X(reals, polynomialStiffness, "", "N", "coefficients, polynomial by polynomial, from power 1 up")    \
  X(indices, polynomialDegree, "", "",                                                                 \
    "degree of the polynomial of each spring; the first holds for all when the numbers differ")        \
  X(int, computeZeroLength, "1", "", "1: lengths at rest are those of the first force")                \
  X(reals, zeroLength, "", "m", "lengths at rest otherwise: one for all or one each")                  \
  X(bool, recompute_indices, "0", "",                                                                  \
    "follow the lists of points while the scene runs: the i-th spring keeps its length at rest")       \
  X(bool, compressible, "0", "", "springs also push when they are shorter than at rest")               \
  X(int, drawMode, "0", "", "springs are drawn as: 0 lines, 1 cylinders, 2 arrows", .flags = DV_LOOKS) \
  X(real, showArrowSize, "0.01", "m", "size of drawn arrows", .flags = DV_LOOKS)                       \
  X(color, springColor, "0 1 0 1", "", "colour of the springs", .flags = DV_LOOKS)                     \
  X(real, showIndicesScale, "0.02", "", "size of drawn indices", .flags = DV_LOOKS)

typedef struct PolynomialSpring {
  dvPairForce pair;
  POLYNOMIAL_SPRING_FIELDS(DV_MEMBER)
  Polynomials polynomials;
  dvInts first, second;
  DV_ARRAY(double) rest;     // negative until the scene is complete
  DV_ARRAY(double) moving;   // along, across, and the direction: five numbers a spring
  size_t points;             // of both states when the springs were made
  bool waiting;
  Watched watched;
  dvPairs pairs;
} PolynomialSpring;

#define SELF PolynomialSpring
static const dvFieldDesc polynomial_spring_fields[] = {POLYNOMIAL_SPRING_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc polynomial_spring_memory[] = {DV_REMEMBER(list, rest)};
#undef SELF

static dvStatus polynomial_spring_reinit(dvObject *o)
{
  PolynomialSpring *p = (PolynomialSpring *)o;
  p->watched.seen = watched_stamp(&p->watched);
  DV_TRY(polynomials_read(&p->polynomials, o, &p->polynomialStiffness, &p->polynomialDegree));
  DV_TRY(dv_check_indices(o, &p->firstObjectPoints, p->pair.first->count, "points"));
  DV_TRY(dv_check_indices(o, &p->secondObjectPoints, p->pair.second->count, "points"));
  fill_points(&p->firstObjectPoints, p->pair.first->count, &p->first);
  fill_points(&p->secondObjectPoints, p->pair.second->count, &p->second);
  size_t n = p->first.count;
  p->points = p->pair.first->count + p->pair.second->count;
  if (n > p->second.count)
    return dv_error(o, "give as many secondObjectPoints as firstObjectPoints", "%zu points cannot be joined with %zu",
                    n, p->second.count);
  dv_array_resize(&p->rest, n);
  dv_array_resize(&p->moving, 5 * n);
  for (size_t i = 0; i < n; i++) {
    if (p->computeZeroLength != 1 && p->zeroLength.count == 0)
      return dv_field_error(o, &p->zeroLength, NULL, "without computeZeroLength the lengths must be given");
    p->rest.data[i] =
        p->computeZeroLength == 1 ? -1 : p->zeroLength.data[p->zeroLength.count > 1 && i < p->zeroLength.count ? i : 0];
    if (p->computeZeroLength != 1 && !(p->rest.data[i] > 0))
      return dv_field_error(o, &p->zeroLength, NULL, "a spring of length %g has no strain", p->rest.data[i]);
  }
  if (!dv_ints_resize(&p->second, n)) return dv_error(o, NULL, "out of memory for %zu springs", n);
  dv_pairs_forget(&p->pairs);
  if (!p->pairs.ends[0]) dv_pairs_follow(&p->pairs, o, p->pair.first, p->pair.second, &p->first, &p->second);
  dvElementList *l = dv_pairs_list(&p->pairs);
  DV_TRY(dv_element_list_add_array(l, &p->rest));
  polynomials_follow(&p->polynomials, l, n);
  return DV_OK;
}

static void polynomial_spring_topology_changed(dvObject *o)
{
  PolynomialSpring *p = (PolynomialSpring *)o;
  p->points = p->pair.first->count + p->pair.second->count;
  dv_array_resize(&p->moving, 5 * p->first.count);
  if (p->firstObjectPoints.count) dv_ints_share(&p->firstObjectPoints, &p->first);
  if (p->secondObjectPoints.count) dv_ints_share(&p->secondObjectPoints, &p->second);
  polynomials_show(&p->polynomials, &p->polynomialStiffness, &p->polynomialDegree);
  dv_follow_patched(o);   // rows have followed
}

static dvStatus polynomial_spring_init(dvObject *o)
{
  PolynomialSpring *p = (PolynomialSpring *)o;
  DV_TRY(dv_pair_force_init(o));
  p->first.width = p->second.width = 1;
  watch(&p->watched, o, &p->firstObjectPoints, &p->secondObjectPoints);
  p->waiting = !p->pair.first->base.initialised || !p->pair.second->base.initialised;
  return p->waiting ? DV_OK : polynomial_spring_reinit(o);
}

// direction from the first to the second point; the length
static double direction(const PolynomialSpring *p, size_t i, const double *x1, const double *x2, double u[3])
{
  double d2 = 0;
  for (int k = 0; k < 3; k++) {
    u[k] = x2[3 * p->second.data[i] + k] - x1[3 * p->first.data[i] + k];
    d2 += u[k] * u[k];
  }
  return sqrt(d2);
}

// springs whose length is not given have none at the beginning
static void measure_rest(PolynomialSpring *p)
{
  const double *x1 = dv_state_read(p->pair.first, DV_X), *x2 = dv_state_read(p->pair.second, DV_X);
  double u[3];
  for (size_t i = 0; i < p->first.count; i++)
    if (p->rest.data[i] < 0) p->rest.data[i] = direction(p, i, x1, x2, u);
}

// lists or numbers were changed while it runs
static dvStatus polynomial_spring_change(dvObject *o)
{
  DV_TRY(polynomial_spring_reinit(o));
  if (o->node->scene->initialised) measure_rest((PolynomialSpring *)o);
  return DV_OK;
}

// The lists name other points. Lengths belong to the springs, not to the points: SOFA measures each spring once.
static void polynomial_spring_renew(PolynomialSpring *p)
{
  dvObject *o = &p->pair.base;
  DV_ARRAY(double) rest = {0};
  for (size_t i = 0; i < p->rest.count; i++) dv_push(&rest, p->rest.data[i]);
  if (polynomial_spring_reinit(o) != DV_OK) p->first.count = 0;
  for (size_t i = 0; i < p->first.count && i < rest.count; i++) p->rest.data[i] = rest.data[i];
  measure_rest(p);
  dv_array_free(&rest);
}

static void polynomial_spring_store_reset(dvObject *o)
{
  PolynomialSpring *p = (PolynomialSpring *)o;
  if (p->waiting) polynomial_spring_reinit(o);
  p->waiting = false;
  measure_rest(p);
}

static void polynomial_spring_add_force(dvObject *o, const dvMech *m)
{
  PolynomialSpring *p = (PolynomialSpring *)o;
  if (p->points != p->pair.first->count + p->pair.second->count && polynomial_spring_change(o) != DV_OK)
    p->first.count = 0;   // a mapping has made other points
  if (p->recompute_indices && p->watched.seen != watched_stamp(&p->watched)) polynomial_spring_renew(p);
  const double *x1 = dv_state_read(p->pair.first, m->x), *x2 = dv_state_read(p->pair.second, m->x);
  double *f1 = dv_state_write(p->pair.first, m->f), *f2 = dv_state_write(p->pair.second, m->f);
  for (size_t i = 0; i < p->first.count; i++) {
    double *moving = p->moving.data + 5 * i, *u = moving + 2, slope, d = direction(p, i, x1, x2, u),
           rest = p->rest.data[i];
    if (rest < 0) rest = d;
    moving[0] = moving[1] = 0;
    if (d == 0 || rest == 0) continue;   // no direction, or no strain
    double force = polynomials_value(&p->polynomials, polynomials_pick(&p->polynomials, i, p->first.count),
                                     fabs(d - rest) / rest, &slope);
    double sign = d >= rest ? 1 : p->compressible ? -1 : 0;
    moving[1] = force / d;
    moving[0] = slope / rest - moving[1];
    for (int k = 0; k < 3; k++) {
      u[k] /= d;
      f1[3 * p->first.data[i] + k] += sign * force * u[k];
      f2[3 * p->second.data[i] + k] -= sign * force * u[k];
    }
  }
}

static void polynomial_spring_add_dforce(dvObject *o, const dvMech *m)
{
  PolynomialSpring *p = (PolynomialSpring *)o;
  double factor = dv_mech_k(m, p->pair.rayleighStiffness);
  const double *dx1 = dv_state_read(p->pair.first, m->dx), *dx2 = dv_state_read(p->pair.second, m->dx);
  double *df1 = dv_state_write(p->pair.first, m->df), *df2 = dv_state_write(p->pair.second, m->df);
  for (size_t i = 0; i < p->first.count; i++) {
    const double *moving = p->moving.data + 5 * i, *u = moving + 2;
    double e[3];
    direction(p, i, dx1, dx2, e);
    double along = moving[0] * (u[0] * e[0] + u[1] * e[1] + u[2] * e[2]);
    for (int k = 0; k < 3; k++) {
      double df = factor * (along * u[k] + moving[1] * e[k]);
      df1[3 * p->first.data[i] + k] += df;
      df2[3 * p->second.data[i] + k] -= df;
    }
  }
}

static void polynomial_spring_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  PolynomialSpring *p = (PolynomialSpring *)o;
  double factor = dv_mech_k(m, p->pair.rayleighStiffness);
  for (size_t i = 0; i < p->first.count; i++) {
    const double *moving = p->moving.data + 5 * i, *u = moving + 2;
    double plus[9], minus[9];
    for (int e = 0; e < 9; e++) {
      plus[e] = factor * (moving[0] * u[e / 3] * u[e % 3] + (e % 4 == 0 ? moving[1] : 0));
      minus[e] = -plus[e];
    }
    size_t a = (size_t)p->first.data[i], b = (size_t)p->second.data[i];
    sink->add(sink, p->pair.first, a, p->pair.first, a, 3, 3, minus);
    sink->add(sink, p->pair.first, a, p->pair.second, b, 3, 3, plus);
    sink->add(sink, p->pair.second, b, p->pair.first, a, 3, 3, plus);
    sink->add(sink, p->pair.second, b, p->pair.second, b, 3, 3, minus);
  }
}

static double polynomial_spring_energy(dvObject *o, const dvMech *m)
{
  PolynomialSpring *p = (PolynomialSpring *)o;
  const double *x1 = dv_state_read(p->pair.first, m->x), *x2 = dv_state_read(p->pair.second, m->x);
  double sum = 0, u[3];
  for (size_t i = 0; i < p->first.count; i++) {
    double d = direction(p, i, x1, x2, u), rest = p->rest.data[i];
    if (rest > 0 && (d >= rest || p->compressible))
      sum += rest * polynomials_energy(&p->polynomials, polynomials_pick(&p->polynomials, i, p->first.count),
                                       fabs(d - rest) / rest);
  }
  return sum;
}

static void polynomial_spring_destroy(dvObject *o)
{
  PolynomialSpring *p = (PolynomialSpring *)o;
  polynomials_free(&p->polynomials);
  dv_ints_free(&p->first);
  dv_ints_free(&p->second);
  dv_array_free(&p->rest);
  dv_array_free(&p->moving);
}

static const dvForceOps polynomial_spring_ops = {
    .add_force = polynomial_spring_add_force,
    .add_dforce = polynomial_spring_add_dforce,
    .add_stiffness = polynomial_spring_add_stiffness,
    .energy = polynomial_spring_energy,
    DV_PAIR_FORCE_SLOTS,
};

const dvClass dv_polynomial_spring_class = {
    .struct_size = sizeof(dvClass),
    .name = "PolynomialSpringsForceField",
    .help = "springs whose force is a polynomial of their strain",
    .module = "Sofa.Component.SolidMechanics.Spring",
    .dofs = DV_DOF_VEC3,
    .size = sizeof(PolynomialSpring),
    .blocks = {&dv_object_block, &dv_pair_force_block, DV_BLOCK(polynomial_spring_fields)},
    .ops = {[DV_ROLE_FORCE] = &polynomial_spring_ops},
    .init = polynomial_spring_init,
    .reinit = polynomial_spring_change,
    .store_reset = polynomial_spring_store_reset,
    .destroy = polynomial_spring_destroy,
    DV_MEMORY(polynomial_spring_memory),
    .topology_changed = polynomial_spring_topology_changed,
};

// --- PolynomialRestShapeSpringsForceField --------------------------------------------------------

#define POLYNOMIAL_REST_FIELDS(X)                                                                                      \
  X(indices, points, "", "", "points that are held; all by default")                                                   \
  X(indices, external_points, "", "", "points of the other state that hold; all by default")                           \
  X(reals, polynomialStiffness, "", "N", "coefficients, polynomial by polynomial, from power 1 up")                    \
  X(indices, polynomialDegree, "", "",                                                                                 \
    "degree of the polynomial of each spring; the first holds for all when the numbers differ")                        \
  X(bool, recompute_indices, "0", "", "follow the lists of points while the scene runs")                               \
  X(bool, drawSpring, "0", "", "draw the springs", .flags = DV_LOOKS)                                                  \
  X(color, springColor, "0 1 0 1", "", "colour of the springs", .flags = DV_LOOKS)                                     \
  X(real, showIndicesScale, "1", "", "size of drawn indices", .flags = DV_LOOKS)                                       \
  X(reals, initialLength, "", "m", "length that strains refer to: one for all or one each; 1 when not given")          \
  X(real, smoothShift, "0", "", "shift in the exponential that smooths the direction")                                 \
  X(real, smoothScale, "1", "1/m2", "scale in the exponential that smooths the direction")                             \
  X(link, external_rest_shape, "", "", "state whose positions hold; by default the rest position of the state itself", \
    .role = DV_ROLE_STATE)

typedef struct PolynomialRest {
  dvForce force;
  POLYNOMIAL_REST_FIELDS(DV_MEMBER)
  Polynomials polynomials;
  dvInts held, holding;
  DV_ARRAY(double) diagonal;   // of the stiffness, three numbers a spring
  size_t count;                // of both states when the springs were made
  bool waiting;
  Watched watched;
  dvPairs pairs;
} PolynomialRest;

#define SELF PolynomialRest
static const dvFieldDesc polynomial_rest_fields[] = {POLYNOMIAL_REST_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvState *holder(const PolynomialRest *p)
{
  return p->external_rest_shape.target ? dv_state(p->external_rest_shape.target) : p->force.state;
}

static dvStatus polynomial_rest_reinit(dvObject *o)
{
  PolynomialRest *p = (PolynomialRest *)o;
  size_t count = p->force.state->count, others = holder(p)->count;
  p->count = count + others;
  p->watched.seen = watched_stamp(&p->watched);
  DV_TRY(polynomials_read(&p->polynomials, o, &p->polynomialStiffness, &p->polynomialDegree));
  DV_TRY(dv_check_indices(o, &p->points, count, "points"));
  DV_TRY(dv_check_indices(o, &p->external_points, others, "points"));
  fill_points(&p->points, count, &p->held);
  fill_points(p->external_rest_shape.target ? &p->external_points : &p->held, others,
              &p->holding);   // without another state a point holds itself
  if (p->held.count > p->holding.count)
    return dv_error(o, "give as many external_points as points", "%zu points cannot be held by %zu", p->held.count,
                    p->holding.count);
  for (size_t i = 0; i < p->initialLength.count; i++)
    if (!(p->initialLength.data[i] > 0))
      return dv_field_error(o, &p->initialLength, NULL, "strains cannot refer to a length of %g",
                            p->initialLength.data[i]);
  if (!dv_ints_resize(&p->holding, p->held.count)) return dv_error(o, NULL, "out of memory");
  dv_array_resize(&p->diagonal, 3 * p->held.count);
  dv_pairs_forget(&p->pairs);
  if (!p->pairs.ends[0]) dv_pairs_follow(&p->pairs, o, p->force.state, holder(p), &p->held, &p->holding);
  dvElementList *l = dv_pairs_list(&p->pairs);
  dv_element_list_add_reals(l, &p->initialLength, true);
  polynomials_follow(&p->polynomials, l, p->held.count);
  return DV_OK;
}

static void polynomial_rest_topology_changed(dvObject *o)
{
  PolynomialRest *p = (PolynomialRest *)o;
  p->count = p->force.state->count + holder(p)->count;
  dv_array_resize(&p->diagonal, 3 * p->held.count);
  if (p->points.count) dv_ints_share(&p->points, &p->held);
  if (p->external_points.count) dv_ints_share(&p->external_points, &p->holding);
  polynomials_show(&p->polynomials, &p->polynomialStiffness, &p->polynomialDegree);
  dv_follow_patched(o);   // rows have followed
}

static dvStatus polynomial_rest_init(dvObject *o)
{
  PolynomialRest *p = (PolynomialRest *)o;
  DV_TRY(dv_force_init(o));
  if (holder(p)->base.dof != p->force.state->base.dof)
    return dv_field_error(o, &p->external_rest_shape, NULL, "%s is of type %s", holder(p)->base.name,
                          holder(p)->base.dof->name);
  p->held.width = p->holding.width = 1;
  watch(&p->watched, o, &p->points, &p->external_points);
  p->waiting = !p->force.state->base.initialised || !holder(p)->base.initialised;
  return p->waiting ? DV_OK : polynomial_rest_reinit(o);
}

static void polynomial_rest_store_reset(dvObject *o)
{
  PolynomialRest *p = (PolynomialRest *)o;
  if (p->waiting) polynomial_rest_reinit(o);
  p->waiting = false;
}

static void polynomial_rest_add_force(dvObject *o, const dvMech *m)
{
  PolynomialRest *p = (PolynomialRest *)o;
  bool moved = p->recompute_indices && p->watched.seen != watched_stamp(&p->watched);
  if ((moved || p->count != p->force.state->count + holder(p)->count) && polynomial_rest_reinit(o) != DV_OK)
    p->held.count = 0;
  const double *x = dv_state_read(p->force.state, m->x),
               *x0 = dv_state_read(holder(p), p->external_rest_shape.target ? DV_X : DV_X_REST);
  double *f = dv_state_write(p->force.state, m->f);
  for (size_t i = 0; i < p->held.count; i++) {
    double e[3], d2 = 0, slope,
                 length = p->initialLength.count ? p->initialLength.data[i < p->initialLength.count ? i : 0] : 1;
    for (int k = 0; k < 3; k++) {
      e[k] = x[3 * p->held.data[i] + k] - x0[3 * p->holding.data[i] + k];
      d2 += e[k] * e[k];
    }
    double force = polynomials_value(&p->polynomials, polynomials_pick(&p->polynomials, i, p->held.count),
                                     sqrt(d2) / length, &slope);
    double smooth = exp(p->smoothShift - p->smoothScale * d2), below = sqrt(d2 + smooth);
    double across = force / below, along = (slope / length - across) * (1 - p->smoothScale * smooth);
    for (int k = 0; k < 3; k++) {
      double u = e[k] / below;
      f[3 * p->held.data[i] + k] -= force * u;
      p->diagonal.data[3 * i + (size_t)k] = along * u * u + across;
    }
  }
}

static void polynomial_rest_add_dforce(dvObject *o, const dvMech *m)
{
  PolynomialRest *p = (PolynomialRest *)o;
  double factor = dv_mech_k(m, p->force.rayleighStiffness);
  const double *dx = dv_state_read(p->force.state, m->dx);
  double *df = dv_state_write(p->force.state, m->df);
  for (size_t i = 0; i < p->held.count; i++)
    for (int k = 0; k < 3; k++)
      df[3 * p->held.data[i] + k] -= factor * p->diagonal.data[3 * i + (size_t)k] * dx[3 * p->held.data[i] + k];
}

static void polynomial_rest_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  PolynomialRest *p = (PolynomialRest *)o;
  double factor = dv_mech_k(m, p->force.rayleighStiffness);
  for (size_t i = 0; i < p->held.count; i++) {
    const double *d = p->diagonal.data + 3 * i;
    double block[9] = {-factor * d[0], 0, 0, 0, -factor * d[1], 0, 0, 0, -factor * d[2]};
    sink->add(sink, p->force.state, (size_t)p->held.data[i], p->force.state, (size_t)p->held.data[i], 3, 3, block);
  }
}

static void polynomial_rest_destroy(dvObject *o)
{
  PolynomialRest *p = (PolynomialRest *)o;
  polynomials_free(&p->polynomials);
  dv_ints_free(&p->held);
  dv_ints_free(&p->holding);
  dv_array_free(&p->diagonal);
}

static const dvForceOps polynomial_rest_ops = {
    .add_force = polynomial_rest_add_force,
    .add_dforce = polynomial_rest_add_dforce,
    .add_stiffness = polynomial_rest_add_stiffness,
    DV_FORCE_SLOTS,
};

const dvClass dv_polynomial_rest_class = {
    .struct_size = sizeof(dvClass),
    .name = "PolynomialRestShapeSpringsForceField",
    .help = "springs to the rest shape whose force is a polynomial of their strain",
    .module = "Sofa.Component.SolidMechanics.Spring",
    .dofs = DV_DOF_VEC3,
    .size = sizeof(PolynomialRest),
    .blocks = {&dv_object_block, &dv_force_block, DV_BLOCK(polynomial_rest_fields)},
    .ops = {[DV_ROLE_FORCE] = &polynomial_rest_ops},
    .init = polynomial_rest_init,
    .reinit = polynomial_rest_reinit,
    .store_reset = polynomial_rest_store_reset,
    .destroy = polynomial_rest_destroy,
    .topology_changed = polynomial_rest_topology_changed,
};
