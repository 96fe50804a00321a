// Sheets of linear triangles: TriangularFEMForceField, TriangularFEMForceFieldOptim, TriangleFEMForceField.
// The computation is in triangle.c; here are fields, topology and state. Needs triangles (TriangleFEMForceField takes
// quads too) and a state of points.
#include "force/fem/surface/triangle_force.h"
#include "object/compat.h"

#include <math.h>
#include <string.h>

extern const dvClass dv_triangular_fem_class, dv_triangular_optim_class, dv_triangle_fem_class;

// --- common ---

// triangles of the topology, or halves of its quads
static const dvInts *find_triangles(dvTriangleForce *t)
{
  const dvObject *o = &t->elastic.force.base;
  dvTopology *topology = dv_elastic_topology(&t->elastic);
  const dvInts *triangles = dv_force_elements(o, topology, DV_TRIANGLE, t->elastic.force.state);
  if (!triangles || triangles->count || !t->halve_quads) return triangles;
  const dvInts *quads = dv_force_elements(o, topology, DV_QUAD, t->elastic.force.state);
  if (!quads) return NULL;
  t->halves.width = 3;
  if (!dv_ints_resize(&t->halves, quads->count / 4 * 6)) return NULL;
  int32_t *out = dv_ints_edit(&t->halves);
  for (size_t i = 0; i < quads->count; i += 4) {
    const int32_t *q = quads->data + i, half[6] = {q[0], q[1], q[2], q[0], q[2], q[3]};
    memcpy(out + i / 4 * 6, half, sizeof half);
  }
  return &t->halves;
}

static dvStatus make_elements(dvTriangleForce *t, size_t count)
{
  const dvObject *o = &t->elastic.force.base;
  dvState *s = t->elastic.force.state;
  const double *x0 = dv_state_read(s, DV_X_REST);
  dvTriangleRest *rest = dv_try_alloc((count + 1) * sizeof *rest);
  if (!rest) return dv_error(o, NULL, "out of memory for %zu triangles", count);
  size_t flat = 0, first = 0;
  for (size_t i = 0; i < count; i++)
    if (!t->at_rest(t, i, t->triangles->data + 3 * i, x0, &rest[i])) {
      rest[i] = (dvTriangleRest){0};
      if (flat++ == 0) first = i;
    }
  if (flat)
    dv_warning(o, "repair the mesh", "%zu triangles have no area at rest and give no force; the first is number %zu",
               flat, first);
  dvStatus status = dv_triangle_fem_create(&(dvTriangleDef){.positions = x0,
                                                            .points = s->count,
                                                            .triangles = t->triangles->data,
                                                            .count = count,
                                                            .rest = rest,
                                                            .method = t->method},
                                           &t->elements);
  dv_free(rest);
  return status == DV_OK ? DV_OK : dv_error(o, NULL, "out of memory for %zu triangles", count);
}

dvStatus dv_triangle_force_build(dvTriangleForce *t)
{
  dv_triangle_fem_destroy(&t->elements);
  t->triangles = find_triangles(t);
  if (!t->triangles) return DV_ERROR_INPUT;
  size_t count = dv_ints_size(t->triangles);
  if (count == 0)
    dv_warning(&t->elastic.force.base, NULL, "the topology %s has no triangles: there will be no force",
               t->elastic.topology.target->name);
  DV_TRY(dv_elastic_check(&t->elastic, count, t->poisson_limit));
  return make_elements(t, count);
}

static bool rest_now(void *user, size_t i, dvTriangleRest *rest)
{
  dvTriangleForce *t = user;
  const double *x0 = dv_state_read(t->elastic.force.state, DV_X_REST);
  return t->at_rest(t, i, t->triangles->data + 3 * i, x0, rest);
}

