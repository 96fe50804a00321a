// TetrahedronTLEDForceField and HexahedronTLEDForceField: finite elements of total Lagrangian explicit dynamics (Miller
// et al., 2007), with a Neo-Hookean material given by Young's modulus and Poisson's ratio: mu/2 (J^-2/3 I1 - 3) + k/2
// (J - 1)^2.
//
// All derivatives are taken at rest, so that they are computed once; hexahedra have one quadrature point and hourglass
// control (hexa_tled.h), tetrahedra are those of hyper.h. Made for explicit integrators such as
// CentralDifferenceSolver, with a lumped mass and steps below the time in which sound crosses an element; the exact
// derivative is there for implicit ones too. Needs tetrahedra or hexahedra.
#include "element/shape.h"
#include "force/fem/elastic.h"
#include "force/fem/hexa/hexa_tled.h"

#include <string.h>

extern const dvClass dv_tetra_tled_class, dv_hexa_tled_class;

#define TETRA_TLED_FIELDS(X)       \
  X(reals, pronySeries, "", "- s", \
    "viscosity: pairs of a part of the stress and the time in which it decays; none when empty")
#define DEVICE_FIELDS(X)                                                                              \
  X(real, timestep, "0.001", "s", "accepted: the time step is that of the scene", .flags = DV_HIDDEN) \
  X(int, isViscoelastic, "0", "", "no effect: pronySeries of tetrahedra says how a stress decays",    \
    .flags = DV_IDLE | DV_HIDDEN)                                                                     \
  X(int, isAnisotropic, "0", "", "no effect: the material is the same in all directions",             \
    .flags = DV_IDLE | DV_HIDDEN)                                                                     \
  X(vec3, preferredDirection, "0 0 0", "", "accepted: the material is the same in all directions", .flags = DV_HIDDEN)
#define HEXA_TLED_FIELDS(X) \
  X(real, hourglassControl, "0.1", "", "stiffness against hourglass modes, over the largest stiffness of the element")

typedef struct Tled {
  dvElastic elastic;
  TETRA_TLED_FIELDS(DV_MEMBER)
  HEXA_TLED_FIELDS(DV_MEMBER)
  DEVICE_FIELDS(DV_MEMBER)
  dvHyper *tetra;
  dvHexaTled *hexa;
  const int32_t *corners;   // of the elements, the topology's
  size_t count;
  bool stale;            // there is no valid set of elements
  dvLaneMemory memory;   // where the viscous stresses of each tetrahedron are
  bool follows;          // the mesh has changed
} Tled;

