// See timer.h.
#include "scene/timer.h"

#include "base/clock.h"
#include "base/text.h"

dvTimers *dv_timers_create(void)
{
  dvTimers *t = dv_alloc(sizeof *t);
  t->current = -1;
  pthread_mutex_init(&t->lock, NULL);
  return t;
}

void dv_timers_destroy(dvTimers **timers)
{
  if (!*timers) return;
  dv_array_free(&(*timers)->list);
  dv_array_free(&(*timers)->events);
  dv_array_free(&(*timers)->copied);
  pthread_mutex_destroy(&(*timers)->lock);
  dv_free(*timers);
  *timers = NULL;
}

void dv_timers_clear(dvTimers *timers)
{
  for (size_t i = 0; i < timers->list.count; i++) timers->list.data[i].total = 0, timers->list.data[i].count = 0;
}

void dv_timers_refine(dvTimers *timers)
{
  enum { PAIRS = 1000, TRIES = 5 };
  timers->fine = true;
  timers->cost = timers->cost_inside = 1;
  for (int k = 0; k < TRIES; k++) {   // the best of several: an interruption must not count
    dvTimers *probe = dv_timers_create();
    dv_timer_begin(probe, "outside");
    for (int i = 0; i < PAIRS; i++) dv_timer_begin(probe, "inside"), dv_timer_end(probe);
    dv_timer_end(probe);
    timers->cost = dv_min(timers->cost, probe->list.data[0].total / PAIRS);
    timers->cost_inside = dv_min(timers->cost_inside, probe->list.data[1].total / PAIRS);
    dv_timers_destroy(&probe);
  }
}

bool dv_timers_record(dvTimers *timers, size_t limit)
{
  if (!dv_try_reserve(&timers->events, limit)) return false;
  timers->event_limit = limit;
  return true;
}

static int timer_add(dvTimers *t, const char *name)
{
  int parent = t->current, index = (int)t->list.count;
  dv_push(&t->list, ((dvTimer){.name = name, .parent = parent, .first_child = -1, .next = -1}));
  int *link = NULL;
  if (parent >= 0) link = &t->list.data[parent].first_child;
  else if (index > 0) link = &t->list.data[0].next;
  while (link && *link >= 0) link = &t->list.data[*link].next;
  if (link) *link = index;
  return index;
}

static int timer_find(const dvTimers *t, const char *name)
{
  int first = t->current >= 0 ? t->list.data[t->current].first_child : t->list.count ? 0 : -1, i = first;
  while (i >= 0 && t->list.data[i].name != name) i = t->list.data[i].next;
  if (i >= 0) return i;
  for (i = first; i >= 0 && !dv_same(t->list.data[i].name, name);) i = t->list.data[i].next;
  return i;
}

static void assign(dvTimerList *to, const dvTimerList *from)
{
  dv_array_resize(to, from->count);
  if (from->count) memcpy(to->data, from->data, from->count * sizeof *from->data);
}

static void hand_out(dvTimers *t)
{
  if (pthread_mutex_trylock(&t->lock) != 0) return;   // somebody reads the last one: next time
  atomic_store_explicit(&t->asked, false, memory_order_relaxed);
  assign(&t->copied, &t->list);
  pthread_mutex_unlock(&t->lock);
}

void dv_timer_begin(dvTimers *t, const char *name)
{
  if (!t) return;
  int i = timer_find(t, name);
  if (i < 0) i = timer_add(t, name);
  t->current = i;
  t->list.data[i].began = dv_now();
}

void dv_timer_end(dvTimers *t)
{
  if (!t || t->current < 0) return;
  dvTimer *now = &t->list.data[t->current];
  double seconds = dv_now() - now->began;
  now->total += seconds;
  now->count++;
  if (t->event_limit) {
    if (t->events.count < t->event_limit)
      t->events.data[t->events.count++] = (dvTimerEvent){t->current, now->began, seconds};
    else t->events_lost++;
  }
  t->current = now->parent;
  if (t->current < 0 && atomic_load_explicit(&t->asked, memory_order_relaxed)) hand_out(t);
}

void dv_timers_copy(dvTimers *t, dvTimerList *out)
{
  pthread_mutex_lock(&t->lock);
  assign(out, &t->copied);
  pthread_mutex_unlock(&t->lock);
  atomic_store_explicit(&t->asked, true, memory_order_relaxed);
}

double dv_timer_seconds(const dvTimers *t, int index)
{
  const dvTimer *timer = &t->list.data[index];
  double own = timer->total - (double)timer->count * t->cost_inside, children = 0;
  for (int i = timer->first_child; i >= 0; i = t->list.data[i].next) {
    const dvTimer *child = &t->list.data[i];
    own -= child->total + (double)child->count * (t->cost - t->cost_inside);
    children += dv_timer_seconds(t, i);
  }
  return dv_max(own, 0) + children;
}
