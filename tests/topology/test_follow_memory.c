// What components remember follows too: plastic strain, viscous stresses, first positions, springs given as text. In
// which order followers are called, and how often. A run with a mesh that changes while it steps.
#include "support/check.h"
#include "support/follow.h"
#include "support/scene.h"

#include "app/divan.h"
#include "io/record/snapshot.h"
#include "topology/geometry.h"

#include <string.h>

#define SOME "indices='0 3 5 7 8 12 20 21'"

// --- memory --------------------------------------------------------------------------------------

static const followCase remembering[] = {
    {.name = "TetrahedronFEMForceField",
     .kind = DV_TETRAHEDRON,
     .attributes = "youngModulus='{e}' poissonRatio='0.3' plasticMaxThreshold='0.01' plasticYieldThreshold='0.0001'"},
    {.name = "TetrahedronFEMForceField",
     .kind = DV_HEXAHEDRON,
     .attributes = "youngModulus='20' poissonRatio='0.3' plasticMaxThreshold='0.01' plasticYieldThreshold='0.0001'"},
    {.name = "TriangularFEMForceField", .kind = DV_TRIANGLE, .attributes = "youngModulus='{e}' poissonRatio='0.3'"},
    {.name = "JointSpringForceField",
     .kind = DV_EDGE,
     .attributes = "spring='BEGIN_SPRING 0 5 KS_T 10 100 KS_R 5 50 END_SPRING BEGIN_SPRING 7 12 KS_T 3 30 END_SPRING "
                   "BEGIN_SPRING 22 9 KS_T 3 30 END_SPRING'",
     .dof = "Rigid3"},
    {.name = "FrameSpringForceField",
     .kind = DV_EDGE,
     .attributes = "spring='BEGIN_SPRING 0 5 KS_T 10 KS_R 5 END_SPRING BEGIN_SPRING 7 12 KS_T 3 END_SPRING'",
     .dof = "Rigid3"},
    {.name = "GearSpringForceField",
     .kind = DV_EDGE,
     .attributes = "spring='BEGIN_SPRING 0 5 7 12 KS_T 10 KS_R 5 5 KD 0 END_SPRING'",
     .dof = "Rigid3"},
    {.name = "LinearMovementProjectiveConstraint",
     .kind = DV_TETRAHEDRON,
     .attributes = SOME " keyTimes='0 9' movements='0.1 0.2 0.3 4 5 6'"},
    {.name = "PartialLinearMovementProjectiveConstraint",
     .kind = DV_TETRAHEDRON,
     .attributes = SOME " keyTimes='0 9' movements='0.1 0.2 0.3 4 5 6' movedDirections='1 0 1'"},
    {.name = "AffineMovementProjectiveConstraint",
     .kind = DV_TETRAHEDRON,
     .attributes = SOME " beginConstraintTime='-2' endConstraintTime='-1' rotation='0 1 0 1 0 0 0 0 1'"},
    {.name = "PatchTestMovementProjectiveConstraint",
     .kind = DV_TETRAHEDRON,
     .attributes = SOME " beginConstraintTime='-2' endConstraintTime='-1' cornerPoints='0 0 0 3 0 0 3 2 0 0 2 0' "
                        "cornerMovements='1 0 0 2 0 0 3 0 0 4 0 0'"},
    {.name = "FixedRotationProjectiveConstraint",
     .kind = DV_EDGE,
     .attributes = "FixedXRotation='1' FixedZRotation='1'",
     .dof = "Rigid3"},
    {.name = "DirectionProjectiveConstraint", .kind = DV_TETRAHEDRON, .attributes = SOME " direction='1 2 3'"},
};

static void what_is_remembered_follows(void **state)
{
  DV_UNUSED(state);
  size_t bad = 0;
  for (size_t i = 0; i < DV_COUNT(remembering); i++)
    if (!follow_check_renumbering(&remembering[i], 30)) {
      print_error("row %zu: %s\n", i, remembering[i].name);
      bad++;
    }
  assert_int_equal(bad, 0);
}

