// What the tests share: cmocka with its headers in order, and comparisons that print both numbers.
#ifndef DV_TESTS_CHECK_H
#define DV_TESTS_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <math.h>

// fails with both numbers when |a - b| > tolerance
#define check_close(a, b, tolerance)                                                                    \
  do {                                                                                                  \
    double check_a_ = (a), check_b_ = (b), check_t_ = (tolerance);                                      \
    if (!(fabs(check_a_ - check_b_) <= check_t_)) {                                                     \
      print_error("%s = %.17g, %s = %.17g, differ by %.3g, allowed %.3g\n", #a, check_a_, #b, check_b_, \
                  fabs(check_a_ - check_b_), check_t_);                                                 \
      fail();                                                                                           \
    }                                                                                                   \
  } while (0)

// Visits the scene files of a folder of the source tree and of those below it, in the order of their names; returns
// their number. With DIVAN_TEST_SCENE only those whose path has that word.
int check_each_scene(const char *folder, void (*visit)(const char *path, void *user), void *user);
// the same, but every fifth only under checks of memory: for what walks a scene several times
int check_some_scenes(const char *folder, void (*visit)(const char *path, void *user), void *user);

// First line of a test of a long motion, whose lines of code others run too: skips it under checks of memory.
#ifdef DV_CHECKING
#define CHECK_LONG_MOTION() skip()
#else
#define CHECK_LONG_MOTION() ((void)0)
#endif
// A scratch directory of the test's own; the caller frees the name. Removed by check_rmdir.
char *check_mkdir(void);
void check_rmdir(char *directory);
// Writes a file of a scratch directory and returns its path; the caller frees it.
char *check_write(const char *directory, const char *name, const char *content);

#endif
