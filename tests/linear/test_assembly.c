// The assembled matrix against products without it, and J^T K J against dense matrices.
#include "support/check.h"
#include "support/fd.h"
#include "support/matrix.h"
#include "support/scene.h"

#include "linear/system/assembly.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const dvMech factors = {.x = DV_X,
                               .v = DV_V,
                               .f = DV_F,
                               .dx = DV_DX,
                               .df = DV_DF,
                               .dt = 0.01,
                               .implicit = true,
                               .m = 1.3,
                               .b = -0.02,
                               .k = -0.07};

static void randomise(const dvPlan *plan, int id, uint64_t *seed)
{
  for (size_t i = 0; i < plan->independent.count; i++) {
    dvState *s = dv_state(plan->independent.data[i]);
    check_random_vector(seed, dv_state_write(s, id), dv_state_scalars(s, id));
  }
}

// |A p - product| / |product| for a random p that the constraints let pass
static double compare_products(dvNode *node, const dvAssemblyParts *parts, dvMech m)
{
  dvPlan *plan = NULL;
  dvAssembly a = {0};
  uint64_t seed = 7;
  int p = 0, q = 0, r = 0;
  dv_vecs_take(&node->base, DV_VEC_DERIV, &p, &q, &r);
  dv_plan_get(&plan, node);
  if (plan->independent.count == 0) {
    dv_vecs_give(&node->base, &p, &q, &r);
    dv_plan_destroy(&plan);
    return 0;
  }
  dvMech at = m;
  dv_mech_compute_force(plan, &at);
  double worst = 0;
  for (int pass = 0; pass < 3; pass++) {   // the second one writes to recorded places, the third one in two parts
    a.later = pass == 2;
    assert_int_equal(dv_assembly_build(&a, &node->base, plan, &m, parts ? *parts : DV_ASSEMBLE_ALL), DV_OK);
    if (a.later) dv_assembly_finish(&a, node->base.context->pool);
    randomise(plan, p, &seed);
    dv_mech_project_response(plan, p);
    dvMech product = m;
    dv_mech_product(plan, &product, q, p);
    dv_assembly_product(&a, node->base.context->pool, r, p);
    double size = sqrt(dv_mech_dot(plan, q, q));
    dv_mech_combine(plan, r, r, -1, q);
    worst = fmax(worst, sqrt(dv_mech_dot(plan, r, r)) / (size > 0 ? size : 1));
  }
  assert_int_equal(a.pattern_stamp, 1);
  dv_assembly_free(&a);
  dv_vecs_give(&node->base, &p, &q, &r);
  dv_plan_destroy(&plan);
  return worst;
}

// --- every scene of the project ------------------------------------------------------------------

typedef struct Check {
  dvVisitor visitor;
  const char *scene;
  int compared, failed;
} Check;

static bool lacks_matrix(const dvPlan *plan, const char **name)
{
  for (size_t i = 0; i < plan->forces.count; i++) {
    const dvForceOps *ops = dv_ops(plan->forces.data[i].object, DV_ROLE_FORCE);
    *name = plan->forces.data[i].object->cls->name;
    if (ops->add_dforce && !ops->add_stiffness) return true;
  }
  for (size_t i = 0; i < plan->masses.count; i++) {
    *name = plan->masses.data[i].object->cls->name;
    if (!((const dvMassOps *)dv_ops(plan->masses.data[i].object, DV_ROLE_MASS))->add_matrix) return true;
  }
  for (size_t i = 0; i < plan->mappings.count; i++) {
    const dvMappingOps *ops = dv_ops(plan->mappings.data[i].object, DV_ROLE_MAPPING);
    *name = plan->mappings.data[i].object->cls->name;
    if (plan->mappings.data[i].carries && (!ops->build_j || (ops->apply_djt && !ops->add_geometric))) return true;
  }
  return false;
}

