// Numbers between programs: messages are read as they were written and refused when they are none; what is sent arrives
// over each way; a partner that is lost, silent, deaf or mad is told and delays nothing; a model that is sent to
// another process moves a stiffer robot there, whose platform follows.
#include "robot/telegram.h"
#include "robot/wire.h"
#include "support/check.h"
#include "support/scene.h"

#include "base/clock.h"
#include "base/file.h"

#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

// --- messages ------------------------------------------------------------------------------------

static void messages_are_read_as_they_were_written(void **state)
{
  DV_UNUSED(state);
  dvTelegram a = {0}, b = {0};
  dvText text = {0};
  const char *why;
  for (int plain = 0; plain < 2; plain++) {
    dv_telegram_begin(&a, "Vec3d", 7, 0.14);
    for (int i = 0; i < 9; i++) {
      dv_push(&a.numbers, pow(-1.0 / 3, i) * 1e-3);
      if (i == 2 || i == 8) dv_telegram_end_list(&a);
    }
    assert_true(dv_telegram_write(&a, plain, &text, &why));
    assert_true(dv_telegram_read(text.text, text.length, &b, &why));
    assert_string_equal(b.kind, "Vec3d");
    assert_int_equal(b.ends.count, 2);
    assert_int_equal(b.ends.data[0], 3);
    assert_int_equal(b.ends.data[1], 9);
    assert_memory_equal(a.numbers.data, b.numbers.data, 9 * sizeof(double));
    if (!plain) assert_true(b.step == 7 && b.time == 0.14);
  }
  dv_telegram_begin(&a, "double", 0, 0);
  dv_push(&a.numbers, NAN);
  dv_telegram_end_list(&a);
  assert_false(dv_telegram_write(&a, false, &text, &why));
  dv_text_free(&text);
  dv_telegram_free(&a), dv_telegram_free(&b);
}

static void what_is_no_message_is_refused(void **state)
{
  DV_UNUSED(state);
  static const struct {
    const char *text;
    size_t lists;   // 0 when it is refused
  } cases[] = {
      {"{\"data\": [1, [2, 3], [[4, 5, 6], [7, 8, 9]]]}", 3},
      {" {\"x\": {\"y\": [true, null, \"a\\u0041\\n\"]}, \"data\": [[]], \"z\": -1e3} \n", 1},
      {"double 1 2.5 -3e-2 ", 3},
      {"Vec3d 2 1 2 3 4 5 6 0 ", 2},
      {"Rigid3d 1 0 0 0 0 0 0 1", 1},
      {"", 0},
      {"{}", 0},
      {"{\"data\"", 0},
      {"{\"data\": [[1, 2}", 0},
      {"{\"data\": [[[[1]]]]}", 0},
      {"{\"data\": [[1]]} x", 0},
      {"{\"data\": [nan]}", 0},
      {"{\"data\": [1e999]}", 0},
      {"{\"data\": [\"1\"]}", 0},
      {"{\"data\": [1], \"a\": [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", 0},
      {"{\"data\": [1], \"a\\q\": 1}", 0},
      {"Vec3d 2 1 2 3", 0},
      {"Vec3d -1", 0},
      {"Vec3d 1e18 1", 0},
      {"double", 0},
      {"double one", 0},
      {"Mat3x3d 1", 0},
  };
  dvTelegram t = {0};
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    const char *why = NULL;
    bool good = dv_telegram_read(cases[i].text, strlen(cases[i].text), &t, &why);
    if (good != (cases[i].lists > 0) || t.ends.count != cases[i].lists || good == (why != NULL))
      fail_msg("'%s' was read as %d, %zu lists: %s", cases[i].text, good, t.ends.count, why ? why : "");
  }
  const char *why;
  assert_false(dv_telegram_read("double 1\0 2", 11, &t, &why));   // a 0 inside
  dv_telegram_free(&t);
}

// --- two scenes in one process -------------------------------------------------------------------

static int free_port(int type)
{
  struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof here;
  int s = socket(AF_INET, type, 0);
  assert_int_equal(bind(s, (struct sockaddr *)&here, sizeof here), 0);
  assert_int_equal(getsockname(s, (struct sockaddr *)&here, &size), 0);
  close(s);
  return ntohs(here.sin_port);
}

