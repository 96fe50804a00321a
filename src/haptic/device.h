// Devices that are held in a hand: a pose and buttons come in, a force goes out.
//
// Everything is in the device's own frame and in metres. `read` and `write` are called by the haptic loop (loop.h), a
// thousand times a second and mostly from a thread of its own: they neither allocate nor wait, and only a device that
// lies outside of the process calls the system.
#ifndef DV_HAPTIC_DEVICE_H
#define DV_HAPTIC_DEVICE_H

#include "object/object.h"

typedef struct dvDeviceSample {
  double pose[7];     // m, quaternion
  double angles[6];   // joints and gimbal, rad; 0 where there are none
  uint32_t buttons;   // bits
} dvDeviceSample;

typedef struct dvDevice dvDevice;

typedef struct dvDeviceOps {
  const char *name;
  // Where the hand is at `time`, s; false: there is no device now.
  bool (*read)(dvDevice *d, double time, dvDeviceSample *out);
  // What pushes the hand for the next `dt` seconds: three forces in N, three torques in N m.
  void (*write)(dvDevice *d, double dt, const double wrench[6]);
  // A device with a servo thread of its own calls `tick` from it; false when that fails. Optional.
  bool (*start)(dvDevice *d, void (*tick)(void *user), void *user);
  void (*stop)(dvDevice *d);   // with `start`
  void (*close)(dvDevice **d);
} dvDeviceOps;

// First member of every device.
struct dvDevice {
  const dvDeviceOps *ops;
  int forces;       // 3, or 6 with torques
  double *memory;   // what the next read depends on, for snapshots; NULL: it lies outside
  size_t memory_count;
};

// How an emulated hand moves: it follows a recorded motion, or swings about a place. With a mass it is pushed aside:
//
//   m a = k (x_wanted - x) + b (v_wanted - v) + f
//
// without one it is where it wants to be. Force and pose may come late.
typedef struct dvHand {
  double place[7];                   // where it begins
  double sweep[3], period;           // m, s: place + sweep (1 - cos(2 pi t / period)) / 2
  double mass, damping, stiffness;   // kg, N s/m, N/m
  double delay;                      // s, of the force
} dvHand;

// `text` (may be NULL) is a recorded motion, read from `path`: lines of time, x y z (mm), quaternion, buttons; the last
// two may be left out. Between lines it is interpolated; the device holds still before the first and after the last.
// NULL, with an error about `owner`, when a line has a mistake.
dvDevice *dv_emulator_create(const dvObject *owner, const dvHand *hand, const char *path, const char *text);
bool dv_is_emulator(const dvDevice *d);
// Somebody leads the hand from now on: it goes to this place (m) smoothly, as fast as a hand does; buttons stay as the
// recorded motion had them then. While the loop runs in a thread one other thread may call it.
void dv_emulator_lead(dvDevice *d, const double place[3]);
bool dv_emulator_is_led(const dvDevice *d);
// After another moment came back (reset, undo): whether it is led is what it was then, and no goal waits.
void dv_emulator_restored(dvDevice *d);
#define DV_LED_TIME 0.02   // s, time constant of its way there
// A device of OpenHaptics: the vendor's library is loaded here. NULL, with a message that names `owner`, when there is
// none. An empty name is the default device.
dvDevice *dv_vendor_create(const dvObject *owner, const char *name);
// Any program that sends packets (docs/haptics.md) to this port.
dvDevice *dv_udp_create(const dvObject *owner, const char *address, int port);

// How a 3D mouse moves a hand.
typedef struct dvHidLooks {
  double speed, turn_speed;   // m/s, rad/s with the cap as far as it goes
  double dead_zone;           // part of the way that does not count
} dvHidLooks;
// A 3D mouse: a file of the system such as /dev/hidraw0, the first one that is found for an empty path. NULL, with a
// message, when there is none.
dvDevice *dv_hid_create(const dvObject *owner, const char *path, const dvHidLooks *looks);
// A sensor of a tracker of a VRPN server, name@host or name@host:port.
dvDevice *dv_vrpn_create(const dvObject *owner, const char *address, int sensor);

#endif
