// A scene in both modes of compat, for the tests of SOFA's mistakes.
#ifndef DV_TESTS_APP_BOTH_H
#define DV_TESTS_APP_BOTH_H

#include "support/check.h"
#include "support/fd.h"
#include "support/scene.h"

#include "object/compat.h"

enum { RIGHT, SOFA };

typedef struct Both {
  dvScene *mode[2];
} Both;

// Opens a scene twice and looks whether the component at `path` knows that the case concerns it.
static inline Both open_both(const char *text, const char *path, dvCompatId id)
{
  Both b = {{check_scene(text, 1), check_scene_as_sofa(text, 1)}};
  for (int i = 0; i < 2; i++) {
    const dvObject *o = check_find(b.mode[i], path);
    assert_int_equal(o->as_sofa, i == SOFA);
    if (!dv_compat_touched(o, id)) print_error("%s is not concerned by %s\n", path, dv_compat_cases[id].name);
    assert_true(dv_compat_touched(o, id));
  }
  return b;
}

static inline void close_both(Both *b)
{
  for (int i = 0; i < 2; i++) check_close_scene(&b->mode[i]);
}

static inline void step_both(Both *b, int steps)
{
  for (int i = 0; i < 2; i++) check_steps(b->mode[i], steps);
}

// a number of a state in both modes
static inline void compare(const Both *b, const char *path, int id, size_t scalar, double right, double sofa,
                           double tolerance)
{
  check_close(check_value(b->mode[RIGHT], path, id, scalar), right, tolerance);
  check_close(check_value(b->mode[SOFA], path, id, scalar), sofa, tolerance);
}

// the force of the component "ff" on the state "mo"
static inline const double *force_of(const Both *b, int mode)
{
  return fd_force_on(check_find(b->mode[mode], "ff"), check_find(b->mode[mode], "mo"));
}

static inline double kinetic_of(const Both *b, int mode, const char *mass)
{
  dvObject *m = check_find(b->mode[mode], mass);
  return ((const dvMassOps *)dv_ops(m, DV_ROLE_MASS))->kinetic(m, DV_V);
}

#endif
