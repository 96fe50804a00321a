// FastTriangularBendingSprings: linear bending of a surface of triangles (P. Volino, N. Magnenat-Thalmann, Simple
// linear bending stiffness in particle systems, 2006). Two triangles with the common edge CD and the opposite corners A
// and B have the bending vector
//
//   R = a_A x_A + a_B x_B + a_C x_C + a_D x_D,   f_i = -l a_i R,   energy l/2 R^2,
//
// with weights a from areas and the stiffness l = 2/3 (h_A + h_B) / (h_A h_B)^2 |CD| k at rest, h the heights over CD.
#include "force/mesh.h"
#include "force/spring/spring_force.h"

#include "math/vec.h"

#include <string.h>

#define FAST_BENDING_FIELDS(X)                                                                                  \
  X(real, bendingStiffness, "1", "N m", "bending stiffness of the surface", .least = "0")                       \
  X(real, minDistValidity, "1e-06", "m",                                                                        \
    "edges, and distances of opposite corners, up to this length give no bending")                              \
  X(string, edgeInfo, "", "", "weights of the edges, kept by the component", .flags = DV_HIDDEN | DV_READ_ONLY) \
  X(link, topology, "", "", "topology with the triangles; the one of the node or above by default",             \
    .role = DV_ROLE_TOPOLOGY)

typedef struct Hinge {
  int32_t point[4];   // A, B, C, D
  double weight[4], stiffness;
} Hinge;

typedef struct FastBending {
  dvForce force;
  FAST_BENDING_FIELDS(DV_MEMBER)
  DV_ARRAY(Hinge) hinges;
  dvBonds bonds;
} FastBending;

#define SELF FastBending
static const dvFieldDesc fast_bending_fields[] = {FAST_BENDING_FIELDS(DV_DESCRIBE)};
#undef SELF

extern const dvClass dv_fast_bending_class;

static double area2(dvVec3 tip, dvVec3 a, dvVec3 b)
{
  return dv_vec3_norm(dv_vec3_cross(dv_vec3_sub(tip, a), dv_vec3_sub(tip, b)));
}

// height of a point over the line through `on` with a unit direction
static double height(dvVec3 point, dvVec3 on, dvVec3 direction)
{
  dvVec3 e = dv_vec3_sub(on, point);
  return dv_vec3_norm(dv_vec3_add_scaled(e, direction, -dv_vec3_dot(e, direction)));
}

// false when the triangles have no area
static bool set_hinge(Hinge *h, const double *x0, double bending)
{
  dvVec3 a = dv_vec3_load(x0 + 3 * (size_t)h->point[0]), b = dv_vec3_load(x0 + 3 * (size_t)h->point[1]);
  dvVec3 c = dv_vec3_load(x0 + 3 * (size_t)h->point[2]), d = dv_vec3_load(x0 + 3 * (size_t)h->point[3]);
  double na = area2(a, c, d), nb = area2(b, d, c), nc = area2(c, b, a), nd = area2(d, a, b);
  dvVec3 edge = dv_vec3_sub(c, d);
  double length = dv_vec3_norm(edge);
  dvVec3 along = dv_vec3_scale(edge, 1 / length);
  double ha = height(a, c, along), hb = height(b, c, along);
  if (!(na > 0 && nb > 0 && nc + nd > 0)) return false;
  h->weight[0] = nb / (na + nb);
  h->weight[1] = na / (na + nb);
  h->weight[2] = -nd / (nc + nd);
  h->weight[3] = -nc / (nc + nd);
  h->stiffness = 2.0 / 3 * (ha + hb) / (ha * ha * hb * hb) * length * bending;
  return true;
}

