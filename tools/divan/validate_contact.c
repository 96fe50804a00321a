// divan validate: contact and friction by Lagrange multipliers.
//
// Slope: a block on a plane of angle a starts to slide where tan a > mu, with the acceleration g (sin a - mu cos a).
// Stack: boxes on each other stand. Legs: four legs carry the weight of a table, though three would do.
// Press: two soft cubes that meet keep their momentum, and stay apart.
#include "validate.h"

#include "collision/collision.h"

#include <stdio.h>
#include <string.h>

static const double gravity = 9.81;

#define GAUSS_SEIDEL                                                                        \
  "<BlockGaussSeidelConstraintSolver name='solver' tolerance='1e-10' maxIterations='2000' " \
  "computeConstraintForces='1'/>"
#define FRICTION "response='FrictionContactConstraint' responseParams='mu=0.5'"

static const struct {
  const char *name, *text, *response;
} solvers[] = {
    {"BlockGaussSeidelConstraintSolver", GAUSS_SEIDEL, FRICTION},
    {"the same, augmented multipliers", GAUSS_SEIDEL,
     "response='AugmentedLagrangianResponseConstraint' responseParams='mu=0.5&amp;epsilon=100'"},
    {"NNCGConstraintSolver, warm start",
     "<NNCGConstraintSolver name='solver' tolerance='1e-10' maxIterations='2000' warmStart='1'/>", FRICTION},
    {"LCPConstraintSolver",
     "<LCPConstraintSolver name='solver' tolerance='1e-10' maxIt='2000' mu='0.5' computeConstraintForces='1'/>",
     FRICTION},
};

static void add_head(dvText *t, double dt, double x, double y, const char *solver, const char *response)
{
  dv_text_printf(t,
                 "<Node dt='%g' gravity='%.17g %.17g 0'><FreeMotionAnimationLoop/>%s<CollisionPipeline/>"
                 "<BruteForceBroadPhase/><BVHNarrowPhase/><MinProximityIntersection alarmDistance='0.1' "
                 "contactDistance='0.01'/><CollisionResponse %s/>",
                 dt, x, y, solver, response);
}

// four feet below and a triangle above
static void add_box(dvText *t, const char *name, double half, double y, double mass)
{
  dv_text_printf(t,
                 "<Node name='%s'><EulerImplicitSolver rayleighMass='0' rayleighStiffness='0'/><SparseLDLSolver/>"
                 "<MechanicalObject name='dofs' template='Rigid3' position='0 %.17g 0 0 0 0 1'/><UniformMass "
                 "vertexMass='%g 1 [0.05 0 0 0 0.05 0 0 0 0.05]'/><UncoupledConstraintCorrection/><Node name='feet'>"
                 "<MechanicalObject position='%g -0.2 %g  %g -0.2 %g  %g -0.2 %g  %g -0.2 %g'/><RigidMapping/>"
                 "<PointCollisionModel/></Node><Node name='top'><MechanicalObject position='%g 0.2 %g  %g 0.2 %g  "
                 "0 0.2 %g'/><MeshTopology triangles='0 2 1'/><RigidMapping/><TriangleCollisionModel/></Node></Node>",
                 name, y + 0.2, mass, -half, -half, half, -half, -half, half, half, half, -2.5 * half, -1.2 * half,
                 2.5 * half, -1.2 * half, 3.2 * half);
}

static void add_floor(dvText *t)
{
  dv_text_add(t, "<Node name='floor'><MechanicalObject position='-40 0 -37  43 0 -37  43 0 41  -40 0 41'/>"
                 "<MeshTopology triangles='0 2 1  0 3 2'/><TriangleCollisionModel simulated='0' moving='0'/></Node>"
                 "</Node>");
}

static bool run(Trial *t, dvText *text, int steps)
{
  trial_open(t, text->text);
  dv_text_free(text);
  bool good = t->scene != NULL;   // there is no state "dofs" at the top
  for (int i = 0; good && i < steps; i++) good = dv_scene_step(t->scene, 0) == DV_OK;
  return good;
}

// --- slope ---

static bool slope(size_t solver, double ratio)
{
  const double mu = 0.5, dt = 0.005, angle = atan(ratio * mu);
  const int steps = 200;
  dvText text = {0};
  Trial t = {0};
  add_head(&text, dt, gravity * sin(angle), -gravity * cos(angle), solvers[solver].text, solvers[solver].response);
  add_box(&text, "box", 0.5, 0.01, 2);
  add_floor(&text);
  bool good = run(&t, &text, steps);
  const double exact = ratio > 1 ? gravity * (sin(angle) - mu * cos(angle)) : 0;
  double a = good ? dv_state_read(dv_state(trial_find(&t, "box/dofs")), DV_V)[0] / (steps * dt) : 0;
  good = good && fabs(a - exact) <= 1e-3 * exact + 1e-6;
  printf("| %s | %.2f | %.6f | %.6f | %.1e |\n", solvers[solver].name, ratio, exact, a, fabs(a - exact));
  trial_close(&t);
  return good;
}

// --- stack and legs ---

