// Factors that are computed beside the steps: the same results in every run, whatever the threads do; and without
// waiting, in real time.
#include "support/check.h"
#include "support/scene.h"

#include "linear/iterative/iterative.h"

#define BEAM                                                                                                    \
  "<Node gravity='0 -10 0' dt='0.02'><DefaultAnimationLoop/><EulerImplicitSolver rayleighStiffness='0.1' "      \
  "rayleighMass='0.1'/>"                                                                                        \
  "<RegularGridTopology n='4 4 14' min='0 0 0' max='3 3 13'/><MechanicalObject name='mo'/><UniformMass "        \
  "totalMass='320'/>"                                                                                           \
  "<HexahedronFEMForceField youngModulus='4000' poissonRatio='0.3' method='large'/><FixedProjectiveConstraint " \
  "indices='0-15'/>"

static const char *const scenes[] = {
    BEAM "<AsyncSparseLDLSolver/></Node>",
    BEAM "<AsyncSparseLDLSolver adoptAfter='1'/></Node>",
    BEAM "<PreconditionedMatrixFreeSystem/><PCGLinearSolver name='cg' iterations='1000' tolerance='1e-20' "
         "preconditioner='@warp'/>"
         "<AsyncSparseLDLSolver name='direct' adoptAfter='3'/><RotationMatrixSystem assemblingRate='2' "
         "rotations='points'/><WarpPreconditioner name='warp' linearSolver='@direct'/></Node>",
    BEAM "<PreconditionedMatrixFreeSystem/><PCGLinearSolver name='cg' iterations='1000' tolerance='1e-20' "
         "preconditioner='@warp'/>"
         "<AsyncSparseLDLSolver name='direct' adoptAfter='3'/><RotationMatrixSystem "
         "assemblingRate='2'/><WarpPreconditioner name='warp' linearSolver='@direct'/></Node>",
};

static uint64_t run(const char *text, int threads, bool realtime, int steps)
{
  dvScene *s = check_scene(text, threads);
  s->context->realtime = realtime;
  check_steps(s, steps);
  uint64_t hash = dv_scene_hash(s);
  check_close_scene(&s);
  return hash;
}

static void the_same_in_every_run(void **state)
{
  DV_UNUSED(state);
  for (size_t i = 0; i < DV_COUNT(scenes); i++) {
    uint64_t one = run(scenes[i], 1, false, 20);
    assert_true(run(scenes[i], 1, false, 20) == one);
    assert_true(run(scenes[i], 2, false, 20) == one);
    assert_true(run(scenes[i], 3, false, 20) == one);
  }
}

// what a preconditioner does not change is the solution: positions agree with those of a direct solver
static void real_time_is_right_too(void **state)
{
  DV_UNUSED(state);
  double *reference = NULL;
  size_t n = 0;
  for (int k = 0; k < 5; k++) {
    dvScene *s =
        check_scene(k == 0 ? BEAM "<SparseLDLSolver/></Node>" : scenes[2 + k / 3], 2);   // with both kinds of rotations
    s->context->realtime = k % 2 == 0 && k > 0;
    check_steps(s, 30);
    dvState *mo = dv_state(check_find(s, "mo"));
    const double *x = dv_state_read(mo, DV_X);
    if (k == 0) {
      n = mo->count * 3;
      reference = dv_alloc(n * sizeof *reference);
      memcpy(reference, x, n * sizeof *reference);
    }
    for (size_t i = 0; i < n; i++) check_close(x[i], reference[i], 1e-7);
    if (k > 0)
      assert_true(((const dvIterative *)check_find(s, "cg"))->done < 40);   // 3 to 20, by the age of the factor
    check_close_scene(&s);
  }
  dv_free(reference);
}

