// NodalVolumeForceField: resists changes of the volume around each point, instead of that of each element, so that
// linear tetrahedra of nearly incompressible material do not lock (J. Bonet and A. Burton, 1998: averaged nodal
// pressure).
//
// A quarter of every tetrahedron belongs to each of its corners: V_n at rest, v_n now.
//
//   W = sum k/2 V_n (v_n / V_n - 1)^2,   p_n = k (v_n / V_n - 1)
//   f = -sum over elements of q_e dv_e/dx,   q_e = mean of p_n at the corners
//   df = -sum (dq_e dv_e/dx + q_e d2v_e/dx2 dx),   dp_n = k / V_n dv_n
//
// The matrix connects all points around a point, with one term of rank one for each. Stands beside a law whose own bulk
// modulus is small or 0. Needs tetrahedra and a state of points.
#include "force/mesh.h"
#include "math/loose_rows.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

extern const dvClass dv_nodal_volume_class;

#define NODAL_VOLUME_FIELDS(X)                                                                          \
  X(real, bulkModulus, "1e6", "Pa", "k: pressure over the relative change of the volume", .least = "0") \
  X(link, topology, "", "", "topology with the tetrahedra; the one of the node or above by default",    \
    .role = DV_ROLE_TOPOLOGY)                                                                           \
  X(real, largest, "0", "", "largest relative change of the volume of a point, at the last evaluation", \
    .flags = DV_READ_ONLY)

typedef struct NodalVolume {
  dvForce force;
  NODAL_VOLUME_FIELDS(DV_MEMBER)
  const int32_t *tetra;   // four points each, the topology's
  size_t count;
  DV_ARRAY(double) rest, now;          // V_n; p_n, and scratch of its changes
  DV_ARRAY(double) at;                 // positions of the last evaluation
  DV_ARRAY(double) sign;               // of each tetrahedron, so that volumes at rest are positive; 0 for a flat one
  dvRows around;                       // corners of tetrahedra that each point is
  DV_ARRAY(int32_t) patch;             // points around one
  DV_ARRAY(double) gradient, matrix;   // of its volume by these; of its term
  DV_ARRAY(int32_t) place;             // of a point in the patch, or -1
} NodalVolume;

#define SELF NodalVolume
static const dvFieldDesc nodal_volume_fields[] = {NODAL_VOLUME_FIELDS(DV_DESCRIBE)};
#undef SELF

// --- one element ---

// edges from the first corner
static void edges_of(const NodalVolume *v, const double *x, size_t i, dvVec3 e[3])
{
  const int32_t *p = v->tetra + 4 * i;
  dvVec3 a = dv_vec3_load(x + 3 * (size_t)p[0]);
  for (int k = 0; k < 3; k++) e[k] = dv_vec3_sub(dv_vec3_load(x + 3 * (size_t)p[k + 1]), a);
}

static double volume_of(const dvVec3 e[3]) { return dv_vec3_dot(e[0], dv_vec3_cross(e[1], e[2])) / 6; }

// dv/dx of the four corners
static void gradients_of(const dvVec3 e[3], double factor, dvVec3 g[4])
{
  for (int k = 0; k < 3; k++) g[k + 1] = dv_vec3_scale(dv_vec3_cross(e[(k + 1) % 3], e[(k + 2) % 3]), factor / 6);
  g[0] = dv_vec3_neg(dv_vec3_add(dv_vec3_add(g[1], g[2]), g[3]));
}

// --- set-up ---

// the volume at rest, and which way it counts
static double rest_volume(NodalVolume *v, const double *rest, size_t i)
{
  dvVec3 e[3];
  edges_of(v, rest, i, e);
  double volume = volume_of(e);
  v->sign.data[i] = isfinite(volume) ? (volume > 0) - (volume < 0) : 0;
  return v->sign.data[i] * volume;
}

