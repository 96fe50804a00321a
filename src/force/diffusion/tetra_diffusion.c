// TetrahedronDiffusionFEMForceField: diffusion of what a state holds (a temperature, a potential) in linear tetrahedra.
//
// With shape functions N_i of a tetrahedron of volume V, K_ij = V grad N_i . D grad N_j and f = -K u. Rows of K sum to
// zero, so that each edge ij carries the flow K_ij (u_i - u_j) from one end to the other; K is kept as one number an
// edge, in SOFA's order. D = d (1 + (r - 1) a a^T), r times as much along the direction a of the tetrahedron. Together
// with a mass matrix of density 1 and an integrator of first order (M u' = f) this is u' = div(D grad u).
//
// The shape is that of a mechanical state in the node or above, found by its tag, at the start: values and positions
// are different states, and tags keep the solver of one from seeing the other.
#include "force/mesh.h"

#include "math/vec.h"
#include "topology/derive.h"

#include <math.h>

#define TETRA_DIFFUSION_FIELDS(X)                                                                                    \
  X(real, constantDiffusionCoefficient, "1", "m2/s", "diffusivity of all tetrahedra")                                \
  X(reals, tetraDiffusionCoefficient, "", "m2/s",                                                                    \
    "diffusivity of each tetrahedron; filled from the constant one when not given")                                  \
  X(real, anisotropyRatio, "1", "", "how many times larger it is along the directions of transverseAnisotropyArray") \
  X(vec3s, transverseAnisotropyArray, "", "",                                                                        \
    "direction of each tetrahedron, needed when the ratio is not 1; its length does not count")                      \
  X(string, tagMechanics, "meca", "", "tag of the state that holds the positions of the mesh")                       \
  X(bool, drawConduc, "0", "", "draw the diffusivity", .flags = DV_LOOKS)                                            \
  X(link, topology, "", "", "topology with the tetrahedra; the one of the node or above by default",                 \
    .role = DV_ROLE_TOPOLOGY)

typedef struct TetraDiffusion {
  dvForce force;
  TETRA_DIFFUSION_FIELDS(DV_MEMBER)
  dvState *shape;   // where the points are
  const dvInts *edges;
  DV_ARRAY(double) flow;   // K_ij of each edge, at most 0 in a good mesh
  bool given;              // a diffusivity for each tetrahedron
  dvReals first;           // where the points were at the start: the shape of the tetrahedra
} TetraDiffusion;

#define SELF TetraDiffusion
static const dvFieldDesc tetra_diffusion_fields[] = {TETRA_DIFFUSION_FIELDS(DV_DESCRIBE)};
#undef SELF

static void tetra_diffusion_destroy(dvObject *o)
{
  dv_array_free(&((TetraDiffusion *)o)->flow);
  dv_reals_free(&((TetraDiffusion *)o)->first);
}

// --- set-up --------------------------------------------------------------------------------------

// the nearest mechanical state with the tag, in the node or above
static dvState *find_shape(const dvNode *node, const char *tag)
{
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    if (dv_is_mechanical_state(o) && dv_object_has_tag(o, tag)) return dv_state(o);
  }
  for (size_t i = 0; i < node->parents.count; i++) {
    dvState *found = find_shape(node->parents.data[i], tag);
    if (found) return found;
  }
  return NULL;
}

static dvStatus take_shape(TetraDiffusion *t)
{
  dvObject *o = &t->force.base;
  t->shape = find_shape(o->node, t->tagMechanics);
  if (!t->shape)
    return dv_field_error(
        o, &t->tagMechanics, "give the state with the positions of the mesh that tag, such as tags=\"meca\"",
        "no state in the node or above has the tag '%s': the shape of the tetrahedra is not known", t->tagMechanics);
  if (t->shape->base.dof->kind != DV_VEC3)
    return dv_field_error(o, &t->tagMechanics, NULL, "%s is of type %s; the positions of tetrahedra are Vec3",
                          t->shape->base.name, t->shape->base.dof->name);
  return dv_object_ensure(&t->shape->base);
}

