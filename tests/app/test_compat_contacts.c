// SOFA's mistakes in contacts, distance fields and Lagrangian constraints: by default what is right, with compat sofa
// what SOFA computes. The derivations stand in docs/differences.md.
#include "app/both.h"

#include "base/file.h"
#include "collision/collision.h"
#include "constraint/lagrangian/problem.h"
#include "io/record/snapshot.h"
#include "mechanics/component.h"

#include <math.h>
#include <stdio.h>

// a scene in both modes, run for some steps: cases that are asked for in a step are known then
static Both run_both(const char *text, int steps, const char *path, dvCompatId id)
{
  Both b = {{check_scene(text, 1), check_scene_as_sofa(text, 1)}};
  step_both(&b, steps);
  for (int i = 0; i < 2; i++) assert_true(dv_compat_touched(check_find(b.mode[i], path), id));
  return b;
}

static dvTouch touch_of(const Both *b, int mode)
{
  dvTouch t;
  assert_true(dv_scene_touch(b->mode[mode], 0, &t));
  return t;
}

#define PIPELINE(method)                                                                                             \
  "<Node><DefaultAnimationLoop/><CollisionPipeline name='pipeline'/><BruteForceBroadPhase/><BVHNarrowPhase/>" method \
  "<CollisionResponse response='PenalityContactForceField'/>"
#define STILL(name, mesh, model) "<Node name='" name "'>" mesh "<MechanicalObject/>" model "</Node>"

// the nearest point of a line from 0 to 10 to a sphere at 4.8 is at 4.8; from the other end it is 5.2
static void line_sphere(void **state)
{
  DV_UNUSED(state);
  Both b = run_both(
      PIPELINE("<MinProximityIntersection name='method' alarmDistance='1' contactDistance='0.5'/>")
          STILL("line", "<MeshTopology position='0 0 0  10 0 0' edges='0 1'/>", "<LineCollisionModel/>")
              STILL("ball", "<MeshTopology position='4.8 1 0'/>", "<SphereCollisionModel radius='0.8'/>") "</Node>",
      1, "method", DV_COMPAT_LINE_SPHERE);
  static const double expected[] = {4.8, 5.2};
  for (int i = 0; i < 2; i++) {
    dvTouch t = touch_of(&b, i);
    assert_int_equal(t.count, 1);
    int line = t.model[0]->shape == DV_SHAPE_LINE ? 0 : 1;
    check_close(t.contacts[0].point[line][0], expected[i], 1e-12);
  }
  close_both(&b);
}

// a corner with which three triangles begin touches a floor
static void first_corner(void **state)
{
  DV_UNUSED(state);
  Both b = run_both(
      PIPELINE("<NewProximityIntersection name='method' alarmDistance='0.5' contactDistance='0.1'/>") STILL(
          "floor", "<MeshTopology position='-9 0 -9  0 0 9  9 0 -9' triangles='0 1 2'/>", "<TriangleCollisionModel/>")
          STILL("tip", "<MeshTopology position='0 0.3 0  1 2 0  -1 2 1  -1 2 -1' triangles='0 1 2  0 2 3  0 3 1'/>",
                "<TriangleCollisionModel/>") "</Node>",
      1, "method", DV_COMPAT_FIRST_CORNER);
  static const size_t expected[] = {1, 3};
  for (int i = 0; i < 2; i++) {
    dvTouch t = touch_of(&b, i);
    assert_int_equal(t.count, expected[i]);
    for (size_t k = 0; k < t.count; k++) check_close(t.contacts[k].distance, 0.3 - 0.1, 1e-12);
  }
  close_both(&b);
}

