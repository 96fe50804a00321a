// DistanceGridForceField: a closed surface that points are pushed out of, or drawn to.
//
// With the distance d of a point from the surface (topology/search/distance_grid.h) and its slope n
//
//   f = -k d n - c k |d| v,   k = stiffnessIn where d < 0, stiffnessOut where d > 0
//
// within maxdist. The triangles of the node's mesh keep at least minArea as seen along n, tetrahedra minVolume:
//
//   f_b = s (minArea - a) (c x n),  f_c = s (minArea - a) (n x b),   a = n . (b x c) / 2
//   f_a = s (minVolume - v) (b x c) / 6 and so on,                   v = a . (b x c) / 6
//
// with edges a, b, c from the first corner. Damping is not differentiated, nor is the direction n.
#include "io/mesh/distances.h"
#include "mechanics/component.h"
#include "object/compat.h"
#include "topology/topology.h"

#include <math.h>

extern const dvClass dv_distance_force_class;

#define DISTANCE_FORCE_FIELDS(X)                                                                      \
  X(real, stiffnessIn, "500", "N/m", "stiffness inside of the surface")                               \
  X(real, stiffnessOut, "0", "N/m", "stiffness outside of it")                                        \
  X(real, damping, "0.01", "s/m", "damping, in proportion to the force of a point")                   \
  X(real, maxdist, "1", "m", "points further away feel nothing")                                      \
  X(real, minArea, "0", "m2", "least area of the triangles, as seen along the slope of the distance") \
  X(real, stiffnessArea, "100", "N/m3", "stiffness of triangles that are smaller")                    \
  X(real, minVolume, "0", "m3", "least volume of the tetrahedra")                                     \
  X(real, stiffnessVolume, "0", "N/m5", "stiffness of tetrahedra that are smaller")                   \
  X(color, color, "0 0.5 0.2 1", "", "colour of the surface", .flags = DV_LOOKS)                      \
  X(bool, draw, "0", "", "draw the forces", .flags = DV_LOOKS)                                        \
  X(bool, drawPoints, "0", "", "draw the points of the grid", .flags = DV_LOOKS)                      \
  X(real, drawSize, "10", "", "size of drawn points", .flags = DV_LOOKS)                              \
  X(ivec2, localRange, "-1 -1", "", "first and last point that feel the surface; -1: all")

typedef struct Touched {
  size_t point;
  dvVec3 n;
  double k;
} Touched;

// A triangle or tetrahedron that is too small: its edges from the first corner, and by how much.
typedef struct Small {
  int32_t corner[4];
  dvVec3 edge[3], n;
  double lack;
} Small;

typedef struct DistanceForce {
  dvForce force;
  DV_DISTANCE_FIELDS(DV_MEMBER)
  DISTANCE_FORCE_FIELDS(DV_MEMBER)
  dvDistanceGrid grid;
  bool as_sofa, turned;   // `turned`: triangles look against the slope
  DV_ARRAY(bool) on_surface;
  DV_ARRAY(double) seen;   // of each triangle: how far it looks along the slope
  double sum;              // of these
  DV_ARRAY(Touched) touched;
  DV_ARRAY(Small) triangles, tetrahedra;
} DistanceForce;

#define SELF DistanceForce
static const dvFieldDesc distance_force_fields[] = {DV_DISTANCE_FIELDS(DV_DESCRIBE) DISTANCE_FORCE_FIELDS(DV_DESCRIBE)};
#undef SELF

// --- set-up --------------------------------------------------------------------------------------

static dvTopology *mesh_of(const DistanceForce *f)
{
  dvObject *o = dv_node_find_up(f->force.base.node, DV_ROLE_TOPOLOGY);
  return o ? dv_topology(o) : NULL;
}

static const dvInts *elements_of(const DistanceForce *f, dvElementKind kind)
{
  dvTopology *t = mesh_of(f);
  const dvInts *e = t ? dv_topology_elements(t, kind) : NULL;
  return e && e->count ? e : NULL;
}

static dvVec3 at(const double *x, int32_t point) { return dv_vec3_load(x + 3 * point); }

