// Skeletons: closed forms, files, mistakes, and the grasper whose surface hands its forces to its joints.
#include "io/mesh/read_bvh.h"
#include "support/check.h"
#include "support/fd.h"
#include "support/scene.h"

#include <math.h>
#include <string.h>

// two links of length two in the plane; the joints stand at -1 in each link's frame
static dvScene *open_arm(const char *angles, const char *process)
{
  char *text = dv_format(
      "<Node gravity='0 0 0'><MechanicalObject name='angles' template='Vec1' position='%s'/><Node "
      "name='Links'><MechanicalObject name='links' template='Rigid3' "
      "position='0 0 0 0 0 0 1  1 0 0 0 0 0 1  3 0 0 0 0 0 1'/><ArticulatedSystemMapping name='map' "
      "input1='@../angles'/></Node><ArticulatedHierarchyContainer/>"
      "<Node name='one'><ArticulationCenter name='center' parentIndex='0' childIndex='1' posOnChild='-1 0 0' "
      "articulationProcess='%s'/>"
      "<Node name='a'><Articulation rotation='1' rotationAxis='0 0 2' articulationIndex='0'/></Node></Node>"
      "<Node name='two'><ArticulationCenter name='center' parentIndex='1' childIndex='2' posOnParent='1 0 0' "
      "posOnChild='-1 0 0' articulationProcess='%s'/>"
      "<Node name='a'><Articulation rotation='1' rotationAxis='0 0 1' articulationIndex='1'/></Node></Node></Node>",
      angles, process, process);
  dvScene *s = check_scene(text, 1);
  dv_free(text);
  return s;
}

static void an_arm_of_two_links(void **state)
{
  (void)state;
  const char *processes[] = {"0", "1", "2"};
  for (size_t p = 0; p < DV_COUNT(processes); p++) {
    double a = 0.4, b = 0.7;
    dvScene *s = open_arm("0.4 0.7", processes[p]);
    double wanted[14] = {cos(a),
                         sin(a),
                         0,
                         0,
                         0,
                         sin(a / 2),
                         cos(a / 2),
                         2 * cos(a) + cos(a + b),
                         2 * sin(a) + sin(a + b),
                         0,
                         0,
                         0,
                         sin((a + b) / 2),
                         cos((a + b) / 2)};
    for (size_t i = 0; i < 14; i++) check_close(check_value(s, "Links/links", DV_X, 7 + i), wanted[i], 1e-12);
    const double *center = dv_object_field(check_find(s, "two/center"), "globalPosition")->value;
    check_close(center[0], 2 * cos(a), 1e-12);
    check_close(center[1], 2 * sin(a), 1e-12);
    // one unit upwards at the tip of the second link: torques of its lever arms
    dvObject *map = check_find(s, "Links/map");
    dvState *links = dv_state(check_find(s, "Links/links")), *angles = dv_state(check_find(s, "angles"));
    memset(dv_state_write(links, DV_F), 0, 18 * sizeof(double));
    dv_state_write(links, DV_F)[13] = 1;
    memset(dv_state_write(angles, DV_F), 0, 2 * sizeof(double));
    ((const dvMappingOps *)dv_ops(map, DV_ROLE_MAPPING))->apply_jt(map, DV_F, DV_F);
    check_close(dv_state_read(angles, DV_F)[0], 2 * cos(a) + cos(a + b), 1e-12);
    check_close(dv_state_read(angles, DV_F)[1], cos(a + b), 1e-12);
    check_close_scene(&s);
  }
}

