// PetscLinearSolver in one process: answers beside those of the own direct solver, formats, options, what scenes may
// get wrong, and a program without PETSc.
#include "support/check.h"
#include "support/command.h"
#include "support/scene.h"

#include "base/file.h"
#include "distributed/engine.h"
#include "divan/divan.h"

#include <stdlib.h>
#include <string.h>

#define BAR(solver)                                                                                          \
  "<Node name='root' dt='0.02' gravity='0 -10 0'><EulerImplicitSolver rayleighStiffness='0.05'/>" solver     \
  "<RegularGridTopology name='grid' nx='4' ny='4' nz='10' xmin='0' xmax='0.3' ymin='0' ymax='0.3' zmin='0' " \
  "zmax='0.9'/>"                                                                                             \
  "<MechanicalObject name='dofs'/><UniformMass totalMass='80'/><FixedProjectiveConstraint indices='0-15'/>"  \
  "<HexahedronFEMForceField youngModulus='2e5' poissonRatio='0.3' method='large'/></Node>"

static bool is_there(void)
{
  dvText why = {0}, advice = {0};
  const bool there = dv_engine_get(&why, &advice) != NULL;
  dv_text_free(&why), dv_text_free(&advice);
  return there;
}

// positions after some steps; the caller frees them
static double *positions(const char *text, int steps, size_t *count)
{
  dvScene *scene = check_scene(text, 1);
  for (int i = 0; i < steps; i++) assert_int_equal(divan_step(scene, 0), DIVAN_OK);
  const double *x = divan_read(scene, "dofs", "position", count);
  double *copy = dv_alloc(*count * sizeof *copy);
  memcpy(copy, x, *count * sizeof *copy);
  check_close_scene(&scene);
  return copy;
}

static double farthest(const double *a, const double *b, size_t n)
{
  double most = 0;
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

static void answers_are_those_of_the_direct_solver(void **state)
{
  DV_UNUSED(state);
  if (!is_there()) skip();
  static const struct {
    const char *solver;
    double tolerance;
  } cases[] = {
      {"<PetscLinearSolver options='-ksp_type preonly -pc_type cholesky'/>", 1e-12},
      {"<PetscLinearSolver matrix='sbaij' options='-ksp_type preonly -pc_type cholesky'/>", 1e-12},
      {"<PetscLinearSolver matrix='baij' options='-ksp_type preonly -pc_type lu'/>", 1e-12},
      {"<PetscLinearSolver options='-ksp_type preonly -pc_type lu -pc_factor_mat_solver_type mumps'/>", 1e-12},
      {"<PetscLinearSolver options='-ksp_type cg -ksp_rtol 1e-12 -pc_type gamg'/>", 1e-9},
      {"<PetscLinearSolver options='-ksp_type cg -ksp_rtol 1e-12 -pc_type gamg' rigidModes='0'/>", 1e-9},
      {"<PetscLinearSolver options='-ksp_type cg -ksp_rtol 1e-12 -pc_type hypre'/>", 1e-9},
      {"<PetscLinearSolver matrix='baij' options='-ksp_type cg -ksp_rtol 1e-12 -pc_type bjacobi -sub_pc_type ilu'/>",
       1e-9},
      {"<PetscLinearSolver matrix='sbaij' options='-ksp_type cg -ksp_rtol 1e-12 -pc_type icc'/>", 1e-9},
      {"<PetscLinearSolver options='-ksp_type gmres -ksp_rtol 1e-12 -pc_type fieldsplit -pc_fieldsplit_block_size 3 "
       "-fieldsplit_ksp_type preonly -fieldsplit_pc_type lu'/>",
       1e-9},
      {"<PetscLinearSolver options='-ksp_type cg -ksp_rtol 1e-12 -pc_type jacobi -ksp_initial_guess_nonzero'/>", 1e-9},
  };
  size_t count, other;
  double *own = positions(BAR("<SparseLDLSolver template='CompressedRowSparseMatrixMat3x3'/>"), 5, &count);
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    char *text = dv_format("%s", BAR("@SOLVER@")), *at = strstr(text, "@SOLVER@");
    *at = 0;
    char *scene = dv_format("%s%s%s", text, cases[i].solver, at + strlen("@SOLVER@"));
    double *x = positions(scene, 5, &other);
    assert_int_equal(count, other);
    const double apart = farthest(own, x, count);
    if (!(apart <= cases[i].tolerance)) print_error("%s: %g apart\n", cases[i].solver, apart);
    assert_true(apart <= cases[i].tolerance);
    dv_free(text), dv_free(scene), dv_free(x);
  }
  dv_free(own);
}