// how far a triangle looks the way in which distances grow
static double look_at(DistanceForce *f, const double *x, const int32_t *t)
{
  dvVec3 a = at(x, t[0]), b = at(x, t[1]), c = at(x, t[2]);
  dvVec3 middle = dv_vec3_scale(dv_vec3_add(dv_vec3_add(a, b), c), 1.0 / 3);
  return dv_vec3_dot(dv_distance_slope(&f->grid, middle), dv_vec3_cross(dv_vec3_sub(b, a), dv_vec3_sub(c, a)));
}

// SOFA asks the last triangle
static void decide_side(DistanceForce *f)
{
  size_t n = f->seen.count;
  f->turned = (!f->as_sofa ? f->sum : n ? f->seen.data[n - 1] : 0) < 0;
}

static void look_at_triangles(DistanceForce *f)
{
  const dvInts *triangles = elements_of(f, DV_TRIANGLE);
  if (f->stiffnessArea == 0 || !triangles) return;
  const double *x = dv_state_read(f->force.state, DV_X_REST);
  f->sum = 0;
  f->seen.count = 0;
  dv_array_resize(&f->on_surface, f->force.state->count);
  for (size_t i = 0; i < f->on_surface.count; i++) f->on_surface.data[i] = false;
  for (size_t i = 0; i < triangles->count; i += 3) {
    const int32_t *t = triangles->data + i;
    dv_push(&f->seen, look_at(f, x, t));
    f->sum += f->seen.data[i / 3];
    for (int k = 0; k < 3; k++) f->on_surface.data[t[k]] = true;
  }
  decide_side(f);
}

// triangles that are others, and the points around them
static bool patch_triangles(DistanceForce *f, dvTopology *mesh, const dvTrace *trace)
{
  size_t count = dv_topology_count(mesh, DV_TRIANGLE), points = f->force.state->count;
  if (f->stiffnessArea == 0) return true;
  if (count == 0 || points != dv_topology_point_count(mesh) ||
      f->seen.count != dv_trace_before(trace, DV_TRIANGLE, count) ||
      f->on_surface.count != dv_trace_before(trace, DV_POINT, points))
    return false;
  for (size_t i = 0; i < trace->steps[DV_TRIANGLE].count; i++) {
    const dvTraceStep *s = &trace->steps[DV_TRIANGLE].data[i];
    if (s->what == DV_ADDED) dv_push(&f->seen, 0);
    if (s->what != DV_REMOVING) continue;
    f->sum -= f->seen.data[s->number];
    f->seen.data[s->number] = f->seen.data[s->last];
    f->seen.count--;
  }
  dvNumbers shapes = {0};
  dv_trace_shapes(mesh, DV_TRIANGLE, &shapes);
  const int32_t *list = dv_topology_list(mesh, DV_TRIANGLE)->data;
  const double *x = dv_state_read(f->force.state, DV_X_REST);
  for (size_t i = 0; i < shapes.count; i++) {
    double *seen = &f->seen.data[shapes.data[i]], now = look_at(f, x, list + 3 * (size_t)shapes.data[i]);
    f->sum += now - *seen;
    *seen = now;
  }
  dv_array_free(&shapes);
  dv_array_resize(&f->on_surface, points);
  const dvNumbers *touched = dv_trace_points(trace);
  for (size_t i = 0; i < touched->count; i++)
    f->on_surface.data[touched->data[i]] = dv_topology_first_at(mesh, DV_TRIANGLE, touched->data[i]) >= 0;
  decide_side(f);
  return true;
}

static bool corners_exist(const DistanceForce *f, const dvInts *elements)
{
  for (size_t i = 0; elements && i < elements->count; i++)
    if (elements->data[i] < 0 || (size_t)elements->data[i] >= f->force.state->count) return false;
  return true;
}

static dvStatus take_mesh(DistanceForce *f)
{
  dvObject *o = &f->force.base;
  f->on_surface.count = 0;
  if (!corners_exist(f, elements_of(f, DV_TRIANGLE)) || !corners_exist(f, elements_of(f, DV_TETRAHEDRON)))
    return dv_error(o, NULL, "the mesh of its node names points that the state %s does not have",
                    f->force.state->base.name);
  if (f->stiffnessVolume != 0 && !elements_of(f, DV_TETRAHEDRON))
    dv_field_warning(o, &f->stiffnessVolume, "give the node a mesh of tetrahedra", "there are no tetrahedra to keep");
  look_at_triangles(f);
  return DV_OK;
}

