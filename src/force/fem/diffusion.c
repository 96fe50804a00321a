// TetrahedronDiffusionFEMForceField: diffusion (heat, potentials) on linear tetrahedra.
//
//   f_i = -sum over tetrahedra of V D g_i . A g_j u_j,   A = 1 + (r - 1) d d^T
//
// with gradients g at the start, the coefficient D, and r the diffusion along the direction d of a tetrahedron over that across. The
// values u (one, two or three a point) stand in the state of the node; the positions of the points in a Vec3 state with the tag
// `tagMechanics` in the node or above. As gradients have the sum 0, each edge has one coefficient. Needs a topology with tetrahedra.
#include "force/mesh.h"
#include "math/vec.h"

#include <math.h>

#define DIFFUSION_FIELDS(X)                                                                                             \
  X(real, constantDiffusionCoefficient, "1", "m2/s", "diffusion coefficient of all tetrahedra")                         \
  X(reals, tetraDiffusionCoefficient, "", "m2/s", "diffusion coefficient of each tetrahedron; the constant one when empty")      \
  X(real, anisotropyRatio, "1", "", "diffusion along the direction of a tetrahedron over that across it")               \
  X(vec3s, transverseAnisotropyArray, "", "", "direction of each tetrahedron, of length 1")                             \
  X(string, tagMechanics, "meca", "", "tag of the state that has the positions")                                        \
  X(bool, drawConduc, "0", "", "draw the coefficients", .flags = DV_LOOKS)                                              \
  X(link, topology, "", "", "topology with the tetrahedra; the one of the node or above by default", .role = DV_ROLE_TOPOLOGY)

typedef struct Diffusion {
  dvForce force;
  DIFFUSION_FIELDS(DV_MEMBER)
  dvState *mesh;               // positions
  const dvInts *edges;
  DV_ARRAY(double) strength;   // of each edge: sum of V D g_p . A g_q
  unsigned revision;
} Diffusion;

#define SELF Diffusion
static const dvFieldDesc diffusion_fields[] = {DIFFUSION_FIELDS(DV_DESCRIBE)};
#undef SELF

extern const dvClass dv_tetra_diffusion_class;

// --- set-up ---

// a state of the node or of one above
static dvState *tagged_state(const Diffusion *d)
{
  const dvNode *node = d->force.base.node;
  for (; node; node = node->parents.count ? node->parents.data[0] : NULL)
    for (size_t i = 0; i < node->objects.count; i++) {
      dvObject *o = node->objects.data[i];
      if (dv_is_mechanical_state(o) && o->dof->kind == DV_VEC3 && dv_object_has_tag(o, d->tagMechanics)) return dv_state(o);
    }
  return NULL;
}

// false for a flat tetrahedron
static bool gradients(const dvVec3 x[4], dvVec3 g[4], double *volume)
{
  dvMat3 edges = dv_mat3_from_columns(dv_vec3_sub(x[1], x[0]), dv_vec3_sub(x[2], x[0]), dv_vec3_sub(x[3], x[0])), inverse;
  *volume = fabs(dv_mat3_det(edges)) / 6;
  if (!(*volume > 0) || !isfinite(*volume) || !dv_mat3_inverse(edges, &inverse)) return false;
  for (int i = 0; i < 3; i++) g[i + 1] = dv_mat3_row(inverse, i);
  g[0] = dv_vec3_neg(dv_vec3_add(dv_vec3_add(g[1], g[2]), g[3]));
  return true;
}

static int corner_of(const int32_t *tetra, int32_t point)
{
  int i = 0;
  while (i < 3 && tetra[i] != point) i++;
  return i;
}

static bool add_tetra(Diffusion *d, size_t e, const int32_t *tetra, const int32_t *sides)
{
  const double *at = dv_state_read(d->mesh, DV_X);
  dvVec3 x[4], g[4], axis = {0, 0, 0};
  double volume;
  for (int i = 0; i < 4; i++) x[i] = dv_vec3_load(at + 3 * (size_t)tetra[i]);
  if (!gradients(x, g, &volume)) return false;
  if (d->anisotropyRatio != 1) axis = dv_vec3_load(d->transverseAnisotropyArray.data + 3 * e);
  double strength = volume * (d->tetraDiffusionCoefficient.count ? d->tetraDiffusionCoefficient.data[e] : d->constantDiffusionCoefficient);
  for (int s = 0; s < 6; s++) {
    if (sides[s] < 0) return false;
    int p = corner_of(tetra, d->edges->data[2 * sides[s]]), q = corner_of(tetra, d->edges->data[2 * sides[s] + 1]);
    double product = dv_vec3_dot(g[p], g[q]) + (d->anisotropyRatio - 1) * dv_vec3_dot(g[p], axis) * dv_vec3_dot(g[q], axis);
    d->strength.data[sides[s]] += strength * product;
  }
  return true;
}

static dvStatus check_numbers(Diffusion *d, size_t count)
{
  dvObject *o = &d->force.base;
  if (d->tetraDiffusionCoefficient.count && d->tetraDiffusionCoefficient.count != count)
    return dv_field_error(o, &d->tetraDiffusionCoefficient, "give one each tetrahedron, or constantDiffusionCoefficient", "there are %zu coefficients for %zu tetrahedra",
                          d->tetraDiffusionCoefficient.count, count);
  if (d->anisotropyRatio != 1 && dv_reals_size(&d->transverseAnisotropyArray) < count)
    return dv_field_error(o, &d->transverseAnisotropyArray, "give a direction each tetrahedron", "there are %zu directions for %zu tetrahedra",
                          dv_reals_size(&d->transverseAnisotropyArray), count);
  return DV_OK;
}

