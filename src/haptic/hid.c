// 3D mice (SpaceNavigator, SpaceMouse and their kin), read from the system's hidraw files.
//
// Such a mouse has a cap that springs back: how far it is pushed says how fast the hand goes, so
//
//   x' = speed c,    w = turnSpeed t
//
// with the cap's shift c and turn t (tracker.h) beyond a dead zone. It cannot push back. A device that is pulled out is
// looked for again twice a second.
#include "haptic/device.h"
#include "haptic/tracker.h"

#include "base/file.h"
#include "math/pose.h"
#include "scene/outside.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#define AGAIN 0.5      // s, until it is looked for again
#define LONGEST 0.05   // s, that a motion counts for: a loop that stood still does not jump

typedef struct Hid {
  dvDevice device;
  dvHidLooks looks;
  char *path;
  int file;
  double time, again;
  dvCap cap;
  dvPose pose;
} Hid;

// beyond the dead zone, 0 to 1 again
static double live(const Hid *h, double part)
{
  double size = fabs(part), dead = h->looks.dead_zone;
  return size <= dead ? 0 : copysign((size - dead) / (1 - dead), part);
}

static void move(Hid *h, double dt)
{
  dvVec3 shift = {live(h, h->cap.shift[0]), live(h, h->cap.shift[1]), live(h, h->cap.shift[2])},
         turn = {live(h, h->cap.turn[0]), live(h, h->cap.turn[1]), live(h, h->cap.turn[2])};
  h->pose.at = dv_vec3_add_scaled(h->pose.at, shift, dt * h->looks.speed);
  dvQuat by = dv_quat_from_rotation_vector(dv_vec3_scale(turn, dt * h->looks.turn_speed));
  h->pose.turn = dv_quat_normalise(dv_quat_mul(by, h->pose.turn));
}

static void open_file(Hid *h, double time)
{
  h->again = time + AGAIN;
  h->file = open(h->path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);   // permitted: see create
  memset(&h->cap, 0, sizeof h->cap);
  h->time = time;
}

// false: it is gone
static bool read_reports(Hid *h)
{
  unsigned char report[64];
  for (int i = 0; i < 16; i++) {   // no flood keeps it from its tick
    ssize_t size = read(h->file, report, sizeof report);
    if (size < 0) return errno == EAGAIN || errno == EINTR;
    if (size == 0) return false;
    dv_cap_report(&h->cap, report, (size_t)size);
  }
  return true;
}

static bool hid_read(dvDevice *d, double time, dvDeviceSample *out)
{
  Hid *h = (Hid *)d;
  if (h->file < 0 && time >= h->again) open_file(h, time);
  if (h->file < 0) return false;
  if (!read_reports(h)) {
    close(h->file);
    h->file = -1;
    return false;
  }
  move(h, dv_max(0, dv_min(LONGEST, time - h->time)));
  h->time = time;
  memset(out, 0, sizeof *out);
  dv_pose_store(out->pose, h->pose);
  out->buttons = h->cap.buttons;
  return true;
}

static void hid_write(dvDevice *d, double dt, const double wrench[6])
{
  DV_UNUSED(d), DV_UNUSED(dt), DV_UNUSED(wrench);
}

static void hid_close(dvDevice **d)
{
  Hid *h = (Hid *)*d;
  if (h->file >= 0) close(h->file);
  dv_free(h->path);
  dv_free(h);
  *d = NULL;
}

static const dvDeviceOps hid_ops = {.name = "3D mouse", .read = hid_read, .write = hid_write, .close = hid_close};

dvDevice *dv_hid_create(const dvObject *owner, const char *path, const dvHidLooks *looks)
{
  if (!dv_outside_is_permitted(owner, "devices")) return NULL;
  char *name = *path ? NULL : dv_cap_find("/sys/class/hidraw");
  if (!*path && !name) {
    dv_warning(owner, "plug it in, name its file in path (/dev/hidraw0), or run with --emulate-devices",
               "there is no 3D mouse");
    return NULL;
  }
  char *file = name ? dv_format("/dev/%s", name) : dv_format("%s", path);
  dv_free(name);
  int test = dv_file_permitted(file, false) ? open(file, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1;
  if (test < 0) {
    dv_warning(owner,
               "may you read it? A rule of udev such as: KERNEL==\"hidraw*\", ATTRS{idVendor}==\"256f\", MODE=\"0666\"",
               "the 3D mouse %s cannot be opened: %s", file, strerror(errno));
    dv_free(file);
    return NULL;
  }
  Hid *h = dv_alloc(sizeof *h);
  *h = (Hid){.device = {.ops = &hid_ops, .forces = 3}, .looks = *looks, .path = file, .file = test};
  h->pose = dv_pose_identity();
  return &h->device;
}