// viscous stresses are those of the elements, in whatever order they stand
static void viscous_stresses_follow(void **state)
{
  DV_UNUSED(state);
  static const char *const names[] = {"MJEDTetrahedralForceField", "TetrahedronTLEDForceField"};
  for (size_t i = 0; i < DV_COUNT(names); i++) {
    followCase c = {.name = names[i],
                    .kind = DV_TETRAHEDRON,
                    .attributes = i ? "youngModulus='30' poissonRatio='0.3' pronySeries='0.5 0.1'"
                                    : "materialName='NeoHookean' ParameterSet='3 20' pronySeries='0.5 0.1'"};
    char *text = follow_scene(&c);
    fdScene s = fd_open(text);
    dvObject *it = fd_find(&s, "it"), *dofs = fd_find(&s, "dofs");
    follow_seed(5);
    double *x = dv_state_write(dv_state(dofs), DV_X);
    for (size_t k = 0; k < dv_state_scalars(dv_state(dofs), DV_X); k++) x[k] += 0.1 * follow_random();
    const double *f = fd_force_on(it, dofs);
    double first = 0, relaxed = 0, again = 0;
    for (size_t k = 0; k < dv_state_scalars(dv_state(dofs), DV_F); k++) first += fabs(f[k]);
    for (int k = 0; k < 50; k++) it->cls->end_step(it);
    f = fd_force_on(it, dofs);
    for (size_t k = 0; k < dv_state_scalars(dv_state(dofs), DV_F); k++) relaxed += fabs(f[k]);
    dvTopology *mesh = dv_topology(fd_find(&s, "mesh"));
    follow_shuffle(mesh, DV_TETRAHEDRON);
    follow_shuffle(mesh, DV_POINT);
    dv_topology_end_changes(mesh);
    f = fd_force_on(it, dofs);
    for (size_t k = 0; k < dv_state_scalars(dv_state(dofs), DV_F); k++) again += fabs(f[k]);
    check_close(again, relaxed, 1e-12 * relaxed);
    assert_true(fabs(first - relaxed) > 0.01 * first);
    fd_close(&s);
    dv_free(text);
  }
}

// Of a stretched body, back at rest: only what it remembers gives forces. Pieces of an element remember what it did:
// the energy stays, and the points in the middle of elements are drawn nowhere. The second half of the changes is made
// with renumbering, after which everything is made again.
static void pieces_remember(const char *name, const char *attributes, int scale, bool plastic)
{
  followCase c = {.name = name, .kind = DV_TETRAHEDRON, .attributes = attributes};
  follow_scale(scale);
  char *text = follow_scene(&c);
  fdScene s = fd_open(text);
  dvObject *it = fd_find(&s, "it"), *dofs = fd_find(&s, "dofs");
  dvState *state = dv_state(dofs);
  dvTopology *mesh = dv_topology(fd_find(&s, "mesh"));
  follow_seed(6);
  follow_remove(mesh, DV_TETRAHEDRON, 1);   // the first change makes the lists the mesh's own
  dv_topology_end_changes(mesh);
  size_t points = state->count, remade = s.scene->remade;
  const double *rest = dv_state_read(state, DV_X_REST);
  double *x = dv_state_write(state, DV_X);
  for (size_t i = 0; i < points; i++) {
    x[3 * i] += 0.03 * rest[3 * i] + 0.02 * rest[3 * i + 1];
    x[3 * i + 1] -= 0.01 * rest[3 * i + 2];
  }
  for (int k = 0; k < 3; k++) {
    fd_force_on(it, dofs);
    it->cls->end_step(it);
  }
  memcpy(dv_state_write(state, DV_X), dv_state_read(state, DV_X_REST), 3 * points * sizeof *x);
  double before = fd_energy_of(it);
  assert_true(before > 1e-4 || !plastic);
  for (int batch = 0; batch < 6; batch++) {
    for (int k = 0; k < 3; k++) follow_split(mesh, DV_TETRAHEDRON);
    if (batch >= 3) follow_shuffle(mesh, DV_TETRAHEDRON);
    dv_topology_end_changes(mesh);
    if (batch < 3 && scale > 1) assert_int_equal(s.scene->remade, remade);
    assert_true(state->count == points + 3 * (size_t)(batch + 1));
    if (plastic) check_close(fd_energy_of(it), before, 1e-12 * before);   // viscous stresses are no energy
    const double *f = fd_force_on(it, dofs);
    double most = 0, inside = 0;
    for (size_t i = 0; i < 3 * state->count; i++) {
      most = fmax(most, fabs(f[i]));
      if (i >= 3 * points) inside = fmax(inside, fabs(f[i]));
    }
    assert_true(most > 1e-4);
    if (inside > 1e-12 * most) fail_msg("%s %s: %g at points inside, %g at most", name, attributes, inside, most);
  }
  fd_close(&s);
  dv_free(text);
  follow_scale(1);
}

