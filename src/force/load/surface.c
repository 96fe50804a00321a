// Pressure along the normals of a surface, which follows it: SurfacePressureForceField, with a given pressure, and
// TaitSurfacePressureForceField, a fluid in a closed surface by Tait's equation of state.
//
// A triangle abc with pressure p gets p (b - a) x (c - a) / 6 on each corner. Its derivative is not symmetric for an
// open surface:
//
//   df = p/6 ((db - da) x (c - a) + (b - a) x (dc - da)).
//
// Tait: p = p0 - B ((V/V0)^gamma - 1), so that also df = dp/dV (grad V . dx) grad V, grad V the sum of the triangles'
// thirds.
#include "force/mesh.h"

#include "math/vec.h"

#include <math.h>
#include <string.h>

extern const dvClass dv_surface_pressure_class, dv_tait_pressure_class;

// Triangles under pressure, from triangles and halved quads.
typedef struct Surface {
  dvForce force;
  DV_ARRAY(int32_t) triangles;
  DV_ARRAY(double) pressure;   // of each triangle, in the last add_force
  DV_ARRAY(double) edges;      // of each triangle, b - a and c - a there: 6 numbers
} Surface;

static dvVec3 point_of(const double *x, size_t c, int32_t p) { return dv_vec3_load(x + c * (size_t)p); }

static void surface_destroy(dvObject *o)
{
  Surface *s = (Surface *)o;
  dv_array_free(&s->triangles);
  dv_array_free(&s->pressure);
  dv_array_free(&s->edges);
}

static void surface_add(Surface *s, int32_t a, int32_t b, int32_t c)
{
  dv_push(&s->triangles, a);
  dv_push(&s->triangles, b);
  dv_push(&s->triangles, c);
}

static void surface_settle(Surface *s)
{
  dv_array_resize(&s->pressure, s->triangles.count / 3);
  dv_array_resize(&s->edges, s->triangles.count * 2);
}

// present edges of triangle i
static void surface_edges(Surface *s, const double *x, size_t coord, size_t i)
{
  const int32_t *p = s->triangles.data + 3 * i;
  dvVec3 a = point_of(x, coord, p[0]);
  dv_vec3_store(s->edges.data + 6 * i, dv_vec3_sub(point_of(x, coord, p[1]), a));
  dv_vec3_store(s->edges.data + 6 * i + 3, dv_vec3_sub(point_of(x, coord, p[2]), a));
}

// twice the area, along the normal
static dvVec3 surface_normal(const Surface *s, size_t i)
{
  return dv_vec3_cross(dv_vec3_load(s->edges.data + 6 * i), dv_vec3_load(s->edges.data + 6 * i + 3));
}

// df += factor p/6 (de1 x e2 + e1 x de2) on each corner
static void surface_add_dforce(const Surface *s, const double *dx, size_t w, double factor, double *df)
{
  for (size_t i = 0; i < s->pressure.count; i++) {
    const int32_t *p = s->triangles.data + 3 * i;
    dvVec3 e1 = dv_vec3_load(s->edges.data + 6 * i), e2 = dv_vec3_load(s->edges.data + 6 * i + 3),
           a = point_of(dx, w, p[0]);
    dvVec3 d1 = dv_vec3_sub(point_of(dx, w, p[1]), a), d2 = dv_vec3_sub(point_of(dx, w, p[2]), a);
    if (s->pressure.data[i] == 0) continue;
    dvVec3 d =
        dv_vec3_scale(dv_vec3_add(dv_vec3_cross(d1, e2), dv_vec3_cross(e1, d2)), factor * s->pressure.data[i] / 6);
    for (int k = 0; k < 3; k++) dv_vec3_accumulate(df + w * (size_t)p[k], d);
  }
}

static void surface_add_stiffness(const Surface *s, double factor, dvMatrixSink *sink)
{
  const dvState *state = s->force.state;
  int w = state->base.dof->deriv;
  for (size_t i = 0; i < s->pressure.count; i++) {
    const int32_t *p = s->triangles.data + 3 * i;
    dvVec3 e1 = dv_vec3_load(s->edges.data + 6 * i), e2 = dv_vec3_load(s->edges.data + 6 * i + 3);
    // by a: (c - b)x, by b: -(c - a)x, by c: (b - a)x
    dvVec3 arm[3] = {dv_vec3_sub(e2, e1), dv_vec3_neg(e2), e1};
    for (int c = 0; c < 3; c++) {
      dvMat3 k = dv_mat3_scale(dv_mat3_skew(arm[c]), factor * s->pressure.data[i] / 6);
      double block[36] = {0};
      for (int e = 0; e < 9; e++) block[e / 3 * w + e % 3] = k.m[e / 3][e % 3];
      for (int r = 0; r < 3; r++) sink->add(sink, state, (size_t)p[r], state, (size_t)p[c], w, w, block);
    }
  }
}

