// Messages that lead on: once each, none that is false, proposals that are alike, lists by topic.
#include "support/check.h"
#include "support/command.h"

#include "base/file.h"
#include "base/text.h"

#include <string.h>

static char *directory;

static int set_up(void **state)
{
  DV_UNUSED(state);
  directory = check_mkdir();
  return 0;
}

static int tear_down(void **state)
{
  DV_UNUSED(state);
  check_rmdir(directory);
  return 0;
}

// What `divan ARGUMENTS SCENE` prints for a root node with these components, which may have a loop of their own in the
// first place; the caller frees it.
static char *told(int status, const char *arguments, const char *components)
{
  char *path = dv_path_join(directory, "scene.scn"), *out;
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  bool own = strncmp(components, "<FreeMotionAnimationLoop/>", 26) == 0;
  fprintf(f, "<Node dt='0.01'>%s%s</Node>", own ? "" : "<DefaultAnimationLoop/>", components);
  assert_int_equal(fclose(f), 0);
  int got = check_shell(&out, "cd %s && %s %s scene.scn 2>&1", directory, DIVAN_BINARY, arguments);
  if (got != status) fail_msg("status %d, wanted %d: %s", got, status, out);
  dv_free(path);
  return out;
}

static void check_told(int times, const char *part, int status, const char *arguments, const char *components)
{
  char *out = told(status, arguments, components);
  int n = 0;
  for (const char *s = out; (s = strstr(s, part)); s += strlen(part)) n++;
  if (n != times) fail_msg("%d times '%s', wanted %d: %s", n, part, times, out);
  dv_free(out);
}

static void numbers_that_are_missing_are_told(void **state)
{
  DV_UNUSED(state);
  check_told(1, "resolution: 1 number given, 2 expected; the others stay as they are", 0, "check",
             "<GridMeshCreator name='grid' filename='none' resolution='30'/>");
  check_told(0, "expected", 0, "check", "<GridMeshCreator name='grid' filename='none' resolution='30 2'/>");
  check_told(1, "n: 4 numbers given, 3 expected; the rest is left out", 0, "check",
             "<RegularGridTopology n='3 3 3 3' min='0 0 0' max='1 1 1'/>");
}

static void a_mistake_brings_no_second_message(void **state)
{
  DV_UNUSED(state);
  static const char scene[] = "<EulerImplicitSolver/><CGLinearSolver iterations='many'/>"
                              "<MechanicalObject position='0 0 0'/><UniformMass totalMass='1'/>";
  check_told(1, "error: ", 4, "run -n 1", scene);
  check_told(1, "a whole number expected, found 'many'", 4, "check", scene);
  check_told(1, "needs a linear solver in its node and finds none", 4, "check",
             "<EulerImplicitSolver/><MechanicalObject position='0 0 0'/><UniformMass totalMass='1'/>");
}

#define EXPORT(fields)                                                             \
  "<EulerExplicitSolver/><RegularGridTopology n='3 3 3' min='0 0 0' max='1 1 1'/>" \
  "<MechanicalObject name='dofs'/><UniformMass name='mass' totalMass='1'/>"        \
  "<VTKExporter filename='out' exportEveryNumberOfSteps='1' pointsDataFields='" fields "'/>"

static void values_that_cannot_be_written_are_told_once(void **state)
{
  DV_UNUSED(state);
  static const char *const verbs[] = {"run -n 4", "check"};
  for (size_t i = 0; i < DV_COUNT(verbs); i++) {
    check_told(1, "there are no values 'dofs.speed' to write: there is no field speed\n    `divan info Mechanical", 0,
               verbs[i], EXPORT("dofs.speed"));
    check_told(1, "did you mean 'dofs.velocity'?", 0, verbs[i], EXPORT("dofs.velocty"));
    check_told(1, "there is no such component", 0, verbs[i], EXPORT("nobody.position"));
    check_told(0, "warning: ", 0, verbs[i], EXPORT("dofs.velocity"));
  }
  check_told(1, "but there are 27 points: it is not written", 0, "run -n 4", EXPORT("mass.indices"));
}

