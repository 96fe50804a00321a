// Membranes of springs that equal linear elasticity (H. Delingette, Triangular springs for modeling nonlinear
// membranes, 2008): TriangularQuadraticSpringsForceField in the lengths of the edges,
// TriangularBiquadraticSpringsForceField in their squares.
//
// Edge j lies opposite to corner j. With cotangents c of the angles at rest, the area A and Lame's coefficients of a
// plane stress,
//
//   k_j = s_j (2 c_j^2 (lambda + mu) + mu),   g_j = t_j (2 c_k c_l (lambda + mu) - mu)
//
// couple an edge with itself and the other two with each other; s and t are l_j^2 / 8A and l_k l_l / 8A for the first,
// 1 / 16A for the second. With the stretch e of an edge (its change of length, or of squared length) the edge j from
// corner k to l pulls with
//
//   (k_j e_j + g_l e_k + g_k e_l) along the edge (over its length for the first).
//
// The second adds, while a triangle is smaller than at rest, a force along the gradient of its area, 3 (lambda + mu)
// (A/A0 - 1)^3. Products use one 3 x 3 matrix an edge of a triangle as in SOFA, its transpose on the other end.
#include "force/mesh.h"

#include "math/vec.h"

#include <math.h>
#include <string.h>

extern const dvClass dv_quadratic_membrane_class, dv_biquadratic_membrane_class;

#define MEMBRANE_FIELDS(X)                                                                                           \
  X(vec3s, initialPoints, "", "m", "rest positions, kept by the component", .flags = DV_HIDDEN | DV_READ_ONLY)       \
  X(real, poissonRatio, "0.3", "", "Poisson's ratio")                                                                \
  X(real, youngModulus, "1000", "N/m", "Young's modulus times thickness")                                            \
  X(real, dampingRatio, "0", "s", "damping per stiffness")                                                           \
  X(bool, useAngularSprings, "1", "", "couple the edges of a triangle; otherwise they are separate springs")         \
  X(string, triangleInfo, "", "", "coefficients of the triangles, kept by the component",                            \
    .flags = DV_HIDDEN | DV_READ_ONLY)                                                                               \
  X(string, edgeInfo, "", "", "coefficients of the edges, kept by the component", .flags = DV_HIDDEN | DV_READ_ONLY) \
  X(link, topology, "", "", "topology with the triangles; the one of the node or above by default",                  \
    .role = DV_ROLE_TOPOLOGY)

#define BIQUADRATIC_FIELDS(X)                                                          \
  X(bool, compressible, "1", "", "push triangles that are smaller than at rest apart") \
  X(real, matrixRegularization, "0.4", "", "accepted for compatibility: SOFA does not use it", .flags = DV_HIDDEN)

typedef struct Edge {
  int32_t ends[2];
  double rest, stiffness;   // length, or its square
  double now, stretch;      // in the last add_force
} Edge;

typedef struct Patch {
  int32_t corner[3], edge[3];
  double stiffness[3], gamma[3];
  dvMat3 k[3];   // df of corner j + 1 by the difference of corners j + 1 and j + 2
  double area, rest_area, ratio;
  dvVec3 normal, last_normal, gradient[3];   // of the area
} Patch;

typedef struct Membrane {
  dvForce force;
  MEMBRANE_FIELDS(DV_MEMBER)
  BIQUADRATIC_FIELDS(DV_MEMBER)
  DV_ARRAY(Edge) edges;
  DV_ARRAY(Patch) patches;
  double lambda, mu;
} Membrane;