// --- SurfacePressureForceField -------------------------------------------------------------------

#define SURFACE_PRESSURE_FIELDS(X)                                                                                    \
  X(real, pressure, "0", "N/m2", "pressure; positive pushes along the normals")                                       \
  X(coord, min, "", "m", "lower corner of a box: only elements inside are loaded, when none are named")               \
  X(coord, max, "", "m", "upper corner; both zero: no box")                                                           \
  X(indices, triangleIndices, "", "", "triangles that are loaded; all by default")                                    \
  X(indices, quadIndices, "", "", "quads that are loaded; all by default")                                            \
  X(bool, pulseMode, "0", "", "let the pressure go up and down")                                                      \
  X(real, pressureLowerBound, "0", "N/m2", "other end of the pulse")                                                  \
  X(real, pressureSpeed, "0", "N/m2/s", "rate of change in the pulse; the pressure per second when 0")                \
  X(bool, volumeConservationMode, "0", "", "scale the pressure by the volume at the start over the present one")      \
  X(bool, useTangentStiffness, "1", "", "use the derivative of the triangles' normals in implicit steps")             \
  X(real, defaultVolume, "-1", "m3", "volume at the start; -1: the one of the first step")                            \
  X(deriv, mainDirection, "", "", "direction whose share of the normal scales the pressure of triangles; zero: none") \
  X(real, drawForceScale, "0", "", "length of drawn forces", .flags = DV_LOOKS)                                       \
  X(link, topology, "", "", "topology with the surface; the one of the node or above by default",                     \
    .role = DV_ROLE_TOPOLOGY)

typedef struct Pulse {
  double level;
  bool rising;
} Pulse;

typedef struct SurfacePressure {
  Surface surface;
  SURFACE_PRESSURE_FIELDS(DV_MEMBER)
  dvElementList *triangle_list, *quad_list;   // keep the indices in step
  size_t from_quads;                          // number of the first triangle that is half a quad
  Pulse pulse;                                // at the end of the last step
  double volume;                              // at the last evaluation
  bool measured;
} SurfacePressure;

