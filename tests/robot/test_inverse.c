// Inverse control: goals that can be reached are reached, and the direct model with the forces that were found gets
// there as well; elsewhere the answer is the optimum of a search over the actuators; compliance beside finite
// differences of the equilibrium; contacts push and do not pull; limits, equalities, effectors of every kind.
#include "constraint/lagrangian/problem.h"
#include "haptic/listening.h"
#include "robot/part.h"
#include "support/check.h"
#include "support/fd.h"
#include "support/scene.h"

#include <string.h>

static double field(dvScene *s, const char *path, const char *name)
{
  return *(const double *)dv_object_field(check_find(s, path), name)->value;
}
static double number(dvScene *s, const char *path, const char *name, size_t i)
{
  const dvReals *r = dv_object_field(check_find(s, path), name)->value;
  assert_true(i < r->count);
  return r->data[i];
}
static int whole(dvScene *s, const char *path, const char *name)
{
  return *(const int32_t *)dv_object_field(check_find(s, path), name)->value;
}

// a soft bar along x, clamped at x = 0, with three ropes along it; its tip is the middle of the end
#define HEAD(solver) "<Node dt='0.05' gravity='0 0 -9.81'><FreeMotionAnimationLoop/><" solver "/>"
#define BAR                                                                                                         \
  "<Node name='bar'><EulerImplicitSolver rayleighStiffness='0.05' rayleighMass='0.1'/><SparseLDLSolver/>"           \
  "<RegularGridTopology n='9 3 3' min='0 -0.01 -0.01' max='0.12 0.01 0.01'/><MechanicalObject name='d'/>"           \
  "<UniformMass totalMass='0.05'/><HexahedronFEMForceField youngModulus='200000' poissonRatio='0.4'/>"              \
  "<BoxROI name='clamp' box='-0.001 -1 -1 0.001 1 1'/><FixedProjectiveConstraint indices='@clamp.indices'/>"        \
  "<LinearSolverConstraintCorrection/><Node name='ropes'><MechanicalObject name='d' position='0.06 0 0.01  0.12 0 " \
  "0.01  0.06 0.008 -0.008  0.12 0.008 -0.008  0.06 -0.008 -0.008  0.12 -0.008 -0.008'/>"
#define TIP                                                                                              \
  "<BarycentricMapping mapForces='0' mapMasses='0'/></Node><Node name='tip'><MechanicalObject name='d' " \
  "position='0.12 0 0'/>"
#define END "<BarycentricMapping mapForces='0' mapMasses='0'/></Node></Node></Node>"

static dvScene *inverse_bar(const char *solver, const char *effector, const char *limits)
{
  char *text = dv_format("<Node dt='0.05' gravity='0 0 -9.81'><FreeMotionAnimationLoop/><QPInverseProblemSolver "
                         "name='solver' %s/>" BAR
                         "<CableActuator name='a' indices='0 1' pullPoint='0 0 0.01' %s/><CableActuator name='b' "
                         "indices='2 3' pullPoint='0 0.008 -0.008' %s/><CableActuator name='c' indices='4 5' "
                         "pullPoint='0 -0.008 -0.008' %s/>" TIP "%s" END,
                         solver, limits, limits, limits, effector);
  dvScene *s = check_scene(text, 1);
  dv_free(text);
  return s;
}

static dvScene *direct_bar(const double force[3])
{
  char *text =
      dv_format(HEAD("BlockGaussSeidelConstraintSolver tolerance='1e-14' maxIterations='1000'") BAR
                "<CableConstraint name='a' indices='0 1' pullPoint='0 0 0.01' valueType='force' value='%.17g'/>"
                "<CableConstraint name='b' indices='2 3' pullPoint='0 0.008 -0.008' valueType='force' "
                "value='%.17g'/><CableConstraint name='c' indices='4 5' pullPoint='0 -0.008 -0.008' "
                "valueType='force' value='%.17g'/>" TIP END,
                force[0], force[1], force[2]);
  dvScene *s = check_scene(text, 1);
  dv_free(text);
  return s;
}

