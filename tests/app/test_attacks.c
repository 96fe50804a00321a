// Scenes that somebody wrote to break the program, each of which once did: it read or wrote past its memory, or gave
// another result at every launch. They end with a message or run; under sanitizers they must do it without one of
// theirs. Others of their kind: test_mutants.c (found by fuzzing), test_calls.c (the C interface), view/test_session.c,
// view/test_gate.c and view/test_server_threads.c (the viewer), io/test_special_files.c, mapping/test_carriers.c.
#include "support/check.h"
#include "support/scene.h"

#include "divan/divan.h"

#include <string.h>

// Reads, initialises, steps and resets a scene whose messages nobody hears; gives whether it was sound.
static bool survive(const char *text)
{
  dvContext *context = dv_divan_create(1);
  dvScene *scene = NULL;
  context->log.sink = NULL;
  dv_scene_parse(context, "attack.scn", text, strlen(text), &scene);
  assert_non_null(scene);
  const bool begun = dv_scene_init(scene) == DV_OK;
  for (int k = 0; k < 3 && begun; k++) dv_scene_step(scene, 0);
  if (begun) dv_scene_reset(scene);
  if (begun) dv_scene_step(scene, 0);
  dv_scene_destroy(&scene);
  dv_divan_destroy(&context);
  return begun;
}

// a mapping finds a grid where it would write: two topologies in a node, the later one is the node's
static void mappings_do_not_write_into_grids(void **state)
{
  DV_UNUSED(state);
  static const char *const mappings[] = {"Hexa2TetraTopologicalMapping",     "Hexa2QuadTopologicalMapping",
                                         "Tetra2TriangleTopologicalMapping", "Triangle2EdgeTopologicalMapping",
                                         "Quad2TriangleTopologicalMapping",  "Edge2QuadTopologicalMapping",
                                         "IdentityTopologicalMapping",       "SubsetTopologicalMapping"};
  static const char *const grids[] = {
      "RegularGridTopology", "RegularGridTopology n='50 50 50'", "SparseGridTopology n='3 3 3' filename='cube.obj'",
      "CubeTopology nx='4'", "SphereGridTopology n='4 4 4'",     "CylinderGridTopology n='4 4 4'"};
  static const char *const inputs[] = {"<MeshTopology name='grid'/>",
                                       "<MeshTopology name='grid' position='0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 "
                                       "0 1 1' hexahedra='0 1 2 3 4 5 6 7'/>"};
  for (size_t i = 0; i < DV_COUNT(mappings); i++)
    for (size_t k = 0; k < DV_COUNT(grids); k++)
      for (size_t m = 0; m < DV_COUNT(inputs); m++) {
        char *text =
            dv_format("<Node>%s<MechanicalObject/><%s/><%s input='@grid'/></Node>", inputs[m], grids[k], mappings[i]);
        survive(text);
        dv_free(text);
      }
}

static void links_by_number_stay_in_their_list(void **state)
{
  DV_UNUSED(state);
  static const char *const links[] = {
      "@[0]", "@[7]", "@[8]", "@[-1]", "@[-8]", "@[-9]", "@[-9223372036854775808]", "@[9223372036854775807]"};
  for (size_t i = 0; i < DV_COUNT(links); i++) {
    char *text = dv_format("<Node gravity='%s'><A/><MechanicalObject name='b'/><UniformMass/><MeshTopology/>"
                           "<EulerExplicitSolver/><PointSetTopologyModifier/><ConstantForceField/>"
                           "<FixedProjectiveConstraint indices='%s'/></Node>",
                           links[i], links[i]);
    survive(text);
    dv_free(text);
  }
}

// one state, one driver: refused before the first step, with and without a matrix
static void a_state_with_two_drivers_is_refused(void **state)
{
  DV_UNUSED(state);
  static const char *const children[] = {
      "<RigidMapping/><MechanicalObject position='1 0 0  0 1 0'/><FrameBlendingMapping/>",
      "<MechanicalObject position='1 0 0'/><RigidMapping/><SkinningMapping/>"};
  static const char *const below[] = {"<IdentityMapping/><MechanicalObject/><SubsetMapping indices='0 1 0 1 0'/>",
                                      "<MechanicalObject/><IdentityMapping/><SubsetMapping indices='0 1 0 1 0'/>"};
  static const char *const solvers[] = {"<SparseLDLSolver/>", "<CGLinearSolver/>"};
  for (size_t i = 0; i < 2; i++)
    for (size_t k = 0; k < 2; k++) {
      char *frames = dv_format("<Node><EulerImplicitSolver/>%s<MechanicalObject template='Rigid3' position='0 0 0 0 0 "
                               "0 1  1 0 0 0 0 0 1'/><UniformMass/><Node>%s<UniformMass/></Node></Node>",
                               solvers[k], children[i]);
      char *points = dv_format("<Node><EulerImplicitSolver/>%s<MechanicalObject position='0 0 0  1 0 0'/><UniformMass/>"
                               "<Node>%s<UniformMass/></Node></Node>",
                               solvers[k], below[i]);
      assert_false(survive(frames));
      assert_false(survive(points));
      dv_free(frames);
      dv_free(points);
    }
}