#define SELF SurfacePressure
static const dvFieldDesc surface_pressure_fields[] = {SURFACE_PRESSURE_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc surface_pressure_memory[] = {
    DV_REMEMBER(numbers, pulse.level) DV_REMEMBER(numbers, pulse.rising) DV_REMEMBER(numbers, defaultVolume)};
#undef SELF

static dvStatus surface_pressure_reinit(dvObject *o)
{
  SurfacePressure *s = (SurfacePressure *)o;
  dvTopology *t = dv_topology(s->topology.target);
  const dvInts *triangles = dv_force_elements(o, t, DV_TRIANGLE, s->surface.force.state),
               *quads = dv_force_elements(o, t, DV_QUAD, s->surface.force.state);
  s->surface.triangles.count = 0;
  if (!triangles || !quads) return DV_ERROR_INPUT;
  DV_TRY(dv_check_indices(o, &s->triangleIndices, dv_ints_size(triangles), "triangles"));
  DV_TRY(dv_check_indices(o, &s->quadIndices, dv_ints_size(quads), "quads"));
  bool all = dv_names_all(&s->triangleIndices, s->triangle_list), every = dv_names_all(&s->quadIndices, s->quad_list);
  for (size_t i = 0; i < (all ? dv_ints_size(triangles) : s->triangleIndices.count); i++) {
    const int32_t *p = triangles->data + 3 * (all ? i : (size_t)s->triangleIndices.data[i]);
    surface_add(&s->surface, p[0], p[1], p[2]);
  }
  s->from_quads = s->surface.triangles.count / 3;
  for (size_t i = 0; i < (every ? dv_ints_size(quads) : s->quadIndices.count); i++) {
    const int32_t *p = quads->data + 4 * (every ? i : (size_t)s->quadIndices.data[i]);
    surface_add(&s->surface, p[0], p[1], p[2]);
    surface_add(&s->surface, p[0], p[2], p[3]);
  }
  surface_settle(&s->surface);
  return DV_OK;
}

static void name_triangle(Surface *s, size_t i, int32_t a, int32_t b, int32_t c)
{
  int32_t *p = s->triangles.data + 3 * i;
  p[0] = a, p[1] = b, p[2] = c;
}

// the whole surface: rows that are new or have other points
static void patch_all(Surface *u, dvTopology *t)
{
  size_t triangles = dv_topology_count(t, DV_TRIANGLE), quads = dv_topology_count(t, DV_QUAD);
  dvElementKind kind = quads ? DV_QUAD : DV_TRIANGLE;
  const dvNumbers *rows = dv_trace_rows(t, kind);
  const int32_t *list = dv_topology_elements(t, kind)->data;
  dv_array_resize(&u->triangles, 3 * (triangles + 2 * quads));
  for (size_t k = 0; k < rows->count; k++) {
    size_t i = (size_t)rows->data[k];
    const int32_t *p = list + (quads ? 4 : 3) * i;
    name_triangle(u, quads ? 2 * i : i, p[0], p[1], p[2]);
    if (quads) name_triangle(u, 2 * i + 1, p[0], p[2], p[3]);
  }
  surface_settle(u);
}

// elements of one kind, all of them or those that are named, which cost what their list does
static bool patch(dvObject *o)
{
  SurfacePressure *s = (SurfacePressure *)o;
  Surface *u = &s->surface;
  dvTopology *t = dv_topology(s->topology.target);
  const dvInts *triangles = dv_topology_elements(t, DV_TRIANGLE), *quads = dv_topology_elements(t, DV_QUAD);
  bool all = dv_names_all(&s->triangleIndices, s->triangle_list), every = dv_names_all(&s->quadIndices, s->quad_list);
  if (all && every && (triangles->count == 0 || quads->count == 0)) {
    size_t before = triangles->count ? dv_trace_before(dv_topology_trace(t), DV_TRIANGLE, dv_ints_size(triangles))
                                     : 2 * dv_trace_before(dv_topology_trace(t), DV_QUAD, dv_ints_size(quads));
    if (u->triangles.count != 3 * before) return false;
    patch_all(u, t);
    s->from_quads = dv_ints_size(triangles);
    return true;
  }
  if ((all && triangles->count) || (every && quads->count)) return false;
  u->triangles.count = 0;
  for (size_t i = 0; i < s->triangleIndices.count; i++) {
    const int32_t *p = triangles->data + 3 * (size_t)s->triangleIndices.data[i];
    surface_add(u, p[0], p[1], p[2]);
  }
  s->from_quads = u->triangles.count / 3;
  for (size_t i = 0; i < s->quadIndices.count; i++) {
    const int32_t *p = quads->data + 4 * (size_t)s->quadIndices.data[i];
    surface_add(u, p[0], p[1], p[2]);
    surface_add(u, p[0], p[2], p[3]);
  }
  surface_settle(u);
  return true;
}

static void surface_pressure_topology_changed(dvObject *o)
{
  dv_force_patch_or_remake(o, dv_topology(((SurfacePressure *)o)->topology.target), patch);
}

static dvStatus surface_pressure_init(dvObject *o)
{
  SurfacePressure *s = (SurfacePressure *)o;
  DV_TRY(dv_force_init(o));
  if (s->surface.force.state->base.dof != o->dof)
    return dv_error(o, "leave the template away, it follows the state", "the state is of type %s, not %s",
                    s->surface.force.state->base.dof->name, o->dof->name);
  if (!dv_force_topology(o, &s->topology)) return DV_ERROR_INPUT;
  dvTopology *t = dv_topology(s->topology.target);
  s->triangle_list = dv_follow_list(o, t, DV_TRIANGLE, &s->triangleIndices);
  s->quad_list = dv_follow_list(o, t, DV_QUAD, &s->quadIndices);
  s->triangle_list->heirs = s->quad_list->heirs = true;
  s->pulse = (Pulse){0, s->pressure > 0};
  if (s->pulseMode && s->pressureSpeed == 0) s->pressureSpeed = fabs(s->pressure);
  DV_TRY(surface_pressure_reinit(o));
  if (s->surface.triangles.count == 0)
    dv_warning(o, NULL, "%s has no triangles and no quads: there is no pressure", s->topology.target->name);
  return DV_OK;
}

static bool is_zero(const double *v, int n)
{
  for (int i = 0; i < n; i++)
    if (v[i] != 0) return false;
  return true;
}

// elements that were named are loaded wherever they are
static bool in_box(const SurfacePressure *s, const double *x, const int32_t *p, int count, bool named)
{
  if (named || (is_zero(s->min, 3) && is_zero(s->max, 3))) return true;
  for (int i = 0; i < count; i++) {
    const double *q = x + (size_t)s->surface.force.base.dof->coord * (size_t)p[i];
    for (int k = 0; k < 3; k++)
      if (q[k] < s->min[k] || q[k] > s->max[k]) return false;
  }
  return true;
}

// what this step leads to
static Pulse next_pulse(const SurfacePressure *s)
{
  double dt = s->surface.force.base.node->dt;
  Pulse p = s->pulse;
  double high = s->pressure > 0 ? s->pressure : s->pressureLowerBound,
         low = s->pressure > 0 ? s->pressureLowerBound : s->pressure;
  p.level += (p.rising ? 1 : -1) * s->pressureSpeed * dt;
  if (p.rising && p.level >= high) p = (Pulse){high, false};
  else if (!p.rising && p.level <= low) p = (Pulse){low, true};
  return p;
}

static double enclosed_volume(const Surface *s, const double *x, size_t coord)
{
  double sum = 0;
  for (const int32_t *p = s->triangles.data; p < s->triangles.data + s->triangles.count; p += 3)
    sum += dv_vec3_dot(dv_vec3_cross(point_of(x, coord, p[0]), point_of(x, coord, p[1])), point_of(x, coord, p[2]));
  return sum / 6;
}

static double present_pressure(SurfacePressure *s, const double *x)
{
  const dvObject *o = &s->surface.force.base;
  double p = s->pulseMode ? next_pulse(s).level : s->pressure;
  if (!s->volumeConservationMode) return p;
  s->volume = enclosed_volume(&s->surface, x, (size_t)o->dof->coord);
  s->measured = true;
  if (s->defaultVolume != -1 && s->defaultVolume != 0 && s->volume != 0) p *= s->defaultVolume / s->volume;
  return p;
}

static void surface_pressure_end_step(dvObject *o)
{
  SurfacePressure *s = (SurfacePressure *)o;
  if (s->pulseMode) s->pulse = next_pulse(s);
  if (s->measured && s->defaultVolume == -1) s->defaultVolume = s->volume;
}

static void surface_pressure_add_force(dvObject *o, const dvMech *m)
{
  SurfacePressure *s = (SurfacePressure *)o;
  Surface *u = &s->surface;
  size_t coord = (size_t)o->dof->coord, w = (size_t)o->dof->deriv;
  const double *x = dv_state_read(u->force.state, m->x);
  double *f = dv_state_write(u->force.state, m->f), p = present_pressure(s, x);
  bool directed = !is_zero(s->mainDirection, o->dof->deriv);
  for (size_t i = 0; i < u->pressure.count; i++) {
    const int32_t *t = u->triangles.data + 3 * i;
    bool quad = i >= s->from_quads;
    // a quad is inside with all of its points: those of its two halves
    const int32_t *first = quad && (i - s->from_quads) % 2 ? t - 3 : t;
    bool inside = in_box(s, x, first, quad ? 6 : 3, quad ? s->quadIndices.count > 0 : s->triangleIndices.count > 0);
    u->pressure.data[i] = 0;
    if (!inside) continue;
    surface_edges(u, x, coord, i);
    dvVec3 n = surface_normal(u, i);
    double share = directed && !quad ? fabs(dv_vec3_dot(dv_vec3_normalise(n), dv_vec3_load(s->mainDirection))) : 1;
    for (int k = 0; k < 3; k++) dv_vec3_accumulate(f + w * (size_t)t[k], dv_vec3_scale(n, share * p / 6));
    // as in SOFA: neither quads nor the main direction count in the derivative
    u->pressure.data[i] = quad ? 0 : p;
  }
}

static void surface_pressure_add_dforce(dvObject *o, const dvMech *m)
{
  SurfacePressure *s = (SurfacePressure *)o;
  dvState *state = s->surface.force.state;
  const double *dx = dv_state_read(state, m->dx);
  if (s->useTangentStiffness)
    surface_add_dforce(&s->surface, dx, (size_t)o->dof->deriv, m->k, dv_state_write(state, m->df));
}

static void surface_pressure_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  SurfacePressure *s = (SurfacePressure *)o;
  if (s->useTangentStiffness) surface_add_stiffness(&s->surface, m->k, sink);
}