static void add_hinge(FastBending *f, Hinge h, const double *x0)
{
  double limit = f->minDistValidity * f->minDistValidity;
  dvVec3 across = dv_vec3_sub(dv_vec3_load(x0 + 3 * (size_t)h.point[1]), dv_vec3_load(x0 + 3 * (size_t)h.point[0]));
  dvVec3 edge = dv_vec3_sub(dv_vec3_load(x0 + 3 * (size_t)h.point[3]), dv_vec3_load(x0 + 3 * (size_t)h.point[2]));
  if (dv_vec3_norm2(across) > limit && dv_vec3_norm2(edge) > limit && set_hinge(&h, x0, f->bendingStiffness))
    DV_BONDS_PUSH(&f->bonds, &f->hinges, ((int32_t[4]){h.point[2], h.point[3], h.point[0], h.point[1]}), h);
}

typedef struct Side {
  int32_t opposite[2], count, ends[2];
} Side;

// one hinge for each edge of exactly two triangles: of some of these or, with NULL, of all
static void make_hinges(FastBending *f, const dvInts *triangles, const dvNumbers *some)
{
  const double *x0 = dv_state_read(f->force.state, DV_X_REST);
  dvPairMap edges = {0};
  DV_ARRAY(Side) sides = {0};
  for (size_t i = 0; i < (some ? some->count : dv_ints_size(triangles)); i++)
    for (int k = 0; k < 3; k++) {
      const int32_t *p = triangles->data + 3 * (some ? (size_t)some->data[i] : i);
      bool fresh;
      if (!dv_bonds_want(&f->bonds, p[(k + 1) % 3], p[(k + 2) % 3])) continue;
      int32_t *index = dv_pair_map_get(&edges, p[(k + 1) % 3], p[(k + 2) % 3], &fresh);
      if (fresh) {
        index[0] = (int32_t)sides.count;
        dv_push(&sides, ((Side){.ends = {p[(k + 1) % 3], p[(k + 2) % 3]}}));
      }
      Side *s = &sides.data[index[0]];
      if (s->count < 2) s->opposite[s->count] = p[k];
      s->count++;
    }
  for (size_t i = 0; i < sides.count; i++) {
    const Side *s = &sides.data[i];
    if (s->count == 2) add_hinge(f, (Hinge){.point = {s->opposite[0], s->opposite[1], s->ends[0], s->ends[1]}}, x0);
  }
  dv_array_free(&sides);
  dv_pair_map_free(&edges);
}

static dvStatus fast_bending_reinit(dvObject *o)
{
  FastBending *f = (FastBending *)o;
  dvTopology *mesh = dv_topology(f->topology.target);
  const dvInts *triangles = dv_force_elements(o, mesh, DV_TRIANGLE, f->force.state);
  f->bonds.width = 4;
  dv_bonds_clear(&f->bonds, &f->hinges);
  if (!triangles) return DV_ERROR_INPUT;
  make_hinges(f, triangles, NULL);
  return dv_bonds_follow(&f->bonds, o, mesh, DV_COLUMN_OF(&f->hinges));
}

static bool patch(dvObject *o)
{
  FastBending *f = (FastBending *)o;
  dvTopology *mesh = dv_topology(f->topology.target);
  if (!dv_bonds_begin(&f->bonds, mesh, DV_TRIANGLE, 0)) return false;
  make_hinges(f, dv_topology_elements(mesh, DV_TRIANGLE), dv_bonds_elements(&f->bonds, mesh, DV_TRIANGLE));
  dv_bonds_end(&f->bonds, mesh);
  for (size_t i = 0; i < f->bonds.changed.count; i++) {
    const int32_t *own = f->bonds.points.data + 4 * f->bonds.changed.data[i];
    const int32_t points[4] = {own[2], own[3], own[0], own[1]};
    memcpy(f->hinges.data[f->bonds.changed.data[i]].point, points, sizeof points);
  }
  dv_bonds_done(&f->bonds);
  return true;
}

static void fast_bending_topology_changed(dvObject *o)
{
  dv_force_patch_or_remake(o, dv_topology(((FastBending *)o)->topology.target), patch);
}