#define SELF Tled
static const dvFieldDesc tetra_tled_fields[] = {TETRA_TLED_FIELDS(DV_DESCRIBE) DEVICE_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc hexa_tled_fields[] = {HEXA_TLED_FIELDS(DV_DESCRIBE) DEVICE_FIELDS(DV_DESCRIBE)};
#undef SELF

static bool is_tetra(const Tled *t) { return t->elastic.force.base.cls == &dv_tetra_tled_class; }

static dvStatus check_fields(Tled *t)
{
  dvObject *o = &t->elastic.force.base;
  const dvReals *p = &t->pronySeries;
  double sum = 0;
  if (t->elastic.youngModulus.count > 1 || t->elastic.poissonRatio.count > 1)
    dv_warning(o, "give one youngModulus and one poissonRatio",
               "all elements have the same material: the first modulus and ratio");
  if (!is_tetra(t) && !(t->hourglassControl >= 0))
    return dv_field_error(o, &t->hourglassControl, "the default is 0.1", "hourglassControl %g is negative",
                          t->hourglassControl);
  for (size_t i = 0; i + 1 < p->count; i += 2) sum += p->data[i] >= 0 && p->data[i + 1] > 0 ? p->data[i] : 1;
  if (p->count % 2 || p->count > 2 * DV_HYPER_TERMS || !(p->count == 0 || sum < 1))
    return dv_field_error(o, p,
                          "give at most 8 pairs of a part from 0 to 1 and a time above 0, with parts of a sum below 1",
                          "pronySeries cannot be used as it stands");
  return DV_OK;
}

// the two parameters of the law: mu and the bulk modulus
static void find_parameters(const Tled *t, double out[2])
{
  double young = dv_elastic_young(&t->elastic, 0), nu = dv_elastic_poisson(&t->elastic, 0);
  out[0] = dv_lame_mu(young, nu);
  out[1] = dv_lame_lambda(young, nu, 3) + 2 * out[0] / 3;
}

static dvHyperDef define_tetrahedra(const Tled *t, const double parameters[2])
{
  const dvState *s = t->elastic.force.state;
  return (dvHyperDef){.rest = dv_state_read(s, DV_X_REST),
                      .points = s->count,
                      .tetrahedra = t->corners,
                      .count = t->count,
                      .law = DV_SPLIT_NEO_HOOKEAN,
                      .parameters = parameters,
                      .terms = (int)(t->pronySeries.count / 2),
                      .prony = t->pronySeries.data};
}

static dvHexaTledDef define_hexahedra(const Tled *t, const double parameters[2])
{
  const dvState *s = t->elastic.force.state;
  return (dvHexaTledDef){.rest = dv_state_read(s, DV_X_REST),
                         .points = s->count,
                         .hexahedra = t->corners,
                         .count = t->count,
                         .mu = parameters[0],
                         .bulk = parameters[1],
                         .hourglass = t->hourglassControl,
                         .cells = dv_elastic_topology(&t->elastic)};
}

static dvStatus create_elements(Tled *t, size_t *flat)
{
  double parameters[2];
  find_parameters(t, parameters);
  if (is_tetra(t)) {
    dvHyperDef def = define_tetrahedra(t, parameters);
    return dv_hyper_create(&def, &t->tetra, flat);
  }
  dvHexaTledDef def = define_hexahedra(t, parameters);
  return dv_hexa_tled_create(&def, &t->hexa, flat);
}

static dvStatus tled_reinit(dvObject *o)
{
  Tled *t = (Tled *)o;
  dvElementKind kind = is_tetra(t) ? DV_TETRAHEDRON : DV_HEXAHEDRON;
  dvTopology *topology = dv_elastic_topology(&t->elastic);
  t->stale = true;
  const dvInts *elements = dv_force_elements(o, topology, kind, t->elastic.force.state);
  if (!elements) return DV_ERROR_INPUT;
  t->corners = elements->data;
  t->count = dv_ints_size(elements);
  DV_TRY(dv_elastic_check(&t->elastic, 1, 0.5));
  DV_TRY(check_fields(t));
  size_t flat = 0;
  dvReals viscous = {.width = 1};
  if (t->follows && t->tetra) dv_hyper_take(&t->memory, t->count, &viscous);
  dv_hyper_destroy(&t->tetra);
  dv_hexa_tled_destroy(&t->hexa);
  if (create_elements(t, &flat) != DV_OK)
    return dv_error(o, NULL, "out of memory for %zu %s", t->count, dv_element_name(kind));
  if (flat) dv_warning(o, "repair the mesh", "%zu %s are flat and give no force", flat, dv_element_name(kind));
  if (t->tetra) {
    dv_hyper_put(t->tetra, &viscous);
    dv_hyper_follow(t->tetra, &t->memory, dv_follow_elements(o, topology, kind));
  }
  dv_reals_free(&viscous);
  t->stale = false;
  return DV_OK;
}

static bool patch(dvObject *o)
{
  Tled *t = (Tled *)o;
  dvTopology *topology = dv_elastic_topology(&t->elastic);
  const dvInts *elements = dv_topology_elements(topology, is_tetra(t) ? DV_TETRAHEDRON : DV_HEXAHEDRON);
  double parameters[2];
  if (t->stale) return false;
  t->corners = elements->data;
  t->count = dv_ints_size(elements);
  find_parameters(t, parameters);
  if (t->tetra) {
    dvHyperDef def = define_tetrahedra(t, parameters);
    if (!dv_hyper_patch(t->tetra, &def, topology)) return false;
    dv_hyper_settle(t->tetra, &t->memory, topology);
    return true;
  }
  dvHexaTledDef def = define_hexahedra(t, parameters);
  return dv_hexa_tled_patch(t->hexa, &def, topology);
}

static void tled_topology_changed(dvObject *o)
{
  Tled *t = (Tled *)o;
  t->follows = !o->rewound;
  dv_force_patch_or_remake(o, dv_elastic_topology(&t->elastic), patch);
  t->follows = false;
}

static dvStatus tled_init(dvObject *o)
{
  Tled *t = (Tled *)o;
  DV_TRY(dv_elastic_init(o));
  DV_TRY(tled_reinit(o));
  dvElementKind kind = is_tetra(t) ? DV_TETRAHEDRON : DV_HEXAHEDRON;
  dv_follow_elements(o, dv_elastic_topology(&t->elastic), kind);
  if (t->count == 0)
    dv_warning(o, "give it elements, such as by src=\"@loader\"", "the topology %s has no %s: there will be no force",
               t->elastic.topology.target->name, dv_element_name(kind));
  return DV_OK;
}

static void tled_add_force(dvObject *o, const dvMech *m)
{
  Tled *t = (Tled *)o;
  dvState *s = t->elastic.force.state;
  if (t->stale) return;
  const double *x = dv_state_read(s, m->x);
  double *f = dv_state_write(s, m->f);
  if (t->tetra && m->dt > 0) dv_hyper_set_step(t->tetra, m->dt);
  if (t->tetra) {
    dv_hyper_keep(t->tetra, m->implicit);
    dv_hyper_add_force(t->tetra, o->context->pool, x, f);
  } else {
    dv_hexa_tled_keep(t->hexa, m->implicit);
    dv_hexa_tled_add_force(t->hexa, o->context->pool, x, f);
  }
}

static void tled_add_dforce(dvObject *o, const dvMech *m)
{
  Tled *t = (Tled *)o;
  dvState *s = t->elastic.force.state;
  if (t->stale) return;
  const double *dx = dv_state_read(s, m->dx);
  double *df = dv_state_write(s, m->df), k = dv_mech_k(m, t->elastic.force.rayleighStiffness);
  if (t->tetra) dv_hyper_add_dforce(t->tetra, o->context->pool, dx, k, df);
  else dv_hexa_tled_add_dforce(t->hexa, o->context->pool, dx, k, df);
}

static void tled_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  Tled *t = (Tled *)o;
  if (t->stale) return;
  double k = dv_mech_k(m, t->elastic.force.rayleighStiffness);
  dvElementMatrices matrices = t->tetra ? dv_hyper_matrices(t->tetra, k) : dv_hexa_tled_matrices(t->hexa, k);
  dv_element_matrices_add(&matrices, sink, t->elastic.force.state);
}

