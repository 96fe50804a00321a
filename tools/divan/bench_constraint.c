// divan bench constraint: how long contacts by Lagrange multipliers take, and how that grows with their number.
//
// A soft slab lies on a floor, corrected through its factor; towers of balls stand on it, each corrected through its
// own mass, so that W is not built; friction 0.3. A catheter is pushed 10 cm into a vessel that turns by half a circle
// and rubs along its wall, with more and more frames. Measured are the compliance W of all contacts, or what stands for
// it, and whole steps.
#include "bench.h"

#include "base/clock.h"
#include "collision/collision.h"
#include "constraint/lagrangian/problem.h"
#include "io/scene/scene_file.h"
#include "mechanics/mechanics.h"

#include <math.h>
#include <stdio.h>

enum { PASSES = 12 };

typedef struct Subject {
  const char *name;
  size_t contacts[BENCH_SIZES];
  char *(*scene)(size_t contacts);
  bool whole;   // steps, not W alone
  int before;   // steps that go before
  const char *per;
} Subject;

static const char head[] =
    "<Node dt='0.01' gravity='1 -9.81 0.5'><FreeMotionAnimationLoop/><LCPConstraintSolver tolerance='1e-6' maxIt='200' "
    "mu='0.3'/><CollisionPipeline depth='10'/><BruteForceBroadPhase/><BVHNarrowPhase/><MinProximityIntersection "
    "alarmDistance='0.1' contactDistance='0.02'/><CollisionResponse response='FrictionContactConstraint' "
    "responseParams='mu=0.3'/><Node name='floor'><MechanicalObject position='-50 0 -47  500 0 -47  -50 0 510'/>"
    "<MeshTopology triangles='0 2 1'/><TriangleCollisionModel simulated='0' moving='0'/></Node><Node>";

static char *slab_scene(size_t contacts)
{
  int side = (int)lround(sqrt((double)contacts));
  dvText t = {0};
  dv_text_add(&t, head);
  dv_text_printf(&t,
                 "<EulerImplicitSolver rayleighStiffness='0.01'/><SparseLDLSolver/><RegularGridTopology n='%d 3 %d' "
                 "min='0 0.02 0' max='%g 0.62 %g'/><MechanicalObject/><UniformMass totalMass='%g'/>"
                 "<HexahedronFEMForceField youngModulus='5000' poissonRatio='0.3'/><LinearSolverConstraintCorrection/>"
                 "<PointCollisionModel/></Node></Node>",
                 side, side, 0.3 * (side - 1), 0.3 * (side - 1), 0.1 * (double)contacts);
  return t.text;
}

static char *towers_scene(size_t contacts)
{
  enum { HEIGHT = 4 };
  int towers = (int)(contacts / HEIGHT), side = (int)ceil(sqrt((double)towers));
  dvText t = {0};
  dv_text_add(&t, head);
  dv_text_add(&t, "<EulerImplicitSolver rayleighMass='0.5'/><SparseLDLSolver/><MechanicalObject template='Rigid3' "
                  "position='");
  for (int i = 0; i < towers; i++)
    for (int k = 0; k < HEIGHT; k++)
      dv_text_printf(&t, "%g %g %g 0 0 0 1 ", 1.0 * (i % side), 0.32 + 0.62 * k, 1.0 * (i / side));
  dv_text_add(&t, "'/><UniformMass vertexMass='1 1 [0.036 0 0 0 0.036 0 0 0 0.036]'/><UncoupledConstraintCorrection/>"
                  "<SphereCollisionModel radius='0.3' selfCollision='1'/></Node></Node>");
  return t.text;
}

// a pipe of radius 3 around half a circle of radius 40, in mm, as a list of triangles that look inwards
static void add_vessel(dvText *t)
{
  enum { RINGS = 60, SIDES = 12 };
  const double pi = acos(-1.0);
  dv_text_add(t, "<Node name='vessel'><MechanicalObject position='");
  for (int i = 0; i <= RINGS; i++)
    for (int k = 0; k < SIDES; k++) {
      double a = pi * (i - 3) / RINGS, b = 2 * pi * k / SIDES, r = 40 - 3 * cos(b);
      dv_text_printf(t, "%.6g %.6g %.6g ", r * sin(a), 40 - r * cos(a), 3 * sin(b));
    }
  dv_text_add(t, "'/><MeshTopology triangles='");
  for (int i = 0; i < RINGS; i++)
    for (int k = 0; k < SIDES; k++) {
      int a = i * SIDES + k, b = i * SIDES + (k + 1) % SIDES;
      dv_text_printf(t, "%d %d %d %d %d %d ", a, a + SIDES, b, b, a + SIDES, b + SIDES);
    }
  dv_text_add(t, "'/><TriangleCollisionModel simulated='0' moving='0'/></Node>");
}

