// Factors that are computed beside the steps: the same results in every run, whatever the threads do; and without waiting, in real time.
#include "support/check.h"
#include "support/scene.h"

#include "linear/iterative.h"

#define BEAM                                                                                                                 \
  "<Node gravity='0 -10 0' dt='0.02'><DefaultAnimationLoop/><EulerImplicitSolver rayleighStiffness='0.1' rayleighMass='0.1'/>" \
  "<RegularGridTopology n='4 4 14' min='0 0 0' max='3 3 13'/><MechanicalObject name='mo'/><UniformMass totalMass='320'/>"     \
  "<HexahedronFEMForceField youngModulus='4000' poissonRatio='0.3' method='large'/><FixedProjectiveConstraint indices='0-15'/>"

static const char *const scenes[] = {
    BEAM "<AsyncSparseLDLSolver/></Node>",
    BEAM "<AsyncSparseLDLSolver adoptAfter='1'/></Node>",
    BEAM "<PreconditionedMatrixFreeSystem/><PCGLinearSolver name='cg' iterations='1000' tolerance='1e-20' preconditioner='@warp'/>"
         "<AsyncSparseLDLSolver name='direct' adoptAfter='3'/><RotationMatrixSystem assemblingRate='2'/><WarpPreconditioner name='warp' linearSolver='@direct'/></Node>",
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
  for (int k = 0; k < 3; k++) {
    dvScene *s = check_scene(k == 0 ? BEAM "<SparseLDLSolver/></Node>" : scenes[2], 2);
    s->context->realtime = k == 2;
    check_steps(s, 30);
    dvState *mo = dv_state(check_find(s, "mo"));
    const double *x = dv_state_read(mo, DV_X);
    if (k == 0) {
      n = mo->count * 3;
      reference = dv_alloc(n * sizeof *reference);
      memcpy(reference, x, n * sizeof *reference);
    }
    for (size_t i = 0; i < n; i++) check_close(x[i], reference[i], 1e-7);
    if (k > 0) assert_true(((const dvIterative *)check_find(s, "cg"))->done < 40);   // 3 to 20, by the age of the factor
    check_close_scene(&s);
  }
  dv_free(reference);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_same_in_every_run), cmocka_unit_test(real_time_is_right_too)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
