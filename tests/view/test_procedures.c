// Procedures in the hands of somebody before the screen, by the requests that the page sends: the mouse takes every
// instrument, before the first step, while a recording plays and after a reset; keys lead each procedure to its end;
// and so does who presses what the page lights.
#include "support/session.h"

#include "divan/divan.h"
#include "math/vec.h"

#include <math.h>
#include <stdlib.h>

static void request(Fixture *f, const char *text)   // those that are not answered
{
  dvText reply = {0};
  dv_session_handle(f->session, &f->viewer, text, strlen(text), &reply);
  dv_text_free(&reply);
}

static void run_steps(Fixture *f, int n)
{
  char *text = dv_format("{\"do\":\"step\",\"id\":1,\"count\":%d}", n);
  request(f, text);
  dv_free(text);
  for (int i = 0; i < n; i++) dv_session_advance(f->session);
}

static const void *value_of(Fixture *f, const char *path, const char *field)
{
  dvObject *o = dv_view_find(f->session, path);
  assert_non_null(o);
  dvField *value = dv_object_field(o, field);
  assert_true(value && dv_field_pull(value) == DV_OK);
  return value->value;
}

static dvVec3 hand_of(Fixture *f, const char *path)
{
  const dvReals *x = value_of(f, path, "positionDevice");
  assert_true(x->count >= 3);
  return dv_vec3_load(x->data);
}

// --- the mouse -------------------------------------------------------------------------------------

// a ray from outside onto a triangle of a visual model
static char *ray_onto(Fixture *f, const char *model)
{
  const double *x = ((const dvReals *)value_of(f, model, "position"))->data;
  const dvInts *triangles = value_of(f, model, "triangles");
  assert_true(x && triangles->count >= 3);
  const int32_t *t = triangles->data;
  dvVec3 a = dv_vec3_load(x + 3 * t[0]), b = dv_vec3_load(x + 3 * t[1]), c = dv_vec3_load(x + 3 * t[2]);
  dvVec3 n = dv_vec3_normalise(dv_vec3_cross(dv_vec3_sub(b, a), dv_vec3_sub(c, a)));
  dvVec3 o = dv_vec3_add_scaled(dv_vec3_scale(dv_vec3_add(a, dv_vec3_add(b, c)), 1.0 / 3), n, 1e-4);
  return dv_format("{\"do\":\"grab\",\"id\":1,\"origin\":[%.17g,%.17g,%.17g],\"direction\":[%.17g,%.17g,%.17g]}", o.x,
                   o.y, o.z, -n.x, -n.y, -n.z);
}

static void take(Fixture *f, const char *model, const char *device, const char *when)
{
  char *text = ray_onto(f, model);
  json_t *a = ask(f, text), *hit = json_object_get(a, "hit");
  const char *path = json_string_value(json_object_get(hit, "path"));
  if (!path || strcmp(path, device) != 0)
    fail_msg("%s %s: taken is %s, not %s", model, when, path ? path : "nothing", device);
  dvVec3 point, from = hand_of(f, device);
  double *xyz[] = {&point.x, &point.y, &point.z};
  for (size_t k = 0; k < 3; k++) *xyz[k] = json_number_value(json_array_get(json_object_get(hit, "point"), k));
  char *pull = dv_format("{\"do\":\"pull\",\"to\":[%.17g,%.17g,%.17g]}", point.x, point.y + 2e-4, point.z);
  request(f, pull);
  run_steps(f, 25);
  dvVec3 to = hand_of(f, device);
  check_close(to.y - from.y, 2e-4, 1e-6);
  check_close(to.x, from.x, 1e-9);
  json_decref(ask(f, "{\"do\":\"release\",\"id\":1}"));
  json_decref(a);
  dv_free(text), dv_free(pull);
}

static void the_mouse_takes_every_instrument(void **state)
{
  DV_UNUSED(state);
  static const char *const tools[][3] = {
      {"anatomy/liver/scene.scn", "/Tools/Look/look", "/right"},
      {"anatomy/abdomen/scene.scn", "/Body/Tools/Grasper/Bodies/Look/look", "/right"},
      {"anatomy/abdomen/scene.scn", "/Body/Tools/Laparoscope/Bodies/Look/look", "/left"},
      {"anatomy/resection/scene.scn", "/Tools/Cautery/Shaft/shaft", "/right"},
      {"anatomy/resection/scene.scn", "/Tools/Grasper/Look/look", "/left"},
      {"anatomy/resection/grid.scn", "/Tools/Cautery/Shaft/shaft", "/right"},
      {"anatomy/cataract/scene.scn", "/Eye/Needle/Bodies/Look/look", "/left"},
      {"anatomy/cataract/scene.scn", "/Eye/Forceps/Bodies/Look/look", "/right"},
  };
  for (size_t i = 0; i < DV_COUNT(tools); i++) {
    Fixture f;
    open_scene(&f, tools[i][0]);
    json_decref(ask(&f, "{\"do\":\"hello\",\"id\":1}"));
    take(&f, tools[i][1], tools[i][2], "before the first step");
    json_decref(ask(&f, "{\"do\":\"reset\",\"id\":1}"));
    take(&f, tools[i][1], tools[i][2], "after a reset");
    json_decref(ask(&f, "{\"do\":\"reset\",\"id\":1}"));
    run_steps(&f, 20);
    take(&f, tools[i][1], tools[i][2], "while the recording plays");
    close_scene(&f);
  }
}