// projections in directions that are not those of the axes are not part of assembled matrices
static bool projects_askew(const dvPlan *plan)
{
  static const char *const askew[] = {"DirectionProjectiveConstraint", "LineProjectiveConstraint",
                                      "PlaneProjectiveConstraint", "FixedPlaneProjectiveConstraint",
                                      "AttachProjectiveConstraint"};
  for (size_t i = 0; i < plan->projections.count; i++)
    for (size_t k = 0; k < DV_COUNT(askew); k++)
      if (strcmp(plan->projections.data[i]->cls->name, askew[k]) == 0) return true;
  return false;
}

static dvWalk compare_solver(dvVisitor *v, dvNode *node)
{
  Check *c = (Check *)v;
  if (!dv_node_find(node, DV_ROLE_ODE)) return DV_WALK_ON;
  dvPlan *plan = NULL;
  const char *name = "";
  dv_plan_get(&plan, node);
  bool lacks = lacks_matrix(plan, &name), skip = projects_askew(plan);
  dv_plan_destroy(&plan);
  if (lacks) {
    print_message("%s: %s has no matrix\n", c->scene, name);
    return DV_WALK_PRUNE;
  }
  if (skip) return DV_WALK_PRUNE;
  double error = compare_products(node, NULL, factors);
  c->compared++;
  if (!(error <= 1e-12)) {
    print_error("%s: the products differ by %g\n", c->scene, error);
    c->failed++;
  }
  return DV_WALK_PRUNE;
}

static void every_scene_gives_the_same_product(void **state)
{
  DV_UNUSED(state);
  DIR *directory = opendir(DIVAN_SOURCE_DIR "/scenes");
  assert_non_null(directory);
  char *scratch = check_mkdir(), *before = getcwd(NULL, 0);   // some scenes write files where they run
  assert_int_equal(chdir(scratch), 0);
  Check c = {.visitor = {.top_down = compare_solver}};
  for (struct dirent *entry; (entry = readdir(directory));) {
    size_t length = strlen(entry->d_name);
    if (length < 4 || strcmp(entry->d_name + length - 4, ".scn") != 0) continue;
    char *path = dv_format("scenes/%s", entry->d_name);
    dvScene *s = check_scene_file(path, 1);
    check_steps(s, 3);
    c.scene = entry->d_name;
    dv_visit(s->root, &c.visitor);
    check_close_scene(&s);
    dv_free(path);
  }
  closedir(directory);
  assert_int_equal(chdir(before), 0);
  free(before);
  check_rmdir(scratch);
  print_message("%d systems compared\n", c.compared);
  assert_int_equal(c.failed, 0);
  assert_true(c.compared > 10);
}

// --- parts, changes ------------------------------------------------------------------------------

#define CHAIN                                                                                            \
  "<MechanicalObject name='dofs' position='0 0 0  1 0 0  2 0.5 0  3 0 0.2'/>"                            \
  "<UniformMass vertexMass='2' rayleighMass='0.3'/>"                                                     \
  "<SpringForceField name='ff' rayleighStiffness='0.4' spring='0 1 100 3 0.9  1 2 50 2 1  2 3 70 1 1'/>" \
  "<DiagonalVelocityDampingForceField dampingCoefficient='3 4 5'/>"

static void parts_add_up(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene("<Node name='root'>" CHAIN "<FixedProjectiveConstraint indices='0'/></Node>", 1);
  dvPlan *plan = NULL;
  dv_plan_get(&plan, s->root);
  dvMech m = factors;
  dv_mech_compute_force(plan, &m);
  dvAssemblyParts none = {.mapped = true}, sets[4] = {none, none, none, none};
  sets[0].stiffness = sets[0].mass = sets[0].damping = true;
  sets[1].stiffness = true;
  sets[2].mass = true;
  sets[3].damping = true;
  double dense[4][144];
  for (int i = 0; i < 4; i++) {
    dvAssembly a = {0};
    assert_int_equal(dv_assembly_build(&a, &s->root->base, plan, &m, sets[i]), DV_OK);
    dv_block_matrix_to_dense(&a.matrix, dense[i]);
    assert_int_equal(a.matrix.block, 3);
    dv_assembly_free(&a);
  }
  for (int i = 0; i < 144; i++) check_close(dense[0][i], dense[1][i] + dense[2][i] + dense[3][i], 1e-12);
  // mass: (m - b rayleighMass) 2 on the diagonal; damping: b B with B = -3; Rayleigh damping of the springs is part of
  // their stiffness
  check_close(dense[2][0], (factors.m - factors.b * 0.3) * 2, 1e-14);
  check_close(dense[2][1], 0, 0);
  check_close(dense[3][0], -factors.b * 3, 1e-15);
  check_close(dense[3][3], 0, 0);
  check_close(dense[1][3], (factors.k + factors.b * 0.4) * 100, 1e-12);
  dv_plan_destroy(&plan);
  check_close_scene(&s);
}

