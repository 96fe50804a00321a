// The haptic loop: a thousand times a second it reads where the hand is, asks what it feels there, and pushes it.
//
// It runs in a thread of its own against the clock, or in lock step with the simulation against the simulation's time,
// where results repeat; a tick is the same in both. The thread allocates nothing, takes no lock and calls the system
// for the clock and the device only. Whatever happens elsewhere, the hand gets a force that is finite and bounded:
//
//   no message for longer than `stall`    what is felt fades away with the time constant `decay`
//   a pose that is not finite             no force; the last pose counts
//   a pose too far from the last one      the tool goes there no faster than `max_speed`
//   no device                             no force, until it is back
//   a new message                         its force takes the place of the old one over the time that it names
#ifndef DV_HAPTIC_LOOP_H
#define DV_HAPTIC_LOOP_H

#include "base/outbox.h"
#include "haptic/device.h"
#include "haptic/sensation.h"
#include "math/pose.h"

#include <pthread.h>

enum { DV_HAPTIC_PAST = 8 };      // ticks
enum { DV_PERIOD_BINS = 8192 };   // of a microsecond each; the last has all that are longer

// What went wrong, for who may talk.
typedef struct dvHapticTrouble {
  atomic_uint bad_poses, jumps, losses, bad_forces, stalls;
  atomic_bool gone;
} dvHapticTrouble;

typedef struct dvHapticSettings {
  double period;       // s
  dvPose base, tool;   // of the device in the scene; of the tool in the hand
  double scale;        // scene units a metre
  double force_scale;
  double max_force, max_torque;   // N, N m
  double max_speed;               // m/s
  double stall, decay;            // s
  double delay;                   // s, until forces arrive at the hand, as far as it is known
  bool permanent;                 // else the force is on while the first button is held
  bool passive;                   // a controller takes back what the loop gives to the hand
} dvHapticSettings;

// What the next tick depends on: doubles only.
typedef struct dvHapticState {
  double ticks, ready;           // so far; a pose has come
  double place[3];               // of the device, limited
  double pose[7], velocity[6];   // of the tool in the scene
  double steady[6];              // its velocity, smoother
  double angles[6], buttons;
  double felt[6];     // in the scene, before scaling and limits
  double pushed[6];   // what the device got
  double offset[6], blend_left, blend;
  double age;                       // s, of the message
  double pierced;                   // a needle has gone in, of which the simulation does not know yet
  double energy;                    // J, that the hand has put in
  double past[DV_HAPTIC_PAST][3];   // what was felt in the last ticks, the newest first
} dvHapticState;

typedef struct dvHapticLoop {
  dvHapticSettings set;
  dvDevice *device;
  dvHapticState state;   // of who ticks
  dvOutbox *inbox;       // messages, in a thread
  dvOutbox poses;        // states for the simulation, in a thread
  dvHapticTrouble trouble;
  pthread_t thread;
  atomic_bool stop;
  bool running, servo;       // a thread runs; it is the device's
  bool realtime;             // the system has granted a real-time priority
  double begun, last, due;   // of the thread, s
  atomic_uint periods[DV_PERIOD_BINS];
  atomic_uint longest;   // microseconds
} dvHapticLoop;

// Whether a button is held; the numbers may have been read from a file.
static inline bool dv_haptic_pressed(const dvHapticState *s, unsigned button)
{
  return s->buttons > 0 && s->buttons < 65536 && ((unsigned)s->buttons >> button & 1);
}

void dv_haptic_loop_init(dvHapticLoop *l, const dvHapticSettings *set, dvDevice *device);
// One tick at `time` with the newest message (may be NULL).
void dv_haptic_tick(dvHapticLoop *l, double time, double *message, bool fresh);
// A thread that ticks, or the device's own; it takes messages from `inbox`. False when there is no thread to be had.
bool dv_haptic_loop_start(dvHapticLoop *l, dvOutbox *inbox);
void dv_haptic_loop_stop(dvHapticLoop *l);   // the last push is 0
// The newest state: for the simulation.
bool dv_haptic_loop_look(dvHapticLoop *l, dvHapticState *out);
// Periods that a part (0.5, 0.99, …) of all does not exceed, microseconds; 0 before the first.
double dv_haptic_period(const dvHapticLoop *l, double part);
void dv_haptic_loop_free(dvHapticLoop *l);

#endif
