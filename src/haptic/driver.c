// See driver.h.
#include "haptic/driver.h"

#include "base/file.h"
#include "haptic/register.h"

#include <math.h>
#include <string.h>

#define SELF dvDriver
static const dvFieldDesc driver_fields[] = {DV_DRIVER_FIELDS(DV_DESCRIBE)};
#undef SELF
const dvFieldBlock dv_driver_block = {driver_fields, (int)DV_COUNT(driver_fields)};

enum { AUTO, THREAD, STEPS };   // `loop`
#define MOST_AHEAD 0.1          // s, that a hand is expected ahead

bool dv_is_driver(const dvObject *o)
{
  static const dvClass *const classes[] = {
      &dv_geomagic_driver_class, &dv_geomagic_emulator_class,  &dv_omni_driver_class, &dv_new_omni_driver_class,
      &dv_udp_driver_class,      &dv_space_mouse_driver_class, &dv_vrpn_driver_class};
  for (size_t i = 0; i < DV_COUNT(classes); i++)
    if (o->cls == classes[i]) return true;
  return false;
}

// --- who is in the scene -------------------------------------------------------------------------

typedef struct Search {
  dvVisitor visitor;
  bool (*fits)(const struct Search *s, dvObject *o);
  const dvDriver *driver;
  int tool;
  dvObject *found;
} Search;

static dvWalk search_node(dvVisitor *v, dvNode *node)
{
  Search *s = (Search *)v;
  for (size_t i = 0; !s->found && i < node->objects.count; i++)
    if (!node->objects.data[i]->failed && s->fits(s, node->objects.data[i])) s->found = node->objects.data[i];
  return s->found ? DV_WALK_PRUNE : DV_WALK_ON;
}

static dvObject *search(const dvScene *scene, Search s)
{
  s.visitor.top_down = search_node;
  dv_visit(scene->root, &s.visitor);
  return s.found;
}

static bool fits_driver(const Search *s, dvObject *o)
{
  DV_UNUSED(s);
  return dv_is_driver(o);
}

dvObject *dv_driver_find(const dvScene *scene) { return search(scene, (Search){.fits = fits_driver}); }

static bool fits_feedback(const Search *s, dvObject *o)
{
  return dv_feedback_ops(o) && dv_object_has_tags(o, &s->driver->base.tags) &&
         (s->tool < 0 || dv_feedback_ops(o)->tool(o) == s->tool);
}

// a spring is what the hand feels where there is nothing finer
static bool fits_finer(const Search *s, dvObject *o)
{
  return o->cls != &dv_virtual_coupling_class && fits_feedback(s, o);
}

static dvObject *find_feedback(const dvDriver *d, int tool)
{
  dvScene *scene = d->base.node->scene;
  dvObject *found = search(scene, (Search){.fits = fits_finer, .driver = d, .tool = tool});
  return found ? found : search(scene, (Search){.fits = fits_feedback, .driver = d, .tool = tool});
}

// ports and servers tell themselves who is there; a 3D mouse is its file
static bool is_same_device(const dvDriver *a, const dvDriver *b)
{
  if (a->base.cls != b->base.cls || a->base.cls == &dv_udp_driver_class || a->base.cls == &dv_vrpn_driver_class)
    return false;
  const dvField *p = dv_object_field(&a->base, "path"), *q = dv_object_field(&b->base, "path");
  return p && q ? dv_same(*(char *const *)p->value, *(char *const *)q->value) : dv_same(a->deviceName, b->deviceName);
}

// another driver that has the same device already
static bool fits_rival(const Search *s, dvObject *o)
{
  const dvDriver *other = dv_driver(o);
  return dv_is_driver(o) && other != s->driver && other->haptic && other->haptic->device->memory == NULL &&
         is_same_device(other, s->driver);
}

// --- its life ------------------------------------------------------------------------------------

void dv_driver_create(dvObject *o)
{
  dvDriver *d = dv_driver(o);
  o->listening = true;
  d->unit = 1;
  d->permanent_force = true;
  d->handed.pose[6] = 1;
  dv_feedback_init(&d->own);
}

