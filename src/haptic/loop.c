// A tick. See loop.h.
#include "haptic/loop.h"

#include <math.h>
#include <string.h>

#define VELOCITY_FILTER 0.002   // s
#define STEADY_FILTER 0.01      // s
#define MOST_DAMPING 6.0        // N s/m, of the passivity controller: more makes a light handle unstable

void dv_haptic_loop_init(dvHapticLoop *l, const dvHapticSettings *set, dvDevice *device)
{
  l->set = *set;
  l->device = device;
  memset(&l->state, 0, sizeof l->state);
  dv_pose_store(l->state.pose, dv_pose_identity());
}

static bool all_finite(const double *x, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

// the place of the device, no faster than a hand may be
static void follow(dvHapticLoop *l, const double place[3])
{
  dvHapticState *s = &l->state;
  dvVec3 now = dv_vec3_load(s->place), way = dv_vec3_sub(dv_vec3_load(place), now);
  double most = l->set.max_speed * l->set.period, size = dv_vec3_norm(way);
  if (s->ready == 0 || size <= most) {
    memcpy(s->place, place, sizeof s->place);
    return;
  }
  atomic_fetch_add_explicit(&l->trouble.jumps, 1, memory_order_relaxed);
  dv_vec3_store(s->place, dv_vec3_add_scaled(now, way, most / size));
}

static void move_tool(dvHapticLoop *l, const dvDeviceSample *in)
{
  dvHapticState *s = &l->state;
  double dt = l->set.period, gain = dt / (VELOCITY_FILTER + dt), slow = dt / (STEADY_FILTER + dt);
  follow(l, in->pose);
  dvPose end = {dv_vec3_scale(dv_vec3_load(s->place), l->set.scale), dv_quat_normalise(dv_quat_load(in->pose + 3))};
  dvPose now = dv_pose_mul(dv_pose_mul(l->set.base, end), l->set.tool), before = dv_pose_load(s->pose);
  double speed[6] = {0};
  if (s->ready != 0) {
    dv_vec3_store(speed, dv_vec3_scale(dv_vec3_sub(now.at, before.at), 1 / dt));
    dv_vec3_store(
        speed + 3,
        dv_vec3_scale(dv_quat_to_rotation_vector(dv_quat_mul(now.turn, dv_quat_inverse(before.turn))), 1 / dt));
  }
  for (int i = 0; i < 6; i++) {
    s->velocity[i] += gain * (speed[i] - s->velocity[i]);
    s->steady[i] += slow * (speed[i] - s->steady[i]);
  }
  dv_pose_store(s->pose, now);
  memcpy(s->angles, in->angles, sizeof s->angles);
  s->buttons = in->buttons & 0xffff;
  s->ready = 1;
}

// the force of a new message comes in where that of the old one is
static void blend(dvHapticState *s, const dvSensation *m, bool fresh, double dt, double wrench[6])
{
  if (fresh) {
    for (int i = 0; i < 6; i++) s->offset[i] = s->felt[i] - wrench[i];
    s->blend = s->blend_left = m->blend;
  }
  s->blend_left = dv_max(0, s->blend_left - dt);
  double part = s->blend > 0 ? s->blend_left / s->blend : 0;
  for (int i = 0; i < 6; i++) wrench[i] += part * s->offset[i];
}

// What the hand has put in, less what it got: forces arrive late. Where that is negative a damper takes it back
// (time-domain passivity, Hannaford and Ryu 2002).
static void control_energy(dvHapticLoop *l, const double before[7], double wrench[6])
{
  dvHapticState *s = &l->state;
  double dt = l->set.period, square = 0;
  size_t late = (size_t)dv_min(DV_HAPTIC_PAST - 1, floor(l->set.delay / dt + 0.5));
  memmove(s->past[1], s->past[0], (DV_HAPTIC_PAST - 1) * sizeof s->past[0]);
  memcpy(s->past[0], s->felt, sizeof s->past[0]);
  for (int i = 0; i < 3; i++) {
    s->energy -= s->past[late][i] * (s->pose[i] - before[i]);
    square += s->velocity[i] * s->velocity[i];
  }
  if (!l->set.passive || s->energy >= 0 || square < 1e-8) return;
  double damping = dv_min(MOST_DAMPING, -s->energy / (square * dt));
  for (int i = 0; i < 3; i++) wrench[i] -= damping * s->velocity[i];
}

static double shrink_to(const double v[3], double most)
{
  double size = dv_vec3_norm(dv_vec3_load(v));
  return size > most ? most / size : 1;
}

// to the axes and the end of the device, scaled, within its limits
static void push(dvHapticLoop *l, double part)
{
  dvHapticState *s = &l->state;
  dvQuat base = l->set.base.turn;
  dvVec3 arm = dv_vec3_sub(dv_vec3_load(s->pose),
                           dv_pose_point(l->set.base, dv_vec3_scale(dv_vec3_load(s->place), l->set.scale)));
  dvVec3 f = dv_vec3_load(s->felt), t = dv_vec3_add(dv_vec3_load(s->felt + 3), dv_vec3_cross(arm, f));
  bool on = l->set.permanent || dv_haptic_pressed(s, 0);
  double k = on ? part * l->set.force_scale : 0;
  dv_vec3_store(s->pushed, dv_vec3_scale(dv_quat_inverse_rotate(base, f), k));
  dv_vec3_store(s->pushed + 3, dv_vec3_scale(dv_quat_inverse_rotate(base, t), k));
  double down = shrink_to(s->pushed, l->set.max_force), turn = shrink_to(s->pushed + 3, l->set.max_torque);
  for (int i = 0; i < 3; i++) s->pushed[i] *= down, s->pushed[3 + i] *= turn;
  if (l->device->forces < 6) s->pushed[3] = s->pushed[4] = s->pushed[5] = 0;
}

static void let_go(dvHapticState *s)
{
  memset(s->felt, 0, sizeof s->felt);
  memset(s->pushed, 0, sizeof s->pushed);
  memset(s->velocity, 0, sizeof s->velocity);
  memset(s->steady, 0, sizeof s->steady);
  s->blend_left = 0;
}

static void lose(dvHapticLoop *l)
{
  if (!atomic_exchange_explicit(&l->trouble.gone, true, memory_order_relaxed))
    atomic_fetch_add_explicit(&l->trouble.losses, 1, memory_order_relaxed);
  let_go(&l->state);
  l->state.ready = 0;   // where it comes back is no jump
}

static double fade(dvHapticLoop *l, const dvSensation *m, bool fresh)
{
  dvHapticState *s = &l->state;
  double dt = l->set.period, stall = dv_max(l->set.stall, m ? 2 * m->step : 0);
  double before = s->age;
  s->age = fresh ? 0 : s->age + dt;
  if (s->age <= stall) return 1;
  if (before <= stall) atomic_fetch_add_explicit(&l->trouble.stalls, 1, memory_order_relaxed);
  return exp(-(s->age - stall) / l->set.decay);
}

void dv_haptic_tick(dvHapticLoop *l, double time, double *message, bool fresh)
{
  dvHapticState *s = &l->state;
  dvDeviceSample in;
  double before[7], wrench[6] = {0};
  s->ticks++;
  if (!l->device->ops->read(l->device, time, &in)) {
    lose(l);
    return;
  }
  atomic_store_explicit(&l->trouble.gone, false, memory_order_relaxed);
  if (!all_finite(in.pose, 7) || !(dv_quat_dot(dv_quat_load(in.pose + 3), dv_quat_load(in.pose + 3)) > 1e-12)) {
    atomic_fetch_add_explicit(&l->trouble.bad_poses, 1, memory_order_relaxed);
    let_go(s);
    l->device->ops->write(l->device, l->set.period, s->pushed);
    return;
  }
  bool first = s->ready == 0;
  memcpy(before, s->pose, sizeof before);
  move_tool(l, &in);
  if (first) memcpy(before, s->pose, sizeof before);
  dvHapticTool tool = {.timed = l->inbox != NULL, .ticks = s->ticks, .period = l->set.period, .pierced = s->pierced};
  memcpy(tool.pose, s->pose, sizeof tool.pose);
  memcpy(tool.velocity, s->velocity, sizeof tool.velocity);
  if (message) {
    dv_sensation_force(message, &tool, wrench);
    s->pierced = tool.pierced;
    blend(s, (const dvSensation *)message, fresh, l->set.period, wrench);
  }
  control_energy(l, before, wrench);
  if (!all_finite(wrench, 6)) {
    atomic_fetch_add_explicit(&l->trouble.bad_forces, 1, memory_order_relaxed);
    memset(wrench, 0, sizeof wrench);
  }
  memcpy(s->felt, wrench, sizeof s->felt);
  push(l, fade(l, (const dvSensation *)message, fresh));
  l->device->ops->write(l->device, l->set.period, s->pushed);
}
