// Components that act on events: MechanicalStateController, InputEventReader, PauseAnimationOnEvent.
#include "control/controllers.h"

#include "base/file.h"
#include "io/record/record.h"
#include "math/vec.h"
#include "mechanics/mechanics.h"

#include <fcntl.h>
#include <linux/input.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CONTROLLER_MODULE "Sofa.Component.Controller"

// --- MechanicalStateController -------------------------------------------------------------------
//
// A frame: with the left button dx and dy of the mouse turn it about its y and z axes by 0.001 radians each; with the
// right button dy moves it along the main direction by 0.05, and dx turns it about x. With onlyTranslation the left
// button moves it along x, the right along y, the middle one along z. Numbers (Vec1): the first two rest positions are
// -0.4 while the middle button is held, else 0.

#define MOVER_FIELDS(X)                                                                      \
  X(bool, handleEventTriggersUpdate, "0", "",                                                \
    "move with each motion of the mouse; else at the beginning of each step")                \
  X(int, index, "0", "", "which frame")                                                      \
  X(bool, onlyTranslation, "0", "", "do not turn the frame")                                 \
  X(bool, buttonDeviceState, "0", "", "state of the button of a device", .flags = DV_HIDDEN) \
  X(vec3, mainDirection, "0 0 -1", "", "direction of the right button, in the frame")

typedef struct Mover {
  dvObject base;
  MOVER_FIELDS(DV_MEMBER)
  dvState *state;
  dvPlan *plan;
  dvMouse held;               // DV_MOUSE_MOVE: no button
  int x, y, from_x, from_y;   // the pointer, and where it was when it last moved the frame
} Mover;