static dvStatus take_diffusivity(TetraDiffusion *t, size_t tetrahedra)
{
  dvObject *o = &t->force.base;
  dvReals *list = &t->tetraDiffusionCoefficient;
  if (!t->given) {
    if (!dv_reals_resize(list, tetrahedra)) return dv_error(o, NULL, "out of memory for %zu coefficients", tetrahedra);
    for (size_t i = 0; i < tetrahedra; i++) list->data[i] = t->constantDiffusionCoefficient;
    dv_touch(o, list);
  }
  if (list->count != tetrahedra)
    return dv_field_error(o, list, "give one for each tetrahedron, or constantDiffusionCoefficient for all",
                          "there are %zu coefficients for %zu tetrahedra", list->count, tetrahedra);
  for (size_t i = 0; i < tetrahedra; i++)
    if (!(list->data[i] >= 0) || !isfinite(list->data[i]))
      return dv_field_error(o, t->given ? (void *)list : &t->constantDiffusionCoefficient, "give numbers from 0 on",
                            "the diffusivity %g of tetrahedron %zu does not let anything spread", list->data[i], i);
  if (t->anisotropyRatio != 1 && dv_reals_size(&t->transverseAnisotropyArray) != tetrahedra)
    return dv_field_error(o, &t->transverseAnisotropyArray, "give a direction for each tetrahedron",
                          "there are %zu directions for %zu tetrahedra", dv_reals_size(&t->transverseAnisotropyArray),
                          tetrahedra);
  if (!(t->anisotropyRatio >= 0) || !isfinite(t->anisotropyRatio))
    return dv_field_error(o, &t->anisotropyRatio, "give a number from 0 on", "the ratio %g makes no sense",
                          t->anisotropyRatio);
  return DV_OK;
}

// gradients of the four shape functions; false when the tetrahedron is flat
static bool gradients(const double *x, const int32_t *p, dvVec3 g[4], double *volume)
{
  dvVec3 a = dv_vec3_load(x + 3 * (size_t)p[0]), e[3];
  for (int k = 0; k < 3; k++) e[k] = dv_vec3_sub(dv_vec3_load(x + 3 * (size_t)p[k + 1]), a);
  double six = dv_vec3_dot(e[0], dv_vec3_cross(e[1], e[2])),
         size = dv_vec3_norm(e[0]) * dv_vec3_norm(e[1]) * dv_vec3_norm(e[2]);
  if (!(fabs(six) > 1e-14 * size)) return false;
  for (int k = 0; k < 3; k++) g[k + 1] = dv_vec3_scale(dv_vec3_cross(e[(k + 1) % 3], e[(k + 2) % 3]), 1 / six);
  g[0] = dv_vec3_neg(dv_vec3_add(g[1], dv_vec3_add(g[2], g[3])));
  *volume = fabs(six) / 6;
  return true;
}

// what passes along the edge between two corners of tetrahedron i
static double flow_of(const TetraDiffusion *t, size_t i, dvVec3 gk, dvVec3 gl, double volume)
{
  double d = t->tetraDiffusionCoefficient.data[i] * volume, value = dv_vec3_dot(gk, gl);
  bool directed = t->anisotropyRatio != 1;
  dvVec3 a = directed ? dv_vec3_normalise(dv_vec3_load(t->transverseAnisotropyArray.data + 3 * i)) : dv_vec3(0, 0, 0);
  if (directed) value += (t->anisotropyRatio - 1) * dv_vec3_dot(a, gk) * dv_vec3_dot(a, gl);
  return d * value;
}

static void add_tetrahedron(TetraDiffusion *t, size_t i, const dvVec3 g[4], double volume, const int32_t *edges)
{
  for (int e = 0; e < 6; e++) {
    dvVec3 gk = g[dv_edges_of_tetrahedron[e][0]], gl = g[dv_edges_of_tetrahedron[e][1]];
    if (edges[e] >= 0) t->flow.data[edges[e]] += flow_of(t, i, gk, gl, volume);
  }
}

static dvStatus tetra_diffusion_reinit(dvObject *o)
{
  TetraDiffusion *t = (TetraDiffusion *)o;
  dvTopology *mesh = dv_topology(t->topology.target);
  t->flow.count = 0;
  const dvInts *tetrahedra = dv_force_elements(o, mesh, DV_TETRAHEDRON, t->force.state);
  t->edges = dv_force_elements(o, mesh, DV_EDGE, t->force.state);
  if (!tetrahedra || !t->edges || !dv_force_elements(o, mesh, DV_TETRAHEDRON, t->shape)) return DV_ERROR_INPUT;
  size_t count = dv_ints_size(tetrahedra), flat = 0, first = 0;
  DV_TRY(take_diffusivity(t, count));
  const dvInts *parts = dv_topology_parts(mesh, DV_EDGE, DV_TETRAHEDRON);
  if (count > 0 && !parts) return dv_error(o, NULL, "out of memory for the edges of %zu tetrahedra", count);
  const double *x = t->first.data;
  dv_array_resize(&t->flow, dv_ints_size(t->edges));
  for (size_t i = 0; i < t->flow.count; i++) t->flow.data[i] = 0;
  for (size_t i = 0; i < count; i++) {
    dvVec3 g[4];
    double volume;
    if (gradients(x, tetrahedra->data + 4 * i, g, &volume)) add_tetrahedron(t, i, g, volume, parts->data + 6 * i);
    else if (flat++ == 0) first = i;
  }
  if (flat > 0)
    dv_warning(o, "repair the mesh", "%zu tetrahedra are flat, the first is number %zu: nothing passes through them",
               flat, first);
  return DV_OK;
}

