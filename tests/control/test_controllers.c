// Components that act on events, and the monitor that writes what happens.
#include "support/check.h"
#include "support/scene.h"

#include "base/file.h"
#include "math/vec.h"

#include <string.h>

static void send(dvScene *s, dvMouse mouse, bool released, int x, int y)
{
  dv_scene_send(s, &(dvEvent){.kind = DV_EVENT_MOUSE, .mouse = mouse, .released = released, .x = x, .y = y});
}

#define FRAME                                                                                                  \
  "<Node gravity='0 0 0'><DefaultAnimationLoop/><Node name='f'><MechanicalObject name='mo' template='Rigid3' " \
  "position='0 0 0 0 0 0 1 1 1 1 0 0 0 1'/>"

static void the_mouse_moves_a_frame(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      FRAME
      "<MechanicalStateController listening='1' handleEventTriggersUpdate='1' index='1' mainDirection='0 2 0'/>"
      "<Node name='p'><MechanicalObject name='mo' position='0 0 1'/><RigidMapping index='1'/></Node></Node></Node>",
      1);
  send(s, DV_MOUSE_MOVE, false, 500, 500);   // no button: nothing moves
  check_close(check_value(s, "f/mo", DV_X, 8), 1, 0);
  send(s, DV_MOUSE_RIGHT, false, 500, 500);
  send(s, DV_MOUSE_MOVE, false, 500, 520);   // twenty pixels along y: 20 x 0.05
  check_close(check_value(s, "f/mo", DV_X, 8), 2, 1e-14);
  send(s, DV_MOUSE_RIGHT, true, 500, 520);
  send(s, DV_MOUSE_LEFT, false, 0, 0);
  send(s, DV_MOUSE_MOVE, false, 1000, 0);   // a thousand pixels along x: one radian about y
  check_close(check_value(s, "f/mo", DV_X, 11), sin(0.5), 1e-14);
  check_close(check_value(s, "f/mo", DV_X, 13), cos(0.5), 1e-14);
  check_close(check_value(s, "f/p/mo", DV_X, 0), 1 + sin(1), 1e-14);   // what is mapped follows at once
  check_close(check_value(s, "f/p/mo", DV_X, 1), 2, 1e-14);
  for (size_t k = 0; k < 3; k++) check_close(check_value(s, "f/mo", DV_X, k), 0, 0);
  check_close_scene(&s);
}

static void translations_only_and_once_a_step(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(FRAME "<MechanicalStateController listening='1' onlyTranslation='1'/></Node></Node>", 1);
  const dvMouse buttons[] = {DV_MOUSE_LEFT, DV_MOUSE_RIGHT, DV_MOUSE_MIDDLE};
  for (int k = 0; k < 3; k++) {
    send(s, buttons[k], false, 10, 10);
    send(s, DV_MOUSE_MOVE, false, 13, 15);
    check_close(check_value(s, "f/mo", DV_X, (size_t)k), 0, 0);   // not before the next step
    check_steps(s, 1);
    check_close(check_value(s, "f/mo", DV_X, (size_t)k), k == 0 ? 3 : 5, 0);
    send(s, buttons[k], true, 13, 15);
  }
  check_close_scene(&s);
}

// a finger of three joints about z and one about x: keys choose, the mouse moves
#define FINGER                                                                                                        \
  "<Node gravity='0 0 0'><DefaultAnimationLoop/><Node name='f'><MechanicalObject name='joints' template='Vec1' "      \
  "position='0 0 0 0'/>"                                                                                              \
  "<Node name='b'><MechanicalObject name='bodies' template='Rigid3' position='0 0 0 0 0 0 1  1 0 0 0 0 0 1  2 0 0 0 " \
  "0 0 1  3 0 0 0 0 0 1'/>"                                                                                           \
  "<ArticulatedSystemMapping input1='@../joints' output='@bodies'/></Node><ArticulatedHierarchyContainer/><Node "     \
  "name='c'>"                                                                                                         \
  "<Node><ArticulationCenter parentIndex='0' childIndex='1' posOnParent='1 0 0'/><Node><Articulation rotation='1' "   \
  "axis='0 0 1' articulationIndex='0'/></Node></Node>"                                                                \
  "<Node><ArticulationCenter parentIndex='1' childIndex='2' posOnParent='1 0 0'/><Node><Articulation rotation='1' "   \
  "axis='0 0 1' articulationIndex='1'/>"                                                                              \
  "<Articulation rotation='1' axis='1 0 0' articulationIndex='3'/></Node></Node>"                                     \
  "<Node><ArticulationCenter parentIndex='2' childIndex='3' posOnParent='1 0 0'/><Node><Articulation rotation='1' "   \
  "axis='0 0 1' articulationIndex='2'/></Node></Node></Node>"

static void press_key(dvScene *s, int key)
{
  dv_scene_send(s, &(dvEvent){.kind = DV_EVENT_KEY, .key = key});
  dv_scene_send(s, &(dvEvent){.kind = DV_EVENT_KEY, .key = key, .released = true});
}

static void joints_of(dvScene *s, double a, double b, double c, double d)
{
  const double want[4] = {a, b, c, d};
  for (size_t i = 0; i < 4; i++) check_close(check_value(s, "f/joints", DV_X, i), want[i], 1e-14);
}