// only what has changed; halves of quads are made again
bool dv_triangle_force_patch(dvObject *o)
{
  dvTriangleForce *t = (dvTriangleForce *)o;
  dvTopology *topology = dv_elastic_topology(&t->elastic);
  size_t points = t->elastic.force.state->count;
  if (!t->elements || t->triangles == &t->halves) return false;
  t->triangles = dv_topology_elements(topology, DV_TRIANGLE);
  if (!t->triangles || t->triangles->count == 0 || !dv_elastic_follows(&t->elastic, dv_ints_size(t->triangles)) ||
      dv_topology_point_count(topology) > points)
    return false;
  return dv_triangle_fem_patch(t->elements, topology, points, rest_now, t);
}

void dv_triangle_force_topology_changed(dvObject *o)
{
  dv_force_patch_or_remake(o, dv_elastic_topology(&((dvTriangleForce *)o)->elastic), dv_triangle_force_patch);
}

dvElementData *dv_triangle_force_follow(dvTriangleForce *t)
{
  bool halved = t->triangles == &t->halves;
  return dv_elastic_follow(&t->elastic, halved ? DV_QUAD : DV_TRIANGLE, halved ? 2 : 1);
}

void dv_triangle_force_add_force(dvObject *o, const dvMech *m)
{
  dvTriangleForce *t = (dvTriangleForce *)o;
  dvState *s = t->elastic.force.state;
  if (!t->elements) return;
  dv_triangle_fem_add_force(t->elements, o->context->pool, dv_state_read(s, m->x), dv_state_write(s, m->f));
}

void dv_triangle_force_add_dforce(dvObject *o, const dvMech *m)
{
  dvTriangleForce *t = (dvTriangleForce *)o;
  dvState *s = t->elastic.force.state;
  double k = dv_mech_k(m, t->elastic.force.rayleighStiffness);
  const double *dx = dv_state_read(s, m->dx);
  if (t->elements) dv_triangle_fem_add_dforce(t->elements, o->context->pool, dx, k, dv_state_write(s, m->df));
}

void dv_triangle_force_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  dvTriangleForce *t = (dvTriangleForce *)o;
  if (!t->elements) return;
  dvElementMatrices matrices = dv_triangle_fem_matrices(t->elements, dv_mech_k(m, t->elastic.force.rayleighStiffness));
  dv_element_matrices_add(&matrices, sink, t->elastic.force.state);
}

double dv_triangle_force_energy(dvObject *o, const dvMech *m)
{
  dvTriangleForce *t = (dvTriangleForce *)o;
  return t->elements
             ? dv_triangle_fem_energy(t->elements, o->context->pool, dv_state_read(t->elastic.force.state, m->x))
             : 0;
}

void dv_triangle_force_destroy(dvObject *o)
{
  dvTriangleForce *t = (dvTriangleForce *)o;
  dv_triangle_fem_destroy(&t->elements);
  dv_ints_free(&t->halves);
}

const dvForceOps dv_triangle_force_ops = {
    .add_force = dv_triangle_force_add_force,
    .add_dforce = dv_triangle_force_add_dforce,
    .add_stiffness = dv_triangle_force_add_stiffness,
    .energy = dv_triangle_force_energy,
    DV_FORCE_SLOTS,
};

static bool shape_of_points(const int32_t *corner, const double *x0, dvTriangleRest *rest)
{
  return dv_triangle_shape(x0 + 3 * (size_t)corner[0], x0 + 3 * (size_t)corner[1], x0 + 3 * (size_t)corner[2], rest);
}

// in the plane of x and y, but with the area of the triangle in space
static bool small_shape(const int32_t *corner, const double *x0, dvTriangleRest *rest)
{
  const double *a = x0 + 3 * (size_t)corner[0], *b = x0 + 3 * (size_t)corner[1], *c = x0 + 3 * (size_t)corner[2];
  if (!dv_triangle_shape(a, b, c, rest)) return false;
  rest->bx = b[0] - a[0];
  rest->by = b[1] - a[1];
  rest->cx = c[0] - a[0];
  rest->cy = c[1] - a[1];
  return true;
}

// --- TriangularFEMForceField ---

