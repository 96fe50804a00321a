// TetrahedronFEMForceField, TetrahedralCorotationalFEMForceField, FastTetrahedralCorotationalForceField: corotational
// linear tetrahedra of an isotropic material. All names are the same computation (tetra_corot.c); here are the fields,
// the topology and the state.
//
// Needs a topology with tetrahedra. The first name also cuts hexahedra into six tetrahedra each where there are none,
// mirrored from cell to cell of a grid so that the diagonals of neighbours meet; cells keep that through changes.
#include "element/lane_memory.h"
#include "force/fem/corot/point_rotations.h"
#include "force/fem/corot/tetra_corot.h"
#include "force/fem/corot/tetra_cut.h"
#include "force/fem/corot/tetra_plastic.h"
#include "force/fem/elastic.h"
#include "object/compat.h"
#include "topology/change/fill.h"

#include <string.h>

extern const dvClass dv_tetra_fem_class, dv_tetra_corot_class, dv_fast_tetra_class, dv_parallel_tetra_fem_class;

#define TETRA_COMMON_FIELDS(X)                                                                                       \
  X(choice, method, "large", "",                                                                                     \
    "rotation of an element: none (small), from its first edges (large), polar decomposition of its edges (polar), " \
    "or that with singular values where it is inverted (svd). These depend on the order of its corners: on "         \
    "symmetric meshes a body drifts sideways by a thousandth of its deflection; "                                    \
    "FastTetrahedralCorotationalForceField with method polar does not",                                              \
    .options = "small|large|polar|svd|QR|none")                                                                      \
  X(reals, localStiffnessFactor, "", "",                                                                             \
    "factors on Young's modulus: with M values for N elements, element i takes number i M / N")                      \
  X(bool, updateStiffnessMatrix, "0", "",                                                                            \
    "take strains with gradients of the present shape; in method large the normal strains alone")                    \
  X(bool, computeGlobalMatrix, "0", "", "not used: the result is the same with and without the global matrix",       \
    .alias = "assembling")                                                                                           \
  X(reals, vonMisesPerElement, "", "Pa", "von Mises stress of each tetrahedron", .flags = DV_READ_ONLY)              \
  X(reals, vonMisesPerNode, "", "Pa", "mean of the tetrahedra around each point", .flags = DV_READ_ONLY)

#define TETRA_FEM_FIELDS(X)                                                                                      \
  X(vec3s, initialPoints, "", "m", "positions at rest", .flags = DV_READ_ONLY | DV_OUTPUT)                       \
  X(real, plasticMaxThreshold, "0", "",                                                                          \
    "largest plastic strain, as 2-norm; 0 for an elastic material. With compat sofa, times six volumes")         \
  X(real, plasticYieldThreshold, "0.0001", "",                                                                   \
    "elastic strain from which the material flows, measured in the same way")                                    \
  X(real, plasticCreep, "0.9", "",                                                                               \
    "part of the elastic strain that becomes plastic at each evaluation of the force: depends on the time step") \
  X(int, vonMises, "0", "",                                                                                      \
    "von Mises stress at the end of each step: 0 none, 1 from corotational strain, 2 from Green's strain",       \
    .spelling = "computeVonMisesStress")                                                                         \
  X(bool, updateStiffness, "0", "", "read the moduli again at the start of each step")                           \
  X(vec4s, vonMisesStressColors, "", "", "colours of the stress at the points", .flags = DV_LOOKS)               \
  X(string, gatherPt, "", "", "concerns graphics cards only", .flags = DV_HIDDEN)                                \
  X(string, gatherBsize, "", "", "concerns graphics cards only", .flags = DV_HIDDEN)                             \
  X(bool, drawHeterogeneousTetra, "0", "", "colour by Young's modulus", .flags = DV_LOOKS)                       \
  X(string, showStressColorMap, "Blue to Red", "", "colours of stress", .flags = DV_LOOKS)                       \
  X(real, showStressAlpha, "1", "", "factor on the largest stress of the colours", .flags = DV_LOOKS)            \
  X(bool, showVonMisesStressPerNode, "0", "", "draw the stress at points", .flags = DV_LOOKS)                    \
  X(bool, showVonMisesStressPerNodeColorMap, "0", "", "draw the stress between points", .flags = DV_LOOKS)       \
  X(bool, showVonMisesStressPerElement, "0", "", "draw the stress of elements", .flags = DV_LOOKS)               \
  X(real, showElementGapScale, "0.333", "", "gap between drawn elements, 0 to 1", .flags = DV_LOOKS)

