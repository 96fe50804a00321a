// Solvers of Lagrangian constraints: all find the multipliers of a dense solution, with limits those of Gauss-Seidel;
// what they show of it; the older loop; what is written to files.
#include "constraint/lagrangian/solver.h"
#include "support/check.h"
#include "support/fd.h"
#include "support/scene.h"

#include "math/dense.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const solvers[] = {"BlockGaussSeidelConstraintSolver",
                                      "UnbuiltGaussSeidelConstraintSolver",
                                      "NNCGConstraintSolver",
                                      "ImprovedJacobiConstraintSolver useConjugateResidue='1'",
                                      "ImprovedJacobiConstraintSolver",
                                      "PreconditionedConjugateResidual"};

// two rods on a wall and a point on a wire between their ends: `limit` turns the second hinge into its stop
static dvScene *open_rods(const char *solver, const char *more, bool limits, int threads)
{
  char *text =
      dv_format("<Node dt='0.01' gravity='0 -10 0'><FreeMotionAnimationLoop/><%s name='solver' tolerance='1e-12' "
                "scaleTolerance='0' "
                "maxIterations='20000' computeConstraintForces='1' %s/>"
                "<Node name='r'><EulerImplicitSolver/><SparseLDLSolver/><MechanicalObject template='Rigid3' name='d' "
                "position='0 0 0 0 0 0 1 0.5 0 0 0 0 0 1 1.5 0 0 0 0 0 1'/><UniformMass vertexMass='1 1 0.1 0 0 0 0.1 "
                "0 0 0 0.1'/>"
                "<FixedProjectiveConstraint indices='0'/><LinearSolverConstraintCorrection/>"
                "<JointLagrangianConstraint iterative='1' first_point='0 1' second_point='1 2' anchor='0 0 0 1 0 0' "
                "axis='0 0 1'%s/>"
                "</Node></Node>",
                solver, more, limits ? " limits='-0.02 0.1'" : "");
  dvScene *s = check_scene(text, threads);
  dv_free(text);
  return s;
}

static dvConstraintProblem *problem_of(dvScene *s)
{
  dvObject *o = check_find(s, "solver");
  return ((const dvConstraintSolverOps *)dv_ops(o, DV_ROLE_CONSTRAINT_SOLVER))->problem(o);
}

// equalities: W lambda = -d_free
static void beside_dense_solution(void **state)
{
  DV_UNUSED(state);
  for (size_t k = 0; k < DV_COUNT(solvers); k++) {
    uint64_t hash = 0;
    for (int threads = 1; threads <= 3; threads++) {
      dvScene *s = open_rods(solvers[k], "", false, threads);
      check_steps(s, 30);
      dvConstraintProblem *p = problem_of(s);
      assert_int_equal(p->rows, 10);
      double w[100], x[10], largest = 0;
      size_t bad;
      memcpy(w, p->w.data, sizeof w);
      for (size_t i = 0; i < 10; i++) x[i] = -p->violation.data[i];
      assert_true(dv_dense_cholesky(w, 10, &bad));
      dv_dense_cholesky_solve(w, 10, x);
      for (size_t i = 0; i < 10; i++) largest = fmax(largest, fabs(x[i]));
      for (size_t i = 0; i < 10; i++) check_close(p->lambda.data[i], x[i], 1e-6 * largest);
      const dvReals *shown = dv_object_field(check_find(s, "solver"), "constraintForces")->value;
      assert_int_equal(shown->count, 10);
      check_close(shown->data[1], p->lambda.data[1], 0);
      if (threads == 1) hash = dv_scene_hash(s);
      assert_true(hash == dv_scene_hash(s));
      check_close_scene(&s);
    }
  }
}