#define SELF dvTriangular
static const dvFieldDesc triangular_fields[] = {DV_TRIANGULAR_FIELDS(DV_DESCRIBE)};
#undef SELF
const dvFieldBlock dv_triangular_block = {triangular_fields, (int)DV_COUNT(triangular_fields)};

bool dv_triangular_shape(dvTriangular *t, size_t i, const int32_t *corner, const double *x0, dvTriangleRest *rest)
{
  bool large = t->base.method != DV_TRIANGLE_SMALL, given = 9 * i + 9 <= t->rotatedInitialElements.count;
  if (!given || (large && t->initialTransformation.count == 0))
    return large ? shape_of_points(corner, x0, rest) : small_shape(corner, x0, rest);
  const double *p = t->rotatedInitialElements.data + 9 * i;
  rest->bx = p[3];
  rest->by = large ? 0 : p[4];
  rest->cx = p[6];
  rest->cy = p[7];
  rest->twice_area =
      large ? fabs(rest->bx * rest->cy) : dv_vec3_norm(dv_vec3_cross(dv_vec3_load(p + 3), dv_vec3_load(p + 6)));
  return rest->twice_area > 0;
}

static bool triangular_at_rest(dvTriangleForce *t, size_t i, const int32_t *corner, const double *x0,
                               dvTriangleRest *rest)
{
  if (!dv_triangular_shape((dvTriangular *)t, i, corner, x0, rest)) return false;
  dv_triangle_isotropic(dv_elastic_young(&t->elastic, i), dv_elastic_poisson(&t->elastic, i), false,
                        0.5 * rest->twice_area, rest->material);
  return true;
}

static void triangular_create(dvObject *o)
{
  dvTriangleForce *t = (dvTriangleForce *)o;
  t->at_rest = triangular_at_rest;
  t->poisson_limit = 1;   // of a sheet: its thickness is free
}

static dvStatus check_given(const dvTriangular *t, const dvReals *list, size_t count)
{
  const dvObject *o = &t->base.elastic.force.base;
  if (list->count == 0 || list->count == 9 * count) return DV_OK;
  return dv_field_error(o, list, "give nine numbers for each triangle, or none", "%s has %zu numbers for %zu triangles",
                        dv_field_name(dv_field_of(o, list)->desc), list->count, count);
}

dvStatus dv_triangular_reinit(dvObject *o)
{
  dvTriangular *t = (dvTriangular *)o;
  size_t count = dv_topology_count(dv_elastic_topology(&t->base.elastic), DV_TRIANGLE);
  t->base.method = t->method == 0 ? DV_TRIANGLE_SMALL : DV_TRIANGLE_PRESENT;
  DV_TRY(check_given(t, &t->rotatedInitialElements, count));
  DV_TRY(check_given(t, &t->initialTransformation, count));
  return dv_triangle_force_build(&t->base);
}

// a new triangle has the shape at rest of its points, not that of its ancestor
static void shape_created(void *user, const dvNewElement *e)
{
  dvTriangular *t = user;
  const double *x0 = dv_state_read(t->base.elastic.force.state, DV_X_REST);
  dvTriangleRest rest = {0};
  bool large = t->base.method != DV_TRIANGLE_SMALL;
  if (9 * e->row + 9 <= t->rotatedInitialElements.count) {
    (large ? shape_of_points : small_shape)(e->points, x0, &rest);
    const double shape[9] = {0, 0, 0, rest.bx, rest.by, 0, rest.cx, rest.cy, 0};
    memcpy(dv_reals_edit(&t->rotatedInitialElements) + 9 * e->row, shape, sizeof shape);
  }
}

void dv_triangular_follow(dvTriangular *t)
{
  dvElementData *d = dv_triangle_force_follow(&t->base);
  dv_element_data_add_groups(d, &t->rotatedInitialElements, 9, true);
  dv_element_data_add_groups(d, &t->initialTransformation, 9, true);
  d->create = shape_created;
}