static void pieces_remember_what_they_come_from(void **state)
{
  DV_UNUSED(state);
#define FLOWING "youngModulus='20' poissonRatio='0.3' plasticMaxThreshold='5' plasticYieldThreshold='0' method="
  static const char *const plastic[] = {FLOWING "'large'", FLOWING "'polar'", FLOWING "'svd'", FLOWING "'small'"};
#undef FLOWING
  for (size_t i = 0; i < DV_COUNT(plastic); i++)
    for (int scale = 1; scale <= 3; scale += 2) pieces_remember("TetrahedronFEMForceField", plastic[i], scale, true);
  for (int scale = 1; scale <= 3; scale += 2) {
    pieces_remember("MJEDTetrahedralForceField", "materialName='NeoHookean' ParameterSet='3 20' pronySeries='0.5 0.1'",
                    scale, false);
    pieces_remember("TetrahedronTLEDForceField", "youngModulus='30' poissonRatio='0.3' pronySeries='0.5 0.1'", scale,
                    false);
  }
}

// --- what needs more than a mesh -----------------------------------------------------------------

// springs of a regular grid stay with their points when these are renumbered, and go with them
static void springs_of_a_grid_follow(void **state)
{
  DV_UNUSED(state);
  fdScene s = fd_open("<Node><RegularGridTopology name='mesh' n='4 3 3' min='0 0 0' max='3 2 2'/><MechanicalObject "
                      "name='dofs'/><RegularGridSpringForceField name='it' stiffness='10'/></Node>");
  dvTopology *mesh = dv_topology(fd_find(&s, "mesh"));
  dvObject *it = fd_find(&s, "it");
  dvState *dofs = dv_state(fd_find(&s, "dofs"));
  follow_seed(9);
  double *x = dv_state_write(dofs, DV_X);
  for (size_t i = 0; i < 3 * dofs->count; i++) x[i] += 0.1 * follow_random();
  double before = fd_energy_of(it);
  assert_true(before > 0.1);
  follow_shuffle(mesh, DV_POINT);
  follow_shuffle(mesh, DV_HEXAHEDRON);
  dv_topology_end_changes(mesh);
  check_close(fd_energy_of(it), before, 1e-12 * before);
  follow_remove(mesh, DV_HEXAHEDRON, 6);
  dv_topology_end_changes(mesh);
  assert_true(dofs->count < 36 && !it->failed && fd_energy_of(it) < before);
  fd_close(&s);
}

