// BeamAdapterActionController: tells an InterventionalRadiologyController what to do and when, from lists, or from keys
// that it notes in these lists.
#include "instrument/deploy.h"

#include <string.h>

#define ACTION_FIELDS(X)                                                                                           \
  X(bool, writeMode, "1", "", "act on keys and note them in `actions` and `timeSteps`; else act as these say")     \
  X(indices, actions, "", "",                                                                                      \
    "0 nothing, 1 forward, 2 backward, 3 right, 4 left, 5 next, 6 previous instrument, 8 to 10 instrument 0 to 2") \
  X(strings, actionString, "", "",                                                                                 \
    "the same in words: stop, fwd, bwd, right, left, nextT, prevT, tool0, tool1, tool2")                           \
  X(reals, timeSteps, "", "s", "when each of them is due")                                                         \
  X(link, interventionController, "", "", "the InterventionalRadiologyController", .flags = DV_REQUIRED)

typedef struct Actions {
  dvObject base;
  ACTION_FIELDS(DV_MEMBER)
  dvObject *controller;
  int32_t pressed, done;   // key that waits; entries of the list that are done
} Actions;

#define SELF Actions
static const dvFieldDesc action_fields[] = {ACTION_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc action_memory[] = {DV_REMEMBER(numbers, pressed) DV_REMEMBER(numbers, done)
                                                 DV_REMEMBER(ints, actions) DV_REMEMBER(reals, timeSteps)};
#undef SELF

static const char *const words[DV_INSTRUMENT_ACTIONS] = {
    [DV_INSTRUMENT_REST] = "stop",      [DV_INSTRUMENT_FORWARD] = "fwd", [DV_INSTRUMENT_BACKWARD] = "bwd",
    [DV_INSTRUMENT_RIGHT] = "right",    [DV_INSTRUMENT_LEFT] = "left",   [DV_INSTRUMENT_NEXT] = "nextT",
    [DV_INSTRUMENT_PREVIOUS] = "prevT", [DV_INSTRUMENT_DROP] = "dropT",  [DV_INSTRUMENT_USE_0] = "tool0",
    [DV_INSTRUMENT_USE_1] = "tool1",    [DV_INSTRUMENT_USE_2] = "tool2"};

static dvStatus read_words(Actions *a)
{
  dvObject *o = &a->base;
  if (a->actionString.count == 0) return DV_OK;
  if (!dv_ints_resize(&a->actions, a->actionString.count)) return dv_error(o, NULL, "out of memory");
  for (size_t i = 0; i < a->actionString.count; i++) {
    int32_t k = 0;
    while (k < DV_INSTRUMENT_ACTIONS && !dv_same(words[k], a->actionString.data[i])) k++;
    if (k == DV_INSTRUMENT_ACTIONS)
      return dv_field_error(o, &a->actionString, "use stop, fwd, bwd, right, left, nextT, prevT, tool0, tool1 or tool2",
                            "there is no action %s", a->actionString.data[i]);
    dv_ints_edit(&a->actions)[i] = k;
  }
  return DV_OK;
}

static dvStatus actions_init(dvObject *o)
{
  Actions *a = (Actions *)o;
  a->controller = a->interventionController.target;
  if (!a->controller || a->controller->cls != &dv_deploy_class)
    return dv_field_error(o, &a->interventionController, "link an InterventionalRadiologyController",
                          "%s finds no controller", o->name);
  DV_TRY(read_words(a));
  for (size_t i = 0; i < a->actions.count; i++)
    if (a->actions.data[i] < 0 || a->actions.data[i] >= DV_INSTRUMENT_ACTIONS)
      return dv_field_error(o, &a->actions, NULL, "action %d does not exist: they go from 0 to %d", a->actions.data[i],
                            DV_INSTRUMENT_ACTIONS - 1);
  if (!a->writeMode && a->actions.count != a->timeSteps.count)
    return dv_field_error(o, &a->timeSteps, "give a time for each action", "%zu actions have %zu times",
                          a->actions.count, a->timeSteps.count);
  if (a->writeMode && a->actions.count)
    dv_field_warning(o, &a->writeMode, "set writeMode=\"0\" to have them done",
                     "actions are given, but keys are to be noted there: they are not done");
  if (a->writeMode) a->actions.count = a->timeSteps.count = 0;
  dv_deploy_command(a->controller);
  return DV_OK;
}

static void note(Actions *a)
{
  size_t at = a->actions.count;
  dv_deploy_act(a->controller, (dvInstrumentAction)a->pressed);
  if (dv_ints_resize(&a->actions, at + 1) && dv_reals_resize(&a->timeSteps, at + 1)) {
    dv_ints_edit(&a->actions)[at] = a->pressed;
    dv_reals_edit(&a->timeSteps)[at] = a->base.node->time;
    dv_touch(&a->base, &a->actions);
    dv_touch(&a->base, &a->timeSteps);
  }
  a->pressed = 0;
}

static void actions_event(dvObject *o, const dvEvent *event)
{
  Actions *a = (Actions *)o;
  if (o->failed || a->controller->failed) return;
  if (event->kind == DV_EVENT_KEY && !event->released && a->writeMode) a->pressed = dv_instrument_key(event->key);
  if (event->kind != DV_EVENT_ANIMATE_BEGIN) return;
  if (a->writeMode && a->pressed) note(a);
  if (!a->writeMode && (size_t)a->done < a->timeSteps.count && o->node->time >= a->timeSteps.data[a->done])
    dv_deploy_act(a->controller, (dvInstrumentAction)a->actions.data[a->done++]);
  dv_deploy_apply(a->controller);
}

static bool actions_restored(dvObject *o)
{
  Actions *a = (Actions *)o;
  bool fits =
      a->done >= 0 && a->actions.count == a->timeSteps.count && a->pressed >= 0 && a->pressed < DV_INSTRUMENT_ACTIONS;
  for (size_t i = 0; i < a->actions.count && fits; i++)
    fits = a->actions.data[i] >= 0 && a->actions.data[i] < DV_INSTRUMENT_ACTIONS;
  return fits;
}

const dvClass dv_instrument_actions_class = {
    .struct_size = sizeof(dvClass),
    .name = "BeamAdapterActionController",
    .help = "moves instruments as lists of actions and times say, or notes what keys do in such lists",
    .module = "BeamAdapter",
    .roles = DV_PLAYS(DV_ROLE_CONTROLLER),
    .presets = "listening=1",
    .size = sizeof(Actions),
    .blocks = {&dv_object_block, DV_BLOCK(action_fields)},
    .init = actions_init,
    .handle_event = actions_event,
    DV_MEMORY(action_memory),
    .restored = actions_restored,
};
