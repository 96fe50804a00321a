// Counts what is asked of the C library's allocator, which is wrapped: for tests that nothing is. Include it in one
// file of a test only.
#ifndef DV_TESTS_COUNT_H
#define DV_TESTS_COUNT_H

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
void *aligned_alloc(size_t a, size_t n)
{
  return __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED), __libc_memalign(a, n);
}
#pragma GCC visibility pop
#endif

// Blocks that were asked for up to now; does not move where allocations cannot be counted (COUNTING is 0).
static size_t check_allocations(void) { return __atomic_load_n(&calls, __ATOMIC_RELAXED); }

#endif