static dvStatus diffusion_reinit(dvObject *o)
{
  Diffusion *d = (Diffusion *)o;
  dvTopology *topology = dv_topology(d->topology.target);
  d->strength.count = 0;
  const dvInts *tetrahedra = dv_force_elements(o, topology, DV_TETRAHEDRON, d->force.state);
  d->edges = tetrahedra ? dv_force_elements(o, topology, DV_EDGE, d->mesh) : NULL;
  if (!d->edges || !dv_force_elements(o, topology, DV_TETRAHEDRON, d->mesh)) return DV_ERROR_INPUT;
  size_t count = dv_ints_size(tetrahedra), bad = 0;
  DV_TRY(check_numbers(d, count));
  const dvInts *sides = dv_topology_parts(topology, DV_EDGE, DV_TETRAHEDRON);
  if (!sides) return dv_error(o, NULL, "out of memory for the edges of %zu tetrahedra", count);
  dv_array_resize(&d->strength, dv_ints_size(d->edges));
  for (size_t e = 0; e < count; e++) bad += !add_tetra(d, e, tetrahedra->data + 4 * e, sides->data + 6 * e);
  if (bad) dv_warning(o, "repair the mesh", "%zu tetrahedra are flat or lack an edge and conduct nothing", bad);
  dv_force_mesh_changed(&d->topology, &d->revision);
  return DV_OK;
}

static dvStatus diffusion_init(dvObject *o)
{
  Diffusion *d = (Diffusion *)o;
  DV_TRY(dv_force_init(o));
  if (!dv_force_topology(o, &d->topology)) return DV_ERROR_INPUT;
  d->mesh = tagged_state(d);
  if (!d->mesh)
    return dv_field_error(o, &d->tagMechanics, "give the MechanicalObject with the positions tags=\"meca\"", "no Vec3 state in the node or above has the tag %s", d->tagMechanics);
  DV_TRY(dv_object_ensure(&d->mesh->base));
  return diffusion_reinit(o);
}

// --- operations ---

// f += k K u
static void spread(const Diffusion *d, const double *u, double k, double *f)
{
  size_t width = (size_t)d->force.base.dof->deriv;
  for (size_t i = 0; i < d->strength.count; i++) {
    const double *a = u + width * (size_t)d->edges->data[2 * i], *b = u + width * (size_t)d->edges->data[2 * i + 1];
    double *fa = f + width * (size_t)d->edges->data[2 * i], *fb = f + width * (size_t)d->edges->data[2 * i + 1];
    for (size_t c = 0; c < width; c++) {
      double flow = k * d->strength.data[i] * (b[c] - a[c]);
      fb[c] += flow;
      fa[c] -= flow;
    }
  }
}

static void diffusion_add_force(dvObject *o, const dvMech *m)
{
  Diffusion *d = (Diffusion *)o;
  if (dv_force_mesh_changed(&d->topology, &d->revision) && diffusion_reinit(o) != DV_OK) return;
  spread(d, dv_state_read(d->force.state, m->x), 1, dv_state_write(d->force.state, m->f));
}

static void diffusion_add_dforce(dvObject *o, const dvMech *m)
{
  Diffusion *d = (Diffusion *)o;
  spread(d, dv_state_read(d->force.state, m->dx), dv_mech_k(m, d->force.rayleighStiffness), dv_state_write(d->force.state, m->df));
}

static void diffusion_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  Diffusion *d = (Diffusion *)o;
  const dvState *s = d->force.state;
  int width = o->dof->deriv;
  for (size_t i = 0; i < d->strength.count; i++)
    for (size_t ab = 0; ab < 4; ab++) {
      double block[9] = {0}, value = dv_mech_k(m, d->force.rayleighStiffness) * d->strength.data[i];
      for (int c = 0; c < width; c++) block[c * width + c] = ab / 2 == ab % 2 ? value : -value;
      sink->add(sink, s, (size_t)d->edges->data[2 * i + ab / 2], s, (size_t)d->edges->data[2 * i + ab % 2], width, width, block);
    }
}

static double diffusion_energy(dvObject *o, const dvMech *m)
{
  Diffusion *d = (Diffusion *)o;
  const double *u = dv_state_read(d->force.state, m->x);
  size_t width = (size_t)o->dof->coord;
  double sum = 0;
  for (size_t i = 0; i < d->strength.count; i++)
    for (size_t c = 0; c < width; c++) {
      double gap = u[width * (size_t)d->edges->data[2 * i] + c] - u[width * (size_t)d->edges->data[2 * i + 1] + c];
      sum -= 0.5 * d->strength.data[i] * gap * gap;
    }
  return sum;
}

static void diffusion_destroy(dvObject *o) { dv_array_free(&((Diffusion *)o)->strength); }

static const dvForceOps diffusion_ops = {
    .add_force = diffusion_add_force,
    .add_dforce = diffusion_add_dforce,
    .add_stiffness = diffusion_add_stiffness,
    .energy = diffusion_energy,
    .states = dv_force_state,
};

const dvClass dv_tetra_diffusion_class = {
    .struct_size = sizeof(dvClass),
    .name = "TetrahedronDiffusionFEMForceField",
    .help = "diffusion of values at points, such as heat, on tetrahedra",
    .module = "Sofa.Component.Diffusion",
    .dofs = DV_DOF_VEC1 | DV_DOF_VEC2 | DV_DOF_VEC3,
    .size = sizeof(Diffusion),
    .blocks = {&dv_object_block, &dv_force_block, DV_BLOCK(diffusion_fields)},
    .ops = {[DV_ROLE_FORCE] = &diffusion_ops},
    .init = diffusion_init,
    .reinit = diffusion_reinit,
    .destroy = diffusion_destroy,
};
