// The list of rooms whose components exist. See divan.h.
#include "app/divan.h"

#include "scene/timer.h"
#include "state/register.h"

dvContext *dv_divan_create(int threads)
{
  dvContext *c = dv_context_create(threads);
  c->timers = dv_timers_create();
  dv_register_state(&c->registry);
  return c;
}

void dv_divan_destroy(dvContext **context)
{
  if (!*context) return;
  dv_timers_destroy(&(*context)->timers);
  dv_context_destroy(context);
}