static void resize(NodalVolume *v, size_t points)
{
  dv_array_resize(&v->rest, points);
  dv_array_resize(&v->now, 2 * points);
  dv_array_resize(&v->at, 3 * points);
  dv_array_resize(&v->place, points);
  dv_array_resize(&v->sign, v->count);
}

static dvStatus nodal_volume_reinit(dvObject *o)
{
  NodalVolume *v = (NodalVolume *)o;
  const dvState *s = v->force.state;
  v->count = 0;
  if (!(v->bulkModulus >= 0 && v->bulkModulus < DV_EXPLODED))
    return dv_field_error(o, &v->bulkModulus, "the default is 1e6", "bulkModulus %g is not a number from 0 on",
                          v->bulkModulus);
  const dvInts *tetrahedra = dv_force_elements(o, dv_topology(v->topology.target), DV_TETRAHEDRON, s);
  if (!tetrahedra) return DV_ERROR_INPUT;
  if (4 * dv_ints_size(tetrahedra) > INT32_MAX) return dv_error(o, NULL, "there are too many tetrahedra");
  v->tetra = tetrahedra->data;
  v->count = dv_ints_size(tetrahedra);
  resize(v, s->count);
  if (s->count == 0) return DV_OK;
  memset(v->rest.data, 0, s->count * sizeof(double));
  memset(v->now.data, 0, 2 * s->count * sizeof(double));
  memcpy(v->at.data, dv_state_read(s, DV_X_REST), 3 * s->count * sizeof(double));
  for (size_t i = 0; i < s->count; i++) v->place.data[i] = -1;
  for (size_t i = 0; i < v->count; i++) {
    double volume = rest_volume(v, v->at.data, i);
    for (int k = 0; k < 4; k++) v->rest.data[v->tetra[4 * i + (size_t)k]] += 0.25 * volume;
  }
  if (!dv_loose_invert(&v->around, v->tetra, 4 * v->count, s->count))
    return dv_error(o, NULL, "out of memory for %zu tetrahedra", v->count);
  return DV_OK;
}

// --- changes ---

// corners of points that were touched, in ascending order
static bool list_corners(NodalVolume *v, dvTopology *t, const dvTrace *trace)
{
  const dvNumbers *points = dv_trace_points(trace);
  dvNumbers corners = {0};
  bool good = true;
  for (size_t k = 0; k < points->count && good; k++) {
    size_t p = (size_t)points->data[k];
    corners.count = 0;
    for (int32_t at = dv_topology_first_at(t, DV_TETRAHEDRON, (int32_t)p); at >= 0;
         at = dv_topology_next_at(t, DV_TETRAHEDRON, at))
      dv_push(&corners, at);
    dv_numbers_sort(corners.data, corners.count);
    good = dv_loose_make_room(&v->around, p, (int32_t)corners.count);
    if (good && corners.count)
      memcpy(v->around.index.data + v->around.offset.data[p], corners.data, corners.count * sizeof *corners.data);
    if (good) v->around.end.data[p] = v->around.offset.data[p] + (int32_t)corners.count;
  }
  dv_array_free(&corners);
  return good;
}

// points that come and go; what they have around them is listed afterwards
static bool follow_points(NodalVolume *v, const dvTrace *trace)
{
  dvRows *r = &v->around;
  for (size_t i = 0; i < trace->steps[DV_POINT].count; i++) {
    const dvTraceStep *s = &trace->steps[DV_POINT].data[i];
    if (s->what == DV_ADDED) dv_loose_push(r);
    if (s->what != DV_REMOVING) continue;
    r->end.data[s->number] = r->offset.data[s->number];
    r->end.data[s->last] = r->offset.data[s->last];
    if (!dv_loose_pop(r, (size_t)s->number)) return false;
  }
  return true;
}

