// CarvingManager: what the tool touches goes, volume and surface together; keys and the mouse switch it; mistakes are
// told.
#include "support/check.h"
#include "support/scene.h"

#include "topology/topology.h"

static dvScene *start(void) { return check_scene_file("scenes/CarvingManager.scn", 2); }

static size_t count(dvScene *s, const char *path, dvElementKind kind)
{
  return dv_topology_count(dv_topology(check_find(s, path)), kind);
}

static void a_ball_carves_a_hole(void **state)
{
  DV_UNUSED(state);
  dvScene *s = start();
  size_t before = count(s, "block/mesh", DV_TETRAHEDRON);
  assert_int_equal(before, 6 * 216);
  check_steps(s, 150);
  size_t after = count(s, "block/mesh", DV_TETRAHEDRON);
  assert_true(after < before - 20 && after > before / 2);
  // the surface is that of what is left: every one of its edges has an even number of triangles
  dvTopology *skin = dv_topology(check_find(s, "block/surface/triangles"));
  const dvIncidence *edges = dv_topology_around(skin, DV_EDGE, DV_TRIANGLE);
  for (size_t i = 0; i < edges->count; i++) assert_int_equal((edges->offsets[i + 1] - edges->offsets[i]) % 2, 0);
  assert_int_equal(dv_topology_point_count(skin), dv_state(check_find(s, "block/dofs"))->count);
  check_close_scene(&s);
}

static void send(dvScene *s, dvEvent event)
{
  dvObject *o = check_find(s, "tool/CarvingManager1");
  o->cls->handle_event(o, &event);
}

static bool active(dvScene *s)
{
  return *(bool *)dv_object_field(check_find(s, "tool/CarvingManager1"), "active")->value;
}

static void keys_and_the_mouse_switch_it(void **state)
{
  DV_UNUSED(state);
  dvScene *s = start();
  send(s, (dvEvent){.kind = DV_EVENT_KEY, .key = '4'});
  assert_false(active(s));
  check_steps(s, 100);
  assert_int_equal(count(s, "block/mesh", DV_TETRAHEDRON), 6 * 216);   // it only pushes
  send(s, (dvEvent){.kind = DV_EVENT_KEY, .key = '1'});
  assert_true(active(s));
  send(s, (dvEvent){.kind = DV_EVENT_KEY, .key = '1', .released = true});
  assert_false(active(s));
  send(s, (dvEvent){.kind = DV_EVENT_MOUSE, .mouse = DV_MOUSE_MIDDLE});
  assert_true(active(s));
  check_close_scene(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball_carves_a_hole),
      cmocka_unit_test(keys_and_the_mouse_switch_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
