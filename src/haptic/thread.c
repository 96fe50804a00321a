// The loop in a thread. See loop.h.
#include "haptic/loop.h"

#include "base/clock.h"

#include <math.h>
#include <sched.h>
#include <string.h>

enum { STACK = 256 * 1024 };

// --- a tick against the clock --------------------------------------------------------------------

static void measure(dvHapticLoop *l, double now)
{
  double period = l->last > 0 ? 1e6 * (now - l->last) : 0;
  l->last = now;
  if (!(period > 0)) return;
  unsigned us = (unsigned)dv_min(period + 0.5, 4e9);
  atomic_fetch_add_explicit(&l->periods[us < DV_PERIOD_BINS ? us : DV_PERIOD_BINS - 1], 1, memory_order_relaxed);
  if (us > atomic_load_explicit(&l->longest, memory_order_relaxed))
    atomic_store_explicit(&l->longest, us, memory_order_relaxed);
}

static void tick(void *user)
{
  dvHapticLoop *l = user;
  bool fresh = false;
  double now = dv_now();
  measure(l, now);
  // what was taken is the reader's until he takes the next
  double *message = (double *)(uintptr_t)dv_outbox_take(l->inbox, NULL, &fresh);
  dv_haptic_tick(l, now - l->begun, message, fresh && message);
  dvHapticState *out = dv_outbox_begin(&l->poses, sizeof *out);
  if (!out) return;
  *out = l->state;
  dv_outbox_publish(&l->poses);
}

static void sleep_until(double time)
{
  struct timespec t = {.tv_sec = (time_t)time, .tv_nsec = (long)(1e9 * (time - floor(time)))};
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

// what it uses of its stack is there before it counts
static void touch_stack(void)
{
  volatile char room[STACK / 4];
  for (size_t i = 0; i < sizeof room; i += 1024) room[i] = 0;
  (void)room[0];
}

static void *run(void *user)
{
  dvHapticLoop *l = user;
  touch_stack();
  l->due = dv_now();
  while (!atomic_load_explicit(&l->stop, memory_order_acquire)) {
    tick(l);
    l->due += l->set.period;
    double now = dv_now();
    if (now > l->due + 5 * l->set.period) l->due = now;   // ticks that were missed are not made up for
    sleep_until(l->due);
  }
  return NULL;
}

// --- its life ------------------------------------------------------------------------------------

// with a real-time priority where the system grants it
static bool launch(dvHapticLoop *l)
{
  pthread_attr_t a;
  struct sched_param priority = {.sched_priority = sched_get_priority_max(SCHED_FIFO) / 2};
  if (pthread_attr_init(&a) != 0) return false;
  pthread_attr_setstacksize(&a, STACK);
  pthread_attr_setinheritsched(&a, PTHREAD_EXPLICIT_SCHED);
  pthread_attr_setschedpolicy(&a, SCHED_FIFO);
  pthread_attr_setschedparam(&a, &priority);
  l->realtime = pthread_create(&l->thread, &a, run, l) == 0;
  bool made = l->realtime;
  if (!made) {
    pthread_attr_setinheritsched(&a, PTHREAD_INHERIT_SCHED);
    made = pthread_create(&l->thread, &a, run, l) == 0;
  }
  pthread_attr_destroy(&a);
  return made;
}

// so that the thread allocates nothing: every buffer has been the writer's once
static bool warm(dvOutbox *o, size_t bytes)
{
  for (int i = 0; i < 3; i++) {
    void *room = dv_outbox_begin(o, bytes);
    if (!room) return false;
    memset(room, 0, bytes);
    dv_outbox_publish(o);
    dv_outbox_take(o, NULL, NULL);
  }
  return true;
}

bool dv_haptic_loop_start(dvHapticLoop *l, dvOutbox *inbox)
{
  l->inbox = inbox;
  l->begun = dv_now();
  atomic_store(&l->stop, false);
  l->last = 0;
  for (size_t i = 0; i < DV_PERIOD_BINS; i++) atomic_store_explicit(&l->periods[i], 0, memory_order_relaxed);
  atomic_store(&l->longest, 0);
  dv_outbox_init(&l->poses);
  if (!warm(&l->poses, sizeof(dvHapticState))) return false;
  l->running = true;
  l->servo = l->device->ops->start != NULL;
  l->realtime = l->servo;
  l->running = l->servo ? l->device->ops->start(l->device, tick, l) : launch(l);
  return l->running;
}

void dv_haptic_loop_stop(dvHapticLoop *l)
{
  if (!l->running) return;
  if (l->servo) {
    l->device->ops->stop(l->device);
  } else {
    atomic_store_explicit(&l->stop, true, memory_order_release);
    pthread_join(l->thread, NULL);
  }
  l->running = false;
  memset(l->state.pushed, 0, sizeof l->state.pushed);
  if (!atomic_load(&l->trouble.gone)) l->device->ops->write(l->device, l->set.period, l->state.pushed);
  dv_outbox_free(&l->poses);
}

bool dv_haptic_loop_look(dvHapticLoop *l, dvHapticState *out)
{
  if (!l->running) {
    *out = l->state;
    return l->state.ready != 0;
  }
  const dvHapticState *s = dv_outbox_take(&l->poses, NULL, NULL);
  if (!s || s->ready == 0) return false;
  *out = *s;
  return true;
}

double dv_haptic_period(const dvHapticLoop *l, double part)
{
  double all = 0, sum = 0;
  for (size_t i = 0; i < DV_PERIOD_BINS; i++) all += atomic_load_explicit(&l->periods[i], memory_order_relaxed);
  if (all == 0) return 0;
  if (part >= 1) return atomic_load_explicit(&l->longest, memory_order_relaxed);
  for (size_t i = 0; i < DV_PERIOD_BINS; i++) {
    sum += atomic_load_explicit(&l->periods[i], memory_order_relaxed);
    if (sum >= part * all) return (double)i;
  }
  return DV_PERIOD_BINS;
}

void dv_haptic_loop_free(dvHapticLoop *l)
{
  dv_haptic_loop_stop(l);
  if (l->device) l->device->ops->close(&l->device);
}
