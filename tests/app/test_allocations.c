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
void *malloc(size_t n) { return __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED), __libc_malloc(n); }
void *calloc(size_t n, size_t m) { return __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED), __libc_calloc(n, m); }
void *realloc(void *p, size_t n) { return __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED), __libc_realloc(p, n); }
void *aligned_alloc(size_t a, size_t n) { return __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED), __libc_memalign(a, n); }
#endif

static void check_warmed(const char *path, int threads)
{
  dvScene *s = check_scene_file(path, threads);
  check_steps(s, 3);
  size_t before = calls;
  check_steps(s, 10);
  if (calls != before) fail_msg("%s allocates %zu times in ten steps", path, calls - before);
  check_close_scene(&s);
}

static void a_warmed_step_allocates_nothing(void **state)
{
  DV_UNUSED(state);
  if (!COUNTING) skip();
  for (int threads = 1; threads <= 2; threads++) {
    check_warmed("scenes/liver.scn", threads);
    assert_true(calls > 100);   // the counter counts
  }
}

static void warmed_solvers_allocate_nothing(void **state)
{
  DV_UNUSED(state);
  if (!COUNTING) skip();
  static const char *const names[] = {"SparseLDLSolver", "AsyncSparseLDLSolver", "EigenSparseLU", "PrecomputedLinearSolver", "BTDLinearSolver", "CholeskySolver",
                                      "SVDLinearSolver", "ParallelCGLinearSolver", "MinResLinearSolver", "BlockJacobiPreconditioner", "SSORPreconditioner",
                                      "IncompleteCholeskyPreconditioner", "RotationMatrixSystem", "PrecomputedWarpPreconditioner", "CompositeLinearSystem"};
  for (size_t i = 0; i < DV_COUNT(names); i++) {
    char *path = dv_format("scenes/%s.scn", names[i]);
    check_warmed(path, 1);
    dv_free(path);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_warmed_step_allocates_nothing), cmocka_unit_test(warmed_solvers_allocate_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