static const char *const ropes[3] = {"bar/ropes/a", "bar/ropes/b", "bar/ropes/c"};

// --- goals -------------------------------------------------------------------------------------------

static void reaches(void **state)
{
  DV_UNUSED(state);
  static const double goals[3][2] = {{0.01, -0.004}, {-0.012, -0.006}, {0.003, 0.008}};   // of y and z
  for (int i = 0; i < 3; i++) {
    char *effector = dv_format("<PositionEffector name='e' indices='0' useDirections='0 1 1' effectorGoal='0 %g %g'/>",
                               goals[i][0], goals[i][1]);
    dvScene *s = inverse_bar("", effector, "minForce='0'");
    check_steps(s, 600);
    double force[3];
    for (int k = 0; k < 3; k++) {
      force[k] = field(s, ropes[k], "force");
      assert_true(force[k] >= -1e-12);
    }
    for (size_t k = 0; k < 2; k++) check_close(check_value(s, "bar/tip/d", DV_X, 1 + k), goals[i][k], 1e-6);
    dvScene *d = direct_bar(force);
    check_steps(d, 600);
    for (size_t k = 0; k < 3; k++)
      check_close(check_value(d, "bar/tip/d", DV_X, k), check_value(s, "bar/tip/d", DV_X, k), 1e-6);
    check_close_scene(&s);
    check_close_scene(&d);
    dv_free(effector);
  }
}

static double distance_with(double force, const double *goal)
{
  dvScene *d = direct_bar((double[]){force, 0, 0});
  check_steps(d, 400);
  double sum = 0;
  for (size_t k = 0; k < 3; k++) sum += pow(check_value(d, "bar/tip/d", DV_X, k) - goal[k], 2);
  check_close_scene(&d);
  return sum;
}

// one rope cannot bring the tip to any point: what is found is the best of all forces, by a search for them
static void nearest(void **state)
{
  DV_UNUSED(state);
  const double goal[3] = {0.11, 0.004, 0.012}, golden = 0.61803398874989485;
  // in long steps, whose compliance is that of the equilibrium
  dvScene *s = check_scene("<Node dt='1' gravity='0 0 -9.81'><FreeMotionAnimationLoop/><QPInverseProblemSolver "
                           "name='solver'/>" BAR "<CableActuator name='a' indices='0 1' pullPoint='0 0 0.01'/>" TIP
                           "<PositionEffector name='e' indices='0' effectorGoal='0.11 0.004 0.012'/>" END,
                           1);
  check_steps(s, 800);
  double found = field(s, "bar/ropes/a", "force"), reached = 0;
  for (size_t k = 0; k < 3; k++) reached += pow(check_value(s, "bar/tip/d", DV_X, k) - goal[k], 2);
  double low = 0.5 * found, high = 1.5 * found, a = high - golden * (high - low), b = low + golden * (high - low);
  double at_a = distance_with(a, goal), at_b = distance_with(b, goal);
  for (int i = 0; i < 12; i++) {
    if (at_a < at_b) high = b, b = a, at_b = at_a, a = high - golden * (high - low), at_a = distance_with(a, goal);
    else low = a, a = b, at_a = at_b, b = low + golden * (high - low), at_b = distance_with(b, goal);
  }
  check_close(sqrt(reached), sqrt(fmin(at_a, at_b)), 1e-5);
  check_close(found, 0.5 * (low + high), 0.03 * found);   // the optimum is flat
  check_close_scene(&s);
}

