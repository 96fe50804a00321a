// Devices of OpenHaptics (Geomagic Touch, Phantom Omni): the vendor's library is loaded when a scene asks for a device.
//
// Its scheduler is the thread of the loop: a callback between the beginning and the end of a frame reads transform,
// angles and buttons, and sets the force. DIVAN_HD names another library than libHD.so. Names and numbers are those of
// the vendor's interface.
#include "haptic/device.h"

#include "math/vec.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum {
  HD_CURRENT_BUTTONS = 0x2000,
  HD_CURRENT_TRANSFORM = 0x2052,
  HD_CURRENT_JOINT_ANGLES = 0x2100,
  HD_CURRENT_GIMBAL_ANGLES = 0x2150,
  HD_CURRENT_FORCE = 0x2700,
  HD_FORCE_OUTPUT = 0x4000,
  HD_MAX_FORCE_CLAMPING = 0x4001,
  HD_SOFTWARE_FORCE_LIMIT = 0x4003,
  HD_CALLBACK_CONTINUE = 1,
  HD_MAX_SCHEDULER_PRIORITY = 0xffff
};

typedef struct HdError {
  unsigned code;
  int internal;
  unsigned device;
} HdError;

typedef unsigned (*HdCallback)(void *user);

// what is used of the library
typedef struct Library {
  void *handle;
  unsigned (*init)(const char *name);
  void (*disable)(unsigned device);
  void (*make_current)(unsigned device);
  void (*begin)(unsigned device);
  void (*end)(unsigned device);
  void (*enable)(unsigned capability);
  void (*get_doubles)(unsigned what, double *out);
  void (*get_integers)(unsigned what, int *out);
  void (*set_doubles)(unsigned what, const double *values);
  HdError (*error)(void);
  const char *(*error_text)(unsigned code);
  void (*start)(void);
  void (*stop)(void);
  unsigned long (*schedule)(HdCallback callback, void *user, unsigned short priority);
  void (*unschedule)(unsigned long callback);
} Library;

typedef struct Vendor {
  dvDevice device;
  Library hd;
  unsigned id;
  unsigned long callback;
  void (*tick)(void *user);
  void *user;
  bool scheduled;
} Vendor;

static bool load(Library *l, const dvObject *owner)
{
  const char *path = getenv("DIVAN_HD"), *missing = NULL;
  l->handle = dlopen(path && *path ? path : "libHD.so", RTLD_NOW | RTLD_LOCAL);
  if (!l->handle) {
    dv_warning(owner, "install OpenHaptics, or run with --emulate-devices",
               "there is no device: the vendor's library is not there (%s)", dlerror());
    return false;
  }
  const struct {
    const char *name;
    void *slot;
  } names[] = {{"hdInitDevice", &l->init},
               {"hdDisableDevice", &l->disable},
               {"hdMakeCurrentDevice", &l->make_current},
               {"hdBeginFrame", &l->begin},
               {"hdEndFrame", &l->end},
               {"hdEnable", &l->enable},
               {"hdGetDoublev", &l->get_doubles},
               {"hdGetIntegerv", &l->get_integers},
               {"hdSetDoublev", &l->set_doubles},
               {"hdGetError", &l->error},
               {"hdGetErrorString", &l->error_text},
               {"hdStartScheduler", &l->start},
               {"hdStopScheduler", &l->stop},
               {"hdScheduleAsynchronous", &l->schedule},
               {"hdUnschedule", &l->unschedule}};
  for (size_t i = 0; i < DV_COUNT(names) && !missing; i++) {
    void *symbol = dlsym(l->handle, names[i].name);
    if (!symbol) missing = names[i].name;
    memcpy(names[i].slot, &symbol, sizeof symbol);   // a pointer to a function, as POSIX has it
  }
  if (!missing) return true;
  dv_warning(owner, "is it another version?", "there is no device: the vendor's library has no %s", missing);
  dlclose(l->handle);
  return false;
}

static bool vendor_read(dvDevice *d, double time, dvDeviceSample *out)
{
  DV_UNUSED(time);
  Vendor *v = (Vendor *)d;
  double m[16];
  int buttons = 0;
  v->hd.get_doubles(HD_CURRENT_TRANSFORM, m);
  v->hd.get_doubles(HD_CURRENT_JOINT_ANGLES, out->angles);
  v->hd.get_doubles(HD_CURRENT_GIMBAL_ANGLES, out->angles + 3);
  v->hd.get_integers(HD_CURRENT_BUTTONS, &buttons);
  if (v->hd.error().code != 0) return false;
  dvMat3 turn;
  for (int i = 0; i < 3; i++) {
    out->pose[i] = 0.001 * m[12 + i];   // mm, column by column
    for (int j = 0; j < 3; j++) turn.m[i][j] = m[4 * j + i];
  }
  dv_quat_store(out->pose + 3, dv_quat_from_matrix(turn));
  out->buttons = (uint32_t)buttons;
  return true;
}

static void vendor_write(dvDevice *d, double dt, const double wrench[6])
{
  DV_UNUSED(dt);
  Vendor *v = (Vendor *)d;
  if (v->scheduled) v->hd.set_doubles(HD_CURRENT_FORCE, wrench);   // within a frame only
}

static unsigned on_frame(void *user)
{
  Vendor *v = user;
  v->hd.make_current(v->id);
  v->hd.begin(v->id);
  v->tick(v->user);
  v->hd.end(v->id);
  return HD_CALLBACK_CONTINUE;
}

static bool vendor_start(dvDevice *d, void (*tick)(void *user), void *user)
{
  Vendor *v = (Vendor *)d;
  v->tick = tick;
  v->user = user;
  v->scheduled = true;
  v->callback = v->hd.schedule(on_frame, v, HD_MAX_SCHEDULER_PRIORITY);
  v->hd.start();
  return v->hd.error().code == 0;
}

static void vendor_stop(dvDevice *d)
{
  Vendor *v = (Vendor *)d;
  v->hd.stop();   // the scheduler lets the motors go
  v->hd.unschedule(v->callback);
  v->scheduled = false;
}

static void vendor_close(dvDevice **d)
{
  Vendor *v = (Vendor *)*d;
  v->hd.disable(v->id);
  dlclose(v->hd.handle);
  dv_free(v);
  *d = NULL;
}

static const dvDeviceOps vendor_ops = {.name = "OpenHaptics",
                                       .read = vendor_read,
                                       .write = vendor_write,
                                       .start = vendor_start,
                                       .stop = vendor_stop,
                                       .close = vendor_close};

dvDevice *dv_vendor_create(const dvObject *owner, const char *name)
{
  Vendor v = {.device = {.ops = &vendor_ops, .forces = 3}};
  if (!load(&v.hd, owner)) return NULL;
  v.id = v.hd.init(*name ? name : NULL);
  HdError error = v.hd.error();
  if (error.code != 0) {
    const char *text = v.hd.error_text(error.code);
    dv_warning(owner, "look at its cable and its name in the vendor's setup, or run with --emulate-devices",
               "the device %s does not answer: %s", *name ? name : "by default", text ? text : "no reason given");
    dlclose(v.hd.handle);
    return NULL;
  }
  v.hd.enable(HD_FORCE_OUTPUT);
  v.hd.enable(HD_MAX_FORCE_CLAMPING);
  v.hd.enable(HD_SOFTWARE_FORCE_LIMIT);
  Vendor *out = dv_alloc(sizeof *out);
  *out = v;
  return &out->device;
}