static double tled_energy(dvObject *o, const dvMech *m)
{
  Tled *t = (Tled *)o;
  if (t->stale) return 0;
  const double *x = dv_state_read(t->elastic.force.state, m->x);
  return t->tetra ? dv_hyper_energy(t->tetra, o->context->pool, x) : dv_hexa_tled_energy(t->hexa, o->context->pool, x);
}

static void tled_end_step(dvObject *o)
{
  Tled *t = (Tled *)o;
  if (!t->stale && t->tetra) dv_hyper_end_step(t->tetra, o->context->pool, dv_state_read(t->elastic.force.state, DV_X));
}

static void tled_remember(dvObject *o, dvMemoryStream *s)
{
  Tled *t = (Tled *)o;
  if (t->tetra) dv_hyper_remember(t->tetra, s);
}

static void tled_destroy(dvObject *o)
{
  dv_hyper_destroy(&((Tled *)o)->tetra);
  dv_hexa_tled_destroy(&((Tled *)o)->hexa);
  dv_lane_memory_free(&((Tled *)o)->memory);
}

static const dvForceOps tled_ops = {
    .add_force = tled_add_force,
    .add_dforce = tled_add_dforce,
    .add_stiffness = tled_add_stiffness,
    .energy = tled_energy,
    DV_FORCE_SLOTS,
};

#define TLED_CLASS(name_, other_, fields_)                                                                     \
  {                                                                                                            \
    .struct_size = sizeof(dvClass), .name = name_, .aliases = other_, .module = "SofaCUDA",                    \
    .help = "Neo-Hookean finite elements of total Lagrangian explicit dynamics", .dofs = DV_DOF_VEC3,          \
    .size = sizeof(Tled), .blocks = {&dv_object_block, &dv_force_block, &dv_elastic_block, DV_BLOCK(fields_)}, \
    .ops = {[DV_ROLE_FORCE] = &tled_ops}, .init = tled_init, .reinit = tled_reinit, .remember = tled_remember, \
    .end_step = tled_end_step, .destroy = tled_destroy, .topology_changed = tled_topology_changed,             \
  }
const dvClass dv_tetra_tled_class =
    TLED_CLASS("TetrahedronTLEDForceField", "CudaTetrahedronTLEDForceField", tetra_tled_fields);
const dvClass dv_hexa_tled_class =
    TLED_CLASS("HexahedronTLEDForceField", "CudaHexahedronTLEDForceField", hexa_tled_fields);