static dvStatus distance_force_init(dvObject *o)
{
  DistanceForce *f = (DistanceForce *)o;
  DV_TRY(dv_force_init(o));
  DV_TRY(dv_distances_load(o, DV_DISTANCE_SOURCE(f), &f->grid));
  f->as_sofa = dv_compat(o, DV_COMPAT_DISTANCE_STIFFNESS);
  dvTopology *t = mesh_of(f);
  if (t) DV_TRY(dv_object_ensure(&t->base));
  if (t) dv_follow(o, t);
  return take_mesh(f);
}

// without the forces of its triangles it acts on points, whatever their number
static void distance_force_topology_changed(dvObject *o)
{
  DistanceForce *f = (DistanceForce *)o;
  dvTopology *t = mesh_of(f);
  const dvTrace *trace = t ? dv_follow_trace(o, t) : NULL;
  if (trace && patch_triangles(f, t, trace)) dv_follow_patched(o);
  else take_mesh(f);
}

// --- force ---------------------------------------------------------------------------------------

static void push_points(DistanceForce *f, const double *x, const double *v, double *out)
{
  size_t first = f->localRange[0] >= 0 ? (size_t)f->localRange[0] : 0, end = f->force.state->count;
  if (f->localRange[1] >= 0) end = dv_min_size(end, (size_t)f->localRange[1] + 1);
  f->touched.count = 0;
  for (size_t i = first; i < end; i++) {
    if (i < f->on_surface.count && !f->on_surface.data[i]) continue;
    dvVec3 p = dv_vec3_load(x + 3 * i);
    double d = dv_distance_at(&f->grid, p), k = d < 0 ? f->stiffnessIn : f->stiffnessOut;
    if (k == 0 || d == 0 || !(fabs(d) < f->maxdist)) continue;
    dvVec3 n = dv_distance_slope(&f->grid, p);
    double amount = -k * d, drag = f->damping * (f->as_sofa ? amount : fabs(amount));
    dv_vec3_accumulate(out + 3 * i,
                       dv_vec3_sub(dv_vec3_scale(n, amount), dv_vec3_scale(dv_vec3_load(v + 3 * i), drag)));
    dv_push(&f->touched, ((Touched){i, n, f->as_sofa ? amount : -k}));
  }
}

// forces at the corners behind the first one, which gets what balances them
static void spread(double *out, const int32_t *corner, const dvVec3 *force, int count)
{
  dvVec3 sum = dv_vec3(0, 0, 0);
  for (int k = 0; k < count; k++) {
    dv_vec3_accumulate(out + 3 * corner[k + 1], force[k]);
    sum = dv_vec3_add(sum, force[k]);
  }
  dv_vec3_accumulate(out + 3 * corner[0], dv_vec3_neg(sum));
}

static void push_triangles(DistanceForce *f, const double *x, double *out)
{
  const dvInts *triangles = elements_of(f, DV_TRIANGLE);
  f->triangles.count = 0;
  if (f->stiffnessArea == 0 || !triangles) return;
  for (size_t i = 0; i < triangles->count; i += 3) {
    const int32_t *t = triangles->data + i;
    dvVec3 p = at(x, t[0]), b = dv_vec3_sub(at(x, t[1]), p), c = dv_vec3_sub(at(x, t[2]), p);
    dvVec3 middle = dv_vec3_scale(dv_vec3_add(dv_vec3_add(p, at(x, t[1])), at(x, t[2])), 1.0 / 3);
    dvVec3 n = dv_vec3_normalise(dv_distance_slope(&f->grid, middle));
    if (f->turned) n = dv_vec3_neg(n);
    double lack = f->minArea - 0.5 * dv_vec3_dot(dv_vec3_cross(b, c), n);
    if (!(lack > 0)) continue;
    dvVec3 force[2] = {dv_vec3_scale(dv_vec3_cross(c, n), f->stiffnessArea * lack),
                       dv_vec3_scale(dv_vec3_cross(n, b), f->stiffnessArea * lack)};
    spread(out, t, force, 2);
    dv_push(&f->triangles, ((Small){.corner = {t[0], t[1], t[2]}, .edge = {b, c}, .n = n, .lack = lack}));
  }
}

