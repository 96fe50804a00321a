// A warmed step allocates nothing: the C library's allocator is wrapped and counts.
#include "support/check.h"
#include "support/scene.h"

#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define COUNTING 0
static size_t calls;
#else
#define COUNTING 1
static size_t calls;
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t m);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t a, size_t n);
#pragma GCC visibility push(default)   // for libraries too
void *malloc(size_t n) { return __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED), __libc_malloc(n); }
void *calloc(size_t n, size_t m) { return __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED), __libc_calloc(n, m); }
void *realloc(void *p, size_t n) { return __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED), __libc_realloc(p, n); }
void *aligned_alloc(size_t a, size_t n) { return __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED), __libc_memalign(a, n); }
#pragma GCC visibility pop
#endif

static void check_scene_allocates_nothing(const char *path, int threads)
{
  dvScene *s = check_scene_file(path, threads);
  assert_true(calls > 100);   // the counter counts
  check_steps(s, 3);
  size_t before = calls;
  check_steps(s, 10);
  if (calls != before) print_error("%s\n", path);
  assert_int_equal(calls - before, 0);
  check_close_scene(&s);
}

static void a_warmed_step_allocates_nothing(void **state)
{
  DV_UNUSED(state);
  if (!COUNTING) skip();
  for (int threads = 1; threads <= 2; threads++) check_scene_allocates_nothing("scenes/liver.scn", threads);
}

static void no_integrator_or_loop_allocates(void **state)
{
  DV_UNUSED(state);
  if (!COUNTING) skip();
  const char *scenes[] = {"RungeKutta4Solver", "CentralDifferenceSolver", "DampVelocitySolver", "NewmarkImplicitSolver", "BDFOdeSolver", "VariationalSymplecticSolver",
                          "StaticSolver", "QuasiDynamicSolver", "MultiStepAnimationLoop", "MultiTagAnimationLoop", "FreeMotionAnimationLoop"};
  for (size_t i = 0; i < DV_COUNT(scenes); i++) {
    char *path = dv_format("scenes/%s.scn", scenes[i]);
    check_scene_allocates_nothing(path, 1);
    dv_free(path);
  }
}

static void no_linear_solver_allocates(void **state)
{
  DV_UNUSED(state);
  if (!COUNTING) skip();
  static const char *const names[] = {"SparseLDLSolver", "AsyncSparseLDLSolver", "EigenSparseLU", "PrecomputedLinearSolver", "BTDLinearSolver", "CholeskySolver",
                                      "SVDLinearSolver", "ParallelCGLinearSolver", "MinResLinearSolver", "BlockJacobiPreconditioner", "SSORPreconditioner",
                                      "IncompleteCholeskyPreconditioner", "RotationMatrixSystem", "PrecomputedWarpPreconditioner", "CompositeLinearSystem"};
  for (size_t i = 0; i < DV_COUNT(names); i++) {
    char *path = dv_format("scenes/%s.scn", names[i]);
    check_scene_allocates_nothing(path, 1);
    dv_free(path);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_warmed_step_allocates_nothing), cmocka_unit_test(no_integrator_or_loop_allocates),
                                     cmocka_unit_test(no_linear_solver_allocates)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
