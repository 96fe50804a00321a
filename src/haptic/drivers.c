// The drivers by their names: GeomagicDriver and GeomagicEmulator, OmniDriver, NewOmniDriver, UDPHapticDriver,
// SpaceMouseDriver, VRPNTrackerDriver.
//
// A Geomagic driver shows where the hand is in a field, which a state of frames is linked to; its lengths are
// centimetres of the device. An Omni driver moves a frame itself; its lengths are metres.
#include "haptic/driver.h"
#include "haptic/register.h"

#include "control/controllers.h"
#include "mechanics/mechanics.h"

#include <math.h>
#include <string.h>

static bool is_pressed(const dvDriver *d, unsigned button) { return dv_haptic_pressed(&d->handed, button); }

// --- Geomagic, UDP -------------------------------------------------------------------------------

#define GEOMAGIC_FIELDS(X)                                                                                            \
  X(real, maxInputForceFeedback, "1", "N", "most that inputForceFeedback pushes")                                     \
  X(vec3, inputForceFeedback, "0 0 0", "N", "force on a hand without a force feedback, in the axes of the scene")     \
  X(bool, manualStart, "0", "", "do not open the device: the tool stays where it is")                                 \
  X(bool, emitButtonEvent, "0", "", "no effect: button1 and button2 have the buttons", .flags = DV_HIDDEN | DV_IDLE)  \
  X(bool, drawDeviceFrame, "0", "", "draw the axes of the hand", .flags = DV_LOOKS)                                   \
  X(bool, drawDevice, "0", "", "draw the device", .flags = DV_LOOKS)                                                  \
  X(bool, drawDebug, "0", "", "draw details", .flags = DV_LOOKS | DV_HIDDEN)                                          \
  X(frames, positionDevice, "0 0 0 0 0 0 1", "m", "where the tool in the hand is", .flags = DV_READ_ONLY | DV_OUTPUT) \
  X(vec6, angle, "0 0 0 0 0 0", "rad", "angles of the joints", .flags = DV_READ_ONLY)                                 \
  X(bool, button1, "0", "", "the first button is held", .flags = DV_READ_ONLY)                                        \
  X(bool, button2, "0", "", "the second button is held", .flags = DV_READ_ONLY)

#define EMULATOR_FIELDS(X)                                                                                    \
  X(real, speedFactor, "0.1", "", "factor of the motions that keys make")                                     \
  X(string, keys, "", "",                                                                                     \
    "six keys that lead the hand right, left, up, down, to the front and to the back (x, y, z of the scene) " \
    "while they are held, say LJIKOU; the viewer passes keys on with Ctrl. None when empty")                  \
  X(real, keySpeed, "0.05", "m/s", "how fast they move what the hand holds", .least = "0")

#define UDP_FIELDS(X)                                                                                      \
  X(string, address, "127.0.0.1", "", "address of this machine that is listened to; 0.0.0.0: all of them") \
  X(int, port, "8133", "", "port that is listened to", .least = "0", .most = "65535")

#define MOUSE_FIELDS(X)                                                                                          \
  X(file, path, "", "", "file of the device, /dev/hidraw0; the first 3D mouse of the system when empty",         \
    .flags = DV_NO_SRC)                                                                                          \
  X(real, speed, "0.1", "m/s", "speed of the hand when the cap is pushed as far as it goes", .least = "0")       \
  X(real, turnSpeed, "1.5", "rad/s", "how fast it turns when the cap is turned as far as it goes", .least = "0") \
  X(real, deadZone, "0.05", "", "part of the way of the cap that does not count", .least = "0", .most = "0.9")

#define VRPN_FIELDS(X)                                                                                             \
  X(string, tracker, "Tracker0@localhost", "", "name@host or name@host:port of the tracker; port 3883 by default") \
  X(int, sensor, "0", "", "number of the sensor", .least = "0")

typedef struct Geomagic {
  dvDriver driver;
  GEOMAGIC_FIELDS(DV_MEMBER)
  EMULATOR_FIELDS(DV_MEMBER)
  UDP_FIELDS(DV_MEMBER)
  MOUSE_FIELDS(DV_MEMBER)
  VRPN_FIELDS(DV_MEMBER)
  unsigned held;   // keys that are, by bits
  double end[6];   // where each of them leads to, along its axis
} Geomagic;

