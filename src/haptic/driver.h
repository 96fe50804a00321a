// Components that connect a device with a scene: what all of them have.
//
// At the beginning of a step the newest pose of the hand is handed to the scene; at its end the feedback's message is
// posted to the loop. The loop runs in a thread of its own beside a real device, and in lock step with the scene's time
// beside an emulated one, unless `loop` says otherwise: then it makes its ticks for the time of the step with the
// message of the step before, as a thread would have done meanwhile.
#ifndef DV_HAPTIC_DRIVER_H
#define DV_HAPTIC_DRIVER_H

#include "haptic/feedback.h"
#include "haptic/loop.h"

#define DV_DRIVER_FIELDS(X)                                                                                           \
  X(string, deviceName, "", "", "name of the device in the vendor's configuration; the default one when empty")       \
  X(vec3, positionBase, "0 0 0", "m", "where the base of the device is in the scene")                                 \
  X(vec4, orientationBase, "0 0 0 1", "", "how the base is turned: a quaternion")                                     \
  X(vec3, positionTool, "0 0 0", "m", "where the tool is, seen from the end of the device")                           \
  X(vec4, orientationTool, "0 0 0 1", "", "how the tool is turned in the hand: a quaternion")                         \
  X(real, scale, "1", "", "motions of the hand are multiplied by it")                                                 \
  X(real, forceScale, "1", "", "forces on the hand are multiplied by it")                                             \
  X(link, forceFeedBack, "", "",                                                                                      \
    "what the hand feels; the first feedback of the scene with the driver's tags by "                                 \
    "default",                                                                                                        \
    .role = DV_ROLE_CONTROLLER)                                                                                       \
  X(bool, emulate, "0", "", "emulate the device, as the option --emulate-devices does for all")                       \
  X(file, motion, "", "", "emulated: recorded motion, lines of time x y z [qx qy qz qw [buttons]] in s and mm")       \
  X(vec3, start, "0 -65.5107 -88.1142", "mm", "emulated: where the hand is without a recorded motion")                \
  X(vec3, sweep, "0 0 0", "mm", "emulated: it swings this far from there, and back")                                  \
  X(real, sweepPeriod, "4", "s", "emulated: time of a swing", .least = "0")                                           \
  X(real, handMass, "0", "kg", "emulated: mass of hand and handle that forces move; 0: the hand is not moved",        \
    .least = "0")                                                                                                     \
  X(real, handDamping, "5", "N s/m", "emulated: how the hand is held on its way", .least = "0")                       \
  X(real, handStiffness, "200", "N/m", "emulated: how the hand is held on its way", .least = "0")                     \
  X(real, delay, "0", "s", "emulated: forces come late", .least = "0", .most = "0.06")                                \
  X(real, rate, "1000", "Hz", "ticks of the haptic loop a second", .least = "50", .most = "10000")                    \
  X(choice, loop, "auto", "",                                                                                         \
    "thread: the haptic loop runs beside the simulation, by the clock; steps: with it, by its time, so that results " \
    "repeat; auto: steps where the device is emulated and the program is not in real time",                           \
    .options = "auto|thread|steps")                                                                                   \
  X(real, maxForce, "3.3", "N", "the hand is never pushed harder", .least = "0")                                      \
  X(real, maxTorque, "0.3", "N m", "nor turned harder", .least = "0")                                                 \
  X(real, maxSpeed, "3", "m/s", "a hand that seems faster is followed at this speed")                                 \
  X(real, stallTime, "0.25", "s", "without news of the simulation for longer, forces fade", .least = "0")             \
  X(real, stallDecay, "0.1", "s", "time constant of that")                                                            \
  X(bool, passivityControl, "0", "", "take back by damping what energy the loop has given to the hand")               \
  X(bool, drawHand, "1", "", "draw handle, tool and force in the viewer, and tell the rates", .flags = DV_LOOKS)      \
  X(vec3s, handle, "", "m", "ends of the lines of the handle", .flags = DV_READ_ONLY | DV_HIDDEN)                     \
  X(vec3s, proxy, "", "m", "ends of the lines from the hand to its tool", .flags = DV_READ_ONLY | DV_HIDDEN)          \
  X(vec3s, forceAt, "", "m", "where the force acts", .flags = DV_READ_ONLY | DV_HIDDEN)                               \
  X(vec3s, forceArrow, "", "N", "the force on the hand, in the axes of the scene", .flags = DV_READ_ONLY | DV_HIDDEN) \
  X(real, deviceDelay, "0", "s", "how late forces arrive at the hand, for passivityControl", .least = "0",            \
    .most = "0.007")                                                                                                  \
  X(vec3, force, "0 0 0", "N", "what the device got last, in its own axes", .flags = DV_READ_ONLY)                    \
  X(real, energy, "0", "J", "what the hand has put into the scene, less what it got back", .flags = DV_READ_ONLY)     \
  X(reals, periods, "", "us", "of the thread: median, 99 and 99.9 in a hundred, longest", .flags = DV_READ_ONLY)