static void keys_and_buttons_move_a_skeleton(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(FINGER "<ArticulatedHierarchyController listening='1' articulationsIndices='1 3' "
                                  "bindingKeys='x Y' angleDelta='0.1'/></Node></Node>",
                           1);
  send(s, DV_MOUSE_LEFT, false, 0, 0);
  check_steps(s, 1);
  joints_of(s, 0, 0, 0, 0);   // none is chosen
  press_key(s, 'X');
  check_steps(s, 2);
  joints_of(s, 0, 0.2, 0, 0);
  send(s, DV_MOUSE_LEFT, true, 0, 0);
  check_steps(s, 1);
  joints_of(s, 0, 0.2, 0, 0);
  press_key(s, 'y');   // the other one
  send(s, DV_MOUSE_RIGHT, false, 0, 0);
  check_steps(s, 1);
  send(s, DV_MOUSE_RIGHT, true, 0, 0);
  joints_of(s, 0, 0.2, 0, -0.1);
  dv_scene_send(s, &(dvEvent){.kind = DV_EVENT_MOUSE, .mouse = DV_MOUSE_WHEEL, .wheel = 120});
  check_steps(s, 3);   // twice the change, once
  joints_of(s, 0, 0.2, 0, 0.1);
  press_key(s, '-');
  check_steps(s, 2);
  joints_of(s, 0, 0.2, 0, 0);
  check_close(check_value(s, "f/b/bodies", DV_X, 7 * 2 + 5), sin(0.1), 1e-12);   // the bodies follow
  press_key(s, 'y');                                                             // lets go
  press_key(s, '+');
  check_steps(s, 1);
  joints_of(s, 0, 0.2, 0, 0);
  check_close_scene(&s);
}

static void a_change_is_shared_down_the_chain(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(FINGER "<ArticulatedHierarchyController listening='1' articulationsIndices='0 1' "
                                  "bindingKeys='a b' angleDelta='0.3' propagateUserInteraction='1'/></Node></Node>",
                           1);
  press_key(s, 'a');
  press_key(s, '+');
  check_steps(s, 1);
  joints_of(s, 0.1, 0.1, 0.1, 0);
  press_key(s, 'b');
  press_key(s, '-');
  check_steps(s, 1);
  joints_of(s, 0.1, -0.05, -0.05, 0);
  check_close_scene(&s);
}

// events as a device of Linux sends them: the left button (1 272 1), three to the right (2 0 3), the pedal (3 1 200)
static void recorded_events_are_played(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir(),
       *file = check_write(directory, "events.txt", "1 272 1\n2 0 3 2 1 -1\n\n2 0 4\n1 272 0\n2 0 9\n");
  char *text = dv_format("%s<InputEventReader outputFilename='%s'/><MechanicalStateController listening='1' "
                         "onlyTranslation='1' handleEventTriggersUpdate='1'/></Node></Node>",
                         FRAME, file);
  dvScene *s = check_scene(text, 1);
  const double expected[] = {0, 3, 3, 7, 7, 7, 7};
  for (size_t i = 0; i < DV_COUNT(expected); i++) {
    check_steps(s, 1);
    check_close(check_value(s, "f/mo", DV_X, 0), expected[i], 0);
  }
  dv_scene_reset(s);
  check_steps(s, 2);
  check_close(check_value(s, "f/mo", DV_X, 0), 3, 0);
  check_close_scene(&s);
  dv_free(text);
  dv_free(file);
  check_rmdir(directory);
}

static void a_pause_is_asked_for(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene("<Node><DefaultAnimationLoop/><PauseAnimationOnEvent/></Node>", 1);
  check_steps(s, 1);
  assert_false(s->pause);
  dv_scene_send(s, &(dvEvent){.kind = DV_EVENT_PAUSE});
  assert_true(s->pause);
  check_close_scene(&s);
}

static void a_monitor_writes_lines(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir();
  char *text = dv_format(
      "<Node gravity='0 -10 0' dt='0.5'><DefaultAnimationLoop/><Node name='b'><EulerExplicitSolver "
      "symplectic='1'/><MechanicalObject name='mo' position='0 0 0 1 0 0'/><UniformMass totalMass='2'/>"
      "<BoxROI name='roi' position='@mo.position' box='-1 -4 -1 2 1 1'/><Monitor name='m' indices='1' "
      "ExportPositions='1' ExportVelocities='1' fields='roi.nbIndices mo.position' fileName='%s/m'/></Node></Node>",
      directory);
  dvScene *s = check_scene(text, 1);
  check_steps(s, 2);
  check_close_scene(&s);
  const char *const names[] = {"m_x.txt", "m_v.txt", "m_fields.txt"};
  const char *const contents[] = {
      "# time, then positions of points 1\n0\t1 0 0\n0.5\t1 -2.5 0\n1\t1 -7.5 0\n",
      "# time, then velocities of points 1\n0\t0 0 0\n0.5\t0 -5 0\n1\t0 -10 0\n",
      "# time\troi.nbIndices\tmo.position\n0\t2\t0 0 0 1 0 0\n0.5\t2\t0 -2.5 0 1 -2.5 0\n1\t0\t0 -7.5 0 1 -7.5 0\n"};
  for (int i = 0; i < 3; i++) {
    char *path = dv_path_join(directory, names[i]);
    size_t length;
    char *found = dv_file_read(path, &length);
    assert_non_null(found);
    assert_string_equal(found, contents[i]);
    dv_free(found);
    dv_free(path);
  }
  dv_free(text);
  check_rmdir(directory);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_mouse_moves_a_frame),          cmocka_unit_test(translations_only_and_once_a_step),
      cmocka_unit_test(keys_and_buttons_move_a_skeleton), cmocka_unit_test(a_change_is_shared_down_the_chain),
      cmocka_unit_test(recorded_events_are_played),       cmocka_unit_test(a_pause_is_asked_for),
      cmocka_unit_test(a_monitor_writes_lines),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
