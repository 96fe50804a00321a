// Any program as a device: packets of numbers over UDP. All numbers are little-endian, without gaps.
//
//   to Divan      "DVH1", uint32 sequence, float64 x y z (m), float64 qx qy qz qw, uint32 buttons      68 bytes
//   from Divan    "DVF1", uint32 sequence, float64 force x y z (N), float64 torque x y z (N m)         56 bytes
//
// Each tick takes the newest packet and answers whoever sent it. Packets that are older than the last one, of another
// length or without the word are passed over. A device that has sent nothing for a quarter of a second is gone.
#include "haptic/device.h"

#include "scene/outside.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { IN = 68, OUT = 56 };
#define GONE 0.25   // s

typedef struct Udp {
  dvDevice device;
  int socket;
  struct sockaddr_in peer;
  uint32_t sequence;
  double heard;   // when the last packet came; negative before the first
  dvDeviceSample last;
} Udp;

static bool take(Udp *u, const unsigned char *packet, ssize_t size)
{
  uint32_t sequence;
  if (size != IN || memcmp(packet, "DVH1", 4) != 0) return false;
  memcpy(&sequence, packet + 4, sizeof sequence);
  // wraps around; a device that begins anew begins behind a pause
  if (u->heard >= 0 && (int32_t)(sequence - u->sequence) <= 0) return false;
  u->sequence = sequence;
  memcpy(u->last.pose, packet + 8, sizeof u->last.pose);
  memcpy(&u->last.buttons, packet + 64, sizeof u->last.buttons);
  return true;
}

static bool udp_read(dvDevice *d, double time, dvDeviceSample *out)
{
  Udp *u = (Udp *)d;
  unsigned char packet[IN + 1];
  struct sockaddr_in from;
  if (u->heard >= 0 && time - u->heard > GONE) u->heard = -1;
  for (int i = 0; i < 16; i++) {   // no flood keeps it from its tick
    socklen_t length = sizeof from;
    ssize_t size = recvfrom(u->socket, packet, sizeof packet, MSG_DONTWAIT, (struct sockaddr *)&from, &length);
    if (size < 0) break;
    if (!take(u, packet, size)) continue;
    u->peer = from;
    u->heard = time;
  }
  *out = u->last;
  return u->heard >= 0;
}

static void udp_write(dvDevice *d, double dt, const double wrench[6])
{
  DV_UNUSED(dt);
  Udp *u = (Udp *)d;
  unsigned char packet[OUT] = "DVF1";
  memcpy(packet + 4, &u->sequence, sizeof u->sequence);
  memcpy(packet + 8, wrench, 6 * sizeof *wrench);
  if (u->peer.sin_family == AF_INET)
    (void)!sendto(u->socket, packet, sizeof packet, MSG_DONTWAIT, (const struct sockaddr *)&u->peer, sizeof u->peer);
}

static void udp_close(dvDevice **d)
{
  close(((Udp *)*d)->socket);
  dv_free(*d);
  *d = NULL;
}

static const dvDeviceOps udp_ops = {.name = "UDP", .read = udp_read, .write = udp_write, .close = udp_close};

dvDevice *dv_udp_create(const dvObject *owner, const char *address, int port)
{
  struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  if (port < 0 || port > 65535 || inet_pton(AF_INET, address, &here.sin_addr) != 1) {
    dv_error(owner, "127.0.0.1 and 8133 are the defaults", "%s port %d is no address", address, port);
    return NULL;
  }
  if (!dv_outside_is_permitted(owner, "connections")) return NULL;
  int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (s < 0 || bind(s, (const struct sockaddr *)&here, sizeof here) != 0) {
    dv_error(owner, "is another program at this port?", "port %d of %s cannot be listened to: %s", port, address,
             strerror(errno));
    if (s >= 0) close(s);
    return NULL;
  }
  Udp *u = dv_alloc(sizeof *u);
  *u = (Udp){.device = {.ops = &udp_ops, .forces = 6}, .socket = s, .heard = -1};
  u->last.pose[6] = 1;
  return &u->device;
}