static void fixed_rows_and_columns_are_cleared(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene("<Node name='root'>" CHAIN "<FixedProjectiveConstraint indices='1'/>"
                           "<PartialFixedProjectiveConstraint indices='3' fixedDirections='0 1 0'/></Node>",
                           1);
  dvPlan *plan = NULL;
  dvAssembly a = {0};
  double dense[144];
  dv_plan_get(&plan, s->root);
  dvMech m = factors;
  dv_mech_compute_force(plan, &m);
  assert_int_equal(dv_assembly_build(&a, &s->root->base, plan, &m, DV_ASSEMBLE_ALL), DV_OK);
  dv_block_matrix_to_dense(&a.matrix, dense);
  static const int held[] = {3, 4, 5, 10};
  for (size_t k = 0; k < DV_COUNT(held); k++)
    for (int i = 0; i < 12; i++) {
      check_close(dense[held[k] * 12 + i], i == held[k], 0);
      check_close(dense[i * 12 + held[k]], i == held[k], 0);
    }
  assert_true(dense[0] > 2 && dense[9 * 12 + 9] > 2 && dense[11 * 12 + 11] > 2);
  for (int i = 0; i < 12; i++) assert_int_equal(a.fixed.data[i], i == 3 || i == 4 || i == 5 || i == 10);
  dv_assembly_free(&a);
  dv_plan_destroy(&plan);
  check_close_scene(&s);
}

// a plane pushes the points that are below it: the pattern changes when points cross it
static void changed_sequences_are_noticed(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      "<Node name='root'><MechanicalObject name='dofs' position='0 -1 0  1 1 0  2 1 0'/><UniformMass vertexMass='1'/>"
      "<PlaneForceField normal='0 1 0' stiffness='100'/></Node>",
      1);
  dvPlan *plan = NULL;
  dvAssembly a = {0};
  dv_plan_get(&plan, s->root);
  dvMech m = factors;
  for (int point = 0; point < 3; point++) {
    double *x = dv_state_write(dv_state(check_find(s, "dofs")), DV_X);
    for (int i = 0; i < 3; i++) x[3 * i + 1] = i <= point ? -1 : 1;
    dv_mech_compute_force(plan, &m);
    assert_int_equal(dv_assembly_build(&a, &s->root->base, plan, &m, DV_ASSEMBLE_ALL), DV_OK);
    for (int i = 0; i < 3; i++) {
      double y = dv_block_matrix_entry(&a.matrix, (size_t)(3 * i + 1), (size_t)(3 * i + 1));
      check_close(y, i <= point ? 1.3 + 0.07 * 100 : 1.3, 1e-12);
    }
  }
  dv_assembly_free(&a);
  dv_plan_destroy(&plan);
  check_close_scene(&s);
}

// --- mapped states: J^T K J in dense matrices ----------------------------------------------------

// J of a state in terms of all main states: columns by propagating unit vectors
static double *dense_j(dvPlan *plan, const dvAssembly *a, dvState *s)
{
  int p = 0;
  dv_vec_take(&s->base, DV_VEC_DERIV, &p);
  size_t rows = dv_state_scalars(s, DV_V);
  double *j = dv_alloc(rows * a->size * sizeof *j), *unit = dv_alloc(a->size * sizeof *unit);
  for (size_t c = 0; c < a->size; c++) {
    unit[c] = 1;
    dv_assembly_scatter(a, p, unit);
    unit[c] = 0;
    dv_mech_propagate_v(plan, p);
    const double *column = dv_state_read(s, p);
    for (size_t r = 0; r < rows; r++) j[r * a->size + c] = column[r];
  }
  dv_free(unit);
  dv_vec_give(&s->base, &p);
  return j;
}

