// DataVariationLimiter: a list of numbers that follows another one without jumps, for commands that a motor or a pump
// has to follow.
//
// At the beginning of each step the output becomes the input. Where a number would change by more than maxJump it goes
// there in nbStep equal parts; a jump on the way begins anew from where the output is.
#include "robot/classes.h"

#include "scene/node.h"

#include <math.h>
#include <string.h>

#define LIMITER_FIELDS(X)                                                           \
  X(reals, input, "", "", "numbers to follow", .flags = DV_INPUT)                   \
  X(reals, output, "", "", "numbers that follow", .flags = DV_READ_ONLY)            \
  X(int, size, "0", "", "how many numbers are followed; all when 0", .least = "0")  \
  X(real, maxJump, "0.1", "", "larger changes are spread over steps", .least = "0") \
  X(int, nbStep, "50", "", "over how many", .least = "1")                           \
  X(bool, initOutput, "1", "", "the output begins as the input is; else with zeros")

typedef struct Limiter {
  dvObject base;
  LIMITER_FIELDS(DV_MEMBER)
  DV_ARRAY(double) goal;     // that a number is on its way to
  DV_ARRAY(int32_t) steps;   // that are left
} Limiter;

#define SELF Limiter
static const dvFieldDesc limiter_fields[] = {LIMITER_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc limiter_memory[] = {DV_REMEMBER(reals, output) DV_REMEMBER(array, goal)
                                                  DV_REMEMBER(array, steps)};
#undef SELF

static size_t followed(const Limiter *l)
{
  return l->size > 0 ? dv_min_size((size_t)l->size, l->input.count) : l->input.count;
}

// false when memory is short
static bool fit(Limiter *l, bool begin)
{
  size_t n = followed(l), before = begin ? 0 : l->output.count;
  if (n == l->output.count && !begin) return true;
  if (!dv_reals_resize(&l->output, n)) return false;
  dv_array_resize(&l->goal, n);
  dv_array_resize(&l->steps, n);
  double *out = dv_reals_edit(&l->output);
  for (size_t i = dv_min_size(before, n); i < n; i++) {
    out[i] = l->goal.data[i] = l->initOutput ? l->input.data[i] : 0;
    l->steps.data[i] = 0;
  }
  return true;
}

static double follow(Limiter *l, size_t i, double from, double to)
{
  if (to != l->goal.data[i]) l->steps.data[i] = fabs(to - from) > l->maxJump ? l->nbStep : 0;
  l->goal.data[i] = to;
  if (l->steps.data[i] <= 1) {
    l->steps.data[i] = 0;
    return to;
  }
  return from + (to - from) / l->steps.data[i]--;
}

static void limiter_event(dvObject *o, const dvEvent *event)
{
  Limiter *l = (Limiter *)o;
  if (event->kind != DV_EVENT_ANIMATE_BEGIN || o->failed) return;
  dv_field_pull(dv_field_of(o, &l->input));
  if (!fit(l, false)) {
    dv_error(o, NULL, "out of memory");
    return;
  }
  double *out = dv_reals_edit(&l->output);
  for (size_t i = 0; i < l->output.count; i++) out[i] = follow(l, i, out[i], l->input.data[i]);
  dv_touch(o, &l->output);
}

static dvStatus limiter_check(dvObject *o)
{
  Limiter *l = (Limiter *)o;
  if (l->nbStep < 1)
    return dv_field_error(o, &l->nbStep, "1 is at once", "a jump cannot be spread over %d steps", l->nbStep);
  if (!(l->maxJump >= 0))
    return dv_field_error(o, &l->maxJump, "0 spreads every change", "a jump cannot be smaller than %g", l->maxJump);
  return DV_OK;
}

static dvStatus limiter_init(dvObject *o)
{
  Limiter *l = (Limiter *)o;
  DV_TRY(limiter_check(o));
  dv_field_pull(dv_field_of(o, &l->input));
  if (!fit(l, true)) return dv_error(o, NULL, "out of memory");
  dv_touch(o, &l->output);
  return DV_OK;
}

static void limiter_destroy(dvObject *o)
{
  dv_array_free(&((Limiter *)o)->goal);
  dv_array_free(&((Limiter *)o)->steps);
}

const dvClass dv_limiter_class = {
    .struct_size = sizeof(dvClass),
    .name = "DataVariationLimiter",
    .help = "numbers that follow others without jumps",
    .module = "SoftRobots",
    .size = sizeof(Limiter),
    .blocks = {&dv_object_block, DV_BLOCK(limiter_fields)},
    DV_MEMORY(limiter_memory),
    .init = limiter_init,
    .reinit = limiter_check,
    .handle_event = limiter_event,
    .destroy = limiter_destroy,
};