// volumes of elements that are others, and of the points around them, summed in the order of all elements
static bool patch(dvObject *o)
{
  NodalVolume *v = (NodalVolume *)o;
  const dvState *s = v->force.state;
  dvTopology *t = dv_topology(v->topology.target);
  const dvTrace *trace = dv_topology_trace(t);
  size_t count = dv_topology_count(t, DV_TETRAHEDRON), points = dv_topology_point_count(t);
  if (points != s->count || v->rest.count != dv_trace_before(trace, DV_POINT, points) || count > INT32_MAX / 4 ||
      v->count != dv_trace_before(trace, DV_TETRAHEDRON, count) || v->count == 0 || dv_loose_are_wasteful(&v->around) ||
      !dv_loose_loosen(&v->around, v->rest.count))
    return false;
  v->tetra = dv_topology_list(t, DV_TETRAHEDRON)->data;
  v->count = count;
  if (!follow_points(v, trace) || !list_corners(v, t, trace)) return false;
  resize(v, points);
  const double *rest = dv_state_read(s, DV_X_REST);
  dvRowView around = dv_rows_view(&v->around);
  const dvNumbers *touched = dv_trace_points(trace);
  for (size_t k = 0; k < touched->count; k++) {
    size_t p = (size_t)touched->data[k];
    v->rest.data[p] = v->now.data[p] = 0;
    v->place.data[p] = -1;
    memcpy(v->at.data + 3 * p, rest + 3 * p, 3 * sizeof *rest);
    for (int32_t e = around.begin[p]; e < around.end[p]; e++)
      v->rest.data[p] += 0.25 * rest_volume(v, rest, (size_t)around.index[e] / 4);
  }
  return true;
}

static void nodal_volume_topology_changed(dvObject *o)
{
  dv_force_patch_or_remake(o, dv_topology(((NodalVolume *)o)->topology.target), patch);
}

static dvStatus nodal_volume_init(dvObject *o)
{
  NodalVolume *v = (NodalVolume *)o;
  DV_TRY(dv_force_init(o));
  if (!dv_force_topology(o, &v->topology)) return DV_ERROR_INPUT;
  if (dv_topology_count(dv_topology(v->topology.target), DV_TETRAHEDRON) == 0)
    dv_warning(o, NULL, "the topology %s has no tetrahedra: there will be no force", v->topology.target->name);
  return nodal_volume_reinit(o);
}

// --- operations ---

static double pull(const double *p, const int32_t *corner)
{
  return 0.25 * (p[corner[0]] + p[corner[1]] + p[corner[2]] + p[corner[3]]);
}

// p_n at the positions `at`; the energy
static double evaluate(NodalVolume *v)
{
  size_t n = v->rest.count;
  double *p = v->now.data, energy = 0, largest = 0;
  memset(p, 0, n * sizeof *p);
  for (size_t i = 0; i < v->count; i++) {
    dvVec3 e[3];
    edges_of(v, v->at.data, i, e);
    double part = 0.25 * v->sign.data[i] * volume_of(e);
    for (int k = 0; k < 4; k++) p[v->tetra[4 * i + (size_t)k]] += part;
  }
  for (size_t i = 0; i < n; i++) {
    double change = v->rest.data[i] > 0 ? p[i] / v->rest.data[i] - 1 : 0;
    energy += 0.5 * v->bulkModulus * v->rest.data[i] * change * change;
    largest = fmax(largest, fabs(change));
    p[i] = v->bulkModulus * change;
  }
  v->largest = largest;
  return energy;
}

static void nodal_volume_add_force(dvObject *o, const dvMech *m)
{
  NodalVolume *v = (NodalVolume *)o;
  if (v->count == 0 || 3 * v->force.state->count != v->at.count) return;
  memcpy(v->at.data, dv_state_read(v->force.state, m->x), v->at.count * sizeof(double));
  double *f = dv_state_write(v->force.state, m->f);
  evaluate(v);
  dv_touch(o, &v->largest);
  for (size_t i = 0; i < v->count; i++) {
    const int32_t *corner = v->tetra + 4 * i;
    dvVec3 e[3], g[4];
    edges_of(v, v->at.data, i, e);
    gradients_of(e, -v->sign.data[i] * pull(v->now.data, corner), g);
    for (int k = 0; k < 4; k++) dv_vec3_accumulate(f + 3 * (size_t)corner[k], g[k]);
  }
}

