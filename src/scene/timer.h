// Hierarchical timers: where the time of a step goes. A begin/end pair costs two readings of the clock, about 60 ns.
//
// Coarse timers stand around the phases of a step and always run. Fine ones (dv_timer_begin_fine) stand around every
// call of a component inside the solvers: they are off until dv_timers_refine, which also measures what a pair costs,
// so that dv_timer_seconds can take it out again. Every pair can also be kept as an event with its place in time.
#ifndef DV_SCENE_TIMER_H
#define DV_SCENE_TIMER_H

#include "base/array.h"

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

typedef struct dvTimers {
  DV_ARRAY(dvTimer) list;
  int current;   // -1 outside of all
  bool fine;
  double cost, cost_inside;   // seconds of a begin/end pair, and how much of it the pair itself sees
  DV_ARRAY(dvTimerEvent) events;
  size_t event_limit;   // 0: events are not kept
  size_t events_lost;   // those that came when the limit was reached
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

// Time of a timer without the cost of the timers inside it; never less than the sum over its children.
double dv_timer_seconds(const dvTimers *timers, int index);

#endif
