// TriangularAnisotropicFEMForceField: a sheet of triangles with fibres (S. W. Tsai, H. T. Hahn, Introduction to
// composite materials, 1980).
//
// Along and across the fibres, with E1 along, E2 across, nu12 = nu and nu21 = nu E2/E1, stress is Q strain with
//   Q11 = E1/(1 - nu12 nu21),  Q22 = E2/(1 - nu12 nu21),  Q12 = nu12 Q22,  Q66 = E1/(2 + 2 nu),
// turned by the angle between the fibre and the first edge of the triangle. Q66 uses E1, as in SOFA. SOFA (compat sofa)
// does not multiply by the area of the triangle, so that stiffness depends on the size of the elements. Needs triangles
// and a state of points.
#include "force/fem/surface/triangle_force.h"
#include "object/compat.h"

#include <math.h>

extern const dvClass dv_triangular_anisotropic_class;

#define ANISOTROPIC_FIELDS(X)                                                                                   \
  X(reals, transverseYoungModulus, "1000", "Pa",                                                                \
    "Young's modulus across the fibres, one for all or one each triangle; youngModulus is along them")          \
  X(real, fiberAngle, "0", "degrees", "direction of the fibres in the plane of x and y, from x")                \
  X(vec3s, fiberCenter, "", "m", "when given, the fibres are circles around its first point instead")           \
  X(bool, showFiber, "1", "", "draw the fibres", .flags = DV_LOOKS)                                             \
  X(vec3s, localFiberDirection, "", "", "fibre of each triangle at rest, in parts of its first and third edge", \
    .flags = DV_READ_ONLY)

typedef struct Anisotropic {
  dvTriangular base;
  ANISOTROPIC_FIELDS(DV_MEMBER)
  size_t pierced;   // triangles whose fibre is normal to them
  bool no_area;     // the matrix is not multiplied by the area
} Anisotropic;

#define SELF Anisotropic
static const dvFieldDesc anisotropic_fields[] = {ANISOTROPIC_FIELDS(DV_DESCRIBE)};
#undef SELF

// --- material ---

static dvVec3 fibre_at(const Anisotropic *t, const dvVec3 p[3])
{
  if (t->fiberCenter.count >= 3) {
    dvVec3 normal = dv_vec3_cross(dv_vec3_sub(p[1], p[0]), dv_vec3_sub(p[2], p[0]));
    dvVec3 middle = dv_vec3_scale(dv_vec3_add(dv_vec3_add(p[0], p[1]), p[2]), 1.0 / 3.0);
    return dv_vec3_cross(normal, dv_vec3_sub(dv_vec3_load(t->fiberCenter.data), middle));
  }
  double angle = t->fiberAngle * acos(-1.0) / 180.0;
  return dv_vec3(cos(angle), sin(angle), 0);
}

// Q turned by the angle with cosine c and sine s: entries 00 01 02 11 12 22
static void turned_material(double q11, double q12, double q22, double q66, double c, double s, double out[6])
{
  double c2 = c * c, s2 = s * s, c4 = c2 * c2, s4 = s2 * s2, cs = c * s;
  out[0] = c4 * q11 + 2 * c2 * s2 * (q12 + 2 * q66) + s4 * q22;
  out[1] = c2 * s2 * (q11 + q22 - 4 * q66) + (c4 + s4) * q12;
  out[2] = cs * (c2 * (q11 - q12 - 2 * q66) + s2 * (q12 - q22 + 2 * q66));
  out[3] = s4 * q11 + 2 * c2 * s2 * (q12 + 2 * q66) + c4 * q22;
  out[4] = cs * (s2 * (q11 - q12 - 2 * q66) + c2 * (q12 - q22 + 2 * q66));
  out[5] = c2 * s2 * (q11 + q22 - 2 * q12 - 2 * q66) + (c4 + s4) * q66;
}

// fibre = first + second ab + third ac, as far as it lies in the plane
static void store_local(Anisotropic *t, size_t i, dvVec3 fibre, dvVec3 ab, dvVec3 ac)
{
  dvMat3 inverse;
  dvVec3 local = {0};
  if (dv_mat3_inverse(dv_mat3_from_columns(ab, ac, dv_vec3_cross(ab, ac)), &inverse))
    local = dv_mat3_mul_vec(inverse, fibre);
  local.z = 0;
  if (3 * i + 3 <= t->localFiberDirection.count)
    dv_vec3_store(t->localFiberDirection.data + 3 * i, dv_vec3_normalise(local));
}

static bool anisotropic_at_rest(dvTriangleForce *base, size_t i, const int32_t *corner, const double *x0,
                                dvTriangleRest *rest)
{
  Anisotropic *t = (Anisotropic *)base;
  dvVec3 p[3];
  for (int k = 0; k < 3; k++) p[k] = dv_vec3_load(x0 + 3 * (size_t)corner[k]);
  if (!dv_triangular_shape(&t->base, i, corner, x0, rest)) return false;
  dvVec3 ab = dv_vec3_sub(p[1], p[0]), ac = dv_vec3_sub(p[2], p[0]), fibre = fibre_at(t, p),
         normal = dv_vec3_cross(ab, ac);
  dvVec3 u = dv_vec3_normalise(ab), v = dv_vec3_normalise(dv_vec3_cross(normal, ab));
  double c = dv_vec3_dot(u, fibre), s = dv_vec3_dot(v, fibre), size = sqrt(c * c + s * s);
  store_local(t, i, fibre, ab, ac);
  if (!(size > 1e-12 * dv_vec3_norm(fibre))) {
    t->pierced++;
    c = s = 0;
  } else {
    c /= size;
    s /= size;
  }
  double e1 = dv_elastic_young(&base->elastic, i), e2 = dv_elastic_pick(&t->transverseYoungModulus, i),
         nu = dv_elastic_poisson(&base->elastic, i);
  double q22 = e2 / (1 - nu * nu * e2 / e1);
  turned_material(e1 / (1 - nu * nu * e2 / e1), nu * q22, q22, e1 / (2 * (1 + nu)), c, s, rest->material);
  for (int k = 0; k < 6 && !t->no_area; k++) rest->material[k] *= 0.5 * rest->twice_area;
  return true;
}