static void proposals_are_alike(void **state)
{
  DV_UNUSED(state);
  check_told(1, "did you mean FixedProjectiveConstraint?", 3, "check", "<FixConstraint/>");
  check_told(0, "did you mean", 3, "check", "<WeatherForceField/>");
  check_told(1, "one of a plugin needs <RequiredPlugin name=\"...\"/> or --plugin (`divan new-plugin`", 3, "check",
             "<WeatherForceField/>");
  check_command(3, "one of a plugin needs --plugin NAME", "%s info WeatherForceField", DIVAN_BINARY);
  check_told(1, "tip.tetrahedronIndices'?", 0, "check",
             "<RegularGridTopology n='3 3 3' min='0 0 0' max='1 1 1'/><MechanicalObject/><UniformMass totalMass='1'/>"
             "<EulerExplicitSolver/><BoxROI name='tip' box='0 0 0 1 1 1'/>"
             "<FixedProjectiveConstraint indices='@tip.tetraIndices'/>");
}

// a file of that name lies in another folder; paths of other systems count too
static void files_in_other_folders_are_proposed(void **state)
{
  DV_UNUSED(state);
  check_command(0, "", "mkdir -p %s/meshes && cp %s/scenes/mesh/organ.msh %s/meshes", directory, DIVAN_SOURCE_DIR,
                directory);
  static const char *const names[] = {"organ.msh", "mesh/organ.msh", "C:\\Users\\me\\organ.msh"};
  for (size_t i = 0; i < DV_COUNT(names); i++) {
    char *loader = dv_format("<MeshGmshLoader filename='%s'/>", names[i]);
    check_told(1, "did you mean 'meshes/organ.msh'?", 4, "check", loader);
    dv_free(loader);
  }
  check_told(1, "put it into a child node", 4, "check",
             "<MechanicalObject template='Rigid3d' position='0 0 0 0 0 0 1'/><SphereCollisionModel radius='1'/>"
             "<TriangleCollisionModel/>");
}

#define FALL(method, response, models)                                                                              \
  "<FreeMotionAnimationLoop/><CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>" method response          \
  "<LCPConstraintSolver/><Node><EulerImplicitSolver/><SparseLDLSolver/><MeshTopology position='0 1 0 1 1 0 0 1 1' " \
  "triangles='0 1 2'/><MechanicalObject/><UniformMass totalMass='1'/><UncoupledConstraintCorrection "               \
  "defaultCompliance='1'/>" models "</Node><Node><MeshTopology position='-5 0 -5 5 0 -5 0 0 5' triangles='0 1 2'/>" \
  "<MechanicalObject/><TriangleCollisionModel simulated='0' moving='0'/></Node>"
#define MIN_PROXIMITY "<MinProximityIntersection alarmDistance='0.2' contactDistance='0.1'/>"
#define NEW_PROXIMITY "<NewProximityIntersection alarmDistance='0.2' contactDistance='0.1'/>"
#define RESPONSE(kind, parameters) "<CollisionResponse response='" kind "' responseParams='" parameters "'/>"

static void contacts_that_cannot_be_are_told(void **state)
{
  DV_UNUSED(state);
  static const char *const verbs[] = {"check", "run -n 2"};
  for (size_t i = 0; i < DV_COUNT(verbs); i++) {
    check_told(1, "did you mean FrictionContact?", 0, verbs[i],
               FALL(NEW_PROXIMITY, RESPONSE("FrictionContakt", "mu=0.5"), "<TriangleCollisionModel/>"));
    check_told(1, "there is no parameter 'friction'", 0, verbs[i],
               FALL(NEW_PROXIMITY, RESPONSE("FrictionContact", "friction=0.5"), "<TriangleCollisionModel/>"));
    check_told(1, "'abc' is no number: mu keeps its default", 0, verbs[i],
               FALL(NEW_PROXIMITY, RESPONSE("FrictionContact", "mu=abc"), "<TriangleCollisionModel/>"));
    check_told(1, "MinProximityIntersection leaves triangles against triangles to their points and lines", 0, verbs[i],
               FALL(MIN_PROXIMITY, RESPONSE("FrictionContact", "mu=0.5"), "<TriangleCollisionModel/>"));
    check_told(0, "warning: ", 0, verbs[i],
               FALL(MIN_PROXIMITY, RESPONSE("FrictionContact", "mu=0.5&amp;tol=1e-3"),
                    "<TriangleCollisionModel/><PointCollisionModel/>"));
    check_told(0, "warning: ", 0, verbs[i],
               FALL(NEW_PROXIMITY, RESPONSE("FrictionContact", ""), "<TriangleCollisionModel/>"));
  }
}

