// TetrahedralTensorMassForceField, TriangularTensorMassForceField: linear elasticity with one 3 x 3 matrix an edge
// (S. Cotin, H. Delingette, N. Ayache, A hybrid elastic model for real-time cutting, deformations, and force feedback,
// 2000).
//
// With displacements u of the ends p and q of an edge, f_q += M (u_q - u_p), f_p -= M^T (u_q - u_p). Each element
// around the edge adds to M
//   tetrahedron, volume V, gradients g:     V (lambda g_q g_p^T + mu g_p g_q^T + mu (g_p . g_q) 1),
//   triangle, area A, third corner c:       lambda/4A (c - q)(c - p)^T + mu/8A (c - p)(c - q)^T - cot(angle at c)
//   (lambda + mu)/2 1,
// the latter with the moduli of a sheet, lambda = E nu/(1 - nu^2) and mu = E/(1 + nu); it acts out of the plane too.
// Displacements are small: turning the body gives forces. Needs tetrahedra or triangles, and a state of points.
#include "force/mesh.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

extern const dvClass dv_tetra_tensor_mass_class, dv_triangle_tensor_mass_class;

#define TENSOR_MASS_FIELDS(X)                                                                      \
  X(real, poissonRatio, "0.3", "", "Poisson's ratio", .least = "-1", .most = "0.5")                \
  X(real, youngModulus, "1000", "Pa", "Young's modulus", .least = "0")                             \
  X(string, edgeInfo, "", "", "kept by the component", .flags = DV_HIDDEN | DV_READ_ONLY)          \
  X(link, topology, "", "", "topology with the elements; the one of the node or above by default", \
    .role = DV_ROLE_TOPOLOGY)

typedef struct TensorMass {
  dvForce force;
  TENSOR_MASS_FIELDS(DV_MEMBER)
  const dvInts *edges;
  DV_ARRAY(dvMat3) matrices;   // one an edge
  DV_ARRAY(double) rest;       // positions from which displacements count
} TensorMass;

#define SELF TensorMass
static const dvFieldDesc tensor_mass_fields[] = {TENSOR_MASS_FIELDS(DV_DESCRIBE)};
#undef SELF

// --- set-up ---

// the smallest volume or area, in powers of the longest edge, at which an element has gradients
static const double flat_limit = 1e-14;

static dvMat3 pair_matrix(double lambda, dvVec3 a, dvVec3 b, double mu,
                          double diagonal)   // lambda a b^T + mu b a^T + diagonal 1
{
  dvMat3 m = dv_mat3_add(dv_mat3_scale(dv_mat3_outer(a, b), lambda), dv_mat3_scale(dv_mat3_outer(b, a), mu));
  for (int i = 0; i < 3; i++) m.m[i][i] += diagonal;
  return m;
}

// of the edge from corner p to corner q; false for a flat element
static bool tetra_matrix(const TensorMass *t, const dvVec3 x[4], int p, int q, dvMat3 *out)
{
  double nu = t->poissonRatio, lambda = t->youngModulus * nu / ((1 - 2 * nu) * (1 + nu)),
         mu = t->youngModulus / (2 * (1 + nu));
  dvMat3 edges = dv_mat3_from_columns(dv_vec3_sub(x[1], x[0]), dv_vec3_sub(x[2], x[0]), dv_vec3_sub(x[3], x[0])),
         inverse;
  double volume = fabs(dv_mat3_det(edges)) / 6, size = 0;
  for (int i = 0; i < 3; i++) size = fmax(size, dv_vec3_norm(dv_mat3_column(edges, i)));
  if (!isfinite(volume) || !(volume > flat_limit * size * size * size) || !dv_mat3_inverse(edges, &inverse))
    return false;
  dvVec3 g[4];
  for (int i = 0; i < 3; i++) g[i + 1] = dv_mat3_row(inverse, i);
  g[0] = dv_vec3_neg(dv_vec3_add(dv_vec3_add(g[1], g[2]), g[3]));
  *out = pair_matrix(volume * lambda, g[q], g[p], volume * mu, volume * mu * dv_vec3_dot(g[p], g[q]));
  return true;
}