static void nodal_volume_add_dforce(dvObject *o, const dvMech *m)
{
  NodalVolume *v = (NodalVolume *)o;
  if (v->count == 0 || 3 * v->force.state->count != v->at.count) return;
  const double *dx = dv_state_read(v->force.state, m->dx), *p = v->now.data;
  double *df = dv_state_write(v->force.state, m->df), factor = dv_mech_k(m, v->force.rayleighStiffness);
  size_t n = v->rest.count;
  double *dp = v->now.data + n;
  memset(dp, 0, n * sizeof *dp);
  for (size_t i = 0; i < v->count; i++) {
    const int32_t *corner = v->tetra + 4 * i;
    dvVec3 e[3], d[3];
    edges_of(v, v->at.data, i, e);
    edges_of(v, dx, i, d);
    double change = 0;
    for (int k = 0; k < 3; k++) change += dv_vec3_dot(d[k], dv_vec3_cross(e[(k + 1) % 3], e[(k + 2) % 3]));
    for (int k = 0; k < 4; k++) dp[corner[k]] += 0.25 * v->sign.data[i] * change / 6;
  }
  for (size_t i = 0; i < n; i++) dp[i] *= v->rest.data[i] > 0 ? v->bulkModulus / v->rest.data[i] : 0;
  for (size_t i = 0; i < v->count; i++) {
    const int32_t *corner = v->tetra + 4 * i;
    dvVec3 e[3], d[3], g[4], h[4] = {{0}};
    edges_of(v, v->at.data, i, e);
    edges_of(v, dx, i, d);
    gradients_of(e, -factor * v->sign.data[i] * pull(dp, corner), g);
    double q = -factor * v->sign.data[i] * pull(p, corner) / 6;
    for (int k = 0; k < 3; k++) {
      int a = (k + 1) % 3, b = (k + 2) % 3;
      h[k + 1] = dv_vec3_scale(dv_vec3_add(dv_vec3_cross(d[a], e[b]), dv_vec3_cross(e[a], d[b])), q);
      h[0] = dv_vec3_sub(h[0], h[k + 1]);
    }
    for (int k = 0; k < 4; k++) dv_vec3_accumulate(df + 3 * (size_t)corner[k], dv_vec3_add(g[k], h[k]));
  }
}

// q d2v/dx2 of one element: blocks of corners b, c, d are cross products, the first corner's are minus their sums
static void add_curvature(NodalVolume *v, size_t i, double factor, dvMatrixSink *sink)
{
  const int32_t *corner = v->tetra + 4 * i;
  dvVec3 e[3];
  double matrix[144] = {0}, q = -factor * v->sign.data[i] * pull(v->now.data, corner) / 6;
  edges_of(v, v->at.data, i, e);
  for (int k = 0; k < 3; k++)
    for (int s = 1; s < 3; s++) {   // d/d(edge k+s) of e[k+1] x e[k+2]
      int moved = (k + s) % 3, other = s == 1 ? (k + 2) % 3 : (k + 1) % 3;
      dvMat3 turn = dv_mat3_scale(dv_mat3_skew(e[other]), s == 1 ? -q : q);
      for (int rc = 0; rc < 9; rc++) {
        int row = rc / 3, col = rc % 3;
        double value = turn.m[row][col];
        matrix[12 * (3 * (k + 1) + row) + 3 * (moved + 1) + col] += value;
        matrix[12 * row + 3 * (moved + 1) + col] -= value;
        matrix[12 * (3 * (k + 1) + row) + col] -= value;
        matrix[12 * row + col] += value;
      }
    }
  dv_sink_add_element(sink, v->force.state, corner, 4, matrix);
}

