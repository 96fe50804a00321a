// Scenes with contacts by Lagrange multipliers whose time is known of other programs: boxes in a pen, soft cubes that
// fall on each other, a soft robot that touches a table. One thread; CPU time of the steps' thread, the mean of a step.
#include "bench_contact_scenes.h"

#include "app/divan.h"
#include "collision/collision.h"
#include "io/scene/scene_file.h"

#include <math.h>
#include <string.h>
#include <time.h>

typedef struct Run {
  double ms;         // of a step
  double contacts;   // in the mean
} Run;

static double thread_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// the fastest of some runs
static bool run(const char *text, bool realtime, int before, int steps, int repeats, Run *out)
{
  bool good = true;
  out->ms = INFINITY;
  for (int i = 0; good && i < repeats; i++) {
    dvContext *context = dv_divan_create(1);
    dvScene *scene = NULL;
    context->log.threshold = DV_ERROR;
    context->realtime = realtime;
    good = dv_scene_parse(context, "bench", text, strlen(text), &scene) == DV_OK && dv_scene_init(scene) == DV_OK;
    for (int k = 0; good && k < before; k++) good = dv_scene_step(scene, 0) == DV_OK;
    double sum = 0, contacts = 0;
    for (int k = 0; good && k < steps; k++) {
      double began = thread_now();
      good = dv_scene_step(scene, 0) == DV_OK;
      sum += 1e3 * (thread_now() - began) / steps;
      contacts += (double)dv_scene_contacts(scene) / steps;
    }
    if (sum < out->ms) *out = (Run){sum, contacts};
    dv_scene_destroy(&scene);
    dv_divan_destroy(&context);
  }
  return good;
}

static const char detection[] = "<CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/><CollisionResponse "
                                "response='FrictionContactConstraint' responseParams='mu=0.4'/>";

// --- boxes in a pen ------------------------------------------------------------------------------

// a number between -1 and 1, the same in every run
static double chance(unsigned *seed)
{
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / 8388608.0 - 1;
}

static char *pen_scene(void)
{
  dvText t = {0};
  unsigned seed = 7;
  dv_text_printf(&t,
                 "<Node dt='0.005' gravity='0 -9.81 0'><FreeMotionAnimationLoop/><LCPConstraintSolver "
                 "tolerance='1e-5' maxIt='10' mu='0.4' build_lcp='0'/>%s<MinProximityIntersection "
                 "alarmDistance='0.003' contactDistance='0.001'/><Node><MechanicalObject template='Rigid3' "
                 "position='0 -0.1 0 0 0 0 1  -1.1 0.5 0 0 0 0 1  1.1 0.5 0 0 0 0 1  0 0.5 -1.1 0 0 0 1  0 0.5 1.1 0 "
                 "0 0 1'/><OBBCollisionModel extents='1.2 0.1 1.2  0.1 0.5 1.2  0.1 0.5 1.2  1.2 0.5 0.1  1.2 0.5 "
                 "0.1' simulated='0' moving='0'/></Node><Node><EulerImplicitSolver/><SparseLDLSolver/>"
                 "<MechanicalObject template='Rigid3' position='",
                 detection);
  for (int i = 0; i < 100; i++) {
    double q[4], length = 0;
    for (int k = 0; k < 4; k++) q[k] = chance(&seed), length += q[k] * q[k];
    dv_text_printf(&t, "%g %g %g", 0.36 * (i % 5 - 2) + 0.03 * chance(&seed), 0.25 + 0.36 * (i / 25),
                   0.36 * (i / 5 % 5 - 2) + 0.03 * chance(&seed));
    for (int k = 0; k < 4; k++) dv_text_printf(&t, " %.12g", q[k] / sqrt(length));
    dv_text_add(&t, " ");
  }
  dv_text_add(&t, "'/><UniformMass vertexMass='1 1 [0.00667 0 0 0 0.00667 0 0 0 0.00667]'/>"
                  "<UncoupledConstraintCorrection/><OBBCollisionModel defaultExtent='0.1' selfCollision='1'/></Node>"
                  "</Node>");
  return t.text;
}

static void time_pen(const Bench *b, json_t *figures)
{
  const char *group = "100 boxes in a pen";
  Run r;
  if (!bench_wants(b, group)) return;
  bench_progress("%s", group);
  char *text = pen_scene();
  if (run(text, false, 0, 400, 3, &r)) {
    add_figure(figures, group, "a step", r.ms, "ms", -1, 0.5);
    add_figure(figures, group, "contacts in the mean", r.contacts, "", 0, 0);
  }
  dv_free(text);
}

// --- soft cubes ----------------------------------------------------------------------------------

enum { SIDE = 6 };

static void add_square(dvText *t, int axis, int high, int u, int v)
{
  int at[4];
  for (int i = 0; i < 4; i++) {
    int cell[3];
    cell[axis] = high ? SIDE - 1 : 0;
    cell[(axis + 1) % 3] = u + (i == 1 || i == 2);
    cell[(axis + 2) % 3] = v + (i > 1);
    at[i] = (cell[2] * SIDE + cell[1]) * SIDE + cell[0];
  }
  int second = high ? 1 : 3, last = high ? 3 : 1;   // outwards
  dv_text_printf(t, "%d %d %d %d %d %d ", at[0], at[second], at[2], at[0], at[2], at[last]);
}