static const dvForceOps surface_pressure_ops = {
    .add_force = surface_pressure_add_force,
    .add_dforce = surface_pressure_add_dforce,
    .add_stiffness = surface_pressure_add_stiffness,
    DV_FORCE_SLOTS,
};

const dvClass dv_surface_pressure_class = {
    .struct_size = sizeof(dvClass),
    .name = "SurfacePressureForceField",
    .help = "pressure along the normals of a surface",
    .module = "Sofa.Component.MechanicalLoad",
    .dofs = DV_DOF_VEC3 | DV_DOF_RIGID3,
    .size = sizeof(SurfacePressure),
    .blocks = {&dv_object_block, &dv_force_block, DV_BLOCK(surface_pressure_fields)},
    .ops = {[DV_ROLE_FORCE] = &surface_pressure_ops},
    .init = surface_pressure_init,
    .reinit = surface_pressure_reinit,
    .destroy = surface_destroy,
    DV_MEMORY(surface_pressure_memory),
    .end_step = surface_pressure_end_step,
    .topology_changed = surface_pressure_topology_changed,
};

// --- TaitSurfacePressureForceField ---------------------------------------------------------------

#define TAIT_PRESSURE_FIELDS(X)                                                                                       \
  X(real, p0, "0", "N/m2", "pressure at the volume of rest")                                                          \
  X(real, B, "0", "N/m2", "modulus of the fluid")                                                                     \
  X(real, gamma, "0", "", "exponent of the fluid; 1: linear")                                                         \
  X(real, injectedVolume, "0", "m3", "fluid to add to the volume of rest")                                            \
  X(real, maxInjectionRate, "1000", "m3/s", "largest rate at which it is added")                                      \
  X(real, initialVolume, "0", "m3", "volume of the surface at rest", .flags = DV_READ_ONLY)                           \
  X(real, currentInjectedVolume, "0", "m3", "fluid added so far")                                                     \
  X(real, v0, "0", "m3", "volume of rest of the fluid", .flags = DV_READ_ONLY)                                        \
  X(real, currentVolume, "0", "m3", "present volume", .flags = DV_READ_ONLY)                                          \
  X(real, currentPressure, "0", "N/m2", "present pressure", .flags = DV_READ_ONLY)                                    \
  X(real, currentStiffness, "0", "N/m5", "change of pressure with volume", .flags = DV_READ_ONLY)                     \
  X(triangles, pressureTriangles, "", "", "triangles under pressure: those of the topology and its halved quads",     \
    .flags = DV_READ_ONLY)                                                                                            \
  X(real, initialSurfaceArea, "0", "m2", "area of the surface at rest", .flags = DV_READ_ONLY)                        \
  X(real, currentSurfaceArea, "0", "m2", "present area", .flags = DV_READ_ONLY)                                       \
  X(real, drawForceScale, "0.001", "", "length of drawn forces", .flags = DV_LOOKS)                                   \
  X(color, drawForceColor, "0 1 1 1", "", "colour of drawn forces", .flags = DV_LOOKS)                                \
  X(real, volumeAfterTC, "0", "m3", "volume at rest after the last change of the topology", .flags = DV_READ_ONLY)    \
  X(real, surfaceAreaAfterTC, "0", "m2", "area at rest after the last change of the topology", .flags = DV_READ_ONLY) \
  X(link, topology, "", "", "topology with the surface; the one of the node or above by default",                     \
    .role = DV_ROLE_TOPOLOGY)