// the shapes of the start stay, whatever the state of the positions does
static dvStatus take_first(TetraDiffusion *t)
{
  t->first.width = 3;
  if (dv_reals_assign(&t->first, dv_state_read(t->shape, DV_X), dv_state_scalars(t->shape, DV_X))) return DV_OK;
  return dv_error(&t->force.base, NULL, "out of memory for %zu points", t->shape->count);
}

static void tetra_diffusion_follow(TetraDiffusion *t)
{
  dvTopology *mesh = dv_topology(t->topology.target);
  dvElementData *d = dv_follow_elements(&t->force.base, mesh, DV_TETRAHEDRON);
  if (t->given) dv_element_data_add_reals(d, &t->tetraDiffusionCoefficient, true);
  dv_element_data_add_reals(d, &t->transverseAnisotropyArray, true);
  dv_element_data_add_places(dv_follow_elements(&t->force.base, mesh, DV_POINT), &t->first);
}

// the edges around points that were touched
static bool patch(dvObject *o)
{
  TetraDiffusion *t = (TetraDiffusion *)o;
  dvTopology *mesh = dv_topology(t->topology.target);
  const dvInts *tetrahedra = dv_topology_elements(mesh, DV_TETRAHEDRON);
  const dvTrace *trace = dv_topology_trace(mesh);
  size_t count = dv_ints_size(tetrahedra);
  t->edges = dv_topology_elements(mesh, DV_EDGE);
  if (!t->given) {
    if (!dv_reals_resize(&t->tetraDiffusionCoefficient, count)) return false;
    const dvNumbers *rows = dv_trace_rows(mesh, DV_TETRAHEDRON);
    double *list = dv_reals_edit(&t->tetraDiffusionCoefficient);
    for (size_t i = 0; i < rows->count; i++) list[rows->data[i]] = t->constantDiffusionCoefficient;
  }
  if (t->tetraDiffusionCoefficient.count != count ||
      (t->anisotropyRatio != 1 && dv_reals_size(&t->transverseAnisotropyArray) != count) ||
      dv_reals_size(&t->first) != dv_topology_point_count(mesh) ||
      t->flow.count != dv_trace_before(trace, DV_EDGE, dv_ints_size(t->edges)))
    return false;
  dvNumbers edges = {0}, around = {0};
  dv_array_resize(&t->flow, dv_ints_size(t->edges));
  dv_trace_around(mesh, DV_EDGE, dv_trace_points(trace), &edges);
  for (size_t i = 0; i < edges.count; i++) {
    const int32_t *ends = t->edges->data + 2 * (size_t)edges.data[i];
    double *flow = &t->flow.data[edges.data[i]];
    *flow = 0;
    dv_topology_between(mesh, DV_TETRAHEDRON, ends[0], ends[1], &around);
    for (size_t n = 0; n < around.count; n++) {
      const int32_t *corner = tetrahedra->data + 4 * (size_t)around.data[n];
      dvVec3 g[4];
      double volume;
      int k = 0, l = 0;
      for (int c = 0; c < 4; c++) {
        if (corner[c] == ends[0]) k = c;
        if (corner[c] == ends[1]) l = c;
      }
      if (gradients(t->first.data, corner, g, &volume)) *flow += flow_of(t, (size_t)around.data[n], g[k], g[l], volume);
    }
  }
  dv_array_free(&edges);
  dv_array_free(&around);
  return true;
}

// of a mesh that was made again nothing is known
static void tetra_diffusion_topology_changed(dvObject *o)
{
  TetraDiffusion *t = (TetraDiffusion *)o;
  if (dv_reals_size(&t->first) != t->shape->count && take_first(t) != DV_OK) return;
  dv_force_patch_or_remake(o, dv_topology(t->topology.target), patch);
}

static dvStatus tetra_diffusion_init(dvObject *o)
{
  TetraDiffusion *t = (TetraDiffusion *)o;
  DV_TRY(dv_force_init(o));
  o->dof = t->force.state->base.dof;
  if (!dv_force_topology(o, &t->topology)) return DV_ERROR_INPUT;
  DV_TRY(take_shape(t));
  if (t->shape == t->force.state)
    dv_warning(o, "give the diffusing values a state of their own",
               "%s holds both the positions and what diffuses: the mesh contracts", t->shape->base.name);
  t->given = t->tetraDiffusionCoefficient.count > 0;
  DV_TRY(take_first(t));
  DV_TRY(tetra_diffusion_reinit(o));
  tetra_diffusion_follow(t);
  if (dv_topology_count(dv_topology(t->topology.target), DV_TETRAHEDRON) == 0)
    dv_warning(o, NULL, "%s has no tetrahedra: nothing diffuses", t->topology.target->name);
  return DV_OK;
}