static dvStatus check(const dvDriver *d)
{
  const dvObject *o = &d->base;
  if (!(d->rate >= 50 && d->rate <= 10000))
    return dv_field_error(o, &d->rate, "1000 is what hands need", "a haptic loop at %g Hz is none", d->rate);
  if (!(d->maxSpeed > 0))
    return dv_field_error(o, &d->maxSpeed, "3 m/s is faster than hands", "a hand with at most %g m/s cannot move",
                          d->maxSpeed);
  if (!(d->stallDecay > 0))
    return dv_field_error(o, &d->stallDecay, "0.1 s is the default", "forces cannot fade in %g s", d->stallDecay);
  const double *positive[] = {&d->maxForce,      &d->maxTorque, &d->stallTime,   &d->handMass,   &d->handDamping,
                              &d->handStiffness, &d->delay,     &d->sweepPeriod, &d->deviceDelay};
  for (size_t i = 0; i < DV_COUNT(positive); i++)
    if (!(*positive[i] >= 0 && *positive[i] < 1e9))
      return dv_field_error(o, positive[i], "take 0 or more", "%s cannot be %g",
                            dv_field_of(o, positive[i])->desc->name, *positive[i]);
  const double *turns[] = {d->orientationBase, d->orientationTool};
  for (size_t i = 0; i < DV_COUNT(turns); i++) {
    dvQuat q = dv_quat_load(turns[i]);
    double size = dv_quat_dot(q, q);
    if (!(size > 1e-12 && size < 1e12))
      return dv_field_error(o, turns[i], "0 0 0 1 is no rotation", "%s is no quaternion",
                            dv_field_of(o, turns[i])->desc->name);
  }
  return DV_OK;
}

static dvHapticSettings settings(const dvDriver *d)
{
  return (dvHapticSettings){
      .period = 1 / d->rate,
      .base = {dv_vec3_load(d->positionBase), dv_quat_normalise(dv_quat_load(d->orientationBase))},
      .tool = {dv_vec3_load(d->positionTool), dv_quat_normalise(dv_quat_load(d->orientationTool))},
      .scale = d->unit * d->scale,
      .force_scale = d->forceScale,
      .max_force = d->maxForce,
      .max_torque = d->maxTorque,
      .max_speed = d->maxSpeed,
      .stall = d->stallTime,
      .decay = d->stallDecay,
      .permanent = d->permanent_force,
      .passive = d->passivityControl,
      .delay = d->deviceDelay,
  };
}

static dvDevice *emulated(dvDriver *d)
{
  const dvObject *o = &d->base;
  dvHand hand = {.period = d->sweepPeriod,
                 .mass = d->handMass,
                 .damping = d->handDamping,
                 .stiffness = d->handStiffness,
                 .delay = d->delay};
  // nobody moves a device that is only emulated because the program was asked to: it swings a little by itself
  bool idle = o->context->emulate_devices && !*d->motion && !dv_was_set(o, &d->sweep) && !d->emulate &&
              o->cls != &dv_geomagic_emulator_class;
  for (int i = 0; i < 3; i++) {
    hand.place[i] = 0.001 * d->start[i];
    hand.sweep[i] = 0.001 * (idle && i == 1 ? 20 : d->sweep[i]);
  }
  hand.place[6] = 1;
  if (!*d->motion) return dv_emulator_create(o, &hand, NULL, NULL);
  size_t length = 0;
  char *path = dv_context_find_file(o->context, d->motion, o->place.file, NULL);
  char *text = path ? dv_file_read(path, &length) : NULL;
  dvDevice *device = NULL;
  if (text) device = dv_emulator_create(o, &hand, path, text);
  else
    dv_field_error(o, &d->motion, "it is looked for beside the scene and in the data directories",
                   "the motion %s cannot be read", d->motion);
  dv_free(path);
  dv_free(text);
  return device;
}

static dvStatus find_partner(dvDriver *d)
{
  dvObject *o = &d->base;
  d->feedback = d->forceFeedBack.target ? d->forceFeedBack.target : find_feedback(d, -1);
  if (d->forceFeedBack.target && !dv_feedback_ops(d->feedback))
    return dv_field_error(o, &d->forceFeedBack, "LCPForceFeedback is one", "%s is no force feedback",
                          d->feedback->name);
  if (!d->feedback) {
    dv_note(o, "%s finds no force feedback: the hand feels nothing", o->name);
    return DV_OK;
  }
  dvFeedback *f = dv_feedback_of(d->feedback);
  if (f->driver && f->driver != o) {
    const char *name = d->feedback->name;
    d->feedback = NULL;
    return dv_field_error(o, &d->forceFeedBack, "give each device a feedback of its own (forceFeedBack, or tags)",
                          "%s already belongs to %s: the hand would get the forces of another one", name,
                          f->driver->name);
  }
  f->driver = o;
  return DV_OK;
}