dvStatus dv_triangular_init(dvObject *o)
{
  DV_TRY(dv_elastic_init(o));
  DV_TRY(dv_triangular_reinit(o));
  dv_triangular_follow((dvTriangular *)o);
  return DV_OK;
}

const dvClass dv_triangular_fem_class = {
    .struct_size = sizeof(dvClass),
    .name = "TriangularFEMForceField",
    .help = "a sheet of linear triangles, isotropic, of thickness one",
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .dofs = DV_DOF_VEC3,
    .size = sizeof(dvTriangular),
    .blocks = {&dv_object_block, &dv_force_block, &dv_elastic_block, &dv_triangular_block},
    .ops = {[DV_ROLE_FORCE] = &dv_triangle_force_ops},
    .create = triangular_create,
    .init = dv_triangular_init,
    .reinit = dv_triangular_reinit,
    .destroy = dv_triangle_force_destroy,
    .topology_changed = dv_triangle_force_topology_changed,
};

// --- TriangularFEMForceFieldOptim ---

#define OPTIM_FIELDS(X)                                                                                                \
  X(real, restScale, "1", "", "factor on the shape at rest: below 1 the sheet is stretched from the start")            \
  X(bool, computePrincipalStress, "0", "", "compute stressMaxValue with every force")                                  \
  X(real, stressMaxValue, "0", "Pa", "largest principal stress, at least 0; half of it and pressure positive in SOFA", \
    .flags = DV_READ_ONLY)                                                                                             \
  X(real, damping, "0", "s", "has no effect in SOFA and none here: use rayleighStiffness", .flags = DV_HIDDEN)         \
  X(bool, showStressVector, "0", "", "draw the principal directions of the stress", .flags = DV_LOOKS)                 \
  X(real, showStressThreshold, "0", "Pa", "draw only stresses above this one", .flags = DV_LOOKS)                      \
  X(string, triangleInfo, "", "", "kept by the component", .flags = DV_HIDDEN | DV_READ_ONLY)                          \
  X(string, triangleState, "", "", "kept by the component", .flags = DV_HIDDEN | DV_READ_ONLY)

typedef struct Optim {
  dvTriangleForce base;
  OPTIM_FIELDS(DV_MEMBER)
  bool half_stress;
} Optim;

#define SELF Optim
static const dvFieldDesc optim_fields[] = {OPTIM_FIELDS(DV_DESCRIBE)};
#undef SELF

static bool optim_at_rest(dvTriangleForce *t, size_t i, const int32_t *corner, const double *x0, dvTriangleRest *rest)
{
  double scale = ((Optim *)t)->restScale;
  if (!shape_of_points(corner, x0, rest)) return false;
  rest->bx *= scale;
  rest->cx *= scale;
  rest->cy *= scale;
  rest->twice_area *= scale * scale;
  dv_triangle_isotropic(dv_elastic_young(&t->elastic, i), dv_elastic_poisson(&t->elastic, i), false,
                        0.5 * rest->twice_area, rest->material);
  return true;
}

static void optim_create(dvObject *o)
{
  dvTriangleForce *t = (dvTriangleForce *)o;
  t->at_rest = optim_at_rest;
  t->poisson_limit = 1;
  t->method = DV_TRIANGLE_REST;
}

// scenes of TriangularFEMForceField may say method
static dvStatus optim_parse(dvObject *o, dvAttributes *attributes)
{
  const char *method = dv_attribute_take(attributes, "method");
  if (method && strcmp(method, "large") != 0)
    dv_warning(o, "use TriangularFEMForceField for others", "method \"%s\" is not known: the only one is large",
               method);
  return DV_OK;
}

static dvStatus optim_reinit(dvObject *o)
{
  Optim *t = (Optim *)o;
  if (!(t->restScale > 0 && t->restScale < DV_EXPLODED))
    return dv_field_error(o, &t->restScale, "1 leaves the shape as it is", "restScale %g is not a positive number",
                          t->restScale);
  if (t->damping != 0) dv_field_warning(o, &t->damping, "use rayleighStiffness", "damping has no effect");
  t->half_stress = t->computePrincipalStress && dv_compat(o, DV_COMPAT_HALF_STRESS);
  return dv_triangle_force_build(&t->base);
}

