// What the hand feels is right: a wall, friction, a soft body at 30 Hz against one at 1 kHz.
#include "wall.h"

#include <stdlib.h>

// the force of the wall is that of the spring, at every rate of the simulation, also while the hand moves
static void wall(void **state)
{
  DV_UNUSED(state);
  static const double steps[] = {0.05, 0.02, 0.002, 0.001};
  for (size_t i = 0; i < DV_COUNT(steps); i++) {
    Wall w = {.dt = steps[i],
              .mass = 0.05,
              .stiffness = 500,
              .mu = 0,
              .device = "start='0 10 0' sweep='0 -15 0' sweepPeriod='4'"};
    dvScene *s = wall_scene(&w);
    double worst = 0, deepest = 0;
    for (double t = 0; t < 4; t += steps[i]) {
      check_steps(s, 1);
      double depth = WALL_TOP - the_hand(s)->pose[1], wanted = 500 * depth;
      deepest = fmax(deepest, depth);
      if (depth > 0.001) worst = fmax(worst, fabs(the_hand(s)->felt[1] - wanted) / wanted);
      if (depth < -0.002) check_close(the_hand(s)->felt[1], 0, 1e-9);
    }
    check_close(deepest, 0.006, 1e-4);
    check_close(worst, 0, 0.01);
    check_close_scene(&s);
  }
}

static char *motion_file(const char *directory)
{
  // down to 5 mm below the top, then 30 mm aside in 2 s
  return check_write(directory, "slide.txt", "0 0 10 0\n1 0 -4 0\n1.5 0 -4 0\n3.5 30 -4 0\n");
}

// slipping: the force of the hand lies on the cone, against the motion; sticking: it is that of the spring
static void friction_cone(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir(), *file = motion_file(directory), *device = dv_format("motion='%s'", file);
  Wall w = {.dt = 0.02, .mass = 0.05, .stiffness = 500, .mu = 0.4, .device = device};
  dvScene *s = wall_scene(&w);
  int stuck = 0, slipped = 0;
  for (int i = 0; i < 175; i++) {
    check_steps(s, 1);
    const dvHapticState *h = the_hand(s);
    double normal = h->felt[1], along = h->felt[0];
    assert_true(hypot(along, h->felt[2]) <= 0.4 * normal * 1.0001 + 1e-9);
    double aside = h->pose[0], time = 0.02 * (i + 1);
    if (time > 1.5 && aside < 0.0015) {
      check_close(along, -500 * aside, 0.01 * 500 * aside + 1e-6);
      stuck++;
    }
    if (time > 2 && time < 3.4) {
      check_close(along, -0.4 * 500 * 0.005, 0.01);
      slipped++;
    }
  }
  assert_true(stuck >= 1 && slipped > 20);
  check_close_scene(&s);
  dv_free(device);
  dv_free(file);
  check_rmdir(directory);
}

// --- a soft body ---------------------------------------------------------------------------------

static dvScene *soft_scene(double dt)
{
  dvText t = {0};
  dv_text_printf(&t,
                 "<Node name='root' dt='%.17g' gravity='0 0 0'><FreeMotionAnimationLoop/>"
                 "<LCPConstraintSolver tolerance='1e-9' maxIt='1000' mu='0.1'/><CollisionPipeline/>"
                 "<BruteForceBroadPhase/><BVHNarrowPhase/>"
                 "<NewProximityIntersection alarmDistance='0.02' contactDistance='0.001'/>"
                 "<CollisionResponse response='FrictionContactConstraint' responseParams='mu=0.1'/>"
                 "<GeomagicEmulator name='device' scale='0.01' maxForce='1000' start='1 62 2' sweep='0 -20 0' "
                 "sweepPeriod='8'/>"
                 "<Node name='hand'><MechanicalObject name='dofs' template='Rigid3' "
                 "position='@../device.positionDevice'/></Node>"
                 "<Node name='tool'><EulerImplicitSolver rayleighMass='0' rayleighStiffness='0'/><SparseLDLSolver/>"
                 "<MechanicalObject name='dofs' template='Rigid3' position='0.001 0.062 0.002 0 0 0 1'/>"
                 "<UniformMass vertexMass='0.02 1 0.01 0 0 0 0.01 0 0 0 0.01'/><LinearSolverConstraintCorrection/>"
                 "<RestShapeSpringsForceField stiffness='500' angularStiffness='10' "
                 "external_rest_shape='@../hand/dofs' points='0' external_points='0'/>"
                 "<LCPForceFeedback name='feel' activate='1' newtons='1' forceCoef='1'/>"
                 "<Node name='tip'><MechanicalObject name='point' position='0 0 0'/>"
                 "<SphereCollisionModel radius='0.01'/><RigidMapping/></Node></Node>",
                 dt);
  dv_text_add(&t,
              "<Node name='body'><EulerImplicitSolver rayleighMass='0.1' rayleighStiffness='0.02'/><SparseLDLSolver/>"
              "<RegularGridTopology name='grid' n='5 5 5' min='-0.04 -0.04 -0.04' max='0.04 0.04 0.04'/>"
              "<MechanicalObject name='dofs'/><UniformMass totalMass='0.3'/>"
              "<HexahedronFEMForceField youngModulus='5000' poissonRatio='0.3' method='large'/>"
              "<BoxROI name='box' box='-1 -1 -1 1 -0.039 1'/><FixedProjectiveConstraint indices='@box.indices'/>"
              "<LinearSolverConstraintCorrection/>"
              "<Node name='skin'><QuadSetTopologyContainer name='quads'/><QuadSetTopologyModifier/>"
              "<Hexa2QuadTopologicalMapping input='@../grid' output='@quads'/>"
              "<Node name='faces'><TriangleSetTopologyContainer name='triangles'/><TriangleSetTopologyModifier/>"
              "<Quad2TriangleTopologicalMapping input='@../quads' output='@triangles'/>"
              "<TriangleCollisionModel/></Node></Node></Node></Node>");
  dvScene *s = check_scene(t.text, 1);
  dv_text_free(&t);
  return s;
}

// forces at the ticks that end a step of the slow simulation; the hand's way is the same
static void multirate(void **state)
{
  DV_UNUSED(state);
  enum { COUNT = 120 };
  const double slow = 1.0 / 30;
  double at[2][COUNT], most = 0, worst = 0, mean = 0;
  for (int k = 0; k < 2; k++) {
    dvScene *s = soft_scene(k ? 0.001 : slow);
    long done = 0;
    for (int i = 0; i < COUNT; i++) {
      long until = k ? (long)floor(1000 * slow * (i + 1) + 0.5) : i + 1;
      check_steps(s, (int)(until - done));
      done = until;
      at[k][i] = the_hand(s)->felt[1];
    }
    check_close_scene(&s);
  }
  for (int i = 0; i < COUNT; i++) most = fmax(most, at[1][i]);
  for (int i = 0; i < COUNT; i++) {
    worst = fmax(worst, fabs(at[0][i] - at[1][i]) / most);
    mean += fabs(at[0][i] - at[1][i]) / most / COUNT;
    if (getenv("DIVAN_HAPTIC_PRINT")) printf("%2d %8.5f %8.5f\n", i, at[0][i], at[1][i]);
  }
  print_message("at 30 Hz: error %.2f %% at most, %.2f %% on average, of %.3f N\n", 100 * worst, 100 * mean, most);
  assert_true(most > 0.2);
  check_close(worst, 0, 0.05);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wall),
      cmocka_unit_test(friction_cone),
      cmocka_unit_test(multirate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
