// Tools of the heart: leads and lesions where tissue is touched while the scene runs, and what is told where there is
// none.
#include "support/session.h"

#include "mechanics/mechanics.h"

#include <math.h>

static void must(Fixture *f, const char *request, const char *part)
{
  json_t *a = ask(f, request);
  const char *error = json_string_value(json_object_get(a, "error"));
  if (error) fail_msg("%s: %s", request, error);
  const char *text = json_string_value(json_object_get(a, "text"));
  if (part && (!text || !strstr(text, part))) fail_msg("%s: '%s' does not say '%s'", request, text ? text : "", part);
  json_decref(a);
}

static void run(Fixture *f, int n)
{
  char *request = dv_format("{\"do\":\"step\",\"count\":%d}", n);
  must(f, request, NULL);
  dv_free(request);
  for (int i = 0; i < n; i++) dv_session_advance(f->session);
}

static dvObject *found(Fixture *f, const char *path) { return dv_view_find(f->session, path); }

static double number(Fixture *f, const char *path, const char *field)
{
  dvObject *o = found(f, path);
  assert_non_null(o);
  return *(const double *)dv_object_field(o, field)->value;
}

static int excitations(Fixture *f)
{
  return *(const int32_t *)dv_object_field(found(f, "/fronts"), "excitations")->value;
}

// from outside towards the axis, in the direction of an angle and at a height
static char *touch(const char *tool, double angle, double z, const char *more)
{
  double c = cos(angle), s = sin(angle);
  return dv_format("{\"do\":\"tool\",\"tool\":\"%s\",\"rays\":[[%.9g,%.9g,%.9g,%.9g,%.9g,0]]%s}", tool, c, s, z, -c, -s,
                   more);
}

static void touched(Fixture *f, const char *tool, double angle, double z, const char *more, const char *part)
{
  char *request = touch(tool, angle, z, more);
  must(f, request, part);
  dv_free(request);
}

// two leads on the free wall, placed while the first beat runs: the second is excited sooner
static void leads_placed_by_hand_shorten_a_beat(void **state)
{
  DV_UNUSED(state);
  Fixture f;
  open_scene(&f, "heart/block.scn");
  must(&f, "{\"do\":\"hello\"}", NULL);
  // those of the scene are switched off
  must(&f, "{\"do\":\"set\",\"path\":\"/lead1\",\"field\":\"start\",\"text\":\"100\"}", NULL);
  must(&f, "{\"do\":\"set\",\"path\":\"/lead2\",\"field\":\"start\",\"text\":\"100\"}", NULL);
  run(&f, 40);   // 0.2 s
  double before = number(&f, "/ecg", "duration");
  touched(&f, "pace", 0, 0.01, ",\"size\":0.006", "every 0.8 s");
  touched(&f, "pace", 0.9, -0.02, ",\"size\":0.006", "every 0.8 s");
  check_close(number(&f, "/lead", "start"), 0.8, 1e-12);   // with the next beat
  check_close(number(&f, "/lead", "period"), 0.8, 1e-12);
  check_close(number(&f, "/lead3", "radius"), 0.006, 1e-12);
  run(&f, 160);   // 0.2 s into the second beat
  const dvReals *when = dv_object_field(found(&f, "/fronts"), "activation")->value;
  double last = 0;
  for (size_t i = 0; i < when->count; i++) last = fmax(last, when->data[i] - 0.8);
  double after = number(&f, "/ecg", "duration");
  print_message("deflection %.0f ms before, %.0f ms with two leads; all excited after %.0f ms\n", 1e3 * before,
                1e3 * after, 1e3 * last);
  assert_true(last < 0.12);   // 151 ms without
  assert_true(after < 0.8 * before);
  must(&f, "{\"do\":\"undo\"}", "lead");
  must(&f, "{\"do\":\"undo\"}", "lead");
  assert_null(found(&f, "/lead"));
  assert_null(found(&f, "/lead3"));
  run(&f, 160);   // the third beat, 0.2 s
  assert_true(number(&f, "/ecg", "duration") > 0.9 * before);
  close_scene(&f);
}

