// Trackers of other machines, by the protocol of VRPN (tracker.h) over TCP: where a sensor is, and buttons. They are
// input only. Nothing waits: connecting, greeting and reading go on from tick to tick, and a server that is gone is
// called again every second.
#include "haptic/device.h"
#include "haptic/tracker.h"

#include "scene/outside.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define AGAIN 1.0   // s, until a server is called again

typedef enum Stage { CLOSED, CALLING, TALKING } Stage;

typedef struct Tracker {
  dvDevice device;
  struct sockaddr_storage server;
  socklen_t server_size;
  int socket;
  Stage stage;
  double since;   // s, of the stage
  dvVrpn words;
} Tracker;

static void hang_up(Tracker *t, double time)
{
  if (t->socket >= 0) close(t->socket);
  t->socket = -1;
  t->stage = CLOSED;
  t->since = time;
}

static void call(Tracker *t, double time)
{
  int on = 1;
  t->since = time;
  t->socket = socket(t->server.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (t->socket < 0) return;
  setsockopt(t->socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  t->stage = CALLING;
  if (connect(t->socket, (const struct sockaddr *)&t->server, t->server_size) != 0 && errno != EINPROGRESS)
    hang_up(t, time);
}

// once the connection stands the cookie goes out
static void greet(Tracker *t, double time)
{
  struct pollfd p = {.fd = t->socket, .events = POLLOUT};
  int error = 0;
  socklen_t size = sizeof error;
  if (poll(&p, 1, 0) == 0) {
    if (time - t->since > AGAIN) hang_up(t, time);
    return;
  }
  bool good = getsockopt(t->socket, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
  if (!good || send(t->socket, dv_vrpn_cookie, DV_VRPN_COOKIE, MSG_NOSIGNAL) != DV_VRPN_COOKIE) {
    hang_up(t, time);
    return;
  }
  char name[sizeof t->words.name];
  memcpy(name, t->words.name, sizeof name);
  dv_vrpn_begin(&t->words, name, t->words.sensor);
  t->stage = TALKING;
}

static void listen_to(Tracker *t, double time)
{
  unsigned char bytes[4096];
  for (int i = 0; i < 16; i++) {   // no flood keeps it from its tick
    ssize_t size = recv(t->socket, bytes, sizeof bytes, MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (size <= 0) {
      hang_up(t, time);
      return;
    }
    dv_vrpn_take(&t->words, bytes, (size_t)size);
    if (t->words.foreign) {
      hang_up(t, time);
      return;
    }
  }
}

static bool vrpn_read(dvDevice *d, double time, dvDeviceSample *out)
{
  Tracker *t = (Tracker *)d;
  if (t->stage == CLOSED && time - t->since >= AGAIN) call(t, time);
  if (t->stage == CALLING) greet(t, time);
  if (t->stage == TALKING) listen_to(t, time);
  if (t->stage != TALKING || t->words.poses == 0) return false;
  memset(out, 0, sizeof *out);
  memcpy(out->pose, t->words.pose, sizeof out->pose);
  out->buttons = t->words.buttons;
  return true;
}

static void vrpn_write(dvDevice *d, double dt, const double wrench[6])
{
  DV_UNUSED(d), DV_UNUSED(dt), DV_UNUSED(wrench);
}

static void vrpn_close(dvDevice **d)
{
  hang_up((Tracker *)*d, 0);
  dv_free(*d);
  *d = NULL;
}

static const dvDeviceOps vrpn_ops = {.name = "VRPN", .read = vrpn_read, .write = vrpn_write, .close = vrpn_close};

// name@host:port
static bool resolve(Tracker *t, const dvObject *owner, const char *address)
{
  const char *at = strrchr(address, '@');
  size_t length = at ? (size_t)(at - address) : 0;
  if (length == 0 || length >= sizeof t->words.name || at[1] == 0) {
    dv_error(owner, "tracker=\"Tracker0@localhost\" or \"Tracker0@10.0.0.5:3883\"", "'%s' names no tracker of a server",
             address);
    return false;
  }
  char *host = dv_format("%s", at + 1), *colon = strrchr(host, ':');
  if (colon) *colon = 0;
  const char *port = colon ? colon + 1 : "3883";
  struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM}, *found = NULL;
  int error = getaddrinfo(host, port, &hints, &found);
  bool good = error == 0 && found->ai_addrlen <= sizeof t->server;
  if (good) {
    memcpy(&t->server, found->ai_addr, found->ai_addrlen);
    t->server_size = found->ai_addrlen;
    char name[sizeof t->words.name] = {0};
    memcpy(name, address, length);
    dv_vrpn_begin(&t->words, name, t->words.sensor);
  } else {
    dv_error(owner, "is the name of the machine right? Its number does as well", "%s port %s is no address: %s", host,
             port, gai_strerror(error));
  }
  if (found) freeaddrinfo(found);
  dv_free(host);
  return good;
}

dvDevice *dv_vrpn_create(const dvObject *owner, const char *address, int sensor)
{
  if (!dv_outside_is_permitted(owner, "connections")) return NULL;
  Tracker *t = dv_alloc(sizeof *t);
  *t = (Tracker){.device = {.ops = &vrpn_ops, .forces = 3}, .socket = -1, .since = -AGAIN};
  t->words.sensor = sensor;
  if (resolve(t, owner, address)) return &t->device;
  dv_free(t);
  return NULL;
}
