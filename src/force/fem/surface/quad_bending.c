// QuadBendingFEMForceField: a plate of rectangles in the plane of x and y, with edges along x and y (Reissner and
// Mindlin, without the degrees of freedom of rotation).
//
// A rectangle has half sides l and h, and corners at m, n = -1 or 1 of them. With the membrane stiffness C = E t/(1 -
// nu^2), its shear S = E t/(2 + 2 nu) and the transverse shear G = 5/6 E t/(2 + 2 nu), the matrix between corners i and
// j (2 x 2 points of Gauss for the plane, one across it) is, with a = m_i m_j, b = n_i n_j, A = a (1 + b/3) h/4l, B = b
// (1 + a/3) l/4h:
//   xx = C A + S B,   yy = C B + S A,   xy = (nu C m_i n_j + S n_i m_j)/4,   zz = G (a h/4l + b l/4h).
// Half sides are those of the present rectangle; a rectangle that shrinks to a line keeps its last ones. Needs quads
// and a state of points.
#include "force/fem/elastic.h"
#include "math/vec.h"

#include <math.h>

extern const dvClass dv_quad_bending_fem_class;

// poissonRatio and youngModulus as in elastic.h, whose defaults differ
#define QUAD_BENDING_FIELDS(X)                                                                     \
  X(choice, method, "small", "", "small displacements from the plane of x and y: the only method", \
    .options = "small|large")                                                                      \
  X(real, thickness, "1", "m", "thickness of the plate")                                           \
  X(string, quadInfo, "", "", "kept by the component", .flags = DV_HIDDEN | DV_READ_ONLY)          \
  X(string, vertexInfo, "", "", "kept by the component", .flags = DV_HIDDEN | DV_READ_ONLY)        \
  X(string, edgeInfo, "", "", "kept by the component", .flags = DV_HIDDEN | DV_READ_ONLY)

typedef struct Plate {
  int32_t corner[4];
  double l, h;                              // half sides, at the last evaluation
  double stretch, poisson, shear, across;   // C, nu, S, G
  dvVec3 rest[4];                           // corners from the first
} Plate;

typedef struct QuadBending {
  dvElastic elastic;
  QUAD_BENDING_FIELDS(DV_MEMBER)
  DV_ARRAY(Plate) plates;
  DV_ARRAY(double) sides;   // the half sides of each at the end of the last step
} QuadBending;