// a physical pendulum: the period of small swings is 2 pi sqrt(I / m g l), with I about the joint and the mass at the
// link's frame
static void a_link_swings_like_a_pendulum(void **state)
{
  (void)state;
  dvScene *s =
      check_scene("<Node gravity='0 -9.81 0' dt='0.001'><DefaultAnimationLoop/><Node "
                  "name='j'><EulerImplicitSolver/><CGLinearSolver iterations='10' tolerance='1e-14' threshold='1e-20'/>"
                  "<MechanicalObject name='angle' template='Vec1' position='-1.5207963'/><Node "
                  "name='l'><MechanicalObject name='links' template='Rigid3' "
                  "position='0 0 0 0 0 0 1  1 0 0 0 0 0 1'/><ArticulatedSystemMapping input1='@../angle'/><UniformMass "
                  "vertexMass='2 1 [0.1 0 0 0 0.1 0 0 0 0.1]'/></Node>"
                  "<ArticulatedHierarchyContainer/><Node name='c'><ArticulationCenter parentIndex='0' childIndex='1' "
                  "posOnChild='-1 0 0'/><Node><Articulation rotation='1' axis='0 0 1'/></Node></Node>"
                  "</Node></Node>",
                  1);
  // I = 2 (1 + 0.1) (the inertia of a rigid mass is a multiple of it), m g l = 2 x 9.81
  double quarter = 0.5 * 3.14159265358979 * sqrt(2.2 / (2 * 9.81)), before = 0, time = 0;
  for (int i = 0; i < 2000 && time == 0; i++) {
    before = check_value(s, "j/angle", DV_X, 0) + 1.57079633;
    check_steps(s, 1);
    double now = check_value(s, "j/angle", DV_X, 0) + 1.57079633;
    if (before > 0 && now <= 0) time = 0.001 * (i + before / (before - now));
  }
  check_close(time, quarter, 2e-3);
  check_close_scene(&s);
}

// --- the grasper ---------------------------------------------------------------------------------

// a wrist that slides and turns, two jaws that turn against it; a surface on both jaws, pressed by springs
static const char grasper[] =
    "<Node gravity='0 -9.81 0'><Node name='base'><MechanicalObject name='base' template='Rigid3' position='0 0 0 0 0 0 "
    "1'/><UniformMass totalMass='1'/></Node>"
    "<Node name='joints'><MechanicalObject name='joints' template='Vec1' position='0.1 0.2 0.3 -0.3'/>"
    "<Node name='bodies'><MechanicalObject name='bodies' template='Rigid3' position='0 0 0 0 0 0 1  0 0 0 0 0 0 1  0 0 "
    "0 0 0 0 1  0 0 0 0 0 0 1'/>"
    "<ArticulatedSystemMapping name='map' input1='@../joints' input2='@../../base/base'/><UniformMass totalMass='0.4'/>"
    "<Node name='surface'><MechanicalObject name='surface' position='0.2 0.05 0  0.8 0.02 0.1  0.2 -0.05 0  0.8 -0.02 "
    "0.1'/>"
    "<RigidMapping rigidIndexPerPoint='2 2 3 3'/><SpringForceField spring='0 2 50 0 0.3  1 3 80 0 "
    "0.2'/><ConstantForceField indices='1' forces='1 -2 0.5'/></Node></Node>"
    "<ArticulatedHierarchyContainer/><Node name='centers'>"
    "<Node name='wrist'><ArticulationCenter parentIndex='0' childIndex='1'/><Node><Articulation translation='1' "
    "axis='1 0 0' articulationIndex='0'/>"
    "<Articulation rotation='1' axis='1 0 0' articulationIndex='1'/></Node></Node>"
    "<Node name='upper'><ArticulationCenter parentIndex='1' childIndex='2' posOnParent='1 0 0'/><Node><Articulation "
    "rotation='1' axis='0 0 1' articulationIndex='2'/></Node></Node>"
    "<Node name='lower'><ArticulationCenter parentIndex='1' childIndex='3' posOnParent='1 0 0'/><Node><Articulation "
    "rotation='1' axis='0 0 1' articulationIndex='3'/></Node></Node>"
    "</Node></Node></Node>";

// power is the same at the surface and at the joints, whatever the motion; forces follow from the energy where all have
// one
static void the_grasper_conserves_power(void **state)
{
  (void)state;
  fdScene s = fd_open(grasper);
  fdOptions o = fd_options();
  o.checks = FD_ASSEMBLY;   // and power, always; without geometric stiffness the product is not the derivative
  assert_true(fd_check_system(&s, &o));
  o.checks = FD_ENERGY;
  dv_object_set(fd_find(&s, "surface")->node->objects.data[3], "forces",
                "0 0 0");   // a constant force has no energy of its own
  assert_true(fd_check_system(&s, &o));
  fd_close(&s);
}