typedef struct TaitPressure {
  Surface surface;
  TAIT_PRESSURE_FIELDS(DV_MEMBER)
  DV_ARRAY(double) gradient;   // of the volume, three numbers a point
} TaitPressure;

#define SELF TaitPressure
static const dvFieldDesc tait_pressure_fields[] = {TAIT_PRESSURE_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc tait_pressure_memory[] = {DV_REMEMBER(numbers, injectedVolume)
                                                        DV_REMEMBER(numbers, currentInjectedVolume)};
#undef SELF

// about the middle of the points, for the sake of rounding
static void measure_surface(const Surface *s, const double *x, double *volume, double *area)
{
  dvVec3 middle = {0};
  size_t n = s->force.state->count;
  *volume = *area = 0;
  for (size_t i = 0; i < n; i++) middle = dv_vec3_add(middle, dv_vec3_load(x + 3 * i));
  middle = dv_vec3_scale(middle, n ? 1.0 / (double)n : 0);
  for (size_t i = 0; i < s->triangles.count; i += 3) {
    const int32_t *p = s->triangles.data + i;
    dvVec3 a = dv_vec3_sub(point_of(x, 3, p[0]), middle), b = dv_vec3_sub(point_of(x, 3, p[1]), middle),
           c = dv_vec3_sub(point_of(x, 3, p[2]), middle);
    *volume += dv_vec3_dot(dv_vec3_cross(a, b), c) / 6;
    *area += dv_vec3_norm(dv_vec3_cross(dv_vec3_sub(b, a), dv_vec3_sub(c, a))) / 2;
  }
}

static void tait_state(TaitPressure *t, double volume)
{
  double v0 = t->v0;
  t->currentStiffness = 0;
  t->currentPressure = t->p0;
  if (t->B == 0 || t->gamma == 0 || v0 == 0) return;
  if (t->gamma == 1) {
    t->currentStiffness = -t->B / v0;
    t->currentPressure = t->p0 - t->B * (volume / v0 - 1);
    return;
  }
  double power = pow(volume / v0, t->gamma);
  t->currentStiffness = volume != 0 ? -t->B * t->gamma * power / volume : 0;
  t->currentPressure = t->p0 - t->B * (power - 1);
}

static dvStatus tait_pressure_triangles(dvObject *o)
{
  TaitPressure *t = (TaitPressure *)o;
  Surface *u = &t->surface;
  const dvInts *triangles = dv_force_elements(o, dv_topology(t->topology.target), DV_TRIANGLE, u->force.state);
  const dvInts *quads = dv_force_elements(o, dv_topology(t->topology.target), DV_QUAD, u->force.state);
  u->triangles.count = 0;
  if (!triangles || !quads) return DV_ERROR_INPUT;
  for (size_t i = 0; i < triangles->count; i += 3)
    surface_add(u, triangles->data[i], triangles->data[i + 1], triangles->data[i + 2]);
  for (size_t i = 0; i < quads->count; i += 4) {
    const int32_t *p = quads->data + i;
    surface_add(u, p[0], p[1], p[2]);
    surface_add(u, p[2], p[3], p[0]);
  }
  surface_settle(u);
  dv_array_resize(&t->gradient, 3 * u->force.state->count);
  if (!dv_ints_assign(&t->pressureTriangles, u->triangles.data, u->triangles.count))
    return dv_error(o, NULL, "out of memory for %zu triangles", u->triangles.count / 3);
  measure_surface(u, dv_state_read(u->force.state, DV_X_REST), &t->volumeAfterTC, &t->surfaceAreaAfterTC);
  return DV_OK;
}

static dvStatus tait_pressure_reinit(dvObject *o)
{
  TaitPressure *t = (TaitPressure *)o;
  DV_TRY(tait_pressure_triangles(o));
  t->initialVolume = t->volumeAfterTC;
  t->initialSurfaceArea = t->surfaceAreaAfterTC;
  t->v0 = t->initialVolume + t->currentInjectedVolume;
  measure_surface(&t->surface, dv_state_read(t->surface.force.state, DV_X), &t->currentVolume, &t->currentSurfaceArea);
  tait_state(t, t->currentVolume);
  return DV_OK;
}

// the fluid stays what it is: the volume that the change took or gave does not count
static void tait_pressure_topology_changed(dvObject *o) { tait_pressure_triangles(o); }

static dvStatus tait_pressure_init(dvObject *o)
{
  TaitPressure *t = (TaitPressure *)o;
  DV_TRY(dv_force_init(o));
  if (!dv_force_topology(o, &t->topology)) return DV_ERROR_INPUT;
  DV_TRY(tait_pressure_reinit(o));
  if (t->initialVolume < 0)
    dv_warning(o, "turn the triangles round", "the volume at rest is negative (%g): the triangles look inwards",
               t->initialVolume);
  return DV_OK;
}

static bool tait_pressure_restored(dvObject *o)
{
  TaitPressure *t = (TaitPressure *)o;
  t->v0 = t->initialVolume + t->currentInjectedVolume;
  return true;
}

static void tait_pressure_handle_event(dvObject *o, const dvEvent *event)
{
  TaitPressure *t = (TaitPressure *)o;
  if (event->kind != DV_EVENT_ANIMATE_BEGIN || t->injectedVolume == t->currentInjectedVolume) return;
  double most = t->maxInjectionRate * event->dt, rest = t->injectedVolume - t->currentInjectedVolume;
  t->currentInjectedVolume = fabs(rest) <= most ? t->injectedVolume : t->currentInjectedVolume + copysign(most, rest);
  t->v0 = t->initialVolume + t->currentInjectedVolume;
}

static void tait_pressure_add_force(dvObject *o, const dvMech *m)
{
  TaitPressure *t = (TaitPressure *)o;
  Surface *u = &t->surface;
  const double *x = dv_state_read(u->force.state, m->x);
  double *f = dv_state_write(u->force.state, m->f), *g = t->gradient.data;
  measure_surface(u, x, &t->currentVolume, &t->currentSurfaceArea);
  tait_state(t, t->currentVolume - (t->volumeAfterTC - t->initialVolume));
  memset(g, 0, t->gradient.count * sizeof *g);
  for (size_t i = 0; i < u->pressure.count; i++) {
    surface_edges(u, x, 3, i);
    u->pressure.data[i] = t->currentPressure;
    dvVec3 n = dv_vec3_scale(surface_normal(u, i), 1.0 / 6);
    for (int k = 0; k < 3; k++) dv_vec3_accumulate(g + 3 * (size_t)u->triangles.data[3 * i + (size_t)k], n);
  }
  for (size_t i = 0; i < t->gradient.count; i++) f[i] += t->currentPressure * g[i];
}

static void tait_pressure_add_dforce(dvObject *o, const dvMech *m)
{
  TaitPressure *t = (TaitPressure *)o;
  double factor = dv_mech_k(m, t->surface.force.rayleighStiffness), dv = 0;
  const double *dx = dv_state_read(t->surface.force.state, m->dx), *g = t->gradient.data;
  double *df = dv_state_write(t->surface.force.state, m->df);
  for (size_t i = 0; i < t->gradient.count; i++) dv += g[i] * dx[i];
  for (size_t i = 0; i < t->gradient.count; i++) df[i] += factor * t->currentStiffness * dv * g[i];
  surface_add_dforce(&t->surface, dx, 3, factor, df);
}

// the volume couples all points with each other
static void tait_pressure_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  TaitPressure *t = (TaitPressure *)o;
  dvState *s = t->surface.force.state;
  double factor = dv_mech_k(m, t->surface.force.rayleighStiffness);
  for (size_t i = 0; i < s->count && t->currentStiffness != 0; i++)
    for (size_t j = 0; j < s->count; j++) {
      double block[9];
      dvVec3 a = dv_vec3_load(t->gradient.data + 3 * i), b = dv_vec3_load(t->gradient.data + 3 * j);
      dv_mat3_store(block, dv_mat3_scale(dv_mat3_outer(a, b), factor * t->currentStiffness));
      sink->add(sink, s, i, s, j, 3, 3, block);
    }
  surface_add_stiffness(&t->surface, factor, sink);
}