static void push_tetrahedra(DistanceForce *f, const double *x, double *out)
{
  const dvInts *tetrahedra = elements_of(f, DV_TETRAHEDRON);
  f->tetrahedra.count = 0;
  if (f->stiffnessVolume == 0 || !tetrahedra) return;
  for (size_t i = 0; i < tetrahedra->count; i += 4) {
    const int32_t *t = tetrahedra->data + i;
    Small s = {.corner = {t[0], t[1], t[2], t[3]}};
    for (int k = 0; k < 3; k++) s.edge[k] = dv_vec3_sub(at(x, t[k + 1]), at(x, t[0]));
    s.lack = f->minVolume - dv_vec3_dot(s.edge[0], dv_vec3_cross(s.edge[1], s.edge[2])) / 6;
    if (!(s.lack > 0)) continue;
    dvVec3 force[3];
    for (int k = 0; k < 3; k++)
      force[k] =
          dv_vec3_scale(dv_vec3_cross(s.edge[(k + 1) % 3], s.edge[(k + 2) % 3]), f->stiffnessVolume * s.lack / 6);
    spread(out, t, force, 3);
    dv_push(&f->tetrahedra, s);
  }
}

static void distance_force_add_force(dvObject *o, const dvMech *m)
{
  DistanceForce *f = (DistanceForce *)o;
  const double *x = dv_state_read(f->force.state, m->x), *v = dv_state_read(f->force.state, m->v);
  double *out = dv_state_write(f->force.state, m->f);
  push_points(f, x, v, out);
  push_triangles(f, x, out);
  push_tetrahedra(f, x, out);
}

// --- derivative: what a motion of the edges does to the forces behind the first corner --------------

static void turn_triangle(const DistanceForce *f, const Small *s, const dvVec3 *de, dvVec3 *df)
{
  dvVec3 to_b = dv_vec3_cross(s->edge[1], s->n), to_c = dv_vec3_cross(s->n, s->edge[0]);
  double grown = 0.5 * (dv_vec3_dot(to_b, de[0]) + dv_vec3_dot(to_c, de[1])), k = f->stiffnessArea;
  df[0] = dv_vec3_sub(dv_vec3_scale(dv_vec3_cross(de[1], s->n), k * s->lack), dv_vec3_scale(to_b, k * grown));
  df[1] = dv_vec3_sub(dv_vec3_scale(dv_vec3_cross(s->n, de[0]), k * s->lack), dv_vec3_scale(to_c, k * grown));
}

static void turn_tetrahedron(const DistanceForce *f, const Small *s, const dvVec3 *de, dvVec3 *df)
{
  double grown = 0, k = f->stiffnessVolume / 6;
  for (int i = 0; i < 3; i++)
    grown += dv_vec3_dot(de[i], dv_vec3_cross(s->edge[(i + 1) % 3], s->edge[(i + 2) % 3])) / 6;
  for (int i = 0; i < 3; i++) {
    dvVec3 b = s->edge[(i + 1) % 3], c = s->edge[(i + 2) % 3];
    dvVec3 turned = dv_vec3_add(dv_vec3_cross(de[(i + 1) % 3], c), dv_vec3_cross(b, de[(i + 2) % 3]));
    df[i] = dv_vec3_sub(dv_vec3_scale(turned, k * s->lack), dv_vec3_scale(dv_vec3_cross(b, c), k * grown));
  }
}

typedef void (*Turn)(const DistanceForce *f, const Small *s, const dvVec3 *de, dvVec3 *df);

static void add_small_dforce(const DistanceForce *f, const Small *s, size_t count, int edges, Turn turn, double k,
                             const double *dx, double *df)
{
  for (size_t i = 0; i < count; i++) {
    dvVec3 de[3], force[3];
    for (int e = 0; e < edges; e++) de[e] = dv_vec3_sub(at(dx, s[i].corner[e + 1]), at(dx, s[i].corner[0]));
    turn(f, &s[i], de, force);
    for (int e = 0; e < edges; e++) force[e] = dv_vec3_scale(force[e], k);
    spread(df, s[i].corner, force, edges);
  }
}

