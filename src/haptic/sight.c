// The hand in the viewer: its handle, the tool that it holds (the proxy) and the way between them, the force as an
// arrow, the rates in words; and a mouse that leads an emulated hand.
#include "haptic/driver.h"

#include "base/clock.h"
#include "math/pose.h"
#include "state/source.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { HANDLE_LINES = 4, PROXY_LINES = 4 };
#define HANDLE 0.06   // m of the device: length of the handle
#define AXIS 0.01     // and of the axes at its end

// --- who is held ---------------------------------------------------------------------------------

// a state that takes its frames from the driver
static bool follows(const dvDriver *d, const dvState *state)
{
  const dvField *source = dv_state_source(state);
  return source && source == dv_object_field(&d->base, "positionDevice");
}

static dvState *state_of_feedback(const dvDriver *d)
{
  dvObject *state = d->feedback ? dv_node_state_up(d->feedback->node) : NULL;
  return state && state->initialised && !state->failed && state->dof->kind == DV_RIGID3 ? dv_state(state) : NULL;
}

const double *dv_driver_tool(const dvDriver *d)
{
  const dvState *state = d->frames ? d->frames : state_of_feedback(d);
  int number = d->feedback ? dv_feedback_ops(d->feedback)->tool(d->feedback) : 0;
  if (!state || number < 0 || (size_t)number >= state->count) return NULL;
  return dv_state_read(state, DV_X) + 7 * (size_t)number;
}

typedef struct Holder {
  dvVisitor visitor;
  const dvState *state;
  dvDriver *found;
} Holder;

static dvWalk look(dvVisitor *v, dvNode *node)
{
  Holder *h = (Holder *)v;
  for (size_t i = 0; i < node->objects.count && !h->found; i++) {
    dvObject *o = node->objects.data[i];
    if (o->failed || !dv_is_driver(o)) continue;
    dvDriver *d = dv_driver(o);
    if (!d->haptic || !dv_is_emulator(d->haptic->device)) continue;
    if (d->frames == h->state || state_of_feedback(d) == h->state || follows(d, h->state)) h->found = d;
  }
  return h->found ? DV_WALK_PRUNE : DV_WALK_ON;
}

dvDriver *dv_driver_holding(const dvScene *scene, const dvState *state)
{
  Holder h = {.visitor = {.top_down = look}, .state = state};
  if (state) dv_visit(scene->root, &h.visitor);
  return h.found;
}

static void lead(dvDriver *d, dvVec3 to)
{
  const dvHapticSettings *set = &d->haptic->set;
  dvPose now = dv_pose_load(d->seen);
  // pose = base (scale place, turn) tool
  dvVec3 end = dv_vec3_sub(to, dv_quat_rotate(dv_quat_mul(now.turn, dv_quat_inverse(set->tool.turn)), set->tool.at));
  dvVec3 place = dv_vec3_scale(dv_quat_inverse_rotate(set->base.turn, dv_vec3_sub(end, set->base.at)), 1 / set->scale);
  double at[3];
  dv_vec3_store(at, place);
  if (isfinite(at[0]) && isfinite(at[1]) && isfinite(at[2]) && dv_vec3_norm(place) < 1e6)
    dv_emulator_lead(d->haptic->device, at);
}

static bool is_emulated(const dvDriver *d) { return d->haptic && dv_is_emulator(d->haptic->device); }
bool dv_driver_is_led(const dvDriver *d) { return is_emulated(d) && dv_emulator_is_led(d->haptic->device); }

// the other hands of a recording wait where they are for who has taken one of them
static dvWalk wait(dvVisitor *v, dvNode *node)
{
  const dvDriver *taken = ((Holder *)v)->found;
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    if (o->failed || !dv_is_driver(o)) continue;
    dvDriver *d = dv_driver(o);
    if (d != taken && is_emulated(d) && d->motion && *d->motion && !dv_driver_is_led(d)) lead(d, dv_vec3_load(d->seen));
  }
  return DV_WALK_ON;
}

void dv_driver_lead(dvDriver *d, dvVec3 to)
{
  if (!is_emulated(d)) return;
  Holder h = {.visitor = {.top_down = wait}, .found = d};
  if (d->motion && *d->motion && !dv_driver_is_led(d)) dv_visit(d->base.node->scene->root, &h.visitor);
  lead(d, to);
}

// the way there fades
double dv_driver_ahead(double dt) { return dt > 0 ? dt / -expm1(-dt / DV_LED_TIME) : 0; }

