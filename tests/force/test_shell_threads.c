// TriangularShellForceField: the same bits for any number of threads.
#include "app/divan.h"
#include "io/scene/scene_file.h"
#include "scene/node.h"
#include "state/state.h"
#include "support/check.h"
#include "support/scene.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = 24 };   // cells a side: three blocks of triangles

static char *sheet(void)
{
  dvText t = {0};
  dv_text_add(&t, "<Node gravity='0 0 -10' dt='0.01'><EulerImplicitSolver/><CGLinearSolver "
                  "iterations='20'/><MeshTopology triangles='");
  for (int i = 0; i < SIDE * SIDE; i++) {
    int a = i / SIDE * (SIDE + 1) + i % SIDE;
    dv_text_printf(&t, "%d %d %d %d %d %d ", a, a + 1, a + SIDE + 2, a, a + SIDE + 2, a + SIDE + 1);
  }
  dv_text_add(&t, "'/><MechanicalObject name='dofs' template='Rigid3' position='");
  for (int i = 0; i < (SIDE + 1) * (SIDE + 1); i++)
    dv_text_printf(&t, "%g %g %g 0 0 0 1 ", 0.1 * (i % (SIDE + 1)), 0.1 * (i / (SIDE + 1)), 0.01 * (i % 7));
  dv_text_add(&t, "'/><UniformMass totalMass='1'/><FixedProjectiveConstraint indices='0 1 2 3 4'/>"
                  "<TriangularShellForceField youngModulus='1e4' poissonRatio='0.3' thickness='0.02'/></Node>");
  return t.text;
}

static double *after_steps(const char *text, int threads, size_t *count)
{
  dvContext *context = dv_divan_create(threads);
  dvScene *scene = NULL;
  assert_int_equal(dv_scene_parse(context, "sheet", text, strlen(text), &scene), DV_OK);
  assert_int_equal(dv_scene_init(scene), DV_OK);
  for (int i = 0; i < 3; i++) assert_int_equal(dv_scene_step(scene, 0), DV_OK);
  dvState *s = dv_state(check_find(scene, "dofs"));
  *count = 7 * s->count;
  double *x = malloc(*count * sizeof *x);
  memcpy(x, dv_state_read(s, DV_X), *count * sizeof *x);
  dv_scene_destroy(&scene);
  dv_divan_destroy(&context);
  return x;
}

static void threads_do_not_matter(void **state)
{
  DV_UNUSED(state);
  char *text = sheet();
  size_t count;
  double *one = after_steps(text, 1, &count);
  for (int threads = 2; threads <= 3; threads++) {
    double *other = after_steps(text, threads, &count);
    assert_memory_equal(one, other, count * sizeof *one);
    free(other);
  }
  double lowest = 0;
  for (size_t i = 2; i < count; i += 7) lowest = fmin(lowest, one[i]);
  assert_true(lowest < -1e-3);   // it does fall
  free(one);
  dv_free(text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(threads_do_not_matter)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