static void limits(void **state)
{
  DV_UNUSED(state);
#define GOAL "<PositionEffector name='e' indices='0' useDirections='0 1 1' effectorGoal='0 0 0.03'/>"
  dvScene *s = inverse_bar("", GOAL, "minForce='0' maxForce='1.5'");
  check_steps(s, 300);   // also tells that it is out of reach
  check_close(field(s, "bar/ropes/a", "force"), 1.5, 1e-9);
  check_close(field(s, "bar/ropes/b", "force"), 0, 1e-9);
  assert_true(whole(s, "solver", "limits") >= 3);
  check_close_scene(&s);
  s = inverse_bar("", GOAL, "minForce='0' maxPositiveDisp='0.002'");
  check_steps(s, 300);
  check_close(field(s, "bar/ropes/a", "displacement"), 0.002, 1e-9);
  check_close_scene(&s);
  s = inverse_bar("", GOAL, "maxDispVariation='0.0001'");
  for (int i = 0; i < 20; i++) {
    double before = field(s, "bar/ropes/a", "displacement");
    check_steps(s, 1);
    assert_true(fabs(field(s, "bar/ropes/a", "displacement") - before) < 0.00011);   // to first order of the step
  }
  check_close_scene(&s);
  // contradicting: told, and the scene goes on
  s = inverse_bar("", GOAL, "minForce='5' maxPositiveDisp='0.0001'");
  check_steps(s, 20);
  check_close_scene(&s);
}

// every kind of effector, and equalities beside the actuators
static void kinds(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      "<Node dt='0.02' gravity='0 0 0'><FreeMotionAnimationLoop/><QPInverseProblemSolver name='solver'/>"
      "<Node name='a'><EulerImplicitSolver rayleighStiffness='0.1' rayleighMass='1'/><SparseLDLSolver/>"
      "<MechanicalObject name='d' position='0 0 0  0.1 0 0  0 0.1 0  0 0 0.1  0.3 0 0  0.4 0 0'/><UniformMass "
      "totalMass='0.6'/><RestShapeSpringsForceField stiffness='500'/><LinearSolverConstraintCorrection/>"
      "<SurfacePressureActuator name='chamber' triangles='0 2 1  0 1 3  1 2 3  0 3 2'/>"
      "<VolumeEffector name='volume' triangles='0 2 1  0 1 3  1 2 3  0 3 2' desiredVolume='3e-4'/>"
      "<ForcePointActuator name='push' indices='5' direction='1 0 0' energyWeight='0'/>"
      "<CableEffector name='length' indices='4 5' hasPullPoint='0' desiredLength='0.13'/>"
      "<PositionEquality name='kept' indices='4' useDirections='0 1 0' eqDelta='0.02'/>"
      "<CableEquality name='rope' indices='4' pullPoint='0.2 0 0' eqForce='3'/>"
      "<CableSensor name='sensor' indices='4 5' hasPullPoint='0'/><SurfacePressureSensor name='gauge' triangles='0 2 1 "
      " "
      "0 1 3  1 2 3  0 3 2'/></Node>"
      "<Node name='b'><EulerImplicitSolver rayleighMass='1'/><SparseLDLSolver/><MechanicalObject name='d' position='0 "
      "0 0 "
      " 1 0 0  0 1 0'/><UniformMass totalMass='1'/><RestShapeSpringsForceField stiffness='100'/>"
      "<LinearSolverConstraintCorrection/><ForcePointActuator name='push' indices='0 1 2'/>"
      "<BarycentricCenterEffector name='centre' effectorGoal='0.5 0.4 0.2'/></Node>"
      "<Node name='c'><EulerImplicitSolver rayleighMass='1'/><SparseLDLSolver/><MechanicalObject name='d' "
      "template='Rigid3' "
      "position='0 0 0 0 0 0 1'/><UniformMass totalMass='1'/><RestShapeSpringsForceField stiffness='100' "
      "angularStiffness='1'/><LinearSolverConstraintCorrection/><ForcePointActuator name='wrench' indices='0'/>"
      "<PositionEffector name='frame' indices='0' effectorGoal='0.1 0 0.2  0 0 0.19866933079506122 "
      "0.98006657784124163'/></Node>"
      "<Node name='j'><EulerImplicitSolver rayleighMass='1'/><SparseLDLSolver/><MechanicalObject name='d' "
      "template='Vec1' "
      "position='0 0.5'/><UniformMass totalMass='0.2'/><RestShapeSpringsForceField stiffness='2'/>"
      "<LinearSolverConstraintCorrection/><JointActuator name='joint' index='1' maxEffort='0.4'/><JointActuator "
      "name='other' index='0' maxAngle='0.1'/><Node name='p'><MechanicalObject name='d' template='Vec1' position='0 "
      "0'/><IdentityMapping/></Node></Node>"
      "<Node name='s'><EulerImplicitSolver rayleighMass='1'/><SparseLDLSolver/><MechanicalObject name='d' position='0 "
      "0 0 "
      " 1 0 0'/><UniformMass totalMass='1'/><RestShapeSpringsForceField stiffness='100'/>"
      "<LinearSolverConstraintCorrection/><SlidingActuator name='slide' indices='1' direction='0 2 0' "
      "maxPositiveDisp='0.15'/><PositionEffector name='e' indices='1' effectorGoal='1 0.3 0'/></Node></Node>",
      1);
  check_steps(s, 800);
  check_close(field(s, "a/volume", "cavityVolume"), 3e-4, 1e-10);
  check_close(field(s, "a/gauge", "cavityVolume"), 3e-4, 1e-10);
  check_close(field(s, "a/length", "cableLength"), 0.13, 1e-6);
  check_close(field(s, "a/sensor", "cableLength"), 0.13, 1e-6);
  check_close(check_value(s, "a/d", DV_X, 13), 0.02, 1e-8);
  check_close(field(s, "a/rope", "force"), 3, 1e-9);
  static const double centre[3] = {0.5, 0.4, 0.2}, frame[7] = {0.1, 0, 0.2, 0, 0, 0.19866933, 0.98006658};
  for (size_t k = 0; k < 3; k++) check_close(number(s, "b/centre", "barycenter", k), centre[k], 1e-6);
  for (size_t k = 0; k < 7; k++) check_close(check_value(s, "c/d", DV_X, k), frame[k], 1e-6);
  check_close(number(s, "c/wrench", "force", 2), 20, 1e-3);
  check_close(check_value(s, "s/d", DV_X, 4), 0.15, 1e-8);   // as far as it slides
  check_close_scene(&s);
}

