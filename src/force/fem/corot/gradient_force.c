// Materials on deformation gradients: GreenLagrangeForceField, VolumePreservationForceField.
//
// The state holds the columns of F of each integration point, three points one after the other (FrameBlendingMapping
// with `gradients`). With the volume V of a point
//
//   Green         W = mu E:E + lambda/2 (tr E)^2,          E = (F^T F - 1) / 2,   P = F S,  S = 2 mu E + lambda tr E 1
//   corotational  W = mu |F - R|^2 + lambda/2 (tr (R^T F - 1))^2,                 P = 2 mu (F - R) + lambda tr (R^T F -
//   1) R volume        W = k/2 (det F - 1)^2,                                          P = k (det F - 1) cof F
//
// and the force on column k is -V P e_k. Moduli and volumes are given once or for each point, which makes a map of
// materials.
#include "force/fem/register.h"
#include "math/decompose.h"
#include "mechanics/component.h"

#include <math.h>
#include <string.h>

enum { GREEN, COROTATIONAL };
enum { GRAIN = 256 };

#define GRADIENT_FIELDS(X) X(reals, volume, "1", "m3", "volume of each integration point, or one for all")
#define LAGRANGE_FIELDS(X)                                                                                      \
  X(reals, youngModulus, "1000", "Pa", "stiffness at each integration point, or one for all", .least = "0")     \
  X(reals, poissonRatio, "0.3", "", "Poisson's ratio at each integration point, or one for all", .least = "-1", \
    .most = "0.5")                                                                                              \
  X(choice, strain, "Green", "", "measure of the strain", .options = "Green|Corotational")
#define VOLUME_FIELDS(X) \
  X(reals, bulkModulus, "1000", "Pa", "resistance to a change of volume at each integration point, or one for all")

typedef struct Gradient {
  dvForce force;
  GRADIENT_FIELDS(DV_MEMBER)
  LAGRANGE_FIELDS(DV_MEMBER)
  VOLUME_FIELDS(DV_MEMBER)
  bool preserves;   // VolumePreservationForceField
  size_t count;     // integration points
  double *f;        // F of each, as of the last force; nine numbers
} Gradient;