#define TETRA_COROT_FIELDS(X)                                                                                     \
  X(bool, withVonMises, "0", "", "von Mises stress at the end of each step", .spelling = "computeVonMisesStress") \
  X(reals, tetrahedronInfo, "", "", "not used: what an element keeps is internal", .flags = DV_HIDDEN)

#define FAST_TETRA_FIELDS(X)                                                                                       \
  X(choice, fastMethod, "qr", "",                                                                                  \
    "rotation of an element: from its edges (qr), polar decomposition of the deformation (polar) or of the edges " \
    "(polar2), none",                                                                                              \
    .spelling = "method", .options = "none|qr|polar|polar2|large|linear|small")                                    \
  X(reals, pointInfo, "", "", "not used: what a point keeps is internal", .flags = DV_HIDDEN)                      \
  X(reals, edgeInfo, "", "", "not used: what an edge keeps is internal", .flags = DV_HIDDEN)                       \
  X(reals, elementInfo, "", "", "not used: what an element keeps is internal", .spelling = "tetrahedronInfo",      \
    .flags = DV_HIDDEN)

#define TETRA_DRAW_FIELDS(X)                                                             \
  X(bool, drawing, "1", "", "draw the tetrahedra", .flags = DV_LOOKS)                    \
  X(color, drawColor1, "0 0 1 1", "", "colour of the first faces", .flags = DV_LOOKS)    \
  X(color, drawColor2, "0 0.5 1 1", "", "colour of the second faces", .flags = DV_LOOKS) \
  X(color, drawColor3, "0 1 1 1", "", "colour of the third faces", .flags = DV_LOOKS)    \
  X(color, drawColor4, "0.5 1 1 1", "", "colour of the fourth faces", .flags = DV_LOOKS)

typedef struct TetraForce {
  dvElastic elastic;
  TETRA_COMMON_FIELDS(DV_MEMBER)
  TETRA_FEM_FIELDS(DV_MEMBER)
  TETRA_COROT_FIELDS(DV_MEMBER)
  FAST_TETRA_FIELDS(DV_MEMBER)
  TETRA_DRAW_FIELDS(DV_MEMBER)
  DV_PARALLEL_FIELDS(DV_MEMBER)
  dvTetraCorot *elements;
  dvTetraCut cut;         // tetrahedra made from hexahedra
  dvReals plastic;        // plastic strain, while the topology changes and elements are made again
  dvLaneMemory memory;    // where that of each tetrahedron is
  const int32_t *tetra;   // four points each: the topology's or our own
  size_t count;
  bool stale;                        // there is no valid set of elements
  bool follows;                      // the mesh has changed
  DV_ARRAY(double) young, poisson;   // [count]
  DV_ARRAY(double) share;   // [points] one over the number of tetrahedra around a point; empty without stresses
} TetraForce;