static dvStatus fast_bending_init(dvObject *o)
{
  FastBending *f = (FastBending *)o;
  DV_TRY(dv_force_init(o));
  if (!dv_force_topology(o, &f->topology)) return DV_ERROR_INPUT;
  DV_TRY(fast_bending_reinit(o));
  if (f->hinges.count == 0)
    dv_warning(o, NULL, "%s has no edge between two triangles: there is no bending", f->topology.target->name);
  return DV_OK;
}

// out -= factor K in; the energy 1/2 in K in
static double multiply(const FastBending *f, const double *in, double *out, double factor)
{
  double sum = 0;
  for (size_t i = 0; i < f->hinges.count; i++) {
    const Hinge *h = &f->hinges.data[i];
    dvVec3 r = {0};
    for (int k = 0; k < 4; k++) r = dv_vec3_add_scaled(r, dv_vec3_load(in + 3 * (size_t)h->point[k]), h->weight[k]);
    sum += 0.5 * h->stiffness * dv_vec3_norm2(r);
    for (int k = 0; k < 4 && out; k++)
      dv_vec3_accumulate(out + 3 * (size_t)h->point[k], dv_vec3_scale(r, -factor * h->stiffness * h->weight[k]));
  }
  return sum;
}

static void fast_bending_add_force(dvObject *o, const dvMech *m)
{
  FastBending *f = (FastBending *)o;
  const double *x = dv_state_read(f->force.state, m->x);
  multiply(f, x, dv_state_write(f->force.state, m->f), 1);
}

static void fast_bending_add_dforce(dvObject *o, const dvMech *m)
{
  FastBending *f = (FastBending *)o;
  const double *dx = dv_state_read(f->force.state, m->dx);
  multiply(f, dx, dv_state_write(f->force.state, m->df), dv_mech_k(m, f->force.rayleighStiffness));
}

static void fast_bending_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  FastBending *f = (FastBending *)o;
  dvState *s = f->force.state;
  double factor = dv_mech_k(m, f->force.rayleighStiffness);
  for (size_t i = 0; i < f->hinges.count; i++) {
    const Hinge *h = &f->hinges.data[i];
    for (int a = 0; a < 4; a++)
      for (int b = 0; b < 4; b++) {
        double k = -factor * h->stiffness * h->weight[a] * h->weight[b], block[9] = {k, 0, 0, 0, k, 0, 0, 0, k};
        sink->add(sink, s, (size_t)h->point[a], s, (size_t)h->point[b], 3, 3, block);
      }
  }
}

static double fast_bending_energy(dvObject *o, const dvMech *m)
{
  FastBending *f = (FastBending *)o;
  return multiply(f, dv_state_read(f->force.state, m->x), NULL, 0);
}

static void fast_bending_destroy(dvObject *o)
{
  dv_array_free(&((FastBending *)o)->hinges);
  dv_bonds_free(&((FastBending *)o)->bonds);
}

static const dvForceOps fast_bending_ops = {
    .add_force = fast_bending_add_force,
    .add_dforce = fast_bending_add_dforce,
    .add_stiffness = fast_bending_add_stiffness,
    .energy = fast_bending_energy,
    DV_FORCE_SLOTS,
};

const dvClass dv_fast_bending_class = {
    .struct_size = sizeof(dvClass),
    .name = "FastTriangularBendingSprings",
    .help = "linear bending stiffness between neighbouring triangles",
    .module = "Sofa.Component.SolidMechanics.Spring",
    .dofs = DV_DOF_VEC3,
    .size = sizeof(FastBending),
    .blocks = {&dv_object_block, &dv_force_block, DV_BLOCK(fast_bending_fields)},
    .ops = {[DV_ROLE_FORCE] = &fast_bending_ops},
    .init = fast_bending_init,
    .reinit = fast_bending_reinit,
    .destroy = fast_bending_destroy,
    .topology_changed = fast_bending_topology_changed,
};
