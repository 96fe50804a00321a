// TetrahedralCorotationalFEMForceField: corotational linear tetrahedra of an isotropic material.
// The computation is in tetra_corot.c; here are the fields, the topology and the state.
#include "force/fem/tetra_corot.h"
#include "scene/timer.h"
#include "state/component.h"
#include "topology/topology.h"

#include <math.h>
#include <string.h>

#define TETRA_COROT_FIELDS(X)                                                                                         \
  X(choice, method, "large", "", "rotation of an element: none (small), from its edges (large), polar decomposition (polar)", \
    .options = "small|large|polar|QR")                                                                                \
  X(reals, poissonRatio, "0.45", "", "Poisson's ratio, one for all or one each tetrahedron")                          \
  X(reals, youngModulus, "5000", "Pa", "Young's modulus, one for all or one each tetrahedron")                        \
  X(reals, localStiffnessFactor, "", "", "factors on Young's modulus: with M values for N elements, element i takes number i M / N")     \
  X(bool, updateStiffnessMatrix, "0", "", "accepted for compatibility: moduli are read at reinit", .flags = DV_HIDDEN)                   \
  X(bool, computeGlobalMatrix, "0", "", "accepted for compatibility: products never need the global matrix", .alias = "assembling")      \
  X(bool, drawing, "1", "", "draw the tetrahedra", .flags = DV_LOOKS)                                                 \
  X(color, drawColor1, "0 0 1 1", "", "colour of the first faces", .flags = DV_LOOKS)                                 \
  X(color, drawColor2, "0 0.5 1 1", "", "colour of the second faces", .flags = DV_LOOKS)                              \
  X(color, drawColor3, "0 1 1 1", "", "colour of the third faces", .flags = DV_LOOKS)                                 \
  X(color, drawColor4, "0.5 1 1 1", "", "colour of the fourth faces", .flags = DV_LOOKS)                              \
  X(bool, computeVonMisesStress, "0", "", "compute the von Mises stress at the end of each step")                     \
  X(reals, vonMisesPerElement, "", "Pa", "von Mises stress of each tetrahedron", .flags = DV_READ_ONLY)               \
  X(reals, vonMisesPerNode, "", "Pa", "mean of the tetrahedra around each point", .flags = DV_READ_ONLY)              \
  X(link, topology, "", "", "topology with the tetrahedra; the one of the node or above by default", .role = DV_ROLE_TOPOLOGY)

typedef struct TetraCorot {
  dvForce force;
  TETRA_COROT_FIELDS(DV_MEMBER)
  dvTetraCorot *elements;
} TetraCorot;

#define SELF TetraCorot
static const dvFieldDesc tetra_corot_fields[] = {TETRA_COROT_FIELDS(DV_DESCRIBE)};
#undef SELF

// SOFA takes "QR" and anything else than small and polar as large
static dvCorotMethod method_of(const TetraCorot *t)
{
  static const dvCorotMethod methods[] = {DV_COROT_SMALL, DV_COROT_LARGE, DV_COROT_POLAR, DV_COROT_LARGE};
  return methods[t->method];
}

static dvStatus check_moduli(TetraCorot *t, size_t count)
{
  dvObject *o = &t->force.base;
  const dvReals *lists[2] = {&t->youngModulus, &t->poissonRatio};
  for (int k = 0; k < 2; k++) {
    const char *name = dv_field_name(dv_field_of(o, lists[k])->desc);
    if (lists[k]->count == 0) return dv_field_error(o, lists[k], NULL, "%s has no value", name);
    if (lists[k]->count != 1 && lists[k]->count < count)
      dv_field_warning(o, lists[k], NULL, "%s has %zu values for %zu tetrahedra; the first one is used where one is missing", name, lists[k]->count, count);
  }
  for (size_t i = 0; i < t->youngModulus.count; i++)
    if (t->youngModulus.data[i] < 0) return dv_field_error(o, &t->youngModulus, "the default is youngModulus=\"5000\"", "youngModulus %g is negative", t->youngModulus.data[i]);
  for (size_t i = 0; i < t->poissonRatio.count; i++)
    if (!(t->poissonRatio.data[i] > -1 && t->poissonRatio.data[i] < 0.5))
      return dv_field_error(o, &t->poissonRatio, "for a nearly incompressible material take poissonRatio=\"0.49\"", "poissonRatio %g is not between -1 and 0.5", t->poissonRatio.data[i]);
  return DV_OK;
}