#define SELF QuadBending
static const dvFieldDesc quad_bending_fields[] = {QUAD_BENDING_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc quad_bending_memory[] = {DV_REMEMBER(list, sides)};
#undef SELF

static dvVec3 corner_of(const double *x, int32_t p) { return dv_vec3_load(x + 3 * (size_t)p); }
static double half_side(const double *x, int32_t a, int32_t b)
{
  return 0.5 * dv_vec3_norm(dv_vec3_sub(corner_of(x, b), corner_of(x, a)));
}
static bool is_size(double a) { return a > 0 && a < DV_EXPLODED; }

// --- set-up ---

static Plate plate_of(const QuadBending *q, size_t i, const int32_t *corner, const double *x0)
{
  double young = dv_elastic_young(&q->elastic, i), nu = dv_elastic_poisson(&q->elastic, i),
         shear = young * q->thickness / (2 + 2 * nu);
  Plate p = {
      .stretch = young * q->thickness / (1 - nu * nu), .poisson = nu, .shear = shear, .across = 5.0 / 6.0 * shear};
  for (int k = 0; k < 4; k++) {
    p.corner[k] = corner[k];
    p.rest[k] = dv_vec3_sub(corner_of(x0, corner[k]), corner_of(x0, corner[0]));
  }
  p.l = half_side(x0, corner[0], corner[1]);
  p.h = half_side(x0, corner[0], corner[3]);
  return p;
}

static void quad_bending_end_step(dvObject *o)
{
  QuadBending *q = (QuadBending *)o;
  dv_array_resize(&q->sides, 2 * q->plates.count);
  for (size_t i = 0; i < q->plates.count; i++)
    q->sides.data[2 * i] = q->plates.data[i].l, q->sides.data[2 * i + 1] = q->plates.data[i].h;
}

static bool quad_bending_restored(dvObject *o)
{
  QuadBending *q = (QuadBending *)o;
  for (size_t i = 0; i < q->plates.count; i++)
    q->plates.data[i].l = q->sides.data[2 * i], q->plates.data[i].h = q->sides.data[2 * i + 1];
  return true;
}

static dvStatus quad_bending_reinit(dvObject *o)
{
  QuadBending *q = (QuadBending *)o;
  dvState *s = q->elastic.force.state;
  q->plates.count = 0;
  const dvInts *quads = dv_force_elements(o, dv_elastic_topology(&q->elastic), DV_QUAD, s);
  if (!quads) return DV_ERROR_INPUT;
  DV_TRY(dv_elastic_check(&q->elastic, dv_ints_size(quads), 1));
  if (!is_size(q->thickness))
    return dv_field_error(o, &q->thickness, "the default is 1", "thickness %g is not a positive number", q->thickness);
  if (q->method != 0) dv_field_warning(o, &q->method, NULL, "method large is not known, in SOFA either: small is used");
  const double *x0 = dv_state_read(s, DV_X_REST);
  size_t flat = 0;
  for (size_t i = 0; i < dv_ints_size(quads); i++) {
    Plate p = plate_of(q, i, quads->data + 4 * i, x0);
    if (is_size(p.l) && is_size(p.h)) dv_push(&q->plates, p);
    else flat++;
  }
  quad_bending_end_step(o);
  if (flat) dv_warning(o, "repair the mesh", "%zu quads have a side of length 0 and give no force", flat);
  return DV_OK;
}

// plates whose number, points or shape are others; where one is flat they are no longer one for one
static bool patch(dvObject *o)
{
  QuadBending *q = (QuadBending *)o;
  dvTopology *mesh = dv_elastic_topology(&q->elastic);
  const dvInts *quads = dv_topology_elements(mesh, DV_QUAD);
  size_t count = dv_ints_size(quads);
  const double *x0 = dv_state_read(q->elastic.force.state, DV_X_REST);
  if (!dv_elastic_follows(&q->elastic, count) ||
      q->plates.count != dv_trace_before(dv_topology_trace(mesh), DV_QUAD, count))
    return false;
  dvNumbers some = {0};
  bool good = true;
  dv_trace_shapes(mesh, DV_QUAD, &some);
  dv_array_resize(&q->plates, count);
  dv_array_resize(&q->sides, 2 * count);
  for (size_t i = 0; i < some.count && good; i++) {
    size_t e = (size_t)some.data[i];
    Plate p = q->plates.data[e] = plate_of(q, e, quads->data + 4 * e, x0);
    good = is_size(p.l) && is_size(p.h);
    q->sides.data[2 * e] = p.l, q->sides.data[2 * e + 1] = p.h;
  }
  dv_array_free(&some);
  return good;
}

static void quad_bending_topology_changed(dvObject *o)
{
  dv_force_patch_or_remake(o, dv_elastic_topology(&((QuadBending *)o)->elastic), patch);
}

static dvStatus quad_bending_init(dvObject *o)
{
  QuadBending *q = (QuadBending *)o;
  DV_TRY(dv_elastic_init(o));
  DV_TRY(quad_bending_reinit(o));
  dv_elastic_follow(&q->elastic, DV_QUAD, 1);
  if (q->plates.count == 0)
    dv_warning(o, NULL, "the topology %s has no quads: there will be no force", q->elastic.topology.target->name);
  return DV_OK;
}

// --- the matrix of one rectangle ---

static const double side_m[4] = {-1, 1, 1, -1}, side_n[4] = {-1, -1, 1, 1};

static dvMat3 pair_matrix(const Plate *p, int i, int j)
{
  double a = side_m[i] * side_m[j], b = side_n[i] * side_n[j], x = p->h / (4 * p->l), y = p->l / (4 * p->h);
  double stretch = a * (1 + b / 3) * x, other = b * (1 + a / 3) * y;
  dvMat3 k = {0};
  k.m[0][0] = p->stretch * stretch + p->shear * other;
  k.m[1][1] = p->stretch * other + p->shear * stretch;
  k.m[0][1] = 0.25 * (p->poisson * p->stretch * side_m[i] * side_n[j] + p->shear * side_n[i] * side_m[j]);
  k.m[1][0] = 0.25 * (p->poisson * p->stretch * side_n[i] * side_m[j] + p->shear * side_m[i] * side_n[j]);
  k.m[2][2] = p->across * (a * x + b * y);
  return k;
}

// f += k K d; the first corner's d counts as zero: K does not feel translations
static void add_product(const Plate *p, const dvVec3 d[4], double k, double *f)
{
  for (int i = 0; i < 4; i++) {
    dvVec3 sum = {0};
    for (int j = 1; j < 4; j++) sum = dv_vec3_add(sum, dv_mat3_mul_vec(pair_matrix(p, i, j), d[j]));
    dv_vec3_accumulate(f + 3 * (size_t)p->corner[i], dv_vec3_scale(sum, k));
  }
}

static void displacement_of(const Plate *p, const double *x, dvVec3 d[4])
{
  dvVec3 origin = corner_of(x, p->corner[0]);
  for (int k = 0; k < 4; k++) d[k] = dv_vec3_sub(p->rest[k], dv_vec3_sub(corner_of(x, p->corner[k]), origin));
}

// a rectangle with its present sides
static Plate present(const QuadBending *q, size_t i, const double *x)
{
  Plate now = q->plates.data[i];
  const double *before = q->sides.data + 2 * i;
  double l = half_side(x, now.corner[0], now.corner[1]), h = half_side(x, now.corner[0], now.corner[3]);
  now.l = before[0], now.h = before[1];
  if (l > 1e-12 * now.l && h > 1e-12 * now.h) {
    now.l = l;
    now.h = h;
  }
  return now;
}

// --- operations ---

static void quad_bending_add_force(dvObject *o, const dvMech *m)
{
  QuadBending *q = (QuadBending *)o;
  const double *x = dv_state_read(q->elastic.force.state, m->x);
  double *f = dv_state_write(q->elastic.force.state, m->f);
  for (size_t i = 0; i < q->plates.count; i++) {
    Plate *p = &q->plates.data[i];
    dvVec3 d[4];
    *p = present(q, i, x);
    displacement_of(p, x, d);
    add_product(p, d, 1, f);
  }
}

static void quad_bending_add_dforce(dvObject *o, const dvMech *m)
{
  QuadBending *q = (QuadBending *)o;
  double k = dv_mech_k(m, q->elastic.force.rayleighStiffness);
  const double *dx = dv_state_read(q->elastic.force.state, m->dx);
  double *df = dv_state_write(q->elastic.force.state, m->df);
  for (size_t i = 0; i < q->plates.count; i++) {
    const Plate *p = &q->plates.data[i];
    dvVec3 d[4];
    for (int j = 0; j < 4; j++) d[j] = dv_vec3_sub(corner_of(dx, p->corner[j]), corner_of(dx, p->corner[0]));
    add_product(p, d, -k, df);
  }
}

static void quad_bending_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  QuadBending *q = (QuadBending *)o;
  const dvState *s = q->elastic.force.state;
  double k = dv_mech_k(m, q->elastic.force.rayleighStiffness), block[9];
  for (size_t e = 0; e < q->plates.count; e++) {
    const Plate *p = &q->plates.data[e];
    for (int ij = 0; ij < 16; ij++) {
      dv_mat3_store(block, dv_mat3_scale(pair_matrix(p, ij / 4, ij % 4), -k));
      sink->add(sink, s, (size_t)p->corner[ij / 4], s, (size_t)p->corner[ij % 4], 3, 3, block);
    }
  }
}

