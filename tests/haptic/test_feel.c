// What the hand feels is right: a wall, friction, a soft body at 30 Hz against one at 1 kHz.
#include "wall.h"

#include "base/file.h"

#include <stdlib.h>
#include <string.h>

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

static dvScene *soft_scene(double dt, double period)
{
  dvText t = {0};
  dv_text_printf(&t,
                 "<Node name='root' dt='%.17g' gravity='0 0 0'><FreeMotionAnimationLoop/>"
                 "<LCPConstraintSolver tolerance='1e-9' maxIt='1000' mu='0.1'/><CollisionPipeline/>"
                 "<BruteForceBroadPhase/><BVHNarrowPhase/>"
                 "<NewProximityIntersection alarmDistance='0.02' contactDistance='0.001'/>"
                 "<CollisionResponse response='FrictionContactConstraint' responseParams='mu=0.1'/>"
                 "<GeomagicEmulator name='device' scale='0.01' maxForce='1000' start='1 62 2' sweep='0 -20 0' "
                 "sweepPeriod='%g'/>"
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
                 dt, period);
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

// --- 30 Hz against 1 kHz -------------------------------------------------------------------------

typedef struct Felt {
  double most, worst, mean, rms;   // N; of the most
  int far;                         // instants beyond 5 %
} Felt;

static bool prints(void) { return getenv("DIVAN_HAPTIC_PRINT") != NULL; }

// forces at the ticks that end a step of the slow simulation; the hand's way is the same. `own`: what a needle tells of
// itself; NULL for none.
static void feel(dvScene *s, double dt, int count, double *out, double *own)
{
  const double *needle = own ? dv_object_field(check_find(s, "insertion"), "force")->value : NULL;
  long done = 0;
  for (int i = 0; i < count; i++) {
    long until = (long)floor((i + 1) / 30.0 / dt + 0.5);
    check_steps(s, (int)(until - done));
    done = until;
    out[i] = the_hand(s)->felt[1];
    if (own) own[i] = *needle;
  }
  check_close_scene(&s);
}

static Felt compare(const char *what, const double *slow, const double *fast, int count)
{
  Felt f = {0};
  for (int i = 0; i < count; i++) f.most = fmax(f.most, fabs(fast[i]));
  for (int i = 0; i < count; i++) {
    double off = fabs(slow[i] - fast[i]) / f.most;
    f.worst = fmax(f.worst, off);
    f.mean += off / count;
    f.rms += off * off / count;
    f.far += off > 0.05;
    if (prints()) printf("%3d %8.5f %8.5f\n", i, slow[i], fast[i]);
  }
  f.rms = sqrt(f.rms);
  print_message("%s: error %.2f %% at most, %.2f %% on average, %.2f %% rms, of %.3f N; %d of %d beyond 5 %%\n", what,
                100 * f.worst, 100 * f.mean, 100 * f.rms, f.most, f.far, count);
  return f;
}

static void multirate(void **state)
{
  DV_UNUSED(state);
  static const double periods[] = {8, 4};
  for (size_t k = 0; k < DV_COUNT(periods); k++) {
    double slow[120], fast[120];
    int count = (int)(15 * periods[k]);   // half a swing: in, and deepest
    feel(soft_scene(1.0 / 30, periods[k]), 1.0 / 30, count, slow, NULL);
    feel(soft_scene(0.001, periods[k]), 0.001, count, fast, NULL);
    Felt f = compare("30 Hz beside 1 kHz", slow, fast, count);
    assert_true(f.most > 0.2);
    check_close(f.worst, 0, 0.05);
  }
}

// --- a needle ------------------------------------------------------------------------------------

// that of scenes/haptic, led by another motion, in a block of so many points
static dvScene *needle_scene(double dt, const char *motion, const char *cells)
{
  size_t length;
  char *text = dv_file_read(DIVAN_SOURCE_DIR "/scenes/haptic/needle.scn", &length), *at;
  assert_non_null(text);
  dvText t = {0};
  const struct {
    const char *from;
    char *to;
  } changes[] = {{"dt=\"0.02\"", dv_format("dt=\"%.17g\"", dt)},
                 {"motion=\"needle.motion\"", dv_format("motion=\"%s\" maxForce=\"1000\"", motion)},
                 // the way of a step at 1 kHz is 5 um
                 {"tolerance=\"1e-6\"", dv_format("tolerance=\"1e-9\"")},
                 {"n=\"7 7 7\"", dv_format("n=\"%s\"", cells)}};
  for (char *rest = text; *rest;) {
    size_t best = DV_COUNT(changes);
    char *first = NULL;
    for (size_t i = 0; i < DV_COUNT(changes); i++)
      if ((at = strstr(rest, changes[i].from)) && (!first || at < first)) first = at, best = i;
    if (!first) {
      dv_text_add(&t, rest);
      break;
    }
    dv_text_add_n(&t, rest, (size_t)(first - rest));
    dv_text_add(&t, changes[best].to);
    rest = first + strlen(changes[best].from);
  }
  dvScene *s = check_scene(t.text, 1);
  for (size_t i = 0; i < DV_COUNT(changes); i++) dv_free(changes[i].to);
  dv_text_free(&t);
  dv_free(text);
  return s;
}

// Above the surface, 20 mm in, a rest and out again, as fast as in the scene; DIVAN_HAPTIC_NEEDLE=whole takes the scene
// as it is, DIVAN_HAPTIC_NEEDLE=fast goes 40 mm in twice as fast (a minute each).
static void needle(void **state)
{
  DV_UNUSED(state);
  enum { MOST = 600 };
  const char *which = getenv("DIVAN_HAPTIC_NEEDLE"), *cells = "5 5 5";
  const char *times[4] = {"0 2 101 1", "4.2 2 80 1", "5.2 2 80 1", "9.4 2 101 1"};
  int count = 282;
  if (which && strcmp(which, "fast") == 0) {
    const char *fast[4] = {"0 2 105 1", "4.5 2 60 1", "5.5 2 60 1", "10 2 105 1"};
    memcpy(times, fast, sizeof times);
    count = 300;
  } else if (which) {
    const char *whole[4] = {"0 2 105 1", "9 2 60 1", "11 2 60 1", "20 2 105 1"};
    memcpy(times, whole, sizeof times);
    count = 600;
    cells = "7 7 7";
  }
  dvText keys = {0};
  for (size_t i = 0; i < DV_COUNT(times); i++)
    dv_text_printf(&keys, "%s 0 0 -0.70710678118654757 0.70710678118654757\n", times[i]);
  char *directory = check_mkdir(), *motion = check_write(directory, "motion.txt", keys.text);
  double slow[MOST], fast[MOST], own[MOST];
  feel(needle_scene(1.0 / 30, motion, cells), 1.0 / 30, count, slow, NULL);
  feel(needle_scene(0.001, motion, cells), 0.001, count, fast, own);
  Felt f = compare("30 Hz beside 1 kHz", slow, fast, count);
  assert_true(f.most > 0.45);
  assert_int_equal(f.far, 0);
  // at 1 kHz the loop is the simulation, but for a tick or two
  assert_true(compare("1 kHz beside the simulation's own", fast, own, count).rms < 0.01);
  assert_true(compare("30 Hz beside the own force of the simulation at 1 kHz", slow, own, count).rms < 0.05);
  dv_text_free(&keys);
  dv_free(motion);
  check_rmdir(directory);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wall),
      cmocka_unit_test(friction_cone),
      cmocka_unit_test(multirate),
      cmocka_unit_test(needle),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