// --- the keys --------------------------------------------------------------------------------------

typedef struct Hand {
  Fixture *f;
  const char *device, *keys;   // right, left, up, down, to the front, to the back
} Hand;

static double number(Fixture *f, const char *path, const char *field)
{
  char *text = divan_get(f->session->scene, path, field);
  assert_non_null(text);
  double value = strtod(text, NULL);
  divan_free(text);
  return value;
}

// `way`: how far it leads at most, 0 until it is released
static void press_for(Fixture *f, char key, bool down, double way)
{
  char *text = dv_format("{\"do\":\"key\",\"key\":%d,\"down\":%s,\"way\":%.17g}", key, down ? "true" : "false", way);
  request(f, text);
  dv_free(text);
}

static void press(Fixture *f, char key, bool down) { press_for(f, key, down, 0); }

static void tap(Fixture *f, char key) { press(f, key, true), press(f, key, false), run_steps(f, 1); }

static bool over(Fixture *f) { return number(f, "/game", "done") + number(f, "/game", "failed") > 0; }

// As somebody does who looks at the picture: keys are held until the hand is there to `near` on each axis.
static void lead(const Hand *h, dvVec3 to, double near)
{
  bool held[6] = {0};
  for (int i = 0; i < 4000 && !over(h->f); i++) {
    dvVec3 d = dv_vec3_sub(to, hand_of(h->f, h->device));
    double left[3] = {d.x, d.y, d.z};
    bool there = true;
    for (int k = 0; k < 6; k++) {
      double way = k % 2 ? -left[k / 2] : left[k / 2];
      bool wanted = way > near;
      if (wanted != held[k]) press(h->f, h->keys[k], wanted);
      held[k] = wanted;
      there = there && !wanted;
    }
    if (there) return;
    run_steps(h->f, 1);
  }
  if (!over(h->f)) fail_msg("%s does not come to %g %g %g", h->device, to.x, to.y, to.z);
}

static void at_step(Fixture *f, int step)
{
  if (number(f, "/game", "step") != step) fail_msg("step %g, not %d", number(f, "/game", "step"), step);
}

static void begin(Fixture *f, const char *scene)
{
  open_scene(f, scene);
  json_decref(ask(f, "{\"do\":\"hello\",\"id\":1}"));
}

static void finish(Fixture *f, double least)
{
  char *report = divan_get(f->session->scene, "/game", "report");
  print_message("after %g s: %s\n", divan_time(f->session->scene), report);
  divan_free(report);
  assert_true(number(f, "/game", "done") == 1);
  if (number(f, "/game", "score") < least) fail_msg("score %g, not %g", number(f, "/game", "score"), least);
  close_scene(f);
}

// a key before the first step, and after a reset: all recorded hands wait for who has pressed it
static void a_key_stops_recorded_hands(void **state)
{
  DV_UNUSED(state);
  Fixture f;
  begin(&f, "anatomy/abdomen/scene.scn");
  dvVec3 right = hand_of(&f, "/right"), left = hand_of(&f, "/left");
  for (int i = 0; i < 2; i++) {
    press(&f, 'A', true), press(&f, 'A', false);
    run_steps(&f, 180);   // both would have moved since long
    assert_true(dv_vec3_norm(dv_vec3_sub(hand_of(&f, "/right"), right)) < 1e-9);
    assert_true(dv_vec3_norm(dv_vec3_sub(hand_of(&f, "/left"), left)) < 1e-9);
    json_decref(ask(&f, "{\"do\":\"reset\",\"id\":1}"));
  }
  run_steps(&f, 180);   // without a key they play
  assert_true(dv_vec3_norm(dv_vec3_sub(hand_of(&f, "/right"), right)) > 1e-3);
  assert_true(dv_vec3_norm(dv_vec3_sub(hand_of(&f, "/left"), left)) > 1e-3);
  close_scene(&f);
}

