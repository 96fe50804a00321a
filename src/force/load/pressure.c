// Loads per length or area of elements, shared out evenly among their points: EdgePressureForceField,
// TrianglePressureForceField, QuadPressureForceField. Unless said otherwise the load is a vector and the size of an
// element is the one at rest, so that the force is constant and has no stiffness.
#include "force/mesh.h"

#include "math/vec.h"
#include "object/compat.h"

#include <math.h>

extern const dvClass dv_edge_pressure_class, dv_triangle_pressure_class, dv_quad_pressure_class;

// Chosen elements and the force on each.
typedef struct Loaded {
  int32_t element;
  dvVec3 force;
} Loaded;
typedef DV_ARRAY(Loaded) LoadedList;

static dvVec3 point_of(const double *x, int32_t p) { return dv_vec3_load(x + 3 * (size_t)p); }

static double triangle_area(const double *x, const int32_t *p)
{
  dvVec3 a = point_of(x, p[0]);
  return 0.5 * dv_vec3_norm(dv_vec3_cross(dv_vec3_sub(point_of(x, p[1]), a), dv_vec3_sub(point_of(x, p[2]), a)));
}

static double element_size(dvElementKind kind, const double *x, const int32_t *p)
{
  if (kind == DV_EDGE) return dv_vec3_norm(dv_vec3_sub(point_of(x, p[1]), point_of(x, p[0])));
  double size = triangle_area(x, p);
  return kind == DV_QUAD ? size + triangle_area(x, (const int32_t[3]){p[0], p[2], p[3]}) : size;
}

static void choose(LoadedList *list, int32_t element) { dv_push(list, ((Loaded){.element = element})); }

// elements by their numbers
static dvStatus choose_listed(const dvObject *o, LoadedList *list, const dvInts *numbers, size_t count,
                              const char *what)
{
  DV_TRY(dv_check_indices(o, numbers, count, what));
  list->count = 0;
  for (size_t i = 0; i < numbers->count; i++) choose(list, numbers->data[i]);
  return DV_OK;
}

// elements whose points at rest lie between two planes
static void choose_slab(LoadedList *list, const dvInts *elements, const double *x0, const double *normal, double low,
                        double high)
{
  for (size_t i = 0; i < dv_ints_size(elements); i++) {
    bool inside = true;
    for (int k = 0; k < elements->width; k++) {
      double d =
          dv_vec3_dot(point_of(x0, elements->data[i * (size_t)elements->width + (size_t)k]), dv_vec3_load(normal));
      inside = inside && d > low && d < high;
    }
    if (inside) choose(list, (int32_t)i);
  }
}

static void set_uniform(LoadedList *list, const dvInts *elements, dvElementKind kind, const double *x0,
                        const double *pressure)
{
  for (size_t i = 0; i < list->count; i++) {
    const int32_t *p = elements->data + (size_t)list->data[i].element * (size_t)elements->width;
    list->data[i].force = dv_vec3_scale(dv_vec3_load(pressure), element_size(kind, x0, p));
  }
}

static void apply(const LoadedList *list, const dvInts *elements, double *f)
{
  for (size_t i = 0; i < list->count; i++) {
    const int32_t *p = elements->data + (size_t)list->data[i].element * (size_t)elements->width;
    dvVec3 share = dv_vec3_scale(list->data[i].force, 1.0 / elements->width);
    for (int k = 0; k < elements->width; k++) dv_vec3_accumulate(f + 3 * (size_t)p[k], share);
  }
}

// --- TrianglePressureForceField ------------------------------------------------------------------