static double pick(const dvReals *list, size_t i) { return i < list->count ? list->data[i] : list->data[0]; }

static void moduli(const TetraCorot *t, size_t count, double *young, double *poisson)
{
  const dvReals *factors = &t->localStiffnessFactor;
  for (size_t i = 0; i < count; i++) {
    young[i] = pick(&t->youngModulus, i) * (factors->count ? factors->data[i * factors->count / count] : 1);
    poisson[i] = pick(&t->poissonRatio, i);
  }
}

static dvStatus warn_of_shapes(const TetraCorot *t, const dvTetraReport *report)
{
  const dvObject *o = &t->force.base;
  if (report->flat)
    dv_warning(o, "repair the mesh", "%zu tetrahedra are flat and give no force; the first is number %zu (volume %g)", report->flat,
               report->first_flat, report->first_flat_volume);
  if (report->inverted)
    dv_warning(o, "swap two of its points", "%zu tetrahedra are inverted at rest; the first is number %zu (volume %g)", report->inverted,
               report->first_inverted, report->first_inverted_volume);
  return DV_OK;
}

static dvStatus tetra_corot_reinit(dvObject *o)
{
  TetraCorot *t = (TetraCorot *)o;
  dvState *s = t->force.state;
  const dvInts *tetrahedra = dv_topology_elements(dv_topology(t->topology.target), DV_TETRAHEDRON);
  size_t count = dv_ints_size(tetrahedra);
  DV_TRY(check_moduli(t, count));
  for (size_t i = 0; i < tetrahedra->count; i++)
    if (tetrahedra->data[i] < 0 || (size_t)tetrahedra->data[i] >= s->count)
      return dv_error(o, NULL, "tetrahedron %zu names point %d, but the state %s has %zu points", i / 4, tetrahedra->data[i], s->base.name, s->count);
  double *young = dv_alloc((count + 1) * sizeof *young), *poisson = dv_alloc((count + 1) * sizeof *poisson);
  moduli(t, count, young, poisson);
  dv_tetra_corot_destroy(&t->elements);
  dvTetraReport report = {0};
  dvStatus status = dv_tetra_corot_create(&(dvTetraCorotDef){.rest = dv_state_read(s, DV_X_REST), .points = s->count, .tetrahedra = tetrahedra->data,
                                                             .count = count, .young = young, .poisson = poisson, .method = method_of(t)},
                                          &t->elements, &report);
  dv_free(young);
  dv_free(poisson);
  if (status != DV_OK) return dv_error(o, NULL, "out of memory for %zu tetrahedra", count);
  if (t->computeVonMisesStress && (!dv_reals_resize(&t->vonMisesPerElement, count) || !dv_reals_resize(&t->vonMisesPerNode, s->count)))
    return dv_error(o, NULL, "out of memory for the stresses");
  return warn_of_shapes(t, &report);
}

static dvStatus tetra_corot_init(dvObject *o)
{
  TetraCorot *t = (TetraCorot *)o;
  DV_TRY(dv_force_init(o));
  if (!t->topology.target) t->topology.target = dv_node_find_up(o->node, DV_ROLE_TOPOLOGY);
  if (!t->topology.target)
    return dv_error(o, "add a TetrahedronSetTopologyContainer with src=\"@loader\" to the node", "the tetrahedra come from a topology, and there is none");
  if (dv_topology_count(dv_topology(t->topology.target), DV_TETRAHEDRON) == 0)
    dv_warning(o, NULL, "the topology %s has no tetrahedra: there will be no force", t->topology.target->name);
  return tetra_corot_reinit(o);
}

static void tetra_corot_add_force(dvObject *o, const dvMech *m)
{
  TetraCorot *t = (TetraCorot *)o;
  dvState *s = t->force.state;
  dv_tetra_corot_add_force(t->elements, o->context->pool, dv_state_read(s, m->x), dv_state_write(s, m->f));
}