// blocks of single numbers go over as they are: a chain of points on a line
static void single_numbers_need_no_copy(void **state)
{
  DV_UNUSED(state);
  if (!is_there()) skip();
#define CHAIN(solver)                                                                                              \
  "<Node name='root' dt='0.02' gravity='-10 0 0'><EulerImplicitSolver/>" solver                                    \
  "<MechanicalObject template='Vec1' name='dofs' position='0 1 2 3'/><UniformMass template='Vec1' totalMass='4'/>" \
  "<RestShapeSpringsForceField template='Vec1' stiffness='100' points='0 1 2 3'/></Node>"
  size_t count, other;
  double *own = positions(CHAIN("<SparseLDLSolver/>"), 20, &count),
         *x = positions(CHAIN("<PetscLinearSolver options='-ksp_type preonly -pc_type lu'/>"), 20, &other);
  assert_int_equal(count, 4);
  assert_int_equal(other, 4);
  check_close(farthest(own, x, 4), 0, 1e-13);
  dv_free(own), dv_free(x);
}

static void repeated_runs_have_the_same_bits(void **state)
{
  DV_UNUSED(state);
  if (!is_there()) skip();
  size_t count;
  const char *text = BAR("<PetscLinearSolver options='-ksp_type cg -ksp_rtol 1e-6 -pc_type gamg'/>");
  double *a = positions(text, 4, &count), *b = positions(text, 4, &count);
  assert_memory_equal(a, b, count * sizeof *a);
  dv_free(a), dv_free(b);
}

// multigrid that knows of rigid motions needs fewer iterations on a slender bar
static void rigid_motions_help(void **state)
{
  DV_UNUSED(state);
  if (!is_there()) skip();
  int iterations[2];
  for (int modes = 0; modes < 2; modes++) {
    char *text = dv_format(
        "<Node name='root' gravity='0 -10 0'><StaticSolver/><NewtonRaphsonSolver/>"
        "<PetscLinearSolver name='s' rigidModes='%d' options='-ksp_type cg -ksp_rtol 1e-8 -pc_type gamg'/>"
        "<RegularGridTopology nx='5' ny='5' nz='41' xmin='0' xmax='0.1' ymin='0' ymax='0.1' zmin='0' zmax='1'/>"
        "<MechanicalObject name='dofs'/><UniformMass totalMass='1'/><FixedProjectiveConstraint indices='0-24'/>"
        "<HexahedronFEMForceField youngModulus='1e7' poissonRatio='0.3' method='large'/></Node>",
        modes);
    dvScene *scene = check_scene(text, 1);
    assert_int_equal(divan_step(scene, 0), DIVAN_OK);
    char *number = divan_get(scene, "s", "iterations"), *reason = divan_get(scene, "s", "reason");
    iterations[modes] = atoi(number);
    assert_true(dv_starts_with(reason, "CONVERGED"));
    divan_free(number), divan_free(reason);
    check_close_scene(&scene);
    dv_free(text);
  }
  if (!(2 * iterations[1] < iterations[0]))
    print_error("%d iterations without rigid motions, %d with\n", iterations[0], iterations[1]);
  assert_true(2 * iterations[1] < iterations[0]);
}