// --- compliance --------------------------------------------------------------------------------------

#define SOFT                                                                                                       \
  "<Node name='bar'><EulerImplicitSolver/><SparseLDLSolver/><RegularGridTopology n='5 3 3' min='0 0 0' max='0.08 " \
  "0.02 "                                                                                                          \
  "0.02'/><MechanicalObject name='d'/><UniformMass totalMass='0.03'/>"                                             \
  "<HexahedronFEMForceField method='small' youngModulus='100000' poissonRatio='0.3'/><BoxROI name='clamp' "        \
  "box='-0.001 -1 -1 0.001 1 1'/><FixedProjectiveConstraint "                                                      \
  "indices='@clamp.indices'/><LinearSolverConstraintCorrection/>"

// W of a long step is the compliance of the equilibrium: H K^-1 H^T
static void compliance(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene("<Node dt='1000' gravity='0 0 0'><FreeMotionAnimationLoop/><QPInverseProblemSolver "
                           "name='solver'/>" SOFT "<ForcePointActuator name='a' indices='44' direction='0 0 1'/>"
                           "<ForcePointActuator name='b' indices='22' direction='0 1 1'/><PositionEffector name='e' "
                           "indices='24' effectorGoal='0.08 0.021 0.003'/></Node></Node>",
                           1);
  check_steps(s, 1);
  dvObject *solver = check_find(s, "solver");
  const dvConstraintProblem *p =
      ((const dvConstraintSolverOps *)dv_ops(solver, DV_ROLE_CONSTRAINT_SOLVER))->problem(solver);
  assert_int_equal(p->rows, 5);
  double slope[2][3];
  for (int i = 0; i < 2; i++)
    for (int side = 0; side < 2; side++) {
      double force = side ? 1e-3 : -1e-3;
      char *text =
          dv_format("<Node dt='1000' gravity='0 0 0'><FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver "
                    "tolerance='1e-14'/>" SOFT
                    "<PositionConstraint indices='%d' directions='0 %d 1' useDirections='1' valueType='force' "
                    "value='%g'/></Node></Node>",
                    i ? 22 : 44, i, force);
      dvScene *d = check_scene(text, 1);
      check_steps(d, 5);
      for (size_t k = 0; k < 3; k++) {
        double x = check_value(d, "bar/d", DV_X, 3 * 24 + k);
        slope[i][k] = side ? (x - slope[i][k]) / 2e-3 : x;
      }
      check_close_scene(&d);
      dv_free(text);
    }
  double largest = 0;
  for (int i = 0; i < 2; i++)
    for (size_t k = 0; k < 3; k++) largest = fmax(largest, fabs(slope[i][k]));
  for (size_t i = 0; i < 2; i++)   // an impulse F h of W moves by W F h
    for (size_t k = 0; k < 3; k++) check_close(1000 * p->w.data[(2 + k) * 5 + i], slope[i][k], 1e-4 * largest);
  check_close_scene(&s);
}

