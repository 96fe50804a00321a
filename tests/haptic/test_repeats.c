// In lock step results repeat: with any number of threads, after a reset, and from a snapshot.
#include "wall.h"

static char *scene_text(void)
{
  Wall w = {.dt = 0.02,
            .mass = 0.01,
            .mu = 0.3,
            .device = "start='0 15 0' sweep='3 -20 0' sweepPeriod='0.7' handMass='0.2' delay='0.002' "
                      "passivityControl='1'",
            .coupling = "<VirtualCoupling stiffness='500' damping='2'/>"
                        "<LCPForceFeedback activate='1' newtons='1' forceCoef='1' derivRotations='1'/>"};
  return wall_text(&w);
}

static void any_threads(void **state)
{
  DV_UNUSED(state);
  uint64_t hash[3];
  double pushed[3];
  char *text = scene_text();
  for (int i = 0; i < 3; i++) {
    dvScene *s = check_scene(text, i + 1);
    check_steps(s, 60);
    hash[i] = dv_scene_hash(s);
    pushed[i] = the_hand(s)->pushed[1];
    check_close_scene(&s);
  }
  dv_free(text);
  assert_true(hash[0] == hash[1] && hash[1] == hash[2]);
  check_close(pushed[0], pushed[2], 0);
}

static void reset(void **state)
{
  DV_UNUSED(state);
  char *text = scene_text();
  dvScene *s = check_scene(text, 1);
  check_steps(s, 22);
  uint64_t hash = dv_scene_hash(s);
  double pushed = the_hand(s)->pushed[1];
  assert_true(fabs(pushed) > 0.01);
  check_steps(s, 12);
  dv_scene_reset(s);
  check_steps(s, 22);
  assert_true(dv_scene_hash(s) == hash);
  check_close(the_hand(s)->pushed[1], pushed, 0);
  check_close_scene(&s);
  dv_free(text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(any_threads), cmocka_unit_test(reset)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
