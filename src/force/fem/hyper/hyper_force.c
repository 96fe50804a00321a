// TetrahedronHyperelasticityFEMForceField, StandardTetrahedralFEMForceField, and MJEDTetrahedralForceField with
// viscosity: hyperelastic tetrahedra. The computation is in hyper.c; here are the fields, the topology and the state.
// Needs a topology with tetrahedra.
#include "force/fem/hyper/hyper.h"
#include "force/mesh.h"

#include <string.h>

#define HYPER_FIELDS(X)                                                                                                \
  X(choice, materialName, "ArrudaBoyce", "", "law of the material",                                                    \
    .options = "ArrudaBoyce|StVenantKirchhoff|NeoHookean|MooneyRivlin|VerondaWestman|Costa|Ogden|StableNeoHookean|"    \
               "HolzapfelOgden|Guccione")                                                                              \
  X(reals, ParameterSet, "", "Pa",                                                                                     \
    "parameters of the law: mu k (ArrudaBoyce), mu lambda (StVenantKirchhoff, NeoHookean, StableNeoHookean), c1 c2 k " \
    "(MooneyRivlin, VerondaWestman), mu alpha k (Ogden), a k bff bfs bss bfn bsn bnn (Costa), a b af bf as bs afs "    \
    "bfs k (HolzapfelOgden), C k bf bt bfs (Guccione)")                                                                \
  X(vec3s, AnisotropyDirections, "", "",                                                                               \
    "direction of the fibres of each tetrahedron, for Costa, HolzapfelOgden and Guccione; x when there are none",      \
    .alias = "fibres")                                                                                                 \
  X(vec3s, sheets, "", "", "direction of the sheets of each tetrahedron, across the fibres; any when there are none")  \
  X(reals, stiffnessFactors, "", "",                                                                                   \
    "of each tetrahedron: times its stiffness, such as those of a scar (stiffnesses of TissueZone); 1 when there are " \
    "none")                                                                                                            \
  X(reals, tetrahedronInfo, "", "", "not used: what an element keeps is internal", .flags = DV_HIDDEN)                 \
  X(reals, edgeInfo, "", "", "not used: what an edge keeps is internal", .flags = DV_HIDDEN)                           \
  X(link, topology, "", "", "topology with the tetrahedra; the one of the node or above by default",                   \
    .role = DV_ROLE_TOPOLOGY)

#define HYPERELASTICITY_FIELDS(X)                                                                     \
  X(bool, matrixRegularization, "0", "", "not used: the tangent is the exact derivative, as in SOFA", \
    .flags = DV_HIDDEN)
#define STANDARD_FIELDS(X)                                                                               \
  X(string, ParameterFile, "myFile.param", "", "not used, as in SOFA: parameters stand in ParameterSet", \
    .flags = DV_HIDDEN)
#define MJED_FIELDS(X)             \
  X(reals, pronySeries, "", "- s", \
    "viscosity: pairs of a part of the stress and the time in which it decays; none when empty")

typedef struct HyperForce {
  dvForce force;
  HYPER_FIELDS(DV_MEMBER)
  HYPERELASTICITY_FIELDS(DV_MEMBER)
  STANDARD_FIELDS(DV_MEMBER)
  MJED_FIELDS(DV_MEMBER)
  dvHyper *elements;
  const int32_t *tetra;   // four points each, the topology's
  size_t count;
  bool stale;              // there is no valid set of elements
  double costa[8];         // parameters of Guccione's law as one of Costa's
  DV_ARRAY(double) axes;   // nine numbers a tetrahedron, or none
  dvLaneMemory memory;     // where the viscous stresses of each element are
  bool follows;            // the mesh has changed
} HyperForce;