// --- contacts ----------------------------------------------------------------------------------------

// a point on a spring above a plane through three fixed points; a force that is looked for moves it
static dvScene *above_plane(const char *goal, const char *solver)
{
  char *text =
      dv_format("<Node dt='0.05' gravity='0 0 0'><FreeMotionAnimationLoop/><QPInverseProblemSolver name='solver' "
                "%s/><Node name='a'><EulerImplicitSolver rayleighMass='1'/><SparseLDLSolver/><MechanicalObject "
                "name='d' position='0 0 0.1  0 0 0  1 0 0  0 1 0'/><UniformMass totalMass='1'/>"
                "<RestShapeSpringsForceField stiffness='10'/><FixedProjectiveConstraint indices='1 2 3'/>"
                "<LinearSolverConstraintCorrection/><UnilateralPlaneConstraint indices='0 1 2 3'/>"
                "<ForcePointActuator name='push' indices='0'/><PositionEffector name='e' indices='0' "
                "effectorGoal='%s'/></Node></Node>",
                solver, goal);
  dvScene *s = check_scene(text, 1);
  dv_free(text);
  return s;
}

static void pushes(void **state)
{
  DV_UNUSED(state);
  dvScene *s = above_plane("0.2 0.1 -0.05", "");
  double least = 0;
  for (int i = 0; i < 300; i++) {
    check_steps(s, 1);
    least = fmin(least, field(s, "solver", "minContactForces"));
    assert_true(check_value(s, "a/d", DV_X, 2) > -1e-9);
  }
  assert_true(least >= 0);
  check_close(check_value(s, "a/d", DV_X, 0), 0.2, 1e-6);
  check_close(check_value(s, "a/d", DV_X, 1), 0.1, 1e-6);
  check_close(check_value(s, "a/d", DV_X, 2), 0, 1e-9);   // the nearest point
  check_close_scene(&s);
  s = above_plane("0.2 0.1 0.05", "");   // not in the way
  check_steps(s, 300);
  check_close(check_value(s, "a/d", DV_X, 2), 0.05, 1e-6);
  check_close(field(s, "solver", "maxContactForces"), 0, 1e-12);
  check_close_scene(&s);
}

// a block on the floor is pushed by a force with limits: it holds below mu m g and slides above
#define BLOCK                                                                                                       \
  "<Node dt='0.02' gravity='0 0 "                                                                                   \
  "-10'><FreeMotionAnimationLoop/><CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>"                     \
  "<LocalMinDistance alarmDistance='0.1' contactDistance='0.01' angleCone='0'/><CollisionResponse "                 \
  "response='FrictionContactConstraint' responseParams='mu=0.5'/><QPInverseProblemSolver name='solver'/>"           \
  "<Node name='block'><EulerImplicitSolver rayleighMass='0.1'/><SparseLDLSolver/><RegularGridTopology n='2 2 2' "   \
  "min='0 "                                                                                                         \
  "0 0.011' max='0.2 0.2 0.211'/><MechanicalObject name='d'/><UniformMass totalMass='1'/><HexahedronFEMForceField " \
  "youngModulus='1e5' poissonRatio='0.3'/><LinearSolverConstraintCorrection/><PointCollisionModel/>"                \
  "<ForcePointActuator name='push' indices='0 2 4 6' direction='1 0 0' minForce='0' maxForce='%g'/>"                \
  "<BarycentricCenterEffector effectorGoal='2 0.1 0.1' axis='1 0 0'/></Node>"                                       \
  "<Node name='floor'><MeshTopology position='-5 -5 0  5 -5 0  5 5 0  -5 5 0' triangles='0 1 2  0 2 3'/>"           \
  "<MechanicalObject/><TriangleCollisionModel simulated='0' moving='0'/></Node></Node>"