typedef struct dvDriver dvDriver;

// First member of every driver.
struct dvDriver {
  dvObject base;
  DV_DRIVER_FIELDS(DV_MEMBER)
  double unit;            // lengths of the scene in a metre of the device, before `scale`
  bool permanent_force;   // pushes whether a button is held or not
  dvObject *feedback;     // NULL: none
  dvHapticLoop *haptic;   // NULL: there is no device
  dvFeedback own;         // what a hand without one feels
  dvHapticState handed;   // to the present step
  double seen[7];         // where the hand was then; what was handed may be ahead
  bool threaded;
  double clock;       // of the loop in lock step, s
  unsigned told[5];   // troubles of which was told
  bool told_gone;
  dvState *frames;               // those that it moves itself; NULL: none
  dvInts pairs;                  // lines of the sight
  double step_wall, step_rate;   // s, 1/s: of the simulation, by the clock
};
extern const dvFieldBlock dv_driver_block;

// The first driver of a scene; NULL when there is none.
dvObject *dv_driver_find(const dvScene *scene);
static inline dvDriver *dv_driver(dvObject *o) { return (dvDriver *)o; }

// Where the device comes from.
typedef dvDevice *(*dvDeviceMaker)(dvDriver *d);

void dv_driver_create(dvObject *o);
// Finds the feedback, opens the device (an emulated one where the scene or the program asks for it) and begins.
dvStatus dv_driver_init(dvObject *o, dvDeviceMaker make);
dvStatus dv_driver_reinit(dvObject *o);       // fields were changed: the loop goes on with them
dvStatus dv_driver_begin_step(dvDriver *d);   // `handed` is where the hand is now
void dv_driver_end_step(dvDriver *d, double dt);
// A force in the axes of the scene for a hand without a feedback, until the next call.
void dv_driver_hold(dvDriver *d, dvVec3 force);
void dv_driver_choose_feedback(dvDriver *d, int tool);   // of the tools that are switched between; -1: none
void dv_driver_remember(dvObject *o, dvMemoryStream *s);
void dv_driver_cleanup(dvObject *o);
void dv_driver_destroy(dvObject *o);
bool dv_is_driver(const dvObject *o);
dvDevice *dv_driver_vendor_device(dvDriver *d);

// --- sight.c: the hand in the viewer ---
// What is drawn of it, part by part; false behind the last.
bool dv_driver_sketch(dvDriver *d, int part, dvSketch *out);
void dv_driver_show(dvDriver *d);   // at the beginning of a step
// Rates and force in words, for a label; the caller frees it. NULL when nothing is to be shown.
char *dv_driver_rates(const dvDriver *d);
// The frame of the tool that the hand holds; NULL when it holds none.
const double *dv_driver_tool(const dvDriver *d);
// The driver of an emulated device whose hand holds this state; NULL for none.
dvDriver *dv_driver_holding(const dvScene *scene, const dvState *state);
// Leads the emulated hand, so that what it holds comes here (axes of the scene). Other hands with recorded motions then
// wait where they are: who takes one of them takes over.
void dv_driver_lead(dvDriver *d, dvVec3 to);
// So many seconds ahead is a place to which it is led in steps of dt, to be as fast as asked.
double dv_driver_ahead(double dt);
bool dv_driver_is_led(const dvDriver *d);

#endif