// --- files ---------------------------------------------------------------------------------------

static const char leg[] =
    "HIERARCHY\nROOT hip\n{\n OFFSET 0 1 0\n CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
    " JOINT knee\n {\n  OFFSET 0 -0.5 0\n  CHANNELS 1 Zrotation\n  JOINT foot\n  {\n   OFFSET 0 -0.5 0\n   CHANNELS 1 "
    "Zrotation\n"
    "   End Site\n   {\n    OFFSET 0.2 0 0\n   }\n  }\n }\n}\n"
    "MOTION\nFrames: 2\nFrame Time: 0.5\n1 2 3 10 20 30 40 50\n1 2 3 11 21 31 41 51\n";

static void a_file_gives_joints_and_motion(void **state)
{
  (void)state;
  dvBvh b;
  dvMeshError error;
  assert_int_equal(dv_bvh_read(leg, strlen(leg), &b, &error), DV_OK);
  assert_int_equal(b.joints.count, 4);
  assert_int_equal(b.channel.count, 8);
  assert_int_equal(b.joints.data[2].parent, 1);
  assert_true(b.joints.data[3].end);
  check_close(b.joints.data[3].offset[0], 0.2, 0);
  check_close(b.motion.data[8 + 7], 51, 0);
  check_close(b.frame_time, 0.5, 0);
  dv_bvh_free(&b);
}

static void a_scene_takes_a_file(void **state)
{
  (void)state;
  char *directory = check_mkdir(), *file = check_write(directory, "leg.bvh", leg);
  char *text = dv_format("<Node><MechanicalObject name='joints' template='Vec1'/><Node name='frames'><MechanicalObject "
                         "name='frames' template='Rigid3'/>"
                         "<ArticulatedSystemMapping input1='@../joints' input2='' "
                         "output='@frames'/></Node><ArticulatedHierarchyContainer filename='%s'/></Node>",
                         file);
  dvScene *s = check_scene(text, 1);
  assert_int_equal(dv_state(check_find(s, "joints"))->count, 8);
  assert_int_equal(dv_state(check_find(s, "frames/frames"))->count, 5);
  check_close(check_value(s, "frames/frames", DV_X, 7 + 1), 1, 1e-12);      // hip
  check_close(check_value(s, "frames/frames", DV_X, 14 + 1), 0.5, 1e-12);   // knee
  check_close(check_value(s, "frames/frames", DV_X, 21 + 1), 0, 1e-12);     // foot
  check_close_scene(&s);
  dv_free(text);
  dv_free(file);
  check_rmdir(directory);
}

static void a_controller_plays_the_motion(void **state)
{
  (void)state;
  char *directory = check_mkdir(), *file = check_write(directory, "leg.bvh", leg);
  char *text = dv_format("<Node><DefaultAnimationLoop/><MechanicalObject name='joints' template='Vec1'/><Node "
                         "name='frames'><MechanicalObject name='frames' template='Rigid3'/>"
                         "<ArticulatedSystemMapping input1='@../joints'/></Node><ArticulatedHierarchyContainer "
                         "filename='%s'/><ArticulatedHierarchyBVHController name='play' "
                         "useExternalTime='1' externalTime='0.25'/></Node>",
                         file);
  dvScene *s = check_scene(text, 1);
  check_steps(s, 1);
  check_close(check_value(s, "joints", DV_X, 1), 2, 1e-12);   // a length
  check_close(check_value(s, "joints", DV_X, 7), 50.5 / 180 * acos(-1.0),
              1e-12);   // an angle, halfway between the frames
  check_close(check_value(s, "frames/frames", DV_X, 7 + 0), 1,
              1e-12);   // the hip is where the file says, plus its offset
  check_close(check_value(s, "frames/frames", DV_X, 7 + 1), 3, 1e-12);
  check_close_scene(&s);
  dv_free(text);
  dv_free(file);
  check_rmdir(directory);
}