static char *catheter_scene(size_t frames)
{
  dvText t = {0};
  dv_text_printf(
      &t,
      "<Node dt='0.02' gravity='0 0 0'><FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver "
      "maxIterations='500' tolerance='1e-6'/><CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>"
      "<MinProximityIntersection alarmDistance='1' contactDistance='0.8'/><CollisionResponse "
      "response='FrictionContactConstraint' responseParams='mu=0.1'/><Node name='catheter'>"
      "<RodStraightSection name='shaft' youngModulus='10000' massDensity='1.55e-6' radius='0.8' length='100' "
      "nbBeams='%zu' nbEdgesCollis='250'/><WireRestShape name='shape' wireMaterials='@shaft'/>"
      "<EdgeSetTopologyContainer/><MechanicalObject template='Rigid3'/></Node><Node name='instrument'>"
      "<EulerImplicitSolver rayleighStiffness='0.1' rayleighMass='0.1'/><BTDLinearSolver/>"
      "<RegularGridTopology nx='%zu' ny='1' nz='1' xmin='0' xmax='1' ymin='0' ymax='0' zmin='0' zmax='0'/>"
      "<MechanicalObject template='Rigid3' name='dofs'/><WireBeamInterpolation name='wire' "
      "WireRestShape='@../catheter/shape'/><AdaptiveBeamForceFieldAndMass/>"
      "<InterventionalRadiologyController name='hand' instruments='wire' xtip='1' rotationInstrument='0' "
      "speed='20'/><LinearSolverConstraintCorrection/><FixedProjectiveConstraint indices='0'/>"
      "<RestShapeSpringsForceField points='@hand.indexFirstNode' stiffness='1e8' angularStiffness='1e8'/>"
      "<Node><EdgeSetTopologyContainer/><MechanicalObject/><MultiAdaptiveBeamMapping controller='@../hand'/>"
      "<PointCollisionModel/></Node></Node>",
      frames - 1, frames);
  add_vessel(&t);
  dv_text_add(&t, "</Node>");
  return t.text;
}

static const Subject subjects[] = {
    {"W through the factor of a soft slab", {9, 49, 144, 324, 900}, slab_scene, false, 3, "contacts"},
    {"step of a soft slab on a floor", {9, 49, 144, 324, 900}, slab_scene, true, 3, "contacts"},
    {"what stands for W of towers of balls", {12, 60, 300, 1200, 5000}, towers_scene, false, 3, "contacts"},
    {"step of towers of balls", {12, 60, 300, 1200, 5000}, towers_scene, true, 3, "contacts"},
    {"step of a catheter in a vessel", {25, 50, 100, 150, 200}, catheter_scene, true, 260, "frames"},
};

// W of the contacts of the last step, in ms; below 0 when it cannot be
static double time_compliance(dvScene *scene, size_t *contacts)
{
  dvConstraintProblem p = {.takes_unbuilt = true};
  dvConstraintStep step = {.x = DV_X_FREE, .v = DV_V_FREE, .dt = 0.01};
  double best = INFINITY;
  dv_mech_propagate_live(scene->plan, DV_X_FREE, DV_V_FREE);
  bool good = dv_problem_collect(&p, scene->plan, &step) == DV_OK;
  for (int i = 0; good && i < PASSES; i++) {
    double began = dv_now();
    good = dv_problem_compliance(&p, scene->plan, &step) == DV_OK;
    best = dv_min(best, 1e3 * (dv_now() - began));
  }
  *contacts = p.laws.count;
  dv_problem_free(&p);
  return good ? best : -1;
}

static double time_steps(dvScene *scene, size_t *contacts)
{
  double best = INFINITY;
  for (int i = 0; i < PASSES; i++) {
    double began = dv_now();
    if (dv_scene_step(scene, 0) != DV_OK) return -1;
    best = dv_min(best, 1e3 * (dv_now() - began));
  }
  *contacts = dv_scene_contacts(scene);
  return best;
}

static double time_size(const void *subject, size_t size, int threads, size_t *contacts)
{
  const Subject *s = subject;
  dvContext *context = dv_divan_create(threads);
  context->log.threshold = DV_ERROR;
  char *text = s->scene(size);
  dvScene *scene = NULL;
  bool good = dv_scene_parse(context, "bench", text, strlen(text), &scene) == DV_OK && dv_scene_init(scene) == DV_OK;
  dv_free(text);
  for (int i = 0; good && i < s->before; i++) good = dv_scene_step(scene, 0) == DV_OK;
  double ms = !good ? -1 : s->whole ? time_steps(scene, contacts) : time_compliance(scene, contacts);
  dv_scene_destroy(&scene);
  dv_divan_destroy(&context);
  return ms;
}

json_t *bench_constraint(const Bench *b)
{
  json_t *all = json_array();
  for (size_t i = 0; i < DV_COUNT(subjects); i++)
    for (int k = 0; k < b->thread_counts; k++)
      if (bench_wants(b, subjects[i].name))
        json_array_append_new(all, bench_over_sizes(b, subjects[i].name, subjects[i].per, subjects[i].contacts,
                                                    b->threads[k], time_size, &subjects[i]));
  return all;
}