static void rubs(void **state)
{
  DV_UNUSED(state);
  for (int slides = 0; slides < 2; slides++) {
    double most = slides ? 2.5 : 0.75;   // on each of four points; mu m g is 5
    char *text = dv_format(BLOCK, most);
    dvScene *s = check_scene(text, 1);
    check_steps(s, 15);
    double before = check_value(s, "block/d", DV_X, 0), speed = check_value(s, "block/d", DV_V, 0);
    for (int i = 0; i < 15; i++) {
      check_steps(s, 1);
      assert_true(field(s, "solver", "minContactForces") >= -1e-9);
    }
    double moved = check_value(s, "block/d", DV_X, 0) - before, after = check_value(s, "block/d", DV_V, 0);
    if (!slides) check_close(moved, 0, 2e-3);
    else check_close((after - speed) / 0.3, 4 * most - 0.5 * 10, 1);   // less the damping of the scene
    check_close_scene(&s);
    dv_free(text);
  }
}

// --- bad input ---------------------------------------------------------------------------------------

static void bad_input(void **state)
{
  DV_UNUSED(state);
#define GOOD "<Node><FreeMotionAnimationLoop/><QPInverseProblemSolver/>"
#define POINTS "<MechanicalObject name='d' position='0 0 0  1 0 0  0 1 0  0 0 1'/>"
  assert_true(fd_fails("<Node>" POINTS "<CableActuator indices='0'/></Node>"));   // no solver
  assert_true(
      fd_fails("<Node><BlockGaussSeidelConstraintSolver/>" POINTS "<PositionEffector effectorGoal='0 0 0'/></Node>"));
  assert_true(fd_fails(GOOD POINTS "<CableActuator indices='7'/></Node>"));
  assert_true(fd_fails(GOOD POINTS "<CableActuator indices='1' minForce='2' maxForce='1'/></Node>"));
  assert_true(fd_fails(GOOD POINTS "<PositionEffector indices='0'/></Node>"));
  assert_true(fd_fails(GOOD POINTS "<SurfacePressureActuator/></Node>"));
  assert_true(fd_fails(GOOD POINTS "<VolumeEffector triangles='0 1 2' desiredVolume='1'/></Node>"));
  assert_true(fd_fails(GOOD POINTS "<BarycentricCenterEffector/></Node>"));
  assert_true(fd_fails(GOOD POINTS "<SlidingActuator indices='0'/></Node>"));
  assert_true(fd_fails(GOOD POINTS "<ForcePointActuator indices='4'/></Node>"));
  assert_true(fd_fails("<Node><QPInverseProblemSolver epsilon='-1'/></Node>"));
}

