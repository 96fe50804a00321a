// SerialPortBridgeGeneric: whole numbers from 0 to 255 to and from a card at a serial port (an Arduino that drives
// motors or pumps).
//
//   [header0, a, b, c …]                              one byte for each number
//   [header0, high, low, high, low …]                 precise: two, so that numbers go to 65535
//   [header0, first half], [header1, second half]     precise and splitPacket: the bytes in two packets
//
// The packet goes out at the end of a step, `redundancy` times; what has come is read at the beginning of one. Nothing
// waits: a port that does not take a packet gets the rest of it with the next step and misses the one between.
#include "robot/classes.h"

#include "base/clock.h"
#include "base/text.h"
#include "scene/node.h"
#include "scene/outside.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#define SERIAL_FIELDS(X)                                                                                           \
  X(string, port, "", "", "device of the port: /dev/ttyACM0", .flags = DV_REQUIRED)                                \
  X(int, baudRate, "9600", "1/s", "speed: 9600, 19200, 38400, 57600, 115200 …", .least = "50")                     \
  X(reals, packetOut, "", "", "numbers to send, rounded: 0 to 255, or to 65535 when precise", .alias = "sentData") \
  X(ints, packetIn, "", "", "bytes that came, those of the last step in which any did", .alias = "receivedData",   \
    .flags = DV_READ_ONLY)                                                                                         \
  X(ints, header, "255 254", "", "bytes that begin a packet: one, two when it is split")                           \
  X(int, size, "0", "", "how many numbers packetOut has to have; any number when it is not given", .least = "0")   \
  X(bool, precise, "0", "", "two bytes for each number")                                                           \
  X(bool, splitPacket, "0", "", "two packets instead of one; only when precise")                                   \
  X(int, redundancy, "1", "", "how often each packet is sent", .least = "1")                                       \
  X(bool, receive, "0", "", "read from the port too")                                                              \
  X(bool, connected, "0", "", "the port is open", .flags = DV_READ_ONLY)                                           \
  X(int, packets, "0", "", "packets that were handed over", .flags = DV_READ_ONLY)

enum { MOST_NUMBERS = 4096, MOST_READ = 4096, TOLD = 10 };

typedef struct Serial {
  dvObject base;
  SERIAL_FIELDS(DV_MEMBER)
  int file;   // -1 when it is not open
  bool permitted, told_numbers;
  int told;
  double again;                  // when it is tried again, by the clock
  DV_ARRAY(unsigned char) out;   // a packet, as often as it is sent
  size_t sent;
} Serial;

#define SELF Serial
static const dvFieldDesc serial_fields[] = {SERIAL_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc serial_memory[] = {DV_REMEMBER(ints, packetIn)};
#undef SELF

static const struct {
  int rate;
  speed_t code;
} speeds[] = {{50, B50},         {75, B75},         {110, B110},        {134, B134},       {150, B150},
              {200, B200},       {300, B300},       {600, B600},        {1200, B1200},     {1800, B1800},
              {2400, B2400},     {4800, B4800},     {9600, B9600},      {19200, B19200},   {38400, B38400},
              {57600, B57600},   {115200, B115200}, {230400, B230400},  {460800, B460800}, {500000, B500000},
              {576000, B576000}, {921600, B921600}, {1000000, B1000000}};

static const speed_t *speed_of(int rate)
{
  for (size_t i = 0; i < DV_COUNT(speeds); i++)
    if (speeds[i].rate == rate) return &speeds[i].code;
  return NULL;
}

// --- the port ------------------------------------------------------------------------------------

static void shut(Serial *s)
{
  if (s->file >= 0) close(s->file);
  s->file = -1;
  s->connected = false;
  s->out.count = s->sent = 0;
}

static void tell(Serial *s, const char *what, const char *why)
{
  if (s->told++ < TOLD)
    dv_field_warning(&s->base, &s->port, "is the card plugged in, and may you use the port (group dialout)?",
                     "%s %s (%s): nothing is sent or received, and it is tried again every second%s", s->port, what,
                     why, s->told == TOLD ? "; this is not told any more" : "");
}

static const char *set_up(int file, speed_t speed)
{
  struct termios t;
  if (tcgetattr(file, &t) != 0) return "it is no serial port";
  cfmakeraw(&t);
  t.c_cflag |= CLOCAL | CREAD;
  t.c_cc[VMIN] = t.c_cc[VTIME] = 0;
  if (cfsetispeed(&t, speed) != 0 || cfsetospeed(&t, speed) != 0 || tcsetattr(file, TCSANOW, &t) != 0)
    return "it does not take the speed";
  return NULL;
}

static void open_port(Serial *s)
{
  double now = dv_now();
  if (now < s->again) return;
  s->again = now + 1;
  s->file = open(s->port, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);   // permitted: see init
  const char *why = s->file < 0 ? strerror(errno) : set_up(s->file, *speed_of(s->baudRate));
  if (why) {
    shut(s);
    tell(s, "cannot be opened", why);
    return;
  }
  if (s->told) dv_note(&s->base, "%s is open again", s->port);
  s->connected = true;
}

// --- packets -------------------------------------------------------------------------------------

static bool fits(Serial *s)
{
  const dvObject *o = &s->base;
  int most = s->precise ? 65535 : 255;
  const char *wrong = NULL;
  if (dv_was_set(o, &s->size) && s->packetOut.count != (size_t)s->size) wrong = "has another length than size says";
  if (s->packetOut.count > MOST_NUMBERS) wrong = "is too long";
  for (size_t i = 0; i < s->packetOut.count && !wrong; i++)
    if (s->packetOut.data[i] < 0 || s->packetOut.data[i] > most)
      wrong = "has a number that does not fit into its bytes";
  if (wrong && !s->told_numbers)
    dv_field_warning(o, &s->packetOut, s->precise ? "0 to 65535" : "0 to 255; precise=\"1\" takes 0 to 65535",
                     "packetOut (%zu numbers) %s: it is not sent as long as that is so", s->packetOut.count, wrong);
  s->told_numbers = wrong != NULL;
  return !wrong;
}

static void add_packet(Serial *s)
{
  size_t bytes = s->packetOut.count * (s->precise ? 2 : 1);
  dv_push(&s->out, (unsigned char)s->header.data[0]);
  for (size_t i = 0; i < bytes; i++) {
    int number = (int)lround(s->packetOut.data[s->precise ? i / 2 : i]);
    if (s->splitPacket && i == bytes / 2) dv_push(&s->out, (unsigned char)s->header.data[1]);
    dv_push(&s->out, (unsigned char)(s->precise && i % 2 == 0 ? number >> 8 : number & 255));
  }
}

static void hand_over(Serial *s)
{
  while (s->sent < s->out.count) {
    ssize_t n = write(s->file, s->out.data + s->sent, s->out.count - s->sent);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) {
      const char *why = n < 0 ? strerror(errno) : "nothing is taken";
      shut(s);
      tell(s, "is lost", why);
      return;
    }
    s->sent += (size_t)n;
  }
  if (s->out.count) s->packets += s->redundancy;
  s->out.count = s->sent = 0;
}