static bool triangle_matrix(const TensorMass *t, const dvVec3 x[3], int p, int q, dvMat3 *out)
{
  double nu = t->poissonRatio, lambda = t->youngModulus * nu / (1 - nu * nu), mu = t->youngModulus / (1 + nu);
  dvVec3 c = x[3 - p - q], cp = dv_vec3_sub(c, x[p]), cq = dv_vec3_sub(c, x[q]);
  double area = 0.5 * dv_vec3_norm(dv_vec3_cross(cp, cq));
  if (!(area > flat_limit * fmax(dv_vec3_norm2(cp), dv_vec3_norm2(cq))) || !isfinite(area)) return false;
  double cotangent = dv_vec3_dot(cp, cq) / (2 * area);
  *out = pair_matrix(lambda / (4 * area), cq, cp, mu / (8 * area), -0.5 * cotangent * (lambda + mu));
  return true;
}

// adds the matrix of one element to one of its edges; false when it is flat
static bool add_to_edge(TensorMass *t, const int32_t *corner, int points, size_t edge)
{
  dvVec3 x[4];
  int p = 0, q = 0;
  dvMat3 m;
  for (int i = 0; i < points; i++) {
    x[i] = dv_vec3_load(t->rest.data + 3 * (size_t)corner[i]);
    if (corner[i] == t->edges->data[2 * edge]) p = i;
    if (corner[i] == t->edges->data[2 * edge + 1]) q = i;
  }
  if (p == q || !(points == 4 ? tetra_matrix(t, x, p, q, &m) : triangle_matrix(t, x, p, q, &m))) return false;
  t->matrices.data[edge] = dv_mat3_add(t->matrices.data[edge], m);
  return true;
}

// the same of all its edges; false when it is flat or lacks one
static bool add_element(TensorMass *t, const int32_t *corner, int points, const int32_t *sides)
{
  bool good = true;
  for (int s = 0; s < points * (points - 1) / 2; s++) {
    if (sides[s] < 0) return false;
    good = add_to_edge(t, corner, points, (size_t)sides[s]) && good;
  }
  return good;
}

static dvStatus check_moduli(const TensorMass *t, double most)
{
  const dvObject *o = &t->force.base;
  if (!(t->youngModulus >= 0 && t->youngModulus < DV_EXPLODED))
    return dv_field_error(o, &t->youngModulus, "the default is 1000", "youngModulus %g is not a number from 0 on",
                          t->youngModulus);
  if (!(t->poissonRatio > -1 && t->poissonRatio < most))
    return dv_field_error(o, &t->poissonRatio, "the default is 0.3", "poissonRatio %g is not between -1 and %g",
                          t->poissonRatio, most);
  return DV_OK;
}

static dvStatus tensor_mass_reinit(dvObject *o)
{
  TensorMass *t = (TensorMass *)o;
  bool tetra = o->cls == &dv_tetra_tensor_mass_class;
  dvElementKind kind = tetra ? DV_TETRAHEDRON : DV_TRIANGLE;
  dvTopology *topology = dv_topology(t->topology.target);
  dvState *s = t->force.state;
  t->matrices.count = 0;
  DV_TRY(check_moduli(t, tetra ? 0.5 : 1));
  const dvInts *elements = dv_force_elements(o, topology, kind, s);
  t->edges = elements ? dv_force_elements(o, topology, DV_EDGE, s) : NULL;
  if (!t->edges) return DV_ERROR_INPUT;
  const dvInts *sides = dv_topology_parts(topology, DV_EDGE, kind);
  if (!sides) return dv_error(o, NULL, "out of memory for the edges of %zu elements", dv_ints_size(elements));
  dv_array_resize(&t->matrices, dv_ints_size(t->edges));
  dv_array_resize(&t->rest, 3 * s->count);
  if (s->count) memcpy(t->rest.data, dv_state_read(s, DV_X_REST), 3 * s->count * sizeof(double));
  size_t bad = 0, points = tetra ? 4 : 3, parts = tetra ? 6 : 3;
  for (size_t i = 0; i < dv_ints_size(elements); i++)
    if (!add_element(t, elements->data + points * i, (int)points, sides->data + parts * i)) bad++;
  if (bad)
    dv_warning(o, "repair the mesh", "%zu of the %s are flat or lack an edge and give no force", bad,
               dv_element_name(kind));
  return DV_OK;
}

