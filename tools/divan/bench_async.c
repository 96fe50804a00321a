// What a factor costs constraints that is computed beside the steps: the error of the compliance W = H A^-1 H^T and of
// the motion, and the time it saves, on a bar of two stiffnesses whose ends are held by multipliers (Courtecuisse et
// al., MICCAI 2011).
#include "bench_linear.h"

#include "app/divan.h"
#include "constraint/lagrangian/problem.h"
#include "io/scene/scene_file.h"
#include "state/state.h"

#include <math.h>
#include <string.h>
#include <time.h>

enum { STEPS = 100, HELD = 20 };

typedef struct Run {
  dvContext *context;
  dvScene *scene;
  dvObject *solver;
  const dvState *state;
  double ms;   // CPU time of the steps' thread, the mean of a step
} Run;

static double thread_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool open_run(Run *r, const char *solvers, const char *force, bool realtime)
{
  char *text = dv_format(
      "<Node dt='0.01' gravity='0 -9.81 0'><FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver "
      "tolerance='1e-8' "
      "maxIterations='200'/><Node name='A'><EulerImplicitSolver/>%s"
      "<RegularGridTopology n='6 6 31' min='0 0 0' max='0.5 0.5 3'/><MechanicalObject/><UniformMass totalMass='5'/>%s"
      "<BoxROI name='box' box='-1 -1 -0.01 9 9 0.01'/><FixedProjectiveConstraint indices='@box.indices'/>"
      "<FixedLagrangianConstraint indices='1080-%d'/><LinearSolverConstraintCorrection "
      "linearSolver='@direct'/></Node></Node>",
      solvers, force, 1080 + HELD - 1);
  *r = (Run){.context = dv_divan_create(1)};
  r->context->log.threshold = DV_ERROR;
  r->context->realtime = realtime;
  bool good =
      dv_scene_parse(r->context, "async", text, strlen(text), &r->scene) == DV_OK && dv_scene_init(r->scene) == DV_OK;
  dv_free(text);
  if (!good) return false;
  r->solver = dv_node_find(r->scene->root, DV_ROLE_CONSTRAINT_SOLVER);
  r->state = dv_state(dv_node_state(r->scene->root->children.data[0]));
  return true;
}

static void close_run(Run *r)
{
  dv_scene_destroy(&r->scene);
  dv_divan_destroy(&r->context);
}

static bool step(Run *r, bool counts)
{
  double began = thread_now();
  bool good = dv_scene_step(r->scene, 0) == DV_OK;
  if (counts) r->ms += 1e3 * (thread_now() - began) / STEPS;
  return good;
}

static double distance(const double *a, const double *b, size_t n)
{
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += (a[i] - (b ? b[i] : 0)) * (a[i] - (b ? b[i] : 0));
  return sqrt(sum);
}

static const dvConstraintProblem *problem_of(const Run *r)
{
  return ((const dvConstraintSolverOps *)dv_ops(r->solver, DV_ROLE_CONSTRAINT_SOLVER))->problem(r->solver);
}

void bench_async_compliance(const Bench *bench, json_t *figures)
{
  if (!bench_wants(bench, "stiffness")) return;
  bench_progress("constraints with an asynchronous factor");
  dvText force = {0};
  dv_text_add(&force, "<TetrahedronFEMForceField method='large' poissonRatio='0.4' youngModulus='");
  for (int cell = 0; cell < 5 * 5 * 30; cell++)
    for (int t = 0; t < 6; t++) dv_text_add(&force, cell / 25 % 2 ? "1e8 " : "1e4 ");
  dv_text_add(&force, "'/>");
  Run fresh, late;
  bool good = open_run(&fresh, "<SparseLDLSolver name='direct'/>", force.text, false);
  good = open_run(&late,
                  "<PCGLinearSolver iterations='5000' tolerance='1e-8' preconditioner='@direct'/>"
                  "<AsyncSparseLDLSolver name='direct'/>",
                  force.text, true) &&
         good;
  dv_text_free(&force);
  double w = 0, x = 0;
  for (int i = -5; good && i < STEPS; i++) {
    good = step(&fresh, i >= 0) && step(&late, i >= 0);
    const dvConstraintProblem *a = problem_of(&fresh), *b = problem_of(&late);
    if (!good || i < 0 || a->rows != b->rows) continue;
    size_t n = 3 * fresh.state->count;
    const double *rest = dv_state_read(fresh.state, DV_X_REST), *there = dv_state_read(fresh.state, DV_X);
    w = fmax(w, distance(b->w.data, a->w.data, a->rows * a->rows) / distance(a->w.data, NULL, a->rows * a->rows));
    x = fmax(x, distance(dv_state_read(late.state, DV_X), there, n) / distance(there, rest, n));
  }
  if (good) {
    const char *group = "constraints, stiffness 1:10,000";
    add_figure(figures, group, "W with the asynchronous factor, largest error", 100 * w, "%", 0, 0);
    add_figure(figures, group, "the motion with it, largest error", 100 * x, "%", 0, 0);
    add_figure(figures, group, "a step with a fresh factor", fresh.ms, "ms", 0, 0);
    add_figure(figures, group, "the same with the asynchronous one", late.ms, "ms", 0, 0);
    add_figure(figures, group, "how much faster", fresh.ms / late.ms, "", 0, 0);
  }
  close_run(&fresh);
  close_run(&late);
}