// inequalities: complementarity, and the multipliers of Gauss-Seidel
static void with_limits(void **state)
{
  DV_UNUSED(state);
  double wanted[14];
  for (size_t k = 0; k + 1 < DV_COUNT(solvers); k++) {
    dvScene *s = open_rods(solvers[k], "", true, 1);
    check_steps(s, 40);
    dvConstraintProblem *p = problem_of(s);
    assert_int_equal(p->rows, 14);
    for (size_t i = 0; i < p->laws.count; i++) {
      const dvProblemLaw *l = &p->laws.data[i];
      double d[DV_LAW_ROWS];
      dv_problem_violation(p, l, d);
      if (l->law.kind == DV_LAW_EQUAL)
        for (int r = 0; r < l->law.rows; r++) check_close(d[r], 0, 1e-9);
      else {
        assert_true(p->lambda.data[l->first] >= 0 && d[0] > -1e-9);
        check_close(p->lambda.data[l->first] * d[0], 0, 1e-9);
      }
    }
    for (size_t i = 0; i < 14; i++)
      if (k == 0) wanted[i] = p->lambda.data[i];
      else check_close(p->lambda.data[i], wanted[i], 1e-5);
    assert_true(p->lambda.data[10] > 0.01);   // the first hinge stands at its stop
    check_close_scene(&s);
  }
}

// errors, multipliers and violations of every iteration
static void shows_graphs(void **state)
{
  DV_UNUSED(state);
  dvScene *s = open_rods("BlockGaussSeidelConstraintSolver", "computeGraphs='1'", false, 1);
  check_steps(s, 2);
  dvObject *o = check_find(s, "solver");
  size_t iterations = (size_t) * (const int32_t *)dv_object_field(o, "currentIterations")->value;
  assert_true(iterations > 2);
  assert_int_equal(((const dvReals *)dv_object_field(o, "graphErrors")->value)->count, iterations);
  assert_int_equal(((const dvReals *)dv_object_field(o, "graphForces")->value)->count, 10 * iterations);
  const dvReals *violations = dv_object_field(o, "graphViolations")->value;
  assert_int_equal(violations->count, 10 * iterations);
  for (size_t i = 0; i < 10; i++) check_close(violations->data[10 * (iterations - 1) + i], 0, 1e-10);
  const dvReals *errors = dv_object_field(o, "graphErrors")->value,
                *each = dv_object_field(o, "graphConstraints")->value;
  assert_int_equal(each->count, 2);
  check_close(each->data[0] + each->data[1], errors->data[iterations - 1], 1e-20);
  check_close(*(const double *)dv_object_field(o, "currentError")->value, errors->data[iterations - 1], 0);
  check_close_scene(&s);
}

// the older loop ends where the newer one does, where the integrator's free positions are the same
static void older_loop(void **state)
{
  DV_UNUSED(state);
  static const char body[] =
      "<Node name='b'><EulerImplicitSolver/><SparseLDLSolver/><RegularGridTopology n='4 2 2' min='0 0 0' "
      "max='3 1 1'/><MechanicalObject name='d'/><UniformMass totalMass='2'/><HexahedronFEMForceField "
      "youngModulus='4000' poissonRatio='0.3'/><FixedLagrangianConstraint indices='0 4 8 12'/>"
      "<LinearSolverConstraintCorrection/></Node></Node>";
  double end[2];
  for (int older = 0; older < 2; older++) {
    char *text = dv_format("<Node dt='0.01' gravity='0 -10 0'>%s%s",
                           older ? "<ConstraintAnimationLoop tolerance='1e-13' maxIterations='20000'/>"
                                 : "<FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver tolerance='1e-13' "
                                   "maxIterations='20000'/>",
                           body);
    dvScene *s = check_scene(text, 1);
    dv_free(text);
    check_steps(s, 40);
    end[older] = check_value(s, "b/d", DV_X, 3 * 15 + 1);
    check_close_scene(&s);
  }
  assert_true(end[0] < 0.95);
  check_close(end[1], end[0], 1e-8);
}