// the edges around points that were touched
static bool patch(dvObject *o)
{
  TensorMass *t = (TensorMass *)o;
  dvTopology *mesh = dv_topology(t->topology.target);
  dvElementKind kind = o->cls == &dv_tetra_tensor_mass_class ? DV_TETRAHEDRON : DV_TRIANGLE;
  int points = dv_element_points(kind);
  const dvState *s = t->force.state;
  const double *x0 = dv_state_read(s, DV_X_REST);
  const int32_t *elements = dv_topology_elements(mesh, kind)->data;
  const dvNumbers *touched = dv_trace_points(dv_topology_trace(mesh));
  t->edges = dv_topology_elements(mesh, DV_EDGE);
  if (dv_topology_point_count(mesh) != s->count ||
      t->matrices.count != dv_trace_before(dv_topology_trace(mesh), DV_EDGE, dv_ints_size(t->edges)))
    return false;
  dvNumbers edges = {0}, around = {0};
  dv_array_resize(&t->matrices, dv_ints_size(t->edges));
  dv_array_resize(&t->rest, 3 * s->count);
  for (size_t i = 0; i < 3 * touched->count; i++) {
    size_t k = 3 * (size_t)touched->data[i / 3] + i % 3;
    t->rest.data[k] = x0[k];
  }
  dv_trace_around(mesh, DV_EDGE, touched, &edges);
  for (size_t i = 0; i < edges.count; i++) {
    size_t edge = (size_t)edges.data[i];
    t->matrices.data[edge] = (dvMat3){0};
    dv_topology_between(mesh, kind, t->edges->data[2 * edge], t->edges->data[2 * edge + 1], &around);
    for (size_t k = 0; k < around.count; k++) add_to_edge(t, elements + points * around.data[k], points, edge);
  }
  dv_array_free(&edges);
  dv_array_free(&around);
  return true;
}

static void tensor_mass_topology_changed(dvObject *o)
{
  dv_force_patch_or_remake(o, dv_topology(((TensorMass *)o)->topology.target), patch);
}

static dvStatus tensor_mass_init(dvObject *o)
{
  TensorMass *t = (TensorMass *)o;
  dvElementKind kind = o->cls == &dv_tetra_tensor_mass_class ? DV_TETRAHEDRON : DV_TRIANGLE;
  DV_TRY(dv_force_init(o));
  if (!dv_force_topology(o, &t->topology)) return DV_ERROR_INPUT;
  if (dv_topology_count(dv_topology(t->topology.target), kind) == 0)
    dv_warning(o, NULL, "the topology %s has no %s: there will be no force", t->topology.target->name,
               dv_element_name(kind));
  return tensor_mass_reinit(o);
}

// --- operations ---

static dvVec3 apart(const double *u, const int32_t *edge)
{
  return dv_vec3_sub(dv_vec3_load(u + 3 * (size_t)edge[1]), dv_vec3_load(u + 3 * (size_t)edge[0]));
}

static void add_pair(const TensorMass *t, size_t i, dvVec3 d, double *f)
{
  const int32_t *edge = t->edges->data + 2 * i;
  dv_vec3_accumulate(f + 3 * (size_t)edge[1], dv_mat3_mul_vec(t->matrices.data[i], d));
  dv_vec3_accumulate(f + 3 * (size_t)edge[0], dv_vec3_neg(dv_mat3_t_mul_vec(t->matrices.data[i], d)));
}

static void tensor_mass_add_force(dvObject *o, const dvMech *m)
{
  TensorMass *t = (TensorMass *)o;
  const double *x = dv_state_read(t->force.state, m->x);
  double *f = dv_state_write(t->force.state, m->f);
  for (size_t i = 0; i < t->matrices.count; i++) {
    const int32_t *edge = t->edges->data + 2 * i;
    add_pair(t, i, dv_vec3_sub(apart(x, edge), apart(t->rest.data, edge)), f);
  }
}