// Outside of a cube of side 2, beyond its corner: the distance is sqrt(3) a, and along the axes 3 a; slopes of length
// 1, and differences over a cell, each as long as the cell is wide.
static void distance_steps(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir(), *path = dv_path_join(directory, "cube.obj");
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  for (int i = 0; i < 8; i++) fprintf(f, "v %d %d %d\n", i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
  fputs("f 1 3 4\nf 1 4 2\nf 5 6 8\nf 5 8 7\nf 1 2 6\nf 1 6 5\nf 3 7 8\nf 3 8 4\nf 1 5 7\nf 1 7 3\nf 2 4 8\nf 2 8 6\n",
        f);
  fclose(f);
  const double a = 0.5, cell = 0.25;
  char *text = dv_format("<Node><MechanicalObject name='mo' position='1.5 1.5 1.5'/><DistanceGridForceField name='ff' "
                         "filename='%s' nx='17' ny='17' nz='17' box='-2 -2 -2 2 2 2' stiffnessIn='0' "
                         "stiffnessOut='1' maxdist='10' damping='0'/></Node>",
                         path);
  Both b = open_both(text, "ff", DV_COMPAT_DISTANCE_STEPS);
  const double expected[] = {-a, -3 * a * cell};   // along each axis
  for (int i = 0; i < 2; i++) {
    const double *force = force_of(&b, i);
    for (int k = 0; k < 3; k++)
      check_close(force[k], expected[i], i == SOFA ? 1e-9 : 0.02);   // interpolated: half a cell at most
  }
  close_both(&b);
  dv_free(text);
  dv_free(path);
  check_rmdir(directory);
}

// a point at depth d feels f = k d n: df/dx is -k along n, not k d
static void distance_stiffness(void **state)
{
  DV_UNUSED(state);
  Both b = open_both("<Node><MechanicalObject name='mo' position='0.1 0.7 0.2'/><DistanceGridForceField name='ff' "
                     "filename='#cube' nx='21' ny='21' nz='21' stiffnessIn='500' damping='0'/></Node>",
                     "ff", DV_COMPAT_DISTANCE_STIFFNESS);
  static const double expected[] = {-500, 500 * 0.3};
  for (int i = 0; i < 2; i++) {
    check_close(force_of(&b, i)[1], 500 * 0.3, 1e-9);
    size_t n;
    double *k = fd_dense_stiffness(check_find(b.mode[i], "ff"), 1, 0, &n);
    assert_int_equal(n, 3);
    check_close(k[4], expected[i], 1e-9);
    dv_free(k);
  }
  close_both(&b);
}

// Around the first corner of a cube lie triangles of its sides as 1 : 2 : 2. SOFA leaves out the first triangle, and
// after a half turn about z, which turns x and y round, it still has the normals of before.
static void late_normals(void **state)
{
  DV_UNUSED(state);
  Both b = run_both(
      "<Node><DefaultAnimationLoop/><CollisionPipeline name='pipeline'/><BruteForceBroadPhase/><RayTraceNarrowPhase/>"
      "<DiscreteIntersection/><CollisionResponse response='PenalityContactForceField'/>"
      "<MeshTopology position='-1 -1 -1  1 -1 -1  1 -1 1  -1 -1 1  -1 1 -1  1 1 -1  1 1 1  -1 1 1' "
      "triangles='0 1 2  0 2 3  4 6 5  4 7 6  0 5 1  0 4 5  1 6 2  1 5 6  2 7 3  2 6 7  3 4 0  3 7 4'/>"
      "<MechanicalObject name='x'/><TriangleOctreeCollisionModel name='model'/></Node>",
      1, "model", DV_COMPAT_LATE_NORMALS);
  const double all[3] = {-1 / 3.0, -2 / 3.0, -2 / 3.0}, less[3] = {-1 / sqrt(6), -1 / sqrt(6), -2 / sqrt(6)};
  for (int i = 0; i < 2; i++) {
    const dvCollisionModel *m = (const dvCollisionModel *)check_find(b.mode[i], "model");
    for (int k = 0; k < 3; k++) check_close(m->surface->points.data[k], i == SOFA ? less[k] : all[k], 1e-12);
    double *x = dv_state_write(dv_state(check_find(b.mode[i], "x")), DV_X);
    for (int p = 0; p < 8; p++) x[3 * p] = -x[3 * p], x[3 * p + 1] = -x[3 * p + 1];
    check_steps(b.mode[i], 1);
    for (int k = 0; k < 3; k++)
      check_close(m->surface->points.data[k], i == SOFA ? less[k] : k < 2 ? -all[k] : all[k], 1e-12);
  }
  close_both(&b);
}

// a point slides on a floor: mu g t is what friction takes of its velocity; SOFA's pushes it on
static void augmented_sliding(void **state)
{
  DV_UNUSED(state);
  Both b = run_both("<Node dt='0.01' gravity='0 -10 0'><FreeMotionAnimationLoop/>"
                    "<BlockGaussSeidelConstraintSolver maxIterations='2000' tolerance='1e-12'/>"
                    "<CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>"
                    "<MinProximityIntersection alarmDistance='0.2' contactDistance='0.05'/>"
                    "<CollisionResponse name='response' response='AugmentedLagrangianResponseConstraint' "
                    "responseParams='mu=0.2&amp;epsilon=20'/>"
                    "<Node name='body'><EulerImplicitSolver rayleighMass='0' rayleighStiffness='0'/><SparseLDLSolver/>"
                    "<MechanicalObject name='x' position='0 0.05 0' velocity='1 0 0'/><UniformMass totalMass='1'/>"
                    "<LinearSolverConstraintCorrection/><PointCollisionModel/></Node>"
                    "<Node><MeshTopology position='-9 0 -9  0 0 9  9 0 -9' triangles='0 1 2'/><MechanicalObject/>"
                    "<TriangleCollisionModel simulated='0' moving='0'/></Node></Node>",
                    20, "response", DV_COMPAT_AUGMENTED_SLIDING);
  compare(&b, "body/x", DV_V, 0, 1 - 0.2 * 10 * 0.2, 1 + 0.2 * 10 * 0.2, 1e-6);
  close_both(&b);
}

// one row through a point inside of a hexahedron: eight points carry it, the regularisation belongs to the row
static void precomputed_compliance(void **state)
{
  DV_UNUSED(state);
  const double term = 0.5;
  Both b = run_both("<Node dt='0.02'><FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver/><Node name='bar'>"
                    "<EulerImplicitSolver/><SparseLDLSolver/><RegularGridTopology n='4 2 2' min='0 0 0' max='3 1 1'/>"
                    "<MechanicalObject/><UniformMass totalMass='3'/><HexahedronFEMForceField youngModulus='2000' "
                    "poissonRatio='0.3' method='small'/><FixedProjectiveConstraint indices='0 4 8 12'/>"
                    "<PrecomputedConstraintCorrection name='c' regularizationTerm='0.5'/>"
                    "<Node><MechanicalObject position='2.4 0.4 0.5'/><BarycentricMapping/>"
                    "<FixedLagrangianConstraint indices='0'/></Node></Node></Node>",
                    1, "bar/c", DV_COMPAT_PRECOMPUTED_COMPLIANCE);
  double w[2];
  for (int i = 0; i < 2; i++) {
    dvConstraintProblem p = {0};
    dvConstraintStep now = {.x = DV_X_FREE, .v = DV_V_FREE, .dt = 0.02};
    assert_int_equal(dv_problem_collect(&p, b.mode[i]->plan, &now), DV_OK);
    assert_int_equal(dv_problem_compliance(&p, b.mode[i]->plan, &now), DV_OK);
    assert_int_equal(p.rows, 3);
    w[i] = p.w.data[0];
    dv_problem_free(&p);
  }
  assert_true(w[RIGHT] > term);
  check_close(w[SOFA] - w[RIGHT], 7 * term, 1e-9);
  close_both(&b);
}

// A chain in a plane: the third row, across, never has a residual. SOFA takes it for all rows in the third iteration
// and ends there.
static void residual_row(void **state)
{
  DV_UNUSED(state);
  Both b = run_both("<Node dt='0.02' gravity='3 -10 0'><FreeMotionAnimationLoop/>"
                    "<PreconditionedConjugateResidual name='solver' tolerance='1e-9' maxIterations='100'/>"
                    "<Node name='chain'><EulerImplicitSolver/><SparseLDLSolver/>"
                    "<MechanicalObject name='x' position='0 0 0  1 0.3 0  2 -0.2 0  3 0.4 0  4 0 0'/>"
                    "<UniformMass vertexMass='1'/><SpringForceField spring='0 1 9000 0 1  1 2 4000 0 1  2 3 7000 0 1  "
                    "3 4 2000 0 1'/><LinearSolverConstraintCorrection/><FixedLagrangianConstraint indices='0 1 2 3'/>"
                    "</Node></Node>",
                    1, "solver", DV_COMPAT_RESIDUAL_ROW);
  double most[2] = {0, 0};
  for (int i = 0; i < 2; i++)
    for (size_t k = 0; k < 12; k++)
      most[i] = fmax(
          most[i], fabs(check_value(b.mode[i], "chain/x", DV_X, k) - check_value(b.mode[i], "chain/x", DV_X_REST, k)));
  check_close(most[RIGHT], 0, 1e-8);
  if (!(most[SOFA] > 1e-5)) print_error("SOFA's iteration leaves points within %g\n", most[SOFA]);
  assert_true(most[SOFA] > 1e-5);
  close_both(&b);
}

// a body at its distance from a floor falls by h^2 g and is put back; without the time step only by h of that
static void unbuilt_step(void **state)
{
  DV_UNUSED(state);
  const double h = 0.05, fall = h * h * 10;
  Both b = open_both("<Node gravity='0 -10 0' dt='0.05'><FreeMotionAnimationLoop/><CollisionPipeline/>"
                     "<BruteForceBroadPhase/><BVHNarrowPhase/><MinProximityIntersection alarmDistance='0.2' "
                     "contactDistance='0.1'/><CollisionResponse response='FrictionContactConstraint' "
                     "responseParams='mu=0.2'/><LCPConstraintSolver name='solver' tolerance='1e-12' maxIt='100' "
                     "mu='0.2' build_lcp='0'/><Node name='body'><EulerImplicitSolver/><CGLinearSolver iterations='20' "
                     "tolerance='1e-20' threshold='1e-30'/><MechanicalObject name='x' position='1 0.1 -2'/>"
                     "<UniformMass totalMass='2'/><UncoupledConstraintCorrection defaultCompliance='0.5'/>"
                     "<PointCollisionModel/></Node><Node><MeshTopology position='-9 0 -9  9 0 9  9 0 -9' "
                     "triangles='0 1 2'/><MechanicalObject/><TriangleCollisionModel simulated='0' moving='0'/></Node>"
                     "</Node>",
                     "solver", DV_COMPAT_UNBUILT_STEP);
  step_both(&b, 1);
  compare(&b, "body/x", DV_X, 1, 0.1, 0.1 - (1 - h) * fall, 1e-12);
  close_both(&b);
}

// two states at rest: SOFA's m' = (m + sum) / 2 begins with the mean and grows
static void mean_adds(void **state)
{
  DV_UNUSED(state);
  Both b = run_both("<Node><MechanicalObject name='a' position='1 0 0'/><MechanicalObject name='b' position='3 0 0'/>"
                    "<MeanComputation name='mean'/></Node>",
                    1, "mean", DV_COMPAT_MEAN_ADDS);
  static const double expected[] = {2, 3};
  for (int i = 0; i < 2; i++) {
    const dvReals *mean = dv_object_field(check_find(b.mode[i], "mean"), "result")->value;
    check_close(mean->data[0], expected[i], 1e-15);
  }
  close_both(&b);
}

// names of the models that touch, pair by pair
static void check_order(const dvScene *s, const char *expected)
{
  dvText names = {0};
  dvTouch t;
  for (size_t i = 0; dv_scene_touch(s, i, &t); i++)
    dv_text_printf(&names, "%s%s ", t.model[0]->base.name, t.model[1]->base.name);
  assert_string_equal(names.text, expected);
  dv_text_free(&names);
}

#define BALL(name, x)                                                                           \
  "<Node name='" name "'><EulerImplicitSolver/><CGLinearSolver/><MechanicalObject position='" x \
  " 0 0'/><UniformMass totalMass='1e9'/><SphereCollisionModel name='" name "' radius='1'/></Node>"

// SOFA sorts pairs by the numbers of their models, which are those of the first comparison in a tree. D comes later and
// has the last number.
static void pair_order(void **state)
{
  DV_UNUSED(state);
  static const char text[] = PIPELINE("<MinProximityIntersection alarmDistance='0.2' contactDistance='0.1'/>")
      BALL("A", "0") BALL("B", "1") BALL("C", "0.5") "<Node name='D'><EulerExplicitSolver/><MechanicalObject "
                                                     "position='4 0 0' velocity='-100 0 0'/><UniformMass "
                                                     "totalMass='1e9'/><SphereCollisionModel name='D' radius='1'/>"
                                                     "</Node></Node>";
  static const char *const expected[] = {"BA CA CB ", "CA CB BA "}, *const later[] = {"BA CA CB DA DB DC ",
                                                                                      "CA CB BA DA DC DB "};
  Both b = open_both(text, "pipeline", DV_COMPAT_PAIR_ORDER);
  for (int mode = 0; mode < 2; mode++) {
    dvScene *s = b.mode[mode];
    check_steps(s, 1);
    check_order(s, expected[mode]);
    size_t length;
    void *memory = dv_snapshot_pack(s, &length);
    for (int again = 0; again < 2; again++) {   // the numbers of models are remembered
      check_steps(s, 3);
      check_order(s, later[mode]);
      assert_int_equal(dv_snapshot_unpack(s, memory, length, "memory"), DV_OK);
    }
    dv_free(memory);
  }
  close_both(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(line_sphere),
      cmocka_unit_test(first_corner),
      cmocka_unit_test(distance_steps),
      cmocka_unit_test(distance_stiffness),
      cmocka_unit_test(late_normals),
      cmocka_unit_test(augmented_sliding),
      cmocka_unit_test(precomputed_compliance),
      cmocka_unit_test(residual_row),
      cmocka_unit_test(unbuilt_step),
      cmocka_unit_test(mean_adds),
      cmocka_unit_test(pair_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