static bool stack(void)
{
  enum { BOXES = 10 };
  const int steps = 200;   // tests/constraint/test_stand.c goes on for a minute
  dvText text = {0};
  Trial t = {0};
  add_head(&text, 0.01, 0, -gravity,
           "<NNCGConstraintSolver name='solver' tolerance='1e-9' maxIterations='5000' warmStart='1' checkLaws='1'/>",
           FRICTION);
  for (int i = 0; i < BOXES; i++) {
    char name[16];
    snprintf(name, sizeof name, "box%d", i);
    add_box(&text, name, 0.5 - 0.03 * i, 0.01 + 0.41 * i, 1 + i % 3);
  }
  add_floor(&text);
  bool good = run(&t, &text, steps);
  double drift = 0;
  for (int i = 0; good && i < BOXES; i++) {
    char path[32];
    snprintf(path, sizeof path, "box%d/dofs", i);
    const double *x = dv_state_read(dv_state(trial_find(&t, path)), DV_X);
    drift = fmax(drift, fmax(fabs(x[1] - 0.21 - 0.41 * i), hypot(x[0], x[2])));
  }
  double law = good ? *(const double *)dv_object_field(trial_find(&t, "solver"), "largestLawError")->value : 0;
  printf(
      "A stack of %d boxes after %g s has moved by at most %.1e m; in no step was a contact farther than %.1e m from "
      "its law.\n",
      BOXES, steps * 0.01, drift, law);
  trial_close(&t);
  return good && drift < 1e-4;
}

static bool legs(void)
{
  dvText text = {0};
  Trial t = {0};
  add_head(&text, 0.01, 0, -gravity, solvers[0].text, FRICTION);
  add_box(&text, "box", 0.5, 0.01, 3);
  add_floor(&text);
  bool good = run(&t, &text, 100);
  const dvReals *lambda = good ? dv_object_field(trial_find(&t, "solver"), "constraintForces")->value : NULL;
  double weight = 3 * gravity, sum = 0, least = INFINITY, most = 0;
  for (size_t i = 0; lambda && i < lambda->count; i += 3) {
    double force = lambda->data[i] / 0.01;
    sum += force, least = fmin(least, force), most = fmax(most, force);
  }
  printf("A table of %.2f N on four legs: %.2f N to %.2f N each, %.6f N together.\n", weight, least, most, sum);
  trial_close(&t);
  return good && least >= 0 && most < weight && fabs(sum - weight) < 1e-4 * weight;
}

// --- press ---

static void add_cube(dvText *t, const char *name, int n, double x, double y, double vy)
{
  dv_text_printf(t,
                 "<Node name='%s'><EulerImplicitSolver rayleighStiffness='0.01'/><SparseLDLSolver/>"
                 "<RegularGridTopology n='%d 4 %d' min='%g %g 0' max='%g %g 1'/><MechanicalObject name='dofs' "
                 "velocity='",
                 name, n, n, x, y, x + 1, y + 1);
  for (int k = 0; k < n * 4 * n; k++) dv_text_printf(t, "0.1 %g 0 ", vy);
  dv_text_add(t, "'/><UniformMass totalMass='1'/><HexahedronFEMForceField youngModulus='800' poissonRatio='0.3'/>"
                 "<LinearSolverConstraintCorrection/><TriangleCollisionModel/><LineCollisionModel/>"
                 "<PointCollisionModel/></Node>");
}

static void momentum(const Trial *t, double sum[3])
{
  sum[0] = sum[1] = sum[2] = 0;
  for (int i = 0; i < 2; i++) {
    const dvState *s = dv_state(trial_find(t, i ? "upper/dofs" : "lower/dofs"));
    const double *v = dv_state_read(s, DV_V);
    for (size_t k = 0; k < 3 * s->count; k++) sum[k % 3] += v[k] / (double)s->count;
  }
}

static bool press(void)
{
  dvText text = {0};
  Trial t = {0};
  double before[3], after[3], change = 0, deepest = 0;
  add_head(&text, 0.01, 0, 0, "<BlockGaussSeidelConstraintSolver tolerance='1e-7' maxIterations='3000'/>", FRICTION);
  add_cube(&text, "lower", 4, 0, 0, 1);
  add_cube(&text, "upper", 5, 0.1, 1.05, -1);
  dv_text_add(&text, "</Node>");
  if (!run(&t, &text, 0)) return trial_close(&t), false;
  momentum(&t, before);
  bool good = true;
  for (int i = 0; good && i < 60; i++) {
    dvTouch touch;
    good = dv_scene_step(t.scene, 0) == DV_OK;
    for (size_t k = 0; good && dv_scene_touch(t.scene, k, &touch); k++)
      for (size_t c = 0; c < touch.count; c++) deepest = fmax(deepest, -touch.contacts[c].distance);
  }
  momentum(&t, after);
  for (int k = 0; k < 3; k++) change = fmax(change, fabs(after[k] - before[k]));
  printf(
      "Two soft cubes that meet with 2 m/s change their momentum by %.1e N s and come within the contact distance of "
      "0.01 m by at most %.1e m.\n",
      change, deepest);
  trial_close(&t);
  return good && change < 1e-8 && deepest < 2e-3;
}

bool validate_contact(bool quick)
{
  DV_UNUSED(quick);
  static const double ratios[] = {0.5, 0.95, 1.05, 1.5, 3};
  bool good = true;
  printf("## Contact and friction\n\n"
         "A block on a slope, mu = 0.5, four points of contact, steps of 5 ms for one second from rest: the mean "
         "acceleration [m/s2] against g (sin a - mu cos a).\n\n"
         "| solver | tan a / mu | exact | computed | difference |\n| --- | --- | --- | --- | --- |\n");
  for (size_t s = 0; s < DV_COUNT(solvers); s++)
    for (size_t i = 0; i < DV_COUNT(ratios); i++) good = slope(s, ratios[i]) && good;
  printf("\n- ");
  good = stack() && good;
  printf("- ");
  good = legs() && good;
  printf("- ");
  good = press() && good;
  printf("\n");
  return good;
}