// a held weight: W = h / m, lambda = m g h, H = 1
static void writes_files(void **state)
{
  DV_UNUSED(state);
  char folder[] = "/tmp/divan_compliance_XXXXXX";
  assert_non_null(mkdtemp(folder));
  char *text =
      dv_format("<Node dt='0.01' gravity='0 -10 0'><FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver "
                "tolerance='1e-12'/><ComplianceMatrixExporter filename='%s/W' format='csv' exportAtBegin='1'/>"
                "<ComplianceMatrixExporter filename='%s/l' matrix='lambda' exportAtBegin='1'/>"
                "<ComplianceMatrixExporter filename='%s/H' matrix='H' exportAtBegin='1'/>"
                "<ComplianceMatrixImage filename='%s/W' exportAtBegin='1'/>"
                "<EulerImplicitSolver/><SparseLDLSolver/><MechanicalObject position='0 0 0'/><UniformMass "
                "totalMass='4'/><FixedLagrangianConstraint indices='0'/><LinearSolverConstraintCorrection/></Node>",
                folder, folder, folder, folder);
  dvScene *s = check_scene(text, 1);
  dv_free(text);
  check_steps(s, 1);
  check_close_scene(&s);
  static const char *const names[] = {"W.csv", "l.txt", "H.txt", "W.pgm"};
  static const char *const wanted[] = {"0.0025,0,0\n0,0.0025,0\n0,0,0.0025\n", "0\n0.4\n0\n", "1 0 0\n0 1 0\n0 0 1\n",
                                       "P5\n3 3\n255\n"};
  for (int i = 0; i < 4; i++) {
    char *path = dv_format("%s/%s", folder, names[i]), got[100] = {0};
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t read = fread(got, 1, sizeof got - 1, f);
    fclose(f);
    assert_true(read >= strlen(wanted[i]));
    assert_memory_equal(got, wanted[i], strlen(wanted[i]));
    remove(path);
    dv_free(path);
  }
  rmdir(folder);
  assert_true(fd_fails("<Node><ComplianceMatrixExporter/></Node>"));
}

// A weight on a string whose length a constraint keeps: the multiplier of the last step, T = m g, makes the string
// resist sideways, with m g / l in the matrix of the free motion: (m + h^2 m g / l) v' = m v.
static void multipliers_bend_mappings(void **state)
{
  DV_UNUSED(state);
  const double g = 10, l = 2, h = 0.01, v = 1e-6;
  static const char *const bodies[] = {"<SparseLDLSolver/><GenericConstraintCorrection/>",
                                       "<CGLinearSolver iterations='50' tolerance='1e-14' threshold='1e-30'/>"
                                       "<UncoupledConstraintCorrection defaultCompliance='0.3333333333333333'/>"};
  for (size_t i = 0; i < DV_COUNT(bodies); i++) {
    char *text = dv_format(
        "<Node dt='0.01' gravity='0 -10 0'><FreeMotionAnimationLoop solveVelocityConstraintFirst='1'/>"
        "<BlockGaussSeidelConstraintSolver tolerance='1e-14'/><Node name='string'><EulerImplicitSolver "
        "rayleighMass='0' rayleighStiffness='0'/>%s<MechanicalObject name='x' position='0 0 0  0 -2 0'/>"
        "<UniformMass vertexMass='3'/><EdgeSetTopologyContainer name='edges' edges='0 1'/>"
        "<FixedProjectiveConstraint indices='0'/><Node><MechanicalObject name='l' template='Vec1'/>"
        "<DistanceMapping topology='@../edges'/><UniformLagrangianConstraint template='Vec1' iterative='0'/></Node>"
        "</Node></Node>",
        bodies[i]);
    dvScene *s = check_scene(text, 1);
    check_steps(s, 1);
    dv_state_write(dv_state(check_find(s, "string/x")), DV_V)[3] = v;   // pushed aside, once it is taut
    check_steps(s, 1);
    double bent = h * h * g / l;
    check_close(check_value(s, "string/x", DV_V, 3), v / (1 + bent), 1e-6 * v * bent);
    check_close_scene(&s);
    dv_free(text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(beside_dense_solution),
                                     cmocka_unit_test(with_limits),
                                     cmocka_unit_test(shows_graphs),
                                     cmocka_unit_test(older_loop),
                                     cmocka_unit_test(multipliers_bend_mappings),
                                     cmocka_unit_test(writes_files)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