static void bad_files_are_refused(void **state)
{
  (void)state;
  const char *bad[] = {"",
                       "HIERARCHY",
                       "HIERARCHY ROOT a {",
                       "HIERARCHY ROOT a { OFFSET 1 2 x }",
                       "HIERARCHY JOINT a { }",
                       "HIERARCHY ROOT a { CHANNELS -1 }",
                       "HIERARCHY ROOT a { CHANNELS 2 Xposition }",
                       "HIERARCHY ROOT a { End Site { JOINT b { } } }",
                       "HIERARCHY ROOT a { } MOTION Frames: 9999999 Frame Time: 0.1",
                       "HIERARCHY ROOT a { CHANNELS 1 Xposition } MOTION Frames: 2 Frame Time: 0.1 1",
                       "HIERARCHY ROOT a { } MOTION Frames: 1 Frame Time: 0"};
  for (size_t i = 0; i < DV_COUNT(bad); i++) {
    dvBvh b;
    dvMeshError error = {0};
    dvStatus status = dv_bvh_read(bad[i], strlen(bad[i]), &b, &error);
    if (i != 8) assert_int_equal(status, DV_ERROR_INPUT);   // frames without channels are empty rows
    dv_bvh_free(&b);
  }
}

static void mistakes_are_told(void **state)
{
  (void)state;
  const char *bad[] = {"parentIndex='0' childIndex='9'", "parentIndex='1' childIndex='1'",
                       "parentIndex='0' childIndex='1' articulationProcess='3'"};
  for (size_t i = 0; i < DV_COUNT(bad); i++) {
    char *text = dv_format(
        "<Node><MechanicalObject name='j' template='Vec1' position='0'/><Node><MechanicalObject template='Rigid3' "
        "position='0 0 0 0 0 0 1 0 0 0 0 0 0 1'/>"
        "<ArticulatedSystemMapping input1='@../j'/></Node><ArticulatedHierarchyContainer/><Node><ArticulationCenter "
        "%s/><Node><Articulation rotation='1'/></Node></Node></Node>",
        bad[i]);
    assert_true(fd_fails(text));
    dv_free(text);
  }
  // no container; an index without a coordinate; two frames that are each other's parent
  assert_true(fd_fails("<Node><MechanicalObject name='j' template='Vec1' position='0'/><Node><MechanicalObject "
                       "template='Rigid3' position='0 0 0 0 0 0 1'/>"
                       "<ArticulatedSystemMapping input1='@../j'/></Node></Node>"));
  assert_true(fd_fails(
      "<Node><MechanicalObject name='j' template='Vec1' position='0'/><Node><MechanicalObject template='Rigid3' "
      "position='0 0 0 0 0 0 1 0 0 0 0 0 0 1'/>"
      "<ArticulatedSystemMapping input1='@../j'/></Node><ArticulatedHierarchyContainer/><Node><ArticulationCenter "
      "childIndex='1'/><Node><Articulation rotation='1' "
      "articulationIndex='1'/></Node></Node></Node>"));
  assert_true(fd_fails(
      "<Node><MechanicalObject name='j' template='Vec1' position='0'/><Node><MechanicalObject template='Rigid3' "
      "position='0 0 0 0 0 0 1 0 0 0 0 0 0 1'/>"
      "<ArticulatedSystemMapping input1='@../j'/></Node><ArticulatedHierarchyContainer/><Node><ArticulationCenter "
      "parentIndex='0' childIndex='1'/></Node>"
      "<Node><ArticulationCenter parentIndex='1' childIndex='0'/></Node></Node>"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_arm_of_two_links),           cmocka_unit_test(a_link_swings_like_a_pendulum),
      cmocka_unit_test(the_grasper_conserves_power),   cmocka_unit_test(a_file_gives_joints_and_motion),
      cmocka_unit_test(a_scene_takes_a_file),          cmocka_unit_test(bad_files_are_refused),
      cmocka_unit_test(a_controller_plays_the_motion), cmocka_unit_test(mistakes_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
