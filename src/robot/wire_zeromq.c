// ZeroMQ, where its library is there when the program runs: nothing of it is needed to build. See wire.h.
//
// Who is there cannot be asked: a receiver's partner is one from whom something came not long ago, a sender's the
// receivers that asked, or everybody (counted as one) where it publishes.
#include "robot/wire_inside.h"

#include "base/clock.h"
#include "robot/telegram.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

enum {   // of zmq.h, version 4
  PUB = 1,
  SUB = 2,
  REQ = 3,
  REP = 4,
  SUBSCRIBE = 6,
  LINGER = 17,
  SNDHWM = 23,
  RCVHWM = 24,
  DONTWAIT = 1,
  MOST_MESSAGES = 64,   // that are taken in a step
};

typedef struct Library {
  void *(*ctx_new)(void);
  int (*ctx_term)(void *context);
  void *(*socket)(void *context, int type);
  int (*close)(void *socket);
  int (*setsockopt)(void *socket, int option, const void *value, size_t size);
  int (*bind)(void *socket, const char *address);
  int (*connect)(void *socket, const char *address);
  int (*send)(void *socket, const void *bytes, size_t length, int flags);
  int (*recv)(void *socket, void *bytes, size_t length, int flags);
  int (*errno_)(void);
  const char *(*strerror)(int number);
} Library;

struct dvWireZeromq {
  Library library;
  void *context, *socket;
  bool asked;   // REQ: an answer is due; REP: somebody waits for one
  char *bytes;
};

static bool load(Library *l)
{
  void *library = dlopen("libzmq.so.5", RTLD_NOW | RTLD_LOCAL);   // stays: its threads end with their contexts
  if (!library) return false;
  const struct {
    const char *name;
    void *to;
  } symbols[] = {{"zmq_ctx_new", &l->ctx_new},
                 {"zmq_ctx_term", &l->ctx_term},
                 {"zmq_socket", &l->socket},
                 {"zmq_close", &l->close},
                 {"zmq_setsockopt", &l->setsockopt},
                 {"zmq_bind", &l->bind},
                 {"zmq_connect", &l->connect},
                 {"zmq_send", &l->send},
                 {"zmq_recv", &l->recv},
                 {"zmq_errno", &l->errno_},
                 {"zmq_strerror", &l->strerror}};
  for (size_t i = 0; i < DV_COUNT(symbols); i++) {
    void *found = dlsym(library, symbols[i].name);
    if (!found) return false;
    memcpy(symbols[i].to, &found, sizeof found);
  }
  return true;
}

bool dv_wire_has_zeromq(void)
{
  Library l;
  return load(&l);
}

static bool set(const dvWireZeromq *z, int option, int value)
{
  return z->library.setsockopt(z->socket, option, &value, sizeof value) == 0;
}

bool dv_zeromq_open(dvWire *w)
{
  dvWireZeromq *z = w->zeromq = dv_alloc(sizeof *z);
  bool sender = w->options.sender;
  const int type = w->options.by_request ? (sender ? REP : REQ) : sender ? PUB : SUB;
  if (!load(&z->library)) {   // it was there when the wire was made
    dv_zeromq_close(w);
    w->trouble = "its library is gone";
    return false;
  }
  z->bytes = dv_alloc(DV_TELEGRAM_BYTES + 1);
  z->context = z->library.ctx_new();
  z->socket = z->context ? z->library.socket(z->context, type) : NULL;
  char *address = dv_format(strchr(w->ip, ':') ? "tcp://[%s]:%d" : "tcp://%s:%d",
                            dv_same(w->ip, "localhost") ? "127.0.0.1" : w->ip, w->options.port);
  bool good = z->socket && set(z, LINGER, 0) && set(z, SNDHWM, w->options.most_queued) &&
              set(z, RCVHWM, w->options.most_queued) &&
              (type != SUB || z->library.setsockopt(z->socket, SUBSCRIBE, "", 0) == 0) &&
              (sender ? z->library.bind : z->library.connect)(z->socket, address) == 0;
  dv_free(address);
  if (good) {
    w->trouble = NULL;
    w->port = sender ? w->options.port : 0;
    return true;
  }
  const char *trouble = z->library.strerror(z->library.errno_());
  dv_zeromq_close(w);
  w->trouble = trouble;   // constant
  return false;
}

void dv_zeromq_close(dvWire *w)
{
  dvWireZeromq *z = w->zeromq;
  if (!z) return;
  if (z->socket) z->library.close(z->socket);
  if (z->context) z->library.ctx_term(z->context);
  dv_free(z->bytes);
  dv_free(z);
  w->zeromq = NULL;
}

static void heard(dvWire *w)
{
  if (w->partners.count == 0) dv_push(&w->partners, ((dvWirePartner){.socket = -1}));
  w->partners.data[0].heard = dv_now();
}

void dv_zeromq_attend(dvWire *w)
{
  dvWireZeromq *z = w->zeromq;
  bool request = w->options.by_request && !w->options.sender;
  if (request && !z->asked) z->asked = z->library.send(z->socket, "", 0, DONTWAIT) == 0;
  bool reads = !w->options.sender || (w->options.by_request && !z->asked);
  for (int i = 0; i < MOST_MESSAGES && reads; i++) {
    int n = z->library.recv(z->socket, z->bytes, DV_TELEGRAM_BYTES, DONTWAIT);
    if (n < 0) break;
    heard(w);
    if (w->options.sender) z->asked = true;
    else dv_wire_keep(w, z->bytes, (size_t)n <= DV_TELEGRAM_BYTES ? (size_t)n : 0);   // empty is no message
    if (request) z->asked = false;
    if (w->options.by_request) break;
  }
  if (w->partners.count && dv_now() - w->partners.data[0].heard > w->options.patience) w->partners.count = 0;
}

size_t dv_zeromq_send(dvWire *w, const char *text, size_t length)
{
  dvWireZeromq *z = w->zeromq;
  if (!z || (w->options.by_request && !z->asked)) return 0;
  bool sent = z->library.send(z->socket, text, length, DONTWAIT) == (int)length;
  z->asked = false;
  if (!w->options.by_request && sent) heard(w);
  return sent;
}