// --- what is drawn -------------------------------------------------------------------------------

static void axes_at(dvPose p, double size, double *out)
{
  static const dvVec3 axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int i = 0; i < 3; i++) {
    dv_vec3_store(out + 6 * i, dv_pose_point(p, dv_vec3_scale(axes[i], -size)));
    dv_vec3_store(out + 6 * i + 3, dv_pose_point(p, dv_vec3_scale(axes[i], size)));
  }
}

static void measure(dvDriver *d)
{
  double now = dv_now(), dt = now - d->step_wall;
  if (d->step_wall > 0 && dt > 0 && dt < 5) d->step_rate += (1 / dt - d->step_rate) * (d->step_rate > 0 ? 0.1 : 1);
  d->step_wall = now;
}

void dv_driver_show(dvDriver *d)
{
  if (!d->drawHand || !d->haptic) return;
  measure(d);
  if (!dv_reals_resize(&d->handle, 6 * HANDLE_LINES) || !dv_reals_resize(&d->proxy, 6 * PROXY_LINES) ||
      !dv_reals_resize(&d->forceAt, 3) || !dv_reals_resize(&d->forceArrow, 3))
    return;
  double metre = fabs(d->haptic->set.scale), *handle = dv_reals_edit(&d->handle), *proxy = dv_reals_edit(&d->proxy);
  dvPose hand = dv_pose_load(d->seen);
  const double *frame = dv_driver_tool(d);
  dvPose tool = frame ? dv_pose_load(frame) : hand;
  axes_at(hand, AXIS * metre, handle);
  dv_vec3_store(handle + 18, hand.at);
  dv_vec3_store(handle + 21, dv_pose_point(hand, dv_vec3(0, 0, HANDLE * metre)));
  axes_at(tool, 0.5 * AXIS * metre, proxy);
  dv_vec3_store(proxy + 18, hand.at);
  dv_vec3_store(proxy + 21, tool.at);
  dv_vec3_store(dv_reals_edit(&d->forceAt), tool.at);
  memcpy(dv_reals_edit(&d->forceArrow), d->handed.felt, 3 * sizeof *d->handed.felt);
  const void *const fields[] = {&d->handle, &d->proxy, &d->forceAt, &d->forceArrow};
  for (size_t i = 0; i < DV_COUNT(fields); i++) dv_touch(&d->base, fields[i]);
}

bool dv_driver_sketch(dvDriver *d, int part, dvSketch *out)
{
  static const double colours[][4] = {{0.35, 0.45, 0.6, 1}, {0.95, 0.6, 0.1, 1}, {0.85, 0.1, 0.15, 1}};
  if (!d->drawHand || !d->haptic || d->handle.count == 0 || part >= (int)DV_COUNT(colours)) return false;
  if (d->pairs.count == 0) {
    d->pairs.width = 2;
    if (!dv_ints_resize(&d->pairs, 2 * HANDLE_LINES)) return false;
    for (int i = 0; i < 2 * HANDLE_LINES; i++) dv_ints_edit(&d->pairs)[i] = i;
  }
  const void *const where[] = {&d->handle, &d->proxy, &d->forceAt};
  out->kind = part < 2 ? DV_SKETCH_LINES : DV_SKETCH_ARROWS;
  out->positions = dv_field_of(&d->base, where[part]);
  out->pairs = &d->pairs;   // handle and tool have as many lines
  out->vectors = part == 2 ? dv_field_of(&d->base, &d->forceArrow) : NULL;
  out->coloured = true;
  memcpy(out->colour, colours[part], sizeof out->colour);
  return true;
}

char *dv_driver_rates(const dvDriver *d)
{
  if (!d->drawHand || !d->haptic) return NULL;
  double force = dv_vec3_norm(dv_vec3_load(d->handed.felt));
  const char *state = atomic_load_explicit(&d->haptic->trouble.gone, memory_order_relaxed) ? ", gone" : "";
  if (!d->threaded)
    return dv_format("%s: %.2f N, %g Hz in lock step, simulation %.0f Hz%s", d->base.name, force, d->rate, d->step_rate,
                     state);
  double median = dv_haptic_period(d->haptic, 0.5);
  return dv_format("%s: %.2f N, %.0f Hz (99.9 %% within %.2f ms), simulation %.0f Hz%s", d->base.name, force,
                   median > 0 ? 1e6 / median : 0, 1e-3 * dv_haptic_period(d->haptic, 0.999), d->step_rate, state);
}