static void the_liver_is_lifted_by_keys(void **state)
{
  DV_UNUSED(state);
  CHECK_LONG_MOTION();
  Fixture f;
  begin(&f, "anatomy/liver/scene.scn");
  Hand right = {&f, "/right", "LJIKOU"};
  lead(&right, dv_vec3(-0.039, -0.049, 0.044), 1e-3);
  tap(&f, 'G');
  run_steps(&f, 10);
  at_step(&f, 2);
  lead(&right, dv_vec3(-0.044, -0.014, 0.062), 1e-3);
  run_steps(&f, 120);
  at_step(&f, 4);
  lead(&right, dv_vec3(-0.039, -0.049, 0.044), 1e-3);
  tap(&f, 'G');
  lead(&right, dv_vec3(-0.039, -0.049, 0.095), 1e-3);
  run_steps(&f, 50);
  finish(&f, 60);
}

static void the_gall_bladder_is_lifted_by_keys(void **state)
{
  DV_UNUSED(state);
  CHECK_LONG_MOTION();
  Fixture f;
  begin(&f, "anatomy/abdomen/scene.scn");
  Hand right = {&f, "/right", "LJIKOU"}, left = {&f, "/left", "DARFCE"};
  lead(&left, dv_vec3(0.031, -0.0605, 0.1043), 1e-3);
  run_steps(&f, 20);
  at_step(&f, 2);
  lead(&right, dv_vec3(-0.024, -0.087, 0.058), 1e-3);
  lead(&right, dv_vec3(-0.014, -0.091, 0.046), 1e-3);
  tap(&f, 'G');
  run_steps(&f, 10);
  at_step(&f, 3);
  lead(&right, dv_vec3(-0.034, -0.060, 0.066), 1e-3);
  run_steps(&f, 140);
  at_step(&f, 5);
  lead(&right, dv_vec3(-0.015, -0.089, 0.048), 1e-3);
  tap(&f, 'G');
  lead(&right, dv_vec3(-0.022, -0.086, 0.058), 1e-3);
  lead(&right, dv_vec3(-0.06, -0.055, 0.085), 1e-3);
  run_steps(&f, 20);
  finish(&f, 60);
}

static bool whole(void)
{
  const char *asked = getenv("DIVAN_PROCEDURES");
  return asked && *asked && strcmp(asked, "0") != 0;
}

// straight strokes, one below the other; DIVAN_PROCEDURES=1: to the end
static void a_segment_is_resected_by_keys(void **state)
{
  DV_UNUSED(state);
  CHECK_LONG_MOTION();
  Fixture f;
  begin(&f, "anatomy/resection/scene.scn");
  Hand right = {&f, "/right", "LJIKOU"}, left = {&f, "/left", "DARFCE"};
  lead(&left, dv_vec3(-0.085, -0.02, 0), 1e-3);
  tap(&f, 'G');
  run_steps(&f, 5);
  at_step(&f, 2);
  lead(&right, dv_vec3(-0.046, 0.018, 0.075), 1e-3);
  for (int layer = 0; layer < (whole() ? 5 : 1); layer++) {
    double side = layer % 2 ? 0.075 : -0.075, high = 0.018 - 0.03 * layer;
    lead(&right, dv_vec3(-0.046, high, -side), 1e-3);
    tap(&f, 'B');
    lead(&right, dv_vec3(-0.046, high, side), 1e-3);
    tap(&f, 'B');
    print_message("layer %d: %g parts, %g ml resected, %g s\n", layer + 1, number(&f, "/Body/liver/parts", "parts"),
                  1e6 * number(&f, "/Body/liver/parts", "resected"), divan_time(f.session->scene));
  }
  run_steps(&f, 5);
  if (!whole()) {
    at_step(&f, 3);
    close_scene(&f);
    return;
  }
  at_step(&f, 4);
  lead(&left, dv_vec3(-0.12, -0.02, 0), 1e-3);
  lead(&left, dv_vec3(-0.12, 0.11, 0), 1e-3);
  run_steps(&f, 20);
  finish(&f, 40);
}