// points that a topological mapping makes of a mesh are made again with it
static void made_points_follow(void **state)
{
  DV_UNUSED(state);
  dvText t = {0};
  dv_text_add(&t, "<Node><TetrahedronSetTopologyContainer name='mesh' ");
  follow_add_mesh(&t, DV_TETRAHEDRON);
  dv_text_add(&t, "/><MechanicalObject name='dofs'/><Node name='below'><TetrahedronSetTopologyContainer name='fine'/>"
                  "<SimpleTesselatedTetraTopologicalMapping name='maker' input='@../mesh' output='@fine'/>"
                  "<MechanicalObject name='mapped'/><SimpleTesselatedTetraMechanicalMapping name='it'/></Node></Node>");
  fdScene s = fd_open(t.text);
  dvTopology *mesh = dv_topology(fd_find(&s, "mesh")), *fine = dv_topology(fd_find(&s, "fine"));
  dvState *dofs = dv_state(fd_find(&s, "dofs")), *mapped = dv_state(fd_find(&s, "mapped"));
  follow_seed(4);
  for (int i = 0; i < 5; i++) {
    follow_batch(mesh, DV_TETRAHEDRON, false);
    assert_int_equal(dv_topology_count(fine, DV_TETRAHEDRON), 8 * dv_topology_count(mesh, DV_TETRAHEDRON));
    assert_int_equal(mapped->count, dv_topology_point_count(mesh) + dv_topology_count(mesh, DV_EDGE));
    // eight small tetrahedra fill a large one
    double volumes[2] = {0, 0};
    const double *x[2] = {dv_state_read(dofs, DV_X), dv_state_read(mapped, DV_X)};
    const dvInts *cells[2] = {dv_topology_elements(mesh, DV_TETRAHEDRON), dv_topology_elements(fine, DV_TETRAHEDRON)};
    for (int k = 0; k < 2; k++)
      for (size_t e = 0; e < dv_ints_size(cells[k]); e++)
        volumes[k] += dv_element_measure(DV_TETRAHEDRON, x[k], cells[k]->data + 4 * e);
    check_close(volumes[0], volumes[1], 1e-12 * volumes[0]);
  }
  fd_close(&s);
  dv_text_free(&t);
}

// a mapping that keeps more than it can make again says so, instead of moving the wrong points
static void mappings_that_cannot_follow_say_so(void **state)
{
  DV_UNUSED(state);
  fdScene s = fd_open("<Node><EdgeSetTopologyContainer name='mesh' position='0 0 0 1 0 0 2 0 0' edges='0 1 1 2'/>"
                      "<MechanicalObject name='dofs'/><Node name='below'><MechanicalObject name='mapped'/>"
                      "<SubsetMultiMapping name='it' input='@../dofs' indexPairs='0 2 0 0'/></Node></Node>");
  s.context->log.sink = NULL;
  dvTopology *mesh = dv_topology(fd_find(&s, "mesh"));
  assert_int_equal(dv_topology_renumber(mesh, DV_POINT, (const int32_t[]){2, 1, 0}), DV_OK);
  dv_topology_end_changes(mesh);
  assert_true(fd_find(&s, "it")->failed);
  fd_close(&s);
}

// --- order ---------------------------------------------------------------------------------------

#define LISTENER_FIELDS(X) X(link, other, "", "", "another topology", .role = DV_ROLE_TOPOLOGY)
typedef struct Listener {
  dvObject base;
  LISTENER_FIELDS(DV_MEMBER)
} Listener;
#define SELF Listener
static const dvFieldDesc listener_fields[] = {LISTENER_FIELDS(DV_DESCRIBE)};
#undef SELF

static char heard[200];
static size_t points_then;

static dvStatus listener_init(dvObject *o)
{
  Listener *l = (Listener *)o;
  dvTopology *t = dv_topology(dv_node_find_up(o->node, DV_ROLE_TOPOLOGY));
  dv_follow(o, t);
  dv_follow(o, t);
  dv_follow_elements(o, t, DV_EDGE);
  dv_follow_elements(o, t, DV_POINT);
  if (l->other.target) dv_follow_elements(o, dv_topology(l->other.target), DV_EDGE);
  return DV_OK;
}

static void listener_changed(dvObject *o)
{
  strcat(strcat(heard, o->name), " ");
  dvObject *state = dv_node_state_up(o->node);
  if (state) points_then = dv_state(state)->count;
}

static const dvClass listener_class = {
    .struct_size = sizeof(dvClass),
    .name = "Listener",
    .help = "hears of changes",
    .size = sizeof(Listener),
    .blocks = {&dv_object_block, DV_BLOCK(listener_fields)},
    .init = listener_init,
    .topology_changed = listener_changed,
};