// --- set-up ---

static void anisotropic_create(dvObject *o)
{
  dvTriangleForce *t = (dvTriangleForce *)o;
  t->at_rest = anisotropic_at_rest;
  t->poisson_limit = 1;
}

static dvStatus check_moduli(Anisotropic *t, size_t count)
{
  dvObject *o = &t->base.base.elastic.force.base;
  DV_TRY(dv_elastic_check(&t->base.base.elastic, count, 1));
  if (t->transverseYoungModulus.count == 0)
    return dv_field_error(o, &t->transverseYoungModulus, "the default is 1000", "transverseYoungModulus has no value");
  for (size_t i = 0; i < (count ? count : 1); i++) {
    double e1 = dv_elastic_young(&t->base.base.elastic, i), e2 = dv_elastic_pick(&t->transverseYoungModulus, i),
           nu = dv_elastic_poisson(&t->base.base.elastic, i);
    if (!(e1 > 0))
      return dv_field_error(o, &t->base.base.elastic.youngModulus, NULL, "youngModulus %g is not positive", e1);
    if (!(e2 >= 0 && e2 < DV_EXPLODED))
      return dv_field_error(o, &t->transverseYoungModulus, NULL, "transverseYoungModulus %g is not a number from 0 on",
                            e2);
    if (!(nu * nu * e2 < e1))
      return dv_field_error(o, &t->base.base.elastic.poissonRatio, "lower poissonRatio or transverseYoungModulus",
                            "poissonRatio %g is not possible: its square times transverseYoungModulus / youngModulus = "
                            "%g must be below 1",
                            nu, e2 / e1);
  }
  return DV_OK;
}

static dvStatus anisotropic_reinit(dvObject *o)
{
  Anisotropic *t = (Anisotropic *)o;
  size_t count = dv_topology_count(dv_elastic_topology(&t->base.base.elastic), DV_TRIANGLE);
  DV_TRY(check_moduli(t, count));
  if (!isfinite(t->fiberAngle)) return dv_field_error(o, &t->fiberAngle, NULL, "fiberAngle is not a number");
  if (!dv_reals_resize(&t->localFiberDirection, 3 * count))
    return dv_error(o, NULL, "out of memory for %zu fibres", count);
  dv_reals_edit(&t->localFiberDirection);
  t->pierced = 0;
  t->no_area = dv_compat(o, DV_COMPAT_ANISOTROPIC_AREA);
  DV_TRY(dv_triangular_reinit(o));
  dv_touch(o, &t->localFiberDirection);
  if (t->pierced)
    dv_warning(o, "turn the fibres", "the fibres are normal to %zu triangles: these give no force", t->pierced);
  return DV_OK;
}

// fibres are found with the shapes that they are part of
static bool patch(dvObject *o)
{
  Anisotropic *t = (Anisotropic *)o;
  dvTopology *topology = dv_elastic_topology(&t->base.base.elastic);
  size_t count = dv_topology_count(topology, DV_TRIANGLE), across = t->transverseYoungModulus.count;
  if ((across != 1 && across != count) || !dv_reals_resize(&t->localFiberDirection, 3 * count) ||
      !dv_reals_edit(&t->localFiberDirection) || !dv_triangle_force_patch(o))
    return false;
  const dvNumbers *rows = dv_trace_rows(topology, DV_TRIANGLE);
  const double *x0 = dv_state_read(t->base.base.elastic.force.state, DV_X_REST);
  for (size_t i = 0; i < rows->count; i++) {   // they have moved with the numbers of their triangles
    dvTriangleRest rest;
    anisotropic_at_rest(&t->base.base, (size_t)rows->data[i], t->base.base.triangles->data + 3 * rows->data[i], x0,
                        &rest);
  }
  dv_touch(o, &t->localFiberDirection);
  return true;
}

static void anisotropic_topology_changed(dvObject *o)
{
  dv_force_patch_or_remake(o, dv_elastic_topology(&((Anisotropic *)o)->base.base.elastic), patch);
}

static dvStatus anisotropic_init(dvObject *o)
{
  Anisotropic *t = (Anisotropic *)o;
  DV_TRY(dv_elastic_init(o));
  DV_TRY(anisotropic_reinit(o));
  dv_triangular_follow(&t->base);
  dv_element_data_add_reals(dv_triangle_force_follow(&t->base.base), &t->transverseYoungModulus, true);
  return DV_OK;
}

const dvClass dv_triangular_anisotropic_class = {
    .struct_size = sizeof(dvClass),
    .name = "TriangularAnisotropicFEMForceField",
    .help = "a sheet of linear triangles with fibres that are stiffer or softer along than across",
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .dofs = DV_DOF_VEC3,
    .size = sizeof(Anisotropic),
    .blocks = {&dv_object_block, &dv_force_block, &dv_elastic_block, &dv_triangular_block,
               DV_BLOCK(anisotropic_fields)},
    .ops = {[DV_ROLE_FORCE] = &dv_triangle_force_ops},
    .create = anisotropic_create,
    .init = anisotropic_init,
    .reinit = anisotropic_reinit,
    .destroy = dv_triangle_force_destroy,
    .topology_changed = anisotropic_topology_changed,
};