// blocks that one sum over elements has for itself beside blocks that get more: springs, another sum, a mass with
// entries beside the diagonal
static void sums_share_blocks_with_others(void **state)
{
  DV_UNUSED(state);
#define GRID                                                                                          \
  "<Node name='root'><EulerImplicitSolver/><CGLinearSolver/><RegularGridTopology n='4 3 5' max='3 2 " \
  "4'/><MechanicalObject/>"                                                                           \
  "<HexahedronFEMForceField youngModulus='1000' poissonRatio='0.3'/>"
  static const char *const scenes[] = {
      GRID "</Node>",
      GRID "<UniformMass vertexMass='2'/><SpringForceField spring='0 1 100 3 0.9  5 30 50 2 1  2 3 70 1 1'/></Node>",
      GRID
      "<MeshMatrixMass totalMass='3' lumping='0'/><TetrahedronFEMForceField youngModulus='500' poissonRatio='0.2'/>"
      "<FixedProjectiveConstraint indices='0 7'/></Node>",
      "<Node name='root'><EulerImplicitSolver/><CGLinearSolver/><MechanicalObject position='0 0 0  1 0 0  0 1 0  0 0 "
      "1'/>"
      "<MeshTopology tetrahedra='0 1 2 3'/><TetrahedronFEMForceField youngModulus='100' poissonRatio='0.3'/>"
      "<Node><MechanicalObject position='0.2 0.2 0.2  0.3 0.1 0.1'/><BarycentricMapping/><SpringForceField spring='0 1 "
      "10 1 0.3'/></Node></Node>",
  };
  for (size_t i = 0; i < DV_COUNT(scenes); i++) {
    dvScene *s = check_scene(scenes[i], 1);
    check_close(compare_products(s->root, NULL, factors), 0, 1e-13);
    check_close_scene(&s);
  }
}

// the matrix of one force, carried up densely, against the assembled one
static void check_mapped_force(const char *text, int block)
{
  fdScene s = fd_open(text);
  dvObject *force = fd_find(&s, "ff"), *states[2];
  dvPlan *plan = NULL;
  dvAssembly a = {0};
  dv_plan_get(&plan, s.scene->root);
  dvMech m = factors;
  m.m = 0;
  dv_mech_compute_force(plan, &m);
  assert_int_equal(dv_assembly_build(&a, &s.scene->root->base, plan, &m, DV_ASSEMBLE_ALL), DV_OK);
  assert_int_equal(a.matrix.block, block);
  size_t n, at = 0;
  double *k = fd_dense_stiffness(force, m.k, m.b, &n), *j = dv_alloc(n * a.size * sizeof *j);
  int count = dv_force_states(force, states);
  for (int i = 0; i < count; i++) {
    double *part = dense_j(plan, &a, dv_state(states[i]));
    size_t numbers = dv_state_scalars(dv_state(states[i]), DV_V) * a.size;
    memcpy(j + at, part, numbers * sizeof *j);
    at += numbers;
    dv_free(part);
  }
  double *dense = dv_alloc(a.size * a.size * sizeof *dense), *kj = dv_alloc(n * a.size * sizeof *kj), largest = 0;
  dv_block_matrix_to_dense(&a.matrix, dense);
  for (size_t r = 0; r < n; r++)
    for (size_t c = 0; c < a.size; c++)
      for (size_t i = 0; i < n; i++) kj[r * a.size + c] += k[r * n + i] * j[i * a.size + c];
  for (size_t i = 0; i < a.size * a.size; i++) largest = fmax(largest, fabs(dense[i]));
  assert_true(largest > 0.01);
  for (size_t r = 0; r < a.size; r++)
    for (size_t c = 0; c < a.size; c++) {
      double sum = 0;
      for (size_t i = 0; i < n; i++) sum += j[i * a.size + r] * kj[i * a.size + c];
      check_close(dense[r * a.size + c], sum, 1e-12 * largest);
    }
  dv_free(k);
  dv_free(j);
  dv_free(kj);
  dv_free(dense);
  dv_assembly_free(&a);
  dv_plan_destroy(&plan);
  fd_close(&s);
}

