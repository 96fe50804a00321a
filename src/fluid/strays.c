// Particles that leave. See strays.h.
#include "fluid/strays.h"

#include <math.h>

void dv_strays_tell(dvStrays *s, const dvObject *o, const dvState *state, double radius)
{
  const double *x = dv_state_read(state, DV_X), away = DV_STRAYS_FAR * radius;
  size_t n = state->count, gone = 0;
  if (s->told || n == 0) return;
  if (!s->seen) {
    s->seen = true;
    for (int d = 0; d < 3; d++) s->low[d] = INFINITY, s->high[d] = -INFINITY;
    for (size_t i = 0; i < n; i++)
      for (size_t d = 0; d < 3; d++)
        s->low[d] = fmin(s->low[d], x[3 * i + d]), s->high[d] = fmax(s->high[d], x[3 * i + d]);
  }
  for (size_t i = 0; i < n; i++) {
    bool in = true;
    for (size_t d = 0; d < 3; d++) in = in && x[3 * i + d] >= s->low[d] - away && x[3 * i + d] <= s->high[d] + away;
    gone += !in;
  }
  if (!gone) return;
  s->told = true;
  dv_warning(o, "close the gap, or remove them with a ParticleSink",
             "%zu of %zu particles have left: they are more than %g m (%d radii) away from where the particles began; "
             "they are kept",
             gone, n, away, DV_STRAYS_FAR);
}
