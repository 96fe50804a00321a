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

static void a_warmed_step_allocates_nothing(void **state)
{
  DV_UNUSED(state);
  if (!COUNTING) skip();
  for (int threads = 1; threads <= 2; threads++) {
    dvScene *s = check_scene_file("scenes/liver.scn", threads);
    assert_true(calls > 100);   // the counter counts
    check_steps(s, 3);
    size_t before = calls;
    check_steps(s, 10);
    assert_int_equal(calls - before, 0);
    check_close_scene(&s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_warmed_step_allocates_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
