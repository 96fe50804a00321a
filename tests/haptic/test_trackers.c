// Devices that only tell where a hand is: 3D mice by their reports, trackers of VRPN servers; a stand-in for each.
#include "listening.h"
#include "support/check.h"
#include "support/scene.h"

#include "base/file.h"
#include "haptic/driver.h"
#include "haptic/tracker.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static const dvHapticState *hand(dvScene *s) { return &dv_driver(check_find(s, "device"))->handed; }

// --- 3D mice -------------------------------------------------------------------------------------

static void reports(void **state)
{
  DV_UNUSED(state);
  dvCap c = {0};
  // 350 right, 175 to the user, 70 down; then a turn; then both in one report of a newer device
  assert_true(dv_cap_report(&c, (const unsigned char[]){1, 0x5e, 0x01, 0xaf, 0, 0x46, 0}, 7));
  check_close(c.shift[0], 1, 1e-12);
  check_close(c.shift[1], -0.2, 1e-12);
  check_close(c.shift[2], 0.5, 1e-12);
  assert_true(dv_cap_report(&c, (const unsigned char[]){2, 0xa2, 0xfe, 0, 0, 0xff, 0x7f}, 7));
  check_close(c.turn[0], -1, 1e-12);
  check_close(c.turn[1], -1, 1e-12);   // as far as it goes, whatever the number says
  assert_true(dv_cap_report(&c, (const unsigned char[]){1, 0, 0, 0, 0, 0, 0, 35, 0, 0, 0, 0, 0}, 13));
  check_close(c.shift[0], 0, 0);
  check_close(c.turn[0], 0.1, 1e-12);
  assert_true(dv_cap_report(&c, (const unsigned char[]){3, 2, 1}, 3));
  assert_int_equal(c.buttons, 0x102);
  assert_false(dv_cap_report(&c, (const unsigned char[]){1, 0}, 2));
  assert_false(dv_cap_report(&c, (const unsigned char[]){9, 0, 0, 0, 0, 0, 0}, 7));
  assert_false(dv_cap_report(&c, NULL, 0));
}

static void found(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir();
  static const char *const names[] = {"hidraw0", "hidraw3"}, *const ids[] = {
                                                                 "HID_ID=0003:0000046D:0000C077\n",
                                                                 "DRIVER=x\nHID_ID=0003:0000256F:0000C635\n"};
  assert_null(dv_cap_find(directory));
  for (size_t i = 0; i < DV_COUNT(names); i++) {
    char *path = dv_format("%s/%s/device", directory, names[i]);
    assert_true(dv_make_directories(path));
    char *file = check_write(path, "uevent", ids[i]);
    dv_free(file);
    dv_free(path);
    char *name = dv_cap_find(directory);
    if (i) assert_string_equal(name, "hidraw3");
    else assert_null(name);   // an ordinary mouse
    dv_free(name);
  }
  check_rmdir(directory);
}

static void say(int to, const unsigned char *report, size_t size)
{
  assert_int_equal(write(to, report, size), (ssize_t)size);
}