// A bar that swings, soft and stiff layers in turns: the factor in use is 4 to 12 steps old, and the next matrix is
// built in the step that adopts it. The rotations must be those since its own matrix, and follow the stiff layers; with
// others it takes a hundred iterations and more.
static void few_iterations_with_an_old_factor(void **state)
{
  DV_UNUSED(state);
  dvText text = {0};
  dv_text_add(
      &text,
      "<Node dt='0.01' gravity='0 -9.81 "
      "0'><DefaultAnimationLoop/><EulerImplicitSolver/><PreconditionedMatrixFreeSystem/>"
      "<PCGLinearSolver name='cg' iterations='500' tolerance='1e-10' preconditioner='@warp'/><AsyncSparseLDLSolver "
      "name='direct' adoptAfter='8'/>"
      "<RotationMatrixSystem assemblingRate='4' rotations='points'/><WarpPreconditioner name='warp' "
      "linearSolver='@direct'/>"
      "<RegularGridTopology n='4 4 21' min='0 0 0' max='0.3 0.3 2'/><MechanicalObject/><UniformMass totalMass='2'/>"
      "<TetrahedronFEMForceField method='large' poissonRatio='0.4' youngModulus='");
  for (int cell = 0; cell < 3 * 3 * 20; cell++)
    for (int t = 0; t < 6; t++) dv_text_add(&text, cell / 9 % 2 ? "1e8 " : "1e4 ");
  dv_text_add(&text, "'/><FixedProjectiveConstraint indices='0-15'/></Node>");
  dvScene *s = check_scene(text.text, 1);
  const dvIterative *cg = (const dvIterative *)check_find(s, "cg");
  int most = 0;
  for (int i = 0; i < 80; i++) {
    check_steps(s, 1);
    most = dv_max_int(most, cg->done);
  }
  print_message("%d iterations at most\n", most);
  assert_true(most <= 12);
  check_close_scene(&s);
  dv_text_free(&text);
}

// Matrices of elements are summed while the step is solved; by the thread or by the step, whoever comes first.
static void elements_are_summed_beside_the_solution(void **state)
{
  static const char *const forces[] = {
      "<HexahedronFEMForceField youngModulus='4000' poissonRatio='0.3' method='polar'/>",
      "<HexahedronFEMForceField topology='@grid' youngModulus='2000' poissonRatio='0.3'/><TetrahedronFEMForceField "
      "youngModulus='2000' poissonRatio='0.3' method='large'/>",
      "<TetrahedronFEMForceField youngModulus='4000' poissonRatio='0.3' method='small'/>",
      "<TetrahedronFEMForceField youngModulus='4000' poissonRatio='0.3' method='svd'/>",
      "<TetrahedronHyperelasticityFEMForceField materialName='StVenantKirchhoff' ParameterSet='1500 2300'/>",
      "<TetrahedralCorotationalFEMForceField youngModulus='4000' poissonRatio='0.3'/>",
      "<CorotationalFEMForceField youngModulus='4000' poissonRatio='0.3'/>",
      "<TetrahedronTLEDForceField youngModulus='4000' poissonRatio='0.3'/>",
  };
  DV_UNUSED(state);
  for (size_t i = 0; i < DV_COUNT(forces); i++) {
    char *text =
        dv_format("<Node gravity='0 -10 0' dt='0.02'><DefaultAnimationLoop/><EulerImplicitSolver "
                  "rayleighStiffness='0.1' rayleighMass='0.1'/>"
                  "<RegularGridTopology name='grid' n='4 4 9' min='0 0 0' max='3 3 8'/>%s<MechanicalObject "
                  "position='@grid.position'/>"
                  "<UniformMass totalMass='320'/>%s<FixedProjectiveConstraint indices='0-15'/>"
                  "<PreconditionedMatrixFreeSystem/><PCGLinearSolver iterations='200' tolerance='1e-12' "
                  "preconditioner='@direct'/>"
                  "<AsyncSparseLDLSolver name='direct' adoptAfter='1'/></Node>",
                  strstr(forces[i], "Tetrahed") ? "<TetrahedronSetTopologyContainer position='@grid.position' "
                                                  "name='tetra'/><TetrahedronSetTopologyModifier/>"
                                                  "<Hexa2TetraTopologicalMapping input='@grid' output='@tetra'/>"
                                                : "",
                  forces[i]);
    uint64_t one = run(text, 1, false, 8);
    assert_true(run(text, 1, false, 8) == one);
    assert_true(run(text, 2, false, 8) == one);
    run(text, 2, true, 8);
    dv_free(text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_same_in_every_run), cmocka_unit_test(real_time_is_right_too),
                                     cmocka_unit_test(few_iterations_with_an_old_factor),
                                     cmocka_unit_test(elements_are_summed_beside_the_solution)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