typedef struct Heard {
  dvLogTap tap;
  dvText text;
} Heard;

static void hear(void *user, const dvMessage *m)
{
  Heard *h = user;
  dv_text_add(&h->text, m->text);
  dv_text_add(&h->text, "\n");
}

static void listen_to(dvScene *s, Heard *h)
{
  *h = (Heard){.tap = {.sink = hear, .user = h}};
  dv_text_add(&h->text, "");
  dv_log_tap(&s->context->log, &h->tap);
}

static void end_listening(dvScene *s, Heard *h)
{
  dv_log_untap(&s->context->log, &h->tap);
  dv_text_free(&h->text);
}

static dvScene *partner(const char *job, const char *way, const char *pattern, int port, const char *rest)
{
  char *text =
      dv_format("<Node name='root' dt='0.01'><MechanicalObject name='dofs' position='1 2 3 4 5 6'/>"
                "<CommunicationController name='com' job='%s' transport='%s' pattern='%s' port='%d' %s/></Node>",
                job, way, pattern, port, rest);
  dvScene *s = check_scene(text, 1);
  dv_free(text);
  return s;
}

static int count_of(dvScene *s, const char *field)
{
  return *(const int32_t *)dv_object_field(check_find(s, "com"), field)->value;
}

static const dvReals *data_of(dvScene *s, const char *field)
{
  return dv_object_field(check_find(s, "com"), field)->value;
}

