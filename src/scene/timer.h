// Hierarchical timers: where the time of a step goes. A begin/end pair costs two readings of the clock, about 60 ns.
//
// Coarse timers stand around the phases of a step and always run. Fine ones (dv_timer_begin_fine) stand around every
// call of a component inside the solvers: they are off until dv_timers_refine, which also measures what a pair costs,
// so that dv_timer_seconds can take it out again. Every pair can also be kept as an event with its place in time.
//
// One thread steps, and it alone measures, without locks. Others ask for a copy (dv_timers_copy), which that thread
// makes when its outermost timer ends.
#ifndef DV_SCENE_TIMER_H
#define DV_SCENE_TIMER_H

#include "base/array.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct dvTimer {
  const char *name;        // lives as long as the timers: a literal or the name of a class
  int parent;              // index, -1 for the outermost
  int first_child, next;   // indices, -1 for none
  double total, began;     // seconds
  long count;
} dvTimer;

typedef struct dvTimerEvent {
  int32_t timer;
  double began, seconds;   // began on the clock of dv_now
} dvTimerEvent;

typedef DV_ARRAY(dvTimer) dvTimerList;

typedef struct dvTimers {
  dvTimerList list;
  int current;   // -1 outside of all
  bool fine;
  double cost, cost_inside;   // seconds of a begin/end pair, and how much of it the pair itself sees
  DV_ARRAY(dvTimerEvent) events;
  size_t event_limit;   // 0: events are not kept
  size_t events_lost;   // those that came when the limit was reached
  atomic_bool asked;    // another thread wants a copy
  pthread_mutex_t lock;
  dvTimerList copied;   // under the lock: as they were when a step ended
} dvTimers;

dvTimers *dv_timers_create(void);
void dv_timers_destroy(dvTimers **timers);
void dv_timers_clear(dvTimers *timers);   // forgets times, keeps names and events: nothing is allocated afterwards
// Switches fine timers on.
void dv_timers_refine(dvTimers *timers);
// Keeps the first `limit` events from now on; the memory is taken here. False when there is not enough.
bool dv_timers_record(dvTimers *timers, size_t limit);

// `timers` may be NULL: nothing is measured then. Names that read the same are the same timer within a parent.
void dv_timer_begin(dvTimers *timers, const char *name);
void dv_timer_end(dvTimers *timers);
static inline void dv_timer_begin_fine(dvTimers *timers, const char *name)
{
  if (timers && timers->fine) dv_timer_begin(timers, name);
}
static inline void dv_timer_end_fine(dvTimers *timers)
{
  if (timers && timers->fine) dv_timer_end(timers);
}

// For other threads: the timers as they were at the end of a step, into a list that is zero at first and freed by the
// caller. It asks for the next copy, so the first call gives an empty list and later ones what was asked for before.
void dv_timers_copy(dvTimers *timers, dvTimerList *out);

// Time of a timer without the cost of the timers inside it; never less than the sum over its children.
double dv_timer_seconds(const dvTimers *timers, int index);

#endif