#define SELF Membrane
static const dvFieldDesc membrane_fields[] = {MEMBRANE_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc biquadratic_fields[] = {BIQUADRATIC_FIELDS(DV_DESCRIBE)};
#undef SELF

static bool is_biquadratic(const dvObject *o) { return o->cls == &dv_biquadratic_membrane_class; }
static dvVec3 point_of(const double *x, int32_t p) { return dv_vec3_load(x + 3 * (size_t)p); }

// --- preparation ---------------------------------------------------------------------------------

static void set_patch(Membrane *m, Patch *p, const double *x0)
{
  bool squares = is_biquadratic(&m->force.base);
  double l2[3], area = 0, cotangent[3], sum = m->lambda + m->mu;
  for (int j = 0; j < 3; j++)
    l2[j] = squares ? m->edges.data[p->edge[j]].rest : m->edges.data[p->edge[j]].rest * m->edges.data[p->edge[j]].rest;
  for (int j = 0; j < 3; j++) area += l2[j] * (l2[(j + 1) % 3] + l2[(j + 2) % 3] - l2[j]);
  area = area > 0 ? sqrt(area) / 4 : 0;
  p->rest_area = area;
  for (int j = 0; j < 3; j++) p->stiffness[j] = p->gamma[j] = cotangent[j] = 0;
  if (area == 0) return;   // a flat triangle has no stiffness
  dvVec3 a = point_of(x0, p->corner[0]);
  p->last_normal = dv_vec3_scale(
      dv_vec3_cross(dv_vec3_sub(point_of(x0, p->corner[1]), a), dv_vec3_sub(point_of(x0, p->corner[2]), a)),
      0.5 / area);
  for (int j = 0; j < 3; j++) cotangent[j] = (l2[(j + 1) % 3] + l2[(j + 2) % 3] - l2[j]) / (4 * area);
  for (int j = 0; j < 3; j++) {
    int k = (j + 1) % 3, l = (j + 2) % 3;
    double s = squares ? 1 / (16 * area) : l2[j] / (8 * area), t = squares ? s : sqrt(l2[k] * l2[l]) / (8 * area);
    p->gamma[j] = t * (2 * cotangent[k] * cotangent[l] * sum - m->mu);
    p->stiffness[j] = s * (2 * cotangent[j] * cotangent[j] * sum + m->mu);
  }
}

static Edge edge_of(const Membrane *m, const int32_t *ends, const double *x0)
{
  double length = dv_vec3_norm(dv_vec3_sub(point_of(x0, ends[0]), point_of(x0, ends[1])));
  return (Edge){.ends = {ends[0], ends[1]}, .rest = is_biquadratic(&m->force.base) ? length * length : length};
}

static dvStatus membrane_reinit(dvObject *o)
{
  Membrane *m = (Membrane *)o;
  dvTopology *t = dv_topology(m->topology.target);
  m->edges.count = m->patches.count = 0;
  double nu = m->poissonRatio, plane = m->youngModulus / (1 - nu * nu);
  if (!(fabs(nu) < 1))
    return dv_field_error(o, &m->poissonRatio, "take 0.3", "Poisson's ratio %g is not between -1 and 1", nu);
  m->lambda = plane * nu;
  m->mu = plane * (1 - nu);
  const dvInts *edges = dv_force_elements(o, t, DV_EDGE, m->force.state),
               *triangles = dv_force_elements(o, t, DV_TRIANGLE, m->force.state);
  const dvInts *parts = triangles ? dv_topology_parts(t, DV_EDGE, DV_TRIANGLE) : NULL;
  if (!edges || !triangles) return DV_ERROR_INPUT;
  if (!parts) return dv_error(o, NULL, "out of memory for %zu triangles", dv_ints_size(triangles));
  const double *x0 = dv_state_read(m->force.state, DV_X_REST);
  for (size_t i = 0; i < edges->count; i += 2) dv_push(&m->edges, edge_of(m, edges->data + i, x0));
  for (size_t i = 0; i < triangles->count; i += 3) {
    Patch p = {.area = 0};
    for (int j = 0; j < 3; j++) {
      p.corner[j] = triangles->data[i + (size_t)j];
      p.edge[j] = parts->data[i + (size_t)j];
      if (p.edge[j] < 0)
        return dv_error(o, "leave the edges away: they then follow from the triangles",
                        "the topology lacks an edge of triangle %zu", i / 3);
    }
    set_patch(m, &p, x0);
    for (int j = 0; j < 3; j++) m->edges.data[p.edge[j]].stiffness += p.stiffness[j];
    dv_push(&m->patches, p);
  }
  return DV_OK;
}

// --- a mesh that changes -------------------------------------------------------------------------

// the stiffness of an edge is that of the triangles at it, in their order
static void sum_edge(Membrane *m, dvTopology *mesh, size_t edge, dvNumbers *around)
{
  Edge *e = &m->edges.data[edge];
  dv_topology_between(mesh, DV_TRIANGLE, e->ends[0], e->ends[1], around);
  for (size_t k = 0; k < 3 * around->count; k++) {
    const Patch *p = &m->patches.data[around->data[k / 3]];
    if (p->edge[k % 3] == (int32_t)edge) e->stiffness += p->stiffness[k % 3];
  }
}

// false when an edge is missing
static bool remake_patch(Membrane *m, dvTopology *mesh, size_t triangle, const double *x0, dvNumbers *around)
{
  Patch *p = &m->patches.data[triangle];
  *p = (Patch){.area = 0};
  memcpy(p->corner, dv_topology_elements(mesh, DV_TRIANGLE)->data + 3 * triangle, sizeof p->corner);
  for (int j = 0; j < 3; j++) {
    dv_topology_between(mesh, DV_EDGE, p->corner[(j + 1) % 3], p->corner[(j + 2) % 3], around);
    if (around->count == 0) return false;
    p->edge[j] = around->data[0];
  }
  set_patch(m, p, x0);
  return true;
}

// edges and triangles around points that were touched
static bool patch(dvObject *o)
{
  Membrane *m = (Membrane *)o;
  dvTopology *mesh = dv_topology(m->topology.target);
  const dvTrace *trace = dv_topology_trace(mesh);
  const int32_t *ends = dv_topology_elements(mesh, DV_EDGE)->data;
  size_t edges = dv_topology_count(mesh, DV_EDGE), triangles = dv_topology_count(mesh, DV_TRIANGLE);
  const double *x0 = dv_state_read(m->force.state, DV_X_REST);
  if (m->edges.count != dv_trace_before(trace, DV_EDGE, edges) ||
      m->patches.count != dv_trace_before(trace, DV_TRIANGLE, triangles) ||
      dv_topology_point_count(mesh) > m->force.state->count)
    return false;
  dvNumbers some = {0}, others = {0}, around = {0};
  bool good = true;
  dv_array_resize(&m->edges, edges);
  dv_array_resize(&m->patches, triangles);
  dv_trace_around(mesh, DV_EDGE, dv_trace_points(trace), &some);
  dv_trace_around(mesh, DV_TRIANGLE, dv_trace_points(trace), &others);
  for (size_t i = 0; i < some.count; i++) m->edges.data[some.data[i]] = edge_of(m, ends + 2 * some.data[i], x0);
  for (size_t i = 0; i < others.count && good; i++) good = remake_patch(m, mesh, (size_t)others.data[i], x0, &around);
  for (size_t i = 0; i < some.count && good; i++) sum_edge(m, mesh, (size_t)some.data[i], &around);
  dv_array_free(&some);
  dv_array_free(&others);
  dv_array_free(&around);
  return good;
}

static void membrane_topology_changed(dvObject *o)
{
  dv_force_patch_or_remake(o, dv_topology(((Membrane *)o)->topology.target), patch);
}

static dvStatus membrane_init(dvObject *o)
{
  Membrane *m = (Membrane *)o;
  DV_TRY(dv_force_init(o));
  if (!dv_force_topology(o, &m->topology)) return DV_ERROR_INPUT;
  DV_TRY(membrane_reinit(o));
  if (m->patches.count == 0) dv_warning(o, NULL, "%s has no triangles: there is no force", m->topology.target->name);
  return DV_OK;
}

// --- forces --------------------------------------------------------------------------------------

static void edge_forces(Membrane *m, const double *x, const double *v, double *f, bool squares)
{
  for (size_t i = 0; i < m->edges.count; i++) {
    Edge *e = &m->edges.data[i];
    dvVec3 d = dv_vec3_sub(point_of(x, e->ends[0]), point_of(x, e->ends[1])),
           speed = dv_vec3_sub(point_of(v, e->ends[0]), point_of(v, e->ends[1]));
    e->now = squares ? dv_vec3_norm2(d) : dv_vec3_norm(d);
    e->stretch = 0;
    if (e->now == 0) continue;   // no direction
    e->stretch = e->now - e->rest + m->dampingRatio * dv_vec3_dot(speed, d) / e->now;
    dvVec3 pull = dv_vec3_scale(d, e->stiffness * e->stretch / (squares ? 1 : e->now));
    dv_vec3_accumulate(f + 3 * (size_t)e->ends[0], dv_vec3_neg(pull));
    dv_vec3_accumulate(f + 3 * (size_t)e->ends[1], pull);
  }
}

// what couples the edges of a triangle
static void angular_forces(const Membrane *m, const Patch *p, const double *x, double *f, bool squares)
{
  for (int j = 0; j < 3; j++) {
    int k = (j + 1) % 3, l = (j + 2) % 3;
    const Edge *own = &m->edges.data[p->edge[j]];
    double tension = m->edges.data[p->edge[k]].stretch * p->gamma[l] + m->edges.data[p->edge[l]].stretch * p->gamma[k];
    if (!squares) tension = own->now > 0 ? tension / own->now : 0;
    dvVec3 pull = dv_vec3_scale(dv_vec3_sub(point_of(x, p->corner[k]), point_of(x, p->corner[l])), tension);
    dv_vec3_accumulate(f + 3 * (size_t)p->corner[l], pull);
    dv_vec3_accumulate(f + 3 * (size_t)p->corner[k], dv_vec3_neg(pull));
  }
}

// The normal of a small triangle is its last good one, and one that flips over is taken the other way round.
static void find_normal(Patch *p, dvVec3 twice_area)
{
  if (p->ratio < 1e-2) {
    p->normal = p->last_normal;
    return;
  }
  p->normal = dv_vec3_scale(twice_area, 0.5 / p->area);
  if (dv_vec3_dot(p->normal, p->last_normal) > -0.5) p->last_normal = p->normal;
  else p->normal = dv_vec3_neg(p->normal);
}

static void area_forces(const Membrane *m, Patch *p, const double *x, double *f)
{
  dvVec3 side[3];
  for (int j = 0; j < 3; j++)
    side[j] = dv_vec3_sub(point_of(x, p->corner[(j + 2) % 3]), point_of(x, p->corner[(j + 1) % 3]));
  dvVec3 twice_area = dv_vec3_cross(side[1], side[2]);
  p->area = dv_vec3_norm(twice_area) / 2;
  p->ratio = p->rest_area > 0 ? p->area / p->rest_area : 1;
  if (p->ratio >= 1) return;
  find_normal(p, twice_area);
  double missing = p->ratio - 1, push = 3 * (m->lambda + m->mu) * missing * missing * missing;
  for (int j = 0; j < 3; j++) {
    p->gradient[j] = dv_vec3_scale(dv_vec3_cross(p->normal, side[j]), 0.5);
    dv_vec3_accumulate(f + 3 * (size_t)p->corner[j], dv_vec3_scale(p->gradient[j], -push));
  }
}

// --- stiffness -----------------------------------------------------------------------------------

static void quadratic_matrix(const Membrane *m, Patch *p, int k, const dvVec3 x[3], bool squares)
{
  int i = (k + 1) % 3, j = (k + 2) % 3;
  const Edge *ek = &m->edges.data[p->edge[k]], *ei = &m->edges.data[p->edge[i]], *ej = &m->edges.data[p->edge[j]];
  dvVec3 dk = dv_vec3_sub(x[i], x[j]), dj = dv_vec3_sub(x[i], x[k]), di = dv_vec3_sub(x[j], x[k]);
  bool angular = m->useAngularSprings;
  double tension =
      p->stiffness[k] * ek->stretch + (angular ? p->gamma[i] * ej->stretch + p->gamma[j] * ei->stretch : 0);
  double along, across, gk, gi, gj;
  p->k[k] = (dvMat3){0};
  if (ek->now == 0 || ei->now == 0 || ej->now == 0) return;
  if (squares) {
    across = -tension;
    along = -2 * p->stiffness[k];
    gk = 2 * p->gamma[k];
    gi = 2 * p->gamma[i];
    gj = 2 * p->gamma[j];
  } else {
    across = -tension / ek->now;
    // exact without coupling; with it SOFA's has the edge's own tension too much
    along = ((angular ? tension : 0) - p->stiffness[k] * ek->rest) / (ek->now * ek->now * ek->now);
    gk = p->gamma[k] / (ej->now * ei->now);
    gi = p->gamma[i] / (ej->now * ek->now);
    gj = p->gamma[j] / (ek->now * ei->now);
  }
  dvMat3 sum = dv_mat3_add(dv_mat3_scale(dv_mat3_outer(dk, dk), along), dv_mat3_scale(dv_mat3_identity(), across));
  if (angular) {
    sum = dv_mat3_add(sum, dv_mat3_scale(dv_mat3_outer(dj, di), gk));
    sum = dv_mat3_sub(sum, dv_mat3_scale(dv_mat3_outer(dj, dk), gi));
    sum = dv_mat3_add(sum, dv_mat3_scale(dv_mat3_outer(dk, di), gj));
  }
  p->k[k] = sum;
}

static void area_matrix(const Membrane *m, Patch *p)
{
  double missing = p->ratio - 1, h = -missing, stiff = 3 * (m->lambda + m->mu);
  if (p->ratio >= 1 || p->area == 0) return;
  double second = 3 * stiff * missing * missing / p->rest_area, first = stiff * missing * missing * missing / 2, l2[3];
  for (int j = 0; j < 3; j++) l2[j] = m->edges.data[p->edge[j]].now;
  // the antisymmetric part, -first times the normal as a cross product
  dvMat3 skew = dv_mat3_skew(dv_vec3_scale(p->normal, first)),
         normals = dv_mat3_scale(dv_mat3_outer(p->normal, p->normal), first / (2 * p->area));
  for (int k = 0; k < 3; k++) {
    dvVec3 a = p->gradient[(k + 1) % 3], b = p->gradient[(k + 2) % 3];
    dvMat3 sum = dv_mat3_add(p->k[k], skew);
    sum = dv_mat3_add(sum, dv_mat3_scale(dv_mat3_outer(a, b), (1 - h) * second));
    sum = dv_mat3_add(sum, dv_mat3_scale(normals, l2[0] + l2[1] + l2[2] - 2 * l2[k]));
    p->k[k] = dv_mat3_add(sum, dv_mat3_scale(dv_mat3_identity(), h * second * dv_vec3_dot(a, b)));
  }
}

static void membrane_add_force(dvObject *o, const dvMech *mech)
{
  Membrane *m = (Membrane *)o;
  bool squares = is_biquadratic(o);
  const double *x = dv_state_read(m->force.state, mech->x), *v = dv_state_read(m->force.state, mech->v);
  double *f = dv_state_write(m->force.state, mech->f);
  edge_forces(m, x, v, f, squares);
  for (size_t i = 0; i < m->patches.count; i++) {
    Patch *p = &m->patches.data[i];
    dvVec3 corners[3];
    p->ratio = 1;
    if (m->useAngularSprings) {
      angular_forces(m, p, x, f, squares);
      if (squares && m->compressible) area_forces(m, p, x, f);
    }
    for (int k = 0; k < 3; k++) corners[k] = point_of(x, p->corner[k]);
    for (int k = 0; k < 3; k++) quadratic_matrix(m, p, k, corners, squares);
    if (squares) area_matrix(m, p);
  }
}

static void membrane_add_dforce(dvObject *o, const dvMech *mech)
{
  Membrane *m = (Membrane *)o;
  double factor = dv_mech_k(mech, m->force.rayleighStiffness);
  const double *dx = dv_state_read(m->force.state, mech->dx);
  double *df = dv_state_write(m->force.state, mech->df);
  for (size_t l = 0; l < m->patches.count; l++) {
    const Patch *p = &m->patches.data[l];
    for (int k = 0; k < 3; k++) {
      size_t i = (size_t)p->corner[(k + 1) % 3], j = (size_t)p->corner[(k + 2) % 3];
      dvVec3 d = dv_vec3_scale(dv_vec3_sub(dv_vec3_load(dx + 3 * i), dv_vec3_load(dx + 3 * j)), factor);
      dv_vec3_accumulate(df + 3 * i, dv_mat3_mul_vec(p->k[k], d));
      dv_vec3_accumulate(df + 3 * j, dv_vec3_neg(dv_mat3_t_mul_vec(p->k[k], d)));
    }
  }
}

static void membrane_add_stiffness(dvObject *o, const dvMech *mech, dvMatrixSink *sink)
{
  Membrane *m = (Membrane *)o;
  dvState *s = m->force.state;
  double factor = dv_mech_k(mech, m->force.rayleighStiffness), block[9];
  for (size_t l = 0; l < m->patches.count; l++) {
    const Patch *p = &m->patches.data[l];
    for (int k = 0; k < 3; k++) {
      size_t i = (size_t)p->corner[(k + 1) % 3], j = (size_t)p->corner[(k + 2) % 3];
      dvMat3 a = dv_mat3_scale(p->k[k], factor), b = dv_mat3_transpose(a);
      dv_mat3_store(block, a);
      sink->add(sink, s, i, s, i, 3, 3, block);
      dv_mat3_store(block, dv_mat3_scale(a, -1));
      sink->add(sink, s, i, s, j, 3, 3, block);
      dv_mat3_store(block, dv_mat3_scale(b, -1));
      sink->add(sink, s, j, s, i, 3, 3, block);
      dv_mat3_store(block, b);
      sink->add(sink, s, j, s, j, 3, 3, block);
    }
  }
}

static void membrane_destroy(dvObject *o)
{
  dv_array_free(&((Membrane *)o)->edges);
  dv_array_free(&((Membrane *)o)->patches);
}

static const dvForceOps membrane_ops = {
    .add_force = membrane_add_force,
    .add_dforce = membrane_add_dforce,
    .add_stiffness = membrane_add_stiffness,
    DV_FORCE_SLOTS,
};

const dvClass dv_quadratic_membrane_class = {
    .struct_size = sizeof(dvClass),
    .name = "TriangularQuadraticSpringsForceField",
    .help = "membrane of triangles as springs in the lengths of their edges",
    .module = "Sofa.Component.SolidMechanics.Spring",
    .dofs = DV_DOF_VEC3,
    .size = sizeof(Membrane),
    .blocks = {&dv_object_block, &dv_force_block, DV_BLOCK(membrane_fields)},
    .ops = {[DV_ROLE_FORCE] = &membrane_ops},
    .init = membrane_init,
    .reinit = membrane_reinit,
    .destroy = membrane_destroy,
    .topology_changed = membrane_topology_changed,
};

const dvClass dv_biquadratic_membrane_class = {
    .struct_size = sizeof(dvClass),
    .name = "TriangularBiquadraticSpringsForceField",
    .help = "membrane of triangles as springs in the squared lengths of their edges",
    .module = "Sofa.Component.SolidMechanics.Spring",
    .dofs = DV_DOF_VEC3,
    .size = sizeof(Membrane),
    .blocks = {&dv_object_block, &dv_force_block, DV_BLOCK(membrane_fields), DV_BLOCK(biquadratic_fields)},
    .ops = {[DV_ROLE_FORCE] = &membrane_ops},
    .init = membrane_init,
    .reinit = membrane_reinit,
    .destroy = membrane_destroy,
    .topology_changed = membrane_topology_changed,
};