// --- operations ----------------------------------------------------------------------------------

// The width is a constant where this is inlined. out += factor K_ij (u_j - u_i) at j, and the opposite at i
static inline __attribute__((always_inline)) void flow_loop(const TetraDiffusion *t, const double *u, double *out,
                                                            double factor, size_t width)
{
  for (size_t i = 0; i < t->flow.count; i++) {
    size_t a = width * (size_t)t->edges->data[2 * i], b = width * (size_t)t->edges->data[2 * i + 1];
    for (size_t k = 0; k < width; k++) {
      double flow = (u[b + k] - u[a + k]) * t->flow.data[i] * factor;
      out[b + k] += flow;
      out[a + k] -= flow;
    }
  }
}

static void add_flow(const TetraDiffusion *t, int from, int to, double factor)
{
  const double *u = dv_state_read(t->force.state, from);
  double *out = dv_state_write(t->force.state, to);
  switch (t->force.state->base.dof->deriv) {
  case 1:
    flow_loop(t, u, out, factor, 1);
    break;
  case 2:
    flow_loop(t, u, out, factor, 2);
    break;
  default:
    flow_loop(t, u, out, factor, 3);
    break;
  }
}

static void tetra_diffusion_add_force(dvObject *o, const dvMech *m)
{
  TetraDiffusion *t = (TetraDiffusion *)o;
  add_flow(t, m->x, m->f, 1);
}

static void tetra_diffusion_add_dforce(dvObject *o, const dvMech *m)
{
  add_flow((TetraDiffusion *)o, m->dx, m->df, m->k);
}

static void tetra_diffusion_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  const TetraDiffusion *t = (const TetraDiffusion *)o;
  const dvState *s = t->force.state;
  int w = s->base.dof->deriv;
  for (size_t i = 0; i < t->flow.count; i++) {
    size_t a = (size_t)t->edges->data[2 * i], b = (size_t)t->edges->data[2 * i + 1];
    double same[9] = {0}, other[9] = {0};
    for (int k = 0; k < w; k++) {
      same[k * w + k] = m->k * t->flow.data[i];
      other[k * w + k] = -same[k * w + k];
    }
    sink->add(sink, s, a, s, a, w, w, same);
    sink->add(sink, s, a, s, b, w, w, other);
    sink->add(sink, s, b, s, a, w, w, other);
    sink->add(sink, s, b, s, b, w, w, same);
  }
}

// 1/2 u^T K u
static double tetra_diffusion_energy(dvObject *o, const dvMech *m)
{
  const TetraDiffusion *t = (const TetraDiffusion *)o;
  const double *u = dv_state_read(t->force.state, m->x);
  size_t w = (size_t)t->force.state->base.dof->deriv;
  double sum = 0;
  for (size_t i = 0; i < t->flow.count; i++)
    for (size_t k = 0; k < w; k++) {
      double d = u[w * (size_t)t->edges->data[2 * i + 1] + k] - u[w * (size_t)t->edges->data[2 * i] + k];
      sum -= 0.5 * t->flow.data[i] * d * d;
    }
  return sum;
}

static const dvForceOps tetra_diffusion_ops = {
    .add_force = tetra_diffusion_add_force,
    .add_dforce = tetra_diffusion_add_dforce,
    .add_stiffness = tetra_diffusion_add_stiffness,
    .energy = tetra_diffusion_energy,
    DV_FORCE_SLOTS,
};

const dvClass dv_tetra_diffusion_class = {
    .struct_size = sizeof(dvClass),
    .name = "TetrahedronDiffusionFEMForceField",
    .help = "diffusion of a temperature, potential or concentration in tetrahedra",
    .module = "Sofa.Component.Diffusion",
    .dofs = DV_DOF_VEC1 | DV_DOF_VEC2 | DV_DOF_VEC3,
    .size = sizeof(TetraDiffusion),
    .blocks = {&dv_object_block, &dv_force_block, DV_BLOCK(tetra_diffusion_fields)},
    .ops = {[DV_ROLE_FORCE] = &tetra_diffusion_ops},
    .init = tetra_diffusion_init,
    .reinit = tetra_diffusion_reinit,
    .destroy = tetra_diffusion_destroy,
    .topology_changed = tetra_diffusion_topology_changed,
};
