// Hearts have the same bits for any number of threads, and after a memory was put back.
#include "support/check.h"

#include "support/scene.h"

static uint64_t hash_after(const char *path, int threads, int steps)
{
  dvScene *s = check_scene_file(path, threads);
  check_steps(s, steps);
  uint64_t hash = dv_scene_hash(s);
  check_close_scene(&s);
  return hash;
}

static void threads_do_not_change_bits(void **state)
{
  DV_UNUSED(state);
  static const struct {
    const char *path;
    int steps;
  } scenes[] = {{"scenes/heart/wave.scn", 4}, {"scenes/heart/block.scn", 10}, {"scenes/heart/beat.scn", 4}};
  for (size_t i = 0; i < DV_COUNT(scenes); i++) {
    uint64_t one = hash_after(scenes[i].path, 1, scenes[i].steps);
    for (int threads = 2; threads <= 3; threads++)
      assert_true(hash_after(scenes[i].path, threads, scenes[i].steps) == one);
  }
}

static void a_reset_leads_to_the_same_beat(void **state)
{
  DV_UNUSED(state);
  static const char *const scenes[] = {"scenes/heart/lagrangian.scn", "scenes/heart/reentry.scn",
                                       "scenes/heart/wave.scn"};
  for (size_t i = 0; i < DV_COUNT(scenes); i++) {
    dvScene *s = check_scene_file(scenes[i], 1);
    check_steps(s, 12);
    uint64_t first = dv_scene_hash(s);
    check_steps(s, 3);
    dv_scene_reset(s);
    check_steps(s, 12);
    assert_true(dv_scene_hash(s) == first);
    check_close_scene(&s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(threads_do_not_change_bits),
                                     cmocka_unit_test(a_reset_leads_to_the_same_beat)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