#define TRIANGLE_PRESSURE_FIELDS(X)                                                                                  \
  X(vec3, pressure, "0 0 0", "N/m2", "force per area at rest")                                                       \
  X(reals, cauchyStress, "", "N/m2",                                                                                 \
    "stress on the present normal, when useConstantForce is off: six numbers xx xy yy xz yz zz, or the nine of the " \
    "matrix")                                                                                                        \
  X(indices, triangleList, "", "", "triangles that are loaded, as listed at the start")                              \
  X(bool, showForces, "0", "", "draw the loaded triangles", .flags = DV_LOOKS)                                       \
  X(bool, useConstantForce, "1", "",                                                                                 \
    "load by pressure times the area at rest, otherwise by the stress on the present area")                          \
  X(string, trianglePressureMap, "", "", "forces on the triangles, kept by the component",                           \
    .flags = DV_HIDDEN | DV_READ_ONLY)                                                                               \
  X(link, topology, "", "", "topology with the triangles; the one of the node or above by default",                  \
    .role = DV_ROLE_TOPOLOGY)

typedef struct TrianglePressure {
  dvForce force;
  TRIANGLE_PRESSURE_FIELDS(DV_MEMBER)
  const dvInts *triangles;
  LoadedList loaded;
  dvMat3 stress;
  dvField *watched;   // the pressure is followed; the list of triangles is the one of the start, as in SOFA
  uint32_t seen;
} TrianglePressure;

