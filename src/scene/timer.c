// See timer.h.
#include "scene/timer.h"

#include "base/clock.h"
#include "base/text.h"

dvTimers *dv_timers_create(void)
{
  dvTimers *t = dv_alloc(sizeof *t);
  t->current = -1;
  return t;
}

void dv_timers_destroy(dvTimers **timers)
{
  if (!*timers) return;
  dv_array_free(&(*timers)->list);
  dv_free(*timers);
  *timers = NULL;
}

void dv_timers_clear(dvTimers *timers)
{
  for (size_t i = 0; i < timers->list.count; i++) timers->list.data[i].total = 0, timers->list.data[i].count = 0;
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

void dv_timer_begin(dvTimers *t, const char *name)
{
  if (!t) return;
  int i = t->current >= 0 ? t->list.data[t->current].first_child : t->list.count ? 0 : -1;
  while (i >= 0 && t->list.data[i].name != name && !dv_same(t->list.data[i].name, name)) i = t->list.data[i].next;
  if (i < 0) i = timer_add(t, name);
  t->current = i;
  t->list.data[i].began = dv_now();
}

void dv_timer_end(dvTimers *t)
{
  if (!t || t->current < 0) return;
  dvTimer *now = &t->list.data[t->current];
  now->total += dv_now() - now->began;
  now->count++;
  t->current = now->parent;
}