// steps both until the condition holds; a partner needs a moment to be there
#define until(condition, s, r)                                           \
  do {                                                                   \
    double begin_ = dv_now();                                            \
    while (!(condition)) {                                               \
      if (dv_now() - begin_ > 20) fail_msg("%s never came", #condition); \
      if (s) check_steps(s, 1);                                          \
      if (r) check_steps(r, 1);                                          \
      usleep(1000);                                                      \
    }                                                                    \
  } while (0)

static void what_is_sent_arrives(void **state)
{
  DV_UNUSED(state);
  static const char *const ways[] = {"tcp", "udp", "zeromq"};
  static const char *const patterns[] = {"publish/subscribe", "request/reply"};
  for (size_t i = 0; i < DV_COUNT(ways) * DV_COUNT(patterns); i++) {
    const char *way = ways[i / 2], *pattern = patterns[i % 2];
    if (dv_same(way, "zeromq") && !dv_wire_has_zeromq()) {
      print_message("libzmq is not installed: ZeroMQ is not tried\n");
      break;
    }
    int port = free_port(dv_same(way, "udp") ? SOCK_DGRAM : SOCK_STREAM);
    dvScene *s = partner("sender", way, pattern, port, "template='Vec3d' data1='@dofs.position' data2='7 8 9'");
    dvScene *r = partner("receiver", way, pattern, port, "template='Vec3d' nbDataField='2'");
    until(count_of(r, "messages") >= 3, s, r);
    assert_int_equal(count_of(r, "connected"), 1);
    assert_int_equal(count_of(s, "connected"), 1);
    assert_int_equal(count_of(r, "refused"), 0);
    const dvReals *one = data_of(r, "data1"), *two = data_of(r, "data2");
    assert_int_equal(one->count, 6);
    assert_int_equal(two->count, 3);
    for (int k = 0; k < 6; k++) assert_true(one->data[k] == k + 1);
    assert_true(two->data[2] == 9);
    check_close_scene(&s), check_close_scene(&r);
  }
}

// nobody there, then somebody, gone, and there again: each is told with what happens next
static void a_lost_partner_is_told(void **state)
{
  DV_UNUSED(state);
  static const char *const ways[] = {"tcp", "udp"};
  for (size_t i = 0; i < DV_COUNT(ways); i++) {
    Heard heard, heard_sender;
    int port = free_port(i ? SOCK_DGRAM : SOCK_STREAM);
    dvScene *r = partner("receiver", ways[i], "publish/subscribe", port, "timeOut='300' data1='5'");
    listen_to(r, &heard);
    until(strstr(heard.text.text, "nothing has come from 127.0.0.1"), NULL, r);
    assert_non_null(strstr(heard.text.text, "data keeps its values, and it is tried again"));
    assert_true(data_of(r, "data1")->data[0] == 5);
    dvScene *s = partner("sender", ways[i], "publish/subscribe", port, "timeOut='300' data1='42'");
    until(data_of(r, "data1")->data[0] == 42, s, r);
    assert_non_null(strstr(heard.text.text, "is there again"));
    check_close_scene(&s);
    until(strstr(heard.text.text, "is lost: data keeps its last values"), NULL, r);
    assert_true(data_of(r, "data1")->data[0] == 42);
    s = partner("sender", ways[i], "publish/subscribe", port, "timeOut='300' data1='43'");
    listen_to(s, &heard_sender);
    until(data_of(r, "data1")->data[0] == 43, s, r);
    end_listening(r, &heard);
    check_close_scene(&r);
    until(strstr(heard_sender.text.text, "the last receiver"), s, NULL);
    end_listening(s, &heard_sender);
    check_close_scene(&s);
  }
}

static void a_port_that_is_taken_is_told(void **state)
{
  DV_UNUSED(state);
  Heard heard;
  int port = free_port(SOCK_STREAM);
  dvScene *s = partner("sender", "tcp", "publish/subscribe", port, "data1='1'");
  check_steps(s, 1);
  dvScene *t = partner("sender", "tcp", "publish/subscribe", port, "data1='2'");
  listen_to(t, &heard);
  check_steps(t, 1);
  assert_non_null(strstr(heard.text.text, "nothing is sent until that works"));
  check_close_scene(&s);
  dvScene *r = partner("receiver", "tcp", "publish/subscribe", port, "data1='0'");
  until(data_of(r, "data1")->data[0] == 2, t, r);   // it has got the port
  end_listening(t, &heard);
  check_close_scene(&t), check_close_scene(&r);
}

// --- strangers -----------------------------------------------------------------------------------

static int stranger_listens(int *port)
{
  struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof here;
  int s = socket(AF_INET, SOCK_STREAM, 0);
  assert_int_equal(bind(s, (struct sockaddr *)&here, sizeof here), 0);
  assert_int_equal(listen(s, 1), 0);
  assert_int_equal(getsockname(s, (struct sockaddr *)&here, &size), 0);
  *port = ntohs(here.sin_port);
  return s;
}

// a sender that says nothing, then rubbish, then a line without end
static void a_mad_sender_delays_nothing(void **state)
{
  DV_UNUSED(state);
  Heard heard;
  int port, door = stranger_listens(&port);
  dvScene *r = partner("receiver", "tcp", "request/reply", port, "data1='5'");
  listen_to(r, &heard);
  check_steps(r, 1);
  int socket = accept(door, NULL, NULL);
  assert_true(socket >= 0);
  double begin = dv_now();
  check_steps(r, 100);   // silence
  assert_true(dv_now() - begin < 2);
  static const char rubbish[] =
      "double 1 2 3 4\n\xff\xfe\n{\"data\": [[]]}\n{\"template\": \"Vec3d\", \"data\": [[1,2,3]]}\n";
  for (size_t i = 0, from = 0; i + 1 < sizeof rubbish; i++)
    if (rubbish[i] == '\n') {
      int before = count_of(r, "refused") + count_of(r, "messages");
      assert_int_equal(write(socket, rubbish + from, i + 1 - from), i + 1 - from);
      until(count_of(r, "refused") + count_of(r, "messages") > before, NULL, r);
      from = i + 1;
    }
  assert_int_equal(count_of(r, "refused"), 3);
  assert_int_equal(count_of(r, "messages"), 1);   // an empty list of numbers is one
  assert_int_equal(data_of(r, "data1")->count, 0);
  char *flood = dv_alloc(1 << 16);
  memset(flood, '1', 1 << 16);
  begin = dv_now();
  for (int i = 0; i < 2000 && count_of(r, "connected"); i++) {
    (void)!send(socket, flood, 1 << 16, MSG_DONTWAIT | MSG_NOSIGNAL);
    check_steps(r, 1);
  }
  assert_int_equal(count_of(r, "connected"), 0);   // it was hung up on
  assert_true(dv_now() - begin < 10);
  dv_free(flood);
  close(socket), close(door);
  end_listening(r, &heard);
  check_close_scene(&r);
}

// a receiver that never reads misses messages; more than there are places for are sent away
static void a_deaf_receiver_delays_nothing(void **state)
{
  DV_UNUSED(state);
  int port = free_port(SOCK_STREAM), deaf[20];
  dvText numbers = {0};
  for (int i = 0; i < 5000; i++) dv_text_printf(&numbers, "%d.125 ", i);
  char *rest = dv_format("data1='%s'", numbers.text);
  dvScene *s = partner("sender", "tcp", "publish/subscribe", port, rest);
  check_steps(s, 1);
  struct sockaddr_in there = {
      .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons((uint16_t)port)};
  for (size_t i = 0; i < DV_COUNT(deaf); i++) {
    deaf[i] = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(deaf[i], (struct sockaddr *)&there, sizeof there), 0);
    check_steps(s, 1);
  }
  assert_int_equal(count_of(s, "connected"), 16);
  double begin = dv_now();
  check_steps(s, 200);
  print_message("200 steps to 16 deaf receivers: %.2f s\n", dv_now() - begin);
  assert_true(dv_now() - begin < 10);
  for (size_t i = 0; i < DV_COUNT(deaf); i++) close(deaf[i]);
  check_steps(s, 2);
  assert_int_equal(count_of(s, "connected"), 0);
  dv_free(rest), dv_text_free(&numbers);
  check_close_scene(&s);
}