static void tait_pressure_destroy(dvObject *o)
{
  dv_array_free(&((TaitPressure *)o)->gradient);
  surface_destroy(o);
}

static const dvForceOps tait_pressure_ops = {
    .add_force = tait_pressure_add_force,
    .add_dforce = tait_pressure_add_dforce,
    .add_stiffness = tait_pressure_add_stiffness,
    DV_FORCE_SLOTS,
};

const dvClass dv_tait_pressure_class = {
    .struct_size = sizeof(dvClass),
    .name = "TaitSurfacePressureForceField",
    .help = "the pressure of a fluid inside a closed surface, by Tait's equation of state",
    .module = "Sofa.Component.MechanicalLoad",
    .dofs = DV_DOF_VEC3,
    .size = sizeof(TaitPressure),
    .blocks = {&dv_object_block, &dv_force_block, DV_BLOCK(tait_pressure_fields)},
    .ops = {[DV_ROLE_FORCE] = &tait_pressure_ops},
    .init = tait_pressure_init,
    .reinit = tait_pressure_reinit,
    .handle_event = tait_pressure_handle_event,
    .destroy = tait_pressure_destroy,
    DV_MEMORY(tait_pressure_memory),
    .restored = tait_pressure_restored,
    .topology_changed = tait_pressure_topology_changed,
};