static void followers_are_called_once_and_in_order(void **state)
{
  DV_UNUSED(state);
  dvContext *context = dv_divan_create(1);
  dv_registry_add(&context->registry, &listener_class);
  fdScene s =
      fd_open_in(context, "<Node><MeshTopology name='t' position='0 0 0 1 0 0 2 0 0 3 0 0' edges='0 1 1 2 2 3'/>"
                          "<MeshTopology name='u' position='0 0 0 1 0 0 2 0 0' edges='0 1 1 2'/>"
                          "<Listener name='a' other='@u'/>"
                          "<MechanicalObject name='dofs' topology='@t'/><Listener name='b' other='@t'/>"
                          "<Node name='below'><Listener name='c'/></Node></Node>");
  dvTopology *t = dv_topology(fd_find(&s, "t")), *u = dv_topology(fd_find(&s, "u"));
  // without an `other` they follow u, the last topology of the node
  const int32_t last = 2, first = 0;
  heard[0] = 0;
  dv_topology_remove(t, DV_EDGE, &last, 1);
  dv_topology_remove(u, DV_EDGE, &first, 1);
  dv_topology_remove(t, DV_POINT, (const int32_t[]){3}, 1);
  assert_string_equal(heard, "");
  dv_topology_end_changes(t);
  assert_string_equal(heard, "a b c ");
  assert_int_equal(points_then, 3);   // the state had followed before
  heard[0] = 0;
  dv_topology_end_changes(t);   // nothing has changed
  assert_string_equal(heard, "");
  // one that is destroyed hears nothing, and the rest goes on
  dvObject *a = fd_find(&s, "a");
  dv_node_remove(s.scene->root, a);
  dv_object_destroy(&a);
  dv_topology_remove(u, DV_EDGE, &first, 1);
  dv_topology_end_changes(u);
  assert_string_equal(heard, "b c ");
  fd_close(&s);
}

// a mesh that is edited as a whole reaches the same hook at the beginning of the next step
static void edits_as_a_whole_are_heard_at_the_next_step(void **state)
{
  DV_UNUSED(state);
  dvContext *context = dv_divan_create(1);
  dv_registry_add(&context->registry, &listener_class);
  fdScene s = fd_open_in(context, "<Node><MeshTopology name='t' position='0 0 0 1 0 0 2 0 0' edges='0 1 1 2'/>"
                                  "<MechanicalObject name='dofs'/><Listener name='a'/><Listener name='b'/></Node>");
  dvTopology *t = dv_topology(fd_find(&s, "t"));
  dvState *dofs = dv_state(fd_find(&s, "dofs"));
  heard[0] = 0;
  assert_int_equal(dv_scene_step(s.scene, 0), DV_OK);
  assert_string_equal(heard, "");
  assert_true(dv_reals_assign(&t->position, (const double[]){0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 4, 5}, 12));
  dv_touch(&t->base, &t->position);
  assert_true(dv_ints_assign(&t->edges, (const int32_t[]){0, 1, 1, 2, 2, 3}, 6));
  dv_touch(&t->base, &t->edges);
  assert_int_equal(dv_scene_step(s.scene, 0), DV_OK);
  assert_string_equal(heard, "a b ");
  assert_int_equal(dofs->count, 4);
  check_close(dv_state_read(dofs, DV_X)[10], 4, 0);
  fd_close(&s);
}