#define SELF Geomagic
static const dvFieldDesc geomagic_fields[] = {GEOMAGIC_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc emulator_fields[] = {EMULATOR_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc udp_fields[] = {UDP_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc mouse_fields[] = {MOUSE_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc vrpn_fields[] = {VRPN_FIELDS(DV_DESCRIBE)};
#undef SELF

static void geomagic_create(dvObject *o)
{
  dv_driver_create(o);
  ((dvDriver *)o)->unit = 100;
}

static void udp_driver_create(dvObject *o) { dv_driver_create(o); }

static void show(Geomagic *g)
{
  dvObject *o = &g->driver.base;
  const dvHapticState *s = &g->driver.handed;
  const double quarter = 1.57079632679489661923, *a = s->angles;
  if (!dv_reals_assign(&g->positionDevice, s->pose, 7)) return;
  g->angle[0] = a[0];
  g->angle[1] = a[1];
  g->angle[2] = a[2] - a[1] - quarter;
  g->angle[3] = -a[3] - quarter;
  g->angle[4] = a[4];
  g->angle[5] = -a[5] - quarter;
  g->button1 = is_pressed(&g->driver, 0);
  g->button2 = is_pressed(&g->driver, 1);
  const void *const fields[] = {&g->positionDevice, g->angle, &g->button1, &g->button2};
  for (size_t i = 0; i < DV_COUNT(fields); i++) dv_touch(o, fields[i]);
}

enum { KEYS = 6 };

static dvDevice *udp_device(dvDriver *d)
{
  const Geomagic *g = (const Geomagic *)d;
  return dv_udp_create(&d->base, g->address, g->port);
}

static dvDevice *mouse_device(dvDriver *d)
{
  const Geomagic *g = (const Geomagic *)d;
  return dv_hid_create(&d->base, g->path,
                       &(dvHidLooks){.speed = g->speed, .turn_speed = g->turnSpeed, .dead_zone = g->deadZone});
}

static dvDevice *vrpn_device(dvDriver *d)
{
  const Geomagic *g = (const Geomagic *)d;
  return dv_vrpn_create(&d->base, g->tracker, g->sensor);
}

static dvStatus geomagic_begin(dvObject *o, dvDeviceMaker make)
{
  Geomagic *g = (Geomagic *)o;
  if (!(g->maxInputForceFeedback > 0))
    return dv_field_error(o, &g->maxInputForceFeedback, "1 N is the default", "a limit of %g N lets nothing through",
                          g->maxInputForceFeedback);
  if (g->manualStart) {
    dv_note(o, "manualStart: the device is not opened");
    return DV_OK;
  }
  DV_TRY(dv_driver_init(o, make));
  DV_TRY(dv_driver_begin_step(&g->driver));
  if (g->driver.haptic && g->driver.handed.ready != 0) show(g);
  return DV_OK;
}

static dvStatus geomagic_init(dvObject *o) { return geomagic_begin(o, dv_driver_vendor_device); }
static dvStatus geomagic_emulator_init(dvObject *o)
{
  Geomagic *g = (Geomagic *)o;
  size_t keys = g->keys ? strlen(g->keys) : 0;
  if (keys != 0 && keys != KEYS)
    return dv_field_error(o, &g->keys, "name six, say LJIKOU", "%zu keys do not lead a hand to six sides", keys);
  if (!(g->keySpeed >= 0 && g->keySpeed < 1e6))
    return dv_field_error(o, &g->keySpeed, "0.05 m/s is the default", "a hand cannot be led with %g m/s", g->keySpeed);
  g->held = 0;
  return geomagic_begin(o, NULL);
}
static dvStatus udp_driver_init(dvObject *o) { return geomagic_begin(o, udp_device); }
static dvStatus vrpn_driver_init(dvObject *o) { return geomagic_begin(o, vrpn_device); }
static dvStatus mouse_driver_init(dvObject *o)
{
  const Geomagic *g = (const Geomagic *)o;
  if (!(g->deadZone >= 0 && g->deadZone < 1))
    return dv_field_error(o, &g->deadZone, "0.05 is the default", "a dead zone of %g lets nothing through",
                          g->deadZone);
  const double *speeds[] = {&g->speed, &g->turnSpeed};
  for (size_t i = 0; i < DV_COUNT(speeds); i++)
    if (!(*speeds[i] >= 0 && *speeds[i] < 1e6))
      return dv_field_error(o, speeds[i], "take 0 or more", "%s cannot be %g", dv_field_of(o, speeds[i])->desc->name,
                            *speeds[i]);
  return geomagic_begin(o, mouse_device);
}

// a hand without a feedback gets what the scene says, within its limit
static void push_by_hand(Geomagic *g)
{
  dvHapticLoop *l = g->driver.haptic;
  if (g->driver.feedback || !l) return;
  dvVec3 f = dv_vec3_load(g->inputForceFeedback);
  double size = dv_vec3_norm(f), part = size > g->maxInputForceFeedback ? g->maxInputForceFeedback / size : 1;
  dv_driver_hold(&g->driver, dv_vec3_scale(f, part));
}

static void geomagic_event(dvObject *o, const dvEvent *event)
{
  Geomagic *g = (Geomagic *)o;
  if (o->failed || !g->driver.haptic) return;
  if (event->kind == DV_EVENT_ANIMATE_BEGIN) {
    dv_driver_begin_step(&g->driver);
    show(g);
  }
  if (event->kind != DV_EVENT_ANIMATE_END) return;
  push_by_hand(g);
  dv_driver_end_step(&g->driver, event->dt);
}

// what is shown is that of the moment which came back, not of the last step; no key is held any more
static bool geomagic_restored(dvObject *o)
{
  Geomagic *g = (Geomagic *)o;
  g->held = 0;
  if (!g->driver.haptic || g->driver.threaded) return true;
  if (dv_is_emulator(g->driver.haptic->device)) dv_emulator_restored(g->driver.haptic->device);
  show(g);
  return true;
}

// keys that are held lead the hand on, from where it is, as far as they may; the first one takes it, also before a
// scene runs
static void lead_by_keys(Geomagic *g, const dvEvent *event)
{
  dvDriver *d = &g->driver;
  if (event->kind == DV_EVENT_ANIMATE_BEGIN && g->held) {
    double to[3], step = g->keySpeed * dv_driver_ahead(event->dt);
    memcpy(to, d->seen, sizeof to);
    for (int i = 0; i < KEYS; i++) {
      double sign = i % 2 ? -1 : 1, left = sign * (g->end[i] - d->seen[i / 2]);
      if (g->held >> i & 1) to[i / 2] += sign * fmax(0, fmin(step, left));
    }
    dv_driver_lead(d, dv_vec3_load(to));
  }
  if (event->kind != DV_EVENT_KEY || !g->keys) return;
  for (unsigned i = 0; i < KEYS && g->keys[i]; i++) {
    if (event->key != (unsigned char)g->keys[i]) continue;
    g->held = event->released ? g->held & ~(1u << i) : g->held | 1u << i;
    g->end[i] = (i % 2 ? -1 : 1) * (event->way > 0 ? event->way : HUGE_VAL) + d->seen[i / 2];
    if (!event->released && !dv_driver_is_led(d)) dv_driver_lead(d, dv_vec3_load(d->seen));
  }
}

// as in SOFA: 1 3 4 6 7 9 turn the arm's joints, - + 8 2 the stylus
static void emulator_event(dvObject *o, const dvEvent *event)
{
  static const struct {
    char key;
    int joint, sign;
  } keys[] = {{'1', 0, 1},  {'3', 0, -1}, {'4', 1, 1},  {'6', 1, -1}, {'7', 2, 1},
              {'9', 2, -1}, {'-', 3, 1},  {'+', 3, -1}, {'8', 4, 1},  {'2', 4, -1}};
  Geomagic *g = (Geomagic *)o;
  geomagic_event(o, event);
  if (o->failed || !g->driver.haptic) return;
  lead_by_keys(g, event);
  if (event->kind != DV_EVENT_KEY || event->released || g->driver.threaded) return;
  for (size_t i = 0; i < DV_COUNT(keys); i++)
    if (event->key == keys[i].key) g->driver.haptic->state.angles[keys[i].joint] += keys[i].sign * g->speedFactor;
}

#define GEOMAGIC_HOOKS                                                                              \
  .cleanup = dv_driver_cleanup, .destroy = dv_driver_destroy, .remember = dv_driver_remember,       \
  .reinit = dv_driver_reinit, .restored = geomagic_restored, .roles = DV_PLAYS(DV_ROLE_CONTROLLER), \
  .size = sizeof(Geomagic), .struct_size = sizeof(dvClass)

const dvClass dv_geomagic_driver_class = {
    .name = "GeomagicDriver",
    .aliases = "DefaultHapticsDevice",
    .help = "a Geomagic Touch: where the hand is, and what it feels",
    .module = "Geomagic",
    .blocks = {&dv_object_block, &dv_driver_block, DV_BLOCK(geomagic_fields)},
    .presets = "deviceName=Default Device",
    .create = geomagic_create,
    .init = geomagic_init,
    .handle_event = geomagic_event,
    GEOMAGIC_HOOKS,
};

const dvClass dv_geomagic_emulator_class = {
    .name = "GeomagicEmulator",
    .help = "an emulated device: a hand that follows a recorded motion, swings, or is moved by keys",
    .module = "Geomagic",
    .blocks = {&dv_object_block, &dv_driver_block, DV_BLOCK(geomagic_fields), DV_BLOCK(emulator_fields)},
    .presets = "deviceName=Default Device",
    .create = geomagic_create,
    .init = geomagic_emulator_init,
    .handle_event = emulator_event,
    GEOMAGIC_HOOKS,
};

const dvClass dv_udp_driver_class = {
    .name = "UDPHapticDriver",
    .help = "any program that sends packets as a haptic device",
    .module = "Sofa.Component.Haptics",
    .blocks = {&dv_object_block, &dv_driver_block, DV_BLOCK(geomagic_fields), DV_BLOCK(udp_fields)},
    .create = udp_driver_create,
    .init = udp_driver_init,
    .handle_event = geomagic_event,
    GEOMAGIC_HOOKS,
};

const dvClass dv_space_mouse_driver_class = {
    .name = "SpaceMouseDriver",
    .help = "a 3D mouse: its cap moves and turns a hand, which feels nothing",
    .module = "Sofa.Component.Haptics",
    .blocks = {&dv_object_block, &dv_driver_block, DV_BLOCK(geomagic_fields), DV_BLOCK(mouse_fields)},
    .create = udp_driver_create,
    .init = mouse_driver_init,
    .handle_event = geomagic_event,
    GEOMAGIC_HOOKS,
};

const dvClass dv_vrpn_driver_class = {
    .name = "VRPNTrackerDriver",
    .help = "a tracker of a VRPN server as a hand, which feels nothing",
    .module = "Sofa.Component.Haptics",
    .blocks = {&dv_object_block, &dv_driver_block, DV_BLOCK(geomagic_fields), DV_BLOCK(vrpn_fields)},
    .create = udp_driver_create,
    .init = vrpn_driver_init,
    .handle_event = geomagic_event,
    GEOMAGIC_HOOKS,
};

// --- Omni ----------------------------------------------------------------------------------------

#define OMNI_FIELDS(X)                                                                     \
  X(bool, permanent, "0", "", "push the hand always; else while the first button is held") \
  X(bool, omniVisu, "0", "", "draw the device", .alias = "drawDevice", .flags = DV_LOOKS)

#define OLD_OMNI_FIELDS(X)                                                                                          \
  X(bool, toolSelector, "0", "", "the second button lets go of the tool, and takes the next one when it is let go") \
  X(int, toolCount, "1", "", "number of tools: frames of the state", .least = "1", .most = "1000")

#define NEW_OMNI_FIELDS(X)                                                                                  \
  X(frames, posDevice, "", "m", "frames of the device: its base, its end", .flags = DV_READ_ONLY)           \
  X(frames, posStylus, "", "m", "frame of the tool in the hand", .flags = DV_READ_ONLY)                     \
  X(string, locDOF, "", "", "accepted for compatibility: tags choose the state", .flags = DV_HIDDEN)        \
  X(int, deviceIndex, "1", "", "accepted for compatibility: devices are told apart by their names",         \
    .flags = DV_HIDDEN)                                                                                     \
  X(real, openTool, "1", "", "how far the tool is open: it closes while the first button is held",          \
    .flags = DV_READ_ONLY)                                                                                  \
  X(real, maxTool, "1", "", "openTool when it is open")                                                     \
  X(real, minTool, "0", "", "openTool when it is closed")                                                   \
  X(real, openSpeedTool, "0.1", "", "how far it opens in a step")                                           \
  X(real, closeSpeedTool, "0.1", "", "how far it closes in a step")                                         \
  X(bool, useScheduler, "0", "", "accepted: the loop hands poses over without waiting", .flags = DV_HIDDEN) \
  X(bool, setRestShape, "0", "", "move the rest position of the state instead of its position")             \
  X(bool, applyMappings, "1", "", "states below follow at once")                                            \
  X(bool, alignOmniWithCamera, "1", "", "the base is turned as the scene's camera, where there is one")     \
  X(bool, stateButton1, "0", "", "the first button is held", .flags = DV_READ_ONLY)                         \
  X(bool, stateButton2, "0", "", "the second button is held", .flags = DV_READ_ONLY)

typedef struct Omni {
  dvDriver driver;
  OMNI_FIELDS(DV_MEMBER)
  OLD_OMNI_FIELDS(DV_MEMBER)
  NEW_OMNI_FIELDS(DV_MEMBER)
  dvState *state;   // whose frame it moves; NULL: none
  dvPlan *plan;     // below its node
  int tool;         // which frame
  bool let_go, second_before;
} Omni;

#define SELF Omni
static const dvFieldDesc omni_fields[] = {OMNI_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc old_omni_fields[] = {OLD_OMNI_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc new_omni_fields[] = {NEW_OMNI_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc omni_memory[] = {DV_REMEMBER(numbers, tool) DV_REMEMBER(numbers, let_go)
                                               DV_REMEMBER(numbers, second_before) DV_REMEMBER(numbers, openTool)};
#undef SELF

static bool is_new(const dvObject *o) { return o->cls == &dv_new_omni_driver_class; }

typedef struct Seeker {
  dvVisitor visitor;
  const Omni *omni;
  dvObject *state, *camera;
} Seeker;

static bool moves_by_events(const dvNode *node)
{
  for (size_t i = 0; i < node->objects.count; i++)
    if (node->objects.data[i]->cls == &dv_mechanical_state_controller_class) return true;
  return false;
}

// The frame: the first with the driver's tags. An old driver without one in its node moves that of the first
// MechanicalStateController, to which it sent events in SOFA's early days.
static dvWalk seek(dvVisitor *v, dvNode *node)
{
  Seeker *s = (Seeker *)v;
  dvObject *state = dv_node_state(node);
  bool fits = state && state->dof && state->dof->kind == DV_RIGID3 && !state->failed;
  if (is_new(&s->omni->driver.base)) fits = fits && dv_object_has_tags(state, &s->omni->driver.base.tags);
  else fits = fits && moves_by_events(node);
  if (fits && !s->state) s->state = state;
  for (size_t i = 0; !s->camera && i < node->objects.count; i++)
    if (dv_same(node->objects.data[i]->cls->name, "InteractiveCamera")) s->camera = node->objects.data[i];
  return DV_WALK_ON;
}

static dvStatus find_frame(Omni *m)
{
  dvObject *o = &m->driver.base, *own = dv_node_state(o->node);
  Seeker s = {.visitor = {.top_down = seek}, .omni = m};
  dv_visit(o->node->scene->root, &s.visitor);
  if (!is_new(o) && own) s.state = own;
  if (is_new(o) && m->alignOmniWithCamera && s.camera)
    memcpy(m->driver.orientationBase, dv_object_field(s.camera, "orientation")->value,
           sizeof m->driver.orientationBase);
  if (!s.state) {
    dv_warning(o, "put it beside a MechanicalObject of frames (Rigid3)", "%s finds no frame to move", o->name);
    return DV_OK;
  }
  DV_TRY(dv_object_ensure(s.state));
  if (s.state->dof->kind != DV_RIGID3)
    return dv_error(o, "use a MechanicalObject of frames (Rigid3)", "%s moves a frame, not %s", o->name,
                    s.state->dof->name);
  m->state = m->driver.frames = dv_state(s.state);
  if (m->toolCount < 1 || m->toolCount > 1000)
    return dv_field_error(o, &m->toolCount, "1 is the default", "there cannot be %d tools", m->toolCount);
  if (m->state->count < (size_t)m->toolCount && !dv_state_resize(m->state, (size_t)m->toolCount))
    return dv_error(o, NULL, "out of memory for %d tools", m->toolCount);
  return DV_OK;
}

static void omni_create(dvObject *o)
{
  dv_driver_create(o);
  if (is_new(o)) ((Omni *)o)->toolCount = 1;   // no field of it
}

static dvStatus omni_init(dvObject *o)
{
  Omni *m = (Omni *)o;
  m->driver.permanent_force = m->permanent;
  m->openTool = m->maxTool;
  DV_TRY(find_frame(m));
  DV_TRY(dv_driver_init(o, dv_driver_vendor_device));
  return dv_driver_begin_step(&m->driver);
}

static void move_frame(Omni *m)
{
  bool rest = is_new(&m->driver.base) && m->setRestShape;
  if (!m->state || (size_t)m->tool >= m->state->count || m->driver.handed.ready == 0) return;
  static const int now[] = {DV_X, DV_X_FREE}, other[] = {DV_X_REST, DV_X_REST};
  for (int i = 0; i < (rest ? 1 : 2); i++) {
    int id = (rest ? other : now)[i];
    memcpy(dv_state_write(m->state, id) + 7 * (size_t)m->tool, m->driver.handed.pose, sizeof m->driver.handed.pose);
    dv_state_touch(m->state, id);
  }
  if (is_new(&m->driver.base) && !m->applyMappings) return;
  dv_mech_settle(dv_plan_get(&m->plan, m->state->base.node), DV_X, DV_V, m->driver.base.node->time);
}

// the second button lets go of the tool; when it comes up the next one is taken
static void switch_tools(Omni *m)
{
  bool second = is_pressed(&m->driver, 1);
  if (!m->toolSelector || is_new(&m->driver.base) || second == m->second_before) return;
  m->let_go = second;
  if (!second) m->tool = (m->tool + 1) % m->toolCount;
  m->second_before = second;
  dv_driver_choose_feedback(&m->driver, m->let_go ? -1 : m->tool);
}

static void show_omni(Omni *m)
{
  dvObject *o = &m->driver.base;
  const dvHapticLoop *l = m->driver.haptic;
  double frames[14];
  dv_pose_store(frames, l->set.base);
  memcpy(frames + 7, m->driver.handed.pose, sizeof m->driver.handed.pose);
  m->stateButton1 = is_pressed(&m->driver, 0);
  m->stateButton2 = is_pressed(&m->driver, 1);
  m->openTool += m->stateButton1 ? -m->closeSpeedTool : m->openSpeedTool;
  m->openTool = dv_max(m->minTool, dv_min(m->maxTool, m->openTool));
  if (!is_new(o)) return;   // the old driver has no such fields
  if (!dv_reals_assign(&m->posDevice, frames, 14) || !dv_reals_assign(&m->posStylus, frames + 7, 7)) return;
  const void *const fields[] = {&m->posDevice, &m->posStylus, &m->openTool, &m->stateButton1, &m->stateButton2};
  for (size_t i = 0; i < DV_COUNT(fields); i++) dv_touch(o, fields[i]);
}

static void omni_event(dvObject *o, const dvEvent *event)
{
  Omni *m = (Omni *)o;
  if (o->failed || !m->driver.haptic) return;
  if (event->kind == DV_EVENT_ANIMATE_BEGIN) {
    dv_driver_begin_step(&m->driver);
    switch_tools(m);
    if (!m->let_go) move_frame(m);
    show_omni(m);
  }
  if (event->kind == DV_EVENT_ANIMATE_END) dv_driver_end_step(&m->driver, event->dt);
}

static bool omni_restored(dvObject *o)
{
  const Omni *m = (const Omni *)o;
  return m->tool >= 0 && m->tool < dv_max_int(1, m->toolCount);
}

static void omni_destroy(dvObject *o)
{
  dv_driver_destroy(o);
  dv_plan_destroy(&((Omni *)o)->plan);
}

#define OMNI_HOOKS                                                                                                   \
  .module = "Sensable", .struct_size = sizeof(dvClass), .size = sizeof(Omni), .roles = DV_PLAYS(DV_ROLE_CONTROLLER), \
  .create = omni_create, .init = omni_init, .handle_event = omni_event, .cleanup = dv_driver_cleanup,                \
  .destroy = omni_destroy, .remember = dv_driver_remember, .reinit = dv_driver_reinit, .restored = omni_restored,    \
  DV_MEMORY(omni_memory)

const dvClass dv_omni_driver_class = {
    .name = "OmniDriver",
    .help = "a Phantom Omni that moves a frame, one of several tools",
    .blocks = {&dv_object_block, &dv_driver_block, DV_BLOCK(omni_fields), DV_BLOCK(old_omni_fields)},
    OMNI_HOOKS,
};

const dvClass dv_new_omni_driver_class = {
    .name = "NewOmniDriver",
    .help = "a Phantom Omni that moves the frame with its tags",
    .blocks = {&dv_object_block, &dv_driver_block, DV_BLOCK(omni_fields), DV_BLOCK(new_omni_fields)},
    .presets = "scale=100; deviceName=Default PHANToM",
    OMNI_HOOKS,
};