static void what_stands_there_twice_is_told(void **state)
{
  DV_UNUSED(state);
#define CUBE                                                                                                \
  "<RegularGridTopology n='3 3 3' min='0 0 0' max='1 1 1'/><MechanicalObject/><UniformMass totalMass='1'/>" \
  "<HexahedronFEMForceField/>"
#define ITERATIONS "iterations='9' tolerance='1e-9' threshold='1e-9'"
  check_told(1, "DefaultAnimationLoop1 is the second animation loop of the node, beside FreeMotionAnimationLoop1", 0,
             "check", "<FreeMotionAnimationLoop/><DefaultAnimationLoop/>");
  check_told(1, "nothing uses this linear solver: SparseLDLSolver1 stands before it", 0, "check",
             "<EulerImplicitSolver/><SparseLDLSolver/><CGLinearSolver " ITERATIONS "/>" CUBE);
  check_told(0, "nothing uses", 0, "check",
             "<EulerImplicitSolver/><PCGLinearSolver " ITERATIONS
             " preconditioner='@ldl'/><SparseLDLSolver name='ldl'/>" CUBE);
  check_told(1, "give alarmDistance=\"0.6\"", 0, "check",
             "<CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/><CollisionResponse/>"
             "<LocalMinDistance alarmDistance='0.1' contactDistance='0.3'/>");
}

static void surfaces_that_are_missing_are_told_once(void **state)
{
  DV_UNUSED(state);
  check_told(1, "there is no surface to write", 0, "run -n 4",
             "<MechanicalObject position='0 0 0'/><UniformMass totalMass='1'/><EulerExplicitSolver/>"
             "<STLExporter filename='out' exportEveryNumberOfSteps='1'/>");
}

static void lists_by_topic(void **state)
{
  DV_UNUSED(state);
  static const struct {
    const char *word, *component;
  } cases[] = {{"elastic", "  TetrahedronFEMForceField "},
               {"elastic", "  HexahedronFEMForceField "},
               {"stiffness", "  TetrahedronFEMForceField "},
               {"cloth", "  TriangularFEMForceField "},
               {"cloth", "  TriangularBendingSprings "},
               {"rope", "  BeamFEMForceField "},
               {"muscle", "  TetrahedronHyperelasticityFEMForceField "},
               {"contact", "  TriangleCollisionModel "},
               {"gravity", "  Gravity "},
               {"catheter", "  WireRestShape "},
               {"needle", "  NeedleInsertionConstraint "},
               {"cutting", "  TopologicalChangeProcessor "},
               {"friction", "  LCPConstraintSolver "},
               {"fluid", "  SPHFluidForceField "},
               {"hinge", "  JointLagrangianConstraint "},
               {"Clamping", "  FixedProjectiveConstraint "}};
  for (size_t i = 0; i < DV_COUNT(cases); i++)
    check_command(0, cases[i].component, "%s list %s", DIVAN_BINARY, cases[i].word);
  char *out;
  check_shell(&out, "%s list cloth", DIVAN_BINARY);
  assert_null(strstr(out, "TetrahedronFEMForceField"));
  dv_free(out);
}