static void no_frames_and_no_points(void **state)
{
  DV_UNUSED(state);
  static const char *const mappings[] = {"RigidMapping",      "SkinningMapping", "FrameBlendingMapping",
                                         "BeamLinearMapping", "TubularMapping",  "ArticulatedSystemMapping"};
  for (size_t i = 0; i < DV_COUNT(mappings); i++) {
    char *text = dv_format("<Node><EulerImplicitSolver/><SparseLDLSolver/><MechanicalObject template='Rigid3' "
                           "position=''/><Node><MechanicalObject position=''/><%s/></Node></Node>",
                           mappings[i]);
    survive(text);
    dv_free(text);
  }
}

// a pointer that stood for a version: a surface must go on moving when a field of the force above has changed
static void a_surface_follows_after_a_change(void **state)
{
  DV_UNUSED(state);
  dvContext *context = divan_create(1);
  dvScene *scene = divan_load(context, DIVAN_SOURCE_DIR "/scenes/mapping/HexahedronCompositeFEMMapping.scn");
  assert_non_null(scene);
  assert_int_equal(divan_init(scene), DIVAN_OK);
  for (int i = 0; i < 3; i++) assert_int_equal(divan_step(scene, 0), DIVAN_OK);
  assert_int_equal(divan_set(scene, "/ff", "youngModulus", "1000"), DIVAN_OK);
  double before = 0, moved = 0;
  size_t count;
  const double *x = divan_read(scene, "/Surface/surface", "position", &count);
  for (size_t i = 0; i < count; i++) before += x[i] * (double)(i % 7);
  for (int i = 0; i < 3; i++) assert_int_equal(divan_step(scene, 0), DIVAN_OK);
  x = divan_read(scene, "/Surface/surface", "position", &count);
  for (size_t i = 0; i < count; i++) moved += x[i] * (double)(i % 7);
  assert_true(fabs(moved - before) > 1e-6);
  divan_close(&scene);
  divan_destroy(&context);
}

static uint64_t hash_with_linked_size(void)
{
  size_t length = 0;
  char *path = DIVAN_SOURCE_DIR "/scenes/mapping/HexahedronCompositeFEMMapping.scn";
  FILE *f = fopen(path, "r");
  assert_non_null(f);
  char text[8192];
  length = fread(text, 1, sizeof text - 1, f);
  text[length] = 0;
  fclose(f);
  char *at = strstr(text, "n=\"2 2 2\"");
  assert_non_null(at);
  char *changed = dv_format("%.*sn=\"@/dofs.velocity\"%s", (int)(at - text), text, at + strlen("n=\"2 2 2\""));
  dvContext *context = dv_divan_create(1);
  context->log.sink = NULL;
  dvScene *scene = NULL;
  dv_scene_parse(context, path, changed, strlen(changed), &scene);
  assert_non_null(scene);
  uint64_t hash = 0;
  if (dv_scene_init(scene) == DV_OK) {
    for (int k = 0; k < 5; k++) dv_scene_step(scene, 0);
    hash = dv_scene_hash(scene);
  }
  dv_scene_destroy(&scene);
  dv_divan_destroy(&context);
  dv_free(changed);
  return hash;
}

// blocks that lie elsewhere in memory each time
static void launches_are_alike(void **state)
{
  DV_UNUSED(state);
  uint64_t first = hash_with_linked_size();
  for (size_t i = 1; i < 6; i++) {
    void *shift = dv_alloc(i * 1237);
    assert_true(hash_with_linked_size() == first);
    dv_free(shift);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mappings_do_not_write_into_grids),    cmocka_unit_test(links_by_number_stay_in_their_list),
      cmocka_unit_test(a_state_with_two_drivers_is_refused), cmocka_unit_test(no_frames_and_no_points),
      cmocka_unit_test(a_surface_follows_after_a_change),    cmocka_unit_test(launches_are_alike),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