static dvStatus optim_init(dvObject *o)
{
  DV_TRY(dv_elastic_init(o));
  DV_TRY(optim_reinit(o));
  dv_triangle_force_follow((dvTriangleForce *)o);
  return DV_OK;
}

// the larger principal stress; strains count from the present to the rest shape, and SOFA keeps that sign, and half
static double principal_value(const Optim *t, size_t i)
{
  double strain[3], c[6];
  dv_triangle_fem_strain(t->base.elements, i, strain, NULL);
  dv_triangle_isotropic(dv_elastic_young(&t->base.elastic, i), dv_elastic_poisson(&t->base.elastic, i), false,
                        t->half_stress ? 0.5 : -1, c);
  double xx = c[0] * strain[0] + c[1] * strain[1], yy = c[1] * strain[0] + c[3] * strain[1], xy = c[5] * strain[2];
  return 0.5 * (xx + yy + sqrt((xx - yy) * (xx - yy) + 4 * xy * xy));
}

static void optim_add_force(dvObject *o, const dvMech *m)
{
  Optim *t = (Optim *)o;
  dv_triangle_force_add_force(o, m);
  if (!t->computePrincipalStress || !t->base.elements) return;
  t->stressMaxValue = 0;
  for (size_t i = 0; i < dv_ints_size(t->base.triangles); i++)
    t->stressMaxValue = fmax(t->stressMaxValue, principal_value(t, i));
  dv_touch(o, &t->stressMaxValue);
}

static const dvForceOps optim_ops = {
    .add_force = optim_add_force,
    .add_dforce = dv_triangle_force_add_dforce,
    .add_stiffness = dv_triangle_force_add_stiffness,
    .energy = dv_triangle_force_energy,
    DV_FORCE_SLOTS,
};

const dvClass dv_triangular_optim_class = {
    .struct_size = sizeof(dvClass),
    .name = "TriangularFEMForceFieldOptim",
    .help = "a sheet of linear triangles, isotropic, of thickness one, with the gradients of its shape at rest",
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .dofs = DV_DOF_VEC3,
    .size = sizeof(Optim),
    .blocks = {&dv_object_block, &dv_force_block, &dv_elastic_block, DV_BLOCK(optim_fields)},
    .ops = {[DV_ROLE_FORCE] = &optim_ops},
    .create = optim_create,
    .parse = optim_parse,
    .init = optim_init,
    .reinit = optim_reinit,
    .destroy = dv_triangle_force_destroy,
    .topology_changed = dv_triangle_force_topology_changed,
};

// --- TriangleFEMForceField ---

#define TRIANGLE_FEM_FIELDS(X)                                                                                         \
  X(choice, method, "large", "",                                                                                       \
    "plane of a triangle: its own (large), or always that of x and y (small); green: Green's strain, for sheets that " \
    "are stretched far, folded or torn: the force grows with the stretch (with large it falls beyond twice the "       \
    "length)",                                                                                                         \
    .options = "small|large|green")                                                                                    \
  X(coords, initialPoints, "", "m", "points at rest; those of the state by default")                                   \
  X(real, thickness, "1", "m", "thickness of the sheet")                                                               \
  X(bool, planeStrain, "0", "",                                                                                        \
    "the sheet cannot change its thickness (plane strain); else it is free to (plane stress)")

typedef struct TriangleFem {
  dvTriangleForce base;
  TRIANGLE_FEM_FIELDS(DV_MEMBER)
} TriangleFem;

#define SELF TriangleFem
static const dvFieldDesc triangle_fem_fields[] = {TRIANGLE_FEM_FIELDS(DV_DESCRIBE)};
#undef SELF