static dvFeedback *feedback_of(dvDriver *d) { return d->feedback ? dv_feedback_of(d->feedback) : &d->own; }

static void begin(dvDriver *d)
{
  bool real = d->haptic->device->memory == NULL;
  d->threaded = d->loop == THREAD || (d->loop == AUTO && (real || d->base.context->realtime));
  if (!d->threaded) {
    dv_haptic_tick(d->haptic, 0, NULL, false);
    return;
  }
  if (!dv_haptic_loop_start(d->haptic, &feedback_of(d)->outbox)) {
    dv_warning(&d->base, "try loop=\"steps\"", "no thread can be started for %s: the hand feels nothing", d->base.name);
    d->threaded = false;
    return;
  }
  if (!d->haptic->realtime)
    dv_note(&d->base,
            "the system grants no real-time priority (SCHED_FIFO): other programs may delay the haptic loop; see "
            "ulimit -r and /etc/security/limits.conf");
}

dvStatus dv_driver_init(dvObject *o, dvDeviceMaker make)
{
  dvDriver *d = dv_driver(o);
  DV_TRY(check(d));
  DV_TRY(find_partner(d));
  bool emulate = !make || d->emulate || o->context->emulate_devices;
  if (!emulate && search(o->node->scene, (Search){.fits = fits_rival, .driver = d})) {
    d->feedback = NULL;
    return dv_field_error(o, &d->deviceName, "name another device in deviceName, or take one driver away",
                          "the device %s has a driver already: two instruments cannot share a hand",
                          *d->deviceName ? d->deviceName : "by default");
  }
  dvDevice *device = emulate ? emulated(d) : make(d);
  if (o->failed) return DV_ERROR_INPUT;
  if (!device) return DV_OK;   // told by who looked for it
  dvHapticSettings set = settings(d);
  d->haptic = dv_alloc(sizeof *d->haptic);
  dv_haptic_loop_init(d->haptic, &set, device);
  begin(d);
  return DV_OK;
}

dvStatus dv_driver_reinit(dvObject *o)
{
  dvDriver *d = dv_driver(o);
  DV_TRY(check(d));
  if (!d->haptic) return DV_OK;
  if (d->threaded) dv_haptic_loop_stop(d->haptic);
  d->haptic->set = settings(d);
  if (d->threaded) begin(d);
  return DV_OK;
}

void dv_driver_cleanup(dvObject *o)
{
  dvDriver *d = dv_driver(o);
  if (d->haptic) dv_haptic_loop_free(d->haptic);
  dv_free(d->haptic);
  d->haptic = NULL;
}

void dv_driver_destroy(dvObject *o)
{
  dv_driver_cleanup(o);
  dv_feedback_free(&dv_driver(o)->own);
  dv_ints_free(&dv_driver(o)->pairs);
}

dvDevice *dv_driver_vendor_device(dvDriver *d) { return dv_vendor_create(&d->base, d->deviceName); }

// --- a step --------------------------------------------------------------------------------------

static void tell(dvDriver *d)
{
  dvHapticTrouble *t = &d->haptic->trouble;
  const struct {
    atomic_uint *count;
    const char *what, *advice;
  } kinds[] = {
      {&t->bad_poses, "has sent a pose that is no number: the force is off meanwhile", "look at the device's cable"},
      {&t->jumps, "has jumped: its tool follows no faster than maxSpeed", NULL},
      {&t->losses, "is gone: the force is off until it is back", "look at its cable and its program"},
      {&t->bad_forces, "would have got a force that is no number: it got none", "look at forceCoef and forceScale"},
      {&t->stalls, "hears nothing from the simulation: its force fades", "take a coarser scene, or raise stallTime"},
  };
  for (size_t i = 0; i < DV_COUNT(kinds); i++) {
    unsigned now = atomic_load_explicit(kinds[i].count, memory_order_relaxed);
    bool once = i != 2;   // each loss counts
    if (now > d->told[i] && !(once && d->told[i]))
      dv_warning(&d->base, kinds[i].advice, "the device %s%s", kinds[i].what, once ? " (told once)" : "");
    d->told[i] = now;
  }
  bool gone = atomic_load_explicit(&t->gone, memory_order_relaxed);
  if (d->told_gone && !gone) dv_note(&d->base, "the device is back");
  d->told_gone = gone;
}