static void a_search_that_was_not_made_has_not_failed(void **state)
{
  DV_UNUSED(state);
  static const char *const format =
      "<NewtonRaphsonSolver name='newton' maxNbIterationsNewton='30' maxNbIterationsLineSearch='%d'/>"
      "<StaticSolver newtonSolver='@newton'/><SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>"
      "<RegularGridTopology n='9 3 3' min='0 0 0' max='8 1 1'/><MechanicalObject/><UniformMass totalMass='0.3'/>"
      "<HexahedronFEMForceField youngModulus='1000' poissonRatio='0.3' method='large'/>"
      "<BoxROI name='end' box='-0.1 -0.1 -0.1 0.1 1.1 1.1'/><FixedProjectiveConstraint indices='@end.indices'/>";
  for (int tries = 1; tries < 4; tries += 2) {
    char *scene = dv_format(format, tries);
    check_told(tries > 1, "no step length makes the residual smaller", 0, "run -n 1", scene);
    dv_free(scene);
  }
}

#define BODY(name, x, more)                                                                                     \
  "<Node name='" name "'><EulerImplicitSolver/><SparseLDLSolver/><MechanicalObject name='x' position='" x "'/>" \
  "<UniformMass totalMass='1'/><LinearSolverConstraintCorrection/>" more "</Node>"
#define TIE(from, to, more) \
  "<BilateralLagrangianConstraint object1='@" from "/x' object2='@" to "/x' first_point='0' second_point='0' " more "/>"
#define TWO_BODIES BODY("a", "0 0 0", "") BODY("b", "1 0 0", "")

// before the first step, and by `divan check`
static void equalities_that_repeat_or_contradict_are_told(void **state)
{
  DV_UNUSED(state);
  static const char *const commands[] = {"check", "run -n 0"};
  static const char solver[] = "<BlockGaussSeidelConstraintSolver/>";
  static const struct {
    const char *scene, *part;
    int times;
  } cases[] = {
      {TWO_BODIES TIE("a", "b", "") TIE("a", "b", "rest_vector='3 0 0'"), "it contradicts Bilateral", 1},
      {TWO_BODIES TIE("a", "b", "rest_vector='3 0 0'") TIE("b", "a", "rest_vector='3 0 0'"), "it contradicts", 1},
      {TWO_BODIES TIE("a", "b", "rest_vector='3 0 0'") TIE("b", "a", "rest_vector='-3 0 0'"), "it ties points that", 1},
      {TWO_BODIES TIE("a", "b", "") TIE("a", "b", ""), "it ties points that Bilateral", 1},
      {TWO_BODIES TIE("a", "b", "") TIE("a", "b", "activate='0' rest_vector='3 0 0'"), "it contradicts", 0},
      {BODY("a", "0 0 0  1 0 0", "<FixedLagrangianConstraint indices='0 1 0'/>"), "point 0 of x is held twice", 1},
      {BODY("a", "0 0 0  1 0 0", "<FixedLagrangianConstraint indices='1'/><FixedLagrangianConstraint fixAll='1'/>"),
       "point 1 of x is held twice", 1},
      {BODY("a", "0 0 0  1 0 0", "<FixedLagrangianConstraint indices='0'/><FixedLagrangianConstraint indices='1'/>"),
       "held twice", 0},
  };
  for (size_t i = 0; i < DV_COUNT(cases); i++)
    for (size_t k = 0; k < DV_COUNT(commands); k++) {
      char *scene = dv_format("%s%s", solver, cases[i].scene);
      check_told(cases[i].times, cases[i].part, 0, commands[k], scene);
      dv_free(scene);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_that_are_missing_are_told),
      cmocka_unit_test(a_mistake_brings_no_second_message),
      cmocka_unit_test(values_that_cannot_be_written_are_told_once),
      cmocka_unit_test(proposals_are_alike),
      cmocka_unit_test(files_in_other_folders_are_proposed),
      cmocka_unit_test(contacts_that_cannot_be_are_told),
      cmocka_unit_test(surfaces_that_are_missing_are_told_once),
      cmocka_unit_test(what_stands_there_twice_is_told),
      cmocka_unit_test(lists_by_topic),
      cmocka_unit_test(a_search_that_was_not_made_has_not_failed),
      cmocka_unit_test(equalities_that_repeat_or_contradict_are_told),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