static void send_packet(Serial *s)
{
  if (dv_pull(&s->base, &s->packetOut) != DV_OK || !fits(s)) return;
  if (s->out.count) hand_over(s);   // the rest of the last one
  if (s->out.count || s->file < 0) return;
  for (int i = 0; i < s->redundancy; i++) add_packet(s);
  hand_over(s);
}

static void read_bytes(Serial *s)
{
  unsigned char bytes[MOST_READ];
  ssize_t n = read(s->file, bytes, sizeof bytes);
  if (n < 0 && errno != EAGAIN && errno != EINTR) {
    const char *why = strerror(errno);
    shut(s);
    tell(s, "is lost", why);
  }
  if (n <= 0 || !dv_ints_resize(&s->packetIn, (size_t)n)) return;
  int32_t *to = dv_ints_edit(&s->packetIn);
  for (ssize_t i = 0; i < n; i++) to[i] = bytes[i];
  dv_touch(&s->base, &s->packetIn);
}

// --- life ----------------------------------------------------------------------------------------

static void serial_create(dvObject *o) { ((Serial *)o)->file = -1; }

static dvStatus serial_init(dvObject *o)
{
  Serial *s = (Serial *)o;
  shut(s);
  s->again = 0;
  if (!*s->port) return dv_error(o, "give port=\"/dev/ttyACM0\"", "%s has no port", o->name);
  if (!speed_of(s->baudRate))
    return dv_field_error(o, &s->baudRate, "9600 and 115200 are usual", "serial ports do not run at %d baud",
                          s->baudRate);
  if (s->redundancy < 1 || s->redundancy > 100)
    return dv_field_error(o, &s->redundancy, "1 to 100", "a packet cannot be sent %d times", s->redundancy);
  if (s->splitPacket && !s->precise) {
    dv_field_warning(o, &s->splitPacket, "set precise=\"1\"", "only precise packets are split: this one is not");
    s->splitPacket = false;
  }
  size_t needed = s->splitPacket ? 2 : 1;
  bool good = s->header.count >= needed;
  for (size_t i = 0; i < s->header.count; i++) good = good && s->header.data[i] >= 0 && s->header.data[i] <= 255;
  if (!good)
    return dv_field_error(o, &s->header, "255 254 is usual", "the header needs %zu number%s from 0 to 255", needed,
                          needed > 1 ? "s" : "");
  s->permitted = dv_outside_is_permitted(o, "ports");
  return DV_OK;
}

static void serial_event(dvObject *o, const dvEvent *event)
{
  Serial *s = (Serial *)o;
  if (o->failed || !s->permitted) return;
  if (event->kind == DV_EVENT_ANIMATE_BEGIN) {
    if (s->file < 0) open_port(s);
    if (s->file >= 0 && s->receive) read_bytes(s);
  }
  if (event->kind == DV_EVENT_ANIMATE_END && s->file >= 0) send_packet(s);
}

static void serial_destroy(dvObject *o)
{
  Serial *s = (Serial *)o;
  shut(s);
  dv_array_free(&s->out);
}

const dvClass dv_serial_class = {
    .struct_size = sizeof(dvClass),
    .name = "SerialPortBridgeGeneric",
    .help = "sends numbers to a card at a serial port, and reads what it answers",
    .module = "SoftRobots",
    .roles = DV_PLAYS(DV_ROLE_CONTROLLER),
    .size = sizeof(Serial),
    .blocks = {&dv_object_block, DV_BLOCK(serial_fields)},
    DV_MEMORY(serial_memory),
    .create = serial_create,
    .init = serial_init,
    .reinit = serial_init,
    .handle_event = serial_event,
    .destroy = serial_destroy,
};