// a pipe stands for the device: what is written to it are reports
static void mouse(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir(), *pipe = dv_format("%s/hidraw0", directory);
  dvStatus status;
  char *text =
      dv_format("<Node name='root' dt='0.01'><SpaceMouseDriver name='device' path='%s' loop='steps' speed='0.1' "
                "turnSpeed='1' deadZone='0'/></Node>",
                pipe);
  dvScene *s = open_scene(text, &status);
  assert_int_equal(status, DV_OK);
  assert_non_null(strstr(messages, "cannot be opened"));
  check_steps(s, 2);
  close_scene(s);

  assert_int_equal(mkfifo(pipe, 0600), 0);
  int writer = open(pipe, O_RDWR);
  assert_true(writer >= 0);
  s = open_scene(text, &status);
  assert_int_equal(status, DV_OK);
  check_steps(s, 1);
  double x = hand(s)->pose[0];
  say(writer, (const unsigned char[]){1, 0x5e, 0x01, 0, 0, 0xa2, 0xfe}, 7);   // right, and up
  check_steps(s, 1);                                                          // the ticks of a step are made at its end
  say(writer, (const unsigned char[]){2, 0, 0, 0x5e, 0x01, 0, 0}, 7);         // about z
  check_steps(s, 101);
  check_close(hand(s)->pose[0] - x, 0.101, 1e-9);   // 0.1 m/s for 1.01 s
  check_close(hand(s)->pose[1], 0.101, 1e-9);
  check_close(hand(s)->pose[2], 0, 1e-12);
  check_close(2 * atan2(hand(s)->pose[5], hand(s)->pose[6]), 1, 1e-9);   // 1 rad/s for 1 s
  say(writer, (const unsigned char[]){3, 1}, 2);
  check_steps(s, 1);
  say(writer, (const unsigned char[]){1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 13);   // all let go
  check_steps(s, 2);
  assert_true(*(const bool *)dv_object_field(check_find(s, "device"), "button1")->value);
  x = hand(s)->pose[0];
  check_steps(s, 20);
  check_close(hand(s)->pose[0], x, 1e-15);
  close(writer);   // pulled out
  check_steps(s, 2);
  assert_non_null(strstr(messages, "is gone"));
  writer = open(pipe, O_RDWR);
  check_steps(s, 60);
  assert_non_null(strstr(messages, "is back"));
  check_close(hand(s)->pose[0], x, 1e-12);
  close_scene(s);
  // two drivers of one file
  char *twice = dv_format("<Node name='root'><SpaceMouseDriver name='device' path='%s'/>"
                          "<SpaceMouseDriver name='second' path='%s'/></Node>",
                          pipe, pipe);
  s = open_scene(twice, &status);
  assert_int_equal(status, DV_ERROR_INPUT);
  assert_non_null(strstr(messages, "two instruments cannot share a hand"));
  close_scene(s);
  close(writer);
  dv_free(twice);
  dv_free(text);
  dv_free(pipe);
  check_rmdir(directory);
}

// --- VRPN ----------------------------------------------------------------------------------------

typedef struct Words {
  unsigned char bytes[4096];
  size_t count;
} Words;

static void put_word(Words *w, uint32_t v)
{
  for (int i = 3; i >= 0; i--) w->bytes[w->count++] = (unsigned char)(v >> 8 * i);
}

static void put_real(Words *w, double v)
{
  uint64_t bits;
  memcpy(&bits, &v, sizeof bits);
  put_word(w, (uint32_t)(bits >> 32));
  put_word(w, (uint32_t)bits);
}

static void put_head(Words *w, size_t size, int32_t sender, int32_t type)
{
  put_word(w, (uint32_t)(24 + size));
  put_word(w, 7), put_word(w, 8);
  put_word(w, (uint32_t)sender), put_word(w, (uint32_t)type);
  put_word(w, 0);
}

static void pad(Words *w)
{
  while (w->count % 8) w->bytes[w->count++] = 0;
}

static void put_name(Words *w, int32_t number, int32_t type, const char *name)
{
  size_t length = strlen(name) + 1;
  put_head(w, 4 + length, number, type);
  put_word(w, (uint32_t)length);
  memcpy(w->bytes + w->count, name, length);
  w->count += length;
  pad(w);
}

static void put_pose(Words *w, int32_t sender, int32_t sensor, double x)
{
  put_head(w, 64, sender, 5);
  put_word(w, (uint32_t)sensor), put_word(w, 0);
  const double pose[7] = {x, 0.2, 0.3, 0, 0, 1, 0};
  for (int i = 0; i < 7; i++) put_real(w, pose[i]);
}

// what a server says first: numbers are its own
static void put_greeting(Words *w)
{
  memset(w, 0, sizeof *w);
  memcpy(w->bytes, "vrpn: ver. 07.33  0", 20);
  w->count = 24;
  put_name(w, 3, -1, "Other0");
  put_name(w, 4, -1, "Tracker0");
  put_name(w, 5, -2, "vrpn_Tracker Pos_Quat");
  put_name(w, 6, -2, "vrpn_Button Change");
  put_name(w, 7, -2, "vrpn_Button States");
  put_head(w, 2000, 4, 9);   // long, of a kind that nobody knows
  w->count += 2000;
  put_pose(w, 3, 0, 9);   // another tracker, another sensor
  put_pose(w, 4, 1, 8);
  put_pose(w, 4, 0, 0.1);
  put_head(w, 8, 4, 6);
  put_word(w, 2), put_word(w, 1);
}

static void messages_of_a_server(void **state)
{
  DV_UNUSED(state);
  static const size_t pieces[] = {1, 7, 24, 100, 4096};
  Words w;
  put_greeting(&w);
  for (size_t i = 0; i < DV_COUNT(pieces); i++) {   // however it comes
    dvVrpn v;
    dv_vrpn_begin(&v, "Tracker0", 0);
    for (size_t at = 0; at < w.count; at += pieces[i])
      dv_vrpn_take(&v, w.bytes + at, dv_min_size(pieces[i], w.count - at));
    assert_false(v.foreign);
    assert_int_equal(v.poses, 1);
    check_close(v.pose[0], 0.1, 0);
    check_close(v.pose[5], 1, 0);
    assert_int_equal(v.buttons, 4);
    Words more = {0};
    put_head(&more, 16, 4, 7);
    put_word(&more, 3), put_word(&more, 1), put_word(&more, 0), put_word(&more, 0);
    dv_vrpn_take(&v, more.bytes, more.count);
    assert_int_equal(v.buttons, 1);
  }
  dvVrpn v;
  dv_vrpn_begin(&v, "Tracker0", 0);
  dv_vrpn_take(&v, (const unsigned char *)"HTTP/1.1 400 Bad Request\r\n", 26);
  assert_true(v.foreign);
}

static int listen_on(int *port)
{
  struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons((uint16_t)*port)};
  socklen_t size = sizeof here;
  int on = 1, s = socket(AF_INET, SOCK_STREAM, 0);
  inet_pton(AF_INET, "127.0.0.1", &here.sin_addr);
  setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  assert_int_equal(bind(s, (const struct sockaddr *)&here, sizeof here), 0);
  assert_int_equal(listen(s, 4), 0);
  assert_int_equal(getsockname(s, (struct sockaddr *)&here, &size), 0);
  *port = ntohs(here.sin_port);
  return s;
}

