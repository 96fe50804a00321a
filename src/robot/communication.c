// CommunicationController: numbers go to another program, or come from one, with every step.
//
// A sender listens, receivers go there. Nothing waits: a sender hands out what its data is, a receiver takes the newest
// message that has come, and its data stays as it is where none has. What goes wrong on the way is told with what
// happens next, and never ends a run. See wire.h for the ways and telegram.h for the messages.
#include "robot/classes.h"

#include "base/clock.h"
#include "engine/engine.h"
#include "robot/telegram.h"
#include "robot/wire.h"
#include "scene/outside.h"

#include <math.h>
#include <string.h>

#define COMMUNICATION_FIELDS(X)                                                                                     \
  X(choice, job, "sender", "", "sends its data, or receives it", .options = "sender|receiver")                      \
  X(choice, pattern, "publish/subscribe", "",                                                                       \
    "every step to all who are there, or one message for each that a receiver asks for; the same on both sides",    \
    .options = "publish/subscribe|request/reply")                                                                   \
  X(choice, transport, "auto", "", "how messages travel; auto is ZeroMQ where its library is installed, else TCP",  \
    .options = "auto|tcp|udp|zeromq")                                                                               \
  X(choice, format, "auto", "",                                                                                     \
    "how they are written: JSON, or plain as SOFA does; auto is plain on ZeroMQ. A receiver reads both",            \
    .options = "auto|json|plain")                                                                                   \
  X(int, HWM, "0", "", "ZeroMQ: messages that wait for a receiver at most; 0 for any number", .least = "0")         \
  X(string, port, "5556", "", "port that the sender listens on; 0 for any that is free")                            \
  X(string, ip, "", "",                                                                                             \
    "address of the sender, in numbers; for the sender itself the one to listen on (0.0.0.0 for all). Without one " \
    "both stay on this machine")                                                                                    \
  X(bool, atBeginAnimationStep, "1", "", "at the beginning of a step; else at its end")                             \
  X(real, beginAt, "0", "s", "time of the simulation from which on messages are exchanged")                         \
  X(int, timeOut, "3000", "ms", "silence after which it is told that nobody is there; 0 for never", .least = "0")   \
  X(int, nbDataField, "1", "", "how many lists of numbers there are: data1, data2 …", .least = "1", .most = "64")   \
  X(int, connected, "0", "", "partners that are there", .flags = DV_READ_ONLY)                                      \
  X(int, messages, "0", "", "messages that were sent or received", .flags = DV_READ_ONLY)                           \
  X(int, refused, "0", "", "messages that could not be read, or did not fit", .flags = DV_READ_ONLY)                \
  X(real, remoteTime, "0", "s", "time of the sender in the message that was received last", .flags = DV_READ_ONLY)

#define DATA_FIELDS(X) X(reals, data, "", "", "numbers to send, or that were received")

enum { TOLD = 10 };   // interruptions that are told: a partner cannot fill the log

typedef struct Communication {
  dvObject base;
  COMMUNICATION_FIELDS(DV_MEMBER)
  dvWire *wire;
  int lists;    // that there are: data1 to dataN
  bool plain;   // as SOFA writes
  dvTelegram telegram;
  dvText text;
  double since;        // when the last sign of life came, by the clock; 0 before the first step
  bool silent, held;   // it was told that nothing comes, that it cannot be opened
  int told, told_refusals;
  char place[128];   // "127.0.0.1, port 5556", for messages
} Communication;

typedef struct Data {
  DATA_FIELDS(DV_MEMBER)
} Data;

