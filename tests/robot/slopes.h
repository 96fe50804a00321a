// The slopes that a part tells beside finite differences of what it measures.
#ifndef DV_TESTS_ROBOT_SLOPES_H
#define DV_TESTS_ROBOT_SLOPES_H

#include "robot/part.h"
#include "support/check.h"
#include "support/scene.h"

#include <string.h>

static void slopes_of(dvScene *s, const char *path)
{
  dvPart *p = (dvPart *)check_find(s, path);
  dvState *state = dv_part_state(p);
  size_t n = state->count * (size_t)state->base.dof->coord, rows = p->gauge->rows(p);
  assert_int_equal(state->base.dof->coord, state->base.dof->deriv);
  double *x = dv_alloc(n * sizeof *x), q[2][64], *h = dv_alloc(n * rows * sizeof *h);
  memcpy(x, dv_state_read(state, DV_X), n * sizeof *x);
  memset(h, 0, n * rows * sizeof *h);
  p->slopes.count = 0;
  p->gauge->measure(p, x, q[0], true);
  size_t width = (size_t)state->base.dof->deriv;
  for (size_t i = 0; i < p->slopes.count; i++)
    for (size_t k = 0; k < width; k++)
      h[(size_t)p->slopes.data[i].row * n + (size_t)p->slopes.data[i].dof * width + k] += p->slopes.data[i].h[k];
  for (size_t i = 0; i < n; i++) {
    const double step = 1e-5, here = x[i];
    for (int side = 0; side < 2; side++) {
      x[i] = here + (side ? step : -step);
      p->gauge->measure(p, x, q[side], false);
    }
    x[i] = here;
    for (size_t r = 0; r < rows; r++) check_close((q[1][r] - q[0][r]) / (2 * step), h[r * n + i], 1e-8);
  }
  dv_free(x);
  dv_free(h);
}

#endif