static int answer(int server, const Words *w)
{
  char cookie[24];
  int peer = accept(server, NULL, NULL);
  assert_true(peer >= 0);
  assert_int_equal(recv(peer, cookie, sizeof cookie, MSG_WAITALL), 24);
  assert_memory_equal(cookie, "vrpn: ver. 07", 13);
  assert_int_equal(send(peer, w->bytes, w->count, 0), (ssize_t)w->count);
  return peer;
}

static void steps_until(dvScene *s, bool (*done)(dvScene *s))
{
  for (int i = 0; i < 2000 && !done(s); i++) {
    check_steps(s, 1);
    usleep(500);
  }
  assert_true(done(s));
}

static bool is_there(dvScene *s) { return hand(s)->ready != 0 && hand(s)->pose[1] == 0.2; }
static bool has_gone(dvScene *s)
{
  DV_UNUSED(s);
  return strstr(messages, "is gone") != NULL;
}
static bool is_further(dvScene *s) { return hand(s)->pose[0] == 0.15; }

static void tracker(void **state)
{
  DV_UNUSED(state);
  int port = 0, server = listen_on(&port);
  dvStatus status;
  char *text = dv_format("<Node name='root' dt='0.01'><VRPNTrackerDriver name='device' tracker='Tracker0@127.0.0.1:%d' "
                         "loop='steps' maxSpeed='100'/></Node>",
                         port);
  dvScene *s = open_scene(text, &status);
  assert_int_equal(status, DV_OK);
  Words w;
  put_greeting(&w);
  check_steps(s, 2);   // it calls and greets
  int peer = answer(server, &w);
  steps_until(s, is_there);
  check_close(hand(s)->pose[0], 0.1, 0);
  assert_true(*(const bool *)dv_object_field(check_find(s, "device"), "button1")->value == false);
  Words more = {0};
  put_pose(&more, 4, 0, 0.15);
  assert_int_equal(send(peer, more.bytes, more.count, 0), (ssize_t)more.count);
  steps_until(s, is_further);
  // the server goes, and comes back
  dv_free(messages);
  messages = dv_strdup("");
  close(peer);
  steps_until(s, has_gone);
  check_steps(s, 120);   // it calls again after a second
  peer = answer(server, &w);
  dv_free(messages);
  messages = dv_strdup("");
  for (int i = 0; i < 2000 && !strstr(messages, "is back"); i++) {
    check_steps(s, 1);
    usleep(500);
  }
  assert_non_null(strstr(messages, "is back"));
  close(peer);
  close(server);
  close_scene(s);
  dv_free(text);
}

static void mistakes(void **state)
{
  DV_UNUSED(state);
  static const struct {
    const char *text, *says;
  } cases[] = {
      {"<VRPNTrackerDriver tracker='nobody'/>", "names no tracker"},
      {"<VRPNTrackerDriver tracker='Tracker0@'/>", "names no tracker"},
      {"<VRPNTrackerDriver tracker='a@127.0.0.1:none'/>", "is no address"},
      {"<SpaceMouseDriver path='/dev/null' deadZone='1'/>", "lets nothing through"},
      {"<SpaceMouseDriver path='/dev/null' speed='-1'/>", "speed cannot be -1"},
  };
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    dvStatus status;
    char *text = dv_format("<Node name='root'>%s</Node>", cases[i].text);
    dvScene *s = open_scene(text, &status);
    if (status == DV_OK || !messages || !strstr(messages, cases[i].says))
      fail_msg("%s: status %d, said: %s", cases[i].text, (int)status, messages ? messages : "nothing");
    close_scene(s);
    dv_free(text);
  }
  // emulated like every other one
  dvStatus status;
  dvScene *s = open_scene("<Node name='root' dt='0.01'><SpaceMouseDriver name='device' emulate='1' sweep='10 0 0'/>"
                          "<VRPNTrackerDriver emulate='1'/></Node>",
                          &status);
  assert_int_equal(status, DV_OK);
  check_steps(s, 201);
  check_close(hand(s)->pose[0], 0.01, 1e-4);
  close_scene(s);
}

int main(void)
{
  unsetenv("DIVAN_OFFLINE");   // devices of other programs are what it is about
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reports), cmocka_unit_test(found),
      cmocka_unit_test(mouse),   cmocka_unit_test(messages_of_a_server),
      cmocka_unit_test(tracker), cmocka_unit_test(mistakes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