// Chambers that are kept at a pressure or a growth: where they rest the springs hold p dV/dx, at the pressure that was
// asked for, or at the one that the growth needs.
static void kept_chambers(void **state)
{
  DV_UNUSED(state);
  static const char *const kept[] = {"eqPressure='2000'", "eqVolumeGrowth='4e-5'"};
  for (size_t i = 0; i < DV_COUNT(kept); i++) {
    char *text = dv_format(
        "<Node dt='0.02' gravity='0 0 0'><FreeMotionAnimationLoop/><QPInverseProblemSolver/><Node name='a'>"
        "<EulerImplicitSolver rayleighStiffness='0.1' rayleighMass='1'/><SparseLDLSolver/><MechanicalObject name='d' "
        "position='0 0 0  0.1 0 0  0 0.1 0  0 0 0.1'/><UniformMass totalMass='0.4'/><RestShapeSpringsForceField "
        "stiffness='500'/><LinearSolverConstraintCorrection/><SurfacePressureEquality name='chamber' triangles='0 2 1  "
        "0 1 3  1 2 3  0 3 2' %s/></Node></Node>",
        kept[i]);
    dvScene *s = check_scene(text, 1);
    check_steps(s, 400);
    double p = field(s, "a/chamber", "pressure"), grown = field(s, "a/chamber", "volumeGrowth");
    if (i == 0) check_close(p, 2000, 1e-6);
    else check_close(grown, 4e-5, 1e-12);
    assert_true(p > 100 && grown > 1e-6);
    const double *x = dv_state_read(dv_state(check_find(s, "a/d")), DV_X);
    static const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
    double slope[12] = {0}, volume = 0;
    for (int f = 0; f < 4; f++) {
      dvVec3 c[3];
      for (int k = 0; k < 3; k++) c[k] = dv_vec3_load(x + 3 * faces[f][k]);
      volume += dv_vec3_dot(c[0], dv_vec3_cross(c[1], c[2])) / 6;
      for (int k = 0; k < 3; k++)
        dv_vec3_accumulate(slope + 3 * faces[f][k],
                           dv_vec3_scale(dv_vec3_cross(c[(k + 1) % 3], c[(k + 2) % 3]), 1.0 / 6));
    }
    check_close(volume - 1e-3 / 6, grown, 1e-15);
    for (int k = 0; k < 12; k++)
      check_close(500 * (x[k] - (k == 3 || k == 7 || k == 11 ? 0.1 : 0)), p * slope[k], 1e-7);
    check_close_scene(&s);
    dv_free(text);
  }
}

// what is only found while it runs is told, with what happens next
static void told_while_it_runs(void **state)
{
  DV_UNUSED(state);
#define PULLED                                                                                                     \
  "<Node name='a'><EulerImplicitSolver rayleighMass='0' rayleighStiffness='0.1'/><SparseLDLSolver/>"               \
  "<MechanicalObject name='d' position='0 0 0  0 1 0'/><UniformMass totalMass='2'/><RestShapeSpringsForceField "   \
  "stiffness='100'/><LinearSolverConstraintCorrection/><PositionEffector name='e' indices='0' useDirections='%s' " \
  "effectorGoal='%s'/>%s</Node></Node>"
#define ROPE(name, limits) "<CableActuator name='" name "' indices='0' pullPoint='5 0 0' " limits "/>"
  static const struct {
    const char *solver, *directions, *goal, *actuators, *said;
  } cases[] = {
      {"", "1 0 0", "0.2 0 0", ROPE("rope", "minForce='0' maxForce='5'"), "the nearest that can be reached is held"},
      {"", "1 0 0", "0.2 0 0", ROPE("rope", "minForce='5' maxPositiveDisp='0.001'"), "contradict each other"},
      {"epsilon='0'", "1 0 0", "0.2 0 0", ROPE("rope", "") ROPE("other", ""), "1 of 2 actuators are redundant"},
      // its way has a top: beyond the pull point the rope pulls back
      {"", "0 1 0", "0 0.5 0",
       "<CableActuator name='rope' indices='0' pullPoint='0 0.1 0' minForce='0' maxForce='30'/>", "to and fro"},
  };
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    char *text =
        dv_format("<Node dt='0.05' gravity='0 0 0'><FreeMotionAnimationLoop/><QPInverseProblemSolver %s/>" PULLED,
                  cases[i].solver, cases[i].directions, cases[i].goal, cases[i].actuators);
    dvStatus status;
    dvScene *s = open_scene(text, &status);
    assert_int_equal(status, DV_OK);
    check_steps(s, 150);
    if (!messages || !strstr(messages, cases[i].said)) fail_msg("%s\nsaid: %s", text, messages ? messages : "nothing");
    close_scene(s);
    dv_free(text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reaches),      cmocka_unit_test(nearest),    cmocka_unit_test(limits),
      cmocka_unit_test(kinds),        cmocka_unit_test(compliance), cmocka_unit_test(pushes),
      cmocka_unit_test(rubs),         cmocka_unit_test(bad_input),  cmocka_unit_test(told_while_it_runs),
      cmocka_unit_test(kept_chambers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