// the needle along the circle by eight directions; DIVAN_PROCEDURES=1: all around, and the disc is taken out
static void a_capsule_is_opened_by_keys(void **state)
{
  DV_UNUSED(state);
  CHECK_LONG_MOTION();
  Fixture f;
  begin(&f, "anatomy/cataract/scene.scn");
  Hand right = {&f, "/right", "LJIKOU"}, left = {&f, "/left", "DARFCE"};
  const double radius = 0.0026, near = 4e-5;
  lead(&left, dv_vec3(-radius, 0, 0.0005), near);
  lead(&left, dv_vec3(-radius, 0, -0.0008), near);
  run_steps(&f, 5);
  at_step(&f, 2);
  for (int k = 1; k <= (whole() ? 38 : 2) && number(&f, "/game", "step") == 2 && !over(&f); k++) {
    double turn = 3.14159265358979323846 * (1 + k / 18.0);
    lead(&left, dv_vec3(radius * cos(turn), radius * sin(turn), -0.0008), near);
    if (k % 9 == 0) print_message("%d degrees, %g s\n", 10 * k, divan_time(f.session->scene));
  }
  assert_true(number(&f, "/Eye/cystotome", "cuts") > 0);
  if (!whole()) {
    close_scene(&f);
    return;
  }
  at_step(&f, 3);
  lead(&left, dv_vec3(-0.0024, 0.001, 0.0008), near);
  lead(&left, dv_vec3(0, 0.0041, 0.0011), near);
  at_step(&f, 4);
  lead(&right, dv_vec3(0, 0, 0.0005), near);
  lead(&right, dv_vec3(0, 0, 0.0001), near);
  tap(&f, 'G');
  run_steps(&f, 5);
  at_step(&f, 5);
  lead(&right, dv_vec3(0, 0, 0.001), near);
  lead(&right, dv_vec3(0.0041, 0, 0.0011), near);
  run_steps(&f, 20);
  finish(&f, 60);
}

// --- what the page lights ----------------------------------------------------------------------------

// the keys of the hand that is to be led; false when there is none
static bool keys_of_led(Fixture *f, char keys[7])
{
  char *buttons = divan_get(f->session->scene, "/game", "buttons"), *led = divan_get(f->session->scene, "/game", "led");
  bool found = false;
  for (const char *line = buttons; *line && *led && !found; line += strcspn(line, "\n"), line += *line == '\n') {
    found = strcspn(line, " ") == 6 && strncmp(line + 7, led, strlen(led)) == 0 &&
            (line[7 + strlen(led)] == '\n' || !line[7 + strlen(led)]);
    if (found) dv_snprintf(keys, 7, "%s", line);
  }
  divan_free(buttons), divan_free(led);
  return found;
}

// how far a key of the hand that is led leads on; not above 0 when it is not lit
static double left_of(Fixture *f, int k)
{
  const double *way = value_of(f, "/game", "way");
  return k % 2 ? -way[k / 2] : way[k / 2];
}

// As somebody does who knows nothing: a key that is lit is held while it is, as many of them as there are fingers; one
// that is next is pressed once.
static void follow(Fixture *f, int fingers, int most)
{
  bool held[6] = {0};
  double last[6] = {0};
  char keys[7] = "";
  for (int i = 0; i < most && !over(f); i++) {
    char now[7] = "";
    bool leads = keys_of_led(f, now);
    int count = 0;
    for (int k = 0; k < 6; k++) {
      bool lit = leads && left_of(f, k) > 0;
      if (held[k] && (!lit || strcmp(now, keys) != 0)) press(f, keys[k], false), held[k] = false;
      count += held[k];
      double left = left_of(f, k);
      if (held[k] && fabs(left - last[k]) < 1e-3 * left) press_for(f, keys[k], true, left);   // the mark went on
      last[k] = left;
    }
    for (int k = 0; k < 6 && count < fingers; k++)
      if (leads && left_of(f, k) > 0 && !held[k]) press_for(f, now[k], true, left_of(f, k)), held[k] = true, count++;
    memcpy(keys, now, sizeof keys);
    char *next = divan_get(f->session->scene, "/game", "next");
    if (*next) tap(f, *next), run_steps(f, 10);
    divan_free(next);
    run_steps(f, 1);
  }
}

// who does what is lit comes to the end; DIVAN_PROCEDURES=1: also in the long procedures
static void what_is_lit_leads_to_the_end(void **state)
{
  DV_UNUSED(state);
  static const struct {
    const char *scene;
    double least;
    bool longer;
  } all[] = {{"anatomy/liver/scene.scn", 80, false},
             {"anatomy/abdomen/scene.scn", 80, false},
             {"anatomy/resection/scene.scn", 60, true},
             {"anatomy/resection/grid.scn", 60, true},
             {"anatomy/cataract/scene.scn", 60, true}};
  for (size_t i = 0; i < 2 * DV_COUNT(all); i++) {
    const int fingers = i % 2 ? 1 : 6;
    if (all[i / 2].longer && (!whole() || fingers == 1)) continue;
    Fixture f;
    begin(&f, all[i / 2].scene);
    follow(&f, fingers, 9000);
    print_message("%s, %d fingers: ", all[i / 2].scene, fingers);
    finish(&f, all[i / 2].least);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_mouse_takes_every_instrument), cmocka_unit_test(a_key_stops_recorded_hands),
      cmocka_unit_test(the_liver_is_lifted_by_keys),      cmocka_unit_test(the_gall_bladder_is_lifted_by_keys),
      cmocka_unit_test(a_segment_is_resected_by_keys),    cmocka_unit_test(a_capsule_is_opened_by_keys),
      cmocka_unit_test(what_is_lit_leads_to_the_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