#define SELF Mover
static const dvFieldDesc mover_fields[] = {MOVER_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc mover_memory[] = {DV_REMEMBER(numbers, held) DV_REMEMBER(numbers, x) DV_REMEMBER(numbers, y)
                                                DV_REMEMBER(numbers, from_x) DV_REMEMBER(numbers, from_y)};
#undef SELF

static dvStatus mover_init(dvObject *o)
{
  Mover *m = (Mover *)o;
  dvObject *state = dv_node_state_up(o->node);
  if (!state) return dv_error(o, "put it into the node of a MechanicalObject", "%s finds no state to move", o->name);
  DV_TRY(dv_object_ensure(state));
  m->state = dv_state(state);
  o->dof = state->dof;
  if (o->dof->kind != DV_RIGID3 && o->dof->kind != DV_VEC1)
    return dv_error(o, "use a MechanicalObject of frames", "%s moves frames (Rigid3) or numbers (Vec1), not %s",
                    o->name, o->dof->name);
  if (m->index < 0 || (size_t)m->index >= m->state->count)
    return dv_field_error(o, &m->index, "indices count from 0", "index is %d, but there are %zu degrees of freedom",
                          m->index, m->state->count);
  dv_vec3_store(m->mainDirection, dv_vec3_normalise(dv_vec3_load(m->mainDirection)));
  if (!o->listening)
    dv_field_warning(o, &o->listening, "set listening=\"1\"", "%s does not listen to events: it moves nothing",
                     o->name);
  return DV_OK;
}

static void move_frame(const Mover *m, double *x, int dx, int dy)
{
  dvQuat q = dv_quat_load(x + 3);
  if (m->onlyTranslation) {
    x[0] += m->held == DV_MOUSE_LEFT ? dx : 0;
    x[1] += m->held == DV_MOUSE_RIGHT ? dy : 0;
    x[2] += m->held == DV_MOUSE_MIDDLE ? dy : 0;
  } else if (m->held == DV_MOUSE_LEFT) {
    q = dv_quat_mul(dv_quat_mul(q, dv_quat_from_axis(dv_vec3(0, 1, 0), dx * 0.001)),
                    dv_quat_from_axis(dv_vec3(0, 0, 1), dy * 0.001));
  } else if (m->held == DV_MOUSE_RIGHT) {
    dv_vec3_accumulate(x, dv_quat_rotate(q, dv_vec3_scale(dv_vec3_load(m->mainDirection), dy * 0.05)));
    q = dv_quat_mul(q, dv_quat_from_axis(dv_vec3(1, 0, 0), dx * 0.001));
  }
  dv_quat_store(x + 3, q);
}

static void mover_apply(Mover *m)
{
  dvObject *o = &m->base;
  int dx = m->x - m->from_x, dy = m->y - m->from_y;
  m->from_x = m->x, m->from_y = m->y;
  if (o->dof->kind == DV_VEC1) {
    double *rest = dv_state_write(m->state, DV_X_REST);
    for (size_t i = 0; i < dv_min_size(m->state->count, 2); i++) rest[i] = m->held == DV_MOUSE_MIDDLE ? -0.4 : 0;
    dv_state_touch(m->state, DV_X_REST);
    return;
  }
  if (m->held != DV_MOUSE_MOVE && (dx || dy)) {
    size_t at = 7 * (size_t)m->index;
    double *x = dv_state_write(m->state, DV_X);
    move_frame(m, x + at, dx, dy);
    memcpy(dv_state_write(m->state, DV_X_FREE) + at, x + at, 7 * sizeof *x);
    dv_state_touch(m->state, DV_X);
  }
  dvPlan *plan = dv_plan_get(&m->plan, o->node);
  dv_mech_settle(plan, DV_X, DV_V, o->node->time);
}

static void mover_event(dvObject *o, const dvEvent *event)
{
  Mover *m = (Mover *)o;
  if (!o->listening || o->failed) return;
  if (event->kind == DV_EVENT_ANIMATE_BEGIN) mover_apply(m);
  if (event->kind != DV_EVENT_MOUSE || event->mouse == DV_MOUSE_WHEEL) return;
  m->x = event->x, m->y = event->y;
  if (event->mouse == DV_MOUSE_MOVE) {
    if (m->handleEventTriggersUpdate) mover_apply(m);
    return;
  }
  m->held = event->released ? DV_MOUSE_MOVE : event->mouse;
  m->from_x = m->x, m->from_y = m->y;
}

static void mover_destroy(dvObject *o) { dv_plan_destroy(&((Mover *)o)->plan); }

const dvClass dv_mechanical_state_controller_class = {
    .struct_size = sizeof(dvClass),
    .name = "MechanicalStateController",
    .help = "moves a frame with the mouse",
    .module = CONTROLLER_MODULE,
    .dofs = DV_DOF_RIGID3 | DV_DOF_VEC1,
    .roles = DV_PLAYS(DV_ROLE_CONTROLLER),
    .size = sizeof(Mover),
    .blocks = {&dv_object_block, DV_BLOCK(mover_fields)},
    .init = mover_init,
    .handle_event = mover_event,
    .destroy = mover_destroy,
    DV_MEMORY(mover_memory),
};

// --- InputEventReader ----------------------------------------------------------------------------
//
// At the beginning of a step it reads what a device of Linux has sent, or the next line of a file in which it wrote
// that before: "type code value" for each event. Motions and buttons of a mouse become mouse events, the two pedals of
// a foot switch keys.

#define READER_FIELDS(X)                                                                                       \
  X(string, filename, "/dev/input/mouse2", "", "device that sends events")                                     \
  X(bool, inverseSense, "0", "", "the other way round")                                                        \
  X(bool, printEvent, "0", "", "print each event")                                                             \
  X(string, key1, "0", "", "key of the left pedal, a letter")                                                  \
  X(string, key2, "1", "", "key of the right pedal, a letter")                                                 \
  X(bool, writeEvents, "0", "", "write events to outputFilename; else read them from there, when it is given") \
  X(string, outputFilename, "", "", "file of events, a line for each step")

typedef enum Pedal { NO_PEDAL, LEFT_PEDAL, RIGHT_PEDAL } Pedal;

typedef struct Reader {
  dvObject base;
  READER_FIELDS(DV_MEMBER)
  int device;   // -1 when there is none
  dvRecord out;
  char *recorded;   // the file that is read
  size_t length, at;
  int x, y;   // the pointer
  bool moved;
  Pedal pedal, pedal_before;
} Reader;

#define SELF Reader
static const dvFieldDesc reader_fields[] = {READER_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc reader_memory[] = {DV_REMEMBER(numbers, at) DV_REMEMBER(numbers, x) DV_REMEMBER(
    numbers, y) DV_REMEMBER(numbers, moved) DV_REMEMBER(numbers, pedal) DV_REMEMBER(numbers, pedal_before)};
#undef SELF

static void reader_create(dvObject *o) { ((Reader *)o)->device = -1; }

static dvStatus reader_init(dvObject *o)
{
  Reader *r = (Reader *)o;
  if (*r->outputFilename && !r->writeEvents) {
    char *path = dv_context_find_file(o->context, r->outputFilename, o->place.file, NULL);
    if (path) r->recorded = dv_file_read(path, &r->length);
    dv_free(path);
    return r->recorded ? DV_OK
                       : dv_field_error(o, &r->outputFilename, "set writeEvents=\"1\" to write it",
                                        "the events in %s cannot be read", r->outputFilename);
  }
  r->device = dv_file_permitted(r->filename, false) ? open(r->filename, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
  if (r->device < 0)
    dv_field_warning(o, &r->filename, "give a device under /dev/input, or outputFilename with recorded events",
                     "%s cannot be opened: there are no events", r->filename);
  if (*r->outputFilename && !dv_record_open(&r->out, r->outputFilename))
    dv_field_warning(o, &r->outputFilename, NULL, "%s cannot be written", r->outputFilename);
  return DV_OK;
}

static void reader_destroy(dvObject *o)
{
  Reader *r = (Reader *)o;
  if (r->device >= 0) close(r->device);
  dv_record_close(&r->out);
  dv_free(r->recorded);
}

static void take_event(Reader *r, int type, int code, int value)
{
  if (r->printEvent) dv_note(&r->base, "event of type %d, code %d, value %d", type, code, value);
  if (type == EV_REL && (code == REL_X || code == REL_Y)) {
    int *to = code == REL_X ? &r->x : &r->y;
    *to = (int)((unsigned)*to + (unsigned)(r->inverseSense ? -value : value));
    r->moved = true;
  }
  if (type == EV_ABS && code == ABS_Y) r->pedal = value > 156 ? LEFT_PEDAL : value < 100 ? RIGHT_PEDAL : NO_PEDAL;
  if (type == EV_KEY && code >= BTN_LEFT && code <= BTN_MIDDLE) {
    dvMouse button = code == BTN_LEFT ? DV_MOUSE_LEFT : code == BTN_RIGHT ? DV_MOUSE_RIGHT : DV_MOUSE_MIDDLE;
    dv_scene_send(r->base.node->scene,
                  &(dvEvent){.kind = DV_EVENT_MOUSE, .mouse = button, .released = value == 0, .x = r->x, .y = r->y});
  }
}

static void read_device(Reader *r)
{
  enum { MOST = 1000 };   // a device that never ends does not stop the step
  struct pollfd wait = {.fd = r->device, .events = POLLIN};
  struct input_event e;
  dvText line = {0};
  for (int i = 0; i < MOST && r->device >= 0 && poll(&wait, 1, 0) > 0 && (wait.revents & POLLIN); i++) {
    if (read(r->device, &e, sizeof e) != (ssize_t)sizeof e) break;
    take_event(r, e.type, e.code, e.value);
    dv_text_printf(&line, "%d %d %d ", e.type, e.code, e.value);
  }
  dv_text_add(&line, "\n");
  if (dv_record_is_open(&r->out)) dv_record_add(&r->out, r->base.node->scene, line.text, line.length);
  dv_text_free(&line);
}

static void read_line(Reader *r)
{
  const char *cursor = r->recorded + r->at;
  size_t length = strcspn(cursor, "\n");
  char *line = dv_strndup(cursor, length);
  const char *s = line;
  long long type, code, value;
  while (dv_scan_int(&s, &type) && dv_scan_int(&s, &code) && dv_scan_int(&s, &value))
    if (type >= 0 && type < 1000 && code >= 0 && code < 100000 && value > -1000000 && value < 1000000)
      take_event(r, (int)type, (int)code, (int)value);
  dv_free(line);
  r->at += length + (cursor[length] == '\n');
}

static void reader_event(dvObject *o, const dvEvent *event)
{
  Reader *r = (Reader *)o;
  if (event->kind != DV_EVENT_ANIMATE_BEGIN || o->failed) return;
  if (r->recorded) read_line(r);
  else read_device(r);
  if (r->moved)
    dv_scene_send(o->node->scene, &(dvEvent){.kind = DV_EVENT_MOUSE, .mouse = DV_MOUSE_MOVE, .x = r->x, .y = r->y});
  r->moved = false;
  if (r->pedal == r->pedal_before) return;
  Pedal which = r->pedal != NO_PEDAL ? r->pedal : r->pedal_before;
  dv_scene_send(o->node->scene, &(dvEvent){.kind = DV_EVENT_KEY,
                                           .key = which == LEFT_PEDAL ? r->key1[0] : r->key2[0],
                                           .released = r->pedal == NO_PEDAL});
  r->pedal_before = r->pedal;
}

static void reader_remember(dvObject *o, dvMemoryStream *s) { dv_record_remember(&((Reader *)o)->out, s); }

static bool reader_restored(dvObject *o) { return ((Reader *)o)->at <= ((Reader *)o)->length; }

const dvClass dv_input_event_reader_class = {
    .struct_size = sizeof(dvClass),
    .name = "InputEventReader",
    .help = "events of a mouse or foot switch, from the device or as recorded",
    .module = "Sofa.Component.Playback",
    .roles = DV_PLAYS(DV_ROLE_CONTROLLER),
    .size = sizeof(Reader),
    .blocks = {&dv_object_block, DV_BLOCK(reader_fields)},
    .create = reader_create,
    .init = reader_init,
    .handle_event = reader_event,
    .destroy = reader_destroy,
    DV_MEMORY(reader_memory),
    .remember = reader_remember,
    .restored = reader_restored,
};

// --- PauseAnimationOnEvent -----------------------------------------------------------------------

static void pause_event(dvObject *o, const dvEvent *event)
{
  if (event->kind != DV_EVENT_PAUSE) return;
  o->node->scene->pause = true;
  dv_note(o, "paused at %g s", o->node->time);
}

const dvClass dv_pause_on_event_class = {
    .struct_size = sizeof(dvClass),
    .name = "PauseAnimationOnEvent",
    .help = "stops the animation when another component asks for a pause",
    .module = "Sofa.Component.SceneUtility",
    .roles = DV_PLAYS(DV_ROLE_CONTROLLER),
    .size = sizeof(dvObject),
    .blocks = {&dv_object_block},
    .handle_event = pause_event,
};