#define SELF TrianglePressure
static const dvFieldDesc triangle_pressure_fields[] = {TRIANGLE_PRESSURE_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus read_stress(TrianglePressure *t)
{
  static const int places[9] = {0, 1, 3, 1, 2, 4, 3, 4, 5};   // in six numbers
  const dvReals *s = &t->cauchyStress;
  if (s->count != 0 && s->count != 6 && s->count != 9)
    return dv_field_error(&t->force.base, s, "give six or nine numbers", "a symmetric stress has not %zu numbers",
                          s->count);
  for (int i = 0; i < 9; i++) t->stress.m[i / 3][i % 3] = s->count == 0 ? 0 : s->data[s->count == 6 ? places[i] : i];
  return DV_OK;
}

static void follow_pressure(TrianglePressure *t)
{
  t->seen = t->watched->counter;
  set_uniform(&t->loaded, t->triangles, DV_TRIANGLE, dv_state_read(t->force.state, DV_X_REST), t->pressure);
}

static dvStatus triangle_pressure_reinit(dvObject *o)
{
  TrianglePressure *t = (TrianglePressure *)o;
  t->loaded.count = 0;
  t->triangles = dv_force_elements(o, dv_topology(t->topology.target), DV_TRIANGLE, t->force.state);
  if (!t->triangles) return DV_ERROR_INPUT;
  DV_TRY(read_stress(t));
  DV_TRY(choose_listed(o, &t->loaded, &t->triangleList, dv_ints_size(t->triangles), "triangles"));
  follow_pressure(t);
  return DV_OK;
}

// triangles that are named: it costs what their list does
static bool patch_triangles(dvObject *o)
{
  TrianglePressure *t = (TrianglePressure *)o;
  t->triangles = dv_topology_elements(dv_topology(t->topology.target), DV_TRIANGLE);
  if (choose_listed(o, &t->loaded, &t->triangleList, dv_ints_size(t->triangles), "triangles") != DV_OK) return false;
  follow_pressure(t);
  return true;
}

static void triangle_pressure_topology_changed(dvObject *o)
{
  dv_force_patch_or_remake(o, dv_topology(((TrianglePressure *)o)->topology.target), patch_triangles);
}

static dvStatus triangle_pressure_init(dvObject *o)
{
  TrianglePressure *t = (TrianglePressure *)o;
  DV_TRY(dv_force_init(o));
  t->watched = dv_field_of(o, &t->pressure);
  if (!dv_force_topology(o, &t->topology)) return DV_ERROR_INPUT;
  if (t->triangleList.count == 0 && !dv_field_of(o, &t->triangleList)->source)
    dv_warning(o, "name triangles in triangleList, for instance of a BoxROI", "no triangle is loaded");
  dv_follow_list(o, dv_topology(t->topology.target), DV_TRIANGLE, &t->triangleList)->heirs = true;
  return triangle_pressure_reinit(o);
}

static void triangle_pressure_add_force(dvObject *o, const dvMech *m)
{
  TrianglePressure *t = (TrianglePressure *)o;
  if (t->seen != t->watched->counter) follow_pressure(t);
  if (!t->useConstantForce) {
    const double *x = dv_state_read(t->force.state, m->x);
    for (size_t i = 0; i < t->loaded.count; i++) {
      const int32_t *p = t->triangles->data + 3 * (size_t)t->loaded.data[i].element;
      dvVec3 a = point_of(x, p[0]);
      dvVec3 area =
          dv_vec3_scale(dv_vec3_cross(dv_vec3_sub(point_of(x, p[1]), a), dv_vec3_sub(point_of(x, p[2]), a)), 0.5);
      t->loaded.data[i].force = dv_mat3_mul_vec(t->stress, area);
    }
  }
  apply(&t->loaded, t->triangles, dv_state_write(t->force.state, m->f));
}

static void triangle_pressure_destroy(dvObject *o) { dv_array_free(&((TrianglePressure *)o)->loaded); }

static const dvForceOps triangle_pressure_ops = {.add_force = triangle_pressure_add_force, DV_FORCE_SLOTS};

const dvClass dv_triangle_pressure_class = {
    .struct_size = sizeof(dvClass),
    .name = "TrianglePressureForceField",
    .help = "a load per area on chosen triangles",
    .module = "Sofa.Component.MechanicalLoad",
    .dofs = DV_DOF_VEC3,
    .size = sizeof(TrianglePressure),
    .blocks = {&dv_object_block, &dv_force_block, DV_BLOCK(triangle_pressure_fields)},
    .ops = {[DV_ROLE_FORCE] = &triangle_pressure_ops},
    .init = triangle_pressure_init,
    .reinit = triangle_pressure_reinit,
    .destroy = triangle_pressure_destroy,
    .topology_changed = triangle_pressure_topology_changed,
};

// --- QuadPressureForceField ----------------------------------------------------------------------

#define QUAD_PRESSURE_FIELDS(X)                                                                                       \
  X(vec3, pressure, "0 0 0", "N/m2", "force per area at rest")                                                        \
  X(indices, quadList, "", "", "quads that are loaded")                                                               \
  X(vec3, normal, "0 0 0", "", "direction along which quads are chosen, when quadList is not given")                  \
  X(real, dmin, "0", "m", "quads are chosen whose points at rest lie beyond this distance along normal")              \
  X(real, dmax, "0", "m", "and before this one; equal distances choose none")                                         \
  X(bool, showForces, "0", "", "draw the loaded quads", .flags = DV_LOOKS)                                            \
  X(string, quadPressureMap, "", "", "forces on the quads, kept by the component", .flags = DV_HIDDEN | DV_READ_ONLY) \
  X(link, topology, "", "", "topology with the quads; the one of the node or above by default",                       \
    .role = DV_ROLE_TOPOLOGY)

typedef struct QuadPressure {
  dvForce force;
  QUAD_PRESSURE_FIELDS(DV_MEMBER)
  const dvInts *quads;
  LoadedList loaded;
  dvElementList *listed;   // keeps quadList in step
} QuadPressure;

#define SELF QuadPressure
static const dvFieldDesc quad_pressure_fields[] = {QUAD_PRESSURE_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus quad_pressure_reinit(dvObject *o)
{
  QuadPressure *q = (QuadPressure *)o;
  const double *x0 = dv_state_read(q->force.state, DV_X_REST);
  q->loaded.count = 0;
  q->quads = dv_force_elements(o, dv_topology(q->topology.target), DV_QUAD, q->force.state);
  if (!q->quads) return DV_ERROR_INPUT;
  if (q->dmin != q->dmax) choose_slab(&q->loaded, q->quads, x0, q->normal, q->dmin, q->dmax);
  if (!dv_names_all(&q->quadList, q->listed))
    DV_TRY(choose_listed(o, &q->loaded, &q->quadList, dv_ints_size(q->quads), "quads"));
  set_uniform(&q->loaded, q->quads, DV_QUAD, x0, q->pressure);
  return DV_OK;
}

// quads that are named, not those of a slab
static bool patch_quads(dvObject *o)
{
  QuadPressure *q = (QuadPressure *)o;
  q->quads = dv_topology_elements(dv_topology(q->topology.target), DV_QUAD);
  if (q->dmin != q->dmax || dv_names_all(&q->quadList, q->listed) ||
      choose_listed(o, &q->loaded, &q->quadList, dv_ints_size(q->quads), "quads") != DV_OK)
    return false;
  set_uniform(&q->loaded, q->quads, DV_QUAD, dv_state_read(q->force.state, DV_X_REST), q->pressure);
  return true;
}

static void quad_pressure_topology_changed(dvObject *o)
{
  dv_force_patch_or_remake(o, dv_topology(((QuadPressure *)o)->topology.target), patch_quads);
}

static dvStatus quad_pressure_init(dvObject *o)
{
  QuadPressure *q = (QuadPressure *)o;
  DV_TRY(dv_force_init(o));
  if (!dv_force_topology(o, &q->topology)) return DV_ERROR_INPUT;
  q->listed = dv_follow_list(o, dv_topology(q->topology.target), DV_QUAD, &q->quadList);
  q->listed->heirs = true;
  DV_TRY(quad_pressure_reinit(o));
  if (q->loaded.count == 0) dv_warning(o, "name quads in quadList, or give normal, dmin and dmax", "no quad is loaded");
  return DV_OK;
}

static void quad_pressure_add_force(dvObject *o, const dvMech *m)
{
  QuadPressure *q = (QuadPressure *)o;
  apply(&q->loaded, q->quads, dv_state_write(q->force.state, m->f));
}

static void quad_pressure_destroy(dvObject *o) { dv_array_free(&((QuadPressure *)o)->loaded); }

static const dvForceOps quad_pressure_ops = {.add_force = quad_pressure_add_force, DV_FORCE_SLOTS};

const dvClass dv_quad_pressure_class = {
    .struct_size = sizeof(dvClass),
    .name = "QuadPressureForceField",
    .help = "a load per area on chosen quads",
    .module = "Sofa.Component.MechanicalLoad",
    .dofs = DV_DOF_VEC3,
    .size = sizeof(QuadPressure),
    .blocks = {&dv_object_block, &dv_force_block, DV_BLOCK(quad_pressure_fields)},
    .ops = {[DV_ROLE_FORCE] = &quad_pressure_ops},
    .init = quad_pressure_init,
    .reinit = quad_pressure_reinit,
    .destroy = quad_pressure_destroy,
    .topology_changed = quad_pressure_topology_changed,
};

// --- EdgePressureForceField ----------------------------------------------------------------------
//
// With `pressure` the force is constant. Otherwise p_intensity acts along a normal of each edge: the binormal times the
// edge or, without a binormal, in the plane z = 0 towards the one triangle of an edge of the border. As in SOFA those
// normals are found at the end of each force, from the positions there, and used in the next one. With compat sofa the
// i-th chosen edge has the length of the i-th edge of the topology.

#define EDGE_PRESSURE_FIELDS(X)                                                                                       \
  X(vec3, pressure, "0 0 0", "N/m", "force per length at rest")                                                       \
  X(indices, edgeIndices, "", "", "edges that are loaded, by their numbers")                                          \
  X(edges, edges, "", "", "edges that are loaded, by their points")                                                   \
  X(vec3, normal, "0 0 0", "", "direction along which edges are chosen, when none are given")                         \
  X(real, dmin, "0", "m", "edges are chosen whose points at rest lie beyond this distance along normal")              \
  X(real, dmax, "0", "m", "and before this one; equal distances choose none")                                         \
  X(real, arrowSizeCoef, "0", "", "length of drawn arrows", .flags = DV_LOOKS)                                        \
  X(reals, p_intensity, "", "N/m",                                                                                    \
    "force per length along the normal of each edge, when pressure is zero: one for all or one each")                 \
  X(vec3, binormal, "0 0 0", "", "direction across the plane in which the edges lie")                                 \
  X(bool, showForces, "0", "", "draw the forces", .flags = DV_LOOKS)                                                  \
  X(string, edgePressureMap, "", "", "forces on the edges, kept by the component", .flags = DV_HIDDEN | DV_READ_ONLY) \
  X(link, topology, "", "", "topology with the edges; the one of the node or above by default",                       \
    .role = DV_ROLE_TOPOLOGY)

typedef struct EdgePressure {
  dvForce force;
  EDGE_PRESSURE_FIELDS(DV_MEMBER)
  const dvInts *all;
  LoadedList loaded;
  dvInts chosen;   // numbers of the loaded edges, which follow them
  dvElementList *listed;
  DV_ARRAY(int32_t) inner;   // of each loaded edge: the third point of its only triangle, or -1
  DV_ARRAY(dvVec3) next;     // its force in the next step, from the positions of this one
  bool mixes;                // lengths are those of the first edges of the topology
} EdgePressure;

#define SELF EdgePressure
static const dvFieldDesc edge_pressure_fields[] = {EDGE_PRESSURE_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus choose_edges(EdgePressure *e)
{
  const dvObject *o = &e->force.base;
  size_t count = dv_ints_size(e->all), missing = 0;
  if (e->dmin != e->dmax)
    choose_slab(&e->loaded, e->all, dv_state_read(e->force.state, DV_X_REST), e->normal, e->dmin, e->dmax);
  if (e->edgeIndices.count) DV_TRY(choose_listed(o, &e->loaded, &e->edgeIndices, count, "edges"));
  if (e->edges.count) e->loaded.count = 0;
  for (size_t i = 0; i < dv_ints_size(&e->edges); i++) {
    const int32_t *wanted = e->edges.data + 2 * i;
    // lists are often taken over from the topology: try the same place first
    size_t at = i < count && e->all->data[2 * i] == wanted[0] && e->all->data[2 * i + 1] == wanted[1] ? i : 0;
    while (at < count && (e->all->data[2 * at] != wanted[0] || e->all->data[2 * at + 1] != wanted[1])) at++;
    if (at < count) choose(&e->loaded, (int32_t)at);
    else missing++;
  }
  if (missing)
    dv_field_warning(o, &e->edges, NULL, "%zu edges are not in the topology %s and are left out", missing,
                     e->topology.target->name);
  return DV_OK;
}

// the third point of the only triangle that has both points; -1 when there is not exactly one
static int32_t inner_point(const int32_t *triangles, const int32_t *around, size_t count, const int32_t *edge)
{
  int32_t found = -1, seen = 0;
  for (size_t i = 0; i < count; i++) {
    const int32_t *p = triangles + 3 * (size_t)around[i];
    for (int k = 0; k < 3; k++) {
      if (p[k] == edge[0] || p[k] == edge[1]) continue;
      if (p[(k + 1) % 3] != edge[1] && p[(k + 2) % 3] != edge[1]) continue;
      found = p[k];
      seen++;
    }
  }
  return seen == 1 ? found : -1;
}

// of all loaded edges; a mesh that changes is asked for the triangles at each of them
static void find_inner(EdgePressure *e, dvTopology *t, bool changing)
{
  const int32_t *triangles = dv_topology_elements(t, DV_TRIANGLE)->data;
  const dvIncidence *around = changing ? NULL : dv_topology_around_point(t, DV_TRIANGLE);
  dvNumbers some = {0};
  e->inner.count = 0;
  for (size_t i = 0; i < e->loaded.count; i++) {
    const int32_t *edge = e->all->data + 2 * (size_t)e->loaded.data[i].element;
    int32_t inner = -1;
    if (changing) {
      dv_topology_between(t, DV_TRIANGLE, edge[0], edge[1], &some);
      inner = inner_point(triangles, some.data, some.count, edge);
    } else if (around && (size_t)edge[0] < around->count) {
      int32_t first = around->offsets[edge[0]];
      inner = inner_point(triangles, around->items + first, (size_t)(around->offsets[edge[0] + 1] - first), edge);
    }
    dv_push(&e->inner, inner);
  }
  dv_array_free(&some);
}

static void set_normals(EdgePressure *e)
{
  const double *x = dv_state_read(e->force.state, DV_X), *x0 = dv_state_read(e->force.state, DV_X_REST);
  bool flat = !dv_was_set(&e->force.base, &e->binormal);
  dvVec3 across = flat ? dv_vec3(0, 0, 1) : dv_vec3_normalise(dv_vec3_load(e->binormal));
  for (size_t i = 0; i < e->loaded.count && e->p_intensity.count; i++) {
    const int32_t *p = e->all->data + 2 * (size_t)e->loaded.data[i].element;
    dvVec3 start = point_of(x, p[0]),
           n = dv_vec3_cross(across, dv_vec3_normalise(dv_vec3_sub(point_of(x, p[1]), start)));
    double intensity = e->p_intensity.data[i < e->p_intensity.count ? i : 0];
    if (flat && e->inner.data[i] < 0) continue;
    if (!flat) n = dv_vec3_normalise(n);
    else if (dv_vec3_dot(n, dv_vec3_sub(point_of(x, e->inner.data[i]), start)) < 0) n = dv_vec3_neg(n);
    e->next.data[i] = dv_vec3_scale(n, intensity * element_size(DV_EDGE, x0, e->mixes ? e->all->data + 2 * i : p));
  }
}

static bool has_pressure(const EdgePressure *e) { return dv_vec3_norm2(dv_vec3_load(e->pressure)) > 0; }

static void edge_pressure_end_step(dvObject *o)
{
  EdgePressure *e = (EdgePressure *)o;
  for (size_t i = 0; i < e->loaded.count; i++) e->loaded.data[i].force = e->next.data[i];
}

static void edge_pressure_remember(dvObject *o, dvMemoryStream *s)
{
  EdgePressure *e = (EdgePressure *)o;
  for (size_t i = 0; i < e->loaded.count && !has_pressure(e); i++) {
    dvVec3 *force = &e->loaded.data[i].force;
    dv_remember_numbers(s, "force", force, sizeof *force);
    if (dv_memory_restores(s)) e->next.data[i] = *force;
  }
}

static dvStatus find_edges(EdgePressure *e)
{
  e->all = dv_force_elements(&e->force.base, dv_topology(e->topology.target), DV_EDGE, e->force.state);
  e->loaded.count = 0;
  return e->all ? DV_OK : DV_ERROR_INPUT;
}

// forces on the edges that were chosen
static dvStatus load_edges(EdgePressure *e, bool changing)
{
  dvObject *o = &e->force.base;
  dvTopology *t = dv_topology(e->topology.target);
  if (!changing && !dv_force_elements(o, t, DV_TRIANGLE, e->force.state)) {
    e->inner.count = 0;
    return DV_ERROR_INPUT;
  }
  find_inner(e, t, changing);
  bool shifted = false;
  for (size_t i = 0; i < e->loaded.count; i++) shifted = shifted || (size_t)e->loaded.data[i].element != i;
  e->mixes = shifted && !has_pressure(e) && dv_compat(o, DV_COMPAT_EDGE_LENGTH);
  if (has_pressure(e)) set_uniform(&e->loaded, e->all, DV_EDGE, dv_state_read(e->force.state, DV_X_REST), e->pressure);
  dv_array_resize(&e->next, e->loaded.count);
  for (size_t i = 0; i < e->loaded.count; i++) e->next.data[i] = e->loaded.data[i].force;
  if (!has_pressure(e)) set_normals(e);
  edge_pressure_end_step(o);
  return DV_OK;
}

static dvStatus edge_pressure_reinit(dvObject *o)
{
  EdgePressure *e = (EdgePressure *)o;
  DV_TRY(find_edges(e));
  DV_TRY(choose_edges(e));
  dv_element_list_forget(e->listed);
  if (!dv_ints_resize(&e->chosen, e->loaded.count)) return dv_error(o, NULL, "out of memory");
  for (size_t i = 0; i < e->loaded.count; i++) e->chosen.data[i] = e->loaded.data[i].element;
  return load_edges(e, false);
}

static void edge_pressure_topology_changed(dvObject *o)
{
  EdgePressure *e = (EdgePressure *)o;
  dvTopology *t = dv_topology(e->topology.target);
  bool changing = dv_follow_trace(o, t);   // else all of it may be new
  if (changing) e->all = dv_topology_elements(t, DV_EDGE);
  else if (find_edges(e) != DV_OK) return;
  e->loaded.count = 0;
  if (e->edgeIndices.count) dv_ints_share(&e->edgeIndices, &e->chosen);
  for (size_t i = 0; i < e->chosen.count; i++) choose(&e->loaded, e->chosen.data[i]);
  if (load_edges(e, changing) == DV_OK && changing) dv_follow_patched(o);
}

static dvStatus edge_pressure_init(dvObject *o)
{
  EdgePressure *e = (EdgePressure *)o;
  DV_TRY(dv_force_init(o));
  if (!dv_force_topology(o, &e->topology)) return DV_ERROR_INPUT;
  e->chosen.width = 1;
  DV_TRY(edge_pressure_reinit(o));
  e->listed = dv_follow_list(o, dv_topology(e->topology.target), DV_EDGE, &e->chosen);
  e->listed->heirs = true;
  dv_element_list_add_reals(e->listed, &e->p_intensity, true);
  if (e->loaded.count == 0)
    dv_warning(o, "name edges in edgeIndices or edges, or give normal, dmin and dmax", "no edge is loaded");
  else if (!has_pressure(e) && e->p_intensity.count == 0)
    dv_warning(o, "give pressure or p_intensity", "the edges have no load");
  return DV_OK;
}

static void edge_pressure_add_force(dvObject *o, const dvMech *m)
{
  EdgePressure *e = (EdgePressure *)o;
  apply(&e->loaded, e->all, dv_state_write(e->force.state, m->f));
  if (!has_pressure(e)) set_normals(e);
}

static void edge_pressure_destroy(dvObject *o)
{
  dv_array_free(&((EdgePressure *)o)->loaded);
  dv_array_free(&((EdgePressure *)o)->inner);
  dv_array_free(&((EdgePressure *)o)->next);
  dv_ints_free(&((EdgePressure *)o)->chosen);
}

static const dvForceOps edge_pressure_ops = {.add_force = edge_pressure_add_force, DV_FORCE_SLOTS};

const dvClass dv_edge_pressure_class = {
    .struct_size = sizeof(dvClass),
    .name = "EdgePressureForceField",
    .help = "a load per length on chosen edges",
    .module = "Sofa.Component.MechanicalLoad",
    .dofs = DV_DOF_VEC3,
    .size = sizeof(EdgePressure),
    .blocks = {&dv_object_block, &dv_force_block, DV_BLOCK(edge_pressure_fields)},
    .ops = {[DV_ROLE_FORCE] = &edge_pressure_ops},
    .init = edge_pressure_init,
    .reinit = edge_pressure_reinit,
    .destroy = edge_pressure_destroy,
    .remember = edge_pressure_remember,
    .end_step = edge_pressure_end_step,
    .topology_changed = edge_pressure_topology_changed,
};
