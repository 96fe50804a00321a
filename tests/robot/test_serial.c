// SerialPortBridgeGeneric at a pseudo-terminal: packets have their bytes, answers are read, a port that is lost or does
// not read is told and delays nothing.
#include "support/check.h"
#include "support/scene.h"

#include "base/clock.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static int open_card(void)
{
  int card = posix_openpt(O_RDWR | O_NOCTTY);
  assert_true(card >= 0 && grantpt(card) == 0 && unlockpt(card) == 0);
  return card;
}

static dvScene *bridge(const char *port, const char *rest)
{
  char *text = dv_format("<Node dt='0.01'><SerialPortBridgeGeneric name='serial' port='%s' %s/></Node>", port, rest);
  dvScene *s = check_scene(text, 1);
  dv_free(text);
  return s;
}

static void *field(dvScene *s, const char *name) { return dv_object_field(check_find(s, "serial"), name)->value; }

static void check_bytes(int card, const char *bytes, size_t count)
{
  char got[256];
  size_t n = 0;
  struct pollfd wait = {.fd = card, .events = POLLIN};
  while (n < count && poll(&wait, 1, 5000) == 1) {
    ssize_t more = read(card, got + n, sizeof got - n);
    if (more <= 0) break;
    n += (size_t)more;
  }
  assert_int_equal(n, count);
  assert_memory_equal(got, bytes, count);
}

static void packets_have_their_bytes(void **state)
{
  DV_UNUSED(state);
  static const struct {
    const char *attributes, *bytes;
    size_t count;
  } cases[] = {
      {"packetOut='1 2 10 13' baudRate='115200'", "\xff\1\2\n\r", 5},   // no byte is taken for a sign
      {"packetOut='2.6 4.4' size='2' header='250' redundancy='2'", "\xfa\3\4\xfa\3\4", 6},
      {"packetOut='258 65535' precise='1'", "\xff\1\2\xff\xff", 5},
      {"packetOut='258 772' precise='1' splitPacket='1'", "\xff\1\2\xfe\3\4", 6},
      {"sentData='7' size='1'", "\xff\7", 2},
  };
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    int card = open_card();
    dvScene *s = bridge(ptsname(card), cases[i].attributes);
    check_steps(s, 1);
    assert_true(*(bool *)field(s, "connected"));
    check_bytes(card, cases[i].bytes, cases[i].count);
    check_close_scene(&s);
    close(card);
  }
}

static void answers_are_read(void **state)
{
  DV_UNUSED(state);
  int card = open_card();
  dvScene *s = bridge(ptsname(card), "packetOut='1' receive='1'");
  check_steps(s, 2);
  const dvInts *in = field(s, "packetIn");
  assert_int_equal(in->count, 0);
  assert_int_equal(write(card, "\0\x80\xff\x03", 4), 4);
  for (int i = 0; i < 1000 && in->count == 0; i++) check_steps(s, 1), usleep(1000);
  assert_int_equal(in->count, 4);
  assert_true(in->data[0] == 0 && in->data[1] == 128 && in->data[2] == 255 && in->data[3] == 3);
  check_steps(s, 2);
  assert_int_equal(in->count, 4);   // stays where nothing has come
  check_close_scene(&s);
  close(card);
}

// numbers that do not fit are not sent, and told once
static void numbers_that_do_not_fit_stay(void **state)
{
  DV_UNUSED(state);
  static const char *const bad[] = {"packetOut='255.5'", "packetOut='-1'", "packetOut='1 2' size='3'",
                                    "packetOut='65536' precise='1'"};
  for (size_t i = 0; i < DV_COUNT(bad); i++) {
    int card = open_card();
    dvScene *s = bridge(ptsname(card), bad[i]);
    check_steps(s, 3);
    struct pollfd wait = {.fd = card, .events = POLLIN};
    assert_int_equal(poll(&wait, 1, 50), 0);
    assert_int_equal(*(int32_t *)field(s, "packets"), 0);
    check_close_scene(&s);
    close(card);
  }
}

// a card that does not read: whole packets are left out, none is cut; one that is pulled out is told
static void a_deaf_card_delays_nothing(void **state)
{
  DV_UNUSED(state);
  int card = open_card();
  dvText numbers = {0};
  for (int i = 0; i < 1000; i++) dv_text_printf(&numbers, "%d ", i % 250);
  char *rest = dv_format("packetOut='%s'", numbers.text);
  dvScene *s = bridge(ptsname(card), rest);
  double begin = dv_now();
  check_steps(s, 300);
  assert_true(dv_now() - begin < 2);
  int32_t packets = *(int32_t *)field(s, "packets");
  assert_true(packets < 300);
  fcntl(card, F_SETFL, O_NONBLOCK);
  unsigned char bytes[1001];
  size_t at = 0, whole = 0;
  for (int i = 0; i < 2000 && whole < 40; i++) {
    ssize_t n = read(card, bytes + at, sizeof bytes - at);
    if (n > 0) at += (size_t)n;
    if (at == sizeof bytes) {
      assert_int_equal(bytes[0], 255);
      for (int k = 0; k < 1000; k++) assert_int_equal(bytes[k + 1], k % 250);
      at = 0, whole++;
    }
    if (n <= 0) check_steps(s, 1);
  }
  assert_int_equal(whole, 40);
  close(card);
  check_steps(s, 2);
  assert_false(*(bool *)field(s, "connected"));
  check_close_scene(&s);
  dv_free(rest), dv_text_free(&numbers);
}

static void bad_settings_are_told(void **state)
{
  DV_UNUSED(state);
  static const char *const bad[] = {"",
                                    "port='x' baudRate='1234'",
                                    "port='x' redundancy='0'",
                                    "port='x' header=''",
                                    "port='x' header='255' precise='1' splitPacket='1'",
                                    "port='x' header='300'"};
  for (size_t i = 0; i < DV_COUNT(bad); i++) {
    dvContext *context = dv_divan_create(1);
    char *text = dv_format("<Node><SerialPortBridgeGeneric %s/></Node>", bad[i]);
    dvScene *scene = NULL;
    dvStatus status = dv_scene_parse(context, "test.scn", text, strlen(text), &scene);
    if (status == DV_OK) status = dv_scene_init(scene);
    if (status == DV_OK) fail_msg("%s passed", bad[i]);
    dv_scene_destroy(&scene);
    dv_free(text);
    dv_divan_destroy(&context);
  }
  // what is no serial port is told and the scene runs
  static const char *const ports[] = {"/dev/null", "/nowhere", "/"};
  for (size_t i = 0; i < DV_COUNT(ports); i++) {
    dvScene *s = bridge(ports[i], "packetOut='1'");
    check_steps(s, 3);
    assert_false(*(bool *)field(s, "connected"));
    check_close_scene(&s);
  }
}

int main(void)
{
  unsetenv("DIVAN_OFFLINE");
  const struct CMUnitTest tests[] = {cmocka_unit_test(packets_have_their_bytes), cmocka_unit_test(answers_are_read),
                                     cmocka_unit_test(numbers_that_do_not_fit_stay),
                                     cmocka_unit_test(a_deaf_card_delays_nothing),
                                     cmocka_unit_test(bad_settings_are_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