// new points of a state are the weighted sums of their ancestors in every vector, frames turned half of the way
static void states_follow(void **state)
{
  DV_UNUSED(state);
  fdScene s =
      fd_open("<Node><EdgeSetTopologyContainer name='t' position='0 0 0 1 0 0 2 0 0' edges='0 1 1 2'/>"
              "<MechanicalObject name='dofs' template='Rigid3' position='0 0 0 0 0 0 1  1 0 0 0 0 0.70710678118654757 "
              "0.70710678118654757  2 0 0 0 0 0 1' velocity='1 2 3 4 5 6  3 2 1 0 1 2  0 0 0 0 0 0'/></Node>");
  dvTopology *t = dv_topology(fd_find(&s, "t"));
  dvState *dofs = dv_state(fd_find(&s, "dofs"));
  dv_state_write(dofs, DV_X)[8] = 5;   // rest and present position differ
  dv_state_write(dofs, DV_F)[0] = 7;
  const int32_t offsets[2] = {0, 2}, ancestors[2] = {0, 1}, first = 0;
  const double half[2] = {0.5, 0.5};
  assert_int_equal(dv_topology_add_points(t, 1, NULL, (dvOrigin){offsets, ancestors, half}), DV_OK);
  assert_int_equal(dofs->count, 4);
  const double *x = dv_state_read(dofs, DV_X) + 21, *x0 = dv_state_read(dofs, DV_X_REST) + 21,
               *v = dv_state_read(dofs, DV_V) + 18, *f = dv_state_read(dofs, DV_F) + 18;
  check_close(x[1], 2.5, 1e-15);
  check_close(x0[1], 0, 1e-15);
  check_close(x[5], sin(acos(-1.0) / 8), 1e-15);
  check_close(x[6], cos(acos(-1.0) / 8), 1e-15);
  check_close(v[0], 2, 1e-15);
  check_close(f[0], 0, 0);
  assert_int_equal(dv_topology_remove(t, DV_EDGE, &first, 1), DV_OK);
  assert_int_equal(dv_topology_remove(t, DV_POINT, &first, 1), DV_OK);   // the new one takes its place
  dv_topology_end_changes(t);
  assert_int_equal(dofs->count, 3);
  check_close(dv_state_read(dofs, DV_X)[1], 2.5, 1e-15);
  assert_int_equal(*(const int32_t *)dv_object_field(&dofs->base, "size")->value, 3);
  fd_close(&s);
}

// --- steps ---------------------------------------------------------------------------------------

static char *stepping_scene(const char *solver)
{
  dvText t = {0};
  dv_text_printf(&t, "<Node dt='0.01'><EulerImplicitSolver/>%s<MeshTopology name='mesh' ", solver);
  follow_add_mesh(&t, DV_TETRAHEDRON);
  dv_text_add(&t,
              "/><MechanicalObject name='dofs'/><TetrahedronFEMForceField name='it' youngModulus='3000' "
              "poissonRatio='0.3'/><DiagonalMass name='it2' massDensity='10'/><FixedProjectiveConstraint name='it3' "
              "indices='0 4 8 12 16 20'/><Node name='below'><MechanicalObject name='mapped' position='0.2 0.3 0.4 1.3 "
              "0.7 1.1 2.6 1.2 0.3'/><BarycentricMapping name='it4'/><ConstantForceField totalForce='3 -5 1'/></Node>"
              "</Node>");
  return t.text;
}

static void step(dvScene *scene, int n)
{
  for (int i = 0; i < n; i++) assert_int_equal(dv_scene_step(scene, 0), DV_OK);
}

static void steps_go_on_as_in_a_scene_made_anew(void **state)
{
  DV_UNUSED(state);
  static const char *const solvers[] = {"<CGLinearSolver iterations='200' tolerance='1e-20' threshold='1e-20'/>",
                                        "<SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>"};
  for (size_t k = 0; k < DV_COUNT(solvers); k++) {
    char *text = stepping_scene(solvers[k]);
    fdScene s = fd_open(text);
    follow_seed(11 + k);
    dvTopology *mesh = dv_topology(fd_find(&s, "mesh"));
    for (int round = 0; round < 3; round++) {
      step(s.scene, 3);
      follow_batch(mesh, DV_TETRAHEDRON, false);
      fdScene r = follow_rebuild(&s, text);
      step(s.scene, 3);
      step(r.scene, 3);
      static const char *const names[] = {"dofs", "mapped"};
      for (size_t i = 0; i < DV_COUNT(names); i++) {
        dvState *a = dv_state(fd_find(&s, names[i])), *b = dv_state(fd_find(&r, names[i]));
        const double *x = dv_state_read(a, DV_X), *y = dv_state_read(b, DV_X);
        for (size_t j = 0; j < dv_state_scalars(a, DV_X); j++) check_close(x[j], y[j], 1e-9);
      }
      fd_close(&r);
    }
    fd_close(&s);
    dv_free(text);
  }
}