// the bridge is drawn over while the front goes around: it ends, before the ablation that the scene has
static void a_lesion_drawn_by_hand_ends_a_reentry(void **state)
{
  DV_UNUSED(state);
  Fixture f;
  open_scene(&f, "heart/reentry.scn");
  must(&f, "{\"do\":\"hello\"}", NULL);
  run(&f, 100);
  int first = excitations(&f);
  run(&f, 40);
  assert_true(excitations(&f) > first + 40);   // it goes around by itself
  touched(&f, "ablate", 0.785, 0.016, ",\"size\":0.009", "nothing is conducted");
  for (int i = 1; i <= 6; i++) touched(&f, "ablate", 0.785, 0.016 - 0.005 * i, ",\"size\":0.009,\"goesOn\":true", NULL);
  const dvReals *center = dv_object_field(found(&f, "/lesion"), "center")->value;
  assert_true(center->count >= 12);   // one lesion, several places
  assert_null(found(&f, "/lesion2"));
  run(&f, 60);
  int ended = excitations(&f);
  run(&f, 60);   // 2.6 s
  assert_int_equal(excitations(&f), ended);
  must(&f, "{\"do\":\"undo\"}", "lesion");   // all of the stroke
  assert_null(found(&f, "/lesion"));
  // one pulse where nothing beats: the front is there again
  touched(&f, "pace", 3.14159, 0.015, ",\"size\":0.008", "one pulse");
  run(&f, 20);
  assert_true(excitations(&f) > ended + 40);
  close_scene(&f);
}

// a wall that has moved is treated where it is seen now
static void tissue_that_moves_is_treated_where_it_is(void **state)
{
  DV_UNUSED(state);
  Fixture f;
  open_scene(&f, "heart/contraction.scn");
  must(&f, "{\"do\":\"hello\"}", NULL);
  run(&f, 40);
  // a point of the upper side, at the free end
  dvState *shape = dv_state(found(&f, "/Strip/shape"));
  const double *x = dv_state_read(shape, DV_X), *rest = dv_state_read(shape, DV_X_REST);
  size_t at = 0;
  for (size_t i = 1; i < shape->count; i++)
    if (rest[3 * i] - rest[3 * i + 1] + 10 * rest[3 * i + 2] > rest[3 * at] - rest[3 * at + 1] + 10 * rest[3 * at + 2])
      at = i;
  assert_true(rest[3 * at] - x[3 * at] > 0.001);   // it has moved
  char *request = dv_format("{\"do\":\"tool\",\"tool\":\"ablate\",\"rays\":[[%.9g,%.9g,1,0,0,-1]],\"size\":0.002}",
                            x[3 * at] - 2e-4, x[3 * at + 1] + 2e-4);
  must(&f, request, "nothing is conducted");
  dv_free(request);
  const dvReals *center = dv_object_field(found(&f, "/Strip/ElecNode/lesion"), "center")->value;
  assert_int_equal(center->count, 3);
  for (size_t k = 0; k < 3; k++) check_close(center->data[k], rest[3 * at + k], 1e-12);
  run(&f, 5);
  close_scene(&f);
}

static void what_is_not_a_heart_is_left_alone(void **state)
{
  DV_UNUSED(state);
  Fixture f;
  open_scene(&f, "liver.scn");
  must(&f, "{\"do\":\"hello\"}", NULL);
  must_fail(&f, "{\"do\":\"tool\",\"tool\":\"pace\",\"rays\":[[0,0,1,0,0,-1]]}", "no tissue");
  must_fail(&f, "{\"do\":\"tool\",\"tool\":\"ablate\",\"rays\":[[9,9,9,0,0,1]]}", "nothing under the tool");
  must_fail(&f, "{\"do\":\"tool\",\"tool\":\"pace\",\"rays\":[]}", "1 to");
  must_fail(&f, "{\"do\":\"undo\"}", "nothing");
  close_scene(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(leads_placed_by_hand_shorten_a_beat),
      cmocka_unit_test(a_lesion_drawn_by_hand_ends_a_reentry),
      cmocka_unit_test(tissue_that_moves_is_treated_where_it_is),
      cmocka_unit_test(what_is_not_a_heart_is_left_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