static void bad_options_are_refused(void **state)
{
  DV_UNUSED(state);
  static const char *const cases[][2] = {
      {"-log_view :/tmp/x", "is no option that a scene may give"},
      {"-ksp_monitor ascii:/tmp/x", "would read or write files"},
      {"-ksp_view", "would read or write files"},
      {"-ksp_monitor draw", "would read or write files"},
      {"-pc_type python -pc_python_type x", "would read or write files"},
      {"-dll_append x", "is no option that a scene may give"},
      {"-options_file x", "is no option that a scene may give"},
      {"gamg", "belongs to no option"},
      {"-pc_type 'gamg", "hold quotes"},
      {"-pc_type gamg extra", "belongs to no option"},
  };
  char *directory = check_mkdir();
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    char *text = dv_format("<Node><EulerImplicitSolver/><PetscLinearSolver options=\"%s\"/><MechanicalObject "
                           "position='0 0 0'/><UniformMass totalMass='1'/></Node>",
                           cases[i][0]);
    dv_free(check_write(directory, "bad.scn", text));
    check_command(4, cases[i][1], "cd %s && %s run bad.scn -n 1", directory, DIVAN_BINARY);
    dv_free(text);
  }
  if (is_there()) {
    dv_free(check_write(directory, "none.scn",
                        "<Node><EulerImplicitSolver/><PetscLinearSolver options='-pc_type gemg'/><MechanicalObject "
                        "position='0 0 0'/><UniformMass totalMass='1'/></Node>"));
    check_command(4, "PETSc cannot take these options", "cd %s && %s run none.scn -n 1", directory, DIVAN_BINARY);
    dv_free(check_write(directory, "slip.scn",
                        "<Node><EulerImplicitSolver/><PetscLinearSolver options='-ksp_tpye cg'/><MechanicalObject "
                        "position='0 0 0'/><UniformMass totalMass='1'/></Node>"));
    check_command(0, "has not asked for these options: -ksp_tpye", "cd %s && %s run slip.scn -n 1", directory,
                  DIVAN_BINARY);
  }
  check_rmdir(directory);
}

static void a_solve_that_fails_is_told(void **state)
{
  DV_UNUSED(state);
  if (!is_there()) skip();
  char *directory = check_mkdir();
  // residuals may not be more than half of the first one, which is not so at the start
  dv_free(check_write(directory, "grows.scn", BAR("<PetscLinearSolver options='-ksp_type cg -ksp_divtol 0.5'/>")));
  check_command(5, "PETSc gave up after 0 iterations: DIVERGED_DTOL", "cd %s && %s run grows.scn -n 2", directory,
                DIVAN_BINARY);
  dv_free(check_write(directory, "few.scn",
                      BAR("<PetscLinearSolver options='-ksp_type cg -pc_type jacobi -ksp_max_it 2'/>")));
  check_command(0, "PETSc stopped after 2 iterations", "cd %s && %s run few.scn -n 2", directory, DIVAN_BINARY);
  check_rmdir(directory);
}

static void without_petsc_there_is_advice(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir();
  dv_free(check_write(directory, "bar.scn", BAR("<PetscLinearSolver/>")));
  dv_free(check_write(directory, "direct.scn", BAR("<PetscLinearSolver otherwise='direct'/>")));
  dv_free(check_write(directory, "own.scn", BAR("<SparseLDLSolver template='CompressedRowSparseMatrixMat3x3'/>")));
  check_command(4, "PETSc is not built in", "cd %s && DIVAN_PETSC_MODULE= %s run bar.scn -n 1", directory,
                DIVAN_BINARY);
  check_command(4, "tools/setup petsc", "cd %s && DIVAN_PETSC_MODULE= %s run bar.scn -n 1", directory, DIVAN_BINARY);
  check_command(4, "PETSc cannot be loaded", "cd %s && DIVAN_PETSC_MODULE=/nowhere.so %s run bar.scn -n 1", directory,
                DIVAN_BINARY);
  check_command(4, "--distributed: PETSc is not built in",
                "cd %s && DIVAN_PETSC_MODULE= %s run bar.scn -n 1 --distributed", directory, DIVAN_BINARY);
  check_command(
      0, NULL,
      "cd %s && DIVAN_PETSC_MODULE= %s run direct.scn -n 3 --dump-state a && %s run own.scn -n 3 --dump-state "
      "b && cmp a/0_dofs.txt b/0_dofs.txt",
      directory, DIVAN_BINARY, DIVAN_BINARY);
  check_rmdir(directory);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(answers_are_those_of_the_direct_solver),
                                     cmocka_unit_test(single_numbers_need_no_copy),
                                     cmocka_unit_test(repeated_runs_have_the_same_bits),
                                     cmocka_unit_test(rigid_motions_help),
                                     cmocka_unit_test(bad_options_are_refused),
                                     cmocka_unit_test(a_solve_that_fails_is_told),
                                     cmocka_unit_test(without_petsc_there_is_advice)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