static char *cubes_scene(void)
{
  dvText t = {0};
  dv_text_printf(&t,
                 "<Node dt='0.01' gravity='0 -9.81 0'><FreeMotionAnimationLoop/><LCPConstraintSolver tolerance='1e-5' "
                 "maxIt='100' mu='0.4'/>%s<MinProximityIntersection alarmDistance='0.05' contactDistance='0.01' "
                 "useLinePoint='0' useLineLine='0'/><Node><MechanicalObject position='-9 0 -9  9 0 -9  0 0 9'/>"
                 "<MeshTopology triangles='0 2 1'/><TriangleCollisionModel simulated='0' moving='0'/></Node>",
                 detection);
  for (int c = 0; c < 5; c++) {
    double x = 0.2 * (c % 2), y = 0.2 + 0.7 * c, z = 0.15 * (c % 3);
    dv_text_printf(&t,
                   "<Node><EulerImplicitSolver rayleighStiffness='0.02' rayleighMass='0.1'/><SparseLDLSolver/>"
                   "<RegularGridTopology n='6 6 6' min='%g %g %g' max='%g %g %g'/><MechanicalObject/><UniformMass "
                   "totalMass='1'/><HexahedronFEMForceField youngModulus='5000' poissonRatio='0.4'/>"
                   "<LinearSolverConstraintCorrection/><Node><MechanicalObject/><MeshTopology "
                   "position='@../MechanicalObject1.position' triangles='",
                   x, y, z, x + 0.5, y + 0.5, z + 0.5);
    for (int f = 0; f < 6 * (SIDE - 1) * (SIDE - 1); f++) {
      int in = f % ((SIDE - 1) * (SIDE - 1)), face = f / ((SIDE - 1) * (SIDE - 1));
      add_square(&t, face / 2, face % 2, in % (SIDE - 1), in / (SIDE - 1));
    }
    dv_text_printf(&t,
                   "'/><TriangleCollisionModel group='%d'/><PointCollisionModel group='%d'/><IdentityMapping/></Node>"
                   "</Node>",
                   c + 1, c + 1);
  }
  dv_text_add(&t, "</Node>");
  return t.text;
}

static void time_cubes(const Bench *b, json_t *figures)
{
  const char *group = "5 soft cubes of 216 points";
  Run r;
  if (!bench_wants(b, group)) return;
  bench_progress("%s", group);
  char *text = cubes_scene();
  if (run(text, false, 0, 150, 2, &r)) {
    add_figure(figures, group, "a step", r.ms, "ms", -1, 3);
    add_figure(figures, group, "contacts in the mean", r.contacts, "", 0, 0);
  }
  dv_free(text);
}

// --- soft robot ----------------------------------------------------------------------------------

// A finger of 1,628 points and 5,400 tetrahedra, held at one end; the other lies on a small table.
static char *robot_scene(const char *solvers)
{
  return dv_format(
      "<Node dt='0.01' gravity='0 -9.81 0'><FreeMotionAnimationLoop/><LCPConstraintSolver "
      "tolerance='1e-6' maxIt='200' mu='0.4'/>%s<MinProximityIntersection alarmDistance='0.02' "
      "contactDistance='0.002'/><Node><MechanicalObject position='-1 -0.002 1.555  2 -0.002 1.555  0.5 "
      "-0.002 3'/><MeshTopology triangles='0 2 1'/><TriangleCollisionModel simulated='0' moving='0'/>"
      "</Node><Node name='robot'><EulerImplicitSolver rayleighStiffness='0.01'/>%s<RegularGridTopology "
      "n='4 11 37' min='0 0 0' max='0.15 0.5 1.8'/><MechanicalObject/><UniformMass totalMass='5'/>"
      "<TetrahedronFEMForceField youngModulus='1e5' poissonRatio='0.45' method='large'/><BoxROI name='box' "
      "box='-1 -1 -0.01 9 9 0.01'/><FixedProjectiveConstraint indices='@box.indices'/>"
      "<LinearSolverConstraintCorrection linearSolver='@direct'/><PointCollisionModel/></Node></Node>",
      detection, solvers);
}

static void time_robot(const Bench *b, json_t *figures)
{
  const char *group = "soft robot of 1,628 points";
  Run r;
  if (!bench_wants(b, group)) return;
  bench_progress("%s", group);
  char *fresh = robot_scene("<SparseLDLSolver name='direct'/>"),
       *late = robot_scene("<PCGLinearSolver iterations='1000' tolerance='1e-6' preconditioner='@direct'/>"
                           "<AsyncSparseLDLSolver name='direct'/>");
  if (run(fresh, false, 20, 100, 2, &r)) {
    add_figure(figures, group, "contacts in the mean", r.contacts, "", 0, 0);
    add_figure(figures, group, "steps with a fresh factor", 1e3 / r.ms, "Hz", 1, 80);
  }
  if (run(late, true, 20, 100, 2, &r))
    add_figure(figures, group, "steps with the asynchronous factor", 1e3 / r.ms, "Hz", 1, 150);
  dv_free(fresh);
  dv_free(late);
}

json_t *bench_contact_scenes(const Bench *b)
{
  json_t *figures = json_array();
  time_pen(b, figures);
  time_cubes(b, figures);
  time_robot(b, figures);
  bench_async_compliance(b, figures);
  return figures;
}
