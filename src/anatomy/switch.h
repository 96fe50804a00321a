// What switches a tool on: a field, the button of a device, a key, or given times.
#ifndef DV_ANATOMY_SWITCH_H
#define DV_ANATOMY_SWITCH_H

#include "haptic/driver.h"
#include "scene/node.h"

// The fields, behind the one that is the switch itself.
#define DV_SWITCH_FIELDS(X)                                                                                       \
  X(link, driver, "", "", "device whose button switches it; none when not given", .role = DV_ROLE_CONTROLLER)     \
  X(int, button, "0", "", "number of the button", .least = "0", .most = "15")                                     \
  X(string, key, "", "", "key that switches it on and off; the viewer passes keys on with Ctrl. None when empty") \
  X(reals, times, "", "s", "it is on from the first time, off from the second, on from the third ...")

typedef struct dvSwitch {
  const dvDriver *hand;   // NULL: none
  int button;
  const dvReals *times;
} dvSwitch;

static inline bool dv_switch_is_on(const dvSwitch *s, bool given, double time)
{
  bool pressed = s->hand && dv_haptic_pressed(&s->hand->handed, (unsigned)s->button);
  if (pressed && given && dv_driver_is_led(s->hand)) return false;   // the key takes back what the recording held
  if (given || pressed) return true;
  size_t passed = 0;
  while (passed < s->times->count && s->times->data[passed] <= time) passed++;
  return passed % 2;
}

// Was this the key?
static inline bool dv_switch_key(const dvEvent *event, const char *key)
{
  return event->kind == DV_EVENT_KEY && !event->released && key && *key && event->key == (unsigned char)*key;
}

// Checks the fields, with messages at them.
static inline dvStatus dv_switch_init(dvSwitch *s, dvObject *o, const dvLink *driver, const int32_t *button,
                                      const dvReals *times)
{
  for (size_t i = 1; i < times->count; i++)
    if (!(times->data[i] > times->data[i - 1]))
      return dv_field_error(o, times, "give times in their order", "time %zu is not later than the one before", i);
  if (*button < 0 || *button > 15) return dv_field_error(o, button, "0 to 15", "there is no button %d", *button);
  if (driver->target && !dv_is_driver(driver->target))
    return dv_field_error(o, driver, "name a GeomagicDriver, say", "%s is no device", driver->target->name);
  *s = (dvSwitch){driver->target ? dv_driver(driver->target) : NULL, *button, times};
  return DV_OK;
}

#endif
