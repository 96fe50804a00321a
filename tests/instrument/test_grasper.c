// The grasper of scenes/: it picks up a soft cube, holds it against 1 N and lets it go.
#include "support/check.h"
#include "support/scene.h"

static double height(dvScene *s)
{
  const dvState *cube = dv_state(check_find(s, "Cube/points"));
  const double *x = dv_state_read(cube, DV_X);
  double sum = 0;
  for (size_t i = 0; i < cube->count; i++) sum += x[3 * i + 1];
  return sum / (double)cube->count;
}

static void picks_up_holds_and_lets_go(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene_file("scenes/instrument/grasper.scn", 2);
  check_steps(s, 380);
  double low = height(s);
  check_close(low, 0.0105, 0.0005);
  check_steps(s, 340);   // lifted by as much as the wrist has gone, 50 mm
  check_close(height(s) - low, 0.05, 0.001);
  check_steps(s, 130);   // 1 N pulls
  double held = height(s);
  check_steps(s, 140);
  check_close(height(s), held, 1e-4);
  check_steps(s, 230);   // open
  check_close(height(s), low, 0.0005);
  check_close_scene(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(picks_up_holds_and_lets_go)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