#define SELF Gradient
static const dvFieldDesc lagrange_fields[] = {GRADIENT_FIELDS(DV_DESCRIBE) LAGRANGE_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc volume_fields[] = {GRADIENT_FIELDS(DV_DESCRIBE) VOLUME_FIELDS(DV_DESCRIBE)};
#undef SELF

static double at(const dvReals *r, size_t i) { return r->data[r->count > 1 ? i : 0]; }

// --- materials -----------------------------------------------------------------------------------

typedef struct Material {
  int strain;   // GREEN or COROTATIONAL
  bool preserves;
  double mu, lambda, bulk, volume;
} Material;

static Material material_at(const Gradient *g, size_t i)
{
  Material m = {.strain = g->strain, .preserves = g->preserves, .volume = at(&g->volume, i)};
  if (g->preserves) {
    m.bulk = at(&g->bulkModulus, i);
    return m;
  }
  double young = at(&g->youngModulus, i), poisson = at(&g->poissonRatio, i);
  m.mu = young / (2 * (1 + poisson));
  m.lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
  return m;
}

static dvMat3 green(dvMat3 f) { return dv_mat3_scale(dv_mat3_sub(dv_mat3_t_mul(f, f), dv_mat3_identity()), 0.5); }

static double dots(dvMat3 a, dvMat3 b) { return dv_mat3_trace(dv_mat3_t_mul(a, b)); }

// 2 mu a + lambda tr a
static dvMat3 hooke(const Material *m, dvMat3 a)
{
  return dv_mat3_add(dv_mat3_scale(a, 2 * m->mu), dv_mat3_scale(dv_mat3_identity(), m->lambda * dv_mat3_trace(a)));
}

static dvMat3 stress(const Material *m, dvMat3 f, double *energy)
{
  if (m->preserves) {
    double change = dv_mat3_det(f) - 1;
    *energy = 0.5 * m->bulk * change * change;
    return dv_mat3_scale(dv_mat3_cofactor(f), m->bulk * change);
  }
  if (m->strain == GREEN) {
    dvMat3 e = green(f);
    *energy = m->mu * dots(e, e) + 0.5 * m->lambda * dv_mat3_trace(e) * dv_mat3_trace(e);
    return dv_mat3_mul(f, hooke(m, e));
  }
  dvMat3 r, s;
  dv_polar_stable(&f, &r, &s);
  double stretch = dv_mat3_trace(s) - 3;
  dvMat3 beyond = dv_mat3_sub(f, r);
  *energy = m->mu * dots(beyond, beyond) + 0.5 * m->lambda * stretch * stretch;
  return dv_mat3_add(dv_mat3_scale(beyond, 2 * m->mu), dv_mat3_scale(r, m->lambda * stretch));
}

// how the cofactor matrix changes: its columns are products of the others' columns
static dvMat3 cofactor_change(dvMat3 f, dvMat3 df)
{
  dvMat3 out;
  for (int k = 0; k < 3; k++) {
    int a = (k + 1) % 3, b = (k + 2) % 3;
    dv_mat3_set_column(&out, k,
                       dv_vec3_add(dv_vec3_cross(dv_mat3_column(df, a), dv_mat3_column(f, b)),
                                   dv_vec3_cross(dv_mat3_column(f, a), dv_mat3_column(df, b))));
  }
  return out;
}

// the rotation R [w]x that a change of F brings, w = (tr S - S)^-1 axial(R^T dF)
static dvMat3 rotation_change(dvMat3 r, dvMat3 s, dvMat3 df)
{
  dvMat3 w = dv_mat3_t_mul(r, df), inverse, less = dv_mat3_sub(dv_mat3_scale(dv_mat3_identity(), dv_mat3_trace(s)), s);
  if (!dv_mat3_inverse(less, &inverse)) return (dvMat3){{{0}}};
  dvVec3 axial = {w.m[2][1] - w.m[1][2], w.m[0][2] - w.m[2][0], w.m[1][0] - w.m[0][1]};
  return dv_mat3_mul(r, dv_mat3_skew(dv_mat3_mul_vec(inverse, axial)));
}

// what the changes of the stress at one F have in common
typedef struct Place {
  dvMat3 f, r, s;   // F, and of the corotational strain F = R S
} Place;

static Place place_of(const Material *m, dvMat3 f)
{
  Place p = {.f = f};
  if (!m->preserves && m->strain == COROTATIONAL) dv_polar_stable(&f, &p.r, &p.s);
  return p;
}

static dvMat3 stress_change(const Material *m, const Place *p, dvMat3 df)
{
  dvMat3 f = p->f;
  if (m->preserves) {
    dvMat3 cofactor = dv_mat3_cofactor(f);
    return dv_mat3_scale(dv_mat3_add(dv_mat3_scale(cofactor, dots(cofactor, df)),
                                     dv_mat3_scale(cofactor_change(f, df), dv_mat3_det(f) - 1)),
                         m->bulk);
  }
  if (m->strain == GREEN) {
    dvMat3 de = dv_mat3_t_mul(f, df);
    de = dv_mat3_scale(dv_mat3_add(de, dv_mat3_transpose(de)), 0.5);
    return dv_mat3_add(dv_mat3_mul(df, hooke(m, green(f))), dv_mat3_mul(f, hooke(m, de)));
  }
  dvMat3 r = p->r, s = p->s, dr = rotation_change(r, s, df);
  dvMat3 out = dv_mat3_scale(dv_mat3_sub(df, dr), 2 * m->mu);
  out = dv_mat3_add(out, dv_mat3_scale(r, m->lambda * dots(r, df)));
  return dv_mat3_add(out, dv_mat3_scale(dr, m->lambda * (dv_mat3_trace(s) - 3)));
}

// --- operations ----------------------------------------------------------------------------------

// the columns of a gradient stand one after the other
static dvMat3 load_columns(const double *x)
{
  return dv_mat3_from_columns(dv_vec3_load(x), dv_vec3_load(x + 3), dv_vec3_load(x + 6));
}

static void accumulate_columns(double *x, dvMat3 a, double factor)
{
  for (int k = 0; k < 3; k++) dv_vec3_accumulate(x + 3 * k, dv_vec3_scale(dv_mat3_column(a, k), factor));
}

typedef struct Pass {
  const Gradient *g;
  const double *in;
  double *out, factor;
} Pass;

static bool sizes_hold(const Gradient *g) { return g->force.state->count == 3 * g->count; }

static void force_body(void *user, size_t begin, size_t end)
{
  const Pass *p = user;
  for (size_t i = begin; i < end; i++) {
    Material m = material_at(p->g, i);
    double energy;
    memcpy(p->g->f + 9 * i, p->in + 9 * i, 9 * sizeof(double));
    accumulate_columns(p->out + 9 * i, stress(&m, load_columns(p->in + 9 * i), &energy), -m.volume);
  }
}

static void gradient_add_force(dvObject *o, const dvMech *mech)
{
  Gradient *g = (Gradient *)o;
  if (!sizes_hold(g)) return;
  Pass p = {.g = g, .in = dv_state_read(g->force.state, mech->x)};
  p.out = dv_state_write(g->force.state, mech->f);
  dv_parallel_for(o->context->pool, g->count, GRAIN, force_body, &p);
}

static void dforce_body(void *user, size_t begin, size_t end)
{
  const Pass *p = user;
  for (size_t i = begin; i < end; i++) {
    Material m = material_at(p->g, i);
    Place place = place_of(&m, load_columns(p->g->f + 9 * i));
    dvMat3 change = stress_change(&m, &place, load_columns(p->in + 9 * i));
    accumulate_columns(p->out + 9 * i, change, -m.volume * p->factor);
  }
}

static void gradient_add_dforce(dvObject *o, const dvMech *mech)
{
  Gradient *g = (Gradient *)o;
  if (!sizes_hold(g)) return;
  Pass p = {
      .g = g, .in = dv_state_read(g->force.state, mech->dx), .factor = dv_mech_k(mech, g->force.rayleighStiffness)};
  p.out = dv_state_write(g->force.state, mech->df);
  dv_parallel_for(o->context->pool, g->count, GRAIN, dforce_body, &p);
}

static void gradient_add_stiffness(dvObject *o, const dvMech *mech, dvMatrixSink *sink)
{
  Gradient *g = (Gradient *)o;
  double factor = dv_mech_k(mech, g->force.rayleighStiffness);
  if (!sizes_hold(g)) return;
  for (size_t i = 0; i < g->count; i++) {
    Material m = material_at(g, i);
    Place place = place_of(&m, load_columns(g->f + 9 * i));
    double block[81];
    for (int j = 0; j < 9; j++) {   // a unit change of each number of F
      dvMat3 unit = {{{0}}};
      unit.m[j % 3][j / 3] = 1;
      dvMat3 change = stress_change(&m, &place, unit);
      for (int k = 0; k < 9; k++) block[9 * k + j] = -m.volume * factor * change.m[k % 3][k / 3];
    }
    int32_t first = (int32_t)(3 * i), dofs[3] = {first, first + 1, first + 2};
    dv_sink_add_element(sink, g->force.state, dofs, 3, block);
  }
}

static double gradient_energy(dvObject *o, const dvMech *mech)
{
  Gradient *g = (Gradient *)o;
  const double *x = dv_state_read(g->force.state, mech->x);
  double sum = 0;
  for (size_t i = 0; i < g->count && sizes_hold(g); i++) {
    Material m = material_at(g, i);
    double energy;
    stress(&m, load_columns(x + 9 * i), &energy);
    sum += m.volume * energy;
  }
  return sum;
}

// --- set-up --------------------------------------------------------------------------------------

static dvStatus check_list(const Gradient *g, const dvReals *list, double low, double high)
{
  const dvObject *o = &g->force.base;
  const char *name = dv_field_name(dv_field_of(o, list)->desc);
  if (list->count != 1 && list->count != g->count)
    return dv_field_error(o, list, NULL, "%s has %zu entries: one for all, or one for each of %zu integration points",
                          name, list->count, g->count);
  for (size_t i = 0; i < list->count; i++)
    if (!(list->data[i] >= low && list->data[i] < high))
      return dv_field_error(o, list, NULL, "entry %zu of %s is %g", i, name, list->data[i]);
  return DV_OK;
}

static dvStatus gradient_init(dvObject *o)
{
  Gradient *g = (Gradient *)o;
  DV_TRY(dv_force_init(o));
  // a mapping that makes the gradients gives the state its size
  for (size_t i = 0; i < o->node->objects.count; i++)
    if (dv_plays(o->node->objects.data[i], DV_ROLE_MAPPING)) DV_TRY(dv_object_ensure(o->node->objects.data[i]));
  g->preserves = dv_object_field(o, "bulkModulus") != NULL;
  g->count = g->force.state->count / 3;
  if (g->count == 0 || g->force.state->count % 3)
    return dv_error(o, "map it by FrameBlendingMapping with gradients=\"1\"",
                    "%s works on deformation gradients, three columns each, and %s has %zu points", o->cls->name,
                    g->force.state->base.name, g->force.state->count);
  if (g->count > INT32_MAX / 3) return dv_error(o, NULL, "%zu integration points are too many", g->count);
  DV_TRY(check_list(g, &g->volume, 0, INFINITY));
  if (g->preserves) DV_TRY(check_list(g, &g->bulkModulus, 0, INFINITY));
  else DV_TRY(check_list(g, &g->youngModulus, 0, INFINITY));
  if (!g->preserves) DV_TRY(check_list(g, &g->poissonRatio, -0.999, 0.4999999));
  g->f = dv_alloc((9 * g->count + 1) * sizeof *g->f);
  return DV_OK;
}

static void gradient_destroy(dvObject *o) { dv_free(((Gradient *)o)->f); }

static const dvForceOps gradient_ops = {.add_force = gradient_add_force,
                                        .add_dforce = gradient_add_dforce,
                                        .add_stiffness = gradient_add_stiffness,
                                        .energy = gradient_energy,
                                        DV_FORCE_SLOTS};

#define GRADIENT_CLASS(symbol, name_, help_, fields)                                       \
  extern const dvClass symbol;                                                             \
  const dvClass symbol = {.struct_size = sizeof(dvClass),                                  \
                          .name = name_,                                                   \
                          .help = help_,                                                   \
                          .module = "Divan",                                               \
                          .dofs = DV_DOF_VEC3,                                             \
                          .size = sizeof(Gradient),                                        \
                          .blocks = {&dv_object_block, &dv_force_block, DV_BLOCK(fields)}, \
                          .ops = {[DV_ROLE_FORCE] = &gradient_ops},                        \
                          .init = gradient_init,                                           \
                          .destroy = gradient_destroy}

GRADIENT_CLASS(dv_green_lagrange_class, "GreenLagrangeForceField",
               "elasticity of deformation gradients at integration points", lagrange_fields);
GRADIENT_CLASS(dv_volume_preservation_class, "VolumePreservationForceField",
               "resists a change of volume at integration points", volume_fields);