#define SELF Communication
static const dvFieldDesc communication_fields[] = {COMMUNICATION_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc communication_memory[] = {DV_REMEMBER(numbers, remoteTime)};
#undef SELF
#define SELF Data
static const dvFieldDesc data_fields[] = {DATA_FIELDS(DV_DESCRIBE)};
#undef SELF

static bool is_sender(const Communication *c) { return c->job == 0; }
static const char *kind_of(const Communication *c) { return c->base.template_text ? c->base.template_text : "double"; }

// --- setting up ----------------------------------------------------------------------------------

static dvStatus communication_parse(dvObject *o, dvAttributes *a)
{
  Communication *c = (Communication *)o;
  DV_TRY(dv_engine_add_inputs(o, a, DV_BLOCK(data_fields), &c->nbDataField));
  if (c->nbDataField >= 1 && c->nbDataField <= DV_TELEGRAM_LISTS) return DV_OK;
  return dv_field_error(o, &c->nbDataField, NULL, "there can be 1 to %d lists of numbers, not %d", DV_TELEGRAM_LISTS,
                        c->nbDataField);
}

static dvField *data_field(const Communication *c, int i)
{
  char name[16];
  dv_snprintf(name, sizeof name, "data%d", i + 1);
  return dv_object_field(&c->base, name);
}

static dvStatus read_port(Communication *c, int *port)
{
  const char *at = c->port;
  long long number;
  if (!dv_scan_int(&at, &number) || *at || number < 0 || number > 65535 || (number == 0 && !is_sender(c)))
    return dv_field_error(&c->base, &c->port, "5556 is usual", "'%.40s' is no port: 1 to 65535", c->port);
  *port = (int)number;
  return DV_OK;
}

static dvWireKind way_of(const Communication *c)
{
  static const dvWireKind kinds[] = {DV_WIRE_TCP, DV_WIRE_TCP, DV_WIRE_UDP, DV_WIRE_ZEROMQ};
  return c->transport == 0 && dv_wire_has_zeromq() ? DV_WIRE_ZEROMQ : kinds[c->transport];
}

static dvStatus communication_init(dvObject *o)
{
  Communication *c = (Communication *)o;
  int port = 0;
  dv_wire_destroy(&c->wire);
  for (c->lists = 0; data_field(c, c->lists);) c->lists++;
  DV_TRY(read_port(c, &port));
  if (!dv_telegram_width(kind_of(c)))
    return dv_error(o, "write template=\"double\", \"Vec1d\", \"Vec3d\" or \"Rigid3d\"",
                    "numbers of template '%.40s' are not sent", kind_of(c));
  if (c->timeOut < 0)
    return dv_field_error(o, &c->timeOut, "0 is for never", "a time of %d ms cannot pass", c->timeOut);
  if (c->HWM < 0) return dv_field_error(o, &c->HWM, "0 is for any number", "%d messages cannot wait", c->HWM);
  if (!dv_outside_is_permitted(o, "connections")) return DV_OK;
  dvWireOptions options = {.kind = way_of(c),
                           .sender = is_sender(c),
                           .by_request = c->pattern == 1,
                           .ip = c->ip,
                           .port = port,
                           .most_queued = c->HWM,
                           .patience = fmax(1, c->timeOut / 1000.0)};
  c->plain = c->format == 2 || (c->format == 0 && options.kind == DV_WIRE_ZEROMQ);
  dvText why = {0};
  c->wire = dv_wire_create(&options, &why);
  dvStatus status = DV_OK;
  if (!c->wire)
    status = dv_field_error(
        o, options.kind == DV_WIRE_ZEROMQ && strstr(why.text, "library") ? &c->transport : (const void *)&c->ip,
        "write ip=\"192.168.1.20\", or transport=\"tcp\"", "%s cannot connect: %s", o->name, why.text);
  dv_text_free(&why);
  dv_snprintf(c->place, sizeof c->place, "%.60s, port %d", *c->ip ? c->ip : "127.0.0.1", port);
  c->since = 0;
  c->silent = c->held = false;
  return status;
}

// --- what is told --------------------------------------------------------------------------------

static bool may_tell(Communication *c)
{
  if (c->told > TOLD) return false;
  if (c->told++ == TOLD) dv_note(&c->base, "further interruptions are not told");
  return c->told <= TOLD;
}

static void watch(Communication *c)
{
  const dvObject *o = &c->base;
  int now = (int)dv_wire_partners(c->wire), before = c->connected;
  const char *trouble = dv_wire_trouble(c->wire);
  c->connected = now;
  if (now && !before && c->silent && may_tell(c)) dv_note(o, "the connection (%s) is there again", c->place);
  if (!now && before && may_tell(c))
    dv_warning(o, NULL,
               is_sender(c) ? "the last receiver (%s) is gone: nothing is sent until one comes"
                            : "the connection to %s is lost: data keeps its last values, and it is tried again",
               c->place);
  if (!now != !before) c->silent = !now;
  if (now && !before) c->since = dv_now();
  bool held = is_sender(c) && trouble;
  if (held && !c->held && may_tell(c))
    dv_warning(o, "choose another port, or end the program that has it",
               "%s cannot be listened on (%s): nothing is sent until that works", c->place, trouble);
  c->held = held;
  if (is_sender(c) || c->silent || c->timeOut == 0 || dv_now() - c->since < c->timeOut / 1000.0) return;
  c->silent = true;
  if (may_tell(c))
    dv_warning(o, "start the sender, or look at ip and port on both sides",
               "nothing has come from %s for %g s%s%s%s: data keeps its values, and it is tried again", c->place,
               c->timeOut / 1000.0, trouble ? " (" : "", trouble ? trouble : "", trouble ? ")" : "");
}

static void refuse(Communication *c, const char *why)
{
  c->refused++;
  if (c->told_refusals++ < 3)
    dv_warning(&c->base, "template and number of lists have to be the same on both sides",
               "a message from %s is passed over, data keeps its last values: %s", c->place, why);
}

// --- steps ---------------------------------------------------------------------------------------

static void send_data(Communication *c)
{
  const dvObject *o = &c->base;
  dvTelegram *t = &c->telegram;
  const dvScene *scene = o->node->scene;
  dv_telegram_begin(t, kind_of(c), (double)scene->step, scene->root->time);
  for (int i = 0; i < c->lists; i++) {
    dvField *f = data_field(c, i);
    if (dv_field_pull(f) != DV_OK) return;
    const dvReals *from = f->value;
    for (size_t k = 0; k < from->count; k++) dv_push(&t->numbers, from->data[k]);
    dv_telegram_end_list(t);
  }
  const char *why;
  if (!dv_telegram_write(t, c->plain, &c->text, &why)) {
    c->refused++;
    if (c->told_refusals++ == 0) dv_warning(o, NULL, "what is to be sent cannot be: %s; the step goes on without", why);
    return;
  }
  c->messages += dv_wire_send(c->wire, c->text.text, c->text.length) > 0;
}

static const char *does_not_fit(const Communication *c)
{
  const dvTelegram *t = &c->telegram;
  int width = dv_telegram_width(kind_of(c));
  if (t->ends.count != (size_t)c->lists) return "it has another number of lists";
  if (*t->kind && dv_telegram_width(t->kind) != width) return "it has another template";
  for (size_t i = 0; i < t->ends.count; i++)
    if ((t->ends.data[i] - dv_telegram_start(t, i)) % (size_t)width) return "a list does not fit the template";
  return NULL;
}

static void receive_data(Communication *c)
{
  dvTelegram *t = &c->telegram;
  size_t length;
  const char *text = dv_wire_take(c->wire, &length), *why;
  if (!text) return;
  c->since = dv_now();
  if (!dv_telegram_read(text, length, t, &why) || (why = does_not_fit(c))) {
    refuse(c, why);
    return;
  }
  for (int i = 0; i < c->lists; i++) {
    dvField *f = data_field(c, i);
    size_t from = dv_telegram_start(t, (size_t)i);
    if (!dv_reals_assign(f->value, t->numbers.data + from, t->ends.data[i] - from)) {
      refuse(c, "memory is short");
      return;
    }
    dv_field_touch(f);
  }
  c->messages++;
  c->remoteTime = t->time;
  dv_touch(&c->base, &c->remoteTime);
}

static void communication_event(dvObject *o, const dvEvent *event)
{
  Communication *c = (Communication *)o;
  if (event->kind != (c->atBeginAnimationStep ? DV_EVENT_ANIMATE_BEGIN : DV_EVENT_ANIMATE_END)) return;
  if (o->failed || !c->wire || o->node->scene->root->time < c->beginAt) return;
  if (c->since == 0) c->since = dv_now();
  dv_wire_attend(c->wire);
  if (is_sender(c)) send_data(c);
  else receive_data(c);
  watch(c);
}

static void communication_remember(dvObject *o, dvMemoryStream *s)
{
  const Communication *c = (const Communication *)o;
  for (int i = 0; i < c->lists && !is_sender(c); i++) {
    dvField *f = data_field(c, i);
    dv_remember_reals(s, dv_field_name(f->desc), f->value);
    if (dv_memory_restores(s)) dv_field_touch(f);   // who is linked to it asks again
  }
}

static void communication_destroy(dvObject *o)
{
  Communication *c = (Communication *)o;
  dv_wire_destroy(&c->wire);
  dv_telegram_free(&c->telegram);
  dv_text_free(&c->text);
}

const dvClass dv_communication_class = {
    .struct_size = sizeof(dvClass),
    .name = "CommunicationController",
    .help = "sends numbers to another program, or receives them, with every step",
    .module = "SoftRobots",
    .roles = DV_PLAYS(DV_ROLE_CONTROLLER),
    .size = sizeof(Communication),
    .blocks = {&dv_object_block, DV_BLOCK(communication_fields)},
    DV_MEMORY(communication_memory),
    .parse = communication_parse,
    .init = communication_init,
    .reinit = communication_init,
    .handle_event = communication_event,
    .remember = communication_remember,
    .destroy = communication_destroy,
};
