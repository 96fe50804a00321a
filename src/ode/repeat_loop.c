// RepeatAnimationLoop: collision and integration are repeated until the end of the step touches nothing, or nothing
// new.
//
// Contacts are found where the bodies stand when the step begins, and the step is integrated. Then they are looked for
// where the bodies have come to: when there are any, everything goes back to the beginning of the step, which is
// integrated again with those contacts acting. It ends when a step leaves no contact, when a repetition leads to the
// same place as the one before (bodies that rest on each other always touch: x_k = step(contacts(x_k-1)) has come to
// its fixed point), or after maxRepeats of them. Contacts are then those of the end of the step, as an implicit method
// takes its forces.
#include "ode/loop.h"

#include <math.h>
#include <string.h>

#define REPEAT_FIELDS(X)                                                                           \
  DV_LOOP_FIELDS(X)                                                                                \
  X(int, maxRepeats, "10", "", "most repetitions of a step; contacts that are left then stay")     \
  X(real, tolerance, "1e-9", "",                                                                   \
    "a repetition that changes positions by less than this part of the step's motion is the last") \
  X(int, repeats, "0", "", "repetitions of the last step", .flags = DV_READ_ONLY)                  \
  X(int, contactsLeft, "0", "", "contacts at the end of the last step", .flags = DV_READ_ONLY)

typedef struct Kept {
  const dvState *state;
  int id;
  size_t at, count;   // of the numbers in start
} Kept;

typedef struct RepeatLoop {
  dvObject base;
  REPEAT_FIELDS(DV_MEMBER)
  dvIntegration integration;
  DV_ARRAY(Kept) kept;   // positions, velocities and external forces of the independent states when the step begins
  DV_ARRAY(double) start;
  DV_ARRAY(double) last;   // positions that the repetition before has led to
} RepeatLoop;

#define SELF RepeatLoop
static const dvFieldDesc repeat_fields[] = {REPEAT_FIELDS(DV_DESCRIBE)};
#undef SELF

static const int kept_vectors[] = {DV_X, DV_V, DV_F_EXTERNAL};

static void keep(RepeatLoop *l, const dvPlan *plan)
{
  l->kept.count = l->start.count = 0;
  for (size_t i = 0; i < plan->independent.count; i++) {
    dvState *s = dv_state(plan->independent.data[i]);
    for (size_t k = 0; k < DV_COUNT(kept_vectors); k++) {
      if (!dv_state_has(s, kept_vectors[k])) continue;
      size_t n = dv_state_scalars(s, kept_vectors[k]), at = l->start.count;
      dv_push(&l->kept, ((Kept){s, kept_vectors[k], at, n}));
      dv_array_resize(&l->start, at + n);
      memcpy(l->start.data + at, dv_state_read(s, kept_vectors[k]), n * sizeof(double));
    }
  }
}

// states that came with contacts have no start; those that went with them are not looked at
static void put_back(const RepeatLoop *l, dvScene *scene)
{
  dvPlan *plan = scene->plan;
  size_t next = 0;
  for (size_t i = 0; i < plan->independent.count; i++) {
    dvState *s = dv_state(plan->independent.data[i]);
    while (next < l->kept.count && l->kept.data[next].state != s) next++;
    if (next == l->kept.count) next = 0;   // a new one
    for (; next < l->kept.count && l->kept.data[next].state == s; next++) {
      const Kept *k = &l->kept.data[next];
      if (dv_state_scalars(s, k->id) == k->count)
        memcpy(dv_state_write(s, k->id), l->start.data + k->at, k->count * sizeof(double));
    }
  }
  dv_mech_propagate_x(plan, DV_X);
  dv_mech_propagate_v(plan, DV_V);
  dv_loop_touch(scene);
}

// whether positions are where the repetition before has led to, too; takes them for the next time
static bool settles(RepeatLoop *l, bool first)
{
  double motion = 0, change = 0, size = 0;
  size_t at = 0;
  for (size_t i = 0; i < l->kept.count; i++) {
    const Kept *k = &l->kept.data[i];
    if (k->id != DV_X || dv_state_scalars(k->state, DV_X) != k->count) continue;
    const double *x = dv_state_read(k->state, DV_X), *start = l->start.data + k->at;
    if (l->last.count < at + k->count) dv_array_resize(&l->last, at + k->count);
    for (size_t n = 0; n < k->count; n++, at++) {
      motion = fmax(motion, fabs(x[n] - start[n]));
      size = fmax(size, fabs(x[n]));
      change = fmax(change, fabs(x[n] - l->last.data[at]));
      l->last.data[at] = x[n];
    }
  }
  return !first && change <= fmax(l->tolerance * motion, 1e-14 * size);   // what rests moves by rounding
}

static dvStatus repeat_init(dvObject *o)
{
  RepeatLoop *l = (RepeatLoop *)o;
  if (!(l->tolerance >= 0)) return dv_field_error(o, &l->tolerance, "give 0 or more", "tolerance is %g", l->tolerance);
  if (l->maxRepeats < 0) return dv_field_error(o, &l->maxRepeats, "give 0 or more", "maxRepeats is %d", l->maxRepeats);
  return DV_OK;
}

static dvStatus repeat_step(dvObject *o, double dt)
{
  RepeatLoop *l = (RepeatLoop *)o;
  dvScene *scene = o->node->scene;
  size_t contacts = 0;
  DV_TRY(dv_loop_begin(o, dt));
  DV_TRY(dv_loop_collide(o, dt, &contacts));
  keep(l, scene->plan);
  for (l->repeats = 0;; l->repeats++) {
    DV_TRY(dv_loop_integrate(o, &l->integration, dv_loop_node(o, &l->targetNode), dt));
    bool same = settles(l, l->repeats == 0);
    DV_TRY(dv_loop_collide(o, dt, &contacts));
    if (contacts == 0 || same || l->repeats >= l->maxRepeats) break;
    put_back(l, scene);
  }
  l->contactsLeft = (int32_t)dv_min_size(contacts, INT32_MAX);
  dv_touch(o, &l->repeats);
  dv_touch(o, &l->contactsLeft);
  return dv_loop_end(o, dt, scene->root->time + dt);
}

static void repeat_destroy(dvObject *o)
{
  RepeatLoop *l = (RepeatLoop *)o;
  dv_integration_free(&l->integration);
  dv_array_free(&l->kept);
  dv_array_free(&l->start);
  dv_array_free(&l->last);
}

static const dvLoopOps repeat_ops = {.step = repeat_step, .start = dv_loop_start, .resume = dv_loop_resume};

const dvClass dv_repeat_loop_class = {
    .struct_size = sizeof(dvClass),
    .name = "RepeatAnimationLoop",
    .help = "repeats collision and integration until the end of the step touches nothing",
    .module = "Sofa.Component.AnimationLoop",
    .size = sizeof(RepeatLoop),
    .blocks = {&dv_object_block, DV_BLOCK(repeat_fields)},
    .ops = {[DV_ROLE_LOOP] = &repeat_ops},
    .init = repeat_init,
    .destroy = repeat_destroy,
};