static void distance_force_add_dforce(dvObject *o, const dvMech *m)
{
  DistanceForce *f = (DistanceForce *)o;
  double k = dv_mech_k(m, f->force.rayleighStiffness);
  const double *dx = dv_state_read(f->force.state, m->dx);
  double *df = dv_state_write(f->force.state, m->df);
  for (size_t i = 0; i < f->touched.count; i++) {
    const Touched *t = &f->touched.data[i];
    dv_vec3_accumulate(df + 3 * t->point,
                       dv_vec3_scale(t->n, k * t->k * dv_vec3_dot(t->n, dv_vec3_load(dx + 3 * t->point))));
  }
  add_small_dforce(f, f->triangles.data, f->triangles.count, 2, turn_triangle, k, dx, df);
  add_small_dforce(f, f->tetrahedra.data, f->tetrahedra.count, 3, turn_tetrahedron, k, dx, df);
}

// blocks of a small element, column by column from its products
static void add_small_stiffness(const DistanceForce *f, const Small *s, int edges, Turn turn, double k,
                                dvMatrixSink *sink)
{
  double block[4][4][9];
  for (int col = 0; col <= edges; col++)
    for (int c = 0; c < 3; c++) {
      double unit[3] = {0};
      unit[c] = 1;
      dvVec3 de[3], df[3], sum = dv_vec3(0, 0, 0);
      for (int e = 0; e < edges; e++)
        de[e] = col == 0 ? dv_vec3_neg(dv_vec3_load(unit)) : dv_vec3_scale(dv_vec3_load(unit), e == col - 1 ? 1 : 0);
      turn(f, s, de, df);
      for (int e = 0; e < edges; e++) sum = dv_vec3_add(sum, df[e]);
      for (int row = 0; row <= edges; row++) {
        dvVec3 v = dv_vec3_scale(row ? df[row - 1] : dv_vec3_neg(sum), k);
        block[row][col][c] = v.x, block[row][col][3 + c] = v.y, block[row][col][6 + c] = v.z;
      }
    }
  dvState *state = f->force.state;
  for (int row = 0; row <= edges; row++)
    for (int col = 0; col <= edges; col++)
      sink->add(sink, state, (size_t)s->corner[row], state, (size_t)s->corner[col], 3, 3, block[row][col]);
}

static void distance_force_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  DistanceForce *f = (DistanceForce *)o;
  double k = dv_mech_k(m, f->force.rayleighStiffness);
  for (size_t i = 0; i < f->touched.count; i++) {
    const Touched *t = &f->touched.data[i];
    double block[9];
    dv_mat3_store(block, dv_mat3_scale(dv_mat3_outer(t->n, t->n), k * t->k));
    sink->add(sink, f->force.state, t->point, f->force.state, t->point, 3, 3, block);
  }
  for (size_t i = 0; i < f->triangles.count; i++)
    add_small_stiffness(f, &f->triangles.data[i], 2, turn_triangle, k, sink);
  for (size_t i = 0; i < f->tetrahedra.count; i++)
    add_small_stiffness(f, &f->tetrahedra.data[i], 3, turn_tetrahedron, k, sink);
}

static void distance_force_destroy(dvObject *o)
{
  DistanceForce *f = (DistanceForce *)o;
  dv_distance_grid_free(&f->grid);
  dv_array_free(&f->on_surface);
  dv_array_free(&f->seen);
  dv_array_free(&f->touched);
  dv_array_free(&f->triangles);
  dv_array_free(&f->tetrahedra);
}

static const dvForceOps distance_force_ops = {
    .add_force = distance_force_add_force,
    .add_dforce = distance_force_add_dforce,
    .add_stiffness = distance_force_add_stiffness,
    DV_FORCE_SLOTS,
};

const dvClass dv_distance_force_class = {
    .struct_size = sizeof(dvClass),
    .name = "DistanceGridForceField",
    .help = "a closed surface that points are pushed out of, or drawn to",
    .module = "SofaDistanceGrid",
    .dofs = DV_DOF_VEC3,
    .size = sizeof(DistanceForce),
    .blocks = {&dv_object_block, &dv_force_block, DV_BLOCK(distance_force_fields)},
    .ops = {[DV_ROLE_FORCE] = &distance_force_ops},
    .init = distance_force_init,
    .topology_changed = distance_force_topology_changed,
    .destroy = distance_force_destroy,
};