// the points around one, and how its volume changes with theirs
static void gather_patch(NodalVolume *v, size_t point)
{
  v->patch.count = 0;
  v->gradient.count = 0;
  dvRowView around = dv_rows_view(&v->around);
  for (int32_t j = around.begin[point]; j < around.end[point]; j++) {
    size_t i = (size_t)around.index[j] / 4;
    const int32_t *corner = v->tetra + 4 * i;
    dvVec3 e[3], g[4];
    edges_of(v, v->at.data, i, e);
    gradients_of(e, 0.25 * v->sign.data[i], g);
    for (int k = 0; k < 4; k++) {
      int32_t *place = &v->place.data[corner[k]];
      if (*place < 0) {
        *place = (int32_t)v->patch.count;
        dv_push(&v->patch, corner[k]);
        for (int a = 0; a < 3; a++) dv_push(&v->gradient, 0);
      }
      dv_vec3_accumulate(v->gradient.data + 3 * (size_t)*place, g[k]);
    }
  }
  for (size_t k = 0; k < v->patch.count; k++) v->place.data[v->patch.data[k]] = -1;
}

static void nodal_volume_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  NodalVolume *v = (NodalVolume *)o;
  if (v->count == 0 || 3 * v->force.state->count != v->at.count) return;
  double factor = dv_mech_k(m, v->force.rayleighStiffness);
  for (size_t i = 0; i < v->count; i++) add_curvature(v, i, factor, sink);
  for (size_t p = 0; p < v->rest.count; p++) {
    if (!(v->rest.data[p] > 0)) continue;
    gather_patch(v, p);
    size_t n = v->gradient.count;
    double k = -factor * v->bulkModulus / v->rest.data[p];
    dv_array_resize(&v->matrix, n * n);
    for (size_t row = 0; row < n; row++)
      for (size_t col = 0; col < n; col++)
        v->matrix.data[n * row + col] = k * v->gradient.data[row] * v->gradient.data[col];
    dv_sink_add_element(sink, v->force.state, v->patch.data, (int)v->patch.count, v->matrix.data);
  }
}

static double nodal_volume_energy(dvObject *o, const dvMech *m)
{
  NodalVolume *v = (NodalVolume *)o;
  if (v->count == 0 || 3 * v->force.state->count != v->at.count) return 0;
  memcpy(v->at.data, dv_state_read(v->force.state, m->x), v->at.count * sizeof(double));
  return evaluate(v);
}

static void nodal_volume_destroy(dvObject *o)
{
  NodalVolume *v = (NodalVolume *)o;
  dv_array_free(&v->rest);
  dv_array_free(&v->now);
  dv_array_free(&v->at);
  dv_array_free(&v->sign);
  dv_loose_free(&v->around);
  dv_array_free(&v->patch);
  dv_array_free(&v->gradient);
  dv_array_free(&v->matrix);
  dv_array_free(&v->place);
}

static const dvForceOps nodal_volume_ops = {
    .add_force = nodal_volume_add_force,
    .add_dforce = nodal_volume_add_dforce,
    .add_stiffness = nodal_volume_add_stiffness,
    .energy = nodal_volume_energy,
    DV_FORCE_SLOTS,
};

const dvClass dv_nodal_volume_class = {
    .struct_size = sizeof(dvClass),
    .name = "NodalVolumeForceField",
    .help = "keeps the volume around each point of a mesh of tetrahedra, beside a material that keeps its shape: "
            "nearly incompressible bodies that do not lock",
    .module = "Divan",
    .dofs = DV_DOF_VEC3,
    .size = sizeof(NodalVolume),
    .blocks = {&dv_object_block, &dv_force_block, DV_BLOCK(nodal_volume_fields)},
    .ops = {[DV_ROLE_FORCE] = &nodal_volume_ops},
    .init = nodal_volume_init,
    .reinit = nodal_volume_reinit,
    .destroy = nodal_volume_destroy,
    .topology_changed = nodal_volume_topology_changed,
};