// Corners turned first and subtracted then, as SOFA does. The shape is off by the rounding of the positions, and the
// force of a flat sheet that nothing stretches is not quite zero: that decides to which side it buckles.
static bool turned_shape(const int32_t *corner, const double *x0, dvTriangleRest *rest)
{
  if (!shape_of_points(corner, x0, rest)) return false;
  dvVec3 p[3], u, v;
  for (int k = 0; k < 3; k++) p[k] = dv_vec3_load(x0 + 3 * (size_t)corner[k]);
  dv_triangle_axes(dv_vec3_sub(p[1], p[0]), dv_vec3_sub(p[2], p[0]), &u, &v);
  rest->bx = dv_vec3_dot(u, p[1]) - dv_vec3_dot(u, p[0]);
  rest->cx = dv_vec3_dot(u, p[2]) - dv_vec3_dot(u, p[0]);
  rest->cy = dv_vec3_dot(v, p[2]) - dv_vec3_dot(v, p[0]);
  return true;
}

static bool triangle_fem_at_rest(dvTriangleForce *base, size_t i, const int32_t *corner, const double *x0,
                                 dvTriangleRest *rest)
{
  TriangleFem *t = (TriangleFem *)base;
  bool small = base->method == DV_TRIANGLE_SMALL;
  if (t->initialPoints.count) x0 = t->initialPoints.data;
  if (!(small ? small_shape : turned_shape)(corner, x0, rest)) return false;
  double volume = 0.5 * t->thickness * rest->twice_area;
  dv_triangle_isotropic(dv_elastic_young(&base->elastic, i), dv_elastic_poisson(&base->elastic, i), t->planeStrain,
                        volume, rest->material);
  return true;
}

static void triangle_fem_create(dvObject *o)
{
  dvTriangleForce *t = (dvTriangleForce *)o;
  t->at_rest = triangle_fem_at_rest;
  t->halve_quads = true;
}

static dvStatus triangle_fem_reinit(dvObject *o)
{
  TriangleFem *t = (TriangleFem *)o;
  size_t points = t->base.elastic.force.state->count;
  static const dvTriangleMethod methods[] = {DV_TRIANGLE_SMALL, DV_TRIANGLE_PRESENT, DV_TRIANGLE_GREEN};
  t->base.method = methods[t->method];
  t->base.poisson_limit = t->planeStrain ? 0.5 : 1;
  if (!(t->thickness > 0 && t->thickness < DV_EXPLODED))
    return dv_field_error(o, &t->thickness, "the default is 1", "thickness %g is not a positive number", t->thickness);
  if (t->initialPoints.count && t->initialPoints.count != 3 * points)
    return dv_field_error(o, &t->initialPoints, "leave the field away for the rest positions of the state",
                          "initialPoints has %zu points, but %s has %zu", t->initialPoints.count / 3,
                          t->base.elastic.force.state->base.name, points);
  return dv_triangle_force_build(&t->base);
}

static dvStatus triangle_fem_init(dvObject *o)
{
  DV_TRY(dv_elastic_init(o));
  DV_TRY(triangle_fem_reinit(o));
  dv_triangle_force_follow((dvTriangleForce *)o);
  dv_element_data_add_reals(dv_follow_rows(o, ((dvForce *)o)->state), &((TriangleFem *)o)->initialPoints, true);
  return DV_OK;
}

const dvClass dv_triangle_fem_class = {
    .struct_size = sizeof(dvClass),
    .name = "TriangleFEMForceField",
    .help = "a sheet of linear triangles, isotropic, with a thickness, in plane stress or plane strain",
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .dofs = DV_DOF_VEC3,
    .size = sizeof(TriangleFem),
    .blocks = {&dv_object_block, &dv_force_block, &dv_elastic_block, DV_BLOCK(triangle_fem_fields)},
    .ops = {[DV_ROLE_FORCE] = &dv_triangle_force_ops},
    .create = triangle_fem_create,
    .init = triangle_fem_init,
    .reinit = triangle_fem_reinit,
    .destroy = dv_triangle_force_destroy,
    .topology_changed = dv_triangle_force_topology_changed,
};
