// divan bench robot: inverse control of a soft robot in real time.
//
// A bar of 1,628 points and 5,400 tetrahedra, held at one end, with four cables along it; the middle of its other end
// follows a goal while it lies on a table. Wall clock, two threads; the factor is fresh in every step, or computed
// beside the steps (AsyncSparseLDLSolver). Shares of a step: factorisation, compliance, the program (multipliers) and
// the correction. The quickest tenth of the steps and the processor time of all threads are what counts beside other
// programs.
#include "bench_contact_scenes.h"

#include "app/divan.h"
#include "base/clock.h"
#include "collision/collision.h"
#include "io/scene/scene_file.h"
#include "scene/timer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BEFORE = 60, STEPS = 200 };

static char *robot_scene(const char *solvers)
{
  return dv_format(
      "<Node dt='0.01' gravity='0 -9.81 0'><FreeMotionAnimationLoop/><QPInverseProblemSolver/><CollisionPipeline/>"
      "<BruteForceBroadPhase/><BVHNarrowPhase/><CollisionResponse response='FrictionContactConstraint' "
      "responseParams='mu=0.3'/><MinProximityIntersection alarmDistance='0.02' contactDistance='0.002'/>"
      "<Node><MechanicalObject position='-1 -0.002 1.4  2 -0.002 1.4  0.5 -0.002 4'/><MeshTopology triangles='0 2 1'/>"
      "<TriangleCollisionModel simulated='0' moving='0'/></Node>"
      "<Node name='goal'><EulerImplicitSolver firstOrder='1'/><CGLinearSolver iterations='5' tolerance='1e-9' "
      "threshold='1e-9'/><MechanicalObject name='dofs' position='0.25 0.075 1.8'/><UniformMass totalMass='0.1'/>"
      "<LinearMovementProjectiveConstraint indices='0' keyTimes='0 1 3 100' movements='0 0 0  0.1 0 0  -0.1 0 0  -0.1 "
      "0 "
      "0'/></Node><Node name='robot'><EulerImplicitSolver rayleighStiffness='0.05' rayleighMass='0.1'/>%s"
      "<RegularGridTopology n='11 4 37' min='0 0 0' max='0.5 0.15 1.8'/><MechanicalObject/><UniformMass totalMass='5'/>"
      "<TetrahedronFEMForceField youngModulus='1e6' poissonRatio='0.4' method='large'/><BoxROI name='box' box='-1 -1 "
      "-0.01 9 9 0.01'/><FixedProjectiveConstraint indices='@box.indices'/><LinearSolverConstraintCorrection "
      "linearSolver='@direct'/><BoxROI name='under' box='-1 -1 1.74 9 0.01 9'/><Node><MechanicalObject "
      "position='@../under.pointsInROI'/><PointCollisionModel/><BarycentricMapping mapForces='0' mapMasses='0'/></Node>"
      "<Node><MechanicalObject position='0.25 0.075 1.8'/><PositionEffector indices='0' "
      "effectorGoal='@../../goal/dofs.position'/><BarycentricMapping mapForces='0' mapMasses='0'/></Node>"
      "<Node><MechanicalObject position='0.02 0.075 0.6  0.02 0.075 1.2  0.02 0.075 1.78  0.48 0.075 0.6  0.48 0.075 "
      "1.2  0.48 0.075 1.78  0.25 0.01 0.6  0.25 0.01 1.2  0.25 0.01 1.78  0.25 0.14 0.6  0.25 0.14 1.2  0.25 0.14 "
      "1.78'/><CableActuator indices='0-2' pullPoint='0.02 0.075 0' minForce='0'/><CableActuator indices='3-5' "
      "pullPoint='0.48 0.075 0' minForce='0'/><CableActuator indices='6-8' pullPoint='0.25 0.01 0' minForce='0'/>"
      "<CableActuator indices='9-11' pullPoint='0.25 0.14 0' minForce='0'/><BarycentricMapping mapForces='0' "
      "mapMasses='0'/></Node></Node></Node>",
      solvers);
}