#define SELF HyperForce
static const dvFieldDesc hyper_fields[] = {HYPER_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc hyperelasticity_fields[] = {HYPERELASTICITY_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc standard_fields[] = {STANDARD_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc mjed_fields[] = {MJED_FIELDS(DV_DESCRIBE)};
#undef SELF

// The choices of materialName are laws, but for the last: Guccione, Waldman and McCulloch (1993) have Costa's law with
// the same stiffness in both directions across the fibre.
enum { GUCCIONE = DV_HOLZAPFEL_OGDEN + 1 };
static dvHyperLaw law_of(const HyperForce *h)
{
  return h->materialName == GUCCIONE ? DV_COSTA : (dvHyperLaw)h->materialName;
}
static size_t parameters_of(const HyperForce *h)
{
  return h->materialName == GUCCIONE ? 5 : (size_t)dv_hyper_parameters[h->materialName];
}

static const double *parameters(HyperForce *h)
{
  const double *p = h->ParameterSet.data;
  if (h->materialName != GUCCIONE) return p;
  const double bf = p[2], bt = p[3], bfs = p[4], costa[8] = {p[0], p[1], bf, bfs, bt, bfs, bt, bt};
  memcpy(h->costa, costa, sizeof costa);
  return h->costa;
}

static dvStatus check_parameters(HyperForce *h)
{
  static const char *const names[] = {"mu and k",
                                      "mu and lambda",
                                      "mu and lambda",
                                      "c1, c2 and k",
                                      "c1, c2 and k",
                                      "a, k, bff, bfs, bss, bfn, bsn and bnn",
                                      "mu, alpha and k",
                                      "mu and lambda",
                                      "a, b, af, bf, as, bs, afs, bfs and k",
                                      "C, k, bf, bt and bfs"};
  dvObject *o = &h->force.base;
  const double *p = h->ParameterSet.data;
  size_t want = parameters_of(h);
  char *advice = dv_format("give %s", names[h->materialName]);
  dvStatus status = DV_OK;
  if (h->ParameterSet.count < want)
    status = dv_field_error(o, &h->ParameterSet, advice, "there are %zu parameters, the law has %zu",
                            h->ParameterSet.count, want);
  for (size_t i = 0; i < want && status == DV_OK; i++)
    if (!(p[i] > -DV_EXPLODED && p[i] < DV_EXPLODED))
      status = dv_field_error(o, &h->ParameterSet, advice, "parameter %zu is not a number", i);
  if (status == DV_OK && h->materialName == DV_OGDEN && p[1] == 0)
    status = dv_field_error(o, &h->ParameterSet, advice, "alpha is 0");
  if (status == DV_OK && h->materialName == DV_STABLE_NEO_HOOKEAN && !(p[0] + p[1] > 0))
    status = dv_field_error(o, &h->ParameterSet, advice, "mu + lambda is %g, not above 0", p[0] + p[1]);
  for (int i = 1; status == DV_OK && h->materialName == DV_HOLZAPFEL_OGDEN && i < 8; i += 2)
    if (!(p[i] > 0)) status = dv_field_error(o, &h->ParameterSet, advice, "an exponent b is %g, not above 0", p[i]);
    else if (!(p[i - 1] >= 0))
      status = dv_field_error(o, &h->ParameterSet, advice, "a stress a is %g, below 0", p[i - 1]);
  if (status == DV_OK && h->ParameterSet.count > want)
    dv_field_warning(o, &h->ParameterSet, advice, "there are %zu parameters, the law has %zu: the others are not used",
                     h->ParameterSet.count, want);
  dv_free(advice);
  return status;
}

// what gives way by itself drives motion instead of holding it: legal, and hardly ever meant
static void warn_of_stability(HyperForce *h)
{
  double s[6], d[6][6], bulk = 0, shear = INFINITY;
  dv_hyper_evaluate(law_of(h), parameters(h), dv_mat3_diagonal(dv_vec3(1, 1, 1)), s, d);
  for (int i = 0; i < 9; i++) bulk += d[i / 3][i % 3] / 9;
  for (int i = 3; i < 6; i++) shear = dv_min(shear, d[i][i]);
  double rounding = 1e-9 * fabs(d[0][0]);
  if (bulk < -rounding || shear < -rounding)
    dv_field_warning(&h->force.base, &h->ParameterSet, "look at the signs of the parameters",
                     "the material is not stable at rest: its bulk modulus is %.3g Pa, its shear modulus %.3g Pa", bulk,
                     shear);
}

static dvStatus check_viscosity(HyperForce *h)
{
  dvObject *o = &h->force.base;
  const dvReals *p = &h->pronySeries;
  double sum = 0;
  if (p->count % 2)
    return dv_field_error(o, p, "give pairs: pronySeries=\"0.3 0.1\"",
                          "pronySeries has %zu numbers, which do not make pairs", p->count);
  if (p->count > 2 * DV_HYPER_TERMS)
    return dv_field_error(o, p, NULL, "pronySeries has %zu terms; %d are possible", p->count / 2, DV_HYPER_TERMS);
  for (size_t i = 0; i < p->count; i += 2) {
    if (!(p->data[i] >= 0) || !(p->data[i + 1] > 0))
      return dv_field_error(o, p, "parts are from 0 to 1, times above 0", "term %zu of pronySeries is %g, %g", i / 2,
                            p->data[i], p->data[i + 1]);
    sum += p->data[i];
  }
  if (!(sum < 1))
    return dv_field_error(o, p, "their sum must stay below 1",
                          "the parts of pronySeries have the sum %g: nothing would be left of a stress", sum);
  return DV_OK;
}

// fibre, sheet and normal of each tetrahedron, where the law has directions and the scene gives them
static dvStatus make_axes(HyperForce *h)
{
  dvObject *o = &h->force.base;
  bool directed = law_of(h) == DV_COSTA || law_of(h) == DV_HOLZAPFEL_OGDEN;
  size_t fibres = h->AnisotropyDirections.count / 3, sheets = h->sheets.count / 3;
  h->axes.count = 0;
  if (fibres == 0) return DV_OK;
  if (!directed) {
    dv_field_warning(o, &h->AnisotropyDirections, "Costa, Guccione and HolzapfelOgden have fibres",
                     "fibres have no effect on this law");
    return DV_OK;
  }
  if (fibres != h->count || (sheets && sheets != h->count))
    return dv_field_error(o, fibres != h->count ? &h->AnisotropyDirections : &h->sheets,
                          "give one for each tetrahedron", "there are %zu fibres and %zu sheets for %zu tetrahedra",
                          fibres, sheets, h->count);
  dv_array_resize(&h->axes, 9 * fibres);
  for (size_t i = 0; i < fibres; i++) {
    dvVec3 f = dv_vec3_load(h->AnisotropyDirections.data + 3 * i), s = dv_vec3(1, 0, 0);
    if (!(dv_vec3_norm2(f) > 0) || !isfinite(dv_vec3_norm2(f)))
      return dv_field_error(o, &h->AnisotropyDirections, "every tetrahedron needs a direction",
                            "the fibre of tetrahedron %zu has no direction", i);
    f = dv_vec3_normalise(f);
    if (fabs(f.x) > 0.7) s = dv_vec3(0, 1, 0);
    if (sheets) s = dv_vec3_load(h->sheets.data + 3 * i);
    s = dv_vec3_normalise(dv_vec3_add_scaled(s, f, -dv_vec3_dot(s, f)));
    if (!(dv_vec3_norm2(s) > 0.5))
      return dv_field_error(o, &h->sheets, "give a direction across the fibre",
                            "the sheet of tetrahedron %zu runs along its fibre", i);
    dv_mat3_store(h->axes.data + 9 * i, dv_mat3_from_rows(f, s, dv_vec3_cross(f, s)));
  }
  return DV_OK;
}

static dvStatus check_factors(HyperForce *h)
{
  dvObject *o = &h->force.base;
  const dvReals *factors = &h->stiffnessFactors;
  DV_TRY(dv_pull(o, factors));
  if (factors->count && factors->count != h->count)
    return dv_field_error(o, factors, "give one for each tetrahedron", "there are %zu factors for %zu tetrahedra",
                          factors->count, h->count);
  for (size_t i = 0; i < factors->count; i++)
    if (!(factors->data[i] > 0 && factors->data[i] < DV_EXPLODED))
      return dv_field_error(o, factors, "give numbers above 0; 1 changes nothing",
                            "tetrahedron %zu would be %g times as stiff", i, factors->data[i]);
  return DV_OK;
}

static dvHyperDef definition(HyperForce *h)
{
  const dvState *s = h->force.state;
  return (dvHyperDef){.rest = dv_state_read(s, DV_X_REST),
                      .points = s->count,
                      .tetrahedra = h->tetra,
                      .count = h->count,
                      .law = law_of(h),
                      .parameters = parameters(h),
                      .axes = h->axes.count ? h->axes.data : NULL,
                      .factors = h->stiffnessFactors.count ? h->stiffnessFactors.data : NULL,
                      .terms = (int)(h->pronySeries.count / 2),
                      .prony = h->pronySeries.data};
}

static dvStatus hyper_force_reinit(dvObject *o)
{
  HyperForce *h = (HyperForce *)o;
  dvState *s = h->force.state;
  dvTopology *topology = dv_topology(h->topology.target);
  h->stale = true;
  const dvInts *tetrahedra = dv_force_elements(o, topology, DV_TETRAHEDRON, s);
  if (!tetrahedra) return DV_ERROR_INPUT;
  DV_TRY(check_parameters(h));
  DV_TRY(check_viscosity(h));
  warn_of_stability(h);
  h->tetra = tetrahedra->data;
  h->count = dv_ints_size(tetrahedra);
  DV_TRY(make_axes(h));
  DV_TRY(check_factors(h));
  dvHyperDef def = definition(h);
  size_t flat = 0;
  dvReals viscous = {.width = 1};
  if (h->follows && h->elements) dv_hyper_take(&h->memory, h->count, &viscous);
  dv_hyper_destroy(&h->elements);
  if (dv_hyper_create(&def, &h->elements, &flat) != DV_OK)
    return dv_error(o, NULL, "out of memory for %zu tetrahedra", h->count);
  if (flat) dv_warning(o, "repair the mesh", "%zu tetrahedra are flat and give no force", flat);
  dv_hyper_put(h->elements, &viscous);
  dv_reals_free(&viscous);
  dv_hyper_follow(h->elements, &h->memory, dv_follow_elements(o, topology, DV_TETRAHEDRON));
  h->stale = false;
  return DV_OK;
}

static bool patch(dvObject *o)
{
  HyperForce *h = (HyperForce *)o;
  dvTopology *topology = dv_topology(h->topology.target);
  if (h->stale || !h->elements || h->axes.count || h->stiffnessFactors.count) return false;
  const dvInts *tetrahedra = dv_topology_elements(topology, DV_TETRAHEDRON);
  h->tetra = tetrahedra->data;
  h->count = dv_ints_size(tetrahedra);
  dvHyperDef def = definition(h);
  if (!dv_hyper_patch(h->elements, &def, topology)) return false;
  dv_hyper_settle(h->elements, &h->memory, topology);
  return true;
}

static void hyper_force_topology_changed(dvObject *o)
{
  HyperForce *h = (HyperForce *)o;
  h->follows = !o->rewound;
  dv_force_patch_or_remake(o, dv_topology(h->topology.target), patch);
  h->follows = false;
}

static dvStatus hyper_force_init(dvObject *o)
{
  HyperForce *h = (HyperForce *)o;
  DV_TRY(dv_force_init(o));
  if (!dv_force_topology(o, &h->topology)) return DV_ERROR_INPUT;
  DV_TRY(hyper_force_reinit(o));
  dvElementData *rows = dv_follow_elements(o, dv_topology(h->topology.target), DV_TETRAHEDRON);
  if (h->AnisotropyDirections.count) dv_element_data_add_reals(rows, &h->AnisotropyDirections, true);
  if (h->sheets.count) dv_element_data_add_reals(rows, &h->sheets, true);
  if (h->stiffnessFactors.count) dv_element_data_add_reals(rows, &h->stiffnessFactors, true);
  if (h->count == 0)
    dv_warning(o, "give it tetrahedra, such as by src=\"@loader\"",
               "the topology %s has no tetrahedra: there will be no force", h->topology.target->name);
  return DV_OK;
}

static void hyper_force_add_force(dvObject *o, const dvMech *m)
{
  HyperForce *h = (HyperForce *)o;
  dvState *s = h->force.state;
  if (h->stale) return;
  const double *x = dv_state_read(s, m->x);
  if (m->dt > 0) dv_hyper_set_step(h->elements, m->dt);
  dv_hyper_keep(h->elements, m->implicit);
  dv_hyper_add_force(h->elements, o->context->pool, x, dv_state_write(s, m->f));
}

static void hyper_force_add_dforce(dvObject *o, const dvMech *m)
{
  HyperForce *h = (HyperForce *)o;
  if (h->stale) return;
  dvState *s = h->force.state;
  const double *dx = dv_state_read(s, m->dx);
  dv_hyper_add_dforce(h->elements, o->context->pool, dx, dv_mech_k(m, h->force.rayleighStiffness),
                      dv_state_write(s, m->df));
}

static void hyper_force_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  HyperForce *h = (HyperForce *)o;
  if (h->stale) return;
  dvElementMatrices matrices = dv_hyper_matrices(h->elements, dv_mech_k(m, h->force.rayleighStiffness));
  dv_element_matrices_add(&matrices, sink, h->force.state);
}

static double hyper_force_energy(dvObject *o, const dvMech *m)
{
  HyperForce *h = (HyperForce *)o;
  if (h->stale) return 0;
  return dv_hyper_energy(h->elements, o->context->pool, dv_state_read(h->force.state, m->x));
}

static void hyper_force_end_step(dvObject *o)
{
  HyperForce *h = (HyperForce *)o;
  if (!h->stale) dv_hyper_end_step(h->elements, o->context->pool, dv_state_read(h->force.state, DV_X));
}

static void hyper_force_remember(dvObject *o, dvMemoryStream *s)
{
  HyperForce *h = (HyperForce *)o;
  if (h->elements) dv_hyper_remember(h->elements, s);
}

static void hyper_force_destroy(dvObject *o)
{
  dv_hyper_destroy(&((HyperForce *)o)->elements);
  dv_array_free(&((HyperForce *)o)->axes);
  dv_lane_memory_free(&((HyperForce *)o)->memory);
}

static const dvForceOps hyper_force_ops = {
    .add_force = hyper_force_add_force,
    .add_dforce = hyper_force_add_dforce,
    .matrix_pays = 25,
    .add_stiffness = hyper_force_add_stiffness,
    .energy = hyper_force_energy,
    DV_FORCE_SLOTS,
};

#define HYPER_CLASS(name_, fields_, presets_)                                                                    \
  {                                                                                                              \
    .struct_size = sizeof(dvClass), .name = name_, .presets = presets_,                                          \
    .help = "hyperelastic finite elements on tetrahedra, total Lagrangian",                                      \
    .module = "Sofa.Component.SolidMechanics.FEM.HyperElastic", .dofs = DV_DOF_VEC3, .size = sizeof(HyperForce), \
    .blocks = {&dv_object_block, &dv_force_block, DV_BLOCK(hyper_fields), DV_BLOCK(fields_)},                    \
    .ops = {[DV_ROLE_FORCE] = &hyper_force_ops}, .init = hyper_force_init, .reinit = hyper_force_reinit,         \
    .remember = hyper_force_remember, .end_step = hyper_force_end_step, .destroy = hyper_force_destroy,          \
    .topology_changed = hyper_force_topology_changed,                                                            \
  }

extern const dvClass dv_hyperelasticity_class, dv_standard_tetra_class, dv_mjed_class, dv_mooney_rivlin_class;
const dvClass dv_hyperelasticity_class =
    HYPER_CLASS("TetrahedronHyperelasticityFEMForceField", hyperelasticity_fields, NULL);
const dvClass dv_standard_tetra_class = HYPER_CLASS("StandardTetrahedralFEMForceField", standard_fields, NULL);
const dvClass dv_mjed_class = HYPER_CLASS("MJEDTetrahedralForceField", mjed_fields, NULL);
const dvClass dv_mooney_rivlin_class = HYPER_CLASS("MooneyRivlin", mjed_fields, "materialName=MooneyRivlin");