static uint64_t run_with(int threads)
{
  char *text = stepping_scene("<SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>");
  fdScene s = fd_open_in(dv_divan_create(threads), text);
  follow_seed(21);
  for (int i = 0; i < 10; i++) {
    follow_batch(dv_topology(fd_find(&s, "mesh")), DV_TETRAHEDRON, false);
    step(s.scene, 2);
  }
  uint64_t hash = dv_scene_hash(s.scene);
  fd_close(&s);
  dv_free(text);
  return hash;
}

static void threads_do_not_matter(void **state)
{
  DV_UNUSED(state);
  uint64_t one = run_with(1);
  assert_true(run_with(2) == one);
  assert_true(run_with(3) == one);
}

// --- meshes that take over what another one has ---------------------------------------------------

static const char linked[] =
    "<Node><RegularGridTopology name='grid' n='4 3 3' min='0 0 0' max='3 2 2'/><MechanicalObject name='dofs'/>"
    "<UniformMass totalMass='1'/><Node name='copy'><MeshTopology name='mesh' position='@../grid.position' "
    "hexahedra='@../grid.hexahedra'/><MechanicalObject name='dofs'/><UniformMass totalMass='1'/></Node></Node>";

static dvTopology *mesh_at(const fdScene *s, const char *path)
{
  return dv_topology(dv_link_find(&s->scene->root->base, path, DV_ROLE_TOPOLOGY));
}

static void same_mesh(const fdScene *a, const fdScene *b, const char *path)
{
  dvTopology *x = mesh_at(a, path), *y = mesh_at(b, path);
  for (dvElementKind k = DV_EDGE; k <= DV_HEXAHEDRON; k++) {
    const dvInts *p = dv_topology_elements(x, k), *q = dv_topology_elements(y, k);
    assert_int_equal(p->count, q->count);
    if (p->count) assert_memory_equal(p->data, q->data, p->count * sizeof(int32_t));
  }
  assert_int_equal(dv_topology_point_count(x), dv_topology_point_count(y));
}

// a mesh begins with what the other one has at its own first change, whichever of them is changed first
static void snapshots_keep_the_order_of_changes(void **state)
{
  DV_UNUSED(state);
  static const char *const orders[] = {"mgm", "gmg", "gm", "mg", "mmggm"};
  for (size_t i = 0; i < DV_COUNT(orders); i++) {
    fdScene s = fd_open(linked), r = fd_open(linked);
    size_t length;
    follow_seed(i + 1);
    for (const char *c = orders[i]; *c; c++) {
      dvTopology *t = mesh_at(&s, *c == 'g' ? "grid" : "copy/mesh");
      follow_remove(t, DV_HEXAHEDRON, 1);
      dv_topology_end_changes(t);
    }
    void *bytes = dv_snapshot_pack(s.scene, &length);
    assert_non_null(bytes);
    for (int again = 0; again < 2; again++) {   // into a scene that was read again, and over what it has then
      if (dv_snapshot_unpack(r.scene, bytes, length, "bytes") != DV_OK) fail_msg("order %s", orders[i]);
      same_mesh(&s, &r, "grid");
      same_mesh(&s, &r, "copy/mesh");
      size_t other;
      void *second = dv_snapshot_pack(r.scene, &other);
      assert_int_equal(other, length);
      assert_memory_equal(second, bytes, length);
      dv_free(second);
      follow_remove(mesh_at(&r, "grid"), DV_HEXAHEDRON, 1);
      dv_topology_end_changes(mesh_at(&r, "grid"));
    }
    dv_free(bytes);
    fd_close(&s);
    fd_close(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(snapshots_keep_the_order_of_changes),
      cmocka_unit_test(what_is_remembered_follows),
      cmocka_unit_test(viscous_stresses_follow),
      cmocka_unit_test(pieces_remember_what_they_come_from),
      cmocka_unit_test(springs_of_a_grid_follow),
      cmocka_unit_test(made_points_follow),
      cmocka_unit_test(mappings_that_cannot_follow_say_so),
      cmocka_unit_test(followers_are_called_once_and_in_order),
      cmocka_unit_test(edits_as_a_whole_are_heard_at_the_next_step),
      cmocka_unit_test(states_follow),
      cmocka_unit_test(steps_go_on_as_in_a_scene_made_anew),
      cmocka_unit_test(threads_do_not_matter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