static double timer_ms(const dvTimers *t, const char *name)
{
  double sum = 0;
  for (size_t i = 0; i < t->list.count; i++)
    if (dv_same(t->list.data[i].name, name)) sum += 1e3 * t->list.data[i].total / STEPS;
  return sum;
}

static int by_size(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static json_t *run(const char *name, const char *solvers, bool realtime, double aim)
{
  dvContext *context = dv_divan_create(2);
  dvScene *scene = NULL;
  char *text = robot_scene(solvers);
  context->log.threshold = DV_ERROR;
  context->realtime = realtime;
  bool good = dv_scene_parse(context, "bench", text, strlen(text), &scene) == DV_OK && dv_scene_init(scene) == DV_OK;
  for (int i = 0; good && i < BEFORE; i++) good = dv_scene_step(scene, 0) == DV_OK;
  if (good) dv_timers_clear(context->timers);
  double began = dv_now(), contacts = 0, times[STEPS];
  double processor = dv_cpu_now();
  for (int i = 0; good && i < STEPS; i++) {
    double before = dv_now();
    good = dv_scene_step(scene, 0) == DV_OK;
    times[i] = 1e3 * (dv_now() - before);
    contacts += (double)dv_scene_contacts(scene) / STEPS;
  }
  double ms = 1e3 * (dv_now() - began) / STEPS, cpu = 1e3 * (dv_cpu_now() - processor) / STEPS;
  json_t *row = NULL;
  if (good) {
    qsort(times, STEPS, sizeof *times, by_size);
    double factor = timer_ms(context->timers, "prepare"), w = timer_ms(context->timers, "compliance"),
           program = timer_ms(context->timers, "multipliers"), all = timer_ms(context->timers, "constraints");
    row = json_pack("{s:s,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "name", name, "hz", bench_number(1e3 / ms), "aim",
                    bench_number(aim), "contacts", bench_number(contacts), "ms", bench_number(ms), "quickest",
                    bench_number(times[STEPS / 10]), "processor", bench_number(cpu), "factorisation",
                    bench_number(factor), "compliance", bench_number(w), "program", bench_number(program), "correction",
                    bench_number(all - w - program));
  }
  dv_free(text);
  dv_scene_destroy(&scene);
  dv_divan_destroy(&context);
  return row ? row : json_null();
}

json_t *bench_robot(const Bench *b)
{
  static const struct {
    const char *name, *solvers;
    bool realtime;
    double aim;
  } kinds[] = {{"a fresh factor", "<SparseLDLSolver name='direct'/>", false, 80},
               {"the asynchronous factor",
                "<PCGLinearSolver iterations='1000' tolerance='1e-6' preconditioner='@direct'/>"
                "<AsyncSparseLDLSolver name='direct'/>",
                true, 200}};
  json_t *all = json_array();
  for (size_t i = 0; i < DV_COUNT(kinds); i++) {
    if (!bench_wants(b, kinds[i].name)) continue;
    bench_progress("inverse control with %s", kinds[i].name);
    json_array_append_new(all, run(kinds[i].name, kinds[i].solvers, kinds[i].realtime, kinds[i].aim));
  }
  return all;
}

static double number(const json_t *row, const char *name) { return json_number_value(json_object_get(row, name)); }

void bench_print_robot(const json_t *all)
{
  size_t i;
  json_t *row;
  printf("inverse control of a soft robot: 1,628 points, 5,400 tetrahedra, 4 cables, 1 effector\n");
  json_array_foreach(all, i, row)
  {
    if (json_is_null(row)) {
      printf("  it does not run\n");
      continue;
    }
    printf("  %-26s %6.0f steps a second (aim %.0f), %.3g contacts; %.3g ms: factorisation %.3g, compliance %.3g, "
           "program %.3g, correction %.3g; quickest tenth %.3g ms, processor %.3g ms\n",
           json_string_value(json_object_get(row, "name")), number(row, "hz"), number(row, "aim"),
           number(row, "contacts"), number(row, "ms"), number(row, "factorisation"), number(row, "compliance"),
           number(row, "program"), number(row, "correction"), number(row, "quickest"), number(row, "processor"));
  }
}