static double quad_bending_energy(dvObject *o, const dvMech *m)
{
  QuadBending *q = (QuadBending *)o;
  const double *x = dv_state_read(q->elastic.force.state, m->x);
  double sum = 0;
  for (size_t e = 0; e < q->plates.count; e++) {
    Plate p = present(q, e, x);
    dvVec3 d[4];
    displacement_of(&p, x, d);
    for (int ij = 0; ij < 16; ij++)
      sum += 0.5 * dv_vec3_dot(d[ij / 4], dv_mat3_mul_vec(pair_matrix(&p, ij / 4, ij % 4), d[ij % 4]));
  }
  return sum;
}

static void quad_bending_destroy(dvObject *o)
{
  dv_array_free(&((QuadBending *)o)->plates);
  dv_array_free(&((QuadBending *)o)->sides);
}

static const dvForceOps quad_bending_ops = {
    .add_force = quad_bending_add_force,
    .add_dforce = quad_bending_add_dforce,
    .add_stiffness = quad_bending_add_stiffness,
    .energy = quad_bending_energy,
    DV_FORCE_SLOTS,
};

const dvClass dv_quad_bending_fem_class = {
    .struct_size = sizeof(dvClass),
    .name = "QuadBendingFEMForceField",
    .help = "a plate of rectangles in the plane of x and y: membrane and transverse shear",
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .dofs = DV_DOF_VEC3,
    .size = sizeof(QuadBending),
    .blocks = {&dv_object_block, &dv_force_block, &dv_elastic_block, DV_BLOCK(quad_bending_fields)},
    .presets = "youngModulus=1000",
    .ops = {[DV_ROLE_FORCE] = &quad_bending_ops},
    .init = quad_bending_init,
    .reinit = quad_bending_reinit,
    DV_MEMORY(quad_bending_memory),
    .restored = quad_bending_restored,
    .end_step = quad_bending_end_step,
    .destroy = quad_bending_destroy,
    .topology_changed = quad_bending_topology_changed,
};