static void tensor_mass_add_dforce(dvObject *o, const dvMech *m)
{
  TensorMass *t = (TensorMass *)o;
  double k = dv_mech_k(m, t->force.rayleighStiffness);
  const double *dx = dv_state_read(t->force.state, m->dx);
  double *df = dv_state_write(t->force.state, m->df);
  for (size_t i = 0; i < t->matrices.count; i++)
    add_pair(t, i, dv_vec3_scale(apart(dx, t->edges->data + 2 * i), k), df);
}

static void tensor_mass_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  TensorMass *t = (TensorMass *)o;
  const dvState *s = t->force.state;
  double k = dv_mech_k(m, t->force.rayleighStiffness), block[9];
  for (size_t i = 0; i < t->matrices.count; i++) {
    const int32_t *edge = t->edges->data + 2 * i;
    for (int ij = 0; ij < 4; ij++) {
      dvMat3 part = ij / 2 ? t->matrices.data[i] : dv_mat3_transpose(t->matrices.data[i]);
      dv_mat3_store(block, dv_mat3_scale(part, ij / 2 == ij % 2 ? k : -k));
      sink->add(sink, s, (size_t)edge[ij / 2], s, (size_t)edge[ij % 2], 3, 3, block);
    }
  }
}

static double tensor_mass_energy(dvObject *o, const dvMech *m)
{
  TensorMass *t = (TensorMass *)o;
  const double *x = dv_state_read(t->force.state, m->x);
  double sum = 0;
  for (size_t i = 0; i < t->matrices.count; i++) {
    const int32_t *edge = t->edges->data + 2 * i;
    dvVec3 d = dv_vec3_sub(apart(x, edge), apart(t->rest.data, edge)), u[2];
    for (int e = 0; e < 2; e++)
      u[e] = dv_vec3_sub(dv_vec3_load(x + 3 * (size_t)edge[e]), dv_vec3_load(t->rest.data + 3 * (size_t)edge[e]));
    sum -= 0.5 * (dv_vec3_dot(u[1], dv_mat3_mul_vec(t->matrices.data[i], d)) -
                  dv_vec3_dot(u[0], dv_mat3_t_mul_vec(t->matrices.data[i], d)));
  }
  return sum;
}

static void tensor_mass_destroy(dvObject *o)
{
  dv_array_free(&((TensorMass *)o)->matrices);
  dv_array_free(&((TensorMass *)o)->rest);
}

static const dvForceOps tensor_mass_ops = {
    .add_force = tensor_mass_add_force,
    .add_dforce = tensor_mass_add_dforce,
    .add_stiffness = tensor_mass_add_stiffness,
    .energy = tensor_mass_energy,
    DV_FORCE_SLOTS,
};

#define TENSOR_MASS(variable, name_, help_)                                        \
  const dvClass variable = {                                                       \
      .struct_size = sizeof(dvClass),                                              \
      .name = name_,                                                               \
      .help = help_,                                                               \
      .module = "Sofa.Component.SolidMechanics.TensorMass",                        \
      .dofs = DV_DOF_VEC3,                                                         \
      .size = sizeof(TensorMass),                                                  \
      .blocks = {&dv_object_block, &dv_force_block, DV_BLOCK(tensor_mass_fields)}, \
      .ops = {[DV_ROLE_FORCE] = &tensor_mass_ops},                                 \
      .init = tensor_mass_init,                                                    \
      .reinit = tensor_mass_reinit,                                                \
      .destroy = tensor_mass_destroy,                                              \
      .topology_changed = tensor_mass_topology_changed,                            \
  };

TENSOR_MASS(dv_tetra_tensor_mass_class, "TetrahedralTensorMassForceField",
            "linear elasticity of tetrahedra with a matrix an edge, for small displacements")
TENSOR_MASS(dv_triangle_tensor_mass_class, "TriangularTensorMassForceField",
            "linear elasticity of triangles with a matrix an edge, for small displacements")