static void bad_settings_are_told(void **state)
{
  DV_UNUSED(state);
  static const struct {
    const char *attributes, *text;
  } cases[] = {
      {"port='http'", "is no port"},
      {"port='70000'", "is no port"},
      {"port='0' job='receiver'", "is no port"},
      {"ip='robot.example'", "is no address in numbers"},
      {"template='Mat3x3d'", "are not sent"},
      {"timeOut='-1'", "cannot pass"},
      {"nbDataField='0'", "1 to 64"},
      {"nbDataField='65'", "1 to 64"},
  };
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    dvContext *context = dv_divan_create(1);
    Heard heard = {.tap = {.sink = hear, .user = &heard}};
    dv_text_add(&heard.text, "");
    dv_log_tap(&context->log, &heard.tap);
    char *text = dv_format("<Node><CommunicationController transport='tcp' %s/></Node>", cases[i].attributes);
    dvScene *scene = NULL;
    dvStatus status = dv_scene_parse(context, "test.scn", text, strlen(text), &scene);
    if (status == DV_OK) status = dv_scene_init(scene);
    if (status == DV_OK || !strstr(heard.text.text, cases[i].text))
      fail_msg("%s: status %d, %s", cases[i].attributes, (int)status, heard.text.text);
    dv_scene_destroy(&scene);
    dv_log_untap(&context->log, &heard.tap);
    dv_text_free(&heard.text);
    dv_free(text);
    dv_divan_destroy(&context);
  }
}

// --- two processes -------------------------------------------------------------------------------

static char *with_ports(const char *file, int there, int back)
{
  static const char *const old[] = {"port=\"5556\"", "port=\"5557\"", "filename=\"mesh/"};
  char *path = dv_format("%s/scenes/robot/%s", DIVAN_SOURCE_DIR, file), *text = dv_file_read(path, NULL);
  dv_free(path);
  assert_non_null(text);
  for (int i = 0; i < 3; i++) {
    dvText out = {0};
    const char *at = text;
    for (const char *next; (next = strstr(at, old[i])); at = next + strlen(old[i])) {
      dv_text_add_n(&out, at, (size_t)(next - at));
      if (i < 2) dv_text_printf(&out, "port=\"%d\"", i ? back : there);
      else dv_text_printf(&out, "filename=\"%s/scenes/robot/mesh/", DIVAN_SOURCE_DIR);
    }
    dv_text_add(&out, at);
    dv_free(text);
    text = dv_text_take(&out);
  }
  return text;
}

