// Hierarchical timers: where the time of a step goes. A begin/end pair costs two readings of the clock.
#ifndef DV_SCENE_TIMER_H
#define DV_SCENE_TIMER_H

#include "base/array.h"

typedef struct dvTimer {
  const char *name;      // a literal: compared by address first
  int parent;            // index, -1 for the outermost
  int first_child, next; // indices, -1 for none
  double total, began;   // seconds
  long count;
} dvTimer;

typedef struct dvTimers {
  DV_ARRAY(dvTimer) list;
  int current;           // -1 outside of all
} dvTimers;

dvTimers *dv_timers_create(void);
void dv_timers_destroy(dvTimers **timers);
void dv_timers_clear(dvTimers *timers);    // forgets times, keeps names: nothing is allocated afterwards
// `timers` may be NULL: nothing is measured then.
void dv_timer_begin(dvTimers *timers, const char *name);
void dv_timer_end(dvTimers *timers);

#endif