#define SPRINGS(a, b) \
  "<SpringForceField name='ff' object1='" a "' object2='" b "' spring='0 1 100 2 0.7  1 0 50 1 1.1  1 1 30 0 0.2'/>"
#define POINTS(name, x) "<Node name='" name "'><MechanicalObject name='mo' position='" x "'/>"
#define FRAMES(name, x) "<Node name='" name "'><MechanicalObject name='mo' template='Rigid3' position='" x "'/>"
#define ON_FRAMES                                                                                       \
  "<Node name='M'><MechanicalObject name='mo' position='0.5 0 0  0 0.5 0.1  0.3 0.3 0'/><RigidMapping " \
  "rigidIndexPerPoint='0 1 1'/>"

static void between_independent_states(void **state)
{
  DV_UNUSED(state);
  check_mapped_force("<Node name='root'>" POINTS("A", "0 0 0  1 0 0.1") "</Node>" POINTS(
                         "B", "0 1 0  1 1 1  2 0 0") "</Node>" SPRINGS("@A/mo", "@B/mo") "</Node>",
                     3);
}

static void between_mapped_states(void **state)
{
  DV_UNUSED(state);
  check_mapped_force("<Node name='root'>" FRAMES("A", "0 0 0 0 0 0 1  1 0 0 0 0.6 0 0.8") ON_FRAMES
                     "</Node></Node>" FRAMES("B", "0 1 0 0 0 0 1  1 1 0 0.6 0 0 0.8") ON_FRAMES
                     "</Node></Node>" SPRINGS("@A/M/mo", "@B/M/mo") "</Node>",
                     6);
}

static void between_a_mapped_and_an_independent_state(void **state)
{
  DV_UNUSED(state);
  check_mapped_force(
      "<Node name='root'>" FRAMES("A", "0 0 0 0 0 0 1  1 0 0 0 0.6 0 0.8") ON_FRAMES
      "</Node></Node>" POINTS("B", "0 1 0  1 1 1  2 0 0") "</Node>" SPRINGS("@A/M/mo", "@B/mo") "</Node>",
      3);
  check_mapped_force(
      "<Node name='root'>" POINTS("B", "0 1 0  1 1 1  2 0 0") "</Node>" FRAMES("A", "0 0 0 0 0 0 1  1 0 0 0 0.6 0 0.8")
          ON_FRAMES "</Node></Node>" SPRINGS("@B/mo", "@A/M/mo") "</Node>",
      3);
}

// points on a point set that is itself on frames
static void over_several_mappings(void **state)
{
  DV_UNUSED(state);
#define DEEP "<Node name='N'><MechanicalObject name='mo' position='0 0 0  0 0 0'/><SubsetMapping indices='2 0'/>"
  check_mapped_force(
      "<Node name='root'>" FRAMES("A", "0 0 0 0 0 0 1  1 0 0 0 0.6 0 0.8") ON_FRAMES DEEP
      "</Node></Node></Node>" POINTS("B", "0 1 0  1 1 1") "</Node>" SPRINGS("@A/M/N/mo", "@B/mo") "</Node>",
      3);
  check_mapped_force("<Node name='root'>" FRAMES("A", "0 0 0 0 0 0 1  1 0 0 0 0.6 0 0.8") ON_FRAMES DEEP
                     "</Node></Node></Node>" SPRINGS("@A/M/N/mo", "@A/M/mo") "</Node>",
                     6);
}

// two states of one parent: both J have the same columns
static void below_one_parent(void **state)
{
  DV_UNUSED(state);
  check_mapped_force("<Node name='root'>" FRAMES("A", "0 0 0 0 0 0 1  1 0 0 0 0.6 0 0.8") ON_FRAMES
                     "</Node>"
                     "<Node name='N'><MechanicalObject name='mo' position='1 0 0  0 2 0.1'/><RigidMapping "
                     "index='1'/></Node></Node>" SPRINGS("@A/M/mo", "@A/N/mo") "</Node>",
                     6);
}