enum { STEPS = 120, SETTLED = 50 };

// the robot: steps as fast as it can, tells through the pipe when a message has come, and at the end how far it was
static void run_robot(char *text, int pipe)
{
  dvScene *s = check_scene(text, 1);
  dvObject *link = check_find(s, "link");
  const int32_t *messages = dv_object_field(link, "messages")->value;
  const dvReals *goal = dv_object_field(link, "data5")->value;
  double most = 0, begin = dv_now();
  for (int seen = 0; seen < STEPS && dv_now() - begin < 300;) {
    check_steps(s, 1);
    if (*messages == seen) continue;
    seen = *messages;
    double sum = 0;
    for (size_t k = 0; k < 3; k++) sum += pow(goal->data[k] - check_value(s, "robot/effector/point", DV_X, k), 2);
    if (seen > SETTLED) most = fmax(most, sqrt(sum));
    if (write(pipe, "", 1) != 1) break;
  }
  check_steps(s, 1);   // the last position goes back
  if (write(pipe, &most, sizeof most) != sizeof most) _exit(1);
  poll(NULL, 0, 200);
  check_close_scene(&s);
  dv_free(text);
}

static bool comes_within(int pipe, int seconds)
{
  struct pollfd wait = {.fd = pipe, .events = POLLIN};
  return poll(&wait, 1, 1000 * seconds) == 1;
}

static void another_process_follows(void **state)
{
  DV_UNUSED(state);
  int there = free_port(SOCK_STREAM), back = free_port(SOCK_STREAM), ends[2];
  char *inverse = with_ports("sent.scn", there, back), *direct = with_ports("received.scn", there, back);
  assert_int_equal(pipe(ends), 0);
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    dv_free(inverse);
    run_robot(direct, ends[1]);
    _exit(0);
  }
  close(ends[1]);
  dvScene *s = check_scene(inverse, 1);
  const int32_t *connected = dv_object_field(check_find(s, "link"), "connected")->value;
  double begin = dv_now();
  int steps = 0;
  char token;
  while (steps < STEPS && dv_now() - begin < 300) {
    int sent = *(const int32_t *)dv_object_field(check_find(s, "link"), "messages")->value;
    check_steps(s, 1);
    if (*(const int32_t *)dv_object_field(check_find(s, "link"), "messages")->value == sent) {
      assert_int_equal(*connected, 0);   // the robot is still being set up; the goal waits for nobody
      usleep(1000);
      if (steps == 0) dv_scene_reset(s);
      continue;
    }
    if (!comes_within(ends[0], 60) || read(ends[0], &token, 1) != 1) fail_msg("the robot does not answer any more");
    steps++;
  }
  double most = 1;
  assert_true(comes_within(ends[0], 60));
  assert_int_equal(read(ends[0], &most, sizeof most), sizeof most);
  print_message("the platform of the stiffer robot follows within %.3f mm\n", 1000 * most);
  assert_true(most > 1e-6 && most < 0.0015);
  check_steps(s, 5);
  const dvReals *measured = dv_object_field(check_find(s, "measured"), "data1")->value;
  double sum = 0;   // what has come back is where the robot is
  for (size_t k = 0; k < 3; k++) sum += pow(measured->data[k] - check_value(s, "robot/effector/point", DV_X, k), 2);
  assert_true(sqrt(sum) < 0.003);
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  close(ends[0]);
  dv_free(inverse), dv_free(direct);
  check_close_scene(&s);
}

int main(void)
{
  unsetenv("DIVAN_OFFLINE");
  const struct CMUnitTest tests[] = {cmocka_unit_test(messages_are_read_as_they_were_written),
                                     cmocka_unit_test(what_is_no_message_is_refused),
                                     cmocka_unit_test(another_process_follows),
                                     cmocka_unit_test(what_is_sent_arrives),
                                     cmocka_unit_test(a_lost_partner_is_told),
                                     cmocka_unit_test(a_port_that_is_taken_is_told),
                                     cmocka_unit_test(a_mad_sender_delays_nothing),
                                     cmocka_unit_test(a_deaf_receiver_delays_nothing),
                                     cmocka_unit_test(bad_settings_are_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