// where the hand will be when its feedback's next message is felt
static void look_ahead(dvDriver *d)
{
  const dvFeedbackOps *ops = d->feedback ? dv_feedback_ops(d->feedback) : NULL;
  memcpy(d->seen, d->handed.pose, sizeof d->seen);
  if (!ops || !ops->ahead || !ops->active(d->feedback) || d->feedback->failed) return;
  double along[3], time = dv_min(MOST_AHEAD, ops->ahead(d->feedback, along) * d->base.node->dt);
  dvVec3 way = dv_vec3_load(along);
  double speed = dv_vec3_dot(way, dv_vec3_load(d->handed.steady));
  dv_vec3_store(d->handed.pose, dv_vec3_add_scaled(dv_vec3_load(d->handed.pose), way, speed * time));
}

dvStatus dv_driver_begin_step(dvDriver *d)
{
  if (!d->haptic) return DV_OK;
  tell(d);
  dvHapticState now;
  if (dv_haptic_loop_look(d->haptic, &now)) {
    d->handed = now;
    look_ahead(d);
  }
  memcpy(d->force, d->handed.pushed, sizeof d->force);
  d->energy = d->handed.energy;
  dv_touch(&d->base, d->force);
  dv_touch(&d->base, &d->energy);
  dvFeedback *f = feedback_of(d);
  memcpy(f->reference, d->handed.pose, sizeof f->reference);
  memcpy(f->speed, d->handed.velocity, sizeof f->speed);
  f->ticks = d->handed.ticks;
  dv_driver_show(d);
  return DV_OK;
}

static void measure(dvDriver *d)
{
  static const double parts[] = {0.5, 0.99, 0.999, 1};
  if (!dv_reals_resize(&d->periods, DV_COUNT(parts))) return;
  for (size_t i = 0; i < DV_COUNT(parts); i++) d->periods.data[i] = dv_haptic_period(d->haptic, parts[i]);
  dv_touch(&d->base, &d->periods);
}

void dv_driver_end_step(dvDriver *d, double dt)
{
  if (!d->haptic) return;
  dvFeedback *f = feedback_of(d);
  if (!d->threaded) {
    double period = d->haptic->set.period, *message = f->held.count ? f->held.data : NULL;
    double end = d->clock + dt;
    bool fresh = message != NULL;
    for (long n = (long)floor(dt / period + 0.5), i = 0; i < n; i++, fresh = false)
      dv_haptic_tick(d->haptic, d->clock + (double)(i + 1) * period, message, fresh);
    d->clock = end;
  } else if (d->base.node->scene->step % 64 == 0) {
    measure(d);
  }
  const dvFeedbackOps *ops = d->feedback ? dv_feedback_ops(d->feedback) : NULL;
  if (ops && ops->active(d->feedback) && !d->feedback->failed) ops->draft(d->feedback, dt);
  else if (ops || d->own.draft.count == 0) dv_feedback_begin(f, DV_RENDER_NOTHING, dt, 0, 0);
  dv_feedback_post(f, d->threaded);
}

void dv_driver_hold(dvDriver *d, dvVec3 force)
{
  dvSensation *m = dv_feedback_begin(&d->own, DV_RENDER_HELD, d->base.node->dt, 0, 0);
  dv_vec3_store(m->wrench, force);
}

void dv_driver_choose_feedback(dvDriver *d, int tool)
{
  dvObject *now = tool < 0 ? NULL : find_feedback(d, tool);
  if (d->threaded || now == d->feedback) return;
  d->feedback = now;
  if (now) dv_feedback_of(now)->driver = &d->base;
}

void dv_driver_remember(dvObject *o, dvMemoryStream *s)
{
  dvDriver *d = dv_driver(o);
  if (!d->haptic || d->threaded) return;
  dvDevice *device = d->haptic->device;
  dv_remember_numbers(s, "loop", (double *)&d->haptic->state, sizeof d->haptic->state);
  dv_remember_numbers(s, "handed", (double *)&d->handed, sizeof d->handed);
  dv_remember_numbers(s, "clock", &d->clock, sizeof d->clock);
  dv_remember_numbers(s, "seen", d->seen, sizeof d->seen);
  dv_remember_numbers(s, "device", device->memory, device->memory_count * sizeof *device->memory);
  dv_feedback_remember(&d->own, s);
}