static void geometric_stiffness_of_mappings(void **state)
{
  DV_UNUSED(state);
  static const char *const kinds[] = {"Exact", "Stabilized"};
  for (int i = 0; i < 2; i++) {
    char *text = dv_format(
        "<Node name='root'>" FRAMES(
            "A", "0 0 0 0 0 0 1  1 0 0 0 0.6 0 0.8") "<Node name='M'><MechanicalObject name='mo' position='0.5 0 0  0 "
                                                     "0.5 0.1'/>"
                                                     "<RigidMapping rigidIndexPerPoint='0 1' "
                                                     "geometricStiffness='%s'/></Node></Node>" POINTS(
                                                         "B",
                                                         "0 1 0  1 1 1  2 0 0") "</Node>" SPRINGS("@A/M/mo",
                                                                                                  "@B/mo") "</Node>",
        kinds[i]);
    dvScene *s = check_scene(text, 1);
    check_close(compare_products(s->root, NULL, factors), 0, 1e-13);
    dvAssemblyParts parts = DV_ASSEMBLE_ALL;
    parts.geometric = false;
    assert_true(compare_products(s->root, &parts, factors) > 1e-3);
    check_close_scene(&s);
    dv_free(text);
  }
}

static void states_outside_of_the_system_are_left_out(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene("<Node name='root'>" POINTS(
                               "A", "0 0 0  1 0 0.1") "</Node><Node name='B'><MechanicalObject name='mo' position='0 1 "
                                                      "0  1 1 1'/>" SPRINGS("@../A/mo", "@mo") "</Node></Node>",
                           1);
  check_close(compare_products(dv_node_child(s->root, "B"), NULL, factors), 0, 1e-13);
  check_close_scene(&s);
}

static void blocks_follow_the_widths(void **state)
{
  DV_UNUSED(state);
  static const struct {
    const char *text;
    int block;
  } cases[] = {
      {"<Node name='root'><Node><MechanicalObject template='Vec1' position='1 2'/><UniformMass vertexMass='1'/></Node>"
       "<Node><MechanicalObject position='0 0 0  1 0 0'/><UniformMass vertexMass='1'/><SpringForceField spring='0 1 5 "
       "1 0.5'/></Node></Node>",
       1},
      {"<Node name='root'><Node><MechanicalObject template='Vec2' position='1 2'/><UniformMass "
       "vertexMass='1'/></Node></Node>",
       1},
      {"<Node name='root'><Node><MechanicalObject template='Rigid3' position='1 2 3 0 0 0 1'/><UniformMass "
       "vertexMass='1'/></Node>"
       "<Node><MechanicalObject position='0 0 0  1 0 0'/><UniformMass vertexMass='1'/><SpringForceField spring='0 1 5 "
       "1 0.5'/></Node></Node>",
       3},
  };
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    dvScene *s = check_scene(cases[i].text, 1);
    check_close(compare_products(s->root, NULL, factors), 0, 1e-13);
    dvPlan *plan = NULL;
    dvAssembly a = {0};
    assert_int_equal(dv_assembly_build(&a, &s->root->base, dv_plan_get(&plan, s->root), &factors, DV_ASSEMBLE_ALL),
                     DV_OK);
    assert_int_equal(a.matrix.block, cases[i].block);
    dv_assembly_free(&a);
    dv_plan_destroy(&plan);
    check_close_scene(&s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_scene_gives_the_same_product),
      cmocka_unit_test(parts_add_up),
      cmocka_unit_test(fixed_rows_and_columns_are_cleared),
      cmocka_unit_test(changed_sequences_are_noticed),
      cmocka_unit_test(sums_share_blocks_with_others),
      cmocka_unit_test(between_independent_states),
      cmocka_unit_test(between_mapped_states),
      cmocka_unit_test(between_a_mapped_and_an_independent_state),
      cmocka_unit_test(over_several_mappings),
      cmocka_unit_test(below_one_parent),
      cmocka_unit_test(geometric_stiffness_of_mappings),
      cmocka_unit_test(states_outside_of_the_system_are_left_out),
      cmocka_unit_test(blocks_follow_the_widths),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