#define SELF TetraForce
static const dvFieldDesc tetra_common_fields[] = {TETRA_COMMON_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc tetra_fem_fields[] = {TETRA_FEM_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc tetra_corot_fields[] = {TETRA_COROT_FIELDS(DV_DESCRIBE) TETRA_DRAW_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc fast_tetra_fields[] = {FAST_TETRA_FIELDS(DV_DESCRIBE) TETRA_DRAW_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc parallel_tetra_fem_fields[] = {TETRA_FEM_FIELDS(DV_DESCRIBE) DV_PARALLEL_FIELDS(DV_DESCRIBE)};
#undef SELF

static bool is_a(const TetraForce *t, const dvClass *cls) { return t->elastic.force.base.cls == cls; }
static bool is_fem(const TetraForce *t)
{
  return is_a(t, &dv_tetra_fem_class) || is_a(t, &dv_parallel_tetra_fem_class);
}
static int stress_kind(const TetraForce *t) { return is_fem(t) ? t->vonMises : t->withVonMises; }

// SOFA takes what it does not know as large
static dvCorotMethod method_of(const TetraForce *t)
{
  static const dvCorotMethod methods[] = {DV_COROT_SMALL, DV_COROT_LARGE, DV_COROT_POLAR,
                                          DV_COROT_SVD,   DV_COROT_LARGE, DV_COROT_LARGE};
  static const dvCorotMethod fast[] = {DV_COROT_SMALL, DV_COROT_LARGE, DV_COROT_DEFORMATION, DV_COROT_POLAR,
                                       DV_COROT_LARGE, DV_COROT_SMALL, DV_COROT_SMALL};
  if (is_a(t, &dv_fast_tetra_class)) return fast[t->fastMethod];
  return methods[t->method] == DV_COROT_SVD && !is_fem(t) ? DV_COROT_LARGE : methods[t->method];
}

// --- elements ---

// hexahedra stand for tetrahedra
static bool is_cut(const TetraForce *t)
{
  dvTopology *topology = dv_elastic_topology(&t->elastic);
  return is_fem(t) && (t->cut.mirrors.count || (dv_topology_count(topology, DV_TETRAHEDRON) == 0 &&
                                                dv_topology_count(topology, DV_HEXAHEDRON) > 0));
}

static dvStatus find_elements(TetraForce *t)
{
  dvObject *o = &t->elastic.force.base;
  dvTopology *topology = dv_elastic_topology(&t->elastic);
  dvState *s = t->elastic.force.state;
  const dvInts *tetrahedra = dv_force_elements(o, topology, DV_TETRAHEDRON, s);
  if (!tetrahedra) return DV_ERROR_INPUT;
  if (is_cut(t)) {
    const dvInts *hexahedra = dv_force_elements(o, topology, DV_HEXAHEDRON, s);
    if (!hexahedra) return DV_ERROR_INPUT;
    if (!dv_tetra_cut_make(&t->cut, topology, hexahedra))
      return dv_error(o, NULL, "out of memory for %zu tetrahedra", 6 * dv_ints_size(hexahedra));
    tetrahedra = &t->cut.tetrahedra;
  }
  t->tetra = tetrahedra->data;
  t->count = dv_ints_size(tetrahedra);
  return DV_OK;
}

static void read_modulus(TetraForce *t, size_t i)
{
  const dvReals *factors = &t->localStiffnessFactor;
  t->young.data[i] =
      dv_elastic_young(&t->elastic, i) * (factors->count ? factors->data[i * factors->count / t->count] : 1);
  if (t->cut.tetrahedra.count)   // six of each hexahedron
    t->young.data[i] *= dv_topology_filled(dv_elastic_topology(&t->elastic), DV_HEXAHEDRON, i / 6);
  t->poisson.data[i] = dv_elastic_poisson(&t->elastic, i);
}

static void read_moduli(TetraForce *t)
{
  for (size_t i = 0; i < t->count; i++) read_modulus(t, i);
}

static void warn_of_shapes(const TetraForce *t, const dvTetraReport *report)
{
  const dvObject *o = &t->elastic.force.base;
  if (report->flat)
    dv_warning(o, "repair the mesh", "%zu tetrahedra are flat and give no force; the first is number %zu (volume %g)",
               report->flat, report->first_flat, report->first_flat_volume);
  if (report->inverted && t->cut.tetrahedra.count == 0)
    dv_warning(o, "swap two of its points", "%zu tetrahedra are inverted at rest; the first is number %zu (volume %g)",
               report->inverted, report->first_inverted, report->first_inverted_volume);
}

static dvTetraCorotDef definition(TetraForce *t)
{
  const dvState *s = t->elastic.force.state;
  return (dvTetraCorotDef){
      .rest = dv_state_read(s, DV_X_REST),
      .points = s->count,
      .tetrahedra = t->tetra,
      .count = t->count,
      .young = t->young.data,
      .poisson = t->poisson.data,
      .method = method_of(t),
      .present_gradients = t->updateStiffnessMatrix,
      .plastic_limit = t->plasticMaxThreshold,
      .plastic_yield = t->plasticYieldThreshold,
      .plastic_creep = t->plasticCreep,
      .plastic_by_volume = t->plasticMaxThreshold > 0 && dv_compat(&t->elastic.force.base, DV_COMPAT_PLASTIC_VOLUME),
  };
}

static dvStatus create_elements(TetraForce *t, dvTetraReport *report)
{
  dvTetraCorotDef def = definition(t);
  dv_tetra_corot_destroy(&t->elements);
  return dv_tetra_corot_create(&def, &t->elements, report);
}

static dvStatus check_options(TetraForce *t)
{
  dvObject *o = &t->elastic.force.base;
  if (t->method == 5)
    dv_field_warning(o, &t->method, "for elements that do not turn write method=\"small\"",
                     "there is no method none: large is used");
  if (t->vonMises < 0 || t->vonMises > 2)
    return dv_field_error(o, &t->vonMises, "take 1 for corotational or 2 for Green's strain",
                          "computeVonMisesStress %d is none of 0, 1 and 2", t->vonMises);
  if (t->localStiffnessFactor.count > t->count && t->count)
    dv_field_warning(o, &t->localStiffnessFactor, NULL, "there are %zu factors for %zu tetrahedra",
                     t->localStiffnessFactor.count, t->count);
  for (size_t i = 0; i < t->localStiffnessFactor.count; i++)
    if (!(t->localStiffnessFactor.data[i] >= 0))
      return dv_field_error(o, &t->localStiffnessFactor, NULL, "the factor %g is negative",
                            t->localStiffnessFactor.data[i]);
  return dv_elastic_check(&t->elastic, t->count, 0.5);
}

static dvStatus prepare_stress(TetraForce *t)
{
  size_t points = t->elastic.force.state->count;
  if (!dv_reals_resize(&t->vonMisesPerElement, t->count) || !dv_reals_resize(&t->vonMisesPerNode, points))
    return dv_error(&t->elastic.force.base, NULL, "out of memory for the stresses");
  t->share.count = 0;
  dv_array_resize(&t->share, points);
  for (size_t p = 0; p < points; p++) t->share.data[p] = 0;
  for (size_t i = 0; i < 4 * t->count; i++) t->share.data[t->tetra[i]]++;
  for (size_t p = 0; p < points; p++)
    if (t->share.data[p] > 0) t->share.data[p] = 1 / t->share.data[p];
  return DV_OK;
}

// --- plastic strain ---

static bool is_plastic(const TetraForce *t) { return t->plasticMaxThreshold > 0; }

// out of a lane, in the frame of the body
static void read_plastic(void *user, size_t element, size_t lane, double *out)
{
  TetraForce *t = user;
  dvTopology *topology = dv_elastic_topology(&t->elastic);
  const int32_t *corners = dv_topology_elements(topology, DV_TETRAHEDRON)->data + 4 * element;
  int32_t parts[4 * DV_CUT_PARTS];
  if (t->cut.tetrahedra.count) {   // of a cell as it is now, in the middle of a batch
    size_t cell = element / DV_CUT_PARTS;
    dv_tetra_cut_cell(dv_topology_elements(topology, DV_HEXAHEDRON)->data + 8 * cell, t->cut.mirrors.data[cell], parts);
    corners = parts + 4 * (element % DV_CUT_PARTS);
  }
  dv_tetra_corot_plastic(t->elements, lane, out);
  dv_tetra_plastic_turn(method_of(t), dv_state_read(t->elastic.force.state, DV_X_REST), corners, false, out);
}

static void write_plastic(void *user, size_t element, const double *strain)
{
  TetraForce *t = user;
  double own[6];
  memcpy(own, strain, sizeof own);
  dv_tetra_plastic_turn(method_of(t), dv_state_read(t->elastic.force.state, DV_X_REST), t->tetra + 4 * element, true,
                        own);
  dv_tetra_corot_set_plastic(t->elements, element, own);
}

static void create_plastic(void *user, const dvNewElement *e)
{
  dv_lane_memory_create(&((TetraForce *)user)->memory, e);
}

// before elements are made again after a change, in the frames that they have
static void collect_plastic(TetraForce *t)
{
  const double *rest = dv_state_read(t->elastic.force.state, DV_X_REST);
  bool plastic = t->follows && t->elements && is_plastic(t) && t->memory.home.count == t->count;
  if (!plastic || !dv_reals_resize(&t->plastic, 6 * t->count)) return;
  double *out = dv_reals_edit(&t->plastic);
  for (size_t e = 0; e < t->count; e++, out += 6) {
    if (t->memory.home.data[e] > 0) {
      dv_tetra_corot_plastic(t->elements, (size_t)t->memory.home.data[e] - 1, out);
      continue;
    }
    dv_lane_memory_get(&t->memory, e, out);
    dv_tetra_plastic_turn(method_of(t), rest, t->tetra + 4 * e, true, out);
  }
}

static void put_plastic(TetraForce *t)
{
  if (is_plastic(t) && t->plastic.count == 6 * t->count)
    for (size_t e = 0; e < t->count; e++) dv_tetra_corot_set_plastic(t->elements, e, t->plastic.data + 6 * e);
  dv_reals_free(&t->plastic);
  t->memory.width = 6;
  t->memory.mean = true;
  t->memory.user = t;
  t->memory.read = read_plastic;
  t->memory.write = write_plastic;
  bool cut = t->cut.tetrahedra.count > 0;
  t->memory.parts = cut ? DV_CUT_PARTS : 1;
  if (!is_plastic(t)) return;
  dv_lane_memory_begin(&t->memory, dv_tetra_corot_blocks(t->elements));
  dvElementData *d = dv_follow_elements(&t->elastic.force.base, dv_elastic_topology(&t->elastic),
                                        cut ? DV_HEXAHEDRON : DV_TETRAHEDRON);
  dv_element_data_add_ints(d, &t->memory.home, false);
  d->create = create_plastic;
}

static dvStatus tetra_force_reinit(dvObject *o)
{
  TetraForce *t = (TetraForce *)o;
  t->stale = true;
  DV_TRY(find_elements(t));
  DV_TRY(check_options(t));
  dv_array_resize(&t->young, t->count);
  dv_array_resize(&t->poisson, t->count);
  read_moduli(t);
  dvTetraReport report = {0};
  collect_plastic(t);
  if (create_elements(t, &report) != DV_OK) return dv_error(o, NULL, "out of memory for %zu tetrahedra", t->count);
  warn_of_shapes(t, &report);
  put_plastic(t);
  if (stress_kind(t)) DV_TRY(prepare_stress(t));
  t->stale = false;
  return DV_OK;
}

static dvStatus tetra_force_fetch(dvObject *o, dvField *field)
{
  TetraForce *t = (TetraForce *)o;
  if (field->value == &t->initialPoints && t->elastic.force.state)
    dv_state_show(t->elastic.force.state, DV_X_REST, &t->initialPoints);
  return DV_OK;
}

// --- changes ---

// how many tetrahedra there are around the points that were touched
static bool patch_stress(TetraForce *t, dvTopology *topology)
{
  const dvState *s = t->elastic.force.state;
  const dvNumbers *points = dv_trace_points(dv_topology_trace(topology));
  if (!dv_reals_resize(&t->vonMisesPerElement, t->count) || !dv_reals_resize(&t->vonMisesPerNode, s->count))
    return false;
  dv_array_resize(&t->share, s->count);
  for (size_t i = 0; i < points->count; i++) {
    int32_t around = 0;
    for (int32_t at = dv_topology_first_at(topology, DV_TETRAHEDRON, points->data[i]); at >= 0;
         at = dv_topology_next_at(topology, DV_TETRAHEDRON, at))
      around++;
    t->share.data[points->data[i]] = around ? 1.0 / around : 0;
  }
  return true;
}

// brings up to date what a batch of changes concerns; false when all is to be made again
static bool patch(dvObject *o)
{
  TetraForce *t = (TetraForce *)o;
  dvTopology *topology = dv_elastic_topology(&t->elastic);
  size_t factors = t->localStiffnessFactor.count;
  bool cut = t->cut.mirrors.count > 0;
  dvElementKind kind = cut ? DV_HEXAHEDRON : DV_TETRAHEDRON;
  dvBlocksChange change;
  if (t->stale || !t->elements || (cut && (stress_kind(t) || !dv_tetra_cut_follow(&t->cut, topology, &change))))
    return false;
  const dvInts *tetrahedra = cut ? &t->cut.tetrahedra : dv_topology_elements(topology, DV_TETRAHEDRON);
  t->tetra = tetrahedra->data;
  t->count = dv_ints_size(tetrahedra);
  if (!dv_elastic_follows(&t->elastic, t->count) || (factors > 1 && factors != t->count) ||
      dv_topology_point_count(topology) > t->elastic.force.state->count)
    return false;
  const dvNumbers *rows = cut ? &t->cut.rows : dv_trace_rows(topology, DV_TETRAHEDRON);
  dv_array_resize(&t->young, t->count);
  dv_array_resize(&t->poisson, t->count);
  for (size_t i = 0; i < rows->count; i++) read_modulus(t, (size_t)rows->data[i]);
  dvTetraCorotDef def = definition(t);
  if (!(cut ? dv_tetra_corot_patch_cut(t->elements, &def, topology, &change, rows)
            : dv_tetra_corot_patch(t->elements, &def, topology)))
    return false;
  if (is_plastic(t)) dv_lane_memory_settle(&t->memory, topology, kind, dv_tetra_corot_blocks(t->elements));
  return !stress_kind(t) || patch_stress(t, topology);
}

static void tetra_force_topology_changed(dvObject *o)
{
  TetraForce *t = (TetraForce *)o;
  t->follows = !o->rewound;
  dv_force_patch_or_remake(o, dv_elastic_topology(&t->elastic), patch);
  t->follows = false;
}

// one factor for each tetrahedron from here on
static void complete_factors(void *user, dvElementData *d)
{
  DV_UNUSED(d);
  TetraForce *t = user;
  size_t factors = t->localStiffnessFactor.count;
  if (factors <= 1 || factors == t->count || !dv_reals_resize(&t->localStiffnessFactor, t->count)) return;
  double *f = dv_reals_edit(&t->localStiffnessFactor);
  for (size_t i = t->count; i-- > 0;) f[i] = f[i * factors / t->count];
}

static void follow(TetraForce *t)
{
  bool cut = is_cut(t);
  size_t parts = cut ? 6 : 1;
  dvElementData *d = dv_elastic_follow(&t->elastic, cut ? DV_HEXAHEDRON : DV_TETRAHEDRON, parts);
  dv_element_data_add_groups(d, &t->localStiffnessFactor, parts, true);
  if (cut) dv_element_data_add_ints(d, &t->cut.mirrors, false);
  d->gather = complete_factors;
}

static dvStatus tetra_force_init(dvObject *o)
{
  TetraForce *t = (TetraForce *)o;
  DV_TRY(dv_elastic_init(o));
  DV_TRY(tetra_force_reinit(o));
  follow(t);
  if (t->count == 0)
    dv_warning(o, "give it tetrahedra, such as by src=\"@loader\"",
               "the topology %s has no tetrahedra: there will be no force", t->elastic.topology.target->name);
  return DV_OK;
}

// --- forces ---

static void tetra_force_add_force(dvObject *o, const dvMech *m)
{
  TetraForce *t = (TetraForce *)o;
  dvState *s = t->elastic.force.state;
  if (t->stale) return;
  dv_tetra_corot_keep(t->elements, m->implicit);
  dv_tetra_corot_add_force(t->elements, o->context->pool, dv_state_read(s, m->x), dv_state_write(s, m->f));
}

static void tetra_force_add_dforce(dvObject *o, const dvMech *m)
{
  TetraForce *t = (TetraForce *)o;
  if (t->stale) return;
  dvState *s = t->elastic.force.state;
  double k = dv_mech_k(m, t->elastic.force.rayleighStiffness);
  const double *dx = dv_state_read(s, m->dx);
  dv_tetra_corot_add_dforce(t->elements, o->context->pool, dx, k, dv_state_write(s, m->df));
}

static void tetra_force_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  TetraForce *t = (TetraForce *)o;
  if (t->stale) return;
  dvElementMatrices matrices = dv_tetra_corot_matrices(t->elements, dv_mech_k(m, t->elastic.force.rayleighStiffness));
  dv_element_matrices_add(&matrices, sink, t->elastic.force.state);
}

static double tetra_force_energy(dvObject *o, const dvMech *m)
{
  TetraForce *t = (TetraForce *)o;
  if (t->stale) return 0;
  return dv_tetra_corot_energy(t->elements, o->context->pool, dv_state_read(t->elastic.force.state, m->x));
}

// --- stress ---

// mean over the tetrahedra around each point
static void average(const TetraForce *t, const double *stress, double *mean)
{
  memset(mean, 0, t->vonMisesPerNode.count * sizeof *mean);
  for (size_t i = 0; i < 4 * t->count; i++) mean[t->tetra[i]] += t->share.data[t->tetra[i]] * stress[i / 4];
}

static void update_stress(TetraForce *t)
{
  dvObject *o = &t->elastic.force.base;
  const double *x = dv_state_read(t->elastic.force.state, DV_X);
  double *stress = dv_reals_edit(&t->vonMisesPerElement);
  if (!stress || t->vonMisesPerElement.count != t->count || t->vonMisesPerNode.count != t->elastic.force.state->count)
    return;
  if (stress_kind(t) == 2) dv_tetra_corot_von_mises_green(t->elements, x, stress);
  else dv_tetra_corot_von_mises(t->elements, o->context->pool, x, stress);
  average(t, stress, dv_reals_edit(&t->vonMisesPerNode));
  dv_touch(o, &t->vonMisesPerElement);
  dv_touch(o, &t->vonMisesPerNode);
}

static const dvReals *tetra_force_stress(const dvObject *o) { return &((const TetraForce *)o)->vonMisesPerNode; }

static void tetra_force_handle_event(dvObject *o, const dvEvent *event)
{
  TetraForce *t = (TetraForce *)o;
  // elements may have come or gone since the last force
  if ((event->kind != DV_EVENT_ANIMATE_BEGIN && event->kind != DV_EVENT_ANIMATE_END) || t->stale) return;
  if (event->kind == DV_EVENT_ANIMATE_END && stress_kind(t)) update_stress(t);
  if (event->kind == DV_EVENT_ANIMATE_BEGIN && t->updateStiffness &&
      dv_elastic_check(&t->elastic, t->count, 0.5) == DV_OK) {
    read_moduli(t);
    dv_tetra_corot_set_material(t->elements, t->young.data, t->poisson.data);
  }
}

static void tetra_force_end_step(dvObject *o)
{
  TetraForce *t = (TetraForce *)o;
  if (!t->stale) dv_tetra_corot_end_step(t->elements);
}

static void tetra_force_remember(dvObject *o, dvMemoryStream *s)
{
  TetraForce *t = (TetraForce *)o;
  if (t->elements) dv_tetra_corot_remember(t->elements, s);
}

static void tetra_force_destroy(dvObject *o)
{
  TetraForce *t = (TetraForce *)o;
  dv_tetra_corot_destroy(&t->elements);
  dv_tetra_cut_free(&t->cut);
  dv_lane_memory_free(&t->memory);
  dv_reals_free(&t->plastic);
  dv_array_free(&t->young);
  dv_array_free(&t->poisson);
  dv_array_free(&t->share);
}

// means over the tetrahedra around each point; where hexahedra were cut, SOFA has the last one of the point
static void tetra_force_rotations(dvObject *o, double *out)
{
  TetraForce *t = (TetraForce *)o;
  dvState *s = t->elastic.force.state;
  const double *rest = dv_state_read(s, DV_X_REST);
  bool cut = t->tetra == t->cut.tetrahedra.data, turning = !t->stale && method_of(t) != DV_COROT_SMALL;
  memset(out, 0, 9 * s->count * sizeof *out);
  for (size_t e = 0; turning && e < t->count; e++) {
    const int32_t *corner = t->tetra + 4 * e;
    double edges[9], rotation[9];
    for (size_t i = 0; i < 9; i++)
      edges[i] = rest[3 * corner[1 + i / 3] + (int32_t)(i % 3)] - rest[3 * corner[0] + (int32_t)(i % 3)];
    dv_tetra_corot_rotation(t->elements, e, edges, rotation);
    for (size_t i = 0; cut && i < 4; i++) memset(out + 9 * corner[i], 0, 9 * sizeof *out);
    dv_point_rotations_add(out, corner, 4, rotation);
  }
  dv_point_rotations_finish(out, s->count, o->context->pool);
}

#define TETRA_OPS                                                                              \
  .add_force = tetra_force_add_force, .add_dforce = tetra_force_add_dforce, .matrix_pays = 40, \
  .add_stiffness = tetra_force_add_stiffness, .energy = tetra_force_energy, DV_FORCE_SLOTS,    \
  .stress = tetra_force_stress
static const dvForceOps tetra_force_ops = {TETRA_OPS}, tetra_fem_ops = {TETRA_OPS, .rotations = tetra_force_rotations};

#define TETRA_CLASS(name_, module_, ops_, ...)                                                                       \
  {                                                                                                                  \
    .struct_size = sizeof(dvClass), .name = name_,                                                                   \
    .help = "corotational linear finite elements on tetrahedra, isotropic material", .module = module_,              \
    .dofs = DV_DOF_VEC3, .size = sizeof(TetraForce),                                                                 \
    .blocks = {&dv_object_block, &dv_force_block, &dv_elastic_block, __VA_ARGS__}, .ops = {[DV_ROLE_FORCE] = &ops_}, \
    .init = tetra_force_init, .reinit = tetra_force_reinit, .end_step = tetra_force_end_step,                        \
    .remember = tetra_force_remember, .handle_event = tetra_force_handle_event, .destroy = tetra_force_destroy,      \
    .fetch = tetra_force_fetch, .topology_changed = tetra_force_topology_changed,                                    \
  }
#define ELASTIC "Sofa.Component.SolidMechanics.FEM.Elastic"

const dvClass dv_tetra_fem_class = TETRA_CLASS("TetrahedronFEMForceField", ELASTIC, tetra_fem_ops,
                                               DV_BLOCK(tetra_common_fields), DV_BLOCK(tetra_fem_fields));
const dvClass dv_tetra_corot_class = TETRA_CLASS("TetrahedralCorotationalFEMForceField", ELASTIC, tetra_force_ops,
                                                 DV_BLOCK(tetra_common_fields), DV_BLOCK(tetra_corot_fields));
const dvClass dv_fast_tetra_class =
    TETRA_CLASS("FastTetrahedralCorotationalForceField", ELASTIC, tetra_force_ops, DV_BLOCK(fast_tetra_fields));
const dvClass dv_parallel_tetra_fem_class =
    TETRA_CLASS("ParallelTetrahedronFEMForceField", "MultiThreading", tetra_fem_ops, DV_BLOCK(tetra_common_fields),
                DV_BLOCK(parallel_tetra_fem_fields));