static void tetra_corot_add_dforce(dvObject *o, const dvMech *m)
{
  TetraCorot *t = (TetraCorot *)o;
  dvState *s = t->force.state;
  double k = dv_mech_k(m, t->force.rayleighStiffness);
  const double *dx = dv_state_read(s, m->dx);
  dv_tetra_corot_add_dforce(t->elements, o->context->pool, dx, k, dv_state_write(s, m->df));
}

typedef struct Assembly {
  const TetraCorot *t;
  const int32_t *tetrahedra;
  dvMatrixSink *sink;
} Assembly;

static void add_element(void *user, size_t element, const double k[144])
{
  const Assembly *a = user;
  const int32_t *corner = a->tetrahedra + 4 * element;
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      double block[9];
      for (int r = 0; r < 3; r++) memcpy(block + 3 * r, k + 12 * (3 * i + r) + 3 * j, 3 * sizeof *block);
      a->sink->add(a->sink, a->t->force.state, (size_t)corner[i], a->t->force.state, (size_t)corner[j], 3, 3, block);
    }
}

static void tetra_corot_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  TetraCorot *t = (TetraCorot *)o;
  Assembly a = {t, dv_topology_elements(dv_topology(t->topology.target), DV_TETRAHEDRON)->data, sink};
  dv_tetra_corot_visit_stiffness(t->elements, dv_mech_k(m, t->force.rayleighStiffness), add_element, &a);
}

static double tetra_corot_energy(dvObject *o, const dvMech *m)
{
  TetraCorot *t = (TetraCorot *)o;
  return dv_tetra_corot_energy(t->elements, o->context->pool, dv_state_read(t->force.state, m->x));
}

static void update_stress(TetraCorot *t)
{
  dvObject *o = &t->force.base;
  dvTopology *topology = dv_topology(t->topology.target);
  double *stress = dv_reals_edit(&t->vonMisesPerElement), *mean = dv_reals_edit(&t->vonMisesPerNode);
  dv_tetra_corot_von_mises(t->elements, o->context->pool, dv_state_read(t->force.state, DV_X), stress);
  const dvIncidence *around = dv_topology_around_point(topology, DV_TETRAHEDRON);
  for (size_t p = 0; p < t->vonMisesPerNode.count && p < around->count; p++) {
    double sum = 0;
    int n = around->offsets[p + 1] - around->offsets[p];
    for (int i = around->offsets[p]; i < around->offsets[p + 1]; i++) sum += stress[around->items[i]];
    mean[p] = n ? sum / n : 0;
  }
  dv_touch(o, &t->vonMisesPerElement);
  dv_touch(o, &t->vonMisesPerNode);
}

static void tetra_corot_handle_event(dvObject *o, const dvEvent *event)
{
  TetraCorot *t = (TetraCorot *)o;
  if (event->kind == DV_EVENT_ANIMATE_END && t->computeVonMisesStress) update_stress(t);
}

static void tetra_corot_destroy(dvObject *o) { dv_tetra_corot_destroy(&((TetraCorot *)o)->elements); }

static const dvForceOps tetra_corot_ops = {
    .add_force = tetra_corot_add_force,
    .add_dforce = tetra_corot_add_dforce,
    .add_stiffness = tetra_corot_add_stiffness,
    .energy = tetra_corot_energy,
    .states = dv_force_state,
};

const dvClass dv_tetra_corot_class = {
    .struct_size = sizeof(dvClass),
    .name = "TetrahedralCorotationalFEMForceField",
    .help = "corotational linear finite elements on tetrahedra, isotropic material",
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .dofs = DV_DOF_VEC3,
    .size = sizeof(TetraCorot),
    .blocks = {&dv_object_block, &dv_force_block, DV_BLOCK(tetra_corot_fields)},
    .ops = {[DV_ROLE_FORCE] = &tetra_corot_ops},
    .init = tetra_corot_init,
    .reinit = tetra_corot_reinit,
    .handle_event = tetra_corot_handle_event,
    .destroy = tetra_corot_destroy,
};
